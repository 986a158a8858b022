"""Solvers by name, and registration of further ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from ..errors import SettingError, shown, suggest
from ..math3d.quaternion import Floats
from ..model.limits import LimitsByJoint
from ..model.skeleton import ChainModel
from .settings import SolveResult, SolveSettings


class Solver(Protocol):
    """Interface of a solver for ``IKChain``.

    A subclass of ``ChainSolver`` has all of it and only adds its ``iterate``; any other
    solver has to define these. It keeps its last pose, starts in the model's, and
    raises nothing while the game runs.
    """

    model: ChainModel
    """The chain in its start pose."""
    local_buffer: Sequence[float]
    """The pose: each joint's rotation in its frame, w x y z, flat, 4 (n + 1)."""
    unchanged: bool
    """Whether another solve for the same goal would change nothing."""

    @property
    def rotations(self) -> Floats:
        """The pose: joint rotations, (n + 1, 4) w x y z, root space."""

    @property
    def joint_angles(self) -> Mapping[int, tuple[float, ...]]:
        """Angles of limited joints, as ``ChainSolver.joint_angles``."""

    def solve(
        self,
        goal: Sequence[float],
        *,
        pole: Sequence[float] | None,
        root: Sequence[float] | None,
        goal_rotation: Sequence[float] | None,
        settings: SolveSettings,
        dt: float,
    ) -> SolveResult:
        """Move the pose towards the goal; arguments as for ``ChainSolver.solve``."""

    def set_rest_pose(self, model: ChainModel) -> None:
        """Set a start pose with the same number of bones."""

    def set_pose(self, rotations: Floats, shifts: Mapping[int, float] = ...) -> None:
        """Continue from a pose, (n + 1, 4) w x y z, root space.

        Shifts of sliding joints are passed by index, and only when there are some.
        """


_PARTS = (
    *Solver.__annotations__,
    *(name for name in vars(Solver) if not name.startswith("_")),
)

Factory = Callable[[ChainModel, LimitsByJoint | None], Solver]

BUILT_IN = {
    "fabrik": "fabrik.FabrikSolver",
    "ccd": "ccd.CcdSolver",
    "two_bone": "two_bone.TwoBoneSolver",
    "dls": "dls.DlsSolver",
    "pinv": "pinv.PinvSolver",
    "transpose": "transpose.TransposeSolver",
    "bfgs": "bfgs.BfgsSolver",
    "cg": "cg.CgSolver",
    "learned": "learned.solver.LearnedSolver",
    "six_axis": "six_axis.solver.SixAxisSolver",
}
"""Module and class of each method; loaded on first use."""
_factories: dict[str, Factory | str] = {**BUILT_IN}


def solver_names() -> tuple[str, ...]:
    """Return the names that ``solver`` accepts."""
    return tuple(_factories)


def register_solver(name: str, factory: Factory) -> None:
    """Register a solver of your own, so that ``IKChain(solver=name)`` finds it.

        class Lazy(ikrig.solvers.ChainSolver):
            in_joint_space = True

            @staticmethod
            def iterate(space, settings, tolerance):
                return 0  # leaves all to the exact finish

        ikrig.register_solver("lazy", Lazy)

    Args:
        name: An identifier. Registered again, it stands for the new factory.
        factory: A class or function; called with a ``ChainModel`` and the limits by
            name or index (or None), it returns a ``Solver``.

    Raises:
        SettingError: The name is built in or not an identifier, or the factory can't
            be called.
    """
    if not isinstance(name, str) or not name.isidentifier() or name in BUILT_IN:
        raise SettingError(
            "a solver's name must be a non-empty string that ikrig does not use "
            f"itself, not {shown(name)}; names in use: {', '.join(BUILT_IN)}"
        )
    if not callable(factory):
        raise SettingError(
            f"the factory of solver {shown(name)} must be a class or function that "
            f"takes a ChainModel and limits, not {shown(factory)}"
        )
    _factories[name] = factory


def find_solver(name: Any) -> Factory:
    factory = _factories.get(name) if isinstance(name, str) else None
    if factory is None:
        raise SettingError(
            f"there is no solver {shown(name)}: {suggest(name, _factories)}"
        )
    if isinstance(factory, str):
        module, _, kind = factory.rpartition(".")
        found: Factory = getattr(import_module(f".{module}", __package__), kind)
        _factories[name] = found
        return found
    return factory


def make_solver(
    name: str, model: ChainModel, limits: LimitsByJoint | None = None
) -> Solver:
    """Return a new solver by its name.

    Raises:
        SettingError: There is no such solver, a limit is for no joint, or the factory's
            result is not a solver.
        ModelError: The solver can't solve such a chain.
    """
    solver = find_solver(name)(model, limits)
    kind = type(solver)
    missing = [x for x in _PARTS if not (hasattr(kind, x) or hasattr(solver, x))]
    if missing:
        raise SettingError(
            f"the factory of solver {shown(name)} returned {shown(solver)}, which "
            f"lacks {', '.join(missing)}: see ikrig.solvers.Solver"
        )
    return solver
