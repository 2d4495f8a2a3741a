# SPDX-License-Identifier: Apache-2.0
"""sf.torch on whole models: convert, deploy, state, copies, overflow policies, tensors in and out, and what is refused with which line."""

import copy
import io
import pickle
import subprocess
import sys

import numpy as np
import pytest

import sf
import sf_torch_oracle as oracle

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # the tests share the cores already
nn = torch.nn


def network():
    torch.manual_seed(5)
    return nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Sequential(nn.Conv2d(4, 6, 3, 2, groups=2, bias=False), nn.ReLU(), nn.Identity()),
                         nn.Flatten(), nn.Dropout(0.5), nn.Linear(54, 10))


def images(seed, n=6):
    return torch.from_numpy(np.random.default_rng(seed).uniform(-1.2, 1.2, (n, 1, 8, 8))).float()


def refused(error, call):
    with pytest.raises(error) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    return message


# ---- convert ----


def test_convert_keeps_parameters_shapes_and_modes(seed):
    model, x = network().eval(), images(seed)
    before, state, drawn = copy.deepcopy(model.state_dict()), torch.get_rng_state(), model(x)
    made = sf.torch.convert(model, sf.sf16, headroom="none", rule="sf31", over="warn")
    assert torch.equal(torch.get_rng_state(), state) and torch.equal(model(x), drawn)  # the model itself is as it was
    layers = [m for m in made.modules() if isinstance(m, sf.torch.Layer)]
    assert [type(m) for m in layers] == [sf.torch.Conv2d, sf.torch.Conv2d, sf.torch.Linear]
    assert all((m.dtype, m.headroom, m.rule.name, m.over, m.training) == (sf.sf16, "none", "sf31", "warn", False) for m in layers)
    own = made.state_dict()
    assert [k for k in own if not k.endswith("exponents")] == list(before)
    assert all(torch.equal(own[k], before[k]) and own[k].data_ptr() != model.state_dict()[k].data_ptr() for k in before)
    assert made[2][0].bias is None and made[2][0].groups == 2 and made[0].padding == (1, 1) and made[2][0].stride == (2, 2)
    with sf.errstate(over="ignore"):
        for module in layers:
            module.over = None
        assert made(x).shape == (6, 10)


def test_convert_in_place_keeps_the_very_parameters():
    model = network()
    parameters = list(model.parameters())
    made = sf.torch.convert(model, "sf8", inplace=True)
    assert made is model and all(a is b for a, b in zip(parameters, made.parameters(), strict=True))
    alone = nn.Linear(3, 2)
    layer = sf.torch.convert(alone, sf.sf8, inplace=True)
    assert type(layer) is sf.torch.Linear and layer.weight is alone.weight and layer.bias is alone.bias
    assert sf.torch.convert(layer, sf.sf16, inplace=True) is layer and layer.dtype is sf.sf8  # converted already


def test_convert_shares_what_is_shared():
    class Shared(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(3, 3)
            self.again = self.first
            self.tied = nn.Linear(3, 3, bias=False)
            self.tied.weight = self.first.weight
            self.none = None
            self.inner = nn.ModuleList([nn.ReLU(), nn.ModuleDict({"deep": nn.Linear(3, 1)})])

    model = sf.torch.convert(Shared(), sf.sf8)
    assert type(model.first) is sf.torch.Linear and model.again is model.first and model.tied.weight is model.first.weight
    assert type(model.inner[1]["deep"]) is sf.torch.Linear


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))


def hooked():
    layer = nn.Linear(3, 3)
    layer.register_forward_hook(lambda *_: None)
    return layer


