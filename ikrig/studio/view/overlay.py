"""Joints, bones and the ends of a limit, drawn over the picture with ImGui."""

from __future__ import annotations

from collections.abc import Iterable
from math import atan2, cos, hypot, inf, pi, radians, sin
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import panda3d.core as p3d
from imgui_bundle import ImVec2, imgui

from ...formats.rig_file import Part, make_limit
from ...math3d.quaternion import Floats
from ...records import Field
from ...scene.gizmos import Gizmos
from ...scene.gizmos.viewpoint import View
from ...scene.ik.component import IKComponent
from ...value_shapes import Bounds, Items
from ..document.edited_rig import Owner
from ..panels.layout import Rect
from ..panels.style import packed
from ..session import StudioSession

if TYPE_CHECKING:
    from ..panels.outliner import Outliner

NEAR = 11.0  # maximum distance of a click from a joint [pixel at scale 1]
MOST_DRAWN = 800  # for larger skeletons, only ends, forks and rigged joints are drawn

Point = tuple[float, float]


EDGE_ON = 0.3  # sine of the angle below which an arc counts as seen edge on
LEAST = radians(1.0)  # minimum angle of a dragged cone [rad]


class Arc(NamedTuple):
    """A range of angles of the selected limit, in the picture's world space."""

    owner: Owner
    joint: str
    key: str
    which: int  # key and index of its ends, as of an ``AngleRange``
    centre: Floats
    zero: Floats  # direction of angle 0: a unit vector
    side: Floats  # direction of a quarter turn
    radius: float
    lower: float
    upper: float
    word: str = ""  # label of the angle, if there are several arcs

    def at(self, angle: float) -> tuple[float, float, float]:
        direction = cos(angle) * self.zero + sin(angle) * self.side
        x, y, z = self.centre + self.radius * direction
        return float(x), float(y), float(z)

    def angle_at(self, view: View, x: float, y: float) -> float | None:
        """Return the angle at a screen position, -1 to 1 [rad]; None: edge on."""
        normal = np.cross(self.zero, self.side)
        hit = view.on_plane(x, y, self.centre, normal, min_sine=EDGE_ON)
        if hit is None:
            return None
        away = np.array(hit) - self.centre
        return atan2(float(away @ self.side), float(away @ self.zero))


def mark_limit(session: StudioSession, gizmos: Gizmos) -> None:
    """Mark the selected limit, before the gizmos of a frame are drawn."""
    gizmos.regions.marked = None
    kind, joint, owner = session.selection
    if kind != "limits" or session.viewing or session.mode == "Play":
        return
    part = session.live.part(*owner)
    for each in (
        (part,) if isinstance(part, IKComponent) else getattr(part, "parts", ())
    ):
        names = each._binding.model.names
        if joint in names:
            gizmos.regions.marked = each, names.index(joint)


def arcs_of(session: StudioSession, gizmos: Gizmos, render: p3d.NodePath) -> list[Arc]:
    _, joint, owner = session.selection
    arcs = []
    for angles, centre, zero, side in gizmos.regions.arcs(render):
        radius = zero.length()
        if radius:
            ends = max(angles.lower, -pi), min(angles.upper, pi)
            axes = (centre, zero / radius, side.normalized())
            a, b, c = (np.array(axis) for axis in axes)
            key = owner, joint, angles.key, angles.which
            arcs.append(Arc(*key, a, b, c, radius, *ends, angles.word))
    return arcs


def with_end(
    limit: Part, arc: Arc, end: str, angle: float
) -> tuple[str, object] | None:
    """Return key and value of a limit after an end of an arc was moved [rad].

    None: the arc shows what follows from other values.
    """
    made = make_limit(limit)
    key = end if arc.key == "lower" else arc.key
    field = made.record.fields.get(key)
    if not isinstance(field, Field):
        return None
    lower, upper = arc.lower, arc.upper
    if end == "lower":
        lower = min(angle, upper)
    else:
        upper = max(angle, lower)
    if isinstance(field.shape, Bounds):
        return key, (lower, upper)
    which, new = arc.which, lower if end == "lower" else upper
    if not isinstance(field.shape, Items):
        # the largest angle to one side
        which, new = (which + 2, -new) if end == "lower" else (which, new)
        new = max(LEAST, new)
        if not isinstance(limit.values.get(key), (tuple, list)):
            return key, new
    ends = list(getattr(made, key))
    ends[which] = new
    return key, tuple(ends)


