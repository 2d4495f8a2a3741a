# SPDX-License-Identifier: Apache-2.0
"""S45, S39, S40: the codes of Linear and Conv2d are sf.matmul's on the same codes, at every width, policy and rule, and deployed too."""

import itertools
import pickle
import warnings

import numpy as np
import pytest

import sf
import sf_torch_oracle as oracle
from sf import _linalg
from sf_torch_oracle import RULES, top

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # the tests share the cores already
pytestmark = pytest.mark.filterwarnings("ignore:Using padding=.same. with even kernel lengths")
WIDTHS = range(2, 17)
POLICIES = ("row-l1", "calibrated", "none")


def dtype(bits):
    return getattr(sf, f"sf{bits}")


def headroom(policy, quantile=0.9):
    return sf.torch.Calibrated(quantile) if policy == "calibrated" else policy


def weights_of(layer, rng, spread):
    """Weights and biases of every size; some exactly on the grid, some ties, some zeros."""
    with torch.no_grad():
        for parameter in layer.parameters():
            values = rng.normal(0, spread, tuple(parameter.shape))
            coarse = np.round(values * 64) / 64
            parameter.copy_(torch.from_numpy(np.where(rng.integers(0, 3, values.shape) == 0, coarse, values)))


def inputs(rng, shape, spread=0.6):
    values = rng.normal(0, spread, shape)
    values[rng.integers(0, 6, shape) == 0] = 0
    return torch.from_numpy(values)


def coded(layer, x):
    """The oracle's codes of input, weight and bias at the layer's exponents."""
    bits = layer.dtype.bits
    bias = None if layer.bias is None else oracle.codes(layer.bias.detach().numpy(), bits, layer.output_exponent)
    return oracle.codes(x.numpy(), bits, layer.input_exponent), oracle.codes(layer.weight.detach().numpy(), bits, layer.weight_exponent), bias


def check_values(layer, x, codes):
    """The tensor is code / 2^(N-1) * 2^exponent in the input's type, with a gradient and without, and so are the codes apart."""
    want = np.ldexp(codes.astype(float), layer.output_exponent - (layer.dtype.bits - 1))
    for made in (layer(x), layer(x.float()) if torch.equal(x.float().double(), x) else layer(x)):
        assert made.requires_grad and made.detach().numpy().astype(float).tolist() == want.tolist()
    with torch.no_grad():
        plain = layer(x)
    assert not plain.requires_grad and plain.dtype == x.dtype and torch.equal(plain, layer(x).detach())
    apart = layer.forward_codes(x)
    assert apart.dtype is layer.dtype and apart.codes.tolist() == codes.tolist()
    again = layer.deploy()(sf.from_codes(oracle.codes(x.numpy(), layer.dtype.bits, layer.input_exponent), layer.dtype))
    assert again.codes.dtype == apart.codes.dtype and again.codes.tolist() == codes.tolist()
    assert layer.deploy()(x.numpy()).codes.tolist() == codes.tolist()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("bits", WIDTHS)
def test_S45_linear(bits, policy, rule, seed):
    rng = np.random.default_rng((seed, bits, POLICIES.index(policy), RULES.index(rule)))
    for bias, features, outputs, rows in ((False, 1, 1, 1), (True, 7, 3, 4), (False, 33, 2, 2)):
        layer = sf.torch.Linear(features, outputs, bias, dtype=dtype(bits), headroom=headroom(policy), rule=rule)
        layer.double()
        weights_of(layer, rng, float(rng.choice([0.02, 0.3, 1.5])))
        layer.input_exponent = int(rng.integers(-2, 3))
        x = inputs(rng, (rows, features))
        if policy == "calibrated":
            sf.torch.calibrate(layer, inputs(rng, (9, features)))
        x_codes, w_codes, b_codes = coded(layer, x)
        codes, _ = oracle.linear(rule, bits, x_codes, w_codes, b_codes)
        check_values(layer, x, codes)
        if not bias:
            matmul = sf.matmul(sf.from_codes(x_codes, dtype(bits)), sf.from_codes(w_codes, dtype(bits)).T, over="ignore", rule=rule)
            assert layer.forward_codes(x).codes.tolist() == matmul.codes.tolist()


