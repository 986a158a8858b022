"""Gait on nodes, with chains and trees, over moving ground."""

from __future__ import annotations

import math
import random

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig import BindError, SettingError

HIPS = [(side * 0.3, y, 0.0) for side in (-1, 1) for y in (0.4, 0.0, -0.4)]


def spider(world, ground, **settings):
    """Return mover, body, chains of two bones a leg, and the gait."""
    mover = world.attach_new_node("mover")
    body = mover.attach_new_node("body")
    body.set_z(0.6)
    chains = []
    for k, (x, y, z) in enumerate(HIPS):
        side = math.copysign(1.0, x)
        hip = body.attach_new_node(f"hip {k}")
        hip.set_pos(x, y, z)
        knee = hip.attach_new_node(f"knee {k}")
        knee.set_pos(0.4 * side, 0.0, 0.4)
        foot = knee.attach_new_node(f"foot {k}")
        foot.set_pos(0.3 * side, 0.0, -1.0)
        target = world.attach_new_node(f"target {k}")
        target.set_pos(foot.get_pos(world))
        chains.append(ikrig.IKChain(foot, 2, target=target))
    gait = ikrig.Gait(mover, chains, ground, body=body, **settings)
    return mover, body, chains, gait


def floor(world, z=0.0):
    node = world.attach_new_node(p3d.CollisionNode("floor"))
    node.node().add_solid(
        p3d.CollisionPolygon((-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0))
    )
    node.set_z(z)
    return node


def test_legs_measure_themselves_and_feet_stay(world):
    mover, body, chains, gait = spider(world, lambda x, y: 0.1 * math.floor(2 * y))
    assert gait.leg == pytest.approx(math.hypot(0.4, 0.4) + math.hypot(0.3, 1.0))
    before, landed = [], 0
    for _ in range(240):
        mover.set_y(mover, 0.6 / 60)
        mover.set_h(mover, 0.2)
        gait.update(1 / 60)
        for chain in chains:
            chain.update(1 / 60)
        now = [chain.target.get_pos(world) for chain in chains]
        for k, stands in enumerate(gait.standing):
            if before and stands and before[k][0]:
                assert now[k] == before[k][1]
            if before and stands and not before[k][0]:
                landed += 1
            gap = chains[k].leaf.get_pos(world) - now[k]
            assert gap.length() < 2e-3
        before = list(zip(gait.standing, now, strict=True))
    assert landed > 20
    # half a metre above feet on a slope of a fifth
    up = world.get_relative_vector(body, p3d.LVector3f.up())
    assert 0.05 < math.acos(up.z) < 0.3


def test_feet_ride_on_what_moves(world):
    ground = floor(world, 0.2)
    mover, _, chains, gait = spider(world, ground)
    for k in range(30):
        ground.set_x(0.02 * k)
        mover.set_x(0.02 * k)
        gait.update(1 / 60)
    places = [chain.target.get_pos(ground) for chain in chains]
    stood = gait.standing
    for k in range(30, 40):
        ground.set_x(0.02 * k)
        mover.set_x(0.02 * k)
        gait.update(1 / 60)
        stood = [a and b for a, b in zip(stood, gait.standing, strict=True)]
        for chain, place, stands in zip(chains, places, stood, strict=True):
            if stands:
                assert (chain.target.get_pos(ground) - place).length() < 1e-4
    assert sum(stood) >= 3


def test_a_jump_puts_the_feet_there(world):
    mover, _, chains, gait = spider(world, lambda x, y: 0.0)
    gait.update(1 / 60)
    mover.set_pos(50, 0, 0)
    gait.update(1 / 60)
    assert all(gait.standing)
    for chain, (x, y, _) in zip(chains, HIPS, strict=True):
        place = chain.target.get_pos(mover)
        assert math.hypot(place.x - 1.7 * x / 0.3 * 0.59, place.y - y) < 0.3


def test_a_dragged_foot_stays_until_its_turn(world):
    _, _, chains, gait = spider(world, lambda x, y: 0.0)
    for _ in range(60):
        gait.update(1 / 60)
    target = chains[0].target
    target.set_x(target, 0.01)
    put = target.get_pos()
    gait.update(1 / 60)
    assert target.get_pos() == put
    target.set_x(target, 0.4)
    for _ in range(120):
        gait.update(1 / 60)
    assert (target.get_pos() - put).length() < 0.1


def test_what_is_not_finite_moves_nothing(world):
    mover, body, chains, gait = spider(world, lambda x, y: math.nan)
    before = [chain.target.get_pos(world) for chain in chains]
    gait.update(1 / 60)
    mover.set_x(1e30)
    gait.update(5.0)
    mover.set_x(0.0)
    gait.update(math.nan)
    for chain in chains:
        assert not chain.target.get_pos(world).is_nan()
    assert np.isfinite([*body.get_pos(), *body.get_hpr()]).all()
    assert len(before) == 6


