# SPDX-License-Identifier: Apache-2.0
"""Arithmetic with fused products (fma) and flushed subnormals (ftz), in fractions: exact values, flushed, then rounded once."""

from fractions import Fraction

from .arithmetic import Soft
from .exact import times as exact_product


class Product(tuple):
    """The two factors of a term that is not yet rounded."""


class Steps(Soft):
    """Soft, but that a product may join a sum unrounded, and that what is subnormal is zero."""

    def __init__(self, name, fma, ftz):
        super().__init__(name)
        self.fma, self.ftz = fma, ftz
        self.least = Fraction(2) ** (self.format.unit + self.format.precision - 1)

    def _in(self, code):
        """An operand: zero of its sign where it is subnormal."""
        f = self.format
        tiny = 0 < code & ~f.sign_bit < 1 << (f.precision - 1)
        return code & f.sign_bit if self.ftz and tiny else code

    def _out(self, value, negative):
        """The exact value, or a word, rounded; `negative` is the sign of a zero and of what is flushed."""
        f = self.format
        if isinstance(value, str):
            return f.round(value)
        if value == 0 or (self.ftz and abs(value) < self.least):
            return f.sign_bit if negative else 0
        return f.round(value)

    def plus(self, *terms):
        if isinstance(terms[-1], Product):
            return self._fused(terms[0], *terms[1])
        total = super().plus(*map(self._in, terms))
        return self._in(total)

    def fused(self, acc, a, b):
        """What an order that fuses without being told asks for."""
        return self._fused(acc, a, b)

    def _fused(self, z, x, y):
        f = self.format
        x, y, z = map(self._in, (x, y, z))
        product, value = exact_product(f, x, y), f.value(z)
        if not isinstance(product, str):
            product = product[0] * Fraction(2) ** product[1]
        negative = f.negative(x) != f.negative(y)
        if "nan" in (product, value) or {product, value} == {"inf", "-inf"}:
            return f.nan
        if isinstance(product, str):
            return f.round(product)
        if isinstance(value, str):
            return z
        if product == 0 and value == 0:
            return f.sign_bit if negative and f.negative(z) else 0
        return self._out(product + value, product + value < 0)

    def times(self, a, b):
        if self.fma:
            return Product((a, b))
        f = self.format
        a, b = self._in(a), self._in(b)
        product = exact_product(f, a, b)
        if not isinstance(product, str):
            product = product[0] * Fraction(2) ** product[1]
        return self._out(product, f.negative(a) != f.negative(b))

    def over(self, a, n):
        f = self.format
        a = self._in(a)
        value, count = f.value(a), f.value(f.round(n))
        if isinstance(value, str) or isinstance(count, str):
            return super().over(a, n)
        return self._out(value / count, f.negative(a))
