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
import json
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
from tests.solvers.test_multi_effector import ALL, BODY, bones, forward, limits, person

TABLE = File(__file__).with_name("led_bodies.json")
EVERY = 10
STARTS = 8

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


class Oracle:
    """Poses of the person inside limits, by coordinates that share no ikrig code.

    A hinge has its angle, a box its angles, a cone swing, its direction and twist, the
    hips a place and three angles.
    """

    def __init__(self, kind: str) -> None:
        self.model = person()
        names, table = self.model.names, LIMITS[kind]()
        self.ends = [names.index(name) for name in ALL]
        self.bones = bones(self.model)
        above = {}
        for end in self.ends:
            above[end] = [end]
            while self.model.parents[above[end][-1]] >= 0:
                above[end].append(self.model.parents[above[end][-1]])
        self.used = sorted({j for own in above.values() for j in own})
        free = AxesLimit("xyz", (-10.0,) * 3, (10.0,) * 3)
        self.limits = {j: table.get(names[j], free) for j in self.used}
        found: list[tuple[float, float]] = [(-10.0, 10.0)] * 3
        rows: list[int] = []
        for j, limit in self.limits.items():
            if isinstance(limit, HingeLimit):
                found.append((limit.lower, limit.upper))
                rows.append(j)
            elif isinstance(limit, AxesLimit):
                found += zip(limit.lower, limit.upper, strict=True)
                rows += [j] * len(limit.axes)
            else:
                half = float(limit_oracle.half_angles(limit)[0])
                found += [(0.0, half), (-10.0, 10.0)]
                found.append(limit.twist or (-np.pi, np.pi))
                rows += [j] * 3
        self.low, self.high = np.array(found).T
        # which coordinates move which end
        self.moves = np.array([[j in above[end] for j in rows] for end in self.ends])

    def pose(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the places of the ends, (e, 3) [m], and their slopes, (3 e, n)."""
        model, at = self.model, 3
        turns: dict[int, np.ndarray] = {}
        places: dict[int, np.ndarray] = {}
        pivots, axes = [], []
        for j, limit in self.limits.items():
            parent = model.parents[j]
            if parent < 0:
                turn, place = np.eye(3), model.positions[0] + x[:3]
            else:
                turn = turns[parent]
                place = places[parent] + turn @ model.offsets[j]
            if isinstance(limit, (HingeLimit, AxesLimit)):
                given = [limit.axis] if isinstance(limit, HingeLimit) else limit.axes
                for axis in given:
                    u = limit_oracle.axis_of(axis)
                    axes.append(turn @ u)
                    turn = turn @ reference.axis_angle(u, x[at])
                    at += 1
                pivots += [place] * len(given)
            else:
                right, up, bone = limit_oracle.cone_frame(limit, self.bones[j])
                towards = np.cos(x[at + 1]) * right + np.sin(x[at + 1]) * up
                across = np.cross(bone, towards)
                swing = reference.axis_angle(across, x[at])
                axes += [turn @ across, turn @ (swing @ bone - bone)]
                turn = turn @ swing
                axes.append(turn @ bone)
                turn = turn @ reference.axis_angle(bone, x[at + 2])
                pivots += [place] * 3
                at += 3
            turns[j], places[j] = turn, place
        ends = np.array([places[j] for j in self.ends])
        arms = ends[:, None] - np.array(pivots)
        slopes = np.cross(np.array(axes)[None], arms) * self.moves[:, :, None]
        every = np.broadcast_to(np.eye(3), (len(ends), 3, 3))
        slopes = np.concatenate([every, slopes.transpose(0, 2, 1)], axis=2)
        return ends, slopes.reshape(-1, len(x))

    def settle(self, x: np.ndarray, goals: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the distance of the farthest end [m] after damped steps, and where.

        Coordinates on a bound that the step would leave are held.
        """
        damping = 1e-4
        ends, slopes = self.pose(x)
        gaps = (goals - ends).ravel()
        for _ in range(80):
            if np.abs(gaps).max() < 5e-5 or damping > 1e3:
                break
            pull = slopes.T @ gaps
            out = ((x <= self.low) & (pull < 0.0)) | ((x >= self.high) & (pull > 0.0))
            free = slopes * ~out
            square = free @ free.T + damping * np.eye(len(gaps))
            step = free.T @ np.linalg.solve(square, gaps)
            step *= min(1.0, 0.3 / max(np.abs(step).max(), 1e-12))
            tried = np.clip(x + step, self.low, self.high)
            ends, new = self.pose(tried)
            left = (goals - ends).ravel()
            if left @ left < gaps @ gaps:
                if gaps @ gaps - left @ left < 1e-7 * (gaps @ gaps):
                    damping = np.inf
                x, slopes, gaps, damping = tried, new, left, max(damping / 4.0, 1e-9)
            else:
                damping *= 8.0
        return float(np.linalg.norm(gaps.reshape(-1, 3), axis=1).max()), x

    def nearest(self, goals: np.ndarray, rng: np.random.Generator, last: Any) -> Any:
        """Return the smallest distance of the farthest end [m], and where."""
        best, found = self.settle(last, goals)
        for start in range(STARTS):
            if best < 2e-4:
                break
            x = np.clip(rng.uniform(-1.5, 1.5, len(last)), self.low, self.high)
            x[:3] *= 0.2
            if start % 2:
                x = np.clip(last + 0.3 * (x - last), self.low, self.high)
            distance, x = self.settle(x, goals)
            if distance < best:
                best, found = distance, x
        return best, found


def write() -> None:
    """Find what is reachable, and write the table."""
    table: dict[str, dict[str, list[float]]] = {}
    for kind in LIMITS:
        oracle = Oracle(kind)
        table[kind] = {}
        for name, path in paths().items():
            rng = np.random.default_rng(1)
            row, last = [], np.clip(np.zeros(len(oracle.low)), oracle.low, oracle.high)
            for goals in frames(path)[::EVERY]:
                distance, last = oracle.nearest(goals, rng, last)
                row.append(round(1e3 * distance, 1))
            table[kind][name] = row
            share = np.mean(np.array(row) < 1e3 * NEAR)
            print(f"{kind:6} {name:20} {share:.0%}", flush=True)
    lines = [
        f" {json.dumps(kind)}: {{\n"
        + ",\n".join(f"  {json.dumps(p)}: {json.dumps(r)}" for p, r in rows.items())
        + "\n }"
        for kind, rows in table.items()
    ]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


@cache
def reachable() -> dict[str, dict[str, list[float]]]:
    """Return the table: smallest distances [mm] by limits and path."""
    found: dict[str, dict[str, list[float]]] = json.loads(TABLE.read_text())
    return found


class Led(NamedTuple):
    """What was seen along a path, by frame."""

    errors: np.ndarray
    """Largest distance of an effector from its goal, by matrices [m]."""
    turns: np.ndarray
    """Largest turn of a joint against its parent [degrees]."""
    crossing: np.ndarray
    """Whether joints cross to another pose."""
    seconds: np.ndarray
    """Time of the solve."""

    @property
    def crossings(self) -> list[tuple[int, int]]:
        """First frame and length of each crossing."""
        edges = np.flatnonzero(np.diff(np.r_[0, self.crossing.astype(int), 0]))
        return [(int(a), int(b - a)) for a, b in edges.reshape(-1, 2)]

    def against(self, best: list[float]) -> tuple[float, float]:
        """Return the share of reachable frames outside of crossings that are reached.

        And how much farther off than possible the worst of the others is [m].

        Args:
            best: A row of the table: smallest distances of every tenth frame [mm].
        """
        least = np.array(best) / 1e3
        seen = ~self.crossing[::EVERY]
        errors = self.errors[::EVERY]
        can = (least < NEAR) & seen
        rest = ~(least < NEAR) & seen
        share = float((errors[can] < NEAR).mean()) if can.any() else 1.0
        return share, float((errors - least)[rest].max(initial=0.0))


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
        given, start = goals.tolist(), thread_time()
        solver.solve(given)
        seconds = thread_time() - start
        places = forward(model, solver.rotations, solver.root_position)
        error = np.linalg.norm(places[ends] - goals, axis=1).max()
        local = np.array(solver.local_rotations)
        turn = 0.0 if last is None else np.degrees(apart(last, local).max())
        rows.append((error, turn, solver.space.crossing, seconds))
        last = local
    return Led(*(np.array(row) for row in zip(*rows, strict=True)))


def lead_mink(path: Path, kind: str) -> Led:
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
    for goals in frames(path):
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
    return Led(*(np.array(row) for row in zip(*rows, strict=True)))


def show(who: str, kind: str, name: str, seen: Led) -> None:
    """Print a row of the table."""
    share, worse = seen.against(reachable()[kind][name])
    last = len(seen.errors) - 1
    blends = [
        f"{a}+{n} (ends {1e3 * seen.errors[min(a + n, last)]:.0f} mm off)"
        for a, n in seen.crossings
    ]
    print(
        f"{who:5s} {kind:6s}{name:20s} reached {100 * share:5.1f} %, elsewhere "
        f"+{1e3 * worse:4.0f} mm, largest turn {seen.turns.max():5.1f}, median "
        f"{1e3 * np.median(seen.seconds):5.2f} ms, p99 "
        f"{1e3 * np.percentile(seen.seconds, 99):5.2f}, crossings: "
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
        for name, path in paths().items():
            show("ikrig", kind, name, lead(path, kind))
            if args.mink and kind != "cone":
                show("mink", kind, name, lead_mink(path, kind))
    return None


if __name__ == "__main__":
    main()
