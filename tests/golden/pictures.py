"""Draws golden pictures: ``python -m tests.golden.pictures FOLDER [NAME ...]``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import panda3d.core as p3d
from direct.showbase.ShowBase import ShowBase

import ikrig
from ikrig.scene.viewer import display, picture
from ikrig.scene.viewer.display import Surface
from tests.golden.stage import Stage

SIZE = (320, 180)
NO_RASTERISER = 3
"""Exit code where there is nothing to draw with."""


class Shot(NamedTuple):
    """A moment of a rig with a clip, and from where it is seen."""

    rig: str
    clip: str
    time: float
    focus: tuple[float, float, float]
    distance: float
    heading: float = 30.0

    @property
    def name(self) -> str:
        """Name of its file."""
        return f"{self.clip}.png"


SHOTS = (
    Shot("arm", "circling", 1.3, (0.6, 0.0, 1.4), 4.4),
    Shot("creature", "creature_idle", 3.2, (0.0, 0.0, 0.5), 4.8, 40.0),
    Shot("humanoid", "humanoid_greet", 1.5, (0.0, 0.0, 0.95), 3.9, 20.0),
    Shot("panda", "panda_pat", 1.45, (0.0, 0.0, 190.0), 1500.0, 50.0),
    Shot("six_axis", "six_axis_weld", 3.0, (0.25, 0.0, 0.55), 2.6, 40.0),
    Shot("tentacle", "tentacle_sway", 2.0, (0.6, 0.0, 2.1), 7.5, -20.0),
)


class Environment(ShowBase):
    """A floor and two lamps, drawn by Panda3D's CPU rasteriser."""

    def __init__(self) -> None:
        os.environ[display.OVERRIDE] = "p3tinydisplay"
        display.configure()
        screen = display.find(Surface.OFFSCREEN)
        if screen.surface is Surface.NONE:
            print(display.NO_PIPE)
            sys.exit(NO_RASTERISER)
        super().__init__(windowType="none")
        properties = p3d.WindowProperties.get_default()
        properties.set_size(*SIZE)
        self.open_main_window(props=properties, pipe=screen.pipe, type="offscreen")
        self.win.set_clear_color(p3d.LColor(0.16, 0.18, 0.21, 1.0))
        self.camLens.set_min_fov(30.0)
        for light, colour, way in (
            (p3d.AmbientLight("sky"), 0.5, (0, 0, 0)),
            (p3d.DirectionalLight("sun"), 0.75, (-35, -50, 0)),
        ):
            light.set_color(p3d.LColor(colour, colour, colour, 1.0))
            node = self.render.attach_new_node(light)
            node.set_hpr(*way)
            self.render.set_light(node)

    def draw(self, shot: Shot) -> picture.Picture:
        """Return the picture of a shot."""
        stage = Stage(shot.rig, shot.clip)
        stage.scene.reparent_to(self.render)
        stage.go_to(shot.time)
        card = p3d.CardMaker("floor")
        size = 0.3 * shot.distance
        card.set_frame(-size, size, -size, size)
        floor = stage.scene.attach_new_node(card.generate())
        floor.set_hpr(shot.heading, -90, 0)
        floor.set_light_off()
        floor.set_color(0.24, 0.27, 0.31, 1.0)
        pivot = self.render.attach_new_node("pivot")
        pivot.set_pos(*shot.focus)
        pivot.set_hpr(shot.heading, -12.0, 0.0)
        self.camera.reparent_to(pivot)
        self.camera.set_pos_hpr(0, -shot.distance, 0, 0, 0, 0)
        self.camLens.set_near_far(0.05 * shot.distance, 10.0 * shot.distance)
        gizmos = ikrig.Gizmos(self.render, self.camera, lens_source=self.camNode)
        gizmos.add(stage.rig)
        for target in stage.rig.targets.values():
            gizmos.add_handle(target)
        gizmos.update()
        self.graphics_engine.render_frame()
        self.graphics_engine.render_frame()
        found = picture.grab(self.win)
        gizmos.destroy()
        stage.close()
        self.camera.reparent_to(self.render)
        stage.scene.remove_node()
        pivot.remove_node()
        return found


def pixels(path: Path) -> np.ndarray:
    """Return the colours of a picture's file."""
    image = p3d.PNMImage()
    assert image.read(p3d.Filename.from_os_specific(str(path)))
    texture = p3d.Texture()
    texture.load(image)
    return picture.from_texture(texture).astype(float)


def main(folder: Path, names: Sequence[str]) -> None:
    """Draw those of these names; without any, all."""
    studio = Environment()
    for shot in SHOTS:
        if shot.name in names or not names:
            picture.save(studio.draw(shot), folder / shot.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
