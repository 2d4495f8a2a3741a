# SPDX-License-Identifier: Apache-2.0
"""sfarray: an array of SuperFloat codes that behaves as NumPy's arrays do."""

from __future__ import annotations

import operator
from typing import Any, Callable, Iterator

import numpy as np

from bitfold import _native
from bitfold._arrays import RANK_MAX

from . import _linalg
from ._events import settle
from ._scalars import ABSOLUTE, ADD, FORMATS, MULTIPLY, NAMES, NEGATIVE, SUBTRACT, Format, format_of, made, mixed, sfscalar
from ._settings import check_policy, current

Codes = np.ndarray[tuple[int, ...], np.dtype[Any]]
NUMBERS = (bool, int, float, np.number, np.bool_)


class sfarray:
    """An array of SuperFloat values, made by `sf.array`, `sf.from_codes` and their like.

    It is indexed, sliced, reshaped, transposed, iterated, compared and printed as NumPy's arrays are, and views share memory. + - * clamp each
    element, by the rule in use. Reductions add in sequence and clamp at each step; see `sum`. ``numpy.asarray(x)`` gives the values as
    float64, exactly; `codes` is the memory itself, int8 up to sf8 and int16 above, and a value is code / 2^(N-1).
    """

    __slots__ = ("_codes", "_dtype", "__weakref__")
    __array_priority__ = 1000
    _codes: Codes
    _dtype: Any

    def __init__(self, *_: object) -> None:
        raise TypeError("sf.array makes an sfarray of values, sf.from_codes of codes")

    @classmethod
    def _of(cls, codes: Codes, dtype: Any) -> sfarray:
        self = _new(cls)
        self._codes = codes
        self._dtype = dtype
        return self

    def _like(self, codes: Codes) -> sfarray:
        return sfarray._of(codes, self._dtype)

    # ---- what it is ----

    @property
    def codes(self) -> Codes:
        """The codes, in the array's own memory."""
        return self._codes

    @property
    def dtype(self) -> Any:
        """The format, sf2 to sf16."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self._codes.shape

    @property
    def ndim(self) -> int:
        return self._codes.ndim

    @property
    def size(self) -> int:
        return self._codes.size

    @property
    def strides(self) -> tuple[int, ...]:
        return self._codes.strides

    @property
    def itemsize(self) -> int:
        return self._codes.itemsize

    @property
    def nbytes(self) -> int:
        return self._codes.nbytes

    @property
    def flags(self) -> Any:
        return self._codes.flags

    @property
    def base(self) -> Any:
        """What owns the memory of a view, as NumPy says it."""
        return self._codes.base

    @property
    def T(self) -> sfarray:
        """The transpose, a view."""
        return self._like(self._codes.T)

    @property
    def mT(self) -> sfarray:
        """The transpose of the last two axes, a view."""
        return self.swapaxes(-1, -2)

    @property
    def flat(self) -> Iterator[Any]:
        """The scalars in row-major order."""
        return iter(self.reshape(-1))

    def __len__(self) -> int:
        return len(self._codes)

    def __bool__(self) -> bool:
        return bool(self._codes)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __dir__(self) -> list[str]:
        return [name for name in dir(type(self)) if not name.startswith("_")]

    # ---- values ----

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Codes:
        if copy is False:
            raise ValueError("the values of SuperFloat codes are made, so copy=False cannot be had; .codes is a view")
        values = _native.convert(self._row(), self.dtype.__name__, "f64")[0].reshape(self.shape)
        return values if dtype is None else values.astype(dtype, copy=False)

    def item(self, *index: Any) -> float:
        """One value as a Python float, exactly; as numpy.ndarray.item."""
        return float(int(self._codes.item(*index)) / self.dtype.scale)

    def tolist(self) -> Any:
        """The values as nested lists of floats."""
        return self.__array__().tolist()

    def tobytes(self, order: Any = "C") -> bytes:
        """The bytes of the codes, as this machine orders them."""
        return self._codes.tobytes(order)

    def __repr__(self) -> str:
        return _printed(self, "sfarray(", f"dtype={self.dtype.__name__}")

    def __str__(self) -> str:
        return _printed(self, "", "")

    # ---- shape ----

    def reshape(self, *shape: Any, order: Any = "C") -> sfarray:
        """As numpy.ndarray.reshape."""
        return self._like(self._codes.reshape(*shape, order=order))

    def ravel(self, order: Any = "C") -> sfarray:
        """As numpy.ndarray.ravel."""
        return self._like(self._codes.ravel(order))

    def flatten(self, order: Any = "C") -> sfarray:
        """As numpy.ndarray.flatten."""
        return self._like(self._codes.flatten(order))

    def transpose(self, *axes: Any) -> sfarray:
        """As numpy.ndarray.transpose: a view."""
        return self._like(self._codes.transpose(*axes))

    def swapaxes(self, axis1: int, axis2: int) -> sfarray:
        """As numpy.ndarray.swapaxes: a view."""
        return self._like(self._codes.swapaxes(axis1, axis2))

    def squeeze(self, axis: Any = None) -> sfarray:
        """As numpy.ndarray.squeeze: a view."""
        return self._like(self._codes.squeeze(axis))

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> sfarray:
        """As numpy.ndarray.diagonal: a view."""
        return self._like(self._codes.diagonal(offset, axis1, axis2))

    def repeat(self, repeats: Any, axis: Any = None) -> sfarray:
        """As numpy.ndarray.repeat."""
        return self._like(self._codes.repeat(repeats, axis))

    def take(self, indices: Any, axis: Any = None, mode: Any = "raise") -> Any:
        """As numpy.ndarray.take."""
        return _linalg.wrap(self, np.asarray(self._codes.take(indices, axis, mode=mode)))

    def copy(self, order: Any = "C") -> sfarray:
        """A copy of its own memory."""
        return self._like(self._codes.copy(order))

    def view(self) -> sfarray:
        """Another sfarray of the same memory."""
        return self._like(self._codes.view())

    def fill(self, value: Any) -> None:
        """Sets all elements to one value."""
        self[...] = value

    def sort(self, axis: int = -1, kind: Any = None) -> None:
        """As numpy.ndarray.sort: in place, and stable whatever kind is."""
        self._codes.sort(axis, kind="stable")

    def argsort(self, axis: int = -1, kind: Any = None) -> Codes:
        """As numpy.ndarray.argsort, and stable whatever kind is."""
        return self._codes.argsort(axis, kind="stable")

    def nonzero(self) -> tuple[Codes, ...]:
        """As numpy.ndarray.nonzero."""
        return self._codes.nonzero()

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Whether any element is not 0."""
        return self._codes.any(axis, out=out, keepdims=keepdims)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Whether no element is 0."""
        return self._codes.all(axis, out=out, keepdims=keepdims)

    def clip(self, min: Any = None, max: Any = None) -> sfarray:
        """As numpy.ndarray.clip, with limits that are converted as `sf.array` does."""
        low, high = (None if limit is None else _coded(limit, self.dtype) for limit in (min, max))
        return self._like(np.clip(self._codes, low, high))

    def __iter__(self) -> Iterator[Any]:
        for part in self._codes:
            yield _linalg.wrap(self, np.asarray(part))

    def __getitem__(self, index: Any) -> Any:
        part = self._codes[index]
        return self._like(part) if isinstance(part, np.ndarray) else made(self.dtype, int(part))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._codes[index] = _coded(value, self.dtype)

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(self == value))

    def _row(self) -> Codes:
        """The codes as one contiguous row in this machine's byte order."""
        return np.require(self._codes, self.dtype.storage, ["C", "A"]).reshape(-1)

    # ---- other formats ----

    def astype(self, dtype: Any, *, over: str | None = None, copy: bool = True) -> Any:
        """The values in another format, as an sfarray; or in NumPy's, as an ndarray.

        Widening is exact, but for -1.0, which no conversion makes: it clamps. Narrowing rounds to nearest, ties to even, and clamps, which is an event of the operation ``array`` (S42).
        """
        if not isinstance(dtype, Format) and not (isinstance(dtype, str) and dtype in FORMATS):
            return self.__array__(np.dtype(dtype))
        dtype = format_of(dtype)
        if over is not None:
            check_policy(over)
        if dtype is self.dtype:
            return self.copy("K") if copy else self
        codes, clamped = _native.convert(self._row(), self.dtype.__name__, dtype.__name__)
        result = sfarray._of(codes.reshape(self.shape), dtype)
        settle(dtype.__name__, "array", clamped, self.size, result, over)
        return result

    def pack(self) -> bytes:
        """Two codes of sf4 a byte, the first in the low nibble, 4-bit two's complement; `sf.unpack` reads them.

        The array is walked in row-major order; an odd count is padded with a zero nibble. A code beyond +-7 is a ValueError.
        """
        if self.dtype.bits != 4:
            raise TypeError(f"pack is for sf4, not {self.dtype}; .astype(sf.sf4) converts")
        row = self._row()
        if row.size and int(row.min()) < -self.dtype.max_code:
            raise ValueError(f"code {int(row.min())}, which is -1.0, is not packed; packed codes are -7 to 7")
        return _native.pack_sf4(row)

    def words(self, encoding: str = "twos-complement") -> Codes:
        """What a device holds for these codes: N-bit words in uint8 or uint16, in an encoding by name, "twos-complement" or "sign-magnitude"."""
        from ._words import to_words

        words: Codes = to_words(encoding, self._codes, self.dtype)
        return words

    # ---- reductions ----

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, over: str | None = None,
            rule: Any = None, strict: bool | None = None) -> Any:
        """The sum in sequence from index 0, each step clamped; see `sf.sum`."""
        if dtype is not None:
            _check_dtype(dtype, self.dtype)
        return _linalg.add("sum", self, None, axis, keepdims, out, over, rule, strict)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, over: str | None = None,
             rule: Any = None) -> Any:
        """The sum's accumulator over the count, rounded once; see `sf.mean`."""
        if dtype is not None:
            _check_dtype(dtype, self.dtype)
        return _linalg.add("mean", self, None, axis, keepdims, out, over, rule, None)

    def dot(self, b: Any, out: Any = None, *, over: str | None = None, rule: Any = None, strict: bool | None = None) -> Any:
        """The chain acc = fma(a[k], b[k], acc); see `sf.dot`."""
        return _linalg.dot(self, _other(b, self.dtype), out, over, rule, strict)

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """The largest value; no events."""
        return _linalg.select("max", self, axis, keepdims, out)

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """The smallest value; no events."""
        return _linalg.select("min", self, axis, keepdims, out)

    def argmax(self, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        """The index of the first largest value."""
        return _linalg.select("argmax", self, axis, keepdims, out)

    def argmin(self, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        """The index of the first smallest value."""
        return _linalg.select("argmin", self, axis, keepdims, out)

    def __matmul__(self, other: Any) -> Any:
        return _linalg.matmul(self, _other(other, self.dtype, "@"), None, None, None, None)

    def __rmatmul__(self, other: Any) -> Any:
        return _linalg.matmul(_other(other, self.dtype, "@"), self, None, None, None, None)

    # ---- elementwise ----

    def _operand(self, other: Any, symbol: str, reflected: bool = False) -> sfarray:
        """The other operand, the left one if reflected, as an array of this format."""
        if isinstance(other, (sfarray, sfscalar)) and other.dtype is not self.dtype:
            pair = (other.dtype, self.dtype) if reflected else (self.dtype, other.dtype)
            raise TypeError(mixed(pair[0], symbol, pair[1]))
        if isinstance(other, sfarray):
            return other
        if isinstance(other, (sfscalar, *NUMBERS)):
            return self._like(np.asarray(_coded(other, self.dtype), self.dtype.storage))
        raise TypeError(_foreign(other, symbol, self.dtype))

    def _binary(self, other: Any, operation: int, symbol: str, reflected: bool = False) -> Any:
        operand = self._operand(other, symbol, reflected)
        return operand._map(operation, self) if reflected else self._map(operation, operand)

    def _map(self, operation: int, other: sfarray | None, over: str | None = None) -> Any:
        x, y = self._codes, None if other is None else other._codes
        if x.ndim > RANK_MAX or (y is not None and y.ndim > RANK_MAX):  # one row, since shapes do not matter here
            x, y = (x, None) if y is None else np.broadcast_arrays(x, y)
            row = self._like(x.reshape(-1))._map(operation, None if y is None else self._like(y.reshape(-1)), over)
            return row.reshape(x.shape)
        codes, clamped = _native.map_codes(operation, x, y, self.dtype.bits, current.get().rule)
        result = _linalg.wrap(self, codes)
        if clamped:
            settle(self.dtype.__name__, NAMES[operation], clamped, codes.size, result, over)
        return result

    def _in_place(self, other: Any, operation: int, symbol: str) -> sfarray:
        result = self._map(operation, self._operand(other, symbol))
        if result.shape != self.shape:
            raise ValueError(f"an array of shape {self.shape} cannot hold the result, {result.shape}")
        self._codes[...] = result.codes
        return self

    def __add__(self, other: Any) -> Any:
        return self._binary(other, ADD, "+")

    def __radd__(self, other: Any) -> Any:
        return self._binary(other, ADD, "+", True)

    def __iadd__(self, other: Any) -> Any:
        return self._in_place(other, ADD, "+")

    def __sub__(self, other: Any) -> Any:
        return self._binary(other, SUBTRACT, "-")

    def __rsub__(self, other: Any) -> Any:
        return self._binary(other, SUBTRACT, "-", True)

    def __isub__(self, other: Any) -> Any:
        return self._in_place(other, SUBTRACT, "-")

    def __mul__(self, other: Any) -> Any:
        return self._binary(other, MULTIPLY, "*")

    def __rmul__(self, other: Any) -> Any:
        return self._binary(other, MULTIPLY, "*", True)

    def __imul__(self, other: Any) -> Any:
        return self._in_place(other, MULTIPLY, "*")

    def __neg__(self) -> Any:
        return self._map(NEGATIVE, None)

    def __pos__(self) -> sfarray:
        return self.copy()

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(f"{self.dtype} has + - * and no /; numpy.asarray(x) / y divides the values, * 0.5 halves")

    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __truediv__

    def __abs__(self) -> Any:
        return self._map(ABSOLUTE, None)

    def _compare(self, other: Any, how: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, sfarray) and other.dtype is self.dtype:
            return how(self._codes, other._codes)
        if isinstance(other, (sfarray, sfscalar)):
            return how(np.asarray(self), np.asarray(other))
        if isinstance(other, (np.ndarray, list, tuple, *NUMBERS)):
            return how(np.asarray(self), other)
        return NotImplemented

    def __eq__(self, other: object) -> Any:
        return self._compare(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._compare(other, operator.ne)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, operator.ge)

    __hash__ = None  # type: ignore[assignment]

    # ---- NumPy's protocols; copying and pickling ----

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from ._numpy import ufunc as apply

        return apply(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        from ._numpy import function as apply

        return apply(function, args, options)

    def __copy__(self) -> sfarray:
        return self.copy("K")

    def __deepcopy__(self, memo: Any) -> sfarray:
        return self.copy("K")

    def __reduce__(self) -> tuple[Any, ...]:
        codes = self._codes.astype(self._codes.dtype.newbyteorder("<"))
        return unpickle, (1, self.dtype.__name__, self.shape, codes.tobytes())


_new = object.__new__


def unpickle(version: int, name: str, shape: tuple[int, ...], codes: bytes) -> sfarray:
    """Makes a pickled array again. Version 1: little-endian codes in row-major order."""
    if version != 1:
        raise ValueError(f"a pickle of sfarray version {version}; this version of sf reads version 1")
    from ._create import from_codes

    stored = np.frombuffer(codes, FORMATS[name].storage.newbyteorder("<"))
    return from_codes(stored.reshape(shape), FORMATS[name])


def _check_dtype(dtype: Any, own: Any) -> None:
    if format_of(dtype) is not own:
        raise TypeError(f"dtype={format_of(dtype)} of {own}: a sum is in the width of the data; .astype(sf.{format_of(dtype)}) comes before it")


def _foreign(other: Any, symbol: str, dtype: Any) -> str:
    return f"{dtype} {symbol} {type(other).__name__}: make it an sfarray first, with sf.array(..., dtype=sf.{dtype})"


def _other(b: Any, dtype: Any, symbol: str = "dot") -> sfarray:
    if isinstance(b, sfarray):
        return b
    if isinstance(b, sfscalar):
        return sfarray._of(b.codes, b.dtype)
    raise TypeError(_foreign(b, symbol, dtype))


def _coded(value: Any, dtype: Any) -> Any:
    """The codes of a value that is put into an array of this format."""
    if isinstance(value, (sfarray, sfscalar)):
        if value.dtype is not dtype:
            raise TypeError(f"{value.dtype} into {dtype}: cast it first with .astype(sf.{dtype})")
        return value.codes
    from ._create import array

    return array(value, dtype=dtype).codes


def _corners(shape: tuple[int, ...], edge: int) -> tuple[Codes, ...]:
    """Indices of the elements that NumPy prints of a large array, and of one more on each long axis."""
    axes = [np.arange(n) if n <= 2 * edge else np.r_[0:edge + 1, n - edge:n] for n in shape]
    return np.ix_(*axes)


def _printed(x: sfarray, before: str, after: str) -> str:
    """The values to eight significant digits, laid out by NumPy; after is put on a line of its own where NumPy would do so."""
    options = np.get_printoptions()
    large = x.size > options["threshold"] and x.ndim > 0
    exact = np.asarray(x._codes[_corners(x.shape, options["edgeitems"])] if large else x._codes) / x.dtype.scale
    values = np.array([float(f"{value:.8g}") for value in exact.flat]).reshape(exact.shape)
    body = np.array2string(values, precision=17, floatmode="maxprec", separator=", " if before else " ", prefix=before,
                           suffix=")" if before else "", suppress_small=False, threshold=0 if large else values.size)
    if not before:
        return body
    if not x.size:
        body = "[]" if x.shape == (0,) else f"[], shape={x.shape}"
    last = len(before + body) - (body.rfind("\n") + 1)
    space = " " if last + len(after) + 3 <= options["linewidth"] else "\n" + " " * len(before)
    return f"{before}{body},{space}{after})"
