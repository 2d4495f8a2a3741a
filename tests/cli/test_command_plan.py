# SPDX-License-Identifier: Apache-2.0
"""info --plan, --threads, and what the environment sets."""

import json
import re

import numpy as np
import pytest


def test_the_plan_names_contract_machine_and_act(command):
    lines = command.run("info", "--plan", "sum:f32", "--shape", "8,56,56,64", "--axis", "0,3", "--isa", "scalar", "--threads", "1").splitlines()
    assert lines[0] == "sum:f32:exact, shape (8, 56, 56, 64): 3136 output(s) of 512 term(s)"
    assert lines[1] == "  machine  scalar" and lines[2].startswith("  act      ") and lines[3] == "  threads  1"


def test_the_plan_of_a_file_reads_no_element(command):
    command.save("x.npy", np.zeros((3, 4), np.float32))
    assert "shape (3, 4): 4 output(s) of 3 term(s)" in command.run("info", "x.npy", "--plan", "max:f32", "--axis", "0")


def test_threads_share_outputs_or_cut_rows(command):
    rows = command.run("info", "--plan", "sum:f32:sequential", "--shape", "64,65536", "--axis", "1", "--threads", "2")
    assert re.search(r"^  threads  2, outputs in \d+ shares$", rows, re.MULTILINE)
    row = command.run("info", "--plan", "sum:f32:exact", "--shape", "1000000", "--threads", "3")
    assert "  threads  3, each row in 6 pieces\n" in row
    assert command.run("info", "--plan", "sum:f32:sequential", "--shape", "1000000", "--threads", "3").endswith("  threads  1\n")


@pytest.mark.parametrize("arguments, says", [
    (["--plan", "sum:f33"], "--plan: word 'f33' is not known; nearest: f32"),
    (["--plan", "sum:f32", "--shape", "3,x"], "--shape 3,x: up to 8 extents such as 8,56,56,64 are a shape"),
    (["--plan", "sum:f32", "--shape", "3,,4"], "--shape 3,,4: up to 8 extents"),
    (["--plan", "sum:f32", "--shape", "-3"], "--shape -3: up to 8 extents"),
    (["--plan", "sum:f32", "--shape", "3", "--axis", "1"], "axis 1 is out of range for rank 1"),
    (["--plan", "max:f32", "--shape", "0"], "max of no elements has no value"),
    (["--shape", "3"], "info takes --shape and --axis with --plan CONTRACT alone"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_what_is_no_plan(command, arguments, says):
    command.refuses("info", *arguments, says=[says])


def test_the_environment_sets_machine_and_threads(command):
    command.save("x.npy", np.ones((64, 65536), np.float32))

    def engine(*options, **environment):
        command.environment = {**plain, **environment}
        return json.loads(command.run("sum", "x.npy", "--axis", "1", "--order", "sequential", "--json", *options))["engine"]

    plain = command.environment
    assert engine(BITFOLD_ISA="scalar", BITFOLD_THREADS="1") == {"isa": "scalar", "threads": 1}
    assert engine("--threads", "1", BITFOLD_THREADS="7")["threads"] == 1
    assert engine("--isa", "scalar", BITFOLD_ISA="sse2")["isa"] == "scalar"
