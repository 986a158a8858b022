"""ClipInterval: a clip in Panda3D's Sequences and Parallels."""

from __future__ import annotations

from itertools import count
from typing import Protocol

from direct.interval.Interval import Interval

_numbers = count(1)


class Playhead(Protocol):
    """Interface of a player whose time an interval moves."""

    time: float

    def _advance_to(self, time: float) -> None:
        """Advance to a time, and send the events up to there."""


class ClipInterval(Interval):
    """Plays a section of a player's clip; ``ClipPlayer.interval`` makes it."""

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
        self._range = start, end
        super().__init__(name or f"clip-{clip}-{next(_numbers)}", duration)

    # these names are Panda3D's

    def privInitialize(self, t: float) -> None:  # noqa: N802
        """Start at t seconds; events before it are sent."""
        self._player.time = self._range[0]
        super().privInitialize(t)

    def privInstant(self) -> None:  # noqa: N802
        """Skip the whole interval at once."""
        self._player.time = self._range[0]
        super().privInstant()

    def privReverseInitialize(self, t: float) -> None:  # noqa: N802
        self._player.time = self._range[1]
        super().privReverseInitialize(t)

    def privReverseInstant(self) -> None:  # noqa: N802
        """Skip the whole interval at once, backwards."""
        self._player.time = self._range[1]
        super().privReverseInstant()

    def privStep(self, t: float) -> None:  # noqa: N802
        super().privStep(t)
        self._player._advance_to(self._clip_time(t))

    def _clip_time(self, t: float) -> float:
        start, end = self._range
        if self.duration <= 0.0:
            return end
        return start + (end - start) * min(t / self.duration, 1.0)
