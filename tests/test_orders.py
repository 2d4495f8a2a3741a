# SPDX-License-Identifier: Apache-2.0
"""Every order at every length 0..300 and around block edges, for every element and accumulator, on hostile rows."""

from functools import lru_cache

import numpy as np
import pytest

import bitfold_c
import witness
from oracle import data
from oracle.formats import ACCUMULATORS, FLOATS, FORMATS
from oracle.reduce import reduce, reduce_rows

ORDERS = (
    "sequential", "reverse", "helia", "lanes(1)", "lanes(2,fold=pairs)", "lanes(3,fold=left)", "lanes(4,fold=left)",
    "lanes(4,fold=halves,tail=after)", "lanes(5,fold=pairs)", "lanes(6,fold=left,tail=after)", "lanes(7,fold=pairs,tail=after)",
    "lanes(8,fold=pairs,tail=after)", "lanes(8,fold=halves)", "lanes(16,fold=left,tail=after)", "lanes(32,fold=halves)",
    "lanes(255,fold=pairs)", "lanes(256,fold=halves)", "canonical(1)", "canonical(3)", "canonical(4)", "canonical(16)",
    "canonical(100)", "canonical(256)", "pairwise(1,sequential)", "pairwise(8,sequential)", "pairwise(20,canonical(4))",
    "pairwise(128,lanes(8,fold=pairs,tail=after))", "blocks(1,sequential)", "blocks(7,lanes(3))", "blocks(64,canonical(8))",
    "blocks(16,blocks(5,reverse))", "blocks(100,pairwise(16,lanes(4,fold=pairs)))",
    "blocks(200,blocks(90,pairwise(24,lanes(8,fold=halves))))", "pairwise(64,blocks(10,pairwise(8,canonical(2))))", "numpy", "numpy-1",
    "cmsis-dsp")
EDGES = {
    "pairwise(128,lanes(8,fold=pairs,tail=after))": (511, 512, 513, 1025, 2040, 2047, 2048, 2049, 8192, 8703, 8704),
    "pairwise(16,lanes(8))": (127, 128, 129, 135, 136, 143, 144, 145, 511, 512, 1023, 1024, 1025, 1032, 1087, 1088, 1089, 2177),
    "blocks(1024,lanes(8))": (1023, 1024, 1025, 2047, 2048, 2049),
    "blocks(4096,pairwise(128,lanes(8)))": (4095, 4096, 4097, 8193),
    "canonical(8)": (511, 512, 513, 1023, 1025, 4095, 4096, 4097),
    "canonical(16)": (127, 128, 129, 511, 512, 513, 1519, 1520, 2049),
    "canonical(128)": (1023, 1024, 1025, 3071, 3073, 16383, 16384, 16385),
    "lanes(256,fold=left,tail=after)": (511, 512, 513, 1023, 1025), "numpy": (8191, 8193, 16391), "numpy-1": (8193, 8200, 16391)}
QUICK = (*range(18), 31, 32, 33, 63, 64, 65, 100, 101, 127, 128, 129, 200, 201, 255, 256, 257, 300)
PAIRS = [(e, a) for e in FLOATS for a in ACCUMULATORS[e]]


def goes_with(order, operation, element, acc=None):
    """Whether an imitation of another library orders this."""
    if order == "helia":
        return operation in ("sum", "mean")
    if order == "cmsis-dsp":
        return element == "f32" and acc in ("f32", None) and operation in ("sum", "mean", "dot")
    return not order.startswith("numpy") or ("bf16" not in (element, acc) and operation in ("sum", "mean"))


@lru_cache(4096)
def rows(name, n, seed):
    """One row of each kind, the same for every order."""
    return np.stack([data.floats(name, kind, n, seed + 100 * n + i) for i, kind in enumerate(data.FLOAT_KINDS)])


def compare(operation, element, acc, order, n, seed, output=None):
    contract = f"{operation}:{element}:acc={acc}:{order}" + (f":out={output}" if output else "")
    x = rows(element, n, seed)
    y = rows(element, n, seed + 50)[::-1] if operation == "dot" else None
    got, report = bitfold_c.reduce(contract, x, y, axes=1)
    want = reduce_rows(contract, x, y)
    witness.same(contract, got, want, x, element, output or element, y)
    check_report(report, element, output or element, x, y, want)


