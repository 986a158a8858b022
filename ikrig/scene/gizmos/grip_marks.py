"""Grips of things, drawn with knobs that drag their points and directions."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import panda3d.core as p3d

from ...math3d.quaternion import Floats
from ...model.grip import Grip
from ...value_shapes import LETTERS, Value
from ..ik.node_rig import KNOB
from .handle import Shape
from .rig_view import UNSOLVED_COLOR, Marker, RigView
from .viewpoint import ORIGIN, Vec3, Vec4

COLOR: Vec4 = (0.72, 0.88, 0.32, 1.0)
CALM: Vec4 = (*COLOR[:3], 0.6)
HEAD = 0.25
"""Length of an arrow's head / length of the arrow."""
KNOB_SIZE = 0.12
"""Minimum radius of a knob / length of the arrow."""
ROUND = 24
RING = 0.3
"""Radius of the rings around a bar / length of the arrow."""


class _Mark(NamedTuple):
    """A grip on display: its thing, and the knobs that drag it, by keys of ``Grip``."""

    grip: Grip
    thing: p3d.NodePath
    knobs: dict[str, p3d.NodePath]
    places: dict[str, p3d.LPoint3f]
    """Where the knobs were put."""
    length: float
    """The length of its arrow, in the space of the thing."""

    def moved(self) -> dict[str, Value]:
        """Return the values that drags have changed."""
        found: dict[str, Value] = {}
        for key, knob in self.knobs.items():
            way = knob.get_pos()
            if way == self.places[key] or way.is_nan():
                continue
            size = way.length()
            if key != "point" and size > 0.0:
                if key == "axis" and self.grip.length:
                    found["length"] = 2.0 * size
                way /= -size if key == "approach" else size
            if key == "point" or size > 0.0:
                found[key] = tuple(way)
        return found


class GripMarks:
    """The grips on display, and the one of them whose directions can be dragged.

    A point has a knob where it is. The selected grip has two more: one where the palm
    comes from, one at the end of its bar.
    """

    def __init__(self) -> None:
        self._marks: dict[Hashable, _Mark] = {}
        self._selected: Hashable = None
        self._radius = 0.0
        self._things: Sequence[p3d.NodePath] = ()

    def show(
        self,
        grips: Mapping[Hashable, tuple[Grip, p3d.NodePath]],
        selected: Hashable,
        length: float,
        space: p3d.NodePath,
        things: Sequence[p3d.NodePath] = (),
    ) -> None:
        """Show these grips, by keys of one's own, each with its thing.

        Args:
            grips: The grips.
            selected: Key of the selected one.
            length: Length of arrows, in a space.
            space: The space.
            things: Nodes that have a knob of their own.
        """
        self.clear()
        self._things, self._selected = things, selected
        self._radius = KNOB_SIZE * length * space.get_net_transform().get_scale().x
        for key, (grip, thing) in grips.items():
            scale = max(sum(thing.get_scale(space)) / 3.0, 1e-9)
            mark = _Mark(grip, thing, {}, {}, length / scale)
            self._marks[key] = mark
            words = str(getattr(key, "name", key))
            point = p3d.LPoint3f(*grip.point)
            if key != selected and point == p3d.LPoint3f(0.0):
                # the thing itself is there
                continue
            knob = mark.knobs["point"] = thing.attach_new_node(words)
            knob.set_pos(point)
            arms = _arms(grip, mark.length) if key == selected else {}
            for name, end in arms.items():
                mark.knobs[name] = knob.attach_new_node(f"{words} {name}")
                mark.knobs[name].set_pos(*end.tolist())
            for name, knob in mark.knobs.items():
                knob.set_tag(KNOB, name)
                mark.places[name] = knob.get_pos()

    def clear(self) -> None:
        for mark in self._marks.values():
            if "point" in mark.knobs:
                mark.knobs["point"].remove_node()
        self._marks = {}

    def knob(self, key: Hashable) -> p3d.NodePath | None:
        """Return the node that drags the point of a grip; None: it is not shown."""
        mark = self._marks.get(key)
        return None if mark is None else mark.knobs.get("point")

    def dragged(self, node: p3d.NodePath) -> tuple[Value, dict[str, Value]] | None:
        """Return the key of a knob's grip, and the values that drags have changed.

        None: it is no knob.
        """
        for key, mark in self._marks.items():
            if node in mark.knobs.values():
                return key, mark.moved()
        return None

    def rig_view(self) -> RigView:
        bones: list[tuple[p3d.NodePath, Vec3]] = []
        markers, outlines = [], []
        # of knobs in one place, that of the selected grip is pressed
        order = sorted(self._marks, key=lambda key: key != self._selected)
        for key in order:
            mark = self._marks[key]
            if mark.thing.is_empty():
                continue
            color = COLOR if key == self._selected else CALM
            grip = replace(mark.grip, **mark.moved())
            x, y, z = grip.point
            bones.append((mark.thing, (x, y, z)))
            for name, knob in mark.knobs.items():
                shape: Shape = "diamond" if name == "point" else "hollow"
                markers.append(Marker(knob, len(bones) - 1, shape, color, 1.5))
            outlines.append((mark.thing, list(_lines(grip, mark.length))))
        things = [x for x in self._things if not x.is_empty()]
        first = len(bones)
        bones += [(thing, ORIGIN) for thing in things]
        markers += [
            Marker(thing, first + k, "sphere", UNSOLVED_COLOR, 1.5)
            for k, thing in enumerate(things)
        ]
        # its own knobs first, then the thing, then others in the same place
        own = len(self._marks[self._selected].knobs) if self._selected in order else 0
        markers = [*markers[:own], *markers[own:][::-1]]
        parents = [-1] * len(bones)
        return RigView(bones, parents, COLOR, markers, outlines, self._radius)


def _arms(grip: Grip, length: float) -> dict[str, Floats]:
    """Return the ends of a grip's directions, from its point, by their keys."""
    found = {}
    for key, size in (("approach", -length), ("axis", 0.5 * grip.length)):
        axis = getattr(grip, key)
        if axis is not None:
            way = np.array(LETTERS[axis] if isinstance(axis, str) else axis, float)
            found[key] = (size or 0.6 * length) * way / np.linalg.norm(way)
    return found


def _lines(grip: Grip, length: float) -> Iterator[Floats]:
    """Yield an arrow along the approach, and a bar with rings, in the thing's space."""
    point = np.array(grip.point, float)
    for key, end in _arms(grip, length).items():
        across = np.cross(end, np.eye(3)[int(np.argmin(np.abs(end)))])
        across /= np.linalg.norm(across)
        if key == "approach":
            barb = 0.4 * HEAD * length * across
            yield point + np.array((end, 0 * end, HEAD * end + barb))
            yield point + np.array((0 * end, HEAD * end - barb))
            continue
        other = np.cross(across, end / np.linalg.norm(end))
        turns = np.linspace(0.0, 2.0 * np.pi, ROUND + 1)[:, None]
        ring = RING * length * (np.cos(turns) * across + np.sin(turns) * other)
        yield point + np.array((-end, end))
        for middle in (-end, end) if grip.length else (0 * end,):
            yield point + middle + ring
