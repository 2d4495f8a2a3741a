# SPDX-License-Identifier: Apache-2.0
"""S44: a scalar prints its exact decimal, an array eight significant digits as NumPy lays them out."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plain
import sf
from plain import WIDTHS, array, dtype, top

NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)?")


@pytest.mark.parametrize("bits", WIDTHS)
def test_S44_a_scalar_prints_its_exact_decimal(bits):
    codes = range(-top(bits) - 1, top(bits) + 1) if bits <= 10 else [*range(-top(bits) - 1, 40 - top(bits)), *range(-70, 70),
        *range(1000, top(bits), 397), top(bits)]
    for code in codes:
        scalar = dtype(bits).from_code(code)
        printed = repr(scalar)
        assert printed.startswith(f"sf{bits}(") and printed.endswith(")") and printed == f"sf{bits}({scalar})"
        assert Fraction(Decimal(str(scalar))) == Fraction(code, 1 << bits - 1)
        assert eval(printed, {f"sf{bits}": lambda v: dtype(bits)(v, over="ignore")}).code == max(code, -top(bits))


def digits(value):
    """Eight significant digits, the shortest form of them, in fixed notation."""
    text = format(Decimal(f"{value:.8g}"), "f")
    return text if "." in text else text + "."


def scientific(value):
    mantissa, exponent = f"{value:.7e}".split("e")
    return mantissa.rstrip("0"), exponent


def line(values):
    """One line as NumPy lays it out: points aligned, sign and trailing places padded."""
    values = [0.0 + v for v in values]
    nonzero = [abs(v) for v in values if v]
    if nonzero and (min(nonzero) < 1e-4 or max(nonzero) / min(nonzero) > 1000):
        places = max(len(scientific(v)[0].split(".")[1]) for v in values)
        parts = [f"{v:.7e}".split("e") for v in values]
        tokens = [f"{m[: m.index('.') + 1 + places]}e{e}" for m, e in parts]
        width = max(map(len, tokens))
        return [t.rjust(width) for t in tokens]
    tokens = [digits(v).split(".") for v in values]
    left, right = max(len(a) for a, _ in tokens), max(len(b.rstrip("0")) for _, b in tokens)
    return [f"{a:>{left}}.{b.rstrip('0'):<{right}}" for a, b in tokens]


def check_row(codes, bits):
    tokens = line([k / (1 << bits - 1) for k in codes])
    assert repr(array(codes, bits)) == f"sfarray([{', '.join(tokens)}], dtype=sf{bits})"
    assert str(array(codes, bits)) == f"[{' '.join(tokens)}]"


@settings(max_examples=50)
@given(st.sampled_from(WIDTHS), st.data())
def test_S44_a_row_that_fits_in_a_line(bits, data):
    check_row(data.draw(st.lists(st.integers(-top(bits) - 1, top(bits)), min_size=1, max_size=3)), bits)


@settings(max_examples=50)
@given(st.lists(st.integers(-9, 9) | st.sampled_from([32767, -32768, 3277, 16384, 33, 32]), min_size=1, max_size=3))
def test_S44_small_values_are_printed_with_exponents(codes):
    check_row(codes, 16)


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.sampled_from(((7,), (100,), (3, 4), (2, 3, 2), (1, 1, 1, 9), (999,), (20, 20))),
       st.sampled_from((4, 9, 16)))
def test_S44_every_number_is_printed_to_eight_digits_in_its_place(number, shape, bits):
    x = plain.codes_of(bits, np.random.default_rng(number), shape)
    for text in (repr(array(x, bits)), str(array(x, bits))):
        read = [float(t) for t in NUMBER.findall(text)]
        assert read == [float(f"{k / (1 << bits - 1):.8g}") for k in x.flat]
        brackets = re.sub(r"[^\[\]]", "", text)
        assert brackets == re.sub(r"[^\[\]]", "", repr(x)), "nested as NumPy nests"
        assert max(map(len, text.splitlines())) <= 75


@pytest.mark.parametrize("x, text", (
    (sf.array(0.5), "sfarray(0.5, dtype=sf16)"), (sf.zeros(0), "sfarray([], dtype=sf16)"),
    (sf.zeros((2, 0), sf.sf4), "sfarray([], shape=(2, 0), dtype=sf4)"),
    (sf.zeros((0, 3)), "sfarray([], shape=(0, 3), dtype=sf16)"), (sf.zeros(3), "sfarray([0., 0., 0.], dtype=sf16)"),
    (sf.array([0.5, 0.5, 0.5, 0.4999]), "sfarray([0.5       , 0.5       , 0.5       , 0.49990845], dtype=sf16)"),
    (sf.array([[0.1, -0.2], [0.3, 0.5]]),
     "sfarray([[ 0.1000061 , -0.20001221],\n         [ 0.29998779,  0.5       ]], dtype=sf16)"),
    (sf.ones((2, 2, 1), sf.sf8),
     "sfarray([[[0.9921875],\n          [0.9921875]],\n\n         [[0.9921875],\n          [0.9921875]]], dtype=sf8)"),
    (sf.from_codes([-32768, 16384]), "sfarray([-1. ,  0.5], dtype=sf16)"),
    (sf.from_codes([1, 32767]), "sfarray([3.0517578e-05, 9.9996948e-01], dtype=sf16)"),
    (sf.array([0.5] * 20, sf.sf8),
     "sfarray([" + "0.5, " * 12 + "0.5,\n         " + "0.5, " * 6 + "0.5], dtype=sf8)"),
    (sf.from_codes([0, 1, 2, 3]), "sfarray([0.0000000e+00, 3.0517578e-05, 6.1035156e-05, 9.1552734e-05],\n        dtype=sf16)")))
def test_S44_as_printed(x, text):
    assert repr(x) == text == np.array_repr(x)


@pytest.mark.parametrize("x, text", ((sf.array(0.5), "0.5"), (sf.zeros(0), "[]"), (sf.zeros((2, 0)), "[]"),
                                     (sf.array([[0.25, -0.5]] * 2), "[[ 0.25 -0.5 ]\n [ 0.25 -0.5 ]]")))
def test_S44_as_str(x, text):
    assert str(x) == text == np.array_str(x) == f"{x}"


def test_S44_large_arrays_are_summarised_where_numpy_does():
    assert "..." not in repr(sf.zeros(1000)) and "..." in repr(sf.zeros(1001))
    x = sf.linspace(-0.9, 0.9, 2000)
    assert repr(x) == ("sfarray([-0.8999939 , -0.89910889, -0.89819336, ...,  0.89819336,\n"
                       "          0.89910889,  0.8999939 ], dtype=sf16)")
    grid = str(sf.zeros((40, 40)))
    assert grid == str(np.zeros((40, 40)))
    with np.printoptions(threshold=5, edgeitems=1):
        assert str(sf.array([0.5, 0.25, 0.125, 0.5, 0.5, 0.75])) == "[0.5  ... 0.75]"
    with np.printoptions(linewidth=30):
        assert max(map(len, repr(sf.array([0.5] * 20)).splitlines())) <= 30


def test_S44_printing_a_huge_view_is_quick():
    """Only what is shown is looked at: a broadcast array of 10^12 elements prints."""
    x = np.broadcast_to(sf.array([0.5]), (10**12,))
    assert str(x) == "[0.5 0.5 0.5 ... 0.5 0.5 0.5]"


def test_S44_format_and_str_of_scalars():
    x = sf.sf16(0.1)
    assert f"{x}" == str(x) == "0.100006103515625" and f"{x:.3f}" == "0.100" and f"{x:8.2e}" == "1.00e-01" and "%.2f" % x == "0.10"
    assert repr([x]) == "[sf16(0.100006103515625)]"


def test_S44_formats_and_rules_print_their_names():
    assert repr(sf.sf16) == "sf16" == str(sf.sf16) == sf.sf16.name and f"{sf.sf8}" == "sf8"
    assert repr(sf.rule("sf31")) == "sf.rule('sf31')" and eval(repr(sf.rule("sf31")), {"sf": sf}) == sf.rule("sf31")
    own = sf.Rule("mine", product="floor", accumulator_bits=20, product_extra=2)
    assert eval(repr(own), {"sf": sf}) == own and "\n" not in repr(own)
