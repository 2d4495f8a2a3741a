# SPDX-License-Identifier: Apache-2.0
"""Which contracts make exactly the bits that somebody got, data that tells two contracts apart, and orders as trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _native
from ._arrays import dtype_of, format_and_words, reduced_shape
from ._native import Contract
from ._reductions import Axis, _as_numpy_dot, _parsed, _text, _threads

SHOWN_YES, SHOWN_NO = 12, 8


@dataclass(frozen=True)
class Trial:
    """One contract against the result.

    Attributes
    ----------
    contract : str
        The whole contract; `bitfold.reduce` takes it.
    matched : int
        How many outputs have the bits that were got.
    first : tuple of int or None
        The index of the first output that has not; None if there is none.
    ulps : int or None
        The greatest distance, in units in the last place of the output; None where NaN stands against a number.
    """

    contract: str
    matched: int
    first: tuple[int, ...] | None
    ulps: int | None
    _hash: int = field(default=0, repr=False)

    def __dir__(self) -> list[str]:
        return ["contract", "first", "matched", "ulps"]


@dataclass(frozen=True)
class Explanation:
    """What `explain` found; str() of it is a table, and it is true if something explains every output.

    Attributes
    ----------
    contracts : tuple of str
        Those that give exactly these bits in every output, the simplest first.
    nearest : tuple of Trial
        The others, the nearest first.
    outputs : int
        How many outputs there are.
    """

    contracts: tuple[str, ...]
    nearest: tuple[Trial, ...]
    outputs: int

    def __bool__(self) -> bool:
        return bool(self.contracts)

    def __dir__(self) -> list[str]:
        return ["contracts", "nearest", "outputs"]

    def _miss(self, trial: Trial, twins: int) -> str:
        apart = "NaN against a number" if trial.ulps is None else f"{trial.ulps} ulp{'' if trial.ulps == 1 else 's'}"
        if self.outputs > 1:
            apart = f"{trial.matched} of {self.outputs} outputs; first not {list(trial.first or ())}, {apart} at most"
        return f"no  {trial.contract}  {apart}" + (f"; as {twins} more" if twins else "")

    def __str__(self) -> str:
        lines = [f"yes {contract}" for contract in self.contracts[:SHOWN_YES]]
        if len(self.contracts) > SHOWN_YES:
            lines.append(f"    and {len(self.contracts) - SHOWN_YES} more")
        if len(self.contracts) > 1:
            lines.append(f"    This data cannot tell these {len(self.contracts)} apart; bitfold.separate looks for data that can.")
        groups: dict[int, list[Trial]] = {}
        for trial in self.nearest:
            groups.setdefault(trial._hash, []).append(trial)
        lines += [self._miss(group[0], len(group) - 1) for group in list(groups.values())[:SHOWN_NO]]
        if len(groups) > SHOWN_NO:
            lines.append(f"    and {len(groups) - SHOWN_NO} other results, further away")
        if not self.contracts:
            lines.append(f"Nothing explains {'all outputs' if self.outputs > 1 else 'it'}; the nearest is first.")
        return "\n".join(lines)

    __repr__ = __str__


def explain(x: Any, got: Any, y: Any = None, *, op: str | None = None, axis: Axis = None, contract: str = "",
            threads: int | None = None) -> Explanation:
    """Which of the usual contracts make of x exactly the bits that somebody got, and how far the others are from them.

    Parameters
    ----------
    x : array
        float16, float32, float64, ml_dtypes.bfloat16 or integers; `sf.explain` explains words of SuperFloat.
    got : number or array
        One output for each that the axes leave. Its dtype is the format of the result; that of a Python number is the operation's own.
    y : array
        The second operand of a dot.
    op : str
        "sum", "mean", "dot", "sumsq", "sumabs", "max", "min", "argmax" or "argmin"; "dot" where there is y, else "sum".
    axis : None, int or tuple of int
        The axes that are reduced; None: all, and for a dot those of numpy.dot.
    contract : str
        Parts of the contract that are known, such as "acc=f32" or "lanes(4):fma".
    threads : int
        The most threads to use.

    Raises
    ------
    ValueError
        Shapes do not fit, or no contract has these parts.

    >>> import bitfold, numpy
    >>> x = numpy.array([1e8, 3, -1e8, 3], numpy.float32)
    >>> found = bitfold.explain(x, numpy.float32(6), contract="acc=f32")
    >>> "sum:f32:lanes(2,fold=left)" in found.contracts, "sum:f32:sequential" in found.contracts
    (True, False)
    >>> found.nearest[0].ulps > 0
    True
    """
    named = _text(op, "op") if op is not None else "sum" if y is None else "dot"
    if (named == "dot") != (y is not None):
        raise ValueError(f"op={named!r} takes {'two arrays, x and y' if named == 'dot' else 'one array; y is for dots'}")
    element, words = format_and_words(np.asarray(x))
    others, over = None, axis
    if y is not None:
        second, others = format_and_words(np.asarray(y))
        if second != element:
            raise TypeError(f"dot of {np.asarray(x).dtype} and {np.asarray(y).dtype}; .astype makes them one")
        if axis is None:
            words, others, over = _as_numpy_dot(words, others)
    parts = [named, element, *([_text(contract, "contract")] if contract else [])]
    output, results = _result(got, f"{named}:{element}")
    shape = words.shape if others is None else np.broadcast_shapes(words.shape, others.shape)
    wanted = reduced_shape(shape, over, False)
    if results.shape not in (wanted, reduced_shape(shape, over, True)):
        raise ValueError(f"got has shape {results.shape}, the reduction makes {wanted}")
    found = _native.explain(":".join([*parts, f"out={output}"]), words, others, over, results, _threads(threads))
    trials = [_trial(entry, results) for entry in found]
    return Explanation(tuple(t.contract for t in trials if t.first is None), tuple(t for t in trials if t.first is not None), results.size)


def _result(got: Any, usual: str) -> tuple[str, Any]:
    """The format of the result, and its words as an array."""
    if not hasattr(got, "dtype"):
        got = np.asarray(got, dtype_of(_parsed(usual).output))
    return format_and_words(np.asarray(got))


def _trial(entry: tuple[str, int, int, int, int], results: Any) -> Trial:
    text, matched, first, ulps, hashed = entry
    index = None if matched == results.size else tuple(map(int, np.unravel_index(first, results.shape))) if results.ndim else ()
    return Trial(text, matched, index, None if ulps == (1 << 64) - 1 else ulps, hashed)


def separate(a: str | Contract, b: str | Contract, *, trials: int = 20000, longest: int = 1 << 15) -> Any:
    """A small input on which two contracts of one operation and element have different results, found by search; None if none was found.

    An array, or for a dot a pair of them; always the same one. None is no proof that the two are the same order.

    >>> import bitfold
    >>> x = bitfold.separate("sum:f32:sequential", "sum:f32:lanes(4)")
    >>> bool(bitfold.sum(x, order="sequential") == bitfold.sum(x, order="lanes(4)"))
    False
    """
    first, second = (c if isinstance(c, Contract) else _parsed(_text(c, "a contract")) for c in (a, b))
    x, y, _ = _native.separate(first, second, trials, longest)
    if x is None:
        return None
    dtype = dtype_of(first.element)
    return x.view(dtype) if y is None else (x.view(dtype), y.view(dtype))


def tree(contract: str | Contract, n: int) -> str:
    """The order in which a contract adds a row of n terms, as an order of its own: an explicit tree. The +0 at the start is left out.

    >>> import bitfold
    >>> bitfold.tree("sum:f32:lanes(2)", 5)
    'tree("(((0+2)+4)+(1+3))")'
    """
    made = contract if isinstance(contract, Contract) else _parsed(_text(contract, "contract"))
    return f'tree("{_native.tree(made, n)}")'
