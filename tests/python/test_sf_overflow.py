# SPDX-License-Identifier: Apache-2.0
"""S13 to S19: what counts as an overflow, what it says, and the policy that decides what it does."""

import asyncio
import concurrent.futures
import contextvars
import inspect
import pickle
import threading
import warnings

import numpy as np
import pytest

import plain
import sf
from plain import array, codes_of, top

MANY = sf.from_codes([[32767, 5, 32767, -32767], [1, 5, -9, -1], [-32767, 5, 9, 1]])
MESSAGES = {
    "sf16 sum: overflow in 1 of 1 element(s)": lambda over: sf.sum(MANY[0, 0:3], over=over),
    "sf16 sum: overflow in 2 of 4 element(s)": lambda over: MANY.sum(axis=0, over=over),
    "sf16 sum: overflow in 1 of 3 element(s)": lambda over: MANY.sum(axis=1, over=over),
    "sf16 mean: overflow in 1 of 3 element(s)": lambda over: MANY.mean(axis=1, over=over),
    "sf4 dot: overflow in 1 of 1 element(s)": lambda over: sf.dot(array([7, 7], 4), array([7, 7], 4), over=over),
    "sf4 matmul: overflow in 1 of 2 element(s)": lambda over: sf.matmul(array([[7, 7], [1, 1]], 4), array([7, 7], 4), over=over),
    "sf16 array: overflow in 2 of 3 element(s)": lambda over: sf.array([1.0, -3.5, 0.5], over=over),
    "sf8 array: overflow in 1 of 2 element(s)": lambda over: array([32767, 3]).astype(sf.sf8, over=over),
    "sf16 array: overflow in 1 of 1 element(s)": lambda over: sf.sf16(2, over=over)}
AMBIENT = {
    "sf16 add: overflow in 4 of 12 element(s)": lambda: MANY + MANY,
    "sf16 subtract: overflow in 1 of 2 element(s)": lambda: array([-32767, 0]) - array([1, 1]),
    "sf16 negative: overflow in 1 of 3 element(s)": lambda: -array([-32768, 0, 1]),
    "sf16 absolute: overflow in 1 of 1 element(s)": lambda: abs(sf.sf16.from_code(-32768)),
    "sf16 multiply: overflow in 1 of 2 element(s)": lambda: array([-32768, 5]) * array([-32768, 5]),
    "sf5 add: overflow in 1 of 1 element(s)": lambda: sf.sf5(0.5) + sf.sf5(0.5),
    "sf16 matmul: overflow in 1 of 1 element(s)": lambda: array([32767] * 3) @ array([32767] * 3)}


@pytest.mark.parametrize("message", [*MESSAGES, *AMBIENT])
def test_S13_the_message_is_exact_and_raising_is_the_default(message):
    call = (lambda: MESSAGES[message](None)) if message in MESSAGES else AMBIENT[message]
    with pytest.raises(sf.SFOverflowError) as raised:
        call()
    assert str(raised.value) == message
    assert isinstance(raised.value, OverflowError)
    count, total = map(int, message.split("overflow in ")[1].removesuffix(" element(s)").split(" of "))
    assert (raised.value.count, raised.value.total) == (count, total)


def test_S14_outputs_are_counted_not_steps():
    m = top(16)
    with pytest.raises(sf.SFOverflowError, match="^sf16 sum: overflow in 1 of 1 element"):
        array([m] * 500).sum()
    with pytest.raises(sf.SFOverflowError, match="^sf16 sum: overflow in 300 of 400 element"):
        array([[m] * 5] * 300 + [[m, 0, 0, 0, 0]] * 100).sum(axis=1)


@pytest.mark.parametrize("bits", (3, 8, 16))
def test_S14_S15_the_count_is_the_oracles(bits, seed):
    x = codes_of(bits, np.random.default_rng(seed), (60, 12))
    want, count = plain.over_axes("sf", bits, x, axes=1)
    exact = sum(abs(int(row.sum())) > top(bits) for row in x)
    assert 60 > count > exact, "some clamped and came back into range"
    with pytest.raises(sf.SFOverflowError) as raised:
        array(x, bits).sum(axis=1)
    assert (raised.value.count, raised.value.total) == (count, 60) == (sf.status.saturated, 60)
    assert raised.value.result.codes.tolist() == want.tolist()


def test_S15_an_output_that_came_back_counts():
    m = top(16)
    for codes in ([m, 1, -1], [m, m, -m, -m], [-m, -5, 5], [m, 1, -m, 0]):
        assert -m < array(codes).sum(over="ignore").code < m or codes[0] == m
        with pytest.raises(sf.SFOverflowError, match="1 of 1"):
            array(codes).sum()


