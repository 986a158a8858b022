"""Poses between packets, compared with numpy's interpolation."""

from __future__ import annotations

import json
import math
import time
from itertools import count
from threading import Event, Thread

import numpy as np
import pytest

import ikrig

from .hand import Hand, HandSource

RNG_SEED = 4


def test_poses_between_packets_are_linear_with_a_delay():
    rng = np.random.default_rng(RNG_SEED)
    times = 100 + np.cumsum(rng.uniform(0.005, 0.04, 100))
    poses = rng.uniform(-3, 3, (100, 2))
    with Hand(delay=0.1) as hand:
        hand.sample(100.0)
        sent = 0
        for at in np.arange(times[0] + 0.1, times[-1], 1 / 60):
            while times[sent] <= at:
                hand.give(poses[sent].tolist(), at=times[sent])
                sent += 1
            truth = [np.interp(at - 0.1, times, poses[:, k]) for k in range(2)]
            np.testing.assert_allclose(hand.sample(at), truth, atol=1e-9)
        assert sent > 80


def test_senders_time_removes_jitter():
    rng = np.random.default_rng(RNG_SEED)
    own = 7000 + 0.01 * np.arange(1000)  # the sender's clock is quite another
    # 2 to 30 ms under way, a few of them hardly at all
    way = np.where(rng.random(1000) < 0.1, 0.002, rng.uniform(0.002, 0.03, 1000))
    arrival = np.maximum.accumulate(own - 6900 + way)
    with Hand(delay=0.06) as hand:
        worst, sent = 0.0, 0
        for at in np.arange(100.1, 109.9, 1 / 60):
            while arrival[sent] <= at:
                t = float(own[sent])
                packet = {"joints": [math.sin(3 * t), 0], "time": t, "seq": sent}
                assert hand.give(packet, at=float(arrival[sent]))
                sent += 1
            if at > 102:
                truth = math.sin(3 * (at - 0.06 + 6900 - 0.002))
                worst = max(worst, abs(hand.sample(at)[0] - truth))
            else:
                hand.sample(at)
        # 30 ms of jitter at 3 rad/s would be 0.09
        assert worst < 0.008


def test_clock_drift_is_followed():
    with Hand(delay=0.05) as hand:
        for i in range(20_000):
            # the sender's clock loses 300 µs a second: 60 ms over the test
            at = 100 + 0.01 * i
            hand.give({"joints": [at, 0], "time": 0.01 * i * (1 - 3e-4)}, at=at)
            shown = hand.sample(at)[0]
            if i > 10:
                assert shown == pytest.approx(at - 0.05, abs=1e-3)
        hand.only(good=20_000)


@pytest.mark.parametrize("gap", [0.2, 3.0])
def test_gap_causes_no_jump(gap):
    with Hand(delay=0.1) as hand:
        for i in range(50):
            hand.give([0.0, 0.0], at=100 + 0.01 * i)
            hand.sample(100 + 0.01 * i)
        shown, at = [], 100.5
        while at < 100.5 + gap:
            shown.append(hand.sample(at)[0])
            at += 0.01
        for _ in range(30):
            hand.give([1.0, 1.0], at=at)
            shown.append(hand.sample(at)[0])
            at += 0.01
        assert shown[-1] == 1.0
        # one radian in the 0.1 s of delay is 0.1 a frame
        assert np.abs(np.diff(shown)).max() < 0.11


@pytest.mark.parametrize("wrap", [False, True, ["a"], [0]])
def test_angles_wrap_only_on_request(wrap):
    with Hand(["a", "b"], wrap=wrap, delay=1.0) as hand:
        hand.sample(99.0)
        hand.give([3.0, 3.0], at=100.0)
        hand.give([-3.0, -3.0], at=101.0)
        shown = hand.sample(101.5)
        short = [wrap is not False, wrap is True]
        for value, wraps in zip(shown, short, strict=True):
            # half way: over π by the short way, over 0 by the long one
            assert abs(value) == pytest.approx(math.pi if wraps else 0.0)
        np.testing.assert_allclose(np.cos(hand.sample(102.0)), np.cos(3.0))


def test_wrapped_angles_turn_by_the_shorter_arc_from_any_turn():
    rng = np.random.default_rng(RNG_SEED)
    # senders may count turns, or start anew at -π or 0
    angles = rng.uniform(-20, 20, (200, 2))
    with Hand(wrap=True, delay=1.0) as hand:
        hand.sample(99.0)
        for i, pose in enumerate(angles):
            hand.give(pose.tolist(), at=100.0 + 0.1 * i)
        directions = np.exp(1j * angles)
        for i in range(len(angles) - 1):
            for share in (0.0, 0.25, 0.5, 0.9):
                shown = hand.sample(101.0 + 0.1 * (i + share))
                # the principal power: the arc of less than half a turn
                arc = (directions[i + 1] / directions[i]) ** share
                wanted = directions[i] * arc
                np.testing.assert_allclose(np.exp(1j * shown), wanted, atol=1e-9)


