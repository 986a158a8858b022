"""Ground under feet: a function, a heightfield, Bullet, or collision geometry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import panda3d.core as p3d

from ...character.heightfield import Heightfield
from ...errors import BindError, shown
from ...kernels.foot_ground import CallGround
from ...kernels.foot_ground import FunctionGround as FunctionKernel
from .node_ground import NodeGround

STEP = 0.01
"""Distance of the samples that give a function's slope [leg lengths]."""

Found = tuple[float, float, float, int]
Mats = Sequence[p3d.LMatrix4f | None]
"""Transforms of a ground's owners in the scene; None for those that were removed."""


def mat_of(mats: Mats, owner: int) -> p3d.LMatrix4f | None:
    """Return the transform of an owner, or None if it is unknown."""
    return mats[owner] if 0 <= owner < len(mats) else None


class FunctionGround:
    """A function of x and y that returns the height, or height and normal.

    None and NaN mean no ground.

    Args:
        function: The function, in coordinates of the scene's top node.
    """

    mats: Mats = ()
    """Those of its owners: a function does not move."""

    def __init__(self, function: Callable[[float, float], object]) -> None:
        self._kernel = FunctionKernel(function)

    def begin(self, actor: p3d.NodePath, leg: float, deep: float) -> FunctionKernel:
        """Return the ground's kernel for this frame."""
        kernel = self._kernel
        if abs(kernel.step - STEP * leg) > 0.01 * kernel.step:
            # another size, not the rounding of each frame's pose
            kernel.set_step(STEP * leg)
        kernel.begin()
        return kernel

    @property
    def error(self) -> str:
        """Error of this frame, or ""."""
        kernel = self._kernel
        error = kernel.error
        return "" if error is None else f"ground {kernel.function!r} failed: {error!r}"


class FieldGround:
    """A heightfield.

    Args:
        field: The heights.
    """

    error = ""
    mats: Mats = ()
    """Those of its owners: it does not move."""

    def __init__(self, field: Heightfield) -> None:
        self._kernel = field._kernel

    def begin(self, actor: p3d.NodePath, leg: float, deep: float) -> object:
        """Return the ground's kernel for this frame."""
        return self._kernel


class BulletGround:
    """The bodies of a ``BulletWorld``, hit by rays from above.

    Args:
        world: The world; its origin is that of the scene's top node.
        mask: Bodies to hit.
    """

    def __init__(self, world: Any, mask: p3d.BitMask32) -> None:
        self.world = world
        self.mask = mask
        self._kernel = CallGround(self._query)
        self._deep = 1.0
        self._numbers: dict[p3d.PandaNode, int] = {}
        self._nodes: list[p3d.NodePath] = []
        self.mats: list[p3d.LMatrix4f | None] = []
        """Those of the bodies in this frame."""

    def begin(self, actor: p3d.NodePath, leg: float, deep: float) -> CallGround:
        """Return the ground's kernel for this frame."""
        self._actor, self._deep = actor, deep
        self.mats = list(map(_mat_in_scene, self._nodes))
        self._kernel.error = None
        return self._kernel

    @property
    def error(self) -> str:
        """Error of this frame, or ""."""
        error = self._kernel.error
        return "" if error is None else f"ground {self.world!r} failed: {error!r}"

    def _query(self, x: float, y: float, top: float) -> Found | None:
        above, below = p3d.LPoint3f(x, y, top), p3d.LPoint3f(x, y, top - self._deep)
        hit = self.world.ray_test_closest(above, below, self.mask)
        if not hit.has_hit():
            return None
        if self._is_own(hit):
            # use the next hit below
            hits = self.world.ray_test_all(above, below, self.mask).get_hits()
            hits = [h for h in hits if not self._is_own(h)]
            hit = min(hits, key=lambda h: h.get_hit_fraction(), default=None)
            if hit is None:
                return None
        normal = hit.get_hit_normal()
        if normal[2] <= 0.0:
            return None
        slope = -normal[0] / normal[2], -normal[1] / normal[2]
        return hit.get_hit_pos()[2], *slope, self._number(hit)

    def _is_own(self, hit: object) -> bool:
        return self._actor.is_ancestor_of(self._nodes[self._number(hit)])

    def _number(self, hit: Any) -> int:
        node = hit.get_node()
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = len(self._nodes)
            self._nodes.append(p3d.NodePath.any_path(node))
            self.mats.append(_mat_in_scene(self._nodes[-1]))
        return number


def _mat_in_scene(node: p3d.NodePath) -> p3d.LMatrix4f | None:
    return None if node.is_empty() else node.get_mat(node.get_top())


AnyGround = FunctionGround | FieldGround | BulletGround | NodeGround


def make_ground(ground: object, mask: p3d.BitMask32) -> AnyGround:
    if isinstance(ground, p3d.NodePath) and not ground.is_empty():
        return NodeGround.of(ground, mask)
    if isinstance(ground, Heightfield):
        return FieldGround(ground)
    if hasattr(ground, "ray_test_closest"):
        return BulletGround(ground, mask)
    if callable(ground):
        return FunctionGround(ground)
    raise BindError(
        "ground must be a function of x and y that returns the height, a Heightfield, "
        f"a BulletWorld, or a NodePath with collision geometry, not {shown(ground)}"
    )
