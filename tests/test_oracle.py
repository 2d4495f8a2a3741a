# SPDX-License-Identifier: Apache-2.0
"""The oracle proves itself: the fast arithmetic equals the integer one, the integer one equals the processor and known values."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest

from oracle import data, superfloat
from oracle.arithmetic import Rows, Soft, decode
from oracle.contract import order_text, parse
from oracle.formats import FLOATS, FORMATS, convert
from oracle.reduce import reduce, reduce_rows


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("act", ("plus", "times", "over"))
def test_rows_arithmetic_equals_integers(name, act, seed):
    kinds = [data.floats(name, kind, 400, seed + i) for i, kind in enumerate(data.FLOAT_KINDS)]
    a = np.concatenate(kinds)
    b = np.random.default_rng(seed).permutation(a)
    rows, soft = Rows(name, len(a)), Soft(name)
    with np.errstate(all="ignore"):
        if act == "over":
            got = rows.store(name, rows.over(rows.load(name, a), 77))
            want = [soft.over(int(x), 77) for x in a]
        else:
            got = rows.store(name, getattr(rows, act)(rows.load(name, a), rows.load(name, b)))
            want = [getattr(soft, act)(int(x), int(y)) for x, y in zip(a, b)]
    wrong = np.flatnonzero(got != np.array(want, got.dtype))
    assert not wrong.size, [(hex(a[i]), hex(b[i]), hex(got[i]), hex(want[i])) for i in wrong[:3]]


@pytest.mark.parametrize("acc", FLOATS)
@pytest.mark.parametrize("output", FLOATS)
def test_rows_store_equals_integers(acc, output, seed):
    if (acc, output) == ("f64", "bf16"):
        with pytest.raises(AssertionError):
            Rows(acc, 1).store(output, np.zeros(1))
        return
    x = np.concatenate([data.floats(acc, kind, 300, seed + i) for i, kind in enumerate(data.FLOAT_KINDS)])
    with np.errstate(all="ignore"):
        got = Rows(acc, len(x)).store(output, decode(acc, x))
    assert got.tolist() == [Soft(acc).store(output, int(a)) for a in x]


@pytest.mark.parametrize("contract", ("sum:f16:acc=f16:lanes(4,fold=pairs)", "dot:bf16:acc=bf16:canonical(8)",
                                      "mean:f16:pairwise(16,lanes(8,fold=halves,tail=after))", "sumsq:f64:blocks(10,reverse)",
                                      "mean:bf16:acc=f64:helia", "sumabs:f32:acc=f64:sequential:out=f16"))
def test_rows_reduction_equals_integers(contract, seed):
    name = parse(contract).element
    for n in (0, 1, 7, 33, 100):
        x = np.stack([data.floats(name, kind, n, seed + i) for i, kind in enumerate(data.FLOAT_KINDS)])
        y = x[::-1] if contract.startswith("dot") else None
        want = [reduce(contract, row, None if y is None else y[i])[0] for i, row in enumerate(x)]
        assert reduce_rows(contract, x, y).tolist() == want


@pytest.mark.parametrize("name", ("f16", "f32", "f64"))
def test_decoded_values_equal_struct(name):
    letter, whole = {"f16": ("e", "H"), "f32": ("f", "I"), "f64": ("d", "Q")}[name]
    for code in data.floats(name, "wide", 2000, 1).tolist() + data.floats(name, "subnormal", 200, 2).tolist():
        assert FORMATS[name].value(code) == Fraction(struct.unpack("<" + letter, struct.pack("<" + whole, code))[0])


def test_exact_equals_fsum(seed):
    for i in range(300):
        x = data.floats("f64", ("near", "wide", "cancel", "subnormal", "ties", "small")[i % 6], i, seed + i)
        try:
            want = math.fsum(x.view(np.float64).tolist()) + 0.0
        except OverflowError:
            continue
        got = reduce("sum:f64:exact", x)[0]
        assert got == struct.unpack("<Q", struct.pack("<d", want))[0], (i, hex(got))


@pytest.mark.parametrize("target, code, want", (
    ("f16", 0x3F801000, 0x3C00), ("f16", 0x3F801001, 0x3C01), ("f16", 0x3F803000, 0x3C02), ("f16", 0x477FEFFF, 0x7BFF),
    ("f16", 0x477FF000, 0x7C00), ("f16", 0x33000000, 0x0000), ("f16", 0x33000001, 0x0001), ("bf16", 0x3F808000, 0x3F80),
    ("bf16", 0x3F818000, 0x3F82), ("bf16", 0x7F7FFFFF, 0x7F80), ("f16", 0x80000000, 0x8000), ("f16", 0x7F800001, 0x7E00)))
def test_known_roundings(target, code, want):
    assert convert("f32", target, code)[0] == want


def test_accumulated_rows_of_the_rules_table():
    table = ((5, 5, 5, 5, 5, 5, 5, 5), (-7, -8, -8, -7, -8, -8, -7, -7))
    for codes, wanted in zip(([2, 3], [-7, -7, -7]), table):
        assert tuple(superfloat.sum_codes(rule, 4, codes)[0] for rule in superfloat.RULES) == wanted


@pytest.mark.parametrize("order", ("sequential", "lanes(4,fold=left)", "lanes(8,fold=pairs,tail=after)", "canonical(16)",
                                   "blocks(8192,pairwise(128,lanes(8,fold=pairs,tail=after)))", 'tree("((0+1)+2)")'))
def test_order_text_is_the_inverse_of_parse(order):
    assert order_text(parse("sum:f32:" + order).order) == order
