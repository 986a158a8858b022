"""Plain chains led along paths: does any joint jump?

    python -m tests.bench.led [--paths 10000] [--seed 0] [METHOD ...]

Each path has a chain of its own: 2, 3, 4 or 10 bones, even or not, straight or bent,
with a pole or none, and a target that is dragged from the leaf at the start along
splines, lines, circles, in and out of reach. Default settings.

A joint may move by 4 times the target's step (counted as at least 0.2 % of the reach)
times max(1, reach / distance from the root), while the target is between 5 and 98 % of
the reach, 5 % outside the inner radius of uneven bones, and 8° off the pole's line.
Printed, for each method: paths with a jump, and the largest move as a multiple of what
is allowed.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from ikrig import ChainModel
from ikrig.solvers import make_solver
from tests import reference

METHODS = (
    "fabrik", "two_bone", "ccd", "dls", "pinv", "transpose", "bfgs", "cg",
)  # fmt: skip
BONES = (2, 3, 4, 10)
ALLOWED = 4.0
LEAST_STEP = 0.002
NEAR, FAR = 0.05, 0.98
OFF_POLE = np.radians(8.0)
FRAMES = 200


class Case(NamedTuple):
    """A chain and what it is led along."""

    method: str
    positions: np.ndarray
    pole: np.ndarray | None
    goals: np.ndarray
    words: str


def case(seed: int, methods: tuple[str, ...] = METHODS) -> Case:
    """The path of a number."""
    rng = np.random.default_rng(seed)
    method = methods[seed % len(methods)]
    bones = 2 if method == "two_bone" else BONES[seed // len(methods) % len(BONES)]
    even = rng.random() < 0.5
    lengths = np.ones(bones) if even else 0.25 + rng.random(bones)
    lengths /= lengths.sum()
    bend = rng.choice([0.0, 0.02, 0.3, 1.0])
    if rng.random() < 0.3:
        # bent in one plane, as most limbs are
        angles = np.cumsum(bend * rng.choice([1.0, rng.normal()]) * np.ones(bones))
        turn = reference.matrix(rng.normal(size=4))
        ways = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1) @ turn.T
        ways = ways * lengths[:, None]
        positions = np.vstack([np.zeros(3), np.cumsum(ways, axis=0)])
    else:
        positions = reference.bent_positions(rng, lengths, bend)
    pole = None
    if rng.random() < 0.4:
        pole = rng.uniform(0.3, 4.0) * reference.unit(rng.normal(size=3))
    step = 10.0 ** rng.uniform(-2.7, -1.0)
    kind = rng.choice(["spline", "lines", "circle", "flat", "in and out"])
    goals = path(rng, kind, positions, step)[:FRAMES]
    sort = "even" if even else "uneven"
    words = f"{bones} {sort} bones, bend {bend}, {kind}, step {step:.4f}"
    return Case(method, positions, pole, goals, words)


def path(rng: np.random.Generator, kind: str, positions, step: float) -> np.ndarray:
    """Goals from the leaf on, an even step apart; the reach is 1."""
    from scipy.interpolate import CubicSpline

    start, count = positions[-1], 8
    if kind == "flat":
        # in the plane of the bend, as in a side view
        normal = np.cross(positions[1], start)
        if np.linalg.norm(normal) < 1e-9:
            normal = np.cross(start, rng.normal(size=3))
        a = reference.unit(start)
        b = reference.unit(np.cross(normal, a))
        flat = rng.uniform(-0.95, 0.95, (count, 2))
        knots = np.vstack([start, flat[:, :1] * a + flat[:, 1:] * b])
    elif kind == "in and out":
        sizes = rng.uniform(0.03, 1.15, count)
        line = start / max(np.linalg.norm(start), 1e-9)
        ways = line + 0.05 * np.cumsum(rng.normal(size=(count, 3)), axis=0)
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        knots = np.vstack([start, sizes[:, None] * ways])
    elif kind == "circle":
        a, b = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
        turn = np.linspace(0.0, 4.0 * np.pi, 60)[:, None]
        radius = rng.uniform(0.1, 0.8)
        centre = reference.in_ball(rng, 0.95 - radius)
        knots = np.vstack(
            [start, centre + radius * (np.cos(turn) * a + np.sin(turn) * b)]
        )
    else:
        knots = np.vstack([start, [reference.in_ball(rng, 1.0) for _ in range(count)]])
    times = np.arange(len(knots))
    if kind == "spline":
        fine = CubicSpline(times, knots)(np.linspace(0, times[-1], 4000))
    else:
        fine = knots
    sizes = np.linalg.norm(np.diff(fine, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(sizes)])
    at = np.arange(0.0, min(along[-1], step * FRAMES), step)
    return np.stack([np.interp(at, along, fine[:, c]) for c in range(3)], axis=1)


def excess(case: Case) -> np.ndarray:
    """Each frame's largest move of a joint, as a multiple of what is allowed."""
    model = ChainModel(case.positions)
    solver = make_solver(case.method, model)
    poses = [solver.rotations]
    for goal in case.goals:
        solver.solve(tuple(goal), pole=None if case.pole is None else tuple(case.pole))
        poses.append(solver.rotations)
    places = reference.forward_frames(model, poses)[1:]
    moved = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)
    lengths = model.bone_lengths / model.reach
    inner = 1.05 * max(0.0, 2.0 * lengths.max() - 1.0)
    away = np.linalg.norm(case.goals, axis=1) / model.reach
    counts = (away >= max(NEAR, inner)) & (away <= FAR)
    if case.pole is not None:
        off = np.linalg.norm(np.cross(case.goals, case.pole), axis=1)
        sine = off / np.maximum(away * np.linalg.norm(case.pole), 1e-300)
        counts &= sine > np.sin(OFF_POLE)
    step = np.linalg.norm(np.diff(case.goals, axis=0), axis=1)
    allowed = ALLOWED * np.maximum(step, LEAST_STEP * model.reach)
    allowed *= np.maximum(1.0, 1.0 / np.minimum(away[1:], away[:-1]))
    return np.where(counts[1:] & counts[:-1], moved / allowed, 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.led",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("methods", nargs="*", default=list(METHODS), metavar="METHOD")
    parser.add_argument("--paths", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0, metavar="N")
    args = parser.parse_args()
    found = defaultdict(list)
    for seed in range(args.seed, args.seed + args.paths):
        one = case(seed, tuple(args.methods))
        worst = float(excess(one).max(initial=0.0))
        poled = "no pole" if one.pole is None else "pole"
        found[one.method, len(one.positions) - 1, poled].append(
            (worst, seed, one.words)
        )
    for key, rows in sorted(found.items()):
        jumps = sorted((row for row in rows if row[0] > 1.0), reverse=True)
        worst = max(row[0] for row in rows)
        print(f"{key!s:32} {len(jumps):4} of {len(rows):4} jump, worst {worst:6.2f}")
        for row in jumps[: args.show]:
            print(f"    {row[0]:6.2f}  path {row[1]}: {row[2]}")


if __name__ == "__main__":
    main()
