# SPDX-License-Identifier: Apache-2.0
"""Partials as bytes: round trips, truncations, flipped bits and other hostile bytes."""

import ctypes as c
import random
import struct
from fractions import Fraction

import numpy as np
import pytest

import bitfold_c
from bitfold_c import lib
from oracle.formats import FORMATS
from partials import add, elements, from_bytes, piece, to_bytes

SERIAL = (
    "sum:f32:exact", "sum:f64:exact", "argmax:f16:nan=ignore", "dot:f64:exact", "dot:i64:exact", "min:i64", "argmax:i64",
    "sum:sf8:sf", "sum:sf16:systolic24",
    "sum:f32:canonical(4)", "sum:f32:blocks(8,lanes(4))", "sum:f32:pairwise(8,sequential)", "sum:f32:lanes(8)")


@pytest.mark.parametrize("contract", SERIAL)
def test_bytes_round_trip_and_truncations(contract, seed):
    x, y = elements(contract, 40, seed)
    part = piece(bitfold_c.parse(contract), 64, 0)
    add(part, x, y)
    raw = to_bytes(part)
    assert to_bytes(from_bytes(raw)) == raw
    for size in range(len(raw)):
        with pytest.raises(bitfold_c.Refused) as refused:
            from_bytes(raw[:size])
        assert refused.value.status == "BYTES", size
    with pytest.raises(bitfold_c.Refused):
        from_bytes(raw + b"\0")
    room, used = (c.c_ubyte * len(raw))(), c.c_size_t(0)
    status = lib.bitfold_partial_to_bytes(c.byref(part), room, c.c_size_t(len(raw) - 1), c.byref(used))
    assert bitfold_c.STATUS[status] == "BYTES" and bytes(room) == bytes(len(raw))


@pytest.mark.parametrize("contract", SERIAL)
def test_hostile_bytes_are_refused_or_give_a_usable_state(contract, seed, full):
    rng = random.Random(seed)
    x, y = elements(contract, 40, seed)
    part = piece(bitfold_c.parse(contract), 64, 0)
    add(part, x, y)
    raw = to_bytes(part)
    flips = range(8 * len(raw)) if full or len(raw) < 400 else rng.sample(range(8 * len(raw)), 3000)
    for bit in flips:
        bad = bytearray(raw)
        bad[bit // 8] ^= 1 << bit % 8
        use(bytes(bad), x, y)
    for _ in range(500):
        bad = bytearray(raw)
        for _ in range(rng.randint(1, 8)):
            bad[rng.randrange(len(bad))] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        use(bytes(bad), x, y)


def use(raw, x, y):
    """Reads hostile bytes; what is accepted must serialise to bytes that are read back the same, and bear every later call."""
    try:
        part = from_bytes(raw)
    except bitfold_c.Refused as refused:
        assert refused.status == "BYTES"
        return
    again = to_bytes(part)
    assert to_bytes(from_bytes(again)) == again
    name = bitfold_c.FORMAT_NAMES[part.contract.element]
    room = np.zeros(64, np.uint64)
    lib.bitfold_partial_finish(c.byref(part), bitfold_c.pointer(room), None)
    element = np.zeros(24, FORMATS[name].storage) if name in FORMATS else None
    lib.bitfold_partial_add(c.byref(part), bitfold_c.pointer(element), bitfold_c.pointer(element), c.c_size_t(24), None)
    lib.bitfold_partial_merge(c.byref(part), c.byref(from_bytes(again)), None)
    lib.bitfold_partial_finish(c.byref(part), bitfold_c.pointer(room), None)


def test_a_rule_of_ones_own_has_no_bytes():
    contract = bitfold_c.parse("sum:sf8:sf")
    rule = bitfold_c.Rule.from_buffer_copy(contract.rule.contents)
    rule.name = b"mine"
    contract.rule = c.pointer(rule)
    used = c.c_size_t(0)
    assert lib.bitfold_partial_to_bytes(c.byref(piece(contract, 8, 0)), None, c.c_size_t(0), c.byref(used)) != 0


def written_from_the_page(text, length, count, total):
    """The bytes of an exact piece from element 0 whose finite terms add up to total, by docs/partials.md alone."""
    number, k = int(total * (1 << 2176)), 0
    while number and number % (1 << 32) == 0:
        number, k = number >> 32, k + 1
    digits = 1 if number else 0
    while digits and not -(1 << 32) <= number >> 32 * (digits - 1) < 1 << 32:
        digits += 1
    raw = b"BFP1" + struct.pack(f"<H{len(text)}sQQQB", len(text), text.encode(), length, 0, count, 0)
    raw += struct.pack("<BHH", 0, k, digits)
    for j in range(digits):
        last = j == digits - 1
        raw += struct.pack("<q", number >> 32 * j) if last else struct.pack("<I", number >> 32 * j & 0xFFFFFFFF)
    return raw


@pytest.mark.parametrize("text", ["sum:f64:exact", "sum:f32:exact", "sum:f16:exact", "sum:i8:exact:out=i64",
                                  "sum:i32:exact:out=i64", "sum:i64:exact:out=i64"])
def test_the_page_specifies_every_byte_of_an_exact_sum(text, seed):
    name, rng = text.split(":")[1], random.Random(seed)
    f = FORMATS[name]
    for n in range(60):
        codes = [rng.randrange(1 << f.bits) for _ in range(n % 7)]
        if name.startswith("i"):
            codes = [code - (1 << (f.bits - 1)) for code in codes]
        elif any(f.is_nan(code) or f.is_inf(code) for code in codes):
            continue
        values = [Fraction(f.value(code)) for code in codes]
        x = np.array(codes, f.storage)
        part = piece(bitfold_c.parse(text), 64, 0)
        add(part, x)
        raw = to_bytes(part)
        assert raw == written_from_the_page(text, 64, len(codes), sum(values, Fraction(0))), codes
        assert to_bytes(from_bytes(raw)) == raw


def test_minus_one_has_one_digit():
    part = piece(bitfold_c.parse("sum:i8"), 64, 0)
    add(part, np.array([-1], "i1"))
    assert to_bytes(part)[-13:] == struct.pack("<BHHq", 0, 68, 1, -1)


@pytest.mark.parametrize("text, key", [("max:i8", -128), ("min:i8", 128), ("argmin:i32:out=i64", 128), ("max:i64", -128),
                                       ("min:i64", 127), ("argmin:i64:out=i64", 127), ("min:sf8", 128)])
def test_the_page_specifies_every_byte_of_a_winner(text, key):
    part = piece(bitfold_c.parse(text), 64, 5)
    f = FORMATS[text.split(":")[1]]
    add(part, np.array([-128], f.storage))
    bits = -128 & (1 << 8 * f.storage().itemsize) - 1
    head = struct.pack(f"<H{len(text)}sQQQB", len(text), text.encode(), 64, 5, 1, 0)
    assert to_bytes(part) == b"BFP1" + head + struct.pack("<qQQ", key, 5, bits)


@pytest.mark.parametrize("index", [2, 1 << 62, (1 << 64) - 1])
def test_a_winner_outside_the_piece_is_refused(index):
    part = piece(bitfold_c.parse("argmax:f32"), bitfold_c.UNKNOWN, 0)
    add(part, np.array([1, 2], "f4").view("u4"))
    raw = to_bytes(part)
    with pytest.raises(bitfold_c.Refused):
        from_bytes(raw[:-16] + struct.pack("<Q", index) + raw[-8:])
