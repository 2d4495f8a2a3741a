# SPDX-License-Identifier: Apache-2.0
"""bitfold's reductions of NumPy arrays: bits against the oracle, for every function, dtype, axis and order."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitfold
from layouts import laid_out
from oracle import data, reduce
from oracle.formats import FORMATS
from plain import AxisError

BF16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = {"f16": np.dtype("f2"), "bf16": BF16, "f32": np.dtype("f4"), "f64": np.dtype("f8"), "i8": np.dtype("i1"),
          "i16": np.dtype("i2"), "i32": np.dtype("i4"),
          "i64": np.dtype("i8")}
FLOATS, INTEGERS = ("f16", "bf16", "f32", "f64"), ("i8", "i16", "i32", "i64")
UNSIGNED = ("u1", "u2", "u4", "u8", "?")
SUMS, SELECTIONS = ("sum", "mean"), ("max", "min", "argmax", "argmin")
ORDERS = ("exact", "sequential", "reverse", "lanes(4)", "lanes(8,fold=pairs)", "lanes(4,fold=halves,tail=after)", "canonical(16)",
          "pairwise(8,lanes(8,fold=pairs,tail=after))",
          "blocks(5,sequential)", "blocks(16,canonical(4))", 'tree("((0+1)+(2+(3+4)))")', "helia")


def values(name, shape, seed, kind=None):
    """An array of a format as NumPy has it."""
    n = int(np.prod(shape, dtype=int))
    return data.row(name, n, seed, kind).view(DTYPES[name]).reshape(shape)


def patterns(x):
    """The same array as the oracle has it."""
    return x.view(FORMATS[{v: k for k, v in DTYPES.items()}[x.dtype.newbyteorder("=")]].storage) if x.dtype.kind != "i" else x


def bits(result):
    return np.asarray(result).view(f"u{np.asarray(result).dtype.itemsize}").tolist()


def same(got, want, output):
    """Bit for bit, and of the output's dtype."""
    want = np.asarray(want, FORMATS[output].storage)
    assert np.asarray(got).dtype == DTYPES[output] and np.shape(got) == want.shape, (got, want)
    assert bits(got) == bits(want), (got, want.view(DTYPES[output]))
    assert isinstance(got, np.ndarray) == bool(want.ndim), "of rank 0, a scalar"


def check(operation, name, x, axes=None, keepdims=False, order=None, acc=None, output=None, nan=None, y=None, call=None):
    parts = [operation, name, order or ("" if operation in SELECTIONS else "exact"), acc and f"acc={acc}",
             output and f"out={output}", nan and f"nan={nan}"]
    text = ":".join(part for part in parts if part)
    whole = range(x.ndim) if axes is None else (axes,) if isinstance(axes, int) else axes
    want, clamped = reduce.reduce_tensor(text, patterns(x), whole, keepdims, None if y is None else patterns(y))
    named = {k: v for k, v in (("order", order), ("acc", acc), ("dtype", output), ("nan", nan)) if v is not None}
    call = call or getattr(bitfold, operation)
    out_name = output or ("i64" if operation.startswith("arg") or (name in INTEGERS and operation in ("sum", "dot")) else "f64"
                          if name in INTEGERS and operation == "mean" else name)
    if clamped:
        with pytest.raises(OverflowError, match=f"{clamped} of {want.size} "):
            call(x, *(() if y is None else (y,)), axis=axes, keepdims=keepdims, **named)
        return
    same(call(x, *(() if y is None else (y,)), axis=axes, keepdims=keepdims, **named), want, out_name)


@pytest.mark.parametrize("operation", (*SUMS, *SELECTIONS))
@pytest.mark.parametrize("name", DTYPES)
def test_rows_of_every_length_and_kind(name, operation, seed):
    kinds = data.FLOAT_KINDS if name in FLOATS else (None,) * 4
    for i, n in enumerate((1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 257, 513)):
        for kind in (kinds[i % len(kinds)], kinds[(i + 3) % len(kinds)]):
            check(operation, name, values(name, (n,), seed + i, kind))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("operation", SUMS)