@pytest.mark.parametrize("bits", (4, 8, 16))
def test_S45_linear_at_every_block_boundary(bits, seed):
    rng = np.random.default_rng(seed + bits)
    for features in (15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 511, 513):
        for policy in ("row-l1", "none"):
            layer = sf.torch.Linear(features, 3, False, dtype=dtype(bits), headroom=policy).double()
            weights_of(layer, rng, 0.3)
            x = inputs(rng, (2, features))
            x_codes, w_codes, _ = coded(layer, x)
            assert layer.forward_codes(x).codes.tolist() == oracle.linear("sf", bits, x_codes, w_codes)[0].tolist(), features


@pytest.mark.parametrize("bits", WIDTHS)
def test_S45_under_sf_the_bias_is_one_more_saturating_add(bits, seed):
    rng = np.random.default_rng(seed + bits)
    for _ in range(8):
        layer = sf.torch.Linear(12, 4, dtype=dtype(bits), headroom="none").double()
        weights_of(layer, rng, 0.4)
        x = inputs(rng, (5, 12))
        x_codes, w_codes, b_codes = coded(layer, x)
        b_codes = np.clip(b_codes, 1 - top(bits), top(bits) - 1)  # the largest code itself cannot be reached
        with torch.no_grad():
            layer.bias.copy_(torch.from_numpy(b_codes / dtype(bits).scale))
        with sf.errstate(over="ignore"):
            product = sf.from_codes(x_codes, dtype(bits)) @ sf.from_codes(w_codes, dtype(bits)).T
            assert layer.forward_codes(x).codes.tolist() == (product + sf.from_codes(b_codes, dtype(bits))).codes.tolist()


CONVOLUTIONS = (
    # channels, outputs, kernel, stride, padding, dilation, groups, image
    (1, 1, 1, 1, 0, 1, 1, (1, 1)),
    (2, 3, 3, 1, 1, 1, 1, (5, 4)),
    (3, 2, (2, 3), (2, 1), (1, 2), (1, 2), 1, (6, 7)),
    (4, 6, 3, 2, 1, 1, 2, (7, 6)),
    (3, 3, 2, 1, 0, 3, 3, (6, 5)),
    (2, 2, (1, 4), 3, (0, 3), 1, 1, (4, 9)),
    (1, 2, (4, 2), 1, "same", (1, 2), 1, (5, 5)),
    (2, 2, 3, 2, "valid", 1, 2, (5, 7)),
)


