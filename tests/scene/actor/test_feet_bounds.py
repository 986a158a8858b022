"""FootPlacement on legs of more than two bones, harmed for one frame.

Joints are read from Panda3D, in the Actor's space; a second Actor without a rig is the
animation. Bones keep their lengths, so that no leg is beyond its reach, hips stay
within the height of a step, and the frame after the harm is as good as any other.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.interpreted import interpreted_kernel

from .people import FRAMES, make_actor, net
from .test_twist_joints import LEG, make_person

STILL = (0.0, 0.0, 0.0)
SPEED = 0.5  # of the Actor
STEP = 0.5  # the highest step, in leg lengths: the default of step_height
WARM, AFTER = 12, 36  # frames before the harm, and until it is forgotten
SLIP = 0.3  # of a foot that is held: the default of lock_distance [leg lengths]
DTS = (5.0, math.inf, math.nan, -1.0)
ANSWERS = (math.nan, math.inf, 1e30, -1e30, ValueError("no ground"))
FAR = 1e6


def make_animal(hips: list[tuple[str, Any]], bones: list[Any]) -> Actor:
    """An animal whose legs all have these bones, and swing one after the other."""
    joints: list[Any] = [("body", None, (0.0, 0.0, 1.0), STILL)]
    moves = {}
    for i, (leg, place) in enumerate(hips):
        above = "body"
        outward = math.copysign(1.0, place[0])
        for k, (x, y, z) in enumerate([STILL, *bones]):
            name = f"{leg}{k}"
            own = place if k == 0 else (outward * x, y, z)
            joints.append((name, above, own, STILL))
            above = name
        turns = [2.0 * math.pi * (k / FRAMES + i / len(hips)) for k in range(FRAMES)]
        moves[f"{leg}0"] = [(0.0, 15.0 * math.sin(turn), 0.0) for turn in turns]
        moves[f"{leg}1"] = [(0.0, 10.0 * math.cos(turn), 0.0) for turn in turns]
    return make_actor(joints, {"walk": moves})


def make_digitigrade() -> Actor:
    hips = [(f"{side}{y}", (x, y, 0.0)) for side, x in (("l", 0.2), ("r", -0.2))
            for y in (-0.6, 0.6)]  # fmt: skip
    return make_animal(
        hips, [(0.0, -0.15, -0.35), (0.0, 0.25, -0.3), (0.0, -0.1, -0.35)]
    )


def make_insect() -> Actor:
    hips = [(f"{side}{y}", (x, y, 0.0)) for side, x in (("l", 0.1), ("r", -0.1))
            for y in (-0.4, 0.0, 0.4)]  # fmt: skip
    return make_animal(
        hips, [(0.2, 0.0, 0.1), (0.5, 0.0, 0.2), (0.3, 0.0, -0.6), (0.1, 0.0, -0.7)]
    )


def lines(animal: Callable[[], Actor]) -> list[list[str]]:
    """Joints of each leg, from the hip to the foot."""
    if animal is make_twisted:
        names = [name for name, _, _ in LEG[:5]]
        return [[f"DEF-{name}".format(side) for name in names] for side in "LR"]
    actor = animal()
    names = [joint.get_name() for joint in actor.get_joints()]
    feet = [
        n for n in names if n != "body" and f"{n[:-1]}{int(n[-1]) + 1}" not in names
    ]
    actor.cleanup()
    return [[f"{foot[:-1]}{k}" for k in range(int(foot[-1]) + 1)] for foot in feet]


def make_twisted() -> Actor:
    """A person whose thighs and shins are halved, as those of a generated rig."""
    return make_person(loose=False)


ANIMALS = [make_digitigrade, make_insect, make_twisted]


class Ground:
    """Flat ground that answers with ``answer`` instead, and counts its calls."""

    def __init__(self) -> None:
        self.answer: Any = 0.0
        self.calls = 0

    def __call__(self, x: float, y: float) -> Any:
        self.calls += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Walk:
    """An animal that walks, beside another one that is only animated."""

    def __init__(self, animal: Callable[[], Actor]) -> None:
        self.top = p3d.NodePath("top")
        self.actor, self.plain = animal(), animal()
        self.legs = lines(animal)
        self.ground = Ground()
        for one in (self.actor, self.plain):
            one.reparent_to(self.top)
            one.set_blend(frameBlend=True)
        self.rig = ikrig.ActorRig(self.actor)
        feet = [leg[-1] for leg in self.legs]
        bones = len(self.legs[0]) - 1
        given = {} if animal is make_twisted else {"chain_length": bones}
        ikrig.FootPlacement(self.rig, self.ground, feet, **given)
        self.frame = 0

    def step(self, dt: float = 1 / 60, at: float = 0.0) -> None:
        self.frame += 1
        time = self.frame / 60
        for one in (self.actor, self.plain):
            one.get_anim_control("walk").pose(time * FRAMES % (FRAMES - 1))
        self.actor.set_pos(at, at - SPEED * time, 0.0)
        self.ground.calls = 0
        self.rig.update(dt)
        self.plain.get_part_bundle("modelRoot").force_update()

    def points(self, actor: Actor) -> list[np.ndarray]:
        """Positions of each leg's joints, in the Actor's space."""
        return [
            np.array([net(actor, joint).get_row3(3) for joint in leg])
            for leg in self.legs
        ]

    def check(self, near: float) -> None:
        """The pose is finite and within the legs' range; feet are on flat ground."""
        for placed, animated in zip(
            self.points(self.actor), self.points(self.plain), strict=True
        ):
            assert np.isfinite(placed).all()
            bones = [
                np.linalg.norm(np.diff(p, axis=0), axis=1) for p in (placed, animated)
            ]
            assert bones[0] == pytest.approx(bones[1], abs=1e-4)
            leg = bones[1].sum()
            assert abs(placed[0, 2] - animated[0, 2]) <= STEP * leg + near
            assert placed[-1, 2] >= animated[-1, 2] - near

    def close(self) -> None:
        self.rig.detach()
        for one in (self.actor, self.plain):
            one.cleanup()


