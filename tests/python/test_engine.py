# SPDX-License-Identifier: Apache-2.0
"""bitfold.engine, bitfold.machines, threads= and the environment: they choose what works, and change no bit."""

import os
import subprocess
import sys

import numpy as np
import pytest

import bitfold
import sf

ROWS = np.random.default_rng(5).standard_normal((32, 8192)).astype(np.float32)


@pytest.fixture(autouse=True)
def as_it_was():
    before = bitfold.engine()
    yield
    bitfold.engine(*before)


def results():
    codes = sf.array(ROWS[:4].astype(np.float64) / 8)
    with sf.errstate(over="ignore"):
        words = [codes.sum().code, codes.sum(axis=1).codes.tolist(), sf.dot(codes[0], codes[1]).code]
    return [bitfold.sum(ROWS, axis=1).tolist(), bitfold.sum(ROWS, axis=0, order="sequential").tolist(), float(bitfold.mean(ROWS)).hex(),
            bitfold.argmax(ROWS, axis=0).tolist(), bitfold.max(ROWS, axis=1).tolist(), words]


def test_every_machine_gives_the_same_results():
    assert bitfold.machines()[-1] == "scalar" and len(set(bitfold.machines())) == len(bitfold.machines())
    bitfold.engine("scalar", 1)
    expected = results()
    for isa in bitfold.machines():
        for threads in (1, 3):
            assert bitfold.engine(isa, threads) == (isa, threads)
            assert results() == expected


def test_threads_of_a_call_and_of_all():
    one = bitfold.sum(ROWS, axis=1).tobytes()
    assert bitfold.sum(ROWS, axis=1, threads=3).tobytes() == one
    bitfold.engine(threads=2)
    assert bitfold.engine()[1] == 2 and bitfold.sum(ROWS, axis=1).tobytes() == one
    assert bitfold.sum(ROWS, axis=1, threads=1).tobytes() == one


@pytest.mark.parametrize("arguments, error, says", [
    (("avx9",), ValueError, "there is no machine 'avx9' here; bitfold.machines() lists them"),
    ((None, 0), ValueError, "threads=0; it is the most threads to use, 1 or more"), ((3,), TypeError, "isa=3; it is the name of a machine"),
    ((None, 1.5), TypeError, "float")], ids=str)
def test_what_engine_refuses(arguments, error, says):
    before = bitfold.engine()
    with pytest.raises(error, match=says.replace("(", r"\(").replace(")", r"\)")):
        bitfold.engine(*arguments)
    assert bitfold.engine() == before


def run(code, **environment):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, check=False)


def test_the_environment_is_followed_at_import():
    done = run("import bitfold; print(*bitfold.engine())", BITFOLD_ISA="scalar", BITFOLD_THREADS="2")
    assert done.stdout == "scalar 2\n", done.stderr
    done = run("import sf", BITFOLD_ISA="avx9")
    assert done.stderr.endswith(f"ImportError: BITFOLD_ISA=avx9: not here; this build on this processor has {', '.join(bitfold.machines())}\n")
    for threads in ("0", "two", "-1"):
        done = run("import bitfold", BITFOLD_THREADS=threads)
        assert done.stderr.endswith(f"ImportError: BITFOLD_THREADS={threads}: not a number of threads; 1 or more is\n")


def test_a_child_of_a_fork_may_use_threads():
    code = """
import os, bitfold, numpy
x = numpy.ones((64, 8192), numpy.float32)
bitfold.sum(x, axis=1, threads=4)
child = os.fork()
total = float(bitfold.sum(x, axis=1, threads=4).sum())
if not child:
    os._exit(total != 64 * 8192)
assert os.waitpid(child, 0)[1] == 0
"""
    assert run(code).returncode == 0
