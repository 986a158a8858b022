"""Hands that grab: palms by the skin that Panda3D draws, joints as Panda3D has them."""

from __future__ import annotations

import json
from math import cos, sin

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor
from direct.showbase.MessengerGlobal import messenger
from direct.task import Task

import ikrig
from tests.scene.actor.stage import HUMANOID, net, nets, only, skin

TIME = 1 / 60
SHAPES = {
    "ball": lambda: p3d.CollisionSphere(0, 0, 0, 0.04),
    "bar": lambda: p3d.CollisionCapsule(0, 0, -0.5, 0, 0, 0.5, 0.015),
    "box": lambda: p3d.CollisionBox((0, 0, 0), 0.15, 0.1, 0.1),
}
GAPS = {
    "ball": lambda at: np.linalg.norm(at, axis=1) - 0.04,
    "bar": lambda at: np.linalg.norm(at[:, :2], axis=1) - 0.015,
    "box": lambda at: (np.abs(at) - (0.15, 0.1, 0.1)).max(axis=1),
}


class Person:
    """The humanoid in a scene, with a left hand that may grab."""

    def __init__(self, **settings) -> None:
        self.actor = Actor(str(HUMANOID))
        self.world = p3d.NodePath("world")
        self.actor.reparent_to(self.world)
        self.rig = ikrig.ActorRig(self.actor)
        settings = {"weight": 0.0, **settings}
        self.reach = ikrig.Reach(self.rig, "left_hand", **settings)
        self.frame = 0
        self.run(2)

    def run(self, frames: int) -> None:
        for _ in range(frames):
            self.actor.pose("idle", self.frame % self.actor.get_num_frames("idle"))
            self.rig.update(TIME)
            self.frame += 1

    def thing(self, name: str, *pos: float) -> p3d.NodePath:
        node = p3d.CollisionNode(name)
        node.add_solid(SHAPES[name]())
        thing = self.world.attach_new_node(node)
        thing.set_pos(*pos)
        return thing

    def gap(self, thing: p3d.NodePath) -> float:
        """How far the skin of the palm is from a thing, below 0 inside."""
        points = skin(self.actor)[only(self.actor, "LeftHand")]
        # a copy, since its rows are views
        turned = p3d.LMatrix4f(self.world.get_mat(thing))
        mat = np.array([tuple(row) for row in turned.rows])
        at = points @ mat[:3, :3] + mat[3, :3]
        return float(GAPS[thing.get_name()](at).min())


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("pos", [(0.3, -0.35, 1.2), (0.45, -0.2, 1.4)])
def test_palm_arrives_and_fingers_close_within_a_second(name, pos) -> None:
    person = Person()
    thing = person.thing(name, *pos)
    person.reach.grab(thing)
    assert not person.reach.holds and person.reach.thing == thing
    person.run(60)
    assert person.reach.holds
    # the humanoid's palm is not flat
    assert -0.004 < person.gap(thing) < 0.005
    hand = person.rig.hand("left_hand")
    assert hand.thing == thing
    assert len(hand.touching) == 3 or name == "box"
    held = person.gap(thing)
    for k in range(30):
        # as a door swings
        thing.set_pos(thing, 0, 0.002, 0.001)
        thing.set_h(1.5 * k)
        person.run(1)
        assert abs(person.gap(thing) - held) < 0.002


def test_no_joint_jumps_when_it_grabs_and_releases() -> None:
    person = Person()
    first = person.thing("ball", 0.3, -0.4, 1.2)
    second = person.thing("bar", 0.1, -0.35, 1.3)
    turns, before = [], None
    for k in range(160):
        if k == 5:
            person.reach.grab(first)
        if k == 55:
            person.reach.grab(second)
        if k == 110:
            person.reach.release()
        person.run(1)
        now = {}
        for name, mat in nets(person.actor).items():
            axes = mat[:3, :3]
            now[name] = axes / np.linalg.norm(axes, axis=1, keepdims=True)
        if before is not None:
            cosines = [(np.trace(now[j] @ before[j].T) - 1) / 2 for j in now]
            turns.append(np.degrees(np.arccos(np.clip(cosines, -1, 1))))
        before = now
    steps = np.array(turns)
    beside = np.maximum(steps[:-2], steps[2:])
    assert (steps[1:-1] <= 2 * beside + 0.3).all()
    assert steps.max() > 5.0


