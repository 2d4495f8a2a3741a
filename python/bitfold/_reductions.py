# SPDX-License-Identifier: Apache-2.0
"""The reductions: NumPy's conventions for axes and results, a contract for the bits."""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import Any

import numpy as np

from . import _native
from ._arrays import RANK_MAX, dtype_of, format_and_words, format_of, merged, reduced_shape
from ._native import Contract

Axis = int | tuple[int, ...] | None


@lru_cache(1024)
def _parsed(text: str) -> Contract:
    return Contract(text)


def contract(text: str) -> Contract:
    """Reads a contract, such as "sum:f16:acc=f32:lanes(4,fold=left)"; what is left out takes its default.

    Its str() is the whole text, and `reduce` takes it. ValueError: a word that is not known, or parts that do not go together.

    >>> import bitfold
    >>> str(bitfold.contract("sum:f16:lanes(4)"))
    'sum:f16:acc=f32:lanes(4,fold=left)'
    """
    return _parsed(_text(text, "contract"))


@lru_cache(1024)
def _assembled(operation: str, element: str, order: str | None, acc: str | None, output: str | None, nan: str | None) -> Contract:
    named = {"acc": acc, "out": output, "nan": nan}
    words = [operation, element, *(f"{key}={word}" for key, word in named.items() if word)]
    if order in (None, "exact"):
        return _parsed(":".join(words))
    made = _parsed(":".join([*words, order]))
    if made == _parsed(":".join([operation, element, *([f"out={output}"] if output else [])])):  # a word, but none that says an order
        raise ValueError(f"order={order!r} is no order; 'exact', 'sequential' and 'lanes(8)' are")
    return made


def _format(dtype: Any) -> str | None:
    """A format's name from a name or a dtype."""
    return None if dtype is None else format_of(dtype)


def _order(word: Any) -> str:
    """An order of the contract language, and nothing else of it."""
    if ":" not in _text(word, "order") and word:
        return str(word)
    raise ValueError(f"order={word!r}; it is one order, such as 'exact', 'sequential' or 'lanes(8)'")


def _text(value: Any, argument: str) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"{argument}={value!r}; it is a str in the contract language")


def _threads(threads: Any) -> int:
    """The argument threads= for the library, where 0 is what `engine` says."""
    if threads is None:
        return 0
    if operator.index(threads) < 1:
        raise ValueError(f"threads={threads}; it is the most threads to use, 1 or more")
    return operator.index(threads)


def _finish(found: Any, made: Contract, clamped: int, out: Any) -> Any:
    """The outputs as NumPy gives them: a scalar for rank 0, or in out."""
    if clamped and not made.element.startswith("sf"):
        raise OverflowError(f"{made.element} {made.operation}: {clamped} of {found.size} result(s) beyond {made.output}")
    dtype = dtype_of(made.output)
    found = found if found.dtype == dtype else found.view(dtype)
    if out is None:
        return found[()]
    out[...] = found
    return out


def _check_array(out: Any, dtype: Any, shape: tuple[int, ...]) -> None:
    """Refuses an out= that cannot take the result exactly, before any work."""
    if not isinstance(out, np.ndarray) or out.dtype.newbyteorder("=") != dtype:
        raise TypeError(f"out= is {getattr(out, 'dtype', type(out).__name__)}; the result is an array of {dtype}")
    if out.shape != shape:
        raise ValueError(f"out= has shape {out.shape}, the result {shape}")
    if not out.flags.writeable:
        raise ValueError("out= is read-only")


def _run(made: Contract, x: Any, y: Any, axis: Any, keepdims: bool, out: Any, threads: int) -> Any:
    if out is not None or max_rank(x, y) > RANK_MAX:
        shape = reduced_shape(x.shape if y is None else np.broadcast_shapes(x.shape, y.shape), axis, keepdims)
        if out is not None:
            _check_array(out, dtype_of(made.output), shape)
    if max_rank(x, y) <= RANK_MAX:
        found, clamped, _, _ = _native.reduce(made, x, y, axis, keepdims, threads)
    else:
        if any(part.startswith(("numpy", "torch")) for part in str(made).split(":")):  # which depend on where the axes lie
            raise ValueError(f"{made} orders arrays of up to {RANK_MAX} axes; this one has {max_rank(x, y)}")
        pair = (x, None) if y is None else np.broadcast_arrays(x, y)
        rows = merged(tuple(a for a in pair if a is not None), axis)
        found, clamped, _, _ = _native.reduce(made, rows[0], rows[1] if y is not None else None, 1, False, threads)
        found = found.reshape(shape)
    return _finish(found, made, clamped, out)


