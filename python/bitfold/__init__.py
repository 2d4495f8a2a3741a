# SPDX-License-Identifier: Apache-2.0
"""Reductions of NumPy arrays with the same bits on every machine.

    >>> import bitfold, numpy
    >>> x = numpy.array([1e8, 1, -1e8, 1], numpy.float32)
    >>> bitfold.sum(x)                          # correctly rounded, the default
    np.float32(2.0)
    >>> bitfold.sum(x, order="sequential")      # ((0 + 1e8) + 1) + ...
    np.float32(1.0)

sum, mean, dot, max, min, argmax and argmin take float16, float32, float64, ml_dtypes.bfloat16 and integers, of any strides and either byte order,
without a copy where the library has the format (all but unsigned integers and bool). ``order`` is a word of the contract language, such as
"pairwise(128,lanes(8))"; `contract` reads a whole contract. `explain` says which contracts make a result that somebody got, `separate` finds data
that tells two apart, `tree` writes an order out. `reveal` finds the order in which a function adds. `engine` says which machine and how many threads
work. The package `sf` is SuperFloat arrays.
"""

from ._native import Contract
from ._engine import engine, machines, read_environment
from ._explain import Explanation, Trial, explain, separate, tree
from ._native import version as _version
from ._reductions import argmax, argmin, contract, dot, max, mean, min, reduce, sum
from ._reveal import Revelation, reveal

read_environment()
del read_environment

__version__ = _version
__all__ = ["Contract", "Explanation", "Revelation", "Trial", "argmax", "argmin", "contract", "dot", "engine", "explain", "machines", "max", "mean",
           "min", "reduce", "reveal", "separate", "sum", "tree"]


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__version__"]
