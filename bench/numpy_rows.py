# SPDX-License-Identifier: Apache-2.0
"""The command's library beside NumPy on one thread: nanoseconds an element, 16,384 elements, the best of many turns.

usage: numpy_rows.py LIBBITFOLD.SO; needs NumPy. The two take turns, so that both meet the same machine.
"""

import ctypes
import sys
import time

import numpy

N, REPEATS, TURNS = 16384, 50, 25


def best(calls):
    """The least time of each call, in nanoseconds an element."""
    least = [float("inf")] * len(calls)
    for _ in range(TURNS):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(REPEATS):
                call()
            least[i] = min(least[i], (time.perf_counter() - start) / REPEATS / N * 1e9)
    return least


def main():
    """Prints the table."""
    library = ctypes.CDLL(sys.argv[1])
    values = numpy.random.default_rng(1).standard_normal(N)
    result = ctypes.create_string_buffer(8)
    print(f"NumPy {numpy.__version__}, {N} elements")
    for dtype, name in (("f4", "f32"), ("f8", "f64"), ("f2", "f16")):
        x = values.astype(dtype)
        for operation in ("sum", "max", "argmax"):
            function = getattr(library, f"bitfold_{operation}_{name}")
            arguments = (ctypes.c_void_p(x.ctypes.data), ctypes.c_size_t(N), None, result)
            assert function(*arguments) == 0
            ours, theirs = best([lambda: function(*arguments), getattr(x, operation)])
            print(f"{operation:6} {name}  bitfold {ours:6.2f}  NumPy {theirs:6.2f}")


if __name__ == "__main__":
    main()
