"""MultiEffectorSolver: effectors on a tree of joints, chains and robots too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import hypot, inf
from types import MappingProxyType
from typing import ClassVar, Protocol, cast

import numpy as np

from ..checks import array_of, checked_instance, entries
from ..copies import Uncopied
from ..errors import ModelError, SettingError, name_list, shown
from ..kernels import COMPILED, buffer, index_buffer, zeros
from ..kernels.codes import BAD_GOAL, BAD_ROOT, BAD_WEIGHT, NOT_PLAIN
from ..kernels.joints import JointKernel
from ..math3d.quaternion import Floats, conjugate, multiply, rotate, unit_rotations
from ..model.limits import Limit, LimitsByJoint, SlideLimit
from ..model.skeleton import ChainModel, SkeletonModel, find_joint, path_lengths
from ..value_shapes import VECTOR, Flag, Items, checked
from .buffers import NONE, fill, reader
from .joint_limits import check_limits, with_leader_shifted
from .joint_motion import apply_motion
from .joint_space import EXACT, JointSpace, straight_side
from .registry import find_solver
from .settings import DEFAULT, Blocked, SolveResult, SolveSettings, SolveStatus
from .slides import check_shifts
from .solve_arguments import LONGEST, animated, plain_rows, plain_time
from .tree_segments import count_effectors

Numbers = Sequence[float]

FREE_AXES = "xyz"
"""The axes of the three slides that carry a free root."""
FARTHEST_POLE = 1e149
"""Poles farther off could not be squared."""


class Method(Protocol):
    """What moves the joints: a class of a solver, or a chain's solver itself."""

    needs_polish: ClassVar[bool]

    @property
    def iterate(self) -> Callable[[JointSpace, SolveSettings, float], int]:
        """Move the joints towards their goals; return the iterations used."""

    @property
    def check(self) -> Callable[[JointSpace], None]:
        """Raise ModelError where the method can't solve the joints."""


