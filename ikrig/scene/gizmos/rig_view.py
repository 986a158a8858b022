"""RigView: the drawn state of a rig; the only module that knows kinds of rigs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ...errors import SettingError, shown
from ...math3d.quaternion import Floats
from ...solvers import SolveResult, SolveStatus
from ..behaviours.behaviour import Behaviour
from ..ik.component import IKComponent
from ..ik.effector import Effector
from ..ik.system import LayeredRig
from .handle import Handle, Shape, handle_radius
from .viewpoint import FAR, ORIGIN, Vec3, Vec4, in_scene, relative_matrix

STATUS_COLORS: dict[str, Vec4] = {
    "CONVERGED": (0.16, 0.83, 0.64, 1.0),
    "UNREACHABLE": (1.0, 0.72, 0.16, 1.0),
    "STALLED": (1.0, 0.47, 0.18, 1.0),
    "MAX_ITERATIONS": (1.0, 0.47, 0.18, 1.0),
    "INVALID_TARGET": (0.96, 0.26, 0.29, 1.0),
}
"""Colour of a rig by the name of its ``SolveStatus``, RGBA."""
STATUS_LOOKS: dict[str, tuple[Shape, str]] = {
    "CONVERGED": ("sphere", "reached"),
    "UNREACHABLE": ("hollow", "out of reach"),
    "STALLED": ("hollow", "stalled"),
    "MAX_ITERATIONS": ("hollow", "not there yet"),
    "INVALID_TARGET": ("crossed", "no target"),
}
"""A target's shape, so that colours are not essential, and the text of its label."""

UNSOLVED_COLOR: Vec4 = (0.62, 0.7, 0.8, 1.0)
POLE_COLOR: Vec4 = (0.64, 0.55, 1.0, 1.0)
BEHAVIOUR_COLOR: Vec4 = (0.35, 0.75, 1.0, 1.0)

_TARGET_WIDTH, _POLE_WIDTH = 2.0, 1.8  # [pixel of a 720-line window]


class Marker(NamedTuple):
    """A draggable node of a rig, with a line to it."""

    node: p3d.NodePath
    joint: int  # index of the joint at the start of the line
    shape: Shape
    color: Vec4  # colour of line and handle, RGBA
    width: float  # width of the line [pixel of a 720-line window]
    rotates: bool = False
    status_text: str = ""


class RigView(NamedTuple):
    """The drawn state of a rig."""

    # joints and tips: a node, and a point in its space
    bones: Sequence[tuple[p3d.NodePath, Vec3]]
    # index of each one's parent; -1 for the start of a line of bones
    parents: Sequence[int]
    color: Vec4  # colour of bones and joints, RGBA
    markers: Sequence[Marker]
    # lines, (n, 3) each, in the space of a node
    outlines: Sequence[tuple[p3d.NodePath, Sequence[Floats]]] = ()
    radius: float = 0.0  # minimum of its handles [scene unit]; 0: by the rig's size


@runtime_checkable
class Marks(Protocol):
    """What is drawn as a rig is, and is none: ``GripMarks``."""

    def rig_view(self) -> RigView:
        """Return what is drawn now."""


Drawn = IKComponent | Behaviour | Marks  # parts that are drawn separately


def parts_of(thing: object) -> Iterable[object]:
    """Return the current parts of a rig; for a part of a rig, that part."""
    if isinstance(thing, Behaviour | Marks):
        return (thing,)
    if isinstance(thing, LayeredRig):
        return thing.layers
    raise SettingError(
        "gizmos can show an IKChain, an IKTree, a behaviour, an ActorRig or a loaded "
        f"Rig, not {shown(thing)}; for a node, use add_handle()"
    )


def drawn_parts(things: Iterable[object]) -> list[Drawn]:
    """Return the drawn parts of rigs, each once.

    Chains that a behaviour moves, and layers of unknown kind, are left out.
    """
    found = {id(part): part for thing in things for part in parts_of(thing)}
    drawn = {key: part for key, part in found.items() if isinstance(part, Drawn)}
    for part in list(drawn.values()):
        for chain in part.parts if isinstance(part, Behaviour) else ():
            drawn.pop(id(chain), None)
    return list(drawn.values())


