"""An industrial robot moves a crate; a pole keeps its elbow up.

The turret turns towards the goal first, as on a real machine; shoulder, elbow and wrist
are one `IKChain` below it. The pole above the arm keeps the elbow up, and the wrist
takes the rotation of the target. Drag the target: the crate stays where it is.

Order: 130
Keys:
    Space  play
    G      gripper
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import panda3d.core as p3d

import ikrig
from demos._shared import theme
from demos._shared.demo import Demo, Handle, Note, Slider, smoothstep
from demos._shared.robot_meshes import ArmMeshes, crate, plinth
from ikrig.scene.viewer.orbit_camera import View

CRATE = 0.36
TABLE = 0.46
REST = TABLE + 0.5 * CRATE  # height of a crate's middle on its plinth
RADIUS = 1.95
LEFT, RIGHT = 66.0, -66.0  # directions of the plinths [deg]
GRIP, OPEN = 0.5 * CRATE, 0.5 * CRATE + 0.11


@dataclass(frozen=True)
class _Key:
    """A waypoint of the movement, in polar coordinates around the robot's axis."""

    time: float
    angle: float
    radius: float
    height: float
    tilt: float = 0.0
    open: float = 0.0


def _one_way(start: float, a: float, b: float) -> list[_Key]:
    """Return waypoints that pick at angle ``a`` and place at angle ``b``."""
    middle = 0.5 * (a + b)
    return [
        _Key(start, a, RADIUS, REST + 0.75, 0.0, 1.0),
        _Key(start + 1.0, a, RADIUS, REST, 0.0, 1.0),
        _Key(start + 1.4, a, RADIUS, REST, 0.0, 0.0),
        _Key(start + 2.2, a, RADIUS, REST + 0.75, 12.0, 0.0),
        _Key(start + 3.1, middle, RADIUS + 0.35, REST + 1.2, 38.0, 0.0),
        _Key(start + 4.0, b, RADIUS, REST + 0.75, 12.0, 0.0),
        _Key(start + 4.8, b, RADIUS, REST, 0.0, 0.0),
        _Key(start + 5.2, b, RADIUS, REST, 0.0, 1.0),
        _Key(start + 6.0, b, RADIUS, REST + 0.75, 0.0, 1.0),
    ]


PATH = _one_way(0.0, RIGHT, LEFT) + _one_way(6.0, LEFT, RIGHT)[1:]


class RobotArm(Demo):
    """Turret, one chain of two bones, a decomposed wrist and a gripper."""

    view = View(focus=(0.0, 0.6, 1.1), distance=8.3, heading=166, pitch=12, radius=3.8)
    duration = 12.0
    picture = 2.45
    show_chains = False

    def build(self) -> None:
        """Load the machine's rig and attach the castings."""
        self.rig = self.load_rig("robot_arm")
        nodes = self.rig.nodes
        bones = (nodes[name] for name in ("turret", "shoulder", "elbow", "wrist"))
        self.turret, self.shoulder, self.elbow, self.wrist = bones
        self.target, self.goal = nodes["target"], nodes["wrist goal"]
        self.crate = crate(self.stage, CRATE)
        self.crate.set_pos(_around(RIGHT, RADIUS, REST))
        self.crate.set_h(RIGHT)
        for angle in (LEFT, RIGHT):
            top = plinth(self.stage, TABLE)
            top.set_pos(_around(angle, RADIUS, 0.0))
            top.set_h(angle)
        self.meshes = ArmMeshes(
            self.stage, self.turret, self.shoulder, self.elbow, self.wrist
        )
        self._pivot = p3d.LVector3(1.0, 0.0, 0.0)
        self.open = 1.0

    def play(self, time: float) -> None:
        """Follow the closed pick-and-place path."""
        time %= self.duration
        k = max(i for i, key in enumerate(PATH[:-1]) if key.time <= time)
        a, b = PATH[k], PATH[k + 1]
        t = smoothstep((time - a.time) / (b.time - a.time))

        def blend(x: float, y: float) -> float:
            return x + (y - x) * t

        angle = blend(a.angle, b.angle)
        place = _around(angle, blend(a.radius, b.radius), blend(a.height, b.height))
        self.target.set_pos(place)
        self.target.set_hpr(angle, blend(a.tilt, b.tilt), 0.0)
        self.open = blend(a.open, b.open)
        # the crate moves with the gripper while it is closed
        if a.open < 0.5 and (b.open < 0.5 or t < 0.02):
            self.crate.set_pos_hpr(place, self.target.get_hpr())
        else:
            side = RIGHT if abs(angle - RIGHT) < abs(angle - LEFT) else LEFT
            self.crate.set_pos(_around(side, RADIUS, REST))
            self.crate.set_hpr(side, 0.0, 0.0)

    def update(self, dt: float) -> None:
        """Rotate the turret towards the goal before the arm is solved."""
        goal = self.goal.get_pos(self.stage)
        if math.hypot(goal.x, goal.y) > 0.05:
            self.turret.set_h(math.degrees(math.atan2(-goal.x, goal.y)))

    def update_visuals(self) -> None:
        """Rotate the covers as on a real wrist: roll along the forearm, then pitch."""
        wrist = self.wrist.get_pos(self.stage)
        along = wrist - self.elbow.get_pos(self.stage)
        hand = self.stage.get_relative_vector(self.wrist, p3d.LVector3(0, 0, -1))
        along.normalize()
        hand.normalize()
        pivot = along.cross(hand)
        if pivot.length() > 0.03:
            pivot.normalize()
            self._pivot = pivot if pivot.dot(self._pivot) >= 0.0 else -pivot
        self.meshes.set_wrist(self._pivot, along, hand)
        self.meshes.set_gripper(GRIP + (OPEN - GRIP) * self.open)

    def chains(self) -> Sequence[tuple[str, ikrig.IKChain]]:
        """Return the arm."""
        return tuple(self.rig.chains.items())

    def handles(self) -> Sequence[Handle]:
        """Return the target of the gripper, and the pole."""
        return (
            Handle(self.target, "target"),
            Handle(self.rig.nodes["pole"], "pole", theme.POLE, 0.09, pole=True),
        )

    def sliders(self) -> Sequence[Slider]:
        """Return the sliders for weight and soften."""

        def set_weight(value: float) -> None:
            self.rig.chains["arm"].weight = value

        def set_soften(value: float) -> None:
            self.rig.chains["arm"].soften = value

        return (
            Slider("weight", 0.0, 1.0, 1.0, set_weight),
            Slider("soften", 0.0, 0.5, 0.0, set_soften),
        )

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {"g": self._toggle_gripper}

    def notes(self) -> Sequence[Note]:
        """Return the joint angles that a machine would report."""
        return (
            Note("turret", f"{self.turret.get_h():.0f}°"),
            Note("shoulder", f"{self.shoulder.get_p():.0f}°"),
            Note("elbow", f"{self.elbow.get_p():.0f}°"),
        )

    def _toggle_gripper(self) -> None:
        self.open = 0.0 if self.open > 0.5 else 1.0


def _around(angle: float, radius: float, height: float) -> p3d.LPoint3:
    """Return a point around the robot; angle 0 is +y, positive to the left [deg]."""
    a = math.radians(angle)
    return p3d.LPoint3(-radius * math.sin(a), radius * math.cos(a), height)
