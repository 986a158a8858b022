"""Hits: balls fly at a walking figure, which gives way where they meet it."""

from itertools import cycle
from pathlib import Path

from direct.actor.Actor import Actor
from direct.interval.IntervalGlobal import Func, LerpPosInterval, Sequence, Wait
from direct.showbase.ShowBase import ShowBase

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"

base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(-3.6, -2.4, 1.4, -56, -7, 0)
figure = Actor(ASSETS / "models/humanoid.bam")
figure.set_blend(frameBlend=True)
figure.reparent_to(base.render)
figure.loop("walk")
ball = base.loader.load_model("models/misc/sphere")
ball.set_scale(0.06)

rig = ikrig.ActorRig(figure).start()
reaction = ikrig.HitReaction(rig)  # on top of the walk, and of any other layer
joints = cycle(("Spine2", "head", "RightArm", "LeftUpLeg"))


def throw() -> None:
    """Throw a ball at the next joint."""
    ball.reparent_to(base.render)
    goal = rig.joint(name := next(joints)).get_pos(base.render)
    start = (-0.6, -3.0, 1.5)
    hit = Func(reaction.hit, name, goal - start, 0.1)
    there = LerpPosInterval(ball, 0.4, goal, start)
    Sequence(there, hit, Func(ball.detach_node), Wait(0.6), Func(throw)).start()


throw()
base.run()