def read_rig(part: Drawn) -> RigView:
    if isinstance(part, IKComponent):
        return _read_component(part)
    return _read_behaviour(part) if isinstance(part, Behaviour) else part.rig_view()


def _read_component(component: IKComponent) -> RigView:
    binding, result = component._binding, component.result
    nodes, model = binding.nodes, binding.model
    # a stopped chain on nodes may be solved by hand, one of an Actor is not
    stopped = component.rig is not None and not component.started
    if component.weight == 0.0 or stopped:
        # it does not reach for anything, so it has no status
        result = None
    bones: list[tuple[p3d.NodePath, Vec3]] = [(node, ORIGIN) for node in nodes]
    parents = list(model.parents)
    targets, poles = [], []
    statuses = _statuses(component, result)
    for effector, status in zip(component.effectors, statuses, strict=True):
        joint = nodes.index(effector.leaf)
        if effector.pole is not None:
            bend = _bend(model.parents, joint)
            poles.append(
                Marker(effector.pole, bend, "diamond", POLE_COLOR, _POLE_WIDTH)
            )
        if any(effector.tip):
            parents.append(joint)
            joint = len(bones)
            bones.append((effector.leaf, effector.tip))
        targets.append(_target(effector, joint, status))
    color = _status_color(result and result.status)
    # nor do targets of a stopped one follow it, such as those of placed feet
    return RigView(bones, parents, color, [] if stopped else [*targets, *poles])


def _target(effector: Effector, joint: int, status: SolveStatus | None) -> Marker:
    color = _status_color(status)
    shape, status_text = STATUS_LOOKS[status.name] if status else ("sphere", "")
    rotates = effector.orientation_mode == "target"
    return Marker(
        effector.target, joint, shape, color, _TARGET_WIDTH, rotates, status_text
    )


def _statuses(
    component: IKComponent, result: SolveResult | None
) -> list[SolveStatus | None]:
    """Return the status of each effector: in a tree, some may reach and others not."""
    if result is None or not result.errors:
        return [result and result.status] * len(component.effectors)
    near = component.tolerance or 1e-3 * component._binding.model.size
    there = SolveStatus.CONVERGED
    return [there if error <= near else result.status for error in result.errors]


