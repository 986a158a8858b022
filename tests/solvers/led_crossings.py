"""Where the branch of a led arm ends, and how often it must cross to another.

    python -m tests.solvers.led_crossings       # the arms of led_paths (minutes)

An arm of two bones has one free coordinate at a goal: the swivel about the line from
shoulder to hand. So all its poses at a goal are sampled, or, where none is inside the
limits, those at most ``SLACK`` farther than the nearest. Poses of neighbouring frames
are connected if no joint turns by more than ``TURN``. Printed are the least number of
crossings (10 to 28 frames each, free where the arm is straight) with which any path
through these poses gets along, however well it knows what comes; ikrig's; and for how
many frames poses connected with the one before each of ikrig's crossings go on.
"""

from __future__ import annotations

from math import cos, radians
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ikrig import ConeLimit
from ikrig.solvers import make_solver
from tests.solvers.led_paths import ARM, CHAINS, PATHS, SHOULDER, chain, lead

TURN = radians(15.0)
SLACK = 0.01
"""How much farther from a goal that can't be reached a pose may be [m]."""
UPPER, LOWER = np.linalg.norm(np.diff(np.array(ARM, float), axis=0), axis=1)
CROSSING = (1, *range(10, 29))
"""Frames that a crossing takes; 1 only where the arm is straight."""
MOST = 2500
"""Poses that are kept of a frame."""


class Poses(NamedTuple):
    """Poses of the arm."""

    shoulder: np.ndarray
    """Quaternions x y z w, (n, 4)."""
    elbow: np.ndarray
    """Bends, (n) [rad]."""


def sphere(count: int) -> np.ndarray:
    """Return directions that are spread evenly."""
    k = np.arange(count) + 0.5
    down, round_it = np.arccos(1.0 - 2.0 * k / count), np.pi * (1.0 + 5**0.5) * k
    return np.stack(
        [
            np.cos(round_it) * np.sin(down),
            np.sin(round_it) * np.sin(down),
            np.cos(down),
        ],
        axis=1,
    )


AROUND = sphere(800)


def poses_at(hands: np.ndarray, name: str, swivels: int) -> Poses:
    """Return the poses inside the limits that bring the hand to places, (n, 3) [m]."""
    ways = hands - SHOULDER
    away = np.linalg.norm(ways, axis=1)
    bend = (away**2 - UPPER**2 - LOWER**2) / (2.0 * UPPER * LOWER)
    ok = (bend <= 1.0) & (bend >= cos(radians(150))) & (away > 1e-6)
    ways, away, bend = ways[ok] / away[ok, None], away[ok], np.arccos(bend[ok])
    # the hand of an arm whose shoulder is not turned
    own = np.stack([UPPER + LOWER * np.cos(bend), LOWER * np.sin(bend), 0 * bend], 1)
    own /= away[:, None]
    across = np.cross(own, ways)
    sine = np.linalg.norm(across, axis=1)
    across = np.where(sine[:, None] > 1e-9, across, np.cross(own, [0.0, 0.0, 1.0]))
    across /= np.linalg.norm(across, axis=1)[:, None]
    angle = np.arctan2(sine, (own * ways).sum(axis=1))
    onto = Rotation.from_rotvec(np.repeat(angle[:, None] * across, swivels, axis=0))
    about = np.tile(np.linspace(0.0, 2.0 * np.pi, swivels, endpoint=False), len(ways))
    turned = Rotation.from_rotvec(about[:, None] * np.repeat(ways, swivels, 0)) * onto
    turn = turned.as_matrix()
    if isinstance(CHAINS[name][1][0], ConeLimit):
        inside = turn[:, 0, 0] >= -1e-6
    else:
        angles = np.abs(
            [
                np.arctan2(-turn[:, 1, 2], turn[:, 2, 2]),
                np.arcsin(np.clip(turn[:, 0, 2], -1.0, 1.0)),
                np.arctan2(-turn[:, 0, 1], turn[:, 0, 0]),
            ]
        )
        inside = (np.radians([90, 85, 90]) + 1e-6 >= angles.T).all(axis=1)
    found = Poses(turned.as_quat()[inside], np.repeat(bend, swivels)[inside])
    if len(found.elbow) > MOST:
        kept = np.random.default_rng(1).choice(len(found.elbow), MOST, replace=False)
        found = Poses(found.shoulder[kept], found.elbow[kept])
    return found


