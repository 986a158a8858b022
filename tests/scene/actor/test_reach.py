"""Reach, checked on Panda3D's own drawn joints."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig

from .people import FRAMES, TIME, Person, angle, locals_of, make_actor, most_apart, net

JOINTS = (
    ("hips", None, (0, 0, 1.0), (30, 0, 0)),
    ("waist", "hips", (0, 0, 0.1), (-30, 5, 0)),
    ("chest", "waist", (0, 0, 0.2), (0, -5, 0)),
    *(
        joint
        for side, x in (("l", 1), ("r", -1))
        for joint in (
            (f"arm {side}", "chest", (0.18 * x, 0, 0.15), (0, 0, 0)),
            (f"elbow {side}", f"arm {side}", (0.1 * x, 0.05, -0.25), (0, 20, 0)),
            (f"hand {side}", f"elbow {side}", (0.02 * x, 0, -0.27), (15 * x, 0, 0)),
        )
    ),
)
ARM = math.hypot(0.1, 0.05, 0.25) + math.hypot(0.02, 0.27)
CLIPS = {
    "swing": {
        "arm r": [(0, 30 * math.sin(2 * math.pi * k / 60), 0) for k in range(FRAMES)]
    },
    "fold": {"elbow r": [(0, 60, 20)]},
}
SHOULDER = p3d.LPoint3f(-0.18, 0, 1.45)


class Stage(Person):
    """A person in a world, and a target."""

    def __init__(self, **settings) -> None:
        super().__init__(JOINTS, CLIPS)
        self.put(0.5)
        self.reach = ikrig.Reach(self.rig, "hand r", self.target, **settings)

    def put(self, far: float, way=(-0.3, -1.0, -0.2)) -> None:
        """Put the target this many lengths of the arm from the shoulder."""
        self.shoulder = net(self.actor, "arm r").get_row3(3)
        direction = p3d.LVector3f(*way)
        direction.normalize()
        self.target.set_pos(self.actor, SHOULDER + direction * (far * ARM))

    def hand(self, joint: str = "hand r") -> p3d.LPoint3f:
        return self.place(joint)

    def missed(self, joint: str = "hand r", target=None) -> float:
        """How far the hand is from the target, in lengths of the arm."""
        goal = (target or self.target).get_pos(self.actor)
        return (self.hand(joint) - goal).length() / ARM


def test_elbow_does_not_pop_as_the_target_moves_away() -> None:
    stage = Stage()
    stage.put(0.5)
    stage.run(1.0)
    before, steps = None, []
    for k in range(400):
        stage.put(0.5 + 0.005 * k)
        stage.rig.update(TIME)
        now = np.array([tuple(stage.hand(x)) for x in ("elbow r", "hand r", "arm r")])
        if before is not None:
            steps.append(np.linalg.norm(now - before, axis=1).max() / ARM)
        before = now
    # the target goes 0.005 a frame; twice that, and where it gives up somewhat more
    assert max(steps) < 0.06


def test_arm_returns_to_the_animation_out_of_reach() -> None:
    stage, other = Stage(), make_actor(JOINTS)
    stage.run(1.0)
    stage.put(4.0)
    stage.run(3.0)
    assert most_apart(locals_of(stage.actor), locals_of(other)) < 1e-6
    stage.put(0.6)
    stage.run(2.0)
    assert stage.missed() < 2e-3


def test_hand_stays_on_a_moving_target() -> None:
    stage = Stage()
    for k in range(240):
        t = k * TIME
        way = (-0.3 + 0.4 * math.sin(3 * t), -1.0, 0.3 * math.sin(5 * t))
        stage.put(0.6 + 0.3 * math.sin(2 * t), way)
        stage.actor.pose("swing", k % FRAMES)
        stage.rig.update(TIME)
        if k > 90:
            assert stage.missed() < 2e-3


def test_hand_moves_smoothly_to_a_jumping_target() -> None:
    stage = Stage()
    stage.run(2.0)
    rng = np.random.default_rng(6)
    last = stage.hand()
    for k in range(240):
        if k % 40 == 0:
            stage.put(rng.uniform(0.4, 1.2), rng.uniform(-1, 1, 3) - (0.5, 1, 0))
        stage.rig.update(TIME)
        # two lengths of the arm in 0.3 s, at a spring's highest speed
        assert (stage.hand() - last).length() / ARM < 2 * 4.744 / 0.3 / math.e * TIME
        last = stage.hand()
    assert stage.missed() < 1e-2


def test_frame_rates_agree() -> None:
    paths = []
    for rate in (30, 60, 144):
        stage = Stage(seconds=0.5)
        stage.put(0.6)
        stage.reach.stop()
        stage.reach.start()
        found = []
        for k in range(2 * rate):
            stage.put(*[(0.6,), (1.1, (0.3, -1, 0.3))][k // rate])
            stage.rig.update(1 / rate)
            if (k + 1) % (rate // 6) == 0:
                found.append(tuple(stage.hand()))
        paths.append(np.array(found))
    whole = np.ptp(paths[2], axis=0).max()
    for other in paths[:2]:
        assert np.abs(other - paths[2]).max() < 0.01 * whole


def test_weight_and_release_fade() -> None:
    stage = Stage(weight=0.0)
    handle = stage.world.attach_new_node("handle")
    handle.set_pos(stage.target.get_pos())
    stage.run(0.1)
    before = stage.hand()
    stage.reach.target = handle
    stage.reach.fade(1.0, 0.5)
    last, fastest = before, 0.0
    for _ in range(33):
        stage.rig.update(TIME)
        fastest = max(fastest, (stage.hand() - last).length())
        last = stage.hand()
    assert stage.missed(target=handle) < 2e-3
    assert fastest < 3.0 * (last - before).length() * TIME / 0.5
    stage.reach.release(0.5)
    stage.run(0.25)
    assert 0.1 * ARM < (stage.hand() - before).length() < 0.9 * (last - before).length()
    stage.run(0.3)
    assert (stage.hand() - before).length() < 1e-4 * ARM
    assert stage.reach.chain.weight == 0.0


def test_two_hands_hold_a_moving_rotating_box() -> None:
    stage = Stage(orientation_mode="target")
    box = stage.actor.attach_new_node("box")
    box.set_pos(0, -0.35, 1.2)
    grips = {}
    reaches = {"r": stage.reach}
    reaches["l"] = ikrig.Reach(stage.rig, "hand l", orientation_mode="target")
    for side, reach in reaches.items():
        target_offset = grips[side] = box.attach_new_node(side)
        target_offset.set_pos(0.12 if side == "l" else -0.12, 0, 0)
        reach.target = target_offset
    stage.run(2.0)
    rotations = {}
    for k in range(120):
        box.set_hpr(25 * math.sin(k / 20), 15 * math.sin(k / 13), 0)
        box.set_pos(0.05 * math.sin(k / 9), -0.35 + 0.05 * math.sin(k / 17), 1.2)
        stage.rig.update(TIME)
        for side, target_offset in grips.items():
            assert stage.missed(f"hand {side}", target_offset) < 2e-3
            # each hand keeps how it is turned against the box
            inverse = p3d.LMatrix4f(box.get_mat(stage.actor))
            inverse.invert_in_place()
            held = (net(stage.actor, f"hand {side}") * inverse).get_upper_3()
            rotations.setdefault(side, held)
            assert all(
                angle(held.get_row(i), rotations[side].get_row(i)) < 2e-3
                for i in range(3)
            )


def test_removed_target_is_released_smoothly(capfd) -> None:
    stage, other = Stage(), make_actor(JOINTS)
    stage.run(1.0)
    stage.target.remove_node()
    last = stage.hand()
    for _ in range(180):
        stage.rig.update(TIME)
        assert (stage.hand() - last).length() < 0.15 * ARM
        last = stage.hand()
    assert most_apart(locals_of(stage.actor), locals_of(other)) < 1e-6
    assert "".join(capfd.readouterr()).count("Reach") == 1


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"body": "whole"}, ["body must be a FullBody", "'whole'"]),
        ({"root_joint": "arm l"}, ["'arm l' is not above 'hand r'"]),
        ({"seconds": math.inf}, ["seconds", "inf"]),
        ({"radius": -1}, ["radius"]),
        ({"orientation_mode": "grip"}, ["orientation_mode"]),
        ({"sofen": 0.1}, ["did you mean 'soften'"]),
    ],
)
def test_errors_are_named_and_leave_nothing_behind(settings, words) -> None:
    actor = make_actor(JOINTS)
    rig = ikrig.ActorRig(actor)
    with pytest.raises(ikrig.IkrigError) as caught:
        ikrig.Reach(rig, "hand r", **settings)
    for word in words:
        assert word in str(caught.value)
    assert rig.layers == ()
    assert actor.find("**/* Goal").is_empty()


@pytest.mark.parametrize("moved", [False, True])
def test_a_grip_on_its_own_body_does_not_jump(moved: bool) -> None:
    """A gun that swings fast stays in the other hand, until the game moves it."""
    flips = {"arm r": [(60.0 * (k % 2) - 30.0, 0, 0) for k in range(FRAMES)]}
    actor = make_actor(JOINTS, {"flip": flips})
    world = p3d.NodePath("world")
    actor.reparent_to(world)
    rig = ikrig.ActorRig(actor)
    gun = rig.joint("arm r").attach_new_node("gun")
    grip = gun.attach_new_node("grip")
    grip.set_pos(0, -0.12, 0)
    ikrig.Reach(rig, "hand l", grip, seconds=0.1)
    missed, steps = [], []
    before = None
    for k in range(40):
        if moved and k == 39:
            # by more than 10 lengths of the arm in a second
            gun.set_z(-0.15)
        actor.pose("flip", k)
        rig.update(TIME)
        goal = grip.get_pos(actor)
        missed.append((net(actor, "hand l").get_row3(3) - goal).length() / ARM)
        steps.append((goal - before).length() / ARM if before is not None else 0.0)
        before = goal
    assert min(steps[1:]) > 10.0 * TIME
    assert max(missed[25:39]) < 1e-3
    assert missed[39] > 0.1 if moved else missed[39] < 1e-3
