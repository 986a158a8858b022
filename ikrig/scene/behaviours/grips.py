"""Grips of things: where a palm can go, and which of these places suits an arm best."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, pi
from typing import NamedTuple

import numpy as np
import panda3d.core as p3d

from ...errors import BindError, SettingError, shown
from ...kernels import buffer, zeros
from ...kernels.hand import gaps
from ...math3d.quaternion import Floats
from ...model.grip import Grip, grip_values, read_grip
from ...value_shapes import LETTERS
from ..checked_setting import node_in_scene
from .grasp_shapes import BALL, BOX, CAPSULE, PLANE, shapes_of

TAG = "ikrig-grips"
ROLLS = 8
"""Rotations of a palm about its normal that are tried, where any would do."""
ROUND = 12
"""Sides from which a bar is tried."""
STATIONS = 7
"""Places along a bar that are tried."""
BALL_SIDES = 40
NEAREST = 8
"""Solids of a thing that are tried, the nearest."""
THIN = 0.8
"""Bars up to this thickness are held around / length of the palm."""
EXACT = 24
"""The best places, of which those clear of the thing are taken."""
BULGE = 0.05
"""Most by which a palm stays away since its skin is not flat / length of the palm."""
LOW = 0.4
"""How far below the shoulder a hand works best / length of the arm."""
BENT = 1.9
"""Turn of a wrist beyond which it is not human [rad]."""


class Frames(NamedTuple):
    """Places for palms: points, directions out of the palm, and to the thumb."""

    points: Floats
    normals: Floats
    sides: Floats


@dataclass(frozen=True)
class Bar:
    """A piece of a bar along which a hand may slide, in the skeleton's space."""

    axis: Floats
    low: float
    high: float


@dataclass(frozen=True)
class Arm:
    """An arm as it is now. Places and directions in the skeleton's space.

    Args:
        joints: Positions of shoulder, elbow and wrist.
        palm: Position of the palm's middle.
        normal: Direction out of the palm.
        side: Direction to the thumb.
        length: Length of the palm.
        reach: How far the hand gets from the shoulder.
        up: Unit direction up.
        skin: Points of the palm's skin, (n, 3).
    """

    joints: Floats
    palm: Floats
    normal: Floats
    side: Floats
    length: float
    reach: float
    up: Floats
    skin: Floats


@dataclass(frozen=True)
class Place:
    """Where a palm goes, in the skeleton's space: its frame as rows, and its bar."""

    point: Floats
    turn: Floats
    """Rotation of the hand from its present one, (3, 3), for column vectors."""
    wrist: Floats
    normal: Floats
    bar: Bar | None
    grip: Grip | None
    has_shapes: bool


def add_grip(
    thing: p3d.NodePath, name: str, grip: Grip | None = None, **values: object
) -> None:
    """Give a thing a grip by name, as a tag that copies and model files keep.

    A model file may have the tag "ikrig-grips" on any of its nodes, such as a custom
    property of an empty: a JSON object of grips by name, in the space of that node:
    ``{"handle": {"axis": "z", "length": 0.1}}``.

        ikrig.add_grip(door, "handle", point=(0.8, -0.06, 1.0), axis="x")
        reach.grab(door, "handle")

    Args:
        thing: The node.
        name: Name of the grip.
        grip: The grip, or its ``values``, as of ``Grip``.
        values: Values of the grip.

    Raises:
        BindError: The node is not in the scene.
        SettingError: A value is unknown or out of range.
    """
    thing = node_in_scene(thing, "thing")
    if not isinstance(name, str) or not name:
        raise SettingError(f"a grip needs a name, not {shown(name)}")
    if grip is not None and not isinstance(grip, Grip):
        raise SettingError(f"grip must be a Grip, not {shown(grip)}")
    values = {**grip_values(grip or Grip()), **values}
    set_grips(thing, {**own_grips(thing), name: read_grip(values)})


def set_grips(thing: p3d.NodePath, grips: Mapping[str, Grip]) -> None:
    """Give a node these grips by name, and no others, as its tag."""
    if grips:
        values = {name: grip_values(grip) for name, grip in grips.items()}
        thing.set_tag(TAG, json.dumps(values))
    else:
        thing.clear_tag(TAG)


