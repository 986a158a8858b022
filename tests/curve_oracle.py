"""Judges chains on curves of every kind and size, with handles and as Bézier curves.

Against points of Barry and Goldman's pyramid and of Bernstein's polynomials, and frames
carried from bone to bone: how far a joint is from its curve, or with stretch from its
place on it, and how wrong a bone's length is, all in lengths of the curve; and the roll
from bone to bone [rad].
"""

from __future__ import annotations

from math import inf

import numpy as np

from ikrig.model.pose import Pose
from ikrig.model.splines import SplineChain

KINDS = "straight", "closed", "cusped", "doubled", "helical", "wild", "bezier"
SAMPLES = 96
"""Of a piece, between which the nearest point is searched."""
FINE = 40_000
"""Of a piece, along which lengths are measured."""
BOUNDS = {"off": 1e-6, "bone": 1e-6, "place": 1e-6, "roll": 1e-3}


def judge(kind: str, seed: int) -> dict[str, float]:
    """Return the figures of one curve."""
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.uniform(-2.0, 2.0)
    points = size * points_of(kind, rng)
    pieces = pieces_of(points, kind)
    samples = np.linspace(0.0, 1.0, SAMPLES + 1)
    line = np.vstack([at(piece, samples) for piece in pieces])
    length = np.linalg.norm(np.diff(line, axis=0), axis=1).sum()
    pose = chain_of(rng, length * rng.uniform(0.3, 1.2))
    before = nets(pose)
    chain = SplineChain(pose, pose.names)
    if kind == "bezier":
        chain.bezier(points)
    else:
        chain.through(points, kind == "closed")
    # every eighth of a kind is as long as its curve
    stretched = seed // len(KINDS) % 8 == 0
    chain.offset = rng.choice([0.0, rng.uniform(0.0, 0.3) * length])
    chain.stretch = inf if stretched else 1.0
    chain.apply(pose, 0.0)
    after = nets(pose)
    places = after[:, 3, :3]
    found = {"roll": rolls(before, after)}
    if stretched:
        wanted = spread(pieces, before, chain.offset, kind == "closed")
        found["place"] = np.linalg.norm(places - wanted, axis=1).max() / length
    else:
        bones = [np.linalg.norm(np.diff(x[:, 3, :3], axis=0), axis=1)
                 for x in (before, after)]  # fmt: skip
        found["bone"] = np.abs(bones[1] - bones[0]).max() / length
        if kind == "closed":
            # a bone longer than the curve is across, or as long as nearly no part of
            # it is away, between two samples, leaves it
            gaps = np.linalg.norm(places[:, None] - line, axis=2).max(axis=1)
            across = np.flatnonzero(0.998 * gaps[:-1] <= bones[0])
            places = places[: min(across, default=len(places)) + 1]
        found["off"] = distances(places, pieces, kind == "closed").max() / length
    return found


def points_of(kind: str, rng: np.random.Generator) -> np.ndarray:
    """Return the points of a curve about 1 long."""
    count = int(rng.integers(3, 9))
    if kind == "straight":
        steps = np.cumsum(rng.uniform(0.1, 1.0, count))
        return np.outer(steps, unit(rng.normal(size=3)))
    if kind == "helical":
        angle = rng.uniform(0.4, 1.2) * np.arange(4 * count)
        rise = rng.uniform(0.02, 0.4)
        return np.stack([np.cos(angle), np.sin(angle), rise * angle], 1)
    if kind == "bezier":
        return rng.normal(size=(3 * int(rng.integers(1, 4)) + 1, 3))
    points = rng.normal(size=(count, 3))
    if kind == "doubled":
        # there and back the same way
        return np.vstack([points, points[-2::-1]])
    if kind == "cusped":
        # equal points, at which it stops and turns
        k = int(rng.integers(1, count - 1))
        return np.insert(points, k, points[k], axis=0)
    return points


def pieces_of(points: np.ndarray, kind: str) -> list[np.ndarray]:
    """Return the coefficients of each cubic by the power of t, (4, 3)."""
    if kind == "bezier":
        power = np.array([[1, 0, 0, 0], [-3, 3, 0, 0], [3, -6, 3, 0], [-1, 3, -3, 1]])
        return [power @ points[k : k + 4] for k in range(0, len(points) - 1, 3)]
    if kind == "closed":
        line = np.vstack([points[-1:], points, points[:2]])
    else:
        ends = 2 * points[0] - points[1], 2 * points[-1] - points[-2]
        line = np.vstack([ends[:1], points, ends[1:]])
    found = []
    u = np.array([0.0, 1.0, 2.0, 3.0]) / 3.0
    vandermonde = np.vander(u, 4, increasing=True)
    for p in (line[k : k + 4] for k in range(len(line) - 3)):
        gaps = np.maximum(np.sqrt(np.linalg.norm(np.diff(p, axis=0), axis=1)), 1e-9)
        t = np.append(0.0, np.cumsum(gaps))
        x = (t[1] + u * (t[2] - t[1]))[:, None]

        def mix(a, b, i, j, x=x, t=t):
            return ((t[j] - x) * a + (x - t[i]) * b) / (t[j] - t[i])

        a = [mix(p[k], p[k + 1], k, k + 1) for k in range(3)]
        b = [mix(a[k], a[k + 1], k, k + 2) for k in range(2)]
        found.append(np.linalg.solve(vandermonde, mix(b[0], b[1], 1, 2)))
    return found


