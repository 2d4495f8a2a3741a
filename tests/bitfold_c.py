# SPDX-License-Identifier: Apache-2.0
"""The library as the tests call it: a ctypes binding of the public header, elements as bit patterns or codes in NumPy arrays."""

import ctypes as c
import functools
import os
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATH = pathlib.Path(os.environ.get("BITFOLD_LIBRARY", ROOT / "build" / "libbitfold.so"))

STATUS = ("OK", "NULL", "CONTRACT", "SHAPE", "AXIS", "EMPTY", "VALUE", "CUT", "FULL", "BYTES", "MACHINE", "STOPPED")
FORMAT_NAMES = ("", "f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64") + tuple(f"sf{n}" for n in range(2, 17))
STORAGE = dict(zip(FORMAT_NAMES[1:9], (np.uint16, np.uint16, np.uint32, np.uint64, np.int8, np.int16, np.int32, np.int64)))
STORAGE.update({f"sf{n}": np.int8 if n <= 8 else np.int16 for n in range(2, 17)})
ELEMENTWISE = ("add", "subtract", "multiply", "negative", "absolute")
ENCODINGS = ("twos-complement", "sign-magnitude")
UNKNOWN = (1 << 64) - 1
CALLBACK = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_uint64, c.c_uint64)


class Message(c.Structure):
    _fields_ = [("text", c.c_char * 240)]


class Rule(c.Structure):
    _fields_ = [("name", c.c_char_p)] + [(n, c.c_int) for n in (
        "product", "minus_one_is_zero", "accumulator_bits", "overflow", "full_range", "sum_extra", "product_extra", "readout",
        "readout_full_range")]


class Level(c.Structure):
    _fields_ = [("order", c.c_int), ("fold", c.c_int), ("tail", c.c_int), ("size", c.c_uint64)]


class Contract(c.Structure):
    _fields_ = [(n, c.c_int) for n in ("operation", "element", "accumulator", "output", "nan")] + [
        ("rule", c.POINTER(Rule)), ("depth", c.c_uint), ("level", Level * 4), ("tree", c.c_void_p), ("tree_length", c.c_size_t),
        ("fma", c.c_int), ("ftz", c.c_int)]


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("format", c.c_int), ("swapped", c.c_int), ("rank", c.c_int), ("shape", c.c_int64 * 8),
                ("stride", c.c_int64 * 8)]


class Axes(c.Structure):
    _fields_ = [("count", c.c_int), ("axis", c.c_int * 8)]


class Engine(c.Structure):
    _fields_ = [("isa", c.c_char_p), ("threads", c.c_int), ("progress", CALLBACK), ("context", c.c_void_p)]


class Report(c.Structure):
    _fields_ = [(n, c.c_uint64) for n in ("outputs", "clamped", "nan", "overflowed")] + [
        ("contract", Contract), ("isa", c.c_char_p), ("threads", c.c_int), ("message", Message)]


class Partial(c.Structure):
    _fields_ = [("contract", Contract)] + [(n, c.c_uint64) for n in ("length", "first", "count")] + [
        ("infinite", c.c_int), ("state", c.c_int64 * 560)]


class Refused(Exception):
    """A status other than OK, with its name and the library's message."""

    def __init__(self, status, message=""):
        self.status = STATUS[status]
        self.message = message
        super().__init__(f"{self.status}: {message}")


def _load():
    if not PATH.exists():
        raise FileNotFoundError(f"{PATH} is missing: build the library, or set BITFOLD_LIBRARY")
    library = c.CDLL(str(PATH))
    for name in ("bitfold_version", "bitfold_status_text", "bitfold_format_name", "bitfold_operation_name", "bitfold_isa_at",
                 "bitfold_encoding_name"):
        getattr(library, name).restype = c.c_char_p
    for name in ("bitfold_format_size", "bitfold_contract_print"):
        getattr(library, name).restype = c.c_size_t
    for name in ("bitfold_rule_named", "bitfold_rule_at"):
        getattr(library, name).restype = c.POINTER(Rule)
    library.bitfold_isa_at.argtypes = library.bitfold_rule_at.argtypes = [c.c_size_t]
    return library


lib = _load()


def check(status, message=None):
    if status:
        raise Refused(status, message.text.decode() if message else "")


def pointer(array):
    return c.c_void_p(array.__array_interface__["data"][0])


def parse(text):
    """A Contract; the text it may borrow from stays alive with it."""
    contract, message, raw = Contract(), Message(), c.create_string_buffer(text.encode())
    check(lib.bitfold_contract_parse(raw, c.byref(contract), c.byref(message)), message)
    contract.keep = raw
    return contract


def text(contract):
    room = c.create_string_buffer(4096)
    length = lib.bitfold_contract_print(c.byref(contract), room, c.c_size_t(4096))
    assert length == len(room.value), "the printed length is not the text's"
    return room.value.decode()


def tensor(array, name):
    """A view of an array of patterns or codes with its own strides; '>' dtypes are swapped."""
    assert array.dtype.newbyteorder("=") == STORAGE[name], (array.dtype, name)
    t = Tensor(pointer(array), FORMAT_NAMES.index(name), 0 if array.dtype.isnative else 1, array.ndim)
    t.shape[: array.ndim] = array.shape
    t.stride[: array.ndim] = array.strides
    t.keep = array
    return t


def axis_set(axes):
    if axes is None:
        return None
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    a = Axes(len(axes))
    for i, axis in enumerate(axes[:8]):
        a.axis[i] = axis
    return a


def by(thing):
    return None if thing is None else c.byref(thing)


