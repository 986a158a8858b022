"""ChainWorkspace: buffers that keep a chain's pose from frame to frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from ..checks import kind_of
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
from .joint_space import JointSpace
from .settings import SolveResult, SolveStatus
from .slides import check_shifts, find_slides, longest_bones

Numbers = Sequence[float]

BAD_NUMBERS = "the solver's numbers were not finite any more: it starts over"
STATUSES = (
    SolveStatus.CONVERGED,
    SolveStatus.STALLED,
    SolveStatus.UNREACHABLE,
    SolveStatus.MAX_ITERATIONS,
)


def chain_model(model: Any) -> ChainModel:
    """Return the model that a chain's solver is given.

    Raises:
        ModelError: It is none.
    """
    return kind_of(model, ChainModel, "the model of a chain's solver", ModelError)


class ChainWorkspace(Uncopied):
    """The pose of a chain, and what it starts from: a model, or an animation."""

    kernel_type: ClassVar[type[ChainFrameKernel]] = ChainFrameKernel
    direct_type: ClassVar[type[DirectSolve]] = DirectSolve
    in_joint_space: ClassVar[bool] = False
    """Whether ``iterate`` is the method also without limits."""

    def __init__(self, model: ChainModel, limits: LimitsByJoint | None = None) -> None:
        chain_model(model)
        found = check_limits(model, limits)
        self._buffers = make_buffers(model.bone_count)
        # until a leaf is told how to turn: a rotation, which Python can divide by
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
        """What solves a chain whose bones' directions are all that counts."""
        if self._joints is None:
            self.direct = self.direct_type(
                self._kernel, SolveResult, STATUSES, BAD_NUMBERS
            )
        self._tolerance = 0.0
        self.local_buffer: Numbers = reader(self._buffers["local"])
        """The numbers of ``local_rotations``, flat and live; it can only be read."""
        self.start_rotations: Any = self._buffers["rest_rot"]
        """Rotations of the start pose, flat and live, 4 (n + 1), root space."""
        self.unchanged = False
        """Whether the same goal again needs no solve: nothing would come nearer."""
        self._start_shape = (model.bone_count + 1, 4)
        self._start_rows: Floats = np.zeros(self._start_shape)
        self._start_numbers = self._start_rows.ravel().data
        self.set_rest_pose(model)
        if self._joints is not None:
            self.check(self._joints)
        self.reset()

    @classmethod
    def check(cls, space: JointSpace) -> None:
        """Raise ModelError where the method can't do the joints of a new solver."""

    @property
    def tolerance(self) -> float:
        """How near the tip must come in this frame, from its settings [scene unit]."""
        return self._tolerance

    def set_rest_pose(self, model: ChainModel) -> None:
        """Take another start pose of as many bones; keep the pose of the last frame.

        Raises:
            ModelError: The number of bones is another one.
        """
        kernel = self._kernel
        chain_model(model)
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
        if model.bend is not None:
            kernel.side_x, kernel.side_y, kernel.side_z = model.bend.tolist()
            kernel.straight = STRAIGHT
        kernel.take_rest()
        self._animated = False
        if self._joints is not None:
            self._joints.set_rest_pose(model)
            if kernel.rigid:
                self._move_last_joint()
        kernel.swing = 0
        kernel.farther = 0.0
        if kernel.slides and self._joints is not None:
            farthest = longest_bones(model, self._joints.limits)
            kernel.farther = float(farthest.sum()) - model.reach
        # those that the kernel has; none yet, which is not None
        self._settings: object = NotImplemented
        self._start: Numbers = tuple(model.positions[0].tolist())
        self._root: Numbers = self._start

    def animate(self, joints: Numbers) -> float:
        """Take this frame's animation for the start pose; limits count from the model.

        Args:
            joints: Position 3, rotation 4 (w x y z) and scale 3 of each joint in its
                parent's frame, flat, 10 (n + 1); the first one's in root space. What
                ``kernels.buffer`` makes is copied fastest.

        Returns:
            The largest share by which a scale that should be even is not; then the pose
            is as near as even scales come to it.

        Raises:
            ModelError: They are not so many numbers, or all joints are in one place, or
                nowhere: the start pose is then the model's again.
        """
        kernel = self._kernel
        fill(self._buffers["local_trs"], joints, "joints")
        try:
            uneven: float = kernel.take_locals()
        except (ArithmeticError, ValueError):
            # numbers that are none make machine code go on and Python stop
            uneven = -1.0
        if uneven < 0.0:
            self.set_rest_pose(self.model)
            raise ModelError(
                f"the joints {self.model.names[0]} to {self.model.names[-1]} are all "
                "in one place, or nowhere: something scales them to 0, or is not finite"
            )
        if self._joints is not None:
            if self._limited:
                kernel.find_rest_to_anim()
            self._take_start()
        kernel.swing = 1
        self._animated = True
        return uneven

    @property
    def tip(self) -> tuple[float, float, float]:
        """The point that should reach, from the leaf and in its axes [scene unit].

        A tool in a hand, the ball of a foot: (0, 0, 0) is the leaf itself. With a
        ``goal_rotation`` the leaf goes to where the tip then is at the goal; without
        one, the tip keeps its place against the last bone. Can be set at any time.

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

    def take_tips(self, offsets: Sequence[Numbers]) -> None:
        """Set ``tip`` by where it is in the start pose, from the leaf, root space.

        Args:
            offsets: One, (1, 3): a chain has one tip.
        """
        start = np.array(self._buffers["rest_rot"][-4:])
        tip = rotate(conjugate(start), np.array(offsets[0]))
        if not np.allclose(tip, self.tip, rtol=1e-9, atol=0.0):
            self.tip = tip.tolist()

    @property
    def tip_positions(self) -> Floats:
        """Where the tip is in the last solve, (1, 3) [scene unit], root space."""
        place = self.positions[-1:]
        if self._kernel.rigid or not self._kernel.tipped:
            return place
        moved: Floats = place + rotate(self.rotations[-1], np.array(self.tip))
        return moved

    def _set_rigid(self, rigid: bool) -> None:
        """Have the tip keep its place against the last bone, or the leaf turn it."""
        self._kernel.set_rigid(rigid)
        self._move_last_joint()

    def _move_last_joint(self) -> None:
        """Have the last joint in coordinates where the end of the last bone is."""
        if self._joints is None:
            return
        if self._animated:
            self._take_start()
            return
        points = np.array(self._buffers["points"][-6:])
        self._joints.buffers["offset"][-3:] = buffer((points[3:] - points[:3]).tolist())

    def _take_start(self) -> None:
        """Have the joints in coordinates start from the animated pose."""
        joints, buffers = self._joints, self._buffers
        assert joints is not None
        joints.kernel.take_start(self._limited)
        if self._limited and self._kernel.rigid:
            # the leaf is where its limit has it, not as it is animated
            tip, n = np.array(self.tip), self._kernel.n
            above = np.array(buffers["rest_to_anim"][4 * n - 4 : 4 * n])
            animated = rotate(np.array(buffers["rest_rot"][-4:]), tip)
            limited = rotate(
                np.array(joints.buffers["start_q"][-4:]), self._tip_there()
            )
            offset = limited - rotate(conjugate(above), animated)
            offset += joints.buffers["offset"][-3:]
            joints.buffers["offset"][-3:] = buffer(offset.tolist())

    def _tip_there(self) -> Floats:
        """Return the tip's offset in the pose that limits count from, root space."""
        return rotate(np.array(self._buffers["limit_rot"][-4:]), np.array(self.tip))

    def reset(self) -> None:
        """Forget the last frame: put the pose back to the start pose."""
        kernel, buffers = self._kernel, self._buffers
        buffers["pos"][:] = buffers["rest"]
        identity = [1.0, 0.0, 0.0, 0.0] * (self.model.bone_count + 1)
        buffers["delta_rot"][:] = buffer(identity)
        buffers["solved_rot"][:] = buffer(identity)
        kernel.take_bend()
        kernel.lengthening = 1.0
        if self._joints is not None and self._limited:
            # the start pose, or the pose next to it that the limits allow
            self._joints.forget()
            kernel.commit()
        else:
            if self._joints is not None:
                self._joints.unsettle()
            kernel.write()

    def take_pose(
        self, rotations: Floats, shifts: Mapping[int, float] = MappingProxyType({})
    ) -> None:
        """Go on from a pose, such as another solver's, or from one near it in limits.

        Args:
            rotations: Of the joints, (n + 1, 4) w x y z, root space.
            shifts: How far joints that slide are, by index [scene unit]; default: 0.

        Raises:
            ModelError: They are not finite numbers of this shape.
        """
        self._start_rows[:] = unit_rotations(rotations, self._start_shape)
        self._kernel.take_turns(self._start_numbers)
        self._go_on_from_turns(check_shifts(shifts))

    def _take_start_pose(self, rotations: Any) -> bool:
        """Go on from rotations, (n + 1, 4), root space; return whether they are some.

        Raises:
            SettingError: They are not of this shape.
        """
        rows = self._start_rows
        try:
            rows[:] = rotations
            # numpy would repeat what has one row; it is slow to tell a list's shape
            shape = getattr(rotations, "shape", None) or np.shape(rotations)
            taken = shape == self._start_shape
        except (TypeError, ValueError, OverflowError):
            taken = False
        if not taken:
            raise SettingError(
                f"start must be {len(rows)} rotations w x y z, one for each joint, not "
                f"{shown(rotations)}"
            )
        if not self._kernel.take_turns(self._start_numbers):
            return False
        if self._joints is None:
            self._kernel.go_on()
        else:
            self._go_on_from_turns({})
            # the next goal is not a motion's
            self._joints.unsettle()
        return True

    def _go_on_from_turns(self, shifts: Mapping[int, float]) -> None:
        """Go on from the turns that the kernel has taken, inside the limits."""
        if self._joints is not None:
            self._count_from_limits()
            self._joints.shift(shifts)
            self._joints.kernel.take_solved_rot()
            self._joints.kernel.show(1.0, -1.0, -1.0)
            self._count_from_start()
        self._kernel.go_on()

    @property
    def positions(self) -> Floats:
        """Joint positions of the last solve, (n + 1, 3) [scene unit], root space.

        Where a ``tip`` keeps its place against the last bone, the last one is the tip.
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

        A hinge has one and an ``AxesLimit`` one for each axis, turns beyond ±180°
        included. A cone has the swing to the left and up, which is a rotation vector,
        and the twist. A ball has a rotation vector, a slide its length [scene unit], a
        fixed joint nothing.
        """
        return self._joints.angles() if self._joints is not None else {}

    def _count_from_limits(self) -> None:
        """Count the turns in the workspace from the pose that limits count from."""
        if self._limited and self._animated:
            self._kernel.to_limits()

    def _count_from_start(self) -> None:
        """Count them from the start pose."""
        if self._limited and self._animated:
            self._kernel.from_limits()
