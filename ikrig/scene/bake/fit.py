"""The fewest keys of a rig's controls that show what an animation shows."""

from __future__ import annotations

from collections.abc import Iterable
from math import degrees
from typing import Any

import numpy as np
import panda3d.core as p3d

from ...clip import Clip, Track
from ...clip.reduce import angles_between
from ...errors import BindError
from ...spatial import Floats
from ..playback import ClipPlayer
from ..playback.slots import Slots
from .film import Film, turns_of
from .limb import Limb
from .steps import Progress, solve

__all__ = ["Fit", "Shots"]

Name = tuple[str, str]

BODY = 0.1
"""Share of the error that joints of no limb may take: limbs hang on them."""
POSE = 0.5
"""Share that keys of the start pose leave; those of targets add the rest."""


class Shots:
    """What an animation shows in each frame, and the controls that would show it.

    Args:
        slots: The rig.
        limbs: Its chains and trees on the Actor.
    """

    def __init__(self, slots: Slots, limbs: list[Limb]) -> None:
        assert slots.actor_rig is not None
        self.skeleton = slots.actor_rig._skeleton
        self.limbs = limbs
        self.behaviours = list(slots.behaviours)
        self.film = Film(slots.rig)
        self.controls: dict[str, dict[Name, list[Any]]] = {x.name: {} for x in limbs}
        """Values in all frames by part and channel, of each limb."""
        self.leaves: dict[str, list[p3d.LMatrix4f]] = {}
        """Where tips are that turn as animated, against their limb's root."""

    def shoot(self, time: float) -> None:
        """Take down the animated pose of this moment."""
        self.skeleton.begin()
        self.film.shoot(time)
        for limb in self.limbs:
            rows = self.controls[limb.name]
            for part, channel, value in limb.controls():
                rows.setdefault((part, channel), []).append(value)
            for leaf, _, tip in limb.tips.values():
                mats = self.leaves.setdefault(leaf.get_name(), [])
                mats.append(leaf.get_mat(tip.root))


