"""Receives packets on the source's thread: checks, counts and timestamps them."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from threading import Event, Lock
from typing import Protocol

import numpy as np

from ..files.output_file import check_output, replacing
from ..math3d.quaternion import Floats
from .packet import REASONS, BadPacket, Packet, Parser, decode, number
from .unit_watch import UnitWatch

POLL = 0.1
"""Interval at which a waiting source checks whether to stop [s]."""
CLOCK_DRIFT = 1e-3
"""Assumed maximum drift between the sender's clock and ours."""
FLOOD = 64
"""Number of packets above the rate after which the reader sleeps briefly."""


class Source(Protocol):
    """A source of packets. Only the feed calls its methods."""

    def open(self) -> None:
        """Open what may fail, such as a port, on the caller's thread.

        Raises:
            SettingError: It can't be opened; gives the reason.
        """

    def run(self, receiver: PacketReceiver) -> None:
        """Pass on packets until they end or ``receiver.stopping`` is set."""

    def close(self) -> None:
        """Close what ``open`` opened."""


class PacketReceiver:
    """Checks packets from a source and queues the good ones for the frame.

    The reader's thread and the frame never wait for each other: poses go through one
    bounded queue, which the reader appends to and the frame empties.

    Args:
        names: The sender's names of the joints, or none.
        scale: Factors for a packet's values, (joints,).
        stale_after: Silence after which any packet begins a new stream [s].
        max_bytes: Maximum size of a packet [bytes].
        max_rate: Maximum packets per second.
        clock: Returns the time [s].
        parse: Parses a packet.
        units: Checks the values of good packets for wrong units; None: no check.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        scale: Floats,
        stale_after: float,
        max_bytes: int,
        max_rate: float,
        clock: Callable[[], float],
        parse: Parser = decode,
        units: UnitWatch | None = None,
    ) -> None:
        self.parse = parse
        self.units = units
        self.max_bytes = max_bytes
        self.clock = clock
        self.stopping = Event()
        # two seconds of poses: after a longer hitch the oldest are lost
        self.poses: deque[tuple[float, Floats]] = deque(maxlen=math.ceil(2 * max_rate))
        self.counts = dict.fromkeys(("good", *REASONS), 0)
        self.problem = ""
        self.last_good = -math.inf
        self.newest: Floats | None = None
        self.recorder: Recorder | None = None
        self._names = names
        self._scale = scale
        self._stale_after = stale_after
        self._max_rate = max_rate
        # allow bursts of a quarter of a second, as after a hitch of the machine
        self._burst = max(1.0, 0.25 * max_rate)
        self._tokens = self._burst
        self._counted = clock()
        self._seq: float | None = None
        self._time: float | None = None
        self._offset = 0.0
        self._stamp = -math.inf

    def wait(self, seconds: float) -> bool:
        """Sleep; return True, early, when the feed is being stopped."""
        return self.stopping.wait(seconds)

    def receive(self, data: bytes | memoryview) -> bool:
        """Parse and queue a packet; return whether it was good."""
        packet = self.decode(data)
        return packet is not None and self.enqueue(packet)

    def decode(
        self, data: bytes | memoryview, parse: Parser | None = None
    ) -> Packet | None:
        """Return a parsed packet, or None after counting it as dropped.

        Args:
            data: The packet.
            parse: Parses it. Default: the feed's parser.
        """
        if not self._within_rate():
            return None
        if len(data) > self.max_bytes:
            self.drop("oversize", f"longer than max_bytes, {self.max_bytes}")
            return None
        try:
            return (parse or self.parse)(data)
        except BadPacket as bad:
            self.drop(bad.reason, bad.detail)
            return None

    def enqueue(self, packet: Packet) -> bool:
        """Queue a packet's pose, or count it as dropped; return whether it was good."""
        try:
            values = self._values(packet)
            stamp = self._timestamp(packet)
        except BadPacket as bad:
            self.drop(bad.reason, bad.detail)
            return False
        self.newest = values
        self.poses.append((stamp, values))
        self.counts["good"] += 1
        if self.units is not None:
            self.units.see(values)
        if self.recorder is not None:
            try:
                self.recorder.write(stamp, values)
            except OSError as error:
                self.end_recording()
                self.problem = f"recording ended: {error.strerror}"
        return True

    def end_recording(self) -> None:
        """Close the recording's file; a full disk is reported as ``problem``."""
        recorder, self.recorder = self.recorder, None
        if recorder is not None:
            try:
                recorder.close()
            except OSError as error:
                self.problem = f"recording ended: {error.strerror}"

    def drop(self, reason: str, detail: str) -> None:
        """Count a dropped packet and keep the reason as ``problem``."""
        self.counts[reason] += 1
        self.problem = f"{reason}: {detail}"

    def _within_rate(self) -> bool:
        now = self.clock()
        grown = self._tokens + (now - self._counted) * self._max_rate
        self._tokens = min(self._burst, grown)
        self._counted = now
        if self._tokens >= 1.0:
            self._tokens -= 1.0
            return True
        self.drop("rate", f"more than max_rate, {self._max_rate:g} packets/s")
        # slow down in a flood; the rest waits in the system's buffers
        if self.counts["rate"] % FLOOD == 0:
            self.wait(0.001)
        return False

    def _values(self, packet: Packet) -> Floats:
        joints, count = packet.joints, len(self._scale)
        if isinstance(joints, Mapping):
            if not self._names:
                raise BadPacket(
                    "layout",
                    "joints are given by name, but the feed has no names: pass "
                    "joints as a list of names",
                )
            try:
                joints = [joints[name] for name in self._names]
            except KeyError as missing:
                raise BadPacket("joints", f"joint {missing} is missing") from None
        if len(joints) != count:
            raise BadPacket("joints", f"{len(joints)} values for {count} joints")
        values: Floats = np.array([number(value) for value in joints]) * self._scale
        values.flags.writeable = False
        return values

    def _timestamp(self, packet: Packet) -> float:
        now = self.clock()
        time, seq, offset = packet.time, packet.seq, self._offset
        if time is not None:
            offset = now - time
        # after a silence any packet is accepted: the sender may have restarted
        if now - self.last_good < self._stale_after:
            if seq is not None and self._seq is not None and seq <= self._seq:
                raise BadPacket("late", f"seq {seq:.0f} came after {self._seq:.0f}")
            if time is not None and self._time is not None:
                if time <= self._time:
                    raise BadPacket(
                        "late", "its time is not after that of the last packet"
                    )
                ahead = self._offset - offset
                if abs(ahead) > self._stale_after:
                    raise BadPacket(
                        "early" if ahead > 0.0 else "late",
                        f"its time is {abs(ahead):.3g} s off from that of the other "
                        "packets",
                    )
                # the fastest packet gives the best estimate of the clocks' difference
                slower = self._offset + CLOCK_DRIFT * (now - self.last_good)
                offset = min(offset, slower)
        self._seq, self._time, self._offset = seq, time, offset
        self.last_good = now
        stamp = now if time is None else time + offset
        self._stamp = max(self._stamp, stamp)
        return self._stamp


class Recorder:
    """Writes poses as lines of JSON that a ``RecordingSource`` plays.

    Each pose is written as it arrives, so a recording survives a crash of the program.
    The previous content of the file is lost when the recording begins.

    Args:
        path: The file.
        sources: Files that must not be replaced, such as the one being played.

    Raises:
        OutputError: The file can't be written; names it.
    """

    def __init__(self, path: str | Path, sources: Collection[Path] = ()) -> None:
        # replaced by an empty file first: readers of the old one keep its content
        with replacing(path, endings=(".jsonl",), sources=sources, sync=False):
            pass
        file = check_output(path, sources=sources)
        self._file = file.open("a", buffering=1, encoding="utf-8")
        self._lock = Lock()
        self._first: float | None = None

    def write(self, stamp: float, values: Floats) -> None:
        """Write a pose; times count from the first one."""
        if self._first is None:
            self._first = stamp
        time = round(stamp - self._first, 6)
        line = json.dumps({"time": time, "joints": values.tolist()})
        with self._lock:
            if not self._file.closed:
                self._file.write(line + "\n")

    def close(self) -> None:
        """Close the file; later writes are ignored."""
        with self._lock:
            self._file.close()
