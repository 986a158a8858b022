"""Finds head, neck and eyes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..math3d.quaternion import Floats
from .figure import Figure, is_ball
from .symmetry import Symmetry

NECK = 4
"""Maximum number of joints in a neck that is not named so."""
BRANCH = 0.2
"""Minimum size of a limb, as opposed to an ear or eye / figure's size."""
HEAD = 0.6
"""Minimum size of a head's skin / largest skin on the neck."""
MIDDLE_WIDTH = 0.25
"""Maximum distance of an eye from the head's skin / head's size."""
NEARER = 0.6
"""Minimum fraction of a jaw's skin that is nearer to the head than to the trunk."""
FACE = 0.2
"""Minimum fraction of a neck's skin that lies as far ahead as the head's face."""
SAMPLE = 600
"""Maximum number of points of a skin that are compared."""


def find_head(figure: Figure, limbs: Sequence[str], sides: Sequence[str]) -> str:
    """Return the joint of the head, or "" if none is found."""
    called = [
        joint
        for joint in figure.parents
        if joint in figure.live and figure.name_of(joint).is_end("head")
    ]
    if called:
        # of several, the one that carries the most skin: never one below another
        return max(called, key=lambda joint: len(figure.points(joint)))
    seeing = carrier_of_eyes(figure)
    if seeing and not any(figure.is_below(limb, seeing) for limb in limbs):
        return seeing
    return _topmost(figure, limbs, sides)


def carrier_of_eyes(figure: Figure) -> str:
    """Return the joint that both eyes hang on, above those of the face, or ""."""
    eyes = [
        joint
        for joint in figure.parents
        if _is_eye(figure, joint) and figure.name_of(joint).side
    ]
    if len({figure.name_of(eye).side for eye in eyes}) < 2:
        return ""
    shared = set.intersection(*(set(figure.lineage(eye)[1:]) for eye in eyes))
    for joint in reversed(figure.parents):
        if joint in shared and joint in (figure.skin or figure.parents):
            name = figure.name_of(joint)
            if not (name.is_helper or name.is_any("face", "eye")):
                return joint
    return ""


def find_carriers(figure: Figure, head: str, limbs: Sequence[str]) -> set[str]:
    """Return the joints of the trunk that arms and legs lie at without being below it.

    In some exports limbs hang on nothing, and would not follow the trunk's joints.
    """
    above: set[str] = set()
    line = figure.lineage(head) if head else []
    for limb in limbs:
        shared = [joint for joint in line if joint in figure.lineage(limb)]
        if len(line) < 2 or any(joint in figure.skin for joint in shared):
            continue
        apart = [
            _distance(figure.positions[limb], figure.positions[a], figure.positions[b])
            for b, a in pairwise(line)
        ]
        above |= set(line[1 + int(np.argmin(apart)) :])
    return above


def _distance(point: Floats, start: Floats, end: Floats) -> float:
    along, away = end - start, point - start
    part = float(away @ along) / max(float(along @ along), 1e-300)
    return float(np.linalg.norm(away - min(max(part, 0.0), 1.0) * along))


def _is_eye(figure: Figure, joint: str) -> bool:
    name = figure.name_of(joint)
    return name.is_any("eye") and not name.is_any("lid", "accessory", "control", "end")


def _topmost(figure: Figure, limbs: Sequence[str], sides: Sequence[str]) -> str:
    """Return the head of a figure without names: the topmost central joint."""
    large = [
        joint
        for joint in limbs
        if float(np.ptp(figure.points(joint), axis=0).max()) > BRANCH * figure.size
    ]
    if not large:
        return ""
    aside = {joint for root in (*limbs, *sides) for joint in figure.below(root)}
    carrying = {above for root in large for above in figure.lineage(root)[1:]}
    free = [
        joint
        for joint in figure.parents
        if joint in figure.live
        and joint not in aside
        and joint not in carrying
        and not figure.name_of(joint).is_helper
    ]
    # first joints of chains on neither side
    first = [j for j in free if figure.parents[j] not in free]
    middle = max(float(figure.positions[root][2]) for root in large)
    first = [j for j in first if figure.points(j)[:, 2].max() > middle]
    if not first:
        return ""
    top = max(first, key=lambda joint: float(figure.points(joint)[:, 2].max()))
    own = [joint for joint in figure.below(top) if joint in free]

    def extent(joint: str) -> float:
        skin = figure.skin.get(joint)
        return 0.0 if skin is None else float(np.ptp(skin, axis=0).max())

    if not figure.skin:
        return own[-1]
    # a horse's neck is larger than its head, and a hat smaller
    least = HEAD * max(map(extent, own))
    return [joint for joint in own if extent(joint) >= least][-1]


