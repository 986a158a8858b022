"""Sends valid and invalid packets, exits abruptly, and prints what it sent."""

from __future__ import annotations

import contextlib
import json
import math
import os
import random
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

JOINTS = 6
CALM = 20
"""A sender's first packets are good ones."""

Pose = dict[str, Any]


def truth(now: float) -> list[float]:
    """Return the angles at a time: what a feed has to show."""
    return [math.sin((0.5 + 0.1 * k) * now) for k in range(JOINTS)]


def text(pose: Pose) -> bytes:
    return json.dumps(pose).encode()


def garbage(pose: Pose, rng: random.Random) -> bytes:
    return bytes(rng.choices(b'abc{}[]:,"0123456789 ', k=8)) + b"!"


def binary(pose: Pose, rng: random.Random) -> bytes:
    return b"\xff" + rng.randbytes(rng.randrange(300)).replace(b"\n", b"")


def truncated(pose: Pose, rng: random.Random) -> bytes:
    whole = text(pose)
    return whole[: rng.randrange(1, len(whole))]


def nan(pose: Pose, rng: random.Random) -> bytes:
    pose["joints"][rng.randrange(JOINTS)] = rng.choice([math.nan, math.inf])
    return text(pose)


def huge(pose: Pose, rng: random.Random) -> bytes:
    pose["joints"][rng.randrange(JOINTS)] = rng.choice([1e300, -(10**200), 1e7])
    return text(pose)


def big(pose: Pose, rng: random.Random) -> bytes:
    return text(pose).ljust(65507)


def wrong_count(pose: Pose, rng: random.Random) -> bytes:
    pose["joints"] = [0.1] * rng.choice([0, 1, JOINTS - 1, JOINTS + 1, 200])
    return text(pose)


def reordered(pose: Pose, rng: random.Random) -> bytes:
    pose["seq"] -= CALM // 2
    return text(pose)


def twice(pose: Pose, rng: random.Random) -> bytes:
    return text(pose)[:-1] + b', "seq": 1}'


def deep(pose: Pose, rng: random.Random) -> bytes:
    return b'{"joints": ' + b"[" * 3000


BAD: dict[Callable[[Pose, random.Random], bytes], str] = {
    garbage: "json",
    binary: "encoding",
    truncated: "json",
    nan: "number",
    huge: "number",
    big: "oversize",
    wrong_count: "joints",
    reordered: "late",
    twice: "duplicate",
    deep: "nesting",
}
"""Each kind of bad packet, and what a feed must count it as."""


def main(port: int, packets: int, rate: float, seed: int, tcp: bool) -> None:
    """Send packets, 1 % of them of each bad kind; print what was sent."""
    rng = random.Random(seed)
    kinds = list(BAD)
    link = socket.socket(
        socket.AF_INET, socket.SOCK_STREAM if tcp else socket.SOCK_DGRAM
    )
    link.connect(("127.0.0.1", port))
    sent: Counter[str] = Counter()
    start = time.perf_counter()
    for i in range(packets):
        wait = start + i / rate - time.perf_counter()
        if wait > 0.0:
            time.sleep(wait)
        now = time.perf_counter()
        pose = {"joints": truth(now), "time": now, "seq": i}
        kind = int(100 * rng.random())
        if i >= CALM and kind < len(kinds):
            packet = kinds[kind](pose, rng)
            sent[BAD[kinds[kind]]] += 1
        else:
            packet = text(pose)
            sent["good"] += 1
        # between two that listen to datagrams there may be nobody
        with contextlib.suppress(ConnectionRefusedError):
            link.sendall(packet + b"\n" if tcp else packet)
    print(json.dumps(sent), flush=True)
    os._exit(1)  # without a word to the other side


if __name__ == "__main__":
    a = sys.argv
    main(int(a[1]), int(a[2]), float(a[3]), int(a[4]), a[5] == "tcp")
