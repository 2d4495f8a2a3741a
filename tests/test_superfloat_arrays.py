# SPDX-License-Identifier: Apache-2.0
"""Elementwise arithmetic, traces, vanished products and device words of SuperFloat arrays, against rules on Fractions."""

import ctypes as c
import itertools

import numpy as np
import pytest

import bitfold_c
from bitfold_c import ENCODINGS, FORMAT_NAMES, STORAGE, lib, map_codes, pointer, trace_codes, turn_words, vanished_codes
from layouts import laid_out
from oracle import data, rules, superfloat
from oracle.rules import NAMED, OVERFLOWS, PRODUCTS, READOUTS, invented

WIDTHS = range(2, 17)
OPERATIONS = bitfold_c.ELEMENTWISE
BINARY = OPERATIONS[:3]
INVENTED = {f"invented-{i}": invented(i) for i in range(60)}
EVERY = NAMED | INVENTED
SOME_INVENTED = [pytest.param(name, marks=[pytest.mark.full] if i >= 15 else []) for i, name in enumerate(INVENTED)]


def as_rule(fields):
    """The library's own rule, or a bitfold_rule of the same fields."""
    if fields.name in NAMED:
        return fields.name
    return bitfold_c.Rule(fields.name.encode(), PRODUCTS.index(fields.product), fields.minus_one_is_zero, fields.accumulator_bits,
                          OVERFLOWS.index(fields.overflow), fields.full_range, fields.sum_extra, fields.product_extra,
                          READOUTS.index(fields.readout), fields.readout_full_range)


def mapped(operation, fields, bits, x, y=None):
    """(array, number of events) by the oracle, on the broadcast shape."""
    pairs = np.broadcast(x, x if y is None else y)
    seen = [rules.element(operation, fields, bits, int(a), 0 if y is None else int(b)) for a, b in pairs]
    return np.array([code for code, _ in seen], STORAGE[f"sf{bits}"]).reshape(pairs.shape), sum(event for _, event in seen)


def compare(operation, fields, bits, x, y=None, view_x=None, view_y=None, out=None):
    name, want = f"sf{bits}", mapped(operation, fields, bits, x, y)
    shape = want[0].shape
    view_x = np.broadcast_to(x if view_x is None else view_x, shape)
    view_y = None if y is None else np.broadcast_to(y if view_y is None else view_y, shape)
    got, clamped = map_codes(operation, as_rule(fields), name, view_x, view_y, out)
    wrong = np.argwhere(got != want[0])
    at = tuple(wrong[0]) if len(wrong) else None
    assert not len(wrong), (operation, fields, bits, int(view_x[at]), None if y is None else int(view_y[at]), int(got[at]),
                            int(want[0][at]))
    assert clamped == want[1], (operation, fields, bits)
    return got


def operands(operation, bits, n, seed):
    """Codes of the whole range, -1.0 among them; the second operand is null where there is one only."""
    x, y = (data.codes(f"sf{bits}", n, seed + i, True) for i in (0, 1))
    return x, y if operation in BINARY else None


def all_codes(bits):
    return np.arange(-(1 << bits - 1), 1 << bits - 1).astype(STORAGE[f"sf{bits}"])


@pytest.mark.parametrize("rule", NAMED)
def test_the_two_oracles_agree(rule, seed):
    """The rules written out from the table and the rules as fields are two implementations."""
    for bits in WIDTHS:
        x, y = (data.codes(f"sf{bits}", 40, seed + bits + i, True).tolist() for i in (0, 1))
        assert rules.sum_codes(NAMED[rule], bits, x) == superfloat.sum_codes(rule, bits, x)
        assert rules.sum_codes(NAMED[rule], bits, x, y) == superfloat.sum_codes(rule, bits, x, y)


@pytest.mark.parametrize("rule", SOME_INVENTED)
def test_sum_codes_by_invented_rules(rule, seed):
    for bits in WIDTHS:
        x, y = (data.codes(f"sf{bits}", 30, seed + bits + i, True) for i in (0, 1))
        for second in (None, y):
            want = rules.sum_codes(INVENTED[rule], bits, x.tolist(), None if second is None else second.tolist())
            assert bitfold_c.sum_codes(as_rule(INVENTED[rule]), f"sf{bits}", x, second) == want, (INVENTED[rule], bits)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("rule", [*NAMED, *SOME_INVENTED])
