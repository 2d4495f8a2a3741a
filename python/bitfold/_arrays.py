# SPDX-License-Identifier: Apache-2.0
"""NumPy's dtypes as formats of the library."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

try:
    from numpy.exceptions import AxisError
except ImportError:  # NumPy before 1.25
    from numpy import AxisError  # type: ignore[no-redef, attr-defined]

RANK_MAX = 8

_NAMES = {"e": "f16", "f": "f32", "d": "f64", "b": "i8", "h": "i16"}
_WIDENED = {"?": np.int8, "B": np.int16, "H": np.int32}


def format_and_words(x: Any) -> tuple[str, Any]:
    """The name of an array's format, and the array as the library reads it: itself, or where it has no such format one that it fits in."""
    dtype = x.dtype
    name = _NAMES.get(dtype.char)
    if name is not None:
        return name, x
    if dtype.kind == "i":
        return ("i32" if dtype.itemsize == 4 else "i64"), x
    if dtype.char in _WIDENED:
        wide = np.dtype(_WIDENED[dtype.char])
        return _NAMES.get(wide.char, "i32"), x.astype(wide)
    if dtype.kind == "u" and dtype.itemsize == 4:
        return "i64", x.astype(np.int64)
    if dtype.kind == "u":
        if x.size and int(x.max()) > np.iinfo(np.int64).max:
            raise ValueError(f"uint64 values beyond 2^63 - 1, such as {int(x.max())}; .astype(float) rounds them")
        return "i64", x.astype(np.int64)
    if dtype.name == "bfloat16":
        return "bf16", x.view(np.uint16)
    raise TypeError(f"no format for dtype {dtype}; float16, float32, float64, bfloat16 and integers have one, and .astype makes them")


_DTYPES: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
_FORMATS = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}


def dtype_of(name: str) -> Any:
    """What NumPy calls the elements of a format."""
    if name == "bf16":
        from ml_dtypes import bfloat16

        return np.dtype(bfloat16)
    if name.startswith("sf"):
        return np.dtype(np.int8 if int(name[2:]) <= 8 else np.int16)
    return np.dtype(_DTYPES[name])


def format_of(dtype: Any) -> str:
    """The name of the format that a name or a dtype stands for."""
    if isinstance(dtype, str) and dtype in (*_DTYPES, "bf16"):
        return dtype
    found = np.dtype(dtype)
    if found.name == "bfloat16":
        return "bf16"
    if found in _FORMATS:
        return _FORMATS[found]
    raise TypeError(f"{dtype!r} is no format; f16, bf16, f32, f64 and i8 to i64 are, or the dtypes of these")


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes that are named, counted from the front; with the library's own errors, for where they must come before its call."""
    if axis is None:
        return tuple(range(rank))
    given = tuple(map(operator.index, axis if isinstance(axis, tuple) else (axis,)))
    for number in given:
        if not -rank <= number < rank:
            raise AxisError(f"axis {number} is out of range for rank {rank}")
    axes = tuple(number % rank for number in given)
    for i, number in enumerate(axes):
        if number in axes[:i]:
            raise AxisError(f"axis {number} is named twice")
    return axes


def reduced_shape(shape: tuple[int, ...], axis: Any, keepdims: bool) -> tuple[int, ...]:
    """The shape that a reduction leaves. AxisError for axes that are not there or named twice."""
    axes = axes_of(axis, len(shape))
    return tuple(1 if i in axes else n for i, n in enumerate(shape) if keepdims or i not in axes)


def merged(arrays: tuple[Any, ...], axis: Any) -> tuple[Any, ...]:
    """Copies of arrays of one shape with more axes than the library takes, as matrices whose rows are the terms of one output each, in sequence."""
    shape = arrays[0].shape
    axes = axes_of(axis, len(shape))
    kept = [i for i in range(len(shape)) if i not in axes]
    outputs = int(np.prod([shape[i] for i in kept], dtype=object))
    terms = int(np.prod([shape[i] for i in sorted(axes)], dtype=object))
    return tuple(x.transpose(*kept, *sorted(axes)).reshape(outputs, terms) for x in arrays)
