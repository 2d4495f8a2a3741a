# SPDX-License-Identifier: Apache-2.0
"""The same tensor in another memory layout: permuted, reversed, spread, unaligned, byte-swapped, broadcast."""

import numpy as np


def laid_out(x, order=None, reverse=(), gap=0, offset=0, swap=False):
    """A view with the elements of x, whose axes lie in memory in `order` (slowest first), those in `reverse` backwards, each step
    widened by `gap` bytes, the first byte `offset` off alignment."""
    order = range(x.ndim) if order is None else order
    dtype = x.dtype.newbyteorder(">" if np.little_endian else "<") if swap else x.dtype
    strides, step = [0] * x.ndim, x.dtype.itemsize + gap
    for axis in reversed(list(order)):
        strides[axis] = step
        step = step * max(x.shape[axis], 1) + gap
    room = np.zeros(step + offset + 128, np.uint8)
    start = -room.__array_interface__["data"][0] % 64 + offset
    for axis in reverse:
        start += strides[axis] * max(x.shape[axis] - 1, 0)
        strides[axis] = -strides[axis]
    view = np.ndarray(x.shape, dtype, room, start, strides)
    view[...] = x
    return view