def check_report(report, element, output, x, y, want):
    """The counts of the report follow from the inputs and outputs alone."""
    infinite = lambda name, codes: np.array([FORMATS[name].is_inf(int(k)) for k in np.ravel(codes)], bool).reshape(codes.shape)
    inputs = infinite(element, x).any(axis=1) | (False if y is None else infinite(element, y).any(axis=1))
    assert report.outputs == len(want)
    assert report.clamped == 0
    assert report.nan == sum(FORMATS[output].is_nan(int(k)) for k in want)
    assert report.overflowed == int((infinite(output, want) & ~inputs).sum())


@pytest.mark.parametrize("element, acc", PAIRS)
@pytest.mark.parametrize("order", ORDERS)
def test_sum_at_every_length(element, acc, order, seed, full):
    for n in range(301) if full else QUICK:
        if not goes_with(order, "sum", element, acc):
            continue
        contract = f"sum:{element}:acc={acc}:{order}"
        x = rows(element, n, seed)
        got, _ = bitfold_c.reduce(contract, x, axes=1)
        witness.same(contract, got, reduce_rows(contract, x), x, element, element)


@pytest.mark.parametrize("element, acc", PAIRS)
@pytest.mark.parametrize("operation", ("mean", "dot", "sumsq", "sumabs"))
def test_other_operations(operation, element, acc, seed):
    for i, n in enumerate((0, 1, 2, 3, 5, 8, 9, 16, 17, 31, 33, 63, 64, 65, 100, 129, 255, 257)):
        for order in ORDERS[i % 3 :: 3]:
            if goes_with(order, operation, element, acc):
                compare(operation, element, acc, order, n, seed)


@pytest.mark.parametrize("element, acc", PAIRS)
@pytest.mark.parametrize("order", EDGES)
def test_block_edges(element, acc, order, seed, full):
    for n in EDGES[order] if full or acc != "bf16" else EDGES[order][:3]:
        if goes_with(order, "sum", element, acc):
            compare("sum", element, acc, order, n, seed)


@pytest.mark.parametrize("element, acc", PAIRS)
@pytest.mark.parametrize("output", FLOATS)
def test_output_formats(element, acc, output, seed):
    for operation in ("sum", "mean", "dot"):
        for n in (0, 1, 2, 7, 40):
            compare(operation, element, acc, "lanes(4,fold=pairs)", n, seed, output)


@pytest.mark.parametrize("operation", ("sum", "mean", "dot", "sumsq", "sumabs"))
@pytest.mark.parametrize("element", FLOATS)
def test_exact_at_every_length(operation, element, seed, full):
    contract = f"{operation}:{element}:exact"
    for n in range(301) if full else QUICK:
        x = rows(element, n, seed)
        y = rows(element, n, seed + 50)[::-1] if operation == "dot" else None
        got, report = bitfold_c.reduce(contract, x, y, axes=1)
        want = np.array([reduce(contract, x[i], None if y is None else y[i])[0] for i in range(len(x))], x.dtype)
        witness.same(contract, got, want, x, element, element, y)
        check_report(report, element, element, x, y, want)


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("output", FLOATS)
def test_exact_output_formats(element, output, seed):
    for operation in ("sum", "mean", "sumsq"):
        contract = f"{operation}:{element}:exact:out={output}"
        for n in (0, 1, 2, 3, 9, 40):
            x = rows(element, n, seed)
            want = [reduce(contract, row)[0] for row in x]
            witness.same(contract, bitfold_c.reduce(contract, x, axes=1)[0], want, x, element, output)


@pytest.mark.parametrize("element, acc", PAIRS)
@pytest.mark.parametrize("order", ("blocks(4,exact)", "pairwise(8,exact)", "blocks(20,blocks(7,exact))"))
def test_exact_inside_another_order(element, acc, order, seed):
    contract = f"sum:{element}:acc={acc}:{order}"
    for n in (0, 1, 2, 3, 4, 5, 8, 9, 33, 70):
        x = rows(element, n, seed)
        want = [reduce(contract, row)[0] for row in x]
        witness.same(contract, bitfold_c.reduce(contract, x, axes=1)[0], want, x, element, element)


