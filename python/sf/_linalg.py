# SPDX-License-Identifier: Apache-2.0
"""Every reduction of SuperFloat arrays: on the host through one door, `sum_codes`, or on a device."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bitfold import _native
from bitfold._arrays import RANK_MAX, axes_of, merged, reduced_shape
from bitfold._native import sum_codes

from ._events import settle, status
from ._rules import rule as _rule
from ._scalars import made, mixed
from ._settings import check_policy, current

if TYPE_CHECKING:
    from ._array import sfarray

__all__ = ["sum_codes"]  # replace it, and sum, mean, dot, @, the PyTorch layers and the simulator follow (S39)


def add(operation: str, x: sfarray, y: sfarray | None, axis: Any, keepdims: bool, out: Any, over: str | None, rule: Any,
        strict: bool | None) -> Any:
    """A sum of x, or of the products of x and y, over the axes (None: all): what sum, mean, dot and matmul share."""
    settings = current.get()
    dtype = x._dtype
    if over is not None:
        check_policy(over)
    others = None if y is None else y._codes
    if x._codes.ndim > RANK_MAX or (others is not None and others.ndim > RANK_MAX):
        return _add_merged(operation, x, y, axis, keepdims, out, over, rule, strict)
    own = settings.rule if rule is None else _rule(rule)
    if out is not None:
        check_out(out, x, others, axis, keepdims)
    clamped: int | None
    if settings.device is None or operation == "mean":
        codes, clamped = sum_codes(x._codes, others, dtype.bits, own, axis, keepdims, operation == "mean")
    else:
        codes, clamped = settings.device.add(operation, x._codes, others, dtype, own, axis, keepdims, strict)
    return deliver(operation, x, codes, clamped, out, over)


def _add_merged(operation: str, x: sfarray, y: sfarray | None, axis: Any, keepdims: bool, out: Any, over: str | None, rule: Any,
                strict: bool | None) -> Any:
    """The same for more axes than the library takes."""
    codes = (x._codes,) if y is None else tuple(np.broadcast_arrays(x._codes, y._codes))
    shape = reduced_shape(codes[0].shape, axis, keepdims)
    rows = [x._like(row) for row in merged(codes, axis)]
    into = None if out is None else out.reshape(-1)
    made = add(operation, rows[0], rows[1] if y is not None else None, 1, False, into, over, rule, strict)
    if out is not None:
        return out
    return made.reshape(shape) if shape else made[0]


def deliver(operation: str, x: sfarray, codes: Any, clamped: int | None, out: Any, over: str | None) -> Any:
    """Sets the status, settles the events, and only then writes: codes as a scalar or an array, or into out."""
    status.saturated = clamped
    result = wrap(x, codes)
    if clamped:
        settle(x.dtype.__name__, operation, clamped, getattr(codes, "size", 1), result, over)
    if out is None:
        return result
    out._codes[...] = codes
    return out


def wrap(x: sfarray, codes: Any) -> Any:
    """Codes of x's format: an integer or an array of rank 0 as a scalar, any other as an array."""
    if type(codes) is int:
        return made(x._dtype, codes)
    return x._like(codes) if codes.ndim else made(x._dtype, int(codes))


def check_out(out: Any, x: sfarray, others: Any, axis: Any, keepdims: bool) -> None:
    """Refuses an out= of another kind or shape, before any work."""
    shape = x.shape if others is None else np.broadcast_shapes(x.shape, others.shape)
    shape = reduced_shape(shape, axis, keepdims)
    if not isinstance(out, type(x)):
        raise TypeError(f"out= takes an sfarray, not {type(out).__name__}")
    if out.dtype is not x.dtype:
        raise TypeError(f"out= holds {out.dtype}, the result is {x.dtype}")
    if out.shape != shape:
        raise ValueError(f"out= has shape {out.shape}, the result {shape}")
    if not out._codes.flags.writeable:
        raise ValueError("out= is read-only")


def dot(a: sfarray, b: sfarray, out: Any, over: str | None, rule: Any, strict: bool | None) -> Any:
    """S20 for two rows; S26: higher ranks are matmul's."""
    _check_operands("dot", a, b)
    if a.ndim > 1 or b.ndim > 1:
        return matmul(a, b, out, over, rule, strict)
    return add("dot", a, b, None, False, out, over, rule, strict)


