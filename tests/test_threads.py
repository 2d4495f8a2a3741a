# SPDX-License-Identifier: Apache-2.0
"""Threads: the bits and the report never depend on their number, a stop stops all, a fork and a region inside another are safe."""

import os
import subprocess
import sys
import threading

import bitfold_c
import numpy as np
import pytest



def threads_of_openmp(number):
    """bitfold_threads() of a process of its own: other libraries in this one may have told OpenMP another number."""
    code = "import sys; sys.path.insert(0, 'tests'); import bitfold_c; print(bitfold_c.lib.bitfold_threads())"
    environment = {**os.environ, "OMP_NUM_THREADS": str(number)}
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, env=environment).stdout)


THREADED = threads_of_openmp(2) == 2
needs_threads = pytest.mark.skipif(not THREADED, reason="this build has no OpenMP")


def floats(shape, seed):
    """Numbers of widely different sizes, with zeros of both signs; as patterns of f32."""
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape) * 2.0 ** random.integers(-30, 30, shape)
    x.flat[:: 97] = 0.0
    x.flat[5:: 97] = -0.0
    return x.astype(np.float32).view(np.uint32)


# Shapes with many outputs, with few, with one, with more axes than one to reduce, and rows that are cut.
SHAPES = [((64, 4096), 1), ((4096, 64), 0), ((3, 100003), 1), ((300007,), 0), ((1, 300007), (0, 1)), ((40, 30, 200), (0, 2)), ((100000, 5), 0),
          ((7, 20000, 3), 1)]
ORDERS = ["exact", "sequential", "lanes(16)", "canonical(8)", "pairwise(128,lanes(8))", "blocks(64,sequential)", "helia", "reverse"]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape, axes", SHAPES, ids=str)
def test_sums_do_not_depend_on_threads(shape, axes, order, seed):
    x = floats(shape, seed)
    one, report = bitfold_c.reduce(f"sum:f32:{order}", x, axes=axes)
    assert report.threads == 1
    for threads in (2, 3, 5, 64):
        got, more = bitfold_c.reduce(f"sum:f32:{order}", x, axes=axes, threads=threads)
        assert got.tolist() == one.tolist() and more.threads <= threads
        assert (more.nan, more.overflowed, more.clamped) == (report.nan, report.overflowed, report.clamped)


@pytest.mark.parametrize("operation", ("max", "min", "argmax", "argmin", "mean", "sumsq"))
@pytest.mark.parametrize("shape, axes", SHAPES, ids=str)
def test_other_operations_do_not_depend_on_threads(shape, axes, operation, seed):
    x = floats(shape, seed)
    x.flat[:: 1009] = 0x7fc12345 if operation != "max" else 0xff812345
    for nan in (":nan=ignore", ":nan=propagate") if operation.endswith(("max", "min")) else ("",):
        one, report = bitfold_c.reduce(f"{operation}:f32{nan}", x, axes=axes)
        for threads in (2, 7):
            got, more = bitfold_c.reduce(f"{operation}:f32{nan}", x, axes=axes, threads=threads)
            assert got.tolist() == one.tolist() and (more.nan, more.overflowed) == (report.nan, report.overflowed)


@pytest.mark.parametrize("shape, axes", SHAPES, ids=str)
def test_codes_do_not_depend_on_threads(shape, axes, seed):
    random = np.random.default_rng(seed)
    x, y = (random.integers(-32767, 32768, shape).astype(np.int16) for _ in range(2))
    for contract, pair in (("sum:sf16:sf", (x, None)), ("dot:sf16:sf31", (x, y))):
        one, report = bitfold_c.reduce(contract, *pair, axes=axes)
        got, more = bitfold_c.reduce(contract, *pair, axes=axes, threads=4)
        assert got.tolist() == one.tolist() and more.clamped == report.clamped


def test_the_first_of_equals_wins_in_every_piece():
    """Ties, and zeros of both signs, far apart in a row that is cut."""
    for at in ((5, 299999), (150001, 150000), (299999, 299998)):
        x = np.full(300000, -1, np.float32)
        x[list(at)] = 0.0, -0.0
        first = min(at)
        got, _ = bitfold_c.reduce("argmax:f32", x.view(np.uint32), threads=4)
        assert int(got) == first
        got, _ = bitfold_c.reduce("max:f32", x.view(np.uint32), threads=4)
        assert int(got) == x.view(np.uint32)[first]


def test_bad_codes_are_found_on_any_thread():
    for at in (0, 123456, 399999):
        x = np.zeros((4, 100000), np.int16)
        x.flat[at] = 1 << 11
        with pytest.raises(bitfold_c.Refused, match="beyond the width of sf12"):
            bitfold_c.reduce("sum:sf12:sf", x, axes=1, threads=4)


def test_more_threads_than_there_can_be():
    x = floats((64, 65536), 1)
    for order in ("sequential", "exact"):
        one = bitfold_c.reduce(f"sum:f32:{order}", x, axes=1)[0].tolist()
        got, report = bitfold_c.reduce(f"sum:f32:{order}", x, axes=1, threads=2_000_000_000)
        assert got.tolist() == one and report.threads <= 64


@needs_threads
def test_work_is_shared():
    assert bitfold_c.reduce("sum:f32:sequential", floats((64, 65536), 1), axes=1, threads=2)[1].threads == 2
    assert bitfold_c.reduce("sum:f32:exact", floats((1 << 20,), 1), threads=2)[1].threads == 2


@pytest.mark.parametrize("shape, axes, order", [((64, 1 << 17), 1, "sequential"), ((1 << 23,), 0, "exact")], ids=str)
def test_a_stop_stops_all(shape, axes, order):
    x, calls = np.zeros(shape, np.uint32), []

    def progress(_, done, total):
        assert threading.get_ident() == caller and 0 < done <= total == x.size
        calls.append(done)
        return len(calls) == 2

    caller = threading.get_ident()
    with pytest.raises(bitfold_c.Refused) as refused:
        bitfold_c.reduce(f"sum:f32:{order}", x, axes=axes, threads=3, progress=progress)
    assert refused.value.status == "STOPPED" and len(calls) == 2 and calls == sorted(calls)


def test_callers_on_several_threads_at_once(seed):
    """Oversubscribed: eight callers that ask for four threads each."""
    x = floats((64, 8192), seed)
    expected, found = bitfold_c.reduce("sum:f32:exact", x, axes=1, isa="scalar")[0].tolist(), []

    def call():
        for _ in range(5):
            found.append(bitfold_c.reduce("sum:f32:exact", x, axes=1, isa=bitfold_c.machines()[0], threads=4)[0].tolist())

    callers = [threading.Thread(target=call) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == [expected] * 40


FORKS = """
import os, sys
sys.path.insert(0, "tests")
import bitfold_c, numpy as np
x = np.ones((64, 8192), np.float32).view(np.uint32)
def total():
    return bitfold_c.reduce("sum:f32:exact", x, axes=1, threads=4)[0].view(np.float32).sum()
assert total() == 64 * 8192
for _ in range(3):
    child = os.fork()
    if not child:
        grandchild = os.fork()
        ok = total() == 64 * 8192
        if grandchild:
            ok = ok and os.waitpid(grandchild, 0)[1] == 0
        os._exit(0 if ok else 1)
    assert total() == 64 * 8192
    assert os.waitpid(child, 0)[1] == 0
print("done")
"""


def test_forks_after_threads_have_worked():
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_the_number_of_threads_is_openmps():
    assert threads_of_openmp(3) == (3 if THREADED else 1)
