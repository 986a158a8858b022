"""A body: hands and head follow three nodes, and hips, spine and legs help."""

from math import cos, sin
from pathlib import Path

from direct.actor.Actor import Actor
from direct.showbase.ShowBase import ShowBase
from direct.task import Task

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(-2.8, -3.6, 1.4, -38, -7, 0)

figure = Actor(ASSETS / "models/humanoid.bam")
figure.set_blend(frameBlend=True)
figure.reparent_to(base.render)
figure.loop("idle")
balls = {name: base.render.attach_new_node(name) for name in ("left_hand", "head")}
for ball in balls.values():
    base.loader.load_model("models/misc/sphere").copy_to(ball).set_scale(0.04)

rig = ikrig.ActorRig(figure).start()
body = ikrig.FullBody(rig, **balls)  # handles are found by name, as limbs are
body.pin("right_hand")  # stays where the animation has it


def move(task: Task.Task) -> int:
    """Lead the left hand from the floor to overhead, and the head down with it."""
    high = 0.5 - 0.5 * cos(0.8 * task.time)
    balls["left_hand"].set_pos(0.4, -0.5 + 0.1 * sin(task.time), 0.3 + 1.3 * high)
    balls["head"].set_pos(0.05, -0.4 + 0.36 * high, 0.85 + 0.62 * high)
    return task.cont


base.task_mgr.add(move, "move")
base.run()
