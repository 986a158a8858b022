"""The gizmo layer of a scene: displayed, hovered and dragged handles."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import panda3d.core as p3d
from direct.showbase.DirectObject import DirectObject
from direct.task import Task
from direct.task.TaskManagerGlobal import taskMgr

from ikrig.copies import Uncopied
from ikrig.errors import SettingError

from ..checked_setting import HUGE, Checked, flag, number
from .canvas import Canvas
from .drag import (
    AXES,
    END,
    Arrow,
    Axes,
    Keys,
    Mouse,
    MoveDrag,
    Ring,
    TurnDrag,
    pick_part,
    world_axes,
)
from .drag import RADIUS as RING_RADIUS
from .drawing import (
    draw_handles,
    draw_move,
    draw_outlines,
    draw_rig,
    draw_turns,
    label_text,
)
from .handle import (
    DEFAULT_RADIUS,
    Axis,
    Frame,
    Handle,
    Shape,
    check_app,
    check_axis,
    check_color,
    check_frame,
    check_lens,
    check_node,
    check_render,
    is_position,
    pick,
)
from .limit_shapes import Regions
from .rig_view import Drawn, Entry, drawn_parts, parts_of
from .viewpoint import Viewpoint, in_scene, to_window, world_position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from direct.showbase.ShowBase import ShowBase

    from ..actor.actor_rig import ActorRig
    from ..rig_builder import Rig


DRAG_SORT = 10  # after input and events (0), before IK (40): no frame of lag
MODIFIERS = ("", "shift-", "alt-", "control-", "shift-alt-", "shift-control-")


class MouseInput(DirectObject):
    """Listens to the events of an app, which may have no window, until ``destroy``."""

    def __init__(self, gizmos: Gizmos, base: ShowBase) -> None:
        super().__init__()
        self._gizmos, self._base = gizmos, base
        self._task = base.task_mgr.add(self._drag, "ikrig-gizmos-drag", sort=DRAG_SORT)
        # a press with a modifier key is a separate event; its release is not
        for modifier in MODIFIERS:
            self.accept(f"{modifier}mouse1", self._press)
        self.accept("mouse1-up", gizmos.release)
        for axis in AXES:
            self.accept(axis, self._toggle, [axis])

    def destroy(self) -> None:
        self.ignore_all()
        self._base.task_mgr.remove(self._task)

    def _spot(self) -> tuple[float, float] | None:
        """Return the mouse's position in the camera's part of the window, -1 to 1.

        None while it is outside of the window; outside of that part unless it drags.
        """
        watcher: p3d.MouseWatcher | None = self._base.mouseWatcherNode
        if watcher is None or not watcher.has_mouse():
            return None
        x, y = watcher.get_mouse_x(), watcher.get_mouse_y()
        if watcher.has_display_region():
            x, y = to_window(watcher.get_display_region(), x, y)
        x, y = self._gizmos._eye.place(self._base.win, x, y)
        inside = max(abs(x), abs(y)) <= 1.0
        return (x, y) if inside or self._gizmos.dragging else None

    def _press(self) -> None:
        spot = self._spot()
        if spot is not None:
            self._gizmos.press(*spot)

    def _toggle(self, axis: Axis) -> None:
        self._gizmos.axis = None if self._gizmos.axis == axis else axis

    def _drag(self, task: Task.Task) -> int:
        watcher, spot, gizmos = self._base.mouseWatcherNode, self._spot(), self._gizmos
        # a release over another window sends no event to this one
        if spot is not None and not watcher.is_button_down(p3d.MouseButton.one()):
            gizmos.release()
        # GUI elements are over the scene: handles that they cover are not hovered
        if gizmos.dragging is None and (spot is None or watcher.is_over_region()):
            gizmos.leave()
        elif spot is not None:
            down, key = watcher.is_button_down, p3d.KeyboardButton
            gizmos.move(
                *spot,
                floor=down(key.shift()),
                depth=down(key.alt()),
                snap=down(key.control()),
            )
        return task.cont


DRAW_SORT = 45  # after IK (40), before the frame is drawn (50)


class Gizmos(Uncopied):
    """Handles for targets and poles, and drawings of rigs.

    Window positions ``x, y`` run from -1 (left, bottom) to 1 (right, top) of the part
    of the window that shows the camera. World space is the space of ``render``.

    Example:
        >>> gizmos = Gizmos(base.render, base.cam)
        >>> gizmos.add(rig)
        >>> gizmos.attach_mouse(base)

    Attributes:
        limits: Whether the limits of rigs are drawn: fans of hinges and cones, red
            where ``blocked_by`` names them.
        floor: Height of the floor; drags show a vertical line to it [scene unit].
        scale: Factor on the size of handles, lines and texts, for dense displays.
        axis: Axis of drags; None for the plane that faces the camera.
        frame: Axes of drags, rings and arrows: "world", or "tool", the handle's own.
        regions: The drawings of limits, of which an editor can mark one.
    """

    limits = Checked(flag)
    floor = Checked(partial(number, low=-HUGE))
    scale = Checked(partial(number, low=0.1, high=10.0))
    axis: Checked[Axis | None] = Checked(check_axis)
    frame: Checked[Frame] = Checked(check_frame)

    def __init__(
        self,
        render: p3d.NodePath,
        camera: p3d.NodePath,
        lens_source: p3d.LensNode | None = None,
        *,
        auto_update: bool = True,
    ) -> None:
        """Add an empty layer to a scene.

        Args:
            render: Top of the scene.
            camera: Node of the scene with the lens, usually ``base.cam``.
            lens_source: Node that has the lens; None: the camera's own node. Its first
                display region gives the window's size in pixels.
            auto_update: Whether a task draws it in each frame, after the rigs are
                solved; else call ``update``.

        Raises:
            SettingError: There is no scene, or the camera is not in it or has no lens.
        """
        self._render = check_render(render)
        camera = check_node(camera, "camera", self._render)
        self._eye = Viewpoint(self._render, camera, check_lens(lens_source, camera))

        self._things: list[object] = []  # as added; their parts are the entries
        self._entries: list[Entry] = []
        self._handles: list[Handle] = []
        self._added: list[Handle] = []  # those with looks of the caller's own
        self._marked: p3d.NodePath | None = None
        self._hovered: Handle | None = None
        self._part: Ring | Arrow | None = None  # the one under the mouse
        self._drag: MoveDrag | TurnDrag | None = None
        # has rings and arrows: the last pressed one that can be rotated
        self._ringed: Handle | None = None
        self._visible = True
        self._blind = False
        self._destroyed = False
        self._task: p3d.PythonTask | None = None
        self._mouse: MouseInput | None = None

        self.limits, self.floor, self.scale = True, 0.0, 1.0
        self.axis, self.frame = None, "world"
        self.regions = Regions()
        self._canvas = Canvas(self._render, self.regions.node)
        self._root = self._canvas.root
        if flag(auto_update, "auto_update"):
            self._task = taskMgr.add(self._draw, "ikrig-gizmos-draw", sort=DRAW_SORT)

    # -- contents

    def add_handle(
        self,
        nodepath: p3d.NodePath,
        *,
        color: Sequence[float] = (0.35, 0.7, 1.0, 1.0),
        radius: float = DEFAULT_RADIUS,
        label: str = "",
        shape: Shape = "sphere",
        rotates: bool = False,
    ) -> Handle:
        """Make a node draggable.

        Args:
            nodepath: Target, pole or any other node of the scene.
            color: RGB or RGBA, 0 to 1.
            radius: Minimum radius [scene unit]. The handle has a constant size on the
                screen, but is not smaller than this when the eye comes near, up to
                three times its usual size on the screen.
            label: Text beside the handle under the mouse; if empty, the node's name.
            shape: ``"sphere"``, ``"hollow"``, ``"crossed"`` or ``"diamond"``.
            rotates: Whether it gets rings to rotate it and arrows to move it.

        Returns:
            The handle. A node that has one keeps it, with the new looks.

        Raises:
            SettingError: The node is not in the scene, a value is out of range or of
                the wrong type, or the layer was destroyed.
        """
        self._check_alive()
        node = check_node(nodepath, "nodepath", self._render)
        rgba = check_color(color, "color")
        new = Handle(
            node, color=rgba, radius=radius, label=label, shape=shape, rotates=rotates
        )
        new.label = new.label or node.get_name()
        handle = next((h for h in self._handles if h.node == node), new)
        for name in ("color", "radius", "label", "shape", "rotates"):
            setattr(handle, name, getattr(new, name))
        if handle not in self._added:
            self._added.append(handle)
        self._follow()
        return handle

    def add(self, *things: Drawn | ActorRig | Rig) -> None:
        """Show chains, trees, behaviours or whole rigs; targets and poles are handles.

        The content of a rig is read in each frame: parts that are added, removed or
        reloaded are updated, as are targets and poles that are replaced. The colour of
        bones shows the status; the colour, shape and label of a target's handle show
        how well it was reached.

        Args:
            things: ``IKChain``, ``IKTree``, ``FootPlacement``, ``LookAt``, ``Aim``,
                ``Reach`` and custom behaviours, or an ``ActorRig`` or a loaded ``Rig``
                with all its parts.

        Raises:
            SettingError: One is none of these, or the layer was destroyed.
        """
        self._check_alive()
        for thing in things:
            parts_of(thing)  # raises a SettingError for others
            if all(known is not thing for known in self._things):
                self._things.append(thing)
        self._follow()

    def remove(self, thing: Drawn | ActorRig | Rig | p3d.NodePath) -> None:
        """Remove a rig or a handle that was added; no error if it is absent.

        A node that is also the target or pole of a rig stays draggable.

        Raises:
            SettingError: It is not an object that can be added.
        """
        if self._destroyed:
            return
        if isinstance(thing, p3d.NodePath):
            self._added = [handle for handle in self._added if handle.node != thing]
        else:
            parts_of(thing)
            self._things = [known for known in self._things if known is not thing]
        self._follow()

    def clear(self) -> None:
        """Remove all rigs and handles."""
        self._things, self._added = [], []
        self._follow()

    def destroy(self) -> None:
        """Remove all drawings; later calls do nothing, but adding raises."""
        self.detach_mouse()
        if self._task is not None:
            taskMgr.remove(self._task)
            self._task = None
        self.clear()
        self._destroyed = True
        self._root.remove_node()

    @property
    def handles(self) -> tuple[Handle, ...]:
        """The handles that can be dragged now."""
        return tuple(self._handles)

    @property
    def visible(self) -> bool:
        """Whether the layer is drawn; hidden handles can't be hovered or pressed."""
        return self._visible

    @visible.setter
    def visible(self, value: bool) -> None:
        self._visible = flag(value, "visible")
        if not self._visible:
            self._drag = self._hovered = self._part = self._ringed = None
        if not self._destroyed:
            self._show()

    def update(self) -> None:
        """Update to the scene now; with ``auto_update`` a task does so in each frame.

        Call it once per frame after the IK task (sort 40). Earlier calls would show the
        last frame's pose, and reading an Actor's joints before its IK would delay that
        IK by a frame.
        """
        if not self._visible or self._destroyed:
            return
        self._follow()
        self._eye.scale = self.scale
        view = self._eye.view()
        if (view is None) is not self._blind:
            self._blind = view is None
            self._show()
        if view is None:
            return

        canvas, render, drag = self._canvas, self._render, self._drag
        canvas.clear()
        positions = {h: world_position(render, h.node) for h in self._handles}
        rigs = {entry: entry.joints(render) for entry in self._entries}
        for entry, joints in rigs.items():
            ends = [positions[h] for h in entry.handles]
            draw_rig(canvas.skeleton, entry.figure, joints, ends)
            draw_outlines(canvas.skeleton, entry.outlines(render), entry.figure.color)
            entry.fit_handles(joints, self._added)
        self.regions.follow(render, rigs if self.limits else {})

        center = positions[self._ringed] if self._ringed else None
        if isinstance(drag, MoveDrag):
            now = positions[drag.handle]
            draw_move(canvas.knobs, view, drag, self.axis, now, self.floor)
        elif self._ringed and center is not None:
            axes = self._axes_of(self._ringed)
            draw_turns(canvas.knobs, view, center, axes, drag or self._part)
        marked = next((h for h in self._handles if h.node == self._marked), None)
        lit = self._hovered or marked
        draw_handles(canvas.knobs, view, positions, lit, self.dragging)
        canvas.draw(view)

        shown = self.dragging or lit
        place = positions[shown] if shown else None
        spot = view.project(place) if place else None
        if shown is None or place is None or spot is None:
            canvas.label(view, None, "", 0.0)
            return
        away = shown.screen_radius(view, spot.w) / view.unit
        if shown is self._ringed:
            away = max(away, END * RING_RADIUS)
        canvas.label(view, place, label_text(shown, drag, self.axis, self.frame), away)

    # -- mouse

    @property
    def hovered(self) -> Handle | None:
        """The handle under the mouse."""
        return self._hovered

    @property
    def marked(self) -> p3d.NodePath | None:
        """A node whose handle looks hovered while no other is, for keyboard use."""
        return self._marked

    @marked.setter
    def marked(self, node: p3d.NodePath | None) -> None:
        self._marked = (
            None if node is None else check_node(node, "marked", self._render)
        )

    @property
    def dragging(self) -> Handle | None:
        """The handle that is dragged."""
        return self._drag.handle if self._drag else None

    @property
    def turning(self) -> Axis | None:
        """Axis of the ring that is dragged; None: the handle, an arrow, or nothing."""
        return self._drag.axis if isinstance(self._drag, TurnDrag) else None

    def hover(self, x: float, y: float) -> Handle | None:
        """Find and highlight the handle under a window position.

        Where handles overlap, the one nearest to the eye is chosen; a near miss counts
        if nothing was hit. During a drag it is the dragged handle.
        """
        self._follow()
        if not self._visible or self._drag is not None:
            return self._hovered
        view, ringed = self._eye.view(), self._ringed
        self._hovered = self._part = None
        if view is not None and is_position(x, y):
            point = ringed and world_position(self._render, ringed.node)
            if ringed is not None and point:
                self._part = pick_part(view, point, self._axes_of(ringed), x, y)
            found = pick(self._render, view, self._handles, x, y)
            # the handle inside its rings has priority, other handles behind them don't
            if self._part is not None and found is not ringed:
                found = ringed
            elif found is not None:
                self._part = None
            self._hovered = found
        return self._hovered

    def leave(self) -> None:
        """Stop hovering: the mouse left the window or is over a button."""
        self._hovered, self._part = self.dragging, None

    def press(self, x: float, y: float) -> Handle | None:
        """Drag the handle, ring or arrow at a window position; None: there is none.

        A handle that can be rotated shows rings and arrows from its first press until
        something else, or nothing, is pressed.
        """
        self._drag = None
        handle, view = self.hover(x, y), self._eye.view()
        if not self._visible:
            return None
        point = None if handle is None else world_position(self._render, handle.node)
        if handle is None or view is None or point is None:
            self._ringed = None
            return None
        self._ringed = handle if handle.rotates else None
        if isinstance(self._part, Ring):
            self._drag = TurnDrag(handle, self._part, view, x, y)
        else:
            axis = self._part and self._part.axis
            self._drag = MoveDrag(
                handle, point, view, x, y, self._axes_of(handle), axis
            )
        return handle

    def move(
        self,
        x: float,
        y: float,
        *,
        floor: bool = False,
        depth: bool = False,
        snap: bool = False,
    ) -> None:
        """Drag the handle in the plane that faces the camera, or along ``axis``.

        Without a drag this is ``hover``.

        Args:
            x: Window position, -1 to 1.
            y: Window position, -1 to 1.
            floor: Move in the horizontal plane; with a mouse, the Shift key.
            depth: Up pushes away from the camera, down pulls nearer; the Alt key.
            snap: A ring rotates by steps of 15 degrees; the Ctrl key.
        """
        if self._drag is None:
            self.hover(x, y)
            return
        self._follow()
        view = self._eye.view()
        if self._drag is not None and view is not None and is_position(x, y):
            mouse = Mouse(view, x, y, self.axis, Keys(floor, depth, snap))
            self._drag.apply(self._render, mouse)

    def release(self) -> None:
        """End the drag; no error without one."""
        self._drag = None

    def attach_mouse(self, base: ShowBase) -> None:
        """Drag handles by the window's mouse and the keys x, y and z.

        During a drag, Shift keeps the height, Alt pushes and pulls, and Ctrl snaps
        rings to 15 degrees. Without a window nothing can be dragged.

        Args:
            base: The application.

        Raises:
            SettingError: It is not a ShowBase, or the layer was destroyed.
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

    # -- internal

    def _follow(self) -> None:
        """Read what is on display; end drags and hovers of handles that are gone."""
        render = self._render
        before = {id(entry.rig): entry for entry in self._entries}
        parts = drawn_parts(self._things)
        self._entries = [before.get(id(part)) or Entry(part) for part in parts]
        self._added = [h for h in self._added if in_scene(render, h.node)]
        known = {handle.node: handle for handle in (*self._handles, *self._added)}
        handles = dict.fromkeys(self._added)
        for entry in self._entries:
            entry.follow(render, known, self._added)
            handles.update(dict.fromkeys(entry.handles))
        self._handles = list(handles)
        if self._hovered not in handles:
            self._hovered = None
        if self.dragging not in handles:
            self._drag = None
        ringed = self._ringed
        if ringed is not None and (ringed not in handles or not ringed.rotates):
            self._ringed = None

    def _axes_of(self, handle: Handle) -> Axes:
        axes = world_axes(self._render, handle.node) if self.frame == "tool" else None
        return axes or AXES

    def _draw(self, task: Task.Task) -> int:
        self.update()
        return task.cont

    def _check_alive(self) -> None:
        if self._destroyed:
            fix = "create new ones with Gizmos(render, camera)"
            raise SettingError(f"these Gizmos were destroyed: {fix}")

    def _show(self) -> None:
        shown = self._visible and not self._blind
        self._root.show() if shown else self._root.hide()
