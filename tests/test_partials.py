# SPDX-License-Identifier: Apache-2.0
"""Partials: any allowed cut, any legal grouping, through bytes and back, give the bits and events of the whole row."""

import ctypes as c
import random

import numpy as np
import pytest

import bitfold_c
from bitfold_c import lib
from oracle.formats import FORMATS
from partials import add, cut, elements, finish, from_bytes, merge, piece, to_bytes

FREE = (
    "sum:f32:exact", "sum:f64:exact", "mean:f16:exact", "mean:bf16:exact:out=f64", "dot:f64:exact", "sumsq:f32:exact",
    "sumabs:f64:exact", "max:f32:nan=propagate", "min:f64:nan=ignore", "argmax:f16:nan=ignore", "argmin:f32:nan=propagate",
    "argmax:i32", "max:sf7", "min:bf16:nan=propagate", "argmax:f64:nan=propagate:out=i32", "sum:i8:out=i8", "dot:i32", "mean:i16",
    "mean:i8:out=i8", "sumabs:i16", "sum:i64", "dot:i64:out=f64", "sumsq:i64", "sumabs:i64:out=i8", "mean:i64", "max:i64",
    "min:i64", "argmax:i64", "argmin:i64:out=i32", "sum:sf8:exact", "dot:sf16:exact", "mean:sf5:exact:out=f32")
CLAMPING = ("sf", "atreides-v1", "atreides-v2.1", "systolic24", "sf31", "guarded31", "edge-int32")
RULES = tuple(f"{operation}:sf{bits}:{rule}" for rule in CLAMPING for operation, bits in (
    ("sum", 8), ("dot", 16), ("mean", 5), ("sumsq", 4), ("sumabs", 11)))
BLOCKED = (
    "sum:f32:canonical(1)", "sum:f16:acc=f16:canonical(4)", "mean:f64:canonical(16)", "dot:bf16:canonical(3)",
    "sum:f32:blocks(16,sequential)", "sum:f16:acc=f16:blocks(10,lanes(4,fold=pairs))", "sum:f32:blocks(7,reverse)",
    "sumsq:f32:blocks(64,pairwise(16,lanes(8)))", "sum:f32:pairwise(8,sequential)", "mean:f64:pairwise(128,canonical(4))",
    "sum:f16:acc=f16:pairwise(32,lanes(8,fold=pairs,tail=after))", "sumabs:f32:pairwise(20,reverse)")
STREAM = (
    "sum:f32:sequential", "sum:f16:acc=f16:lanes(4,fold=left)", "mean:f64:lanes(8,fold=halves)", "dot:f32:lanes(3,fold=pairs)",
    "sumabs:bf16:acc=bf16:sequential", "sum:f32:lanes(8,fold=pairs,tail=after)", "sum:f32:helia", "mean:f16:helia")
NEVER = ("sum:f32:reverse", "dot:f32:sequential:fma", "sum:f32:canonical(4):ftz", 'sum:f32:tree("(0+1)")', "sum:sf8:float32", "dot:sf16:float32")
LENGTHS = (0, 1, 2, 3, 7, 8, 16, 17, 33, 64, 100, 129, 300, 777)


def whole(contract, x, y):
    """The value and counts of bitfold_reduce, or the name of its refusal."""
    try:
        out, r = bitfold_c.reduce(contract, x, y)
        return int(out), (r.outputs, r.clamped, r.nan, r.overflowed)
    except bitfold_c.Refused as refused:
        return refused.status


def fill(partial, x, y, rng, step_to):
    """Adds a piece in a few calls, some of them of nothing, with a trip through bytes between two of them. step_to(at) is the
    greatest count <= at at which this order can be added to again."""
    at = 0
    while at < len(x) or rng.random() < 0.2:
        to = step_to(min(at + rng.choice((0, 1, 2, 5, 64, 1000)), len(x)))
        to = len(x) if to < at or rng.random() < 0.1 else to
        add(partial, x[at:to], None if y is None else y[at:to])
        at = to
        if rng.random() < 0.2:
            partial = from_bytes(to_bytes(partial))
    return partial


