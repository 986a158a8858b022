"""SplineIK: a spine, a tail, a tentacle or a rope that lies along a curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import atan2, inf, pi
from typing import TYPE_CHECKING, Any

import numpy as np
import panda3d.core as p3d

from ...clip.paths import Spline
from ...errors import BindError, ModelError, SettingError, shown
from ...formats.rig_file.sections import COMMON
from ...kernels import buffer
from ...math3d.quaternion import Floats
from ...model.splines import SplineChain
from ...records import Field, Record
from ...value_shapes import JOINTS, NODE, Either, Flag, Number, checked
from ..checked_setting import (
    HUGE,
    Checked,
    any_number,
    flag,
    node_in_scene,
    shaped,
)
from .behaviour import Behaviour, check_rig, joint_in

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig

Curve = (
    p3d.NodePath
    | Sequence[p3d.NodePath]
    | Spline
    | p3d.ParametricCurve
    | p3d.NurbsCurveEvaluator
    | Callable[[Floats], object]
)
PIECES = 8
"""Pieces of each segment of an engine's curve; those of order 4 are exact."""
STRETCH = Either(
    "true, false or a number of at least 1", (Flag(), Number("", 1.0, HUGE))
)


class SplineIK(Behaviour):
    """A spine, a tail, a tentacle or a rope lies along a curve.

        handles = ikrig.SplineIK.handles(rig, ["tail_1", "tail_9"], 4)
        tail = ikrig.SplineIK(rig, ["tail_1", "tail_9"], handles)

    The chain begins where the curve does; what of it is longer goes straight on. Bones
    turn with the curve and don't roll about it, by parallel transport.

    Args:
        rig: The rig of an Actor; or a node, above those of a model without joints.
            Then call ``start``.
        joints: First and last joint of the chain, or all; one: it and what is below,
            along the longest branch.
        curve: Handles that it passes through, as a list of nodes, or a node whose
            children they are; a ``Spline``, whose points are in ``space``; a node with
            a ``ParametricCurve`` or a ``Rope``; a ``NurbsCurveEvaluator``; or a
            function that is called once a frame with parameters from 0 to 1, (n,), and
            returns points in ``space``, (n, 3).
        bezier: The handles are the control points of Bézier curves: 4, 7, 10 ...
        closed: The curve returns from the last handle to the first.
        space: The node in whose space points are. Default: the rig's own space.
        stretch: False: bones keep their lengths. True: the chain is as long as the
            curve. A number: it is, but at most by this factor longer or shorter.
        offset: Length along the curve at which the chain begins, at any time: a train
            on its track [unit of the model].
        pinned: The first joint stays where it is animated; the chain runs straight to
            the start of the curve.
        roll: Angle about the curve at the first bone [rad].
        twist: Angle that is added up to the last bone [rad].
        start, end: Nodes whose turns about the curve, from how they are now, are
            added to ``roll`` at the first bone and to the last bone's.
        weight: 0: as animated; 1: full effect.
        order: Order among the layers of its phase, LIMBS.

    Raises:
        BindError: A joint is unknown or not below the one before, or the curve is none
            of these.
        SettingError: A setting is out of range.
    """

    kind = "spline"
    record = Record(
        "spline",
        "A spine, tail, tentacle or rope lies along a curve.",
        {
            "joints": Field(JOINTS, "First and last joint of the chain, or all.", True),
            "curve": Field(
                NODE, "A node whose children are the handles; or a curve.", True
            ),
            "bezier": Field(Flag(), "Handles are control points of Bézier curves."),
            "closed": Field(Flag(), "The curve returns to the first handle."),
            "stretch": Field(
                STRETCH,
                "False: bones keep their lengths; true: as long as the curve; a "
                "number: at most by this factor.",
            ),
            "offset": Field(
                Number(), "Length along the curve at which the chain begins."
            ),
            "pinned": Field(Flag(), "The first joint stays where it is animated."),
            "roll": Field(Number(), "Angle about the curve.", degrees=True),
            "twist": Field(
                Number(), "Angle that is added up to the last bone.", degrees=True
            ),
            "start": Field(NODE, "A node whose turns roll the first bone."),
            "end": Field(NODE, "A node whose turns roll the last bone."),
            **COMMON,
        },
    )
    title = "spline"
    _on_nodes = True
    handles_key = "curve"
    stretch: Checked[bool | float] = Checked(shaped(STRETCH))
    offset: Checked[float] = Checked(any_number)
    pinned: Checked[bool] = Checked(flag)
    roll: Checked[float] = Checked(any_number)
    twist: Checked[float] = Checked(any_number)

    def __init__(
        self,
        rig: ActorRig | p3d.NodePath,
        joints: Sequence[str],
        curve: Curve,
        *,
        bezier: bool = False,
        closed: bool = False,
        space: p3d.NodePath | None = None,
        stretch: bool | float = False,
        offset: float = 0.0,
        pinned: bool = False,
        roll: float = 0.0,
        twist: float = 0.0,
        start: p3d.NodePath | None = None,
        end: p3d.NodePath | None = None,
        weight: float = 1.0,
        order: float = 0,
    ) -> None:
        super().__init__(rig, order, weight)
        self.stretch, self.offset, self.pinned = stretch, offset, pinned
        self.roll, self.twist = roll, twist
        self._chain = _chain(self.rig, joints)
        names = self._skeleton.pose.names
        self.joints = tuple(names[j] for j in self._chain.joints)
        """The joints of the chain."""
        self._bezier = flag(bezier, "bezier")
        self._closed = flag(closed, "closed")
        self._points_space = (
            self._space if space is None else node_in_scene(space, "space")
        )
        self._turns = [
            None if node is None else p3d.NodePath(node_in_scene(node, what))
            for node, what in ((start, "start"), (end, "end"))
        ]
        self._normals: list[p3d.LVecBase3d | None] = [None, None]
        self._twisted = 0.0
        self._use(curve)
        self.rig.add(self, list(self.joints))

    def _use(self, curve: object) -> None:
        self._curve = curve
        self._handles: list[p3d.NodePath] = []
        self._group: p3d.NodePath | None = None
        self._evaluator: object = None
        self._function: Any = None
        self._fixed: list[p3d.LPoint3f] = []
        if isinstance(curve, p3d.NodePath):
            node = node_in_scene(curve, "curve").node()
            self._group = p3d.NodePath(curve)
            if isinstance(node, p3d.RopeNode):
                self._evaluator = node.get_curve()
            elif isinstance(node, p3d.ParametricCurve):
                self._evaluator = node
            else:
                self._handles = [p3d.NodePath(x) for x in curve.get_children()]
        elif isinstance(curve, p3d.NurbsCurveEvaluator | p3d.ParametricCurve):
            self._evaluator = curve
        elif isinstance(curve, Spline):
            self._closed = curve.closed
            self._fixed = [p3d.LPoint3f(*point) for point in curve.points]
        elif callable(curve):
            self._function = curve
        elif isinstance(curve, Sequence) and not isinstance(curve, str):
            self._handles = [p3d.NodePath(node_in_scene(x, "curve")) for x in curve]
        else:
            raise BindError(
                "curve must be a list of nodes, a node whose children are the handles, "
                "a Spline, a ParametricCurve, a Rope, a NurbsCurveEvaluator or a "
                f"function, not {shown(curve)}"
            )
        count = len(self._handles)
        if not (self._evaluator or self._function or self._fixed):
            if self._bezier and (count < 4 or count % 3 != 1):
                raise BindError(f"a Bézier curve has 4, 7, 10 ... handles, not {count}")
            if count < 2:
                raise BindError(
                    f"a curve needs two handles or more, and {shown(curve)} has {count}"
                )

    @property
    def curve_nodes(self) -> list[p3d.NodePath]:
        """The handles of its curve; none where it is no curve of nodes."""
        return list(self._handles)

    @property
    def length(self) -> float:
        """Length of the curve at the last update [unit of the model]."""
        return self._chain.length

    @classmethod
    def handles(
        cls,
        rig: ActorRig | p3d.NodePath,
        joints: Sequence[str],
        count: int = 4,
        parent: p3d.NodePath | None = None,
    ) -> p3d.NodePath:
        """Return a node with handles for a chain as it is now: the inverse.

        A ``SplineIK`` on it leaves the pose nearly as it is; with a handle for each
        joint, as it is.

        Args:
            rig: The rig, or the node above.
            joints: As for the class.
            count: Number of handles, from 2 to that of the joints.
            parent: Node to put it under. Default: the space of the rig.

        Raises:
            BindError: A joint is unknown.
            SettingError: The count is out of range.
        """
        made = check_rig(rig, on_nodes=True)
        skeleton = made.skeleton
        if parent is not None:
            node_in_scene(parent, "parent")
        chain = _chain(made, joints)
        # sampled from now on
        names = [skeleton.pose.names[j] for j in chain.joints]
        skeleton.numbers(names)
        skeleton.read()
        words = f"a whole number from 2 to {len(names)}"
        shape = Number(words, 2, len(names), whole=True)
        count = checked(shape, count, "count", SettingError)
        points = chain.handles(count)
        space = skeleton.space
        group = (space if parent is None else parent).attach_new_node(
            f"{names[0]} curve"
        )
        for k, point in enumerate(points):
            handle = group.attach_new_node(f"{names[0]} handle {k}")
            handle.set_pos(space, *point)
        return group

    def reads(self) -> list[p3d.NodePath]:
        """Return the nodes that it reads."""
        above = self._parents_of(self.joints[:1])
        nodes = [*self._handles, *(node for node in self._turns if node is not None)]
        if self._group is not None:
            nodes.append(self._group)
        if self._points_space != self._space:
            nodes.append(self._points_space)
        return [*above, *nodes]

    def _lines(self) -> list[tuple[p3d.NodePath, p3d.NodePath]]:
        handles = self._handles
        return list(zip(handles[1:2] + handles, handles, strict=False))

    def _reset(self) -> None:
        self._twisted = 0.0

    def _entries(self) -> dict[str, object]:
        joints = [self.joints[0], self.joints[-1]]
        curve = self._curve
        handles = self._handles
        if handles and self._group is None:
            above = handles[0].get_parent()
            if handles == list(above.get_children()):
                curve = above
        ends = {"start": self._turns[0], "end": self._turns[1]}
        return {**super()._entries(), "joints": joints, "curve": curve, **ends}

    def _frame(self, dt: float) -> None:
        chain = self._chain
        try:
            self._read_curve()
        except ModelError as error:
            raise BindError(f"{self}: the curve failed: {error}") from error
        stretch = self.stretch
        if isinstance(stretch, bool):
            stretch = inf if stretch else 1.0
        chain.offset, chain.stretch, chain.pinned = self.offset, stretch, self.pinned
        if not chain.lay():
            raise BindError(f"{self}: the curve has no length, or is not finite")
        roll, twist = self.roll, self.twist
        if self._turns[0] is not None or self._turns[1] is not None:
            roll, twist = self._turned(roll, twist)
        chain.kernel.write(roll, twist, self.weight)

    def _read_curve(self) -> None:
        """Give the chain the points of the curve, in the space of the pose."""
        space, chain = self._space, self._chain
        if self._function is not None:
            mat = np.array(self._points_space.get_mat(space))
            try:
                chain.follow(self._function, mat)
            except ModelError:
                raise
            except Exception as error:
                raise ModelError(repr(error)) from error
            return
        if self._evaluator is not None:
            chain.bezier(self._engine_points())
            return
        if self._fixed:
            to_space = self._points_space.get_mat(space)
            points = [to_space.xform_point(point) for point in self._fixed]
        else:
            if any(node.is_empty() for node in self._handles):
                raise BindError(f"{self}: a handle of its curve was removed")
            points = [node.get_pos(space) for node in self._handles]
        flat = buffer([x for point in points for x in point])
        if self._bezier:
            chain.bezier_flat(flat)
        else:
            chain.through_flat(flat, self._closed)

    def _engine_points(self) -> Floats:
        """Return the control points of an engine's curve, as Bézier curves."""
        curve: Any = self._evaluator
        space = self._space
        mat: Floats | None = None
        # a segment: the call for a point, what it takes before t, and the range of t
        segments: list[tuple[Any, tuple[int, ...], float, float]]
        if isinstance(curve, p3d.NurbsCurveEvaluator):
            call = curve.evaluate(space).eval_segment_point
            count = curve.get_num_segments()
            segments = [(call, (k,), 0.0, 1.0) for k in range(count)]
            exact = curve.get_order() <= 4 and not _is_rational(curve)
        else:
            count = max(1, int(curve.get_max_t()))
            size = curve.get_max_t() / count
            segments = [(curve.get_point, (), k * size, size) for k in range(count)]
            exact = False
            above = self._points_space if self._group is None else self._group
            mat = np.array(above.get_mat(space))
        pieces = 1 if exact else PIECES
        found: list[object] = []
        for call, before, start, size in segments:
            for k in range(pieces):
                # the cubic through four points of the piece
                a, b, c, d = (
                    _point(call, *before, start + size * (k + part / 3.0) / pieces)
                    for part in range(4)
                )
                inner = (
                    (-5.0 * a + 18.0 * b - 9.0 * c + 2.0 * d) / 6.0,
                    (2.0 * a - 9.0 * b + 18.0 * c - 5.0 * d) / 6.0,
                )
                found += [*([] if found else [a]), *inner, d]
        if mat is None:
            return np.array(found)
        return np.array(found) @ mat[:3, :3] + mat[3, :3]

    def _turned(self, roll: float, twist: float) -> tuple[float, float]:
        """Return roll and twist with those of the nodes ``start`` and ``end``."""
        ends = self._chain.kernel.ends()
        space = self._space
        angles = [0.0, 0.0]
        for k, node in enumerate(self._turns):
            if node is None:
                continue
            if node.is_empty():
                raise BindError(f"{self}: the node {('start', 'end')[k]} was removed")
            normal, along = (
                p3d.LVector3d(*ends[6 * k + i : 6 * k + i + 3]) for i in (0, 3)
            )
            turn = p3d.LQuaterniond(*node.get_quat(space))
            if turn.is_nan():
                what = ("start", "end")[k]
                raise BindError(f"{self}: the rotation of {what} is not finite")
            held = self._normals[k]
            if held is None:
                back = p3d.LQuaterniond(turn.conjugate())
                held = self._normals[k] = back.xform(normal)
            now = turn.xform(held)
            angles[k] = atan2(along.dot(normal.cross(now)), normal.dot(now))
        start, end = angles
        if self._turns[1] is not None:
            # full turns add up: the nearest to that of the frame before
            end += 2.0 * pi * round((self._twisted - end) / (2.0 * pi))
            self._twisted = end
            twist += end - start
        return roll + start, twist


def _chain(rig: ActorRig, joints: Sequence[str]) -> SplineChain:
    if isinstance(joints, str) or not isinstance(joints, Sequence) or not joints:
        raise BindError(f"joints must be a list of joints, not {shown(joints)}")
    names = [joint_in(rig, joint, "joints") for joint in joints]
    return SplineChain(rig.skeleton.pose, names)


def _point(call: Callable[..., object], *place: object) -> Floats:
    point = p3d.LPoint3f()
    call(*place, point)
    return np.array(point)


def _is_rational(curve: p3d.NurbsCurveEvaluator) -> bool:
    weights = {curve.get_vertex(i)[3] for i in range(curve.get_num_vertices())}
    return len(weights) > 1
