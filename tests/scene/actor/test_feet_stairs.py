"""FootPlacement on stairs: thighs rotate little faster than on flat ground.

The Actor itself jumps from stair to stair, as one does that a game puts on the ground.
Thighs are read from Panda3D; the walk on the flat, with the same rig, is the measure.
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
MOST = 2.0  # times the largest step of a thigh on the flat


@functools.cache
def walk(name: str, rise: float, start: float) -> float:
    """Walk over stairs; return the largest step of a thigh in a frame [rad].

    Args:
        name: Which figure.
        rise: Of a stair [leg lengths]; negative: down.
        start: Where the first one is [leg lengths].
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
        ikrig.FootPlacement(rig, height, stance=figure.stance)
        control = actor.get_anim_control("walk")
        ways = []
        far = start + STAIRS * TREAD + 2.0
        for k in range(int(far * leg / figure.speed * RATE)):
            way = figure.speed * k / RATE
            actor.set_pos(0.0, -way, height(0.0, -way))
            control.pose(k / RATE * figure.rate % figure.frames)
            rig.update(1.0 / RATE)
            legs = [nets(actor, list(line[:2])) for line in figure.legs.values()]
            ways.append([knee[3, :3] - hip[3, :3] for hip, knee in legs])
        bones = np.array(ways[5:])
        bones /= np.linalg.norm(bones, axis=2, keepdims=True)
        sines = np.linalg.norm(np.cross(bones[1:], bones[:-1]), axis=2)
        cosines = np.einsum("nki,nki->nk", bones[1:], bones[:-1])
        return float(np.arctan2(sines, cosines).max())
    finally:
        actor.cleanup()


@pytest.mark.parametrize("rise", [RISE, -RISE], ids=["up", "down"])
@pytest.mark.parametrize("start", [2.5, 2.7])
@pytest.mark.parametrize("name", FIGURES)
def test_thighs_rotate_little_faster_than_on_flat_ground(name, start, rise) -> None:
    assert walk(name, rise, start) < MOST * walk(name, 0.0, 2.5)
