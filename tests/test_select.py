# SPDX-License-Identifier: Apache-2.0
"""max, min, argmax and argmin: both NaN policies, ties, signed zeros, signalling payloads, subnormals, every format."""

import itertools

import numpy as np
import pytest

import bitfold_c
import witness
from oracle import data
from oracle.formats import FLOATS, FORMATS
from oracle.reduce import reduce

SELECT = ("max", "min", "argmax", "argmin")
POLICIES = ("propagate", "ignore")
CODES = [name for name in FORMATS if name not in FLOATS]


def compare(contract, x, element):
    got, report = bitfold_c.reduce(contract, x, axes=1)
    want = [reduce(contract, row)[0] for row in x]
    output = "i64" if contract.startswith("arg") else element
    witness.same(contract, got, want, x, element, output)
    assert report.outputs == len(x) and report.clamped == 0 and report.overflowed == 0


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("nan", POLICIES)
@pytest.mark.parametrize("operation", SELECT)
def test_every_length(operation, nan, element, seed):
    for n in (*range(1, 70), 127, 128, 129, 255, 256, 257, 300):
        x = np.stack([data.floats(element, kind, n, seed + n + i) for i, kind in enumerate(data.FLOAT_KINDS)])
        compare(f"{operation}:{element}:nan={nan}", x, element)


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("nan", POLICIES)
@pytest.mark.parametrize("operation", SELECT)
def test_every_triple_of_special_values(operation, nan, element):
    f = FORMATS[element]
    special = [0, 1, f.inf - 1, f.inf, f.inf + 1, f.nan, 1 << (f.precision - 1)]
    every = np.array(list(itertools.product([k | s for k in special for s in (0, f.sign_bit)], repeat=3)), f.storage)
    compare(f"{operation}:{element}:nan={nan}", every, element)


@pytest.mark.parametrize("element", ("f16", "bf16"))
@pytest.mark.parametrize("nan", POLICIES)
@pytest.mark.parametrize("operation", SELECT)
def test_every_half_against_special_values(operation, nan, element):
    """All 65536 patterns, alone and beside 0, -0, 1, -1, Inf, -Inf and a signalling NaN."""
    f, one = FORMATS[element], FORMATS[element].round(1)
    every, contract = np.arange(65536, dtype=np.uint16), f"{operation}:{element}:nan={nan}"
    key = np.where(every & 0x8000, -(every & 0x7FFF).astype(int), (every & 0x7FFF).astype(int))
    number = (every & 0x7FFF) <= f.inf
    single = bitfold_c.reduce(contract, every[:, None], axes=1)[0]
    want = np.zeros(65536) if operation.startswith("arg") else np.where(number, every, f.nan)
    witness.same(contract, single, want, every[:, None], element, "i64" if operation.startswith("arg") else element)
    for other in (0, 0x8000, one, one | 0x8000, f.inf, f.inf | 0x8000, f.inf + 1):
        other_number, other_key = not f.is_nan(other), -(other & 0x7FFF) if other & 0x8000 else other
        second = (other_key > key) if operation.endswith("max") else (other_key < key)
        wins = np.where(number, second & other_number, other_number if nan == "ignore" else False)
        if nan == "propagate":
            wins |= number & (not other_number)
        pair = np.stack([every, np.full(65536, other, np.uint16)], axis=1)
        taken = np.where(wins, np.uint16(other), every)
        want = wins if operation.startswith("arg") else np.where((taken & 0x7FFF) <= f.inf, taken, f.nan)
        witness.same(contract, bitfold_c.reduce(contract, pair, axes=1)[0], want, pair, element,
                     "i64" if operation.startswith("arg") else element)


@pytest.mark.parametrize("element", CODES)
@pytest.mark.parametrize("operation", SELECT)
def test_S29_exact_selection_on_codes_without_events(operation, element, seed):
    for n in (1, 2, 3, 7, 8, 9, 16, 33, 64, 65, 129, 300):
        x = np.stack([data.codes(element, n, seed + n + i, i % 2 == 1 and element[0] == "i") for i in range(6)])
        compare(f"{operation}:{element}", x, element)


@pytest.mark.parametrize("element", ("i8", "i32", "i64"))
@pytest.mark.parametrize("operation", SELECT)
def test_every_triple_of_edges_of_integers(operation, element):
    """Among them the least number, which has no negative, and what float keys mean by NaN."""
    f = FORMATS[element]
    edges = [f.low, f.low + 1, f.low + 2, -1, 0, 1, f.high - 1, f.high]
    compare(f"{operation}:{element}", np.array(list(itertools.product(edges, repeat=3)), f.storage), element)
    for edge in (f.low, f.low + 1, f.high):
        compare(f"{operation}:{element}", np.full((2, 600), edge, f.storage), element)


@pytest.mark.parametrize("element", CODES)
def test_S29_no_event_at_the_rail(element):
    f = FORMATS[element]
    for operation, want in (("max", f.high), ("min", f.low)):
        out, report = bitfold_c.reduce(f"{operation}:{element}", np.array([0, f.high, f.low], f.storage))
        assert int(out) == want and report.clamped == 0


