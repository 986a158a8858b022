"""The ground below a sole, and the sole's tilt, in vectors of numpy."""

from __future__ import annotations

from math import tan

import numpy as np
import pytest

from tests.interpreted import interpreted_kernel

pose, steps = (interpreted_kernel(f"foot_{name}") for name in ("pose", "step"))
seeds = pytest.mark.parametrize("seed", range(60))
ZEROS = """
has_sole has_mean_velocity bends swings swing_x swing_y swing_z contact_weight
sole_height slope_x slope_y offset_x offset_y twist
mean_velocity_x mean_velocity_y figure_speed relative_speed spot_x spot_y standing_time
lift knee moved_x moved_y moved_z
has_before"""
AT_REST = dict.fromkeys(ZEROS.split(), 0.0)
AT_REST |= {"stepping": -1.0, "owner": -1, "at_start": 1}


class Hill:
    """Ground of waves with a hole, and steps of one height."""

    def __init__(self, rng, step: float = 0.0) -> None:
        self.a, self.b, self.c = rng.normal(size=3) * 0.2
        self.step = step
        self.height = self.slope_x = self.slope_y = 0.0
        self.owner = -1
        self.tops: list[tuple[float, float, float]] = []

    def at(self, x: float, y: float):
        """Height, slope, owner; None where there is none."""
        if (13.0 * x) % 1.0 < 0.15:
            return None
        z = self.a * x + self.b * y + self.c * np.sin(9.0 * x)
        if self.step and (12.0 * y) % 1.0 < 0.4:
            return z + self.step, self.a, self.b, 7
        return z, self.a + 9.0 * self.c * np.cos(9.0 * x), self.b, 3 if y > 0 else -1

    def find_ground(self, x, y, top):
        self.tops.append((x, y, top))
        found = self.at(x, y)
        if found is None:
            return 0
        self.height, self.slope_x, self.slope_y, self.owner = found
        return 1


class Foot(steps.FootStepKernel):
    """A foot somewhere in the middle of things."""

    def __init__(self, rng) -> None:
        count = int(rng.integers(1, 6))
        super().__init__(count, [0.0] * (pose.SOLE + 3 * count), [0.0] * 286)
        self.set_settings(
            *rng.uniform((0.1, 0.2, 0.5, 0.1, 0.05, 0.1, 0.05),
                         (0.6, 1.2, 1.0, 0.5, 0.3, 0.5, 0.5)).tolist()
        )  # fmt: skip
        self.leg = float(rng.uniform(0.5, 2.0))
        self.sole[:] = (rng.uniform(-0.1, 0.1, 3 * count)).tolist()
        self.heights[:] = (rng.random(count) * 0.05).tolist()
        names = "offset_x offset_y origin_x origin_y origin_z middle_x middle_y plane_x"
        names += " plane_y slope_x slope_y bearing_x bearing_y bearing_z twist lift"
        for name in (names + " sole_height").split():
            setattr(self, name, float(rng.uniform(-0.1, 0.1)))
        self.contact_weight = float(rng.choice([0.0, 0.49, 0.5, 1.0]))
        self.at_start = 0
        self.set_sole_rotation()
        self.move_corners()

    def vector(self, name: str) -> np.ndarray:
        return np.array([getattr(self, f"{name}_{axis}") for axis in "xy"])

    @property
    def flat(self) -> np.ndarray:
        return np.reshape(self.corners, (-1, 2)).copy()

    def plane(self, x, y) -> float:
        away = np.array([x, y]) - self.vector("origin")
        return self.origin_z + self.vector("plane") @ away

    def over(self, x, y, z) -> float:
        """Return the height of the middle of a sole on this point."""
        middle = self.vector("middle") + self.vector("offset")
        return z - self.vector("slope") @ (np.array([x, y]) - middle)


