# SPDX-License-Identifier: Apache-2.0
"""Everything that cannot be used: exit status 2 and one line that says what is wrong and what would be right."""

import struct

import numpy
import pytest

GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"


def npy(text, data=bytes(24), version=b"\x01\x00", length=None):
    text = text.encode("latin1")
    size = len(text) if length is None else length
    return b"\x93NUMPY" + version + struct.pack("<H" if version[0] == 1 else "<I", size) + text + data


DAMAGED = {
    "empty": (b"", "empty; a .npy file begins with"),
    "not npy": (b"PK\x03\x04 something else", "not a .npy file; np.save writes one"),
    "magic only": (b"\x93NUMPY", "truncated after 6 bytes"),
    "half a magic": (b"\x93NUM", "truncated after 4 bytes"),
    "no length": (b"\x93NUMPY\x02\x00\x10\x00", "truncated after 10 bytes"),
    "version 4": (npy(GOOD, version=b"\x04\x00"), "version 4.0; 1.0, 2.0 and 3.0 are read"),
    "version 1.1": (npy(GOOD, version=b"\x01\x01"), "version 1.1"),
    "header cut": (npy(GOOD, b"", length=500), "truncated inside the header: 59 bytes of 500"),
    "header cut, version 2": (npy(GOOD, b"", b"\x02\x00", 1 << 31), "truncated inside the header: 59 bytes of 2147483648"),
    "no dictionary": (npy("(2, 3)"), "header damaged at byte 10: expected '{'"),
    "no end": (npy(GOOD[:-1]), "expected 'descr', 'fortran_order' or 'shape'"),
    "an open string": (npy("{'descr': '<f4"), "expected a closing quote"),
    "text after it": (npy(GOOD + "x"), "expected nothing after '}'"),
    "an unknown key": (npy(GOOD.replace("shape", "shame")), "'descr', 'fortran_order' and 'shape', each once"),
    "a key twice": (npy(GOOD.replace("}", "'shape': (2, 3)}")), "each once"),
    "a key less": (npy("{'descr': '<f4', 'shape': (2, 3)}"), "each once"),
    "no colon": (npy(GOOD.replace("descr':", "descr'")), "expected ':'"),
    "no comma": (npy(GOOD.replace("False,", "False")), "expected ',' or '}'"),
    "order 0": (npy(GOOD.replace("False", "0")), "expected True or False"),
    "a shape that is a number": (npy(GOOD.replace("(2, 3)", "(6)")), "expected a shape such as (5,)"),
    "a shape that is a list": (npy(GOOD.replace("(2, 3)", "[2, 3]")), "expected a shape such as (3, 4)"),
    "a negative extent": (npy(GOOD.replace("2, 3", "-2, 3")), "expected an extent of 0 or more"),
    "a fraction": (npy(GOOD.replace("2, 3", "2.0, 3")), "expected ',' or ')'"),
    "an empty place": (npy(GOOD.replace("2, 3", ",")), "expected an extent"),
    "an empty dtype": (npy(GOOD.replace("<f4", "")), "expected a dtype such as '<f4'"),
    "no dtype": (npy(GOOD.replace("'<f4'", "None")), "expected a dtype such as '<f4'"),
    "an open list": (npy(GOOD.replace("'<f4'", "[('a', '<f4')")), "expected ']'"),
    "zero bytes": (npy("\0" * 60), "expected '{'"),
    "an extent that overflows": (npy(GOOD.replace("(2, 3)", "(99999999999999999999,)")), "the shape overflows"),
    "a product that overflows": (npy(GOOD.replace("2, 3", "4294967296, 4294967296")), "(4294967296, 4294967296) overflows"),
    "bytes that overflow": (npy(GOOD.replace("2, 3", "9223372036854775807,")), "(9223372036854775807,) "),
    "rank 9": (npy(GOOD.replace("2, 3", "1, 1, 1, 1, 1, 1, 1, 1, 6")), "rank 9; at most 8 axes"),
    "rank 40": (npy(GOOD.replace("2, 3", 40 * "1, ")), "rank 40; at most 8 axes"),
    "data cut": (npy(GOOD, bytes(23)), "shape (2, 3) takes 24 bytes of data; found 23"),
    "no data": (npy(GOOD, b""), "shape (2, 3) takes 24 bytes of data; found 0"),
}


