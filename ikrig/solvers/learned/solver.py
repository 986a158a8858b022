"""LearnedSolver: a network guesses the initial pose for damped least squares."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...errors import ModelError
from ...model.limits import LimitsByJoint, copy_limits
from ...model.skeleton import ChainModel
from ..base import ChainSolver, chain_model
from ..joint_space import JointSpace
from ..settings import SolveSettings
from .franka_network import ARM
from .network import Network

ANY_TURN = (0.0,) * 9


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
    multi_effector = False
    network: ClassVar[Network] = ARM
    """The trained network. For a different chain, make a subclass with its network."""

    def __init__(self, model: ChainModel, limits: LimitsByJoint | None = None) -> None:
        self._limits = copy_limits(limits)
        # here a different chain is an error; when bones move later it is not
        self.network.fit(chain_model(model), self._limits)
        super().__init__(model, limits)

    def set_rest_pose(self, model: ChainModel) -> None:
        """Set a start pose with as many bones; keep the pose of the last frame.

        If its bones differ from the learned ones, it is solved without a guess.

        Raises:
            ModelError: The number of bones differs.
        """
        super().set_rest_pose(model)
        try:
            self._layers = self.network.fit(model, self._limits)
        except ModelError:
            self._layers = []

    # not static as elsewhere, as the layers are this chain's: hence no trees
    def iterate(  # type: ignore[override]
        self, space: JointSpace, settings: SolveSettings, tolerance: float
    ) -> int:
        """Descend from the best of the current pose and the network's answers."""
        # a slow goal is followed: a guess could snap to a different pose
        if self._layers and not space.tracking:
            self.move_to_guess(space)
        return space.search(settings, tolerance)

    def move_to_guess(self, space: JointSpace) -> None:
        """Move to the network's best answer, if it is better than the current pose."""
        kernel, buffers = space.kernel, space.buffers
        position = [value / kernel.scale for value in buffers["goal"]]
        rotation = _matrix(*buffers["goal_rot"]) if buffers["weights"][1] else ANY_TURN
        inputs = np.array((*position, *rotation), np.float32)
        # one coordinate for each hinge
        steps = self.network.guess(self._layers, inputs) - buffers["value"]
        kernel.keep()
        least, best = kernel.measure(), None
        for step in steps:
            cost = space.move(step)
            kernel.restore()
            if cost < least:
                least, best = cost, step
        if best is not None:
            space.move(best)


def _matrix(w: float, x: float, y: float, z: float) -> tuple[float, ...]:
    """Return the rotation matrix of a quaternion of any length, row by row."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        *(1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        *(s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)),
        *(s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)),
    )
