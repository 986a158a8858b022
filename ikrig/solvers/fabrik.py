"""FABRIK: forward and backward reaching inverse kinematics."""

from __future__ import annotations

from ..kernels.fabrik import FabrikKernel
from .base import ChainSolver

__all__ = ["FabrikSolver"]


class FabrikSolver(ChainSolver):
    """FABRIK (Aristidou & Lasenby 2011) with an exact finish.

    Each iteration is a pass from the goal to the root and one back. Alone these slow
    down towards full reach, where they need thousands; so whatever gap they leave is
    closed by the smallest common lean of the bones, a convex problem in three unknowns
    for any number of bones (see ``kernels/lean.py``).
    """

    kernel_type = FabrikKernel
