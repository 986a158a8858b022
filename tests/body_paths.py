"""Fifteen ways to lead a whole body, and what is measured on the way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig
from ikrig.scene.actor.actor_figure import limbs_of

HUMANOID = Path(__file__).parents[1] / "assets" / "models" / "humanoid.bam"
STEP = 0.008
"""How far goals move in a frame, at 1.7 m."""
BENT = 15.0
"""Bend from which it counts to which side a limb bends [degrees]."""


class Body:
    """A figure in its rest pose, and the handles of its body."""

    def __init__(self, actor: Any = None) -> None:
        self.world = p3d.NodePath("world")
        self.actor = Actor(str(HUMANOID)) if actor is None else actor
        self.actor.reparent_to(self.world)
        self.rig = ikrig.ActorRig(self.actor)
        self.body = ikrig.FullBody(self.rig)
        self.rig.update(0.0)
        self.start = {name: self.mat(name) for name in self.body}
        self.targets: dict[str, p3d.NodePath] = {}
        low, high = (p3d.LPoint3f(*x) for x in self.bounds())
        found = limbs_of(self.rig.skeleton)
        self.forward = np.array(found.forward)
        self.left = np.cross((0.0, 0.0, 1.0), self.forward)
        self.size = high.z - low.z
        self.legs = [name for name in self.body if name.endswith("_foot")]
        self.hand = next(
            name for name in ("right_hand", "right_front_foot") if name in self.start
        )
        self.hinges = {
            name: self._hinge(*line) for name, line in self.body._model.limbs.items()
        }
        self.rest = self.locals()

    def bounds(self) -> tuple[p3d.LPoint3f, p3d.LPoint3f]:
        found = self.actor.get_tight_bounds()
        assert found is not None
        return found

    def mat(self, name: str) -> p3d.LMatrix4f:
        joint = self.body[name].joint
        return p3d.LMatrix4f(self.rig.joint(joint).get_mat(self.world))

    def place(self, name: str) -> np.ndarray:
        return np.array(self.mat(name).get_row3(3))

    def at(self, joint: str) -> np.ndarray:
        return np.array(self.rig.joint(joint).get_pos(self.world))

    def lead(self, name: str, turned: float = 0.0) -> p3d.NodePath:
        """Give a handle a target where it is."""
        node = self.targets[name] = self.world.attach_new_node(name)
        node.set_mat(self.start[name])
        self.body[name].target = node
        self.body[name].orientation_weight = turned
        return node

    def miss(self, name: str) -> float:
        """Return how far a handle is from its target [m of a figure of 1.7 m]."""
        gap = np.array(self.targets[name].get_pos(self.world)) - self.place(name)
        return float(np.linalg.norm(gap)) / self.size * 1.7

    def turns(self) -> np.ndarray:
        names = [joint.name for joint in self.body._model.joints]
        quats = [self.rig.joint(n).get_quat(self.world) for n in names if n]
        return np.array([tuple(q.normalized()) for q in quats])

    def places(self) -> np.ndarray:
        names = [joint.name for joint in self.body._model.joints]
        return np.array([self.at(n) for n in names if n])

    def led_joints(self, names: list[str]) -> list[bool]:
        """Return which joints are below the first one of a limb with a target."""
        firsts = {
            line[0]
            for name, line in self.body._model.limbs.items()
            if name in self.targets
        }
        above = self.rig.skeleton.lineage
        return [bool(firsts & set(above(n)) - {n}) for n in names]

    def locals(self) -> np.ndarray:
        """Return the rotations of the spine's joints in their parents."""
        found = []
        for joint in self.body._model.spine:
            skeleton = self.rig.skeleton
            above = skeleton.pose.parents[skeleton.pose.index[joint]]
            up = skeleton.pose.names[above] if above >= 0 else None
            node = self.actor if up is None else self.rig.joint(up)
            found.append(tuple(self.rig.joint(joint).get_quat(node).normalized()))
        return np.array(found).reshape(-1, 4)

    def bends(self) -> np.ndarray:
        """Return how far each joint of the spine is bent from the start [degrees]."""
        return angles(self.rest, self.locals())

    def shared(self) -> list[int]:
        """Return which joints of the spine carry a handle that is led."""
        used = set()
        for name in self.targets:
            line = self.rig.skeleton.lineage(self.body[name].joint)
            # the joint of a handle only turns it
            used |= set(line if self.body[name].orientation_weight else line[1:])
        above = self.rig.skeleton.parents
        return [
            k
            for k, joint in enumerate(self.body._model.spine)
            if joint in used and above[joint]
        ]

    def _hinge(self, first: str, knee: str, end: str) -> np.ndarray:
        """Return the axis about which a limb bends, in the space of its first joint."""
        upper = self.at(knee) - self.at(first)
        lower = self.at(end) - self.at(knee)
        axis = np.cross(upper, lower)
        side = limbs_of(self.rig.skeleton).bend_of(end)
        sizes = np.linalg.norm(upper) * np.linalg.norm(lower)
        if side is not None and np.linalg.norm(axis) < np.sin(0.2) * sizes:
            axis = np.cross(np.array(side), upper + lower)
        node = self.rig.joint(first)
        return np.array(node.get_relative_vector(self.world, p3d.LVector3f(*axis)))

    def bend(self, name: str) -> tuple[float, float]:
        """Return a limb's bend, and how far it is from its own side [degrees]."""
        first, knee, end = self.body._model.limbs[name]
        upper, lower = self.at(knee) - self.at(first), self.at(end) - self.at(knee)
        axis = np.cross(upper, lower)
        bend = np.arctan2(np.linalg.norm(axis), upper @ lower)
        own = np.array(
            self.world.get_relative_vector(
                self.rig.joint(first), p3d.LVector3f(*self.hinges[name])
            )
        )
        # twist of an upper arm turns the axis, not the side: only what is square counts
        line = upper / np.linalg.norm(upper)
        own -= (own @ line) * line
        cosine = axis @ own / max(np.linalg.norm(axis) * np.linalg.norm(own), 1e-12)
        return (
            float(np.degrees(bend)),
            float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))),
        )

    # -- where paths go ----------------------------------------------------------------

    def to(self, origin: str, right: float, ahead: float, up: float) -> np.ndarray:
        """Return a place from a joint, in lengths of the arm."""
        line = self.body._model.limbs[self.hand]
        places = [np.array(self.rest_place(joint)) for joint in line]
        arm = sum(float(np.linalg.norm(b - a)) for a, b in pairwise(places))
        away = -right * self.left + ahead * self.forward + up * np.array((0, 0, 1.0))
        joint = line[0] if origin == "shoulder" else self.joint_of(origin)
        return self.rest_place(joint) + arm * away

    def joint_of(self, name: str) -> str:
        """Return a handle's joint; where there are no hips, a leg's first one."""
        if name == "hips" and name not in self.start:
            return self.body._model.limbs[self.legs[0]][0]
        return self.body[name].joint

    def rest_place(self, joint: str) -> np.ndarray:
        if not hasattr(self, "_places"):
            names = self.rig.skeleton.joints
            self._places = {name: self.at(name) for name in names}
        return self._places[joint]


