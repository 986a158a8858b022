"""ClipFeet: what the clips that a figure plays do with its feet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...character.contacts import Contacts, find_contacts
from ...character.foot_planner import FootPlan
from ..actor.actor_skeleton import ActorSkeleton
from .clip_speed import MAX_FRAMES, clip_tracks, velocity_of
from .sole import Corner

MOST = 0.7
"""Share of all clips that play above which one clip decides."""
STILL = 0.2
"""A clip that plays slower than this is as good as still [of its own rate]."""
SOUND = 0.5
"""A clip that plays at least this fast is used in full."""
MEAN_SECONDS = 0.1
"""Time over which its rate is averaged."""

Soles = Mapping[str, Sequence[Corner]]
"""Corners of the sole of each foot."""
Playing = tuple[Any, float, float]
"""A clip that has an effect: its control, its frame, and its weight."""


class _Clip:
    """What a clip does with the feet, alike for all Actors of a model."""

    def __init__(self, skeleton: ActorSkeleton, anim: Any, soles: Soles, leg: float):
        # keeps alive what its key refers to
        self.anim = anim
        self.count = int(anim.get_num_frames())
        self.rate = rate = float(anim.get_base_frame_rate())
        tracks = clip_tracks(skeleton, anim, list(soles.values()))
        self.velocity = x, y = velocity_of(tracks, rate)
        self.contacts: list[Contacts] = []
        """Those of each foot; none where they are not sure."""
        self.floor = 0.0
        """Height at which all feet stand at least, or at most where they are sunk."""
        sound = 3 <= self.count <= MAX_FRAMES and rate > 0.0
        if sound and all(np.isfinite(points).all() for points in tracks):
            found = [find_contacts(points, (x, y), rate, leg) for points in tracks]
            floors = [contacts.floor for contacts in found]
            self.floor = max(min(floors), 0.0) + min(max(floors), 0.0)
            if all(contacts.sure for contacts in found):
                self.contacts = found


class Played:
    """How fast a figure plays its clips."""

    def __init__(self) -> None:
        self.last: dict[_Clip, tuple[float, float]] = {}

    def step(
        self, clips: Sequence[_Clip], frames: Sequence[float], dt: float
    ) -> list[float]:
        """Return mean rates after a frame of dt seconds [frames/s]; 0: unknown.

        Args:
            clips: What plays.
            frames: Where each is now.
            dt: Time since the last frame [s].
        """
        last, self.last = self.last, {}
        rates = []
        for clip, frame in zip(clips, frames, strict=True):
            before, rate = last.get(clip, (frame, 0.0))
            # where it goes round, its last frame may be its first once more, or not
            if dt > 0.0 and clip in last and abs(frame - before) < 0.5 * clip.count:
                share = min(1.0, dt / MEAN_SECONDS) if rate else 1.0
                rate += share * ((frame - before) / dt - rate)
            self.last[clip] = frame, rate
            rates.append(rate)
        return rates


class ClipFeet:
    """What each clip of an Actor does with its feet, found when it plays first.

    Args:
        skeleton: The Actor's skeleton.
        soles: Corners of each foot.
        leg: Length of the longest leg, in the Actor's own space.
    """

    def __init__(self, skeleton: ActorSkeleton, soles: Soles, leg: float) -> None:
        self._skeleton = skeleton
        self._soles = soles
        self._leg = leg
        points = ((j, *point) for sole in soles.values() for j, point in sole)
        self._key = (ClipFeet, *points)
        self._clips: dict[int, _Clip] = {}

    @property
    def playing(self) -> list[Playing]:
        """The clips that have an effect on the Actor in this frame."""
        return [
            (control, control.get_full_fframe(), weight)
            for control, weight in self._skeleton.playing
        ]

    def velocity_of(self, anim: Any) -> tuple[float, float]:
        """Return the velocity of the Actor at which a clip's feet don't slide.

        In its own space, per second.
        """
        return self.clip(anim).velocity

    def velocity(
        self, played: Played, playing: Sequence[Playing], dt: float
    ) -> complex:
        """Return the velocity of what plays now, x + iy in the Actor's space.

        Args:
            played: What has played, of one figure.
            playing: What plays now.
            dt: Length of the frame [s]. How far clips went in it counts, whether they
                play or are posed.
        """
        clips = [self.clip(control.get_anim()) for control, _, _ in playing]
        total, velocity = 0.0, 0j
        rates = played.step(clips, [frame for _, frame, _ in playing], dt)
        for clip, rate, (_, _, weight) in zip(clips, rates, playing, strict=True):
            velocity += weight * rate / (clip.rate or 1.0) * complex(*clip.velocity)
            total += weight
        return velocity / total if total > 0.0 else 0j

    def plans(
        self, played: Played, playing: Sequence[Playing], dt: float
    ) -> list[FootPlan] | None:
        """Return what each foot does.

        None where no clip decides alone, it stands still, or its contacts are not sure.

        Args:
            played: What has played, of one figure.
            playing: What plays now.
            dt: Time since the last frame [s].
        """
        control, total, most = None, 0.0, 0.0
        for each, at, weight in playing:
            total += weight
            if weight > most:
                control, frame, most = each, at, weight
        if control is None or not most > MOST * total:
            played.step((), (), dt)
            return None
        clip = self.clip(control.get_anim())
        (rate,) = played.step((clip,), (frame,), dt)
        usual = clip.rate
        if not clip.contacts or abs(rate) < STILL * usual or rate == 0.0:
            return None
        trust = min(1.0, (abs(rate) / usual - STILL) / (SOUND - STILL))
        return [contacts.at(frame, rate, trust) for contacts in clip.contacts]

    def floor(self, playing: Sequence[Playing]) -> float:
        """Return the height at which what plays stands, in the Actor's space."""
        total = floor = 0.0
        for control, _, weight in playing:
            if control is not None:
                floor += weight * self.clip(control.get_anim()).floor
            total += weight
        return floor / total if total > 0.0 else 0.0

    def clip(self, anim: Any) -> _Clip:
        found = self._clips.get(anim.this)
        if found is None:
            known, key = self._skeleton.model.known, (anim.this, *self._key)
            if key not in known:
                known[key] = _Clip(self._skeleton, anim, self._soles, self._leg)
            found = self._clips[anim.this] = known[key]
        return found
