# SPDX-License-Identifier: Apache-2.0
"""S20 to S28: dots and matrix products are chains of fma over k, equal to the chain of scalars bit for bit on every width."""

import itertools

import numpy as np
import pytest

import plain
import sf
from plain import WIDTHS, array, codes_of, dtype, top


def fma(a, b, acc, bits):
    """clamp(acc + toward_zero(a*b)), in the words of S22."""
    magnitude = abs(a) * abs(b) // (1 << bits - 1)
    return max(-top(bits), min(top(bits), acc + (magnitude if (a < 0) == (b < 0) else -magnitude)))


def chain(a, b, bits):
    acc = 0
    for x, y in zip(a, b):
        acc = fma(int(x), int(y), acc, bits)
    return acc


def batched(x, y, bits, over="ignore", rule=None):
    """The dots of the rows of x with those of y, in one matmul."""
    return sf.matmul(array(x, bits)[:, None, :], array(y, bits)[:, :, None], over=over, rule=rule).codes.reshape(-1)


@pytest.mark.parametrize("bits", WIDTHS)
def test_S20_a_dot_is_the_chain_of_fma_from_k_0(bits, seed):
    rng = np.random.default_rng(seed + bits)
    for n in (0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257, 511, 513):
        a, b = codes_of(bits, rng, n), codes_of(bits, rng, n)
        got = sf.dot(array(a, bits), array(b, bits), over="ignore")
        assert type(got) is dtype(bits) and got.code == chain(a, b, bits), n
        assert got == array(a, bits).dot(array(b, bits), over="ignore") == sf.matmul(array(a, bits), array(b, bits), over="ignore")


@pytest.mark.parametrize("bits", (2, 3, 4))
def test_S21_every_dot_of_length_2(bits):
    codes = range(-top(bits), top(bits) + 1)
    rows = np.array(list(itertools.product(codes, repeat=4)))
    want = [chain(r[:2], r[2:], bits) for r in rows]
    assert batched(rows[:, :2], rows[:, 2:], bits).tolist() == want
    for r, w in itertools.islice(zip(rows, want), 0, None, 1 if bits < 4 else 13):
        assert sf.dot(array(r[:2], bits), array(r[2:], bits), over="ignore").code == w


@pytest.mark.parametrize("bits", WIDTHS)
def test_S21_equals_the_chain_of_scalars(bits, seed):
    """With + and * of scalars, which have their own path."""
    rng = np.random.default_rng(seed + bits)
    for n in (1, 2, 5, 40):
        a, b = array(codes_of(bits, rng, n), bits), array(codes_of(bits, rng, n), bits)
        acc = dtype(bits)(0)
        with sf.errstate(over="ignore"):
            for x, y in zip(a, b):
                acc = acc + x * y
            assert sf.dot(a, b).code == acc.code


def test_S21_an_sf2_dot_is_always_0(seed):
    rng = np.random.default_rng(seed)
    for n in (1, 2, 7, 100):
        a, b = codes_of(2, rng, n), codes_of(2, rng, n)
        assert sf.dot(array(a, 2), array(b, 2)).code == 0 and sf.status.saturated == 0


