# SPDX-License-Identifier: Apache-2.0
"""The orders numpy and numpy-1 against NumPy itself, bit for bit: lengths, layouts, axes, casts, hostile data."""

import os
import pathlib
from itertools import combinations

import numpy as np
import pytest

import bitfold_c
import numpy_bits
from oracle import data
from oracle.formats import FORMATS

FOLDER = pathlib.Path(os.environ.get("BITFOLD_NUMPY1", bitfold_c.ROOT / "build" / "venv-numpy1"))
INSTALLED = tuple(int(part) for part in np.__version__.split(".")[:2])
NAMES = {"f2": "f16", "f4": "f32", "f8": "f64"}
WIDER = {"f2": ("f4", "f8"), "f4": ("f8",), "f8": ()}
SIZES = (*range(18), 31, 63, 64, 65, 127, 128, 129, 135, 136, 137, 143, 144, 255, 256, 257, 263, 264, 511, 512, 513, 1000, 1023, 1025,
         4095, 4096, 4097, 8191, 8192, 8193, 8199, 8320, 9999, 16383, 16384, 16385, 20000, 24577, 50000, 65535, 65537, 100000, 131072,
         200001, 300000)
SHAPES = {
    2: ((3, 5), (8, 128), (129, 16), (40, 300), (2, 9000), (9000, 2), (100, 100), (3, 4096), (3, 4097), (700, 33), (1, 50), (60, 1)),
    3: ((3, 4, 5), (7, 1, 130), (16, 17, 33), (2, 5000, 3), (90, 10, 10), (3, 2, 4097), (1, 40, 1), (40, 9, 64), (5, 1640, 5)),
    4: ((2, 3, 4, 50), (9, 1, 7, 130), (6, 20, 9, 9))}
LAYOUTS = {
    "C": lambda rank, size: {},
    "Fortran": lambda rank, size: {"order": range(rank)[::-1]},
    "middle first": lambda rank, size: {"order": (*range(1, rank), 0)},
    "reversed": lambda rank, size: {"reverse": (rank - 1,)},
    "all reversed": lambda rank, size: {"order": range(rank)[::-1], "reverse": range(rank)},
    "sliced": lambda rank, size: {"gap": 2 * size},
    "sliced Fortran": lambda rank, size: {"gap": size, "order": range(rank)[::-1]},
    "unaligned": lambda rank, size: {"offset": 1},
    "unaligned steps": lambda rank, size: {"gap": 1},
    "other byte order": lambda rank, size: {"swap": True, "order": (*range(1, rank), 0)}}


def case(dtype, shape, seed, kind, operation="sum", axes=None, keepdims=False, acc=None, spread=None, window=None, **layout):
    patterns = data.floats(NAMES[dtype], kind, int(np.prod(shape)), seed)
    return {"data": patterns.tobytes(), "dtype": dtype, "shape": shape, "layout": layout, "spread": spread, "window": window,
            "operation": operation, "axes": axes, "keepdims": keepdims, "acc": acc}


def installed(cases):
    return np.__version__, [numpy_bits.answer(one) for one in cases]


def version_of(order):
    """How to ask a NumPy whose order this is; a skip where there is none."""
    if (order == "numpy") == (INSTALLED >= (2, 3)):
        return installed
    if order == "numpy":
        pytest.skip(f"NumPy 2.3 or later is not installed: {np.__version__}")
    if not (FOLDER / "numpy").is_dir():
        pytest.skip(f"no NumPy before 2.3 in {FOLDER}, where make check puts one")
    return lambda cases: numpy_bits.elsewhere(cases, FOLDER)


@pytest.fixture(params=("numpy", "numpy-1"))
def order(request):
    version_of(request.param)
    return request.param


def one_nan(codes, name):
    f = FORMATS[name]
    return np.where((codes & ~f.storage(f.sign_bit)) > f.inf, f.storage(f.nan), codes)


