"""The registered methods, by what they can move."""

from __future__ import annotations

from ikrig.solvers import solver_names

CHAIN_METHODS = tuple(n for n in solver_names() if n not in ("learned", "six_axis"))
"""Those for chains, but for arms of one kind; "two_bone" needs two bones."""
METHODS = tuple(name for name in CHAIN_METHODS if name != "two_bone")
"""Those for chains and trees of any kind."""
