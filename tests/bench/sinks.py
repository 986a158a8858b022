"""Both ways in which poses of Actors are written: ``python -m tests.bench.sinks``.

Runs the tests of Actors with public calls only (``IKRIG_PORTABLE=1``), and with joints'
memory written from the second frame on (``IKRIG_DIRECT_AT_ONCE=1``). With ``--soak
MINUTES`` does instead what games do to Actors, at random, and compares every frame that
was written directly with Panda3D's own update.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig
from tests.scene.actor.stage import Stage, bundle, character, joint

TESTS = "tests/scene/actor", "tests/scene/crowd", "tests/characters"
TIPS = "LeftHand", "RightHand", "LeftFoot", "RightFoot"
CLIPS = "walk", "run"
CLOSE = 3e-6
"""Largest difference from Panda3D's own update, as a fraction of the largest number."""


def net_matrices(actor: Actor) -> Any:
    """Return the net matrices of all joints, (n, 4, 4)."""
    mat, found = p3d.LMatrix4f(), []
    for each in actor.get_joints():
        each.get_net_transform(mat)
        found.append(np.array(mat))
    return np.array(found)


class Soak:
    """Actors to which things happen.

    Args:
        seed: Of what happens.
        count: Number of Actors.
    """

    def __init__(self, seed: int, count: int = 4) -> None:
        self.random = Random(seed)
        self.stage = Stage()
        self.done: Counter[str] = Counter()
        self.direct = 0
        """Frames that were written directly and compared."""
        self.worst = 0.0
        self.actors: list[tuple[Actor, ikrig.ActorRig]] = []
        for _ in range(count):
            self.enter()

    def enter(self) -> None:
        """Add an Actor with a rig."""
        random = self.random
        actor = self.stage.body("humanoid", random.choice(["single", "two"]))
        rig = ikrig.ActorRig(actor).start(self.stage.task_mgr)
        for tip in random.sample(TIPS, random.randint(1, 4)):
            rig.chain(tip, 2)
        if random.random() < 0.3:
            ikrig.LookAt(rig, self.stage.render.attach_new_node("seen"))
        self.actors.append((actor, rig))

    def leave(self, k: int) -> None:
        """Remove an Actor, and have another one come."""
        actor, _ = self.actors.pop(k)
        if actor in self.stage._made:
            self.stage._made.remove(actor)
        self.random.choice([actor.cleanup, actor.remove_node])()
        self.enter()

    def act(self, k: int) -> None:
        """Do something to an Actor."""
        random, (actor, rig) = self.random, self.actors[k]
        # what the rig moves and others control it takes back within some frames
        free = [x for x in rig.joints if x not in rig.skeleton._moved]
        name = random.choice(free)
        clip = random.choice(CLIPS)
        acts: dict[str, Callable[[], Any]] = {
            "play": lambda: actor.play(clip),
            "loop": lambda: actor.loop(clip),
            "pose": lambda: actor.pose(clip, random.randrange(40)),
            "stop": lambda: actor.stop(),
            "rate": lambda: actor.set_play_rate(random.uniform(-2, 2), clip),
            "blend": lambda: actor.set_blend(
                frameBlend=random.random() < 0.5, animBlend=random.random() < 0.5
            ),
            "kind": lambda: bundle(actor).set_blend_type(random.randrange(4)),
            "effect": lambda: actor.set_control_effect(clip, random.random()),
            "control": lambda: actor.control_joint(None, "modelRoot", name).set_h(9),
            "freeze": lambda: actor.freeze_joint(
                "modelRoot", name, hpr=(random.uniform(-9, 9), 5, 0)
            ),
            "free": lambda: actor.release_joint("modelRoot", name),
            "expose": lambda: actor.expose_joint(None, "modelRoot", name),
            "forced": lambda: actor.update(force=True),
            "culled": lambda: character(actor).node().update(),
            "read": lambda: actor.expose_joint(None, "modelRoot", name).get_pos(
                self.stage.render
            ),
            "scale": lambda: actor.set_scale(random.uniform(0.2, 3.0)),
            "flatten": lambda: random.choice(
                [actor.flatten_light, actor.flatten_strong]
            )(),
            "copy": lambda: self.copy(actor),
            "sink": lambda: setattr(rig, "portable", random.random() < 0.3),
            "rig": lambda: rig.stop() if random.random() < 0.5 else rig.start(),
            "pool": lambda: (
                actor.detach_node()
                if actor.has_parent()
                else actor.reparent_to(self.stage.render)
            ),
            "end": lambda: rig.skeleton.end_node(name, (0, random.random(), 0)),
            "joint": lambda: rig.joint(name),
            "weight": lambda: [
                setattr(chain, "weight", random.choice([0.0, 0.5, 1.0]))
                for chain in rig.chains
            ],
            "remove": lambda: self.leave(k),
            "unload": lambda: (
                actor.unload_anims([clip]) if random.random() < 0.1 else None
            ),
            "late": lambda: p3d.JointVertexTransform(joint(actor, name)).get_modified(),
        }
        chosen = random.choice(list(acts))
        self.done[chosen] += 1
        try:
            acts[chosen]()
        except ikrig.IkrigError:
            self.done["refused"] += 1

    def copy(self, actor: Actor) -> None:
        """Copy an Actor, animate the copy for itself, and remove it."""
        copy = Actor(other=actor)
        copy.reparent_to(self.stage.render)
        copy.loop("run")
        character(copy).node().update()
        copy.cleanup()

    def frame(self) -> None:
        """Run a frame, and compare what was written."""
        random = self.random
        for k in range(len(self.actors)):
            if random.random() < 0.15:
                self.act(k)
            for chain in self.actors[k][1].chains:
                by = [random.uniform(-0.05, 0.05) for _ in range(3)]
                chain.target.set_pos(chain.target, *by)
        self.stage.step()
        for actor, rig in self.actors:
            if actor.is_empty() or not rig.skeleton.is_current:
                continue
            memory = rig.skeleton._memory
            now = self.stage.clock.get_frame_time()
            if memory is None or memory.written != now:
                continue
            own = net_matrices(actor)
            bundle(actor).force_update()
            found = net_matrices(actor)
            gap = float(np.abs(own - found).max() / np.abs(found).max())
            self.worst = max(self.worst, gap)
            self.direct += 1
            assert gap < CLOSE, f"{gap:.2e} after {dict(self.done)}"


