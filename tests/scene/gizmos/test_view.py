"""The gizmos' view of a camera, judged by Panda3D's own lenses and by brute force."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import SkeletonModel
from ikrig.scene.gizmos.drag import END, RADIUS, START, arrows_around, distances
from ikrig.scene.gizmos.limit_shapes import _bone_lengths
from ikrig.scene.gizmos.viewpoint import FAR, View, world_position
from tests import reference


def camera(seed: int) -> tuple[p3d.NodePath, p3d.Lens, p3d.NodePath, View]:
    """A camera somewhere, with any lens and window; with its view of the scene."""
    rng = np.random.default_rng(seed)
    lens: p3d.Lens = p3d.PerspectiveLens() if seed % 2 else p3d.OrthographicLens()
    if seed % 2:
        lens.set_fov(*rng.uniform(20, 100, 2))
    else:
        lens.set_film_size(*rng.uniform(2, 9, 2))
    lens.set_near_far(0.5, 60.0)
    render = p3d.NodePath("render")
    node = render.attach_new_node(p3d.LensNode("camera", lens))
    node.set_pos_hpr(*rng.normal(size=3), *rng.uniform(-180, 180, 3))
    size = tuple(rng.choice([300.0, 720.0, 1111.0, 2500.0], 2))
    matrix = render.get_mat(node)
    view = View.of(p3d.LMatrix4f(matrix), lens.get_projection_mat(), size)
    assert view is not None
    return render, lens, node, view


@pytest.mark.parametrize("seed", range(8))
def test_points_are_where_the_lens_projects_them(seed):
    render, lens, node, view = camera(seed)
    rng = np.random.default_rng(seed)
    own = [p3d.LVector3f(*axis) for axis in np.eye(3).tolist()]
    axes = [render.get_relative_vector(node, axis) for axis in own]
    for found, axis in zip((view.right, view.forward, view.up), axes, strict=True):
        assert np.allclose(found, axis, atol=1e-6)
    inside = 0
    for _ in range(60):
        at = p3d.LPoint3f(*rng.uniform(-20, 20, 2), 0)
        at = p3d.LPoint3f(at.x, rng.uniform(-5, 70), at.y)
        world = render.get_relative_point(node, at)
        spot = view.project(tuple(world))
        there = p3d.LPoint3f()
        lens.project(at, there)
        if not 0.501 < at.y < 59.9:
            if not 0.499 < at.y < 60.1:
                assert spot is None
            continue
        inside += 1
        assert (spot.x, spot.y) == pytest.approx((there.x, there.y), abs=1e-4)
        assert -1.0 <= spot.depth <= 1.0
        # a step of one pixel upwards
        step = np.array(world) + view.pixel(spot.w) * np.array(view.up)
        above = view.project(tuple(step.tolist()))
        assert view.pixels_between(spot.x, spot.y, above.x, above.y) == pytest.approx(
            1.0, abs=2e-2
        )
        aside = view.pixels_between(spot.x, spot.y, spot.x + 0.2, spot.y)
        assert aside == pytest.approx(0.1 * view.width)
        depth = view.depth(spot.w)
        assert (
            depth is None if seed % 2 == 0 else depth == pytest.approx(at.y, rel=1e-4)
        )
    assert inside > 10


@pytest.mark.parametrize("seed", range(8))
def test_rays_meet_planes_and_lines_where_geometry_says(seed):
    render, lens, node, view = camera(seed)
    rng = np.random.default_rng(seed)
    for _ in range(40):
        x, y = rng.uniform(-1, 1, 2).tolist()
        near, far = p3d.LPoint3f(), p3d.LPoint3f()
        lens.extrude(p3d.LPoint2f(x, y), near, far)
        near, far = (np.array(render.get_relative_point(node, p)) for p in (near, far))
        ray = reference.unit(far - near)
        assert np.allclose(view.ray(x, y), ray, atol=1e-4)
        normal = reference.unit(rng.normal(size=3))
        through = near + rng.uniform(2, 20) * ray + rng.normal(size=3)
        sine = abs(ray @ normal)
        found = view.on_plane(x, y, tuple(through), tuple(normal), min_sine=0.9 * sine)
        wanted = near + ray * ((through - near) @ normal) / (ray @ normal)
        assert np.allclose(found, wanted, rtol=1e-3, atol=2e-3 / sine)
        edge_on = view.on_plane(
            x, y, tuple(through), tuple(normal), min_sine=1.1 * sine
        )
        assert edge_on is None
        facing = view.on_screen_plane(x, y, tuple(through))
        assert abs((np.array(facing) - through) @ view.forward) < 1e-3
        assert np.linalg.norm(np.cross(np.array(facing) - near, ray)) < 5e-3
        axis = reference.unit(rng.normal(size=3))
        across = np.linalg.norm(np.cross(axis, ray))
        line = tuple(through), tuple(axis)
        assert view.on_axis(x, y, *line, min_sine=1.01 * across) is None
        along = view.on_axis(x, y, *line, min_sine=0.5 * across)
        # least squares: both lines' nearest points
        pair, *_ = np.linalg.lstsq(
            np.stack([axis, -ray], 1), near - through, rcond=None
        )
        assert along == pytest.approx(pair[0], rel=1e-3, abs=2e-3 / across**2)


@pytest.mark.parametrize("scale", [(9, 9, 9), (0.1, 0.1, 0.1), (-1, 1, 1), (-8, 9, 9)])
@pytest.mark.parametrize("seed", range(4))
def test_rays_lead_away_from_scaled_and_mirrored_cameras(seed, scale):
    render, lens, node, view = camera(seed)
    node.set_scale(*scale)
    film = p3d.LMatrix4f(lens.get_projection_mat())
    view = View.of(p3d.LMatrix4f(render.get_mat(node)), film, (800.0, 600.0))
    near, far = p3d.LPoint3f(), p3d.LPoint3f()
    lens.extrude(p3d.LPoint2f(0.3, -0.2), near, far)
    near, far = (np.array(render.get_relative_point(node, p)) for p in (near, far))
    assert np.allclose(view.ray(0.3, -0.2), reference.unit(far - near), atol=1e-4)


def test_views_without_extent_are_none():
    lens = p3d.PerspectiveLens()
    film, size = p3d.LMatrix4f(lens.get_projection_mat()), (800.0, 600.0)
    whole = p3d.LMatrix4f.ident_mat()
    assert View.of(p3d.LMatrix4f(whole), film, size) is not None
    for k in range(3):
        flat = [1.0, 1.0, 1.0]
        flat[k] = 0.0
        assert View.of(p3d.LMatrix4f.scale_mat(*flat), film, size) is None
        broken = p3d.LMatrix4f(whole)
        broken.set_cell(k, k, math.nan)
        assert View.of(broken, film, size) is None
    for height, unit in ((100, 0.6), (432, 0.6), (720, 1.0), (1440, 2.0), (9000, 3.0)):
        view = View.of(p3d.LMatrix4f(whole), film, (800.0, float(height)))
        assert view.unit == pytest.approx(unit)


@pytest.mark.parametrize("signs", [(1, 1, 1), (1, -1, 1), (-1, 1, -1), (1, 1, -1)])
def test_positions_too_far_to_draw_are_none(signs):
    render = p3d.NodePath("render")
    node = render.attach_new_node("node")
    for share, drawn in ((0.3, True), (0.4, False)):
        point = [share * FAR * sign for sign in signs]
        node.set_pos(*point)
        found = world_position(render, node)
        assert (found is not None) == drawn
        node.set_pos(0, 0, 0)
        assert (world_position(render, node, tuple(point)) is not None) == drawn
    assert world_position(render, node, (1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("seed", range(6))
def test_distance_from_a_path_is_that_of_its_nearest_point(seed):
    *_, view = camera(seed)
    rng = np.random.default_rng(seed)
    half = 0.5 * np.array((view.width, view.height))
    for _ in range(30):
        a, b, c, at = rng.uniform(-1, 1, (4, 2)) * half
        found = distances(view, np.stack((a, b, c)), *(at / half).tolist())
        for (start, end), gap in zip(((a, b), (b, c)), found, strict=True):
            points = start + np.linspace(0, 1, 4001)[:, None] * (end - start)
            nearest = np.linalg.norm(points - at, axis=1).min()
            assert gap == pytest.approx(nearest, abs=0.5)
    same = np.tile(half * (0.1, 0.2), (2, 1))
    assert distances(view, same, 0.3, 0.2) == pytest.approx(0.1 * view.width)
    same[1] = np.nan
    assert distances(view, same, 0.3, 0.2) == np.inf


@pytest.mark.parametrize("seed", range(8))
def test_arrows_have_their_size_on_any_screen(seed):
    render, _, node, view = camera(seed)
    center = tuple(render.get_relative_point(node, (0.1, 8.0, 0.2)))
    middle = view.project(center)
    (arrow,) = arrows_around(view, center, {"z": view.up})
    for end, share in ((arrow.start, START), (arrow.end, END)):
        spot = view.project(end)
        seen = view.pixels_between(middle.x, middle.y, spot.x, spot.y)
        assert seen == pytest.approx(share * RADIUS * view.unit, rel=2e-3)
    # those that point at the eye are too short to drag
    drawn = []
    for degrees in range(0, 91, 3):
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        way = c * np.array(view.up) + s * np.array(view.forward)
        drawn.append(bool(arrows_around(view, center, {"z": tuple(way)})))
    assert drawn == sorted(drawn, reverse=True)
    assert all(drawn[: 60 // 3]) and not any(drawn[-2:])


def test_bones_of_limit_shapes_have_their_mean_length():
    rng = np.random.default_rng(4)
    parents = [-1, 0, 1, 1, 3, 3, 3, 0]
    steps = rng.normal(size=(8, 3))
    steps[2] = 0.0
    points = [steps[0]]
    for parent, step in zip(parents[1:], steps[1:], strict=True):
        points.append(points[parent] + step)
    sizes = np.linalg.norm(steps, axis=1)
    usual = sizes[1:].mean()
    wanted = []
    for j in range(8):
        below = [sizes[k] for k in range(8) if parents[k] == j]
        wanted.append((np.mean(below) if below else sizes[j]) or usual)
    assert _bone_lengths(SkeletonModel(points, parents)) == pytest.approx(wanted)
