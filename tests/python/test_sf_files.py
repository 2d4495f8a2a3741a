# SPDX-License-Identifier: Apache-2.0
"""Codes in files, buffers and packed bytes: save, load, frombuffer, from_codes, pack, unpack; read-only and odd memory."""

import array as stdlib
import io
import json
import os
import subprocess

import numpy as np
import pytest

import plain
import sf
from layouts import laid_out
from plain import WIDTHS, array, codes_of, dtype, top


def same(a, b):
    return a.dtype is b.dtype and a.shape == b.shape and a.codes.tolist() == b.codes.tolist()


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("shape", ((), (0,), (7,), (3, 4), (2, 0, 3), (1,) * 10))
def test_save_and_load(bits, shape, tmp_path, seed):
    x = array(codes_of(bits, np.random.default_rng(seed), shape, True), bits)
    for given in (x, x.T):
        sf.save(tmp_path / "x.npy", given)
        assert same(sf.load(tmp_path / "x.npy"), given) and same(sf.load(str(tmp_path / "x.npy"), dtype(bits)), given)
        stream = io.BytesIO()
        sf.save(stream, given)
        stream.seek(0)
        assert same(sf.load(stream), given)
    assert np.load(tmp_path / "x.npy")[f"sf{bits}"].tolist() == x.T.codes.tolist(), "NumPy reads the codes"
    assert os.listdir(tmp_path) == ["x.npy"]


def test_save_names_a_file_as_numpy_does(tmp_path):
    x = sf.array([0.5, -0.25])
    for name, file in ((tmp_path / "a", "a.npy"), (str(tmp_path / "b"), "b.npy"), (tmp_path / "c.npy", "c.npy"),
                       (str(tmp_path / "d.npy"), "d.npy"),
                       (tmp_path / "f.txt", "f.txt.npy")):
        sf.save(name, x)
        assert same(sf.load(tmp_path / file), x), file
    with open(tmp_path / "two.npy", "wb") as stream:
        sf.save(stream, x)
        sf.save(stream, x[::-1])
    with open(tmp_path / "two.npy", "rb") as stream:
        assert same(sf.load(stream), x) and same(sf.load(stream), x[::-1])
    sf.save(tmp_path / "s.npy", sf.sf8(0.5))
    assert repr(sf.load(tmp_path / "s.npy")) == "sfarray(0.5, dtype=sf8)"


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    sf.save(tmp_path / "x.npy", sf.array([0.5]))
    before = (tmp_path / "x.npy").read_bytes()
    for bad in ("abc", [float("nan")], 1j):
        with pytest.raises((TypeError, ValueError)):
            sf.save(tmp_path / "x.npy", bad)
    with pytest.raises(OSError):
        sf.save(tmp_path / "no such folder" / "x.npy", sf.zeros(3))
    assert (tmp_path / "x.npy").read_bytes() == before and os.listdir(tmp_path) == ["x.npy"]


@pytest.mark.parametrize("mode", ("r", "r+", "c"))
@pytest.mark.parametrize("plain_file", (False, True))
def test_mapped_files(mode, plain_file, tmp_path):
    x = sf.from_codes(np.arange(1000).reshape(10, 100))
    np.save(tmp_path / "x.npy", x.codes) if plain_file else sf.save(tmp_path / "x.npy", x)
    mapped = sf.load(tmp_path / "x.npy", sf.sf16 if plain_file else None, mmap_mode=mode)
    base = mapped.codes
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap) and same(mapped, x)
    assert mapped.sum(axis=0, over="ignore").codes.tolist() == x.sum(axis=0, over="ignore").codes.tolist()
    if mode == "r":
        with pytest.raises(ValueError, match="read-only"):
            mapped[0, 0] = 0.5
    else:
        mapped[0, 0] = 0.5
        base.flush()
        assert sf.load(tmp_path / "x.npy", sf.sf16).codes[0, 0] == (16384 if mode == "r+" else 0)


@pytest.mark.parametrize("kind", ("<i2", ">i2", "i1", "u1", "i4", "<u2", ">i8", "u8"))
def test_plain_integer_files_need_a_dtype(kind, tmp_path):
    codes = np.array([[1, 2], [100, 0]], kind)
    np.save(tmp_path / "codes.npy", codes)
    for mode in (None, "r"):
        x = sf.load(tmp_path / "codes.npy", sf.sf16, mmap_mode=mode)
        assert x.codes.tolist() == codes.tolist() and x.codes.dtype == np.int16
        with pytest.raises(TypeError, match="dtype=") as raised:
            sf.load(tmp_path / "codes.npy", mmap_mode=mode)
        assert "codes.npy" in str(raised.value)
        with pytest.raises(ValueError, match="100"):
            sf.load(tmp_path / "codes.npy", sf.sf4, mmap_mode=mode)


