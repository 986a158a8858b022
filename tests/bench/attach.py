"""Times attaching chains: ``python -m tests.bench.attach``.

``IKChain`` on new nodes, with target and pole, and ``ActorRig.chain`` on each leg of
pandas that walk: until the call returns, garbage collection off. Processor time of the
thread, the best tenth and the middle.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from time import thread_time
from typing import Any

import panda3d.core as p3d
from direct.actor.Actor import Actor

import ikrig

from .actors import BODIES

COUNT = 200


def main() -> int:
    """Print the table; return the exit code."""
    p3d.load_prc_file_data("attach", "audio-library-name null\nmodel-cache-dir\n")
    print(f"us, of {COUNT}     best 10 %  middle")
    for name, times in run(COUNT).items():
        print(f"{name:16}{times[len(times) // 10]:10.0f}{times[len(times) // 2]:8.0f}")
    return 0


def run(count: int) -> dict[str, list[float]]:
    """Return the times of attaching as many chains, by kind, rising [us]."""
    kinds = {
        "2 bones": nodes(2, count),
        "4 bones": nodes(4, count),
        "panda's legs": legs(count),
    }
    return {name: _times(calls) for name, calls in kinds.items()}


def _times(calls: Iterator[Callable[[], Any]]) -> list[float]:
    found, kept = [], []
    for call in list(calls):
        gc.disable()
        start = thread_time()
        kept.append(call())
        found.append(1e6 * (thread_time() - start))
        gc.enable()
    return sorted(found)


def nodes(bones: int, count: int) -> Iterator[Callable[[], Any]]:
    """Yield what attaches a chain to nodes of its own."""
    for _ in range(count):
        root = leaf = p3d.NodePath("root")
        for k in range(bones + 1):
            leaf = leaf.attach_new_node(f"bone {k}")
            leaf.set_pos(0.0, 0.1 * (k % 2), 1.0)
        target, pole = (root.attach_new_node(name) for name in ("target", "pole"))
        target.set_pos(1.0, 0.5, 1.0)
        yield lambda leaf=leaf, ends=(target, pole): ikrig.IKChain(leaf, bones, *ends)


def legs(count: int) -> Iterator[Callable[[], Any]]:
    """Yield what attaches a chain to a leg of a walking panda."""
    world = p3d.NodePath("world")
    target = world.attach_new_node("target")
    joints, _ = BODIES["panda"]
    for k in range(count):
        joint = joints[k % len(joints)]
        if k % len(joints) == 0:
            actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
            actor.reparent_to(world)
            actor.loop("walk")
            rig = ikrig.ActorRig(actor)
            rig.update(0.0)
        yield lambda rig=rig, joint=joint: rig.chain(joint, 2, target)


if __name__ == "__main__":
    sys.exit(main())