@pytest.mark.parametrize("bits", WIDTHS)
def test_S22_products_go_toward_zero(bits):
    m = top(bits)
    for a, b in itertools.product({1, m, m // 2, m - 1, -1, -m, -(m // 2)} - {0}, repeat=2):
        assert sf.dot(array([a], bits), array([b], bits)).code == int(a * b / (1 << bits - 1)) == -sf.dot(array([-a], bits),
            array([b], bits)).code


@pytest.mark.parametrize("bits", WIDTHS)
def test_S23_dot_is_the_sum_of_the_products(bits, seed):
    rng = np.random.default_rng(seed + bits)
    for n in (1, 8, 100):
        a, b = array(codes_of(bits, rng, n), bits), array(codes_of(bits, rng, n), bits)
        with sf.errstate(over="ignore"):
            whole, code = sf.dot(a, b), sf._linalg.sum_codes((a * b).codes, None, bits, "sf")[0]
            dot_events = sf.status.saturated
            assert whole.code == (a * b).sum().code == code and sf.status.saturated == dot_events


@pytest.mark.parametrize("rule", ("atreides-v1", "atreides-v2.1"))
def test_S23_under_every_rule_that_narrows_to_the_width_of_the_data(rule, seed):
    rng = np.random.default_rng(seed)
    with sf.use_rule(rule), sf.errstate(over="ignore"):
        for n in range(1, 50):
            a, b = array(codes_of(16, rng, n, True)), array(codes_of(16, rng, n))
            assert sf.dot(a, b).code == (a * b).sum().code


@pytest.mark.parametrize("call", (sf.dot, sf.matmul, lambda a, b: a @ b, lambda a, b: a.dot(b), np.dot, np.matmul,
                                  lambda a, b: sf.dot(a, b, out=sf.full((), 0.5))))
@pytest.mark.parametrize("shapes", (((3,), (4,)), ((1,), (3,)), ((2, 3), (4,)), ((3,), (4, 3)), ((2, 3), (2, 3)),
                                    ((5, 2, 3), (5, 4, 3)), ((0,), (1,))))
def test_S25_a_length_mismatch_names_both_lengths(call, shapes, monkeypatch):
    monkeypatch.setattr(sf._linalg, "sum_codes", lambda *_: pytest.fail("work was done"))
    a, b = sf.ones(shapes[0]), sf.ones(shapes[1])
    lengths = shapes[0][-1], shapes[1][-2 if len(shapes[1]) > 1 else -1]
    with pytest.raises(ValueError) as raised:
        call(a, b)
    assert f"lengths {lengths[0]} and {lengths[1]} " in str(raised.value) and "\n" not in str(raised.value)


SHAPES = (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)),
          ((5, 2, 3), (5, 3, 4)),
          ((5, 1, 2, 3), (4, 3, 2)), ((1, 2, 3), (5, 3, 1)), ((2, 3), (2, 5, 3, 1)), ((5, 2, 3), (3,)), ((3,), (5, 3, 4)),
          ((1, 1), (1, 1)),
          ((2, 0), (0, 3)), ((0, 3), (3, 2)), ((2, 3), (3, 0)), ((0, 2, 3), (3, 4)), ((4, 0, 3), (3,)),
          ((1, 0, 2, 3), (4, 1, 3, 2)))


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("bits", (3, 8, 16))
def test_S26_S27_shapes_bits_and_events_of_matmul(bits, shapes, seed):
    rng = np.random.default_rng(seed + bits)
    a, b = codes_of(bits, rng, shapes[0], wild=0.9), codes_of(bits, rng, shapes[1], wild=0.9)
    want, clamped = plain.matmul("sf", bits, a, b)
    for call in (lambda x, y: x @ y, sf.matmul, sf.dot, lambda x, y: x.dot(y), np.matmul, np.dot):
        with sf.errstate(over="ignore"):
            got = call(array(a, bits), array(b, bits))
        assert np.shape(got) == want.shape and got.codes.tolist() == want.tolist()
        assert type(got) is (sf.sfarray if want.ndim else dtype(bits)) and sf.status.saturated == clamped


def test_S27_the_message_counts_out_of_all_outputs():
    a, b = sf.full((3, 4), 0.9), sf.array([[0.9, 0.1]] * 4)
    for call in (lambda: a @ b, lambda: sf.dot(a, b), lambda: np.dot(a, b)):
        with pytest.raises(sf.SFOverflowError) as raised:
            call()
        assert str(raised.value) == "sf16 matmul: overflow in 3 of 6 element(s)"
    with pytest.raises(sf.SFOverflowError, match="^sf16 dot: overflow in 1 of 1 element"):
        sf.dot(a[0], a[1])


@pytest.mark.parametrize("layout", range(4))
def test_S27_operands_of_any_layout(layout, seed):
    rng = np.random.default_rng(seed)
    a, b = codes_of(16, rng, (2, 5, 7)), codes_of(16, rng, (7, 3))
    want, _ = plain.matmul("sf", 16, a, b)
    x, y = array(a), array(b)
    x = (x, array(a.transpose(2, 1, 0)).transpose(2, 1, 0), array(a[::-1, :, ::-1].copy())[::-1, :, ::-1],
         x.repeat(2, axis=1)[:, ::2])[layout]
    y = (y, array(b.T.copy()).T, array(b[::-1].copy())[::-1], y.repeat(3, axis=0)[1::3])[layout]
    assert sf.matmul(x, y, over="ignore").codes.tolist() == want.tolist()


def test_S27_batches_that_do_not_broadcast_are_named():
    with pytest.raises(ValueError) as raised:
        sf.zeros((2, 2, 3)) @ sf.zeros((3, 3, 2))
    assert "(2, 2, 3)" in str(raised.value) and "(3, 3, 2)" in str(raised.value)


def test_S27_a_large_product(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-4000, 4000, (37, 65)), rng.integers(-32767, 32767, (65, 41))
    product = sf.matmul(array(a), array(b), over="ignore").codes
    for i, j in itertools.product((0, 1, 15, 16, 17, 31, 32, 36), (0, 7, 15, 16, 31, 32, 40)):
        assert product[i, j] == chain(a[i], b[:, j], 16)
    clamped = sf.status.saturated
    with pytest.raises(sf.SFOverflowError,
                       match=f"in {clamped} of {37 * 41} element") if clamped else pytest.raises(AssertionError):
        assert array(a) @ array(b) is None