@pytest.mark.parametrize("element", list(FLOATS) + CODES)
def test_S30_ties_keep_the_first_index(element):
    x = np.zeros(100, FORMATS[element].storage)
    assert int(bitfold_c.reduce(f"argmax:{element}", x)[0]) == 0
    assert int(bitfold_c.reduce(f"argmin:{element}", x)[0]) == 0
    one = FORMATS[element].round(1) if element in FLOATS else 1
    for first, second in ((0, 99), (37, 64), (63, 64), (15, 16)):
        x[:] = 0
        x[[first, second]] = one
        assert int(bitfold_c.reduce(f"argmax:{element}", x)[0]) == first


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("operation", ("max", "min"))
def test_equal_zeros_keep_the_first_sign(operation, element):
    f = FORMATS[element]
    for n in (2, 8, 17, 64, 100):
        for first in (0, f.sign_bit):
            x = np.full(n, first ^ f.sign_bit, f.storage)
            x[0] = first
            assert int(bitfold_c.reduce(f"{operation}:{element}", x)[0]) == first


@pytest.mark.parametrize("element", list(FLOATS) + CODES)
@pytest.mark.parametrize("operation", SELECT)
def test_S11_nothing_is_an_error(operation, element):
    with pytest.raises(bitfold_c.Refused) as refused:
        bitfold_c.reduce(f"{operation}:{element}", np.zeros(0, FORMATS[element].storage))
    assert refused.value.status == "EMPTY"


@pytest.mark.parametrize("element", FLOATS)
def test_all_nan_lines(element):
    f = FORMATS[element]
    x = np.full(9, f.inf + 1 | f.sign_bit, f.storage)
    for nan in POLICIES:
        assert int(bitfold_c.reduce(f"max:{element}:nan={nan}", x)[0]) == f.nan
        assert int(bitfold_c.reduce(f"argmin:{element}:nan={nan}", x)[0]) == 0


@pytest.mark.parametrize("element", list(FLOATS) + CODES)
@pytest.mark.parametrize("operation", ("argmax", "argmin"))
def test_index_format_i32(operation, element, seed):
    x = data.row(element, 200, seed, "near")
    out, _ = bitfold_c.reduce(f"{operation}:{element}:out=i32", x)
    assert out.dtype == np.int32 and int(out) == reduce(f"{operation}:{element}", x)[0]


@pytest.mark.parametrize("operation", SELECT)
@pytest.mark.parametrize("element", FLOATS)
def test_default_policies(operation, element):
    f = FORMATS[element]
    x = np.array([f.round(1), f.nan, f.round(3)], f.storage)
    policy = "ignore" if operation.startswith("arg") else "propagate"
    assert int(bitfold_c.reduce(f"{operation}:{element}", x)[0]) == reduce(f"{operation}:{element}:nan={policy}", x)[0]


def hostile(element, shape, seed):
    """Few different values, so that ties, zeros of both signs, the least infinity and NaN meet; or the edges of integers."""
    random, f = np.random.default_rng(seed), FORMATS[element]
    if element in FLOATS:
        kinds = [[0, f.sign_bit], [f.inf, f.inf | f.sign_bit], [f.nan, f.inf | f.sign_bit], [f.inf + 1, 0, f.sign_bit, 1, f.sign_bit | 1]]
    else:
        kinds = [[f.low, f.low], [f.high, f.high], [f.low, f.high, 0], [-1, 0, 1]]
    return random.choice(np.array(kinds[seed % len(kinds)], f.storage), shape)


# Where the machines go other ways: fewer than a vector, batches of rows, blocks, few and many columns, row numbers that run out.
WAYS = [((9, 7), 1), ((33, 64), 1), ((17, 300), 1), ((2, 2049), 1), ((1, 6145), 1), ((5, 3), 0), ((300, 2), 0), ((129, 70), 0), ((9, 600), 0),
        ((3, 9, 5), (0, 2)), ((4, 3, 40), (0, 2)), ((3, 4, 40), 1)]


@pytest.mark.parametrize("element", list(FLOATS) + ["i8", "i16", "i32", "i64", "sf8", "sf16"])
@pytest.mark.parametrize("operation", SELECT)
def test_every_way_through_hostile_data(operation, element, seed):
    output = "i64" if operation.startswith("arg") else element
    for i, (shape, axes) in enumerate(WAYS):
        x = hostile(element, shape, seed + i)
        last = axes if isinstance(axes, tuple) else (axes,)
        kept = [a for a in range(x.ndim) if a not in last]
        rows = x.transpose(*kept, *last).reshape(*(x.shape[a] for a in kept), -1)
        for nan in POLICIES if element in FLOATS else (None,):
            contract = f"{operation}:{element}" + (f":nan={nan}" if nan else "")
            flat = rows.reshape(-1, rows.shape[-1])
            want = [reduce(contract, row)[0] for row in flat]
            for view in (x, np.asfortranarray(x), x.astype(x.dtype.newbyteorder(">" if x.dtype.isnative else "<"))):
                got, _ = bitfold_c.reduce(contract, view, axes=axes)
                witness.same(contract, got.reshape(-1), want, flat, element, output)


@pytest.mark.parametrize("shape, axes", (((1, 40000), 0), ((40000, 3), 0)), ids=str)
def test_row_numbers_beyond_16_bits(shape, axes):
    x = np.zeros(shape, np.uint16)
    x[-1, -1] = FORMATS["f16"].round(1)
    assert bitfold_c.reduce("argmax:f16", x, axes=axes)[0].tolist() == [shape[0] - 1 if j == shape[1] - 1 else 0 for j in range(shape[1])]


@pytest.mark.parametrize("axes", (0, 1))
def test_a_stop_is_heard(axes):
    x = np.zeros((2048, 2048), np.uint32)
    with pytest.raises(bitfold_c.Refused) as refused:
        bitfold_c.reduce("argmax:f32", x, axes=axes, progress=lambda context, done, total: 1)
    assert refused.value.status == "STOPPED"
