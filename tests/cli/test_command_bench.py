# SPDX-License-Identifier: Apache-2.0
"""bench: what it prints and refuses. How fast anything is, no test says."""

import json
import math
import re
import resource

import pytest

KEYS = {"case", "n", "ns", "against", "against_ns", "ratio", "per", "goal", "reached"}
AGAINST = {"read", "vector sum", "vector dot", "sequential loop", "1 thread", "30 ns"}
SOME = ("dot:sf16:sf", "axes 1 3", "lanes(16)")


def measured(command, *arguments):
    text = command.run("bench", "--quick", "--json", *arguments)
    assert text.count("\n") == 1
    return json.loads(text)


def is_row(row):
    assert set(row) == KEYS
    assert row["against"] in AGAINST and row["per"] in {"element", "call"}
    for key in ("n", "ns", "against_ns", "ratio"):
        assert row[key] > 0 and math.isfinite(row[key]), row
    assert row["ratio"] == pytest.approx(row["against_ns"] / row["ns"], rel=1e-4)  # each is printed with six digits
    assert row["reached"] is (None if row["goal"] is None else row["ratio"] >= row["goal"])


@pytest.mark.slow
def test_json_has_the_whole_table(command):
    found = measured(command)
    assert set(found) == {"version", "machine", "quick", "rows", "skipped"} and found["quick"] is True
    assert set(found["machine"]) == {"isa", "threads", "processor", "processors"}
    assert found["machine"]["isa"] == command.run("info").split("best first: ")[1].split()[0]
    assert found["version"] == command.run("--version").split()[1]
    for row in found["rows"]:
        is_row(row)
    cases = [row["case"] for row in found["rows"]] + [row["case"] for row in found["skipped"]]
    assert len(cases) == len(set(cases))
    for word, count in [("8x14x14x64, axes", 60), ("16 Ki, quiet", 2), ("16 Ki, rails", 2), ("4 MiB, random", 2), ("4 MiB, drift", 2), ("matmul", 1),
                        ("call of 16", 7), ("f32:sequential, rows of 256x1024", 1), ("sequential, columns of ", 2), ("threads", 9),
                        ("argmax:f32, columns of ", 1)]:
        assert sum(word in case for case in cases) == count, word


def test_cases_are_chosen_by_words_of_their_names(command):
    rows = measured(command, *SOME)["rows"]
    assert {word for word in SOME for row in rows if word in row["case"]} == set(SOME)
    for row in rows:
        is_row(row)
        assert any(word in row["case"] for word in SOME)


def test_n_counts_elements(command):
    rows = {row["case"]: row for row in measured(command, "matmul", "argmax:f16", "8x14x14x64, axes 0 1 2 3", "call of 16")["rows"]}
    assert rows["dot:sf16:sf, matmul 256x256x256, random"]["n"] == 256**3
    assert rows["argmax:f16, 16 Ki"]["n"] == 16384
    assert rows["max:f32, 8x14x14x64, axes 0 1 2 3"]["n"] == 8 * 14 * 14 * 64
    calls = [row for case, row in rows.items() if "call of 16" in case]
    assert calls and all((row["n"], row["per"], row["against_ns"], row["goal"]) == (16, "call", 30, 1) for row in calls)


def test_text_is_a_line_for_each_case(command):
    said, head, *lines = command.run("bench", "--quick", *SOME).splitlines()
    version, machine = command.run("--version").split()[1], command.run("info").split("best first: ")[1].split()[0]
    assert said.startswith(f"bitfold {version} on {machine}, ") and head.split()[0] == "case"
    cases = [row["case"] for row in measured(command, *SOME)["rows"]]
    assert [line.split("  ")[0].strip() for line in lines] == cases
    assert all(line.endswith(("  reached", "  no")) for line in lines if line.startswith("dot:sf16"))


def test_the_machine_is_the_one_asked_for(command):
    for name in command.run("info").split("best first: ")[1].split("\n")[0].split():
        assert measured(command, "--isa", name, "argmax:f16")["machine"]["isa"] == name
    command.environment["BITFOLD_ISA"] = "scalar"
    assert measured(command, "argmax:f16")["machine"]["isa"] == "scalar"
    command.refuses("bench", "--isa", "mmx", says="--isa mmx: not here")


def test_calls_for_rows_take_no_machine_and_say_so(command):
    names = command.run("info").split("best first: ")[1].split("\n")[0].split()
    if len(names) == 1:
        pytest.skip(f"{names[0]} is the only machine here, so it is the best")
    found = measured(command, "--isa", names[-1], "sum:f64:exact, call of 16")
    assert found["rows"] == [] and found["skipped"] == [{"case": "sum:f64:exact, call of 16", "why": "the functions for rows take no --isa"}]


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_are_those_asked_for(command, threads):
    found = measured(command, "--threads", threads, f"max:f32, rows of 64x4096, {threads} threads")
    assert found["machine"]["threads"] == threads
    assert [row["against"] for row in found["rows"]] == ["1 thread"]


def test_one_thread_has_nothing_to_compare(command):
    found = measured(command, "--threads", "1", "max:f32, rows")
    assert found["rows"] == [] and [row["why"] for row in found["skipped"]] == ["there is one thread"]
    assert "skipped, for there is one thread\n" in command.run("bench", "--quick", "--threads", "1", "max:f32, rows")


def test_a_case_that_needs_more_memory_than_there_is_is_skipped(command):
    def little():
        resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))

    cache = command.path.parent / "CMakeCache.txt"
    if cache.exists() and re.search(r"^BITFOLD_SANITIZE:BOOL=(1|ON)$", cache.read_text(), re.M):
        pytest.skip("the address sanitizer wants all addresses")
    out = command.run("bench", "--json", "min:f32, 512 MiB", "min:f32, 16 Ki", "--threads", "1", preexec_fn=little)
    found = json.loads(out)
    assert [row["case"] for row in found["rows"]] == ["min:f32, 16 Ki"]
    assert found["skipped"][0]["case"] == "min:f32, 512 MiB"
    assert found["skipped"][0]["why"].startswith("wants 512 MiB of memory, of which ")


def test_refusals(command):
    command.refuses("bench", "f33", says=["f33: no case of bench has this in its name", "sf16"])
    command.refuses("bench", "--threads", "0", says="--threads 0: not a number of threads")
    command.refuses("bench", "--axis", "0", says="bench takes no --axis; its options are --")
    command.refuses("sum", "x.npy", "--quick", says="sum takes no --quick; its options are --")
    assert command.run("bench", "--quick", "f33", "argmax:f16")  # one of the two is in a name
