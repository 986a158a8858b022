"""ChainSolver: base class of all chain solvers, with settings, result and frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import inf, isfinite
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..checks import checked_instance
from ..copies import Uncopied
from ..errors import ModelError, SettingError, shown
from ..kernels import buffer
from ..kernels.chain import ChainKernel
from ..kernels.codes import INSIDE, NOT_FINITE
from ..kernels.direct_solve import DirectSolve
from ..math3d.quaternion import Floats, conjugate, rotate, unit_rotations
from ..model.limits import LimitsByJoint
from ..model.skeleton import STRAIGHT, ChainModel
from ..value_shapes import VECTOR, checked
from .buffers import Block, fill, reader
from .joint_limits import check_limits
from .joint_motion import apply_motion
from .joint_space import JointSpace
from .multi_effector import MultiEffectorSolver
from .settings import (
    BAD_NUMBERS,
    DEFAULT,
    STATUSES,
    SolveResult,
    SolveSettings,
    SolveStatus,
)
from .slides import check_shifts, find_slides
from .solve_arguments import LONGEST, animated, find_bad, plain_points, plain_time

Numbers = Sequence[float]

LARGEST_SQUARE = 1e300
"""Maximum sum of the squared arguments of a solve."""


def chain_model(model: object) -> ChainModel:
    """Return a model, checked to be a ``ChainModel``."""
    return checked_instance(
        model, ChainModel, "the model of a chain's solver", ModelError
    )


def own_sizes(n: int) -> dict[str, int]:
    """Return the sizes of the buffers that only a chain's kernel has."""
    joints = dict.fromkeys(("rest", "pos", "prev_pos"), 3 * n + 3)
    bones = {"length": n, "rest_dir": 3 * n, "dir": 3 * n}
    once = {"frame": 6, "tip_offset": 3, "swing_rot": 4, "tip": 4}
    return {**joints, **bones, **once, "delta_rot": 4 * n + 4}


def make_buffers(n: int) -> Block:
    """Return the buffers of a chain of n bones without joint coordinates."""
    turns = "frames rest_rot mirror solved_rot rot local limit_rot rest_to_anim"
    return Block(
        {
            **own_sizes(n),
            "local_trs": 10 * n + 10,
            "child_frame": 5 * n + 5,
            **dict.fromkeys(("points", "joint_pos"), 3 * n + 3),
            **dict.fromkeys(turns.split(), 4 * n + 4),
        },
        fixed={"parent": range(-1, n)},
    )


