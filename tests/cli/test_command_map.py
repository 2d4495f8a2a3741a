# SPDX-License-Identifier: Apache-2.0
"""add, subtract, multiply, negative, absolute of sfN: element by element what the rule makes of its terms."""

import json

import numpy
import pytest

from expected import SF, by_rule, in_words, named, random_rule

TERMS = {
    "add": lambda a, b: ([a, b], None),
    "subtract": lambda a, b: ([a, -b], None),
    "multiply": lambda a, b: ([a], [b]),
    "negative": lambda a, b: ([-a], None),
    "absolute": lambda a, b: ([abs(a)], None),
}
PAIRS = ["add", "subtract", "multiply"]


def wanted(verb, rule, width, x, y):
    pairs = zip(map(int, numpy.ravel(x)), map(int, numpy.ravel(y)))
    return [by_rule(rule, width, *TERMS[verb](a, b)) for a, b in pairs]


def check(command, verb, rule, width, x, y, *options):
    command.save("x.npy", named(x, width))
    command.save("y.npy", named(y, width))
    files = ["x.npy", "y.npy"] if verb in PAIRS else ["x.npy"]
    x, y = numpy.broadcast_arrays(x, y if verb in PAIRS else x)
    results = wanted(verb, rule, width, x, y)
    got = json.loads(command.run(verb, *files, *options, "--over", "ignore", "--json"))
    assert got["codes"] == [code for code, _ in results]
    assert got["values"] == [code / 2 ** (width - 1) for code, _ in results]
    assert got["events"] == {"overflow": sum(event for _, event in results), "outputs": x.size}
    assert (got["operation"], got["format"], got["shape"]) == (verb, f"sf{width}", list(x.shape))
    return got


@pytest.mark.parametrize("verb", TERMS)
@pytest.mark.parametrize("width", [2, 3, 4])
def test_every_pair_of_codes(command, verb, width):
    codes = numpy.arange(-(2 ** (width - 1)), 2 ** (width - 1))
    got = check(command, verb, SF, width, codes[:, None], codes)
    assert got["rule"] == SF
    assert set(got) == {"operation", "format", "rule", "shape", "bits", "values", "codes", "events"}


@pytest.mark.parametrize("verb", TERMS)
@pytest.mark.parametrize("seed", range(8))
def test_any_rule(command, verb, seed):
    generator = numpy.random.default_rng(seed)
    rule, width = random_rule(generator), int(generator.integers(2, 17))
    low = -(2 ** (width - 1))
    x, y = generator.integers(low, -low, (3, 40)), generator.integers(low, -low, (3, 40))
    x[0, :2] = low
    y[0, 1:3] = low
    assert check(command, verb, rule, width, x, y, "--rule", ",".join(in_words(rule)))["rule"] == rule


@pytest.mark.parametrize("verb", TERMS)
def test_rules_by_name(command, verb):
    x = numpy.array([-32768, -32767, -3, 0, 5, 32767])
    got = check(command, verb, {**SF, "product": "floor", "full-range": True, "readout-full-range": True}, 16, x, x[::-1], "--order", "atreides-v2.1")
    assert got["rule"]["name"] == "atreides-v2.1"


