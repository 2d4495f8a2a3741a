# SPDX-License-Identifier: Apache-2.0
"""Inputs for which an exact sum on vectors was once wrong, against fractions."""

from fractions import Fraction

import bitfold_c
import numpy as np
import pytest

# Products of the least subnormal are exact doubles with bits far below what the exponents of their factors tell.
SUBNORMAL_DOTS = [
    ([-5e-324, -5e-324, 5e-324], [-1.3189137866206e308 / 4, -1.0196e308, -1.5097e308]),
    ([-1.0474e308, -1.4402e307, 1.0503e308, 7.0268e307], [-5e-324, -5e-324, 5e-324, -5e-324]),
]


@pytest.mark.parametrize("repeat", (1, 7, 100))
@pytest.mark.parametrize("x, y", SUBNORMAL_DOTS, ids=("few bits", "many bits"))
def test_dots_of_subnormals(x, y, repeat):
    random = np.random.default_rng(3)
    x, y = np.array(x * repeat), np.array(y * repeat)
    y, x = np.where(abs(y) > 1, y * random.uniform(0.5, 1, y.size), y), np.where(abs(x) > 1, x * random.uniform(0.5, 1, x.size), x)
    exact = sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(x, y))
    got, _ = bitfold_c.reduce("dot:f64:exact", x.view(np.uint64), y.view(np.uint64))
    assert got.view(np.float64) == np.float64(exact.numerator / exact.denominator)
