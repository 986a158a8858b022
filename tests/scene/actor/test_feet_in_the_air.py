"""FootPlacement on Actors that jump, fall and climb: the game moves them, not a clip.

A second Actor that plays the same without feet placed tells where feet are animated.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig

from .course import nets
from .stage import Stage

LEG = 0.87  # of the humanoid
GRAVITY = 9.81
FEET = ["LeftFoot", "RightFoot"]
RISER, TREAD, CAPSULE = 0.16, 0.4, 0.25
Height = Callable[[float], float]


def times(rate: float, seconds: float) -> Iterator[float]:
    """Yield time steps; rate 0: irregular ones."""
    chance, now = random.Random(5), 0.0
    while now < seconds:
        dt = 1.0 / (rate or chance.uniform(20.0, 144.0))
        now += dt
        yield dt


def pair(stage: Stage) -> tuple[Actor, Actor]:
    actors = stage.body("humanoid"), stage.body("humanoid")
    for actor in actors:
        actor.set_blend(frameBlend=True)
    return actors


def ankles(actor: Actor) -> np.ndarray:
    actor.update(force=True)
    return np.asarray(nets(actor, FEET)[:, 3, :3])


@pytest.mark.parametrize("rate", [30.0, 60.0, 144.0, 0.0])
@pytest.mark.parametrize(("clip", "pace"), [("idle", 0.0), ("run", 3.3)])
@pytest.mark.parametrize("high", [0.22, 0.9])
def test_feet_leave_the_ground(
    stage: Stage, high: float, clip: str, pace: float, rate: float
) -> None:
    actor, plain = pair(stage)
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.0)
    lasts = 2.0 * math.sqrt(2.0 * high / GRAVITY)
    off, rest, now = [], [], 0.0
    for dt in times(rate, 1.5 + lasts):
        air = min(max(now - 0.5, 0.0), lasts)
        for each in (actor, plain):
            control = each.get_anim_control(clip)
            control.pose(now * control.get_frame_rate() % control.get_num_frames())
            z = 0.5 * GRAVITY * air * (lasts - air)
            each.set_pos(0.0, -pace * now, z)
        rig.update(dt)
        away = ankles(actor)[:, 2] - ankles(plain)[:, 2]
        if 0.1 < air < lasts:
            off.append(away)
        elif now > 1.0 + lasts:
            rest.append(away)
        now += dt
    # held to the ground the feet of the lower jump are 22 cm below, of the other 40
    assert np.abs(off).max() < 0.1 * LEG
    assert np.abs(rest).max() < (0.02 if clip == "idle" else 0.06)


def test_feet_of_one_who_falls_off_a_tower_are_animated(stage: Stage) -> None:
    actor, plain = pair(stage)
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.0 if y < -1.0 else 4.0)
    off, now = [], 0.0
    for dt in times(60.0, 2.0):
        fallen = max(now - 0.8, 0.0)
        z = max(4.0 - 0.5 * GRAVITY * fallen**2, 0.0)
        for each in (actor, plain):
            control = each.get_anim_control("walk")
            control.pose(now * control.get_frame_rate() % control.get_num_frames())
            each.set_pos(0.0, -1.25 * now, z)
        rig.update(dt)
        if 0.2 < z < 3.0:
            off.append(ankles(actor) - ankles(plain))
        now += dt
    # those that it stood on stayed where it was, and were drawn down before it landed
    assert np.abs(off).max() < 0.1


def stairs(way: float) -> float:
    steps = max(0.0, math.floor((way - 1.0) / TREAD) + 1.0)
    return RISER * min(steps, 5.0) - RISER * max(0.0, min(steps - 8.0, 5.0))


def snaps(way: float) -> float:
    """As a capsule does, on to the highest ground below it."""
    return max(stairs(way + CAPSULE * k) for k in (-1.0, 0.0, 1.0))


def ramps(way: float) -> float:
    return float(np.mean([stairs(way + 0.02 * k) for k in range(-12, 13)]))


@pytest.mark.parametrize("rate", [30.0, 60.0, 144.0])
@pytest.mark.parametrize("lags", [0.0, 0.1])
@pytest.mark.parametrize("height", [stairs, snaps, ramps])
def test_stairs_are_no_jumps(
    stage: Stage, height: Height, lags: float, rate: float
) -> None:
    actor, _ = pair(stage)
    rig = ikrig.ActorRig(actor)
    feet = ikrig.FootPlacement(rig, lambda x, y: stairs(-y))
    z, now = 0.0, 0.0
    for dt in times(rate, 5.0):
        # it may follow its height gradually
        z += (height(1.25 * now) - z) * (1.0 - math.exp(-dt / lags) if lags else 1.0)
        control = actor.get_anim_control("walk")
        control.pose(now * control.get_frame_rate() % control.get_num_frames())
        actor.set_pos(0.0, -1.25 * now, z)
        rig.update(dt)
        assert not feet._planner.kernel.flying
        now += dt


def test_a_lift_and_a_table_are_no_jumps(stage: Stage) -> None:
    # on one that rises faster than feet are lifted, and below the other
    actor, _ = pair(stage)
    world = actor.get_parent()
    lift = p3d.CollisionNode("lift")
    lift.add_solid(p3d.CollisionPolygon(*_square(5.0)))
    floor = world.attach_new_node(lift)
    rig = ikrig.ActorRig(actor)
    feet = ikrig.FootPlacement(rig, floor)
    for k in range(90):
        floor.set_z(0.05 * k)
        actor.set_z(0.05 * k)
        rig.update(1 / 60)
        assert not feet._planner.kernel.flying
    feet.ground = lambda x, y: 0.4 if -2.0 < y < -1.0 else 0.0
    for k in range(120):
        actor.set_pos(0.0, -0.03 * k, 0.0)
        rig.update(1 / 60)
        assert not feet._planner.kernel.flying


def _square(half: float) -> list[p3d.LPoint3]:
    corners = ((-half, -half), (half, -half), (half, half), (-half, half))
    return [p3d.LPoint3(x, y, 0.0) for x, y in corners]


def test_slow_motion_walks_as_the_clip(stage: Stage) -> None:
    actor, plain = pair(stage)
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.0)
    names = [f"{side}{part}" for side in ("Left", "Right") for part in ("Leg", "Foot")]
    turned: list[list[np.ndarray]] = [[], []]
    for k in range(400):
        for each, axes in zip((actor, plain), turned, strict=True):
            each.get_anim_control("walk").pose(0.1 * k % 64)
            each.set_y(-1.25 * 0.1 * k / 60.0)
            if each is actor:
                rig.update(1 / 60)
            each.update(force=True)
            axes.append(nets(each, names)[:, :3, :3])
    own, clip = (_largest(np.array(axes)) for axes in turned)
    # feet whose clip counts as standing are dragged, and step: 4.5 times
    assert own < 1.5 * clip


def _largest(axes: np.ndarray) -> float:
    """Return the largest turn of a joint in a frame [rad]."""
    trace = np.einsum("nkij,nkij->nk", axes[1:], axes[:-1])
    return float(np.arccos(np.clip(0.5 * (trace.min() - 1.0), -1.0, 1.0)))
