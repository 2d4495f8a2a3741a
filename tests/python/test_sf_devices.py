# SPDX-License-Identifier: Apache-2.0
"""S32 to S38: what is known of saturation on the host and on a device, by proof, by flags, by replay."""

import itertools
import pickle

import numpy as np
import pytest

import plain
import sf
from plain import ENCODINGS, array, codes_of, top

RULES = tuple(r.name for r in sf.rules())
EDGE = [16384, 16384, 16384, -16384]  # clamps and comes back
CALM = [3277, -8192, 16384]


def unknown():
    sf.status.saturated = "unset"
    return sf.status


@pytest.mark.parametrize("over", ("raise", "warn", "ignore"))
@pytest.mark.filterwarnings("ignore::sf.SFWarning")
def test_S32_a_host_reduction_sets_an_integer_before_raising(over):
    calm, edge = array([[1638, -4096, 8192]] * 2), array([EDGE, [0] * 4])
    for x, n in ((calm, 0), (edge, 1)):
        for call in (x.sum, lambda **k: sf.sum(x, **k), x.mean, lambda **k: sf.sum(x, axis=0, **k) if n == 0 else x.sum(axis=1,
                **k),
                     lambda **k: sf.matmul(x, sf.ones((x.shape[1], 1)), **k), lambda **k: sf.dot(x[0], sf.ones(x.shape[1]), **k)):
            state = unknown()
            try:
                call(over=over)
            except sf.SFOverflowError as error:
                assert over == "raise" and error.count == n
            assert state.saturated == n and type(state.saturated) is int
    state = unknown()
    calm.max()
    assert state.saturated == 0


def test_S32_is_per_thread():
    from concurrent.futures import ThreadPoolExecutor

    array(EDGE).sum(over="ignore")
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: sf.status.saturated).result() == 0
        pool.submit(lambda: array([CALM, [1, 2, 3]]).sum(axis=0)).result()
    assert sf.status.saturated == 1


@pytest.mark.parametrize("call", (lambda x: x.sum(over="ignore"), lambda x: sf.dot(x, sf.ones(4), over="ignore"),
                                  lambda x: x @ sf.ones(4) * 0))
def test_S33_on_a_device_it_is_none(call):
    with sf.errstate(over="ignore"), sf.device(sf.sim.Device()):
        state = unknown()
        call(array(EDGE))
        assert state.saturated is None


def test_S33_unless_proved_flagged_or_replayed():
    x = array(EDGE)
    with sf.errstate(over="ignore"):
        for chip, options, want in ((sf.sim.Device(), {}, None), (sf.sim.Device(flags=True), {}, 1),
                                    (sf.sim.Device(), dict(replay=True), 1),
                                    (sf.sim.Device(flags=True), dict(proof=False), 1), (sf.sim.Device(), dict(proof=True), None)):
            with sf.device(chip, **options):
                assert x.sum().code == 16383 and sf.status.saturated == want
                assert array(CALM).sum().code == 11469
                assert sf.status.saturated == 0 or options.get("proof") is False
        with sf.device(sf.sim.Device(), proof=False):
            array(CALM).sum()
            assert sf.status.saturated is None


def test_S33_what_a_device_without_flags_says_of_saturation_is_not_believed():
    class Chip(sf.sim.Device):
        def run(self, *arguments):
            return super().run(*arguments)[0], 5
    for flags, want in ((False, None), (True, 5)):
        with sf.errstate(over="ignore"), sf.device(Chip(flags=flags)):
            array(EDGE).sum()
            assert sf.status.saturated == want


def test_S33_the_host_keeps_means_and_elementwise_operations():
    chip = sf.sim.Device("float32")
    with sf.device(chip):
        assert (array(CALM) + array([1, 1, 1])).codes.tolist() == [3278, -8191, 16385]
        assert array(CALM).mean().code == 3823 and sf.status.saturated == 0
    assert chip.calls == 0


def provable(fields, bits, x, y=None):
    """S34: the sum of magnitudes of the codes, or of the products narrowed toward zero, stays within the format."""
    return sum(abs(int(a)) if y is None else abs(int(a)) * abs(int(b)) >> bits - 1 for a,
               b in zip(x, x if y is None else y)) <= top(bits)