def cuts_of(contract, n, rng):
    ats = {cut(contract, n, rng.randint(0, n)) for _ in range(rng.choice((0, 1, 2, 3, 6)))}
    return [0, *sorted(ats - {0, n}), n]


def joined(pieces, free, rng):
    """Merges neighbours, or any two where the sequence is free, until one is left."""
    while len(pieces) > 1:
        i = rng.randrange(len(pieces) - 1)
        j = rng.choice([k for k in range(len(pieces)) if k != i]) if free else i + 1
        merge(pieces[i], pieces[j])
        del pieces[j]
        i -= i > j
        if rng.random() < 0.3:
            pieces[min(i, len(pieces) - 1)] = from_bytes(to_bytes(pieces[min(i, len(pieces) - 1)]))
    return pieces[0]


def compare(text, n, seed, rng, free, known=True):
    contract, (x, y) = bitfold_c.parse(text), elements(text, n, seed)
    length = n if known else bitfold_c.UNKNOWN
    edges = cuts_of(contract, n, rng)
    pieces = []
    for low, high in zip(edges, edges[1:]):
        part = piece(contract, length, low)
        step_to = lambda at: cut(contract, n, low + at) - low
        pieces.append(fill(part, x[low:high], None if y is None else y[low:high], rng, step_to))
    try:
        got = finish(joined(pieces, free, rng), bitfold_c.FORMAT_NAMES[contract.output])
    except bitfold_c.Refused as refused:
        got = refused.status
    assert got == whole(text, x, y), (text, n, edges, x.tolist()[:40])


@pytest.mark.parametrize("contract", FREE)
def test_any_pieces_in_any_sequence(contract, seed):
    rng = random.Random(seed)
    for n in LENGTHS:
        for i in range(4):
            compare(contract, n, seed + n + i, rng, True, known=i % 2 == 0)


@pytest.mark.parametrize("contract", RULES)
def test_pieces_of_clamping_rules(contract, seed):
    rng = random.Random(seed)
    for n in LENGTHS:
        for i in range(4):
            compare(contract, n, seed + n + i, rng, False, known=i % 2 == 0)


@pytest.mark.parametrize("contract", BLOCKED)
def test_pieces_of_block_shaped_orders(contract, seed):
    rng = random.Random(seed)
    for n in LENGTHS:
        for i in range(6):
            compare(contract, n, seed + n + i, rng, False, known=i % 2 == 0 or "pairwise(" in contract.split(":")[-1][:9])


@pytest.mark.parametrize("contract", STREAM)
def test_streams(contract, seed):
    rng = random.Random(seed)
    for n in LENGTHS:
        x, y = elements(contract, n, seed + n)
        parsed = bitfold_c.parse(contract)
        for length in (n, bitfold_c.UNKNOWN):
            row = 4 if "helia" in contract else max(1, parsed.level[0].size)
            part = fill(piece(parsed, length, 0), x, y, rng, lambda at: at if at == n else at - at % row)
            assert finish(part, bitfold_c.FORMAT_NAMES[parsed.output]) == whole(contract, x, y), (contract, n)
    with pytest.raises(bitfold_c.Refused) as refused:
        merge(piece(parsed, 8, 0), piece(parsed, 8, 0))
    assert refused.value.status == "CUT"
    with pytest.raises(bitfold_c.Refused) as refused:
        piece(parsed, 100, 50)
    assert refused.value.status == "CUT"


@pytest.mark.parametrize("contract", NEVER)
def test_orders_that_cannot_be_cut(contract):
    with pytest.raises(bitfold_c.Refused) as refused:
        piece(bitfold_c.parse(contract), 2, 0)
    assert refused.value.status == "CUT" and refused.value.message


