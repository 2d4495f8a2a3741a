# SPDX-License-Identifier: Apache-2.0
"""Runs the command in a folder of the test's own, and checks what every refusal must keep to."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("BITFOLD") or Path(os.environ.get("BITFOLD_BUILD") or ROOT / "build") / "bitfold").resolve()


# Root may read and write everything, until it lets go of the capabilities that allow it.
AS_ANYONE = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes seconds or gigabytes")


def files_below(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and os.access(path, os.R_OK)}


class Command:
    path = COMMAND
    root = ROOT  # of the source tree

    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "TMPDIR": str(folder), "LC_ALL": "C"}

    def save(self, name, array):
        numpy.save(self.folder / name, array)
        return name

    def write(self, name, content):
        (self.folder / name).write_bytes(content)
        return name

    def load(self, name):
        return numpy.load(self.folder / name)

    def start(self, *arguments, prefix=(), **keywords):
        keywords.setdefault("stdout", subprocess.PIPE)
        keywords.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen([*prefix, str(COMMAND), *map(str, arguments)], cwd=self.folder, env=self.environment, **keywords)

    def run(self, *arguments, stdin=b"", code=0, error=False, **keywords):
        """Standard output as text, after checking the exit status; unless error is set, standard error must be empty."""
        process = self.start(*arguments, stdin=subprocess.PIPE if isinstance(stdin, bytes) else stdin, **keywords)
        out, said = process.communicate(stdin if isinstance(stdin, bytes) else None, timeout=120)
        assert process.returncode == code, said
        if not error:
            assert said == b""
            return out.decode()
        return out.decode(), said.decode()

    def bits(self, *arguments, **keywords):
        return self.run(*arguments, "--bits", **keywords).split()

    def refuses(self, *arguments, says, code=2, **keywords):
        """One line on standard error that holds every text of `says`; nothing on standard output; no file made or changed."""
        before = files_below(self.folder)
        out, said = self.run(*arguments, code=code, error=True, **keywords)
        assert out == ""
        assert said.startswith("bitfold: ") and said.count("\n") == 1 and said.endswith("\n"), said
        for text in [says] if isinstance(says, str) else says:
            assert text in said
        assert files_below(self.folder) == before
        return said


@pytest.fixture
def command(tmp_path):
    if not os.access(COMMAND, os.X_OK):
        pytest.fail(f"{COMMAND} is not there; make builds it, and BITFOLD names another")
    return Command(tmp_path)


@pytest.fixture
def as_anyone():
    """The start of a command line without root's privileges over files."""
    if AS_ANYONE and not shutil.which("setpriv"):
        pytest.skip("root, and no setpriv to be less than that")
    return AS_ANYONE