def test_release_leaves_nothing_and_returns_to_the_animation() -> None:
    person, other = Person(), Person()
    ball = person.thing("ball", 0.3, -0.4, 1.2)
    person.reach.grab(ball)
    person.run(50)
    far = np.abs(
        net(person.actor, "LeftHand")[3, :3] - net(other.actor, "LeftHand")[3, :3]
    )
    assert far.max() > 0.1
    person.reach.release()
    person.run(50)
    other.run(100)
    assert person.reach.thing is None and person.reach.target is None
    assert ball.get_num_children() == 0
    for name, mat in nets(other.actor).items():
        assert np.abs(net(person.actor, name) - mat).max() < 1e-4, name


def test_a_grip_has_point_axis_and_approach() -> None:
    person = Person()
    door = person.world.attach_new_node("door")
    door.set_pos_hpr(0.3, -0.4, 1.1, 30, 0, 0)
    ikrig.add_grip(door, "handle", point=(0, 0, 0.1), axis="x", approach=(0, 0, -1))
    person.reach.grab(door, "handle")
    places = []
    for _ in range(40):
        person.run(1)
        places.append(net(person.actor, "LeftHand")[3, :3])
    assert person.reach.holds
    # at last it came straight down
    way = places[29] - places[25]
    assert way[2] < 0 and np.linalg.norm(way[:2]) < 0.25 * abs(way[2])
    copy = door.copy_to(person.world)
    assert json.loads(copy.get_tag("ikrig-grips"))["handle"]["axis"] == "x"
    with pytest.raises(ikrig.SettingError, match="did you mean 'handle'"):
        person.reach.grab(door, "handel")
    with pytest.raises(ikrig.SettingError, match="no value 'aproach'"):
        ikrig.add_grip(door, "knob", aproach="x")
    assert person.reach.thing == door


def test_what_is_out_of_reach_is_said_with_the_distance() -> None:
    person = Person()
    ball = person.thing("ball", 0.3, -1.8, 1.3)
    person.reach.grab(ball)
    person.run(60)
    assert not person.reach.holds
    result = person.reach.result
    assert result.status is ikrig.SolveStatus.UNREACHABLE
    shoulder = net(person.actor, "LeftArm")[3, :3]
    far = float(result.detail.split(" is ")[1].split(" away")[0])
    # to the wrist of a hand that is at the ball
    assert abs(far - np.linalg.norm(shoulder - (0.3, -1.8, 1.3))) < 0.25
    assert "ball is" in result.detail


def test_a_hand_slides_along_a_bar_to_where_it_reaches() -> None:
    person = Person()
    bar = person.thing("bar", 0.3, -0.4, 1.2)
    person.reach.grab(bar)
    person.run(50)
    before = person.rig.joint("LeftHand").get_z(bar)
    for _ in range(40):
        bar.set_z(bar.get_z() - 0.01)
        person.run(1)
    assert person.rig.joint("LeftHand").get_z(bar) > before + 0.1
    assert -0.004 < person.gap(bar) < 0.005


def test_own_grips_are_checked_and_written(tmp_path) -> None:
    grips = {"knob": {"point": (0, 0, 0.1), "axis": "z", "length": 0.2}}
    person = Person(grips=grips)
    assert person.reach.grips["knob"] == ikrig.Grip((0, 0, 0.1), "z", length=0.2)
    text = ikrig.dump_rig(person.rig)
    assert "knob:" in text and "length: 0.2" in text
    with pytest.raises(ikrig.SettingError, match="no value 'pont'"):
        Person(grips={"knob": {"pont": (0, 0, 0)}})


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_drawn_stick_may_be_a_box_of_uneven_scale(side) -> None:
    person = Person()
    person.run(13)
    node = p3d.Loader.get_global_ptr().load_sync("models/box")
    stick = person.world.attach_new_node(node)
    x = 0.3 if side == "left" else -0.325
    stick.set_pos_hpr_scale(x, -0.4, 0.6, 0, 0, 0, 0.025, 0.025, 0.9)
    reach = ikrig.Reach(person.rig, f"{side}_hand", weight=0.0)
    reach.grab(stick)
    person.run(45)
    assert reach.holds and len(person.rig.hand(f"{side}_hand").touching) == 3
    points = skin(person.actor)[only(person.actor, f"{side.title()}Hand")]
    away = np.abs(points - (x + 0.0125, -0.3875, 1.05)) - (0.0125, 0.0125, 0.45)
    assert -0.004 < away.max(axis=1).min() < 0.005


