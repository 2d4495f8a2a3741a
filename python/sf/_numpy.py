# SPDX-License-Identifier: Apache-2.0
"""What NumPy's own functions do with SuperFloat arrays: those that move elements about, those that compare, the reductions, + - *."""

from __future__ import annotations

import operator
from typing import Any, Callable

import numpy as np

from . import _functions, _linalg
from ._array import _check_dtype, _coded, sfarray
from ._scalars import ABSOLUTE, ADD, MULTIPLY, NEGATIVE, SUBTRACT, made, mixed, sfscalar

_MAPS = {"add": (ADD, "+"), "subtract": (SUBTRACT, "-"), "multiply": (MULTIPLY, "*"), "negative": (NEGATIVE, ""), "absolute": (ABSOLUTE, "")}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le, "greater": operator.gt,
    "greater_equal": operator.ge}
_SELECTIONS = {"maximum": np.maximum, "minimum": np.minimum, "fmax": np.maximum, "fmin": np.minimum}

# Functions that put codes elsewhere and make no new ones; all the arrays in the first argument of _JOINS are SuperFloat.
_JOINS = ("concatenate", "concat", "stack", "vstack", "hstack", "dstack", "column_stack", "row_stack", "block", "broadcast_arrays")
_MOVES = ("reshape", "ravel", "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis", "rollaxis", "squeeze", "expand_dims",
          "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to", "unstack", "split", "array_split", "vsplit", "hsplit", "dsplit", "tile",
          "repeat", "flip", "fliplr", "flipud", "roll", "rot90", "take", "take_along_axis", "compress", "extract", "delete", "insert", "append",
          "where", "diagonal", "diag", "tril", "triu", "sort", "unique", "copy", "pad", "resize", *_JOINS)
# Functions that only look at codes: their order and zeros are those of the values.
_LOOKS = ("shape", "size", "ndim", "argsort", "lexsort", "nonzero", "flatnonzero", "argwhere", "count_nonzero", "any", "all", "shares_memory",
          "may_share_memory", "iscomplexobj", "isrealobj")
# Functions that compare values, of whatever kinds.
_COMPARE_VALUES = ("array_equal", "array_equiv", "isin", "searchsorted")
# Where the array stands, if not first; and the arguments that are values to put beside it, which are converted as sf.array does.
_PLACES: dict[str, tuple[int, ...]] = {"extract": (1,), "compress": (1,), "where": (1, 2)}
_VALUES: dict[str, tuple[int | str, ...]] = {"where": (1, 2), "append": (1, "values"), "insert": (2, "values"), "pad": ("constant_values", "end_values")}
_PADS = ("constant", "edge", "wrap", "reflect", "symmetric", "empty", "maximum", "minimum")  # modes that make no new codes
_REDUCTIONS: dict[str, Callable[..., Any]] = {"sum": _functions.sum, "mean": _functions.mean, "dot": _functions.dot, "max": _functions.max, "min": _functions.min,
               "amax": _functions.max, "amin": _functions.min, "argmax": _functions.argmax, "argmin": _functions.argmin,
               "matmul": _functions.matmul}


def ufunc(function: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """numpy.add(x, y) and its like, and reductions by them."""
    name, out = function.__name__, options.pop("out", (None,))[0]
    inputs = tuple(sfarray._of(x.codes, x.dtype) if isinstance(x, sfscalar) else x for x in inputs)
    if not any(isinstance(x, sfarray) for x in inputs):
        raise TypeError(f"numpy.{name}: out= is an sfarray, and no operand is; sf.array(..., dtype=...) makes one")
    if method == "reduce" and name in ("add", "maximum", "minimum"):
        axis = options.pop("axis", 0)
        call = {"add": _functions.sum, "maximum": _functions.max, "minimum": _functions.min}[name]
        _refuse_options(function, {k: v for k, v in options.items() if k not in ("keepdims", "dtype") or (k == "dtype" and v is not None)})
        return call(inputs[0], axis, out, options.get("keepdims", False))
    if method != "__call__":
        raise TypeError(f"numpy.{name}.{method} is not for SuperFloat arrays; numpy.{name}.{method}(numpy.asarray(x)) works on the values, in float64")
    _refuse_options(function, {k: v for k, v in options.items() if name != "vecdot" or k not in ("axis", "keepdims")})
    if name == "vecdot":
        return _functions.vecdot(inputs[0], inputs[1], options.get("axis", -1), out, options.get("keepdims", False))
    if name == "matmul":
        return _functions.matmul(inputs[0], inputs[1], out)
    if name == "positive" and out is None:
        return +inputs[0]
    if name in _COMPARISONS:
        result = _compare(name, *inputs)
    elif name in _MAPS:
        result = _map(name, inputs)
    elif name in _SELECTIONS:
        result = _select(name, *inputs)
    else:
        raise TypeError(f"numpy.{name} is not for SuperFloat arrays; numpy.{name}(numpy.asarray(x)) works on the values, in float64")
    return result if out is None else _into(out, result)


def _refuse_options(function: Any, options: dict[str, Any]) -> None:
    if options:
        raise TypeError(f"numpy.{function.__name__} of SuperFloat arrays takes no {', '.join(options)}")


def _map(name: str, inputs: tuple[Any, ...]) -> Any:
    operation, symbol = _MAPS[name]
    x = inputs[0]
    if len(inputs) == 1:
        return x._map(operation, None)
    if isinstance(x, sfarray):
        return x._binary(inputs[1], operation, symbol)
    return inputs[1]._binary(x, operation, symbol, True)


def _compare(name: str, x: Any, y: Any) -> Any:
    if isinstance(x, sfarray):
        return _COMPARISONS[name](x, y)
    mirrored = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}
    return _COMPARISONS[mirrored.get(name, name)](y, x)


