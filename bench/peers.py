# SPDX-License-Identifier: Apache-2.0
"""The library beside NumPy, PyTorch and the accurate sums of PyPI: one run, one thread, one table and one plot for docs/performance.md.

usage: peers.py [--quick] [--docs FOLDER] COMMAND, where COMMAND is bitfold, whose `bench` is written down too; `make peers` calls it with the environment that it needs. Each side of a case takes its
turn, so that all meet the same machine, and the best turn of each counts. What is not installed is left out, and the page says so.
"""

import argparse
import ctypes
import dataclasses
import functools
import importlib
import io
import itertools
import math
import pathlib
import sys
import time
from collections.abc import Callable

import ml_dtypes
import numpy as np

import bitfold

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import bitfold_c  # noqa: E402  the tests' binding of the public header
import peers_page  # noqa: E402

CACHE, MEMORY = 1 << 14, 1 << 29  # elements, and bytes
IMAGES = (8, 56, 56, 64)
FORMATS = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
SETS = [axes for count in range(1, 5) for axes in itertools.combinations(range(4), count)]


def optional(name):
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


torch, xsum, uniaccurate, accupy = (optional(name) for name in ("torch", "xsum", "uniaccurate", "accupy"))


@dataclasses.dataclass
class Case:
    """Calls that compute the same thing; the first two are the library's."""

    name: str
    elements: int
    calls: dict[str, Callable]
    goal: dict[str, float] = dataclasses.field(default_factory=dict)  # how many times as fast as a rival
    ns: dict[str, float] = dataclasses.field(default_factory=dict)  # an element, measured


def measure(case, seconds, turns=5):
    """Fills case.ns. Turns of fast calls repeat them until 0.2 ms have passed."""
    repeats, best = {}, {}
    for name, call in case.calls.items():
        call()
        start = time.perf_counter()
        call()
        repeats[name] = max(1, int(2e-4 / (time.perf_counter() - start + 1e-9)))
    end = time.perf_counter() + seconds
    while turns > 0 or time.perf_counter() < end:
        turns -= 1
        for name, call in case.calls.items():
            count = repeats[name]
            start = time.perf_counter()
            for _ in range(count):
                call()
            best[name] = min(best.get(name, math.inf), (time.perf_counter() - start) / count)
    case.ns = {name: 1e9 * seconds / case.elements for name, seconds in best.items()}
    return case


def c_call(contract, x, y=None, axes=None):
    """A call of bitfold_reduce through ctypes, with everything made beforehand."""
    name = FORMATS[x.dtype.name]
    contract = bitfold_c.parse(contract)
    tensors = [None if a is None else bitfold_c.tensor(a.view(bitfold_c.STORAGE[name]), name) for a in (x, y)]
    axes, shape, lib = bitfold_c.axis_set(axes), bitfold_c.Tensor(), bitfold_c.lib
    bitfold_c.check(lib.bitfold_tensor_reduced(bitfold_c.by(tensors[0]), bitfold_c.by(axes), 0, contract.output, bitfold_c.by(shape), None))
    output = bitfold_c.FORMAT_NAMES[contract.output]
    out = np.zeros(tuple(shape.shape[: shape.rank]), bitfold_c.STORAGE[output])
    to = bitfold_c.tensor(out, output)
    arguments = [bitfold_c.by(thing) for thing in (contract, *tensors, axes, to)]
    kept = (contract, tensors, axes, to, x, y)

    def call():
        lib.bitfold_reduce(*arguments, None, None)
        return out, kept

    bitfold_c.check(lib.bitfold_reduce(*arguments, None, None))
    return call


def ours(operation, x, y=None, order="exact", axes=None):
    """The library's two calls: C and Python."""
    words = [operation, FORMATS[x.dtype.name], *([order] if operation in ("sum", "dot") else [])]
    function, arguments = getattr(bitfold, operation), [x] if y is None else [x, y]
    named = {"threads": 1, **({"axis": axes} if y is None else {}), **({"order": order} if operation in ("sum", "dot") else {})}
    return {"C": c_call(":".join(words), x, y, axes), "Python": lambda: function(*arguments, **named)}


def tensor_of(x):
    """A PyTorch tensor over the same memory."""
    return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16) if x.dtype == ml_dtypes.bfloat16 else torch.from_numpy(x)


def beside(operation, x, *, numpy=True, y=None):
    """NumPy's and PyTorch's calls of that name."""
    arguments = [] if y is None else [y]
    calls = {"NumPy": functools.partial(getattr(x, operation), *arguments)} if numpy else {}
    if torch:
        calls["PyTorch"] = functools.partial(getattr(tensor_of(x), operation), *[tensor_of(a) for a in arguments])
    return calls


def xsum_call(kind, x):
    """A sum by one of xsum's accumulators."""

    def call():
        accumulator = getattr(xsum, kind)()
        accumulator.add(x)
        return accumulator.round()

    return call


