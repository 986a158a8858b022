"""Reads an Actor's joints and skin as a Figure, which finds its limbs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import panda3d.core as p3d
from numpy.typing import NDArray

from ...character.body_shape import BodyPart
from ...character.bone_names import same_bone
from ...character.figure import Figure
from ...character.find_limbs import find_limbs
from ...character.hands import FoundHand, find_hand
from ...character.limb import FoundLimbs, Limb, Place
from ...errors import BindError, shown, suggest
from ...math3d.quaternion import Floats
from ..ik.dependencies import node_id
from ..robot.geoms import nodes_below, read_column
from .actor_skeleton import ActorSkeleton

Joints = NDArray[np.intp]
"""Indices of joints or vertices."""
HALF = 0.499
"""Part of a vertex's weights that joints must have to move it most."""


class Anatomy:
    """What joints and skin of a model tell of its body, alike for all its Actors.

    Args:
        skeleton: The skeleton of one of them.
        skins: The vertices that joints move.
        arrays: The arrays of vertices, which stay as long as their addresses are known.
    """

    def __init__(
        self,
        skeleton: ActorSkeleton,
        skins: list[p3d.GeomVertexData],
        arrays: Sequence[object],
    ) -> None:
        self.arrays = arrays
        self.rest = net_transforms(skeleton)
        """Transforms of the joints in the pose of the file, in the Actor's space."""
        columns = "vertex", "transform_blend"
        self.skins = [
            Skin(data, skeleton.joints)
            for data in skins
            if all(map(data.get_format().has_column, columns))
        ]
        self.figure = _read(skeleton, self.skins, self.rest)
        self.hands: dict[str, FoundHand] = {}
        self.body: list[BodyPart] | None = None
        """What joints may not enter, once somebody has asked."""

    @cached_property
    def limbs(self) -> FoundLimbs:
        return find_limbs(self.figure)


def anatomy_of(skeleton: ActorSkeleton) -> Anatomy:
    """Return what joints and skin tell of an Actor's body; found out once a model."""
    found: Anatomy | None = skeleton.anatomy
    if found is None:
        skins = skins_of(skeleton.actor)
        arrays = [
            data.get_array(k) for data in skins for k in range(data.get_num_arrays())
        ]
        actor = skeleton.actor
        key = (
            Anatomy,
            skeleton.part,
            *actor.get_part_names(),
            *actor.get_lod_names(),
            *skeleton.standard_names.items(),
            *np.array(_top(skeleton)).flat,
            # copies of a model share them until one is changed
            *map(node_id, arrays),
        )
        known = skeleton.model.known
        found = known.get(key)
        if found is None:
            found = known[key] = Anatomy(skeleton, skins, arrays)
        skeleton.anatomy = found
    return found


def figure_of(skeleton: ActorSkeleton) -> Figure:
    """Return joints and skin in the pose of an Actor's file, in the Actor's space."""
    return anatomy_of(skeleton).figure


def limbs_of(skeleton: ActorSkeleton) -> FoundLimbs:
    return anatomy_of(skeleton).limbs


def hand_named(skeleton: ActorSkeleton, name: object) -> FoundHand:
    joint, limb = joint_named(skeleton, name, "hand"), limb_named(skeleton, name)
    anatomy = anatomy_of(skeleton)
    figure, hands = anatomy.figure, anatomy.hands
    if limb is None:
        known = (x for x in anatomy.limbs.limbs if x.kind == "hand")
        limb = next((x for x in known if x.joints[-1] == joint), None)
    if limb is None:
        side = figure.name_of(joint).side
        limb = Limb(joint, "hand", side, tuple(skeleton.lineage(joint)[1::-1]), "given")
    if limb.name not in hands:
        hands[limb.name] = find_hand(figure, limb)
    return hands[limb.name]


def limb_named(skeleton: ActorSkeleton, name: object) -> Limb | None:
    """Return the limb of a name that is not also a joint's, or None."""
    if not skeleton.is_current:
        skeleton.rebind()
    if not isinstance(name, str) or name in skeleton.parents:
        return None
    return skeleton.limbs.get(name) or _named_limbs(skeleton).get(name)


def _named_limbs(skeleton: ActorSkeleton) -> dict[str, Limb]:
    found = {limb.name: limb for limb in limbs_of(skeleton).limbs}
    return {**found, **skeleton.limbs}