@pytest.mark.parametrize("contract", FREE[:3] + RULES[:3] + BLOCKED)
def test_cut_is_the_greatest_allowed_index(contract):
    parsed = bitfold_c.parse(contract)
    for n in (0, 1, 7, 64, 100, 1000):
        cuts = [cut(parsed, n, at) for at in range(n + 1)]
        assert cuts[0] == 0 and cuts[-1] == n and cuts == sorted(cuts)
        for at, where in enumerate(cuts):
            assert where <= at and cuts[where] == where
            if "blocks" in contract.split("(")[0] and at < n:
                assert where == at - at % parsed.level[0].size
    if contract in FREE + RULES:
        assert cuts == list(range(1001))


def test_pairwise_needs_the_length():
    with pytest.raises(bitfold_c.Refused) as refused:
        piece(bitfold_c.parse("sum:f32:pairwise(8,sequential)"), bitfold_c.UNKNOWN, 0)
    assert refused.value.message


@pytest.mark.parametrize("contract", ("sum:f32:blocks(16,sequential)", "sum:f32:canonical(4)", "sum:f32:pairwise(8,sequential)"))
def test_a_piece_that_begins_off_a_cut_is_refused(contract):
    with pytest.raises(bitfold_c.Refused) as refused:
        piece(bitfold_c.parse(contract), 64, 3)
    assert refused.value.status == "CUT"


def test_refusals_leave_the_partial_untouched():
    exact, blocks = bitfold_c.parse("sum:f32:exact"), bitfold_c.parse("sum:f32:blocks(4,sequential)")
    one = np.full(4, 0x3F800000, np.uint32)
    left, gap, other = piece(blocks, 12, 0), piece(blocks, 12, 8), piece(exact, 12, 4)
    for part in (left, gap, other):
        add(part, one)
    longer = piece(blocks, 16, 4)
    for right in (gap, other, longer, left):
        before = bytes(left)
        with pytest.raises(bitfold_c.Refused) as refused:
            merge(left, right)
        assert refused.value.message and bytes(left) == before
    with pytest.raises(bitfold_c.Refused):
        add(left, np.zeros(9, np.uint32))
    assert bytes(left) == before
    for partial in (left, gap):
        out = np.full(1, 0x55, np.uint32)
        assert lib.bitfold_partial_finish(c.byref(partial), bitfold_c.pointer(out), None) != 0
        assert out[0] == 0x55
    with pytest.raises(bitfold_c.Refused):
        piece(exact, 12, 13)


def doubled(part, times):
    """The piece merged with a copy of itself, again and again: 2^times of its elements."""
    for _ in range(times):
        merge(part, bitfold_c.Partial.from_buffer_copy(part))
    return part


@pytest.mark.parametrize("contract, largest", (("sum:f64:exact", 0x7FEFFFFFFFFFFFFF), ("dot:f64:exact", 0x7FEFFFFFFFFFFFFF),
                                               ("sum:f32:exact", 0x7F7FFFFF), ("sumsq:f32:exact:out=f64", 0x7F7FFFFF),
                                               ("sum:f16:exact", 0x7BFF), ("dot:bf16:exact", 0x7F7F)))
def test_carries_of_2_to_the_61_terms(contract, largest):
    """2^60 of the largest number, 2^60 of its negative, and one smallest subnormal: only that is left, and nothing overflowed."""
    parsed = bitfold_c.parse(contract)
    f, g = (FORMATS[bitfold_c.FORMAT_NAMES[k]] for k in (parsed.element, parsed.output))
    row = lambda code: np.array([code], f.storage)
    dot = contract.startswith("dot")
    positive, negative, least = (piece(parsed, bitfold_c.UNKNOWN, 0) for _ in range(3))
    add(positive, row(largest), row(largest) if dot else None)
    doubled(positive, 60)
    if "sumsq" in contract:
        want = g.round(f.value(largest) ** 2 * 2**60)
        assert finish(positive, g.name) == (want, (1, 0, 0, 0))
        return
    assert finish(positive, g.name)[0] == g.inf and finish(positive, g.name)[1] == (1, 0, 0, 1)
    add(negative, row(largest | f.sign_bit), row(largest) if dot else None)
    add(least, row(1), row(f.round(1)) if dot else None)
    for part in (doubled(negative, 60), least):
        merge(positive, part)
    assert finish(positive, g.name) == (1, (1, 0, 0, 0))


