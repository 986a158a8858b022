"""RobotSolver: inverse kinematics of a robot model, without a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import array_of, checked_instance, entries, floats
from ..errors import ModelError, SettingError, shown
from ..kernels import index_buffer
from ..kernels.robot_coordinates import RobotCoordinateKernel
from ..math3d.quaternion import Floats, from_matrix, multiply
from ..model.loops import LoopCloser
from ..model.robot import RobotModel
from ..model.robot_skeleton import RobotSkeleton
from .multi_effector import MultiEffectorSolver
from .settings import SolveResult, SolveSettings, SolveStatus

DEFAULT = SolveSettings(iterations=100)
REPEATS = 12
"""How often loops are closed and effectors led to their goals again, at most."""
OUTCOMES = (
    SolveStatus.CONVERGED,
    SolveStatus.STALLED,
    SolveStatus.UNREACHABLE,
    SolveStatus.MAX_ITERATIONS,
    SolveStatus.INVALID_TARGET,
)
"""Statuses by the codes of ``RobotCoordinateKernel.solve_many``."""


class RobotBatch(NamedTuple):
    """The results of a batch of n solves, as arrays."""

    qpos: Floats
    """Joint coordinates, (n, coordinates); the start where a status is INVALID_TARGET.
    """
    status: NDArray[np.object_]
    """The ``SolveStatus`` of each solve, (n,)."""
    error: Floats
    """Largest distance of an effector to its goal, (n,) [scene unit]."""
    orientation_error: Floats
    """Largest angle of an effector to its goal's rotation, (n,) [rad]."""
    iterations: NDArray[np.intc]
    """Iterations used, (n,)."""

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Whether each solve is within the tolerances, (n,)."""
        found: NDArray[np.bool_] = self.status == SolveStatus.CONVERGED
        return found


class RobotSolver:
    """Joint coordinates of a robot that bring bodies or sites to goals.

    Joints, axes and ranges are the model's: hinges, slides, balls and free joints.
    Joints that move no effector keep their coordinates, except those that follow
    another joint (``RobotModel.couple``).

        robot = ikrig.load_robot("panda.urdf")
        solver = ikrig.RobotSolver(robot, ["hand"])
        result = solver.solve([0.4, 0.1, 0.5], [0, 1, 0, 0], start=robot.qpos0)
        print(result.status, result.qpos)

    A solver keeps its work buffers and its last pose: use one for each thread.

    Args:
        model: The robot. Mocap bodies keep the model's poses.
        effectors: Names of sites, or of bodies where no site has the name. A single
            name is allowed in place of a list.
        method: Any solver: "two_bone" where each effector has two bones of its own,
            "learned" for the arm that it was trained for, "six_axis" for one effector
            of an arm that has a closed form.

    Raises:
        SettingError: An effector is unknown, named twice or moved by no joint; or the
            method is unknown.
        ModelError: The method can't solve this robot; the message has the reason.
    """

    def __init__(
        self, model: RobotModel, effectors: str | Sequence[str], *, method: str = "dls"
    ) -> None:
        self._skeleton = skeleton = RobotSkeleton(model, effectors)
        self.model = model
        self.effectors = skeleton.effectors
        """The names of the effectors."""
        self.method = method
        """The solver's name."""
        self._tree = MultiEffectorSolver(
            skeleton.model, skeleton.ends, skeleton.limits, method=method
        )
        self._closer = LoopCloser(model) if model.loops else None
        """What closes the robot's loops, if it has any."""
        self._moving = [int(model.joint_qpos[r]) for r in skeleton.rows if r >= 0]
        self._given: object = None
        self._settings = DEFAULT
        self._qpos: Floats = model.qpos0.copy()
        self._numbers = self._qpos.data
        far, origin = self._tree.reaches, skeleton.model.positions[0]
        numbers = {
            **skeleton.coordinates,
            "reach": np.array(far),
            "origin": np.array(origin),
            "scratch": np.zeros(8),
        }
        self._coordinates = RobotCoordinateKernel(
            self._tree.kernel,
            self._tree.space.descent,
            len(skeleton.entries["joint"]),
            {
                **{name: values.ravel().data for name, values in numbers.items()},
                **{name: index_buffer(x) for name, x in skeleton.entries.items()},
            },
        )

    @property
    def qpos(self) -> Floats:
        """Joint coordinates of the last pose, (coordinates,) [rad, scene unit]."""
        return np.array(self._qpos)

    @property
    def reached(self) -> Floats:
        """Positions of the effectors in the last pose, (e, 3), world space.

        For goals out of reach these are the nearest positions within reach.
        """
        return self._tree.reached

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints that move effectors, by name; others keep their coordinates."""
        return self._skeleton.joints

    def reset(self) -> None:
        """Reset the pose to the model's ``qpos0``."""
        self._tree.reset()
        self._qpos[:] = self.model.qpos0

    def solve(
        self,
        goals: ArrayLike,
        rotations: ArrayLike | Sequence[ArrayLike | None] | None = None,
        *,
        start: ArrayLike | None = None,
        weights: Sequence[float] | None = None,
        orientation_weights: Sequence[float] | None = None,
        settings: SolveSettings = DEFAULT,
        dt: float = 1.0 / 60.0,
    ) -> SolveResult:
        """Move the last pose, or ``start``, until all effectors are at their goals.

        Args:
            goals: Positions of the effectors, (e, 3) [scene unit], world space; (3,)
                for one effector.
            rotations: Their rotations in world space: for each a quaternion, (4,)
                w x y z, a matrix, (3, 3), or None for any. For one
                effector the list may be left out.
            start: Joint coordinates to start from, (coordinates,). Default: the last
                pose, at first the model's ``qpos0``.
            weights: Weight of each position, (e,). Default: 1.
            orientation_weights: Weight of each rotation, (e,); an error of 1 rad counts
                as much as this fraction of the robot's size. Default: 1.
            settings: Limits and blending. Default: 100 iterations.
            dt: Time since the last solve [s]; only speeds and the posture use it.

        Returns:
            Status and errors, with the joint coordinates in ``qpos``.

        Raises:
            SettingError: An argument is not of this shape.
        """
        positions = self._positions(goals)
        turns = self._rotations_from_start(rotations)
        if orientation_weights is None:
            orientation_weights = [1.0] * len(turns)
        if start is not None:
            try:
                self._qpos[:] = start
                taken = len(start) == len(self._qpos)  # type: ignore[arg-type]
            except (TypeError, ValueError, OverflowError):
                taken = False
            if not taken:
                raise SettingError(
                    f"start must be {len(self._qpos)} numbers, one for each coordinate "
                    f"of {self.model.name}, not {shown(start)}"
                )
            if not self._coordinates.set_qpos(self._numbers):
                self._coordinates.write_qpos(self._numbers)
                detail = f"start is not finite: {shown(start)}"
                return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, detail=detail)
            # the next goals do not continue a motion
            self._tree.forget_motion()
        self._take_settings(settings)
        solve = partial(
            self._tree.solve, positions, rotations=turns, weights=weights,
            orientation_weights=orientation_weights, settings=self._settings,
        )  # fmt: skip
        result = solve(dt=dt)
        self._coordinates.write_qpos(self._numbers)
        self.model.follow(self._qpos)
        if self._closer is not None:
            result = self._close(result, solve)
        # the last field is ``qpos``; ``_replace`` would take longer
        result = SolveResult._make((*result[:-1], tuple(self._qpos.tolist())))
        if result.blocked_by:
            names, rows = self.model.joint_names, self._skeleton.rows
            result = result._replace(
                blocked_by=tuple(
                    found._replace(
                        joint=rows[found.joint], name=names[rows[found.joint]]
                    )
                    for found in result.blocked_by
                )
            )
        return result

    def _close(
        self, result: SolveResult, solve: Callable[..., SolveResult]
    ) -> SolveResult:
        """Close the loops, which may move effectors, and solve again."""
        assert self._closer is not None
        for _ in range(REPEATS):
            before = self._qpos.copy()
            self._closer.close(self._qpos)
            self._coordinates.set_qpos(self._numbers)
            if np.abs(self._qpos - before)[self._moving].max(initial=0.0) < 1e-6:
                break
            result = solve(dt=0.0)
            self._coordinates.write_qpos(self._numbers)
            self.model.follow(self._qpos)
        else:
            self._closer.close(self._qpos)
            self._coordinates.set_qpos(self._numbers)
        return result

    def solve_batch(
        self,
        goals: ArrayLike,
        rotations: ArrayLike | None = None,
        *,
        starts: ArrayLike | None = None,
        settings: SolveSettings = DEFAULT,
    ) -> RobotBatch:
        """Solve n problems in one call, each from its own start.

        A problem ends as soon as it is within the tolerances. It neither uses nor
        changes the last pose, and its result does not depend on the other problems.

        Args:
            goals: Positions of the effectors, (n, e, 3) [scene unit], world space; (n,
                3) for one effector.
            rotations: Their rotations, (n, e, 4) w x y z or (n, e, 3, 3), world space;
                without e for one effector. Default: any.
            starts: Joint coordinates to start from, (n, coordinates). Default: the
                model's ``qpos0`` for all.
            settings: ``iterations``, ``tolerance``, ``orientation_tolerance`` and
                those of the posture count.

        Raises:
            SettingError: An argument is not of this shape, the method is not "dls", or
                the robot has loops.
        """
        if self.method != "dls":
            raise SettingError(
                f"solve_batch is for the method 'dls', not {shown(self.method)}: call "
                "solve for each problem"
            )
        if self._closer is not None:
            raise SettingError(
                f"solve_batch leaves loops open, and {self.model.name} has "
                f"{len(self.model.loops)}: call solve for each problem"
            )
        e = len(self.effectors)
        points = array_of(goals, ("...", 3), "goals", SettingError, finite=False)
        count = len(points)
        if points.shape not in ((count, e, 3), (count, 3)[2 * (e > 1) :]):
            raise SettingError(
                f"goals must be of shape (n, {e}, 3) for {e} effectors, not "
                f"{points.shape}"
            )
        aims = np.zeros((count, e, 7))
        aims[..., :3] = points.reshape(count, e, 3)
        aims[..., 3:] = self._batch_turns(rotations, count)
        qpos = np.empty((count, len(self._qpos)))
        given = self.model.qpos0 if starts is None else floats(starts)
        if given is None or given.shape not in (qpos.shape, qpos.shape[1:]):
            raise SettingError(
                f"starts must be of shape {qpos.shape}, not {shown(starts)}"
            )
        qpos[...] = given
        errors, codes = np.full((count, 2), inf), np.empty((count, 2), np.intc)
        tolerance = settings.tolerance
        kernel = self._tree.kernel
        if tolerance is None:
            tolerance = 1e-3 * kernel.size
        self._take_settings(settings)
        self._tree.apply_settings(self._settings)
        self._tree.set_weights([1.0] * e, [float(rotations is not None)] * e)
        if count:
            self._coordinates.solve_many(
                self._tree.space.posture, count, qpos.shape[1], settings.iterations,
                tolerance, settings.orientation_tolerance, settings.posture_weight,
                qpos.reshape(-1).data, aims.reshape(-1).data, errors.reshape(-1).data,
                codes.reshape(-1).data,
            )  # fmt: skip
        # the last pose belongs to no problem
        self._tree.forget_motion()
        self._coordinates.set_qpos(self._numbers)
        status = np.array(OUTCOMES, object)[codes[:, 1]]
        self.model.follow(qpos)
        return RobotBatch(qpos, status, errors[:, 0], errors[:, 1], codes[:, 0])

    def _take_settings(self, settings: SolveSettings) -> None:
        if settings is not self._given:
            self._given, self._settings = settings, self._translated(settings)

    def _translated(self, settings: SolveSettings) -> SolveSettings:
        """Return settings by joint with the skeleton's indices and start pose."""
        checked_instance(settings, SolveSettings, "settings", SettingError)
        model, rows = self.model, self._skeleton.rows
        changes: dict[str, Any] = {}
        for name in ("joint_speeds", "posture", "posture_weights"):
            given = getattr(settings, name)
            if not isinstance(given, Mapping):
                continue
            changes[name] = found = {}
            for key, value in given.items():
                row = key if isinstance(key, int) else -1
                if not 0 <= row < len(model.joint_names):
                    try:
                        row = model.joint_index(str(key))
                    except ModelError as error:
                        raise SettingError(f"{name}: {error}") from None
                single = model.joint_kinds[row].dofs == 1
                zero = float(model.qpos0[model.joint_qpos[row]])
                for j in [j for j, at in enumerate(rows) if at == row]:
                    found[j] = value - zero if name == "posture" and single else value
        return replace(settings, **changes) if changes else settings

    def _positions(self, goals: object) -> list[list[float]]:
        """Return the goals as a list with an entry for each effector."""
        count, points = len(self.effectors), floats(goals)
        if points is None or points.shape not in ((count, 3), (3,)[count - 1 :]):
            raise SettingError(
                f"goals must be of shape ({count}, 3) for {count} effectors, not "
                f"{shown(goals)}"
            )
        return points.reshape(count, 3).tolist()

    def _rotations_from_start(self, rotations: Any) -> list[Any]:
        """Return each effector's rotation from the start pose, or None."""
        count = len(self.effectors)
        if rotations is None:
            return [None] * count
        given = entries(rotations)
        if count == 1 and given and _is_one(given):
            given = (rotations,)
        if given is None or len(given) != count:
            raise SettingError(
                f"rotations must have an entry for each of {count} effectors, not "
                f"{shown(rotations)}"
            )
        return [
            None if turn is None else _from_start(_quaternion(turn), start)
            for turn, start in zip(given, self._skeleton.inverses, strict=True)
        ]

    def _batch_turns(self, rotations: ArrayLike | None, count: int) -> Floats:
        e = len(self.effectors)
        if rotations is None:
            return np.array([1.0, 0.0, 0.0, 0.0])
        given = array_of(rotations, ("...",), "rotations", SettingError, finite=False)
        shapes = [(count, e), (count,)] if e == 1 else [(count, e)]
        if given.shape in [(*shape, 3, 3) for shape in shapes]:
            given = from_matrix(given)
        elif given.shape not in [(*shape, 4) for shape in shapes]:
            raise SettingError(
                f"rotations must be of shape (n, {e}, 4) or (n, {e}, 3, 3) for {e} "
                f"effectors, not {given.shape}"
            )
        return multiply(given.reshape(count, e, 4), self._skeleton.inverses)


def _is_one(given: tuple[object, ...]) -> bool:
    return len(given) == 4 or (len(given) == 3 and entries(given[0]) is not None)


def _quaternion(turn: object) -> object:
    """Return a rotation as a quaternion."""
    rows = entries(turn)
    if rows is not None and len(rows) == 3:
        return from_matrix(
            array_of(turn, (3, 3), "each of rotations", SettingError)
        ).tolist()
    return turn


def _from_start(turn: Any, inverse: Any) -> Any:
    """Return the rotation from the start pose, by the start's inverse."""
    w, x, y, z = inverse
    try:
        a, b, c, d = turn
        return (
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        )
    except (TypeError, ValueError):
        raise SettingError(
            "each of rotations must be 4 numbers w, x, y, z or a matrix (3, 3), not "
            f"{shown(turn)}"
        ) from None
