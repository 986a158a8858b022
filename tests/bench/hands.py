"""Judges hands of characters: ``python -m tests.bench.hands [PARTS]``.

Every figure is measured on what Panda3D has of the Actor, not taken from a result.

around  reaches to places all around a body, one after the other at one a second: in how
        many of them, at the end or on the way, skin of forearm or hand is inside that
        of trunk or head, by how much [mm], and the largest turn of a joint of the arm
        in a frame [degree]
grasps  five things at five places of a hand each: how many of the 25 are held by thumb
        and two fingers, or all, with no finger deeper than 2 mm on a figure of 1.7 m;
        and the deepest [mm]; by the spheres of the fingers, on joints as drawn
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig
from ikrig.scene.actor.actor_figure import limbs_of, rest_transform
from tests.characters import catalog
from tests.scene.actor.stage import geoms, hanging, net, skin

FPS = 60.0
SEEN = 4
"""Frames between two in which skin is looked at."""
GRASPERS = ("humanoid", "rebecca", "sofia", "nobody")
THINGS: dict[str, tuple[float, Any]] = {
    "ball": (0.0, 0.035),
    "stick": (0.3, 0.015),
    "box": (0.06, (0.03, 0.02)),
    "mug": (0.05, 0.038),
    "handle": (0.06, 0.011),
}
"""Half its length, and its radius or two half extents [m]."""


class Body:
    """Trunk and head of a character, and the skin of an arm, as drawn now."""

    def __init__(self, actor: Actor, rig: ikrig.ActorRig, side: str) -> None:
        self.actor = actor
        found = limbs_of(rig.skeleton)
        limbs = {limb.name: limb for limb in found.limbs}
        parents = rig.skeleton.parents
        self.arm = limbs[f"{side}_hand"].joints

        def below(joint: str, above: str) -> bool:
            name: str | None = joint
            while name is not None and name != above:
                name = parents[name]
            return name is not None

        hand = {j for j in parents if below(j, self.arm[1])}
        limb_joints = {
            j
            for limb in found.limbs
            if limb.kind in ("hand", "foot")
            for j in parents
            if below(j, limb.joints[0])
        }
        self.outer = hanging(actor, lambda names: names <= hand)
        trunk = hanging(actor, lambda names: not names & limb_joints)
        faces = triangles(actor)
        self.faces = faces[trunk[faces].all(axis=1)]
        self.some = np.flatnonzero(self.outer)[:: max(1, int(self.outer.sum()) // 250)]

    def depth(self) -> float:
        """Return how deep the arm's skin is in that of trunk and head."""
        points = skin(self.actor)
        corners = points[self.faces]
        arm = points[self.some]
        low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        arm = arm[((arm > low) & (arm < high)).all(axis=1)]
        if not len(arm):
            return 0.0
        arm = arm[winding(arm, corners) > 0.5]
        if not len(arm):
            return 0.0
        return float(max(distances(point, corners).min() for point in arm))

    def is_free(self, place: np.ndarray, away: float) -> bool:
        """Return whether a place is outside, by a distance."""
        corners = skin(self.actor)[self.faces]
        gap = np.linalg.norm(corners.reshape(-1, 3) - place, axis=1).min()
        return bool(gap > away and winding(place[None], corners)[0] < 0.5)


def triangles(actor: p3d.NodePath) -> np.ndarray:
    """Return the triangles of the vertices of ``skin``, (n, 3)."""
    found, start, seen = [], 0, []
    for path, data in geoms(actor):
        rows = data.get_num_rows()
        for geom in path.node().get_geoms():
            if geom.get_vertex_data() != data or geom in seen:
                continue
            seen.append(geom)
            for primitive in geom.get_primitives():
                flat = primitive.decompose()
                found += [
                    start + flat.get_vertex(k) for k in range(flat.get_num_vertices())
                ]
            break
        start += rows
    return np.array(found).reshape(-1, 3)


