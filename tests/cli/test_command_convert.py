# SPDX-License-Identifier: Apache-2.0
"""convert: every format to every other, element by element against fractions, and its overflow."""

import json
import stat
from fractions import Fraction

import numpy
import pytest

from expected import FLOATS, float_bits, hexadecimal, named, nearest_integer, widened

INTEGERS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
SUPERFLOATS = {f"sf{width}": width for width in range(2, 17)}
FORMATS = [*FLOATS, *INTEGERS, *SUPERFLOATS]
HOSTILE = [0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, 0.999969482421875, -0.99999, 1 / 3, 126.5, -128.5, 127.5, 1e5, -1e10, 2.0**63, -(2.0**63), 1e300, 3e-8, 5e-324, 65520, numpy.inf, -numpy.inf]


def converted(value, name):
    """The stored bits as an integer, and whether they were clamped."""
    if name in FLOATS:
        if value in (numpy.inf, -numpy.inf):
            return float_bits(Fraction(2) ** 2000 * (1 if value > 0 else -1), name), False
        bits = float_bits(Fraction(value), name)
        return bits | ((1 << (FLOATS[name][3] - 1)) if value == 0 and numpy.signbit(float(value)) else 0), False
    width, unit = (INTEGERS[name], 1) if name in INTEGERS else (SUPERFLOATS[name], 2 ** (SUPERFLOATS[name] - 1))
    most = 2 ** (width - 1) - 1
    least = -most - (1 if name in INTEGERS else 0)
    if value in (numpy.inf, -numpy.inf):
        return (most if value > 0 else least), True
    code = nearest_integer(Fraction(value) * unit)
    return max(least, min(most, code)), not least <= code <= most


def width_of(name):
    return FLOATS[name][3] if name in FLOATS else INTEGERS.get(name) or (8 if SUPERFLOATS[name] <= 8 else 16)


def stored(array, name):
    """The integers in a result's file."""
    if name in SUPERFLOATS:
        assert array.dtype.names == (name,)
        array = array[name]
    assert array.dtype.kind == ("u" if name == "bf16" else "f" if name in FLOATS else "i")
    return array.view(f"u{array.itemsize}" if name in FLOATS else f"i{array.itemsize}")


@pytest.mark.parametrize("name", FORMATS)
def test_from_float64(command, name):
    values = numpy.array([*HOSTILE, *numpy.random.default_rng(1).normal(size=40)])
    command.save("x.npy", values)
    wanted = [converted(float(value), name) for value in values]
    clamped = sum(event for _, event in wanted)
    got = json.loads(command.run("convert", "x.npy", "--as", name, "--over", "ignore", "--json"))
    assert got["bits"] == [hexadecimal(bits, width_of(name)) for bits, _ in wanted]
    assert got["events"] == {"overflow": clamped, "outputs": len(values)}
    assert (got["operation"], got["format"], got["shape"]) == ("convert", name, [len(values)])
    assert set(got) == {"operation", "format", "shape", "bits", "values", "events"} | (set() if name in FLOATS else {"codes"})
    assert command.run("convert", "x.npy", "--as", name, "--over", "ignore", "-o", "out.npy") == ""
    assert stored(command.load("out.npy"), name).tolist() == [bits for bits, _ in wanted]
    if clamped:
        line = f"x.npy: {name} array: overflow in {clamped} of {len(values)} element(s)"
        command.refuses("convert", "x.npy", "--as", name, "-o", "new.npy", code=1, says=line)
        out, said = command.run("convert", "x.npy", "--as", name, "--over", "warn", "-o", "new.npy", error=True)
        assert (out, said) == ("", f"bitfold: {line}\n")
        assert (command.folder / "new.npy").read_bytes() == (command.folder / "out.npy").read_bytes()


