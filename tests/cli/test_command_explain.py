# SPDX-License-Identifier: Apache-2.0
"""explain: contracts that make a result, the misses, drawings, inputs that separate."""

import json
import re
import xml.dom.minidom

import numpy
import pytest

X = numpy.random.default_rng(3).normal(size=(6, 300)).astype("f4")
Y = numpy.random.default_rng(4).normal(size=(6, 300)).astype("f4")


def explained(command, *arguments, code=0):
    found = json.loads(command.run("explain", *arguments, "--json", code=code))
    return [entry["contract"] for entry in found["contracts"]], found


@pytest.mark.parametrize("contract", (
    "sum:f32:sequential", "sum:f32:reverse", "sum:f32:exact", "sum:f32:lanes(8,fold=pairs)", "sum:f32:lanes(64,fold=left,tail=after)",
    "sum:f32:canonical(128)", "sum:f32:pairwise(128,lanes(8,fold=pairs,tail=after))", "sum:f32:blocks(32,sequential)",
    "sum:f32:acc=f64:lanes(4,fold=halves)", "mean:f32:sequential:ftz", "sum:f32:sequential:out=f64", "mean:f32:lanes(4,fold=left):out=f16",
    "dot:f32:lanes(4,fold=left):fma", "dot:f32:sequential:fma:ftz", "dot:f32:exact:out=bf16"))
