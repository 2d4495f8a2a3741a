# SPDX-License-Identifier: Apache-2.0
"""S46: NumPy's functions beside the table: reductions with their options, foreign arrays beside an sfarray, and what is refused."""

import numpy as np
import pytest

import plain
import sf

X, A = sf.array([0.1, -0.25, 0.5]), sf.array([[0.1, 0.2], [0.3, 0.2]])


def codes(result):
    return result.codes.tolist()


def test_S46_numpy_sum_in_all_its_spellings():
    want = A.sum(axis=0)
    for call in (lambda: np.sum(A, 0), lambda: np.sum(A, axis=0), lambda: np.sum(a=A, axis=0), lambda: np.sum(A, axis=-2),
                 lambda: np.sum(A, 0, sf.sf16),
                 lambda: np.sum(A, axis=(0,)), lambda: np.sum(A, 0, None, None, False), lambda: np.sum(A, axis=0, dtype="sf16"),
                 lambda: np.sum(A, axis=0, out=None, keepdims=False),
                 lambda: np.add.reduce(A), lambda: np.add.reduce(A, 0), lambda: np.add.reduce(A, axis=0, dtype=None),
                 lambda: A.sum(0), lambda: A.sum(0, sf.sf16)):
        assert codes(call()) == codes(want)
    out = sf.zeros(2)
    for call in (lambda: np.sum(A, 0, None, out), lambda: np.sum(A, axis=0, out=out), lambda: np.add.reduce(A, out=out),
                 lambda: np.add.reduce(A, 0, None, out),
                 lambda: A.sum(0, None, out), lambda: A.sum(axis=0, out=out)):
        out[...] = 0
        assert call() is out and codes(out) == codes(want)
    for call in (lambda: np.sum(A, 0, None, None, True), lambda: np.sum(A, axis=0, keepdims=True),
                 lambda: np.add.reduce(A, keepdims=True), lambda: A.sum(0, None, None, True)):
        assert call().shape == (1, 2) and codes(call())[0] == codes(want)
    assert repr(np.sum(X)) == repr(X.sum()) and repr(np.sum(sf.sf16(0.5))) == "sf16(0.5)"


def test_S46_other_reductions_in_all_their_spellings():
    out, where = sf.zeros(2), np.zeros(2, np.int64)
    for call in (lambda: np.max(A, 0, out), lambda: np.max(A, axis=0, out=out), lambda: np.maximum.reduce(A, out=out),
                 lambda: A.max(0, out), lambda: np.amax(A, 0, out)):
        out[...] = 0
        assert call() is out and codes(out) == [9830, 6554]
    for call in (lambda: np.mean(A, 0, None, out), lambda: np.mean(A, axis=0, out=out), lambda: A.mean(0, None, out)):
        out[...] = 0
        assert call() is out and codes(out) == [6554, 6554]
    assert np.max(A, 0, None, True).shape == np.mean(A, 0, None, None, True).shape == (1, 2)
    for call in (lambda: np.argmax(A, 1, where), lambda: np.argmax(A, axis=1, out=where), lambda: A.argmax(1, where)):
        where[...] = 9
        assert call() is where and where.tolist() == [1, 0]
    out = sf.zeros((2, 2))
    for call in (lambda: np.dot(A, A, out), lambda: np.dot(A, A, out=out), lambda: np.matmul(A, A, out),
                 lambda: np.matmul(A, A, out=out), lambda: A.dot(A, out)):
        out[...] = 0
        assert call() is out and codes(out) == codes(A @ A)


