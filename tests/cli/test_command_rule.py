# SPDX-License-Identifier: Apache-2.0
"""--rule: accumulation rules of the caller's own, against the same rules in Python's integers."""

import json

import numpy
import pytest

from expected import SF, by_rule, in_words, named, nearest_integer, random_rule

RULES = {  # the library's, by the table of docs/contracts.md
    "sf": {},
    "atreides-v1": {"minus-one-is-zero": True, "full-range": True, "readout-full-range": True},
    "atreides-v2.1": {"product": "floor", "full-range": True, "readout-full-range": True},
    "systolic24": {"minus-one-is-zero": True, "bits": 24, "overflow": "wrap", "full-range": True},
    "sf31": {"bits": 32, "sum-extra": 16, "product-extra": 16, "readout-full-range": True},
    "guarded31": {"product": "exact", "bits": "product", "sum-extra": "data", "product-extra": "data", "readout-full-range": True},
    "edge-int32": {"product": "exact", "bits": 32, "overflow": "wrap", "full-range": True, "product-extra": "data", "readout": "half-up"},
    "float32": {"product": "float32", "bits": 32, "readout": "nearest"},
}


def codes_with_minus_one(generator, width, shape):
    low = -(2 ** (width - 1))
    return generator.integers(low, -low, shape)


def said(command, *arguments):
    return json.loads(command.run(*arguments, "--over", "ignore", "--json"))


@pytest.mark.parametrize("seed", range(24))
def test_rules_of_the_callers_own(command, seed):
    generator = numpy.random.default_rng(seed)
    rule, width = random_rule(generator), int(generator.integers(2, 17))
    x, y = codes_with_minus_one(generator, width, (4, 9)), codes_with_minus_one(generator, width, (4, 9))
    command.save("x.npy", named(x, width))
    command.save("y.npy", named(y, width))
    words = generator.permutation(in_words(rule))
    text = (" " if seed % 2 else ",").join(words)
    for verb, other in [("sum", None), ("dot", y), ("sumsq", x)]:
        files = ["x.npy", "y.npy"] if verb == "dot" else ["x.npy"]
        wanted = [by_rule(rule, width, a, None if other is None else b) for a, b in zip(x, x if other is None else other)]
        got = said(command, verb, *files, "--axis", "1", "--rule", text)
        assert got["codes"] == [code for code, _ in wanted]
        assert got["events"]["overflow"] == sum(event for _, event in wanted)
        assert (got["contract"], got["rule"]) == (f"{verb}:sf{width}:mychip", rule)
    absolute = [by_rule(rule, width, numpy.abs(row)) for row in x]
    got = said(command, "sumabs", "x.npy", "--axis", "1", "--rule", text)
    assert got["codes"] == [code for code, _ in absolute]


@pytest.mark.parametrize("name", RULES)
def test_a_rule_of_the_library_by_its_name_is_that_rule(command, name):
    assert name in command.run("info").split("rules: ")[1].split("\n")[0].split()
    x = numpy.random.default_rng(1).integers(-32767, 32768, (3, 50))
    command.save("x.npy", named(x, 16))
    got = said(command, "dot", "x.npy", "x.npy", "--axis", "1", "--rule", name)
    assert got.pop("rule") == {**SF, "name": name, **RULES[name]}
    assert got == said(command, "dot", "x.npy", "x.npy", "--axis", "1", "--order", name)
    assert got["contract"] == f"dot:sf16:{name}"


def test_a_rule_begins_with_another(command):
    x = numpy.random.default_rng(2).integers(-32767, 32768, (3, 50))
    command.save("x.npy", named(x, 16))
    changed = {**SF, **RULES["sf31"], "name": "custom", "readout": "nearest", "readout-full-range": False}
    got = said(command, "dot", "x.npy", "x.npy", "--axis", "1", "--rule", "sf31 readout=nearest, readout-full-range=no ")
    assert (got["contract"], got["rule"]) == ("dot:sf16:custom", changed)
    assert got["codes"] == [by_rule(changed, 16, row, row)[0] for row in x]
    renamed = said(command, "sum", "x.npy", "--rule", "sf31\tname=Mine_2.0-b")
    assert renamed["rule"] == {**SF, **RULES["sf31"], "name": "Mine_2.0-b"}
    alone = said(command, "sum", "x.npy", "--rule", "full-range=yes")
    assert alone["rule"] == {**SF, "name": "custom", "full-range": True}


def test_a_mean_by_a_rule(command):
    x = numpy.array([[3, 4, -8, 7], [100, 27, -1, 1]])
    command.save("x.npy", named(x, 8))
    got = said(command, "mean", "x.npy", "--axis", "1", "--rule", "bits=24 readout=floor")
    assert got["codes"] == [nearest_integer(numpy.int64(row.sum()).item() / 4) for row in x]


def test_the_policies_hold_for_it(command):
    command.save("x.npy", named([100, 100], 8))
    line = "x.npy: sf8 sum: overflow in 1 of 1 element(s)"
    command.refuses("sum", "x.npy", "--rule", "name=mychip", code=1, says=line)
    assert command.run("sum", "x.npy", "--rule", "bits=24 overflow=wrap", "--over", "warn", error=True) == ("sf8(0.9921875)\n", f"bitfold: {line}\n")
    assert command.bits("sum", "x.npy", "--rule", "overflow=wrap") == ["c8"]


def test_it_goes_with_a_contract_that_leaves_it_open(command):
    command.save("x.npy", named([3, 4], 8))
    got = said(command, "sum", "x.npy", "--rule", "bits=24", "--contract", "sum:sf8:out=f32")
    assert (got["contract"], got["values"]) == ("sum:sf8:custom:out=f32", [7 / 128])


