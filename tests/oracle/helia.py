# SPDX-License-Identifier: Apache-2.0
"""The twelve arm_* functions as their contract's clauses (H1 ...) state them, on patterns and integers: arguments and outputs."""

from functools import lru_cache
from itertools import product
from math import prod

from .arithmetic import Soft
from .formats import FORMATS, convert
from .select import winner

SUMS, EXTREMES, ARGS = ("arm_reduce_sum", "arm_nn_mean"), ("arm_reduce_max", "arm_reduce_min"), ("arm_argmax", "arm_argmin")
FAMILIES = (SUMS, EXTREMES, ARGS)
FUNCTIONS = tuple(f"{act}_{f}" for f in ("f32", "f16") for act in SUMS + EXTREMES + ARGS)
SUCCESS, ARG_ERROR = 0, -1
INT32_MAX = (1 << 31) - 1

_SOFT = Soft("f32")


def split(name):
    """("arm_reduce_sum", "f32")"""
    act, _, element = name.rpartition("_")
    return act, element


def count(extents):
    """The elements of a tensor; none if an extent is 0 or less."""
    return prod(extents) if min(extents) > 0 else 0


def output_dims(dims, mask):
    """The extents with 1 where the mask reduces."""
    return tuple(1 if m else e for e, m in zip(dims, mask))


def mask_status(name, has_x, dims, mask, has_y, out):
    """The status of sum, mean, max or min. dims, mask and out are None where the pointer is null."""
    act, element = split(name)
    size = FORMATS[element].bits // 8
    if dims is None or mask is None or out is None:
        return ARG_ERROR  # H12 and the table
    if act == "arm_reduce_sum":
        return SUCCESS if has_x and has_y else ARG_ERROR
    if out != output_dims(dims, mask):
        return ARG_ERROR  # H15
    if act == "arm_nn_mean":
        right = has_x and has_y and min(dims) >= 1 and prod(dims) <= INT32_MAX  # H14, H16
        return SUCCESS if right else ARG_ERROR
    if min(dims) < 0 or any(m not in (0, 1) for m in mask):
        return ARG_ERROR  # H19, H26
    for extents, present in ((dims, has_x), (out, has_y)):
        if count(extents) * size > INT32_MAX or (count(extents) and not present):
            return ARG_ERROR  # H20, H22 to H25
    return SUCCESS


def arg_status(name, has_x, dims, axis, has_y):
    """The status of argmax or argmin."""
    size = FORMATS[split(name)[1]].bits // 8
    if dims is None or not 0 <= axis <= 3 or min(dims) < 0 or dims[axis] == 0:
        return ARG_ERROR  # H27, H28
    kept = dims[:axis] + dims[axis + 1:]
    for n, width, present in ((count(dims), size, has_x), (count(kept), 4, has_y)):
        if n * width > INT32_MAX or (n and not present):
            return ARG_ERROR  # H20 to H23
    return SUCCESS


def is_suffix(dims, mask):
    """H62: the reduced axes are the last ones, extents of 1 left out."""
    marks = [bool(m) for e, m in zip(dims, mask) if e != 1]
    return marks == sorted(marks)


@lru_cache(maxsize=1 << 17)
def total(element, domain, lanes):
    """H57, H61 to H64: the float32 sum of a domain, a tuple; four lanes, or one after another. Sum and mean ask for the same."""
    start, ways = 0, 4 if lanes else 1
    sums = [start] * ways
    for i, code in enumerate(domain):
        sums[i % ways] = _SOFT.plus(sums[i % ways], _SOFT.load(element, code))
    result = sums[0]
    for other in sums[1:]:
        result = _SOFT.plus(result, other)
    return result


def _reduced(act, element, domain, lanes):
    f = FORMATS[element]
    if act in ARGS:  # H44 to H48: a NaN does not take part, the first of equals wins, a line of NaN gives 0
        return winner(element, domain, act == "arm_argmax", "ignore") or 0
    if act in EXTREMES:
        if not domain:  # H37
            return f.inf | (f.sign_bit if act == "arm_reduce_max" else 0)
        at = winner(element, domain, act == "arm_reduce_max", "propagate")
        return f.nan if f.is_nan(domain[at]) else domain[at]  # H31, H34
    value = total(element, tuple(domain), lanes)
    if act == "arm_nn_mean":
        value = _SOFT.over(value, len(domain))  # H70
    return convert("f32", element, value)[0]


def outputs(name, x, dims, mask):
    """The outputs of a call that succeeds, row-major; x holds patterns. mask has one 1 for argmax and argmin: their axis."""
    act, element = split(name)
    kept = [1 if m else max(e, 0) for e, m in zip(dims, mask)]
    reduced = [max(e, 0) if m else 1 for e, m in zip(dims, mask)]
    strides = [prod(max(e, 0) for e in dims[i + 1:]) for i in range(4)]
    lanes = is_suffix(dims, mask)
    offsets = [sum(i * s for i, s in zip(at, strides)) for at in product(*map(range, reduced))]
    if not any(mask) and act in EXTREMES:
        return list(x)  # H32
    return [_reduced(act, element, [x[base + o] for o in offsets], lanes)
            for base in (sum(i * s for i, s in zip(at, strides)) for at in product(*map(range, kept)))]
