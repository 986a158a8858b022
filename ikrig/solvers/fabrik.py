"""FABRIK: forward and backward reaching inverse kinematics."""

from __future__ import annotations

from ..kernels.fabrik import FabrikKernel
from .base import ChainSolver

__all__ = ["FabrikSolver"]


class FabrikSolver(ChainSolver):
    """FABRIK (Aristidou & Lasenby 2011) with an exact finish.

    Each iteration is a pass from the goal to the root and one back. Alone these slow
    down towards full reach, where they need thousands; so whatever gap they leave is
    closed by common leans of the bones, Newton steps in three unknowns for any number
    of bones (see ``kernels/lean.py``). With a pole there are no passes: they would
    break the arc that the chain is laid in, and restoring it would make joints jump.
    """

    kernel_type = FabrikKernel
