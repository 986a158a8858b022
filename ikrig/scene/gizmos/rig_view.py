"""RigView: the drawing of a rig; the only module that knows chains and trees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import panda3d.core as p3d

from .gizmo_checks import Shape
from .viewpoint import Vec3, Vec4, in_scene, world_position

STATUS_COLORS: dict[str, Vec4] = {
    "CONVERGED": (0.16, 0.83, 0.64, 1.0),
    "UNREACHABLE": (1.0, 0.72, 0.16, 1.0),
    "STALLED": (1.0, 0.47, 0.18, 1.0),
    "MAX_ITERATIONS": (1.0, 0.47, 0.18, 1.0),
    "INVALID_TARGET": (0.96, 0.26, 0.29, 1.0),
}
"""Colour of a rig by the name of its ``SolveStatus``, RGBA."""

UNSOLVED_COLOR: Vec4 = (0.62, 0.7, 0.8, 1.0)
POLE_COLOR: Vec4 = (0.64, 0.55, 1.0, 1.0)

_TARGET_WIDTH, _POLE_WIDTH = 2.0, 1.8  # [pixel of a 720-line window]


class StatusLike(Protocol):
    """What is read of a ``SolveStatus``."""

    @property
    def name(self) -> str:
        """A key of ``STATUS_COLORS``."""


class ResultLike(Protocol):
    """What is read of a ``SolveResult``."""

    @property
    def status(self) -> StatusLike:
        """How the last solve ended."""


class ChainLike(Protocol):
    """What is read of an ``IKChain``."""

    @property
    def bones(self) -> Sequence[p3d.NodePath]:
        """Joints, root to leaf."""

    @property
    def target(self) -> p3d.NodePath | None:
        """Where the leaf goes."""

    @property
    def pole(self) -> p3d.NodePath | None:
        """Where the bend points."""

    @property
    def result(self) -> ResultLike | None:
        """Of the last solve."""


class TreeResultLike(ResultLike, Protocol):
    """What is read of a tree's ``SolveResult``."""

    @property
    def errors(self) -> Sequence[float]:
        """How far each effector is from its target; none if there is no knowing."""


class TreeModelLike(Protocol):
    """What is read of a ``SkeletonModel``."""

    @property
    def parents(self) -> Sequence[int]:
        """Number of the joint that each joint hangs on; the root's is -1."""

    @property
    def size(self) -> float:
        """The longest way from the root along bones."""


class EffectorLike(Protocol):
    """What is read of an ``Effector``."""

    @property
    def leaf(self) -> p3d.NodePath:
        """One of the tree's joints."""

    @property
    def target(self) -> p3d.NodePath:
        """Where it goes."""


class TreeLike(Protocol):
    """What is read of an ``IKTree``."""

    @property
    def bones(self) -> Sequence[p3d.NodePath]:
        """Joints, parents before children."""

    @property
    def model(self) -> TreeModelLike:
        """How they hang together."""

    @property
    def effectors(self) -> Sequence[EffectorLike]:
        """What reaches for what."""

    @property
    def tolerance(self) -> float | None:
        """How near effectors must come. None: a thousandth of the model's size."""

    @property
    def result(self) -> TreeResultLike | None:
        """Of the last solve."""


class Marker(NamedTuple):
    """A node that a rig is drawn to and that people can hold.

    Attributes:
        node: Target or pole.
        joint: Number of the joint that a line leads from.
        shape: Of its handle.
        color: Of line and handle, RGBA.
        width: Of the line [pixel of a 720-line window].
    """

    node: p3d.NodePath
    joint: int
    shape: Shape
    color: Vec4
    width: float


class RigView(NamedTuple):
    """A rig as far as it is drawn.

    Attributes:
        bones: Joints, parents before children.
        parents: Number of each one's parent; the root's is -1.
        color: Of bones and joints, RGBA.
        ends: Targets and poles.
    """

    bones: Sequence[p3d.NodePath]
    parents: Sequence[int]
    color: Vec4
    ends: Sequence[Marker]


def read_chain(chain: ChainLike) -> RigView:
    """Read a chain."""
    bones, color = chain.bones, _status_color(chain.result)
    last = len(bones) - 1
    ends = []
    if chain.target is not None:
        ends.append(Marker(chain.target, last, "sphere", color, _TARGET_WIDTH))
    if chain.pole is not None:
        ends.append(Marker(chain.pole, last // 2, "diamond", POLE_COLOR, _POLE_WIDTH))
    return RigView(bones, range(-1, last), color, ends)


def read_mujoco(tree: TreeLike) -> RigView:
    """Read a tree; what has come to its target is green, whatever the others do."""
    bones, result = tree.bones, tree.result
    color = _status_color(result)
    near = tree.tolerance or 1e-3 * tree.model.size
    gaps = (result and result.errors) or [math.inf] * len(tree.effectors)
    number = {bone: j for j, bone in enumerate(bones)}
    ends = [
        Marker(
            effector.target,
            number[effector.leaf],
            "sphere",
            STATUS_COLORS["CONVERGED"] if gap <= near else color,
            _TARGET_WIDTH,
        )
        for effector, gap in zip(tree.effectors, gaps, strict=True)
    ]
    for effector in tree.effectors:
        pole = getattr(effector, "pole", None)
        if pole is not None:
            bend = tree.model.parents[number[effector.leaf]]
            ends.append(Marker(pole, bend, "diamond", POLE_COLOR, _POLE_WIDTH))
    return RigView(bones, tree.model.parents, color, ends)


def _status_color(result: ResultLike | None) -> Vec4:
    if result is None:
        return UNSOLVED_COLOR
    return STATUS_COLORS.get(result.status.name, UNSOLVED_COLOR)


def read_joints(render: p3d.NodePath, bones: Sequence[p3d.NodePath]) -> list[Vec3]:
    """Return where joints are, world space.

    Returns:
        Empty while one is out of the scene or not finite.
    """
    joints: list[Vec3] = []
    for bone in bones:
        point = world_position(render, bone) if in_scene(render, bone) else None
        if point is None:
            return []
        joints.append(point)
    return joints