@pytest.mark.parametrize("timed", [False, True, None])
def test_timestamps_never_go_back(timed, tmp_path):
    rng = np.random.default_rng(RNG_SEED)
    own = 7000.0 + 0.01 * np.arange(300)
    arrival = np.maximum.accumulate(own - 6900.0 + rng.uniform(0.0, 0.1, 300))
    # the clock is set back now and then, by less than the packets' age
    back = np.cumsum(rng.choice([0.0, 0.04], 300, p=[0.95, 0.05]))
    file = tmp_path / "run.jsonl"
    with Hand(delay=0.05) as hand:
        hand.feed.record(file)
        for i, at in enumerate(arrival - back):
            packet = {"joints": [i, i]}
            if timed or (timed is None and i % 3):
                packet["time"] = float(own[i])
            assert hand.give(packet, at=float(at)), hand.feed.problem
            # never a pose that was not sent yet
            assert 0.0 <= hand.sample(float(at))[0] <= i
        hand.feed.stop_recording()
    stamps = [json.loads(line)["time"] for line in file.read_text().splitlines()]
    assert len(stamps) == len(own)
    assert np.diff(arrival - back).min() < -0.01
    assert np.diff(stamps).min() >= 0.0


def test_invalid_times_neither_raise_nor_persist():
    with Hand(delay=0.05) as hand:
        rng = np.random.default_rng(RNG_SEED)
        odd = [math.nan, math.inf, -math.inf, 1e300, -1e300, 0.0, 99.0]
        for i in range(300):
            at = 100 + 0.01 * i
            hand.give([i, i], at=at)
            values = hand.feed.sample(odd[rng.integers(len(odd))])
            assert np.isfinite(values).all()
            assert (values >= 0).all() and (values <= i).all()
        np.testing.assert_allclose(hand.sample(103.0), 295)


def test_frames_have_a_time_of_their_own():
    """All of one frame is seen at its beginning, however late in it a feed is read."""
    rng = np.random.default_rng(RNG_SEED)
    times = 100 + np.cumsum(rng.uniform(0.01, 0.05, 60))
    poses = rng.uniform(-3, 3, (60, 2))
    with Hand(delay=0.05) as hand:
        for time_, pose in zip(times, poses, strict=True):
            hand.give(pose.tolist(), at=time_)
        last = times[-1]
        for at in np.arange(times[0] + 0.06, last, 0.013):
            truth = [np.interp(at - 0.05, times, poses[:, k]) for k in range(2)]
            np.testing.assert_allclose(hand.feed.sample(at), truth, atol=1e-9)
        # of no time, or one that is not yet: the clock's
        hand.clock.now = last + 0.02
        truth = [np.interp(last - 0.03, times, poses[:, k]) for k in range(2)]
        for now in (None, last + 9.0, math.nan, math.inf, -math.inf, "soon"):
            np.testing.assert_allclose(hand.feed.sample(now), truth, atol=1e-9)


def test_returned_arrays_are_copies():
    with Hand(delay=0) as hand:
        hand.give([1, 2])
        hand.sample(101.0)[:] = 99
        np.testing.assert_array_equal(hand.sample(101.1), [1, 2])
        hand.give([3, 4])
        # what both threads hold is nobody's to write
        with pytest.raises(ValueError, match="read-only"):
            hand.feed._receiver.newest[:] = 99
        hand.sample(101.2)[:] = 99
        np.testing.assert_array_equal(hand.sample(101.3), [3, 4])


def test_sampling_beside_a_busy_reader_gives_sent_poses():
    # both joints carry the same number: a mixed pose would show
    source = HandSource()
    ended = Event()

    def send():
        for i in count(1):
            if ended.is_set():
                break
            source.give(b"[%d, %d]" % (i, i))

    with ikrig.JointFeed(source, 2, delay=0.01, max_rate=1e5) as feed:
        sender = Thread(target=send)
        sender.start()
        last = 0.0
        end = time.perf_counter() + 0.5
        while time.perf_counter() < end:
            a, b = feed.sample()
            assert a == b >= last
            last = a
        ended.set()
        sender.join()
    assert last > 0
