# SPDX-License-Identifier: Apache-2.0
"""S39, S40: sum, dot, @, the PyTorch layers and the simulator add through sf._linalg.sum_codes and through nothing else."""

import importlib.util

import numpy as np
import pytest

import plain
import sf
from plain import array, codes_of

RULES = tuple(r.name for r in sf.rules())
ORIGINAL = sf._linalg.sum_codes
A, B = sf.array([-0.9, -0.9]), sf.array([0.3, -0.1])


def layer(a, b):
    """The codes of sf.torch's functional matmul, as a bias-free Linear of one row."""
    torch = pytest.importorskip("torch")
    if importlib.util.find_spec("sf.torch") is None:
        pytest.skip("sf.torch is not there")
    made = sf.torch.Linear(a.size, 1, bias=False, dtype=a.dtype, headroom="none")
    with torch.no_grad():
        made.weight.copy_(torch.tensor(np.asarray(b)[None]))
        return round(float(made(torch.tensor(np.asarray(a)[None], dtype=made.weight.dtype))) * a.dtype.scale)


def simulated(a, b, operation="dot"):
    chip = sf.sim.Device()
    with sf.device(chip):
        return {"dot": sf.dot, "matmul": sf.matmul}[operation](a, b).code


DOTS = {"dot": lambda a, b: sf.dot(a, b).code, "@": lambda a, b: (a @ b).code, "method": lambda a, b: a.dot(b).code,
        "rows": lambda a, b: int((a[None] @ b[:, None]).codes[0, 0]), "np.dot": lambda a, b: np.dot(a, b).code,
        "np.matmul": lambda a, b: np.matmul(a, b).code, "simulator": simulated, "simulated @": lambda a,
        b: simulated(a, b, "matmul"),
        "torch": layer}
SUMS = {"method": lambda x: x.sum().code, "sf.sum": lambda x: sf.sum(x).code, "np.sum": lambda x: np.sum(x).code,
        "np.add.reduce": lambda x: np.add.reduce(x).code, "axis": lambda x: int(x[:, None].sum(axis=0).codes[0]),
        "mean": lambda x: x.mean().code, "simulator": lambda x: on_device(x)}


def on_device(x):
    with sf.device(sf.sim.Device()):
        return x.sum().code


def another(rule):
    """sum_codes of another rule, whatever rule it is asked for: what a chip's confirmed order would be put in as."""
    def sum_codes(x, y=None, bits=16, _=None, axes=None, keepdims=False, mean=False):
        return ORIGINAL(x, y, bits, rule, axes, keepdims, mean)
    return sum_codes


def backwards(x, y=None, bits=16, rule="sf", axes=None, keepdims=False, mean=False):
    """Another order: from the last element of the last axis."""
    flip = lambda z: None if z is None else np.asarray(z)[..., ::-1]
    return ORIGINAL(flip(x), flip(y), bits, rule, axes, keepdims, mean)


@pytest.mark.parametrize("way", DOTS)
@pytest.mark.parametrize("rule", RULES)
def test_S39_another_rule_in_the_door_moves_every_dot(way, rule, monkeypatch):
    want = dict(zip(RULES, (-5897, -5897, -5898, -5897, -5897, -5898, -5898, -5898)))[rule]
    assert DOTS[way](A, B) == -5897
    monkeypatch.setattr(sf._linalg, "sum_codes", another(rule))
    assert DOTS[way](A, B) == want


@pytest.mark.parametrize("way", [way for way in DOTS if way != "rows"])
def test_S39_another_order_moves_every_dot(way, monkeypatch):
    a, b = sf.array([0.9, 0.9, 0.9, -0.9]), sf.array([0.9] * 4)
    with sf.errstate(over="ignore"):
        forwards = DOTS[way](a, b)
        monkeypatch.setattr(sf._linalg, "sum_codes", backwards)
        got = DOTS[way](a, b)
    reverse = plain.total("sf", 16, a.codes[::-1], b.codes[::-1])[0]
    assert forwards == plain.total("sf", 16, a.codes, b.codes)[0] != reverse == got


@pytest.mark.parametrize("way", SUMS)
def test_S39_another_rule_moves_every_sum(way, monkeypatch):
    x = array([32767, 5, -5, -32767, 7])
    with sf.errstate(over="ignore"):
        before = SUMS[way](x)
        monkeypatch.setattr(sf._linalg, "sum_codes", another("edge-int32"))
        after = SUMS[way](x)
    assert (before, after) == ((0, 1) if way == "mean" else (2, 7))


def test_S39_all_move_together_and_agree(monkeypatch, seed):
    """One count: a function that gives an answer of its own is what everything gives."""
    monkeypatch.setattr(sf._linalg, "sum_codes", lambda x, y=None, *rest: (4242, 0) if rest[2] is None and not rest[3] else
                        (np.full(np.asarray(x).shape[:-1] if y is None else np.broadcast_shapes(x.shape, y.shape)[:-1], 4242,
                                 np.int16), 0))
    x = array(codes_of(16, np.random.default_rng(seed), (3, 3)))
    assert {way: DOTS[way](A, B) for way in DOTS if way != "torch"} == dict.fromkeys([way for way in DOTS if way != "torch"], 4242)
    assert (x @ x).codes.tolist() == [[4242] * 3] * 3 and x.sum(axis=1).codes.tolist() == [4242] * 3


