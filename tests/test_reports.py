# SPDX-License-Identifier: Apache-2.0
"""Bug reports of other projects as cases, through the library and through the command."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import bitfold_c
from oracle.formats import FLOATS
from oracle.reduce import reduce_tensor

CASES = json.loads((pathlib.Path(__file__).parent / "cases" / "reports.json").read_text())
COMMAND = pathlib.Path(os.environ.get("BITFOLD_COMMAND") or os.environ.get("BITFOLD") or bitfold_c.ROOT / "build" / "bitfold")
DTYPES = {"f16": "<f2", "f32": "<f4", "f64": "<f8"}


def operands(case, element):
    """The case's input as one or two arrays of patterns or codes, in its shape."""
    given, dtype = case["input"], DTYPES.get(element, bitfold_c.STORAGE[element])
    if isinstance(given, dict) and "codes" in given:
        rows = given["codes"] if isinstance(given["codes"][0], list) else [given["codes"]]
        return [np.array(row, dtype).reshape(case["shape"]) for row in rows]
    if isinstance(given, dict):
        x = np.full(given["count"], given["repeat"], dtype)
    else:
        x = np.array([float(v) for v in given]).astype(dtype)
    return [x.view(bitfold_c.STORAGE[element]).reshape(case["shape"])]


def wanted(case, output):
    if isinstance(case["want"], dict):
        return case["want"]["codes"]
    return [int(v, 16) if output in FLOATS else v for v in case["want"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_library(case):
    contract = bitfold_c.parse(case["contract"])
    element, output = (bitfold_c.FORMAT_NAMES[k] for k in (contract.element, contract.output))
    out, report = bitfold_c.reduce(contract, *operands(case, element), axes=case["axis"])
    assert [int(v) for v in np.ravel(out)] == wanted(case, output)
    if isinstance(case["want"], dict):
        assert (report.clamped, report.outputs) == (case["want"]["overflow"], case["want"]["outputs"])


@pytest.mark.parametrize("case", [c for c in CASES if np.prod(c["shape"]) <= 10**6], ids=lambda case: case["name"])
def test_oracle(case):
    element, *_ = [part for part in case["contract"].split(":") if part in bitfold_c.STORAGE]
    x, *y = operands(case, element)
    out, events = reduce_tensor(case["contract"], x, case["axis"], y=y[0] if y else None)
    arg = case["contract"].startswith("arg")
    assert [int(v) for v in np.ravel(out)] == wanted(case, "i64" if arg else element)
    assert not isinstance(case["want"], dict) or events == case["want"]["overflow"]


@pytest.mark.skipif(not COMMAND.exists(), reason=f"the command {COMMAND} is not built")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_command(case, tmp_path):
    element, *_ = [part for part in case["contract"].split(":") if part in bitfold_c.STORAGE]
    files = []
    for i, x in enumerate(operands(case, element)):
        files.append(str(tmp_path / f"operand{i}.npy"))
        np.save(files[-1], x.view(DTYPES.get(element, x.dtype)))
    flags = ["--contract", case["contract"], "--json", "--over", "ignore"]
    flags += ["--as", element, "--codes"] if element.startswith("sf") else []
    flags += ["--axis", ",".join(map(str, case["axis"]))] if case["axis"] else []
    command = [str(COMMAND), case["contract"].split(":")[0], *files, *flags]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    if isinstance(case["want"], dict):
        assert answer["codes"] == case["want"]["codes"]
        assert (answer["events"]["overflow"], answer["events"]["outputs"]) == (case["want"]["overflow"], case["want"]["outputs"])
    elif case["contract"].startswith("arg"):
        assert answer["values"] == case["want"]
    else:
        assert answer["bits"] == case["want"]
