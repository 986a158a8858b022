"""NodeGround: collision geometry below a node, read once into a grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any
from weakref import ref

import numpy as np
import panda3d.core as p3d

from ...character.heightfield import make_grid
from ...errors import BindError
from ...kernels import buffer, index_buffer
from ...kernels.foot_ground import CallGround, GroundKernel, TriangleGrid

TAG = "ikrig-ground-"
_clock = p3d.ClockObject.get_global_clock()
SCAN_FRAMES = 16
"""Number of frames between searches for added or removed geometry."""
BOX = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2),
       (1, 3, 7, 5))  # fmt: skip
"""Faces of a box, by corner indices with one bit for each of x, y and z."""


class NodeGround:
    """Collision geometry below a node, for all rigs that stand on it.

    Polygons and boxes are read once into a grid of triangles. Those that move are
    updated to their nodes' transforms, once a frame. Other solids are hit by rays.

    Args:
        node: The node of the geometry, or a node above.
        mask: The geometry to use: that with one of these bits in its into mask.

    Raises:
        BindError: There is no such geometry.
    """

    def __init__(self, node: p3d.NodePath, mask: p3d.BitMask32) -> None:
        self.node = node
        self.mask = mask
        self._frame = -1
        self._seen: set[int] = set()
        self._checks = 0
        self._seq = p3d.UpdateSeq()
        self._net: p3d.TransformState | None = None
        self._stale = False
        """Whether anything has changed since the last search for geometry."""
        self._moving: set[object] = set()
        self._rays: _Rays | None = None
        self.mats: list[p3d.LMatrix4f]
        """Transforms of the geometry's nodes in the scene; another list where one has
        moved."""
        self._grid: TriangleGrid
        self._hidden: Any
        self._hidden_now: list[int]
        self._states: list[p3d.TransformState]
        self._depths: list[tuple[p3d.NodePath, int]]
        self._scan(node.get_top())
        if not self._paths:
            raise BindError(
                f"ground {node} has no geometry with mask {mask.get_word():#x}: add "
                "CollisionNodes, or use the visible polygons with "
                "mask=GeomNode.get_default_collide_mask()"
            )

    @classmethod
    def of(cls, node: p3d.NodePath, mask: p3d.BitMask32) -> NodeGround:
        """Return the ground of a node, shared by all callers."""
        tag = f"{TAG}{mask.get_word():x}"
        known = node.get_python_tag(tag)
        ground = known() if known else None
        if ground is None or ground.node != node:
            ground = cls(node, mask)
            node.set_python_tag(tag, ref(ground))
        return ground

    error = ""

    def begin(self, actor: p3d.NodePath, leg: float, deep: float) -> GroundKernel:
        """Return the ground's kernel for this frame."""
        world = actor.get_top()
        if self.node.is_empty() or self.node.get_top() != world:
            raise BindError(f"ground {self.node} is not in the Actor's scene")
        # once a frame, or when a rig asks a second time: there may be no clock
        frame, key = _clock.get_frame_count(), actor.get_key()
        if frame != self._frame or key in self._seen:
            self._frame = frame
            self._seen.clear()
            self._check(world)
        self._seen.add(key)
        own = self._own.get(key)
        if own is None:
            above = actor.is_ancestor_of
            own = [k for k, path in enumerate(self._paths) if above(path)]
            self._own[key] = own
        if own is not self._hidden_now:
            for k in self._hidden_now:
                self._hidden[k] = 0
            for k in own:
                self._hidden[k] = 1
            self._hidden_now = own
        if self._rays is None:
            return self._grid
        self._rays.begin(actor, deep)
        return self._rays.kernel

    # -- geometry ----------------------------------------------------------------------

    def _check(self, world: p3d.NodePath) -> None:
        """Update moved geometry; read all again if geometry was added or removed."""
        self._checks += 1
        # the bounds' sequence number changes with any change below the node
        seq, net = p3d.UpdateSeq(), self.node.get_net_transform()
        self.node.node().get_bounds(seq, p3d.Thread.get_current_thread())
        still = seq == self._seq and net == self._net
        self._seq, self._net = seq, net
        self._stale |= not still
        if self._stale and self._checks % SCAN_FRAMES == 0:
            self._stale = False
            if self._geometry_marks() != self._signature:
                self._scan(world)
                return
        if still:
            return
        states = [node.get_transform() for node in self._below]
        if states != self._states:
            pairs = zip(states, self._states, self._below.values(), strict=True)
            moved = {k for now, before, own in pairs if now != before for k in own}
            self._states = states
            self._move(world, sorted(moved))
        elif any(path.get_num_nodes() != n for path, n in self._depths):
            self._scan(world)

    def _move(self, world: p3d.NodePath, moved: Sequence[int]) -> None:
        fresh = False
        # others tell by their last list what has moved since
        self.mats = list(self.mats)
        for k in moved:
            path = self._paths[k]
            mat = path.get_mat(world)
            if mat == self.mats[k]:
                continue
            self.mats[k] = mat
            if path.node() not in self._moving or _side(mat) != self._sides[k]:
                self._moving.add(path.node())
                fresh = True
            else:
                self._move_owner(k)
        if fresh:
            # from now on these are outside the static grid; a mirror turns them over
            self._scan(world)
        elif self._rays is not None:
            self._rays.measure(world)

    def _move_owner(self, k: int) -> None:
        mat = self._back[k] * self.mats[k]
        self._grid.move_owner(k, buffer(x for row in mat.rows for x in row))

    def _find_geometry(self) -> list[p3d.NodePath]:
        node, mask = self.node, self.mask
        kinds = ["CollisionNode"]
        if (mask & p3d.GeomNode.get_default_collide_mask()).get_word():
            kinds.append("GeomNode")
        return [
            path
            for kind in kinds
            for path in (node, *node.find_all_matches(f"**/+{kind}"))
            if path.node().is_of_type(p3d.TypeRegistry.ptr().find_type(kind))
            and (path.node().get_into_collide_mask() & mask).get_word()
        ]

    def _geometry_marks(self) -> list[Any]:
        """Return marks that differ when geometry was added, removed or changed."""
        marks: list[object] = []
        for path in self._find_geometry():
            node: Any = path.node()
            solids = isinstance(node, p3d.CollisionNode)
            count = node.get_num_solids() if solids else node.get_num_geoms()
            marks.append((path, count))
        return marks

    def _scan(self, world: p3d.NodePath) -> None:
        self._signature = self._geometry_marks()
        self._paths = [path for path, _ in self._signature]
        self.mats = [path.get_mat(world) for path in self._paths]
        self._sides = [_side(mat) for mat in self.mats]
        self._back = []
        # every node above geometry, once, with the owners below it
        self._below: dict[p3d.PandaNode, list[int]] = {}
        for k, path in enumerate(self._paths):
            for n in range(path.get_num_nodes()):
                self._below.setdefault(path.get_node(n), []).append(k)
        self._states = [node.get_transform() for node in self._below]
        self._depths = [(path, path.get_num_nodes()) for path in self._paths]
        triangles: list[np.ndarray] = []
        owners: list[int] = []
        others: list[int] = []
        for k, path in enumerate(self._paths):
            corners, rest = _triangles(path.node())
            mat = self.mats[k]
            back = p3d.LMatrix4f()
            # geometry scaled to 0 has no triangles to move
            self._back.append(back if back.invert_from(mat) else p3d.LMatrix4f())
            rows = np.array([tuple(row) for row in mat.rows], float)
            spots = (corners @ rows[:3, :3] + rows[3, :3]).reshape(-1, 3, 3)
            if self._sides[k] < 0.0:
                # a mirror flips them
                spots = spots[:, ::-1]
            triangles.append(spots.reshape(-1, 9))
            owners += [k] * (len(corners) // 3)
            if rest:
                others.append(k)
        self._hidden = index_buffer([0] * max(len(self._paths), 1))
        self._hidden_now = []
        self._own: dict[int, list[int]] = {}
        self._grid = make_grid(
            np.concatenate(triangles) if triangles else np.zeros((0, 9)),
            owners,
            [path.node() in self._moving for path in self._paths] or [False],
            self._hidden,
        )
        self._rays = None
        if others:
            paths = [(k, self._paths[k]) for k in others]
            self._rays = _Rays(self._grid, paths, self.mask)
            self._rays.measure(world)


class _Rays:
    """Solids without triangles, hit by rays, combined with the grid of the others.

    Args:
        grid: The grid of the other geometry.
        paths: Owner and node of each solid.
        mask: The solids to hit.
    """

    def __init__(
        self,
        grid: GroundKernel,
        paths: Sequence[tuple[int, p3d.NodePath]],
        mask: p3d.BitMask32,
    ) -> None:
        self.kernel = CallGround(self._query)
        self._grid = grid
        self._paths = paths
        self._handler = p3d.CollisionHandlerQueue()
        self._traverser = p3d.CollisionTraverser("ikrig ground")
        node = p3d.CollisionNode("ikrig ray")
        node.add_solid(p3d.CollisionRay(0, 0, 0, 0, 0, -1))
        node.set_from_collide_mask(mask)
        node.set_into_collide_mask(p3d.BitMask32.all_off())
        self._ray = p3d.NodePath(node)
        self._traverser.add_collider(self._ray, self._handler)
        self._near: list[tuple[int, p3d.NodePath, float, float, float]] = []

    def begin(self, actor: p3d.NodePath, deep: float) -> None:
        """Set the Actor of this frame."""
        self._actor, self._world = actor, actor.get_top()

    def measure(self, world: p3d.NodePath) -> None:
        self._near = []
        for owner, path in self._paths:
            x, y, radius = 0.0, 0.0, inf
            bounds: Any = path.get_bounds().make_copy()
            bounds.xform(path.get_parent().get_mat(world))
            if not bounds.is_infinite() and isinstance(bounds, p3d.BoundingSphere):
                (x, y, _), radius = bounds.get_center(), bounds.get_radius()
            self._near.append((owner, path, x, y, 1.001 * radius))

    def _query(self, x: float, y: float, top: float) -> tuple[float, ...] | None:
        grid, best = self._grid, None
        if grid.find_ground(x, y, top):
            best = grid.height, grid.slope_x, grid.slope_y, grid.owner
        for owner, path, a, b, radius in self._near:
            if (x - a) ** 2 + (y - b) ** 2 > radius**2:
                continue
            for height, slope in self._hits(path, x, y, top):
                if best is None or height > best[0]:
                    best = height, *slope, owner
        return best

    def _hits(
        self, path: p3d.NodePath, x: float, y: float, top: float
    ) -> Iterator[tuple[float, tuple[float, float]]]:
        world = self._world
        if path.is_empty() or self._actor.is_ancestor_of(path):
            return
        self._ray.reparent_to(world)
        self._ray.set_pos(x, y, top)
        self._traverser.traverse(path)
        self._ray.detach_node()
        for entry in self._handler.get_entries():
            solid = entry.get_into()
            if not solid.is_tangible() or isinstance(solid, TRIANGULAR):
                continue
            normal = entry.get_surface_normal(world)
            if normal[2] > 0.0:
                slope = -normal[0] / normal[2], -normal[1] / normal[2]
                yield entry.get_surface_point(world)[2], slope


TRIANGULAR = (p3d.CollisionPolygon, p3d.CollisionBox)


def _side(mat: p3d.LMatrix4f) -> float:
    """Return -1 for a matrix that mirrors, 0 for one that flattens, else 1."""
    return float(np.sign(mat.get_upper_3().determinant()))


def _triangles(node: p3d.GeomNode) -> tuple[np.ndarray, bool]:
    """Return the corners of a node's triangles, (3 n, 3), and whether it has more."""
    found: list[object] = []
    more = False
    if isinstance(node, p3d.GeomNode):
        for geom in node.get_geoms():
            found += _geom_corners(geom)
    else:
        for solid in node.get_solids():
            if not solid.is_tangible():
                continue
            if isinstance(solid, p3d.CollisionPolygon):
                count = solid.get_num_points()
                points = [tuple(solid.get_point(k)) for k in range(count)]
                for k in range(1, count - 1):
                    found += [points[0], points[k], points[k + 1]]
            elif isinstance(solid, p3d.CollisionBox):
                low, high = solid.get_min(), solid.get_max()
                points = [
                    tuple((high if n >> k & 1 else low)[k] for k in range(3))
                    for n in range(8)
                ]
                for a, b, c, d in BOX:
                    found += [points[n] for n in (a, b, c, a, c, d)]
            else:
                more = True
    return np.array(found, float).reshape(-1, 3), more


def _geom_corners(geom: p3d.Geom) -> Iterator[tuple[float, float, float]]:
    reader = p3d.GeomVertexReader(geom.get_vertex_data(), "vertex")
    for primitive in geom.get_primitives():
        if primitive.get_primitive_type() != p3d.GeomEnums.PT_polygons:
            continue
        triangles = primitive.decompose()
        for k in range(3 * triangles.get_num_primitives()):
            reader.set_row(triangles.get_vertex(k))
            x, y, z = reader.get_data3()
            yield x, y, z
