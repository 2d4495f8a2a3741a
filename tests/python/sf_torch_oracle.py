# SPDX-License-Identifier: Apache-2.0
"""What the PyTorch layers should give: codes from Fractions, chains on plain integers, convolutions by loops over every index."""

from fractions import Fraction

import numpy as np

from oracle import superfloat
from oracle.formats import nearest_even

RULES = superfloat.RULES


def top(bits):
    return (1 << bits - 1) - 1


def code(value, bits, exponent=0):
    """(code, event) of one number: the nearest multiple of 2^exponent / 2^(N-1), ties to even, clamped (S42)."""
    if value in (float("inf"), float("-inf")):
        return (top(bits) if value > 0 else -top(bits)), 1
    exact = Fraction(float(value)) * (1 << bits - 1) / Fraction(2) ** exponent
    nearest = nearest_even(exact.numerator, exact.denominator)
    kept = min(max(nearest, -top(bits)), top(bits))
    return kept, int(kept != nearest)


def codes(values, bits, exponent=0):
    """Nested lists of codes of an array."""
    values = np.asarray(values)
    return np.array([code(v, bits, exponent)[0] for v in values.flat], np.int64).reshape(values.shape)


def clamps(values, bits, exponent=0):
    """How many numbers of an array are clamped."""
    return sum(code(v, bits, exponent)[1] for v in np.asarray(values).flat)


def constant(bias, bits, rule):
    """The weight of the largest code that makes the bias: under rules that narrow each product, the one whose product is the bias."""
    for weight in (bias, bias + 1, bias - 1):
        if abs(weight) <= top(bits) and superfloat.sum_codes(rule, bits, [weight], [top(bits)])[0] == bias:
            return weight
    return bias


def narrows(rule):
    """Whether the rule's products are codes of the data's width."""
    return rule not in ("guarded31", "edge-int32", "float32")


def chain(rule, bits, x, w, bias=None):
    """(code, event) of one output: products in sequence, the bias's last."""
    x, w = [int(k) for k in x], [int(k) for k in w]
    if bias is not None:
        x, w = [*x, top(bits)], [*w, constant(int(bias), bits, rule) if narrows(rule) else int(bias)]
    return superfloat.sum_codes(rule, bits, x, w)


def vanished(rule, bits, x, w):
    """Products of two codes that are not 0 which come out 0."""
    if not narrows(rule):
        return 0
    return sum(1 for a, b in zip(x, w) if a and b and superfloat.sum_codes(rule, bits, [int(a)], [int(b)])[0] == 0)


def linear(rule, bits, x, w, bias=None):
    """(codes, events) of a matrix x of rows."""
    made = [[chain(rule, bits, row, w[c], None if bias is None else bias[c]) for c in range(len(w))] for row in x]
    both = np.array(made, np.int64).reshape(len(x), len(w), 2)
    return both[..., 0], both[..., 1]


def patch(x, at, kernel, stride, padding, dilation, channels):
    """The terms of one output of a convolution: channel by channel, row by row."""
    terms = []
    for channel in channels:
        for i in range(kernel[0]):
            for j in range(kernel[1]):
                row = at[0] * stride[0] + i * dilation[0] - padding[0]
                column = at[1] * stride[1] + j * dilation[1] - padding[1]
                inside = 0 <= row < x.shape[1] and 0 <= column < x.shape[2]
                terms.append(int(x[channel, row, column]) if inside else 0)
    return terms


def patches(x, w, size, stride, padding, dilation, groups):
    """((image, channel, row, column), terms, weights) of every output; x is (batch, channels, height, width)."""
    out, inner = w.shape[:2]
    for n in range(len(x)):
        for c in range(out):
            group = c // (out // groups)
            channels = range(group * inner, (group + 1) * inner)
            for place in np.ndindex(*size):
                yield (n, c, *place), patch(x[n], place, w.shape[2:], stride, padding, dilation, channels), w[c].reshape(-1).tolist()
