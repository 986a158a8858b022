"""The steps of a chain's frame in vectors and matrices; shares no code with ikrig.

Directions, positions and turns are root space's, positions from the root joint.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from tests.reference import unit

Vector = np.ndarray


def rotation(q) -> Rotation:
    """A rotation of w x y z."""
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


def shrunk(turn: Rotation, share: float, most: float) -> Rotation:
    """A share of a turn, the short way round, and no more than so many radians."""
    vector = share * turn.as_rotvec()
    angle = np.linalg.norm(vector)
    return Rotation.from_rotvec(vector * min(1.0, most / angle) if angle else vector)


def least_turn(a, b) -> Rotation:
    """The smallest rotation from a to b (not for opposite directions)."""
    axis = np.cross(unit(a), unit(b))
    sine = np.linalg.norm(axis)
    if sine < 1e-15:
        return Rotation.identity()
    return Rotation.from_rotvec(axis / sine * np.arctan2(sine, unit(a) @ unit(b)))


def squared(v, axis) -> Vector:
    """Return the part of a vector that is perpendicular to a unit axis."""
    return v - (v @ axis) * axis


def smooth(x: float) -> float:
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


def chord_and_bend(places, reach: float) -> tuple[Vector, Vector, float]:
    """The unit chord, the unit bend square to it and the bend's share of the reach."""
    chord = places[-1]
    if np.linalg.norm(chord) < 1e-9 * reach:
        chord = max(places[1:], key=lambda p: p @ p)
    chord = unit(chord)
    off = [squared(p, chord) for p in places[1:]]
    bend = np.sum(off, axis=0)
    if np.linalg.norm(bend) < 1e-6 * reach:
        bend = max(off, key=lambda p: p @ p)
    share = np.linalg.norm(bend) / reach
    if share < 1e-6:
        bend = np.array([1.0, 0, 0] if abs(chord[1]) > 0.99 else [0, 1.0, 0])
    return chord, unit(squared(bend, chord)), share


def eased(distance: float, reach: float, dead_zone: float, soften: float) -> float:
    """Return the distance of the tip from the root for a goal at a distance."""
    ease = soften * reach
    aim = distance
    if ease > 0.0 and distance > reach - ease:
        aim = reach - ease * np.exp(-(distance - (reach - ease)) / ease)
    return max(min(aim, reach), dead_zone)


def blended(line, own, other, k: float) -> Vector:
    """A side between two that are square to a line, past line x own if opposite."""
    k = smooth(k)
    apart = 0.5 * np.sum((own - other) ** 2)
    middle = k * (1.0 - k) * apart * np.cross(line, own)
    return (1.0 - k) * own + middle + k * other


def own_side(rest, share: float, side) -> Vector:
    """The bend of a start pose, with the side where it is nearly straight."""
    chord, bend = rest
    square = squared(side, chord)
    if np.linalg.norm(square) < 1e-6:
        return bend
    # a bend to the wrong side takes up to five times as much to count
    most = 0.02 + 0.08 * (0.5 - 0.5 * (unit(square) @ bend)) ** 2
    return blended(chord, unit(square), bend, (share - 0.4 * most) / (0.6 * most))


def bend_side(line, rest, last, snap_back: float, pole, carry=None) -> Vector:
    """The unit direction square to the goal's line that the chain bends in.

    Args:
        line: Unit direction of the goal.
        rest: Chord and bend of the start pose, unit.
        last: Those of the last frame.
        snap_back: Share of the start pose's against the last frame's.
        pole: Where the pole is, or None.
        carry: The rotation that carries the start pose to the line. Default: the least.
    """
    own = (carry or least_turn(rest[0], line)).apply(rest[1])
    if pole is None:
        bend = own
        if snap_back < 1.0:
            carried = least_turn(last[0], line).apply(last[1])
            bend = snap_back * own + (1.0 - snap_back) * carried
    else:
        off = squared(pole, line)
        sine = np.linalg.norm(off) / np.linalg.norm(pole)
        bend = own
        if sine > 1e-9:
            bend = blended(line, own, unit(off), 10.0 * sine)
    return unit(squared(bend, line))