@pytest.mark.parametrize("name", FLOATS)
def test_every_order_and_accumulator(name, operation, order, seed):
    n = 5 if order.startswith("tree") else 37
    for i, acc in enumerate((None, *{"f16": ("f16", "f32", "f64"), "bf16": ("bf16", "f32", "f64"), "f32": ("f32", "f64"),
                                     "f64": ("f64",)}[name])):
        if order == "exact" and acc:
            continue
        for output in (None, FLOATS[(i + len(order)) % 4]):
            check(operation, name, values(name, (3, n), seed + i, ("near", "cancel", "ties", "wide")[i]), axes=1, order=order,
                  acc=acc, output=output)


@pytest.mark.parametrize("axes", [None, *range(-3, 3), *itertools.combinations(range(3), 2), (0, -1), (2, 0), (0, 1, 2), (), (1,)])
@pytest.mark.parametrize("keepdims", (False, True))
def test_every_axis(axes, keepdims, seed):
    for i, (name, operation) in enumerate(itertools.product(("f16", "f32", "i16", "i64"), (*SUMS, *SELECTIONS))):
        check(operation, name, values(name, (3, 4, 5), seed + i, None if name in INTEGERS else ("near", "nan", "inf")[i % 3]), axes,
              keepdims)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("operation", ("sum", "max", "argmin"))
def test_every_layout(name, operation, seed):
    x = values(name, (4, 5, 6), seed, None if name in INTEGERS else "near")
    x = x >> 8 if name == "i64" else x
    for layout in (dict(order=(2, 1, 0)), dict(reverse=(0, 2)), dict(gap=3), dict(offset=1), dict(swap=True),
                   dict(order=(1, 2, 0), reverse=(1,), gap=5, offset=3, swap=True)):
        if name == "bf16" and layout.get("swap"):
            continue
        view = laid_out(x.view("u2") if name == "bf16" else x, **layout)
        view = view.view(BF16) if name == "bf16" else view
        for axis in (None, 0, (0, 2)):
            got = getattr(bitfold, operation)(view, axis=axis)
            assert bits(got) == bits(getattr(bitfold, operation)(x, axis=axis)) and np.asarray(got).dtype.isnative
    check(operation, name, x[::2, ::-1, 1:4].transpose(2, 0, 1), axes=(0, 2))
    check(operation, name, np.broadcast_to(x[0], (3, 5, 6)), axes=0)


@pytest.mark.parametrize("kind", UNSIGNED)
@pytest.mark.parametrize("operation", (*SUMS, *SELECTIONS))
def test_unsigned_integers_and_bool(kind, operation, seed):
    rng = np.random.default_rng(seed)
    top = 1 if kind == "?" else min(int(np.iinfo(kind).max), 2**62)
    x = rng.integers(0, top, (4, 9), endpoint=True, dtype=np.int64).astype(kind)
    x[0, :2] = [top, 0]
    for axis in (None, 0, 1):
        numbers = x.astype(object) if kind != "?" else x.astype(int).astype(object)
        for view in (x, x[:, ::-1][:, ::-1], x.astype(x.dtype.newbyteorder())):
            call = getattr(bitfold, operation)
            if operation == "sum" and int(numbers.sum(axis=axis) if axis is None else numbers.sum(axis=axis).max()) >= 2**63:
                with pytest.raises(OverflowError):
                    call(view, axis=axis)
            elif operation == "mean":
                counts = numbers.size if axis is None else numbers.shape[axis]
                assert call(view, axis=axis).tolist() == (numbers.sum(axis=axis) / counts
                                                           if axis is None else [int(s) / counts for s in numbers.sum(axis=axis)])
            else:
                got = call(view, axis=axis)
                want = getattr(x, operation)(axis=axis)
                assert got.tolist() == want.tolist()
                assert got.dtype == (np.int64 if operation in ("sum", "argmax", "argmin") else x.dtype)


@pytest.mark.parametrize("operation", SELECTIONS)
def test_selections_of_uint64_beyond_int64(operation):
    x = np.array([5, 2**63, 2**64 - 1, 7, 2**64 - 1, 0], np.uint64)
    got = getattr(bitfold, operation)(x)
    assert got == getattr(np, operation)(x) and got.dtype == getattr(np, operation)(x).dtype


