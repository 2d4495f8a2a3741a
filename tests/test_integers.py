# SPDX-License-Identifier: Apache-2.0
"""Sums, dots and means of i8, i16 and i32: exact inside, saturating in out=, one rounding where the output is a float."""

import numpy as np
import pytest

import bitfold_c
from oracle import data
from oracle.formats import FLOATS, FORMATS
from oracle.reduce import reduce

INTEGERS = ("i8", "i16", "i32")
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
