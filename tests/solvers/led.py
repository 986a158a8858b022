"""Goals that are led along paths: what a solver makes of them, and what any pose could.

``led_paths`` leads the hands of chains, ``led_bodies`` the ends of a person.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ikrig import AxesLimit, ConeLimit, HingeLimit
from tests import limit_oracle, reference
from tests.solvers.test_multi_effector import bones

STEP = 0.008
"""Largest way of a goal in a frame [m]."""
NEAR = 0.0013
"""Distance at which an effector is in place [m]."""
EVERY = 10
"""Of so many frames one is in the tables of what is reachable."""


class Led(NamedTuple):
    """What was seen along a path, by frame."""

    misses: np.ndarray
    """Largest distance of an effector from its goal, by matrices [m]."""
    turns: np.ndarray
    """Largest turn of a joint against its parent [degrees]."""
    crossing: np.ndarray
    """Whether joints cross to another pose."""
    seconds: np.ndarray
    """Time of the solve."""
    best: np.ndarray
    """Smallest distance that any pose has, every tenth frame [m]."""
    straight: np.ndarray
    """Whether the goal is beyond 98 % of the reach of a chain."""

    @property
    def crossings(self) -> list[tuple[int, int]]:
        """First frame and length of each crossing that does not begin straight."""
        edges = np.flatnonzero(np.diff(np.r_[0, self.crossing.astype(int), 0]))
        pairs = edges.reshape(-1, 2)
        return [(int(a), int(b - a)) for a, b in pairs if not self.straight[a]]

    @property
    def reached(self) -> float:
        """Share of the frames outside of crossings that are reached where possible."""
        did, can = self._sampled(self.best < NEAR)
        return float((did < NEAR).mean()) if can.any() else 1.0

    @property
    def worse(self) -> float:
        """How much farther the ends are elsewhere than they could be [m]."""
        did, other = self._sampled(self.best >= NEAR)
        return float((did - self.best[other]).max(initial=0.0))

    def _sampled(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        which = which & ~self.crossing[::EVERY].astype(bool)
        return self.misses[::EVERY][which], which


def seen(
    rows: Iterable[tuple[Any, ...]], best: list[float], straight: Any = None
) -> Led:
    """Return what was seen: misses, turns, crossing and seconds, a row for each frame.

    Args:
        rows: Those of a ``Led``.
        best: A row of a table [mm].
        straight: Where the goal is nearly out of reach; None: nowhere.
    """
    misses, turns, crossing, seconds = (np.array(x) for x in zip(*rows, strict=True))
    if straight is None:
        straight = np.zeros(len(misses), bool)
    return Led(misses, turns, crossing, seconds, np.array(best) / 1e3, straight)


class Oracle:
    """Poses of joints inside limits, by coordinates that share no ikrig code.

    A hinge has its angle, a box its angles, a cone swing, its direction and twist, a
    joint without a limit three angles, and the root a place.

    Args:
        model: The joints.
        limits: Their limits by name.
        ends: Joints that reach.
        free: Whether the root leaves its place.
        starts: Random poses that are tried for each goal.
    """

    def __init__(
        self,
        model: Any,
        limits: Mapping[str, Any],
        ends: Iterable[str],
        *,
        free: bool,
        starts: int,
    ) -> None:
        self.model, self.starts = model, starts
        names = model.names
        self.ends = [names.index(name) for name in ends]
        # joints of one place have no bone between them
        cones = any(isinstance(limit, ConeLimit) for limit in limits.values())
        self.bones = bones(model) if cones else np.zeros_like(model.offsets)
        above = {}
        for end in self.ends:
            above[end] = [end]
            while self.model.parents[above[end][-1]] >= 0:
                above[end].append(self.model.parents[above[end][-1]])
        self.used = sorted({j for own in above.values() for j in own})
        loose = AxesLimit("xyz", (-10.0,) * 3, (10.0,) * 3)
        self.limits = {j: limits.get(names[j], loose) for j in self.used}
        found: list[tuple[float, float]] = [(-10.0 * free, 10.0 * free)] * 3
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
        for start in range(self.starts):
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

    def distances(self, path: np.ndarray) -> list[float]:
        """Return the smallest distances, every tenth frame, of goals (n, e, 3) [mm]."""
        rng = np.random.default_rng(1)
        row, last = [], np.clip(np.zeros(len(self.low)), self.low, self.high)
        for goals in path[::EVERY]:
            distance, last = self.nearest(goals, rng, last)
            row.append(round(1e3 * distance, 1))
        return row


def write_table(file: Path, rows: Iterable[tuple[str, str, list[float]]]) -> None:
    """Write the smallest distances [mm] by limits and path; print how many are 0."""
    table: dict[str, dict[str, list[float]]] = {}
    for kind, path, row in rows:
        table.setdefault(kind, {})[path] = row
        print(f"{kind:22} {path:20} {np.mean(np.array(row) < 1e3 * NEAR):.0%}")
    lines = [
        f" {json.dumps(kind)}: {{\n"
        + ",\n".join(f"  {json.dumps(p)}: {json.dumps(r)}" for p, r in own.items())
        + "\n }"
        for kind, own in table.items()
    ]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def read_table(file: Path) -> dict[str, dict[str, list[float]]]:
    """Return the smallest distances [mm] by limits and path."""
    found: dict[str, dict[str, list[float]]] = json.loads(file.read_text())
    return found
