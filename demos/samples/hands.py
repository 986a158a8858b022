"""Hands: one slides along a wall by itself, the other takes a stick on the way."""

from pathlib import Path

from direct.actor.Actor import Actor
from direct.interval.IntervalGlobal import Func, Sequence, Wait
from direct.showbase.ShowBase import ShowBase

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(-1.4, -2.6, 1.5, -28, -8, 0)

figure = Actor(ASSETS / "models/humanoid.bam")
figure.reparent_to(base.render)
figure.loop("walk")

# It walks in place, so the wall moves past it.
wall, stick = (base.loader.load_model("models/box") for _ in range(2))
for thing in (wall, stick):
    thing.reparent_to(base.render)
    thing.set_texture_off(1)
wall.set_scale(0.1, 6, 2.2)
wall.posInterval(6.0, (0.48, -1, 0), (0.48, -8, 0)).loop()
stick.set_pos(-0.3, -0.4, 0.6)
stick.set_scale(0.025, 0.025, 0.9)
stick.set_color(0.9, 0.6, 0.2)

rig = ikrig.ActorRig(figure).start()
touch = ikrig.Touch(rig, "left_hand", wall)  # a wall, a rail, a table: by itself
reach = ikrig.Reach(rig, "right_hand", weight=0.0)
take, leave = Func(reach.grab, stick), Func(reach.release)
Sequence(Wait(1.0), take, Wait(3.0), leave, Wait(2.0)).loop()
base.run()
