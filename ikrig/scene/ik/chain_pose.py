"""ChainPose: the start pose and the current pose of a chain, in numbers."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d

from ...math3d.quaternion import Floats
from ...model.limits import Limit
from ...model.skeleton import ChainModel
from ...solvers import Solver, make_solver
from .bound_bones import RigState
from .component import IKComponent
from .pose_binding import PoseBinding


class ChainPose(IKComponent):
    """A chain's model, its solver and its current pose."""

    __slots__ = ("_start_target",)

    _solver: Solver
    _start_target: p3d.LPoint3f

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
        """Length of the bones to the farthest effector [units of root space]."""
        return self.reach

    def _make_solver(
        self, name: str, binding: PoseBinding, limits: dict[str | int, Limit]
    ) -> Solver:
        """Return a solver for the bones of a binding."""
        return make_solver(name, _model(binding), limits)


def _model(nodes: PoseBinding) -> ChainModel:
    model = nodes.model
    assert isinstance(model, ChainModel)
    return model
