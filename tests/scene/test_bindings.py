"""Bindings of rigs to bones: poses that are read, kept and distinguished."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig import IKChain, IKTree
from ikrig.scene.ik.node_transforms import mirror_rotation, read_rotation
from tests import reference
from tests.scene.actor.stage import HUMANOID

from .conftest import limb


def pose(nodes: list[p3d.NodePath]) -> np.ndarray:
    return np.array([tuple(node.get_quat()) for node in nodes])


@pytest.mark.parametrize("kind", [IKChain, IKTree])
def test_new_rig_continues_from_the_last_ones_pose(world, kind) -> None:
    """Of many poses that reach a goal, each depends on the one before."""
    nodes = limb(world, 6)
    target = world.attach_new_node("target")

    def made():
        if kind is IKChain:
            return IKChain(nodes[-1], 6, target, snap_back_strength=0.0)
        return IKTree(nodes[0], {nodes[-1]: target}, snap_back_strength=0.0)

    first = made()
    start = pose(nodes)
    for place in ((2.0, 3.0, 1.0), (-2.0, 2.0, -2.0), (1.0, -1.0, 2.5)):
        target.set_pos(place)
        assert first.solve().converged
    wanted = pose(nodes)
    state = first._state()

    def again(resumed: bool) -> float:
        for node, quat in zip(nodes, start, strict=True):
            node.set_quat(p3d.LQuaternionf(*quat))
        rig = made()
        if resumed:
            rig._resume(state)
        assert rig.solve().converged
        return float(abs(pose(nodes) - wanted).max())

    assert again(True) < 1e-3 < 0.05 < again(False)


def test_bones_of_an_actor_are_refused_and_others_of_its_name_are_not() -> None:
    actor = Actor(str(HUMANOID))
    world = p3d.NodePath("world")
    actor.reparent_to(world)
    joints = [
        actor.control_joint(None, "modelRoot", n) for n in ("LeftArm", "LeftHand")
    ]
    hand = joints[1]
    with pytest.raises(ikrig.BindError, match=r"an Actor for .* joint"):
        IKChain(hand, 1)
    above = actor.attach_new_node("LeftForeArm")
    own = above.attach_new_node("LeftHand")
    own.set_pos(0, 0, 1)
    figure = Actor(str(HUMANOID))
    figure.reparent_to(above)
    # a joint of that name is beside it, but the node is not the Actor's
    assert IKChain(own, 1).solve()
    figure.cleanup()
    actor.cleanup()


def test_signs_of_a_scale_leave_amirror_rotation() -> None:
    for signs in np.stack(np.meshgrid(*[(1.0, -1.0)] * 3), -1).reshape(-1, 3):
        w, *axis = mirror_rotation(tuple(signs * (0.5, 2.0, 3.0)))
        turned = np.eye(3) if w == 1.0 else 2.0 * np.outer(axis, axis) - np.eye(3)
        assert np.allclose(np.prod(signs) * turned, np.diag(signs))


@pytest.mark.parametrize("seed", range(8))
def test_rotation_of_a_sheared_transform_keeps_forward_and_then_up(seed):
    rng = np.random.default_rng(seed)
    rows = np.linalg.qr(rng.normal(size=(3, 3)))[0] * rng.uniform(0.5, 2.0)
    rows += 0.25 * rng.normal(size=(3, 3))
    state = p3d.TransformState.make_mat(
        p3d.LMatrix4f(p3d.LMatrix3f(*rows.ravel().tolist()))
    )
    forward = rows[1] / np.linalg.norm(rows[1])
    up = rows[2] - (rows[2] @ forward) * forward
    up /= np.linalg.norm(up)
    right = np.cross(forward, up)
    if np.linalg.det(rows) < 0.0:
        # times -1 a mirror is a rotation
        forward, up = -forward, -up
    found = reference.matrix(tuple(read_rotation(state))).T
    assert np.allclose(found, [right, forward, up], atol=1e-5)
