"""Six-axis arms: solutions reach the pose within limits, or give the reason."""

from __future__ import annotations

from math import inf, pi
from typing import Any

import numpy as np

from ikrig import SolveStatus, SphericalWristArm
from tests.fuzz import SEEDS, fuzz, making
from tests.solvers.six_axis.arms import Chain

TAU = 2.0 * pi


def arm_of(rng: np.random.Generator) -> tuple[Chain, SphericalWristArm]:
    """An arm from a data sheet, with limits."""
    scale = making.some(rng, (1.0, 1.0, 1e-6, 1e6))
    a1, a2, b = scale * 0.5 * rng.normal(size=3) * (rng.random(3) < 0.6)
    c1, c2, c3, c4 = scale * (rng.random(4) + 0.3)
    chain = Chain(
        a1=a1,
        a2=a2,
        b=b,
        c1=c1,
        c2=c2,
        c3=c3,
        c4=c4 * making.some(rng, (0.0, 1.0)),
        signs=rng.choice([-1.0, 1.0], 6),
        offsets=making.some(rng, (np.zeros(6), rng.normal(size=6), np.full(6, 1e3))),
    )
    ends = np.sort(rng.normal(size=(6, 2)) * making.some(rng, (1.0, 4.0, 20.0)))
    lower, upper = ends.T
    lower = np.where(rng.random(6) < 0.3, making.some(rng, (-inf, -1e300)), lower)
    upper = np.where(rng.random(6) < 0.3, making.some(rng, (inf, 1e300)), upper)
    limits = making.some(rng, ({}, {"lower": lower, "upper": upper}))
    return chain, chain.arm(**limits)


def angles(rng: np.random.Generator, arm: SphericalWristArm) -> np.ndarray:
    """Angles, inside the limits or not, singular ones among them."""
    q = rng.uniform(-pi, pi, 6)
    if rng.random() < 0.7:
        middle = 0.5 * (np.maximum(arm.lower, -9.0) + np.minimum(arm.upper, 9.0))
        q = np.clip(q, arm.lower, arm.upper)
        q = q + 1e-3 * making.some(rng, (0.0, 1.0)) * (middle - q)
    if rng.random() < 0.4:
        q[4] = arm.geometry.signs[4] * arm.geometry.offsets[4]
    if rng.random() < 0.1:
        q[2] = arm.geometry.signs[2] * arm.geometry.offsets[2]
    return q


def placed(chain: Chain, q: Any) -> np.ndarray:
    """Return the pose of the tool, (4, 4)."""
    pose = np.eye(4)
    pose[:3, 3], pose[:3, :3] = chain.forward(np.asarray(q))
    return pose


def check(chain: Chain, arm: SphericalWristArm, pose: np.ndarray, q: Any) -> None:
    """Whether angles reach a pose inside the limits."""
    assert np.isfinite(q).all()
    assert (q >= arm.lower - 1e-6).all() and (q <= arm.upper + 1e-6).all()
    reached = placed(chain, q)
    slack = 1e-9 * (1.0 + float(np.abs(q).max()) + float(np.abs(chain.offsets).max()))
    assert np.abs(reached[:3, 3] - pose[:3, 3]).max() <= 100.0 * slack * chain.size
    assert np.abs(reached[:3, :3] - pose[:3, :3]).max() <= 100.0 * slack


def tried(chain: Chain, arm: SphericalWristArm, pose: np.ndarray, near: Any) -> Any:
    """Solve for a pose, and check what comes."""
    result = arm.solve(pose[:3, 3], pose[:3, :3], near)
    if result.converged:
        check(chain, arm, pose, result.q)
        assert 0 <= result.branch < 8
    else:
        assert result.detail
        assert result.branch == -1
        assert result.q.tobytes() == np.asarray(near, float).tobytes()
    return result


@fuzz(60, seed=SEEDS)
def test_random_arms_reach_poses_or_report_why_not(seed):
    rng = np.random.default_rng(seed)
    chain, arm = arm_of(rng)
    for _ in range(4):
        q = angles(rng, arm)
        pose = placed(chain, q)
        near = making.some(rng, (q, np.zeros(6), q + rng.normal(size=6), q + 1e5 * TAU))
        # an angle at a limit may come back a rounding outside; a pose a rounding off
        # axes 4 and 6 in line has two answers in place of a line of them
        inside = (q >= arm.lower + 1e-8).all() and (q <= arm.upper - 1e-8).all()
        inside = inside and abs(np.sin(chain.signs[4] * q[4] - chain.offsets[4])) > 1e-6
        result = tried(chain, arm, pose, near)
        if inside:
            assert result.converged, (q, result)
        for row in arm.solve_all(pose[:3, 3], pose[:3, :3], near):
            assert np.isfinite(row).all()
        # a pose that is none, and one out of reach
        spoilt = pose.copy()
        i, j = rng.integers(3), rng.integers(4)
        spoilt[i, j] = making.some(rng, (np.nan, inf, -inf, 1e308))
        result = tried(chain, arm, spoilt, near)
        assert not result.converged
        bad = np.array(near)
        bad[rng.integers(6)] = making.some(rng, (np.nan, inf, 1e300, -1e7))
        result = arm.solve(pose[:3, 3], pose[:3, :3], bad)
        assert result.status is SolveStatus.INVALID_TARGET
        assert "near" in result.detail
        # and all at once
        poses = np.array([pose, spoilt, pose])
        many = arm.solve(poses[:, :3, 3], poses[:, :3, :3], near)
        assert (
            list(many.converged)[::2] == [arm.solve(*split(pose), near).converged] * 2
        )
        assert not many.converged[1]


def split(pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return pose[:3, 3], pose[:3, :3]


@fuzz(40, seed=SEEDS)
def test_random_paths_are_followed(seed):
    rng = np.random.default_rng(seed)
    chain, arm = arm_of(rng)
    q = angles(rng, arm)
    steps = 0.1 * np.cumsum(rng.normal(size=(8, 6)), axis=0)
    if rng.random() < 0.5:
        # along the wrist's singular line
        steps[:, 4] = 0.0
    poses = np.array([placed(chain, x) for x in q + steps])
    most = making.some(rng, (5e-324, 0.05, 0.5, 7.0, inf))
    path = arm.solve_path(poses[:, :3, 3], poses[:, :3, :3], q, max_step=most)
    assert path.converged is (path.stopped_at is None)
    assert len(path.q) == (8 if path.converged else path.stopped_at)
    for pose, found in zip(poses, path.q, strict=False):
        check(chain, arm, pose, found)
    if len(path.q) > 1:
        assert np.abs(np.diff(path.q, axis=0)).max() <= most + 1e-9
    assert path.converged or path.detail