def test_every_pair_of_codes(rule, operation):
    for bits in (2, 3, 4) if rule in NAMED else (2, 3):
        x = all_codes(bits)
        compare(operation, EVERY[rule], bits, x[:, None] if operation in BINARY else x, x if operation in BINARY else None)


@pytest.mark.full
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("rule", NAMED)
def test_every_pair_of_sf8(rule, operation):
    x = all_codes(8)
    compare(operation, NAMED[rule], 8, x[:, None] if operation in BINARY else x, x if operation in BINARY else None)


@pytest.mark.parametrize("rule", NAMED)
def test_every_sf16_alone(rule):
    x, low = all_codes(16), -32768 if rule.startswith("atreides") else -32767
    for operation, real in (("negative", -x.astype(int)), ("absolute", abs(x.astype(int)))):
        codes, clamped = map_codes(operation, rule, "sf16", x)
        assert codes.tolist() == np.clip(real, low, 32767).tolist() and clamped == 1, operation


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("rule", [*NAMED, *SOME_INVENTED])
def test_every_width(rule, operation, seed):
    for bits in WIDTHS:
        compare(operation, EVERY[rule], bits, *operands(operation, bits, 25 if rule in INVENTED else 100, seed + bits))


@pytest.mark.parametrize("bits", (7, 8, 9, 16))
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_length(operation, bits, seed):
    for n in (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 255, 256, 257, 511, 512, 513, 1000):
        compare(operation, NAMED["sf"], bits, *operands(operation, bits, n, seed + n))


@pytest.mark.parametrize("bits", WIDTHS)
def test_minus_one_is_a_code(bits):
    """-(-1.0), |-1.0| and x - -1.0 are made of the term +1.0, which only a wider accumulator holds."""
    unit, name = 1 << bits - 1, f"sf{bits}"
    low, high = np.array([-unit], STORAGE[name]), unit - 1
    for operation in ("negative", "absolute"):
        assert map_codes(operation, "sf", name, low) == ([high], 1)
        assert map_codes(operation, "float32", name, low) == ([high], 1)
    below = np.array([-1], STORAGE[name])
    assert map_codes("subtract", "sf", name, below, low) == ([high], 0)
    assert map_codes("subtract", "sf", name, low, low) == ([unit - high], 1)
    assert map_codes("subtract", "systolic24", name, low, low) == ([0], 0)
    assert map_codes("add", "sf", name, low, np.array([0], STORAGE[name])) == ([-high], 1)
    assert map_codes("add", "atreides-v1", name, low, np.array([0], STORAGE[name])) == ([-unit], 0)
    assert map_codes("multiply", "atreides-v1", name, low, low) == ([0], 0)
    assert map_codes("multiply", "sf", name, low, low) == ([high], 1)


@pytest.mark.parametrize("rule", ("sf", "atreides-v1", "atreides-v2.1"))
@pytest.mark.parametrize("bits", WIDTHS)
def test_S23_products_then_a_sum_are_the_dot(bits, rule, seed):
    """Unless -1.0 meets -1.0: their product is beyond every code."""
    x, y = (data.codes(f"sf{bits}", 300, seed + bits + i, i == 0) for i in (0, 1))
    products, _ = map_codes("multiply", rule, f"sf{bits}", x, y)
    assert bitfold_c.sum_codes(rule, f"sf{bits}", products) == bitfold_c.sum_codes(rule, f"sf{bits}", x, y)


LAYOUTS = (dict(), dict(order=(2, 1, 0)), dict(reverse=(0, 2)), dict(gap=3), dict(offset=1), dict(swap=True),
           dict(order=(1, 2, 0), reverse=(1,), gap=5, offset=3, swap=True))


