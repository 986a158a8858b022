"""Custom layers: requirements, updates, names and errors."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor
from direct.showbase.MessengerGlobal import messenger

import ikrig
from ikrig import BindError, SettingError

from .stage import HUMANOID, Stage, net

SIDES = ("Left", "Right")


class Lift:
    """The least that is a layer."""

    order: Any = 0.0
    started = True

    def __init__(self) -> None:
        self.seen: list[float] = []

    def apply(self, pose: ikrig.Pose, dt: float) -> None:
        self.seen.append(dt)


@pytest.fixture
def rig(stage: Stage) -> ikrig.ActorRig:
    return ikrig.ActorRig(stage.add(Actor(str(HUMANOID))))


class Hammer:
    """What moves with one hand, and is where the other one reaches."""

    order = 0.0
    beside = p3d.LVector3f(0.2, -0.1, 0)

    def __init__(self, hand: p3d.NodePath, handle: p3d.NodePath) -> None:
        self.hand, self.handle, self.count = hand, handle, 0

    def reads(self):
        return [self.hand]

    def writes(self):
        return [self.handle]

    def update(self, dt: float) -> None:
        self.count += 1
        at = self.hand.get_pos(self.handle.get_parent())
        self.handle.set_pos(at - self.beside)


def test_other_rig_runs_between_the_layers_that_it_depends_on(stage):
    rig = ikrig.ActorRig(stage.add(Actor(str(HUMANOID))))
    hand = rig.chain("LeftHand", 2)
    handle = stage.render.attach_new_node("handle")
    other = rig.chain("RightHand", 2, handle)
    rig.start(stage.task_mgr)
    stage.step()
    hammer = Hammer(hand.leaf, handle)
    ikrig.IKSystem.of(stage.task_mgr).add(hammer)
    stage.step()
    hammer.count = 0
    for k in range(3):
        hand.target.set_pos(0.1, -0.4, 1.2 + 0.02 * k)
        stage.step()
        # as Panda3D has them, for the Actor is drawn so
        left, right = (net(rig.actor, f"{side}Hand")[3, :3] for side in SIDES)
        assert np.allclose(left, hand.target.get_pos(), atol=1e-3 * hand.reach)
        assert np.allclose(left - right, hammer.beside, atol=1e-3 * other.reach)
    assert hammer.count == 3


def test_removed_layer_is_not_updated_by_the_running_system(stage, rig):
    lift, last = Lift(), Lift()
    handle = stage.render.attach_new_node("handle")
    last.reads = lambda: [handle]
    rig.add(lift, ["LeftHand"])
    rig.add(last, ["RightHand"])
    rig.start(stage.task_mgr)
    ikrig.IKSystem.of(stage.task_mgr).add(Hammer(rig.joint("LeftHand"), handle))
    stage.step()
    assert rig.layers == (lift, last)
    lift.seen.clear()
    last.seen.clear()
    rig.remove(lift)
    stage.step(2)
    assert (len(lift.seen), len(last.seen)) == (0, 2)


@pytest.mark.parametrize("own", [True, False])
def test_removed_joint_nodes_stop_only_their_rig(stage, rig, own):
    other = ikrig.ActorRig(stage.add(Actor(str(HUMANOID))))
    lift = Lift()
    other.add(lift, [])
    rig.chain("LeftHand", 2)
    for started in (rig, other):
        started.start(stage.task_mgr)
    stage.step()
    top = rig.skeleton.space
    (top if own else p3d.NodePath(top)).remove_node()
    # the order is found again with it
    other.order = 1.0
    stage.step(2)
    assert len(lift.seen) == 3


def without(name: str) -> Any:
    kind = type("Part", (), {k: v for k, v in vars(Lift).items() if k != name})
    return kind()


@pytest.mark.parametrize("name", ["order", "started", "apply"])
def test_incomplete_layers_are_refused(rig, name):
    with pytest.raises(
        BindError,
        match="a layer must have the attributes order, started, apply, ",
    ):
        rig.add(without(name), [])
    assert rig.layers == ()


def test_classes_and_layers_of_other_rigs_are_refused(stage, rig):
    with pytest.raises(BindError, match="a layer must have"):
        rig.add(Lift, [])
    other = ikrig.ActorRig(stage.add(Actor(str(HUMANOID))))
    theirs = ikrig.LookAt(other, None, {"Head": 1})
    with pytest.raises(BindError, match="a layer must have"):
        rig.add(theirs, [])
    assert rig.layers == () and other.layers == (theirs,)


def test_errors_of_layers_are_named(rig):
    lift = Lift()
    with pytest.raises(BindError, match="'LeftHnd': did you mean 'LeftHand'"):
        rig.add(lift, ["LeftHnd"])
    lift.order = "first"
    with pytest.raises(SettingError, match="order of a Lift must be a number"):
        rig.add(lift, [])
    lift.order, lift.phase = 0.0, "arms"
    with pytest.raises(SettingError, match="phase of a Lift must be a Phase"):
        rig.add(lift, [])
    assert rig.layers == ()


def test_changed_order_applies_in_the_next_frame(rig):
    first, second = Lift(), Lift()
    rig.add(first, [])
    rig.add(second, [])
    rig.update(0.1)
    assert rig.layers == (first, second)
    first.order = 1.0
    rig.update(0.1)
    assert rig.layers == (second, first)


def test_layers_are_named_by_leaf_or_kind(rig):
    hand = rig.chain("LeftHand", 2)
    look, lift = ikrig.LookAt(rig, None, {"Head": 1}), Lift()
    rig.add(lift, [])
    assert dict(rig._named_layers()) == {
        "LeftHand": hand,
        "LookAt": look,
        "Lift": lift,
    }


def test_lines_lead_from_joints_to_targets(stage, rig):
    bird, pole = (stage.render.attach_new_node(name) for name in ("bird", "pole"))
    gun = rig.joint("LeftHand").attach_new_node("gun")
    look = ikrig.LookAt(rig, bird, {"Neck": 1, "Head": 3})
    aim = ikrig.Aim(rig, gun, bird, {"LeftArm": 2, "LeftForeArm": 1})
    reach = ikrig.Reach(rig, "RightHand", bird)
    assert look._lines() == [(rig.joint("Head"), bird)]
    assert aim._lines() == [(gun, bird)]
    assert reach._lines() == [(rig.joint("RightHand"), bird)]
    reach.chain.pole = pole
    assert reach._lines()[1] == (rig.joint("RightForeArm"), pole)
    for behaviour in (look, aim, reach):
        behaviour.target = None
    assert look._lines() == aim._lines() == []
    assert [end for _, end in reach._lines()] == [pole]


def test_detached_rig_keeps_nothing_alive(stage, rig):
    bird = stage.render.attach_new_node("bird")
    gone = [ikrig.LookAt(rig, bird), rig.chain("LeftHand", 2), Lift()]
    rig.add(gone[-1], ["RightHand"])
    rig.update(1 / 60)
    refs = [weakref.ref(layer) for layer in gone]
    rig.detach()
    assert [rig._moved_by(layer) for layer in gone] == [[], [], []]
    gone.clear()
    gc.collect()
    assert [ref() for ref in refs] == [None] * 3


@pytest.mark.parametrize("change", ["move", "hang", "give", "turn", "weight"])
def test_dormant_limb_starts_when_its_target_is_used(stage, change):
    actor = stage.add(Actor(str(HUMANOID)))
    rig = ikrig.ActorRig.auto(actor)
    hand = rig["left_hand"]
    for _ in range(3):
        rig.update(1 / 60)
        assert hand.weight == 0.0 and rig._dormant_weight(hand) == 1.0
    other = stage.render.attach_new_node("other")
    if change == "move":
        hand.target.set_x(hand.target.get_x() + 0.01)
    elif change == "turn":
        hand.target.set_h(hand.target.get_h() + 1.0)
    elif change == "hang":
        hand.target.reparent_to(other)
    elif change == "give":
        hand.target = other
    else:
        hand.weight = 0.5
    assert rig._dormant_weight(hand) is None
    rig.update(1 / 60)
    assert hand.weight == (0.5 if change == "weight" else 1.0)
    assert rig._dormant_weight(hand) is None
    assert rig["right_hand"].weight == 0.0
    assert rig._dormant_weight(rig["right_hand"]) == 1.0
    # it has been used: at weight 0 it stays, wherever its target is
    hand.weight = 0.0
    rig.update(1 / 60)
    hand.target.set_x(hand.target.get_x() + 0.1)
    rig.update(1 / 60)
    assert hand.weight == 0.0


def test_chains_in_a_row_are_solved_as_one_by_one(stage):
    """Chains that follow one another run without Python, unless a joint is followed."""
    rigs = []
    for followed in (False, True):
        rig = ikrig.ActorRig(stage.body("humanoid"))
        if followed:
            rig.joint("Head")
        for name in ("LeftHand", "RightHand", "LeftFoot", "RightFoot"):
            rig.chain(name, 2)
        rigs.append(rig)
        rig.start(stage.task_mgr)
    for frame in range(60):
        for rig in rigs:
            place = p3d.LPoint3f(0.3, -0.4 + 0.01 * frame, 1.0 + 0.1 * (frame % 7))
            rig["LeftHand"].target.set_pos(place)
            if frame == 20:
                rig["RightHand"].iterations = 3
                rig["RightFoot"].fade(0.0, 0.2)
            if frame == 30:
                rig["LeftFoot"].stop()
            if frame == 45:
                rig["LeftFoot"].start()
                rig["RightFoot"].fade(1.0, 0.1)
        stage.step()
        quick, slow = rigs
        for one, other in zip(quick.chains, slow.chains, strict=True):
            assert one.result == other.result, frame
        found = [net(rig.actor, name) for rig in rigs for name in ("LeftHand", "Neck")]
        assert np.array_equal(found[:2], found[2:]), frame


def test_a_listener_may_remove_chains_that_follow(stage):
    rig = ikrig.ActorRig(stage.body("humanoid"))
    first, second, third = (
        rig.chain(name, 2) for name in ("LeftHand", "RightHand", "LeftFoot")
    )
    plain = stage.body("humanoid")
    for _ in range(3):
        stage.step()
        rig.update(1 / 60)
    heard = []

    def listen(chain, _):
        heard.append(chain)
        if chain is first:
            rig.remove(second)

    messenger.accept("ikrig-status", rig, listen)
    try:
        second.target.set_pos(0, -1, 1)
        third.target.set_pos(0, -0.2, 0.3)
        first.target.remove_node()
        stage.step()
        rig.update(1 / 60)
    finally:
        messenger.ignore("ikrig-status", rig)
    assert heard[0] is first
    assert first.result.status is ikrig.SolveStatus.INVALID_TARGET
    assert rig.chains == (first, third)
    for actor in (rig.actor, plain):
        actor.get_part_bundle("modelRoot").force_update()
    hands = [np.array(net(actor, "RightHand")) for actor in (rig.actor, plain)]
    assert np.abs(hands[0] - hands[1]).max() < 1e-5
    assert third.result.error < 0.5
