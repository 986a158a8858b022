"""Directions in which joints face, and limits around them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import pi

import panda3d.core as p3d

from ...errors import BindError, SettingError, shown
from ...value_shapes import Number, checked
from ..actor.actor_skeleton import ActorSkeleton


@dataclass(frozen=True)
class LookLimits:
    """Largest angles from straight ahead, to each side [rad].

    Args:
        left: To the character's left.
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
        for field in fields(self):
            most = pi if field.name in ("left", "right") else 0.5 * pi
            shape = Number(f"an angle from 0 to {most:.4f} [rad]", 0.0, most)
            angle = checked(shape, getattr(self, field.name), field.name, SettingError)
            object.__setattr__(self, field.name, angle)


def look_limits(limits: object, what: str) -> LookLimits:
    if not isinstance(limits, LookLimits):
        raise SettingError(f"{what} must be LookLimits, not {shown(limits)}")
    return limits


def facing(
    skeleton: ActorSkeleton, joint: str | None, forward: p3d.LVector3f
) -> list[float]:
    """Return the directions ahead, up and right of a joint, found from the rest pose.

    Args:
        skeleton: The skeleton of the joint.
        joint: Its name; None: the skeleton itself, which does not turn.
        forward: Direction in which the Actor faces in the rest pose, in its own space.

    Returns:
        The numbers for a ``GazeKernel``: right, ahead and up in the joint's own space.
    """
    space = skeleton.space
    up = space.get_relative_vector(skeleton.actor, p3d.LVector3f(0, 0, 1))
    ahead = space.get_relative_vector(skeleton.actor, forward)
    right = ahead.cross(up)
    if not (right.normalize() and up.normalize()):
        raise BindError(
            f"forward must not point straight up or down, or be 0: {forward}"
        )
    # computed from forward, so that a mirrored Actor keeps its left
    ahead = up.cross(right)
    rest = skeleton.rest_mat(joint) if joint is not None else p3d.LMatrix4f()
    if not rest.invert_in_place():
        raise BindError(f"joint {joint!r} is scaled to 0 in the rest pose")
    return [x for axis in (right, ahead, up) for x in rest.xform_vec(axis)]