def test_a_file_of_the_other_byte_order_or_made_by_numpy_alone(tmp_path):
    for order in "<>":
        np.save(tmp_path / "x.npy", np.array([(1,), (-2,)], [("sf12", f"{order}i2")]))
        for mode in (None, "r"):
            x = sf.load(tmp_path / "x.npy", mmap_mode=mode)
            assert x.dtype is sf.sf12 and x.codes.tolist() == [1, -2] and x.codes.dtype.isnative


def test_load_as_another_format_converts(tmp_path):
    sf.save(tmp_path / "x.npy", sf.array([0.5, -0.75]))
    assert same(sf.load(tmp_path / "x.npy", sf.sf8), sf.array([0.5, -0.75], sf.sf8))
    sf.save(tmp_path / "x.npy", sf.ones(3))
    with pytest.raises(sf.SFOverflowError, match="^sf8 array: overflow in 3 of 3"):
        sf.load(tmp_path / "x.npy", sf.sf8)


def test_wrong_files_are_refused_in_one_line_that_names_them(tmp_path):
    files = {"floats.npy": np.ones(3), "text.npy": np.array(["a"]), "two.npy": np.zeros(2, [("sf16", "i2"), ("sf8", "i1")]),
             "bool.npy": np.ones(2, bool), "wide.npy": np.zeros(2, [("sf16", "i4")]), "byte.npy": np.zeros(2, [("sf16", "i1")]),
             "unsigned.npy": np.zeros(2, [("sf16", "u2")]), "alien.npy": np.zeros(2, [("sf17", "i2")]),
             "sub.npy": np.zeros(2, [("sf16", "i2", (2,))]),
             "beyond.npy": np.array([(100,)], [("sf4", "i1")]), "complex.npy": np.ones(2, complex)}
    for name, content in files.items():
        np.save(tmp_path / name, content)
    np.savez(tmp_path / "zip.npz", a=np.zeros(2, np.int16))
    (tmp_path / "garbage.npy").write_bytes(b"this is no npy file at all")
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "cut.npy").write_bytes((tmp_path / "beyond.npy").read_bytes()[:-1])
    np.save(tmp_path / "object.npy", np.array([1, "a"], object), allow_pickle=True)
    for name in (*files, "zip.npz", "garbage.npy", "empty.npy", "cut.npy", "object.npy"):
        for mode in (None, "r"):
            with pytest.raises((TypeError, ValueError, EOFError)) as raised:
                sf.load(tmp_path / name, None if name == "beyond.npy" else sf.sf16, mmap_mode=mode)
            assert "\n" not in str(raised.value) and name in str(raised.value), (name, raised.value)
    with pytest.raises(FileNotFoundError):
        sf.load(tmp_path / "none.npy")


def test_the_command_reads_what_save_writes(tmp_path):
    command = os.path.join(os.environ.get("BITFOLD_BUILD", "build"), "bitfold")
    sf.save(tmp_path / "x.npy", sf.array([0.1, -0.25, 0.5]))
    ran = subprocess.run([command, "sum", str(tmp_path / "x.npy"), "--json"], capture_output=True, text=True)
    assert ran.returncode == 0 and json.loads(ran.stdout)["codes"] == [11469], ran


@pytest.mark.parametrize("bits", WIDTHS)
def test_from_codes_takes_the_codes_of_the_format_and_no_others(bits):
    m = top(bits)
    for kind in "bhilqBHILQ":
        fits = [k for k in (0, m, -m, -m - 1) if np.iinfo(kind).min <= k <= np.iinfo(kind).max]
        x = sf.from_codes(np.array(fits, kind), dtype(bits))
        assert x.codes.tolist() == fits and x.codes.dtype == plain.storage(bits)
        for wrong in {m + 1, -m - 2, np.iinfo(kind).max, np.iinfo(kind).min}:
            if np.iinfo(kind).min <= wrong <= np.iinfo(kind).max and not -m - 1 <= wrong <= m:
                with pytest.raises(ValueError, match=str(wrong)) as raised:
                    sf.from_codes(np.array([0, wrong], kind), dtype(bits))
                assert "\n" not in str(raised.value)
    for wrong in ([0.5], [1.0], ["1"], [True], [None], [1j], 0.5, "1"):
        with pytest.raises(TypeError):
            sf.from_codes(wrong, dtype(bits))
    for wrong in ([2**63], [2**64], [-2**70], 10**30):
        with pytest.raises((ValueError, TypeError, OverflowError)) as raised:
            sf.from_codes(wrong, dtype(bits))
        assert "\n" not in str(raised.value)


