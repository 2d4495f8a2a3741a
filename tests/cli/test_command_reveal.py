# SPDX-License-Identifier: Apache-2.0
"""reveal: programs that add in a known order, and programs that do not answer as they should, through a pipe."""

import json
import sys

import pytest

# Answers by the expression `sum` of the row x (and y), in Python's own floats.
BOX = """
import itertools, math, os, struct, sys, time
stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
calls = 0
def folded(row):
    lanes = [0.0] * 4
    for i, value in enumerate(row): lanes[i % 4] += value
    return ((lanes[0] + lanes[1]) + lanes[2]) + lanes[3]
def one_by_one(row):
    total = 0.0
    for value in row: total += value
    return total
for line in stdin:
    calls += 1
    operation, element, n, output = line.decode().split()
    letter, size = {"f16": ("e", 2), "f32": ("f", 4), "f64": ("d", 8)}[element]
    read = lambda: struct.unpack(f"<{n}{letter}", stdin.read(int(n) * size))
    x = read()
    y = read() if operation == "dot" else None
    sum = SUM
    try: answer = struct.pack("<" + {"f16": "e", "f32": "f", "f64": "d"}[output], sum)
    except OverflowError: answer = struct.pack("<" + {"f16": "e", "f32": "f", "f64": "d"}[output], math.copysign(math.inf, sum))
    stdout.write(answer)
    stdout.flush()
"""


@pytest.fixture
def box(command):
    def make(expression):
        command.write("box.py", BOX.replace("SUM", expression).encode())
        return f"{sys.executable} -S box.py"

    return make


def reveal(command, program, *arguments, n=24, element="f64", **keywords):
    return command.run("reveal", "--pipe", program, "--n", n, "--format", element, *arguments, **keywords)


@pytest.mark.parametrize(
    "expression, contract",
    [
        ("one_by_one(x)", "sum:f64:sequential"),
        ("one_by_one(x[::-1])", "sum:f64:reverse"),
        ("folded(x)", "sum:f64:lanes(4,fold=left)"),
        ("folded(x[:20]) + folded(x[20:])", "sum:f64:blocks(20,lanes(4,fold=left))"),
        ("one_by_one(x[:5]) + x[5] + one_by_one(x[6:8]) + folded(x[8:])", 'sum:f64:tree("(((((((0+1)+2)+3)+4)+5)+(6+7))+'),
    ],
)
def test_orders_are_found(command, box, expression, contract):
    first, *_, last = reveal(command, box(expression)).splitlines()
    assert first == contract or (contract.endswith("+") and first.startswith(contract))
    assert last.startswith("24 elements, ") and last.endswith("; 100 of 100 random rows agree")


def test_a_dot_and_formats(command, box):
    assert reveal(command, box("one_by_one([a * b for a, b in zip(x, y)])"), "--op", "dot").startswith("dot:f64:sequential\n")
    half = reveal(command, box("folded(x)"), "--result", "f32", "--trials", 7, element="f16")
    assert half.startswith("sum:f16:exact:out=f32\n") and half.endswith("7 of 7 random rows agree\n")  # doubles hold all sums of 24 halves


def test_json(command, box):
    said = json.loads(reveal(command, box("one_by_one(x)"), "--json", "--trials", 20, n=3))
    assert said["finding"] == "contract" and said["contract"] == "sum:f64:sequential" and said["tree"] == "((0+1)+2)"
    assert said["trials"] == said["agreed"] == 20 and said["probes"] < 200
    assert said["asked"] == {"operation": "sum", "format": "f64", "output": "f64", "n": 3}
    assert said["traits"] == {"minus_zero": False, "flushes": False, "saturates": False, "fused": None, "accumulator_bits": 53, "rounding": "nearest"}


@pytest.mark.parametrize(
    "expression, says",
    [
        ("math.nan", "it does not add"),
        ("max(x)", "it does not add"),
        ("one_by_one(x) + (calls % 3) * 2.0**-60 * x[0]", "not deterministic"),
        ("one_by_one(sorted(x))", "depends on the values"),
    ],
)
def test_no_order(command, box, expression, says):
    said = command.refuses("reveal", "--pipe", box(expression), "--n", 24, "--format", "f64", says=says, code=1)
    assert said.startswith("bitfold: ")


def test_an_order_without_a_contract(command, box):
    program = box("one_by_one(x) if all(abs(v) < 2.0**300 for v in x) else one_by_one(x) + 0.0 * 0 if abs(one_by_one(x)) < 1e300 else 1e300")
    out, said = reveal(command, program, code=1, error=True)
    assert "nearest: sum:f64:sequential\n" in out and "\ntree: (((" in out
    assert said.count("\n") == 1 and "sum:f64:sequential, nearly: " in said


@pytest.mark.parametrize(
    "program, says",
    [
        ("cat", "'sum f32 16 f32"),
        ("yes", "says more than the 4 bytes"),
        ("echo hello; cat >/dev/null", "says more than the 4 bytes of an answer: 'hello"),
        ("head -c 4 /dev/zero; cat >/dev/null", "gave no answer to question 2 within 1 s; --timeout allows more"),
        ("sleep 50", "gave no answer to question 1 within 1 s"),
        ("true", "ended with status 0 after 0 answers"),
        ("exit 3", "ended with status 3 after 0 answers"),
        ("head -c 8 /dev/zero; exec 1>&-; cat >/dev/null", "bytes"),
        ("kill -SEGV $$", "ended by signal 11 (Segmentation fault)"),
    ],
)
def test_programs_that_do_not_answer(command, program, says):
    command.refuses("reveal", "--pipe", program, "--n", 16, "--format", "f32", "--timeout", 1, says=says)


def test_a_command_that_is_not_there(command):
    _, said = reveal(command, "./nothing", code=2, error=True)
    assert said.splitlines()[-1] == "bitfold: ./nothing: cannot be run; --pipe takes a command of the shell, such as ./device_sum"


def test_a_crash_later_on(command, box):
    command.refuses("reveal", "--pipe", box("os._exit(9) if calls == 50 else one_by_one(x)"), "--n", 9, "--format", "f64",
                    says="ended with status 9 after 49 answers")


@pytest.mark.parametrize(
    "arguments, says",
    [
        ([], "--pipe ./device_sum"),
        (["--pipe", "cat"], "--n"),
        (["--pipe", "cat", "--n", "4"], "--format"),
        (["--pipe", "cat", "--n", "4", "--format", "sf16"], "f16, bf16, f32, f64"),
        (["--pipe", "cat", "--n", "0", "--format", "f32"], "from 1 to 16777216"),
        (["--pipe", "cat", "--n", "4", "--format", "f32", "--op", "max"], "sum, mean or dot"),
        (["--pipe", "cat", "--n", "4", "--format", "f32", "--timeout", "soon"], "--timeout soon"),
        (["--pipe", "cat", "--n", "4", "--format", "f32", "x.npy"], "takes no files"),
        (["--bits"], "reveal takes no --bits"),
    ],
)
def test_refusals(command, arguments, says):
    command.refuses("reveal", *arguments, says=says)
