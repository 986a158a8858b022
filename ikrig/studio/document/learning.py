"""Learns joint limits from a model's animations, and sweeps joints through limits.

All is in the frame that limits stand in: that of the joint above the chain, in the pose
that the model came in. With J and P the frames of a joint and of the one above it
(rows: where the unit vectors point), L = J P^-1 the joint's local turn, and 0 the pose
that the model came in, a joint is turned by D = F P0^-1 (L0^-1 L) P0 F^-1 there, with F
the frame of the limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import cos, degrees, inf, pi, radians, sin
from typing import Any, NamedTuple

import numpy as np

from ...errors import BindError
from ...formats.rig_file import Part, make_limit
from ...math3d.quaternion import Floats, from_matrix
from ...solvers.bone_frames import cone_frame
from ...value_shapes import LETTERS
from .edit import Edit, Selection
from .part_paths import replaced
from .rig_bones import bones_of, limits_of, takes_limits, turning_of
from .skeleton_info import SkeletonInfo

MARGIN = radians(5.0)
"""Margin of learned limits beyond the range of animations [rad]."""
STILL = radians(0.5)
"""A joint that turns less than this is fixed."""
ONE_AXIS = radians(4.0)
"""A joint that leaves one axis by less than this is a hinge."""
WIDEST = radians(179.0)
STEPS = 16
"""Number of poses from one end of a range to the other in a sweep."""


class Frames:
    """The frames of a joint's limit.

    Args:
        skeleton: The model's joints.
        bones: The joints of the limit's owner, parents first.
        joint: The joint.
    """

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
        self.length = float(np.linalg.norm(bone)) if below else 0.0
        self.unit_bone: Floats = bone / (np.linalg.norm(bone) or 1.0)
        """The bone's direction, in the model's space."""
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


def limit_frames(parts: Part, skeleton: SkeletonInfo, owner: str, joint: str) -> Frames:
    """Return the frames of a joint's limit.

    Raises:
        BindError: Its owner does not move the joint.
    """
    section, _, name = owner.partition("/")
    return Frames(skeleton, bones_of(parts, skeleton, section, name), joint)


def learn_limits(
    parts: Part,
    skeleton: SkeletonInfo,
    owner: str,
    motion: Mapping[str, Floats],
    joint: str = "",
    *,
    margin: float = MARGIN,
) -> Edit:
    """Limit joints to the range of animations, plus a margin.

    An existing limit keeps its kind and axes; only its range is learned. A joint
    without one becomes a hinge if it turns about one axis, else a cone.

    Args:
        parts: The rig.
        skeleton: The model's joints.
        owner: The part that moves the joints: "chains/arm".
        motion: Each joint's local rotations in all frames, (n, 3, 3), rows.
        joint: The joint. "": all joints of the owner.
        margin: Margin of limits beyond the observed range [rad].

    Raises:
        BindError: There are no animations, or none of them moves such a joint.
    """
    section, _, name = owner.partition("/")
    bones = bones_of(parts, skeleton, section, name)
    turning = turning_of(parts, skeleton, section, name)
    if not takes_limits(parts, owner):
        raise BindError(f"{name} has no limits: only chains, trees and reaches have")
    wanted = (joint,) if joint else turning
    if not motion:
        raise BindError("the model has no animations to learn from")
    held = limits_of(parts, owner)
    done = 0
    for each in wanted:
        if each not in motion or each not in turning:
            continue
        frames = Frames(skeleton, bones, each)
        limit = learned_limit(frames, motion[each], held.get(each), margin)
        if limit is not None:
            path = (section, name, "limits", each)
            parts = replaced(parts, path, Part(each, limit.values))
            done += 1
    if not done:
        raise BindError(
            f"no animation moves {joint or f'a joint of {name}'}, or its kind of limit "
            "is not one that is learned: hinge, ball or cone"
        )
    what = joint or f"{done} joints of {name}"
    select = Selection("limit", joint, owner) if joint else Selection(section, name)
    return Edit(f"Learn limits of {what}", parts, select)


def learned_limit(
    frames: Frames, local: Floats, held: Part | None, margin: float
) -> Part | None:
    """Return the limit that holds all turns of a joint; None: a kind without one."""
    turns = frames.in_limit(local)
    vectors = np.array([_vector(t) for t in turns])
    values = dict(held.values) if held is not None else {}
    kind = values.get("kind", "")
    if not kind:
        if float(np.linalg.norm(vectors, axis=1).max()) < STILL:
            return Part("", {"kind": "fixed"})
        axis = _main_axis(vectors)
        off = [_swing(t, axis) for t in turns]
        kind = "hinge" if max(off) < ONE_AXIS else "cone"
        values = {"kind": kind}
        if kind == "hinge":
            values["axis"] = tuple(round(float(x), 4) + 0.0 for x in axis)
    if kind == "hinge":
        axis = _unit_axis(values["axis"])
        angles = np.unwrap([_twist(t, axis) for t in turns])
        values["range"] = _range(angles, margin)
    elif kind == "ball":
        most = float(np.linalg.norm(vectors, axis=1).max()) + margin
        values["most"] = _rounded(min(most, WIDEST))
    elif kind == "cone":
        values |= _cone(frames.bone, turns, margin, values)
    else:
        return None
    make_limit(Part("", values))
    return Part("", values)


def sweep_of(frames: Frames, limit: Part) -> Floats:
    """Return rotations of a joint through its whole range, (n, 3, 3), rows.

    From the pose of the model file to each end of each range, and back. They are in the
    frame of the joint above, and apply after the joint's rotation in the model file.
    """
    turns = [np.eye(3)]
    for part in ranges_of(frames.bone, limit):
        for end in (part.lower, part.upper):
            angle = min(max(end, -pi), pi)
            there = [_matrix(part.axis, angle * k / STEPS) for k in range(1, STEPS + 1)]
            turns += [*there, *there[-2::-1], np.eye(3)]
    return np.array([frames.in_parent(turn) for turn in turns])


class AngleRange(NamedTuple):
    """A range of angles about an axis that a limit allows."""

    key: str
    """Key of the value: "range", "half_angles", "most", "twist", "axes"."""
    which: int
    """Index of its angles: for a cone 0 right and left, 1 up and down."""
    axis: Floats
    """Unit vector, in the frame of the limit."""
    zero: Floats
    """Direction of angle 0: the bone; for a twist, the direction up."""
    lower: float
    upper: float
    word: str = ""
    """Label of the angle, if there are several."""


def ranges_of(bone: Floats, limit: Part) -> Iterator[AngleRange]:
    """Yield the ranges that a limit allows; none for a slide and a fixed joint.

    Args:
        bone: The bone's direction, (3,), in the frame of the limit.
        limit: The limit.

    Raises:
        BindError: Its kind is not known here.
    """
    values = limit.values
    kind = values["kind"]
    if kind == "hinge":
        low, high = values.get("range", (-inf, inf))
        yield AngleRange("range", 0, _unit_axis(values["axis"]), bone, low, high)
    elif kind == "axes":
        axes = values["axes"]
        lower = values.get("lower") or (-inf,) * len(axes)
        upper = values.get("upper") or (inf,) * len(axes)
        for k, (axis, low, high) in enumerate(zip(axes, lower, upper, strict=True)):
            word = f"{axis if isinstance(axis, str) else k + 1} "
            yield AngleRange("axes", k, _unit_axis(axis), bone, low, high, word)
    elif kind in ("cone", "ball"):
        right, up = cone_frame(bone, _unit_axis(values.get("up", "z")))
        key = "half_angles" if kind == "cone" else "most"
        given = values[key]
        four = given if isinstance(given, (tuple, list)) else (given,) * 4
        for k, direction in enumerate((right, up)):
            axis = np.cross(bone, direction)
            yield AngleRange(key, k, axis, bone, -four[2 + k], four[k])
        if "twist" in values:
            low, high = values["twist"]
            yield AngleRange("twist", 0, bone, up, low, high, "twist ")
    elif kind not in ("fixed", "slide"):
        raise BindError(f"the studio does not know the angles of limits of kind {kind}")


# -- rotations -----------------------------------------------------------------------


def _orthonormal(matrix: Floats) -> Floats:
    """Return the nearest orthonormal matrices, (..., 3, 3)."""
    u, _, v = np.linalg.svd(matrix)
    unit: Floats = u @ v
    return unit


def _matrix(axis: Floats, angle: float) -> Floats:
    """Return the rotation of rows about a unit axis (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
    turn: Floats = np.eye(3) + sin(angle) * cross + (1.0 - cos(angle)) * (cross @ cross)
    return turn


def _vector(turn: Floats) -> Floats:
    """Return the axis of a rotation of rows times its angle [rad]."""
    w, *v = from_matrix(turn.T)
    size = float(np.linalg.norm(v))
    if size < 1e-12:
        return np.zeros(3)
    angle = 2.0 * float(np.arctan2(size, abs(w)))
    found: Floats = np.array(v) * (angle / size) * (1.0 if w >= 0.0 else -1.0)
    return found


def _twist(turn: Floats, axis: Floats) -> float:
    """Return the angle of a rotation about an axis, without its swing [rad]."""
    w, *v = from_matrix(turn.T)
    angle = 2.0 * float(np.arctan2(np.array(v) @ axis, w))
    return (angle + pi) % (2.0 * pi) - pi


def _swing(turn: Floats, axis: Floats) -> float:
    """Return the angle by which a rotation moves an axis [rad]."""
    return float(np.arccos(np.clip((axis @ turn) @ axis, -1.0, 1.0)))


def _main_axis(vectors: Floats) -> Floats:
    """Return the main axis of rotations, its largest component positive."""
    _, _, rows = np.linalg.svd(vectors, full_matrices=False)
    axis: Floats = rows[0]
    for unit in np.eye(3):
        # an axis within a degree of x, y or z becomes that axis
        if abs(axis @ unit) > cos(radians(1.0)):
            return unit
    axis *= np.sign(axis[np.abs(axis).argmax()])
    return axis


def _cone(bone: Floats, turns: Floats, margin: float, held: Any) -> dict[str, Any]:
    """Return half-angles and twist of the smallest cone around all rotations."""
    right, up = cone_frame(bone, _unit_axis(held.get("up", "z")))
    swings = []
    for turn in turns:
        new = bone @ turn
        off = new - (new @ bone) * bone
        size = float(np.linalg.norm(off))
        angle = float(np.arctan2(size, new @ bone))
        off = off / size if size > 1e-12 else off
        swings.append((angle * float(off @ right), angle * float(off @ up)))
    x, y = np.array(swings).T
    four = [max(float(s.max()), radians(1.0)) for s in (x, y, -x, -y)]
    a = np.where(x >= 0.0, four[0], four[2])
    b = np.where(y >= 0.0, four[1], four[3])
    # an ellipse through the ends of a box does not contain its corners
    grown = max(1.0, float(np.sqrt((x / a) ** 2 + (y / b) ** 2).max()))
    four = [_rounded(min(grown * angle + margin, WIDEST)) for angle in four]
    given = held.get("half_angles")
    whole = isinstance(given, float)
    angles = np.array([_twist(turn, bone) for turn in turns])
    return {
        "half_angles": max(four) if whole else tuple(four),
        "twist": _range(np.unwrap(angles), margin),
    }


def _range(angles: Any, margin: float) -> tuple[float, float]:
    low, high = float(np.min(angles)) - margin, float(np.max(angles)) + margin
    # the pose of the model file stays allowed
    return _rounded(min(low, 0.0)), _rounded(max(high, 0.0))


def _rounded(angle: float) -> float:
    return radians(round(degrees(angle), 1))


def _unit_axis(axis: Any) -> Floats:
    vector = np.array(LETTERS.get(axis, axis) if isinstance(axis, str) else axis, float)
    unit: Floats = vector / (np.linalg.norm(vector) or 1.0)
    return unit