def neck_of(figure: Figure, head: str, carrying: set[str]) -> tuple[list[str], str]:
    """Return the neck's joints, and a joint named as neck that carries limbs or ""."""
    own: list[str] = []
    for joint in figure.lineage(head)[1:]:
        name = figure.name_of(joint)
        called = name.is_any("neck")
        if joint in carrying:
            return own[::-1], joint if called else ""
        # "jaw" and the like mean nothing here: an accessory carries no head
        other = name.means - {"accessory"} and not called
        below = own[-1] if own else head
        if (
            other
            and not _is_series(figure, joint, head)
            and not _is_series(figure, joint, below)
        ):
            break
        if (
            name.is_any("control", "end")
            or figure.distance(joint, below) < 1e-3 * figure.size
        ):
            break
        if not called and (not carrying or len(own) == NECK):
            break
        own.append(joint)
    return own[::-1], ""


def _is_series(figure: Figure, joint: str, other: str) -> bool:
    """Return whether names differ by numbers only: spine.005 and spine.006."""
    return figure.name_of(joint).words == figure.name_of(other).words


def find_eyes(figure: Figure, symmetry: Symmetry, head: str) -> tuple[str, ...]:
    """Return the joints of a head's eyes.

    They are named so and lie at the head's skin; or, without such names, they are
    exactly two joints with ball-shaped skin.
    """
    below = [joint for joint in figure.below(head)[1:] if _is_at(figure, head, joint)]
    called = [joint for joint in below if _is_eye(figure, joint)]
    # neither the parent of both eyes nor an iris below an eye counts as an eye
    holders = {
        joint
        for joint in called
        if len([c for c in figure.children[joint] if c in called]) > 1
    }
    eyes = [joint for joint in called if joint not in holders]
    eyes = [
        joint
        for joint in eyes
        if not any(above in eyes for above in figure.lineage(joint)[1:])
    ]
    if not eyes:
        balls = [joint for joint in below if is_ball(figure, joint)]
        eyes = balls if len(balls) == 2 else []
    return tuple(
        sorted(eyes, key=lambda joint: -symmetry.across(figure.positions[joint]))
        if symmetry.named
        else eyes
    )


def _is_at(figure: Figure, head: str, joint: str) -> bool:
    skin = figure.skin.get(head)
    if skin is None:
        return True
    beside = MIDDLE_WIDTH * float(np.ptp(skin, axis=0).max())
    position = figure.positions[joint]
    low, high = skin.min(axis=0) - beside, skin.max(axis=0) + beside
    return bool((position >= low).all() and (position <= high).all())


def find_face(
    figure: Figure,
    head: str,
    neck: Sequence[str],
    limbs: Sequence[str],
    forward: Floats,
) -> tuple[str, ...]:
    """Return joints that carry skin of the face but are not below the head.

    They are joints of the neck itself, or hang on it or on the joint above: jaws, lips,
    eyelids. Of those that hang on one another, the first.
    """
    own = _skin_below(figure, head)
    if own is None:
        return ()
    line = figure.lineage(head)
    found = [joint for joint in neck if _is_face(figure, joint, head, own, forward)]
    beside = {
        child: above
        for above in line[1 : len(neck) + 2]
        for child in figure.children[above]
        if child in figure.live
        and child not in line
        and not any(figure.is_below(limb, child) for limb in limbs)
    }
    apart = {joint for root in (head, *beside, *limbs) for joint in figure.below(root)}
    for joint, above in [*beside.items()] * 2:
        # a scarf hangs on the neck, too: what counts is what is behind the neck
        beyond = apart | set(figure.below(neck[0])) if above in neck else apart
        rest = [p for name, p in figure.skin.items() if name not in beyond]
        skin = _skin_below(figure, joint)
        if joint in found or skin is None or not rest:
            continue
        nearer = _distances(skin, own) < _distances(skin, np.concatenate(rest))
        if nearer.mean() > NEARER:
            # a lip hangs on a cheek
            own = np.concatenate([own, skin])
            found.append(joint)
    return tuple(found)


def _is_face(
    figure: Figure, joint: str, head: str, own: Floats, forward: Floats
) -> bool:
    skin = figure.skin.get(joint)
    if skin is None:
        return False
    position = figure.positions[head]
    up = position - figure.positions[joint]
    # percentiles of NumPy load its masked arrays
    heights = np.sort(own @ up)
    chin = np.interp(0.05 * (len(own) - 1), np.arange(len(own)), heights)
    ahead = 0.5 * float(((own - position) @ forward).max())
    face = ((skin - position) @ forward > ahead) & (skin @ up > chin)
    return bool(face.mean() > FACE)


def _skin_below(figure: Figure, joint: str) -> Floats | None:
    """Return the skin of a joint and those below it, or None."""
    skin = [figure.skin[name] for name in figure.below(joint) if name in figure.skin]
    return np.concatenate(skin) if skin else None


def _distances(points: Floats, others: Floats) -> Floats:
    """Return the distance of points from the nearest of others; samples of both."""
    few, many = (x[:: 1 + len(x) // SAMPLE] for x in (points, others))
    squares = (few * few).sum(1)[:, None] + (many * many).sum(1) - 2.0 * few @ many.T
    return np.asarray(squares.min(axis=1))