@pytest.mark.parametrize("shape", ((3, 4, 5), (2, 1, 300), (70, 3, 2), (1, 1, 1), (4, 0, 3)))
@pytest.mark.parametrize("rule", ("sf", "sf31", "float32"))
def test_every_layout(rule, shape, seed):
    for bits in (5, 16):
        for i, (a, b, to) in enumerate(itertools.product(LAYOUTS, repeat=3)):
            operation = OPERATIONS[i % 5]
            if i % 11 and not (a == b == to):
                continue
            x, y = operands(operation, bits, int(np.prod(shape)), seed + i)
            x, y = x.reshape(shape), None if y is None else y.reshape(shape)
            out = laid_out(np.zeros(shape, STORAGE[f"sf{bits}"]), **to)
            compare(operation, NAMED[rule], bits, x, y, laid_out(x, **a), None if y is None else laid_out(y, **b), out)


def test_bytes_between_the_outputs_are_left_alone():
    room = np.full(64, 0x55, np.int8)
    map_codes("negative", "sf", "sf8", np.arange(10, dtype=np.int8), None, room[5:35:3])
    assert room[5:35:3].tolist() == [-k for k in range(10)]
    room[5:35:3] = 0x55
    assert room.tolist() == [0x55] * 64


@pytest.mark.parametrize("shapes", (((4, 1), (1, 5)), ((), (3, 4)), ((7,), ()), ((1, 300), (2, 1)), ((300, 1), (1, 2)),
                                    ((2, 1, 3, 1), (5, 1, 4)), ((0, 1), (1, 3))))
@pytest.mark.parametrize("bits", (4, 16))
@pytest.mark.parametrize("operation", BINARY)
def test_broadcast_operands(operation, bits, shapes, seed):
    x, y = (data.codes(f"sf{bits}", int(np.prod(s)), seed + i, True).reshape(s) for i, s in enumerate(shapes))
    compare(operation, NAMED["sf"], bits, x, y)
    compare(operation, NAMED["guarded31"], bits, x, y)


def test_rank_eight(seed):
    x = data.codes("sf9", 2 * 3 * 2 * 2 * 3 * 2, seed).reshape(2, 3, 1, 2, 1, 2, 3, 2)
    y = np.ascontiguousarray(data.codes("sf9", x.size, seed + 1).reshape(x.shape[::-1]).T)
    out = laid_out(x, order=(3, 1, 7, 0, 2, 6, 5, 4), reverse=(1, 6), gap=1)
    for operation in BINARY:
        compare(operation, NAMED["sf"], 9, x, y, x.T.copy().T, laid_out(y, reverse=(0, 7)), out)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("rule", ("sf", "edge-int32", "float32"))
def test_in_place(rule, operation, seed):
    for bits, layout in itertools.product((3, 8, 16), LAYOUTS):
        x, y = (data.codes(f"sf{bits}", 600, seed + i, True).reshape(10, 20, 3) for i in (0, 1))
        y = y if operation in BINARY else None
        here = laid_out(x, **layout)
        compare(operation, NAMED[rule], bits, x, y, here, y, here)
        if y is not None:
            here = laid_out(y, **layout)
            compare(operation, NAMED[rule], bits, x, y, x, here, here)
            here = laid_out(x, **layout)
            compare(operation, NAMED[rule], bits, x, x, here, here, here)


def refusal(operation, rule, tensors):
    """The status's name; asserts that there is a message and that output and count are untouched."""
    clamped, message = c.c_uint64(77), bitfold_c.Message()
    before = None if tensors[2] is None else tensors[2].keep.tobytes()
    status = lib.bitfold_map_codes(operation, rule, *map(bitfold_c.by, tensors), bitfold_c.by(clamped), bitfold_c.by(message))
    assert status and message.text and clamped.value == 77
    assert before is None or tensors[2].keep.tobytes() == before
    assert lib.bitfold_map_codes(operation, rule, *map(bitfold_c.by, tensors), None, None) == status
    return bitfold_c.STATUS[status]