def test_mistakes(world):
    mover = world.attach_new_node("mover")
    feet = [mover.attach_new_node(f"foot{k}") for k in range(4)]
    for given, settings, error, message in (
        ([], {}, BindError, "feet must be a list"),
        ([None], {}, BindError, "feet"),
        (feet, {"groups": [0, 1]}, SettingError, "each of 4 legs"),
        (feet, {"groups": [0, 2, 0, 2]}, SettingError, "none left out"),
        (feet, {"stride": 0}, SettingError, "stride"),
        (feet, {"leg": math.nan}, SettingError, "leg"),
        (feet, {"body": "body"}, BindError, "body"),
    ):
        with pytest.raises(error, match=message):
            ikrig.Gait(mover, given, lambda x, y: 0.0, **settings)
    with pytest.raises(BindError, match="ground must be"):
        ikrig.Gait(mover, feet, 3)


@pytest.mark.parametrize("height", [1e300, -1e300, 1e30])
def test_heights_beyond_all_bounds_are_no_ground(world, height):
    z = 0.0
    mover, body, chains, gait = spider(world, lambda x, y: z)
    for k in range(90):
        z = height if 30 <= k < 60 else 0.0
        mover.set_y(mover, 0.6 / 60)
        gait.update(1 / 60)
        for node in (body, *(chain.target for chain in chains)):
            assert np.isfinite(node.get_pos(world)).all()


def test_a_ground_that_is_removed_is_logged_once_and_stops_no_frame(world, capfd):
    ground = floor(world)
    mover, _, chains, gait = spider(world, ground)
    gait.update(1 / 60)
    before = [chain.target.get_pos() for chain in chains]
    ground.remove_node()
    for _ in range(3):
        mover.set_y(mover, 0.01)
        gait.update(1 / 60)
    assert [chain.target.get_pos() for chain in chains] == before
    assert "".join(capfd.readouterr()).count("is not in the Actor's scene") == 1


@pytest.mark.parametrize("which", ["mover", "foot"])
def test_nodes_without_a_finite_place_are_named(world, which):
    nodes = {name: world.attach_new_node(name) for name in ("mover", "foot")}
    nodes[which].set_pos(np.inf, 0, 0)
    with pytest.raises(BindError, match=f"{which} has no finite place"):
        ikrig.Gait(nodes["mover"], [nodes["foot"]], lambda x, y: 0.0, leg=1.0)


def test_feet_on_a_ground_that_goes_to_infinity_stay(world):
    ground = floor(world)
    mover, _, chains, gait = spider(world, ground)
    gait.update(1 / 60)
    ground.set_x(np.inf)
    for _ in range(3):
        mover.set_y(mover, 0.01)
        gait.update(1 / 60)
    assert all(np.isfinite(chain.target.get_pos(world)).all() for chain in chains)


def rough(x, y):
    return 0.05 * (math.sin(3.1 * x + 2.3 * y) + math.sin(1.7 * x - 2.9 * y))


def slope(x, y):
    """Up by 20 degrees from y = 1 to 3, and down again."""
    return 0.36 * max(0.0, min(2.0, y - 1.0, 5.0 - y))


def stairs(x, y):
    """Four steps up from y = 1, and down again."""
    return 0.16 * max(
        0, min(4, math.floor((y - 0.64) / 0.36), math.ceil((5.0 - y) / 0.36))
    )


def legged(world, rows, ground=rough):
    """Return mover, body, chains of legs that stand nearly straight, and the gait."""
    mover = world.attach_new_node("mover")
    body = mover.attach_new_node("body")
    body.set_z(0.84)
    chains = []
    for k, (side, y) in enumerate((s, y) for s in (-1, 1) for y in rows):
        hip = body.attach_new_node(f"hip {k}")
        hip.set_pos(0.12 * side, y, 0.0)
        knee = hip.attach_new_node(f"knee {k}")
        knee.set_pos(0.0, -0.08, -0.42)
        foot = knee.attach_new_node(f"foot {k}")
        foot.set_pos(0.0, 0.08, -0.42)
        target = world.attach_new_node(f"target {k}")
        target.set_pos(foot.get_pos(world))
        chains.append(ikrig.IKChain(foot, 2, target=target))
    return mover, body, chains, ikrig.Gait(mover, chains, ground, body=body)


