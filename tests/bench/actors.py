"""Times rigs beside plain Actors: ``python -m tests.bench.actors [--actors 10 300]``.

Walking humanoids in one scene, without a renderer, frame-blended and not. What a frame
of rigs costs is divided by what ``update()`` of as many Actors without a rig costs, the
clock ticked before each; all take turns. Besides: what a standing Actor costs, the heap
blocks of a rig, the Python functions called in a frame, and what attaching to the first
and to the second Actor of a model costs.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import thread_time
from typing import Any

import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig
from ikrig.scene.actor.clip_sampling import MATCH_FRAMES

from . import DT

HUMANOID = Path(__file__).parents[2] / "assets" / "models" / "humanoid.bam"
LIMBS = "LeftHand", "RightHand", "LeftFoot", "RightFoot"
BODIES = {
    "humanoid": (LIMBS, 2),
    "panda": (("Bone_lf_foot", "Bone_rf_foot", "Bone_lr_foot", "Bone_rr_foot"), 3),
}
FIELD = ikrig.Heightfield([[0.0, 0.0], [0.0, 0.0]], (-100.0, -100.0), (200.0, 200.0))
FRAMES = 40
CLIP = 130
"""Number of frames in which a clip has been shown as a whole."""


class Crowd:
    """Walking Actors with rigs that a function attaches, and their targets."""

    def __init__(
        self,
        world: p3d.NodePath,
        count: int,
        attach: Callable[[Any], Any] | None,
        smooth: bool = True,
    ) -> None:
        self.actors = [walking(world, smooth) for _ in range(count)]
        self.rigs = [] if attach is None else [attach(actor) for actor in self.actors]
        self.bundles = [actor.get_part_bundle("modelRoot") for actor in self.actors]
        self.targets = [
            (end.target, end.target.get_pos())
            for rig in self.rigs
            for chain in rig.chains
            for end in chain.effectors
        ]

    def move(self, k: int) -> None:
        """Move the targets for a frame."""
        by = p3d.LVector3f(
            0.05 * math.sin(0.1 * k),
            0.03 * math.sin(0.07 * k),
            0.05 * math.cos(0.1 * k),
        )
        for target, place in self.targets:
            target.set_pos(place + by)

    def frame(self) -> None:
        """Run a frame of the rigs, or of the Actors where there are none."""
        if self.rigs:
            for rig in self.rigs:
                rig.update(DT)
        else:
            for bundle in self.bundles:
                bundle.update()


def walking(world: p3d.NodePath, smooth: bool = True) -> Actor:
    """Return a new Actor that walks, its frames blended or not."""
    actor = Actor(p3d.Filename.from_os_specific(str(HUMANOID)))
    actor.reparent_to(world)
    actor.set_blend(frameBlend=smooth)
    actor.loop("walk")
    return actor


def limbs(actor: Any) -> ikrig.ActorRig:
    """Return a rig that holds four limbs."""
    rig = ikrig.ActorRig(actor)
    for tip in LIMBS:
        rig.chain(tip, 2)
    return rig


def limbs_without_weight(actor: Any) -> ikrig.ActorRig:
    """Return the same rig at weight 0."""
    rig = limbs(actor)
    for chain in rig.chains:
        chain.weight = 0.0
    return rig


def without_layer(actor: Any) -> ikrig.ActorRig:
    """Return a rig that does nothing."""
    return ikrig.ActorRig(actor)


def everything(actor: Any) -> ikrig.ActorRig:
    """Return a rig with hands, feet on a ground and a gaze."""
    rig = ikrig.ActorRig(actor)
    for tip in LIMBS[:2]:
        rig.chain(tip, 2)
    ikrig.FootPlacement(rig, ground=flat)
    ikrig.LookAt(rig, actor.get_parent().attach_new_node("seen"))
    return rig


def flat(x: float, y: float) -> float:
    """Return the height of the ground."""
    return 0.02 * math.sin(x + y)


def warped(actor: Any) -> ikrig.ActorRig:
    """Return a rig with feet on a heightfield, whose strides are warped."""
    rig = ikrig.ActorRig(actor)
    ikrig.OrientationWarp(rig)
    ikrig.StrideWarp(rig)
    ikrig.FootPlacement(rig, ground=FIELD)
    return rig


KINDS: dict[str, Callable[[Any], Any] | None] = {
    "plain": None,
    "no layer": without_layer,
    "weights 0": limbs_without_weight,
    "four limbs": limbs,
    "hands, feet, gaze": everything,
    "two warps, feet": warped,
}


def ratios(count: int, rounds: int, smooth: bool = True) -> dict[str, float]:
    """Return µs of a plain Actor's update, and what a rig costs as a multiple."""
    world = p3d.NodePath("bench")
    clock = p3d.ClockObject.get_global_clock()
    crowds = {
        kind: Crowd(world, count, attach, smooth) for kind, attach in KINDS.items()
    }
    times: dict[str, list[float]] = {kind: [] for kind in crowds}
    for rig in [crowd.rigs[0] for crowd in crowds.values() if crowd.rigs]:
        # frames of clips are read once a model
        for _ in range(CLIP):
            clock.tick()
            rig.update(DT)
    for _ in range(2 * MATCH_FRAMES):
        clock.tick()
        for crowd in crowds.values():
            crowd.frame()
    gc.collect()
    gc.freeze()
    for k in range(rounds):
        for kind, crowd in crowds.items():
            crowd.move(k)
            clock.tick()
            start = thread_time()
            crowd.frame()
            times[kind].append(thread_time() - start)
            p3d.TransformState.garbage_collect()
    gc.unfreeze()
    found = {kind: median(spent[5:]) for kind, spent in times.items()}
    for crowd in crowds.values():
        for actor in crowd.actors:
            actor.cleanup()
    plain = found.pop("plain")
    return {
        "plain us": 1e6 * plain / count,
        **{kind: time / plain for kind, time in found.items()},
    }


