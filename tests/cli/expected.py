# SPDX-License-Identifier: Apache-2.0
"""What results must be, from fractions and integers: no code is shared with the library."""

from fractions import Fraction

import numpy

# format: digits of precision, least exponent of a normal number, largest exponent, bits of the whole
FLOATS = {"f16": (11, -14, 15, 16), "bf16": (8, -126, 127, 16), "f32": (24, -126, 127, 32), "f64": (53, -1022, 1023, 64)}


def nearest_integer(value):
    """To nearest, ties to even, as Python's round of a Fraction."""
    return round(value)


def float_bits(value, name):
    """The bits of a fraction rounded to a float format, ties to even; beyond the range, infinity."""
    precision, least, largest, width = FLOATS[name]
    sign = 1 << (width - 1) if value < 0 else 0
    value = abs(Fraction(value))
    if value == 0:
        return 0
    exponent = least
    if value >= Fraction(2) ** least:
        exponent = value.numerator.bit_length() - value.denominator.bit_length()
        if Fraction(2) ** exponent > value:
            exponent -= 1
    scaled = nearest_integer(value / Fraction(2) ** (exponent - precision + 1))
    # A subnormal has field 0, and a carry into the next power of two moves the field by itself.
    field = exponent - least
    bits = (field << (precision - 1)) + scaled
    infinity = (largest - least + 2) << (precision - 1)
    return sign | min(bits, infinity)


def hexadecimal(bits, width):
    return f"{bits & ((1 << width) - 1):0{width // 4}x}"


def exact(values, name):
    """The correctly rounded sum of floats, in hex."""
    return hexadecimal(float_bits(sum(map(Fraction, map(float, values))), name), FLOATS[name][3])


def widened(bits):
    """bfloat16 words as float32."""
    return (numpy.asarray(bits, "u4") << 16).view("f4")


def codes_of(values, width):
    """SuperFloat codes of floats, and how many were clamped."""
    most = 2 ** (width - 1) - 1
    wanted = [nearest_integer(Fraction(float(value)) * (most + 1)) for value in values]
    codes = [max(-most, min(most, code)) for code in wanted]
    return codes, sum(a != b for a, b in zip(codes, wanted))


def clamped_sum(codes, width):
    """The chain of the rule sf, and whether a step clamped."""
    most = 2 ** (width - 1) - 1
    total, clamped = 0, False
    for code in codes:
        total += int(code)
        clamped |= abs(total) > most
        total = max(-most, min(most, total))
    return total, clamped


def clamped_dot(a, b, width):
    """The same of products narrowed toward zero."""
    products = [abs(int(x) * int(y)) >> (width - 1) for x, y in zip(a, b)]
    return clamped_sum([-p if int(x) * int(y) < 0 else p for p, x, y in zip(products, a, b)], width)