def test_from_codes_without_a_copy_shares_memory():
    codes = np.arange(12, dtype=np.int16).reshape(3, 4)
    for view in (codes, codes.T, codes[::2, ::-1], codes[1], np.broadcast_to(codes[0], (3, 4)), laid_out(codes, gap=1),
                 codes[1, 2, ...]):
        x = sf.from_codes(view, copy=False)
        assert np.shares_memory(x.codes, view) and x.strides == view.strides and x.codes.tolist() == view.tolist()
        assert not np.shares_memory(sf.from_codes(view).codes, view)
    x = sf.from_codes(codes, copy=False)
    codes[0, 0] = 16384
    assert x[0, 0] == 0.5
    x[0, 1] = -0.5
    assert codes[0, 1] == -16384
    for other in (codes.astype(np.int32), codes.astype(">i2"), codes.tolist()):
        y = sf.from_codes(other, copy=False)
        assert y.codes.tolist() == codes.tolist() and y.codes.dtype.isnative and y.codes.dtype == np.int16


def test_read_only_arrays():
    frozen = sf.from_codes(np.frombuffer(bytes(range(8)), np.int8), sf.sf8, copy=False)
    assert not frozen.flags.writeable and frozen.sum().code == 28 and (frozen + frozen).codes.tolist() == [2 * i for i in range(8)]
    for write in (lambda: frozen.__setitem__(0, 0.5), lambda: frozen.fill(0.5), lambda: frozen.sort(),
                  lambda: frozen.__iadd__(frozen),
                  lambda: frozen[:2].__setitem__(..., 0), lambda: np.add(frozen, frozen, out=frozen),
                  lambda: frozen[:, None].sum(axis=1, out=frozen)):
        with pytest.raises(ValueError, match="read-only"):
            write()
    assert frozen.codes.tolist() == list(range(8)) and frozen.copy().flags.writeable


def test_frombuffer():
    room = bytearray(np.array([1, -2, 3, 32767], np.int16).tobytes())
    x = sf.frombuffer(room)
    assert x.codes.tolist() == [1, -2, 3, 32767] and x.flags.writeable
    x[0] = 0.5
    assert room[:2] == b"\x00\x40" and sf.frombuffer(room, count=2, offset=2).codes.tolist() == [-2, 3]
    assert not sf.frombuffer(bytes(room)).flags.writeable
    assert sf.frombuffer(stdlib.array("b", [1, -7]), "sf4").codes.tolist() == [1, -7]
    assert sf.frombuffer(memoryview(room)[4:], sf.sf16).codes.tolist() == [3, 32767]
    assert sf.frombuffer(b"", sf.sf8).shape == (0,)
    for call, error in ((lambda: sf.frombuffer(b"abc"), ValueError), (lambda: sf.frombuffer("ab"), TypeError),
                        (lambda: sf.frombuffer(b"\x40", sf.sf4), ValueError),
                        (lambda: sf.frombuffer(b"ab", count=2), ValueError), (lambda: sf.frombuffer(b"ab", offset=3), ValueError),
                        (lambda: sf.frombuffer(None), TypeError)):
        with pytest.raises(error) as raised:
            call()
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("n", (0, 1, 2, 3, 15, 16, 17, 64, 1001))
def test_packed_sf4(n, seed):
    codes = np.random.default_rng(seed).integers(-7, 8, n)
    packed = array(codes, 4).pack()
    nibbles = [int(k) & 15 for k in codes] + [0] * (n % 2)
    assert type(packed) is bytes and list(packed) == [low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2])]
    for data in (packed, bytearray(packed), memoryview(packed), np.frombuffer(packed, np.uint8)):
        assert sf.unpack(data, n).codes.tolist() == codes.tolist()
    assert sf.unpack(packed, (n, 1)).shape == (n, 1) and sf.unpack(packed, (1, n, 1)).dtype is sf.sf4
    assert array(codes, 4)[::-1].pack() == array(codes[::-1].copy(), 4).pack(), "walked in row-major order, whatever the layout"


def test_packed_sf4_refuses():
    for call, error in ((lambda: sf.from_codes([-8], sf.sf4).pack(), ValueError), (lambda: sf.zeros(2).pack(), TypeError),
                        (lambda: sf.unpack(b"\x08", 2), ValueError),
                        (lambda: sf.unpack(b"\x80", 2), ValueError), (lambda: sf.unpack(b"\x11", 1), ValueError),
                        (lambda: sf.unpack(b"\x11", 3), ValueError),
                        (lambda: sf.unpack(b"\x11", -2), ValueError), (lambda: sf.unpack(b"\x11", (2, -1)), ValueError),
                        (lambda: sf.unpack("a", 2), TypeError),
                        (lambda: sf.unpack([1], 2), TypeError), (lambda: sf.unpack(b"a", 2.0), TypeError),
                        (lambda: sf.unpack(b"a", 2**70), (ValueError, OverflowError)),
                        (lambda: sf.unpack(b"", (2**40, 2**40)), (ValueError, OverflowError)),
                        (lambda: sf.unpack(b"a", None), TypeError)):
        with pytest.raises(error) as raised:
            call()
        assert "\n" not in str(raised.value)
    assert sf.from_codes([[7, -7], [1, 0]], sf.sf4).pack() == b"\x97\x01"
