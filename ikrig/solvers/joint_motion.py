"""Writes the settings of a solve into a joint space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import nan

from ..errors import SettingError
from ..kernels import buffer
from ..kernels.codes import AXES, CONE, SLIDE
from ..model.limits import FARTHEST, FARTHEST_SLIDE
from ..model.skeleton import SkeletonModel, find_joint
from .joint_limits import follows
from .joint_space import JointSpace
from .settings import SolveSettings

ANY_SPEED = -1.0
BY_ANIMATION = -1.0
"""As ``snap_back`` of a frame: it depends on whether the start pose is animated."""


def apply_motion(
    space: JointSpace, settings: SolveSettings, model: SkeletonModel, shift: int = 0
) -> None:
    """Set what a frame needs of the settings, and speeds and posture of the joints.

    Args:
        space: The joints.
        settings: The settings; their tolerance only where they have one.
        model: The joints that names and indices refer to.
        shift: Number of joints of the space before the model's first one.
    """
    buffers, first = space.buffers, space.first
    space.descent.strength = settings.damping
    frame, strength = space.frame, settings.snap_back_strength
    frame.iterations = settings.iterations
    frame.orientation_tolerance = settings.orientation_tolerance
    if settings.tolerance is not None:
        frame.tolerance = settings.tolerance
    frame.weight, frame.soften = settings.weight, settings.soften
    frame.snap_back = BY_ANIMATION if strength is None else strength
    frame.max_step = settings.max_step or 0.0
    frame.paced = bool(settings.joint_speeds)
    frame.posture_weight = settings.posture_weight
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
    found: list[float] = []
    for k in range(f, space.first[j + 1]):
        lower, upper = buffers["lower"][k], buffers["upper"][k]
        if kind == CONE and k < f + 2:
            lower, upper = -half[4 * j + k - f + 2], half[4 * j + k - f]
        most = FARTHEST_SLIDE if kind == SLIDE else FARTHEST
        bound = kind in (AXES, CONE, SLIDE) and lower > -most and upper < most
        found.append(0.5 * (lower + upper) if bound else nan)
    return found
