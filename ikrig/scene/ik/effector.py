"""Effector: a node that reaches for a target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import panda3d.core as p3d

from ...checks import array_of
from ...errors import BindError, SettingError, shown
from ...kernels import buffer
from ...math3d.jog import FASTEST, jog
from ...math3d.quaternion import rotate
from ...solvers.settings import MOST_WEIGHT, SolveSettings
from ...value_shapes import VECTOR, Number, checked
from .dependencies import note_change
from .node_transforms import same_scene
from .pose_binding import OrientationMode, PoseBinding

_WEIGHT = Number(f"a number from 0 to {MOST_WEIGHT:g}", 0.0, MOST_WEIGHT)

NOWHERE = (0.0, 0.0, 0.0)
LEASH = 0.5
"""How long a tip may be behind a target that is jogged [s]."""


class EffectorOwner(Protocol):
    """What an effector tells of its changes: a chain or a tree."""

    binding: PoseBinding
    orientation_weight: Any

    @property
    def settings(self) -> SolveSettings:
        """All settings at once."""

    def reconnect(self) -> None:
        """Take another target, pole or orientation."""

    def reweigh(self) -> None:
        """Take other weights."""

    def take_tips(self) -> None:
        """Take other tips."""

    def check_pole(self, effector: Effector) -> None:
        """See that an effector has bones that a pole can bend."""


class Effector:
    """A node that reaches for a target: a chain has one, a tree several.

    ``IKChain``, ``IKTree``, ``ActorRig.chain`` and ``ActorRig.tree`` make them.

    Args:
        rig: What it belongs to.
        binding: The bones that it is one of.
        leaf: The node.
        target: The node to reach; it must not hang on the bones.
        orientation_mode: How the node turns; see there.
        tip: See there.
        weight: See there.
        orientation_weight: See there. None: the rig's setting of this name.
        pole: See there.

    Raises:
        BindError: The target can't be used; says why.
        SettingError: A weight is out of range.
    """

    __slots__ = (
        "_offset",
        "_orientation_mode",
        "_orientation_weight",
        "_pole",
        "_rig",
        "_target",
        "_tip",
        "_weight",
        "leaf",
    )

    def __init__(
        self,
        rig: EffectorOwner,
        binding: PoseBinding,
        leaf: p3d.NodePath,
        target: p3d.NodePath,
        orientation_mode: OrientationMode,
        tip: Any = None,
        weight: float = 1.0,
        orientation_weight: float | None = None,
        pole: p3d.NodePath | None = None,
    ) -> None:
        self._rig = rig
        self.leaf = leaf
        self._target = check_outside(target, "target", binding)
        self._orientation_mode = check_orientation_mode(orientation_mode, binding)
        self._tip = check_tip(tip)
        self._weight = self._checked("weight", weight)
        self._orientation_weight: float | None = None
        if orientation_weight is not None:
            self._orientation_weight = self._checked(
                "orientation_weight", orientation_weight
            )
        self._offset = buffer(binding.held(leaf, target))
        self._pole = None if pole is None else check_outside(pole, "pole", binding)

    def __repr__(self) -> str:
        """Say what reaches for what."""
        return f"<Effector {self.leaf.get_name()} -> {self.target}>"

    @property
    def target(self) -> p3d.NodePath:
        """The node to reach. Set it to reach for another one."""
        return self._target

    @target.setter
    def target(self, node: p3d.NodePath) -> None:
        before = self._target
        self._target = check_outside(node, "target", self._rig.binding)
        self._rig.reconnect()
        if node != before:
            note_change()

    def jog(
        self,
        velocity: Sequence[float] = NOWHERE,
        spin: Sequence[float] = NOWHERE,
        *,
        dt: float,
        frame: str = "world",
    ) -> None:
        """Move the target by hand at a speed, as a teach pendant moves a tool.

        Call it in each frame in which a key or stick is held. The target goes no
        farther ahead of the tip than the tip would need ``LEASH`` seconds for, so that
        it comes back at once where the bones can't follow.

        Args:
            velocity: Where to, (3,) [world unit/s].
            spin: The axis to turn about, its length the speed, (3,) [rad/s]; the target
                turns about itself.
            dt: Time since the last frame [s], see ``ikrig.jog``.
            frame: Whose axes both have: "world", the top of the scene, or "tool", those
                of the node that reaches.

        Raises:
            SettingError: A vector has not three numbers, or frame is another word.
        """
        move = array_of(velocity, (3,), "velocity", SettingError, finite=False)
        turn = array_of(spin, (3,), "spin", SettingError, finite=False)
        target = self._target
        if self.leaf.is_empty() or not same_scene(target, self.leaf):
            # the frame reports what is gone
            return
        world = target.get_top()
        before, held = target.get_pos(world), target.get_quat(world)
        if not (np.abs((move, turn)) < FASTEST).all():
            # what is no number, or no speed, moves nothing
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
        leash = float(np.linalg.norm(move)) * LEASH
        if (now - tip).length() > max(leash, (before - tip).length()):
            now = before
        target.set_pos_quat(world, now, p3d.LQuaternion(*quat))

    @property
    def pole(self) -> p3d.NodePath | None:
        """The node that its bones bend towards, or None; see ``IKTree``."""
        return self._pole

    @pole.setter
    def pole(self, node: p3d.NodePath | None) -> None:
        binding = self._rig.binding
        before = self._pole
        if node is not None:
            check_outside(node, "pole", binding)
            self._rig.check_pole(self)
        self._pole = node
        self._rig.reconnect()
        if node != before:
            note_change()

    @property
    def tip(self) -> tuple[float, float, float]:
        """The point that reaches, from the node and in its own space: a tool's end.

        (0, 0, 0) is the node itself. When the node turns as its target does, or as it
        is animated, it goes to where the tip then is at the target; else the tip goes
        with the last bone.
        """
        return self._tip

    @tip.setter
    def tip(self, tip: Sequence[float]) -> None:
        tip, before = check_tip(tip), self._tip
        self._tip = tip
        try:
            self._rig.take_tips()
        except SettingError:
            self._tip = before
            raise

    @property
    def weight(self) -> float:
        """How much its place counts against the others'; 0: not at all."""
        return self._weight

    @weight.setter
    def weight(self, value: float) -> None:
        self._weight = self._checked("weight", value)
        self._rig.reweigh()

    @property
    def orientation_weight(self) -> float:
        """How much its rotation counts in the solve itself; 0: it turns afterwards."""
        if self._orientation_weight is None:
            return self._rig.settings.orientation_weight
        return self._orientation_weight

    @orientation_weight.setter
    def orientation_weight(self, value: float) -> None:
        if self._orientation_weight is None:
            self._rig.orientation_weight = value
        else:
            self._orientation_weight = self._checked("orientation_weight", value)
            self._rig.reweigh()

    def _checked(self, what: str, value: Any) -> float:
        name = f"{what} of effector {self.leaf.get_name()!r}"
        found: float = checked(_WEIGHT, value, name, SettingError)
        return found

    # -- orientation -------------------------------------------------------------------

    @property
    def orientation_mode(self) -> OrientationMode:
        """How the node turns: "target" as its target does, "bone" with its bone.

        On an Actor also "animation" and "normal", as ``ActorRig.chain`` has them.
        """
        return self._orientation_mode

    @orientation_mode.setter
    def orientation_mode(self, value: OrientationMode) -> None:
        self._orientation_mode = check_orientation_mode(value, self._rig.binding)
        self._rig.reconnect()

    @property
    def offset(self) -> Any:
        """How the node is held against its target, a buffer, w x y z: live.

        The rotation that it has, while its target has none: on ordinary nodes from the
        node's start rotation, on an Actor in root space.
        """
        return self._offset

    @property
    def target_offset(self) -> tuple[float, ...]:
        """How the node is held against its target, (4,) w x y z, root space.

        On ordinary nodes the target's rotation at which the node has its start
        rotation; on an Actor the node's rotation when the target has none.
        """
        w, x, y, z = self._offset
        return (w, x, y, z) if self._rig.binding.animated else (w, -x, -y, -z)

    @target_offset.setter
    def target_offset(self, rotation: Sequence[float]) -> None:
        values = array_of(rotation, (4,), "target_offset", SettingError)
        quat = p3d.LQuaternionf(*values.tolist())
        if not quat.normalize():
            raise SettingError(f"target_offset must not be all 0, as {shown(rotation)}")
        if not self._rig.binding.animated:
            quat.conjugate_in_place()
        self._offset[:] = buffer(quat)

    @property
    def keeps_offset(self) -> bool:
        """Whether it is held in a way that binding anew would not find again."""
        binding, start = self._rig.binding, p3d.LQuaternionf(*self.target_offset)
        if self._orientation_mode != "target" or binding.animated:
            return self._orientation_mode == "target"
        now = self._target.get_quat(binding.root)
        now.normalize()
        return not now.almost_same_direction(start, 1e-6)

    def set_offset(self) -> None:
        """Store the target's current rotation as the offset to the node.

        On ordinary nodes as the one at which the node has its start rotation.

        Raises:
            BindError: The target has no rotation.
        """
        self._offset[:] = buffer(self._rig.binding.held(self.leaf, self._target))

    def offset_on(self, binding: PoseBinding) -> Any:
        """Return the offset that ``rebind`` takes, on bones that are the rig's next.

        On an Actor it stays: there the start pose is the animation.

        Raises:
            BindError: The target can't be used for them; says why.
        """
        check_outside(self._target, "target", binding)
        if self._pole is not None:
            check_outside(self._pole, "pole", binding)
        held = binding.held(self.leaf, self._target)
        return self._offset if binding.animated else buffer(held)

    def rebind(self, leaf: p3d.NodePath, offset: Any) -> None:
        """Be this node from now on, held against the target by this offset."""
        self.leaf, self._offset[:] = leaf, offset


