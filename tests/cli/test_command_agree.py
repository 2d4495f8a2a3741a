# SPDX-License-Identifier: Apache-2.0
"""agree and info: what the machines here are, and that they give the same bits."""

import re

import numpy

VERBS = "sum mean dot matmul sumsq sumabs max min argmax argmin add subtract multiply negative absolute convert info agree bench explain".split()
LINE = re.compile(r"([a-z0-9_-]+) +([0-9a-f]{32})")


def hashes(text):
    *lines, last = text.splitlines()
    found = [LINE.fullmatch(line) for line in lines]
    assert all(found), text
    return {match[1]: match[2] for match in found}, last


def test_every_machine_has_one_hash_and_they_agree(command):
    found, last = hashes(command.run("agree"))
    machines = command.run("info").split("machines here, best first: ")[1].split("\n")[0].split()
    assert list(found) == machines
    assert len(set(found.values())) == 1
    plural = "" if len(machines) == 1 else "s"
    assert last == f"{len(machines)} machine{plural} here: {', '.join(machines)}" + ("; they agree" if plural else "")


def test_generated_data_are_the_same_in_every_run(command):
    assert command.run("agree") == command.run("agree")


def test_files_take_part(command):
    generator = numpy.random.default_rng(8)
    command.save("a.npy", generator.normal(size=(30, 40)).astype("f4"))
    command.save("b.npy", numpy.nextafter(command.load("a.npy"), 9, dtype="f4"))
    command.save("c.npy", generator.integers(-99, 99, (7,), "i1"))
    command.save("d.npy", numpy.float64(3))
    runs = [command.run("agree", *files) for files in [[], ["a.npy"], ["b.npy"], ["a.npy", "d.npy"], ["c.npy"]]]
    assert len({tuple(hashes(text)[0].values()) for text in runs}) == len(runs)
    assert command.run("agree", "c.npy", "--as", "sf8", "--codes") not in runs
    assert command.run("agree", "-", stdin=(command.folder / "a.npy").read_bytes()) == runs[1]


def test_bad_files(command):
    command.refuses("agree", "missing.npy", says="missing.npy: No such file or directory")
    command.save("x.npy", numpy.zeros(2, "u8"))
    command.refuses("agree", "x.npy", says="x.npy: holds uint64")


def test_each_format_of_elements_is_data(command):
    generator = numpy.random.default_rng(9)
    command.save("a.npy", generator.integers(-(2**62), 2**62, (5, 6)))
    command.save("b.npy", generator.integers(0, 256, (5, 6), "u1"))
    command.save("c.npy", generator.integers(-99, 99, (5, 6)).astype([("sf8", "i1")]))
    command.save("d.npy", command.load("c.npy")["sf8"])
    runs = [command.run("agree", *arguments) for arguments in [[], ["a.npy"], ["b.npy"], ["c.npy"], ["d.npy"]]]
    assert len(set(runs)) == len(runs)
    assert command.run("agree", "d.npy", "--as", "sf8") == command.run("agree", "d.npy", "--as", "sf8", "--codes") == runs[3]


def test_an_empty_file_is_data_too(command):
    command.save("x.npy", numpy.zeros((0, 3), "f4"))
    assert len(hashes(command.run("agree", "x.npy"))[0]) >= 1


def test_info_tells_what_the_build_is(command):
    text = command.run("info")
    version = command.run("--version").split()[1]
    assert text.startswith(f"bitfold {version}\n")
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert "scalar" in text and "rules: sf atreides-v1 atreides-v2.1 systolic24 sf31 guarded31 edge-int32 float32\n" in text
    for contract in ["sum:f32:exact", "sum:i8:exact:out=i64", "dot:sf16:sf", "max:f32:nan=propagate", "argmax:f32:nan=ignore:out=i64"]:
        assert re.search(rf"^  \S+ +{re.escape(contract)}$", text, re.M), contract


def test_info_tells_what_files_hold(command):
    command.save("a.npy", numpy.zeros((3, 4), "<f4"))
    command.save("b.npy", numpy.asfortranarray(numpy.zeros((3, 4), ">f8")))
    command.save("c.npy", numpy.zeros((), "u2"))
    a, b, c = command.run("info", "a.npy", "b.npy", "c.npy").splitlines()
    assert a == "a.npy: float32 (3, 4), C order, little-endian, 176 bytes (128 of header), is f32"
    assert b == "b.npy: float64 (3, 4), Fortran order, big-endian, 224 bytes (128 of header), is f64"
    assert c == "c.npy: uint16 (), C order, little-endian, 130 bytes (128 of header), needs --as i32, or --codes --as bf16 or f16"


def test_help_names_every_verb_and_option(command):
    for arguments in [["--help"], ["-h"], ["sum", "--help"]]:
        text = command.run(*arguments)
        for word in VERBS:
            assert re.search(rf"\b{word}\b", text)
        for option in ["rule", "vanished", "quick", "axis", "keepdims", "order", "contract", "as", "codes", "nan", "over", "isa", "threads", "output", "json", "bits", "version"]:
            assert f"--{option}" in text