def random_tree(rng, leaves):
    """The text of a random tree with nodes of two to five operands."""
    if len(leaves) == 1:
        return str(leaves[0])
    cuts = sorted(rng.choice(np.arange(1, len(leaves)), min(len(leaves) - 1, int(rng.integers(1, 5))), replace=False))
    pieces = [leaves[i:j] for i, j in zip([0, *cuts], [*cuts, len(leaves)])]
    return "(" + "+".join(random_tree(rng, piece) for piece in pieces) + ")"


@pytest.mark.parametrize("element, acc", PAIRS)
def test_tree(element, acc, seed):
    rng = np.random.default_rng(seed)
    for n in (1, 2, 3, 4, 5, 6, 7, 8, 12, 20, 33):
        for _ in range(3):
            contract = f'sum:{element}:acc={acc}:tree("{random_tree(rng, rng.permutation(n).tolist())}")'
            x = rows(element, n, seed)
            want = [reduce(contract, row)[0] for row in x]
            witness.same(contract, bitfold_c.reduce(contract, x, axes=1)[0], want, x, element, element)


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("operation", ("mean", "dot", "sumsq", "sumabs"))
def test_tree_of_other_operations(operation, element, seed):
    contract = f'{operation}:{element}:tree("((0+3)+(1+2+4))")'
    x = rows(element, 5, seed)
    y = rows(element, 5, seed + 50) if operation == "dot" else None
    want = [reduce(contract, row, None if y is None else y[i])[0] for i, row in enumerate(x)]
    witness.same(contract, bitfold_c.reduce(contract, x, y, axes=1)[0], want, x, element, element, y)


@pytest.mark.parametrize("n", (0, 1, 4, 6))
def test_tree_of_another_length_is_refused(n):
    with pytest.raises(bitfold_c.Refused) as refused:
        bitfold_c.reduce('sum:f32:tree("((0+1)+(2+3+4))")', np.zeros(n, np.uint32))
    assert refused.value.status == "SHAPE"


def test_f16_mean_count_beyond_the_accumulator():
    """70000 becomes Inf in float16, so the mean in that accumulator is 0 (one division by the converted count)."""
    x = np.full(70000, 0x0001, np.uint16)
    assert int(bitfold_c.reduce("mean:f16:acc=f16:sequential", x)[0]) == 0


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("lanes", (1, 4, 16, 64))
@pytest.mark.parametrize("options", ("", ",fold=pairs,tail=after"))
def test_runs_as_long_as_a_row_of_lanes(element, lanes, options, seed):
    """Axes 0 and 2 of {9, 5, length}: the terms of an output are runs of so many neighbours."""
    contract = f"sum:{element}:lanes({lanes}{options})"
    for length in (lanes - 1, lanes, lanes + 1):
        if length:
            x = rows(element, 45 * length, seed)[0].reshape(9, 5, length)
            as_rows = np.ascontiguousarray(x.transpose(1, 0, 2)).reshape(5, -1)
            got, _ = bitfold_c.reduce(contract, x, axes=(0, 2))
            witness.same(contract, got, reduce_rows(contract, as_rows), as_rows, element, element)


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("order", ("exact",) + ORDERS)
def test_negative_zeros_sum_to_positive_zero(element, order):
    f = FORMATS[element]
    for n in (1, 2, 9) if goes_with(order, "sum", element) else ():
        got = bitfold_c.reduce(f"sum:{element}:{order}", np.full(n, f.sign_bit, f.storage))[0]
        assert int(got) == 0


@pytest.mark.full
@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("order", ("sequential", "lanes(8,fold=pairs,tail=after)", "canonical(16)", "exact"))
def test_long_rows(element, order, seed):
    for n in (65535, 65536, 65537):
        x = rows(element, n, seed)[:3]
        contract = f"sum:{element}:{order}"
        want = [reduce(contract, row)[0] for row in x] if order == "exact" else reduce_rows(contract, x)
        witness.same(contract, bitfold_c.reduce(contract, x, axes=1)[0], want, x, element, element)
