# SPDX-License-Identifier: Apache-2.0
"""PyTorch layers whose arithmetic is SuperFloat's: train with the chip's bits, then take the codes away without PyTorch.

    >>> import sf, torch
    >>> layer = sf.torch.Linear(3, 1, bias=False, dtype=sf.sf8)
    >>> _ = layer.load_state_dict({"weight": torch.tensor([[0.5, 1.0, -0.75]])})
    >>> layer(torch.tensor([0.5, 0.25, 0.25]))
    tensor([0.3125], grad_fn=<ThroughBackward>)
    >>> layer.deploy()(sf.array([0.5, 0.25, 0.25], dtype=sf.sf8))
    sfarray([0.078125], dtype=sf8)

Layers
    Linear, Conv2d, and convert, which makes them of those in a model
Headroom
    headroom="row-l1" (the default), Calibrated with calibrate, "none"
Values and codes
    quantize, to_codes, from_codes
What was lost
    report
Without PyTorch
    deploy

A tensor of codes with exponent e stands for values code / 2^(N-1) * 2^e: each layer has an exponent for its input, one for its weights, and the
sum of both for its output. Everything runs on the CPU, and every sum goes through the one door that `sf.matmul` goes through.
"""

from __future__ import annotations

try:
    import torch as _torch  # noqa: F401
except ImportError as _missing:
    raise ImportError("sf.torch needs PyTorch: pip install 'bitfold[torch]'") from _missing

from ._deployed import DeployedConv2d, DeployedLayer, DeployedLinear
from ._headroom import Calibrated
from ._layer import Layer
from ._layers import Conv2d, Linear
from ._models import calibrate, convert, deploy
from ._network import Deployed
from ._report import LayerReport, Report, report
from ._tensors import from_codes, quantize, to_codes

__all__ = ["Calibrated", "Conv2d", "Deployed", "DeployedConv2d", "DeployedLayer", "DeployedLinear", "Layer", "LayerReport", "Linear", "Report",
           "calibrate", "convert", "deploy", "from_codes", "quantize", "report", "to_codes"]

for _public in (Calibrated, Conv2d, Layer, LayerReport, Linear, Report, calibrate, convert, deploy, from_codes, quantize, report, to_codes):
    _public.__module__ = "sf.torch"  # what messages and help() say


def __dir__() -> list[str]:
    return [*__all__, "__doc__"]
