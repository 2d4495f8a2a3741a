# SPDX-License-Identifier: Apache-2.0
"""--order numpy on files in C and in Fortran order, which the command reads where they lie."""

import numpy
import pytest

ORDER = "numpy" if tuple(int(part) for part in numpy.__version__.split(".")[:2]) >= (2, 3) else "numpy-1"


@pytest.mark.parametrize("layout", "CF")
@pytest.mark.parametrize("dtype", ("f2", "f4", "f8", ">f4"))
def test_a_file_gives_numpys_bits_of_the_loaded_array(command, layout, dtype):
    x = numpy.random.default_rng(9).normal(size=(30, 50, 20)).astype(dtype)
    command.save("x.npy", numpy.asarray(x, order=layout))
    x = command.load("x.npy")
    for axes in ((0,), (1,), (0, 2), (1, 2), (0, 1, 2)):
        for operation in ("sum", "mean"):
            for threads in "12":
                command.run(operation, "x.npy", "--order", ORDER, "--axis", ",".join(map(str, axes)), "--threads", threads, "-o", "y.npy")
                want = getattr(numpy, operation)(x, axes)
                assert command.load("y.npy").tobytes() == want.tobytes(), (operation, axes)


def test_what_cannot_be_imitated_is_one_line(command):
    command.save("x.npy", numpy.ones(5, "f4"))
    command.refuses("dot", "x.npy", "x.npy", "--order", "numpy",
                    says="x.npy: NumPy leaves a dot of f32 to a BLAS, which has no one order; numpy orders that of f16")