REFUSALS = (
    (lambda: nn.BatchNorm2d(3), "BatchNorm2d, which has parameters and no SuperFloat form; Linear and Conv2d do."),
    (lambda: nn.LSTM(3, 3), "LSTM, which has parameters and no SuperFloat form; Linear and Conv2d do."),
    (lambda: nn.Embedding(3, 3), "Embedding, which has parameters and no SuperFloat form; Linear and Conv2d do."),
    (lambda: nn.Conv1d(3, 3, 1), "Conv1d, which has parameters and no SuperFloat form; Linear and Conv2d do."),
    (lambda: nn.ConvTranspose2d(3, 3, 1), "ConvTranspose2d, which has parameters and no SuperFloat form; Linear and Conv2d do."),
    (lambda: nn.MultiheadAttention(4, 2), "MultiheadAttention, which has parameters and no SuperFloat form; Linear and Conv2d do."),
    (lambda: nn.LazyLinear(3), "LazyLinear, which has parameters and no SuperFloat form; Linear and Conv2d do."),
    (lambda: nn.utils.parametrizations.weight_norm(nn.Linear(3, 3)), "ParametrizedLinear, which has parameters and no SuperFloat form; Linear and "
     "Conv2d do."),
    (Own, "Own, which has parameters and no SuperFloat form; Linear and Conv2d do."),
    (lambda: nn.Conv2d(3, 3, 3, padding=1, padding_mode="reflect"), "Conv2d with padding_mode='reflect'; padding is with zeros."),
    (hooked, "Linear with hooks, which would be lost."),
)


@pytest.mark.parametrize(("make", "text"), REFUSALS, ids=[text.split(" ")[0].rstrip(",") + str(i) for i, (_, text) in enumerate(REFUSALS)])
@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_convert_refuses_whole_what_it_cannot_convert(make, text):
    odd = make()
    model = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.ReLU(), odd))
    assert refused(TypeError, lambda: sf.torch.convert(model, sf.sf8, inplace=True)) == \
        f"convert: 1.1 is a {text} keep=['1.1'] leaves it float"
    assert type(model[0]) is nn.Linear
    made = sf.torch.convert(model, sf.sf8, keep=["1.1"], inplace=True)
    assert type(made[0]) is sf.torch.Linear and made[1][1] is odd
    assert refused(TypeError, lambda: sf.torch.convert(odd, sf.sf8)).startswith("convert: the model is a ")


def test_convert_refuses_names_formats_and_policies():
    model = nn.Sequential(nn.Linear(3, 3))
    assert refused(ValueError, lambda: sf.torch.convert(model, sf.sf8, keep="9")) == "convert: keep names '9', which the model does not have"
    assert type(sf.torch.convert(model, sf.sf8, keep="0")[0]) is nn.Linear
    for wrong, text in ((torch.float32, "torch.float32"), ("sf17", "'sf17'"), (None, "None")):
        message = f"dtype={text} is no SuperFloat format; sf.sf2 to sf.sf16 are"
        assert refused(TypeError, lambda: sf.torch.convert(model, wrong)) == message
        assert refused(TypeError, lambda: sf.torch.Linear(3, 3, dtype=wrong)) == message
    assert refused(ValueError, lambda: sf.torch.Linear(3, 3, rule="x")).startswith("there is no rule 'x'; the rules are sf, ")
    assert refused(ValueError, lambda: sf.torch.Linear(3, 3, over="x")) == "over='x'; it is 'raise', 'warn' or 'ignore'"


# ---- deploy ----


@pytest.mark.parametrize("headroom", ("row-l1", sf.torch.Calibrated(0.95), "none"), ids=str)
@pytest.mark.parametrize("bits", (2, 4, 7, 8, 9, 16))
def test_S45_deployed_models_have_the_models_codes(bits, headroom, seed):
    model = sf.torch.convert(network(), f"sf{bits}", headroom=headroom, rule="systolic24" if bits == 9 else None)
    x = images(seed)
    if headroom != "none":
        sf.torch.calibrate(model, x)
    model.eval()
    chip = sf.torch.deploy(model)
    codes = chip(x.numpy())
    assert codes.dtype.bits == bits and chip.output_exponent == model[5].output_exponent
    assert torch.equal(sf.torch.from_codes(codes, chip.output_exponent), model(x))
    first = sf.torch.to_codes(x, model[0].dtype, model[0].input_exponent, over="ignore")
    assert chip(first).codes.tolist() == codes.codes.tolist()
    again = pickle.loads(pickle.dumps(chip))
    assert again(x.numpy()).codes.tolist() == codes.codes.tolist()
    if bits != 9:
        with sf.device(sf.sim.Device(), replay=True):
            assert chip(x.numpy()).codes.tolist() == codes.codes.tolist()


