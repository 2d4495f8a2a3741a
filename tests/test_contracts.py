# SPDX-License-Identifier: Apache-2.0
"""The contract language: reading and printing are inverse, errors name the word and the nearest known one, borders hold."""

import ctypes
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitfold_c
from oracle.contract import order_text, parse_order
from oracle.formats import ACCUMULATORS, FLOATS
from oracle.superfloat import RULES

PRINTED = {
    "sum:f32": "sum:f32:exact", "sum:f16:lanes(4)": "sum:f16:acc=f32:lanes(4,fold=left)", "sum:i8": "sum:i8:exact:out=i64",
    "sum:f16:acc=f32:lanes(4,fold=left,tail=lanes)": "sum:f16:acc=f32:lanes(4,fold=left)",
    "sum:f64:lanes(8,tail=after,fold=pairs)": "sum:f64:lanes(8,fold=pairs,tail=after)", "mean:i8": "mean:i8:exact:out=f64",
    "argmax:f32": "argmax:f32:nan=ignore:out=i64", "max:f32": "max:f32:nan=propagate", "sum:sf16": "sum:sf16:sf",
    "min:f16:nan=ignore": "min:f16:nan=ignore", "argmin:i8:out=i32": "argmin:i8:out=i32", "max:sf7": "max:sf7",
    "sum:f32:acc=f64:exact": "sum:f32:exact", "sum:f32:out=f64": "sum:f32:exact:out=f64", "dot:sf8:exact": "dot:sf8:exact",
    "sum:f32:sequential:acc=f64": "sum:f32:acc=f64:sequential",
    "mean:bf16:blocks(4096,pairwise(128,lanes(8)))": "mean:bf16:acc=f32:blocks(4096,pairwise(128,lanes(8,fold=left)))",
    "sum:i64": "sum:i64:exact:out=i64", "sum:i64:out=i32": "sum:i64:exact:out=i32", "mean:i64": "mean:i64:exact:out=f64",
    "argmin:i64": "argmin:i64:out=i64", "argmin:i64:out=i32": "argmin:i64:out=i32", "max:i64": "max:i64",
    "sum:f16:numpy": "sum:f16:acc=f16:numpy", "mean:f16:numpy-1": "mean:f16:acc=f32:numpy-1",
    'sum:f32:tree("((0+1)+2)")': 'sum:f32:tree("((0+1)+2)")'}

TYPOS = {
    "sum:f32:sequental": ("sequental", "sequential"), "smu:f32": ("smu", "sum"), "sum:f23": ("f23", "f32"),
    "sum:f32:lane(4)": ("lane", "lanes"), "sum:f32:numpi": ("numpi", "numpy"), "sum:f32:numpy-2": ("numpy-2", "numpy-1"), "sum:f32:lanes(4,fold=lefft)": ("lefft", "left"),
    "sum:f32:lanes(4,flod=left)": ("flod", "fold"), "max:f32:nan=propogate": ("propogate", "propagate"),
    "sum:f32:acc=f46:sequential": ("f46", "f16"), "sum:f32:ac=f64": ("ac", "acc"),
    "sum:sf16:atreides-v3": ("atreides-v3", "atreides-v1"), "sum:f32:out=f23": ("f23", "f32"),
    "sum:f32:canonicle(4)": ("canonicle", "canonical"), "sum:f32:exakt": ("exakt", "exact"),
    "sum:f32:pairwise(8,sequencial)": ("sequencial", "sequential"), "argmx:f32": ("argmx", "argmax"),
    "sum:sf17": ("sf17", "sf1"), "max:f32:nan=ignroe": ("ignroe", "ignore"),
    "sum:f32:lanes(4,tail=affter)": ("affter", "after")}

WRONG = (
    "", "sum", "f32", ":", "sum:", "sum:f32:", ":sum:f32", "sum::f32", "sum:f64:acc=f32:sequential",
    "sum:f16:acc=bf16:sequential", "sum:bf16:acc=f16:sequential", "sum:f32:acc=f16:sequential", "sum:f32:sf",
    "sum:sf16:sequential", "sum:sf8:lanes(4)", "max:f32:sequential", "argmax:f32:exact:sequential", "max:f32:out=f64",
    "argmax:f32:out=f32", "argmax:f32:out=i16", "sum:i64:sequential", "max:i64:out=i32", "dot:f32:helia", "sumsq:f32:helia",
    "sumabs:f16:helia", "sum:bf16:numpy", "dot:f32:numpy", "sumsq:f16:numpy-1", "sum:sf8:numpy", "max:f32:numpy", "sum:i8:lanes(4)", "sum:i8:sf", "max:sf8:sf", "sum:f32:acc=i8:sequential",
    "sum:f32:acc=sf8:sequential", "sum:f32:exact:sequential", "sum:f32:f64", "sum:mean:f32",
    "max:f32:nan=propagate:nan=ignore", "sum:f32:acc=f32:acc=f64:sequential", "sum:f32:out=f32:out=f64",
    "sum:sf8:sf:guarded31")

