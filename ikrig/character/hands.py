"""Finds palms and fingers of a character, by names, geometry and skin.

A hand has any number of fingers of any number of joints, and any names or none: five
fingers, a mitten with a thumb, a claw whose fingers close on one another, or none, and
then it is a palm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import atan2, radians

import numpy as np

from ..math3d.quaternion import Floats
from .bone_names import Side
from .bone_words import FINGERS
from .figure import Figure, skin_end
from .limb import Limb, Place

FULL: dict[bool, dict[int, tuple[float, ...]]] = {
    False: {1: (95.0,), 2: (85.0, 110.0), 3: (80.0, 105.0, 65.0)},
    True: {1: (70.0,), 2: (40.0, 70.0), 3: (15.0, 50.0, 75.0)},
}
"""Angles of the joints of a closed finger, by their number, and of a thumb [degrees]:
ranges of motion of a person's hand, a little less at the base of a thumb."""
MOST_JOINTS = 8
"""Joints of a finger beyond which the others keep the pose of the file."""
OPPOSED = 0.45
"""How far a finger without a name stands apart to be the thumb [rad]."""
AROUND = 0.5
"""Ratio of the spreads of knuckles from which fingers stand around a claw's palm."""
ALIKE = 0.7
"""How alike two fingers are in length and place that are the jaws of a pincer."""
CENTRE = 0.6
"""Where the palm's centre is on the way from the wrist to the knuckles."""
FAN = radians(14)
"""Angle of the outermost fingers at full spread [rad]."""
ABDUCTION = radians(40)
"""The same of the thumb [rad]."""
OPPOSITION = radians(100)
"""Angle about the palm's length by which a thumb opposes the fingers fully [rad]."""
PALM = 40
"""Most points of the palm's skin."""
PRESSED, BALL = 0.025, 0.048
"""How far the ball of a thumb yields, and the most that it then holds a bar off, as
fractions of the palm's length."""
_ORDER = list(FINGERS)


@dataclass(frozen=True)
class FoundFinger:
    """A finger. Places and directions are those of the figure, in the pose of its file.

    Args:
        name: "thumb", "index", "middle", "ring", "pinky"; "finger_6" and so on beyond.
        joints: Its joints, from the knuckle to the tip.
        axis: Unit axis about which its joints curl to the palm, by positive angles.
        straight: Angles about the axis that straighten it [rad].
        full: Angles of its joints when it is closed, from straight [rad].
        points: Places of its joints, and its tip.
        spheres: Spheres that fill it: number of the joint, centre and radius.
    """

    name: str
    joints: tuple[str, ...]
    axis: Place
    straight: tuple[float, ...]
    full: tuple[float, ...]
    points: tuple[Place, ...]
    spheres: tuple[tuple[int, Place, float], ...]

    @property
    def is_thumb(self) -> bool:
        """Whether it is the thumb."""
        return self.name == "thumb"

    @property
    def tip(self) -> Place:
        """Its end."""
        return self.points[-1]


@dataclass(frozen=True)
class FoundHand:
    """A hand. Places and directions are those of the figure, in the pose of its file.

    Args:
        name: The limb's name, such as "left_hand".
        side: "left", "right" or "".
        joint: Joint of the hand: what moves the palm.
        centre: Middle of the palm, on its skin.
        normal: Unit direction out of the palm.
        forward: Unit direction from the wrist to the fingers, square to the normal.
        thumb_side: Unit direction to the thumb, square to both: the axis of a bar that
            the hand grips.
        length: Length of the palm, from the wrist to the knuckles.
        palm: Points of the palm's skin that stand out most, which touch first.
        fingers: Its fingers, from the thumb on; none: it is a palm only.
    """

    name: str
    side: Side
    joint: str
    centre: Place
    normal: Place
    forward: Place
    thumb_side: Place
    length: float
    palm: tuple[Place, ...] = ()
    fingers: tuple[FoundFinger, ...] = ()

    def finger(self, name: str) -> FoundFinger | None:
        """Return the finger of a name, or None."""
        return next((each for each in self.fingers if each.name == name), None)


