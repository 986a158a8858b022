"""Joints, bones and the arcs of limits, drawn over the picture with ImGui."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import atan2, cos, hypot, inf, pi, sin
from typing import Any, NamedTuple

import numpy as np
import panda3d.core as p3d
from imgui_bundle import imgui

from ...errors import BindError
from ...scene.gizmos.viewpoint import View
from ...value_shapes import LETTERS
from ..panels.layout import Rect
from ..panels.style import packed
from ..session import StudioSession

__all__ = ["Arc", "Overlay"]

NEAR = 11.0
"""How near a click must be to a joint [pixel at scale 1]."""
STEPS = 40

Point = tuple[float, float]


class Arc(NamedTuple):
    """The range of the selected hinge, as it stands in the picture's world."""

    owner: str
    joint: str
    centre: Any
    zero: Any
    """Where angle 0 is: a unit vector."""
    side: Any
    """Where a quarter turn is."""
    radius: float
    lower: float
    upper: float

    def at(self, angle: float) -> tuple[float, float, float]:
        """Return the point of the arc at an angle."""
        way = cos(angle) * self.zero + sin(angle) * self.side
        x, y, z = self.centre + self.radius * way
        return float(x), float(y), float(z)


class Overlay:
    """What is drawn over the viewport, and what of it is under the mouse.

    Attributes:
        hovered: The joint under the mouse, or "".
        end: The end of the arc under the mouse: "lower", "upper" or "".
    """

    def __init__(self, render: p3d.NodePath) -> None:
        self.render = render
        self.hovered = ""
        self.end = ""
        self.arc: Arc | None = None
        self._points: dict[str, Point] = {}

    def draw(
        self,
        session: StudioSession,
        view: View,
        rect: Rect,
        scale: float,
        marks: Any,
        mouse: Point | None,
    ) -> None:
        """Draw all, and find out what is under the mouse.

        Args:
            session: What is shown.
            view: The camera.
            rect: The viewport in the window.
            scale: Size of marks.
            marks: The outliner, which knows what each joint has.
            mouse: Where the mouse is [pixel]; None: not over the viewport.
        """
        live = session.live
        skeleton = session.document.skeleton
        matrices = live.joint_matrices()
        to_world = live.parent.get_mat(self.render)
        points: dict[str, Point] = {}
        for name, matrix in matrices.items():
            place = to_world.xform_point(p3d.LPoint3f(matrix.get_row3(3)))
            point = self._pixel(view, rect, place)
            if point is not None:
                points[name] = point
        self._points = points
        if session.viewing:
            return
        lines = imgui.get_background_draw_list()
        low = imgui.ImVec2(rect.x, rect.y)
        high = imgui.ImVec2(rect.x + rect.width, rect.y + rect.height)
        lines.push_clip_rect(low, high, True)
        lit = session.selected_joints()
        for joint in skeleton.joints:
            if joint.parent in points and joint.name in points:
                strong = joint.name in lit and joint.parent in lit
                tone = packed("lit") if strong else packed("joint", 0.30)
                a, b = points[joint.parent], points[joint.name]
                width = 3.0 * scale if strong else 1.0 * scale
                lines.add_line(imgui.ImVec2(*a), imgui.ImVec2(*b), tone, width)
        self.arc = self._find_arc(session, matrices, to_world)
        if self.arc is not None:
            self._draw_arc(lines, view, rect, scale, mouse)
        self.hovered = ""
        best = NEAR * scale
        if mouse is not None and not self.end:
            for name, (x, y) in points.items():
                gap = hypot(x - mouse[0], y - mouse[1])
                if gap < best:
                    best, self.hovered = gap, name
        kind, selected, _ = session.selection
        for name, (x, y) in points.items():
            tone, size = packed("joint"), 2.6
            if marks.is_moved(name):
                tone, size = packed("in_chain"), 3.4
            if name in lit:
                tone, size = packed("lit"), 4.2
            if name == self.hovered or (kind == "joint" and name == selected):
                size += 2.0
            centre = imgui.ImVec2(x, y)
            lines.add_circle_filled(centre, (size + 1.2) * scale, packed("back", 0.7))
            lines.add_circle_filled(centre, size * scale, tone)
            if marks.is_limited(name):
                ring = packed("limited")
                lines.add_circle(centre, (size + 2.6) * scale, ring, 0, 1.6 * scale)
        if self.hovered and self.hovered in points:
            x, y = points[self.hovered]
            label(lines, x + 12 * scale, y - 20 * scale, self.hovered)
        lines.pop_clip_rect()

    def joint_point(self, name: str) -> Point | None:
        """Return where a joint is in the window [pixel]; None: not in sight."""
        return self._points.get(name)

    def angle_at(self, view: View, rect: Rect, mouse: Point) -> float | None:
        """Return the angle of the arc under the mouse [rad]; None: edge on."""
        arc = self.arc
        if arc is None:
            return None
        x = 2.0 * (mouse[0] - rect.x) / rect.width - 1.0
        y = 1.0 - 2.0 * (mouse[1] - rect.y) / rect.height
        centre = np.array(arc.centre)
        near = view.on_screen_plane(x, y, tuple(centre - view.forward))
        far = view.on_screen_plane(x, y, tuple(centre + view.forward))
        if near is None or far is None:
            return None
        origin, way = np.array(near), np.array(far) - np.array(near)
        normal = np.cross(arc.zero, arc.side)
        slope = float(way @ normal)
        if abs(slope) < 0.05 * float(np.linalg.norm(way)):
            return None
        hit = origin + way * float((centre - origin) @ normal) / slope - centre
        return atan2(float(hit @ arc.side), float(hit @ arc.zero))

    # -- inside ------------------------------------------------------------------------

    def _pixel(self, view: View, rect: Rect, place: Any) -> Point | None:
        spot = view.project((place[0], place[1], place[2]))
        if spot is None or abs(spot.x) > 3.0 or abs(spot.y) > 3.0:
            return None
        return (
            rect.x + (spot.x + 1.0) / 2.0 * rect.width,
            rect.y + (1.0 - spot.y) / 2.0 * rect.height,
        )

    def _find_arc(
        self, session: StudioSession, now: Mapping[str, Any], to_world: Any
    ) -> Arc | None:
        """Return the arc of the selected limit, if it is a hinge."""
        kind, joint, owner = session.selection
        document = session.document
        skeleton = document.skeleton
        if kind != "limit" or joint not in now:
            return None
        section, _, name = owner.partition("/")
        entry = document.parts.parts(section)[name]
        values = entry.parts("limits")[joint].values
        if values["kind"] != "hinge":
            return None
        from ..document.rig_bones import bones_of

        try:
            bones = bones_of(document.parts, skeleton, section, name)
        except BindError:
            return None
        info = skeleton.by_name[joint]
        below = [c for c in skeleton.children(joint) if c in bones]
        below = below or list(skeleton.children(joint))
        # axes stand in the frame above the chain, in the pose that the model came in
        axis = np.array(LETTERS.get(values["axis"], values["axis"]), float)
        axis = axis @ np.array(skeleton.frame_above(bones[0]))
        bone = np.array([1.0, 0.0, 0.0])
        if below:
            place = skeleton.by_name[below[0]].position
            bone = np.subtract(place, info.position)
        length = float(np.linalg.norm(bone)) or 0.1 * skeleton.size
        # what the joint hangs on carries the arc along
        carry = np.eye(3)
        if info.parent is not None and info.parent in now:
            rest: Any = np.array(skeleton.by_name[info.parent].frame, float)
            carry = np.linalg.inv(rest) @ _rows(now[info.parent])
        carry = carry @ _rows(to_world)
        axis, bone = axis @ carry, bone @ carry
        axis /= np.linalg.norm(axis) or 1.0
        zero = bone - (bone @ axis) * axis
        if np.linalg.norm(zero) < 1e-6 * np.linalg.norm(bone):
            zero = np.cross(axis, [0.31, 0.42, 0.85])
        zero /= np.linalg.norm(zero)
        side = np.cross(axis, zero)
        if np.linalg.det(carry) < 0.0:
            side = -side
        centre = to_world.xform_point(p3d.LPoint3f(now[joint].get_row3(3)))
        size = float(np.linalg.norm(np.array([length, 0, 0]) @ _rows(to_world)))
        lower, upper = values.get("range", (-inf, inf))
        return Arc(
            owner,
            joint,
            np.array(list(centre)),
            zero,
            side,
            0.8 * size,
            max(lower, -pi),
            min(upper, pi),
        )

    def _draw_arc(
        self, lines: Any, view: View, rect: Rect, scale: float, mouse: Point | None
    ) -> None:
        arc = self.arc
        assert arc is not None
        angles = np.linspace(arc.lower, arc.upper, STEPS)
        found = [self._pixel(view, rect, arc.at(a)) for a in angles]
        rim = [imgui.ImVec2(*p) for p in found if p is not None]
        centre = self._pixel(view, rect, arc.centre)
        if centre is None or len(rim) < 2:
            self.end = ""
            return
        middle = imgui.ImVec2(*centre)
        for a, b in pairwise(rim):
            lines.add_triangle_filled(middle, a, b, packed("limited", 0.22))
        lines.add_polyline(rim, packed("limited"), 0, 2.0 * scale)
        held, self.end = self.end, ""
        nearest = 12.0 * scale
        for word, angle in (("lower", arc.lower), ("upper", arc.upper)):
            point = self._pixel(view, rect, arc.at(angle))
            if point is None:
                continue
            lines.add_line(middle, imgui.ImVec2(*point), packed("limited"), 1.5 * scale)
            gap = hypot(point[0] - mouse[0], point[1] - mouse[1]) if mouse else inf
            if gap < nearest:
                nearest, self.end = gap, word
            size = (8.0 if word in (held, self.end) else 6.0) * scale
            lines.add_circle_filled(imgui.ImVec2(*point), size, packed("limited"))
            text = f"{angle * 180.0 / pi:.0f}°"
            label(lines, point[0] + 10 * scale, point[1] - 8 * scale, text)


def label(lines: Any, x: float, y: float, text: str) -> None:
    """Write a text on a dark plate."""
    size = imgui.calc_text_size(text)
    low, high = imgui.ImVec2(x - 4, y - 2), imgui.ImVec2(x + size.x + 4, y + size.y + 2)
    lines.add_rect_filled(low, high, packed("back", 0.85), 4.0)
    lines.add_text(imgui.ImVec2(x, y), packed("text"), text)


def _rows(matrix: Any) -> Any:
    return np.array([[matrix.get_cell(i, j) for j in range(3)] for i in range(3)])
