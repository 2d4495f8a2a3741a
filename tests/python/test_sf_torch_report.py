# SPDX-License-Identifier: Apache-2.0
"""S45, S14, S19: a report counts clamped outputs and vanished products of every channel, as plain integers count them."""

import numpy as np
import pytest

import sf
import sf_torch_oracle as oracle
from sf_torch_oracle import RULES

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # the tests share the cores already


def dtype(bits):
    return getattr(sf, f"sf{bits}")


def prepared(layer, rng, spread):
    layer.double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.from_numpy(rng.normal(0, spread, tuple(parameter.shape))))
    return layer


def coded(layer, x):
    bits = layer.dtype.bits
    bias = None if layer.bias is None else oracle.codes(layer.bias.detach().numpy(), bits, layer.output_exponent)
    return oracle.codes(x, bits, layer.input_exponent), oracle.codes(layer.weight.detach().numpy(), bits, layer.weight_exponent), bias


def counted(outputs, channels, rule, bits, bias):
    """(clamped, vanished, outputs, products) for each channel, of (channel, terms, weights) of every output."""
    found = np.zeros((4, channels), np.int64)
    for channel, terms, weights in outputs:
        event = oracle.chain(rule, bits, terms, weights, None if bias is None else bias[channel])[1]
        found[:, channel] += event, oracle.vanished(rule, bits, terms, weights), 1, len(terms)
    return found


def check(layer, reported, want, x):
    bits = layer.dtype.bits
    assert reported.clamped.dtype == reported.vanished.dtype == np.int64
    assert reported.clamped.tolist() == want[0].tolist() and reported.vanished.tolist() == want[1].tolist()
    assert [reported.outputs] * len(want[2]) == want[2].tolist() and [reported.products] * len(want[3]) == want[3].tolist()
    assert (reported.inputs_clamped, reported.inputs) == (oracle.clamps(x, bits, layer.input_exponent), x.size)
    weights = oracle.clamps(layer.weight.detach().numpy(), bits, layer.weight_exponent)
    biases = 0 if layer.bias is None else oracle.clamps(layer.bias.detach().numpy(), bits, layer.output_exponent)
    assert reported.weights_clamped == weights + biases


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bits", (2, 3, 4, 6, 8, 9, 12, 16))
def test_S45_report_of_linear(bits, rule, seed):
    rng = np.random.default_rng((seed, bits, RULES.index(rule)))
    for bias, headroom, spread in ((True, "none", 0.7), (False, "none", 0.05), (True, "row-l1", 0.3)):
        layer = prepared(sf.torch.Linear(11, 4, bias, dtype=dtype(bits), headroom=headroom, rule=rule), rng, spread)
        x = rng.normal(0, 0.5, (9, 11))
        with sf.torch.report(layer) as report:
            layer(torch.from_numpy(x))
        x_codes, w_codes, b_codes = coded(layer, x)
        outputs = [(c, row.tolist(), w_codes[c].tolist()) for row in x_codes for c in range(4)]
        check(layer, report[""], counted(outputs, 4, rule, bits, b_codes), x)
        assert headroom == "none" or not report[""].clamped.any()


@pytest.mark.parametrize("groups", (1, 2))
@pytest.mark.parametrize("rule", ("sf", "atreides-v2.1", "sf31", "guarded31"))
@pytest.mark.parametrize("bits", (4, 8, 16))
def test_S45_report_of_conv2d(bits, rule, groups, seed):
    rng = np.random.default_rng((seed, bits, RULES.index(rule)))
    layer = prepared(sf.torch.Conv2d(2, 4, 3, 2, 1, 1, groups, dtype=dtype(bits), headroom="none", rule=rule), rng, 0.5)
    x = rng.normal(0, 0.6, (2, 2, 5, 4))
    with sf.torch.report(layer) as report:
        layer(torch.from_numpy(x))
    x_codes, w_codes, b_codes = coded(layer, x)
    outputs = [(at[1], *rest) for at, *rest in oracle.patches(x_codes, w_codes, (3, 2), (2, 2), (1, 1), (1, 1), groups)]
    check(layer, report[""], counted(outputs, 4, rule, bits, b_codes), x)


