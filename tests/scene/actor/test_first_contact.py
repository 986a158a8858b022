"""What a new user meets first, on characters without clips and with odd names."""

from __future__ import annotations

import math

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig import SolveStatus

from .people import make_actor, net
from .stage import HUMANOID, Stage

JOINTS = (
    ("hips", None, (0, 0, 1.0), (0, 0, 0)),
    *(
        joint
        for side, x in (("l", 1), ("r", -1))
        for joint in (
            (f"arm {side}", "hips", (0.2 * x, 0, 0.5), (0, 0, 0)),
            (f"elbow {side}", f"arm {side}", (0.25 * x, 0.02, 0), (0, 0, 0)),
            (f"wrist {side}", f"elbow {side}", (0.25 * x, -0.02, 0), (0, 0, 0)),
        )
    ),
)
LENGTH = 2 * math.hypot(0.25, 0.02)


@pytest.fixture
def person():
    """A person without clips in a T-pose, in a world."""
    actor = make_actor(JOINTS, {})
    actor.reparent_to(p3d.NodePath("world"))
    return actor


def bend(rig: ikrig.ActorRig, chain, towards) -> None:
    chain.target.set_pos(*towards)
    for _ in range(3):
        rig.update(1 / 60)


# -- names -----------------------------------------------------------------------------


def test_limb_names_work_wherever_joints_do(person):
    rig = ikrig.ActorRig(person)
    assert rig.joint("left_hand") == rig.joint("wrist l")
    chain = rig.chain("left_hand")
    assert [bone.get_name() for bone in chain.bones] == ["arm l", "elbow l", "wrist l"]
    assert rig["left_hand"] is chain and rig["wrist l"] is chain
    reach = ikrig.Reach(rig, "right_hand")
    assert reach.chain.leaf == rig.joint("wrist r")
    pointer = rig.joint("right_hand").attach_new_node("muzzle")
    aim = ikrig.Aim(rig, pointer, None, {"right_hand": 1})
    assert list(aim._joints) == ["wrist r"]
    tree = rig.tree({"left_hand": None, "right_hand": None}, weights={"left_hand": 2})
    assert tree["left_hand"] is tree["wrist l"]
    assert tree["left_hand"].weight == 2.0


def test_limb_of_a_tree_twice_is_refused(person):
    with pytest.raises(ikrig.BindError, match="targets: 'wrist l' names "):
        ikrig.ActorRig(person).tree({"left_hand": None, "wrist l": None})


@pytest.mark.parametrize("name", ["hand.r", "RightHand", "Bip01 R Hand", "right_hnd"])
def test_names_in_other_words_are_translated(person, name):
    rig = ikrig.ActorRig.auto(person)
    with pytest.raises(KeyError, match="did you mean 'right_hand'"):
        rig[name]
    for call in (rig.joint, rig.chain, lambda n: ikrig.Reach(rig, n)):
        with pytest.raises(ikrig.BindError, match="did you mean 'right_hand'"):
            call(name)


def test_joint_without_a_chain_is_told_what_makes_one(person):
    rig = ikrig.ActorRig.auto(person)
    with pytest.raises(KeyError, match=r"ActorRig.chain\('elbow l'\) makes one"):
        rig["elbow l"]


# -- distance --------------------------------------------------------------------------


