"""Two bones in closed form: the law of cosines."""

from __future__ import annotations

from ..errors import ModelError
from ..model.limits import LimitsByJoint
from ..model.skeleton import ChainModel
from .base import ChainSolver, chain_model


class TwoBoneSolver(ChainSolver):
    """A limb of two bones, in closed form and without iterations.

    With limits damped least squares starts from the closed form.

    Raises:
        ModelError: The chain does not have two bones.
    """

    multi_effector = False

    def __init__(self, model: ChainModel, limits: LimitsByJoint | None = None) -> None:
        if chain_model(model).bone_count != 2:
            raise ModelError(
                f"two_bone solves chains of 2 bones, not of {model.bone_count} "
                f"({', '.join(model.names)}): use chain_length=2, or 'fabrik'"
            )
        super().__init__(model, limits)