def own_grips(node: p3d.NodePath) -> dict[str, Grip]:
    """Return the grips that a node itself is tagged with."""
    return {name: read_grip(values) for name, values in _tagged(node).items()}


def grips_of(thing: p3d.NodePath) -> dict[str, tuple[Grip, p3d.NodePath]]:
    """Return the grips that a thing is tagged with, each with the node of its space."""
    found: dict[str, tuple[Grip, p3d.NodePath]] = {}
    for node in (thing, *thing.find_all_matches(f"**/={TAG}")):
        for name, grip in own_grips(node).items():
            found.setdefault(name, (grip, node))
    return found


def _tagged(node: p3d.NodePath) -> dict[str, object]:
    try:
        found = json.loads(node.get_tag(TAG) or "{}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise SettingError(
            f"tag {TAG} of {node} must be a JSON object of grips by name"
        )
    return found


# -- choosing --------------------------------------------------------------------------


def choose_place(
    thing: p3d.NodePath,
    grips: Sequence[tuple[Grip, p3d.NodePath]],
    space: p3d.NodePath,
    arm: Arm,
) -> Place:
    """Return where a palm goes to hold a thing: the place that suits the arm best.

    Args:
        thing: The thing.
        grips: The grips that may be taken, with the nodes of their spaces; none: its
            shapes, or its origin.
        space: The skeleton's space.
        arm: The arm.
    """
    try:
        shapes, count = shapes_of(thing, space, arm.joints[0], inf)
    except BindError:
        shapes, count = buffer((0.0,)), 0
    made: list[tuple[Frames, Bar | None, Grip | None]] = []
    for grip, node in grips:
        for frames, bar in _of_grip(grip, node, space, arm):
            # also one that was put into the middle of a bar
            frames = _on_surface(frames, shapes, count, arm, 0.5 * arm.length)
            made.append((frames, bar, grip))
    if not grips:
        made = [
            (f, bar, None) for f, bar in _of_shapes(thing, space, shapes, count, arm)
        ]
    best: tuple[float, Place] | None = None
    for frames, bar, held in made:
        cost, turns, wrists, elbows = _cost(frames, arm)
        order = np.argsort(cost, kind="stable")[:EXACT]
        for k in order:
            if best is not None and cost[k] >= best[0]:
                break
            clash = _clash(shapes, count, arm, frames, k, wrists[k], elbows[k])
            total = float(cost[k] + clash)
            if best is None or total < best[0]:
                place = Place(
                    frames.points[k], turns[k], wrists[k], frames.normals[k], bar,
                    held, count > 0,
                )  # fmt: skip
                best = total, place
    assert best is not None
    return _out_of(best[1], shapes, count, arm)


