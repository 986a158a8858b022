"""A foot within the reach of its leg, compared with triangles and a search."""

from __future__ import annotations

from math import acos, pi

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.interpreted import interpreted_kernel

reach = interpreted_kernel("foot")
seeds = pytest.mark.parametrize("seed", range(30))


class Foot(reach.Foot):
    """A foot whose ankle is where the animation has it, with the offset and a lift."""

    def __init__(self, rng) -> None:
        self.leg = float(rng.uniform(0.5, 2.0))
        self.lift = float(rng.normal() * 0.1)
        self.hip = rng.normal(size=3)
        way = rng.normal(size=3)
        far = rng.uniform(0.5, 1.02) * self.leg / np.linalg.norm(way)
        self.ankle = self.hip + far * way
        self.offset = rng.normal(size=2) * 0.3 * self.leg
        for name, values in (("hip", self.hip), ("ankle", self.ankle)):
            for axis, value in zip("xyz", values, strict=True):
                setattr(self, f"{name}_{axis}", float(value))
        self.offset_x, self.offset_y = self.offset.tolist()
        self.knee, self.bends, self.swings = 0.0, 0, 0
        self.swing_x = self.swing_y = self.swing_z = 0.0

    def move_point(self, x, y, z):
        """Return the position of the ankle with the offset, and lifted."""
        self.out_x = x + self.offset_x
        self.out_y = y + self.offset_y
        self.out_z = z + self.lift

    @property
    def placed(self) -> np.ndarray:
        return self.ankle + np.array([self.offset_x, self.offset_y, self.lift])

    @property
    def most(self) -> float:
        """As long as it is animated, or nearly straight."""
        return max(float(np.linalg.norm(self.ankle - self.hip)), 0.98 * self.leg)


def unit(way) -> np.ndarray:
    return way / np.linalg.norm(way)


def turn_between(a, b) -> np.ndarray:
    """The smallest turn from one direction to another: axis times angle [rad]."""
    axis = np.cross(a, b)
    return np.arctan2(np.linalg.norm(axis), a @ b) * unit(axis)


@seeds
def test_knee_angle(seed):
    rng = np.random.default_rng(seed)
    thigh, shin = rng.uniform(0.2, 1.0, 2)
    bent = rng.uniform(0.0, pi)
    ankle = thigh * np.array([1.0, 0.0]) + shin * np.array([np.cos(bent), np.sin(bent)])
    length = float(np.linalg.norm(ankle))
    assert reach.knee_angle(length, thigh, shin) == pytest.approx(bent, abs=1e-6)
    assert reach.knee_angle(thigh + shin + 0.1, thigh, shin) == 0.0
    assert reach.knee_angle(0.9 * abs(thigh - shin), thigh, shin) == pi
    assert reach.knee_angle(length, 0.0, shin) == 0.0


@seeds
def test_hip_rises_until_the_leg_is_fully_extended(seed):
    foot = Foot(np.random.default_rng(seed))
    assert foot.max_reach() == pytest.approx(foot.most)
    up = foot.max_hip_rise()
    hip = foot.hip + np.array([0.0, 0.0, up])
    if np.linalg.norm((foot.placed - foot.hip)[:2]) < foot.most:
        assert np.linalg.norm(hip - foot.placed) == pytest.approx(foot.most)
        assert hip[2] >= foot.placed[2]
    else:
        assert hip[2] == pytest.approx(foot.placed[2])


