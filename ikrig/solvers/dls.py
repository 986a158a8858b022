"""Damped least squares: Levenberg-Marquardt with bounds and restarts."""

from __future__ import annotations

from .base import ChainSolver


class DlsSolver(ChainSolver):
    """Damped least squares (Wampler 1986; Levenberg-Marquardt as Sugihara 2011).

    Each iteration takes the damped step that is best for the Jacobian inside the
    limits. Trapped away from the goal, the descent restarts elsewhere while iterations
    are left; the restarts are the same in every run.
    """

    in_joint_space = True
    needs_polish = False