def _cost(frames: Frames, arm: Arm) -> tuple[Floats, Floats, Floats, Floats]:
    """Return how ill places suit an arm; the hand's turns, its wrists and elbows."""
    shoulder, elbow, wrist = arm.joints
    ahead = _unit(np.cross(arm.side, arm.normal))
    now = np.array((arm.normal, ahead, np.cross(arm.normal, ahead)))
    # of the same handedness as the hand's own
    sense = 1.0 if float(now[2] @ arm.side) > 0.0 else -1.0
    forward = sense * np.cross(frames.sides, frames.normals)
    ahead = sense * np.cross(arm.side, arm.normal)
    own = np.column_stack((arm.normal, ahead, arm.side))
    wanted = np.stack((frames.normals, forward, frames.sides), axis=2)
    turns = wanted @ np.linalg.inv(own)
    wrists = frames.points + np.einsum("nij,j->ni", turns, wrist - arm.palm)
    to = wrists - shoulder
    far = np.linalg.norm(to, axis=1)
    upper = float(np.linalg.norm(elbow - shoulder))
    lower = float(np.linalg.norm(wrist - elbow))
    # the elbow, bent as it is now
    swing = _from_to(_unit(wrist - shoulder), to / np.maximum(far, 1e-9)[:, None])
    side = elbow - shoulder
    along = _unit(wrist - shoulder)
    side = side - (side @ along) * along
    side = np.einsum("nij,j->ni", swing, _unit(side, np.array((0.0, 0.0, -1.0))))
    bounded = np.clip(far, abs(upper - lower) + 1e-6, upper + lower - 1e-6)
    cosine = (upper**2 + bounded**2 - lower**2) / (2.0 * upper * bounded)
    cosine = np.clip(cosine, -1.0, 1.0)
    ways = to / np.maximum(far, 1e-9)[:, None]
    sine = np.sqrt(1.0 - cosine**2)
    elbows = shoulder + upper * (cosine[:, None] * ways + sine[:, None] * side)
    # how far the hand is from where swing and bend of the arm bring it
    forearm = wrists - elbows
    forearm /= np.maximum(np.linalg.norm(forearm, axis=1), 1e-9)[:, None]
    before = np.einsum("nij,j->ni", swing, _unit(wrist - elbow))
    natural = _from_rows(before, forearm) @ swing
    strain = _angles(np.einsum("nij,nkj->nik", turns, natural))
    length = upper + lower
    cost = strain**2 + 20.0 * np.maximum(0.0, strain - BENT)
    cost += 20.0 * np.maximum(0.0, far / arm.reach - 0.9)
    cost += np.where(far > arm.reach, 200.0 * (far / arm.reach - 1.0) + 50.0, 0.0)
    cost += 10.0 * np.maximum(0.0, 0.35 - far / length)
    cost += 0.5 * np.linalg.norm(wrists - wrist, axis=1) / length
    # a hand rather works below the shoulder
    cost += np.maximum(0.0, to @ arm.up / length + LOW)
    # the palm comes from the side of the body
    cost += np.maximum(0.0, -(frames.normals * ways).sum(axis=1))
    return cost, turns, wrists, elbows


def _clash(
    shapes: object,
    count: int,
    arm: Arm,
    frames: Frames,
    k: int,
    wrist: Floats,
    elbow: Floats,
) -> float:
    """Return by how much an arm would be inside a thing, on the way to it, too."""
    if not count:
        return 0.0
    size = arm.length
    away = size * frames.normals[k]
    points = np.array(
        [
            wrist,
            wrist - away,
            0.5 * (wrist + elbow),
            0.75 * wrist + 0.25 * elbow,
            elbow,
            frames.points[k] - 0.35 * away,
            frames.points[k] - away,
        ]
    )
    thick = size * np.array((0.3, 0.3, 0.35, 0.3, 0.35, 0.25, 0.25))
    found = zeros(len(points))
    gaps(shapes, count, buffer(points.ravel().tolist()), found)
    return 8.0 * float(np.maximum(0.0, thick - np.array(found)).sum()) / size


def _out_of(place: Place, shapes: object, count: int, arm: Arm) -> Place:
    """Return a place moved back so that the skin of the palm is on the surface."""
    if not count or not len(arm.skin):
        return place
    skin = place.wrist + (arm.skin - arm.joints[2]) @ place.turn.T
    found = zeros(len(skin))
    gaps(shapes, count, buffer(skin.ravel().tolist()), found)
    back = min(max(0.0, -min(found)), BULGE * arm.length) * place.normal
    return replace(place, point=place.point - back, wrist=place.wrist - back)


# -- candidates ------------------------------------------------------------------------


def _of_grip(
    grip: Grip, node: p3d.NodePath, space: p3d.NodePath, arm: Arm
) -> Iterator[tuple[Frames, Bar | None]]:
    mat = node.get_mat(space)
    point = np.array(tuple(mat.xform_point(p3d.LPoint3f(*grip.point))))
    axis = None if grip.axis is None else _direction(mat, grip.axis)
    normal = None if grip.approach is None else _direction(mat, grip.approach)
    if axis is None:
        normals = _sphere(BALL_SIDES) if normal is None else normal[None]
        yield _rolled(np.repeat(point[None], len(normals), axis=0), normals), None
        return
    normals = _around(axis, ROUND) if normal is None else _square(normal, axis)[None]
    unit = np.array(tuple(mat.xform_vec(p3d.LVector3f(*_vector(grip.axis)))))
    half = 0.5 * grip.length * float(np.linalg.norm(unit)) / _norm(grip.axis)
    yield from _bar(point, axis, half, 0.0, normals, arm)