OPTIONS = {"np.sum(X, dtype=float)": 0, "np.sum(X, dtype=sf.sf8)": 0, "np.sum(X, initial=0)": 0,
           "np.sum(X, where=[True, False, True])": 0, "np.max(X, initial=0)": 0,
           "np.max(X, where=[True, False, True], initial=0)": 0, "np.mean(X, where=[True, False, True])": 0,
           "np.mean(X, dtype=float)": 0, "X.sum(dtype=float)": 0,
           "X.mean(dtype='f8')": 0, "np.add(X, X, where=[True, False, True])": 0, "np.add(X, X, dtype=float)": 0,
           "np.add(X, X, casting='unsafe')": 0, "np.add(X, 0.1, order='F')": 0,
           "np.add.reduce(X, initial=0)": 0, "np.add.reduce(X, where=[True, False, True])": 0, "np.add.reduce(X, dtype=float)": 0,
           "np.concatenate([X, X], dtype=float)": 0,
           "np.concatenate([X, X], dtype=np.int32)": 0, "np.concatenate([X, X], out=np.zeros(6))": 0,
           "np.stack([X, X], dtype=float)": 0, "np.stack([X, X], out=np.zeros((2, 3), np.int16))": 0,
           "np.hstack([X, X], dtype='i4')": 0, "np.take(X, [0], out=np.zeros(1, np.int16))": 0, "np.matmul(A, A, dtype=float)": 0,
           "np.pad(X, 1, mode='mean')": 0, "np.pad(X, 1, mode='median')": 0,
           "np.pad(X, 1, mode='linear_ramp')": 0, "np.pad(X, 1, mode='reflect', reflect_type='odd')": 0,
           "np.pad(X, 1, mode='symmetric', reflect_type='odd')": 0,
           "np.pad(X, 1, mode=lambda v, p, i, k: None)": 0, "np.full_like(X, 0.5, dtype=float)": 0,
           "np.zeros_like(X, dtype=np.float32)": 0, "np.array(X, copy=False)": 0, "np.asarray(X, copy=False)": 0}


@pytest.mark.parametrize("text", plain.here(OPTIONS))
def test_S46_options_that_are_refused(text):
    """Each would make codes by NumPy's arithmetic, or an array whose codes are none."""
    before = codes(X), codes(A)
    with pytest.raises((TypeError, ValueError)) as raised:
        eval(text, {"np": np, "sf": sf, "X": X, "A": A})
    said = str(raised.value)
    assert "\n" not in said and "unexpected keyword" not in said and "positional argument" not in said and len(said) < 250, said
    assert (codes(X), codes(A)) == before


UNSUPPORTED = """
np.cumsum(X) np.cumprod(X) np.prod(X) np.std(X) np.var(X) np.median(X) np.percentile(X,50) np.quantile(X,0.5) np.average(X)
np.ptp(X) np.diff(X) np.gradient(X) np.interp(0.1,X,X) np.convolve(X,X) np.correlate(X,X) np.outer(X,X) np.inner(X,X) np.vdot(X,X)
np.tensordot(A,A) np.kron(A,A) np.cross(X,X) np.einsum('i,i',X,X) np.trace(A) np.linalg.norm(X) np.linalg.inv(A) np.linalg.det(A)
np.linalg.solve(A,A) np.fft.fft(X) np.round(X) np.around(X,2) np.floor(X) np.sqrt(X) np.exp(X) np.sin(X) np.log(X) np.power(X,2)
np.divide(X,X) np.true_divide(X,2) np.floor_divide(X,X) np.mod(X,X) np.square(X) np.sign(X) np.isnan(X) np.isfinite(X) np.isinf(X)
np.signbit(X) np.reciprocal(X) np.arctan2(X,X) np.hypot(X,X) np.logical_and(X,X) np.logical_not(X) np.bitwise_and(X,X) np.invert(X)
np.left_shift(X,1) np.copysign(X,X) np.nextafter(X,X) np.isclose(X,X) np.allclose(X,X) np.histogram(X) np.bincount(X)
np.digitize(X,X) np.cov(X) np.corrcoef(X) np.polyfit(X,X,1) np.nan_to_num(X) np.nansum(X) np.real(X) np.imag(X) np.angle(X)
np.conj(X) np.add.outer(X,X) np.add.accumulate(X) np.add.at(X,[0],X[:1]) np.add.reduceat(X,[0,1]) np.multiply.reduce(X)
np.subtract.reduce(X) np.maximum.accumulate(X) np.minimum.outer(X,X) np.partition(X,1) np.apply_along_axis(len,0,A) np.sinc(X)
np.select([X>0],[X]) np.choose([0,0,0],[X,X]) np.piecewise(X,[X>0],[1]) np.lib.stride_tricks.sliding_window_view(X,2)
np.setdiff1d(X,X) np.intersect1d(X,X) np.union1d(X,X) np.savetxt('/nonexistent/x',X) np.i0(X) np.trapezoid(X)
""".split()


