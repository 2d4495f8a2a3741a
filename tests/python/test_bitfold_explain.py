# SPDX-License-Identifier: Apache-2.0
"""bitfold.explain, separate and tree: what they find, and that what they find is true."""

import ml_dtypes
import numpy as np
import pytest

import bitfold

X = np.random.default_rng(3).normal(size=(4, 5, 60))
CONTRACTS = ("sequential", "reverse", "exact", "lanes(4,fold=left)", "lanes(16,fold=halves,tail=after)", "canonical(8)",
             "pairwise(8,sequential)", "blocks(16,sequential)", "acc=f64:lanes(8,fold=pairs)", "sequential:ftz")


@pytest.mark.parametrize("dtype", (np.float16, ml_dtypes.bfloat16, np.float32, np.float64), ids=("f16", "bf16", "f32", "f64"))
@pytest.mark.parametrize("op", ("sum", "mean", "sumsq"))
def test_a_named_contract_explains_its_own_outputs(op, dtype):
    x = X.astype(dtype)
    element = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}[np.dtype(dtype).name]
    for words in CONTRACTS:
        own = bitfold.contract(f"{op}:{element}:{words}")
        got = bitfold.reduce(own, x, axis=2)
        found = bitfold.explain(x, got, op=op, axis=2, threads=2)
        assert str(own) in found.contracts and found and found.outputs == 20
        for other in found.contracts[:: max(1, len(found.contracts) // 5)]:
            assert bitfold.reduce(other, x, axis=2).tobytes() == got.tobytes(), other
        for trial in found.nearest[:: max(1, len(found.nearest) // 5)]:
            made = bitfold.reduce(trial.contract, x, axis=2)
            same = [a.tobytes() == b.tobytes() for a, b in zip(made.reshape(-1), got.reshape(-1))]
            assert sum(same) == trial.matched and np.ravel_multi_index(trial.first, got.shape) == same.index(False) and trial.ulps > 0


def test_dots():
    x, y = (a.astype(np.float32) for a in (X[0], X[1]))
    for parts in ("lanes(4,fold=left):fma", "sequential:fma:ftz", "exact:out=f64"):
        own = str(bitfold.contract(f"dot:f32:{parts}"))
        assert own in bitfold.explain(x, bitfold.reduce(own, x, y, axis=1), y, axis=1).contracts
    matrices = bitfold.dot(x, y.T, order="lanes(8)")
    assert "dot:f32:lanes(8,fold=left)" in bitfold.explain(x, matrices, y.T).contracts


def test_numbers_of_python():
    x = np.array([3, -9, 7], np.int32)
    assert bitfold.explain(x, 1).contracts == ("sum:i32:exact:out=i64",)
    assert "sum:f32:exact" in bitfold.explain(np.float32([0.1, 0.2]), 0.3).contracts  # 0.3 as float32
    assert bitfold.explain(x, -9, op="min").contracts == ("min:i32",)
    assert "argmax:f64:nan=ignore:out=i64" in bitfold.explain(np.array([1.0, np.nan, 4.0]), 2, op="argmax").contracts


def test_parts_that_are_known():
    x = X[0].astype(np.float32)
    got = bitfold.sum(x, order="canonical(3)")
    assert bitfold.explain(x, got, contract="canonical(3)").contracts == ("sum:f32:canonical(3)", "sum:f32:canonical(3):ftz")
    assert "canonical(3)" not in str(bitfold.explain(x, got))
    assert all(":acc=f64:" in c for c in bitfold.explain(x, np.float64(3), contract="acc=f64").nearest[0].contract.split())


def test_printing():
    x = X[0].astype(np.float32)
    got = bitfold.sum(x, axis=1, order="reverse")
    text = str(bitfold.explain(x, got, axis=1))
    assert text.startswith("yes sum:f32:reverse\n") and "cannot tell these" in text and "\nno  sum:f32:" in text
    got[3] = 0
    found = bitfold.explain(x, got, axis=1)
    assert not found and "no  sum:f32:reverse  4 of 5 outputs; first not [3], " in str(found)
    assert str(found).endswith("Nothing explains all outputs; the nearest is first.")
    assert "NaN against a number" in str(bitfold.explain(x, np.float32("nan")))
    assert dir(found) == ["contracts", "nearest", "outputs"] and repr(found) == str(found)


def test_separate():
    for a, b in (("sum:f32:sequential", "sum:f32:lanes(4)"), ("sum:f64:lanes(8)", "sum:f64:canonical(8)"), ("sum:bf16:acc=bf16:reverse", "sum:bf16:reverse"),
                 ("sum:sf8:sf", "sum:sf8:guarded31"), ("dot:f16:acc=f16:sequential", "dot:f16:acc=f16:sequential:fma")):
        found = bitfold.separate(a, b)
        pair = found if isinstance(found, tuple) else (found,)
        assert len(pair) == 1 + a.startswith("dot") and pair[0].ndim == 1
        assert bitfold.reduce(a, *pair) != bitfold.reduce(b, *pair)
    assert bitfold.separate("sum:f32:sequential", "sum:f32:lanes(1)", trials=500) is None
    assert bitfold.separate(bitfold.contract("sum:f32:lanes(64)"), "sum:f32:lanes(32)", longest=32, trials=500) is None


def test_trees_are_the_order():
    for order in ("sequential", "reverse", "lanes(4,tail=after)", "canonical(3)", "pairwise(8,lanes(3))", "blocks(7,exact)", "exact", "helia"):
        for n in (1, 2, 3, 9, 60):
            x = X[0, 0, :n].astype(np.float32)
            assert bitfold.sum(x, order=bitfold.tree(f"sum:f32:{order}", n)) == bitfold.sum(x, order=order), (order, n)
    assert bitfold.tree("sum:sf8:sf", 3) == 'tree("((0+1)+2)")'


def test_refusals():
    x = X[0].astype(np.float32)
    for call, error, says in (
            (lambda: bitfold.explain(x, np.float32(1), op="dot"), ValueError, "op='dot' takes two arrays, x and y"),
            (lambda: bitfold.explain(x, np.float32(1), x, op="sum"), ValueError, "op='sum' takes one array; y is for dots"),
            (lambda: bitfold.explain(x, np.float32(1), op="summ"), ValueError, "'summ' is not known; nearest: sum"),
            (lambda: bitfold.explain(x, np.ones(3, "f4"), axis=1), ValueError, r"got has shape \(3,\), the reduction makes \(5,\)"),
            (lambda: bitfold.explain(x, np.float32(1), contract="acc=f16"), ValueError, "no usual contract has these parts"),
            (lambda: bitfold.explain(x, np.float32(1), X[0]), TypeError, "dot of float32 and float64"),
            (lambda: bitfold.explain(x, np.float32(1), op=3), TypeError, "op=3; it is a str"),
            (lambda: bitfold.explain(np.array(["a"]), 1), TypeError, "no format for dtype"),
            (lambda: bitfold.separate("sum:f32", "sum:f64"), ValueError, "only contracts of one operation and element"),
            (lambda: bitfold.separate("sum:f32", "sum:f32:sequential", trials=0), ValueError, "1 or more"),
            (lambda: bitfold.tree("max:f32", 3), ValueError, "max adds nothing"),
            (lambda: bitfold.tree("sum:f32", 0), ValueError, "a tree has 1 to 65536 terms, not 0")):
        with pytest.raises(error, match=says):
            call()
