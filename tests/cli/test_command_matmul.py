# SPDX-License-Identifier: Apache-2.0
"""matmul: NumPy's shapes, each output a dot of its own; and --vanished, of dot and matmul."""

import json
from fractions import Fraction

import numpy
import pytest

from expected import SF, by_rule, exact, float_bits, hexadecimal, in_words, named, random_rule, rows_and_columns, vanishing

SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((1, 7), (7, 1)),
    ((5, 1), (1, 5)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((5, 1, 2, 3), (6, 3, 4)),
    ((1, 2, 3), (5, 3, 1)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
    ((0,), (0,)),
    ((0, 2, 3), (3, 4)),
    ((0, 2, 3), (1, 3, 4)),
    ((2, 1, 1, 2, 1, 2, 3), (1, 2, 1, 1, 2, 3, 2)),
    ((1, 1, 1, 1, 1, 1, 2, 3), (3,)),
    ((3,), (1, 2, 1, 1, 1, 1, 3, 2)),
]
IDS = [f"{a} {b}" for a, b in SHAPES]


def said(command, *arguments):
    return json.loads(command.run("matmul", *arguments, "--over", "ignore", "--json"))


@pytest.mark.parametrize("a, b", SHAPES, ids=IDS)
def test_every_output_is_a_chain_over_k(command, a, b):
    """S27, on every kind of shape."""
    generator = numpy.random.default_rng(len(a) + 10 * len(b))
    x, y = generator.integers(-32767, 32768, a), generator.integers(-32767, 32768, b)
    command.save("x.npy", named(x, 16))
    command.save("y.npy", named(y, 16))
    wanted = [by_rule(SF, 16, row, column) for row, column in rows_and_columns(x, y)]
    got = said(command, "x.npy", "y.npy")
    assert got["shape"] == list((numpy.zeros(a) @ numpy.zeros(b)).shape)
    assert got["codes"] == [code for code, _ in wanted]
    assert got["events"] == {"overflow": sum(event for _, event in wanted), "outputs": len(wanted), "nan": 0, "inf": 0}
    assert got["contract"] == "dot:sf16:sf"
    command.run("matmul", "x.npy", "y.npy", "--over", "ignore", "-o", "out.npy")
    assert command.load("out.npy")["sf16"].tolist() == numpy.reshape(got["codes"], got["shape"]).tolist()


@pytest.mark.parametrize("width", range(2, 17))
def test_every_width(command, width):
    generator = numpy.random.default_rng(width)
    most = 2 ** (width - 1) - 1
    x, y = generator.integers(-most, most + 1, (3, 8)), generator.integers(-most, most + 1, (8, 4))
    command.save("x.npy", named(x, width, ">"))
    command.save("y.npy", named(y, width))
    got = said(command, "x.npy", "y.npy")
    assert got["codes"] == [by_rule(SF, width, row, column)[0] for row, column in rows_and_columns(x, y)]


@pytest.mark.parametrize("seed", range(8))
def test_by_a_rule(command, seed):
    generator = numpy.random.default_rng(100 + seed)
    rule, width = random_rule(generator), int(generator.integers(2, 17))
    low = -(2 ** (width - 1))
    x, y = generator.integers(low, -low, (2, 3, 7)), generator.integers(low, -low, (7, 2))
    command.save("x.npy", named(x, width))
    command.save("y.npy", named(y, width))
    got = said(command, "x.npy", "y.npy", "--rule", " ".join(in_words(rule)))
    wanted = [by_rule(rule, width, row, column) for row, column in rows_and_columns(x, y)]
    assert got["codes"] == [code for code, _ in wanted]
    assert got["events"]["overflow"] == sum(event for _, event in wanted)
    assert got["rule"] == rule


@pytest.mark.parametrize("fortran", [False, True], ids=["C", "Fortran"])
@pytest.mark.parametrize("order", ["<", ">"], ids=["little", "big"])
@pytest.mark.parametrize("dtype, name", [("f2", "f16"), ("f4", "f32"), ("f8", "f64")])
def test_floats_in_every_layout(command, dtype, name, order, fortran):
    generator = numpy.random.default_rng(4)
    x, y = generator.normal(size=(2, 3, 5)).astype(order + dtype), generator.normal(size=(5, 4)).astype(order + dtype)
    command.save("x.npy", numpy.asfortranarray(x) if fortran else x)
    command.save("y.npy", numpy.asfortranarray(y) if fortran else y)
    pairs = list(rows_and_columns(x, y))
    totals = [sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(row, column)) for row, column in pairs]
    width = 8 * x.itemsize
    assert command.bits("matmul", "x.npy", "y.npy") == [hexadecimal(float_bits(total, name), width) for total in totals]


