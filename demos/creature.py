"""A six-legged machine follows a firefly over uneven ground.

One `IKTree` solves the whole body: six legs of three hinges each, three cones in the
hind body, and one in the neck. Feelers and tail follow: springs, and a curve through
springs. The body is an effector, as the feet are, but with a lower weight: it follows
the walk until a leg is fully stretched. Drag the firefly or the body.

Order: 60
Keys:
    Space  play
    S      solver
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import panda3d.core as p3d

import ikrig
from demos._shared import creature_meshes as meshes
from demos._shared.demo import Demo, Handle, Note, Slider, wave
from demos._shared.stones import StoneField
from ikrig.scene.viewer.orbit_camera import View

ANKLE = 0.065  # height above the sole
WIDTHS = (0.285, 0.25, 0.2)  # lengths of the hind body's segments
REST = 0.72  # height of the body
KEEP = 1.1  # distance from the firefly at which the body stops
FOLLOW = 2.2  # speed per distance beyond that [1/s]
TURN = 2.4  # turning speed per angle to the firefly [1/s]
FASTEST_TURN = 1.1  # maximum turning speed [rad/s]
AGILITY = 4.5  # rate at which speeds change [1/s]
SOLVERS = ("dls", "fabrik")
# the legs and their tripods
TRIPODS = {
    "left front": 0, "left middle": 1, "left hind": 0,
    "right front": 1, "right middle": 0, "right hind": 1,
}  # fmt: skip


class Creature(Demo):
    """Ground, a gait that steps under a body that follows, and one tree."""

    view = View(focus=(0.0, -0.1, 0.36), distance=7.8, heading=28, pitch=19, radius=4.4)
    duration = 16.0
    picture = 12.9
    show_chains = False

    def build(self) -> None:
        """Make the ground, load the creature and attach meshes to its bones."""
        self.ground = StoneField(self.random)
        if self.drawn:
            self.ground.attach(self.stage, self.random)
        self.rig = self.load_rig("creature")
        self.joints = nodes = self.rig.nodes
        self.thorax, self.carrier = nodes["thorax"], nodes["carrier"]
        self.posture, self.firefly = nodes["posture"], nodes["firefly"]
        self.targets = self.rig.targets
        self.carrier.set_pos(0.35, -1.45, 0.0)
        self.carrier.set_h(-88.0)
        for leg in TRIPODS:
            self.targets[leg].set_pos(self.carrier, nodes[leg].get_pos(self.carrier))
        self.gait = ikrig.Gait(
            self.carrier,
            [self.targets[leg] for leg in TRIPODS],
            self.ground.height,
            body=self.posture,
            groups=list(TRIPODS.values()),
            leg=1.65,
            stride=0.36,
        )
        self.speed, self.turning, self.velocity = 0.8, 0.0, p3d.LVector2(0.0)
        self.height = REST
        self.angle, self._played, self._bend = -0.75, 0.0, 0.0
        self._gaze = p3d.LVector2(0.0)
        self._attach_meshes()

    @property
    def tree(self) -> ikrig.IKTree:
        """The component of the whole creature."""
        return self.rig.trees["creature"]

    def play(self, time: float) -> None:
        """Fly around, and wait if the creature falls behind."""
        spent, self._played = time - self._played, time
        ahead = (self.firefly.get_pos() - self.carrier.get_pos()).xy.length()
        pace = 1.35 * self.speed * max(0.0, min(1.0, (2.2 - ahead) / 0.5))
        self.angle += pace * spent / 2.1
        x, y = 2.3 * math.cos(self.angle), 1.95 * math.sin(self.angle)
        self.firefly.set_pos(x, y, 0.95 + 0.16 * math.sin(3.0 * self.angle))

    def update(self, dt: float) -> None:
        """Follow the firefly; the gait moves feet and body."""
        self._steer(dt)
        self.gait.update(dt)
        self.posture.set_z(self.posture.get_z() + self.height - REST)
        self._look(dt)
        self._swing_tail(dt)

    def update_visuals(self) -> None:
        """Bend the feelers and the tail."""
        for whip in self.whips:
            whip.update_visuals()

    def chains(self) -> Sequence[tuple[str, ikrig.IKTree]]:
        """Return the creature's tree."""
        return tuple(self.rig.trees.items())

    def handles(self) -> Sequence[Handle]:
        """Return the firefly and the body."""
        return (
            Handle(self.firefly, "firefly"),
            Handle(self.targets["core"], "body", (0.35, 0.8, 0.9)),
        )

    def sliders(self) -> Sequence[Slider]:
        """Return the sliders for speed and height."""

        def set_speed(value: float) -> None:
            self.speed = value

        def set_height(value: float) -> None:
            self.height = value

        return (
            Slider("speed", 0.2, 1.1, self.speed, set_speed),
            Slider("body height", 0.58, 0.86, self.height, set_height),
        )

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {"s": self._next_solver}

    def notes(self) -> Sequence[Note]:
        """Return the solver and which feet stand."""
        standing = sum(self.gait.standing)
        return (
            Note("solver", self.tree.solver),
            Note("feet on the ground", str(standing)),
        )

    def _steer(self, dt: float) -> None:
        """Turn to the firefly and walk to it, faster the better the body faces it."""
        carrier = self.carrier
        to_goal = (self.firefly.get_pos() - carrier.get_pos()).xy
        away, heading = to_goal.length(), math.radians(carrier.get_h())
        bearing = math.atan2(-to_goal.x, to_goal.y) if away > 0.3 else heading
        off = math.remainder(bearing - heading, 2.0 * math.pi)
        patience = self.gait.patience
        turn = patience * max(-FASTEST_TURN, min(FASTEST_TURN, TURN * off))
        speed = patience * min(self.speed, FOLLOW * max(0.0, away - KEEP))
        speed *= max(0.15, math.cos(0.5 * off) ** 4)
        want = to_goal * (speed / away) if away > 1e-6 else p3d.LVector2(0.0)
        share = 1.0 - math.exp(-AGILITY * dt)
        self.velocity += (want - self.velocity) * share
        self.turning += (turn - self.turning) * share
        carrier.set_pos(carrier.get_pos() + p3d.LVector3(self.velocity * dt, 0.0))
        carrier.set_h(carrier.get_h() + math.degrees(self.turning * dt))

    def _attach_meshes(self) -> None:
        """Attach a mesh of fitting length to each bone."""
        nodes = self.joints
        parts = (" hip", " thigh", " shin", "")
        legs = [[nodes[leg + part] for part in parts] for leg in TRIPODS]
        meshes.thorax(self.thorax, [hip.get_pos() for hip, *_ in legs])
        for hip, thigh, shin, foot in legs:
            meshes.hip(hip, p3d.LVector3(thigh.get_pos()))
            meshes.thigh(thigh, p3d.LVector3(shin.get_pos()))
            meshes.shin(shin, p3d.LVector3(foot.get_pos()))
            meshes.foot(foot, ANKLE)
        for (bone, length), width in zip(self._abdomen(), WIDTHS, strict=True):
            meshes.abdomen(bone, length, width, last=width == WIDTHS[-1])
        meshes.head(nodes["head"])
        meshes.firefly(self.firefly)
        self.whips, springs = meshes.feelers(nodes["head"])
        self.started.append(springs)
        self._attach_whip(nodes["tail"])

    def _attach_whip(self, tail: p3d.NodePath) -> None:
        """Attach a whip along a curve, whose handles are springs."""
        root = tail.attach_new_node("whip")
        # it goes on from the hind body, up and back
        root.set_pos_hpr((0, -0.12, 0), (0, 75, 0))
        handle, handles = root, []
        for k in range(4):
            handle = handle.attach_new_node(f"handle {k}")
            handle.set_pos_hpr((0, 0, 0.34 if k else 0.0), (0, -16 if k else 0, 0))
            handles.append(handle)
        springs = ikrig.SpringBones(
            root, ["handle 0"], stiffness=0.8, gravity_power=0.25, drag_force=0.15
        )
        whip = meshes.Whip(root, "whip", 9, 1.0, 0.04)
        self.whips.append(whip)
        curve = ikrig.SplineIK(root, ["whip 0", "whip 9"], handles)
        self.started += [springs.start(), curve.start()]

    def _abdomen(self) -> list[tuple[p3d.NodePath, float]]:
        """Return the segments of the hind body and their lengths."""
        names = ("abdomen 1", "abdomen 2", "abdomen 3", "tail")
        bones = [self.joints[name] for name in names]
        return [(a, b.get_pos().length()) for a, b in pairwise(bones)]

    def _look(self, dt: float) -> None:
        """Rotate the firefly away from the creature, so that its head faces it."""
        to_firefly = self.carrier.get_relative_point(self.stage, self.firefly.get_pos())
        to_firefly -= p3d.LPoint3(0.0, self.joints["head"].get_y(), self.height)
        aside = max(-0.8, min(0.8, math.atan2(-to_firefly.x, max(to_firefly.y, 0.05))))
        pitch = 0.7 * math.atan2(to_firefly.z, max(to_firefly.xy.length(), 0.6))
        share = 1.0 - math.exp(-6.0 * dt)
        self._gaze += (p3d.LVector2(aside, pitch) - self._gaze) * share
        heading, pitch = map(math.degrees, self._gaze)
        self.firefly.set_hpr(self.carrier, heading, pitch, 0.0)

    def _swing_tail(self, dt: float) -> None:
        """Make the hind body lag behind in turns, and breathe."""
        lag = 1.2 * self.gait.steps.lean[0] - 0.16 * self.turning
        self._bend += (1.0 - math.exp(-3.5 * dt)) * (lag - self._bend)
        rise = 0.11 + 0.035 * wave(self.time, 2.6)
        position = self.joints["abdomen 1"].get_pos()
        for k, (_, length) in enumerate(self._abdomen(), 1):
            aside, up = k * self._bend, k * rise
            position += p3d.LVector3(
                length * math.sin(aside) * math.cos(up),
                -length * math.cos(aside) * math.cos(up),
                length * math.sin(up),
            )
        tail = self.targets["tail"]
        tail.set_pos(position - self.joints["core"].get_pos())
        tail.set_hpr(math.degrees(aside), -math.degrees(up), 0.0)

    def _next_solver(self) -> None:
        index = SOLVERS.index(self.tree.solver) + 1
        self.tree.solver = SOLVERS[index % len(SOLVERS)]
