"""Bodies of a crowd's members, compared with those of Actors."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.kernels import COMPILED

from .twins import TIME, Twin, make, plain_of

ENDS = "left_hand", "right_hand", "head", "left_foot"
FRAMES = 300 if COMPILED else 60


def lead(crowd: ikrig.Crowd, body: object, frame: int) -> None:
    """Let members walk on, and their handles go round points before them.

    The right hand reaches down to the ground, the head is led for a while, and a foot
    comes off the ground.
    """
    t = frame * TIME
    i = np.arange(len(crowd))
    crowd.positions[:, 0] = 4.0 * i + 0.3 * math.sin(2.0 * t)
    crowd.headings[:] = i + 0.5 * math.sin(1.3 * t)
    size = crowd.scales
    c, s = np.cos(crowd.headings), np.sin(crowd.headings)
    places = {
        "left_hand": (
            0.3,
            0.5 + 0.2 * math.sin(3.0 * t),
            1.3 + 0.4 * math.cos(2.0 * t),
        ),
        "right_hand": (-0.2, 0.5, 0.7 - 0.6 * math.sin(1.1 * t)),
        "head": (0.1, -0.1, 1.5),
        "left_foot": (0.15, 0.2 * math.sin(t), 0.3),
    }
    for name, (x, y, z) in places.items():
        rows = np.column_stack([c * x - s * y, s * x + c * y, np.full(len(i), z)])
        body[name].targets = crowd.positions + size[:, None] * rows
    body["left_hand"].weights = np.minimum(1.0, 0.02 * frame + 0.0 * i)
    body["right_hand"].weights = np.full(len(i), 1.0 if frame > 30 else 0.0)
    body["head"].weights = np.full(len(i), 0.5 if 80 < frame < 160 else 0.0)
    body["left_foot"].weights = np.full(len(i), 1.0 if frame > 200 else 0.0)
    body.weights = np.full(len(i), 0.4 if 240 < frame < 270 else 1.0)


def led(count: int = 4) -> tuple[ikrig.Crowd, object]:
    crowd = make("humanoid", count)
    crowd.scales[:] = np.linspace(0.7, 1.4, count)
    crowd.play("walk", phase=np.linspace(0, 1, count))
    return crowd, crowd.body(spine_stiffness=1.5)


class BodyTwin(Twin):
    """An Actor whose body gets what a member's gets."""

    def __init__(self, crowd: ikrig.Crowd, i: int) -> None:
        super().__init__(crowd, "humanoid", i)
        self.body = ikrig.FullBody(self.rig, spine_stiffness=1.5)
        for name in ENDS:
            self.body[name].target = self.world.attach_new_node(name)
            self.body[name].weight = 0.0

    def follow(self, body: object, dt: float = TIME) -> None:
        for name in sorted(ENDS, key=lambda x: -body[x].weights[self.i]):
            self.body[name].target.set_pos(*body[name].targets[self.i])
            self.body[name].weight = body[name].weights[self.i]
        self.body.weight = body.weights[self.i]
        self.frame(dt)


def test_they_follow_their_handles_as_those_of_actors_do():
    crowd, body = led()
    twins = [BodyTwin(crowd, i) for i in (1, 3)]
    moved = 0.0
    for frame in range(FRAMES):
        lead(crowd, body, frame)
        crowd.update(TIME)
        for twin in twins:
            twin.follow(body)
            assert twin.away() < 1e-4, frame
        if frame >= 50:
            hand = crowd.joint_positions("left_hand")
            error = np.linalg.norm(hand - body["left_hand"].targets, axis=1)
            moved = max(moved, float((error / crowd.scales).max()))
    # it is led at all, but for frames in which the body has less weight
    assert 0.0 < moved < 0.6


