"""An arm with joint limits, which shows the limit that blocks it.

The shoulder has a cone of four half-angles with a limited twist, the elbow a hinge, and
the wrist a narrow cone. Drag the target out of the arm's range: the joints that block
it turn red. Each limit has a slider and can be changed at any time.

Order: 90
Keys:
    Space  play
    S      solver
    L      limits
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import panda3d.core as p3d

import ikrig
from demos._shared import mesh_shapes, theme
from demos._shared.banner import Banner
from demos._shared.demo import Demo, Handle, Note, Slider
from demos._shared.layout import Layout
from demos._shared.mesh import MeshBuilder, Part
from ikrig.model.limits import Limit
from ikrig.scene.viewer.orbit_camera import View

ANGLES = (
    "shoulder forward", "shoulder up", "shoulder back", "shoulder down",
    "shoulder twist", "elbow from", "elbow to", "wrist",
)  # fmt: skip
SOLVERS = ("dls", "fabrik", "ccd", "bfgs")


class LimitedArm(Demo):
    """One chain of three bones, each joint with a limit of its own."""

    view = View(
        focus=(-0.05, 0.0, 1.35), distance=7.8, heading=34, pitch=14, radius=3.6
    )
    duration = 10.0
    picture = 4.85
    clean_gizmos = True

    def build(self) -> None:
        """Load the arm's rig and attach its parts."""
        self.rig = self.load_rig("limits")
        nodes = self.rig.nodes
        self.target, self.shoulder = nodes["target"], nodes["shoulder"]
        _stand(self.stage, *self.shoulder.get_pos())
        _upper_arm(self.shoulder, nodes["elbow"].get_x())
        _forearm(nodes["elbow"], nodes["wrist"].get_x())
        _hand(nodes["wrist"])
        self.angles = dict(zip(ANGLES, self._angles(), strict=True))
        self.limited = True
        # at full length it slows down instead of snapping straight
        self.chain.soften = 0.008

    @property
    def chain(self) -> ikrig.IKChain:
        """The arm's chain."""
        return self.rig.chains["arm"]

    def play(self, time: float) -> None:
        """Swing in and out of the arm's reach on every side.

        Never so low that the arm, which can't bend downwards, would point into the
        floor.
        """
        turn = 2.0 * math.pi * time / self.duration
        self.target.set_pos(
            0.5 + 0.9 * math.sin(turn + 0.13),
            -0.54 + 0.2 * math.sin(2.0 * turn + 0.11),
            2.1 + 0.75 * math.sin(turn + 0.92),
        )

    def chains(self) -> Sequence[tuple[str, ikrig.IKChain]]:
        """Return the arm."""
        return tuple(self.rig.chains.items())

    def handles(self) -> Sequence[Handle]:
        """Return the target."""
        return (Handle(self.target, "target"),)

    def sliders(self) -> Sequence[Slider]:
        """Return one slider per angle of a limit."""
        most = {"elbow from": 60.0, "elbow to": 220.0, "wrist": 80.0}
        least = {"elbow from": -90.0, "elbow to": 60.0, "shoulder twist": 0.0}
        return [
            Slider(
                name,
                least.get(name, 5.0),
                most.get(name, 120.0),
                value,
                self._setter(name),
                step=1.0,
                show="{:.0f}°",
            )
            for name, value in self.angles.items()
        ]

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {"s": self._next_solver, "l": self._toggle_limits}

    def notes(self) -> Sequence[Note]:
        """Return the angle of each joint, red while its limit is active."""
        blocked = {joint for joint, *_ in self._blocked()}
        rows = [Note("solver", self.chain.solver)]
        for joint, name in enumerate(("shoulder", "elbow", "wrist")):
            angles = self.chain.joint_angles.get(joint, ())
            degrees = [math.degrees(angle) for angle in angles]
            value = "free"
            if len(degrees) == 1:
                value = f"{degrees[0]:.0f}°"
            elif degrees:
                value = f"{math.hypot(*degrees[:2]):.0f}° twist {degrees[2]:.0f}°"
            colour = theme.BAD if joint in blocked else theme.TEXT
            rows.append(Note(name, value, colour))
        return rows

    def draw_over(self, layout: Layout, panels: p3d.NodePath, timed: bool) -> None:
        """Make a bar for the active limits below the arm."""
        self._bar = Banner(layout, panels)

    def refresh(self) -> None:
        """Show the active limits."""
        ends: dict[str, list[str]] = {}
        for _, name, end in self._blocked():
            ends.setdefault(name, []).append(end)
        blame = ",  ".join(f"{name} ({' and '.join(at)})" for name, at in ends.items())
        self._bar.set(f"blocked by:  {blame}" if blame else "", theme.BAD)

    def _blocked(self) -> tuple[ikrig.Blocked, ...]:
        return self.chain.result.blocked_by if self.chain.result else ()

    def _angles(self) -> list[float]:
        """Return the values of ``ANGLES`` in the file [deg]."""
        limits: Any = self.chain.limits
        shoulder, elbow, wrist = limits.values()
        # seen along the arm, its right is the front
        arm = (*shoulder.half_angles, shoulder.twist[1], elbow.lower, elbow.upper)
        return [round(math.degrees(a), 3) for a in (*arm, wrist.half_angles[0])]

    def _limits(self) -> dict[str | int, Limit]:
        *swing, twist, low, high, bend = map(math.radians, self.angles.values())
        return {
            "shoulder": ikrig.ConeLimit(swing, twist=(-twist, twist)),
            # bends upwards
            "elbow": ikrig.HingeLimit((0.0, -1.0, 0.0), low, high),
            "wrist": ikrig.ConeLimit(bend, twist=(-0.2, 0.2)),
        }

    def _setter(self, name: str) -> Callable[[float], None]:
        def apply(value: float) -> None:
            self.angles[name] = value
            if self.limited:
                self.chain.limits = self._limits()

        return apply

    def _next_solver(self) -> None:
        place = SOLVERS.index(self.chain.solver) + 1
        self.chain.solver = SOLVERS[place % len(SOLVERS)]

    def _toggle_limits(self) -> None:
        self.limited = not self.limited
        self.chain.limits = self._limits() if self.limited else {}


