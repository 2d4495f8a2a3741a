# SPDX-License-Identifier: Apache-2.0
"""Every example of the reference page for reductions, to its last printed digit."""

import numpy as np
import pytest

import sf


@pytest.fixture
def x():
    return sf.array([0.1, -0.25, 0.5], dtype=sf.sf16)


def test_S2_sum_of_the_first_example(x):
    assert repr(x.sum()) == "sf16(0.350006103515625)"
    assert repr(sf.sum(x)) == "sf16(0.350006103515625)"


def test_S2_sum_over_an_axis():
    a = sf.array([[0.1, 0.2], [0.3, 0.4]], dtype=sf.sf16)
    assert repr(a.sum(axis=0)) == "sfarray([0.3999939, 0.6000061], dtype=sf16)"


def test_S2_a_sum_that_passes_the_edge_and_comes_back_raises():
    with pytest.raises(sf.SFOverflowError) as raised:
        sf.array([0.5, 0.5, 0.5, -0.5], dtype=sf.sf16).sum()
    assert str(raised.value) == "sf16 sum: overflow in 1 of 1 element(s)"
    assert type(raised.value).__name__ == "SFOverflowError" and type(raised.value).__module__ == "sf"


def test_S2_under_ignore_it_is_max_minus_one_half():
    y = sf.array([0.5, 0.5, 0.5, -0.5], dtype=sf.sf16)
    with sf.errstate(over="ignore"):
        total = y.sum()
    assert total == y.sum(over="ignore")
    assert f"{float(total):.8f}" == "0.49996948"
    assert float(total) == float(sf.sf16.max) - 0.5
    assert total != 1.0 and total != 0.5
    assert sf.trace(y).codes.tolist() == [16384, 32767, 32767, 16383], "the running total sticks at max after the second element"


def test_S2_dot(x):
    assert repr(sf.dot(x, x)) == "sf16(0.322479248046875)"


def test_S2_max_min_argmax(x):
    assert repr(x.max()) == "sf16(0.5)"
    assert repr(x.min()) == "sf16(-0.25)"
    assert repr(x.argmax()) == "2"


def test_S2_the_page_runs_as_it_stands():
    """The first block of the page, in one namespace."""
    namespace = {}
    exec("import sf\n\nx = sf.array([0.1, -0.25, 0.5], dtype=sf.sf16)\nA = sf.array([[0.1, 0.2], [0.3, 0.4]], dtype=sf.sf16)",
         namespace)
    said = [repr(eval(line, namespace)) for line in ("x.sum()", "sf.sum(x)", "A.sum(axis=0)", "sf.dot(x, x)", "x.max()", "x.min()")]
    assert said == ["sf16(0.350006103515625)"] * 2 + ["sfarray([0.3999939, 0.6000061], dtype=sf16)", "sf16(0.322479248046875)",
                                                    "sf16(0.5)", "sf16(-0.25)"]


def test_S2_the_codes_behind_the_examples(x):
    assert x.codes.tolist() == [3277, -8192, 16384] and x.codes.dtype == np.int16
    assert x.sum().code == 3277 - 8192 + 16384
    assert sf.dot(x, x).code == (3277 * 3277 >> 15) + (8192 * 8192 >> 15) + (16384 * 16384 >> 15)


def test_S2_higher_ranks_are_passed_to_matmul(x):
    a = sf.array([[0.1, 0.2], [0.3, 0.4]], dtype=sf.sf16)
    assert sf.dot(a, a).codes.tolist() == (a @ a).codes.tolist()


def test_S2_every_reduction_goes_through_one_function():
    assert callable(sf._linalg.sum_codes)