def distances(point: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return how far a point is from triangles."""
    a, b, c = (corners[:, i] for i in range(3))
    square = np.cross(b - a, c - a)
    size = np.linalg.norm(square, axis=1)
    away = ((point - a) * square).sum(axis=1) / np.maximum(size, 1e-30)
    over = size > 0.0
    least = np.full(len(corners), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        way, to = end - start, point - start
        share = (to * way).sum(axis=1) / np.maximum((way * way).sum(axis=1), 1e-30)
        foot = to - np.clip(share, 0.0, 1.0)[:, None] * way
        least = np.minimum(least, np.linalg.norm(foot, axis=1))
        over &= (np.cross(way, to) * square).sum(axis=1) >= 0.0
    return np.asarray(np.where(over, np.abs(away), least))


def winding(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return how often triangles wind around points (Van Oosterom and Strackee)."""
    total = np.zeros(len(points))
    for k, point in enumerate(points):
        a, b, c = (corners[:, i] - point for i in range(3))
        x, y, z = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        up = (a * np.cross(b, c)).sum(axis=1)
        down = x * y * z + (a * b).sum(1) * z + (b * c).sum(1) * x + (c * a).sum(1) * y
        total[k] = np.arctan2(up, down).sum() / (2.0 * np.pi)
    return np.abs(total)


def turns(actor: Actor, names: Any) -> np.ndarray:
    """Return the rotations of joints, (n, 3, 3)."""
    mats = np.array([net(actor, name)[:3, :3] for name in names])
    return np.asarray(mats / np.linalg.norm(mats, axis=2, keepdims=True))


def around(
    name: str = "humanoid",
    count: int = 100,
    side: str = "right",
    seconds: float = 0.5,
) -> dict[str, float]:
    """Reach to places all around a body, one after the other."""
    actor = catalog.load(name)
    world = p3d.NodePath("world")
    actor.reparent_to(world)
    rig = ikrig.ActorRig(actor)
    reach = ikrig.Reach(rig, f"{side}_hand", weight=0.0, seconds=seconds)
    rig.update(0.0)
    body = Body(actor, rig, side)
    rng = np.random.default_rng(3)
    shoulder = net(actor, body.arm[0])[3, :3]
    arm = reach.reach_distance
    places: list[np.ndarray] = []
    while len(places) < count:
        way = rng.normal(size=3)
        place = shoulder + arm * rng.uniform(0.35, 0.95) * way / np.linalg.norm(way)
        if body.is_free(place, 0.16 * arm):
            places.append(place)
    target = world.attach_new_node("target")
    reach.target = target
    space = rig.skeleton.space
    target.set_pos(space, *places[0].tolist())
    reach.fade(1.0, 0.4)
    at_end, deepest, missed, most, last = 0, [], 0, 0.0, None
    for place in places:
        target.set_pos(space, *place.tolist())
        worst = 0.0
        for k in range(60):
            rig.update(1.0 / FPS)
            now = turns(actor, body.arm)
            if last is not None:
                cosine = (np.einsum("nij,nij->n", now, last) - 1.0) / 2.0
                most = max(
                    most, float(np.degrees(np.arccos(np.clip(cosine, -1, 1))).max())
                )
            last = now
            if k % SEEN == 0 or k == 59:
                deep = body.depth()
                worst = max(worst, deep)
        at_end += deep > 0.0
        hand = net(actor, body.arm[-1])[3, :3]
        missed += bool(np.linalg.norm(hand - place) > 2e-3 * arm)
        deepest.append(worst)
    rig.detach()
    scale = 1700.0 / np.ptp(skin(actor)[:, 2])
    return {
        "reaches": count,
        "inside at the end": at_end,
        "inside on the way": sum(x > 0.0 for x in deepest),
        "deepest": scale * max(deepest),
        "not reached": missed,
        "turn": most,
    }


def grasps() -> dict[str, float]:
    """Close hands of characters on things at places of the palm."""
    found = {}
    for name in GRASPERS:
        if catalog.find_file(name) is not None:
            held, deepest = _grasps_of(name)
            found |= {f"{name} held": held, f"{name} deepest": deepest}
    return found


def _grasps_of(name: str) -> tuple[float, float]:
    actor = catalog.load(name)
    actor.reparent_to(p3d.NodePath("world"))
    rig = ikrig.ActorRig(actor)
    rig.update(0.0)
    limbs = limbs_of(rig.skeleton).limbs
    hand = rig.hand(next(limb.name for limb in limbs if limb.kind == "hand"))
    found = hand.found
    unit = float(np.ptp(skin(actor)[:, 2])) / 1.7
    out, ahead, side = map(np.array, (found.normal, found.forward, found.thumb_side))
    held, deepest = 0, np.inf
    for half, thick in THINGS.values():
        for k in range(-2, 3):
            node = p3d.CollisionNode("thing")
            if isinstance(thick, tuple):
                low = unit * np.array((*thick, half))
                solid = p3d.CollisionBox(p3d.LPoint3(0), *low.tolist())
                radius = unit * thick[0]
            else:
                radius, end = unit * thick, p3d.LPoint3(0, 0, unit * half)
                solid = p3d.CollisionCapsule(-end, end, radius)
            node.add_solid(solid)
            thing = actor.attach_new_node(node)
            aside = 0.12 * k * found.length * (ahead * (half < 0.3) + 0.5 * side)
            place = np.array(found.centre) + radius * out + aside
            rows = (out, np.cross(side, out), side, place)
            mat = np.column_stack((np.array(rows), (0, 0, 0, 1)))
            thing.set_mat(p3d.LMatrix4f(*mat.ravel().tolist()))
            hand.grasp(thing, 0.0)
            rig.update(0.01)
            gaps = _gaps(rig, found, thing, unit, half, thick)
            touching = [x for x, gap in gaps.items() if gap < 2.0]
            deepest = min(deepest, *gaps.values())
            held += (
                min(gaps.values()) > -2.0
                and "thumb" in touching
                and len(touching) >= min(3, len(gaps))
            )
            hand.release(0.0)
            rig.update(0.01)
            thing.remove_node()
    rig.detach()
    return held, deepest


def _gaps(
    rig: ikrig.ActorRig,
    found: Any,
    thing: p3d.NodePath,
    unit: float,
    half: float,
    thick: Any,
) -> dict[str, float]:
    """Return how far each finger is from a thing [mm on a figure of 1.7 m]."""
    gaps = {}
    for finger in found.fingers:
        least = np.inf
        for k, spot, radius in finger.spheres:
            joint = finger.joints[k]
            rest = rest_transform(rig.skeleton, joint)
            rest.invert_in_place()
            own = rest.xform_point(p3d.LPoint3f(*spot))
            drawn = rig.joint(joint).get_mat(rig.actor).xform_point(own)
            at = np.array(tuple(thing.get_relative_point(rig.actor, drawn))) / unit
            if isinstance(thick, tuple):
                away = np.abs(at) - (*thick, half)
                gap = np.linalg.norm(np.maximum(away, 0.0)) + min(away.max(), 0.0)
            else:
                gap = np.linalg.norm(at - (0, 0, np.clip(at[2], -half, half))) - thick
            least = min(least, gap - radius / unit)
        gaps[finger.name] = 1000.0 * float(least)
    return gaps


PARTS = {"around": around, "grasps": grasps}


def main(argv: list[str] | None = None) -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.hands",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PARTS", help=", ".join(PARTS))
    for part in parser.parse_args(argv).parts or list(PARTS):
        for name, value in PARTS[part]().items():
            print(f"{part:8}{name:22}{value:9.4g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
