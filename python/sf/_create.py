# SPDX-License-Identifier: Apache-2.0
"""How SuperFloat arrays are made: from numbers, from codes, from bytes, from files."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from bitfold import _native
from bitfold._arrays import format_and_words

from ._array import Codes, sfarray
from ._events import settle
from ._scalars import FORMATS, format_of, sfscalar
from ._settings import check_policy


def _default(value: Any, dtype: Any) -> Any:
    if dtype is not None:
        return format_of(dtype)
    return value.dtype if isinstance(value, (sfarray, sfscalar)) else FORMATS["sf16"]


def _numbers(value: Any) -> Codes:
    """The numbers of anything NumPy reads, in a format that the library converts from; nothing is rounded on the way."""
    given = np.asarray(value)
    if given.dtype.kind == "u" and given.dtype.itemsize == 8:
        small: Codes = np.minimum(given, np.uint64(2)).astype(np.int8)  # 2 is as far beyond the formats as 2^64
        return small
    return np.asarray(_plain(value if isinstance(value, (list, tuple)) else given.tolist())) if given.dtype.kind == "O" else given


def _plain(value: Any) -> Any:
    """Nested lists with SuperFloat values as floats, and integers beyond 64 bits as 2 or -2, which are as far beyond the formats."""
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, int):
        return max(-2, min(2, value))
    return np.asarray(value) if isinstance(value, sfarray) else float(value) if isinstance(value, sfscalar) else value


def array(value: Any, dtype: Any = None, *, over: str | None = None) -> sfarray:
    """An sfarray of numbers: anything that numpy.asarray reads, or an sfarray, which is copied or cast.

    Each number is rounded once to the nearest value, ties to even, and clamped to the format's edges; a clamp is an event of the operation
    ``array`` (S42). NaN is a ValueError whatever ``over`` is; infinities count as overflow (S43).

    >>> import sf
    >>> sf.array([0.1, -0.25, 0.5], dtype=sf.sf16)
    sfarray([ 0.1000061, -0.25     ,  0.5      ], dtype=sf16)
    """
    target = _default(value, dtype)
    if over is not None:
        check_policy(over)
    if isinstance(value, sfscalar):
        value = sfarray._of(value.codes, value.dtype)
    if isinstance(value, sfarray):
        cast: sfarray = value.astype(target, over=over)
        return cast
    given = _numbers(value)
    if given.dtype.kind == "c":
        raise TypeError("complex numbers have no SuperFloat; take .real or .imag")
    source, words = format_and_words(given)
    row = np.require(words, words.dtype.newbyteorder("="), ["C", "A"]).reshape(-1)
    try:
        codes, clamped = _native.convert(row, source, target.__name__)
    except ValueError:  # the one that a contiguous row can have
        raise ValueError(_nan_message(given, target)) from None
    result = sfarray._of(codes.reshape(given.shape), target)
    settle(target.__name__, "array", clamped, result.size, result, over)
    return result


def _nan_message(given: Codes, target: Any) -> str:
    where = np.argwhere(np.isnan(given.astype(np.float64)))
    place = f" at {tuple(map(int, where[0]))}" if len(where) and given.ndim else ""
    return f"NaN{place}: {target} has no NaN; numpy.nan_to_num replaces it"


def asarray(value: Any, dtype: Any = None, *, over: str | None = None) -> sfarray:
    """As `array`, but an sfarray of the format is returned as it is."""
    if isinstance(value, sfarray) and (dtype is None or format_of(dtype) is value.dtype):
        return value
    return array(value, dtype, over=over)


def zeros(shape: Any, dtype: Any = "sf16") -> sfarray:
    """An array of zeros."""
    dtype = format_of(dtype)
    return sfarray._of(np.zeros(shape, dtype.storage), dtype)


def ones(shape: Any, dtype: Any = "sf16") -> sfarray:
    """An array of the largest value, 1 - 2^-(N-1), which is the nearest to 1.0; no event, for that is what the name stands for here."""
    dtype = format_of(dtype)
    return sfarray._of(np.full(shape, dtype.max_code, dtype.storage), dtype)


def full(shape: Any, value: Any, dtype: Any = None, *, over: str | None = None) -> sfarray:
    """An array of one value, which is converted as `array` does."""
    one = array(value, _default(value, dtype), over=over)
    return sfarray._of(np.full(shape, one.codes), one.dtype)


def zeros_like(x: Any, dtype: Any = None) -> sfarray:
    """Zeros in the shape of x."""
    return zeros(np.shape(x), _default(x, dtype))


def ones_like(x: Any, dtype: Any = None) -> sfarray:
    """The largest value in the shape of x; see `ones`."""
    return ones(np.shape(x), _default(x, dtype))


def full_like(x: Any, value: Any, dtype: Any = None, *, over: str | None = None) -> sfarray:
    """One value in the shape of x."""
    return full(np.shape(x), value, _default(x, dtype), over=over)


def arange(start: float, stop: float | None = None, step: float = 1.0, dtype: Any = "sf16", *, over: str | None = None) -> sfarray:
    """The values of numpy.arange, computed in float64 and converted as `array` does.

    >>> import sf
    >>> sf.arange(-0.5, 0.5, 0.25, dtype=sf.sf8)
    sfarray([-0.5 , -0.25,  0.  ,  0.25], dtype=sf8)
    """
    start, stop = (0.0, start) if stop is None else (start, stop)
    return array(np.arange(float(start), float(stop), float(step)), format_of(dtype), over=over)


def linspace(start: float, stop: float, num: int = 50, *, endpoint: bool = True, dtype: Any = "sf16", over: str | None = None) -> sfarray:
    """The values of numpy.linspace, computed in float64 and converted as `array` does."""
    return array(np.linspace(float(start), float(stop), num, endpoint), format_of(dtype), over=over)


def _checked(codes: Codes, dtype: Any) -> None:
    """Refuses codes beyond the format. -2^(N-1), which some rules return, is one that is stored as it is and reads as -1.0."""
    if not codes.size or (codes.dtype == dtype.storage and dtype.bits == 8 * dtype.itemsize):
        return
    least, most = int(codes.min()), int(codes.max())
    if least < -dtype.scale or most > dtype.max_code:
        wrong = least if least < -dtype.scale else most
        raise ValueError(f"code {wrong} is beyond {dtype}; its codes are {-dtype.max_code} to {dtype.max_code}, and {-dtype.scale} for -1.0")


def from_codes(codes: Any, dtype: Any = "sf16", *, copy: bool = True) -> sfarray:
    """An sfarray of integer codes: k means k / 2^(N-1).

    Codes are -(2^(N-1) - 1) to 2^(N-1) - 1; -2^(N-1), which some rules return, is stored as it is and reads as -1.0. Others are a ValueError.
    With ``copy=False`` an integer ndarray of the format's storage type is used as it is, and shares its memory.

    >>> import sf
    >>> sf.from_codes([16384, -8192], dtype=sf.sf16)
    sfarray([ 0.5 , -0.25], dtype=sf16)
    """
    dtype = format_of(dtype)
    given = np.asarray(codes)
    if given.dtype.kind not in "iu" and given.size:
        raise TypeError(f"codes are integers, not {given.dtype}; sf.array converts values")
    _checked(given, dtype)
    return sfarray._of(given.astype(dtype.storage, copy=copy), dtype)


def from_words(words: Any, dtype: Any = "sf16", encoding: str = "twos-complement") -> sfarray:
    """An sfarray of a device's words, unsigned N-bit patterns, in an encoding by name: "twos-complement" or "sign-magnitude".

    Negative zero, 0x8000 for sf16, reads as 0 (S38).
    """
    from ._words import to_codes

    dtype = format_of(dtype)
    return sfarray._of(to_codes(encoding, words, dtype), dtype)


def unpack(data: Any, shape: Any) -> sfarray:
    """The sf4 array of a shape whose codes are packed two a byte, as `sfarray.pack` writes them. A nibble of -8 is a ValueError."""
    shape = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(map(int, shape))
    codes = _native.unpack_sf4(data, math.prod(shape))
    return sfarray._of(codes.reshape(shape), FORMATS["sf4"])


def frombuffer(buffer: Any, dtype: Any = "sf16", count: int = -1, offset: int = 0) -> sfarray:
    """An sfarray over codes in memory, in this machine's byte order, without a copy; as numpy.frombuffer."""
    dtype = format_of(dtype)
    codes = np.frombuffer(buffer, dtype.storage, count, offset)
    _checked(codes, dtype)
    return sfarray._of(codes, dtype)


