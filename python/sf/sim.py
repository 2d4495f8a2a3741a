# SPDX-License-Identifier: Apache-2.0
"""A simulated device: words in, words out, by any rule, in either encoding, with or without flags, with faults where a test wants them."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from bitfold import _native

from . import _linalg
from ._rules import Rule
from ._rules import rule as _rule
from ._scalars import FORMATS
from ._words import check_encoding, to_codes, to_words

__all__ = ["Device"]


def __dir__() -> list[str]:
    return __all__


class Device:
    """A chip that is not there.

    Parameters
    ----------
    rule : str or Rule
        How it adds.
    encoding : "twos-complement" or "sign-magnitude"
        What its words are.
    flags : bool
        Whether it counts outputs that saturated. Without, a host cannot read that from the words (S33).
    faults : mapping of int to int
        For tests: the word of output i, in row-major order, of every sum is XORed with the mask.

    Attributes
    ----------
    calls : int
        Reductions that it ran.

    >>> import sf
    >>> x = sf.array([0.5, 0.5, 0.5, -0.5])
    >>> with sf.device(sf.sim.Device()):
    ...     print(x.sum(), sf.status.saturated)
    0.499969482421875 None
    >>> with sf.device(sf.sim.Device(flags=True)), sf.errstate(over="ignore"):
    ...     print(x.sum(), sf.status.saturated)
    0.499969482421875 1
    """

    def __init__(self, rule: str | Rule = "sf", *, encoding: str = "twos-complement", flags: bool = False,
                 faults: Mapping[int, int] | None = None) -> None:
        self.rule = _rule(rule)
        self.encoding = check_encoding(encoding)
        self.flags = flags
        self.faults = dict(faults or {})
        self.calls = 0

    def run(self, operation: str, bits: int, x: Any, y: Any = None, axis: Any = None, keepdims: bool = False) -> tuple[Any, int | None]:
        """Reduces arrays of words; see `sf.Device`."""
        if f"sf{bits}" not in FORMATS:
            raise ValueError(f"SuperFloat has 2 to 16 bits, not {bits}")
        dtype = FORMATS[f"sf{bits}"]
        self.calls += 1
        codes = to_codes(self.encoding, x, dtype)
        if operation in ("max", "min", "argmax", "argmin"):
            found = _native.reduce(_linalg.contract(f"{operation}:{dtype.__name__}"), codes, None, axis, keepdims)[0]
            return (found if operation.startswith("arg") else to_words(self.encoding, found, dtype)), 0 if self.flags else None
        if operation not in ("sum", "dot", "matmul"):
            raise ValueError(f"the device has no operation {operation!r}; it has sum, dot, matmul, max, min, argmax and argmin")
        others = None if y is None else to_codes(self.encoding, y, dtype)
        made, clamped = _linalg.sum_codes(codes, others, bits, self.rule, axis, keepdims)
        return self._faulty(to_words(self.encoding, np.asarray(made, dtype.storage), dtype)), clamped if self.flags else None

    def _faulty(self, words: Any) -> Any:
        for index, mask in self.faults.items():
            if index < words.size:
                words.reshape(-1)[index] ^= mask
        return words

    def __dir__(self) -> list[str]:
        return ["calls", "encoding", "faults", "flags", "rule", "run"]

    def __repr__(self) -> str:
        return f"sf.sim.Device({self.rule.name!r}, encoding={self.encoding!r}, flags={self.flags})"