@lru_cache(maxsize=256)
def _bend(parents: tuple[int, ...], leaf: int) -> int:
    """Return the joint at the start of a pole's line: the middle of its branch."""
    path, children = [leaf], Counter(parents)
    while parents[path[-1]] >= 0 and children[parents[path[-1]]] == 1:
        path.append(parents[path[-1]])
    return path[len(path) // 2]


def _read_behaviour(behaviour: Behaviour) -> RigView:
    """Return the view of a behaviour: its joints, the legs it moves, its targets."""
    joints = behaviour.rig._moved_by(behaviour)
    chains = [chain.bones for chain in behaviour.parts]
    lines = behaviour._lines()
    starts = [start for start, _ in lines]
    found = dict.fromkeys([*joints, *(n for c in chains for n in c), *starts])
    # parents before children
    nodes = sorted(found, key=p3d.NodePath.get_num_nodes)
    number = {node: j for j, node in enumerate(nodes)}
    color = BEHAVIOUR_COLOR if behaviour.weight > 0.0 else UNSOLVED_COLOR
    markers = [
        Marker(end, number[start], "sphere", color, _TARGET_WIDTH)
        for start, end in lines
    ]
    parents = [_nearest(node, number) for node in nodes]
    bones = [(node, ORIGIN) for node in nodes]
    return RigView(bones, parents, color, markers, behaviour._outlines())


def _nearest(node: p3d.NodePath, number: dict[p3d.NodePath, int]) -> int:
    while node.has_parent():
        node = node.get_parent()
        if node in number:
            return number[node]
    return -1


def _status_color(status: SolveStatus | None) -> Vec4:
    return UNSOLVED_COLOR if status is None else STATUS_COLORS[status.name]


def read_joints(
    render: p3d.NodePath,
    bones: Sequence[tuple[p3d.NodePath, Vec3]],
    parents: Sequence[int],
) -> list[Vec3]:
    """Return the positions of joints and tips, world space.

    A joint is read relative to its parent, so that the cost per joint does not grow
    with the depth of the skeleton. Empty if one is out of the scene or not finite.
    """
    joints: list[Vec3] = []
    to_world: list[p3d.LMatrix4f] = []
    for (node, point), parent in zip(bones, parents, strict=True):
        above = bones[parent][0] if parent >= 0 else None
        matrix: p3d.LMatrix4f | None
        if node == above:
            matrix = to_world[parent]
        elif above is not None and not node.is_empty() and node.get_parent() == above:
            state = node.get_transform()
            matrix = None if state.is_invalid() else state.get_mat() * to_world[parent]
        else:
            matrix = relative_matrix(node, render) if in_scene(render, node) else None
        if matrix is None:
            return []
        to_world.append(matrix)
        x, y, z = matrix.get_row3(3) if point is ORIGIN else matrix.xform_point(point)
        # written so that NaN is out of bounds
        if not abs(x) + abs(y) + abs(z) < FAR:
            return []
        joints.append((x, y, z))
    return joints


_NOTHING = RigView((), (), UNSOLVED_COLOR, ())


class Entry:
    """A chain, a tree or a behaviour on display, and a handle for each marker in view.

    Errors must not end the frame: a rig that raises is not drawn and has no handles,
    and one warning reports it.
    """

    __slots__ = ("_reported", "figure", "handles", "rig")

    def __init__(self, rig: Drawn) -> None:
        self.rig = rig
        self.figure = _NOTHING
        self.handles: list[Handle] = []
        self._reported = False

    def follow(
        self,
        render: p3d.NodePath,
        known: dict[p3d.NodePath, Handle],
        added: Sequence[Handle],
    ) -> None:
        """Read the rig; each of its markers gets a handle of ``known``, or a new one.

        The caller sets the looks of those in ``added``.
        """
        try:
            figure = read_rig(self.rig)
            markers = [m for m in figure.markers if in_scene(render, m.node)]
        except Exception as error:
            self.report(error)
            figure, markers = _NOTHING, []
        self.figure = figure._replace(markers=markers)
        self.handles = []
        for marker in markers:
            node = marker.node
            handle = known.get(node)
            if handle is None:
                radius = figure.radius or handle_radius(
                    self.joints(render), figure.parents
                )
                handle = known[node] = Handle(
                    node, color=marker.color, radius=radius, label=node.get_name()
                )
            if handle not in added:
                handle.follow(
                    marker.color, marker.shape, marker.rotates, marker.status_text
                )
            self.handles.append(handle)

    def joints(self, render: p3d.NodePath) -> list[Vec3]:
        """Return positions of joints and tips, world space; empty if one has none."""
        try:
            return read_joints(render, self.figure.bones, self.figure.parents)
        except Exception as error:
            self.report(error)
            return []

    def outlines(self, render: p3d.NodePath) -> list[Floats]:
        """Return its lines, world space; without those that are not finite."""
        found = []
        for node, lines in self.figure.outlines:
            matrix = relative_matrix(node, render) if in_scene(render, node) else None
            if matrix is None:
                continue
            mat = np.array([list(row) for row in matrix.rows])
            found += [line @ mat[:3, :3] + mat[3, :3] for line in lines]
        return [line for line in found if np.abs(line).max() < FAR]

    def fit_handles(self, joints: list[Vec3], sized: Sequence[Handle]) -> None:
        if joints:
            radius = self.figure.radius or handle_radius(joints, self.figure.parents)
            for handle in self.handles:
                if handle not in sized:
                    handle.fit(radius)

    def report(self, error: Exception) -> None:
        """Warn once that reading the rig raised an error."""
        if not self._reported:
            self._reported = True
            directNotify.newCategory("ikrig").warning(
                f"gizmos skip a {type(self.rig).__name__} that can't be read: "
                f"{type(error).__name__}: {error}"
            )
