# SPDX-License-Identifier: Apache-2.0
"""The eight SuperFloat rules through sum_codes and through contracts: probes, exhaustive small widths, random ones, events."""

import ctypes
import itertools

import numpy as np
import pytest

import bitfold_c
from oracle import data
from oracle.formats import FORMATS, convert
from oracle.reduce import reduce
from oracle.superfloat import RULES, sum_codes, toward_zero

PROBES = (
    (("0.1", "-0.25", "0.5"), ("0.1", "-0.25", "0.5"), (10567, 10567, 10567, 10567, 10567, 10567, 10568, 10568)),
    (("-0.9", "-0.9"), ("0.3", "-0.1"), (-5897, -5897, -5898, -5897, -5897, -5898, -5898, -5898)),
    (("0.9",) * 3, ("0.9", "0.9", "-0.9"), (6226, 6226, 6225, 26541, 6226, 6226, 26542, 26542)),
    (("-0.9", "-0.9", "0.9"), ("0.9",) * 3, (-6226, -6227, -6227, -26541, -6227, -6227, -26542, -26542)))
WIDTHS = range(2, 17)


def codes(values, name="sf16"):
    return bitfold_c.convert("f64", name, np.array([float(v) for v in values]).view(np.uint64))[0]


def compare(rule, bits, x, y=None):
    got = bitfold_c.sum_codes(rule, f"sf{bits}", x, y)
    x, y = list(map(int, x)), None if y is None else list(map(int, y))
    assert got == sum_codes(rule, bits, x, y), (rule, bits, x, y)


@pytest.mark.parametrize("probe", range(4))
@pytest.mark.parametrize("rule", RULES)
def test_probe_dots(rule, probe):
    a, b, want = PROBES[probe]
    assert bitfold_c.sum_codes(rule, "sf16", codes(a), codes(b))[0] == want[RULES.index(rule)]
    assert int(bitfold_c.reduce(f"dot:sf16:{rule}", codes(a), codes(b))[0]) == want[RULES.index(rule)]


def test_rules_are_listed_in_the_tables_order():
    listed, i = [], 0
    while rule := bitfold_c.lib.bitfold_rule_at(i):
        listed.append(rule.contents.name.decode())
        i += 1
    assert tuple(listed) == RULES
    assert not bitfold_c.lib.bitfold_rule_named(b"sf32")


def test_S2_reference_examples():
    x = codes(("0.1", "-0.25", "0.5"))
    total, _ = bitfold_c.reduce("sum:sf16:sf", x)
    assert int(total) / 32768 == 0.350006103515625
    assert int(bitfold_c.reduce("dot:sf16:sf", x, x)[0]) / 32768 == 0.322479248046875
    a = codes(("0.1", "0.2", "0.3", "0.4")).reshape(2, 2)
    assert [f"{k / 32768:.7f}" for k in bitfold_c.reduce("sum:sf16:sf", a, axes=0)[0]] == ["0.3999939", "0.6000061"]
    stuck, report = bitfold_c.reduce("sum:sf16:sf", codes(("0.5", "0.5", "0.5", "-0.5")))
    assert f"{int(stuck) / 32768:.8f}" == "0.49996948" and report.clamped == 1


def test_S1_clamps_after_each_add_in_index_order():
    assert bitfold_c.sum_codes("sf", "sf8", [100, 100, -100]) == (27, 1)
    assert bitfold_c.sum_codes("sf", "sf8", [100, -100, 100]) == (100, 0)


def test_S9_the_clamp_is_symmetric():
    for bits in WIDTHS:
        top = (1 << (bits - 1)) - 1
        assert bitfold_c.sum_codes("sf", f"sf{bits}", [-top, -1]) == (-top, 1)
        assert bitfold_c.sum_codes("sf", f"sf{bits}", [top, 1]) == (top, 1)
        assert bitfold_c.sum_codes("atreides-v1", f"sf{bits}", [-top, -1]) == (-top - 1, 0)


def test_S10_landing_on_the_edge_is_no_event():
    assert bitfold_c.sum_codes("sf", "sf8", [100, 27]) == (127, 0)
    assert bitfold_c.sum_codes("sf", "sf8", [-100, -27]) == (-127, 0)
    assert bitfold_c.sum_codes("sf", "sf8", [100, 28]) == (127, 1)