def _along(part: Part) -> Part:
    """Rotate a part's +z axis to +x."""
    return part.turned(r=90.0)


def _stand(parent: p3d.NodePath, x: float, y: float, z: float) -> None:
    mesh = MeshBuilder()
    foot = [(0.0, 0.0), (0.62, 0.0), (0.62, 0.07), (0.2, 0.16), (0.15, 0.5)]
    foot += [(0.12, z - 0.4), (0.17, z - 0.24), (0.0, z - 0.24)]
    column = mesh_shapes.lathe(mesh_shapes.fillet(foot, 0.05), segments=64)
    mesh.add(column.moved(x=x, y=y), theme.CHARCOAL)
    mesh.add(
        mesh_shapes.ring(0.5, 0.018, segments=64).moved(x, y, 0.095), theme.GLOW_COOL
    )
    # a cup behind the shoulder
    cup = [(0.0, -0.34), (0.17, -0.34), (0.27, -0.2), (0.27, -0.05), (0.23, -0.05)]
    part = _along(mesh_shapes.lathe(mesh_shapes.fillet(cup, 0.03), segments=48))
    mesh.add(part.moved(x, y, z), theme.SLATE)
    mesh.add(
        mesh_shapes.cylinder(0.13, 0.3, bevel=0.02).moved(x - 0.12, y, z - 0.5),
        theme.SLATE,
    )
    mesh.attach(parent, "stand")


def _upper_arm(parent: p3d.NodePath, length: float) -> None:
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.sphere(0.22), theme.STEEL)
    profile = [(0.0, 0.16), (0.13, 0.16), (0.16, 0.3), (0.12, length - 0.24)]
    profile += [(0.12, length - 0.14), (0.0, length - 0.14)]
    mesh.add(_along(mesh_shapes.lathe(mesh_shapes.fillet(profile, 0.04))), theme.WHITE)
    band = mesh_shapes.ring(0.148, 0.02).turned(r=90.0).moved(x=0.42)
    mesh.add(band, theme.ORANGE)
    for side in (-1.0, 1.0):
        cheek = mesh_shapes.link(0.3, 0.12, 0.15, 0.05, bevel=0.012).turned(h=-90.0)
        cheek = cheek.turned(p=90.0).moved(length - 0.3, 0.125 * side, 0.0)
        mesh.add(cheek, theme.CHARCOAL)
    mesh.attach(parent, "upper arm")


def _forearm(parent: p3d.NodePath, length: float) -> None:
    mesh = MeshBuilder()
    barrel = mesh_shapes.cylinder(0.125, 0.2, bevel=0.02).moved(z=-0.1).turned(p=90.0)
    mesh.add(barrel, theme.STEEL)
    for side in (-1.0, 1.0):
        cap = mesh_shapes.cylinder(0.075, 0.03, bevel=0.01).turned(p=90.0 * side)
        mesh.add(cap.moved(y=-0.15 * side), theme.ORANGE)
    profile = [(0.0, 0.1), (0.09, 0.1), (0.125, 0.26), (0.085, length - 0.2)]
    profile += [(0.085, length - 0.1), (0.0, length - 0.1)]
    mesh.add(_along(mesh_shapes.lathe(mesh_shapes.fillet(profile, 0.04))), theme.WHITE)
    band = mesh_shapes.ring(0.112, 0.017).turned(r=90.0).moved(x=0.36)
    mesh.add(band, theme.ORANGE)
    mesh.attach(parent, "forearm")


def _hand(parent: p3d.NodePath) -> None:
    mesh = MeshBuilder()
    mesh.add(mesh_shapes.sphere(0.105), theme.STEEL)
    palm = mesh_shapes.box(0.22, 0.2, 0.1, bevel=0.035).moved(x=0.19)
    mesh.add(palm, theme.CHARCOAL)
    for y in (-0.07, 0.0, 0.07):
        finger = _along(mesh_shapes.capsule(0.03, 0.17)).moved(0.3, y, 0.0)
        mesh.add(finger, theme.WHITE)
        mesh.add(mesh_shapes.sphere(0.034, segments=16).moved(0.3, y, 0.0), theme.STEEL)
    mesh.attach(parent, "hand")
