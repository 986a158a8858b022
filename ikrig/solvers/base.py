"""ChainSolver: base class of all chain solvers, with settings, result and frame."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import shown
from ..kernels import buffer
from ..math3d.quaternion import rotate
from .chain_goals import ChainGoals
from .chain_workspace import BAD_NUMBERS
from .joint_motion import settle
from .joint_space import DRAWN, POLISH_FRACTION, JointSpace
from .settings import DEFAULT, Blocked, SolveResult, SolveSettings, SolveStatus
from .solve_arguments import LONGEST, find_bad, plain_points, plain_time

Numbers = Sequence[float]

BLOCKED_BY_STEP = 2
"""The kernel's result when ``max_step`` holds the pose back."""
NOT_FINITE = 3
"""The kernel's result when numbers are no longer finite."""
TIP_SOLVES = 8
"""Maximum number of further solves for a tip whose leaf is held by its limit."""
LARGEST_SQUARE = 1e300
"""Maximum sum of the squared arguments of a solve."""


class ChainSolver(ChainGoals):
    """A chain, its workspace and one frame of solving; methods add the iteration.

    The workspace keeps the last pose, which is where the next frame starts when
    ``snap_back_strength`` is below 1.

    Without limits most methods move directions of bones, and the bones then rotate
    least. With limits all move the coordinates of the joints (``JointSpace``). Slides
    extend the bones' reach.

    A user's method is a subclass with ``in_joint_space = True`` and an ``iterate``;
    ``register_solver`` gives it a name. The gap that it leaves is closed afterwards.

    Args:
        model: The chain in its start pose.
        limits: How far joints may turn or slide, by name or index.

    Raises:
        SettingError: A limit is for no joint of the chain.
    """

    needs_polish: ClassVar[bool] = True
    """Whether the gap that ``iterate`` leaves inside limits is closed by damped least
    squares, uncounted."""
    multi_effector: ClassVar[bool] = True
    """Whether ``iterate`` takes trees with several effectors, not chains only."""

    def solve(
        self,
        goal: Numbers,
        *,
        pole: Numbers | None = None,
        root: Numbers | None = None,
        goal_rotation: Numbers | None = None,
        start: ArrayLike | None = None,
        settings: SolveSettings = DEFAULT,
        dt: float = 1.0 / 60.0,
    ) -> SolveResult:
        """Move the workspace pose towards ``goal``.

        Args:
            goal: Goal of the tip, (3,) [scene unit], root space.
            pole: Point that the chain bends towards, (3,) [scene unit], root space. The
                joints then lie in the plane of root, goal and pole, in one arc on the
                pole's side. Within 6° of the goal's line the pole's pull fades, so that
                nothing snaps when they line up.
            root: Current position of the chain's root joint, (3,) [scene unit], root
                space. Default: the model's.
            goal_rotation: Rotation of the leaf from its start rotation, (4,) w x y z,
                root space. Default: the leaf turns with the last bone.
            start: Rotations of the joints to start from, (n + 1, 4) w x y z, root
                space, as from ``rotations``; slides start at 0. With
                ``snap_back_strength`` 1 each frame starts from the start pose, and only
                ``max_step`` counts from ``start``. Default: the last pose.
            settings: Limits and blending.
            dt: Time since the last frame [s]; only speeds and the posture use it.

        Returns:
            Status, remaining error and iterations used. A goal out of reach gives a
            straight chain pointing at it and ``SolveStatus.UNREACHABLE``; one that is
            not finite leaves the pose alone and gives ``INVALID_TARGET``.

        Raises:
            SettingError: An argument is not of this shape.
        """
        kernel = self._kernel
        if settings is not self._settings:
            self._apply(settings)
        if root is None:
            root = self._start
        if start is not None and not self._set_start_pose(start):
            detail = f"start has no rotations: {shown(start)}"
            return SolveResult(
                SolveStatus.INVALID_TARGET, inf, 0, kernel.lengthening, detail
            )
        px = py = pz = 0.0
        size = 1.0
        try:
            rx, ry, rz = root
            gx, gy, gz = goal
            if pole is not None:
                px, py, pz = pole
            if goal_rotation is not None:
                w, x, y, z = goal_rotation
                size = w * w + x * x + y * y + z * z
            # one sum shows whether anything is not finite, or too large to be squared
            total = gx * gx + gy * gy + gz * gz + rx * rx + ry * ry + rz * rz
            if not 0.0 <= dt <= LONGEST:
                dt = 0.0
            total += px * px + py * py + pz * pz + size + dt
            usable = isfinite(total) and total < LARGEST_SQUARE
        except (OverflowError, TypeError, ValueError, Warning):
            # numpy warns of an infinite square, and warnings may be errors;
            # other types of numbers, or invalid ones, are converted or reported by name
            given = {
                "goal": goal,
                "pole": pole,
                "root": root,
                "goal_rotation": goal_rotation,
            }
            dt = plain_time(dt)
            return self.solve(**plain_points(given), settings=settings, dt=dt)
        if not usable or size < 1e-12:
            detail = find_bad(
                goal=goal, pole=pole, root=root, goal_rotation=goal_rotation
            )
            return SolveResult(
                SolveStatus.INVALID_TARGET, inf, 0, kernel.lengthening, detail
            )
        self._root = (rx, ry, rz)
        if goal_rotation is not None:
            tip = self._buffers["tip"]
            tip[0], tip[1], tip[2], tip[3] = w, x, y, z
        frame = (gx - rx, gy - ry, gz - rz, pole is not None, px - rx, py - ry, pz - rz)
        use_tip = goal_rotation is not None
        if kernel.tipped and kernel.rigid == use_tip:
            self._set_rigid(not use_tip)
        if self.direct is not None:
            result: SolveResult = self.direct.solve(*frame, use_tip, dt)
            self.unchanged = self.direct.unchanged
            return result
        return self._solve_joints(frame, use_tip, settings, dt)

    def _solve_joints(
        self,
        frame: tuple[float, ...],
        use_tip: bool,
        settings: SolveSettings,
        dt: float,
    ) -> SolveResult:
        """Solve in joint coordinates, with limits or without; return the result."""
        kernel, joints = self._kernel, self._joints
        assert joints is not None
        if kernel.tipped and use_tip:
            kernel.aim_tip()
            x, y, z = self._buffers["tip_offset"]
            gx, gy, gz = frame[:3]
            frame = (gx - x, gy - y, gz - z, *frame[3:])
        try:
            if self._limited:
                blocker = self._solve_limited(joints, frame, use_tip, settings, dt)
            else:
                blocker = self._solve_free(joints, frame, use_tip, settings, dt)
        except (ArithmeticError, ValueError):
            # where numbers are not finite machine code continues and Python raises
            if joints.kernel.sound():
                # an error in a user's method
                raise
            blocker = self._start_over(use_tip)
        return self._evaluate(joints, settings, blocker, use_tip)

    def _evaluate(
        self, joints: JointSpace, settings: SolveSettings, blocker: int, use_tip: bool
    ) -> SolveResult:
        """Return the result for the shown pose."""
        kernel = self._kernel
        error, orientation_error = kernel.error, kernel.orientation_error
        status = SolveStatus.MAX_ITERATIONS
        blocked_by: tuple[Blocked, ...] = ()
        detail = ""
        if blocker == NOT_FINITE:
            status, detail, kernel.left = SolveStatus.STALLED, BAD_NUMBERS, error
            joints.forget_motion()
        elif error <= self._tolerance and (
            orientation_error <= settings.orientation_tolerance
            or self._orientation_weight(settings, use_tip) == 0.0
        ):
            status = SolveStatus.CONVERGED
        else:
            if kernel.out_of_reach and blocker != BLOCKED_BY_STEP:
                status = SolveStatus.UNREACHABLE
            elif blocker:
                status = SolveStatus.STALLED
            elif joints.verdict is not None:
                status = joints.verdict
            elif joints.kernel.stuck and not joints.crossing:
                status = SolveStatus.STALLED
            blocked_by = joints.blocked(self.model.names)
        # a blocked chain would still creep along flat valleys: it counts as done
        moving = (
            blocker in (BLOCKED_BY_STEP, NOT_FINITE)
            or joints.kernel.settling
            or joints.crossing
        )
        self.unchanged = not moving and (
            kernel.snap_back == 1.0 or status is not SolveStatus.MAX_ITERATIONS
        )
        return SolveResult(
            status,
            error,
            kernel.used,
            kernel.lengthening,
            detail,
            orientation_error,
            blocked_by,
            (),
            kernel.left,
            joints.kernel.uncounted,
        )

    def _solve_free(
        self,
        joints: JointSpace,
        frame: tuple[float, ...],
        use_tip: bool,
        settings: SolveSettings,
        dt: float,
    ) -> int:
        """Solve in joint coordinates, without limits: only bone directions count."""
        kernel = self._kernel
        use_pole = frame[3]
        kernel.begin(*frame)
        joints.kernel.uncounted = 0
        if kernel.case == 0:
            # a method would break the arc that a pole requires
            if not use_pole:
                kernel.rotate_bones(False)
                joints.kernel.set_from_solved_rot()
                self._aim(joints, 0.0)
                kernel.used = self.iterate(joints, settings, self._tolerance)
                joints.note_arrival(settings, self._tolerance)
                kernel.update_directions()
            kernel.close()
            if not use_pole:
                kernel.left = joints.kernel.error
        blocker: int = kernel.finish(use_tip, dt)
        return blocker

    def _solve_limited(
        self,
        joints: JointSpace,
        frame: tuple[float, ...],
        use_tip: bool,
        settings: SolveSettings,
        dt: float,
    ) -> int:
        """Solve in joint coordinates, from the start pose or from the last one."""
        kernel, space = self._kernel, joints.kernel
        use_pole = frame[3]
        # directions always start from the start pose
        snap_back, kernel.snap_back = kernel.snap_back, 1.0
        kernel.begin(*frame)
        kernel.snap_back = snap_back
        if snap_back == 1.0 or use_pole:
            if kernel.case:
                kernel.guess(use_pole)
            kernel.rotate_bones(False)
            self._count_from_limits()
            space.rest()
            space.set_from_solved_rot()
        else:
            if settings.snap_back_strength is None and self._animated:
                snap_back = DRAWN
            joints.begin_frame(snap_back, self._animated, dt)
        orientation_weight = self._orientation_weight(settings, use_tip)
        self._aim(joints, orientation_weight)
        led = snap_back < 1.0 and not use_pole
        if led:
            if snap_back == 0.0 and not self._animated:
                joints.note_jump(settings, self._tolerance)
            joints.fold([(0, 0, *self._straight_side)])
        else:
            joints.forget_motion()
        self._aim_tool(joints, orientation_weight > 0.0 and not self.orientation_counts)
        kernel.used = self.iterate(joints, settings, self._tolerance)
        kernel.left = space.error
        if self.needs_polish and not joints.searched:
            joints.finish(settings, self._tolerance, kernel.used)
        joints.follow(settings, self._tolerance, dt)
        settle(joints, settings, self._tolerance, dt)
        if orientation_weight == 0.0:
            space.forward()
            space.rotate_leaf(0, use_tip)
            if kernel.tipped and use_tip:
                self._follow_leaf(joints, settings)
        limit = kernel.max_step * dt if kernel.max_step > 0.0 else -1.0
        # an animated pose may be outside the limits: only rotations blend with it
        weight = 1.0 if self._animated else kernel.weight
        blocker: int = space.show(weight, limit, dt if settings.joint_speeds else -1.0)
        self._count_from_start()
        kernel.commit()
        kernel.evaluate(use_tip)
        if blocker == NOT_FINITE:
            joints.forget_motion()
        space.end_frame()
        return blocker or int(kernel.weight < 1.0)

    def _follow_leaf(self, joints: JointSpace, settings: SolveSettings) -> None:
        """Move the tip to the goal where the leaf's limit restricts its rotation."""
        space, buffers = joints.kernel, joints.buffers
        goal, offset, leaf = buffers["goal"], buffers["offset"], 4 * self._kernel.n
        tip, near = self._limit_tip_offset(), POLISH_FRACTION * self._tolerance
        aimed = np.array(self._buffers["tip_offset"])
        space.forward()
        turned = rotate(np.array(buffers["rotations"][leaf:]), tip)
        if float(np.abs(turned - aimed).max()) < near:
            return
        # the tip then moves with the bone, apart from the leaf's rotation in it
        goal[:3] = buffer((aimed + goal[:3]).tolist())
        start, last = np.array(offset[-3:]), np.full(3, inf)
        for _ in range(TIP_SOLVES):
            held = rotate(np.array(buffers["q"][leaf:]), tip)
            if float(np.abs(held - last).max()) < near:
                return
            offset[-3:] = buffer((start + held).tolist())
            space.uncounted += self.iterate(joints, settings, self._tolerance)
            joints.finish(settings, self._tolerance, settings.iterations)
            offset[-3:] = buffer(start.tolist())
            space.forward()
            space.rotate_leaf(0, True)
            last = held

    def _start_over(self, use_tip: bool) -> int:
        """Restart from the start pose after a bad solve; the shown pose stays."""
        kernel, joints = self._kernel, self._joints
        if joints is None or not self._limited:
            kernel.start_over(use_tip)
        else:
            joints.kernel.start_over()
            self._count_from_start()
            kernel.commit()
            kernel.evaluate(use_tip)
        return NOT_FINITE

    @staticmethod
    def iterate(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        """Move the joints towards their goals; return the iterations used.

        Each method overrides this. The joints stay inside their limits in any case. It
        should stop when ``space.reached(settings, tolerance)``.
        """
        return space.search(settings, tolerance)