@seeds
def test_limits_of_a_leg_do_not_push_its_foot_into_the_ground(seed):
    rng = np.random.default_rng(seed)
    foot = Foot(rng)
    ground, depth = object(), rng.uniform(-0.5, 1.0, 3) * foot.leg

    def deep(seen, x, y, z):
        assert seen is ground
        return float(np.array([x, y, z]) @ depth) / foot.leg

    foot.depth = deep
    thigh, shin = (foot.leg * x for x in (0.45, 0.55))
    foot.bend(0.0, thigh, shin, 0.0)
    foot.swing(1.0, 0.0, 0.0)
    wanted = np.array([foot.out_x, foot.out_y, foot.out_z])
    pushed = wanted + rng.normal(size=3) * 0.05 * foot.leg
    foot.end_x, foot.end_y, foot.end_z = pushed.tolist()
    foot.stay_out(ground, 0.0, thigh, shin)
    found = np.array([foot.end_x, foot.end_y, foot.end_z])
    way = pushed - wanted
    shares = np.linspace(0.0, 1.0, 65)
    free = [u for u in shares if deep(ground, *(u * way)) <= 1e-4 * foot.leg]
    share = 1.0 if free[-1] == 1.0 else free[-1]
    hip, goal = foot.hip, wanted + share * way
    if share < 1.0 and np.linalg.norm(goal - hip) > foot.most:
        # as near as the leg lets it
        goal = hip + foot.most * unit(goal - hip)
    # a sixteenth of the way is as exact as it is found
    assert np.linalg.norm(found - goal) <= np.linalg.norm(way) / 16.0 + 1e-9
    if share < 1.0:
        turned = Rotation.from_rotvec([foot.swing_x, foot.swing_y, foot.swing_z])
        assert np.allclose(turned.apply(unit(foot.ankle - hip)), unit(found - hip))
        bent = reach.knee_angle(float(np.linalg.norm(found - hip)), thigh, shin)
        own = float(np.linalg.norm(foot.ankle - hip))
        assert foot.knee == pytest.approx(bent - reach.knee_angle(own, thigh, shin))


@seeds
def test_knee_bends_at_most_at_its_maximum_speed(seed):
    rng = np.random.default_rng(seed)
    foot = Foot(rng)
    thigh, shin = (foot.leg * x for x in (0.45, 0.55))
    up = float(rng.normal() * 0.05)

    def angle(length: float) -> float:
        cosine = (length**2 - thigh**2 - shin**2) / (2.0 * thigh * shin)
        return acos(min(1.0, max(-1.0, cosine)))

    own = angle(float(np.linalg.norm(foot.ankle - foot.hip)))
    far = float(np.linalg.norm(foot.placed - foot.hip - [0.0, 0.0, up]))
    wanted = angle(min(far, foot.most)) - own
    # the first time at once
    assert foot.bend(up, thigh, shin, 1 / 60) * far == pytest.approx(
        min(far, foot.most)
    )
    assert foot.knee == pytest.approx(wanted) and foot.bends == 1
    # then 7.8 radians a second, from wherever it was
    for before in (wanted + 0.5, wanted - 0.5, wanted + 0.01):
        foot.knee, room = before, 7.8 / 60.0
        share = foot.bend(up, thigh, shin, 1 / 60)
        bent = own + min(max(wanted, before - room), before + room)
        allowed = (
            thigh**2 + shin**2 + 2.0 * thigh * shin * np.cos(max(bent, 0.0))
        ) ** 0.5
        length = min(allowed, foot.most)
        assert share * far == pytest.approx(length)
        assert foot.knee == pytest.approx(angle(length) - own, abs=1e-6)
    foot.knee = wanted + 0.5
    foot.bend(up, thigh, shin, 0.0)
    assert foot.knee == pytest.approx(wanted, abs=1e-9)
    # an ankle in the hip has no way to be on
    foot.hip_x, foot.hip_y, foot.hip_z = foot.placed.tolist()
    assert foot.bend(0.0, thigh, shin, 1 / 60) == 1.0


