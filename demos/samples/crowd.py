"""A crowd: 300 people walk over hills, look at a ball, and reach for it nearby."""

from pathlib import Path

import numpy as np
from direct.showbase.ShowBase import ShowBase
from direct.task.Task import Task

import ikrig

ASSETS = Path(__file__).resolve().parents[2] / "assets"
base = ShowBase()
base.disable_mouse()
base.camera.set_pos_hpr(0, -16, 6, 0, -18, 0)

N, rng = 300, np.random.default_rng(1)
crowd = ikrig.Crowd(ASSETS / "models/humanoid.bam", N)  # no Actors, but arrays
crowd.positions[:, :2] = rng.uniform((-12, -8), (12, 16), (N, 2))
crowd.headings[:] = rng.uniform(-3.14, 3.14, N)
crowd.play("walk", phase=rng.random(N))
hand = crowd.limb("right_hand")  # found as by ActorRig.auto
crowd.look.weights[:] = 1.0


def move(task: Task) -> int:
    """Walk on, and move the ball."""
    x, y, z = crowd.positions.T
    x += 0.02 * np.sin(crowd.headings)
    y -= 0.02 * np.cos(crowd.headings)
    z[:] = 0.2 * np.sin(0.5 * x) * np.cos(0.4 * y)
    ball = np.array([6.0 * np.sin(task.time), 2.0, 1.6])
    crowd.look.targets[:] = hand.targets[:] = ball
    near = np.linalg.norm(crowd.positions - ball, axis=1) < 2.5
    hand.weights += 0.08 * (near - hand.weights)
    return Task.cont


base.task_mgr.add(move, "move")
crowd.start()
base.run()