class Walk:
    """A walk from rest to rest, straight ahead: what of it is seen frame by frame.

    Attributes:
        missed: How far a leg's end was from its target, at most.
        low: How far the body came down at most, over the ground below it.
        rolls: Largest roll of the body [deg].
        steps: How far the body rose or fell from each frame to the next.
        patience: The gait's, in each frame from a second after the start.
    """

    def __init__(self, legs, ground, speed, rate, ease=0.5, late=0.0):
        mover, body, chains, gait = legs
        frames, seconds = random.Random(2), 4.5
        self.leg, self.missed, self.low, self.roll = gait.leg, 0.0, 0.0, 0.0
        self.patience, heights, now = [], [], 0.0
        top = body.get_pos(mover).z
        while now < seconds:
            dt = 1.0 / (rate or frames.uniform(20.0, 144.0))
            if late and now < 2.0 <= now + dt:
                dt = late
            now += dt
            begun, left = (now - 0.5) / ease, (3.5 - now) / ease
            pace = speed * max(0.0, min(1.0, begun, left))
            mover.set_y(mover, pace * dt)
            x, y, _ = mover.get_pos()
            mover.set_z(ground(x, y))
            gait.update(dt)
            for chain in chains:
                chain.update(dt)
                gap = chain.leaf.get_pos(mover) - chain.target.get_pos(mover)
                self.missed = max(self.missed, gap.length())
            heights.append(body.get_pos(mover.parent).z)
            self.low = max(self.low, top - body.get_pos(mover).z)
            self.roll = max(self.roll, abs(body.get_r()))
            if 1.5 < now < 3.0:
                self.patience.append(gait.patience)
        self.steps = np.abs(np.diff(heights))


@pytest.mark.parametrize("rate", [30.0, 60.0, 144.0, 0.0])
@pytest.mark.parametrize("rows", [(0.0,), (0.4, -0.4)])
def test_feet_keep_up_from_rest(world, rows, rate):
    level = lambda x, y: 0.0  # noqa: E731
    walk = Walk(legged(world, rows, level), level, 1.2, rate)
    # before they did: 15 cm missed, the body 29 cm down
    assert walk.missed < 0.005
    assert walk.low < 0.12 * walk.leg
    # the body may be as fast as it is
    assert min(walk.patience) == 1.0


@pytest.mark.parametrize("rows", [(0.0,), (0.4, -0.4)])
@pytest.mark.parametrize("ground", [slope, stairs, rough])
def test_legs_reach_over_uneven_ground(world, rows, ground):
    walk = Walk(legged(world, rows, ground), ground, 0.8, 60.0)
    assert walk.missed < 0.015
    # the ground does not slope sideways; roughly where it is rough
    assert walk.roll < 4.0
    assert walk.steps.max() * 60.0 < 0.8


@pytest.mark.parametrize("late", [0.1, 0.25, 0.5])
@pytest.mark.parametrize("rows", [(0.0,), (0.4, -0.4)])
def test_late_frames_leave_no_foot_behind(world, rows, late):
    level = lambda x, y: 0.0  # noqa: E731
    walk = Walk(legged(world, rows, level), level, 1.2, 60.0, late=late)
    assert walk.missed < 0.005
    # the body came down by up to 26 cm in such a frame
    assert walk.low < 0.12 * walk.leg and walk.steps.max() < 0.02


def test_bodies_come_down_by_a_third_of_a_leg_at_most(world):
    # faster than legs can step
    level = lambda x, y: 0.0  # noqa: E731
    legs = legged(world, (0.0,), level)
    walk = Walk(legs, level, 9.0, 60.0)
    assert 0.1 * walk.leg < walk.low < 0.36 * walk.leg
    assert min(walk.patience) == 0.0


@pytest.mark.parametrize("fps", [30.0, 144.0])
@pytest.mark.parametrize("rows", [(0.0,), (0.4, -0.4)])
def test_bodies_come_down_for_strides_of_straight_legs(world, rows, fps):
    mover, body, chains, gait = legged(world, rows)
    places, thighs, missed = [], [], 0.0
    for k in range(round(5.0 * fps)):
        pace = 0.6 * min(1.0, max(0.0, 2.0 * k / fps - 1.0))
        mover.set_y(mover, pace / fps)
        gait.update(1.0 / fps)
        for chain in chains:
            chain.update(1.0 / fps)
            gap = chain.leaf.get_pos(world) - chain.target.get_pos(world)
            missed = max(missed, gap.length())
        places.append(tuple(body.get_pos(world)))
        thighs.append([tuple(chain.bones[0].get_quat(world)) for chain in chains])
    assert missed < 0.01 * gait.leg
    found = np.array(thighs)
    same = np.abs((found[1:] * found[:-1]).sum(axis=-1)).min()
    # the middle of a step is at 350
    assert 2.0 * math.degrees(math.acos(min(1.0, same))) * fps < 700.0
    jolts = np.linalg.norm(np.diff(places, 2, axis=0), axis=1)[3:] * fps**2
    assert jolts.max() < 10.0
