# SPDX-License-Identifier: Apache-2.0
"""Which rule explains the words of a chip: every rule in both encodings, and where the others part from the words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable

import numpy as np

from bitfold import _native

from . import _linalg
from ._array import sfarray
from ._rules import Rule
from ._rules import rule as _rule
from ._rules import rules as _rules
from ._scalars import mixed, sfscalar
from ._settings import current
from ._words import ENCODINGS, to_codes


def traced(a: sfarray, b: sfarray | None, rule: Any) -> sfarray:
    """The read-out after each term of a row."""
    own = current.get().rule if rule is None else _rule(rule)
    if a.ndim != 1 or (b is not None and b.shape != a.shape):
        raise ValueError(f"trace takes one row, or two of one length, not shapes {a.shape}{f' and {b.shape}' if b is not None else ''}")
    others = None if b is None else b._row()
    codes = _native.trace_codes(a._row(), others, a.dtype.bits, own)[0]
    return a._like(codes.astype(a.dtype.storage))


def vanished(a: sfarray, b: sfarray, axis: Any, rule: Any) -> Any:
    """Products of non-zero codes that come out 0."""
    own = current.get().rule if rule is None else _rule(rule)
    if a.dtype is not b.dtype:
        raise TypeError(mixed(a.dtype, "vanished", b.dtype))
    _linalg.check_summed("vanished", a, b, axis)
    found = _native.vanished_codes(a.codes, b.codes, a.dtype.bits, own, axis)
    return found if found.ndim else int(found)


@dataclass(frozen=True)
class Verdict:
    """One rule against the words.

    Attributes
    ----------
    rule : Rule
    codes : int or ndarray
        What the rule gives.
    encodings : tuple of str
        The encodings in which the words are these codes, all of them.
    differs : tuple of int or None
        The index of the first output that differs, in the encoding that agrees the longest; None where an encoding fits.
    parts : int or None
        For one output: the first index k of the terms at which this rule's running value differs from that of the first rule that fits, if one
        does and the two ever part.
    """

    rule: Rule
    codes: Any
    encodings: tuple[str, ...]
    differs: tuple[int, ...] | None
    parts: int | None = None


@dataclass(frozen=True)
class Explanation:
    """What `explain` found; str() of it is a table.

    Attributes
    ----------
    verdicts : tuple of Verdict
        One for each rule that was tried.
    """

    verdicts: tuple[Verdict, ...]
    _shape: tuple[int, ...] = field(default=(), repr=False)

    @property
    def rules(self) -> tuple[str, ...]:
        """Names of the rules that explain every word."""
        return tuple(v.rule.name for v in self.verdicts if v.encodings)

    @property
    def encodings(self) -> tuple[str, ...]:
        """The encodings in which some rule explains every word."""
        return tuple(name for name in ENCODINGS if any(name in v.encodings for v in self.verdicts))

    def __getitem__(self, name: str) -> Verdict:
        """The verdict on the rule of that name."""
        for verdict in self.verdicts:
            if verdict.rule.name == name:
                return verdict
        raise KeyError(name)

    def __bool__(self) -> bool:
        return bool(self.rules)

    def __dir__(self) -> list[str]:
        return ["encodings", "rules", "verdicts"]

    def _line(self, verdict: Verdict, width: int) -> str:
        if verdict.encodings:
            said = " and ".join(verdict.encodings)
        elif verdict.differs == ():
            said = f"gives code {int(verdict.codes)}"
        else:
            said = f"differs first at output {list(verdict.differs or ())}"
        parts = f"; parts from {self.rules[0]} at term {verdict.parts}" if verdict.parts is not None else ""
        return f"{'yes' if verdict.encodings else 'no':<4}{verdict.rule.name:<{width}}  {said}{parts}"

    def __str__(self) -> str:
        width = max((len(v.rule.name) for v in self.verdicts), default=0)
        return "\n".join(self._line(v, width) for v in self.verdicts)

    __repr__ = __str__


def explain(a: Any, b: Any, word: Any, *, axis: Any = -1, rules: Iterable[str | Rule] | None = None) -> Explanation:
    """Which rules explain a chip's word, or all the words of an array, and in which encoding.

    Parameters
    ----------
    a, b : sfarray
        The operands of the dot; b None: of a sum. Several rows, which are broadcast against each other, make several outputs.
    word : int, or an integer array of the outputs' shape
        What the chip returned, as an N-bit pattern: 0x8000 and such. Negative numbers are taken for two's complement.
    axis : int, tuple or None
        The axes that are added over.
    rules : names or `Rule` objects
        What to try; the eight rules if left out.

    >>> import sf
    >>> a = sf.array([-0.9, -0.9], dtype=sf.sf16)
    >>> b = sf.array([0.3, -0.1], dtype=sf.sf16)
    >>> sf.explain(a, b, 0xe8f6, rules=["sf", "atreides-v2.1", "guarded31"])
    no  sf             gives code -5897; parts from atreides-v2.1 at term 0
    yes atreides-v2.1  twos-complement
    yes guarded31      twos-complement
    """
    if not isinstance(a, sfarray) or not (b is None or isinstance(b, sfarray)):
        raise TypeError("explain takes the chip's operands as sfarrays; sf.from_codes or sf.from_words makes them")
    if isinstance(word, (sfarray, sfscalar)):
        raise TypeError("word is the chip's pattern, an integer; .code of a scalar and .words() of an array give it")
    tried = [_rule(r) for r in (_rules() if rules is None else rules)]
    if not tried:
        raise ValueError("rules=[]: there is no rule to try")
    if b is not None and a.dtype is not b.dtype:
        raise TypeError(mixed(a.dtype, "explain", b.dtype))
    if b is not None:
        _linalg.check_summed("explain", a, b, axis)
    results = [_codes(a, b, rule, axis) for rule in tried]
    if np.shape(word) != results[0].shape:
        raise ValueError(f"word has shape {np.shape(word)}, the operands make {results[0].shape}")
    readings = _readings(word, a.dtype)
    verdicts = [_judge(rule, codes, readings) for rule, codes in zip(tried, results)]
    return Explanation(tuple(_part(a, b, axis, verdicts)), np.shape(word))


def rules_that_give(codes: Any, x: Any, y: Any, dtype: Any, axis: Any, keepdims: bool) -> tuple[str, ...]:
    """Names of the rules under which operands give these codes."""
    return tuple(rule.name for rule in _rules() if np.array_equal(_linalg.sum_codes(x, y, dtype.bits, rule, axis, keepdims)[0], codes))


def _codes(a: sfarray, b: sfarray | None, rule: Rule, axis: Any) -> Any:
    return np.asarray(_linalg.sum_codes(a.codes, None if b is None else b.codes, a.dtype.bits, rule, axis)[0])


def _readings(word: Any, dtype: Any) -> dict[str, Any]:
    """The codes that the words are in each encoding that can read all of them."""
    readings = {}
    for encoding in ENCODINGS:
        try:
            readings[encoding] = to_codes(encoding, word, dtype)
        except ValueError:
            if encoding == ENCODINGS[0]:
                raise
    return readings


def _judge(rule: Rule, codes: Any, readings: dict[str, Any]) -> Verdict:
    fits = tuple(name for name, read in readings.items() if np.array_equal(read, codes))
    if fits:
        return Verdict(rule, codes, fits, None)
    firsts = [int(np.flatnonzero(np.asarray(read != codes).reshape(-1))[0]) for read in readings.values()]
    return Verdict(rule, codes, (), tuple(map(int, np.unravel_index(max(firsts), codes.shape))) if codes.ndim else ())


def _part(a: sfarray, b: sfarray | None, axis: Any, verdicts: list[Verdict]) -> list[Verdict]:
    """The same with the term at which each rule's running value leaves that of the first one that fits."""
    right = next((v for v in verdicts if v.encodings), None)
    if right is None or a.ndim != 1 or (b is not None and b.ndim != 1):
        return verdicts
    path = traced(a, b, right.rule).codes
    made = []
    for v in verdicts:
        apart = np.flatnonzero(traced(a, b, v.rule).codes != path) if not v.encodings else path[:0]
        made.append(Verdict(v.rule, v.codes, v.encodings, v.differs, int(apart[0]) if len(apart) else None))
    return made
