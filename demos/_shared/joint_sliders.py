"""Sliders for the joints of a robot: one for each degree of freedom."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

import ikrig
from demos._shared.demo import Slider
from ikrig.math3d.quaternion import Floats
from ikrig.scene.robot.joint_nodes import RobotJoint

AXES = "xyz"


def joint_sliders(
    joint: RobotJoint, moved: Callable[[], None], *, in_degrees: bool, reach: float
) -> Iterator[Slider]:
    """Yield the sliders of a joint; a joint that follows another has none.

    Args:
        joint: The joint.
        moved: Called after a slider has moved the joint.
        in_degrees: Whether angles are shown in degrees instead of radians.
        reach: Range of slides without an end [model's unit].
    """
    if joint.follows is not None:
        return
    if joint.kind.coordinates == 1:
        yield _single(joint, moved, in_degrees, reach)
        return
    free = joint.kind is ikrig.JointKind.FREE
    if free:
        for k in range(3):
            yield _position(joint, k, moved, reach)
    for k in range(3):
        yield _turn(joint, k, moved, in_degrees)


def _single(
    joint: RobotJoint, moved: Callable[[], None], in_degrees: bool, reach: float
) -> Slider:
    turns = joint.kind is ikrig.JointKind.HINGE
    low, high = joint.range
    if turns:
        low = max(low, -2.0 * math.pi) if low > -math.inf else -math.pi
        high = min(high, 2.0 * math.pi) if high < math.inf else math.pi
    else:
        low = low if low > -math.inf else joint.value - reach
        high = high if high < math.inf else joint.value + reach
    unit = math.degrees(1.0) if turns and in_degrees else 1.0

    def apply(value: float) -> None:
        joint.value = value / unit
        moved()

    return Slider(
        joint.name,
        low * unit,
        high * unit,
        joint.value * unit,
        apply,
        show=_text(turns, in_degrees),
        read=lambda: joint.value * unit,
    )


def _position(
    joint: RobotJoint, k: int, moved: Callable[[], None], reach: float
) -> Slider:
    start = float(joint.values[k])

    def apply(value: float) -> None:
        values = np.array(joint.values)
        values[k] = value
        joint.value = values
        moved()

    return Slider(
        f"{joint.name} {AXES[k]}",
        start - reach,
        start + reach,
        start,
        apply,
        show=_text(False, False),
        read=lambda: float(joint.values[k]),
    )


def _turn(
    joint: RobotJoint, k: int, moved: Callable[[], None], in_degrees: bool
) -> Slider:
    unit = math.degrees(1.0) if in_degrees else 1.0
    most = min(joint.range[1], math.pi) if joint.range[1] > 0.0 else math.pi

    def apply(value: float) -> None:
        values = np.array(joint.values)
        turn = rotation_vector(values[-4:])
        turn[k] = value / unit
        size = float(np.linalg.norm(turn))
        # beyond half a turn the other direction is shorter
        turn *= min(1.0, math.pi / max(size, 1e-12))
        values[-4:] = quaternion(turn)
        joint.value = values
        moved()

    return Slider(
        f"{joint.name} turn {AXES[k]}",
        -most * unit,
        most * unit,
        float(rotation_vector(np.array(joint.values[-4:]))[k]) * unit,
        apply,
        show=_text(True, in_degrees),
        read=lambda: float(rotation_vector(np.array(joint.values[-4:]))[k]) * unit,
    )


def _text(turns: bool, in_degrees: bool) -> Callable[[float], str]:
    if not turns:
        return lambda value: f"{value:.2f}"
    if in_degrees:
        return lambda value: f"{round(value)}°"
    return lambda value: f"{value:.2f} rad"


def rotation_vector(quat: Floats) -> Floats:
    """Return axis times angle of a quaternion w x y z, at most half a turn."""
    w, xyz = float(quat[0]), np.array(quat[1:], float)
    sine = float(np.linalg.norm(xyz))
    if sine < 1e-12:
        return np.zeros(3)
    angle = 2.0 * math.atan2(sine, abs(w))
    return math.copysign(angle, w) / sine * xyz


def quaternion(turn: Floats) -> Floats:
    """Return the quaternion w x y z of axis times angle."""
    angle = float(np.linalg.norm(turn))
    if angle < 1e-12:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.array([math.cos(0.5 * angle), *(math.sin(0.5 * angle) / angle * turn)])
