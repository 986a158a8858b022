"""Hits: how far and how fast a body gives way, beside a twin that is not hit."""

from __future__ import annotations

from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.body_paths import HUMANOID, angles

SIZE = 1.75
HITS = {
    "Spine2": ((0, 1, 0), 0.1), "Head": ((1, 0.3, 0), 0.08),
    "LeftHand": ((0, 1, 0.3), 0.15), "Hips": ((-1, 0.2, 0), 0.08),
    "LeftLeg": ((0, 1, 0), 0.08), "RightForeArm": ((1, 1, 0), 0.1),
}  # fmt: skip


class Pair:
    """A figure that is hit, and its twin."""

    def __init__(self, clip: str = "idle", **settings: Any) -> None:
        self.world = p3d.NodePath("world")
        self.actors = [Actor(str(HUMANOID)) for _ in range(2)]
        for actor in self.actors:
            actor.reparent_to(self.world)
            actor.pose(clip, 7)
        self.rig = ikrig.ActorRig(self.actors[0])
        self.reaction = ikrig.HitReaction(self.rig, **settings)
        self.joints = list(self.rig.skeleton.parents)
        self.twin = [
            self.actors[1].expose_joint(None, "modelRoot", j) for j in self.joints
        ]
        self.rig.update(0.0)
        self.actors[1].update(force=True)

    def at(self, joint: str) -> np.ndarray:
        return np.array(self.rig.joint(joint).get_pos(self.world))

    def away(self, *joints: str) -> np.ndarray:
        """Return how far joints are from the twin's, (n, 3)."""
        found = []
        for joint in joints or self.joints:
            twin = self.twin[self.joints.index(joint)].get_pos(self.world)
            found.append(self.at(joint) - np.array(twin))
        return np.array(found)

    def run(self, seconds: float, fps: float = 60.0) -> np.ndarray:
        """Run frames; return how far all joints are away in each, (frames, n, 3)."""
        found = []
        for _ in range(round(seconds * fps)):
            self.rig.update(1.0 / fps)
            found.append(self.away())
        assert np.isfinite(found).all()
        return np.array(found)


@pytest.mark.parametrize("joint", HITS)
def test_joint_moves_by_the_strength_and_comes_back(joint: str) -> None:
    way, strength = HITS[joint]
    pair = Pair()
    pair.reaction.hit(joint, way, strength)
    found = pair.run(1.5, 240.0)
    path = found[:, pair.joints.index(joint)]
    along = path @ (np.array(way) / np.linalg.norm(way))
    assert along.max() == pytest.approx(strength, rel=0.02)
    assert along.argmax() / 240.0 == pytest.approx(0.6 / 7.0, abs=0.02)
    # to the side it does not move
    assert np.abs(np.linalg.norm(path, axis=1) - np.abs(along)).max() < 0.002
    assert np.abs(path[144:]).max() < 0.03 * strength
    assert pair.reaction._idle and np.abs(found[-1]).max() < 1e-5


@pytest.mark.parametrize("joint", ["Spine2", "LeftHand"])
def test_frame_rate_does_not_matter(joint: str) -> None:
    found = []
    for fps in (30.0, 60.0, 240.0):
        pair = Pair()
        pair.reaction.hit(joint, *HITS[joint])
        found.append(pair.run(0.7, fps)[int(fps / 30) - 1 :: int(fps / 30)])
    place = pair.joints.index(joint)
    for one in found[1:]:
        assert np.abs(one - found[0])[:, place].max() < 5e-4
        # how fast arms follow is not exact
        assert np.abs(one - found[0]).max() < 0.02


def test_feet_stay_and_the_hit_runs_through_the_body() -> None:
    pair = Pair()
    pair.reaction.hit("Spine2", (0, 1, 0), 0.1)
    found = np.linalg.norm(pair.run(0.6), axis=2)
    most = dict(zip(pair.joints, found.max(axis=0), strict=True))
    assert most["LeftFoot"] < 1e-3 and most["RightFoot"] < 1e-3
    for joint in ("Hips", "Head", "LeftHand", "LeftLeg"):
        assert most[joint] > 0.01


