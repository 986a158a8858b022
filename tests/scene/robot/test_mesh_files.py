"""Meshes of robots, compared with independent readers of their files."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import BindError, Body, Geom, MeshFile, Robot, RobotModel, load_robot
from ikrig.scene.robot.mesh_loader import load_mesh
from tests import reference
from tests.robot_files import cases, corners, visuals

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]])
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
WAY = "<translate>1 2 3</translate><rotate>0.6 0.8 0 40</rotate>"
# small ones are dropped by the importer
SMALL = "<translate>0 0.009 0</translate><rotate>0 0.6 0.8 0.5</rotate>"
RED, BLUE = (0.8, 0.1, 0.2, 1.0), (0.1, 0.2, 0.9, 0.5)


def text_stl() -> bytes:
    lines = ["solid x"]
    for face in FACES:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex " + " ".join(map(str, POINTS[i])) for i in face]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid x", ""]).encode()


def binary_stl() -> bytes:
    rows = [
        struct.pack("<12fH", 0, 0, 0, *POINTS[list(face)].ravel(), 0) for face in FACES
    ]
    return b"\0" * 80 + struct.pack("<I", len(FACES)) + b"".join(rows)


def ply(kind: str) -> bytes:
    """With colours at the corners when it is text."""
    text = kind == "ascii"
    names = ["float x", "float y", "float z", *["uchar red", "uchar blue"] * text]
    head = f"ply\nformat {kind} 1.0\nelement vertex {len(POINTS)}\n"
    head += "".join(f"property {name}\n" for name in names)
    head += f"element face {len(FACES)}\nproperty list uchar int vertex_indices\n"
    data = f"{head}end_header\n".encode()
    if not text:
        faces = [struct.pack("<B3i", 3, *face) for face in FACES]
        return data + POINTS.astype("<f4").tobytes() + b"".join(faces)
    lines = [f"{x} {y} {z} 255 9" for x, y, z in POINTS]
    lines += [f"3 {a} {b} {c}" for a, b, c in FACES]
    return data + "\n".join(lines).encode() + b"\n"


def obj(head: str = "") -> bytes:
    lines = [f"v {x} {y} {z}" for x, y, z in POINTS]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    return "\n".join([*lines[:4], head, *lines[4:], ""]).encode()


def dae(up: str = "Z_UP", meter: float = 1.0, colour=None, way=None) -> bytes:
    numbers = " ".join(map(str, POINTS.ravel()))
    index = " ".join(str(i) for face in FACES for i in face)
    effect = bind = ""
    if colour is not None:
        shade = " ".join(map(str, colour))
        effect = (
            '<library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong>'
            f"<diffuse><color>{shade}</color></diffuse></phong></technique>"
            "</profile_COMMON></effect></library_effects><library_materials>"
            '<material id="m"><instance_effect url="#e"/></material>'
            "</library_materials>"
        )
        bind = (
            "<bind_material><technique_common><instance_material symbol='s' "
            "target='#m'/></technique_common></bind_material>"
        )
    return (
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
        f'<asset><unit meter="{meter}"/><up_axis>{up}</up_axis></asset>{effect}'
        '<library_geometries><geometry id="g"><mesh><source id="p">'
        f'<float_array id="a" count="12">{numbers}</float_array><technique_common>'
        '<accessor source="#a" count="4" stride="3"><param name="X" type="float"/>'
        '<param name="Y" type="float"/><param name="Z" type="float"/></accessor>'
        '</technique_common></source><vertices id="v"><input semantic="POSITION" '
        f'source="#p"/></vertices><triangles count="{len(FACES)}" material="s"><input '
        f'semantic="VERTEX" source="#v" offset="0"/><p>{index}</p></triangles></mesh>'
        '</geometry></library_geometries><library_visual_scenes><visual_scene id="w">'
        f'<node id="n">{way or WAY}'
        f'<instance_geometry url="#g">{bind}</instance_geometry></node></visual_scene>'
        "</library_visual_scenes><scene><instance_visual_scene url='#w'/></scene>"
        "</COLLADA>"
    ).encode()


def glb() -> bytes:
    data = POINTS.astype("<f4").tobytes() + np.array(FACES, "<u2").tobytes()
    shape = {"attributes": {"POSITION": 0}, "indices": 1, "material": 0}
    red = {"pbrMetallicRoughness": {"baseColorFactor": RED}}
    span = {"min": POINTS.min(0).tolist(), "max": POINTS.max(0).tolist()}
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [shape]}],
        "materials": [red],
        "buffers": [{"byteLength": len(data)}],
        "bufferViews": [{"buffer": 0, "byteLength": 48},
         {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
        "accessors":
         [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", **span},
          {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
    }  # fmt: skip
    head = json.dumps(document).encode()
    head += b" " * (-len(head) % 4)
    return (
        struct.pack("<4sII", b"glTF", 2, 28 + len(head) + len(data))
        + struct.pack("<I4s", len(head), b"JSON")
        + head
        + struct.pack("<I4s", len(data), b"BIN\0")
        + data
    )


def rows(geom: p3d.Geom, column: str) -> np.ndarray:
    reader = p3d.GeomVertexReader(geom.get_vertex_data(), column)
    count = geom.get_vertex_data().get_num_rows()
    return np.array([tuple(reader.get_data3()) for _ in range(count)])


def triangles(geom: p3d.Geom) -> tuple[np.ndarray, np.ndarray]:
    """Corners and normals, (m, 3, 3) each."""
    primitive = geom.get_primitive(0)
    order = [primitive.get_vertex(i) for i in range(primitive.get_num_vertices())]
    found = rows(geom, "vertex")[order], rows(geom, "normal")[order]
    return found[0].reshape(-1, 3, 3), found[1].reshape(-1, 3, 3)


FILES = {
    "text.stl": text_stl(),
    "binary.stl": binary_stl(),
    "plain.obj": obj(),
    "text.ply": ply("ascii"),
    "binary.ply": ply("binary_little_endian"),
    "z.dae": dae(),
    "y.dae": dae("Y_UP"),
    "x.dae": dae("X_UP"),
    "cm.dae": dae("Z_UP", 0.01),
    "small.dae": dae("Z_UP", way=SMALL),
    "CAPITALS.STL": binary_stl(),
    "shape.glb": glb(),
}


@pytest.mark.parametrize("python_loaders", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_coordinates_match_the_file(tmp_path, name, python_loaders) -> None:
    if python_loaders:
        # a game that has loaded any model may read glTF by panda3d-gltf
        from direct.showbase.Loader import Loader

        Loader(None).destroy()
    path = tmp_path / name
    path.write_bytes(FILES[name])
    wanted = POINTS if path.suffix in (".glb", ".ply") else corners(path)
    for scale in ((1.0, 1.0, 1.0), (2.0, 3.0, -4.0)):
        (part,) = load_mesh(MeshFile(path, scale))
        found, normals = triangles(part.geom)
        expected = wanted * np.array(scale)
        far = np.abs(found.reshape(-1, 1, 3) - expected).max(axis=2)
        assert far.min(axis=0).max() < 1e-5
        assert far.min(axis=1).max() < 1e-5
        # faces look outwards, also mirrored, and normals with them
        assert np.linalg.det(found - found.mean((0, 1))).sum() > 0.0
        faces = np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0])
        assert np.einsum("ij,ikj->ik", faces, normals).min() > 0.0
        assert np.allclose(np.linalg.norm(normals, axis=2), 1.0, atol=1e-5)


def drawn(world, path: Path, **given) -> list[tuple[p3d.Geom, p3d.RenderState]]:
    geom = Geom("mesh", mesh=MeshFile(path), rgba=BLUE, collides=False, **given)
    robot = Robot(RobotModel([Body("b", geoms=[geom])]), world)
    assert robot.warnings == ()
    (node,) = [n for n in robot.body("b").get_children() if n.node().is_geom_node()]
    net, shapes = node.get_net_state(), node.node()
    count = shapes.get_num_geoms()
    states = [net.compose(shapes.get_geom_state(i)) for i in range(count)]
    return [(shapes.get_geom(i), states[i]) for i in range(count)]


def colour(state: p3d.RenderState) -> tuple[float, ...]:
    return tuple(state.get_attrib(p3d.ColorAttrib).get_color())


def test_mesh_colours_override_geom_colours(world, tmp_path) -> None:
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 0.8 0.1 0.2\n")
    files = {
        "own.obj": (obj("mtllib m.mtl\nusemtl red"), RED),
        "own.dae": (dae(colour=RED), RED),
        "own.glb": (glb(), RED),
        "none.obj": (obj(), BLUE),
        "lost.obj": (obj("mtllib no.mtl\nusemtl red"), BLUE),
        "none.dae": (dae(), BLUE),
        "none.stl": (binary_stl(), BLUE),
        "text.ply": (ply("ascii"), BLUE),
        "binary.ply": (ply("binary_little_endian"), BLUE),
    }
    for name, (data, wanted) in files.items():
        (tmp_path / name).write_bytes(data)
        ((_, state),) = drawn(world, tmp_path / name)
        # the engine keeps 1024ths
        assert colour(state) == pytest.approx(wanted, abs=1e-3), name
        assert (state.get_attrib(p3d.TransparencyAttrib) is not None) == (
            wanted[3] < 1.0
        )


def test_textures_are_applied(world, tmp_path) -> None:
    image = p3d.PNMImage(2, 2)
    image.fill(0, 1, 0)
    for name in ("own.png", "given.png"):
        image.write(p3d.Filename(str(tmp_path / name)))
    uv = "vt 0 0\nvt 1 0\nvt 0 1\nvt 1 1\n"
    mesh = "".join(f"v {x} {y} {z}\n" for x, y, z in POINTS) + uv
    mesh += "".join(
        "f " + " ".join(f"{i + 1}/{i + 1}" for i in face) + "\n" for face in FACES
    )
    (tmp_path / "m.mtl").write_text("newmtl green\nKd 1 1 1\nmap_Kd own.png\n")
    (tmp_path / "own.obj").write_text(f"mtllib m.mtl\nusemtl green\n{mesh}")
    (tmp_path / "none.obj").write_text(mesh)
    given = tmp_path / "given.png"
    for name, wanted in (("own.obj", "own.png"), ("none.obj", "given.png")):
        ((geom, state),) = drawn(world, tmp_path / name, texture=given)
        texture = state.get_attrib(p3d.TextureAttrib).get_texture()
        assert Path(texture.get_fullpath().to_os_specific()).name == wanted
        # each corner keeps its place in the image
        found, places = rows(geom, "vertex"), rows(geom, "texcoord")
        for point, place in zip(found, places, strict=True):
            i = np.abs(POINTS - point).sum(axis=1).argmin()
            assert place[:2].tolist() == [i % 2, i // 2]


def test_unreadable_texture_is_reported_and_its_mesh_drawn(world, tmp_path) -> None:
    mesh, image = tmp_path / "none.obj", tmp_path / "broken.png"
    mesh.write_bytes(obj())
    image.write_bytes(b"nothing")
    geom = Geom("mesh", mesh=MeshFile(mesh), rgba=BLUE, texture=image)
    robot = Robot(RobotModel([Body("b", geoms=[geom])]), world)
    assert robot.warnings == ("texture broken.png can't be read as an image",)
    (node,) = [n for n in robot.body("b").get_children() if n.node().is_geom_node()]
    state = node.get_net_state().compose(node.node().get_geom_state(0))
    assert colour(state) == pytest.approx(BLUE, abs=1e-3)
    assert state.get_attrib(p3d.TextureAttrib) is None


def test_undrawable_meshes_are_reported(world, tmp_path, capfd) -> None:
    for name in ("broken.dae", "empty.stl", "cut.glb"):
        path = tmp_path / name
        path.write_bytes(b"nothing")
        with pytest.raises(BindError, match=f"{name}: "):
            load_mesh(MeshFile(path))
        geom = Geom("mesh", mesh=MeshFile(path), collides=False)
        robot = Robot(RobotModel([Body("b", geoms=[geom])], warnings=("a",)), world)
        assert robot.warnings[0] == "a"
        assert robot.warnings[1].startswith(f"a shape of b is not drawn: {name}: ")
    with pytest.raises(BindError, match="No such file"):
        load_mesh(MeshFile(tmp_path / "no.dae"))
    # the engine does not speak in between
    assert capfd.readouterr().err == ""


# Collada with z up and with y up, STL mirrored and scaled, OBJ and OBJ scaled
NAMES = (
    *("ur5_robot", "quadrotor_base", "hextilt_flying_arm_5"),
    *("talos_reduced", "solo", "quadruped"),
)


@pytest.mark.parametrize(
    "path",
    [
        case
        for name in NAMES
        for case in cases("example-robot-data", f"**/robots/**/{name}.urdf")
    ],
)
def test_robots_look_as_their_files_say(world, path) -> None:
    model = load_robot(path, allow=[path.parents[2]])
    robot = Robot(model, world)
    found: dict[str, list[p3d.NodePath]] = {}
    for name in model.body_names:
        nodes = robot.body(name).get_children()
        found[name] = [node for node in nodes if node.node().is_geom_node()]
    checked = 0
    for link, visual in visuals(path):
        mesh = visual.find("geometry/mesh")
        if mesh is None:
            continue
        node = found[link].pop(0)
        name = mesh.get("filename").split("/", 3)[-1]
        (file,) = {f for f in (p / name for p in path.parents) if f.is_file()} or {None}
        scale = np.array((mesh.get("scale") or "1 1 1").split(), float)
        origin = visual.find("origin")
        xyz, rpy = (
            np.array(
                (("" if origin is None else origin.get(k)) or "0 0 0").split(), float
            )
            for k in ("xyz", "rpy")
        )
        x, y, z = (
            reference.axis_angle(a, t) for a, t in zip(np.eye(3), rpy, strict=True)
        )
        wanted = (corners(file) * scale) @ (z @ y @ x).T + xyz
        low, high = node.get_tight_bounds(node.get_parent())
        size = np.ptp(wanted, axis=0).max()
        assert np.allclose(low, wanted.min(axis=0), atol=1e-4 * size), (link, name)
        assert np.allclose(high, wanted.max(axis=0), atol=1e-4 * size), (link, name)
        checked += 1
    assert checked


def test_missing_files_of_a_mesh_are_reported(tmp_path) -> None:
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 0.8 0.1 0.2\n")
    (tmp_path / "lost.obj").write_bytes(obj("mtllib no.mtl\nusemtl red"))
    (tmp_path / "own.obj").write_bytes(obj("mtllib m.mtl\nusemtl red"))
    shapes = "".join(
        f'<visual><geometry><mesh filename="{name}.obj"/></geometry></visual>'
        for name in ("lost", "own", "lost")
    )
    path = tmp_path / "r.urdf"
    path.write_text(f'<robot name="r"><link name="base">{shapes}</link></robot>')
    # once, however often it is drawn
    assert load_robot(path).warnings == (
        "mesh lost.obj refers to 'no.mtl', which was not found: it is drawn "
        "without that file",
    )
