# SPDX-License-Identifier: Apache-2.0
"""The rules: the eight on the probe dots and on random dots by the hundred thousand, one's own, and the objects they are."""

import copy
import inspect

import numpy as np
import pytest

import plain
import sf
import vectors
from plain import WIDTHS, array, codes_of

RULES = ("sf", "atreides-v1", "atreides-v2.1", "systolic24", "sf31", "guarded31", "edge-int32", "float32")
PROBES = (
    ([0.1, -0.25, 0.5], [0.1, -0.25, 0.5], (10567, 10567, 10567, 10567, 10567, 10567, 10568, 10568)),
    ([-0.9, -0.9], [0.3, -0.1], (-5897, -5897, -5898, -5897, -5897, -5898, -5898, -5898)),
    ([0.9, 0.9, 0.9], [0.9, 0.9, -0.9], (6226, 6226, 6225, 26541, 6226, 6226, 26542, 26542)),
    ([-0.9, -0.9, 0.9], [0.9, 0.9, 0.9], (-6226, -6227, -6227, -26541, -6227, -6227, -26542, -26542)))


@pytest.mark.parametrize("probe", range(4))
@pytest.mark.parametrize("rule", RULES)
def test_S20_the_probe_dots_tell_the_rules_apart(rule, probe):
    a, b, want = PROBES[probe]
    want, x, y = want[RULES.index(rule)], sf.array(a), sf.array(b)
    for named in (rule, sf.rule(rule), sf.rule(rule).replace()):
        assert sf.dot(x, y, rule=named, over="ignore").code == sf.matmul(x, y, rule=named, over="ignore").code == want
        with sf.use_rule(named), sf.errstate(over="ignore"):
            assert sf.dot(x, y).code == (x @ y).code == want == sf.trace(x, y).codes[-1]
    assert plain.total(rule, 16, x.codes, y.codes)[0] == want == vectors.dots(rule, 16, x.codes[None].astype(int),
        y.codes[None].astype(int))[0][0]


