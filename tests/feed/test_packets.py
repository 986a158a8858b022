"""Packets are checked and counted by reason; invalid ones leave the pose alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from .hand import Hand

GOOD = b'{"joints": [0.5, -1], "time": 3, "seq": 7}'
BAD = {
    "empty": (b"", "json"),
    "garbage": (b"\x00\x01hello", "json"),
    "not UTF-8": (b"[0.5, \xff]", "encoding"),
    "UTF-16": ("[0.5, 1]".encode("utf-16"), "encoding"),
    "byte order mark": (b"\xef\xbb\xbf[0.5, 1]", "json"),
    "rest": (b"[0.5, 1] 2", "json"),
    "deep": (b"[" * 4000, "nesting"),
    "deep and whole": (b"[" * 900 + b"]" * 900, "nesting"),
    "deep objects": (b'{"a":' * 600 + b"1" + b"}" * 600, "nesting"),
    "oversize": (b"[0.5, 1]".ljust(4097), "oversize"),
    "datagram of 64 KiB": (b"[0.5, 1]".ljust(65507), "oversize"),
    "a number": (b"3", "layout"),
    "a string": (b'"joints"', "layout"),
    "null": (b"null", "layout"),
    "no joints": (b'{"time": 3}', "layout"),
    "joints are null": (b'{"joints": null}', "layout"),
    "joints are a string": (b'{"joints": "ab"}', "layout"),
    "none": (b"[]", "joints"),
    "too few": (b"[0.5]", "joints"),
    "too many": (b"[0.5, 1, 2]", "joints"),
    "by name": (b'{"joints": {"a": 1, "b": 2}}', "layout"),
    "NaN": (b"[0.5, NaN]", "number"),
    "infinite": (b"[0.5, -Infinity]", "number"),
    "overflow": (b"[0.5, 1e999]", "number"),
    "huge": (b"[0.5, 1e300]", "number"),
    "huge int": (b"[0.5, 1" + b"0" * 4000 + b"]", "number"),
    "bool": (b"[0.5, true]", "number"),
    "text": (b'[0.5, "1"]', "number"),
    "nested": (b"[0.5, [1]]", "number"),
    "null value": (b"[0.5, null]", "number"),
    "NaN time": (b'{"joints": [0, 1], "time": NaN}', "number"),
    "text time": (b'{"joints": [0, 1], "time": "3"}', "number"),
    "huge time": (b'{"joints": [0, 1], "time": 1e300}', "number"),
    "bool seq": (b'{"joints": [0, 1], "seq": true}', "number"),
    "list seq": (b'{"joints": [0, 1], "seq": []}', "number"),
    "key twice": (b'{"joints": [0, 1], "joints": [2, 3]}', "duplicate"),
    "key twice inside": (b'{"joints": {"a": 0, "a": 1}}', "duplicate"),
}


@pytest.mark.parametrize("name", BAD)
def test_invalid_packet_is_counted_and_changes_nothing(name):
    data, reason = BAD[name]
    with Hand(delay=0) as hand:
        assert hand.give(GOOD)
        assert not hand.give(data)
        hand.only(good=1, **{reason: 1})
        assert hand.feed.dropped == 1
        assert hand.feed.problem.startswith(reason + ": ")
        np.testing.assert_array_equal(hand.sample(101.0), [0.5, -1.0])


def test_arrays_objects_and_unknown_keys_are_accepted():
    with Hand(["a", "b"], delay=0) as hand:
        hand.give([1, 2])
        np.testing.assert_array_equal(hand.sample(100.1), [1, 2])
        hand.give({"joints": [3, 4], "gripper": {"open": True}, "time": None})
        np.testing.assert_array_equal(hand.sample(100.2), [3, 4])
        hand.give({"joints": {"b": 6, "gripper": 0, "a": 5}})
        np.testing.assert_array_equal(hand.sample(100.3), [5, 6])
        hand.give({"joints": {"a": 5}})
        hand.only(good=3, joints=1)
        assert "'b'" in hand.feed.problem


def test_degrees_of_rotating_joints_and_sender_names():
    with Hand(
        ["turn", "rail"], degrees=["turn"], mapping={"turn": "J1"}, delay=0
    ) as hand:
        hand.give({"joints": {"J1": 180, "rail": 2.5}})
        np.testing.assert_allclose(hand.sample(101.0), [math.pi, 2.5])
        hand.give({"joints": {"turn": 90, "rail": 2.5}})
        hand.only(good=1, joints=1)
    with Hand(degrees=True, delay=0) as hand:
        hand.give([90, -45])
        np.testing.assert_allclose(hand.sample(101.0), [math.pi / 2, -math.pi / 4])


def test_reordered_and_repeated_packets_are_late():
    with Hand(delay=0) as hand:
        for seq, taken in ((5, True), (7, True), (6, False), (7, False), (8, True)):
            hand.clock.now += 0.01
            assert hand.give({"joints": [seq, 0], "seq": seq}) is taken
        for time, taken in ((1.0, True), (1.2, True), (1.1, False), (1.2, False)):
            hand.clock.now += 0.01
            assert hand.give({"joints": [9, 9], "time": time}) is taken
        hand.only(good=5, late=4)


def test_implausible_times_are_dropped():
    with Hand() as hand:
        hand.give({"joints": [0, 0], "time": 50.0}, at=100.0)
        hand.give({"joints": [0, 0], "time": 50.1}, at=100.1)
        # a second ahead of the clock that the others kept to
        assert not hand.give({"joints": [0, 0], "time": 51.2}, at=100.2)
        hand.give({"joints": [0, 0], "time": 50.3}, at=100.3)
        hand.only(good=3, early=1)
        # and ever further behind it
        assert hand.give({"joints": [0, 0], "time": 50.31}, at=100.7)
        assert not hand.give({"joints": [0, 0], "time": 50.32}, at=101.1)
        hand.only(good=4, early=1, late=1)


@pytest.mark.parametrize("first", [{"seq": 10**9}, {"time": 1e9}, {"time": -1e9}])
def test_restarted_sender_is_accepted_after_a_silence(first):
    with Hand(delay=0, stale_after=0.5) as hand:
        assert hand.give({"joints": [1, 1], **first}, at=100.0)
        anew = [{"joints": [2, 2], "seq": i, "time": 0.01 * i} for i in range(1, 80)]
        taken = [hand.give(p, at=100 + p["time"]) for p in anew]
        # at once where nothing speaks against it, else when the silence is over
        began = taken.index(True)
        assert began <= 50
        assert all(taken[began:])
        np.testing.assert_array_equal(hand.sample(101.0), [2, 2])


@pytest.mark.parametrize(("rate", "most"), [(0.5, 1), (4.0, 1), (40.0, 10)])
def test_burst_of_a_quarter_second_is_accepted(rate, most):
    with Hand(max_rate=rate) as hand:
        for at in (100.0, 200.0, 300.0):
            assert [hand.give([0, 0], at=at) for _ in range(most + 2)] == [
                *[True] * most,
                *[False] * 2,
            ]


def test_flood_is_read_slowly():
    with Hand(max_rate=1.0) as hand:
        assert hand.give([0, 0])
        waits = []
        hand.source.receiver.wait = waits.append
        for i in range(1, 201):
            hand.give([0, 0])
            # once in 64: a reader that slept each time would fall behind
            assert len(waits) == i // 64
        assert set(waits) == {0.001}


def test_unsampled_feed_stays_small():
    with Hand(max_rate=100.0, delay=0) as hand:
        for i in range(2000):
            hand.give([i, i], at=100 + 0.01 * i)
        assert len(hand.source.receiver.poses) == 200
        np.testing.assert_array_equal(hand.sample(130.0), [1999, 1999])


@pytest.mark.parametrize("rate", [2.0, 40.0])
def test_flood_is_accepted_up_to_the_packet_rate(rate):
    random = np.random.default_rng(4)
    with Hand(max_rate=rate) as hand:
        # a bucket that holds a quarter of a second's packets, but one at least
        most = max(1.0, 0.25 * rate)
        left, last, taken, now = most, 100.0, 0, 100.0
        for _ in range(300):
            now += float(random.choice([0.0, 0.3, 1.3, 4.0])) / rate
            left = min(most, left + (now - last) * rate)
            last = now
            # never so near to one packet that rounding decides
            if abs(left - 1.0) < 1e-6:
                continue
            good = left >= 1.0
            hand.give([1.0, 2.0], at=now)
            left -= good
            taken += good
            assert hand.feed.counts["good"] == taken
