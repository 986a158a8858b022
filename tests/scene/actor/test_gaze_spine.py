"""The spine's part of a gaze, and gaze beside what else moves the upper body."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.characters.test_table import character

from .stage import HUMANOID

TIME = 1 / 60
CHESTS = {
    "humanoid": ("Spine2", "Head", (0, -1)),
    "nobody": ("Bone.004", "head", (0, -1)),
    "rebecca": ("torso", "head", (0, 1)),
    "ralph": ("Chest", "HeadBone", (0, -1)),
    "robot": ("joint8", "joint15", (1, 0)),
}


def axes(actor, joint: str) -> np.ndarray:
    """The axes of a joint in the Actor's space, in rows."""
    mat = p3d.LMatrix4f()
    actor.get_joints(jointName=joint)[0].get_net_transform(mat)
    rows = np.array(mat, dtype=float).reshape(4, 4)[:3, :3]
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def place(actor, joint: str) -> p3d.LPoint3f:
    mat = p3d.LMatrix4f()
    actor.get_joints(jointName=joint)[0].get_net_transform(mat)
    return p3d.LPoint3f(mat.get_row3(3))


def turned(now: np.ndarray, before: np.ndarray) -> float:
    """The angle between two sets of axes [degree]."""
    cosine = (np.trace(now @ np.linalg.inv(before)) - 1.0) / 2.0
    return math.degrees(math.acos(np.clip(cosine, -1.0, 1.0)))


class Person:
    """A character that looks at a ball."""

    def __init__(self, name: str, **settings) -> None:
        self.actor = character(name)
        self.world = p3d.NodePath("world")
        self.actor.reparent_to(self.world)
        self.chest, self.head, self.ahead = CHESTS[name]
        self.rig = ikrig.ActorRig(self.actor)
        self.ball = self.world.attach_new_node("ball")
        low, high = self.actor.get_tight_bounds()
        self.far = 30.0 * (high - low).length()
        self.eye = place(self.actor, self.head)
        self.rest = {j: axes(self.actor, j) for j in (self.chest, self.head)}
        self.put(0.0)
        self.look = ikrig.LookAt(self.rig, self.ball, **settings)

    def put(self, yaw: float, pitch: float = 0.0) -> None:
        """Put the ball at angles to the left and up [degree]."""
        a, b = math.radians(yaw), math.radians(pitch)
        x, y = self.ahead
        way = p3d.LVector3f(
            (x * math.cos(a) - y * math.sin(a)) * math.cos(b),
            (x * math.sin(a) + y * math.cos(a)) * math.cos(b),
            math.sin(b),
        )
        self.ball.set_pos(self.actor, self.eye + way * self.far)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / TIME)):
            self.rig.update(TIME)

    def turns(self) -> tuple[float, float]:
        """How far chest and head are turned from their rest [degree]."""
        chest, head = (
            turned(axes(self.actor, j), self.rest[j]) for j in (self.chest, self.head)
        )
        return chest, head


@pytest.mark.parametrize("name", CHESTS)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_spine_takes_three_tenths_from_thirty_degrees_on(name: str, side: float):
    person = Person(name)
    for yaw, pitch in ((30, 0), (45, 0), (60, 10), (75, 0), (40, 30)):
        person.put(side * yaw, pitch)
        person.run(4.0)
        chest, head = person.turns()
        assert head == pytest.approx(math.hypot(yaw, pitch), abs=8.0)
        assert 0.25 < chest / head < 0.35, (yaw, pitch)
    person.put(side * 8)
    person.run(4.0)
    chest, head = person.turns()
    assert head == pytest.approx(8.0, abs=0.5) and chest < 0.1 * head


def test_spine_joins_in_without_a_corner() -> None:
    person = Person("humanoid")
    chests = []
    for yaw in range(0, 81, 2):
        person.put(yaw)
        person.run(1.5)
        chest, head = person.turns()
        assert head == pytest.approx(yaw, abs=0.1)
        chests.append(chest)
    slopes = np.diff(chests) / 2.0
    # neck and head always turn on, too; a corner would be a step of 0.3 in the slope
    assert slopes.min() > -0.01 and slopes.max() < 0.6
    assert np.abs(np.diff(slopes)).max() < 0.1


