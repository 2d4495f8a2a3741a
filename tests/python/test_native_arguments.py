# SPDX-License-Identifier: Apache-2.0
"""bitfold._native, handed anything: it answers or raises, never crashes, and leaks no reference on any path."""

import array as stdlib
import ctypes
import gc
import itertools
import subprocess
import sys

import numpy as np
import pytest

import sf
from bitfold import _native
from plain import AxisError

I8, I16 = np.array([1, -2, 3], np.int8), np.array([1, -2, 3], np.int16)
F64 = np.array([0.5, -0.25, 0.125])
SUM = _native.Contract("sum:f64:sequential")
DOT = _native.Contract("dot:f64:exact")
OWN = sf.Rule("own", product="floor")

CALLS = {
    "reduce": (SUM, F64, None, None, False), "sum_codes": (I8, None, 8, "sf", None, False, False), "trace_codes": (I8, I8, 8, OWN),
    "vanished_codes": (I8, I8, 8, "sf", None),
    "map_codes": (0, I16, I16, 16, OWN), "convert": (F64, "f64", "sf16"), "words_from_codes": (0, 8, I8),
    "codes_from_words": (1, 16, I16), "pack_sf4": (I8,), "unpack_sf4": (b"\x11\x01", 3),
    "rule_fields": (0,), "Contract": ("sum:f32", None), "Rule": ("x", 0, False, -1, 0, False, 0, 0, 0, False)}


class Odd:
    """An object whose every conversion fails in its own way."""

    def __index__(self):
        raise ZeroDivisionError

    def __bool__(self):
        raise ZeroDivisionError

    def __len__(self):
        return -1


STRANGE = (None, True, 0, -1, 3, 2**31, 2**63, 2**64, -2**200, 0.5, float("nan"), 1j, "", "sf", "sf16", "sum:f64", "f64", "é\0",
           "\udc80", b"", b"abc", bytearray(b"abc"), (), (0,), (0, 0), (9,), ("a",), (Odd(),), [], [0],
           {}, object(), Odd(), int, len, np.int64(1), np.array(5, np.int8), np.zeros(0, np.int8), np.zeros((2, 3), np.int16),
           np.zeros(3, "f4"), np.zeros(3, ">i2"), np.zeros(3, "i2")[::-1], np.zeros((1,) * 9, np.int8),
           np.broadcast_to(np.int16(1), (3,)), np.zeros(3, object), np.zeros(3, [("a", "i2")]), np.zeros(3, bool),
           np.zeros(3, "M8[s]"), np.zeros(3, "U2"), np.array(["a"], object), memoryview(I8), memoryview(b"abc")[::2],
           stdlib.array("h", [1, 2, 3]), stdlib.array("b", [1]), stdlib.array("d", [1.0]), (ctypes.c_int16 * 3)(1, 2, 3),
           (ctypes.c_byte * 0)(), SUM, DOT, OWN, sf.array([0.5]), sf.sf16(0.5), sf.sf16, np.full(3, -32768, np.int16),
           np.frombuffer(b"\0" + I16.tobytes(), np.uint8)[1:].view(np.int16), np.zeros((0, 2**40), np.int8),
           np.broadcast_to(np.int8(1), (2**20, 1)), range(3), iter([1]))


def attempt(call, arguments, names=None):
    """True for an answer, False for an error of an ordinary kind."""
    try:
        call(*arguments, **(names or {}))
    except (TypeError, ValueError, OverflowError, BufferError, ZeroDivisionError, MemoryError, UnicodeError) as error:
        assert "\n" not in str(error)
        return False
    return True


@pytest.mark.parametrize("name", CALLS)
def test_the_plain_call_answers(name):
    assert attempt(getattr(_native, name), CALLS[name])


@pytest.mark.parametrize("name", CALLS)
def test_any_number_of_arguments(name):
    call, arguments = getattr(_native, name), CALLS[name]
    for n in range(len(arguments)):
        if not attempt(call, arguments[:n]):
            assert n < {"sum_codes": 4, "Contract": 1, "Rule": 1}.get(name, len(arguments))
    for extra in range(1, 4):
        assert not attempt(call, (*arguments, *[None] * extra))
    assert not attempt(call, arguments, {"nonsense": 1}) and not attempt(call, (), {"x": 1})


