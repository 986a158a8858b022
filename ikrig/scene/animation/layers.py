"""ClipLayer: one of several clips that a player plays."""

from __future__ import annotations

from typing import Any

from ...clip import Clip, Event
from ..checked_setting import Checked, flag, fraction, number
from ..fade import Fade, Fading

FASTEST = 1e4
"""Highest speed, of a player and of a layer against it."""
LATEST = 1e15
"""Farthest time, both ways [s]: beyond it frames could hardly be told apart."""


def speed_of(value: Any, what: str) -> float:
    """Return a speed of a clip.

    Raises:
        SettingError: It is no number, or beyond ``FASTEST``.
    """
    return number(value, what, -FASTEST, FASTEST)


class ClipLayer(Fading):
    """A clip over the one that a ``ClipPlayer`` plays; ``add_layer`` makes it."""

    additive = Checked(flag)
    """Whether it is added to what is below, from its own beginning, or replaces."""
    weight: Checked[float] = Checked(fraction)
    """Share of its effect, 0 to 1; ``fade`` changes it gradually."""
    speed = Checked(speed_of)
    """Speed as a factor of the player's speed; negative: backwards."""

    def __init__(self, player: Any, clip: Clip, weight: float, additive: bool) -> None:
        self._clip = clip
        self.additive = additive
        self._player = player
        self._time = 0.0
        self._seen: float | None = None
        self.speed = 1.0
        self.fading: Fade | None = None
        self.weight = weight

    def __repr__(self) -> str:
        """Say what it is."""
        how = "added" if self.additive else "over"
        return f"<ClipLayer {self.clip.name} {how} by {self.weight:.3g}>"

    @property
    def clip(self) -> Clip:
        """The clip."""
        return self._clip

    def exchange(self, clip: Clip) -> None:
        """Go on with another clip at the same time; its player binds it."""
        self._clip = clip

    @property
    def time(self) -> float:
        """Seconds since it began, over all rounds."""
        return self._time

    @time.setter
    def time(self, time: float) -> None:
        self._time = number(time, "time", -LATEST, LATEST)
        self._seen = None

    def skip(self, by: float) -> None:
        """Advance without the events on the way."""
        self._time, self._seen = _held(self._time + by), None

    def end_fade(self) -> None:
        """Take the weight that a fade leads to at once; without a fade nothing."""
        self.weight, self.fading = self.final_weight, None

    def remove(self) -> None:
        """Remove it at once; ``fade`` to 0 first for a gradual end."""
        self._player.remove_layer(self)

    def step(self, dt: float, by: float) -> list[Event]:
        """Advance; return the events on the way.

        Args:
            dt: Seconds that have passed, for fades.
            by: Seconds to go on by, of the player.
        """
        self.step_fade(dt)
        by *= self.speed
        if by == 0.0:
            return []
        return self.pass_by(by)

    def pass_by(self, by: float) -> list[Event]:
        """Advance; return the events on the way.

        Those where it begins count only when nothing was before.
        """
        time = _held(self._time + by)
        clip, start = self.clip, self._seen
        events = []
        if start is None:
            start = self._time
            here = clip.local_time(start)
            events = [event for event in clip.events if event.time == here]
        self._time = self._seen = time
        return events + clip.events_between(start, time)


def _held(time: float) -> float:
    """Return a time within bounds."""
    return min(max(time, -LATEST), LATEST)
