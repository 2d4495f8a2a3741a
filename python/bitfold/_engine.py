# SPDX-License-Identifier: Apache-2.0
"""Which machine and how many threads reductions use. Nothing here changes a bit."""

from __future__ import annotations

import operator
import os

from . import _native


def machines() -> tuple[str, ...]:
    """The names of the machines that this build has and this processor runs, best first; the last is always "scalar"."""
    return _native.machines()


def engine(isa: str | None = None, threads: int | None = None) -> tuple[str, int]:
    """Sets what all later calls of `bitfold` and `sf` use, and returns it as (machine, threads); an argument left out changes nothing.

    isa is a name of `machines`; threads is the most threads to use where a call has no ``threads=`` of its own. At first they are the best
    machine and 1, or what the environment variables BITFOLD_ISA and BITFOLD_THREADS said when the package was imported.

    >>> import bitfold
    >>> bitfold.engine(threads=2)[1]
    2
    >>> bitfold.engine(threads=1)[1]
    1
    """
    if isa is not None and not isinstance(isa, str):
        raise TypeError(f"isa={isa!r}; it is the name of a machine, such as 'scalar'")
    return _native.engine(isa, None if threads is None else operator.index(threads))


def read_environment() -> None:
    """Follows BITFOLD_ISA and BITFOLD_THREADS."""
    isa, threads = os.environ.get("BITFOLD_ISA"), os.environ.get("BITFOLD_THREADS")
    if isa and isa not in machines():
        raise ImportError(f"BITFOLD_ISA={isa}: not here; this build on this processor has {', '.join(machines())}")
    if threads and not (threads.isascii() and threads.isdigit() and int(threads)):
        raise ImportError(f"BITFOLD_THREADS={threads}: not a number of threads; 1 or more is")
    engine(isa or None, int(threads) if threads else None)
