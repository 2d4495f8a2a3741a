# SPDX-License-Identifier: Apache-2.0
"""What the Python packages add to the C library's own time: short sums, and a sum of 10^7 codes beside the same C call.

usage: python_calls.py [LIBRARY]; the packages must be installed. Sides take turns in one run, and the best turn of each counts.
"""

import ctypes
import pathlib
import sys
import timeit

import numpy as np

import bitfold
import sf

ROOT = pathlib.Path(__file__).resolve().parent.parent
SF16 = 9 + 16 - 2  # BITFOLD_FORMAT_SF2 + N - 2


def best(calls, turns, number):
    """Nanoseconds of each call: the calls take turns, the best turn counts."""
    times = [min(column) for column in zip(*[[timeit.timeit(call, number=number) for call in calls] for _ in range(turns)])]
    return [1e9 * seconds / number for seconds in times]


def c_call(library, codes):
    """A call of bitfold_sum_codes on all of the codes, by the rule sf."""
    library.bitfold_rule_named.restype = ctypes.c_void_p
    rule = ctypes.c_void_p(library.bitfold_rule_named(b"sf"))
    code, clamped = ctypes.c_int16(), ctypes.c_uint64()
    arguments = (rule, SF16, ctypes.c_void_p(codes.ctypes.data), None, ctypes.c_size_t(codes.size), ctypes.byref(code), ctypes.byref(clamped))
    return lambda: library.bitfold_sum_codes(*arguments)


def main():
    library = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/libbitfold.so"))
    short = sf.from_codes(np.random.default_rng(1).integers(-500, 500, 16), sf.sf16)
    floats = np.asarray(short, np.float32)
    rows = {"sf: x.sum()": short.sum, "sf: x.dot(x)": lambda: short.dot(short), "sf: x.max()": short.max, "sf: x + x": lambda: short + short,
            "bitfold.sum(f32)": lambda: bitfold.sum(floats), "numpy: codes.sum()": short.codes.sum, "numpy: f32.sum()": floats.sum}
    print("16 elements, nanoseconds a call")
    for name, nanoseconds in zip(rows, best(list(rows.values()), 25, 10000)):
        print(f"  {name:<20}{nanoseconds:8.0f}")
    long = sf.from_codes(np.random.default_rng(2).integers(-32767, 32768, 10**7), sf.sf16)
    with sf.errstate(over="ignore"):
        mine, c = best([long.sum, c_call(library, long.codes)], 25, 1)
    print(f"10^7 codes: sf {mine / 1e6:.2f} ms, the C call {c / 1e6:.2f} ms, ratio {mine / c:.3f}")


if __name__ == "__main__":
    main()
