# SPDX-License-Identifier: Apache-2.0
"""A model without PyTorch: deployed layers, ReLU and Flatten, one after the other on codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable

import numpy as np

from .._array import sfarray
from ._deployed import DeployedLayer


@dataclass(frozen=True)
class ReLU:
    """max(x, 0)."""

    def __call__(self, x: Any) -> Any:
        return np.maximum(x, 0)


@dataclass(frozen=True)
class Flatten:
    """The axes from start to end as one."""

    start: int
    end: int

    def __call__(self, x: Any) -> Any:
        start, end = self.start % x.ndim, self.end % x.ndim
        return x.reshape(*x.shape[:start], int(np.prod(x.shape[start : end + 1])), *x.shape[end + 1 :])


class Deployed:
    """A model as codes, made by `deploy`: called with numbers, or with codes for its first layer, it gives the codes of the outputs.

    Between layers the codes are rounded, and clamped, to the exponent and format of the next layer's input, as the PyTorch model does.

    Attributes
    ----------
    stages : tuple
        `DeployedLayer`, and what has no parameters.
    output_exponent : int
        The outputs stand for code / 2^(N-1) * 2^output_exponent.
    """

    def __init__(self, stages: Iterable[Any]) -> None:
        self.stages = tuple(stages)
        exponents = [stage.output_exponent for stage in self.stages if isinstance(stage, DeployedLayer)]
        if not exponents:
            raise ValueError("deploy: the model has no layers of sf.torch; sf.torch.convert makes them")
        self.output_exponent: int = exponents[-1]

    def __call__(self, x: Any, *, over: str | None = None) -> sfarray:
        """Codes of the outputs; over is instead of each layer's."""
        exponent: int | None = None
        for stage in self.stages:
            if isinstance(stage, DeployedLayer):
                x = stage(stage.quantize(x, exponent, over=over), over=over)
                exponent = stage.output_exponent
            else:
                x = stage(x)
        return x  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return "Deployed(\n" + "".join(f"  {stage!r}\n" for stage in self.stages) + ")"
