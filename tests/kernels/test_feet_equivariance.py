"""Feet in a world that is moved, rotated and scaled do the same there."""

from __future__ import annotations

from array import array
from math import cos, floor, sin

import numpy as np
import pytest
from ikrig.kernels.foot_ground import CallGround
from scipy.spatial.transform import Rotation

import ikrig
from tests.kernels.both_ways import planner_of, two_legs

FRAMES = 70


def hills(x: float, y: float) -> tuple[float, float, float]:
    """Height and slopes of waves."""
    return (
        0.08 * sin(3.0 * x) + 0.1 * sin(2.5 * y),
        0.24 * cos(3.0 * x),
        0.25 * cos(2.5 * y),
    )


def stairs(x: float, y: float) -> tuple[float, float, float]:
    """Stairs with a tilt, askew to the way."""
    along = 0.3 * x - y
    return 0.13 * floor(along / 0.31) + 0.05 * x, 0.05, 0.0


def cliff(x: float, y: float) -> tuple[float, float, float] | None:
    """A plane that descends along both axes, and ends."""
    return (0.3 * y - 0.1 * x, -0.1, 0.3) if y > -1.1 - 0.2 * x else None


def walk(ground, yaw: float, scale: float, shift) -> dict[str, np.ndarray]:
    """Return each frame's goals, poles and hips, in the world as it was before."""
    turn = Rotation.from_rotvec([0.0, 0.0, yaw]).as_matrix()

    def ask(x: float, y: float, top: float):
        px, py, limit = turn.T @ (np.array([x, y, top]) - shift) / scale
        found = ground(px, py)
        if found is None or found[0] > limit:
            return None
        height, *slopes = found
        return scale * height + shift[2], *(turn[:2, :2] @ slopes), -1

    back = np.eye(4)
    back[:3, :3], back[3, :3] = turn / scale, -(turn.T @ shift) / scale
    shots = two_legs(FRAMES)
    mats, world = array("f", shots[0][0]), array("f", shots[0][1])
    planner = planner_of(mats, world)
    settings, look = ikrig.FootSettings(), CallGround(ask)
    planner.use(settings)
    found: dict[str, list] = {"goals": [], "poles": [], "moves": []}
    for k, (now, place) in enumerate(shots):
        mats[:] = now
        world[:] = array("f", (np.reshape(place, (4, 4)) @ np.linalg.inv(back)).ravel())
        assert planner.kernel.begin() == 0
        dt = (1 / 60, 1 / 200, 0.1)[k % 3]
        planner.kernel.advance(look, settings.hips_seconds, 1.0, dt)
        found["goals"].append(np.reshape(planner.goals, (2, 4, 4)) @ back)
        poles = [(x.pole_x, x.pole_y, x.pole_z, 1.0) for x in planner.legs]
        found["poles"].append(np.array(poles) @ back)
        found["moves"].append(np.array(planner.moves) / scale)
    assert look.error is None
    return {name: np.array(values) for name, values in found.items()}


@pytest.mark.parametrize("ground", [hills, stairs, cliff])
def test_feet_do_the_same_anywhere_at_any_size(ground) -> None:
    plain = walk(ground, 0.0, 1.0, np.zeros(3))
    assert np.ptp(plain["moves"]) > 0.05
    for yaw, scale, shift in (
        (1.2, 1.0, (1.0, -2.0, 3.0)),
        (-2.6, 4.0, (0.0, 0.0, -1.0)),
    ):
        moved = walk(ground, yaw, scale, np.array(shift))
        for name, values in plain.items():
            assert np.allclose(values, moved[name], atol=2e-5), name
