"""MultiEffectorSolver: several effectors on a tree of joints."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, inf

import numpy as np

from ..checks import checked_instance
from ..errors import SettingError, shown
from ..math3d.quaternion import rotate
from ..model.limits import LimitsByJoint
from ..model.skeleton import SkeletonModel
from .base import BLOCKED_BY_STEP, NOT_FINITE, ChainSolver
from .chain_workspace import BAD_NUMBERS
from .joint_motion import apply_motion, settle
from .joint_space import DRAWN
from .multi_effector_ends import MultiEffectorEnds
from .registry import find_solver
from .settings import DEFAULT, Blocked, SolveResult, SolveSettings, SolveStatus
from .solve_arguments import LONGEST, plain_rows, plain_time

Numbers = Sequence[float]


class MultiEffectorSolver(MultiEffectorEnds):
    """A tree of joints, some of which have goals: a body with its hands and feet.

    Damped least squares takes the least step that moves all effectors nearer at once;
    joints that move several of them move less, so that limbs bend before the trunk.
    FABRIK (Aristidou & Lasenby 2011, section 5) sweeps in from all goals; where limbs
    meet, the joint moves to the weighted centroid of their proposals, and damped least
    squares closes the remaining gap. Goals that contradict each other end in the least
    sum of weighted squared gaps.

    Args:
        model: The tree in its start pose.
        effectors: The joints with goals, by name or index. Default: every joint without
            children.
        limits: Limits of the joints, by name or index.
        method: "dls", "fabrik", or another solver that takes trees.
        pinned: Whether the root joint stays in place. Else the goals pull it along.

    Raises:
        SettingError: A joint is unknown, or the method can't solve trees.
    """

    def __init__(
        self,
        model: SkeletonModel,
        effectors: Sequence[str | int] | None = None,
        limits: LimitsByJoint | None = None,
        *,
        method: str = "dls",
        pinned: bool = True,
    ) -> None:
        kind = find_solver(method)
        if not (
            isinstance(kind, type)
            and issubclass(kind, ChainSolver)
            and kind.multi_effector
        ):
            raise SettingError(
                f"solver {shown(method)} solves chains, not trees with several "
                "effectors: use 'fabrik' or 'dls'"
            )
        self._method = kind
        super().__init__(model, effectors, limits, pinned=pinned)
        kind.check(self._space)

    @property
    def reach(self) -> float:
        """Length of the bones from the root to the farthest effector [scene unit]."""
        return float(self._space.kernel.size)

    def solve(
        self,
        goals: Sequence[Numbers],
        *,
        rotations: Sequence[Numbers | None] | None = None,
        weights: Numbers | None = None,
        orientation_weights: Numbers | None = None,
        poles: Sequence[Numbers | None] | None = None,
        root: Numbers | None = None,
        settings: SolveSettings = DEFAULT,
        dt: float = 1.0 / 60.0,
    ) -> SolveResult:
        """Move the pose towards all goals, one for each of ``effectors``.

        Args:
            goals: Goals of the effectors, (e, 3) [scene unit], root space.
            rotations: Rotation of each effector's joint from its start rotation, (e, 4)
                w x y z, root space; None: it turns with its parent.
            weights: Weight of each goal relative to the others, (e): pulled apart by
                weights of 3 and 1, gaps are as 1 to 3. Default: 1.
            orientation_weights: Weight of each effector's rotation in the solve; an
                error of 1 rad counts as much as this fraction of the tree's size. 0: a
                joint without children is rotated afterwards, as far as its limits
                allow, and the status does not count it; others are not. Default:
                ``settings.orientation_weight``, which is 0; the status then counts
                each rotation of a joint without children.
            poles: Points that effectors' branches bend towards, (e, 3) [scene unit],
                root space; None: no pole. A branch is the joints that move this
                effector alone. As a whole it swings about the line from its first joint
                to the effector, as far as the limits of that joint allow.
            root: Position of the root joint, (3,) [scene unit], root space; of a free
                root, its start. Default: the model's.
            settings: Limits and blending; ``stretch``, ``twist_spread`` and
                ``roll_from`` are ignored. ``soften`` eases goals near full reach from a
                pinned root.
            dt: Time since the last frame [s]; only speeds and the posture use it.

        Returns:
            Status, the largest error of those that count, and each one's in ``errors``.

        Raises:
            SettingError: An argument is not of this shape.
        """
        space = self._space
        kernel = space.kernel
        count = len(self.effectors)
        rotations = [None] * count if rotations is None else rotations
        weights = [1.0] * count if weights is None else weights
        if settings is not self._settings:
            self.apply_settings(settings)
        # rotations alone, without weights, are to be reached as positions are
        strict = orientation_weights is None
        if orientation_weights is None:
            orientation_weights = [settings.orientation_weight] * count
        if poles is not None:
            poles = self._check_poles(poles)
        if type(dt) is not float:
            dt = plain_time(dt)
        try:
            if not 0.0 <= dt <= LONGEST:
                dt = 0.0
            self._soften = settings.soften if self.pinned else 0.0
            bad = self._aim(goals, rotations, weights, orientation_weights, root)
            plain = bad is not None
        except (LookupError, OverflowError, TypeError, ValueError, Warning):
            # numpy warns of an infinite square, and warnings may be errors
            plain = False
        if not plain:
            # other types of numbers, or invalid ones, are converted or reported by name
            given = plain_rows(
                count, goals, rotations, weights, orientation_weights, root
            )
            given["poles"] = poles
            if strict:
                del given["orientation_weights"]
            return self.solve(**given, settings=settings, dt=dt)
        if poles is not None and not bad:
            bad = self._bad_pole(poles)
        if bad:
            return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, detail=bad)
        tolerance = settings.tolerance
        if tolerance is None:
            tolerance = 1e-3 * kernel.size
        used, blocker, left = self._move(rotations, poles, settings, tolerance, dt)
        return self._evaluate(
            goals, rotations, strict, settings, tolerance, used, blocker, left
        )

    def apply_settings(self, settings: SolveSettings) -> None:
        """Apply the settings of single joints; ``solve`` does this by itself."""
        checked_instance(settings, SolveSettings, "settings", SettingError)
        apply_motion(self._space, settings, self.model, self._shift)
        self._settings = settings

    def _move(
        self,
        rotations: Sequence[Numbers | None],
        poles: Sequence[Numbers | None] | None,
        settings: SolveSettings,
        tolerance: float,
        dt: float,
    ) -> tuple[int, int, float]:
        """Move the pose to the goals that are set.

        Returns:
            Iterations used, the code of what holds the pose back, and the gap that the
            method left.
        """
        space = self._space
        kernel = space.kernel
        snap_back = settings.snap_back_strength
        if snap_back is None:
            snap_back = DRAWN if self._animated else 0.0
        snap_back = space.begin_frame(snap_back, self._animated, dt)
        kernel.stuck = kernel.uncounted = used = 0
        left = inf
        if self._tipped:
            self._aim_tips(rotations)
        space.note_goals(snap_back)
        if snap_back == 0.0 and not self._animated:
            space.note_jump(settings, tolerance)
        space.fold(self._sides)
        try:
            used = self._method.iterate(space, settings, tolerance)
            left = kernel.error
            if self._method.needs_polish and not space.searched:
                space.finish(settings, tolerance, used)
            space.follow(settings, tolerance, dt)
            settle(space, settings, tolerance, dt)
            if poles is not None:
                self._swing(poles)
            self._rotate_leaves(rotations)
            if self._tipped:
                self._follow_leaves(rotations, settings, tolerance)
            limit = settings.max_step * dt if settings.max_step else -1.0
            # an animated pose may be outside the limits: only rotations blend
            weight = 1.0 if self._animated else settings.weight
            blocker = kernel.show(weight, limit, dt if settings.joint_speeds else -1.0)
        except (ArithmeticError, ValueError):
            # where numbers are not finite machine code continues and Python raises
            if kernel.sound():
                # an error in a user's method
                raise
            kernel.start_over()
            blocker = NOT_FINITE
        if blocker == NOT_FINITE:
            space.forget_motion()
        if self._animated and settings.weight < 1.0:
            kernel.blend(settings.weight)
            blocker = blocker or 1
        kernel.write()
        kernel.end_frame()
        return used, blocker, left

    def _measure(
        self,
        goals: Sequence[Numbers],
        rotations: Sequence[Numbers | None],
        tolerance: float,
    ) -> tuple[tuple[float, ...], float, float, float, bool]:
        """Return the errors of the shown pose.

        Returns:
            The gap of each effector, the largest that counts, the largest error of a
            rotation that was asked for, that of those in the solve, and whether a goal
            is out of reach.
        """
        buffers = self._space.buffers
        joint_pos, shown = buffers["joint_pos"], buffers["rotations"]
        strength = buffers["weights"]
        rx, ry, rz = self._root
        error = orientation_error = solved_error = 0.0
        errors = []
        beyond = False
        tips = self._tip_offsets.tolist() if self._tipped else ()
        for e, joint in enumerate(self.effectors):
            k = joint + self._shift
            gx, gy, gz = goals[e]
            x = joint_pos[3 * k] + rx - gx
            y = joint_pos[3 * k + 1] + ry - gy
            z = joint_pos[3 * k + 2] + rz - gz
            if tips and not self._rigid[e]:
                a, b, c = rotate(np.array(shown[4 * k : 4 * k + 4]), tips[e])
                x, y, z = x + float(a), y + float(b), z + float(c)
            gap = (x * x + y * y + z * z) ** 0.5
            errors.append(gap)
            if strength[2 * e] > 0.0:
                error = max(error, gap)
                x, y, z = gx - rx, gy - ry, gz - rz
                away = (x * x + y * y + z * z) ** 0.5
                beyond = beyond or (self.pinned and away > self._far[e] + tolerance)
                beyond = beyond or (self._soften > 0.0 and self._held_off[e])
            if rotations[e] is None or not (self._is_leaf[e] or strength[2 * e + 1]):
                continue
            a, b = shown[4 * k : 4 * k + 4], buffers["goal_rot"][4 * e : 4 * e + 4]
            angle = _angle(a, b)
            orientation_error = max(orientation_error, angle)
            if strength[2 * e + 1] > 0.0:
                solved_error = max(solved_error, angle)
        return tuple(errors), error, orientation_error, solved_error, beyond

    def _evaluate(
        self,
        goals: Sequence[Numbers],
        rotations: Sequence[Numbers | None],
        strict: bool,
        settings: SolveSettings,
        tolerance: float,
        used: int,
        blocker: int,
        left: float,
    ) -> SolveResult:
        """Return the result for the shown pose."""
        space = self._space
        errors, error, orientation_error, solved_error, beyond = self._measure(
            goals, rotations, tolerance
        )
        solved = error <= tolerance and solved_error <= settings.orientation_tolerance
        turned = not strict or orientation_error <= settings.orientation_tolerance
        blocked_by: tuple[Blocked, ...] = ()
        status = SolveStatus.MAX_ITERATIONS
        if blocker == NOT_FINITE:
            status = SolveStatus.STALLED
        elif solved and turned:
            status = SolveStatus.CONVERGED
        else:
            if beyond and not solved and blocker != BLOCKED_BY_STEP:
                status = SolveStatus.UNREACHABLE
            elif blocker or solved:
                # or a last joint can't turn as far as asked
                status = SolveStatus.STALLED
            elif space.verdict is not None:
                status = space.verdict
            elif space.kernel.stuck and not space.crossing:
                status = SolveStatus.STALLED
            blocked_by = tuple(
                found._replace(joint=found.joint - self._shift)
                for found in space.blocked(("",) * self._shift + self.model.names)
            )
        moving = (
            blocker in (BLOCKED_BY_STEP, NOT_FINITE)
            or space.kernel.settling
            or space.crossing
        )
        self.unchanged = not moving and (
            settings.snap_back_strength == 1.0
            or status is not SolveStatus.MAX_ITERATIONS
        )
        return SolveResult(
            status,
            error,
            used,
            detail=BAD_NUMBERS if blocker == NOT_FINITE else "",
            orientation_error=orientation_error,
            blocked_by=blocked_by,
            errors=errors,
            method_error=error if blocker == NOT_FINITE else left,
            finish_iterations=space.kernel.uncounted,
        )


def _angle(a: Numbers, b: Numbers) -> float:
    """Return the angle between two unit quaternions [rad]."""
    apart = sum((p - q) ** 2 for p, q in zip(a, b, strict=True))
    other = sum((p + q) ** 2 for p, q in zip(a, b, strict=True))
    return 4.0 * atan2(min(apart, other) ** 0.5, max(apart, other) ** 0.5)
