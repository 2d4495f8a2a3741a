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


SF = {
    "name": "sf",
    "product": "toward-zero",
    "minus-one-is-zero": False,
    "bits": "data",
    "overflow": "clamp",
    "full-range": False,
    "sum-extra": 0,
    "product-extra": 0,
    "readout": "floor",
    "readout-full-range": False,
}


def products_of(rule, width, x, y):
    """The terms of a dot, in units of the accumulator, before they are added."""
    unit, extra = 2 ** (width - 1), width - 1 if rule["product-extra"] == "data" else rule["product-extra"]
    narrow = {"toward-zero": int, "floor": lambda value: value.numerator // value.denominator, "exact": lambda value: value}
    for a, b in zip(map(int, x), map(int, y)):
        whole = narrow[rule["product"]](Fraction(a * b, unit)) * 2**extra
        assert whole == int(whole)
        yield 0 if rule["minus-one-is-zero"] and -unit in (a, b) else int(whole)


def float32_total(rule, width, x, y=None):
    """What float32 additions make of terms that are exact, in units of the code."""
    unit, total = 2 ** (width - 1), numpy.float32(0)
    for i, a in enumerate(map(int, x)):
        b = unit if y is None else int(y[i])
        term = numpy.float32(a / unit) * numpy.float32(b / unit)
        if y is not None and rule["minus-one-is-zero"] and -unit in (a, b):
            term = numpy.float32(0)
        total = total + term
    return Fraction(float(total)) * unit


def by_rule(rule, width, x, y=None):
    """The code that a rule gives, and whether anything clamped. x, y are codes; rule has the words of --rule."""
    most, event = 2 ** (width - 1) - 1, False
    if rule["product"] == "float32":
        code = nearest_integer(float32_total(rule, width, x, y))
    else:
        extra = rule["sum-extra" if y is None else "product-extra"]
        scale = 2 ** (width - 1 if extra == "data" else extra)
        bits = {"data": width, "product": 2 * width - 1}.get(rule["bits"], rule["bits"])
        high = 2 ** (bits - 1) - 1
        low = -high - (1 if rule["full-range"] else 0)
        total = 0
        for term in [int(code) * scale for code in x] if y is None else products_of(rule, width, x, y):
            total += term
            if rule["overflow"] == "wrap":
                total = (total + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
            else:
                event |= not low <= total <= high
                total = sorted([low, total, high])[1]
        read = {"floor": lambda v: v // 1, "half-up": lambda v: (2 * v + 1) // 2, "nearest": nearest_integer}
        code = int(read[rule["readout"]](Fraction(total, scale)))
    least = -most - (1 if rule["readout-full-range"] else 0)
    return sorted([least, code, most])[1], event or not least <= code <= most


def vanishing(rule, width, x, y):
    """How many products of a dot are 0 though neither operand is."""
    if rule["product"] == "float32":
        return sum(rule["minus-one-is-zero"] and -(2 ** (width - 1)) in (int(a), int(b)) and 0 not in (a, b) for a, b in zip(x, y))
    return sum(p == 0 and a != 0 and b != 0 for p, a, b in zip(products_of(rule, width, x, y), x, y))


def rows_and_columns(a, b):
    """What each output of NumPy's matmul is the dot of, in row-major order."""
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    batch = numpy.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = numpy.broadcast_to(left, batch + left.shape[-2:])
    right = numpy.broadcast_to(right, batch + right.shape[-2:])
    for index in numpy.ndindex(*batch, left.shape[-2], right.shape[-1]):
        yield left[index[:-2]][index[-2]], right[index[:-2]][:, index[-1]]


def in_words(rule):
    """A rule as --rule reads it."""
    words = [f"{key}={value}" for key, value in rule.items() if not isinstance(value, bool)]
    return words + [key if value else f"{key}=no" for key, value in rule.items() if isinstance(value, bool)]


def random_rule(generator):
    """Any rule that a chip could have, fit for every width."""

    def choose(*values):
        return values[generator.integers(len(values))]

    product = choose("toward-zero", "floor", "exact", "float32")
    return {
        "name": "mychip",
        "product": product,
        "minus-one-is-zero": choose(False, True),
        "bits": choose("data", "product", 2, 9, 16, 17, 24, 31, 32, 48),
        "overflow": choose("clamp", "wrap"),
        "full-range": choose(False, True),
        "sum-extra": choose(0, "data", 1, 16, 32),
        "product-extra": choose("data", 15, 16, 32) if product == "exact" else choose(0, "data", 1, 16, 32),
        "readout": choose("floor", "half-up", "nearest"),
        "readout-full-range": choose(False, True),
    }


def named(codes, width, order="<"):
    """Codes in the form that says so: a structured array of one field."""
    return numpy.asarray(codes).astype([(f"sf{width}", f"{order}i{1 if width <= 8 else 2}")])
