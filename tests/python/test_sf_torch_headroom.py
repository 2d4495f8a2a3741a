# SPDX-License-Identifier: Apache-2.0
"""S45: headroom. "row-l1" is the least exponent at which no input clamps, Calibrated the least that a batch needs, "none" is 0."""

from fractions import Fraction

import numpy as np
import pytest

import sf
import sf_torch_oracle as oracle
from sf_torch_oracle import RULES, top

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # the tests share the cores already
WIDTHS = range(2, 17)


def dtype(bits):
    return getattr(sf, f"sf{bits}")


def filled(layer, rng, spread, grain=None):
    with torch.no_grad():
        for parameter in layer.parameters():
            values = rng.normal(0, spread, tuple(parameter.shape))
            parameter.copy_(torch.from_numpy(values if grain is None else np.round(values / grain) * grain))
    return layer


def coded(layer, exponent):
    """(weight codes, bias codes or None, how many are clamped) at an exponent, by the oracle."""
    bits, inputs = layer.dtype.bits, layer.input_exponent
    weight = layer.weight.detach().numpy().reshape(layer.weight.shape[0], -1)
    bias = None if layer.bias is None else layer.bias.detach().numpy()
    clamped = oracle.clamps(weight, bits, exponent) + (0 if bias is None else oracle.clamps(bias, bits, exponent + inputs))
    return oracle.codes(weight, bits, exponent), None if bias is None else oracle.codes(bias, bits, exponent + inputs), clamped


def roomy(layer, exponent, rule):
    """Whether the magnitudes of each row's codes add up to max at most, and nothing is clamped."""
    weight, bias, clamped = coded(layer, exponent)
    bits = layer.dtype.bits
    for c, row in enumerate(weight):
        total = sum(abs(int(k)) for k in row)
        if bias is not None:
            own = int(bias[c])
            total += abs(oracle.constant(own, bits, rule) if oracle.narrows(rule) else own)
        if total > top(bits):
            return False
    return not clamped


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bits", WIDTHS)
def test_S45_row_l1_is_the_least_exponent_at_which_no_input_clamps(bits, rule, seed):
    rng = np.random.default_rng((seed, bits, RULES.index(rule)))
    for features, spread, inputs, bias in ((1, 0.5, 0, False), (3, 0.1, 1, True), (17, 2.0, -2, True), (40, 0.004, 0, False)):
        layer = filled(sf.torch.Linear(features, 3, bias, dtype=dtype(bits), rule=rule, input_exponent=inputs).double(), rng, spread)
        exponent = layer.weight_exponent
        assert roomy(layer, exponent, rule)
        assert not any(roomy(layer, lower, rule) for lower in range(exponent - 1, exponent - 4, -1) if coded(layer, lower)[2] == 0)
        weight, b_codes, _ = coded(layer, exponent)
        worst = [np.sign(row) * sign * top(bits) for row in weight for sign in (1, -1)]
        wild = [rng.integers(-top(bits), top(bits) + 1, features) for _ in range(4)]
        edge = [np.where(rng.integers(0, 2, features), 1, -1) * top(bits) for _ in range(4)]
        x = np.array([*worst, *wild, *edge])
        codes, events = oracle.linear(rule, bits, x, weight, b_codes)
        assert not events.any()
        assert layer.deploy()(sf.from_codes(x, dtype(bits)), over="raise").codes.tolist() == codes.tolist()


def test_S45_row_l1_by_hand():
    layer = sf.torch.Linear(3, 2, False, dtype=sf.sf8).double()
    for rows, exponent in (([[0.5, 0.25, 0.125], [0, 0, 0]], 0), ([[0.5, 0.25, -0.25], [0, 0, 0]], 1), ([[0, 0, 0], [127 / 128, 0, 0]], 0),
                           ([[1, 0, 0], [0, 0, 0]], 1), ([[1, -1, 1], [0.5, 0.5, 0]], 2), ([[0.25, 0, 0], [0.125, 0, 0.125]], -1),
                           ([[2.0**-9, 0, 0], [0, 0, 0]], -8), ([[2.0**20, 0, 0], [0, 0, 0]], 21), ([[0, 0, 0], [0, 0, 0]], 0)):
        layer.load_state_dict({"weight": torch.tensor(rows)})
        assert (layer.weight_exponent, layer.output_exponent) == (exponent, exponent), rows


def test_S45_row_l1_follows_the_weights_and_counts_the_bias():
    layer = sf.torch.Linear(2, 1, dtype=sf.sf8).double()
    layer.load_state_dict({"weight": torch.tensor([[0.25, 0.25]]), "bias": torch.tensor([0.25])})
    assert layer.weight_exponent == 0
    with torch.no_grad():
        layer.weight.mul_(8)
    assert layer.weight_exponent == 3
    layer.input_exponent = 4  # the bias, 0.25, is 0.25 * 2^-7 then
    assert (layer.weight_exponent, layer.output_exponent) == (3, 7)
    layer.input_exponent = -4  # and here it takes half the room: 32 + 32 + 64, and one more, for its product with 127 is to be 64
    assert (layer.weight_exponent, layer.output_exponent) == (4, 0) and layer.deploy().bias.codes.tolist() == [32]
    layer.input_exponent = -6
    assert (layer.weight_exponent, layer.output_exponent) == (5, -1) and layer.deploy().bias.codes.tolist() == [64]


