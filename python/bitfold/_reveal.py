# SPDX-License-Identifier: Apache-2.0
"""In which order a function adds, from the sums that it gives."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from . import _native
from ._arrays import dtype_of, format_of
from ._reductions import _text

_FLOATS = ("f16", "bf16", "f32", "f64")


@dataclass(frozen=True, repr=False)
class Revelation:
    """What `reveal` found; str() of it is the contract, or what was seen instead. It is true if there is a contract with all the bits.

    Attributes
    ----------
    finding : str
        "contract": a contract has the function's bits; "order": the tree is known, but no contract rounds as the function does;
        "free": no order shows, yet it is not exact; "values": the order depends on the values; "unstable": the same row gives
        different sums; "no-sum"; or "none": the row is too long for its tree to be counted out.
    contract : str or None
        The contract, or for "order" the nearest one, if there is one.
    tree : str or None
        As the contract language writes it in tree("...").
    others : tuple of str
        Contracts that have the same bits for so many elements, one for each other order word.
    probes : int
        How many calls it took, trials included.
    trials, agreed : int
        Random rows at the end, and those for which the contract has the function's bits.
    message : str
        The finding in one line.
    minus_zero, flushes, saturates : bool
        A row of -0 gives -0; subnormal numbers become 0; what passes the largest number becomes it and not infinite.
    fused : bool or None
        Whether products join the sum unrounded; None where that cannot be seen.
    accumulator_bits : int or None
        The significant bits that an addition keeps; None where no end of them shows.
    rounding : str
        How additions round: "nearest", "nearest, ties away", "toward zero", "up", "down" or "unknown".
    """

    finding: str
    contract: str | None
    tree: str | None
    others: tuple[str, ...]
    probes: int
    trials: int
    agreed: int
    message: str
    minus_zero: bool
    flushes: bool
    saturates: bool
    fused: bool | None
    accumulator_bits: int | None
    rounding: str

    def __bool__(self) -> bool:
        return self.finding == "contract"

    def __dir__(self) -> list[str]:
        return sorted(f.name for f in fields(self))

    def __str__(self) -> str:
        return self.contract if self and self.contract else self.message

    def __repr__(self) -> str:
        also = f"; the same here: {', '.join(self.others)}" if self.others else ""
        what = self.message
        if self and self.contract and len(self.contract) <= len(what):
            what = f"{self.contract}: {self.agreed} of {self.trials} random rows agree"
        return f"<bitfold.Revelation {what}; {self.probes} calls{also}>"


class _Box:
    """The function between bytes and bytes; what it returns first says what its results are."""

    def __init__(self, call: Callable[..., Any], dtype: Any) -> None:
        self.call = call
        self.dtype = dtype
        self.out: Any = None
        self.made: Any = None

    def sum(self, *rows: Any) -> Any:
        with np.errstate(all="ignore"):
            found = np.asarray(self.call(*rows))
        if found.size != 1:
            raise ValueError(f"the function returns an array of shape {found.shape}; one sum of all elements is expected")
        if self.made is None:
            self.made = found.dtype
        elif found.dtype != self.made:
            raise TypeError(f"the function returns {self.made} for one row and {found.dtype} for another; out= names one format")
        return found

    def __call__(self, *rows: bytes) -> bytes:
        found = self.sum(*(np.frombuffer(row, self.dtype).copy() for row in rows))
        with np.errstate(all="ignore"):
            return bytes(found.astype(self.out).tobytes())


def _float(what: str, dtype: Any) -> str:
    name = format_of(dtype)
    if name not in _FLOATS:
        raise TypeError(f"{what}={dtype!r}; it is one of f16, bf16, f32 and f64")
    return name


def reveal(fn: Callable[..., Any], n: int, dtype: Any = "f32", *, op: str = "sum", out: Any = None, trials: int = 100,
           seed: int = 0) -> Revelation:
    """Finds the order in which a function adds n numbers, and all else that its bits depend on, by calling it.

    Parameters
    ----------
    fn : callable
        Gets a fresh NumPy array of n elements (two for a dot) and returns their sum, as a number or an array of one.
    n : int
        How many; orders may differ with it.
    dtype : str or dtype
        What fn gets: "f16", "bf16", "f32" or "f64".
    op : str
        "sum", "mean" or "dot".
    out : str or dtype
        The format of the result; without it, that of what fn returns.
    trials : int
        Random rows at the end that check what was found.
    seed : int
        Of all random rows: an equal one asks the same questions.

    What fn raises ends the search, but for OverflowError: it is then asked for no sums that may overflow. It takes about n + 200
    calls where the order has a name, n log n where it has none.

    >>> import bitfold, numpy
    >>> bitfold.reveal(lambda x: x[0::2].sum() + x[1::2].sum(), n=8, dtype="f64").contract
    'sum:f64:lanes(2,fold=left)'
    >>> print(bitfold.reveal(numpy.max, n=8))
    it does not add: -3 at element 7 and 0 at the other of its 8 give another number
    """
    if not callable(fn):
        raise TypeError(f"fn={fn!r}; it is a function of an array")
    if _text(op, "op") not in ("sum", "mean", "dot"):
        raise ValueError(f"op={op!r}; it is 'sum', 'mean' or 'dot'")
    count = operator.index(n)
    if not 1 <= count <= 1 << 24:
        raise ValueError(f"n={n}; it is 1 to {1 << 24}")
    if operator.index(trials) < 1:
        raise ValueError(f"trials={trials}; it is 1 or more")
    element = _float("dtype", dtype)
    box = _Box(fn, dtype_of(element))
    rows = [np.zeros(count, box.dtype) for _ in range(2 if op == "dot" else 1)]
    output = _float("out", out) if out is not None else _result_format(box.sum(*rows), element)
    box.out = dtype_of(output)
    if out is not None:
        box.made = None
    arguments = (box, op, element, output, count, trials, seed & (1 << 64) - 1)
    try:
        return _revelation(_native.reveal(*arguments, False))
    except OverflowError:  # as from math.fsum, for rows whose partial sums pass the largest number
        return _revelation(_native.reveal(*arguments, True))


def _result_format(sample: Any, element: str) -> str:
    """What a result of nothing but zeros says of the others: its own format if that is a float's, else the elements'."""
    return format_of(sample.dtype) if sample.dtype.kind == "f" or sample.dtype.name == "bfloat16" else element


def _revelation(found: dict[str, Any]) -> Revelation:
    fused = found.pop("fused")
    for flag in ("minus_zero", "flushes", "saturates"):
        found[flag] = bool(found[flag])
    for text in ("contract", "tree"):
        found[text] = found[text] or None
    found["accumulator_bits"] = found["accumulator_bits"] or None
    return Revelation(**found, fused=None if fused < 0 else bool(fused))
