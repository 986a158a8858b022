"""ClipLayer: one clip of several that a player shows."""

from __future__ import annotations

import sys
from math import inf
from typing import Any

from ...clip import Clip, Event
from ...errors import SettingError
from ..rig import Fade

__all__ = ["ClipLayer", "finite"]

ROUNDS = 100
"""Of so many rounds at most in a frame the events are told."""

LARGEST = sys.float_info.max


class ClipLayer:
    """A clip over the one that a ``ClipPlayer`` plays; ``add_layer`` makes it."""

    def __init__(self, player: Any, clip: Clip, weight: float, additive: bool) -> None:
        self._clip = clip
        self.additive = additive
        """Whether it is added to what is below, from its own beginning, or replaces."""
        self._player = player
        self._time = 0.0
        self._seen: float | None = None
        self._speed = 1.0
        self._fade: Fade | None = None
        self.weight = weight

    def __repr__(self) -> str:
        """Say what it is."""
        how = "added" if self.additive else "over"
        return f"<ClipLayer {self.clip.name} {how} by {self.weight:.3g}>"

    @property
    def clip(self) -> Clip:
        """The clip."""
        return self._clip

    @property
    def weight(self) -> float:
        """How much of it there is, 0 to 1; ``fade`` changes it gently."""
        return self._weight

    @weight.setter
    def weight(self, weight: float) -> None:
        self._weight = finite(weight, "weight", 0.0, 1.0)

    @property
    def speed(self) -> float:
        """How fast it goes, as a share of the player's speed; negative: backwards."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._speed = finite(speed, "speed")

    @property
    def time(self) -> float:
        """Seconds since it began, over all rounds."""
        return self._time

    @time.setter
    def time(self, time: float) -> None:
        self._time = finite(time, "time")
        self._seen = None

    def fade(self, weight: float, seconds: float = 0.3) -> None:
        """Bring ``weight`` there gently, while the player plays.

        Raises:
            SettingError: One is out of range.
        """
        finite(weight, "weight", 0.0, 1.0)
        self._fade = Fade(self.weight, weight, finite(seconds, "seconds", 0.0))

    def remove(self) -> None:
        """Take it off at once; ``fade`` to 0 first, to do so gently."""
        self._player._remove(self)

    def step(self, dt: float, by: float) -> list[Event]:
        """Go on; return the events on the way.

        Args:
            dt: Seconds that have passed, for fades.
            by: Seconds to go on by, of the player.
        """
        if self._fade is not None:
            self.weight = self._fade.step(dt)
            if self._fade.done:
                self._fade = None
        by *= self._speed
        if by == 0.0:
            return []
        return self.pass_to(self._time + by)

    def pass_to(self, time: float) -> list[Event]:
        """Go on to a time; return the events on the way.

        Those where it begins count only when nothing was before.
        """
        clip, start = self._clip, self._seen
        events = []
        if start is None:
            start = self._time
            here = clip.local_time(start)
            events = [event for event in clip.events if event.time == here]
        self._time = self._seen = time
        if clip.wrap != "once":
            # whoever has missed more rounds has missed them
            most = ROUNDS * clip.duration
            start = min(max(start, time - most), time + most)
        return events + clip.events_between(start, time)


def finite(value: Any, what: str, least: float = -inf, most: float = inf) -> float:
    """Return a number.

    Raises:
        SettingError: It is none, or out of range.
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        # a whole number may be too large for a float
        or not -LARGEST <= value <= LARGEST
        or not least <= value <= most
    ):
        where = "" if least == -inf else f" from {least:g}"
        where += "" if most == inf else f" to {most:g}"
        raise SettingError(f"{what} must be a finite number{where}, not {value!r}")
    return float(value)
