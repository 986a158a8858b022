"""ClipLayer: one of several clips that a player plays."""

from __future__ import annotations

from typing import Any

from ...clip import Clip, Event
from ...clip.clip import LATEST
from ...copies import Uncopied
from ..checked_setting import Checked, flag, fraction, number
from ..fade import Fade, Fading

FASTEST = 1e4
"""Maximum speed, of a player and of a layer relative to it."""


def speed_of(value: object, what: str) -> float:
    return number(value, what, -FASTEST, FASTEST)


class ClipLayer(Fading, Uncopied):
    """A clip on top of a ``ClipPlayer``'s clip; ``add_layer`` makes it."""

    additive = Checked(flag)
    """Whether its change from its own start is added; else it replaces those below."""
    weight: Checked[float] = Checked(fraction)
    """Weight of its effect, 0 to 1; ``fade`` changes it gradually."""
    speed = Checked(speed_of)
    """Speed as a factor of the player's speed; negative: backwards."""

    def __init__(self, player: Any, clip: Clip, weight: float, additive: bool) -> None:
        self._clip = clip
        self.additive = additive
        self._player = player
        self._time = 0.0
        self._events_sent_to: float | None = None
        self.speed = 1.0
        self._fading: Fade | None = None
        self.weight = weight

    def __repr__(self) -> str:
        how = "added" if self.additive else "over"
        return f"<ClipLayer {self.clip.name} {how} by {self.weight:.3g}>"

    @property
    def clip(self) -> Clip:
        """The clip."""
        return self._clip

    def _replace_clip(self, clip: Clip) -> None:
        """Continue with a different clip at the same time; its player binds it."""
        self._clip = clip

    @property
    def time(self) -> float:
        """Seconds since it began, over all repetitions."""
        return self._time

    @time.setter
    def time(self, time: float) -> None:
        self._time = number(time, "time", -LATEST, LATEST)
        self._events_sent_to = None

    def _skip(self, by: float) -> None:
        self._time, self._events_sent_to = _clamped(self._time + by), None

    def _end_fade(self) -> None:
        """Set the final weight of a fade at once; no effect without a fade."""
        self.weight, self._fading = self._final_weight, None

    def remove(self) -> None:
        """Remove it at once; ``fade`` to 0 first for a gradual end."""
        self._player.remove_layer(self)

    def _step(self, dt: float, by: float) -> list[Event]:
        """Advance by a frame; return the events that were passed."""
        self._step_fade(dt)
        by *= self.speed
        if by == 0.0:
            return []
        return self._advance(by)

    def _advance(self, by: float) -> list[Event]:
        """Advance by seconds of the clip; return the events that were passed.

        Events exactly at the start count only if the time was set before.
        """
        time = _clamped(self._time + by)
        clip, start = self.clip, self._events_sent_to
        events = []
        if start is None:
            start = self._time
            here = clip.local_time(start)
            events = [event for event in clip.events if event.time == here]
        self._time = self._events_sent_to = time
        return events + clip.events_between(start, time)


def _clamped(time: float) -> float:
    return min(max(time, -LATEST), LATEST)
