"""Pseudoinverse: the smallest step of the joints that closes the gap linearly."""

from __future__ import annotations

import numpy as np

from ..math3d.quaternion import Floats
from .base import ChainSolver
from .descent import line_search
from .joint_space import JointSpace, Linearization
from .settings import SolveSettings

SMALL = 1e-3
"""Singular values below this fraction of the largest count as zero: near a singular
pose their inverse would give wild steps."""
LEAST = 1e-150
"""And so do these, whatever the largest: a gap divided by less may overflow."""


class PinvSolver(ChainSolver):
    """Jacobian pseudoinverse by singular value decomposition (Whitney 1969).

    ``Δθ = α V Σ⁻¹ Uᵀ Δe`` with the setting ``step_size`` for α: small is slow and
    smooth, 1 is fast. Joints that the step would push through a limit stay at it, and
    the others make up for them.
    """

    in_joint_space = True

    @staticmethod
    def iterate(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        """Take the pseudoinverse's steps."""

        def choose(slope: Linearization, last: Floats | None) -> Floats:
            return pseudoinverse_step(slope, settings.step_size)

        return line_search(space, settings, tolerance, choose)


def pseudoinverse_step(slope: Linearization, fraction: float) -> Floats:
    free = slope.free
    step = np.zeros(len(slope.gradient))
    for _ in range(4):
        # the part of the gap that remains for the joints still free
        rest = fraction * slope.residual - slope.jacobian @ np.where(free, 0.0, step)
        u, sizes, v = np.linalg.svd(slope.jacobian * free, full_matrices=False)
        kept = sizes > max(SMALL * sizes.max(initial=0.0), LEAST)
        moved = v[kept].T @ ((u[:, kept].T @ rest) / sizes[kept])
        step = np.where(free, np.clip(moved, slope.low, slope.high), step)
        through = free & (step != moved)
        if not through.any():
            break
        free = free & ~through
    return step
