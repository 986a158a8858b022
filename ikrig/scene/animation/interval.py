"""ClipInterval: a clip in Panda3D's Sequences and Parallels."""

from __future__ import annotations

from itertools import count
from typing import Protocol

from direct.interval.Interval import Interval

_numbers = count(1)


class Playhead(Protocol):
    """What an interval moves: the time of a player."""

    time: float

    def advance_to(self, time: float) -> None:
        """Show a time, with the events on the way there."""


class ClipInterval(Interval):
    """Plays a stretch of a player's clip; ``ClipPlayer.interval`` makes it."""

    def __init__(
        self,
        player: Playhead,
        start: float,
        end: float,
        duration: float,
        name: str | None,
        clip: str,
    ) -> None:
        self._player = player
        self._ends = start, end
        super().__init__(name or f"clip-{clip}-{next(_numbers)}", duration)

    # these names are Panda3D's

    def privInitialize(self, t: float) -> None:  # noqa: N802
        """Begin, maybe some way in: what is on this way counts."""
        self._player.time = self._ends[0]
        super().privInitialize(t)

    def privInstant(self) -> None:  # noqa: N802
        """Be skipped as a whole."""
        self._player.time = self._ends[0]
        super().privInstant()

    def privReverseInitialize(self, t: float) -> None:  # noqa: N802
        """Begin backwards."""
        self._player.time = self._ends[1]
        super().privReverseInitialize(t)

    def privReverseInstant(self) -> None:  # noqa: N802
        """Be skipped backwards."""
        self._player.time = self._ends[1]
        super().privReverseInstant()

    def privStep(self, t: float) -> None:  # noqa: N802
        """Show a time of the interval."""
        super().privStep(t)
        self._player.advance_to(self._at(t))

    def _at(self, t: float) -> float:
        """Return the clip's time at a time of the interval."""
        start, end = self._ends
        if self.duration <= 0.0:
            return end
        return start + (end - start) * min(t / self.duration, 1.0)
