"""The gizmo layer of a scene: what is shown, hovered and held."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import panda3d.core as p3d

from ikrig.errors import SettingError

from .canvas import Canvas
from .drawing import (
    DEFAULT_RADIUS,
    POLE_COLOR,
    ChainLike,
    draw_axis,
    draw_chain,
    draw_handles,
    handle_radius,
    read_joints,
    status_color,
)
from .handle import AXES, Axis, Drag, Handle, Shape, pick, place
from .label import Label
from .mouse import MouseInput
from .stage import make_root
from .view import Eye, Vec4, in_scene, world_position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from direct.showbase.ShowBase import ShowBase


class _Entry:
    """A chain on display and the handles it has now."""

    __slots__ = ("chain", "pole", "target")

    def __init__(self, chain: ChainLike) -> None:
        self.chain = chain
        self.target: Handle | None = None
        self.pole: Handle | None = None


class Gizmos:
    """Handles for targets and poles, and a picture of chains.

    Window positions ``x, y`` run from -1 (left, bottom) to 1 (right, top), as
    ``MouseWatcher.get_mouse`` gives them. World space is the space of ``render``.

    Example:
        >>> gizmos = Gizmos(base.render, base.cam)
        >>> gizmos.add_chain(chain)
        >>> gizmos.attach_mouse(base)
    """

    def __init__(
        self,
        render: p3d.NodePath,
        camera: p3d.NodePath,
        lens_source: p3d.LensNode | None = None,
    ) -> None:
        """Add an empty layer to a scene.

        Args:
            render: Top of the scene.
            camera: Node of the scene that the lens hangs at, usually ``base.cam``.
            lens_source: Holder of the lens; None takes the camera's own node. Its
                first display region gives the window's size in pixels.

        Raises:
            SettingError: There is no scene, the camera is not in it or has no lens.
        """
        if render.is_empty():
            raise SettingError("render is an empty NodePath")
        if not in_scene(render, camera):
            raise SettingError(f"camera {camera} is not in the scene of {render}")
        source = camera.node() if lens_source is None else lens_source
        if not isinstance(source, p3d.LensNode):
            raise SettingError(
                f"{camera} holds no lens but a {type(source).__name__}: "
                "pass lens_source=base.camNode"
            )
        self._render = render
        self._eye = Eye(render, camera, source)

        self._entries: list[_Entry] = []
        self._added: list[Handle] = []
        self._handles: list[Handle] = []
        self._hovered: Handle | None = None
        self._drag: Drag | None = None
        self._axis: Axis | None = None
        self._visible = True
        self._destroyed = False
        self._mouse: MouseInput | None = None

        self._canvas = Canvas()
        self._root = make_root(render, self._canvas)
        self._label = Label(self._root)

    # -- what is shown

    def add_handle(
        self,
        nodepath: p3d.NodePath,
        *,
        color: Sequence[float] = (0.35, 0.7, 1.0, 1.0),
        radius: float = DEFAULT_RADIUS,
        label: str = "",
        shape: Shape = "sphere",
    ) -> Handle:
        """Make a node draggable.

        Args:
            nodepath: Target, pole or any other node of the scene.
            color: RGB or RGBA, 0 to 1.
            radius: Least radius [scene unit]. The handle keeps a constant size on the
                screen, but is not smaller than this when the eye comes near, until it
                is three times its usual size on the screen.
            label: Shown beside the handle under the mouse; the node's name if empty.
            shape: ``"sphere"`` or ``"diamond"``.

        Returns:
            The handle. A node that has one already keeps it, with the new looks.

        Raises:
            SettingError: The node is not in the scene, or a value is out of range.
        """
        if not in_scene(self._render, nodepath):
            raise SettingError(f"handle {nodepath} is not in the scene {self._render}")
        if len(color) not in (3, 4) or not all(0.0 <= c <= 1.0 for c in color):
            raise SettingError(f"color must be 3 or 4 numbers 0..1, not {color!r}")
        if not (math.isfinite(radius) and radius > 0.0):
            raise SettingError(f"radius must be > 0, not {radius!r}")
        if shape not in ("sphere", "diamond"):
            raise SettingError(f"shape must be 'sphere' or 'diamond', not {shape!r}")
        r, g, b, a = (*color, 1.0)[:4]
        handle = self._handle_of(nodepath)
        if handle is None:
            handle = Handle(nodepath, color=(r, g, b, a), radius=radius)
        if handle not in self._added:
            self._added.append(handle)
        handle.color, handle.radius = (r, g, b, a), radius
        handle.label, handle.shape = label or nodepath.get_name(), shape
        self._sync()
        return handle

    def add_chain(self, chain: ChainLike) -> None:
        """Show a chain and make its target and its pole draggable.

        Target and pole may be replaced or set to None at any time.

        Args:
            chain: An ``IKChain`` or whatever looks like one.

        Raises:
            SettingError: It does not look like one.
        """
        wanted = ("bones", "target", "pole", "result")
        missing = [name for name in wanted if not hasattr(chain, name)]
        if missing:
            raise SettingError(
                f"{type(chain).__name__} is no chain: it has no {', '.join(missing)}"
            )
        if all(entry.chain is not chain for entry in self._entries):
            self._entries.append(_Entry(chain))
        self._sync()

    def remove(self, chain_or_nodepath: ChainLike | p3d.NodePath) -> None:
        """Take back ``add_chain`` or ``add_handle``; nothing happens if it was not.

        A node that is also the target or pole of a chain stays draggable.
        """
        if isinstance(chain_or_nodepath, p3d.NodePath):
            node = chain_or_nodepath
            self._added = [handle for handle in self._added if handle.node != node]
        else:
            chain = chain_or_nodepath
            self._entries = [e for e in self._entries if e.chain is not chain]
        self._sync()

    def clear(self) -> None:
        """Show nothing."""
        self._entries, self._added = [], []
        self._sync()

    def destroy(self) -> None:
        """Leave the scene as it was; later calls do nothing."""
        self.detach_mouse()
        self.clear()
        self._destroyed = True
        self._root.remove_node()

    @property
    def handles(self) -> tuple[Handle, ...]:
        """What can be held now."""
        return tuple(self._handles)

    @property
    def visible(self) -> bool:
        """Whether anything is drawn; hidden handles can't be hovered or pressed."""
        return self._visible

    @visible.setter
    def visible(self, value: bool) -> None:
        self._visible = bool(value)
        if self._destroyed:
            return
        if value:
            self._root.show()
        else:
            self._root.hide()
            self._hovered = self._drag = None

    def update(self) -> None:
        """Follow the scene, once per frame after the IK task (sort 40).

        Earlier would show the last frame's pose, and reading the joints of an Actor
        before its IK makes that IK a frame late.
        """
        if not self._visible or self._destroyed:
            return
        self._sync()
        view = self._eye.view()
        if view is None:
            return

        canvas = self._canvas
        canvas.clear()
        render = self._render
        places = {h: world_position(render, h.node) for h in self._handles}
        for entry in self._entries:
            target = places[entry.target] if entry.target else None
            pole = places[entry.pole] if entry.pole else None
            joints = read_joints(render, entry.chain)
            draw_chain(canvas, entry.chain, joints, target, pole)
            if joints:
                self._fit(entry, handle_radius(joints))

        held = self.dragging
        if self._drag is not None and self._axis is not None:
            draw_axis(canvas, view, self._axis, self._drag.start)
        draw_handles(canvas, view, places, self._hovered, held)
        canvas.flush(view)

        shown = held or self._hovered
        text = shown.label if shown else ""
        if held and self._axis:
            text = f"{text}  [{self._axis}]" if text else self._axis
        self._label.show(view, places[shown] if shown else None, text)

    # -- what the mouse does

    @property
    def axis(self) -> Axis | None:
        """World axis that drags keep to; None for the plane facing the camera."""
        return self._axis

    @axis.setter
    def axis(self, value: Axis | None) -> None:
        if value is not None and value not in AXES:
            raise SettingError(f"axis must be None, 'x', 'y' or 'z', not {value!r}")
        self._axis = value

    @property
    def hovered(self) -> Handle | None:
        """The handle under the mouse."""
        return self._hovered

    @property
    def dragging(self) -> Handle | None:
        """The handle that is held."""
        return self._drag.handle if self._drag else None

    def hover(self, x: float, y: float) -> Handle | None:
        """Find and highlight the handle under a window position.

        Where handles overlap the nearest to the eye is taken; a near miss counts when
        nothing was hit. While one is held it is the one.
        """
        self._sync()
        if self._drag is None:
            self._hovered = self._pick(x, y)
        return self._hovered

    def leave(self) -> None:
        """Hover nothing: the mouse left the window or is over a button."""
        self._hovered = self.dragging

    def press(self, x: float, y: float) -> Handle | None:
        """Take hold of the handle under a window position; None if there is none."""
        self.release()
        handle = self.hover(x, y)
        view = self._eye.view()
        point = handle and world_position(self._render, handle.node)
        if handle and view and point:
            self._drag = Drag(handle, point, view, x, y)
        return self.dragging

    def move(self, x: float, y: float) -> None:
        """Drag the held handle: in the plane that faces the camera, or along ``axis``.

        Without one held this is ``hover``.
        """
        if self._drag is None:
            self.hover(x, y)
            return
        self._sync()
        view = self._eye.view()
        if self._drag is None or view is None:
            return
        point = self._drag.position(view, x, y, self._axis)
        if point is not None:
            place(self._render, self._drag.handle.node, point)

    def release(self) -> None:
        """Let go; nothing happens when nothing is held."""
        self._drag = None

    def attach_mouse(self, base: ShowBase) -> None:
        """Drive the layer by the window's mouse, keys x, y and z and two tasks.

        Without a window there is no mouse: then only ``update`` is called each frame.

        Args:
            base: The application.
        """
        self.detach_mouse()
        if not self._destroyed:
            self._mouse = MouseInput(self, base)

    def detach_mouse(self) -> None:
        """Take back ``attach_mouse``."""
        if self._mouse is not None:
            self._mouse.destroy()
            self._mouse = None
            self.release()

    # -- inside

    def _pick(self, x: float, y: float) -> Handle | None:
        view = self._eye.view()
        if view is None or not self._visible:
            return None
        return pick(self._render, view, self._handles, x, y)

    def _fit(self, entry: _Entry, radius: float) -> None:
        """Size the handles that no caller has sized."""
        for handle in (entry.target, entry.pole):
            if handle is not None and handle not in self._added:
                handle.radius = radius

    def _sync(self) -> None:
        """Drop what left the scene and follow the chains' targets and poles."""
        render = self._render
        self._added = [h for h in self._added if in_scene(render, h.node)]
        handles = dict.fromkeys(self._added)
        for entry in self._entries:
            color = status_color(entry.chain)
            entry.target = self._follow(entry, entry.target, "target", color)
            entry.pole = self._follow(entry, entry.pole, "pole", POLE_COLOR)
            for handle in (entry.target, entry.pole):
                if handle is not None:
                    handles[handle] = None
        self._handles = list(handles)
        if self._hovered not in handles:
            self._hovered = None
        if self._drag is not None and self._drag.handle not in handles:
            self._drag = None

    def _follow(
        self, entry: _Entry, handle: Handle | None, role: str, color: Vec4
    ) -> Handle | None:
        node: p3d.NodePath | None = getattr(entry.chain, role)
        if node is None or not in_scene(self._render, node):
            return None
        if handle is None or handle.node != node:
            handle = self._handle_of(node)
        if handle is None:
            handle = Handle(
                node,
                color=color,
                radius=handle_radius(read_joints(self._render, entry.chain)),
                label=node.get_name(),
                shape="diamond" if role == "pole" else "sphere",
            )
            self._handles.append(handle)
        if handle not in self._added:
            handle.color = color
        return handle

    def _handle_of(self, node: p3d.NodePath) -> Handle | None:
        return next((h for h in self._handles if h.node == node), None)