def _select(name: str, x: Any, y: Any) -> Any:
    own = x if isinstance(x, sfarray) else y
    codes = _SELECTIONS[name](own._operand(x, name).codes, own._operand(y, name).codes)
    return _linalg.wrap(own, np.asarray(codes))


def _into(out: Any, result: Any) -> Any:
    if isinstance(out, sfarray):
        if not isinstance(result, (sfarray, sfscalar)) or result.dtype is not out.dtype:
            raise TypeError(f"out= holds {out.dtype}, the result does not")
        if np.shape(result) != out.shape:
            raise ValueError(f"out= has shape {out.shape}, the result {np.shape(result)}")
        out[...] = result
    else:
        if isinstance(result, (sfarray, sfscalar)):
            raise TypeError(f"out= takes an sfarray, not {type(out).__name__}")
        out[...] = result
    return out


def function(called: Any, args: Any, options: Any) -> Any:
    """numpy.concatenate(...) and its like."""
    name = called.__name__
    if name in _REDUCTIONS:
        return _reduce(name, args, options)
    if name in ("array_repr", "array_str"):
        return repr(args[0]) if name == "array_repr" else str(args[0])
    if name in ("zeros_like", "ones_like", "full_like", "empty_like"):
        return _made_like(name, args, options)
    if name in _COMPARE_VALUES:
        return called(*[np.asarray(a) if isinstance(a, (sfarray, sfscalar)) else a for a in args], **options)
    if name == "clip":
        return _clip(*args, **options)
    if name in _LOOKS:
        return called(*[_bare(arg) for arg in args], **{key: _bare(arg) for key, arg in options.items()})
    if name in ("cumsum", "cumulative_sum"):
        raise TypeError(f"numpy.{name} is not for SuperFloat arrays; sf.trace(x) is the running sum of a row")
    if name not in _MOVES:
        full = f"{called.__module__}.{name}"
        raise TypeError(f"{full} is not for SuperFloat arrays; {full}(numpy.asarray(x)) works on the values, in float64")
    return _moved(called, name, args, options)


# The arguments of NumPy's functions, in their places.
_SIGNATURES = {"dot": ("a", "b", "out"), "matmul": ("a", "b", "out"), "sum": ("a", "axis", "dtype", "out", "keepdims"),
               "mean": ("a", "axis", "dtype", "out", "keepdims"), "argmax": ("a", "axis", "out"), "argmin": ("a", "axis", "out")}


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None, **options: Any) -> Any:
    if options:
        raise TypeError(f"numpy.clip of SuperFloat arrays takes no {', '.join(options)}")
    low, high = (None if limit is np._NoValue else limit for limit in (a_min if min is None else min, a_max if max is None else max))
    result = a.clip(low, high)
    return result if out is None else _into(out, result)


def _reduce(name: str, args: Any, options: Any) -> Any:
    given = dict(zip(_SIGNATURES.get(name, ("a", "axis", "out", "keepdims")), args)) | options
    given = {key: value for key, value in given.items() if value is not None and value is not np._NoValue}
    strange = [key for key in given if key not in ("a", "b", "axis", "dtype", "out", "keepdims")]
    if strange:
        raise TypeError(f"numpy.{name} of SuperFloat arrays takes axis, out and keepdims, not {', '.join(strange)}")
    operands = [given.pop(key) for key in ("a", "b") if key in given]
    if "dtype" in given:
        _check_dtype(given.pop("dtype"), operands[0].dtype)
    return _REDUCTIONS[name](*operands, **given)