def accurate_sums(x):
    """Sums of float64 on PyPI that promise the real sum rounded once, or nearly so, and math.fsum."""
    calls = {"math.fsum": functools.partial(math.fsum, x)}
    if xsum:
        calls |= {"xsum, large": xsum_call("xsum_large", x), "xsum, small": xsum_call("xsum_small", x)}
    if uniaccurate:
        calls |= {"uniaccurate exact_sum": functools.partial(uniaccurate.exact_sum, x)}
        calls |= {"uniaccurate near_sum": functools.partial(uniaccurate.near_sum, x)}
    if accupy:
        calls |= {"accupy ksum": functools.partial(accupy.ksum, x)}
    return calls


def accurate_dots(x, y):
    """Dots of float64: exact ones first."""
    calls = {"uniaccurate exact_dot": functools.partial(uniaccurate.exact_dot, x, y)} if uniaccurate else {}
    return calls | ({"accupy fdot": functools.partial(accupy.fdot, x, y)} if accupy else {})


def cache_cases(quick):
    """16 Ki elements, and the columns of a square."""
    x64, y64 = (np.random.default_rng(seed).standard_normal(CACHE) for seed in (1, 2))
    x32, y32, x16, xb16 = x64.astype("f4"), y64.astype("f4"), x64.astype("f2"), x64.astype(ml_dtypes.bfloat16)
    for order in ("exact", "lanes(16)", "lanes(64)", "canonical(128)", "pairwise(128,lanes(8))"):
        yield Case(f"sum:f32:{order}", CACHE, ours("sum", x32, order=order) | beside("sum", x32))
    yield Case("sum:f32:numpy", CACHE, ours("sum", x32, order="numpy") | beside("sum", x32), {"NumPy": 2})
    yield Case("sum:f32:torch", CACHE, ours("sum", x32, order="torch") | beside("sum", x32), {"PyTorch": 1})
    yield Case("dot:f32:exact", CACHE, ours("dot", x32, y32) | beside("dot", x32, y=y32))
    yield Case("sum:f64:exact", CACHE, ours("sum", x64) | accurate_sums(x64) | beside("sum", x64), {"xsum, large": 2})
    dots = accurate_dots(x64, y64)
    yield Case("dot:f64:exact", CACHE, ours("dot", x64, y64) | dots | beside("dot", x64, y=y64), dict.fromkeys(dots, 3))
    yield Case("sum:f16:exact", CACHE, ours("sum", x16) | beside("sum", x16), {"NumPy": 20})
    numpy16 = {"NumPy, of float16": x16.sum}
    yield Case("sum:bf16:exact", CACHE, ours("sum", xb16) | numpy16 | beside("sum", xb16, numpy=False), {"NumPy, of float16": 20})
    for operation, goal in (("max", 2), ("min", 2), ("argmax", 1.2)):
        yield Case(f"{operation}:f32", CACHE, ours(operation, x32) | beside(operation, x32), {"NumPy": goal})
    for operation in ("max", "min", "argmax"):
        yield Case(f"{operation}:f16", CACHE, ours(operation, x16) | beside(operation, x16), {"NumPy": 30})
    square = np.random.default_rng(3).standard_normal((512, 512) if quick else (4096, 4096), np.float32)
    calls = ours("argmax", square, axes=0) | {"NumPy": lambda: square.argmax(0)}
    yield Case("argmax:f32 over axis 0", square.size, calls | ({"PyTorch": lambda: tensor_of(square).argmax(0)} if torch else {}), {"NumPy": 10})
    short = x32[:16]
    for operation in ("sum", "max"):
        yield Case(f"{operation}:f32, one call", 16, ours(operation, short) | beside(operation, short))


