# SPDX-License-Identifier: Apache-2.0
"""SuperFloat from the command line: conversion, codes, rules, and the three policies for overflow."""

import json

import numpy
import pytest

from expected import clamped_dot, clamped_sum, codes_of

OVERFLOW = "sf16 sum: overflow in 1 of 1 element(s)"


def dtype_of(width):
    return "i1" if width <= 8 else "i2"


def test_the_examples_of_the_reference(command):
    command.save("x.npy", numpy.array([0.1, -0.25, 0.5], "f4"))
    assert command.run("sum", "x.npy", "--as", "sf16") == "sf16(0.350006103515625)\n"
    assert command.run("dot", "x.npy", "x.npy", "--as", "sf16") == "sf16(0.322479248046875)\n"
    assert command.run("max", "x.npy", "--as", "sf16") == "sf16(0.5)\n"
    assert command.run("min", "x.npy", "--as", "sf16") == "sf16(-0.25)\n"


@pytest.mark.parametrize("width", range(2, 17))
def test_every_width_from_codes_and_from_floats(command, width):
    generator = numpy.random.default_rng(width)
    values = generator.normal(size=(3, 40)) / 4
    codes, clamped = codes_of(values.ravel(), width)
    command.save("floats.npy", values)
    command.save("codes.npy", numpy.array(codes, dtype_of(width)).reshape(3, 40))
    sums = [clamped_sum(row, width) for row in numpy.array(codes).reshape(3, 40)]
    dots = [clamped_dot(row, row, width) for row in numpy.array(codes).reshape(3, 40)]
    for name, options in [("floats.npy", []), ("codes.npy", ["--codes"])]:
        options = [*options, "--as", f"sf{width}", "--axis", "1", "--json", "--over", "ignore"]
        for files, verb, wanted in [([name], "sum", sums), ([name, name], "dot", dots)]:
            said = json.loads(command.run(verb, *files, *options))
            assert said["codes"] == [code for code, _ in wanted]
            assert said["values"] == [code / 2 ** (width - 1) for code, _ in wanted]
            digits = 2 if width <= 8 else 4
            assert said["bits"] == [f"{code & (256 ** (digits // 2) - 1):0{digits}x}" for code, _ in wanted]
            assert said["events"] == {"overflow": sum(event for _, event in wanted), "outputs": 3, "nan": 0, "inf": 0}
    if clamped:
        says = f"floats.npy: sf{width} array: overflow in {clamped} of 120 element(s)"
        command.refuses("sum", "floats.npy", "--as", f"sf{width}", code=1, says=says)


def test_codes_in_the_other_byte_order(command):
    codes = [3277, -8192, 16384]
    command.save("x.npy", numpy.array(codes, ">i2"))
    assert json.loads(command.run("sum", "x.npy", "--as", "sf16", "--codes", "--json"))["codes"] == [sum(codes)]


@pytest.mark.parametrize("verb, files", [("sum", 1), ("dot", 2)])
def test_raise_warn_ignore(command, verb, files):
    command.save("x.npy", numpy.array([30000, 30000, 5], "i2"))
    arguments = [verb, *(files * ["x.npy"]), "--as", "sf16", "--codes"]
    line = f"x.npy: {OVERFLOW.replace('sum', verb)}"
    value = "sf16(0.999969482421875)\n"
    for over in [[], ["--over", "raise"]]:
        assert command.refuses(*arguments, *over, code=1, says=line) == f"bitfold: {line}\n"
        command.refuses(*arguments, *over, "-o", "out.npy", code=1, says=line)
        command.refuses(*arguments, *over, "--json", code=1, says=line)
    out, said = command.run(*arguments, "--over", "warn", error=True)
    assert (out, said) == (value, f"bitfold: {line}\n")
    assert command.run(*arguments, "--over", "ignore") == value


def test_the_count_is_of_outputs(command):
    codes = numpy.array([[30000, 30000, -30000], [1, 2, 3], [-30000, -30000, 0]], "i2")
    command.save("x.npy", codes)
    says = "x.npy: sf16 sum: overflow in 2 of 3 element(s)"
    command.refuses("sum", "x.npy", "--as", "sf16", "--codes", "--axis", "1", code=1, says=says)


def test_events_of_the_conversion(command):
    command.save("x.npy", numpy.array([2, -numpy.inf, 0.25, -1], "f8"))
    line = "x.npy: sf16 array: overflow in 3 of 4 element(s)"
    command.refuses("min", "x.npy", "--as", "sf16", code=1, says=line)
    assert command.run("min", "x.npy", "--as", "sf16", "--over", "warn", error=True) == (
        "sf16(-0.999969482421875)\n",
        f"bitfold: {line}\n",
    )
    assert command.run("min", "x.npy", "--as", "sf16", "--over", "ignore") == "sf16(-0.999969482421875)\n"


def test_both_kinds_of_event_are_told_under_warn(command):
    command.save("x.npy", numpy.array([2, 0.5], "f4"))
    out, said = command.run("sum", "x.npy", "--as", "sf8", "--over", "warn", error=True)
    assert out == "sf8(0.9921875)\n"
    assert said.splitlines() == [
        "bitfold: x.npy: sf8 array: overflow in 1 of 2 element(s)",
        "bitfold: x.npy: sf8 sum: overflow in 1 of 1 element(s)",
    ]


PROBES = {  # the third probe dot of the table of rules
    "sf": 6226,
    "atreides-v1": 6226,
    "atreides-v2.1": 6225,
    "systolic24": 26541,
    "sf31": 6226,
    "guarded31": 6226,
    "edge-int32": 26542,
    "float32": 26542,
}


@pytest.mark.parametrize("rule, code", PROBES.items())
def test_rules(command, rule, code):
    command.save("a.npy", numpy.array([0.9, 0.9, 0.9], "f4"))
    command.save("b.npy", numpy.array([0.9, 0.9, -0.9], "f4"))
    said = json.loads(command.run("dot", "a.npy", "b.npy", "--as", "sf16", "--order", rule, "--over", "ignore", "--json"))
    assert (said["codes"], said["contract"]) == ([code], f"dot:sf16:{rule}")


def test_minus_one_of_a_rule_that_reaches_it(command):
    command.save("x.npy", numpy.array([-32767, -32767], "i2"))
    arguments = ["sum", "x.npy", "--as", "sf16", "--codes", "--order", "atreides-v1", "--over", "ignore"]
    assert command.run(*arguments) == "sf16(-1.0)\n"
    assert command.bits(*arguments) == ["8000"]


def test_printing(command):
    command.save("x.npy", numpy.array([[1, 0, 11469], [-16384, 32767, 3]], "i2"))
    options = ["--as", "sf16", "--codes"]
    assert command.run("max", "x.npy", *options, "--axis", "0").split() == ["[3.0517578e-05", "0.99996948", "0.3500061]"]
    command.save("zero.npy", numpy.zeros(1, "i2"))
    assert command.run("sum", "zero.npy", *options) == "sf16(0.0)\n"
    command.save("one.npy", numpy.ones(1, "i2"))
    assert command.run("sum", "one.npy", *options) == "sf16(3.0517578125e-05)\n"
