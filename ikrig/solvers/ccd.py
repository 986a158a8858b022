"""CCD: cyclic coordinate descent."""

from __future__ import annotations

from ..kernels.ccd_sweep import CcdKernel
from .base import ChainSolver
from .joint_space import JointSpace
from .settings import SolveSettings


class CcdSolver(ChainSolver):
    """Cyclic coordinate descent (Wang & Chen 1991).

    Each iteration rotates one joint after another, from the last to the first, so that
    the tip points at the goal; a joint of a tree brings all tips that it moves as near
    as it can. The remaining gap is closed as in ``FabrikSolver``, and
    with limits a slow goal is followed as there.
    """

    kernel_type = CcdKernel

    @staticmethod
    def iterate(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        """Rotate joint after joint, inside the limits (``limited_sweeps``)."""
        return space.sweep(settings, tolerance, by_joint=True)
