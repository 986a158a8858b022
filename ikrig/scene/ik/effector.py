"""Effector: a node that reaches for a target."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import TYPE_CHECKING

import numpy as np
import panda3d.core as p3d

from ...checks import array_of
from ...copies import Uncopied
from ...errors import BindError, SettingError, shown
from ...kernels import buffer
from ...math3d.jog import FASTEST, jog
from ...math3d.quaternion import rotate
from ...model.pose import Goal
from ...solvers.settings import MOST_WEIGHT
from ...value_shapes import Number, checked
from .dependencies import note_change
from .node_transforms import same_scene
from .pose_binding import OrientationMode, PoseBinding
from .targets import ORIGIN, check_outside, check_tip, tip_position

if TYPE_CHECKING:
    from .component import IKComponent

_WEIGHT = Number(f"a number from 0 to {MOST_WEIGHT:g}", 0.0, MOST_WEIGHT)

MAX_LAG = 0.5
"""Maximum time by which a tip may lag behind a jogged target [s]."""


class Effector(Uncopied):
    """A node that reaches for a target: a chain has one, a tree several.

    ``IKChain``, ``IKTree``, ``ActorRig.chain`` and ``ActorRig.tree`` make them.

    Args:
        rig: The chain or tree that it belongs to.
        binding: The rig's bones.
        leaf: The node that reaches.
        target: The node to reach; it must not be below the bones. Or, for joints of an
            Actor, a goal in numbers.
        orientation_mode: How the node turns, see the attribute.
        tip: Point that reaches, see the attribute.
        weight: Weight of the position.
        orientation_weight: Weight of the rotation. None: the rig's setting.
        pole: Node to bend towards, or None.

    Raises:
        BindError: The target can't be used.
        SettingError: A weight is out of range.
    """

    __slots__ = (
        "_goal",
        "_leaf",
        "_offset",
        "_orientation_mode",
        "_orientation_weight",
        "_pole",
        "_rig",
        "_target",
        "_tip",
        "_weight",
    )

    def __init__(
        self,
        rig: IKComponent,
        binding: PoseBinding,
        leaf: p3d.NodePath,
        target: p3d.NodePath | Goal,
        orientation_mode: OrientationMode,
        tip: object = None,
        weight: float = 1.0,
        orientation_weight: float | None = None,
        pole: p3d.NodePath | None = None,
    ) -> None:
        self._rig = rig
        self._leaf = leaf
        self._goal = target if isinstance(target, Goal) else None
        self._target: p3d.NodePath = p3d.NodePath()
        if not isinstance(target, Goal):
            self._target = check_outside(target, "target", binding)
        self._orientation_mode = check_orientation_mode(orientation_mode, binding)
        self._tip = check_tip(tip)
        self._weight = self._checked("weight", weight)
        self._orientation_weight: float | None = None
        if orientation_weight is not None:
            self._orientation_weight = self._checked(
                "orientation_weight", orientation_weight
            )
        self._offset = buffer((1.0, 0.0, 0.0, 0.0))
        if not isinstance(target, Goal):
            self._offset[:] = buffer(binding.current_offset(leaf, target))
        self._pole = None if pole is None else check_outside(pole, "pole", binding)

    def __repr__(self) -> str:
        leaf = "removed" if self._leaf.is_empty() else self._leaf.get_name()
        return f"<Effector {leaf} -> {self.target}>"

    @property
    def leaf(self) -> p3d.NodePath:
        """The node that reaches."""
        return self._rig._binding.shown(self._leaf)

    @property
    def target(self) -> p3d.NodePath:
        """The node to reach. Set it to reach for a different one.

        For a goal in numbers (``goal``) a node that shows it as it is now; moving that
        does nothing.
        """
        if self._goal is not None:
            goals, k = self._goal
            if self._target.is_empty():
                name = f"{self._leaf.get_name()} Goal"
                self._target = self._rig._binding.space.attach_new_node(name)
            place = p3d.LPoint3f(*goals.positions[k].tolist())
            self._target.set_pos_quat(place, p3d.LQuaternionf(*goals.rotations[k]))
        return self._target

    @target.setter
    def target(self, node: p3d.NodePath) -> None:
        before = self._target
        self._target = check_outside(node, "target", self._rig._binding)
        self._goal = None
        self._rig._reconnect()
        if node != before:
            note_change(self._rig)

    @property
    def goal(self) -> Goal | None:
        """The goal in numbers, which another layer writes; None: the target's."""
        return self._goal

    def reads(self) -> list[p3d.NodePath]:
        """Return the nodes that it reads."""
        nodes = None if self._goal else self._target, self._pole
        return [node for node in nodes if node is not None]

    def jog(
        self,
        velocity: Sequence[float] = ORIGIN,
        spin: Sequence[float] = ORIGIN,
        *,
        dt: float,
        frame: str = "world",
    ) -> None:
        """Move the target at a speed, as a teach pendant moves a tool.

        Call it in each frame while a key or stick is held. The target leads the tip by
        at most the distance covered in ``MAX_LAG`` seconds, so that it returns at once
        where the bones can't follow.

        Args:
            velocity: Linear velocity, (3,) [world unit/s].
            spin: Angular velocity about the target's own origin: its axis times the
                speed, (3,) [rad/s].
            dt: Time since the last frame [s], see ``ikrig.jog``.
            frame: Axes of both: "world", the top of the scene, or "tool", the node that
                reaches.

        Raises:
            SettingError: A vector is not three numbers, or frame is unknown.
        """
        move = array_of(velocity, (3,), "velocity", SettingError, finite=False)
        turn = array_of(spin, (3,), "spin", SettingError, finite=False)
        target = self._target
        if self.leaf.is_empty() or not same_scene(target, self.leaf):
            # the next frame reports removed nodes
            return
        world = target.get_top()
        before, held = target.get_pos(world), target.get_quat(world)
        if not (np.abs((move, turn)) < FASTEST).all():
            # NaN and impossible speeds move nothing
            return
        if frame == "tool":
            axes = np.array(self.leaf.get_quat(world))
            move, turn = rotate(axes, move), rotate(axes, turn)
        place, quat = jog(
            tuple(before),
            tuple(held),
            move.tolist(),
            turn.tolist(),
            dt,
            frame="world" if frame == "tool" else frame,
        )
        tip = tip_position(self.leaf, self._tip, world)
        now = p3d.LPoint3(*place)
        max_distance = float(np.linalg.norm(move)) * MAX_LAG
        if (now - tip).length() > max(max_distance, (before - tip).length()):
            now = before
        target.set_pos_quat(world, now, p3d.LQuaternion(*quat))

    @property
    def pole(self) -> p3d.NodePath | None:
        """The node that its bones bend towards, or None; see ``IKTree``."""
        return self._pole

    @pole.setter
    def pole(self, node: p3d.NodePath | None) -> None:
        binding = self._rig._binding
        before = self._pole
        if node is not None:
            check_outside(node, "pole", binding)
            self._rig._check_pole(self)
        self._pole = node
        self._rig._reconnect()
        if node != before:
            note_change(self._rig)

    @property
    def tip(self) -> tuple[float, float, float]:
        """The point that reaches, in the node's own space: a tool's end.

        (0, 0, 0) is the node itself. In the orientation modes "target" and "animation"
        the node is positioned so that its tip, at that rotation, is at the target;
        otherwise the tip moves with the last bone.
        """
        return self._tip

    @tip.setter
    def tip(self, tip: Sequence[float]) -> None:
        tip, before = check_tip(tip), self._tip
        self._tip = tip
        try:
            self._rig._update_tips()
        except SettingError:
            self._tip = before
            raise

    @property
    def weight(self) -> float:
        """Weight of its position against the others'; 0: it is ignored."""
        return self._weight

    @weight.setter
    def weight(self, value: float) -> None:
        self._weight = self._checked("weight", value)
        self._rig._mark_weights_changed()

    @property
    def orientation_weight(self) -> float:
        """Weight of its rotation in the solve itself; 0: it turns afterwards."""
        if self._orientation_weight is None:
            return self._rig.settings.orientation_weight
        return self._orientation_weight

    @orientation_weight.setter
    def orientation_weight(self, value: float) -> None:
        if self._orientation_weight is None:
            self._rig.orientation_weight = value
        else:
            self._orientation_weight = self._checked("orientation_weight", value)
            self._rig._mark_weights_changed()

    def _checked(self, what: str, value: object) -> float:
        name = f"{what} of effector {self._leaf.get_name()!r}"
        found: float = checked(_WEIGHT, value, name, SettingError)
        return found

    # -- orientation -------------------------------------------------------------------

    @property
    def reached(self) -> p3d.LPoint3f:
        """Where its tip is now, in root space.

        For a target out of reach this is the nearest position within reach, with
        ``weight`` 1 and once ``max_step`` no longer holds the joints back.
        """
        binding = self._rig._binding
        binding.show()
        return tip_position(self._leaf, self._tip, binding.root)

    @property
    def orientation_mode(self) -> OrientationMode:
        """Rotation of the node: "target" follows the target's, "bone" its bone's.

        On an Actor also "animation" and "normal", see ``ActorRig.chain``.
        """
        return self._orientation_mode

    @orientation_mode.setter
    def orientation_mode(self, value: OrientationMode) -> None:
        self._orientation_mode = check_orientation_mode(value, self._rig._binding)
        self._rig._reconnect()

    @property
    def offset(self) -> MutableSequence[float]:
        """Rotation offset of the node to its target, a live buffer, w x y z.

        The node's rotation while its target is unrotated: on ordinary nodes relative to
        the node's start rotation, on an Actor in root space.
        """
        return self._offset

    @property
    def target_offset(self) -> tuple[float, ...]:
        """Rotation offset of the node to its target, (4,) w x y z, root space.

        On ordinary nodes the target's rotation at which the node has its start
        rotation; on an Actor the node's rotation while the target is unrotated.
        """
        w, x, y, z = self._offset
        return (w, x, y, z) if self._rig._binding.animated else (w, -x, -y, -z)

    @target_offset.setter
    def target_offset(self, rotation: Sequence[float]) -> None:
        values = array_of(rotation, (4,), "target_offset", SettingError)
        quat = p3d.LQuaternionf(*values.tolist())
        if not quat.normalize():
            raise SettingError(
                f"target_offset must not be all zeros: {shown(rotation)}"
            )
        if not self._rig._binding.animated:
            quat.conjugate_in_place()
        self._offset[:] = buffer(quat)

    @property
    def needs_saved_offset(self) -> bool:
        """Whether the offset must be saved: binding again would not restore it."""
        binding, start = self._rig._binding, p3d.LQuaternionf(*self.target_offset)
        if self._orientation_mode != "target" or binding.animated:
            return self._orientation_mode == "target"
        now = self._target.get_quat(binding.root)
        now.normalize()
        return not now.almost_same_direction(start, 1e-6)

    def set_offset(self) -> None:
        """Store the target's current rotation as the offset to the node.

        On ordinary nodes, it is the target's rotation at which the node has its start
        rotation.

        Raises:
            BindError: The target has no rotation, or was removed.
        """
        if self._target.is_empty():
            raise BindError(f"target of {self!r} was removed")
        self._offset[:] = buffer(
            self._rig._binding.current_offset(self._leaf, self._target)
        )

    def offset_on(self, binding: PoseBinding) -> Sequence[float]:
        """Return the offset for new bones of the rig.

        On an Actor it does not change: there the start pose is the animation.

        Raises:
            BindError: Target or pole can't be used for them.
        """
        if self._goal is None:
            check_outside(self._target, "target", binding)
        if self._pole is not None:
            check_outside(self._pole, "pole", binding)
        if binding.animated:
            return self._offset
        return buffer(binding.current_offset(self._leaf, self._target))


def check_orientation_mode(
    value: OrientationMode, binding: PoseBinding | type[PoseBinding]
) -> OrientationMode:
    """Return an orientation mode after checking that a kind of binding has it.

    Raises:
        SettingError: Bones of this kind don't have this mode.
    """
    modes = binding.orientation_modes
    if not isinstance(value, str) or value not in modes:
        raise SettingError(
            f"orientation_mode must be one of {', '.join(modes)}, not {shown(value)}"
        )
    return value
