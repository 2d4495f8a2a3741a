# SPDX-License-Identifier: Apache-2.0
"""sf.sum and the other functions of the module: the methods, for anything that sf.asarray takes."""

from __future__ import annotations

from typing import Any

from . import _linalg
from ._array import sfarray
from ._create import asarray
from ._scalars import sfscalar


def _operand(x: Any, function: str) -> sfarray:
    if isinstance(x, (sfarray, sfscalar)):
        return asarray(x)
    raise TypeError(f"sf.{function} takes SuperFloat arrays, not {type(x).__name__}; sf.array(x, dtype=...) makes one")


def sum(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, over: str | None = None, rule: Any = None,
        strict: bool | None = None) -> Any:
    """The sum, added in sequence from index 0 at the width of the data, each step clamped (S1).

    Parameters
    ----------
    x : sfarray
    axis : None, int or tuple of int
        The axes to add over. None: all, as one row-major walk whatever the memory layout; a tuple: one row-major walk over these (S4 to S6).
    out : sfarray
        Of the result's format and shape; written last, and not at all where an error is raised (S17).
    keepdims : bool
        Leaves reduced axes in the result with length 1.
    over : "raise", "warn" or "ignore"
        Instead of `errstate`'s, for this call.
    rule : str or Rule
        Instead of `use_rule`'s, for this call.
    strict : bool
        On a device: an unknown status is an error (S37).

    Returns
    -------
    scalar or sfarray
        A scalar for a full reduction (S7). An empty sum is 0.

    Raises
    ------
    SFOverflowError
        An output clamped, under ``over="raise"``.
    AxisError
        An axis is out of range, or named twice.

    >>> import sf
    >>> x = sf.array([0.1, -0.25, 0.5], dtype=sf.sf16)
    >>> sf.sum(x)
    sf16(0.350006103515625)
    """
    return _operand(x, "sum").sum(axis, None, out, keepdims, over=over, rule=rule, strict=strict)


def mean(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, over: str | None = None, rule: Any = None) -> Any:
    """The accumulator of `sum`, at the end, divided by the count exactly and rounded once, ties to even. A mean of nothing is a ValueError."""
    return _operand(x, "mean").mean(axis, None, out, keepdims, over=over, rule=rule)


def dot(a: Any, b: Any, out: Any = None, *, over: str | None = None, rule: Any = None, strict: bool | None = None) -> Any:
    """For two rows, the chain acc = fma(a[k], b[k], acc) from acc = 0, where fma(a, b, acc) = clamp(acc + toward_zero(a b)) (S20, S22).

    Operands of higher rank are passed to `matmul` (S26).

    >>> import sf
    >>> x = sf.array([0.1, -0.25, 0.5], dtype=sf.sf16)
    >>> sf.dot(x, x)
    sf16(0.322479248046875)
    """
    return _operand(a, "dot").dot(_operand(b, "dot"), out, over=over, rule=rule, strict=strict)


def matmul(a: Any, b: Any, out: Any = None, *, over: str | None = None, rule: Any = None, strict: bool | None = None) -> Any:
    """``a @ b``: each output is the chain of `dot` over k; shapes and broadcasting as numpy.matmul's (S27)."""
    return _linalg.matmul(_operand(a, "matmul"), _operand(b, "matmul"), out, over, rule, strict)


def vecdot(a: Any, b: Any, axis: Any = -1, out: Any = None, keepdims: bool = False, *, over: str | None = None, rule: Any = None,
           strict: bool | None = None) -> Any:
    """One `dot` for each pair of rows: the arrays are broadcast against each other, and their products added over the axis.

    >>> import sf
    >>> rows = sf.array([[0.5, 0.5], [0.5, -0.25]])
    >>> sf.vecdot(rows, sf.array([0.5, 0.5]))
    sfarray([0.5  , 0.125], dtype=sf16)
    """
    return _linalg.vecdot(_operand(a, "vecdot"), _operand(b, "vecdot"), axis, keepdims, out, over, rule, strict)


def max(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The largest value: exact selection on codes, no events (S29)."""
    return _operand(x, "max").max(axis, out, keepdims)


def min(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The smallest value: exact selection on codes, no events (S29)."""
    return _operand(x, "min").min(axis, out, keepdims)


def argmax(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
    """The index of the largest value, the first of equals (S30). Of several axes: the position in their row-major walk."""
    return _operand(x, "argmax").argmax(axis, out, keepdims=keepdims)


def argmin(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
    """The index of the smallest value, the first of equals (S30). Of several axes: the position in their row-major walk."""
    return _operand(x, "argmin").argmin(axis, out, keepdims=keepdims)


def trace(a: Any, b: Any = None, *, rule: Any = None) -> sfarray:
    """The running sum of a row, or the running dot of two: element i is what `sum` or `dot` would return for the first i + 1 terms.

    No events; it shows where a sum clamps, and where two rules part.

    >>> import sf
    >>> sf.trace(sf.array([0.5, 0.5, 0.5, -0.5]))
    sfarray([0.5       , 0.99996948, 0.99996948, 0.49996948], dtype=sf16)
    """
    from ._explain import traced

    return traced(_operand(a, "trace"), None if b is None else _operand(b, "trace"), rule)


def vanished(a: Any, b: Any, axis: Any = -1, *, rule: Any = None) -> Any:
    """How many products of a dot vanish: neither operand is 0, the narrowed product is (S19).

    a and b are broadcast against each other, and counted over the axis.

    >>> import sf
    >>> x = sf.from_codes([11, 12, 100], dtype=sf.sf8)
    >>> sf.vanished(x, x)
    1
    """
    from ._explain import vanished as count

    return count(_operand(a, "vanished"), _operand(b, "vanished"), axis, rule)
