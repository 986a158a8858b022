"""Chains with limits, the paths on which their hands are led, and what is reachable.

    python -m tests.solvers.led_paths           # write led_paths.json anew (minutes)
    python -m tests.solvers.led_paths --measure # print what ikrig makes of each path

The table holds, for every tenth frame of each path, the smallest distance [mm] at which
any pose inside the limits brings the hand (``led.Oracle``).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import radians
from pathlib import Path
from time import thread_time
from typing import Any

import numpy as np

from ikrig import AxesLimit, ChainModel, ConeLimit, HingeLimit
from tests import limit_oracle, reference
from tests.solvers.led import STEP, Led, Oracle, read_table, seen, write_table

TABLE = Path(__file__).with_name("led_paths.json")
Path3 = np.ndarray

SHOULDER = np.array([0.2, 0.0, 1.42])
ARM = [SHOULDER, (0.48, 0.0, 1.42), (0.75, 0.0, 1.42)]
TRUNK = [(0.0, 0.0, 1.05), (0.0, 0.0, 1.25), (0.05, 0.0, 1.42)]
REST = np.array(ARM[-1])
# the elbow starts exactly straight, on its bound
ELBOW = HingeLimit("z", 0.0, radians(150))
CONE = ConeLimit(radians(90))
BOX = AxesLimit(
    ("x", "y", "z"),
    tuple(map(radians, (-90, -85, -90))),
    tuple(map(radians, (90, 85, 90))),
)
SMALL = ConeLimit(radians(30), twist=(-radians(30), radians(30)))
SMALL_BOX = AxesLimit(("x", "y", "z"), (-radians(30),) * 3, (radians(30),) * 3)


def hinge(axis: str, degrees: float) -> HingeLimit:
    return HingeLimit(axis, -radians(degrees), radians(degrees))


CHAINS: dict[str, tuple[list[Any], dict[int, Any]]] = {
    "arm, cone": (ARM, {0: CONE, 1: ELBOW}),
    "arm, box": (ARM, {0: BOX, 1: ELBOW}),
    "arm, hinges": ([SHOULDER, SHOULDER, *ARM],
     {0: hinge("x", 90), 1: hinge("y", 85), 2: hinge("z", 90), 3: ELBOW}),
    "trunk and arm, cones": ([*TRUNK, *ARM],
                             {0: SMALL, 1: SMALL, 2: SMALL, 3: CONE, 4: ELBOW}),
    "trunk and arm, boxes": ([*TRUNK, *ARM],
                             {0: SMALL_BOX, 1: SMALL_BOX, 2: SMALL_BOX, 3: BOX,
                              4: ELBOW}),
}  # fmt: skip


def chain(name: str) -> tuple[ChainModel, dict[int, Any]]:
    places, limits = CHAINS[name]
    return ChainModel(np.array(places, float)), limits


def through(*places: Any) -> Path3:
    """A path at an even speed through places, smooth where it passes them."""
    from scipy.interpolate import CubicSpline

    knots = np.array([REST, *places], float)
    spline = CubicSpline(np.arange(len(knots)), knots)
    fine = spline(np.linspace(0, len(knots) - 1, 20_000))
    along = np.array([0.0, *np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
    at = np.arange(0.0, along[-1], STEP)
    return np.stack([np.interp(at, along, fine[:, c]) for c in range(3)], axis=1)


def around(centre: Any, radius: float, first: Any, second: Any) -> Path3:
    """From rest onto a circle, and once round it."""
    turn = np.linspace(0.0, 2.0 * np.pi, 13)[:, None]
    a, b = np.array(first, float), np.array(second, float)
    return through(*(np.array(centre) + radius * (np.cos(turn) * a + np.sin(turn) * b)))


X, Y, Z = np.eye(3)
PATHS: dict[str, Callable[[], Path3]] = {
    "circle in front": lambda: around((0.15, -0.35, 1.25), 0.2, X, Z),
    "across": lambda: through((-0.2, -0.3, 1.3), REST),
    "over the head": lambda: through((0.55, -0.1, 1.8), (0.1, -0.1, 1.9), REST),
    "round the shoulder": lambda: around(SHOULDER, 0.42, X, Z),
    "round it, level": lambda: around(SHOULDER, 0.42, X, Y),
    "down": lambda: through((0.25, 0.05, 0.95), REST),
    "behind the back": lambda: through((0.45, 0.3, 1.2), (0.1, 0.25, 1.1), REST),
    "to the mouth": lambda: through((0.4, -0.4, 1.3), (0.05, -0.15, 1.55), REST),
    "to the shoulder": lambda: through((0.5, 0, 1.42), (0.26, 0, 1.42), REST),
    "straight in": lambda: through(*(REST - (0.02 * k, 0, 0) for k in range(1, 25))),
    "straight ahead": lambda: through(
        (0.6, -0.3, 1.42), (0.2, -0.53, 1.42), (0.2, -0.1, 1.42), (0.2, -0.53, 1.42)
    ),
    "scribble": lambda: through(
        *(
            SHOULDER + 0.53 * r * reference.unit(v)
            for r, v in zip(
                np.random.default_rng(5).uniform(0.3, 0.98, 14),
                np.random.default_rng(6).normal(size=(14, 3))
                + np.array((0.6, -0.4, 0.0)),
                strict=True,
            )
        )
    ),
}


def write() -> None:
    """Find what is reachable, and write the table."""
    rows = []
    for name in CHAINS:
        model, limits = chain(name)
        table = {model.names[j]: limit for j, limit in limits.items()}
        oracle = Oracle(model, table, model.names[-1:], free=False, starts=40)
        rows += [
            (name, path, oracle.distances(way()[:, None]))
            for path, way in PATHS.items()
        ]
    write_table(TABLE, rows)


def lead(name: str, path: str, method: str = "dls") -> Led:
    """Lead a chain along a path, at default settings."""
    from ikrig.solvers import make_solver

    model, limits = chain(name)
    solver: Any = make_solver(method, model, limits)
    rows = []
    goals = PATHS[path]()
    own = limit_oracle.relative_turns(model.parents, solver.rotations)
    reach = np.linalg.norm(np.diff(model.positions, axis=0), axis=1).sum()
    straight = np.linalg.norm(goals - model.positions[0], axis=1) > 0.98 * reach
    for goal in goals:
        began = thread_time()
        solver.solve(tuple(goal))
        seconds = thread_time() - began
        tip = reference.forward(model, solver.rotations)[-1]
        now = limit_oracle.relative_turns(model.parents, solver.rotations)
        turn = max(map(reference.angle_between, own, now))
        own = now
        gap = np.linalg.norm(tip - goal)
        rows.append((gap, np.degrees(turn), solver.crossing, seconds))
    found = seen(rows, read_table(TABLE)[name][path], straight)
    # an arm that is nearly straight may turn about itself
    found.turns[straight | np.r_[True, straight[:-1]]] = 0.0
    return found


def measure(methods: list[str]) -> None:
    """Print the share of reachable frames that are reached, turns and crossings."""
    for method in methods:
        for name in CHAINS:
            if method == "two_bone" and len(CHAINS[name][0]) != 3:
                continue
            for path in PATHS:
                led = lead(name, path, method)
                blends = [
                    f"{a}+{n} ({1e3 * led.misses[a : a + n].max():.0f} mm)"
                    for a, n in led.crossings
                ]
                turn = float(led.turns.max())
                bad = led.reached < 0.99 or turn > 15.0 or led.worse > 0.01
                print(
                    f"{'*' if bad or len(blends) > 1 else ' '} {method:9} {name:22} "
                    f"{path:19} reached {led.reached:6.1%}, elsewhere "
                    f"+{1e3 * led.worse:4.0f} mm, turn {turn:3.0f}°, "
                    f"crossings: {', '.join(blends) or 'none'}"
                )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measure", nargs="*", metavar="METHOD")
    args = parser.parse_args()
    if args.measure is None:
        write()
    else:
        measure(args.measure or ["fabrik", "dls"])


if __name__ == "__main__":
    main()
