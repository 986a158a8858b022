"""The gizmo layer of a scene: shown, hovered and held handles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panda3d.core as p3d

from ikrig.errors import SettingError

from ..checked_setting import Checked, flag
from .canvas import Canvas
from .drawing import DEFAULT_RADIUS, draw_axis, draw_handles, draw_rig
from .entry import Entry
from .gizmo_checks import (
    Axis,
    Shape,
    check_app,
    check_axis,
    check_chain,
    check_color,
    check_lens,
    check_node,
    check_removable,
    check_render,
    check_tree,
)
from .gizmo_mouse import MouseInput
from .gizmo_root import make_root
from .handle import Drag, Handle, is_spot, move_to, pick
from .label import Label
from .limit_shapes import Regions
from .rig_view import ChainLike, TreeLike, read_chain, read_mujoco
from .viewpoint import Viewpoint, in_scene, world_position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from direct.showbase.ShowBase import ShowBase


class Gizmos:
    """Handles for targets and poles, and a picture of chains and trees.

    Window positions ``x, y`` run from -1 (left, bottom) to 1 (right, top), as
    ``MouseWatcher.get_mouse`` gives them. World space is the space of ``render``.

    Example:
        >>> gizmos = Gizmos(base.render, base.cam)
        >>> gizmos.add_chain(chain)
        >>> gizmos.attach_mouse(base)

    Attributes:
        limits: Whether the limits of rigs are drawn: fans of hinges and cones, red
            where ``blocked_by`` names them.
    """

    limits = Checked(flag)

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
        self._render = check_render(render)
        camera = check_node("camera", camera, render)
        self._eye = Viewpoint(self._render, camera, check_lens(lens_source, camera))

        self._entries: list[Entry] = []
        self._added: list[Handle] = []
        self._handles: list[Handle] = []
        self._hovered: Handle | None = None
        self._marked: p3d.NodePath | None = None
        self._drag: Drag | None = None
        self._axis: Axis | None = None
        self._visible = True
        self._blind = False
        self._destroyed = False
        self._mouse: MouseInput | None = None

        self.limits = True
        self._canvas, self._regions = Canvas(), Regions()
        self._root = make_root(self._render, self._canvas, self._regions.node)
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
            SettingError: The node is not in the scene, a value is out of range or of
                the wrong type, or the layer was destroyed.
        """
        self._check_alive()
        node = check_node("nodepath", nodepath, self._render)
        rgba = check_color(color)
        new = Handle(node, color=rgba, radius=radius, label=label, shape=shape)
        new.label = new.label or node.get_name()
        handle = next((h for h in self._handles if h.node == node), new)
        handle.color, handle.radius = new.color, new.radius
        handle.label, handle.shape = new.label, new.shape
        if handle not in self._added:
            self._added.append(handle)
        self._sync()
        return handle

    def add_chain(self, chain: ChainLike) -> None:
        """Show a chain and make its target and its pole draggable.

        Target and pole may be replaced or set to None at any time.

        Args:
            chain: An ``IKChain`` or whatever looks like one.

        Raises:
            SettingError: It does not look like one, or the layer was destroyed.
        """
        self._check_alive()
        check_chain(chain)
        self._add(Entry(chain, read_chain))

    def add_tree(self, tree: TreeLike) -> None:
        """Show a tree and make the target of each effector draggable.

        Bones have the colour of the tree's status; target and line of an effector that
        is within the tolerance are green whatever the others do.

        Args:
            tree: An ``IKTree`` or whatever looks like one.

        Raises:
            SettingError: It does not look like one, or the layer was destroyed.
        """
        self._check_alive()
        check_tree(tree)
        self._add(Entry(tree, read_mujoco))

    def remove(self, thing: ChainLike | TreeLike | p3d.NodePath) -> None:
        """Remove a chain, a tree or a handle; no error without it.

        A node that is also the target or pole of a rig stays draggable.

        Raises:
            SettingError: It is neither a chain nor a tree nor a NodePath.
        """
        count = len(self._entries)
        self._entries = [entry for entry in self._entries if entry.rig is not thing]
        if isinstance(thing, p3d.NodePath):
            self._added = [handle for handle in self._added if handle.node != thing]
        elif len(self._entries) == count and not self._destroyed:
            check_removable(thing)
        self._sync()

    def clear(self) -> None:
        """Show nothing."""
        self._entries, self._added = [], []
        self._sync()

    def destroy(self) -> None:
        """Remove all drawings; later calls do nothing, but adding raises."""
        self.detach_mouse()
        self.clear()
        self._destroyed = True
        self._root.remove_node()

    @property
    def handles(self) -> tuple[Handle, ...]:
        """The handles that can be dragged now."""
        return tuple(self._handles)

    @property
    def visible(self) -> bool:
        """Whether anything is drawn; hidden handles can't be hovered or pressed."""
        return self._visible

    @visible.setter
    def visible(self, value: bool) -> None:
        self._visible = flag(value, "visible")
        if not self._visible:
            self._hovered = self._drag = None
        if not self._destroyed:
            self._show()

    def update(self) -> None:
        """Follow the scene, once per frame after the IK task (sort 40).

        Earlier would show the last frame's pose, and reading the joints of an Actor
        before its IK makes that IK a frame late.
        """
        if not self._visible or self._destroyed:
            return
        self._sync()
        view = self._eye.view()
        if (view is None) is not self._blind:
            self._blind = view is None
            self._show()
        if view is None:
            return

        canvas = self._canvas
        canvas.clear()
        render = self._render
        positions = {h: world_position(render, h.node) for h in self._handles}
        rigs = {entry: entry.joints(render) for entry in self._entries}
        for entry, joints in rigs.items():
            draw_rig(
                canvas, entry.figure, joints, [positions[h] for h in entry.handles]
            )
            entry.fit_handles(joints, self._added)
        self._regions.follow(render, rigs if self.limits else {})

        held = self.dragging
        if self._drag is not None and self._axis is not None:
            draw_axis(canvas, view, self._axis, self._drag.start)
        marked = next((h for h in self._handles if h.node == self._marked), None)
        lit = self._hovered or marked
        draw_handles(canvas, view, positions, lit, held)
        canvas.flush(view)

        shown = held or lit
        text = shown.label if shown else ""
        if held and self._axis:
            text = f"{text}  [{self._axis}]" if text else self._axis
        self._label.show(view, positions[shown] if shown else None, text)

    # -- what the mouse does

    @property
    def axis(self) -> Axis | None:
        """World axis that drags keep to; None for the plane facing the camera."""
        return self._axis

    @axis.setter
    def axis(self, value: Axis | None) -> None:
        self._axis = check_axis(value)

    @property
    def hovered(self) -> Handle | None:
        """The handle under the mouse."""
        return self._hovered

    @property
    def marked(self) -> p3d.NodePath | None:
        """A node whose handle looks hovered while no other one is, for keyboards."""
        return self._marked

    @marked.setter
    def marked(self, node: p3d.NodePath | None) -> None:
        self._marked = (
            None if node is None else check_node("marked", node, self._render)
        )

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
        """Grab the handle under a window position; None if there is none."""
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
        if self._drag is None or view is None or not is_spot(x, y):
            return
        point = self._drag.position(view, x, y, self._axis)
        if point is not None:
            move_to(self._render, self._drag.handle.node, point)

    def release(self) -> None:
        """Release the handle; no error when none is held."""
        self._drag = None

    def attach_mouse(self, base: ShowBase) -> None:
        """Drive the layer by the window's mouse, keys x, y and z and two tasks.

        Without a window there is no mouse: then only ``update`` is called each frame.

        Args:
            base: The application.

        Raises:
            SettingError: It is no ShowBase, or the layer was destroyed.
        """
        self._check_alive()
        check_app(base)
        self.detach_mouse()
        self._mouse = MouseInput(self, base)

    def detach_mouse(self) -> None:
        """Undo ``attach_mouse``."""
        if self._mouse is not None:
            self._mouse.destroy()
            self._mouse = None
            self.release()

    # -- inside

    def _add(self, entry: Entry) -> None:
        if all(shown.rig is not entry.rig for shown in self._entries):
            self._entries.append(entry)
        self._sync()

    def _check_alive(self) -> None:
        if self._destroyed:
            raise SettingError(
                "these gizmos were destroyed: make new ones with Gizmos(render, camera)"
            )

    def _show(self) -> None:
        if not self._visible or self._blind:
            self._root.hide()
        else:
            self._root.show()

    def _pick(self, x: float, y: float) -> Handle | None:
        view = self._eye.view()
        if view is None or not self._visible or not is_spot(x, y):
            return None
        return pick(self._render, view, self._handles, x, y)

    def _sync(self) -> None:
        """Drop what left the scene and follow the rigs' targets and poles."""
        render = self._render
        self._added = [h for h in self._added if in_scene(render, h.node)]
        known = {handle.node: handle for handle in (*self._handles, *self._added)}
        handles = dict.fromkeys(self._added)
        for entry in self._entries:
            entry.follow(render, known, self._added)
            handles.update(dict.fromkeys(entry.handles))
        self._handles = list(handles)
        if self._hovered not in handles:
            self._hovered = None
        if self._drag is not None and self._drag.handle not in handles:
            self._drag = None