@seeds
def test_leg_swing_is_limited_on_top_of_the_animation(seed):
    rng = np.random.default_rng(seed)
    foot = Foot(rng)
    up, share = float(rng.normal() * 0.2), float(rng.uniform(0.5, 1.0))
    turns = []
    for _ in range(20):
        foot.offset_x, foot.offset_y, foot.lift = rng.normal(size=3).tolist()
        foot.ankle = foot.ankle + 0.02 * rng.normal(size=3)
        foot.ankle_x, foot.ankle_y, foot.ankle_z = foot.ankle.tolist()
        foot.move_point(*foot.ankle.tolist())
        foot.swing(share, up, 1 / 60)
        hip = foot.hip + np.array([0.0, 0.0, up])
        goal = share * (foot.placed - hip)
        found = np.array([foot.end_x, foot.end_y, foot.end_z]) - hip
        # it is as long as asked for, on the way from the last turn to that goal
        assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(goal))
        before = foot.ankle - foot.hip
        asked = turn_between(before, goal)
        if not turns or np.linalg.norm(asked - turns[-1]) <= reach.MAX_SWING_SPEED / 60:
            assert np.allclose(found, goal)
        else:
            way = asked - turns[-1]
            way *= reach.MAX_SWING_SPEED / 60 / np.linalg.norm(way)
            # a turn of more than half of a whole one has a shorter one
            whole = Rotation.from_rotvec(turns[-1] + way)
            assert np.allclose(found, np.linalg.norm(found) * unit(whole.apply(before)))
        turns.append(np.array([foot.swing_x, foot.swing_y, foot.swing_z]))
        assert np.allclose(
            Rotation.from_rotvec(turns[-1]).apply(unit(before)), unit(found)
        )
        if len(turns) > 1:
            most = reach.MAX_SWING_SPEED / 60 + 1e-9
            assert np.linalg.norm(turns[-1] - turns[-2]) <= most


@seeds
def test_pole_rotates_before_the_leg_points_at_it(seed):
    rng = np.random.default_rng(seed)
    foot = Foot(rng)
    up = float(rng.normal() * 0.5)
    # anywhere
    foot.offset_x, foot.offset_y, foot.lift = rng.normal(size=3).tolist()
    hip = foot.hip + np.array([0.0, 0.0, up])
    before, after = foot.ankle - foot.hip, foot.placed - hip
    turn = Rotation.from_rotvec(turn_between(before, after))
    point = rng.normal(size=3)
    foot.move_point(*foot.ankle.tolist())
    foot.swing(1.0, up, 0.0)
    foot.rotate_pole(*point.tolist(), up)
    found = np.array([foot.out_x, foot.out_y, foot.out_z])
    stays, turned = point - foot.hip, turn.apply(point - foot.hip)
    line = after / np.linalg.norm(after)
    side = (stays - line * (line @ stays)) @ turned / (stays @ stays)
    # well to its side it stays, on the line or beyond it turns as the line did
    share = np.clip((0.25 - side) / 0.2, 0.0, 1.0)
    share *= share * (3.0 - 2.0 * share)
    assert np.allclose(found, hip + stays + share * (turned - stays))
    if side < 0.0:
        assert np.allclose(found, hip + turned)


def test_pole_is_carried_along_when_the_leg_reverses():
    foot = Foot(np.random.default_rng(1))
    away = 2.0 * (foot.hip - foot.ankle)
    foot.offset_x, foot.offset_y, foot.lift = away.tolist()
    foot.move_point(*foot.ankle.tolist())
    foot.swing(1.0, 0.0, 0.0)
    foot.rotate_pole(1.0, 2.0, 3.0, 0.0)
    assert (foot.out_x, foot.out_y, foot.out_z) == pytest.approx((1.0, 2.0, 3.0))
    # and where the ankle is in the hip
    away = foot.hip - foot.ankle + np.array([0.0, 0.0, 0.5])
    foot.offset_x, foot.offset_y, foot.lift = away.tolist()
    foot.move_point(*foot.ankle.tolist())
    foot.swing(1.0, 0.5, 0.0)
    foot.rotate_pole(1.0, 2.0, 3.0, 0.5)
    assert (foot.out_x, foot.out_y, foot.out_z) == pytest.approx((1.0, 2.0, 3.5))