@pytest.mark.parametrize("bits", (2, 4, 8, 9, 16))
def test_S34_the_proof_is_the_sum_of_magnitudes(bits, seed):
    rng = np.random.default_rng(seed + bits)
    seen = set()
    for i in range(120):
        n = int(rng.integers(0, 6))
        x, y = (codes_of(bits, rng, n) // rng.integers(1, 6) for _ in range(2))
        with sf.device(sf.sim.Device()), sf.errstate(over="ignore"):
            array(x, bits).sum()
            sums = sf.status.saturated
            sf.dot(array(x, bits), array(y, bits))
            assert (sums, sf.status.saturated) == tuple(0 if ok else None for ok in (provable("sf", bits, x), provable("sf", bits,
                x, y))), (x, y)
        seen.add(sums)
    assert seen == {0, None}


@pytest.mark.parametrize("bits", (4, 16))
def test_S34_at_the_edge_of_the_proof(bits):
    m = top(bits)
    for codes, known in (([m], 0), ([m, 0], 0), ([m, 1], None), ([m, -1], None), ([-m, 1], None), ([m // 2, -(m - m // 2)], 0),
                         ([], 0)):
        with sf.device(sf.sim.Device()), sf.errstate(over="ignore"):
            array(codes, bits).sum()
            assert sf.status.saturated == known, codes


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bits", (3, 8, 16))
def test_S34_what_is_proved_does_not_saturate_in_any_order_by_any_rule(rule, bits, seed):
    """Where the host says 0 under the chip's rule, no order of the terms clamps under it."""
    rng = np.random.default_rng(seed + bits)
    proved = 0
    for _ in range(60):
        n = int(rng.integers(1, 5))
        x, y = (codes_of(bits, rng, n, True) // int(rng.integers(1, 4)) for _ in range(2))
        for second in (None, y):
            with sf.device(sf.sim.Device(rule)), sf.use_rule(rule), sf.errstate(over="ignore"):
                array(x, bits).sum() if second is None else sf.dot(array(x, bits), array(y, bits))
            if sf.status.saturated is None:
                continue
            proved += 1
            for order in itertools.permutations(range(n)):
                assert not plain.total(rule, bits, x[list(order)], None if second is None else y[list(order)])[1], (x, second)
    assert proved > 5


@pytest.mark.parametrize("fields", (dict(accumulator_bits=8), dict(accumulator_bits=17, sum_extra=8, product_extra=8),
                                    dict(accumulator_bits=12)))
def test_S34_nothing_is_proved_of_an_accumulator_that_is_narrower_than_the_data(fields):
    tiny = sf.Rule("tiny", **fields)
    x = array([3000, 3000])
    assert x.sum(rule=tiny, over="ignore").code < 6000, "it does clamp"
    with sf.use_rule(tiny), sf.device(sf.sim.Device(tiny)), sf.errstate(over="ignore"):
        x.sum()
        assert sf.status.saturated is None
        sf.dot(x, sf.ones(2))
        assert sf.status.saturated is None


@pytest.mark.parametrize("rule", RULES)
def test_S34_a_chip_that_says_its_rule_is_proved_by_it(rule):
    """The narrowed magnitudes add up to 7, the exact ones to 8: only chips that keep product bits clamp."""
    a, b = array([7, 3, 2], 4), array([7, 3, 3], 4)
    with sf.errstate(over="ignore"):
        with sf.device(sf.sim.Device(rule, flags=True)):
            sf.dot(a, b)
            clamps = sf.status.saturated
        with sf.device(sf.sim.Device(rule)):
            sf.dot(a, b)
            assert sf.status.saturated in ((None,) if clamps else (None, 0))
            assert rule not in ("sf", "atreides-v1") or sf.status.saturated == 0


def test_S34_matmul_is_proved_for_all_its_outputs_together():
    a = sf.array([[0.25, 0.25], [0.5, 0.25]])
    with sf.device(sf.sim.Device()), sf.errstate(over="ignore"):
        a @ a
        assert sf.status.saturated == 0
        sf.ones((2, 2)) @ a
        assert sf.status.saturated == 0
        sf.ones((2, 2)) @ sf.ones((2, 1))
        assert sf.status.saturated is None


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_S35_replay_gives_the_exact_count_by_the_rule(rule, encoding, seed):
    rng = np.random.default_rng(seed)
    x, b = codes_of(8, rng, (9, 6)), codes_of(8, rng, 6)
    want, clamped = plain.over_axes(rule, 8, x, np.broadcast_to(b, x.shape), axes=1)
    if encoding == "sign-magnitude" and (want == -128).any():
        want, clamped, x = want[:0], 0, x[:0]
    with sf.use_rule(rule), sf.errstate(over="ignore"), sf.device(sf.sim.Device(rule, encoding=encoding), replay=True):
        assert sf.matmul(array(x, 8), array(b, 8)).codes.tolist() == want.tolist()
        assert sf.status.saturated == clamped
    with sf.use_rule(rule), sf.device(sf.sim.Device(rule, encoding=encoding), replay=True):
        if clamped:
            with pytest.raises(sf.SFOverflowError, match=f"^sf8 matmul: overflow in {clamped} of {len(x)} element"):
                array(x, 8) @ array(b, 8)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_S35_a_difference_is_an_error_of_its_own(encoding):
    a, b = sf.array([-0.9, -0.9]), sf.array([0.3, -0.1])
    with sf.device(sf.sim.Device("float32", encoding=encoding), replay=True), pytest.raises(sf.SFReplayError) as raised:
        sf.dot(a, b)
    error = raised.value
    words = [plain.word(code, 16, encoding) for code in (-5898, -5897)]
    assert (error.index, error.device_word, error.host_word) == ((), *words)
    assert error.rules == ("atreides-v2.1", "guarded31", "edge-int32", "float32")
    for said in (f"0x{words[0]:04x}", f"0x{words[1]:04x}", *error.rules):
        assert said in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.index, again.device_word, again.host_word, again.rules) == (
        str(error), error.index, error.device_word, error.host_word, error.rules)


@pytest.mark.parametrize("place", (0, 5, 11))
def test_S35_names_the_first_index(place):
    x = sf.from_codes(np.arange(24).reshape(3, 4, 2) * 50)
    out = sf.full((3, 4), 0.5)
    with sf.device(sf.sim.Device(faults={place: 0x0010, 11: 0x0001}), replay=True), pytest.raises(sf.SFReplayError) as raised:
        x.sum(axis=2, out=out)
    mask = 0x0010 if place < 11 else 0x0001
    host = int(x.codes.sum(axis=2).reshape(-1)[place])
    assert raised.value.index == divmod(place, 4) and raised.value.host_word == host and raised.value.device_word == host ^ mask
    assert raised.value.rules == () and "no rule explains the device" in str(raised.value)
    assert str(list(divmod(place, 4))) in str(raised.value)
    assert out.codes.tolist() == [[16384] * 4] * 3 and "\n" not in str(raised.value)


def test_S35_a_fault_that_replay_does_not_look_for_passes():
    with sf.device(sf.sim.Device(faults={0: 0x0001})):
        assert array(CALM).sum().code == 11469 ^ 1


def test_S37_raise_with_an_unknown_status_does_not_raise():
    out = sf.zeros(1)
    with sf.device(sf.sim.Device()):
        assert array(EDGE).sum(over="raise").code == 16383 and sf.status.saturated is None
        array([EDGE]).sum(axis=1, out=out)
    assert out.codes.tolist() == [16383]
    with sf.device(sf.sim.Device(flags=True)), pytest.raises(sf.SFOverflowError, match="^sf16 sum: overflow in 1 of 1"):
        array(EDGE).sum()


def test_S37_strict_makes_the_unknown_an_error():
    out = sf.full(1, 0.5)
    for block, call in ((dict(strict=True), dict()), (dict(), dict(strict=True)), (dict(strict=False), dict(strict=True))):
        with sf.device(sf.sim.Device(), **block), pytest.raises(sf.SFStatusError) as raised:
            array([EDGE]).sum(axis=1, out=out, **call)
        assert str(raised.value).startswith("sf16 sum: ") and "\n" not in str(raised.value) and sf.status.saturated is None
    assert out.codes.tolist() == [16384]
    with sf.device(sf.sim.Device(), strict=True):
        assert array(EDGE).sum(strict=False).code == 16383
        assert array(CALM).sum().code == 11469 and sf.status.saturated == 0, "proved"
        for call in (lambda: sf.dot(array(EDGE), sf.ones(4)), lambda: array([EDGE]) @ sf.ones(4)):
            with pytest.raises(sf.SFStatusError):
                call()
        array(EDGE).max()
    for known in (dict(replay=True), dict()):
        with sf.device(sf.sim.Device(flags=not known), strict=True, **known), pytest.raises(sf.SFOverflowError):
            array(EDGE).sum()
    assert array(EDGE).sum(strict=True, over="ignore").code == 16383, "on the host nothing is unknown"


def test_S38_from_a_device_too():
    class Chip:
        encoding, flags = "sign-magnitude", True

        def run(self, operation, bits, x, y, axis, keepdims):
            assert bits == 16 and x.dtype == np.uint16 and operation == "sum" and y is None and not keepdims and axis is None
            return np.array(0x8000, np.uint16), 0
    with sf.device(Chip()) as chip:
        assert chip.flags and array(CALM).sum().code == 0 and sf.status.saturated == 0


def test_blocks_of_devices_nest_and_end():
    outer, inner = sf.sim.Device(), sf.sim.Device("float32")
    with sf.device(outer):
        with pytest.raises(KeyError), sf.device(inner):
            array(CALM).sum()
            raise KeyError
        array(CALM).sum()
        array(CALM).max()
    array(CALM).sum()
    assert (outer.calls, inner.calls) == (2, 1) and repr(outer).startswith("sf.sim.Device('sf'")


def test_a_thing_that_is_no_device_is_refused():
    for thing in (3, None, object(), "sim"):
        with pytest.raises(TypeError):
            sf.device(thing)
