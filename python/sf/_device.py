# SPDX-License-Identifier: Apache-2.0
"""Reductions on a device: words out, words back, and what can be known of saturation."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from bitfold import _native

from . import _linalg
from ._events import SFReplayError, SFStatusError, status
from ._rules import Rule, rule
from ._settings import _Block
from ._words import check_encoding, to_codes, to_words


class Device(Protocol):
    """What `sf.device` drives: a chip behind some link, or `sf.sim.Device`.

    Attributes
    ----------
    encoding : str
        "twos-complement" or "sign-magnitude": how its words are codes.
    flags : bool
        Whether `run` counts saturated outputs.
    rule : Rule, may be missing
        How it adds, for the proof that nothing clamps; otherwise that follows the rule in use.
    """

    encoding: str
    flags: bool

    def run(self, operation: str, bits: int, x: Any, y: Any, axis: Any, keepdims: bool) -> tuple[Any, int | None]:
        """Reduces arrays of words over the axes (None: all).

        Parameters
        ----------
        operation : "sum", "dot", "matmul", "max", "min", "argmax" or "argmin"
        bits : int
            N of the format.
        x, y : ndarray of uint8 (N up to 8) or uint16
            Words; y is None but for dot and matmul, where x and y are to be broadcast against each other.
        axis : None, int or tuple of int
        keepdims : bool

        Returns
        -------
        words : ndarray
            Words of the outputs, or int64 indices.
        saturated : int or None
            With flags, how many outputs clamped.
        """
        ...


class Session:
    """A device as the reductions of a block see it."""

    __slots__ = ("device", "proof", "replay", "strict")

    def __init__(self, device: Device, proof: bool, replay: bool, strict: bool) -> None:
        self.device = device
        self.proof = proof
        self.replay = replay
        self.strict = strict

    def add(self, operation: str, x: Any, y: Any, dtype: Any, own: Rule, axis: Any, keepdims: bool, strict: bool | None) -> tuple[Any, int | None]:
        """Codes and what is known of saturation: by the device's flags, by proof, by replay, or None (S33)."""
        codes, flagged = self._run(operation, x, y, dtype, axis, keepdims)
        clamped = flagged if self.device.flags else None
        if clamped is None and self.proof and is_safe(x, y, dtype, getattr(self.device, "rule", own), axis):
            clamped = 0
        if self.replay:
            expected, clamped = _linalg.sum_codes(x, y, dtype.bits, own, axis, keepdims)
            self._compare(codes, np.asarray(expected), x, y, dtype, axis, keepdims)
        if clamped is None and (self.strict if strict is None else strict):
            status.saturated = None
            raise SFStatusError(f"{dtype.__name__} {operation}: whether it saturated is unknown; the device has no flags, nothing proves that it "
                                "did not, and replay is off")
        return codes, clamped

    def select(self, operation: str, x: Any, dtype: Any, axis: Any, keepdims: bool) -> Any:
        """max and min as codes, argmax and argmin as indices; no saturation (S36)."""
        if operation.startswith("arg"):
            return np.asarray(self.device.run(operation, dtype.bits, to_words(self.device.encoding, x, dtype), None, axis, keepdims)[0])
        return self._run(operation, x, None, dtype, axis, keepdims)[0]

    def _run(self, operation: str, x: Any, y: Any, dtype: Any, axis: Any, keepdims: bool) -> tuple[Any, int | None]:
        encoding = self.device.encoding
        sent = None if y is None else to_words(encoding, y, dtype)
        words, flagged = self.device.run(operation, dtype.bits, to_words(encoding, x, dtype), sent, axis, keepdims)
        return to_codes(encoding, np.asarray(words), dtype), flagged

    def _word(self, code: Any, dtype: Any) -> int | None:
        """The device's word for a code; None for -1.0 in sign and magnitude."""
        try:
            return int(to_words(self.device.encoding, code, dtype))
        except ValueError:
            return None

    def _compare(self, codes: Any, expected: Any, x: Any, y: Any, dtype: Any, axis: Any, keepdims: bool) -> None:
        """S35: a replay that differs names the first output, both words, and the rules that explain the device's."""
        if np.array_equal(codes, expected):
            return
        from ._explain import rules_that_give

        index = tuple(map(int, np.argwhere(codes != expected)[0]))
        fits = rules_that_give(codes, x, y, dtype, axis, keepdims)
        device_word, host_word = self._word(codes[index], dtype), self._word(expected[index], dtype)
        place = f"output {list(index)}" if index else "the output"
        said = f"rules that explain the device: {', '.join(fits)}" if fits else "no rule explains the device"
        raise SFReplayError(f"replay differs at {place}: the device's word is {_shown(device_word, codes[index], dtype)}, the host's "
                            f"{_shown(host_word, expected[index], dtype)}; {said}",
                            index, device_word, host_word, fits)


def _shown(word: int | None, code: Any, dtype: Any) -> str:
    return f"code {int(code)}, for which it has no word" if word is None else f"0x{word:0{(dtype.bits + 3) // 4}x}"


_FLOOR = Rule("floor", product="floor")


def is_safe(x: Any, y: Any, dtype: Any, own: Rule, axis: Any) -> bool:
    """Whether no order of the additions can clamp: the sum of |codes|, or of the narrowed |a b|, stays within the format (S34).

    `own` is the rule that the device is held to have. Where its products are not narrowed toward zero, magnitudes are narrowed away from it; a sum of
    float32 products is not proved.
    """
    extra, width = (own.sum_extra if y is None else own.product_extra), own.accumulator_bits
    if not isinstance(width, int):
        width = dtype.bits if width == "data" else 2 * dtype.bits - 1
    if width < dtype.bits + (extra if isinstance(extra, int) else dtype.bits - 1):
        return False  # the accumulator is narrower than the format's values in it
    if y is None:
        absolute = _linalg.contract(f"sumabs:{dtype.__name__}:exact")
        return bool(_native.reduce(absolute, x, None, axis, False)[1] == 0)
    if own.product == "float32" or (x == -dtype.scale).any() or (y == -dtype.scale).any():
        return False
    if own.product == "toward-zero":
        return bool(_native.sum_codes(np.abs(x), np.abs(y), dtype.bits, rule("sf"), axis)[1] == 0)
    return bool(_native.sum_codes(-np.abs(x), np.abs(y), dtype.bits, _FLOOR, axis)[1] == 0)


class device(_Block):
    """Sends sum, dot, @, max, min, argmax and argmin of a block to a device: ``with sf.device(chip):``.

    `status.saturated` is then None after a sum, unless the device has flags, or the host proved that nothing can clamp, or replays. Everything else,
    means and elementwise operations too, stays on the host.

    Parameters
    ----------
    device : Device
        `sf.sim.Device`, or your own.
    proof : bool
        Prove safety where possible: the sum of magnitudes stays within the format, whatever the order (S34).
    replay : bool
        Do each sum on the host too, by the rule in use: the count is then exact, and a difference is an `SFReplayError` (S35).
    strict : bool
        An unknown status is an `SFStatusError` (S37).
    """

    def __init__(self, device: Device, *, proof: bool = True, replay: bool = False, strict: bool = False) -> None:
        if not callable(getattr(device, "run", None)) or not hasattr(device, "encoding") or not hasattr(device, "flags"):
            raise TypeError(f"{device!r} is no device: it lacks run, encoding or flags; see help(sf.Device)")
        check_encoding(device.encoding)
        super().__init__(device=Session(device, proof, replay, strict))

    def __enter__(self) -> Device:
        super().__enter__()
        return self._changes["device"].device  # type: ignore[no-any-return]
