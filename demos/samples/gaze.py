"""Gaze: eyes, head and spine of a character turn to a ball that moves around."""

from pathlib import Path

from direct.actor.Actor import Actor
from direct.interval.IntervalGlobal import LerpPosInterval, Sequence
from direct.showbase.ShowBase import ShowBase

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(1.5, -3.5, 1.6, 23, -3, 0)

figure = Actor(ASSETS / "models/humanoid.bam")
figure.set_blend(frameBlend=True)
figure.reparent_to(base.render)
figure.loop("idle")

ball = base.loader.load_model("models/misc/sphere")
ball.reparent_to(base.render)
ball.set_scale(0.06)

# Without joints= it finds head, neck, spine and eyes by name. It turns no farther
# and no faster than a head does, so it ignores a ball behind its back.
rig = ikrig.ActorRig(figure).start()
look = ikrig.LookAt(rig, ball)

left, right = (-1.2, -1.5, 1.9), (1.2, -1.5, 1.3)
there = LerpPosInterval(ball, 2.0, right, left, blendType="easeInOut")
back = LerpPosInterval(ball, 2.0, left, right, blendType="easeInOut")
Sequence(there, back).loop()

base.run()