BORDERS = {
    "lanes(1)": 1, "lanes(256)": 1, "lanes(0)": 0, "lanes(257)": 0, "lanes(-1)": 0, "lanes(4.0)": 0, "lanes()": 0,
    "lanes": 0, "lanes(4": 0, "lanes(4))": 0, "lanes(4,5)": 0, "lanes(four)": 0, "lanes(18446744073709551617)": 0,
    "canonical(1)": 1, "canonical(256)": 1, "canonical(0)": 0, "canonical(257)": 0, "canonical": 0,
    "canonical(4,fold=left)": 0, "lanes(6,fold=halves)": 0, "lanes(1,fold=halves)": 1, "lanes(64,fold=halves)": 1,
    "lanes(3,fold=left,fold=pairs)": 0, "blocks(0,sequential)": 0, "blocks(1,sequential)": 1, "blocks(4)": 0,
    "pairwise(0,sequential)": 0, "pairwise(1,sequential)": 1, "pairwise(4)": 0, "blocks(4611686018427387904,sequential)": 1,
    "blocks(18446744073709551616,sequential)": 0, "blocks(sequential,4)": 0,
    "blocks(99999999999999999999999999999999,sequential)": 0, "pairwise(36893488147419103240,sequential)": 0,
    "sequential()": 0, "sequential(4)": 0, "blocks(8,blocks(8,blocks(8,lanes(2))))": 1,
    "blocks(8,blocks(8,blocks(8,blocks(8,lanes(2)))))": 0, "blocks(8,pairwise(8,blocks(8,canonical(2))))": 1,
    "blocks(8,)": 0, "exact(1)": 0, "blocks(4,exact)": 1, "blocks(4,helia)": 0, "numpy": 1, "numpy-1": 1, "numpy(8)": 0,
    "blocks(4,numpy)": 0, "torch": 1, "torch(1)": 1, "torch(256)": 1, "torch(257)": 0, "torch()": 0, "blocks(4,torch)": 0,
    'blocks(2,tree("(0+1)"))': 0,
    'tree("0")': 1, 'tree("(0+1)")': 1, 'tree("(0+1+2)")': 1, 'tree("(2+(1+0))")': 1, 'tree("")': 0, 'tree("(0+2)")': 0,
    'tree("(0+0)")': 0, 'tree("(0+1")': 0, 'tree("(0+1))")': 0, 'tree("(0+)")': 0, 'tree("(0+1)x")': 0, "tree(0)": 0,
    "tree": 0, 'tree("1")': 0, 'tree("(0-1)")': 0, 'tree("(0+18446744073709551617)")': 0}


def refused(text):
    contract, message = bitfold_c.Contract(), bitfold_c.Message()
    ctypes.memset(ctypes.byref(contract), 0xA5, ctypes.sizeof(contract))
    status = bitfold_c.lib.bitfold_contract_parse(text.encode(), ctypes.byref(contract), ctypes.byref(message))
    if status == 0:
        return None
    assert bytes(contract) == b"\xa5" * ctypes.sizeof(contract), "the contract was touched"
    line = message.text.decode()
    assert line and "\n" not in line
    return bitfold_c.STATUS[status], line


@pytest.mark.parametrize("text", PRINTED)
def test_printed_text(text):
    assert bitfold_c.text(bitfold_c.parse(text)) == PRINTED[text]


@pytest.mark.parametrize("text", TYPOS)
def test_errors_name_the_word_and_the_nearest_known(text):
    status, line = refused(text)
    word, nearest = TYPOS[text]
    assert status == "CONTRACT" and word in line and nearest in line.replace(word, "", 1)


@pytest.mark.parametrize("text", WRONG)
def test_parts_that_do_not_go_together(text):
    answer = refused(text)
    assert answer and answer[0] == "CONTRACT"


@pytest.mark.parametrize("order", BORDERS)
def test_borders(order):
    answer = refused("sum:f32:" + order)
    assert (answer is None) == bool(BORDERS[order]), answer


def random_order(rng, depth=1):
    word = rng.choice(("sequential", "reverse", "lanes", "canonical") + (("pairwise", "blocks") * 2 if depth < 4 else ()))
    if word == "lanes":
        count = rng.choice((1, 2, 3, 4, 7, 8, 16, 200, 256))
        folds = ("left", "pairs") + (("halves",) if count & (count - 1) == 0 else ())
        return word, count, rng.choice(folds), rng.choice(("lanes", "after"))
    if word == "canonical":
        return word, rng.randint(1, 256)
    if word in ("pairwise", "blocks"):
        return word, rng.choice((1, 8, 100, 4096, 2**40)), random_order(rng, depth + 1)
    return (word,)