def max_rank(x: Any, y: Any) -> int:
    """The rank of what x and y are broadcast to."""
    return int(x.ndim if y is None or x.ndim > y.ndim else y.ndim)


def _reduce(operation: str, x: Any, axis: Axis, order: str | None, acc: Any, keepdims: bool, out: Any, dtype: Any, threads: Any,
            nan: str | None = None) -> Any:
    most = _threads(threads)
    x = np.asarray(x)
    if order is None and x.dtype.kind in "ub":
        return _select_unsigned(operation, x, axis, keepdims, out, threads, nan)
    element, words = format_and_words(x)
    made = _assembled(operation, element, None if order is None else _order(order), _format(acc), _format(dtype), nan)
    return _run(made, words, None, axis, keepdims, out, most)


def _select_unsigned(operation: str, x: Any, axis: Axis, keepdims: bool, out: Any, threads: Any, nan: str | None) -> Any:
    """A selection from unsigned integers, or bool: as signed ones of the same order, with the top bit flipped; max and min have x's dtype."""
    unsigned = x.view(np.uint8) if x.dtype.kind == "b" else x
    top = unsigned.dtype.type(1 << 8 * x.dtype.itemsize - 1)
    signed = (unsigned ^ top).view(f"i{x.dtype.itemsize}")
    if out is not None:
        own = np.dtype(np.int64) if operation.startswith("arg") else x.dtype.newbyteorder("=")
        _check_array(out, own, reduced_shape(x.shape, axis, keepdims))
    found = np.asarray(_reduce(operation, signed, axis, None, None, keepdims, None, None, threads, nan))
    if not operation.startswith("arg"):
        found = (found.view(f"u{x.dtype.itemsize}") ^ top).view(x.dtype.newbyteorder("="))
    if out is None:
        return found[()]
    out[...] = found
    return out


def reduce(contract: str | Contract, x: Any, y: Any = None, axis: Axis = None, keepdims: bool = False, out: Any = None,
           threads: int | None = None) -> Any:
    """A reduction by a whole contract, over the axes (None: all). x must hold the contract's element; y is for dots only.

    Codes of sfN are read from, and given as, int8 (N up to 8) or int16; the package `sf` has arrays of them.

    >>> import bitfold, numpy
    >>> bitfold.reduce("sum:f32:canonical(16):out=f64", numpy.ones((2, 3), numpy.float32), axis=1)
    array([3., 3.])
    """
    most = _threads(threads)
    made = contract if isinstance(contract, Contract) else _parsed(_text(contract, "contract"))
    return _run(made, _elements(np.asarray(x), made), None if y is None else _elements(np.asarray(y), made), axis, keepdims, out, most)


def _elements(x: Any, made: Contract) -> Any:
    if made.element.startswith("sf"):
        return x
    name, words = format_and_words(x)
    if name != made.element:
        raise TypeError(f"the array holds {x.dtype}, the contract is for {made.element}; .astype makes it that")
    return words


def sum(x: Any, axis: Axis = None, order: str = "exact", acc: Any = None, keepdims: bool = False, out: Any = None,
        threads: int | None = None, *, dtype: Any = None) -> Any:
    """The sum over the axes, with bits that depend on the data and the contract alone.

    Parameters
    ----------
    x : array
        float16, float32, float64, ml_dtypes.bfloat16 or integers; any strides.
    axis : None, int or tuple of int
        None: all axes. The terms of an output are numbered in row-major order.
    order : str
        "exact": the real sum, rounded once. Or an order: "sequential", "lanes(8)", "canonical(16)", "pairwise(128,lanes(8))", ... Sums of
        integers are always exact.
    acc : str or dtype
        The format that terms are added in, for orders other than exact; float32 for halves (under "numpy" float16), else x's.
    keepdims : bool
        Leaves reduced axes in the result with length 1.
    out : ndarray
        Receives the result at the end; of its dtype and shape.
    threads : int
        The most threads to use. No bit depends on it. None: what `engine` says, which is 1 at first, or BITFOLD_THREADS.
    dtype : str or dtype
        The format of the result; x's if left out, int64 for integers.

    Returns
    -------
    NumPy scalar or ndarray

    Raises
    ------
    OverflowError
        An integer sum is beyond its format.
    AxisError
        An axis is out of range, or named twice.

    >>> import bitfold, numpy
    >>> ones = numpy.ones(4096, numpy.float16)
    >>> float(bitfold.sum(ones, order="sequential", acc="f16")), float(bitfold.sum(ones))
    (2048.0, 4096.0)
    """
    return _reduce("sum", x, axis, order, acc, keepdims, out, dtype, threads)


