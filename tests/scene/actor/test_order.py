"""The order of an Actor's layers, and of Actors, however they were created."""

from __future__ import annotations

import itertools
from math import degrees

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig

from .people import angle
from .stage import HUMANOID, Stage, joint

WIDE = ikrig.LookLimits(3.1, 3.1, 1.57, 1.57)


def body(stage: Stage, x: float = 0.0) -> Actor:
    actor = stage.add(Actor(str(HUMANOID)))
    actor.set_x(x)
    actor.set_blend(frameBlend=True)
    actor.loop("walk")
    return actor


def net(stage: Stage, actor: Actor, name: str) -> p3d.LMatrix4f:
    """A joint in the scene, as Panda3D has it."""
    mat = p3d.LMatrix4f()
    joint(actor, name).get_net_transform(mat)
    return mat * actor.get_part("modelRoot").get_mat(stage.render)


def place(mat: p3d.LMatrix4f) -> p3d.LPoint3f:
    return p3d.LPoint3f(mat.get_row3(3))


def node(above: p3d.NodePath, name: str, *position: float) -> p3d.NodePath:
    made = above.attach_new_node(name)
    made.set_pos(*position)
    return made


@pytest.mark.parametrize(
    "order", [*itertools.permutations(("hand", "aim", "grip", "head"))], ids="-".join
)
def test_hand_aim_grip_and_head_run_in_order(stage, order):
    actor = body(stage)
    rig = ikrig.ActorRig(actor)
    gun = rig.joint("RightHand").attach_new_node("gun")
    muzzle, grip = node(gun, "muzzle", 0, 0.05, 0.05), node(gun, "grip", 0.05, 0.1, 0)
    hand = node(stage.render, "hand target", -0.06, -0.28, 1.2)
    enemy = node(stage.render, "enemy", 0.3, -4.0, 1.2)
    face = node(stage.render, "head target", 0.0, -0.05, 1.45)
    made = {}
    for name in order:
        if name == "hand":
            made[name] = rig.chain("RightHand", 2, hand)
        elif name == "aim":
            made[name] = ikrig.Aim(
                rig, muzzle, enemy, {"RightHand": 1}, limits=WIDE, seconds=0, speed=1e6
            )
        elif name == "grip":
            made[name] = ikrig.Reach(rig, "LeftHand", grip)
        else:
            made[name] = rig.chain("Head", 3, face)
    rig.start(stage.task_mgr)
    # the reach is gentle at first
    stage.step(60)
    for _ in range(5):
        stage.step()
        held = net(stage, actor, "RightHand")
        gun_mat = gun.get_mat(rig.joint("RightHand")) * held
        at = muzzle.get_mat(gun) * gun_mat
        off = angle(enemy.get_pos() - place(at), at.xform_vec(p3d.LVector3f(0, 1, 0)))
        assert degrees(off) < 0.1
        wanted = {
            "hand": (held, hand.get_pos(), made["hand"]),
            "head": (net(stage, actor, "Head"), face.get_pos(), made["head"]),
            "grip": (
                net(stage, actor, "LeftHand"),
                place(grip.get_mat(gun) * gun_mat),
                made["grip"].chain,
            ),
        }
        for mat, goal, chain in wanted.values():
            missed = (place(mat) - goal).length()
            assert missed < 1e-3 * chain.reach
            assert chain.result.error == pytest.approx(missed, abs=1e-5)


@pytest.mark.parametrize("first", ["aim", "reach"])
@pytest.mark.parametrize("whole", [False, True])
def test_weapon_in_two_hands(stage: Stage, whole: bool, first: str) -> None:
    actor = body(stage)
    rig = ikrig.ActorRig(actor)
    gun = rig.joint("RightHand").attach_new_node("gun")
    # as long as a rifle; the left hand holds it where the right one is
    muzzle, grip = node(gun, "muzzle", 0, 0.3, 0.05), node(gun, "grip", 0.03, 0.06, 0)
    enemy = node(stage.render, "enemy", 1.0, -3.0, 1.4)

    helps = ikrig.FullBody(rig) if whole else None

    def aim() -> None:
        joints = {"Spine2": 1.0, "RightArm": 2.0}
        ikrig.Aim(rig, muzzle, enemy, joints, limits=WIDE)

    def reach() -> None:
        reaches.append(ikrig.Reach(rig, "LeftHand", grip, body=helps))

    reaches: list[ikrig.Reach] = []
    for make in (aim, reach) if first == "aim" else (reach, aim):
        make()
    rig.start(stage.task_mgr)
    stage.step(60)
    # where the left arm is long enough
    shoulder = place(net(stage, actor, "LeftArm"))
    grip.set_pos(stage.render, shoulder + p3d.LVector3f(-0.1, -0.25, 0.0))
    stage.step(60)
    for _ in range(30):
        stage.step()
        enemy.set_x(enemy.get_x() - 0.01)
        right, left = (net(stage, actor, f"{side}Hand") for side in ("Right", "Left"))
        goal = place(grip.get_mat(gun) * gun.get_mat(rig.joint("RightHand")) * right)
        missed = (place(left) - goal).length()
        chain = reaches[0].chain
        assert chain.result.error == pytest.approx(missed, abs=1e-4)
        assert missed < 2e-3 * chain.reach


