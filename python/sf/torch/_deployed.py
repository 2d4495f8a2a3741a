# SPDX-License-Identifier: Apache-2.0
"""Layers without PyTorch: weights as codes, exponents, a rule, and one matmul; what the PyTorch layers themselves run."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _linalg
from .._array import sfarray
from .._events import settle
from .._functions import matmul, vanished
from .._rules import Rule
from .._scalars import sfscalar
from .._settings import check_policy
from ._scaled import coded, valued

Pair = tuple[int, int]


def constant_weights(bias: sfarray, rule: Rule) -> Any:
    """Codes whose products with the largest code are the codes of the bias.

    That product falls short by less than one code, which a rule that narrows it toward zero, or a positive one down, makes one code: there the
    weight is one further from 0, so that the term is the bias itself. (Only the bias of the largest code itself stays one code short.)
    """
    codes, edge = bias.codes.astype(np.int64), bias.dtype.max_code
    further = {"toward-zero": np.sign(codes), "floor": codes > 0}.get(rule.product, 0)
    return np.clip(codes + further, -edge, edge).astype(bias.dtype.storage)


class DeployedLayer:
    """A layer as codes, made by ``layer.deploy()``: called with codes it gives codes, with the bits of the layer it was made of.

    Each output is one chain of fma by the rule: the products over k in the layer's sequence, and as its last term, if there is a bias, the product
    of the largest code and a weight that makes the bias of it. It runs where `sf.matmul` does, so ``with sf.device(chip):`` runs it on a chip.

    Attributes
    ----------
    weight, bias : sfarray
        Codes; bias may be None. The weights' exponent is `weight_exponent`, the bias's `output_exponent`.
    dtype : sf2 ... sf16
    input_exponent, weight_exponent, output_exponent : int
        Codes of exponent e stand for code / 2^(N-1) * 2^e.
    rule : Rule
    over : str or None
        What a clamp does; None: as `sf.errstate` says.
    """

    def __init__(self, weight: sfarray, bias: sfarray | None, exponents: Pair, rule: Rule, over: str | None, groups: int = 1) -> None:
        self.weight = weight
        self.bias = bias
        self.dtype = weight.dtype
        self.input_exponent, self.weight_exponent = exponents
        self.rule = rule
        self.over = over
        self.groups = groups
        self.terms = int(np.prod(weight.shape[1:]))
        rows = weight.codes.reshape(groups, weight.shape[0] // groups, self.terms)
        if bias is not None:
            rows = np.concatenate([rows, constant_weights(bias, rule).reshape(groups, -1, 1)], axis=2)
        self._matrix = weight._like(rows)

    @property
    def output_exponent(self) -> int:
        return self.input_exponent + self.weight_exponent

    def quantize(self, x: Any, exponent: int | None = None, *, over: str | None = None) -> sfarray:
        """The codes that the layer takes of numbers, of an sfarray of its own format and exponent, or of any sfarray with the exponent given."""
        if isinstance(x, sfarray) and exponent is None:
            if x.dtype is not self.dtype:
                raise TypeError(f"{self!r} takes codes of {self.dtype}, not of {x.dtype}; quantize(x, exponent) makes them")
            return x
        if isinstance(x, (sfarray, sfscalar)):
            x = valued(x.codes, x.dtype.bits, exponent or 0, np.float64)
        codes, clamped = coded(np.asarray(x), self.dtype, self.input_exponent, "x")
        settle(self.dtype.__name__, "array", clamped, codes.size, codes, self.over if over is None else over)
        return codes

    def __call__(self, x: Any, *, over: str | None = None) -> sfarray:
        """Codes of the outputs, with `output_exponent`.

        Parameters
        ----------
        x : sfarray, or numbers
            Codes with `input_exponent`; numbers are quantized with it.
        over : "raise", "warn" or "ignore"
            Instead of the layer's, for this call.
        """
        over = self.over if over is None else check_policy(over)
        codes = self.quantize(x, over=over)
        made = matmul(self.rows(codes), self._matrix.mT, over=over, rule=self.rule)
        return self._shaped(made, codes.shape)

    def clamped(self, codes: sfarray) -> Pair:
        """How many outputs clamped at some step, as the host counts them, and how many there are."""
        rows, matrix = self.rows(codes).codes, self._matrix.codes
        made, clamped = _linalg.sum_codes(rows[..., :, None, :], matrix[..., None, :, :], self.dtype.bits, self.rule, -1, False)
        return clamped, made.size

    def count(self, codes: sfarray) -> tuple[Any, Any]:
        """For each output channel: outputs that clamped at some step, and products of weights that vanished (S14, S19)."""
        rows, bits = self.rows(codes), self.dtype.bits
        clamped, gone = [], []
        for group, matrix in enumerate(self._matrix):
            own = rows[:, group]
            clamped += [_linalg.sum_codes(own.codes, row.codes[None, None], bits, self.rule, -1, False)[1] for row in matrix]
            weights = matrix[None, None, :, : self.terms]
            gone.append(vanished(own[:, :, None, : self.terms], weights, -1, rule=self.rule).sum(axis=(0, 1)))
        return np.array(clamped, np.int64), np.concatenate(gone)

    def rows(self, codes: sfarray) -> sfarray:
        """The terms of every output, (batch, groups, places, terms); the constant input is the last, where there is a bias."""
        made = self._windows(codes.codes)
        if self.bias is not None:
            constant = np.broadcast_to(self.dtype.storage.type(self.dtype.max_code), (*made.shape[:-1], 1))
            made = np.concatenate([made, constant], axis=-1)
        return codes._like(made)

    def _windows(self, codes: Any) -> Any:
        raise NotImplementedError

    def _shaped(self, made: sfarray, shape: tuple[int, ...]) -> sfarray:
        raise NotImplementedError


class DeployedLinear(DeployedLayer):
    """A linear layer as codes: (..., in) to (..., out); k is the input feature. See `DeployedLayer`."""

    def __repr__(self) -> str:
        out, features = self.weight.shape
        return f"DeployedLinear({features}, {out}, dtype={self.dtype}, exponent {self.input_exponent} to {self.output_exponent}, {self.rule.name})"

    def _windows(self, codes: Any) -> Any:
        if not codes.ndim or codes.shape[-1] != self.terms:
            raise ValueError(f"{self!r}: x has shape {codes.shape}, its last axis should have length {self.terms}")
        return codes.reshape(1, 1, int(np.prod(codes.shape[:-1])), self.terms)

    def _shaped(self, made: sfarray, shape: tuple[int, ...]) -> sfarray:
        return made.reshape(*shape[:-1], self.weight.shape[0])


class DeployedConv2d(DeployedLayer):
    """A 2-D convolution as codes: (batch, channels, height, width), or without batch; k walks (channel, kernel row, kernel column).

    See `DeployedLayer`; padding is ((top, bottom), (left, right)) zeros, the other attributes are those of torch.nn.Conv2d.
    """

    def __init__(self, weight: sfarray, bias: sfarray | None, exponents: Pair, rule: Rule, over: str | None, groups: int = 1, stride: Pair = (1, 1),
                 padding: tuple[Pair, Pair] = ((0, 0), (0, 0)), dilation: Pair = (1, 1)) -> None:
        super().__init__(weight, bias, exponents, rule, over, groups)
        self.stride = stride
        self.padding = padding
        self.dilation = dilation

    def __repr__(self) -> str:
        out, inner, *kernel = self.weight.shape
        return (f"DeployedConv2d({inner * self.groups}, {out}, {tuple(kernel)}, dtype={self.dtype}, "
                f"exponent {self.input_exponent} to {self.output_exponent}, {self.rule.name})")

    def _places(self, shape: tuple[int, ...]) -> Pair:
        """Height and width of the output."""
        channels = self.weight.shape[1] * self.groups
        if len(shape) not in (3, 4) or shape[-3] != channels:
            raise ValueError(f"{self!r}: x has shape {shape}; it should have ({channels}, height, width), with or without a batch before")
        height, width = ((n + sum(pad) - step * (k - 1) - 1) // stride + 1 for n, pad, step, k, stride
                         in zip(shape[-2:], self.padding, self.dilation, self.weight.shape[2:], self.stride))
        if height < 1 or width < 1:
            raise ValueError(f"{self!r}: x has shape {shape}; the kernel does not fit into it")
        return height, width

    def _windows(self, codes: Any) -> Any:
        height, width = self._places(codes.shape)
        batch = codes if codes.ndim == 4 else codes[None]
        padded = np.pad(batch, ((0, 0), (0, 0), *self.padding))
        spans = tuple(step * (k - 1) + 1 for step, k in zip(self.dilation, self.weight.shape[2:]))
        windows = np.lib.stride_tricks.sliding_window_view(padded, spans, axis=(2, 3))
        windows = windows[:, :, :: self.stride[0], :: self.stride[1], :: self.dilation[0], :: self.dilation[1]]
        rows = windows.transpose(0, 2, 3, 1, 4, 5).reshape(len(batch), height * width, self.groups, self.terms)
        return rows.swapaxes(1, 2)

    def _shaped(self, made: sfarray, shape: tuple[int, ...]) -> sfarray:
        channels_first = made.swapaxes(2, 3).copy()
        return channels_first.reshape(*shape[:-3], self.weight.shape[0], *self._places(shape))