@pytest.mark.parametrize("rule", RULES)
def test_S20_a_hundred_thousand_random_dots(rule, seed):
    rng = np.random.default_rng(seed)
    seen = set()
    for bits, n, rows in ((16, 17, 40_000), (16, 33, 20_000), (8, 24, 30_000), (12, 5, 5_000), (3, 40, 5_000)):
        a, b = codes_of(bits, rng, (rows, n), True, 0.1), codes_of(bits, rng, (rows, n), True, 0.1)
        a[::2] = a[::2] >> 2
        want, events = vectors.dots(rule, bits, a, b)
        x, y = array(a, bits)[:, None, :], array(b, bits)[:, :, None]
        got = sf.matmul(x, y, rule=rule, over="ignore").codes.reshape(-1)
        wrong = np.flatnonzero(got != want)
        assert not len(wrong), (bits, a[wrong[0]].tolist(), b[wrong[0]].tolist(), int(got[wrong[0]]), int(want[wrong[0]]))
        assert sf.status.saturated == events.sum()
        for i in range(0, rows, rows // 8):
            assert plain.total(rule, bits, a[i], b[i]) == (want[i], int(events[i])), "the two oracles agree"
        seen |= set(events.tolist())
    assert seen == {False, True}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bits", (2, 3, 8, 16))
def test_the_oracle_in_vectors_agrees_with_the_plain_one(bits, rule, seed):
    rng = np.random.default_rng(seed + bits)
    terms = codes_of(bits, rng, (60, 5), True)
    codes, events = vectors.sums(rule, bits, terms)
    assert [(c, int(e)) for c, e in zip(codes.tolist(), events)] == [plain.total(rule, bits, row) for row in terms]
    a, b = codes_of(bits, rng, 60, True), codes_of(bits, rng, 60, True)
    for operation in ("add", "subtract", "multiply"):
        codes, events = vectors.elements(operation, rule, bits, a, b)
        want = [plain.rules.element(operation, plain.rules.NAMED[rule], bits, int(x), int(y)) for x, y in zip(a, b)]
        assert [(c, int(e)) for c, e in zip(codes.tolist(), events)] == want


@pytest.mark.parametrize("number", range(40))
def test_rules_of_ones_own(number, seed):
    fields = plain.rules.invented(seed % 10_000 + number)
    rule, rng = plain.rule(fields), np.random.default_rng(seed + number)
    for bits in (*rng.choice(WIDTHS, 4).tolist(), 16):
        a, b = codes_of(bits, rng, (5, 12), True), codes_of(bits, rng, (5, 12), True)
        for second in (None, b):
            want, clamped = plain.over_axes(fields, bits, a, second, axes=1)
            if second is None:
                got = array(a, bits).sum(axis=1, rule=rule, over="ignore").codes
            else:
                got = sf.matmul(array(a, bits)[:, None, :], array(b, bits)[:, :, None], rule=rule, over="ignore").codes.reshape(-1)
            assert got.tolist() == want.tolist() and sf.status.saturated == clamped, (fields, bits)
            row = None if second is None else array(b[0], bits)
            steps = [code for code, _ in plain.rules.trace(fields, bits, a[0].tolist(),
                                                           None if second is None else b[0].tolist())][1:]
            assert sf.trace(array(a[0], bits), row, rule=rule).codes.tolist() == steps
        lost = [[plain.rules.vanishes(fields, bits, int(p), int(q)) for p, q in zip(r, s)] for r, s in zip(a, b)]
        assert sf.vanished(array(a, bits), array(b, bits), rule=rule).tolist() == np.sum(lost, axis=1).tolist()


@pytest.mark.parametrize("rule", RULES)
def test_means_are_the_accumulator_over_the_count_rounded_once(rule, seed):
    rng = np.random.default_rng(seed)
    for bits in (2, 7, 16):
        for n in (1, 2, 3, 7, 64, 200):
            x = codes_of(bits, rng, (3, n), True)
            want = [plain.superfloat.mean_codes(rule, bits, row.tolist()) for row in x]
            assert array(x, bits).mean(axis=1, rule=rule, over="ignore").codes.tolist() == [code for code, _ in want]
            assert sf.status.saturated == sum(event for _, event in want)
            assert sf.mean(array(x[0], bits), rule=rule, over="ignore").code == want[0][0]


def test_the_list_of_rules():
    assert tuple(r.name for r in sf.rules()) == RULES and all(sf.rule(r.name) is r for r in sf.rules())
    for fields, rule in zip(plain.rules.NAMED.values(), sf.rules()):
        assert plain.rule(fields) == rule and hash(plain.rule(fields)) == hash(rule), "as the contract's table has it"
    with sf.use_rule("sf31") as inside:
        assert inside is sf.rule("sf31")
    for wrong in ("sf32", "", "SF", None, 3, ["sf"], b"sf"):
        for call in (sf.rule, sf.use_rule, sf.sim.Device, lambda r: sf.zeros(2).sum(rule=r) if r is not None else sf.rule(r),
                     lambda r: sf.explain(sf.zeros(1), None, 0, rules=[r])):
            with pytest.raises((ValueError, TypeError)) as raised:
                call(wrong)
            assert "\n" not in str(raised.value)
    with pytest.raises(ValueError, match="atreides-v2.1"):
        sf.rule("atreides-v2")


def test_rules_are_values():
    own = sf.Rule("own", product="exact", accumulator_bits=40, product_extra=20, sum_extra=3, readout="half-up")
    assert own == sf.Rule("own", product="exact", accumulator_bits=40, product_extra=20, sum_extra=3,
                          readout="half-up") == copy.copy(own) == copy.deepcopy(own)
    assert own != own.replace(name="other") != own and own.replace(readout="floor").readout == "floor" and own.readout == "half-up"
    assert {own: 1}[own.replace()] == 1 and own != "own"
    assert (own.name, own.product, own.accumulator_bits, own.product_extra) == ("own", "exact", 40, 20)
    fields = [name for name in inspect.signature(sf.Rule).parameters]
    assert {name: getattr(own, name) for name in fields} == own._asdict() and set(dir(own)) == {*fields, "replace"}
    for name in fields:
        with pytest.raises(AttributeError):
            setattr(own, name, getattr(own, name))
    with pytest.raises(AttributeError):
        own.colour = "red"
    assert sf.Rule("x").product_extra == 0 and sf.Rule("x", product="exact").product_extra == "data"


@pytest.mark.parametrize("fields, error", (
    (dict(name=3), (TypeError, ValueError)), (dict(name=None), (TypeError, ValueError)), (dict(name="a\0b"), ValueError),
    (dict(name="x", product="tozero"), ValueError), (dict(name="x", product=0), ValueError),
    (dict(name="x", accumulator_bits=1), ValueError), (dict(name="x", accumulator_bits=49), ValueError),
    (dict(name="x", accumulator_bits="wide"), ValueError),
    (dict(name="x", accumulator_bits=2.5), (TypeError, ValueError)), (dict(name="x", accumulator_bits=None), TypeError),
    (dict(name="x", accumulator_bits=-1), ValueError),
    (dict(name="x", overflow="saturate"), ValueError), (dict(name="x", sum_extra=33), ValueError),
    (dict(name="x", sum_extra=-1), ValueError), (dict(name="x", sum_extra="product"), ValueError),
    (dict(name="x", sum_extra=1.5), (TypeError, ValueError)), (dict(name="x", product_extra=-2), ValueError),
    (dict(name="x", readout="even"), ValueError),
    (dict(name="x", product="exact", product_extra=0), ValueError), (dict(name="x", colour=1), TypeError), (dict(), TypeError)))
def test_fields_that_are_none(fields, error):
    with pytest.raises(error) as raised:
        sf.Rule(**fields)
    assert "\n" not in str(raised.value) and not isinstance(raised.value, SystemError)


def test_an_exact_product_that_the_width_has_no_room_for_is_refused():
    narrow = sf.Rule("narrow", product="exact", accumulator_bits="product", product_extra=7)
    assert sf.dot(array([64], 8), array([64], 8), rule=narrow).code == 32
    with pytest.raises(ValueError) as raised:
        sf.dot(sf.zeros(2), sf.zeros(2), rule=narrow)
    assert "\n" not in str(raised.value)


def test_a_rule_in_use_is_kept_alive():
    import gc

    with sf.use_rule(sf.Rule("".join(["temp", "orary"]), product="floor")), sf.errstate(over="ignore"):
        gc.collect()
        assert sf.dot(sf.array([-0.9]), sf.array([0.3])).code == plain.total("atreides-v2.1", 16, [-29491], [9830])[0]
