# SPDX-License-Identifier: Apache-2.0
"""The integer relatives of the CMSIS-NN-style functions against their oracle; `python3 tests/test_cmsis_nn_integer.py` prints
tests/cmsis_nn_integer/golden.txt, which comes from the oracle alone.

BITFOLD_BUILD names the build whose library and suite are tried (default build/).
"""

import ctypes as c
import functools
import mmap
import os
import pathlib
import platform
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import helia_integer as oracle

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BITFOLD_BUILD", ROOT / "build"))
GOLDEN = ROOT / "tests/cmsis_nn_integer/golden.txt"
COMPILER = os.environ.get("CC", "cc").split()
FLAGS = ("-std=c11", "-O2", "-c", "-Iinclude", "-Icompat/cmsis_nn/include")
SOURCES = ("compat/cmsis_nn/integer.c", "compat/cmsis_nn/dims.c")

SHAPES = ((2, 3, 5, 7), (1, 8, 17, 1), (1, 1, 8, 17), (3, 1, 1, 9), (2, 1, 3, 1), (1, 1, 1, 1))
SCALES = ((0, 0, 1 << 30, 1), (128, -128, 1518500250, -3), (-5, 7, 1073741825, -7), (0, 0, oracle.INT32_MAX, 0),
          (-32768, 100, 1431655765, -2), (3, -1, 1 << 30, -1), (0, 0, 1 << 30, 0), (1, -3, 5, 3))
MASKS = [tuple(bits >> 3 - i & 1 for i in range(4)) for bits in range(16)]
LENGTHS = 67
INT32 = (-1 << 31, -1, 0, 1, oracle.INT32_MAX)


class Dims(c.Structure):
    """cmsis_nn_dims"""
    _fields_ = [(name, c.c_int32) for name in "nhwc"]

    def values(self):
        return self.n, self.h, self.w, self.c


@functools.lru_cache(maxsize=None)
def library():
    return c.CDLL(str(BUILD / "libbitfold_cmsis_nn.so"))


def element(name):
    return c.c_int8 if oracle.bits(name) == 8 else c.c_int16


def call(name, x, dims, mask, y, out, scale):
    """mask is the axis of an argmax or argmin; x and y are ctypes arrays, addresses or None, the others tuples or None."""
    dims, out = (c.byref(Dims(*d)) if d else None for d in (dims, out))
    function = getattr(library(), name)
    if name in oracle.ARGS:
        return function(x, dims, c.c_int32(mask), y)
    mask = c.byref(Dims(*mask)) if mask else None
    if name in oracle.SELECTIONS:
        return function(x, dims, mask, y, out)
    offset, zero, multiplier, shift = map(c.c_int32, scale)
    return function(x, dims, offset, mask, y, out, zero, multiplier, shift)


# ---- Values ----

def check(name, x, dims, mask, scale):
    if name in oracle.ARGS:
        want = oracle.arg(name, x, dims, mask)
    else:
        want = oracle.masked(name, x, dims, mask, scale)
    out = oracle.output_dims(dims, [i == mask for i in range(4)] if name in oracle.ARGS else mask)
    given_x = (element(name) * len(x))(*x)
    y = ((c.c_int32 if name in oracle.ARGS else element(name)) * len(want))()
    assert call(name, given_x, dims, mask, y, out, scale) == oracle.SUCCESS
    assert list(y) == want, (name, x, dims, mask, scale)
    assert list(given_x) == x


@st.composite
def calls(draw, names):
    name = draw(st.sampled_from(names))
    dims = draw(st.tuples(*[st.integers(0 if name not in oracle.ARGS else 1, 5)] * 4))
    low, high = oracle.limits(name)
    n = oracle.elements(dims)
    few = draw(st.booleans())
    random = draw(st.randoms(use_true_random=False))
    x = [random.randint(-1, 1) if few else random.randint(low, high) for _ in range(n)]
    mask = draw(st.integers(0, 3)) if name in oracle.ARGS else draw(st.sampled_from(MASKS))
    int32 = st.sampled_from(INT32) | st.integers(-300, 300) | st.integers(*INT32[::4])
    scale = draw(st.tuples(int32, int32, st.integers(0, oracle.INT32_MAX) | st.integers(0, 9) | st.just(1 << 30), st.integers(-31, 30)))
    return name, x, dims, mask, scale


@settings(max_examples=300)
@given(calls(oracle.SELECTIONS + oracle.ARGS))
def test_selections(drawn):
    check(*drawn)


@settings(max_examples=500)
@given(calls(oracle.MEANS))
def test_means(drawn):
    check(*drawn)


