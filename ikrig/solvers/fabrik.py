"""FABRIK: forward and backward reaching inverse kinematics."""

from __future__ import annotations

from ..kernels.fabrik_sweep import FabrikKernel
from .base import ChainSolver
from .joint_space import JointSpace
from .settings import SolveSettings


class FabrikSolver(ChainSolver):
    """FABRIK (Aristidou & Lasenby 2011) with an exact finish.

    Each iteration is a pass from the goal to the root and one back. Towards full reach
    these alone would need thousands; so the gap that they leave is closed by a small
    common lean of the bones, which a few Newton steps in three unknowns find for any
    number of bones (kernel ``gap_closing``). With a pole the solve starts from an arc
    in its plane, and the lean alone moves the tip to the goal: passes would break the
    arc.

    With limits both passes carry the rotations of the bones and keep every joint inside
    its limits; damped least squares, which keeps them too, closes the remaining gap.
    While the goal moves slowly from frame to frame, that alone moves the pose: passes
    between limits would jerk.
    """

    kernel_type = FabrikKernel

    @staticmethod
    def iterate(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        """Sweep back and forth, inside the limits (``limited_sweeps``)."""
        return space.sweep(settings, tolerance, by_joint=False)
