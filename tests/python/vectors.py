# SPDX-License-Identifier: Apache-2.0
"""The eight rules on many rows at once, in NumPy's int64 and float32: a third implementation, for dots by the hundred thousand."""

import numpy as np


def narrowed(a, b, n):
    """a b toward zero at N-1 fraction bits."""
    p = a * b
    return (p + ((p < 0) * ((1 << n - 1) - 1))) >> (n - 1)


def clamping(terms, low, high):
    """(the accumulators after a clamp at each step, where any step clamped)."""
    acc, event = np.zeros(len(terms), np.int64), np.zeros(len(terms), bool)
    for k in range(terms.shape[1]):
        real = acc + terms[:, k]
        acc = np.minimum(np.maximum(real, low), high)
        event |= acc != real
    return acc, event


def wrapped(total, bits):
    return ((total + (1 << bits - 1)) & ((1 << bits) - 1)) - (1 << bits - 1)


def read(codes, event, low, high):
    kept = np.clip(codes, low, high)
    return kept, event | (kept != codes)


def sf(a, b, n, m):
    return clamping(narrowed(a, b, n), -m, m)


def atreides_v1(a, b, n, m):
    return clamping(np.where((a == -m - 1) | (b == -m - 1), 0, narrowed(a, b, n)), -m - 1, m)


def atreides_v21(a, b, n, m):
    return clamping(a * b >> n - 1, -m - 1, m)


def systolic24(a, b, n, m):
    total = np.where((a == -m - 1) | (b == -m - 1), 0, narrowed(a, b, n)).sum(axis=1)
    return read(wrapped(total, 24), np.zeros(len(a), bool), -m, m)


def sf31(a, b, n, m):
    acc, event = clamping(narrowed(a, b, n) * 65536, -0x7FFFFFFF, 0x7FFFFFFF)
    return read(acc >> 16, event, -m - 1, m)


def guarded31(a, b, n, m):
    one = (m + 1) * (m + 1)
    acc, event = clamping(a * b, 1 - one, one - 1)
    return read(acc >> n - 1, event, -m - 1, m)


def edge_int32(a, b, n, m):
    total = wrapped((a * b).sum(axis=1), 32)
    return read((total + (1 << n - 2)) >> n - 1, np.zeros(len(a), bool), -m, m)


def float32(a, b, n, m):
    scale = np.float32(m + 1)
    products = (a.astype(np.float32) / scale) * (b.astype(np.float32) / scale)
    acc = np.zeros(len(a), np.float32)
    for k in range(a.shape[1]):
        acc = acc + products[:, k]
    return read(np.rint(acc.astype(np.float64) * (m + 1)).astype(np.int64), np.zeros(len(a), bool), -m, m)


def float32_sum(terms, n, m):
    acc = np.zeros(len(terms), np.float32)
    for k in range(terms.shape[1]):
        acc = acc + terms[:, k].astype(np.float32) / np.float32(m + 1)
    return read(np.rint(acc.astype(np.float64) * (m + 1)).astype(np.int64), np.zeros(len(terms), bool), -m, m)


def whole(terms, bits, n, m):
    return read(wrapped(terms.sum(axis=1), bits), np.zeros(len(terms), bool), -m, m)


def shifted(terms, shift, low, high, n, m):
    acc, event = clamping(terms << shift, low, high)
    return read(acc >> shift, event, -m - 1, m)


SUMS = {
    "sf": lambda t, n, m: clamping(t, -m, m), "atreides-v1": lambda t, n, m: clamping(t, -m - 1, m),
    "atreides-v2.1": lambda t, n, m: clamping(t, -m - 1, m), "systolic24": lambda t, n, m: whole(t, 24, n, m),
    "sf31": lambda t, n, m: shifted(t, 16, -0x7FFFFFFF, 0x7FFFFFFF, n, m),
    "guarded31": lambda t, n, m: shifted(t, n - 1, 1 - (m + 1) ** 2, (m + 1) ** 2 - 1, n, m),
    "edge-int32": lambda t, n, m: whole(t, 32, n, m), "float32": float32_sum}
DOTS = {"sf": sf, "atreides-v1": atreides_v1, "atreides-v2.1": atreides_v21, "systolic24": systolic24, "sf31": sf31,
        "guarded31": guarded31,
        "edge-int32": edge_int32, "float32": float32}


def dots(rule, n, a, b):
    """(codes, events) of the dots of the rows of a with those of b, arrays of int64."""
    return DOTS[rule](a, b, n, (1 << n - 1) - 1)


def sums(rule, n, terms):
    """(codes, events) of the sums of the rows, an array of int64."""
    return SUMS[rule](terms, n, (1 << n - 1) - 1)


def elements(operation, rule, n, a, b):
    """(codes, events) of a + b, a - b or a * b, one-dimensional arrays of int64."""
    if operation == "multiply":
        return dots(rule, n, a[:, None], b[:, None])
    return sums(rule, n, np.stack([a, b if operation == "add" else -b], axis=1))