@pytest.mark.parametrize("name", CALLS)
def test_anything_in_any_place(name):
    """Each argument in turn, the others as they should be."""
    call, arguments = getattr(_native, name), CALLS[name]
    answers = 0
    for place in range(len(arguments)):
        for thing in STRANGE:
            answers += attempt(call, (*arguments[:place], thing, *arguments[place + 1:]))
    assert answers < len(STRANGE) * len(arguments)


@pytest.mark.parametrize("name", ("reduce", "sum_codes", "map_codes", "vanished_codes", "trace_codes", "convert"))
def test_anything_in_any_two_places(name):
    call, arguments, some = getattr(_native, name), CALLS[name], STRANGE[::3]
    for i, j in itertools.combinations(range(len(arguments)), 2):
        for a, b in itertools.product(some, repeat=2):
            given = list(arguments)
            given[i], given[j] = a, b
            attempt(call, given)


HUGE = np.broadcast_to(np.int16(1), (2**40, 1)), np.broadcast_to(np.int16(1), (1, 2**40))


@pytest.mark.parametrize("call", (
    lambda: _native.sum_codes(*HUGE, 16, "sf"), lambda: _native.map_codes(0, *HUGE, 16, "sf"),
    lambda: _native.vanished_codes(*HUGE, 16, "sf", None), lambda: _native.sum_codes(*HUGE, 16, "sf", 0),
    lambda: _native.reduce(_native.Contract("dot:i16"), *HUGE, 0, False), lambda: _native.map_codes(0, HUGE[0], HUGE[0][:1], 16,
        "sf"), lambda: _native.convert(HUGE[0], "i16", "f64"),
    lambda: sf.from_codes(HUGE[0], copy=False) * sf.from_codes(HUGE[1], copy=False),
    lambda: np.broadcast_to(sf.array(0.5), (2**40, 1)) @ np.broadcast_to(sf.array(0.5), (1, 2**40)),
    lambda: _native.unpack_sf4(b"", 2**62), lambda: _native.sum_codes(np.zeros((0, 2**40), np.int16),
        np.zeros((2**40, 1, 1), np.int16)[:0], 16, "sf", (0, 1))))
def test_shapes_whose_product_is_huge(call):
    """Refused, or out of memory, at once; nothing is multiplied beyond 64 bits."""
    with pytest.raises((ValueError, MemoryError, TypeError, OverflowError)) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_zero_strides_over_empty_and_small_arrays():
    empty = np.broadcast_to(np.zeros((0, 1), np.int16), (0, 2**40))
    assert _native.sum_codes(empty, None, 16, "sf") == (0, 0) and _native.sum_codes(empty.T, None, 16, "sf", 0)[0].shape == (0,)
    assert _native.reduce(_native.Contract("max:i16"), empty, None, 1, False)[0].shape == (0,)
    thick = np.broadcast_to(np.int16(3), (300, 7))
    assert _native.sum_codes(thick, None, 16, "sf") == (6300, 0)
    assert _native.sum_codes(thick, thick, 16, "sf", (0,))[0].tolist() == [0] * 7


SCRIPT_ENDS = """
import bitfold, sf, numpy as np, gc
c = bitfold.contract("sum:f32"); r = sf.Rule("x", product="floor"); x = sf.array([0.5]); e = sf.explain(x, None, 0)
b = sf.use_rule(r); b.__enter__()
import sys
for name in list(sys.modules):
    if name.split(".")[0] in ("sf", "bitfold"):
        del sys.modules[name]
gc.collect()
import bitfold as again, sf as once_more
assert again.sum([1.0, 2.0]) == 3.0 and once_more.array([0.5]).sum().code == 16384 and x.codes.tolist() == [16384]
print("end")
"""


