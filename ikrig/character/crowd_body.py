"""BatchBody: whole bodies of a crowd's members, which follow a few handles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..kernels.crowd_body import CrowdBody
from ..math3d.quaternion import Floats
from ..model.pose import Pose
from ..solvers.body import BodyModel, BodySolver
from .crowd_layer import Kernels, Link, Place
from .flat import flat


class BatchHandle(NamedTuple):
    """What one handle of all bodies reaches for.

    Args:
        targets: Its places, (n, 3), in the space of the crowd.
        weights: From 0 to 1, (n,).
    """

    targets: Floats
    weights: Floats


class BatchBody:
    """Whole bodies of all members, which follow a few handles.

    Args:
        count: Number of members.
        pose: A pose of the character.
        model: The body.
        factors: How much more easily joints turn than the model's, by name.
        lock: The handle that wins where not all can be reached, or None.
        trunk: Handles that say how hips go, if they are led.
    """

    def __init__(
        self,
        count: int,
        pose: Pose,
        model: BodyModel,
        factors: Mapping[str, float],
        lock: str | None,
        trunk: Sequence[str],
    ) -> None:
        self._model, self._factors, self._lock = model, factors, lock
        ends = list(model.ends)
        self._targets = np.zeros((len(ends), count, 3))
        self._parts = np.zeros((len(ends), count))
        pairs = zip(self._targets, self._parts, strict=True)
        self.handles = {x: BatchHandle(*y) for x, y in zip(ends, pairs, strict=True)}
        """What handles reach for, by their names."""
        self.pinned = np.zeros(len(ends), np.intc)
        """Which of them stay where they are animated while they have no weight."""
        self.weights = np.ones(count)
        self._arms = np.array([x in model.crouching for x in ends], np.intc)
        self._trunk = np.array([x in trunk for x in ends], np.intc)
        made = self._on(pose)
        self.joints = [joint for joint in made.places if joint]
        """The joints that it moves."""
        self.states = np.zeros((count, made.kernel.size_of_state + 1))
        """What the body of each member keeps from frame to frame."""

    def _on(self, pose: Pose) -> BodySolver:
        solver = BodySolver(pose, self._model)
        solver.ease(self._factors)
        if self._lock is not None:
            solver.kernel.lock = solver.goals[self._lock]
        return solver

    def make(self, on: Link) -> Kernels:
        """Return a new kernel."""
        solver, ends = self._on(on.pose), self._model.ends
        hips = solver.goals["hips"] if self._model.crouching else -1
        found = [on.foot_at(joint) for joint in ends.values()]
        arrays = {
            "targets": self._targets,
            "parts": self._parts,
            "weights": self.weights,
            "states": self.states,
            "pinned": self.pinned,
            "arms": self._arms,
            "trunk": self._trunk,
            "feet": np.array(found, np.intc),
            "grounded": self.weights if on.feet is None else on.feet.weights,
        }
        buffers = {name: flat(x) for name, x in arrays.items()}
        buffers |= {"numbers": solver.numbers, "placed": on.goals.numbers}
        return [(Place.BODY, CrowdBody(on.crowd, solver.kernel, hips, buffers))]
