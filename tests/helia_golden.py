# SPDX-License-Identifier: Apache-2.0
"""What tests/cmsis_nn/golden.txt must hold, by the oracle alone: `python3 tests/helia_golden.py` prints it, and the digests of
tests/cmsis_nn/digest.c on standard error."""

import sys
from functools import lru_cache
from math import prod

from oracle import helia
from oracle.formats import FORMATS
from test_golden_file import KINDS, WORD, Hostile, Random

SHAPES = ((2, 3, 5, 7), (1, 8, 17, 1), (1, 1, 8, 17), (3, 1, 1, 9), (2, 1, 3, 1), (1, 1, 1, 1))
GROWN = (((1, 1, 1, 0), 1), ((1, 1, 0, 3), 2), ((1, 1, 3, 0), 2))  # 0 stands for 1 to LINES; the one mask
LINES = 67


@lru_cache(maxsize=None)
def data(element, kind, n):
    """The same row that the C program makes."""
    return tuple(Hostile(FORMATS[element], Random(16 * n + kind)).row(kind, n))


def hashed(value, name, codes):
    """FNV-1a, 32 bits, over the bytes of each output, the low one first."""
    act, element = helia.split(name)
    width = 4 if act in helia.ARGS else FORMATS[element].bits // 8
    for code in codes:
        for byte in code.to_bytes(width, "little"):
            value = ((value ^ byte) * 0x1000193) & 0xFFFFFFFF
    return value


def hash_of(name, extents, mask, kind):
    """Over one shape, or all of a series."""
    grown_to = lambda n: tuple(e or n for e in extents)
    x = data(helia.split(name)[1], kind, prod(grown_to(LINES)))
    value = 2166136261
    for n in range(1, LINES + 1) if 0 in extents else (LINES,):
        dims = grown_to(n)
        value = hashed(value, name, helia.outputs(name, x[:prod(dims)], dims, mask))
    return value


def line(name, extents, bits):
    """One line of the file."""
    mask = tuple(bits >> i & 1 for i in (3, 2, 1, 0))
    where = f"axis {mask.index(1)}" if helia.split(name)[0] in helia.ARGS else "mask " + "".join(map(str, mask))
    shape = ",".join(str(e) if e else f"1..{LINES}" for e in extents)
    return " ".join([f"{name} {{{shape}}} {where}"] + [f"{hash_of(name, extents, mask, kind):08x}" for kind in range(KINDS)])


def lines(name):
    """All lines of one function."""
    is_arg = helia.split(name)[0] in helia.ARGS
    masks = (1, 2, 4, 8) if is_arg else range(16)
    return [line(name, shape, bits) for shape in SHAPES for bits in masks] + [line(name, *series) for series in GROWN]


def digest(texts):
    """FNV-1a, 64 bits, over the text of lines."""
    value = 0xCBF29CE484222325
    for byte in "".join(text + "\n" for text in texts).encode():
        value = ((value ^ byte) * 0x100000001B3) & WORD
    return value


if __name__ == "__main__":
    texts = {name: lines(name) for name in helia.FUNCTIONS}
    print("\n".join(text for name in helia.FUNCTIONS for text in texts[name]))
    for element in ("f32", "f16"):
        print(f"{digest([t for name in helia.FUNCTIONS if name.endswith(element) for t in texts[name]]):016x}", file=sys.stderr)