def reduce(contract, x, y=None, axes=None, keepdims=False, isa=None, out=None, progress=None, threads=0):
    """(outputs, Report) of bitfold_reduce on the machine `isa`, or else on every machine of this build that runs here, which must
    agree; x and y are arrays of patterns or codes. threads is the most threads."""
    contract = parse(contract) if isinstance(contract, str) else contract
    names = [isa] if isa else machines()
    assert names, "no machine"
    first = None
    for name in names:
        got, report = _reduce_on(name, contract, x, y, axes, keepdims, out, progress, threads)
        counts = (report.outputs, report.clamped, report.nan, report.overflowed)
        first = first or (got.tolist(), counts)
        assert first == (got.tolist(), counts), f"machines {names[0]} and {name} differ"
    return got, report


def _reduce_on(isa, contract, x, y, axes, keepdims, out, progress, threads):
    element, output = FORMAT_NAMES[contract.element], FORMAT_NAMES[contract.output]
    tx, ty, ax, shape = tensor(x, element), None if y is None else tensor(y, element), axis_set(axes), Tensor()
    message, report = Message(), Report()
    check(lib.bitfold_tensor_reduced(by(tx), by(ax), int(keepdims), contract.output, by(shape), by(message)), message)
    if out is None:
        out = np.zeros(tuple(shape.shape[: shape.rank]), STORAGE[output])
    to = tensor(out, output)
    engine = Engine(isa.encode(), threads, CALLBACK(progress) if progress else CALLBACK(), None)
    status = lib.bitfold_reduce(by(contract), by(tx), by(ty), by(ax), by(to), by(engine), by(report))
    check(status, report.message)
    assert report.isa.decode() == isa
    return out, report


def convert(source, target, array):
    """(converted array, clamp count) of bitfold_convert."""
    array = np.ascontiguousarray(array, STORAGE[source])
    out, clamped = np.zeros(array.size, STORAGE[target]), c.c_uint64(0)
    check(lib.bitfold_convert(FORMAT_NAMES.index(source), pointer(array), FORMAT_NAMES.index(target), pointer(out),
                              c.c_size_t(array.size), c.byref(clamped)))
    return out, clamped.value


def rule_pointer(rule):
    """A pointer to the library's rule of that name, or to a Rule of the caller's own."""
    rule = lib.bitfold_rule_named(rule.encode()) if isinstance(rule, str) else c.pointer(rule)
    assert rule, "no such rule"
    return rule


def sum_codes(rule, name, x, y=None):
    """(code, clamp event) of bitfold_sum_codes; rule is a name or a Rule."""
    rule = rule_pointer(rule)
    x = np.ascontiguousarray(x, STORAGE[name])
    y = None if y is None else np.ascontiguousarray(y, STORAGE[name])
    code, clamped = c.c_int16(0x5555), c.c_uint64(77)
    check(lib.bitfold_sum_codes(rule, FORMAT_NAMES.index(name), pointer(x), None if y is None else pointer(y), c.c_size_t(x.size),
                                c.byref(code), c.byref(clamped)))
    return code.value, clamped.value


def map_codes(operation, rule, name, x, y=None, out=None):
    """(codes, number of clamped elements) of bitfold_map_codes; out is a fresh contiguous array unless it is given."""
    out = np.zeros(x.shape, STORAGE[name]) if out is None else out
    tx, ty, to = tensor(x, name), None if y is None else tensor(y, name), tensor(out, name)
    clamped, message = c.c_uint64(77), Message()
    check(lib.bitfold_map_codes(ELEMENTWISE.index(operation), rule_pointer(rule), by(tx), by(ty), by(to), by(clamped), by(message)),
          message)
    return out, clamped.value


def trace_codes(rule, name, x, y=None):
    """(codes, number of read-outs that clamped) of bitfold_trace_codes."""
    x = np.ascontiguousarray(x, STORAGE[name])
    y = None if y is None else np.ascontiguousarray(y, STORAGE[name])
    code, clamped = np.zeros(x.size, np.int16), c.c_uint64(77)
    check(lib.bitfold_trace_codes(rule_pointer(rule), FORMAT_NAMES.index(name), pointer(x), None if y is None else pointer(y),
                                  c.c_size_t(x.size), pointer(code), by(clamped)))
    return code, clamped.value


def vanished_codes(rule, name, x, y, axes=None, keepdims=False, out=None):
    """The counts of bitfold_vanished_codes."""
    tx, ty, ax, shape, message = tensor(x, name), tensor(y, name), axis_set(axes), Tensor(), Message()
    check(lib.bitfold_tensor_reduced(by(tx), by(ax), int(keepdims), FORMAT_NAMES.index("i64"), by(shape), by(message)), message)
    out = np.full(tuple(shape.shape[: shape.rank]), 77, np.int64) if out is None else out
    to = tensor(out, "i64")
    check(lib.bitfold_vanished_codes(rule_pointer(rule), by(tx), by(ty), by(ax), by(to), by(message)), message)
    return out


def turn_words(function, encoding, name, array):
    """What bitfold_words_from_codes or bitfold_codes_from_words makes of an array."""
    array, out = np.ascontiguousarray(array), np.zeros(len(array), STORAGE[name])
    call = getattr(lib, f"bitfold_{function}")
    check(call(encoding, FORMAT_NAMES.index(name), pointer(array), pointer(out), c.c_size_t(out.size)))
    return out


@functools.cache
def machines():
    names = []
    while (name := lib.bitfold_isa_at(len(names))) is not None:
        names.append(name.decode())
    return names
