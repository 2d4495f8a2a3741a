# SPDX-License-Identifier: Apache-2.0
"""Failure messages that can be retyped: the contract, the input's patterns, the bits got and the bits wanted."""

import numpy as np

import bitfold_c
from oracle.formats import FLOATS


def hexed(code, name):
    return f"{int(code):0{bitfold_c.STORAGE[name]().itemsize * 2}x}" if name in FLOATS else str(int(code))


def row(contract, x, got, want, element, output, y=None, note=""):
    show = lambda a: "[" + " ".join(hexed(k, element) for k in a[:40]) + (" ...]" if len(a) > 40 else "]")
    second = "" if y is None else f"\n  y    {show(y)}"
    answers = f"\n  got  {hexed(got, output)}\n  want {hexed(want, output)}"
    return f"{contract} {note}\n  n    {len(x)}\n  x    {show(x)}{second}{answers}"


def same(contract, got, want, x, element, output, y=None, note=""):
    """Asserts that the outputs of all rows are those wanted, and shows the first row where they are not."""
    wrong = np.flatnonzero(np.asarray(got) != np.asarray(want))
    if wrong.size:
        i = wrong[0]
        raise AssertionError(row(contract, x[i], got[i], want[i], element, output, None if y is None else y[i],
                                 f"row {i} of {len(x)}, seed as printed {note}"))