@pytest.mark.parametrize("pace", [60.0, 200.0, 500.0])
def test_nothing_pops_when_the_ball_passes_behind(pace: float) -> None:
    person = Person("humanoid")
    joints = ("Spine", "Spine1", "Spine2", "Neck", "Head")
    before = None
    worst = 0.0
    for k in range(round(2.2 * 360.0 / pace / TIME)):
        person.put(60.0 + pace * k * TIME, 10.0)
        person.rig.update(TIME)
        now = [axes(person.actor, joint) for joint in joints]
        if before is not None:
            worst = max(worst, *map(turned, now, before))
        before = now
    # at most ``speed``, 6 rad/s
    assert worst < 1.05 * math.degrees(person.look.speed * TIME)


def test_head_faces_the_target_while_other_layers_move_the_spine(capfd) -> None:
    """Aim and Reach turn the same spine; the gaze corrects what they do."""
    actor = Actor(str(HUMANOID))
    world = p3d.NodePath("world")
    actor.reparent_to(world)
    rig = ikrig.ActorRig.auto(actor)
    rest = axes(actor, "Head")
    gun = rig.joint("RightHand").attach_new_node("gun")
    gun.set_hpr(actor, 0, 0, 0)
    gun.set_h(gun, 180)
    ball, cup = world.attach_new_node("ball"), world.attach_new_node("cup")
    ball.set_pos(2.5, -3, 1.6)
    cup.set_pos(0.25, -0.3, 1.2)
    look = ikrig.LookAt(rig, ball)
    aim = ikrig.Aim(rig, gun, ball, {"Spine2": 1, "RightArm": 2})
    body = ikrig.FullBody(rig)
    reach = ikrig.Reach(rig, "LeftHand", cup, body=body)
    for _ in range(300):
        rig.update(TIME)
    said = capfd.readouterr()
    assert "each read nodes" not in said.out + said.err
    way = np.array((0.0, -1.0, 0.0)) @ np.linalg.inv(rest) @ axes(actor, "Head")
    node = actor.expose_joint(None, "modelRoot", "RightEye")
    eyes = [place(actor, eye) for eye in ("LeftEye", "RightEye")]
    node.remove_node()
    wanted = ball.get_pos() - (eyes[0] + eyes[1]) / 2.0
    wanted.normalize()
    assert math.degrees(math.acos(min(1.0, way @ np.array(wanted)))) < 1.0
    line = world.get_relative_vector(gun, p3d.LVector3f(0, 1, 0))
    line.normalize()
    there = ball.get_pos() - gun.get_pos(world)
    there.normalize()
    assert math.degrees(line.angle_rad(there)) < 0.1
    assert (place(actor, "LeftHand") - cup.get_pos()).length() < 2e-3
    for layer in (look, aim, reach, body):
        layer.remove()
    assert all(isinstance(layer, ikrig.IKChain) for layer in rig.layers)


def test_aim_has_no_cycle_with_limbs_that_are_not_used(capfd) -> None:
    actor = Actor(str(HUMANOID))
    world = p3d.NodePath("world")
    actor.reparent_to(world)
    rig = ikrig.ActorRig.auto(actor)
    idle = ikrig.ActorRig.auto(second := Actor(str(HUMANOID)), weight=0.0)
    second.reparent_to(world)
    enemy = world.attach_new_node("enemy")
    enemy.set_pos(1, -3, 1.2)
    for each in (rig, idle):
        gun = each.joint("RightHand").attach_new_node("gun")
        ikrig.Aim(each, gun, enemy, {"RightArm": 1, "RightForeArm": 1})
        for _ in range(5):
            each.update(TIME)
    said = capfd.readouterr()
    assert "each read nodes" not in said.out + said.err
    # one that is in use turns what carries the gun, and reads what Aim has turned
    rig = ikrig.ActorRig.auto(third := Actor(str(HUMANOID)))
    third.reparent_to(world)
    gun = rig.joint("RightHand").attach_new_node("gun")
    ikrig.Aim(rig, gun, enemy, {"Spine2": 1, "RightArm": 2})
    rig.update(TIME)
    said = capfd.readouterr()
    assert "each read nodes" not in said.out + said.err
    rig["right_hand"].target.set_pos(0.3, -0.4, 1.2)
    rig.update(TIME)
    rig.update(TIME)
    said = capfd.readouterr()
    assert (said.out + said.err).count("each read nodes") == 1
