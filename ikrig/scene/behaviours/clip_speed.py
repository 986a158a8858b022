"""clip_speed: how fast a clip's own feet go over the ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...errors import BindError, shown, suggest
from ..actor.actor_rig import ActorRig
from .sole import find_feet, stand

__all__ = ["clip_speed"]

LOW = 0.1
"""Share of its way up within which a foot bears."""


def clip_speed(
    actor: Actor,
    clip: str,
    part: str = "modelRoot",
    *,
    feet: Sequence[str] | None = None,
) -> float:
    """Measure how fast an Actor must move so that a clip's feet don't slide.

    A foot that bears goes backwards as fast as the figure goes forwards: of each foot's
    lowest tenth of its way up and down, the median speed along the ground counts.

        speed = ikrig.clip_speed(actor, "walk")
        actor.set_y(actor, -speed * dt)

    Args:
        actor: The Actor; it is left as it is.
        clip: Name of the clip.
        part: Name of the part.
        feet: Joints of the feet. Default: those found.

    Returns:
        Speed in units of the Actor's parent a second; 0 for a clip that stands.

    Raises:
        BindError: There is no such clip or joint, or no foot is found.
    """
    names = list(actor.get_anim_names())
    if not isinstance(clip, str) or clip not in names:
        raise BindError(f"clip {shown(clip)} is unknown: {suggest(clip, names)}")
    rig = ActorRig(actor, part)
    try:
        skeleton = rig.skeleton
        joints = find_feet(skeleton, feet)
        # a toe bears longest, and does not turn about itself
        ends = [_toe(skeleton, joint) for joint in joints]
        frames = int(actor.get_num_frames(clip) or 0)
        to_parent = actor.get_mat()
        seen = np.empty((frames, len(ends), 3))
        for frame in range(frames):
            pose = stand(skeleton, (clip, frame))
            for k, end in enumerate(ends):
                place = to_parent.xform_point(p3d.LPoint3f(pose[end].get_row3(3)))
                seen[frame, k] = place[0], place[1], place[2]
    finally:
        rig.detach()
    rate = actor.get_base_frame_rate(clip) or 0.0
    speeds: list[float] = []
    for track in np.moveaxis(seen, 1, 0):
        heights = track[:, 2]
        low = heights <= heights.min() + LOW * np.ptp(heights)
        steps = np.linalg.norm(np.diff(track[:, :2], axis=0), axis=1) * rate
        speeds += steps[low[1:] & low[:-1]].tolist()
    return float(np.median(speeds)) if speeds else 0.0


def _toe(skeleton: Any, joint: str) -> str:
    """Return the first joint that hangs on a foot, or the foot."""
    children = skeleton.children(joint)
    return str(children[0]) if children else joint
