# SPDX-License-Identifier: Apache-2.0
"""int64, and the dtypes that become a wider integer: uint8, uint32, bool, and uint16 where that is said."""

import json
from fractions import Fraction

import numpy
import pytest

from expected import float_bits, hexadecimal

MOST = 2**63 - 1
LEAST = -(2**63)
HOSTILE = [0, 1, -1, LEAST, LEAST + 1, MOST, MOST - 1, 2**62, -(2**62), 2**53 + 1, -(2**53) - 1, 2**32, 12345678901234567]


def saturated(value):
    return max(LEAST, min(MOST, value)), not LEAST <= value <= MOST


def said(command, *arguments):
    return json.loads(command.run(*arguments, "--over", "ignore", "--json"))


@pytest.mark.parametrize("order", ["<", ">"], ids=["little", "big"])
@pytest.mark.parametrize("seed", range(4))
def test_int64(command, seed, order):
    generator = numpy.random.default_rng(seed)
    x = generator.choice(numpy.array(HOSTILE), (3, 5)).astype(f"{order}i8")
    y = generator.choice(numpy.array(HOSTILE), (3, 5)).astype(f"{order}i8")
    command.save("x.npy", numpy.asfortranarray(x) if seed % 2 else x)
    command.save("y.npy", numpy.asfortranarray(y) if seed % 2 else y)
    totals = {
        "sum": [sum(row) for row in x.tolist()],
        "sumabs": [sum(map(abs, row)) for row in x.tolist()],
        "sumsq": [sum(value * value for value in row) for row in x.tolist()],
        "dot": [sum(a * b for a, b in zip(row, other)) for row, other in zip(x.tolist(), y.tolist())],
    }
    for verb, wanted in totals.items():
        got = said(command, verb, "x.npy", *(["y.npy"] if verb == "dot" else []), "--axis", "1")
        assert got["values"] == got["codes"] == [saturated(value)[0] for value in wanted]
        assert got["events"]["overflow"] == sum(saturated(value)[1] for value in wanted)
        assert got["contract"] == f"{verb}:i64:exact:out=i64"
        real = said(command, verb, "x.npy", *(["y.npy"] if verb == "dot" else []), "--axis", "1", "--contract", "out=f64")
        assert real["bits"] == [hexadecimal(float_bits(value, "f64"), 64) for value in wanted]
    means = said(command, "mean", "x.npy", "--axis", "1")["bits"]
    assert means == [hexadecimal(float_bits(Fraction(sum(row), 5), "f64"), 64) for row in x.tolist()]
    for verb in ["max", "min", "argmax", "argmin"]:
        wanted = getattr(numpy, verb)(x, axis=1)
        assert said(command, verb, "x.npy", "--axis", "1")["values"] == wanted.tolist()
    assert said(command, "max", "x.npy")["contract"] == "max:i64"


def test_int64_overflow_is_told(command):
    command.save("x.npy", numpy.array([MOST, 1]))
    command.refuses("sum", "x.npy", code=1, says="x.npy: i64 sum: overflow in 1 of 1 element(s)")
    command.save("y.npy", numpy.array([MOST, 1, -1]))
    assert command.run("sum", "y.npy") == f"{MOST}\n"  # the real sum is in range


def test_conversion_of_int64(command):
    command.save("x.npy", numpy.array([HOSTILE]))
    for name, width in [("f32", 32), ("f64", 64)]:
        assert command.bits("convert", "x.npy", "--as", name) == [hexadecimal(float_bits(value, name), width) for value in HOSTILE]
    wanted = [max(-(2**31), min(2**31 - 1, value)) for value in HOSTILE]
    assert said(command, "max", "x.npy", "--axis", "0", "--as", "i32")["values"] == wanted
    command.save("f.npy", numpy.array([1e19, -1e19, 2.5, 2.0**62]))
    assert said(command, "convert", "f.npy", "--as", "i64")["codes"] == [MOST, LEAST, 2, 2**62]
    assert said(command, "convert", "f.npy", "--as", "i64")["events"]["overflow"] == 2


