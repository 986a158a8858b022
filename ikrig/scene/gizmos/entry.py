"""A rig on display; catches errors from reading it."""

from __future__ import annotations

from collections.abc import Sequence

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from .handle import Handle, handle_radius
from .rig_view import UNSOLVED_COLOR, Drawn, Marker, RigView, read_joints, read_rig
from .viewpoint import Vec3, in_scene

_NOTHING = RigView((), (), UNSOLVED_COLOR, ())


class Entry:
    """A chain, a tree or a behaviour on display, and its current handles.

    Attributes:
        rig: The rig, read in each frame. Errors must not end the frame: a rig that
            raises is not drawn and has no handles, and one warning reports it.
        figure: Its view; only with markers that are in the scene.
        handles: One for each of the view's markers.
    """

    __slots__ = ("_reported", "figure", "handles", "rig")

    def __init__(self, rig: Drawn) -> None:
        """Show a rig, at first without handles."""
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
        """Read the rig, and make sure that each of its markers has a handle.

        Args:
            render: Top of the scene.
            known: Handles by node; new ones are added to it.
            added: Handles whose looks are set by the caller.
        """
        try:
            figure = read_rig(self.rig)
            markers = [
                marker for marker in figure.markers if in_scene(render, marker.node)
            ]
        except Exception as error:
            self.report(error)
            figure, markers = _NOTHING, []
        self.figure = figure._replace(markers=markers)
        self.handles = []
        for marker in markers:
            handle = known.get(marker.node)
            if handle is None:
                handle = known[marker.node] = self._handle(render, marker)
            if handle not in added:
                handle.follow(
                    marker.color, marker.shape, marker.rotates, marker.status_text
                )
            self.handles.append(handle)

    def _handle(self, render: p3d.NodePath, marker: Marker) -> Handle:
        radius = handle_radius(self.joints(render), self.figure.parents)
        label = marker.node.get_name()
        return Handle(
            marker.node,
            color=marker.color,
            radius=radius,
            label=label,
            shape=marker.shape,
        )

    def joints(self, render: p3d.NodePath) -> list[Vec3]:
        """Return positions of joints and tips, world space; empty if one has none."""
        try:
            return read_joints(render, self.figure.bones, self.figure.parents)
        except Exception as error:
            self.report(error)
            return []

    def fit_handles(self, joints: list[Vec3], sized: Sequence[Handle]) -> None:
        """Set the size of its handles, except those already sized, to suit the rig."""
        if joints:
            radius = handle_radius(joints, self.figure.parents)
            for handle in self.handles:
                if handle not in sized:
                    handle.fit(radius)

    def report(self, error: Exception) -> None:
        """Warn once that reading the rig raised an error."""
        if not self._reported:
            self._reported = True
            directNotify.newCategory("ikrig").warning(
                f"gizmos skip a {type(self.rig).__name__} that can't be read: "
                f"{type(error).__name__}: {error}"
            )
