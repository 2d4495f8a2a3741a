# SPDX-License-Identifier: Apache-2.0
"""What is printed and written: readable, --bits, --json, -o, and no file in part whatever happens."""

import json
import os
import resource
import signal
import stat
import subprocess
import time

import numpy
import pytest

from expected import float_bits, hexadecimal


@pytest.mark.parametrize(
    "dtype, value, text",
    [
        ("f4", 0.1, "0.1"),
        ("f4", 16777216, "16777216"),
        ("f4", 1e-45, "1e-45"),
        ("f4", 3.4028235e38, "3.4028235e+38"),
        ("f2", 0.1, "0.1"),
        ("f2", 65504, "65504"),
        ("f2", 6e-8, "6e-08"),
        ("f8", 0.1, "0.1"),
        ("f8", 1 / 3, "0.3333333333333333"),
        ("f8", 5e-324, "5e-324"),
        ("f8", 1e23, "1e+23"),
        ("f8", -0.5, "-0.5"),
        ("f8", numpy.nan, "nan"),
        ("f8", -numpy.nan, "nan"),
        ("f8", numpy.inf, "inf"),
        ("f4", -numpy.inf, "-inf"),
        ("i4", -2147483648, "-2147483648"),
        ("i8", -(2**63), "-9223372036854775808"),
        ("i8", 2**63 - 1, "9223372036854775807"),
    ],
)
def test_one_number(command, dtype, value, text):
    command.save("x.npy", numpy.array([value], dtype))
    assert command.run("max", "x.npy") == f"{text}\n"


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_the_fewest_digits_that_read_back(command, dtype):
    generator = numpy.random.default_rng(5)
    bits = generator.integers(0, 2 ** (8 * int(dtype[1])) - 1, 300, dtype=f"u{dtype[1]}")
    x = bits.view(dtype)
    x = x[numpy.isfinite(x)]
    command.save("x.npy", x.reshape(1, -1))
    texts = command.run("max", "x.npy", "--axis", "0").strip("[]\n").split()
    assert len(texts) == len(x)
    for text, value in zip(texts, x):
        assert numpy.array(float(text)).astype(dtype) == value
        digits = len(text.lstrip("-").split("e")[0].replace(".", "").strip("0"))
        if digits > 1 and ("e" in text or "." in text):  # a whole number is written whole
            fewer = numpy.array(float(f"{float(value):.{digits - 2}e}")).astype(dtype)
            assert fewer != value


def test_arrays_are_laid_out_as_numpy_does(command):
    x = numpy.array([[1, 20, 3], [4, 5, 600]], "i2")
    command.save("x.npy", x.reshape(1, 2, 3))
    assert command.run("max", "x.npy", "--axis", "0") == f"{x}\n"
    cube = numpy.arange(-12, 12, dtype="i4").reshape(2, 3, 4)
    command.save("cube.npy", cube[None])
    assert command.run("max", "cube.npy", "--axis", "0") == f"{cube}\n"
    long = numpy.arange(200, dtype="i4")
    command.save("long.npy", long[None])
    assert command.run("max", "long.npy", "--axis", "0") == f"{long}\n"
    four = numpy.arange(16, dtype="i4").reshape(2, 2, 2, 2)
    command.save("four.npy", four[None])
    assert command.run("max", "four.npy", "--axis", "0") == f"{four}\n"


@pytest.mark.parametrize("shape", [(1001,), (50, 60), (7, 200), (11, 11, 11), (2, 600)])
@pytest.mark.parametrize("modulus", [10, 1 << 30])
def test_long_arrays_are_elided_as_numpy_does(command, shape, modulus):
    x = numpy.arange(numpy.prod(shape), dtype="i4").reshape(shape) % modulus
    command.save("x.npy", x[None])
    assert command.run("max", "x.npy", "--axis", "0") == f"{x}\n"
    assert len(command.bits("max", "x.npy", "--axis", "0")) == x.size
    assert json.loads(command.run("max", "x.npy", "--axis", "0", "--json"))["values"] == x.ravel().tolist()


def test_bits(command):
    for dtype, digits in [("f2", 4), ("f4", 8), ("f8", 16), ("i1", 2), ("i2", 4), ("i4", 8), ("i8", 16)]:
        x = numpy.array([[-1, 2], [3, -4]], dtype)
        command.save("x.npy", x[None])
        wanted = [f"{int(bits):0{digits}x}" for bits in x.view(f"u{x.itemsize}").ravel()]
        assert command.run("max", "x.npy", "--axis", "0", "--bits") == "".join(line + "\n" for line in wanted)


