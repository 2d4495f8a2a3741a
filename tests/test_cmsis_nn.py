# SPDX-License-Identifier: Apache-2.0
"""The twelve arm_* functions beside their clause suite (tests/cmsis_nn): the golden file and random calls against the oracle, and
what a program cannot see of itself: symbols, gates, compilers (H5, H9, H10)."""

import ctypes as c
import os
import pathlib
import re
import shutil
import subprocess
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import helia_golden
from oracle import helia
from oracle.formats import FORMATS
from test_golden_file import KINDS, Hostile, Random

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BITFOLD_BUILD", ROOT / "build"))
SUITE = ROOT / "tests/cmsis_nn"
CC = os.environ.get("CC", "cc").split()
FREE_NAMES = {"memcpy", "memset", "memmove", "_GLOBAL_OFFSET_TABLE_"}
POISON = 0xA5


def run(*command):
    """Standard output of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# ---- The golden file ----

def golden():
    return (SUITE / "golden.txt").read_text().splitlines()


@pytest.mark.parametrize("element", ("f32", "f16"))
@pytest.mark.parametrize("family", helia.FAMILIES, ids=lambda family: family[0][4:])
def test_H84_golden_lines_are_the_oracles(family, element):
    for act in family:
        name = f"{act}_{element}"
        assert [line for line in golden() if line.startswith(name + " ")] == helia_golden.lines(name)


def test_H84_digests_are_those_of_the_file():
    digests = [int(word, 16) for word in re.findall(r"UINT64_C\((0x[0-9a-f]{16})\)[,}]", (SUITE / "digest.c").read_text())]
    assert digests == [helia_golden.digest([line for line in golden() if line.split()[0].endswith(f)]) for f in ("f32", "f16")]


def test_H84_the_host_prints_the_golden_file():
    program = BUILD / "tests/cmsis_nn/clauses"
    if not program.exists():
        pytest.skip(f"{program} is built by make check only")
    assert run(program, "golden").splitlines() == golden()


# ---- Random calls through the shared library ----

class Dims(c.Structure):
    _fields_ = [(axis, c.c_int32) for axis in "nhwc"]


@pytest.fixture(scope="module")
def library():
    return c.CDLL(str(BUILD / "libbitfold_cmsis_nn.so"))


def storage(name):
    """The element types of input and output."""
    act, element = helia.split(name)
    return FORMATS[element].storage, np.int32 if act in helia.ARGS else FORMATS[element].storage


def call(library, name, x, dims, mask, y, out):
    """The status of one call; None is a null pointer. mask is an axis for argmax and argmin."""
    pointer = lambda a: None if a is None else c.c_void_p(a.ctypes.data)
    struct = lambda d: None if d is None else c.byref(Dims(*d))
    if helia.split(name)[0] in helia.ARGS:
        return getattr(library, name)(pointer(x), struct(dims), c.c_int32(mask), pointer(y))
    return getattr(library, name)(pointer(x), struct(dims), struct(mask), pointer(y), struct(out))


def row(element, kind, n, seed):
    return np.array(Hostile(FORMATS[element], Random(seed)).row(kind, n), FORMATS[element].storage)


EXTENTS = st.tuples(*[st.integers(1, 7)] * 4) | st.tuples(st.just(1), st.just(1), st.integers(1, 12), st.integers(1, 40))
ODDS = st.tuples(*[st.sampled_from((-1, 0, 1, 1, 2, 2, 3, -(1 << 31)))] * 4)
# Sizes at and beyond the limits, in calls that are refused or touch nothing.
HUGE = st.tuples(*[st.sampled_from((0, 1, 1, 2, 65536, 46341, (1 << 31) - 1, 1 << 29, 1 << 30))] * 4)


@settings(max_examples=700)
@given(name=st.sampled_from(helia.FUNCTIONS), dims=EXTENTS, mask=st.tuples(*[st.integers(0, 1)] * 4), axis=st.integers(0, 3),
       kind=st.integers(0, KINDS - 1), seed=st.integers(0, 1 << 60))
def test_random_calls_give_the_oracles_bits(library, name, dims, mask, axis, kind, seed):
    act, element = helia.split(name)
    if act in helia.ARGS:
        mask = tuple(int(i == axis) for i in range(4))
    x = row(element, kind, prod(dims), seed)
    want = helia.outputs(name, x.tolist(), dims, mask)
    y = np.zeros(len(want), storage(name)[1])
    assert call(library, name, x, dims, axis if act in helia.ARGS else mask, y, helia.output_dims(dims, mask)) == helia.SUCCESS
    assert y.tolist() == want


def expect(library, name, x, dims, mask, y, out):
    """The status is the oracle's, and after an error not one byte of y has changed (H2)."""
    if helia.split(name)[0] in helia.ARGS:
        want = helia.arg_status(name, x is not None, dims, mask, y is not None)
    else:
        want = helia.mask_status(name, x is not None, dims, mask, y is not None, out)
    assert call(library, name, x, dims, mask, y, out) == want
    assert want == helia.SUCCESS or y is None or (y.view(np.uint8) == POISON).all()
    return want


