# SPDX-License-Identifier: Apache-2.0
"""Makes the files in examples/data from data sets of scikit-learn and statsmodels and a network of RapidOCR; `make data` runs it.

examples/data/README.md says where each file comes from and under which licence it stands.
"""

import importlib.util
import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator
from sklearn.datasets import load_digits
from statsmodels.datasets import co2

HIDDEN = 32
STEPS = 2000
RATE = 0.5
DECAY = 1e-3
TRAINING_ROWS = 1500

NETWORK = "models/ch_ppocr_mobile_v2.0_cls_infer.onnx"
LAYER = "relu_1.tmp_0"  # what the network's first global average pooling reads
HEIGHT = 48  # of the images that the network was trained for


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


def network():
    """The text direction classifier that rapidocr_onnxruntime ships, in float64; its second result is the layer's output.

    In float64 the differences between machines' matrix products stay far below what rounding to float32 shows.
    """
    package = importlib.util.find_spec("rapidocr_onnxruntime").submodule_search_locations[0]
    model = onnx.load(pathlib.Path(package) / NETWORK)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.t.data_type == onnx.TensorProto.FLOAT:
                wide = numpy_helper.to_array(attribute.t).astype(np.float64)
                attribute.t.CopyFrom(numpy_helper.from_array(wide))
    model.graph.output.append(onnx.helper.make_tensor_value_info(LAYER, onnx.TensorProto.DOUBLE, None))
    return ReferenceEvaluator(model)


def text_line(images):
    """8x8 images side by side, HEIGHT pixels high by linear interpolation, as the network wants pixels: from -1 to 1."""
    at = (np.arange(HEIGHT) + 0.5) * 8 / HEIGHT - 0.5
    enlarge = np.stack([np.interp(at, np.arange(8), unit) for unit in np.eye(8)], axis=1)
    return np.hstack([enlarge @ image.reshape(8, 8) @ enlarge.T for image in images]) / 8 - 1


def features(images):
    """A feature map {2, 12, 96, 8} of four digits in a line, upright and turned round, and the network's opinions of the two."""
    line = text_line(images[:4])
    both = np.stack([line, line[::-1, ::-1]])[:, None].repeat(3, axis=1)
    opinions, layer = network().run(None, {"x": both})
    return np.ascontiguousarray(layer.transpose(0, 2, 3, 1)), opinions


def main(folder):
    """Writes all files into the folder and prints how well the networks know images that they have not seen."""
    folder = pathlib.Path(folder)
    images, labels = load_digits(return_X_y=True)
    np.save(folder / "digits.npy", np.ascontiguousarray(images, dtype=np.float32))
    np.save(folder / "digits_labels.npy", labels.astype(np.uint8))

    first, second = train(images[:TRAINING_ROWS] / 16, labels[:TRAINING_ROWS])
    weights = first.astype(np.float16)
    np.save(folder / "weights_f16.npy", weights)
    guesses = (np.tanh(images[TRAINING_ROWS:] / 16 @ weights) @ second).argmax(axis=1)
    print(f"the network reads {(guesses == labels[TRAINING_ROWS:]).mean():.1%} of {len(guesses)} unseen digits")

    signal = co2.load_pandas().data["co2"].dropna().to_numpy(dtype=np.float32)
    np.save(folder / "co2.npy", signal)
    np.save(folder / "co2_shuffled.npy", np.random.default_rng(1).permutation(signal))

    layer, opinions = features(images)
    np.save(folder / "features_f32.npy", layer.astype(np.float32))
    np.save(folder / "features_f16.npy", layer.astype(np.float16))
    print(f"{opinions[0, 0]:.2%} sure that the upright line is upright, {opinions[1, 1]:.2%} that the other one is not")

    np.save(folder / "overflow_sf16.npy", (np.array([0.5, 0.5, 0.5, -0.5]) * 2**15).astype(np.int16))


if __name__ == "__main__":
    main(sys.argv[1])
