"""Aim: points a held thing at a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import panda3d.core as p3d

from ...errors import BindError
from ...kernels.gaze_aim import AimKernel
from ..checked_setting import Checked, node_in_scene, vector
from ..ik.dependencies import note_change
from ..ik.node_binding import matrices
from .behaviour import reader_of
from .facing import LookLimits
from .gaze_base import GazeBase

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig


def _direction(axis: Any, what: str) -> p3d.LVector3f:
    direction = vector(axis, what)
    if direction.length_squared() == 0.0:
        raise BindError(f"{what} must be a direction, not 0")
    return direction


class Aim(GazeBase):
    """Point a gun, a torch or a finger exactly at a target, over the animation.

        muzzle = rig.joint("RightHand").attach_new_node("muzzle")
        muzzle.set_pos_hpr(0.0, 0.3, 0.05, 0.0, 0.0, 0.0)
        aim = ikrig.Aim(rig, muzzle, enemy, {"Spine2": 1, "RightArm": 2})

    Play an animation that holds the thing roughly ahead: each joint adds its share of
    the missing rotation, and the last one the rest, so that it is exact. For a second
    hand on the thing use a ``Reach`` to a node on it.

    Args:
        rig: The Actor's rig.
        pointer: The node that points: one that hangs on the rig's node of the last of
            ``joints`` or of one below it, which ``rig.joint`` returns.
        target: Node to point at, or None.
        joints: Joints that turn, and how much of the turn each takes: any numbers, only
            their ratio counts. Each hangs below the one before.
        axis: What points, in the space of ``pointer``.
        forward: Where the Actor faces in the pose that the model came in, in its own
            space. Default: found by its sides, its toes or its eyes, else -y.
        limits: How far from straight ahead it may aim, as seen from the first of
            ``joints`` and against what that hangs on.
        seconds: How long it takes to aim at something else that is near [s]; by about
            0.4 of this it is late for what moves. 0: neither.
        speed: Highest speed [rad/s].
        weight: 0: as animated; 1: exact.
        order: Place among the layers of its phase, LIMBS; a hand that holds what it
            points, and one that reaches for that, take their turns by themselves.

    Raises:
        BindError: A joint is unknown or not below the one before, or the pointer does
            not hang on them.
        SettingError: A setting is out of range.
    """

    pointer = Checked(node_in_scene, changed=note_change)
    axis = Checked[Any](_direction)

    def __init__(
        self,
        rig: ActorRig,
        pointer: p3d.NodePath,
        target: p3d.NodePath | None,
        joints: Mapping[str, float],
        *,
        axis: Sequence[float] = (0.0, 1.0, 0.0),
        forward: Sequence[float] | None = None,
        limits: LookLimits | None = None,
        seconds: float = 0.15,
        speed: float = 12.0,
        weight: float = 1.0,
        order: float = 0,
    ) -> None:
        super().__init__(
            rig, target, joints, forward, limits, seconds, speed, weight, order
        )
        last = self._last
        node_in_scene(pointer, "pointer")
        if pointer != last and not last.is_ancestor_of(pointer):
            raise BindError(
                f"pointer {pointer} is not below the last of joints: reparent it to "
                f"rig.joint({last.get_name()!r}), or to the node of a joint below that"
            )
        self.pointer = pointer
        self.axis = axis
        self._pointed: p3d.NodePath | None = None
        self._kernel = AimKernel(*self._parts([])[0], matrices(1))
        rig.add(self, self._shares)

    def lines(self) -> list[tuple[p3d.NodePath, p3d.NodePath]]:
        """Return what points at the target: the pointer."""
        return [(self.pointer, target) for _, target in super().lines()]

    def reads(self) -> list[Any]:
        """Return the nodes whose places count."""
        return [*super().reads(), self.pointer]

    def entries(self) -> dict[str, Any]:
        """Return what makes another one like it."""
        return {**super().entries(), "pointer": self.pointer, "axis": tuple(self.axis)}

    def _frame(self, dt: float) -> None:
        """Turn to the target, or gently back to the animation when there is none."""
        kernel, pointer = self._kernel, self.pointer
        if pointer is not self._pointed:
            self._pointed = pointer
            kernel.pointer = reader_of(pointer, self._last)
        kernel.set_axis(*self.axis)
        super()._frame(dt)