def _of_shapes(
    thing: p3d.NodePath, space: p3d.NodePath, shapes: object, count: int, arm: Arm
) -> Iterator[tuple[Frames, Bar | None]]:
    rows = np.array(shapes).reshape(-1, 16)[:count] if count else np.zeros((0, 16))
    solid = [row for row in rows if row[0] in (BALL, CAPSULE, BOX, PLANE)]
    if len(solid) < len(rows):
        solid += _drawn_shape(thing, space)
    if len(solid) > NEAREST:
        away = [float(np.linalg.norm(row[1:4] - arm.palm)) for row in solid]
        solid = [solid[k] for k in np.argsort(away, kind="stable")[:NEAREST]]
    if not solid:
        point = np.array(tuple(thing.get_pos(space)))
        solid = [np.array((BALL, *point, 0.0))]
    for row in solid:
        for frames, bar in _of_shape(row, arm):
            if len(solid) == 1 and row[0] == BALL:
                yield frames, bar
            else:
                yield _on_surface(frames, shapes, count, arm, inf), bar


def _drawn_shape(thing: p3d.NodePath, space: p3d.NodePath) -> list[Floats]:
    bounds = thing.get_tight_bounds(thing)
    if not bounds:
        return []
    low, high = bounds
    mat = thing.get_mat(space)
    centre = np.array(tuple(mat.xform_point((low + high) / 2)))
    rows = np.array([tuple(mat.get_row3(k)) for k in range(3)])
    sizes = np.linalg.norm(rows, axis=1)
    half = 0.5 * np.array(tuple(high - low)) * sizes
    axes = rows / np.maximum(sizes, 1e-12)[:, None]
    return [np.array((BOX, *centre, *axes.ravel(), *half))]


def _of_shape(row: Floats, arm: Arm) -> Iterator[tuple[Frames, Bar | None]]:
    kind, centre = int(row[0]), row[1:4]
    if kind == BALL:
        normals = _sphere(BALL_SIDES)
        yield _rolled(centre - row[4] * normals, normals), None
    elif kind == CAPSULE:
        ends = row[1:4], row[4:7]
        way = ends[1] - ends[0]
        axis = _unit(way, np.array((0.0, 0.0, 1.0)))
        half = float(np.linalg.norm(way)) / 2
        middle = (ends[0] + ends[1]) / 2
        normals = _around(axis, ROUND)
        yield from _bar(middle, axis, half, row[7], normals, arm)
    elif kind == PLANE:
        normal = row[1:4]
        point = arm.palm - (float(arm.palm @ normal) - row[4]) * normal
        yield _rolled(point[None], -normal[None]), None
    else:
        yield from _of_box(row, arm)


def _of_box(row: Floats, arm: Arm) -> Iterator[tuple[Frames, Bar | None]]:
    centre, axes, half = row[1:4], row[4:13].reshape(3, 3), row[13:16]
    order = np.argsort(half)
    long = int(order[2])
    if half[order[1]] < THIN * arm.length and half[long] > 1.2 * half[order[1]]:
        for a in order[:2]:
            for sign in (-1.0, 1.0):
                yield from _bar(
                    centre, axes[long], half[long], half[a], sign * axes[a][None], arm,
                )  # fmt: skip
        return
    points, normals = [], []
    inner = np.maximum(half - 0.6 * arm.length, 0.0)
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        for sign in (-1.0, 1.0):
            for u in (-1.0, 0.0, 1.0):
                for v in (-1.0, 0.0, 1.0):
                    points.append(
                        centre
                        + sign * half[a] * axes[a]
                        + u * inner[b] * axes[b]
                        + v * inner[c] * axes[c]
                    )
                    normals.append(-sign * axes[a])
    yield _rolled(np.array(points), np.array(normals)), None


