# SPDX-License-Identifier: Apache-2.0
"""bitfold as a NumPy user expects it: axes, out=, keepdims, ranks, empty arrays, errors of one line, contracts as objects."""

import copy
import inspect
import pickle

import ml_dtypes
import numpy as np
import pytest

import bitfold
import bitfold_c
from oracle.contract import OPERATIONS
from plain import AxisError

ONE = ("sum", "mean", "max", "min", "argmax", "argmin")
X = np.array([[1.5, -2.0, 3.25], [0.5, 4.0, -1.0]])


def of(operation):
    return getattr(bitfold, operation)


@pytest.mark.parametrize("operation", ONE)
def test_shapes_and_values_are_numpys(operation):
    """On numbers whose sums are exact."""
    x = np.arange(24.0).reshape(2, 3, 4)
    for kind in ("f2", "f4", "f8", "i1", "i4", "i8", "u1"):
        for axis in (None, 0, 1, -1, (0, 1), (0, -1), (2, 1, 0), ()):
            for keepdims in (False, True):
                given = x.astype(kind)
                if operation.startswith("arg") and isinstance(axis, tuple):
                    continue
                got, want = of(operation)(given, axis=axis, keepdims=keepdims), getattr(np, operation)(given, axis=axis,
                    keepdims=keepdims)
                assert np.shape(got) == np.shape(want)
                assert np.asarray(got).tolist() == np.asarray(want).tolist() or (kind, operation) == ("f2", "mean")
                assert isinstance(got, np.generic) == isinstance(want, np.generic)
                assert of(operation)(given, axis, **({"keepdims": True}
                                                     if keepdims else {})).tolist() == got.tolist(), "axis is the second argument"


@pytest.mark.parametrize("operation", ("argmax", "argmin"))
def test_arg_of_several_axes_is_the_place_in_their_walk(operation):
    x = np.random.default_rng(3).permutation(60).reshape(3, 4, 5)
    for axes in ((0, 1), (1, 2), (2, 0), (0, 1, 2)):
        got = of(operation)(x, axis=axes)
        want = getattr(np, operation)(np.moveaxis(x, sorted(axes), range(-len(axes), 0)).reshape(*[n for i, n in enumerate(x.shape)
            if i not in axes], -1), axis=-1)
        assert got.tolist() == want.tolist()


@pytest.mark.parametrize("operation", ONE)
@pytest.mark.parametrize("rank", (9, 12, 32))
def test_more_axes_than_the_library_takes(operation, rank):
    x = np.arange(6.0).reshape((1,) * (rank - 4) + (3, 1, 2, 1))
    for axis in (None, 0, -1, -2, (-4, -2), tuple(range(rank)), tuple(range(0, rank, 2)), ()):
        if operation.startswith("arg") and isinstance(axis, tuple):
            continue
        for keepdims in (False, True):
            got, want = of(operation)(x, axis=axis, keepdims=keepdims), getattr(np, operation)(x, axis=axis, keepdims=keepdims)
            assert np.shape(got) == np.shape(want) and np.asarray(got).tolist() == np.asarray(want).tolist(), (axis, keepdims)
    out = np.zeros((1,) * rank, np.int64 if operation.startswith("arg") else float)
    assert of(operation)(x, keepdims=True, out=out) is out and out.reshape(()) == getattr(np, operation)(x)
    with pytest.raises(AxisError):
        of(operation)(x, axis=rank)


@pytest.mark.parametrize("operation", ONE)
def test_out_receives_the_result_and_is_returned(operation):
    kind = np.int64 if operation.startswith("arg") else float
    want = of(operation)(X, axis=0)
    for out in (np.full(3, 9, kind), np.full((3, 2), 9, kind)[:, 0], np.full(3, 9, kind)[::-1],
                np.full(3, 9, np.dtype(kind).newbyteorder())):
        assert of(operation)(X, axis=0, out=out) is out and out.tolist() == want.tolist()
    out = np.full((), 9, kind)
    assert of(operation)(X, out=out) is out and out == of(operation)(X)
    out = np.full((1, 3), 9, kind)
    assert of(operation)(X, axis=0, keepdims=True, out=out) is out and out[0].tolist() == want.tolist()
    if kind is float:
        x = X.copy()
        assert of(operation)(x, axis=0, out=x[1]).tolist() == want.tolist()
        assert x[1].tolist() == want.tolist(), "the output may be a part of the input"


