"""Playback of a model's animations and of the edited clip."""

from __future__ import annotations

from typing import Any

from direct.actor.Actor import Actor

from ...clip import Clip
from ...scene.animation import ClipPlayer
from ...scene.animation.property_bindings import PropertyBindings

SHORT_OF_END = 1e-7
"""How far before its end the end of a clip is shown: at it, a loop is at its beginning
[share of the clip]."""


class Playback:
    def __init__(self, model: object, part: str = "modelRoot") -> None:
        self._actor: Any = model if isinstance(model, Actor) else None
        self._part = part
        self.name = ""  # the animation; "" is the pose of the model file
        self.playing = False
        self.speed = 1.0
        self.time = 0.0  # current time [s]
        self.clip: Clip | None = None  # the clip, or None
        self.unfit: dict[tuple[str, str], str] = {}
        self._player: ClipPlayer | None = None
        self._shown: tuple[object, ...] = (None, None, None)

    @property
    def names(self) -> list[str]:
        if self._actor is None:
            return []
        names = sorted(self._actor.get_anim_names())
        return [n for n in names if self._actor.get_num_frames(n)]

    @property
    def animation_seconds(self) -> float:
        if not self.name:
            return 0.0
        return float(self._actor.get_duration(self.name) or 0.0)

    @property
    def duration(self) -> float:
        """Duration of the clip, or without one of the animation [s]."""
        return self.animation_seconds if self.clip is None else self.clip.duration

    def follow(self, rig: object, clip: Clip | None, parts: object) -> None:
        """Follow changes of rig and clip; nothing to do if there are none."""
        now = (rig, clip, parts)
        if all(a is b for a, b in zip(now, self._shown, strict=True)):
            return
        if self._player is not None and rig is not self._shown[0]:
            self._player = None
        self._shown, self.clip = now, clip
        if rig is None or clip is None:
            if self._player is not None:
                self._player.stop()
            self._player, self.unfit = None, {}
            return
        bindings = PropertyBindings(rig)
        found, why = bindings.find(clip)
        names = [track.address for track in clip.tracks]
        unfit = [name for name in names if name not in found]
        self.unfit = dict(zip(unfit, why, strict=False))
        fitting = clip.with_tracks(t for t in clip.tracks if t.address in found)
        if self._player is None:
            self._player = ClipPlayer(fitting, rig)
        else:
            self._player.clip = fitting
        self.time = min(self.time, self.duration)
        self.show()

    def choose(self, name: str) -> None:
        """Choose an animation and start it from its beginning; "" for none."""
        if self._actor is None:
            return
        self.name = name if name in self.names else ""
        if self.clip is None:
            self.time = 0.0
        if not self.name:
            self.playing = self.playing and self.clip is not None
            self._actor.stop()
            bundle = self._actor.get_part_bundle(self._part)
            bundle.clear_control_effects()
            bundle.force_update()
        else:
            self.show()

    def toggle(self) -> None:
        """Play or pause; without an animation or clip, choose the first animation."""
        if not self.name and self.names and self.clip is None:
            self.choose(self.names[0])
        there = bool(self.name) or self.clip is not None
        self.playing = there and not self.playing
        if self.playing and self.time >= self.duration:
            self.time = 0.0

    def seek(self, time: float) -> None:
        self.time = min(max(time, 0.0), self.duration)
        self.show()

    def update(self, dt: float) -> None:
        self._end_fades()
        if not self.playing or self.duration <= 0.0:
            return
        self.time += dt * self.speed
        if not 0.0 <= self.time < self.duration:
            self.time %= self.duration
        self.show()

    def _end_fades(self) -> None:
        player = self._player
        if player is None:
            return
        rig, ended = player.rig, False
        for track in player.clip.tracks:
            if track.channel == "weight":
                part = {**rig.chains, **rig.trees, **rig.behaviours}.get(track.part)
                if part is not None and getattr(part, "_fading", None) is not None:
                    part._fading, ended = None, True
        if ended:
            self.show()

    def show(self) -> None:
        seconds = self.animation_seconds
        if seconds > 0.0:
            rate = self._actor.get_num_frames(self.name) / seconds
            self._actor.pose(self.name, (self.time % seconds) * rate)
        if self._player is not None:
            last = self.duration * (1.0 - SHORT_OF_END)
            self._player.time = min(self.time, last)
