# SPDX-License-Identifier: Apache-2.0
"""The order of np.sum and np.mean, from what NumPy's iterator does with the axes' extents and steps. Since NumPy 2.3 it chooses by cost
how many loops to buffer; this is that choice itself, of which the library knows only what it comes to."""

from itertools import accumulate
from math import prod

BUFFER = 8192


def _step(shape, strides, axis):
    return 0 if shape[axis] == 1 else abs(strides[axis])


def nested(shape, strides):
    """The axes, the innermost first: sorted from the last on, each put below those of longer steps that it meets before one that is no
    longer; a step of 0 compares with nothing."""
    found = []
    for axis in reversed(range(len(shape))):
        mine = _step(shape, strides, axis)
        place = len(found)
        for k in reversed(range(len(found))):
            other = _step(shape, strides, found[k])
            if mine and other:
                if other <= mine:
                    break
                place = k
        found.insert(place, axis)
    return found


def loops(shape, strides, axes):
    """[extent, step of x, step of the output], the innermost first; the output is as NumPy allocates it, and axes are merged where
    both operands go on as before."""
    found, step = [], 1
    for axis in nested(shape, strides):
        extent = shape[axis]
        if extent == 1:
            continue
        loop = [extent, strides[axis], 0 if axis in axes else step]
        step *= 1 if axis in axes else extent
        last = found[-1] if found else None
        if last and all(last[0] * last[k] == loop[k] for k in (1, 2)):
            last[0] *= extent
        else:
            found.append(loop)
    return found


def _chosen(found, cast):
    """(innermost loops that x is taken through at once, the elements in them, those in the loops but the last of them, whether they
    lie in the buffer)."""
    cost, size, outer = 1 + cast, found[0][0], None
    single = {1: 1, 2: 1}  # how many loops an operand goes through in one step
    best = (0, cost, size, 1)
    for d in range(1, len(found)):
        if outer is not None or (size >= BUFFER and cost > 1):
            break
        last, loop = found[d - 1], found[d]
        for k in (1, 2):
            if single[k] == d:
                if last[0] * last[k] == loop[k]:
                    single[k] += 1
                    continue
                cost += not (cast and k == 1)
            if k == 2 and 0 in (loop[k], last[k]):
                outer = d
        core, size = size, size * loop[0]
        room = min(size, BUFFER) if cost > 1 else size
        if cost * best[2] <= best[1] * room:
            best = (d, cost, size, core)
    depth, _, size, core = best
    if depth and depth == outer:  # the output moves on in the last of them
        return core, core, 1, bool(cast) or single[1] + 1 <= depth
    return size, size, core, bool(cast) or single[1] <= depth


def runs(shape, strides, axes, cast, before):
    """(the reduced axes, the outermost first, in which the terms are taken; the lengths of the runs, or None: one by one)."""
    found = loops(shape, strides, axes)
    sequence = tuple(a for a in reversed(nested(shape, strides)) if a in axes)
    terms = prod(shape[a] for a in axes)
    if not found or found[0][2] or not terms:
        return sequence, None
    if before:
        inner = list(accumulate((l[0] for l in found), lambda a, b: a * b))
        count = next((i for i, l in enumerate(found) if l[2]), len(found))
        period, most = inner[count - 1], BUFFER
    else:
        period, size, core, buffered = _chosen(found, cast)
        most = period if not buffered or size <= BUFFER else core * (BUFFER // core)
    one = [most] * (period // most) + ([period % most] if period % most else [])
    return sequence, one * (terms // period)


def kernel(plus, zero, terms):
    """Pairwise sums of eight accumulators each."""
    n = len(terms)
    if n > 128:
        left = n // 2 - n // 2 % 8
        return plus(kernel(plus, zero, terms[:left]), kernel(plus, zero, terms[left:]))
    if n < 8:
        sums, rest = zero, terms
    else:
        r = list(terms[:8])
        for i in range(8, n - n % 8):
            r[i % 8] = plus(r[i % 8], terms[i])
        sums = plus(plus(plus(r[0], r[1]), plus(r[2], r[3])), plus(plus(r[4], r[5]), plus(r[6], r[7])))
        rest = terms[n - n % 8 :]
    for x in rest:
        sums = plus(sums, x)
    return sums


def total(arithmetic, terms, lengths):
    """The sum of terms in runs of those lengths; halves are added in float32 and rounded after each run."""
    acc = arithmetic.zero
    if lengths is None:
        for x in terms:
            acc = arithmetic.plus(acc, x)
        return acc
    wide, up, down = arithmetic.wide()
    at = 0
    for n in lengths:
        run = kernel(wide.plus, wide.zero, [up(x) for x in terms[at : at + n]])
        acc = down(wide.plus(up(acc), run))
        at += n
    return acc
