"""ActorSkeleton: an Actor's joints as nodes; reads and writes the Actor's pose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import ref

import panda3d.core as p3d

from ...character.limb import Limb
from ...errors import BindError, shown, suggest
from ...kernels.actor_frame import follow_joints, place_nodes
from .bone_tag import bones_of
from .clip_sampling import ClipSampler

TAG = "ikrig-skeleton"


class ActorSkeleton:
    """The joints of a part of an Actor that rigs read or move, as nodes.

    The nodes have the hierarchy and the transforms of the joints, and are below the
    Actor. ``begin`` copies the animated pose to the nodes; ``end`` copies the changed
    nodes back to the joints, for the frame that is drawn next.

    Panda3D does not compute a joint's animation while the joint is controlled.
    ``begin`` reads the clips instead (``ClipSampler``), so that joints stay controlled
    and the Actor is updated once a frame. Where that is impossible, it releases the
    controls, and the Actor is updated twice. While nothing changes the pose, ``play``
    releases them and the Actor plays as without a rig.

    Args:
        actor: The Actor.
        part: Name of the part; most Actors have only "modelRoot".

    Raises:
        BindError: The Actor has no such part, or it has a rig already.
    """

    def __init__(self, actor: Any, part: str) -> None:
        if not isinstance(part, str):
            raise BindError(
                f"part must be the name of a part of the Actor, not {shown(part)}"
            )
        self.actor = actor
        self.part = part
        self.parents: dict[str, str | None] = {}
        self.limbs: dict[str, Limb] = {}
        """Limbs of ``ActorRig.auto``, by name."""
        self.animated = False
        """Whether clips or poses animate the joints in this frame."""
        self._nodes: dict[str, p3d.NodePath] = {}
        self._ends: dict[p3d.NodePath, p3d.TransformState] = {}
        self._moved: dict[str, p3d.PandaNode] = {}
        self._controls: list[tuple[Any, Any]] = []
        """The joints that are controlled now, each with its controlling channel."""
        self._turn = 0
        self._sampler: ClipSampler | None = None
        self._pairs: tuple[list[p3d.PandaNode], list[Any]] | None = None
        self._root_xform: p3d.LMatrix4f | None = None
        self._top = p3d.NodePath(_fixed_node("ikrig"))
        self._top.set_python_tag(TAG, ref(self))
        self.rebind()

    def rebind(self) -> None:
        """Look up the Actor's joints again: ``flatten_*()`` and loading replace them.

        Raises:
            BindError: The Actor or a joint is gone, the part has another rig, or this
                one was detached.
        """
        actor, part = self.actor, self.part
        if self._top.is_empty():
            raise BindError("this ActorRig was detached: create a new one")
        bundles = self._find_bundles()
        if not bundles or None in bundles:
            parts = actor.get_part_names() if bundles else []
            hint = f"; pass part={parts[0]!r}" if parts else ""
            raise BindError(
                f"Actor {actor!r} has no part {shown(part)}: "
                f"{suggest(part, parts)}{hint}"
            )
        character = actor.get_part(part, actor.get_lod_names()[0])
        if character.is_empty():
            raise BindError(f"part {part!r} of Actor {actor.get_name()!r} was removed")
        for node in character.get_children():
            owner = node.get_python_tag(TAG)
            skeleton = owner() if owner else None
            if skeleton is self:
                continue
            if skeleton is not None and skeleton._top == node:
                raise BindError(
                    f"Actor {actor.get_name()!r} already has an ActorRig for "
                    f"{part!r}: add chains to that one, or detach() it first"
                )
            if owner is not None:
                # copied with an Actor that has a rig
                node.remove_node()
        joints: dict[str, Any] = {}
        parents: dict[str, str | None] = {}
        for joint, parent in walk_joints(bundles[0], None):
            if joint.get_name() not in joints:
                joints[joint.get_name()] = joint
                parents[joint.get_name()] = parent
        for name in self._nodes:
            if name not in parents or parents[name] != self.parents[name]:
                raise BindError(
                    f"joint {name!r} of Actor {actor.get_name()!r} was removed or has "
                    "another parent now: detach() the rig and create a new one"
                )
        self.bundle = bundles[0]
        self.joints = joints
        self._bundles = bundles
        # unmerged levels of detail have their own bundles
        self._twins = [
            (bundle, {j.get_name(): j for j, _ in walk_joints(bundle, None)})
            for bundle in bundles[1:]
            if bundle != bundles[0]
        ]
        self.parents = parents
        make = p3d.TransformState.make_mat
        self._rest_states = {n: make(j.get_default_value()) for n, j in joints.items()}
        """Transforms in the pose of the model file. As long as they live, Panda3D uses
        them for nearly equal ones: equal frames then give equal bits."""
        self._clear_controls()
        self._sampler = self._pairs = self._root_xform = None
        self._top.reparent_to(character)

    @property
    def is_current(self) -> bool:
        """Whether the Actor's joints are still those that the nodes represent."""
        top = self._top
        return (
            not top.is_empty()
            and self._find_bundles() == self._bundles
            and top.is_same_graph(self.actor)
        )

    def _find_bundles(self) -> list[Any]:
        """Return the bundle of each level of detail, the finest first."""
        actor = self.actor
        lods = [] if actor.is_empty() else actor.get_lod_names()
        return [actor.get_part_bundle(self.part, lod) for lod in lods]

    @property
    def space(self) -> p3d.NodePath:
        """The node above those of the joints."""
        return self._top

    @property
    def standard_names(self) -> dict[str, str]:
        """Standard names of joints from the model's file, such as a VRM's bones."""
        return bones_of(self._top.get_parent())

    @property
    def nodes(self) -> list[p3d.NodePath]:
        """The nodes that have been made for joints so far."""
        return list(self._nodes.values())

    def controlling(self) -> list[p3d.NodePath]:
        """Return the user's nodes that control other joints (``control_joint``)."""
        found = []
        for name, joint in self.joints.items():
            channel: Any = joint.get_forced_channel()
            if name not in self._moved and hasattr(channel, "get_value_node"):
                node = channel.get_value_node()
                if node is not None:
                    found.append(p3d.NodePath.any_path(node))
        return found

    # -- joints and nodes --------------------------------------------------------------

    def node(self, name: str) -> p3d.NodePath:
        """Return the node of a joint; it and those above are made when needed."""
        if name not in self._nodes:
            parent = self.parents[name]
            above = self._top if parent is None else self.node(parent)
            node = _fixed_node(name)
            node.set_transform(self.joints[name].get_transform_state())
            self._nodes[name] = above.attach_new_node(node)
            self._sampler = self._pairs = None
        return self._nodes[name]

    def end_node(self, name: str, point: tuple[float, float, float]) -> p3d.NodePath:
        """Return a node for the end of a joint's bone, at a position in its space.

        It moves with the joint, and represents no joint itself.
        """
        above = self.node(name)
        for known, state in self._ends.items():
            if known.get_parent() == above and state.get_pos() == p3d.LPoint3f(*point):
                return known
        end = above.attach_new_node(_fixed_node(f"{name} end"))
        end.set_pos(*point)
        self._ends[end] = end.get_transform()
        return end

    def joint_of(self, node: p3d.NodePath) -> str:
        """Return the name of the joint that a node represents or is the end of."""
        name: str = (node.get_parent() if node in self._ends else node).get_name()
        return name

    def lineage(self, name: str) -> list[str]:
        """Return a joint and those above it, from the joint up."""
        found: list[str] = []
        above: str | None = name
        while above is not None:
            found.append(above)
            above = self.parents[above]
        return found

    def children(self, name: str) -> list[str]:
        """Return the children of a joint."""
        return [child for child, parent in self.parents.items() if parent == name]

    def move(self, names: Iterable[str]) -> None:
        """Register joints that the rig moves: from now on ``end`` writes them."""
        for name in names:
            if name not in self._moved:
                self._moved[name] = self.node(name).node()
                self._sampler = None
                self._clear_controls()

    def rest_mat(self, name: str) -> p3d.LMatrix4f:
        """Return a joint's transform in the pose of the model file, in ``space``."""
        mat = p3d.LMatrix4f()
        for joint in self.lineage(name):
            mat *= self.joints[joint].get_default_value()
        return mat

    # -- a frame -----------------------------------------------------------------------

    def begin(self) -> None:
        """Set the nodes to this frame's animated pose."""
        if self._sampler is None:
            joints = [self.joints[name] for name in self._nodes]
            moved = [name in self._moved for name in self._nodes]
            self._sampler = ClipSampler(self.actor, self.bundle, joints, moved)
        sampler = self._sampler
        ready = sampler.ready()
        self.animated = bool(sampler.playing)
        if ready:
            sampler.sample()
            self._place_top()
        else:
            self.play()
            if not sampler.compare():
                return
        nodes, _ = self._nodes_and_joints()
        place_nodes(nodes, p3d.TransformState.make_mat, sampler.mats)
        self._place_ends()

    def play(self) -> None:
        """Let the Actor play as without a rig; set the nodes to its joints' pose."""
        if self._controls:
            self._clear_controls()
            self.bundle.force_update()
            for bundle, _ in self._twins:
                bundle.force_update()
        else:
            self._update()
        self.follow()

    def follow(self) -> None:
        """Set the nodes to the pose that the joints have now."""
        self._place_top()
        follow_joints(*self._nodes_and_joints())
        self._place_ends()

    def _nodes_and_joints(self) -> tuple[list[p3d.PandaNode], list[Any]]:
        """Return the nodes, and the joint of each."""
        found = self._pairs
        if found is None:
            nodes = [node.node() for node in self._nodes.values()]
            found = self._pairs = nodes, [self.joints[name] for name in self._nodes]
        return found

    def _place_ends(self) -> None:
        for node, state in self._ends.items():
            node.set_transform(state)

    def end(self) -> None:
        """Set the joints to the pose of the nodes."""
        controls = self._controls
        if controls:
            # checks one joint per frame for a control by other code
            joint, channel = controls[self._turn % len(controls)]
            self._turn += 1
            if joint.get_forced_channel() != channel:
                self._clear_controls()
        if controls and self._controls:
            self._update()
            for bundle, _ in self._twins:
                bundle.force_update()
            return
        for bundle, joints in [(self.bundle, self.joints), *self._twins]:
            for name in self._moved.keys() & joints.keys():
                joint = joints[name]
                joint.apply_control(self._moved[name])
                self._controls.append((joint, joint.get_forced_channel()))
            bundle.force_update()

    def _update(self) -> None:
        """Update the joints, once for this frame unless that was already done."""
        # returns False when it was updated before: then force it again
        if not self.bundle.update():
            self.bundle.force_update()

    def _place_top(self) -> None:
        xform = self.bundle.get_root_xform()
        if xform != self._root_xform:
            self._root_xform = p3d.LMatrix4f(xform)
            self._top.node().set_transform(p3d.TransformState.make_mat(xform))

    def _clear_controls(self) -> None:
        """Release the controls; the next update animates the joints again."""
        for joint, _ in self._controls:
            joint.clear_forced_channel()
        self._controls = []

    def rest_state(self, node: p3d.NodePath) -> p3d.TransformState:
        """Return the transform of a node in the pose of the model file."""
        return self._ends.get(node) or self._rest_states[node.get_name()]

    def set_rest_pose(self) -> None:
        """Set the nodes to the pose of the model file."""
        for node in (*self._nodes.values(), *self._ends):
            node.set_transform(self.rest_state(node))

    def release_controls(self) -> None:
        """Leave the joints to the animation."""
        if self.is_current:
            self._clear_controls()
            for bundle in (self.bundle, *(bundle for bundle, _ in self._twins)):
                bundle.force_update()

    def detach(self) -> None:
        """Restore the Actor to its state without a rig."""
        self.release_controls()
        self._top.remove_node()
        self._nodes, self._moved, self._ends = {}, {}, {}
        self._sampler = self._pairs = None