@pytest.mark.parametrize("body_first", [True, False])
def test_with_feet_on_slopes_and_gazes_they_are_as_those_of_actors(body_first):
    crowd = make("humanoid", 3)
    crowd.scales[:] = 1.0
    crowd.play("walk", phase=np.linspace(0, 1, 3))
    body = crowd.body(spine_stiffness=1.5) if body_first else None
    slope = p3d.NodePath("slope")
    floor = p3d.CollisionNode("floor")
    corners = [p3d.Point3(*at) for at in ((-50, -50, -5), (50, -50, 5), (50, 50, 5))]
    floor.add_solid(p3d.CollisionPolygon(*corners, p3d.Point3(-50, 50, -5)))
    slope.attach_new_node(floor)
    slope.reparent_to(crowd.parent)
    crowd.feet.ground = slope
    crowd.look.weights[:] = 1.0
    body = body or crowd.body(spine_stiffness=1.5)
    twin = Twin(crowd, "humanoid", 1)
    twin.feet = ikrig.FootPlacement(twin.rig, slope.copy_to(twin.world))
    twin.gaze()
    theirs = ikrig.FullBody(twin.rig, spine_stiffness=1.5)
    theirs["left_hand"].target = target = twin.world.attach_new_node("hand")
    for frame in range(FRAMES // 2):
        t = frame * TIME
        crowd.positions[:, 0] = np.arange(3) + 0.4 * t
        crowd.positions[:, 2] = 0.1 * crowd.positions[:, 0]
        crowd.look.targets = crowd.positions + np.array((0.5, 2.0, 1.0))
        ahead = np.array((0.3, 0.5, 0.9 + 0.3 * math.sin(t)))
        body["left_hand"].targets = crowd.positions + ahead
        body["left_hand"].weights[:] = 1.0
        target.set_pos(*body["left_hand"].targets[1])
        crowd.update(TIME)
        twin.frame()
        assert twin.away() < 1e-4, frame


def test_handles_are_pinned_and_released():
    crowd, body = led()
    assert list(body) and {*ENDS} <= {*body}
    for _ in range(60):
        lead(crowd, body, 61)
        crowd.update(TIME)
    plain = plain_of(crowd)
    plain.update(0.0)
    feet = [each.joint_positions("RightFoot") for each in (crowd, plain)]
    assert np.abs(feet[0] - feet[1]).max() < 2e-3
    body.release("right_foot")
    for _ in range(60):
        lead(crowd, body, 61)
        crowd.update(TIME)
    body.pin("right_hand")
    assert body._layer.pinned[list(body).index("right_hand")] == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"left_hand": p3d.NodePath("ball")}, "arrays"),
        ({"lock": "left_hand"}, "lock"),
        ({"limbs": {"left_hand": ("LeftArmm", "LeftHand")}}, "LeftArm"),
    ],
)
def test_misuse_is_one_clear_error(settings, words):
    with pytest.raises(ikrig.BindError, match=words):
        make("humanoid").body(**settings)


def test_a_limb_and_a_body_do_not_move_the_same_joints():
    crowd = make("humanoid")
    crowd.limb("left_hand")
    with pytest.raises(ikrig.BindError, match="move 'LeftArm'"):
        crowd.body()
    crowd = make("humanoid")
    body = crowd.body()
    with pytest.raises(ikrig.BindError, match="move 'LeftArm'"):
        crowd.limb("left_hand")
    with pytest.raises(ikrig.BindError, match="a body already"):
        crowd.body()
    with pytest.raises(ikrig.BindError, match="left_hand"):
        body["left_hnd"]
    crowd.update(TIME)
    assert not crowd.bad.any()


def test_a_body_keeps_no_state_that_is_not_finite():
    crowd = make("humanoid", 2)
    body = crowd.body()
    body["left_hand"].weights[:] = 1.0
    body["left_hand"].targets = crowd.positions + np.array([0.0, -0.5, 1.0])
    crowd.update(TIME)
    states, size = body._layer.states, crowd.scales[0]
    # targets of a member that is so small are beyond all bounds
    crowd.scales[0] = 1e-300
    for _ in range(3):
        crowd.update(TIME)
        assert np.isfinite(states).all() and np.isfinite(crowd.palette).all()
    crowd.scales[0] = size
    crowd.update(TIME)
    # it is led again
    assert states[0, 0] > 0.0
