"""Writes joint speeds and posture from the settings into a joint space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import nan
from typing import Any

from ..errors import SettingError
from ..kernels import buffer
from ..model.limits import FARTHEST, FARTHEST_SLIDE
from ..model.skeleton import SkeletonModel, find_joint
from .joint_limits import AXES, CONE, SLIDE, follows
from .joint_space import JointSpace
from .settings import SolveSettings

ANY_SPEED = -1.0


def apply_motion(
    space: JointSpace, settings: SolveSettings, model: SkeletonModel, shift: int = 0
) -> None:
    """Set the joints' speeds, the posture with its weights, and the damping.

    Args:
        space: The joints.
        settings: The speeds, the posture, its weights, and the damping.
        model: The joints that names and indices refer to.
        shift: Number of joints of the space before the model's first one.

    Raises:
        SettingError: A name or index is not a joint, or a joint has no single value.
    """
    buffers, first = space.buffers, space.first
    space.descent.strength = settings.damping
    speeds = [ANY_SPEED] * len(model.parents)
    for j, speed in _by_joint(model, settings.joint_speeds, "joint_speeds"):
        speeds[j] = speed
    _lead(space, speeds, shift)
    buffers["speed"][:] = buffer([*[ANY_SPEED] * shift, *speeds])
    weights = [1.0] * len(buffers["posture_weight"])
    for j, weight in _by_joint(model, settings.posture_weights, "posture_weights"):
        for k in range(first[j + shift], first[j + shift + 1]):
            weights[k] = weight
    buffers["posture_weight"][:] = buffer(weights)
    posture = [nan] * len(weights)
    if settings.posture == "middle":
        for j in range(len(first) - 1):
            posture[first[j] : first[j + 1]] = _middle(space, j)
    elif isinstance(settings.posture, Mapping):
        for j, value in _by_joint(model, settings.posture, "posture"):
            k = first[j + shift]
            one = first[j + shift + 1] == k + 1
            if not one or buffers["kind"][j + shift] not in (AXES, SLIDE):
                raise SettingError(
                    f"posture: {model.names[j]} has no single value: give values only "
                    "for joints with a HingeLimit or SlideLimit; the others are "
                    "drawn to their start pose"
                )
            posture[k] = value
    buffers["posture"][:] = buffer(posture)


def settle(
    space: JointSpace, settings: SolveSettings, tolerance: float, dt: float
) -> None:
    """Move a pose to its posture, in so far as its goals leave it free."""
    fraction = 1.0 - (1.0 - settings.posture_weight) ** (60.0 * dt)
    space.posture.settling = 0
    if fraction > 0.0:
        space.posture.settle(fraction, tolerance, settings.orientation_tolerance)


def _by_joint(
    model: SkeletonModel, values: Mapping[str | int, float] | None, what: str
) -> Iterator[tuple[int, float]]:
    """Yield values by name or index with the joint's index.

    Values by name may be those of a whole robot: names outside this chain are skipped.
    """
    values = values or {}
    own = any(key in model.names for key in values)
    for key, value in values.items():
        if not own or not isinstance(key, str) or key in model.names:
            yield find_joint(model, key, what), value


def _lead(space: JointSpace, speeds: list[float], shift: int) -> None:
    """Limit the speeds of leading joints by those of the joints that follow."""
    for j, limit in space.limits.items():
        coupling = follows(limit)
        if coupling is None or speeds[j - shift] == ANY_SPEED or not coupling[1]:
            continue
        lead = coupling[0] - shift
        most = speeds[j - shift] / abs(coupling[1])
        known = speeds[lead] != ANY_SPEED
        speeds[lead] = min(most, speeds[lead]) if known else most


def _middle(space: JointSpace, j: int) -> list[float]:
    """Return the middle of each range of a joint; NaN without a range."""
    buffers, f = space.buffers, space.first[j]
    kind, half = buffers["kind"][j], buffers["half"]
    found: list[Any] = []
    for k in range(f, space.first[j + 1]):
        lower, upper = buffers["lower"][k], buffers["upper"][k]
        if kind == CONE and k < f + 2:
            lower, upper = -half[4 * j + k - f + 2], half[4 * j + k - f]
        most = FARTHEST_SLIDE if kind == SLIDE else FARTHEST
        bound = kind in (AXES, CONE, SLIDE) and lower > -most and upper < most
        found.append(0.5 * (lower + upper) if bound else nan)
    return found