def near(goal: np.ndarray, name: str) -> Poses:
    """Return the poses at a goal, or hardly farther from it than the nearest."""
    found = poses_at(goal[None], name, 180)
    if len(found.elbow):
        return found
    low, high = 0.0, 0.6
    for _ in range(10):
        middle = (low + high) / 2.0
        if len(poses_at(goal + middle * AROUND, name, 60).elbow):
            high = middle
        else:
            low = middle
    parts = [goal + AROUND * (high + SLACK * k) for k in (0.0, 0.15, 0.3, 0.6, 0.98)]
    return poses_at(np.concatenate(parts), name, 60)


def connected(a: Poses, b: Poses, turn: float = TURN) -> np.ndarray:
    """Return which poses of two frames follow each other, (n, m)."""
    if not len(a.elbow) or not len(b.elbow):
        return np.zeros((len(a.elbow), len(b.elbow)), bool)
    apart = 2.0 * np.arccos(np.minimum(1.0, np.abs(a.shoulder @ b.shoulder.T)))
    return (apart <= turn) & (np.abs(a.elbow[:, None] - b.elbow) <= turn)


def lives(name: str, goals: np.ndarray, shoulder, elbow, most: int = 10_000) -> int:
    """Return for how many frames poses go on that are connected with one.

    Args:
        name: The arm.
        goals: Those of its frame and the next ones.
        shoulder: Its shoulder's rotation, w x y z.
        elbow: Its elbow's bend [rad].
        most: Number at which counting ends.
    """
    at = Poses(np.roll(shoulder, -1)[None], np.array([elbow]))
    for frame, goal in enumerate(goals[: most + 1]):
        there = near(goal, name)
        # the pose itself lies between samples
        on = connected(at, there, TURN if frame else radians(20.0)).any(axis=0)
        if not on.any():
            return max(frame - 1, 0)
        at = Poses(there.shoulder[on], there.elbow[on])
    return min(len(goals) - 1, most)


def least(name: str, goals: np.ndarray) -> int:
    """Return the least number of crossings along a path."""
    frames = [near(goal, name) for goal in goals]
    straight = np.linalg.norm(goals - SHOULDER, axis=1) > 0.98 * (UPPER + LOWER)
    needed = [np.full(len(poses.elbow), np.inf) for poses in frames]
    needed[0][:] = 0.0
    for i in range(1, len(frames)):
        if not len(frames[i].elbow):
            continue
        on = connected(frames[i - 1], frames[i])
        if on.size:
            needed[i] = np.where(on, needed[i - 1][:, None], np.inf).min(axis=0)
        for k in CROSSING:
            if i >= k and len(needed[i - k]) and (k > 1 or straight[i - k]):
                start = needed[i - k].min() + (0.0 if straight[i - k] else 1.0)
                needed[i] = np.minimum(needed[i], start)
    return int(needed[-1].min())


def before_crossings(name: str, path: str, most: int = 10_000) -> list[int]:
    """Return for how many frames the branch goes on after each crossing begins."""
    model, limits = chain(name)
    solver = make_solver("dls", model, limits)
    goals, poses = PATHS[path](), []
    for goal in goals:
        solver.solve(tuple(goal))
        # hinges of one place are one shoulder
        elbow = len(model.parents) - 2
        shoulder = solver.rotations[elbow - 1]
        poses.append((shoulder, solver.joint_angles[elbow][0]))
    starts = [a for a, _ in lead(name, path).crossings]
    return [lives(name, goals[a - 1 :], *poses[a - 1], most) for a in starts]


def main() -> None:
    for name in ("arm, cone", "arm, box", "arm, hinges"):
        for path in PATHS:
            blends = before_crossings(name, path)
            print(
                f"{name:12} {path:20} at least {least(name, PATHS[path]())}, "
                f"ikrig {len(blends)}; the branch goes on for {blends} frames",
                flush=True,
            )


if __name__ == "__main__":
    main()
