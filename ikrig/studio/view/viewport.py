"""The viewport: camera, gizmos, and the input of mouse and keys in the picture."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable
from math import degrees, radians
from typing import TYPE_CHECKING

import panda3d.core as p3d
from imgui_bundle import imgui

from ...model.grip import Grip
from ...scene.gizmos import Gizmos
from ...scene.gizmos.grip_marks import GripMarks
from ...scene.gizmos.viewpoint import View, Viewpoint
from ...value_shapes import Value
from ..document.changing import move_node, own_target, set_value
from ..document.edited_rig import EditedRig
from ..panels.layout import Rect
from ..panels.windows import clipped
from ..session import StudioSession
from .overlay import Overlay, label, with_end

if TYPE_CHECKING:
    from ...scene.viewer.viewer_app import ViewerApp
    from ..panels.outliner import Outliner

PIXELS_A_TURN = 500.0  # drag that is one screen unit of the camera
ROOM = 300.0  # height below which targets do not grow with the text [pixel]
ARROW = 0.07  # length of the arrows of grips, in sizes of the skeleton
ERROR_SECONDS = 8.0  # for which an error replaces the hint
NUDGE = 0.01  # step of a target by an arrow key, in sizes of the skeleton


class Viewport:
    def __init__(self, app: ViewerApp, session: StudioSession, ui_scale: float) -> None:
        self.app, self.ui_scale = app, ui_scale
        self.session = session
        self.overlay = Overlay(app.render)
        self.eye = Viewpoint(app.render, app.camera, app.camNode)
        self.gizmos = Gizmos(
            app.render, app.camera, lens_source=app.camNode, auto_update=False
        )
        self.rect = Rect(0, 0, 1, 1)
        self._drag = ""
        self._button = 0
        self._moved = 0.0
        self._joint = ""
        self._start = p3d.TransformState.make_identity()
        self.marks = GripMarks()
        self._shown: list[object] | None = None
        self._marked: tuple[object, ...] = ()

    def show_rig(self) -> None:
        rig = self.session.live.rig if self.session.is_open else None
        parts = [] if rig is None else [rig, *rig.layers]
        self._show_grips()
        # as large as text, but not as the whole model in a small viewport
        most = max(1.0, self.rect.height / ROOM)
        self.gizmos.scale = min(max(self.ui_scale, 0.1), most, 10.0)
        if self._shown == parts:
            return
        self._shown = parts
        self.gizmos.clear()
        if rig is not None:
            self.gizmos.add(self.marks, rig)

    def _show_grips(self) -> None:
        session, live = self.session, self.session.live
        shown = live, live and live.rig, live and live.built, session.selection
        # a knob that is dragged stays
        if self._marked == shown or self._drag == "handle":
            return
        self._marked = shown
        self.marks.clear()
        if live is None or live.built is None:
            return
        skeleton, selection = session.document.skeleton, session.selection
        grips: dict[Hashable, tuple[Grip, p3d.NodePath]] = {}
        movable = [selection.owner or selection[:2]]
        for key, grip in EditedRig(live.built, skeleton).grips():
            thing = live.thing_of(key.owner)
            if thing is not None:
                grips[key] = grip, thing
                movable.append(key.owner)
        things = [live.part(*owner) for owner in movable if owner[0] == "nodes"]
        things = [thing for thing in dict.fromkeys(things) if thing is not None]
        length = ARROW * skeleton.size
        self.marks.show(grips, selection, length, live.parent, things)

    def fit(self, rect: Rect, size: tuple[float, float]) -> None:
        self.rect = rect
        width, height = max(size[0], 1.0), max(size[1], 1.0)
        region = self.app.camNode.get_display_region(0)
        region.set_dimensions(
            rect.x / width,
            (rect.x + rect.width) / width,
            1.0 - (rect.y + rect.height) / height,
            1.0 - rect.y / height,
        )
        lens = self.app.camLens
        lens.set_aspect_ratio(max(rect.width, 1.0) / max(rect.height, 1.0))
        lens.set_min_fov(self.app.orbit.fov)

    def update(self, scale: float, marks: Outliner) -> None:
        """Follow the mouse and draw the overlay; inside an ImGui frame."""
        session, io = self.session, imgui.get_io()
        self.show_rig()
        mouse = (io.mouse_pos.x, io.mouse_pos.y)
        free = not io.want_capture_mouse or self._drag != ""
        inside = (
            self.rect.x <= mouse[0] <= self.rect.x + self.rect.width
            and self.rect.y <= mouse[1] <= self.rect.y + self.rect.height
        )
        view = self.eye.view()
        if view is None:
            return
        at = mouse if free and inside else None
        # while an end of an arc is dragged, only the limb moves with its limit
        held = self.gizmos.regions.held = self._drag == "arc"
        at_arc = None if held else at
        self.overlay.draw(session, view, self.rect, scale, marks, at_arc, self.gizmos)
        if at is not None or self._drag:
            self._follow(io, view, mouse)
        elif self._drag == "":
            self.gizmos.leave()
        self.app.orbit.apply(self.app.camera)
        self._hint()

    def _follow(self, io: imgui.IO, view: View, mouse: tuple[float, float]) -> None:
        x, y = self.rect.to_screen(*mouse)
        if self._drag == "":
            self.gizmos.hover(x, y)
            self._press(x, y)
        dx, dy = io.mouse_delta.x, io.mouse_delta.y
        self._moved += abs(dx) + abs(dy)
        orbit = self.app.orbit
        if self._drag in ("orbit", "turn") and self._moved > 3.0:
            orbit.orbit(dx / PIXELS_A_TURN * 2.0, -dy / PIXELS_A_TURN * 2.0)
        elif self._drag == "pan":
            wide, high = self.rect.width, self.rect.height
            orbit.pan(2.0 * dx / wide, -2.0 * dy / high, wide / high)
        elif self._drag == "handle":
            keys = {"floor": io.key_shift, "depth": io.key_alt, "snap": io.key_ctrl}
            self.gizmos.move(x, y, **keys)
        elif self._drag == "arc":
            self._drag_arc(view, mouse)
        self._wheel(io)
        if self._drag and not imgui.is_mouse_down(self._button):
            self._release()

    def _press(self, x: float, y: float) -> None:
        pressed = [button for button in (0, 1, 2) if imgui.is_mouse_clicked(button)]
        if not pressed:
            return
        self._button, self._moved = pressed[0], 0.0
        self._joint = ""
        if self._button:
            self._drag = "turn" if self._button == 1 else "pan"
        elif self.overlay.end:
            self._drag = "arc"
            mouse = imgui.get_io().mouse_pos
            self.overlay.grip((mouse.x, mouse.y))
        elif (handle := self.gizmos.press(x, y)) is not None:
            self._drag = "handle"
            self._start = handle.node.get_transform()
            name = self._names(handle.node)
            if name in self.session.document.parts.parts("nodes"):
                self.session.select("nodes", name)
            elif (found := self.marks.dragged(handle.node)) is not None:
                self.session.document.select(found[0])
        else:
            self._drag, self._joint = "orbit", self.overlay.hovered

    @property
    def dragging(self) -> bool:
        return self._drag in ("handle", "arc")

    def cancel(self) -> None:
        if self._drag == "handle" and self.gizmos.dragging is not None:
            self.gizmos.dragging.node.set_transform(self._start)
            self.gizmos.release()
            self.session.live.make_dormant()
        elif self._drag == "arc" and self._moved >= 1.0:
            self.session.document.end_drag()
            self.session.undo()
        self._drag = ""

    def _wheel(self, io: imgui.IO) -> None:
        # each notch of a frame counts; so does a touchpad's fraction of one
        step = round(io.mouse_wheel) or (io.mouse_wheel > 0) - (io.mouse_wheel < 0)
        if not step:
            return
        choosing = self.session.selection.kind == "joint" and not io.key_ctrl
        choosing = choosing and self.session.mode == "Chain"
        if choosing:
            self.session.change_length(step)
        else:
            self.app.orbit.zoom(step)

    def _release(self) -> None:
        session = self.session
        if self._drag == "handle" and self.gizmos.dragging is not None:
            node = self.gizmos.dragging.node
            self.gizmos.release()
            if node.get_transform() != self._start:
                self.store_pose(node)
            session.document.end_drag()
        elif self._drag == "orbit" and self._moved <= 3.0:
            if self._joint:
                session.click_joint(self._joint)
            elif not self._move_target_to_click():
                session.select("")
        elif self._drag == "arc":
            session.document.end_drag()
        self._drag = ""

    def _drag_arc(self, view: View, mouse: tuple[float, float]) -> None:
        arc, session = self.overlay.arc, self.session
        angle = self.overlay.angle_at(view, self.rect, mouse)
        if arc is None or angle is None or self._moved < 1.0:
            return
        angle = radians(round(degrees(angle)))
        limit = session.document.rig.limits(arc.owner)[arc.joint]
        moved = with_end(limit, arc, self.overlay.end, angle)
        if moved is not None:
            path = (*arc.owner, "limits", arc.joint, moved[0])
            session.do(set_value, path, moved[1], merge=f"arc {arc.joint}")

    def _move_target_to_click(self) -> bool:
        session, tests = self.session, self.session.tests
        if session.selection.kind != "behaviours" or tests is None or session.viewing:
            return False
        mouse, view = imgui.get_io().mouse_pos, self.eye.view()
        if view is None:
            return False
        origin, way = view.sight(*self.rect.to_screen(mouse.x, mouse.y))
        found = tests.pick(origin, way, session.live.model)
        if found is None:
            return False
        position = session.live.parent.get_relative_point(self.app.render, found)
        session.place_target(_rounded(position))
        return True

    def _names(self, node: p3d.NodePath) -> str:
        rig = self.session.live.rig
        nodes = {} if rig is None else rig.nodes
        return next((n for n, own in nodes.items() if own == node), "")

    def store_pose(self, node: p3d.NodePath, merge: str = "") -> None:
        """Write where a handle is now, moved from ``_start`` by mouse or keys."""
        live, session = self.session.live, self.session
        if session.viewing:
            return
        turned = not node.get_quat().almost_equal(self._start.get_quat(), 1e-5)
        if session.keying.key_node(node, turned=turned, merge=merge):
            return
        name, position = self._names(node), _rounded(node.get_pos())
        if (grip := self.marks.dragged(node)) is not None:
            selection, moved = grip
            for key, value in moved.items():
                self._store((*selection.path, key), value, merge or "drag grip")
        elif name in session.document.parts.parts("nodes"):
            quat = _rounded(node.get_quat()) if turned else ()
            session.do(move_node, name, position, quat, merge=merge)
        elif live.rig is not None:
            for key, chain in live.rig.chains.items():
                if chain.target == node:
                    path = ("chains", key, "target")
                    session.do(own_target, path, node.get_name(), position)
                    return
            for key, part in live.rig.behaviours.items():
                for keys, value in part._dragged(node).items():
                    self._store(("behaviours", key, *keys), value, merge)

    def _store(self, path: tuple[str, ...], value: Value, merge: str) -> None:
        new = _rounded(value) if isinstance(value, tuple) else _rounded((value,))[0]
        self.session.do(set_value, path, new, merge=merge or f"drag {path}")

    def nudge(self, x: float, y: float, z: float) -> None:
        """Move the selected target or grip by steps to the right, ahead and up."""
        kind, name, _ = self.session.selection
        document, live = self.session.document, self.session.live
        node = self.marks.knob(self.session.selection)
        if kind in ("chains", "behaviours"):
            entry = document.parts.parts(kind)[name]
            kind, name = "nodes", str(entry.values.get("target", ""))
        if kind == "nodes":
            node = live.part("nodes", name)
        if node is None or live.rig is None:
            return
        right, forward, _ = self.app.orbit.axes()
        flat = p3d.LVector3(forward.x, forward.y, 0.0)
        flat.normalize()
        direction = right * x + flat * y + p3d.LVector3(0, 0, z)
        size = NUDGE * document.skeleton.size * live.parent.get_scale(self.app.render).x
        self._start = node.get_transform()
        node.set_pos(self.app.render, node.get_pos(self.app.render) + direction * size)
        self.store_pose(node, f"nudge {node.get_name()}")

    def _hint(self) -> None:
        if self.session.viewing:
            return
        last = self.session.log[-1] if self.session.log else None
        failed = last is not None and last.kind == "error"
        if last is not None and failed and time.time() - last.when < ERROR_SECONDS:
            text, tone = last.text.splitlines()[0], "bad"
        else:
            text, tone = self._help(), "text"
        room = self.rect.width - 24
        while imgui.calc_text_size(text).x > room and "   " in text:
            text = text.rpartition("   ")[0]
        text = clipped(text, room)
        low = self.rect.y + self.rect.height - 1.8 * imgui.get_font_size()
        label(imgui.get_background_draw_list(), self.rect.x + 12, low, text, tone)

    def _help(self) -> str:
        """Return what mouse and keys do now."""
        kind, name, _ = self.session.selection
        entry = self.session.document.parts.parts(kind).get(name)
        bones, mode = len(self.session.pending_chain()) - 1, self.session.mode
        if mode == "Play":
            return "Drag targets   Drag: turn   Wheel: zoom   2: back to chains"
        if kind == "behaviours" and entry and "target" in entry.values:
            return "Click anything: the target goes there   Esc: leave"
        if mode == "Limit" and kind != "limits":
            return "Click a joint that bends: it gets a limit   Esc: leave"
        if kind == "joint" and bones > 0 and mode == "Chain":
            count = "1 bone" if bones == 1 else f"{bones} bones"
            return f"{count}   Wheel: longer, shorter   Enter: make chain   Esc: leave"
        if kind == "limits" and self.overlay.arc is not None:
            return "Drag the ends of the arcs   W: sweep   L: learn   Esc: leave"
        if kind in ("nodes", "grips"):
            return "Drag, or arrows and PgUp, PgDn   Esc: leave"
        return "Click a joint   Drag: turn   Wheel: zoom   Ctrl+P: commands"


def _rounded(values: Iterable[float]) -> list[float]:
    return [float(f"{x:.6g}") + 0.0 for x in values]
