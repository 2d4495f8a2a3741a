# SPDX-License-Identifier: Apache-2.0
"""max, min, argmax and argmin with both NaN policies, by comparing exact values one after the other."""

from .formats import FORMATS


def winner(element, x, largest, nan):
    """The first index of the largest or smallest element, or of the first NaN under propagate; None if only NaNs compete."""
    f = FORMATS[element]
    best, best_value = None, None
    for i, code in enumerate(x):
        if f.is_nan(code):
            if nan == "propagate":
                return i
            continue
        value = f.order(code)
        if best is None or (value > best_value if largest else value < best_value):
            best, best_value = i, value
    return best


def select(operation, element, x, nan):
    """The pattern of max or min, the index of argmax or argmin; ValueError of nothing."""
    if not x:
        raise ValueError("no elements")
    f = FORMATS[element]
    at = winner(element, x, operation.endswith("max"), nan)
    if operation.startswith("arg"):
        return 0 if at is None else at
    if at is None or f.is_nan(x[at]):
        return f.nan
    return x[at]