def check(order, cases, threads=0):
    """That the library gives NumPy's bits for every case."""
    version, answers = version_of(order)(cases)
    for one, (dtype, raw) in zip(cases, answers):
        element, output = NAMES[one["dtype"]], NAMES[dtype[1:]]
        contract = f"{one['operation']}:{element}:{order}" + (f":acc={NAMES[one['acc']]}" if one["acc"] else "") + f":out={output}"
        x = numpy_bits.placed(one)
        x = x.view(x.dtype.str.replace("f", "u"))
        if one["operation"] == "dot":
            got, _ = bitfold_c.reduce(contract, x[0], x[1])
        else:
            axes = None if one["axes"] is None else tuple(one["axes"])
            got, _ = bitfold_c.reduce(contract, x, axes=axes, keepdims=one["keepdims"], threads=threads)
        want = one_nan(np.frombuffer(raw, bitfold_c.STORAGE[output]), output)
        wrong = np.flatnonzero(got.reshape(-1) != want)
        assert not wrong.size, (f"{contract}, NumPy {version}: shape {x.shape}, strides {x.strides}, axes {one['axes']}, output {wrong[0]}"
                                f" is {got.reshape(-1)[wrong[0]]:x}, NumPy's {want[wrong[0]]:x}")


def kinds(i):
    return data.FLOAT_KINDS[i % len(data.FLOAT_KINDS)]


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize("operation", ("sum", "mean"))
def test_rows_of_every_length(order, operation, dtype, seed, full):
    cases = [case(dtype, (n,), seed + n, kinds(i + k), operation, acc=acc, keepdims=bool(k % 2))
             for i, n in enumerate(SIZES) for k, acc in enumerate((None, dtype, *WIDER[dtype]))
             if full or n < 20000 or (i + k) % 3 == 0]
    check(order, cases)


