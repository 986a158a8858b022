"""BFGS: a quasi-Newton method that estimates the curvature from its own steps."""

from __future__ import annotations

import numpy as np

from ..math3d.quaternion import Floats
from .base import ChainSolver
from .descent import line_search
from .joint_space import JointSpace, Linearization
from .settings import SolveSettings


class BfgsSolver(ChainSolver):
    """Broyden, Fletcher, Goldfarb & Shanno's method (1970), on analytic gradients.

    The inverse of the curvature starts as the Jacobian's along the first step and is
    updated after each one (Nocedal & Wright, Numerical Optimization, eq. 6.17).
    """

    in_joint_space = True

    @staticmethod
    def iterate(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        """Take quasi-Newton steps."""
        return line_search(space, settings, tolerance, _Curvature())


class _Curvature:
    """One descent's estimate of the inverse Hessian, (m, m)."""

    def __init__(self) -> None:
        self._inverse: Floats
        self._gradient: Floats

    def __call__(self, slope: Linearization, last: Floats | None) -> Floats:
        gradient, free = slope.gradient, slope.free
        if last is None:
            self._inverse = slope.best_fraction(gradient) * np.eye(len(gradient))
        else:
            change = gradient - self._gradient
            bend = float(last @ change)
            # a step along which the slope did not rise shows no curvature
            if bend > 1e-12 * np.linalg.norm(last) * np.linalg.norm(change):
                shear = np.eye(len(last)) - np.outer(last, change) / bend
                self._inverse = shear @ self._inverse @ shear.T
                self._inverse += np.outer(last, last) / bend
        self._gradient = gradient
        direction = -(self._inverse * np.outer(free, free)) @ gradient
        if direction @ gradient < 0.0:
            return direction
        downhill = np.where(free, -gradient, 0.0)
        return slope.best_fraction(downhill) * downhill
