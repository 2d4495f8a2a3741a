# SPDX-License-Identifier: Apache-2.0
"""What a version of NumPy gives for cases: as a module, the installed one; as a program, the one on the path, pickles on the pipes.

A case says what the array is, not how NumPy made it: {"data": patterns as bytes, "dtype": "f4", "shape", "layout": arguments of
laid_out, "spread": axis or None, "window": a length or None, "operation": "sum", "mean" or "dot", "axes", "keepdims", "acc": a dtype or
None}."""

import pickle
import subprocess
import sys

import numpy as np

from layouts import laid_out


def placed(case):
    """The array of a case, where and how it says; spread repeats index 0 of that axis by a step of 0."""
    x = laid_out(np.frombuffer(case["data"], case["dtype"]).reshape(case["shape"]), **case["layout"])
    if case["spread"] is not None:
        first = tuple(slice(0, 1) if axis == case["spread"] else slice(None) for axis in range(x.ndim))
        x = np.broadcast_to(x[first], x.shape)
    if case["window"]:  # every stretch of that length along axis 0, as a last axis with the same steps
        x = np.lib.stride_tricks.sliding_window_view(x, case["window"], axis=0)
    return x


def answer(case):
    """(dtype, bytes) of the result, in C order."""
    x = placed(case)
    with np.errstate(all="ignore"):
        if case["operation"] == "dot":
            made = np.dot(x[0], x[1])
        else:
            more = {"dtype": case["acc"]} if case["acc"] else {}
            made = getattr(np, case["operation"])(x, axis=case["axes"], keepdims=case["keepdims"], **more)
    made = np.asarray(made)
    return made.dtype.str, made.tobytes()


def elsewhere(cases, folder):
    """The answers of the NumPy in a folder, from a process of its own."""
    here = __file__.rpartition("/")[0]
    child = subprocess.run([sys.executable, "-S", __file__], input=pickle.dumps(cases), capture_output=True, check=True,
                           env={"PYTHONPATH": f"{folder}:{here}", "OMP_NUM_THREADS": "1"})
    return pickle.loads(child.stdout)


if __name__ == "__main__":
    found = [answer(case) for case in pickle.load(sys.stdin.buffer)]
    sys.stdout.buffer.write(pickle.dumps((np.__version__, found)))
