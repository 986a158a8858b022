"""The panda that ships with Panda3D walks over hills, all four feet placed.

Its walk was made for flat ground. Here the ground is a function of x and y, from which
`FootPlacement` reads heights; it also moves hips and shoulders up and down, so the back
follows the hills.

Order: 50
Keys:
    Space  play
    F      foot placement
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import panda3d.core as p3d

from demos._shared.demo import Demo, Note, Rig, Slider
from demos._shared.mesh import Material, MeshBuilder, Part
from demos._shared.theme import GOOD, MUTED
from ikrig.scene.viewer.orbit_camera import View

SCALE = 1.0 / 330.0
RADIUS = 1.75  # of its circular path
ROUNDS = 9  # repeats of its walk in one round of the circle
BEGIN = 0.43  # start on the circle: it comes towards the camera
FIELD, RIM = 4.1, 1.1  # extent of the hills, and width of their rim
HIGH = 0.36
TILE = (8, 10)  # of the ground: numbers of rings and spokes
GRASS = (Material((0.17, 0.235, 0.115), 0.85), Material((0.21, 0.28, 0.14), 0.85))
LEGS = {"lf": "left front", "rf": "right front", "lr": "left hind", "rr": "right hind"}


Triangle = tuple[int, int, int]


class PandaWalk(Demo):
    """Hills, and a panda that walks in a circle."""

    view = View(
        focus=(0.0, -0.1, 0.5),
        distance=9.2,
        heading=24,
        pitch=13,
        radius=4.4,
        daylight=True,
    )
    duration = 2.0 * ROUNDS
    picture = 5.2
    show_chains = False
    show_status = False

    def build(self) -> None:
        """Make the hills and put the panda on them."""
        self.hills = _Hills(self.random)
        self.floor = self.hills.height
        if self.drawn:
            self.hills.attach(self.stage)
        self.rig = self.load_rig("panda_walk")
        self.actor = self.rig.model
        self.walk = self.actor.get_anim_control("walk")
        self.actor.set_scale(SCALE)
        self.actor.set_blend(frameBlend=True)
        self.actor.set_shader_input("u_look", p3d.LVector4(1.0, 0.62, 0.0, 0.0))
        # bounds do not follow IK; without this, stretched-out paws could be culled
        self.actor.node().set_bounds(p3d.OmniBoundingVolume())
        self.actor.node().set_final(True)

    @property
    def placement(self) -> Any:
        """The foot placement."""
        return self.rig.behaviours["steps"]

    def play(self, time: float) -> None:
        """Walk in a circle, at the height of the ground below the panda's middle."""
        angle = 2.0 * math.pi * (time / self.duration + BEGIN)
        x, y = RADIUS * math.cos(angle), RADIUS * math.sin(angle)
        self.actor.set_pos(x, y, self.hills.height(x, y))
        self.actor.set_h(math.degrees(angle) + 180.0)
        self.walk.pose(30.0 * time % 60.0)

    def update(self, dt: float) -> None:
        """Use the hills as the ground instead of the file's flat ground."""
        if self.placement.ground != self.hills.height:
            self.placement.ground = self.hills.height

    def chains(self) -> Sequence[tuple[str, Rig]]:
        """Return the four legs."""
        rig: Any = self.rig.actor_rig
        return [(chain.leaf.get_name(), chain) for chain in rig.chains]

    def sliders(self) -> Sequence[Slider]:
        """Return the sliders for the weight and the height of the hills."""

        def set_weight(value: float) -> None:
            self.placement.weight = value

        return (Slider("weight", 0.0, 1.0, 1.0, set_weight),)

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {"f": self._toggle}

    def notes(self) -> Sequence[Note]:
        """Return which paws stand."""
        return [
            Note(
                LEGS[name.split("_")[1]],
                "stands" if grip > 0.5 else "in the air",
                GOOD if grip > 0.5 else MUTED,
            )
            for name, grip in self.placement.planted.items()
        ]

    def _toggle(self) -> None:
        self.placement.fade(0.0 if self.placement.weight > 0.5 else 1.0)


class _Hills:
    """Smooth ground made of waves, flat at its rim."""

    def __init__(self, random: np.random.Generator) -> None:
        self._waves = [
            (random.uniform(1.5, 2.7), *random.uniform(0.0, 2.0 * math.pi, 2))
            for _ in range(5)
        ]

    def height(self, x: float, y: float) -> float:
        """Return the height of the ground at (x, y)."""
        rim = max(0.0, min(1.0, (FIELD - math.hypot(x, y)) / RIM))
        waves = sum(
            math.sin(f * (x * math.cos(a) + y * math.sin(a)) + b)
            for f, a, b in self._waves
        )
        hill = 0.5 + 0.5 * math.tanh(0.5 * waves)
        return HIGH * hill * rim * rim * (3.0 - 2.0 * rim)

    def attach(self, parent: p3d.NodePath) -> None:
        """Make the ground's mesh: rings of squares, coloured by height."""
        rings, spokes = 64, 160
        points = [
            (r * math.cos(a), r * math.sin(a))
            for r in np.linspace(0.0, FIELD, rings + 1)
            for a in np.linspace(0.0, 2.0 * math.pi, spokes, endpoint=False)
        ]
        vertices = np.array([(x, y, self.height(x, y) + 0.002) for x, y in points])
        tiles: tuple[list[Triangle], list[Triangle]] = ([], [])
        for k in range(rings):
            for j in range(spokes):
                a, b = k * spokes + j, k * spokes + (j + 1) % spokes
                odd = (k // TILE[0] + j // TILE[1]) % 2
                tiles[odd].append((a, a + spokes, b + spokes))
                tiles[odd].append((a, b + spokes, b))
        mesh = MeshBuilder()
        for triangles, paint in zip(tiles, GRASS, strict=True):
            mesh.add(Part(vertices, np.array(triangles), math.pi), paint)
        mesh.attach(parent, "hills")