@pytest.mark.parametrize("message", [*MESSAGES, *AMBIENT])
def test_S16_the_three_policies_give_the_same_bits(message):
    call = MESSAGES.get(message) or (lambda over: AMBIENT[message]())
    with sf.errstate(over="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet = call("ignore")
    with sf.errstate(over="warn"), pytest.warns(sf.SFWarning) as caught:
        loud = call("warn")
    with sf.errstate(over="raise"), pytest.raises(sf.SFOverflowError) as raised:
        call("raise")
    assert [str(w.message) for w in caught] == [message] and issubclass(sf.SFWarning, RuntimeWarning)
    assert quiet.codes.tolist() == loud.codes.tolist() == raised.value.result.codes.tolist()
    assert type(quiet) is type(loud) is type(raised.value.result)


@pytest.mark.parametrize("message", [*MESSAGES, *AMBIENT])
def test_S16_a_warning_points_at_the_users_line(message):
    call = MESSAGES.get(message) or (lambda over: AMBIENT[message]())
    with sf.errstate(over="warn"), pytest.warns(sf.SFWarning) as caught:
        call("warn")
    lines, start = inspect.getsourcelines(MESSAGES.get(message) or AMBIENT[message])
    assert caught[0].filename == __file__
    assert start <= caught[0].lineno < start + len(lines)


@pytest.mark.parametrize("call", (lambda: np.sum(MANY), lambda: np.add(MANY, MANY), lambda: sum(MANY[0]),
                                  lambda: np.add.reduce(MANY),
                                  lambda: MANY[:, :3] @ MANY, lambda: sf.full(3, 1.5), lambda: sf.arange(0, 3, 1)))
def test_S16_through_numpy_too_a_warning_points_here(call):
    with sf.errstate(over="warn"), pytest.warns(sf.SFWarning) as caught:
        call()
    assert {w.filename for w in caught} == {__file__}
    assert {w.lineno for w in caught} <= set(range(call.__code__.co_firstlineno, call.__code__.co_firstlineno + 2))


def test_S16_per_call_overrides_the_block():
    x = array([32767, 1])
    with sf.errstate(over="ignore"):
        assert x.sum().code == 32767
        with pytest.raises(sf.SFOverflowError):
            x.sum(over="raise")
    assert x.sum(over="ignore").code == 32767


def test_S16_blocks_nest_and_are_restored_on_an_exception():
    assert sf.geterr() == {"over": "raise"}
    with sf.errstate(over="ignore"):
        with sf.errstate(over="warn"):
            assert sf.geterr() == {"over": "warn"}
            with pytest.raises(KeyError), sf.errstate(over="raise"):
                assert sf.geterr() == {"over": "raise"}
                raise KeyError
            assert sf.geterr() == {"over": "warn"}
        assert sf.geterr() == {"over": "ignore"}
    assert sf.geterr() == {"over": "raise"}


def test_S16_a_block_object_may_be_entered_again_and_inside_itself():
    block = sf.errstate(over="ignore")
    with block:
        with sf.errstate(over="raise"), block:
            assert sf.geterr()["over"] == "ignore"
        assert sf.geterr()["over"] == "ignore"
    assert sf.geterr()["over"] == "raise"
    with block:
        assert sf.geterr()["over"] == "ignore"


def test_S16_an_errstate_inside_a_generator_ends_with_the_block():
    def rows():
        with sf.errstate(over="ignore"):
            yield array([32767, 1]).sum().code
    assert list(rows()) == [32767] and sf.geterr() == {"over": "raise"}


@pytest.mark.parametrize("over", ("Raise", "call", "", None, 1, "print"))
def test_S16_an_unknown_policy_is_an_error(over):
    with pytest.raises(ValueError, match="'raise', 'warn' or 'ignore'"):
        sf.errstate(over=over)
    if over is None:
        return
    calm = array([1, 2])
    for call in (calm.sum, calm.mean, lambda over: sf.dot(calm, calm, over=over), lambda over: sf.matmul(calm, calm, over=over),
                 lambda over: sf.array([0.5], over=over), lambda over: calm.astype(sf.sf8, over=over),
                 lambda over: sf.sf16(0.5, over=over),
                 lambda over: sf.asarray([0.5], over=over), lambda over: sf.full(2, 0.5, over=over)):
        with pytest.raises(ValueError, match="'raise', 'warn' or 'ignore'"):
            call(over=over)


def in_thread(call):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


def test_S16_each_thread_has_its_own_policy_and_rule():
    with sf.errstate(over="ignore"), sf.use_rule("systolic24"):
        assert in_thread(sf.geterr) == {"over": "raise"}
        assert in_thread(lambda: array([32767, 5, -5]).sum(over="ignore").code) == 32762
        assert array([32767, 5, -5]).sum().code == 32767


def test_S16_threads_with_different_policies_and_rules_at_the_same_time():
    x, b = sf.array([0.9, 0.9, 0.9]), sf.array([0.9, 0.9, -0.9])
    rules = [r.name for r in sf.rules()]
    gate, wrong = threading.Barrier(len(rules)), []
    want = {r: plain.total(r, 16, x.codes, b.codes) for r in rules}

    def work(rule):
        with sf.use_rule(rule):
            gate.wait()
            for i in range(200):
                over = ("ignore", "raise")[i % 2]
                with sf.errstate(over=over):
                    try:
                        got, event = sf.dot(x, b).code, None
                    except sf.SFOverflowError as error:
                        got, event = error.result.code, 1
                if (got, event) != (want[rule][0], want[rule][1] if over == "raise" and want[rule][1] else None):
                    wrong.append((rule, got, event))
                if sf.status.saturated != want[rule][1]:
                    wrong.append((rule, "status", sf.status.saturated))
    threads = [threading.Thread(target=work, args=(r,)) for r in rules]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(set(want.values())) > 2 and not wrong, wrong[:3]


def test_S16_one_block_object_serves_many_threads_at_once():
    block, inside, leave, seen = sf.errstate(over="ignore"), threading.Barrier(2), threading.Barrier(2), []

    def work(first):
        try:
            with block:
                inside.wait()
                seen.append(sf.geterr()["over"])
                if first:
                    leave.wait()
            if not first:
                leave.wait()
            seen.append(sf.geterr()["over"])
        except Exception as error:
            seen.append(error)
            leave.abort()
    threads = [threading.Thread(target=work, args=(first,)) for first in (True, False)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(map(str, seen)) == ["ignore", "ignore", "raise", "raise"]


def test_S16_each_asyncio_task_has_its_own_policy():
    async def work(over, rule, log):
        with sf.errstate(over=over), sf.use_rule(rule):
            for _ in range(5):
                await asyncio.sleep(0)
                log.append((sf.geterr()["over"], array([32767, 5, -5]).sum(over="ignore").code))
        log.append(sf.geterr()["over"])

    async def main():
        logs = [[], []]
        await asyncio.gather(work("ignore", "sf", logs[0]), work("warn", "systolic24", logs[1]))
        return logs
    assert asyncio.run(main()) == [[("ignore", 32762)] * 5 + ["raise"], [("warn", 32767)] * 5 + ["raise"]]


def test_S16_a_copied_context_carries_the_policy():
    with sf.errstate(over="ignore"):
        context = contextvars.copy_context()
    assert context.run(sf.geterr) == {"over": "ignore"} and sf.geterr() == {"over": "raise"}


OUTS = {"sum": lambda out: MANY.sum(axis=0, out=out[0]), "mean": lambda out: MANY.mean(axis=1, out=out[0, :3]),
        "np.sum": lambda out: np.sum(MANY, axis=0, out=out[0]), "dot": lambda out: sf.dot(MANY[:, :3], MANY, out=out),
        "matmul": lambda out: sf.matmul(MANY[:, :3], MANY, out=out), "np.matmul": lambda out: np.matmul(MANY[:, :3], MANY, out=out),
        "np.add": lambda out: np.add(MANY, MANY, out=out), "np.subtract": lambda out: np.subtract(MANY, -MANY, out=out),
        "+=": lambda out: out.__iadd__(MANY)}


@pytest.mark.parametrize("which", OUTS)
def test_S17_out_is_untouched_on_raise_and_written_under_ignore(which):
    out = sf.full((3, 4), 0.125)
    before = out.codes.tolist()
    with pytest.raises(sf.SFOverflowError) as raised:
        OUTS[which](out)
    assert out.codes.tolist() == before
    assert raised.value.count >= 1 and raised.value.total == raised.value.result.size
    with sf.errstate(over="ignore"):
        OUTS[which](out)
    assert out.codes.tolist() != before
    written = out.codes.reshape(-1)[: raised.value.result.size].tolist()
    assert written == raised.value.result.codes.reshape(-1).tolist()


def test_S17_when_the_warning_is_an_error_out_is_untouched_too():
    out = sf.full(4, 0.125)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(sf.SFWarning):
            MANY.sum(axis=0, out=out, over="warn")
    assert out.codes.tolist() == [4096] * 4


def test_S17_the_exception_survives_pickling_with_its_parts():
    with pytest.raises(sf.SFOverflowError) as raised:
        MANY.sum(axis=0)
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is sf.SFOverflowError and str(again) == str(raised.value)
    assert (again.count, again.total, again.result.codes.tolist()) == (2, 4, raised.value.result.codes.tolist())
