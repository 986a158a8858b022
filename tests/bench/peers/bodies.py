"""The works by name: chains, arms and a body, with goals that can all be reached.

Every goal is the forward kinematics of a random pose inside the limits, or a point
inside the reach of a chain that has none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from .rotations import about, from_xyz
from .work import PeerWork


def chain(
    title: str,
    n: int,
    *,
    count: int,
    seed: int,
    cone: float | None = None,
    published: bool = False,
) -> PeerWork:
    """Unit bones along z with ball joints, bent gently at the start."""
    rng = np.random.default_rng(seed)
    z = np.array([0.0, 0.0, 1.0])
    bend = np.zeros((n, 3))
    bend[:, 0], bend[:, 1] = 0.8 / n, 0.3 / n * np.cos(np.arange(n))
    work = PeerWork(
        title=title,
        parents=np.arange(-1, n - 1),
        anchors=np.vstack([np.zeros(3), np.tile(z, (n - 1, 1))]),
        axes=None,
        limits=None,
        cone=cone,
        stand_ins=np.eye(3)[:2],
        effectors=np.array([n - 1]),
        offsets=z[None],
        goals=np.tile(np.eye(4), (count, 1, 1, 1)),
        starts=np.tile(from_xyz(bend), (count, 1, 1)),
        published=published,
    )
    if cone is None:
        # targets spread evenly through the ball of 0.97 of the reach
        away = rng.normal(size=(count, 3))
        away /= np.linalg.norm(away, axis=1)[:, None]
        radius = 0.97 * n * np.cbrt(rng.random(count))
        work.goals[:, 0, :3, 3] = radius[:, None] * away
        return work
    # bones even over the cone's cap
    lean = np.arccos(1 - rng.random((count, n)) * (1 - np.cos(cone)))
    side = rng.uniform(0, 2 * np.pi, (count, n))
    axes = np.stack([np.cos(side), np.sin(side), np.zeros_like(side)], axis=-1)
    return replace(work, goals=work.forward(about(axes, lean)))


def arm(
    title: str,
    joints: list[tuple[list[float], list[float], float, float]],
    tool: list[float],
    *,
    count: int,
    seed: int,
    oriented: bool = True,
    start: float | None = None,
) -> PeerWork:
    """Hinges in a row: origin seen from the last one, axis, lower and upper [rad]."""
    rng = np.random.default_rng(seed)
    origins, axes, lower, upper = (np.array(c) for c in zip(*joints, strict=True))
    n = len(joints)
    starts = rng.uniform(lower, upper, (count, n))
    work = PeerWork(
        title=title,
        parents=np.arange(-1, n - 1),
        anchors=origins,
        axes=axes,
        limits=np.stack([lower, upper], axis=1),
        cone=None,
        stand_ins=None,
        effectors=np.array([n - 1]),
        offsets=np.array([tool]),
        goals=np.empty((count, 1, 4, 4)),
        starts=starts if start is None else np.full((count, n), start),
        oriented=oriented,
        # from far starts full poses need several attempts, wherever they are made
        iterations=1000 if oriented else 100,
    )
    return replace(work, goals=work.forward(rng.uniform(lower, upper, (count, n))))


X, Y, Z = np.eye(3).tolist()

PUMA = [
    ([0.0, 0.0, 0.672], Z, *np.radians([-160, 160])),
    ([0.0, 0.0, 0.0], Y, *np.radians([-110, 110])),
    ([0.0, -0.15, 0.432], Y, *np.radians([-135, 135])),
    ([0.02, 0.0, 0.0], Z, *np.radians([-266, 266])),
    ([0.0, 0.0, 0.432], Y, *np.radians([-100, 100])),
    ([0.0, 0.0, 0.0], Z, *np.radians([-266, 266])),
]
"""Six axes, the last three through one point; sizes and limits like a Puma 560."""

PANDA = [
    ([0.0, 0.0, 0.333], Z, -2.8973, 2.8973),
    ([0.0, 0.0, 0.0], Y, -1.7628, 1.7628),
    ([0.0, 0.0, 0.316], Z, -2.8973, 2.8973),
    ([0.0825, 0.0, 0.0], [0.0, -1.0, 0.0], -3.0718, -0.0698),
    ([-0.0825, 0.0, 0.384], Z, -2.8973, 2.8973),
    ([0.0, 0.0, 0.0], [0.0, -1.0, 0.0], -0.0175, 3.7525),
    ([0.088, 0.0, 0.0], [0.0, 0.0, -1.0], -2.8973, 2.8973),
]
"""Seven axes; sizes and limits like a Franka Panda."""

TRUNK = {
    "hips": ("", [0.0, 0.0, 0.93]),
    "spine": ("hips", [0.0, 0.01, 0.10]),
    "chest": ("spine", [0.0, -0.01, 0.16]),
    "neck": ("chest", [0.0, 0.01, 0.24]),
    "head": ("neck", [0.0, 0.02, 0.09]),
}
"""Joint, its parent, its place seen from the parent."""

ARM = {
    "clavicle": ("chest", [0.02, 0.0, 0.20]),
    "shoulder": ("clavicle", [0.15, 0.0, 0.0]),
    "elbow": ("shoulder", [0.18, -0.02, -0.20]),
    "wrist": ("elbow", [0.14, 0.06, -0.19]),
}

LEG = {
    "hip": ("hips", [0.09, 0.0, -0.03]),
    "knee": ("hip", [0.01, 0.02, -0.42]),
    "ankle": ("knee", [0.0, -0.03, -0.40]),
    "toe": ("ankle", [0.01, 0.13, -0.06]),
}


def pair(limb: dict[str, tuple[str, list[float]]]) -> dict[str, tuple[str, list]]:
    """Return the left limb and its mirror image on the right."""
    return {
        side + name: (parent if parent in TRUNK else side + parent, [sign * x, y, z])
        for side, sign in (("l_", 1.0), ("r_", -1.0))
        for name, (parent, (x, y, z)) in limb.items()
    }


HUMAN = {**TRUNK, **pair(ARM), **pair(LEG)}
"""A body 1.7 m tall in an A-pose."""

EFFECTORS = {
    "l_wrist": [0.05, 0.02, -0.07],
    "r_wrist": [-0.05, 0.02, -0.07],
    "l_toe": [0.0, 0.06, 0.0],
    "r_toe": [0.0, 0.06, 0.0],
    "head": [0.0, 0.0, 0.18],
}
"""Tips of hands and feet and top of the head, seen from the joints that carry them."""


def humanoid(title: str, *, effectors: int, count: int) -> PeerWork:
    """The body with the hips' place fixed and every joint a free ball."""
    rng = np.random.default_rng(5)
    names = list(HUMAN)
    carriers = list(EFFECTORS)[:effectors]
    n = len(names)
    work = PeerWork(
        title=title,
        parents=np.array([names.index(p) if p else -1 for p, _ in HUMAN.values()]),
        anchors=np.array([place for _, place in HUMAN.values()]),
        axes=None,
        limits=None,
        cone=None,
        stand_ins=np.eye(3),
        effectors=np.array([names.index(carrier) for carrier in carriers]),
        offsets=np.array([EFFECTORS[carrier] for carrier in carriers]),
        goals=np.empty((count, len(carriers), 4, 4)),
        starts=np.tile([1.0, 0.0, 0.0, 0.0], (count, n, 1)),
    )
    # limbs bend freely, the trunk a little
    most = np.where(np.isin(names, list(TRUNK)), 0.25, 0.8)[:, None]
    poses = from_xyz(rng.uniform(-most, most, (count, n, 3)))
    return replace(work, goals=work.forward(poses))


