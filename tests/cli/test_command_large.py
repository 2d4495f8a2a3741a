# SPDX-License-Identifier: Apache-2.0
"""Large files: memory that does not grow with them, and the line of progress."""

import os
import pty
import re
import select
import sys
import time

import numpy
import pytest


def sparse(command, name, shape, dtype="<f4", fortran=False):
    """A file of zeros that takes no room on the disk."""
    with open(command.folder / name, "wb") as file:
        numpy.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": fortran, "shape": shape})
        file.truncate(file.tell() + int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize)
    return name


# A small process to start the command from: the peak of a process counts what its parent had resident when it was forked.
RUNNER = """import os, sys
pid = os.fork() or os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
sys.stderr.write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))"""


def peak_memory(command, *arguments, **keywords):
    """Bytes resident at the worst moment."""
    process = command.start(*arguments, prefix=(sys.executable, "-c", RUNNER), **keywords)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0 and said.isdigit(), said
    return int(said) * 1024


LARGE = 1 << 28  # elements: 1 GiB of float32
LONG = 3 << 29  # elements: over a second, for each waits for the sum before it
WORK = {
    "sum": ["sum", "x.npy", "--order", "lanes(16)"],
    "dot": ["dot", "x.npy", "x.npy", "--order", "lanes(16)"],
    "rows": ["sum", "x.npy", "--axis", "1", "--order", "lanes(16)"],
    "convert": ["sum", "x.npy", "--as", "f16", "--order", "lanes(16)"],
}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", WORK.values(), ids=WORK)
def test_memory_does_not_grow_with_the_file(command, arguments):
    sparse(command, "x.npy", (LARGE // 4096, 4096))
    with open(os.devnull, "wb") as nowhere:
        assert peak_memory(command, *arguments, stdout=nowhere) < 300 << 20


@pytest.mark.slow
def test_memory_does_not_grow_with_a_pipe(command):
    sparse(command, "x.npy", (LARGE,))
    reading, writing = os.pipe()
    feeder = os.fork()
    if feeder == 0:
        os.close(reading)
        with open(command.folder / "x.npy", "rb") as file, open(writing, "wb") as pipe:
            while chunk := file.read(1 << 20):
                pipe.write(chunk)
        os._exit(0)
    os.close(writing)
    with open(os.devnull, "wb") as nowhere:
        assert peak_memory(command, "sum", "-", "--order", "lanes(16)", stdin=reading, stdout=nowhere) < 300 << 20
    os.close(reading)
    os.waitpid(feeder, 0)


def on_a_terminal(command, *arguments, stdout=None):
    """What the command says on a terminal that is its standard error; its output, if stdout is not given, too."""
    ours, theirs = pty.openpty()
    process = command.start(*arguments, stderr=theirs, **({"stdout": stdout} if stdout else {}))
    os.close(theirs)
    said = b""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                said += os.read(ours, 4096)
            except OSError:  # the other side is closed
                break
    os.close(ours)
    return process.wait(timeout=10), said.decode(), process.stdout.read().decode()


@pytest.mark.slow
def test_a_long_reduction_shows_its_progress_on_a_terminal(command):
    sparse(command, "x.npy", (LONG,))
    status, said, out = on_a_terminal(command, "sum", "x.npy", "--order", "sequential")
    assert (status, out) == (0, "0\n")
    *lines, last = said.split("\r")
    drawn = [re.fullmatch(r" *(\d+) %  (\d+\.\d\d) GB/s  (\d+) s left\x1b\[K", line) for line in lines if line]
    assert drawn and all(drawn), said
    percents = [int(match[1]) for match in drawn]
    assert percents == sorted(percents) and 0 < percents[0] and percents[-1] <= 100
    assert last == "\x1b[K"  # erased


@pytest.mark.slow
def test_progress_is_silent_in_a_pipe(command):
    sparse(command, "x.npy", (LONG,))
    assert command.run("sum", "x.npy", "--order", "sequential") == "0\n"


def test_a_short_reduction_shows_none(command):
    command.save("x.npy", numpy.ones(1000, "f4"))
    assert on_a_terminal(command, "sum", "x.npy") == (0, "", "1000\n")