@settings(max_examples=800)
@given(name=st.sampled_from(helia.FUNCTIONS), dims=st.none() | ODDS, mask=st.none() | ODDS, binary=st.booleans(),
       axis=st.integers(-2, 5), out=st.none() | st.just("right") | ODDS, null=st.integers(0, 8))
def test_H1_the_table_of_arguments(library, name, dims, mask, binary, axis, out, null):
    types = storage(name)
    if binary and mask:
        mask = tuple(int(m != 0) for m in mask)
    if out == "right":
        out = helia.output_dims(dims, mask) if dims and mask else None
    x = None if null == 1 else np.ones(81, types[0])
    y = None if null == 2 else np.full(81 * types[1]().itemsize, POISON, np.uint8).view(types[1])
    is_arg = helia.split(name)[0] in helia.ARGS
    status = expect(library, name, x, dims, axis if is_arg else mask, y, out)
    if status == helia.SUCCESS and y is not None:
        marks = tuple(int(i == axis) for i in range(4)) if is_arg else mask
        want = helia.outputs(name, [1] * helia.count(dims), dims, marks)
        assert y[:len(want)].tolist() == want and (y[len(want):].view(np.uint8) == POISON).all()  # H7, H13


@settings(max_examples=800)
@given(name=st.sampled_from(helia.FUNCTIONS), dims=HUGE, bits=st.integers(0, 15), axis=st.integers(0, 3), has=st.booleans())
def test_H20_to_H24_sizes(library, name, dims, bits, axis, has):
    act, _ = helia.split(name)
    is_arg = act in helia.ARGS
    mask = tuple(bits >> i & 1 for i in range(4))
    marks = tuple(int(i == axis) for i in range(4)) if is_arg else mask
    outputs = prod(1 if m else e for e, m in zip(dims, marks))
    if is_arg:
        good = helia.arg_status(name, True, dims, axis, True) == helia.SUCCESS
    else:
        good = helia.mask_status(name, True, dims, mask, True, helia.output_dims(dims, mask)) == helia.SUCCESS
    if good and (helia.count(dims) > 4096 or outputs > 4096):
        has = False  # null data is the error then; that a size just below the limit passes is the suite's H20
    x, y = (np.zeros(4096, t) if has else None for t in storage(name))
    if y is not None:
        y.view(np.uint8)[:] = POISON
    expect(library, name, x, dims, axis if is_arg else mask, y, helia.output_dims(dims, mask))


@settings(max_examples=250)
@given(kind=st.sampled_from((0, 1, 2, 3, 5, 7)), n=st.integers(1, 150), suffix=st.booleans(), seed=st.integers(0, 1 << 60))
def test_H59_the_bound_against_exact_sums(library, kind, n, suffix, seed):
    f = FORMATS["f32"]
    columns = 1 if suffix else 2
    x = row("f32", kind, n * columns, seed)
    if kind == 1:
        x &= np.uint32(0xBFFFFFFF)  # magnitudes below 2, where no sum overflows
    y = np.zeros(columns, np.uint32)
    assert call(library, "arm_reduce_sum_f32", x, (1, 1, n, columns), (0, 0, 1, int(suffix)), y, (1, 1, 1, columns)) == 0
    for j in range(columns):
        values = [f.value(code) for code in x.tolist()[j::columns]]
        if f.is_inf(int(y[j])) or f.is_nan(int(y[j])):
            assert kind == 2
            continue
        assert abs(f.value(int(y[j])) - sum(values)) <= (n - 1) * Fraction(1, 1 << 24) * sum(map(abs, values))


