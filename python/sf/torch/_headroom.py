# SPDX-License-Identifier: Apache-2.0
"""Headroom: by which power of two weights are scaled down, so that sums that clamp at every step do not."""

from __future__ import annotations

import math
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Callable

import numpy as np

from ._scaled import EXPONENT_MAX, Values, coded

ROW_L1, NONE = "row-l1", "none"


@dataclass(frozen=True)
class Calibrated:
    """Headroom by what a batch needs: ``headroom=Calibrated(0.999)``, then `calibrate` once.

    The exponent of the weights becomes the least at which at least the share `quantile` of the layer's outputs on that batch clamp at no step,
    and no weight or bias does; the exponent of the input the least at which that share of the inputs is not clamped. They then stay, however the
    weights change, until the next `calibrate`.

    Parameters
    ----------
    quantile : float
        Above 0, up to 1; 1: nothing on the batch clamps.
    """

    quantile: float = 0.999

    def __post_init__(self) -> None:
        if not 0 < self.quantile <= 1:
            raise ValueError(f"quantile={self.quantile}; it is above 0 and at most 1")


Headroom = str | Calibrated
#: The exponents that a run of `calibrate` has given to layers so far; None where none runs.
calibrating: ContextVar[dict[Any, tuple[int, int]] | None] = ContextVar("sf.torch calibration", default=None)


def check_headroom(headroom: Any) -> Headroom:
    """The policy itself, if it is one."""
    if isinstance(headroom, Calibrated) or headroom in (ROW_L1, NONE):
        return headroom  # type: ignore[no-any-return]
    raise ValueError(f"headroom={headroom!r}; it is 'row-l1', sf.torch.Calibrated(quantile) or 'none'")


def share(headroom: Headroom) -> Fraction:
    """Which part of the batch must not clamp; 0.999 is meant as 999/1000."""
    return Fraction(str(headroom.quantile)) if isinstance(headroom, Calibrated) else Fraction(1)


def first_exponent(values: Values, what: str) -> int:
    """The least exponent worth trying: one less clamps the largest of the values."""
    largest = float(np.abs(values).max(initial=0))
    if not math.isfinite(largest):
        raise ValueError(f"{what}: not all finite, so no power of two makes room")
    return math.frexp(largest)[1] if largest else -EXPONENT_MAX


def least_exponent(fits: Callable[[int], bool], start: int, what: str) -> int:
    """The least exponent from start on that fits."""
    for exponent in range(max(start, -EXPONENT_MAX), EXPONENT_MAX + 1):
        if fits(exponent):
            return exponent
    raise ValueError(f"{what}: not even the exponent {EXPONENT_MAX} makes room")


def input_exponent(values: Values, dtype: Any, headroom: Headroom) -> int:
    """The least exponent at which that share of the values is not clamped; 0 where that share is all zeros."""
    magnitudes = np.sort(np.abs(values), axis=None)
    largest = magnitudes[math.ceil(share(headroom) * magnitudes.size) - 1 :][:1]
    if not largest.any():
        return 0
    return least_exponent(lambda e: not coded(largest, dtype, e, "input")[1], first_exponent(largest, "input"), "input")
