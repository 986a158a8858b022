"""Two bones in closed form: the law of cosines."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError
from ..model.limits import LimitsByJoint
from ..model.skeleton import ChainModel
from .base import ChainSolver, chain_model
from .joint_space import JointSpace
from .settings import SolveSettings

SHORT = 1e-6
"""Fraction of the size below which joints are at one position."""


class TwoBoneSolver(ChainSolver):
    """A limb of two bones, in closed form and without iterations.

    With limits damped least squares starts from the closed form, and so it does on
    trees, whose effectors are each moved by two bones that move no other.

    Raises:
        ModelError: The chain does not have two bones.
    """

    def __init__(self, model: ChainModel, limits: LimitsByJoint | None = None) -> None:
        if chain_model(model).bone_count != 2:
            raise ModelError(
                f"two_bone solves chains of 2 bones, not of {model.bone_count} "
                f"({', '.join(model.names)}): use chain_length=2, or 'fabrik'"
            )
        super().__init__(model, limits)

    @classmethod
    def check(cls, space: JointSpace) -> None:
        """Find the limbs.

        Raises:
            ModelError: An effector is not moved by two bones of its own.
        """
        space.prepared = _limbs(space)

    @staticmethod
    def iterate(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        """Bend each limb as far as its goal is, and descend from there."""
        if not space.goal_continuous:
            for e, first, middle in space.prepared or _limbs(space):
                space.sweeps.set_two_bones(e, first, middle)
        return space.search(settings, tolerance)


def _limbs(space: JointSpace) -> list[tuple[int, int, int]]:
    model, buffers = space.model, space.buffers
    lengths = np.linalg.norm(model.offsets, axis=1)
    found = []
    for e, end in enumerate(buffers["effector"]):
        row = [end]
        while row[0] > 0 and buffers["effectors_below"][model.parents[row[0]]] == 1:
            row.insert(0, model.parents[row[0]])
        bones = row[1:]
        if len(bones) != 2:
            # joints at one position have no bone between them
            bones = [j for j in bones if lengths[j] > SHORT * model.size]
        if len(bones) != 2:
            raise ModelError(
                f"two_bone needs two bones that move {model.names[end]} alone, but "
                f"there are {len(bones)}: use 'dls' or 'fabrik'"
            )
        found.append((e, row[0], bones[0]))
    return found
