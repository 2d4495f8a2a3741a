# SPDX-License-Identifier: Apache-2.0
"""S1 to S12: sums are chains in index order that clamp at each step, along NumPy's axes, whatever the memory looks like."""

import itertools
from functools import reduce as left_fold

import numpy as np
import pytest

import plain
import sf
from layouts import laid_out
from plain import WIDTHS, AxisError, array, codes_of, top

EVERY_AXES = [axes for n in range(5) for axes in itertools.combinations(range(4), n)]


def clamped_chain(codes, bits):
    """The sentence of S1, one step a line."""
    running = 0
    for code in codes:
        running = running + int(code)
        running = min(running, top(bits))
        running = max(running, -top(bits))
    return running


@pytest.mark.parametrize("bits", WIDTHS)
def test_S1_a_sum_is_the_chain_from_index_0(bits, seed):
    rng = np.random.default_rng(seed + bits)
    for n in (1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 511, 513, 1000):
        x = codes_of(bits, rng, n)
        assert array(x, bits).sum(over="ignore").code == clamped_chain(x, bits), n


@pytest.mark.parametrize("bits", WIDTHS)
def test_S1_order_matters_and_index_0_is_first(bits):
    m = top(bits)
    if m > 1:
        assert array([m, m, -m, -1], bits).sum(over="ignore").code == -1
        assert array([m, -m, m, -1], bits).sum().code == m - 1
        assert array([m, 1, -m], bits).sum(over="ignore").code == 0
        assert array([-m, m, 1], bits).sum().code == 1


def test_S1_a_long_sum_far_beyond_one_block(seed):
    rng = np.random.default_rng(seed)
    for n in (1 << 14, (1 << 14) + 1, 100_003, (1 << 20) + 1):
        x = rng.integers(-9000, 9000, n)
        assert array(x).sum(over="ignore").code == clamped_chain(x.tolist(), 16), n


@pytest.mark.parametrize("bits", WIDTHS)
def test_S3_three_ways_to_sum_give_one_answer(bits, seed):
    rng = np.random.default_rng(seed + bits)
    for n in range(0, 40, 3):
        x = array(codes_of(bits, rng, n), bits)
        with sf.errstate(over="ignore"):
            whole, function, pythons = x.sum(), sf.sum(x), sum(x)
            fold = left_fold(lambda a, b: a + b, x, plain.dtype(bits)(0))
        assert whole.code == function.code == fold.code
        assert (pythons == 0 and n == 0) or (type(pythons) is plain.dtype(bits) and pythons.code == whole.code)


@pytest.mark.parametrize("rule", ("sf", "atreides-v1", "atreides-v2.1"))
def test_S3_under_every_rule_at_the_width_of_the_data(rule, seed):
    rng = np.random.default_rng(seed)
    with sf.use_rule(rule), sf.errstate(over="ignore"):
        for n in range(1, 30):
            x = array(codes_of(16, rng, n))
            assert sum(x).code == x.sum().code


def test_S3_python_sum_of_rows_is_the_sum_over_axis_0(seed):
    a = array(codes_of(16, np.random.default_rng(seed), (7, 5)))
    with sf.errstate(over="ignore"):
        assert sum(a).codes.tolist() == a.sum(axis=0).codes.tolist()


def test_S3_zero_plus_a_scalar_is_legal():
    assert repr(0 + sf.sf16(0.5)) == "sf16(0.5)" and repr(0 + sf.array([0.5])) == "sfarray([0.5], dtype=sf16)"


@pytest.mark.parametrize("axis", range(-4, 4))
@pytest.mark.parametrize("bits", (4, 8, 9, 16))
def test_S4_each_output_is_the_chain_along_its_own_line(bits, axis, seed):
    x = codes_of(bits, np.random.default_rng(seed + bits), (3, 4, 5, 6))
    want, clamped = plain.over_axes("sf", bits, x, axes=axis)
    got = array(x, bits).sum(axis=axis, over="ignore")
    assert got.codes.tolist() == want.tolist() and sf.status.saturated == clamped > 0


@pytest.mark.parametrize("order", tuple(itertools.permutations(range(3))))
def test_S5_axis_none_is_the_row_major_walk_whatever_the_layout(order, seed):
    x = codes_of(16, np.random.default_rng(seed), (4, 5, 6))
    want = clamped_chain(x.reshape(-1), 16)
    assert want != clamped_chain(x.transpose(2, 1, 0).reshape(-1), 16), "the data tells walks apart"
    for reverse in ((), (0,), (1, 2)):
        y = sf.from_codes(laid_out(x.astype(np.int16), order=order, reverse=reverse, gap=2), copy=False)
        assert y.sum(over="ignore").code == want
    assert array(x.transpose(2, 1, 0)).T.sum(over="ignore").code == want


