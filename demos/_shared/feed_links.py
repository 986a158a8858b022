"""Sources of packets for `arm_feed`: a sender of its own, a foreign one, or a file."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections import deque
from itertools import cycle
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

import ikrig
from demos._shared.catalogue import DEMOS
from demos.senders.arm_feed import read_joints

RATE = 50.0  # packets a second from a scripted sender
BAD_RATE = 25.0  # invalid packets a second
BAD_PACKETS = (
    b"\xff\xfe\x00 no text",
    b'{"joints": {"S": 0.1, "L": 0.',
    b"[0, 0, 0, 0, NaN, 0]",
    b"[1e300, 0, 0, 0, 0, 0]",
    b"[0.1, 0.2, 0.3]",
    b'{"pose": [0, 0, 0, 0, 0, 0]}',
    b'{"joints": {"S": 1, "S": 2}}',
    b"[" * 500,
    b'{"joints": [0, 0, 0, 0, 0, 0], "seq": 1}',
    b"x" * 60_000,
)
"""Packets that a broken or hostile sender might send."""


class Link:
    """A source of packets, and control over its sender.

    Attributes:
        source: The source for the feed.
        spoiling: Whether invalid packets are sent to the feed, too.
    """

    can_send = False
    """Whether a sender can be started here."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.spoiling = False
        self._bad = cycle(BAD_PACKETS)
        self._bad_due = 0.0

    def describe(self) -> str:
        """Return a short description of the source."""
        raise NotImplementedError

    def clock(self) -> float:
        """Return the feed's time [s]."""
        return time.perf_counter()

    @property
    def sending(self) -> bool:
        """Whether a sender started here is running."""
        return False

    def start(self) -> None:
        """Start the sender, unless it is running."""

    def kill(self) -> None:
        """Kill the sender, without notifying the feed."""

    def step(self, dt: float) -> None:
        """Send what is due in this frame."""
        now = self.clock()
        while self.spoiling and self._bad_due <= now:
            self._spoil(next(self._bad))
            self._bad_due = max(self._bad_due + 1.0 / BAD_RATE, now - 1.0 / BAD_RATE)

    def _spoil(self, packet: bytes) -> None:
        """Send an invalid packet."""


class ScriptedLink(Link):
    """A sender without a process, on the demo's own clock: each run is the same.

    It sends what `demos.senders.arm_feed` would, over a network with delays.

    Args:
        random: Source of the delays.
    """

    can_send = True

    def __init__(self, random: np.random.Generator) -> None:
        super().__init__(_HandSource())
        self._random = random
        self._now = self._due = 0.0
        self._seq = 0
        self._alive = False
        self._under_way: deque[tuple[float, bytes]] = deque()

    def describe(self) -> str:
        """Return a description that says that it is simulated."""
        return "scripted sender"

    def clock(self) -> float:
        """Return the demo's time."""
        return self._now

    @property
    def sending(self) -> bool:
        """Whether it was started and not killed since."""
        return self._alive

    def start(self) -> None:
        """Send from now on, numbered from 0."""
        if not self._alive:
            self._alive, self._seq, self._due = True, 0, self._now

    def kill(self) -> None:
        """Stop sending."""
        self._alive = False

    def step(self, dt: float) -> None:
        """Send due packets, and deliver those that have arrived."""
        self._now += dt
        while self._alive and self._due <= self._now:
            joints = read_joints(self._due)
            packet = {"joints": joints, "time": self._due, "seq": self._seq}
            arrival = self._due + self._random.uniform(0.001, 0.025)
            # packets never overtake one another
            if self._under_way:
                arrival = max(arrival, self._under_way[-1][0])
            self._under_way.append((arrival, json.dumps(packet).encode()))
            self._seq += 1
            self._due += 1.0 / RATE
        while self._under_way and self._under_way[0][0] <= self._now:
            self.source.give(self._under_way.popleft()[1])
        super().step(dt)

    def _spoil(self, packet: bytes) -> None:
        self.source.give(packet)


class UdpLink(Link):
    """Datagrams from a process that is started here, or from any other sender.

    Args:
        port: Where to listen; 0 takes a free one.
    """

    can_send = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(ikrig.UdpSource(port))
        self._process: subprocess.Popen[bytes] | None = None

    def describe(self) -> str:
        """Return a description with the address that other senders can use."""
        return f"UDP port {self.source.port}"

    @property
    def sending(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the process."""
        if not self.sending:
            command = [sys.executable, "-m", "demos.senders.arm_feed", "--port"]
            self._process = subprocess.Popen(
                [*command, str(self.source.port)], cwd=DEMOS.parent
            )

    def kill(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _spoil(self, packet: bytes) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(packet, (self.source.host, self.source.port))


class RecordingLink(Link):
    """Plays a file that `JointFeed.record` wrote, in a loop.

    Args:
        file: The recording.

    Raises:
        SettingError: It can't be read.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(ikrig.RecordingSource(file, loop=True))

    def describe(self) -> str:
        """Return the file's name."""
        return str(self.source.path.name)


def make_link(file: Path | None, live: bool, random: np.random.Generator) -> Link:
    """Return the link for a demo.

    Args:
        file: A recording, or a UDP port as a number. None: a sender of its own.
        live: Whether the demo runs in real time; if not, the sender is scripted.
        random: Random numbers of the scripted sender.

    Raises:
        SettingError: The recording can't be read, or there is no such port.
    """
    if file is not None:
        return UdpLink(int(file.name)) if file.name.isdigit() else RecordingLink(file)
    return UdpLink() if live else ScriptedLink(random)


class _HandSource:
    """A source that passes on packets on the caller's thread."""

    def __init__(self) -> None:
        self._ready = Event()

    def open(self) -> None:
        """Do nothing."""

    def run(self, receiver: Any) -> None:
        """Store the receiver of the packets."""
        self._receiver = receiver
        self._ready.set()
        receiver.stopping.wait()

    def close(self) -> None:
        """Do nothing."""

    def give(self, packet: bytes) -> None:
        """Pass a packet to the feed."""
        self._ready.wait()
        self._receiver.receive(packet)
