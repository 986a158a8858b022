"""Soles: finds the corners of an Actor's feet in its skin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import panda3d.core as p3d

from ...character.figure import Figure
from ...errors import BindError, shown, suggest
from ...math3d.quaternion import Floats
from ...value_shapes import Number
from ..actor.actor_figure import anatomy_of, figure_of, net_transforms
from ..actor.actor_model import control_of
from ..actor.actor_skeleton import ActorSkeleton

Corner = tuple[str, p3d.LPoint3f]
"""A joint, and a point that moves with it, in its space."""

CORNERS = (
    (0.15, ((1, 0.5), (1, -0.5), (-1, 0.5), (-1, -0.5))),
    (0.03, ((1, 0), (-1, 0), (0, 1), (0, -1))),
)
"""Heights up to which corners are searched, as fractions of the foot's size, with the
directions along it and across. The first are its extent, the second its contact."""


RIMS = (0.05, 0.1)
"""Heights of rims of round paws: shoes are flatter, and feet on their toes are less so
[leg lengths]."""
MARGIN = 0.08
"""Fraction of its size by which a sole is enlarged."""


_Known = dict[object, tuple[list[Corner], object]]
_SOLES: WeakKeyDictionary[Figure, _Known] = WeakKeyDictionary()


def soles_of(
    skeleton: ActorSkeleton, feet: Iterable[str], stance: tuple[str, int] | None
) -> list[list[Corner]]:
    """Return the corners of each foot's sole; they are searched for once a model."""
    clip, frame = _stance_of(skeleton, stance)
    known = _SOLES.setdefault(figure_of(skeleton), {})
    found = []
    pose = None
    for foot in feet:
        key = foot, frame, clip and clip.this
        if key not in known:
            if pose is None:
                pose = net_transforms(skeleton, clip, frame)
            # the clip stays, and so does its address
            known[key] = find_sole(skeleton, foot, pose), clip
        found.append(known[key][0])
    return found


def standing_pose(
    skeleton: ActorSkeleton, stance: tuple[str, int] | None
) -> dict[str, p3d.LMatrix4f]:
    """Return the transforms of all joints in the standing pose, in the Actor's space.

    Args:
        skeleton: The Actor's skeleton.
        stance: Name and frame of a clip; None: the pose of the model file.
    """
    return net_transforms(skeleton, *_stance_of(skeleton, stance))


def _stance_of(
    skeleton: ActorSkeleton, stance: tuple[str, int] | None
) -> tuple[Any, int]:
    if stance is None:
        return None, 0
    try:
        name, frame = stance[0], Number("", whole=True).of(stance[1])
    except (TypeError, ValueError, LookupError):
        raise BindError(
            f"stance must be (clip name, frame), not {shown(stance)}"
        ) from None
    actor, part = skeleton.actor, skeleton.part
    names = list(actor.get_anim_names())
    if name not in names:
        raise BindError(
            f"stance: Actor {actor.get_name()!r} has no clip {name!r}: "
            f"{suggest(name, names)}"
        )
    return control_of(actor, name, part).get_anim(), frame


def find_sole(
    skeleton: ActorSkeleton, foot: str, pose: Mapping[str, p3d.LMatrix4f]
) -> list[Corner]:
    """Return the corners of a foot's sole: the outermost points of its low skin.

    Returns:
        Up to eight corners, each at the joint that moves it; without skin, points on
        z = 0 below the foot's joints.
    """
    joints = [name for name in pose if foot in skeleton.lineage(name)]
    names: list[str] = []
    places: list[Floats] = []
    for skin in anatomy_of(skeleton).skins:
        moved = skin.placed(skin.strongest(joints), pose)
        if moved:
            # as the vertices follow each other
            order = np.argsort(np.concatenate([which for _, which, _ in moved]))
            owners = [name for name, which, _ in moved for _ in which]
            names += [owners[k] for k in order]
            places.append(np.concatenate([points for *_, points in moved])[order])
    if len(names) < 4:
        positions = [pose[joint].get_row3(3) for joint in joints]
        return [
            _corner(pose, joint, np.array((position[0], position[1], 0.0)))
            for joint, position in zip(joints, positions, strict=True)
        ]
    points = np.concatenate(places)
    lowest = points[:, 2].min()
    size = float(np.ptp(points[:, :2], axis=0).max())
    # its long side is the direction of the largest spread of the points
    away = points[:, :2] - points[:, :2].mean(axis=0)
    along = np.linalg.eigh(away.T @ away)[1][:, 1]
    sides = np.column_stack((away @ along, away @ (-along[1], along[0])))
    sides /= np.ptp(sides, axis=0)
    points[:, :2] += MARGIN * away
    corners = set()
    for band, directions in CORNERS:
        (low,) = np.nonzero(points[:, 2] <= lowest + band * size)
        corners |= {
            int(low[(sides[low] @ direction).argmax()]) for direction in directions
        }
    return [_corner(pose, names[k], points[k]) for k in sorted(corners)]


def rims_of(
    soles: Iterable[Sequence[Corner]],
    pose: Mapping[str, p3d.LMatrix4f],
    legs: Iterable[float],
) -> list[list[float]]:
    """Return how high each corner of round paws is over its plane, in leg lengths.

    0 for other soles: what is between a corner and the middle of a flat one would sink
    into an edge, and a foot may stand on its toes.

    Args:
        soles: Those of all feet of a figure.
        pose: How it stands.
        legs: The length of each one's leg.
    """
    found = []
    for sole, leg in zip(soles, legs, strict=True):
        points = np.array([pose[joint].xform_point(point) for joint, point in sole])
        away = np.c_[points[:, :2] - points[:, :2].mean(axis=0), np.ones(len(points))]
        heights = points[:, 2]
        heights = heights - away @ np.linalg.lstsq(away, heights, rcond=None)[0]
        found.append((heights - heights.min()) / max(leg, 1e-300))
    least, most = RIMS
    highest = [rims.max() if np.isfinite(rims).all() else np.inf for rims in found]
    is_round = max(highest, default=0.0) > least
    return [
        [float(rim) if is_round and high < most else 0.0 for rim in rims]
        for rims, high in zip(found, highest, strict=True)
    ]


def _corner(pose: Mapping[str, p3d.LMatrix4f], joint: str, position: Floats) -> Corner:
    back = p3d.LMatrix4f(pose[joint])
    back.invert_in_place()
    point = back.xform_point(p3d.LPoint3f(*position))
    return joint, p3d.LPoint3f(point)
