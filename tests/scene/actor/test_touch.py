"""Touch: the palm's skin, as Panda3D draws it, along a wall, a rail and a table."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor
from direct.showbase.MessengerGlobal import messenger

import ikrig
from tests.characters import catalog
from tests.scene.actor.stage import HUMANOID, nets, only, skin

TIME = 1 / 60
SPEED = 1.3
SOLIDS = {
    "wall": lambda: p3d.CollisionBox((0.55, -1.8, 1.5), 0.05, 2.4, 1.5),
    "rail": lambda: p3d.CollisionCapsule(0.42, 0.6, 0.95, 0.42, -4.2, 0.95, 0.02),
    "table": lambda: p3d.CollisionBox((0.6, -1.8, 0.9), 0.3, 2.4, 0.05),
}
GAPS = {
    "wall": lambda at: (0.5 - at[:, 0]).min(),
    "rail": lambda at: (np.hypot(at[:, 0] - 0.42, at[:, 2] - 0.95) - 0.02).min(),
    "table": lambda at: (at[:, 2] - 0.95).min(),
}


class Walk:
    """The humanoid walks along things at its left, from y = 1.6 on."""

    def __init__(self, name: str, **settings) -> None:
        self.actor = Actor(str(HUMANOID))
        world = p3d.NodePath("world")
        self.actor.reparent_to(world)
        self.actor.set_y(1.6)
        node = p3d.CollisionNode(name)
        node.add_solid(SOLIDS[name]())
        self.ground = world.attach_new_node("corridor")
        self.ground.attach_new_node(node)
        self.rig = ikrig.ActorRig(self.actor)
        self.touch = ikrig.Touch(self.rig, "left_hand", self.ground, **settings)
        self.gap = GAPS[name]
        self.palm = only(self.actor, "LeftHand")
        self.frame = 0

    def step(self) -> float:
        """Walk for a frame; return how far the palm's skin is."""
        count = self.actor.get_num_frames("walk")
        self.actor.pose("walk", self.frame % count)
        self.actor.set_y(self.actor.get_y() - SPEED * TIME)
        self.rig.update(TIME)
        self.frame += 1
        points = skin(self.actor)[self.palm] + np.array(tuple(self.actor.get_pos()))
        return float(self.gap(points))


@pytest.mark.parametrize("name", SOLIDS)
def test_palm_is_on_it_for_three_metres_and_leaves(name) -> None:
    heard = []
    words = "ikrig-touched", "ikrig-left"
    walk = Walk(name)
    for word in words:
        messenger.accept(word, walk, lambda *given, w=word: heard.append((w, *given)))
    turns, before, on = [], None, 0.0
    try:
        while walk.actor.get_y() > -5.6:
            gap = walk.step()
            if 0.0 > walk.actor.get_y() > -3.6:
                assert walk.touch.thing == walk.ground
                assert -0.004 < gap < 0.005
                on += SPEED * TIME
            axes = {k: m[:3, :3] for k, m in nets(walk.actor).items() if "Arm" in k}
            if before is not None:
                cosines = [(np.trace(axes[j] @ before[j].T) - 1) / 2 for j in axes]
                turns.append(np.degrees(np.arccos(np.clip(cosines, -1, 1))))
            before = axes
    finally:
        for word in words:
            messenger.ignore(word, walk)
    assert on > 3.0
    assert walk.touch.thing is None and abs(gap) > 0.05
    assert heard == [(word, walk.touch, walk.ground) for word in words]
    steps = np.array(turns)
    assert (steps[1:-1] <= 2 * np.maximum(steps[:-2], steps[2:]) + 1.0).all()


@pytest.mark.parametrize("name", ["wall", "table"])
def test_a_hand_that_steps_rests_between(name) -> None:
    walk = Walk(name, step=0.6)
    places, gaps, turns, before = [], [], [], None
    while walk.actor.get_y() > -3.6:
        gap = walk.step()
        if walk.actor.get_y() > 0.0:
            continue
        gaps.append(gap)
        drawn = nets(walk.actor)
        places.append(drawn["LeftHand"][3, :3] + np.array(tuple(walk.actor.get_pos())))
        axes = {k: m[:3, :3] for k, m in drawn.items() if "LeftArm" in k or "Fore" in k}
        if before is not None:
            cosines = [(np.trace(axes[j] @ before[j].T) - 1) / 2 for j in axes]
            turns.append(np.degrees(np.arccos(np.clip(cosines, -1, 1))).max())
        before = axes
    moved = np.linalg.norm(np.diff(places, axis=0), axis=1)
    still = moved < 5e-4
    # the palm is on it while it rests, and off it on its way
    rests = np.array(gaps[1:])[still]
    assert still.mean() > 0.2 and (rests > -0.004).all() and (rests < 0.005).all()
    assert max(gaps) > 0.01
    begins = np.flatnonzero(still[1:] & ~still[:-1])
    apart = np.linalg.norm(np.diff(np.array(places)[begins + 1], axis=0), axis=1)
    assert len(apart) > 3 and (apart > 0.4).all()
    assert max(turns) < 15.0


