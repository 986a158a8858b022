"""A person whose goals are led along everyday paths, 8 mm a frame.

`python -m tests.solvers.led_bodies` prints for each path how many frames are reached
outside of crossings, the worst miss, the largest turn of a joint, and each crossing.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, radians, sin
from typing import Any, NamedTuple

import numpy as np

from ikrig import AxesLimit, HingeLimit
from ikrig.solvers import MultiEffectorSolver
from tests.solvers.test_multi_effector import ALL, BODY, forward, limits, person

EASE = 30
"""Frames in which each path sets off and comes to rest."""
STEP = 0.008
"""Largest way of a goal in a frame [m]."""


def hinge_limits() -> dict[str, Any]:
    return {k: v for k, v in limits().items() if isinstance(v, HingeLimit)}


def box_limits() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in BODY:
        kind, _, _ = name.partition("_")
        if kind in ("elbow", "knee"):
            found[name] = limits()[name]
        elif kind in ("arm", "leg"):
            ends = radians(90), radians(85), radians(90)
            found[name] = AxesLimit("xyz", tuple(-x for x in ends), ends)
        elif kind != "hips":
            ends = (radians(30),) * 3
            found[name] = AxesLimit("xyz", tuple(-x for x in ends), ends)
    return found


LIMITS: dict[str, Callable[[], dict[str, Any]]] = {
    "cone": limits,
    "hinge": hinge_limits,
    "box": box_limits,
}


class Path(NamedTuple):
    """Goals of each frame by effector, (frames, 3) [m]; the others rest."""

    goals: dict[str, np.ndarray]


def place(name: str) -> np.ndarray:
    return np.array(person().positions[list(BODY).index(name)])


def led(points, *, close: bool = False) -> np.ndarray:
    """Return points at most STEP apart along a polyline, eased at both ends."""
    points = np.array(points, dtype=float)
    if close:
        points = np.vstack([points, points[:1]])
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    # the speed rises and falls linearly within EASE frames
    steady = max(along[-1] / STEP - EASE, 1.0)
    count = int(np.ceil(steady)) + 2 * EASE
    speed = np.minimum(
        1.0, np.minimum(np.arange(count), count - 1 - np.arange(count)) / EASE
    )
    at = np.concatenate([[0.0], np.cumsum(speed)])
    at *= along[-1] / at[-1]
    return np.stack([np.interp(at, along, points[:, c]) for c in range(3)], axis=1)


def circle(centre, radius, u, v, turns=1.0, start=0.0) -> np.ndarray:
    angles = start + np.linspace(0.0, 2.0 * pi * turns, 400)
    return np.array(centre) + radius * (
        np.cos(angles)[:, None] * np.array(u) + np.sin(angles)[:, None] * np.array(v)
    )


def one_hand(way) -> Path:
    return Path({"hand_r": led([place("hand_r"), *way])})


def paths() -> dict[str, Path]:
    """Return all paths by name."""
    hand, other = place("hand_r"), place("hand_l")
    shoulder = place("arm_r")
    found = {
        # the five of the complaint
        "circle": one_hand(circle((-0.15, -0.35, 1.25), 0.2, (1, 0, 0), (0, 0, 1))),
        "across": one_hand([(0.35, -0.25, 1.3), hand]),
        "overhead": one_hand(
            [
                (shoulder[0] + 0.5 * -cos(a), shoulder[1], shoulder[2] + 0.5 * sin(a))
                for a in np.linspace(0.0, 0.9 * pi, 60)
            ]
        ),
        "shoulder": one_hand(circle(shoulder, 0.45, (-1, 0, 0), (0, -1, 0))),
        "hip": one_hand([(-0.25, 0.05, 0.85), hand]),
        # seven more
        "behind the back": one_hand(
            [(-0.3, 0.3, 1.2), (0.1, 0.2, 1.1), (-0.3, 0.3, 1.2), hand]
        ),
        "through the chest": one_hand(
            [(-0.2, -0.3, 1.3), (-0.1, 0.3, 1.3), (-0.2, -0.3, 1.3), hand]
        ),
    }
    crossed = [(0.25, -0.35, 1.3)]
    a = led([hand, *crossed, hand])
    b = led([other, (-0.25, -0.4, 1.2), other])
    count = max(len(a), len(b))
    found["hands crossed"] = Path(
        {"hand_r": padded(a, count), "hand_l": padded(b, count)}
    )
    down = {}
    for name in ("head", "hand_l", "hand_r"):
        start = place(name)
        low = {
            "head": (0.0, -0.25, 0.9),
            "hand_l": (0.3, -0.3, 0.1),
            "hand_r": (-0.3, -0.3, 0.1),
        }[name]
        mid = (start + np.array(low)) / 2 + np.array([0, -0.2, 0.0])
        down[name] = led([start, mid, low, mid, start])
    found["crouch to the floor"] = together(down)
    lying = {}
    for name in ALL:
        start = place(name)
        # the whole person turned about the feet's line, face up
        ends = []
        for angle in np.linspace(0.0, 0.5 * pi, 40):
            y, z = start[1], start[2] - 0.08
            ends.append(
                (
                    start[0],
                    y * cos(angle) + z * sin(angle),
                    0.08 + z * cos(angle) - y * sin(angle),
                )
            )
        lying[name] = led(ends)
    found["lie down"] = together(lying)
    found["foot to the head"] = Path(
        {
            "foot_r": led(
                [
                    place("foot_r"),
                    (-0.25, -0.5, 0.7),
                    (-0.15, -0.35, 1.4),
                    (-0.25, -0.5, 0.7),
                    place("foot_r"),
                ]
            )
        }
    )
    far = {}
    for name in ALL:
        start = place(name)
        out = start - place("hips")
        far[name] = led(
            [start, start + 3.0 * out / np.linalg.norm(out) * 1.7 * 0.9, start]
        )
    found["all far"] = together(far)
    return found


def padded(rows, count) -> np.ndarray:
    """Return rows that rest at the last one."""
    return np.vstack([rows, np.repeat(rows[-1:], count - len(rows), axis=0)])


def together(ways: dict[str, np.ndarray]) -> Path:
    """Return ways of one length: all arrive at the same time, at most STEP a frame."""
    count = max(map(len, ways.values()))
    found = {}
    for name, rows in ways.items():
        at = np.linspace(0.0, len(rows) - 1.0, count)
        found[name] = np.stack(
            [np.interp(at, np.arange(len(rows)), rows[:, c]) for c in range(3)], axis=1
        )
    return Path(found)


def frames(path: Path) -> np.ndarray:
    """Return the goals of all effectors in each frame, (frames, e, 3) [m]."""
    count = len(next(iter(path.goals.values())))
    rows = []
    for name in ALL:
        rest = np.repeat(place(name)[None], count, axis=0)
        rows.append(path.goals.get(name, rest))
    return np.stack(rows, axis=1)


class Led(NamedTuple):
    """What was seen along a path, by frame."""

    errors: np.ndarray
    """Largest distance of an effector from its goal, by matrices [m]."""
    turns: np.ndarray
    """Largest turn of a joint against its parent [degrees]."""
    crossing: np.ndarray
    """Whether joints cross to another pose."""

    @property
    def crossings(self) -> list[tuple[int, int]]:
        """First frame and length of each crossing."""
        edges = np.flatnonzero(np.diff(np.r_[0, self.crossing.astype(int), 0]))
        return [(int(a), int(b - a)) for a, b in edges.reshape(-1, 2)]

    @property
    def reached(self) -> float:
        """Share of the frames outside of crossings with all effectors in place."""
        return float((self.errors[~self.crossing] < NEAR).mean())


NEAR = 1.3e-3
"""Distance at which an effector is in place [m]."""


def apart(a, b) -> np.ndarray:
    """Angles between unit quaternions, row by row [rad]."""
    dots = np.abs((np.asarray(a) * np.asarray(b)).sum(axis=-1))
    return 2.0 * np.arccos(np.minimum(dots, 1.0))


def lead(path: Path, kind: str) -> Led:
    """Lead a person along a path, at default settings."""
    model, table = person(), LIMITS[kind]()
    solver = MultiEffectorSolver(model, ALL, table, pinned=False)
    ends = [model.names.index(name) for name in ALL]
    rows, last = [], None
    for goals in frames(path):
        solver.solve(goals.tolist())
        places = forward(model, solver.rotations, solver.root_position)
        error = np.linalg.norm(places[ends] - goals, axis=1).max()
        local = np.array(solver.local_rotations)
        turn = 0.0 if last is None else np.degrees(apart(last, local).max())
        rows.append((error, turn, solver.kernel.crossing >= 0.0))
        last = local
    errors, turns, crossing = (np.array(row) for row in zip(*rows, strict=True))
    return Led(errors, turns, crossing)


def main() -> None:
    """Print a table."""
    for kind in LIMITS:
        for name, path in paths().items():
            led_ = lead(path, kind)
            blends = [
                f"{a}+{n} ({1e3 * led_.errors[a : a + n].max():.0f} mm)"
                for a, n in led_.crossings
            ]
            print(
                f"{kind:6s}{name:20s} reached {100 * led_.reached:5.1f} %, worst "
                f"{1e3 * led_.errors[~led_.crossing].max():7.1f} mm, largest turn "
                f"{led_.turns.max():5.1f}, crossings: {', '.join(blends) or 'none'}"
            )


if __name__ == "__main__":
    main()
