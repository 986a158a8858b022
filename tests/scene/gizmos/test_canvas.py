"""A canvas that is drawn on again and again shows what a new one would."""

from __future__ import annotations

from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig.scene.gizmos.canvas import Canvas
from ikrig.scene.gizmos.handle import SCREEN_RADIUS
from ikrig.scene.gizmos.meshes import DOT, ICONS

from .stage import columns
from .test_view import camera

MESHES = (DOT, *ICONS.values())


def new_canvas(render: p3d.NodePath | None = None) -> Canvas:
    return Canvas(render or p3d.NodePath("render"), p3d.PandaNode("regions"))


def geoms(canvas: Canvas) -> list[p3d.Geom]:
    return [sheet.node.get_geom(0) for sheet in (canvas.skeleton, canvas.knobs)]


def contents(geom: p3d.Geom) -> tuple[list, list, list[int]]:
    """Vertices, colours and the indices of a Geom's triangles."""
    points, colors, index = columns(geom)
    return points.tolist(), colors.tolist(), index


def draw(canvas: Canvas, seeds: dict[str, int]) -> None:
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
        parents = [k - 1 for k in range(len(joints))]
        canvas.skeleton.bones(joints, parents, colour())
    for sheet in (canvas.skeleton, canvas.knobs):
        for _ in range(counts.integers(0, 4)):
            dashed = bool(counts.integers(2))
            sheet.line(point(), point(), colour(), 1.5, dashed=dashed)
    for _ in range(counts.integers(0, 4)):
        mesh = MESHES[counts.integers(len(MESHES))]
        canvas.knobs.icon(mesh, point(), 9.0, colour())


@pytest.mark.parametrize("seed", range(4))
def test_canvas_shows_its_last_list(seed: int) -> None:
    rng = np.random.default_rng(seed)
    views = [camera(1 + 2 * k)[3] for k in range(2)]
    canvas, view = new_canvas(), views[0]
    seeds: dict[str, Any] = {"w": 0, "c": 0, "k": 0, "forward": view.forward}
    for _ in range(20):
        # other places, colours, numbers of things, or another view: all or none
        for key in "wck":
            if rng.random() < 0.3:
                seeds[key] = int(rng.integers(1000))
        if rng.random() < 0.2:
            # of the same things: what is in front of one is anywhere in the other
            view = views[rng.integers(2)]
        new = new_canvas()
        for each in (canvas, new):
            draw(each, seeds)
            each.draw(view)
        assert [*map(contents, geoms(canvas))] == [*map(contents, geoms(new))]


def test_new_canvas_is_empty() -> None:
    canvas = new_canvas()
    canvas.draw(camera(1)[3])
    assert [*map(contents, geoms(canvas))] == [([], [], [])] * 2


@pytest.mark.parametrize("count", [5461, 5462])
def test_many_lines_keep_their_triangles(count: int) -> None:
    """Each has 12 vertices; beyond 65535 in all the indices need four bytes."""
    view = camera(1)[3]
    canvas = new_canvas()
    at = 8 * np.array(view.forward)
    for _ in range(count):
        canvas.skeleton.line(tuple(at), tuple(at + view.right), (1, 1, 1, 1), 2.0)
    canvas.draw(view)
    geom = geoms(canvas)[0]
    points, colours, index = contents(geom)
    assert len(points) == len(colours) == 12 * count
    rows = np.array(index).reshape(count, -1)
    assert np.array_equal(rows - 12 * np.arange(count)[:, None], rows[:1] + 0 * rows)
    wide = p3d.GeomEnums.NT_uint32 if 12 * count > 65535 else p3d.GeomEnums.NT_uint16
    assert geom.get_primitive(0).get_index_type() == wide


def sent(canvas: Canvas) -> list[tuple]:
    """When vertices, colours and triangles were last written, of both Geoms."""
    return [
        (
            str(geom.get_vertex_data().get_array(0).get_modified()),
            str(geom.get_vertex_data().get_array(1).get_modified()),
            [str(part.get_modified()) for part in geom.get_primitives()],
        )
        for geom in geoms(canvas)
    ]