def _moved(called: Any, name: str, args: Any, options: Any) -> Any:
    dtype = _format_in(name, (args, options))
    if "dtype" in options or "casting" in options:
        raise TypeError(f"numpy.{name} of SuperFloat arrays takes no dtype; .astype converts")
    if options.get("out") is not None:
        return _into(options["out"], _moved(called, name, args, {key: value for key, value in options.items() if key != "out"}))
    if name == "pad" and (_pad_mode(args, options) not in _PADS or options.get("reflect_type", "even") != "even"):
        raise TypeError(f"numpy.pad of SuperFloat arrays copies codes: mode is one of {', '.join(_PADS)}, reflect_type 'even'")
    places, values = _PLACES.get(name, (0,)), _VALUES.get(name, ())
    if name in _JOINS:
        _check_joined(name, args if name == "broadcast_arrays" else args[0], dtype)
    elif not any(isinstance(args[i], (sfarray, sfscalar)) for i in places if i < len(args)):
        return _only_conditions(called, name, args, options)
    codes = [_coded(arg, dtype) if i in values else _argument(name, i, arg, places) for i, arg in enumerate(args)]
    named = {key: _coded(arg, dtype) if key in values else arg for key, arg in options.items()}
    return _dressed(called(*codes, **named), dtype)


def _only_conditions(called: Any, name: str, args: Any, options: Any) -> Any:
    """A SuperFloat array as the condition of where, extract or compress, over other arrays."""
    if name not in _PLACES:
        raise TypeError(f"numpy.{name}: the array itself is no sfarray; sf.array(..., dtype=...) makes it one")
    return called(_bare(args[0]) != 0, *args[1:], **options)


def _argument(name: str, i: int, arg: Any, places: tuple[int, ...]) -> Any:
    """The codes of the array, or another argument, which is no array of SuperFloat unless it is a condition."""
    if i in places or name in _JOINS:
        return _bare(arg)
    if isinstance(arg, sfarray) and name not in _PLACES:
        raise TypeError(f"numpy.{name}: argument {i + 1} is an sfarray, which is no index")
    return _bare(arg)


def _pad_mode(args: Any, options: Any) -> Any:
    return args[2] if len(args) > 2 else options.get("mode", "constant")


def _leaves(value: Any) -> Any:
    """All that stands in nested lists, tuples and dicts."""
    if isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)
    else:
        yield value


def _format_in(name: str, arguments: Any) -> Any:
    """The one format among the arguments."""
    found = [leaf.dtype for leaf in _leaves(arguments) if isinstance(leaf, (sfarray, sfscalar))]
    for dtype in found:
        if dtype is not found[0]:
            raise TypeError(mixed(found[0], f"numpy.{name}", dtype))
    return found[0]


def _check_joined(name: str, arrays: Any, dtype: Any) -> None:
    for leaf in _leaves(arrays):
        if not isinstance(leaf, (sfarray, sfscalar)):
            raise TypeError(f"numpy.{name} of {dtype} and {type(leaf).__name__}: make it an sfarray first, with sf.array(..., dtype=sf.{dtype})")


def _made_like(name: str, args: Any, options: Any) -> Any:
    from . import _create

    strange = [key for key in options if key not in ("dtype", "shape", "order", "subok", "fill_value")]
    if strange:
        raise TypeError(f"numpy.{name} of SuperFloat arrays takes no {', '.join(strange)}")
    x, *rest = args
    like = x if options.get("shape") is None else _create.zeros(options["shape"], x.dtype)
    dtype = options.get("dtype")
    if name == "full_like":
        return _create.full_like(like, rest[0] if rest else options["fill_value"], dtype)
    return (_create.ones_like if name == "ones_like" else _create.zeros_like)(like, rest[0] if rest else dtype)


def _bare(value: Any) -> Any:
    """The same argument with codes in the place of arrays."""
    if isinstance(value, (sfarray, sfscalar)):
        return value.codes
    if isinstance(value, (list, tuple)):
        return type(value)(_bare(part) for part in value)
    return value


def _dressed(result: Any, dtype: Any) -> Any:
    """The result's codes as arrays and scalars again; what is not a code (the indices of unique) stays."""
    if isinstance(result, tuple) and result and isinstance(result[0], np.ndarray) and any(part.dtype == np.intp for part in result):
        return type(result)((sfarray._of(result[0], dtype), *result[1:]))
    if isinstance(result, (list, tuple)):
        return type(result)(_dressed(part, dtype) for part in result)
    if isinstance(result, np.integer):
        return made(dtype, int(result))
    return sfarray._of(result, dtype) if isinstance(result, np.ndarray) else result
