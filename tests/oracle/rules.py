# SPDX-License-Identifier: Apache-2.0
"""Any accumulation rule, from its fields alone: the accumulator is a Fraction of full scale, every step is written as the real
number it stands for."""

import math
import random
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from .arithmetic import Soft
from .superfloat import RULES

DATA, PRODUCT = -1, -2
SINGLE = Soft("f32")


@dataclass(frozen=True, eq=False)
class Fields:
    """The fields of bitfold_rule, in its sequence; the enumerations as words."""

    name: str
    product: str
    minus_one_is_zero: int
    accumulator_bits: int
    overflow: str
    full_range: int
    sum_extra: int
    product_extra: int
    readout: str
    readout_full_range: int


NAMED = {row[0]: Fields(*row) for row in (
    ("sf", "toward-zero", 0, DATA, "clamp", 0, 0, 0, "floor", 0),
    ("atreides-v1", "toward-zero", 1, DATA, "clamp", 1, 0, 0, "floor", 1),
    ("atreides-v2.1", "floor", 0, DATA, "clamp", 1, 0, 0, "floor", 1),
    ("systolic24", "toward-zero", 1, 24, "wrap", 1, 0, 0, "floor", 0),
    ("sf31", "toward-zero", 0, 32, "clamp", 0, 16, 16, "floor", 1),
    ("guarded31", "exact", 0, PRODUCT, "clamp", 0, DATA, DATA, "floor", 1),
    ("edge-int32", "exact", 0, 32, "wrap", 1, 0, DATA, "half-up", 0),
    ("float32", "float32", 0, 32, "clamp", 0, 0, 0, "nearest", 0))}
assert tuple(NAMED) == RULES
PRODUCTS, OVERFLOWS, READOUTS = ("toward-zero", "floor", "exact", "float32"), ("clamp", "wrap"), ("floor", "half-up", "nearest")
NARROWS = {"toward-zero": math.trunc, "floor": math.floor}
READS = {"floor": math.floor, "half-up": lambda x: math.floor(x + Fraction(1, 2)), "nearest": round}


def invented(seed):
    """A rule of nobody's, valid at every width."""
    rng = random.Random(seed)
    product = rng.choice(PRODUCTS)
    extra = rng.choice((DATA, 15, 20, 32) if product == "exact" else (0, 0, 0, 1, 3, 16, 32, DATA))
    return Fields(f"invented-{seed}", product, rng.randrange(2), rng.choice((2, 3, 5, 9, 16, 17, 18, 24, 48, DATA, DATA, PRODUCT)),
                  rng.choice(OVERFLOWS), rng.randrange(2), rng.choice((0, 0, 0, 1, 3, 16, 32, DATA)), extra, rng.choice(READOUTS),
                  rng.randrange(2))


@lru_cache(None)
def resolved(rule, n):
    """The rule at width n, without DATA and PRODUCT; float32 reads out to nearest, whatever the field says."""
    extra = lambda e: n - 1 if e == DATA else e
    bits = {DATA: n, PRODUCT: 2 * n - 1}.get(rule.accumulator_bits, rule.accumulator_bits)
    readout = "nearest" if rule.product == "float32" else rule.readout
    return replace(rule, accumulator_bits=bits, readout=readout, sum_extra=extra(rule.sum_extra),
                   product_extra=extra(rule.product_extra))


@lru_cache(1 << 18)
def product(rule, n, a, b):
    """What a product adds: a Fraction, or a float32 pattern."""
    unit = Fraction(1, 1 << n - 1)
    if rule.minus_one_is_zero and -1 in (a * unit, b * unit):
        return 0 if rule.product == "float32" else Fraction(0)
    if rule.product == "float32":
        return SINGLE.times(SINGLE.format.round(a * unit), SINGLE.format.round(b * unit))
    real = a * unit * b * unit
    return NARROWS[rule.product](real / unit) * unit if rule.product in NARROWS else real


def vanishes(rule, n, a, b):
    """Whether neither operand is 0 and their product is (S19)."""
    return a != 0 and b != 0 and product(rule, n, a, b) == 0


def _step(rule, acc, resolution):
    """(the accumulator's value of a real number, whether it clamped)."""
    half = 1 << rule.accumulator_bits - 1
    if rule.overflow == "wrap":
        return (acc / resolution + half) % (2 * half) * resolution - half * resolution, 0
    low, high = (-half if rule.full_range else 1 - half) * resolution, (half - 1) * resolution
    kept = min(max(acc, low), high)
    return kept, int(kept != acc)


def _read(rule, n, acc, event):
    top = (1 << n - 1) - 1
    code = READS[rule.readout](acc * (1 << n - 1))
    kept = min(max(code, -top - 1 if rule.readout_full_range else -top), top)
    return kept, int(event or kept != code)


def trace(rule, n, x, y=None):
    """[(code, event)] of the sums of the first 0, 1, 2, ... terms."""
    rule, unit = resolved(rule, n), Fraction(1, 1 << n - 1)
    floats = rule.product == "float32"
    resolution = unit / (1 << (rule.product_extra if y is not None else rule.sum_extra))
    acc, event, seen = 0 if floats else Fraction(0), 0, [(0, 0)]
    for i, a in enumerate(x):
        if floats:
            acc = SINGLE.plus(acc, product(rule, n, a, y[i]) if y is not None else SINGLE.format.round(a * unit))
            seen.append(_read(rule, n, SINGLE.format.value(acc), 0))
            continue
        acc, clamped = _step(rule, acc + (product(rule, n, a, y[i]) if y is not None else a * unit), resolution)
        event |= clamped
        seen.append(_read(rule, n, acc, event))
    return seen


def sum_codes(rule, n, x, y=None):
    """(code, event) of a sum or a dot."""
    return trace(rule, n, x, y)[-1]


@lru_cache(1 << 20)
def element(operation, rule, n, a, b=0):
    """(code, event) of one element."""
    if operation == "multiply":
        return sum_codes(rule, n, [a], [b])
    return sum_codes(rule, n, {"add": [a, b], "subtract": [a, -b], "negative": [-a], "absolute": [abs(a)]}[operation])