def _bar(
    middle: Floats,
    axis: Floats,
    half: float,
    radius: float,
    normals: Floats,
    arm: Arm,
) -> Iterator[tuple[Frames, Bar | None]]:
    free = max(0.0, half - 0.5 * arm.length)
    near = [float((x - middle) @ axis) for x in (arm.palm, arm.joints[0])]
    stations = np.clip([*near, *np.linspace(-free, free, STATIONS)], -free, free)
    for station in np.unique(np.round(stations, 9)):
        points = middle + station * axis - radius * normals
        points = np.concatenate((points, points))
        sides = np.repeat((axis, -axis), len(normals), axis=0)
        frames = Frames(points, np.concatenate((normals, normals)), sides)
        low, high = -free - station, free - station
        yield frames, Bar(axis, low, high) if free > 0.0 else None


def _on_surface(
    frames: Frames, shapes: object, count: int, arm: Arm, most: float
) -> Frames:
    if not count:
        return frames
    points = frames.points - 0.5 * arm.length * frames.normals
    found = zeros(len(points))
    gone = np.zeros(len(points))
    for _ in range(16):
        at = points + gone[:, None] * frames.normals
        gaps(shapes, count, buffer(at.ravel().tolist()), found)
        gone = np.minimum(gone + np.maximum(np.array(found), 0.0), most)
    hit = (gone < most) & (np.array(found) < 0.05 * arm.length)
    points = np.where(
        hit[:, None], points + gone[:, None] * frames.normals, frames.points
    )
    return Frames(points, frames.normals, frames.sides)


# -- vectors ---------------------------------------------------------------------------


def _rolled(points: Floats, normals: Floats) -> Frames:
    sides = np.concatenate([_around(normal, ROLLS) for normal in normals])
    return Frames(
        np.repeat(points, ROLLS, axis=0), np.repeat(normals, ROLLS, axis=0), sides
    )


def _around(axis: Floats, count: int) -> Floats:
    other = np.eye(3)[int(np.argmin(np.abs(axis)))]
    u = _unit(np.cross(axis, other))
    v = np.cross(axis, u)
    angles = np.arange(count) * (2.0 * pi / count)
    return np.asarray(np.outer(np.cos(angles), u) + np.outer(np.sin(angles), v))


def _sphere(count: int) -> Floats:
    k = np.arange(count) + 0.5
    z = 1.0 - 2.0 * k / count
    angle = k * pi * (3.0 - 5.0**0.5)
    r = np.sqrt(1.0 - z * z)
    return np.column_stack((r * np.cos(angle), r * np.sin(angle), z))


def _from_to(start: Floats, ends: Floats) -> Floats:
    return _from_rows(np.repeat(start[None], len(ends), axis=0), ends)


def _from_rows(starts: Floats, ends: Floats) -> Floats:
    """Return the shortest rotations between unit directions, row by row."""
    axis = np.cross(starts, ends)
    cosine = (starts * ends).sum(axis=1)
    x, y, z = axis.T
    zero = np.zeros(len(ends))
    cross = np.array(((zero, -z, y), (z, zero, -x), (-y, x, zero))).transpose(2, 0, 1)
    # a half turn is none: it costs enough elsewhere
    factor = 1.0 / np.maximum(1.0 + cosine, 1e-6)
    return np.asarray(np.eye(3) + cross + factor[:, None, None] * (cross @ cross))


def _angles(turns: Floats) -> Floats:
    trace = np.trace(turns, axis1=1, axis2=2)
    return np.asarray(np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0)))


def _vector(axis: str | Sequence[float] | None) -> Sequence[float]:
    return LETTERS[axis] if isinstance(axis, str) else axis or (0.0, 0.0, 1.0)


def _norm(axis: str | Sequence[float] | None) -> float:
    return float(np.linalg.norm(_vector(axis)))


def _direction(mat: p3d.LMatrix4f, axis: str | Sequence[float]) -> Floats:
    way = mat.xform_vec(p3d.LVector3f(*_vector(axis)))
    return _unit(np.array(tuple(way)))


def _square(vector: Floats, to: Floats) -> Floats:
    rest = vector - (vector @ to) * to
    return _unit(rest, _around(to, 1)[0])


def _unit(vector: Floats, other: Floats | None = None) -> Floats:
    size = float(np.linalg.norm(vector))
    if size > 1e-12:
        return np.asarray(vector) / size
    return np.array((1.0, 0.0, 0.0)) if other is None else other