def save(file: Any, x: Any) -> None:
    """Writes an sfarray as a .npy file that says its format: one field, named for the format, that holds the codes.

    `load` reads it, so does the command (``bitfold sum x.npy``), and ``numpy.load(file)["sf16"]`` gives the codes. A name without .npy gets it.
    A file is written whole or not at all.
    """
    x = asarray(x)
    fields = np.ascontiguousarray(x.codes).view([(x.dtype.__name__, x.dtype.storage)]).reshape(x.shape)
    if not isinstance(file, (str, os.PathLike)):
        np.save(file, fields, allow_pickle=False)
        return
    path = os.fspath(file)
    path = path if path.endswith(".npy") else path + ".npy"
    partial = f"{path}.{os.getpid()}.part"
    try:
        with open(partial, "wb") as stream:
            np.save(stream, fields, allow_pickle=False)
        os.replace(partial, path)
    except BaseException:
        if os.path.exists(partial):
            os.unlink(partial)
        raise


def load(file: Any, dtype: Any = None, *, mmap_mode: Any = None) -> sfarray:
    """Reads what `save` wrote, or a .npy file of plain integer codes, for which dtype must say the format."""
    try:
        read = np.load(file, mmap_mode=mmap_mode, allow_pickle=False)
    except (ValueError, EOFError) as wrong:
        raise ValueError(f"{file}: is no .npy file that can be read: {str(wrong).splitlines()[0]}") from None
    if not isinstance(read, np.ndarray):
        read.close()
        raise TypeError(f"{file}: holds several arrays; sf.load reads the .npy file of one")
    try:
        return _loaded(file, read, dtype, mmap_mode)
    except ValueError as wrong:
        raise ValueError(f"{file}: {wrong}") from None


def _loaded(file: Any, read: Any, dtype: Any, mmap_mode: Any) -> sfarray:
    names = read.dtype.names
    if names is not None and len(names) == 1 and names[0] in FORMATS and read.dtype[0].newbyteorder("=") == FORMATS[names[0]].storage:
        saved = from_codes(read[names[0]], FORMATS[names[0]], copy=mmap_mode is None)
        return saved if dtype is None else asarray(saved, dtype)
    if names is not None or read.dtype.kind not in "iu":
        raise TypeError(f"{file}: holds {read.dtype}; sf.load reads codes that sf.save or numpy.save wrote, sf.array(numpy.load(...)) converts values")
    if dtype is None:
        raise TypeError(f"{file}: holds {read.dtype}, which does not say the format of its codes; dtype= does")
    return from_codes(read, dtype, copy=mmap_mode is None)
