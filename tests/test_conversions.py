# SPDX-License-Identifier: Apache-2.0
"""Conversions between every two formats: exhaustive for the halves, at every tie and beside it for the rest."""

import ctypes

import numpy as np
import pytest

import bitfold_c
import witness
from oracle import data
from oracle.formats import FLOATS, FORMATS, convert

ALL16 = np.arange(65536, dtype=np.uint16)
SMALL = [name for name in FORMATS if name not in FLOATS and name != "i64"]


def wanted(source, target, codes):
    pairs = [convert(source, target, int(k)) for k in codes]
    return np.array([p[0] for p in pairs], FORMATS[target].storage), sum(p[1] for p in pairs)


def compare(source, target, codes):
    got, clamped = bitfold_c.convert(source, target, codes)
    want, events = wanted(source, target, codes)
    witness.same(f"convert {source} to {target}", got, want, np.asarray(codes)[:, None], source, target)
    assert clamped == events


@pytest.mark.parametrize("source", ("f16", "bf16"))
@pytest.mark.parametrize("target", FLOATS)
def test_every_half(source, target):
    compare(source, target, ALL16)


@pytest.mark.parametrize("half", ("f16", "bf16"))
@pytest.mark.parametrize("wide", ("f32", "f64"))
def test_half_to_wide_and_back_is_the_identity(half, wide):
    back, _ = bitfold_c.convert(wide, half, bitfold_c.convert(half, wide, ALL16)[0])
    want = [FORMATS[half].nan if FORMATS[half].is_nan(k) else k for k in range(65536)]
    assert back.tolist() == want


def midpoints(target, source):
    """Patterns of source at each midpoint between two neighbours of target, with the neighbours of the pattern itself."""
    t, s = FORMATS[target], FORMATS[source]
    middles = []
    for code in range(t.inf):
        low = t.value(code)
        high = t.value(code + 1) if code + 1 < t.inf else low + (low - t.value(code - 1))
        middles.append(s.round((low + high) / 2))
    at = np.array(middles, np.uint64)
    near = np.unique(np.concatenate([at - 1, at, at + 1]).astype(np.int64).clip(0)).astype(np.uint64)
    return np.concatenate([near, near | np.uint64(s.sign_bit)]).astype(s.storage)


@pytest.mark.parametrize("target", ("f16", "bf16"))
@pytest.mark.parametrize("source", ("f32", "f64"))
def test_every_midpoint_of_halves(source, target, full):
    compare(source, target, midpoints(target, source)[:: 1 if full else 7])  # 7 shares no factor with the groups of three


def test_f64_to_f32_midpoints_and_neighbours(seed):
    x = np.concatenate([data.floats("f32", kind, 2000, seed + i) for i, kind in enumerate(data.FLOAT_KINDS[:8])])
    exact = bitfold_c.convert("f32", "f64", x)[0]
    half = np.uint64(1) << np.uint64(28)
    compare("f32", "f64", x)
    for step in (half - np.uint64(1), half, half + np.uint64(1)):
        compare("f64", "f32", exact + step)


@pytest.mark.parametrize("target, code", (
    # Each lies a little beyond a tie of the target, by less than a float32 can tell: rounding twice goes wrong.
    ("f16", 0x3FF0020000000001), ("f16", 0x3FF001FFFFFFFFFF), ("f16", 0x3FF0020000000000), ("bf16", 0x3FF0100000000001),
    ("bf16", 0x3FF00FFFFFFFFFFF), ("bf16", 0x3FF0100000000000), ("f16", 0x3E60000000000001), ("f16", 0x3E60000000000000),
    ("f16", 0x40EFFDFFFFFFFFFF), ("f16", 0x40EFFE0000000000), ("bf16", 0x47EFEFFFFFFFFFFF), ("bf16", 0x47EFF00000000000),
    ("f32", 0x3FF0000010000001), ("f32", 0x3690000000000000), ("f32", 0x3690000000000001), ("f32", 0x47EFFFFFEFFFFFFF),
    ("f32", 0x47EFFFFFF0000000), ("bf16", 0x3790000000000000), ("bf16", 0x3790000000000001), ("f32", 0x000FFFFFFFFFFFFF)))
def test_double_rounding_traps(target, code):
    compare("f64", target, [code, code | 1 << 63])


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", FLOATS)
def test_random_floats(source, target, seed):
    compare(source, target, np.concatenate([data.floats(source, kind, 300, seed + i) for i, kind in enumerate(data.FLOAT_KINDS)]))