def test_mean_of_2_to_the_60_largest_numbers():
    part = piece(bitfold_c.parse("mean:f64:exact"), bitfold_c.UNKNOWN, 0)
    add(part, np.array([0x7FEFFFFFFFFFFFFF], np.uint64))
    assert finish(doubled(part, 60), "f64") == (0x7FEFFFFFFFFFFFFF, (1, 0, 0, 0))


def test_integer_sums_saturate_only_at_the_end():
    """2^60 times 127, and as often -128: the total is -2^60, though an int64 passes 2^63 on the way."""
    part, other = (piece(bitfold_c.parse("sum:i8"), bitfold_c.UNKNOWN, 0) for _ in range(2))
    add(part, np.array([127], np.int8)), add(other, np.array([-128], np.int8))
    doubled(part, 60), doubled(other, 60)
    assert finish(part, "i64") == (2**63 - 1, (1, 1, 0, 0))
    merge(part, other)
    assert finish(part, "i64") == (-(2**60), (1, 0, 0, 0))


LEAST = -(2**63)


@pytest.mark.parametrize("contract, edge", (("max:i64", LEAST), ("argmax:i64", LEAST), ("min:i64", 2**63 - 1),
                                            ("argmin:i64", 2**63 - 1), ("max:i64", LEAST + 1), ("min:i64", LEAST + 1),
                                            ("max:i64", 2**63 - 1), ("min:i64", LEAST)))
def test_pieces_of_nothing_but_an_edge(contract, edge):
    """Every element may have the key that a piece of nothing has, or one that means NaN among floats."""
    parsed, arg = bitfold_c.parse(contract), contract.startswith("arg")
    empty, left, right = (piece(parsed, bitfold_c.UNKNOWN, first) for first in (0, 0, 2))
    for part in (left, right):
        add(part, np.array([edge, edge], np.int64))
        assert to_bytes(from_bytes(to_bytes(part))) == to_bytes(part)
    for first, second in ((empty, left), (left, empty), (left, right), (right, left)):
        part = bitfold_c.Partial.from_buffer_copy(first)
        part.keep = first
        merge(part, second)
        part = from_bytes(to_bytes(part))
        assert finish(part, "i64") == (0 if arg else edge, (1, 0, 0, 0)), (first.first, second.first)


def test_i64_products_of_2_to_the_61_terms():
    """2^60 squares of -2^63 are 2^186; as often its product with 2^63 - 1 leaves 2^123."""
    sumsq, dot = bitfold_c.parse("sumsq:i64:out=f64"), bitfold_c.parse("dot:i64:out=f64")
    part, other, third = piece(sumsq, bitfold_c.UNKNOWN, 0), piece(dot, bitfold_c.UNKNOWN, 0), piece(dot, bitfold_c.UNKNOWN, 0)
    least, most = np.array([LEAST]), np.array([2**63 - 1])
    add(part, least), add(other, least, least), add(third, least, most)
    assert finish(doubled(part, 60), "f64") == (FORMATS["f64"].round(2**186), (1, 0, 0, 0))
    merge(doubled(other, 60), doubled(third, 60))
    assert finish(other, "f64") == (FORMATS["f64"].round(2**123), (1, 0, 0, 0))


def test_dot_needs_its_second_operand():
    with pytest.raises(bitfold_c.Refused) as refused:
        add(piece(bitfold_c.parse("dot:f32:exact"), 4, 0), np.zeros(4, np.uint32))
    assert refused.value.status == "NULL"