def standing(rounds: int) -> float:
    """Return µs of a frame with four limbs, clip and targets at rest."""
    clock = p3d.ClockObject.get_global_clock()
    rig = limbs(walking(p3d.NodePath("bench")))
    rig.actor.pose("walk", 7)
    times = []
    for _ in range(rounds):
        clock.tick()
        start = thread_time()
        rig.update(DT)
        times.append(thread_time() - start)
        p3d.TransformState.garbage_collect()
    return 1e6 * median(times[10:])


def heap_blocks(count: int) -> float:
    """Return the heap blocks of a rig with four limbs, attached and updated once."""
    world = p3d.NodePath("bench")
    actors = [walking(world) for _ in range(count + 3)]
    clock = p3d.ClockObject.get_global_clock()
    kept = [limbs(actor) for actor in actors[:3]]
    for rig in kept:
        rig.update(DT)
    gc.collect()
    before = sys.getallocatedblocks()
    clock.tick()
    for actor in actors[3:]:
        rig = limbs(actor)
        rig.update(DT)
        kept.append(rig)
    gc.collect()
    return (sys.getallocatedblocks() - before) / count


def calls(attach: Callable[[Any], Any]) -> int:
    """Return the number of Python functions that a frame of a rig calls."""
    clock = p3d.ClockObject.get_global_clock()
    rig = attach(walking(p3d.NodePath("bench")))
    count = 0

    def note(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event == "call"

    for k in range(CLIP):
        for chain in rig.chains:
            chain.target.set_x(chain.target.get_x() + 0.0001)
        clock.tick()
        if k == CLIP - 1:
            sys.setprofile(note)
        try:
            rig.update(DT)
        finally:
            sys.setprofile(None)
    return count


def feet(actor: Any) -> ikrig.ActorRig:
    """Return a rig with foot placement."""
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, ground=flat)
    return rig


def gaze(actor: Any) -> ikrig.ActorRig:
    """Return a rig with a gaze."""
    rig = ikrig.ActorRig(actor)
    ikrig.LookAt(rig, actor.get_parent().attach_new_node("seen"))
    return rig


def aim(actor: Any) -> ikrig.ActorRig:
    """Return a rig that aims."""
    rig = ikrig.ActorRig(actor)
    muzzle = rig.joint("RightHand").attach_new_node("muzzle")
    seen = actor.get_parent().attach_new_node("seen")
    ikrig.Aim(rig, muzzle, seen, {"Spine2": 1, "RightArm": 2})
    return rig


ATTACHED: dict[str, Callable[[Any], Any]] = {
    "FootPlacement": feet,
    "LookAt": gaze,
    "Aim": aim,
    "auto": ikrig.ActorRig.auto,
}


def attaching(kind: str, count: int) -> tuple[float, float]:
    """Return ms of attaching to the first Actor of a model, and to later ones."""
    world = p3d.NodePath("bench")
    times = []
    for _ in range(count):
        actor = walking(world)
        start = thread_time()
        ATTACHED[kind](actor)
        times.append(1e3 * (thread_time() - start))
    return times[0], median(times[1:])


def make(body: str, solver: str) -> ikrig.ActorRig:
    """Return the rig of a walking Actor, each limb of which is held near its place."""
    if body == "panda":
        actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    else:
        actor = Actor(p3d.Filename.from_os_specific(str(HUMANOID)))
    actor.reparent_to(p3d.NodePath("bench"))
    actor.loop("walk")
    rig = ikrig.ActorRig(actor)
    tips, bones = BODIES[body]
    for tip in tips:
        chain = rig.chain(tip, bones, solver=solver)
        root = chain.bones[0].get_pos(actor)
        goal = chain.leaf.get_pos(actor) * 0.8 + root * 0.2
        chain.target.set_pos(actor, goal)
    return rig


def main(argv: list[str] | None = None) -> int:
    """Time what the arguments ask for; return the exit code."""
    parser = argparse.ArgumentParser(prog="tests.bench.actors", description=__doc__)
    parser.add_argument("--actors", type=int, nargs="+", default=[10, 300])
    parser.add_argument("--rounds", type=int, default=FRAMES)
    args = parser.parse_args(argv)
    clock = p3d.ClockObject.get_global_clock()
    clock.mode, clock.dt = p3d.ClockObject.M_non_real_time, DT
    for kind in ATTACHED:
        first, later = attaching(kind, 8)
        print(f"{kind:20} first {first:6.2f} ms, later {later:6.2f} ms", flush=True)
    for count in args.actors:
        for smooth in (True, False):
            blend = "" if smooth else ", no frame blending"
            for name, value in ratios(count, args.rounds, smooth).items():
                print(f"{count:4} Actors{blend}, {name:22} {value:8.2f}", flush=True)
    print(f"standing us           {standing(200):8.2f}")
    print(f"heap blocks a rig     {heap_blocks(20):8.1f}")
    print(f"calls, four chains    {calls(limbs):8d}")
    print(f"calls, FootPlacement  {calls(feet):8d}")
    print(f"calls, warps and feet {calls(warped):8d}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
