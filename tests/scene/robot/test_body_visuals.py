"""Drawn shapes of robots: size, orientation of faces, and smoothness."""

from __future__ import annotations

import gc
import math

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig import Body, Geom, Robot, RobotModel
from ikrig.scene.robot.geoms import smooth
from ikrig.scene.robot.joint_nodes import RobotJoint
from ikrig.scene.robot.robot_nodes import not_drawn

SIZE = (0.3, 0.5, 0.7)


def triangles_of(geom: p3d.Geom) -> tuple[np.ndarray, np.ndarray]:
    """Corners and their normals, (m, 3, 3) each."""
    data, found = geom.get_vertex_data(), []
    index = geom.get_primitive(0).decompose()
    rows = [index.get_vertex(i) for i in range(index.get_num_vertices())]
    for column in ("vertex", "normal"):
        reader = p3d.GeomVertexReader(data, column)
        values = np.array(
            [tuple(reader.get_data3()) for _ in range(data.get_num_rows())]
        )
        found.append(values[rows].reshape(-1, 3, 3))
    return found[0], found[1]


def volume(corners: np.ndarray) -> float:
    """Signed: positive when counter-clockwise faces look outwards."""
    return float(np.linalg.det(corners).sum() / 6.0)


def drawn(tree: Robot, body: str) -> list[p3d.NodePath]:
    """The nodes of a body's shapes, in the order of its geoms."""
    return [n for n in tree.body(body).get_children() if n.node().is_geom_node()]


def tree_of(world, *geoms: Geom, **options) -> Robot:
    return Robot(RobotModel([Body("b", geoms=geoms)]), world, **options)


X, Y, Z = SIZE
BALL = 4.0 / 3.0 * math.pi
SOLIDS = {
    "box": ((X, Y, Z), 8 * X * Y * Z),
    "sphere": ((X, X, X), BALL * X**3),
    "ellipsoid": ((X, Y, Z), BALL * X * Y * Z),
    "cylinder": ((X, X, Y), 2 * math.pi * X * X * Y),
    "capsule": ((X, X, X + Y), BALL * X**3 + 2 * math.pi * X * X * Y),
}


@pytest.mark.parametrize("kind", SOLIDS)
def test_solids_have_their_size_and_face_outwards(world, kind) -> None:
    half, wanted = SOLIDS[kind]
    (node,) = drawn(tree_of(world, Geom(kind, SIZE)), "b")
    corners, normals = triangles_of(node.node().get_geom(0))
    assert np.abs(corners).max(axis=(0, 1)) == pytest.approx(half, rel=1e-3)
    assert volume(corners) == pytest.approx(wanted, rel=0.03)
    assert np.linalg.norm(normals, axis=2) == pytest.approx(1.0, abs=1e-5)
    # normals are those of the surface: nearly, on facets of curved ones
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    assert np.einsum("ij,ikj->ik", faces, normals).min() > 0.96
    if kind == "sphere":
        assert np.allclose(normals, corners / X, atol=1e-2)
    if kind == "box":
        assert np.allclose(normals, np.repeat(faces[:, None], 3, axis=1), atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        # 32 round the axis, 8 from pole to equator, where a capsule has its cylinder
        *(("sphere", 2 * 32 * 15), ("ellipsoid", 2 * 32 * 15)),
        *(("capsule", 2 * 32 * 16), ("cylinder", 2 * 32 * 2)),
        *(("box", 12), ("plane", 2)),
    ],
)
def test_solids_have_as_few_triangles_as_look_round(world, kind, count) -> None:
    (node,) = drawn(tree_of(world, Geom(kind, SIZE)), "b")
    assert len(triangles_of(node.node().get_geom(0))[0]) == count
    # satin, in the colour of the node
    material = node.get_material()
    assert tuple(material.get_specular()) == pytest.approx((0.18, 0.18, 0.18, 1.0))
    assert material.get_shininess() == 24.0
    assert not material.has_diffuse() and not material.has_base_color()


def test_quaternion_of_any_length_only_rotates(world) -> None:
    geoms = [Geom("box", SIZE, (1, 2, 3), (w, 0, 0, w)) for w in (0.7, 1.0, 30.0)]
    for node in drawn(tree_of(world, *geoms), "b"):
        corners, _ = triangles_of(node.node().get_geom(0))
        mat = np.array(node.get_net_transform().get_mat())
        placed = corners @ mat[:3, :3] + mat[3, :3]
        assert np.ptp(placed, axis=(0, 1)) == pytest.approx((2 * Y, 2 * X, 2 * Z))
        assert placed.mean(axis=(0, 1)) == pytest.approx((1, 2, 3), abs=1e-5)


@pytest.mark.parametrize(("size", "half"), [((2, 3, 0.1), (2, 3)), ((0, 0, 1), None)])
def test_planes_are_drawn(world, size, half) -> None:
    (node,) = drawn(tree_of(world, Geom("plane", size)), "b")
    corners, normals = triangles_of(node.node().get_geom(0))
    assert np.allclose(normals, [0, 0, 1])
    reach = np.abs(corners).max(axis=(0, 1))
    assert reach[2] == 0.0
    # one without ends is drawn as a square of 100
    assert tuple(reach[:2]) == (half or (50.0, 50.0))