def test_map_refusals():
    sf = lib.bitfold_rule_named(b"sf")
    make = lambda name, shape=(2, 3), fill=1: bitfold_c.tensor(np.full(shape, fill, STORAGE[name]), name)
    x, out = make("sf8"), make("sf8", fill=99)
    assert refusal(0, None, (x, x, out)) == "NULL"
    assert refusal(0, sf, (None, x, out)) == refusal(0, sf, (x, None, out)) == refusal(0, sf, (x, x, None)) == "NULL"
    assert refusal(3, sf, (x, x, out)) == refusal(4, sf, (x, x, out)) == refusal(5, sf, (x, x, out)) == "CONTRACT"
    assert refusal(-1, sf, (x, x, out)) == "CONTRACT"
    assert refusal(0, sf, (x, make("sf7"), out)) == refusal(0, sf, (x, x, make("sf9"))) == "CONTRACT"
    assert refusal(0, sf, (make("i8"), make("i8"), make("i8"))) == refusal(3, sf, (make("f32"), None, make("f32"))) == "CONTRACT"
    assert refusal(0, sf, (x, make("sf8", (3, 2)), out)) == refusal(0, sf, (x, make("sf8", (6,)), out)) == "SHAPE"
    assert refusal(0, sf, (x, x, make("sf8", (2, 1)))) == refusal(3, sf, (x, None, make("sf8", (2, 3, 1)))) == "SHAPE"
    bad = as_rule(INVENTED["invented-0"])
    for field, value in (("accumulator_bits", 1), ("accumulator_bits", 49), ("sum_extra", 33), ("product_extra", -2),
                         ("readout", 3), ("overflow", 2), ("product", 4)):
        wrong = bitfold_c.Rule.from_buffer_copy(bad)
        setattr(wrong, field, value)
        assert refusal(0, c.pointer(wrong), (x, x, out)) == "CONTRACT", field
    null = bitfold_c.tensor(np.ones((2, 3), np.int8), "sf8")
    null.data = None
    assert refusal(0, sf, (null, x, out)) == refusal(0, sf, (x, null, out)) == "NULL"
    null.rank = 9
    assert refusal(3, sf, (null, None, out)) == "SHAPE"


@pytest.mark.parametrize("bits", [b for b in WIDTHS if b not in (8, 16)])
def test_codes_beyond_the_width_change_nothing(bits):
    name, unit = f"sf{bits}", 1 << bits - 1
    sf = lib.bitfold_rule_named(b"sf")
    for code, at, which in itertools.product((unit, -unit - 1), (0, 299, 599), (0, 1)):
        pair = [np.zeros((2, 300), STORAGE[name]) for _ in range(2)]
        pair[which].flat[at] = code
        x, y = (bitfold_c.tensor(a, name) for a in pair)
        out = bitfold_c.tensor(np.full((2, 300), 1, STORAGE[name]), name)
        for operation in range(3):
            assert refusal(operation, sf, (x, y, out)) == "VALUE"
            assert refusal(operation, sf, (x, y, x)) == "VALUE"
        assert which or refusal(3, sf, (x, None, out)) == refusal(4, sf, (x, None, out)) == "VALUE"
        with pytest.raises(bitfold_c.Refused) as refused:
            vanished_codes("sf", name, *pair)
        assert refused.value.status == "VALUE" and refused.value.message
        for row in (pair[0].reshape(-1), pair[1].reshape(-1)):
            if code in row:
                with pytest.raises(bitfold_c.Refused):
                    trace_codes("sf", name, row)
                with pytest.raises(bitfold_c.Refused):
                    trace_codes("sf", name, np.zeros_like(row), row)


@pytest.mark.parametrize("rule", [*NAMED, *SOME_INVENTED])
def test_trace_is_sum_codes_of_every_prefix(rule, seed):
    for bits in WIDTHS:
        for n in (0, 1, 2, 30) if rule in INVENTED or bits not in (4, 8, 13, 16) else (255, 256, 257, 513):
            x, y = (data.codes(f"sf{bits}", n, seed + bits + n + i, i + bits & 1) for i in (0, 1))
            for second in (None, y):
                want = rules.trace(EVERY[rule], bits, x.tolist(), None if second is None else second.tolist())[1:]
                codes, clamped = trace_codes(as_rule(EVERY[rule]), f"sf{bits}", x, second)
                assert codes.tolist() == [code for code, _ in want], (EVERY[rule], bits, n)
                assert clamped == sum(event for _, event in want), (EVERY[rule], bits, n)
                if n:
                    code, event = bitfold_c.sum_codes(as_rule(EVERY[rule]), f"sf{bits}", x, second)
                    assert (code, event) == want[-1]


