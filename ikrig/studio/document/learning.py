"""Learns joint limits from a model's animations, and sweeps joints through limits.

All is in the frame that limits stand in: that of the joint above the chain, in the pose
that the model came in. With J and P the frames of a joint and of the one above it
(rows: where the unit vectors point), L = J P^-1 the joint's local turn, and 0 the pose
that the model came in, a joint is turned by D = F P0^-1 (L0^-1 L) P0 F^-1 there, with F
the frame of the limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi, radians

import numpy as np

from ...errors import BindError
from ...formats.rig_file import Part, limit_part, make_limit
from ...formats.rig_file.sections import changed_part
from ...math3d.quaternion import Floats, about, to_matrix
from ...math3d.turns import swing_angle, turn_vector
from ...model.limits import ConeLimit, FixedLimit, HingeLimit
from .edited_rig import Edit, EditedRig, Owner, Selection
from .skeleton_info import SkeletonInfo

MARGIN = radians(5.0)  # margin of learned limits beyond the range of animations [rad]
STILL = radians(0.5)  # A joint that turns less than this is fixed
ONE_AXIS = radians(4.0)  # A joint that leaves one axis by less than this is a hinge
STEPS = 16  # number of poses from one end of a range to the other in a sweep


class Frames:
    def __init__(
        self, skeleton: SkeletonInfo, bones: tuple[str, ...], joint: str
    ) -> None:
        info = skeleton.by_name[joint]
        self.limit: Floats = np.array(skeleton.frame_above(bones[0]), float)
        self.parent: Floats = np.array(skeleton.frame_above(joint), float)
        self.rest: Floats = np.array(info.frame) @ np.linalg.inv(self.parent)
        below = [c for c in skeleton.children(joint) if c in bones]
        below = below or list(skeleton.children(joint))
        start = np.array(info.position)
        bone = np.array(skeleton.by_name[below[0]].position) - start if below else start
        self._to_limit: Floats = np.linalg.inv(self.limit @ np.linalg.inv(self.parent))
        bone = bone @ np.linalg.inv(self.limit)
        size = float(np.linalg.norm(bone))
        self.bone: Floats = bone / size if size > 1e-12 else np.array([0.0, 0.0, 1.0])

    def in_limit(self, local: Floats) -> Floats:
        """Return local rotations in the limit's frame, (n, 3, 3), rows."""
        moved = np.linalg.inv(self.rest) @ local
        return _orthonormal(np.linalg.inv(self._to_limit) @ moved @ self._to_limit)

    def in_parent(self, rotation: Floats) -> Floats:
        """Return a rotation of the limit's frame in that of the joint above.

        It is the X of L0 X, see above.
        """
        back = np.linalg.inv(self._to_limit)
        return _orthonormal(self._to_limit @ rotation @ back)


def limit_frames(rig: EditedRig, owner: Owner, joint: str) -> Frames:
    return Frames(rig.skeleton, rig.bones(owner), joint)


def learn_limits(
    rig: EditedRig,
    owner: Owner,
    motion: Mapping[str, Floats],
    joint: str = "",
    *,
    margin: float = MARGIN,
) -> Edit:
    """Limit joints to the range of animations, plus a margin [rad].

    An existing limit keeps its kind and axes; only its range is learned. A joint
    without one becomes a hinge if it turns about one axis, else a cone. ``motion`` has
    each joint's local rotations in all frames, (n, 3, 3), rows; without a joint all of
    the owner are learned.
    """
    (section, name), bones, turning = owner, rig.bones(owner), rig.turning(owner)
    if not rig.takes_limits(owner):
        raise BindError(f"{name} has no limits: only chains, trees and reaches have")
    wanted = (joint,) if joint else turning
    if not motion:
        raise BindError("the model has no animations to learn from")
    held = rig.limits(owner)
    done = 0
    for each in wanted:
        if each not in motion or each not in turning:
            continue
        frames = Frames(rig.skeleton, bones, each)
        limit = learned_limit(frames, motion[each], held.get(each), margin)
        if limit is not None:
            rig = rig.replaced((*owner, "limits", each), Part(each, limit.values))
            done += 1
    if not done:
        raise BindError(
            f"no animation moves {joint or f'a joint of {name}'}, or its kind of limit "
            "is not one that is learned"
        )
    what = joint or f"{done} joints of {name}"
    select = Selection("limits", joint, owner) if joint else Selection(section, name)
    return Edit(f"Learn limits of {what}", rig, select)


def learned_limit(
    frames: Frames, local: Floats, held: Part | None, margin: float
) -> Part | None:
    """Return the limit that holds all turns of a joint; None: a kind without one."""
    turns = list(frames.in_limit(local))
    part = held
    if part is None:
        vectors = np.array([turn_vector(turn) for turn in turns])
        if float(np.linalg.norm(vectors, axis=1).max()) < STILL:
            return limit_part("", FixedLimit())
        axis = _main_axis(vectors)
        if max(swing_angle(turn, axis) for turn in turns) < ONE_AXIS:
            unit = tuple(round(float(x), 4) + 0.0 for x in axis)
            part = Part("", {"kind": HingeLimit.kind, "axis": unit})
        else:
            part = limit_part("", ConeLimit((1.0, 1.0, 1.0, 2.0)))
    found = make_limit(part).learned(frames.bone, turns, margin)
    return None if found is None else changed_part(part, found)


def sweep_of(frames: Frames, limit: Part) -> Floats:
    """Return rotations of a joint through its whole range, (n, 3, 3), rows.

    From the pose of the model file to each end of each range, and back. They are in the
    frame of the joint above, and apply after the joint's rotation in the model file.
    """
    turns = [np.eye(3)]
    for part in make_limit(limit).ranges(frames.bone):
        for end in (part.lower, part.upper):
            angle = min(max(end, -pi), pi)
            parts = (angle * k / STEPS for k in range(1, STEPS + 1))
            there = [to_matrix(about(part.axis, angle).tolist()).T for angle in parts]
            turns += [*there, *there[-2::-1], np.eye(3)]
    return np.array([frames.in_parent(turn) for turn in turns])


def _orthonormal(matrix: Floats) -> Floats:
    """Return the nearest orthonormal matrices, (..., 3, 3)."""
    u, _, v = np.linalg.svd(matrix)
    unit: Floats = u @ v
    return unit


def _main_axis(vectors: Floats) -> Floats:
    _, _, rows = np.linalg.svd(vectors, full_matrices=False)
    axis: Floats = rows[0]
    for unit in np.eye(3):
        # an axis within a degree of x, y or z becomes that axis
        if abs(axis @ unit) > cos(radians(1.0)):
            return unit
    axis *= np.sign(axis[np.abs(axis).argmax()])
    return axis
