# SPDX-License-Identifier: Apache-2.0
"""S19: products that round to zero are no events, and are counted on demand."""

import numpy as np
import pytest

import plain
import sf
from plain import AxisError, array, codes_of


def test_S19_a_product_that_rounds_to_zero_is_no_event():
    a = array([11, -11, 11, 3, 0], 8)
    assert (a * a).codes.tolist() == [0] * 5 and sf.dot(a, a).code == 0 and sf.status.saturated == 0
    assert sf.vanished(a, a) == 4, "the opt-in report: neither operand is 0, the product is"
    assert sf.vanished(array([12], 8), array([12], 8)) == 0 and (array([12], 8) * array([12], 8)).codes.tolist() == [1]


@pytest.mark.parametrize("rule", [r.name for r in sf.rules()])
@pytest.mark.parametrize("bits", (2, 5, 8, 16))
def test_S19_vanished_products_are_counted_by_the_rule(bits, rule, seed):
    rng = np.random.default_rng(seed + bits)
    a, b = codes_of(bits, rng, (4, 30), True, 0.9), codes_of(bits, rng, (30,), True, 0.9)
    fields = plain.rules.NAMED[rule]
    want = [sum(plain.rules.vanishes(fields, bits, int(x), int(y)) for x, y in zip(row, b)) for row in a]
    assert sf.vanished(array(a, bits), array(b, bits), rule=rule).tolist() == want
    with sf.use_rule(rule):
        assert sf.vanished(array(a, bits), array(np.broadcast_to(b, a.shape), bits), axis=None) == sum(want)
        assert sf.vanished(array(a[0], bits), array(b, bits)) == want[0]


def test_S19_the_axes_of_the_count(seed):
    rng = np.random.default_rng(seed)
    a, b = codes_of(8, rng, (3, 1, 4), wild=0.9), codes_of(8, rng, (5, 4), wild=0.9)
    lost = np.array([[[plain.rules.vanishes(plain.rules.NAMED["sf"], 8, int(x), int(y)) for x, y in zip(p, q)] for q in b]
                     for p in a[:, 0]])
    x, y = array(a, 8), array(b, 8)
    assert sf.vanished(x, y).tolist() == lost.sum(axis=-1).tolist(), "the outer axes are broadcast"
    for axis in (-1, 0, 1, (0, 2), (1, -1), None, ()):
        got = sf.vanished(np.broadcast_to(x, (3, 5, 4)), np.broadcast_to(y, (3, 5, 4)), axis=axis)
        want = lost.sum(axis=axis)
        assert np.shape(got) == want.shape and np.asarray(got).tolist() == want.tolist()
    assert type(sf.vanished(x[0, 0], y[0])) is int


def test_S19_what_the_count_refuses():
    a = array([1, 2])
    for call, error in ((lambda: sf.vanished(a, [1, 2]), TypeError), (lambda: sf.vanished(a, array([1, 2, 3])), ValueError),
                        (lambda: sf.vanished(a, array([1])), ValueError),
                        (lambda: sf.vanished(a, a, axis=1), AxisError), (lambda: sf.vanished(a, a, rule="sf17"), ValueError)):
        with pytest.raises(error) as raised:
            call()
        assert "\n" not in str(raised.value)
