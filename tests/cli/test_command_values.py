# SPDX-License-Identifier: Apache-2.0
"""Values of every verb under contracts put together from options, against fractions and NumPy."""

import json
import math
from fractions import Fraction

import numpy
import pytest

from expected import exact, float_bits, hexadecimal, widened

FORMATS = {"f16": "f2", "f32": "f4", "f64": "f8"}


def numbers(dtype, shape=(6, 7), seed=3):
    generator = numpy.random.default_rng(seed)
    return (generator.normal(size=shape) * 2.0 ** generator.integers(-12, 12, shape)).astype(dtype)


def fractions(array):
    return [Fraction(float(value)) for value in numpy.ravel(array)]


def rounded(value, name):
    return hexadecimal(float_bits(value, name), {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}[name])


@pytest.mark.parametrize("name", FORMATS)
def test_exact_is_the_default(command, name):
    x, y = numbers(FORMATS[name]), numbers(FORMATS[name], seed=4)
    command.save("x.npy", x)
    command.save("y.npy", y)
    a, b = fractions(x), fractions(y)
    assert command.bits("sum", "x.npy") == [rounded(sum(a), name)]
    assert command.bits("mean", "x.npy") == [rounded(sum(a) / len(a), name)]
    assert command.bits("sumsq", "x.npy") == [rounded(sum(v * v for v in a), name)]
    assert command.bits("sumabs", "x.npy") == [rounded(sum(map(abs, a)), name)]
    assert command.bits("dot", "x.npy", "y.npy") == [rounded(sum(v * w for v, w in zip(a, b)), name)]
    if name == "f64":
        assert float(command.run("sum", "x.npy")) == math.fsum(x.ravel())


@pytest.mark.parametrize("name", FORMATS)
def test_selections(command, name):
    x = numbers(FORMATS[name])
    x[2, 3], x[5, 5], x[4, 4] = numpy.nan, numpy.inf, -numpy.inf
    command.save("x.npy", x)
    for verb, ignoring in [("max", numpy.nanmax), ("min", numpy.nanmin)]:
        assert command.run(verb, "x.npy") == "nan\n"
        assert command.run(verb, "x.npy", "--nan", "ignore") == f"{ignoring(x)}\n"
        values = json.loads(command.run(verb, "x.npy", "--axis", "1", "--json"))["values"]
        assert [float(value) for value in values] == pytest.approx(getattr(x, verb)(axis=1), abs=0, nan_ok=True)
    for verb, ignoring in [("argmax", numpy.nanargmax), ("argmin", numpy.nanargmin)]:
        assert command.run(verb, "x.npy") == f"{ignoring(x)}\n"
        assert command.run(verb, "x.npy", "--nan", "propagate") == f"{getattr(numpy, verb)(x)}\n"
        indices = json.loads(command.run(verb, "x.npy", "--axis", "0", "--nan", "propagate", "--json"))["values"]
        assert indices == getattr(numpy, verb)(x, axis=0).tolist()


def sequential(values, dtype):
    total = numpy.zeros((), dtype)
    for value in values:
        total = (total + value.astype(dtype)).astype(dtype)
    return total


def test_orders_from_either_option(command):
    x = numbers("f4", (50,))
    command.save("x.npy", x)
    one_by_one = [f"{int(sequential(x, 'f4').view('u4')):08x}"]
    backwards = [f"{int(sequential(x[::-1], 'f4').view('u4')):08x}"]
    four = sequential(numpy.array([sequential(x[lane::4], "f4") for lane in range(4)]), "f4")
    wide = sequential(x, "f8").astype("f4")
    for arguments, wanted in [
        (["--order", "sequential"], one_by_one),
        (["--contract", "sequential"], one_by_one),
        (["--contract", "sum:f32:sequential"], one_by_one),
        (["--contract", "sum:f32", "--order", "sequential"], one_by_one),
        (["--order", "reverse"], backwards),
        (["--order", "lanes(4,fold=left)"], [f"{int(four.view('u4')):08x}"]),
        (["--contract", "acc=f64", "--order=sequential"], [f"{int(wide.view('u4')):08x}"]),
        (["--contract", "acc=f64:sequential:out=f32"], [f"{int(wide.view('u4')):08x}"]),
        (["--contract", "out=f64:exact"], [exact(x, "f64")]),
    ]:
        assert command.bits("sum", "x.npy", *arguments) == wanted
        assert command.bits("sum", *arguments, "x.npy") == wanted
        assert command.bits(*arguments, "sum", "x.npy") == wanted


def test_a_tree_of_the_callers(command):
    command.save("x.npy", numpy.array([1e8, 1, -1e8, 1], "f4"))
    assert command.run("sum", "x.npy", "--order", 'tree("((0+2)+(1+3))")') == "2\n"
    assert command.run("sum", "x.npy", "--contract", 'tree("(((0+1)+2)+3)")') == "1\n"
    assert 'tree("((0+2)+(1+3))")' in json.loads(command.run("sum", "x.npy", "--order", 'tree("((0+2)+(1+3))")', "--json"))["contract"]