def test_S45_formats_exponents_and_minus_one_between_layers(seed):
    """Codes between layers are what quantizing the values gives: wider, narrower, other exponents, and -1.0, which some rules return."""
    rng = np.random.default_rng(seed)
    model = nn.Sequential(sf.torch.Linear(5, 6, dtype=sf.sf8, headroom="none", rule="atreides-v1", input_exponent=1),
                          sf.torch.Linear(6, 6, dtype=sf.sf16, headroom="none", input_exponent=-2),
                          sf.torch.Linear(6, 6, dtype=sf.sf5, headroom="none", input_exponent=0),
                          sf.torch.Linear(6, 4, dtype=sf.sf5, headroom="none", input_exponent=0)).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.from_numpy(rng.normal(0, 0.6, tuple(parameter.shape))))
        model[0].weight[0], model[0].bias[0] = 0.9, 0
    x = torch.from_numpy(rng.normal(0, 2, (200, 5)))
    x[0] = -2
    assert -128 in model[0].forward_codes(x).codes
    chip = sf.torch.deploy(model)
    assert torch.equal(sf.torch.from_codes(chip(x.numpy()), chip.output_exponent, dtype=torch.float64), model(x))
    codes = oracle.codes(x.numpy(), 8, 1)
    for layer in model:
        bits, (_, inputs, weights) = layer.dtype.bits, (0, layer.input_exponent, layer.weight_exponent)
        w = oracle.codes(layer.weight.detach().numpy(), bits, weights)
        b = oracle.codes(layer.bias.detach().numpy(), bits, inputs + weights)
        if layer is not model[0]:
            codes = oracle.codes(np.ldexp(codes.astype(float), exponent - before + 1), bits, inputs)
        codes, _ = oracle.linear(layer.rule.name if layer.rule else "sf", bits, codes, w, b)
        exponent, before = inputs + weights, bits
    assert chip(x.numpy()).codes.tolist() == codes.tolist()


def test_deploy_of_a_layer_and_its_refusals():
    layer = sf.torch.Linear(3, 2, dtype=sf.sf8)
    x = np.array([0.5, 0.25, -0.5])
    assert sf.torch.deploy(layer)(x).codes.tolist() == layer.deploy()(x).codes.tolist()
    assert refused(TypeError, lambda: sf.torch.deploy(nn.Sequential(layer, nn.Sequential(nn.Tanh())))) == (
        "deploy: 1.0 is a Tanh; layers of sf.torch, Sequential, ReLU and Flatten can be deployed; deploy() of a layer deploys it alone")
    assert refused(TypeError, lambda: sf.torch.deploy(nn.Linear(3, 2))).startswith("deploy: the model is a Linear; ")
    assert refused(ValueError, lambda: sf.torch.deploy(nn.Sequential(nn.ReLU()))) == (
        "deploy: the model has no layers of sf.torch; sf.torch.convert makes them")
    chip = layer.deploy()
    assert refused(TypeError, lambda: chip(sf.zeros(3, "sf16"))) == f"{chip!r} takes codes of sf8, not of sf16; quantize(x, exponent) makes them"
    assert refused(ValueError, lambda: chip(np.zeros((2, 4)))) == f"{chip!r}: x has shape (2, 4), its last axis should have length 3"
    assert refused(ValueError, lambda: chip(np.array([0.5, np.nan, 0]))) == "x: NaN at (1,): sf8 has no NaN; numpy.nan_to_num replaces it"
    assert repr(sf.torch.deploy(nn.Sequential(layer, nn.ReLU(), nn.Flatten(0)))) == f"Deployed(\n  {chip!r}\n  ReLU()\n  Flatten(start=0, end=-1)\n)"


def test_deployed_flatten_is_torchs(seed):
    x = np.random.default_rng(seed).uniform(-1, 1, (2, 3, 2, 2)).astype(np.float32)
    for start, end in ((1, -1), (0, -1), (0, 1), (2, 3), (1, 2), (-2, -1), (1, 1)):
        shape = nn.Flatten(start, end)(torch.from_numpy(x)).shape
        model = nn.Sequential(nn.Flatten(start, end), nn.ReLU(), sf.torch.Linear(shape[-1], 2, dtype=sf.sf8))
        chip = sf.torch.deploy(model)
        assert torch.equal(sf.torch.from_codes(chip(x), chip.output_exponent), model(torch.from_numpy(x)))


# ---- state ----


