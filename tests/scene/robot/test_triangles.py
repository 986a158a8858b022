"""Triangles of meshes, smoothed and loaded, compared with brute force over faces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from ikrig.scene.robot.body_visuals import _looks
from ikrig.scene.robot.geoms import smooth
from ikrig.scene.robot.mesh_loader import (
    CREASE,
    NO_COLOUR,
    SILENT,
    _part,
    _triangles,
    silent,
)
from tests import reference

# -- smoothing -------------------------------------------------------------------------


def soup(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A closed shape with smooth and sharp edges, some of its faces inside out."""
    points = rng.normal(size=(14, 3)) * rng.uniform(0.3, 3.0, 3)
    faces = ConvexHull(points).simplices
    corners = points[faces]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    out = np.einsum("ij,ij->i", cross, corners.mean(axis=1) - points.mean(axis=0))
    corners[out < 0] = corners[out < 0][:, ::-1]
    flipped = rng.random(len(corners)) < 0.15
    corners[flipped] = corners[flipped][:, ::-1]
    # every face has its own corners, in any order
    order = rng.permutation(3 * len(corners))
    return corners.reshape(-1, 3)[order], np.argsort(order).reshape(-1, 3)


def blended(corners: np.ndarray, crease: float) -> tuple[np.ndarray, int]:
    """Normals of corners (m, 3, 3) and how many differ, face by face."""
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    unit = cross / np.linalg.norm(cross, axis=1, keepdims=True)
    near = 1e-9 * np.ptp(corners, axis=(0, 1)).max()
    group = {(f, k): {(f, k)} for f in range(len(corners)) for k in range(3)}
    for f in range(len(corners)):
        for g in range(f):
            gaps = np.abs(corners[f][:, None] - corners[g]).max(axis=2)
            same = np.argwhere(gaps < near).tolist()
            if len(same) != 2 or unit[f] @ unit[g] <= math.cos(crease):
                continue
            for i, k in same:
                joined = group[f, i] | group[g, k]
                for corner in joined:
                    group[corner] = joined
    normals = np.zeros_like(corners)
    for (f, k), joined in group.items():
        for g, i in joined:
            at, one, other = (corners[g, (i + j) % 3] for j in range(3))
            cosine = reference.unit(one - at) @ reference.unit(other - at)
            normals[f, k] += math.acos(cosine) * unit[g]
        normals[f, k] /= np.linalg.norm(normals[f, k])
    return normals, len({id(joined) for joined in group.values()})


@pytest.mark.parametrize(("seed", "scale"), [(0, 1.0), (1, 1.0), (2, 1e-7), (3, 1e7)])
def test_normals_are_those_of_the_faces_that_blend(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    points, triangles = soup(rng)
    points *= scale
    wanted = points[triangles]
    crease = math.radians(rng.uniform(20.0, 70.0))
    found, normals, indices = smooth(points, triangles, crease)
    # the order of triangles and of their corners stays
    np.testing.assert_array_equal(found[indices], wanted)
    expected, count = blended(wanted, crease)
    assert np.allclose(normals[indices], expected, atol=1e-9)
    assert len(found) == len(normals) == count
    # as far as files round their numbers
    size = np.ptp(points, axis=0).max()
    rough = points + 1e-8 * size * rng.uniform(-1, 1, points.shape)
    near = smooth(rough, triangles, crease)
    assert len(near[0]) == count
    assert np.allclose(near[1][near[2]], expected, atol=1e-4)


def test_corners_whose_faces_cancel_out_have_the_normal_of_one() -> None:
    # three sheets on one edge, a third of a turn apart, behind some others
    edge = [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    ends = [(math.cos(a), math.sin(a), 0.5) for a in (0.0, math.tau / 3, -math.tau / 3)]
    aside = [(9.0 + x, y, 0.0) for x in range(3) for y in (0.0, 1.0, 2.5)]
    points = np.array([*edge, *ends, *aside])
    others = [(5, 8, 6), (6, 8, 9), (6, 9, 7), (8, 11, 9)]
    sheets = [(0, 1, 2), (0, 1, 3), (0, 1, 4)]
    found, normals, indices = smooth(points, np.array(others + sheets), math.pi)
    faces = [np.cross(edge[1], end) for end in ends]
    faces = [face / np.linalg.norm(face) for face in faces]
    for corner in np.unique(indices[4:, :2]):
        assert np.allclose(found[corner, :2], 0.0)
        assert min(np.abs(normals[corner] - face).max() for face in faces) < 1e-9


def test_both_sides_of_a_sheet_keep_their_normals() -> None:
    sheet = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], float)
    _, normals, indices = smooth(sheet, np.array([(0, 1, 2), (0, 2, 1)]), CREASE)
    assert np.allclose(normals[indices[0]], [0, 0, 1])
    assert np.allclose(normals[indices[1]], [0, 0, -1])


