# SPDX-License-Identifier: Apache-2.0
"""The completion and the man page say what the command does."""

import re
import shutil
import subprocess

import numpy
import pytest

VERBS = set("sum mean dot matmul sumsq sumabs max min argmax argmin add subtract multiply negative absolute convert info agree bench explain reveal".split())

OF_REVEAL = {"--pipe", "--n", "--format", "--result", "--timeout", "--trials"}


def options_of(command):
    return set(re.findall(r"--[a-z]+", command.run("--help")))


def rules_of(command):
    return command.run("info").split("rules: ")[1].split("\n")[0].split()


def complete(command, *words):
    script = f"""
      source {command.root}/cli/completion.bash
      compopt() {{ :; }}
      bitfold() {{ {command.path} "$@"; }}
      COMP_WORDS=(bitfold "$@"); COMP_CWORD=$#
      _bitfold
      printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script, "bash", *words], cwd=command.folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_completion(command):
    command.save("x.npy", numpy.zeros(1))
    command.write("x.txt", b"")
    (command.folder / "folder").mkdir()
    assert complete(command, "") == VERBS | {"--help", "--version"}
    assert complete(command, "arg") == {"argmax", "argmin"}
    assert complete(command, "dot", "--") == options_of(command) - {"--version", "--plan", "--shape", "--quick", "--got", "--op", "--tree", "--separate", "--all", *OF_REVEAL}
    assert complete(command, "sum", "") == {"x.npy", "folder/"}
    assert complete(command, "sum", "x.npy", "-o", "x") == {"x.npy"}
    assert complete(command, "sum", "--as", "sf1") == {f"sf{n}" for n in range(10, 17)}
    assert complete(command, "sum", "--as", "=", "b") == {"bf16"}
    assert complete(command, "matmul", "--rule", "sf") == {"sf", "sf31"}
    assert complete(command, "sum", "--rule", "product", "=", "") == {"toward-zero", "floor", "exact", "float32"}
    assert complete(command, "add", "--order", "") == set(rules_of(command))
    assert complete(command, "sum", "--over", "") == {"raise", "warn", "ignore"}
    assert complete(command, "max", "--nan", "=") == {"propagate", "ignore"}
    assert "scalar" in complete(command, "sum", "--isa", "")
    assert complete(command, "reveal", "--format", "") == {"f16", "bf16", "f32", "f64"}


@pytest.mark.parametrize("verb", sorted(VERBS - {"dot"}))
def test_completion_offers_the_options_that_a_verb_takes(command, verb):
    offered = complete(command, verb, "--")
    values = {"--axis": ["0"], "--rule": ["sf"], "--nan": ["ignore"], "--isa": ["scalar"], "--vanished": []}
    refused = min(set(values) - offered)
    said = command.refuses(verb, "x.npy", refused, *values[refused], says=f"{verb} takes no {refused}; its options are --")
    assert set(re.findall(r"--[a-z]+", said.split("its options are")[1])) == offered


def test_what_completion_offers_is_accepted(command):
    command.save("f.npy", numpy.ones(5, "f4"))
    command.save("c.npy", numpy.ones(5, "i2"))
    for order in complete(command, "sum", "--order", ""):
        order = order.replace("\\", "")
        is_rule = order in rules_of(command)
        arguments = ["c.npy", "--as", "sf16", "--codes"] if is_rule else ["f.npy"]
        assert command.run("sum", *arguments, "--order", order)
    for word in complete(command, "sum", "--rule", ""):
        key = word.replace("\\", "").rstrip("=")
        values = complete(command, "sum", "--rule", key, "=", "") if word.endswith("=") and key != "name" else []
        for text in [f"{key}={value}" for value in values] or ["name=mychip" if key == "name" else key]:
            more = "" if key == "product-extra" else " product-extra=data"  # which an exact product must have
            assert command.run("sum", "c.npy", "--as", "sf16", "--over", "ignore", "--rule", text + more)
    for name in complete(command, "sum", "--as", ""):
        assert command.run("max", "f.npy", "--as", name, "--over", "ignore")


def test_man_page(command):
    page = command.root / "docs" / "bitfold.1"
    text = page.read_text()
    for option in options_of(command):
        assert f"Fl Fl {option[2:]}" in text, option
    for verb in VERBS:
        assert re.search(rf"^\.(It )?Cm .*\b{verb}\b", text, re.M), verb
    if not shutil.which("mandoc"):
        pytest.skip("no mandoc here")
    lint = subprocess.run(["mandoc", "-Tlint", page], capture_output=True, text=True, check=False)
    assert (lint.returncode, lint.stdout) == (0, "")
