"""Collision geometry as ground, compared with planes, boxes and balls of numpy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import panda3d.core as p3d
import pytest
from scipy.spatial.transform import Rotation

from ikrig.scene.behaviours.ground import mat_of
from ikrig.scene.behaviours.node_ground import SCAN_FRAMES, NodeGround

MASK = p3d.BitMask32.bit(3)
VISIBLE = p3d.GeomNode.get_default_collide_mask()
HIGH = 20.0

Surface = Callable[[np.ndarray, float], "tuple[float, np.ndarray] | None"]
"""Takes a matrix to the world and a point x, y; returns height and normal."""


def matrix(path: p3d.NodePath, space: p3d.NodePath) -> np.ndarray:
    return np.reshape([tuple(row) for row in path.get_mat(space).rows], (4, 4))


def box_top(low, high, mat: np.ndarray, spot: np.ndarray):
    """The top of a box on a vertical line, where the line leaves its six slabs."""
    back = np.linalg.inv(mat)
    start, way = (
        np.array([*spot, 0.0, 1.0]) @ back,
        np.array([0.0, 0.0, 1.0, 0.0]) @ back,
    )
    enter, leave, normal = -np.inf, np.inf, np.zeros(3)
    for k in range(3):
        a, b = sorted(((low[k] - start[k]) / way[k], (high[k] - start[k]) / way[k]))
        enter = max(enter, a)
        if b < leave:
            leave = b
            normal = back[:3, k] * np.sign(way[k])
    return (leave, normal) if enter < leave else None


def flat_top(points, mat: np.ndarray, spot: np.ndarray):
    """A convex polygon on a vertical line, if it faces up."""
    spots = points @ mat[:3, :3] + mat[3, :3]
    normal = np.cross(spots[1] - spots[0], spots[2] - spots[0])
    normal = normal * np.sign(np.linalg.det(mat[:3, :3]))
    if normal[2] <= 0.0:
        return None
    z = spots[0, 2] + normal[:2] @ (spots[0, :2] - spot) / normal[2]
    ends = np.roll(spots, -1, axis=0)
    sides = (ends - spots)[:, 0] * (spot[1] - spots[:, 1])
    sides -= (ends - spots)[:, 1] * (spot[0] - spots[:, 0])
    inside = (sides > 0.0).all() or (sides < 0.0).all()
    return (z, normal) if inside else None


def ball_top(radius: float, mat: np.ndarray, spot: np.ndarray):
    """The top of a ball; scales are even."""
    size = radius * abs(np.linalg.det(mat[:3, :3])) ** (1.0 / 3.0)
    away = spot - mat[3, :2]
    square = size * size - away @ away
    if square <= 0.0:
        return None
    return mat[3, 2] + square**0.5, np.array([*away, square**0.5])


def inside(path: p3d.NodePath, world: p3d.NodePath, top: float) -> bool:
    """Whether a height is one of those that a ball takes up."""
    if path.is_empty() or path.name != "ball":
        return False
    return abs(path.get_z(world) - top) < 0.81 * abs(path.get_scale(world)[0])


def ring(rng, count: int) -> np.ndarray:
    """A convex polygon in a plane, seen from its upper side."""
    angles = 2.0 * np.pi * (np.arange(count) + rng.uniform(0.0, 0.8, count)) / count
    flat = np.stack((np.cos(angles), np.sin(angles), 0.0 * angles), axis=1)
    return flat @ Rotation.from_rotvec(0.3 * rng.normal(size=3)).as_matrix().T


class Level:
    """Random geometry below a node that is itself somewhere."""

    def __init__(self, seed: int, visible: bool = False) -> None:
        self.rng = np.random.default_rng(seed)
        self.world = p3d.NodePath("world")
        self.node = self.world.attach_new_node("level")
        self.actor = self.world.attach_new_node("actor")
        self.mask = MASK | VISIBLE if visible else MASK
        self.parts: list[tuple[p3d.NodePath, Surface]] = []

    def add(self, kind: str, above: p3d.NodePath | None = None) -> p3d.NodePath:
        rng = self.rng
        if kind == "geom":
            points = ring(rng, 4)
            maker = p3d.CardMaker("geom")
            maker.set_frame(*(p3d.LPoint3(*point) for point in points))
            node: p3d.PandaNode = maker.generate()
            # a card's own corners are one triangle and another
            surface = self._two_triangles(points)
        else:
            node = p3d.CollisionNode(kind)
            node.set_into_collide_mask(MASK)
            if kind == "box":
                low, high = -rng.uniform(0.2, 1.0, 3), rng.uniform(0.2, 1.0, 3)
                node.add_solid(p3d.CollisionBox(p3d.LPoint3(*low), p3d.LPoint3(*high)))
                surface = lambda mat, spot: box_top(low, high, mat, spot)  # noqa: E731
            elif kind == "ball":
                node.add_solid(p3d.CollisionSphere(0.0, 0.0, 0.0, 0.8))
                surface = lambda mat, spot: ball_top(0.8, mat, spot)  # noqa: E731
            else:
                points = ring(rng, int(rng.integers(3, 5)))
                node.add_solid(
                    p3d.CollisionPolygon(*(p3d.LPoint3(*point) for point in points))
                )
                surface = lambda mat, spot: flat_top(points, mat, spot)  # noqa: E731
        path = (above or self.node).attach_new_node(node)
        self.move(path)
        self.parts.append((path, surface))
        return path

    @staticmethod
    def _two_triangles(points: np.ndarray) -> Surface:
        halves = points[[0, 1, 2]], points[[0, 2, 3]]

        def top(mat: np.ndarray, spot: np.ndarray):
            found = [flat_top(half, mat, spot) for half in halves]
            return next((one for one in found if one is not None), None)

        return top

    def move(self, path: p3d.NodePath) -> None:
        rng = self.rng
        path.set_pos(*rng.uniform(-0.8, 0.8, 3))
        path.set_hpr(*rng.uniform(-180.0, 180.0, 3))
        path.set_scale(float(rng.uniform(0.5, 1.5)) * float(rng.choice([-1.0, 1.0])))

    def highest(self, spot: np.ndarray, top: float):
        """Height, slopes and path of the highest surface; None where there is none."""
        best = None
        for path, surface in self.parts:
            hidden = self.actor.is_ancestor_of(path)
            if hidden or path.is_empty() or not self.node.is_ancestor_of(path):
                continue
            found = surface(matrix(path, self.world), spot)
            if found is None or found[1][2] <= 0.0 or found[0] > top:
                continue
            if best is None or found[0] > best[0]:
                normal = found[1]
                best = found[0], *(-normal[:2] / normal[2]), path
        return best

    def check(self, ground: NodeGround, count: int = 12, high: bool = True) -> int:
        """Compare random points, but those at an edge; return how many have ground."""
        kernel = ground.begin(self.actor, 1.0, 5.0)
        seen = 0
        for x, y in self.rng.uniform(-1.5, 1.5, (count, 2)):
            top = HIGH if high else float(self.rng.uniform(-2.0, 2.0))
            near = [(0, 0), (1e-3, 1e-3), (-1e-3, -1e-3), (1e-3, -1e-3), (-1e-3, 1e-3)]
            if any(inside(path, self.world, top) for path, _ in self.parts):
                # a ray that begins in a ball
                continue
            around = [self.highest(np.array([x, y]) + d, top) for d in near]
            found = kernel.find_ground(x, y, top)
            if len({None if one is None else one[3] for one in around}) > 1:
                continue
            wanted = around[0]
            if any(
                one is not None and not np.allclose(one[:3], wanted[:3], atol=0.1)
                for one in around
            ):
                continue
            assert bool(found) == (wanted is not None)
            if wanted is not None:
                seen += 1
                now = kernel.height, kernel.slope_x, kernel.slope_y
                assert now == pytest.approx(wanted[:3], abs=2e-3, rel=2e-3)
                mat = mat_of(ground.mats, kernel.owner)
                assert mat == wanted[3].get_mat(self.world)
        return seen


@pytest.mark.parametrize("kind", ["box", "polygon", "geom", "ball"])
@pytest.mark.parametrize("seed", range(3))
def test_ground_is_the_highest_surface_of_any_geometry(kind: str, seed: int) -> None:
    level = Level(seed, visible=kind == "geom")
    level.move(level.node)
    between = level.node.attach_new_node("between")
    for k in range(4):
        level.add(kind, between if k % 2 else None)
    ground = NodeGround.of(level.node, level.mask)
    # from high above; a ball may have the point inside
    count = 60 if kind == "ball" else 10
    seen = level.check(ground, 2 * count, seed % 2 == 0)
    for moved in (between, level.parts[1][0], level.node, level.parts[2][0]):
        for _ in range(2):
            level.move(moved)
            seen += level.check(ground, count, seed % 2 == 0)
    assert seen > 0


@pytest.mark.parametrize("seed", range(3))
def test_ground_of_all_kinds_follows_what_is_added_moved_and_removed(seed) -> None:
    level = Level(seed, visible=True)
    for kind in ("box", "ball", "polygon", "geom"):
        level.add(kind)
    ground = NodeGround.of(level.node, level.mask)
    assert NodeGround.of(level.node, level.mask) is ground
    for frame in range(4):
        level.check(ground, high=False)
        level.move(level.parts[frame][0])
        level.check(ground)
        own = level.add(("ball", "box", "geom", "polygon")[frame])
        gone = level.parts.pop(0)[0]
        gone.detach_node()
        for _ in range(SCAN_FRAMES):
            ground.begin(level.actor, 1.0, 5.0)
        level.check(ground)
        # an actor's own body is no ground for it
        own.reparent_to(level.actor)
        level.actor.reparent_to(level.node)
        for _ in range(SCAN_FRAMES):
            ground.begin(level.actor, 1.0, 5.0)
        level.check(ground)
        own.reparent_to(level.node)
        level.actor.reparent_to(level.world)
        for _ in range(SCAN_FRAMES):
            ground.begin(level.actor, 1.0, 5.0)
        level.check(ground)


def test_other_masks_and_what_is_not_tangible_are_no_ground() -> None:
    level = Level(1)
    level.add("box")
    for kind in ("box", "polygon", "ball"):
        for way in ("mask", "tangible", "visible"):
            path = level.add("geom" if way == "visible" else kind)
            path.set_z(4.0)
            level.parts.pop()
            if way == "mask":
                path.node().set_into_collide_mask(p3d.BitMask32.bit(4))
            elif way == "tangible":
                path.node().modify_solid(0).set_tangible(False)
    assert level.check(NodeGround.of(level.node, level.mask), 20) > 0


def test_ground_is_searched_only_after_a_change_and_every_16_frames(monkeypatch):
    level = Level(2)
    path = level.add("box")
    ground = NodeGround.of(level.node, level.mask)
    searches = []
    found = NodeGround._geometry_marks
    monkeypatch.setattr(
        NodeGround, "_geometry_marks", lambda self: (searches.append(1), found(self))[1]
    )

    def frames(count: int, moves: bool) -> int:
        searches.clear()
        for k in range(count):
            if moves:
                path.set_x(0.01 * k)
            ground.begin(level.actor, 1.0, 5.0)
        return len(searches)

    frames(2 * SCAN_FRAMES, True)
    assert frames(5 * SCAN_FRAMES, True) == 5
    frames(SCAN_FRAMES, False)
    assert frames(5 * SCAN_FRAMES, False) == 0