def test_trace_refusals():
    sf, room = lib.bitfold_rule_named(b"sf"), np.full(4, 99, np.int16)
    x, count = np.ones(4, np.int8), c.c_uint64(77)
    sf8, i8, n = FORMAT_NAMES.index("sf8"), FORMAT_NAMES.index("i8"), c.c_size_t(4)
    call = lambda *a: bitfold_c.STATUS[lib.bitfold_trace_codes(*a, bitfold_c.by(count))]
    assert call(None, sf8, pointer(x), None, n, pointer(room)) == "NULL"
    assert call(sf, sf8, None, None, n, pointer(room)) == call(sf, sf8, pointer(x), None, n, None) == "NULL"
    assert call(sf, i8, pointer(x), None, n, pointer(room)) == "CONTRACT"
    assert call(c.pointer(bitfold_c.Rule(b"x", 0, 0, 1)), sf8, pointer(x), None, n, pointer(room)) == "CONTRACT"
    x[3] = 64
    assert call(sf, FORMAT_NAMES.index("sf7"), pointer(x), None, n, pointer(room)) == "VALUE"
    assert room.tolist() == [99] * 4 and count.value == 77
    assert call(sf, sf8, None, None, c.c_size_t(0), None) == "OK" and count.value == 0


def counted(fields, bits, x, y, axes, keepdims=False):
    hits = [rules.vanishes(fields, bits, int(a), int(b)) for a, b in np.broadcast(x, y)]
    return np.array(hits, np.int64).reshape(np.broadcast(x, y).shape).sum(axis=axes, keepdims=keepdims)


@pytest.mark.parametrize("rule", [*NAMED, *SOME_INVENTED])
def test_S19_every_product_of_small_widths(rule):
    for bits in (2, 3, 4, 5):
        x = all_codes(bits)
        pair = np.broadcast_arrays(x[:, None], x)
        got = vanished_codes(as_rule(EVERY[rule]), f"sf{bits}", *pair, axes=())
        assert got.tolist() == counted(EVERY[rule], bits, *pair, ()).tolist(), (EVERY[rule], bits)


def test_S19_sf8_squares_vanish_below_12():
    x = np.arange(-20, 21, dtype=np.int8)
    squares = vanished_codes("sf", "sf8", x, x, axes=())
    assert [int(k) for k, hit in zip(x, squares) if hit] == [k for k in range(-11, 12) if k]
    assert vanished_codes("sf", "sf8", x, x) == 22
    assert vanished_codes("guarded31", "sf8", x, x) == 0


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("rule", ("sf", "atreides-v1", "atreides-v2.1", "guarded31", "float32", "invented-3"))
def test_S19_counts_over_axes(rule, bits, seed):
    scale = 1 << bits // 2
    for shape, axes in (((300,), None), ((3, 700), 1), ((700, 3), 0), ((40, 20), 0), ((4, 5, 6), (0, 2)), ((4, 5, 6), ()),
                        ((0, 3), 0), ((3, 0), 0), ((), None)):
        x, y = (np.clip(data.codes(f"sf{bits}", int(np.prod(shape)), seed + i, True), -scale - i * scale, scale - 1).reshape(shape)
                for i in (0, 1))
        where = tuple(range(len(shape))) if axes is None else axes
        for keepdims in (False, True):
            got = vanished_codes(as_rule(EVERY[rule]), f"sf{bits}", x, y, axes, keepdims)
            want = counted(EVERY[rule], bits, x, y, where, keepdims)
            assert got.shape == want.shape and got.tolist() == want.tolist(), (rule, bits, shape, axes)


def test_S19_layouts_and_matmul_by_broadcast(seed):
    x, y = (data.codes("sf8", 300, seed + i).reshape(s) for i, s in enumerate(((20, 15), (15, 20))))
    left, right = np.broadcast_arrays(x[:, None, :], y.T[None, :, :])
    got = vanished_codes("sf", "sf8", left, right, axes=2)
    want = [[counted(NAMED["sf"], 8, row, column, 0) for column in y.T.tolist()] for row in x.tolist()]
    assert got.tolist() == np.array(want).tolist()
    for a, b in itertools.product(({}, dict(order=(1, 0)), dict(gap=3, offset=1), dict(swap=True, reverse=(0,))), repeat=2):
        out = laid_out(np.full(15, 77, np.int64), gap=5, swap=a == b)
        second = y.reshape(20, 15)
        vanished_codes("sf", "sf8", laid_out(x, **a), laid_out(second, **b), 0, out=out)
        assert out.tolist() == counted(NAMED["sf"], 8, x, second, 0).tolist()


