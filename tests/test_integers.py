# SPDX-License-Identifier: Apache-2.0
"""Sums, dots and means of i8, i16, i32 and i64: exact inside, saturating in out=, one rounding where the output is a float."""

from fractions import Fraction

import numpy as np
import pytest

import bitfold_c
from oracle import data
from oracle.formats import FLOATS, FORMATS
from oracle.reduce import reduce

INTEGERS = ("i8", "i16", "i32", "i64")
OPERATIONS = ("sum", "mean", "dot", "sumsq", "sumabs")
OUTPUTS = ("", "i8", "i16", "i32", "i64") + FLOATS


@pytest.mark.parametrize("element", INTEGERS)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("output", OUTPUTS)
def test_every_output(operation, element, output, seed):
    contract = f"{operation}:{element}" + (f":out={output}" if output else "")
    for n in (1, 2, 3, 4, 7, 8, 17, 64, 300):
        x = np.stack([data.codes(element, n, seed + n + i, i % 2 == 1) for i in range(8)])
        y = x[::-1].copy() if operation == "dot" else None
        out, report = bitfold_c.reduce(contract, x, y, axes=1)
        want = [reduce(contract, row, None if y is None else y[i]) for i, row in enumerate(x)]
        for i, (code, _) in enumerate(want):
            assert int(out[i]) == code, (contract, x[i].tolist(), None if y is None else y[i].tolist(), int(out[i]), code)
        assert report.clamped == sum(event for _, event in want), contract


@pytest.mark.parametrize("element", INTEGERS)
def test_empty(element):
    none = np.zeros(0, FORMATS[element].storage)
    for operation in ("sum", "sumsq", "sumabs"):
        out, report = bitfold_c.reduce(f"{operation}:{element}", none)
        assert int(out) == 0 and report.clamped == 0
    assert int(bitfold_c.reduce(f"dot:{element}", none, none)[0]) == 0
    assert int(bitfold_c.reduce(f"mean:{element}", none)[0]) == 0x7FF8000000000000
    with pytest.raises(bitfold_c.Refused) as refused:
        bitfold_c.reduce(f"mean:{element}:out=i32", none)
    assert refused.value.status == "EMPTY"


@pytest.mark.parametrize("element, output, x, want, event", (
    ("i8", "i8", [2] * 128, 127, 1), ("i8", "i8", [127, 1, -1], 127, 0), ("i8", "i8", [-128, -1], -128, 1),
    ("i8", "i16", [-128] * 256, -32768, 0), ("i8", "i16", [-128] * 257, -32768, 1), ("i16", "i16", [32767, 1], 32767, 1),
    ("i32", "i32", [2**31 - 1, 1], 2**31 - 1, 1), ("i32", "i64", [2**31 - 1, 1], 2**31, 0)))
def test_saturation_is_of_the_total_only(element, output, x, want, event):
    out, report = bitfold_c.reduce(f"sum:{element}:out={output}", np.array(x, FORMATS[element].storage))
    assert (int(out), report.clamped) == (want, event)


def test_i64_saturates_with_an_event():
    """Three squares of -2^31 pass 2^63 - 1."""
    x = np.full(3, -(2**31), np.int32)
    out, report = bitfold_c.reduce("sumsq:i32", x)
    assert (int(out), report.clamped) == (2**63 - 1, 1)
    out, report = bitfold_c.reduce("sumsq:i32", x[:1])
    assert (int(out), report.clamped) == (2**62, 0)
    out, report = bitfold_c.reduce("sumsq:i32:out=f64", x)
    assert int(out) == FORMATS["f64"].round(3 * 2**62)


LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize("x, want, event", (
    ([MOST, 1], MOST, 1), ([MOST, 1, -1], MOST, 0), ([LEAST, -1], LEAST, 1), ([LEAST, -1, 1], LEAST, 0),
    ([LEAST] * 4 + [MOST] * 4, -4, 0), ([MOST] * 600 + [-MOST] * 599 + [-5], MOST - 5, 0)))
def test_sums_of_i64_pass_64_bits(x, want, event):
    out, report = bitfold_c.reduce("sum:i64", np.array(x))
    assert (int(out), report.clamped) == (want, event)


def test_every_pair_of_edges_of_i64():
    """Signs, carries between the 32-bit digits, and squares of 2^126."""
    near = {s * (1 << k) + d for k in (0, 1, 31, 32, 33, 62, 63) for s in (1, -1) for d in (-1, 0, 1)}
    edges = sorted(k for k in near if LEAST <= k <= MOST)
    x, y = (a.reshape(-1) for a in np.meshgrid(np.array(edges), np.array(edges)))
    for n in (1, 3, 300):
        rows = [np.stack([a] * (n - 1) + [np.roll(a, 7)], axis=1) for a in (x, y)]
        for output in ("f64", "i64", "f32", "bf16"):
            out, report = bitfold_c.reduce(f"dot:i64:out={output}", *rows, axes=1)
            exact = [sum(int(a) * int(b) for a, b in zip(*pair)) for pair in zip(*rows)]
            want = [min(max(k, LEAST), MOST) if output == "i64" else FORMATS[output].round(k) for k in exact]
            assert out.tolist() == want
            assert report.clamped == (sum(not LEAST <= k <= MOST for k in exact) if output == "i64" else 0)
    for operation, of in (("sumabs", abs), ("sumsq", lambda k: k * k)):
        out, _ = bitfold_c.reduce(f"{operation}:i64:out=f64", np.array(edges)[:, None], axes=1)
        assert out.tolist() == [FORMATS["f64"].round(of(k)) for k in edges]


def test_i64_mean_is_rounded_once():
    """2^62 + 1 is halfway between nothing: its quotient by 3 has digits that a double of the sum would not."""
    for x in ([2**62 + 1, 0, 0], [MOST, MOST], [LEAST, MOST], [LEAST, LEAST, MOST], [2**53 + 1], [2**53 + 1, 0]):
        exact = Fraction(sum(x), len(x))
        assert int(bitfold_c.reduce("mean:i64", np.array(x))[0]) == FORMATS["f64"].round(exact)
        assert int(bitfold_c.reduce("mean:i64:out=i64", np.array(x))[0]) == round(exact)


@pytest.mark.parametrize("x, want", (([1, 2], 2), ([2, 3], 2), ([3, 4], 4), ([-1, -2], -2), ([-2, -3], -2), ([0, 1, 1], 1),
                                     ([0, 0, 1], 0), ([-128, 127], 0)))
def test_integer_mean_ties_to_even(x, want):
    assert int(bitfold_c.reduce("mean:i8:out=i8", np.array(x, np.int8))[0]) == want


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("order", ("sequential", "lanes(4)", "canonical(16)", "sf", "helia"))
def test_only_exact_goes_with_integers(operation, order):
    with pytest.raises(bitfold_c.Refused) as refused:
        bitfold_c.parse(f"{operation}:i8:{order}")
    assert refused.value.status == "CONTRACT" and refused.value.message
