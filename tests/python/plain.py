# SPDX-License-Identifier: Apache-2.0
"""What `sf` should give, on plain integers and Fractions one element at a time: sums over axes, matmul, conversions, words."""

import itertools
from fractions import Fraction

import numpy as np

import sf
from oracle import rules, superfloat
from oracle.formats import FORMATS, nearest_even

AxisError = getattr(np, "exceptions", np).AxisError  # NumPy before 1.25 has it in numpy
NUMPY_2 = int(np.__version__.split(".")[0]) > 1
WIDTHS = range(2, 17)
ENCODINGS = ("twos-complement", "sign-magnitude")


def here(texts):
    """Those calls that this NumPy has, and means as NumPy 2 does."""
    new = ("a.mT", "a==x", "a<x", "np.trapezoid(X)", "np.array(X, copy=False)", "np.asarray(X, copy=False)")
    return [text for text in texts if NUMPY_2 or text not in new]


def top(bits):
    return (1 << bits - 1) - 1


def storage(bits):
    return np.int8 if bits <= 8 else np.int16


def dtype(bits):
    return getattr(sf, f"sf{bits}")


def array(codes, bits=16):
    return sf.from_codes(np.asarray(codes, np.int64), dtype(bits))


def name(fields):
    """A rule's name: the eight are told by theirs, the others are the oracle's Fields."""
    return fields if isinstance(fields, str) else fields.name


def rule(fields):
    """The sf.Rule of the oracle's Fields; a name stays a name."""
    if isinstance(fields, str):
        return fields
    words = {rules.DATA: "data", rules.PRODUCT: "product"}
    return sf.Rule(fields.name, product=fields.product, minus_one_is_zero=bool(fields.minus_one_is_zero),
                   accumulator_bits=words.get(fields.accumulator_bits, fields.accumulator_bits), overflow=fields.overflow,
                   full_range=bool(fields.full_range), sum_extra=words.get(fields.sum_extra, fields.sum_extra),
                   product_extra=words.get(fields.product_extra, fields.product_extra), readout=fields.readout,
                   readout_full_range=bool(fields.readout_full_range))


def total(fields, bits, x, y=None):
    """(code, event) of a row, by a rule's name or Fields."""
    x, y = [int(k) for k in x], None if y is None else [int(k) for k in y]
    return superfloat.sum_codes(fields, bits, x, y) if isinstance(fields, str) else rules.sum_codes(fields, bits, x, y)


def mean(fields, bits, x, _=None):
    """(code, event) of a mean: the accumulator at the end over the count, rounded once, ties to even."""
    x = [int(k) for k in x]
    if isinstance(fields, str):
        return superfloat.mean_codes(fields, bits, x)
    if fields.product == "float32":
        return _float_mean(bits, x, fields.readout_full_range)
    own, acc, event = rules.resolved(fields, bits), Fraction(0), 0
    for k in x:
        acc, clamped = rules._step(own, acc + Fraction(k, 1 << bits - 1), Fraction(1, 1 << bits - 1 + own.sum_extra))
        event |= clamped
    return _full(bits, round(acc / len(x) * (1 << bits - 1)), event, own.readout_full_range)


def _float_mean(bits, x, full_range):
    single, acc = rules.SINGLE, 0
    for k in x:
        acc = single.plus(acc, single.format.round(Fraction(k, 1 << bits - 1)))
    return _full(bits, round(single.format.value(single.over(acc, len(x))) * (1 << bits - 1)), 0, full_range)


def _full(bits, code, event, full_range):
    kept = min(max(code, -top(bits) - bool(full_range)), top(bits))
    return kept, int(event or kept != code)


def walks(shape, axes):
    """(output index, indices of its terms in row-major order) for each output."""
    kept = [i for i in range(len(shape)) if i not in axes]
    for at in itertools.product(*(range(shape[i]) for i in kept)):
        place = dict(zip(kept, at))
        yield at, [tuple(place[i] if i in place else step[sorted(axes).index(i)] for i in range(len(shape)))
                   for step in itertools.product(*(range(shape[i]) for i in sorted(axes)))]


def over_axes(fields, bits, x, y=None, axes=None, one=total):
    """(codes of the kept shape, outputs that clamped) of a sum, or of a dot of arrays of one shape."""
    axes = set(range(x.ndim)) if axes is None else {a % x.ndim for a in (axes if isinstance(axes, tuple) else (axes,))}
    out = np.zeros([n for i, n in enumerate(x.shape) if i not in axes], np.int64)
    count = 0
    for at, terms in walks(x.shape, axes):
        out[at], event = one(fields, bits, [x[t] for t in terms], None if y is None else [y[t] for t in terms])
        count += event
    return out, count


def matmul(fields, bits, a, b):
    """(codes, outputs that clamped) of a @ b, shapes by numpy.matmul of anything else."""
    shape = (np.zeros(a.shape) @ np.zeros(b.shape)).shape
    rows = a if a.ndim > 1 else a[None, :]
    columns = b if b.ndim > 1 else b[:, None]
    batch = np.broadcast_shapes(rows.shape[:-2], columns.shape[:-2])
    rows = np.broadcast_to(rows, batch + rows.shape[-2:])
    columns = np.broadcast_to(columns, batch + columns.shape[-2:])
    out = np.zeros(batch + (rows.shape[-2], columns.shape[-1]), np.int64)
    count = 0
    for at in itertools.product(*map(range, out.shape)):
        out[at], event = total(fields, bits, rows[at[:-1]], columns[at[:-2]][:, at[-1]])
        count += event
    return out.reshape(shape), count


def converted(value, bits):
    """(code, event) of a Fraction, integer, "inf" or "-inf" (S42)."""
    return FORMATS[f"sf{bits}"].round(value)


def cast(code, old, new):
    """(code, event) of a code of one width in another."""
    scaled = Fraction(int(code) << new - 1, 1 << old - 1)
    k = nearest_even(scaled.numerator, scaled.denominator)
    kept = min(max(k, -top(new)), top(new))
    return kept, int(kept != k)


def word(code, bits, encoding):
    """The N-bit word of a code, or None where it has none."""
    if encoding == "twos-complement":
        return int(code) % (1 << bits)
    if code == -(1 << bits - 1):
        return None
    return int(code) if code >= 0 else (1 << bits - 1) | -int(code)


def reading(word, bits, encoding):
    """The code that an N-bit word is (S38: a negative zero is 0)."""
    sign = 1 << bits - 1
    if encoding == "twos-complement":
        return int(word) - 2 * sign * (word >= sign)
    return int(word) if word < sign else sign - int(word)


def codes_of(bits, rng, shape, full_range=False, wild=0.3):
    """Random codes, a part of them at the edges or tiny."""
    low = -(1 << bits - 1) if full_range else -top(bits)
    x = rng.integers(low, top(bits), shape, endpoint=True)
    odd = rng.random(shape)
    x = np.where(odd < wild / 2, rng.choice([low, top(bits), 0, 1 % (top(bits) + 1), -1], shape), x)
    return np.where(odd > 1 - wild / 2, rng.integers(-3, 3, shape, endpoint=True).clip(low, top(bits)), x).astype(np.int64)
