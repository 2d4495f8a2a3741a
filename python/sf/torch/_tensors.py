# SPDX-License-Identifier: Apache-2.0
"""Tensors to SuperFloat codes and back, and gradients that pass straight through a rounding, within bounds."""

from __future__ import annotations

import functools
from typing import Any, Callable, TypeVar, cast

import numpy as np
import torch

from .._array import sfarray
from .._events import settle
from .._scalars import format_of, sfscalar
from .._settings import check_policy
from ._scaled import Values, check_exponent, coded, valued

FLOATS = {torch.float32: np.dtype(np.float32), torch.float64: np.dtype(np.float64)}


Function = TypeVar("Function", bound=Callable[..., Any])


def eager(function: Function) -> Function:
    """The function, hidden from torch.compile, which would take NumPy's arrays in it for tensors."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if torch.compiler.is_compiling():  # only then, since it loads the compiler, which takes seconds
            return torch.compiler.disable(function)(*arguments, **named)  # type: ignore[no-untyped-call]
        return function(*arguments, **named)

    return cast(Function, call)


def array_of(x: Any, what: str) -> Values:
    """The numbers of a tensor, in its own memory, or a line that says why it has none here."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{what} is a {type(x).__name__}, not a tensor")
    if x.device.type != "cpu":
        raise TypeError(f"{what} is on {x.device}; SuperFloat layers run on the CPU, to which .cpu() moves a tensor or a model")
    if x.dtype not in FLOATS:
        raise TypeError(f"{what} is {x.dtype}; SuperFloat codes are made of float32 and float64, which .float() and .double() give")
    if x.layout is not torch.strided:
        raise TypeError(f"{what} is {x.layout}; .to_dense() makes it strided")
    return np.asarray(x.detach().resolve_neg().numpy())


class Through(torch.autograd.Function):
    """Forward: the given values. Backward: to `real`, which they stand for, the gradient where `inside` holds, and 0 elsewhere."""

    @staticmethod
    def forward(ctx: Any, real: torch.Tensor, values: Values, inside: Values) -> torch.Tensor:
        ctx.save_for_backward(torch.from_numpy(inside))
        return torch.from_numpy(values)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (inside,) = ctx.saved_tensors
        return gradients[0] * inside, None, None


def through(real: torch.Tensor, values: Values, inside: Values) -> torch.Tensor:
    """A tensor of the values whose gradient goes to `real`."""
    made: torch.Tensor = Through.apply(real, values, inside)
    return made


def rounded(x: torch.Tensor, codes: sfarray, exponent: int) -> torch.Tensor:
    """The values of x's codes; the gradient passes where -max <= x <= max, at that exponent."""
    given, dtype = array_of(x, "x"), codes.dtype
    limit = valued(np.array(dtype.max_code), dtype.bits, exponent, given.dtype)
    return through(x, valued(codes.codes, dtype.bits, exponent, given.dtype), np.asarray(np.abs(given) <= limit))


@eager
def quantize(x: torch.Tensor, dtype: Any, exponent: int = 0, *, over: str | None = "ignore") -> torch.Tensor:
    """The nearest values of a format, ties to even, clamped to its edges, as a tensor of x's shape and type.

    The gradient is the bounded straight-through estimator: 1 where -max <= x <= max, 0 outside.

    Parameters
    ----------
    x : Tensor
        float32 or float64, on the CPU, of any shape.
    dtype : sf.sf2 ... sf.sf16
    exponent : int
        The values are code / 2^(N-1) * 2^exponent; -64 to 64.
    over : "ignore", "raise", "warn" or None
        What a clamp does. It is ignored by default, unlike elsewhere in `sf`, because training meets the edges all the time; None: as
        `sf.errstate` says.

    Raises
    ------
    ValueError
        NaN in x (S43).

    >>> import sf, torch
    >>> sf.torch.quantize(torch.tensor([0.3, 0.4375, -2.0]), sf.sf4)
    tensor([ 0.2500,  0.5000, -0.8750])
    """
    codes = to_codes(x, dtype, exponent, over=over)
    if torch.is_grad_enabled() and x.requires_grad:
        return rounded(x, codes, check_exponent(exponent))
    return torch.from_numpy(valued(codes.codes, codes.dtype.bits, exponent, FLOATS[x.dtype]))


def to_codes(x: torch.Tensor, dtype: Any, exponent: int = 0, *, over: str | None = None) -> sfarray:
    """The sfarray of a tensor's numbers times 2^-exponent, each rounded to nearest, ties to even, and clamped (S42).

    A clamp is an event of the operation ``array``, as in `sf.array`: it raises unless `over` or `sf.errstate` says otherwise.

    >>> import sf, torch
    >>> sf.torch.to_codes(torch.tensor([0.5, -3.0]), sf.sf8, exponent=2)
    sfarray([ 0.125, -0.75 ], dtype=sf8)
    """
    dtype = format_of(dtype)
    if over is not None:
        check_policy(over)
    codes, clamped = coded(array_of(x, "x"), dtype, check_exponent(exponent), "x")
    settle(dtype.__name__, "array", clamped, codes.size, codes, over)
    return codes


def from_codes(codes: sfarray | sfscalar, exponent: int = 0, *, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A tensor of the values of an sfarray times 2^exponent, exactly. (``torch.from_numpy(x.codes)`` gives the integers.)

    >>> import sf
    >>> sf.torch.from_codes(sf.array([0.125, -0.75], dtype=sf.sf8), exponent=2)
    tensor([ 0.5000, -3.0000])
    """
    if not isinstance(codes, (sfarray, sfscalar)):
        raise TypeError(f"from_codes takes an sfarray, not {type(codes).__name__}; sf.from_codes makes one of integers")
    if dtype not in FLOATS:
        raise TypeError(f"dtype={dtype}; values of codes are torch.float32 or torch.float64")
    return torch.from_numpy(valued(codes.codes, codes.dtype.bits, check_exponent(exponent), FLOATS[dtype]))