def at(piece: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return points of a cubic."""
    return np.vander(t, 4, increasing=True) @ piece


def chain_of(rng: np.random.Generator, length: float) -> Pose:
    """Return a bent chain of twelve joints with any axes."""
    count = 12
    rest = np.tile(np.eye(4), (count, 1, 1))
    for k in range(count):
        axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        rest[k, :3, :3] = axes * np.sign(np.linalg.det(axes))
    bones = rng.uniform(0.3, 1.0, count - 1)
    bones *= length / bones.sum()
    ways = np.array([unit(x) for x in rng.normal(size=(count - 1, 3))])
    rest[1:, 3, :3] = bones[:, None] * ways
    return Pose([f"j{k}" for k in range(count)], range(-1, count - 1), rest)


def nets(pose: Pose) -> np.ndarray:
    """Return the joints' matrices, multiplied in double precision."""
    found: list[np.ndarray] = []
    for j, p in enumerate(pose.parents):
        own = pose.local[j].astype(float)
        found.append(own if p < 0 else own @ found[p])
    return np.array(found)


def unit(vector: np.ndarray) -> np.ndarray:
    """Return a vector of length 1."""
    found: np.ndarray = vector / np.linalg.norm(vector)
    return found


def distances(places: np.ndarray, pieces: list[np.ndarray], closed: bool) -> np.ndarray:
    """Return how far points are from the curve, or from the ray at its end."""
    t = np.linspace(0.0, 1.0, SAMPLES + 1)
    best = np.full(len(places), inf)
    for piece in pieces:
        line = at(piece, t)
        gaps = np.linalg.norm(places[:, None] - line, axis=2)
        # all near minima, as the curve may pass a place more than once
        for near in np.argsort(gaps, axis=1)[:, :4].T:
            low, high = (
                np.maximum(t[near] - 1.0 / SAMPLES, 0.0),
                np.minimum(t[near] + 1.0 / SAMPLES, 1.0),
            )
            for _ in range(70):
                a, b = low + (high - low) / 3.0, high - (high - low) / 3.0
                left = np.linalg.norm(at(piece, a) - places, axis=1)
                right = np.linalg.norm(at(piece, b) - places, axis=1)
                nearer = left < right
                high, low = np.where(nearer, b, high), np.where(nearer, low, a)
            gap = np.linalg.norm(at(piece, 0.5 * (low + high)) - places, axis=1)
            best = np.minimum(best, gap)
    if not closed:
        last = pieces[-1]
        along = unit(np.array([0.0, 1.0, 2.0, 3.0]) @ last)
        away = places - last.sum(axis=0)
        ahead = np.maximum(away @ along, 0.0)
        best = np.minimum(best, np.linalg.norm(away - ahead[:, None] * along, axis=1))
    return best


def spread(
    pieces: list[np.ndarray], before: np.ndarray, offset: float, closed: bool
) -> np.ndarray:
    """Return where joints are on a curve that is as long as their chain."""
    t = np.linspace(0.0, 1.0, FINE + 1)
    line = np.vstack([at(piece, t)[min(k, 1) :] for k, piece in enumerate(pieces)])
    arcs = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1)))
    bones = np.linalg.norm(np.diff(before[:, 3, :3], axis=0), axis=1)
    shares = np.append(0.0, np.cumsum(bones)) / bones.sum()
    whole = arcs[-1] if closed else arcs[-1] - offset
    lengths = offset + shares * whole
    if closed:
        lengths %= arcs[-1]
    return np.stack([np.interp(lengths, arcs, line[:, k]) for k in range(3)], axis=1)


def rolls(before: np.ndarray, after: np.ndarray) -> float:
    """Return the largest roll from bone to bone, beyond that of the chain as it was."""
    worst = 0.0
    turns = np.linalg.inv(before[:, :3, :3]) @ after[:, :3, :3]
    was, now = (
        np.array([unit(x) for x in np.diff(m[:, 3, :3], axis=0)])
        for m in (before, after)
    )
    for k in range(1, len(was)):
        # carried: undo the old bend, turn as the bone above, do the new bend
        wanted = (
            smallest(was[k], was[k - 1]) @ turns[k - 1] @ smallest(now[k - 1], now[k])
        )
        if min(now[k - 1] @ now[k], was[k - 1] @ was[k]) < -0.999999:
            # a half turn is about any axis
            continue
        off = np.linalg.inv(wanted) @ turns[k]
        worst = max(worst, float(np.linalg.norm(off - np.eye(3))) / np.sqrt(2.0))
    return worst


def smallest(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the smallest rotation of one direction to another, for rows."""
    x, y, z = np.cross(a, b)
    skew = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
    found: np.ndarray = np.eye(3) + skew + skew @ skew / (1.0 + a @ b)
    return found
