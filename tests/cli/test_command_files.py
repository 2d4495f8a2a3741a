# SPDX-License-Identifier: Apache-2.0
"""Reading .npy: dtypes, byte orders, Fortran order, versions, headers as NumPy allows them, standard input."""

import io
import struct
import subprocess

import numpy
import pytest

from expected import exact, float_bits, hexadecimal

DTYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8"]
NAMES = {"f2": "f16", "f4": "f32", "f8": "f64"}
DATA = struct.pack("<6f", 1, 2, 3, 4, 5, 6)


def sample(dtype, shape=(4, 5, 3)):
    return numpy.random.default_rng(7).integers(-100, 100, shape).astype(dtype) / (8 if "f" in dtype else 1)


def header(text, version=(1, 0)):
    text = text.encode("utf8" if version[0] == 3 else "latin1")
    size = struct.pack("<H" if version[0] == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + size + text


@pytest.mark.parametrize("fortran", [False, True], ids=["C", "Fortran"])
@pytest.mark.parametrize("order", ["<", ">"], ids=["little", "big"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_in_every_layout(command, dtype, order, fortran):
    array = sample(dtype).astype(order + dtype)
    command.save("x.npy", numpy.asfortranarray(array) if fortran else array)
    for axis in [None, (0,), (1,), (2,), (0, 2), (1, 2)]:
        options = [] if axis is None else ["--axis", ",".join(map(str, axis))]
        best = array.max(axis=axis)
        first = command.bits("max", "x.npy", *options)
        unsigned = numpy.asarray(best).astype("<" + dtype).view(f"<u{array.itemsize}").ravel()
        assert first == [hexadecimal(int(bits), 8 * array.itemsize) for bits in unsigned]
        total = numpy.asarray(array.astype("f8").sum(axis=axis)).ravel()  # eighths: exact
        if dtype in NAMES:
            wanted = [exact([value], NAMES[dtype]) for value in total]
        else:
            wanted = [hexadecimal(int(value), 64) for value in total]
        assert command.bits("sum", "x.npy", *options) == wanted


@pytest.mark.parametrize("fortran", [False, True], ids=["C", "Fortran"])
def test_elements_are_numbered_row_major_whatever_the_layout(command, fortran):
    array = numpy.array([[1e8, 1, -1e8], [1, 1e8, 1]], "f4")
    command.save("x.npy", numpy.asfortranarray(array) if fortran else array)
    total = numpy.float32(0)
    for value in array.ravel():
        total = numpy.float32(total + value)
    assert command.bits("sum", "x.npy", "--order", "sequential") == [f"{int(total.view('u4')):08x}"]
    assert command.run("argmax", "x.npy") == "0\n"
    assert command.run("argmax", "x.npy", "--axis", "1").split() == ["[0", "1]"]


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)], ids=["1", "2", "3"])
def test_versions(command, version):
    with open(command.folder / "x.npy", "wb") as file:
        numpy.lib.format.write_array(file, sample("f4"), version=version)
    assert command.bits("sum", "x.npy") == [exact(sample("f4").ravel(), "f32")]


HEADERS = {
    "keys in another sequence": "{'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}",
    "double quotes": '{"descr": "<f4", "fortran_order": False, "shape": (2, 3)}',
    "no spaces": "{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
    "spaces everywhere": " { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , } \n",
    "line feeds": "{'descr': '<f4',\n 'fortran_order': False,\n 'shape': (2,\n 3)}",
    "one axis": "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }",
    "no byte order": "{'descr': 'f4', 'fortran_order': False, 'shape': (2, 3), }",
    "the native byte order": "{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3), }",
    "the dtype's name": "{'descr': 'float32', 'fortran_order': False, 'shape': (2, 3), }",
    "padding": "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" + 500 * " " + "\n",
    "data at an odd place": "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" + 32 * " ",
}


@pytest.mark.parametrize("text", HEADERS.values(), ids=HEADERS)
def test_headers_that_numpy_reads(command, text):
    content = header(text) + DATA
    assert numpy.load(io.BytesIO(content)).sum() == 21
    command.write("x.npy", content)
    assert command.run("sum", "x.npy") == "21\n"


def test_bytes_after_the_data_are_left_alone_as_numpy_does(command):
    command.write("x.npy", header(HEADERS["one axis"]) + DATA + b"another array")
    assert command.run("sum", "x.npy") == "21\n"


def test_rank_0_and_rank_8(command):
    command.save("zero.npy", numpy.float32(2.5))
    command.save("eight.npy", numpy.ones((1, 2, 1, 3, 1, 2, 1, 2), "f4"))
    assert command.run("sum", "zero.npy") == "2.5\n"
    assert command.run("sum", "eight.npy", "--axis", "-1,1,3,5") == "[[[[24]]]]\n"
    assert command.run("sum", "eight.npy") == "24\n"


@pytest.mark.parametrize("name", ["f16", "bf16"])
@pytest.mark.parametrize("descr", ["<u2", ">u2", "<V2", "|V2"])
def test_words_taken_as_bits(command, descr, name):
    words = numpy.array([0x3F80, 0x4000, 0x0001, 0xBF00], "u2")
    stored = words.astype(">u2").tobytes() if descr[0] == ">" else words.astype("<u2").tobytes()
    command.write("x.npy", header(f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (4,), }}") + stored)
    if name == "bf16":
        values = (words.astype("u4") << 16).view("f4")
    else:
        values = words.view("f2")
    assert command.bits("sum", "x.npy", "--as", name, "--codes") == [exact(values, name)]


def test_standard_input_from_a_pipe_and_from_a_file(command):
    array = sample("f4", (1000, 700))
    command.save("x.npy", array)
    wanted = [exact(array.ravel(), "f32")]
    content = (command.folder / "x.npy").read_bytes()
    assert command.bits("sum", "-", stdin=content) == wanted
    with open(command.folder / "x.npy", "rb") as file:
        assert command.bits("sum", "-", stdin=file) == wanted
    assert command.bits("sum", "-", "--as", "f64", stdin=content) == [exact(array.ravel(), "f64")]


def test_a_named_pipe_is_a_file(command):
    command.save("x.npy", numpy.arange(6, dtype="f4"))
    subprocess.run(["mkfifo", command.folder / "pipe"], check=True)
    with subprocess.Popen(["cp", command.folder / "x.npy", command.folder / "pipe"]):
        assert command.run("sum", "pipe") == "15\n"


def test_conversion_reads_both_byte_orders(command):
    array = numpy.array([1.5, -2.25, 0.1], "f8")
    command.save("little.npy", array.astype("<f8"))
    command.save("big.npy", array.astype(">f8"))
    rounded = [f"{float_bits(value, 'f32'):08x}" for value in array]
    for name in ["little.npy", "big.npy"]:
        assert command.bits("sum", name, "--as", "f32") == [exact(array.astype("f4"), "f32")]
        assert command.bits("max", name, "--as", "f32") == [rounded[0]]
