"""Grip: which handle, ring or arrow is under the mouse, and which one it holds."""

from __future__ import annotations

import panda3d.core as p3d

from .arrows import Arrow, pick_arrow
from .drag import Keys, MoveDrag, TurnDrag
from .gizmo_checks import Axis, Frame
from .handle import Handle, is_spot, pick
from .rings import AXES, Axes, Ring, pick_ring
from .shown import Shown
from .viewpoint import Viewpoint, world_axes, world_position


class Grip:
    """What the mouse does with handles.

    Window positions run from -1 to 1.

    Attributes:
        enabled: Whether anything can be hovered or pressed.
        axis: Axis that drags keep to; None for the plane facing the camera.
        frame: Whose axes these, rings and arrows have.
        hovered: The handle under the mouse.
        hovered_part: The ring or the arrow under the mouse.
        drag: What is held.
        ringed: The handle that has rings and arrows: the last one pressed that can be
            turned.
    """

    def __init__(self, render: p3d.NodePath, eye: Viewpoint, shown: Shown) -> None:
        """Hold nothing.

        Args:
            render: Top of the scene.
            eye: The camera.
            shown: What has handles.
        """
        self._render = render
        self._eye = eye
        self._shown = shown
        self.enabled = True
        self.axis: Axis | None = None
        self.frame: Frame = "world"
        self.hovered: Handle | None = None
        self.hovered_part: Ring | Arrow | None = None
        self.drag: MoveDrag | TurnDrag | None = None
        self.ringed: Handle | None = None

    @property
    def held(self) -> Handle | None:
        """The handle that is held."""
        return self.drag.handle if self.drag else None

    def follow(self) -> None:
        """Take the handles that there are now, and let go of what is none any more."""
        self._shown.follow()
        handles = self._shown.handles
        if self.hovered not in handles:
            self.hovered = None
        if self.held not in handles:
            self.drag = None
        ringed = self.ringed
        if ringed is not None and (ringed not in handles or not ringed.rotates):
            self.ringed = None

    def forget(self) -> None:
        """Hold and hover nothing."""
        self.drag = self.hovered = self.hovered_part = self.ringed = None

    def leave(self) -> None:
        """Hover nothing but what is held."""
        self.hovered, self.hovered_part = self.held, None

    def release(self) -> None:
        """Let go of what is held."""
        self.drag = None

    def hover(self, x: float, y: float) -> None:
        """Find what is under a window position; what is held stays."""
        self.follow()
        if self.enabled and self.drag is None:
            self._find(x, y)

    def _find(self, x: float, y: float) -> None:
        part = self.hovered_part = self._part_at(x, y)
        view = self._eye.view()
        if view is None or not is_spot(x, y):
            self.hovered = None
        else:
            found = pick(self._render, view, self._shown.handles, x, y)
            # the handle inside its rings comes first, another one behind them later
            if part is not None and found is not self.ringed:
                found = self.ringed
            elif found is not None:
                self.hovered_part = None
            self.hovered = found

    def press(self, x: float, y: float) -> None:
        """Hold the handle or the ring under a window position."""
        self.drag = None
        self.hover(x, y)
        if not self.enabled:
            return
        view, handle = self._eye.view(), self.hovered
        point = None if handle is None else world_position(self._render, handle.node)
        if handle is None or view is None or point is None:
            self.ringed = None
            return
        part = self.hovered_part
        self.ringed = handle if handle.rotates else None
        if isinstance(part, Ring):
            self.drag = TurnDrag(handle, part, view, x, y)
        else:
            axis = None if part is None else part.axis
            axes = self.axes_of(handle)
            self.drag = MoveDrag(handle, point, view, x, y, axes, axis)

    def move(self, x: float, y: float, keys: Keys) -> None:
        """Drag what is held, or hover."""
        if self.drag is None:
            self.hover(x, y)
            return
        self.follow()
        view = self._eye.view()
        if self.drag is not None and view is not None and is_spot(x, y):
            self.drag.apply(self._render, view, x, y, self.axis, keys)

    def axes_of(self, handle: Handle) -> Axes:
        """Return the axes along and about which a handle is moved, world space."""
        axes = world_axes(self._render, handle.node) if self.frame == "tool" else None
        return AXES if axes is None else dict(zip(AXES, axes, strict=True))

    def _part_at(self, x: float, y: float) -> Ring | Arrow | None:
        view, handle = self._eye.view(), self.ringed
        if handle is None or view is None or not is_spot(x, y):
            return None
        point = world_position(self._render, handle.node)
        if point is None:
            return None
        axes = self.axes_of(handle)
        arrow = pick_arrow(view, point, axes, x, y)
        return arrow or pick_ring(view, point, axes, x, y)
