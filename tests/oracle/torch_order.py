# SPDX-License-Identifier: Apache-2.0
"""PyTorch's sum and mean on x86-64 processors, step by step as its loops run: axes are sorted and merged, the two innermost are
summed in blocks of one of four shapes, and what a block gives is added to the outputs. C works output by output instead."""

from math import prod

import numpy as np

from .arithmetic import decode, encode

GRAIN = 32768  # elements worth a thread
LEVELS = 4


class Sums:
    """What the element format decides: the accumulator, a vector's length, and how an output is rounded when it is added to."""

    def __init__(self, element):
        self.element = element
        self.size = {"f32": 4, "f64": 8}.get(element, 2)
        self.type = np.float64 if element == "f64" else np.float32
        self.lanes = 4 if element == "f64" else 8
        self.vector = 2 * self.lanes if self.size == 2 else self.lanes  # elements in 32 bytes

    def rounded(self, x):
        return decode(self.element, encode(self.element, np.atleast_1d(x))).astype(self.type)


def cascade(rows):
    """Rows are added to the lowest of four levels; every `step` of them it empties into the next, whenever that is full too."""
    power = max(4, (len(rows) - 1).bit_length() // LEVELS)
    levels = np.zeros((LEVELS,) + rows.shape[1:], rows.dtype)
    for i, row in enumerate(rows, 1):
        levels[0] += row
        if i % (1 << power):
            continue
        for level in range(1, LEVELS):
            levels[level] += levels[level - 1]
            levels[level - 1] = 0
            if (i >> (level * power)) % (1 << power):
                break
    total = levels[0]
    for level in levels[1:]:
        total = total + level
    return total


def four_ways(rows):
    """Row i joins sum i mod 4, left-overs the first one; then the others are added to that."""
    whole = len(rows) // 4 * 4
    ways = cascade(rows[:whole].reshape((whole // 4, 4) + rows.shape[1:]))
    total = ways[0]
    for row in rows[whole:]:
        total = total + row
    for way in ways[1:]:
        total = total + way
    return total


def along(sums, block):
    """Each column of a block whose columns are contiguous in memory: vectors of it, then its tail and the lanes in sequence."""
    whole = len(block) // sums.vector * sums.vector
    vectors = block[:whole].reshape((whole // sums.vector, sums.vector) + block.shape[1:])
    if sums.size == 2:
        vectors = vectors[:, : sums.lanes] + vectors[:, sums.lanes :]
    total = np.zeros(block.shape[1:], block.dtype)
    for part in (*block[whole:], *four_ways(vectors)):
        total = total + part
    return total


def columns(sums, block, down, across):
    """The sum of each column, whose elements lie `down` apart in memory and its neighbours `across`, in elements."""
    if down == 1 and len(block) >= sums.vector:
        return along(sums, block)
    if across == 1 and block.shape[1] >= sums.vector:
        group = 4 * sums.lanes
    elif down < across:
        return four_ways(block)
    else:
        group = 4
    grouped = block.shape[1] // group * group
    return np.concatenate([cascade(block[:, :grouped]), four_ways(block[:, grouped:])])


def add_block(sums, x, out, sizes, strides, outs):
    """The two innermost loops. x and out are flat, from the block's first element on."""
    if outs[0] and not outs[1]:
        sizes, strides, outs = sizes[::-1], strides[::-1], outs[::-1]
    (n, m), (down, across) = sizes, strides
    at = np.arange(n)[:, None] * down + np.arange(m) * across
    if outs[0]:  # nothing is reduced
        to = np.arange(n)[:, None] * outs[0] + np.arange(m) * outs[1]
        out[to] = x[at] + out[to]
        return
    for i, total in enumerate(columns(sums, x[at], down, across)):
        j = i * outs[1]
        out[j] = sums.rounded(out[j] + sums.rounded(total)[0])[0]


def each_block(sums, x, out, axes, begin, end):
    """Elements [begin, end) of the loops over axes, of (extent, stride, output's stride) each and the innermost first."""
    axes = axes + [(1, 0, 0)] * (2 - len(axes))
    while begin < end:
        at, rest = [], begin
        for extent, _, _ in axes:
            at.append(rest % extent)
            rest //= extent
        n, m = min(axes[0][0] - at[0], end - begin), 1
        if n == axes[0][0]:
            m = min(axes[1][0] - at[1], (end - begin) // n)
        start, first = (sum(i * axis[k] for i, axis in zip(at, axes)) for k in (1, 2))
        add_block(sums, x[start:], out[first:], (n, m), [a[1] for a in axes[:2]], [a[2] for a in axes[:2]])
        begin += n * m


def sort(count, before):
    """Insertion from the last axis on; before(a, b) is above 0 where b goes inside a, 0 where that is left open."""
    axes = list(range(count))[::-1]
    for i in range(1, count):
        for j in range(i - 1, -1, -1):
            order = before(axes[j], axes[i])
            if order > 0:
                axes[i], axes[j], i = axes[j], axes[i], j
            elif order < 0:
                break
    return axes


def by_strides(shape, kinds):
    """The comparison of two axes: by the output's strides, if given, which are 0 for reduced axes; then by the input's."""
    def before(a, b):
        for strides, is_output in kinds:
            x, y = strides[a], strides[b]
            if is_output and (x == 0) != (y == 0):
                return 1 if y == 0 else -1
            if x and y and x != y:
                return 1 if x > y else -1
            if x and y and shape[a] > shape[b]:
                return 1
        return 0
    return before


def loops(shape, strides, outs):
    """The axes as loops, the innermost first, merged where one goes on where the other ends."""
    merged = []
    for a in sort(len(shape), by_strides(shape, ((outs, True), (strides, False)))):
        n, s, o = shape[a], strides[a], outs[a]
        if merged:
            m, t, p = merged[-1]
            if m == 1 or n == 1 or (m * t == s and m * p == o):
                merged[-1] = (m * n,) + ((s, o) if m == 1 else (t, p))
                continue
        merged.append((n, s, o))
    return merged


def is_dense(shape, strides):
    step = 1
    for stride, extent in sorted((s, n) for s, n in zip(strides, shape) if n != 1):
        if stride != step:
            return False
        step *= extent
    return True


def copy_strides(shape, strides):
    """Where a copy in another format puts the elements: as they were if they were dense, else packed in the same sequence."""
    if is_dense(shape, strides):
        return list(strides)
    packed, step = [0] * len(shape), 1
    for a in sort(len(shape), by_strides(shape, ((strides, False),))):
        packed[a] = step
        step *= shape[a]
    return packed


def split_axis(axes, threads):
    """The axis whose outputs are dealt out to the threads."""
    best = len(axes) - 1
    for i in range(len(axes) - 1, -1, -1):
        if axes[i][2] == 0:
            break
        if axes[i][0] >= threads:
            return i
        if axes[i][0] > axes[best][0]:
            best = i
    return best


def in_two_passes(sums, x, out, axes, threads):
    """One output: each thread has a place of its own for its sum, and the places are summed."""
    n = prod(axis[0] for axis in axes)
    pieces = min(threads, -(-n // GRAIN))
    size = -(-n // pieces)
    places = np.zeros(threads, sums.type)
    for i in range(pieces):
        each_block(sums, x, places[i:], axes, i * size, min(n, (i + 1) * size))
    each_block(sums, places, out, [(threads, 1, 0)], 0, threads)


def in_shares(sums, x, out, axes, threads):
    """Several outputs: each thread takes neighbours along one axis, cut at 128 bytes where they are contiguous."""
    split = split_axis(axes, threads)
    extent, stride, output = axes[split]
    size = -(-extent // min(threads, extent))
    unit = 128 // sums.size if stride == 1 else 1
    for first in range(0, extent, size):
        begin, end = first // unit * unit, min(extent, first + size)
        end = end if end == extent else end // unit * unit
        if begin < end:
            share = axes[:split] + [(end - begin, stride, output)] + axes[split + 1 :]
            each_block(sums, x[begin * stride :], out[begin * output :], share, 0, prod(axis[0] for axis in share))


def _sum(element, x, base, shape, strides, outs, outputs, threads):
    sums, out, axes = Sums(element), None, loops(shape, strides, outs)
    out = np.zeros(outputs, sums.type)
    elements = prod(shape)
    if elements < GRAIN or threads == 1:
        each_block(sums, x[base:], out, axes, 0, elements)
    else:
        (in_two_passes if outputs == 1 else in_shares)(sums, x[base:], out, axes, threads)
    return out


def reduce(operation, element, x, axes, threads=1, accumulator=None, output=None):
    """Patterns of the outputs of sum or mean. x holds patterns, and its strides, which are not negative, are the layout."""
    output = output or element
    accumulator = accumulator or ("f64" if element == "f64" else "f32")
    axes = {a % x.ndim for a in ((axes,) if isinstance(axes, int) else axes)}
    kept = [i for i in range(x.ndim) if i not in axes]
    outs, step = [0] * x.ndim, 1
    for i in reversed(kept):
        outs[i], step = step, step * max(x.shape[i], 1)
    shape, strides = x.shape, [s // x.itemsize for s in x.strides]
    outputs = prod(shape[i] for i in kept)
    with np.errstate(all="ignore"):
        if not x.size:
            total = np.zeros(outputs, Sums(accumulator).type)
        else:
            flat = np.lib.stride_tricks.as_strided(x, (1 + sum((n - 1) * s for n, s in zip(shape, strides)),), (x.itemsize,))
            values = decode(element, np.ascontiguousarray(flat)).astype(Sums(accumulator).type)
            several = sum(1 for n, _, o in loops(shape, strides, outs) if n > 1 and not o) > 1
            if output != element or (Sums(element).size == 2 and (operation == "mean" or several)):  # a copy is summed
                packed = copy_strides(shape, strides)
                copy = np.zeros(1 + sum((n - 1) * s for n, s in zip(shape, packed)), values.dtype)
                view = lambda a, steps: np.lib.stride_tricks.as_strided(a, shape, [s * a.itemsize for s in steps])
                view(copy, packed)[...] = view(values, strides)
                values, strides, element = copy, packed, accumulator
            total = _sum(element, values, 0, shape, strides, outs, outputs, threads)
        if operation == "mean":
            total = total / total.dtype.type(prod(shape[i] for i in axes))
    return encode(output, total).reshape([shape[i] for i in kept])
