"""Drawings of a rig's joint limits: a fan for each hinge, a cone for each ball."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ikrig.math3d.quaternion import Floats
from ikrig.math3d.turns import cone_frame
from ikrig.model.limits import (
    AxesLimit,
    BallLimit,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    Limit,
    SlideLimit,
)
from ikrig.model.skeleton import SkeletonModel
from ikrig.solvers.bone_frames import bone_directions
from ikrig.solvers.joint_limits import check_limits

from ..ik.component import IKComponent
from .canvas import make_geom
from .gizmo_root import OVERRIDE
from .limit_templates import Dial, cone, pin
from .viewpoint import Vec3, Vec4, relative_matrix

if TYPE_CHECKING:
    from .entry import Entry

CALM_COLOR: Vec4 = (0.45, 0.74, 1.0, 0.75)
BLOCKED_COLOR: Vec4 = (1.0, 0.3, 0.2, 1.0)
_NEEDLE_WHITE = 0.45  # fraction of white in the needle, which shows the current angle

_RADIUS = 0.52  # of a region, as a fraction of the bone's length
_ROLL_RADIUS = 0.55  # of dials about the bone itself, as a fraction of others
_TWIST_RADIUS, _TWIST_PLACE = 0.42, 0.72  # of a cone's dial, fractions of the cone

_NO_TURN = [1.0, 0.0, 0.0, 0.0]
_NO_ENDS: frozenset[str] = frozenset()

_CONE = frozenset(("cone",))
_TWIST = frozenset(("twist lower", "twist upper"))


class Regions:
    """Limit regions of chains and trees.

    Each is drawn once; then only its node moves. The cost is low while a rig moves,
    almost zero while it does not, and zero for a rig without limits.

    Attributes:
        node: Their parent, world space.
    """

    def __init__(self) -> None:
        """Start without regions."""
        self.node = p3d.PandaNode("regions")
        self._shown: dict[Entry, _RigRegions] = {}

    def follow(self, render: p3d.NodePath, joints: Mapping[Entry, list[Vec3]]) -> None:
        """Draw the limits of these rigs only.

        Args:
            render: Top of the scene.
            joints: Positions of each rig's joints, world space; if empty, none are
                drawn.
        """
        drawn = set()
        for entry, positions in joints.items():
            try:
                rig = entry.rig
                # components of a behaviour have no regions
                for part in getattr(rig, "_components", ()) if positions else ():
                    if part.limits and self._draw(render, entry, part, positions):
                        drawn.add(entry)
            except Exception as error:
                entry.report(error)
        if len(drawn) < len(self._shown):
            for entry in self._shown.keys() - drawn:
                self._shown.pop(entry).remove()

    def _draw(
        self,
        render: p3d.NodePath,
        entry: Entry,
        rig: IKComponent,
        positions: list[Vec3],
    ) -> bool:
        limits, root = rig.limits, rig.root
        to_world = p3d.LMatrix4f.ident_mat()
        if not root.is_empty():
            matrix = relative_matrix(root, render)
            # a flat rig is invisible, and its matrix has no inverse
            if matrix is None or not p3d.LMatrix4f().invert_from(matrix):
                return False
            to_world = matrix

        model, shown = rig._binding.model, self._shown.get(entry)
        if shown is None or not shown.shows(model, limits):
            if shown is not None:
                shown.remove()
            shown = self._shown[entry] = _RigRegions(model, dict(limits), self.node)
        shown.follow(rig, positions, to_world)
        return True


class _RigRegions:
    """The limit regions of one rig."""

    def __init__(
        self,
        model: SkeletonModel,
        limits: Mapping[str | int, Limit],
        parent: p3d.PandaNode,
    ) -> None:
        self._model, self._limits = model, limits
        self._now: tuple[object, list[Vec3], p3d.LMatrix4f] | None = None
        # plain nodes: all is drawn in two passes, and a NodePath has only one parent
        self._parent, self._node = parent, _add(parent, p3d.PandaNode("rig"))
        self._joints: dict[int, _JointRegion] = {}
        bones = bone_directions(model).tolist()
        lengths = _bone_lengths(model)
        for joint, limit in check_limits(model, limits).items():
            parts = _parts(limit, tuple(bones[joint]))
            before = model.parents[joint]
            above = model.rotations[before].tolist() if joint else _NO_TURN
            radius = _RADIUS * lengths[joint]
            if parts and radius > 0.0:
                node = _add(self._node, p3d.PandaNode(model.names[joint]))
                region = _JointRegion(node, above, radius, parts)
                self._joints[joint] = region

    def shows(self, model: SkeletonModel, limits: Mapping[str | int, Limit]) -> bool:
        """Return whether the region was made from this model and these limits."""
        return self._model is model and self._limits == limits

    def follow(self, rig: Any, positions: list[Vec3], to_world: p3d.LMatrix4f) -> None:
        """Follow the rig, and highlight the limits that block it."""
        # a new solve has a new result, and a movement new positions
        result, last = rig.result, self._now
        if last and last[0] is result and last[1] == positions and last[2] == to_world:
            return
        self._now = (result, positions, to_world)
        self._node.set_transform(p3d.TransformState.make_mat(to_world))
        to_root = p3d.LMatrix4f()
        to_root.invert_from(to_world)
        rotations, angles = rig.rotations.tolist(), rig.joint_angles
        ends: dict[int, set[str]] = {}
        for joint, _, end in getattr(result, "blocked_by", ()):
            ends.setdefault(joint, set()).add(end)
        for joint, region in self._joints.items():
            position = p3d.LPoint3f(
                to_root.xform_point(p3d.LPoint3f(*positions[joint]))
            )
            above = rotations[self._model.parents[joint]] if joint else _NO_TURN
            region.show(position, above, angles[joint], ends.get(joint, _NO_ENDS))

    def remove(self) -> None:
        """Remove it from the scene."""
        self._parent.remove_child(self._node)


class _Part(NamedTuple):
    """A drawing and its needle; the parts after it rotate with the needle."""

    region: p3d.Geom
    needle: p3d.Geom
    axes: tuple[p3d.LVector3f, ...]  # of the rotation vector of the needle
    ends: frozenset[str]  # the names of its limits in ``blocked_by``
    size: float = 1.0  # [radius of the joint's region]
    position: Vec3 = (0.0, 0.0, 0.0)  # [radius of the joint's region]
    dial: Dial | None = None


class _PartNodes:
    """The nodes of a part."""

    def __init__(self, part: _Part, above: p3d.PandaNode) -> None:
        self._part = part
        self._region = _add(above, _geom_node("limit", part.region))
        self._region.set_transform(_placed(part.position, part.size))
        self.rotation = _add(above, p3d.PandaNode("turn"))
        self._needle = _add(self.rotation, _geom_node("needle", part.needle))
        self._needle.set_transform(_placed(part.position, part.size))
        self._hot: bool | None = None

    def show(self, angles: Sequence[float], ends: Set[str]) -> None:
        """Rotate the needle; highlight the part if one of these ends is its own."""
        part = self._part
        rotation = part.axes[0] * angles[0]
        for angle, axis in zip(angles[1:], part.axes[1:], strict=True):
            rotation += axis * angle
        self.rotation.set_transform(p3d.TransformState.make_quat(_turned(rotation)))
        if part.dial is not None and part.dial.spiral:
            size = part.size * part.dial.radius(angles[0])
            self._needle.set_transform(_placed(part.position, size))
        hot = not part.ends.isdisjoint(ends)
        if hot is not self._hot:
            self._hot = hot
            color = BLOCKED_COLOR if hot else CALM_COLOR
            r, g, b = (c + _NEEDLE_WHITE * (1.0 - c) for c in color[:3])
            _paint(self._region, color)
            _paint(self._needle, (r, g, b, 1.0))


class _JointRegion:
    """The parts of one joint's region, which rotates with the bone before the joint."""

    def __init__(
        self,
        node: p3d.PandaNode,
        above: Sequence[float],
        radius: float,
        parts: list[_Part],
    ) -> None:
        self._node = node
        self._size = p3d.LVecBase3f(radius)
        self._back = p3d.LQuaternionf(*above).conjugate()
        self._parts: list[tuple[int, _PartNodes]] = []
        for part in parts:
            nodes = _PartNodes(part, node)
            self._parts.append((len(part.axes), nodes))
            node = nodes.rotation

    def show(
        self,
        position: p3d.LPoint3f,
        above: Sequence[float],
        angles: Sequence[float],
        ends: Set[str],
    ) -> None:
        """Follow the joint.

        Args:
            position: Position of the joint, root space.
            above: Rotation of the joint before it, w x y z, root space.
            angles: The joint's angles [rad].
            ends: Its limits that block the rig.
        """
        # rows first: undo the start rotation, then apply the current one
        rotation = self._back * p3d.LQuaternionf(*above)
        self._node.set_transform(
            p3d.TransformState.make_pos_quat_scale(position, rotation, self._size)
        )
        first = 0
        for count, nodes in self._parts:
            nodes.show(angles[first : first + count], ends)
            first += count