def test_two_hands_hold_a_crate_that_is_lifted_and_turned() -> None:
    person = Person()
    crate = person.world.attach_new_node("crate")
    crate.set_pos(0, -0.38, 1.0)
    node = p3d.CollisionNode("crate")
    node.add_solid(p3d.CollisionBox((0, 0, 0), 0.16, 0.12, 0.12))
    crate.attach_new_node(node)
    hands = {"left": person.reach}
    hands["right"] = ikrig.Reach(person.rig, "right_hand", weight=0.0)
    for side, reach in hands.items():
        out = 1 if side == "left" else -1
        ikrig.add_grip(crate, side, point=(0.16 * out, 0, 0), approach=(-out, 0, 0))
        reach.grab(crate, side)
    person.run(50)
    assert all(reach.holds for reach in hands.values())
    before = {}
    for k in range(60):
        crate.set_pos(0, -0.38, 1.0 + 0.004 * k)
        crate.set_hpr(10 * np.sin(k / 10), 8 * np.sin(k / 14), 0)
        person.run(1)
        inverse = p3d.LMatrix4f(person.world.get_mat(crate))
        mat = np.array([tuple(row) for row in inverse.rows])
        points = skin(person.actor) @ mat[:3, :3] + mat[3, :3]
        for side in hands:
            palm = points[only(person.actor, f"{side.title()}Hand")]
            gap = (np.abs(palm) - (0.16, 0.12, 0.12)).max(axis=1).min()
            assert -0.004 < gap < 0.005
            assert abs(gap - before.setdefault(side, gap)) < 0.002


PATHS = {
    # places and rotations by time; with a body, also beyond the reach of the arms alone
    "box": lambda t, far: (
        (0.12 * far * sin(1.1 * t), -0.38 - 0.1 * far * (1 - cos(0.9 * t)),
         1.0 + 0.15 * sin(0.8 * t)),
        (20 * far * sin(1.3 * t), 12 * sin(0.9 * t), 12 * far * sin(1.7 * t)),
    ),
    "bar": lambda t, far: (
        (0.22 * sin(1.2 * t), -0.33 - 0.1 * far * sin(0.7 * t),
         1.05 + 0.2 * far * sin(0.9 * t)),
        (25 * far * sin(0.8 * t), 0, 35 * far * sin(1.1 * t)),
    ),
}  # fmt: skip
HOLDS = {
    "box": {
        "left": ikrig.Grip((0.15, 0, 0), approach=(-1, 0, 0)),
        "right": ikrig.Grip((-0.15, 0, 0), approach=(1, 0, 0)),
    },
    "bar": {
        "left": ikrig.Grip((0, 0, 0.25), axis="z", length=1.2),
        "right": ikrig.Grip((0, 0, -0.25), axis="z", length=0.1),
    },
}


@pytest.mark.parametrize("helped", [True, False])
@pytest.mark.parametrize("name", PATHS)
def test_both_hands_stay_on_a_thing_along_a_path(name, helped) -> None:
    """A body leans and steps, as one solve for both; without one, hands slide."""
    person = Person()
    rig, reaches = person.rig, {}
    person.reach.remove()
    body = {"body": ikrig.FullBody(rig)} if helped else {}
    for side in ("left", "right"):
        reaches[side] = ikrig.Reach(rig, f"{side}_hand", weight=0.0, **body)
    carrier = person.world.attach_new_node("carrier")
    thing = person.thing(name, 0, 0, 0)
    thing.reparent_to(carrier)
    if name == "bar":
        thing.set_r(90)
    for side, reach in reaches.items():
        carrier.set_pos(*PATHS[name](0.0, helped)[0])
        reach.grab(thing, HOLDS[name][side])
    person.run(60)
    assert all(reach.holds for reach in reaches.values())
    began = None
    for k in range(300):
        place, turn = PATHS[name](k * TIME, helped)
        carrier.set_pos(*place)
        carrier.set_hpr(*turn)
        person.run(1)
        if k % 5:
            continue
        turned = p3d.LMatrix4f(person.world.get_mat(thing))
        mat = np.array([tuple(row) for row in turned.rows])
        at = skin(person.actor) @ mat[:3, :3] + mat[3, :3]
        gaps = [
            float(GAPS[name](at[only(person.actor, f"{side.title()}Hand")]).min())
            for side in reaches
        ]
        began = began or gaps
        assert np.abs(np.subtract(gaps, began)).max() < 0.002, k
        assert all(-0.004 < gap < 0.005 for gap in gaps)