def joint_named(skeleton: ActorSkeleton, name: object, what: str) -> str:
    limb = limb_named(skeleton, name)
    if limb is not None:
        return limb.joints[-1]
    if not isinstance(name, str) or name not in skeleton.parents:
        # a limb may be named as its joint is
        names = list(dict.fromkeys([*_named_limbs(skeleton), *skeleton.parents]))
        raise BindError(
            f"{what}: Actor {skeleton.actor.get_name()!r} has no joint "
            f"{shown(name)}: {suggest(name, names, same_bone(name, names))}"
        )
    return name


def _top(skeleton: ActorSkeleton) -> p3d.LMatrix4f:
    """Return the transform of the joints' space in the Actor's."""
    # the node above the joints may be turned, as those of armatures in glTF files
    space = skeleton.space.get_parent().get_mat(skeleton.actor)
    top: p3d.LMatrix4f = skeleton.bundle.get_root_xform() * space
    return top


def rest_transform(skeleton: ActorSkeleton, joint: str) -> p3d.LMatrix4f:
    """Return a joint's transform in the Actor's space, in the pose of its file."""
    return p3d.LMatrix4f(anatomy_of(skeleton).rest[joint])


def rest_place(skeleton: ActorSkeleton, node: p3d.NodePath) -> Floats:
    """Return where a joint, or the end of a bone, is in the Actor's space at rest."""
    joint = node.get_name()
    if joint in skeleton.joints:
        return np.array(tuple(rest_transform(skeleton, joint).get_row3(3)))
    above = rest_transform(skeleton, node.get_parent().get_name())
    return np.array(tuple(above.xform_point(skeleton.rest_state(node).get_pos())))


def net_transforms(
    skeleton: ActorSkeleton,
    clip: Any = None,
    frame: int = 0,
    joints: Collection[str] | None = None,
) -> dict[str, p3d.LMatrix4f]:
    """Return the transforms of joints in the Actor's space; the Actor is not posed.

    Args:
        skeleton: The Actor's skeleton.
        clip: The animation to read; None: the pose of the model file.
        frame: The frame of it.
        joints: Names, each with those of all joints above it. Default: all joints.
    """
    top = _top(skeleton)
    nets: dict[str, p3d.LMatrix4f] = {}
    for name, local in skeleton.model.rest.items():
        if joints is None or name in joints:
            channel = clip and clip.find_child(name)
            if channel:
                local = p3d.LMatrix4f(local)
                channel.get_value(frame, local)
            above = skeleton.parents[name]
            nets[name] = local * (top if above is None else nets[above])
    return nets


def rest_nets(skeleton: ActorSkeleton) -> dict[str, p3d.LMatrix4f]:
    """Return the transforms of joints in the space of their Character, at rest."""
    top = skeleton.bundle.get_root_xform()
    return {name: mat * top for name, mat in skeleton.model.rest_nets.items()}


def to_joint(skeleton: ActorSkeleton, joint: str, position: Place) -> Place:
    """Return a position of a figure in the space of a joint."""
    mat = rest_transform(skeleton, joint)
    mat.invert_in_place()
    x, y, z = mat.xform_point(p3d.LPoint3f(*position))
    return x, y, z


def above_joint(skeleton: ActorSkeleton, joint: str, direction: Place) -> Place:
    """Return a direction of a figure in the space of the parent of a joint."""
    mat = rest_transform(skeleton, joint)
    local = p3d.LMatrix4f()
    local.invert_from(skeleton.model.rest[joint])
    mat = local * mat
    mat.invert_in_place()
    x, y, z = mat.xform_vec(p3d.LVector3f(*direction))
    return x, y, z


def skins_of(top: p3d.NodePath) -> list[p3d.GeomVertexData]:
    """Return the vertices below a node that joints move; parts of a mesh share them."""
    seen: list[p3d.GeomVertexData] = []
    for _, node in nodes_below(top, p3d.GeomNode):
        for geom in node.get_geoms():
            data = geom.get_vertex_data()
            if data.get_transform_blend_table() is not None and data not in seen:
                seen.append(data)
    return seen


