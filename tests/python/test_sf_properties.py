# SPDX-License-Identifier: Apache-2.0
"""Any array, any width, any rule, any axes, any layout: every operation against plain Python integers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import plain
import sf
from plain import ENCODINGS, WIDTHS, array, dtype, top

rules = st.sampled_from(plain.superfloat.RULES) | st.integers(0, 3000).map(plain.rules.invented)


def codes(bits, shape):
    edges = st.sampled_from([0, 1 % (top(bits) + 1), -1, top(bits), -top(bits), -top(bits) - 1])
    return arrays(np.int64, shape, elements=edges | st.integers(-top(bits) - 1, top(bits)))


@st.composite
def tensors(draw, most=3, side=4):
    """(bits, codes, an sfarray of them in some layout)."""
    bits = draw(st.sampled_from(WIDTHS))
    x = draw(codes(bits, tuple(draw(st.lists(st.integers(0, side), max_size=most)))))
    return bits, x, laid(draw, x, bits)


def laid(draw, x, bits):
    """An sfarray with the codes of x whose memory is permuted, reversed, or spread."""
    order = draw(st.permutations(range(x.ndim)))
    step = draw(st.sampled_from((1, 1, 2, -1, -3)))
    memory = array(x, bits).transpose(order).repeat(abs(step), axis=-1) if x.ndim else array(x, bits)
    back = np.argsort(order)
    if not x.ndim:
        return memory
    return memory[..., ::-1].copy()[..., ::step].transpose(*back) if step < 0 else memory.copy()[..., ::step].transpose(*back)


def outcome(call):
    """(codes, outputs that clamped) under raise, which ignore must agree with."""
    quiet = call("ignore")
    count = sf.status.saturated
    try:
        loud = call("raise")
        assert count == 0
    except sf.SFOverflowError as error:
        loud = error.result
        assert error.count == count > 0 and error.total == loud.size
    assert type(loud) is type(quiet) and loud.codes.tolist() == quiet.codes.tolist()
    return quiet, count


def sums(given_tensor, fields, data):
    bits, x, view = given_tensor
    axes = data.draw(st.none() | st.lists(st.integers(0, x.ndim - 1), unique=True).map(tuple)
                     if x.ndim else st.none() | st.just(()))
    keepdims = data.draw(st.booleans())
    want, clamped = plain.over_axes(fields, bits, x, axes=axes)
    got, count = outcome(lambda over: view.sum(axis=axes, keepdims=keepdims, rule=plain.rule(fields), over=over))
    reduced = range(x.ndim) if axes is None else axes
    shape = tuple(1 if i in reduced else n for i, n in enumerate(x.shape) if keepdims or i not in reduced)
    assert (np.shape(got), got.codes.reshape(-1).tolist(), count) == (shape, want.reshape(-1).tolist(), clamped)


def products(bits, fields, sides, ranks, data):
    m, k, n = sides
    batch = data.draw(st.sampled_from((((), ()), ((2,), (2,)), ((2,), (1,)), ((1,), (3,)))))
    a = data.draw(codes(bits, (*(batch[0] if ranks[0] > 2 else ()), *((m,) if ranks[0] > 1 else ()), k)))
    b = data.draw(codes(bits, (*(batch[1] if ranks[1] > 2 else ()), k, *((n,) if ranks[1] > 1 else ()))))
    want, clamped = plain.matmul(fields, bits, a, b)
    x, y = laid(data.draw, a, bits), laid(data.draw, b, bits)
    for call in (sf.dot, sf.matmul):
        got, count = outcome(lambda over: call(x, y, rule=plain.rule(fields), over=over))
        assert (np.shape(got), got.codes.tolist(), count) == (want.shape, want.tolist(), clamped)


def means(given_tensor, fields, data):
    bits, x, view = given_tensor
    if not x.size:
        return
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1)) if x.ndim else None
    want, clamped = plain.over_axes(fields, bits, x, axes=axis, one=plain.mean)
    got, count = outcome(lambda over: view.mean(axis=axis, rule=plain.rule(fields), over=over))
    assert (got.codes.tolist(), count) == (want.tolist(), clamped)


def elements(given_tensor, fields, operation, data):
    bits, x, view = given_tensor
    one = operation in ("negative", "absolute")
    y = x if one else data.draw(codes(bits, tuple(data.draw(st.sampled_from(((), x.shape, x.shape[-1:],
        (*x.shape[:-1], 1) if x.ndim else ()))))))
    other = () if one else (laid(data.draw, y, bits),)
    fields_of = plain.rules.NAMED[fields] if isinstance(fields, str) else fields
    seen = [plain.rules.element(operation, fields_of, bits, int(p), int(q)) for p, q in np.broadcast(x, y)]
    call = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "negative": np.negative,
            "absolute": np.absolute}[operation]
    clamped = sum(event for _, event in seen)
    with sf.use_rule(plain.rule(fields)):
        with sf.errstate(over="ignore"):
            got = call(view, *other)
        assert got.codes.reshape(-1).tolist() == [code for code, _ in seen]
        try:
            call(view, *other)
            assert not clamped
        except sf.SFOverflowError as error:
            assert (error.count, error.total) == (clamped, len(seen)) and error.result.codes.tolist() == got.codes.tolist()


def casts(given_tensor, new):
    bits, x, view = given_tensor
    want = [plain.cast(k, bits, new) if new != bits else (int(k), 0) for k in x.flat]
    got = view.astype(dtype(new), over="ignore")
    assert got.dtype is dtype(new) and got.shape == x.shape and got.codes.reshape(-1).tolist() == [k for k, _ in want]
    try:
        view.astype(f"sf{new}")
        assert not sum(event for _, event in want)
    except sf.SFOverflowError as error:
        assert (error.count, error.total) == (sum(event for _, event in want), x.size)


def words(given_tensor, encoding):
    bits, x, view = given_tensor
    want = [plain.word(k, bits, encoding) for k in x.flat]
    if None in want:
        try:
            view.words(encoding)
        except ValueError:
            return
        raise AssertionError("-1.0 has no word in sign and magnitude")
    words = view.words(encoding)
    assert words.shape == x.shape and words.reshape(-1).tolist() == want and words.dtype == (np.uint8 if bits <= 8 else np.uint16)
    assert sf.from_words(words, dtype(bits), encoding).codes.tolist() == x.tolist()


def selections(given_tensor):
    bits, x, view = given_tensor
    for axis in (None, *range(x.ndim)):
        if not x.size:
            continue
        for which in ("max", "min", "argmax", "argmin"):
            got, want = getattr(view, which)(axis=axis), getattr(x, which)(axis=axis)
            assert np.asarray(got if which.startswith("arg") else got.codes).tolist() == np.asarray(want).tolist()


def pickles_packs_and_values(given_tensor, data):
    import pickle

    bits, x, view = given_tensor
    again = pickle.loads(pickle.dumps(view, data.draw(st.integers(0, 5))))
    assert again.codes.tolist() == view.codes.tolist() == x.tolist() and np.asarray(view).tolist() == (x / (1 << bits - 1)).tolist()
    four = array(np.clip(x, -7, 7), 4)
    assert sf.unpack(four.pack(), four.shape).codes.tolist() == four.codes.tolist()


def replay_explains_and_a_chip_agrees_with_its_host(bits, fields, data):
    """A simulated chip under a rule gives the host's words under that rule, in both encodings."""
    n = data.draw(st.integers(0, 8))
    a, b = data.draw(codes(bits, (2, n))), data.draw(codes(bits, (n,)))
    rule, encoding = plain.rule(fields), data.draw(st.sampled_from(ENCODINGS))
    if encoding == "sign-magnitude":
        a, b = np.maximum(a, -top(bits)), np.maximum(b, -top(bits))
    want, clamped = plain.over_axes(fields, bits, a, np.broadcast_to(b, a.shape), axes=1)
    if encoding == "sign-magnitude" and (want == -top(bits) - 1).any():
        return
    with sf.use_rule(rule), sf.errstate(over="ignore"), sf.device(sf.sim.Device(rule, encoding=encoding), replay=True):
        assert sf.matmul(array(a, bits), array(b, bits)).codes.tolist() == want.tolist() and sf.status.saturated == clamped
    found = sf.explain(array(a, bits), array(b, bits), [plain.word(k, bits, encoding) for k in want], rules=[rule])
    assert found.rules == (plain.name(fields),) and encoding in found.encodings

PROPERTIES = {
    sums: (tensors(), rules, st.data()),
    products: (st.sampled_from(WIDTHS), rules, st.lists(st.integers(0, 5), min_size=3, max_size=3),
               st.sampled_from(((1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (2, 3), (3, 3))), st.data()),
    means: (tensors(), rules, st.data()),
    elements: (tensors(2), rules, st.sampled_from(("add", "subtract", "multiply", "negative", "absolute")), st.data()),
    casts: (tensors(), st.sampled_from(WIDTHS)),
    words: (tensors(), st.sampled_from(ENCODINGS)),
    selections: (tensors(3, 5),),
    pickles_packs_and_values: (tensors(3, 3), st.data()),
    replay_explains_and_a_chip_agrees_with_its_host: (st.sampled_from(WIDTHS), rules, st.data()),
}


def run(property, examples):
    settings(max_examples=examples)(given(*PROPERTIES[property])(property))()


@pytest.mark.parametrize("property", PROPERTIES, ids=lambda p: p.__name__)
def test_property(property):
    run(property, 50)


@pytest.mark.full
@pytest.mark.parametrize("property", PROPERTIES, ids=lambda p: p.__name__)
def test_property_at_length(property):
    run(property, 250)
