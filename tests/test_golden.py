# SPDX-License-Identifier: Apache-2.0
"""The golden table of the contract language: data G under each contract."""

import numpy as np
import pytest

import bitfold_c
from oracle.reduce import reduce, reduce_rows

GOLDEN = {
    "canonical(16)": 0x40618F71F6379380,
    "canonical(128)": 0x40618F71F6379397,
    "canonical(1)": 0x40618F71F6379396,
    "sequential": 0x40618F71F6378F92,
    "canonical(4)": 0x40618F71F6379390,
    "exact": 0x40618F71F637938C,
    "blocks(8192,pairwise(128,lanes(8,fold=pairs,tail=after)))": 0x40618F71F637939E,
    "numpy-1": 0x40618F71F637939E,  # the same on contiguous data
}


@pytest.fixture(scope="module")
def g():
    state, values = 0x243F6A8885A308D3, []
    for _ in range(1_000_000):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        values.append(((state >> 11) - (1 << 52)) / (1 << 52))
    return np.array(values).view(np.uint64)


def test_data_g_begins_as_published(g):
    assert [f"{int(v):016x}" for v in g[:3]] == ["3fd37de3b20e9fdc", "bfd2e1595e76077c", "bfd5c999955b530c"]


@pytest.mark.parametrize("order", GOLDEN)
def test_golden(order, g):
    assert f"{int(bitfold_c.reduce('sum:f64:' + order, g)[0]):016x}" == f"{GOLDEN[order]:016x}"


@pytest.mark.full
@pytest.mark.parametrize("order", GOLDEN)
def test_golden_of_the_oracle(order, g):
    contract = "sum:f64:" + order
    assert (reduce(contract, g)[0] if order == "exact" else int(reduce_rows(contract, g[None])[0])) == GOLDEN[order]
