"""Walkers on large levels: ``python -m tests.bench.feet_grounds``.

One line for each level: nodes, polygons, walkers with ``FootPlacement`` and ``LookAt``,
how long the first pair of feet took to read the ground, and what a frame of all rigs
takes: Panda3D's own update of as many Actors (least), and beyond that, in turns, the
rigs: least and middle while they walk, the frame of a hitch of a second, and the one
after it (middles). Processor time of the thread.
No position and no time of a clip comes twice: known transforms would be cheaper.
"""

from __future__ import annotations

import math
import sys
import time
from math import inf

import panda3d.core as p3d

import ikrig
from tests.scene.actor.course import HUMAN

LEVELS = ((1, 10_000, 1), (121, 33_500, 1), (1, 10_000, 10))
"""Nodes, polygons and walkers; the second is like that of Roaming Ralph."""
WIDE = 60.0  # of a level [m]
FRAMES = 400
HITCHES = 12
HEADS = ("nodes", "polygons", "walkers", "read ms", "plain us", "least us", "middle us")
HEADS = (*HEADS, "hitch us", "after us")


def height(x: float, y: float) -> float:
    """Return how high the level is."""
    return 0.15 * math.sin(0.6 * x) + 0.1 * math.sin(0.9 * y)


def make_level(nodes: int, polygons: int) -> tuple[p3d.NodePath, int]:
    """Return hills of triangles, in square parts of a node each, and how many."""
    level = p3d.NodePath("level")
    parts = round(math.sqrt(nodes))
    cells = round(math.sqrt(polygons / nodes / 2.0))
    size = WIDE / parts / cells
    for part in range(parts * parts):
        node = p3d.CollisionNode(f"part {part}")
        for cell in range(cells * cells):
            x = (part // parts * cells + cell // cells) * size - WIDE / 2.0
            y = (part % parts * cells + cell % cells) * size - WIDE / 2.0
            spots = (x, y), (x + size, y), (x + size, y + size), (x, y + size)
            a, b, c, d = (p3d.LPoint3(u, v, height(u, v)) for u, v in spots)
            node.add_solid(p3d.CollisionPolygon(a, b, c))
            node.add_solid(p3d.CollisionPolygon(a, c, d))
        level.attach_new_node(node)
    return level, 2 * (parts * cells) ** 2


def measure(
    nodes: int, polygons: int, count: int, frames: int = FRAMES, hitches: int = HITCHES
) -> tuple[float, ...]:
    """Measure a number of walkers on a level; return the numbers of its line."""
    world = p3d.NodePath("render")
    level, polygons = make_level(nodes, polygons)
    level.reparent_to(world)
    seen = world.attach_new_node("seen")
    rigs, read = [], 0.0
    actors = [HUMAN.make() for _ in range(2 * count)]
    for actor in actors:
        actor.reparent_to(world)
        actor.set_blend(frameBlend=True)
    for actor in actors[:count]:
        rig = ikrig.ActorRig(actor)
        start = time.thread_time()
        ikrig.FootPlacement(rig, level)
        rig.update(0.0)
        read = read or time.thread_time() - start
        ikrig.LookAt(rig, seen)
        rigs.append(rig)
    controls = [actor.get_anim_control("walk") for actor in actors]
    plain = [actor.get_part_bundle("modelRoot") for actor in actors[count:]]
    rate = controls[0].get_frame_rate()
    now, least = 0.0, inf
    clock = p3d.ClockObject.get_global_clock()
    before, clock.mode = clock.mode, p3d.ClockObject.M_non_real_time

    def frame(dt: float) -> float:
        """Return the time of a frame of the rigs, less that of the plain Actors."""
        nonlocal now, least
        now += dt
        clock.dt = dt
        clock.tick()
        seen.set_pos(3.0 * math.sin(now), 3.0 * math.cos(0.7 * now), 1.6)
        for k, (actor, control) in enumerate(zip(actors, controls, strict=True)):
            x, y = 2.0 * (k % count) - 10.0, 20.0 - HUMAN.speed * now
            actor.set_pos(x, y, height(x, y))
            control.pose((rate * now + k) % HUMAN.frames)
        start = time.thread_time()
        for bundle in plain:
            bundle.force_update()
        middle = time.thread_time()
        for rig in rigs:
            rig.update(dt)
        end = time.thread_time()
        p3d.TransformState.garbage_collect()
        least = min(least, middle - start)
        return 1e6 * (end - 2.0 * middle + start)

    # the first frames compare the clip as it is sampled with Panda3D
    steady = sorted([frame(1.0 / 60.0) for _ in range(frames + 10)][10:])
    pairs = []
    for _ in range(hitches):
        pairs.append((frame(1.0), frame(1.0 / 60.0)))
        for _ in range(5):
            frame(1.0 / 60.0)
    for actor in actors:
        actor.cleanup()
    clock.mode = before
    middles = (sorted(row)[hitches // 2] for row in zip(*pairs, strict=True))
    figures = steady[0], steady[frames // 2], *middles
    return nodes, polygons, count, 1e3 * read, 1e6 * least, *figures


def main() -> int:
    """Walk, and print."""
    p3d.load_prc_file_data("feet", "audio-library-name null\nmodel-cache-dir\n")
    print("".join(f"{head:>10}" for head in HEADS))
    for level in LEVELS:
        cells = "".join(f"{value:10.0f}" for value in measure(*level))
        print(cells, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