@pytest.mark.parametrize("far", [0.8, 1.05, 1.4, 3.0])
def test_reach_says_that_distance_is_the_reason(person, far):
    rig = ikrig.ActorRig(person)
    target = person.get_top().attach_new_node("ball")
    shoulder = p3d.LPoint3f(0.2, 0, 1.5)
    target.set_pos(shoulder + p3d.LVector3f(0.6, -0.8, 0) * (far * LENGTH))
    reach = ikrig.Reach(rig, "left_hand", target)
    assert reach.reach_distance == pytest.approx(LENGTH, rel=1e-5)
    assert reach.radius == pytest.approx(1.5 * LENGTH, rel=1e-5)
    for _ in range(120):
        rig.update(1 / 60)
    hand = net(person, "wrist l").get_row3(3)
    result = reach.result
    assert result.error == pytest.approx((hand - target.get_pos()).length(), abs=1e-5)
    if far < 1.0:
        assert result.status is SolveStatus.CONVERGED and not result.detail
        return
    assert result.status is SolveStatus.UNREACHABLE
    assert f"is {far * LENGTH:.3g} away from joint 'arm l'" in result.detail
    assert f"reaches {LENGTH:.3g}" in result.detail
    assert f"{1.5 * LENGTH:.3g}" in result.detail
    if reach.chain.started:
        assert reach.chain.result.status is SolveStatus.UNREACHABLE


def test_reach_has_no_result_without_a_target_and_one_for_a_removed_one(person):
    rig = ikrig.ActorRig(person)
    reach = ikrig.Reach(rig, "left_hand")
    rig.update(1 / 60)
    assert reach.result is None
    target = person.get_top().attach_new_node("ball")
    target.set_pos(0.4, -0.2, 1.5)
    reach.grab(target)
    rig.update(1 / 60)
    assert reach.result.status is SolveStatus.STALLED
    assert "on its way" in reach.result.detail
    other = p3d.NodePath(target)
    other.remove_node()
    rig.update(1 / 60)
    assert reach.result.status is SolveStatus.INVALID_TARGET
    assert "no longer in the scene" in reach.result.detail


@pytest.mark.parametrize("weight", [0.5, 0.97])
def test_goal_out_of_reach_is_not_called_stalled(weight):
    model = ikrig.ChainModel([[0, 0, 0], [0, 0.1, 1], [0, 0, 2]])
    settings = ikrig.SolveSettings(weight=weight)
    for limits in ({}, {0: ikrig.ConeLimit(3.0)}):
        solver = ikrig.FabrikSolver(model, limits)
        far = solver.solve([5, 0, 1], settings=settings)
        assert far.status is SolveStatus.UNREACHABLE
        near = solver.solve([1, 0, 1], settings=settings)
        assert near.status is SolveStatus.STALLED


# -- what was reached ------------------------------------------------------------------


def test_nearest_position_in_reach_is_known(person):
    rig = ikrig.ActorRig(person)
    chain = rig.chain("left_hand")
    bend(rig, chain, (3.2, 0, 1.5))
    nearest = p3d.LPoint3f(0.2 + LENGTH, 0, 1.5)
    found = person.get_top().get_relative_point(chain.root, chain.reached)
    assert (found - nearest).length() < 1e-4
    chain.target.set_pos(chain.root, chain.reached)
    rig.update(1 / 60)
    assert chain.result.converged
    tree = rig.tree({"right_hand": None})
    tree["right_hand"].target.set_pos(-3.2, 0, 1.5)
    rig.update(1 / 60)
    hand = net(person, "wrist r").get_row3(3)
    space = tree["right_hand"]._rig._binding.root
    found = person.get_top().get_relative_point(space, tree["right_hand"].reached)
    assert (found - hand).length() < 1e-5


# -- wrists ----------------------------------------------------------------------------


def test_clip_sets_the_hands_rotation_again(stage: Stage):
    actor = stage.add(Actor(str(HUMANOID)))
    rig = ikrig.ActorRig.auto(actor).start(stage.task_mgr)
    hand = rig["left_hand"]
    hand.target.set_pos(hand.target.get_pos() + p3d.LVector3f(-0.2, -0.2, 0.2))
    stage.step(5)
    joint = rig.joint("left_hand")
    limp = joint.get_quat(actor)
    actor.pose("idle", 0)
    stage.step(5)
    alone = Actor(str(HUMANOID))
    alone.pose("idle", 0)
    wanted = alone.expose_joint(None, "modelRoot", "LeftHand").get_quat(alone)
    kept = joint.get_quat(actor)
    for quat in (limp, wanted, kept):
        quat.normalize()
    assert abs(kept.dot(wanted)) > 1.0 - 1e-5
    assert abs(limp.dot(wanted)) < 0.99


