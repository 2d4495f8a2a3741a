# SPDX-License-Identifier: Apache-2.0
"""explain and trace: all rules that give a chip's words, and no other; where the others differ, and where they part."""

import numpy as np
import pytest

import plain
import sf
from plain import ENCODINGS, AxisError, array, codes_of

RULES = tuple(r.name for r in sf.rules())


def expected(bits, a, b, words, rules=RULES):
    """{rule: (codes, encodings that explain all words)}, by the oracle."""
    found = {}
    for rule in rules:
        codes, _ = plain.over_axes(rule, bits, a, b, axes=-1)
        fits = tuple(e for e in ENCODINGS if all(c == plain.reading(w, bits, e) for c,
                                                 w in zip(codes.reshape(-1), np.reshape(words, -1))))
        found[plain.name(rule)] = codes, fits
    return found


def words_of(rule, bits, a, b, encoding):
    return np.vectorize(lambda c: plain.word(c, bits, encoding) if plain.word(c, bits,
        encoding) is not None else 0)(plain.over_axes(rule, bits, a, b, axes=-1)[0])


@pytest.mark.parametrize("truth", RULES)
@pytest.mark.parametrize("bits", (4, 8, 16))
def test_S35_every_rule_that_gives_the_word_and_no_other(bits, truth, seed):
    rng = np.random.default_rng(seed + bits)
    seen = set()
    for i in range(30):
        n, encoding = int(rng.integers(1, 7)), ENCODINGS[i % 2]
        a, b = codes_of(bits, rng, n, True), codes_of(bits, rng, n, True) if i % 3 else None
        word = int(words_of(truth, bits, a, b, encoding)) if i % 5 else int(rng.integers(0, 1 << bits))
        want = expected(bits, a, b, word)
        got = sf.explain(array(a, bits), None if b is None else array(b, bits), word)
        assert got.rules == tuple(r for r in RULES if want[r][1]) and bool(got) == bool(got.rules)
        assert [(v.rule.name, int(v.codes), v.encodings) for v in got.verdicts] == [(r, int(want[r][0]), want[r][1]) for r in RULES]
        assert got.encodings == tuple(e for e in ENCODINGS if any(e in want[r][1] for r in RULES))
        first = got.rules[0] if got.rules else None
        for v in got.verdicts:
            assert v.differs == (None if v.encodings else ()) and got[v.rule.name] is v
            parts = None
            if first and not v.encodings:
                path, right = (plain.rules.trace(plain.rules.NAMED[r], bits, a.tolist(), None if b is None else b.tolist())
                               for r in (v.rule.name, first))
                parts = next(k for k in range(n) if path[k + 1][0] != right[k + 1][0])
            assert v.parts == parts, (a, b, word, v)
        seen.add(len(got.rules))
    assert len(seen) > 2