def memory_cases(big32):
    """What no cache holds; the same bytes as float64 are read as what they are."""
    big64 = np.resize(np.random.default_rng(4).standard_normal(1 << 20), big32.size // 2)
    for order in ("exact", "lanes(64)", "canonical(16)"):
        yield Case(f"sum:f32:{order}", big32.size, ours("sum", big32, order=order) | beside("sum", big32))
    yield Case("max:f32", big32.size, ours("max", big32) | beside("max", big32))
    fast = {name: call for name, call in accurate_sums(big64).items() if name.startswith("xsum")}
    yield Case("sum:f64:exact", big64.size, ours("sum", big64) | fast | beside("sum", big64))


def numpy_over(operation, x, axes):
    """NumPy's call; an argmax over several axes goes through the copy that NumPy needs for it."""
    if operation != "argmax" or len(axes) == 1:
        return functools.partial(getattr(x, operation), axis=axes if operation != "argmax" else axes[0])
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    shape = [x.shape[axis] for axis in kept]
    return lambda: x.transpose(*kept, *axes).reshape(*shape, -1).argmax(-1)


def image_cases():
    """Sums, max and argmax over all sets of axes of {8, 56, 56, 64}."""
    x = np.random.default_rng(5).standard_normal(IMAGES, np.float32)
    for operation, order in (("sum", "exact"), ("sum", "lanes(64)"), ("max", ""), ("argmax", "")):
        for axes in SETS:
            calls = {"C": ours(operation, x, order=order, axes=axes)["C"], "NumPy": numpy_over(operation, x, axes)}
            yield Case(f"{operation}:f32{order and ':'}{order}", x.size, calls)


def length_cases(big32):
    """One case for each length of the plot. memchr, in search of what is not there, reads as fast as one can."""
    zeros, memchr = np.zeros(big32.nbytes, np.int8), ctypes.CDLL(None).memchr
    zeros.fill(0)
    big64 = np.resize(np.random.default_rng(4).standard_normal(1 << 20), big32.size // 2)
    slow = set()
    for n in (1 << k for k in range(4, big32.size.bit_length())):
        x = big32[:n]
        calls = {"read (memchr)": functools.partial(memchr, bitfold_c.pointer(zeros), 1, ctypes.c_size_t(4 * n))}
        calls |= {"bitfold exact f32, C": c_call("sum:f32:exact", x), "bitfold lanes(64) f32, C": c_call("sum:f32:lanes(64)", x)}
        calls |= {f"{name} f32": call for name, call in beside("sum", x).items()}
        calls |= {"bitfold exact f32, Python": ours("sum", x)["Python"]}
        if n <= big64.size:
            calls |= {"bitfold exact f64, C": c_call("sum:f64:exact", big64[:n])}
            accurate = accurate_sums(big64[:n])
            calls |= {f"{name} f64": accurate[name] for name in ("xsum, large", "uniaccurate exact_sum") if name in accurate}
        case = Case("sums", n, {name: call for name, call in calls.items() if name not in slow})
        yield case
        slow |= {name for name, ns in case.ns.items() if ns * n > 5e8}


def answers():
    """What each returns where rounding on the way shows: rows of a name, and of answers by library."""
    up = np.array([1e100, 1, -1e100, 1e-100, 3] * 400)
    x, y = np.array([1 + 2.0**-30, -1]), np.array([1 + 2.0**-30, 1 + 2.0**-29])
    ones = np.ones((4096, 2), np.float16)
    f32 = np.random.default_rng(6).standard_normal(1 << 16).astype("f4")
    sums = lambda a: {"bitfold": lambda: bitfold.sum(a)} | beside("sum", a)  # noqa: E731
    pair = lambda call: (lambda a, b: (call(a), call(b)))  # noqa: E731
    yield "sum of [1e100, 1, -1e100, 1e-100, 3] 400 times, f64", sums(up) | accurate_sums(up)
    yield "dot of [1 + 2^-30, -1] and [1 + 2^-30, 1 + 2^-29], f64", {"bitfold": lambda: bitfold.dot(x, y)} | accurate_dots(x, y) | beside("dot", x, y=y)
    yield "sum of 4096 ones down each of two columns, f16", {"bitfold": lambda: bitfold.sum(ones, axis=0)[0], "NumPy": lambda: ones.sum(0)[0]} | (
        {"PyTorch": lambda: tensor_of(ones).sum(0)[0].item()} if torch else {})
    totals = {"bitfold": bitfold.sum, "NumPy": np.sum} | ({"PyTorch": lambda a: tensor_of(a).sum().item()} if torch else {})
    yield "have 65,536 normal f32 the same sum when they are sorted?", {
        name: functools.partial(lambda f: "yes" if f[0] == f[1] else "no", pair(call)(f32, np.sort(f32))) for name, call in totals.items()}


def as_text(answer):
    """An answer as a short decimal, or as the word that it is."""
    return answer if isinstance(answer, str) else f"{float(answer):.17g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="a smaller and rougher run, to see that all works")
    parser.add_argument("--docs", type=pathlib.Path, default=ROOT / "docs", help="where performance.md is")
    parser.add_argument("command", help="the command bitfold")
    arguments = parser.parse_args()
    if torch:
        torch.set_num_threads(1)
    size = (1 << 20 if arguments.quick else MEMORY) // 4
    big32 = np.resize(np.random.default_rng(7).standard_normal(1 << 18, np.float32), size)
    seconds = 0.01 if arguments.quick else 0.4

    progress = sys.stderr if sys.stderr.isatty() else io.StringIO()

    def run(cases, seconds, turns):
        for case in cases:
            print(f"\r{case.name} of {case.elements}\033[K", end="", file=progress, flush=True)
            yield measure(case, seconds, turns)

    page = peers_page.Page(arguments.docs, [module for module in (np, torch, xsum, uniaccurate, accupy) if module])
    page.overhead = measure(Case("", 1, {"C": bitfold_c.lib.bitfold_version}), seconds).ns["C"]
    page.table = [*run(cache_cases(arguments.quick), seconds, 5), *run(memory_cases(big32), 2 * seconds, 3)]
    page.images = list(run(image_cases(), seconds / 2, 3))
    page.lengths = list(run(length_cases(big32), seconds / 2, 3))
    page.answers = [(name, {library: as_text(call()) for library, call in calls.items()}) for name, calls in answers()]
    print("\rbitfold bench\033[K", file=progress)
    page.write(SETS, [arguments.command, "bench", "--json", *(["--quick"] if arguments.quick else [])])


if __name__ == "__main__":
    main()