@pytest.mark.parametrize("act", ["remove", "grab", "target"])
def test_what_listens_may_act_when_the_hand_has_left(act):
    person, heard = Person(), []
    thing = person.thing("box", 0.3, -0.4, 1.2)

    def left(reach, what):
        heard.append(what)
        if act == "remove":
            reach.remove()
        elif act == "grab" and len(heard) < 3:
            reach.grab(thing)
        elif act == "target":
            reach.target = thing

    messenger.accept("ikrig-left", person, left)
    try:
        person.reach.grab(thing)
        person.run(60)
        person.reach.release()
        person.run(60)
        if act == "grab":
            assert person.reach.thing == thing
            person.reach.release()
            person.run(60)
    finally:
        messenger.ignore("ikrig-left", person)
    assert heard == [thing] * (2 if act == "grab" else 1)


def test_things_without_a_size_or_a_place_are_refused_and_leave_nothing():
    person = Person()
    for harm, words in (
        (lambda node: node.set_scale(0), "is scaled to 0, or"),
        (lambda node: node.set_scale(1, 1, 0), "is scaled to 0, or"),
        (lambda node: node.set_scale(1e30), "is scaled to 0, or"),
        (lambda node: node.set_pos(np.inf, 0, 0), "is scaled to 0, or"),
        (lambda node: node.reparent_to(p3d.NodePath("else")), "not in the scene of"),
    ):
        thing = person.thing("box", 0.3, -0.4, 1.2)
        harm(thing)
        for call in (person.reach.grab, person.rig.hand("left_hand").grasp):
            with pytest.raises(ikrig.BindError, match=words):
                call(thing)
        assert thing.get_num_children() == 0 and person.reach.thing is None
        thing.remove_node()
        person.run(1)


def test_a_thing_knows_how_it_is_held() -> None:
    """Its curves set weight and fingers; at the end of them it is released."""
    person = Person()
    ball = person.thing("ball", 0.3, -0.35, 1.2)
    curves = {"weight": [[0, 1], [0.5, 1], [0.9, 0]], "curl": [[0, 0.1], [0.5, 0.7]]}
    # at the very times of frames, and not in order
    cues = [[5.0, "never"], [18 * TIME, "opens"], [0.0, "turns"]]
    ikrig.add_grip(ball, "knob", seconds=0.3, events=cues, **curves)
    heard = []
    words = [*(f"ikrig-{word}" for word in ("touched", "held", "left"))]
    words += [word for _, word in cues]
    for word in words:
        messenger.accept(word, person, lambda *_, w=word: heard.append(w))
    try:
        person.reach.grab(ball)
        turns, weights, before = [], [], None
        for _ in range(110):
            person.run(1)
            now = {k: m[:3, :3] for k, m in nets(person.actor).items() if "Left" in k}
            if before is not None:
                cosines = [(np.trace(now[k] @ before[k].T) - 1) / 2 for k in now]
                turns.append(
                    float(np.degrees(np.arccos(np.clip(cosines, -1, 1))).max())
                )
            before = now
            weights.append(person.reach.weight)
    finally:
        for word in words:
            messenger.ignore(word, person)
    assert heard == ["ikrig-touched", "turns", "ikrig-held", "opens", "ikrig-left"]
    assert max(weights) == 1.0 and weights[-1] == 0.0 and 0.2 < weights[60] < 1.0
    assert person.reach.thing is None
    # no step stands out from those beside it
    for a, now, b in zip(turns, turns[1:], turns[2:], strict=False):
        assert now < 2.0 * max(a, b) + 0.5