def find_hand(figure: Figure, limb: Limb) -> FoundHand:
    """Return the palm and the fingers at the end of a limb."""
    joint = limb.joints[-1]
    wrist = figure.positions[joint]
    chains = [] if limb.end is not None else _chains(figure, joint)
    above = figure.parents[joint]
    before = wrist - (figure.positions[above] if above else wrist - (0.0, 0.0, 1.0))
    if not chains:
        return _palm_only(figure, limb, before)
    around = _stand_around(wrist, before, chains)
    if not around:
        _name_thumb(wrist, chains)
    fingers = [x for x in chains if x.name != "thumb"] or chains
    knuckles = np.mean([x.points[0] for x in fingers], axis=0)
    forward = knuckles - wrist
    length = float(np.linalg.norm(forward))
    ways = sum((x.way for x in fingers), np.zeros(3))
    reach = max(float(np.linalg.norm(x.points[-1] - x.points[0])) for x in fingers)
    if length < 0.1 * reach:
        forward, length = ways, 0.6 * reach
    forward = _unit(forward, before)
    if around:
        normal, forward = forward, _square(fingers[0].points[0] - knuckles, forward)
        across = np.cross(forward, normal)
    else:
        across = _across(figure, chains, fingers, forward)
        normal = np.cross(forward, across)
        if _is_inside_out(limb.side, chains, forward, normal):
            normal = -normal
    if not around:
        _name_rest(chains, across)
    chains.sort(key=lambda x: _ORDER.index(x.name) if x.name in _ORDER else 9)
    shape = FoundHand(
        limb.name, limb.side, joint, _place(wrist), _place(normal), _place(forward),
        _place(across), length,
    )  # fmt: skip
    skin = _palm_skin(figure, joint, chains)
    depth = _palm_depth(skin, shape, knuckles)
    centre = wrist + CENTRE * (knuckles - wrist) + depth * normal
    made = [_finger(figure, x, shape, knuckles if around else None) for x in chains]
    made = _thicken(made, reach)
    if around:
        whole = replace(shape, fingers=tuple(made))
        made = [_closed(whole, finger, knuckles) for finger in made]
    centre = centre + _over_thumb(made, centre, normal, forward, length) * normal
    palm = tuple(map(_place, skin[np.argsort(skin @ -normal, kind="stable")[:PALM]]))
    return replace(shape, centre=_place(centre), palm=palm, fingers=tuple(made))


@dataclass
class _Chain:
    joints: list[str]
    points: Floats
    """Its joints and its tip."""
    name: str = ""

    @property
    def way(self) -> Floats:
        return _unit(self.points[-1] - self.points[0])


# -- the chains of joints --------------------------------------------------------------


def _chains(figure: Figure, joint: str) -> list[_Chain]:
    firsts = list[str]()
    spread = [joint]
    for above in spread:
        for child in figure.children[above]:
            name = figure.name_of(child)
            # fingers may be controls or have tips by name, but not be weapons
            if child not in figure.live or (
                name.is_helper and not name.is_any("finger")
            ):
                continue
            below = [x for x in figure.children[child] if x in figure.live]
            # a piece of the palm carries several fingers
            if len(below) > 1:
                spread.append(child)
            else:
                firsts.append(child)
    chains = [_follow(figure, first) for first in firsts]
    named = [x for x in chains if figure.name_of(x.joints[-1]).is_any("finger")]
    chains = named or chains
    lengths = [float(np.linalg.norm(np.ptp(x.points, axis=0))) for x in chains]
    return [
        x
        for x, length in zip(chains, lengths, strict=True)
        if length > 0.15 * max(lengths)
    ]


def _follow(figure: Figure, first: str) -> _Chain:
    joints, end = [first], None
    while len(joints) <= MOST_JOINTS:
        below = figure.children[joints[-1]]
        live = [x for x in below if x in figure.live and not _is_end(figure, x)]
        if not live:
            end = next((figure.positions[x] for x in below), None)
            break
        joints.append(live[0])
    word = _finger_word(figure, joints)
    if word != "thumb" and len(joints) > 3 and len(joints) <= MOST_JOINTS:
        # the bone in the palm does not curl
        joints = joints[1:]
    points = [figure.positions[x] for x in joints[:MOST_JOINTS]]
    bone = points[-1] - (points[-2] if len(points) > 1 else points[-1])
    tip = _skin_tip(figure, joints[-1], bone)
    if tip is None:
        tip = end if end is not None else points[-1] + 0.8 * bone
    if not (tip - points[-1]).any():
        above = figure.parents[first]
        tip = points[-1] + 0.8 * (points[0] - figure.positions[above or first])
    return _Chain(joints[:MOST_JOINTS], np.array([*points, tip]), word)


