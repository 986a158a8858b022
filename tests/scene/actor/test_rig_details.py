"""Names, refusals and controls of an Actor's rig, judged by Panda3D's own nodes."""

from __future__ import annotations

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

from ikrig import ActorRig, BindError, IKTree, SettingError
from tests.scene.conftest import limb

from .stage import HUMANOID


@pytest.fixture
def actor() -> Actor:
    made = Actor(str(HUMANOID))
    made.reparent_to(p3d.NodePath("world"))
    made.pose("walk", 7)
    return made


def test_an_actor_has_one_rig_and_its_copies_none(actor):
    rig = ActorRig(actor)
    chain = rig.chain("LeftHand", 2)
    assert chain.target.get_name() == "LeftHand Target"
    assert repr(rig) == f"<ActorRig {actor.get_name()} LeftHand>"
    with pytest.raises(BindError, match="already has an ActorRig for 'modelRoot'"):
        ActorRig(actor)
    copy = Actor(other=actor)
    assert not copy.find("**/ikrig").is_empty()
    other = ActorRig(copy)
    assert len(copy.find_all_matches("**/ikrig")) == 1
    assert len(actor.find_all_matches("**/ikrig")) == 1
    other.detach()
    rig.detach()
    assert actor.find("**/ikrig").is_empty()
    again = ActorRig(actor)
    assert repr(again) == f"<ActorRig {actor.get_name()} without chains>"
    actor.cleanup()
    actor.remove_node()
    assert repr(again) == "<ActorRig gone without chains>"


@pytest.mark.parametrize(
    "wrong", [{"velocity": (1, 2)}, {"spin": (1, 2, 3, 4)}, {"spin": "x"}]
)
def test_vectors_of_a_jog_are_checked(wrong):
    world = p3d.NodePath("world")
    nodes = limb(world, 3)
    target = world.attach_new_node("target")
    (end,) = IKTree(nodes[0], {nodes[-1]: target}).effectors
    with pytest.raises(SettingError, match=f"{next(iter(wrong))} must be"):
        end.jog(**wrong, dt=0.1)
