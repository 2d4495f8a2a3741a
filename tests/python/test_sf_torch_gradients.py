# SPDX-License-Identifier: Apache-2.0
"""S45: the bounded straight-through estimator, by its formula on Fractions, one output after the other; sums that are exact in any order."""

from fractions import Fraction

import numpy as np
import pytest

import sf
import sf_torch_oracle as oracle
from sf_torch_oracle import top

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # the tests share the cores already


def dtype(bits):
    return getattr(sf, f"sf{bits}")


def limit(bits, exponent):
    """max of the format at an exponent: gradients pass up to it."""
    return Fraction(top(bits), 1 << bits - 1) * Fraction(2) ** exponent


def passes(value, bits, exponent):
    return value not in (float("inf"), float("-inf")) and abs(Fraction(float(value))) <= limit(bits, exponent)


def worth(code, bits, exponent):
    return Fraction(int(code), 1 << bits - 1) * Fraction(2) ** exponent


def values_near_the_edge(rng, shape, bits, exponent):
    """Numbers on both sides of max, max itself, ties, infinities' neighbours, zeros."""
    edge = float(limit(bits, exponent))
    hostile = [edge, -edge, np.nextafter(edge, 9e9), -np.nextafter(edge, 9e9), np.nextafter(edge, 0), 0.0, -0.0, edge / 2, 1e30, -1e30,
               float(worth(1, bits, exponent)) / 2]
    made = rng.normal(0, edge, shape)
    chosen = rng.integers(0, 2 * len(hostile), shape)
    for i, value in enumerate(hostile):
        made[chosen == i] = value
    return made


@pytest.mark.parametrize("exponent", (-3, 0, 5))
@pytest.mark.parametrize("bits", range(2, 17))
def test_S45_quantize_passes_gradients_between_the_edges(bits, exponent, seed):
    rng = np.random.default_rng(seed + bits)
    x = values_near_the_edge(rng, 300, bits, exponent)
    x[:2] = np.inf, -np.inf
    given = torch.from_numpy(x).requires_grad_()
    made = sf.torch.quantize(given, dtype(bits), exponent)
    want = [float(worth(oracle.code(v, bits, exponent)[0], bits, exponent)) for v in x]
    assert made.tolist() == want
    gradient = torch.from_numpy(rng.normal(size=300))
    made.backward(gradient)
    assert given.grad.tolist() == [g if passes(v, bits, exponent) else 0.0 for v, g in zip(x.tolist(), gradient.tolist())]
    single = given.detach().float()
    want = [float(worth(oracle.code(v, bits, exponent)[0], bits, exponent)) for v in single.numpy()]
    assert sf.torch.quantize(single, dtype(bits), exponent).tolist() == want


def formula(outputs, gradient, codes, bits, exponents, x, w, b):
    """{place: Fraction} of what reaches x, w and b; outputs yields (place of the output, its channel, [(place in x, place in w)])."""
    to_x, to_w, to_b = {}, {}, {}
    x_codes, w_codes = oracle.codes(x, bits, exponents[0]), oracle.codes(w, bits, exponents[1])
    for place, channel, terms in outputs:
        if abs(codes[place]) >= top(bits):  # at the edge: nothing passes
            continue
        g = Fraction(float(gradient[place]))
        for at, weight in terms:
            if at is not None:
                to_x[at] = to_x.get(at, 0) + g * worth(w_codes[weight], bits, exponents[1])
                to_w[weight] = to_w.get(weight, 0) + g * worth(x_codes[at], bits, exponents[0])
        to_b[channel] = to_b.get(channel, 0) + g
    bounded = lambda sums, values, exponent: [[float(sums.get(at, 0)) if passes(values[at], bits, exponent) else 0.0] for at in np.ndindex(values.shape)]
    return bounded(to_x, x, exponents[0]), bounded(to_w, w, exponents[1]), bounded(to_b, b, sum(exponents))