def _skin_tip(figure: Figure, joint: str, bone: Floats) -> Floats | None:
    points = figure.skin.get(joint, np.zeros((0, 3))) - figure.positions[joint]
    way = np.median(points, axis=0) if len(points) else np.zeros(3)
    if not way.any() or (bone.any() and float(way @ bone) <= 0.0):
        return None
    way = _unit(way)
    points = _near_line(points, way)
    along = points @ way
    last = points[along > 0.75 * along.max()]
    beside = last - np.outer(last @ way, way)
    middle = (beside.min(axis=0) + beside.max(axis=0)) / 2
    return np.asarray(figure.positions[joint] + middle + float(along.max()) * way)


def _near_line(points: Floats, way: Floats) -> Floats:
    """Return the points without those far off the line: strays of other fingers."""
    beside = np.linalg.norm(points - np.outer(points @ way, way), axis=1)
    return np.asarray(points[beside <= 2.2 * np.median(beside)])


def _is_end(figure: Figure, joint: str) -> bool:
    named = figure.name_of(joint).is_any("end") and not figure.children[joint]
    return named and joint not in figure.skin


def _finger_word(figure: Figure, joints: list[str]) -> str:
    words = {word for joint in joints for word in figure.name_of(joint).words}
    return next((name for name, known in FINGERS.items() if words & known), "")


def _stand_around(wrist: Floats, before: Floats, chains: list[_Chain]) -> bool:
    if len(chains) < 2 or any(x.name for x in chains):
        return False
    bases = np.array([x.points[0] for x in chains])
    if len(chains) == 2:
        # a pincer has two of one length, on either side of the forearm's line
        lengths = [np.linalg.norm(np.diff(x.points, axis=0), axis=1) for x in chains]
        sizes = [float(each.sum()) for each in lengths]
        way = _unit(before)
        a, b = (base - wrist - ((base - wrist) @ way) * way for base in bases)
        apart = np.linalg.norm(a), np.linalg.norm(b)
        along = (bases - wrist) @ way
        return bool(
            float(a @ b) < -ALIKE * max(apart) ** 2
            and min(sizes) > ALIKE * max(sizes)
            and abs(along[0] - along[1]) < (1.0 - ALIKE) * max(sizes)
        )
    tips = np.array([x.points[-1] for x in chains])
    way = _unit(tips.mean(axis=0) - wrist)
    flat = bases - bases.mean(axis=0)
    flat -= np.outer(flat @ way, way)
    spread = np.linalg.svd(flat, compute_uv=False)
    return bool(spread[1] > AROUND * spread[0] > 0.0)


def _name_thumb(wrist: Floats, chains: list[_Chain]) -> None:
    """Name the finger that stands apart a thumb, unless one has the name."""
    if len(chains) < 2 or any(x.name == "thumb" for x in chains):
        return
    scores = []
    for chain in chains:
        if chain.name:
            scores.append(-1.0)
            continue
        others = [x for x in chains if x is not chain]
        way = _unit(sum((_unit(x.points[-1] - wrist) for x in others), np.zeros(3)))
        cosine = float(_unit(chain.points[-1] - wrist) @ way)
        far = np.mean([np.linalg.norm(x.points[0] - wrist) for x in others])
        near = 1.0 - float(np.linalg.norm(chain.points[0] - wrist)) / max(far, 1e-9)
        scores.append(float(np.arccos(np.clip(cosine, -1.0, 1.0))) + 0.8 * near)
    best = int(np.argmax(scores))
    if scores[best] > OPPOSED or len(chains) == 2:
        chains[best].name = "thumb"


def _name_rest(chains: list[_Chain], across: Floats) -> None:
    unnamed = [x for x in chains if not x.name]
    unnamed.sort(key=lambda x: -float(x.points[0] @ across))
    taken = {x.name for x in chains}
    free = [name for name in _ORDER if name not in taken and name != "thumb"]
    free += [f"finger_{k}" for k in range(6, 6 + len(chains))]
    for chain, name in zip(unnamed, free, strict=False):
        chain.name = name
    seen: set[str] = set()
    for chain in chains:
        if chain.name in seen:
            chain.name = next(x for x in free if x not in seen and x not in taken)
        seen.add(chain.name)


