"""A tentacle of 3 to 20 bones reaches for a target.

One `IKChain` on a line of nodes; the skin is bent along the nodes in each frame. Drag
the target out of reach, or the pole around the tentacle, and watch the status.

Order: 100
Keys:
    Space  play
    P      pole
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

import ikrig
from demos._shared import mesh_shapes, theme
from demos._shared.demo import Demo, Handle, Note, Slider
from demos._shared.mesh import Material, MeshBuilder
from demos._shared.skin import CurveSkin
from ikrig.scene.viewer.orbit_camera import View

LENGTH = 3.9
BASE_HEIGHT = 0.42
BASE_RADIUS, TIP_RADIUS = 0.26, 0.035
SUCKERS = 17
# The start pose leans to the front, where the tentacle mostly is.
LEAN = 168.0


class Tentacle(Demo):
    """A chain, a target and a pole, with every setting on a slider."""

    view = View(focus=(0.0, 0.0, 1.78), distance=8.6, heading=-24, pitch=10, radius=4.2)
    duration = 10.0
    picture = 0.9

    def build(self) -> None:
        """Make the pedestal, the markers and a chain of ten bones."""
        self._pedestal()
        self.base = self.stage.attach_new_node("base")
        self.base.set_z(BASE_HEIGHT)
        self.target = self.stage.attach_new_node("target")
        self.pole = self.stage.attach_new_node("pole")
        self.pole.set_pos(0.0, 0.55, 3.45)
        self.iterations, self.tolerance = 10, 1e-3
        self.weight, self.soften = 1.0, 0.0
        self.use_pole = True
        self._mesh = _tentacle_mesh()
        self.play(0.0)
        self._make_chain(10)

    def play(self, time: float) -> None:
        """Sway the tip over the pedestal from side to side, curling at the ends."""
        turn = 2.0 * math.pi * time / self.duration
        lean = 1.36 * math.sin(turn + 0.9)
        away = 3.35 - 1.0 * math.sin(turn + 0.9) ** 2 + 0.18 * math.sin(3.0 * turn)
        self.target.set_pos(
            away * math.sin(lean),
            -0.75 + 0.55 * math.cos(2.0 * turn),
            BASE_HEIGHT + away * math.cos(lean) * 0.93,
        )

    def update_visuals(self) -> None:
        """Bend the skin along the new pose."""
        self.skin.update()

    def chains(self) -> Sequence[tuple[str, ikrig.IKChain]]:
        """Return the tentacle."""
        return (("tentacle", self.chain),)

    def handles(self) -> Sequence[Handle]:
        """Return target and pole."""
        return (
            Handle(self.target, "target"),
            Handle(self.pole, "pole", theme.POLE, 0.09, pole=True),
        )

    def sliders(self) -> Sequence[Slider]:
        """Return one slider per setting."""
        return (
            Slider("bones", 3, 20, 10, self._set_bones, step=1, show="{:.0f}"),
            Slider(
                "iterations", 1, 40, 10, self._set_iterations, step=1, show="{:.0f}"
            ),
            Slider(
                "tolerance",
                -6,
                -1,
                -3,
                self._set_tolerance,
                show=lambda power: f"{10.0**power:.0e}",
            ),
            Slider("weight", 0, 1, 1, self._set_weight),
            Slider("soften", 0, 0.5, 0, self._set_soften),
        )

    def keys(self) -> dict[str, Callable[[], None]]:
        """Return the actions of the demo's own keys."""
        return {"p": self._toggle_pole}

    def notes(self) -> Sequence[Note]:
        """Return the number of bones and the reach."""
        return (
            Note("bones", str(len(self.chain.bone_lengths))),
            Note("reach", f"{self.chain.reach:.2f}"),
        )

    def _make_chain(self, bones: int) -> None:
        """Make the nodes in a slight bow, then add the component to the last one."""
        node = self.base
        nodes = []
        for i in range(bones + 1):
            node = node.attach_new_node(f"joint {i}")
            nodes.append(node)
            if i:
                node.set_z(LENGTH / bones)
            node.set_p(LEAN / bones)
        self.nodes = nodes
        self.chain = ikrig.IKChain(
            nodes[-1],
            chain_length=bones,
            target=self.target,
            pole=self.pole if self.use_pole else None,
            iterations=self.iterations,
            tolerance=self.tolerance,
            weight=self.weight,
            soften=self.soften,
            roll_from="parent",
            match_rotation=False,
        )
        self.chain.start()
        stations = [LENGTH * i / bones for i in range(bones + 1)]
        self.skin = CurveSkin(self._mesh, self.base, nodes, stations)
        self.skin.update()

    def _set_bones(self, value: float) -> None:
        """Replace the chain by a longer or shorter one."""
        self.chain.stop()
        self.skin.path.remove_node()
        self.nodes[0].remove_node()
        self._make_chain(int(value))

    def _set_iterations(self, value: float) -> None:
        self.iterations = self.chain.iterations = int(value)

    def _set_tolerance(self, power: float) -> None:
        self.tolerance = self.chain.tolerance = 10.0**power

    def _set_weight(self, value: float) -> None:
        self.weight = self.chain.weight = value

    def _set_soften(self, value: float) -> None:
        self.soften = self.chain.soften = value

    def _toggle_pole(self) -> None:
        self.use_pole = not self.use_pole
        self.chain.pole = self.pole if self.use_pole else None

    def _pedestal(self) -> None:
        mesh = MeshBuilder()
        mesh.add(
            mesh_shapes.cylinder(0.78, 0.12, bevel=0.03, segments=64), theme.CHARCOAL
        )
        mesh.add(
            mesh_shapes.cylinder(0.56, 0.2, top=0.42, bevel=0.03, segments=64).moved(
                z=0.12
            ),
            theme.SLATE,
        )
        mesh.add(mesh_shapes.ring(0.5, 0.022, segments=64).moved(z=0.135), theme.GLOW)
        mesh.add(
            mesh_shapes.ring(0.345, 0.055, segments=48).moved(z=0.34), theme.RUBBER
        )
        mesh.add(
            mesh_shapes.cylinder(0.31, 0.12, top=0.27, bevel=0.02).moved(z=0.32),
            theme.CHARCOAL,
        )
        for bolt in mesh_shapes.bolts(10, 0.68, 0.035, 0.03):
            mesh.add(bolt.moved(z=0.12), theme.STEEL)
        mesh.attach(self.stage, "pedestal")


