# SPDX-License-Identifier: Apache-2.0
"""Files of SuperFloat that say so, a structured dtype of one field named by the format, and integers that are taken for codes."""

import io
import json
import struct

import numpy
import pytest

from expected import clamped_sum, named, nearest_integer


def header(descr, shape="(3,)"):
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


@pytest.mark.parametrize("width", range(2, 17))
def test_every_width_in_every_layout(command, width):
    generator = numpy.random.default_rng(width)
    most = 2 ** (width - 1) - 1
    codes = generator.integers(-most, most + 1, (4, 5))
    for order in "<>":
        for array in [named(codes, width, order), numpy.asfortranarray(named(codes, width, order))]:
            command.save("x.npy", array)
            got = json.loads(command.run("sum", "x.npy", "--axis", "1", "--over", "ignore", "--json"))
            wanted = [clamped_sum(row, width) for row in codes]
            assert got["codes"] == [code for code, _ in wanted]
            assert got["events"]["overflow"] == sum(event for _, event in wanted)
            assert got["contract"] == f"sum:sf{width}:sf"
            assert json.loads(command.run("sum", "x.npy", "--as", f"sf{width}", "--axis", "1", "--over", "ignore", "--json")) == got
            assert json.loads(command.run("sum", "x.npy", "--as", f"sf{width}", "--codes", "--axis", "1", "--over", "ignore", "--json")) == got
    storage = "little-endian" if width <= 8 else "big-endian"  # bytes have no order, so the machine's is told
    size = 20 * (1 if width <= 8 else 2) + 128
    assert command.run("info", "x.npy") == f"x.npy: sf{width} (4, 5), Fortran order, {storage}, {size} bytes (128 of header), is sf{width}\n"


@pytest.mark.parametrize("width", [2, 4, 8, 9, 16])
def test_results_are_written_so_and_read_back(command, width):
    codes = numpy.array([[1, 0], [1, -1]])
    command.save("x.npy", named(codes, width))
    command.run("sum", "x.npy", "--axis", "1", "-o", "out.npy")
    assert command.load("out.npy").dtype == [(f"sf{width}", "i1" if width <= 8 else "<i2")]
    assert command.load("out.npy").tolist() == [(1,), (0,)]
    assert json.loads(command.run("max", "out.npy", "--json"))["codes"] == [1]
    process = command.start("sum", "x.npy", "--axis", "0", "--over", "ignore", "-o", "-")
    assert command.run("min", "-", stdin=process.communicate()[0]) == command.run("min", "x.npy")


def test_another_format_is_a_conversion(command):
    command.save("x.npy", named([16384, -16256, 32767], 16))
    assert json.loads(command.run("max", "x.npy", "--as", "sf8", "--axis", "0", "--over", "ignore", "--json"))["codes"] == [127]
    wanted = [nearest_integer(code / 256) for code in (16384, -16256)]
    command.save("y.npy", named([[16384, -16256]], 16))
    assert json.loads(command.run("max", "y.npy", "--as", "sf8", "--axis", "0", "--json"))["codes"] == wanted
    command.refuses("max", "x.npy", "--as", "sf8", code=1, says="x.npy: sf8 array: overflow in 1 of 3 element(s)")
    assert command.run("sum", "y.npy", "--as", "f32") == f"{128 / 32768}\n"
    assert command.run("dot", "y.npy", "y.npy", "--as", "f64") == f"{(16384**2 + 16256**2) / 2**30}\n"


READ = {
    "as NumPy writes it": "[('sf16', '<i2')]",
    "without spaces": "[('sf16','<i2')]",
    "with spaces": " [ ( 'sf16' , '<i2' ) ] ",
    "with commas": "[('sf16', '<i2',),]",
    "in double quotes": '[("sf16", "<i2")]',
    "without a byte order": "[('sf16', 'i2')]",
    "by the dtype's name": "[('sf16', 'int16')]",
}


@pytest.mark.parametrize("descr", READ.values(), ids=READ)
def test_headers(command, descr):
    content = header(descr) + struct.pack("<3h", 5, -3, 100)
    if descr != READ["with commas"]:
        assert numpy.load(io.BytesIO(content))["sf16"].tolist() == [5, -3, 100]
    command.write("x.npy", content)
    assert json.loads(command.run("sum", "x.npy", "--json"))["codes"] == [102]


OTHERS = {
    "a format of floats": "[('f32', '<f4')]",
    "no width": "[('sf', '<i2')]",
    "a width too many": "[('sf17', '<i2')]",
    "a name that begins so": "[('sf16x', '<i2')]",
    "a longer name": "[('sf16" + 40 * "6" + "', '<i2')]",
    "codes too wide": "[('sf8', '<i2')]",
    "codes too narrow": "[('sf16', '|i1')]",
    "unsigned codes": "[('sf8', '|u1')]",
    "words": "[('sf16', '<u2')]",
    "floats": "[('sf16', '<f2')]",
    "bool": "[('sf8', '|b1')]",
    "two fields": "[('sf16', '<i2'), ('sf15', '<i2')]",
    "a field and padding": "[('sf16', '<i2'), ('', '|V2')]",
    "a field of a shape": "[('sf16', '<i2', (2,))]",
    "a title": "[(('title', 'sf16'), '<i2')]",
    "a field inside": "[('sf16', [('sf16', '<i2')])]",
    "no field": "[]",
    "an escape": "[('sf1\\x36', '<i2')]",
}