def test_S45_row_l1_of_a_convolution_is_that_of_its_rows(seed):
    rng = np.random.default_rng(seed)
    for bits in (4, 8, 16):
        conv = filled(sf.torch.Conv2d(4, 6, (2, 3), groups=2, dtype=dtype(bits)).double(), rng, 0.4)
        flat = sf.torch.Linear(12, 6, dtype=dtype(bits)).double()
        flat.load_state_dict({"weight": conv.weight.reshape(6, 12), "bias": conv.bias})
        assert conv.weight_exponent == flat.weight_exponent and roomy(conv, conv.weight_exponent, "sf")


def test_S45_none_is_exponent_0_and_clamps_weights():
    layer = sf.torch.Linear(3, 1, dtype=sf.sf8, headroom="none").double()
    layer.load_state_dict({"weight": torch.tensor([[2.0, -3.0, 0.5]]), "bias": torch.tensor([-1.5])})
    assert (layer.weight_exponent, layer.output_exponent) == (0, 0)
    assert layer.deploy().weight.codes.tolist() == [[127, -127, 64]] and layer.deploy().bias.codes.tolist() == [-127]


def peak_needs(layer, x, exponent, rule):
    """(outputs that clamp, outputs) at an exponent; None where a weight clamps."""
    weight, bias, clamped = coded(layer, exponent)
    if clamped:
        return None
    events = oracle.linear(rule, layer.dtype.bits, oracle.codes(x, layer.dtype.bits, layer.input_exponent), weight, bias)[1]
    return int(events.sum()), events.size


@pytest.mark.parametrize("rule", ("sf", "atreides-v2.1", "sf31", "edge-int32"))
@pytest.mark.parametrize("bits", (2, 3, 4, 6, 8, 11, 16))
def test_S45_calibrated_is_the_least_exponent_that_the_quantile_needs(bits, rule, seed):
    rng = np.random.default_rng((seed, bits, RULES.index(rule)))
    for features, spread, quantile, bias in ((6, 0.7, 1, True), (30, 0.5, 0.9, False), (30, 0.02, 0.75, True), (9, 3.0, 0.999, True)):
        headroom = sf.torch.Calibrated(quantile)
        layer = filled(sf.torch.Linear(features, 4, bias, dtype=dtype(bits), rule=rule, headroom=headroom).double(), rng, spread)
        x = rng.normal(0, float(rng.choice([0.1, 1, 20])), (25, features))
        sf.torch.calibrate(layer, torch.from_numpy(x))
        enough = Fraction(str(quantile))
        kept = lambda e: x.size - oracle.clamps(x, bits, e)
        inputs = layer.input_exponent
        assert kept(inputs) >= enough * x.size > kept(inputs - 1)
        clamped, outputs = peak_needs(layer, x, layer.weight_exponent, rule)
        assert outputs - clamped >= enough * outputs
        lower = peak_needs(layer, x, layer.weight_exponent - 1, rule)
        assert lower is None or lower[1] - lower[0] < enough * lower[1]


def test_S45_a_quantile_is_the_decimal_that_was_written():
    layer = sf.torch.Linear(1, 1, False, dtype=sf.sf8, headroom=sf.torch.Calibrated(0.93)).double()
    x = torch.full((100, 1), 0.5, dtype=torch.float64)
    for beyond, exponent in ((7, 0), (8, 1)):
        x[:beyond] = 1.5
        sf.torch.calibrate(layer, x)
        assert layer.input_exponent == exponent


def test_S45_calibrate_sets_input_exponents_layer_after_layer():
    first = sf.torch.Linear(1, 1, False, dtype=sf.sf16)
    second = sf.torch.Linear(1, 1, False, dtype=sf.sf16)
    third = sf.torch.Linear(1, 1, False, dtype=sf.sf16, headroom="none", input_exponent=5)
    for layer, weight in ((first, 6.0), (second, 0.25), (third, 0.5)):
        layer.load_state_dict({"weight": torch.tensor([[weight]])})
    model = torch.nn.Sequential(first, torch.nn.Dropout(0.5), second, third).train()
    gradients = []
    hook = second.register_forward_hook(lambda *_: gradients.append(torch.is_grad_enabled()))
    sf.torch.calibrate(model, torch.tensor([[3.0], [-0.5]]))
    hook.remove()
    assert gradients == [False] and torch.is_grad_enabled()
    assert [layer.input_exponent for layer in (first, second, third)] == [2, 5, 5]  # 3 is below 2^2, 18 below 2^5, "none" stays
    assert all(module.training for module in model.modules()) and first.weight.grad is None
    sf.torch.calibrate(model, torch.tensor([[0.0]]))
    assert [layer.input_exponent for layer in (first, second)] == [0, 0]
    sf.torch.calibrate(model, torch.tensor([[0.2]]))
    assert first.input_exponent == -2


