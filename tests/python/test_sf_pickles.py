# SPDX-License-Identifier: Apache-2.0
"""S46: pickling, copying, hashing: what goes out comes back equal, small, and in bytes that stay readable."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plain
import sf
from plain import WIDTHS, array, codes_of, dtype

# Protocol 4 of sf.from_codes([[1, -2, 3], [-32767, 32767, -32768]]) and of sf.sf8(0.5), as version 1 writes them: they load for
# ever.
ARRAY_1 = bytes.fromhex(
    "8004953d000000000000008c0973662e5f6172726179948c08756e7069636b6c65949394284b018c0473663136944b02"
    "4b038694430c0100feff03000180ff7f008094749452942e")
SCALAR_1 = bytes.fromhex(
    "8004952f000000000000008c0b73662e5f7363616c617273948c0f756e7069636b6c655f7363616c61729493948c0373"
    "6638944b40869452942e")


def same(a, b):
    return type(a) is type(b) and a.dtype is b.dtype and a.shape == b.shape and a.codes.tolist() == b.codes.tolist()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("bits", WIDTHS)
def test_S46_pickles_of_every_protocol(bits, protocol, seed):
    rng = np.random.default_rng(seed + bits)
    for shape in ((), (0,), (3,), (2, 3), (2, 0, 4), (1,) * 12):
        x = array(codes_of(bits, rng, shape, True), bits)
        for view in (x, x.T, x[..., ::-1] if shape else x):
            again = pickle.loads(pickle.dumps(view, protocol))
            assert same(again, view) and again.flags.c_contiguous and again.flags.writeable
    x = dtype(bits).from_code(-1)
    again = pickle.loads(pickle.dumps(x, protocol))
    assert type(again) is dtype(bits) and again.code == -1


@pytest.mark.parametrize("protocol", (2, 3, 4, 5))
def test_S46_a_pickle_is_small(protocol):
    """Less than 120 bytes beside the codes, at any size; a scalar takes less than 70."""
    for n in (0, 1, 1000, 100_000):
        for bits in (4, 16):
            x = sf.zeros((n, 1), dtype(bits))
            assert len(pickle.dumps(x, protocol)) < 120 + x.nbytes * (1 if protocol > 2 else 2)
    assert len(pickle.dumps(sf.sf16(0.5), protocol)) < 70
    part = sf.zeros(10**6)[:10]
    assert len(pickle.dumps(part)) < 200, "of a view, only what it shows"


def test_S46_a_pickle_of_version_1_loads():
    x = pickle.loads(ARRAY_1)
    assert type(x) is sf.sfarray and x.dtype is sf.sf16 and x.codes.tolist() == [[1, -2, 3], [-32767, 32767, -32768]]
    assert x.codes.dtype == np.int16
    assert pickle.dumps(x, 4) == ARRAY_1, "and is what is still written"
    assert repr(pickle.loads(SCALAR_1)) == "sf8(0.5)" and pickle.dumps(sf.sf8(0.5), 4) == SCALAR_1


def test_S46_a_pickle_of_a_later_version_is_refused():
    name = pickle.dumps(sf.zeros(2), 4).replace(b"K\x01\x8c\x04sf16", b"K\x02\x8c\x04sf16")
    with pytest.raises(ValueError, match="version 2"):
        pickle.loads(name)


def test_S46_a_damaged_pickle_is_refused():
    whole = pickle.dumps(sf.array([0.5, 0.25, 0.125]), 4)
    for damaged in (whole.replace(b"sf16", b"sf99"), whole.replace(b"K\x03\x85", b"K\x04\x85"),
                    whole.replace(b"sf16\x94", b"sf17\x94")):
        assert damaged != whole
        with pytest.raises(Exception):
            pickle.loads(damaged)
    wide = pickle.dumps(sf.from_codes([7, -7], sf.sf4), 4)
    with pytest.raises(ValueError):
        pickle.loads(wide.replace(b"\x07\xf9", b"\x7f\xf9"))


@pytest.mark.parametrize("thing", (sf.sf16, sf.sf2, sf.rule("sf"), sf.rule("float32"),
                                   sf.Rule("mine", product="exact", accumulator_bits="product"),
                                   sf.SFOverflowError("x", 1, 2, None), sf.SFReplayError("x", (1,), 2, 3, ("sf",)),
                                   sf.SFStatusError("x"), sf.SFWarning("x")))
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_S46_formats_rules_and_errors(thing, protocol):
    again = pickle.loads(pickle.dumps(thing, protocol))
    assert type(again) is type(thing)
    if isinstance(thing, Exception):
        assert str(again) == str(thing) and vars(again) == vars(thing)
    else:
        assert again == thing and hash(again) == hash(thing)
    if isinstance(thing, type):
        assert again is thing is copy.copy(thing) is copy.deepcopy(thing)


def test_S46_copies_have_their_own_memory():
    x = sf.array([[0.1, 0.2], [0.3, 0.4]])
    for made in (copy.copy(x), copy.deepcopy(x), x.copy(), np.copy(x), x.flatten(), sf.array(x), x.astype(sf.sf16),
                 pickle.loads(pickle.dumps(x))):
        assert type(made) is sf.sfarray and made.codes.reshape(-1).tolist() == x.codes.reshape(-1).tolist()
        assert not np.shares_memory(made.codes, x.codes)
        made[0] = 0.5
    assert x.codes.tolist() == [[3277, 6554], [9830, 13107]]
    assert x.T.copy("F").strides == x.T.strides != x.T.copy().strides == x.strides
    nested = copy.deepcopy({"a": [x, sf.sf8(0.5)], "b": x})
    assert nested["a"][0] is nested["b"] and nested["b"] is not x and same(nested["b"], x), "one object stays one"
    scalar = sf.sf16(0.5)
    assert copy.copy(scalar) == copy.deepcopy(scalar) == scalar


def test_S46_hashes_of_scalars_are_those_of_their_numbers():
    for code in range(-128, 128):
        x = sf.sf8.from_code(code)
        assert hash(x) == hash(code / 128) and {x: 1}[code / 128] == 1 and x in {code / 128} and x == x.astype(sf.sf16,
            over="ignore") or code == -128
    assert len({sf.sf8(0.5), sf.sf16(0.5), 0.5}) == 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(sf.zeros(2))


@settings(max_examples=50)
@given(st.sampled_from(WIDTHS), st.data())
def test_S46_any_array_comes_back(bits, data):
    shape = tuple(data.draw(st.lists(st.integers(0, 3), max_size=4)))
    size = int(np.prod(shape, dtype=int))
    top = plain.top(bits)
    x = array(np.array(data.draw(st.lists(st.integers(-top - 1, top), min_size=size, max_size=size)), int).reshape(shape), bits)
    assert same(pickle.loads(pickle.dumps(x)), x) and same(copy.deepcopy(x), x)
