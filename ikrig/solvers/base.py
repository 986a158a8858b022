"""What every chain solver has in common: settings, result and the frame around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from ..errors import ModelError, SettingError
from ..kernels import buffer
from ..kernels.chain import ChainKernel
from ..limits import LimitsByJoint
from ..model import ChainModel
from ..spatial import Floats, conjugate, multiply
from .buffers import make_buffers
from .joint_space import JointSpace, check_limits
from .settings import DEFAULT, Blocked, SolveResult, SolveSettings, SolveStatus
from .slides import find_slides, longest_bones

__all__ = ["ChainSolver"]

Numbers = Sequence[float]

HELD_BY_STEP = 2
"""What the kernel returns when ``max_step`` keeps the pose back."""


class ChainSolver:
    """A chain, its workspace and one frame of solving; methods add the iteration.

    The workspace keeps the last pose, which is where the next frame starts when
    ``snap_back_strength`` is below 1.

    Without limits most methods move directions of bones, and the bones then turn least.
    With limits all move the coordinates of the joints (``JointSpace``). What slides
    comes on top of the bones' reach.

    A method of your own is a subclass with ``in_joint_space = True`` and a ``descend``;
    ``register_solver`` gives it a name. Whatever gap it leaves is closed for it.

    Args:
        model: The chain in its start pose.
        limits: How far joints may turn or slide, by name or index.

    Raises:
        SettingError: A limit is for no joint of the chain.
    """

    kernel_type: ClassVar[type[ChainKernel]] = ChainKernel
    in_joint_space: ClassVar[bool] = False
    """Whether ``descend`` is the method also without limits."""
    steady: ClassVar[bool] = False
    """Whether without limits the poses follow the goal steadily, each solved anew from
    the start pose: what ``snap_back_strength`` None goes by."""
    finishes: ClassVar[bool] = True
    """Whether the gap that ``descend`` leaves inside limits is closed by damped least
    squares, uncounted."""
    trees: ClassVar[bool] = True
    """Whether ``descend`` takes trees with several effectors, not chains only."""

    def __init__(self, model: ChainModel, limits: LimitsByJoint | None = None) -> None:
        self._buffers = make_buffers(model.bone_count)
        # the kernels are untyped Python: Cython declares their types beside them
        self._kernel: Any = self.kernel_type(model.bone_count, self._buffers)
        self._joints: JointSpace | None = None
        if limits or self.in_joint_space:
            found = check_limits(model, limits)
            self._kernel.slides = bool(find_slides(found))
            names = ("points", "posed", "goal_turn", "places")
            shared = {name: self._buffers[name] for name in names}
            shared["turns"] = self._buffers["wanted"]
            self._joints = JointSpace(model, found, [model.bone_count], shared)
        self._limited = self._joints is not None and self._joints.limited
        self.tolerance = 0.0
        """How near the tip must come in this frame [scene unit]."""
        self.local_buffer: Numbers = self._buffers["local"]
        """The numbers of ``local_rotations``, flat and live."""
        self.settled = False
        """Whether the same goal again needs no solve: nothing would come nearer."""
        self.remodel(model)
        self.reset()

    def remodel(self, model: ChainModel) -> None:
        """Take another start pose of as many bones; keep the pose of the last frame.

        Raises:
            ModelError: The number of bones is another one.
        """
        kernel = self._kernel
        if model.bone_count != kernel.n:
            raise ModelError(
                f"the solver is for {kernel.n} bones, but the model has "
                f"{model.bone_count}: make a new solver"
            )
        self.model = model
        for name, values in (
            ("points", model.positions),
            ("rest_rot", model.rotations),
            ("limit_rot", model.rotations),
            ("frames", model.frame_rotations),
        ):
            self._buffers[name][:] = buffer(values.ravel().tolist())
        kernel.take_rest()
        if self._joints is not None:
            self._joints.remodel(model)
        kernel.swing = 0
        self._animated = False
        kernel.farther = 0.0
        if kernel.slides and self._joints is not None:
            farthest = longest_bones(model, self._joints.limits)
            kernel.farther = float(farthest.sum()) - model.reach
        self._settings: SolveSettings | None = None
        self._start: Numbers = tuple(model.positions[0].tolist())
        self._root: Numbers = self._start

    def animate(self, joints: Numbers) -> float:
        """Take this frame's animation for the start pose; limits count from the model.

        Args:
            joints: Position 3, rotation 4 (w x y z) and scale 3 of each joint in its
                parent's frame, flat, 10 (n + 1), as ``kernels.buffer`` makes it; the
                first one's in root space.

        Returns:
            The largest share by which a scale that should be even is not; then the pose
            is as near as even scales come to it.

        Raises:
            ModelError: All joints are in one place, or nowhere.
        """
        kernel = self._kernel
        self._buffers["given"][:] = joints
        uneven: float = kernel.take_locals()
        if not 0.0 < kernel.reach < inf:
            raise ModelError(
                f"the joints {self.model.names[0]} to {self.model.names[-1]} are "
                f"{kernel.reach} long: something scales them to 0, or is not finite"
            )
        if self._joints is not None:
            if self._limited:
                kernel.find_posed()
            self._joints.kernel.take_start(self._limited)
        kernel.swing = 1
        self._animated = True
        return uneven

    def reset(self) -> None:
        """Forget the last frame: put the pose back to the start pose."""
        kernel, buffers = self._kernel, self._buffers
        buffers["pos"][:] = buffers["rest"]
        identity = [1.0, 0.0, 0.0, 0.0] * (self.model.bone_count + 1)
        buffers["delta"][:] = buffer(identity)
        buffers["wanted"][:] = buffer(identity)
        kernel.take_bend()
        kernel.lengthening = 1.0
        if self._joints is not None and self._limited:
            # the start pose, or the pose next to it that the limits allow
            self._joints.forget()
            kernel.adopt()
        else:
            kernel.write()

    def take_pose(
        self, rotations: Floats, shifts: Mapping[int, float] = MappingProxyType({})
    ) -> None:
        """Go on from a pose, such as another solver's, or from one near it in limits.

        Args:
            rotations: Of the joints, (n + 1, 4) w x y z, root space.
            shifts: How far joints that slide are, by index [scene unit]; default: 0.
        """
        kernel, buffers = self._kernel, self._buffers
        start = np.array(buffers["rest_rot"]).reshape(-1, 4)
        turns = multiply(rotations, conjugate(start))
        buffers["wanted"][:] = buffer(turns.ravel().tolist())
        if self._joints is not None:
            self._count_from_limits()
            self._joints.shift(shifts)
            self._joints.kernel.take_wanted()
            self._joints.kernel.show(1.0, -1.0)
            self._count_from_start()
        kernel.adopt()
        buffers["pos"][:] = buffers["old"]
        # where it bends, as a start pose of its own would
        kernel.take_bend()

    @property
    def positions(self) -> Floats:
        """Joint positions of the last solve, (n + 1, 3) [scene unit], root space."""
        joints: Floats = np.array(self._buffers["old"]).reshape(-1, 3)
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

        A hinge has one and an ``AxesLimit`` one for each axis, turns beyond ±180°
        included. A cone has the swing to the left and up, which is a rotation vector,
        and the twist. A ball has a rotation vector, a slide its length [scene unit], a
        fixed joint nothing.
        """
        return self._joints.angles() if self._joints is not None else {}

    def solve(
        self,
        goal: Numbers,
        *,
        pole: Numbers | None = None,
        root: Numbers | None = None,
        tip_turn: Numbers | None = None,
        settings: SolveSettings = DEFAULT,
        dt: float = 1.0 / 60.0,
    ) -> SolveResult:
        """Move the workspace pose towards ``goal``.

        Args:
            goal: Where the tip should be, (3,) [scene unit], root space.
            pole: Point that the chain bends towards, (3,) [scene unit], root space. The
                joints then lie in the plane of root, goal and pole, in one arc on the
                pole's side. Within 6° of the goal's line the pole's pull fades, so that
                nothing snaps when they line up.
            root: Where the chain's root joint is now, (3,) [scene unit], root space.
                Default: where the model has it.
            tip_turn: Rotation of the leaf from its start rotation, (4,) w x y z, root
                space. Default: the leaf turns with the last bone.
            settings: Limits and blending.
            dt: Time since the last frame [s]; only ``max_step`` uses it.

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
        px = py = pz = 0.0
        size = 1.0
        try:
            rx, ry, rz = root
            gx, gy, gz = goal
            if pole is not None:
                px, py, pz = pole
            if tip_turn is not None:
                tip = self._buffers["tip"]
                w, x, y, z = tip[0], tip[1], tip[2], tip[3] = tip_turn
                size = w * w + x * x + y * y + z * z
            # one sum tells whether anything is not finite, or too large to be squared
            total = gx * gx + gy * gy + gz * gz + rx * rx + ry * ry + rz * rz
            total += px * px + py * py + pz * pz + size
        except (TypeError, ValueError):
            raise SettingError(
                "a solve takes 3 numbers for goal, pole and root and 4 for tip_turn, "
                f"not goal={goal!r}, pole={pole!r}, root={root!r}, "
                f"tip_turn={tip_turn!r}"
            ) from None
        if not isfinite(total) or size < 1e-12:
            detail = _find_bad(goal=goal, pole=pole, root=root, tip_turn=tip_turn)
            return SolveResult(
                SolveStatus.INVALID_TARGET, inf, 0, kernel.lengthening, detail
            )
        if not 0.0 <= dt < inf:
            dt = 0.0
        self._root = root
        frame = (
            gx - rx,
            gy - ry,
            gz - rz,
            pole is not None,
            px - rx,
            py - ry,
            pz - rz,
        )
        use_tip = tip_turn is not None
        joints = self._joints
        if joints is None:
            held = kernel.solve(*frame, use_tip, dt)
        elif self._limited:
            held = self._solve_limited(joints, frame, use_tip, settings, dt)
        else:
            held = self._solve_free(joints, frame, use_tip, settings, dt)
        error, turn_error = kernel.error, kernel.turn_error
        status = SolveStatus.MAX_ITERATIONS
        blocked_by: tuple[Blocked, ...] = ()
        if error <= self.tolerance and (
            turn_error <= settings.orientation_tolerance
            or settings.orientation_weight == 0.0
            or joints is None
        ):
            status = SolveStatus.CONVERGED
        else:
            if held:
                status = SolveStatus.STALLED
            elif kernel.out_of_reach:
                status = SolveStatus.UNREACHABLE
            elif joints is not None and self._limited and joints.kernel.stuck:
                status = SolveStatus.STALLED
            if joints is not None and self._limited:
                blocked_by = joints.blocked(self.model.names)
        # a blocked chain would still creep down flat valleys: it is as near as it gets
        self.settled = held != HELD_BY_STEP and (
            kernel.snap_back == 1.0 or status is not SolveStatus.MAX_ITERATIONS
        )
        return SolveResult(
            status,
            error,
            kernel.used,
            kernel.lengthening,
            "",
            turn_error,
            blocked_by,
        )

    def _solve_free(
        self,
        joints: JointSpace,
        frame: tuple[float, ...],
        use_tip: bool,
        settings: SolveSettings,
        dt: float,
    ) -> int:
        """Solve in joint coordinates; then only the directions of the bones count."""
        kernel = self._kernel
        use_pole = frame[3]
        kernel.begin(*frame)
        if kernel.case == 0:
            # a method would break the arc that a pole asks for
            if not use_pole:
                kernel.turn(False)
                joints.kernel.take_wanted()
                self._aim(joints, 0.0)
                kernel.used = self.descend(joints, settings, self.tolerance)
                joints.note_arrival(settings, self.tolerance)
                kernel.follow()
            kernel.close()
        held: int = kernel.finish(use_tip, dt)
        return held

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
        # the pose that directions start from is always the start pose
        snap_back, kernel.snap_back = kernel.snap_back, 1.0
        kernel.begin(*frame)
        kernel.snap_back = snap_back
        if snap_back == 1.0 or use_pole:
            if kernel.case:
                kernel.guess(use_pole)
            kernel.turn(False)
            self._count_from_limits()
            space.rest()
            space.take_wanted()
        else:
            space.pull_back(snap_back)
        self._aim(joints, settings.orientation_weight if use_tip else 0.0)
        kernel.used = self.descend(joints, settings, self.tolerance)
        if self.finishes:
            joints.finish(settings, self.tolerance, kernel.used)
        joints.note_arrival(settings, self.tolerance)
        if not use_tip or settings.orientation_weight == 0.0:
            space.forward()
            space.turn_leaf(0, use_tip)
        limit = kernel.max_step * dt if kernel.max_step > 0.0 else -1.0
        # what is animated may be outside its limits: only its own turns blend with it
        weight = 1.0 if self._animated else kernel.weight
        held: int = space.show(weight, limit)
        self._count_from_start()
        kernel.adopt()
        kernel.judge(use_tip)
        return held or int(kernel.weight < 1.0)

    def _count_from_limits(self) -> None:
        """Count the turns in the workspace from the pose that limits count from."""
        if self._limited and self._animated:
            self._kernel.to_limits()

    def _count_from_start(self) -> None:
        """Count them from the start pose."""
        if self._limited and self._animated:
            self._kernel.from_limits()

    @staticmethod
    def descend(space: JointSpace, settings: SolveSettings, tolerance: float) -> int:
        """Move the joints towards their goals; return the iterations used.

        The part of a method that is its own. Whatever it does, the joints stay inside
        their limits. It stops when ``space.reached(settings, tolerance)``.
        """
        return space.search(settings, tolerance)

    def _aim(self, joints: JointSpace, orientation_weight: float) -> None:
        """Give the joints the frame's goal."""
        kernel, goal = self._kernel, joints.buffers["goal"]
        goal[0], goal[1], goal[2] = kernel.gx, kernel.gy, kernel.gz
        kernel.aim_leaf(self._limited and self._animated)
        weights = joints.buffers["weights"]
        weights[0], weights[1] = 1.0, orientation_weight
        joints.kernel.scale = kernel.lengthening
        joints.kernel.stuck = 0
        joints.note_goals(kernel.snap_back)

    def _apply(self, settings: SolveSettings) -> None:
        if not isinstance(settings, SolveSettings):
            raise SettingError(f"settings must be a SolveSettings, not {settings!r}")
        kernel = self._kernel
        self._settings = settings
        self.tolerance = (
            1e-3 * kernel.reach if settings.tolerance is None else settings.tolerance
        )
        kernel.tolerance = self.tolerance
        kernel.iterations = settings.iterations
        kernel.weight = settings.weight
        kernel.soften = settings.soften
        if settings.snap_back_strength is None:
            kernel.snap_back = 1.0 if self.steady and not self._limited else 0.0
        else:
            kernel.snap_back = settings.snap_back_strength
        kernel.stretch = settings.stretch
        kernel.max_step = settings.max_step or 0.0
        kernel.twist_spread = settings.twist_spread
        kernel.roll_from_parent = settings.roll_from == "parent"


def _find_bad(**inputs: Numbers | None) -> str:
    """Say which of the inputs of a solve can't be used, and why."""
    for name, values in inputs.items():
        if values is not None and not all(abs(v) < 1e150 for v in values):
            return f"{name} is not finite: {tuple(values)}"
    return f"tip_turn is no rotation: {inputs['tip_turn']}"