SHAPES = [((), ()), ((3,), ()), ((), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((4, 1, 3), (2, 1)), ((0, 3), (1,)), ((1, 3), (0, 1)), ((1,) * 8, (2,))]


@pytest.mark.parametrize("a, b", SHAPES)
def test_shapes_are_broadcast(command, a, b):
    generator = numpy.random.default_rng(9)
    x, y = generator.integers(-127, 128, a), generator.integers(-127, 128, b)
    for verb in PAIRS:
        check(command, verb, SF, 8, x, y)
    check(command, "negative", SF, 8, x, x)


@pytest.mark.parametrize("a, b", [((3, 700000), (700000,)), ((1, 2100001), (1,)), ((1500, 1000), (1500, 1)), ((0, 3), (3,)), ((1 << 40, 0), (1,))])
def test_large_and_empty_arrays_are_done_in_pieces(command, a, b):
    generator = numpy.random.default_rng(10)
    x, y = generator.integers(-127, 128, a), generator.integers(-127, 128, b)
    command.save("x.npy", named(x, 8))
    command.save("y.npy", named(y, 8))
    total = x + y
    says = f"x.npy: sf8 add: overflow in {(abs(total) > 127).sum()} of {total.size} element(s)"
    told = command.run("add", "x.npy", "y.npy", "--over", "warn", "-o", "out.npy", error=True)
    assert told == ("", f"bitfold: {says}\n" if total.size else "")
    assert (command.load("out.npy")["sf8"] == numpy.clip(total, -127, 127)).all()
    assert command.load("out.npy").shape == total.shape


def test_a_product_and_its_sum_are_the_dot(command):
    """S23."""
    x = numpy.random.default_rng(3).integers(-8000, 8001, (2, 50))
    command.save("x.npy", named(x[0], 16))
    command.save("y.npy", named(x[1], 16))
    command.run("multiply", "x.npy", "y.npy", "-o", "products.npy")
    assert command.run("sum", "products.npy", "--bits") == command.run("dot", "x.npy", "y.npy", "--bits")


def test_byte_orders_fortran_and_conversions(command):
    x = numpy.arange(-6, 6).reshape(3, 4) * 1000
    command.save("x.npy", numpy.asfortranarray(named(x, 16, ">")))
    command.save("i.npy", x.astype("i2"))
    command.save("f.npy", x / 32768)
    total = [2 * code for code in x.ravel().tolist()]
    for files in [["x.npy", "x.npy"], ["x.npy", "f.npy", "--as", "sf16"], ["i.npy", "f.npy", "--as", "sf16"], ["i.npy", "x.npy", "--as", "sf16", "--codes"]]:
        assert json.loads(command.run("add", *files, "--json"))["codes"] == total
    assert command.run("add", "x.npy", "x.npy", "-o", "out.npy") == ""
    assert command.load("out.npy").tolist() == named(2 * x, 16).tolist()
    assert command.load("out.npy").dtype == [("sf16", "<i2")]
    content = (command.folder / "x.npy").read_bytes()
    assert command.bits("add", "-", "x.npy", stdin=content) == [f"{code & 0xFFFF:04x}" for code in total]


def test_raise_warn_ignore(command):
    command.save("x.npy", named([100, -100, 1], 8))
    line = "x.npy: sf8 add: overflow in 2 of 3 element(s)"
    assert command.refuses("add", "x.npy", "x.npy", "-o", "out.npy", code=1, says=line) == f"bitfold: {line}\n"
    text = "[ 0.9921875 -0.9921875   0.015625]\n"
    assert command.run("add", "x.npy", "x.npy", "--over", "warn", error=True) == (text, f"bitfold: {line}\n")
    assert command.run("add", "x.npy", "x.npy", "--over", "ignore") == text
    command.save("f.npy", numpy.array([2.0, 0.5, 0.5]))
    out, said = command.run("subtract", "f.npy", "x.npy", "--as", "sf8", "--over", "warn", error=True)
    assert said.splitlines() == [
        "bitfold: f.npy: sf8 array: overflow in 1 of 3 element(s)",
        "bitfold: f.npy: sf8 subtract: overflow in 1 of 3 element(s)",
    ]
    command.save("low.npy", named([-128, 3], 8))
    for verb in ["negative", "absolute"]:
        command.refuses(verb, "low.npy", code=1, says=f"low.npy: sf8 {verb}: overflow in 1 of 2 element(s)")


REFUSED = {
    "one file": (["add", "x.npy"], "add takes two files; 1 given"),
    "two files": (["negative", "x.npy", "x.npy"], "negative takes one file; 2 given"),
    "floats": (["add", "f.npy", "f.npy"], "f.npy: holds f32; add takes codes of sfN: --as sf16 makes them"),
    "integers": (["absolute", "i.npy"], "i.npy: holds i16; absolute takes codes of sfN: --as sf16 makes them"),
    "two widths": (["multiply", "x.npy", "y.npy"], "x.npy: holds sf8, and y.npy holds sf16; --as sf8 makes both that"),
    "shapes": (["add", "x.npy", "z.npy"], "x.npy: shape (2,), and z.npy has (2, 3); extents must be equal, or 1, counted from the last"),
    "an order": (["add", "x.npy", "x.npy", "--order", "exact"], "--order: exact is not a rule; nearest is "),
    "a mistyped rule": (["add", "x.npy", "x.npy", "--order", "guarded"], "--order: guarded is not a rule; nearest is guarded31, and bitfold info lists them"),
    "an axis": (["add", "x.npy", "x.npy", "--axis", "0"], "add takes no --axis; its options are --as, --order, --rule, --codes, --over, --output, --json, --bits, --help"),
    "another format": (["add", "x.npy", "x.npy", "--as", "f32"], "x.npy: holds f32; add takes codes of sfN"),
    "a stray code": (["negative", "stray.npy"], "stray.npy: a code is beyond the width of sf9"),
    "standard input twice": (["add", "-", "-"], "standard input (-) is named 2 times; it can be read once"),
    "-o - and --bits": (["negative", "x.npy", "-o", "-", "--bits"], "-o - and --bits both write to standard output"),
}


@pytest.mark.parametrize("arguments, says", REFUSED.values(), ids=REFUSED)
def test_what_is_refused(command, arguments, says):
    command.save("x.npy", named([1, 2], 8))
    command.save("y.npy", named([1, 2], 16))
    command.save("z.npy", named([[1, 2, 3], [4, 5, 6]], 8))
    command.save("f.npy", numpy.zeros(2, "f4"))
    command.save("i.npy", numpy.zeros(2, "i2"))
    command.save("stray.npy", named([1, 300], 9))
    command.refuses(*arguments, says=says)