def test_state_travels_in_every_way(seed):
    model, x = sf.torch.convert(network(), sf.sf8, headroom=sf.torch.Calibrated(0.9)), images(seed)
    sf.torch.calibrate(model, x)
    model.eval()
    want = model(x)
    fresh = sf.torch.convert(network(), sf.sf8, headroom=sf.torch.Calibrated(0.9)).eval()
    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    buffer.seek(0)
    fresh.load_state_dict(torch.load(buffer, weights_only=True))
    assert torch.equal(fresh(x), want)
    buffer = io.BytesIO()
    torch.save(model, buffer)
    buffer.seek(0)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(buffer, weights_only=False)):
        assert torch.equal(other(x), want) and repr(other) == repr(model)
        other[5].input_exponent += 1
    assert torch.equal(model(x), want)
    assert torch.equal(model.double()(x.double()), want.double()) and torch.equal(model.float()(x), want)


def test_states_of_torch_nn_load_into_layers(seed):
    model, x = network().eval(), images(seed)
    layers = sf.torch.convert(network(), sf.sf16).eval()
    for layer in layers.modules():
        if isinstance(layer, sf.torch.Layer):
            layer.input_exponent = 3
    layers.load_state_dict(model.state_dict())
    assert layers[0].input_exponent == 3
    assert torch.equal(layers(x), sf.torch.convert(model, sf.sf16)(x)) is False  # the exponents are still the layers' own
    linear = sf.torch.Linear(4, 4)
    with pytest.raises(RuntimeError, match="Missing key"):
        linear.load_state_dict({"weight": torch.zeros(4, 4)})


def test_layers_are_torchs_layers():
    torch.manual_seed(3)
    a = nn.Linear(5, 4)
    torch.manual_seed(3)
    b = sf.torch.Linear(5, 4, dtype=sf.sf8)
    assert isinstance(b, nn.Linear) and torch.equal(a.weight, b.weight) and torch.equal(a.bias, b.bias)
    assert b.weight.dtype == torch.float32 and len(list(b.parameters())) == 2
    torch.manual_seed(3)
    c = nn.Conv2d(2, 4, (1, 3), groups=2)
    torch.manual_seed(3)
    d = sf.torch.Conv2d(2, 4, (1, 3), groups=2)
    assert isinstance(d, nn.Conv2d) and torch.equal(c.weight, d.weight) and d.dtype is sf.sf16
    assert b(input=torch.rand(5)).shape == (4,)


# ---- modes of PyTorch ----


def test_no_grad_inference_mode_autocast_and_compile(seed):
    model, x = sf.torch.convert(network(), sf.sf8), images(seed)
    model.eval()
    want = model(x)
    assert want.requires_grad
    with torch.no_grad():
        assert torch.equal(model(x), want) and not model(x).requires_grad
    with torch.inference_mode():
        assert torch.equal(model(x), want)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        made = model(x)
        made.sum().backward()
        assert torch.equal(made, want) and made.dtype == torch.float32
    gradient = model[0].weight.grad.clone()
    model.zero_grad()
    compiled = torch.compile(model, backend="eager")
    made = compiled(x)
    made.sum().backward()
    assert torch.equal(made, want) and torch.equal(model[0].weight.grad, gradient)


# ---- overflow ----


