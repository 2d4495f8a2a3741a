# SPDX-License-Identifier: Apache-2.0
"""Linear and Conv2d: torch.nn's layers with SuperFloat's arithmetic."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .._rules import Rule
from ._deployed import DeployedConv2d, DeployedLinear
from ._headroom import Headroom
from ._layer import Layer, Parameters

_ARGUMENTS = """
    dtype : sf2 ... sf16
        The format of input, weights and output. (The float weights are float32, or as ``.double()`` makes them.)
    headroom : "row-l1", Calibrated or "none"
        Which power of two the weights are scaled down by. "row-l1": the least at which no input whatever can clamp an output, because the
        magnitudes of the codes that make an output, the bias's among them, add up to the largest code at most; it follows the weights.
        `Calibrated`: the least at which a stated share of a batch's outputs does not clamp; it stays until the next `calibrate`. "none": 2^0.
        Exponents may be negative: small weights are scaled up. Each product is narrowed before it is added, so scaling down makes
        products vanish; `report` counts both.
    rule : str or Rule
        How the chip adds; None: the rule in use, as `sf.use_rule` says.
    over : "ignore", "raise", "warn" or None
        What clamped inputs and outputs do. They are ignored by default, unlike elsewhere in `sf`, because training meets the edges all the time,
        and counted by `report`; None: as `sf.errstate` says.
    input_exponent : int
        The codes of the input stand for code / 2^(N-1) * 2^input_exponent, so inputs beyond ±2^input_exponent are clamped; -64 to 64.
"""


class Linear(Layer, nn.Linear):
    __doc__ = f"""torch.nn.Linear with SuperFloat's arithmetic: (..., in_features) to (..., out_features). See `Layer` for what is computed.

    Parameters
    ----------
    in_features, out_features, bias
        As torch.nn.Linear's, initialisation included.{_ARGUMENTS}
    Raises, when called
    -------------------
    ValueError
        NaN in the input, the weights or the bias (S43); a last axis that is not in_features.
    TypeError
        An input that is not float32 or float64 on the CPU.

    >>> import sf, torch
    >>> layer = sf.torch.Linear(3, 2, dtype=sf.sf8)
    >>> layer
    Linear(in_features=3, out_features=2, bias=True, dtype=sf8, headroom='row-l1')
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, *, dtype: Any = "sf16", headroom: Headroom = "row-l1",
                 rule: str | Rule | None = None, over: str | None = "ignore", input_exponent: int = 0) -> None:
        nn.Linear.__init__(self, in_features, out_features, bias)
        self._prepare(dtype, headroom, rule, over, input_exponent)

    def _deployed(self, parameters: Parameters, rule: Rule) -> DeployedLinear:
        return DeployedLinear(parameters.weight, parameters.bias, (self.input_exponent, parameters.exponent), rule, self.over)

    def _real(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        return functional.linear(x, weight, bias)


class Conv2d(Layer, nn.Conv2d):
    __doc__ = f"""torch.nn.Conv2d with SuperFloat's arithmetic: (batch, channels, height, width), or without batch. See `Layer` for what is computed.

    The terms of an output are added channel by channel, in each along the kernel's rows: the sequence of ``weight.reshape(out_channels, -1)``.
    Padding adds products of 0, which no rule tells from none.

    Parameters
    ----------
    in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias
        As torch.nn.Conv2d's, initialisation included; padding is with zeros.{_ARGUMENTS}
    Raises, when called
    -------------------
    ValueError
        NaN in the input, the weights or the bias (S43); a shape that the kernel does not fit.
    TypeError
        An input that is not float32 or float64 on the CPU.

    >>> import sf, torch
    >>> sf.torch.Conv2d(1, 2, kernel_size=3, padding=1, dtype=sf.sf8, headroom="none")
    Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), dtype=sf8, headroom='none')
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1,
                 bias: bool = True, *, dtype: Any = "sf16", headroom: Headroom = "row-l1", rule: str | Rule | None = None,
                 over: str | None = "ignore", input_exponent: int = 0) -> None:
        nn.Conv2d.__init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)
        self._prepare(dtype, headroom, rule, over, input_exponent)

    def _edges(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Zeros above and below, left and right."""
        if self.padding == "valid":
            return (0, 0), (0, 0)
        if self.padding == "same":
            wanted = [step * (k - 1) for step, k in zip(self.dilation, self.kernel_size)]
            rows, columns = ((n // 2, n - n // 2) for n in wanted)
            return rows, columns
        down, across = (int(n) for n in self.padding)
        return (down, down), (across, across)

    def _deployed(self, parameters: Parameters, rule: Rule) -> DeployedConv2d:
        stride, dilation = ((int(pair[0]), int(pair[1])) for pair in (self.stride, self.dilation))
        return DeployedConv2d(parameters.weight, parameters.bias, (self.input_exponent, parameters.exponent), rule, self.over, self.groups, stride,
                              self._edges(), dilation)

    def _real(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        return functional.conv2d(x, weight, bias, self.stride, self.padding, self.dilation, self.groups)
