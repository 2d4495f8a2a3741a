# SPDX-License-Identifier: Apache-2.0
"""Partials as bytes: round trips, truncations, flipped bits and other hostile bytes."""

import ctypes as c
import random

import numpy as np
import pytest

import bitfold_c
from bitfold_c import lib
from oracle.formats import FORMATS
from partials import add, elements, from_bytes, piece, to_bytes

SERIAL = (
    "sum:f32:exact", "sum:f64:exact", "argmax:f16:nan=ignore", "dot:f64:exact", "sum:sf8:sf", "sum:sf16:systolic24",
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
