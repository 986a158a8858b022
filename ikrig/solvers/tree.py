"""Several effectors at once: a tree of joints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import atan2, inf, isfinite
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from ..errors import ModelError, SettingError
from ..kernels import buffer
from ..kernels.skeleton import SkeletonKernel
from ..limits import LimitsByJoint, SlideLimit
from ..model import SkeletonModel, add_up, find_joint
from ..spatial import Floats, conjugate, multiply
from .base import HELD_BY_STEP, ChainSolver
from .joint_space import JointSpace, check_limits
from .registry import find_solver
from .settings import DEFAULT, Blocked, SolveResult, SolveSettings, SolveStatus
from .slides import longest_bones

__all__ = ["TreeSolver"]

Numbers = Sequence[float]

AXES = "xyz"
"""A free root hangs on three joints that slide along these."""
MOST_WEIGHT = 1e9
"""Beyond this a weight is no number to square."""


class SkeletonSpace(JointSpace):
    """Joints that also write rotations."""

    kernel_type: ClassVar[Any] = SkeletonKernel


class TreeSolver:
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
            isinstance(kind, type) and issubclass(kind, ChainSolver) and kind.trees
        ):
            raise SettingError(
                f"solver {method!r} takes chains, not trees with several effectors: "
                "use 'fabrik' or 'dls'"
            )
        self._method = kind
        self.pinned = pinned
        self.effectors = model.leaves if effectors is None else _find(model, effectors)
        found = check_limits(model, limits)
        self._shift = 0
        if not pinned:
            # the root hangs on joints that slide
            self._shift = len(AXES)
            found = {j + self._shift: limit for j, limit in found.items()}
            found.update((k, SlideLimit(axis)) for k, axis in enumerate(AXES))
        count = len(model.parents) + self._shift
        sizes = dict.fromkeys(
            ("rest_rot", "mirror", "rot", "local", "given_rot", "frames"), 4
        )
        sizes.update(given=10, inside=5)
        shared = {name: buffer([0.0] * (k * count)) for name, k in sizes.items()}
        self._space = SkeletonSpace(
            self._sliding(model),
            found,
            [j + self._shift for j in self.effectors],
            shared,
        )
        self.settled = False
        """Whether the same goals again need no solve: nothing would come nearer."""
        self.remodel(model)
        self.reset()

    def _sliding(self, model: SkeletonModel) -> SkeletonModel:
        """Return the model with joints in front of its root when that is free."""
        if self.pinned:
            return model
        first = np.repeat(model.positions[:1], self._shift, axis=0)
        above = range(-1, self._shift - 1)
        return SkeletonModel(
            np.vstack([first, model.positions]),
            [*above, *(parent + self._shift for parent in model.parents)],
        )

    def remodel(self, model: SkeletonModel) -> None:
        """Take another start pose of the same tree; keep the pose of the last frame."""
        self.model = model
        self._animated = False
        space, buffers = self._space, self._space.buffers
        space.remodel(self._sliding(model))
        before = model.rotations[[0, *model.parents[1:]]].copy()
        before[0] = 1.0, 0.0, 0.0, 0.0
        mirror = multiply(conjugate(before), model.frame_rotations)
        still = [1.0, 0.0, 0.0, 0.0] * self._shift
        buffers["rest_rot"][:] = buffer([*still, *model.rotations.ravel().tolist()])
        buffers["mirror"][:] = buffer([*still, *mirror.ravel().tolist()])
        self._root: Numbers = tuple(model.positions[0].tolist())
        # how far from the root each effector's goal can be reached
        whole = self._sliding(model)
        away = add_up(whole.parents, longest_bones(whole, self._space.limits))
        self._far = [float(away[j + self._shift]) for j in self.effectors]

    def animate(self, joints: Numbers) -> float:
        """Take this frame's animation for the start pose, as ``ChainSolver.animate``.

        Raises:
            ModelError: All joints are in one place, or nowhere.
        """
        if self._shift:
            # the root is where the joints in front of it slide to
            still = (1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
            there = (0.0, 0.0, 0.0, *still) * (self._shift - 1)
            slid = (*joints[:3], *still, *there, 0.0, 0.0, 0.0, *joints[3:])
            joints = buffer(slid)
        space = self._space
        space.buffers["given"][:] = joints
        uneven: float = space.kernel.take_locals()
        away = sum(abs(x) for x in space.buffers["offset"])
        if not 0.0 < away < inf:
            raise ModelError(
                f"the joints below {self.model.names[0]} are all in one place, or "
                "nowhere: something scales them to 0, or is not finite"
            )
        self._animated = True
        return uneven

    def reset(self) -> None:
        """Forget the last frame: put the pose back to the start pose."""
        self._space.forget()
        self._space.kernel.write()

    def take_pose(
        self,
        rotations: Floats,
        pulled: Numbers = (0.0, 0.0, 0.0),
        shifts: Mapping[int, float] = MappingProxyType({}),
    ) -> None:
        """Go on from a pose, such as another solver's, or from one near it in limits.

        Args:
            rotations: Of the joints, (n, 4) w x y z, root space.
            pulled: How far a free root joint is from where it starts, (3,)
                [scene unit], root space.
            shifts: How far joints that slide are, by index [scene unit]; default: 0.
        """
        kernel, buffers = self._space.kernel, self._space.buffers
        turns = multiply(rotations, conjugate(self.model.rotations))
        still = [1.0, 0.0, 0.0, 0.0] * self._shift
        buffers["turns"][:] = buffer([*still, *turns.ravel().tolist()])
        shift = self._shift
        free = dict(enumerate(pulled[:shift]))
        self._space.shift({**free, **{j + shift: shifts[j] for j in shifts}})
        kernel.take_wanted()
        kernel.show(1.0, -1.0)
        kernel.write()

    def _rows(self, name: str, width: int) -> Floats:
        rows = np.array(self._space.buffers[name]).reshape(-1, width)
        return rows[self._shift :]

    @property
    def positions(self) -> Floats:
        """Joint positions of the last solve, (n, 3) [scene unit], root space."""
        return self._rows("places", 3) + self._root

    @property
    def rotations(self) -> Floats:
        """Joint rotations of the last solve, (n, 4) w x y z, root space."""
        return self._rows("rot", 4)

    @property
    def local_rotations(self) -> Floats:
        """Joint rotations of the last solve, (n, 4) w x y z, each in its frame."""
        return self._rows("local", 4)

    @property
    def joint_angles(self) -> dict[int, tuple[float, ...]]:
        """Angles of limited joints, as ``ChainSolver.joint_angles`` says."""
        angles, shift = self._space.angles(), self._shift
        return {j - shift: values for j, values in angles.items() if j >= shift}

    @property
    def local_buffer(self) -> Numbers:
        """The numbers of ``local_rotations``, flat."""
        local: Numbers = self._space.buffers["local"][4 * self._shift :]
        return local

    @property
    def pulled(self) -> Numbers:
        """How far the goals have pulled a free root, (3,) [scene unit], root space."""
        if self.pinned:
            return (0.0, 0.0, 0.0)
        found: Numbers = self._space.buffers["shown_value"][: len(AXES)]
        return found

    @property
    def root_place(self) -> Numbers:
        """Where the root joint is, (3,) [scene unit], root space."""
        i = 3 * self._shift
        x, y, z = self._space.buffers["places"][i : i + 3]
        return x + self._root[0], y + self._root[1], z + self._root[2]

    def solve(
        self,
        goals: Sequence[Numbers],
        *,
        turns: Sequence[Numbers | None] | None = None,
        weights: Numbers | None = None,
        orientation_weights: Numbers | None = None,
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
            root: Where the root joint is, (3,) [scene unit], root space; free, where it
                starts from. Default: where the model has it.
            settings: Limits and blending; ``soften``, ``stretch``, ``twist_spread`` and
                ``roll_from`` mean nothing here.
            dt: Time since the last frame [s]; only ``max_step`` uses it.

        Returns:
            Status, the largest error of those that count, and each one's in ``errors``.

        Raises:
            SettingError: An argument is not of this shape.
        """
        space, buffers = self._space, self._space.buffers
        kernel = space.kernel
        turns = [None] * len(self.effectors) if turns is None else turns
        if not isinstance(settings, SolveSettings):
            raise SettingError(f"settings must be a SolveSettings, not {settings!r}")
        if not 0.0 <= dt < inf:
            dt = 0.0
        bad = self._aim(goals, turns, weights, orientation_weights, root)
        if bad:
            return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, detail=bad)
        tolerance = settings.tolerance
        if tolerance is None:
            tolerance = 1e-3 * kernel.size
        # start from the start pose, from the last one or between
        snap_back = settings.snap_back_strength or 0.0
        if snap_back == 1.0:
            kernel.rest()
        else:
            kernel.pull_back(snap_back)
        kernel.stuck = 0
        space.note_goals(snap_back)
        used = self._method.descend(space, settings, tolerance)
        if self._method.finishes:
            space.finish(settings, tolerance, used)
        space.note_arrival(settings, tolerance)
        kernel.forward()
        for e, joint in enumerate(self.effectors):
            if joint in self.model.leaves and buffers["weights"][2 * e + 1] == 0.0:
                kernel.turn_leaf(e, turns[e] is not None)
        limit = settings.max_step * dt if settings.max_step else -1.0
        # what is animated may be outside its limits: only its own turns blend with it
        held = kernel.show(1.0 if self._animated else settings.weight, limit)
        if self._animated and settings.weight < 1.0:
            kernel.blend(settings.weight)
            held = held or 1
        kernel.write()
        return self._judge(goals, turns, settings, tolerance, used, held)

    def _aim(
        self,
        goals: Sequence[Numbers],
        turns: Sequence[Numbers | None],
        weights: Numbers | None,
        orientation_weights: Numbers | None,
        root: Numbers | None,
    ) -> str:
        """Write the frame's goals into the buffers; return what can't be used."""
        buffers = self._space.buffers
        goal, goal_turn = buffers["goal"], buffers["goal_turn"]
        strength = buffers["weights"]
        if root is None:
            root = tuple(self.model.positions[0].tolist())
        ones = [1.0] * len(self.effectors)
        weights = ones if weights is None else weights
        if orientation_weights is None:
            orientation_weights = [0.0] * len(self.effectors)
        try:
            rx, ry, rz = root
            rows = zip(
                goals, turns, weights, orientation_weights, self._far, strict=True
            )
            for e, ((x, y, z), turn, weight, orientation, far) in enumerate(rows):
                x, y, z = x - rx, y - ry, z - rz
                away = (x * x + y * y + z * z) ** 0.5
                name = self.model.names[self.effectors[e]]
                if not isfinite(away):
                    return f"the goal of {name} is not finite: {goals[e]}"
                if not (weight < MOST_WEIGHT and orientation < MOST_WEIGHT):
                    return f"a weight of {name} is too large: {weight}, {orientation}"
                # what is out of reach is pulled back to what is not: far goals would
                # outweigh all others
                back = far / away if self.pinned and away > far else 1.0
                i = 3 * e
                goal[i], goal[i + 1], goal[i + 2] = back * x, back * y, back * z
                # what is squared in the end is the error with its weight
                strength[2 * e] = weight**0.5 if weight > 0.0 else 0.0
                strength[2 * e + 1] = 0.0
                if turn is not None:
                    a, b, c, d = turn
                    size = (a * a + b * b + c * c + d * d) ** 0.5
                    if not 1e-6 < size < inf:
                        return f"the turn of {name} is none: {tuple(turn)}"
                    i = 4 * e
                    goal_turn[i], goal_turn[i + 1] = a / size, b / size
                    goal_turn[i + 2], goal_turn[i + 3] = c / size, d / size
                    strength[2 * e + 1] = orientation if orientation > 0.0 else 0.0
                    if self._animated:
                        self._space.kernel.aim_posed(e)
        except (TypeError, ValueError):
            raise SettingError(
                f"a tree with {len(self.effectors)} effectors takes as many goals of 3 "
                "numbers, turns of 4 or None, weights and orientation_weights, and a "
                f"root of 3, not goals={goals!r}, turns={turns!r}, weights={weights!r},"
                f" orientation_weights={orientation_weights!r}, root={root!r}"
            ) from None
        self._root = root
        return ""

    def _judge(
        self,
        goals: Sequence[Numbers],
        turns: Sequence[Numbers | None],
        settings: SolveSettings,
        tolerance: float,
        used: int,
        held: int,
    ) -> SolveResult:
        """Return how the pose that is shown does."""
        space, buffers = self._space, self._space.buffers
        places, shown = buffers["places"], buffers["turns"]
        strength = buffers["weights"]
        rx, ry, rz = self._root
        error = turn_error = 0.0
        errors = []
        beyond = False
        for e, joint in enumerate(self.effectors):
            k = joint + self._shift
            gx, gy, gz = goals[e]
            x = places[3 * k] + rx - gx
            y = places[3 * k + 1] + ry - gy
            z = places[3 * k + 2] + rz - gz
            gap = (x * x + y * y + z * z) ** 0.5
            errors.append(gap)
            if strength[2 * e] > 0.0:
                error = max(error, gap)
                x, y, z = gx - rx, gy - ry, gz - rz
                away = (x * x + y * y + z * z) ** 0.5
                beyond = beyond or (self.pinned and away > self._far[e] + tolerance)
            if strength[2 * e + 1] > 0.0:
                a, b = shown[4 * k : 4 * k + 4], buffers["goal_turn"][4 * e : 4 * e + 4]
                turn_error = max(turn_error, _angle(a, b))
        blocked_by: tuple[Blocked, ...] = ()
        status = SolveStatus.MAX_ITERATIONS
        if error <= tolerance and turn_error <= settings.orientation_tolerance:
            status = SolveStatus.CONVERGED
        else:
            if held:
                status = SolveStatus.STALLED
            elif beyond:
                status = SolveStatus.UNREACHABLE
            elif space.kernel.stuck:
                status = SolveStatus.STALLED
            blocked_by = tuple(
                found._replace(joint=found.joint - self._shift)
                for found in space.blocked(("",) * self._shift + self.model.names)
            )
        self.settled = held != HELD_BY_STEP and (
            settings.snap_back_strength == 1.0
            or status is not SolveStatus.MAX_ITERATIONS
        )
        return SolveResult(
            status,
            error,
            used,
            orientation_error=turn_error,
            blocked_by=blocked_by,
            errors=tuple(errors),
        )


def _angle(a: Numbers, b: Numbers) -> float:
    """Return the angle between two unit quaternions [rad]."""
    apart = sum((p - q) ** 2 for p, q in zip(a, b, strict=True))
    other = sum((p + q) ** 2 for p, q in zip(a, b, strict=True))
    return 4.0 * atan2(min(apart, other) ** 0.5, max(apart, other) ** 0.5)


def _find(model: SkeletonModel, effectors: Sequence[str | int]) -> tuple[int, ...]:
    """Return joint indices.

    Raises:
        SettingError: One is no joint or there twice, or there are none.
    """
    found: list[int] = []
    for key in effectors if isinstance(effectors, Iterable) else ():
        joint = find_joint(model, key, "effectors")
        if joint in found:
            raise SettingError(
                f"effectors: {key!r}, joint {joint}, {model.names[joint]}, is there "
                "twice: name each effector once"
            )
        found.append(joint)
    if not found:
        raise SettingError(
            "effectors must be joints by name or index, at least one, not "
            f"{effectors!r}; there are {', '.join(model.names)}"
        )
    return tuple(found)