def test_vanished_refusals():
    sf = lib.bitfold_rule_named(b"sf")
    make = lambda name, shape=(2, 3), fill=1: bitfold_c.tensor(np.full(shape, fill, STORAGE[name]), name)
    x, out = make("sf8"), make("i64", (), 99)

    def refused(rule, x, y, to, axes=None):
        message = bitfold_c.Message()
        status = lib.bitfold_vanished_codes(rule, *map(bitfold_c.by, (x, y, bitfold_c.axis_set(axes), to)), bitfold_c.by(message))
        assert status and message.text and out.keep[()] == 99
        return bitfold_c.STATUS[status]

    assert refused(None, x, x, out) == refused(sf, None, x, out) == refused(sf, x, None, out) == refused(sf, x, x, None) == "NULL"
    assert refused(sf, x, make("sf7"), out) == refused(sf, make("i8"), make("i8"), out) == "CONTRACT"
    assert refused(sf, x, x, make("i32", ())) == refused(c.pointer(bitfold_c.Rule(b"x", 0, 0, 1)), x, x, out) == "CONTRACT"
    assert refused(sf, x, make("sf8", (3, 2)), out) == refused(sf, x, x, make("i64", (2,))) == "SHAPE"
    assert refused(sf, x, x, out, 2) == refused(sf, x, x, out, (0, -2)) == "AXIS"


def words(encoding, bits):
    """{word: code} of all words of the memory that have a code, from the words of the contract alone."""
    memory, unit = 8 if bits <= 8 else 16, 1 << bits - 1
    if encoding == "sign-magnitude":
        return {word: (-1 if word & unit else 1) * (word & unit - 1) for word in range(2 * unit)}
    plain = {word: word - 2 * unit if word & unit else word for word in range(2 * unit)}
    return plain | {word - 2 * unit + (1 << memory): code for word, code in plain.items() if word & unit}


def test_encodings_have_names():
    for i, name in enumerate(ENCODINGS):
        assert lib.bitfold_encoding_name(i) == name.encode()
    assert lib.bitfold_encoding_name(2) is None and lib.bitfold_encoding_name(-1) is None


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("bits", WIDTHS)
def test_every_word(bits, encoding):
    name, known, unit = f"sf{bits}", words(encoding, bits), 1 << bits - 1
    unsigned = np.uint8 if bits <= 8 else np.uint16
    number = ENCODINGS.index(encoding)
    legal = np.array(sorted(known), unsigned)
    assert turn_words("codes_from_words", number, name, legal).tolist() == [known[w] for w in legal.tolist()]
    for word in sorted(set(range(np.iinfo(unsigned).max + 1)) - set(known))[:: 1 if bits <= 8 else 97]:
        row = np.array([0] * 5 + [word], unsigned)
        assert status_of("codes_from_words", number, name, row) == "VALUE", word
    codes = np.arange(-unit + (encoding == "sign-magnitude"), unit).astype(STORAGE[name])
    written = turn_words("words_from_codes", number, name, codes).view(unsigned)
    assert all(word < 2 * unit and known[word] == code for word, code in zip(written.tolist(), codes.tolist()))
    assert turn_words("codes_from_words", number, name, written).tolist() == codes.tolist()
    for code in set(all_codes(8 if bits <= 8 else 16).tolist()) - set(codes.tolist()):
        if bits <= 8 or code in (-unit - 1, -unit, unit, -32768, 32767):
            assert status_of("words_from_codes", number, name, np.array([1, code], STORAGE[name])) == "VALUE", code


def status_of(function, encoding, name, array):
    """The refusal's name; the output is asserted to be untouched."""
    out = np.full(len(array), 0x55, array.dtype)
    status = getattr(lib, f"bitfold_{function}")(encoding, FORMAT_NAMES.index(name), pointer(array), pointer(out),
                                                 c.c_size_t(len(array)))
    assert out.tolist() == [0x55] * len(array)
    return bitfold_c.STATUS[status]