def test_only_what_has_changed_is_written_again() -> None:
    view = camera(1)[3]
    canvas, found = new_canvas(), []
    for place, tone in ((0.0, 0.5), (0.0, 0.5), (0.3, 0.5), (0.3, 0.9), (0.3, 0.9)):
        at = 8 * np.array(view.forward) + place
        a, b, color = tuple(at), tuple(at + 1.0), (tone, 0.2, 0.1, 1.0)
        canvas.clear()
        canvas.skeleton.bones([a, b], [-1, 0], color)
        canvas.skeleton.line(a, b, color, 2.0)
        canvas.knobs.line(b, a, color, 2.0)
        canvas.knobs.icon(ICONS["sphere"], a, 9.0, color)
        canvas.draw(view)
        found.append(sent(canvas))
    first, same, moved, coloured, again = found
    assert same == first and again == coloured
    for sheet in range(2):
        assert moved[sheet][0] != first[sheet][0]
        assert moved[sheet][1:] == first[sheet][1:]
        assert coloured[sheet][1] != moved[sheet][1]
        assert coloured[sheet][2] == moved[sheet][2]
    for sheet in (canvas.skeleton, canvas.knobs):
        # where they are is not computed for culling, since they move every frame
        assert sheet.node.get_bounds().is_infinite() and sheet.node.is_final()


def test_gizmos_are_drawn_over_the_scene_and_dimmed_where_hidden() -> None:
    root = new_canvas().root
    rows = sorted(
        (
            path.get_bin_draw_order(),
            path.get_bin_name(),
            path.get_depth_test(),
            tuple(np.round(path.get_color_scale(), 3)),
        )
        for path in root.find_all_matches("pass")
    )
    # limits below bones below handles, each first where something hides it
    assert rows == [
        *((98, "fixed", False, (1, 1, 1, 0.35)), (99, "fixed", True, (1, 1, 1, 1))),
        *((100, "fixed", False, (1, 1, 1, 0.35)), (101, "fixed", True, (1, 1, 1, 1))),
        *((102, "fixed", False, (1, 1, 1, 0.75)), (103, "fixed", True, (1, 1, 1, 1))),
    ]
    assert not root.get_depth_write() and root.get_two_sided()
    assert root.get_transparency() == p3d.TransparencyAttrib.M_alpha


# -- the text beside a handle


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("away", [SCREEN_RADIUS, 40.0])
def test_text_stands_right_of_its_point_on_any_screen(seed: int, away: float) -> None:
    render, _, node, view = camera(seed)
    canvas = new_canvas(render)
    text = render.find("**/label")
    assert text.is_hidden()
    point = tuple(render.get_relative_point(node, (0.1, 8.0, 0.2)))
    canvas.label(view, point, "ball", away)
    assert not text.is_hidden() and text.node().get_text() == "ball"
    spot = view.project(point)
    pixel = view.pixel(spot.w) * view.unit
    matrix = np.array(text.get_mat())
    # facing the screen, 17 pixels high
    axes = np.stack([view.right, view.forward, view.up])
    assert np.allclose(matrix[:3, :3], 17.0 * pixel * axes, atol=1e-5)
    # clear of the handle, its middle as high as that
    gap = matrix[3, :3] - np.array(point)
    assert gap @ np.array(view.right) == pytest.approx((away + 14.0) * pixel, rel=1e-3)
    up = gap @ np.array(view.up)
    assert up == pytest.approx(-0.3 * 17.0 * pixel, rel=1e-3, abs=1e-5)
    assert gap @ np.array(view.forward) == pytest.approx(0.0, abs=1e-5)
    behind = tuple(render.get_relative_point(node, (0.1, -8.0, 0.2)))
    for where, words in ((point, ""), (None, "ball"), (behind, "ball")):
        canvas.label(view, point, "ball", away)
        canvas.label(view, where, words, away)
        assert text.is_hidden()


def test_text_is_light_on_a_dark_card() -> None:
    path = new_canvas().root.find("**/label")
    text = path.node()
    assert text.has_text_color() and min(text.get_text_color()) > 0.9
    *dark, dim = text.get_card_color()
    assert min(dark) > 0.0 and max(dark) < 0.15 and 0.7 < dim < 0.9
    # which is a little larger than the text, and behind it
    text.set_text("ball")
    ends = text.get_left(), text.get_right(), text.get_bottom(), text.get_top()
    margins = np.array(text.get_card_actual()) - ends
    assert margins == pytest.approx((-0.45, 0.45, -0.12, 0.12), abs=1e-5)
    assert text.get_card_decal()
    # drawn over all else
    assert (path.get_bin_name(), path.get_bin_draw_order()) == ("fixed", 110)
    assert not path.get_depth_test()