def soak(minutes: float, seed: int) -> None:
    """Run for some minutes; print what there was of it."""
    run, start, last = Soak(seed), time.monotonic(), 0.0
    frames = 0
    while time.monotonic() - start < 60.0 * minutes:
        run.frame()
        frames += 1
        if time.monotonic() - last > 60.0:
            last = time.monotonic()
            size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
            print(
                f"{frames:7} frames, {run.direct} compared, worst {run.worst:.1e}, "
                f"at most {size:.0f} MB",
                flush=True,
            )
    print(f"{frames} frames, {run.direct} compared, worst {run.worst:.1e}")
    print(*(f"{name} {n}" for name, n in sorted(run.done.items())), sep=", ")


def main(argv: list[str] | None = None) -> int:
    """Do what the arguments ask for; return the exit code."""
    parser = argparse.ArgumentParser(prog="tests.bench.sinks", description=__doc__)
    parser.add_argument("--soak", type=float, metavar="MINUTES")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--every", default="1", help="as of pytest")
    args = parser.parse_args(argv)
    if args.soak is not None:
        print(f"seed {args.seed}", flush=True)
        soak(args.soak, args.seed)
        return 0
    code = 0
    for way in ("IKRIG_PORTABLE", "IKRIG_DIRECT_AT_ONCE"):
        print(f"{way}=1", flush=True)
        words = [sys.executable, "-m", "pytest", "-q", "--every", args.every, *TESTS]
        code |= subprocess.run(
            words, env={**os.environ, way: "1"}, check=False
        ).returncode
    return code


if __name__ == "__main__":
    sys.exit(main())
