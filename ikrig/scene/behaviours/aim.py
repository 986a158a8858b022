"""Aim: points a held object at a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import panda3d.core as p3d

from ...errors import BindError
from ...formats.rig_file.sections import (
    COMMON,
    FORWARD,
    LOOK_LIMITS,
    PLUS,
    SECONDS,
    WEIGHTS,
)
from ...kernels.gaze_aim import AimKernel
from ...records import Field, Named, Record
from ...value_shapes import NODE, VECTOR, Value
from ..checked_setting import Checked, node_in_scene, vector
from ..ik.dependencies import note_change
from ..ik.node_transforms import matrices
from .behaviour import reader_of
from .facing import LookLimits
from .gaze_base import GazeBase

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig


def _direction(axis: object, what: str) -> p3d.LVector3f:
    direction = vector(axis, what)
    if direction.length_squared() == 0.0:
        raise BindError(f"{what} must be a direction, not 0")
    return direction


class Aim(GazeBase):
    """Point a gun, a torch or a finger exactly at a target, over the animation.

        muzzle = rig.joint("RightHand").attach_new_node("muzzle")
        muzzle.set_pos_hpr(0.0, 0.3, 0.05, 0.0, 0.0, 0.0)
        aim = ikrig.Aim(rig, muzzle, enemy, {"Spine2": 1, "RightArm": 2})

    Play an animation that holds the object roughly ahead: each joint turns by its part
    of the missing rotation, and the last one by the rest, so that the aim is exact. For
    a second hand on the object use a ``Reach`` to a node on it.

    Args:
        rig: The Actor's rig.
        pointer: The node that points: a child of the rig's node of the last of
            ``joints``, or of a joint below it, as returned by ``rig.joint``.
        target: Node to point at, or None.
        joints: Weights of the joints that turn: any numbers, only their ratio counts.
            Each joint is below the previous one.
        axis: Direction that points, in the space of ``pointer``.
        forward: Direction in which the Actor faces in the pose of the model file, in
            its own space. Default: found by its sides, its toes or its eyes, else -y.
        limits: Limits of the aim, measured from straight ahead at the first of
            ``joints`` and relative to the joint above it.
        seconds: Time to turn to a new target at a small angle [s]; the aim lags behind
            a moving target by about 0.4 of it. 0: at once, without lag.
        speed: Maximum speed [rad/s].
        weight: 0: as animated; 1: exact.
        order: Order among the layers of its phase, LIMBS; layers that move the pointer
            or reach for it are ordered automatically.

    Raises:
        BindError: A joint is unknown or not below the previous one, or the pointer is
            not below them.
        SettingError: A setting is out of range.
    """

    kind = "aim"
    record = Record(
        "aim",
        "A thing in the hand points exactly at a target.",
        {
            "pointer": Field(
                NODE,
                "The node that points: a child of the last of the joints, "
                "or of a joint below it.",
                True,
            ),
            "target": Field(NODE, "The node to point at; default: none, as animated."),
            "joints": Named(
                WEIGHTS,
                "The joints that turn, each below the one before, with their weights.",
                True,
            ),
            "axis": Field(
                VECTOR, "The direction that points, in the pointer's space; default: y."
            ),
            "forward": FORWARD,
            "limits": LOOK_LIMITS,
            "seconds": SECONDS,
            "speed": Field(PLUS, "Maximum speed, per second.", degrees=True),
            **COMMON,
        },
    )
    pointer = Checked(node_in_scene, changed=note_change)
    axis = Checked[Value](_direction)

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
        self._kernel = AimKernel(*self._parts([]), matrices(1))
        rig.add(self, self._joints)

    def _lines(self) -> list[tuple[p3d.NodePath, p3d.NodePath]]:
        return [(self.pointer, target) for _, target in super()._lines()]

    def reads(self) -> list[p3d.NodePath | None]:
        """Return the nodes whose transforms it reads."""
        return [*super().reads(), self.pointer]

    def _frame(self, dt: float) -> None:
        kernel, pointer = self._kernel, self.pointer
        if pointer is not self._pointed:
            self._pointed = pointer
            kernel.pointer = reader_of(pointer, self._last)
        kernel.set_axis(*self.axis)
        super()._frame(dt)
