"""Draws the pictures of the studio's page, off screen.

python -m tests.studio.pictures assets/images
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import panda3d.core as p3d

import ikrig
from ikrig.clip.editing import KeyName

from .driver import Driver, open_studio

ASSETS = Path(__file__).parents[2] / "assets"
SIZE = (1280, 720)


def main() -> None:
    out = Path(sys.argv[1] if len(sys.argv) > 1 else ASSETS / "images")
    with tempfile.TemporaryDirectory() as home:
        os.environ["IKRIG_STUDIO_HOME"] = home
        studio(out, Path(home))
        inspector(out)


def studio(out: Path, folder: Path) -> None:
    from ikrig.formats.rig_file import Part
    from ikrig.studio.document.adding import add_pole
    from ikrig.studio.document.changing import set_limit
    from ikrig.studio.document.recovery import add_recent

    with open_studio(SIZE) as app:
        driver = Driver(app)
        session = driver.session
        for name in ("models", "rigs"):
            (folder / name).mkdir()
        model = folder / "models" / "humanoid.bam"
        shutil.copy(ASSETS / "models" / "humanoid.bam", model)
        add_recent(model)
        app.dialogs.path = "assets"
        driver.frames(2)
        driver.picture(out / "studio_start.png")
        assert session.open(model)
        driver.frames(3)
        driver.picture(out / "studio_limbs.png")
        driver.key("enter")
        driver.frames(3)
        session.live.playback.choose("wave")
        session.live.playback.seek(1.2)
        driver.frames(2)
        x, y = driver.target("left_hand target")
        driver.drag((x, y), (x - 25, y - 95))
        x, y = driver.target("right_foot target")
        driver.drag((x, y), (x + 10, y - 60))
        session.do(add_pole, "left_hand")
        session.select("chains", "left_hand")
        driver.frames(60)
        driver.move(640, 500)
        driver.picture(out / "studio_chain.png")
        hinge = Part("", {"kind": "hinge", "axis": "z", "range": (-0.3, 2.2)})
        session.do(set_limit, ("chains", "left_hand"), "LeftForeArm", hinge)
        session.tab = "YAML"
        assert session.save(folder / "rigs" / "humanoid.yaml")
        driver.frames(60)
        driver.picture(out / "studio_limit.png")
        keys(driver, out)
        grip(driver, out, folder / "models")
        app.close()


STAFF = """
name: staff
bodies:
  - name: staff
    geoms:
      - kind: cylinder
        size: [0.016, 0.85, 0]
        pos: [0, 0, 0.85]
        rgba: [0.5, 0.3, 0.15, 1]
"""
GUARD = """
model: humanoid.bam
bodies:
  staff:
    file: staff.yaml
    pos: [0.32, -0.36, 0]
    grips: {shaft: {point: [0, 0, 1.15], axis: z, length: 0.3, approach: [-0.3, -1, 0]}}
"""


def grip(driver: Driver, out: Path, folder: Path) -> None:
    """Hold the grip of a staff."""
    session = driver.session
    (folder / "staff.yaml").write_text(STAFF)
    (folder / "guard.yaml").write_text(GUARD)
    assert session.open(folder / "guard.yaml")
    session.tab = "Timeline"
    session.select("grips", "shaft", ("bodies", "staff"))
    driver.frames(2)
    session.hold()
    driver.frames(90)
    driver.app.orbit.zoom(6)
    driver.move(900, 640)
    driver.frames(2)
    driver.picture(out / "studio_grip.png")


def keys(driver: Driver, out: Path) -> None:
    """Key the left hand twice, and select the second key."""
    session = driver.session
    session.select("")
    session.live.playback.choose("walk")
    session.keying.new()
    driver.frames(2)
    for time, (dx, dy) in ((0.0, (10, 30)), (1.2, (40, -60))):
        session.keying.go(time)
        driver.frames(2)
        x, y = driver.target("left_hand target")
        driver.drag((x, y), (x + dx, y + dy))
    session.keying.set_curve((0.3, 0.0, 0.2, 1.0))
    part = "left_hand"
    for time, weight in ((0.0, 0.0), (0.4, 1.0), (2.0, 0.2)):
        session.keying.go(time)
        session.keying.set_key(part, "weight", weight)
    first = min(k for k in session.keying.clip.track(part, "target").keys)
    session.keying.choose(KeyName(part, "target", first))
    session.keying.set_curve((0.3, 0.0, 0.2, 1.0))
    session.keying.go(0.7)
    driver.frames(30)
    driver.picture(out / "studio_keys.png")


def inspector(out: Path) -> None:
    from direct.showbase.ShowBase import ShowBase

    from ikrig.scene.viewer import display

    screen = display.find(display.Surface.OFFSCREEN)
    base = ShowBase(windowType="none")
    size = p3d.WindowProperties.size(*SIZE)
    base.open_main_window(props=size, pipe=screen.pipe, type="offscreen")
    rig = ikrig.load_rig(ASSETS / "rigs" / "humanoid.yaml").start()
    rig.model.pose("walk", 5)
    base.cam.set_pos(1.5, -5, 1.4)
    base.cam.look_at(-0.5, 0, 0.9)
    light = base.render.attach_new_node(p3d.DirectionalLight("sun"))
    light.look_at(-1, 2, -2)
    base.render.set_light(light)
    base.win.set_clear_color((0.35, 0.5, 0.65, 1))
    panel = ikrig.Inspector(base, shown=True)
    driver = Driver(base)
    driver.frames(5)
    panel._panel.selected = rig.chains["left_hand"]
    driver.frames(20)
    driver.move(900, 600)
    driver.picture(out / "studio_inspector.png")
    panel.destroy()
    rig.remove()
    base.destroy()


if __name__ == "__main__":
    main()
