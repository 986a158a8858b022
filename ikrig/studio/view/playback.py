"""Playback: the animations of a model, played and scrubbed below its rig."""

from __future__ import annotations

from typing import Any

from direct.actor.Actor import Actor

__all__ = ["Playback"]


class Playback:
    """What an Actor plays. A model that is no Actor has no animations.

    Attributes:
        name: The animation; "" is the pose that the model came in.
        playing: Whether it runs.
        speed: 1: as fast as it was made.
    """

    def __init__(self, model: Any, part: str = "modelRoot") -> None:
        self._actor: Any = model if isinstance(model, Actor) else None
        self._part = part
        self.name = ""
        self.playing = False
        self.speed = 1.0
        self.time = 0.0

    @property
    def names(self) -> list[str]:
        """All animations that fit the model."""
        if self._actor is None:
            return []
        names = sorted(self._actor.get_anim_names())
        return [n for n in names if self._actor.get_num_frames(n)]

    @property
    def duration(self) -> float:
        """Length of the animation [s]; 0 without one."""
        if not self.name:
            return 0.0
        return float(self._actor.get_duration(self.name) or 0.0)

    def choose(self, name: str) -> None:
        """Take another animation, from its beginning; "" is none."""
        if self._actor is None:
            return
        self.name = name if name in self.names else ""
        self.time = 0.0
        if not self.name:
            self.playing = False
            self._actor.stop()
            bundle = self._actor.get_part_bundle(self._part)
            bundle.clear_control_effects()
            bundle.force_update()
        else:
            self._pose()

    def toggle(self) -> None:
        """Play or pause; the first animation when there is none yet."""
        if not self.name and self.names:
            self.choose(self.names[0])
        self.playing = bool(self.name) and not self.playing

    def seek(self, time: float) -> None:
        """Go to a second."""
        self.time = min(max(time, 0.0), self.duration)
        self._pose()

    def update(self, dt: float) -> None:
        """Go on by so many seconds, and from the end to the beginning."""
        if self.playing and self.duration > 0.0:
            self.time = (self.time + dt * self.speed) % self.duration
            self._pose()

    def _pose(self) -> None:
        if self.name:
            rate = self._actor.get_num_frames(self.name) / max(self.duration, 1e-6)
            self._actor.pose(self.name, self.time * rate)
