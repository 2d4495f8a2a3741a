# SPDX-License-Identifier: Apache-2.0
"""bitfold.reveal: NumPy, PyTorch, Python and bitfold itself as the box, and functions that are no sums."""

import functools
import math
import operator
import platform

import bitfold
import numpy as np
import pytest

NUMPY = "numpy" if np.lib.NumpyVersion(np.__version__) >= "2.3.0" else "numpy-1"
SIZES = (*range(1, 40), 63, 64, 65, 100, 127, 128, 129, 130, 136, 200, 255, 256, 257, 300, 1000, 4096)


def in_sequence(x):
    return functools.reduce(operator.add, x)


def words_of(found):
    """The order of what was found, and of what else has the same bits there."""
    return [text.split(":")[-1] for text in (found.contract, *found.others)]


@pytest.mark.parametrize("dtype", ("f32", "f64", "f16"))
@pytest.mark.parametrize("n", (129, 300, 1000, 1024, 4096))
def test_numpy(n, dtype):
    found = bitfold.reveal(np.sum, n=n, dtype=dtype)
    assert found and NUMPY in words_of(found)
    assert words_of(found)[0] in (NUMPY, "numpy") and found.agreed == found.trials == 100
    assert found.probes <= 4100 or n != 1024


@pytest.mark.parametrize("n", SIZES)
def test_numpy_at_every_length(n):
    """Where n is so short that several orders are one, the simplest is named and NumPy's among the others."""
    found = bitfold.reveal(np.sum, n=n, dtype="f32", trials=10)
    x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    assert found
    for order in words_of(found)[:1]:
        assert bitfold.sum(x, order=found.contract.split(":", 2)[2]).tobytes() == np.sum(x).tobytes(), order


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the order is that of PyTorch for x86-64")
@pytest.mark.parametrize("n", (100, 1000, 1024, 4096))
def test_torch(n):
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        found = bitfold.reveal(lambda x: torch.from_numpy(x).sum().numpy(), n=n, dtype="f32")
    finally:
        torch.set_num_threads(before)
    assert found.contract == "sum:f32:torch"
    assert found.probes <= 3200 or n != 1024


@pytest.mark.parametrize("n", (3, 10, 300, 1000))
def test_python(n):
    assert bitfold.reveal(in_sequence, n=n, dtype="f32").contract == "sum:f32:sequential"
    assert bitfold.reveal(in_sequence, n=n, dtype="f64").contract == "sum:f64:sequential"
    assert bitfold.reveal(math.fsum, n=n, dtype="f64").contract == "sum:f64:exact"


@pytest.mark.parametrize(
    "order",
    ("exact", "sequential", "reverse", "lanes(4,fold=left)", "lanes(8,fold=pairs,tail=after)", "lanes(16,fold=halves)", "canonical(16)",
     "pairwise(32,lanes(8,fold=pairs,tail=after))", "blocks(100,sequential)", "blocks(64,lanes(4,fold=left))"))
@pytest.mark.parametrize("n", (303, 1003))
def test_own_orders(order, n):
    found = bitfold.reveal(lambda x: bitfold.sum(x, order=order), n=n, dtype="f32")
    assert found.contract == f"sum:f32:{order}"


def test_short_rows_have_one_order_by_several_names():
    assert bitfold.reveal(np.sum, n=1).contract and bitfold.reveal(np.sum, n=2).contract
    assert bitfold.reveal(lambda x: (x[0] + x[2]) + x[1], n=3).contract == "sum:f32:lanes(2,fold=left)"
    assert bitfold.reveal(lambda x: (x[0] + x[3]) + (x[1] + x[2]), n=4).contract == 'sum:f32:tree("((0+3)+(1+2))")'


def test_dots():
    sequential = lambda x, y: in_sequence(x * y)
    found = bitfold.reveal(sequential, n=40, dtype="f32", op="dot")
    assert found.contract == "dot:f32:sequential" and found.fused is False
    fused = lambda x, y: bitfold.reduce("dot:f32:sequential:fma", x, y)
    assert bitfold.reveal(fused, n=40, dtype="f32", op="dot").contract == "dot:f32:sequential:fma"


def test_accumulators():
    wide = lambda x: np.float16(in_sequence(x.astype(np.float32)))
    assert bitfold.reveal(wide, n=100, dtype="f16").contract == "sum:f16:acc=f32:sequential"
    narrow = lambda x: in_sequence(x)
    assert bitfold.reveal(narrow, n=100, dtype="f16").contract == "sum:f16:acc=f16:sequential"


def test_what_is_no_sum():
    for call in (np.max, lambda x: np.float32("nan"), lambda x: 7.0, lambda x: x[0], lambda x: np.float32(x.size)):
        found = bitfold.reveal(call, n=16)
        assert not found and found.finding != "contract" and str(found) == found.message and "\n" not in str(found)


def test_what_changes_is_said_to():
    rng = np.random.default_rng(1)
    found = bitfold.reveal(lambda x: in_sequence(rng.permutation(x)), n=50, dtype="f64")
    assert not found and found.finding == "unstable"


def test_what_sorts_first_is_said_to():
    found = bitfold.reveal(lambda x: in_sequence(np.sort(x)), n=50, dtype="f64")
    assert not found and found.finding == "values"


def test_refusals():
    with pytest.raises(ZeroDivisionError):
        bitfold.reveal(lambda x: 1 / 0, n=8)
    with pytest.raises(ValueError, match="shape"):
        bitfold.reveal(lambda x: x, n=8)
    with pytest.raises(TypeError, match="i32"):
        bitfold.reveal(np.sum, n=8, dtype="i32")
    with pytest.raises(ValueError, match="n=0"):
        bitfold.reveal(np.sum, n=0)
    with pytest.raises(ValueError, match="op='max'"):
        bitfold.reveal(np.sum, n=8, op="max")
    with pytest.raises(TypeError, match="function"):
        bitfold.reveal(7, n=8)
    with pytest.raises(ValueError, match="trials"):
        bitfold.reveal(np.sum, n=8, trials=0)