# -- a clock that stands ---------------------------------------------------------------


@pytest.mark.parametrize("deep", [0.0, 0.08, -0.08, -0.25])
def test_feet_are_on_the_ground_while_the_clock_stands(stage: Stage, deep: float):
    def ankles(dt: float, frames: int) -> list[float]:
        actor = stage.add(Actor(str(HUMANOID)))
        rig = ikrig.ActorRig(actor)
        feet = ikrig.FootPlacement(rig, lambda x, y: deep if x < 0 else 0.0)
        for _ in range(frames):
            rig.update(dt)
        assert min(feet.planted.values()) == pytest.approx(1.0)
        heights = [net(actor, f"{x}Foot").get_row3(3).z for x in ("Left", "Right")]
        rig.detach()
        return heights

    settled = ankles(1 / 60, 240)
    assert ankles(0.0, 1) == pytest.approx(settled, abs=2e-3)
    assert ankles(0.0, 5) == pytest.approx(settled, abs=2e-3)
    assert settled[0] - settled[1] == pytest.approx(-deep, abs=2e-3)


def test_feet_follow_an_actor_that_is_moved_while_the_clock_stands(stage: Stage):
    actor = stage.add(Actor(str(HUMANOID)))
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.0 if x < 1.0 else 0.3)
    rig.update(0.0)
    before = net(actor, "LeftFoot").get_row3(3).z
    for x in (0.4, 0.8, 1.2, 1.6):
        actor.set_x(x)
        rig.update(0.0)
    assert net(actor, "LeftFoot").get_row3(3).z == pytest.approx(before + 0.3, abs=2e-3)


# -- scenes ----------------------------------------------------------------------------


def test_bones_that_an_animation_moves_are_refused(stage: Stage):
    actor = stage.add(Actor(str(HUMANOID)))
    hand = actor.expose_joint(None, "modelRoot", "LeftHand")
    nodes = [hand]
    for k in range(3):
        nodes.append(nodes[-1].attach_new_node(f"chain {k}"))
        nodes[-1].set_y(0.2)
    target = stage.node(nodes[-1])
    with pytest.raises(ikrig.BindError, match=r"Actor.expose_joint.*chain_length"):
        ikrig.IKChain(nodes[-1], 3, target)
    with pytest.raises(ikrig.BindError, match="expose_joint"):
        ikrig.IKTree(hand, {nodes[-1]: target})
    actor.loop("idle")
    target.set_pos(target.get_pos() + p3d.LVector3f(0.1, 0.1, 0))
    chain = ikrig.IKChain(nodes[-1], 2, target).start(stage.task_mgr)
    for _ in range(20):
        stage.step()
        assert chain.result.error < 1e-4 or not chain.result.converged


def wrist_angle(actor: Actor, side: str) -> float:
    """Angle between hand and forearm [degrees]: 0 in the model's T-pose."""
    quats = [p3d.LQuaternionf(), p3d.LQuaternionf()]
    for quat, joint in zip(quats, ("elbow", "wrist"), strict=True):
        quat.set_from_matrix(net(actor, f"{joint} {side}").get_upper_3())
        quat.normalize()
    cosine = min(1.0, abs(quats[0].dot(quats[1])))
    return math.degrees(2.0 * math.acos(cosine))


@pytest.mark.parametrize("auto", [False, True])
def test_hands_turn_with_their_bones_where_nothing_animates_them(person, auto):
    rig = ikrig.ActorRig.auto(person) if auto else ikrig.ActorRig(person)
    chain = rig["left_hand"] if auto else rig.chain("wrist l")
    bend(rig, chain, (0.3, -0.3, 1.3))
    assert chain.result.converged
    assert chain.result.orientation_error < 1e-3
    assert wrist_angle(person, "l") < 0.1
