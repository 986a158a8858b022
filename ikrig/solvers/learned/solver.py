"""LearnedSolver: a network guesses the initial pose for damped least squares."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...errors import ModelError, name_list
from ...math3d.quaternion import to_matrix
from ..base import ChainSolver
from ..joint_space import JointSpace
from ..settings import SolveSettings
from .franka_network import ARM
from .network import Network

ANY_TURN = np.zeros(9)


class LearnedSolver(ChainSolver):
    """Damped least squares from the pose that a network guesses.

    For one chain only, which ``network`` describes: an arm with the sizes and limits of
    a Franka Panda, all angles 0 in the start pose, at any scale and rotation. While a
    goal moves slowly the last pose is the better guess, and the network is not used.

    Measured by python -m tests.bench.learned, on 1000 reachable goals in random order,
    each from the start pose: within ten iterations, the default, it reaches 92 % of
    full poses and 99.7 % of positions (``dls``: 64 and 97.5), and within 100 all, in a
    median of 4 iterations (12). But the network takes as long as ten compiled
    iterations or more, so a solve gets slower, by 15 to 50 µs: there, ``dls`` with more
    iterations is better. Where the kernels run as Python iterations are expensive, and
    full poses take a fifth of the time.

    Raises:
        ModelError: The chain is not the learned one, rotated and scaled as a whole.
    """

    in_joint_space = True
    needs_polish = False
    network: ClassVar[Network] = ARM
    """The trained network. For a different chain, make a subclass with its network."""

    @classmethod
    def check(cls, space: JointSpace) -> None:
        space.prepared = cls._fitted(space)

    @classmethod
    def _fitted(cls, space: JointSpace) -> list[Any]:
        model, n = space.model, len(space.model.parents)
        ends = [model.names[j] for j in space.buffers["effector"]]
        if len(ends) != 1 or list(model.parents) != list(range(-1, n - 1)):
            raise ModelError(
                "'learned' can't guess for several effectors or joints beside those "
                f"in a row, as for {name_list(ends)}: use 'dls'"
            )
        return cls.network.fit(model, dict(space.limits.items()))

    # not static as elsewhere: the network is the class's
    @classmethod
    def iterate(
        cls, space: JointSpace, settings: SolveSettings, tolerance: float
    ) -> int:
        # a slow goal is followed: a guess could snap to a different pose
        if not space.tracking:
            cls.move_to_guess(space)
        return space.search(settings, tolerance)

    @classmethod
    def move_to_guess(cls, space: JointSpace) -> None:
        """Move to the network's best answer, if it is better than the current pose."""
        if space.prepared is None:
            try:
                space.prepared = cls._fitted(space)
            except ModelError:
                # a bone was moved: other lengths are solved without a guess
                space.prepared = []
        if not space.prepared:
            return
        kernel, buffers = space.kernel, space.buffers
        position = [value / kernel.scale for value in buffers["goal"]]
        rotation = ANY_TURN
        if buffers["weights"][1]:
            rotation = to_matrix(buffers["goal_rot"]).ravel()
        inputs = np.array((*position, *rotation), np.float32)
        # one coordinate for each hinge
        steps = cls.network.guess(space.prepared, inputs) - buffers["value"]
        kernel.keep()
        least, best = kernel.measure(), None
        for step in steps:
            cost = space.move(step)
            kernel.restore()
            if cost < least:
                least, best = cost, step
        if best is not None:
            space.move(best)
