"""The handle, ring or arrow that is under the mouse or dragged, and a real mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panda3d.core as p3d
from direct.showbase.DirectObject import DirectObject
from direct.task import Task

from .displayed import Displayed
from .drag import Keys, MoveDrag, TurnDrag
from .gizmo_checks import Axis, Frame
from .handle import Handle, is_position, pick
from .rings import AXES, Arrow, Axes, Ring, pick_part, world_axes
from .viewpoint import Viewpoint, world_position

if TYPE_CHECKING:
    from direct.showbase.ShowBase import ShowBase

DRAG_SORT = 10  # after input and events (0), before IK (40): no frame of lag
MODIFIERS = ("", "shift-", "alt-", "control-", "shift-alt-", "shift-control-")


class MouseState:
    """The mouse's state and actions on handles; window positions run from -1 to 1.

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
        self, render: p3d.NodePath, eye: Viewpoint, displayed: Displayed
    ) -> None:
        """Start without a drag."""
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
        if not self.enabled or self.drag is not None:
            return
        view, ringed = self._eye.view(), self.ringed
        self.hovered, part = None, None
        if view is not None and is_position(x, y):
            point = ringed and world_position(self._render, ringed.node)
            if ringed is not None and point:
                part = pick_part(view, point, self.axes_of(ringed), x, y)
            found = pick(self._render, view, self._displayed.handles, x, y)
            # the handle inside its rings has priority, other handles behind them don't
            if part is not None and found is not ringed:
                found = ringed
            elif found is not None:
                part = None
            self.hovered = found
        self.hovered_part = part

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


class MouseInput(DirectObject):
    """Forwards a window's mouse and keys to a mouse state until ``destroy``."""

    def __init__(self, mouse_state: MouseState, base: ShowBase) -> None:
        """Start listening to the events of an app, which may have no window."""
        super().__init__()
        self._mouse_state = mouse_state
        self._base = base
        self._task = base.task_mgr.add(self._drag, "ikrig-gizmos-drag", sort=DRAG_SORT)
        # a press with a modifier key is a separate event; its release is not
        for modifier in MODIFIERS:
            self.accept(f"{modifier}mouse1", self._press)
        self.accept("mouse1-up", mouse_state.release)
        for axis in AXES:
            self.accept(axis, self._toggle, [axis])

    def destroy(self) -> None:
        """Stop listening to events."""
        self.ignore_all()
        self._base.task_mgr.remove(self._task)

    def _watcher(self) -> p3d.MouseWatcher | None:
        """Return the mouse watcher while the mouse is over the window, else None."""
        watcher: p3d.MouseWatcher | None = self._base.mouseWatcherNode
        return watcher if watcher is not None and watcher.has_mouse() else None

    def _press(self) -> None:
        watcher = self._watcher()
        if watcher is not None:
            self._mouse_state.press(watcher.get_mouse_x(), watcher.get_mouse_y())

    def _toggle(self, axis: Axis) -> None:
        self._mouse_state.axis = None if self._mouse_state.axis == axis else axis

    def _drag(self, task: Task.Task) -> int:
        watcher, state = self._watcher(), self._mouse_state
        # a release over another window sends no event to this one
        if watcher is not None and not watcher.is_button_down(p3d.MouseButton.one()):
            state.release()
        # GUI elements are over the scene: handles that they cover are not hovered
        covered = watcher is None or watcher.is_over_region()
        if state.drag is None and covered:
            state.leave()
        elif watcher is not None:
            key = p3d.KeyboardButton
            held = map(watcher.is_button_down, (key.shift(), key.alt(), key.control()))
            state.move(watcher.get_mouse_x(), watcher.get_mouse_y(), Keys(*held))
        return task.cont
