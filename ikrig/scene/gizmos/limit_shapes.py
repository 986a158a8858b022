"""Drawings of joint limits: a fan for each axis, a cone for each ball joint.

They are drawn in the joint's start pose, with the axes of root space and radius one.
A node's transform moves them with the joint, so that nothing is drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ikrig.math3d.quaternion import Floats
from ikrig.math3d.turns import cone_frame
from ikrig.model.limits import (
    AngleRange,
    BallLimit,
    ConeLimit,
    FixedLimit,
    Limit,
    SlideLimit,
)
from ikrig.model.skeleton import SkeletonModel
from ikrig.solvers.bone_frames import bone_directions
from ikrig.solvers.joint_limits import check_limits

from ..ik.component import IKComponent
from ..robot.geoms import Ints, painted
from .canvas import OVERRIDE
from .rig_view import read_joints
from .viewpoint import ORIGIN, Vec3, Vec4, relative_matrix

if TYPE_CHECKING:
    from .rig_view import Entry

CALM_COLOR: Vec4 = (0.45, 0.74, 1.0, 0.75)
BLOCKED_COLOR: Vec4 = (1.0, 0.3, 0.2, 1.0)
MARKED_COLOR: Vec4 = (0.99, 0.76, 0.3, 1.0)
_NEEDLE_WHITE = 0.45  # fraction of white in the needle, which shows the current angle

_RADIUS = 0.52  # of a region, as a fraction of the bone's length
_MARKED_SIZE = 1.5
_ROLL_RADIUS = 0.55  # of dials about the bone itself, as a fraction of others
_TWIST_RADIUS, _TWIST_PLACE = 0.42, 0.72  # of a cone's dial, fractions of the cone

_FILL, _EDGE = 0.26, 0.95  # alpha
_STEP = 0.09  # of a circle [rad]
_QUADRANT = 16  # segments of a cone's rim per quadrant
_RING = 0.3  # maximum spacing of the rings of a cone's shell [rad]

_NO_TURN = [1.0, 0.0, 0.0, 0.0]


class LimitArc(NamedTuple):
    """A range of angles; centre, rim at angle 0 and at a quarter turn, world space."""

    range: AngleRange
    center: p3d.LPoint3f
    zero: p3d.LVector3f
    side: p3d.LVector3f


class Regions:
    """Limit regions of chains and trees, below ``node`` in world space.

    Each is drawn once; then only its node moves. The cost is low while a rig moves,
    almost zero while it does not, and zero for a rig without limits. The limit of
    ``marked``, a component and one of its joints, is larger, in another colour, and
    drawn also where a behaviour moves the component; while ``held`` it stays in place.
    """

    def __init__(self) -> None:
        # later below the two passes; the path made before them is that of the first
        self.node = p3d.PandaNode("regions")
        self._top = p3d.NodePath(self.node)
        self.marked: tuple[IKComponent, int] | None = None
        self.held = False
        self._shown: dict[IKComponent, _RigRegions] = {}
        self._held_at: p3d.TransformState | None = None

    def follow(self, render: p3d.NodePath, joints: Mapping[Entry, list[Vec3]]) -> None:
        """Draw the limits of these rigs only; none of those without joints."""
        drawn = set()
        marked, joint = self.marked or (None, -1)
        for entry, positions in joints.items():
            # chains of a behaviour have no regions, but for the marked one
            rig, there = entry.rig, positions or None
            parts: list[IKComponent] = []
            if isinstance(rig, IKComponent):
                parts = [rig]
            elif positions:
                known: Iterable[IKComponent] = getattr(rig, "parts", ())
                there, parts = None, [part for part in known if part is marked]
            for part in parts if positions else ():
                own = joint if part is marked else -1
                try:
                    if part.limits and self._draw(render, part, there, own):
                        drawn.add(part)
                except Exception as error:
                    entry.report(error)
        for part in self._shown.keys() - drawn:
            self._shown.pop(part).top.remove_node()
        region = self._marked_region()
        if region is None or not self.held:
            self._held_at = None
        elif self._held_at is None:
            self._held_at = region.top.get_transform()
        else:
            region.top.set_transform(self._held_at)

    def arcs(self, render: p3d.NodePath) -> Iterator[LimitArc]:
        region = self._marked_region()
        for part in region.parts if region else ():
            matrix = part.region.get_mat(render)
            for angles in part.part.ranges:
                side = np.cross(angles.axis, angles.zero)
                yield LimitArc(
                    angles,
                    p3d.LPoint3f(matrix.get_row3(3)),
                    p3d.LVector3f(matrix.xform_vec(p3d.LVector3f(*angles.zero))),
                    p3d.LVector3f(matrix.xform_vec(p3d.LVector3f(*side))),
                )

    def _marked_region(self) -> _JointRegion | None:
        part, joint = self.marked or (None, -1)
        shown = None if part is None else self._shown.get(part)
        return None if shown is None else shown.joints.get(joint)

    def _draw(
        self,
        render: p3d.NodePath,
        rig: IKComponent,
        positions: list[Vec3] | None,
        marked: int,
    ) -> bool:
        root, to_world = rig.root, p3d.LMatrix4f.ident_mat()
        if not root.is_empty():
            matrix = relative_matrix(root, render)
            # a flat rig is invisible, and its matrix has no inverse
            if matrix is None or not p3d.LMatrix4f().invert_from(matrix):
                return False
            to_world = matrix
        model = rig._binding.model
        if positions is None:
            bones = [(node, ORIGIN) for node in rig._binding.nodes]
            positions = read_joints(render, bones, model.parents)
        if not positions:
            return False
        shown, source = self._shown.get(rig), (model, dict(rig.limits), marked)
        if shown is None or shown.source != source:
            if shown is not None:
                shown.top.remove_node()
            top = self._top.attach_new_node("rig")
            shown = self._shown[rig] = _RigRegions(top, source)
        shown.follow(rig, positions, to_world)
        return True


class _RigRegions:
    """The limit regions of one rig, of which one may be marked."""

    def __init__(
        self,
        top: p3d.NodePath,
        source: tuple[SkeletonModel, dict[str | int, Limit], int],
    ) -> None:
        self.top, self.source = top, source
        self._now: tuple[object, list[Vec3], p3d.LMatrix4f] | None = None
        self.joints: dict[int, _JointRegion] = {}
        self._model, limits, marked = source
        model = self._model
        bones, lengths = bone_directions(model).tolist(), _bone_lengths(model)
        for joint, limit in check_limits(model, limits).items():
            parts = _parts(limit, tuple(bones[joint]))
            above = model.rotations[model.parents[joint]].tolist()
            radius = _RADIUS * lengths[joint]
            if parts and radius > 0.0:
                calm = MARKED_COLOR if joint == marked else CALM_COLOR
                radius *= _MARKED_SIZE if joint == marked else 1.0
                back = p3d.LQuaternionf(*(above if joint else _NO_TURN)).conjugate()
                path = node = top.attach_new_node(model.names[joint])
                nodes = []
                for part in parts:
                    nodes.append(_PartNodes(part, node, calm))
                    node = nodes[-1].rotation
                size = p3d.LVecBase3f(radius)
                self.joints[joint] = _JointRegion(path, size, back, nodes)

    def follow(self, rig: Any, positions: list[Vec3], to_world: p3d.LMatrix4f) -> None:
        # a new solve has a new result, and a movement new positions
        result, last = rig.result, self._now
        if last and last[0] is result and last[1] == positions and last[2] == to_world:
            return
        self._now = (result, positions, to_world)
        self.top.set_mat(to_world)
        to_root = p3d.LMatrix4f()
        to_root.invert_from(to_world)
        rotations, angles = rig.rotations.tolist(), rig.joint_angles
        ends: dict[int, set[str]] = {}
        for joint, _, end in getattr(result, "blocked_by", ()):
            ends.setdefault(joint, set()).add(end)
        for joint, region in self.joints.items():
            place = to_root.xform_point(p3d.LPoint3f(*positions[joint]))
            above = rotations[self._model.parents[joint]] if joint else _NO_TURN
            # rows first: undo the start rotation, then apply the current one
            turn = region.back * p3d.LQuaternionf(*above)
            region.top.set_pos_quat_scale(p3d.LPoint3f(place), turn, region.size)
            first = 0
            for nodes in region.parts:
                own = angles[joint][first : first + len(nodes.part.axes)]
                nodes.show(own, ends.get(joint, frozenset()))
                first += len(own)


class _JointRegion(NamedTuple):
    """The parts of one joint's region, which rotates with the bone before the joint."""

    top: p3d.NodePath
    size: p3d.LVecBase3f
    back: p3d.LQuaternionf  # undoes the start rotation of that bone
    parts: list[_PartNodes]