def test_json(command):
    x = numpy.array([[0.1, 1e30], [numpy.inf, -numpy.inf], [numpy.nan, 3e38]], "f4")
    command.save("x.npy", x)
    text = command.run("sum", "x.npy", "--axis", "1", "--json", "--order", "sequential")
    assert text.count("\n") == 1
    assert json.loads(text) == {
        "contract": json.loads(text)["contract"],
        "shape": [3],
        "bits": [hexadecimal(int(numpy.float32(0.1 + 1e30).view("u4")), 32), "7fc00000", "7fc00000"],
        "values": [float(numpy.float32(1e30)), "nan", "nan"],
        "events": {"overflow": 0, "outputs": 3, "nan": 2, "inf": 0},
        "engine": {"isa": json.loads(text)["engine"]["isa"], "threads": 1},
    }
    assert json.loads(text)["contract"].startswith("sum:f32:")
    one = json.loads(command.run("max", "x.npy", "--nan", "ignore", "--json"))
    assert (one["shape"], one["values"], one["contract"]) == ([], ["inf"], "max:f32:nan=ignore")
    command.save("big.npy", numpy.array([3e38, 3e38], "f4"))
    assert json.loads(command.run("sum", "big.npy", "--json"))["events"]["inf"] == 1


def test_json_values_are_the_doubles_that_equal_the_outputs(command):
    for dtype in ["f2", "f4", "f8"]:
        x = (numpy.random.default_rng(6).normal(size=(1, 500)) * 1e-3).astype(dtype)
        command.save("x.npy", x)
        values = json.loads(command.run("max", "x.npy", "--axis", "0", "--json"))["values"]
        assert values == x.astype("f8").ravel().tolist()


def test_several_files(command):
    command.save("a.npy", numpy.array([1, 2], "f4"))
    command.save("b b.npy", numpy.array([[1, 2], [3, 4]], "f8"))
    assert command.run("sum", "a.npy", "b b.npy") == "a.npy: 3\nb b.npy: 10\n"
    assert command.run("sum", "a.npy", "b b.npy", "--axis", "-1") == "a.npy: 3\nb b.npy:\n[3 7]\n"
    assert command.run("sum", "a.npy", "b b.npy", "--axis", "-1", "--bits").splitlines() == [
        "a.npy: 40400000",
        "b b.npy: 4008000000000000",
        "b b.npy: 401c000000000000",
    ]
    lines = [json.loads(line) for line in command.run("sum", "a.npy", "b b.npy", "--json").splitlines()]
    assert [(line["file"], line["values"]) for line in lines] == [("a.npy", [3]), ("b b.npy", [10])]


def test_a_name_that_is_no_utf8_makes_valid_json(command):
    name = os.fsdecode(b"\xff.npy")
    command.save(name, numpy.ones(1, "f4"))
    lines = [json.loads(line) for line in command.run("sum", name, name, "--json").splitlines()]
    assert [line["file"] for line in lines] == ["?.npy", "?.npy"]


OUTPUTS = ["f2", "f4", "f8", "i1", "i2", "i4", "i8"]


@pytest.mark.parametrize("dtype", OUTPUTS)
def test_output_files(command, dtype):
    x = numpy.arange(24).reshape(2, 3, 4).astype(dtype)
    command.save("x.npy", x)
    for options, wanted in [([], x.max()), (["--axis", "1"], x.max(axis=1)), (["--axis", "0,2", "--keepdims"], x.max((0, 2), keepdims=True))]:
        assert command.run("max", "x.npy", *options, "-o", "out.npy") == ""
        got = command.load("out.npy")
        assert (got.dtype, got.shape) == (x.dtype, wanted.shape) and (got == wanted).all()
        assert got.flags.c_contiguous
    command.run("argmax", "x.npy", "--axis", "2", "--output=out.npy")
    assert command.load("out.npy").dtype == "i8" and (command.load("out.npy") == 3).all()
    assert sorted(os.listdir(command.folder)) == ["out.npy", "x.npy"]


def test_bf16_is_written_as_words(command):
    command.save("x.npy", numpy.array([1, 2], "f4"))
    command.run("sum", "x.npy", "--as", "bf16", "-o", "out.npy")
    assert command.load("out.npy").dtype == "u2"
    assert command.load("out.npy") == float_bits(3, "bf16")
    assert command.run("sum", "out.npy", "--as", "bf16", "--codes") == "3\n"


def test_output_to_standard_output_and_beside_printing(command):
    x = numpy.array([[1, 2], [3, 4]], "f4")
    command.save("x.npy", x)
    process = command.start("sum", "x.npy", "--axis", "0", "-o", "-")
    (command.folder / "copy.npy").write_bytes(process.communicate()[0])
    assert process.returncode == 0 and command.load("copy.npy").tolist() == [4, 6]
    assert command.bits("sum", "x.npy", "-o", "out.npy") == ["41200000"]
    assert command.load("out.npy") == 10