def _check_operands(operation: str, a: sfarray, b: sfarray) -> None:
    if a.dtype is not b.dtype:
        raise TypeError(mixed(a.dtype, operation, b.dtype))
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(f"{operation} takes arrays of rank 1 and higher, not of rank {a.ndim} and {b.ndim}; * multiplies by a scalar")
    m, n = a.shape[-1], b.shape[-2] if b.ndim > 1 else b.shape[0]
    if m != n:
        raise ValueError(f"{operation}: lengths {m} and {n} differ (shapes {a.shape} and {b.shape})")


def matmul(a: sfarray, b: sfarray, out: Any, over: str | None, rule: Any, strict: bool | None) -> Any:
    """S27: each output is the dot of a row of a and a column of b; shapes as in numpy.matmul."""
    _check_operands("matmul", a, b)
    try:
        np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ValueError(f"matmul: the leading axes of shapes {a.shape} and {b.shape} cannot be broadcast together") from None
    x, y = a._codes, b._codes
    if b.ndim > 1:
        y = y.swapaxes(-1, -2)
    if a.ndim > 1 and b.ndim > 1:
        x, y = x[..., :, None, :], y[..., None, :, :]
    axis = None if a.ndim == 1 and b.ndim == 1 else -1
    return add("matmul", a._like(x), a._like(y), axis, False, out, over, rule, strict)


def check_summed(name: str, a: sfarray, b: sfarray, axis: Any) -> None:
    """Refuses operands that cannot be broadcast, or whose lengths along an axis that is added over differ (S25)."""
    try:
        rank = len(np.broadcast_shapes(a.shape, b.shape))
    except ValueError:
        raise ValueError(f"{name}: shapes {a.shape} and {b.shape} cannot be broadcast together") from None
    for number in axes_of(axis, rank):
        if number < rank - min(a.ndim, b.ndim):
            continue  # an axis that one of them does not have
        m, n = ((1,) * (rank - x.ndim) + x.shape for x in (a, b))
        if m[number] != n[number]:
            raise ValueError(f"{name}: lengths {m[number]} and {n[number]} differ (shapes {a.shape} and {b.shape})")


def vecdot(a: sfarray, b: sfarray, axis: Any, keepdims: bool, out: Any, over: str | None, rule: Any, strict: bool | None) -> Any:
    """The dots along an axis of two arrays that are broadcast against each other."""
    if a.dtype is not b.dtype:
        raise TypeError(mixed(a.dtype, "vecdot", b.dtype))
    check_summed("vecdot", a, b, axis)
    return add("dot", a, b, axis, keepdims, out, over, rule, strict)


@lru_cache(256)
def contract(text: str) -> _native.Contract:
    """A contract that is parsed once."""
    return _native.Contract(text)


def select(operation: str, x: sfarray, axis: Any, keepdims: bool, out: Any) -> Any:
    """max, min, argmax, argmin: exact selection on codes, the first of equals, no events (S29, S30)."""
    device, index = current.get().device, operation.startswith("arg")
    if x._codes.ndim > RANK_MAX:
        made = select(operation, x._like(merged((x._codes,), axis)[0]), 1, False, None if out is None else out.reshape(-1))
        shape = reduced_shape(x.shape, axis, keepdims)
        return out if out is not None else made.reshape(shape) if shape else made[0]
    if out is not None and not index:
        check_out(out, x, None, axis, keepdims)
    if device is None:
        found = _native.reduce(contract(f"{operation}:{x.dtype.__name__}"), x._codes, None, axis, keepdims)[0]
    else:
        found = device.select(operation, x._codes, x.dtype, axis, keepdims)
    if not index:
        return deliver(operation, x, found, 0, out, None)
    status.saturated = 0
    if out is None:
        return found if found.ndim else int(found)
    if not isinstance(out, np.ndarray) or out.dtype != np.int64:
        raise TypeError(f"out= of {operation} is an int64 ndarray, not {getattr(out, 'dtype', type(out).__name__)}")
    if out.shape != found.shape:
        raise ValueError(f"out= has shape {out.shape}, the result {found.shape}")
    out[...] = found
    return out
