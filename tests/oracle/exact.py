# SPDX-License-Identifier: Apache-2.0
"""The exact sum, mean and dot: integers times powers of two, added as integers, rounded once to the output format."""

from fractions import Fraction

from .formats import INF, NAN


def scaled(f, code):
    """The exact value of an element as (m, e), m * 2^e; or "nan", "inf", "-inf"."""
    if f.kind != "float":
        return code, -f.fraction
    if code & ~f.sign_bit >= f.inf:
        return f.value(code)
    return f.scaled(code)


def times(f, a, b):
    """The exact product of two elements, in the same form."""
    va, vb = scaled(f, a), scaled(f, b)
    if NAN in (va, vb):
        return NAN
    if isinstance(va, str) or isinstance(vb, str):
        zero = va[0] == 0 or vb[0] == 0
        return NAN if zero else (INF if f.negative(a) == f.negative(b) else "-inf")
    return va[0] * vb[0], va[1] + vb[1]


def absolute(value):
    """The absolute value, in the same form."""
    if isinstance(value, str):
        return value.lstrip("-")
    return abs(value[0]), value[1]


def total(values):
    """The real sum as a Fraction, or "nan", "inf", "-inf". All-zero sums are +0, so the sign of zero is no matter."""
    special, at = set(), {}
    for value in values:
        if isinstance(value, str):
            special.add(value)
        else:
            at[value[1]] = at.get(value[1], 0) + value[0]
    if special:
        return special.pop() if len(special) == 1 else NAN
    low = min(at, default=0)
    return Fraction(sum(m << (e - low) for e, m in at.items())) * Fraction(2) ** low