def test_S16_over_is_ignored_unless_a_layer_says_otherwise():
    weights = {"weight": torch.tensor([[0.9, 0.9], [0.1, 0.1]])}
    x, beyond = torch.tensor([[0.9, 0.9], [0.1, 0.2]]), torch.tensor([[0.1, 1.5]])
    layers = {over: sf.torch.Linear(2, 2, False, dtype=sf.sf8, headroom="none", over=over) for over in ("ignore", "warn", "raise", None)}
    for layer in layers.values():
        layer.load_state_dict(weights)
    quiet, inputs = layers["ignore"](x), "sf8 array: overflow in 1 of 2 element(s)"
    assert sf.status.saturated == 1
    assert refused(sf.SFOverflowError, lambda: layers["raise"](x)) == "sf8 matmul: overflow in 1 of 4 element(s)"
    assert refused(sf.SFOverflowError, lambda: layers["raise"](beyond)) == inputs
    assert refused(sf.SFOverflowError, lambda: layers[None](x)) == "sf8 matmul: overflow in 1 of 4 element(s)"
    for context, layer in ((sf.errstate(over="raise"), layers["warn"]), (sf.errstate(over="warn"), layers[None])):
        with context, pytest.warns(sf.SFWarning, match="sf8 matmul: overflow in 1 of 4 ") as seen:
            assert torch.equal(layer(x), quiet)
        assert seen[0].filename == __file__ or "torch" in seen[0].filename
    with sf.errstate(over="ignore"):
        assert torch.equal(layers[None](x), quiet)
    with sf.errstate(over="raise"):
        assert torch.equal(layers["ignore"](x), quiet)
    chip = layers["ignore"].deploy()
    assert chip(x.numpy()).codes.shape == (2, 2)
    assert refused(sf.SFOverflowError, lambda: chip(x.numpy(), over="raise")) == "sf8 matmul: overflow in 1 of 4 element(s)"
    assert refused(sf.SFOverflowError, lambda: chip(beyond.numpy(), over="raise")) == inputs
    assert refused(sf.SFOverflowError, lambda: sf.torch.deploy(layers["ignore"])(x.numpy(), over="raise")).startswith("sf8 matmul")
    layers["raise"].load_state_dict({"weight": torch.tensor([[2.0, 0.1], [0.1, -3.0]])})
    for call in (lambda: layers["raise"](x), layers["raise"].deploy):
        assert refused(sf.SFOverflowError, call) == "sf8 array: overflow in 2 of 4 element(s)"


# ---- tensors and codes ----


@pytest.mark.parametrize("bits", range(2, 17))
def test_S42_tensors_to_codes_and_back(bits, seed):
    rng = np.random.default_rng(seed + bits)
    dtype = getattr(sf, f"sf{bits}")
    values = rng.normal(0, 1, (20, 30)) * 2.0 ** rng.integers(-20, 4, (20, 30))
    values[0, :4] = np.inf, -np.inf, 1e308, 5e-324
    ties = (np.arange(-40, 40) + 0.5) * 2.0 ** (1 - bits)
    values[1:4].flat[: len(ties)] = ties
    for exponent in (-64, -5, 0, 1, 64):
        scaled = torch.from_numpy(values) * 2.0**exponent
        for given in (scaled, scaled.float(), torch.from_numpy(values.T)[3:, ::2]):
            own = given.numpy().astype(float)
            want, clamped = oracle.codes(own, bits, exponent), oracle.clamps(own, bits, exponent)
            codes = sf.torch.to_codes(given, dtype, exponent, over="ignore")
            assert codes.dtype is dtype and codes.codes.tolist() == want.tolist()
            if clamped:
                text = f"sf{bits} array: overflow in {clamped} of {own.size} element(s)"
                assert refused(sf.SFOverflowError, lambda: sf.torch.to_codes(given, dtype, exponent)) == text
                assert refused(sf.SFOverflowError, lambda: sf.torch.quantize(given, dtype, exponent, over="raise")) == text
            for kind in (torch.float32, torch.float64):
                back = sf.torch.from_codes(codes, exponent, dtype=kind)
                assert back.dtype == kind and back.tolist() == np.ldexp(want.astype(float), exponent - bits + 1).tolist()
            assert torch.equal(sf.torch.quantize(given, dtype, exponent).double(), back)
            assert sf.torch.to_codes(back, dtype, exponent).codes.tolist() == want.tolist()


def test_tensors_to_codes_of_any_rank():
    for x in (torch.tensor(0.5), torch.zeros(0), torch.zeros(2, 0, 3), torch.tensor([[[0.5]]])):
        codes = sf.torch.to_codes(x, "sf8")
        assert codes.shape == tuple(x.shape) and torch.equal(sf.torch.from_codes(codes), x) and torch.equal(sf.torch.quantize(x, sf.sf8), x)
    assert sf.torch.from_codes(sf.sf8(0.5)).item() == 0.5
    assert torch.from_numpy(sf.torch.to_codes(torch.tensor([0.5]), sf.sf8).codes).dtype == torch.int8