@pytest.mark.parametrize("operation", ONE)
def test_wrong_out_is_refused_and_untouched(operation):
    right = np.int64 if operation.startswith("arg") else float
    frozen = np.full(3, 9, right)
    frozen.flags.writeable = False
    for out, error in ((np.full(2, 9, right), ValueError), (np.full((1, 3), 9, right), ValueError),
                       (np.full((), 9, right), ValueError), (np.full(3, 9, "f4"), TypeError),
                       (np.full(3, 9, "i4"), TypeError), (np.full(3, 9, object), TypeError), ([0, 0, 0], TypeError),
                       (frozen, ValueError), (3, TypeError)):
        with pytest.raises(error, match="out=") as raised:
            of(operation)(X, axis=0, out=out)
        assert "\n" not in str(raised.value)
        assert np.asarray(out).reshape(-1)[0] == (9 if isinstance(out, np.ndarray) else np.asarray(out).reshape(-1)[0])


def test_out_is_untouched_on_every_failure():
    out = np.full(2, 9, np.int64)
    big = np.array([[2**62] * 2, [1, 1]])
    for call, error in ((lambda: bitfold.sum(big, axis=1, out=out), OverflowError), (lambda: bitfold.sum(X.astype(int), axis=5,
            out=out), AxisError),
                        (lambda: bitfold.sum(X.astype(int), axis=1, order="nonsense", out=out), ValueError),
                        (lambda: bitfold.argmax(np.zeros((2, 0)), axis=1, out=out), ValueError),
                        (lambda: bitfold.sum(X.astype(int), axis=1, threads=0, out=out), ValueError),
                        (lambda: bitfold.dot(X.astype(int), np.ones(2, int), out=out), ValueError)):
        with pytest.raises(error):
            call()
        assert out.tolist() == [9, 9]


@pytest.mark.parametrize("operation", ONE)
@pytest.mark.parametrize("axis", (2, -3, (0, 2), (0, 0), (1, -1), 2**31, 2**70, -2**63))
def test_a_bad_axis_is_told_before_any_work(operation, axis):
    for out in (None, np.zeros(()), np.zeros(3)):
        with pytest.raises(AxisError) as raised:
            of(operation)(X, axis=axis, out=out)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("operation", ONE)
@pytest.mark.parametrize("axis", (0.0, "0", [0], (0, 1.0), object(), np.array([0, 1])))
def test_an_axis_that_is_no_integer(operation, axis):
    with pytest.raises(TypeError) as raised:
        of(operation)(X, axis=axis)
    assert "\n" not in str(raised.value)
    assert of(operation)(X, axis=np.int8(1)).tolist() == of(operation)(X, axis=(np.uint8(1),)).tolist() == of(operation)(X,
        axis=1).tolist()


def test_empty_arrays_follow_numpy():
    none, rows = np.zeros(0), np.zeros((3, 0))
    assert bitfold.sum(none) == 0 and bitfold.sum(rows, axis=1).tolist() == [0, 0, 0] and bitfold.sum(rows, axis=0).shape == (0,)
    assert bitfold.dot(none, none) == 0
    assert np.isnan(bitfold.mean(none)) and np.isnan(bitfold.mean(rows, axis=1)).all() and bitfold.mean(rows, axis=0).shape == (0,)
    assert bitfold.sum([]) == 0.0 and bitfold.sum(np.zeros(0, int)).dtype == np.int64 and np.isnan(bitfold.mean(np.zeros(0, int)))
    for operation in ("max", "min", "argmax", "argmin"):
        for x, axis in ((none, None), (rows, 1), (rows, None), (np.zeros((0, 3)), 0)):
            with pytest.raises(ValueError, match=operation) as raised:
                of(operation)(x, axis=axis)
            assert "\n" not in str(raised.value)
        assert of(operation)(rows, axis=0).shape == (0,)


