"""Who sends a demo its joint angles: a port, a serial device, a recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import ikrig
from demos._shared.demo_error import DemoError
from ikrig.feed.receiver import Source


@dataclass(frozen=True)
class Sender:
    """What was asked for on the command line.

    Attributes:
        feed: UDP port to wait at; 0 takes a free one.
        serial: Serial port to read, with its speed in ``baud``.
        baud: Its speed [bit/s].
        replay: Recording to play, over and over.
        record: File to record to.
        degrees: Whether packets are in degrees.
        csv: Whether packets are plain numbers.
        joints: Names of the joints in the packets; empty: all that turn or slide.
    """

    feed: int | None = None
    serial: str | None = None
    baud: int = 115200
    replay: Path | None = None
    record: Path | None = None
    degrees: bool = False
    csv: bool = False
    joints: tuple[str, ...] = ()

    @property
    def asked(self) -> bool:
        """Whether there is any; without one the other settings are a mistake."""
        return (self.feed, self.serial, self.replay) != (None, None, None)

    def source(self) -> Source:
        """Return where packets come from.

        Raises:
            DemoError: More than one place is named, or none.
            IkrigError: It can't be had; says why.
        """
        if [self.feed, self.serial, self.replay].count(None) != 2:
            raise DemoError("give exactly one of --feed, --serial and --replay")
        if self.serial is not None:
            return ikrig.SerialSource(self.serial, baud=self.baud)
        if self.replay is not None:
            return ikrig.RecordingSource(self.replay, loop=True)
        assert self.feed is not None
        return ikrig.UdpSource(self.feed)

    @property
    def unit(self) -> str:
        """How packets are read, in a word."""
        # a recording has what the feed found: radians
        return "degrees" if self.degrees and self.replay is None else "radians"

    def describe(self, source: Source) -> str:
        """Return where packets come from, in short."""
        if isinstance(source, ikrig.UdpSource):
            return f"UDP port {source.port}"
        return self.serial or str(self.replay and self.replay.name)
