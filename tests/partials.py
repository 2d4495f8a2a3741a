# SPDX-License-Identifier: Apache-2.0
"""Partials as the tests call them: begin, add, merge, cut, finish, to bytes and back."""

import ctypes as c

import numpy as np

import bitfold_c
from bitfold_c import lib
from oracle import data
from oracle.contract import parse
from oracle.formats import FORMATS


def elements(contract, n, seed):
    name = parse(contract).element
    make = lambda s: data.codes(name, n, s, True) if name.startswith(("i", "sf")) else data.row(name, n, s)
    return make(seed), make(seed + 5) if contract.startswith("dot") else None


def piece(contract, length, first):
    partial = bitfold_c.Partial()
    message = bitfold_c.Message()
    status = lib.bitfold_partial_init(c.byref(partial), c.byref(contract), c.c_uint64(length), c.c_uint64(first), c.byref(message))
    bitfold_c.check(status, message)
    partial.keep = contract
    return partial


def add(partial, x, y=None):
    x, y = np.ascontiguousarray(x), None if y is None else np.ascontiguousarray(y)
    message = bitfold_c.Message()
    bitfold_c.check(lib.bitfold_partial_add(c.byref(partial), bitfold_c.pointer(x), None if y is None else bitfold_c.pointer(y),
                                            c.c_size_t(len(x)), c.byref(message)), message)


def merge(left, right):
    message = bitfold_c.Message()
    bitfold_c.check(lib.bitfold_partial_merge(c.byref(left), c.byref(right), c.byref(message)), message)


def cut(contract, length, at):
    where = c.c_uint64(0)
    bitfold_c.check(lib.bitfold_partial_cut(c.byref(contract), c.c_uint64(length), c.c_uint64(at), c.byref(where)))
    return where.value


def to_bytes(partial):
    used = c.c_size_t(0)
    bitfold_c.check(lib.bitfold_partial_to_bytes(c.byref(partial), None, c.c_size_t(0), c.byref(used)))
    room = (c.c_ubyte * (used.value + 1))()
    room[used.value] = 0xEE
    bitfold_c.check(lib.bitfold_partial_to_bytes(c.byref(partial), room, used, c.byref(used)))
    assert used.value <= 4800 and room[used.value] == 0xEE
    return bytes(room)[: used.value]


def from_bytes(raw):
    partial = bitfold_c.Partial()
    bitfold_c.check(lib.bitfold_partial_from_bytes(c.byref(partial), raw, c.c_size_t(len(raw))))
    return partial


def finish(partial, output):
    out, report = np.full(8, 0x55, FORMATS[output].storage), bitfold_c.Report()
    bitfold_c.check(lib.bitfold_partial_finish(c.byref(partial), bitfold_c.pointer(out), c.byref(report)), report.message)
    assert out[1:].tolist() == [0x55] * 7, "more than one element was written"
    return int(out[0]), (report.outputs, report.clamped, report.nan, report.overflowed)