def _bone_lengths(model: SkeletonModel) -> list[float]:
    """Return the length of each joint's bone.

    Where bones branch off it is their mean; a leaf has the length of its last bone.
    Lengths of 0 are replaced by the mean length.
    """
    away = np.linalg.norm(model.offsets, axis=1)
    parents = np.array(model.parents)[1:]
    count = np.bincount(parents, minlength=len(away))
    after = np.bincount(parents, away[1:], len(away)) / np.maximum(count, 1)
    lengths = np.where(count > 0, after, away)
    usual = float(away[1:].mean())
    return [length or usual for length in lengths.tolist()]


Node = TypeVar("Node", bound=p3d.PandaNode)


def _add(above: p3d.PandaNode, node: Node) -> Node:
    above.add_child(node)
    return node


def _geom_node(name: str, geom: p3d.Geom) -> p3d.GeomNode:
    node = p3d.GeomNode(name)
    node.add_geom(geom)
    return node


def _placed(position: Vec3, size: float) -> p3d.TransformState:
    return p3d.TransformState.make_pos_quat_scale(
        p3d.LVecBase3f(*position), p3d.LQuaternionf.ident_quat(), p3d.LVecBase3f(size)
    )


def _paint(node: p3d.PandaNode, color: Vec4) -> None:
    attribute = p3d.ColorScaleAttrib.make(p3d.LVecBase4f(*color))
    node.set_attrib(attribute, OVERRIDE + 1)


