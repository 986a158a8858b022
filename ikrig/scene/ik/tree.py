"""IKTree: a body whose hands, feet and head reach for targets at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import panda3d.core as p3d

from ...errors import BindError, SettingError, name_list, shown
from ...kernels.frame_update import TreeUpdate
from ...math3d.quaternion import Floats
from ...model.limits import Limit
from ...model.skeleton import SkeletonModel
from ...solvers import MultiEffectorSolver, SolveResult, SolveStatus
from ..checked_setting import flag, node_in_scene
from .component import IKComponent, RigState
from .effector import Effector
from .node_binding import NodeBinding
from .node_transforms import collect_tree, find_leaves
from .pose_binding import OrientationMode, PoseBinding
from .setting_attributes import MatchRotation, SettingValues, mode_of
from .targets import check_tip, make_target

if TYPE_CHECKING:
    from typing_extensions import Unpack


Key = p3d.NodePath | str
V = TypeVar("V")


class EffectorOptions(NamedTuple):
    """Options of a tree's effectors, by node or name."""

    weights: Mapping[Key, float] | None
    orientation_weights: Mapping[Key, float] | None
    tips: Mapping[Key, Sequence[float]] | None
    poles: Mapping[Key, p3d.NodePath | None] | None


class IKTree(IKComponent):
    """Inverse kinematics for a body: several effectors that share bones.

    Each frame all joints from the root to the effectors turn so that every effector
    reaches its target or, if they can't all, so that the weighted distances are least.

        body = ikrig.IKTree(pelvis, {hand_l: ball, hand_r: bat, "head": None})
        body.start()

    Root space is the coordinate system of the node above the root. A target or pole
    that was removed is detected at once, as is a joint that was turned, moved or
    scaled; one that was removed or reparented within as many frames as there are
    joints.

    Args:
        root: The first joint; it turns.
        targets: The node to reach for each effector, by node or name below the root;
            None: a new node at the effector, named "<effector> Target". Default: every
            joint without children is an effector, with a new target. Joints are
            plain nodes: geometry, lights, cameras and colliders are not.
        weights: Weight of an effector's position against the others', by node or name.
            Default: 1.
        orientation_weights: Weight of its rotation in the solve itself. Default: 0, it
            turns as its target does afterwards; 1 for the root.
        solver: "dls", "fabrik", "ccd", or another method; "two_bone" where each
            effector has two bones of its own.
        limits: How far joints may turn or slide, by node name or index. Nodes that know
            their own joint default to its limit.
        pinned: Whether the root keeps its position. Else the targets pull it along, and
            it can be an effector itself: hips that crouch.
        match_rotation: Whether effectors turn as their targets do.
        tips: Point that reaches instead of the effector itself, in its own space, by
            node or name.
        poles: Node that the bones of an effector bend towards, by node or name: an
            elbow's or a knee's. The joints that move this effector alone, two bones at
            least, swing as one about the line from the first of them to the effector,
            as far as the limits of the first let them.
        order: Rigs with a lower order are solved first in a frame.
        settings: As for ``IKChain``, without stretch, twist_spread, roll_from and
            orientation_weight. ``tolerance`` None is a thousandth of the longest path
            from the root to an end.

    Raises:
        BindError: The tree does not fit the scene; names the node and the fix.
        SettingError: A setting is out of range.
    """

    __slots__ = ("_leaves", "_pinned")

    match_rotation = MatchRotation()
    _section = "trees"
    _default_solver = "dls"
    _solver: MultiEffectorSolver

    _without = MappingProxyType(
        {
            **dict.fromkeys(
                ("stretch", "twist_spread", "roll_from"), "it applies to chains only"
            ),
            "orientation_weight": "set it for each effector (orientation_weights)",
        }
    )

    def __init__(
        self,
        root: p3d.NodePath,
        targets: Mapping[Key, p3d.NodePath | None] | None = None,
        *,
        weights: Mapping[Key, float] | None = None,
        orientation_weights: Mapping[Key, float] | None = None,
        solver: str = "dls",
        limits: Mapping[str | int, Limit] | None = None,
        pinned: bool = True,
        match_rotation: bool = True,
        tips: Mapping[Key, Sequence[float]] | None = None,
        poles: Mapping[Key, p3d.NodePath | None] | None = None,
        order: float = 0,
        **settings: Unpack[SettingValues],
    ) -> None:
        super().__init__(NodeBinding, None, solver, limits, order, settings)
        given = EffectorOptions(weights, orientation_weights, tips, poles)
        self._set_up(root, targets, pinned, mode_of(match_rotation), given)

    def _set_up(
        self,
        root: p3d.NodePath,
        targets: Mapping[Key, p3d.NodePath | None] | None,
        pinned: bool,
        mode: OrientationMode,
        given: EffectorOptions,
    ) -> None:
        node_in_scene(root, "root")
        if targets is None:
            targets = dict.fromkeys(find_leaves(root))
        find = partial(_find, root)
        goals = by_node(find, targets, "targets")
        if not goals:
            raise BindError(f"root {root} has no joints below it, or targets is empty")
        self._pinned = _checked_pinned(pinned, root, goals)
        nodes = self._bind(*collect_tree(root, list(goals)))
        limits = nodes.all_limits(self._given_limits)
        self._leaves = tuple(goals)
        solver = self._make_solver(self._solver_name, nodes, limits)
        fraction, turning, points, poles = (
            by_node(find, getattr(given, what), what, goals) for what in given._fields
        )
        for leaf, pole in poles.items():
            if pole is not None:
                solver.branch(self._leaves.index(leaf))
        points = {leaf: check_tip(tip) for leaf, tip in points.items()}
        made = []
        try:
            effectors = []
            for leaf, node in goals.items():
                if node is None:
                    node = make_target(leaf, nodes.root, check_tip(points.get(leaf)))
                    made.append(node)
                effectors.append(
                    Effector(
                        self,
                        nodes,
                        leaf,
                        node,
                        mode,
                        points.get(leaf),
                        fraction.get(leaf, 1.0),
                        # a root that reaches matches its goal rotation in the solve
                        turning.get(leaf, 1.0 if leaf == root else 0.0),
                        poles.get(leaf),
                    )
                )
        except (BindError, SettingError):
            for node in made:
                node.remove_node()
            raise
        self._binding, self._solver, self._limits = nodes, solver, limits
        self._effectors = tuple(effectors)
        self._bound()

    def _make_solver(
        self, name: str, binding: PoseBinding, limits: dict[str | int, Limit]
    ) -> MultiEffectorSolver:
        return MultiEffectorSolver(
            binding.model,
            [binding.nodes.index(leaf) for leaf in self._leaves],
            limits,
            method=name,
            pinned=self._pinned,
        )

    def __repr__(self) -> str:
        status = self._result.status.name if self._result else "not solved yet"
        return f"<IKTree {self._label()} {len(self._effectors)} effectors {status}>"

    @property
    def _size(self) -> float:
        return float(self._solver.reach)

    def _label(self) -> str:
        return str(self._binding.nodes[0])

    def _start_rotations(self) -> list[Sequence[float] | None] | None:
        """Return the effectors' start rotations, None where rotations don't count."""
        starts = self._solver.effector_starts().tolist()
        return [
            start if end.orientation_weight > 0.0 else None
            for end, start in zip(self._effectors, starts, strict=True)
        ]

    def _reconnect(self) -> None:
        self._idle_since = self._usual = None
        nodes, solver, effectors = self._binding, self._solver, self._effectors
        self._goals = [
            nodes.goal(end, solver.start_rotations(e))
            for e, end in enumerate(effectors)
        ]
        self._update = TreeUpdate(
            nodes,
            nodes.pose,
            self._goals,
            effectors,
            solver,
            solver.kernel if self._pinned else None,
            SolveStatus.INVALID_TARGET,
        )

    def _mark_weights_changed(self) -> None:
        self._update.weighed = False

    def __getitem__(self, leaf: Key) -> Effector:
        """Return an effector by its node or name."""
        known = isinstance(leaf, (str, p3d.NodePath))
        for effector in self._effectors:
            if known and leaf in (effector._leaf, effector._leaf.get_name()):
                return effector
        names = name_list(effector._leaf.get_name() for effector in self._effectors)
        if self.rig is not None and isinstance(leaf, str):
            with suppress(BindError, KeyError):
                # by the name of its limb
                return self[self.rig.joint(leaf)]
        raise KeyError(
            f"{shown(leaf)} is not an effector of this tree; available: {names}"
        )

    @property
    def model(self) -> SkeletonModel:
        """The start pose in numbers, root space."""
        return self._binding.model

    @property
    def rotations(self) -> Floats:
        """Current rotation of each joint, (n, 4) w x y z, root space."""
        return self._solver.rotations

    @property
    def pinned(self) -> bool:
        """Whether the root joint keeps its position; set at any time.

        A root that was pulled along returns to where it was bound.
        """
        return self._pinned

    @pinned.setter
    def pinned(self, value: bool) -> None:
        before = self._pinned
        self._pinned = _checked_pinned(value, self._binding.nodes[0], self._leaves)
        try:
            self._swap_solver(self._solver_name, self._given_limits)
        except SettingError:
            self._pinned = before
            raise
        nodes = self._binding
        if self._pinned and not nodes.animated:
            local = self._solver.local_buffer
            nodes.write(local, 1.0, self._shifts(), tuple(nodes.origin))

    def _continue_from(self, state: RigState) -> None:
        pulled = (0.0, 0.0, 0.0) if self._pinned else state.pulled
        self._solver.set_pose(state.rotations, pulled, state.shifts)

    def _check_pole(self, effector: Effector) -> None:
        self._solver.branch(self._effectors.index(effector))

    def _controls(self) -> dict[str, Effector]:
        """Return the effectors, by their nodes' names."""
        return {effector._leaf.get_name(): effector for effector in self._effectors}

    def rebind(self) -> None:
        """Bind the nodes anew, with their current pose as the start pose.

        Joints of an Actor are bound in the pose of the model file. On an error the tree
        stays bound as it was.

        Raises:
            BindError: The tree does not fit the scene; names the node and the fix.
        """
        nodes = self._bind(*collect_tree(self._binding.nodes[0], self._leaves))
        self._rebind_to(nodes, self._leaves, self._given_limits)

    def _result_at_zero_weight(
        self,
        result: SolveResult,
        goals: Sequence[Sequence[float]],
        weights: Sequence[float],
    ) -> SolveResult:
        ends = self._effectors
        gaps = tuple(
            self._gap(end, goal) for end, goal in zip(ends, goals, strict=True)
        )
        count = [gap for gap, w in zip(gaps, weights, strict=True) if w > 0.0]
        most = max(count, default=0.0)
        return result._replace(error=most, errors=gaps, blocked_by=())

    def _write(self, _result: SolveResult) -> None:
        solver = self._solver
        first = None if self._pinned else solver.root_position
        self._binding.write(solver.local_buffer, 1.0, self._shifts(), first)


