# SPDX-License-Identifier: Apache-2.0
"""What an overflow does, and what is known of the last reduction's."""

from __future__ import annotations

import threading
import warnings
from typing import Any

from ._settings import current


class SFOverflowError(OverflowError):
    """An operation clamped, under ``over="raise"``. Nothing was written to ``out=``.

    Attributes
    ----------
    count : int
        Outputs that clamped at least once (S14).
    total : int
        Outputs in all.
    result : sfarray or scalar
        What ``over="ignore"`` gives.
    """

    def __init__(self, message: str, count: int = 0, total: int = 0, result: Any = None) -> None:
        super().__init__(message)
        self.count = count
        self.total = total
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.count, self.total, self.result)


class SFWarning(RuntimeWarning):
    """An operation clamped, under ``over="warn"``."""


class SFStatusError(RuntimeError):
    """Whether a device's reduction clamped is unknown, under ``strict=True`` (S37)."""


class SFReplayError(RuntimeError):
    """A device's words are not those of the host's rule (S35).

    Attributes
    ----------
    index : tuple of int
        The first output that differs.
    device_word, host_word : int or None
        Both words of that output; None for a code that has none in the device's encoding.
    rules : tuple of str
        The rules that explain all of the device's words.
    """

    def __init__(self, message: str, index: tuple[int, ...] = (), device_word: int | None = 0, host_word: int | None = 0, rules: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.index = index
        self.device_word = device_word
        self.host_word = host_word
        self.rules = rules

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.index, self.device_word, self.host_word, self.rules)


class Status(threading.local):
    """What is known of this thread's last sum, mean, dot, matmul, max, min, argmax or argmin.

    Attributes
    ----------
    saturated : int or None
        How many of its outputs clamped; None if a device did not tell and nothing proved that none did (S32, S33).
    """

    saturated: int | None = 0

    def __repr__(self) -> str:
        return f"<sf.status: saturated={self.saturated}>"

    def __dir__(self) -> list[str]:
        return ["saturated"]


status = Status()


def _level() -> int:
    """How far up the stack the caller's own code is, beyond ours, NumPy's and PyTorch's, as `warnings.warn` counts."""
    import sys

    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("sf", "numpy", "torch"):
        level, frame = level + 1, frame.f_back
    return level


def settle(name: str, operation: str, count: int, total: int, result: Any, over: str | None) -> None:
    """Raises, warns or lets pass that `count` of `total` outputs clamped (S13, S16)."""
    policy = current.get().over if over is None else over
    if not count or policy == "ignore":
        return
    message = f"{name} {operation}: overflow in {count} of {total} element(s)"
    if policy == "raise":
        raise SFOverflowError(message, count, total, result)
    warnings.warn(SFWarning(message), stacklevel=_level())