@functools.cache
def unharmed(animal: Callable[[], Actor]) -> list[np.ndarray]:
    walk = Walk(animal)
    for _ in range(WARM + 1 + AFTER):
        walk.step()
    points = walk.points(walk.actor)
    walk.close()
    return points


@pytest.fixture(params=ANIMALS, ids=lambda make: make.__name__[5:])
def walk(request):
    made = Walk(request.param)
    for _ in range(WARM):
        made.step()
        made.check(0.02)
    yield made
    # the next frames are right, and what the harm changed is forgotten
    made.ground.answer = 0.0
    for k in range(AFTER):
        made.step()
        if k < 2:
            made.check(0.03)
    for ours, theirs in zip(
        made.points(made.actor), unharmed(request.param), strict=True
    ):
        leg = np.linalg.norm(np.diff(theirs, axis=0), axis=1).sum()
        # feet that were put down anew may be elsewhere in their step
        assert ours[:, 2] == pytest.approx(theirs[:, 2], abs=0.05 * leg)
        assert np.linalg.norm(ours[-1] - theirs[-1]) <= SLIP * leg
    made.close()


@pytest.mark.parametrize("dt", DTS)
def test_a_frame_of_any_duration(walk: Walk, dt: float) -> None:
    walk.step(1 / 120)
    piece = walk.ground.calls
    walk.frame -= 1
    walk.step(dt)
    walk.check(0.03)
    # a piece looks ahead for each foot, and along the slope: not always equally far
    assert walk.ground.calls <= 1.5 * interpreted_kernel("feet").PIECES * piece


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_a_frame_of_bad_ground(walk: Walk, answer: Any) -> None:
    walk.ground.answer = answer
    walk.step()
    walk.check(0.03)


def test_an_actor_far_away_for_a_frame(walk: Walk) -> None:
    walk.step(at=FAR)
    # numbers of single precision are 0.06 apart there
    walk.check(0.2)