def axis_sets(rank):
    return [axes for count in range(rank + 1) for axes in combinations(range(rank), count)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rank", SHAPES)
def test_layouts_over_every_axis_set(order, rank, layout, seed, full):
    cases = []
    for i, shape in enumerate(SHAPES[rank]):
        for k, axes in enumerate(axis_sets(rank)):
            for dtype in NAMES if full else (tuple(NAMES)[(i + k) % 3],):
                acc = (None, None, *WIDER[dtype])[(i + 2 * k) % (2 + len(WIDER[dtype]))]
                cases.append(case(dtype, shape, seed + i, kinds(i + k), ("sum", "mean")[(i + k) % 3 == 1], axes, bool(k % 2), acc,
                                  **LAYOUTS[layout](rank, int(dtype[1:]))))
    check(order, cases)


@pytest.mark.parametrize("rank", (2, 3))
def test_a_step_of_zero(order, rank, seed):
    check(order, [case(tuple(NAMES)[(i + k) % 3], shape, seed + i, kinds(k), "sum", axes, spread=spread, **layout)
                  for i, shape in enumerate(SHAPES[rank]) for k, axes in enumerate(axis_sets(rank)) for spread in range(rank)
                  for layout in ({}, {"order": range(rank)[::-1]}) if (i + k + spread + len(layout)) % 2])


@pytest.mark.parametrize("window", (3, 50, 200))
def test_windows_whose_axes_have_equal_steps(order, window, seed):
    check(order, [case(dtype, shape, seed + i, "wide", "sum", axes, window=window, **layout)
                  for i, dtype in enumerate(NAMES) for shape in ((260,), (210, 3)) for axes in axis_sets(len(shape) + 1)
                  for layout in ({}, {"reverse": (0,)}, {"order": range(len(shape))[::-1]})])


@pytest.mark.parametrize("dtype", NAMES)
def test_threads_change_no_bit(order, dtype, seed):
    for threads in (1, 3):
        check(order, [case(dtype, (64, 33, 40), seed, "wide", "sum", axes, **layout)
                      for axes in ((0,), (2,), (0, 2), (0, 1, 2)) for layout in ({}, {"order": (1, 2, 0)}, {"gap": int(dtype[1:])})],
              threads)


def test_dot_of_halves(order, seed):
    check(order, [case("f2", (2, n), seed + n, kinds(i), "dot", **layout) for i, n in enumerate((*range(20), 100, 1000, 9001))
                  for layout in ({}, {"reverse": (1,)}, {"gap": 2})])


def test_mean_of_halves_as_a_scalar_and_in_an_array(order):
    """A float32 sum over 32771 that float32 rounds onto a tie of float16, and float64 does not: 0-d results are rounded once."""
    n, cases = 32771, []
    for k in range(1, 400, 2):
        tie = 1 + k * 2.0**-11
        total = float(np.float32(tie * n))
        if np.float16(total / n) == np.float16(np.float32(total / n)):
            continue
        x, i = np.zeros(n, np.float16), 0
        while total:
            x[8 * i] = np.float16(total)
            total -= float(x[8 * i])
            i += 1
        for keepdims, shape in ((False, (n,)), (True, (n,)), (False, (1, n))):
            cases.append(case("f2", shape, 0, kinds(0), "mean", (len(shape) - 1,), keepdims) | {"data": x.tobytes()})
    assert len(cases) > 30
    check(order, cases[:30])
    scalars, arrays = (installed(cases[first::3])[1] for first in (0, 1))
    assert all(a != b for a, b in zip(scalars, arrays)), "the cases tell nothing apart"


def test_mean_of_more_elements_than_the_accumulator_counts(order):
    """2^24 + 3 is no float32; 4099 no float16."""
    x = np.array([[1.1], [3.3]], np.float32)
    wide = case("f4", (2, 1), 0, kinds(0), "mean", (1,)) | {"data": x.tobytes()}
    broadcast = np.broadcast_to(x, (2, (1 << 24) + 3))
    if version_of(order) is installed:
        want = np.mean(broadcast, axis=1)
        got, _ = bitfold_c.reduce(f"mean:f32:{order}", broadcast.view(np.uint32), axes=1, isa=bitfold_c.machines()[0])
        assert got.view(np.float32).tolist() == want.tolist()
        assert want.tolist() != (np.sum(broadcast, axis=1) / np.float32(broadcast.shape[1])).tolist()
    check(order, [wide, case("f2", (3, 4099), 5, kinds(0), "mean", (1,), acc="f2"), case("f2", (70000,), 5, kinds(0), "mean", acc="f2")])


REFUSED = {
    "sum:bf16:numpy": "NumPy has no bf16: numpy orders f16, f32 and f64",
    "mean:bf16:acc=f32:numpy-1": "NumPy has no bf16: numpy-1 orders f16, f32 and f64",
    "dot:f32:numpy": "NumPy leaves a dot of f32 to a BLAS, which has no one order; numpy orders that of f16",
    "dot:f64:numpy-1": "NumPy leaves a dot of f64 to a BLAS, which has no one order; numpy-1 orders that of f16",
    "dot:f16:acc=f64:numpy": "NumPy adds a dot of f16 in f32: acc=f32 is right",
    "sumsq:f32:numpy": "numpy orders sum and mean, and the dot of f16, not sumsq",
    "sumabs:f16:numpy": "numpy orders sum and mean, and the dot of f16, not sumabs",
    "sum:f32:blocks(8,numpy)": "numpy orders a whole row; it cannot stand inside another order",
    "sum:f32:numpy-2": "word 'numpy-2' is not known; nearest: numpy-1"}


@pytest.mark.parametrize("contract", REFUSED)
def test_what_is_refused(contract):
    with pytest.raises(bitfold_c.Refused) as refused:
        bitfold_c.parse(contract)
    assert refused.value.status == "CONTRACT"
    assert refused.value.message.startswith(REFUSED[contract])


@pytest.mark.parametrize("given, whole", {
    "sum:f16:numpy": "sum:f16:acc=f16:numpy", "mean:f16:numpy": "mean:f16:acc=f32:numpy", "dot:f16:numpy-1": "dot:f16:acc=f32:numpy-1",
    "sum:f32:numpy": "sum:f32:numpy", "sum:f16:acc=f32:numpy": "sum:f16:acc=f32:numpy"}.items())
def test_defaults(given, whole):
    """np.sum keeps float16, np.mean adds it in float32."""
    assert bitfold_c.text(bitfold_c.parse(given)) == whole


def test_a_row_cannot_be_cut():
    partial, message = bitfold_c.Partial(), bitfold_c.Message()
    contract = bitfold_c.parse("sum:f32:numpy")
    status = bitfold_c.lib.bitfold_partial_init(bitfold_c.by(partial), bitfold_c.by(contract), bitfold_c.c.c_uint64(100),
                                                bitfold_c.c.c_uint64(0), bitfold_c.by(message))
    assert bitfold_c.STATUS[status] == "CUT"
    assert message.text == b"numpy cannot be cut; reduce the whole row at once"