@pytest.mark.parametrize("content, says", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("way", ["file", "pipe"])
def test_damaged(command, content, says, way):
    command.write("x.npy", content)
    if way == "file":
        command.refuses("sum", "x.npy", says=["x.npy: ", says])
        command.refuses("info", "x.npy", says=["x.npy: ", says])
    else:
        command.refuses("sum", "-", stdin=content, says=["standard input: ", says])


def test_every_prefix_of_a_file_is_refused(command):
    whole = npy(GOOD)
    for length in range(len(whole)):
        command.write("x.npy", whole[:length])
        command.refuses("sum", "x.npy", says="x.npy: ")


def test_a_flipped_byte_of_the_header_never_crashes(command):
    whole = npy(GOOD)
    for i in range(len(whole) - 24):
        for flip in (1, 0x20, 0x80):
            command.write("x.npy", whole[:i] + bytes([whole[i] ^ flip]) + whole[i + 1 :])
            process = command.start("sum", "x.npy")
            out, said = process.communicate(timeout=60)
            assert (process.returncode, said.count(b"\n")) in [(0, 0), (2, 1)]
            assert (out == b"") == (process.returncode == 2)


UNKNOWN = {
    "uint64": numpy.zeros(2, "u8"),
    "complex64": numpy.zeros(2, "c8"),
    "complex128": numpy.zeros(2, "c16"),
    "object": numpy.array([None, 1], object),
    "a structured type": numpy.zeros(2, [("a", "f4"), ("it's [", "i2", (2,))]),
    "str": numpy.array(["a", "bc"]),
    "bytes": numpy.array([b"a", b"bc"]),
    "void": numpy.zeros(2, "V5"),
    "datetime64": numpy.zeros(2, "M8[ns]"),
    "timedelta64": numpy.zeros(2, "m8[s]"),
    "float128": numpy.zeros(2, "longdouble"),
}


@pytest.mark.parametrize("name, array", UNKNOWN.items(), ids=UNKNOWN)
def test_other_dtypes_are_refused_by_name(command, name, array):
    if name == "float128" and array.itemsize != 16:
        pytest.skip("long double is not of 16 bytes here")
    command.save("x.npy", array)
    command.refuses("sum", "x.npy", says=f"holds {name}; float16, float32, float64, int8 to int64, uint8, uint32, bool and sfN are accepted; NumPy's astype makes one of them")
    assert f"x.npy: {name} (2,)" in command.run("info", "x.npy")


def test_words_without_codes(command):
    command.save("x.npy", numpy.zeros(2, "u2"))
    says = "holds uint16; with --codes --as bf16 or --codes --as f16 its words are taken for those bits, with --as i32 for integers"
    for options in [[], ["--as", "bf16"], ["--as", "f16"]]:
        command.refuses("sum", "x.npy", *options, says=says)
    command.write("y.npy", npy(GOOD.replace("f4", "V2"), bytes(12)))
    for options in [[], ["--as", "i32"]]:
        says = "holds void; with --codes --as bf16 or --codes --as f16 its words are taken for those bits\n"
        command.refuses("sum", "y.npy", *options, says=says)
    command.write("z.npy", npy(GOOD.replace("<f4", "<q9"), bytes(12)))
    command.refuses("sum", "z.npy", says="holds the unknown dtype '<q9'; float16")


PATHS = {
    "missing": ("nowhere.npy", "nowhere.npy: No such file or directory"),
    "a folder": (".", ".: a directory; a .npy file is wanted"),
    "an endless device": ("/dev/zero", "/dev/zero: not a .npy file"),
    "nothing": ("/dev/null", "/dev/null: empty"),
    "below a file": ("x.npy/y", "x.npy/y: Not a directory"),
    "two lines": ("a\nb\x1b[31m", "a?b?[31m: No such file"),
}


@pytest.mark.parametrize("path, says", PATHS.values(), ids=PATHS)
def test_paths(command, path, says):
    command.save("x.npy", numpy.zeros(2, "f4"))
    command.refuses("sum", path, says=says)


def test_an_unreadable_file(command, as_anyone):
    command.save("x.npy", numpy.zeros(2, "f4"))
    (command.folder / "x.npy").chmod(0)
    command.refuses("sum", "x.npy", prefix=as_anyone, says="x.npy: Permission denied")


USAGE = {
    "no verb": ([], "no verb; bitfold sum FILE"),
    "an unknown verb": (["sun", "x.npy"], "sun: no such verb; nearest is sum, of sum mean dot matmul sumsq sumabs max min argmax argmin add subtract multiply negative absolute convert info agree bench explain reveal\n"),
    "no file": (["max"], "max takes a .npy file, or - for standard input; none given"),
    "one file for dot": (["dot", "x.npy"], "dot takes two files; 1 given"),
    "three files for dot": (["dot", "x.npy", "x.npy", "x.npy"], "dot takes two files; 3 given"),
    "standard input twice": (["dot", "-", "-"], "standard input (-) is named 2 times"),
    "an unknown option": (["sum", "x.npy", "--ordr=exact"], "--ordr=exact: unknown option, or not its whole name; nearest is --order"),
    "an open abbreviation": (["sum", "x.npy", "--o", "exact"], "--o: unknown option, or not its whole name"),
    "an unknown letter": (["sum", "-q", "x.npy"], "-q: unknown option"),
    "a value too few": (["sum", "x.npy", "--axis"], "--axis wants a value"),
    "a value too few for -o": (["sum", "x.npy", "-o"], "-o wants a value"),
    "a value too many": (["sum", "x.npy", "--json=1"], "--json takes no value"),
    "an option twice": (["sum", "x.npy", "--axis", "0", "--axis", "1"], "--axis is given twice"),
    "an option of another verb": (["info", "x.npy", "--axis", "0"], "info takes --shape and --axis with --plan CONTRACT alone"),
    "--json for agree": (["agree", "--json"], "agree takes no --json; its options are --as, --codes, --help"),
    "--json and --bits": (["sum", "x.npy", "--json", "--bits"], "--json and --bits are both given"),
    "-o - and --json": (["sum", "x.npy", "-o", "-", "--json"], "-o - and --json both write to standard output"),
    "-o for several": (["sum", "x.npy", "x.npy", "-o", "y.npy"], "-o takes the result of one file; 2 given"),
    "an empty axis": (["sum", "x.npy", "--axis", ""], "--axis is empty"),
    "an axis of letters": (["sum", "x.npy", "--axis", "none"], "--axis none: not a list of numbers"),
    "half an axis": (["sum", "x.npy", "--axis", "0,"], "--axis 0,: not a list of numbers"),
    "a huge axis": (["sum", "x.npy", "--axis", "99999999999"], "--axis 99999999999: out of range"),
    "nine axes": (["sum", "x.npy", "--axis", "0,1,2,3,4,5,6,7,8"], "more than 8 axes"),
    "an axis out of range": (["sum", "x.npy", "--axis", "2"], ["x.npy: ", "2"]),
    "a negative axis out of range": (["sum", "x.npy", "--axis", "-3"], ["x.npy: ", "-3"]),
    "an axis twice": (["sum", "x.npy", "--axis", "1,-1"], ["x.npy: ", "twice"]),
    "an unknown format": (["sum", "x.npy", "--as", "sf17"], "--as sf17: not a format of elements; nearest is sf16"),
    "a format of integers": (["sum", "x.npy", "--as", "u8"], "--as u8: not a format of elements; nearest is i8, of f16, bf16, f32, f64, i8, i16, i32, i64, sf2"),
    "an unknown policy": (["sum", "x.npy", "--over", "rise"], "--over rise: unknown; raise, warn or ignore"),
    "an unknown nan": (["max", "x.npy", "--nan", "skip"], "--nan skip: unknown; propagate or ignore"),
    "no threads": (["sum", "x.npy", "--threads", "0"], ["--threads 0", "1 or more"]),
    "threads that are no number": (["sum", "x.npy", "--threads", "2x"], ["--threads 2x", "1 or more"]),
    "an unknown isa": (["sum", "x.npy", "--isa", "avx9"], ["--isa avx9: not here", "scalar"]),
    "codes of nothing": (["sum", "x.npy", "--codes"], "--codes needs --as"),
    "codes of a float": (["sum", "x.npy", "--codes", "--as", "f32"], "--codes goes with --as sf2 ... sf16, bf16 or f16; f32 needs none"),
    "codes in another storage": (["sum", "x.npy", "--codes", "--as", "sf8"], "holds float32; sf8 codes are int8"),
    "an order mistyped": (["sum", "x.npy", "--order", "sequental"], ["--order: ", "sequental", "sequential"]),
    "not an order": (["sum", "x.npy", "--order", "acc=f64"], "--order: acc=f64 is not an order or a rule alone"),
    "another operation": (["sum", "x.npy", "--contract", "mean:f32"], ["--contract: ", "sum", "mean"]),
    "another element": (["sum", "x.npy", "--contract", "sum:f16:exact"], "x.npy: holds f32, and the contract says f16; --as f16 makes it that"),
    "another element than --as": (["sum", "x.npy", "--as", "f16", "--contract", "f64"], ["--contract: ", "f16", "f64"]),
    "two orders": (["sum", "x.npy", "--order", "exact", "--contract", "reverse"], ["--contract: ", "exact", "reverse"]),
    "two policies": (["max", "x.npy", "--nan", "ignore", "--contract", "nan=propagate"], "--contract: "),
    "a rule for floats": (["sum", "x.npy", "--order", "sf31"], ["x.npy: ", "sf31"]),
    "an empty contract": (["sum", "x.npy", "--contract", ""], "--contract: "),
    "dot of two shapes": (["dot", "x.npy", "y.npy"], "x.npy: shape (2, 3), and y.npy has (3, 2); dot takes two of one shape"),
    "dot of two formats": (["dot", "x.npy", "d.npy"], "x.npy: holds f32, and d.npy holds f64; --as f32 makes both that"),
    "max of nothing": (["max", "empty.npy"], "empty.npy: "),
    "argmin of nothing": (["argmin", "empty.npy", "--axis", "0"], "empty.npy: "),
    "a NaN as sfN": (["sum", "nan.npy", "--as", "sf8"], "nan.npy: NaN at [1, 0], which sf8 cannot hold"),
    "a NaN as an integer": (["max", "nan.npy", "--as", "i16"], "nan.npy: NaN at [1, 0], which i16 cannot hold"),
    "a code beyond its width": (["sum", "i.npy", "--as", "sf9", "--codes"], "i.npy: "),
    "agree about nothing": (["agree", "--as", "f16"], "--as and --codes are about files; none given"),
}


@pytest.mark.parametrize("arguments, says", USAGE.values(), ids=USAGE)
def test_usage(command, arguments, says):
    command.save("x.npy", numpy.zeros((2, 3), "f4"))
    command.save("y.npy", numpy.zeros((3, 2), "f4"))
    command.save("d.npy", numpy.zeros((2, 3), "f8"))
    command.save("i.npy", numpy.array([256, -1], "i2"))
    command.save("empty.npy", numpy.zeros((0, 3), "f4"))
    command.save("nan.npy", numpy.asfortranarray(numpy.array([[1, 2], [numpy.nan, 4]], "f4")))
    command.refuses(*arguments, says=says)


def test_a_file_that_fails_does_not_stop_the_next(command):
    command.save("a.npy", numpy.ones(3, "f4"))
    command.save("b.npy", numpy.ones(4, "f4"))
    out, said = command.run("sum", "a.npy", "missing.npy", "b.npy", code=2, error=True)
    assert out == "a.npy: 3\nb.npy: 4\n"
    assert said == "bitfold: missing.npy: No such file or directory\n"


def test_no_room_for_temporary_files(command):
    command.save("x.npy", numpy.ones(3, "f4"))
    command.environment["TMPDIR"] = "/nonexistent"
    command.refuses("sum", "x.npy", "--as", "f64", says="x.npy: no temporary file in /nonexistent: No such file or directory; TMPDIR")