class Broken(Exception):
    pass


def broken(*_, **__):
    raise Broken


@pytest.mark.parametrize("way", DOTS)
def test_S40_with_the_door_shut_every_dot_fails(way, monkeypatch):
    monkeypatch.setattr(sf._linalg, "sum_codes", broken)
    with pytest.raises(Broken):
        DOTS[way](A, B)


@pytest.mark.parametrize("way", SUMS)
def test_S40_with_the_door_shut_every_sum_fails(way, monkeypatch):
    monkeypatch.setattr(sf._linalg, "sum_codes", broken)
    with pytest.raises(Broken):
        SUMS[way](array([1, 2, 3]))


def test_S40_replay_and_explain_go_through_the_door_too(monkeypatch):
    monkeypatch.setattr(sf._linalg, "sum_codes", broken)
    with pytest.raises(Broken):
        sf.explain(A, B, 0)
    with pytest.raises(Broken), sf.device(sf.sim.Device(), replay=True):
        A.sum()


def test_S40_with_the_door_shut_selections_do_not_fail(monkeypatch, seed):
    monkeypatch.setattr(sf._linalg, "sum_codes", broken)
    x = array(codes_of(16, np.random.default_rng(seed), (5, 6)))
    assert x.max().code == int(x.codes.max()) and x.min(axis=0).codes.tolist() == x.codes.min(axis=0).tolist()
    assert x.argmax() == int(x.codes.argmax()) and x.argmin(axis=1).tolist() == x.codes.argmin(axis=1).tolist()
    with sf.device(sf.sim.Device()):
        assert x.max().code == int(x.codes.max()) and sf.status.saturated == 0
    assert sf.array([0.5]).astype(sf.sf8).codes.tolist() == [64] and (x == x).all() and len(repr(x)) > 20


def test_S39_it_is_the_librarys_function_and_the_modules_one_public_name():
    from bitfold import _native

    assert ORIGINAL is _native.sum_codes and sf._linalg.__all__ == ["sum_codes"]


def test_S39_called_by_hand(seed):
    """codes, events = sum_codes(x, y, bits, rule, axes, keepdims, mean), by place or by name."""
    rng = np.random.default_rng(seed)
    x, y = codes_of(8, rng, (4, 6)).astype(np.int8), codes_of(8, rng, (6,)).astype(np.int8)
    for rule in RULES:
        code, event = ORIGINAL(x, bits=8, rule=rule)
        assert type(code) is int and type(event) is int and (code, event) == plain.total(rule, 8, x.reshape(-1))
        codes, count = ORIGINAL(x, y, 8, sf.rule(rule), 1)
        want, clamped = plain.over_axes(rule, 8, x, np.broadcast_to(y, x.shape), axes=1)
        assert codes.dtype == np.int8 and codes.tolist() == want.tolist() and count == clamped
        kept, _ = ORIGINAL(x=x, y=None, bits=8, rule=rule, axes=(0, -1), keepdims=True)
        assert kept.tolist() == [[plain.total(rule, 8, x.reshape(-1))[0]]]
        mean, event = ORIGINAL(x, None, 8, rule, None, False, True)
        assert (mean, event) == plain.superfloat.mean_codes(rule, 8, x.reshape(-1).tolist())


@pytest.mark.parametrize("arguments, names", (
    ((), {}), ((np.zeros(2, np.int8),), {}), ((np.zeros(2, np.int8), None, 8), {}), ((np.zeros(2, np.int16), None, 8, "sf"), {}),
    ((np.zeros(2, np.int8), None, 17, "sf"), {}), ((np.zeros(2, np.int8), None, 1, "sf"), {}),
    ((np.zeros(2, np.int8), None, 8, "sg"), {}),
    ((np.zeros(2, np.int8), None, 8, None), {}), ((np.zeros(2, np.int8), None, "8", "sf"), {}), (([1, 2], None, 8, "sf"), {}),
    ((np.zeros(2, np.int8), np.zeros(3, np.int8), 8, "sf"), {}), ((np.zeros(2, np.int8), None, 8, "sf", 1), {}),
    ((np.zeros(2, np.int8), None, 8, "sf", None, False, False, 1), {}), ((np.zeros(2, np.int8), None, 8, "sf"), {"x": 3}),
    ((np.zeros(2, np.int8), None, 8, "sf"), {"axis": 0}), ((np.zeros(2, np.int8), np.zeros(2, np.int8), 8, "sf", None, False, True),
                                                           {}),
    ((np.full(2, 100, np.int8), None, 7, "sf"), {}), ((np.zeros(0, np.int8), None, 8, "sf", None, False, True), {})))
def test_S39_called_wrongly(arguments, names):
    with pytest.raises((TypeError, ValueError)) as raised:
        ORIGINAL(*arguments, **names)
    assert str(raised.value) and "\n" not in str(raised.value)