def test_an_existing_file_is_replaced_whole(command):
    command.save("x.npy", numpy.ones(3, "f4"))
    command.save("old.npy", numpy.zeros(3, "f4"))
    (command.folder / "old.npy").chmod(0o640)
    (command.folder / "link.npy").symlink_to("old.npy")
    os.link(command.folder / "old.npy", command.folder / "kept.npy")
    command.run("sum", "x.npy", "-o", "link.npy")
    assert command.load("old.npy") == 3
    assert (command.folder / "link.npy").is_symlink()
    assert stat.S_IMODE((command.folder / "old.npy").stat().st_mode) == 0o640
    assert command.load("kept.npy").tolist() == [0, 0, 0]  # renamed over, not written into
    command.run("sum", "x.npy", "-o", "new.npy", umask=0o027)
    assert stat.S_IMODE((command.folder / "new.npy").stat().st_mode) == 0o640
    command.run("sum", "x.npy", "-o", "x.npy")
    assert command.load("x.npy") == 3


def test_an_output_that_cannot_be_written(command, as_anyone):
    command.save("x.npy", numpy.ones(3, "f4"))
    (command.folder / "sub").mkdir()
    command.refuses("sum", "x.npy", "-o", "sub", says="sub: a directory; -o names the file to write")
    command.refuses("sum", "x.npy", "-o", "no/such/out.npy", says="no/such/out.npy: cannot be written: No such file or directory")
    command.refuses("sum", "x.npy", "-o", "/dev/full", says="/dev/full: cannot be written: No space left on device")
    command.refuses("sum", "x.npy", "-o", "", says="cannot be written")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    (command.folder / "sub").chmod(0o500)
    command.refuses("sum", "x.npy", "-o", "sub/out.npy", prefix=as_anyone, says="sub/out.npy: cannot be written: Permission denied")
    command.save("fixed.npy", numpy.zeros(1, "f4"))
    (command.folder / "fixed.npy").chmod(0o400)
    command.refuses("sum", "x.npy", "-o", "fixed.npy", prefix=as_anyone, says="fixed.npy: cannot be written: Permission denied")


def limit_file_size():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def test_a_full_disk_leaves_the_old_file(command):
    command.save("x.npy", numpy.ones((4096, 2), "f4"))
    command.save("out.npy", numpy.ones(5, "f4"))
    says = "out.npy: cannot be written: File too large"
    command.refuses("sum", "x.npy", "--axis", "1", "-o", "out.npy", preexec_fn=limit_file_size, says=says)
    command.refuses("sum", "x.npy", "--as", "f64", preexec_fn=limit_file_size, says=["x.npy: temporary file in", "File too large"])
    content = (command.folder / "x.npy").read_bytes()
    command.refuses("sum", "-", stdin=content, preexec_fn=limit_file_size, says=["standard input: temporary file in", "File too large"])


@pytest.mark.parametrize("arguments", [["sum", "x.npy"], ["sum", "x.npy", "x.npy", "--json"], ["info"], ["--help"], ["--version"], ["agree"]])
def test_standard_output_full_or_closed(command, arguments):
    command.save("x.npy", numpy.ones((70, 70), "f4"))
    with open("/dev/full", "wb") as full:
        process = command.start(*arguments, stdout=full)
        said = process.communicate()[1].decode()
    assert (process.returncode, said) == (2, "bitfold: standard output: No space left on device\n")
    process = command.start(*arguments, stdout=None, preexec_fn=lambda: os.close(1))
    said = process.communicate()[1].decode()
    assert (process.returncode, said) == (2, "bitfold: standard output: Bad file descriptor\n")


def test_no_file_takes_the_place_of_a_closed_stream(command):
    command.save("x.npy", numpy.ones(3, "f4"))
    process = command.start("sum", "missing.npy", "-o", "out.npy", preexec_fn=lambda: (os.close(2), os.close(0)), stderr=None)
    assert (process.communicate()[0], process.returncode) == (b"", 2)
    assert os.listdir(command.folder) == ["x.npy"]


def endless(command):
    """A reduction that waits for its second file, after the output file was begun: a sparse file that takes seconds."""
    with open(command.folder / "long.npy", "wb") as file:
        numpy.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (1 << 33,)})
        file.truncate(file.tell() + (8 << 33))
    return ["sum", "long.npy", "--order", "sequential", "-o", "out.npy"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_file(command, number):
    arguments = endless(command)
    # The runner itself may ignore the signal, as under nohup or in the background of a script, and the command would keep to that.
    process = command.start(*arguments, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    deadline = time.monotonic() + 20
    while len(os.listdir(command.folder)) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(os.listdir(command.folder)) == 2, "the output file was never begun"
    process.send_signal(number)
    assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == -number
    assert os.listdir(command.folder) == ["long.npy"]


def test_a_reader_that_leaves_is_no_error(command):
    command.save("x.npy", numpy.ones((1, 200000), "f4"))
    process = command.start("max", "x.npy", "--axis", "0", "--bits")
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(timeout=20) == -signal.SIGPIPE
    assert process.stderr.read() == b""


def test_a_shell_pipeline(command):
    command.save("x.npy", numpy.arange(10, dtype="f4"))
    line = f"cat x.npy | {command.path} sum - -o - | {command.path} sum -"
    assert subprocess.run(line, shell=True, cwd=command.folder, capture_output=True, check=True).stdout == b"45\n"
