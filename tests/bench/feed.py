"""Feeds a frame loop from a hostile sender: ``python -m tests.bench.feed``.

A process sends 1000 packets a second, a tenth of them bad in ten ways, dies, and is
started again; meanwhile Panda3D's task manager runs frames that pose an arm and solve
chains. Printed: frame times with the feed and, by turns, while nobody reads; how far
the pose shown is from the one that was sent for that moment; what was counted against
what was sent; memory; and where this process listens, as the kernel says.
"""

from __future__ import annotations

import argparse
import json
import math
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.showbase.ShowBase import ShowBase

import ikrig
from tests.feed.sockets import listening

from .hostile_sender import JOINTS, truth

CHAINS = 20
DEAD = 2.0
"""For how long a sender is gone [s]."""


class Stage:
    """Frames as of a small game: an arm of nodes, and chains whose targets move."""

    def __init__(self, fps: float) -> None:
        self.base = ShowBase(windowType="none")
        self.fps = fps
        self.arm: list[p3d.NodePath] = []
        node = self.base.render
        for k in range(JOINTS):
            node = node.attach_new_node(f"axis {k}")
            node.set_z(1)
            self.arm.append(node)
        self.chains = [self._chain() for _ in range(CHAINS)]
        self.source: Callable[[], Sequence[float]] = lambda: truth(perf_counter())
        self.sampling: list[float] = []
        self.base.task_mgr.add(self._pose, "pose", sort=10)

    def frames(self, seconds: float, each: Callable[[], None] | None = None) -> Any:
        """Run for so long; return the time of every frame [s]."""
        times = []
        end = perf_counter() + seconds
        while (start := perf_counter()) < end:
            self.base.task_mgr.step()
            times.append(perf_counter() - start)
            if each is not None:
                each()
            # as a game that waits for the screen
            left = start + 1.0 / self.fps - perf_counter() if self.fps else 0.0
            if left > 0.0:
                sleep(left)
        return np.array(times)

    def close(self) -> None:
        for chain in self.chains:
            chain.stop()
        self.base.destroy()

    def _chain(self) -> ikrig.IKChain:
        node = self.base.render
        for k in range(5):
            node = node.attach_new_node(f"bone {k}")
            node.set_pos(0, 0.1, 1)
        return ikrig.IKChain(node, chain_length=4).start()

    def _pose(self, task: Any) -> int:
        start = perf_counter()
        values = self.source()
        self.sampling.append(perf_counter() - start)
        for node, value in zip(self.arm, values, strict=True):
            node.set_h(math.degrees(value))
        turn = perf_counter()
        for i, chain in enumerate(self.chains):
            chain.target.set_pos(math.sin(turn + i), math.cos(turn), 2.5)
        return task.cont


class Senders:
    """Sender processes, one after the other, each with a pause after its death."""

    def __init__(self, port: int, rate: float, lives: int, seconds: float, tcp: bool):
        packets = max(1, round(rate * (seconds / lives - DEAD)))
        self._work = [
            [str(a) for a in (port, packets, rate, seed, "tcp" if tcp else "udp")]
            for seed in range(lives)
        ]
        self.sent: Counter[str] = Counter()
        self._process: subprocess.Popen[str] | None = None
        self._next = 0.0

    def update(self) -> None:
        """Start the next one when it is time."""
        if self._process is None:
            if self._work and perf_counter() >= self._next:
                module = ("-m", "tests.bench.hostile_sender")
                self._process = subprocess.Popen(
                    [sys.executable, *module, *self._work.pop(0)],
                    stdout=subprocess.PIPE,
                    text=True,
                )
        elif self._process.poll() is not None:
            said, _ = self._process.communicate()
            self.sent.update(json.loads(said))
            self._process = None
            self._next = perf_counter() + DEAD

    @property
    def over(self) -> bool:
        return not self._work and self._process is None

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()