def edges(padding, kernel, dilation):
    """What is added above and to the left."""
    if padding == "same":
        return tuple(d * (k - 1) // 2 for d, k in zip(dilation, kernel))
    return (0, 0) if padding == "valid" else padding


def pair(value):
    return value if isinstance(value, (tuple, str)) else (value, value)


def convolved(layer, x_codes, w_codes, b_codes, size):
    """Codes of a convolution, one output after the other."""
    rule, bits = layer.rule.name if layer.rule else "sf", layer.dtype.bits
    made = np.zeros((len(x_codes), len(w_codes), *size), np.int64)
    start = edges(pair(layer.padding), layer.kernel_size, layer.dilation)
    for at, terms, weights in oracle.patches(x_codes, w_codes, size, layer.stride, start, layer.dilation, layer.groups):
        made[at] = oracle.chain(rule, bits, terms, weights, None if b_codes is None else b_codes[at[1]])[0]
    return made


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("case", CONVOLUTIONS)
@pytest.mark.parametrize("bits", (4, 8, 16))
def test_S45_conv2d(bits, case, policy, seed):
    channels, outputs, kernel, stride, padding, dilation, groups, image = case
    rng = np.random.default_rng((seed, bits, CONVOLUTIONS.index(case), POLICIES.index(policy)))
    for bias, rule in ((True, "sf"), (False, "sf"), (True, RULES[(bits + outputs) % 8])):
        layer = sf.torch.Conv2d(channels, outputs, kernel, stride, padding, dilation, groups, bias, dtype=dtype(bits), headroom=headroom(policy),
                                rule=rule).double()
        weights_of(layer, rng, float(rng.choice([0.1, 0.6])))
        x = inputs(rng, (2, channels, *image))
        if policy == "calibrated":
            sf.torch.calibrate(layer, x)
        size = torch.nn.functional.conv2d(x, layer.weight, None, layer.stride, layer.padding, layer.dilation, layer.groups).shape[2:]
        codes = convolved(layer, *coded(layer, x), tuple(size))
        check_values(layer, x, codes)
        assert layer.forward_codes(x[1]).codes.tolist() == codes[1].tolist()  # without a batch


def test_S45_batch_dimensions_and_layouts(seed):
    rng = np.random.default_rng(seed)
    layer = sf.torch.Linear(6, 4, dtype=sf.sf8).double()
    x = inputs(rng, (2, 3, 5, 6))
    flat = layer(x.reshape(-1, 6))
    assert torch.equal(layer(x), flat.reshape(2, 3, 5, 4))
    assert torch.equal(layer(x[1, 2, 3]), layer(x)[1, 2, 3])
    transposed = x.permute(3, 0, 1, 2).contiguous().permute(1, 2, 3, 0)
    assert not transposed.is_contiguous() and torch.equal(layer(transposed), layer(x))
    assert torch.equal(layer(x[:, ::2].flip(0)), layer(x)[:, ::2].flip(0))
    assert torch.equal(layer(x[0, 0, 0].expand(7, 6)), layer(x)[0, 0, 0].expand(7, 4))
    conv = sf.torch.Conv2d(3, 2, 3, padding=1, dtype=sf.sf8).double()
    image = inputs(rng, (2, 3, 6, 5))
    assert torch.equal(conv(image.to(memory_format=torch.channels_last)), conv(image))
    assert torch.equal(conv(image.mT.contiguous()), conv(image.mT))


def test_S11_empty_batches_and_sums():
    layer = sf.torch.Linear(6, 4, dtype=sf.sf8)
    for shape in ((0, 6), (3, 0, 6), (0, 2, 6)):
        x = torch.zeros(shape, requires_grad=True)
        made = layer(x)
        assert made.shape == (*shape[:-1], 4)
        made.sum().backward()
        assert x.grad.shape == shape and layer.weight.grad.abs().sum() == 0
    for features, outputs, bias in ((0, 3, False), (0, 3, True), (3, 0, True), (0, 0, True)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch has nothing to initialise
            layer = sf.torch.Linear(features, outputs, bias, dtype=sf.sf8)
        codes = layer.forward_codes(torch.zeros(2, features))
        assert codes.codes.tolist() == [oracle.codes(layer.bias.detach(), 8, layer.output_exponent).tolist() if bias else [0] * outputs] * 2
    conv = sf.torch.Conv2d(3, 2, 3, dtype=sf.sf8)
    empty = torch.zeros((0, 3, 5, 5), requires_grad=True)
    conv(empty).sum().backward()
    assert conv(empty).shape == (0, 2, 3, 3) and empty.grad.shape == empty.shape
    assert conv.deploy()(empty.detach().numpy()).shape == (0, 2, 3, 3)


def test_S45_float32_and_float64_weights_and_inputs_mix(seed):
    rng = np.random.default_rng(seed)
    layer = sf.torch.Linear(20, 5, dtype=sf.sf16)
    x = inputs(rng, (4, 20)).float()
    made = layer(x)
    assert made.dtype == torch.float32 and layer(x.double()).dtype == torch.float64
    assert torch.equal(layer(x.double()).float(), made) and torch.equal(layer(x.double()), made.double())
    layer(x.double()).sum().backward()
    assert layer.weight.grad.dtype == torch.float32


@pytest.mark.parametrize("encoding", ("twos-complement", "sign-magnitude"))
@pytest.mark.parametrize("rule", ("sf", "edge-int32"))  # these never give -1.0, which has no word in sign and magnitude
def test_S35_layers_run_on_a_device_and_their_replay_agrees(rule, encoding, seed):
    rng = np.random.default_rng(seed)
    conv = sf.torch.Conv2d(2, 3, 3, padding=1, dtype=sf.sf16, headroom="none", rule=rule).double()
    layer = sf.torch.Linear(6, 4, dtype=sf.sf8, headroom="none", rule=rule).double()
    for own, x in ((layer, inputs(rng, (5, 6))), (conv, inputs(rng, (2, 2, 4, 4)))):
        host, chip = own.forward_codes(x), sf.sim.Device(rule, encoding=encoding)
        with sf.device(chip, replay=True):
            assert own.forward_codes(x).codes.tolist() == host.codes.tolist()
            assert own.deploy()(x.numpy()).codes.tolist() == host.codes.tolist()
        assert chip.calls == 2
        with sf.device(sf.sim.Device(rule, encoding=encoding, faults={1: 1}), replay=True), pytest.raises(sf.SFReplayError):
            own(x)


def test_the_rule_in_use_is_the_layers_unless_it_has_one():
    x = sf.array([-0.9, -0.9], dtype=sf.sf16)
    given = torch.tensor(np.asarray(x))
    layer, own = (sf.torch.Linear(2, 1, False, headroom="none", rule=rule).double() for rule in (None, "edge-int32"))
    for each in (layer, own):
        each.load_state_dict({"weight": torch.tensor([[0.3, -0.1]])})
    assert [layer.forward_codes(given).codes.item(), own.forward_codes(given).codes.item()] == [-5897, -5898]
    with sf.use_rule("edge-int32"):
        kept = layer.deploy()
        assert layer.forward_codes(given).codes.item() == -5898
    with sf.use_rule("atreides-v2.1"):
        assert kept(x).codes.item() == -5898 and kept.rule.name == "edge-int32"  # deploy keeps the rule that was in use


# ---- S39, S40: one function ----


def all_five(x, y):
    """Codes of sum, dot, @, a layer, a convolution and the simulator, on rows of sf16 codes."""
    def weighted(layer):
        layer.load_state_dict({"weight": sf.torch.from_codes(y).reshape(layer.weight.shape)})
        return layer

    linear = weighted(sf.torch.Linear(len(x), 1, False, headroom="none"))
    conv = weighted(sf.torch.Conv2d(1, 1, (1, len(x)), bias=False, headroom="none"))
    given = sf.torch.from_codes(x)
    with sf.errstate(over="ignore"):
        products = {"dot": sf.dot(x, y).code, "@": (x[None] @ y[:, None]).codes.item(), "linear": linear.forward_codes(given).codes.item(),
                    "conv2d": conv.forward_codes(given.reshape(1, 1, -1)).codes.item(), "deployed": linear.deploy()(x).codes.item()}
        with sf.device(sf.sim.Device()):
            products["simulator"] = sf.dot(x, y).code
        return x.sum().code, products


@pytest.mark.parametrize("other", ("float32", "atreides-v2.1", "backwards"))
def test_S39_another_sum_codes_moves_all_five_together(other, monkeypatch):
    x = sf.array([-0.9, -0.9, 0.9, 0.7, -0.3], dtype=sf.sf16)
    y = sf.array([0.9, 0.9, 0.9, -0.3, 0.9], dtype=sf.sf16)
    original = _linalg.sum_codes
    turned = {"backwards": slice(None, None, -1)}.get(other, slice(None))
    name = "sf" if other == "backwards" else other
    before = all_five(x, y)

    def replaced(a, b, bits, rule, axes, *rest):
        a, b = (None if each is None else each[..., turned] for each in (a, b))
        return original(a, b, bits, name, axes, *rest)

    monkeypatch.setattr(_linalg, "sum_codes", replaced)
    total, products = all_five(x, y)
    assert (total, products) != before and len(set(products.values())) == 1 and set(products.values()) != set(before[1].values())
    want = oracle.superfloat.sum_codes(name, 16, x.codes[turned].tolist(), y.codes[turned].tolist())[0]
    assert set(products.values()) == {want}


def test_S40_without_sum_codes_nothing_is_added(monkeypatch):
    x = torch.rand(3, 6, generator=torch.Generator().manual_seed(1))
    layer, conv = sf.torch.Linear(6, 4, dtype=sf.sf8), sf.torch.Conv2d(1, 2, 2, dtype=sf.sf8)
    learnt = sf.torch.Linear(6, 4, dtype=sf.sf8, headroom=sf.torch.Calibrated(1))
    deployed, chain = layer.deploy(), sf.torch.deploy(layer)

    def fails(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(_linalg, "sum_codes", fails)
    codes = sf.array(x.numpy(), dtype=sf.sf8)
    for call in (lambda: layer(x), lambda: conv(x[None]), lambda: layer.forward_codes(x), lambda: deployed(codes), lambda: chain(x.numpy()),
                 lambda: sf.torch.calibrate(learnt, x), lambda: deployed.count(codes), lambda: codes.sum(), lambda: codes.dot(codes.T),
                 lambda: codes @ codes.T, lambda: sf.sim.Device().run("sum", 8, codes.words())):
        with pytest.raises(ZeroDivisionError):
            call()
    assert codes.max().code == int(codes.codes.max()) and codes.min().code == int(codes.codes.min())
    assert torch.equal(sf.torch.quantize(x, sf.sf8), sf.torch.from_codes(codes))


def test_deployed_layers_are_pickled(seed):
    rng = np.random.default_rng(seed)
    for layer, shape in ((sf.torch.Linear(6, 4, dtype=sf.sf8), (3, 6)), (sf.torch.Conv2d(2, 3, 2, stride=2, dtype=sf.sf9, rule="sf31"), (2, 2, 5, 4))):
        chip, x = layer.deploy(), inputs(rng, shape).numpy()
        again = pickle.loads(pickle.dumps(chip))
        assert again(x).codes.tolist() == chip(x).codes.tolist() and repr(again) == repr(chip)
        assert (again.rule, again.over, again.output_exponent) == (chip.rule, chip.over, chip.output_exponent)


def test_deployed_layers_show_their_codes():
    layer = sf.torch.Linear(3, 1, dtype=sf.sf8, headroom="none", input_exponent=1)
    layer.load_state_dict({"weight": torch.tensor([[0.5, 0.25, -0.125]]), "bias": torch.tensor([0.5])})
    chip = layer.deploy()
    assert chip.weight.codes.tolist() == [[64, 32, -16]] and chip.bias.codes.tolist() == [32]  # the bias at 2^(1 + 0)
    assert (chip.input_exponent, chip.weight_exponent, chip.output_exponent, chip.dtype) == (1, 0, 1, sf.sf8)
    assert repr(chip) == "DeployedLinear(3, 1, dtype=sf8, exponent 1 to 1, sf)"
    assert chip([1.0, 0.5, 0.0]).codes.tolist() == [64 * 64 // 128 + 32 * 32 // 128 + 32]


def test_many_shapes_against_matmul(seed):
    """S45 on shapes at random, weights with -1.0 among them, by sf.matmul on codes that are put together here."""
    rng = np.random.default_rng(seed)
    for bits, _ in itertools.product(WIDTHS, range(4)):
        rows, features, outputs = (int(n) for n in rng.integers(1, [60, 300, 40]))
        layer = sf.torch.Linear(features, outputs, False, dtype=dtype(bits), headroom="none").double()
        weight, x = rng.uniform(-1, 1, (outputs, features)), rng.uniform(-1, 1, (rows, features))
        weight.flat[0] = x.flat[0] = -1.0
        layer.load_state_dict({"weight": torch.from_numpy(weight)})
        left, right = (sf.array(each, dtype=dtype(bits), over="ignore") for each in (x, weight))
        assert layer.forward_codes(torch.from_numpy(x)).codes.tolist() == sf.matmul(left, right.T, over="ignore").codes.tolist()
