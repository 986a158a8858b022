"""Reach: a hand grabs a ball, holds it for a while and lets it go again."""

from pathlib import Path

from direct.actor.Actor import Actor
from direct.interval.IntervalGlobal import Func, Sequence, Wait
from direct.showbase.ShowBase import ShowBase

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(-2.5, -3.5, 1.6, -35, -7, 0)

figure = Actor(ASSETS / "models/humanoid.bam")
figure.set_blend(frameBlend=True)
figure.reparent_to(base.render)
figure.loop("idle")

ball = base.loader.load_model("models/misc/sphere")
ball.reparent_to(base.render)
ball.set_pos(-0.3, -0.7, 1.2)
ball.set_scale(0.05)
ball.set_color(1, 0.4, 0.1)

# If the arm is too short, the body helps: it leans, crouches and steps.
rig = ikrig.ActorRig(figure).start()
reach = ikrig.Reach(rig, "RightHand", body=ikrig.FullBody(rig))

Sequence(
    Wait(0.5), Func(reach.grab, ball), Wait(2.0), Func(reach.release), Wait(1.0)
).loop()

base.run()
