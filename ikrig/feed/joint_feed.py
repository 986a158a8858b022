"""JointFeed: joint values from another program, smoothed for display."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import Thread
from types import TracebackType

import numpy as np
from numpy.typing import ArrayLike

from ..checks import is_number
from ..copies import Uncopied
from ..errors import SettingError, shown
from ..math3d.quaternion import Floats
from ..value_shapes import Number, checked
from .feed_checks import (
    chosen,
    joint_names,
    positive,
    sender_names,
    start_pose,
    whole,
)
from .packet import parser_of
from .receiver import PacketReceiver, Recorder, Source
from .sources import RecordingSource
from .unit_watch import UnitWatch

TURN = 2.0 * math.pi
DELAY = Number("a number of seconds from 0 to 1", 0.0, 1.0)
LARGEST_PACKET = 65535
JOIN = 3.0
"""Maximum time that ``stop`` waits for the source to end [s]."""


class JointFeed(Uncopied):
    """Joint values from another program, smoothed for display.

    A thread reads, checks and queues packets; ``sample()``, called once a frame,
    returns the pose of ``delay`` seconds ago, interpolated between the packets before
    and after that time. It never blocks and never raises: without packets the last good
    pose stays, and ``stale`` is True. ::

        feed = ikrig.JointFeed(ikrig.UdpSource(9870), arm.model.joint_names).start()
        ...
        arm.set_qpos(feed.sample())  # every frame

    A packet is JSON in UTF-8, unless ``parse`` is set: an array of values, or
    an object ::

        {"joints": [0.1, -0.4, 1.2], "time": 12.345, "seq": 617}

    in which ``joints`` may also be an object by joint name (names that the feed does
    not know are ignored), and the others are optional: ``time`` [s], by any clock of
    the sender, removes the jitter of the transport; ``seq`` numbers the packets.
    Packets that are older than the last one are dropped, until there was silence for
    ``stale_after``: then any packet begins a new stream, as from a sender that was
    restarted.

    Args:
        source: Where packets come from: ``UdpSource``, ``TcpSource``,
            ``TcpClientSource``, ``StreamSource``, ``SerialSource``,
            ``RecordingSource``, ``FunctionSource``, or any object with the methods
            ``open``, ``run`` and ``close``.
        joints: Number of joints, or their names in the order of the values.
            Packets by name need names.
        degrees: Whether packets are in degrees: True, False, or the joints that are,
            by name or index. True converts slides as well: with slides, list the
            joints that turn.
        wrap: Joints that are interpolated by the shorter arc, such as wheels and other
            endless joints: True, False, or the joints. All others are interpolated
            linearly.
        mapping: The sender's names of joints by the feed's names, where they differ.
        start: Values before the first packet, (joints,) [rad]; None: all 0.
        delay: Time by which the display is behind [s], 0 to 1. Motion is smooth when it
            is longer than the longest time between two packets; 0 shows each packet as
            it arrives.
        stale_after: Age of the last good packet from which the pose is stale [s].
        max_bytes: Maximum size of a packet [bytes]; larger ones are dropped unread.
        max_rate: Maximum packets per second; any more are dropped unread.
        clock: Returns the time [s] that ``sample`` refers to.
        parse: Format of packets: "json"; "csv" for plain numbers such as
            ``6,5,4,3,2,1`` (separated by commas, semicolons, tabs or spaces, with or
            without brackets); or a function that takes a packet's text and returns the
            values in order, a dict by joint name, or None. Exceptions that it raises
            are counted as "json", with their message in ``problem``.
        ranges: Smallest and largest value of each joint, (joints, 2) [rad, scene
            unit], such as ``model.joint_ranges``; with them ``hint`` reports units
            that can't be right.

    Raises:
        SettingError: Names the setting, its value and allowed values.
    """

    def __init__(
        self,
        source: Source,
        joints: int | Iterable[str],
        *,
        degrees: bool | Iterable[str | int] = False,
        wrap: bool | Iterable[str | int] = False,
        mapping: Mapping[str, str] | None = None,
        start: Sequence[float] | None = None,
        delay: float = 0.05,
        stale_after: float = 0.5,
        max_bytes: int = 4096,
        max_rate: float = 2000.0,
        clock: Callable[[], float] = time.perf_counter,
        parse: str | Callable[[str], object] = "json",
        ranges: ArrayLike | None = None,
    ) -> None:
        for method in ("open", "run", "close"):
            if not callable(getattr(source, method, None)):
                raise SettingError(
                    "source must be a feed source, such as UdpSource(9870), not "
                    f"{shown(source)}"
                )
        if not callable(clock):
            raise SettingError(
                f"clock must be a function that returns the time, not {shown(clock)}"
            )
        count, self.joint_names = joint_names(joints)
        """Names of the joints; empty where only their number is known."""
        theirs = sender_names(self.joint_names, mapping)
        in_degrees = chosen(degrees, count, self.joint_names, "degrees")
        self.source = source
        self.delay = delay
        self._stale_after = positive(stale_after, "stale_after", 3600.0)
        self._wrap = chosen(wrap, count, self.joint_names, "wrap")
        self._wraps = bool(self._wrap.any())
        self._clock = clock
        self._receiver = PacketReceiver(
            theirs,
            np.where(in_degrees, math.pi / 180.0, 1.0),
            self._stale_after,
            whole(max_bytes, "max_bytes", 1, LARGEST_PACKET),
            positive(max_rate, "max_rate", 100_000.0),
            clock,
            parser_of(parse),
            None if ranges is None else UnitWatch(ranges, in_degrees, self.joint_names),
        )
        # the poses to interpolate between: the time and the values of each
        self._from: tuple[float, Floats] = (clock(), start_pose(start, count))
        self._to = self._from
        self._thread: Thread | None = None

    _instead = "create another one with its own source instead"

    def __enter__(self) -> JointFeed:
        """Start the feed; the end of the ``with`` block closes it."""
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._wrap)

    @property
    def delay(self) -> float:
        """Time by which the display is behind [s]. May be changed while it runs."""
        return self._delay

    @delay.setter
    def delay(self, delay: float) -> None:
        self._delay: float = checked(DELAY, delay, "delay", SettingError)

    @property
    def running(self) -> bool:
        """Whether packets are read: False before ``start`` and after a recording."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def age(self) -> float:
        """Time since the last good packet [s]; infinite before the first."""
        return max(0.0, self._clock() - self._receiver.last_good)

    @property
    def stale_after(self) -> float:
        """Age of the last good packet from which the pose is stale [s]."""
        return self._stale_after

    @property
    def stale(self) -> bool:
        """Whether the last good packet is older than ``stale_after``."""
        return self.age > self._stale_after

    @property
    def newest(self) -> Floats:
        """Values of the last good packet, (joints,) [rad], not delayed."""
        newest = self._receiver.newest
        return np.array(self._to[1] if newest is None else newest)

    @property
    def counts(self) -> dict[str, int]:
        """Number of "good" packets, and of dropped ones by reason.

        The reasons: "oversize", "rate", "encoding" (not UTF-8), "nesting", "json"
        (malformed or cut off, or no numbers), "duplicate" (a key twice), "layout",
        "joints" (wrong number or names), "number" (NaN, infinite, huge, not a number),
        "late", "early" (its time is ahead of the others'), and "source" (the connection
        or the function failed).
        """
        return dict(self._receiver.counts)

    @property
    def dropped(self) -> int:
        """Number of dropped packets, for all reasons."""
        counts = self.counts
        return sum(counts.values()) - counts["good"]

    @property
    def problem(self) -> str:
        """The last error, usually of a dropped packet; empty before the first."""
        return self._receiver.problem

    @property
    def hint(self) -> str:
        """A warning when most packets are far outside the ``ranges``, else empty.

        Degrees read as radians turn a joint 57 times too far; radians read as degrees
        hardly move it.
        """
        units = self._receiver.units
        return "" if units is None else units.hint

    def start(self) -> JointFeed:
        """Start to read packets, unless it runs already, and return the feed.

        Raises:
            SettingError: The source cannot be opened, such as a port in use.
        """
        if self.running:
            if self._receiver.stopping.is_set():
                raise SettingError(
                    "the feed can't be restarted yet: the function or stream of its "
                    "source has not returned since stop()"
                )
            return self
        # a source that ended by itself has not been closed yet
        self.stop()
        self.source.open()
        self._receiver.stopping.clear()
        # a daemon, so that a program that forgets to stop it can still exit
        self._thread = Thread(
            target=self.source.run,
            args=(self._receiver,),
            name="ikrig-feed",
            daemon=True,
        )
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop reading and close ports and files; the last pose stays.

        Waits for the thread: usually a tenth of a second, at most three for a function
        that does not return.
        """
        self._receiver.stopping.set()
        if self._thread is not None:
            self._thread.join(JOIN)
            self.source.close()

    def close(self) -> None:
        """Stop reading, and end a recording."""
        self.stop()
        self.stop_recording()

    def record(self, path: str | Path) -> None:
        """Write every good packet to a file from now on, for a ``RecordingSource``.

        Values are written in the feed's order, angles in radians.

        Args:
            path: A .jsonl file; each pose is written as it arrives.

        Raises:
            OutputError: The file can't be written, or is the one being played;
                names it.
        """
        played = self.source.path if isinstance(self.source, RecordingSource) else None
        recorder = Recorder(path, [played] if played else [])
        self.stop_recording()
        self._receiver.recorder = recorder

    def stop_recording(self) -> None:
        """End any recording. A full disk is reported as ``problem``."""
        self._receiver.end_recording()

    def sample(self, now: float | None = None) -> Floats:
        """Return the values of ``delay`` seconds ago, (joints,) [rad].

        Call it from one thread only, with times that never decrease.

        Args:
            now: The frame's time by the feed's ``clock``; None reads the clock.
        """
        clock = self._clock()
        # ignore a time that is ahead of the clock or not finite
        if now is None or not is_number(now) or not -math.inf < now < clock:
            now = clock
        play = now - self._delay
        poses = self._receiver.poses
        while play >= self._to[0]:
            self._from = self._to
            if not poses:
                # queue empty: hold the pose; the next one is approached from here
                held = self._to[1]
                self._from = self._to = (play, held)
                return np.array(held)
            self._to = poses.popleft()
        (since, values), (until, goal) = self._from, self._to
        step: Floats = goal - values
        if self._wraps:
            step -= np.where(self._wrap, TURN * np.round(step / TURN), 0.0)
        # times before the segment return its first pose
        fraction = (play - since) / (until - since) if play > since else 0.0
        return values + fraction * step
