"""Ground under feet: a user's function, or collision geometry below a node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, NamedTuple

import panda3d.core as p3d

from ...character.foot_planner import Ground
from ...character.leg_pose import GroundPoint
from ...errors import BindError, shown

__all__ = ["FunctionGround", "Hit", "RayGround", "make_ground"]

STEP = 0.01
"""How far apart a function is asked for its slope [leg lengths]."""


class Hit(NamedTuple):
    """What is under a spot, and the node that it belongs to."""

    ground: Ground
    node: p3d.NodePath | None = None


class FunctionGround:
    """A function of x and y that returns the height, or height and normal.

    None, or no number, is no ground.

    Args:
        function: Where and how it counts: in the scene's top node.
    """

    def __init__(self, function: Callable[[float, float], Any]) -> None:
        self.function = function

    def look(
        self,
        actor: p3d.NodePath,
        spots: Sequence[GroundPoint],
        tops: Sequence[float],
        leg: float,
    ) -> list[Hit | None]:
        """Return what is under each spot.

        Args:
            actor: Who wants to stand there; without a meaning here.
            spots: Where to look.
            tops: From how high; without a meaning here.
            leg: Length of a leg [units].

        Raises:
            BindError: The function fails; says how.
        """
        try:
            return [self._look(x, y, STEP * leg) for x, y in spots]
        except Exception as error:
            raise BindError(f"ground {self.function!r} failed: {error!r}") from error

    def _look(self, x: float, y: float, step: float) -> Hit | None:
        found = self.function(x, y)
        if found is None:
            return None
        if isinstance(found, tuple):
            height, normal = found
            slope = -normal[0] / normal[2], -normal[1] / normal[2]
        else:
            height = found
            east, north = self.function(x + step, y), self.function(x, y + step)
            west, south = self.function(x - step, y), self.function(x, y - step)
            slope = _rise(west, height, east, step), _rise(south, height, north, step)
        if not (-inf < height < inf and slope[0] ** 2 + slope[1] ** 2 < inf):
            return None
        return Hit(Ground(float(height), slope))


def _rise(before: Any, height: float, after: Any, step: float) -> float:
    """Return the lesser of the rises on both sides: at an edge, that of its level."""
    rises = [
        rise / step
        for rise in (
            None if before is None else height - before,
            None if after is None else after - height,
        )
        if rise is not None
    ]
    return min(rises, key=abs, default=0.0)


class RayGround:
    """Collision geometry, looked at by rays from above.

    Args:
        node: The geometry is here or below.
        mask: Which of it counts: what has one of these bits in its into mask.

    Raises:
        BindError: There is none.
    """

    def __init__(self, node: p3d.NodePath, mask: p3d.BitMask32) -> None:
        self.node = node
        self.mask = mask
        self._handler = p3d.CollisionHandlerQueue()
        self._traverser = p3d.CollisionTraverser("ikrig ground")
        self._above = p3d.NodePath("ikrig rays")
        self._rays: list[p3d.NodePath] = []
        bits = [
            path.node().get_into_collide_mask()
            for path in [node, *node.find_all_matches("**")]
        ]
        if not any((own & mask).get_word() for own in bits):
            raise BindError(
                f"ground {node}: nothing at or below it can be hit with mask {mask}: "
                "give it CollisionNodes, or an into mask (set_collide_mask), or give "
                "another mask"
            )

    def look(
        self,
        actor: p3d.NodePath,
        spots: Sequence[GroundPoint],
        tops: Sequence[float],
        leg: float,
    ) -> list[Hit | None]:
        """Return what is under each spot, from ``tops`` down, but for the Actor itself.

        Raises:
            BindError: The geometry is not in the Actor's scene.
        """
        world = actor.get_top()
        if self.node.is_empty() or self.node.get_top() != world:
            raise BindError(f"ground {self.node} is not in the Actor's scene")
        while len(self._rays) < len(spots):
            ray = p3d.CollisionNode(str(len(self._rays)))
            ray.add_solid(p3d.CollisionRay(0, 0, 0, 0, 0, -1))
            ray.set_from_collide_mask(self.mask)
            ray.set_into_collide_mask(p3d.BitMask32.all_off())
            self._rays.append(self._above.attach_new_node(ray))
        self._above.reparent_to(world)
        self._traverser.clear_colliders()
        for path, (x, y), top in zip(self._rays, spots, tops, strict=False):
            path.set_pos(x, y, top)
            self._traverser.add_collider(path, self._handler)
        self._traverser.traverse(self.node)
        self._above.detach_node()
        found: list[Hit | None] = [None] * len(spots)
        for entry in self._handler.get_entries():
            node = entry.get_into_node_path()
            if not entry.get_into().is_tangible() or actor.is_ancestor_of(node):
                continue
            k = int(entry.get_from_node().get_name())
            position = entry.get_surface_point(world)
            normal = entry.get_surface_normal(world)
            best = found[k]
            if normal[2] <= 0.0 or (best and best.ground.height >= position[2]):
                continue
            slope = -normal[0] / normal[2], -normal[1] / normal[2]
            found[k] = Hit(Ground(position[2], slope), node)
        return found


def make_ground(ground: Any, mask: p3d.BitMask32) -> FunctionGround | RayGround:
    """Return what feet look at.

    Raises:
        BindError: It is neither a function nor a node with collision geometry.
    """
    if isinstance(ground, p3d.NodePath) and not ground.is_empty():
        return RayGround(ground, mask)
    if callable(ground):
        return FunctionGround(ground)
    raise BindError(
        "ground must be a function of x and y that returns the height, or a NodePath "
        f"with collision geometry, not {shown(ground)}"
    )