def test_anything_that_numpy_makes_an_array_of():
    for x in ([1.5, 2], (1.5, 2), np.array([1.5, 2]), memoryview(np.array([1.5, 2])), np.ma.array([1.5, 2])):
        assert bitfold.sum(x) == 3.5 and type(bitfold.sum(x)) is np.float64
    assert bitfold.sum(3.5) == 3.5 == bitfold.max(3.5) == bitfold.mean(np.float64(3.5)) and bitfold.argmax(3.5) == 0
    assert bitfold.sum(7) == 7 and bitfold.sum(True) == 1
    assert type(bitfold.sum(np.float32(1))) is np.float32
    assert bitfold.sum(np.array([1, 2], ml_dtypes.bfloat16)).dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("call", (
    lambda: bitfold.sum("abc"), lambda: bitfold.sum(None), lambda: bitfold.sum([1 + 2j]),
    lambda: bitfold.sum(np.array([1], object)), lambda: bitfold.sum(np.array(["2020"], "M8[Y]")),
    lambda: bitfold.max(np.zeros(2, [("a", "f4")])), lambda: bitfold.sum(np.longdouble(1)), lambda: bitfold.sum([[1], [1, 2]]),
    lambda: bitfold.sum([1.0], order=3), lambda: bitfold.sum([1.0], order=["exact"]),
    lambda: bitfold.sum([1.0], order="fast"), lambda: bitfold.sum([1.0], order="lanes(0)"),
    lambda: bitfold.sum([1.0], order="lanes(4"), lambda: bitfold.sum([1.0], order="sum"), lambda: bitfold.sum([1.0], order=""),
    lambda: bitfold.sum([1.0], order="sequential:out=f16"), lambda: bitfold.sum([1.0], acc="f99"),
    lambda: bitfold.sum([1.0], None, "sequential", "i8"), lambda: bitfold.sum([1.0], order="sequential", acc="f32"),
    lambda: bitfold.sum([1.0], acc=complex),
    lambda: bitfold.sum([1.0], dtype="i8"), lambda: bitfold.sum([1.0], dtype="sf16"), lambda: bitfold.sum([1.0], dtype=object),
    lambda: bitfold.sum([1], order="sequential"), lambda: bitfold.max([1.0], nan="omit"),
    lambda: bitfold.max([1], nan=3), lambda: bitfold.sum([1.0], threads=0), lambda: bitfold.sum([1.0], threads=-1),
    lambda: bitfold.sum([1.0], threads=1.5), lambda: bitfold.sum([1.0], threads="2"),
    lambda: bitfold.dot([1.0], [1]), lambda: bitfold.dot([1.0, 2.0], [1.0]), lambda: bitfold.dot([[1.0, 2.0]], [[1.0, 2.0]]),
    lambda: bitfold.dot([1.0], [1.0], keepdims=True), lambda: bitfold.dot([1.0, 2.0], [1.0, 2.0, 3.0], axis=0),
    lambda: bitfold.dot("a", "b"), lambda: bitfold.dot([1.0], None), lambda: bitfold.mean([1.0], order="numpy-3"),
    lambda: bitfold.sum([1.0], order="tree(\"(0+1)\")"), lambda: bitfold.sum(np.ones(2, np.uint64) * 2**63)))
def test_errors_are_one_clear_line(call):
    with pytest.raises((TypeError, ValueError)) as raised:
        call()
    said = str(raised.value)
    assert said and "\n" not in said and len(said) < 250
    for internal in ("sequence item", "unhashable", "NoneType' object", "positional argument", "expected str instance", "_native"):
        assert internal not in said, said


