# SPDX-License-Identifier: Apache-2.0
"""The wheel, from a clone to a fresh environment: tags, contents, an import, an example; and the types under mypy --strict."""

import os
import pathlib
import subprocess
import sys
import zipfile

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = """
import bitfold, numpy, sf, sys
assert bitfold.__file__.startswith(sys.prefix) and sf.__file__.startswith(sys.prefix), (bitfold.__file__, sys.prefix)
x = numpy.array([1e8, 1, -1e8, 1], numpy.float32)
sums = [float(bitfold.sum(x, order=order)) for order in ("exact", "sequential")]
print(*sums, bitfold.__version__, repr(sf.array([0.1, -0.25, 0.5]).sum()))
"""


def run(*command, **options):
    ran = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    return ran.stdout


def version():
    header = (ROOT / "include" / "bitfold" / "bitfold.h").read_text()
    return header.split('#define BITFOLD_VERSION "')[1].split('"')[0]


@pytest.mark.full
def test_a_wheel_is_made_installed_and_used(tmp_path):
    pytest.importorskip("scikit_build_core",
                        reason="the wheel is built without a network, by the tool that tests/requirements.txt names")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PIP_"))}
    run(sys.executable, "-m", "pip", "wheel", ROOT / "python", "--no-deps", "--no-build-isolation", "--disable-pip-version-check",
        "-q", "-w", tmp_path,
        "--config-settings=build-dir=" + str(tmp_path / "build"), env=clean)
    (wheel,) = tmp_path.glob("*.whl")
    name, tagged, python, abi, _ = wheel.name.removesuffix(".whl").split("-", 4)
    assert (name, tagged, python, abi) == ("bitfold", version(), "cp311", "abi3")
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    for needed in ("bitfold/__init__.py", "bitfold/py.typed", "bitfold/_native.abi3.so", "bitfold/_native.pyi", "sf/__init__.py",
                   "sf/py.typed", "sf/sim.py", "sf/torch/__init__.py"):
        assert needed in names, needed
    assert any("LICENSE" in n for n in names)
    assert {n.split("/")[0] for n in names} == {"bitfold", "sf", f"bitfold-{version()}.dist-info"}
    assert not [n for n in names if n.endswith((".pyc", ".c", ".h", ".o", ".a"))]
    run(sys.executable, "-m", "venv", tmp_path / "fresh")
    fresh = tmp_path / "fresh" / "bin" / "python"
    run(fresh, "-m", "pip", "install", "--no-deps", "--no-index", "--disable-pip-version-check", "-q", wheel, env=clean)
    beside = tmp_path / "numpy only"
    beside.mkdir()
    for part in pathlib.Path(numpy.__file__).parents[1].glob("numpy*"):
        (beside / part.name).symlink_to(part)
    out = run(fresh, "-c", EXAMPLE, env={**clean, "PYTHONPATH": str(beside)}, cwd=tmp_path)
    assert out == f"2.0 1.0 {version()} sf16(0.350006103515625)\n"
    shown = run(fresh, "-m", "pip", "show", "bitfold", "--disable-pip-version-check", env=clean)
    assert f"Version: {version()}" in shown and "License" in shown and "Requires: numpy" in shown


@pytest.mark.full
def test_the_packages_pass_mypy_strict(tmp_path):
    pytest.importorskip("mypy")
    sources = [str(ROOT / "python" / "bitfold"), *(str(p) for p in sorted((ROOT / "python" / "sf").glob("*.py")))]
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), *sources], capture_output=True,
                         text=True, cwd=ROOT / "python")
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-1000:]


USER = """
import numpy as np
import bitfold, sf
x: sf.sfarray = sf.array([0.1, 0.5], dtype=sf.sf16)
codes: np.ndarray = x.codes
total = bitfold.sum(np.ones(3), axis=0, order="exact")
with sf.errstate(over="ignore"), sf.use_rule("sf31") as rule:
    name: str = rule.name
made: bitfold.Contract = bitfold.contract("sum:f32")
text: str = made.element
x.nonsense
bitfold.sum(np.ones(3), axis="0")
"""


@pytest.mark.full
def test_mypy_sees_the_types_from_outside(tmp_path):
    """py.typed is there: a user's right lines pass, the two wrong ones are found."""
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER)
    found = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "user.py"], capture_output=True,
                           text=True, cwd=tmp_path,
                           env={**os.environ, "MYPYPATH": str(ROOT / "python")})
    wrong = [line for line in found.stdout.splitlines() if ": error:" in line]
    assert [line.split(":")[1] for line in wrong] == ["11", "12"], found.stdout
