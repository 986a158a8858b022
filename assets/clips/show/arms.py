"""How the robots' axes are turned while they are not, or not only, led by the ball.

IK brings an arm to the ball while it holds it, from wherever its axes are. So these need
not be exact; but they decide which of its ways to stand an arm takes, and what it does
with itself in between.
"""

from __future__ import annotations

from math import atan2, radians
from pathlib import Path

import numpy as np

import ikrig
from ikrig.spatial import rotate

RIGS = Path(__file__).parents[2] / "rigs"
AXES = "SLURBT"
TURNED = "SLUB"  # forearm and cup stay as they are
FOOT = 1.05  # from the middle of the stage to an arm

LENGTHS = (0.4, 0.6, 0.3, 0.4, 0.2, 0.1)
START = np.radians((0.0, 10.0, 50.0, 0.0, 30.0, 0.0))
# elbows up, forearms not turned over
LOWER = np.radians((-170.0, -110.0, 3.0, -120.0, -125.0, -360.0))
UPPER = np.radians((170.0, 130.0, 150.0, 120.0, 125.0, 360.0))

Place = tuple[float, ...]
Pose = tuple[float, Place, float]
"""Second, where the cup is, and how far up it points [deg]; ahead it points away from
the arm's foot, so that forearm and wrist stay in one plane."""

# from when to when each has the ball, hands reaching for it and letting go included
HOLDS = {
    "left": ((0.0, 5.5), (11.52, 40.0), (50.4, 60.0)),
    "right": ((5.0, 10.8), (46.96, 50.9)),
}
ASLEEP = (0.78, -0.30, 0.80), -60
POSES: dict[str, list[Pose]] = {
    "left": [
        (6.2, (-0.24, 0.0, 1.30), 0),
        (7.2, (-0.55, -0.18, 1.38), 9),
        (8.7, (-0.50, 0.02, 1.46), 9),
        (10.1, (-0.46, -0.15, 1.20), 30),
        (10.9, (-0.36, -0.15, 1.36), 58),
        (11.4, (-0.35, -0.15, 1.40), 58),
        (41.0, (-0.46, 0.18, 1.20), 0),
        (42.2, (-0.62, 0.02, 1.22), 6),
        (44.0, (-0.62, 0.02, 1.18), 6),
        (44.5, (-0.60, 0.02, 1.40), 21),
        (46.0, (-0.62, 0.02, 1.22), 6),
        (46.7, (-0.56, -0.06, 1.46), 21),
        (48.2, (-0.50, -0.12, 1.28), 6),
        (49.7, (-0.22, 0.0, 1.30), 0),
    ],
    "right": [
        (0.0, *ASLEEP),
        (2.4, *ASLEEP),
        (2.8, (0.80, -0.30, 0.76), -60),
        (3.6, (0.58, -0.14, 1.38), -12),
        (4.5, (0.22, 0.0, 1.30), 0),
        (11.1, (0.30, -0.15, 1.62), 58),
        (12.0, (0.52, -0.10, 1.36), 18),
        (14.0, (0.62, -0.30, 1.22), -6),
        (17.0, (0.70, -0.30, 1.20), -25),
        (20.5, (0.64, -0.42, 1.30), -45),
        (23.4, (0.60, -0.40, 1.34), -45),
        (27.8, (0.56, -0.40, 1.22), -45),
        (28.4, (0.72, -0.20, 1.48), -34),
        (29.4, (0.68, -0.26, 1.38), -33),
        (32.0, (0.66, -0.10, 1.32), -13),
        (36.0, (0.64, 0.06, 1.36), 0),
        (43.5, (0.60, 0.02, 1.30), 6),
        (44.4, (0.58, 0.02, 1.46), 21),
        (45.4, (0.58, 0.0, 1.28), 32),
        (46.3, (0.50, 0.0, 1.42), 58),
        (46.9, (0.50, 0.0, 1.45), 58),
        (51.7, (0.26, 0.0, 1.30), 0),
        (52.8, (0.56, -0.10, 1.56), 13),
        (54.2, (0.46, -0.46, 1.02), -50),
        (55.6, (0.46, -0.46, 1.00), -50),
        (57.2, (0.62, -0.20, 1.34), -14),
        (59.0, *ASLEEP),
        (60.0, *ASLEEP),
    ],
}


def axes(clip: ikrig.Clip) -> dict[str, dict[float, int]]:
    """Return the angles of all axes in whole degrees, by part and second.

    Args:
        clip: With the ball's way.
    """
    rig = ikrig.load_rig(RIGS / "show.yaml")
    solver = ikrig.SphericalWristArm(LENGTHS, lower=LOWER, upper=UPPER)
    result: dict[str, dict[float, int]] = {}
    for side, poses in POSES.items():
        places, turns = _wanted(clip, side, poses)
        way = ikrig.Clip("way").with_track("ball", "position", places)
        way = way.with_track("ball", "rotation", turns)
        player = ikrig.ClipPlayer(way, rig)
        cup, foot = rig.nodes[f"{side} cup"], rig.bodies[side].root
        angles = START
        for time in places:
            player.time = time
            quat = list(cup.get_quat(foot))
            x, y, z = (rotate(quat, axis) for axis in np.eye(3))
            # the solver's tool goes along its x, and its z is ours along x
            turn = np.column_stack([z, -y, x])
            found = solver.solve(list(cup.get_pos(foot)), turn, angles)
            if not found.converged:
                print(f"{side} arm at {time:g} s: {found.detail}")
            angles = found.q
            for axis in TURNED:
                angle = np.degrees(angles[AXES.index(axis)])
                result.setdefault(f"{side}/{axis}", {})[time] = round(angle)
    return result


def _wanted(
    clip: ikrig.Clip, side: str, poses: list[Pose]
) -> tuple[dict[float, Place], dict[float, Place]]:
    """Return where the ball is to be for each pose of an arm, and how turned."""
    places = {time: place for time, place, _ in poses}
    turns = {time: _turn(side, place, pitch) for time, place, pitch in poses}
    for time in clip.track("ball", "position").keys:
        if any(start <= time <= end for start, end in HOLDS[side]):
            values = clip.sample(time)
            places[time] = tuple(values["ball", "position"])
            turns[time] = tuple(values["ball", "rotation"])
    return dict(sorted(places.items())), turns


def _turn(side: str, place: Place, pitch: float) -> Place:
    """Return how the ball is turned where an arm's cup points up by so much."""
    sign = 1.0 if side == "left" else -1.0
    yaw = atan2(sign * place[1], FOOT + sign * place[0])
    return 0.0, -sign * radians(pitch), yaw