def globe(rows: int = 12, columns: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """A unit sphere as CAD programs write it: every triangle has its own corners."""
    up = np.linspace(0, math.pi, rows + 1)[:, None]
    round_ = np.linspace(0, 2 * math.pi, columns + 1)[None]
    grid = np.stack(
        np.broadcast_arrays(
            np.sin(up) * np.cos(round_), np.sin(up) * np.sin(round_), np.cos(up)
        ),
        axis=-1,
    )
    a, b = grid[:-1, :-1], grid[1:, :-1]
    c, d = grid[1:, 1:], grid[:-1, 1:]
    points = np.concatenate(
        [np.stack(t, axis=2).reshape(-1, 3) for t in ((a, b, c), (a, c, d))]
    )
    return points, np.arange(len(points)).reshape(-1, 3)


def test_unwelded_meshes_are_smooth() -> None:
    points, triangles = globe()
    found, normals, indices = smooth(points, triangles, math.radians(40.0))
    # two poles, and the seam is closed
    assert len(found) == 11 * 16 + 2
    assert np.abs(normals - found).max() < 0.02
    # triangles of no area at the poles are gone
    assert len(indices) == 2 * 12 * 16 - 2 * 16
    assert volume(found[indices]) > 3.9


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_triangulation_of_flat_faces_does_not_matter(scale) -> None:
    # a roof of two slopes; one of them cut into a fan of slivers
    edge = [(0, t, 0) for t in np.linspace(0, 1, 40)]
    points = [(1, 0.5, -0.3), *edge, (-1, 0, -0.3), (-1, 1, -0.3)]
    fan = [(0, i + 2, i + 1) for i in range(39)]
    slope = [(41, 1, 40), (41, 40, 42)]
    found, normals, _ = smooth(
        scale * np.array(points), np.array([*fan, *slope]), math.radians(60.0)
    )
    ridge = np.abs(found[:, 0]) < 1e-9 * scale
    # of two slopes of the same steepness the mean points upwards
    middle = ridge & (found[:, 1] > 0.01 * scale) & (found[:, 1] < 0.99 * scale)
    corner = normals[ridge & ~middle]
    assert (np.abs(corner[:, 1]) < 0.2).all()
    assert (normals[:, 2] > 0.9).all()


def test_colour_position_and_opacity(world) -> None:
    half = math.sqrt(0.5)
    tree = tree_of(
        world,
        Geom("box", SIZE, (1, 2, 3), (half, 0, 0, half), rgba=(0.1, 0.2, 0.3, 1)),
        Geom("box", SIZE, rgba=(1, 1, 1, 0.5), name="glass"),
        Geom("box", SIZE, rgba=(1, 1, 1, 0)),
    )
    solid, glass = drawn(tree, "b")
    assert solid.get_pos(world) == p3d.LPoint3f(1, 2, 3)
    assert solid.get_h() == pytest.approx(90.0, abs=1e-4)
    # Panda keeps 8 bits of each
    assert tuple(solid.get_color()) == pytest.approx((0.1, 0.2, 0.3, 1.0), abs=3e-3)
    assert not solid.has_transparency()
    assert glass.get_name() == "glass shape"
    assert glass.get_transparency() == p3d.TransparencyAttrib.M_alpha
    assert tuple(glass.get_color()) == pytest.approx((1.0, 1.0, 1.0, 0.5), abs=3e-3)


def test_visual_shapes_are_drawn(world) -> None:
    model = RobotModel(
        [
            # a robot of two sets: what is seen, and what collides in its stead
            Body(
                "link",
                geoms=[
                    Geom("box", SIZE, group=1, collides=False, name="seen"),
                    Geom("sphere", SIZE, group=0, name="hit"),
                ],
            ),
            # one set, where an ornament doesn't collide
            Body(
                "head",
                geoms=[
                    Geom("sphere", SIZE, name="skull"),
                    Geom("sphere", SIZE, collides=False, name="eye"),
                ],
            ),
            # its meshes could not be read, or are hidden
            Body(
                "foot",
                geoms=[
                    Geom("box", SIZE, group=3, name="sole"),
                    Geom("box", SIZE, group=5, collides=False, name="bone"),
                ],
            ),
        ]
    )

    def names(shapes) -> list[list[str]]:
        tree = Robot(model, world, shapes=shapes)
        bodies = ("link", "head", "foot")
        return [[n.get_name()[:-6] for n in drawn(tree, body)] for body in bodies]

    assert names("visual") == [["seen"], ["skull", "eye"], ["sole"]]
    assert names("collision") == [["hit"], ["skull"], ["sole"]]
    assert names(None) == [[], [], []]
    with pytest.raises(ikrig.SettingError, match="'visual', 'collision' or None"):
        Robot(model, world, shapes="all")


def test_listing_undrawn_shapes_leaves_nothing_behind() -> None:
    def joints() -> int:
        gc.collect()
        return sum(type(x) is RobotJoint for x in gc.get_objects())

    before = joints()
    model = RobotModel([Body("base"), Body("arm", "base")])
    assert not_drawn(model) == ()
    assert joints() == before


def test_robot_without_shapes_is_drawn_as_bones(tmp_path):
    path = tmp_path / "bare.urdf"
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    joint = (
        '<joint name="{0}{1}" type="continuous"><parent link="{0}"/><child link="{1}"/>'
        '<origin xyz="{2}"/><axis xyz="0 1 0"/></joint>'
    )
    joints = joint.format("a", "b", "0 0 1") + joint.format("b", "c", "2 0 0")
    path.write_text(f'<robot name="bare">{links}{joints}</robot>')
    robot = Robot(ikrig.load_robot(path), p3d.NodePath("scene"))
    low, high = robot.root.get_tight_bounds()
    assert np.allclose(low, (-0.18, -0.18, -0.12), atol=0.01)
    assert np.allclose(high, (2.18, 0.18, 1.18), atol=0.01)
    # they follow the joints: the second bone points down
    robot.joints["ab"].value = np.pi / 2.0
    assert abs(robot.root.get_tight_bounds()[0].z + 1.18) < 0.01
    hidden = Robot(ikrig.load_robot(path), p3d.NodePath("scene"), shapes=None)
    assert hidden.root.get_tight_bounds() is None