@pytest.mark.parametrize("axis", ["0", "1", "2", "-1", "0,2", "2,0", "-3,1", "0,1,2"])
def test_axes_and_keepdims(command, axis):
    x = numpy.arange(24, dtype="f4").reshape(2, 3, 4)
    command.save("x.npy", x)
    axes = tuple(map(int, axis.split(",")))
    for keepdims in [False, True]:
        wanted = x.sum(axis=axes, keepdims=keepdims)
        said = json.loads(command.run("sum", "x.npy", "--axis", axis, "--json", *(["--keepdims"] if keepdims else [])))
        assert said["shape"] == list(wanted.shape)
        assert said["values"] == wanted.ravel().tolist()


def test_empty_reductions_follow_numpy(command):
    command.save("x.npy", numpy.zeros((0, 3), "f4"))
    command.save("none.npy", numpy.zeros((3, 0), "f4"))
    assert command.run("sum", "x.npy", "--axis", "0") == "[0 0 0]\n"
    assert command.run("mean", "x.npy", "--axis", "0") == "[nan nan nan]\n"
    assert command.run("sum", "x.npy", "--axis", "1") == "[]\n"
    assert command.run("max", "none.npy", "--axis", "0") == "[]\n"
    assert command.run("dot", "x.npy", "x.npy") == "0\n"


def test_conversion_between_floats(command):
    x = numbers("f8", (400,))
    x[:4] = [1e300, 65520, 65519.99, 2.0**-25]
    command.save("x.npy", x)
    for name, dtype in [("f16", "f2"), ("f32", "f4")]:
        with numpy.errstate(over="ignore"):
            wanted = x.astype(dtype)
        command.run("max", "x.npy", "--as", name, "--axis", "0", "--keepdims", "-o", "max.npy")
        assert command.load("max.npy")[0] == wanted.max()
        finite = wanted[2:]
        command.save("finite.npy", x[2:])
        assert command.bits("sum", "finite.npy", "--as", name) == [exact(finite, name)]
    command.save("y.npy", x[2:])
    words = numpy.array([float_bits(Fraction(float(value)), "bf16") for value in x[2:]], "u2")
    assert command.bits("sum", "y.npy", "--as", "bf16") == [exact(widened(words), "bf16")]


def test_conversion_of_integers(command):
    x = numpy.array([-32768, 32767, 2049, 5], "i2")
    command.save("x.npy", x)
    assert command.bits("sum", "x.npy", "--as", "f64") == [exact(x, "f64")]
    assert command.bits("sum", "x.npy", "--as", "f16") == [exact(x.astype("f2"), "f16")]
    assert command.run("max", "x.npy", "--as", "i32") == "32767\n"
    command.refuses("max", "x.npy", "--as", "i8", code=1, says="x.npy: i8 array: overflow in 3 of 4 element(s)")
    assert command.run("max", "x.npy", "--as", "i8", "--over", "ignore") == "127\n"


def test_integers(command):
    x = numpy.array([[100, 27, -3], [1, 2, 4]], "i1")
    command.save("x.npy", x)
    assert command.run("sum", "x.npy") == "131\n"
    assert command.run("mean", "x.npy", "--axis", "1").split() == ["[41.333333333333336", "2.3333333333333335]"]
    assert command.run("dot", "x.npy", "x.npy") == f"{int((x.astype('i8') ** 2).sum())}\n"
    assert command.run("argmin", "x.npy") == "2\n"
    command.refuses("sum", "x.npy", "--contract", "out=i8", code=1, says="x.npy: i8 sum: overflow in 1 of 1 element(s)")
    out, said = command.run("sum", "x.npy", "--contract", "out=i8", "--over", "warn", error=True)
    assert (out, said) == ("127\n", "bitfold: x.npy: i8 sum: overflow in 1 of 1 element(s)\n")
    said = json.loads(command.run("sum", "x.npy", "--contract", "out=i8", "--axis", "1", "--json"))
    assert (said["values"], said["codes"], said["bits"], said["events"]["overflow"]) == ([124, 7], [124, 7], ["7c", "07"], 0)


def test_threads_change_no_bit(command):
    numpy.save(command.folder / "x.npy", numpy.arange(1, 1000, dtype="f4") / 3)
    assert len({command.run("sum", "x.npy", "--threads", n, "--order", "lanes(4)", "--bits") for n in ("1", "2", "64")}) == 1


def test_isa_changes_no_bit(command):
    command.save("x.npy", numbers("f4"))
    names = command.run("info").split("machines here, best first: ")[1].split("\n")[0].split()
    assert "scalar" in names
    for order in ["exact", "lanes(8)"]:
        assert len({command.run("sum", "x.npy", "--isa", name, "--order", order, "--bits") for name in names}) == 1
    assert json.loads(command.run("sum", "x.npy", "--isa", "scalar", "--json"))["engine"] == {"isa": "scalar", "threads": 1}