class Overlay:
    def __init__(self, render: p3d.NodePath) -> None:
        self.render = render
        self.hovered = ""  # the joint under the mouse, or ""
        self.end = ""  # the end of it under the mouse: "lower", "upper" or ""
        self.arcs: list[Arc] = []
        self.held = 0  # index of the arc under the mouse
        self.points: dict[str, Point] = {}  # of joints in the picture
        self._grip: tuple[Point, float] = ((0.0, 0.0), 0.0)

    def draw(
        self,
        session: StudioSession,
        view: View,
        rect: Rect,
        scale: float,
        marks: Outliner,
        mouse: Point | None,
        gizmos: Gizmos,
    ) -> None:
        live = session.live
        skeleton = session.document.skeleton
        matrices = live.joint_matrices()
        to_world = live.parent.get_mat(self.render)
        points: dict[str, Point] = {}
        lit = session.selected_joints()
        many = len(matrices) > MOST_DRAWN
        for name, matrix in matrices.items():
            if many and not (
                name in lit or marks.is_moved(name) or marks.is_end_or_fork(name)
            ):
                continue
            position = to_world.xform_point(p3d.LPoint3f(matrix.get_row3(3)))
            point = self._pixel(view, rect, position)
            if point is not None:
                points[name] = point
        seen, self.points = self.points, points
        if session.viewing or session.mode == "Play":
            self.hovered, self.end = "", ""
            return
        lines = imgui.get_background_draw_list()
        low = ImVec2(rect.x, rect.y)
        high = ImVec2(rect.x + rect.width, rect.y + rect.height)
        lines.push_clip_rect(low, high, True)
        for joint in skeleton.joints:
            if joint.parent in points and joint.name in points:
                strong = joint.name in lit and joint.parent in lit
                tone = packed("lit") if strong else packed("joint", 0.30)
                a, b = points[joint.parent], points[joint.name]
                width = 3.0 * scale if strong else 1.0 * scale
                lines.add_line(ImVec2(*a), ImVec2(*b), tone, width)
        self.arcs = arcs_of(session, gizmos, self.render)
        end = self.held, self.end
        self._draw_ends(lines, view, rect, scale, mouse)
        if gizmos.regions.held:
            self.held, self.end = end
        self.hovered = ""
        best = NEAR * scale
        if mouse is not None and not self.end:
            # a click refers to the displayed joints: those of the last frame
            for name, (x, y) in (seen or points).items():
                gap = hypot(x - mouse[0], y - mouse[1])
                if gap < best and name in points:
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
            centre = ImVec2(x, y)
            lines.add_circle_filled(centre, (size + 1.2) * scale, packed("back", 0.7))
            lines.add_circle_filled(centre, size * scale, tone)
            if marks.is_limited(name):
                ring = packed("limited")
                lines.add_circle(centre, (size + 2.6) * scale, ring, 0, 1.6 * scale)
        if self.hovered and self.hovered in points:
            x, y = points[self.hovered]
            label(lines, x + 12 * scale, y - 32 * scale, self.hovered)
        lines.pop_clip_rect()

    @property
    def arc(self) -> Arc | None:
        return self.arcs[min(self.held, len(self.arcs) - 1)] if self.arcs else None

    def grip(self, mouse: Point) -> None:
        if self.arc is not None:
            self._grip = mouse, getattr(self.arc, self.end)

    def angle_at(self, view: View, rect: Rect, mouse: Point) -> float | None:
        """Return the angle to which the held end of the arc is dragged [rad].

        The end turns by the angle of the mouse around the arc's middle. An arc that is
        seen edge on is a line: motion along it turns the end as far as the same motion
        would when seen from above.
        """
        arc, (start, angle) = self.arc, self._grip
        if arc is None:
            return None
        a, b = (arc.angle_at(view, *rect.to_screen(*p)) for p in (start, mouse))
        if a is not None and b is not None:
            turned = (b - a + pi) % (2.0 * pi) - pi
        else:
            line = self._line(arc, view, rect, angle)
            if line is None:
                return None
            (x, y), radius = line
            turned = ((mouse[0] - start[0]) * x + (mouse[1] - start[1]) * y) / radius
        return min(max(angle + turned, -pi), pi)

    def _line(
        self, arc: Arc, view: View, rect: Rect, angle: float
    ) -> tuple[Point, float] | None:
        """Return the direction of an arc seen edge on, a unit vector, and its radius.

        In pixels; None: it is not in the picture.
        """
        side = arc.centre + arc.radius * np.array(view.right)
        ends = [np.array(arc.at(angle + step)) for step in (-0.5, 0.5, 0.0)]
        spots = [self._pixel(view, rect, p) for p in (*ends, arc.centre, side)]
        if any(spot is None for spot in spots):
            return None
        before, after, here, middle, beside = (np.array(spot) for spot in spots)
        radius = float(np.linalg.norm(beside - middle))
        direction = after - before
        if np.linalg.norm(direction) < 0.3 * radius:
            # at a turning point of the line, dragging outwards widens the range
            direction = (here - middle) * (1.0 if self.end == "upper" else -1.0)
        size = float(np.linalg.norm(direction))
        if size < 1e-6:
            return None
        return (direction[0] / size, direction[1] / size), radius

    def _pixel(self, view: View, rect: Rect, position: Iterable[float]) -> Point | None:
        spot = view.project(tuple(position))
        if spot is None or abs(spot.x) > 3.0 or abs(spot.y) > 3.0:
            return None
        return rect.to_window(spot.x, spot.y)

    def _draw_ends(
        self,
        lines: imgui.ImDrawList,
        view: View,
        rect: Rect,
        scale: float,
        mouse: Point | None,
    ) -> None:
        was, self.end = (self.held, self.end), ""
        nearest = 12.0 * scale
        for k, arc in enumerate(self.arcs):
            for word, angle in (("lower", arc.lower), ("upper", arc.upper)):
                point = self._pixel(view, rect, arc.at(angle))
                if point is None:
                    continue
                gap = inf
                if mouse:
                    gap = hypot(point[0] - mouse[0], point[1] - mouse[1])
                if gap < nearest:
                    nearest, self.end, self.held = gap, word, k
                size = (8.0 if (k, word) == was else 6.0) * scale
                centre = ImVec2(*point)
                lines.add_circle_filled(centre, size, packed("limited"))
                text = f"{arc.word}{angle * 180.0 / pi:.0f}°"
                label(lines, point[0] + 10 * scale, point[1] - 8 * scale, text)


def label(
    lines: imgui.ImDrawList, x: float, y: float, text: str, tone: str = "text"
) -> None:
    size = imgui.calc_text_size(text)
    low, high = ImVec2(x - 4, y - 2), ImVec2(x + size.x + 4, y + size.y + 2)
    lines.add_rect_filled(low, high, packed("back", 0.85), 4.0)
    lines.add_text(ImVec2(x, y), packed(tone), text)
