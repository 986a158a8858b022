"""Feet: a walking character puts its feet on the steps below it."""

from pathlib import Path

from direct.actor.Actor import Actor
from direct.interval.IntervalGlobal import LerpPosInterval
from direct.showbase.ShowBase import ShowBase

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(8, -8, 2.2, 54, -8, 0)

figure = Actor(ASSETS / "models/humanoid.bam")
figure.set_blend(frameBlend=True)  # smooth between frames of the animation
figure.reparent_to(base.render)
figure.loop("walk")
for i in range(8):  # boxes as steps, each 0.1 higher
    step = base.loader.load_model("models/box")
    step.reparent_to(base.render)
    step.set_pos(-1, -0.6 * i - 0.6, 0.1 * i - 0.1)
    step.set_scale(2, 0.6, 0.1)
    step.set_texture_off(1)
    step.set_color(0.3, 0.4 + 0.05 * i, 0.5)


def height(x: float, y: float) -> float:
    """Return the height of the ground; a node with collision geometry works too."""
    return 0.1 * max(0, min(7, int(-y / 0.6)))


rig = ikrig.ActorRig(figure).start()
feet = ikrig.FootPlacement(rig, height)  # finds legs and hips by name
# This walk was made for 1.25 units a second; at other speeds feet slide.
LerpPosInterval(figure, 3.2, (0, -4, 0.6), (0, 0, 0)).loop()

base.run()
