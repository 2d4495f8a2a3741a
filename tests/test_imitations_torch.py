# SPDX-License-Identifier: Apache-2.0
"""torch and torch(T), bit for bit: the installed PyTorch, the library on every machine, and the oracle that follows its loops."""

import ctypes
import platform
import random
from math import prod

import numpy as np
import pytest

import bitfold_c
from oracle import data, torch_order
from oracle.formats import FLOATS, FORMATS

try:
    import torch
except ImportError:
    torch = None

needs_torch = pytest.mark.skipif(torch is None or platform.machine() not in ("x86_64", "AMD64"),
                                 reason="PyTorch for x86-64 is not installed")
THREADS = (1, 2, 3, 4)
GRAIN = 32768
LONG = sorted({n + k for n in (GRAIN, 2 * GRAIN, 3 * GRAIN, 4 * GRAIN, 8 * GRAIN) for k in (-1, 0, 1)}
              | {4095, 4096, 4097, 16383, 16384, 16385, 40000, 65600, 99999, 100003, 150000, 199999, 250007, 262200, 300000}
              | {2040, 2047, 2049, 2500, 3000, 5000, 6007, 7777, 8191, 8192, 8193, 10000, 12345, 20000, 24577, 30000, 32000, 50000,
                 70001, 80000, 90001, 110000, 120011, 175000, 180007, 210001, 230000, 270000, 280001, 290000})
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 70, 100, 130, 200)