def test_an_order_of_floats(command):
    generator = numpy.random.default_rng(5)
    x, y = generator.normal(size=(2, 9)).astype("f4"), generator.normal(size=(9, 3)).astype("f4")
    command.save("x.npy", x)
    command.save("y.npy", y)
    wanted = []
    for row, column in rows_and_columns(x, y):
        total = numpy.float32(0)
        for a, b in zip(row, column):
            total = total + a * b
        wanted.append(f"{int(total.view('u4')):08x}")
    for options in [["--order", "sequential"], ["--contract", "dot:f32:sequential"], ["--order", "sequential", "--isa", "scalar"]]:
        assert command.bits("matmul", "x.npy", "y.npy", *options) == wanted
    assert command.bits("matmul", "x.npy", "y.npy", "--as", "f64") == [
        exact([Fraction(float(a)) * Fraction(float(b)) for a, b in zip(row, column)], "f64") for row, column in rows_and_columns(x, y)
    ]


def test_integers_are_exact(command):
    generator = numpy.random.default_rng(6)
    x, y = generator.integers(-(2**31), 2**31, (3, 4), "i4"), generator.integers(-(2**31), 2**31, (4, 2), "i4")
    command.save("x.npy", x)
    command.save("y.npy", y)
    wanted = x.astype(object) @ y.astype(object)
    clamped = [[max(-(2**63), min(2**63 - 1, value)) for value in row] for row in wanted.tolist()]
    assert said(command, "x.npy", "y.npy")["values"] == sum(clamped, [])


def test_one_number_and_standard_input(command):
    command.save("x.npy", named([100, 50], 8))
    content = (command.folder / "x.npy").read_bytes()
    assert command.run("matmul", "x.npy", "x.npy") == "sf8(0.7578125)\n"  # 100 * 100 >> 7 is 78, 50 * 50 >> 7 is 19
    assert command.run("matmul", "-", "x.npy", stdin=content) == "sf8(0.7578125)\n"


def test_the_message_counts_outputs(command):
    x = numpy.array([[30000, 30000, 30000], [30000, -30000, 30000], [0, 0, 0], [-30000, -30000, -30000]])
    command.save("x.npy", named(x, 16))
    command.save("y.npy", named([[30000, 1], [30000, 1], [30000, 1]], 16))
    line = "x.npy: sf16 matmul: overflow in 2 of 8 element(s)"
    assert command.refuses("matmul", "x.npy", "y.npy", "-o", "out.npy", code=1, says=line) == f"bitfold: {line}\n"
    out, told = command.run("matmul", "x.npy", "y.npy", "--over", "warn", "--bits", error=True)
    assert told == f"bitfold: {line}\n"
    assert out.split()[0] == "7fff"


REFUSED = {
    "lengths": (["a.npy", "a.npy"], "a.npy: shape (2, 3), and a.npy has (2, 3); matmul takes (..., m, k) and (..., k, n), and k is 3 and 2"),
    "lengths of rows": (["r.npy", "a.npy"], "r.npy: shape (3,), and a.npy has (2, 3); matmul takes (..., m, k) and (..., k, n), and k is 3 and 2"),
    "one is not all": (["one.npy", "r.npy"], "one.npy: shape (1,), and r.npy has (3,); matmul takes"),
    "batches": (["p.npy", "q.npy"], "p.npy: shape (2, 1, 3), and q.npy has (4, 3, 1); matmul wants the axes before the last two equal, or 1"),
    "no axes": (["s.npy", "r.npy"], "s.npy: shape (), and r.npy has (3,); matmul takes arrays of one axis and more"),
    "no axes behind": (["r.npy", "s.npy"], "r.npy: shape (3,), and s.npy has (); matmul takes arrays of one axis and more"),
    "eight axes": (["eight.npy", "b.npy"], "matmul of two arrays takes up to 7 axes of each"),
    "eight axes behind": (["b.npy", "eight.npy"], "matmul of two arrays takes up to 7 axes of each"),
    "two formats": (["a.npy", "b8.npy"], "a.npy: holds sf16, and b8.npy holds sf8; --as sf16 makes both that"),
    "one file": (["a.npy"], "matmul takes two files; 1 given"),
    "axes": (["a.npy", "b.npy", "--axis", "0"], "matmul takes no --axis; its options are --as, --order, --rule, --contract, --codes, --nan, --over, --vanished,"),
    "an operation": (["a.npy", "b.npy", "--contract", "sum"], ["--contract: ", "sum", "dot"]),
    "an order of sums": (["f.npy", "f.npy", "--order", "helia"], "f.npy: helia orders sum and mean, not dot"),
}