@pytest.mark.parametrize("bits", (8, 16))
def test_S35_arrays_of_words(bits, seed):
    rng = np.random.default_rng(seed + bits)
    for i in range(24):
        a, b = codes_of(bits, rng, (3, 2, 5)), codes_of(bits, rng, (5,))
        truth, encoding = RULES[i % 8], ENCODINGS[i // 8 % 2]
        words = words_of(truth, bits, a, np.broadcast_to(b, a.shape), encoding)
        lost = encoding == ENCODINGS[1] and (plain.over_axes(truth, bits, a, np.broadcast_to(b, a.shape),
            axes=-1)[0] == -(1 << bits - 1)).any()
        if i >= 16:
            words[i % 3, i % 2] ^= 1
        want = expected(bits, a, np.broadcast_to(b, a.shape), words)
        got = sf.explain(array(a, bits), array(b, bits), words)
        assert got.rules == tuple(r for r in RULES if want[r][1]) and (i >= 16 or lost or truth in got.rules)
        for v in got.verdicts:
            codes, fits = want[v.rule.name]
            assert v.codes.tolist() == codes.tolist() and v.encodings == fits and v.parts is None
            if fits:
                assert v.differs is None
            else:
                assert v.differs == max(next(at for at in np.ndindex(3, 2) if codes[at] != plain.reading(words[at], bits, e))
                                        for e in ENCODINGS)


def test_S35_the_axes_of_the_outputs(seed):
    rng = np.random.default_rng(seed)
    a = codes_of(16, rng, (3, 4))
    for axis in (0, 1, None, (0, 1), -1):
        words, _ = plain.over_axes("sf", 16, a, axes=axis)
        got = sf.explain(array(a), None, words % 65536 if words.ndim else int(words), axis=axis)
        assert "sf" in got.rules


def test_S38_a_negative_zero_word_is_explained_by_the_rules_that_give_0():
    got = sf.explain(sf.array([0.5, -0.5]), None, 0x8000)
    assert got.encodings == ("sign-magnitude",) and got.rules == RULES
    low = sf.explain(sf.from_codes([-32767, -5]), None, 0x8000)
    assert low.rules == ("atreides-v1", "atreides-v2.1", "sf31", "guarded31") and low.encodings == ("twos-complement",)


def test_S35_with_rules_of_ones_own(seed):
    own = [sf.Rule("floor", product="floor"), sf.rule("sf"), sf.Rule("wide", accumulator_bits=24)]
    a, b = sf.array([0.9, 0.9, -0.9]), sf.array([0.9, 0.9, 0.9])
    got = sf.explain(a, b, 26541, rules=own)
    assert got.rules == ("wide",) and [v.rule.name for v in got.verdicts] == ["floor", "sf", "wide"]
    assert sf.explain(a, b, 26541, rules=["systolic24", own[2]]).rules == ("systolic24", "wide")
    assert not sf.explain(a, b, 26541, rules=["sf"]) and sf.explain(a, b, 26541)
    with pytest.raises(KeyError):
        got["sf31"]


def test_S35_negative_and_extended_words():
    a = sf.array([-0.25], sf.sf8)
    assert sf.explain(a, None, -32).encodings == sf.explain(a, None, 0xE0).encodings == ("twos-complement",)
    assert sf.explain(a, None, np.int8(-32)).rules == RULES == sf.explain(a, None, np.array(0xE0, np.uint8)).rules
    assert sf.explain(a, None, [0xE0], axis=()).rules == RULES and sf.explain(a, None, 0xA0).encodings == ("sign-magnitude",)


def test_S35_the_table_that_it_prints():
    text = str(sf.explain(sf.array([-0.9, -0.9]), sf.array([0.3, -0.1]), 0xE8F6))
    lines = text.splitlines()
    assert [line.split()[:2] for line in lines] == [["yes" if r in ("atreides-v2.1", "guarded31", "edge-int32",
        "float32") else "no", r] for r in RULES]
    assert "gives code -5897" in lines[0] and "atreides-v2.1 at term" in lines[0] and "twos-complement" in lines[2]
    assert text == repr(sf.explain(sf.array([-0.9, -0.9]), sf.array([0.3, -0.1]), 0xE8F6))
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("call, error", (
    (lambda a: sf.explain(a, a, [1, 2]), ValueError), (lambda a: sf.explain(a, a, 0x10000), ValueError),
    (lambda a: sf.explain(a, a, 0.5), TypeError), (lambda a: sf.explain(a, a, "1"), TypeError),
    (lambda a: sf.explain(a, a[:1], 1), ValueError), (lambda a: sf.explain(a, a, 1, axis=3), AxisError),
    (lambda a: sf.explain([0.5], a, 1), TypeError),
    (lambda a: sf.explain(a, [0.5, 0.5], 1), TypeError), (lambda a: sf.explain(a, a, 1, rules=["x"]), ValueError),
    (lambda a: sf.explain(a, a, 1, rules="sf"), (ValueError, TypeError)),
    (lambda a: sf.explain(a, a, None), TypeError), (lambda a: sf.explain(a, a.astype(sf.sf8), 1), TypeError),
    (lambda a: sf.explain(a, a, 1, rules=[]), ValueError)))
def test_S35_what_explain_refuses(call, error):
    with pytest.raises(error) as raised:
        call(sf.array([0.5, 0.25]))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bits", (2, 8, 16))
def test_trace_is_the_read_out_after_each_term(bits, rule, seed):
    rng = np.random.default_rng(seed)
    for n in (0, 1, 2, 17, 100):
        a, b = codes_of(bits, rng, n, True), codes_of(bits, rng, n, True)
        for second in (None, b):
            want = [plain.total(rule, bits, a[: i + 1], None if second is None else second[: i + 1])[0] for i in range(n)]
            got = sf.trace(array(a, bits), None if second is None else array(second, bits), rule=rule)
            assert type(got) is sf.sfarray and got.dtype is plain.dtype(bits) and got.codes.tolist() == want


def test_trace_of_views_and_what_it_refuses():
    a = sf.array([[0.5, 0.25, -0.5], [0.1, 0.2, 0.3]])
    assert sf.trace(a[0, ::-1]).codes.tolist() == [-16384, -8192, 8192]
    assert sf.trace(a[:, 0], a.T[1]).codes.tolist() == sf.trace(a[:, 0].copy(), a[:, 1].copy()).codes.tolist()
    for call, error in ((lambda: sf.trace(a), ValueError), (lambda: sf.trace(a[0], a[:, 0]), ValueError),
                        (lambda: sf.trace(a[0], a[0].astype(sf.sf8)), TypeError), (lambda: sf.trace([0.5]), TypeError),
                        (lambda: sf.trace(a[0], 0.5), TypeError), (lambda: sf.trace(a[0], rule="x"), ValueError),
                        (lambda: sf.trace(a[0, 0]), ValueError)):
        with pytest.raises(error) as raised:
            call()
        assert "\n" not in str(raised.value)