# -- from the importer -----------------------------------------------------------------

KINDS = (p3d.Geom.NT_uint8, p3d.Geom.NT_uint16, p3d.Geom.NT_uint32)


def shape(
    rng: np.random.Generator, columns: str, primitives: Sequence[p3d.GeomPrimitive]
) -> p3d.Geom:
    """A Geom of 60 random vertices with these columns."""
    layout = getattr(p3d.GeomVertexFormat, f"get_{columns}")()
    data = p3d.GeomVertexData("x", layout, p3d.Geom.UH_static)
    data.set_num_rows(60)
    for name in ("vertex", "normal", "texcoord"):
        if data.has_column(name):
            writer = p3d.GeomVertexWriter(data, name)
            for row in rng.normal(size=(60, 3)):
                vector = reference.unit(row) if name == "normal" else row
                writer.set_data3(*vector)
    geom = p3d.Geom(data)
    for primitive in primitives:
        geom.add_primitive(primitive)
    return geom


def indexed(kind: int, rows: np.ndarray) -> p3d.GeomPrimitive:
    primitive = p3d.GeomTriangles(p3d.Geom.UH_static)
    primitive.set_index_type(kind)
    for row in rows.tolist():
        primitive.add_vertices(*row)
    return primitive


def rows_of(geom: p3d.Geom, name: str) -> np.ndarray:
    """A column at the corners of a Geom's triangles, (m, 3, 3)."""
    data, found = geom.get_vertex_data(), []
    reader = p3d.GeomVertexReader(data, name)
    table = np.array([tuple(reader.get_data3()) for _ in range(data.get_num_rows())])
    for k in range(geom.get_num_primitives()):
        part = geom.get_primitive(k).decompose()
        index = [part.get_vertex(i) for i in range(part.get_num_vertices())]
        found.append(table[index].reshape(-1, 3, 3))
    return np.concatenate(found)


@pytest.mark.parametrize("columns", ["v3n3", "v3n3t2", "v3", "v3t2"])
@pytest.mark.parametrize("mirrored", [False, True])
def test_triangles_move_with_their_normals_and_places(columns, mirrored):
    rng = np.random.default_rng(len(columns))
    parts = [
        indexed(kind, 12 * k + rng.permutation(12).reshape(4, 3))
        for k, kind in enumerate(KINDS)
    ]
    plain = p3d.GeomTriangles(p3d.Geom.UH_static)
    # without indices, and not from the first vertex on
    plain.add_consecutive_vertices(37, 6)
    strip = p3d.GeomTristrips(p3d.Geom.UH_static)
    strip.add_consecutive_vertices(50, 5)
    strip.close_primitive()
    geom = shape(rng, columns, [*parts, plain, strip])
    matrix = np.eye(4)
    turn = Rotation.random(rng=rng).as_matrix()
    matrix[:3, :3] = turn @ np.diag([0.5, 2.0, -1.5 if mirrored else 1.5])
    matrix[:3, 3] = (1.0, -2.0, 3.0)
    made = _triangles(geom, matrix, facets=False)
    assert made is not None
    order = slice(None, None, -1 if mirrored else 1)
    places = rows_of(geom, "vertex")[:, order] @ matrix[:3, :3].T + matrix[:3, 3]
    found = rows_of(made, "vertex")
    assert len(found) == 4 * 3 + 2 + 3
    assert np.allclose(found, places, atol=1e-5)
    normals = rows_of(made, "normal")
    if "n3" in columns:
        # of surfaces: by the inverse transpose
        own = rows_of(geom, "normal")[:, order] @ np.linalg.inv(matrix[:3, :3])
        own /= np.linalg.norm(own, axis=2, keepdims=True)
        assert np.allclose(normals, own, atol=1e-5)
    else:
        wanted, _ = blended(places, CREASE)
        assert np.allclose(normals, wanted, atol=1e-4)
    textured = made.get_vertex_data().has_column("texcoord")
    assert textured == columns.endswith("t2")
    if textured:
        assert np.allclose(
            rows_of(made, "texcoord")[..., :2],
            rows_of(geom, "texcoord")[:, order, :2],
            atol=1e-6,
        )