class Skin:
    """The vertices of a mesh, and which joints move them by how much: plain numbers.

    Args:
        data: The vertices.
        joints: The joints of the skeleton, by name.
    """

    def __init__(
        self, data: p3d.GeomVertexData, joints: Mapping[str, p3d.CharacterJoint]
    ) -> None:
        self.names: list[str] = []
        """Name of each joint."""
        self.own: list[bool] = []
        """Whether it is the skeleton's; other parts may have one of the same name."""
        self.mats: list[p3d.LMatrix4f] = []
        """From positions to each joint's own space."""
        table = data.get_transform_blend_table()
        assert table is not None
        every = list(map(table.get_blend, range(table.get_num_blends())))
        counts = [blend.get_num_transforms() for blend in every]
        places = list(zip(every, map(range, counts), strict=True))
        found = [blend.get_transform(n) for blend, row in places for n in row]
        weights = np.array([blend.get_weight(n) for blend, row in places for n in row])
        ids = [node_id(transform) for transform in found]
        numbers: dict[int, int] = {}
        for number, transform in dict(zip(ids, found, strict=True)).items():
            numbers[number] = -1
            if isinstance(transform, p3d.JointVertexTransform):
                numbers[number] = len(self.mats)
                joint = transform.get_joint()
                self.names.append(joint.get_name())
                self.own.append(joints.get(joint.get_name()) == joint)
                # from the position in the model to the joint's own space
                mat, net = p3d.LMatrix4f(), p3d.LMatrix4f()
                transform.get_matrix(mat)
                joint.get_net_transform(net)
                net.invert_in_place()
                self.mats.append(mat * net)
        order = {name: k for k, name in enumerate(joints)}
        ranks = np.array([order.get(name, 0) for name in self.names], int)
        at = np.array([numbers[number] for number in ids], int)
        (held,) = np.nonzero((at >= 0) & (weights > 0.0))
        blends, at = np.repeat(np.arange(len(every)), counts)[held], at[held]
        weights = weights[held]
        # Panda3D sorts them by address: of equal ones, the first joint comes first
        first = np.lexsort((ranks[at], -weights, blends))
        self._blends, self._joints = blends[first], at[first]
        self._weights, self._count = weights[first], len(every)
        self._positions = read_column(data, "vertex")[:, :3].astype(np.float32)
        self._which = read_column(data, "transform_blend").ravel().astype(int)

    def strongest(self, among: Collection[str] | None = None) -> Joints:
        """Return the number of the joint that moves each vertex most; -1: none.

        Args:
            among: Names of joints; no other counts, and they need half the weight.
        """
        blends, joints, weights = self._blends, self._joints, self._weights
        if among is not None:
            held = np.array([name in among for name in self.names], bool)[joints]
            blends, joints, weights = blends[held], joints[held], weights[held]
        found = np.full(self._count, -1)
        first = np.flatnonzero(np.diff(blends, prepend=-1))
        found[blends[first]] = joints[first]
        if among is not None:
            found[np.bincount(blends, weights, self._count) < HALF] = -1
        strongest: Joints = found[self._which]
        return strongest

    def placed(
        self, joints: Joints, pose: Mapping[str, p3d.LMatrix4f]
    ) -> list[tuple[str, Joints, Floats]]:
        """Return name, vertices and points of each of the joints that move them.

        Args:
            joints: The joint of each vertex, as of ``strongest``.
            pose: Transforms of the joints.
        """
        found = []
        for j in dict.fromkeys(joints[joints >= 0].tolist()):
            to = np.array(self.mats[j] * pose[self.names[j]], np.float32)
            (which,) = np.nonzero(joints == j)
            # in single precision, as the engine would
            x, y, z = self._positions[which].T[:, :, None]
            points = x * to[0, :3] + y * to[1, :3] + z * to[2, :3] + to[3, :3]
            found.append((self.names[j], which, points.astype(float)))
        return found


def _read(
    skeleton: ActorSkeleton, skins: Iterable[Skin], rest: Mapping[str, p3d.LMatrix4f]
) -> Figure:
    skin: dict[str, list[Floats]] = {}
    for data in skins:
        own = [data.own[j] and name in rest for j, name in enumerate(data.names)]
        joints = data.strongest()
        joints[~np.array([*own, False], bool)[joints]] = -1
        for joint, _, points in data.placed(joints, rest):
            skin.setdefault(joint, []).append(points)
    positions = {name: tuple(mat.get_row3(3)) for name, mat in rest.items()}
    # joints whose positions are not finite are left out, with their skin
    finite = {
        name: position if np.isfinite(position).all() else (0.0, 0.0, 0.0)
        for name, position in positions.items()
    }
    return Figure(
        skeleton.parents,
        finite,
        {joint: np.concatenate(points) for joint, points in skin.items()},
        skeleton.standard_names,
    )
