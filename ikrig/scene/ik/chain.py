"""IKChain: attach it to a leaf node, and the bones above it reach for a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
import panda3d.core as p3d

from ...checks import is_whole
from ...errors import BindError
from ...kernels.frame_update import ChainUpdate
from ...math3d.quaternion import Floats
from ...model.limits import Limit
from ...model.pose import Goal
from ...model.skeleton import ChainModel
from ...solvers import (
    ChainSolver,
    Solver,
    SolveResult,
    SolveStatus,
    make_solver,
)
from ..checked_setting import node_in_scene
from .component import NO_LIMITS, IKComponent, RigState
from .effector import Effector
from .node_binding import NodeBinding
from .node_transforms import collect_bones, read_rotation
from .pose_binding import OrientationMode, PoseBinding
from .setting_attributes import MatchRotation, SettingValues, mode_of
from .targets import check_tip, make_target

if TYPE_CHECKING:
    from typing_extensions import Unpack


class IKChain(IKComponent):
    """Inverse kinematics for a leaf node and the ``chain_length`` bones above it.

    Each frame the bones turn so that the leaf reaches the target, and bend towards the
    pole when there is one. Bones are ordinary nodes: whatever hangs below them follows.

        hand_ik = ikrig.IKChain(hand, chain_length=2, target=ball, pole=elbow_hint)
        hand_ik.start()

    Everything is solved in root space, the coordinate system of the node above the
    first bone, so that node may be moved, turned, mirrored and scaled in any way.

    A target or pole that was removed is detected at once, as is a bone that was turned,
    moved or scaled. A bone that was removed or reparented is detected within as many
    frames as the chain has nodes.

    Args:
        leaf: The node that should reach the target: a hand, a foot, a tool.
        chain_length: Number of bones, which is how many parents to walk up.
        target: Node to reach. Default: a new node at the leaf, named "<leaf> Target".
        pole: Node that elbow or knee points to. Default: none.
        solver: The method: "fabrik", "ccd", "two_bone", "dls", "pinv", "transpose",
            "bfgs", "cg", "six_axis" for robot arms, or the name of a custom one
            (``register_solver``).
        limits: How far joints may turn or slide, by node name or index (0 is the first
            bone, -1 the leaf): ``{"knee": ikrig.HingeLimit("x", 0.0, 2.4)}``. Nodes
            that know their own joint default to its limit.
        iterations: Maximum number of iterations per frame.
        tolerance: Distance at which the target counts as reached [units of root space].
            None: a thousandth of the reach.
        weight: 0 leaves the start pose, 1 is full IK; values between lead the end that
            part of the way, or with limits blend the rotations of the joints.
        soften: Last part of the reach over which the chain eases straight, 0 to 0.99.
        snap_back_strength: 0: the chain starts from its last pose, and keeps its side
            and the bends it was pulled into. 1: the pose depends only on the positions
            of target and pole; without a pole it may snap to another side. None: 1 with
            a pole, or on an Actor, where these pick the side; 0 without, or with
            limits.
        stretch: Fraction by which the bones may lengthen to reach; 0.1 is 10 %.
        max_step: Maximum speed of a joint against its parent [rad/s]; of a slide, the
            same number of chain lengths per second. None: no limit.
        twist_spread: Fraction of the leaf's roll that bones take up gradually, 0 to 1.
        roll_from: "start": bones roll least against their start pose. "parent": against
            the bone before them, for chains that swing all round.
        orientation_weight: Weight of the leaf's rotation in the solve itself; for
            chains whose leaf is limited. 0: the leaf turns last, as far as its limit
            allows.
        orientation_tolerance: Angle at which the rotation counts as reached [rad].
        step_size: Fraction of each step that "pinv" and "transpose" take.
        damping: Damping of "dls": more gives smaller, smoother steps.
        match_rotation: Whether the leaf turns as the target does.
        tip: Point that reaches the target instead of the leaf itself, in the leaf's own
            space: the end of a tool in a hand, the ball of a foot.
        order: Rigs with a lower order are solved first in a frame.

    Raises:
        BindError: The chain does not fit the scene; names the node and the fix.
        SettingError: A setting is out of range.
    """

    __slots__ = ("_chain_length", "_leaf", "_start_target")

    _section = "chains"
    _update: ChainUpdate
    _solver: Solver
    _start_target: p3d.LPoint3f

    def __init__(
        self,
        leaf: p3d.NodePath,
        chain_length: int = 2,
        target: p3d.NodePath | None = None,
        pole: p3d.NodePath | None = None,
        *,
        solver: str = "fabrik",
        limits: Mapping[str | int, Limit] | None = None,
        match_rotation: bool = True,
        tip: Sequence[float] | None = None,
        order: float = 0,
        **settings: Unpack[SettingValues],
    ) -> None:
        super().__init__(NodeBinding, None, solver, limits, order, settings)
        mode = mode_of(match_rotation)
        self._set_up(leaf, chain_length, target, pole, mode, tip)

    def _set_up(
        self,
        leaf: p3d.NodePath,
        chain_length: int,
        target: p3d.NodePath | Goal | None,
        pole: p3d.NodePath | None,
        mode: OrientationMode,
        tip: Sequence[float] | None,
    ) -> None:
        nodes = self._bind(*collect_bones(leaf, chain_length))
        self._leaf, self._chain_length = leaf, chain_length
        limits = nodes.all_limits(self._given_limits)
        solver = self._make_solver(self._solver_name, nodes, limits)
        if target is None:
            target = make_target(leaf, nodes.root, check_tip(tip))
        end = Effector(self, nodes, leaf, target, mode, tip, pole=pole)
        self._binding, self._solver = nodes, solver
        self._limits = limits or NO_LIMITS
        self._effectors = (end,)
        self._check_solver(solver, self._solver_name)
        self._bound()

    def __repr__(self) -> str:
        status = self._result.status.name if self._result else "not solved yet"
        return f"<IKChain {self._leaf} chain_length={self.chain_length} {status}>"

    def _label(self) -> str:
        return str(self._leaf)

    # -- set-up ------------------------------------------------------------------------

    @property
    def leaf(self) -> p3d.NodePath:
        """The node that should reach the target; ``rebind()`` applies a new one."""
        return self._binding.shown(self._leaf)

    @leaf.setter
    def leaf(self, leaf: p3d.NodePath) -> None:
        self._leaf = node_in_scene(leaf, "leaf")

    @property
    def chain_length(self) -> int:
        """Number of bones; set at any time.

        Start poses stay as they were: bones that are dropped return to theirs, and
        those that are new have their current one. Limits wait for dropped bones to come
        back, and those by index stay with their bones. If the number does not fit the
        scene or the method, nothing changes.
        """
        return self._chain_length

    @chain_length.setter
    def chain_length(self, chain_length: int) -> None:
        # comparing an array gives several truths
        if is_whole(chain_length) and chain_length == self._chain_length:
            return
        if self.rig is not None:
            raise BindError(
                f"chain_length of {self._leaf.get_name()!r} is {self._chain_length}: "
                "ActorRig.chain chooses the joints of an Actor, so remove this chain "
                "and call ActorRig.chain again"
            )
        old = self._binding
        assert isinstance(old, NodeBinding)
        bones = collect_bones(self._leaf, chain_length)
        starts = old.start_states
        nodes = NodeBinding(*bones, starts)
        more = chain_length - self._chain_length
        given: dict[str | int, Limit] = {}
        spare: dict[str | int, Limit] = {}
        for key, limit in {**self._spare_limits, **self._given_limits}.items():
            if isinstance(key, str):
                there = key in nodes.model.names
            else:
                # from the leaf, which stays
                key = key if key < 0 else key - len(old.nodes)
                there = key >= -len(nodes.nodes)
                key += len(nodes.nodes) if there else 0
            (given if there else spare)[key] = limit
        shifts = {j + more: shift for j, shift in self._shifts().items()}
        now = NodeBinding(*bones).model.rotations
        start = self._start_target
        end = self._effectors[0]
        offset = p3d.LQuaternionf(*end.target_offset)
        self._rebind_to(nodes, [self._leaf], given)
        self._chain_length, self._spare_limits = chain_length, spare
        # those that were moved from outside stay
        rows = zip(old.nodes, old.states, strict=True)
        own = [node for node, state in rows if node.get_transform() == state]
        old.unstretch()
        for node in own:
            if node in nodes.nodes:
                nodes.states[nodes.nodes.index(node)] = node.get_transform()
            elif node in starts:
                node.set_transform(starts[node])
        slides = {j: shifts.get(j, 0.0) for j in nodes.slides}
        self._continue_from(RigState(now, (0.0, 0.0, 0.0), slides))
        # the target's start too, in the new root space
        space = old.root.get_transform(nodes.root)
        self._start_target = p3d.LPoint3f(space.get_mat().xform_point(start))
        end.target_offset = tuple(offset * read_rotation(space))

    @property
    def target(self) -> p3d.NodePath:
        """The node to reach. Set it to reach for a different one."""
        return self._effectors[0].target

    @target.setter
    def target(self, node: p3d.NodePath) -> None:
        self._effectors[0].target = node

    @property
    def reached(self) -> p3d.LPoint3f:
        """Where the tip is now, in root space: ``Effector.reached``.

        ``target.set_pos(chain.root, chain.reached)`` brings a target that is too far
        back to where it can be reached.
        """
        return self._effectors[0].reached

    match_rotation = MatchRotation()

    @property
    def tip(self) -> tuple[float, float, float]:
        """The point that reaches, from the leaf and in its own space."""
        return self._effectors[0].tip

    @tip.setter
    def tip(self, tip: Sequence[float]) -> None:
        self._effectors[0].tip = tip

    @property
    def pole(self) -> p3d.NodePath | None:
        """The node that the chain bends towards, or None."""
        return self._effectors[0].pole

    @pole.setter
    def pole(self, node: p3d.NodePath | None) -> None:
        self._effectors[0].pole = node

    def rebind(self) -> None:
        """Bind the nodes anew, with their current pose as the start pose.

        Needed after the hierarchy changed, or for a new start pose; moved or scaled
        bones are detected without it. Joints of an Actor are bound in the pose of the
        model file, whatever it plays. On an error the chain stays bound as it was.

        Raises:
            BindError: The chain does not fit the scene; names the node and the fix.
        """
        self._binding.unstretch()
        nodes = self._bind(*collect_bones(self._leaf, self._chain_length))
        self._rebind_to(nodes, [self._leaf], self._given_limits)

    def bend_to(self, side: Sequence[float]) -> None:
        """Set the side to which the bones bend where their start pose is straight.

        It holds until bones are bound anew, and on plain nodes until one is moved or
        scaled.

        Args:
            side: Direction in the space above the first bone; see ``ChainModel.bend``.

        Raises:
            ModelError: It is not a direction.
        """
        self._binding.model = self.model.with_bend(side)
        self._solver.set_rest_pose(self.model)

    def _bound(self) -> None:
        start = self._effectors[0]._target
        if start.is_empty():
            # a goal in numbers has no start
            start = self._leaf
        self._start_target = self._binding.relative(start).get_pos()
        super()._bound()

    # -- the pose, in numbers ----------------------------------------------------------

    @property
    def model(self) -> ChainModel:
        """The start pose in numbers, root space."""
        return _model(self._binding)

    @property
    def start_directions(self) -> Floats:
        """From each bone to the next, and from the leaf to the target, (n + 1, 3)."""
        model = self.model
        last = np.array(self._start_target) - model.positions[-1]
        return np.vstack([model.start_directions, last])

    @property
    def bone_lengths(self) -> Floats:
        """Length of each bone, (n) [units of root space]."""
        return self.model.bone_lengths

    @property
    def reach(self) -> float:
        """Sum of the bone lengths [units of root space]; slides add to it."""
        return self.model.reach

    @property
    def start_rotation_target(self) -> Floats:
        """Rotation of the target when it was bound, (4,) w x y z, root space."""
        return np.array(self._effectors[0].target_offset)

    @property
    def start_rotations(self) -> Floats:
        """Start rotation of each bone, (n + 1, 4) quaternions w x y z, root space."""
        return self.model.rotations

    @property
    def rotations(self) -> Floats:
        """Current rotation of each bone, (n + 1, 4) w x y z, root space."""
        return self._solver.rotations

    def _continue_from(self, state: RigState) -> None:
        """Pass the solver a pose to continue from; shifts only if nodes slide."""
        shifts = [state.shifts] if state.shifts else []
        self._solver.set_pose(state.rotations, *shifts)

    @property
    def _size(self) -> float:
        return self.reach

    def _make_solver(
        self, name: str, binding: PoseBinding, limits: dict[str | int, Limit]
    ) -> Solver:
        return make_solver(name, _model(binding), limits)

    # -- running -----------------------------------------------------------------------

    def _reconnect(self) -> None:
        self._idle_since = self._usual = None
        solver, nodes = self._solver, self._binding
        chain = solver if isinstance(solver, ChainSolver) else None
        own = chain is not None and type(chain).solve is ChainSolver.solve
        rotations = chain.start_rotations if chain is not None else None
        goal = nodes.goal(self._effectors[0], rotations)
        self._goals = (goal,)
        self._update = ChainUpdate(
            nodes,
            nodes.pose,
            goal,
            solver,
            chain.direct if chain is not None and own else None,
            chain._kernel if chain is not None else None,
        )

    def _solve(
        self,
        goal: Sequence[float],
        hint: Sequence[float] | None,
        rotation: Sequence[float] | None,
        origin: Sequence[float],
        dt: float,
    ) -> SolveResult:
        """Solve by a built-in or custom solver."""
        solver, settings = self._solver, self._settings
        weight = self._goals[0].weight
        if weight != 1.0:
            weight = settings.weight * min(max(weight, 0.0), 1.0)
            settings = settings.with_values(weight=weight)
        try:
            result = solver.solve(
                goal,
                pole=hint,
                root=origin,
                goal_rotation=rotation,
                settings=settings,
                dt=dt,
            )
        except Exception as error:
            # a custom solver must not end the frame for all rigs
            raise BindError(f"solver {self._solver_name!r} failed: {error!r}") from None
        if result.status is SolveStatus.INVALID_TARGET:
            where = f"(target {self.target}, pole {self.pole})"
            raise BindError(f"{result.detail} {where}")
        if not isinstance(solver, ChainSolver) and not all(
            map(isfinite, solver.local_buffer)
        ):
            raise BindError(
                f"solver {self._solver_name!r} returned a pose that is not finite"
            )
        return result

    def _result_at_zero_weight(
        self, result: SolveResult, goal: Sequence[float]
    ) -> SolveResult:
        """Return the result at weight 0, where bones keep a pose set from outside."""
        gap = self._gap(self._effectors[0], goal)
        return result._replace(error=gap, blocked_by=())

    def _write(self, result: SolveResult) -> None:
        self._binding.write(
            self._solver.local_buffer, result.lengthening, self._shifts()
        )

    def _start_rotations(self) -> list[Sequence[float] | None] | None:
        """Return the leaf's start rotation; None: a custom solver has it."""
        solver = self._solver
        if not isinstance(solver, ChainSolver):
            return None
        return [solver.start_rotations[-4:]]


def _model(nodes: PoseBinding) -> ChainModel:
    model = nodes.model
    assert isinstance(model, ChainModel)
    return model
