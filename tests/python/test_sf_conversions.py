# SPDX-License-Identifier: Apache-2.0
"""S42, S43: numbers to codes, nearest, ties to even, clamped; casts between widths; what is refused."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sf
from plain import WIDTHS, array, cast, converted, dtype, top

FLOATS = (np.float16, np.float32, np.float64, ml_dtypes.bfloat16)


def exactly(value):
    value = float(value)
    return ("-inf" if value < 0 else "inf") if math.isinf(value) else Fraction(value)


def check(values, bits, given=None):
    """sf.array of the values against Fractions: codes, and the number of clamps."""
    want = [converted(exactly(v), bits) for v in values]
    given = values if given is None else given
    with sf.errstate(over="ignore"):
        assert sf.array(given, dtype(bits)).codes.reshape(-1).tolist() == [code for code, _ in want]
    clamped = sum(event for _, event in want)
    if clamped:
        with pytest.raises(sf.SFOverflowError) as raised:
            sf.array(given, dtype(bits))
        assert str(raised.value) == f"sf{bits} array: overflow in {clamped} of {len(want)} element(s)"
    else:
        sf.array(given, dtype(bits))


def borders(bits):
    """Every code, every tie between codes, and the neighbours of both in float64, a few codes beyond the edges."""
    scale = 1 << bits - 1
    steps = range(-2 * scale - 3, 2 * scale + 4) if bits <= 8 else [*range(-2 * scale - 3, 3 - 2 * scale), *range(-9, 9),
        *range(2 * scale - 9, 2 * scale + 4)]
    halves = np.array([*steps]) / 2 / scale
    return np.concatenate([halves, np.nextafter(halves, 2), np.nextafter(halves, -2)])


@pytest.mark.parametrize("bits", WIDTHS)
def test_S42_nearest_ties_to_even_at_every_border(bits):
    check(borders(bits).tolist(), bits)


@pytest.mark.parametrize("kind", FLOATS)
def test_S42_every_half_precision_number_and_samples_of_the_wider(kind, seed):
    if np.dtype(kind).itemsize == 2:
        x = np.arange(1 << 16, dtype=np.uint16).view(kind)[::3]
    else:
        x = np.random.default_rng(seed).integers(0, 1 << 63,
                                                 5000).astype(np.uint64).view(np.uint8)[: 5000 * np.dtype(kind).itemsize].view(kind)
        x = np.concatenate([x, np.random.default_rng(seed).normal(0, 0.6, 5000).astype(kind)])
    with np.errstate(invalid="ignore"):
        x = x[~np.isnan(x.astype(np.float64))]
    for bits in (2, 8, 9, 16):
        with sf.errstate(over="ignore"):
            codes = sf.array(x, dtype(bits)).codes
        scaled = np.clip(x.astype(np.float64), -4, 4) * (1 << bits - 1)
        assert codes.tolist() == np.clip(np.rint(scaled), -top(bits), top(bits)).tolist(), "rint of an exact product, in float64"
    check(x[::61].astype(np.float64).tolist(), 12, x[::61])


@settings(max_examples=50)
@given(st.lists(st.floats(-1.5, 1.5) | st.floats(allow_nan=False), max_size=9), st.sampled_from(WIDTHS))
def test_S42_any_floats(values, bits):
    check(values, bits)


@settings(max_examples=50)
@given(st.lists(st.integers(-2, 2) | st.integers(-2**63, 2**63 - 1) | st.integers(), max_size=6), st.sampled_from((2, 8, 16)))
def test_S42_any_integers(values, bits):
    """Also those that no float holds: all that counts is that they are beyond 1."""
    want = [(max(-1, min(1, v)) * top(bits), int(abs(v) >= 1)) for v in values]
    got = sf.array(values, dtype(bits), over="ignore")
    assert got.codes.tolist() == [code for code, _ in want]
    if any(event for _, event in want):
        with pytest.raises(sf.SFOverflowError, match=f" in {sum(e for _, e in want)} of {len(want)} "):
            sf.array(values, dtype(bits))


@pytest.mark.parametrize("kind", ("?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q"))
def test_S42_numpy_integers_of_every_type(kind):
    x = np.array([0, 1, 1, 0], kind)
    if np.dtype(kind).kind != "?" and np.dtype(kind).kind != "b":
        x[2] = np.iinfo(kind).max
    for form in (x, x.astype(x.dtype.newbyteorder()), x[::-1], x.reshape(2, 2), x.tolist()):
        assert sf.array(form, over="ignore").codes.reshape(-1).tolist() == [0, 32767, 32767, 0]
        with pytest.raises(sf.SFOverflowError, match="^sf16 array: overflow in 2 of 4 element"):
            sf.array(form)
    if np.dtype(kind).kind == "i":
        assert sf.array(np.array([np.iinfo(kind).min, -1], kind), over="ignore").codes.tolist() == [-32767, -32767]


def test_S42_other_numbers():
    for value in (np.float32(0.1), np.float16(0.1), ml_dtypes.bfloat16(0.1), True, False, np.bool_(True), 2**200, -(2**64),
                  np.uint64(2**63), -0.0):
        check([value], 16)
    assert sf.array([True, 0.5, np.int8(0)], over="ignore").codes.tolist() == [32767, 16384, 0]


def test_S42_layouts_of_the_input():
    x = np.linspace(-0.9, 0.9, 24).reshape(2, 3, 4)
    want = np.array([converted(Fraction(v), 16)[0] for v in x.flat]).reshape(x.shape)
    unaligned = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float64).reshape(x.shape)
    for form, codes in ((x.T, want.T), (x[::-1, :, ::2], want[::-1, :, ::2]), (x.astype(">f8"), want), (unaligned, want),
                         (np.asfortranarray(x), want),
                         (x.tolist(), want), (tuple(map(tuple, x[0].tolist())), want[0]),
                         (np.broadcast_to(x[0, 0], (3, 4)), np.broadcast_to(want[0, 0], (3, 4))),
                         (memoryview(x), want), (x[0, 0, 0], want[0, 0, 0]), (float(x[0, 0, 1]), want[0, 0, 1]),
                         (np.zeros((0, 3)), np.zeros((0, 3))),
                         ([], np.zeros(0)), ([[], []], np.zeros((2, 0)))):
        made = sf.array(form)
        assert made.shape == codes.shape and made.codes.tolist() == codes.tolist() and made.codes.dtype == np.int16


@pytest.mark.parametrize("rank", (0, 8, 9, 12, 32))
def test_S42_arrays_of_any_rank(rank):
    x = sf.array(np.full((1,) * rank, 0.25))
    assert x.shape == (1,) * rank and x.codes.reshape(-1).tolist() == [8192]
    assert np.asarray(x).shape == (1,) * rank and float(np.asarray(x).reshape(())) == 0.25
    assert x.tolist() == np.full((1,) * rank, 0.25).tolist()


@pytest.mark.parametrize("old", WIDTHS)
def test_S42_every_code_cast_to_every_width(old):
    codes = range(-top(old) - 1, top(old) + 1) if old <= 8 else np.unique(np.r_[-top(old) - 1:-top(old) + 70, -70:70,
        top(old) - 70:top(old) + 1, -top(old):top(old):37])
    x = sf.from_codes([*map(int, codes)], dtype(old))
    for new in WIDTHS:
        want = [cast(k, old, new) if new != old else (int(k), 0) for k in codes]
        got = x.astype(dtype(new), over="ignore")
        assert got.dtype is dtype(new) and got.codes.tolist() == [k for k, _ in want], new
        clamped = sum(event for _, event in want)
        if clamped:
            with pytest.raises(sf.SFOverflowError, match=f"^sf{new} array: overflow in {clamped} of {len(want)} element"):
                x.astype(dtype(new))
            for code, (k, event) in zip(x, want):
                assert code.astype(dtype(new), over="ignore").code == k
        if new > old:
            assert got[1:].codes.tolist() == [int(k) << new - old for k in codes][1:], "widening is an exact left shift"


@pytest.mark.full
@pytest.mark.parametrize("old", range(9, 17))
def test_S42_all_codes_of_the_wide_formats_cast_to_every_width(old):
    codes = np.arange(-top(old) - 1, top(old) + 1)
    for new in WIDTHS:
        if new != old:
            want = np.clip(np.rint(codes / 2.0 ** (old - new)), -top(new),
                           top(new)) if new < old else np.maximum(codes << new - old, -top(new))
            assert sf.from_codes(codes, dtype(old)).astype(dtype(new), over="ignore").codes.tolist() == want.tolist()


@pytest.mark.parametrize("over", ("raise", "warn", "ignore"))
def test_S43_nan_is_a_value_error_in_every_mode(over):
    nan = float("nan")
    for value in (nan, [0.1, nan], [[0.5], [nan]], np.float16(nan), np.array([-nan], np.float32),
                  np.array([nan], ml_dtypes.bfloat16), np.array([nan], ">f8"),
                  np.full((3, 3), nan)[::2], [2.0, nan], np.float64("-nan"), np.array([0x7ff0000000000001], np.uint64).view(float)):
        for call in (lambda **k: sf.array(value, **k), lambda **k: sf.asarray(value, dtype=sf.sf8, **k),
                     lambda **k: sf.full(3, value, **k)):
            with pytest.raises(ValueError, match="NaN") as raised:
                call(over=over)
            assert "\n" not in str(raised.value) and not isinstance(raised.value, OverflowError)
    with sf.errstate(over=over):
        x = sf.array([0.5, 0.25])
        for call in (lambda: x + nan, lambda: nan * x, lambda: sf.sf16(nan), lambda: x.fill(nan), lambda: x.__setitem__(0, nan),
                     lambda: x.clip(nan),
                     lambda: np.where([True, False], x, nan), lambda: np.append(x, nan), lambda: x[0] - nan):
            with pytest.raises(ValueError, match="NaN"):
                call()
    assert x.codes.tolist() == [16384, 8192]


def test_S43_the_message_says_where():
    x = np.zeros((3, 4))
    x[1, 2] = np.nan
    with pytest.raises(ValueError, match=r"\(1, 2\)"):
        sf.array(x.T.copy().T)


def test_S43_infinities_count_as_overflow():
    x = [float("inf"), 0.5, float("-inf"), 1e300]
    assert sf.array(x, sf.sf8, over="ignore").codes.tolist() == [127, 64, -127, 127]
    for kind in (np.float16, np.float32, np.float64, ml_dtypes.bfloat16):
        with pytest.raises(sf.SFOverflowError, match="^sf8 array: overflow in 3 of 4 element"), np.errstate(over="ignore"):
            sf.array(np.array(x).astype(kind), sf.sf8)


@pytest.mark.parametrize("value", ("0.5", ["a"], b"a", None, [None], {}, {0.5}, object(), [object()], 1j, np.array([1 + 2j]),
                                   np.array(["2020"], "M8[Y]"),
                                   np.array([1], "m8[s]"), [[0.1], [0.1, 0.2]], [0.1, [0.2]], np.zeros(2, [("a", "f4")]),
                                   (x for x in [0.5]), sf, sf.sf16))
def test_S42_what_is_no_number_is_refused_in_one_line(value):
    for call in (sf.array, sf.asarray, sf.sf16, lambda v: sf.full(2, v)):
        with pytest.raises((TypeError, ValueError)) as raised:
            call(value)
        assert "\n" not in str(raised.value) and "NaN" not in str(raised.value) and str(raised.value)


def test_formats_by_default_and_by_name():
    eight = sf.array([0.5], sf.sf8)
    assert sf.array([0.5]).dtype is sf.sf16 and sf.array(eight).dtype is sf.sf8 and sf.array(sf.sf5(0.5)).dtype is sf.sf5
    for spelled in (sf.sf8, "sf8", eight.dtype):
        assert sf.array([0.5], spelled).dtype is sf.array([0.5], dtype=spelled).dtype is sf.zeros(1, spelled).dtype is sf.sf8
    for spelled in ("sf1", "sf17", "SF16", "f4", float, np.float32, 16, None.__class__, "int16", np.int16, b"sf16"):
        with pytest.raises(TypeError, match="SuperFloat") as raised:
            sf.zeros(2, spelled)
        assert "\n" not in str(raised.value)
    assert sf.array(eight, sf.sf16).codes.tolist() == [64 << 8] and sf.array([eight, eight]).codes.tolist() == [[16384]] * 2
    assert sf.array(sf.array([0.7])).codes is not sf.array([0.7]).codes


def test_array_copies_and_asarray_does_not():
    x = sf.array([0.5, 0.25])
    assert sf.asarray(x) is x and sf.asarray(x, sf.sf16) is x and sf.asarray(x, sf.sf8) is not x
    copy = sf.array(x)
    copy[0] = 0
    assert x.codes.tolist() == [16384, 8192] and not np.shares_memory(copy.codes, x.codes)


@settings(max_examples=50)
@given(st.sampled_from(WIDTHS), st.data())
def test_values_out_are_exact(bits, data):
    codes = data.draw(st.lists(st.integers(-top(bits) - 1, top(bits)), max_size=20))
    x = array(codes, bits)
    want = [k / (1 << bits - 1) for k in codes]
    assert np.asarray(x).dtype == np.float64
    assert np.asarray(x).tolist() == want == x.tolist() == [v.item() for v in x] == [float(v) for v in x]
    assert np.array(x, dtype=np.float32).tolist() == want, "24 bits hold any code"
    assert all(-k < 0 or sf.array(want, dtype(bits), over="ignore") is not None for k in codes)
    if -top(bits) - 1 not in codes:
        assert sf.array(want, dtype(bits)).codes.tolist() == codes