def check(layer, x, outputs, rng):
    """The gradients of a layer are the formula's. Small integers as output gradients keep every sum exact in float64."""
    bits, exponents = layer.dtype.bits, (layer.input_exponent, layer.weight_exponent)
    given = torch.from_numpy(x).requires_grad_()
    layer.zero_grad()
    made = layer(given)
    codes = layer.forward_codes(given).codes.astype(int)
    gradient = rng.integers(-4, 5, made.shape).astype(float)
    made.backward(torch.from_numpy(gradient))
    want = formula(outputs, gradient, codes, bits, exponents, x, layer.weight.detach().numpy(), layer.bias.detach().numpy())
    for got, expected in zip((given.grad, layer.weight.grad, layer.bias.grad), want):
        assert got.reshape(-1, 1).tolist() == expected
    return codes


@pytest.mark.parametrize("policy", ("row-l1", "none"))
@pytest.mark.parametrize("bits", (2, 3, 4, 8, 11, 16))
def test_S45_linear_gradients(bits, policy, seed):
    rng = np.random.default_rng(seed + bits)
    at_the_edge = 0
    for features, outputs, rows, exponent in ((1, 1, 1, 0), (5, 3, 4, 1), (9, 4, 3, -1)):
        layer = sf.torch.Linear(features, outputs, dtype=dtype(bits), headroom=policy, input_exponent=exponent).double()
        with torch.no_grad():
            spread = 0 if policy == "none" else 1
            layer.weight.copy_(torch.from_numpy(values_near_the_edge(rng, (outputs, features), bits, spread)).clamp(-3, 3))
            layer.bias.copy_(torch.from_numpy(values_near_the_edge(rng, outputs, bits, exponent + spread)).clamp(-3, 3))
        x = values_near_the_edge(rng, (rows, features), bits, exponent)
        places = [((n, c), (c,), [((n, k), (c, k)) for k in range(features)]) for n in range(rows) for c in range(outputs)]
        codes = check(layer, x, places, rng)
        at_the_edge += int((np.abs(codes) == top(bits)).sum())
    assert policy == "row-l1" or bits == 2 or at_the_edge


@pytest.mark.parametrize("geometry", ((1, 0, 1, 1), (2, 1, 1, 2), ((1, 2), (2, 0), (2, 1), 1)))
@pytest.mark.parametrize("bits", (4, 8, 12))
def test_S45_conv2d_gradients(bits, geometry, seed):
    rng = np.random.default_rng(seed + bits)
    stride, padding, dilation, groups = geometry
    layer = sf.torch.Conv2d(2, 4, (2, 3), stride, padding, dilation, groups, dtype=dtype(bits), headroom="none").double()
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(values_near_the_edge(rng, layer.weight.shape, bits, -1)).clamp(-2, 2))
        layer.bias.copy_(torch.from_numpy(values_near_the_edge(rng, 4, bits, -1)).clamp(-2, 2))
    x = values_near_the_edge(rng, (2, 2, 5, 6), bits, 0)
    _, inner, *kernel = layer.weight.shape
    places = []
    for place in np.ndindex(tuple(layer(torch.from_numpy(x)).shape)):
        n, c, i, j = place
        terms = []
        for weight in np.ndindex(inner, *kernel):
            channel = c // (4 // groups) * inner + weight[0]
            row = i * layer.stride[0] + weight[1] * layer.dilation[0] - layer.padding[0]
            column = j * layer.stride[1] + weight[2] * layer.dilation[1] - layer.padding[1]
            inside = 0 <= row < 5 and 0 <= column < 6
            terms.append(((n, channel, row, column) if inside else None, (c, *weight)))
        places.append((place, (c,), terms))
    check(layer, x, places, rng)


def one_output(weights, x, **options):
    layer = sf.torch.Linear(len(weights), 1, False, dtype=sf.sf8, headroom="none", **options).double()
    layer.load_state_dict({"weight": torch.tensor([weights])})
    given = torch.tensor(x, dtype=torch.float64).requires_grad_()
    made = layer(given)
    made.sum().backward()
    return made.item() * 128, given.grad.tolist(), layer.weight.grad.tolist()