@pytest.mark.parametrize("text", plain.here(UNSUPPORTED))
def test_S46_functions_that_are_not_for_superfloat(text):
    """A TypeError of one clear line, or, where NumPy hands the call on, what the values give; never an answer made of codes."""
    before = codes(X), codes(A)
    values = {"np": np, "X": np.asarray(X), "A": np.asarray(A)}
    try:
        got = eval(text, {"np": np, "X": X, "A": A})
    except TypeError as error:
        assert "\n" not in str(error) and len(str(error)) < 250, error
        assert text.split("(")[0].removeprefix("np.").split(".")[-1] in str(error) or "SuperFloat" in str(error), error
    else:
        want = eval(text, values)
        assert np.asarray(got).tolist() == np.asarray(want).tolist(), "on values"
    assert (codes(X), codes(A)) == before


FOREIGN = {"np.isin(0.5, X)": True, "np.isin(np.array([0.5, 0.2]), X)": [True, False],
           "np.isin(X, [0.5, 0.2])": [False, False, True], "np.isin(X, np.array([-0.25]))": [False, True, False],
           "np.searchsorted(np.array([-0.3, 0.2]), X)": [1, 1, 2], "np.searchsorted(np.sort(X), [0.3, -1, 0.5])": [2, 0, 2],
           "np.searchsorted(np.sort(X), 0.5, side='right')": 3,
           "np.extract(X, np.array([1.5, 2.5, 3.5]))": [1.5, 2.5, 3.5], "np.where(X, 1, 2)": [1, 1, 1],
           "np.where(X, np.ones(3), np.zeros(3))": [1.0, 1.0, 1.0], "np.where(X > 0, np.ones(3), 2)": [1, 2, 1],
           "np.compress(X, np.ones(3))": [1.0] * 3, "np.array_equal(X, np.asarray(X))": True,
           "np.array_equal(np.asarray(X), X)": True, "np.array_equal(X, X.codes)": False,
           "np.array_equiv(np.asarray(X), X)": True, "np.concatenate([np.zeros(3), X])": None,
           "np.concatenate([X, np.zeros(3)])": None, "np.stack([X, [0.1, 0.2, 0.3]])": None, "np.append(np.zeros(2), X)": None,
           "np.insert(np.zeros(2), 0, X)": None, "np.vstack([np.zeros(3), X])": None, "np.block([X, np.zeros(3)])": None,
           "np.append(X, [0.5, 0.25])": [3277, -8192, 16384, 16384, 8192],
           "np.append(X, np.array([0.5]))": [3277, -8192, 16384, 16384], "np.insert(X, 1, 0.5)": [3277, 16384, -8192, 16384],
           "np.where(X > 0, X, 0.5)": [3277, 16384, 16384],
           "np.where(X > 0, 0, X)": [0, -8192, 0], "np.where(X > 0, X, np.full(3, 0.25))": [3277, 8192, 16384],
           "np.pad(X, 1, constant_values=0.5)": [16384, 3277, -8192, 16384, 16384],
           "np.pad(X, 1, constant_values=(0.5, 0.25))": [16384, 3277, -8192, 16384, 8192],
           "np.clip(X, -0.1, 0.1)": [3277, -3277, 3277], "np.clip(X, None, 0.25)": [3277, -8192, 8192],
           "np.clip(X, sf.sf16(0), [0.1, 0.2, 0.3])": [3277, 0, 9830], "np.clip(X, a_min=-0.1, a_max=None)": [3277, -3277, 16384],
           "np.full_like(X, 0.5)": [16384] * 3, "np.zeros_like(X)": [0] * 3,
           "np.ones_like(X)": [32767] * 3, "np.empty_like(X).size": 3, "np.zeros_like(X, shape=(2,))": [0, 0],
           "np.full_like(A[0], 0.5)": [16384] * 2, "np.broadcast_arrays(X, np.zeros((2, 3)))": None,
           "np.array([X[0], X[1]])": [3277 / 32768, -0.25], "np.array([X, X]).shape": [2, 3],
           "np.asarray(X, dtype=np.float32)": [float(np.float32(3277 / 32768)), -0.25, 0.5],
           "np.array(X, dtype=object)": [3277 / 32768, -0.25, 0.5]}