def random_parts(rng):
    """(parts of a legal contract, the text it prints as)."""
    element = rng.choice(FLOATS)
    operation = rng.choice(("sum", "mean", "dot", "sumsq", "sumabs"))
    acc, output, order = rng.choice(ACCUMULATORS[element]), rng.choice(FLOATS), order_text(random_order(rng))
    parts = [operation, element, f"acc={acc}", order, f"out={output}"]
    omitted = lambda part: part.partition("=")[2] == element
    narrow = element in ("f16", "bf16") and acc == element  # must be written: the default accumulator is f32
    return parts, ":".join(p for p in parts if not omitted(p) or (narrow and p.startswith("acc")))


def test_random_contracts_round_trip(seed):
    rng = random.Random(seed)
    for _ in range(2000):
        parts, want = random_parts(rng)
        rng.shuffle(parts)
        first = bitfold_c.parse(":".join(parts))
        printed = bitfold_c.text(first)
        again = bitfold_c.parse(printed)
        assert bitfold_c.lib.bitfold_contract_equal(ctypes.byref(first), ctypes.byref(again)) == 1, (parts, printed)
        assert bitfold_c.text(again) == printed
        assert printed == want, parts
        order = next(p for p in parts if p.startswith(("sequential", "reverse", "lanes", "canonical", "pairwise", "blocks")))
        assert first.depth == _depth(parse_order(order))


def _depth(order):
    return 1 + (_depth(order[2]) if order[0] in ("pairwise", "blocks") else 0)


@pytest.mark.parametrize("operation", ("sum", "mean", "dot", "sumsq", "sumabs", "max", "min", "argmax", "argmin"))
def test_every_default_round_trips(operation):
    for element in bitfold_c.FORMAT_NAMES[1:]:
        texts = [f"{operation}:{element}"] + [f"{operation}:{element}:out={o}" for o in bitfold_c.FORMAT_NAMES[1:]]
        for text in texts + [f"{operation}:{element}:{rule}" for rule in RULES]:
            if refused(text):
                continue
            first = bitfold_c.parse(text)
            again = bitfold_c.parse(bitfold_c.text(first))
            assert bitfold_c.lib.bitfold_contract_equal(ctypes.byref(first), ctypes.byref(again)) == 1, text
        assert refused(texts[0]) is None


DIFFERENT = (
    "sum:f32:exact", "sum:f64:exact", "mean:f32:exact", "sum:f32:exact:out=f64", "sum:f32:sequential", "sum:f32:reverse",
    "sum:f32:acc=f64:sequential", "sum:f32:lanes(4)", "sum:f32:lanes(8)", "sum:f32:lanes(4,fold=pairs)",
    "sum:f32:lanes(4,tail=after)", "sum:f32:canonical(4)", "sum:f32:blocks(4,lanes(4))", "sum:f32:blocks(4,lanes(8))",
    "sum:f32:pairwise(4,lanes(4))", "sum:f32:blocks(8,lanes(4))", "max:f32:nan=ignore", "max:f32", "argmax:f32",
    "argmax:f32:out=i32", "argmin:f32", "sum:sf16", "sum:sf16:sf31", "sum:sf16:exact", 'sum:f32:tree("(0+1)")',
    'sum:f32:tree("(1+0)")', 'sum:f32:tree("((0+1)+2)")')


def test_equality():
    parsed = [bitfold_c.parse(text) for text in DIFFERENT]
    others = [bitfold_c.parse(text) for text in DIFFERENT]
    for i, a in enumerate(parsed):
        for j, b in enumerate(others):
            assert bitfold_c.lib.bitfold_contract_equal(ctypes.byref(a), ctypes.byref(b)) == (i == j), (DIFFERENT[i], DIFFERENT[j])


def add(contract, text):
    message, raw = bitfold_c.Message(), ctypes.create_string_buffer(text.encode())
    contract.keep = getattr(contract, "keep", []) + [raw]
    bitfold_c.check(bitfold_c.lib.bitfold_contract_add(ctypes.byref(contract), raw, ctypes.byref(message)), message)


def complete(contract):
    message = bitfold_c.Message()
    bitfold_c.check(bitfold_c.lib.bitfold_contract_complete(ctypes.byref(contract), ctypes.byref(message)), message)


