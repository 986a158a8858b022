"""actor_motion: the clip of an Actor as a Motion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

from ...errors import BindError
from ...math3d.quaternion import conjugate, rotate
from ...model.motion import Motion
from ..actor.actor_figure import limbs_of, net_transforms
from ..actor.actor_skeleton import clip_of
from ..behaviours.clip_speed import clip_velocity
from ..behaviours.sole import Corner, find_sole
from ..ik.node_transforms import decomposed
from ..rig_builder.model_loader import load_file

WALKS = 0.1
"""Least speed of a clip's feet with which the figure goes ahead [heights / s]."""
MOST_FRAMES = 100_000

Sole = tuple[tuple[str, tuple[float, float, float]], ...]


def actor_motion(
    actor: Actor, clip: str, part: str = "modelRoot", *, loop: bool = False
) -> Motion:
    """Return a clip of an Actor as a motion, in the Actor's own space.

    Where its feet run on the spot, it goes ahead at the speed at which they don't
    slide (``clip_speed``). Soles are those of the skin.

    Args:
        actor: The Actor, with a rig or without; neither is changed.
        clip: Name of the clip.
        part: Name of the part.
        loop: Whether the clip is played in a loop, so that its end must fit its start.

    Raises:
        BindError: There is no such Actor, part or clip.
    """
    with clip_of(actor, clip, part) as (skeleton, anim):
        frames, fps = anim.get_num_frames(), anim.get_base_frame_rate()
        if frames > MOST_FRAMES:
            raise BindError(f"clip {clip!r} has more than {MOST_FRAMES} frames")
        poses = [net_transforms(skeleton, anim, k) for k in range(frames)]
        rest = net_transforms(skeleton)
        turns, places = decomposed(np.array([list(pose.values()) for pose in poses]))
        still = decomposed(np.array(list(rest.values())))
        feet = [b.joints[-1] for b in limbs_of(skeleton).limbs if b.kind == "foot"]
        corners = {foot: find_sole(skeleton, foot, rest) for foot in feet}
        if feet:
            velocity = np.array((*clip_velocity(skeleton, anim, corners.values()), 0.0))
            height = float(np.ptp(still[1], axis=0).max())
            if np.linalg.norm(velocity) > WALKS * height:
                places = places + (np.arange(frames) / fps)[:, None, None] * velocity
        return Motion.from_world(
            turns,
            places,
            rest=still,
            names=list(skeleton.parents),
            parents=skeleton.model.joints.parents,
            fps=fps,
            name=f"{actor.get_name() or 'actor'} {clip}",
            loop=loop,
            soles=soles_of(rest, corners),
        )


def model_motions(
    path: Path, animation: str | None = None, *, loop: bool = False
) -> Iterator[Motion]:
    model = load_file(path.name, path.parent)
    if model is None or model.find("**/+Character").is_empty():
        raise BindError(f"{path} has no joints: it can't be loaded as an Actor")
    actor = Actor(model)
    actor.set_name(path.name.partition(".")[0])
    names = sorted(actor.get_anim_names())
    if not names:
        raise BindError(f"{path} has no animations")
    for name in names if animation is None else [animation]:
        yield actor_motion(actor, name, loop=loop)
    actor.cleanup()


def soles_of(
    rest: Mapping[str, p3d.LMatrix4f],
    corners: Mapping[str, Sequence[Corner]],
    size: float = 1.0,
) -> dict[str, Sole]:
    """Return the corners of soles in joints that are not scaled."""
    found: dict[str, Sole] = {}
    for foot, sole in corners.items():
        places = []
        for joint, point in sole:
            turn, place = decomposed(np.array(rest[joint]))
            away = np.array(rest[joint].xform_point(point), dtype=float) - place
            x, y, z = (size * rotate(conjugate(turn), away)).tolist()
            places.append((joint, (x, y, z)))
        found[foot] = tuple(places)
    return found
