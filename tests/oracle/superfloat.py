# SPDX-License-Identifier: Apache-2.0
"""The eight SuperFloat accumulation rules, each written out from its row of the table, on Python integers."""

from functools import cache, lru_cache

from .arithmetic import Soft
from .formats import nearest_even

RULES = ("sf", "atreides-v1", "atreides-v2.1", "systolic24", "sf31", "guarded31", "edge-int32", "float32")


def toward_zero(a, b, n):
    magnitude = abs(a) * abs(b) >> (n - 1)
    return -magnitude if (a < 0) != (b < 0) else magnitude


def wrap(k, bits):
    half = 1 << (bits - 1)
    return (k + half) % (2 * half) - half


def _edges(rule, n):
    """The accumulator's (low, high), or None where it wraps."""
    top = (1 << (n - 1)) - 1
    return {
        "sf": (-top, top),
        "atreides-v1": (-top - 1, top),
        "atreides-v2.1": (-top - 1, top),
        "sf31": (-0x7FFFFFFF, 0x7FFFFFFF),
        "guarded31": (1 - (1 << 2 * (n - 1)), (1 << 2 * (n - 1)) - 1),
    }.get(rule)


def _fraction(rule, n, dot):
    """The fraction bits that the accumulator holds beyond those of a code."""
    return {"sf31": 16, "guarded31": n - 1, "edge-int32": n - 1 if dot else 0}.get(rule, 0)


def _term(rule, n, a, b):
    """What one product adds to the accumulator."""
    if rule in ("guarded31", "edge-int32"):
        return a * b
    if rule == "atreides-v2.1":
        return a * b >> (n - 1)
    if rule in ("atreides-v1", "systolic24") and -(1 << (n - 1)) in (a, b):
        return 0
    return toward_zero(a, b, n) << _fraction(rule, n, True)


def _integer_total(rule, n, x, y):
    """(the accumulator at the end, whether a step clamped)."""
    edges, acc, event = _edges(rule, n), 0, 0
    for i, a in enumerate(x):
        acc += _term(rule, n, a, y[i]) if y is not None else a << _fraction(rule, n, False)
        if edges:
            kept = min(max(acc, edges[0]), edges[1])
            event |= kept != acc
            acc = kept
        else:
            acc = wrap(acc, 24 if rule == "systolic24" else 32)
    return acc, event


def _clamped(rule, n, code, event):
    top = (1 << (n - 1)) - 1
    low = -top - 1 if rule in ("atreides-v1", "atreides-v2.1", "sf31", "guarded31") else -top
    kept = min(max(code, low), top)
    return kept, int(event or kept != code)


FLOAT32 = Soft("f32")


@cache
def _scaled(n, k):
    return FLOAT32.format.round_ratio(k, 1, 1 - n)


@lru_cache(1 << 16)
def _float_term(n, a, b):
    return FLOAT32.times(_scaled(n, a), _scaled(n, b))


def _float_total(n, x, y, mean):
    acc = 0
    for i, a in enumerate(x):
        acc = FLOAT32.plus(acc, _scaled(n, a) if y is None else _float_term(n, a, y[i]))
    value = FLOAT32.format.value(FLOAT32.over(acc, len(x)) if mean else acc) * (1 << (n - 1))
    return _clamped("float32", n, nearest_even(value.numerator, value.denominator), 0)


def sum_codes(rule, n, x, y=None):
    """(code, event) of the sum of x, or of the dot of x and y, in sfN."""
    if rule == "float32":
        return _float_total(n, x, y, False)
    acc, event = _integer_total(rule, n, x, y)
    shift = _fraction(rule, n, y is not None)
    half = 1 << (shift - 1) if rule == "edge-int32" and shift else 0
    return _clamped(rule, n, (acc + half) >> shift, event)


def mean_codes(rule, n, x):
    """(code, event) of the mean: the accumulator at the end over the count, rounded once."""
    if rule == "float32":
        return _float_total(n, x, None, True)
    acc, event = _integer_total(rule, n, x, None)
    return _clamped(rule, n, nearest_even(acc, len(x) << _fraction(rule, n, False)), event)
