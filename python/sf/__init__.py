# SPDX-License-Identifier: Apache-2.0
"""SuperFloat arrays: fixed point whose sums clamp at every step, with the same bits on the host and on the chip.

An sfN value is k / 2^(N-1) for an integer code k with |k| <= 2^(N-1) - 1; N is 2 to 16.

    >>> import sf
    >>> x = sf.array([0.1, -0.25, 0.5], dtype=sf.sf16)
    >>> x.sum()
    sf16(0.350006103515625)
    >>> x.codes
    array([ 3277, -8192, 16384], dtype=int16)

Making arrays
    array, asarray, zeros, ones, full, arange, linspace, from_codes, from_words, frombuffer, unpack, load, save
Reductions, which add in sequence from index 0 and clamp at each step
    sum, mean, dot, vecdot, matmul (and @), max, min, argmax, argmin, trace
Overflow
    errstate, status, SFOverflowError, SFWarning
Rules of accumulation
    rule, rules, Rule, use_rule, explain
Devices
    device, sim, SFReplayError, SFStatusError
PyTorch
    sf.torch, where PyTorch is installed

All arithmetic is the bitfold C library's.
"""

from __future__ import annotations

from typing import Any

from bitfold import __version__ as __version__

from . import _linalg, sim
from ._array import sfarray
from ._create import (arange, array, asarray, from_codes, from_words, frombuffer, full, full_like, linspace, load, ones, ones_like, save, unpack, zeros,
                      zeros_like)
from ._device import Device, device
from ._events import SFOverflowError, SFReplayError, SFStatusError, SFWarning, status
from ._explain import Explanation, explain
from ._functions import argmax, argmin, dot, matmul, max, mean, min, sum, trace, vanished, vecdot
from ._rules import Rule, rule, rules
from ._scalars import FORMATS, sfscalar
from ._settings import _Block, errstate, geterr, use_rule

sf2 = FORMATS["sf2"]
sf3 = FORMATS["sf3"]
sf4 = FORMATS["sf4"]
sf5 = FORMATS["sf5"]
sf6 = FORMATS["sf6"]
sf7 = FORMATS["sf7"]
sf8 = FORMATS["sf8"]
sf9 = FORMATS["sf9"]
sf10 = FORMATS["sf10"]
sf11 = FORMATS["sf11"]
sf12 = FORMATS["sf12"]
sf13 = FORMATS["sf13"]
sf14 = FORMATS["sf14"]
sf15 = FORMATS["sf15"]
sf16 = FORMATS["sf16"]

__all__ = [
    "Device", "Explanation", "Rule", "SFOverflowError", "SFReplayError", "SFStatusError", "SFWarning", "arange", "argmax", "argmin", "array",
    "asarray", "device", "dot", "errstate", "explain", "from_codes", "from_words", "frombuffer", "full", "full_like", "geterr", "linspace", "load",
    "matmul", "max", "mean", "min", "ones", "ones_like", "rule", "rules", "save", "sf2", "sf3", "sf4", "sf5", "sf6", "sf7", "sf8", "sf9", "sf10",
    "sf11", "sf12", "sf13", "sf14", "sf15", "sf16", "sfarray", "sfscalar", "sim", "status", "sum", "trace", "unpack", "use_rule", "vanished", "vecdot",
    "zeros", "zeros_like"]

for _public in (_Block, Device, Explanation, Rule, SFOverflowError, SFReplayError, SFStatusError, SFWarning, device, errstate, sfarray, sfscalar, use_rule):
    _public.__module__ = "sf"  # what messages, pickles and help() say


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "torch":  # imported where it is first named, since PyTorch takes seconds to load
        import importlib

        try:
            return importlib.import_module("sf.torch")
        except ImportError as missing:
            raise AttributeError(str(missing)) from missing
    raise AttributeError(f"module 'sf' has no attribute {name!r}")
