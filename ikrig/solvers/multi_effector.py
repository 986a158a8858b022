"""MultiEffectorSolver: several effectors on a tree of joints."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, exp, inf

import numpy as np

from ..checks import kind_of
from ..errors import ModelError, SettingError, shown
from ..kernels import buffer
from ..math3d.quaternion import rotate
from ..model.limits import LimitsByJoint
from ..model.skeleton import SkeletonModel
from .base import (
    GONE_BAD,
    HELD_BY_STEP,
    LARGEST_SQUARE,
    TIP_SOLVES,
    ChainSolver,
)
from .chain_workspace import BAD_NUMBERS
from .joint_space import FINE
from .multi_effector_workspace import MultiEffectorWorkspace
from .registry import find_solver
from .settings import (
    DEFAULT,
    MOST_WEIGHT,
    Blocked,
    SolveResult,
    SolveSettings,
    SolveStatus,
)
from .solve_arguments import LONGEST, plain_rows, plain_time

__all__ = ["MultiEffectorSolver"]

Numbers = Sequence[float]

FARTHEST_POLE = 1e149
"""Poles farther off could not be squared."""


class MultiEffectorSolver(MultiEffectorWorkspace):
    """A tree of joints, some of which have goals: a body with its hands and feet.

    FABRIK (Aristidou & Lasenby 2011, section 5) sweeps in from all goals at once; where
    limbs meet, the joint goes to the weighted centroid of what they propose. Whatever
    gap it leaves is closed by damped least squares. Goals that contradict each other
    end in the least sum of weighted squared gaps.

    Args:
        model: The tree in its start pose.
        effectors: The joints with goals, by name or index. Default: every joint without
            children.
        limits: How far joints may turn or slide, by name or index.
        method: "fabrik", "dls", or another solver that takes trees.
        pinned: Whether the root joint stays where it is. Else it moves with the pull.

    Raises:
        SettingError: A joint is unknown, or the method can't do trees.
    """

    def __init__(
        self,
        model: SkeletonModel,
        effectors: Sequence[str | int] | None = None,
        limits: LimitsByJoint | None = None,
        *,
        method: str = "fabrik",
        pinned: bool = True,
    ) -> None:
        kind = find_solver(method)
        if not (
            isinstance(kind, type)
            and issubclass(kind, ChainSolver)
            and kind.multi_effector
        ):
            raise SettingError(
                f"solver {shown(method)} takes chains, not trees with several "
                "effectors: "
                "use 'fabrik' or 'dls'"
            )
        self._method = kind
        self._branches: dict[int, int] = {}
        self._soften = 0.0
        kind_of(model, SkeletonModel, "the model of a tree's solver", ModelError)
        self._held_off = [False] * len(model.parents)
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
            goals: Where the effectors should be, (e, 3) [scene unit], root space.
            turns: Rotation of each effector's joint from its start rotation, (e, 4)
                w x y z, root space; None: it turns with its parent.
            weights: How much each goal counts against the others, (e): pulled apart by
                weights of 3 and 1, gaps are as 1 to 3. Default: 1.
            orientation_weights: How much each effector's turn counts in the solve; an
                error of 1 rad counts as much as this share of the tree's size. 0, the
                default: a joint without children turns afterwards, others don't.
            poles: Points that effectors' branches bend towards, (e, 3) [scene unit],
                root space; None: they bend as they do. A branch is the joints that move
                this effector alone. As a whole it swings about the line from its first
                joint to the effector, as far as the limits of that joint let it.
            root: Where the root joint is, (3,) [scene unit], root space; free, where it
                starts from. Default: where the model has it.
            settings: Limits and blending; ``stretch``, ``twist_spread`` and
                ``roll_from`` mean nothing here. ``soften`` eases goals near the end of
                the whole way from a pinned root.
            dt: Time since the last frame [s]; only ``max_step`` uses it.

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
        if orientation_weights is None:
            orientation_weights = [0.0] * count
        kind_of(settings, SolveSettings, "settings", SettingError)
        if poles is not None:
            poles = self._check_poles(poles)
        try:
            if not 0.0 <= dt <= LONGEST:
                dt = 0.0
            self._soften = settings.soften if self.pinned else 0.0
            bad = self._aim(goals, rotations, weights, orientation_weights, root)
            plain = bad is not None and isinstance(dt, float)
        except (LookupError, OverflowError, TypeError, ValueError, Warning):
            # a warning is numpy's word for an infinite square, where that is an error
            plain = False
        if not plain:
            # numbers of other kinds, or none: that is told by name
            given = plain_rows(
                count, goals, rotations, weights, orientation_weights, root
            )
            given["poles"] = poles
            return self.solve(**given, settings=settings, dt=plain_time(dt))
        if poles is not None and not bad:
            bad = self._bad_pole(poles)
        if bad:
            return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, detail=bad)
        tolerance = settings.tolerance
        if tolerance is None:
            tolerance = 1e-3 * kernel.size
        used, held, left = self._move(rotations, poles, settings, tolerance, dt)
        return self._evaluate(goals, settings, tolerance, used, held, left)

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
            Iterations used, what keeps the pose back, and the gap that the method left.
        """
        space = self._space
        kernel = space.kernel
        # start from the start pose, from the last one or between
        snap_back = settings.snap_back_strength or 0.0
        if snap_back == 1.0:
            kernel.rest()
        else:
            kernel.pull_back(snap_back)
        kernel.stuck = kernel.uncounted = used = 0
        left = inf
        if self._tipped:
            self._aim_tips(rotations)
        space.note_goals(snap_back)
        try:
            used = self._method.iterate(space, settings, tolerance)
            left = kernel.error
            if self._method.needs_polish:
                space.finish(settings, tolerance, used)
            space.note_arrival(settings, tolerance)
            if poles is not None:
                self._swing(poles)
            self._rotate_leaves(rotations)
            if self._tipped:
                self._follow_leaves(rotations, settings, tolerance)
            limit = settings.max_step * dt if settings.max_step else -1.0
            # what is animated may be outside its limits: only its own turns blend
            held = kernel.show(1.0 if self._animated else settings.weight, limit)
        except (ArithmeticError, ValueError):
            # numbers that are none make machine code go on and Python stop
            if kernel.sound():
                # a mistake in a method of the user's own
                raise
            kernel.start_over()
            held = GONE_BAD
        if held == GONE_BAD:
            space.unsettle()
        if self._animated and settings.weight < 1.0:
            kernel.blend(settings.weight)
            held = held or 1
        kernel.write()
        return used, held, left

    def _aim(
        self,
        goals: Sequence[Numbers],
        rotations: Sequence[Numbers | None],
        weights: Numbers,
        orientation_weights: Numbers,
        root: Numbers | None,
    ) -> str | None:
        """Write the frame's goals into the buffers; return what can't be used.

        What are no floats is not taken: then None is returned, or an error raised.
        """
        buffers = self._space.buffers
        goal, goal_rot = buffers["goal"], buffers["goal_rot"]
        strength = buffers["weights"]
        if root is None:
            root = tuple(self.model.positions[0].tolist())
        rx, ry, rz = root
        # each is read once more when the pose is judged
        goals[0], rotations[0]
        rows = zip(
            goals, rotations, weights, orientation_weights, self._far, strict=True
        )
        for e, ((x, y, z), rotation, weight, orientation, far) in enumerate(rows):
            x, y, z = x - rx, y - ry, z - rz
            away = x * x + y * y + z * z
            name = self.model.names[self.effectors[e]]
            if not isinstance(away, float):
                return None
            if not away < LARGEST_SQUARE:
                return f"the goal of {name} is not finite: {shown(goals[e])}"
            away **= 0.5
            if not (weight <= MOST_WEIGHT and orientation <= MOST_WEIGHT):
                return f"a weight of {name} is too large: {weight}, {orientation}"
            # what is out of reach is pulled back to what is not: far goals would
            # outweigh all others
            ease = self._soften * far
            back = 1.0
            if ease > 0.0 and away > far - ease:
                # ease into full extension: the tip falls behind exponentially
                back = (far - ease * exp((far - ease - away) / ease)) / away
            elif away > far:
                back = far / away
            self._held_off[e] = back < 1.0
            i = 3 * e
            goal[i], goal[i + 1], goal[i + 2] = back * x, back * y, back * z
            # what is squared in the end is the error with its weight
            strength[2 * e] = weight**0.5 if weight > 0.0 else 0.0
            strength[2 * e + 1] = 0.0
            if rotation is not None:
                a, b, c, d = rotation
                size = (a * a + b * b + c * c + d * d) ** 0.5
                if not isinstance(size, float):
                    return None
                if not 1e-6 < size < inf:
                    return f"the turn of {name} is none: {shown(tuple(rotation))}"
                i = 4 * e
                goal_rot[i], goal_rot[i + 1] = a / size, b / size
                goal_rot[i + 2], goal_rot[i + 3] = c / size, d / size
                strength[2 * e + 1] = orientation if orientation > 0.0 else 0.0
                if self._animated:
                    self._space.kernel.aim_rest_to_anim(e)
        self._root = (rx, ry, rz)
        return ""

    def branch(self, e: int) -> int:
        """Return the first joint that moves effector e alone.

        Raises:
            SettingError: Other effectors hang on its joint, or no joint is between.
        """
        parents, name = self.model.parents, self.model.names[self.effectors[e]]
        moved = [0] * len(parents)
        for effector in self.effectors:
            joint = effector
            while joint >= 0:
                moved[joint] += 1
                joint = parents[joint]
        joint, above = self.effectors[e], []
        while joint >= 0 and moved[joint] == 1:
            above.append(joint)
            joint = parents[joint]
        if len(above) < 3:
            raise SettingError(
                f"pole of {name}: it needs two bones in a row that move {name} alone, "
                f"but there are {max(len(above) - 1, 0)}"
            )
        return above[-1]

    def _check_poles(
        self, poles: Sequence[Numbers | None]
    ) -> tuple[Numbers | None, ...]:
        """Return the poles; each branch is then known.

        Raises:
            SettingError: They are no points, or for no branch.
        """
        found = tuple(poles)
        if len(found) != len(self.effectors):
            raise SettingError(
                f"poles must be {len(self.effectors)} points or None, not "
                f"{shown(poles)}"
            )
        for e, pole in enumerate(found):
            if pole is not None and e not in self._branches:
                self._branches[e] = self.branch(e)
        return found

    def _bad_pole(self, poles: Sequence[Numbers | None]) -> str:
        """Return what is wrong with a pole's numbers."""
        for joint, pole in zip(self.effectors, poles, strict=True):
            if pole is not None and not all(abs(x) < FARTHEST_POLE for x in pole):
                name = self.model.names[joint]
                return f"the pole of {name} is not finite: {shown(pole)}"
        return ""

    def _swing(self, poles: Sequence[Numbers | None]) -> None:
        """Swing branches towards their poles."""
        kernel, (rx, ry, rz) = self._space.kernel, self._root
        for e, pole in enumerate(poles):
            if pole is not None:
                px, py, pz = pole
                first = self._branches[e] + self._shift
                kernel.forward()
                keep = not self._turns_last(e)
                kernel.swing(e, first, px - rx, py - ry, pz - rz, keep)

    def _turns_last(self, e: int) -> bool:
        """Whether an effector's joint turns after the solve."""
        strength = self._space.buffers["weights"]
        return self.effectors[e] in self.model.leaves and strength[2 * e + 1] == 0.0

    def _rotate_leaves(self, rotations: Sequence[Numbers | None]) -> None:
        """Turn the joints that turn last, as far as they may."""
        kernel = self._space.kernel
        kernel.forward()
        for e in range(len(self.effectors)):
            if self._turns_last(e):
                kernel.rotate_leaf(e, rotations[e] is not None)

    def _aim_tips(self, rotations: Sequence[Numbers | None]) -> None:
        """Have the tips reach, not their joints.

        One with its bone is the bone's end, one whose joint turns last has the joint
        reach for where it then belongs. All others are tools of the joints themselves.
        """
        buffers = self._space.buffers
        for e, offset in enumerate(self._tip_offsets.tolist()):
            last, turns = self._turns_last(e), rotations[e] is not None
            self._set_rigid(e, last and not turns)
            tool = (0.0, 0.0, 0.0) if last else offset
            buffers["tool"][3 * e : 3 * e + 3] = buffer(tool)
            if last and turns:
                there = rotate(np.array(buffers["goal_rot"][4 * e : 4 * e + 4]), offset)
                for c in range(3):
                    buffers["goal"][3 * e + c] -= float(there[c])

    def _follow_leaves(
        self,
        rotations: Sequence[Numbers | None],
        settings: SolveSettings,
        tolerance: float,
    ) -> None:
        """Bring tips to their goals where limits keep the joints from their turns."""
        space, buffers = self._space, self._space.buffers
        ends = [
            e
            for e in range(len(self.effectors))
            if self._turns_last(e) and rotations[e] is not None and self._tips[e].any()
        ]
        kernel, near = space.kernel, FINE * tolerance
        kernel.forward()
        for e in list(ends):
            k, i = 4 * (self.effectors[e] + self._shift), 3 * e
            aimed = np.array(buffers["goal_rot"][4 * e : 4 * e + 4])
            aimed = rotate(aimed, self._tip_offsets[e])
            turned = np.array(buffers["rotations"][k : k + 4])
            turned = rotate(turned, self._tip_offsets[e])
            if float(np.abs(turned - aimed).max()) < near:
                ends.remove(e)
                continue
            # the tip goes with its bone, but for what its joint turns against that
            goal = aimed + buffers["goal"][i : i + 3]
            buffers["goal"][i : i + 3] = buffer(goal.tolist())
        last = np.full((len(self.effectors), 3), inf)
        for _ in range(TIP_SOLVES if ends else 0):
            held = last.copy()
            for e in ends:
                k = 4 * (self.effectors[e] + self._shift)
                now = np.array(buffers["q"][k : k + 4])
                held[e] = rotate(now, self._tip_offsets[e])
            if all(float(np.abs(held[e] - last[e]).max()) < near for e in ends):
                return
            start = buffers["offset"][:]
            for e in ends:
                i = 3 * (self.effectors[e] + self._shift)
                moved = held[e] + start[i : i + 3]
                buffers["offset"][i : i + 3] = buffer(moved.tolist())
            space.finish(settings, tolerance, settings.iterations)
            buffers["offset"][:] = start
            self._rotate_leaves(rotations)
            last = held

    def _measure(
        self, goals: Sequence[Numbers], tolerance: float
    ) -> tuple[tuple[float, ...], float, float, bool]:
        """Return how far the pose that is shown is from its goals.

        Returns:
            The gap of each effector, the largest that counts, the largest error of a
            rotation that counts, and whether a goal is out of reach.
        """
        buffers = self._space.buffers
        joint_pos, shown = buffers["joint_pos"], buffers["rotations"]
        strength = buffers["weights"]
        rx, ry, rz = self._root
        error = orientation_error = 0.0
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
            if strength[2 * e + 1] > 0.0:
                a, b = shown[4 * k : 4 * k + 4], buffers["goal_rot"][4 * e : 4 * e + 4]
                orientation_error = max(orientation_error, _angle(a, b))
        return tuple(errors), error, orientation_error, beyond

    def _evaluate(
        self,
        goals: Sequence[Numbers],
        settings: SolveSettings,
        tolerance: float,
        used: int,
        held: int,
        left: float,
    ) -> SolveResult:
        """Return how the pose that is shown does."""
        space = self._space
        errors, error, orientation_error, beyond = self._measure(goals, tolerance)
        blocked_by: tuple[Blocked, ...] = ()
        status = SolveStatus.MAX_ITERATIONS
        if held == GONE_BAD:
            status = SolveStatus.STALLED
        elif error <= tolerance and orientation_error <= settings.orientation_tolerance:
            status = SolveStatus.CONVERGED
        else:
            if held:
                status = SolveStatus.STALLED
            elif beyond:
                status = SolveStatus.UNREACHABLE
            elif space.verdict is not None:
                status = space.verdict
            elif space.kernel.stuck:
                status = SolveStatus.STALLED
            blocked_by = tuple(
                found._replace(joint=found.joint - self._shift)
                for found in space.blocked(("",) * self._shift + self.model.names)
            )
        self.unchanged = held not in (HELD_BY_STEP, GONE_BAD) and (
            settings.snap_back_strength == 1.0
            or status is not SolveStatus.MAX_ITERATIONS
        )
        return SolveResult(
            status,
            error,
            used,
            detail=BAD_NUMBERS if held == GONE_BAD else "",
            orientation_error=orientation_error,
            blocked_by=blocked_by,
            errors=errors,
            method_error=error if held == GONE_BAD else left,
            finish_iterations=space.kernel.uncounted,
        )


def _angle(a: Numbers, b: Numbers) -> float:
    """Return the angle between two unit quaternions [rad]."""
    apart = sum((p - q) ** 2 for p, q in zip(a, b, strict=True))
    other = sum((p + q) ** 2 for p, q in zip(a, b, strict=True))
    return 4.0 * atan2(min(apart, other) ** 0.5, max(apart, other) ** 0.5)
