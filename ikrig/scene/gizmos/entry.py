"""A chain on display: where whatever a chain does wrong is caught."""

from __future__ import annotations

from collections.abc import Sequence

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from .drawing import (
    UNSOLVED_COLOR,
    ChainLike,
    handle_radius,
    read_joints,
    status_color,
)
from .handle import Handle
from .view import Vec3, in_scene


class Entry:
    """A chain on display and the handles it has now.

    Attributes:
        chain: Read in each frame. Whatever it does, a frame must go on: a chain that
            raises or is not what it was is not drawn and has no handles, and a
            warning says so once.
        color: Of its last result.
        target: Handle of its target.
        pole: Handle of its pole.
    """

    __slots__ = ("_told", "chain", "color", "pole", "target")

    def __init__(self, chain: ChainLike) -> None:
        """Show a chain, for now without handles."""
        self.chain = chain
        self.color = UNSOLVED_COLOR
        self.target: Handle | None = None
        self.pole: Handle | None = None
        self._told = False

    def ends(
        self, render: p3d.NodePath
    ) -> tuple[p3d.NodePath | None, p3d.NodePath | None]:
        """Read colour, target and pole; the nodes are None while out of the scene."""
        chain = self.chain
        try:
            self.color = status_color(chain)
            target, pole = chain.target, chain.pole
            if target is not None and not in_scene(render, target):
                target = None
            if pole is not None and not in_scene(render, pole):
                pole = None
        except Exception as error:
            self.tell(error)
            self.color = UNSOLVED_COLOR
            return None, None
        return target, pole

    def joints(self, render: p3d.NodePath) -> list[Vec3]:
        """Read the joints, root to leaf, world space; none while one is not there."""
        try:
            return read_joints(render, self.chain)
        except Exception as error:
            self.tell(error)
            return []

    def fit_handles(self, joints: list[Vec3], sized: Sequence[Handle]) -> None:
        """Give its handles, but those already sized, a size that suits the chain."""
        if joints:
            radius = handle_radius(joints)
            for handle in (self.target, self.pole):
                if handle is not None and handle not in sized:
                    handle.fit(radius)

    def tell(self, error: Exception) -> None:
        """Say once that the chain raised when it was read."""
        if not self._told:
            self._told = True
            directNotify.newCategory("ikrig").warning(
                f"gizmos can't read a {type(self.chain).__name__} and leave it out: "
                f"{type(error).__name__}: {error}"
            )
