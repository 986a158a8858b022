"""ChainWorkspace: buffers that keep a chain's pose from frame to frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from ..checks import checked_instance
from ..copies import Uncopied
from ..errors import ModelError, SettingError, shown
from ..kernels import buffer, zeros
from ..kernels.chain_frame import ChainFrameKernel
from ..kernels.direct_solve import DirectSolve
from ..math3d.quaternion import Floats, conjugate, rotate, unit_rotations
from ..model.limits import LimitsByJoint
from ..model.skeleton import STRAIGHT, ChainModel
from ..value_shapes import VECTOR, checked
from .chain_buffers import fill, make_buffers, reader
from .joint_limits import check_limits
from .joint_space import JointSpace, straight_side
from .settings import SolveResult, SolveStatus
from .slides import check_shifts, find_slides, longest_bones

Numbers = Sequence[float]

BAD_NUMBERS = "the solver's numbers were not finite: it was reset"
STATUSES = (
    SolveStatus.CONVERGED,
    SolveStatus.STALLED,
    SolveStatus.UNREACHABLE,
    SolveStatus.MAX_ITERATIONS,
)


def chain_model(model: Any) -> ChainModel:
    """Return a model, checked to be a ``ChainModel``.

    Raises:
        ModelError: It is not one.
    """
    return checked_instance(
        model, ChainModel, "the model of a chain's solver", ModelError
    )


class ChainWorkspace(Uncopied):
    """The pose of a chain, and its start pose from a model or an animation."""

    kernel_type: ClassVar[type[ChainFrameKernel]] = ChainFrameKernel
    direct_type: ClassVar[type[DirectSolve]] = DirectSolve
    in_joint_space: ClassVar[bool] = False
    """Whether the method uses ``iterate`` also without limits."""

    def __init__(self, model: ChainModel, limits: LimitsByJoint | None = None) -> None:
        chain_model(model)
        found = check_limits(model, limits)
        self._buffers = make_buffers(model.bone_count)
        # a valid rotation until one is passed in: Python can't divide by 0
        self._buffers["tip"][0] = 1.0
        # the kernels are untyped Python: Cython declares their types beside them
        self._kernel: Any = self.kernel_type(model.bone_count, self._buffers)
        self._joints: JointSpace | None = None
        if found or self.in_joint_space:
            self._kernel.slides = bool(find_slides(found))
            names = ("points", "rest_to_anim", "goal_rot", "joint_pos")
            shared = {name: self._buffers[name] for name in names}
            shared["rotations"] = self._buffers["solved_rot"]
            self._joints = JointSpace(model, found, [model.bone_count], shared)
        self._limited = self._joints is not None and self._joints.limited
        self.direct: DirectSolve | None = None
        """The solve without joint coordinates; None where the chain needs them."""
        if self._joints is None:
            self.direct = self.direct_type(
                self._kernel, SolveResult, STATUSES, BAD_NUMBERS
            )
        self._tolerance = 0.0
        self.local_buffer: Numbers = reader(self._buffers["local"])
        """The numbers of ``local_rotations``, flat, live and read-only."""
        self.start_rotations: Any = self._buffers["rest_rot"]
        """Rotations of the start pose, flat and live, 4 (n + 1), root space."""
        self.unchanged = False
        """Whether another solve for the same goal would change nothing."""
        self._start_shape = (model.bone_count + 1, 4)
        self._start_rows: Floats = np.zeros(self._start_shape)
        self._start_numbers = self._start_rows.ravel().data
        self.set_rest_pose(model)
        if self._joints is not None:
            self.check(self._joints)
        self.reset()

    @classmethod
    def check(cls, space: JointSpace) -> None:
        """Raise ModelError where the method can't solve the joints of a new solver."""

    @property
    def tolerance(self) -> float:
        """Distance from the goal that counts as reached in this frame [scene unit]."""
        return self._tolerance

    @property
    def crossing(self) -> bool:
        """Whether joints are on their way to another pose, as limits ask."""
        return self._joints is not None and self._joints.crossing

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
        self.model = model
        for name, values in (
            ("points", model.positions),
            ("rest_rot", model.rotations),
            ("limit_rot", model.rotations),
            ("frames", model.frame_rotations),
        ):
            self._buffers[name][:] = buffer(values.ravel().tolist())
        side = model.bend
        if side is not None:
            kernel.straight = STRAIGHT
        else:
            side = model.find_bend()
        kernel.sided = side is not None
        if side is not None:
            kernel.side_x, kernel.side_y, kernel.side_z = side.tolist()
        kernel.set_rest()
        self._animated = False
        if self._joints is not None:
            self._joints.set_rest_pose(model)
            self._straight_side = straight_side(model.positions, model.bend)
            if kernel.rigid:
                self._move_last_joint()
        kernel.swing = 0
        kernel.posed = 1
        kernel.farther = 0.0
        if kernel.slides and self._joints is not None:
            farthest = longest_bones(model, self._joints.limits)
            kernel.farther = float(farthest.sum()) - model.reach
        # the settings that the kernel has; None would be a value
        self._settings: object = NotImplemented
        self._start: Numbers = tuple(model.positions[0].tolist())
        self._root: Numbers = self._start

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
            ModelError: The count is wrong, all joints are at one position, or numbers
                are not finite: the start pose is then the model's again.
        """
        kernel = self._kernel
        fill(self._buffers["local_trs"], joints, "joints")
        try:
            uneven: float = kernel.set_from_locals()
        except (ArithmeticError, ValueError):
            # where numbers are not finite machine code continues and Python raises
            uneven = -1.0
        if uneven < 0.0:
            self.set_rest_pose(self.model)
            raise ModelError(
                f"the joints {self.model.names[0]} to {self.model.names[-1]} are all "
                "at one position, or not finite: a node may be scaled to 0"
            )
        if self._joints is not None:
            if self._limited:
                kernel.find_rest_to_anim()
            self._set_animated_start()
        kernel.swing = 1
        self._animated = True
        return uneven

    @property
    def tip(self) -> tuple[float, float, float]:
        """The point that reaches, from the leaf and in its axes [scene unit].

        A tool in a hand, the ball of a foot: (0, 0, 0) is the leaf itself. With a
        ``goal_rotation`` the leaf carries the tip; without one, the tip stays fixed to
        the last bone. Can be set at any time.

        Raises:
            SettingError: It is not three finite numbers.
        """
        kernel = self._kernel
        return kernel.tip_x, kernel.tip_y, kernel.tip_z

    @tip.setter
    def tip(self, tip: Numbers) -> None:
        found: tuple[float, float, float] = checked(VECTOR, tip, "tip", SettingError)
        if found != self.tip:
            was_rigid = self._kernel.rigid
            self._kernel.set_tip(*found)
            if was_rigid:
                self._move_last_joint()
            if self._joints is not None:
                self._joints.buffers["tool"][:] = zeros(3)

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
        position = self.positions[-1:]
        if self._kernel.rigid or not self._kernel.tipped:
            return position
        moved: Floats = position + rotate(self.rotations[-1], np.array(self.tip))
        return moved

    def _set_rigid(self, rigid: bool) -> None:
        """Fix the tip against the last bone, or let the leaf's rotation carry it."""
        self._kernel.set_rigid(rigid)
        self._move_last_joint()

    def _move_last_joint(self) -> None:
        """Move the last joint of the joint space to the end of the last bone."""
        if self._joints is None:
            return
        if self._animated:
            self._set_animated_start()
            return
        points = np.array(self._buffers["points"][-6:])
        self._joints.buffers["offset"][-3:] = buffer((points[3:] - points[:3]).tolist())

    def _set_animated_start(self) -> None:
        """Start the joint space from the animated pose."""
        joints, buffers = self._joints, self._buffers
        assert joints is not None
        joints.kernel.set_start(self._limited)
        if self._limited and self._kernel.rigid:
            # the leaf's rotation is that of its limit, not the animated one
            tip, n = np.array(self.tip), self._kernel.n
            above = np.array(buffers["rest_to_anim"][4 * n - 4 : 4 * n])
            animated = rotate(np.array(buffers["rest_rot"][-4:]), tip)
            limited = rotate(
                np.array(joints.buffers["start_q"][-4:]), self._limit_tip_offset()
            )
            offset = limited - rotate(conjugate(above), animated)
            offset += joints.buffers["offset"][-3:]
            joints.buffers["offset"][-3:] = buffer(offset.tolist())

    def _limit_tip_offset(self) -> Floats:
        """Return the tip's offset in the pose that limits refer to, root space."""
        return rotate(np.array(self._buffers["limit_rot"][-4:]), np.array(self.tip))

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
        if self._joints is not None and self._limited:
            # the start pose, or the nearest one that the limits allow
            self._joints.reset()
            kernel.commit()
        else:
            if self._joints is not None:
                self._joints.forget_motion()
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
        self._start_rows[:] = unit_rotations(rotations, self._start_shape)
        self._kernel.set_rotations(self._start_numbers)
        self._continue_from_rotations(check_shifts(shifts))

    def _set_start_pose(self, rotations: Any) -> bool:
        """Set the pose from rotations, (n + 1, 4), root space; False: not rotations.

        Raises:
            SettingError: They are not of this shape.
        """
        rows = self._start_rows
        try:
            rows[:] = rotations
            # numpy would repeat a single row; the shape of a list is slow to get
            shape = getattr(rotations, "shape", None) or np.shape(rotations)
            taken = shape == self._start_shape
        except (TypeError, ValueError, OverflowError):
            taken = False
        if not taken:
            raise SettingError(
                f"start must be {len(rows)} rotations w x y z, one for each joint, not "
                f"{shown(rotations)}"
            )
        if not self._kernel.set_rotations(self._start_numbers):
            return False
        if self._joints is None:
            self._kernel.continue_from_solved()
        else:
            self._continue_from_rotations({})
            # the next goal does not continue a motion
            self._joints.forget_motion()
        return True

    def _continue_from_rotations(self, shifts: Mapping[int, float]) -> None:
        """Continue from the kernel's rotations, inside the limits."""
        if self._joints is not None:
            self._count_from_limits()
            self._joints.shift(shifts)
            self._joints.kernel.set_from_solved_rot()
            self._joints.kernel.show(1.0, -1.0, -1.0)
            self._count_from_start()
        self._kernel.continue_from_solved()

    @property
    def positions(self) -> Floats:
        """Joint positions of the last solve, (n + 1, 3) [scene unit], root space.

        Where a ``tip`` is fixed to the last bone, the last row is the tip.
        """
        joints: Floats = np.array(self._buffers["prev_pos"]).reshape(-1, 3)
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
        return self._joints.angles() if self._joints is not None else {}

    def _count_from_limits(self) -> None:
        """Refer the workspace's rotations to the pose that limits refer to."""
        if self._limited and self._animated:
            self._kernel.to_limits()

    def _count_from_start(self) -> None:
        """Refer the workspace's rotations to the start pose."""
        if self._limited and self._animated:
            self._kernel.from_limits()
