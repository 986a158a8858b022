"""Conditions on every pose, checked by the fuzzers' own forward kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np

from ikrig import AxesLimit, BallLimit, ConeLimit, HingeLimit, SlideLimit, SolveStatus
from ikrig.model.limits import Limit
from ikrig.solvers.bone_frames import bone_directions
from tests import limit_oracle
from tests.fuzz import kinematics as fk

HELD = 1e-6
"""How far a pose may be outside its limits [rad, shares of the size]."""


def turn_of(limit: Limit, angles: Any, bone: Any) -> tuple[fk.Quaternion, float]:
    """The turn that a joint's angles give, and how far they are out of bounds."""
    if isinstance(limit, HingeLimit):
        (a,) = angles
        return fk.about(limit.axis, a), outside(a, limit.lower, limit.upper)
    if isinstance(limit, AxesLimit):
        turn: fk.Quaternion = (1.0, 0.0, 0.0, 0.0)
        most = 0.0
        rows = zip(limit.axes, angles, limit.lower, limit.upper, strict=True)
        for axis, a, lower, upper in rows:
            turn = fk.times(turn, fk.about(axis, a))
            most = max(most, outside(a, lower, upper))
        return turn, most
    if isinstance(limit, BallLimit):
        return fk.vector_turn(angles), float(np.linalg.norm(angles)) - limit.most
    if isinstance(limit, ConeLimit):
        left, top, twist = angles
        right, up, bone = limit_oracle.cone_frame(limit, bone)
        swing = fk.vector_turn(left * up + top * right)
        most = float(np.hypot(left, top)) * (
            1.0 - 1.0 / max(1.0, limit_oracle.edge(limit, -left, top))
        )
        if limit.twist is not None:
            most = max(most, outside(twist, *limit.twist))
        return fk.times(swing, fk.about(bone, twist)), most
    return (1.0, 0.0, 0.0, 0.0), 0.0


def outside(value: float, lower: float, upper: float) -> float:
    assert np.isfinite(value)
    return max(lower - value, value - upper, 0.0)


def pose(
    solver: Any, limits: Any, root: Any, lengthening: float, *, far: float = 0.0
) -> tuple[Any, Any]:
    """Check the pose of a solver; return joint positions and turns.

    Args:
        far: The largest number that the root's place was made of.
    """
    model = solver.model
    rotations = solver.rotations
    assert np.isfinite(rotations).all()
    assert np.allclose(np.linalg.norm(rotations, axis=1), 1.0, atol=1e-9)
    local = np.array(solver.local_rotations)
    assert np.allclose(np.linalg.norm(local, axis=1), 1.0, atol=1e-9)
    angles = solver.joint_angles
    shifts = {
        j: angles[j][0] * np.array(limit.axis)
        for j, limit in limits.items()
        if isinstance(limit, SlideLimit)
    }
    places, turned = fk.forward(model, rotations, shifts, lengthening, root)
    size = (
        model.size * lengthening
        + sum(float(np.linalg.norm(s)) for s in shifts.values())
        + float(np.linalg.norm(places[0]))
        + far
    )
    for mine, reported in zip(places, solver.positions, strict=True):
        assert fk.distance(mine, reported) <= 1e-9 * size, (mine, reported)
    bones = bone_directions(model)
    for j, limit in limits.items():
        parent = model.parents[j]
        turn = turned[j]
        if parent >= 0:
            turn = fk.times(fk.back(turned[parent]), turn)
        meant, most = turn_of(limit, angles[j], bones[j])
        assert fk.angle(meant, turn) <= HELD, (j, limit, angles[j])
        assert most <= HELD, (j, limit, angles[j])
        if isinstance(limit, SlideLimit):
            most = outside(angles[j][0], limit.lower, limit.upper)
            assert most <= HELD * model.size, (j, limit, angles[j])
    return places, turned


def reported(result: Any, error: float, size: float, tolerance: float) -> None:
    """Check that a result says what the pose is like."""
    assert not result.detail, result
    assert abs(result.error - error) <= 1e-9 * (size + error), (result, error)
    if result.status is SolveStatus.CONVERGED:
        assert error <= tolerance + 1e-9 * size, (result, error, tolerance)