def around_codes(source, target):
    """Float patterns at codes, half codes and their neighbours, and beyond the edges."""
    s, t, rng = FORMATS[source], FORMATS[target], np.random.default_rng(1)
    codes = range(t.low - 2, t.high + 3) if t.high < 300 else rng.integers(t.low - 2, t.high + 2, 300).tolist()
    steps = [(2 * k + h) for k in [*codes, t.low - 2, t.low - 1, t.low, t.high, t.high + 1, t.high + 2] for h in (-1, 0, 1)]
    at = np.unique([s.round_ratio(k, 2 << t.fraction) for k in steps]).astype(np.uint64)
    near = np.concatenate([at, at + np.uint64(1), np.where(at & ~np.uint64(s.sign_bit), at - np.uint64(1), at)])
    near = [int(k) for k in near if not s.is_nan(int(k))] + [s.inf, s.inf | s.sign_bit, s.inf - 1, 1, s.sign_bit]
    return np.array(near, s.storage)


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", SMALL)
def test_S42_floats_to_codes(source, target):
    compare(source, target, around_codes(source, target))


@pytest.mark.parametrize("source", ("f16", "bf16"))
@pytest.mark.parametrize("target", ("sf2", "sf4", "sf8", "sf9", "sf16", "i8", "i16", "i32"))
def test_S42_every_half_to_codes(source, target):
    f = FORMATS[source]
    compare(source, target, [k for k in range(65536) if not f.is_nan(k)])


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", SMALL)
def test_S43_nan_is_refused_and_nothing_is_written(source, target):
    x = np.zeros(5, FORMATS[source].storage)
    x[3] = FORMATS[source].inf + 1
    out = np.full(5, 77, FORMATS[target].storage)
    clamped = ctypes.c_uint64(5)
    status = bitfold_c.lib.bitfold_convert(bitfold_c.FORMAT_NAMES.index(source), bitfold_c.pointer(x),
                                           bitfold_c.FORMAT_NAMES.index(target), bitfold_c.pointer(out), ctypes.c_size_t(5),
                                           ctypes.byref(clamped))
    assert bitfold_c.STATUS[status] == "VALUE"
    assert out.tolist() == [77] * 5 and clamped.value == 5


@pytest.mark.parametrize("source", (*SMALL, "i64"))
@pytest.mark.parametrize("target", FORMATS)
def test_codes_to_everything(source, target, seed):
    f = FORMATS[source]
    codes = range(f.low, f.high + 1) if f.bits <= 8 else data.codes(source, 500, seed).tolist() + [f.low, f.high, 0]
    compare(source, target, np.array(codes, f.storage))


@pytest.mark.parametrize("source", FLOATS)
def test_floats_to_i64(source, seed):
    s, edges = FORMATS[source], [k + d for k in (-(2**63), 0, 2**53, 2**63) for d in (-1, 0, 1)]
    at = {s.round(k) + step for k in edges for step in (-1, 0, 1)} | {s.round(k) for k in (0.5, 1.5, 2.5, -0.5, -1.5)}
    at = [k for k in at if 0 <= k < 2**s.bits and not s.is_nan(k)] + [s.inf, s.inf | s.sign_bit, s.inf - 1]
    compare(source, "i64", np.array(at, s.storage))
    compare(source, "i64", np.concatenate([data.floats(source, kind, 300, seed) for kind in data.FLOAT_KINDS[:-1]]))


@pytest.mark.parametrize("bits", range(2, 17))
def test_the_code_below_the_edge_reads_as_minus_one(bits):
    got, _ = bitfold_c.convert(f"sf{bits}", "f32", [-(1 << (bits - 1))])
    assert int(got[0]) == 0xBF800000


@pytest.mark.parametrize("bits", [n for n in range(2, 16) if n != 8])
@pytest.mark.parametrize("target", ["f32", "sf16", "i32"])
def test_codes_beyond_their_width_are_refused_and_nothing_is_written(bits, target):
    source, half = f"sf{bits}", 1 << (bits - 1)
    numbers = [bitfold_c.FORMAT_NAMES.index(name) for name in (source, target)]
    for code in (-half - 1, half):
        x = np.array([0, -half, half - 1, code], bitfold_c.STORAGE[source])
        out, clamped = np.full(4, 77, bitfold_c.STORAGE[target]), ctypes.c_uint64(99)
        status = bitfold_c.lib.bitfold_convert(numbers[0], bitfold_c.pointer(x), numbers[1], bitfold_c.pointer(out),
                                               ctypes.c_size_t(4), ctypes.byref(clamped))
        assert (bitfold_c.STATUS[status], clamped.value) == ("VALUE", 99)
        assert (out == 77).all()


@pytest.mark.parametrize("source, target", (("f32", "f16"), ("f64", "f32"), ("f32", "f32"), ("f32", "sf8"), ("f64", "bf16")))
def test_in_place(source, target, seed):
    x = data.floats(source, "wide", 100, seed)
    want = wanted(source, target, x)[0]
    status = bitfold_c.lib.bitfold_convert(bitfold_c.FORMAT_NAMES.index(source), bitfold_c.pointer(x),
                                           bitfold_c.FORMAT_NAMES.index(target), bitfold_c.pointer(x), ctypes.c_size_t(100), None)
    assert status == 0
    assert x.view(want.dtype)[:100].tolist() == want.tolist()
