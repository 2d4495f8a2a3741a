# SPDX-License-Identifier: Apache-2.0
"""The worked example in its short form prints what its README.md shows, and the examples in the docstrings of sf.torch hold."""

import doctest
import importlib
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import sf

torch = pytest.importorskip("torch")
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/torch"


def test_the_example_prints_what_its_readme_shows(tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "accuracy.png"
    done = subprocess.run([sys.executable, str(EXAMPLE / "digits.py"), "--quick", "--plot", str(picture)], capture_output=True, text=True, timeout=500,
                          cwd=tmp_path, env={**os.environ, "MPLCONFIGDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert f"$ python examples/torch/digits.py --quick\n{done.stdout}```" in (EXAMPLE / "README.md").read_text()
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert [path for path in EXAMPLE.iterdir() if path.name not in ("README.md", "digits.py", "__pycache__")] == []


def test_the_picture_and_the_labels_are_there():
    assert (ROOT / "docs/sf-torch-accuracy.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    images, labels = (np.load(ROOT / "examples/data" / name) for name in ("digits.npy", "digits_labels.npy"))
    assert labels.dtype == np.uint8 and labels.shape == images.shape[:1] == (1797,)
    assert labels[:10].tolist() == list(range(10)) and np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


@pytest.mark.parametrize("module", ("", "._tensors", "._layer", "._layers", "._headroom", "._report", "._models", "._network", "._deployed", "._scaled"))
def test_docstrings(module):
    found = importlib.import_module(f"sf.torch{module}")
    parts = doctest.DocTestFinder(exclude_empty=True).find(found, module=False) if not module else doctest.DocTestFinder().find(found)
    failures = sum(doctest.DocTestRunner(verbose=False).run(part).failed for part in parts)
    assert failures == 0
    assert module or sum(len(part.examples) for part in parts) > 20 and sf.torch is found
