"""Two robots, a creature and a character in a one-minute show, all from files.

The rig file `assets/rigs/show.yaml` describes the scene and its IK, and the clips
`assets/clips/show_*.yaml` describe all motion, including the camera; the demo only
loads them and adds the visuals. The ball leads: IK moves robots, hand, foot and heads
to it, on top of the character's own animations.

Order: 10
Keys:
    Space  play
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import panda3d.core as p3d

import ikrig
from demos._shared import show_meshes as meshes
from demos._shared.catalogue import ASSETS
from demos._shared.demo import Demo, Note, Rig
from demos._shared.humanoid import paint_humanoid
from ikrig.scene.viewer.orbit_camera import View

ACTS = (
    (0.0, "two robots"),
    (17.0, "a creature"),
    (31.0, "a character"),
    (52.0, "everybody"),
)
CLIPS = ("show_arms", "show_creature", "show_character", "show_camera")


class Show(Demo):
    """One rig, four clips."""

    view = View(focus=(0.0, 0.0, 0.9), distance=6.0, heading=0, pitch=8, radius=3.6)
    duration = 60.0
    picture = 46.5
    show_chains = False
    show_status = False

    def build(self) -> None:
        """Load rigs and clips; attach meshes."""
        self.rig = self.load_rig("show")
        self.players = [
            ikrig.ClipPlayer(ASSETS / "clips" / f"{clip}.yaml", self.rig)
            for clip in CLIPS
        ]
        nodes = self.rig.nodes
        self.camera, self.focus = nodes["camera"], nodes["focus"]
        paint_humanoid(self.rig.model)
        meshes.ball(nodes["ball"])
        for tree in self.rig.bodies.values():
            meshes.arm(tree)
        self.feelers, springs = meshes.creature(nodes)
        self.started.append(springs)

    def play(self, time: float) -> None:
        """Advance the clips."""
        for player in self.players:
            player.time = time

    def update_visuals(self) -> None:
        """Bend the feelers."""
        for feeler in self.feelers:
            feeler.update_visuals()

    def shot(self) -> tuple[p3d.LPoint3, p3d.LPoint3]:
        """Return the camera of the clip."""
        return self.camera.get_pos(self.stage), self.focus.get_pos(self.stage)

    def chains(self) -> Sequence[tuple[str, Rig]]:
        """Return all solved components."""
        return [*self.rig.chains.items(), *self.rig.trees.items()]

    def notes(self) -> Sequence[Note]:
        """Return the current act."""
        time = math.fmod(self.time, self.duration)
        act = [name for start, name in ACTS if start <= time][-1]
        return (Note("act", act), Note("time", f"{time:.0f} s"))
