"""A rig from its own file poses a character as the rig that was written."""

from __future__ import annotations

from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.characters.catalog import EXPECTED
from tests.characters.test_table import character
from tests.scene.actor.stage import HUMANOID

ARMS = [name for name, e in EXPECTED.items() if {"left_hand", "left_foot"} & {*e.limbs}]


def nets(actor: Any, joints: list[str]) -> np.ndarray:
    """The matrices of joints in the Actor, as Panda3D has them."""
    bundle, found = actor.get_part_bundle("modelRoot"), []
    for joint in joints:
        mat = p3d.LMatrix4f()
        bundle.find_child(joint).get_net_transform(mat)
        found.append(np.array(mat))
    return np.array(found)


def placed(actor: Any, parent: p3d.NodePath | None = None) -> p3d.NodePath:
    """The scene of an Actor, which is off its origin and turned there."""
    world = p3d.NodePath("world")
    level = world.attach_new_node("level")
    level.set_pos_hpr(5, -3, 1, 40, 0, 0)
    actor.reparent_to(level)
    actor.set_pos_hpr(2, 1, 0, 25, 0, 0)
    return world


@pytest.mark.parametrize("pole", [False, True])
@pytest.mark.parametrize("far", [0.6, 3.0])
@pytest.mark.parametrize("name", ARMS)
def test_loaded_rig_reaches_with_the_same_pose(name, far, pole, tmp_path):
    actor = character(name)
    rig = ikrig.ActorRig.auto(actor)
    # only now: its targets are below the Actor itself
    placed(actor)
    limb = next(limb for limb in ("left_hand", "left_foot") if limb in rig.limbs)
    arm = rig[limb]
    rig.update(1 / 60)
    root, tip = (node.get_pos(actor) for node in (arm.bones[0], arm.target))
    size = (tip - root).length()
    goal = root + (tip - root) * far + p3d.LVector3f(0.3, -0.4, 0.2) * size
    arm.target.set_pos(actor, goal)
    if pole:
        arm.pole = actor.attach_new_node("pole")
        arm.pole.set_pos(actor, root + p3d.LVector3f(0.5, 2.0, -0.5) * size)
    for _ in range(5):
        rig.update(1 / 60)
    path = tmp_path / "rig.yaml"
    ikrig.dump_rig(rig, path)
    other = character(name)
    placed(other)
    loaded = ikrig.load_rig(path, other)
    joints = list(rig.joints)
    still = nets(other, joints)
    for frame in range(60):
        loaded.update(1 / 60)
        if frame in (0, 59):
            poses = nets(actor, joints), nets(other, joints)
            assert np.abs(np.subtract(*poses)).max() < 1e-5 * max(size, 1.0), frame
    assert loaded.chains[limb].result.status is arm.result.status
    assert np.abs(poses[1] - still)[..., 3, :].max() > 0.05 * size, "nothing has moved"


def test_nodes_that_a_game_attached_are_written_with_what_carries_them(tmp_path):
    actor = Actor(str(HUMANOID))
    placed(actor)
    rig = ikrig.ActorRig(actor)
    # a gun in one hand, its grip on it; a lamp that hangs on an exposed joint
    gun = rig.joint("RightHand").attach_new_node("gun")
    gun.set_pos_hpr(0.05, 0.1, 0.0, 20, 10, 0)
    grip = gun.attach_new_node("grip")
    grip.set_pos_hpr(0.0, 0.25, 0.05, 0, 40, 0)
    lamp = actor.expose_joint(None, "modelRoot", "Head").attach_new_node("LeftFoot")
    lamp.set_pos(0.4, 0.2, -0.9)
    rig.chain("LeftHand", target=grip, orientation_mode="target")
    rig.chain("LeftFoot", target=lamp)
    rig.chain("RightHand").target.set_pos(actor, -0.3, -0.4, 1.2)
    rig.update(1 / 60)
    path = tmp_path / "rig.yaml"
    ikrig.dump_rig(rig, path)
    other = Actor(str(HUMANOID))
    placed(other)
    loaded = ikrig.load_rig(path, other)
    joints = list(rig.joints)
    for turn in (0.0, 70.0):
        for one in (rig, loaded.actor_rig):
            one.chains[0].target.set_x(actor, -0.3 - 0.003 * turn)
        for _ in range(3):
            rig.update(1 / 60)
            loaded.update(1 / 60)
        apart = np.abs(nets(actor, joints) - nets(other, joints)).max()
        assert apart < 1e-5, apart
