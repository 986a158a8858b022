"""DisplayedParts: the rigs and handles that were added to a gizmo layer."""

from __future__ import annotations

from typing import Any

import panda3d.core as p3d

from .entry import Entry
from .handle import Handle
from .rig_view import drawn_parts, parts_of
from .viewpoint import in_scene


class DisplayedParts:
    """Rigs and handles on display; ``follow`` updates them to the scene.

    Attributes:
        entries: Chains, trees and behaviours that are drawn.
        handles: The handles that can be dragged.
        added: Handles that the caller has added, with looks of their own.
    """

    def __init__(self, render: p3d.NodePath) -> None:
        """Start without rigs and handles.

        Args:
            render: Top of the scene.
        """
        self._render = render
        self._things: list[Any] = []
        self.entries: list[Entry] = []
        self.handles: list[Handle] = []
        self.added: list[Handle] = []

    def add_handle(self, new: Handle) -> Handle:
        """Add a handle; a node that has one keeps it, with the new looks."""
        handle = next((h for h in self.handles if h.node == new.node), new)
        handle.color, handle.radius = new.color, new.radius
        handle.label, handle.shape = new.label, new.shape
        handle.rotates = new.rotates
        if handle not in self.added:
            self.added.append(handle)
        return handle

    def add(self, thing: Any) -> None:
        """Add a rig or a part of one, unless it is there already.

        Raises:
            SettingError: It is not a rig or a part of one.
        """
        parts_of(thing)
        if all(known is not thing for known in self._things):
            self._things.append(thing)

    def remove(self, thing: Any) -> None:
        """Remove a rig or a handle; no error if it is absent.

        Raises:
            SettingError: It is not an object that can be added.
        """
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
