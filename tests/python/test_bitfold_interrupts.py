# SPDX-License-Identifier: Apache-2.0
"""Long reductions let other threads run and end on ^C, with out= untouched."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import bitfold
import sf

LONG, ROW = np.broadcast_to(np.float64(1), (1 << 26,)), sf.zeros(1 << 20)


def ticks_during(call):
    """How often another Python thread ran while the call did, and the call's result. The interval is so long that the main thread
    lets it run at no other time."""
    interval, count, stop, ready = sys.getswitchinterval(), [0], [False], threading.Event()

    def tick():
        ready.set()
        while not stop[0]:
            count[0] += 1
            time.sleep(1e-4)  # gives the lock up by itself, so that the main thread gets it back at once
    thread = threading.Thread(target=tick)
    try:
        thread.start()
        ready.wait()
        sys.setswitchinterval(1000)
        before = count[0]
        result = call()
        after = count[0]
    finally:
        stop[0] = True
        sys.setswitchinterval(interval)
        thread.join()
    return after - before, result


LONG_CALLS = {
    "bitfold.sum": (lambda: bitfold.sum(np.broadcast_to(np.float32(1), (1 << 24,)), order="sequential"), 1 << 24),
    "bitfold.max": (lambda: bitfold.max(np.ones(1 << 24)), 1.0), "bitfold.dot": (lambda: bitfold.dot(LONG[: 1 << 23],
        LONG[: 1 << 23]), float(1 << 23)),
    "sf.sum": (lambda: sf.zeros(1 << 28).sum().code, 0), "sf.sum of one row": (lambda: [ROW.sum() for _ in range(300)][0].code, 0),
    "sf.max": (lambda: sf.zeros(1 << 25).max().code, 0),
    "sf +": (lambda: (sf.zeros(1 << 23) + sf.zeros(1 << 23)).size, 1 << 23), "sf.vanished": (lambda: sf.vanished(sf.zeros(1 << 23),
        sf.zeros(1 << 23)), 0),
    "sf.array": (lambda: sf.array(np.zeros(1 << 23)).size, 1 << 23), "astype": (lambda: sf.zeros(1 << 23).astype(sf.sf8).size,
        1 << 23)}


@pytest.mark.parametrize("name", LONG_CALLS)
def test_another_thread_runs_during_a_long_call(name):
    """Without the interpreter's lock the counter moves; with it held it could not: the switch interval is a quarter of an hour."""
    call, want = LONG_CALLS[name]
    seen = []
    for _ in range(5):
        ticks, result = ticks_during(call)
        assert result == want
        seen.append(ticks)
        if ticks > 3:
            return
    raise AssertionError(f"the other thread ran {seen} times")


def test_the_count_stands_still_where_the_lock_is_held():
    """The measure itself: a plain Python loop does not let the other thread run."""
    ticks, result = ticks_during(lambda: sum(range(100_000)))
    assert result == 4999950000 and ticks <= 1


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import bitfold, sf
x = np.broadcast_to(np.float64(1), (1 << 34,)); k = np.broadcast_to(sf.from_codes([1]), (1 << 36,))
out = np.full((), 9.0); codes = sf.full((), 0.5)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started us with it ignored
if sys.argv[2] == "raise":
    signal.signal(signal.SIGUSR1, lambda *_: 1 / 0)
number = signal.SIGUSR1 if sys.argv[2] == "raise" else signal.SIGINT
def alarm():
    time.sleep(0.3)
    os.kill(os.getpid(), number)
threading.Thread(target=alarm, daemon=True).start()
start = time.monotonic()
try:
    eval(sys.argv[1])
    print("finished")
except (KeyboardInterrupt, ZeroDivisionError) as stopped:
    soon = time.monotonic() - start < 20
    print(type(stopped).__name__, float(out), codes.codes.tolist(), soon, bitfold.sum([1.0, 2.0]), sf.array([0.5, 0.25]).sum())
"""


@pytest.mark.parametrize("how, expression", (
    *(("interrupt", e) for e in ("bitfold.sum(x, order='sequential', out=out)", "bitfold.max(x, out=out)", "k.sum(out=codes)",
                                 "sf.dot(k, k, out=codes)")),
    ("raise", "bitfold.sum(x, out=out)"),
    *(pytest.param("interrupt", e, marks=pytest.mark.full) for e in ("bitfold.sum(x, out=out)", "bitfold.dot(x, x, out=out)",
        "k.max()", "k.mean()", "k.argmin()"))))
def test_ctrl_c_ends_a_long_reduction(how, expression):
    ran = subprocess.run([sys.executable, "-c", INTERRUPTED, expression, how], capture_output=True, text=True, timeout=60)
    assert ran.stdout.split() == ["KeyboardInterrupt" if how == "interrupt" else "ZeroDivisionError", "9.0", "16384", "True", "3.0",
                                  "0.75"], ran


def test_a_signal_handler_that_does_not_raise_does_not_stop_it():
    script = INTERRUPTED.replace("1 / 0", "None").replace("1 << 34", "1 << 28")
    ran = subprocess.run([sys.executable, "-c", script, "print(bitfold.sum(x, order='sequential'))", "raise"], capture_output=True,
                         text=True, timeout=60)
    assert ran.stdout.split() == [str(float(1 << 28)), "finished"], ran
