# SPDX-License-Identifier: Apache-2.0
"""S46: + - * neg abs and comparisons of arrays, scalars and numbers, by the rule in use, with NumPy's broadcasting and ufuncs."""

import itertools
import operator

import numpy as np
import pytest

import plain
import sf
import vectors
from plain import WIDTHS, array, codes_of, dtype, top

RULES = tuple(r.name for r in sf.rules())
SYMBOLS = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "negative": operator.neg, "absolute": abs}
BINARY = ("add", "subtract", "multiply")


def element(operation, fields, bits, a, b=0):
    return plain.rules.element(operation, plain.rules.NAMED[fields] if isinstance(fields, str) else fields, bits, int(a), int(b))


def check(operation, rule, bits, x, y=None):
    """Elements and their events against the oracle, by operator and by ufunc."""
    pairs = np.broadcast(x, 0 if y is None else y)
    seen = [element(operation, rule, bits, a, b) for a, b in pairs]
    want, clamped = np.array([c for c, _ in seen], int).reshape(pairs.shape), sum(e for _, e in seen)
    operands = [array(x, bits)] + ([] if y is None else [array(y, bits)])
    with sf.use_rule(plain.rule(rule)):
        for call in (SYMBOLS[operation], getattr(np, operation)):
            with sf.errstate(over="ignore"):
                got = call(*operands)
            assert got.dtype is dtype(bits) and got.shape == want.shape
            assert got.codes.tolist() == want.tolist(), (operation, rule, bits)
        if clamped:
            with pytest.raises(sf.SFOverflowError) as raised:
                SYMBOLS[operation](*operands)
            assert str(raised.value) == f"sf{bits} {operation}: overflow in {clamped} of {want.size} element(s)"
        else:
            SYMBOLS[operation](*operands)


@pytest.mark.parametrize("operation", SYMBOLS)
@pytest.mark.parametrize("bits", (2, 3, 4))
def test_every_pair_of_codes(bits, operation):
    codes = np.arange(-top(bits) - 1, top(bits) + 1)
    for rule in RULES:
        check(operation, rule, bits, codes[:, None] if operation in BINARY else codes, codes if operation in BINARY else None)


@pytest.mark.parametrize("operation", BINARY)
@pytest.mark.parametrize("bits", (5, 6, 7, 8))
@pytest.mark.parametrize("rule", RULES)
def test_every_pair_of_codes_up_to_sf8(rule, bits, operation):
    """By the oracle in vectors, which test_sf_rules holds against the plain one."""
    codes = np.arange(-top(bits) - 1, top(bits) + 1)
    a, b = (x.reshape(-1) for x in np.meshgrid(codes, codes))
    want, events = vectors.elements(operation, rule, bits, a, b)
    x, y = array(codes, bits), array(codes, bits)[:, None]
    with sf.use_rule(rule):
        with sf.errstate(over="ignore"):
            got = SYMBOLS[operation](x, y)
        assert got.codes.reshape(-1).tolist() == want.tolist()
        try:
            SYMBOLS[operation](x, y)
            assert not events.any()
        except sf.SFOverflowError as error:
            assert (error.count, error.total) == (events.sum(), a.size)


@pytest.mark.parametrize("operation", SYMBOLS)
@pytest.mark.parametrize("bits", WIDTHS)
def test_every_width_and_rule(bits, operation, seed):
    rng = np.random.default_rng(seed + bits)
    for rule in (*RULES, *(plain.rules.invented(seed % 1000 + i) for i in range(2))):
        check(operation, rule, bits, codes_of(bits, rng, (2, 1, 7), True), codes_of(bits, rng, (4, 1), True)
              if operation in BINARY else None)


@pytest.mark.parametrize("operation", BINARY)
@pytest.mark.parametrize("shapes", (((), ()), ((), (3,)), ((4, 1), (1, 5)), ((2, 1, 3), (5, 1)), ((0,), (1,)), ((3, 0), (1,)),
                                    ((1,) * 9, (2,))))
