"""Shown: what was added to a gizmo layer, and the handles that there are for it."""

from __future__ import annotations

from typing import Any

import panda3d.core as p3d

from .entry import Entry
from .handle import Handle
from .rig_view import drawn_parts, parts_of
from .viewpoint import in_scene


class Shown:
    """Rigs and handles on display; ``follow`` looks what they are now.

    Attributes:
        entries: Chains, trees and behaviours that are drawn.
        handles: What can be dragged.
        added: Handles that were added by themselves: their looks stay.
    """

    def __init__(self, render: p3d.NodePath) -> None:
        """Show nothing.

        Args:
            render: Top of the scene.
        """
        self._render = render
        self._things: list[Any] = []
        self.entries: list[Entry] = []
        self.handles: list[Handle] = []
        self.added: list[Handle] = []

    def add_handle(self, new: Handle) -> Handle:
        """Add a handle; a node that has one already keeps it, with the new looks."""
        handle = next((h for h in self.handles if h.node == new.node), new)
        handle.color, handle.radius = new.color, new.radius
        handle.label, handle.shape = new.label, new.shape
        handle.rotates = new.rotates
        if handle not in self.added:
            self.added.append(handle)
        return handle

    def add(self, thing: Any) -> None:
        """Add a rig or a part of one; no second time.

        Raises:
            SettingError: It is nothing of a rig.
        """
        parts_of(thing)
        if all(known is not thing for known in self._things):
            self._things.append(thing)

    def remove(self, thing: Any) -> None:
        """Remove what was added; no error without it.

        Raises:
            SettingError: It is nothing that could have been added.
        """
        if isinstance(thing, p3d.NodePath):
            self.added = [handle for handle in self.added if handle.node != thing]
        else:
            parts_of(thing)
            self._things = [known for known in self._things if known is not thing]

    def clear(self) -> None:
        """Remove everything."""
        self._things, self.added = [], []

    def follow(self) -> None:
        """Drop what left the scene, and take the rigs' targets and poles of now."""
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
