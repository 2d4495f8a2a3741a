# SPDX-License-Identifier: Apache-2.0
"""The formats sf2 to sf16, which are also the types of their scalars, as numpy.float32 is."""

from __future__ import annotations

import operator
from array import array as _row
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from bitfold import _native

from ._events import SFOverflowError, settle
from ._settings import current

if TYPE_CHECKING:
    from ._array import sfarray

ADD, SUBTRACT, MULTIPLY, NEGATIVE, ABSOLUTE = range(5)
NAMES = ("add", "subtract", "multiply", "negative", "absolute")


class Format(type):
    """The type of sf2 to sf16.

    Attributes
    ----------
    name : str
        "sf16".
    bits : int
        N.
    storage : numpy.dtype
        What a code is stored in: int8 up to sf8, int16 above.
    max_code : int
        2^(N-1) - 1, the largest code; the smallest is its negative.
    scale : int
        2^(N-1): a value is a code over it.
    resolution : float
        2^-(N-1), the distance of neighbouring values.
    """

    bits: int
    storage: np.dtype[Any]
    letter: str  # of the storage, as the module array has it

    @property
    def name(cls) -> str:
        return cls.__name__

    @property
    def itemsize(cls) -> int:
        return cls.storage.itemsize

    @property
    def max_code(cls) -> int:
        return (1 << cls.bits - 1) - 1

    @property
    def scale(cls) -> int:
        return 1 << cls.bits - 1

    @property
    def resolution(cls) -> float:
        return 1.0 / cls.scale

    @property
    def max(cls) -> Any:
        """The largest value, 1 - 2^-(N-1)."""
        return cls.from_code(cls.max_code)

    @property
    def min(cls) -> Any:
        """The smallest value, -max: the format is symmetric."""
        return cls.from_code(-cls.max_code)

    def from_code(cls, code: int) -> Any:
        """The scalar of a code, -2^(N-1) to 2^(N-1)-1."""
        code = operator.index(code)
        if not -cls.scale <= code < cls.scale:
            raise ValueError(f"code {code} is beyond {cls.name}; its codes are {-cls.max_code} to {cls.max_code}")
        return made(cls, code)

    def __repr__(cls) -> str:
        return cls.__name__

    def __reduce__(cls) -> str:
        return cls.__name__

    def __dir__(cls) -> list[str]:
        return ["bits", "from_code", "itemsize", "max", "max_code", "min", "name", "resolution", "scale", "storage"]


def made(dtype: Any, code: int) -> Any:
    """The scalar of a code that is known to be one."""
    scalar = _new(dtype)
    scalar._code = code
    return scalar