@pytest.mark.parametrize("kind", ("u1", ">u2", "u8", "?"))
@pytest.mark.parametrize("operation", ("max", "min"))
def test_selections_of_unsigned_integers_in_numpys_ways(operation, kind):
    x = np.array([[0, 1, 1], [1, 0, 1]]).astype(kind)
    call, want = getattr(bitfold, operation), getattr(x, operation)(axis=0)
    out = np.ones(3, kind)
    assert call(x, axis=0, out=out) is out and out.tolist() == want.tolist() and call(x, keepdims=True).shape == (1, 1)
    assert type(call(x)) is type(getattr(x, operation)()) and call(x.reshape((1,) * 9 + (2, 3)), axis=-2).shape == (1,) * 9 + (3,)
    frozen = np.ones(3, kind)
    frozen.flags.writeable = False
    for wrong, error in ((np.ones(2, kind), ValueError), (np.ones(3, "i1"), TypeError), (frozen, ValueError),
                         ([1, 1, 1], TypeError)):
        with pytest.raises(error, match="out=") as raised:
            call(x, axis=0, out=wrong)
        assert "\n" not in str(raised.value) and set(np.reshape(wrong, -1).tolist()) == {1}
    with pytest.raises(ValueError, match=operation):
        call(x[:0], axis=0)
    with pytest.raises(AxisError):
        call(x, axis=2, out=np.ones(5, kind))
    for nan in ("omit", 3):
        with pytest.raises((ValueError, TypeError)):
            call(x, nan=nan)


def test_integer_sums_are_exact_or_an_overflow():
    edge = 2**63 - 1
    assert bitfold.sum([edge, 1, -1]) == edge and bitfold.sum([-edge, -1]) == -2**63
    assert bitfold.sum([edge] * 4 + [-edge] * 3) == edge
    for wrong, dtype in (([edge, 1], None), ([-edge, -2], None), ([100, 28], "i8"), ([-129], "i8"), ([2**31], np.int32),
                         ([40000, -1], "int16")):
        with pytest.raises(OverflowError, match=r"1 of 1 ") as raised:
            bitfold.sum(wrong, dtype=dtype)
        assert "\n" not in str(raised.value)
    with pytest.raises(OverflowError, match=r"2 of 3 "):
        bitfold.sum(np.array([[100, 5, -100]] * 2, np.int8), axis=0, dtype="i8")
    assert bitfold.sum(np.array([100, 27], np.int8), dtype="i8") == 127 and bitfold.mean([edge, edge]) == float(edge)
    assert bitfold.mean([1, 2]) == 1.5
    assert bitfold.mean([1, 2, 2, 2], dtype="i8") == 2 and bitfold.mean([1, 2], dtype="i64") == 2
    assert bitfold.mean([3, 4], dtype="i32") == 4, "ties to even"


@pytest.mark.parametrize("nan", (None, "propagate", "ignore"))
@pytest.mark.parametrize("operation", SELECTIONS)
@pytest.mark.parametrize("name", FLOATS)
def test_nan_policies(name, operation, nan, seed):
    for i in range(6):
        x = values(name, (5, 7), seed + i, ("nan", "zeros", "inf")[i % 3])
        for axes in (None, 0, 1):
            check(operation, name, x, axes, nan=nan)
    all_nan = np.full((2, 3), np.nan).astype(DTYPES[name])
    check(operation, name, all_nan, 1, nan=nan)


@pytest.mark.parametrize("order", ("exact", "sequential", "lanes(8)", "canonical(4)"))
@pytest.mark.parametrize("name", FLOATS)
def test_dots_with_an_axis(name, order, seed):
    for i, axes in enumerate((None, -1, 0, (0, 1))):
        x, y = values(name, (4, 9), seed + i, "near"), values(name, (4, 9), seed + 9 + i, "ties")
        if axes is not None:
            check("dot", name, x, axes, order=order, y=y)
        row, other = np.ascontiguousarray(x[0]), np.ascontiguousarray(y[0])
        check("dot", name, row, 0, order=order, y=other)
        want = bitfold.dot(row, other, axis=0, order=order)
        assert bits(bitfold.dot(row, other, order=order)) == bits(want)
    got = bitfold.dot(x[:, None], y, axis=-1, order=order)
    assert got.shape == (4, 4)
    assert all(bits(got[i, j]) == bits(bitfold.dot(x[i], y[j], axis=-1, order=order)) for i, j in np.ndindex(4, 4))


