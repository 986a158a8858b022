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

from demos._shared.demo import Demo, Note, Rig, Slider
from demos._shared.hills import Hills
from demos._shared.mesh import finish_textured
from demos._shared.theme import GOOD, MUTED
from ikrig.scene.viewer.orbit_camera import View

SCALE = 1.0 / 330.0
RADIUS = 1.75  # of its circular path
ROUNDS = 9  # repeats of its walk in one round of the circle
BEGIN = 0.43  # start on the circle: it comes towards the camera
FIELD, RIM = 4.1, 1.1  # extent of the hills, and width of their rim
HIGH = 0.36
RINGS, SPOKES = 64, 160  # of the ground's mesh
LEGS = {"lf": "left front", "rf": "right front", "lr": "left hind", "rr": "right hind"}


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
        self.hills = Hills(
            self.random, lambda x, y: (FIELD - math.hypot(x, y)) / RIM, HIGH
        )
        self.floor = self.hills.height
        if self.drawn:
            spokes = np.linspace(0.0, 2.0 * math.pi, SPOKES + 1)
            rings = np.linspace(0.0, FIELD, RINGS + 1)
            self.hills.attach(
                self.stage,
                [[(r * math.cos(a), r * math.sin(a)) for a in spokes] for r in rings],
            )
        self.rig = self.load_rig("panda_walk")
        self.actor = self.rig.model
        self.walk = self.actor.get_anim_control("walk")
        self.actor.set_scale(SCALE)
        self.actor.set_blend(frameBlend=True)
        finish_textured(self.actor)

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
