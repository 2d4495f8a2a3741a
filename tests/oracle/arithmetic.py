# SPDX-License-Identifier: Apache-2.0
"""Addition, product and quotient of one binary format: on integers (Soft), and on NumPy arrays of rows (Rows), which a test proves
equal to Soft before any other test trusts it."""

import numpy as np

from .formats import FORMATS, convert


class Soft:
    """Arithmetic on bit patterns. Every NaN it makes is the format's one NaN."""

    def __init__(self, name):
        self.format = FORMATS[name]
        self.zero = 0

    def plus(self, *terms):
        """The exact sum of the terms, rounded once."""
        f = self.format
        special = {t for t in terms if t & ~f.sign_bit >= f.inf}
        if special:
            return f.nan if len(special) > 1 or any(f.is_nan(t) for t in special) else special.pop()
        parts = [f.scaled(t) for t in terms]
        low = min([e for _, e in parts])
        total = sum([m << (e - low) for m, e in parts])
        if total == 0 and all(f.negative(t) for t in terms):
            return f.sign_bit
        return f.round_ratio(total, 1, low)

    def times(self, a, b):
        f = self.format
        sign = (a ^ b) & f.sign_bit
        if f.is_nan(a) or f.is_nan(b):
            return f.nan
        (ma, ea), (mb, eb) = ((1, 0) if f.is_inf(t) else f.scaled(t) for t in (a, b))
        if f.is_inf(a) or f.is_inf(b):
            return f.nan if ma == 0 or mb == 0 else sign | f.inf
        return f.round_ratio(abs(ma * mb), 1, ea + eb) | sign

    def fused(self, acc, a, b):
        """acc + a b, rounded once."""
        f = self.format
        product = self.times(a, b)
        special = [t & ~f.sign_bit >= f.inf for t in (acc, a, b)]
        if any(special):
            return self.plus(acc, product if any(special[1:]) else 0)
        (m, e), (ma, ea), (mb, eb) = map(f.scaled, (acc, a, b))
        low = min(e, ea + eb)
        total = (m << (e - low)) + (ma * mb << (ea + eb - low))
        if total == 0:
            return f.sign_bit if f.negative(acc) and f.negative(product) else 0
        return f.round_ratio(total, 1, low)

    def over(self, a, n):
        """a / n, where n is a positive count, first converted to this format."""
        f = self.format
        divisor = f.round(n)
        if f.is_nan(a) or (f.is_inf(a) and f.is_inf(divisor)):
            return f.nan
        sign = a & f.sign_bit
        if f.is_inf(a) or f.is_inf(divisor):
            return a if f.is_inf(a) else sign
        (m, e), (d, g) = f.scaled(a), f.scaled(divisor)
        return f.round_ratio(abs(m), d, e - g) | sign

    def load(self, element, code):
        return convert(element, self.format.name, code)[0]

    def store(self, output, code):
        return convert(self.format.name, output, code)[0]

    def over_f64(self, a, n):
        """a / n as a pattern of f64."""
        return Soft("f64").over(convert(self.format.name, "f64", a)[0], n)

    def wide(self):
        """An arithmetic that halves are added in, and the ways there and back."""
        if self.format.name != "f16":
            return self, lambda a: a, lambda a: a
        return Soft("f32"), lambda a: convert("f16", "f32", a)[0], lambda a: convert("f32", "f16", a)[0]


HALF, ONE, SHIFT, UPPER = (np.uint32(k) for k in (0x7FFF, 1, 16, 0xFFFF0000))


def _narrowed(x):
    """float32 values rounded to bf16, nearest even, held as float32 again. A carry past the exponent gives Inf by itself."""
    bits = x.view(np.uint32)
    rounded = ((bits + (HALF + ((bits >> SHIFT) & ONE))) & UPPER).view(np.float32)
    np.copyto(rounded, np.float32("nan"), where=x != x)
    return rounded


class Rows:
    """The same arithmetic on arrays: element r of a term belongs to row r. bf16 is held as the float32 of the same value."""

    def __init__(self, name, count):
        self.name = name
        self.type = {"f16": np.float16, "f64": np.float64}.get(name, np.float32)
        self.zero = np.zeros(count, self.type)
        if name == "bf16":
            self.plus = lambda a, b: _narrowed(a + b)

    def _narrow(self, x):
        return _narrowed(x) if self.name == "bf16" else x

    plus = staticmethod(np.add)

    def times(self, a, b):
        return self._narrow(a * b)

    def over(self, a, n):
        return self._narrow(a / self._narrow(np.array([n], np.float64).astype(self.type)))

    def over_f64(self, a, n):
        return a.astype(np.float64) / n

    def wide(self):
        if self.name != "f16":
            return self, lambda a: a, lambda a: a
        return Rows("f32", len(self.zero)), lambda a: a.astype(np.float32), lambda a: a.astype(np.float16)

    def load(self, element, codes):
        return decode(element, codes).astype(self.type)

    def store(self, output, x):
        return encode(output, x)


def decode(element, codes):
    """Patterns of a float format as NumPy floats of the same values."""
    if element == "bf16":
        return (codes.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return codes.view({"f16": np.float16, "f32": np.float32, "f64": np.float64}[element])


def encode(output, x):
    """NumPy floats rounded once to patterns of a float format. bf16 accepts float16 and float32 only: one rounding."""
    if output == "bf16":
        assert x.dtype != np.float64, "float64 to bf16 by way of float32 would round twice"
        return (_narrowed(x.astype(np.float32)).view(np.uint32) >> SHIFT).astype(np.uint16)
    y = x.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[output])
    codes = y.view(FORMATS[output].storage).copy()
    codes[np.isnan(y)] = FORMATS[output].nan
    return codes