def mean(x: Any, axis: Axis = None, order: str = "exact", acc: Any = None, keepdims: bool = False, out: Any = None,
         threads: int | None = None, *, dtype: Any = None) -> Any:
    """The mean over the axes: with order "exact" the real mean, rounded once; else the sum in the accumulator, one division, one rounding.

    Parameters are those of `sum`. Means of integers are float64. A mean of no elements is NaN.
    """
    return _reduce("mean", x, axis, order, acc, keepdims, out, dtype, threads)


def max(x: Any, axis: Axis = None, keepdims: bool = False, out: Any = None, threads: int | None = None, *, nan: str | None = None) -> Any:
    """The largest element, its own bits; the first of equals, so of +0 and -0 too.

    nan is "propagate" (the default: any NaN gives NaN) or "ignore" (only nothing but NaN does). Of no elements: ValueError.
    """
    return _reduce("max", x, axis, None, None, keepdims, out, None, threads, nan)


def min(x: Any, axis: Axis = None, keepdims: bool = False, out: Any = None, threads: int | None = None, *, nan: str | None = None) -> Any:
    """The smallest element; see `max`."""
    return _reduce("min", x, axis, None, None, keepdims, out, None, threads, nan)


def argmax(x: Any, axis: Axis = None, keepdims: bool = False, out: Any = None, threads: int | None = None, *, nan: str | None = None) -> Any:
    """The index of the largest element, the first of equals; of several axes, its position in their row-major walk.

    nan is "ignore" (the default: a NaN never wins, and nothing but NaN gives 0) or "propagate" (the first NaN wins, as in NumPy).
    """
    return _reduce("argmax", x, axis, None, None, keepdims, out, None, threads, nan)


def argmin(x: Any, axis: Axis = None, keepdims: bool = False, out: Any = None, threads: int | None = None, *, nan: str | None = None) -> Any:
    """The index of the smallest element; see `argmax`."""
    return _reduce("argmin", x, axis, None, None, keepdims, out, None, threads, nan)


def dot(a: Any, b: Any, axis: Axis = None, order: str = "exact", acc: Any = None, keepdims: bool = False, out: Any = None,
        threads: int | None = None, *, dtype: Any = None) -> Any:
    """The dot: products rounded to the accumulator, never fused, then added as `sum` does; with order "exact", exact products.

    With axis None, shapes are those of numpy.dot: two rows give a scalar, two matrices their matrix product. With an axis, a and b are
    broadcast against each other and a * b is summed over it. a and b have one dtype.

    >>> import bitfold, numpy
    >>> bitfold.dot(numpy.array([1e16, 1.0, -1e16]), numpy.array([1.0, 1.0, 1.0]))
    np.float64(1.0)
    """
    most = _threads(threads)
    a, b = np.asarray(a), np.asarray(b)
    element, x = format_and_words(a)
    other, y = format_and_words(b)
    if element != other:
        raise TypeError(f"dot of {a.dtype} and {b.dtype}; .astype makes them one")
    if axis is None:
        x, y, over = _as_numpy_dot(x, y)
        if keepdims:
            raise ValueError("keepdims goes with axis=; without one the shape is numpy.dot's")
    else:
        over = axis
    made = _assembled("dot", element, _order(order), _format(acc), _format(dtype), None)
    return _run(made, x, y, over, keepdims, out, most)


def _as_numpy_dot(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Views of x and y that broadcast so that the products of numpy.dot's outputs lie along the last axis."""
    if x.ndim == 0 or y.ndim == 0:
        return x, y, ()
    m, n = x.shape[-1], y.shape[-2 if y.ndim > 1 else 0]
    if m != n:
        raise ValueError(f"dot: lengths {m} and {n} differ (shapes {x.shape} and {y.shape})")
    if y.ndim == 1:
        return x, y, -1
    columns = y.swapaxes(-1, -2)
    return x.reshape(*x.shape[:-1], *(1,) * (y.ndim - 1), m), columns, -1
