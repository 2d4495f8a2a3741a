# SPDX-License-Identifier: Apache-2.0
"""Device words: codes of N bits in two's complement or in sign and magnitude."""

from __future__ import annotations

from typing import Any

import numpy as np

from bitfold import _native

ENCODINGS = ("twos-complement", "sign-magnitude")


def check_encoding(encoding: str) -> str:
    """The encoding itself, if it is one."""
    if encoding not in ENCODINGS:
        raise ValueError(f"encoding={encoding!r}; it is 'twos-complement' or 'sign-magnitude'")
    return encoding


def to_words(encoding: str, codes: Any, dtype: Any) -> Any:
    """Unsigned words of codes."""
    number = ENCODINGS.index(check_encoding(encoding))
    row = np.require(codes, dtype.storage, ["C", "A"]).reshape(-1)
    try:
        made = _native.words_from_codes(number, dtype.bits, row)
    except ValueError:
        raise ValueError(f"code {-dtype.scale}, which is -1.0, has no {encoding} word of {dtype}") from None
    return made.view(f"u{dtype.itemsize}").reshape(np.shape(codes))


def to_codes(encoding: str, words: Any, dtype: Any) -> Any:
    """Codes of words, which are integers from 0 to 2^N - 1, or their two's complement sign repeated, or negative numbers."""
    number = ENCODINGS.index(check_encoding(encoding))
    row = _stored(words, dtype).reshape(-1)
    try:
        return _native.codes_from_words(number, dtype.bits, row).reshape(np.shape(words))
    except ValueError:
        wrong = _first_refused(number, dtype.bits, row)
        pattern = int(row[wrong]) % (1 << 8 * dtype.itemsize)
        raise ValueError(f"0x{pattern:x} at index {wrong} is no {encoding} word of {dtype.bits} bits") from None


def _first_refused(number: int, bits: int, row: Any) -> int:
    """The index of the first word that is none: prefixes are tried, by bisection."""
    good, bad = 0, row.size
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            _native.codes_from_words(number, bits, row[:middle])
            good = middle
        except ValueError:
            bad = middle
    return good


def _stored(words: Any, dtype: Any) -> Any:
    """Words in the memory that the library reads: integers of the codes' size."""
    given = np.asarray(words)
    if given.dtype.kind not in "iu" and given.size:
        raise TypeError(f"device words are integers, not {given.dtype}")
    size = 8 * dtype.itemsize
    if given.size and not (-(1 << size - 1) <= int(given.min()) and int(given.max()) < 1 << size):
        raise ValueError(f"device words of {dtype} have {size} bits; {int(given.min())} to {int(given.max())} were given")
    return np.ascontiguousarray(given.astype(f"i{dtype.itemsize}"))