def test_geoms_without_triangles_or_finite_points_are_left_out() -> None:
    rng = np.random.default_rng(1)
    points = p3d.GeomPoints(p3d.Geom.UH_static)
    points.add_next_vertices(12)
    assert _triangles(shape(rng, "v3n3", [points]), np.eye(4), facets=False) is None
    line = indexed(KINDS[1], np.array([(0, 1, 1)]))
    assert _triangles(shape(rng, "v3", [line]), np.eye(4), facets=False) is None
    whole = indexed(KINDS[1], np.array([(0, 1, 2)]))
    broken = np.eye(4)
    broken[0, 3] = math.inf
    geom = shape(rng, "v3n3", [whole])
    assert _triangles(geom, np.eye(4), facets=False) is not None
    assert _triangles(geom, broken, facets=False) is None


# -- looks -----------------------------------------------------------------------------


def looks(
    base=None, diffuse=None, texture=None, cull: int | None = None
) -> p3d.RenderState:
    state = p3d.RenderState.make_empty()
    if base is not None or diffuse is not None:
        material = p3d.Material()
        if diffuse is not None:
            material.set_diffuse(p3d.LColor(*diffuse))
        if base is not None:
            material.set_base_color(p3d.LColor(*base))
        state = state.set_attrib(p3d.MaterialAttrib.make(material))
    if texture is not None:
        state = state.set_attrib(p3d.TextureAttrib.make(texture))
    if cull is not None:
        state = state.set_attrib(p3d.CullFaceAttrib.make(cull))
    return state


RED, BLUE, WHITE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.5), (1.0, 1.0, 1.0, 1.0)
GREY, ALMOST = (*NO_COLOUR, 1.0), (0.6, 0.6, 0.61, 1.0)


def test_parts_look_as_their_material_says() -> None:
    image = p3d.Texture("x")
    image.setup_2d_texture(2, 2, p3d.Texture.T_unsigned_byte, p3d.Texture.F_rgb)
    image.make_ram_image()
    lost = p3d.Texture("lost")
    none, clockwise = (
        p3d.CullFaceAttrib.M_cull_none,
        p3d.CullFaceAttrib.M_cull_clockwise,
    )
    geom = p3d.Geom(
        p3d.GeomVertexData("x", p3d.GeomVertexFormat.get_v3n3(), p3d.Geom.UH_static)
    )
    for state, coloured, rgba, texture, both in (
        (looks(), True, None, None, False),
        (looks(base=RED), True, RED, None, False),
        (looks(diffuse=BLUE), True, BLUE, None, False),
        # what a file with no colours has: the importer's, in one number other
        (looks(diffuse=GREY), True, None, None, False),
        (
            looks(diffuse=(0.6, 0.6, 0.61, 1.0)),
            True,
            (0.6, 0.6, 0.61, 1.0),
            None,
            False,
        ),
        (looks(diffuse=RED), False, None, None, False),
        (looks(texture=image), True, WHITE, image, False),
        (looks(diffuse=RED, texture=image), True, RED, image, False),
        (looks(diffuse=RED, texture=image), False, WHITE, image, False),
        (looks(texture=lost), True, None, None, False),
        (looks(cull=none), True, None, None, True),
        (looks(cull=clockwise), True, None, None, False),
    ):
        part = _part(geom, state, coloured=coloured)
        assert part.rgba == (None if rgba is None else pytest.approx(rgba, abs=1e-6))
        assert (part.texture, part.two_sided) == (texture, both)
        assert part.geom is geom


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.5])
@pytest.mark.parametrize("textured", [False, True])
def test_states_show_colour_texture_and_sides(both, alpha, textured):
    image = p3d.Texture("x") if textured else None
    state = _looks((0.1, 0.2, 0.3, alpha), image, both)
    colour: Any = state.get_attrib(p3d.ColorAttrib)
    # the engine keeps 1024ths
    wanted = (0.1, 0.2, 0.3, alpha)
    assert tuple(colour.get_color()) == pytest.approx(wanted, abs=1e-3)
    found: Any = state.get_attrib(p3d.TransparencyAttrib)
    assert (found is not None) == (alpha < 1.0)
    assert found is None or found.get_mode() == p3d.TransparencyAttrib.M_alpha
    found = state.get_attrib(p3d.TextureAttrib)
    assert (found is not None) == textured
    assert found is None or found.get_texture() == image
    found = state.get_attrib(p3d.CullFaceAttrib)
    assert (found is not None) == both
    assert found is None or found.get_actual_mode() == p3d.CullFaceAttrib.M_cull_none


def test_engine_speaks_again_after_a_file() -> None:
    kinds = [p3d.Notify.ptr().get_category(name) for name in SILENT]
    before = [kind.get_severity() for kind in kinds]
    with pytest.raises(ValueError, match="inside"), silent():
        assert all(kind.get_severity() == p3d.NS_fatal for kind in kinds)
        raise ValueError("inside")
    assert [kind.get_severity() for kind in kinds] == before
    assert p3d.NS_fatal not in before
