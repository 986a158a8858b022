"""Orientation of the last joint of a limb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import panda3d.core as p3d

from ...errors import SettingError
from ..behaviours.facing import smallest_rotation
from ..ik.node_transforms import read_rotation

__all__ = ["OrientationMode", "TipOrientation", "check_orientation_mode"]

OrientationMode = Literal["animation", "target", "normal", "bone"]


def check_orientation_mode(value: OrientationMode) -> OrientationMode:
    """Return a way to turn the last joint.

    Raises:
        SettingError: There is none of this name.
    """
    if not isinstance(value, str) or value not in get_args(OrientationMode):
        raise SettingError(
            f"orientation_mode must be one of {', '.join(get_args(OrientationMode))}, "
            f"not "
            f"{value!r}"
        )
    return value


class TipOrientation:
    """The last joint of a limb, and how it was held against its target.

    Args:
        leaf: Node of the joint, where it is now.
        target: The node that it reaches for.
        root: The node whose coordinate system is root space.
    """

    __slots__ = ("_grip", "leaf", "root")

    def __init__(
        self, leaf: p3d.NodePath, target: p3d.NodePath, root: p3d.NodePath
    ) -> None:
        self.leaf = leaf
        self.root = root
        self._grip = self._turn(leaf) * self._turn(target).conjugate()

    def _turn(self, node: p3d.NodePath) -> p3d.LQuaternionf:
        rotation = read_rotation(node.get_transform(self.root))
        rotation.normalize()
        return rotation

    @property
    def target_offset(self) -> tuple[float, ...]:
        """How the joint is held against its target, (4,) w x y z, root space."""
        return tuple(self._grip)

    @target_offset.setter
    def target_offset(self, rotation: Sequence[float]) -> None:
        self._grip = p3d.LQuaternionf(*rotation)
        self._grip.normalize()

    def read(
        self, kind: OrientationMode, target: p3d.NodePath, body: p3d.NodePath
    ) -> tuple[float, ...] | None:
        """Return how the joint is to turn from its animation, (4,) w x y z, root space.

        None: with its bone.
        """
        if kind == "animation":
            return (1.0, 0.0, 0.0, 0.0)
        if kind == "target":
            # rows first: from the animation back, then to where the target has it
            now = self._turn(self.leaf).conjugate()
            return tuple(now * self._grip * self._turn(target))
        if kind == "normal":
            up = p3d.LVector3f.up()
            return tuple(
                smallest_rotation(
                    self.root.get_relative_vector(body, up),
                    self.root.get_relative_vector(target, up),
                )
            )
        return None
