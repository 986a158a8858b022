"""Finds what hangs from a character: hair, tails, ears, skirts, straps."""

from __future__ import annotations

from math import dist
from typing import NamedTuple

import numpy as np

from ..model.pose import Pose, chains_below, rest_nets
from ..model.springs import Collider, Spring
from .bone_names import parse_name
from .limb import FoundLimbs


class Kind(NamedTuple):
    """How a kind of thing swings, of a character 1.6 m tall."""

    words: str
    stiffness: float
    gravity_power: float
    drag_force: float


KINDS = (
    Kind("tail queue cauda schwanz", 0.9, 0.15, 0.25),
    Kind("ear ohr oreille oreja antenna feeler whisker horn fin wing", 2.5, 0.1, 0.4),
    Kind(
        "hair haar braid ponytail pigtail bang bangs fringe mane ahoge forelock "
        "twintail strand lock bun cheveux pelo capelli volosy beard mustache",
        0.8, 0.3, 0.4,
    ),
    Kind(
        "skirt dress cape cloak coat robe cloth scarf ribbon sleeve strap belt tassel "
        "string rope chain hood tie bow banner flag rock",
        0.9, 0.5, 0.5,
    ),
    Kind("breast boob bust jiggle belly spring", 3.0, 0.2, 0.4),
)  # fmt: skip
"""The kinds, by words in joints' names."""
TALL = 1.6
"""Height for which these forces are [m]."""
HEAD = 0.9
"""Radius of a head, as a part of its joint's height above the neck or of its skin."""
THIGH = 0.2
"""Radius of a thigh, as a part of its length."""


def find_springs(
    pose: Pose, limbs: FoundLimbs
) -> tuple[dict[str, Spring], dict[str, Collider]]:
    """Return springs for all that hangs from a character, and colliders of its body.

    What hangs has a word of ``KINDS`` in its name and carries no limb of the body.
    """
    net = rest_nets(pose)[:, 3, :3]
    body = {
        joint for limb in limbs.limbs if limb.kind != "tail" for joint in limb.joints
    }
    body.update((limbs.head, *limbs.eyes, *limbs.face))
    carries = set(body)
    for j in reversed(range(pose.n)):
        if pose.names[j] in carries and pose.parents[j] >= 0:
            carries.add(pose.names[pose.parents[j]])
    tall = _height(net) / TALL
    springs: dict[str, Spring] = {}
    taken: set[str] = set()
    for j, name in enumerate(pose.names):
        kind = _kind(name)
        if kind is None or name in carries or name in taken:
            continue
        for line in chains_below(pose, name):
            taken.update(line)
            tail = None
            if len(line) == 1:
                above = net[pose.parents[j]] if pose.parents[j] >= 0 else np.zeros(3)
                tail = max(0.5 * dist(net[pose.index[line[0]]], above), 0.01 * tall)
            springs[line[0]] = Spring(
                line,
                stiffness=kind.stiffness * tall,
                gravity_power=kind.gravity_power * tall,
                drag_force=kind.drag_force,
                hit_radius=0.01 * tall,
                tail=tail,
            )
    return springs, _colliders(pose, limbs, net)


def _height(net: np.ndarray) -> float:
    size = float(np.ptp(net, axis=0).max())
    return size if size > 1e-9 else TALL


def _kind(name: str) -> Kind | None:
    words = {word.rstrip("s") for word in parse_name(name).words}
    return next(
        (kind for kind in KINDS if words & {w.rstrip("s") for w in kind.words.split()}),
        None,
    )


def _colliders(pose: Pose, limbs: FoundLimbs, net: np.ndarray) -> dict[str, Collider]:
    found: dict[str, Collider] = {}
    turns = rest_nets(pose)

    def inside(joint: str, point: np.ndarray) -> list[float]:
        mat = np.linalg.pinv(turns[pose.index[joint]])
        return [float(x) for x in ([*point, 1.0] @ mat)[:3]]

    head = limbs.head
    if head in pose.index and limbs.eyes:
        # eyes are at half the height of a head, and near its front
        eyes = np.mean([net[pose.index[eye]] for eye in limbs.eyes], axis=0)
        middle = 0.5 * (eyes + net[pose.index[head]])
        radius = HEAD * float(np.linalg.norm(eyes - net[pose.index[head]]))
        found["head"] = Collider(head, radius, inside(head, middle))
    for limb in limbs.limbs:
        if limb.kind == "foot" and len(limb.joints) > 2:
            start, end = (net[pose.index[joint]] for joint in limb.joints[:2])
            radius = THIGH * float(np.linalg.norm(end - start))
            first = limb.joints[0]
            found[f"{limb.side} thigh".strip()] = Collider(
                first, radius, inside(first, start), inside(first, end)
            )
    return found