@pytest.mark.parametrize("curve", [[], [[0, 2]], [[1, 0], [0, 1]], [[0]], "fast"])
def test_curves_of_grips_are_checked(curve) -> None:
    with pytest.raises(
        ikrig.SettingError, match=r"weight of a Grip must be None or a list"
    ):
        ikrig.Grip(weight=curve)


@pytest.mark.parametrize("events", [[], [[0.1]], [["now", "x"]], [[-1, "x"]], "x"])
def test_events_of_grips_are_checked(events) -> None:
    with pytest.raises(
        ikrig.SettingError, match=r"events of a Grip must be None or a list"
    ):
        ikrig.Grip(events=events)


def test_a_thing_may_be_let_go_by_its_own_event() -> None:
    person = Person()
    ball = person.thing("ball", 0.3, -0.35, 1.2)
    messenger.accept("lets go", person, lambda reach, _: reach.release(0.0))
    try:
        person.reach.grab(ball, ikrig.Grip(events=[[0.2, "lets go"]]))
        person.run(70)
    finally:
        messenger.ignore("lets go", person)
    assert person.reach.thing is None and person.reach.weight == 0.0


def test_a_thing_knows_how_it_is_reached() -> None:
    """The palm is where its curve has it along the approach, and then touches."""
    person = Person()
    ball = person.thing("ball", 0.3, -0.35, 1.2)
    # waits half way up to the 2nd second, and touches then
    curve = [[0, 0.5], [2.0, 0.5], [2.2, 1]]
    grip = ikrig.Grip(approach=(0, -1, 0), reach=curve, seconds=9.0)
    person.reach.grab(ball, grip)
    found = ikrig.ActorRig(Actor(str(HUMANOID))).hand("left_hand").found
    person.run(100)
    waits = person.gap(ball)
    person.run(10)
    assert abs(person.gap(ball) - waits) < 2e-3
    # half of the way that a hand keeps before things
    assert waits == pytest.approx(0.5 * 0.8 * found.length, abs=0.01)
    assert not person.reach.holds
    person.run(40)
    assert person.reach.holds and abs(person.gap(ball)) < 5e-3


def test_a_clip_gets_the_events_of_a_grip() -> None:
    """A recording has them at their times, and sends them when it is played."""
    person = Person()
    ball = person.thing("ball", 0.3, -0.35, 1.2)
    cues = [["touched", "rings"], [0.1, "opens"], ["held", "hums"], ["left", "shuts"]]
    heard: list[tuple[str, float]] = []
    names = ["ikrig-touched", "rings", "opens", "ikrig-held", "hums", "shuts"]
    recorder = ikrig.Recorder(person.rig).start(Task.TaskManager())
    for name in names:
        messenger.accept(
            name, person, lambda *_, w=name: heard.append((w, recorder.duration))
        )
    try:
        person.reach.grab(ball, ikrig.Grip(events=cues, seconds=0.3))
        for k in range(90):
            person.run(1)
            recorder.update(TIME)
            if k == 50:
                person.reach.release(0.3)
        clip = recorder.stop()
        assert sorted(names) == sorted(name for name, _ in heard)
        kept = {name: time for time, name in clip.events}
        assert set(kept) == {*names, "ikrig-left"}
        for name, time in heard:
            assert kept[name] == pytest.approx(time + TIME * (time > 0.0), abs=1e-6)
        heard.clear()
        player = ikrig.ClipPlayer(clip, person.rig)
        player.update(0.5 * clip.duration)
        player.update(clip.duration)
        assert [name for name, _ in heard] == [
            name for _, name in clip.events if name in names
        ]
    finally:
        for name in names:
            messenger.ignore(name, person)


def test_a_pull_beyond_its_strength_frees_a_thing() -> None:
    person = Person()
    ball = person.thing("ball", 0.3, -0.35, 1.2)
    person.reach.grab(ball, ikrig.Grip(strength=40.0))
    assert not person.reach.pull(100.0)
    person.run(60)
    assert person.reach.holds and not person.reach.pull(39.0)
    assert person.reach.pull(41.0)
    person.run(60)
    assert person.reach.thing is None and person.reach.weight == 0.0
    with pytest.raises(ikrig.SettingError, match="force must be"):
        person.reach.pull(-1.0)
