"""NodePaths to arrays and back: precision, row vectors and quaternion order live here.

Panda3D multiplies row vectors (``net = local * parent``), stores quaternions as
w, i, j, k and keeps single precision.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from math import hypot, inf, isfinite

import numpy as np
import panda3d.core as p3d

from ...character.pose_bones import skeleton_of
from ...checks import is_whole
from ...errors import BindError, shown
from ...kernels import index_buffer, zeros
from ...kernels.matrices import decompose_trs
from ...kernels.node_frame import FARTHEST, UNEVEN, measure_nodes
from ...math3d.quaternion import Floats, to_matrix
from ...model.skeleton import SkeletonModel
from ..checked_setting import node_in_scene

Numbers = Sequence[float]
IDENTITY: Numbers = (1.0, 0.0, 0.0, 0.0)

Bones = tuple[list[p3d.NodePath], Sequence[int]]
"""Nodes, parents first, and the index of each one's parent; the root's is -1."""


def matrices(count: int) -> tuple[p3d.PTA_LMatrix4f, memoryview[float]]:
    """Return an array of engine matrices, and a flat view of it, 16 numbers each."""
    mats = p3d.PTA_LMatrix4f.empty_array(count)
    # its stub does not say that it has a buffer
    return mats, memoryview(mats).cast("B").cast("f")  # type: ignore[arg-type]


GOAL_BUFFER = (*matrices(1), zeros(10))
"""Buffer in which all goals decompose a matrix. Panda3D keeps 64 bytes for good of
every view of such an array, so all share one."""


def decomposed(mats: Floats) -> tuple[Floats, Floats]:
    """Return rotations (..., 4) w x y z and positions (..., 3) of matrices (..., 4, 4).

    Rows as in Panda3D. Scale and shear are left out; a mirror is part of the scale.
    """
    numbers = array("f", np.asarray(mats, np.float32).tobytes())
    count = len(numbers) // 16
    found = zeros(10 * count)
    decompose_trs(count, numbers, found)
    rows: Floats = np.reshape(found, (*np.shape(mats)[:-2], 10))
    return rows[..., 3:7], rows[..., :3]


def check_finite(*numbers: float) -> None:
    """Check that the numbers of a pose are finite before they are written.

    Nodes keep single precision: larger numbers are infinite there.
    """
    # NaN and infinity stay in any sum
    if not isfinite(sum(numbers)):
        raise BindError("the solved pose is not finite, or exceeds single precision")


def collect_bones(leaf: p3d.NodePath, chain_length: int) -> Bones:
    node_in_scene(leaf, "leaf")
    if not is_whole(chain_length):
        raise BindError(
            f"chain_length must be a whole number, not {shown(chain_length)}"
        )
    if chain_length < 1:
        raise BindError(f"chain_length must be at least 1, not {shown(chain_length)}")
    # handles of our own: remove_node() empties only the handle that it is called on
    bones = [p3d.NodePath(leaf)]
    while len(bones) <= chain_length:
        if not bones[-1].has_parent():
            raise BindError(
                f"chain_length is {shown(chain_length)}, but leaf {leaf.get_name()!r} "
                f"has only {len(bones) - 1} ancestors ({leaf}): give at most "
                f"{len(bones) - 1}"
            )
        bones.append(bones[-1].get_parent())
    return bones[::-1], _line(chain_length)


@lru_cache(64)
def _line(count: int) -> tuple[int, ...]:
    """Return the parents of a chain's nodes, which all chains as long share."""
    return tuple(range(-1, count))