# -- the frame of the palm -------------------------------------------------------------


def _across(
    figure: Figure, chains: list[_Chain], fingers: list[_Chain], forward: Floats
) -> Floats:
    thumb = next((x for x in chains if x.name == "thumb"), None)
    bases = np.array([x.points[0] for x in fingers])
    middle = bases.mean(axis=0)
    to_thumb = np.zeros(3)
    if thumb is not None and thumb not in fingers:
        to_thumb = _square((thumb.points[0] + thumb.points[-1]) / 2 - middle, forward)
    if len(fingers) > 1:
        spread = bases - middle
        spread -= np.outer(spread @ forward, forward)
        line = np.linalg.svd(spread)[2][0]
        known = [x for x in fingers if x.name in _ORDER]
        if to_thumb.any():
            sign = to_thumb
        elif len(known) > 1:
            known.sort(key=lambda x: _ORDER.index(x.name))
            sign = known[0].points[0] - known[-1].points[0]
        else:
            sign = line
        return _unit(_square(line if line @ sign >= 0.0 else -line, forward))
    wide = _wide(figure, fingers[0].joints, forward)
    if wide is not None and to_thumb.any():
        return wide if wide @ to_thumb >= 0.0 else -wide
    if to_thumb.any():
        return to_thumb
    return wide if wide is not None else _square(np.array((0.0, 1.0, 0.3)), forward)


def _wide(figure: Figure, joints: list[str], forward: Floats) -> Floats | None:
    skins = [figure.skin[x] for x in joints if x in figure.skin]
    if not skins or sum(map(len, skins)) < 6:
        return None
    points = np.concatenate(skins)
    points = points - (points.min(axis=0) + points.max(axis=0)) / 2
    points -= np.outer(points @ forward, forward)
    _, sizes, axes = np.linalg.svd(points, full_matrices=False)
    return _square(axes[0], forward) if sizes[0] > 1.5 * sizes[1] else None


def _is_inside_out(
    side: Side, chains: list[_Chain], forward: Floats, normal: Floats
) -> bool:
    """Return whether forward x across points out of the back of a hand."""
    bend = np.zeros(3)
    out = 0.0
    for chain in chains:
        bones = np.diff(chain.points, axis=0)
        if chain.name == "thumb":
            out = float((chain.points[-1] - chain.points[0]) @ normal)
            continue
        bones /= np.maximum(np.linalg.norm(bones, axis=1, keepdims=True), 1e-12)
        for a, b in pairwise(bones):
            bend += np.cross(a, b)
    bent = float(np.cross(bend, forward) @ normal) / len(chains)
    # by more than the slack of a hand: it shows its inside
    if abs(bent) > 0.5 or (not side and abs(bent) > 0.1):
        return bent < 0.0
    if side:
        return side == "right"
    return out < 0.0


def _palm_skin(figure: Figure, joint: str, chains: list[_Chain]) -> Floats:
    # that of the palm's other bones, too
    own, seen = [joint], {x for chain in chains for x in chain.joints}
    for name in own:
        own += [x for x in figure.children[name] if x not in seen and len(own) < 20]
    return np.concatenate([figure.skin.get(x, np.zeros((0, 3))) for x in own])


def _palm_depth(skin: Floats, hand: FoundHand, knuckles: Floats) -> float:
    """Return how far the skin of the palm is from the plane of wrist and knuckles."""
    usual = 0.15 * hand.length
    if not len(skin):
        return usual
    wrist = np.array(hand.centre)
    away = skin - (wrist + CENTRE * (knuckles - wrist))
    out = away @ np.array(hand.normal)
    beside = away @ np.array((hand.forward, hand.thumb_side)).T
    far = np.linalg.norm(beside, axis=1)
    chosen = (out > 0.0) & (far < hand.length)
    if not chosen.any():
        return usual
    out, beside, far = out[chosen], beside[chosen], far[chosen]
    near = np.argsort(far)[:8]
    out, beside, far = out[near], beside[near], far[near]
    weight = 1.0 / (far + 0.1 * hand.length)
    mean = float(weight @ out / weight.sum())
    if len(near) < 4:
        return mean
    # the plane through the nearest of them, at the centre
    columns = np.column_stack((np.ones(len(out)), beside)) * weight[:, None]
    found = np.linalg.lstsq(columns, out * weight, rcond=0.05)[0]
    return float(np.clip(found[0], 0.5 * mean, min(1.5 * mean, float(out.max()))))