@pytest.mark.parametrize("width", range(2, 17))
def test_from_every_sf_to_every_other(command, width):
    low = -(2 ** (width - 1))
    codes = sorted({low, low + 1, -1, 0, 1, -low - 1, *(low // 2 + i for i in range(-1, 2) if low < low // 2 + i < -low)})
    command.save("x.npy", named(codes, width))
    for name in [*SUPERFLOATS, "f16", "bf16", "f32", "f64", "i8", "i64"]:
        wanted = [converted(Fraction(code, -low), name) for code in codes]
        if name == f"sf{width}":
            wanted[0] = (low + 1, True)  # -1.0 is no value of its own format
        got = json.loads(command.run("convert", "x.npy", "--as", name, "--over", "ignore", "--json"))
        assert got["bits"] == [hexadecimal(bits, width_of(name)) for bits, _ in wanted], name
        assert got["events"]["overflow"] == sum(event for _, event in wanted), name


def test_there_and_back(command):
    command.save("x.npy", named([[-32767, 3], [0, 32767]], 16))
    command.run("convert", "x.npy", "--as", "f32", "-o", "f.npy")
    assert command.load("f.npy").tolist() == [[-32767 / 32768, 3 / 32768], [0, 32767 / 32768]]
    command.run("convert", "f.npy", "--as", "sf16", "-o", "back.npy")
    assert command.load("back.npy").tolist() == command.load("x.npy").tolist()
    command.run("convert", "back.npy", "--as", "bf16", "-o", "words.npy")
    assert widened(command.load("words.npy")).tolist() == [[-1, 3 / 32768], [0, 1]]
    assert command.run("convert", "words.npy", "--as", "bf16", "--codes") == "[[      -1 9.16e-05]\n [       0        1]]\n"


def test_codes_become_a_file_that_says_so(command):
    codes = numpy.array([[5, -7], [32767, 0]], ">i2")
    command.save("x.npy", codes)
    command.run("convert", "x.npy", "--as", "sf16", "-o", "x.npy")
    assert command.load("x.npy").dtype == [("sf16", "<i2")]
    assert (command.load("x.npy")["sf16"] == codes).all()
    assert "x.npy: sf16 (2, 2), C order, little-endian" in command.run("info", "x.npy")


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("to", ["f8", "f4", "i2"])
def test_layouts_come_out_row_major(command, order, to):
    x = numpy.arange(24).reshape(2, 3, 4).astype(f"{order}f4")
    name = {"f8": "f64", "f4": "f32", "i2": "i16"}[to]
    for layout in [x, numpy.asfortranarray(x), numpy.asfortranarray(x[0, 0]), x[:, :0]]:
        command.save("x.npy", layout)
        command.run("convert", "x.npy", "--as", name, "-o", "out.npy")
        got = command.load("out.npy")
        assert got.dtype == to and got.flags.c_contiguous and got.shape == layout.shape and (got == layout).all()
        values = json.loads(command.run("convert", "x.npy", "--as", name, "--json"))["values"]
        assert values == layout.ravel().tolist()
    command.save("x.npy", numpy.array(7, f"{order}f4"))
    assert command.run("convert", "x.npy", "--as", name) == "7\n"


def test_more_elements_than_a_chunk(command):
    x = numpy.random.default_rng(2).normal(size=(1000, 600)).astype("f4") / 4
    command.save("x.npy", numpy.asfortranarray(x))
    command.run("convert", "x.npy", "--as", "sf8", "--over", "ignore", "-o", "out.npy")
    wanted = numpy.clip(numpy.rint(x.astype("f8") * 128), -127, 127)
    assert (command.load("out.npy")["sf8"] == wanted).all()
    content = (command.folder / "x.npy").read_bytes()
    assert command.run("convert", "-", "--as", "sf8", "--over", "ignore", "-o", "pipe.npy", stdin=content) == ""
    assert (command.folder / "pipe.npy").read_bytes() == (command.folder / "out.npy").read_bytes()


def test_a_nan_of_any_bits_becomes_the_one(command):
    command.save("x.npy", numpy.array([0x7FC12345, 0xFF800001], "u4").view("f4"))
    assert command.bits("convert", "x.npy", "--as", "f32") == ["7fc00000", "7fc00000"]


def test_printing_and_standard_output(command):
    command.save("x.npy", numpy.array([0.5, -0.25], "f4"))
    assert command.run("convert", "x.npy", "--as", "sf8") == "[  0.5 -0.25]\n"
    assert command.bits("convert", "x.npy", "--as", "sf8", "-o", "out.npy") == ["40", "e0"]
    process = command.start("convert", "x.npy", "--as", "sf8", "-o", "-")
    assert process.communicate()[0] == (command.folder / "out.npy").read_bytes()
    command.save("one.npy", numpy.float32(0.5))
    assert command.run("convert", "one.npy", "--as", "sf8") == "sf8(0.5)\n"
    (command.folder / "out.npy").chmod(0o640)
    command.run("convert", "x.npy", "--as", "f64", "-o", "out.npy")
    assert stat.S_IMODE((command.folder / "out.npy").stat().st_mode) == 0o640


REFUSED = {
    "no format": (["x.npy"], "convert needs --as, which says what the elements become"),
    "no file": (["--as", "f32"], "convert takes one file; 0 given"),
    "two files": (["x.npy", "x.npy", "--as", "f32"], "convert takes one file; 2 given"),
    "a NaN": (["nan.npy", "--as", "sf8"], "nan.npy: NaN at [1, 0], which sf8 cannot hold"),
    "a stray code": (["stray.npy", "--as", "f32"], "stray.npy: code 300 at [1], which sf9 does not have"),
    "a stray code as it is": (["stray.npy", "--as", "sf9"], "stray.npy: code 300 at [1], which sf9 does not have"),
    "stray integers": (["i.npy", "--as", "sf9"], "i.npy: code -257 at [0], which sf9 does not have"),
    "integers of another width": (["i.npy", "--as", "sf8"], "i.npy: holds int16; sf8 codes are int8"),
    "an order": (["x.npy", "--as", "sf8", "--order", "sf"], "convert takes no --order; its options are --as, --codes, --over, --output, --json, --bits, --help"),
    "codes of floats": (["x.npy", "--as", "f32", "--codes"], "--codes goes with --as sf2 ... sf16, bf16 or f16; f32 needs none"),
    "--json and --bits": (["x.npy", "--as", "f32", "--json", "--bits"], "--json and --bits are both given"),
    "a missing file": (["no.npy", "--as", "f32"], "no.npy: No such file or directory"),
    "a folder for the result": (["x.npy", "--as", "f32", "-o", "."], ".: a directory; -o names the file to write"),
}


@pytest.mark.parametrize("arguments, says", REFUSED.values(), ids=REFUSED)
def test_what_is_refused(command, arguments, says):
    command.save("x.npy", numpy.zeros(2, "f4"))
    command.save("nan.npy", numpy.asfortranarray(numpy.array([[1, 2], [numpy.nan, 4]], "f4")))
    command.save("stray.npy", named([255, 300], 9))
    command.save("i.npy", numpy.array([-257, -1], "i2"))
    command.refuses("convert", *arguments, says=says)