def check_no_exposed_joints(
    bones: Sequence[p3d.NodePath], parents: Sequence[int]
) -> None:
    """Check that no bone is a node that an Actor made for a joint.

    ``expose_joint`` and ``control_joint`` attach nodes to the Actor, whatever their
    joint: a chain above such a node would tip the whole figure.
    """
    for bone, parent in zip(bones, parents, strict=True):
        effect: object = bone.node().get_effect(
            p3d.CharacterJointEffect.get_class_type()
        )
        if effect is not None:
            raise BindError(
                f"{bone} was created by Actor.expose_joint and follows the joint: the "
                "animation would undo its rotation. Give a smaller chain_length, or "
                "another root, so that only nodes below it turn; "
                f"ikrig.ActorRig(actor).chain({bone.get_name()!r}) turns the joints"
            )
        if parent >= 0 and _is_joints_own(bone, bones[parent]):
            tip = bone.get_name()
            raise BindError(
                f"{bone} was created by an Actor for one of its joints, and is "
                "attached to the Actor's own node: use "
                f"ikrig.ActorRig(actor).chain({tip!r}) to turn the joints"
            )


def _is_joints_own(node: p3d.NodePath, above: p3d.NodePath) -> bool:
    if isinstance(above.node(), p3d.Character):
        return True
    for character in above.node().children:
        if not isinstance(character, p3d.Character):
            continue
        joint = character.find_joint(node.get_name())
        forced = joint.get_forced_channel() if joint is not None else None
        if isinstance(forced, p3d.AnimChannelMatrixDynamic):
            return forced.get_value_node() == node.node()
    return False


def collect_tree(root: p3d.NodePath, leaves: Sequence[p3d.NodePath]) -> Bones:
    wanted = {root: 0}
    for leaf in leaves:
        if leaf != root and not root.is_ancestor_of(leaf):
            raise BindError(f"leaf {leaf} is not below the root {root}")
        node = leaf
        while node != root:
            wanted[node] = 0
            node = node.get_parent()
    nodes: list[p3d.NodePath] = []
    parents: list[int] = []
    ahead = [(root, -1)]
    while ahead:
        node, parent = ahead.pop()
        below = [child for child in node.get_children() if child in wanted]
        ahead += [(child, len(nodes)) for child in reversed(below)]
        nodes.append(p3d.NodePath(node))
        parents.append(parent)
    return nodes, parents


def find_leaves(root: p3d.NodePath) -> list[p3d.NodePath]:
    """Return the joints below the root that have no joints below them.

    A joint is a plain node: geometry, lights, cameras and colliders are not.
    """
    found: list[p3d.NodePath] = []
    ahead = [root]
    while ahead:
        node = ahead.pop()
        below = [child for child in node.get_children() if _is_joint(child)]
        ahead += reversed(below)
        if not below and node != root:
            found.append(node)
    return found


def _is_joint(node: p3d.NodePath) -> bool:
    kinds = (p3d.PandaNode, p3d.ModelNode, p3d.ModelRoot)
    return any(node.node().is_exact_type(kind.get_class_type()) for kind in kinds)


def measure(
    bones: Sequence[p3d.NodePath],
    parents: Sequence[int],
    states: list[p3d.TransformState],
    start: object,
    *,
    turned: bool = False,
) -> tuple[SkeletonModel, list[float]]:
    """Return the model of bones in their start rotations, and their sizes.

    Args:
        bones: Nodes, parents first.
        parents: Index of each one's parent; the root's is -1.
        states: Transforms of the nodes, which give their positions and scales.
        start: Out: buffer of position, rotation (w x y z) and scale of each bone in its
            parent, 10 n.
        turned: Whether ``start`` has the rotations to measure it in; else they are
            those of the states.

    Returns:
        The model, root space; a ChainModel if each bone is the parent of the next.
        And for each bone the size of its parent's coordinates in root space, below 0
        where they are mirrored.
    """
    count = len(bones)
    points, *rotations, sizes = (zeros(k * count) for k in (3, 4, 4, 5))
    found = measure_nodes(
        states, index_buffer(parents), turned, True, start, points, *rotations, sizes
    )
    if 0 <= found < count:
        raise _unusable(bones[found], states[found])
    names = [bone.get_name() or f"#{i}" for i, bone in enumerate(bones)]
    turns, frames = rotations
    model = skeleton_of(parents, names, points, turns, frames, found != count)
    return model, list(sizes[:count])