class sfscalar(metaclass=Format):
    """One SuperFloat value. ``sf.sf16(0.5)`` rounds a number to nearest, ties to even, and clamps as `sf.array` does.

    Scalars are compared and hashed as the numbers that they equal; + - * give scalars of the same format, by the rule in use.
    """

    __slots__ = ("_code",)
    _code: int

    def __new__(cls, value: Any = 0, *, over: str | None = None) -> Any:
        if cls is sfscalar:
            raise TypeError("sfscalar is the base of sf2 to sf16; call one of these")
        if type(value) is cls:
            return value
        from ._create import array

        try:
            converted = array(value, dtype=cls, over=over)
        except SFOverflowError as overflow:
            overflow.result = overflow.result[()]
            raise
        if converted.ndim:
            raise TypeError(f"{cls.__name__} takes one number; sf.array takes {converted.ndim}-dimensional data")
        return converted[()]

    @property
    def code(self) -> int:
        """The value is code / 2^(N-1)."""
        return self._code

    @property
    def dtype(self) -> Any:
        """The format: ``type(x)``."""
        return type(self)

    @property
    def codes(self) -> np.ndarray[Any, Any]:
        """The code as a 0-dimensional integer array."""
        return np.array(self._code, type(self).storage)

    @property
    def shape(self) -> tuple[()]:
        return ()

    @property
    def ndim(self) -> int:
        return 0

    @property
    def size(self) -> int:
        return 1

    def item(self) -> float:
        """The value as a Python float, exactly."""
        return self._code / type(self).scale

    def astype(self, dtype: Any, *, over: str | None = None) -> Any:
        """The value in another format, or in NumPy's."""
        from ._array import sfarray

        return sfarray._of(self.codes, type(self)).astype(dtype, over=over)[()]

    def __float__(self) -> float:
        return self._code / type(self).scale

    def __int__(self) -> int:
        return int(float(self))

    def __bool__(self) -> bool:
        return self._code != 0

    def as_integer_ratio(self) -> tuple[int, int]:
        """The value as a fraction in lowest terms, as float.as_integer_ratio."""
        return float(self).as_integer_ratio()

    def __hash__(self) -> int:
        return hash(float(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({float(self)!r})"

    def __str__(self) -> str:
        return repr(float(self))

    def __format__(self, spec: str) -> str:
        return format(float(self), spec)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("the values of SuperFloat codes are made, so copy=False cannot be had; .codes is a view")
        return np.array(float(self), dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from ._numpy import ufunc as apply

        return apply(ufunc, method, inputs, options)

    def __reduce__(self) -> tuple[Any, ...]:
        return unpickle_scalar, (type(self).__name__, self._code)

    def __dir__(self) -> list[str]:
        return ["as_integer_ratio", "astype", "code", "codes", "dtype", "item", "ndim", "shape", "size"]

    def _operand(self, other: Any, symbol: str) -> Any:
        """The other operand in this format, or NotImplemented."""
        if isinstance(other, sfscalar):
            raise TypeError(mixed(type(self), symbol, type(other)))
        if isinstance(other, (bool, int, float, np.number, np.bool_)):
            return type(self)(other)
        return NotImplemented

    def _binary(self, other: Any, operation: int, symbol: str, reflected: bool = False) -> Any:
        if type(other) is not type(self):
            other = self._operand(other, symbol)
            if other is NotImplemented:
                return NotImplemented
        x, y = (other, self) if reflected else (self, other)
        return x._map(operation, y)

    def _map(self, operation: int, other: Any) -> Any:
        cls = type(self)
        y = None if other is None else _row(cls.letter, (other._code,))
        codes, clamped = _native.map_codes(operation, _row(cls.letter, (self._code,)), y, cls.bits, current.get().rule)
        result = made(cls, int(codes[0]))
        if clamped:
            settle(cls.__name__, NAMES[operation], 1, 1, result, None)
        return result

    def __add__(self, other: Any) -> Any:
        return self._binary(other, ADD, "+")

    def __radd__(self, other: Any) -> Any:
        return self._binary(other, ADD, "+", True)

    def __sub__(self, other: Any) -> Any:
        return self._binary(other, SUBTRACT, "-")

    def __rsub__(self, other: Any) -> Any:
        return self._binary(other, SUBTRACT, "-", True)

    def __mul__(self, other: Any) -> Any:
        return self._binary(other, MULTIPLY, "*")

    def __rmul__(self, other: Any) -> Any:
        return self._binary(other, MULTIPLY, "*", True)

    def __neg__(self) -> Any:
        return self._map(NEGATIVE, None)

    def __pos__(self) -> Any:
        return self

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(f"{type(self).__name__} has + - * and no /; float(x) / y divides the values, * 0.5 halves")

    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __truediv__

    def __abs__(self) -> Any:
        return self._map(ABSOLUTE, None)

    def _compare(self, other: Any, how: Callable[[Any, Any], bool]) -> Any:
        if isinstance(other, (sfscalar, bool, int, float, np.number, np.bool_)):
            return bool(how(float(self), float(other) if isinstance(other, sfscalar) else other))
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


_new = object.__new__


def mixed(left: Any, symbol: str, right: Any) -> str:
    """The message for operands of two formats; it names the cast to write (S28)."""
    wide, narrow = (left, right) if left.bits > right.bits else (right, left)
    operand = "the right" if narrow is right else "the left"
    return f"{left.__name__} {symbol} {right.__name__}: cast one operand first, for instance {operand} one with .astype(sf.{wide.__name__})"


def _make(bits: int) -> Any:
    storage = np.dtype(np.int8 if bits <= 8 else np.int16)
    text = f"""{bits}-bit SuperFloat: the multiples of 2^-{bits - 1} from -(1 - 2^-{bits - 1}) to 1 - 2^-{bits - 1}. There is no 1.0."""
    body = {"__slots__": (), "__doc__": text, "__module__": "sf", "bits": bits, "storage": storage, "letter": "b" if bits <= 8 else "h"}
    return Format(f"sf{bits}", (sfscalar,), body)


FORMATS: dict[str, Any] = {f"sf{bits}": _make(bits) for bits in range(2, 17)}


def format_of(dtype: Any) -> Any:
    """The format that a dtype argument names: a format, or its name."""
    if isinstance(dtype, Format) and dtype is not sfscalar:
        return dtype
    if isinstance(dtype, str) and dtype in FORMATS:
        return FORMATS[dtype]
    raise TypeError(f"dtype={dtype!r} is no SuperFloat format; sf.sf2 to sf.sf16 are")


def unpickle_scalar(name: str, code: int) -> Any:
    """Makes a pickled scalar again."""
    return made(FORMATS[name], code)
