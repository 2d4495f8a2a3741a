# SPDX-License-Identifier: Apache-2.0
"""What holds in a block of code: the overflow policy, the rule, the device. Each thread and each task has its own."""

from __future__ import annotations

import contextvars
from contextlib import ContextDecorator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ._rules import Rule, rule

if TYPE_CHECKING:
    from ._device import Session

POLICIES = ("raise", "warn", "ignore")


@dataclass(frozen=True, slots=True)
class Settings:
    over: str
    rule: Rule
    device: Session | None
    outer: Settings | None = None  # what held before the block


current: contextvars.ContextVar[Settings] = contextvars.ContextVar("sf settings", default=Settings("raise", rule("sf"), None))


def check_policy(over: str) -> str:
    """The policy itself, if it is one."""
    if over not in POLICIES:
        raise ValueError(f"over={over!r}; it is 'raise', 'warn' or 'ignore'")
    return over


class _Block(ContextDecorator):
    """A context manager, or decorator, that changes settings in its block and puts the old ones back; it may be entered again, and by several threads."""

    def __init__(self, **changes: Any) -> None:
        self._changes = changes

    def __enter__(self) -> Any:
        settings = current.get()
        current.set(replace(settings, outer=settings, **self._changes))
        return self

    def __exit__(self, *_: object) -> None:
        outer = current.get().outer
        assert outer is not None, "the block was not entered in this thread or task"
        current.set(outer)

    def __dir__(self) -> list[str]:
        return []


class errstate(_Block):
    """What an overflow does in a block: ``with sf.errstate(over="ignore"):``.

    ``"raise"`` (the default outside any block) raises `SFOverflowError`, ``"warn"`` warns with `SFWarning`, ``"ignore"`` does neither; the
    codes are the same (S16). Blocks nest; each thread and each asyncio task has its own.
    """

    def __init__(self, *, over: str) -> None:
        super().__init__(over=check_policy(over))


class use_rule(_Block):
    """The accumulation rule in a block: ``with sf.use_rule("sf31"):``, or with a `Rule` of your own.

    Sums, dots, matmul and the elementwise + - * follow it. Blocks nest; each thread and each asyncio task has its own.
    """

    def __init__(self, rule: str | Rule) -> None:
        super().__init__(rule=_rule(rule))

    def __enter__(self) -> Rule:
        super().__enter__()
        return current.get().rule


def geterr() -> dict[str, str]:
    """The overflow policy here, as `errstate` takes it: ``{"over": "raise"}``."""
    return {"over": current.get().over}


_rule = rule