SIXTY = float(np.radians(60))

WORK: dict[str, Callable[[], PeerWork]] = {
    "free4": partial(chain, "4 free bones", 4, count=1000, seed=7),
    "free10": partial(chain, "10 free bones", 10, count=1000, seed=8),
    "free100": partial(chain, "100 free bones", 100, count=1000, seed=9),
    "cones": partial(chain, "10 bones in cones of 60°", 10, cone=SIXTY, count=1000,
     seed=1),
    "planar": partial(arm, "6 planar hinges of ±60°",
     [([float(i > 0), 0.0, 0.0], Z, -SIXTY, SIXTY) for i in range(6)], X, count=1000,
     seed=2, oriented=False, start=0.1),
    "arm6": partial(arm, "Six-axis arm, full pose", PUMA, [0.0, 0.0, 0.1], count=1000,
     seed=3),
    "arm7": partial(arm, "Seven-axis arm, full pose", PANDA, [0.0, 0.0, -0.107],
     count=1000, seed=4),
    "humanoid2": partial(humanoid, "Body of 21 balls, both hands", effectors=2,
                         count=500),
    "humanoid5": partial(humanoid, "Body of 21 balls, hands, feet, head", effectors=5,
                         count=500),
    "published": partial(chain, "10 free joints, as published", 10, count=200, seed=6,
                         published=True),
}  # fmt: skip
"""Work by name: call it to make it."""
