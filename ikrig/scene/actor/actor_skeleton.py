"""ActorSkeleton: an Actor's joints and their pose, which it reads and writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import finalize, ref

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor
from numpy.typing import NDArray

from ...character.limb import Limb
from ...errors import BindError, shown, suggest
from ...kernels.actor_frame import Beside
from ...kernels.pose import write_channels
from ...model.pose import Pose, PoseJoints
from ..ik.node_transforms import GOAL_BUFFER, matrices
from .actor_model import ActorModel, Joints, control_of, joints_of, model_of
from .bone_tag import bones_of
from .clip_sampling import ClipSampler
from .moment import Moment

if TYPE_CHECKING:
    from .actor_figure import Anatomy

TAG = "ikrig-skeleton"
_SILENT: list[tuple[p3d.AnimControl, float]] = []


class ActorSkeleton:
    """The joints of a part of an Actor, their pose, and nodes that follow them.

    ``begin`` sets ``pose`` to this frame's animation, layers change it, and ``end``
    writes it to the Actor's joints, for the frame that is drawn next. Nodes have the
    hierarchy of the joints and are below the Actor; those that were asked for
    (``node``) follow the pose, others keep a transform that means nothing.

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
        self.limbs: dict[str, Limb] = {}
        """Limbs of ``ActorRig.auto``, by name."""
        self.model: ActorModel
        """The joints in the pose of the model file, which all its Actors share."""
        self.pose: Pose
        """The pose: all joints, and the ends of bones (``end_node``)."""
        self.anatomy: Anatomy | None = None
        """What ``anatomy_of`` has found."""
        self._mats: Any = None
        """The engine's matrices, whose memory is that of the pose."""
        self._is_posed = False
        """Whether the pose is this frame's; else it is that of the joints."""
        self._nodes: dict[str, p3d.NodePath] = {}
        self._ends: dict[p3d.NodePath, tuple[str, str]] = {}
        """Nodes at the ends of bones, with their joints and their names in the pose."""
        self._end_states: dict[p3d.NodePath, p3d.TransformState] = {}
        """Their transforms in these."""
        self.followed: dict[str, None] = {}
        """The joints and ends whose nodes follow."""
        self._show: tuple[list[int], list[p3d.PandaNode]] | None = None
        self._show_every: tuple[list[int], list[p3d.PandaNode]] | None = None
        self._others: list[tuple[int, p3d.CharacterJoint]] | None = None
        """The joints without a node, and their indices in the pose."""
        self.frame = 0
        """Number of frames that have begun."""
        self._moment: Moment | None = None
        self._is_past = False
        """Whether it is that of another frame."""
        self._moved: dict[str, int] = {}
        """The joints that ``end`` writes, and their indices in the pose."""
        self._controlled: list[p3d.CharacterJoint] = []
        """The joints that are controlled now."""
        self._sink: tuple[list[p3d.AnimChannelBase], list[int]] = ([], [])
        """The channel that controls each, and the joint's index in the pose."""
        self._turn = 0
        self._is_ready = False
        """Whether the clips can be sampled in this frame."""
        self._ended = -1
        """Number of changes of the pose that was written last."""
        self._sampler: ClipSampler | None = None
        self._root_xform: p3d.LMatrix4f | None = None
        self._top = p3d.NodePath(_fixed_node("ikrig"))
        self._top.set_python_tag(TAG, ref(self))
        self.beside = Beside(self._top, GOAL_BUFFER)
        self.rebind()

    def rebind(self) -> None:
        """Look up the joints again: ``flatten_*()`` and loading replace them."""
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
        model = model_of(bundles[0])
        parents = model.parents
        for name in self._nodes:
            if name not in parents or parents[name] != self.parents[name]:
                raise BindError(
                    f"joint {name!r} of Actor {actor.get_name()!r} was removed or has "
                    "another parent now: detach() the rig and create a new one"
                )
        self.bundle = bundles[0]
        characters = [actor.get_part(part, lod).node() for lod in actor.get_lod_names()]
        self._characters = list(zip(characters, bundles, strict=True))
        """What shows in each frame that they are the Actor's; empty: nothing does."""
        if any(node.get_bundle(0) != bundle for node, bundle in self._characters):
            self._characters = []
        self.model = model
        self._bundles = bundles
        # unmerged levels of detail have their own bundles
        self._twins = [
            (bundle, joints_of(bundle))
            for bundle in bundles[1:]
            if bundle != bundles[0]
        ]
        self._clear_controls()
        self._sampler = self._root_xform = None
        self._make_pose()
        self._top.reparent_to(character)

    def _make_pose(self) -> None:
        """Set the pose to all joints and ends; those that it has keep their indices."""
        joints = self.model.joints
        kept: tuple[str, ...] = self.pose.names if self._mats is not None else ()
        if self._ends or kept != joints.names[: len(kept)]:
            joints = self._with_others(joints, kept)
        found = _lent(max(len(joints.names), 1))
        if self._mats is None:
            self.pose = Pose.of(joints, found[1])
        else:
            self.pose.replace(joints, found[1])
        # the memory is free again when the pose is gone
        free = _FREE.setdefault(len(found[0]), [])
        finalize(self.pose, free.append, found).atexit = False
        self._mats = found[0]
        self._is_posed = False
        self._sampler = self._show = self._show_every = self._others = None

    def _with_others(self, joints: PoseJoints, kept: tuple[str, ...]) -> PoseJoints:
        names = dict.fromkeys((*kept, *joints.names))
        ends = {name: (joint, node) for node, (joint, name) in self._ends.items()}
        names.update(dict.fromkeys(ends))
        index = {name: j for j, name in enumerate(names)}
        parents, rest = [], []
        for j, name in enumerate(names):
            joint, mat = self.parents.get(name), p3d.LMatrix4f.ident_mat()
            if name in ends:
                joint, node = ends[name]
                mat = self._end_states[node].get_mat()
            mat = self.model.rest.get(name, mat)
            p = -1 if joint is None else index[joint]
            # a joint that is not in use may have changed its parent
            parents.append(p if p < j else -1)
            rest.append(np.array(mat))
        return PoseJoints(tuple(names), parents, rest)

    @property
    def parents(self) -> dict[str, str | None]:
        """Names of the joints' parents by joint, parents first; None: the part."""
        return self.model.parents

    @property
    def joints(self) -> Joints:
        """The Actor's joints by name, looked up anew."""
        return joints_of(self.bundle)

    @property
    def is_current(self) -> bool:
        top, actor = self._top, self.actor
        if top.is_empty() or actor.is_empty() or not top.is_same_graph(actor):
            return False
        for node, bundle in self._characters:
            if node.get_bundle(0) != bundle:
                break
        else:
            if self._characters:
                return True
        return self._find_bundles() == self._bundles

    def joint(self, name: str) -> p3d.CharacterJoint:
        """Return one of the Actor's joints by its name, looked up anew."""
        found = self.bundle.find_child(name)
        return found if isinstance(found, p3d.CharacterJoint) else self.joints[name]

    @property
    def title(self) -> str:
        """Name to show."""
        return "an Actor" if self.actor.is_empty() else str(self.actor.get_name())

    def _find_bundles(self) -> list[p3d.PartBundle]:
        actor = self.actor
        lods = [] if actor.is_empty() else actor.get_lod_names()
        return [actor.get_part_bundle(self.part, lod) for lod in lods]

    @property
    def space(self) -> p3d.NodePath:
        return self._top

    @property
    def standard_names(self) -> dict[str, str]:
        """Standard names of joints from the model's file, such as a VRM's bones."""
        return bones_of(self._top.get_parent())

    @property
    def nodes(self) -> list[p3d.NodePath]:
        return list(self._nodes.values())

    def controlling(self) -> list[p3d.NodePath]:
        """Return the user's nodes that control other joints (``control_joint``)."""
        found = []
        for name, joint in self.joints.items():
            channel = joint.get_forced_channel()
            if name not in self._moved and hasattr(channel, "get_value_node"):
                node = channel.get_value_node()
                if node is not None:
                    found.append(p3d.NodePath.any_path(node))
        return found

    # -- joints and nodes --------------------------------------------------------------

    def node(self, name: str) -> p3d.NodePath:
        return self.follow(self.own_node(name))

    def own_node(self, name: str) -> p3d.NodePath:
        """Return the node of a joint; it and those above are made when needed."""
        if name not in self._nodes:
            parent = self.parents[name]
            above = self._top if parent is None else self.own_node(parent)
            self._nodes[name] = above.attach_new_node(_fixed_node(name))
            self._sampler = self._show_every = self._others = None
            if self._is_posed:
                # not sampled in this frame: as the joint is
                j = self.pose.index[name]
                self.set_mat(j, self.joint(name).get_transform())
        return self._nodes[name]

    def end_node(self, name: str, point: tuple[float, float, float]) -> p3d.NodePath:
        """Return a node for the end of a joint's bone, at a position in its space.

        It moves with the joint, and represents no joint itself.
        """
        above = self.own_node(name)
        for known, state in self._end_states.items():
            if known.get_parent() == above and state.get_pos() == p3d.LPoint3f(*point):
                return known
        end = above.attach_new_node(_fixed_node(f"{name} end"))
        end.set_pos(*point)
        posed = self._is_posed
        held = self.pose.local.ravel().copy()
        # no joint of a file has such a name
        self._ends[end] = name, f"\n{len(self._ends)}"
        self._end_states[end] = end.get_transform()
        self._make_pose()
        self.pose.local.ravel()[: len(held)] = held
        self._is_posed = posed
        return end

    def handle(self, node: p3d.NodePath) -> p3d.NodePath:
        """Return the handle of a joint's node, or of the space, that all share."""
        own = self._nodes.get(node.get_name(), self._top)
        return own if own == node else node

    def number(self, node: p3d.NodePath) -> int:
        _, end = self._ends.get(node, ("", ""))
        return self.pose.index[end or node.get_name()]

    def numbers(self, names: Iterable[str]) -> list[int]:
        return [self.number(self.own_node(name)) for name in names]

    def follow(self, node: p3d.NodePath) -> p3d.NodePath:
        """Have the node of a joint or end follow the pose from now on; return it."""
        _, name = self._ends.get(node) or ("", node.get_name())
        if node not in self._ends and self._nodes.get(name) != node:
            # the space, or a node of before ``detach``
            return node
        if name not in self.followed:
            self.follow(node.get_parent())
            self.followed[name] = None
            self._show = None
        self.read()
        self.show()
        return node

    def show(self) -> None:
        if self.followed:
            if self._show is None:
                self._show = self._nodes_of(self.followed)
            self.pose.show(*self._show, p3d.TransformState.make_mat, self._mats)

    def show_all(self) -> None:
        """Move all nodes to the pose, such as to read them."""
        self.read()
        if self._show_every is None:
            self._show_every = self._nodes_of(
                (*self._nodes, *(name for _, name in self._ends.values()))
            )
        self.pose.show(*self._show_every, p3d.TransformState.make_mat, self._mats)

    def _nodes_of(self, names: Iterable[str]) -> tuple[list[int], list[p3d.PandaNode]]:
        nodes = {name: node for node, (_, name) in self._ends.items()} | self._nodes
        return [self.pose.index[x] for x in names], [nodes[x].node() for x in names]

    def read(self) -> None:
        """Set the pose to that of the joints where no frame has set it."""
        if not self._is_posed:
            self._sample_joints()

    def whole_pose(self) -> NDArray[np.float32]:
        """Return the matrices of all joints as they are now, (n, 4, 4)."""
        # the Actor plays by itself where none is controlled
        posed = bool(self._controlled)
        self._is_posed &= posed
        self.read()
        self._is_posed = posed
        if self._others is None:
            every, index = self.joints.items(), self.pose.index
            self._others = [(index[x], j) for x, j in every if x not in self._nodes]
        for k, joint in self._others:
            self._mats[k] = joint.get_transform()
        whole: NDArray[np.float32] = self.pose.local.copy()
        return whole

    def mat(self, j: int) -> p3d.LMatrix4f:
        """Return the transform of a joint in its parent, by index."""
        return p3d.LMatrix4f(self._mats[j])

    def set_mat(self, j: int, mat: p3d.LMatrix4f) -> None:
        """Set the transform of a joint in its parent, by index."""
        self._mats[j] = mat
        self.pose.note(j)

    def take(self, names: Iterable[str]) -> None:
        """Set joints in the pose to what others have moved their nodes to."""
        for name in names:
            j, mat = self.pose.index[name], self._nodes[name].get_mat()
            if mat != self.mat(j):
                self.set_mat(j, mat)

    def net_mat(self, j: int) -> p3d.LMatrix4f:
        """Return the transform of a joint in ``space``, by index; -1: identity."""
        if j < 0:
            return p3d.LMatrix4f(p3d.LMatrix4f.ident_mat())
        a, b, c, d, e, f, g, h, i, x, y, z = self.pose.net_rows(j)
        return p3d.LMatrix4f(a, b, c, 0, d, e, f, 0, g, h, i, 0, x, y, z, 1)

    def joint_of(self, node: p3d.NodePath) -> str:
        found = self._ends.get(node)
        return node.get_name() if found is None else found[0]

    def lineage(self, name: str) -> list[str]:
        found: list[str] = []
        above: str | None = name
        while above is not None:
            found.append(above)
            above = self.parents[above]
        return found

    def children(self, name: str) -> list[str]:
        return [child for child, parent in self.parents.items() if parent == name]

    def move(self, names: Iterable[str]) -> None:
        """Register joints that the rig moves: from now on ``end`` writes them."""
        for name in names:
            if name not in self._moved:
                self.own_node(name)
                self._moved[name] = self.pose.index[name]
                self._sampler = None
                self._clear_controls()

    def rest_mat(self, name: str) -> p3d.LMatrix4f:
        """Return a joint's transform in the pose of the model file, in ``space``."""
        return p3d.LMatrix4f(self.model.rest_nets[name])

    # -- a frame -----------------------------------------------------------------------

    def look(self) -> bool:
        """Look up what plays; return whether all is as in the last frame.

        Pose and animation then are those of the last frame, and joints are controlled.
        """
        sampler = self._sampler or self._source()
        self.frame, self._is_past = self.frame + 1, True
        self._is_ready = sampler.ready()
        self.beside.look(self.actor)
        return (
            sampler.still
            and self._ended == self.pose.changes
            and not sampler.is_overruled()
            and self.bundle.get_root_xform() == self._root_xform
            and self._keeps_controls()
        )

    @property
    def playing(self) -> list[tuple[p3d.AnimControl, float]]:
        """The clips that have an effect in this frame, and the weight of each."""
        return self._sampler.playing if self._sampler else _SILENT

    def now(self) -> Moment:
        """Return what plays in this frame and where the Actor is."""
        if self._moment is None:
            self._moment, self._is_past = Moment(), True
        if self._is_past:
            self._is_past = False
            self._moment.look(self.actor, self.playing)
        return self._moment

    def begin(self) -> None:
        """Set the pose to this frame's animation, as ``look`` has found it."""
        sampler = self._sampler or self._source()
        ready = self._is_ready
        self.pose.animated = bool(sampler.playing)
        if ready:
            sampler.sample()
        else:
            self.release()
            sampler.compare()
        self._pose_set()

    def _source(self) -> ClipSampler:
        if self._sampler is None:
            names = list(self._nodes)
            self._sampler = ClipSampler(
                self.actor,
                self.bundle,
                list(map(self.joint, names)),
                [name in self._moved for name in names],
                self.pose,
                self._mats,
                [self.pose.index[name] for name in names],
            )
        return self._sampler

    def _sample_joints(self) -> None:
        index, mats = self.pose.index, self._mats
        for name in self._nodes:
            mats[index[name]] = self.joint(name).get_transform()
        if self._sampler is not None:
            self._sampler.forget()
        self._pose_set()

    def _pose_set(self) -> None:
        pose = self.pose
        for _, name in self._ends.values():
            j = pose.index[name]
            pose.reset(j, j + 1)
        pose.note_all()
        self._is_posed = True
        xform = self.bundle.get_root_xform()
        if xform != self._root_xform:
            self._root_xform = p3d.LMatrix4f(xform)
            self._top.node().set_transform(p3d.TransformState.make_mat(xform))
        if self.followed:
            self.show()

    def play(self) -> None:
        """Let the Actor play as without a rig; nodes follow its joints."""
        self.frame += 1
        if self._controlled:
            self.release()
        elif not self.bundle.update():
            self.bundle.force_update()
        self._ended = -1
        if self.followed:
            self._sample_joints()
        self._is_posed = False

    def forget(self) -> None:
        if self.followed:
            self._sample_joints()
        self._is_posed = False

    def release(self) -> None:
        """Have Panda3D animate all joints in this frame."""
        if self._controlled:
            self._clear_controls()
            self.bundle.force_update()
            for bundle, _ in self._twins:
                bundle.force_update()
        # False when it was updated before in this frame
        elif not self.bundle.update():
            self.bundle.force_update()

    @property
    def written(self) -> list[int]:
        """Indices of the joints that ``end`` writes; the same list while they are."""
        return self._sink[1]

    def write(self) -> None:
        """Write the pose where joints are controlled; the engine updates them."""
        if self._keeps_controls():
            write_channels(*self._sink, self._mats)
            self._ended = self.pose.changes

    def end(self, change: Callable[[], None] | None = None) -> None:
        if not self._keeps_controls():
            self._take_controls()
        if change is not None:
            change()
        write_channels(*self._sink, self._mats)
        # returns False when it was updated before in this frame: then force it again
        if not self.bundle.update():
            self.bundle.force_update()
        for bundle, _ in self._twins:
            bundle.force_update()
        self._ended = self.pose.changes

    def _take_controls(self) -> None:
        found = dict(zip(self._nodes, self._source().joints, strict=True))
        joints = [(name, found[name]) for name in self._moved]
        for _, twins in self._twins:
            joints += [(x, twins[x]) for x in self._moved.keys() & twins.keys()]
        node = p3d.PandaNode("ikrig")
        for _, joint in joints:
            joint.apply_control(node)
        self._controlled = [joint for _, joint in joints]
        channels = [joint.get_forced_channel() for joint in self._controlled]
        self._sink = channels, [self._moved[name] for name, _ in joints]

    def _keeps_controls(self) -> bool:
        """Return whether the joints are controlled; checks one of them per frame."""
        joints = self._controlled
        if not joints:
            return False
        self._turn = k = (self._turn + 1) % len(joints)
        if joints[k].get_forced_channel() != self._sink[0][k]:
            # by other code now
            self._clear_controls()
            return False
        return True

    def _clear_controls(self) -> None:
        """Release the controls; the next update animates the joints again."""
        for joint in self._controlled:
            joint.clear_forced_channel()
        self._controlled = []
        self._sink = [], []

    def rest_state(self, node: p3d.NodePath) -> p3d.TransformState:
        return self._end_states.get(node) or self.model.rest_states[node.get_name()]

    def set_rest_pose(self) -> None:
        """Set the pose to that of the file, until ``forget`` or the next frame."""
        self.pose.reset(0, self.pose.n)
        self._is_posed = self._is_past = True
        self.show()

    def release_controls(self) -> None:
        if self.is_current:
            self._clear_controls()
            for bundle in (self.bundle, *(bundle for bundle, _ in self._twins)):
                bundle.force_update()
            self._is_posed = False

    def detach(self) -> None:
        """Restore the Actor to its state without a rig."""
        self.release_controls()
        self._top.remove_node()
        self._nodes, self._moved, self.followed = {}, {}, {}
        self._ends, self._end_states = {}, {}
        self._sampler = self._show = self._show_every = self._others = None
        self._is_posed = False


