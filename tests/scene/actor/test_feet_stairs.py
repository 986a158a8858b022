"""FootPlacement on stairs: thighs rotate little faster than in the clip, hips rise.

The Actor itself jumps from stair to stair, as one does that a game puts on the ground.
Thighs are read from Panda3D; the clip alone, without a rig, is the measure.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig

from .course import FIGURES, leg_length, nets

RATE = 60.0
TREAD, RISE, STAIRS = 0.345, 0.2, 5  # in leg lengths; 0.29 m and 0.17 m of a person
CROUCH = 0.12  # as much shorter the straighter leg may be than on the flat [its length]
MOST = {"humanoid": 2.0, "panda": 3.2}  # times the largest step of a thigh in the clip


def straightness(joints: np.ndarray) -> float:
    bones = np.linalg.norm(np.diff(joints, axis=0), axis=1)
    return float(np.linalg.norm(joints[-1] - joints[0]) / bones.sum())


@functools.cache
def walk(
    name: str, rise: float, start: float, placed: bool = True
) -> tuple[float, np.ndarray]:
    """Walk over stairs; return the largest step of a thigh in a frame [rad].

    And the length of the straightest leg in each frame, as a fraction of its bones.

    Args:
        name: Which figure.
        rise: Of a stair [leg lengths]; negative: down.
        start: Where the first one is [leg lengths].
        placed: Whether feet are placed.
    """
    figure = FIGURES[name]
    actor = figure.make()
    try:
        actor.reparent_to(p3d.NodePath("render"))
        actor.set_blend(frameBlend=True)
        leg = leg_length(figure, actor)

        def height(x: float, y: float) -> float:
            stair = math.floor((-y / leg - start) / TREAD) + 1
            return rise * leg * min(max(stair, 0), STAIRS)

        rig = ikrig.ActorRig(actor)
        if placed:
            ikrig.FootPlacement(rig, height, stance=figure.stance)
        control = actor.get_anim_control("walk")
        ways, straight = [], []
        far = start + STAIRS * TREAD + 2.0
        for k in range(int(far * leg / figure.speed * RATE)):
            way = figure.speed * k / RATE
            actor.set_pos(0.0, -way, height(0.0, -way))
            control.pose(k / RATE * figure.rate % figure.frames)
            rig.update(1.0 / RATE)
            legs = [nets(actor, line[:3])[:, 3, :3] for line in figure.legs.values()]
            ways.append([leg[1] - leg[0] for leg in legs])
            straight.append(max(map(straightness, legs)))
        bones = np.array(ways[5:])
        bones /= np.linalg.norm(bones, axis=2, keepdims=True)
        sines = np.linalg.norm(np.cross(bones[1:], bones[:-1]), axis=2)
        cosines = np.einsum("nki,nki->nk", bones[1:], bones[:-1])
        return float(np.arctan2(sines, cosines).max()), np.array(straight)
    finally:
        actor.cleanup()


@pytest.mark.parametrize("rise", [RISE, -RISE], ids=["up", "down"])
@pytest.mark.parametrize("start", [2.5, 2.7])
@pytest.mark.parametrize("name", FIGURES)
def test_thighs_rotate_little_faster_than_in_the_clip(name, start, rise) -> None:
    assert walk(name, rise, start)[0] < MOST[name] * walk(name, 0.0, 2.5, False)[0]


@pytest.mark.parametrize("start", [2.5, 2.7])
def test_a_person_does_not_crouch_on_stairs(start) -> None:
    # someone stands on a leg nearly as straight as on the flat, hips follow that foot
    flat, up = (walk("humanoid", rise, start)[1] for rise in (0.0, RISE))
    assert np.quantile(up, 0.05) > np.quantile(flat, 0.05) - CROUCH