def test_fragments_in_any_sequence(seed):
    rng = random.Random(seed)
    for _ in range(500):
        parts, want = random_parts(rng)
        rng.shuffle(parts)
        contract = bitfold_c.Contract()
        cut = rng.randint(1, len(parts) - 1)
        for fragment in (parts[:cut], parts[cut:], parts[:2]):
            add(contract, ":".join(fragment))
        complete(contract)
        assert bitfold_c.text(contract) == want


CONFLICTS = (
    ("sum", "mean"), ("f32", "f64"), ("sequential", "reverse"), ("lanes(4)", "lanes(8)"), ("acc=f32", "acc=f64"),
    ("out=f32", "out=f16"), ("nan=ignore", "nan=propagate"), ("sf", "sf31"), ("exact", "sf"),
    ("lanes(4)", "lanes(4,fold=pairs)"), ("exact", "sequential"))


@pytest.mark.parametrize("first, second", CONFLICTS)
def test_a_part_with_two_meanings(first, second):
    contract = bitfold_c.Contract()
    add(contract, first)
    add(contract, first)
    before = bytes(contract)
    with pytest.raises(bitfold_c.Refused) as wrong:
        add(contract, second)
    assert wrong.value.status == "CONTRACT" and wrong.value.message and bytes(contract) == before


@pytest.mark.parametrize("fragment", ("", "sum", "f32", "sum:acc=f32", "sequential"))
def test_complete_refuses_what_lacks_operation_or_element(fragment):
    contract = bitfold_c.Contract()
    if fragment:
        add(contract, fragment)
    before = bytes(contract)
    with pytest.raises(bitfold_c.Refused):
        complete(contract)
    assert bytes(contract) == before


def test_print_never_passes_its_capacity():
    contract = bitfold_c.parse("sum:f16:acc=f32:lanes(4,fold=left)")
    whole = b"sum:f16:acc=f32:lanes(4,fold=left)"
    assert bitfold_c.lib.bitfold_contract_print(ctypes.byref(contract), None, ctypes.c_size_t(0)) == len(whole)
    for capacity in range(1, len(whole) + 3):
        room = ctypes.create_string_buffer(b"#" * 60, 60)
        assert bitfold_c.lib.bitfold_contract_print(ctypes.byref(contract), room, ctypes.c_size_t(capacity)) == len(whole)
        kept = min(capacity - 1, len(whole))
        assert room.raw[: kept + 1] == whole[:kept] + b"\0" and set(room.raw[capacity:60]) <= {ord("#")}


def test_null_text_and_long_words():
    contract = bitfold_c.Contract()
    assert bitfold_c.STATUS[bitfold_c.lib.bitfold_contract_parse(None, ctypes.byref(contract), None)] == "NULL"
    assert bitfold_c.STATUS[bitfold_c.lib.bitfold_contract_parse(b"sum:f32", None, None)] == "NULL"
    for word in ("x" * 10000, "sum:f32:" + "y" * 5000, "sum:f32:acc=" + "z" * 300, "é" * 500, "sum:f32:\n", "sum:f32:\x01\x7f"):
        status, line = refused(word)
        assert status == "CONTRACT" and len(line) < 240


@settings(max_examples=300)
@given(st.data())
def test_mangled_texts_are_refused_or_round_trip(choice):
    text = list(choice.draw(st.sampled_from(list(PRINTED.values()) + list(PRINTED))))
    for _ in range(choice.draw(st.integers(1, 4))):
        at = choice.draw(st.integers(0, len(text)))
        text[at : at + choice.draw(st.integers(0, 2))] = choice.draw(st.sampled_from(list('()+:,="0189aefnst') + [""]))
    text = "".join(text)
    if refused(text) is None:
        first = bitfold_c.parse(text)
        again = bitfold_c.parse(bitfold_c.text(first))
        assert bitfold_c.lib.bitfold_contract_equal(ctypes.byref(first), ctypes.byref(again)) == 1, text


@pytest.mark.parametrize("n", (1000, 200000))
def test_deep_trees_do_not_overflow_the_stack(n):
    """A left spine of n elements is reduced, or refused with a message; the process does not die."""
    program = f"""
import numpy as np, bitfold_c
text = 'sum:f32:tree("' + '(' * {n - 1} + '0' + ''.join('+%d)' % i for i in range(1, {n})) + '")'
try:
    out = bitfold_c.reduce(text, np.full({n}, 0x3F800000, np.uint32))[0]
    assert out.view(np.float32) == {n}, out.view(np.float32)
except bitfold_c.Refused as refused:
    assert refused.message and {n} > 1000, refused
"""
    run = subprocess.run([sys.executable, "-c", program], cwd=bitfold_c.ROOT / "tests", capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-500:] or f"died with signal {-run.returncode}"