def test_broadcasting(operation, shapes, seed):
    rng = np.random.default_rng(seed)
    check(operation, "sf", 9, *(codes_of(9, rng, s) for s in shapes))
    a, b = (array(codes_of(9, rng, s) // 4) for s in shapes)
    got = SYMBOLS[operation](a, b)
    assert type(got) is (sf.sfarray if np.broadcast(a.codes, b.codes).ndim else sf.sf16), "of rank 0, a scalar, as NumPy"


def test_shapes_that_do_not_broadcast():
    for call in (lambda: sf.zeros(3) + sf.zeros(4), lambda: sf.zeros((2, 3)) * sf.zeros((3, 2)),
                 *([lambda: sf.zeros(3) == sf.zeros(4)] if plain.NUMPY_2 else [])):
        with pytest.raises(ValueError, match="broadcast"):
            call()


NUMBERS = (0.25, -0.5, 0, np.float32(0.25), np.float64(-0.1), np.float16(0.1), np.int8(0), np.int64(0), False, np.bool_(False))


@pytest.mark.parametrize("number", NUMBERS, ids=lambda n: f"{type(n).__name__}-{n}")
def test_numbers_on_both_sides_are_rounded_to_the_format_first(number):
    for bits in (2, 8, 16):
        x, k = sf.full((2, 3), 0.25, dtype(bits)), dtype(bits)(number)
        for call in (operator.add, operator.sub, operator.mul):
            for got, want in ((call(x, number), call(x, k)), (call(number, x), call(k, x)),
                              (call(x[0, 0], number), call(x[0, 0], k)), (call(number, x[0, 0]), call(k, x[0, 0])),
                              (call(x, k), call(x, sf.full_like(x, number))), (call(number, x[0]), call(sf.full(3, number,
                                  dtype(bits)), x[0]))):
                assert type(got) is type(want) and got.dtype is dtype(bits) and got.codes.tolist() == want.codes.tolist()
        for call in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
            value, values = float(x[0, 0]), np.asarray(x)
            assert call(x, number).tolist() == call(values, number).tolist()
            assert call(number, x).tolist() == call(number, values).tolist(), "compared as it is, unrounded"
            assert call(x[0, 0], number) is bool(call(value, number)) and bool(call(number, x[0, 0])) is bool(call(number, value))


def test_numbers_beyond_the_format_follow_the_event_rules():
    x = sf.array([0.5, 0.25])
    for call in (lambda: x + 1, lambda: 2 * x, lambda: x - 1.5, lambda: x[0] * 3, lambda: 1 - x[0], lambda: x + True,
                 lambda: np.add(x, 7), lambda: np.float64(2) * x):
        with pytest.raises(sf.SFOverflowError, match="^sf16 array: overflow in 1 of 1 element"):
            call()
    with sf.errstate(over="ignore"):
        assert (2 * x).codes.tolist() == [16383, 8191]


FOREIGN = (np.zeros(2), np.zeros(2, np.int16), [0.1, 0.2], (0.1, 0.2), "a", None, 1j, object(), {}, np.datetime64("2020"),
           np.complex64(1))


@pytest.mark.parametrize("other", FOREIGN, ids=lambda o: type(o).__name__)
@pytest.mark.parametrize("scalar", (False, True))
def test_other_things_are_refused_in_one_line(other, scalar):
    x = sf.sf16(0.5) if scalar else sf.array([0.5, 0.25])
    for call in (operator.add, operator.sub, operator.mul, operator.iadd, operator.isub, operator.imul):
        for a, b in ((x, other), (other, x)):
            if isinstance(a, list) and call in (operator.iadd, operator.imul):
                continue
            with pytest.raises(TypeError) as raised:
                call(a, b)
            assert "\n" not in str(raised.value) and len(str(raised.value)) < 250, raised.value


def test_in_place():
    for call, symbol in ((operator.iadd, operator.add), (operator.isub, operator.sub), (operator.imul, operator.mul)):
        for other in (sf.array([0.125, -0.125]), 0.25, sf.sf16(0.1), np.float32(0.1), sf.array(0.25)):
            x = sf.array([0.5, -0.25])
            view, memory, want = x[::-1], x.codes, symbol(x, other).codes.tolist()
            y = call(x, other)
            assert y is x and x.codes is memory and x.codes.tolist() == want and view.codes.tolist() == want[::-1]
        scalar = sf.sf16(0.5)
        assert call(scalar, 0.25) == symbol(sf.sf16(0.5), 0.25)
    grown = sf.zeros(2)
    with pytest.raises(ValueError, match="shape"):
        grown += sf.zeros((3, 2))
    x = sf.array([0.5, 0.9])
    with pytest.raises(sf.SFOverflowError):
        x += x
    assert x.codes.tolist() == [16384, 29491], "untouched"
    a = sf.array([[0.1, 0.2], [0.3, 0.4]])
    a[0] += 0.25
    a[:, 1] *= sf.sf16(0.5)
    assert a.codes.tolist() == [[3277 + 8192, (6554 + 8192) // 2], [9830, 13107 // 2]]
    a += a.T
    assert a.codes[0, 1] == a.codes[1, 0] == 9830 + (6554 + 8192) // 2, "the operand is read before it is written"


@pytest.mark.parametrize("operation", BINARY)
def test_ufuncs_with_out(operation, seed):
    rng = np.random.default_rng(seed)
    a, b = array(codes_of(16, rng, (3, 4)) // 2), array(codes_of(16, rng, 4) // 2)
    call, want = getattr(np, operation), SYMBOLS[operation](a, b).codes.tolist()
    for out in (sf.zeros((3, 4)), sf.zeros((4, 3)).T, sf.zeros((3, 8))[:, ::2], a):
        kept = a.copy()
        assert call(kept, b, out=out) is out and out.codes.tolist() == want
        assert call(kept, b, out=(out,)) is out and call(kept, b, out) is out
    for out in (np.zeros((3, 4)), np.zeros((3, 4), np.int16), sf.zeros((3, 4), sf.sf8), sf.zeros((4, 3)), sf.zeros(4),
                sf.zeros((2, 3, 4))):
        before = np.asarray(out).tolist()
        with pytest.raises((TypeError, ValueError)) as raised:
            call(b[None].repeat(3, axis=0), b, out=out)
        assert "\n" not in str(raised.value) and np.asarray(out).tolist() == before


def test_selecting_ufuncs_of_rank_0_give_scalars():
    x = sf.array(0.5)
    assert type(np.maximum(x, 0.1)) is type(np.fmin(x, x)) is sf.sf16 and np.maximum(0.75, x) == 0.75


def test_ufuncs_where_out_is_the_only_sfarray():
    for a, b in ((0.25, 0.25), (np.full(2, 0.25), np.full(2, 0.25)), ([0.25, 0.25], 0.25)):
        for call in (np.add, np.multiply, np.maximum, np.less):
            out = sf.array([0.75, 0.75])
            try:
                call(a, b, out=out)
            except TypeError as error:
                assert "\n" not in str(error) and out.codes.tolist() == [24576] * 2
            else:
                assert out.codes.tolist() == [int(call(0.25, 0.25) * 32768)] * 2


def test_ufuncs_of_comparison_with_out():
    x, out = sf.array([0.5, -0.5]), np.zeros(2, bool)
    assert np.less(x, 0, out=out) is out and out.tolist() == [False, True]
    assert np.greater(0.25, x).tolist() == [False, True] and np.equal(x, [0.5, 0.5]).tolist() == [True, False]
    assert np.maximum(x, 0.1).codes.tolist() == [16384, 3277]
    assert np.positive(x).codes.tolist() == (+x).codes.tolist() == [16384, -16384] and np.negative(x, out=x) is x
    assert x.codes.tolist() == [-16384, 16384]


def test_ufuncs_take_scalars():
    x, k = sf.array([0.5, -0.5]), sf.sf16(0.1)
    for call, symbol in ((np.add, operator.add), (np.subtract, operator.sub), (np.multiply, operator.mul)):
        assert call(x, k).codes.tolist() == symbol(x, k).codes.tolist() and call(k, x).codes.tolist() == symbol(k, x).codes.tolist()
        assert call(k, k) == symbol(k, k) and type(call(k, k)) is sf.sf16
    assert np.fmin(x, k).codes.tolist() == [3277, -16384] and np.negative(k) == -k and np.abs(-k) == k
    assert np.less(k, x).tolist() == [True, False]


@pytest.mark.parametrize("bits", (4, 16))
def test_comparisons_across_widths_are_of_values(bits):
    a, b = sf.array([0.5, 0.25, -0.5], dtype(bits)), sf.array([0.5, -0.25, -0.5], sf.sf8)
    for call, want in ((operator.eq, [True, False, True]), (operator.lt, [False] * 3), (operator.ge, [True] * 3),
                       (operator.ne, [False, True, False])):
        assert call(a, b).tolist() == want and call(a, np.asarray(b)).tolist() == want and call(a, b.tolist()).tolist() == want
        assert [call(x, y) for x, y in zip(a, b)] == want
    assert (np.asarray(b) == a).tolist() == [True, False, True] and type(np.asarray(b) == a) is np.ndarray


@pytest.mark.parametrize("other", (None, "a", object(), {}, sf))
def test_comparisons_with_strangers(other):
    x = sf.array([0.5, 0.25])
    assert not (x == other) and (x != other) and not (x[0] == other) and x[0] != other and other not in x
    for call in (operator.lt, operator.ge):
        for thing in (x, x[0]):
            with pytest.raises(TypeError):
                call(thing, other)


def test_containment_is_of_values():
    x = sf.array([[0.5, -0.25], [0.1, 0]])
    assert 0.5 in x and sf.sf8(0.5) in x and sf.sf16(0.1) in x and 0 in x and np.float32(-0.25) in x
    assert 0.1 not in x and 7 not in x and float("nan") not in x and None not in x and "a" not in x and sf.zeros(()) in x


def test_repeated_negation_and_abs_of_the_lowest_code():
    low = sf.from_codes([-32768, -32767])
    with sf.errstate(over="ignore"):
        assert (-low).codes.tolist() == abs(low).codes.tolist() == [32767, 32767]
    assert (-low[1:]).codes.tolist() == [32767] and (-(-low[1:])).codes.tolist() == [-32767]


def test_operators_that_do_not_exist():
    x = sf.array([0.5])
    for call, y in itertools.product((operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.and_, operator.or_,
                                      operator.lshift), (x, 2, sf.sf16(0.5), np.ones(1))):
        for a, b in ((x, y), (y, x), (x[0], y), (y, x[0])):
            with pytest.raises(TypeError) as raised:
                call(a, b)
            assert "\n" not in str(raised.value) and len(str(raised.value)) < 250