def check_outside(node: p3d.NodePath, what: str, binding: PoseBinding) -> p3d.NodePath:
    """Return a target or pole that the rig can use.

    Raises:
        BindError: It can't be used; says why.
    """
    if not isinstance(node, p3d.NodePath) or node.is_empty():
        raise BindError(f"{what} must be a NodePath in a scene, not {shown(node)}")
    first = binding.nodes[0]
    if not same_scene(node, binding.root):
        raise BindError(
            f"{what} {node} is not in the scene of {binding.nodes[-1]}: reparent it to "
            "a node below the same top node"
        )
    if node == first or first.is_ancestor_of(node):
        raise BindError(
            f"{what} {node} hangs on the rig's own bone {first} and would run away "
            "from it: reparent it to a node outside the rig"
        )
    return node


def check_orientation_mode(
    value: OrientationMode, binding: PoseBinding
) -> OrientationMode:
    """Return how a node is to turn.

    Raises:
        SettingError: Bones of this kind have no such way.
    """
    modes = binding.orientation_modes
    if not isinstance(value, str) or value not in modes:
        raise SettingError(
            f"orientation_mode must be one of {', '.join(modes)}, not {shown(value)}"
        )
    return value


def check_tip(tip: Any) -> tuple[float, float, float]:
    """Return a tip; None is the node itself.

    Raises:
        SettingError: It is not three finite numbers.
    """
    x, y, z = checked(VECTOR, NOWHERE if tip is None else tip, "tip", SettingError)
    return x, y, z


def tip_position(
    leaf: p3d.NodePath, tip: Sequence[float], space: p3d.NodePath
) -> p3d.LPoint3f:
    """Return where the tip of a node is, as seen in a space."""
    if not any(tip):
        return p3d.LPoint3f(leaf.get_pos(space))
    return p3d.LPoint3f(leaf.get_mat(space).xform_point(p3d.LPoint3f(*tip)))


def make_target(
    leaf: p3d.NodePath, root: p3d.NodePath, tip: Sequence[float]
) -> p3d.NodePath:
    """Return a new node below root at the leaf's tip, turned as it is: a target."""
    parent = root if not root.is_empty() else p3d.NodePath("world")
    target = parent.attach_new_node(f"{leaf.get_name()} Target")
    target.set_pos_quat(root, tip_position(leaf, tip, root), leaf.get_quat(root))
    return target
