"""An Actor with all features, and random events for it."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import panda3d.core as p3d

import ikrig
from tests.fuzz.scenes import (
    broken,
    endured,
    frame_time,
    harm,
    largest,
    lies,
    mend,
    number,
    settings,
)
from tests.scene.actor.stage import Stage


def ground_of(rng: Random) -> Any:
    """A function that gives the height of the ground, or something else at times."""
    junk = (None, math.nan, math.inf, "high", (0.0, (0, 0, 0)), (), -1e30, 1e300)
    # how often feet ask must not decide what happens next
    rng = Random(rng.random())

    def height(x: float, y: float) -> Any:
        if rng.random() < 0.02:
            return rng.choice(junk)
        return 0.1 * math.sin(x) * math.cos(y)

    return height


class Figure:
    """A walking humanoid with feet, hands, head and a torch, and their targets."""

    def __init__(self, stage: Stage, rng: Random) -> None:
        self.rng, self.stage, self.top = rng, stage, stage.render
        self.actor = stage.body("humanoid", rng.choice(("single", "two")))
        self.rig = rig = ikrig.ActorRig(self.actor)
        self.ball = self.top.attach_new_node("ball")
        self.ball.set_pos(0.5, -0.6, 1.3)
        muzzle = rig.joint("RightHand").attach_new_node("muzzle")
        self.feet = ikrig.FootPlacement(rig, ground_of(rng))
        self.look = ikrig.LookAt(rig, self.ball)
        self.aim = ikrig.Aim(rig, muzzle, self.ball, {"RightArm": 1})
        self.body = ikrig.FullBody(rig)
        self.reach = ikrig.Reach(rig, "LeftHand", self.ball, body=self.body)
        self.last = rig.chain("RightHand", order=9, weight=0.5)
        self.behaviours: list[Any] = [self.feet, self.look, self.aim, self.reach]
        self.targets = [self.ball, self.last.target]
        joints = list(rig.skeleton.space.find_all_matches("**"))
        self.known = [self.actor, *joints, *self.targets, muzzle]

    @property
    def nodes(self) -> list[p3d.NodePath]:
        return [node for node in self.known if not node.is_empty()]

    def act(self) -> None:
        """Perform one random action."""
        rng, behaviour = self.rng, self.rng.choice(self.behaviours)
        kind = rng.randrange(14)
        if kind < 4:
            mend(rng.choice(self.targets), self.top, rng)
        elif kind < 6:
            harm(rng.choice(self.targets), [self.top, *self.known], rng)
        elif kind == 6 and rng.random() < 0.3:
            harm(self.actor, [self.top], rng)
        elif kind == 7:
            mend(self.actor, self.top, rng)
        elif kind == 8:
            behaviour.fade(rng.random(), rng.choice((0.0, 1e-9, 0.5, 1e300)))
        elif kind == 9:
            (behaviour.stop if rng.random() < 0.5 else behaviour.start)()
        elif kind == 10:
            for name in ("seconds", "speed", "step_height", "lock_distance"):
                if hasattr(behaviour, name):
                    endured(lambda n=name: setattr(behaviour, n, number(rng)))
        elif kind == 11:
            for name, value in settings(rng).items():
                setattr(self.last, name, value)
            self.last.orientation_mode = rng.choice(("bone", "target", "normal"))
        elif kind == 12:
            node = rng.choice((None, *self.targets))
            for one in (self.look, self.aim, self.reach):
                one.target = node
        elif rng.random() < 0.1:
            self.actor.cleanup()
        elif not self.actor.is_empty():
            self.actor.loop(rng.choice(("walk", "run")))

    def frame(self) -> None:
        """Run a frame; nothing may raise, break or lie."""
        before, size = broken(self.nodes), largest(self.nodes)
        self.stage.step()
        self.rig.update(frame_time(self.rng))
        assert broken(self.nodes) <= before
        if self.last.started:
            reported = lies(self.last, max(size, largest(self.nodes)))
            assert not reported, reported
