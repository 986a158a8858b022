"""Packets of a hostile sender: feeds accept valid ones and count the rest."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np

import ikrig
from ikrig.feed.receiver import PacketReceiver
from ikrig.feed.sources import Lines
from tests.fuzz import SEEDS, count_case, fuzz

NAMES = ("hip", "knee", "tool")
PACKETS = 1000
WORDS = (
    *("NaN", "-Infinity", "1e999", "-1e300", "1e6", "1000001", "-0.0", "1" * 400),
    *("null", "true", '"1"', '"\\ud800"', "[1]", "{}", '{"hip": 1}', "1.5", "0", "-2"),
)
KEYS = ("joints", "time", "seq", "x", "", "hip", "\\u0000", "joints ")
TIMES = (0.0, 1e-9, 0.01, 0.4, 0.6, -1.0, 1e3, 1e11, -1e11, math.nan, math.inf, 1e13)


class Ticking:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def some_values(rng: random.Random) -> str:
    """A pose as text: mostly right."""
    values = [
        rng.choice(WORDS) if rng.random() < 0.1 else repr(rng.uniform(-3, 3))
        for _ in range(rng.choice((3, 3, 3, 3, 3, 2, 4, 0)))
    ]
    if rng.random() < 0.6:
        return f"[{', '.join(values)}]"
    names = [rng.choice(KEYS) if rng.random() < 0.05 else name for name in NAMES]
    pairs = zip(names, values, strict=False)
    return "{" + ", ".join(f'"{name}": {value}' for name, value in pairs) + "}"


def some_packet(rng: random.Random) -> bytes:
    """A packet: right, nearly right, or torn."""
    text = some_values(rng)
    if rng.random() < 0.7:
        entries = [f'"joints": {text}']
        for key in ("time", "seq"):
            if rng.random() < 0.4:
                entries.append(f'"{key}": {json.dumps(rng.choice(TIMES))}')
        if rng.random() < 0.05:
            entries.append(f'"{rng.choice(KEYS)}": {rng.choice(WORDS)}')
        rng.shuffle(entries)
        text = "{" + ", ".join(entries) + "}"
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.15:
        at = rng.randrange(len(data) + 1)
        new = rng.choice((b"", b"\xff", b"\0", b"[", b"{" * 20, b"]", b",", b'"'))
        data = data[:at] + new + data[at + rng.choice((0, 1, 1, 9, 10**6)) :]
    if rng.random() < 0.02:
        data = data.ljust(rng.choice((300, 600)))
    return data


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def is_number(value: Any, largest: float) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and -largest <= value <= largest


def values_of(data: bytes) -> list[float] | None:
    """Return a packet's values by the docs of ``JointFeed``; None if it is refused."""
    if data.count(b"[") + data.count(b"{") > 16:
        return None
    try:
        text = data.decode("utf-8")
        packet = json.loads(text, object_pairs_hook=unique)
    except (ValueError, AssertionError):
        return None
    joints = packet.get("joints") if isinstance(packet, dict) else packet
    if isinstance(packet, dict):
        given = [packet.get(key) for key in ("time", "seq")]
        if not all(value is None or is_number(value, 1e12) for value in given):
            return None
    if isinstance(joints, dict):
        joints = [joints.get(name) for name in NAMES]
    if not isinstance(joints, list) or len(joints) != len(NAMES):
        return None
    return joints if all(is_number(value, 1e6) for value in joints) else None


def a_receiver(clock: Ticking) -> PacketReceiver:
    return PacketReceiver(NAMES, np.array([1.0, 2.0, 1.0]), 0.5, 500, 2000.0, clock)


@fuzz(20, seed=SEEDS)
def test_packets_are_accepted_or_counted(seed):
    rng, clock = random.Random(seed), Ticking()
    receiver = a_receiver(clock)
    stamp = -math.inf
    for sent in range(1, PACKETS + 1):
        data = some_packet(rng)
        # longer than stale_after, sometimes, so that a stream may begin anew
        clock.now += rng.choice((0.0005, 0.01, 0.6))
        before = dict(receiver.counts)
        good = receiver.receive(memoryview(data) if rng.random() < 0.5 else data)
        assert sum(receiver.counts.values()) == sent
        values = values_of(data) if len(data) <= 500 else None
        (reason,) = [r for r, n in receiver.counts.items() if n != before[r]]
        assert good == (reason == "good")
        # what is right in itself may still come too late
        if values is None:
            assert reason not in ("good", "late", "early"), data
        else:
            dated = b'"time"' in data or b'"seq"' in data
            assert good or (dated and reason in ("late", "early")), (reason, data)
        if good:
            when, pose = receiver.poses[-1]
            assert pose.tolist() == [values[0], 2.0 * values[1], values[2]]
            assert when >= stamp and math.isfinite(when) and not pose.flags.writeable
            stamp = when
        count_case()


@fuzz(4, seed=SEEDS)
def test_lines_may_be_split_anywhere(seed):
    rng = random.Random(seed)
    packets = [some_packet(rng).replace(b"\n", b" ") for _ in range(200)]
    whole = b"\n".join(packets) + b"\n"
    counts = []
    for most in (1, 7, 100, len(whole)):
        clock = Ticking()
        receiver = a_receiver(clock)
        receiver.wait = lambda seconds: False
        receiver._tokens = receiver._burst = 1e9
        lines, rest = Lines(receiver), whole
        while rest:
            piece = rest[: rng.randint(1, most)]
            rest = rest[len(piece) :]
            lines.push(piece)
        counts.append(receiver.counts)
    # one line that is too long is counted once, in however many pieces it comes
    assert counts[1:] == counts[:-1]


class Silent:
    """A source that says nothing."""

    def open(self) -> None: ...

    def run(self, receiver: PacketReceiver) -> None: ...

    def close(self) -> None: ...


@fuzz(6, seed=SEEDS)
def test_displayed_values_are_always_a_pose(seed):
    rng, clock = random.Random(seed), Ticking()
    feed = ikrig.JointFeed(
        Silent(),
        NAMES,
        clock=clock,
        delay=rng.choice((0.0, 0.05, 1.0)),
        wrap=rng.random() < 0.5,
    )
    junk = (None, "x", [], 10**400, -(10**400), math.nan, math.inf, -1e308, 1j, True)
    for _ in range(300):
        clock.now += rng.choice((0.0, 1e-12, 0.004, 0.016, 0.3, 30.0))
        for _ in range(rng.choice((0, 1, 1, 5))):
            feed._receiver.receive(some_packet(rng))
        late = clock.now - rng.choice((0.0, 0.01, 5.0))
        shown = feed.sample(rng.choice(junk) if rng.random() < 0.2 else late)
        assert shown.shape == (3,)
        # a pose between poses is no farther out than they are, but for wrapping joints
        assert np.isfinite(shown).all() and np.abs(shown).max() <= 1e6 + math.tau
