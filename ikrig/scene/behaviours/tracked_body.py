"""TrackedBody: a whole body that follows a headset, hands and other trackers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import panda3d.core as p3d

from ...character.stepping import Stepper, turned
from ...errors import BindError, SettingError, shown
from ...formats.rig_file.sections import COMMON
from ...kernels import buffer
from ...math3d.quaternion import (
    Floats,
    about,
    between,
    conjugate,
    multiply,
    rotate,
)
from ...records import Field, Record
from ...solvers.body import GOAL, POLE, POLED
from ...value_shapes import NODE
from ..actor.actor_figure import limbs_of, rest_transform
from ..checked_setting import node_in_scene, number
from .full_body import FullBody

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig

NAMES = (
    "head", "left_hand", "right_hand", "hips", "chest", "left_foot", "right_foot"
)  # fmt: skip
BENDS = {
    "left_elbow": "left_hand", "right_elbow": "right_hand",
    "left_knee": "left_foot", "right_knee": "right_foot",
}  # fmt: skip
"""Trackers that say where a limb bends to, and the limb."""
LEAP = 6.0
"""Speed from which a tracker has lost itself, in heights of the figure [1/s]."""
STILL = 1.5
"""Time after which a tracker that does not move while others do is lost [s]."""
EASE = 0.3
"""Time in which a lost tracker is let go, and a found one taken back [s]."""
STEADY = 0.1
"""Time for which a tracker must be sound before it is taken back [s]."""
STOOP = 0.3
"""How far ahead a head comes, as a multiple of how far it comes down."""
AGREE = 0.8
"""How far the headset's own y may be off where the trackers say it looks [rad]."""
LOOSE = 0.2
"""Turn of the head from which the body follows [rad]."""


@dataclass
class Tracker:
    """What is known of a tracker.

    Args:
        pose: Where its joint is led: position and rotation, (7,); None: not yet seen.
        raw: Where it was in the last frame.
        sound: For how long it has been sound [s].
        still: For how long it has not moved [s].
        hold: How much it counts, 0 to 1.
        blend: How far the joint is on the way from ``start`` to the tracker, 0 to 1.
        start: Where the joint was when the tracker was found again.
    """

    pose: Floats | None = None
    raw: Floats | None = None
    sound: float = STEADY
    still: float = 0.0
    hold: float = 1.0
    blend: float = 1.0
    start: Floats | None = None

    def follow(self, raw: Floats | None, moving: bool, size: float, dt: float) -> None:
        """Take the tracker's pose of a frame, or None where it has none."""
        last, self.raw = self.raw, raw if raw is not None else self.raw
        leaps = (
            raw is not None
            and last is not None
            and np.linalg.norm(raw[:3] - last[:3]) > size * max(LEAP * dt, 0.05)
        )
        if raw is None or leaps:
            self.sound = 0.0
        else:
            self.sound += dt
        rests = raw is not None and last is not None and bool((raw == last).all())
        self.still = 0.0 if not rests else self.still + dt * moving
        step = dt / EASE
        if self.pose is None:
            if raw is not None:
                self.pose = raw.copy()
            self.hold = 0.0 if raw is None else 1.0
            return
        if self.sound < STEADY or self.still > STILL or raw is None:
            self.hold = max(0.0, self.hold - step)
            self.blend, self.start = 0.0, self.pose
            return
        self.hold = min(1.0, self.hold + step)
        self.blend = min(1.0, self.blend + step)
        if self.blend >= 1.0 or self.start is None:
            self.pose = raw.copy()
            return
        t = self.blend * self.blend * (3.0 - 2.0 * self.blend)
        place = self.start[:3] + t * (raw[:3] - self.start[:3])
        self.pose = np.concatenate((place, between(self.start[3:], raw[3:], t)))


