"""Six-axis robot arms in closed form: every branch, or the nearest one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...checks import is_number
from ...errors import SettingError, shown
from ...kernels import index_buffer
from ...kernels.six_axis import SixAxisKernel
from ...math3d.quaternion import Floats
from ...model.limits import FARTHEST, is_usable_range
from ..settings import Blocked, SolveStatus
from .arm_checks import array, batch, find_bad, flat, limits, pose_arguments
from .geometry import ArmGeometry, fit_axes, numbers
from .result import ArmPath, ArmResult

NAMES = ("S", "L", "U", "R", "B", "T")
ZERO = np.zeros(6)
ZERO.flags.writeable = False

UPRIGHT = ((0.0, 0.0, 1.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0))
"""The tool of an arm that stands straight up: its x points up and its z forward."""

# results of the kernel when no branch is possible
OUT_OF_REACH, BLOCKED, JUMP, INVALID, WRONG_SHAPE = -1, -2, -3, -4, -5
STATUSES = {
    OUT_OF_REACH: SolveStatus.UNREACHABLE,
    BLOCKED: SolveStatus.UNREACHABLE,
    JUMP: SolveStatus.STALLED,
    INVALID: SolveStatus.INVALID_TARGET,
}


class SphericalWristArm:
    """A six-axis arm whose last three axes meet in a point, solved in closed form.

    The article's arm stands straight up when all angles are 0: axes S, R, T (1, 4, 6)
    along z, axes L, U, B (2, 3, 5) along y. Its tool's x axis is the direction of
    approach, up at zero, and its z axis then points forward along x.

    An arm keeps its work buffers: use one for each thread.

    Args:
        lengths: From the floor along the arm to the tool, 6 [scene unit]: to axis L, to
            axis U, to the middle of the forearm, to the wrist centre, to the flange, to
            the tool.
        lower: Smallest angle of each joint, (6,) [rad], also beyond -π. Default: no
            limits.
        upper: Largest angle of each joint, (6,) [rad], also beyond π.

    Raises:
        ModelError: Names the dimension, its value and the allowed range.
        SettingError: Names the joint whose limits are wrong.
    """

    _kernel_type: ClassVar[type] = SixAxisKernel

    def __init__(
        self,
        lengths: Sequence[float] = (4.0, 6.0, 3.0, 4.0, 2.0, 1.0),
        *,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
    ) -> None:
        l1, l2, l3, l4, l5, l6 = numbers(lengths, (6,), "lengths").tolist()
        geometry = ArmGeometry(
            c1=l1,
            c2=l2,
            c3=l3 + l4,
            tool_position=np.array([l5 + l6, 0.0, 0.0]),
            tool_rotation=np.array(UPRIGHT),
        )
        self._build(geometry, lower, upper)

    @classmethod
    def opw(
        cls,
        *,
        a1: float = 0.0,
        a2: float = 0.0,
        b: float = 0.0,
        c1: float,
        c2: float,
        c3: float,
        c4: float,
        signs: ArrayLike = (1, 1, 1, 1, 1, 1),
        offsets: ArrayLike = (0, 0, 0, 0, 0, 0),
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
    ) -> SphericalWristArm:
        """Make an industrial arm from its data sheet.

        With all canonical angles 0 it stands as the article's arm does.
        Brandstötter, Angerer & Hofbaur, "An analytical solution of the inverse
        kinematics problem of industrial serial manipulators with an ortho-parallel
        basis and a spherical wrist", 2014.

        Args:
            a1: From axis 1 forward to axis 2 [scene unit].
            a2: From axis 3 forward to axis 4; below 0 for most arms.
            b: From axis 1 to the left to axis 4.
            c1: Up from the floor to axis 2.
            c2: From axis 2 up to axis 3.
            c3: From axis 3 up to the wrist centre.
            c4: From there up to the tool.
            signs: 1 or -1 for each joint, (6,).
            offsets: (6,) [rad]: a joint's canonical angle is sign * q - offset.
            lower: Smallest angle of each joint, (6,) [rad].
            upper: Largest angle of each joint, (6,) [rad].

        Raises:
            ModelError: Names the dimension, its value and the allowed range.
            SettingError: Names the joint whose limits are wrong.
        """
        geometry = ArmGeometry(
            a1=a1,
            a2=a2,
            b=b,
            c1=c1,
            c2=c2,
            c3=c3,
            signs=numbers(signs, (6,), "signs"),
            offsets=numbers(offsets, (6,), "offsets"),
            tool_position=np.array([float(numbers(c4, (), "c4")), 0.0, 0.0]),
            tool_rotation=np.array(UPRIGHT),
        )
        return cls._from_geometry(geometry, lower, upper)

    @classmethod
    def from_axes(
        cls,
        anchors: ArrayLike,
        axes: ArrayLike,
        tool_position: ArrayLike,
        tool_rotation: ArrayLike,
        *,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
    ) -> SphericalWristArm:
        """Make an arm from the positions of its axes when all joints are at 0.

        It then counts angles as those joints do, and its tool frame is the one given.

        Args:
            anchors: A point on each axis, (6, 3) [scene unit], root space.
            axes: Direction of each axis, (6, 3), root space.
            tool_position: (3,) [scene unit], root space.
            tool_rotation: (3, 3), root space, column vectors.
            lower: Smallest angle of each joint, (6,) [rad].
            upper: Largest angle of each joint, (6,) [rad].

        Raises:
            ModelError: Names the axes that do not fit the closed form: 2 at right
                angles to 1 and parallel to 3, 4 at right angles to 3, 5 to 4 and 6 to
                5, and 4, 5 and 6 through one point.
            SettingError: Names the joint whose limits are wrong.
        """
        geometry = fit_axes(anchors, axes, tool_position, tool_rotation)
        return cls._from_geometry(geometry, lower, upper)

    @classmethod
    def _from_geometry(
        cls, geometry: ArmGeometry, lower: ArrayLike | None, upper: ArrayLike | None
    ) -> SphericalWristArm:
        arm = cls.__new__(cls)
        arm._build(geometry, lower, upper)
        return arm

    def _build(
        self, geometry: ArmGeometry, lower: ArrayLike | None, upper: ArrayLike | None
    ) -> None:
        self.geometry = geometry
        """The dimensions of the arm."""
        self.lower = limits(lower, -np.inf, "lower")
        """Smallest angle of each joint, (6,) [rad], read-only."""
        self.upper = limits(upper, np.inf, "upper")
        """Largest angle of each joint, (6,) [rad], read-only."""
        for name, low, high in zip(NAMES, self.lower, self.upper, strict=True):
            if not is_usable_range(low, high):
                raise SettingError(
                    f"lower and upper of joint {name} must be two angles, the smaller "
                    f"first [rad], and must overlap ±{FARTHEST:g}, not {low} and "
                    f"{high}"
                )
        g = geometry
        reach = g.size + float(np.linalg.norm(g.base_position))
        work = {"pose": 12, "near": 6, "q": 6, "rows": 48, "scratch": 19}
        arrays = {name: np.zeros(size) for name, size in work.items()}
        arrays.update(
            shape=np.array([g.a1, g.a2, g.b, g.c1, g.c2, g.c3, reach]),
            base=np.array([*g.base_position, *g.base_rotation.flat]),
            tool=np.array([*g.tool_position, *g.tool_rotation.flat]),
            sign=g.signs.copy(),
            offset=g.offsets.copy(),
            # an end that is too far away to be exact counts as infinite
            lower=np.where(self.lower < -FARTHEST, -np.inf, self.lower),
            upper=np.where(self.upper > FARTHEST, np.inf, self.upper),
        )
        buffers = {name: values.data for name, values in arrays.items()}
        self._kernel = self._kernel_type(
            {**buffers, "branches": index_buffer([0] * 16)}
        )
        self.tolerance = 1e-6
        # the kernel's own numbers, as arrays
        self._position = arrays["pose"][:3]
        self._rotation = arrays["pose"][3:].reshape(3, 3)
        self._near = arrays["near"]
        self._q = arrays["q"]
        self._rows = arrays["rows"].reshape(8, 6)

    @property
    def tolerance(self) -> float:
        """The error that ``solve`` and ``solve_path`` may leave near singular poses.

        A rotation [rad], and a distance as a fraction of the arm's size; 1e-6 by
        default, above the rounding of single-precision goals, at most 1e-3. Where a
        tiny change of the goal would turn joints 1 or 4 far, they stay as they are
        within this error, and a goal so little out of reach counts as reached. 0: every
        goal is reached exactly.

        Raises:
            SettingError: A new value is not a number from 0 to 1e-3.
        """
        tolerance: float = self._kernel.tolerance
        return tolerance

    @tolerance.setter
    def tolerance(self, value: float) -> None:
        if not (is_number(value) and 0.0 <= value <= 1e-3):
            raise SettingError(
                f"tolerance of an arm must be a number from 0 to 0.001, not "
                f"{shown(value)}"
            )
        self._kernel.tolerance = value

    def __reduce__(self) -> tuple[object, ...]:
        """Copy or pickle it by its dimensions."""
        numbers = self.geometry, self.lower, self.upper
        return type(self)._from_geometry, numbers, {"tolerance": self.tolerance}

    def __setstate__(self, state: dict[str, float]) -> None:
        self.tolerance = state["tolerance"]

    def forward(self, q: ArrayLike) -> tuple[Floats, Floats]:
        """Return the tool's pose: position (..., 3) and rotation (..., 3, 3).

        Args:
            q: Joint angles, (..., 6) [rad], finite.

        Raises:
            SettingError: q is not of this shape, or one of the angles is not finite.
        """
        angles = array(q, (6,), "q")
        if not np.isfinite(angles).all():
            raise SettingError(f"q must be finite angles [rad], not {shown(q)}")
        if angles.ndim == 1:
            self._q[:] = angles
            self._kernel.tool_pose()
            return self._position.copy(), self._rotation.copy()
        lead = angles.shape[:-1]
        count = angles.size // 6
        poses = np.empty((count, 12))
        self._kernel.forward_many(count, flat(angles), flat(poses))
        return (poses[:, :3].reshape(*lead, 3), poses[:, 3:].reshape(*lead, 3, 3))

    def solve_all(
        self, position: ArrayLike, rotation: ArrayLike, near: ArrayLike = ZERO
    ) -> Floats:
        """Return the angles of every branch that reaches a pose, limits or not.

        There are 8 in general; fewer where branches coincide (a stretched or folded
        elbow, or axes 4 and 6 in line); none when the pose is out of reach or not
        finite.

        Args:
            position: Goal of the tool, (..., 3) [scene unit], root space.
            rotation: Its rotation, (..., 3, 3), root space, column vectors.
            near: Joint angles, (..., 6) [rad]. Each angle is returned with the whole
                turns that make it nearest to them. One that the pose leaves free keeps
                its value here, as far as the limits allow: joint 4 when axes 4 and 6
                are in line (joint 6 compensates), joint 1 when the wrist centre is on
                axis 1, and joint 2 when it is on axis 2.

        Returns:
            Joint angles, (k, 6) [rad]. Of a batch (..., 8, 6): by the number of the
            branch, as in ``ArmResult``, with NaN where there is no solution or it
            coincides with that of a lower number.

        Raises:
            SettingError: An argument is not of this shape.
        """
        count = self._solve_one(self._kernel.solve_all_one, position, rotation, near)
        if count != WRONG_SHAPE:
            found = self._rows if count == 8 else self._rows[: max(0, count)]
            return np.array(found)
        lead, poses, nears = batch(position, rotation, near)
        rows = np.full((*lead, 8, 6), np.nan)
        self._kernel.solve_all_many(len(poses), flat(poses), flat(nears), flat(rows))
        return rows

    def solve(
        self, position: ArrayLike, rotation: ArrayLike, near: ArrayLike = ZERO
    ) -> ArmResult:
        """Return the joint angles inside the limits that are nearest to ``near``.

        Nearest by the sum of the squared angle differences. Arguments as of
        ``solve_all``. Next to singular poses the joints that hardly move the tool keep
        ``near``'s angles, see ``tolerance``; joint 4 of a straight wrist leaves it only
        where joint 6 could not compensate inside its limits.

        Raises:
            SettingError: An argument is not of this shape.
        """
        code = self._solve_one(self._kernel.pick_one, position, rotation, near)
        if code >= 0:
            return ArmResult(SolveStatus.CONVERGED, self._q.copy(), code)
        if code != WRONG_SHAPE:
            return ArmResult(
                STATUSES[code], self._near.copy(), -1, *self._explain(code)
            )
        lead, poses, nears = batch(position, rotation, near)
        q = np.empty((*lead, 6))
        codes = np.empty(lead, np.intc)
        self._kernel.pick_many(
            len(poses), flat(poses), flat(nears), flat(q), flat(codes)
        )
        failed = codes < 0
        q[failed] = nears.reshape(q.shape)[failed]
        statuses = np.full(lead, SolveStatus.CONVERGED, object)
        for code, status in STATUSES.items():
            statuses[codes == code] = status
        return ArmResult(statuses, q, np.maximum(codes, -1).astype(int))

    def solve_path(
        self,
        positions: ArrayLike,
        rotations: ArrayLike,
        near: ArrayLike = ZERO,
        *,
        max_step: float = 0.5,
    ) -> ArmPath:
        """Follow a path of poses on one branch; report where it ends.

        The first pose is solved as by ``solve``. Where two branches coincide (θ5 goes
        through 0, the elbow is stretched) the motion may continue in the other one,
        since no joint jumps there.

        Args:
            positions: Positions of the tool, (n, 3) [scene unit], root space.
            rotations: Rotations of the tool, (n, 3, 3), root space.
            near: Joint angles before the path, (6,) [rad].
            max_step: Maximum rotation of a joint from a pose to the next [rad]; more is
                a jump. Poses must be close enough together for that.

        Raises:
            SettingError: An argument is not of this shape, or max_step is not above 0.
        """
        if not (is_number(max_step) and max_step > 0.0):
            raise SettingError(
                f"max_step must be an angle above 0 [rad], not {shown(max_step)}"
            )
        lead, poses, _ = batch(positions, rotations, near)
        if len(lead) != 1 or np.ndim(near) != 1:
            raise SettingError(
                "a path needs positions (n, 3), rotations (n, 3, 3) and near (6,), not "
                f"{np.shape(positions)}, {np.shape(rotations)} and {np.shape(near)}"
            )
        count = len(poses)
        q = np.empty((count, 6))
        codes = np.empty(count, np.intc)
        self._near[:] = near
        done = self._kernel.follow(count, flat(poses), max_step, flat(q), flat(codes))
        branches = codes[:done].astype(int)
        if done == count:
            return ArmPath(SolveStatus.CONVERGED, q, branches)
        code = int(codes[done])
        blocked, detail = self._explain(code)
        return ArmPath(STATUSES[code], q[:done], branches, done, blocked, detail)

    def _solve_one(
        self,
        method: Callable[..., int],
        position: ArrayLike,
        rotation: ArrayLike,
        near: ArrayLike,
    ) -> int:
        """Call the kernel for one pose; return WRONG_SHAPE for a batch."""
        # arrays of the right kind, the usual case, need no other check
        try:
            code = method(position, rotation, near)
        except (AttributeError, TypeError, ValueError, OverflowError):
            code = WRONG_SHAPE
        if code == WRONG_SHAPE:
            p, r, n = pose_arguments(position, rotation, near)
            if p.ndim == n.ndim == 1 and r.ndim == 2:
                code = method(p, r, n)
        return code

    def _explain(self, code: int) -> tuple[tuple[Blocked, ...], str]:
        if code == OUT_OF_REACH:
            return (), "out of reach"
        if code == INVALID:
            return (), find_bad(self._position, self._rotation, self._near)
        if code == JUMP:
            rotations = np.abs(self._q - self._near)
            i = int(rotations.argmax())
            return (), f"joint {NAMES[i]} would have to turn by {rotations[i]:.3g} rad"
        blocked, words = [], []
        for i, name in enumerate(NAMES):
            for end, bit, limit in (
                ("lower", i, self.lower[i]),
                ("upper", i + 6, self.upper[i]),
            ):
                if self._kernel.blocked >> bit & 1:
                    blocked.append(Blocked(i, name, end))
                    words.append(f"{name} at {self._q[i]:.6g}, {end} is {limit:.6g}")
        return tuple(blocked), "the limits exclude every branch; the nearest has " + (
            "; ".join(words)
        )