def test_S26_out(seed):
    a, b = array(codes_of(16, np.random.default_rng(seed), (2, 3))), array(codes_of(16, np.random.default_rng(seed + 1), (3, 4)))
    with sf.errstate(over="ignore"):
        want = (a @ b).codes.tolist()
        for call in (sf.dot, sf.matmul, np.dot, np.matmul, lambda a, b, out: a.dot(b, out=out)):
            out = sf.zeros((4, 2)).T
            assert call(a, b, out=out) is out and out.codes.tolist() == want
        square = array([[9000, -9000], [20000, 1]])
        want = (square @ square).codes.tolist()
        assert sf.matmul(square, square, out=square).codes.tolist() == want, "the output may be an operand"
    for out in (sf.zeros((2, 3)), sf.zeros((2, 4), sf.sf8), np.zeros((2, 4)), [[0] * 4] * 2):
        with pytest.raises((TypeError, ValueError), match="out="):
            sf.matmul(a, b, out=out)


@pytest.mark.parametrize("a, b", ((sf.array(0.5), sf.array([0.5])), (sf.array([0.5]), sf.array(0.5)),
                                  (sf.array(0.5), sf.array(0.5)),
                                  (sf.sf16(0.5), sf.array([0.5])), (sf.array([[0.5]]), sf.sf16(0.5))))
def test_S26_rank_0_is_an_error(a, b):
    for call in (sf.dot, sf.matmul, np.dot, lambda a, b: a @ b):
        with pytest.raises((ValueError, TypeError)) as raised:
            call(a, b)
        assert "\n" not in str(raised.value)
    with pytest.raises(ValueError, match="rank 1 and higher"):
        sf.dot(a, b)


def test_S26_a_scalar_has_no_at():
    x = sf.array([0.5, 0.25])
    for call in (lambda: x @ x @ x, lambda: x @ x[0], lambda: x[0] @ x[1]):
        with pytest.raises((ValueError, TypeError)) as raised:
            call()
        assert "make it an sfarray first" not in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("symbol, call", (
    ("dot", sf.dot), ("matmul", sf.matmul), ("matmul", lambda a, b: a @ b), ("dot", lambda a, b: a.dot(b)),
    ("+", lambda a, b: a + b),
    ("-", lambda a, b: a - b), ("*", lambda a, b: a * b), ("+", lambda a, b: a[0] + b[0]), ("*", lambda a, b: a[0] * b),
    ("-", lambda a, b: a - b[0]),
    ("+", np.add), ("*", np.multiply), ("numpy.concatenate", lambda a, b: np.concatenate([a, b])),
    ("numpy.stack", lambda a, b: np.stack([a, b])),
    ("maximum", np.maximum), ("numpy.where", lambda a, b: np.where([True, False], a, b)), ("vanished", sf.vanished),
    ("explain", lambda a, b: sf.explain(a, b, 0)), ("+", lambda a, b: a.__iadd__(b))))
def test_S28_mixed_widths_are_a_type_error_that_names_the_cast(symbol, call):
    a, b = sf.array([0.25, 0.25], dtype=sf.sf16), sf.array([0.25, 0.25], dtype=sf.sf8)
    for x, y, side in ((a, b, "right"), (b, a, "left")):
        with pytest.raises(TypeError) as raised:
            call(x, y)
        said = str(raised.value)
        assert said == f"{x.dtype} {symbol} {y.dtype}: cast one operand first, for instance the {side} one with .astype(sf.sf16)"
    assert call(a, b.astype(sf.sf16)) is not None, "the cast that it names"


def test_S28_operands_that_are_no_sfarray_are_refused_with_a_way_out():
    a = sf.array([[0.5, 0.25]] * 2)
    for call in (lambda: a @ np.ones((2, 2)), lambda: np.ones((2, 2)) @ a, lambda: a.dot([0.5, 0.5]), lambda: sf.dot(a, np.ones(2)),
                 lambda: sf.matmul([0.5, 0.5], a), lambda: np.matmul(a, np.ones((2, 2))), lambda: np.dot(np.ones((2, 2)), a)):
        with pytest.raises(TypeError, match=r"sf\.array\(") as raised:
            call()
        assert "\n" not in str(raised.value)
    for call in (lambda: a @ 0.5, lambda: a @ None, lambda: 2 @ a):
        with pytest.raises(TypeError) as raised:
            call()
        assert "\n" not in str(raised.value)
