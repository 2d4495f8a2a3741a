# SPDX-License-Identifier: Apache-2.0
"""Device words of every code in both encodings, S38, and the words that are none."""

import numpy as np
import pytest

import plain
import sf
from plain import ENCODINGS, WIDTHS, array, dtype, top


@pytest.mark.parametrize("bits", WIDTHS)
def test_S38_a_negative_zero_word_reads_as_code_0(bits):
    assert sf.from_words([1 << bits - 1, 0], dtype(bits), "sign-magnitude").codes.tolist() == [0, 0]
    assert sf.from_words([1 << bits - 1], dtype(bits)).codes.tolist() == [-top(bits) - 1]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("bits", WIDTHS)
def test_words_of_every_code_and_back(bits, encoding):
    codes = [k for k in range(-top(bits) - 1, top(bits) + 1) if plain.word(k, bits, encoding) is not None]
    words = array(codes, bits).words(encoding)
    assert words.dtype == (np.uint8 if bits <= 8 else np.uint16)
    assert words.tolist() == [plain.word(k, bits, encoding) for k in codes]
    assert sf.from_words(words, dtype(bits), encoding).codes.tolist() == codes
    assert sf.from_words(words.reshape(1, -1).astype(np.int64), f"sf{bits}", encoding).codes.tolist() == [codes]


def test_words_that_are_none():
    with pytest.raises(ValueError) as raised:
        sf.from_codes([0, -32768]).words("sign-magnitude")
    assert "\n" not in str(raised.value)
    for words, bits, error in (([0x10000], 16, ValueError), ([-32769], 16, ValueError), ([0x100], 8, ValueError),
                               ([0x10], 4, ValueError),
                               ([0.5], 16, TypeError), (["a"], 16, TypeError), ([True], 16, TypeError), ([None], 16, TypeError)):
        for encoding in ENCODINGS:
            with pytest.raises(error) as raised:
                sf.from_words(words, dtype(bits), encoding)
            assert "\n" not in str(raised.value)
    for encoding in ("ones-complement", "", None, 0, "Twos-complement"):
        for call in (lambda: array([1]).words(encoding), lambda: sf.from_words([1], encoding=encoding),
                     lambda: sf.sim.Device(encoding=encoding)):
            with pytest.raises(ValueError, match="'twos-complement' or 'sign-magnitude'"):
                call()