class _Part(NamedTuple):
    """A drawing and its needle; the parts after it rotate with the needle."""

    ranges: tuple[AngleRange, ...]
    region: p3d.Geom
    needle: p3d.Geom
    axes: tuple[p3d.LVector3f, ...]  # of the rotation vector of the needle
    ends: frozenset[str]  # the names of its limits in ``blocked_by``
    size: float = 1.0  # [radius of the joint's region]
    position: Vec3 = ORIGIN  # [radius of the joint's region]


class _PartNodes:
    """The nodes of a part; the next one is below ``rotation``."""

    def __init__(self, part: _Part, above: p3d.NodePath, calm: Vec4) -> None:
        self.part, self._calm = part, calm
        self._hot: bool | None = None
        self.rotation = above.attach_new_node("turn")
        self.region = above.attach_new_node(p3d.GeomNode("limit"))
        self._needle = self.rotation.attach_new_node(p3d.GeomNode("needle"))
        for path, geom in ((self.region, part.region), (self._needle, part.needle)):
            path.node().add_geom(geom)
            path.set_pos(*part.position)
            path.set_scale(part.size)

    def show(self, angles: Sequence[float], ends: Set[str]) -> None:
        """Rotate the needle; highlight the part if one of these ends is its own."""
        part, vector = self.part, p3d.LVector3f(0.0)
        for angle, axis in zip(angles, part.axes, strict=True):
            vector += axis * angle
        half = 0.5 * vector.length()
        vector *= 0.5 * (math.sin(half) / half if half else 1.0)
        turn = p3d.LQuaternionf(math.cos(half), vector)
        self.rotation.set_quat(turn)
        hot = not part.ends.isdisjoint(ends)
        if hot is not self._hot:
            self._hot = hot
            color = BLOCKED_COLOR if hot else self._calm
            r, g, b = (c + _NEEDLE_WHITE * (1.0 - c) for c in color[:3])
            self.region.set_color_scale(color, OVERRIDE + 1)
            self._needle.set_color_scale((r, g, b, 1.0), OVERRIDE + 1)


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


