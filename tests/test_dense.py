# SPDX-License-Identifier: Apache-2.0
"""bitfold_dense_* gives the bits of bitfold_reduce, which the oracle checks, on every shape of four small axes and every mask."""

import ctypes as c
import itertools

import numpy as np
import pytest

import bitfold_c as b

EXTENTS = (0, 1, 2, 5)
SHAPES = list(itertools.product(EXTENTS, repeat=4)) + [(2, 3, 1, 17), (3, 2, 2, 33), (1, 1, 1, 67), (1, 18, 2, 16), (2, 1, 31, 48)]
CONTRACTS = {
    "sum": {"f16": "sum:f16:acc=f32:helia", "f32": "sum:f32:helia"},
    "mean": {"f16": "mean:f16:acc=f32:helia", "f32": "mean:f32:helia"},
    "max": {"f16": "max:f16:nan=propagate", "f32": "max:f32:nan=propagate"},
    "min": {"f16": "min:f16:nan=propagate", "f32": "min:f32:nan=propagate"},
    "argmax": {"f16": "argmax:f16:nan=ignore:out=i32", "f32": "argmax:f32:nan=ignore:out=i32"},
    "argmin": {"f16": "argmin:f16:nan=ignore:out=i32", "f32": "argmin:f32:nan=ignore:out=i32"},
}
MASKS = list(itertools.product((0, 1), repeat=4))
INFINITY = {"f16": {"max": 0xFC00, "min": 0x7C00}, "f32": {"max": 0xFF800000, "min": 0x7F800000}}


class Dense(c.Structure):
    _fields_ = [("extent", c.c_size_t * 5)]


def plan(shape, mask):
    """A plan, from bitfold_dense_init."""
    dense = Dense()
    assert b.lib.bitfold_dense_init(c.byref(dense), (c.c_int32 * 4)(*shape), (c.c_int32 * 4)(*mask)) == 0
    return dense


def hostile(rng, count, name):
    """Patterns with NaN, infinities, zeros of both signs, subnormals, ties, and numbers that cancel."""
    bits = {"f16": 16, "f32": 32}[name]
    special = {"f16": [0, 0x8000, 1, 0x8001, 0x7C00, 0xFC00, 0x7E01, 0xFD00, 0x3C00, 0xBC00, 0x7BFF],
               "f32": [0, 1 << 31, 1, 0x80000001, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFFA00000, 0x3F800000, 0xBF800000, 0x7F7FFFFF,
                       0x0C000000, 0x8B800001]}[name]
    kind = rng.integers(4)
    values = rng.integers(0, 1 << bits, count, dtype=np.uint64)
    if kind == 1:
        values = rng.choice(np.array(special, np.uint64), count)
    elif kind == 2:
        values = values | np.uint64(1 << (bits - 1))
    elif kind == 3:
        values = (rng.standard_normal(count).astype(np.float16 if bits == 16 else np.float32)).view(b.STORAGE[name])
    return values.astype(b.STORAGE[name])


def dense(operation, name, shape, mask, x):
    """(status, outputs) of bitfold_dense_<operation>_<name>; what is not written stays 0x55...."""
    kept = tuple(1 if reduced else extent for extent, reduced in zip(shape, mask))
    out = np.full(int(np.prod(kept)) + 1, 0x55, np.uint8).astype(np.int32 if operation.startswith("arg") else b.STORAGE[name])
    status = getattr(b.lib, f"bitfold_dense_{operation}_{name}")(c.byref(plan(shape, mask)), b.pointer(x), b.pointer(out))
    assert out[-1] == 0x55, "an element behind the output was written"
    return b.STATUS[status], out[:-1].reshape(kept)


@pytest.mark.parametrize("name", ["f16", "f32"])
@pytest.mark.parametrize("operation", CONTRACTS)
def test_dense_is_reduce(operation, name):
    rng = np.random.default_rng([len(operation), ord(operation[-1]), int(name[1:])])
    contract = CONTRACTS[operation][name]
    for shape, mask in itertools.product(SHAPES, MASKS):
        axes = [i for i in range(4) if mask[i]]
        groups = len([key for key, _ in itertools.groupby((m for m, e in zip(mask, shape) if e != 1)) if key])
        count = int(np.prod(shape))
        x = hostile(rng, count + 1, name)[:count].reshape(shape)
        status, got = dense(operation, name, shape, mask, x if count else np.zeros(1, x.dtype))
        reduced = int(np.prod([shape[i] for i in axes])) if axes else 1
        if operation.startswith("arg") and groups > 1:
            assert status == "AXIS"
        elif not reduced and got.size and operation not in ("sum", "mean"):
            assert status == "EMPTY" if operation.startswith("arg") else np.all(got == INFINITY[name][operation])
        else:
            want, _ = b.reduce(contract, x, axes=axes, keepdims=True)
            assert status == "OK" and got.tobytes() == want.astype(got.dtype).tobytes(), (shape, mask)


@pytest.mark.parametrize("operation", ["sum", "mean"])
def test_nothing_reduced_in_place(operation):
    x = hostile(np.random.default_rng(1), 70, "f32")
    _, apart = dense(operation, "f32", (1, 1, 7, 10), (0, 0, 0, 0), x)
    assert b.lib[f"bitfold_dense_{operation}_f32"](c.byref(plan((1, 1, 7, 10), (0, 0, 0, 0))), b.pointer(x), b.pointer(x)) == 0
    assert x.tobytes() == apart.tobytes()


def test_huge_extents_beside_a_zero_end_at_once():
    most = 2**31 - 1
    one = np.zeros(1, np.uint32)
    for shape, mask in (((most, most, 2, 0), (0, 0, 1, 0)), ((most, 2, 0, 1), (0, 1, 0, 0)), ((most, most, 0, 2), (0, 1, 0, 1))):
        for operation in ("sum", "mean", "max", "min"):
            function = b.lib[f"bitfold_dense_{operation}_f32"]
            assert function(c.byref(plan(shape, mask)), b.pointer(one), b.pointer(one)) == 0


def test_a_null_pointer_is_refused():
    x, d = np.zeros(4, np.uint32), plan((1, 1, 1, 4), (0, 0, 0, 1))
    for operation in CONTRACTS:
        function = b.lib[f"bitfold_dense_{operation}_f32"]
        for arguments in ((None, b.pointer(x), b.pointer(x)), (c.byref(d), None, b.pointer(x)), (c.byref(d), b.pointer(x), None)):
            assert b.STATUS[function(*arguments)] == "NULL"
    assert b.STATUS[b.lib.bitfold_dense_init(c.byref(d), None, (c.c_int32 * 4)())] == "NULL"
