# SPDX-License-Identifier: Apache-2.0
"""Codes with an exponent beside them: numbers to codes that stand for number * 2^-exponent, and back, exactly."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._array import sfarray
from .._create import array
from .._events import SFOverflowError

Values = np.ndarray[Any, Any]
EXPONENT_MAX = 64  # on either side of 0; float32 holds every code of sf16 at these


def check_exponent(exponent: Any) -> int:
    """The exponent as an int, if it is one."""
    number: int = operator.index(exponent)
    if not -EXPONENT_MAX <= number <= EXPONENT_MAX:
        raise ValueError(f"exponent={number}; it is {-EXPONENT_MAX} to {EXPONENT_MAX}")
    return number


def coded(values: Values, dtype: Any, exponent: int, what: str) -> tuple[sfarray, int]:
    """The codes nearest to values * 2^-exponent, ties to even, and how many of them were clamped (S42). NaN is a ValueError (S43)."""
    if exponent:
        with np.errstate(over="ignore", under="ignore"):  # what overflows is clamped, what underflows is far below half a code
            values = np.ldexp(values, -exponent)
    try:
        return array(values, dtype=dtype, over="raise"), 0
    except SFOverflowError as clamped:
        return clamped.result, clamped.count
    except ValueError as nan:
        raise ValueError(f"{what}: {nan}") from None


def valued(codes: Values, bits: int, exponent: int, dtype: Any) -> Values:
    """code / 2^(N-1) * 2^exponent in float32 or float64; nothing is rounded."""
    return np.asarray(np.ldexp(codes.astype(dtype), exponent - (bits - 1)))
