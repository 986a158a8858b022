"""Converts an animation to targets, poles and keys of a rig."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import degrees, radians
from typing import Any

import numpy as np
import panda3d.core as p3d

from ...clip import Clip, Key, Track
from ...clip.channels import CHANNELS
from ...clip.clip import FPS
from ...clip.reduce import DEGREES, LENGTH, angles_between
from ...errors import BindError, SettingError, shown, suggest
from ...math3d.quaternion import Floats
from ...value_shapes import Value, checked
from ..actor.actor_binding import ActorBinding
from ..actor.actor_model import control_of
from ..animation import ClipPlayer
from ..animation.property_bindings import PropertyBindings
from ..ik.component import IKComponent
from ..ik.effector import Effector
from ..ik.node_transforms import decomposed
from ..rig_builder import sources_of
from .offline_frames import Progress, solve
from .pose_recorder import PoseRecorder


def bake_to_controls(
    rig: object,
    animation: str,
    fps: float | None = None,
    *,
    wrap: str = "once",
    tolerance_deg: float = 0.5,
    tolerance: float | None = None,
    progress: Progress | None = None,
) -> Clip:
    """Return a clip that moves a rig's targets so that its Actor does an animation.

    The reverse of baking: joint animation or motion capture becomes targets and poles
    with few keys, to be dragged.

        rig = ikrig.load_rig("assets/rigs/panda.yaml")
        clip = ikrig.bake_to_controls(rig, "walk", wrap="loop")
        ikrig.dump_clip(clip, "walk_controls.yaml")

    Each limb that is started follows its targets. The roll of bones and the shape of
    long chains, which targets and pole don't determine, are in sparse keys of its
    joints: the start pose of IK, which only has to be close between keys. Joints of no
    limb have keys of their own. The clip also sets settings that would keep limbs off
    the animation, and the weights of behaviours.

    Play it on an Actor that plays nothing else. (``actor.stop()`` leaves joints in
    their current pose, and the clip moves only those that it has.)

    Args:
        rig: A rig, as ``ClipPlayer`` accepts, on an Actor. It stays in the last pose.
        animation: The name of one of the Actor's animations. All that it plays is
            stopped.
        fps: Frames per second to sample. Default: the animation's own.
        wrap: Motion beyond its end: "once"; "loop", where the first frame follows the
            last one; "ping_pong".
        tolerance_deg: Largest error of the rotation of any joint in its parent [deg].
        tolerance: Largest error of the positions of joints that move in their parents,
            such as hips [the Actor's unit]. None: a 2000th of the Actor's size.
        progress: Called with the numbers of frames that have all their keys, and of
            all frames.

    Raises:
        BindError: There is no Actor or animation, or a limb can't follow it.
        SettingError: A number is out of range.
    """
    allowed = radians(checked(DEGREES, tolerance_deg, "tolerance_deg", SettingError))
    if tolerance is not None:
        tolerance = checked(LENGTH, tolerance, "tolerance", SettingError)
    slots = PropertyBindings(rig)
    if slots.actor_rig is None:
        raise BindError(f"{rig!r} has no Actor, so it has no animations")
    actor, part = slots.actor_rig.actor, slots.actor_rig.part
    names = actor.get_anim_names()
    if animation not in names:
        raise BindError(
            f"there is no animation {shown(animation)}: {suggest(animation, names)}"
        )
    limbs = [
        LimbControls(name, limb, slots)
        for name, limb in slots.solved.items()
        if limb in slots.actor_rig._components and limb.started
    ]
    control = control_of(actor, animation, part)
    rate = control.get_anim().get_base_frame_rate()
    fps = rate if fps is None else checked(FPS, fps, "fps", SettingError)
    frames = control.get_num_frames() - (wrap != "loop")
    steps = max(round(frames / rate * fps), 1)
    seconds = frames / rate / steps
    with _prepare(actor, part):
        film, skeleton = PoseRecorder(rig), slots.actor_rig.skeleton
        for i in range(steps + (wrap != "loop")):
            control.pose(i * seconds * rate)
            skeleton.play()
            film.sample(i * seconds)
        skeleton.bundle.clear_control_effects()
        end = steps * seconds or None
        empty = Clip(animation, wrap=wrap, duration=end, sources=sources_of(rig))
        fit = KeyFit(slots, limbs, film, empty)
        try:
            return fit.clip(allowed, tolerance, progress)
        finally:
            fit.player.stop()


@contextmanager
def _prepare(actor: Any, part: str) -> Iterator[None]:
    bundle = actor.get_part_bundle(part)
    flags = bundle.get_anim_blend_flag(), bundle.get_frame_blend_flag()
    actor.stop()
    bundle.set_anim_blend_flag(False)
    bundle.set_frame_blend_flag(True)
    bundle.clear_control_effects()
    try:
        yield
    finally:
        bundle.set_anim_blend_flag(flags[0])
        bundle.set_frame_blend_flag(flags[1])


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
        self.wanted = film.rotations()
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
            joint: angles_between(rotations, self.wanted[joint])
            for joint, rotations in film.rotations().items()
        }
        groups = {"": self.free, **{limb.name: limb.joints for limb in self.limbs}}
        return {
            name: np.max([self.off[j] for j in joints], axis=0, initial=0.0)
            for name, joints in groups.items()
        }

    # -- tracks ------------------------------------------------------------------------

    def _take_fixed(self, allowed: float, tolerance: float | None) -> None:
        roots = {j for x in self.limbs for j in self.skeleton.lineage(x.joints[0])}
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
                    mat = self.film.frames[i][self.film.names.index(joint)]
                    self.skeleton.set_mat(j, p3d.LMatrix4f(*mat.flat))
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
                        rotation = decomposed(np.array(leaf.get_mat()))[0].tolist()
                    rows.setdefault(name, []).append(rotation)
        for limb in limbs:
            for effector in limb.tips.values():
                name = effector.leaf.get_name()
                if name in self.owned[limb.name]:
                    yield self._track(
                        name, "rotation", rows[name], self.moves[limb.name]
                    )

    def _track(
        self, part: str, channel: str, values: Sequence[Value], frames: set[int]
    ) -> Track:
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


STRAIGHT = 0.002
"""Fraction of its reach by which an elbow must be off the line to have a side."""

SETTINGS = {
    "weight": 1.0,
    "soften": 0.0,
    "stretch": 0.0,
    "twist_spread": 0.0,
    "snap_back_strength": 1.0,
}
"""Settings with which a limb that starts as animated stays as animated."""


class LimbControls:
    """A chain or tree of an Actor, and the values of its targets and pole.

    Args:
        name: Its name in clips.
        rig: The chain or tree.
        slots: The bindings of the rig, with the names of its effectors.

    Raises:
        BindError: It has a pole and more than two bones.
    """

    def __init__(self, name: str, rig: IKComponent, slots: PropertyBindings) -> None:
        self.name = name
        self.rig = rig
        self.tips: dict[str, Effector] = {}
        """Effectors by their targets' names in clips."""
        self.pole: p3d.NodePath | None = getattr(rig, "pole", None)
        if self.pole is None and any(end.pole is not None for end in rig.effectors):
            raise BindError(
                f"tree {name!r} has poles, which override the direction in which its "
                "limbs bend in the animation: set them to None first, or remove them "
                "from the rig's file"
            )
        bones = len(rig.bones) - 1
        if self.pole is not None and bones > 2:
            raise BindError(
                f"chain {name!r} has {bones} bones and a pole, which bends them into "
                "one arc regardless of the animation: set its pole to None first, or "
                "remove it from the rig's file"
            )
        if bones < 2:
            self.pole = None
        named = {
            n: e for n, e in slots.contents.effectors.items() if e in rig.effectors
        }
        self.tips = named or {name: rig.effectors[0]}
        leaves = [effector.leaf for effector in self.tips.values()]
        self.joints = [node.get_name() for node in rig.bones]
        """Names of all joints that it turns."""
        self.inner = [node.get_name() for node in rig.bones if node not in leaves]
        """Names of all joints but the last ones."""
        self._bend = p3d.LVector3f(0)

    def settings(self) -> Iterator[tuple[str, float]]:
        wanted: dict[str, float] = dict(SETTINGS)
        if self.rig.max_step is not None:
            wanted["max_step"] = CHANNELS["max_step"].shape.most  # type: ignore[attr-defined]
        for name, value in wanted.items():
            if name not in self.rig._without and getattr(self.rig, name) != value:
                yield name, value

    def controls(self) -> Iterator[tuple[str, str, tuple[float, ...]]]:
        binding = self.rig._binding
        assert isinstance(binding, ActorBinding)
        for name, effector in self.tips.items():
            above = effector.target.get_parent()
            yield name, "target", tuple(effector.leaf.get_pos(above))
            kind = effector.orientation_mode
            if kind == "target":
                # the rotation at which the leaf, with its offset, keeps its rotation
                rotation = binding.holding_rotation(effector)
                yield (
                    name,
                    "target_rotation",
                    _rotation_in(rotation, self.rig.root, above),
                )
            elif kind == "normal":
                # upright as the Actor: no tilt
                upright = p3d.LQuaternionf.ident_quat()
                yield (
                    name,
                    "target_rotation",
                    _rotation_in(upright, self.rig._figure, above),
                )
        if self.pole is not None:
            position = self.pole.get_parent().get_relative_point(
                self.rig.root, self._pole_place()
            )
            yield self.name, "pole", tuple(position)

    def _pole_place(self) -> p3d.LPoint3f:
        root = self.rig.root
        first, middle, last = (bone.get_pos(root) for bone in self.rig.bones)
        reach = (middle - first).length() + (last - middle).length()
        line = last - first
        line.normalize()
        side = middle - first
        side -= line * side.dot(line)
        if side.length() < STRAIGHT * reach and self._bend.length() > 0.0:
            # straight: continue towards its last side
            side = self._bend - line * self._bend.dot(line)
        side.normalize()
        self._bend = side
        return first + (last - first) * 0.5 + side * reach


def _rotation_in(
    rotation: p3d.LQuaternionf, space: p3d.NodePath, other: p3d.NodePath
) -> tuple[float, ...]:
    """Return a rotation in one space as seen in another, (4,) w x y z."""
    mat = p3d.LMatrix3f()
    rotation.extract_to_matrix(mat)
    mat *= space.get_mat(other).get_upper_3()
    if mat.determinant() < 0.0:
        # a mirrored rotation times -1 is a rotation
        mat *= -1.0
    return tuple(p3d.TransformState.make_mat(p3d.LMatrix4f(mat)).get_norm_quat())
