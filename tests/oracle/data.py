# SPDX-License-Identifier: Apache-2.0
"""Hostile rows of bit patterns: cancellation, ties, subnormals, infinities, NaN payloads, signed zeros, made from a seed."""

import numpy as np

from .formats import FLOATS, FORMATS

FLOAT_KINDS = ("near", "wide", "cancel", "subnormal", "huge", "ties", "zeros", "small", "inf", "nan")


def _pack(f, sign, field, mantissa):
    sign, field, mantissa = (np.asarray(a, np.uint64) for a in (sign, field, mantissa))
    p = f.precision - 1
    return (sign << np.uint64(f.bits - 1)) | (field << np.uint64(p)) | mantissa


def _finite(f, rng, n, low, high):
    """Random signs and mantissas, exponent fields in low..high-1."""
    mantissa = rng.integers(0, 1 << (f.precision - 1), n, dtype=np.uint64)
    thin = rng.integers(0, 3, n) == 0
    mantissa[thin] &= np.uint64((1 << (f.precision - 1)) - (1 << (f.precision // 2)))
    return _pack(f, rng.integers(0, 2, n), rng.integers(low, high, n), mantissa)


def _ties(f, rng, n):
    """Powers of two and their half units: every addition of a neighbour is a tie or one unit off it."""
    top = (1 << (f.bits - f.precision)) - 1
    base = min(top - 4, f.precision + 5 + (1 << (f.bits - f.precision - 1)))
    drop = rng.choice([0, 1, f.precision - 1, f.precision, f.precision + 1], n)
    field = np.maximum(base - drop, 1)
    return _pack(f, rng.integers(0, 2, n), field, rng.integers(0, 3, n) // 2 * rng.integers(0, 2, n))


def _cancel(f, rng, n):
    top = (1 << (f.bits - f.precision)) - 1
    x = _finite(f, rng, n, 1, top)
    half = n // 2
    x[:half] = x[half : 2 * half] ^ np.uint64(f.sign_bit)
    few = rng.integers(0, 5, n) == 0
    x[few] = _finite(f, rng, int(few.sum()), 0, top // 2 + 1)
    return rng.permutation(x)


def floats(name, kind, n, seed):
    """n patterns of a float format."""
    f, rng = FORMATS[name], np.random.default_rng(seed)
    top, bias = (1 << (f.bits - f.precision)) - 1, (1 << (f.bits - f.precision - 1)) - 1
    if kind == "cancel":
        x = _cancel(f, rng, n)
    elif kind == "ties":
        x = _ties(f, rng, n)
    elif kind == "zeros":
        x = _pack(f, rng.integers(0, 2, n), np.zeros(n), rng.integers(0, 12, n) // 11)
    elif kind == "subnormal":
        x = _finite(f, rng, n, 0, 3)
    elif kind == "huge":
        x = _finite(f, rng, n, top - 3, top)
    elif kind == "small":
        x = _pack(f, rng.integers(0, 2, n), rng.integers(bias, bias + 4, n), rng.integers(0, 8, n) << (f.precision - 4))
    else:
        x = _finite(f, rng, n, 0, top) if kind == "wide" else _finite(f, rng, n, bias - 5, bias + 1)
    if kind in ("inf", "nan") and n:
        count = 1 + int(rng.integers(0, 3))
        payload = rng.integers(1, 1 << (f.precision - 1), count) if kind == "nan" else np.zeros(count)
        signs = rng.integers(0, 2, count) if kind == "nan" else np.full(count, rng.integers(0, 2))
        if kind == "inf" and count == 3:
            signs[0] ^= 1
        x[rng.integers(0, n, count)] = _pack(f, signs, np.full(count, top), payload)
    return x.astype(f.storage)


def codes(name, n, seed, full_range=False):
    """n codes of an integer or sfN format: a mixture of tiny, any and edge values."""
    f, rng = FORMATS[name], np.random.default_rng(seed)
    low = -(1 << (f.bits - 1)) if full_range else f.low
    scale = int(rng.choice([2, 8, 64, f.high]))
    x = rng.integers(max(low, -scale), min(f.high, scale), n, endpoint=True)
    edges = rng.integers(0, 8, n) == 0
    x[edges] = rng.choice([low, f.high], int(edges.sum()))
    return x.astype(f.storage)


def row(name, n, seed, kind=None):
    """n elements of any format."""
    if name in FLOATS:
        return floats(name, kind or FLOAT_KINDS[seed % len(FLOAT_KINDS)], n, seed)
    return codes(name, n, seed)