# ---- Symbols, gates, compilers ----

GATES = {"f32": (1, 0), "f16": (0, 1), "both": (1, 1), "neither": (0, 0)}
FLAGS = ("-std=c11", "-ffp-contract=off", "-Iinclude", "-Icompat/cmsis_nn/include")


def gate_flags(gate):
    return [f"-DARM_NN_ENABLE_{word}={value}" for word, value in zip(("F32", "F16"), GATES[gate])]


def symbols(*arguments):
    return {line.split()[0] for line in run("nm", "--format=posix", *arguments).splitlines() if not line.endswith(":")}


@pytest.mark.parametrize("gate", GATES)
def test_H10_gates_export_their_own_symbols(gate, tmp_path):
    run(*CC, *FLAGS, *gate_flags(gate), "-O2", "-c", "compat/cmsis_nn/reductions.c", "-o", tmp_path / "reductions.o")
    exported = symbols("--defined-only", "--extern-only", tmp_path / "reductions.o")
    wanted = [word for word, value in zip(("f32", "f16"), GATES[gate]) if value]
    assert exported == {name for name in helia.FUNCTIONS if helia.split(name)[1] in wanted}


@pytest.mark.parametrize("gate", GATES)
def test_H5_objects_need_the_core_and_hold_no_state(gate, tmp_path):
    target = tmp_path / "reductions.o"
    run(*CC, *FLAGS, *gate_flags(gate), "-O2", "-c", "compat/cmsis_nn/reductions.c", "-o", target)
    needed = {name for name in symbols("--undefined-only", target) if not name.startswith("bitfold_dense_")} - FREE_NAMES
    assert not needed
    sections = [line.split()[1:3] for line in run("objdump", "-h", target).splitlines() if re.match(r" *\d+ ", line)]
    writable = re.compile(r"\.(data(?!\.rel\.ro)|bss|tdata|tbss)")
    assert sections and not [name for name, size in sections if int(size, 16) and writable.match(name)]


def compile_suite(compiler, level, gate, folder):
    """The suite, the functions and the core, everything by one compiler at one level."""
    sources = [*(ROOT / "src").rglob("*.c"), ROOT / "compat/cmsis_nn/reductions.c", *SUITE.glob("*.c"), ROOT / "tests/c/hostile.c"]
    objects = [folder / f"{i}.o" for i in range(len(sources))]
    for source, target in zip(sources, objects):
        run(*compiler, *FLAGS, *gate_flags(gate), level, "-w", "-DBITFOLD_MACHINE=scalar", "-c", source, "-o", target)
    run(*compiler, level, *objects, "-o", folder / "clauses")
    return folder / "clauses"


@pytest.mark.full
@pytest.mark.parametrize("level", ("-O0", "-O2", "-O3", "-Os", "-Ofast"))
@pytest.mark.parametrize("compiler", ("gcc", "clang-19"))
def test_H9_every_compiler_and_level_passes_the_suite(compiler, level, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} here")
    program = compile_suite([compiler], level, "both", tmp_path)
    assert run(program, "golden").splitlines() == golden()
    assert re.search(r"^\d+ passed, 0 failed, 0 skipped$", run(program), re.MULTILINE)


@pytest.mark.full
@pytest.mark.parametrize("gate", ("f32", "f16"))
def test_H10_the_suite_passes_with_one_format(gate, tmp_path):
    program = compile_suite(CC, "-O2", gate, tmp_path)
    assert run(program, "golden").splitlines() == [line for line in golden() if line.split()[0].endswith(gate)]
    assert " 0 failed, " in run(program).splitlines()[-1]


def test_every_clause_has_a_test_of_its_number():
    numbers = re.findall(r"^CLAUSE\((\d+),", (SUITE / "clauses.def").read_text(), re.MULTILINE)
    assert numbers == sorted(set(numbers), key=int) and len(numbers) == 67
    bodies = re.findall(r"^void h(\d+)\(void\)", "".join(path.read_text() for path in SUITE.glob("*.c")), re.MULTILINE)
    assert set(bodies) == set(numbers)