def _radius(z: float) -> float:
    """Return the radius of the tentacle at a height, including fine ribs."""
    share = max(0.0, min(1.0, z / LENGTH))
    smooth = BASE_RADIUS + (TIP_RADIUS - BASE_RADIUS) * share**0.85
    rib = 0.5 + 0.5 * math.cos(2.0 * math.pi * z * 9.0)
    return float(smooth * (1.0 - 0.045 * rib**2))


def _tentacle_mesh() -> MeshBuilder:
    """Model a straight tentacle with two rows of suckers towards -y."""
    mesh = MeshBuilder()
    dark, warm = np.array((0.10, 0.17, 0.23)), np.array((0.95, 0.40, 0.20))
    bands = 24
    edges = np.linspace(-0.12, LENGTH, bands * 7 + 1)
    for band in range(bands):
        zs = edges[band * 7 : band * 7 + 8]
        profile = [(_radius(z), float(z)) for z in zs]
        if band == bands - 1:  # a round tip
            arc = np.linspace(0.0, 0.5 * math.pi, 7)[1:]
            profile += [
                (TIP_RADIUS * math.cos(a), LENGTH + TIP_RADIUS * math.sin(a))
                for a in arc
            ]
        blend = (band / (bands - 1)) ** 1.6
        colour = dark * (1.0 - blend) + warm * blend
        paint = Material((colour[0], colour[1], colour[2]), 0.34)
        mesh.add(mesh_shapes.lathe(profile, segments=28, crease=math.pi), paint)
    for i in range(SUCKERS):
        z = 0.16 + (LENGTH - 0.3) * (i / (SUCKERS - 1)) ** 0.9
        body = _radius(z)
        cup = mesh_shapes.ring(body * 0.2, body * 0.09, segments=16).scaled(1, 1, 1.3)
        floor = mesh_shapes.cylinder(body * 0.18, body * 0.05, segments=16)
        for side in (-1.0, 1.0):
            angle = -0.5 * math.pi + side * 0.42
            place = (body * 0.97 * math.cos(angle), body * 0.97 * math.sin(angle), z)
            outside = (2.0 * place[0], 2.0 * place[1], z)
            mesh.add(cup.between(place, outside), Material((0.93, 0.78, 0.62), 0.5))
            mesh.add(floor.between(place, outside), Material((0.62, 0.40, 0.32), 0.6))
    return mesh
