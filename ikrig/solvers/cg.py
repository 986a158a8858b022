"""Conjugate gradient: steepest descent with a memory of its last direction."""

from __future__ import annotations

import numpy as np

from ..math3d.quaternion import Floats
from .base import ChainSolver
from .descent import line_search
from .joint_space import JointSpace, Linearization
from .settings import SolveSettings


class CgSolver(ChainSolver):
    """Nonlinear conjugate gradient (Polak & Ribière 1969), on analytic gradients.

    Each direction is the gradient's, bent so as not to undo the last step. The step
    length is the Jacobian's best, halved while that leads uphill.
    """

    in_joint_space = True

    @staticmethod
    def iterate(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        """Take conjugate steps, with a restart where they no longer lead downhill."""
        return line_search(space, settings, tolerance, _Directions())


class _Directions:
    """The directions of one descent."""

    def __init__(self) -> None:
        self._last: tuple[Floats, Floats] | None = None
        """Gradient and direction of the last step."""

    def __call__(self, slope: Linearization, last: Floats | None) -> Floats:
        gradient = np.where(slope.free, slope.gradient, 0.0)
        direction = -gradient
        if self._last is not None:
            old, last_direction = self._last
            keep = max(0.0, float(gradient @ (gradient - old)) / float(old @ old))
            bent = np.where(slope.free, direction + keep * last_direction, 0.0)
            if bent @ gradient < 0.0:
                direction = bent
        self._last = gradient, direction
        return slope.best_fraction(direction) * direction
