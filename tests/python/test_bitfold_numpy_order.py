# SPDX-License-Identifier: Apache-2.0
"""bitfold.sum, mean and dot in NumPy's order beside the installed NumPy: layouts, scalars, keepdims, formats."""

from itertools import combinations

import numpy as np
import pytest

import bitfold

ORDER = "numpy" if tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 3) else "numpy-1"
DTYPES = (np.float16, np.float32, np.float64)


def arrays(dtype, seed):
    x = np.random.default_rng(seed).normal(size=(6, 70, 40)).astype(dtype)
    return {"C": x, "Fortran": np.asfortranarray(x), "transposed": x.transpose(1, 2, 0), "sliced": x[::2, 3:, ::-1],
            "repeated": np.broadcast_to(x[:, :1], x.shape), "swapped": x.astype(x.dtype.newbyteorder())}


def same(a, b):
    assert type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape
    assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", arrays(np.float16, 0))
def test_sum_and_mean_over_every_axis_set(layout, dtype, seed):
    x = arrays(dtype, seed)[layout]
    for count in range(4):
        for axes in combinations(range(3), count):
            for keepdims in (False, True):
                same(bitfold.sum(x, axes, ORDER, keepdims=keepdims), np.sum(x, axes, keepdims=keepdims))
                same(bitfold.mean(x, axes, ORDER, keepdims=keepdims), np.mean(x, axes, keepdims=keepdims))
    same(bitfold.sum(x, order=ORDER, threads=3), np.sum(x))


def test_the_dtype_of_numpy_is_acc_and_dtype(seed):
    x = arrays(np.float16, seed)["sliced"]
    for dtype in (np.float32, np.float64):
        same(bitfold.sum(x, 1, ORDER, acc=dtype, dtype=dtype), np.sum(x, 1, dtype))
        same(bitfold.mean(x, (0, 2), ORDER, acc=dtype, dtype=dtype), np.mean(x, (0, 2), dtype))


def test_out_takes_the_same_bits(seed):
    x = arrays(np.float32, seed)["Fortran"]
    out = np.zeros((6, 40), np.float32)
    bitfold.sum(x, 1, ORDER, out=out)
    same(out, np.sum(x, 1))


def test_dot_of_halves(seed):
    x = arrays(np.float16, seed)["C"]
    a, b = x[0], x[1].T
    same(bitfold.dot(a, b, order=ORDER), np.dot(a, b))
    same(bitfold.dot(a[0], a[1], order=ORDER), np.dot(a[0], a[1]))
    with pytest.raises(ValueError, match="NumPy leaves a dot of f32 to a BLAS"):
        bitfold.dot(a.astype("f4"), b.astype("f4"), order=ORDER)


def test_more_axes_than_eight_are_refused():
    with pytest.raises(ValueError, match="orders arrays of up to 8 axes; this one has 9"):
        bitfold.sum(np.zeros((2,) * 9, np.float32), order=ORDER)
