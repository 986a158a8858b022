"""Buffers that keep a tree's pose from frame to frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from ..checks import array_of, checked_instance, entries
from ..copies import Uncopied
from ..errors import ModelError, SettingError, name_list, shown
from ..kernels import COMPILED, buffer, zeros
from ..kernels.joint_rotations import MultiEffectorKernel
from ..math3d.quaternion import Floats, conjugate, multiply, rotate, unit_rotations
from ..model.limits import LimitsByJoint, SlideLimit
from ..model.skeleton import SkeletonModel, find_joint, path_lengths
from ..value_shapes import VECTOR, Flag, Items, checked
from .chain_buffers import fill, reader
from .joint_limits import check_limits, with_leader_shifted
from .joint_space import JointSpace
from .slides import check_shifts, longest_bones

Numbers = Sequence[float]

AXES = "xyz"
"""The axes of the three slides that carry a free root."""


class MultiEffectorSpace(JointSpace):
    """Joints that also write rotations."""

    kernel_type: ClassVar[Any] = MultiEffectorKernel


class MultiEffectorWorkspace(Uncopied):
    """The pose of a tree, and its start pose from a model or an animation."""

    def __init__(
        self,
        model: SkeletonModel,
        effectors: Sequence[str | int] | None,
        limits: LimitsByJoint | None,
        *,
        pinned: bool,
    ) -> None:
        checked_instance(
            model, SkeletonModel, "the model of a tree's solver", ModelError
        )
        self.pinned: bool = checked(Flag(), pinned, "pinned", SettingError)
        self.effectors = model.leaves if effectors is None else _find(model, effectors)
        self._parents = model.parents
        leaves = set(model.leaves)
        self._is_leaf = [joint in leaves for joint in self.effectors]
        found = check_limits(model, limits)
        self._shift = 0
        if not pinned:
            # three slides carry the root
            self._shift = len(AXES)
            found = {
                j + self._shift: with_leader_shifted(limit, self._shift)
                for j, limit in found.items()
            }
            found.update((k, SlideLimit(axis)) for k, axis in enumerate(AXES))
        count = len(model.parents) + self._shift
        sizes = dict.fromkeys(
            ("rest_rot", "mirror", "rot", "local", "animated_rot", "frames"), 4
        )
        sizes.update(local_trs=10, child_frame=5)
        shared = {name: zeros(k * count) for name, k in sizes.items()}
        self._space = MultiEffectorSpace(
            self._sliding(model),
            found,
            [j + self._shift for j in self.effectors],
            shared,
        )
        self.local_buffer: Numbers = reader(
            self._space.buffers["local"], 4 * self._shift
        )
        """The numbers of ``local_rotations``, flat, live and read-only."""
        self.unchanged = False
        """Whether another solve for the same goals would change nothing."""
        self._tips = np.zeros((len(self.effectors), 3))
        self._rigid = [False] * len(self.effectors)
        self.set_rest_pose(model)
        self.reset()

    @property
    def kernel(self) -> Any:
        """The compiled state: coordinates, goals and the pose."""
        return self._space.kernel

    def start_rotations(self, e: int) -> Any:
        """Return the animated rotations of the joints up to an effector's, or None.

        Flat and live, 4 numbers each, root space, the effector's last; None for lists
        (interpreted kernels), which have no live slices.
        """
        end = 4 * (self.effectors[e] + self._shift + 1)
        rotations = self._space.buffers["animated_rot"]
        return memoryview(rotations)[:end] if COMPILED else None

    @property
    def reaches(self) -> Sequence[float]:
        """Distance from the root that each effector can reach [scene unit]."""
        return self._far

    def forget_motion(self) -> None:
        """Treat the next goals as new ones, unrelated to the last pose."""
        self._space.forget_motion()

    def set_weights(self, weights: Numbers, orientation_weights: Numbers) -> None:
        """Set the weights of each goal's position and rotation in the kernel."""
        strength = self._space.buffers["weights"]
        # the kernel squares the error with its weight
        for e, (weight, orientation) in enumerate(
            zip(weights, orientation_weights, strict=True)
        ):
            strength[2 * e] = weight**0.5 if weight > 0.0 else 0.0
            strength[2 * e + 1] = orientation if orientation > 0.0 else 0.0

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

    def set_rest_pose(self, model: SkeletonModel) -> None:
        """Set a start pose of the same tree; keep the pose of the last frame.

        Raises:
            ModelError: The joints have different parents.
        """
        checked_instance(
            model, SkeletonModel, "the model of a tree's solver", ModelError
        )
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
        buffers["rest_rot"][:] = buffer([*still, *model.rotations.ravel().tolist()])
        buffers["mirror"][:] = buffer([*still, *mirror.ravel().tolist()])
        self._root: Numbers = tuple(model.positions[0].tolist())
        whole = self._sliding(model)
        away = path_lengths(whole.parents, longest_bones(whole, self._space.limits))
        self._away = [float(away[j + self._shift]) for j in self.effectors]
        self._rigid = [False] * len(self.effectors)
        self._measure_tips()

    def animate(self, joints: Numbers) -> float:
        """Use this frame's animation as the start pose, as ``ChainSolver.animate``.

        Raises:
            ModelError: The count is wrong, all joints are at one position, or numbers
                are not finite: the start pose is then the model's again.
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

    def effector_starts(self) -> Floats:
        """Return the effectors' rotations in the start pose, (e, 4) w x y z."""
        name = "animated_rot" if self._animated else "rest_rot"
        return self._rows(name, 4)[list(self.effectors)]

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
    def reached(self) -> Floats:
        """Positions of the tips after the last solve, (e, 3) [scene unit], root space.

        For goals out of reach these are the nearest positions, as for a chain's.
        """
        positions = self.positions[list(self.effectors)]
        loose = ~np.array(self._rigid)
        turned = rotate(self.rotations[list(self.effectors)], self._tips)
        found: Floats = positions + loose[:, None] * turned
        return found

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
        kernel, buffers = self._space.kernel, self._space.buffers
        unit = unit_rotations(rotations, self.model.rotations.shape)
        pulled = array_of(pulled, (3,), "pulled", ModelError).tolist()
        shifts = check_shifts(shifts)
        turned = multiply(unit, conjugate(self.model.rotations))
        still = [1.0, 0.0, 0.0, 0.0] * self._shift
        buffers["rotations"][:] = buffer([*still, *turned.ravel().tolist()])
        shift = self._shift
        free = dict(enumerate(pulled[:shift]))
        self._space.shift({**free, **{j + shift: shifts[j] for j in shifts}})
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
        found: Numbers = self._space.buffers["shown_value"][: len(AXES)]
        return found

    @property
    def root_position(self) -> Numbers:
        """Position of the root joint, (3,) [scene unit], root space."""
        i = 3 * self._shift
        x, y, z = self._space.buffers["joint_pos"][i : i + 3]
        return x + self._root[0], y + self._root[1], z + self._root[2]


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
