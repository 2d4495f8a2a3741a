# SPDX-License-Identifier: Apache-2.0
"""What layers lost: outputs that clamped and products that vanished, by layer and channel."""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, Iterator, Mapping

import numpy as np

if TYPE_CHECKING:
    from torch import nn

    from .._array import sfarray
    from ._deployed import DeployedLayer
    from ._layer import Layer

Counts = np.ndarray[Any, np.dtype[np.int64]]


class LayerReport:
    """What one layer lost while its report was on. str() of it is a table, a line for each output channel.

    Attributes
    ----------
    name : str
        In the model, as ``named_modules`` gives it.
    clamped : ndarray of int64, (channels,)
        Outputs that clamped at some step, also those that came back into range (S14, S15).
    outputs : int
        Outputs of each channel.
    vanished : ndarray of int64, (channels,)
        Products of a weight and an input, neither of code 0, that were narrowed to 0 (S19).
    products : int
        Products of weights and inputs for each channel, those with a 0 among them; the bias is none.
    inputs_clamped, inputs : int
        Inputs that were clamped when they became codes, and all.
    weights_clamped : int
        Weights and biases that were clamped when they became codes, the last time.
    """

    def __init__(self, name: str, layer: Layer) -> None:
        channels = layer.weight.shape[0]
        self.name = name
        self.layer = f"{type(layer).__name__}, {layer.dtype}, {layer.headroom}"
        self.clamped: Counts = np.zeros(channels, np.int64)
        self.vanished: Counts = np.zeros(channels, np.int64)
        self.outputs = self.products = self.inputs = self.inputs_clamped = self.weights_clamped = 0

    def _add(self, stage: DeployedLayer, codes: sfarray, clamped: int, weights_clamped: int) -> None:
        more, gone = stage.count(codes)
        batch, _, places, _ = stage.rows(codes).shape
        self.clamped += more
        self.vanished += gone
        self.outputs += batch * places
        self.products += batch * places * stage.terms
        self.inputs += codes.size
        self.inputs_clamped += clamped
        self.weights_clamped = weights_clamped

    def __str__(self) -> str:
        head = ("channel", "outputs", "clamped", "products", "vanished")
        lines = [(str(i), str(self.outputs), str(clamped), str(self.products), str(gone))
                 for i, (clamped, gone) in enumerate(zip(self.clamped, self.vanished))]
        title = f"{self.name or 'the layer'} ({self.layer}): {self.inputs_clamped} of {self.inputs} inputs clamped"
        return f"{title}, {self.weights_clamped} weights\n{_table([head, *lines])}"

    def __repr__(self) -> str:
        return f"<{self.name or 'the layer'}: {self.clamped.sum()} outputs clamped, {self.vanished.sum()} products vanished>"


class Report(Mapping[str, LayerReport]):
    """A `LayerReport` for each layer, by its name in the model; str() of it is a table, a line for each layer. Made by `report`."""

    def __init__(self, model: nn.Module) -> None:
        from ._layer import Layer

        self._layers = {module: LayerReport(name, module) for name, module in model.named_modules() if isinstance(module, Layer)}
        if not self._layers:
            raise ValueError(f"report: {type(model).__name__} has no layers of sf.torch; sf.torch.convert makes them")
        self._tokens: list[Token[tuple[Report, ...]]] = []

    def __enter__(self) -> Report:
        self._tokens.append(_active.set((*_active.get(), self)))
        return self

    def __exit__(self, *_: object) -> None:
        _active.reset(self._tokens.pop())

    def __getitem__(self, name: str) -> LayerReport:
        for found in self._layers.values():
            if found.name == name:
                return found
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (found.name for found in self._layers.values())

    def __len__(self) -> int:
        return len(self._layers)

    def __str__(self) -> str:
        lines: list[tuple[str, ...]] = [("layer", "outputs", "clamped", "products", "vanished", "inputs", "clamped")]
        for found in self._layers.values():
            channels = len(found.clamped)
            numbers = (found.outputs * channels, found.clamped.sum(), found.products * channels, found.vanished.sum(), found.inputs,
                       found.inputs_clamped)
            lines.append((found.name or "the layer", *map(str, numbers)))
        return _table(lines)

    __repr__ = __str__


_active: ContextVar[tuple[Report, ...]] = ContextVar("sf.torch reports", default=())


def report(model: nn.Module) -> Report:
    """Counts, in a block, what each layer of a model loses: ``with sf.torch.report(model) as r: model(x)``.

    Counting is done on the host, by the layer's rule, and costs about as much as the forward pass again. Reports nest; one that is
    entered again goes on counting.

    >>> import sf, torch
    >>> model = sf.torch.Linear(2, 1, bias=False, dtype=sf.sf8, headroom="none")
    >>> _ = model.load_state_dict({"weight": torch.tensor([[0.875, 0.0625]])})
    >>> with sf.torch.report(model) as r:
    ...     y = model(torch.tensor([[0.5, 0.5], [0.875, 0.0625]]))
    >>> print(r[""])
    the layer (Linear, sf8, none): 0 of 4 inputs clamped, 0 weights
    channel  outputs  clamped  products  vanished
    0              2        0         4         1
    """
    return Report(model)


def note(layer: Layer, stage: DeployedLayer, codes: sfarray, clamped: int, weights_clamped: int) -> None:
    """Adds a forward pass to the reports that are on."""
    for active in _active.get():
        if layer in active._layers:
            active._layers[layer]._add(stage, codes, clamped, weights_clamped)


def _table(lines: list[tuple[str, ...]]) -> str:
    """Columns of equal width, the first flush left, the others flush right."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(zip(line, widths))).rstrip()
                     for line in lines)