def memory() -> float:
    """Return how much memory this process has in use [MiB] (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def compare(stage: Stage, rate: float, seconds: float) -> dict[str, Any]:
    """Return frame times in blocks by turns, a sender sending all the while.

    In every other block nobody reads what it sends: what it costs that another process
    runs on the same machine is in both.
    """
    blocks = 2 * max(1, round(seconds / 2))
    port = free_port()
    senders = Senders(port, rate, 1, seconds + 3 * DEAD, tcp=False)
    times: dict[str, list[Any]] = {"alone": [], "fed": []}
    sampling = []
    try:
        senders.update()
        for block in range(blocks):
            if block % 2:
                with ikrig.JointFeed(ikrig.UdpSource(port), JOINTS) as feed:
                    stage.source = feed.sample
                    stage.sampling.clear()
                    times["fed"].append(stage.frames(seconds / blocks))
                    sampling.append(np.array(stage.sampling))
                    assert feed.counts["good"], feed.problem
            else:
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unread:
                    unread.bind(("127.0.0.1", port))
                    stage.source = lambda: truth(perf_counter())
                    times["alone"].append(stage.frames(seconds / blocks))
    finally:
        senders.kill()
    return {
        "sampling": np.concatenate(sampling),
        **{name: np.concatenate(parts) for name, parts in times.items()},
    }


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def soak(
    stage: Stage, rate: float, seconds: float, lives: int, tcp: bool
) -> dict[str, Any]:
    """Return what was counted, shown and used while senders lived and died."""
    source = ikrig.TcpSource(0) if tcp else ikrig.UdpSource(0)
    feed = ikrig.JointFeed(source, JOINTS)
    own_sockets = listening()
    errors: list[float] = []
    stales: list[bool] = []
    settled = math.inf

    def judge() -> None:
        nonlocal settled
        senders.update()
        stales.append(feed.stale)
        now = perf_counter()
        # a dead sender's last pose stays; one that returns is come to smoothly
        if feed.age > 0.8 * feed.delay:
            settled = now + 0.5
        elif now > settled:
            shown = feed.sample(now)
            errors.append(max(abs(shown - truth(now - feed.delay))))

    with feed:
        senders = Senders(source.port, rate, lives, seconds, tcp)
        stage.source = feed.sample
        try:
            stage.frames(0.2 * seconds, judge)
            before = memory()
            sockets = [s for s in listening() if s not in own_sockets]
            while not senders.over:
                stage.frames(0.25, judge)
        finally:
            senders.kill()
        # what is still on its way
        stage.frames(1.0, judge)
        after = memory()
        lost = sum(s.lost or 0 for s in listening() if s not in own_sockets)
        counts = feed.counts
    return {
        "errors": np.array(errors),
        "sent": dict(senders.sent),
        "counts": {key: n for key, n in counts.items() if n},
        "lost": lost,
        "deaths": sum(now and not before for before, now in pairwise(stales)),
        "memory": (before, after),
        "sockets": sockets,
        "left": [s for s in listening() if s not in own_sockets],
    }


def report(figures: dict[str, Any]) -> bool:
    """Print the figures; return whether nothing speaks against the feed."""
    for name, what in (
        ("alone", "frame, packets unread"),
        ("fed", "frame, packets fed"),
        ("sampling", "  of it feed.sample()"),
    ):
        times = 1e6 * figures[name]
        middle, high = np.percentile(times, (50, 99))
        print(f"{what:22}{middle:9.1f} us median{high:9.1f} us 99 % {len(times)} times")
    middle, high = np.percentile(figures["errors"], (50, 99))
    print(f"pose against truth    {middle:9.5f} rad median{high:8.5f} rad 99 %")
    print(f"{'':22}{'sent':>9}{'counted':>9}")
    same = True
    for key in sorted({**figures["sent"], **figures["counts"]}):
        sent, counted = figures["sent"].get(key, 0), figures["counts"].get(key, 0)
        same = same and sent == counted
        print(f"{key:22}{sent:9}{counted:9}{'' if sent == counted else '  <- differs'}")
    print(f"lost in the kernel's queue: {figures['lost']}")
    print(f"became stale: {figures['deaths']} times")
    print(
        "memory {:.1f} MiB after warming up, {:.1f} MiB at the end".format(
            *figures["memory"]
        )
    )
    inside = bool(figures["sockets"])
    for own in figures["sockets"]:
        inside = inside and own.address.is_loopback
        print(f"listens: {own.protocol} {own.address} port {own.port}")
    print(f"nothing beyond loopback: {inside}; left open: {figures['left'] or 'none'}")
    return same and inside and not figures["left"]


def main(argv: list[str] | None = None) -> int:
    """Run and print; return 1 when a count is wrong or a socket out of place."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.feed", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--seconds", type=float, default=60.0, metavar="S")
    parser.add_argument("--rate", type=float, default=1000.0, help="packets a second")
    parser.add_argument("--lives", type=int, default=3, help="deaths of the sender")
    parser.add_argument("--fps", type=float, default=60.0, help="0: without a pause")
    parser.add_argument("--compare", type=float, default=20.0, metavar="S")
    parser.add_argument("--tcp", action="store_true", help="lines, not datagrams")
    args = parser.parse_args(argv)
    if args.seconds / args.lives <= DEAD:
        parser.error(f"a life must be longer than the {DEAD} s between two")
    p3d.load_prc_file_data("bench", "audio-library-name null")
    stage = Stage(args.fps)
    figures = compare(stage, args.rate, args.compare)
    figures |= soak(stage, args.rate, args.seconds, args.lives, args.tcp)
    stage.close()
    return int(not report(figures))


if __name__ == "__main__":
    sys.exit(main())
