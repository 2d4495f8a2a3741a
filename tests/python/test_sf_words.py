# SPDX-License-Identifier: Apache-2.0
"""Device words of every code in both encodings, S38, the words that are none, and the simulator that speaks them."""

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


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("flags", (False, True))
def test_S38_the_simulator_is_a_device_words_in_words_out(encoding, flags, seed):
    rng = np.random.default_rng(seed)
    for bits in (4, 8, 16):
        a, b = plain.codes_of(bits, rng, (5, 6), wild=0.9), plain.codes_of(bits, rng, (5, 6), wild=0.9)
        chip = sf.sim.Device("float32", encoding=encoding, flags=flags)
        x, y = (array(k, bits).words(encoding) for k in (a, b))
        for operation, second in (("sum", None), ("dot", b), ("matmul", b)):
            want, clamped = plain.over_axes("float32", bits, a, second, axes=1)
            words, count = chip.run(operation, bits, x, None if second is None else y, 1, False)
            assert words.dtype == x.dtype and words.tolist() == [plain.word(k, bits, encoding) for k in want]
            assert count == (clamped if flags else None)
        for which in ("max", "min", "argmax", "argmin"):
            want = getattr(a, which)(axis=0)
            words, count = chip.run(which, bits, x, None, 0, False)
            assert words.tolist() == (want.tolist() if "arg" in which else [plain.word(k, bits, encoding) for k in want])
            assert count == (0 if flags else None)
        assert chip.calls == 7 and chip.run("sum", bits, x, None, None, True)[0].shape == (1, 1)


def test_the_faults_of_a_simulator():
    x = array([[1, 2], [3, 4], [5, 6]]).words()
    chip = sf.sim.Device(faults={0: 0xFF, 2: 0x8000, 9: 1})
    assert chip.run("sum", 16, x, None, 1, False)[0].tolist() == [3 ^ 0xFF, 7, 11 ^ 0x8000]
    assert chip.run("max", 16, x, None, 1, False)[0].tolist() == [2, 4, 6], "of sums, dots and products only"
    with pytest.raises(ValueError, match="prod"):
        chip.run("prod", 16, x)