def test_S38_a_negative_zero_word_is_code_zero():
    assert turn_words("codes_from_words", 1, "sf16", np.array([0x8000, 0x8001, 0xFFFF], np.uint16)).tolist() == [0, -1, -32767]
    assert turn_words("codes_from_words", 0, "sf16", np.array([0x8000], np.uint16)).tolist() == [-32768]


@pytest.mark.parametrize("function", ("words_from_codes", "codes_from_words"))
def test_words_in_place_and_refusals(function):
    x = np.arange(-3, 4).astype(np.int16)
    want = turn_words(function, 0, "sf16", x)
    call = getattr(lib, f"bitfold_{function}")
    sf16, n = FORMAT_NAMES.index("sf16"), c.c_size_t(7)
    assert call(0, sf16, pointer(x), pointer(x), n) == 0 and x.tolist() == want.tolist()
    assert bitfold_c.STATUS[call(0, sf16, None, pointer(x), n)] == bitfold_c.STATUS[call(0, sf16, pointer(x), None, n)] == "NULL"
    assert call(0, sf16, None, None, c.c_size_t(0)) == 0
    assert status_of(function, 2, "sf16", x) == status_of(function, -1, "sf16", x) == status_of(function, 0, "i16", x) == "CONTRACT"


def packed(codes):
    """Packed sf4 from its definition, by text: each byte is two hexadecimal digits, the second code's first."""
    digits = [f"{k % 16:x}" for k in codes] + ["0"] * (len(codes) % 2)
    return bytes.fromhex("".join(b + a for a, b in zip(digits[::2], digits[1::2])))


@pytest.mark.parametrize("n", (*range(0, 10), 255, 256, 257))
def test_packed_sf4(n, seed):
    codes = np.resize(np.arange(-7, 8), n).astype(np.int8)
    np.random.default_rng(seed).shuffle(codes)
    room = np.full(n // 2 + 3, 0x55, np.uint8)
    assert lib.bitfold_pack_sf4(pointer(codes), c.c_size_t(n), pointer(room)) == 0
    size = (n + 1) // 2
    assert room[:size].tobytes() == packed(codes.tolist()) and room[size:].tolist() == [0x55] * (len(room) - size)
    back = np.full(n + 3, 0x55, np.int8)
    assert lib.bitfold_unpack_sf4(pointer(room), c.c_size_t(n), pointer(back)) == 0
    assert back[:n].tolist() == codes.tolist() and back[n:].tolist() == [0x55] * 3
    for at in range(n) if n < 20 else (0, n - 1):
        for code in (-128, -8, 8, 127):
            bad = codes.copy()
            bad[at] = code
            room[:] = 0x55
            assert bitfold_c.STATUS[lib.bitfold_pack_sf4(pointer(bad), c.c_size_t(n), pointer(room))] == "VALUE"
            assert room.tolist() == [0x55] * len(room)


def test_every_packed_byte():
    every, room = np.arange(256, dtype=np.uint8), np.zeros(2, np.int8)
    for byte in every:
        low, high = int(byte) & 15, int(byte) >> 4
        one = np.array([byte], np.uint8)
        for n, legal in ((2, low != 8 and high != 8), (1, low != 8 and high == 0)):
            room[:] = 0x55
            status = bitfold_c.STATUS[lib.bitfold_unpack_sf4(pointer(one), c.c_size_t(n), pointer(room))]
            want = [low - 16 * (low > 7), high - 16 * (high > 7)][:n] + [0x55] * (2 - n) if legal else [0x55] * 2
            assert (status, room.tolist()) == ("OK" if legal else "VALUE", want), (byte, n)


def test_packing_null_pointers():
    x, none, one = np.zeros(1, np.int8), c.c_size_t(0), c.c_size_t(1)
    for call in (lib.bitfold_pack_sf4, lib.bitfold_unpack_sf4):
        assert call(None, none, None) == 0
        assert bitfold_c.STATUS[call(None, one, pointer(x))] == bitfold_c.STATUS[call(pointer(x), one, None)] == "NULL"
