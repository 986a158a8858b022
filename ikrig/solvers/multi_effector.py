"""MultiEffectorSolver: effectors on a tree of joints, chains and robots too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import exp, inf
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Protocol, cast

import numpy as np

from ..checks import array_of, checked_instance, entries
from ..copies import Uncopied
from ..errors import ModelError, SettingError, name_list, shown
from ..kernels import COMPILED, buffer, zeros
from ..math3d.quaternion import Floats, conjugate, multiply, rotate, unit_rotations
from ..model.limits import Limit, LimitsByJoint, SlideLimit
from ..model.skeleton import ChainModel, SkeletonModel, find_joint, path_lengths
from ..value_shapes import VECTOR, Flag, Items, checked
from .buffers import NONE, fill, reader
from .joint_limits import check_limits, with_leader_shifted
from .joint_motion import apply_motion, settle
from .joint_space import DRAWN, EXACT, POLISH_FRACTION, JointSpace, straight_side
from .registry import find_solver
from .settings import (
    DEFAULT,
    MOST_WEIGHT,
    Blocked,
    SolveResult,
    SolveSettings,
    SolveStatus,
)
from .slides import check_shifts, longest_bones
from .solve_arguments import LONGEST, plain_rows, plain_time
from .tree_segments import count_effectors

Numbers = Sequence[float]

FREE_AXES = "xyz"
"""The axes of the three slides that carry a free root."""
BAD_NUMBERS = "the solver's numbers were not finite: it was reset"
BLOCKED_BY_STEP = 2
"""The kernel's result when ``max_step`` holds the pose back."""
NOT_FINITE = 3
"""The kernel's result when numbers are no longer finite."""
TIP_SOLVES = 8
"""Maximum number of further solves for a tip whose joint is held by its limit."""
LARGEST_SQUARE = 1e300
"""Maximum sum of the squared arguments of a solve."""
FARTHEST_POLE = 1e149
"""Poles farther off could not be squared."""
UNKNOWN = 0.0, 0.0, 0.0
"""The side of a branch that is straight and may bend to any."""


class Method(Protocol):
    """What moves the joints: a class of a solver, or a chain's solver itself."""

    needs_polish: ClassVar[bool]

    @property
    def iterate(self) -> Callable[[JointSpace, SolveSettings, float], int]:
        """Move the joints towards their goals; return the iterations used."""

    @property
    def check(self) -> Callable[[JointSpace], None]:
        """Raise ModelError where the method can't solve the joints."""


