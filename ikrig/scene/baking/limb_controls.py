"""LimbControls: the controls that pose a limb of an Actor as an animation does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import panda3d.core as p3d

from ...clip.channels import CHANNELS
from ...errors import BindError
from ..animation.property_bindings import PropertyBindings
from ..ik.component import IKComponent
from ..ik.effector import Effector

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
        binding: Any = self.rig._binding
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
