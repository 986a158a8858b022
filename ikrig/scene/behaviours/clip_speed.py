"""clip_speed: the walking speed of a clip, from its feet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import hypot
from statistics import median

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...math3d.quaternion import Floats
from ..actor.actor_figure import net_transforms
from ..actor.actor_skeleton import ActorSkeleton, clip_of
from .legs import find_feet
from .sole import Corner, soles_of

CONTACT_HEIGHT = 0.1
"""Fraction of a foot's height range within which it has contact."""
STEP = 1.0 / 15.0
"""Time over which velocity is measured [s]: clips with few keys repeat frames."""
SAME = 1e-3
"""Distance of the feet in first and last frame for these to be one [way of a foot]."""
MAX_FRAMES = 3600
"""Maximum number of frames of a clip that are measured."""


def clip_speed(
    actor: Actor,
    clip: str,
    part: str = "modelRoot",
    *,
    feet: Sequence[str] | None = None,
) -> float:
    """Return the speed of an Actor at which a clip's feet don't slide.

    A foot in contact moves backwards as fast as the figure moves forwards. Contact is
    where the centre of a sole is in the lowest tenth of its height range and moves in
    the direction of low feet; the result is the median velocity there.

        speed = ikrig.clip_speed(actor, "walk")
        actor.set_y(actor, -speed * dt)

    Args:
        actor: The Actor, with a rig or without; neither is changed.
        clip: Name of the clip.
        part: Name of the part.
        feet: Joints of the feet. Default: those found.

    Returns:
        Speed in units of the Actor's parent per second; 0 for a clip that stands.

    Raises:
        BindError: There is no such Actor, part, clip or joint, or no foot is found.
    """
    with clip_of(actor, clip, part) as (skeleton, anim):
        joints = find_feet(skeleton, feet)
        soles = soles_of(skeleton, joints, None)
        velocity = clip_velocity(skeleton, anim, soles)
    x, y, _ = actor.get_mat().xform_vec((*velocity, 0.0))
    return hypot(x, y)


def clip_velocity(
    skeleton: ActorSkeleton, anim: p3d.AnimBundle, soles: Iterable[Sequence[Corner]]
) -> tuple[float, float]:
    """Return the velocity of an Actor at which a clip's feet don't slide.

    Returns:
        Velocity per second in the Actor's own space, along its ground.
    """
    tracks = clip_tracks(skeleton, anim, list(soles))
    return velocity_of(tracks, float(anim.get_base_frame_rate()))


def velocity_of(tracks: Sequence[Floats], rate: float) -> tuple[float, float]:
    middles = np.array([points.mean(axis=1) for points in tracks])
    span = min(max(round(rate * STEP), 1), middles.shape[1] - 1)
    if span < 1 or not rate > 0.0 or not np.isfinite(middles).all():
        return 0.0, 0.0
    size = float(np.ptp(middles, axis=(0, 1)).max())
    if np.abs(middles[:, 0] - middles[:, -1]).max() < SAME * size:
        # a loop: feet may stand in its end, on one side only
        middles = np.concatenate((middles[:, :-1], middles[:, :span]), axis=1)
    # twice as high as in the middle: they are only compared
    heights = middles[:, span:, 2] + middles[:, :-span, 2]
    steps = (middles[:, span:, :2] - middles[:, :-span, :2]) * rate / span
    # the direction of low feet is backwards: a foot may swing as low as it stands
    depths = heights.mean(axis=1, keepdims=True) - heights
    backwards = steps @ np.einsum("ij,ijk->k", depths, steps) > 0.0
    lowest = np.where(backwards, heights, np.inf).min(axis=1, keepdims=True)
    bears = backwards & (
        heights <= lowest + CONTACT_HEIGHT * np.ptp(heights, axis=1)[:, None]
    )
    if not bears.any():
        return 0.0, 0.0
    x, y = map(median, steps[bears].T.tolist())
    return -x, -y


def clip_tracks(
    skeleton: ActorSkeleton, anim: p3d.AnimBundle, soles: Sequence[Sequence[Corner]]
) -> list[Floats]:
    """Return the corners of each sole in all frames, in the Actor's space.

    They are read from the clip; the Actor is not posed.
    """
    joints = {joint for sole in soles for joint, _ in sole}
    lines = {name for joint in joints for name in skeleton.lineage(joint)}
    count = min(int(anim.get_num_frames()), MAX_FRAMES)
    found = [np.empty((count, len(sole), 3)) for sole in soles]
    for frame in range(count):
        pose = net_transforms(skeleton, anim, frame, lines)
        for points, sole in zip(found, soles, strict=True):
            for k, (joint, point) in enumerate(sole):
                points[frame, k] = tuple(pose[joint].xform_point(point))
    return found