def test_reset_restores_the_initial_state():
    foot = Foot(np.random.default_rng(1))
    for name, value in AT_REST.items():
        setattr(foot, name, value + 1)
    for spring in (foot.level, foot.tilt_x, foot.tilt_y):
        spring.value = spring.speed = spring.goal = 1.0
    foot.reset()
    assert {name: getattr(foot, name) for name in AT_REST} == AT_REST
    for spring in (foot.level, foot.tilt_x, foot.tilt_y):
        assert (spring.value, spring.speed, spring.goal) == (0.0, 0.0, 0.0)
    numbers = np.arange(1.0, 8.0) / 10
    foot.set_settings(*numbers)
    names = "step_height steepest lock lock_distance foot_seconds release_seconds"
    numbers[1] = tan(0.2)
    found = [getattr(foot, name) for name in (names + " look_ahead").split()]
    assert np.allclose(found, numbers)


@seeds
def test_survey_finds_the_least_height_of_the_sole(seed):
    rng = np.random.default_rng(seed)
    foot, hill = Foot(rng), Hill(rng, 0.3)
    foot.hits[:] = [9.0] * len(foot.hits)
    foot.found[:] = [9.0] * len(foot.found)
    needed, most = foot.survey_corners(hill), foot.step_height * foot.leg
    tops = [(x, y, foot.plane(x, y) + most) for x, y in foot.flat]
    assert np.allclose(hill.tops, tops)
    floors, needs, owners = [-1e300], [-1e300], [(-1e300, -1)]
    for i, (x, y) in enumerate(foot.flat):
        ground = hill.at(x, y)
        if ground is None or abs(ground[0] - foot.plane(x, y)) > most:
            assert foot.found[i] == 0.0
            continue
        assert foot.found[i] == 1.0
        assert np.allclose(foot.hits[3 * i : 3 * i + 3], ground[:3])
        owners.append((ground[0], ground[3]))
        floors.append(foot.over(x, y, ground[0]))
        # a corner that is animated above the rest needs so much less
        needs.append(floors[-1] - foot.heights[i] - foot.lift)
    assert needed == pytest.approx(max(needs))
    assert foot.floor == pytest.approx(max(floors)) and foot.owner == max(owners)[1]


@seeds
def test_sole_tilts_to_the_highest_ground_below_it(seed):
    rng = np.random.default_rng(seed)
    foot, hill = Foot(rng), Hill(rng, 0.05)
    hill.a *= 1.0 + 9.0 * (seed % 3 == 0)
    foot.at_start = seed % 2
    foot.survey_corners(hill)
    x, y = foot.plane_x, foot.plane_y
    tops = [
        (foot.over(*spot, foot.hits[3 * i]), *foot.hits[3 * i + 1 : 3 * i + 3])
        for i, spot in enumerate(foot.flat)
        if foot.found[i]
    ]
    if tops:
        heights, slopes = np.array(tops)[:, 0], np.array(tops)[:, 1:]
        shares = np.exp((heights - heights.max()) / (0.03 * foot.leg))
        x, y = shares @ slopes / shares.sum()
        steep = np.hypot(x, y)
        x, y = np.array([x, y]) * min(1.0, foot.steepest / steep)
    springs = [type(foot.tilt_x)(), type(foot.tilt_x)()]
    pairs = (springs[0], foot.tilt_x, x), (springs[1], foot.tilt_y, y)
    for spring, own, goal in pairs:
        own.reset(0.1)
        spring.reset(goal if foot.at_start else 0.1)
        spring.step(goal, foot.foot_seconds, 0.02)
    bearing = foot.bearing_x, foot.bearing_y, foot.bearing_z
    offset, weight = foot.vector("offset"), foot.contact_weight
    foot.move_point_xy(*bearing)
    before = foot.vector("out")
    foot.incline(0.02)
    slope = [spring.value for spring in springs]
    assert foot.vector("slope") == pytest.approx(slope)
    # laid with that slope, what bears has gone back by as much as it holds on
    kept = foot.vector("offset")
    foot.offset_x, foot.offset_y = offset.tolist()
    foot.move_point_xy(*bearing)
    foot.shift(*(weight * (before - foot.vector("out"))))
    assert np.allclose(foot.vector("offset"), kept)
    laid = foot.t2
    foot.set_sole_rotation()
    assert foot.t2 == laid
