"""A course of stairs, slopes and a moving platform, and measurements of a walk.

Nothing here asks ikrig where anything is: joints and skin are read from Panda3D, the
ground is known, and when a foot stands the animation says, walking on the flat.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

HUMANOID = Path(__file__).parents[3] / "assets" / "models" / "humanoid.bam"
SLOPE = math.tan(math.radians(20.0))


def _profile() -> list[tuple[float, float]]:
    """Corners of the ground, seen from the side: (way, height), in leg lengths."""
    line = [(-30.0, 0.0), (2.0, 0.0)]
    way, height = line[-1]
    for _ in range(4):
        line += [(way, height + 0.16), (way + 0.42, height + 0.16)]
        way, height = line[-1]
    way += 1.2
    line.append((way, height))
    line.append((way + height / SLOPE, 0.0))
    way = line[-1][0] + 1.2
    line.append((way, 0.0))
    line.append((way + 0.5 / SLOPE, 0.5))
    way, height = line[-1][0] + 1.2, 0.5
    line.append((way, height))
    for _ in range(4):
        line += [(way, height - 0.125), (way + 0.42, height - 0.125)]
        way, height = line[-1]
    line.append((way + 1.2, 0.0))
    return line


PROFILE = np.array(_profile())
EDGE = PROFILE[-1, 0]  # here the platform begins
PLATFORM = 3.0
END = EDGE + PLATFORM


class Course:
    """The ground: collision geometry below ``node``, and known to the oracle.

    It leads along -y, which is where the characters face.

    Args:
        leg: Leg length of who walks here [units].
    """

    def __init__(self, world: p3d.NodePath, leg: float) -> None:
        self.leg = leg
        self.node = world.attach_new_node("course")
        self.corners = PROFILE * leg
        for (a, za), (b, zb) in zip(self.corners, self.corners[1:], strict=False):
            if b > a:
                self._plate(self.node, a, za, b, zb)
        self.platform = self.node.attach_new_node("platform")
        self._plate(self.platform, EDGE * leg, 0.0, END * leg + 2.0 * leg, 0.0)

    def _plate(
        self, above: p3d.NodePath, a: float, za: float, b: float, zb: float
    ) -> None:
        wide = 3.0 * self.leg
        node = p3d.CollisionNode("ground")
        node.add_solid(
            p3d.CollisionPolygon(
                p3d.LPoint3(-wide, -a, za),
                p3d.LPoint3(-wide, -b, zb),
                p3d.LPoint3(wide, -b, zb),
                p3d.LPoint3(wide, -a, za),
            )
        )
        above.attach_new_node(node)

    def move(self, time: float) -> None:
        """Put the platform where it is at a time [s]: it rises, falls and drifts."""
        lift = 0.12 * self.leg * (1.0 - math.cos(1.7 * time))
        drift = 0.25 * self.leg * math.sin(1.1 * time)
        self.platform.set_pos(drift, 0.0, lift - 0.1 * self.leg)

    def height(self, way: float) -> float:
        """Return how high the ground is that a figure of the game stands on."""
        if way >= EDGE * self.leg:
            return self.platform.get_z()
        k = int(np.searchsorted(self.corners[:, 0], way, side="right")) - 1
        (a, za), (b, zb) = self.corners[k : k + 2]
        return float(za + (zb - za) * (way - a) / (b - a))

    def depth(self, points: np.ndarray) -> float:
        """Return how deep the deepest of some points is in the ground [units]."""
        shift = self.platform.get_pos()
        way, z = -points[:, 1], points[:, 2]
        on = way >= EDGE * self.leg
        deepest = float(np.max(shift[2] - z[on], initial=0.0))
        corners = self.corners
        # at a riser the higher side counts: half a hair later is the next corner
        ways = corners[:, 0] + 1e-9 * np.arange(len(corners))
        surface = np.interp(way, ways, corners[:, 1])
        under = np.flatnonzero(~on & (z < surface))
        if not len(under):
            return deepest
        spots = np.column_stack((way[under], z[under]))
        a, b = corners[:-1], corners[1:]
        along = b - a
        share = np.einsum("nkj,kj->nk", spots[:, None] - a, along) / np.einsum(
            "kj,kj->k", along, along
        )
        near = a + np.clip(share, 0.0, 1.0)[..., None] * along
        away = np.linalg.norm(spots[:, None] - near, axis=2).min(axis=1)
        return max(deepest, float(away.max()))


@dataclass
class Figure:
    """Who walks: how it is made, its legs, and how fast its walk goes."""

    make: Callable[[], Actor]
    rate: float
    frames: int
    speed: float  # [units / s]
    legs: dict[str, tuple[str, ...]]
    hips: tuple[str, ...]
    stance: tuple[str, int] | None = None
    steady: float = 0.06  # speed of a foot that stands on the flat [leg lengths / s]


def _panda() -> Actor:
    actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    actor.set_scale(1 / 400)
    return actor


PANDA = Figure(
    _panda,
    30.0,
    60,
    6.0 * 30.0 / 400.0,
    {
        f"Bone_{side}_foot": (
            f"Bone_{side}_leg_upper",
            f"Bone_{side}_leg_lower",
            f"Bone_{side}_foot",
        )
        for side in ("lf", "rf", "lr", "rr")
    },
    ("Dummy_hips", "Dummy_shoulders"),
    ("walk", 30),
    # its hind feet slide in the animation itself
    steady=0.6,
)
HUMAN = Figure(
    lambda: Actor(str(HUMANOID)),
    60.0,
    64,
    1.25,
    {
        f"{side}Foot": (f"{side}UpLeg", f"{side}Leg", f"{side}Foot", f"{side}ToeBase")
        for side in ("Left", "Right")
    },
    ("Hips",),
)
FIGURES = {"panda": PANDA, "humanoid": HUMAN}


# -- what Panda3D has ------------------------------------------------------------------


def nets(actor: Actor, names: list[str]) -> np.ndarray:
    """Net transforms of joints in world space, (n, 4, 4), row vectors."""
    bundle = actor.get_part_bundle("modelRoot")
    top = np.array([tuple(row) for row in actor.get_mat(actor.get_top()).rows])
    found = []
    for name in names:
        m = p3d.LMatrix4f()
        bundle.find_child(name).get_net_transform(m)
        found.append(np.array([tuple(row) for row in m.rows]) @ top)
    return np.array(found)


def skin(actor: Actor) -> np.ndarray:
    """All vertices in world space as the renderer gets them now, (n, 3)."""
    found = []
    thread = p3d.Thread.get_current_thread()
    for path in actor.find_all_matches("**/+GeomNode"):
        m = np.array([tuple(row) for row in path.get_mat(actor.get_top()).rows])
        for geom in path.node().get_geoms():
            data = geom.get_vertex_data().animate_vertices(True, thread)
            array = data.get_array(0)
            stride = array.get_array_format().get_stride() // 4
            raw = np.frombuffer(bytes(array.get_handle().get_data()), np.float32)
            points = raw.reshape(-1, stride)[:, :3].astype(float)
            found.append(points @ m[:3, :3] + m[3, :3])
    return np.vstack(found)


# -- a walk ----------------------------------------------------------------------------


@dataclass
class Walk:
    """What was seen on the way.

    Attributes:
        times: Of the frames [s].
        joints: Net transforms by joint name, (frames, 4, 4), world space.
        ground: Where the platform was, (frames, 3).
        deep: How deep the deepest vertex was in the ground [leg lengths].
    """

    leg: float
    times: np.ndarray
    joints: dict[str, np.ndarray]
    ground: np.ndarray
    deep: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def place(self, joint: str) -> np.ndarray:
        return self.joints[joint][:, 3, :3]


def leg_length(figure: Figure, actor: Actor) -> float:
    names = next(iter(figure.legs.values()))[:3]
    places = nets(actor, list(names))[:, 3, :3]
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())


def walk(
    figure: Figure,
    rate: float,
    attach: Callable[[Actor, Course], object] | None,
    *,
    flat: bool = False,
    seconds: float | None = None,
    deep: bool = False,
    start: float = 0.0,
) -> Walk:
    """Let a figure walk over the course.

    Args:
        figure: Who.
        rate: Frames a second.
        attach: Puts a rig on the Actor; returns it. None: goes as animated.
        flat: Whether to walk on the flat instead.
        seconds: How long; default: to the end.
        deep: Whether to look how deep the skin is in the ground.
        start: Time at which to begin [s].
    """
    clock = p3d.ClockObject.get_global_clock()
    mode = clock.mode
    clock.mode = p3d.ClockObject.M_slave
    world = p3d.NodePath("render")
    actor = figure.make()
    actor.reparent_to(world)
    actor.set_blend(frameBlend=True)
    try:
        leg = leg_length(figure, actor)
        course = Course(world, leg)
        rig = attach(actor, course) if attach else None
        if seconds is None:
            seconds = END * leg / figure.speed
        control = actor.get_anim_control("walk")
        bundle = actor.get_part_bundle("modelRoot")
        names = [name for line in figure.legs.values() for name in line]
        names += figure.hips
        times, found, ground, depths = [], [], [], []
        for k in range(int(seconds * rate) + 1):
            time = start + k / rate
            way = figure.speed * time
            course.move(time)
            x = 0.0 if way < EDGE * leg or flat else course.platform.get_x()
            if way >= EDGE * leg and not flat:
                # the game carries along who is on it
                since = EDGE * leg / figure.speed
                x -= 0.25 * leg * math.sin(1.1 * since)
            actor.set_pos(x, -way, 0.0 if flat else course.height(way))
            control.pose(time * figure.rate % figure.frames)
            clock.frame_time = time
            clock.dt = 1.0 / rate
            if rig is None:
                bundle.force_update()
            else:
                rig.update(1.0 / rate)  # type: ignore[attr-defined]
            times.append(time)
            found.append(nets(actor, names))
            ground.append(tuple(course.platform.get_pos()))
            if deep:
                depths.append(course.depth(skin(actor)) / leg)
        joints = np.array(found)
        return Walk(
            leg,
            np.array(times),
            {name: joints[:, k] for k, name in enumerate(names)},
            np.array(ground),
            np.array(depths),
        )
    finally:
        actor.cleanup()
        clock.mode = mode


# -- what it was like ------------------------------------------------------------------


def standing(figure: Figure) -> dict[str, np.ndarray]:
    """Return when each leg's last joint stands, by phase: (120,) of bool.

    Looked at in the animation alone, walking on the flat as fast as it should.
    """
    seconds = figure.frames / figure.rate
    seen = walk(figure, 120.0 / seconds, None, flat=True, seconds=seconds)
    found = {}
    for foot, joints in figure.legs.items():
        place = seen.place(joints[-1])[:120]
        low = place[:, 2] < place[:, 2].min() + 0.005 * seen.leg
        pace = np.linalg.norm(np.gradient(place, axis=0), axis=1) * 120.0 / seconds
        found[foot] = low & (pace < figure.steady * seen.leg)
    return found


def slides(figure: Figure, seen: Walk, stands: dict[str, np.ndarray]) -> np.ndarray:
    """Return how far each standing foot slid, step by step [leg lengths].

    Along the ground, against what it stands on; steps on to the platform's edge, with
    a part of the sole on either side, are left out.
    """
    phases = seen.times * figure.rate % figure.frames / figure.frames
    found = []
    for foot, joints in figure.legs.items():
        on = stands[foot][np.minimum((phases * 120).astype(int), 119)]
        place = seen.place(joints[-1])
        edge = np.abs(-place[:, 1] / seen.leg - EDGE) < 0.4
        moved = np.where(place[:, 1:2] < -EDGE * seen.leg, seen.ground, 0.0)
        spots = (place - moved)[:, :2]
        ends = np.flatnonzero(np.diff(np.r_[0, on, 0]))
        for first, last in ends.reshape(-1, 2):
            if not edge[first:last].any():
                away = spots[first:last] - spots[first]
                found.append(np.linalg.norm(away, axis=1).max() / seen.leg)
    return np.array(found)


def turning(figure: Figure, seen: Walk) -> float:
    """Return the highest speed at which a leg's joint turned in the world [rad/s]."""
    fastest = 0.0
    for joints in figure.legs.values():
        for name in joints[:3]:
            axes = seen.joints[name][:, :3, :3]
            axes = axes / np.linalg.norm(axes, axis=2, keepdims=True)
            trace = np.einsum("nij,nij->n", axes[1:], axes[:-1])
            angle = np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0))
            fastest = max(fastest, float((angle / np.diff(seen.times)).max()))
    return fastest


def apart(joint: str, a: Walk, b: Walk) -> float:
    """Return how far a joint was from itself in another walk, at most [leg lengths].

    Compared six times a second, when walks at 30, 60 and 144 Hz all have a frame.
    """
    times = np.arange(int(min(a.times[-1], b.times[-1]) * 6.0) + 1) / 6.0
    places = [w.place(joint)[np.searchsorted(w.times, times - 1e-6)] for w in (a, b)]
    return float(np.linalg.norm(places[0] - places[1], axis=1).max()) / a.leg
