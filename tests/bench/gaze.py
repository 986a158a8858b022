"""Times behaviours on top of their rig: ``python -m tests.bench.gaze``.

A humanoid that walks, with a chain for each limb but one hand, without a renderer: a
frame of the rig, and of the same rig with ``LookAt``, ``Aim`` or ``Reach`` whose target
moves, in turns. ``Reach`` has a chain of its own: what such a chain adds comes last.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import cos, sin
from statistics import median
from time import perf_counter

import panda3d.core as p3d

from ikrig import ActorRig, Aim, FullBody, LookAt, Reach

from . import DT
from .actors import make

FRAMES = 600


def main() -> int:
    """Print the table; return the exit code."""
    figures = run(FRAMES)
    print("us a frame, medians of rounds in turns")
    for name, value in figures.items():
        print(f"{name:<16}{value:9.2f}")
    return 0


def _look(rig: ActorRig, target: p3d.NodePath) -> None:
    LookAt(rig, target)


def _aim(rig: ActorRig, target: p3d.NodePath) -> None:
    pointer = rig.joint("RightHand").attach_new_node("pointer")
    Aim(rig, pointer, target, {"Spine2": 1.0, "RightArm": 2.0})


def _reach(rig: ActorRig, target: p3d.NodePath) -> None:
    Reach(rig, "RightHand", target, body=FullBody(rig))


def _chain(rig: ActorRig, target: p3d.NodePath) -> None:
    rig.chain("RightHand", target=target)


KINDS: dict[str, Callable[[ActorRig, p3d.NodePath], None]] = {
    "LookAt": _look,
    "Aim": _aim,
    "Reach": _reach,
    "chain": _chain,
}


def run(frames: int) -> dict[str, float]:
    """Return the time of the rig, and what each kind of behaviour adds [us]."""
    clock = p3d.ClockObject.get_global_clock()
    before, clock.mode = clock.mode, p3d.ClockObject.M_non_real_time
    clock.dt = DT
    rigs, targets = [], []
    for kind in (None, *KINDS):
        rig = make("humanoid", "fabrik")
        target = rig.actor.get_parent().attach_new_node("seen")
        for chain in rig.chains:
            # a hand that reaches has no second chain
            if chain.leaf.get_name() == "RightHand":
                rig.remove(chain)
        if kind is None:
            rigs.append(rig)
        else:
            KINDS[kind](rig, target)
            rigs.append(rig)
        targets.append(target)
    times: list[list[float]] = [[] for _ in rigs]
    for k in range(frames):
        clock.tick()
        for rig, target, found in zip(rigs, targets, times, strict=True):
            angle = 0.02 * k
            target.set_pos(0.6 * sin(angle), -0.6, 1.3 + 0.2 * cos(angle))
            start = perf_counter()
            rig.update(DT)
            found.append(perf_counter() - start)
        p3d.TransformState.garbage_collect()
    for rig in rigs:
        rig.actor.cleanup()
    clock.mode = before
    whole = [1e6 * median(found) for found in times]
    return {
        "rig": whole[0],
        **dict(zip(KINDS, (x - whole[0] for x in whole[1:]), strict=True)),
    }


if __name__ == "__main__":
    sys.exit(main())
