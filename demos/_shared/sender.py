"""The source of a demo's joint angles: a port, a serial device, a recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import ikrig
from demos._shared.argument import argument, names, port
from demos._shared.demo_error import DemoError
from ikrig.cli.arguments import whole
from ikrig.feed.receiver import Source


@dataclass(frozen=True)
class Sender:
    """The source that the command line names."""

    feed: int | None = argument(
        "UDP port that receives joint values", kind=port, metavar="PORT"
    )
    serial: str | None = argument(
        "serial port that receives joint values", kind=str, metavar="DEVICE"
    )
    baud: int = argument(
        "speed of the serial port; default 115200", 115200, whole, metavar="N"
    )
    replay: Path | None = argument(
        "recording to play in a loop", kind=Path, metavar="PATH"
    )
    record: Path | None = argument(
        "file in which to record what is received (.jsonl)", kind=Path, metavar="PATH"
    )
    degrees: bool = argument("angles are in degrees, not radians", False)
    csv: bool = argument("packets are numbers such as 6,5,4,3,2,1, not JSON", False)
    joints: tuple[str, ...] = argument(
        "names of the joints that the values belong to; default: all that turn or "
        "slide",
        (), names, metavar="A,B,...",
    )  # fmt: skip

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
