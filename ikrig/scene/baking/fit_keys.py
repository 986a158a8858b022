"""Fits the fewest keys of a rig's controls that reproduce an animation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import degrees
from typing import Any

import numpy as np
import panda3d.core as p3d

from ...clip import Clip, Key, Track
from ...clip.reduce import angles_between
from ...errors import BindError
from ...math3d.quaternion import Floats
from ..animation import ClipPlayer
from ..animation.property_bindings import PropertyBindings
from .limb_controls import LimbControls
from .offline_frames import Progress, solve
from .pose_recorder import PoseRecorder, rotations_of

Name = tuple[str, str]

CARRIES = 0.1
"""Fraction of the error for joints above limbs, since the limbs move with them."""
FREE = 0.9
"""Fraction of the error for all other joints."""
POSE = 0.5
"""Fraction of the error for start poses; targets may add the rest."""


class KeyFit:
    """Searches the keys of a clip.

    First it finds the start poses of the limbs, with a target key in every frame: one
    pose for all frames, if that suffices; otherwise it adds a key where the error is
    largest, and repeats. Then it finds the keys of targets and poles in the same way.

    Args:
        slots: The rig; its Actor plays nothing.
        limbs: Its chains and trees.
        film: The recorded animation.
        clip: Name, wrap and duration of the one to make.
    """

    def __init__(
        self,
        slots: PropertyBindings,
        limbs: list[LimbControls],
        film: PoseRecorder,
        clip: Clip,
    ) -> None:
        assert slots.actor_rig is not None
        self.rig = slots.rig
        self.skeleton = slots.actor_rig.skeleton
        self.behaviours = list(slots.contents.behaviours)
        self.limbs = limbs
        self.film = film
        self.empty = clip
        self.times = film.times
        self.player = ClipPlayer(clip, self.rig)
        self.wanted = {
            joint: rotations_of(states) for joint, states in film.states.items()
        }
        every = set(range(len(self.times)))
        self.poses: dict[str, set[int]] = {limb.name: set() for limb in limbs}
        """Frames with a key of the start pose; empty: one pose for all frames."""
        self.moves = {limb.name: set(every) for limb in limbs}
        """Frames with keys of targets and pole."""
        self.owned: dict[str, list[str]] = {}
        """The joints of each limb that no later limb moves."""
        taken: set[str] = set()
        turns = {id(layer): i for i, layer in enumerate(slots.actor_rig.layers)}
        for limb in sorted(limbs, key=lambda limb: -turns[id(limb.rig)]):
            self.owned[limb.name] = [j for j in limb.joints if j not in taken]
            taken |= set(limb.joints)
        self.free = [joint for joint in self.wanted if joint not in taken]
        self.controls: dict[str, dict[Name, list[object]]] = {x.name: {} for x in limbs}
        """Values in all frames by part and channel, of each limb."""
        self.leaves: dict[str, list[p3d.LMatrix4f]] = {}
        """Transforms of tips in the space of their limb's root."""

    def clip(
        self,
        allowed: float,
        tolerance: float | None = None,
        progress: Progress | None = None,
    ) -> Clip:
        """Return the clip, with as few keys as the tolerances allow.

        Args:
            allowed: Largest error of a joint's rotation in its parent [rad].
            tolerance: Largest error of joints' positions. None: as for
                ``PoseRecorder``.
            progress: Called with the numbers of frames that have all keys, and in all.
        """
        self.allowed = allowed
        self._take_fixed(allowed, tolerance)
        self._take_controls()
        self._search(self.poses, POSE * allowed, progress)
        ends = {0, len(self.times) - 1}
        self.moves = {limb.name: set(ends) for limb in self.limbs}
        return self._search(self.moves, allowed, progress)

    def _search(
        self, keys: dict[str, set[int]], allowed: float, progress: Progress | None
    ) -> Clip:
        count = len(self.times)
        while True:
            clip = self._clip()
            gaps = self._gaps(clip)
            # joints in no limb do not change any more
            most = {**dict.fromkeys(gaps, allowed), "": self.allowed}
            good = np.all([gap <= most[name] for name, gap in gaps.items()], axis=0)
            if progress is not None:
                progress(int(np.sum(good)), count)
            if np.all(good):
                return clip
            before = {name: set(frames) for name, frames in keys.items()}
            for limb in self.limbs:
                gap = gaps[limb.name]
                if (gap > allowed).any():
                    keys[limb.name] |= {0, count - 1}
                    keys[limb.name] |= _worst(gap, keys[limb.name], allowed)
            if keys == before:
                raise BindError(self._stuck())

    def _gaps(self, clip: Clip) -> dict[str, Floats]:
        """Return the largest error of each limb's joints in all frames [rad]."""
        film = PoseRecorder(self.rig)
        self.player.clip = clip
        for time in self.times:
            self.player.time = time
            solve(self.rig)
            film.sample(time)
        self.off = {
            joint: angles_between(rotations_of(film.states[joint]), rotations)
            for joint, rotations in self.wanted.items()
        }
        groups = {"": self.free, **{limb.name: limb.joints for limb in self.limbs}}
        return {
            name: np.max([self.off[j] for j in joints], axis=0, initial=0.0)
            for name, joints in groups.items()
        }

    # -- tracks ------------------------------------------------------------------------

    def _take_fixed(self, allowed: float, tolerance: float | None) -> None:
        roots = {
            joint for x in self.limbs for joint in self.skeleton.lineage(x.joints[0])
        }
        self.fixed = []
        name, wrap, end = self.empty.name, self.empty.wrap, self.empty.duration
        for carries, fraction in ((True, CARRIES), (False, FREE)):
            clip = self.film.clip(
                name, wrap, end, degrees(fraction * allowed), tolerance, ik_off=False
            )
            self.fixed += [
                track
                for track in clip.tracks
                if (track.part in roots) is carries
                and (track.channel == "position" or track.part in self.free)
            ]
        for limb in self.limbs:
            for setting, value in limb.settings():
                self.fixed.append(Track(limb.name, setting, {0.0: Key(value)}))
        for name in self.behaviours:
            self.fixed.append(Track(name, "weight", {0.0: Key(0.0)}))

    def _take_controls(self) -> None:
        """Record the control values that pose the limbs as animated.

        They are measured on the body as the clip poses it: a small error of a shoulder
        would bend a limb that reaches from it by more than that error.
        """
        for i in self._start_poses(self.fixed):
            self.skeleton.read()
            for limb in self.limbs:
                for joint in limb.joints:
                    (j,) = self.skeleton.numbers([joint])
                    self.skeleton.set_mat(j, self.film.states[joint][i].get_mat())
            for limb in self.limbs:
                rows = self.controls[limb.name]
                for part, channel, value in limb.controls():
                    rows.setdefault((part, channel), []).append(value)
                for effector in limb.tips.values():
                    leaf = effector.leaf
                    mats = self.leaves.setdefault(leaf.get_name(), [])
                    mats.append(leaf.get_mat(limb.rig.root))

    def _start_poses(self, tracks: list[Track]) -> Iterator[int]:
        self.player.clip = self._made(tracks)
        for limb in self.limbs:
            limb.rig.stop()
        try:
            for i, time in enumerate(self.times):
                self.player.time = time
                solve(self.rig)
                yield i
        finally:
            for limb in self.limbs:
                limb.rig.start()

    def _clip(self) -> Clip:
        tracks = list(self.fixed)
        for limb in self.limbs:
            for (part, channel), values in self.controls[limb.name].items():
                frames = self.moves[limb.name]
                tracks.append(self._track(part, channel, values, frames))
            for joint in limb.inner:
                if joint in self.owned[limb.name]:
                    tracks.append(self._start(joint, self.poses[limb.name]))
        tracks += self._leaves(tracks)
        return self._made(tracks)

    def _made(self, tracks: list[Track]) -> Clip:
        return self.empty.with_changes(tracks=tracks)

    def _start(self, joint: str, frames: set[int]) -> Track:
        rotations = self.wanted[joint]
        if frames:
            return self._track(joint, "rotation", rotations.tolist(), frames)
        # the mean of all: the eigenvector of their squares (Markley et al. 2007)
        _, axes = np.linalg.eigh(rotations.T @ rotations)
        return Track(joint, "rotation", {0.0: axes[:, -1].tolist()})

    def _leaves(self, tracks: list[Track]) -> Iterable[Track]:
        """Yield the tracks of tips whose rotations do not follow their targets.

        Before IK they need their final rotations, relative to joints in IK's start
        pose.
        """
        limbs = [x for x in self.limbs if x.rig.orientation_mode != "target"]
        if not limbs:
            return
        rows: dict[str, list[object]] = {}
        for i in self._start_poses(tracks):
            for limb in limbs:
                for effector in limb.tips.values():
                    leaf, name = effector.leaf, effector.leaf.get_name()
                    if limb.rig.orientation_mode == "bone":
                        rotation = self.wanted[name][i].tolist()
                    else:
                        leaf.set_mat(limb.rig.root, self.leaves[name][i])
                        rotation = rotations_of([leaf.get_transform()])[0].tolist()
                    rows.setdefault(name, []).append(rotation)
        for limb in limbs:
            for effector in limb.tips.values():
                name = effector.leaf.get_name()
                if name in self.owned[limb.name]:
                    yield self._track(
                        name, "rotation", rows[name], self.moves[limb.name]
                    )

    def _track(self, part: str, channel: str, values: Any, frames: set[int]) -> Track:
        keys = {self.times[i]: values[i] for i in sorted(frames)}
        if self.empty.wrap == "loop":
            keys[self.empty.duration] = values[0]
        return Track(part, channel, keys, "cubic")

    def _stuck(self) -> str:
        """Return a message on the joint that can't follow."""
        joint = max(self.off, key=lambda joint: self.off[joint].max())
        i = int(self.off[joint].argmax())
        limb = next((x for x in self.limbs if joint in self.owned[x.name]), None)
        reason = "another part of the rig rotates it too"
        if limb is not None and limb.rig.limits:
            reason = f"the limits of {limb.name!r} may prevent it"
        return (
            f"the rig can't reproduce {self.empty.name!r}: joint {joint!r} is "
            f"{degrees(self.off[joint][i]):.2f}° off at {self.times[i]:.3f} s: "
            f"{reason}"
        )


def _worst(gap: Floats, keys: set[int], allowed: float) -> set[int]:
    """Return the frames where keys help most: the worst one between any two keys."""
    rows = sorted(keys)
    found = set()
    for start, end in zip(rows, [*rows[1:], len(gap)], strict=True):
        between = gap[start + 1 : end]
        if len(between) and between.max() > allowed:
            found.add(start + 1 + int(between.argmax()))
    return found
