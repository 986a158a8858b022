"""What carries skin of the face turns with the head, judged on Panda3D's own joints."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.scene.actor.actor_figure import limbs_of
from tests.characters.catalog import EXPECTED, load
from tests.characters.test_table import character

TIME = 1 / 30
HEADS = [name for name, known in EXPECTED.items() if "head" in known.limbs]


def net(actor, joint: str) -> np.ndarray:
    mat = p3d.LMatrix4f()
    actor.get_joints(jointName=joint)[0].get_net_transform(mat)
    return np.array(mat, dtype=float).reshape(4, 4)


def within(actor, joint: str, head: str) -> np.ndarray:
    """A joint's matrix in the space of the head."""
    return net(actor, joint) @ np.linalg.inv(net(actor, head))


def turned(one: np.ndarray, other: np.ndarray) -> float:
    """How far two matrices of one joint are turned against each other [degree]."""
    a, b = (
        mat[:3, :3] / np.linalg.norm(mat[:3, :3], axis=1)[:, None]
        for mat in (one, other)
    )
    turn = np.linalg.inv(a) @ b
    return math.degrees(math.acos(np.clip((np.trace(turn) - 1.0) / 2.0, -1.0, 1.0)))


def stage(name: str):
    actor, world = character(name), p3d.NodePath("world")
    actor.reparent_to(world)
    rig = ikrig.ActorRig(actor)
    return actor, world, rig, limbs_of(rig.skeleton)


def put_aside(world, actor, found, degrees: float = 75.0) -> p3d.NodePath:
    """A target to the left of the head, far away."""
    ball = world.attach_new_node("ball")
    x, y, _ = found.forward
    angle = math.radians(degrees)
    c, s = math.cos(angle), math.sin(angle)
    eye = net(actor, found.head)[3, :3]
    low, high = actor.get_tight_bounds()
    size = (high - low).length()
    way = p3d.LVector3f(c * x - s * y, s * x + c * y, 0.0) * 4.0 * size
    ball.set_pos(actor, p3d.LPoint3f(*eye) + way)
    return ball


def test_the_panda_keeps_its_jaw() -> None:
    actor, world, rig, found = stage("panda")
    other = load("panda")
    ball = put_aside(world, actor, found)
    ikrig.LookAt(rig, ball)
    for frame in range(90):
        for each in (actor, other):
            each.pose("walk", frame % 60)
        rig.update(TIME)
    other.get_part_bundle("modelRoot").force_update()
    assert turned(net(actor, "Bone_skull"), net(other, "Bone_skull")) > 50.0
    for joint in ("Bone_jaw01", "Bone_jaw02", "Bone_jaw03"):
        now, animated = (within(each, joint, "Bone_skull") for each in (actor, other))
        assert np.allclose(now, animated, atol=2e-3 * np.abs(animated).max()), joint
        assert turned(net(actor, joint), net(other, joint)) > 50.0


@pytest.mark.parametrize("name", HEADS)
def test_no_character_loses_its_face(name: str) -> None:
    actor, world, rig, found = stage(name)
    joints = [*found.face, *rig.skeleton.children(found.head)]
    rest = {joint: within(actor, joint, found.head) for joint in joints}
    low, high = actor.get_tight_bounds()
    size = (high - low).length()
    ikrig.LookAt(rig, put_aside(world, actor, found), eyes=())
    for _ in range(90):
        rig.update(TIME)
    for joint, before in rest.items():
        now = within(actor, joint, found.head)
        assert turned(now, before) < 0.1, joint
        moved = now[3, :3] - before[3, :3]
        assert np.linalg.norm(moved @ net(actor, found.head)[:3, :3]) < 1e-4 * size


@pytest.mark.parametrize("layer", ["chain", "tree", "explicit"])
def test_jaws_follow_whatever_turns_the_head(layer: str) -> None:
    actor, world, rig, found = stage("panda")
    before = within(actor, "Bone_jaw03", "Bone_skull")
    at_rest = net(actor, "Bone_skull")
    ball = put_aside(world, actor, found)
    if layer == "chain":
        ball.set_pos(actor, *at_rest[3, :3] + (60.0, 0.0, 30.0))
        rig.chain("Bone_skull", 1, ball, orientation_mode="target")
        ball.set_hpr(60, 0, 0)
    elif layer == "tree":
        ball.set_pos(actor, *at_rest[3, :3] + (60.0, 0.0, 30.0))
        feet = {"Bone_lf_foot": None, "Bone_skull": ball}
        rig.tree(feet, orientation_mode="target")
        ball.set_hpr(60, 0, 0)
    else:
        ikrig.LookAt(rig, ball, {"Bone_skull": 1.0})
    for _ in range(60):
        rig.update(TIME)
    assert turned(net(actor, "Bone_skull"), at_rest) > 30.0
    now = within(actor, "Bone_jaw03", "Bone_skull")
    assert np.allclose(now, before, atol=2e-3 * np.abs(before).max())


def test_a_jaw_may_be_moved_by_another_layer() -> None:
    """It speaks while the head turns, whichever layer runs first."""
    for order in (-1.0, 1.0):
        actor, world, rig, found = stage("panda")
        before = within(actor, "Bone_jaw02", "Bone_skull")
        ikrig.LookAt(rig, put_aside(world, actor, found))
        mouth = Mouth(rig, order)
        rig.add(mouth, ["Bone_jaw01"])
        for _ in range(90):
            rig.update(TIME)
        now = within(actor, "Bone_jaw02", "Bone_skull")
        assert turned(now, before) == pytest.approx(20.0, abs=0.1)
        # what hangs on it is not late
        node = rig.joint("Bone_jaw02")
        drawn = np.array(node.get_mat(rig.skeleton.space), dtype=float).reshape(4, 4)
        assert np.allclose(drawn, net(actor, "Bone_jaw02"), atol=0.05)


class Mouth:
    """Opens the panda's mouth by 20 degrees."""

    started, phase = True, ikrig.Phase.SECONDARY

    def __init__(self, rig, order: float) -> None:
        self.rig, self.order = rig, order

    def apply(self, pose: ikrig.Pose, dt: float) -> None:
        node = self.rig.joint("Bone_jaw01")
        turn = p3d.LMatrix4f.rotate_mat(20.0, p3d.LVector3f(1, 0, 0))
        node.set_mat(turn * node.get_mat())