class ChainSolver(Uncopied):
    """A chain, its last pose and one frame of solving; methods add the iteration.

    The last pose is where the next frame starts when ``snap_back_strength`` is below 1.

    Without limits most methods move directions of bones, and the bones then rotate
    least. With limits a chain is a tree with one effector (``MultiEffectorSolver``),
    whose joints move as coordinates (``JointSpace``); the directions of bones are then
    a first guess. Slides extend the bones' reach.

    A user's method is a subclass with ``in_joint_space = True`` and an ``iterate``;
    ``register_solver`` gives it a name. The gap that it leaves is closed afterwards.

    Args:
        model: The chain in its start pose.
        limits: How far joints may turn or slide, by name or index.

    Raises:
        SettingError: A limit is for no joint of the chain.
    """

    kernel_type: ClassVar[type[ChainKernel]] = ChainKernel
    direct_type: ClassVar[type[DirectSolve]] = DirectSolve
    in_joint_space: ClassVar[bool] = False
    """Whether the method uses ``iterate`` also without limits."""
    needs_polish: ClassVar[bool] = True
    """Whether the gap that ``iterate`` leaves inside limits is closed by damped least
    squares, uncounted."""
    multi_effector: ClassVar[bool] = True
    """Whether ``iterate`` takes trees with several effectors, not chains only."""
    orientation_counts: ClassVar[bool] = False
    """Whether ``orientation_weight`` 0 counts as 1."""

    _start: Numbers | None
    """Where the root is in the model, once it is asked for."""

    def __init__(self, model: ChainModel, limits: LimitsByJoint | None = None) -> None:
        chain_model(model)
        found = check_limits(model, limits)
        self._limited = bool(found)
        self._tree: MultiEffectorSolver | None = None
        n = model.bone_count
        if found or self.in_joint_space:
            self._tree = MultiEffectorSolver.of_chain(
                model, found, self, own_sizes(n), {"solved_rot": "rotations"}
            )
            self._buffers = self._tree.space.buffers
        else:
            self._buffers = make_buffers(n)
        # a valid rotation until one is passed in: Python can't divide by 0
        self._buffers["tip"][0] = 1.0
        # the kernels are untyped Python: Cython declares their types beside them
        self._kernel = self.kernel_type(n, self._buffers)
        self._kernel.slides = bool(find_slides(found))
        self._use_pole = False
        self._results = self.direct_type(
            self._kernel, SolveResult, STATUSES, BAD_NUMBERS
        )
        self.direct: DirectSolve | None = None if self._tree else self._results
        """The solve without joint coordinates; None where the chain needs them."""
        self.start_rotations = self._buffers["rest_rot"]
        """Rotations of the start pose, flat and live, 4 (n + 1), root space."""
        self._take_rest_pose(model)
        self.reset()

    @staticmethod
    def iterate(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        """Move the joints towards their goals; return the iterations used.

        Each method overrides this. The joints stay inside their limits in any case. It
        should stop when ``space.reached(settings, tolerance)``.
        """
        return space.search(settings, tolerance)

    @classmethod
    def check(cls, space: JointSpace) -> None:
        """Raise ModelError where the method can't solve the joints of a new solver."""

    @cached_property
    def local_buffer(self) -> Numbers:
        """The numbers of ``local_rotations``, flat, live and read-only."""
        return reader(self._buffers["local"])

    @cached_property
    def _start_rows(self) -> Floats:
        """Rotations that a pose is set to, (n + 1, 4)."""
        return np.zeros((self._kernel.n + 1, 4))

    @cached_property
    def _start_numbers(self) -> memoryview:
        """The same, as kernels read it."""
        return self._start_rows.ravel().data

    @property
    def tolerance(self) -> float:
        """Distance from the goal that counts as reached in this frame [scene unit]."""
        found: float = self._kernel.tolerance
        return found

    @property
    def unchanged(self) -> bool:
        """Whether another solve for the same goal would change nothing."""
        if self._tree is not None and self._limited:
            return self._tree.unchanged
        return bool(self._results.unchanged)

    @property
    def crossing(self) -> bool:
        """Whether joints are on their way to another pose, as limits ask."""
        return self._tree is not None and self._tree.space.crossing

    # -- a frame -----------------------------------------------------------------------

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
        if settings is not self._results.settings:
            self._apply(settings)
        if root is None:
            if self._start is None:
                self._start = tuple(self.model.positions[0].tolist())
            root = self._start
        if start is not None and not self._set_start_pose(start):
            return self._invalid(f"start has no rotations: {shown(start)}")
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
            turn = goal_rotation
            given = {"goal": goal, "pole": pole, "root": root, "goal_rotation": turn}
            dt = plain_time(dt)
            return self.solve(**plain_points(given), settings=settings, dt=dt)
        if not usable or size < 1e-12:
            turn = goal_rotation
            return self._invalid(
                find_bad(goal=goal, pole=pole, root=root, goal_rotation=turn)
            )
        at = self._results
        at.x, at.y, at.z = rx, ry, rz
        if goal_rotation is not None:
            self._buffers["tip"][:] = buffer((w, x, y, z))
        frame = (gx - rx, gy - ry, gz - rz, pole is not None, px - rx, py - ry, pz - rz)
        use_tip = goal_rotation is not None
        if kernel.start.tipped and kernel.start.rigid == use_tip:
            self._set_rigid(not use_tip)
        if self.direct is not None:
            result: SolveResult = self.direct.solve(*frame, use_tip, dt)
            return result
        tree = self._tree
        assert tree is not None
        if not self._limited:
            return self._solve_free(tree, frame, use_tip, settings, dt)
        return self._solve_limited(tree, frame, use_tip, settings, dt)

    def _invalid(self, detail: str) -> SolveResult:
        lengthening = self._kernel.lengthening
        return SolveResult(SolveStatus.INVALID_TARGET, inf, 0, lengthening, detail)

    def _solve_limited(
        self,
        tree: MultiEffectorSolver,
        frame: tuple[float, ...],
        use_tip: bool,
        settings: SolveSettings,
        dt: float,
    ) -> SolveResult:
        """Solve as a tree with one effector; return the result."""
        kernel = self._kernel
        use_pole = frame[3]
        snap_back = settings.snap_back_strength == 1.0
        weight = 0.0
        if use_tip:
            weight = settings.orientation_weight or float(self.orientation_counts)
        tree.space.frame.set_chain_goal(kernel, *frame, use_tip, weight)
        guess = None
        if snap_back or use_pole:
            # directions start from the start pose
            self._use_pole = bool(use_pole)
            guess = self._guess
        return tree.move_to(settings, dt, guess, self._root, kernel.out_of_reach)

    def _guess(self) -> None:
        """Set the joints to the first guess, by directions of bones."""
        kernel, tree = self._kernel, self._tree
        assert tree is not None
        kernel.guess(self._use_pole, self._animated)
        tree.kernel.rest()
        tree.kernel.set_from_solved_rot()

    def _solve_free(
        self,
        tree: MultiEffectorSolver,
        frame: tuple[float, ...],
        use_tip: bool,
        settings: SolveSettings,
        dt: float,
    ) -> SolveResult:
        """Solve in joint coordinates, without limits: only bone directions count."""
        kernel, space = self._kernel, tree.space
        gx, gy, gz, use_pole, px, py, pz = frame
        if kernel.start.tipped and use_tip:
            kernel.aim_tip()
            x, y, z = self._buffers["tip_offset"]
            gx, gy, gz = gx - x, gy - y, gz - z
        descent = space.descent
        descent.stuck = descent.uncounted = 0
        space.verdict = None
        try:
            kernel.begin(gx, gy, gz, use_pole, px, py, pz)
            if kernel.case == INSIDE:
                # a method would break the arc that a pole requires
                if not use_pole:
                    space.kernel.set_from_solved_rot()
                    space.buffers["goal"][:] = buffer((kernel.gx, kernel.gy, kernel.gz))
                    space.buffers["goal_rot"][:] = self._buffers["tip"]
                    space.buffers["weights"][:] = buffer((1.0, 0.0))
                    space.kernel.scale = kernel.lengthening
                    motion = space.frame
                    motion.note_goals(kernel.snap_back)
                    kernel.used = self.iterate(space, settings, kernel.tolerance)
                    motion.arrived = space.reached(settings, kernel.tolerance)
                    kernel.update_directions()
                kernel.close()
                if not use_pole:
                    kernel.left = space.kernel.error
            blocker = kernel.finish(use_tip, dt)
        except (ArithmeticError, ValueError):
            # where numbers are not finite machine code continues and Python raises
            if space.kernel.sound():
                # an error in a user's method
                raise
            kernel.start_over(use_tip)
            blocker = NOT_FINITE
        if blocker == NOT_FINITE:
            space.frame.forget_motion()
        stalled = space.verdict is not None or descent.stuck
        result: SolveResult = self._results.result(blocker, stalled, descent.uncounted)
        return result

    def _apply(self, settings: SolveSettings) -> None:
        checked_instance(settings, SolveSettings, "settings", SettingError)
        kernel = self._kernel
        usual = 1e-3 * kernel.start.reach
        kernel.tolerance = usual if settings.tolerance is None else settings.tolerance
        if self._tree is not None:
            apply_motion(self._tree.space, settings, self.model)
            self._tree.space.frame.tolerance = kernel.tolerance
        self._results.settings = settings
        kernel.iterations = settings.iterations
        kernel.weight = settings.weight
        kernel.limited = self._limited
        kernel.soften = settings.soften
        # with limits directions are a guess, always from the start pose
        kernel.snap_back = 1.0 if self._limited else settings.snap_back_strength or 0.0
        # without limits each frame then decides, as a pole may come and go
        kernel.choose_start = settings.snap_back_strength is None and not self._limited
        kernel.stretch = settings.stretch
        kernel.max_step = settings.max_step or 0.0
        kernel.twist_spread = settings.twist_spread
        kernel.roll_from_parent = settings.roll_from == "parent"

    # -- the start pose ----------------------------------------------------------------

    def set_rest_pose(self, model: ChainModel) -> None:
        """Set a start pose with as many bones; keep the pose of the last frame.

        Raises:
            ModelError: The number of bones differs.
        """
        kernel = self._kernel
        chain_model(model)
        if model.bone_count != kernel.n:
            raise ModelError(
                f"the solver is for {kernel.n} bones, but the model has "
                f"{model.bone_count}: create a new solver"
            )
        if self._tree is not None:
            self._tree.set_rest_pose(model)
        self._take_rest_pose(model)

    def _take_rest_pose(self, model: ChainModel) -> None:
        """Write what a tree does not have of a start pose."""
        kernel, tree = self._kernel, self._tree
        self.model = model
        for name, values in (
            ("points", model.positions),
            ("rest_rot", model.rotations),
            ("limit_rot", model.rotations),
            ("frames", model.frame_rotations),
        ):
            self._buffers[name][:] = buffer(values.ravel().tolist())
        start = kernel.start
        side = model.bend
        if side is not None:
            start.straight = STRAIGHT
        else:
            side = model.find_bend()
        start.sided = side is not None
        if side is not None:
            start.side_x, start.side_y, start.side_z = side.tolist()
        start.set_rest()
        self._animated = False
        if start.rigid:
            self._move_last_joint()
        kernel.swing = 0
        kernel.posed = 1
        kernel.farther = 0.0
        if kernel.slides and tree is not None:
            kernel.farther = float(tree.space.longest_bones.sum()) - model.reach
        # the settings that the kernel has; None would be a value
        self._results.settings = NotImplemented
        self._start = None
        self._root = model.positions[0].tolist()

    @property
    def _root(self) -> Numbers:
        """Position of the first joint in the last frame, root space."""
        at = self._results
        return at.x, at.y, at.z

    @_root.setter
    def _root(self, place: Numbers) -> None:
        at = self._results
        at.x, at.y, at.z = place

    def animate(self, joints: Numbers) -> float:
        """Use this frame's animation as the start pose; limits refer to the model.

        A chain that it points away from its goal, by more than 60°, swings there round
        the side on which the first joint is, seen from the origin of root space: an arm
        in front of the body or behind it, not through it.

        Args:
            joints: Position 3, rotation 4 (w x y z) and scale 3 of each joint in its
                parent's frame, flat, 10 (n + 1); the first one's in root space. Buffers
                of ``kernels.buffer`` are copied fastest.

        Returns:
            The largest deviation of a scale that should be even, as a fraction; above 0
            the pose is an approximation with even scales.

        Raises:
            ModelError: The count is wrong: nothing moves. All joints are at one
                position, or numbers are not finite: the start pose is then the
                model's again.
        """
        kernel, tree = self._kernel, self._tree
        trs = self._buffers["local_trs"]
        # a wrong count is refused before anything moves
        fill(trs, joints, "joints")
        try:
            if tree is not None and self._limited:
                uneven = tree.animate(trs)
                kernel.start.set_rest()
            else:
                names = self.model.names
                uneven = animated(kernel.start, f"{names[0]} to {names[-1]}")
        except ModelError:
            self.set_rest_pose(self.model)
            raise
        kernel.swing = 1
        self._animated = True
        if tree is not None and not self._limited:
            tree.kernel.set_start(False)
        return uneven

    # -- the tip -----------------------------------------------------------------------

    @property
    def tip(self) -> tuple[float, float, float]:
        """The point that reaches, from the leaf and in its axes [scene unit].

        A tool in a hand, the ball of a foot: (0, 0, 0) is the leaf itself. With a
        ``goal_rotation`` the leaf carries the tip; without one, the tip stays fixed to
        the last bone. Can be set at any time.

        Raises:
            SettingError: It is not three finite numbers.
        """
        start = self._kernel.start
        return start.tip_x, start.tip_y, start.tip_z

    @tip.setter
    def tip(self, tip: Numbers) -> None:
        found: tuple[float, float, float] = checked(VECTOR, tip, "tip", SettingError)
        if found != self.tip:
            was_rigid = self._kernel.start.rigid
            self._kernel.start.set_tip(*found)
            if was_rigid:
                self._move_last_joint()
            if self._tree is not None and self._limited:
                self._tree.tips = (found,)

    def set_tips(self, offsets: Sequence[Numbers]) -> None:
        """Set ``tip`` from its offset in the start pose, from the leaf, root space.

        Args:
            offsets: One row, (1, 3): a chain has one tip.
        """
        start = np.array(self._buffers["rest_rot"][-4:])
        tip = rotate(conjugate(start), np.array(offsets[0]))
        if not np.allclose(tip, self.tip, rtol=1e-9, atol=0.0):
            self.tip = tip.tolist()

    @property
    def reached(self) -> Floats:
        """Position of the tip after the last solve, (1, 3) [scene unit], root space.

        For a goal out of reach this is the nearest position within reach, with
        ``weight`` 1 and once ``max_step`` no longer holds the joints back.
        """
        if self._tree is not None and self._limited:
            return self._tree.reached
        position: Floats = self.positions[-1:]
        start = self._kernel.start
        if start.rigid or not start.tipped:
            return position
        moved: Floats = position + rotate(self.rotations[-1], np.array(self.tip))
        return moved

    def _set_rigid(self, rigid: bool) -> None:
        self._kernel.start.set_rigid(rigid)
        self._move_last_joint()

    def _move_last_joint(self) -> None:
        """Move the last joint of a joint space to the end of the last bone.

        That of a tree, with limits, follows its own tip.
        """
        if self._tree is None or self._limited:
            return
        if self._animated:
            self._tree.kernel.set_start(False)
            return
        points = np.array(self._buffers["points"][-6:])
        ends = buffer((points[3:] - points[:3]).tolist())
        self._buffers["offset"][-3:] = ends

    # -- the pose ----------------------------------------------------------------------

    def reset(self) -> None:
        """Reset the pose to the start pose, and forget the last frame."""
        kernel, buffers = self._kernel, self._buffers
        buffers["pos"][:] = buffers["rest"]
        identity = [1.0, 0.0, 0.0, 0.0] * (self.model.bone_count + 1)
        buffers["delta_rot"][:] = buffer(identity)
        buffers["solved_rot"][:] = buffer(identity)
        kernel.store_bend()
        kernel.posed = 1
        kernel.lengthening = 1.0
        if self._tree is not None:
            # the start pose, or the nearest one that the limits allow
            self._tree.reset()
            self._tree.forget_motion()
        if not self._limited:
            kernel.write()

    def set_pose(
        self, rotations: Floats, shifts: Mapping[int, float] = MappingProxyType({})
    ) -> None:
        """Set the pose, such as another solver's, or the nearest one inside limits.

        Args:
            rotations: Rotations of the joints, (n + 1, 4) w x y z, root space.
            shifts: Shifts of sliding joints, by index [scene unit]; default: 0.

        Raises:
            ModelError: They are not finite numbers of this shape.
        """
        if self._tree is not None and self._limited:
            self._tree.set_pose(rotations, shifts=shifts)
            return
        rows = self._start_rows
        rows[:] = unit_rotations(rotations, rows.shape)
        check_shifts(shifts)
        self._kernel.set_rotations(self._start_numbers)
        self._continue()

    def _set_start_pose(self, rotations: Any) -> bool:
        """Set the pose from rotations, (n + 1, 4), root space; False: not rotations."""
        rows = self._start_rows
        try:
            rows[:] = rotations
            # numpy would repeat a single row; the shape of a list is slow to get
            shape = getattr(rotations, "shape", None) or np.shape(rotations)
            taken = shape == rows.shape
        except (TypeError, ValueError, OverflowError):
            taken = False
        if not taken:
            raise SettingError(
                f"start must be {len(rows)} rotations w x y z, one for each joint, not "
                f"{shown(rotations)}"
            )
        if not self._kernel.set_rotations(self._start_numbers):
            return False
        if self._limited and self._animated:
            self._kernel.to_limits()
        self._continue()
        return True

    def _continue(self) -> None:
        """Continue from the kernel's rotations, inside the limits.

        The next goal does not continue a motion.
        """
        if self._tree is not None:
            self._tree.show_rotations({})
            self._tree.forget_motion()
        if not self._limited:
            self._kernel.continue_from_solved()

    @property
    def positions(self) -> Floats:
        """Joint positions of the last solve, (n + 1, 3) [scene unit], root space.

        Where a ``tip`` is fixed to the last bone, the last row is the tip.
        """
        name = "joint_pos" if self._limited else "prev_pos"
        joints: Floats = np.array(self._buffers[name]).reshape(-1, 3)
        joints += self._root
        return joints

    @property
    def rotations(self) -> Floats:
        """Joint rotations of the last solve, (n + 1, 4) w x y z, root space."""
        return np.array(self._buffers["rot"]).reshape(-1, 4)

    @property
    def local_rotations(self) -> Floats:
        """Joint rotations of the last solve, (n + 1, 4) w x y z, each in its frame."""
        return np.array(self._buffers["local"]).reshape(-1, 4)

    @property
    def joint_angles(self) -> dict[int, tuple[float, ...]]:
        """Angles of the joints that have limits, by index [rad], in the last pose.

        A hinge has one and an ``AxesLimit`` one for each axis, also beyond ±180°. A
        cone has the swing to the left and up, which is a rotation vector, and the
        twist. A ball has a rotation vector, a slide its length [scene unit], a fixed
        joint nothing.
        """
        return {} if self._tree is None else self._tree.joint_angles
