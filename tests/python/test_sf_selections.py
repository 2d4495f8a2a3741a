# SPDX-License-Identifier: Apache-2.0
"""S29, S30, S36: max, min, argmax and argmin select exactly, on codes, the first of equals, without events."""

import itertools

import numpy as np
import pytest

import plain
import sf
from plain import WIDTHS, array, codes_of, dtype, top

NAMES = ("max", "min", "argmax", "argmin")


def chosen(which, x):
    """The code or the index of a row, by a walk from index 0."""
    best = 0
    for i in range(1, len(x)):
        if (x[i] > x[best]) if which.endswith("max") else (x[i] < x[best]):
            best = i
    return best if which.startswith("arg") else x[best]


@pytest.mark.parametrize("which", NAMES)
@pytest.mark.parametrize("bits", WIDTHS)
def test_S29_selection_is_exact_on_codes(bits, which, seed):
    rng = np.random.default_rng(seed + bits)
    for n in (1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 2000):
        x = codes_of(bits, rng, n, True)
        got = getattr(array(x, bits), which)()
        assert (got if which.startswith("arg") else got.code) == chosen(which, x.tolist()), n
        assert sf.status.saturated == 0


@pytest.mark.parametrize("which", NAMES)
@pytest.mark.parametrize("axes", [a for n in (1, 2, 3) for a in itertools.combinations(range(3), n)])
def test_S29_over_axes(axes, which, seed):
    x = codes_of(5, np.random.default_rng(seed), (4, 5, 6))
    want, _ = plain.over_axes(None, 5, x, axes=axes, one=lambda rule, bits, row, _: (chosen(which, [int(k) for k in row]), 0))
    got = getattr(array(x, 5), which)(axis=axes)
    if which.startswith("arg"):
        assert np.asarray(got).tolist() == want.tolist()
        assert type(got) is np.ndarray if want.ndim else repr(got) == str(want), "the reference prints 2"
    else:
        assert got.codes.tolist() == want.tolist()
    kept = getattr(array(x, 5), which)(axis=axes, keepdims=True)
    assert kept.shape == tuple(1 if i in axes else n for i, n in enumerate(x.shape))


@pytest.mark.parametrize("which", NAMES)
@pytest.mark.parametrize("over", ("raise", "warn", "ignore"))
def test_S29_no_events_at_the_rail_neither(which, over, recwarn):
    x = array([[32767, -32767, 32767], [-32768, 32767, 0]])
    with sf.errstate(over=over):
        for call in (getattr(x, which), getattr(sf, which).__get__(x), lambda **k: getattr(np, which)(x, **k)):
            call(), call(axis=0), call(axis=1)
            assert sf.status.saturated == 0
    assert not recwarn.list


@pytest.mark.parametrize("bits", WIDTHS)
def test_S29_the_extremes_of_a_format_are_selected(bits):
    x = sf.from_codes([0, top(bits), -top(bits), -top(bits) - 1], dtype(bits))
    assert (x.max().code, x.min().code, x[:3].min().code) == (top(bits), -top(bits) - 1, -top(bits))
    assert (x.argmax(), x.argmin(), x[:3].argmin()) == (1, 3, 2)
    assert x[:3].max() == dtype(bits).max and x[:3].min() == dtype(bits).min


@pytest.mark.parametrize("bits", (2, 8, 16))
@pytest.mark.parametrize("n", (2, 15, 16, 17, 33, 64, 257, 1000))
def test_S30_ties_keep_the_first_index(bits, n):
    for first in sorted({0, 1, n // 2, n - 2} - {n - 1}):
        for last in {first + 1, n - 1}:
            codes = np.zeros(n, int)
            codes[[first, last]] = 1
            assert array(codes, bits).argmax() == first and array(-codes, bits).argmin() == first
            assert array(codes[None], bits).argmax(axis=1).tolist() == [first]
            assert array(codes[:, None], bits).argmax(axis=0).tolist() == [first]
    assert array([0] * n, bits).argmax() == array([0] * n, bits).argmin() == 0


def test_S30_over_several_axes_the_index_is_the_place_in_their_walk():
    x = array([[[1, 2], [3, 9]], [[9, 2], [9, 1]]])
    assert x.argmax(axis=(0, 2)).tolist() == [2, 1] and x.argmax() == 3 and x.argmin(axis=(1, 2)).tolist() == [0, 3]
    assert x.argmax(axis=(2, 0)).tolist() == [2, 1], "the sequence in which axes are named does not count"


def test_out_of_selections():
    x = array([[5, 2, 9], [5, 8, 1]])
    out, where = sf.zeros(3), np.zeros(3, np.int64)
    assert x.max(axis=0, out=out) is out and out.codes.tolist() == [5, 8, 9]
    assert x.argmax(axis=0, out=where) is where and where.tolist() == [0, 1, 0]
    assert np.argmin(x, axis=1, out=where[:2]).tolist() == [1, 2]
    for bad in (np.zeros(2, np.int64), np.zeros(3), np.zeros(3, np.int8), sf.zeros(3), [0, 0, 0]):
        before = np.asarray(bad).tolist()
        with pytest.raises((ValueError, TypeError), match="out="):
            x.argmax(axis=0, out=bad)
        assert np.asarray(bad).tolist() == before


@pytest.mark.parametrize("encoding", plain.ENCODINGS)
@pytest.mark.parametrize("flags", (False, True))
def test_S36_selections_of_a_device_leave_0_not_none(encoding, flags, seed):
    x = array(codes_of(16, np.random.default_rng(seed), (6, 7)))
    chip = sf.sim.Device(encoding=encoding, flags=flags)
    for which, axis in itertools.product(NAMES, (None, 0, 1, (0, 1))):
        want = getattr(x, which)(axis=axis)
        with sf.device(chip, proof=False):
            x.sum(over="ignore")
            assert flags or sf.status.saturated is None
            got = getattr(x, which)(axis=axis)
            assert sf.status.saturated == 0
        assert type(got) is type(want) and np.asarray(got).tolist() == np.asarray(want).tolist()
    assert chip.calls == 2 * 16