@pytest.mark.parametrize("rule", RULES)
def test_S11_empty_is_zero_and_no_event(rule):
    for bits in WIDTHS:
        assert bitfold_c.sum_codes(rule, f"sf{bits}", []) == (0, 0)
        assert bitfold_c.sum_codes(rule, f"sf{bits}", [], []) == (0, 0)
        with pytest.raises(bitfold_c.Refused) as refused:
            bitfold_c.reduce(f"mean:sf{bits}:{rule}", np.zeros(0, bitfold_c.STORAGE[f"sf{bits}"]))
        assert refused.value.status == "EMPTY"


def test_S14_S15_events_count_outputs_not_steps():
    x = np.array([[100, 100, 100], [1, 2, 3], [100, 100, -100], [100, 27, 0]], np.int8)
    out, report = bitfold_c.reduce("sum:sf8:sf", x, axes=1)
    assert out.tolist() == [127, 6, 27, 127]
    assert (report.clamped, report.outputs) == (2, 4)


def test_S15_an_output_that_came_back_in_range_counts():
    assert bitfold_c.sum_codes("sf", "sf8", [127, 1, -120]) == (7, 1)


def test_S4_S5_axes_are_chains_and_all_axes_one_row_major_walk():
    x = np.array([[100, 100, -100], [-100, 27, 1]], np.int8)
    assert bitfold_c.reduce("sum:sf8:sf", x, axes=0)[0].tolist() == [0, 127, -99]
    assert bitfold_c.reduce("sum:sf8:sf", x, axes=1)[0].tolist() == [27, -72]
    for view in (x, np.asfortranarray(x)):
        assert int(bitfold_c.reduce("sum:sf8:sf", view)[0]) == -45
        assert int(bitfold_c.reduce("sum:sf8:sf", view, axes=(1, 0))[0]) == -45


def test_S8_a_clamped_sum_is_not_the_exact_total():
    x = codes(("0.5", "0.5", "0.5", "-0.5"))
    assert int(bitfold_c.reduce("sum:sf16:sf", x)[0]) == 32767 - 16384
    assert int(bitfold_c.reduce("sum:sf16:exact", x)[0]) == 32767


def test_S19_a_product_that_rounds_to_zero_is_no_event():
    assert bitfold_c.sum_codes("sf", "sf8", [11, 11], [11, -11]) == (0, 0)


@pytest.mark.parametrize("bits", WIDTHS)
def test_S20_S22_S23_dot_is_the_chain_of_narrowed_products(bits, seed):
    x, y = (data.codes(f"sf{bits}", 200, seed + i) for i in (bits, bits + 50))
    products = [toward_zero(int(a), int(b), bits) for a, b in zip(x, y)]
    assert bitfold_c.sum_codes("sf", f"sf{bits}", x, y)[0] == sum_codes("sf", bits, products)[0]
    assert bitfold_c.sum_codes("sf", f"sf{bits}", x, y) == bitfold_c.sum_codes("sf", f"sf{bits}", products)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bits", (2, 3, 4))
def test_S21_every_dot_of_length_two(rule, bits):
    name, low = f"sf{bits}", -(1 << (bits - 1))
    every = np.array(list(itertools.product(range(low, -low), repeat=4)), np.int8)
    out, report = bitfold_c.reduce(f"dot:{name}:{rule}", every[:, :2], every[:, 2:], axes=1)
    want = [sum_codes(rule, bits, row[:2], row[2:]) for row in every.tolist()]
    wrong = [(every[i].tolist(), int(out[i]), want[i]) for i in range(len(want)) if int(out[i]) != want[i][0]]
    assert not wrong, (rule, bits, wrong[:3])
    assert report.clamped == sum(event for _, event in want)
    for row in every[::7]:
        compare(rule, bits, row[:2], row[2:])


def test_S21_an_sf2_dot_is_always_zero():
    for a, b in itertools.product(itertools.product((-1, 0, 1), repeat=3), repeat=2):
        assert bitfold_c.sum_codes("sf", "sf2", a, b) == (0, 0)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bits", WIDTHS)
def test_S21_random_rows(rule, bits, seed):
    name = f"sf{bits}"
    for n in (1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 100, 257, 1000):
        for full_range in (False, True):
            x, y = (data.codes(name, n, seed + n + i + bits, full_range) for i in (0, 7))
            compare(rule, bits, x)
            compare(rule, bits, x, y)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("operation", ("sum", "mean", "dot", "sumsq", "sumabs"))
