"""Poses that limits allow, by definition and with matrices; shares no ikrig code.

Start rotations are taken to be none, so a joint's turn is its rotation in root space
against that of the joint before it.
"""

from __future__ import annotations

import numpy as np

from ikrig import AxesLimit, BallLimit, FixedLimit, HingeLimit, SlideLimit
from tests import reference

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def axis_of(axis) -> np.ndarray:
    return reference.unit(AXES[axis] if isinstance(axis, str) else axis)


def cone_frame(limit, bone):
    """Right, up and the bone: the frame that a cone's half-angles are given in."""
    bone = reference.unit(bone)
    up = axis_of(limit.up)
    up = up - (up @ bone) * bone
    if np.linalg.norm(up) < 1e-9:
        # only a round cone can do without one
        assert np.ptp(half_angles(limit)) == 0.0
        up = np.cross(bone, np.eye(3)[np.abs(bone).argmin()])
    up = reference.unit(up)
    return np.cross(bone, up), up, bone


def half_angles(limit) -> np.ndarray:
    return np.broadcast_to(limit.half_angles, 4)


def random_turn(rng, limit, bone) -> np.ndarray:
    """A turn inside a limit, (3, 3); at the edge now and then."""
    if limit is None:
        return reference.axis_angle(rng.normal(size=3), rng.uniform(-2.0, 2.0))
    if isinstance(limit, (FixedLimit, SlideLimit)):
        return np.eye(3)
    if isinstance(limit, BallLimit):
        angle = limit.most * min(1.0, 1.2 * rng.random())
        return reference.axis_angle(rng.normal(size=3), angle)
    if isinstance(limit, HingeLimit):
        angle = rng.uniform(max(limit.lower, -3.0), min(limit.upper, 3.0))
        return reference.axis_angle(limit.axis, angle)
    if isinstance(limit, AxesLimit):
        turn = np.eye(3)
        for axis, lower, upper in zip(
            limit.axes, limit.lower, limit.upper, strict=True
        ):
            turn = turn @ reference.axis_angle(axis, rng.uniform(lower, upper))
        return turn
    right, up, bone = cone_frame(limit, bone)
    across, down = rng.normal(size=2)
    share = 1.0 / edge(limit, across, down) * min(1.0, 1.2 * np.sqrt(rng.random()))
    # swing the bone towards across · right + down · up
    towards = share * (across * right + down * up)
    swing = reference.rotation_vector(np.cross(bone, towards))
    lower, upper = limit.twist or (-2.0, 2.0)
    return swing @ reference.axis_angle(bone, rng.uniform(lower, upper))


def edge(limit, across: float, up: float) -> float:
    """How many times an ellipse must grow to hold a swing; at most 1 inside."""
    right, top, left, bottom = half_angles(limit)
    a = right if across >= 0.0 else left
    b = top if up >= 0.0 else bottom
    return float(np.hypot(across / a, up / b))


def excess(limit, turn: np.ndarray, bone) -> float:
    """How far [rad] a turn (3, 3) is outside its limit; at most 0 inside."""
    if limit is None:
        return 0.0
    if isinstance(limit, (FixedLimit, SlideLimit)):
        return reference.angle_between(np.eye(3), turn)
    if isinstance(limit, BallLimit):
        return reference.angle_between(np.eye(3), turn) - limit.most
    if isinstance(limit, HingeLimit):
        axis = np.asarray(limit.axis)
        angle = about(axis, turn)
        rest = reference.axis_angle(axis, -angle) @ turn
        off = reference.angle_between(np.eye(3), rest)
        return max(off, outside(angle, limit.lower, limit.upper))
    if isinstance(limit, AxesLimit):
        return axes_excess(limit, turn)
    right, up, bone = cone_frame(limit, bone)
    pointed = turn @ bone
    swing = np.arctan2(np.linalg.norm(np.cross(bone, pointed)), bone @ pointed)
    flat = np.array([pointed @ right, pointed @ up])
    towards = swing * flat / max(np.linalg.norm(flat), 1e-300)
    grown = edge(limit, *towards)
    found = 0.0 if grown <= 1.0 else swing * (1.0 - 1.0 / grown)
    if limit.twist is not None:
        back = reference.from_to(pointed, bone) @ turn
        found = max(found, outside(about(bone, back), *limit.twist))
    return float(found)


