"""A rig on display; catches the errors that it raises."""

from __future__ import annotations

from collections.abc import Sequence

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from .handle import Handle, handle_radius
from .rig_view import UNSOLVED_COLOR, Drawn, Marker, RigView, read_joints, read_rig
from .viewpoint import Vec3, in_scene

_NOTHING = RigView((), (), UNSOLVED_COLOR, ())


class Entry:
    """A chain, a tree or a behaviour on display and the handles it has now.

    Attributes:
        rig: It, read in each frame. Whatever it does, a frame must go on: a rig that
            raises is not drawn and has no handles, and a warning says so once.
        figure: What is drawn of it; only ends that are in the scene.
        handles: One for each of the figure's ends.
    """

    __slots__ = ("_reported", "figure", "handles", "rig")

    def __init__(self, rig: Drawn) -> None:
        """Show a rig, for now without handles."""
        self.rig = rig
        self.figure = _NOTHING
        self.handles: list[Handle] = []
        self._reported = False

    def follow(
        self,
        render: p3d.NodePath,
        known: dict[p3d.NodePath, Handle],
        added: Sequence[Handle],
    ) -> None:
        """Read the rig, and see that there is a handle for each of its ends.

        Args:
            render: Top of the scene.
            known: Handles by node; new ones are put there too.
            added: Handles whose looks are the caller's.
        """
        try:
            figure = read_rig(self.rig)
            ends = [end for end in figure.ends if in_scene(render, end.node)]
        except Exception as error:
            self.tell(error)
            figure, ends = _NOTHING, []
        self.figure = figure._replace(ends=ends)
        self.handles = []
        for end in ends:
            handle = known.get(end.node)
            if handle is None:
                handle = known[end.node] = self._handle(render, end)
            if handle not in added:
                handle.follow(end.color, end.shape, end.rotates, end.word)
            self.handles.append(handle)

    def _handle(self, render: p3d.NodePath, end: Marker) -> Handle:
        radius = handle_radius(self.joints(render), self.figure.parents)
        label = end.node.get_name()
        return Handle(
            end.node, color=end.color, radius=radius, label=label, shape=end.shape
        )

    def joints(self, render: p3d.NodePath) -> list[Vec3]:
        """Read where joints and tips are, world space; none while one is nowhere."""
        try:
            return read_joints(render, self.figure.bones, self.figure.parents)
        except Exception as error:
            self.tell(error)
            return []

    def fit_handles(self, joints: list[Vec3], sized: Sequence[Handle]) -> None:
        """Give its handles, but those already sized, a size that suits the rig."""
        if joints:
            radius = handle_radius(joints, self.figure.parents)
            for handle in self.handles:
                if handle not in sized:
                    handle.fit(radius)

    def tell(self, error: Exception) -> None:
        """Say once that the rig raised when it was read."""
        if not self._reported:
            self._reported = True
            directNotify.newCategory("ikrig").warning(
                f"gizmos can't read a {type(self.rig).__name__} and leave it out: "
                f"{type(error).__name__}: {error}"
            )