def test_the_module_can_be_imported_twice_and_the_interpreter_ends():
    ran = subprocess.run([sys.executable, "-X", "dev", "-W", "ignore", "-c", SCRIPT_ENDS], capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout == "end\n", ran


# ---- references ----

@pytest.fixture(scope="module")
def frozen():
    """What is there already is left out of collections, which makes them quick."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def blocks():
    gc.collect()
    return sys.getallocatedblocks()


def failing(call):
    def run():
        try:
            call()
        except Exception:
            return
        raise AssertionError("it was to fail")
    return run


PATHS = {
    "reduce": lambda: _native.reduce(SUM, F64, None, 0, True), "reduce dot": lambda: _native.reduce(DOT, F64[:, None], F64, (0, 1),
        False), "reduce fails": failing(lambda: _native.reduce(SUM, F64, None, 7, False)),
    "reduce wrong": failing(lambda: _native.reduce(SUM, I8, None, None, False)),
    "reduce no buffer": failing(lambda: _native.reduce(SUM, [1.0], None, None, False)),
    "broadcast fails": failing(lambda: _native.reduce(DOT, F64, F64[:2], 0, False)),
    "reduce count": failing(lambda: _native.reduce(SUM)), "empty max": failing(lambda: _native.reduce(_native.Contract("max:f64"),
        F64[:0], None, None, False)), "axes": failing(lambda: _native.reduce(SUM, F64, None, (0, "a"), False)),
    "sum_codes": lambda: _native.sum_codes(I8, I8, 8, "sf", None, False), "sum_codes axis": lambda: _native.sum_codes(x=I16[None],
        bits=16, rule=OWN, axes=(1,), keepdims=True), "sum_codes mean": lambda: _native.sum_codes(I16, None, 16, "sf", None, False,
            True),
    "sum_codes rows": lambda: _native.sum_codes(I16[::-1], None, 16, "sf31"),
    "sum_codes fails": failing(lambda: _native.sum_codes(np.full(3, 100, np.int8), None, 4, "sf")),
    "sum_codes rule": failing(lambda: _native.sum_codes(I8, None, 8, "x")),
    "sum_codes name": failing(lambda: _native.sum_codes(I8, None, 8, "sf", q=1)),
    "sum_codes twice": failing(lambda: _native.sum_codes(I8, None, 8, "sf", x=I8)),
    "sum_codes bool": failing(lambda: _native.sum_codes(I8, None, 8, "sf", None, Odd())),
    "trace": lambda: _native.trace_codes(I8, I8, 8, "sf"), "trace fails": failing(lambda: _native.trace_codes(I8, I8[:2], 8, "sf")),
    "vanished": lambda: _native.vanished_codes(I8, I8, 8, OWN, None),
    "vanished fails": failing(lambda: _native.vanished_codes(I8, I8, 8, OWN, 5)), "map": lambda: _native.map_codes(2, I16[:, None],
        I16, 16, "sf"), "map unary": lambda: _native.map_codes(3, I8, None, 8, "sf"),
    "map fails": failing(lambda: _native.map_codes(9, I8, None, 8, "sf")), "map code": failing(lambda: _native.map_codes(0,
        np.full(3, 9, np.int8), I8, 3, "sf")), "map shapes": failing(lambda: _native.map_codes(0, I8, I8[:2], 8, "sf")),
    "convert": lambda: _native.convert(F64, "f64", "sf16"), "convert nan": failing(lambda: _native.convert(F64 * np.nan, "f64",
        "sf16")), "convert name": failing(lambda: _native.convert(F64, "f64", "sf99")),
    "convert layout": failing(lambda: _native.convert(F64[::2], "f64", "sf16")), "words": lambda: _native.words_from_codes(1, 8,
        I8), "words fails": failing(lambda: _native.words_from_codes(1, 8, np.full(3, -128, np.int8))),
    "codes": lambda: _native.codes_from_words(0, 16, I16), "codes fails": failing(lambda: _native.codes_from_words(7, 16, I16)),
    "pack": lambda: _native.pack_sf4(I8), "pack fails": failing(lambda: _native.pack_sf4(np.full(3, 8, np.int8))),
    "unpack": lambda: _native.unpack_sf4(b"\x11\x01", 3), "unpack fails": failing(lambda: _native.unpack_sf4(b"\x18", 2)),
    "unpack size": failing(lambda: _native.unpack_sf4(b"\x18", 5)), "unpack buffer": failing(lambda: _native.unpack_sf4("a", 1)),
    "rule_fields": lambda: _native.rule_fields(3), "rule_fields end": lambda: _native.rule_fields(99),
    "rule_fields fails": failing(lambda: _native.rule_fields("a")), "Rule": lambda: _native.Rule("x")._fields(),
    "Rule fits": lambda: OWN._fits(9),
    "Rule fails": failing(lambda: _native.Rule(3)), "Rule surrogate": failing(lambda: _native.Rule("\udc80")),
    "Rule fits fails": failing(lambda: OWN._fits(99)), "Contract": lambda: str(_native.Contract("dot:sf16:sf")),
    "Contract rule": lambda: repr(_native.Contract("dot:sf16", OWN)),
    "Contract fails": failing(lambda: _native.Contract("sun:f32")), "Contract type": failing(lambda: _native.Contract("sum:f32",
        3)), "Contract parts": lambda: (SUM.operation, SUM.element, SUM.accumulator, SUM.output),
    "Contract compare": lambda: (SUM == DOT, SUM != DOT, hash(SUM), SUM == 3, SUM.__reduce__(), repr(SUM)),
    "Contract order": failing(lambda: SUM < DOT)}


@pytest.mark.parametrize("name", PATHS)
def test_no_path_leaks(name, frozen):
    """400 more calls leave no more blocks and no more references than 400 calls did."""
    call, watched = PATHS[name], (None, True, False, I8, I16, F64, SUM, DOT, OWN, _native.Rule, _native.Contract, np.empty,
                                  AxisError)

    def many(n):
        for _ in range(n):
            call()
        return [sys.getrefcount(w) for w in watched], blocks()
    many(400)
    grown = []
    for _ in range(3):
        before, after = many(3), many(400)
        references = [b - a for a, b in zip(before[0], after[0])]
        grown.append((max(references), after[1] - before[1]))
        if max(references) < 100 and after[1] - before[1] < 100:
            return
    raise AssertionError(f"400 calls leave (references, blocks) {grown}")


def test_buffers_are_released():
    """An array whose buffer a call had can be resized again, after success and after failure."""
    for call in (lambda x: _native.sum_codes(x, None, 8, "sf"), lambda x: _native.sum_codes(x, x, 8, "sf"),
                 lambda x: failing(lambda: _native.sum_codes(x, None, 9, "sf"))(), lambda x: _native.pack_sf4(x),
                 lambda x: failing(lambda: _native.map_codes(9, x, x, 8, "sf"))(), lambda x: _native.trace_codes(x, x, 8, "sf"),
                 lambda x: _native.unpack_sf4(x, 4), lambda x: failing(lambda: _native.unpack_sf4(x, 9))(),
                 lambda x: _native.vanished_codes(x, x, 8, "sf", None), lambda x: failing(lambda: _native.vanished_codes(x, I8, 8,
                     "sf", None))(), lambda x: failing(lambda: _native.reduce(SUM, x, None, None, False))(),
                 lambda x: _native.convert(x, "i8", "f32"), lambda x: _native.codes_from_words(0, 8, x)):
        x = stdlib.array("b", [1, 2])
        call(x)
        x.append(3)
        assert len(x) == 3


def test_objects_end():
    import weakref

    class Name(str):
        pass
    name = Name("x")
    gone = weakref.ref(name)
    rule = _native.Rule(name)
    assert rule._fields()[0] == "x"
    del rule, name
    gc.collect()
    assert gone() is None
    x = sf.array([0.5])
    gone = weakref.ref(x)
    y = x + x * 0
    del x
    gc.collect()
    assert gone() is None and y.codes.tolist() == [16384]
