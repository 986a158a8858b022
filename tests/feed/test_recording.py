"""Recordings replay the same poses at the same pace."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ikrig
from ikrig.feed.packet import decode

from .hand import Clock, Hand
from .test_broken_sources import Pace


def play(path, joints=2, until=10.0, step=0.01, **settings):
    """Return the poses that a recording shows, one per step; nobody sleeps."""
    clock = Clock(0.0)
    source = ikrig.RecordingSource(path, **settings)
    feed = ikrig.JointFeed(source, joints, delay=0, clock=clock)
    shown = []

    def wait(seconds):
        # the thread that would sleep is this one: the clock moves instead, and by
        # more than a rounding
        end = clock.now + max(seconds, 1e-9)
        while clock.now < end:
            clock.now = min(end, clock.now + step)
            shown.append((clock.now, *feed.sample()))
        return clock.now >= until

    receiver = feed._receiver
    receiver.wait = wait
    source.open()
    try:
        source.run(receiver)
    finally:
        source.close()
    shown.append((clock.now, *feed.sample()))
    return np.array(shown), feed.counts


def write(path, *lines):
    texts = (x if isinstance(x, str) else json.dumps(x) for x in lines)
    path.write_text("".join(text + "\n" for text in texts))
    return path


def test_recording_replays_the_feeds_packets(tmp_path):
    path = tmp_path / "dance.jsonl"
    poses = np.random.default_rng(4).uniform(-3, 3, (50, 2))
    with Hand(delay=0, degrees=True) as hand:
        hand.give([1, 1], at=99.0)
        hand.feed.record(path)
        for i, pose in enumerate(poses):
            hand.give(np.degrees(pose).tolist(), at=100 + 0.1 * i)
            hand.give(b"garbage")
        hand.feed.stop_recording()
        hand.give([1, 1])
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    np.testing.assert_allclose([x["time"] for x in lines], 0.1 * np.arange(50))
    np.testing.assert_allclose([x["joints"] for x in lines], poses)
    shown, counts = play(path)
    assert counts["good"] == 50
    assert counts["json"] == 0
    for at, *pose in shown:
        # the clock stops on a packet's time a rounding before or after it
        nearest = {int((at + e) / 0.1) for e in (-1e-6, 1e-6)}
        assert any(np.allclose(pose, poses[i]) for i in nearest if i < 50)


@pytest.mark.parametrize("speed", [0.5, 1.0, 4.0])
def test_recording_plays_at_its_speed(tmp_path, speed):
    path = write(
        tmp_path / "x.jsonl", *({"joints": [i, 0], "time": 20 + i} for i in range(5))
    )
    shown, _ = play(path, until=100, speed=speed)
    assert shown[-1, 0] == pytest.approx(4 / speed)
    truth = np.floor(shown[:, 0] * speed + 1e-9)
    # a pose comes at its time or in the step after it
    assert np.abs(shown[:, 1] - truth).max() <= 1
    assert np.mean(shown[:, 1] == truth) > 0.9


def test_loop_continues_and_an_invalid_file_ends(tmp_path):
    path = write(
        tmp_path / "x.jsonl",
        {"joints": [0, 0], "time": 0},
        {"joints": [1, 0], "time": 1},
    )
    _, counts = play(path, until=20, loop=True)
    assert 36 <= counts["good"] <= 42
    _, counts = play(write(path, "garbage", "[1, 2]", ""), loop=True)
    assert (counts["good"], counts["json"], counts["layout"]) == (0, 1, 1)


class Tape(Pace):
    """Takes all packets of a recording, with the times that they are given."""

    max_bytes = 4096

    def decode(self, line, parse):
        assert parse is decode
        return parse(line)

    def enqueue(self, packet):
        super().enqueue(packet)
        return self.stamps.append(packet.time) is None


@pytest.mark.parametrize("speed", [0.5, 1.0, 3.0])
def test_loops_go_on_a_frame_after_their_end(tmp_path, speed):
    times = [5.0, 5.25, 6.0]
    lines = ({"joints": [0, 0], "time": t, "seq": 1} for t in times)
    source = ikrig.RecordingSource(
        write(tmp_path / "x.jsonl", *lines), speed=speed, loop=True
    )
    tape = Tape(20.0)
    tape.stamps = []
    source.open()
    source.run(tape)
    source.close()
    own = (np.array(times) - times[0]) / speed
    wanted = [k * (own[-1] + 0.02) + t for k in range(99) for t in own]
    count = len(tape.stamps)
    assert count >= 19 / own[-1]
    np.testing.assert_allclose(tape.stamps, wanted[:count])
    # each at its time, and never before
    np.testing.assert_allclose(tape.taken, tape.stamps, atol=1e-5)


def test_invalid_lines_and_decreasing_times_are_counted(tmp_path):
    path = write(
        tmp_path / "x.jsonl",
        {"joints": [1, 1], "time": 0},
        "",
        "garbage",
        {"joints": [2, 2], "time": 1, "seq": 1},
        {"joints": [9, 9, 9], "time": 1.1},
        {"joints": [3, 3], "time": 0.5},
        {"joints": [4, 4], "time": 1.5, "seq": 0},
    )
    shown, counts = play(path)
    assert shown[-1, 1] == 4
    assert shown[-1, 0] == pytest.approx(2.1)
    assert {key: n for key, n in counts.items() if n} == {
        "good": 4,
        "json": 1,
        "joints": 1,
    }


def test_recording_plays_in_real_time_and_can_be_stopped(tmp_path):
    path = write(
        tmp_path / "x.jsonl", {"joints": [1], "time": 0}, {"joints": [2], "time": 1000}
    )
    with ikrig.JointFeed(ikrig.RecordingSource(path), 1, delay=0) as feed:
        while not feed.counts["good"]:
            pass
        assert feed.running
    assert not feed.running
    assert feed.sample() == [1]


def record_to_a_full_disk(feed, folder):
    feed.record(folder / "full.jsonl")
    recorder = feed._receiver.recorder
    recorder._file.close()
    recorder._file = open("/dev/full", "w")  # noqa: SIM115 - the recorder closes it


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device /dev/full")
def test_full_disk_ends_the_recording_but_not_the_feed(tmp_path):
    with Hand() as hand:
        record_to_a_full_disk(hand.feed, tmp_path)
        for i in range(2000):
            assert hand.give([i, i], at=100 + 0.01 * i)
        assert "recording ended: No space" in hand.feed.problem
        assert hand.feed._receiver.recorder is None
        hand.give(b"garbage")
        record_to_a_full_disk(hand.feed, tmp_path)
        hand.give([1, 2])
        hand.feed.stop_recording()
        assert "recording ended: No space" in hand.feed.problem