def tflite_int32(x, multiplier, shift):
    """TensorFlow Lite's requantisation of an int32, as its reference and gemmlowp define it: a nudge and a truncating division, then a
    shift and a comparison of what was shifted out."""
    product = (x << max(shift, 0)) * multiplier
    nudged = product + (1 << 30 if product >= 0 else 1 - (1 << 30))
    high = abs(nudged) >> 31
    high = high if nudged >= 0 else -high
    mask = (1 << max(-shift, 0)) - 1
    return (high >> max(-shift, 0)) + ((high & mask) > (mask >> 1) + (high < 0))


@settings(max_examples=1000)
@given(st.integers(*INT32[::4]), st.integers(1 << 30, oracle.INT32_MAX), st.integers(-31, 7))
def test_the_oracle_rescales_as_tensorflow_lite(x, multiplier, shift):
    x >>= max(shift, 0)
    assert oracle.rescale(x, multiplier, shift) == tflite_int32(x, multiplier, shift)


def test_ties_are_rescaled_as_tensorflow_lite():
    for x in range(-300, 301):
        for shift in range(-8, 3):
            assert oracle.rescale(x, 1 << 30, shift) == tflite_int32(x, 1 << 30, shift), (x, shift)


# ---- Arguments ----

HOSTILE = st.sampled_from((*INT32, -4, 2, 3, 5, 46341, 65536, oracle.INT32_MAX // 2, oracle.INT32_MAX // 4, oracle.INT32_MAX // 4 + 1))
QUADS = st.none() | st.tuples(*[st.integers(0, 3)] * 4) | st.tuples(*[HOSTILE] * 4)


@settings(max_examples=1500)
@given(st.sampled_from(oracle.FUNCTIONS), QUADS, QUADS, QUADS, st.booleans(), st.booleans(), st.booleans(), HOSTILE, st.integers(-33, 32))
def test_arguments(name, dims, mask, out, right_out, has_x, has_y, hostile, shift):
    scale = (hostile, hostile, hostile, shift)
    if name in oracle.ARGS:
        mask = hostile
        want = oracle.arg_status(name, has_x, dims, mask, has_y)
    else:
        if right_out and dims and mask:
            out = oracle.output_dims(dims, mask)
        want = oracle.masked_status(name, has_x, dims, mask, has_y, out, scale)
    if want == oracle.SUCCESS and oracle.elements(dims) > 100:
        return  # would read as much memory
    x, y = (c.c_int16 * 100)(), (c.c_int32 * 100)(*[0x5A5A5A5A] * 100)
    if want == oracle.SUCCESS and name not in oracle.ARGS and oracle.elements(out) > 100:
        return
    assert call(name, x if has_x else None, dims, mask, y if has_y else None, out, scale) == want
    if want == oracle.ARG_ERROR:
        assert set(y) == {0x5A5A5A5A}


@pytest.mark.parametrize("name", [name for name in oracle.FUNCTIONS if "min" not in name])
def test_the_most_bytes_are_accepted(name):
    size = oracle.bits(name) // 8
    n = oracle.INT32_MAX // size
    with mmap.mmap(-1, n * size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)) as pages:
        x = c.addressof(c.c_char.from_buffer(pages))  # never written: all the same page of zeros
        y = (c.c_int32 * 1)(7)
        mask = 3 if name in oracle.ARGS else (0, 0, 0, 1)
        status = call(name, c.c_void_p(x), (1, 1, 1, n), mask, y, (1, 1, 1, 1), (0, 0, 1 << 30, 1))
    assert (status, (element(name) * 1).from_buffer(y)[0]) == (oracle.SUCCESS, 0)
    too_many = (1, 1, 1, n + 1) if size == 2 else (1, 1, 2, 1 << 30)
    assert call(name, c.c_void_p(8), too_many, mask, y, too_many[:3] + (1,), (0, 0, 1, 1)) == oracle.ARG_ERROR


@settings(max_examples=1000)
@given(st.integers(-1, 5), st.lists(st.sampled_from((0, 1, 2, 9, 65536, oracle.INT32_MAX, -1, INT32[0])), min_size=5, max_size=5),
       st.none() | st.lists(st.integers(-6, 5) | st.sampled_from(INT32), max_size=6))
def test_dims(rank, shape, axes):
    shape = shape[:max(rank, 0)]
    want = oracle.dims_of(rank, shape, axes)
    got, why = [Dims(8, 8, 8, 8) for _ in range(3)], c.c_char_p(b"?")
    array = (c.c_int32 * len(axes))(*axes) if axes is not None else None
    status = library().bitfold_arm_nn_dims(rank, (c.c_int32 * len(shape))(*shape), len(axes or ()), array, *map(c.byref, got), c.byref(why))
    assert status == (oracle.SUCCESS if want else oracle.ARG_ERROR)
    assert tuple(d.values() for d in got) == (want or ((8, 8, 8, 8),) * 3)
    assert (why.value == b"") == (want is not None) and b"\n" not in why.value


# ---- The golden file ----

def fill(name, n, kind, seed):
    """The data of relatives.c."""
    low, high = oracle.limits(name)
    x, state = [], seed
    for _ in range(n):
        state = (state * 1664525 + 1013904223) % (1 << 32)
        x.append((low + (state >> 16) % (high - low + 1), (state >> 30) - 2, high if state >> 31 else low)[kind])
    return x


def hashed(h, name, dims, mask, seed):
    size = 4 if name in oracle.ARGS else oracle.bits(name) // 8
    for kind in range(3):
        x = fill(name, oracle.elements(dims), kind, seed)
        for scale in SCALES if name in oracle.MEANS else SCALES[:1]:
            y = oracle.arg(name, x, dims, mask.index(1)) if name in oracle.ARGS else oracle.masked(name, x, dims, mask, scale)
            for byte in b"".join(value.to_bytes(size, "little", signed=True) for value in y):
                h = (h ^ byte) * 16777619 % (1 << 32)
    return h


def golden_lines():
    for name in ("arm_reduce_max_s8", "arm_reduce_max_s16", "arm_reduce_min_s8", "arm_reduce_min_s16", "arm_argmax_s8", "arm_argmax_s16",
                 "arm_argmin_s8", "arm_argmin_s16", "arm_mean_s8", "arm_mean_s16", "arm_reduce_sum_s16"):
        for dims in SHAPES:
            h = 2166136261
            for seed, mask in enumerate(MASKS, 1):
                if name not in oracle.ARGS or sum(mask) == 1:
                    h = hashed(h, name, dims, mask, seed)
            yield f"{name} {{{','.join(map(str, dims))}}} {h:08x}"
        for across in (1, 3):
            h = 2166136261
            for n in range(1, LENGTHS + 1):
                h = hashed(h, name, (1, 1, n, across), (0, 0, 1, 0), n)
            yield f"{name} {{1,1,1..{LENGTHS},{across}}} {h:08x}"


def test_the_golden_file_is_the_oracles():
    assert GOLDEN.read_text().splitlines() == list(golden_lines())


def test_the_suite_prints_the_golden_file():
    got = subprocess.run([BUILD / "tests/cmsis_nn_integer", "digests"], check=True, capture_output=True, text=True)
    assert got.stdout == GOLDEN.read_text()


# ---- Objects ----

def compiled(source, output, *flags):
    return subprocess.run([*COMPILER, *FLAGS, *flags, str(source), "-o", str(output)], cwd=ROOT, capture_output=True, text=True)


def symbols(path):
    listing = subprocess.run(["nm", "-P", str(path)], check=True, capture_output=True, text=True).stdout
    return [line.split()[:2] for line in listing.splitlines()]


def test_no_floating_point(tmp_path):
    """I14: the sources compile where the compiler may not use a floating-point or vector register; a float addition does not."""
    planted = tmp_path / "planted.c"
    planted.write_text("float plus(float a, float b);\nfloat plus(float a, float b) { return a + b; }\n")
    if platform.machine() not in ("x86_64", "aarch64"):
        pytest.skip(f"-mgeneral-regs-only is not known on {platform.machine()}")
    assert compiled(planted, tmp_path / "planted.o", "-mgeneral-regs-only").returncode
    for source in SOURCES:
        result = compiled(source, tmp_path / "general.o", "-mgeneral-regs-only")
        assert not result.returncode, result.stderr


def test_symbols_and_gate(tmp_path):
    """I14: eleven functions and nothing else; no writable data; nothing called but the core. With the gate closed, nothing at all."""
    found = tmp_path / "found.o"
    assert not compiled(SOURCES[0], found).returncode
    names = symbols(found)
    assert sorted(name for name, kind in names if kind == "T") == sorted(oracle.FUNCTIONS)
    assert not [name for name, kind in names if kind in "dDbBC"]
    assert {name for name, kind in names if kind == "U"} <= {"bitfold_dense_init", "memcpy", "memset", "memmove", "_GLOBAL_OFFSET_TABLE_",
                                                             "__stack_chk_fail"}
    assert not compiled(SOURCES[0], found, "-DBITFOLD_ARM_NN_INTEGER=0").returncode
    assert not [name for name, kind in symbols(found) if kind in "TtDdBbU"]


def test_the_library_exports_them():
    for name in (*oracle.FUNCTIONS, "bitfold_arm_nn_dims"):
        assert getattr(library(), name)


if __name__ == "__main__":
    print(*golden_lines(), sep="\n")