@lru_cache(maxsize=256)
def _parts(limit: Limit, bone: Vec3) -> list[_Part]:
    along = np.array(bone)
    ranges = list(limit.ranges(along))
    parts = []
    if isinstance(limit, ConeLimit | BallLimit):
        across, upwards, *ranges = ranges
        right, up = (np.cross(part.axis, along) for part in (across, upwards))
        half = (across.upper, upwards.upper, -across.lower, -upwards.lower)
        geoms = (
            cone(along, -right, up, half).geom(),
            _ball(along, 0.085).geom(),
        )
        # a rotation vector: that of swings to the left and up, or the whole
        axes, end = [up, right], "cone"
        if isinstance(limit, BallLimit):
            axes, end = [*np.eye(3)], "upper"
        about = tuple(p3d.LVector3f(*axis) for axis in axes)
        parts.append(_Part((across, upwards), *geoms, about, frozenset((end,))))
    elif not ranges and not isinstance(limit, FixedLimit | SlideLimit):
        directNotify.newCategory("ikrig").warning(
            f"gizmos have no drawing for a {type(limit).__name__}"
        )
    return parts + [_dial_part(part, along) for part in ranges]


def _dial_part(angles: AngleRange, bone: Floats) -> _Part:
    """Return the dial of a range: in the plane of the bone, unless it only rolls."""
    axis, size, position = angles.axis, 1.0, ORIGIN
    zero = angles.zero - (angles.zero @ axis) * axis
    if angles.rolls:
        size = _TWIST_RADIUS
        x, y, z = (_TWIST_PLACE * bone).tolist()
        position = (x, y, z)
    elif np.linalg.norm(zero) < 0.05:
        size = _ROLL_RADIUS
        zero, _ = cone_frame(axis, bone)
    zero = zero / np.linalg.norm(zero)
    fan, needle = dial(axis, zero, angles.lower, angles.upper)
    name = f"axis {angles.which} " if angles.key == "lower" else ""
    name = "twist " if angles.rolls else name
    return _Part(
        (angles._replace(zero=zero),),
        fan.geom(),
        needle.geom(),
        (p3d.LVector3f(*axis),),
        frozenset((f"{name}lower", f"{name}upper")),
        size,
        position,
    )


# -- shapes of radius one


class Shape(NamedTuple):
    """Triangles of one colour: points (n, 3), alphas (n,), vertex indices (m, 3)."""

    points: Floats
    alphas: Floats
    triangles: Ints

    def geom(self) -> p3d.Geom:
        """Return it in white; a node moves and colours it."""
        colours = np.ones((len(self.points), 4))
        colours[:, 3] = self.alphas
        return painted(self.points, colours, self.triangles)