@pytest.mark.parametrize("descr", OTHERS.values(), ids=OTHERS)
def test_other_structured_types_are_refused(command, descr):
    command.write("x.npy", header(descr) + bytes(24))
    command.refuses("sum", "x.npy", says="x.npy: holds a structured type; float16, ")
    command.refuses("sum", "x.npy", "--as", "sf16", says="x.npy: holds a structured type; float16, ")
    command.refuses("sum", "x.npy", "--as", "sf16", "--codes", says="x.npy: holds a structured type; sf16 codes are int16")
    assert command.run("info", "x.npy").endswith("not accepted\n")


@pytest.mark.parametrize("width", range(2, 17))
def test_integers_of_the_right_width_are_codes(command, width):
    dtype = "i1" if width <= 8 else "i2"
    most = 2 ** (width - 1) - 1
    codes = numpy.random.default_rng(width).integers(-most, most + 1, 30).astype(f">{dtype}")
    command.save("x.npy", codes)
    wanted, event = clamped_sum(codes, width)
    for options in [[], ["--codes"]]:
        got = json.loads(command.run("sum", "x.npy", "--as", f"sf{width}", *options, "--over", "ignore", "--json"))
        assert (got["codes"], got["events"]["overflow"]) == ([wanted], int(event))
    assert json.loads(command.run("sum", "x.npy", "--json"))["contract"].startswith(f"sum:{'i8' if width <= 8 else 'i16'}:")


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "?"])
def test_integers_of_another_width_are_not(command, dtype):
    command.save("x.npy", numpy.zeros(2, dtype))
    for width, own in [(8, "i1"), (16, "i2")]:
        if dtype != own:
            command.refuses("sum", "x.npy", "--as", f"sf{width}", says=f"x.npy: holds {numpy.dtype(dtype).name}; sf{width} codes are int{width}")


REFUSED = {
    "codes of another width": (["sum", "x.npy", "--as", "sf15", "--codes"], "x.npy: holds codes of sf16; without --codes, --as sf15 converts them"),
    "codes of another size": (["sum", "x.npy", "--as", "sf8", "--codes"], "x.npy: holds codes of sf16; without --codes, --as sf8 converts them"),
    "words": (["sum", "x.npy", "--as", "bf16", "--codes"], "x.npy: holds codes of sf16; without --codes, --as bf16 converts them"),
    "another contract": (["sum", "x.npy", "--contract", "sf8"], "x.npy: holds sf16, and the contract says sf8; --as sf8 makes it that"),
    "two widths": (["dot", "x.npy", "y.npy"], "x.npy: holds sf16, and y.npy holds sf8; --as sf16 makes both that"),
    "a stray code": (["sum", "stray.npy"], "stray.npy: a code is beyond the width of sf9"),
    "too little data": (["sum", "short.npy"], "short.npy: truncated: shape (3,) takes 6 bytes of data; found 5"),
    "an open list": (["sum", "open.npy"], "expected ']'"),
}


@pytest.mark.parametrize("arguments, says", REFUSED.values(), ids=REFUSED)
def test_what_is_refused(command, arguments, says):
    command.save("x.npy", named([1, 2], 16))
    command.save("y.npy", named([1, 2], 8))
    command.save("stray.npy", named([1, 300], 9))
    command.write("short.npy", header(READ["as NumPy writes it"]) + bytes(5))
    command.write("open.npy", header("[('sf16', '<i2')") + bytes(6))
    command.refuses(*arguments, says=says)


def test_codes_converted_from_floats_meet_codes_in_a_file(command):
    command.save("x.npy", named([8192, 8192], 16))
    command.save("f.npy", numpy.array([0.25, 0.5]))
    assert json.loads(command.run("dot", "x.npy", "f.npy", "--as", "sf16", "--json"))["codes"] == [2048 + 4096]


def test_a_flipped_byte_of_the_header_never_crashes(command):
    whole = header(READ["as NumPy writes it"]) + bytes(6)
    for i in range(10, len(whole) - 6):
        for flip in (1, 0x20, 0x80):
            command.write("x.npy", whole[:i] + bytes([whole[i] ^ flip]) + whole[i + 1 :])
            process = command.start("sum", "x.npy")
            out, said = process.communicate(timeout=60)
            assert (process.returncode, said.count(b"\n")) in [(0, 0), (2, 1)]
            assert (out == b"") == (process.returncode == 2)
