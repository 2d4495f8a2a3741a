# SPDX-License-Identifier: Apache-2.0
"""One reduction of one row, and of a tensor over axes, under a contract's text: what every other test compares with."""

from itertools import product

import numpy as np

from . import exact, numpy_order, orders, torch_order
from .arithmetic import Rows, Soft
from .contract import NUMPY, parse
from .formats import FLOATS, FORMATS
from .select import select
from .steps import Steps
from .superfloat import mean_codes, sum_codes


class Empty(ValueError):
    """max, min, argmax, argmin, or a mean that is a code, of no elements."""


def _finish(output, value):
    rounded = FORMATS[output].round(value)
    return rounded if isinstance(rounded, tuple) else (rounded, 0)


def _exact(c, x, y):
    f = FORMATS[c.element]
    if c.operation == "mean" and not x:
        if c.output not in FLOATS:
            raise Empty
        return FORMATS[c.output].nan, 0
    values = [exact.scaled(f, a) for a in x] if y is None else [exact.times(f, a, b) for a, b in zip(x, y)]
    if c.operation == "sumabs":
        values = [exact.absolute(v) for v in values]
    value = exact.total(values)
    if c.operation == "mean" and not isinstance(value, str):
        value = value / len(x)
    return _finish(c.output, value)


def _fused_lanes(arithmetic, terms, others):
    """The dot of CMSIS-DSP on Helium: four lanes of fused additions."""
    lanes = [0] * 4
    for i, (a, b) in enumerate(zip(terms, others)):
        lanes[i % 4] = arithmetic.fused(lanes[i % 4], a, b)
    return orders.sequential(arithmetic.plus, lanes[0], lanes[1:]), arithmetic


def _ordered(c, terms, others, arithmetic, runs=None, scalar=False):
    """(sum or mean, the arithmetic that it is a value of) in a float order of terms that the arithmetic has loaded, times others where
    there are any; under numpy in runs of those lengths, and as a scalar or in an array."""
    order, kind = c.order, type(arithmetic)
    if order[0] == "cmsis-dsp":
        if others is not None:
            return _fused_lanes(arithmetic, terms, others)
        order = ("lanes", 4, "left", "after" if c.operation == "mean" else "lanes")
    if others is not None:
        order = ("sequential",) if c.order[0] in NUMPY else order
        terms = [arithmetic.times(a, b) for a, b in zip(terms, others)]
    elif c.order[0] in NUMPY:
        cast = c.accumulator != c.element
        order = (c.order[0], runs or numpy_order.runs((len(terms),), (1,), (0,), cast, c.order[0] == "numpy-1"))
    acc = orders.total(arithmetic, order, terms)
    if c.operation != "mean":
        return acc, arithmetic
    if c.order[0] not in NUMPY:
        return arithmetic.over(acc, len(terms)), arithmetic
    wide = Soft("f64") if kind is Soft else Rows("f64", len(acc))
    quotient = arithmetic.over_f64(acc, len(terms))
    if scalar and c.element == c.output == "f16" and c.accumulator == "f32":
        return quotient, wide
    if kind is Soft:
        return wide.store(c.accumulator, quotient), arithmetic
    return quotient.astype(arithmetic.type), arithmetic


def _absolute(element, a):
    return a & ~FORMATS[element].sign_bit if element in FLOATS else abs(a)


