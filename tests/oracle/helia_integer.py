# SPDX-License-Identifier: Apache-2.0
"""The integer relatives as docs/cmsis-nn-integer.md states them (I1 ...), on Python's integers and fractions, and bitfold_arm_nn_dims."""

from fractions import Fraction
from itertools import product
from math import floor, prod

SELECTIONS = ("arm_reduce_max_s8", "arm_reduce_max_s16", "arm_reduce_min_s8", "arm_reduce_min_s16")
ARGS = ("arm_argmax_s8", "arm_argmax_s16", "arm_argmin_s8", "arm_argmin_s16")
MEANS = ("arm_mean_s8", "arm_mean_s16", "arm_reduce_sum_s16")
FUNCTIONS = SELECTIONS + ARGS + MEANS
SUCCESS, ARG_ERROR = 0, -1
INT32_MAX = (1 << 31) - 1
HALF = Fraction(1, 2)


def bits(name):
    """Those of an element."""
    return 8 if name.endswith("s8") else 16


def limits(name):
    """The least and the greatest element."""
    return -1 << bits(name) - 1, (1 << bits(name) - 1) - 1


def rescale(total, multiplier, shift):
    """I22: two roundings, the first with ties to +infinity, the second with ties away from zero."""
    high = floor(Fraction(total * multiplier * 2 ** max(shift, 0), 2**31) + HALF)
    magnitude = floor(Fraction(abs(high), 2 ** max(-shift, 0)) + HALF)
    return magnitude if high >= 0 else -magnitude


def output_dims(dims, mask):
    """The extents with 1 where the mask reduces."""
    return tuple(1 if m else e for e, m in zip(dims, mask))


def domains(x, dims, mask):
    """The elements of each output in row-major order: of the outputs, and inside each of its domain."""
    lists = {key: [] for key in product(*map(range, output_dims(dims, mask)))}
    for element, at in zip(x, product(*map(range, dims))):
        lists[tuple(0 if m else i for i, m in zip(at, mask))].append(element)
    return list(lists.values())


def masked(name, x, dims, mask, scale=None):
    """The outputs of a max, a min, a mean or a sum; scale is (input_offset, out_offset, multiplier, shift)."""
    low, high = limits(name)
    lists = domains(x, dims, mask)
    if name in SELECTIONS:
        pick, nothing = (max, low) if "max" in name else (min, high)
        return [pick(terms, default=nothing) for terms in lists]  # I15, I16
    offset, zero, multiplier, shift = scale
    values = [rescale(sum(t + offset for t in terms), multiplier, shift) + zero if terms else 0 for terms in lists]  # I21, I25
    return [min(max(value, low), high) for value in values]  # I24


def arg(name, x, dims, axis):
    """The outputs of an argmax or an argmin."""
    pick = max if "max" in name else min
    return [terms.index(pick(terms)) for terms in domains(x, dims, [i == axis for i in range(4)])]  # I18


def elements(dims):
    """How many; any 0 makes it 0 (I7). The extents are not negative."""
    return prod(dims)


def fits(dims, size, present):
    """I3 and I7 for one tensor."""
    return elements(dims) * size <= INT32_MAX and (present or not elements(dims))


def masked_status(name, has_x, dims, mask, has_y, out, scale=(0, 0, 0, 0)):
    """dims, mask and out are None where the pointer is null."""
    size = bits(name) // 8
    if dims is None or mask is None or out is None or min(dims + out) < 0:
        return ARG_ERROR  # I2, I5
    if name in MEANS and (scale[2] < 0 or not -31 <= scale[3] <= 30):
        return ARG_ERROR  # I10
    own = output_dims(dims, mask)
    good = elements(out) == elements(own) and fits(dims, size, has_x) and fits(own, size, has_y)  # I6
    return SUCCESS if good else ARG_ERROR


def arg_status(name, has_x, dims, axis, has_y):
    """The same of an argmax or an argmin."""
    if dims is None or not 0 <= axis <= 3 or min(dims) < 0 or not dims[axis]:
        return ARG_ERROR  # I2, I8, I5, I9
    own = output_dims(dims, [i == axis for i in range(4)])
    return SUCCESS if fits(dims, bits(name) // 8, has_x) and fits(own, 4, has_y) else ARG_ERROR


def dims_of(rank, shape, axes):
    """D1 to D5: input_dims, axis_dims and output_dims, or None; a list of axes that is None is all of them."""
    if not 0 <= rank <= 4 or (rank and min(shape) < 0):
        return None
    axes = list(range(rank)) if axes is None else axes
    if any(not -rank <= axis < rank for axis in axes) or len({axis % rank for axis in axes}) < len(axes):
        return None
    pad = 4 - rank
    dims = (1,) * pad + tuple(shape)
    mask = tuple(int(i >= pad and i - pad in {axis % rank for axis in axes}) for i in range(4))
    return dims, mask, output_dims(dims, mask)
