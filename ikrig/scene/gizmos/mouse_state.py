"""MouseState: the handle, ring or arrow that is under the mouse or dragged."""

from __future__ import annotations

import panda3d.core as p3d

from .displayed_parts import DisplayedParts
from .drag import Keys, MoveDrag, TurnDrag
from .gizmo_checks import Axis, Frame
from .handle import Handle, is_position, pick
from .rings import AXES, Arrow, Axes, Ring, pick_part, world_axes
from .viewpoint import Viewpoint, world_position


class MouseState:
    """The mouse's state and actions on handles.

    Window positions run from -1 to 1.

    Attributes:
        enabled: Whether anything can be hovered or pressed.
        axis: Axis of drags; None for the plane that faces the camera.
        frame: Owner of the axes of drags, rings and arrows.
        hovered: The handle under the mouse.
        hovered_part: The ring or the arrow under the mouse.
        drag: The current drag.
        ringed: The handle that has rings and arrows: the last pressed one that can be
            rotated.
    """

    def __init__(
        self, render: p3d.NodePath, eye: Viewpoint, displayed: DisplayedParts
    ) -> None:
        """Start without a drag.

        Args:
            render: Top of the scene.
            eye: The camera.
            displayed: The displayed rigs and handles.
        """
        self._render = render
        self._eye = eye
        self._displayed = displayed
        self.enabled = True
        self.axis: Axis | None = None
        self.frame: Frame = "world"
        self.hovered: Handle | None = None
        self.hovered_part: Ring | Arrow | None = None
        self.drag: MoveDrag | TurnDrag | None = None
        self.ringed: Handle | None = None

    @property
    def dragged(self) -> Handle | None:
        """The handle that is dragged."""
        return self.drag.handle if self.drag else None

    def follow(self) -> None:
        """Update the handles, and end drags and hovers of those that are gone."""
        self._displayed.follow()
        handles = self._displayed.handles
        if self.hovered not in handles:
            self.hovered = None
        if self.dragged not in handles:
            self.drag = None
        ringed = self.ringed
        if ringed is not None and (ringed not in handles or not ringed.rotates):
            self.ringed = None

    def reset(self) -> None:
        """End drag and hover."""
        self.drag = self.hovered = self.hovered_part = self.ringed = None

    def leave(self) -> None:
        """End the hover, except over a dragged handle."""
        self.hovered, self.hovered_part = self.dragged, None

    def release(self) -> None:
        """End the drag."""
        self.drag = None

    def hover(self, x: float, y: float) -> None:
        """Find the handle or part under a window position; a drag continues."""
        self.follow()
        if self.enabled and self.drag is None:
            self._find(x, y)

    def _find(self, x: float, y: float) -> None:
        part = self.hovered_part = self._part_at(x, y)
        view = self._eye.view()
        if view is None or not is_position(x, y):
            self.hovered = None
        else:
            found = pick(self._render, view, self._displayed.handles, x, y)
            # the handle inside its rings has priority, other handles behind them don't
            if part is not None and found is not self.ringed:
                found = self.ringed
            elif found is not None:
                self.hovered_part = None
            self.hovered = found

    def press(self, x: float, y: float) -> None:
        """Start to drag the handle, ring or arrow at a window position."""
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
        """Continue the drag, or hover."""
        if self.drag is None:
            self.hover(x, y)
            return
        self.follow()
        view = self._eye.view()
        if self.drag is not None and view is not None and is_position(x, y):
            self.drag.apply(self._render, view, x, y, self.axis, keys)

    def axes_of(self, handle: Handle) -> Axes:
        """Return the axes for moving and rotating a handle, world space."""
        axes = world_axes(self._render, handle.node) if self.frame == "tool" else None
        return axes or AXES

    def _part_at(self, x: float, y: float) -> Ring | Arrow | None:
        view, handle = self._eye.view(), self.ringed
        if handle is None or view is None or not is_position(x, y):
            return None
        point = world_position(self._render, handle.node)
        if point is None:
            return None
        return pick_part(view, point, self.axes_of(handle), x, y)
