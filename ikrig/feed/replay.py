"""Local sources of packets: a recorded file, or a Python function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import SettingError, shown
from ..files.file_access import is_file
from .feed_checks import positive
from .packet import Packet, decode
from .receiver import POLL, PacketReceiver

LOOP_GAP = 0.02
"""Time from a recording's last pose to its first, when it loops [s]."""


class RecordingSource:
    """Plays back a file of JSON lines, each a packet with a ``time``.

    ``JointFeed.record`` writes such files.

    Args:
        path: The file. It is read while it plays, so it may be of any length.
        speed: Factor of the speed; may be set while it plays.
        loop: Whether to start again at the end.

    Raises:
        SettingError: The file can't be read, or a setting is out of range.
    """

    def __init__(
        self, path: str | Path, *, speed: float = 1.0, loop: bool = False
    ) -> None:
        if not isinstance(path, (str, Path)):
            raise SettingError(
                f"recording must be the path of a file, not {shown(path)}"
            )
        self.path = Path(path)
        self.speed = speed
        self.loop = loop
        self._file: BinaryIO | None = None
        if not is_file(self.path):
            raise SettingError(f"recording {self.path}: no such file")

    @property
    def speed(self) -> float:
        """Factor of the speed; 2 plays twice as fast as recorded."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._speed = positive(speed, "speed")

    def open(self) -> None:
        """Open the file."""
        try:
            self._file = self.path.open("rb")
        except OSError as error:
            raise SettingError(f"recording {self.path}: {error.strerror}") from None

    def run(self, receiver: PacketReceiver) -> None:
        """Pass on each pose at its time."""
        due = receiver.clock()
        while not receiver.stopping.is_set():
            good, due = self._play(receiver, due)
            # a file without any good line would loop at full speed
            if not self.loop or not good:
                return
            due += LOOP_GAP

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _play(self, receiver: PacketReceiver, due: float) -> tuple[bool, float]:
        """Play the file once; return whether a pose was good, and the last time."""
        assert self._file is not None
        self._file.seek(0)
        good = False
        last: float | None = None
        # a line that is too long is read, and counted, in pieces
        while not receiver.stopping.is_set():
            line = self._file.readline(receiver.max_bytes + 1)
            if not line:
                break
            packet = receiver.decode(line, decode) if line.strip() else None
            if packet is None:
                continue
            if packet.time is None:
                receiver.drop("layout", 'each packet of a recording needs a "time"')
                continue
            if last is not None:
                due += max(0.0, packet.time - last) / self._speed
            last = packet.time
            if _wait_until(due, receiver):
                break
            # stamped with the due time, not the wake-up time, to avoid jitter
            good = receiver.enqueue(packet._replace(time=due, seq=None)) or good
        return good, due


class FunctionSource:
    """Calls a Python function for poses, on a separate thread.

    Args:
        function: Returns the values in order, a dict by joint name, or None when there
            is nothing new. Exceptions are counted as dropped packets.
        rate: Calls per second, at most 1000.

    Raises:
        SettingError: Names the setting, its value and allowed values.
    """

    def __init__(self, function: Callable[[], Any], *, rate: float = 60.0) -> None:
        if not callable(function):
            raise SettingError(f"function must be callable, not {shown(function)}")
        self._function = function
        self.rate = positive(rate, "rate", 1000.0)

    def open(self) -> None:
        """Do nothing: a function needs no opening."""

    def run(self, receiver: PacketReceiver) -> None:
        """Call the function at its rate; missed calls are not made up for."""
        due = receiver.clock()
        while not _wait_until(due, receiver):
            try:
                values = self._function()
                if isinstance(values, dict):
                    values = {key: float(value) for key, value in values.items()}
                elif values is not None:
                    values = [float(value) for value in values]
            except Exception as error:
                receiver.drop("source", f"function: {error!r}")
            else:
                if values is not None:
                    receiver.enqueue(Packet(values))
            due = max(due + 1.0 / self.rate, receiver.clock())

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _wait_until(due: float, receiver: PacketReceiver) -> bool:
    """Wait by the feed's clock; return True when the feed is being stopped."""
    while (left := due - receiver.clock()) > 0.0:
        if receiver.wait(min(left, POLL)):
            return True
    return receiver.stopping.is_set()