def eased(points: Any, size: float) -> np.ndarray:
    """Return points along a line at STEP each, from the first to the last."""
    given, step = np.array(points), STEP * size / 1.7
    found = [given[0]]
    for a, b in pairwise(given):
        count = max(int(np.ceil(np.linalg.norm(b - a) / step)), 1)
        found += [a + (b - a) * k / count for k in range(1, count + 1)]
    return np.array(found)


def angles(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    cosine = np.abs((a * b).sum(axis=1))
    return np.degrees(2.0 * np.arccos(np.clip(cosine, 0.0, 1.0)))


Moves = Iterator[None]
Path_ = Callable[[Body], Moves]

# from where, and how far to the right, ahead and up, in lengths of the arm
HAND: dict[str, list[tuple[str, float, float, float]]] = {
    "around the shoulder": [
        ("shoulder", 0.35, 0.7 * float(np.cos(t)), 0.7 * float(np.sin(t)))
        for t in np.linspace(0.0, 2.0 * np.pi, 25)
    ],
    "behind the back": [
        ("hips", 0.8, 0.0, 0.1), ("hips", 0.6, -0.4, 0.1), ("hips", 0.0, -0.45, 0.2),
    ],
    "through the chest": [
        ("shoulder", 0.0, 0.8, -0.1), ("chest", 0.0, 0.03, 0.0),
        ("chest", -0.4, -0.15, 0.0),
    ],
    "overhead": [
        ("shoulder", 0.3, 0.6, 0.0), ("shoulder", 0.1, 0.3, 0.8),
        ("shoulder", 0.0, -0.1, 0.95),
    ],
    "across": [("shoulder", 0.3, 0.6, 0.0), ("shoulder", -0.9, 0.6, 0.0)],
    "beyond reach above": [
        ("shoulder", 0.1, 0.2, 0.6), ("shoulder", 0.1, 0.2, 1.8),
        ("shoulder", 0.1, 0.2, 0.6),
    ],
    "beyond reach ahead": [
        ("shoulder", 0.0, 0.6, 0.3), ("shoulder", 0.0, 1.5, 1.2),
        ("shoulder", 0.0, 0.6, 0.3),
    ],
    "below and behind": [
        ("shoulder", 0.2, 1.2, -0.8), ("shoulder", 0.2, 0.0, -1.5),
        ("shoulder", 0.2, -1.0, -0.9),
    ],
}  # fmt: skip


def _hand(path: str) -> Path_:
    def run(body: Body) -> Moves:
        hand = body.lead(body.hand)
        places = [body.to(*point) for point in HAND[path]]
        for place in eased([body.place(body.hand), *places], body.size):
            hand.set_pos(*place)
            yield

    return run


def _five(body: Body) -> dict[str, p3d.NodePath]:
    ends = [n for n in body.body if n not in ("hips", "chest")]
    return {name: body.lead(name, turned=1.0) for name in ends}


def crouch(body: Body) -> Moves:
    nodes = _five(body)
    line = [body.rest_place(joint) for joint in body.body._model.limbs[body.legs[0]]]
    leg = sum(float(np.linalg.norm(b - a)) for a, b in pairwise(line))
    down = 0.65 * leg if len(body.legs) == 2 else 0.25 * leg
    for k in range(120):
        for name, node in nodes.items():
            if name not in body.legs:
                node.set_z(body.start[name].get_row3(3).z - down * (k + 1) / 120)
        yield


def _lie(pitch: float, roll: float) -> Path_:
    def run(body: Body) -> Moves:
        nodes = _five(body)
        first = body.body._model.limbs[body.legs[-1]][0]
        hips = p3d.LPoint3f(*body.rest_place(first))
        side, ahead = p3d.LVector3f(*body.left), p3d.LVector3f(*body.forward)
        for k in range(120):
            part = (k + 1) / 120
            turn, spun = p3d.LQuaternionf(), p3d.LMatrix4f()
            turn.set_from_axis_angle(pitch * part, side)
            if roll:
                turn.set_from_axis_angle(roll * part, ahead)
            turn.extract_to_matrix(spun)
            for name, node in nodes.items():
                mat = body.start[name] * p3d.LMatrix4f.translate_mat(-hips)
                mat *= spun
                mat *= p3d.LMatrix4f.translate_mat(hips)
                sink = p3d.LVector3f(0, 0, -0.4 * body.size * part)
                node.set_mat(mat * p3d.LMatrix4f.translate_mat(sink))
            yield

    return run


def look_up(body: Body) -> Moves:
    head = body.lead("head", turned=1.0)
    # where it is then is the body's own
    body.body["head"].weight = 0.0
    side = p3d.LVector3f(*body.left)
    for k in range(90):
        turn, spun = p3d.LQuaternionf(), p3d.LMatrix4f()
        # head back, about the axis to the left
        turn.set_from_axis_angle(-(k + 1) * 80.0 / 90.0, side)
        turn.extract_to_matrix(spun)
        head.set_mat(body.start["head"] * spun)
        yield


def foot_to_head(body: Body) -> Moves:
    foot = body.lead(
        next(n for n in ("right_foot", "right_rear_foot") if n in body.start)
    )
    start = np.array(foot.get_pos())
    ahead = start + 0.4 * body.size * body.forward
    head = body.rest_place(body.body["head"].joint) + 0.25 * body.size * body.forward
    line = body.body._model.limbs[foot.get_name()]
    hip, knee, end = (body.rest_place(joint) for joint in line)
    leg = float(np.linalg.norm(knee - hip) + np.linalg.norm(end - knee))
    # as near to the head as the leg is long
    way = (head - hip) / np.linalg.norm(head - hip)
    goal = hip + min(np.linalg.norm(head - hip), 0.95 * leg) * way
    if len(body.legs) > 2:
        ahead = start + 0.1 * body.size * body.forward
    for place in eased([start, ahead, goal], body.size):
        foot.set_pos(*place)
        yield


def far_away(body: Body) -> Moves:
    nodes = {name: body.lead(name) for name in body.start}
    for name in ("hips", "chest"):
        if name in nodes:
            body.body.release(name)
            del nodes[name], body.targets[name]
    middle = np.mean([body.place(name) for name in nodes], axis=0)
    begin = {name: body.place(name) for name in nodes}
    away = {}
    for name, place in begin.items():
        out = place - middle
        away[name] = 3.0 * body.size * out / np.linalg.norm(out)
    count = int(3.0 * 1.7 / STEP)
    for k in range(count + 10):
        part = min((k + 1) / count, 1.0)
        for name, node in nodes.items():
            node.set_pos(*(begin[name] + part * away[name]))
        yield


PATHS: dict[str, Path_] = {
    **{name: _hand(name) for name in HAND},
    "crouch": crouch,
    "prone": _lie(90.0, 0.0),
    "supine": _lie(-90.0, 0.0),
    "on the side": _lie(0.0, 90.0),
    "look up": look_up,
    "foot to the head": foot_to_head,
    "far away": far_away,
}
OUT_OF_REACH = (
    "far away", "beyond reach above", "beyond reach ahead", "below and behind",
)  # fmt: skip
BOUNDS = {
    "miss": 1.0, "turn": 15.0, "way": 30.0, "slip": 0.1, "spine": 2.0, "side": 90.0,
    "most": 156.0,
}  # fmt: skip
"""What figures may be at most."""
BEYOND = {"miss": math.inf, "slip": 2.0, "spine": 3.0}
"""And those that differ where goals are out of reach."""


def bounds(path: str) -> dict[str, float]:
    """Return what figures may be at most on a path."""
    return BOUNDS | (BEYOND if path in OUT_OF_REACH else {})


@dataclass
class Run:
    """What happened on a path: the worst of all frames.

    Args:
        miss: Largest distance of a handle from its target [mm at 1.7 m].
        turn: Largest turn of a joint in a frame [degrees].
        way: Largest way of a joint in a frame, except in led limbs [mm at 1.7 m].
        slip: How far feet without targets moved at most [mm at 1.7 m].
        spine: Bend of the joint of the spine that bends most / the mean, at most, where
            the whole bends by more than 20 degrees.
        side: How far a limb that is bent was from its own side at most [degrees].
        most: Largest bend of an elbow or knee [degrees].
        when: Frame and joint or handle of each.
    """

    miss: float = 0.0
    turn: float = 0.0
    way: float = 0.0
    slip: float = 0.0
    spine: float = 0.0
    side: float = 0.0
    most: float = 0.0
    when: dict[str, tuple[int, str]] = field(default_factory=dict)

    def note(self, what: str, value: float, frame: int, name: str = "") -> None:
        if value > getattr(self, what):
            setattr(self, what, value)
            self.when[what] = frame, name


def lead(body: Body, path: str) -> Run:
    """Lead a body along a path."""
    run, moves = Run(), PATHS[path](body)
    before = body.turns()
    names = [joint.name for joint in body.body._model.joints if joint.name]
    at = body.places()
    pinned = None
    for k, _ in enumerate(moves):
        if pinned is None:
            pinned = [n for n in body.legs if n not in body.targets]
            # it stands first
            places = {name: node.get_mat() for name, node in body.targets.items()}
            for name, node in body.targets.items():
                node.set_mat(body.start[name])
            body.rig.update(1 / 60)
            for name, node in body.targets.items():
                node.set_mat(places[name])
            before, at = body.turns(), body.places()
        body.rig.update(1 / 60)
        now, there = body.turns(), body.places()
        assert np.isfinite(now).all()
        ways = 1.7e3 / body.size * np.linalg.norm(there - at, axis=1)
        ways[body.led_joints(names)] = 0.0
        run.note("way", float(ways.max()), k, names[int(ways.argmax())])
        at = there
        turned = angles(before, now)
        run.note("turn", float(turned.max()), k, names[int(turned.argmax())])
        before = now
        for name in body.targets:
            if body.body[name].weight == 0.0:
                continue
            run.note("miss", 1e3 * body.miss(name), k, name)
        for name in pinned:
            gap = body.place(name) - np.array(body.start[name].get_row3(3))
            run.note("slip", 1.7e3 * float(np.linalg.norm(gap)) / body.size, k, name)
        bends = body.bends()[body.shared()]
        if len(bends) > 1 and bends.sum() > 20.0:
            run.note("spine", float(bends.max() / bends.mean()), k)
        for name in body.body._model.limbs:
            bend, side = body.bend(name)
            run.note("most", bend, k, name)
            if bend > BENT:
                run.note("side", side, k, name)
    return run
