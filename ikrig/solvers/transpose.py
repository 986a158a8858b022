"""Jacobian transpose: each joint turns in proportion to its effect."""

from __future__ import annotations

import numpy as np

from ..math3d.quaternion import Floats
from .base import ChainSolver
from .descent import line_search
from .joint_space import JointSpace, Linearization
from .settings import SolveSettings


class TransposeSolver(ChainSolver):
    """Jacobian transpose (Wolovich & Elliott 1984; Balestrino et al. 1984).

    ``Δθ = α Jᵀ Δe`` where α closes as much of the gap as a step in that direction can
    (Buss 2004, eq. 8), times the setting ``step_size``. Nothing is inverted, so no
    pose is singular; it is steepest descent, and as slow.
    """

    in_joint_space = True

    @staticmethod
    def iterate(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        """Take the transpose's steps."""

        def choose(slope: Linearization, last: Floats | None) -> Floats:
            step = np.where(slope.free, -slope.gradient, 0.0)
            return settings.step_size * slope.best_fraction(step) * step

        return line_search(space, settings, tolerance, choose)
