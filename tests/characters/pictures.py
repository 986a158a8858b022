"""Draw characters with their joints: ``python -m tests.characters.pictures FOLDER``.

Two views of each, from where -y is, and from where +x is; joints have numbers, which
are printed with their names.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import panda3d.core as p3d
from direct.showbase.ShowBase import ShowBase

from ikrig.scene.actor.actor_skeleton import ActorSkeleton

from . import catalog

PRC = """
window-type offscreen
load-display p3headlessgl
aux-display p3tinydisplay
audio-library-name null
win-size 1600 1000
model-cache-dir
notify-level-gobj fatal
background-color 0.9 0.9 0.92 1
"""
ASPECT = 1.6


def main(argv: list[str]) -> int:
    """Draw the characters that the arguments name after the folder, or all."""
    folder, *names = argv
    Path(folder).mkdir(parents=True, exist_ok=True)
    p3d.load_prc_file_data("pictures", PRC)
    base = ShowBase()
    for name in names or catalog.EXPECTED:
        if catalog.find_file(name) is None:
            print(f"{name}: not at hand, {catalog.missing(name)}")
            continue
        joints = draw(base, name)
        image = p3d.PNMImage()
        base.win.get_screenshot(image)
        image.write(p3d.Filename(f"{folder}/{name}.png"))
        print(f"{name}:", *(f"{k}={joint}" for k, joint in enumerate(joints)))
    base.destroy()
    return 0


def draw(base: Any, name: str) -> list[str]:
    """Render both views of a character; return the names of its joints."""
    root = p3d.NodePath(name)
    root.set_light(root.attach_new_node(p3d.AmbientLight("dim")))
    lamp = root.attach_new_node(p3d.DirectionalLight("lamp"))
    lamp.set_hpr(-30, -40, 0)
    root.set_light(lamp)
    views = [catalog.load(name), catalog.load(name)]
    low, high = views[0].get_tight_bounds()
    width = max(high[0] - low[0], high[1] - low[1])
    height = max(1.1 * (high[2] - low[2]), 2.3 * width / ASPECT)
    lens = p3d.OrthographicLens()
    lens.set_film_size(ASPECT * height, height)
    lens.set_near_far(0.01 * height, 20.0 * height)
    base.cam.node().set_scene(root)
    base.cam.node().set_lens(lens)
    base.cam.set_pos_hpr(0, -4.0 * height, (low[2] + high[2]) / 2, 0, 0, 0)
    for turn, side, actor in zip((0, 90), (-0.57, 0.57), views, strict=True):
        pivot = root.attach_new_node("pivot")
        pivot.set_pos_hpr(side * width, 0, 0, turn, 0, 0)
        actor.reparent_to(pivot)
        actor.set_pos(-(low[0] + high[0]) / 2, -(low[1] + high[1]) / 2, 0)
        actor.set_transparency(p3d.TransparencyAttrib.M_alpha)
        actor.set_texture_off(1)
        actor.set_color(0.55, 0.6, 0.7, 0.45)
        names = _draw_joints(root, actor, height)
    base.graphicsEngine.render_frame()
    base.graphicsEngine.render_frame()
    return names


def _draw_joints(root: p3d.NodePath, actor: Any, height: float) -> list[str]:
    skeleton = ActorSkeleton(actor, "modelRoot")
    lines = p3d.LineSegs()
    lines.set_thickness(2)
    places = {}
    for name in skeleton.joints:
        mat = skeleton.rest_mat(name) * skeleton.bundle.get_root_xform()
        point = p3d.LPoint3f(mat.get_row3(3))
        places[name] = root.get_relative_point(skeleton.space.get_parent(), point)
    for name, parent in skeleton.parents.items():
        if parent is not None:
            lines.move_to(places[parent])
            lines.draw_to(places[name])
    drawn = root.attach_new_node(lines.create())
    drawn.set_color(0.8, 0.1, 0.1, 1)
    for k, place in enumerate(places.values()):
        label = p3d.TextNode(str(k))
        label.text = str(k)
        label.text_color = (0, 0, 0, 1)
        text = root.attach_new_node(label)
        text.set_pos(place[0], -3.0 * height, place[2])
        text.set_scale(0.016 * height)
    for node in (drawn, *root.find_all_matches("**/+TextNode")):
        node.set_light_off()
        node.set_bin("fixed", 10)
        node.set_depth_test(False)
    return list(places)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
