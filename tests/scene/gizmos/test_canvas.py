"""A canvas that is drawn on again and again shows what a new one would."""

from __future__ import annotations

from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig.scene.gizmos.canvas import Canvas
from ikrig.scene.gizmos.painter import Line, Mark

from .test_view import camera

SHAPES = ("dot", "sphere", "hollow", "crossed", "diamond")


def contents(node: p3d.GeomNode) -> tuple[list, list, list[int]]:
    """Vertices, colours and the indices of a Geom's triangles."""
    geom = node.get_geom(0)
    data, index = geom.get_vertex_data(), []
    for k in range(geom.get_num_primitives()):
        index += list(geom.get_primitive(k).get_vertex_list())
    raw = [
        np.frombuffer(data.get_array(k).get_handle().get_data(), kind).reshape(-1, wide)
        for k, kind, wide in ((0, np.float32, 3), (1, np.uint8, 4))
    ]
    return raw[0].tolist(), raw[1].tolist(), index


def shown(canvas: Canvas) -> list[tuple]:
    return [contents(node) for node in (canvas.skeleton, canvas.knobs)]


def draw(canvas: Canvas, rng: np.random.Generator, seeds: dict[str, int]) -> None:
    """A display list; what has the same seed is the same."""
    where, colours, counts = (np.random.default_rng(seeds[k]) for k in "wck")
    canvas.clear()

    def point() -> tuple[float, float, float]:
        return tuple((8 * forward + where.normal(size=3)).tolist())

    def colour() -> tuple[float, float, float, float]:
        return tuple(colours.uniform(0.1, 1.0, 4).tolist())

    forward = np.array(seeds["forward"])
    for _ in range(counts.integers(0, 3)):
        joints = [point() for _ in range(counts.integers(1, 5))]
        canvas.bones(joints, [k - 1 for k in range(len(joints))], colour())
    for lines in (canvas.lines, canvas.guides):
        for _ in range(counts.integers(0, 4)):
            dashed = bool(counts.integers(2))
            lines.append(Line(point(), point(), colour(), 1.5, dashed))
    for _ in range(counts.integers(0, 4)):
        shape = SHAPES[counts.integers(len(SHAPES))]
        canvas.handles.append(Mark(shape, point(), colour(), 9.0))


@pytest.mark.parametrize("seed", range(4))
def test_canvas_shows_its_last_list(seed: int) -> None:
    rng = np.random.default_rng(seed)
    views = [camera(1 + 2 * k)[3] for k in range(2)]
    canvas, view = Canvas(), views[0]
    seeds: dict[str, Any] = {"w": 0, "c": 0, "k": 0, "forward": view.forward}
    for _ in range(20):
        # other places, colours, numbers of things, or another view: all or none
        for key in "wck":
            if rng.random() < 0.3:
                seeds[key] = int(rng.integers(1000))
        if rng.random() < 0.2:
            # of the same things: what is in front of one is anywhere in the other
            view = views[rng.integers(2)]
        new = Canvas()
        for each in (canvas, new):
            draw(each, rng, seeds)
            each.flush(view)
        assert shown(canvas) == shown(new)


def test_new_canvas_is_empty() -> None:
    canvas = Canvas()
    canvas.flush(camera(1)[3])
    assert shown(canvas) == [([], [], [])] * 2


@pytest.mark.parametrize("count", [5461, 5462])
def test_many_lines_keep_their_triangles(count: int) -> None:
    """Each has 12 vertices; beyond 65535 in all the indices need four bytes."""
    view = camera(1)[3]
    canvas = Canvas()
    at = 8 * np.array(view.forward)
    line = Line(tuple(at), tuple(at + view.right), (1, 1, 1, 1), 2.0, False)
    canvas.lines += [line] * count
    canvas.flush(view)
    points, colours, index = contents(canvas.skeleton)
    assert len(points) == len(colours) == 12 * count
    rows = np.array(index).reshape(count, -1)
    assert np.array_equal(rows - 12 * np.arange(count)[:, None], rows[:1] + 0 * rows)
    kind = canvas.skeleton.get_geom(0).get_primitive(0).get_index_type()
    wide = p3d.GeomEnums.NT_uint32 if 12 * count > 65535 else p3d.GeomEnums.NT_uint16
    assert kind == wide


def sent(canvas: Canvas) -> list[tuple]:
    """When vertices, colours and triangles were last written, of both Geoms."""
    geoms = [node.get_geom(0) for node in (canvas.skeleton, canvas.knobs)]
    return [
        (
            str(geom.get_vertex_data().get_array(0).get_modified()),
            str(geom.get_vertex_data().get_array(1).get_modified()),
            [str(part.get_modified()) for part in geom.get_primitives()],
        )
        for geom in geoms
    ]


def test_only_what_has_changed_is_written_again() -> None:
    view = camera(1)[3]
    canvas, found = Canvas(), []
    for place, tone in ((0.0, 0.5), (0.0, 0.5), (0.3, 0.5), (0.3, 0.9), (0.3, 0.9)):
        at = 8 * np.array(view.forward) + place
        a, b, color = tuple(at), tuple(at + 1.0), (tone, 0.2, 0.1, 1.0)
        canvas.clear()
        canvas.bones([a, b], [-1, 0], color)
        canvas.lines.append(Line(a, b, color, 2.0, False))
        canvas.guides.append(Line(b, a, color, 2.0, False))
        canvas.handles.append(Mark("sphere", a, color, 9.0))
        canvas.flush(view)
        found.append(sent(canvas))
    first, same, moved, coloured, again = found
    assert same == first and again == coloured
    for sheet in range(2):
        assert moved[sheet][0] != first[sheet][0]
        assert moved[sheet][1:] == first[sheet][1:]
        assert coloured[sheet][1] != moved[sheet][1]
        assert coloured[sheet][2] == moved[sheet][2]
    for node in (canvas.skeleton, canvas.knobs):
        # where they are is not computed for culling, since they move every frame
        assert node.get_bounds().is_infinite() and node.is_final()