def axes_excess(limit, turn) -> float:
    """For two or three of the axes x, y, z in that order: their angles by atan2."""
    letters = ["xyz"[int(np.argmax(np.abs(axis)))] for axis in limit.axes]
    assert np.allclose([AXES[a] for a in letters], limit.axes)
    if letters == ["x", "z"]:
        angles = [
            np.arctan2(-turn[1, 2], turn[2, 2]),
            np.arctan2(-turn[0, 1], turn[0, 0]),
        ]
        # Rx Rz has no other entry in its upper right
        off = abs(turn[0, 2])
    else:
        assert letters == ["x", "y", "z"]
        angles = [
            np.arctan2(-turn[1, 2], turn[2, 2]),
            np.arcsin(np.clip(turn[0, 2], -1.0, 1.0)),
            np.arctan2(-turn[0, 1], turn[0, 0]),
        ]
        off = 0.0
    bounds = zip(angles, limit.lower, limit.upper, strict=True)
    return max(off, *(outside(*bound) for bound in bounds))


def about(axis, turn) -> float:
    """The angle [rad] of a turn about an axis, from what it does to a square one."""
    axis = reference.unit(axis)
    square = reference.unit(np.cross(axis, np.eye(3)[np.abs(axis).argmin()]))
    turned = turn @ square
    return float(np.arctan2(np.cross(square, turned) @ axis, square @ turned))


def outside(angle: float, lower: float, upper: float) -> float:
    """How far [rad] an angle, or one that differs by whole turns, is out of a range."""
    turn = 2.0 * np.pi
    if upper - lower >= turn:
        return 0.0
    # of two turns' worth of angles one is the nearest to the range's middle
    middle = 0.5 * (lower + upper)
    around = angle + turn * (np.round((middle - angle) / turn) + np.array([-1, 0, 1]))
    return float(np.maximum(lower - around, around - upper).min())


def relative_turns(parents, rotations) -> list[np.ndarray]:
    """Each joint's turn against its parent's, (3, 3), from rotations in root space."""
    found = reference.matrices(np.asarray(rotations))
    return [
        turn if parent < 0 else found[parent].T @ turn
        for parent, turn in zip(parents, found, strict=True)
    ]


def largest_excess(model, limits, rotations, bones) -> float:
    """How far [rad] the worst joint is outside its limit."""
    turned = relative_turns(model.parents, rotations)
    found = [excess(limits.get(j), t, bones[j]) for j, t in enumerate(turned)]
    return max(found)


def pose(rng, model, limits, bones) -> tuple[np.ndarray, list[np.ndarray]]:
    """Joint positions and root-space turns of a random pose inside the limits."""
    turned: list[np.ndarray] = []
    shifts = {}
    for j, parent in enumerate(model.parents):
        turn = random_turn(rng, limits.get(j), bones[j])
        turned.append(turn if parent < 0 else turned[parent] @ turn)
        if isinstance(limits.get(j), SlideLimit):
            most = 2.0 * model.size
            lower, upper = np.clip((limits[j].lower, limits[j].upper), -most, most)
            shifts[j] = (rng.uniform(lower, upper),)
    return forward(model, limits, turned, shifts), turned


def forward(model, limits, turned, angles) -> np.ndarray:
    """Joint positions from turns in root space, (n, 3, 3), and lengths of slides."""
    places = model.positions.copy()
    for j, parent in enumerate(model.parents):
        way = model.positions[j] - model.positions[parent] if j else np.zeros(3)
        if isinstance(limits.get(j), SlideLimit):
            way = way + angles[j][0] * axis_of(limits[j].axis)
        if j:
            places[j] = places[parent] + turned[parent] @ way
        else:
            places[0] = model.positions[0] + way
    return places


def slide_excess(limits, angles) -> float:
    """How far the worst slide is out of its range [scene unit]."""
    slides = {j: x for j, x in limits.items() if isinstance(x, SlideLimit)}
    beyond = [0.0]
    for j, limit in slides.items():
        (length,) = angles[j]
        beyond += [limit.lower - length, length - limit.upper]
    return max(beyond)


def quaternion(turn) -> np.ndarray:
    """w x y z of a rotation matrix."""
    vector = np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    w = np.sqrt(max(0.0, 1.0 + np.trace(turn))) / 2.0
    if w > 0.1:
        return np.concatenate([[w], vector / (4.0 * w)])
    vectors = np.linalg.eigh(turn + turn.T)[1]
    axis = vectors[:, -1]
    angle = about(axis, turn)
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])
