"""A six-legged machine follows a firefly over uneven ground.

One `IKTree` holds it all: six legs of three hinges, three cones in the hind body, one
in the neck. The body is an effector as the feet are, but lighter: it goes where the
walk wants it until a leg has no more to give. Drag the firefly, or the body.

Order: 60
Keys:
    Space  play
    S      solver
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import panda3d.core as p3d

import ikrig
from demos._shared import creature_meshes as meshes
from demos._shared.demo import Demo, Handle, Note, Slider, wave
from demos._shared.gait import Walker
from demos._shared.stones import StoneField
from ikrig.limits import Limit
from ikrig.scene.film.camera import View

HEIGHT = 0.72  # of the body over the ground
ANKLE = p3d.LVector3(0.0, 0.0, 0.065)  # from the sole up
HIP, THIGH, RAISED = 0.2, 0.52, 32.0  # lengths; how far the thigh rises [deg]
SPREAD = 1.0  # from a hip to its foot, seen from above
SEGMENTS = ((0.27, 0.285), (0.25, 0.25), (0.24, 0.2))  # of the hind body: length, width
TILT = 0.85  # how much the body tilts with the ground
CORE = p3d.LVector3(0.0, 0.0, 0.3)  # the body's effector, on its back
BODY = 0.0025  # how much the body's goal counts against a foot's
TURN = 0.05  # the same for its turn, in errors, not their squares
SOLVERS = ("dls", "fabrik")


@dataclass(frozen=True)
class _Leg:
    """Where a leg starts, which way it points, and which tripod it belongs to."""

    name: str
    hip: tuple[float, float, float]
    angle: float  # from +x, the creature's right [deg]
    tripod: int


LEGS = (
    _Leg("left front", (-0.24, 0.36, -0.06), 180.0 - 40.0, 0),
    _Leg("left middle", (-0.31, 0.0, -0.06), 180.0, 1),
    _Leg("left hind", (-0.24, -0.36, -0.06), 180.0 + 40.0, 0),
    _Leg("right front", (0.24, 0.36, -0.06), 40.0, 1),
    _Leg("right middle", (0.31, 0.0, -0.06), 0.0, 0),
    _Leg("right hind", (0.24, -0.36, -0.06), -40.0, 1),
)


class Creature(Demo):
    """Ground, a walker that says where body and feet belong, and one tree."""

    view = View(focus=(0.0, -0.1, 0.36), distance=7.8, heading=28, pitch=19, radius=4.4)
    duration = 16.0
    picture = 12.9
    show_chains = False

    def build(self) -> None:
        """Make the ground, the creature and its tree."""
        self.ground = StoneField(self.random)
        if self.drawn:
            self.ground.attach(self.stage, self.random)
        self.walker = Walker(
            [_home(leg) for leg in LEGS],
            [leg.tripod for leg in LEGS],
            self.ground,
            p3d.LPoint2(0.35, -1.45),
            math.radians(-88.0),
        )
        self.height = HEIGHT
        self.way, self._played, self._bend = -0.75, 0.0, 0.0
        self._gaze = p3d.LVector2(0.0)
        self.carrier = self.stage.attach_new_node("carrier")
        self._follow()
        self._make_body()
        self._make_targets()
        joint = self.joints
        self.tree = ikrig.IKTree(
            self.thorax,
            {joint[name]: target for name, target in self.targets.items()},
            # the feet hold the body back, not the other way round
            weights={joint["core"]: BODY, joint["tail"]: BODY, joint["head"]: 0.0},
            orientation_weights={joint["core"]: TURN, joint["tail"]: TURN},
            limits=self.limits,
            solver=SOLVERS[0],
            pinned=False,
            iterations=20,
        )
        self.tree.start()
        self._place_feet()

    def play(self, time: float) -> None:
        """Fly around, and wait where the creature does not come along."""
        spent, self._played = time - self._played, time
        ahead = (self.firefly.get_pos().xy - self.walker.place).length()
        pace = 1.35 * self.walker.speed * max(0.0, min(1.0, (2.2 - ahead) / 0.5))
        self.way += pace * spent / 2.1
        x, y = 2.3 * math.cos(self.way), 1.95 * math.sin(self.way)
        self.firefly.set_pos(x, y, 0.95 + 0.16 * math.sin(3.0 * self.way))

    def update(self, dt: float) -> None:
        """Walk on, then say where the effectors belong."""
        walker = self.walker
        for foot, leg in zip(walker.feet, LEGS, strict=True):
            # somebody may have dragged it
            if foot.air >= 1.0:
                foot.stand(self.targets[leg.name].get_pos() - ANKLE)
        walker.step(dt, self.firefly.get_pos().xy)
        self._follow()
        up = p3d.LVector3(-walker.slope.x, -walker.slope.y, 1.0 / TILT).normalized()
        side = up.cross(p3d.LVector3(0.0, 0.0, 1.0))
        tilt = p3d.LQuaternion.ident_quat()
        if side.length() > 1e-6:
            tilt = p3d.LQuaternion()
            tilt.set_from_axis_angle_rad(-math.asin(side.length()), side.normalized())
        sway = walker.lean
        self.posture.set_pos(sway.x, sway.y, self.height + walker.height)
        self.posture.set_quat(tilt)
        self._place_feet()
        self._look(dt)
        self._swing_tail(dt)

    def dress(self) -> None:
        """Bend the feelers."""
        for k, feeler in enumerate(self.feelers):
            up = 5.0 * wave(self.time, 1.9, 0.13 * k) + 3.0 * wave(self.time, 0.83, k)
            aside = 6.0 * wave(self.time, 2.7, 0.31 * k)
            feeler.sway(up, aside)
            feeler.dress()

    def chains(self) -> Sequence[tuple[str, ikrig.IKTree]]:
        """Return the creature."""
        return (("creature", self.tree),)

    def handles(self) -> Sequence[Handle]:
        """What it follows, and its body."""
        return (
            Handle(self.firefly, "firefly"),
            Handle(self.targets["core"], "body", (0.35, 0.8, 0.9)),
        )

    def sliders(self) -> Sequence[Slider]:
        """Return speed and height."""

        def set_speed(value: float) -> None:
            self.walker.speed = value

        def set_height(value: float) -> None:
            self.height = value

        return (
            Slider("speed", 0.2, 1.1, self.walker.speed, set_speed),
            Slider("body height", 0.58, 0.86, HEIGHT, set_height),
        )

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return what the demo's own keys do."""
        return {"s": self._next_solver}

    def notes(self) -> Sequence[Note]:
        """Return the solver and which feet stand."""
        standing = sum(foot.air >= 1.0 for foot in self.walker.feet)
        return (
            Note("solver", self.tree.solver),
            Note("feet on the ground", str(standing)),
        )

    def _follow(self) -> None:
        """Put the carrier, which is root space, below the body."""
        self.carrier.set_pos(p3d.LPoint3(self.walker.place, 0.0))
        self.carrier.set_h(math.degrees(self.walker.heading))

    def _make_body(self) -> None:
        """Make nodes, meshes and limits in the start pose."""
        self.thorax = self.carrier.attach_new_node("thorax")
        self.thorax.set_z(HEIGHT)
        core = self.thorax.attach_new_node("core")
        core.set_pos(CORE)
        self.limits: dict[str | int, Limit] = {"core": ikrig.FixedLimit()}
        self.joints = {"core": core}
        meshes.thorax(self.thorax, [p3d.LPoint3(*leg.hip) for leg in LEGS])
        for leg in LEGS:
            self._make_leg(leg)
        above, place = self.thorax, p3d.LPoint3(0.0, -0.4, 0.03)
        for k, (length, width) in enumerate(SEGMENTS):
            above = above.attach_new_node(f"abdomen {k + 1}")
            above.set_pos(place)
            place = p3d.LPoint3(0.0, -length, 0.0)
            meshes.abdomen(above, length, width, last=k == len(SEGMENTS) - 1)
            self.limits[above.get_name()] = ikrig.ConeLimit(0.4, twist=(-0.05, 0.05))
        self.joints["tail"] = above.attach_new_node("tail")
        self.joints["tail"].set_pos(place)
        head = self.thorax.attach_new_node("head")
        head.set_pos(0.0, 0.5, 0.06)
        meshes.head(head)
        self.joints["head"] = head
        self.limits["head"] = ikrig.ConeLimit(0.9, twist=(-0.3, 0.3))
        self.feelers = [meshes.Feeler(head, side) for side in (-1.0, 1.0)]

    def _make_leg(self, leg: _Leg) -> None:
        """Make a leg: the hip turns it forwards and back, thigh and knee raise it."""
        out = _out(leg)
        # about it a positive turn goes down
        axis = p3d.LVector3(0.0, 0.0, 1.0).cross(out)
        raised = math.radians(RAISED)
        knee = out * (THIGH * math.cos(raised))
        knee.z = THIGH * math.sin(raised)
        hip = self.thorax.attach_new_node(f"{leg.name} hip")
        hip.set_pos(*leg.hip)
        thigh = hip.attach_new_node(f"{leg.name} thigh")
        thigh.set_pos(out * HIP)
        shin = thigh.attach_new_node(f"{leg.name} shin")
        shin.set_pos(knee)
        foot = shin.attach_new_node(leg.name)
        foot.set_pos(self.carrier, p3d.LPoint3(_home(leg), 0.0) + ANKLE)
        for joint, turns, lower, upper in (
            (hip, "z", -48.0, 48.0),
            (thigh, tuple(axis), -65.0, 60.0),
            # never straight: a knee that can't pass there does not flip
            (shin, tuple(axis), -85.0, 55.0),
        ):
            self.limits[joint.get_name()] = ikrig.HingeLimit(
                turns, math.radians(lower), math.radians(upper)
            )
        meshes.hip(hip, out * HIP)
        meshes.thigh(thigh, knee)
        meshes.shin(shin, p3d.LVector3(foot.get_pos()))
        meshes.foot(foot, ANKLE.z)
        self.joints[leg.name] = foot

    def _make_targets(self) -> None:
        """Make a target at every effector; those of the body go with its posture."""
        self.posture = self.carrier.attach_new_node("posture")
        self.posture.set_z(HEIGHT)
        self.firefly = self.stage.attach_new_node("firefly")
        self.firefly.set_h(self.carrier.get_h())
        meshes.firefly(self.firefly)
        self.targets = {"head": self.firefly}
        body = self._make_target("core", self.posture)
        # where the body is dragged, there goes its tail
        self._make_target("tail", body)
        for leg in LEGS:
            self._make_target(leg.name, self.stage)

    def _make_target(self, name: str, above: p3d.NodePath) -> p3d.NodePath:
        target = self.targets[name] = above.attach_new_node(f"{name} target")
        target.set_pos(self.joints[name].get_pos(above))
        return target

    def _place_feet(self) -> None:
        for foot, leg in zip(self.walker.feet, LEGS, strict=True):
            self.targets[leg.name].set_pos(foot.place + ANKLE)

    def _look(self, dt: float) -> None:
        """Turn the firefly away from the creature, so that its head faces it."""
        way = self.carrier.get_relative_point(self.stage, self.firefly.get_pos())
        way -= p3d.LPoint3(0.0, 0.5, self.height)
        aside = max(-0.8, min(0.8, math.atan2(-way.x, max(way.y, 0.05))))
        pitch = 0.7 * math.atan2(way.z, max(way.xy.length(), 0.6))
        share = 1.0 - math.exp(-6.0 * dt)
        self._gaze += (p3d.LVector2(aside, pitch) - self._gaze) * share
        heading, pitch = map(math.degrees, self._gaze)
        self.firefly.set_hpr(self.carrier, heading, pitch, 0.0)

    def _swing_tail(self, dt: float) -> None:
        """Let the hind body lag behind in turns, and breathe."""
        walker = self.walker
        lag = 1.2 * walker.lean.x - 0.16 * walker.turning
        self._bend += (1.0 - math.exp(-3.5 * dt)) * (lag - self._bend)
        rise = 0.11 + 0.035 * wave(self.time, 2.6)
        place = p3d.LPoint3(0.0, -0.4, 0.03)
        for k, (length, _) in enumerate(SEGMENTS, 1):
            aside, up = k * self._bend, k * rise
            place += p3d.LVector3(
                length * math.sin(aside) * math.cos(up),
                -length * math.cos(aside) * math.cos(up),
                length * math.sin(up),
            )
        tail = self.targets["tail"]
        tail.set_pos(place - CORE)
        tail.set_hpr(math.degrees(aside), -math.degrees(up), 0.0)

    def _next_solver(self) -> None:
        place = SOLVERS.index(self.tree.solver) + 1
        self.tree.solver = SOLVERS[place % len(SOLVERS)]


def _out(leg: _Leg) -> p3d.LVector3:
    """Return the direction from a leg's hip to its foot, seen from above."""
    angle = math.radians(leg.angle)
    return p3d.LVector3(math.cos(angle), math.sin(angle), 0.0)


def _home(leg: _Leg) -> p3d.LVector2:
    """Return where a leg's foot belongs, seen from above."""
    return p3d.LVector2(*leg.hip[:2]) + _out(leg).xy * SPREAD
