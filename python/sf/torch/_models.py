# SPDX-License-Identifier: Apache-2.0
"""Whole models: torch.nn's layers made SuperFloat's, calibrated by a batch, and taken away without PyTorch."""

from __future__ import annotations

import copy
from typing import Any, Iterable

import torch
from torch import nn

from .._rules import Rule
from . import _headroom
from ._headroom import Headroom
from ._layer import Layer
from ._layers import Conv2d, Linear
from ._network import Deployed, Flatten, ReLU


def convert(model: nn.Module, dtype: Any, *, headroom: Headroom = "row-l1", rule: str | Rule | None = None, over: str | None = "ignore",
            keep: Iterable[str] = (), inplace: bool = False) -> nn.Module:
    """The model with every torch.nn.Linear and torch.nn.Conv2d, however deep, replaced by SuperFloat's, with the same parameters.

    Layers of sf.torch stay as they are, and so does what has no parameters. What has parameters and no SuperFloat form is refused, whole, unless
    `keep` names it; then it stays float. Inputs beyond ±1 are clamped until `calibrate`, or you, set each layer's `input_exponent`.

    Parameters
    ----------
    model : Module
        It is copied, unless inplace; then its parameters are those of the result, and an optimizer that has them goes on.
    dtype, headroom, rule, over
        As `Linear` takes them.
    keep : names
        Modules, as ``named_modules`` names them, that stay as they are.

    Raises
    ------
    TypeError
        A module that cannot be converted, by name.

    >>> import sf, torch
    >>> sf.torch.convert(torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU()), sf.sf8)
    Sequential(
      (0): Linear(in_features=8, out_features=4, bias=True, dtype=sf8, headroom='row-l1')
      (1): ReLU()
    )
    """
    kept = {keep} if isinstance(keep, str) else set(keep)
    unknown = kept - {name for name, _ in model.named_modules()}
    if unknown:
        raise ValueError(f"convert: keep names {', '.join(map(repr, sorted(unknown)))}, which the model does not have")
    _check(model, "", kept)
    model = model if inplace else copy.deepcopy(model)
    options = {"dtype": dtype, "headroom": headroom, "rule": rule, "over": over}
    return _converted(model, "", kept, options, {})


def _has_hooks(module: nn.Module) -> bool:
    return any((module._forward_hooks, module._forward_pre_hooks, module._backward_hooks, module._backward_pre_hooks))


def _check(module: nn.Module, name: str, kept: set[str]) -> None:
    """Refuses what cannot be converted, before anything is."""
    if name in kept or isinstance(module, Layer):
        return
    what = f"convert: {name or 'the model'} is a {type(module).__name__}"
    if type(module) in (nn.Linear, nn.Conv2d):
        if getattr(module, "padding_mode", "zeros") != "zeros":
            raise TypeError(f"{what} with padding_mode={module.padding_mode!r}; padding is with zeros. keep=[{name!r}] leaves it float")
        if _has_hooks(module):
            raise TypeError(f"{what} with hooks, which would be lost. keep=[{name!r}] leaves it float")
        return
    if isinstance(module, (nn.Linear, nn.Conv2d)) or any(True for _ in module.parameters(recurse=False)):
        raise TypeError(f"{what}, which has parameters and no SuperFloat form; Linear and Conv2d do. keep=[{name!r}] leaves it float")
    for child, inner in module.named_children():
        _check(inner, f"{name}.{child}" if name else child, kept)


def _converted(module: nn.Module, name: str, kept: set[str], options: dict[str, Any], done: dict[nn.Module, nn.Module]) -> nn.Module:
    if name in kept or isinstance(module, Layer):
        return module
    if module not in done:
        done[module] = _layer_of(module, options)
        if done[module] is module:
            for child, inner in list(module._modules.items()):
                if inner is not None:
                    module._modules[child] = _converted(inner, f"{name}.{child}" if name else child, kept, options, done)
    return done[module]


def _layer_of(module: nn.Module, options: dict[str, Any]) -> nn.Module:
    """A layer in the place of one of torch.nn's, with its parameters; any other module itself."""
    made: Layer
    with torch.device("meta"):  # parameters without memory or random numbers, since they are replaced at once
        if type(module) is nn.Linear:
            made = Linear(module.in_features, module.out_features, module.bias is not None, **options)
        elif type(module) is nn.Conv2d:
            made = Conv2d(module.in_channels, module.out_channels, module.kernel_size, module.stride, module.padding, module.dilation,
                          module.groups, module.bias is not None, **options)
        else:
            return module
    made._parameters["weight"] = module._parameters["weight"]
    made._parameters["bias"] = module._parameters["bias"]
    return made.train(module.training)


def calibrate(model: nn.Module, *inputs: Any, **named: Any) -> None:
    """Sets exponents by what a batch needs, layer after layer, in one forward pass: ``sf.torch.calibrate(model, batch)``.

    The exponent of each layer's input becomes the least at which no input of the batch is clamped, or, for `Calibrated` headroom, at which its
    quantile is not; that of the weights is chosen as `Calibrated` says. Layers with headroom "none" stay as they are. The pass runs
    without gradients and in evaluation mode; the model's modes are put back.

    Parameters
    ----------
    model : Module
    inputs, named
        What the model is called with.
    """
    layers = [module for module in model.modules() if isinstance(module, Layer)]
    if not layers:
        raise ValueError(f"calibrate: {type(model).__name__} has no layers of sf.torch; sf.torch.convert makes them")
    modes = [(module, module.training) for module in model.modules()]
    token = _headroom.calibrating.set({})
    try:
        with torch.no_grad():
            model.eval()(*inputs, **named)
    finally:
        _headroom.calibrating.reset(token)
        for module, mode in modes:
            module.training = mode


def deploy(model: nn.Module) -> Deployed:
    """A layer, or a Sequential of layers, ReLU and Flatten (and Identity and Dropout, which evaluation leaves out), as a `Deployed` model.

    Its codes are those of the model in evaluation mode, bit for bit.

    Raises
    ------
    TypeError
        A module of another kind, by name.
    """
    return Deployed(_stages(model, ""))


def _stages(module: nn.Module, name: str) -> Iterable[Any]:
    if isinstance(module, Layer):
        yield module.deploy()
    elif type(module) is nn.Sequential:
        for child, inner in module.named_children():
            yield from _stages(inner, f"{name}.{child}" if name else child)
    elif type(module) is nn.ReLU:
        yield ReLU()
    elif type(module) is nn.Flatten:
        yield Flatten(module.start_dim, module.end_dim)
    elif type(module) not in (nn.Identity, nn.Dropout, nn.Dropout2d):
        raise TypeError(f"deploy: {name or 'the model'} is a {type(module).__name__}; layers of sf.torch, Sequential, ReLU and Flatten can be "
                        "deployed; deploy() of a layer deploys it alone")