def _over_thumb(
    fingers: list[FoundFinger],
    centre: Floats,
    normal: Floats,
    forward: Floats,
    length: float,
) -> float:
    """Return how far the ball of a thumb, pressed a little, holds a bar off the palm.

    That of a thumb whose base is in front of the palm; what is farther from the base
    gives way as the thumb opens.
    """
    most = 0.0
    for finger in fingers:
        if not finger.is_thumb:
            continue
        for k, spot, radius in finger.spheres:
            away = np.subtract(spot, centre)
            base = np.linalg.norm(np.subtract(spot, finger.points[0]))
            if k == 0 and base <= 1.3 * radius and abs(away @ forward) <= 0.2 * length:
                most = max(most, float(away @ normal) + radius)
    return min(max(0.0, most - PRESSED * length), BALL * length)


def _palm_only(figure: Figure, limb: Limb, before: Floats) -> FoundHand:
    """Return a hand without fingers: it faces down, or to the body where it hangs."""
    joint = limb.joints[-1]
    wrist = figure.positions[joint]
    end = limb.end or skin_end(figure, joint, _unit(before))
    if end is None:
        below = [figure.positions[x] for x in figure.children[joint]]
        end = below[0] if below and (below[0] - wrist).any() else wrist + 0.3 * before
    reach = np.asarray(end) - wrist
    length = float(np.linalg.norm(reach)) or 1e-3 * max(figure.size, 1.0)
    forward = _unit(reach, before)
    low, high = figure.bounds
    inward = (low + high) / 2 - wrist
    inward = _unit(np.array((inward[0], inward[1], 0.0)))
    normal = _square(inward - (0.0, 0.0, 1.0), forward)
    wide = _wide(figure, [joint], forward)
    if wide is not None:
        flat = np.cross(forward, wide)
        if abs(float(flat @ normal)) > 0.5:
            normal = flat if flat @ normal > 0.0 else -flat
    across = np.cross(normal, forward)
    if limb.side == "right":
        across = -across
    middle = wrist + (0.85 if limb.end is not None else CENTRE) * reach
    depth = 0.0
    points = figure.skin.get(joint)
    if points is not None:
        away = points - middle
        near = np.linalg.norm(away - np.outer(away @ normal, normal), axis=1)
        close = np.argsort(near)[: max(4, len(points) // 4)]
        out = (away @ normal)[close]
        depth = float(np.median(out[out > 0.0])) if (out > 0.0).any() else 0.0
    return FoundHand(
        limb.name, limb.side, joint, _place(middle + depth * normal), _place(normal),
        _place(forward), _place(across), length,
    )  # fmt: skip


# -- fingers ---------------------------------------------------------------------------


def _finger(
    figure: Figure, chain: _Chain, hand: FoundHand, hub: Floats | None
) -> FoundFinger:
    forward, normal = np.array(hand.forward), np.array(hand.normal)
    side, way, thumb = np.array(hand.thumb_side), chain.way, chain.name == "thumb"
    ahead = forward
    if hub is not None:
        inward, ahead = hub - chain.points[0], way
    elif thumb:
        # across the palm, in the plane in which it lies
        out = _square(chain.points[-1] - chain.points[0], forward)
        out = out if out.any() else side
        inward = np.cross(forward, out)
        inward = 0.3 * (inward if inward @ normal > 0.0 else -inward) - out
    else:
        inward = normal
    axis = _unit(np.cross(way, inward), side)
    bones = [_unit(b, way) for b in np.diff(chain.points, axis=0)]
    bend = sum((np.cross(a, b) for a, b in pairwise(bones)), axis * 0)
    if float(bend @ axis) > 0.8 and not thumb:
        # it is curled: about its own axis
        axis = _unit(bend)
    straight = []
    last = bones[0] if thumb or hub is not None else ahead
    for bone in bones:
        angle = atan2(float(np.cross(last, bone) @ axis), float(last @ bone))
        straight.append(float(-np.clip(angle, -1.2, 1.2)))
        last = bone
    count = len(chain.joints)
    full = FULL[thumb].get(count) or (260.0 / count,) * count
    return FoundFinger(
        chain.name,
        tuple(chain.joints),
        _place(axis),
        tuple(straight),
        tuple(map(radians, full)),
        tuple(map(_place, chain.points)),
        tuple(_spheres(figure, chain, bones, axis)),
    )


def _closed(hand: FoundHand, finger: FoundFinger, hub: Floats) -> FoundFinger:
    """Return a finger of a claw that closes until its tip meets the others."""
    inward = _square(hub - np.array(finger.points[0]), np.array(hand.normal))
    shares = np.linspace(0.0, 1.0, 201)
    tips = _tips(hand, finger, shares, 0.0, 0.0) - hub
    there = np.flatnonzero(tips @ inward >= -finger.spheres[-1][2])
    share = float(shares[max(there[0], 1)]) if len(there) else 1.0
    return replace(finger, full=tuple(share * angle for angle in finger.full))


def _spheres(
    figure: Figure, chain: _Chain, bones: list[Floats], axis: Floats
) -> list[tuple[int, Place, float]]:
    """Return spheres along the bones of a finger, as thick as its skin.

    Where it is wider than thick, as a mitten, they are in rows. Radius 0: unknown.
    """
    found = []
    for k, (joint, bone) in enumerate(zip(chain.joints, bones, strict=True)):
        start, end = chain.points[k], chain.points[k + 1]
        length = float(np.linalg.norm(end - start))
        inward = _unit(np.cross(axis, bone), axis)
        away = figure.skin.get(joint, np.zeros((0, 3))) - start
        away = _near_line(away, bone) if len(away) else away
        along = away @ bone
        # the webs between fingers are no part of them
        clear = (along > 0.35 * length) & (along < 1.1 * length)
        if clear.sum() < 6:
            clear = (along > -0.1 * length) & (along < 1.1 * length)
        whole = _section(away[clear], inward, axis, length)
        step = whole[0] or 0.25 * length
        last = length - (whole[0] if k == len(bones) - 1 else 0.0)
        count = min(6, 2 + int(last / max(step, 1e-9)))
        places = np.linspace(0.15 * length, max(last, 0.2 * length), count)
        for place in places:
            near = away[abs(along - place) < 0.8 * (places[1] - places[0])]
            own = _section(near, inward, axis, length) if len(near) > 5 else whole
            radius, middle, rows = own
            for row in rows:
                centre = start + place * bone + middle + row * axis
                found.append((k, _place(centre), radius))
    return found


def _section(
    away: Floats, inward: Floats, axis: Floats, length: float
) -> tuple[float, Floats, list[float]]:
    """Return radius, middle and rows along the axis of spheres that fill a section."""
    if len(away) < 4:
        return 0.0, np.zeros(3), [0.0]
    deep, side = away @ inward, away @ axis
    radius, wide = float(np.ptp(deep)) / 2, float(np.ptp(side)) / 2
    radius = min(max(radius, 0.05 * length), 0.6 * length)
    # its inner side is where the skin is
    middle = (float(deep.max()) - radius) * inward + (float(side.max()) - wide) * axis
    if wide <= 1.6 * radius:
        return radius, middle, [0.0]
    count = min(5, 1 + int(np.ceil((wide - radius) / radius)))
    return radius, middle, np.linspace(radius - wide, wide - radius, count).tolist()


def _thicken(fingers: list[FoundFinger], reach: float) -> list[FoundFinger]:
    known = [x[2] for each in fingers for x in each.spheres if x[2] > 0.0]
    usual = float(np.median(known)) if known else 0.09 * reach
    return [
        replace(
            each,
            spheres=tuple((k, c, r if r > 0.0 else usual) for k, c, r in each.spheres),
        )
        for each in fingers
    ]


def spread_angles(hand: FoundHand, finger: FoundFinger) -> tuple[float, float, float]:
    """Return angles of a finger's first joint [rad].

    Returns:
        That of a full spread, that of full opposition, and how far it is opposed in the
        pose of the file.
    """
    if finger.is_thumb:
        out = np.subtract(finger.tip, finger.points[0])
        up, side = float(out @ hand.normal), float(out @ hand.thumb_side)
        return ABDUCTION, OPPOSITION, atan2(up, side)
    # where its knuckle is among those of the fingers, -1 to 1 from the last
    places = {f.name: float(np.dot(hand.thumb_side, f.points[0])) for f in hand.fingers}
    row = [x for name, x in places.items() if name != "thumb"]
    middle, half = (max(row) + min(row)) / 2, (max(row) - min(row)) / 2
    at = (places[finger.name] - middle) / half if half > 0.0 else 0.0
    return FAN * min(max(at, -1.0), 1.0), 0.0, 0.0


def pinch(hand: FoundHand) -> dict[str, float]:
    """Return the values of the pose in which tips of thumb and next finger touch.

    Without both of these it is empty, but for a claw, whose fingers meet when closed.
    """
    if len(hand.fingers) > 1 and not any(x.name for x in hand.fingers):
        return {"curl": 1.0}
    thumb = hand.finger("thumb")
    other = next((x for x in hand.fingers if not x.is_thumb), None)
    if thumb is None or other is None:
        return {}
    curls, spreads = np.linspace(0.0, 1.0, 21), np.array((0.0, 0.5, 1.0))
    opposed = np.linspace(0.4, 1.0, 13)
    ends = _tips(hand, other, *np.meshgrid(curls, 0.0, spreads, indexing="ij"))
    tips = _tips(hand, thumb, *np.meshgrid(curls, opposed, spreads, indexing="ij"))
    # by curl of the finger, then curl, opposition and spread of the thumb
    gaps = np.linalg.norm(tips[None] - ends[:, None], axis=-1)
    near = thumb.spheres[-1][2] + other.spheres[-1][2]
    cost = np.abs(gaps - near) / hand.length
    cost += 0.05 * np.abs(curls - 0.5)[:, None, None, None]
    cost += 0.05 * (1.0 - opposed)[:, None] + 0.03 * spreads
    i, k, j, s = np.unravel_index(int(cost.argmin()), cost.shape)
    curl = float(curls[i])
    return {
        "curl": 0.6 * curl,
        "spread": float(spreads[s]),
        "thumb": float(opposed[j]),
        "thumb_curl": float(curls[k]),
        f"{other.name}_curl": curl,
    }


def _tips(
    hand: FoundHand,
    finger: FoundFinger,
    curl: Floats,
    oppose: Floats | float,
    spread: Floats | float,
) -> Floats:
    normal, forward = np.array(hand.normal), np.array(hand.forward)
    side = np.array(hand.thumb_side)
    fan, full, now = spread_angles(hand, finger)
    turn = np.broadcast_to(np.eye(3), (*curl.shape, 3, 3))
    tip = np.array(finger.points[0])
    for k, (start, end) in enumerate(pairwise(finger.points)):
        own = _turns(np.array(finger.axis), finger.straight[k] + curl * finger.full[k])
        if k == 0:
            own = _turns(np.cross(forward, side), spread * fan) @ own
            own = _turns(np.cross(side, normal), oppose * full - now) @ own
        turn = turn @ own
        tip = tip + turn @ np.subtract(end, start)
    return tip


def _turns(axis: Floats, angle: Floats | float) -> Floats:
    x, y, z = axis
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    a = np.asarray(angle)[..., None, None]
    return np.asarray(np.eye(3) + np.sin(a) * cross + (1 - np.cos(a)) * cross @ cross)


def _unit(vector: Floats, other: Floats | None = None) -> Floats:
    """Return a vector of length 1; ``other`` for one without length."""
    size = float(np.linalg.norm(vector))
    if size > 1e-12:
        return np.asarray(vector) / size
    return np.array((1.0, 0.0, 0.0)) if other is None else _unit(other)


def _square(vector: Floats, to: Floats) -> Floats:
    """Return the unit part of a vector that is square to a direction, or 0."""
    rest = vector - (vector @ to) * to
    size = float(np.linalg.norm(rest))
    return rest / size if size > 1e-12 else np.zeros(3)


def _place(vector: Floats) -> Place:
    x, y, z = (float(v) + 0.0 for v in vector)
    return x, y, z