def test_a_dot_of_two_dtypes_names_both():
    for a, b in (("f4", "f8"), ("f2", "f4"), ("i1", "i2"), ("f8", "i8"), ("u1", "f2")):
        with pytest.raises(TypeError, match=f"{np.dtype(a)}.*{np.dtype(b)}"):
            bitfold.dot(np.ones(2, a), np.ones(2, b))


def test_an_unknown_order_is_answered_with_orders():
    with pytest.raises(ValueError, match="sequential"):
        bitfold.sum([1.0], order="sequental")
    with pytest.raises(ValueError, match="pairwise"):
        bitfold.sum([1.0], order="pairwse(8)")


def test_threads_change_no_bit(seed):
    x = np.random.default_rng(seed).normal(size=100_000).astype(np.float32)
    for order in ("exact", "sequential", "lanes(8)"):
        assert len({bitfold.sum(x, order=order, threads=t).tobytes() for t in (None, 1, 2, 7, 10**6)}) == 1


# ---- contracts ----

TEXTS = {"sum:f32": "sum:f32:exact", "sum:f16:lanes(4)": "sum:f16:acc=f32:lanes(4,fold=left,tail=lanes)",
         "max:f64": "max:f64:nan=propagate", "argmin:bf16": "argmin:bf16:nan=ignore:out=i64",
         "dot:sf16:sf": "dot:sf16:sf", "mean:i16": "mean:i16:exact:out=f64"}


def test_a_contract_is_its_text():
    for text in TEXTS:
        made = bitfold.contract(text)
        whole = str(made)
        assert whole == bitfold_c.text(bitfold_c.parse(text)) and str(bitfold.contract(whole)) == whole
        assert bitfold.contract(whole) == made
        assert repr(made) == f"bitfold.contract({whole!r})" and eval(repr(made)) == made and type(made) is bitfold.Contract


def test_every_operation_and_order_comes_back():
    for operation in OPERATIONS:
        for order in ("exact", "sequential", "lanes(16,fold=halves)", "canonical(8)", "pairwise(128,lanes(8))",
                      "blocks(4096,pairwise(128,lanes(8)))", "helia", 'tree("((0+1)+2)")'):
            for output in ("", ":out=f64", ":acc=f64", ":nan=ignore"):
                text = f"{operation}:f32:{order}{output}"
                try:
                    known = bitfold_c.text(bitfold_c.parse(text))
                except bitfold_c.Refused as refused:
                    with pytest.raises(ValueError) as raised:
                        bitfold.contract(text)
                    assert str(raised.value) == refused.message
                    continue
                made = bitfold.contract(text)
                assert str(made) == known
                assert (made.operation, made.element, made.output) == (operation, "f32",
                    "f64" if output == ":out=f64" else "i64" if "arg" in operation else "f32")


def test_contracts_are_values():
    a, b = bitfold.contract("sum:f16:lanes(4)"), bitfold.contract("sum:f16:acc=f32:lanes(4,fold=left)")
    other = bitfold.contract("sum:f16:lanes(8)")
    assert a == b and hash(a) == hash(b) and a != other and {a: 1}[b] == 1 and a != str(a) and not a == None  # noqa: E711
    for again in (*(pickle.loads(pickle.dumps(a, p)) for p in range(6)), copy.copy(a), copy.deepcopy(a)):
        assert again == a and str(again) == str(a) and type(again) is bitfold.Contract
    tree = bitfold.contract('sum:f32:tree("((0+1)+2)")')
    assert pickle.loads(pickle.dumps(tree)) == tree != bitfold.contract('sum:f32:tree("(0+(1+2))")')
    assert (a.operation, a.element, a.accumulator, a.output) == ("sum", "f16", "f32", "f16")
    assert bitfold.contract("max:f32").accumulator is None
    for name in ("operation", "element", "accumulator", "output", "colour"):
        with pytest.raises(AttributeError):
            setattr(a, name, "x")
    with pytest.raises(TypeError):
        a < other


