"""Damped least squares: Levenberg-Marquardt with bounds and restarts."""

from __future__ import annotations

from .base import ChainSolver


class DlsSolver(ChainSolver):
    """Damped least squares (Wampler 1986; Levenberg-Marquardt as Sugihara 2011).

    Each iteration takes the step that is best for the Jacobian under damping and inside
    the limits. Trapped away from the goal, it starts again elsewhere while iterations
    are left; the same goal always gives the same pose.
    """

    in_joint_space = True
    needs_polish = False
