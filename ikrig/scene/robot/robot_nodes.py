"""Robot: a robot or a ragdoll as nested nodes, one for each joint."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import panda3d.core as p3d
from numpy.typing import ArrayLike

from ...copies import Uncopied
from ...errors import BindError, ModelError, SettingError, shown, suggest
from ...math3d.quaternion import Floats, multiply, rotate
from ...model.body_spec import IDENTITY, JointKind
from ...model.loops import LoopCloser
from ...model.robot import RobotModel
from ..checked_setting import flag, node_in_scene
from ..ik.joint_tags import TAG
from .body_visuals import all_shapes, attach_shapes, shapes_to_draw
from .joint_nodes import KINDS, RobotJoint, Welded, representable


class Robot(Uncopied):
    """A robot in the scene: set its joints, or let IK turn them.

    Every joint is one node at the joint's anchor, above all that it moves. Bodies and
    sites are siblings of the next joints, so that there are only joints from the base
    to the tool:

        arm = ikrig.Robot(ikrig.load_robot("ur5.urdf"), render)
        arm.joints["elbow_joint"].value = 1.2
        ik = ikrig.IKChain(arm.body("ee_link"), 6, solver="dls")

    ``IKChain`` and ``IKTree`` on its nodes keep to axes and ranges by default; read
    the resulting values from ``qpos`` and ``joints``.

    Args:
        model: The robot's model.
        parent: The node to attach it to.
        shapes: Set of shapes to draw of bodies that have two: "visual", or "collision",
            the shapes that collide. None: nothing. A robot without any shape is drawn
            as bones.

    Raises:
        BindError: ``parent`` is not a node, or ``model`` not a model.
        SettingError: ``shapes`` is unknown.
    """

    model: RobotModel
    root: p3d.NodePath
    """The node above all others: the model's world. Move, turn or scale it freely."""
    warnings: tuple[str, ...]
    """A message for each part of the robot's file that is not drawn, and for each range
    that is narrower than in the file."""

    def __init__(
        self, model: RobotModel, parent: p3d.NodePath, *, shapes: str | None = "visual"
    ) -> None:
        if not isinstance(model, RobotModel):
            raise BindError(f"model must be a RobotModel, not {shown(model)}")
        node_in_scene(parent, "parent")
        known = shapes is None or isinstance(shapes, str)
        if not known or shapes not in (None, "visual", "collision"):
            raise SettingError(
                f"shapes must be 'visual', 'collision' or None, not {shown(shapes)}"
            )
        self.model = model
        self.root = parent.attach_new_node(model.name)
        self.root.set_python_tag(TAG, Welded)
        geoms = all_shapes(model)
        joints: list[RobotJoint] = []
        self._bodies: list[p3d.NodePath] = []
        problems: list[str] = []
        # the node that carries each body, and the body's pose in its coordinates
        carriers: list[tuple[p3d.NodePath, Floats, Floats]] = []
        for b, name in enumerate(model.body_names):
            node, pos, quat = self.root, np.zeros(3), np.array(IDENTITY)
            if b > 0:
                node, pos, quat = carriers[model.parents[b]]
                pos = pos + rotate(quat, model.body_pos[b])
                quat = multiply(quat, model.body_quat[b])
            for j in range(model.body_joints[b], model.body_joints[b + 1]):
                if model.joint_kinds[j] is JointKind.FREE:
                    pos, quat = np.zeros(3), np.array(IDENTITY)
                anchor = model.joint_anchors[j]
                place, kind = pos + rotate(quat, anchor), KINDS[model.joint_kinds[j]]
                joint = kind(node, place, quat, model, j)
                joints.append(joint)
                node, pos, quat = joint.node, -anchor, np.array(IDENTITY)
            body = _attach_welded(node, name, pos, quat)
            if shapes is not None:
                problems += attach_shapes(body, shapes_to_draw(geoms[b], shapes))
            if model.body_mocap[b] >= 0:
                node, pos, quat = body, np.zeros(3), np.array(IDENTITY)
            self._bodies.append(body)
            carriers.append((node, pos, quat))
        self._sites: list[p3d.NodePath] = []
        for s, name in enumerate(model.site_names):
            node, pos, quat = carriers[model.site_bodies[s]]
            pos = pos + rotate(quat, model.site_pos[s])
            quat = multiply(quat, model.site_quat[s])
            self._sites.append(_attach_welded(node, name, pos, quat))
        self._joints = _ByName(model.name, {joint.name: joint for joint in joints})
        for j, driver in enumerate(model.joint_drivers.tolist()):
            if driver >= 0:
                factor, added = model.joint_couplings[j].tolist()
                joints[j].follows = joints[driver], factor, added
                joints[driver].followers.append(joints[j])
                problems.append(joints[driver].keep_in_range(joints[j]))
        said = [problem for problem in problems if problem]
        self.warnings = (*model.warnings, *dict.fromkeys(said))
        self._closer = LoopCloser(model) if model.loops else None
        for joint in joints:
            joint._changed = self.close_loops if model.loops else None
        self.set_qpos(model.qpos0)

    def __repr__(self) -> str:
        return f"<Robot {self.model.name} {len(self._joints)} joints>"

    # -- joints ------------------------------------------------------------------------

    @property
    def joints(self) -> Mapping[str, RobotJoint]:
        """The joints by name: value, range, kind and node of each."""
        return MappingProxyType(self._joints)

    @property
    def qpos(self) -> Floats:
        """Current values of all joints, in the model's order, including IK."""
        joints = self._joints.values()
        return np.array([value for joint in joints for value in joint.values])

    def set_qpos(self, values: ArrayLike, *, clamp: bool = True) -> None:
        """Set all joints.

        Args:
            values: Joint coordinates in the model's order, (coordinates,) [rad, scene
                unit].
            clamp: Whether values are clamped to the joint's range. False uses them as
                they are, such as values measured on a real robot. Joints that mimic
                others follow them either way.

        Raises:
            ModelError: They are not one number per coordinate.
            SettingError: One is not finite; names the joint.
        """
        try:
            qpos = np.array(values, float)
        except (TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"qpos must be numbers: {error}") from None
        if qpos.shape != self.model.qpos0.shape:
            raise ModelError(
                f"qpos has shape {qpos.shape}, but {self.model.name} has "
                f"{len(self.model.qpos0)} coordinates"
            )
        clamp = flag(clamp, "clamp")
        if not representable(qpos):
            for joint in self._joints.values():
                joint.checked(qpos[joint.qpos_rows])
        numbers = qpos.tolist()
        for joint in self._joints.values():
            if joint.follows is None:
                joint.put(numbers[joint.qpos_rows], clamp=clamp)
        self.close_loops()

    def close_loops(self) -> float:
        """Move joints so that bodies that hold together do so; others stay.

        ``set_qpos`` and the joints' ``value`` do it. Call it after other code, such as
        an ``IKChain``, has moved the nodes. Joints that were moved stay where the
        others can close the loop.

        Returns:
            The largest gap that is left [scene unit]; 0 without loops.
        """
        if self._closer is None:
            return 0.0
        qpos = self.qpos
        gap = self._closer.close(qpos)
        numbers = qpos.tolist()
        for joint in self._joints.values():
            if joint.follows is None:
                joint.put(numbers[joint.qpos_rows], clamp=False)
        return gap

    def solve(self) -> None:
        """Do nothing: there are no chains, and joints keep their values."""

    # -- nodes -------------------------------------------------------------------------

    def joint(self, name: str) -> p3d.NodePath:
        """Return a joint's node; raise ModelError with the nearest name."""
        return self._joints[str(name)].node

    def body(self, name: str) -> p3d.NodePath:
        """Return the node in a body's frame; raise ModelError with the nearest name."""
        return self._bodies[self.model.body_index(str(name))]

    def site(self, name: str) -> p3d.NodePath:
        """Return a site's node; raise ModelError with the nearest name."""
        return self._sites[self.model.site_index(str(name))]

    def follow(self, name: str, node: p3d.NodePath | None) -> None:
        """Make a mocap body follow a node in position and rotation.

        Mocap bodies are for this; one that follows nothing stays where its node,
        ``body(name)``, is moved.

        Args:
            name: The mocap body.
            node: The node to follow; None: stay at the current position.

        Raises:
            ModelError: There is no such mocap body.
            BindError: The node can't be followed.
        """
        mocap = self.model.mocap_bodies
        if not isinstance(name, str) or name not in mocap:
            raise ModelError(
                f"{self.model.name} has no mocap body {name!r}: {suggest(name, mocap)}"
            )
        body = self.body(name)
        if node is None:
            position = body.get_transform(self.root)
            body.clear_effect(p3d.CompassEffect.get_class_type())
            body.node().clear_bounds()
            body.set_transform(position)
            return
        if not isinstance(node, p3d.NodePath) or node.is_empty():
            raise BindError(f"node to follow must be a NodePath, not {shown(node)}")
        # also of itself
        if body.is_ancestor_of(node):
            raise BindError(
                f"mocap body {name!r} can't follow {node}, which is below it"
            )
        parts = p3d.CompassEffect.P_pos | p3d.CompassEffect.P_rot
        body.set_effect(p3d.CompassEffect.make(node, parts))
        # otherwise its own transform would be added
        body.clear_transform()
        # its drawn position is not known in time for culling
        body.node().set_bounds(p3d.OmniBoundingVolume())

    def remove(self) -> None:
        """Remove it from the scene; stop the rigs on its nodes first.

        Nodes and joints refer to each other, so ``root.remove_node()`` alone would
        leave them in memory.
        """
        for joint in self._joints.values():
            joint.node.clear_python_tag(TAG)
        self.root.remove_node()


def not_drawn(model: RobotModel) -> tuple[str, ...]:
    """Return the ``warnings`` of a robot without adding it to a scene."""
    robot = Robot(model, p3d.NodePath("nowhere"))
    robot.remove()
    return robot.warnings


class _ByName(dict[str, RobotJoint]):
    """Joints by name, with an error that names the known ones."""

    def __init__(self, owner: str, joints: Mapping[str, RobotJoint]) -> None:
        super().__init__(joints)
        self._owner = owner

    def __missing__(self, name: str) -> RobotJoint:
        raise ModelError(f"{self._owner} has no joint {name!r}: {suggest(name, self)}")


def _attach_welded(
    parent: p3d.NodePath, name: str, pos: Floats, quat: Floats
) -> p3d.NodePath:
    node = parent.attach_new_node(name)
    node.set_pos_quat(p3d.LPoint3f(*pos), p3d.LQuaternionf(*quat))
    node.set_python_tag(TAG, Welded)
    return node