@pytest.fixture(scope="module")
def memory(seed):
    """Numbers of each format, to be looked at in all layouts; a tenth of a percent of them are odd."""
    rng = np.random.default_rng(seed)
    n, made = 300_000, {}
    for name in FLOATS:
        f = FORMATS[name]
        values = rng.standard_normal(n) * 2.0 ** rng.integers(-6, 7, n)
        codes = torch_order.encode(name, values.astype(np.float32) if name == "bf16" else values)
        for odd in (f.inf, f.inf | f.sign_bit, f.nan, f.sign_bit, 1, f.inf - 1, (f.inf - 1) | f.sign_bit):
            codes[rng.integers(0, n, n // 40000 + 1)] = odd
        made[name] = codes
    return made


def by_torch(operation, element, x, axes, threads, dtype=None):
    """What PyTorch makes of an array of patterns in the same layout."""
    formats = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
    signed = np.dtype(f"i{x.itemsize}")
    flat = np.lib.stride_tricks.as_strided(x, (1 + sum((n - 1) * s // x.itemsize for n, s in zip(x.shape, x.strides)),), (x.itemsize,))
    view = torch.from_numpy(np.ascontiguousarray(flat).view(signed)).view(formats[element])
    view = view.as_strided(x.shape, [s // x.itemsize for s in x.strides])
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        got = getattr(torch, operation)(view, dim=axes, dtype=formats[dtype] if dtype else None).contiguous()
    finally:
        torch.set_num_threads(before)
    output = FORMATS[dtype or element]
    codes = got.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[got.element_size()]).numpy().view(output.storage).copy()
    codes[got.isnan().numpy()] = output.nan
    return codes


def contract(operation, element, threads, dtype=None):
    order = "torch" if threads == 1 else f"torch({threads})"
    return f"{operation}:{element}:{order}" + (f":acc={dtype}:out={dtype}" if dtype else "")


def compare(operation, element, x, axes, threads, dtype=None, oracle=True):
    text = contract(operation, element, threads, dtype)
    note = f"{text} {x.shape} strides {x.strides} axes {axes}"
    got = bitfold_c.reduce(text, x, axes=axes)[0]
    if torch:
        assert got.tolist() == by_torch(operation, element, x, axes, threads, dtype).tolist(), f"PyTorch: {note}"
    if oracle or not torch:
        accumulator = dtype or ("f64" if element == "f64" else "f32")
        want = torch_order.reduce(operation, element, x, axes, threads, accumulator, dtype or element)
        assert got.tolist() == want.tolist(), f"oracle: {note}"


def random_view(rng, codes, rank, large):
    """A view of memory: in C order, permuted, sliced, with a gap between neighbours, or with an axis that repeats."""
    sizes = SIZES + ((300, 512, 1000, 1500, 2049, 4100) if large else ())
    while prod(shape := [rng.choice(sizes) for _ in range(rank)]) > (120_000 if large else 5000):
        pass
    kind = rng.choice(("plain", "permuted", "sliced", "sliced and permuted", "repeated", "spread"))
    room = [n + rng.choice((0, 0, 1, 3)) if "sliced" in kind else n for n in shape]
    if kind == "spread":
        room[-1] *= 2
    if prod(room) > len(codes) - 8:
        room = list(shape)
    strides, step = [], 1
    for n in reversed(room):
        strides.insert(0, step)
        step *= n
    if room[-1] == 2 * shape[-1]:
        strides[-1] = 2
    if kind == "repeated":
        strides[rng.randrange(rank)] = 0
    view = np.lib.stride_tricks.as_strided(codes[rng.choice((0, 3)):], shape, [s * codes.itemsize for s in strides])
    return view.transpose(rng.sample(range(rank), rank)) if "permuted" in kind else view


@needs_torch
@pytest.mark.parametrize("element", FLOATS)
def test_rows(element, memory, full):
    for n in range(1, 2001) if full else (*range(1, 140), *range(140, 2001, 61), 256, 257, 511, 512, 513, 1023, 1024, 1025):
        compare("sum", element, memory[element][n % 7 :][:n], 0, 1, oracle=n < 600)


@needs_torch
@pytest.mark.parametrize("element", FLOATS)
def test_long_rows_on_threads(element, memory, full):
    for n in LONG if full else LONG[:: 4]:
        for threads in THREADS if full or n >= GRAIN else (1,):
            compare("sum", element, memory[element][:n], 0, threads, oracle=full or threads == 2)
    for threads in (7, 8, 16, 17, 64, 256) if full else (8, 17):
        compare("sum", element, memory[element], 0, threads)


@needs_torch
@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("shape", ((33, 70), (9, 34), (4, 129, 5), (3, 16, 40), (65, 2, 17), (2, 3, 5, 8)), ids=str)
def test_every_set_of_axes(element, shape, memory, full):
    x = memory[element][: prod(shape)].reshape(shape)
    large = memory[element][: 2 * prod(shape)].reshape(shape[:-1] + (2 * shape[-1],))
    turned = memory[element][: prod(shape)].reshape(shape[::-1]).T
    for mask in range(1, 1 << len(shape)):
        axes = tuple(i for i in range(len(shape)) if mask >> i & 1)
        for view in (x, turned, large[..., : shape[-1]], large[..., ::2], np.moveaxis(x, 0, -1)):
            for operation in ("sum", "mean"):
                compare(operation, element, view, axes, 1, oracle=full)


@needs_torch
@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("shape", ((40000, 2), (2, 40000), (70, 600), (600, 70), (1700, 5, 8), (67, 32, 33), (33, 1001), (1001, 67)), ids=str)
def test_axes_on_threads(element, shape, memory, full):
    x = memory[element][: prod(shape)].reshape(shape)
    for mask in range(1, 1 << len(shape)):
        axes = tuple(i for i in range(len(shape)) if mask >> i & 1)
        for threads in (2, 3, 16) if full else (2, 4):
            compare("sum", element, x, axes, threads, oracle=full)
            compare("mean", element, np.moveaxis(x, -1, 0), axes, threads, oracle=full)


@needs_torch
def test_random_views(memory, seed, full):
    rng = random.Random(seed)
    for _ in range(1500 if full else 150):
        element, rank = rng.choice(list(FLOATS)), rng.choice((1, 2, 2, 3, 3, 4))
        view = random_view(rng, memory[element], rank, rng.random() < 0.2)
        axes = tuple(i for i in range(rank) if rng.random() < 0.5) or (rng.randrange(rank),)
        dtype = rng.choice([a for a in ("f32", "f64") if FORMATS[a].bits > FORMATS[element].bits] or [None]) if rng.random() < 0.25 else None
        compare(rng.choice(("sum", "sum", "sum", "mean")), element, view, axes, rng.choice((1, 1, 2, 3, 4, 7, 17)), dtype)


@pytest.mark.parametrize("element", FLOATS)
def test_hostile_rows(element, seed):
    for i, kind in enumerate(data.FLOAT_KINDS):
        for n in (1, 2, 15, 16, 33, 64, 129, 300, 1025):
            compare("sum", element, data.floats(element, kind, n, seed + i), 0, 1)


@pytest.mark.parametrize("element", FLOATS)
def test_no_bit_depends_on_the_librarys_own_threads(element, memory):
    x = memory[element][:120_000].reshape(400, 300)
    for axes in (0, 1, (0, 1)):
        for text in (contract("sum", element, 1), contract("mean", element, 3)):
            one = bitfold_c.reduce(text, x, axes=axes)[0]
            assert bitfold_c.reduce(text, x, axes=axes, threads=5)[0].tolist() == one.tolist()


@pytest.mark.parametrize("element", FLOATS)
def test_nothing_and_no_axis(element, memory):
    f, x = FORMATS[element], memory[element][:12].reshape(3, 4)
    assert bitfold_c.reduce(f"sum:{element}:torch", x[:, :0], axes=1)[0].tolist() == [0] * 3
    assert bitfold_c.reduce(f"mean:{element}:torch", x[:, :0], axes=1)[0].tolist() == [f.nan] * 3
    assert bitfold_c.reduce(f"sum:{element}:torch", x, axes=())[0].tolist() == x.tolist()


def refusal(text, x, axes=None, y=None):
    with pytest.raises(bitfold_c.Refused) as refused:
        bitfold_c.reduce(text, x, y, axes=axes)
    return refused.value.status, refused.value.message


def test_layouts_that_no_tensor_has_are_refused():
    x = np.zeros((6, 8), np.uint32)
    status, line = refusal("sum:f32:torch", x[::-1], 0)
    assert status == "SHAPE" and "axis 0 is negative" in line
    odd = np.ndarray((3, 4), np.uint32, np.zeros(200, np.uint8), 0, (18, 4))
    status, line = refusal("sum:f32:torch", odd, 1)
    assert status == "SHAPE" and "axis 0 is not a number of whole elements" in line


@pytest.mark.parametrize("text, what", (
    ("dot:f32:torch", "not dot"), ("sumsq:f32:torch", "not sumsq"), ("sum:f32:torch(0)", "1 to 256"), ("sum:f32:torch(257)", "1 to 256"),
    ("sum:f16:acc=f16:torch", "acc= is f32"), ("sum:f32:acc=f64:torch", "both are the same wider"), ("sum:f32:torch:out=f16", "out="),
    ("sum:f16:blocks(64,torch)", "cannot stand inside"), ("sum:f32:torch(", "number is expected")))
def test_contracts_that_are_refused(text, what):
    with pytest.raises(bitfold_c.Refused) as refused:
        bitfold_c.parse(text)
    assert refused.value.status == "CONTRACT" and what in refused.value.message


@pytest.mark.parametrize("text, printed", (
    ("sum:f32:torch", "sum:f32:torch"), ("sum:f32:torch(1)", "sum:f32:torch"), ("mean:f16:torch(4)", "mean:f16:acc=f32:torch(4)"),
    ("sum:bf16:torch(2):acc=f64:out=f64", "sum:bf16:acc=f64:torch(2):out=f64")))
def test_contracts_that_are_printed(text, printed):
    assert bitfold_c.text(bitfold_c.parse(text)) == printed


def test_partials_are_refused():
    partial, parsed, message = bitfold_c.Partial(), bitfold_c.parse("sum:f32:torch"), bitfold_c.Message()
    status = bitfold_c.lib.bitfold_partial_init(ctypes.byref(partial), ctypes.byref(parsed), ctypes.c_uint64(100), ctypes.c_uint64(0),
                                                ctypes.byref(message))
    assert bitfold_c.STATUS[status] == "CUT" and b"torch cannot be cut" in message.text


@pytest.mark.parametrize("element", FLOATS)
def test_the_order_walked_addition_by_addition(element, memory):
    class Visitor(ctypes.Structure):
        _fields_ = [("context", ctypes.c_void_p), ("start", ctypes.c_uint64), ("term", ctypes.c_void_p), ("sum", ctypes.c_void_p),
                    ("exact", ctypes.c_void_p), ("stopped", ctypes.c_void_p)]

    word = ctypes.c_uint64
    sums = []

    def add(_, operands, n):
        assert n == 2
        sums.append(sums[operands[0]] + sums[operands[1]])
        return len(sums) - 1

    functions = (ctypes.CFUNCTYPE(word, ctypes.c_void_p, word)(lambda _, i: i + 1),
                 ctypes.CFUNCTYPE(word, ctypes.c_void_p, ctypes.POINTER(word), ctypes.c_size_t)(add),
                 ctypes.CFUNCTYPE(word, ctypes.c_void_p, word, word)(lambda _, first, n: 0))
    visitor = Visitor(None, 0, *(ctypes.cast(function, ctypes.c_void_p) for function in functions), None)
    parsed, root = bitfold_c.parse(f"sum:{element}:torch"), word()
    for n in (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 64, 100, 129, 300, 513, 1100, 2100):
        x = memory[element][:n]
        with np.errstate(all="ignore"):
            values = torch_order.decode(element, x).astype(np.float64 if element == "f64" else np.float32)
            sums[:] = [values.dtype.type(0), *values]
            assert not bitfold_c.lib.bitfold_order_walk(ctypes.byref(parsed), word(n), ctypes.byref(visitor), ctypes.byref(root), None)
            want = torch_order.encode(element, np.array([sums[root.value]]))[0]
        assert int(bitfold_c.reduce(f"sum:{element}:torch", x, axes=0)[0]) == int(want), n
    message = bitfold_c.Message()
    parsed = bitfold_c.parse(f"sum:{element}:torch(2)")
    status = bitfold_c.lib.bitfold_order_walk(ctypes.byref(parsed), word(GRAIN), ctypes.byref(visitor), ctypes.byref(root),
                                              ctypes.byref(message))
    assert bitfold_c.STATUS[status] == "CONTRACT" and b"no tree here" in message.text
