"""The source of a demo's joint angles: a port, a serial device, a recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import ikrig
from demos._shared.demo_error import DemoError
from ikrig.feed.receiver import Source


@dataclass(frozen=True)
class Sender:
    """The source that the command line names.

    Attributes:
        feed: UDP port to listen on; 0 for any free one.
        serial: Serial port to read.
        baud: Its speed [bit/s].
        replay: Recording to play in a loop.
        record: File to record to.
        degrees: Whether packets are in degrees.
        csv: Whether packets are plain numbers.
        joints: Names of the joints in the packets; empty: all hinges and slides.
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
        """Whether a source is named; without one, the other settings are errors."""
        return (self.feed, self.serial, self.replay) != (None, None, None)

    def source(self) -> Source:
        """Return the source of packets.

        Raises:
            DemoError: No source or more than one is named.
            IkrigError: It can't be opened; the message gives the reason.
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
        """Unit or format of the packets, in one word."""
        # recordings contain the feed's own values: radians
        return "degrees" if self.degrees and self.replay is None else "radians"

    def describe(self, source: Source) -> str:
        """Return a short description of a source."""
        if isinstance(source, ikrig.UdpSource):
            return f"UDP port {source.port}"
        return self.serial or str(self.replay and self.replay.name)