def test_contracts_with_rules(operation, rule, seed, full):
    for bits in WIDTHS:
        contract, name = f"{operation}:sf{bits}:{rule}", f"sf{bits}"
        for n in (1, 2, 3, 5, 16, 33, 200) if full else (1, 2, 5, 33):
            x = np.stack([data.codes(name, n, seed + n + i, i % 2 == 1) for i in range(8)])
            y = x[::-1].copy() if operation == "dot" else None
            out, report = bitfold_c.reduce(contract, x, y, axes=1)
            want = [reduce(contract, row, None if y is None else y[i]) for i, row in enumerate(x)]
            for i, (code, _) in enumerate(want):
                assert int(out[i]) == code, (contract, x[i].tolist(), None if y is None else y[i].tolist(), int(out[i]), code)
            assert report.clamped == sum(event for _, event in want), (contract, x.tolist())


@pytest.mark.parametrize("operation", ("sum", "mean", "dot", "sumsq", "sumabs"))
@pytest.mark.parametrize("output", ("", "f16", "bf16", "f32", "f64"))
def test_exact_of_codes(operation, output, seed):
    for bits in WIDTHS:
        contract, name = f"{operation}:sf{bits}:exact" + (f":out={output}" if output else ""), f"sf{bits}"
        for n in (1, 2, 3, 6, 33):
            x = np.stack([data.codes(name, n, seed + n + i, i % 2 == 1) for i in range(8)])
            y = x[::-1].copy() if operation == "dot" else None
            out, report = bitfold_c.reduce(contract, x, y, axes=1)
            want = [reduce(contract, row, None if y is None else y[i]) for i, row in enumerate(x)]
            assert out.tolist() == [code for code, _ in want], (contract, x.tolist())
            assert report.clamped == sum(event for _, event in want)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("output", ("f16", "bf16", "f32", "f64"))
def test_sums_read_as_floats(rule, output, seed):
    for bits in WIDTHS:
        x = data.codes(f"sf{bits}", 9, seed + bits)
        out, report = bitfold_c.reduce(f"sum:sf{bits}:{rule}:out={output}", x)
        code, event = sum_codes(rule, bits, x.tolist())
        assert (int(out), report.clamped) == (convert(f"sf{bits}", output, code)[0], event)


def test_S12_length_never_changes_bits(seed):
    x = data.codes("sf16", 20000, seed)
    for n in (4095, 4096, 4097, 19999):
        compare("sf", 16, x[:n])
        compare("guarded31", 16, x[:n], x[-n:])


def test_S25_dot_of_two_lengths_is_refused():
    with pytest.raises(bitfold_c.Refused) as refused:
        bitfold_c.reduce("dot:sf8:sf", np.zeros(3, np.int8), np.zeros(4, np.int8))
    assert refused.value.status == "SHAPE" and refused.value.message


@pytest.mark.parametrize("bits", [b for b in WIDTHS if b not in (8, 16)])
def test_codes_beyond_the_width_are_refused(bits):
    for code in (1 << (bits - 1), -(1 << (bits - 1)) - 1):
        for x in ([code], [0] * 40 + [code]):
            with pytest.raises(bitfold_c.Refused) as refused:
                bitfold_c.sum_codes("sf", f"sf{bits}", x)
            assert refused.value.status == "VALUE"
            with pytest.raises(bitfold_c.Refused) as refused:
                bitfold_c.reduce(f"sum:sf{bits}:sf", np.array(x, FORMATS[f"sf{bits}"].storage))
            assert refused.value.status == "VALUE"


def test_a_rule_of_ones_own():
    """Rules are data: the rule sf with a 12-bit accumulator clamps where sf at sf16 would not."""
    rule = bitfold_c.Rule.from_buffer_copy(bitfold_c.lib.bitfold_rule_named(b"sf").contents)
    rule.name, rule.accumulator_bits = b"mine", 12
    assert bitfold_c.sum_codes(rule, "sf16", [2000, 2000, -1]) == (2046, 1)


def test_a_mean_of_one_element_is_rounded_to_nearest_too():
    """Not read out by the rule: the accumulator holds -0.25, half a code of sf2, which is a tie."""
    rule = bitfold_c.Rule(b"narrow", 2, 1, 16, 0, 1, 16, 32, 0, 0)
    assert bitfold_c.sum_codes(rule, "sf2", [-1]) == (-1, 1)
    contract = bitfold_c.parse("mean:sf2:sf")
    contract.rule = ctypes.pointer(rule)
    assert int(bitfold_c.reduce(contract, np.array([-1], np.int8))[0]) == 0