@pytest.mark.parametrize("text", ("", "sum", "f32", "sum:f32:", ":", "sun:f32", "sum:f33", "sum:f32:exact:sequential",
                                  "sum:f32:lanes", "sum:f32:lanes(4,fold=up)", "sum:f32:out=i8", "max:f32:exact", "sum:f32 ",
                                  "SUM:f32",
                                  "sum:f32:exact\0", "sum:f32:é", "sum:f32:" + "x" * 5000, 'sum:f32:tree("',
                                  "sum:f32:lanes(99999999999999999999)", 1, None, b"sum:f32", ["sum:f32"]))
def test_texts_that_are_no_contract(text):
    for call in (bitfold.contract, lambda t: bitfold.reduce(t, [1.0])):
        with pytest.raises((ValueError, TypeError)) as raised:
            call(text)
        assert "\n" not in str(raised.value) and "unhashable" not in str(raised.value) and len(str(raised.value)) < 300


def test_reduce_takes_a_contract_or_its_text():
    x = X.astype(np.float32)
    for made in ("sum:f32:canonical(16):out=f64", bitfold.contract("sum:f32:canonical(16):out=f64")):
        assert bitfold.reduce(made, x, axis=1).tolist() == [2.75, 3.5] and bitfold.reduce(made, x, axis=1).dtype == float
        assert bitfold.reduce(made, x) == 6.25 and bitfold.reduce(made, x, keepdims=True).shape == (1, 1)
        assert bitfold.reduce(made, x, threads=2) == 6.25
        out = np.zeros(2)
        assert bitfold.reduce(made, x, axis=1, out=out) is out and out.tolist() == [2.75, 3.5]
    assert bitfold.reduce("dot:f32", x, x) == float((x.astype(float) ** 2).sum())
    assert bitfold.reduce("sumsq:f32", x) == bitfold.reduce("dot:f32", x, x)
    assert bitfold.reduce("sumabs:f64", X) == np.abs(X).sum() and bitfold.reduce("max:i8", np.array([3, -4], np.int8)) == 3
    assert bitfold.reduce("sum:sf16:sf", np.array([32767, 5, -5], np.int16)) == 32762
    assert bitfold.reduce("dot:sf8:float32", np.array([[100, 3]], np.int8), np.array([3, 100], np.int8), axis=1).dtype == np.int8
    for call, error in ((lambda: bitfold.reduce("sum:f64", x), TypeError), (lambda: bitfold.reduce("dot:f32", x), (TypeError,
            ValueError)), (lambda: bitfold.reduce("sum:f32", x, x), (TypeError, ValueError)),
                        (lambda: bitfold.reduce("sum:sf8:sf", x), TypeError), (lambda: bitfold.reduce("sum:sf8:sf", np.zeros(2,
                            np.int16)), TypeError), (lambda: bitfold.reduce("sum:f32", x, axis=2), AxisError),
                        (lambda: bitfold.reduce("sum:f32", x, out=np.zeros(2)), (TypeError, ValueError)),
                        (lambda: bitfold.reduce("dot:f32", x, x.astype(float)), TypeError)):
        with pytest.raises(error) as raised:
            call()
        assert "\n" not in str(raised.value)


def test_signatures_are_as_designed():
    assert list(inspect.signature(bitfold.sum).parameters) == ["x", "axis", "order", "acc", "keepdims", "out", "threads", "dtype"]
    assert [p.default for p in inspect.signature(bitfold.sum).parameters.values()][1:] == [None, "exact", None, False, None, None,
        None]
    assert list(inspect.signature(bitfold.mean).parameters) == list(inspect.signature(bitfold.sum).parameters)
    for operation in ("max", "min", "argmax", "argmin"):
        assert list(inspect.signature(of(operation)).parameters)[:2] == ["x", "axis"]