def carried(chord, line, root, reach: float) -> Rotation:
    """The rotation of an animated chain's chord to the goal's line.

    Args:
        chord: The chord, unit.
        line: The line, unit.
        root: Position of the first joint, from the joint above it.
        reach: Length of the chain.
    """
    far = smooth(0.5 - chord @ line)
    outwards = np.asarray(root) / (np.linalg.norm(root) + 0.01 * reach)
    way = unit(line + 0.9 * far * outwards)
    return least_turn(way, line) * least_turn(chord, way)


def whole_swing(carry: Rotation, side, share: float, line, bend) -> Rotation:
    """The start pose as a whole turned to the goal's line and the pole.

    Args:
        carry: The rotation to the line.
        side: Side of the start pose, square to its chord.
        share: Size of its bend, as a share of its reach; 1 where the side is known.
        line: Unit direction of the goal.
        bend: Side of the pole, unit.
    """
    own = carry.apply(side)
    angle = np.arctan2(np.cross(own, bend) @ line, own @ bend)
    # a straight start pose has a plane, but no side
    return Rotation.from_rotvec(smooth(20.0 * share) * angle * line) * carry


def directions(places, bend) -> Vector:
    """Unit directions from joint to joint; the bend's where two are in one place."""
    steps = np.diff(places, axis=0)
    sizes = np.linalg.norm(steps, axis=1)[:, None]
    return np.where(sizes > 1e-200, steps / np.where(sizes > 1e-200, sizes, 1.0), bend)


def laid_out(dirs, lengths) -> Vector:
    """Places of joints at bone lengths along directions."""
    steps = np.asarray(dirs) * np.asarray(lengths)[:, None]
    return np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])


def flattened(places, lengths, line, bend) -> Vector:
    """Directions of the chain laid into the plane of line and bend, as one arc."""
    chord = places[-1]
    reach = float(np.sum(lengths))
    chord = unit(chord) if np.linalg.norm(chord) > 1e-9 * reach else line
    flat = [
        (p @ chord) * line + np.linalg.norm(squared(p, chord)) * bend for p in places
    ]
    dirs = directions(np.array(flat), bend)
    if len(lengths) < 3:
        return dirs
    off = dirs @ bend
    # bones straight back on the line turn to the bend's side
    off = np.where(np.abs(off) < 1e-9, 0.0, off)
    angles = np.sort(np.arctan2(off, dirs @ line))[::-1]
    half = np.pi + 1e-8
    for _ in range(2):
        x, y = lengths @ np.cos(angles), lengths @ np.sin(angles)
        turn = np.arctan2(y, x) if np.hypot(x, y) > 1e-9 * reach else 0.0
        if angles[0] - turn <= half and turn - angles[-1] <= half:
            break
        angles = 0.5 * angles
    angles = angles - turn
    return np.cos(angles)[:, None] * line + np.sin(angles)[:, None] * bend


def bowed(places, lengths, goal, line, bend) -> Vector:
    """Places off the goal's line, where the chain is too straight to leave it."""
    steps = np.diff(places, axis=0)
    reach = float(np.sum(lengths))
    sine = sum(
        length * (1.0 - (step @ line) ** 2 / (step @ step))
        for length, step in zip(lengths, steps, strict=True)
        if step @ step > 0.0
    )
    short = reach - np.linalg.norm(goal)
    if short <= 1e-12 * reach or 4.0 * sine >= short:
        return places
    bow = (1.0 - 4.0 * sine / short) * 4.0 * np.sqrt(0.375 * reach * short)
    bow *= min(1.0, np.linalg.norm(places[-1] - goal) / short)
    share = np.concatenate([[0.0], np.cumsum(lengths)]) / reach
    return places + (bow * share * (1.0 - share))[:, None] * bend


