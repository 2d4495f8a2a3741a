# SPDX-License-Identifier: Apache-2.0
"""What Linear and Conv2d share: float weights that are codes in the forward pass, exponents, headroom, and the gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from .._array import sfarray
from .._events import settle
from .._rules import Rule
from .._rules import rule as _rule
from .._scalars import format_of
from .._settings import check_policy, current
from . import _headroom
from ._deployed import DeployedLayer, constant_weights
from ._headroom import Calibrated, Headroom
from ._report import note
from ._scaled import EXPONENT_MAX, Values, check_exponent, coded, valued
from ._tensors import FLOATS, array_of, eager, rounded, through


@dataclass(frozen=True)
class Parameters:
    """Weight and bias as codes, with the weight's exponent, and how many of both were clamped."""

    exponent: int
    weight: sfarray
    bias: sfarray | None
    clamped: int


class Layer(nn.Module):
    """The base of `Linear` and `Conv2d`.

    Forward: the input is rounded to codes with `input_exponent`, the weights with `weight_exponent`, which the headroom policy chooses, the bias with
    `output_exponent`; each output is one saturating chain, `sf.matmul`, of these codes, whose last term, if there is a bias, is the product of the
    largest code and a weight that makes the bias of it. The result is code / 2^(N-1) * 2^output_exponent, exactly, in the input's type. `weight`
    and `bias` themselves stay float.

    Backward, the bounded straight-through estimator: an output passes its gradient on unless its code sits at an edge of the format, to the real
    linear map of the rounded input, weights and bias; from there it reaches an input, a weight or a bias where this lies between the format's
    edges, -max to max, at its exponent. Exponents have no gradient.

    Attributes
    ----------
    dtype : sf2 ... sf16
        The format of the codes (that of the float weights is ``weight.dtype``).
    headroom : "row-l1", Calibrated or "none"
    rule : Rule or None
    over : str or None
    """

    dtype: Any
    headroom: Headroom
    rule: Rule | None
    over: str | None
    weight: Any
    bias: Any
    exponents: torch.Tensor

    def _prepare(self, dtype: Any, headroom: Headroom, rule: str | Rule | None, over: str | None, input_exponent: int) -> None:
        self.dtype = format_of(dtype)
        self.headroom = _headroom.check_headroom(headroom)
        self.rule = None if rule is None else _rule(rule)
        self.over = None if over is None else check_policy(over)
        state = torch.tensor([check_exponent(input_exponent), 0, 0], device="cpu")  # input, calibrated weights, whether they are calibrated
        self.register_buffer("exponents", state)

    @property
    def input_exponent(self) -> int:
        """The exponent of the input's codes; it may be set, and `calibrate` sets it."""
        return int(self.exponents[0])

    @input_exponent.setter
    def input_exponent(self, exponent: int) -> None:
        self.exponents[0] = check_exponent(exponent)

    @property
    def weight_exponent(self) -> int:
        """The exponent of the weights' codes, which the headroom policy chooses."""
        return self._coded(self._own_rule()).exponent

    @property
    def output_exponent(self) -> int:
        """The exponent of the output's codes: the sum of the other two."""
        return self.input_exponent + self.weight_exponent

    def _own_rule(self) -> Rule:
        return current.get().rule if self.rule is None else self.rule

    # ---- parameters as codes ----

    def _coded_at(self, exponent: int, input_exponent: int) -> Parameters:
        weight, clamped = coded(array_of(self.weight, "weight"), self.dtype, exponent, "weight")
        if self.bias is None:
            return Parameters(exponent, weight, None, clamped)
        bias, more = coded(array_of(self.bias, "bias"), self.dtype, exponent + input_exponent, "bias")
        return Parameters(exponent, weight, bias, clamped + more)

    def _first_exponent(self, input_exponent: int) -> int:
        """The least exponent at which no weight and no bias need be clamped; 0 where all are 0."""
        least = _headroom.first_exponent(array_of(self.weight, "weight"), "weight")
        if self.bias is not None:
            least = max(least, _headroom.first_exponent(array_of(self.bias, "bias"), "bias") - input_exponent)
        return least if least > -EXPONENT_MAX else 0

    def _first_roomy_exponent(self, input_exponent: int) -> int:
        """As above, and no lower than where the rows' codes would add up to more than max even if each were rounded down by a half."""
        weight = array_of(self.weight, "weight")
        rows = np.abs(weight).sum(axis=tuple(range(1, weight.ndim)), dtype=np.float64)
        excess = float(rows.max(initial=0)) * self.dtype.scale / (self.dtype.max_code + math.prod(weight.shape[1:]) / 2)
        return max(self._first_exponent(input_exponent), math.frexp(excess)[1] - 1 if excess else -EXPONENT_MAX)

    def _coded(self, rule: Rule) -> Parameters:
        """Weight and bias as codes, at the exponent of the headroom policy."""
        _, weights, calibrated = self.exponents.tolist()
        if self.headroom == _headroom.NONE:
            return self._coded_at(0, self.input_exponent)
        if isinstance(self.headroom, Calibrated):
            if not calibrated:
                raise RuntimeError(f"{type(self).__name__}: headroom={self.headroom} needs sf.torch.calibrate(model, batch) first")
            return self._coded_at(weights, self.input_exponent)
        return self._roomy(rule)

    def _roomy(self, rule: Rule) -> Parameters:
        """Codes at the least exponent at which no input whatever clamps an output: the magnitudes of each row's codes add up to max at most."""
        found: list[Parameters] = []

        def fits(exponent: int) -> bool:
            made = self._coded_at(exponent, self.input_exponent)
            found[:] = [made]
            rows = np.abs(made.weight.codes.astype(np.int64)).sum(axis=tuple(range(1, made.weight.ndim)))
            if made.bias is not None:
                rows += np.abs(constant_weights(made.bias, rule).astype(np.int64))
            return not made.clamped and int(rows.max(initial=0)) <= self.dtype.max_code

        _headroom.least_exponent(fits, self._first_roomy_exponent(self.input_exponent), type(self).__name__)
        return found[0]

    # ---- the forward pass ----

    def deploy(self) -> DeployedLayer:
        """The layer as codes and integers, a function of codes that needs no PyTorch; the rule in use is kept in it."""
        return self._stage()[1]

    def _stage(self) -> tuple[Parameters, DeployedLayer]:
        rule = self._own_rule()
        parameters = self._coded(rule)
        total = sum(codes.size for codes in (parameters.weight, parameters.bias) if codes is not None)
        settle(self.dtype.__name__, "array", parameters.clamped, total, None, self.over)
        return parameters, self._deployed(parameters, rule)

    def forward_codes(self, input: torch.Tensor) -> sfarray:
        """The codes of the output, which stand for code / 2^(N-1) * 2^output_exponent; no gradient."""
        return self._run(input)[3]

    def _run(self, input: torch.Tensor) -> tuple[sfarray, Parameters, DeployedLayer, sfarray]:
        given = array_of(input, "input")
        if _headroom.calibrating.get() is not None:
            self._calibrate(given)
        parameters, stage = self._stage()
        codes, clamped = coded(given, self.dtype, stage.input_exponent, "input")
        settle(self.dtype.__name__, "array", clamped, codes.size, codes, self.over)
        made = stage(codes)
        note(self, stage, codes, clamped, parameters.clamped)
        return codes, parameters, stage, made

    @eager
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        codes, parameters, stage, made = self._run(input)
        values = valued(made.codes, self.dtype.bits, stage.output_exponent, FLOATS[input.dtype])
        if not (torch.is_grad_enabled() and (input.requires_grad or any(p.requires_grad for p in self.parameters()))):
            return torch.from_numpy(values)
        x = rounded(input, codes, stage.input_exponent)
        weight = rounded(self.weight, parameters.weight, parameters.exponent).to(x.dtype)
        bias = None
        if self.bias is not None and parameters.bias is not None:
            bias = rounded(self.bias, parameters.bias, stage.output_exponent).to(x.dtype)
        with torch.autocast("cpu", enabled=False):
            real = self._real(x, weight, bias)
        return through(real, values, np.abs(made.codes.astype(np.int32)) < self.dtype.max_code)

    def _deployed(self, parameters: Parameters, rule: Rule) -> DeployedLayer:
        raise NotImplementedError

    def _real(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        """The map that the chain of fma stands for."""
        raise NotImplementedError

    # ---- calibration ----

    def _calibrate(self, given: Values) -> None:
        """Sets the exponents by this input; where a layer runs several times in a batch, each run may only raise them."""
        if self.headroom == _headroom.NONE:
            return
        run = _headroom.calibrating.get()
        assert run is not None
        if not given.size:
            raise ValueError(f"{type(self).__name__}: there is nothing to calibrate by in a batch of shape {given.shape}")
        least, start = run.get(self, (-EXPONENT_MAX, -EXPONENT_MAX))
        least = max(least, _headroom.input_exponent(given, self.dtype, self.headroom))
        self.exponents[0] = least
        if isinstance(self.headroom, Calibrated):
            start = self._calibrated_exponent(coded(given, self.dtype, least, "input")[0], max(start, self._first_exponent(least)))
            self.exponents[1:] = torch.tensor([start, 1])
        run[self] = least, start

    def _calibrated_exponent(self, codes: sfarray, start: int) -> int:
        rule, enough = self._own_rule(), _headroom.share(self.headroom)

        def fits(exponent: int) -> bool:
            parameters = self._coded_at(exponent, self.input_exponent)
            if parameters.clamped:
                return False
            clamped, outputs = self._deployed(parameters, rule).clamped(codes)
            return outputs - clamped >= enough * outputs

        return _headroom.least_exponent(fits, start, type(self).__name__)

    # ---- PyTorch's protocols ----

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        state_dict.setdefault(prefix + "exponents", self.exponents)  # so that the state of a layer of torch.nn loads too
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def extra_repr(self) -> str:
        rule = "" if self.rule is None else f", rule={self.rule.name!r}"
        return f"{super().extra_repr()}, dtype={self.dtype}, headroom={self.headroom!r}{rule}"