class Move(NamedTuple):
    """What a frame's solve did."""

    used: int
    """Iterations."""
    blocker: int
    """The kernel's code of what holds the pose back; 0: nothing."""
    left: float
    """The gap that the method left [scene unit]."""


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
        leaves = set(model.leaves)
        self._is_leaf = [joint in leaves for joint in self.effectors]
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
        buffers = self._space.buffers
        # views that each frame uses
        self._goal, self._goal_rot = buffers["goal"], buffers["goal_rot"]
        self._strength = buffers["weights"]
        self.local_buffer: Numbers = reader(
            self._space.buffers["local"], 4 * self._shift
        )
        """The numbers of ``local_rotations``, flat, live and read-only."""
        self.unchanged = False
        """Whether another solve for the same goals would change nothing."""
        count = len(self.effectors)
        self._tips = np.zeros((count, 3))
        self._rigid = [False] * count
        self._held_off = [False] * count
        self._soften = 0.0
        self._branches: dict[int, int] = {}
        self.set_rest_pose(model)
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
        self.model = model
        self._settings: object = NotImplemented
        self._animated = False
        space, buffers = self._space, self._space.buffers
        space.set_rest_pose(self._sliding(model))
        before = model.rotations[[0, *model.parents[1:]]].copy()
        before[0] = 1.0, 0.0, 0.0, 0.0
        mirror = multiply(conjugate(before), model.frame_rotations)
        still = [1.0, 0.0, 0.0, 0.0] * self._shift
        turned = buffer([*still, *model.rotations.ravel().tolist()])
        buffers["limit_rot"][:] = buffers["rest_rot"][:] = turned
        buffers["mirror"][:] = buffer([*still, *mirror.ravel().tolist()])
        self._root: Numbers = tuple(model.positions[0].tolist())
        whole = self._sliding(model)
        away = path_lengths(whole.parents, longest_bones(whole, self._space.limits))
        self._away = [float(away[j + self._shift]) for j in self.effectors]
        self._rigid = [False] * len(self.effectors)
        self._measure_tips()
        self._sides: list[tuple[Any, ...]] = []
        self._side_of: dict[int, Numbers] = {}
        for e in range(len(self.effectors)):
            branch = self._branch_joints(e)
            if len(branch) < 3:
                continue
            side = self._side(branch)
            if side[0] > EXACT:
                # else it has no side of its own
                self._side_of[e] = side[1:]
            if e in self._side_of or isinstance(model, ChainModel):
                self._sides.append((e, branch[0] + self._shift, *side))

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
            uneven: float = space.kernel.set_from_locals()
        except (ArithmeticError, ValueError):
            # where numbers are not finite machine code continues and Python raises
            uneven = -1.0
        if uneven < 0.0:
            self.set_rest_pose(self.model)
            raise ModelError(
                f"the joints below {self.model.names[0]} are all at one position, or "
                "not finite: a node may be scaled to 0"
            )
        self._animated = True
        self._rigid = [False] * len(self.effectors)
        self._find_reaches()
        return uneven

    def _sliding(self, model: SkeletonModel) -> SkeletonModel:
        """Return the model with three joints in front of a free root."""
        if self.pinned:
            return model
        first = np.repeat(model.positions[:1], self._shift, axis=0)
        above = range(-1, self._shift - 1)
        return SkeletonModel(
            np.vstack([first, model.positions]),
            [*above, *(parent + self._shift for parent in model.parents)],
        )

    def start_rotations(self, e: int) -> Any:
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
    def kernel(self) -> Any:
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
        loose = ~np.array(self._rigid)
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
            self._loosen()
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
        """Store the tips' offsets in the pose that limits refer to, root space."""
        rotations = self.model.rotations[list(self.effectors)]
        self._tip_offsets = rotate(rotations, self._tips)
        self._tipped = bool(self._tips.any())
        tools = self._space.buffers["tool"]
        tools[:] = zeros(len(tools))
        self._lengths: list[float] = np.linalg.norm(self._tips, axis=1).tolist()
        self._find_reaches()

    def _find_reaches(self) -> None:
        """Set the distance from the root that each effector can reach."""
        if self._animated and self.pinned:
            kernel = self._space.kernel
            self._away = [kernel.bones_before(e) for e in range(len(self.effectors))]
        self._far = [a + b for a, b in zip(self._away, self._lengths, strict=True)]

    def _loosen(self) -> None:
        """Release all tips from the bones before their joints."""
        for e in range(len(self.effectors)):
            self._set_rigid(e, False)

    def _set_rigid(self, e: int, rigid: bool) -> None:
        """Fix a tip against the bone before its joint, or release it.

        The bone then leads to the tip.
        """
        if self._rigid[e] == rigid:
            return
        self._rigid[e] = rigid
        buffers, j = self._space.buffers, self.effectors[e] + self._shift
        # the joint's rotation in the start pose, as animated
        start = np.array(buffers["start_q"][4 * j : 4 * j + 4])
        moved = rotate(start, self._tip_offsets[e] if rigid else -self._tip_offsets[e])
        moved += buffers["offset"][3 * j : 3 * j + 3]
        buffers["offset"][3 * j : 3 * j + 3] = buffer(moved.tolist())

    @property
    def reach(self) -> float:
        """Length of the bones from the root to the farthest effector [scene unit]."""
        return float(self._space.kernel.size)

    @property
    def reaches(self) -> Sequence[float]:
        """Distance from the root that each effector can reach [scene unit]."""
        return self._far

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
        """Return the joints that move effector e alone, the first one first."""
        parents = self.model.parents
        moved = count_effectors(parents, self.effectors)
        joint, joints = self.effectors[e], []
        while joint >= 0 and moved[joint] == 1:
            joints.append(joint)
            joint = parents[joint]
        return joints[::-1]

    # -- a frame -----------------------------------------------------------------------

    def forget_motion(self) -> None:
        """Treat the next goals as new ones, unrelated to the last pose."""
        self._space.forget_motion()

    def apply_settings(self, settings: SolveSettings) -> None:
        """Apply the settings of single joints; ``solve`` does this by itself."""
        checked_instance(settings, SolveSettings, "settings", SettingError)
        apply_motion(self._space, settings, self.model, self._shift)
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
        move = self._move(rotations, poles, settings, tolerance, dt)
        return self.result(goals, rotations, strict, settings, tolerance, move)

    def set_weights(self, weights: Numbers, orientation_weights: Numbers) -> None:
        """Set the weights of each goal's position and rotation in the kernel."""
        strength = self._space.buffers["weights"]
        # the kernel squares the error with its weight
        for e, (weight, orientation) in enumerate(
            zip(weights, orientation_weights, strict=True)
        ):
            strength[2 * e] = weight**0.5 if weight > 0.0 else 0.0
            strength[2 * e + 1] = orientation if orientation > 0.0 else 0.0

    def _aim(
        self,
        goals: Sequence[Numbers],
        rotations: Sequence[Numbers | None],
        weights: Numbers,
        orientation_weights: Numbers,
        root: Numbers | None,
    ) -> str | None:
        """Write the frame's goals into the buffers; return an error message or "".

        For numbers that are not floats None is returned, or an error raised.
        """
        if root is None:
            root = tuple(self.model.positions[0].tolist())
        rx, ry, rz = root
        # they have to be sequences: each is read once more for the result
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
                if not rx * rx + ry * ry + rz * rz < LARGEST_SQUARE:
                    return f"root is not finite: {shown((rx, ry, rz))}"
                return f"the goal of {name} is not finite: {shown(goals[e])}"
            away **= 0.5
            if not (weight <= MOST_WEIGHT and orientation <= MOST_WEIGHT):
                return f"a weight of {name} is too large: {weight}, {orientation}"
            # a goal out of reach is pulled back into it: far goals would outweigh all
            # others
            ease = self._soften * far
            back = 1.0
            if ease > 0.0 and away > far - ease:
                # ease into full extension: the tip falls behind exponentially
                back = (far - ease * exp((far - ease - away) / ease)) / away
            elif away > far:
                back = far / away
            self._held_off[e] = back < 1.0
            turn = None
            if rotation is not None:
                a, b, c, d = rotation
                size = (a * a + b * b + c * c + d * d) ** 0.5
                if not isinstance(size, float):
                    return None
                if not 1e-6 < size < inf:
                    return (
                        f"the rotation of {name} is invalid: {shown(tuple(rotation))}"
                    )
                turn = (a / size, b / size, c / size, d / size)
            # the kernel squares the error with its weight
            strength = float(weight) ** 0.5 if weight > 0.0 else 0.0
            place = (back * x, back * y, back * z)
            self._set_goal(e, place, strength, turn, float(max(orientation, 0.0)))
        self._root = (rx, ry, rz)
        return ""

    def _check_poles(
        self, poles: Sequence[Numbers | None]
    ) -> tuple[Numbers | None, ...]:
        """Return the poles as a tuple, and find their branches.

        Raises:
            SettingError: The count is wrong, or an effector has no branch.
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
        """Return an error message for a pole that is not finite, or ""."""
        for joint, pole in zip(self.effectors, poles, strict=True):
            if pole is not None and not all(abs(x) < FARTHEST_POLE for x in pole):
                name = self.model.names[joint]
                return f"the pole of {name} is not finite: {shown(pole)}"
        return ""

    def _move(
        self,
        rotations: Sequence[Numbers | None],
        poles: Sequence[Numbers | None] | None,
        settings: SolveSettings,
        tolerance: float,
        dt: float,
        guess: Callable[[], None] | None = None,
    ) -> Move:
        """Move the pose to the goals that are set.

        Args:
            rotations: As for ``solve``.
            poles: As for ``solve``.
            settings: As for ``solve``.
            tolerance: Distance that counts as reached [scene unit].
            dt: As for ``solve``.
            guess: Sets the pose to start from, in place of the last one.
        """
        space, method = self._space, self._method
        kernel, descent = space.kernel, space.descent
        snap_back = settings.snap_back_strength
        if snap_back is None:
            snap_back = DRAWN if self._animated else 0.0
        descent.stuck = descent.uncounted = used = 0
        left = inf
        try:
            if guess is None:
                snap_back = space.begin_frame(snap_back, self._animated, dt)
            else:
                snap_back = 1.0
                space.forget_motion()
                guess()
            if self._tipped:
                self._aim_tips(rotations)
            space.note_goals(snap_back)
            if snap_back == 0.0 and not self._animated:
                space.note_jump(settings, tolerance)
            if guess is None:
                space.fold(self._sides)
            used = method.iterate(space, settings, tolerance)
            left = kernel.error
            if method.needs_polish and not space.searched:
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
        descent.end_frame()
        return Move(used, blocker, left)

    def move_to(
        self,
        place: Numbers,
        root: Numbers,
        turn: Numbers | None,
        weight: float,
        settings: SolveSettings,
        tolerance: float,
        dt: float,
        guess: Callable[[], None] | None,
        lengthening: float,
    ) -> Move:
        """Move the only effector to a goal within reach; arguments as for ``_move``.

        Args:
            place: The goal, from the root joint, (3,) [scene unit], root space.
            root: Position of the root joint, (3,) [scene unit], root space.
            turn: Rotation of its joint from the start, unit, (4,) w x y z; or None.
            weight: Weight of that in the solve.
            settings: As for ``solve``.
            tolerance: Distance that counts as reached [scene unit].
            dt: As for ``solve``.
            guess: Sets the pose to start from, in place of the last one.
            lengthening: Factor of the bones' lengths.
        """
        self._root = root
        self._space.kernel.scale = lengthening
        self._set_goal(0, place, 1.0, turn, weight)
        return self._move([turn], None, settings, tolerance, dt, guess)

    def _set_goal(
        self,
        e: int,
        place: Numbers,
        strength: float,
        turn: Numbers | None,
        orientation: float,
    ) -> None:
        """Write an effector's goal; ``strength`` is the root of its weight."""
        goal, i = self._goal, 3 * e
        # plain floats, in lists of interpreted kernels too
        goal[i], goal[i + 1], goal[i + 2] = map(float, place)
        if turn is None:
            orientation = 0.0
        else:
            self._goal_rot[4 * e : 4 * e + 4] = buffer(turn)
            if self._animated:
                self._space.kernel.aim_rest_to_anim(e)
        self._strength[2 * e] = strength
        self._strength[2 * e + 1] = orientation

    def _swing(self, poles: Sequence[Numbers | None]) -> None:
        """Swing branches towards their poles, from the pose last measured.

        No branch hangs on another's, so no swing moves the next one's joints.
        """
        kernel, (rx, ry, rz) = self._space.kernel, self._root
        swing = self._space.kernels["branch_bends"].swing
        for e, pole in enumerate(poles):
            if pole is not None:
                px, py, pz = pole
                first = self._branches[e] + self._shift
                keep = not self._turns_last(e)
                side = self._side_of.get(e, UNKNOWN)
                swing(kernel, e, first, px - rx, py - ry, pz - rz, keep, *side)

    def _turns_last(self, e: int) -> bool:
        """Whether an effector's joint is rotated after the solve."""
        return bool(self._is_leaf[e] and self._strength[2 * e + 1] == 0.0)

    def _rotate_leaves(self, rotations: Sequence[Numbers | None]) -> None:
        """Rotate the joints that are rotated after the solve, inside their limits."""
        kernel = self._space.kernel
        kernel.forward()
        for e in range(len(self.effectors)):
            if self._turns_last(e):
                kernel.rotate_leaf(e, rotations[e] is not None)

    def _aim_tips(self, rotations: Sequence[Numbers | None]) -> None:
        """Make the tips reach the goals, instead of their joints.

        A tip fixed to its bone is the bone's end. Where a joint is rotated after the
        solve, its goal is offset instead. All other tips are tools of their joints.
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
        """Bring tips to their goals where limits restrict the joints' rotations."""
        space, buffers = self._space, self._space.buffers
        ends = [
            e
            for e in range(len(self.effectors))
            if self._turns_last(e) and rotations[e] is not None and self._tips[e].any()
        ]
        kernel, near = space.kernel, POLISH_FRACTION * tolerance
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
            # the tip moves with its bone, apart from its joint's rotation in it
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
            start = buffer(buffers["offset"])
            for e in ends:
                i = 3 * (self.effectors[e] + self._shift)
                moved = held[e] + start[i : i + 3]
                buffers["offset"][i : i + 3] = buffer(moved.tolist())
            space.finish(settings, tolerance, settings.iterations)
            buffers["offset"][:] = start
            self._rotate_leaves(rotations)
            last = held

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
        kernel, strength = self._space.kernel, self._strength
        rx, ry, rz = self._root
        error = orientation_error = solved_error = 0.0
        errors = []
        beyond = False
        tip: Sequence[float] = UNKNOWN
        for e, (gx, gy, gz) in enumerate(goals):
            x, y, z = gx - rx, gy - ry, gz - rz
            if self._tipped:
                tip = UNKNOWN if self._rigid[e] else self._tip_offsets[e].tolist()
            gap: float = kernel.gap(e, x, y, z, *tip)
            errors.append(gap)
            if strength[2 * e] > 0.0:
                error = max(error, gap)
                away = (x * x + y * y + z * z) ** 0.5
                beyond = beyond or (self.pinned and away > self._far[e] + tolerance)
                beyond = beyond or (self._soften > 0.0 and self._held_off[e])
            if rotations[e] is None or not (self._is_leaf[e] or strength[2 * e + 1]):
                continue
            angle: float = kernel.angle(e)
            orientation_error = max(orientation_error, angle)
            if strength[2 * e + 1] > 0.0:
                solved_error = max(solved_error, angle)
        return tuple(errors), error, orientation_error, solved_error, beyond

    def result(
        self,
        goals: Sequence[Numbers],
        rotations: Sequence[Numbers | None],
        strict: bool,
        settings: SolveSettings,
        tolerance: float,
        move: Move,
        beyond: bool | None = None,
    ) -> SolveResult:
        """Return the result for the shown pose.

        Args:
            goals: As for ``solve``.
            rotations: As for ``solve``.
            strict: Whether rotations count that are not in the solve.
            settings: As for ``solve``.
            tolerance: Distance that counts as reached [scene unit].
            move: What the solve did.
            beyond: Whether a goal is out of reach; None: by the length of the bones.
        """
        space, blocker = self._space, move.blocker
        errors, error, orientation_error, solved_error, away = self._measure(
            goals, rotations, tolerance
        )
        beyond = away if beyond is None else beyond
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
            elif space.descent.stuck and not space.crossing:
                status = SolveStatus.STALLED
            blocked_by = tuple(
                found._replace(joint=found.joint - self._shift)
                for found in space.blocked(("",) * self._shift + self.model.names)
            )
        moving = (
            blocker in (BLOCKED_BY_STEP, NOT_FINITE)
            or space.posture.settling
            or space.crossing
        )
        self.unchanged = not moving and (
            settings.snap_back_strength == 1.0
            or status is not SolveStatus.MAX_ITERATIONS
        )
        return SolveResult(
            status,
            error,
            move.used,
            detail=BAD_NUMBERS if blocker == NOT_FINITE else "",
            orientation_error=orientation_error,
            blocked_by=blocked_by,
            errors=errors,
            method_error=error if blocker == NOT_FINITE else move.left,
            finish_iterations=space.descent.uncounted,
        )


def _check_model(model: Any) -> None:
    checked_instance(model, SkeletonModel, "the model of a tree's solver", ModelError)


def _find(model: SkeletonModel, effectors: Sequence[str | int]) -> tuple[int, ...]:
    """Return joint indices.

    Raises:
        SettingError: One is not a joint or is named twice, or there are none.
    """
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
