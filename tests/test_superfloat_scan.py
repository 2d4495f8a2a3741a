# SPDX-License-Identifier: Apache-2.0
"""Clamping sums of codes as rows, columns and products, in every layout, against chains of Python and NumPy integers."""

import itertools

import numpy as np
import pytest

import bitfold_c
from bitfold_c import STORAGE
from layouts import laid_out

RULES = ("sf", "atreides-v1", "atreides-v2.1")
WIDTHS = range(2, 17)
KINDS = ("quiet", "any", "rails", "alternating", "touching", "full")
OPERATIONS = ("sum", "mean", "dot", "sumsq", "sumabs")


def codes(bits, shape, kind, seed):
    """Codes of sfN: small, any, hugging one edge, alternating, from edge to edge without passing one, or with -1.0 among them."""
    rng, top, n = np.random.default_rng(seed), (1 << (bits - 1)) - 1, int(np.prod(shape))
    index = np.arange(n) % max(shape[-1], 1)
    x = {"quiet": lambda: rng.integers(-1, 2, n), "any": lambda: rng.integers(-top, top + 1, n),
         "rails": lambda: rng.integers(-top // 4, top + 1, n), "alternating": lambda: np.where(index & 1, -top, top),
         "touching": lambda: np.where((index == 0) | (index - 1 & 2), -top, top),
         "full": lambda: rng.choice([-top - 1, -top, 0, top, rng.integers(-top, top + 1)], n)}[kind]()
    return x.reshape(shape).astype(STORAGE[f"sf{bits}"])


def edges(rule, bits):
    top = (1 << (bits - 1)) - 1
    return (-top if rule == "sf" else -top - 1), top


def products(rule, bits, x, y):
    """The terms of a dot of int64 arrays."""
    exact = x * y
    if rule == "atreides-v2.1":
        return exact // (1 << (bits - 1))
    exact[((x == -(1 << (bits - 1))) | (y == -(1 << (bits - 1)))) & (rule == "atreides-v1")] = 0
    return np.sign(exact) * (abs(exact) // (1 << (bits - 1)))


def chains(rule, bits, terms):
    """(accumulators, events) of the chains along the last axis, one step of all of them at a time."""
    low, high = edges(rule, bits)
    acc, event = np.zeros(terms.shape[:-1], np.int64), np.zeros(terms.shape[:-1], bool)
    for k in range(terms.shape[-1]):
        free = acc + terms[..., k]
        acc = np.minimum(np.maximum(free, low), high)
        event |= acc != free
    return acc, event


def chain(rule, bits, terms):
    """The same for one list, in Python."""
    (low, high), acc, event = edges(rule, bits), 0, 0
    for term in terms:
        acc += term
        if acc > high or acc < low:
            acc, event = (high if acc > high else low), 1
    return acc, event


def halves_to_even(total, count):
    """Each total over count, to the nearest integer, ties to even."""
    quotient, twice = total // count, 2 * (total % count)
    return quotient + ((twice > count) | ((twice == count) & (quotient & 1 == 1)))


def expected(operation, rule, bits, x, y, axes):
    """(codes, number of events) of a reduction of int64 arrays over axes."""
    terms = {"dot": lambda: products(rule, bits, x, y), "sumsq": lambda: products(rule, bits, x, x),
             "sumabs": lambda: abs(x)}.get(operation, lambda: x)()
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    lines = terms.transpose(kept + list(axes)).reshape([x.shape[axis] for axis in kept] + [-1])
    acc, event = chains(rule, bits, lines)
    return halves_to_even(acc, lines.shape[-1]) if operation == "mean" else acc, int(event.sum())


def compare(operation, rule, bits, x, y, axes, what):
    out, report = bitfold_c.reduce(f"{operation}:sf{bits}:{rule}", x, y, axes=axes)
    wide = [None if a is None else a.astype(np.int64) for a in (x, y)]
    want, events = expected(operation, rule, bits, *wide, axes)
    wrong = np.argwhere(np.atleast_1d(out != want))
    assert not len(wrong), (operation, rule, bits, what, wrong[:3].tolist())
    assert report.clamped == events, (operation, rule, bits, what)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bits", (8, 16))
def test_S1_every_length(bits, kind, seed):
    name = f"sf{bits}"
    x, y = codes(bits, (2000,), kind, seed + bits), codes(bits, (2000,), "any", seed + bits + 1)
    products_of = products("sf", bits, x.astype(np.int64), y.astype(np.int64)).tolist()
    for terms, other in ((x.tolist(), None), (products_of, y)):
        low, high = edges("sf", bits)
        acc, event = 0, 0
        for n in range(2001):
            got = bitfold_c.sum_codes("sf", name, x[:n], None if other is None else other[:n])
            assert got == (acc, event), (name, kind, n, other is None)
            if n < 2000:
                kept = min(max(acc + terms[n], low), high)
                acc, event = kept, event | (kept != acc + terms[n])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bits", WIDTHS)
def test_S1_every_width(bits, rule, seed):
    for i, kind in enumerate(KINDS):
        x, y = codes(bits, (1500,), kind, seed + i), codes(bits, (1500,), KINDS[i - 1], seed - i)
        terms = products(rule, bits, x.astype(np.int64), y.astype(np.int64)).tolist()
        for n in (1, 2, 23, 24, 63, 64, 65, 87, 88, 127, 128, 129, 511, 512, 1023, 1024, 1025, 1500):
            assert bitfold_c.sum_codes(rule, f"sf{bits}", x[:n]) == chain(rule, bits, x[:n].tolist()), (kind, n)
            assert bitfold_c.sum_codes(rule, f"sf{bits}", x[:n], y[:n]) == chain(rule, bits, terms[:n]), (kind, n)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bits, length", ((2, 6), (3, 4), (4, 3)))
def test_S15_every_short_sequence(bits, length, rule):
    """All sequences, behind every first code, inside one segment of a row that is otherwise 0, and at the rows' ends."""
    low = -(1 << (bits - 1))
    every = np.array(list(itertools.product(range(low, -low), repeat=length + 1)), STORAGE[f"sf{bits}"])
    for place in (8, 21, 64 - length):
        x = np.zeros((len(every), 64), every.dtype)
        x[:, 0], x[:, place : place + length] = every[:, 0], every[:, 1:]
        compare("sum", rule, bits, x, None, (1,), place)
        compare("sum", rule, bits, x.T, None, (0,), place)


@pytest.mark.parametrize("bits, length", ((2, 5), (3, 3), (8, 2)))
def test_S15_short_sequences_in_long_rows(bits, length, seed):
    """In one segment of a row that machines scan by 32 or 64 segments, from any accumulator: edges may meet there without a clamp."""
    top, kind = (1 << (bits - 1)) - 1, STORAGE[f"sf{bits}"]
    some = sorted({-top - 1, -top, -1, 0, 1, top - 1, top}) if bits > 3 else range(-top - 1, top + 1)
    for i, sequence in enumerate(itertools.product(some, repeat=length + 1)):
        x = np.zeros((256, 512, 1024)[i % 3], kind)
        place = 8 + (i * 7 + seed) % (len(x) - 16)
        x[0], x[place : place + length] = sequence[0], sequence[1:]
        rule = RULES[i % 3]
        out, report = bitfold_c.reduce(f"sum:sf{bits}:{rule}", x)
        assert (int(out), report.clamped) == chain(rule, bits, x.tolist()), (rule, sequence, place)


def weather(bits, n, seed):
    """Codes that are calm, wild, drifting or at an edge for some terms each, and change within and between segments."""
    rng, top, pieces = np.random.default_rng(seed), (1 << (bits - 1)) - 1, []
    while sum(map(len, pieces)) < n:
        length = int(rng.choice((5, 31, 64, 100, 500, 3000, 20000)))
        kind = rng.choice(KINDS + ("drift", "still"))
        if kind == "drift":
            pieces.append(rng.integers(-top // 60 - 1, top // 40 + 2, length) * rng.choice((-1, 1)))
        elif kind == "still":
            pieces.append(np.zeros(length, np.int64))
        else:
            pieces.append(codes(bits, (length,), kind, int(rng.integers(1 << 30))).astype(np.int64))
    return np.concatenate(pieces)[:n].astype(STORAGE[f"sf{bits}"])


@pytest.mark.parametrize("bits", (5, 8, 12, 16))
@pytest.mark.parametrize("rule", RULES)
def test_S1_calm_and_wild(bits, rule, seed):
    """A row on every machine, at lengths where its scans change; a column and a row of products too."""
    lengths = (255, 256, 257, 511, 512, 1024, 1031, 2047, 2048, 4095, 4096, 4104, 8192, 16384 + 37, 40000)
    for i, n in enumerate(lengths + ((140000, 270000) if rule == "sf" else ())):
        x, y = weather(bits, n, seed + i), weather(bits, n, seed - i)
        out, report = bitfold_c.reduce(f"sum:sf{bits}:{rule}", x)
        assert (int(out), report.clamped) == chain(rule, bits, x.tolist()), n
        assert bitfold_c.sum_codes(rule, f"sf{bits}", x) == (int(out), report.clamped)
        out, report = bitfold_c.reduce(f"dot:sf{bits}:{rule}", x, y)
        terms = products(rule, bits, x.astype(np.int64), y.astype(np.int64))
        assert (int(out), report.clamped) == chain(rule, bits, terms.tolist()), n


@pytest.mark.parametrize("bits", (5, 8, 12, 16))
def test_S1_edges_met_and_passed(bits, seed):
    """Calm rows whose sum comes to an edge exactly, once, anywhere, and rows in which it passes that by one."""
    rng, top, kind = np.random.default_rng(seed), (1 << (bits - 1)) - 1, STORAGE[f"sf{bits}"]
    for n in (512, 1024, 2048, 8192, 9216, 16384, 20001):
        for beyond in (0, 1):
            x = np.zeros(n, np.int64)
            half = rng.integers(-top // 4, top // 4 + 1, n // 2)
            x[: len(half) * 2 : 2], x[1 : len(half) * 2 : 2] = half, -half  # each pair is 0, and never far from it
            sign, place = int(rng.choice((-1, 1))), int(rng.integers(0, n))
            x[max(place - 3, 0) : place] = 0
            room = top - sign * int(x[:place].sum()) + beyond
            step = min(room, top)
            x[place] = sign * step
            if place and room > step:
                x[place - 1] = sign * (room - step)
            x[place + 1 : place + 2] = -sign * min(top, room)
            out, report = bitfold_c.reduce(f"sum:sf{bits}", x.astype(kind))
            assert (int(out), report.clamped) == chain("sf", bits, x.tolist()), (n, beyond, place, sign)


@pytest.mark.parametrize("bits", (5, 8, 12, 16))
def test_S1_last_terms_decide(bits, seed):
    """Wild rows that end in a calm of any length: what is before it matters, or does not, for the last few thousand terms."""
    rng, top, kind = np.random.default_rng(seed), (1 << (bits - 1)) - 1, STORAGE[f"sf{bits}"]
    for n in (1024, 4096, 8192, 16384 + 8, 70000):
        for calm in (0, 1, 200, 256, 300, 1000, 1024, 1100, 4096, 5000, 16384, 16500, n - 300, n):
            x = rng.integers(-top, top + 1, n)
            if calm:
                x[-min(calm, n) :] = rng.integers(-1, 2, min(calm, n)) * int(rng.choice((0, 1, top // 100)))
            if rng.integers(2):
                x[-1] = int(rng.choice((-top, top)))
            y = rng.integers(-top, top + 1, n)
            out, report = bitfold_c.reduce(f"sum:sf{bits}", x.astype(kind))
            assert (int(out), report.clamped) == chain("sf", bits, x.tolist()), (n, calm)
            out, report = bitfold_c.reduce(f"dot:sf{bits}", x.astype(kind), y.astype(kind))
            assert (int(out), report.clamped) == chain("sf", bits, products("sf", bits, x, y).tolist()), (n, calm)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bits", (8, 12, 16))
def test_S1_matrix_times_vector(bits, rule, seed):
    """Columns times one code a row, -1.0 among them, whose products may not fit anywhere in many rows."""
    top = (1 << (bits - 1)) - 1
    for i, (n, width) in enumerate(((64, 64), (65, 64), (256, 64), (300, 128), (700, 70))):
        for kind in ("any", "full"):
            x, y = codes(bits, (n, width), kind, seed + i), codes(bits, (n, 1), "any", seed - i)
            y[-1 - i] = -top - 1
            compare("dot", rule, bits, x, np.broadcast_to(y, x.shape), (0,), (n, width, kind))
            compare("dot", rule, bits, np.broadcast_to(y, x.shape), x, (0,), (n, width, kind))


SHAPES = ((1, 1), (7, 16), (8, 3), (9, 17), (63, 15), (64, 33), (65, 64), (130, 65), (200, 2), (3, 200), (66, 100))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_S4_columns_and_rows(operation, rule, seed):
    for i, (shape, bits) in enumerate(itertools.product(SHAPES, (2, 5, 7, 8, 9, 12, 15, 16))):
        x, y = (codes(bits, shape, KINDS[(i + j) % len(KINDS)], seed + i + j) for j in (0, 1))
        for axis in (0, 1):
            compare(operation, rule, bits, x, y if operation == "dot" else None, (axis,), (shape, axis))


LAYOUTS = {"fortran": {"order": (1, 0)}, "reversed": {"reverse": (0, 1)}, "spread": {"gap": 6}, "odd": {"offset": 1},
           "unaligned": {"gap": 1}, "swapped": {"swap": True}, "reversed columns": {"reverse": (1,)}, "reversed rows": {"reverse": (0,)},
           "fortran swapped": {"order": (1, 0), "swap": True}}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("bits", (6, 8, 13, 16))
def test_S12_layouts(bits, layout, seed):
    for i, (shape, rule) in enumerate(zip(((40, 70), (90, 20), (5, 160)), RULES)):
        x, y = (codes(bits, shape, kind, seed + i) for kind in ("any", "full"))
        view, other = laid_out(x, **LAYOUTS[layout]), laid_out(y, **LAYOUTS[layout])
        for axes in ((0,), (1,), (0, 1)):
            compare("sum", rule, bits, view, None, axes, shape)
            compare("dot", rule, bits, view, other, axes, shape)
            compare("dot", rule, bits, x, other, axes, shape)


@pytest.mark.parametrize("bits", (4, 8, 11, 16))
def test_S6_several_axes(bits, seed):
    x, y = (codes(bits, (5, 9, 7, 34), kind, seed + bits) for kind in ("any", "rails"))
    for axes in ((0,), (1,), (2,), (3,), (0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (0, 1, 2), (1, 2, 3), (0, 1, 2, 3)):
        compare("sum", "sf", bits, x, None, axes, axes)
        compare("dot", "atreides-v1", bits, x, y, axes, axes)
        compare("dot", "atreides-v2.1", bits, x.transpose(3, 1, 0, 2), y.transpose(3, 1, 0, 2), axes, axes)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bits", (3, 8, 12, 16))
def test_S27_products_of_broadcast_views(bits, rule, seed):
    """Matrix products: one operand repeats along each axis that is kept."""
    for m, k, n in ((3, 70, 20), (17, 64, 64), (2, 33, 130), (1, 1, 1), (4, 200, 7)):
        a, b = codes(bits, (m, k), "full", seed + m), codes(bits, (k, n), "any", seed + n)
        for left, right in ((a, b), (a, np.asfortranarray(b)), (np.asfortranarray(a), b), (b.T, a.T)):
            x = np.broadcast_to(left[:, None, :], (left.shape[0], right.shape[1], k))
            y = np.broadcast_to(right.T[None], x.shape)
            compare("dot", rule, bits, x, y, (2,), (m, k, n))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bits", (2, 8, 9, 16))
def test_products_of_minus_one(bits, rule):
    """-1.0 times -1.0 is +1.0, which the data cannot hold, among other products and alone."""
    least, kind = -(1 << (bits - 1)), STORAGE[f"sf{bits}"]
    for shape in ((70, 20), (3, 1100)):
        for places in (((0, 0),), ((2, 5), (2, 9)), ((0, 17), (shape[0] - 1, shape[1] - 1))):
            x, y = np.full(shape, -1, kind), np.full(shape, 1, kind)
            for place in places:
                x[place] = y[place] = least
            for left, right in ((x, y), (y, x), (np.full(shape, least, kind), np.full(shape, least, kind)), (x, np.full(shape, least, kind))):
                for axis in (0, 1):
                    compare("dot", rule, bits, left, right, (axis,), (shape, places))
                    compare("sumsq", rule, bits, left, None, (axis,), (shape, places))
                    compare("sumabs", rule, bits, left, None, (axis,), (shape, places))


@pytest.mark.parametrize("bits", (2, 7, 9, 15))
def test_codes_out_of_range_anywhere(bits):
    """One code beyond the width, at every place of a row, of columns and of a view that must be gathered: nothing is written."""
    kind, unit = STORAGE[f"sf{bits}"], 1 << (bits - 1)
    good = np.zeros((9, 70), kind)
    for place, bad in itertools.product(range(good.size), (unit, -unit - 1)):
        x = good.copy()
        x.flat[place] = bad
        view = (x, x.T, x[::-1], laid_out(x, swap=True))[place % 4]
        for operation, left, right, axis in (("sum", view, None, place % 2), ("dot", good, x, 1), ("dot", x, good, 0)):
            out = np.full(left.shape[1 - axis], 77, kind) if bits > 7 else np.full(left.shape[1 - axis], 7, kind)
            before = out.copy()
            with pytest.raises(bitfold_c.Refused) as refused:
                bitfold_c.reduce(f"{operation}:sf{bits}:sf", left, right, axes=axis, out=out)
            assert refused.value.status == "VALUE" and (out == before).all()


@pytest.mark.parametrize("bits", (7, 8, 12, 16))
@pytest.mark.parametrize("axis", (0, 1))
@pytest.mark.parametrize("isa", bitfold_c.machines())
def test_progress_counts_what_is_read_in_place(isa, bits, axis, seed):
    passes = 1 if bits in (8, 16) else 2
    for shape in ((30, 70000), (1 << 15, 100)):
        x, calls = codes(bits, shape, "any", seed), []
        out, report = bitfold_c.reduce(f"sum:sf{bits}:sf", x, axes=axis, isa=isa, progress=lambda _, done, total: calls.append((done, total)) or 0)
        want, events = expected("sum", "sf", bits, x.astype(np.int64), None, (axis,))
        assert (out == want).all() and report.clamped == events
        steps = np.diff([0] + [done for done, _ in calls])
        assert {total for _, total in calls} == {passes * x.size} and (steps > 0).all() and calls[-1][0] <= passes * x.size
        assert len(calls) >= passes and steps.max() < (1 << 20) + (1 << 22) + 1
        with pytest.raises(bitfold_c.Refused) as refused:
            bitfold_c.reduce(f"sum:sf{bits}:sf", x, axes=axis, isa=isa, progress=lambda *_: 1)
        assert refused.value.status == "STOPPED"


@pytest.mark.parametrize("bits", (4, 8, 9, 16))
def test_rules_of_floats_are_not_clamped(bits, seed):
    """The accumulator's width and edges are nothing to a rule of floats."""
    rule = bitfold_c.Rule.from_buffer_copy(bitfold_c.lib.bitfold_rule_named(b"float32").contents)
    rule.name, rule.accumulator_bits = b"mine", -1
    x, y = (codes(bits, (300,), "rails", seed + i) for i in (0, 1))
    for n in (1, 30, 64, 300):
        for other in (None, y[:n]):
            assert bitfold_c.sum_codes(rule, f"sf{bits}", x[:n], other) == bitfold_c.sum_codes("float32", f"sf{bits}", x[:n], other)


@pytest.mark.parametrize("isa", bitfold_c.machines())
def test_progress_is_made_within_a_row(isa):
    """A long row is read in place, but not in one piece."""
    calls = []
    x = np.zeros(1 << 23, np.int16)
    out, _ = bitfold_c.reduce("sum:sf16:sf", x, isa=isa, progress=lambda _, done, total: calls.append(done) or 0)
    assert int(out) == 0 and len(calls) in (7, 8) and max(np.diff([0] + calls)) <= (1 << 20) + (1 << 16)


def test_S12_a_million_terms(seed):
    x = codes(16, (1 << 20,), "rails", seed)
    assert bitfold_c.sum_codes("sf", "sf16", x) == chain("sf", 16, x.tolist())
