"""FABRIK: forward and backward reaching inverse kinematics."""

from __future__ import annotations

from ..kernels.fabrik_sweep import FabrikKernel
from .base import ChainSolver
from .joint_space import JointSpace
from .settings import SolveSettings


class FabrikSolver(ChainSolver):
    """FABRIK (Aristidou & Lasenby 2011) with an exact finish.

    Each iteration is a pass from the goal to the root and one back. Alone these slow
    down towards full reach, where they need thousands; so whatever gap they leave is
    closed by a small common lean of the bones, which a few Newton steps in three
    unknowns find for any number of bones (see ``kernels/lean.py``). With a pole the
    start is an arc in its plane, and the lean alone takes the tip to the goal: passes
    would break the arc.

    With limits both passes carry the turns of the bones and keep every joint inside its
    limits; what is left then is closed by damped least squares, which keeps them too.
    While the goal creeps on from the last frame's, that alone carries the pose along:
    passes between limits would jerk.
    """

    kernel_type = FabrikKernel
    stateless = True

    @staticmethod
    def iterate(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        """Sweep back and forth, inside the limits (``kernels/sweeps.py``)."""
        if space.goal_continuous:
            return space.search(settings, tolerance)
        used: int = space.kernel.sweep_fabrik(
            settings.iterations, tolerance, settings.orientation_tolerance
        )
        return used
