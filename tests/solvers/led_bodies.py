"""A person whose goals are led along everyday paths, 8 mm a frame.

    python -m tests.solvers.led_bodies          # what ikrig makes of each path
    python -m tests.solvers.led_bodies --mink   # and mink, in turns, if installed
    python -m tests.solvers.led_bodies --write  # write led_bodies.json anew (an hour)

Printed are, for each path, the share of reachable frames that are reached outside of
crossings, the worst miss, the largest turn of a joint, the time of a solve, and each
crossing. The table holds, for every tenth frame, the smallest distance [mm] at which
any pose inside the limits brings the farthest end: damped steps from the pose of the
frame before and from random ones, over matrices and by the definition of the limits.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from math import cos, pi, radians, sin
from pathlib import Path as File
from time import thread_time
from typing import Any, NamedTuple

import numpy as np

from ikrig import AxesLimit, HingeLimit
from ikrig.solvers import MultiEffectorSolver
from tests import limit_oracle, reference
from tests.solvers.led import NEAR, STEP, Led, Oracle, read_table, seen, write_table
from tests.solvers.test_multi_effector import ALL, BODY, forward, limits, person

TABLE = File(__file__).with_name("led_bodies.json")
EASE = 30
"""Frames in which each path sets off and comes to rest."""


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


def eased(points, *, close: bool = False) -> np.ndarray:
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
    return Path({"hand_r": eased([place("hand_r"), *way])})


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
    a = eased([hand, *crossed, hand])
    b = eased([other, (-0.25, -0.4, 1.2), other])
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
        down[name] = eased([start, mid, low, mid, start])
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
        lying[name] = eased(ends)
    found["lie down"] = together(lying)
    found["foot to the head"] = Path(
        {
            "foot_r": eased(
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
        far[name] = eased(
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


@cache
def reachable() -> dict[str, dict[str, list[float]]]:
    """Return the table: smallest distances [mm] by limits and path."""
    return read_table(TABLE)


def write() -> None:
    """Find what is reachable, and write the table."""
    oracles = {
        kind: Oracle(person(), table(), ALL, free=True, starts=8)
        for kind, table in LIMITS.items()
    }
    write_table(
        TABLE,
        (
            (kind, name, oracle.distances(frames(path)))
            for kind, oracle in oracles.items()
            for name, path in paths().items()
        ),
    )


def apart(a, b) -> np.ndarray:
    """Angles between unit quaternions, row by row [rad]."""
    dots = np.abs((np.asarray(a) * np.asarray(b)).sum(axis=-1))
    return 2.0 * np.arccos(np.minimum(dots, 1.0))


def lead(name: str, kind: str) -> Led:
    """Lead a person along a path, at default settings."""
    model, table = person(), LIMITS[kind]()
    solver = MultiEffectorSolver(model, ALL, table, pinned=False)
    ends = [model.names.index(name) for name in ALL]
    rows, last = [], None
    for goals in frames(paths()[name]):
        given, start = goals.tolist(), thread_time()
        solver.solve(given)
        seconds = thread_time() - start
        places = forward(model, solver.rotations, solver.root_position)
        error = np.linalg.norm(places[ends] - goals, axis=1).max()
        local = np.array(solver.local_rotations)
        turn = 0.0 if last is None else np.degrees(apart(last, local).max())
        rows.append((error, turn, solver.space.crossing, seconds))
        last = local
    return seen(rows, reachable()[kind][name])


def lead_mink(name: str, kind: str) -> Led:
    """Lead the same person with mink: hinges, boxes and balls; cones it has not.

    The hips move freely; one frame is as many steps of the quadratic program as the
    goals need, at most 20.
    """
    import mink
    import mujoco

    model, table = person(), LIMITS[kind]()
    children: dict[int, list[int]] = {}
    for j, parent in enumerate(model.parents):
        children.setdefault(parent, []).append(j)

    def body(j: int) -> str:
        place = model.offsets[j] if model.parents[j] >= 0 else model.positions[j]
        limit, joints = table.get(model.names[j]), '<joint type="ball"/>'
        if j == 0:
            joints = "<freejoint/>"
        elif isinstance(limit, (HingeLimit, AxesLimit)):
            joints = ""
            lone = isinstance(limit, HingeLimit)
            for axis, low, high in zip(
                [limit.axis] if lone else limit.axes,
                [limit.lower] if lone else limit.lower,
                [limit.upper] if lone else limit.upper,
                strict=True,
            ):
                numbers = " ".join(map(str, limit_oracle.axis_of(axis)))
                joints += f'<joint axis="{numbers}" range="{low} {high}"/>'
        below = "".join(map(body, children.get(j, [])))
        return (
            f'<body name="{model.names[j]}" pos="{" ".join(map(str, place))}">{joints}'
            f'<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{below}</body>'
        )

    mj = mujoco.MjModel.from_xml_string(
        '<mujoco><compiler angle="radian" autolimits="true"/>'
        f"<worldbody>{body(0)}</worldbody></mujoco>"
    )
    configuration = mink.Configuration(mj)
    tasks = [mink.FrameTask(name, "body", 1.0, 0.0, lm_damping=1e-3) for name in ALL]
    bounds = [mink.ConfigurationLimit(mj)]
    bodies = [mj.body(name).id for name in ALL]
    rows, last = [], None
    for goals in frames(paths()[name]):
        start = thread_time()
        for task, goal in zip(tasks, goals, strict=True):
            task.set_target(mink.SE3.from_translation(goal))
        for _ in range(20):
            gaps = configuration.data.xpos[bodies] - goals
            if np.einsum("ij,ij->i", gaps, gaps).max() < (0.9 * NEAR) ** 2:
                break
            velocity = mink.solve_ik(
                configuration, tasks, 1.0, "daqp", damping=1e-6, limits=bounds
            )
            configuration.integrate_inplace(velocity, 1.0)
        seconds = thread_time() - start
        gaps = configuration.data.xpos[bodies] - goals
        world = configuration.data.xquat[1:].copy()
        local = np.array(
            [
                reference.matrix(world[p]).T @ reference.matrix(world[j])
                for j, p in enumerate(model.parents)
                if p >= 0
            ]
        )
        turn = 0.0
        if last is not None:
            traces = np.einsum("nij,nij->n", last, local)
            turn = np.degrees(np.arccos(np.clip((traces.min() - 1.0) / 2.0, -1, 1)))
        last = local
        error = np.linalg.norm(gaps, axis=1).max()
        rows.append((error, turn, False, seconds))
    return seen(rows, reachable()[kind][name])


def show(who: str, kind: str, name: str, led: Led) -> None:
    """Print a row of the table."""
    last = len(led.misses) - 1
    blends = [
        f"{a}+{n} (ends {1e3 * led.misses[min(a + n, last)]:.0f} mm off)"
        for a, n in led.crossings
    ]
    print(
        f"{who:5s} {kind:6s}{name:20s} reached {100 * led.reached:5.1f} %, "
        f"elsewhere +{1e3 * led.worse:4.0f} mm, largest turn {led.turns.max():5.1f}, "
        f"median {1e3 * np.median(led.seconds):5.2f} ms, p99 "
        f"{1e3 * np.percentile(led.seconds, 99):5.2f}, crossings: "
        f"{', '.join(blends) or 'none'}",
        flush=True,
    )


def main() -> None:
    """Print a table, or write the one of what is reachable."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mink", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.write:
        return write()
    for kind in LIMITS:
        for name in paths():
            show("ikrig", kind, name, lead(name, kind))
            if args.mink and kind != "cone":
                show("mink", kind, name, lead_mink(name, kind))
    return None


if __name__ == "__main__":
    main()
