"""Mesh files of robots, through the engine's own loader.

Panda3D opens Collada, STL, OBJ and PLY files by its library p3assimp, and glTF by that
or the package panda3d-gltf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from math import radians
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import panda3d.core as p3d

from ...errors import BindError
from ...math3d.quaternion import Floats
from ...model.body_spec import MeshFile
from .geoms import Ints, attrib_of, make_geom, nodes_below, smooth

CREASE = radians(40.0)
PLAIN = ("stl", "ply")
"""Endings of files without materials, to which the importer gives one of its own."""
NO_COLOUR = (0.6, 0.6, 0.6)
"""Colour that the importer gives to parts without a material."""
SILENT = ("assimp", "loader", "gobj", "texture", "pnmimage")
"""Categories that report errors in files; ``Robot.warnings`` has them by name."""


@dataclass(frozen=True, eq=False)
class MeshPart:
    """Triangles of one material.

    geom: The triangles, in the frame of the geom.
    rgba: Colour of the material; None: it has none.
    texture: Texture of the material, or None.
    two_sided: Whether back faces are visible.
    """

    geom: p3d.Geom
    rgba: tuple[float, ...] | None
    texture: p3d.Texture | None
    two_sided: bool


def load_mesh(mesh: MeshFile) -> tuple[MeshPart, ...]:
    """Return the parts of a mesh file; it is read again only when it changes."""
    try:
        stamp = mesh.path.stat()
    except OSError as error:
        raise BindError(f"{mesh.path}: {error.strerror}") from None
    x, y, z = map(float, mesh.scale)
    return _load(MeshFile(mesh.path, (x, y, z)), stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=512)
def _load(mesh: MeshFile, time: int, size: int) -> tuple[MeshPart, ...]:
    path = mesh.path
    ending = path.suffix[1:].lower()
    loader = p3d.Loader.get_global_ptr()
    options = p3d.LoaderOptions(p3d.LoaderOptions.LF_no_cache)
    with silent():
        model = loader.load_sync(p3d.Filename.from_os_specific(str(path)), options)
    kind = p3d.LoaderFileTypeRegistry.get_global_ptr().get_type_from_extension(ending)
    if kind is None:
        raise BindError(
            f"{path.name}: Panda3D can't open .{ending} files with its present "
            "settings: its library p3assimp can; set 'load-file-type p3assimp' in "
            "Config.prc, and include p3assimp among the plugins of a built game"
        )
    if model is None:
        raise BindError(f"{path.name}: Panda3D can't open it: not a .{ending} file")
    scale = np.diag([*mesh.scale, 1.0])
    to_geom = scale @ _undone_turn(path, kind.get_name() == "Python loader")
    root = p3d.NodePath("mesh")
    p3d.NodePath(model).reparent_to(root)
    if ending == "dae":
        restore_movements(root, path)
    parts = []
    for node, shapes in nodes_below(root, p3d.GeomNode):
        # rows there, columns here
        matrix = to_geom @ np.array(node.get_mat(root)).T
        net = node.get_net_state()
        for i in range(shapes.get_num_geoms()):
            geom = shapes.get_geom(i)
            state = net.compose(shapes.get_geom_state(i))
            made = _triangles(geom, matrix, facets=ending == "stl")
            if made is not None:
                parts.append(_part(made, state, coloured=ending not in PLAIN))
    if not parts:
        raise BindError(f"{path.name}: contains no triangles")
    return tuple(parts)


def _undone_turn(path: Path, to_z_up: bool) -> Floats:
    """Return the rotation back to the file's own coordinates, (4, 4).

    The importer rotates Collada files to y up, and panda3d-gltf glTF files to z up;
    robot files refer to the numbers as written.
    """
    matrix = np.eye(4)
    up = up_axis(path) if path.suffix.lower() == ".dae" else ""
    if up == "X":
        matrix[:2, :2] = [[0.0, 1.0], [-1.0, 0.0]]
    elif up == "Z":
        matrix[1:3, 1:3] = [[0.0, -1.0], [1.0, 0.0]]
    elif to_z_up:
        matrix[1:3, 1:3] = [[0.0, 1.0], [-1.0, 0.0]]
    return matrix


def _triangles(geom: p3d.Geom, matrix: Floats, *, facets: bool) -> p3d.Geom | None:
    """Return a Geom's triangles in new coordinates; None if it has none.

    Args:
        geom: The Geom as loaded.
        matrix: To the new coordinates, (4, 4), column vectors.
        facets: Whether its normals are those of flat faces, to be smoothed.
    """
    layout = p3d.GeomVertexFormat.get_v3n3t2()
    data = geom.get_vertex_data()
    textured = data.has_column(p3d.InternalName.get_texcoord())
    facets = facets or not data.has_column(p3d.InternalName.get_normal())
    rows = _table(data.convert_to(layout).get_array(0), "f")
    rows = rows.reshape(-1, layout.get_array(0).get_stride() // 4)
    triangles = _rows_of(geom.decompose())
    if not len(triangles):
        return None
    linear = matrix[:3, :3]
    points = rows[:, :3] @ linear.T + matrix[:3, 3]
    # a mirror turns triangles inside out
    if np.linalg.det(linear) < 0.0:
        triangles = triangles[:, ::-1]
    uv = rows[:, 6:]
    if facets:
        corners = points[triangles]
        sides = corners[:, 1:] - corners[:, :1]
        area = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
        size = max(float(np.ptp(points, axis=0).max()), 1e-30)
        triangles = triangles[area > 2e-12 * size * size]
        uv = uv[triangles.reshape(-1)]
        points, normals, triangles = smooth(points, triangles, CREASE)
        if textured:
            order = triangles.reshape(-1)
            points, normals = points[order], normals[order]
            triangles = np.arange(len(order)).reshape(-1, 3)
    else:
        normals = rows[:, 3:6] @ np.linalg.inv(linear)
        size = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = normals / np.maximum(size, 1e-12)
    if not len(triangles) or not np.isfinite(points).all():
        return None
    if not textured:
        table = np.hstack((points, normals)).astype(np.float32)
        return make_geom(p3d.GeomVertexFormat.get_v3n3(), table, triangles)
    table = np.hstack((points, normals, uv)).astype(np.float32)
    return make_geom(layout, table, triangles)


def _rows_of(geom: p3d.Geom) -> Ints:
    """Return the triangles of a decomposed Geom, (m, 3)."""
    found = [np.zeros(0, np.int64)]
    for i in range(geom.get_num_primitives()):
        primitive = geom.get_primitive(i)
        if not isinstance(primitive, p3d.GeomTriangles):
            continue
        if primitive.is_indexed():
            kinds = {
                p3d.GeomEnums.NT_uint8: "B",
                p3d.GeomEnums.NT_uint16: "H",
                p3d.GeomEnums.NT_uint32: "I",
            }
            code = kinds[primitive.get_index_type()]
            rows = _table(primitive.get_vertices(), code).astype(np.int64)
        else:
            first = primitive.get_first_vertex()
            rows = np.arange(first, first + primitive.get_num_vertices())
        found.append(rows)
    return np.concatenate(found).reshape(-1, 3)


def _table(array: p3d.GeomVertexArrayData, code: str) -> Floats:
    data: bytes = array.get_handle().get_data()
    return np.frombuffer(data, np.dtype(code))


def _part(geom: p3d.Geom, state: p3d.RenderState, *, coloured: bool) -> MeshPart:
    rgba: tuple[float, ...] | None = None
    material = attrib_of(state, p3d.MaterialAttrib)
    if material is not None and material.get_material() is not None:
        made = material.get_material()
        if made.has_base_color():
            rgba = tuple(made.get_base_color())
        elif made.has_diffuse():
            rgba = tuple(made.get_diffuse())
    images = attrib_of(state, p3d.TextureAttrib)
    texture = images.get_texture() if images is not None else None
    if texture is not None and not texture.has_ram_image():
        texture = None
    none = rgba is None or np.allclose(rgba[:3], NO_COLOUR, atol=1e-6)
    if none or not coloured:
        rgba = None if texture is None else (1.0, 1.0, 1.0, 1.0)
    cull = attrib_of(state, p3d.CullFaceAttrib)
    both = p3d.CullFaceAttrib.M_cull_none
    two_sided = cull is not None and cull.get_effective_mode() == both
    return MeshPart(geom, rgba, texture, two_sided)


@contextmanager
def silent() -> Iterator[None]:
    """Silence the messages of the engine and panda3d-gltf on errors in files."""
    notify = p3d.Notify.ptr()
    kinds = [notify.get_category(name) for name in SILENT]
    before = [kind.get_severity() for kind in kinds]
    for kind in kinds:
        kind.set_severity(p3d.NS_fatal)
    try:
        # panda3d-gltf prints warnings, and the engine its tracebacks
        with redirect_stderr(StringIO()), redirect_stdout(StringIO()):
            yield
    finally:
        for kind, severity in zip(kinds, before, strict=True):
            kind.set_severity(severity)


LARGEST_DROPPED = 0.0101
SCENES = re.compile(rb"<library_(visual_scenes|nodes)\b.*?</library_\1>", re.DOTALL)


def up_axis(path: Path) -> str:
    """Return the up axis of a file: "X", "Y", "Z", or "" if it names none."""
    found = re.search(rb"<up_axis>\s*([XYZ])_UP", path.read_bytes())
    return found.group(1).decode() if found else ""


def restore_movements(model: p3d.NodePath, path: Path) -> None:
    dropped = _small_movements(path.read_bytes())
    if not dropped:
        return
    for node in model.find_all_matches("**"):
        matrix = dropped.get(node.get_name())
        if matrix is not None and node.get_transform().is_identity():
            # its rows are columns there
            node.set_mat(p3d.LMatrix4f(*matrix.T.ravel().tolist()))


def _small_movements(data: bytes) -> dict[str, Floats]:
    found = {}
    for library in SCENES.finditer(data):
        try:
            root = ElementTree.fromstring(library.group(0))
        except ElementTree.ParseError:
            # prefixes of other namespaces, which no exporter for robots writes
            continue
        for node in root.iter("node"):
            matrix = _matrix(node)
            far = np.abs(matrix - np.eye(4)).max()
            if 0.0 < far <= LARGEST_DROPPED and node.get("id"):
                found[node.get("id", "")] = matrix
    return found


def _matrix(node: ElementTree.Element) -> Floats:
    """Return a node's transform in its parent, (4, 4)."""
    matrix = np.eye(4)
    for part in node:
        try:
            values = np.array((part.text or "").split(), float)
        except ValueError:
            continue
        step = np.eye(4)
        if part.tag == "matrix" and values.shape == (16,):
            step = values.reshape(4, 4)
        elif part.tag == "translate" and values.shape == (3,):
            step[:3, 3] = values
        elif part.tag == "scale" and values.shape == (3,):
            step[:3, :3] = np.diag(values)
        elif part.tag == "rotate" and values.shape == (4,):
            turn = p3d.LMatrix3f.rotate_mat(
                float(values[3]), p3d.LVector3f(*values[:3])
            )
            step[:3, :3] = np.array(turn).T
        matrix = matrix @ step
    return matrix