class TrackedBody(FullBody):
    """Move a whole body by a headset, two hands and up to eight trackers more.

        body = ikrig.TrackedBody(rig, head=headset, left_hand=left, right_hand=right)
        body.calibrate(height=1.78)     # the player stands as the model does

    Trackers are nodes, wherever their poses come from: a headset's API, a recording, a
    network. Head and hands stay on theirs while they are in reach. Feet without
    trackers stand, and step after the body one by one. Elbows follow from the place and
    the roll of the hands.

    A tracker that is removed, jumps, stands still to the last bit while others move or
    is not finite is let go gradually, and taken back gradually.

    Without ``calibrate``, a tracker's axes are those of its joint. For it they may be
    any: where hands and head are says which way the player looks, and the headset's
    own y, as of cameras, where it agrees. The floor is the
    Actor's own z = 0, and the Actor stays where it is: the trackers lead the body.

    Args:
        rig: The Actor's rig, of a figure with two arms and two legs.
        head: The node of the headset.
        left_hand: That of the left hand.
        right_hand: That of the right hand.
        hips, chest, left_foot, right_foot: Further trackers. Any may be None: without
            a head, feet don't step.
        left_elbow, right_elbow, left_knee, right_knee: Trackers to which the limbs
            bend, as to poles.
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, BODY.
        settings: Settings of ``FullBody``: ``spine_stiffness`` and so on.

    Raises:
        BindError: The figure lacks limbs, or two trackers are one node.
        SettingError: A setting is out of range.
    """

    kind = "tracked_body"
    title = "tracked body"
    record = Record(
        "tracked_body",
        "The whole body follows a headset, hands and other trackers.",
        {
            **{
                name: Field(
                    NODE, f"The tracker of the {name.replace('_', ' ')}."
                )
                for name in (*NAMES, *BENDS)
            },
            **{
                name: FullBody.record.fields[name]
                for name in (
                    "spine_stiffness", "hips_weight", "shoulder_weight", "bend_weight",
                    "lock",
                )
            },
            **COMMON,
        },
    )  # fmt: skip

    def __init__(
        self,
        rig: ActorRig,
        head: p3d.NodePath | None = None,
        left_hand: p3d.NodePath | None = None,
        right_hand: p3d.NodePath | None = None,
        hips: p3d.NodePath | None = None,
        chest: p3d.NodePath | None = None,
        left_foot: p3d.NodePath | None = None,
        right_foot: p3d.NodePath | None = None,
        left_elbow: p3d.NodePath | None = None,
        right_elbow: p3d.NodePath | None = None,
        left_knee: p3d.NodePath | None = None,
        right_knee: p3d.NodePath | None = None,
        *,
        lock: str | None = "head",
        weight: float = 1.0,
        order: float = 0,
        **settings: Any,
    ) -> None:
        nodes = (
            head, left_hand, right_hand, hips, chest, left_foot, right_foot,
            left_elbow, right_elbow, left_knee, right_knee,
        )  # fmt: skip
        given: dict[str, Any] = {
            name: node
            for name, node in zip((*NAMES, *BENDS), nodes, strict=True)
            if node is not None
        }
        self._check(given)
        self._trackers = {name: Tracker() for name in given}
        bends = {name: given.pop(name) for name in BENDS if name in given}
        self._offsets: dict[str, tuple[Floats, Floats]] = {}
        self._scale = 1.0
        self._stepper: Stepper | None = None
        self._heading = 0.0
        super().__init__(
            rig, lock=lock, weight=weight, order=order,
            orientation_weights=dict.fromkeys(given, 1.0), **settings, **given,
        )  # fmt: skip
        feet = ("left_foot", "right_foot")
        lacking = [n for n in (*NAMES[:3], *feet) if n not in self._effectors]
        if lacking:
            self.remove()
            raise BindError(
                f"a TrackedBody needs head, hands and feet: {rig._title} has no "
                f"{', '.join(lacking)}"
            )
        for effector in self._effectors.values():
            effector.pinned = False
        for name, node in bends.items():
            self[BENDS[name]].pole = node
        self._steps = [name for name in feet if name not in given]
        self._measure()
        self._reset()

    @staticmethod
    def _check(given: Mapping[str, object]) -> None:
        for name, node in given.items():
            node_in_scene(node, name)
        for (other, node), (name, same) in combinations(given.items(), 2):
            if node == same:
                raise BindError(f"trackers {other} and {name} are one node: {node}")

    def _measure(self) -> None:
        """Find the ground, and where the feet stand beside the head at rest."""
        skeleton, actor, space = self._skeleton, self.rig.actor, self._space
        into = p3d.LMatrix4f(actor.get_mat(space))
        self._rest = {}
        for name, effector in self._effectors.items():
            mat = rest_transform(skeleton, effector.joint) * into
            self._rest[name] = _pose_of(mat)
        up = np.array(self._model.up)
        ahead = np.array(
            space.get_relative_vector(actor, p3d.LVector3f(*limbs_of(skeleton).forward))
        )
        ahead -= (ahead @ up) * up
        ahead /= np.linalg.norm(ahead)
        # rows: to the right, ahead, up
        self._axes = np.array((np.cross(ahead, up), ahead, up))
        self._floor = np.array(into.get_row3(3))
        # the skin is taller than the joints
        _, high = actor.get_tight_bounds(space) or (p3d.LPoint3f(), p3d.LPoint3f())
        tall, size = float(self._axes[2] @ (high - self._floor)), self._model.size
        self._stature = max(tall, size) if np.isfinite(tall) else size
        self._tall = float(self._axes[2] @ (self._rest["head"][:3] - self._floor))
        leg = self._length(self._model.limbs["left_foot"])
        self._stepper = Stepper(len(self._steps), leg)

    def _stand(self, stepper: Stepper) -> None:
        """Take where the feet are beside the head from the animation."""
        skeleton = self._skeleton
        poses = {
            name: _pose_of(skeleton.net_mat(skeleton.pose.index[effector.joint]))
            for name, effector in self._effectors.items()
        }
        heading = self._heading_of(poses["head"])
        back = about(self._axes[2], -heading)
        head = self._axes @ (poses["head"][:3] - self._floor)
        self._soles, self._stood = {}, float(head[2])
        for name, foot in zip(self._steps, stepper.feet, strict=True):
            x, y, z = self._axes @ (poses[name][:3] - self._floor)
            foot.home = turned(np.array((x - head[0], y - head[1])), -heading)
            self._soles[name] = z, multiply(back, poses[name][3:])

    def _entries(self) -> dict[str, object]:
        found = super()._entries()
        found |= {name: self[limb].pole for name, limb in BENDS.items()}
        return {key: found[key] for key in found if key in self.record.fields}

    # -- calibration -------------------------------------------------------------------

    def calibrate(
        self, height: float | None = None, arm_span: float | None = None
    ) -> dict[str, Any]:
        """Take the trackers' offsets from their joints, and the player's size.

        The player stands as the character does in its model file, looking ahead. From
        then on, each joint keeps its place and rotation beside its tracker, and the
        room is scaled so that the player is as tall as the character.

        Args:
            height: The player's height; None: that of the headset above the floor.
            arm_span: The distance of the hands with arms stretched to the sides, which
                then decides instead of the height.

        Returns:
            The calibration, plain numbers, for ``calibration``.

        Raises:
            BindError: A tracker has no finite position.
            SettingError: A size is 0, below 0 or not finite.
        """
        names = ["head", *(name for name in self._trackers if name not in BENDS)]
        raws: dict[str, Floats] = {}
        for name in names:
            raw = self._raw(name)
            if raw is None:
                raise BindError(f"tracker {name} has no finite position")
            raws[name] = raw
        head = raws["head"]
        self._scale = 1.0
        if arm_span is not None:
            left, right = (self._model.limbs[f"{x}_hand"] for x in ("left", "right"))
            own = self._length((*left[::-1], *right))
            self._scale = own / _above_zero(arm_span, "arm_span")
        elif height is not None:
            self._scale = self._stature / _above_zero(height, "height")
        else:
            tall = float(self._axes[2] @ (head[:3] - self._floor))
            if not tall > 0.05 * self._model.size:
                raise SettingError(
                    f"the headset is {tall:.3g} above the floor: give the height, or "
                    "calibrate while the player stands"
                )
            self._scale = self._tall / tall
        spun = about(self._axes[2], self._heading_in(raws))
        base = self._floor + self._scale * (head[:3] - self._floor)
        self._offsets = {}
        for name, raw in raws.items():
            place = self._floor + self._scale * (raw[:3] - self._floor)
            away = self._rest[name][:3] - self._rest["head"][:3]
            up = self._axes[2]
            joint = base + rotate(spun, away)
            joint += up * float(up @ (self._rest["head"][:3] - base))
            back = conjugate(raw[3:])
            self._offsets[name] = (
                rotate(back, joint - place),
                multiply(back, multiply(spun, self._rest[name][3:])),
            )
        self._reset()
        return self.calibration

    def _heading_in(self, raws: Mapping[str, Floats]) -> float:
        """Return the direction in which a player looks who stands as at rest [rad].

        Where the trackers are says so, whatever their axes are: those of a capture's
        head point up. The headset's own y is nearer where it says about the same.
        """
        own_poses = {name: self._rest[name] for name in raws}
        a, b = (
            np.array([(self._axes @ pose[:3])[:2] for pose in poses.values()])
            for poses in (own_poses, raws)
        )
        a, b = a - a.mean(axis=0), b - b.mean(axis=0)
        far = float(np.linalg.norm(a) * np.linalg.norm(b))
        dot = float((a * b).sum())
        cross = float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum())
        x, y, _ = self._axes @ rotate(raws["head"][3:], np.array((0.0, 1.0, 0.0)))
        own = float(np.arctan2(-x, y))
        if not np.hypot(dot, cross) > 0.3 * far > 0.0:
            return own
        placed = float(np.arctan2(cross, dot))
        off = abs((own - placed + np.pi) % (2.0 * np.pi) - np.pi)
        return own if np.hypot(x, y) > 0.5 and off < AGREE else placed

    @property
    def calibration(self) -> dict[str, Any]:
        """The calibration as plain numbers; set it to what ``calibrate`` returned."""
        return {
            "scale": self._scale,
            "offsets": {
                name: [*map(float, place), *map(float, turn)]
                for name, (place, turn) in self._offsets.items()
            },
        }

    @calibration.setter
    def calibration(self, value: Mapping[str, Any]) -> None:
        if not isinstance(value, Mapping) or set(value) != {"scale", "offsets"}:
            raise SettingError(
                "calibration must be what calibrate() returned, not " + shown(value)
            )
        scale = _above_zero(value["scale"], "scale")
        offsets = {}
        for name, row in value["offsets"].items():
            numbers = np.array(row, float)
            if name not in NAMES or numbers.shape != (7,):
                raise SettingError(f"calibration of {shown(name)} must be 7 numbers")
            if not np.isfinite(numbers).all() or not np.linalg.norm(numbers[3:]) > 0.0:
                raise SettingError(f"calibration of {shown(name)} is not finite")
            offsets[name] = (numbers[:3], numbers[3:] / np.linalg.norm(numbers[3:]))
        self._scale, self._offsets = scale, offsets
        self._reset()

    def _length(self, joints: Sequence[str]) -> float:
        """Return the length of a line of joints at rest, in the skeleton's space."""
        into = self.rig.actor.get_mat(self._space)
        mats = [rest_transform(self._skeleton, joint) * into for joint in joints]
        steps = np.diff([np.array(mat.get_row3(3)) for mat in mats], axis=0)
        return float(np.linalg.norm(steps, axis=1).sum())

    # -- a frame -----------------------------------------------------------------------

    def _reset(self) -> None:
        super()._reset()
        for name in self._trackers:
            self._trackers[name] = Tracker()
        if self._stepper is not None:
            self._stepper.reset()

    def _raw(self, name: str) -> Floats | None:
        """Return a tracker's own pose in the skeleton's space, or None."""
        effector = self._effectors[BENDS.get(name, name)]
        node = effector.pole if name in BENDS else effector.target
        if node is None or node.is_empty() or node.get_top() != self._space.get_top():
            return None
        found = _pose_of(node.get_mat(self._space))
        return found if np.isfinite(found).all() else None

    def _heading_of(self, head: Floats) -> float:
        turn = multiply(head[3:], conjugate(self._rest["head"][3:]))
        ahead = rotate(turn, self._axes[1])
        x, y, z = self._axes @ ahead
        if x * x + y * y < 0.04:
            # it looks up or down: where its crown leans to
            x, y, _ = -np.sign(z) * (self._axes @ rotate(turn, self._axes[2]))
        return float(np.arctan2(-x, y))

    def _goals(self, dt: float) -> None:
        super()._goals(dt)
        if self._stepper is None:
            return
        solver, size = self._solver, self._model.size
        raws = {name: self._raw(name) for name in self._trackers}
        moving = any(
            raw is not None
            and (last := self._trackers[name].raw) is not None
            and float(np.linalg.norm(raw[:3] - last[:3])) > 1e-5 * size
            for name, raw in raws.items()
        )
        for name, tracker in self._trackers.items():
            tracker.follow(raws[name], moving, size / self._scale, dt)
            pose = self._led(name)
            k = GOAL * solver.goals[BENDS.get(name, name)]
            hold = 0.0 if pose is None else tracker.hold
            if name in BENDS:
                place = (0.0, 0.0, 0.0) if pose is None else pose[:3]
                solver.numbers[k + POLE : k + POLED + 1] = buffer((*place, hold))
                continue
            if pose is not None:
                solver.numbers[k : k + 7] = buffer(pose)
            effector = self._effectors[name]
            solver.numbers[k + 7] = hold * effector.weight
            solver.numbers[k + 8] = hold * effector.orientation_weight
        if self._steps:
            self._step(dt)

    def _led(self, name: str) -> Floats | None:
        """Return where a tracker leads its joint."""
        tracker = self._trackers.get(name)
        if tracker is None or tracker.pose is None:
            return None
        pose = tracker.pose
        place = self._floor + self._scale * (pose[:3] - self._floor)
        offset = self._offsets.get(name)
        if offset is None:
            return np.concatenate((place, pose[3:]))
        return np.concatenate(
            (place + rotate(pose[3:], offset[0]), multiply(pose[3:], offset[1]))
        )

    def _step(self, dt: float) -> None:
        stepper, solver = self._stepper, self._solver
        head = self._led("head")
        assert stepper is not None
        if head is None:
            return
        wanted = self._heading_of(head)
        gap = float((wanted - self._heading + np.pi) % (2.0 * np.pi) - np.pi)
        if not stepper.is_set:
            self._stand(stepper)
            self._heading = wanted
        elif abs(gap) > LOOSE:
            self._heading += np.sign(gap) * (abs(gap) - LOOSE) * min(1.0, dt / 0.15)
        else:
            self._heading += gap * min(1.0, dt / 1.0)
        flat = self._axes @ (head[:3] - self._floor)
        # a head that comes down comes ahead of the feet
        low = max(0.0, self._stood - flat[2])
        body = flat[:2] - turned(np.array((0.0, STOOP * low)), self._heading)
        stepper.update(body, self._heading, dt)
        for name, foot in zip(self._steps, stepper.feet, strict=True):
            z = self._soles[name][0] + foot.height
            place = self._floor + np.array((*foot.place, z)) @ self._axes
            turn = multiply(about(self._axes[2], foot.heading), self._soles[name][1])
            k = GOAL * solver.goals[name]
            solver.numbers[k : k + 9] = buffer((*place, *turn, 1.0, 1.0))


def _pose_of(mat: p3d.LMatrix4f) -> Floats:
    """Return position and rotation of a matrix, (7,)."""
    state = p3d.TransformState.make_mat(mat)
    found = np.array((*mat.get_row3(3), *state.get_norm_quat()), float)
    found[3:] /= np.linalg.norm(found[3:])
    return found


def _above_zero(value: object, what: str) -> float:
    found = number(value, what)
    if not found > 0.0:
        raise SettingError(f"{what} must be above 0, not {shown(value)}")
    return found