@contextmanager
def skeleton_of(actor: Any, part: str) -> Iterator[ActorSkeleton]:
    """Yield the skeleton of an Actor's rig, or without a rig a temporary one.

    Raises:
        BindError: The Actor has no such part.
    """
    character = actor.get_part(part) if part in actor.get_part_names() else None
    nodes = () if character is None else character.get_children()
    for node in nodes:
        owner = node.get_python_tag(TAG)
        skeleton = owner() if owner else None
        if skeleton is not None and skeleton.space == node and skeleton.is_current:
            yield skeleton
            return
    made = ActorSkeleton(actor, part)
    try:
        yield made
    finally:
        made.detach()


def _fixed_node(name: str) -> p3d.ModelNode:
    """Return a new node that ``flatten_*()`` leaves as it is."""
    node = p3d.ModelNode(name)
    node.set_preserve_transform(p3d.ModelNode.PT_no_touch)
    return node


def walk_joints(group: Any, parent: str | None) -> Iterator[tuple[Any, str | None]]:
    """Yield each joint below a part group, and its parent's name, parents first.

    CharacterJoints have no link to their parent, and plain groups may be between them.
    """
    for child in group.get_children():
        if isinstance(child, p3d.CharacterJoint):
            yield child, parent
            yield from walk_joints(child, child.get_name())
        else:
            yield from walk_joints(child, parent)
