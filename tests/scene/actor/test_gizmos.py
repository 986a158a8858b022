"""Behaviours, tips and whole rigs on display."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig import ActorRig, Gizmos
from ikrig.scene.behaviours.behaviour import Behaviour

from .stage import Stage

RIG = Path(__file__).parents[3] / "assets" / "rigs" / "humanoid.yaml"


@pytest.fixture
def gizmos(stage: Stage) -> Gizmos:
    camera = stage.render.attach_new_node(p3d.Camera("camera"))
    camera.set_pos(0, -6, 1.0)
    return Gizmos(stage.render, camera, auto_update=False)


def drawn(stage: Stage) -> np.ndarray:
    """Vertices of bones and lines, world space."""
    path = stage.render.find("**/ikrig-gizmos/pass/skeleton")
    data = path.node().get_geom(0).get_vertex_data().get_array(0).get_handle()
    return np.frombuffer(data.get_data(), np.float32).reshape(-1, 3)


def covers(stage: Stage, point: Any, near: float = 0.05) -> bool:
    """Tell whether something is drawn near a point of the world."""
    return bool((np.linalg.norm(drawn(stage) - np.array(point), axis=1) < near).any())


def look(rig: ActorRig, target: p3d.NodePath) -> Behaviour:
    return ikrig.LookAt(rig, target)


def aim(rig: ActorRig, target: p3d.NodePath) -> Behaviour:
    muzzle = rig.joint("RightHand").attach_new_node("muzzle")
    muzzle.set_y(0.3)
    return ikrig.Aim(rig, muzzle, target, {"Spine2": 1, "RightArm": 2})


def reach(rig: ActorRig, target: p3d.NodePath) -> Behaviour:
    return ikrig.Reach(rig, "RightHand", target)


def feet(rig: ActorRig, target: p3d.NodePath) -> Behaviour:
    return ikrig.FootPlacement(rig, lambda x, y: 0.0)


MAKERS = {
    look: ("Head", "Neck"),
    aim: ("muzzle", "RightArm"),
    reach: ("RightHand", "RightForeArm"),
    feet: ("LeftFoot", "RightLeg", "Hips"),
}


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_behaviour_is_drawn_with_its_joints_and_target(stage, gizmos, make):
    actor = stage.body("humanoid")
    rig = ActorRig(actor)
    target = stage.render.attach_new_node("thing")
    target.set_pos(0.4, -0.6, 1.2)
    behaviour = make(rig, target)
    rig.update(1 / 60)
    gizmos.add(behaviour)
    gizmos.update()
    for name in MAKERS[make]:
        node = actor.find(f"**/{name}")
        node = rig.joint(name) if node.is_empty() else node
        assert covers(stage, node.get_pos(stage.render))
    handles = [handle.node for handle in gizmos.handles]
    # the targets of feet are the behaviour's own: nobody can drag them
    assert handles == ([] if make is feet else [target])
    if make is not feet:
        start = behaviour._lines()[0][0].get_pos(stage.render)
        middle = (start + target.get_pos(stage.render)) * 0.5
        assert covers(stage, middle, 0.15)
        behaviour.target = None
        gizmos.update()
        assert gizmos.handles == ()
    behaviour.remove()
    gizmos.update()


def test_rig_display_follows_added_and_removed_parts(stage, gizmos):
    actor = stage.body("humanoid")
    rig = ActorRig(actor)
    gizmos.add(rig)
    assert gizmos.handles == ()
    hand = rig.chain("LeftHand", 2)
    gizmos.update()
    assert [handle.node for handle in gizmos.handles] == [hand.target]
    thing = stage.render.attach_new_node("thing")
    reached = reach(rig, thing)
    foot = feet(rig, thing)
    gizmos.update()
    # the inner chains of the two are not shown a second time
    assert {handle.node for handle in gizmos.handles} == {hand.target, thing}
    rig.remove(hand)
    reached.remove()
    foot.remove()
    gizmos.update()
    assert gizmos.handles == ()
    assert len(drawn(stage)) == 0


def test_stopped_chain_of_an_actor_has_no_handles(stage: Stage, gizmos: Gizmos) -> None:
    rig = ActorRig(stage.body("humanoid"))
    hand = rig.chain("LeftHand", 2, pole=stage.render.attach_new_node("pole"))
    gizmos.add(hand)
    rig.update(1 / 60)
    for started in (True, False, True):
        hand.started = started
        gizmos.update()
        shown = [handle.node for handle in gizmos.handles]
        assert shown == ([hand.target, hand.pole] if started else [])
        assert covers(stage, hand.leaf.get_pos(stage.render))


def test_rig_of_a_file_is_drawn_completely(stage: Stage, gizmos: Gizmos) -> None:
    rig = ikrig.load_rig(RIG, parent=stage.render)
    gizmos.add(rig)
    gizmos.update()
    shown = {handle.node for handle in gizmos.handles}
    wanted = {chain.target for chain in rig.chains.values()}
    assert wanted <= shown
    rig.reload()
    gizmos.update()
    assert {chain.target for chain in rig.chains.values()} <= {
        handle.node for handle in gizmos.handles
    }
    gizmos.remove(rig)
    assert gizmos.handles == ()
    rig.remove()


def test_line_starts_at_the_tip(stage: Stage, gizmos: Gizmos) -> None:
    shoulder = stage.render.attach_new_node("shoulder")
    hand = shoulder.attach_new_node("hand")
    hand.set_pos(0.1, 0, 1)
    chain = ikrig.IKChain(hand, 1, tip=(0.5, 0, 0.3))
    chain.solve()
    gizmos.add(chain)
    gizmos.update()
    assert covers(stage, stage.render.get_relative_point(hand, (0.5, 0, 0.3)))
    chain.target.set_pos(4, 0, 1)
    chain.solve()
    gizmos.update()
    tip = stage.render.get_relative_point(hand, (0.5, 0, 0.3))
    assert covers(stage, (tip + chain.target.get_pos()) * 0.5, 0.3)


def test_custom_behaviours_are_drawn(stage: Stage, gizmos: Gizmos) -> None:
    class Nod(Behaviour):
        def _frame(self, dt: float) -> None:
            pass

        def _reset(self) -> None:
            pass

    actor = stage.body("humanoid")
    rig = ActorRig(actor)
    nod = Nod(rig, 0, 1.0)
    rig.add(nod, ["Neck", "Head"])
    gizmos.add(nod)
    gizmos.update()
    assert covers(stage, rig.joint("Head").get_pos(stage.render))
