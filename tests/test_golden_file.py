# SPDX-License-Identifier: Apache-2.0
"""golden.txt, which every machine must reproduce, holds what the oracle computes on the same data, made here a second time."""

import pathlib

import pytest

from oracle.contract import parse
from oracle.formats import FLOATS, FORMATS
from oracle.reduce import reduce

HERE = pathlib.Path(__file__).parent
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 300)
KINDS = 11
LINES = [line.split() for line in (HERE / "golden.txt").read_text().splitlines()] if (HERE / "golden.txt").exists() else []
WORD = (1 << 64) - 1


class Random:
    def __init__(self, state):
        self.state = state

    def next(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & WORD
        return ((self.state ^ (self.state >> 29)) * 0xFF51AFD7ED558CCD) & WORD

    def below(self, limit):
        return (self.next() >> 32) % limit


class Hostile:
    """The generator of c/hostile.c for one format."""

    def __init__(self, f, random):
        self.f, self.random = f, random
        self.mantissa = f.precision - 1
        self.limit = (1 << (f.bits - f.precision)) - 1

    def pack(self, sign, field, mantissa):
        return sign << (self.f.bits - 1) | field << self.mantissa | mantissa & ((1 << self.mantissa) - 1)

    def finite(self, low, span):
        word = self.random.next()
        mantissa = word >> 8
        if word & 2:
            mantissa &= ~((1 << (self.mantissa // 2 + 1)) - 1)
        return self.pack(word & 1, low + self.random.below(span), mantissa)

    def tie(self):
        base = self.limit // 2 + self.mantissa // 2 + 2
        pick, sign, odd = self.random.below(6), self.random.below(2), self.random.below(6) == 0
        drop = (0, 0, 1, 0, 1, 2)[pick] + (self.mantissa if pick >= 3 else 0)
        return self.pack(sign, max(base - drop, 0), int(odd))

    def element(self, kind):
        limit, middle, below = self.limit, self.limit // 2, self.random.below
        sign, one_in_9, field, payload = below(2), below(9) == 0, below(4), self.random.next() >> 8
        spans = {0: (middle - 4, 6), 1: (0, limit), 2: (1, limit - 1), 3: (0, 3), 4: (limit - 3, 3)}
        if kind in spans:
            return self.finite(*spans[kind])
        if kind == 5:
            return self.tie()
        if kind == 6:
            return self.pack(sign, 0, int(one_in_9))
        if kind == 7:
            return self.pack(sign, middle + field, (payload & 7) << (self.mantissa - 3))
        if kind in (8, 9) and one_in_9:
            return self.pack(int(sign and field == 0), limit, 0) if kind == 8 else self.pack(sign, limit, payload | 1)
        if kind in (8, 9):
            return self.finite(0, limit)
        return self.finite(limit - 2, 2) if sign else self.finite(0, 2)

    def row(self, kind, n):
        x = [self.element(kind) for _ in range(n)]
        for i in range(n // 2 if kind == 2 else 0):
            if self.random.below(5):
                x[n - 1 - i] = x[i] ^ self.f.sign_bit
        return x


def codes(bits, kind, n, random):
    drop = kind % 3 * (bits - 1) // 3
    limit = 1 << (bits - drop)
    x = [(random.next() >> 20) % limit for _ in range(n)]
    return [0 if k == limit // 2 else k - limit if k > limit // 2 else k for k in x]


def wholes(kind, n, random):
    bits = 64 - kind % 3 * 21
    x = [random.next() >> 64 - bits for _ in range(n)]
    return [-(1 << 63) if i % 16 == 15 else k - (1 << bits) if k >> bits - 1 else k for i, k in enumerate(x)]


def row(f, kind, n, random):
    if f.name == "i64":
        return wholes(kind, n, random)
    return Hostile(f, random).row(kind, n) if f.name in FLOATS else codes(f.bits, kind, n, random)


def hashed(value, word):
    for byte in (word & WORD).to_bytes(8, "little"):
        value = ((value ^ byte) * 0x100000001B3) & WORD
    return value


def wanted(contract, kind):
    c = parse(contract)
    f, g = FORMATS[c.element], FORMATS[c.output]
    random, value = Random(kind + 1), 0xCBF29CE484222325
    for n in LENGTHS:
        x, y = row(f, kind, n, random), row(f, (kind + 3) % KINDS, n, random)
        operands = (x, y) if c.operation == "dot" else (x,)
        out, event = reduce(contract, *operands)
        nan = overflowed = 0
        if g.kind == "float":
            nan = int(g.is_nan(out))
            no_inf = f.kind != "float" or not any(f.is_inf(k) for operand in operands for k in operand)
            overflowed = int(g.is_inf(out) and no_inf)
        width = 8 * FORMATS[c.output].storage().itemsize
        value = hashed(hashed(value, out & ((1 << width) - 1)), event | nan << 1 | overflowed << 2)
    return f"{value:016x}"


def test_the_file_is_whole():
    assert len(LINES) == KINDS * len({contract for contract, _, _ in LINES}) and len(LINES) > 1000


@pytest.mark.parametrize("contract", sorted({contract for contract, _, _ in LINES}))
def test_golden_line(contract, full):
    for text, kind, value in LINES:
        if text == contract and (full or int(kind) in (2, 5)):
            assert wanted(contract, int(kind)) == value, (contract, kind)
