# SPDX-License-Identifier: Apache-2.0
"""Trains a network on handwritten digits with SuperFloat's arithmetic, deploys it as codes, and checks that the codes are the same.

    python examples/torch/digits.py [--quick] [--plot FILE.png]

One network, 64-32-10, is trained in float, converted to each width with each headroom policy, trained on with the arithmetic of the chip,
and deployed. For each the script prints the exponents of its layers, input + weights, how many of the unseen digits it reads, and what its
layers lost on them; --plot draws the digits read against the width. --quick does less of it all. Weights are float64 here, so that the
differences between machines' matrix products, which gradients go through, stay far below what rounding to codes shows.
"""

import argparse
import copy
import pathlib

import numpy as np
import torch
from torch import nn

import sf

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
TRAINING = 1500  # digits; the other 297 are by other hands
BATCH = 50
HEADROOMS = {"row-l1": "row-l1", "calibrated": sf.torch.Calibrated(0.999), "none": "none"}


def digits():
    """(training images, training labels, test images, test labels); pixels are 0 to 16/17, for there is no 1.0."""
    images = torch.from_numpy(np.load(DATA / "digits.npy")).double() / 17
    labels = torch.from_numpy(np.load(DATA / "digits_labels.npy")).long()
    return images[:TRAINING], labels[:TRAINING], images[TRAINING:], labels[TRAINING:]


def network(rng):
    """64-32-10 with ReLU, its weights drawn by NumPy, whose generators give the same numbers in every version."""
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)).double()
    with torch.no_grad():
        for layer in (model[0], model[2]):
            layer.weight.copy_(torch.from_numpy(rng.normal(0, layer.in_features**-0.5, layer.weight.shape)))
            layer.bias.zero_()
    return model


def train(model, images, labels, epochs, rate, rng):
    """Adam on shuffled batches."""
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for _ in range(epochs):
        for batch in rng.permutation(len(images)).reshape(-1, BATCH):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images[batch]), labels[batch]).backward()
            optimizer.step()


def accuracy(guesses, labels):
    """The share of right guesses."""
    return float((np.asarray(guesses) == labels.numpy()).mean())


def deployed(model, images):
    """The network without PyTorch, and its codes for the images, which are proved to be those of the model, bit for bit."""
    chip = sf.torch.deploy(model)
    codes = chip(images.numpy())
    with torch.no_grad():
        trained = sf.torch.to_codes(model(images), codes.dtype, chip.output_exponent)
    assert np.array_equal(codes.codes, trained.codes), "the deployed codes are not those of the trained forward"
    with sf.device(sf.sim.Device(), replay=True):  # a simulated chip, whose every word is compared with the host's
        assert np.array_equal(chip(images.numpy()).codes, codes.codes)
    return chip, codes


def one(model, bits, headroom, data, epochs):
    """Converts, calibrates, trains on and deploys; prints a line and returns the accuracy of the deployed codes."""
    images, labels, unseen, truth = data
    model = sf.torch.convert(copy.deepcopy(model), f"sf{bits}", headroom=HEADROOMS[headroom])
    sf.torch.calibrate(model, images)
    train(model, images, labels, epochs, 0.003, np.random.default_rng(1))
    chip, codes = deployed(model, unseen)
    with sf.torch.report(model) as report, torch.no_grad():
        model(unseen)
    clamped = sum(int(layer.clamped.sum()) for layer in report.values()) / sum(layer.outputs * len(layer.clamped) for layer in report.values())
    gone = sum(int(layer.vanished.sum()) for layer in report.values()) / sum(layer.products * len(layer.vanished) for layer in report.values())
    right = accuracy(codes.argmax(axis=1), truth)
    exponents = "  ".join(f"{stage.input_exponent:2} + {stage.weight_exponent:2}" for stage in (chip.stages[0], chip.stages[2]))
    print(f"sf{bits:<4}  {headroom:10}  {exponents}  {right:8.1%}  {clamped:7.1%}  {gone:8.1%}", flush=True)
    return right


def plot(path, widths, found, floats):
    """Accuracy against width, a line for each headroom policy."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for headroom, mark in zip(HEADROOMS, "os^"):
        axes.plot(widths, [100 * found[bits, headroom] for bits in widths], marker=mark, label=f"headroom {headroom}")
    axes.axhline(100 * floats, color="gray", linestyle="--", label="float")
    axes.set(xlabel="width N of sfN, bits", ylabel="unseen digits read, %", xticks=widths, ylim=(0, 100))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120, metadata={"Software": None})


def main():
    parser = argparse.ArgumentParser(description="digits in SuperFloat, trained and deployed")
    parser.add_argument("--quick", action="store_true", help="sf8 and sf16 only, and fewer epochs")
    parser.add_argument("--plot", metavar="FILE", help="draw accuracy against width")
    options = parser.parse_args()
    widths = [8, 16] if options.quick else list(range(4, 17))
    torch.set_num_threads(1)
    data, rng = digits(), np.random.default_rng(0)
    model = network(rng)
    train(model, data[0], data[1], 5 if options.quick else 20, 0.01, rng)
    with torch.no_grad():
        floats = accuracy(model(data[2]).argmax(1), data[3])
    print("format  headroom    layer 1  layer 2  accuracy  clamped  vanished")
    print(f"float{'':33}{floats:8.1%}")
    found = {(bits, headroom): one(model, bits, headroom, data, 1 if options.quick else 5) for bits in widths for headroom in HEADROOMS}
    print(f"The deployed codes are those of the trained forward, bit for bit: {len(found)} networks, {len(data[2])} images each.")
    if options.plot:
        plot(options.plot, widths, found, floats)


if __name__ == "__main__":
    main()