@pytest.mark.parametrize(
    "settings",
    [{"probability": 0.0}, {"height": (1.3, 2.0)}, {"reach": 0.3}, {"weight": 0.0}],
)
def test_settings_keep_it_away(settings) -> None:
    walk = Walk("rail", **settings)
    while walk.actor.get_y() > -1.0:
        assert walk.step() > 0.03
    assert walk.touch.thing is None


def test_the_other_hand_touches_only_at_any_side() -> None:
    # in front of the left shoulder
    walk = Walk("wall")
    walk.actor.set_h(50)
    right = ikrig.Touch(walk.rig, "right_hand", walk.ground, side="any")
    own = ikrig.Touch(walk.rig, "right_hand", walk.ground)
    walk.actor.set_pos(0.2, -1.0, 0)
    walk.rig.update(TIME)
    assert right.thing is not None and own.thing is None


def test_mistakes_and_files() -> None:
    walk = Walk("wall", probability=0.5, height=(0.8, 1.5))
    text = ikrig.dump_rig(walk.rig)
    assert "kind: touch" in text and "probability: 0.5" in text
    with pytest.raises(ikrig.SettingError, match="height must be two heights"):
        walk.touch.height = (2.0, 1.0)
    with pytest.raises(ikrig.BindError, match="grab by a Reach"):
        walk.touch.grab(walk.ground)
    with pytest.raises(ikrig.SettingError, match="side must be one of own, any"):
        ikrig.Touch(walk.rig, "left_hand", walk.ground, side="left")
    with pytest.raises(ikrig.BindError, match="neither collision solids nor geometry"):
        ikrig.Touch(walk.rig, "left_hand", walk.ground.attach_new_node("x"))


def test_a_drawn_wall_may_be_scaled_turned_and_move() -> None:
    actor = Actor(str(HUMANOID))
    world = p3d.NodePath("world")
    actor.reparent_to(world)
    cards = p3d.CardMaker("wall")
    # faces the actor, across its left
    cards.set_frame(-1, 1, 0, 1)
    wall = world.attach_new_node(cards.generate())
    wall.set_pos_hpr_scale(0.45, 0, 0, -90, 0, 0, 3, 0.2, 2)
    rig = ikrig.ActorRig(actor)
    touch = ikrig.Touch(rig, "left_hand", wall)
    palm = only(actor, "LeftHand")
    for k in range(90):
        actor.pose("idle", k)
        wall.set_y(-0.01 * k)
        wall.set_x(0.45 + 0.0005 * k)
        rig.update(TIME)
    assert touch.thing == wall
    assert abs((wall.get_x() - skin(actor)[palm][:, 0]).min()) < 0.005


def test_a_touch_that_is_refused_leaves_nothing_behind() -> None:
    walk = Walk("wall")
    empty = walk.ground.get_top().attach_new_node("empty")
    kinds = ikrig.Touch, ikrig.IKChain
    before = [x for x in walk.rig.layers if isinstance(x, kinds)]
    with pytest.raises(ikrig.BindError, match="neither collision solids nor"):
        ikrig.Touch(walk.rig, "right_hand", empty)
    assert [x for x in walk.rig.layers if isinstance(x, kinds)] == before
    assert not empty.get_num_children()
    walk.step()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [0.0, 1e-20, 1e20])
def test_an_actor_without_a_size_finds_nothing(size: float) -> None:
    walk = Walk("wall")
    for _ in range(30):
        walk.step()
    walk.actor.set_scale(size)
    for _ in range(3):
        walk.rig.update(TIME)
    assert walk.touch.thing is None
    walk.actor.set_scale(1.0)
    for _ in range(30):
        walk.step()
    assert walk.touch.thing == walk.ground


@pytest.mark.parametrize("name", ["robot", "abbot"])
def test_arms_that_end_in_bones_reach_and_touch(name: str) -> None:
    if catalog.find_file(name) is None:
        pytest.skip(f"{name} is not at hand: {catalog.missing(name)}")
    actor = catalog.load(name)
    world = p3d.NodePath("world")
    actor.reparent_to(world)
    rig = ikrig.ActorRig(actor)
    ball = world.attach_new_node("ball")
    reach = ikrig.Reach(rig, "left_hand", ball, radius=1e9)
    touch = ikrig.Touch(rig, "right_hand", world)
    # as long as the bones from the shoulder on, which the chain measures itself
    assert touch._arm_length == pytest.approx(touch.chain.reach, rel=0.01)
    rig.update(TIME)
    # between shoulder and hand
    start = reach.chain.bones[0].get_pos(world)
    way = reach.chain.leaf.get_pos(world) - start
    ball.set_pos(start + way * 0.6)
    for _ in range(120):
        rig.update(TIME)
    assert (reach.chain.leaf.get_pos(world) - ball.get_pos(world)).length() < (
        0.01 * way.length()
    )
