"""A body with two arms, and how to pose and measure it without ikrig."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d

HANDS = ("hand l", "hand r")
SIZE = 2.5  # about the way from the pelvis to a hand
ENOUGH = 100  # iterations: what is tested here is the scene, not the speed


def body(parent) -> p3d.NodePath:
    """A pelvis, a spine and two arms of two bones each, below parent."""
    pelvis = parent.attach_new_node("pelvis")
    pelvis.set_pos(0.2, 0.1, 0.3)
    spine = pelvis.attach_new_node("spine")
    spine.set_pos(0, 0, 1)
    for side, x in (("l", -1), ("r", 1)):
        shoulder = spine.attach_new_node(f"shoulder {side}")
        shoulder.set_pos(0.5 * x, 0, 0.2)
        elbow = shoulder.attach_new_node(f"elbow {side}")
        elbow.set_pos(0.7 * x, 0.05, 0)
        elbow.attach_new_node(f"hand {side}").set_pos(0.6 * x, 0.1, 0)
    return pelvis


def places(nodes, root) -> np.ndarray:
    return np.array([tuple(node.get_pos(root)) for node in nodes])


def joints(root) -> list[p3d.NodePath]:
    return [root, *root.find_all_matches("**")]


def shake(root, rng, most: float = 35.0) -> None:
    """Turn every joint of a body at random."""
    for node in joints(root):
        node.set_hpr(node, *(most * rng.uniform(-1, 1, 3)))


def ghost_of(root, rng) -> p3d.NodePath:
    """A copy of a body in a pose of its own, which makes its hands reachable."""
    ghost = root.copy_to(root.get_parent())
    ghost.set_name("ghost")
    shake(ghost, rng)
    return ghost


def follow(tree, ghost) -> None:
    for effector in tree.effectors:
        hand = ghost.find(f"**/{effector.leaf.get_name()}")
        effector.target.set_mat(hand.get_mat(effector.target.get_parent()))


def gaps(tree) -> list[float]:
    """How far each effector is from its target, in units of root space."""
    root = tree.root
    return [
        (effector.leaf.get_pos(root) - effector.target.get_pos(root)).length()
        for effector in tree.effectors
    ]


def lengths(tree) -> np.ndarray:
    bones = tree.bones
    above = [bones.index(bone.get_parent()) for bone in bones[1:]]
    points = places(bones, tree.root)
    return np.linalg.norm(points[1:] - points[above], axis=1)


def quats(nodes) -> list[p3d.LQuaternionf]:
    return [p3d.LQuaternionf(node.get_quat()) for node in nodes]


def moved(before, nodes) -> float:
    """Largest turn of a node against its parent since before [rad]."""
    return max(
        2.0 * math.acos(min(1.0, abs(was.dot(node.get_quat()))))
        for was, node in zip(before, nodes, strict=True)
    )


def matrices(nodes) -> list[p3d.LMatrix4f]:
    return [p3d.LMatrix4f(node.get_mat()) for node in nodes]