class MultiEffectorSolver(Uncopied):
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
        if not (isinstance(kind, type) and getattr(kind, "multi_effector", False)):
            raise SettingError(
                f"solver {shown(method)} solves chains, not trees with several "
                "effectors: use 'fabrik', 'ccd' or 'dls'"
            )
        self._set_up(model, effectors, limits, cast(Method, kind), pinned)

    @classmethod
    def of_chain(
        cls,
        model: SkeletonModel,
        limits: Mapping[int, Limit],
        method: Method,
        more: Mapping[str, int],
        aliases: Mapping[str, str],
    ) -> MultiEffectorSolver:
        """Return the tree that a chain with joint coordinates is.

        Args:
            model: The chain.
            limits: Its limits by joint.
            method: The chain's solver.
            more: Sizes of buffers for the chain's own kernel.
            aliases: Further names of buffers.
        """
        tree = cls.__new__(cls)
        by_joint: dict[str | int, Limit] = dict(limits.items())
        tree._set_up(
            model, [len(model.parents) - 1], by_joint, method, True, more, aliases
        )
        return tree

    def _set_up(
        self,
        model: SkeletonModel,
        effectors: Sequence[str | int] | None,
        limits: LimitsByJoint | None,
        method: Method,
        pinned: bool,
        more: Mapping[str, int] = NONE,
        aliases: Mapping[str, str] = NONE,
    ) -> None:
        self.pinned: bool = checked(Flag(), pinned, "pinned", SettingError)
        self._method = method
        _check_model(model)
        self.effectors = model.leaves if effectors is None else _find(model, effectors)
        self._parents = model.parents
        found = check_limits(model, limits)
        self._shift = 0
        if not pinned:
            # three slides carry the root
            self._shift = len(FREE_AXES)
            found = {
                j + self._shift: with_leader_shifted(limit, self._shift)
                for j, limit in found.items()
            }
            found.update((k, SlideLimit(axis)) for k, axis in enumerate(FREE_AXES))
        ends = [j + self._shift for j in self.effectors]
        self._space = JointSpace(self._sliding(model), found, ends, more, aliases)
        self._frame = self._space.frame
        self._frame.pinned = pinned
        self.local_buffer: Numbers = reader(
            self._space.buffers["local"], 4 * self._shift
        )
        """The numbers of ``local_rotations``, flat, live and read-only."""
        self._tips = np.zeros((len(self.effectors), 3))
        self._branches = [-1] * len(self.effectors)
        self._take_rest_pose(model)
        self.reset()
        method.check(self._space)

    # -- the start pose ----------------------------------------------------------------

    def set_rest_pose(self, model: SkeletonModel) -> None:
        """Set a start pose of the same tree; keep the pose of the last frame.

        Raises:
            ModelError: The joints have different parents.
        """
        _check_model(model)
        if self._parents != model.parents:
            raise ModelError(
                f"the solver is for joints with the parents {shown(self._parents)}, "
                f"but the model has {shown(model.parents)}: create a new solver"
            )
        self._space.set_rest_pose(self._sliding(model))
        self._take_rest_pose(model)

    def _take_rest_pose(self, model: SkeletonModel) -> None:
        """Write what the space does not have of a start pose."""
        self.model = model
        # the settings that the kernel has; None would be a value
        self._settings: object = NotImplemented
        space, buffers = self._space, self._space.buffers
        self._frame.animated = False
        before = model.rotations[[0, *model.parents[1:]]].copy()
        before[0] = 1.0, 0.0, 0.0, 0.0
        mirror = multiply(conjugate(before), model.frame_rotations)
        still = [1.0, 0.0, 0.0, 0.0] * self._shift
        turned = buffer([*still, *model.rotations.ravel().tolist()])
        buffers["limit_rot"][:] = buffers["rest_rot"][:] = turned
        buffers["mirror"][:] = buffer([*still, *mirror.ravel().tolist()])
        self._start: Numbers = tuple(model.positions[0].tolist())
        self._root: Numbers = self._start
        away = path_lengths(space.model.parents, space.longest_bones)
        self._away = [float(away[j + self._shift]) for j in self.effectors]
        self._measure_tips()
        for e in range(len(self.effectors)):
            branch = self._branch_joints(e)
            if len(branch) > 2:
                side = self._side(branch)
                # else it has no side of its own
                bends = side[0] > EXACT or isinstance(model, ChainModel)
                buffers["folds_at"][e] = branch[0] + self._shift if bends else -1
                buffers["side"][4 * e : 4 * e + 4] = buffer(side)

    def _side(self, branch: Sequence[int]) -> tuple[float, float, float, float]:
        """Return the side to which a branch bends, as ``straight_side``."""
        model = self.model
        bend = model.bend if isinstance(model, ChainModel) else None
        if model.bends:
            bend = model.bends.get(branch[-1])
        return straight_side(model.positions[branch], bend)

    def animate(self, joints: Numbers) -> float:
        """Use this frame's animation as the start pose, as ``ChainSolver.animate``.

        Raises:
            ModelError: The count is wrong: nothing moves. All joints are at one
                position, or numbers are not finite: the start pose is then the
                model's again.
        """
        space = self._space
        if self._shift:
            # the count is that without the joints in front of the root
            taken = zeros(10 * len(self.model.parents))
            fill(taken, joints, "joints")
            joints = taken
            # the first joint in front has the root's position
            still = (1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
            there = (0.0, 0.0, 0.0, *still) * (self._shift - 1)
            slid = (*joints[:3], *still, *there, 0.0, 0.0, 0.0, *joints[3:])
            joints = buffer(slid)
        fill(space.buffers["local_trs"], joints, "joints")
        try:
            uneven = animated(space.kernel, f"below {self.model.names[0]}")
        except ModelError:
            self.set_rest_pose(self.model)
            raise
        self._frame.animated = True
        self._find_reaches()
        return uneven

    def _sliding(self, model: SkeletonModel) -> SkeletonModel:
        if self.pinned:
            return model
        first = np.repeat(model.positions[:1], self._shift, axis=0)
        above = range(-1, self._shift - 1)
        return SkeletonModel(
            np.vstack([first, model.positions]),
            [*above, *(parent + self._shift for parent in model.parents)],
        )

    def start_rotations(self, e: int) -> object:
        """Return the start pose's rotations of the joints up to an effector's, or None.

        Flat and live, 4 numbers each, root space, the effector's last; None for lists
        (interpreted kernels), which have no live slices.
        """
        end = 4 * (self.effectors[e] + self._shift + 1)
        rotations = self._space.buffers["rest_rot"]
        return rotations[:end] if COMPILED else None

    def effector_starts(self) -> Floats:
        """Return the effectors' rotations in the start pose, (e, 4) w x y z."""
        return self._rows("rest_rot", 4)[list(self.effectors)]

    # -- the pose ----------------------------------------------------------------------

    @property
    def space(self) -> JointSpace:
        """The joints in coordinates, and their goals."""
        return self._space

    @property
    def kernel(self) -> JointKernel:
        """The compiled state: coordinates, goals and the pose."""
        return self._space.kernel

    def reset(self) -> None:
        """Reset the pose to the start pose, and forget the last frame."""
        self._space.reset()
        self._space.kernel.write()

    def set_pose(
        self,
        rotations: Floats,
        pulled: Numbers = (0.0, 0.0, 0.0),
        shifts: Mapping[int, float] = MappingProxyType({}),
    ) -> None:
        """Set the pose, such as another solver's, or the nearest one inside limits.

        Args:
            rotations: Rotations of the joints, (n, 4) w x y z, root space.
            pulled: Shift of a free root joint from its start, (3,) [scene unit], root
                space.
            shifts: Shifts of sliding joints, by index [scene unit]; default: 0.

        Raises:
            ModelError: They are not finite numbers of this shape.
        """
        buffers = self._space.buffers
        unit = unit_rotations(rotations, self.model.rotations.shape)
        pulled = array_of(pulled, (3,), "pulled", ModelError).tolist()
        shifts = check_shifts(shifts)
        turned = multiply(unit, conjugate(self.model.rotations))
        still = [1.0, 0.0, 0.0, 0.0] * self._shift
        buffers["rotations"][:] = buffer([*still, *turned.ravel().tolist()])
        shift = self._shift
        free = dict(enumerate(pulled[:shift]))
        self.show_rotations({**free, **{j + shift: shifts[j] for j in shifts}})

    def show_rotations(self, shifts: Mapping[int, float]) -> None:
        """Show ``rotations`` of the space as near as limits allow, and slides."""
        kernel = self._space.kernel
        self._space.shift(shifts)
        kernel.set_from_solved_rot()
        kernel.show(1.0, -1.0, -1.0)
        kernel.write()

    def _rows(self, name: str, width: int) -> Floats:
        rows = np.array(self._space.buffers[name]).reshape(-1, width)
        return rows[self._shift :]

    @property
    def positions(self) -> Floats:
        """Joint positions of the last solve, (n, 3) [scene unit], root space."""
        return self._rows("joint_pos", 3) + self._root

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
        """Angles of limited joints, as ``ChainSolver.joint_angles``."""
        angles, shift = self._space.angles(), self._shift
        return {j - shift: values for j, values in angles.items() if j >= shift}

    @property
    def pulled(self) -> Numbers:
        """Shift of a free root by the goals, (3,) [scene unit], root space."""
        if self.pinned:
            return (0.0, 0.0, 0.0)
        return tuple(self._space.buffers["shown_value"][: len(FREE_AXES)])

    @property
    def root_position(self) -> Numbers:
        """Position of the root joint, (3,) [scene unit], root space."""
        i = 3 * self._shift
        x, y, z = self._space.buffers["joint_pos"][i : i + 3]
        return x + self._root[0], y + self._root[1], z + self._root[2]

    @property
    def reached(self) -> Floats:
        """Positions of the tips after the last solve, (e, 3) [scene unit], root space.

        For goals out of reach these are the nearest positions, as for a chain's.
        """
        positions = self.positions[list(self.effectors)]
        loose = 1.0 - np.array(self._space.buffers["rigid"])
        turned = rotate(self.rotations[list(self.effectors)], self._tips)
        found: Floats = positions + loose[:, None] * turned
        return found

    # -- effectors ---------------------------------------------------------------------

    @property
    def tips(self) -> tuple[tuple[float, ...], ...]:
        """The point of each effector that reaches, as ``ChainSolver.tip``.

        Can be set at any time. Where an effector's joint has children, or its rotation
        counts in the solve, the joint turns to move its tip to the goal.

        Raises:
            SettingError: They are not three finite numbers each.
        """
        return tuple(tuple(tip) for tip in self._tips.tolist())

    @tips.setter
    def tips(self, tips: Sequence[Numbers]) -> None:
        count = len(self.effectors)
        shape = Items("a point for each effector", VECTOR, count)
        found = checked(shape, tips, "tips", SettingError)
        if len(found) != count:
            raise SettingError(f"tips must be {count} points, not {shown(tips)}")
        if found != self.tips:
            self._frame.loosen()
            self._tips = np.array(found)
            self._measure_tips()

    def set_tips(self, offsets: Sequence[Numbers]) -> None:
        """Set ``tips`` from their offsets in the start pose, from their joints.

        Args:
            offsets: A row for each effector, (e, 3), root space.
        """
        tips = rotate(conjugate(self.effector_starts()), np.array(offsets))
        if not np.allclose(tips, self._tips, rtol=1e-9, atol=0.0):
            self.tips = tips.tolist()

    def _measure_tips(self) -> None:
        """Write the tips' offsets in the pose that limits refer to, root space."""
        buffers, tipped = self._space.buffers, bool(self._tips.any())
        offsets = self._tips
        if tipped:
            rotations = self.model.rotations[list(self.effectors)]
            offsets = rotate(rotations, self._tips)
        buffers["tip_arm"][:] = buffer(offsets.ravel().tolist())
        buffers["tool"][:] = zeros(len(buffers["tool"]))
        self._frame.tipped = tipped
        self._find_reaches()

    def _find_reaches(self) -> None:
        # the start pose that calls this has all tips released
        buffers = self._space.buffers
        buffers["rigid"][:] = index_buffer([0] * len(self.effectors))
        if self._frame.animated and self.pinned:
            kernel = self._space.kernel
            self._away = [kernel.bones_before(e) for e in range(len(self.effectors))]
        arms = [hypot(*tip) for tip in self._tips.tolist()]
        buffers["far"][:] = buffer(a + b for a, b in zip(self._away, arms, strict=True))

    @property
    def reach(self) -> float:
        """Length of the bones from the root to the farthest effector [scene unit]."""
        return float(self._space.kernel.size)

    @property
    def reaches(self) -> Sequence[float]:
        """Distance from the root that each effector can reach [scene unit]."""
        return tuple(self._space.buffers["far"])

    def branch(self, e: int) -> int:
        """Return the first joint that moves effector e alone.

        Raises:
            SettingError: Its branch has fewer than two bones.
        """
        name, joints = self.model.names[self.effectors[e]], self._branch_joints(e)
        if len(joints) < 3:
            raise SettingError(
                f"pole of {name}: it needs at least two bones in a row that move only "
                f"{name}, but there are {max(len(joints) - 1, 0)}"
            )
        return joints[0]

    def _branch_joints(self, e: int) -> list[int]:
        parents = self.model.parents
        moved = count_effectors(parents, self.effectors)
        joint, joints = self.effectors[e], []
        while joint >= 0 and moved[joint] == 1:
            joints.append(joint)
            joint = parents[joint]
        return joints[::-1]

    # -- a frame -----------------------------------------------------------------------

    @property
    def unchanged(self) -> bool:
        """Whether another solve for the same goals would change nothing."""
        return bool(self._frame.unchanged)

    def forget_motion(self) -> None:
        """Treat the next goals as new ones, unrelated to the last pose."""
        self._frame.forget_motion()

    def apply_settings(self, settings: SolveSettings) -> None:
        """Apply the settings of single joints; ``solve`` does this by itself."""
        checked_instance(settings, SolveSettings, "settings", SettingError)
        apply_motion(self._space, settings, self.model, self._shift)
        if settings.tolerance is None:
            self._frame.tolerance = 1e-3 * self._space.kernel.size
        self._settings = settings

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
        count, frame = len(self.effectors), self._frame
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
        elif not 0.0 <= dt <= LONGEST:
            dt = 0.0
        place = self._start if root is None else root
        try:
            bad = frame.read(goals, rotations, weights, orientation_weights, place)
        except (LookupError, OverflowError, TypeError, ValueError, Warning):
            bad = NOT_PLAIN
        if bad == NOT_PLAIN:
            # other types of numbers, or invalid ones, are converted or reported by name
            given = plain_rows(
                count, goals, rotations, weights, orientation_weights, root
            )
            given["poles"] = poles
            if strict:
                del given["orientation_weights"]
            return self.solve(**given, settings=settings, dt=dt)
        detail = ""
        if bad:
            row = rotations, weights, orientation_weights, place
            detail = self._what_is_bad(bad, goals, *row)
        elif poles is not None:
            detail = self._bad_pole(poles)
        if detail:
            return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, detail=detail)
        self._root = frame.rx, frame.ry, frame.rz
        frame.poled = False
        if poles is not None:
            frame.set_poles(poles, self._branches)
        self.move(settings, dt)
        result: SolveResult = frame.result(
            strict, frame.beyond, True, self._find_blocked
        )
        return result

    def set_weights(self, weights: Numbers, orientation_weights: Numbers) -> None:
        """Set the weights of each goal's position and rotation in the kernel."""
        strength = self._space.buffers["weights"]
        # the kernel squares the error with its weight
        for e, (weight, orientation) in enumerate(
            zip(weights, orientation_weights, strict=True)
        ):
            strength[2 * e] = weight**0.5 if weight > 0.0 else 0.0
            strength[2 * e + 1] = orientation if orientation > 0.0 else 0.0

    def _what_is_bad(
        self,
        bad: int,
        goals: Sequence[Numbers],
        rotations: Sequence[Numbers | None],
        weights: Numbers,
        orientation_weights: Numbers,
        root: Numbers,
    ) -> str:
        """Return an error message for a code of the kernel's ``read``."""
        e = self._frame.bad
        name = self.model.names[self.effectors[e]]
        if bad == BAD_ROOT:
            return f"root is not finite: {shown(tuple(root))}"
        if bad == BAD_GOAL:
            return f"the goal of {name} is not finite: {shown(goals[e])}"
        if bad == BAD_WEIGHT:
            both = f"{weights[e]}, {orientation_weights[e]}"
            return f"a weight of {name} is too large: {both}"
        turn = rotations[e]
        assert turn is not None
        return f"the rotation of {name} is invalid: {shown(tuple(turn))}"

    def _check_poles(
        self, poles: Sequence[Numbers | None]
    ) -> tuple[Numbers | None, ...]:
        """Return the poles as a tuple, and find their branches."""
        found = tuple(poles)
        if len(found) != len(self.effectors):
            raise SettingError(
                f"poles must be {len(self.effectors)} points or None, not "
                f"{shown(poles)}"
            )
        for e, pole in enumerate(found):
            if pole is not None and self._branches[e] < 0:
                self._branches[e] = self.branch(e) + self._shift
        return found

    def _bad_pole(self, poles: Sequence[Numbers | None]) -> str:
        """Return an error message for a pole that is not finite, or ""."""
        for joint, pole in zip(self.effectors, poles, strict=True):
            if pole is not None and not all(abs(x) < FARTHEST_POLE for x in pole):
                name = self.model.names[joint]
                return f"the pole of {name} is not finite: {shown(pole)}"
        return ""

    def move(
        self,
        settings: SolveSettings,
        dt: float,
        guess: Callable[[], None] | None = None,
    ) -> None:
        """Move the pose to the goals that are set in the frame.

        Args:
            settings: As for ``solve``, applied.
            dt: As for ``solve``.
            guess: Sets the pose to start from, in place of the last one.
        """
        frame, method = self._frame, self._method
        try:
            frame.begin(guess, dt)
            used = method.iterate(self._space, settings, frame.tolerance)
            frame.end(used, method.needs_polish, dt)
        except (ArithmeticError, ValueError):
            # where numbers are not finite machine code continues and Python raises
            if self._space.kernel.sound():
                # an error in a user's method
                raise
            frame.lose()

    def move_to(
        self,
        settings: SolveSettings,
        dt: float,
        guess: Callable[[], None] | None,
        root: Numbers,
        beyond: bool,
    ) -> SolveResult:
        """Move the only effector to the goal that is set in the frame.

        Args:
            settings: As for ``solve``, applied.
            dt: As for ``solve``.
            guess: As for ``move``.
            root: Position of the root joint, (3,) [scene unit], root space.
            beyond: Whether the goal is out of reach.
        """
        self._root = root
        self.move(settings, dt, guess)
        result: SolveResult = self._frame.result(
            False, beyond, False, self._find_blocked
        )
        return result

    def _find_blocked(self) -> tuple[Blocked, ...]:
        names = ("",) * self._shift + self.model.names
        found = self._space.blocked(names)
        if not self._shift:
            return found
        return tuple(
            blocked._replace(joint=blocked.joint - self._shift) for blocked in found
        )


def _check_model(model: object) -> None:
    checked_instance(model, SkeletonModel, "the model of a tree's solver", ModelError)


def _find(model: SkeletonModel, effectors: Sequence[str | int]) -> tuple[int, ...]:
    found: list[int] = []
    for key in entries(effectors) or ():
        joint = find_joint(model, key, "effectors")
        if joint in found:
            raise SettingError(
                f"effectors: {shown(key)} is joint {joint}, {model.names[joint]}, "
                "which is given twice: give each effector once"
            )
        found.append(joint)
    if not found:
        raise SettingError(
            "effectors must be joints by name or index, at least one, not "
            f"{shown(effectors)}; available: {name_list(model.names)}"
        )
    return tuple(found)
