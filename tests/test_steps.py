# SPDX-License-Identifier: Apache-2.0
"""fma and ftz: every order, element and accumulator that they go with, on hostile rows; witnesses where single steps differ."""

import ctypes as c

import numpy as np
import pytest

import bitfold_c
import witness
from oracle import data
from oracle.formats import ACCUMULATORS, FLOATS, FORMATS
from oracle.reduce import reduce

FUSED = ("sequential", "reverse", "lanes(1)", "lanes(4,fold=left)", "lanes(8,fold=pairs,tail=after)", "lanes(5,fold=pairs)",
         "lanes(8,fold=halves)", "blocks(7,sequential)", "pairwise(8,lanes(3))", "blocks(20,pairwise(16,reverse))")
FLUSHED = (*FUSED, "helia", "canonical(1)", "canonical(4)", "canonical(100)", "pairwise(20,canonical(4))")
PAIRS = [(e, a) for e in FLOATS for a in ACCUMULATORS[e]]
LENGTHS = (0, 1, 2, 3, 7, 8, 9, 17, 40)


def near_the_least(name, n, seed):
    """Products and quotients just about the least normal number: factors whose exponents add up to its own."""
    f, rng = FORMATS[name], np.random.default_rng(seed)
    bias = (1 << (f.bits - f.precision - 1)) - 1
    field = np.clip(rng.integers(bias // 2 - 2, bias // 2 + 3, n), 1, None)
    mantissa = (1 << (f.precision - 1)) - 1 - rng.integers(0, 3, n) * rng.integers(0, 2, n)
    return (rng.integers(0, 2, n) << (f.bits - 1) | field << (f.precision - 1) | mantissa).astype(f.storage)


def rows(name, n, seed):
    made = [data.floats(name, kind, n, seed + 100 * n + i) for i, kind in enumerate(data.FLOAT_KINDS)]
    return np.stack([*made, near_the_least(name, n, seed + n)])


def compare(contract, element, output, n, seed):
    x = rows(element, n, seed)
    y = np.roll(rows(element, n, seed + 50), 3, axis=0) if contract.startswith("dot") else None
    if y is not None:
        y[-1] = near_the_least(element, n, seed + 7)
    want = [reduce(contract, row, None if y is None else y[i])[0] for i, row in enumerate(x)]
    witness.same(contract, bitfold_c.reduce(contract, x, y, axes=1)[0], want, x, element, output, y)


@pytest.mark.parametrize("element, acc", PAIRS)
@pytest.mark.parametrize("operation", ("dot", "sumsq"))
@pytest.mark.parametrize("parts", ("fma", "fma:ftz"))
def test_fused_products(parts, operation, element, acc, seed, full):
    for i, order in enumerate(FUSED):
        for n in LENGTHS if full else LENGTHS[i % 5 :: 5]:
            compare(f"{operation}:{element}:acc={acc}:{order}:{parts}", element, element, n, seed)


@pytest.mark.parametrize("element, acc", PAIRS)
@pytest.mark.parametrize("operation", ("sum", "mean", "dot", "sumsq", "sumabs"))
def test_flushed_steps(operation, element, acc, seed, full):
    for i, order in enumerate(FLUSHED):
        if order != "helia" or operation in ("sum", "mean"):
            for n in LENGTHS if full else LENGTHS[i % 5 :: 5]:
                compare(f"{operation}:{element}:acc={acc}:{order}:ftz", element, element, n, seed)


@pytest.mark.parametrize("operation", ("sum", "mean", "dot"))
def test_cmsis_dsp_as_helium_has_it(operation, seed):
    for n in (*LENGTHS, 70):
        compare(f"{operation}:f32:cmsis-dsp:ftz", "f32", "f32", n, seed)


@pytest.mark.parametrize("element, acc", PAIRS)
def test_flushed_trees(element, acc, seed):
    for n, tree in ((1, "0"), (2, "(1+0)"), (5, "((0+3)+(1+2+4))"), (6, "(5+(0+1+2+3)+4)")):
        for operation in ("sum", "dot", "mean"):
            compare(f'{operation}:{element}:acc={acc}:tree("{tree}"):ftz', element, element, n, seed)


@pytest.mark.parametrize("output", FLOATS)
def test_outputs_are_not_flushed(output, seed):
    for operation in ("sum", "mean", "dot"):
        compare(f"{operation}:f32:lanes(4):ftz:out={output}", "f32", output, 9, seed)


def test_one_rounding_instead_of_two():
    """x^2 = 1 + 2^-11 + 2^-24: rounded to f32 first it loses 2^-24, and then less 1 - 2^-24 is 2^-24 short."""
    x = np.array([1, 1 + 2.0**-12], np.float32)
    y = np.array([-1, 1 + 2.0**-12], np.float32)
    bits = lambda parts: int(bitfold_c.reduce(f"dot:f32:sequential{parts}", x.view(np.uint32), y.view(np.uint32))[0])
    assert bits("") == int(np.float32(2.0**-11).view(np.uint32))
    assert bits(":fma") == int(np.float32(2.0**-11 + 2.0**-24).view(np.uint32))


def test_a_double_would_round_twice():
    """1 + 2^-24 + 2^-60 is above the tie; in double it would be the tie itself, which goes down to even."""
    x = np.array([1, 2.0**-12, 2.0**-30], np.float32)
    y = np.array([1, 2.0**-12 + 2.0**-36, 1], np.float32)
    got = int(bitfold_c.reduce("dot:f32:sequential:fma", x.view(np.uint32), y.view(np.uint32))[0])
    assert got == reduce("dot:f32:sequential:fma", x.view(np.uint32).tolist(), y.view(np.uint32).tolist())[0]
    tie = np.array([[1, 1 + 2.0**-23], [2.0**-12, 1 - 2.0**-23]], np.float32)  # 2^-24 + 2^-60 beside 1
    low = np.array([2.0**-12 * (1 + 2.0**-18)], np.float32)
    pair = np.array([1, low[0]], np.float32), np.array([1, np.float32(2.0**-12 * (1 - 2.0**-18 + 2.0**-23))], np.float32)
    for a, b in (pair, (tie[0], tie[1])):
        a, b = a.view(np.uint32), b.view(np.uint32)
        assert int(bitfold_c.reduce("dot:f32:sequential:fma", a, b)[0]) == reduce("dot:f32:sequential:fma", a, b)[0]


def test_results_are_flushed_before_they_are_rounded():
    """(1 - 2^-24) 2^-126 rounds to 2^-126, the least normal number, yet lies below it."""
    x, y = np.array([1 - 2.0**-24], np.float32), np.array([2.0**-126], np.float32)
    bits = lambda parts: int(bitfold_c.reduce(f"dot:f32:sequential{parts}", x.view(np.uint32), y.view(np.uint32))[0])
    assert (bits(""), bits(":ftz"), bits(":fma:ftz")) == (0x00800000, 0, 0)


def test_zeros_keep_their_sign_until_they_are_added():
    x = np.array([0x80000001, 0x80000001], np.uint32)
    assert int(bitfold_c.reduce('sum:f32:tree("(0+1)"):ftz', x)[0]) == 0  # -0 + -0, then added to +0
    assert int(bitfold_c.reduce("mean:f32:sequential:ftz:out=f64", np.array([0x00800000, 0x80000000], np.uint32))[0]) == 0


@pytest.mark.parametrize("contract, says", {
    "sum:f32:sequential:fma": "fma is for the products of dot and sumsq; sum has none",
    "dot:f32:canonical(4):fma": "canonical adds products to one another",
    'dot:f32:tree("(0+1)"):fma': "tree adds products to one another",
    "dot:f32:blocks(8,canonical(2)):fma": "canonical adds", "dot:f32:fma": "exact rounds no single step; leave fma out",
    "sum:f32:exact:ftz": "exact rounds no single step; leave ftz out", "sum:f32:blocks(4,exact):ftz": "exact rounds no single step",
    "dot:f32:cmsis-dsp:fma": "cmsis-dsp says by itself whether its products are fused; leave fma out",
    "sum:f16:numpy:ftz": "numpy keeps subnormals, as NumPy does; leave ftz out",
    "dot:sf8:sf:fma": "fma is for sums of floats, not of sf8", "sum:i8:ftz": "ftz is for sums of floats, not of i8",
    "max:f32:ftz": "max adds nothing: leave ftz out"}.items())
def test_refusals(contract, says):
    with pytest.raises(bitfold_c.Refused) as refused:
        bitfold_c.parse(contract)
    assert refused.value.status == "CONTRACT" and says in refused.value.message


def test_text():
    for text, printed in {
            "dot:f32:fma:lanes(4)": "dot:f32:lanes(4,fold=left):fma",
            "ftz:dot:f16:fma:fma:sequential:out=f32": "dot:f16:acc=f32:sequential:fma:ftz:out=f32",
            "mean:bf16:acc=bf16:ftz:reverse": "mean:bf16:acc=bf16:reverse:ftz"}.items():
        assert bitfold_c.text(bitfold_c.parse(text)) == printed == bitfold_c.text(bitfold_c.parse(printed))
    equal = lambda a, b: bitfold_c.lib.bitfold_contract_equal(c.byref(bitfold_c.parse(a)), c.byref(bitfold_c.parse(b)))
    assert equal("dot:f32:fma:sequential", "dot:f32:sequential:fma")
    assert not equal("dot:f32:fma:sequential", "dot:f32:sequential") and not equal("sum:f32:ftz:sequential", "sum:f32:sequential")


def test_words_nearby():
    for typo, word in (("fna", "fma"), ("ftx", "ftz"), ("fzt", "ftz")):
        with pytest.raises(bitfold_c.Refused, match=word):
            bitfold_c.parse(f"dot:f32:sequential:{typo}")