def reduce(text, x, y=None, runs=None, scalar=False):
    """(pattern or code, clamp event) of a row of patterns or codes, Python integers. runs and scalar are numpy's, for a row of a
    tensor."""
    c = parse(text)
    x, y = [int(a) for a in x], None if y is None else [int(b) for b in y]
    if c.operation in ("max", "min", "argmax", "argmin"):
        if not x:
            raise Empty
        return select(c.operation, c.element, x, c.nan), 0
    if c.order and c.order[0] == "torch":
        row = np.array(x, FORMATS[c.element].storage)
        return int(torch_order.reduce(c.operation, c.element, row, 0, (c.order + (1,))[1], c.accumulator, c.output)), 0
    if c.operation == "sumsq":
        y = x
    if c.order and c.order[0] == "exact":
        return _exact(c, x, y)
    if c.operation == "sumabs":
        x = [_absolute(c.element, a) for a in x]
    if c.rule:
        bits = FORMATS[c.element].bits
        if c.operation != "mean":
            return sum_codes(c.rule, bits, x, y)
        if not x:
            raise Empty
        return mean_codes(c.rule, bits, x)
    if c.operation == "mean" and not x:
        return FORMATS[c.output].nan, 0
    arithmetic = Steps(c.accumulator, c.fma, c.ftz) if c.fma or c.ftz else Soft(c.accumulator)
    loaded = [None if a is None else [arithmetic.load(c.element, k) for k in a] for a in (x, y)]
    acc, last = _ordered(c, *loaded, arithmetic, runs, scalar)
    return last.store(c.output, acc), 0


def reduce_rows(text, x, y=None):
    """The patterns of each row of a two-dimensional array under a float order, by the fast arithmetic."""
    c = parse(text)
    if c.fma or c.ftz:
        return np.array([reduce(text, a, None if y is None else y[i])[0] for i, a in enumerate(x)], FORMATS[c.output].storage)
    if c.order[0] == "cmsis-dsp" and y is not None:
        return np.array([reduce(text, *pair)[0] for pair in zip(x, y)], FORMATS[c.output].storage)
    if x.shape[1] == 0 and c.operation == "mean":
        return np.full(len(x), FORMATS[c.output].nan, FORMATS[c.output].storage)
    if c.operation == "sumabs":
        x = x & x.dtype.type(FORMATS[c.element].sign_bit - 1)
    y = x if c.operation == "sumsq" else y
    arithmetic = Rows(c.accumulator, len(x))
    with np.errstate(all="ignore"):
        columns = [None if a is None else list(arithmetic.load(c.element, np.ascontiguousarray(a.T))) for a in (x, y)]
        acc, arithmetic = _ordered(c, *columns, arithmetic)
        if c.output == "bf16" and c.accumulator == "f64":
            return np.array([Soft("f64").store("bf16", int(a)) for a in acc.view(np.uint64)], np.uint16)
        return arithmetic.store(c.output, acc)


def is_suffix(shape, axes):
    """Whether the reduced axes are the last ones, axes of extent 1 left out (H62)."""
    marks = [i in axes for i, extent in enumerate(shape) if extent != 1]
    return marks == sorted(marks)


def reduce_tensor(text, x, axes=None, keepdims=False, y=None):
    """(array of patterns or codes, number of clamped outputs) of an array over axes, as bitfold_reduce gives."""
    axes = set(range(x.ndim)) if axes is None else {a % x.ndim for a in axes}
    c = parse(text)
    if c.order and c.order[0] == "helia" and not is_suffix(x.shape, axes):
        text = text.replace("helia", "sequential")
    kept = [i for i in range(x.ndim) if i not in axes]
    runs, inner = None, sorted(axes)
    if c.order and c.order[0] in NUMPY and y is None:
        address = x.__array_interface__["data"][0]
        odd = [k % x.itemsize for k in (address, *(s for s, e in zip(x.strides, x.shape) if e > 1))]
        cast = c.accumulator != c.element or not x.dtype.isnative or any(odd)
        runs = numpy_order.runs(x.shape, x.strides, axes, cast, c.order[0] == "numpy-1")
        inner = list(runs[0])
    scalar = not kept and not (keepdims and x.ndim)
    sequence = [sorted(axes).index(a) for a in inner]
    out = np.zeros([x.shape[i] for i in kept], FORMATS[c.output].storage)
    events = 0
    for at in product(*(range(x.shape[i]) for i in kept)):
        index = tuple(at[kept.index(i)] if i in kept else slice(None) for i in range(x.ndim))
        row = lambda a: np.asarray(a[index]).transpose(sequence).reshape(-1).tolist()
        out[at], event = reduce(text, row(x), None if y is None else row(y), runs, scalar)
        events += event
    return (out.reshape([1 if i in axes else e for i, e in enumerate(x.shape)]) if keepdims else out), events