def test_head_stays_behind() -> None:
    pair = Pair()
    nodes = [pair.rig.joint(joint) for joint in ("Spine2", "Head")]

    def turns() -> np.ndarray:
        return np.array([tuple(node.get_quat(pair.world)) for node in nodes])

    before, ratios = turns(), []
    pair.reaction.hit("Spine2", (0, 1, 0), 0.1)
    for _ in range(12):
        pair.rig.update(1 / 60)
        chest, head = angles(before, turns())
        ratios.append(head / chest)
    # at first the chest turns, then the head with it
    assert ratios[0] < 0.5 and ratios[-1] > ratios[0] + 0.3


def test_direction_and_strength_are_those_of_the_world() -> None:
    pair = Pair()
    for actor in pair.actors:
        actor.set_hpr_scale(90, 0, 0, 2, 2, 2)
    pair.rig.update(0.0)
    pair.actors[1].update(force=True)
    pair.reaction.hit("Spine2", (0, 3, 0), 0.1)
    path = pair.run(0.3)[:, pair.joints.index("Spine2")]
    assert path.max(axis=0) == pytest.approx((0, 0.1, 0), abs=0.003)


def test_many_hits_are_bounded() -> None:
    pair = Pair("walk")
    rng = np.random.default_rng(3)
    for _ in range(60):
        for _ in range(3):
            joint = rng.choice(["Spine2", "Head", "LeftLeg", "RightHand", "Hips"])
            pair.reaction.hit(str(joint), rng.normal(size=3), float(rng.uniform(0, 9)))
        found = pair.run(1 / 60)
        assert np.linalg.norm(found, axis=2).max() < SIZE
        for side in ("Left", "Right"):
            for line in (("UpLeg", "Leg", "Foot"), ("Arm", "ForeArm", "Hand")):
                a, b, c = (pair.at(side + joint) for joint in line)
                cosine = (b - a) @ (c - b)
                cosine /= np.linalg.norm(b - a) * np.linalg.norm(c - b)
                assert np.degrees(np.arccos(cosine)) < 160.0
    pair.run(2.0)
    assert pair.reaction._idle and np.abs(pair.away()).max() < 1e-5


def test_a_hand_that_holds_on_stays() -> None:
    pair = Pair()
    goal = pair.world.attach_new_node("goal")
    goal.set_pos(0.35, -0.35, 1.2)
    pair.rig.chain("LeftHand", target=goal)
    pair.rig.update(1 / 60)
    pair.reaction.hit("Spine2", (0, 1, 0), 0.08)
    most = 0.0
    for _ in range(40):
        pair.rig.update(1 / 60)
        gap = pair.at("LeftHand") - np.array(goal.get_pos())
        assert np.linalg.norm(gap) < 2e-3
        most = max(most, float(np.linalg.norm(pair.away("Spine2"))))
    assert most == pytest.approx(0.08, rel=0.05)


def test_errors_and_nothing() -> None:
    pair = Pair()
    hit: Any = pair.reaction.hit
    with pytest.raises(ikrig.BindError, match=r"no joint 'Spne2'.*Spine2"):
        hit("Spne2", (0, 1, 0), 0.1)
    for way in ((0, 0, 0), (0, np.nan, 0), (1, 0), "up"):
        with pytest.raises(ikrig.SettingError, match="direction"):
            hit("Spine2", way, 0.1)
    for strength in (-1.0, np.inf, None):
        with pytest.raises(ikrig.SettingError, match="strength"):
            hit("Spine2", (0, 1, 0), strength)
    hit("Spine2", (0, 1, 0), 0.0)
    assert pair.reaction._idle
    pair.reaction.weight = 0.0
    hit("Spine2", (1e300, 0, 0), 0.1)
    pair.rig.update(1 / 60)
    pair.reaction.weight = 1.0
    assert pair.reaction._idle and np.abs(pair.run(0.1)).max() < 1e-5
