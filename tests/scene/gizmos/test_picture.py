"""Rendered pictures, by the CPU rasteriser in a separate process."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import panda3d.core as p3d
import pytest

from ikrig.scene.gizmos import GIZMO_MASK

PICTURE = """
    import json, sys
    import numpy as np
    import panda3d.core as p3d
    p3d.load_prc_file_data("", '''
        window-type offscreen
        load-display p3tinydisplay
        audio-library-name null
        win-size 320 180
        background-color 0.2 0.2 0.2 1
        model-cache-dir
    ''')
    from direct.showbase.ShowBase import ShowBase
    try:
        base = ShowBase()
    except Exception as error:
        print(json.dumps({"skip": str(error)}))
        sys.exit()
    from ikrig.scene.gizmos import GIZMO_MASK, Gizmos

    tex = p3d.Texture()
    base.win.add_render_texture(
        tex, p3d.GraphicsOutput.RTM_copy_ram, p3d.GraphicsOutput.RTP_color)

    def shot():
        base.graphicsEngine.render_frame()
        base.graphicsEngine.render_frame()
        data = np.frombuffer(memoryview(tex.get_ram_image()), np.uint8)
        return data.reshape(180, 320, -1)[:, :, :3].astype(int)

    def changed(a, b):
        return int((np.abs(a - b).max(axis=2) > 8).sum())

    base.disable_mouse()
    base.cam.set_pos(0, -10, 0)
    empty = shot()
    gizmos = Gizmos(base.render, base.cam)
    node = base.render.attach_new_node("target")
    gizmos.add_handle(node, color=(0, 1, 0))
    gizmos.update()
    plain = shot()
    out = {"seen": changed(plain, empty), "middle": plain[90, 160].tolist()}

    mask = base.camNode.get_camera_mask()
    base.camNode.set_camera_mask(mask & ~GIZMO_MASK)
    out["masked"] = changed(shot(), empty)
    base.camNode.set_camera_mask(mask)
    gizmos.visible = False
    out["invisible"] = changed(shot(), empty)
    gizmos.visible = True
    out["again"] = changed(shot(), plain)

    # whatever is done to the scene
    light = base.render.attach_new_node(p3d.AmbientLight("black"))
    light.node().set_color((0, 0, 0, 1))
    base.render.set_light(light)
    base.render.set_color((1, 0, 0, 1), 10)
    base.render.set_color_scale((0.1, 0.1, 0.1, 1), 10)
    base.render.set_render_mode_wireframe(10)
    base.render.set_fog(p3d.Fog("fog"), 10)
    base.render.set_depth_write(True, 10)
    base.render.set_transparency(False, 10)
    out["hostile"] = changed(shot(), plain)

    # a wall in front
    base.render.clear_light()
    for clear in ("color", "color_scale", "render_mode", "fog"):
        getattr(base.render, "clear_" + clear)()
    card = p3d.CardMaker("wall")
    card.set_frame(-9, 9, -9, 9)
    wall = base.render.attach_new_node(card.generate())
    wall.set_pos(0, -2, 0)
    wall.set_color(0.2, 0.2, 0.2, 1)
    hidden = shot()
    out["hidden"] = hidden[90, 160].tolist()

    gizmos.destroy()
    out["destroyed"] = changed(shot(), empty)
    print(json.dumps(out))
"""


def test_gizmos_appear_in_the_rendered_picture() -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PICTURE)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    out = json.loads(done.stdout.strip().splitlines()[-1])
    if "skip" in out:
        pytest.skip(out["skip"])
    assert out["seen"] > 100
    assert out["masked"] == 0
    assert out["invisible"] == 0
    assert out["again"] == 0
    assert out["hostile"] == 0
    assert out["destroyed"] == 0
    # green, and still so behind a wall, but dimmer
    _, green, _ = out["middle"]
    red, dimmed, blue = out["hidden"]
    assert max(red, blue) + 40 < dimmed < green


def test_mask_is_a_single_camera_bit() -> None:
    assert GIZMO_MASK.get_num_on_bits() == 1
    assert (GIZMO_MASK & p3d.PandaNode.get_all_camera_mask()) == GIZMO_MASK