def test_S45_a_layer_that_runs_twice_in_a_batch_has_room_for_both():
    class Twice(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = sf.torch.Linear(2, 2, False, dtype=sf.sf8, headroom=sf.torch.Calibrated(1))
            self.layer.load_state_dict({"weight": torch.tensor([[1.5, 1.5], [0.0, 0.5]])})

        def forward(self, first, then):
            self.layer(first)
            return self.layer(then)

    large, small = torch.tensor([[3.0, 3.0]]), torch.tensor([[0.1, 0.1]])
    model, found = Twice(), []
    for batches in ((large, small), (small, large), (large, large)):
        sf.torch.calibrate(model, *batches)
        found.append((model.layer.input_exponent, model.layer.weight_exponent))
    assert found == [found[2]] * 3 and found[0][0] == 2
    sf.torch.calibrate(model, small, then=small)
    assert (model.layer.input_exponent, model.layer.weight_exponent) == (-3, 2)


def test_S45_calibrated_exponents_stay_when_the_weights_move():
    layer = sf.torch.Linear(2, 1, False, dtype=sf.sf8, headroom=sf.torch.Calibrated())
    layer.load_state_dict({"weight": torch.tensor([[0.5, 0.25]])})
    sf.torch.calibrate(layer, torch.tensor([[0.5, 0.5]]))
    before = layer.weight_exponent
    with torch.no_grad():
        layer.weight.mul_(100)
    assert layer.weight_exponent == before and layer.deploy().weight.codes.tolist() == [[127, 127]]
    assert layer.headroom.quantile == 0.999


def refused(error, call):
    with pytest.raises(error) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    return message


def test_refusals_of_headroom():
    layer = sf.torch.Linear(2, 1, headroom=sf.torch.Calibrated(0.9))
    x = torch.rand(3, 2)
    for call in (lambda: layer(x), layer.deploy, lambda: layer.weight_exponent, lambda: layer.forward_codes(x)):
        assert refused(RuntimeError, call) == "Linear: headroom=Calibrated(quantile=0.9) needs sf.torch.calibrate(model, batch) first"
    assert refused(ValueError, lambda: sf.torch.calibrate(layer, torch.zeros(0, 2))) == \
        "Linear: there is nothing to calibrate by in a batch of shape (0, 2)"
    for quantile in (0, -1, 1.5, float("nan")):
        assert refused(ValueError, lambda: sf.torch.Calibrated(quantile)) == f"quantile={quantile}; it is above 0 and at most 1"
    for headroom in ("l1", None, 3):
        assert refused(ValueError, lambda: sf.torch.Linear(2, 1, headroom=headroom)) == \
            f"headroom={headroom!r}; it is 'row-l1', sf.torch.Calibrated(quantile) or 'none'"
    assert refused(ValueError, lambda: sf.torch.calibrate(torch.nn.Linear(2, 1), x)) == \
        "calibrate: Linear has no layers of sf.torch; sf.torch.convert makes them"
    with pytest.raises(RuntimeError):  # what fails on the way leaves nothing switched on
        sf.torch.calibrate(torch.nn.Sequential(layer, torch.nn.Linear(7, 7)).train(), x)
    assert layer.training and layer(x).shape == (3, 1)


@pytest.mark.parametrize("value", (float("inf"), float("nan"), 1e30))
def test_weights_without_room_are_refused(value):
    layer = sf.torch.Linear(2, 1, dtype=sf.sf8)
    with torch.no_grad():
        layer.weight[0, 1] = value
    message = refused(ValueError, lambda: layer(torch.rand(2)))
    assert message == ("Linear: not even the exponent 64 makes room" if value == 1e30 else "weight: not all finite, so no power of two makes room")
    layer.headroom = "none"
    if value == value:
        assert layer.deploy().weight.codes[0, 1] == 127
    else:
        assert refused(ValueError, lambda: layer(torch.rand(2))) == "weight: NaN at (0, 1): sf8 has no NaN; numpy.nan_to_num replaces it"


def test_exponents_are_64_at_most():
    layer = sf.torch.Linear(2, 1, dtype=sf.sf8, headroom="none", input_exponent=64)
    layer.load_state_dict({"weight": torch.tensor([[0.5, 0.5]]), "bias": torch.tensor([0.0])})
    assert layer(torch.tensor([2.0**63, 0])).item() == 2.0**62
    layer.input_exponent = -64
    assert layer(torch.tensor([2.0**-65, 0])).item() == 2.0**-66
    for exponent in (65, -65):
        text = f"exponent={exponent}; it is -64 to 64"
        assert refused(ValueError, lambda: setattr(layer, "input_exponent", exponent)) == text
        assert refused(ValueError, lambda: sf.torch.Linear(2, 1, input_exponent=exponent)) == text
        assert refused(ValueError, lambda: sf.torch.quantize(torch.rand(2), sf.sf8, exponent)) == text
    with pytest.raises(TypeError):
        layer.input_exponent = 0.5