def test_a_named_contract_explains_its_own_outputs(command, contract):
    command.save("x.npy", X)
    command.save("y.npy", Y)
    operation, files = contract.split(":")[0], ["x.npy", "y.npy"] if contract.startswith("dot") else ["x.npy"]
    command.run(operation, *files, "--axis", 1, "--contract", contract, "-o", "got.npy")
    found, whole = explained(command, *files, "--op", operation, "--axis", 1, "--got", "got.npy")
    assert contract in found and whole["outputs"] == 6 and whole["tried"] == len(found) + len(whole["nearest"])
    for i, other in enumerate(found[:: max(1, len(found) // 4)]):
        command.run(operation, *files, "--axis", 1, "--contract", other, "-o", "again.npy")
        assert command.load("again.npy").tobytes() == command.load("got.npy").tobytes(), other


def test_text(command):
    command.save("x.npy", X[0])
    bits = command.run("sum", "x.npy", "--order", "lanes(4)", "--bits").strip()
    text = command.run("explain", "x.npy", "--got", "0x" + bits)
    lines = text.splitlines()
    assert "yes sum:f32:lanes(4,fold=left)" in lines
    assert re.search(r"^no  sum:f32:\S+  gives [0-9a-f]{8}, \d+ ulps?", text, re.M)
    assert re.search(r"This data cannot tell these \d+ apart; bitfold explain --separate A B", text)
    every = command.run("explain", "x.npy", "--got", "0x" + bits, "--all").splitlines()
    assert len(every) > 300 and {line for line in lines if line.startswith("yes")} <= set(every)


def test_numbers_are_the_bits_that_they_print_for(command):
    command.save("x.npy", X[0])
    number = command.run("sum", "x.npy", "--order", "canonical(16)").strip()
    assert "sum:f32:canonical(16)" in explained(command, "x.npy", "--got", number)[0]


def test_nothing_explains(command):
    command.save("x.npy", X)
    said = command.run("explain", "x.npy", "--axis", 1, "--got", command.save("got.npy", X[:, 0]), code=1)
    assert "Nothing explains all outputs; the nearest is first." in said and "yes" not in said
    assert "0 of 6 outputs; first not [0], got " in said
    assert explained(command, "x.npy", "--axis", 1, "--got", "got.npy", code=1)[0] == []


def test_the_first_output_that_is_not_explained(command):
    command.save("x.npy", X.reshape(2, 3, 300))
    command.run("sum", "x.npy", "--axis", 2, "--order", "reverse", "-o", "got.npy")
    got = command.load("got.npy")
    got[1, 2] = numpy.nextafter(got[1, 2], numpy.float32(9))
    command.save("wrong.npy", got)
    _, whole = explained(command, "x.npy", "--axis", 2, "--got", "wrong.npy", code=1)
    best = whole["nearest"][0]
    assert best["contract"] == "sum:f32:reverse" and (best["matched"], best["first"], best["ulps"]) == (5, 5, 1)
    assert "no  sum:f32:reverse  5 of 6 outputs; first not [1, 2], got" in command.run(
        "explain", "x.npy", "--axis", 2, "--got", "wrong.npy", code=1)


def test_layouts_of_what_was_got(command):
    command.save("x.npy", X.reshape(2, 3, 300))
    command.run("sum", "x.npy", "--axis", 2, "--order", "reverse", "-o", "got.npy")
    got = command.load("got.npy")
    for name, array in {"big.npy": got.astype(">f4"), "fortran.npy": numpy.asfortranarray(got), "kept.npy": got[..., None]}.items():
        assert "sum:f32:reverse" in explained(command, "x.npy", "--axis", 2, "--got", command.save(name, array))[0]
    standard = (command.folder / "got.npy").read_bytes()
    assert "sum:f32:reverse" in explained(command, "x.npy", "--axis", 2, "--got", "-")[0] if not standard else True
    assert "yes sum:f32:reverse" in command.run("explain", "x.npy", "--axis", 2, "--got", "-", stdin=standard)


def test_a_known_part_is_kept(command):
    command.save("x.npy", X[0])
    bits = command.run("sum", "x.npy", "--contract", "acc=f64:sequential", "--bits").strip()
    found, whole = explained(command, "x.npy", "--got", "0x" + bits, "--contract", "acc=f64")
    assert all(":acc=f64:" in contract for contract in found) and "sum:f32:acc=f64:sequential" in found
    assert explained(command, "x.npy", "--got", "0x" + bits, "--contract", "mean:exact", code=1)[1]["tried"] == 1


@pytest.mark.parametrize("rule", ("sf", "atreides-v1", "atreides-v2.1", "systolic24", "sf31", "guarded31", "edge-int32", "float32"))
def test_words_of_superfloat(command, rule):
    generator = numpy.random.default_rng(11)
    x, y = (generator.integers(-32767, 32768, 40).astype("i2") for _ in "xy")
    command.save("x.npy", x)
    command.save("y.npy", y)
    command.run("dot", "x.npy", "y.npy", "--as", "sf16", "--order", rule, "--over", "ignore", "-o", "got.npy")
    code = int(command.load("got.npy")["sf16"])
    arguments = ["x.npy", "y.npy", "--as", "sf16", "--codes", "--got"]
    words = {"twos-complement": code & 0xFFFF, "sign-magnitude": 0x8000 | -code if code < 0 else code}
    for encoding, word in words.items():
        if word != 0x8000 | 1 << 15 and code > -32768:
            _, whole = explained(command, *arguments, hex(word))
            assert {"contract": f"dot:sf16:{rule}", "encoding": encoding} in whole["contracts"]
    assert f"dot:sf16:{rule}" in explained(command, *arguments, str(code))[0]
    assert f"dot:sf16:{rule}" in explained(command, *arguments, "got.npy")[0]
    assert f"dot:sf16:{rule}" in explained(command, *arguments, command.save("w.npy", numpy.uint16(code & 0xFFFF)))[0]


def test_selections_and_integers(command):
    command.save("x.npy", numpy.array([3, numpy.nan, 7], "f4"))
    command.save("i.npy", numpy.array([3, -9, 7], "i4"))
    assert explained(command, "x.npy", "--op", "max", "--got", "7.0")[0] == ["max:f32:nan=ignore"]
    assert explained(command, "x.npy", "--op", "max", "--got", "nan")[0] == ["max:f32:nan=propagate"]
    assert explained(command, "x.npy", "--op", "argmax", "--got", "1")[0][0] == "argmax:f32:nan=propagate:out=i64"
    assert "sum:i32:exact:out=i64" in explained(command, "i.npy", "--got", "1")[0]


def test_trees(command):
    tree = command.run("explain", "--tree", "--contract", "sum:f32:lanes(4)", "--shape", 10)
    assert tree.splitlines() == [
        "sum:f32:lanes(4,fold=left) of 10 terms", "+ left to right  (10 terms)", "|- x0 + x4 + x8", "|- x1 + x5 + x9", "|- x2 + x6",
        "`- x3 + x7", 'tree("(((((0+4)+8)+((1+5)+9))+(2+6))+(3+7))")']
    text = tree.splitlines()[-1]
    command.save("x.npy", X[0, :10])
    assert command.run("sum", "x.npy", "--order", text, "--bits") == command.run("sum", "x.npy", "--order", "lanes(4)", "--bits")
    for order in ("exact", "sequential", "canonical(3)", "pairwise(8,sequential)", "blocks(4,exact)", "lanes(8,fold=halves,tail=after)", "torch"):
        text = command.run("explain", "x.npy", "--tree", "--order", order).splitlines()[-1]
        assert command.run("sum", "x.npy", "--order", text, "--bits") == command.run("sum", "x.npy", "--order", order, "--bits")
    long = command.run("explain", "--tree", "--order", "pairwise(128,lanes(8,fold=pairs,tail=after))", "--shape", "1000,1000")
    assert len(long.splitlines()) < 300 and "terms)" in long
    assert command.run("explain", "--tree", "--order", "sequential", "--shape", "0").splitlines()[1] == "0"


def test_pictures(command):
    arguments = ["--order", 'tree("((0+1)+(2+3+4))")', "--shape", 5]
    dot = command.run("explain", "--tree=dot", *arguments)
    assert dot.startswith("digraph order {") and dot.count("->") == 2 and dot.rstrip().endswith("}")
    command.run("explain", "--tree=svg", *arguments, "-o", "order.svg")
    page = xml.dom.minidom.parse(str(command.folder / "order.svg"))
    assert len(page.getElementsByTagName("text")) == 4
    command.save("x.npy", X)
    command.run("sum", "x.npy", "--axis", 1, "--order", "reverse", "-o", "got.npy")
    drawn = command.run("explain", "x.npy", "--axis", 1, "--got", "got.npy", "--tree")
    assert drawn == "sum:f32:reverse of 300 terms\nx299 + x298 + ... + x0  (300 terms)\n"


def test_inputs_that_separate(command):
    said = command.run("explain", "--separate", "sequential", "lanes(4)", "-o", "probe.npy")
    probe = command.load("probe.npy")
    assert probe.dtype == "f4" and 2 <= probe.size <= 16
    results = [command.run("sum", "probe.npy", "--order", order, "--bits").strip() for order in ("sequential", "lanes(4)")]
    assert results[0] != results[1] and [line.split()[0] for line in said.splitlines()[1:]] == results
    command.run("explain", "--separate", "sequential", "sequential:fma", "--op", "dot", "--as", "f64", "-o", "p.npy")
    pair = ["p.npy", "p_y.npy"]
    assert command.load("p.npy").dtype == "f8"
    assert len({command.run("dot", *pair, "--contract", c, "--bits") for c in ("sequential", "sequential:fma")}) == 2
    said = command.run("explain", "--separate", "sequential", "lanes(1)", code=1)
    assert re.fullmatch(r"no difference found in \d+ trials; they may be the same order\n", said)


def test_refusals(command):
    command.save("x.npy", X)
    command.save("i.npy", numpy.arange(3))
    for arguments, says in {
            ("x.npy",): "explain takes --got BITS, a number or a .npy file: what somebody got",
            ("--got", "1"): "explain sum takes one .npy file; 0 given",
            ("x.npy", "--op", "dot", "--got", "1"): "explain dot takes two .npy files; 1 given",
            ("x.npy", "--got", "hello"): "--got: hello: no file, and neither bits such as 0x3f800000 nor a number",
            ("x.npy", "--got", "0xzz"): "--got: 0xzz: hex bits are 0x and up to 16 digits",
            ("x.npy", "--got", "0x00112233445566778"): "--got: 0x00112233445566778: hex bits",
            ("x.npy", "--got", "x.npy"): "--got: has shape (6, 300); the reduction over all axes makes ()",
            ("x.npy", "--op", "summ", "--got", "1"): "--op summ: not an operation; nearest is sum",
            ("x.npy", "--tree=png"): "--tree=png: unknown; --tree, --tree=dot or --tree=svg",
            ("x.npy", "--got", "1", "-o", "a.npy"): "-o goes with --tree and with --separate",
            ("x.npy", "--got", "none.npy"): "none.npy: No such file or directory",
            ("x.npy", "--got", "1", "--contract", "sum:f16"): "x.npy: holds f32, and the contract says f16",
            ("x.npy", "--tree", "--op", "max"): "max adds nothing, so it has no order",
            ("--tree",): "--tree takes a file, or the number of terms as --shape N",
            ("--tree", "--shape", "99999999"): "--tree draws up to 4194304 terms",
            ("--separate", "sequential"): "--separate takes two contracts",
            ("--separate", "sequential", "dot:f32:lanes(4)"): "only contracts of one operation and element",
            ("--separate", "sequental", "lanes(4)"): "--separate: sequental: word 'sequental' is not known; nearest: sequential",
            ("i.npy", "--as", "i16", "--got", "0x123"): "",
    }.items():
        if says:
            command.refuses("explain", *arguments, says=says)
