"""IKChain: attach it to a leaf node, and the bones above it reach for a target."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any, Generic, Literal, TypeVar, overload

import numpy as np
import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify
from direct.showbase.MessengerGlobal import messenger

from ..errors import BindError, ModelError
from ..model import ChainModel
from ..solvers import FabrikSolver, SolveResult, SolveSettings, SolveStatus
from ..spatial import Floats
from .system import IKSystem
from .transforms import collect_bones, local_turns, measure, read_turn, same_scene

__all__ = ["IKChain"]

T = TypeVar("T")


class _Setting(Generic[T]):
    """A field of the chain's settings that reads and writes like a plain attribute."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, chain: None, owner: type) -> _Setting[T]: ...

    @overload
    def __get__(self, chain: IKChain, owner: type) -> T: ...

    def __get__(self, chain: IKChain | None, owner: type) -> Any:
        return self if chain is None else getattr(chain.settings, self.name)

    def __set__(self, chain: IKChain, value: T) -> None:
        change: dict[str, Any] = {self.name: value}
        chain.settings = replace(chain.settings, **change)


class IKChain:
    """Inverse kinematics for a leaf node and the ``chain_length`` bones above it.

    Each frame the bones turn so that the leaf reaches the target, and bend towards the
    pole when there is one. Bones are ordinary nodes: whatever hangs below them follows.

        hand_ik = ikrig.IKChain(hand, chain_length=2, target=ball, pole=elbow_hint)
        hand_ik.start()

    Everything is solved in root space, the coordinate system of the node above the
    first bone, so that node may be moved, turned, mirrored and scaled in any way.

    Args:
        leaf: The node that should reach the target: a hand, a foot, a tool.
        chain_length: Number of bones, which is how many parents to walk up.
        target: Node to reach. Default: a new node at the leaf, named "<leaf> Target".
        pole: Node that elbow or knee points to. Default: none.
        iterations: Most iterations a frame.
        tolerance: How near the leaf must come [units of root space]. None: a thousandth
            of the reach.
        weight: 0 leaves the start pose, 1 is full IK, between is a blend.
        soften: Last part of the reach in which the chain eases straight, 0 to 0.99.
        snap_back_strength: 1: the pose depends only on where target and pole are. 0:
            the chain starts from its last pose, and keeps bends it was pulled into.
        stretch: How much longer the bones may become to reach; 0.1 is 10 %.
        max_step: Most turn of a joint against its parent [rad/s]. None: no limit.
        twist_spread: Share of the leaf's roll that the bones take up gradually, 0 to 1.
        roll_from: "start": bones roll least against their start pose. "parent": against
            the bone before them; for chains that swing all round.
        match_rotation: Whether the leaf turns as the target does.
        order: Rigs with a lower order are solved first in a frame.

    Raises:
        BindError: The chain does not fit the scene; names the node and the fix.
        SettingError: A setting is out of range.
    """

    iterations = _Setting[int]()
    tolerance = _Setting["float | None"]()
    weight = _Setting[float]()
    soften = _Setting[float]()
    snap_back_strength = _Setting[float]()
    stretch = _Setting[float]()
    max_step = _Setting["float | None"]()
    twist_spread = _Setting[float]()
    roll_from = _Setting[Literal["start", "parent"]]()

    def __init__(
        self,
        leaf: p3d.NodePath,
        chain_length: int = 2,
        target: p3d.NodePath | None = None,
        pole: p3d.NodePath | None = None,
        *,
        iterations: int = 10,
        tolerance: float | None = None,
        weight: float = 1.0,
        soften: float = 0.0,
        snap_back_strength: float = 1.0,
        stretch: float = 0.0,
        max_step: float | None = None,
        twist_spread: float = 0.0,
        roll_from: Literal["start", "parent"] = "start",
        match_rotation: bool = True,
        order: int = 0,
    ) -> None:
        self.settings = SolveSettings(
            iterations=iterations,
            tolerance=tolerance,
            weight=weight,
            soften=soften,
            snap_back_strength=snap_back_strength,
            stretch=stretch,
            max_step=max_step,
            twist_spread=twist_spread,
            roll_from=roll_from,
        )
        self.match_rotation = match_rotation
        self.order = order
        self.leaf = leaf
        self.chain_length = chain_length
        self.result: SolveResult | None = None
        self._system: IKSystem | None = None
        self._pole: p3d.NodePath | None = None
        self.bones = collect_bones(leaf, chain_length)
        self.root = self.bones[0].get_parent()
        if target is None:
            parent = self.root if not self.root.is_empty() else p3d.NodePath("world")
            target = parent.attach_new_node(f"{leaf.get_name()} Target")
            target.set_pos_quat(
                self.root, leaf.get_pos(self.root), leaf.get_quat(self.root)
            )
        self.target = target
        self.pole = pole
        self.rebind()

    def __repr__(self) -> str:
        """Say which chain this is and how it does."""
        status = self.result.status.name if self.result else "not solved yet"
        return f"<IKChain {self.leaf} chain_length={self.chain_length} {status}>"

    # -- set-up ------------------------------------------------------------------------

    @property
    def target(self) -> p3d.NodePath:
        """The node to reach. Set it to reach for another one."""
        return self._target

    @target.setter
    def target(self, node: p3d.NodePath) -> None:
        self._target = self._checked(node, "target")

    @property
    def pole(self) -> p3d.NodePath | None:
        """The node that the chain bends towards, or None."""
        return self._pole

    @pole.setter
    def pole(self, node: p3d.NodePath | None) -> None:
        self._pole = None if node is None else self._checked(node, "pole")

    def _checked(self, node: p3d.NodePath, what: str) -> p3d.NodePath:
        if not isinstance(node, p3d.NodePath) or node.is_empty():
            raise BindError(f"{what} must be a NodePath in a scene, not {node!r}")
        if not self.root.is_empty() and not same_scene(node, self.root):
            raise BindError(
                f"{what} {node} is not in the scene of leaf {self.leaf}: reparent it "
                "to a node below the same top node"
            )
        if node == self.bones[0] or self.bones[0].is_ancestor_of(node):
            raise BindError(
                f"{what} {node} hangs on the chain's own bone {self.bones[0]} and "
                "would run away from it: reparent it to a node outside the chain"
            )
        return node

    def rebind(self) -> None:
        """Take the nodes as they are now for the start pose.

        Needed after the hierarchy changed, or for a new start pose. A bone that is only
        moved or scaled is noticed by itself.

        Raises:
            BindError: The chain does not fit the scene; names the node and the fix.
        """
        self.bones = collect_bones(self.leaf, self.chain_length)
        self.root = self.bones[0].get_parent()
        self._turns = local_turns(self.bones)
        start = read_turn(self.target.get_transform(self.root))
        start.normalize()
        self._target_start = start
        start = p3d.LQuaternionf(start)
        start.invert_in_place()
        self._target_inverse = start
        w, x, y, z = self._target_start
        self.start_rotation_target: Floats = np.array([w, x, y, z])
        self._measure()

    def _measure(self) -> None:
        """Measure the bones in their start rotations; keep what a frame needs."""
        try:
            self.model: ChainModel = measure(self.bones, self._turns)
        except ModelError as error:
            raise BindError(f"leaf {self.leaf}: {error}") from None
        self._solver = FabrikSolver(self.model)
        self._places = [bone.get_pos() for bone in self.bones]
        self._scales = [bone.get_scale() for bone in self.bones]
        self._lengthening = 1.0
        self._states = [bone.get_transform() for bone in self.bones]
        self._inputs: Any = None
        leaf_to_target = (
            np.array(self.target.get_pos(self.root)) - self.model.positions[-1]
        )
        self.start_directions: Floats = np.vstack(
            [self.model.start_directions, leaf_to_target]
        )

    @property
    def bone_lengths(self) -> Floats:
        """Length of each bone, (n) [units of root space]."""
        return self.model.bone_lengths

    @property
    def reach(self) -> float:
        """Sum of the bone lengths [units of root space]."""
        return self.model.reach

    @property
    def start_rotations(self) -> Floats:
        """Start rotation of each bone, (n + 1, 4) quaternions w x y z, root space."""
        return self.model.rotations

    # -- running -----------------------------------------------------------------------

    def start(self, task_mgr: Any = None) -> IKChain:
        """Solve every frame from now on; returns the chain.

        Args:
            task_mgr: Task manager to run in. Default: the running ShowBase's.
        """
        system = IKSystem.of(task_mgr)
        if self._system is not None and self._system is not system:
            self.stop()
        self._system = system
        system.add(self)
        return self

    def stop(self) -> None:
        """Leave the bones as they are from now on; no error when not started."""
        if self._system is not None:
            self._system.remove(self)
            self._system = None

    def solve(self) -> SolveResult:
        """Solve one frame now and return how it went. Never raises."""
        return self.update(p3d.ClockObject.get_global_clock().get_dt())

    def update(self, dt: float) -> SolveResult:
        """Solve one frame of dt seconds and return how it went. Never raises.

        When the status changes, ``messenger`` sends "ikrig-status" with the chain and
        the result, and a status that is bad news is logged once (category ``ikrig``).
        """
        try:
            result = self._frame(dt)
        except AssertionError as error:
            # Panda3D's answer to numbers it can't work with, such as a scale of zero
            result = _invalid(f"Panda3D refused a transform: {error}")
        before = self.result
        self.result = result
        if before is None or before.status is not result.status:
            if result.status is SolveStatus.INVALID_TARGET:
                directNotify.newCategory("ikrig").warning(
                    f"{self.leaf}: {result.detail}; the pose stays as it was"
                )
            messenger.send("ikrig-status", [self, result])
        return result

    def _frame(self, dt: float) -> SolveResult:
        """Gather, solve, scatter."""
        bones, root = self.bones, self.root
        # has anybody else touched the bones?
        touched = False
        above = root
        for bone, state in zip(bones, self._states, strict=True):
            if bone.get_parent() != above:
                return _invalid(
                    f"bone {bone.get_name()!r} is no longer a child of "
                    f"{above.get_name()!r}: call rebind()"
                )
            if bone.get_transform() != state:
                touched = True
            above = bone
        if touched:
            problem = self._remeasure()
            if problem:
                return _invalid(problem)
        # read target and pole in root space
        target, pole = self._target, self._pole
        if not same_scene(target, root):
            return _invalid("the target was removed from the scene")
        state = target.get_transform(root)
        if state.is_invalid():
            return _invalid(
                "root space has no size: a node above the chain is scaled to 0"
            )
        goal = tuple(state.get_pos())
        turn = None
        if self.match_rotation:
            # rows first: start⁻¹, then now
            q = self._target_inverse * read_turn(state)
            turn = tuple(q)
        hint = None
        if pole is not None:
            if not same_scene(pole, root):
                return _invalid("the pole was removed from the scene")
            hint = tuple(pole.get_pos(root))
        origin = tuple(bones[0].get_pos())
        # nothing new: the pose on screen is the answer already
        inputs = (goal, hint, turn, origin, self.settings)
        result = self.result
        if (
            result is not None
            and result.status in (SolveStatus.CONVERGED, SolveStatus.UNREACHABLE)
            and inputs == self._inputs
            and not touched
        ):
            return result
        result = self._solver.solve(
            goal, pole=hint, root=origin, tip_turn=turn, settings=self.settings, dt=dt
        )
        if result.status is SolveStatus.INVALID_TARGET:
            return result
        self._inputs = inputs
        self._scatter(result.lengthening)
        return result

    def _scatter(self, lengthening: float) -> None:
        """Write the solver's local rotations, where they differ from the nodes'."""
        local, states = self._solver.local_buffer, self._states
        make = p3d.LQuaternionf
        i = 0
        for j, bone in enumerate(self.bones):
            bone.set_quat(make(local[i], local[i + 1], local[i + 2], local[i + 3]))
            i += 4
            states[j] = bone.get_transform()
        if lengthening != self._lengthening:
            self._lengthening = lengthening
            for j in range(1, len(self.bones)):
                self.bones[j].set_pos(self._places[j] * lengthening)
                states[j] = self.bones[j].get_transform()

    def _remeasure(self) -> str:
        """Take over bones that were moved or scaled; return what can't be solved."""
        bones = self.bones
        moved = any(
            bone.get_scale() != scale
            or (i > 0 and bone.get_pos() != place * self._lengthening)
            for i, (bone, place, scale) in enumerate(
                zip(bones, self._places, self._scales, strict=True)
            )
        )
        if moved:
            # undo the stretch of the others, or it would become their length
            for bone, place in zip(bones[1:], self._places[1:], strict=True):
                if bone.get_pos() == place * self._lengthening:
                    bone.set_pos(place)
            try:
                self._measure()
            except BindError as error:
                return str(error)
        return ""


def _invalid(detail: str) -> SolveResult:
    return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, 1.0, detail)
