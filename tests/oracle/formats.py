# SPDX-License-Identifier: Apache-2.0
"""What a bit pattern of each format means, and the one rounding of an exact value to a format, on integers only."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

INF, NAN = "inf", "nan"


def nearest_even(num, den):
    """The integer nearest num/den, ties to even; den > 0."""
    quotient, rest = divmod(num, den)
    twice = 2 * rest
    return quotient + (twice > den or (twice == den and quotient & 1))


@dataclass(frozen=True)
class Float:
    """A binary IEEE 754 format. Its values travel as bit patterns (Python integers)."""

    name: str
    bits: int
    precision: int
    storage: object
    kind = "float"

    @cached_property
    def sign_bit(self):
        return 1 << (self.bits - 1)

    @cached_property
    def inf(self):
        return ((1 << (self.bits - self.precision)) - 1) << (self.precision - 1)

    @cached_property
    def nan(self):
        return self.inf | 1 << (self.precision - 2)

    @cached_property
    def unit(self):
        """The exponent of the smallest subnormal: every finite value is an integer times 2^unit."""
        return 3 - (1 << (self.bits - self.precision - 1)) - self.precision

    def is_nan(self, code):
        return code & ~self.sign_bit > self.inf

    def is_inf(self, code):
        return code & ~self.sign_bit == self.inf

    def negative(self, code):
        return bool(code & self.sign_bit)

    def scaled(self, code):
        """The finite value of this pattern as (m, e): m * 2^e."""
        magnitude = code & ~self.sign_bit
        field = magnitude >> (self.precision - 1)
        m = magnitude & ((1 << (self.precision - 1)) - 1)
        if field:
            m |= 1 << (self.precision - 1)
        return (-m if self.negative(code) else m), self.unit + max(field - 1, 0)

    def order(self, code):
        """An integer that grows with the value: the value in units of the smallest subnormal, infinities beyond all others."""
        if self.is_inf(code):
            return (-1 if self.negative(code) else 1) << 3000
        m, e = self.scaled(code)
        return m << (e - self.unit)

    def value(self, code):
        """A Fraction, or "nan", "inf", "-inf"."""
        if self.is_nan(code):
            return NAN
        if self.is_inf(code):
            return "-inf" if self.negative(code) else INF
        m, e = self.scaled(code)
        return Fraction(m) * Fraction(2) ** e

    def round_ratio(self, num, den, exponent=0):
        """The pattern nearest num/den * 2^exponent, ties to even. Zero is +0; a negative that vanishes is -0."""
        sign = self.sign_bit if num < 0 else 0
        num = abs(num)
        if num == 0:
            return 0
        top = num.bit_length() - den.bit_length()
        if (num << max(-top, 0)) < (den << max(top, 0)):
            top -= 1
        ulp = max(self.unit, top + exponent - (self.precision - 1))
        shift = exponent - ulp
        quotient = nearest_even(num << max(shift, 0), den << max(-shift, 0))
        return sign | min(((ulp - self.unit) << (self.precision - 1)) + quotient, self.inf)

    def round(self, value):
        """The pattern nearest a Fraction, integer, "nan", "inf" or "-inf"."""
        if isinstance(value, str):
            return {NAN: self.nan, INF: self.inf, "-inf": self.sign_bit | self.inf}[value]
        value = Fraction(value)
        return self.round_ratio(value.numerator, value.denominator)


@dataclass(frozen=True)
class Code:
    """An integer, or an sfN code, that means k / 2^fraction, with low <= k <= high as the edges of conversion."""

    name: str
    bits: int
    fraction: int
    low: int
    high: int
    storage: object
    kind: str

    def is_nan(self, code):
        return False

    def order(self, code):
        return code

    def value(self, code):
        return Fraction(code, 1 << self.fraction)

    def clamp(self, k):
        """(the code, 1 if the clamp changed it)."""
        kept = min(max(k, self.low), self.high)
        return kept, int(kept != k)

    def round(self, value):
        """(the code nearest a Fraction or infinity, ties to even, and the clamp event); NaN has none."""
        if isinstance(value, str):
            return {INF: (self.high, 1), "-inf": (self.low, 1)}[value]
        scaled = Fraction(value) * (1 << self.fraction)
        return self.clamp(nearest_even(scaled.numerator, scaled.denominator))


def _all():
    yield Float("f16", 16, 11, np.uint16)
    yield Float("bf16", 16, 8, np.uint16)
    yield Float("f32", 32, 24, np.uint32)
    yield Float("f64", 64, 53, np.uint64)
    for bits in (8, 16, 32, 64):
        yield Code(f"i{bits}", bits, 0, -(1 << (bits - 1)), (1 << (bits - 1)) - 1, np.dtype(f"int{bits}").type, "integer")
    for bits in range(2, 17):
        edge = (1 << (bits - 1)) - 1
        yield Code(f"sf{bits}", bits, bits - 1, -edge, edge, np.int8 if bits <= 8 else np.int16, "superfloat")


FORMATS = {f.name: f for f in _all()}
FLOATS = ("f16", "bf16", "f32", "f64")
ACCUMULATORS = {"f16": ("f16", "f32", "f64"), "bf16": ("bf16", "f32", "f64"), "f32": ("f32", "f64"), "f64": ("f64",)}


def convert(source, target, code):
    """(the target's pattern or code, clamp event); ValueError for a NaN made into a code."""
    source, target = FORMATS[source], FORMATS[target]
    if source.kind != "float":
        return target.round(source.value(code)) if target.kind != "float" else (target.round(source.value(code)), 0)
    if source.is_nan(code) or source.is_inf(code):
        if target.kind == "float":
            return target.round(source.value(code)), 0
        if source.is_nan(code):
            raise ValueError("NaN has no code")
        return target.round(source.value(code))
    m, e = source.scaled(code)
    if target.kind == "float":
        return target.round_ratio(abs(m), 1, e) | (target.sign_bit if source.negative(code) else 0), 0
    shift = e + target.fraction
    return target.clamp(nearest_even(m << max(shift, 0), 1 << max(-shift, 0)))
