# SPDX-License-Identifier: Apache-2.0
"""Makes the files in examples/data from data sets that scikit-learn and statsmodels ship; `make data` runs it.

examples/data/README.md says where each file comes from and under which licence it stands.
"""

import pathlib
import sys

import numpy as np
from sklearn.datasets import load_digits
from statsmodels.datasets import co2

HIDDEN = 32
STEPS = 2000
RATE = 0.5
DECAY = 1e-3
TRAINING_ROWS = 1500


def train(images, labels):
    """Weights (64, 32) and (32, 10) of a tanh network, by gradient descent over all training images at once, from a seed.

    All is float64, so the differences between machines' matrix products stay far below what rounding to float16 shows.
    """
    rng = np.random.default_rng(0)
    first = rng.normal(0, 1 / 8, (64, HIDDEN))
    second = rng.normal(0, 1 / 6, (HIDDEN, 10))
    wanted = np.eye(10)[labels]
    for _ in range(STEPS):
        hidden = np.tanh(images @ first)
        scores = np.exp(hidden @ second)
        error = (scores / scores.sum(axis=1, keepdims=True) - wanted) / len(images)
        back = (error @ second.T) * (1 - hidden**2)
        second -= RATE * (hidden.T @ error + DECAY * second)
        first -= RATE * (images.T @ back + DECAY * first)
    return first, second


def main(folder):
    """Writes all files into the folder and prints how well the network knows images that it has not seen."""
    folder = pathlib.Path(folder)
    images, labels = load_digits(return_X_y=True)
    np.save(folder / "digits.npy", np.ascontiguousarray(images, dtype=np.float32))

    first, second = train(images[:TRAINING_ROWS] / 16, labels[:TRAINING_ROWS])
    weights = first.astype(np.float16)
    np.save(folder / "weights_f16.npy", weights)
    guesses = (np.tanh(images[TRAINING_ROWS:] / 16 @ weights) @ second).argmax(axis=1)
    print(f"the network reads {(guesses == labels[TRAINING_ROWS:]).mean():.1%} of {len(guesses)} unseen digits")

    signal = co2.load_pandas().data["co2"].dropna().to_numpy(dtype=np.float32)
    np.save(folder / "co2.npy", signal)
    np.save(folder / "co2_shuffled.npy", np.random.default_rng(1).permutation(signal))

    np.save(folder / "overflow_sf16.npy", (np.array([0.5, 0.5, 0.5, -0.5]) * 2**15).astype(np.int16))


if __name__ == "__main__":
    main(sys.argv[1])