WIDER = {"u1": ("uint8", "i16"), "u4": ("uint32", "i64"), "?": ("bool", "i8")}


@pytest.mark.parametrize("order", ["<", ">"], ids=["little", "big"])
@pytest.mark.parametrize("dtype", WIDER)
def test_unsigned_integers_become_wider_ones(command, dtype, order):
    name, wider = WIDER[dtype]
    generator = numpy.random.default_rng(6)
    x = generator.integers(0, 2**32, (4, 5, 3)).astype("u4").astype(dtype if dtype == "?" else order + dtype)
    x.flat[:2] = [0, numpy.array(-1).astype("u8").astype(x.dtype)]
    for array in [x, numpy.asfortranarray(x)]:
        command.save("x.npy", array)
        got = said(command, "sum", "x.npy", "--axis", "1")
        assert got["values"] == x.astype("i8").sum(axis=1).ravel().tolist()
        assert got["contract"] == f"sum:{wider}:exact:out=i64"
        assert said(command, "max", "x.npy", "--axis", "0,2")["values"] == x.astype("i8").max(axis=(0, 2)).tolist()
        assert said(command, "sum", "x.npy", "--as", "f64")["values"] == [float(x.astype("f8").sum())]
        assert command.bits("convert", "x.npy", "--as", "f16") == [hexadecimal(float_bits(int(value), "f16"), 16) for value in x.ravel()]
    line = f"x.npy: {name} (4, 5, 3), Fortran order, "
    assert command.run("info", "x.npy").startswith(line) and command.run("info", "x.npy").endswith(f"becomes {wider}\n")
    command.run("max", "x.npy", "-o", "out.npy")
    assert command.load("out.npy").dtype == {"i8": "i1", "i16": "i2", "i64": "i8"}[wider]


def test_unsigned_integers_are_clamped_by_as(command):
    command.save("x.npy", numpy.array([127, 128, 255, 0], "u1"))
    command.refuses("sum", "x.npy", "--as", "i8", code=1, says="x.npy: i8 array: overflow in 2 of 4 element(s)")
    assert command.run("sum", "x.npy", "--as", "i8", "--over", "ignore") == f"{127 * 3}\n"
    command.refuses("sum", "x.npy", "--contract", "i8", says="x.npy: holds i16, and the contract says i8; --as i8 makes it that")


def test_any_byte_but_0_is_true(command):
    command.save("x.npy", numpy.zeros(5, "?"))
    content = (command.folder / "x.npy").read_bytes()
    command.write("x.npy", content[:-5] + bytes([0, 1, 2, 128, 255]))
    assert command.run("sum", "x.npy") == "4\n"


@pytest.mark.parametrize("order", ["<", ">"], ids=["little", "big"])
def test_uint16_is_integers_if_that_is_said(command, order):
    x = numpy.array([[0, 65535, 32768], [1, 2, 3]], f"{order}u2")
    command.save("x.npy", x)
    assert said(command, "sum", "x.npy", "--axis", "1", "--as", "i32")["values"] == [98303, 6]
    assert command.run("sum", "x.npy", "--as", "f32") == "98309\n"
    command.refuses("sum", "x.npy", "--as", "i16", code=1, says="x.npy: i16 array: overflow in 2 of 6 element(s)")
    assert "needs --as i32, or --codes --as bf16 or f16" in command.run("info", "x.npy")


def test_more_than_a_chunk_of_them(command):
    x = numpy.random.default_rng(7).integers(0, 256, (700, 999), "u1")
    command.save("x.npy", x)
    assert command.run("sum", "x.npy") == f"{int(x.astype('i8').sum())}\n"
    assert said(command, "sum", "x.npy", "--axis", "0")["values"] == x.astype("i8").sum(axis=0).tolist()