class Fit:
    """Looks for the keys.

    First the start poses of the limbs, with a target key in every frame: one pose all
    the time, if that does; else a key where it is worst, and again. Then the keys of
    targets and poles in the same way.

    Args:
        rig: What ``ClipPlayer`` takes; its Actor plays nothing.
        shots: The animation.
        name: The clip's.
        wrap: What is beyond the clip's end.
        duration: Its end [s].
    """

    def __init__(
        self, rig: Any, shots: Shots, name: str, wrap: str, duration: float
    ) -> None:
        self.rig = rig
        self.shots = shots
        self.name, self.wrap, self.duration = name, wrap, duration
        self.times = shots.film.times
        self.player = ClipPlayer(Clip(name), rig)
        self.wanted = {
            joint: turns_of(states) for joint, states in shots.film.states.items()
        }
        every = set(range(len(self.times)))
        self.poses: dict[str, set[int]] = {limb.name: set() for limb in shots.limbs}
        """Frames with a key of the start pose; none: one pose all the time."""
        self.moves = {limb.name: set(every) for limb in shots.limbs}
        """Frames with keys of targets and pole."""
        self.owned: dict[str, list[str]] = {}
        """The joints that each limb has the last word on."""
        taken: set[str] = set()
        for limb in sorted(shots.limbs, key=lambda limb: limb.rig.order)[::-1]:
            self.owned[limb.name] = [j for j in limb.joints if j not in taken]
            taken |= set(limb.joints)
        self.free = [joint for joint in self.wanted if joint not in taken]

    def clip(self, allowed: float, progress: Progress | None = None) -> Clip:
        """Return the clip.

        Args:
            allowed: Largest error of how a joint is turned against its parent [rad].
            progress: Called with how many frames have all their keys, of how many.

        Raises:
            BindError: A joint can't be turned so; says which.
        """
        self._take_fixed(allowed)
        self._search(self.poses, POSE * allowed, progress)
        ends = {0, len(self.times) - 1}
        self.moves = {limb.name: set(ends) for limb in self.shots.limbs}
        return self._search(self.moves, allowed, progress)

    def _search(
        self, keys: dict[str, set[int]], allowed: float, progress: Progress | None
    ) -> Clip:
        """Add keys until nothing is off by more than allowed."""
        count = len(self.times)
        while True:
            clip = self._clip()
            gaps = self._gaps(clip)
            good = np.all([gap <= allowed for gap in gaps.values()], axis=0)
            if progress is not None:
                progress(int(np.sum(good)), count)
            if np.all(good):
                return clip
            for limb in self.shots.limbs:
                gap = gaps[limb.name]
                if (gap <= allowed).all():
                    continue
                chosen = keys[limb.name] or {0, count - 1}
                added = _worst(gap, chosen, allowed)
                if not added and chosen == keys[limb.name]:
                    raise BindError(self._stuck(limb, gap))
                keys[limb.name] = chosen | added

    def _gaps(self, clip: Clip) -> dict[str, Floats]:
        """Return the largest error of each limb's joints in all frames [rad]."""
        film = Film(self.rig)
        self.player.clip = clip
        for time in self.times:
            self.player.time = time
            solve(self.rig)
            film.shoot(time)
        self.off = {
            joint: angles_between(turns_of(film.states[joint]), turns)
            for joint, turns in self.wanted.items()
        }
        groups = {**self.owned, "": self.free}
        return {
            name: np.max([self.off[j] for j in joints], axis=0, initial=0.0)
            for name, joints in groups.items()
        }

    # -- tracks ------------------------------------------------------------------------

    def _take_fixed(self, allowed: float) -> None:
        """Make the tracks of joints of no limb, of places, and of settings."""
        film = self.shots.film
        tight = film.clip(
            self.name, self.wrap, self.duration, degrees(BODY * allowed), None
        )
        self.fixed = [
            track
            for track in tight.tracks
            if track.channel == "position" or track.part in self.free
        ]
        for limb in self.shots.limbs:
            for setting, value in limb.settings():
                self.fixed.append(Track(limb.name, setting, {0.0: value}))
        for name in self.shots.behaviours:
            self.fixed.append(Track(name, "weight", {0.0: 0.0}))

    def _clip(self) -> Clip:
        tracks = list(self.fixed)
        for limb in self.shots.limbs:
            for (part, channel), values in self.shots.controls[limb.name].items():
                frames = self.moves[limb.name]
                tracks.append(self._track(part, channel, values, frames))
            for joint in limb.inner:
                if joint in self.owned[limb.name]:
                    tracks.append(self._start(joint, self.poses[limb.name]))
        tracks += self._leaves(tracks)
        return Clip(self.name, tracks, wrap=self.wrap, duration=self.duration)

    def _start(self, joint: str, frames: set[int]) -> Track:
        """Return the track of a joint from which IK starts."""
        turns = self.wanted[joint]
        if frames:
            return self._track(joint, "rotation", turns.tolist(), frames)
        # the mean of all: the eigenvector of their squares (Markley et al. 2007)
        _, axes = np.linalg.eigh(turns.T @ turns)
        return Track(joint, "rotation", {0.0: axes[:, -1].tolist()})

    def _leaves(self, tracks: list[Track]) -> Iterable[Track]:
        """Yield the tracks of tips that are not turned as their targets are.

        They are to be turned, before IK, as they shall be afterwards, above them the
        pose that IK starts from.
        """
        limbs = [x for x in self.shots.limbs if x.rig.tip_rotation != "target"]
        if not limbs:
            return
        rows: dict[str, list[Any]] = {}
        self.player.clip = Clip(
            self.name, tracks, wrap=self.wrap, duration=self.duration
        )
        for limb in self.shots.limbs:
            limb.rig.stop()
        for i, time in enumerate(self.times):
            self.player.time = time
            solve(self.rig)
            for limb in limbs:
                for leaf, _, tip in limb.tips.values():
                    name = leaf.get_name()
                    if limb.rig.tip_rotation == "bone":
                        turn = self.wanted[name][i].tolist()
                    else:
                        leaf.set_mat(tip.root, self.shots.leaves[name][i])
                        turn = turns_of([leaf.get_transform()])[0].tolist()
                    rows.setdefault(name, []).append(turn)
        for limb in self.shots.limbs:
            limb.rig.start()
        for limb in limbs:
            for leaf, _, _ in limb.tips.values():
                name = leaf.get_name()
                if name in self.owned[limb.name]:
                    yield self._track(
                        name, "rotation", rows[name], self.moves[limb.name]
                    )

    def _track(self, part: str, channel: str, values: Any, frames: set[int]) -> Track:
        keys = {self.times[i]: values[i] for i in sorted(frames)}
        if self.wrap == "loop":
            keys[self.duration] = values[0]
        return Track(part, channel, keys, "cubic")

    def _stuck(self, limb: Limb, gap: Floats) -> str:
        """Say where a limb can't follow."""
        i = int(gap.argmax())
        joint = max(self.owned[limb.name], key=lambda joint: self.off[joint][i])
        reason = (
            "its limits may hold it back"
            if limb.rig.limits
            else "something else turns it too, or its solver does not come there"
        )
        return (
            f"{limb.name!r} can't do {self.name!r}: joint {joint!r} is "
            f"{degrees(gap[i]):.2f}° off at {self.times[i]:.3f} s: {reason}"
        )


def _worst(gap: Floats, keys: set[int], allowed: float) -> set[int]:
    """Return the frames where keys help most: between two keys the worst one."""
    rows = sorted(keys)
    found = set()
    for start, end in zip(rows, [*rows[1:], len(gap)], strict=True):
        between = gap[start + 1 : end]
        if len(between) and between.max() > allowed:
            found.add(start + 1 + int(between.argmax()))
    return found