def test_S15_an_output_that_came_back_counts_and_S10_one_on_the_edge_does_not():
    layer = sf.torch.Linear(3, 2, False, dtype=sf.sf8, headroom="none")
    layer.load_state_dict({"weight": torch.tensor([[127 / 128] * 3, [64 / 128] * 3])})
    with sf.torch.report(layer) as report:
        layer(torch.tensor([[127 / 128, 127 / 128, -0.5], [65 / 128, 0.5, 0.0]]))  # 126 + 126 - 63; 64 + 63 = 127
    assert report[""].clamped.tolist() == [1, 0]


def test_S19_codes_of_sf8_below_12_square_to_0():
    layer = sf.torch.Linear(1, 1, False, dtype=sf.sf8, headroom="none")
    for code in range(-20, 21):
        layer.load_state_dict({"weight": torch.tensor([[code / 128]])})
        with sf.torch.report(layer) as report:
            layer(torch.tensor([[code / 128]]))
        assert report[""].vanished.tolist() == [int(0 < abs(code) < 12)]


def test_reports_add_up_nest_and_name_layers():
    rng = np.random.default_rng(20240607)
    model = torch.nn.Sequential(sf.torch.Conv2d(1, 2, 2, dtype=sf.sf8), torch.nn.Flatten(),
                                sf.torch.Linear(8, 3, dtype=sf.sf8, headroom="none"))
    prepared(model, rng, 0.4)
    x = torch.from_numpy(rng.normal(0, 1, (5, 1, 3, 3)))
    outer = sf.torch.report(model)
    with outer:
        with sf.torch.report(model[2]) as inner:
            model(x)
        model(x)
    model(x)
    assert list(outer) == ["0", "2"] and len(outer) == 2 and list(inner) == [""] and dict(outer.items())["2"] is outer["2"]
    assert inner[""].clamped.any() and inner[""].vanished.any()
    assert outer["2"].clamped.tolist() == (2 * inner[""].clamped).tolist() and outer["2"].vanished.tolist() == (2 * inner[""].vanished).tolist()
    assert (outer["0"].outputs, outer["0"].products, outer["0"].inputs) == (40, 160, 90)
    assert (inner[""].outputs, inner[""].products, inner[""].inputs) == (5, 40, 40)
    with outer:
        model(x)
    assert outer["0"].outputs == 60
    with pytest.raises(KeyError):
        outer["1"]


def test_S16_a_pass_that_raises_is_not_counted_and_the_report_ends():
    layer = sf.torch.Linear(2, 1, False, dtype=sf.sf8, headroom="none", over="raise")
    layer.load_state_dict({"weight": torch.tensor([[0.9, 0.9]])})
    report = sf.torch.report(layer)
    with pytest.raises(sf.SFOverflowError), report:
        layer(torch.tensor([0.9, 0.9]))
    assert report[""].outputs == 0
    layer(torch.tensor([0.1, 0.1]))
    assert report[""].outputs == 0


def test_reports_are_tables():
    model = torch.nn.Sequential(sf.torch.Linear(2, 2, dtype=sf.sf8, headroom="none"), sf.torch.Linear(2, 1, False, dtype=sf.sf4))
    state = {"0.weight": torch.tensor([[0.875, 0.0625], [0.75, 2.0]]), "0.bias": torch.tensor([0.5, 0.0]), "1.weight": torch.tensor([[0.5, 0.25]])}
    model.load_state_dict(state)
    with sf.torch.report(model) as report:
        model(torch.tensor([[0.875, 0.0625], [0.0625, 1.5]]))
    assert str(report) == repr(report) == """\
layer  outputs  clamped  products  vanished  inputs  clamped
0            4        2         8         1       4        1
1            2        0         4         0       4        2"""
    assert str(report["0"]) == """\
0 (Linear, sf8, none): 1 of 4 inputs clamped, 1 weights
channel  outputs  clamped  products  vanished
0              2        1         4         1
1              2        1         4         0"""
    assert repr(report["0"]) == "<0: 2 outputs clamped, 1 products vanished>"
    with sf.torch.report(model[1]) as single:
        model[1](torch.zeros(0, 2))
    assert repr(single[""]) == "<the layer: 0 outputs clamped, 0 products vanished>" and str(single).splitlines()[1].startswith("the layer ")


def test_a_model_without_layers_has_no_report():
    with pytest.raises(ValueError, match=r"^report: Linear has no layers of sf\.torch; sf\.torch\.convert makes them$"):
        sf.torch.report(torch.nn.Linear(2, 1))