def _checked_pinned(value: bool, root: p3d.NodePath, leaves: Iterable[object]) -> bool:
    """Return ``pinned`` after checking it."""
    pinned = flag(value, "pinned")
    if pinned and root in leaves:
        raise BindError(
            f"root {root} is a target, but pinned=True keeps it where it is: pass "
            "pinned=False to let it move"
        )
    return pinned


def _find(root: p3d.NodePath, key: Key, _what: str) -> p3d.NodePath:
    """Return a node, given itself or by its name below the root."""
    if isinstance(key, p3d.NodePath) and not key.is_empty():
        return key
    if not isinstance(key, str):
        raise BindError(
            f"an effector must be a NodePath or the name of a node, not {shown(key)}"
        )
    below = [node for node in root.find_all_matches("**") if node != root]
    found = [node for node in (root, *below) if node.get_name() == key]
    if len(found) != 1:
        names = sorted({node.get_name() for node in below})
        problem = f"{len(found)} nodes are" if len(found) else "no node is"
        raise BindError(
            f"{problem} named {key!r} below the root {root}; available: "
            f"{name_list(names)}"
        )
    return found[0]


def by_node(
    find: Callable[[Key, str], p3d.NodePath],
    values: Mapping[Any, V] | None,
    what: str,
    leaves: Mapping[p3d.NodePath, object] | None = None,
) -> dict[p3d.NodePath, V]:
    """Return values that are given by node or name, by node alone.

    Args:
        find: Returns a node, given itself or by name, and the argument's name.
        values: The values.
        what: Name of the argument.
        leaves: The nodes that may have one; None: all.
    """
    values = {} if values is None else values
    if not isinstance(values, Mapping):
        raise BindError(
            f"{what} must be a dict with nodes or names as keys, not {shown(values)}"
        )
    found: dict[p3d.NodePath, V] = {}
    for key, value in values.items():
        node = find(key, what)
        if node in found:
            raise BindError(f"{what}: {key!r} names {node}, which has an entry already")
        if leaves is not None and node not in leaves:
            names = name_list(leaf.get_name() for leaf in leaves)
            raise SettingError(f"{what}: {node} is not an effector; available: {names}")
        found[node] = value
    return found