def _unusable(bone: p3d.NodePath, state: p3d.TransformState) -> BindError:
    """Return the error for a node that ``measure`` can't use."""
    rotation, scale, shear = state.get_quat(), state.get_scale(), state.get_shear()
    if not 1e-6 < hypot(*rotation) < inf:
        return BindError(
            f"bone {bone} has no rotation: its quaternion is {tuple(rotation)}. The "
            "identity is (1, 0, 0, 0)"
        )
    # NaN and infinity stay in any sum
    if not sum(map(abs, (*state.get_pos(), *scale, *shear))) < FARTHEST:
        return BindError(f"{bone} has a transform beyond {FARTHEST:g}: {state}")
    name = "shear" if max(map(abs, shear)) > UNEVEN else "scale"
    values = tuple(round(x, 6) for x in (shear if name == "shear" else scale))
    return BindError(
        f"bone {bone} has {name} {values}: the bones below it would change their "
        "length as it turns. Use the same scale on all axes, or attach the mesh to a "
        "child node and scale that"
    )


def space_above(model: SkeletonModel, sizes: Sequence[float], j: int) -> Floats:
    """Return the matrix from the parent of bone j to root space, (3, 3)."""
    return sizes[j] * to_matrix(model.frame_rotations[j].tolist())


def mirror_rotation(scale: p3d.LVecBase3f) -> p3d.LQuaternionf:
    """Return the half turn that remains of a scale's signs, or the identity.

    A mirror times -1 is a rotation: a half turn about the axis with the odd sign.
    """
    signs = [1.0 if x >= 0.0 else -1.0 for x in scale]
    side = signs[0] * signs[1] * signs[2]
    if signs.count(side) == 3:
        return p3d.LQuaternionf(*IDENTITY)
    axis = signs.index(side)
    return p3d.LQuaternionf(0.0, *(1.0 if axis == i else 0.0 for i in range(3)))


def same_scene(node: p3d.NodePath, root: p3d.NodePath) -> bool:
    """Return whether a node can be read in root's space: not removed, same scene."""
    return not node.is_empty() and (root.is_empty() or node.is_same_graph(root))


def rotation_in(node: p3d.NodePath, space: p3d.NodePath) -> p3d.LQuaternionf:
    """Return a node's rotation in a space, of length 1, as ``read_rotation`` does."""
    rotation = read_rotation(node.get_transform(space))
    rotation.normalize()
    return rotation


def read_rotation(state: p3d.TransformState) -> p3d.LQuaternionf:
    """Return the rotation of a relative transform, even if mirrored or sheared.

    In a root space that is scaled unevenly, targets are sheared. Their axes are then
    made orthogonal in the order y, z, x: forward and up count most.
    """
    if state.has_uniform_scale() and not state.has_nonzero_shear():
        rotation = p3d.LQuaternionf(state.get_norm_quat())
    else:
        m = state.get_mat()
        forward, up, right = m.get_row3(1), m.get_row3(2), m.get_row3(0)
        mirrored = forward.cross(up).dot(right) < 0.0
        forward.normalize()
        up -= forward * forward.dot(up)
        up.normalize()
        if mirrored:
            # a mirrored orientation times -1 is a rotation, and turns as it does
            forward, up = -forward, -up
        right = forward.cross(up)
        rotation = p3d.LQuaternionf()
        rotation.set_from_matrix(p3d.LMatrix3f(*right, *forward, *up))
    return rotation


def bone_rotation(node: p3d.NodePath, root: p3d.NodePath) -> p3d.LQuaternionf:
    """Return the rotation of a bone in a space, as models define it.

    A mirror of its own is part of its scale, not of its rotation.
    """
    half_turn = mirror_rotation(node.get_scale())
    return half_turn.conjugate() * read_rotation(node.get_transform(root))
