"""Times springs: ``python -m tests.bench.followers``.

1000 joints with 20 colliders each, of strands of ten, in the kernel; and what springs
of 40 joints with 4 colliders add to a frame of an Actor that walks. Times are those of
this thread, the least of rounds in turns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import cos, inf, sin
from time import thread_time

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

from ikrig import ActorRig, Collider, SpringBones
from ikrig.model.pose import Pose
from ikrig.model.springs import Spring, Springs

from . import DT
from .actors import HUMANOID, LIMBS

FRAMES, ROUNDS = 60, 60


def main() -> int:
    """Print the table; return the exit code."""
    for name, value in run(FRAMES, ROUNDS).items():
        print(f"{name:<44}{value:9.1f} us")
    return 0


def run(frames: int, rounds: int) -> dict[str, float]:
    """Return the times [us]."""
    works = {
        "1000 joints": _crowd_of_strands(0),
        "1000 joints, 20 colliders": _crowd_of_strands(20),
        "frame of an Actor": _rig(False),
        "frame with 40 spring joints, 4 colliders": _rig(True),
    }
    times = dict.fromkeys(works, inf)
    for _ in range(rounds):
        for name, work in works.items():
            start = thread_time()
            for k in range(frames):
                work(k)
            times[name] = min(times[name], 1e6 * (thread_time() - start) / frames)
    bare, sprung = list(times.values())[2:]
    return {**times, "so the springs": sprung - bare}


def _crowd_of_strands(colliders: int) -> Callable[[int], None]:
    """100 strands of ten bones on a head that turns."""
    names, parents, rest = ["head"], [-1], [np.eye(4)]
    springs, rng = {}, np.random.default_rng(1)
    for s in range(100):
        line = []
        for k in range(11):
            parents.append(0 if k == 0 else len(names) - 1)
            names.append(f"{s} {k}")
            line.append(names[-1])
            mat = np.eye(4)
            mat[3, :3] = rng.normal(0.0, 0.05, 3)
            rest.append(mat)
        springs[line[0]] = Spring(line, gravity_power=0.2, hit_radius=0.01)
    pose = Pose(names, parents, np.array(rest, np.float32))
    bodies = {
        f"{k}": Collider(
            "head",
            0.05,
            rng.normal(0, 0.2, 3).tolist(),
            rng.normal(0, 0.2, 3).tolist() if k % 2 else None,
        )
        for k in range(colliders)
    }
    made = Springs(pose, springs, bodies)
    start = np.array(rest, np.float32)

    def work(k: int) -> None:
        pose.local[:] = start
        angle = 0.8 * sin(0.1 * k)
        pose.local[0, :2, :2] = [[cos(angle), sin(angle)], [-sin(angle), cos(angle)]]
        pose.note_all()
        made.apply(pose, DT)

    return work


def _rig(springs: bool) -> Callable[[int], None]:
    """An Actor that walks, with 40 joints that swing or without."""
    actor = with_strands()
    rig = ActorRig(actor)
    for tip in LIMBS:
        rig.chain(tip, 2)
    if springs:
        bodies = {
            name: Collider(name, 0.1) for name in ("Head", "Spine2", "Spine1", "Hips")
        }
        starts = [f"strand{s} 0" for s in range(8)]
        SpringBones(rig, starts, gravity_power=0.2, colliders=bodies)
    clock = p3d.ClockObject.get_global_clock()

    def work(k: int) -> None:
        clock.tick()
        rig.update(DT)
        p3d.TransformState.garbage_collect()

    return work


def with_strands() -> Actor:
    """Return a humanoid that walks, with eight strands of five bones on its head."""
    model = p3d.NodePath(p3d.Loader.get_global_ptr().load_sync(HUMANOID))
    bundle = model.find("**/+Character").node().get_bundle(0)
    head = bundle.find_child("Head")
    for s in range(8):
        above = head
        for k in range(6):
            place = p3d.LVector3f(0.1 * cos(s), 0.1 * sin(s), 0.1)
            mat = p3d.LMatrix4f.translate_mat(place if k == 0 else (0, 0, -0.08))
            above = p3d.CharacterJoint(
                model.find("**/+Character").node(), bundle, above, f"strand{s} {k}", mat
            )
    actor = Actor(model)
    actor.reparent_to(p3d.NodePath("bench"))
    actor.set_blend(frameBlend=True)
    actor.loop("walk")
    return actor


if __name__ == "__main__":
    sys.exit(main())