REFUSED = {
    "empty": ("", 'empty; "bits=24 overflow=wrap" and'),
    "blank": (" , ", 'empty; "bits=24 overflow=wrap" and'),
    "an unknown word": ("redout=floor", "redout is no word of a rule; nearest is readout, of name, product, minus-one-is-zero, bits, overflow,"),
    "a mistyped rule": ("sf32 bits=4", "sf32 is no word of a rule; nearest is sf31, of name, "),
    "a rule behind a word": ("bits=4 sf31", "sf31 is the name of a rule, and so comes first"),
    "a rule with a value": ("sf31=yes", "sf31 is no word of a rule; nearest is sf31"),
    "two rules": ("sf sf31", "sf31 is the name of a rule, and so comes first"),
    "a mistyped word behind": ("sf31 overfow=wrap", "overfow is no word of a rule; nearest is overflow"),
    "a mistyped value": ("product=flor", "product=flor: nearest is product=floor, of toward-zero, floor, exact, float32"),
    "a value of another": ("readout=exact", "readout=exact: nearest is readout=nearest, of floor, half-up, nearest"),
    "a flag that is neither": ("full-range=1", "full-range=1: nearest is full-range="),
    "no value": ("overflow", "overflow wants a value: overflow=clamp"),
    "no name": ("name", "name wants a value: name=mychip"),
    "an empty value": ("bits=", "bits=: a number from 2 to 48, or data, product, is right"),
    "too few bits": ("bits=1", "bits=1: a number from 2 to 48, or data, product, is right"),
    "too many bits": ("bits=49", "bits=49: a number from 2 to 48"),
    "bits by name": ("bits=all", "bits=all: a number from 2 to 48"),
    "bits and a letter": ("bits=24x", "bits=24x: a number from 2 to 48"),
    "a huge number": ("bits=99999999999999999999", "a number from 2 to 48"),
    "too much extra": ("sum-extra=33", "sum-extra=33: a number from 0 to 32, or data, is right"),
    "extra below": ("product-extra=-1", "product-extra=-1: a number from 0 to 32, or data, is right"),
    "extra of products": ("sum-extra=product", "sum-extra=product: a number from 0 to 32, or data"),
    "a field twice": ("bits=4 bits=4", "bits is given twice"),
    "a flag twice": ("full-range full-range=no", "full-range is given twice"),
    "a name twice": ("name=a name=b", "name is given twice"),
    "a name with a colon": ("name=a:b", "name=a:b: a name is up to 31 letters, digits, '.', '_' and '-'"),
    "an empty name": ("name=", "name=: a name is up to 31"),
    "a long name": ("name=" + 32 * "x", "a name is up to 31"),
    "a long word": (70 * "x", "no word of a rule is so long"),
    "the name of a rule": ("name=sf31", "name=sf31 is a word of contracts already; choose another name"),
    "the name of an order": ("name=exact", "name=exact is a word of contracts already"),
    "the name of a format": ("name=f32", "name=f32 is a word of contracts already"),
}


@pytest.mark.parametrize("text, says", REFUSED.values(), ids=REFUSED)
def test_words_that_are_refused(command, text, says):
    command.save("x.npy", named([1, 2], 8))
    for verb, count in [("sum", 1), ("matmul", 2), ("negative", 1)]:
        command.refuses(verb, *(count * ["x.npy"]), "--rule", text, says=["--rule: ", says])


CONFLICTS = {
    "an order": (["sum", "x.npy", "--rule", "bits=4", "--order", "sf"], "--order and --rule are both given; choose one"),
    "an order of add": (["add", "x.npy", "x.npy", "--rule", "bits=4", "--order", "sf"], "--order and --rule are both given"),
    "a rule in the contract": (["dot", "x.npy", "x.npy", "--rule", "bits=4", "--contract", "sf31"], "--contract: sf31 says how to add, and --rule too"),
    "exact in the contract": (["sum", "x.npy", "--rule", "bits=4", "--contract", "exact:out=f32"], "--contract: exact:out=f32 says how to add"),
    "twice": (["sum", "x.npy", "--rule", "bits=4", "--rule", "bits=4"], "--rule is given twice"),
    "floats": (["sum", "f.npy", "--rule", "bits=4"], "f.npy: the rule custom adds sfN codes, not f32"),
    "an integer": (["sum", "i.npy", "--rule", "name=mychip"], "i.npy: sums of i32 are exact"),
    "a selection": (["max", "x.npy", "--rule", "bits=4"], "max takes no --rule; its options are --axis, --keepdims, --as, --order, --contract,"),
    "a conversion": (["convert", "x.npy", "--as", "f32", "--rule", "sf"], "convert takes no --rule; its options are --as, --codes"),
    "exact products": (["dot", "y.npy", "y.npy", "--rule", "product=exact"], "y.npy: product=exact of sf16 has 15 fraction bits more; product-extra=data keeps them, 0 are too few"),
    "products all but exact": (["multiply", "y.npy", "y.npy", "--rule", "product=exact product-extra=14"], "y.npy: product=exact of sf16 has 15"),
}


@pytest.mark.parametrize("arguments, says", CONFLICTS.values(), ids=CONFLICTS)
def test_what_it_does_not_go_with(command, arguments, says):
    command.save("x.npy", named([1, 2], 8))
    command.save("y.npy", named([1, 2], 16))
    command.save("f.npy", numpy.zeros(2, "f4"))
    command.save("i.npy", numpy.zeros(2, "i4"))
    command.refuses(*arguments, says=says)