def _turned(vector: p3d.LVector3f) -> p3d.LQuaternionf:
    """Return the rotation by a rotation vector."""
    rotation = p3d.LQuaternionf.ident_quat()
    angle = vector.length()
    if angle > 0.0:
        rotation = p3d.LQuaternionf()
        rotation.set_from_axis_angle_rad(angle, vector / angle)
    return rotation


@lru_cache(maxsize=256)
def _parts(limit: Limit, bone: Vec3) -> list[_Part]:
    """Return drawings of a limit for a bone with this start direction, root space."""
    along = np.array(bone)
    if isinstance(limit, HingeLimit):
        return [_dial_part(limit.axis, along, limit.lower, limit.upper, "")]
    if isinstance(limit, AxesLimit):
        bounds = zip(limit.axes, limit.lower, limit.upper, strict=True)
        return [
            _dial_part(axis, along, lower, upper, f"axis {k} ")
            for k, (axis, lower, upper) in enumerate(bounds)
        ]
    if isinstance(limit, ConeLimit):
        right, up = cone_frame(along, np.array(limit.up))
        half = limit.four
        axes = (p3d.LVector3f(*up), p3d.LVector3f(*right))
        shape = cone(along, -right, up, half)
        parts = [_Part(make_geom(shape), make_geom(pin(along)), axes, _CONE)]
        if limit.twist is not None:
            dial = Dial(along, up, *limit.twist)
            position = tuple((_TWIST_PLACE * along).tolist())
            parts.append(_drawn(dial, bone, _TWIST, _TWIST_RADIUS, position))
        return parts
    if not isinstance(limit, (BallLimit, FixedLimit, SlideLimit)):
        directNotify.newCategory("ikrig").warning(
            f"gizmos have no drawing for a {type(limit).__name__}"
        )
    return []


def _dial_part(
    axis: Any, bone: Floats, lower: float, upper: float, prefix: str
) -> _Part:
    """Return the dial of a hinge: in the plane of the bone, unless it only rolls."""
    zero, size = bone - (bone @ axis) * np.array(axis), 1.0
    if np.linalg.norm(zero) < 0.05:
        size = _ROLL_RADIUS
        zero, _ = cone_frame(np.array(axis), bone)
    dial = Dial(np.array(axis), zero / np.linalg.norm(zero), lower, upper)
    ends = frozenset((f"{prefix}lower", f"{prefix}upper"))
    return _drawn(dial, axis, ends, size)


def _drawn(
    dial: Dial,
    axis: Vec3,
    ends: frozenset[str],
    size: float,
    position: Vec3 = (0.0, 0.0, 0.0),
) -> _Part:
    region, needle = make_geom(dial.shape), make_geom(dial.needle)
    return _Part(region, needle, (p3d.LVector3f(*axis),), ends, size, position, dial)
