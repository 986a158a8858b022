"""Walkers on large levels: ``python -m tests.bench.feet_grounds``.

One line for each level: nodes, polygons, walkers, how long the first pair of feet took
to read the ground, and what a frame of all rigs took: its least, its middle, and what
Panda3D's own update of the same Actors takes (least).
"""

from __future__ import annotations

import math
import sys
import time

import panda3d.core as p3d

import ikrig
from tests.scene.actor.course import HUMAN

LEVELS = ((1, 10_000, 1), (121, 33_500, 1), (1, 10_000, 10))
"""Nodes, polygons and walkers; the second is like that of Roaming Ralph."""
WIDE = 60.0  # of a level [m]
FRAMES = 400
HEADS = ("nodes", "polygons", "walkers", "read ms", "least us", "middle us", "plain us")


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


def measure(nodes: int, polygons: int, count: int) -> tuple[float, ...]:
    """Measure a number of walkers on a level; return the numbers of its line."""
    world = p3d.NodePath("render")
    level, polygons = make_level(nodes, polygons)
    level.reparent_to(world)
    walkers, read = [], 0.0
    for _ in range(count):
        actor = HUMAN.make()
        actor.reparent_to(world)
        actor.set_blend(frameBlend=True)
        rig = ikrig.ActorRig(actor)
        start = time.perf_counter()
        ikrig.FootPlacement(rig, level)
        rig.update(0.0)
        read = read or time.perf_counter() - start
        bundle = actor.get_part_bundle("modelRoot")
        walkers.append((actor, rig, actor.get_anim_control("walk"), bundle))
    spent, plain = [], []
    for frame in range(FRAMES):
        for k, (actor, _, control, _) in enumerate(walkers):
            x, y = 2.0 * k - 10.0, 10.0 - HUMAN.speed * frame / 60.0
            actor.set_pos(x, y, height(x, y))
            control.pose(frame % HUMAN.frames)
        start = time.perf_counter()
        for _, rig, _, _ in walkers:
            rig.update(1.0 / 60.0)
        spent.append(time.perf_counter() - start)
        for _, _, control, _ in walkers:
            control.pose((frame + 0.5) % HUMAN.frames)
        start = time.perf_counter()
        for _, _, _, bundle in walkers:
            bundle.force_update()
        plain.append(time.perf_counter() - start)
    for actor, *_ in walkers:
        actor.cleanup()
    middle = sorted(spent)[FRAMES // 2]
    times = (1e6 * seconds for seconds in (min(spent), middle, min(plain)))
    return nodes, polygons, count, 1e3 * read, *times


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
