"""PoseChain: a chain of joints that reaches for a goal, without an engine."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist, inf
from typing import Any, Literal, NoReturn

import numpy as np

from ..checks import is_whole
from ..errors import ModelError, SettingError, name_list, shown, suggest
from ..kernels.actor_frame import PoseGoal
from ..kernels.frame_update import ChainUpdate
from ..math3d.timestep import LONGEST, SHORTEST, sound_dt
from ..model.limits import LimitsByJoint
from ..model.pose import Goal, Goals, Pose, rest_nets
from ..model.skeleton import ChainModel
from ..solvers import ChainSolver, SolveResult, SolveSettings, SolveStatus, make_solver
from ..solvers.settings import DEFAULT
from ..value_shapes import VECTOR, Word, checked
from .pose_bones import PoseBones, measured

_MODE = Word(("animation", "bone"))


class PoseChain:
    """A joint of a pose that reaches for a goal, with the bones above it: a layer.

        arm = ikrig.PoseChain(pose, "RightHand", 2)
        arm.goal.position[:] = 0.3, 0.5, 1.2
        arm.apply(pose, dt)

    Each frame starts from the pose as it is, such as animated. It needs no engine, and
    is what ``ActorRig.chain`` does for an Actor, whose goals come from nodes.

    Args:
        pose: The pose.
        joint: The joint that reaches.
        chain_length: Number of bones above it.
        goal: One of the ``Goals`` that another layer writes. Default: a new one, at the
            joint's position in the rest pose.
        orientation_mode: Rotation of the joint where its goal has none: as in the
            "animation", or with its "bone".
        tip: Point that reaches instead of the joint, in the joint's own space.
        solver: The method, as for ``IKChain``.
        limits: How far joints may turn from the rest pose, by name or index.
        settings: Fields of ``SolveSettings``. ``snap_back_strength`` is 1 by default.

    Raises:
        ModelError: There is no such joint, or too few above it; they have no length.
        SettingError: A setting is unknown or out of range.
    """

    def __init__(
        self,
        pose: Pose,
        joint: str,
        chain_length: int = 2,
        goal: Goal | None = None,
        *,
        orientation_mode: Literal["animation", "bone"] = "animation",
        tip: Sequence[float] | None = None,
        solver: str = "fabrik",
        limits: LimitsByJoint | None = None,
        **settings: object,
    ) -> None:
        if not isinstance(pose, Pose):
            raise ModelError(f"pose must be a Pose, not {shown(pose)}")
        self.joints = _lineage(pose, joint, chain_length)
        """Indices of the joints, from the first one that turns to the one that reaches.
        """
        checked(_MODE, orientation_mode, "orientation_mode", SettingError)
        if goal is not None and not isinstance(goal, Goal):
            raise SettingError(f"goal must be one of Goals, not {shown(goal)}")
        for name in settings:
            if name not in SolveSettings.__dataclass_fields__:
                known = SolveSettings.__dataclass_fields__
                raise SettingError(
                    f"there is no setting {name!r}: {suggest(name, known)}"
                )
        self.orientation_mode = orientation_mode
        self.settings = DEFAULT.with_values(**{"snap_back_strength": 1.0, **settings})
        """The settings of the solve; set another one to change them."""
        point = None if tip is None else checked(VECTOR, tip, "tip", SettingError)
        self._tip = None if point is None else np.array(point, float)
        self._pose = pose
        if goal is None:
            goal = Goals(1)[0]
            rest = rest_nets(pose)[self.joints[-1]]
            goal.position[:] = rest[3, :3]
            if self._tip is not None:
                goal.position[:] += self._tip @ rest[:3, :3]
        self.goal = goal
        """What it reaches for."""
        above = range(-1, len(self.joints) - 1)
        names = [pose.names[j] for j in self.joints]
        model: Any = measured(pose, self.joints, above, names)
        self.model: ChainModel = model
        """The bones in the rest pose, in the space of the joint above the first one."""
        made: Any = make_solver(solver, self.model, limits)
        self.solver: ChainSolver = made
        """The solver, with the pose of the last frame in numbers."""
        if not isinstance(made, ChainSolver):
            raise SettingError(
                f"solver {solver!r} can't follow an animation: it must be a ChainSolver"
            )
        self.result: SolveResult | None = None
        """The result of the last frame."""
        self._result: SolveResult | None = None
        self._tipped = self._tip is not None
        self._bones = bones = _Bones(pose, self.joints, above)
        rotations = self.solver.start_rotations
        numbers, k = goal.goals.numbers, goal.k
        self._reader = PoseGoal(bones, self, numbers, k, rotations)
        own = type(self.solver).solve is ChainSolver.solve
        direct = self.solver.direct if own else None
        self._update = ChainUpdate(
            bones, bones.pose, self._reader, self.solver, direct, self.solver._kernel
        )

    def __repr__(self) -> str:
        status = self.result.status.name if self.result else "not solved yet"
        name, bones = self._pose.names[self.joints[-1]], len(self.joints) - 1
        return f"<PoseChain {name} chain_length={bones} {status}>"

    def apply(self, pose: Pose, dt: float) -> SolveResult:
        """Bring the joint to its goal, for a frame of dt seconds. Never raises.

        Args:
            pose: The pose of the constructor.
            dt: Time since the last frame [s].

        Returns:
            The result; INVALID_TARGET, with the pose as it was, where numbers are not
            finite or it is another pose.
        """
        if type(dt) is not float or not SHORTEST <= dt <= LONGEST:
            dt = sound_dt(dt)
        try:
            if pose is not self._pose:
                raise ModelError(f"{self!r} is a layer of another pose")
            found: SolveResult = self._update.step(self, self.settings, dt)
        except (ModelError, SettingError) as error:
            found = SolveResult(SolveStatus.INVALID_TARGET, inf, 0, 1.0, str(error))
        self.result = self._result = found
        return found

    # -- what the kernels call in rare cases ------------------------------------------

    def _pass_tips(self) -> None:
        leaf, above = (
            _axes(self._pose, j) for j in (self.joints[-1], self._bones.above)
        )
        self.solver.set_tips([(self._tip @ leaf @ np.linalg.inv(above)).tolist()])

    def _solve(
        self,
        goal: Sequence[float],
        hint: Sequence[float] | None,
        rotation: Sequence[float] | None,
        origin: Sequence[float],
        dt: float,
    ) -> SolveResult:
        settings, weight = self.settings, self._reader.weight
        if weight != 1.0:
            part = min(max(weight, 0.0), 1.0)
            settings = settings.with_values(weight=settings.weight * part)
        result = self.solver.solve(
            goal,
            pole=hint,
            root=origin,
            goal_rotation=rotation,
            settings=settings,
            dt=dt,
        )
        if result.status is SolveStatus.INVALID_TARGET:
            raise ModelError(result.detail)
        return result

    def _result_at_zero_weight(
        self, result: SolveResult, goal: Sequence[float]
    ) -> SolveResult:
        n = len(self.joints)
        points = np.reshape(self.solver._buffers["points"], (n, 3))
        return result._replace(error=dist(points[-1], goal), blocked_by=())

    def _write(self, result: SolveResult) -> None:
        # keeps the pose where the numbers are not finite
        self._bones.pose.write_joints(self.solver.local_buffer, result.lengthening)
        self._bones.lengthening = result.lengthening


class _Bones(PoseBones):
    """The joints of a chain; without an engine there is nobody to ask about them."""

    def is_hand(self, _: object) -> bool:
        return False

    def read_target(self, _: object) -> NoReturn:
        name = self.figure.names[self.above]
        raise ModelError(f"joint {name!r} above the chain is scaled to 0")


def _lineage(pose: Pose, joint: Any, chain_length: Any) -> list[int]:
    if not isinstance(joint, str) or joint not in pose.index:
        raise ModelError(
            f"there is no joint {shown(joint)}: {suggest(joint, pose.names)}"
        )
    found = [pose.index[joint]]
    while pose.parents[found[-1]] >= 0:
        found.append(pose.parents[found[-1]])
    if not is_whole(chain_length) or not 1 <= chain_length < len(found):
        above = [pose.names[j] for j in found[1:]]
        raise ModelError(
            f"chain_length must be 1 to {len(above)}, the number of joints above "
            f"{joint!r} ({name_list(above) or 'none'}), not {shown(chain_length)}"
        )
    return found[chain_length::-1]


def _axes(pose: Pose, j: int) -> Any:
    """Return the axes of a joint in the skeleton's space, in rows; -1: the skeleton."""
    if j < 0:
        return np.identity(3)
    return np.reshape(pose.net_rows(j), (4, 3))[:3]