def test_S43_nan_is_refused_everywhere():
    x = torch.tensor([[0.5, 0.5], [0.5, float("nan")]])
    text = "NaN at (1, 1): sf8 has no NaN; numpy.nan_to_num replaces it"
    layer = sf.torch.Linear(2, 2, dtype=sf.sf8)
    for call, what in ((lambda: sf.torch.to_codes(x, sf.sf8, over="ignore"), "x"), (lambda: sf.torch.quantize(x, sf.sf8), "x"),
                       (lambda: layer(x), "input"), (lambda: layer.forward_codes(x), "input")):
        assert refused(ValueError, call) == f"{what}: {text}"
    layer.weight.data[1, 1] = layer.bias.data[0] = float("nan")
    for headroom in ("none", "row-l1"):
        layer.headroom = headroom
        assert refused(ValueError, lambda: layer(x[:1])).startswith("weight: ")


def test_tensors_that_are_refused():
    layer = sf.torch.Linear(2, 2, dtype=sf.sf8)
    for x, text in ((torch.zeros(2, device="meta"), "is on meta; SuperFloat layers run on the CPU, to which .cpu() moves a tensor or a model"),
                    (torch.zeros(2).half(), "is torch.float16; SuperFloat codes are made of float32 and float64, which .float() and .double() give"),
                    (torch.zeros(2, dtype=torch.int8), "is torch.int8; SuperFloat codes are made of float32 and float64, which .float() and .double() give"),
                    (torch.zeros(2, 2).to_sparse(), "is torch.sparse_coo; .to_dense() makes it strided"),
                    (np.zeros(2, np.float32), "is a ndarray, not a tensor")):
        assert refused(TypeError, lambda: layer(x)) == f"input {text}"
        assert refused(TypeError, lambda: sf.torch.quantize(x, sf.sf8)) == f"x {text}"
        assert refused(TypeError, lambda: sf.torch.to_codes(x, sf.sf8)) == f"x {text}"
    assert refused(TypeError, lambda: layer.half()(torch.zeros(2))).startswith("weight is torch.float16; ")
    assert refused(TypeError, lambda: sf.torch.from_codes(torch.zeros(2))) == "from_codes takes an sfarray, not Tensor; sf.from_codes makes one of integers"
    assert refused(TypeError, lambda: sf.torch.from_codes(sf.zeros(2), dtype=torch.float16)) == \
        "dtype=torch.float16; values of codes are torch.float32 or torch.float64"


def test_shapes_that_are_refused():
    layer, conv = sf.torch.Linear(3, 2, dtype=sf.sf8), sf.torch.Conv2d(2, 3, 3, dtype=sf.sf8)
    for shape in ((), (2,), (3, 4), (2, 0)):
        assert refused(ValueError, lambda: layer(torch.zeros(shape))).endswith(f": x has shape {shape}, its last axis should have length 3")
    for shape in ((2, 5), (3, 5, 5), (1, 1, 5, 5), (1, 1, 2, 5, 5)):
        assert refused(ValueError, lambda: conv(torch.zeros(shape))).endswith(
            f": x has shape {shape}; it should have (2, height, width), with or without a batch before")
    for shape in ((2, 2, 5), (1, 2, 5, 0), (4, 2, 1, 1)):
        assert refused(ValueError, lambda: conv(torch.zeros(shape))).endswith(f": x has shape {shape}; the kernel does not fit into it")


# ---- the module ----


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)


def test_sf_does_not_load_pytorch_and_works_without():
    done = run("import sys, sf; assert 'torch' not in sys.modules and 'sf.torch' not in sys.modules; sf.torch.Linear; assert 'torch' in sys.modules")
    assert (done.returncode, done.stderr) == (0, "")
    for use in ("sf.torch", "from sf.torch import Linear", "import sf.torch"):
        done = run(f"import sys; sys.modules['torch'] = None; import sf; sf.zeros(3).sum(); {use}")
        assert done.returncode == 1
        error, _, said = done.stderr.splitlines()[-1].partition(": ")
        assert error == ("AttributeError" if use == "sf.torch" else "ImportError")  # so that hasattr, help() and the like go on
        assert said.endswith("sf.torch needs PyTorch: pip install 'bitfold[torch]'")


def test_what_runs_deployed_names_no_pytorch():
    for module in (sf.torch._deployed, sf.torch._network, sf.torch._scaled):
        assert "torch" not in vars(module)


def test_names_are_listed_and_documented():
    assert set(sf.torch.__all__) <= set(dir(sf.torch))
    for name in sf.torch.__all__:
        assert getattr(sf.torch, name).__doc__, name