def leaned(dirs, lengths, skip: int, goal, reach: float, bend) -> Vector:
    """Directions of bones leant until their sum is the goal, by Newton's steps."""
    dirs = np.array(dirs)
    takes_part = np.arange(len(lengths)) != skip
    lengths = np.where(takes_part, lengths, 0.0)
    for _ in range(100):
        gap = lengths @ dirs - goal
        if np.linalg.norm(gap) <= 1e-11 * reach:
            return dirs
        slope = np.eye(3) * lengths.sum() - (dirs.T * lengths) @ dirs
        if np.linalg.eigvalsh(slope)[0] < 1e-12 * lengths.sum():
            # all on one line: they can't lean along it
            break
        lean = -np.linalg.solve(slope, gap)
        against = max(0.5, *(-dirs[takes_part] @ lean))
        moved = dirs + lean * (0.5 / against)
        moved /= np.linalg.norm(moved, axis=1)[:, None]
        dirs = np.where(takes_part[:, None], moved, dirs)
    if skip >= 0:
        return dirs
    return triangle(dirs, lengths, int(np.argmax(lengths)), goal, reach, bend)


def triangle(dirs, lengths, pick: int, goal, reach: float, bend) -> Vector:
    """Directions of a triangle: one bone, the others as one piece, and the goal."""
    dirs = np.array(dirs)
    others = np.arange(len(lengths)) != pick
    total = lengths[others] @ dirs[others]
    own, rest, dist = lengths[pick], np.linalg.norm(total), np.linalg.norm(goal)
    line = goal / dist if dist > 1e-12 * own else dirs[pick]
    corner = squared(goal - total, line)
    if np.linalg.norm(corner) < 1e-9 * own:
        corner = squared(np.asarray(bend), line)
    along = own
    if dist > 1e-12 * own:
        along = 0.5 * (dist + (own**2 - rest**2) / dist)
    along = min(max(along, -own), own)
    off = np.sqrt(own**2 - along**2)
    dirs[pick] = (along * line + off * unit(corner)) / own
    left = goal - own * dirs[pick]
    if unit(total) @ unit(left) > 1e-12 - 1.0:
        turn = least_turn(total, left)
    else:
        turn = Rotation.from_rotvec(np.pi * np.asarray(bend))
    dirs[others] = turn.apply(dirs[others])
    if rest - np.linalg.norm(left) < -1e-11 * reach:
        dirs = leaned(dirs, lengths, pick, left, reach - own, bend)
    return dirs


def bone_turns(
    rest_dirs, dirs, lengths: Sequence[float], swing: Rotation, from_parent: bool
) -> list[Rotation]:
    """The least turn of each bone from the start pose, or from its parent."""
    found: list[Rotation] = []
    for i, (start, end) in enumerate(zip(rest_dirs, dirs, strict=True)):
        if not lengths[i]:
            found.append(found[-1] if i else Rotation.identity())
            continue
        before = found[-1] if from_parent and i else swing
        found.append(least_turn(before.apply(start), end) * before)
    return found


def shared_roll(
    turns: list[Rotation], leaf: Rotation, rest_dirs, lengths, spread: float
) -> list[Rotation]:
    """Bones with a share of the leaf's roll about the last one of them."""
    own = np.roll((turns[-1].inv() * leaf).as_quat(), 1)
    own = own if own[0] >= 0.0 else -own
    along = own[1:] @ rest_dirs[-1]
    angle = 2.0 * np.arctan2(along, own[0])
    if abs(angle) > 2.0 * np.pi / 3.0:
        angle = np.sign(angle) * 2.0 * (np.pi - abs(angle))
    angle *= min(1.0, 4.0 * (own[0] ** 2 + along**2))
    shares = spread * np.cumsum(lengths) / np.sum(lengths)
    return [
        turn * Rotation.from_rotvec(angle * share * start) if length else turn
        for turn, share, start, length in zip(
            turns, shares, rest_dirs, lengths, strict=True
        )
    ]


def held_back(last: list[Rotation], wanted: list[Rotation], most: float):
    """Turns that no joint reaches faster than it may, and whether one was held."""
    found: list[Rotation] = []
    held = False
    for i, (old, new) in enumerate(zip(last, wanted, strict=True)):
        own_old = last[i - 1].inv() * old if i else old
        own_new = wanted[i - 1].inv() * new if i else new
        step = own_old.inv() * own_new
        held |= bool(step.magnitude() >= most)
        own = own_old * shrunk(step, 1.0, most)
        found.append(found[-1] * own if i else own)
    return found, held