@pytest.mark.parametrize("name", ("f16", "f32", "f64", "i8", "i32"))
def test_dots_without_an_axis_have_numpys_shapes(name, seed):
    for i, (a, b) in enumerate((((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)),
                                ((2, 3), (5, 3, 4)), ((2, 2, 3), (2, 3, 2)), ((), (3,)), ((3,), ()), ((), ()),
                                ((2, 0), (0, 3)), ((0, 3), (3, 2)))):
        x, y = values(name, a, seed + i, None if name[0] == "i" else "small"), values(name, b, seed + 50 + i,
            None if name[0] == "i" else "small")
        got, want = bitfold.dot(x, y), np.dot(x.astype(np.float64 if name[0] == "f" else object),
                                              y.astype(np.float64 if name[0] == "f" else object))
        assert np.shape(got) == np.shape(want) and got.dtype == (np.int64 if name[0] == "i" else DTYPES[name])
        for at in np.ndindex(np.shape(got)):
            row = x[at[: max(x.ndim - 1, 0)]] if x.ndim and y.ndim else x[at] if x.ndim else x
            column = y if y.ndim < 2 else np.moveaxis(y, -2, -1)[at[max(x.ndim - 1, 0):]]
            column = column if x.ndim and y.ndim else y[at] if y.ndim else y
            text = f"dot:{name}:exact"
            bit = reduce.reduce(text, np.atleast_1d(patterns(np.asarray(row))), np.atleast_1d(patterns(np.asarray(column))))[0]
            assert bits(got[at]) == bits(np.asarray(bit, FORMATS["i64" if name[0] == "i" else name].storage)), (a, b, at)


@pytest.mark.parametrize("axes", ((9, 7), (7, 9), (-1, -2), (8, 0, -3), (9,), None))
def test_more_axes_than_the_library_takes_are_walked_row_major(axes, seed):
    x = values("f32", (2, 3, 5), seed, "cancel")
    high = x.reshape((1,) * 7 + x.shape)
    low = None if axes is None else tuple(a % 10 - 7 for a in axes if a % 10 >= 7)
    for operation, named in (("sum", dict(order="sequential")), ("mean", dict(order="lanes(4)")), ("argmax", {}), ("max", {})):
        got, want = getattr(bitfold, operation)(high, axis=axes, **named), getattr(bitfold, operation)(x, axis=low, **named)
        assert bits(np.reshape(got, np.shape(want))) == bits(want)
    y = values("f32", (2, 3, 5), seed + 1, "ties")
    got = bitfold.dot(high, y, axis=(9, 7), order="sequential")
    assert got.shape == (1,) * 7 + (3,) and bits(got.reshape(3)) == bits(bitfold.dot(x, y, axis=(0, 2), order="sequential"))


@settings(max_examples=60)
@given(st.sampled_from(("f16", "f32", "f64", "bf16", *INTEGERS)), st.sampled_from(("sum", "mean", *SELECTIONS)),
       st.lists(st.integers(0, 4), min_size=1, max_size=4), st.booleans(), st.integers(0, 10**6),
       st.data())
def test_any_array(name, operation, shape, keepdims, number, draw):
    axes = draw.draw(st.none() | st.lists(st.integers(0, len(shape) - 1), unique=True).map(tuple) | st.integers(-len(shape),
        len(shape) - 1))
    x = values(name, shape, number)
    empty = not np.prod([shape[a] for a in (range(len(shape)) if axes is None else (axes,) if isinstance(axes, int) else axes)],
                        dtype=int)
    outputs = np.prod([n for i, n in enumerate(shape) if axes is not None and i not in [a % len(shape) for a in ((axes,)
        if isinstance(axes, int) else axes)]], dtype=int)
    if empty and operation in SELECTIONS and outputs:
        with pytest.raises(ValueError, match=operation):
            getattr(bitfold, operation)(x, axis=axes)
        return
    check(operation, name, x.transpose().copy().transpose(), axes, keepdims)