def test_S45_an_output_at_the_edge_passes_nothing_and_one_that_came_back_passes_all():
    half, whole = 64 / 128, 127 / 128
    assert one_output([whole, whole], [half, half]) == (126, [whole, whole], [[half, half]])  # 63 + 63
    code, to_x, to_w = one_output([whole, whole, 1 / 128], [half, half, whole])  # lands one short of the edge
    assert (code, to_x) == (126, [whole, whole, 1 / 128]) and to_w == [[half, half, whole]]
    assert one_output([whole, whole], [65 / 128, half])[:2] == (127, [0, 0])  # lands on the edge, no event
    assert one_output([whole, whole], [whole, whole]) == (127, [0, 0], [[0, 0]])  # clamped
    assert one_output([whole, whole, whole], [whole, whole, -half]) == (127 - 63, [whole] * 3, [[whole, whole, -half]])  # clamped, and came back


def test_S45_a_rule_that_reaches_minus_one_has_two_edges():
    whole = 127 / 128
    assert one_output([whole, whole], [-whole, -whole], rule="atreides-v1")[:2] == (-128, [0, 0])
    assert one_output([whole, whole], [-whole, -1 / 128], rule="atreides-v1")[:2] == (-126, [whole, whole])


def test_S45_gradients_reach_each_parameter_alone_and_through_a_stack():
    layers = [sf.torch.Linear(3, 3, dtype=sf.sf16, headroom="none").double() for _ in range(2)]
    with torch.no_grad():
        for layer in layers:
            layer.weight.copy_(torch.eye(3) / 2)
            layer.bias.fill_(0.125)
    model, x = torch.nn.Sequential(*layers), torch.tensor([[0.5, 0.25, -0.5]], dtype=torch.float64)
    model(x).backward(torch.tensor([[1.0, 2.0, 4.0]]).double())
    assert layers[0].weight.grad.tolist() == [[0.25, 0.125, -0.25], [0.5, 0.25, -0.5], [1.0, 0.5, -1.0]]
    assert layers[0].bias.grad.tolist() == [0.5, 1.0, 2.0] and layers[1].bias.grad.tolist() == [1.0, 2.0, 4.0]
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    assert not model(x).requires_grad
    layers[1].bias.requires_grad_()
    layers[1].bias.grad = None
    model(x).sum().backward()
    assert layers[1].bias.grad.tolist() == [1.0, 1.0, 1.0]
    x.requires_grad_()
    model(x).sum().backward()
    assert x.grad.tolist() == [[0.25] * 3]


def test_S45_second_derivatives_are_those_of_the_real_map():
    layer = sf.torch.Linear(2, 1, False, dtype=sf.sf8, headroom="none").double()
    layer.load_state_dict({"weight": torch.tensor([[0.5, 0.25]])})
    x = torch.tensor([0.5, 0.25], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(layer(x).square().sum(), x, create_graph=True)
    assert first.tolist() == [2 * 0.3125 * 0.5, 2 * 0.3125 * 0.25]
    first.sum().backward()
    assert x.grad.tolist() == [2 * 0.5 * 0.75, 2 * 0.25 * 0.75]
    assert layer.weight.grad.tolist() == [[2 * (0.3125 + 0.5 * 0.75), 2 * (0.3125 + 0.25 * 0.75)]]


def test_in_place_operations_may_follow(seed):
    torch.manual_seed(seed)
    model = torch.nn.Sequential(sf.torch.Linear(4, 4, dtype=sf.sf8), torch.nn.ReLU(inplace=True), sf.torch.Linear(4, 2, dtype=sf.sf8))
    model(torch.rand(3, 4)).sum().backward()
    x = torch.rand(5, requires_grad=True)
    sf.torch.quantize(x, sf.sf8).mul_(2).sum().backward()
    assert x.grad.tolist() == [2.0 if v <= 127 / 128 else 0.0 for v in x.tolist()]


def test_S45_a_layer_learns():
    """A straight line in sf16: 200 steps take the error down to the resolution's size; deterministic, whatever the machine."""
    x = torch.linspace(-0.9, 0.9, 32, dtype=torch.float64)[:, None]
    wanted = sf.torch.quantize(0.5 * x - 0.25, sf.sf16)
    layer = sf.torch.Linear(1, 1).double()
    with torch.no_grad():
        layer.weight.fill_(-0.75)
        layer.bias.fill_(0.5)
    step = torch.optim.SGD(layer.parameters(), lr=0.5)
    for _ in range(200):
        step.zero_grad()
        (layer(x) - wanted).square().mean().backward()
        step.step()
    assert (layer(x) - wanted).abs().max().item() <= 4 / 2**15