def dial(axis: Floats, zero: Floats, lower: float, upper: float) -> tuple[Shape, Shape]:
    """Return a fan from the lowest to the highest angle about an axis, and its needle.

    Angles are in radians. ``zero``, the direction of angle 0, where the needle is, is
    perpendicular to the axis. A range of more than a turn is a circle.
    """
    side = np.cross(axis, zero)

    def at(angles: Floats, radius: float) -> Floats:
        points: Floats = np.outer(np.cos(angles), zero) + np.outer(np.sin(angles), side)
        return radius * points

    def spoke(angle: float) -> Shape:
        line = np.concatenate([at(np.array([angle]), radius) for radius in (0.0, 1.0)])
        return _line(line, math.cos(angle) * side - math.sin(angle) * zero)

    bounds = [bound for bound in (lower, upper) if math.isfinite(bound)]
    if upper - lower > math.tau:
        lower, upper = 0.0, math.tau
    angles = np.linspace(lower, upper, 1 + max(1, math.ceil((upper - lower) / _STEP)))
    rows = [
        (at(angles, radius), alpha)
        for radius, alpha in (
            (0.0, 0.25 * _FILL),
            (0.91, _FILL),
            (0.94, _EDGE),
            (0.985, _EDGE),
            (1.015, 0.0),
        )
    ]
    needle = _join([spoke(0.0), _ball(zero, 0.075)])
    return _join([_strip(rows), *map(spoke, bounds)]), needle


def cone(bone: Floats, left: Floats, up: Floats, half: Sequence[float]) -> Shape:
    """Return the region that a bone sweeps inside an ellipse of swings.

    Bone, left and up are orthogonal unit vectors; half-angles are right, up, left, down
    [rad].
    """
    rights, ups, lefts, downs = half
    angle = np.linspace(0.0, 2.0 * math.pi, 4 * _QUADRANT + 1)
    x, y = np.cos(angle), np.sin(angle)
    x *= np.where(x >= 0.0, lefts, rights)
    y *= np.where(y >= 0.0, ups, downs)
    size = np.hypot(x, y)

    def swung(x: Floats, y: Floats) -> Floats:
        """Return the bone's directions after swings to the left and up [rad]."""
        size = np.hypot(x, y)
        slope = np.sinc(size / math.pi)  # sin(size) / size
        points: Floats = np.outer(np.cos(size), bone)
        points += np.outer(slope * x, left) + np.outer(slope * y, up)
        return points

    def ring(fraction: float, inwards: float = 0.0) -> Floats:
        part = np.maximum(fraction - inwards / size, 0.0)
        return swung(part * x, part * y)

    rings = 2 + math.ceil(max(half) / _RING)
    shell = [
        (ring(fraction), _FILL * (0.3 + 0.5 * fraction))
        for fraction in np.linspace(0.0, 0.9, rings)
    ]
    shell += [
        (ring(1.0, inwards), alpha)
        for inwards, alpha in ((0.08, _FILL), (0.06, _EDGE), (0.0, _EDGE), (-0.03, 0.0))
    ]
    side = [(0.0 * ring(1.0), 0.2 * _FILL), (ring(1.0), 0.8 * _FILL)]
    fraction = np.linspace(0.0, 1.0, 12)
    none = 0.0 * fraction
    cross = [
        _line(swung(ahead * fraction, none), up, 0.35) for ahead in (lefts, -rights)
    ] + [_line(swung(none, ahead * fraction), left, 0.35) for ahead in (ups, -downs)]
    return _join([_strip(side), _strip(shell), *cross])


def _line(points: Floats, across: Floats, alpha: float = _EDGE) -> Shape:
    offsets = ((-0.035, 0.0), (-0.018, alpha), (0.018, alpha), (0.035, 0.0))
    return _strip([(points + offset * across, edge) for offset, edge in offsets])


def _strip(rows: Sequence[tuple[Floats, float]]) -> Shape:
    """Return triangles between rows of equal length; each row has one alpha."""
    count = len(rows[0][0])
    points = np.concatenate([row for row, _ in rows])
    alphas = np.repeat([alpha for _, alpha in rows], count)
    k, i = np.meshgrid(np.arange(len(rows) - 1), np.arange(count - 1), indexing="ij")
    a = (k * count + i).ravel()
    b = a + count
    halves = np.array(((a, a + 1, b + 1), (a, b + 1, b)))
    return Shape(points, alphas, halves.transpose(2, 0, 1).reshape(-1, 3))


def _ball(center: Floats, radius: float) -> Shape:
    turn = np.linspace(0.0, 2.0 * math.pi, 13)
    rows = []
    for tilt in np.linspace(0.0, math.pi, 7):
        ring = np.sin(tilt) * np.array([np.cos(turn), np.sin(turn), 0.0 * turn])
        ring[2] += np.cos(tilt)
        rows.append((center + radius * ring.T, 1.0))
    return _strip(rows)


def _join(shapes: Sequence[Shape]) -> Shape:
    first = np.cumsum([0, *(len(shape.points) for shape in shapes[:-1])])
    triangles = [shape.triangles + k for shape, k in zip(shapes, first, strict=True)]
    return Shape(
        np.concatenate([shape.points for shape in shapes]),
        np.concatenate([shape.alphas for shape in shapes]),
        np.concatenate(triangles),
    )