def test_gaze_runs_before_a_hand_that_touches_the_chest(stage: Stage) -> None:
    actor = body(stage)
    rig = ikrig.ActorRig(actor)
    ball = node(stage.render, "ball", -0.2, -0.35, 1.2)
    hand = rig.chain("RightHand", 2, ball)
    look = ikrig.LookAt(
        rig, node(stage.render, "bird", 2, -2, 3), {"Spine2": 1, "Head": 1}
    )
    foot = rig.chain("LeftFoot", 2)
    # its spine first: the gaze itself waits for all that the spine carries
    spine, *others = rig.layers
    assert repr(spine) == f"<spine of {look!r}>" and others == [hand, foot, look]
    rig.start(stage.task_mgr)
    for _ in range(30):
        stage.step()
        missed = (place(net(stage, actor, "RightHand")) - ball.get_pos()).length()
        assert missed < 1e-3 * hand.reach


@pytest.mark.parametrize("exposed", [False, True])
@pytest.mark.parametrize("first", [0, 1])
def test_actors_that_hold_hands(stage: Stage, first: int, exposed: bool) -> None:
    actors = [body(stage), body(stage, 0.7)]
    rigs = [ikrig.ActorRig(actor) for actor in actors]
    one, two = rigs
    # the left one's hand is held by the right one, who looks at the left one's face
    held = one.chain("LeftHand", 2, node(stage.render, "meet", 0.35, -0.25, 1.05))
    if exposed:
        hand = actors[0].expose_joint(None, "modelRoot", "LeftHand")
    else:
        hand = one.joint("LeftHand")
    holds = two.chain("RightHand", 2, hand)
    ikrig.LookAt(one, two.joint("Head"), {"Neck": 1, "Head": 1})
    two.chain("Head", 2, node(stage.render, "nod", 0.72, -0.1, 1.5))
    rigs[first].start(stage.task_mgr)
    rigs[1 - first].start(stage.task_mgr)
    for k in range(20):
        held.target.set_x(0.35 + 0.05 * (k % 3))
        stage.step()
        here, there = (
            place(net(stage, actor, f"{side}Hand"))
            for actor, side in zip(actors, ("Left", "Right"), strict=True)
        )
        assert (here - there).length() < 2e-3 * holds.reach


def test_rider_is_solved_after_the_horse(stage: Stage) -> None:
    rider, horse = body(stage), body(stage)
    rigs = [ikrig.ActorRig(rider), ikrig.ActorRig(horse)]
    goal = node(stage.render, "goal", 0.3, -0.4, 2.4)
    hand = rigs[0].chain("RightHand", 2, goal)
    back = rigs[1].chain("Head", 4, node(stage.render, "neck", 0, -0.3, 1.4))
    rider.reparent_to(rigs[1].joint("Spine2"))
    rider.set_pos(0, 0, 0)
    rigs[1].solve()
    # where the animation has the hand, drawn in
    first, last = hand.bones[0], hand.leaf
    inward = (first.get_pos(stage.render) - last.get_pos(stage.render)) * 0.3
    goal.set_pos(stage.render, last.get_pos(stage.render) + inward)
    for rig in rigs:
        rig.start(stage.task_mgr)
    for k in range(10):
        back.target.set_x(0.02 * k)
        stage.step()
        mat = p3d.LMatrix4f()
        joint(rider, "RightHand").get_net_transform(mat)
        at = mat * rider.get_part("modelRoot").get_mat(stage.render)
        assert (place(at) - goal.get_pos()).length() < 2e-3 * hand.reach