@contextmanager
def skeleton_of(actor: Actor, part: str) -> Iterator[ActorSkeleton]:
    """Yield the skeleton of an Actor's rig, or without a rig a temporary one."""
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


@contextmanager
def clip_of(
    actor: Actor, clip: str, part: str
) -> Iterator[tuple[ActorSkeleton, p3d.AnimBundle]]:
    """Yield the skeleton of an Actor and one of its clips.

    Raises:
        BindError: It is not an Actor, or there is no such part or clip.
    """
    if not isinstance(actor, Actor):
        raise BindError(f"actor must be an Actor, not {shown(actor)}")
    names = list(actor.get_anim_names())
    if not isinstance(clip, str) or clip not in names:
        raise BindError(f"clip {shown(clip)} is unknown: {suggest(clip, names)}")
    with skeleton_of(actor, part) as skeleton:
        yield skeleton, control_of(actor, clip, part).get_anim()


Matrices = tuple[p3d.PTA_LMatrix4f, "memoryview[float]"]
_FREE: dict[int, list[Matrices]] = {}
"""Arrays of matrices of poses that are gone, by their size."""


def _lent(count: int) -> Matrices:
    """Return an array of matrices and a flat view of it, for the life of a pose.

    Panda3D keeps 64 bytes for good of every view of such an array.
    """
    free = _FREE.get(count)
    return free.pop() if free else matrices(count)


def _fixed_node(name: str) -> p3d.ModelNode:
    """Return a new node that ``flatten_*()`` leaves as it is."""
    node = p3d.ModelNode(name)
    node.set_preserve_transform(p3d.ModelNode.PT_no_touch)
    return node
