"""Directions as yaw and pitch in the frame of a joint, and rotations between them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import atan2, cos, hypot, pi, sin
from typing import Any

import panda3d.core as p3d

from ...errors import BindError, SettingError, shown
from ...value_shapes import Number, checked
from ..actor.joint_node import JointNets
from ..ik.node_transforms import read_rotation

Angles = tuple[float, float]
"""Yaw to the left and pitch up [rad]."""


@dataclass(frozen=True)
class LookLimits:
    """How far something may turn from straight ahead, to each side [rad].

    Args:
        left: To the character's own left.
        right: To its right.
        up: Up.
        down: Down.

    Raises:
        SettingError: An angle is out of range.
    """

    left: float = 1.4
    right: float = 1.4
    up: float = 0.9
    down: float = 0.9

    def __post_init__(self) -> None:
        """Check the angles."""
        for field in fields(self):
            most = pi if field.name in ("left", "right") else 0.5 * pi
            shape = Number(f"an angle from 0 to {most:.4f} [rad]", 0.0, most)
            angle = checked(shape, getattr(self, field.name), field.name, SettingError)
            object.__setattr__(self, field.name, angle)

    def clamp(self, angles: Angles, middle: Angles = (0.0, 0.0)) -> Angles:
        """Return the nearest angles that are inside, counted from ``middle``."""
        yaw, pitch = angles[0] - middle[0], angles[1] - middle[1]
        return (
            middle[0] + max(-self.right, min(self.left, yaw)),
            middle[1] + max(-self.down, min(self.up, pitch)),
        )


def look_limits(limits: Any, what: str) -> LookLimits:
    """Return a setting's limits.

    Raises:
        SettingError: They are of another kind.
    """
    if not isinstance(limits, LookLimits):
        raise SettingError(f"{what} must be LookLimits, not {shown(limits)}")
    return limits


class Facing:
    """Where ahead, up and the sides are for a joint, found from the rest pose.

    Args:
        nets: What the joint is read with.
        joint: Its name; None: the skeleton itself, which does not turn.
        forward: Where the Actor faces in the rest pose, in its own space.

    Raises:
        BindError: ``forward`` is straight up or down, or no direction.
    """

    def __init__(
        self, nets: JointNets, joint: str | None, forward: p3d.LVector3f
    ) -> None:
        skeleton, space = nets.skeleton, nets.skeleton.space
        up = space.get_relative_vector(skeleton.actor, p3d.LVector3f(0, 0, 1))
        ahead = space.get_relative_vector(skeleton.actor, forward)
        right = ahead.cross(up)
        if not (right.normalize() and up.normalize()):
            raise BindError(
                f"forward must be a direction that is not straight up, not {forward}"
            )
        # a mirrored Actor has its left on its left all the same
        ahead = up.cross(right)
        basis = p3d.LQuaternionf()
        basis.set_from_matrix(p3d.LMatrix3f(*right, *ahead, *up))
        self.joint = nets.joint(joint)
        rest = skeleton.rest_mat(joint) if joint is not None else p3d.LMatrix4f()
        if not rest.invert_in_place():
            raise BindError(f"joint {joint!r} is scaled to 0 in the rest pose")
        self._unrest = rest
        self._basis = basis
        self.ahead = p3d.LVector3f(rest.xform_vec(ahead))
        """Straight ahead, in the joint's own space."""

    def frame(self, net: p3d.LMatrix4f | None = None) -> p3d.LQuaternionf:
        """Return the turn from right, ahead, up as x, y, z to the skeleton's space.

        Args:
            net: The joint's transform, where it is known: to find it takes long.
        """
        net = self.joint.net() if net is None else net
        now = p3d.TransformState.make_mat(self._unrest * net)
        rotation = self._basis * read_rotation(now)
        rotation.normalize()
        return rotation

    def gaze(self, net: p3d.LMatrix4f | None = None) -> p3d.LVector3f:
        """Return where the joint faces now, in the skeleton's space; as ``frame``."""
        net = self.joint.net() if net is None else net
        gaze = p3d.LVector3f(net.xform_vec(self.ahead))
        gaze.normalize()
        return gaze


def angles_of(direction: p3d.LVecBase3f) -> Angles:
    """Return yaw and pitch of a direction in a frame of right, ahead, up."""
    x, y, z = direction
    return atan2(-x, y), atan2(z, hypot(x, y))


def direction_of(angles: Angles) -> p3d.LVector3f:
    """Return the direction of unit length that has this yaw and pitch."""
    (yaw, pitch), flat = angles, cos(angles[1])
    return p3d.LVector3f(-sin(yaw) * flat, cos(yaw) * flat, sin(pitch))


def rotation_between(a: Angles, b: Angles, frame: p3d.LQuaternionf) -> p3d.LQuaternionf:
    """Return the turn that brings one gaze to another and stays level.

    Args:
        a: The gaze that there is.
        b: The gaze that is wanted.
        frame: What the angles are counted in; the turn is in the space above it.
    """
    # rows first: into the frame, level there, and back out
    w, x, y, z = _level(a)
    s, i, j, k = _level(b)
    between = p3d.LQuaternionf(
        s * w + i * x + j * y + k * z,
        i * w - s * x - j * z + k * y,
        j * w - s * y - k * x + i * z,
        k * w - s * z - i * y + j * x,
    )
    rotation = frame.conjugate() * between * frame
    rotation.normalize()
    return rotation


def _level(angles: Angles) -> tuple[float, float, float, float]:
    """Return the turn from straight ahead: first up, then to the side."""
    yaw, pitch = 0.5 * angles[0], 0.5 * angles[1]
    cy, sy, cp, sp = cos(yaw), sin(yaw), cos(pitch), sin(pitch)
    return cy * cp, cy * sp, sy * sp, sy * cp