@pytest.mark.parametrize("arguments, says", REFUSED.values(), ids=REFUSED)
def test_what_is_refused(command, arguments, says):
    for name, shape in [("a", (2, 3)), ("b", (3, 3)), ("r", (3,)), ("one", (1,)), ("s", ()), ("p", (2, 1, 3)), ("q", (4, 3, 1)), ("eight", (1, 1, 1, 1, 1, 1, 3, 3))]:
        command.save(f"{name}.npy", named(numpy.zeros(shape, int), 16))
    command.save("b8.npy", named(numpy.zeros((3, 3), int), 8))
    command.save("f.npy", numpy.zeros((2, 2), "f4"))
    command.refuses("matmul", *arguments, says=says)


@pytest.mark.parametrize("width", [2, 4, 8, 16])
@pytest.mark.parametrize("name", ["sf", "atreides-v1", "atreides-v2.1", "guarded31", "float32"])
def test_vanished(command, width, name):
    fields = {
        "sf": {},
        "atreides-v1": {"minus-one-is-zero": True},
        "atreides-v2.1": {"product": "floor"},
        "guarded31": {"product": "exact", "product-extra": "data"},
        "float32": {"product": "float32"},
    }[name]
    rule = {**SF, **fields}
    generator = numpy.random.default_rng(width)
    low = -(2 ** (width - 1))
    spread = max(1, 2 ** (width // 2))
    x, y = generator.integers(-spread, spread + 1, (5, 30)), generator.integers(-spread, spread + 1, (5, 30))
    x, y = numpy.clip(x, low, -low - 1), numpy.clip(y, low, -low - 1)
    x[0, :3] = low
    command.save("x.npy", named(x, width))
    command.save("y.npy", named(y, width))
    command.save("z.npy", named(y.T, width))
    options = ["--order", name, "--over", "ignore"]
    count = vanishing(rule, width, x.ravel(), y.ravel())
    assert count > 0 or name in ("guarded31", "atreides-v2.1", "float32")
    for axes in [[], ["--axis", "1"]]:
        assert json.loads(command.run("dot", "x.npy", "y.npy", *axes, *options, "--vanished", "--json"))["events"]["vanished"] == count
    plain = command.run("dot", "x.npy", "y.npy", *options)
    assert command.run("dot", "x.npy", "y.npy", *options, "--vanished") == f"{plain}vanished: {count} of 150 products\n"
    pairs = list(rows_and_columns(x, y.T))
    total = sum(vanishing(rule, width, row, column) for row, column in pairs)
    assert json.loads(command.run("matmul", "x.npy", "z.npy", *options, "--vanished", "--json"))["events"]["vanished"] == total
    assert command.run("matmul", "x.npy", "z.npy", *options, "--vanished", "-o", "out.npy") == f"vanished: {total} of 750 products\n"
    assert command.load("out.npy").shape == (5, 5)
    assert "vanished" not in command.run("dot", "x.npy", "y.npy", *options, "--json")


UNCOUNTED = {
    "floats": (["dot", "f.npy", "f.npy", "--vanished"], "f.npy: holds f32; --vanished is about codes of sfN, which --as makes"),
    "exact": (["dot", "x.npy", "x.npy", "--vanished", "--order", "exact"], "x.npy: --vanished: no product vanishes from an exact sum; a rule narrows them"),
    "a sum": (["sum", "x.npy", "--vanished"], "sum takes no --vanished; its options are --axis"),
    "--bits": (["dot", "x.npy", "x.npy", "--vanished", "--bits"], "--vanished and --bits are both given; --json holds both"),
    "-o -": (["dot", "x.npy", "x.npy", "--vanished", "-o", "-"], "-o - and --vanished both write to standard output; choose one"),
}


@pytest.mark.parametrize("arguments, says", UNCOUNTED.values(), ids=UNCOUNTED)
def test_what_vanished_does_not_go_with(command, arguments, says):
    command.save("x.npy", named([1, 2], 8))
    command.save("f.npy", numpy.zeros(2, "f4"))
    command.refuses(*arguments, says=says)
