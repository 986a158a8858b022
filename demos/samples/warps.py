"""Warps: one walk, at any speed and in any direction, without sliding feet."""

from math import cos, pi, sin
from pathlib import Path

from direct.actor.Actor import Actor
from direct.showbase.ShowBase import ShowBase
from direct.task import Task

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(0, -9, 2.5, 0, -10, 0)
figure = Actor(ASSETS / "models/humanoid.bam")
figure.set_blend(frameBlend=True)
figure.reparent_to(base.render)
figure.loop("walk")  # made for 1.25 units a second, straight ahead
for i in range(-4, 5):
    tile = base.loader.load_model("models/box")
    tile.reparent_to(base.render)
    tile.set_pos_hpr_scale(i - 0.01, -4, -0.02, 0, 0, 0, 0.02, 8, 0.02)

rig = ikrig.ActorRig(figure).start()
turn = ikrig.OrientationWarp(rig)  # hips and legs point along the way
stride = ikrig.StrideWarp(rig)  # steps are as long as the way


def walk(task: Task.Task) -> int:
    """Walk round and round, slower and faster, and look at the camera all the time."""
    angle = 0.5 * task.time + 0.3 * sin(task.time)
    figure.set_pos(2.0 * cos(angle), 2.0 * sin(angle), 0)
    figure.set_h(4.0 * sin(angle * pi))
    return Task.cont


base.task_mgr.add(walk, "walk")
base.run()