@pytest.mark.parametrize("axes", EVERY_AXES)
def test_S6_several_axes_are_one_row_major_walk(axes, seed):
    x = codes_of(16, np.random.default_rng(seed), (3, 2, 4, 3))
    want, clamped = plain.over_axes("sf", 16, x, axes=axes)
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
    for spelled in itertools.islice(itertools.permutations(axes), 3):
        spelled = tuple(a - 4 if i % 2 else a for i, a in enumerate(spelled))
        got = array(x).sum(axis=spelled, over="ignore")
        assert np.shape(got) == want.shape and got.codes.tolist() == want.tolist()
        assert sf.status.saturated == clamped
        kept = array(x).sum(axis=spelled, keepdims=True, over="ignore")
        assert kept.shape == shape and kept.codes.tolist() == want.reshape(shape).tolist()


def test_S6_out_receives_the_result_and_is_returned():
    a = sf.array([[0.1, 0.2], [0.3, 0.4]])
    for out, arguments in ((sf.zeros(2), dict(axis=0)), (sf.zeros((1, 2)), dict(axis=0, keepdims=True)),
                           (sf.zeros((2, 2)).T[0], dict(axis=1)),
                           (sf.zeros((2, 4))[:, ::2], dict(axis=()))):
        assert a.sum(out=out, **arguments) is out
        assert out.codes.tolist() == a.sum(**arguments).codes.tolist() and out.codes.any()
    whole = sf.zeros(())
    assert sf.array([0.25, 0.5]).sum(out=whole) is whole and repr(whole) == "sfarray(0.75, dtype=sf16)"


def test_S6_out_may_be_part_of_the_input():
    a = sf.array([[0.1, 0.2], [0.3, 0.4]])
    want = a.sum(axis=0).codes.tolist()
    assert a.sum(axis=0, out=a[1]).codes.tolist() == want == a.codes[1].tolist()


@pytest.mark.parametrize("axis", (2, -3, (0, 2), (0, 0), (1, -1), (0, 1, 0), 2**31, -2**63, 2**70))
def test_S6_a_bad_axis_is_an_error_before_any_work(axis):
    a, out = sf.from_codes([[32767, 32767], [5, 6]]), sf.full((2,), 0.25)
    for call in (lambda: a.sum(axis=axis), lambda: a.sum(axis=axis, out=out), lambda: a.max(axis=axis), lambda: a.argmin(axis=axis),
                 lambda: a.mean(axis=axis), lambda: sf.sum(a, axis=axis, keepdims=True), lambda: np.sum(a, axis=axis)):
        with pytest.raises(AxisError) as raised:
            call()
        assert "\n" not in str(raised.value)
    assert out.codes.tolist() == [8192, 8192]


@pytest.mark.parametrize("axis", (0.0, "0", [0], (0, 1.0), object()))
def test_S6_an_axis_that_is_no_integer_is_a_type_error(axis):
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        sf.zeros((2, 2)).sum(axis=axis)


def test_S6_wrong_out_is_refused_before_any_work():
    a = sf.array([[0.5, 0.5], [0.5, 0.5]])
    frozen = sf.zeros(2)
    frozen.codes.flags.writeable = False
    for out, error in ((np.zeros(2), TypeError), (3, TypeError), (sf.zeros(2, sf.sf8), TypeError),
                       (sf.zeros(2, sf.sf15), TypeError),
                       (sf.zeros(3), ValueError), (sf.zeros((2, 1)), ValueError), (sf.zeros(()), ValueError), (frozen, ValueError)):
        with pytest.raises(error, match="out="):
            a.sum(axis=0, out=out)
        with pytest.raises(error, match="out="):
            a.max(axis=0, out=out)
    assert frozen.codes.tolist() == [0, 0]


def test_S7_a_full_reduction_is_a_scalar_an_axis_reduction_an_array():
    a = sf.array([[0.1, 0.2], [0.3, 0.2]], dtype=sf.sf12)
    assert type(a.sum()) is sf.sf12 and type(a.sum(axis=(0, 1))) is sf.sf12 and type(a[0].sum(axis=0)) is sf.sf12
    assert type(a.sum(axis=0)) is type(a.sum(keepdims=True)) is type(a.sum(axis=())) is sf.sfarray
    assert repr(a.sum()) == "sf12(0.80029296875)"
    assert type(a.max()) is sf.sf12 and type(a.max(axis=1)) is sf.sfarray and type(a.mean()) is sf.sf12


@pytest.mark.parametrize("bits", WIDTHS[1:])
def test_S8_after_a_clamp_the_sum_is_not_the_exact_total(bits):
    m = top(bits)
    x = array([m, m, -m, -m], bits)
    assert x.sum(over="ignore").code == -m and int(x.codes.astype(int).sum()) == 0


@pytest.mark.parametrize("bits", WIDTHS)
def test_S9_the_clamp_is_symmetric(bits):
    m = top(bits)
    assert array([m, m], bits).sum(over="ignore").code == m
    assert array([-m, -m], bits).sum(over="ignore").code == -m
    assert array([-m, -1], bits).sum(over="ignore").code == -m, "not -2^(N-1)"


