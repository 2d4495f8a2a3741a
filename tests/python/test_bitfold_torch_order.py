# SPDX-License-Identifier: Apache-2.0
"""order="torch" on NumPy arrays: the bits of the installed PyTorch on tensors over the same memory."""

import platform
from itertools import combinations

import bitfold
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the order is that of PyTorch for x86-64")


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def same(got, want):
    want = want.numpy()
    assert np.shape(got) == want.shape and np.asarray(got).dtype == want.dtype and np.asarray(got).tobytes() == want.tobytes()


@pytest.mark.parametrize("dtype", (np.float16, np.float32, np.float64))
@pytest.mark.parametrize("layout", ("C", "Fortran", "sliced"))
def test_every_set_of_axes(layout, dtype, seed):
    x = np.random.default_rng(seed).standard_normal((7, 40, 36)).astype(dtype)
    x = {"C": x, "Fortran": np.asfortranarray(x), "sliced": x[:, ::2, 1:35]}[layout]
    for count in (1, 2, 3):
        for axes in combinations(range(3), count):
            for keepdims in (False, True):
                same(bitfold.sum(x, axes, "torch", keepdims=keepdims), torch.sum(torch.from_numpy(x), axes, keepdims))
                same(bitfold.mean(x, axes, "torch", keepdims=keepdims), torch.mean(torch.from_numpy(x), axes, keepdims))


def test_two_threads(seed):
    x = np.random.default_rng(seed).standard_normal(100_003, np.float32)
    torch.set_num_threads(2)
    same(bitfold.sum(x, order="torch(2)", threads=1), torch.from_numpy(x).sum())


def test_acc_and_dtype_are_torchs_dtype(seed):
    x = np.random.default_rng(seed).standard_normal((30, 50)).astype(np.float16)
    for name, dtype in (("f32", np.float32), ("f64", np.float64)):
        want = torch.sum(torch.from_numpy(x), 0, dtype=getattr(torch, f"float{name[1:]}"))
        same(bitfold.sum(x, 0, "torch", acc=dtype, dtype=dtype), want)


def test_what_no_tensor_is_is_refused():
    x = np.ones((4, 6), np.float32)
    with pytest.raises(ValueError, match="axis 0 is negative"):
        bitfold.sum(x[::-1], 0, "torch")
    with pytest.raises(ValueError, match="orders arrays of up to 8 axes; this one has 9"):
        bitfold.sum(np.zeros((2,) * 9, np.float32), order="torch")