@pytest.mark.parametrize("text", FOREIGN)
def test_S46_other_arrays_beside_an_sfarray(text):
    """Never codes beside values: converted, compared as values, or a TypeError that says what to write."""
    try:
        got = eval(text, {"np": np, "sf": sf, "X": X, "A": A})
    except TypeError as error:
        assert FOREIGN[text] is None or text.startswith(("np.searchsorted(np.array", "np.extract", "np.where(X,",
                                                         "np.compress")), error
        assert "\n" not in str(error) and len(str(error)) < 250
    else:
        assert FOREIGN[text] is not None, got
        assert (codes(got) if isinstance(got, sf.sfarray) else np.asarray(got).tolist()) == FOREIGN[text], got
        assert not isinstance(got, sf.sfarray) or got.codes.dtype == np.int16


def test_S46_lists_of_sfarrays_that_are_no_arguments_of_numpy():
    assert np.asarray([X, X]).tolist() == [X.tolist()] * 2
    assert codes(sf.array([X, X])) == [codes(X)] * 2 and codes(np.stack([*A])) == codes(A)
    assert codes(np.concatenate([X[:1], X[1:]])) == codes(X)


def test_S46_numpys_own_test_functions_work():
    np.testing.assert_array_equal(X, X.copy())
    np.testing.assert_array_equal(X, np.asarray(X))
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(X, -X)
    np.testing.assert_allclose(np.asarray(X), X.tolist())


def test_S46_joins_with_out():
    for call in (lambda out: np.concatenate([X, X], out=out), lambda out: np.stack([X, X], out=out.reshape(2, 3)),
                 lambda out: np.take(X, [0, 1, 2, 0, 1, 2], out=out)):
        out = sf.zeros(6)
        try:
            made = call(out)
        except TypeError as error:
            assert "\n" not in str(error) and codes(out) == [0] * 6
        else:
            assert np.shares_memory(made.codes, out.codes) and codes(out) == codes(X) * 2


def test_S46_copyto_and_friends_write_or_refuse():
    for text in ("np.copyto(Y, X)", "np.put(Y, [0], X[:1])", "np.place(Y, [True, False, False], X[:1])",
                 "np.putmask(Y, [True, False, False], X)", "np.fill_diagonal(B, 0.5)",
                 "np.copyto(np.zeros(3), X)", "np.put_along_axis(Y, np.array([0]), X[:1], 0)"):
        y, b = sf.zeros(3), sf.zeros((2, 2))
        try:
            eval(text, {"np": np, "X": X, "Y": y, "B": b})
        except TypeError as error:
            assert "\n" not in str(error) and len(str(error)) < 250 and codes(y) == [0] * 3 and codes(b) == [[0, 0]] * 2
        else:
            assert set(codes(y)) <= {0, *codes(X)} and {k for row in codes(b) for k in row} <= {0, 16384}