@pytest.mark.parametrize("bits", WIDTHS)
def test_S10_landing_on_the_edge_is_no_event(bits):
    m = top(bits)
    for codes in ([m], [-m], [m - 1, 1], [1 - m, -1], [m, 0, 0], [0, m, -m, m], [-m, m, m]):
        assert array(codes, bits).sum().code == sum(codes) and sf.status.saturated == 0
    for codes in ([m, 1], [-m, -1]):
        with pytest.raises(sf.SFOverflowError):
            array(codes, bits).sum()


@pytest.mark.parametrize("bits", WIDTHS)
def test_S11_of_nothing(bits):
    none = sf.zeros(0, plain.dtype(bits))
    for total in (none.sum(), sf.dot(none, none), none @ none, sf.sum(none)):
        assert type(total) is plain.dtype(bits) and total.code == 0 and sf.status.saturated == 0
    assert sf.zeros((3, 0), plain.dtype(bits)).sum(axis=1).codes.tolist() == [0, 0, 0]
    assert sf.zeros((3, 0)).sum(axis=0).shape == (0,)
    assert (sf.zeros((2, 0)) @ sf.zeros((0, 3))).codes.tolist() == [[0] * 3] * 2
    for select in ("max", "min", "argmax", "argmin"):
        for x, axis in ((none, None), (none, 0), (sf.zeros((3, 0)), 1), (sf.zeros((3, 0)), None)):
            with pytest.raises(ValueError, match=select):
                getattr(x, select)(axis=axis)
        assert getattr(sf.zeros((3, 0)), select)(axis=0).shape == (0,), "no output, nothing to refuse"
    with pytest.raises(ValueError, match="mean"):
        none.mean()


VIEWS = {"transposed": lambda x: x.T, "reversed": lambda x: x[::-1, :, ::-1], "strided": lambda x: x[::2, 1:, ::-3],
         "one row": lambda x: x[1],
         "new axis": lambda x: x[:, None], "swapped axes": lambda x: x.swapaxes(0, 2),
         "broadcast": lambda x: np.broadcast_to(x, (2, *x.shape)),
         "diagonal": lambda x: x.diagonal(), "0-d": lambda x: x[1, 2, 3, ...], "empty": lambda x: x[:, 5:5]}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("bits", (8, 16))
def test_S12_a_view_gives_the_bits_of_a_contiguous_copy(bits, view, seed):
    x = VIEWS[view](array(codes_of(bits, np.random.default_rng(seed), (5, 6, 9)), bits))
    copy = sf.from_codes(x.codes.tolist() if x.size else np.zeros(x.shape, int), x.dtype)
    assert copy.shape == x.shape and copy.flags.c_contiguous
    calls = [lambda a, axis: a.sum(axis=axis, over="ignore"), lambda a, axis: a.sum(axis=axis, rule="sf31", over="ignore")]
    if x.size:
        calls += [lambda a, axis: a.max(axis=axis), lambda a, axis: a.argmin(axis=axis), lambda a,
                  axis: a.mean(axis=axis, over="ignore")]
    for axis, call in itertools.product((None, *range(x.ndim)), calls):
        got, want = call(x, axis), call(copy, axis)
        assert type(got) is type(want) and np.array_equal(np.asarray(got), np.asarray(want)), axis
    assert (x + copy * 0).codes.tolist() == x.codes.tolist()


def test_S12_the_length_of_a_row_never_changes_its_bits(seed):
    """A row alone, and as any part of a batch."""
    x = codes_of(16, np.random.default_rng(seed), (40, 333))
    batch = array(x).sum(axis=1, over="ignore").codes
    for i, row in enumerate(x):
        assert array(row).sum(over="ignore").code == batch[i] == array(x[i:i + 2]).sum(axis=1, over="ignore").codes[0]


@pytest.mark.parametrize("axes", ((9, 7), (7, 9), (-1, -2), (8, 0, -3), (9,), None, ()))
def test_S6_more_axes_than_the_library_takes(axes, seed):
    x = codes_of(16, np.random.default_rng(seed), (2, 3, 5))
    high, low = array(x).reshape((1,) * 7 + x.shape), None if axes is None else tuple(a % 10 - 7 for a in axes if a % 10 >= 7)
    for keepdims in (False, True):
        with sf.errstate(over="ignore"):
            for name in ("sum", "mean", "max", "min", "argmax"):
                got, want = getattr(high, name)(axis=axes, keepdims=keepdims), getattr(array(x), name)(axis=low, keepdims=keepdims)
                assert np.asarray(got).reshape(np.shape(want)).tolist() == np.asarray(want).tolist()
                assert np.ndim(got) == (10 if keepdims else 10 - len(axes or range(10)) if axes != () else 10), name
            assert sf.sum(high, axis=axes).codes.reshape(-1).tolist() == plain.over_axes("sf", 16, x,
                axes=low)[0].reshape(-1).tolist()
    assert (high * high).shape == (-high).shape == (high == high).shape == high.shape
    rows = high.transpose(*range(8), 9, 8)
    assert sf.matmul(high, rows, over="ignore").shape == (1,) * 7 + (2, 3, 3)
    assert sf.matmul(high, rows, over="ignore").codes.reshape(2, 3, 3).tolist() == sf.matmul(array(x), array(x).swapaxes(1, 2),
        over="ignore").codes.tolist()
