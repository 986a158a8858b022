"""The rigs and handles on display; errors from reading a rig are caught here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from .handle import Handle, handle_radius
from .rig_view import (
    UNSOLVED_COLOR,
    Drawn,
    RigView,
    drawn_parts,
    parts_of,
    read_joints,
    read_rig,
)
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
            markers = [m for m in figure.markers if in_scene(render, m.node)]
        except Exception as error:
            self.report(error)
            figure, markers = _NOTHING, []
        self.figure = figure._replace(markers=markers)
        self.handles = []
        for marker in markers:
            node = marker.node
            handle = known.get(node)
            if handle is None:
                radius = handle_radius(self.joints(render), figure.parents)
                handle = known[node] = Handle(
                    node, color=marker.color, radius=radius, label=node.get_name()
                )
            if handle not in added:
                handle.follow(
                    marker.color, marker.shape, marker.rotates, marker.status_text
                )
            self.handles.append(handle)

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


class Displayed:
    """Rigs and handles on display; ``follow`` updates them to the scene.

    Attributes:
        entries: Chains, trees and behaviours that are drawn.
        handles: The handles that can be dragged.
        added: Handles that the caller has added, with looks of their own.
    """

    def __init__(self, render: p3d.NodePath) -> None:
        """Start without rigs and handles in the scene of ``render``."""
        self._render = render
        self._things: list[Any] = []
        self.entries: list[Entry] = []
        self.handles: list[Handle] = []
        self.added: list[Handle] = []

    def add_handle(self, new: Handle) -> Handle:
        """Add a handle; a node that has one keeps it, with the new looks."""
        handle = next((h for h in self.handles if h.node == new.node), new)
        for name in ("color", "radius", "label", "shape", "rotates"):
            setattr(handle, name, getattr(new, name))
        if handle not in self.added:
            self.added.append(handle)
        return handle

    def add(self, thing: Any) -> None:
        """Add a rig or a part of one, unless it is there already."""
        parts_of(thing)  # raises a SettingError for others
        if all(known is not thing for known in self._things):
            self._things.append(thing)

    def remove(self, thing: Any) -> None:
        """Remove a rig or a handle; no error if it is absent."""
        if isinstance(thing, p3d.NodePath):
            self.added = [handle for handle in self.added if handle.node != thing]
        else:
            parts_of(thing)
            self._things = [known for known in self._things if known is not thing]

    def clear(self) -> None:
        """Remove all rigs and handles."""
        self._things, self.added = [], []

    def follow(self) -> None:
        """Remove handles that left the scene; read the rigs' targets and poles."""
        render = self._render
        before = {id(entry.rig): entry for entry in self.entries}
        parts = drawn_parts(self._things)
        self.entries = [before.get(id(part)) or Entry(part) for part in parts]
        self.added = [h for h in self.added if in_scene(render, h.node)]
        known = {handle.node: handle for handle in (*self.handles, *self.added)}
        handles = dict.fromkeys(self.added)
        for entry in self.entries:
            entry.follow(render, known, self.added)
            handles.update(dict.fromkeys(entry.handles))
        self.handles = list(handles)
