"""A scene with a camera and gizmos for the tests of the layer."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d

from ikrig import IKChain, IKTree
from ikrig.scene.gizmos import Gizmos
from tests.scene.conftest import limb

DRAW_TASK = "ikrig-gizmos-draw"
SIZE = (1280, 720)  # of the window that a camera without one is given, about


class Stage:
    """A scene with a camera and its gizmos, no window."""

    def __init__(self, lens: p3d.Lens | None = None) -> None:
        self.render = p3d.NodePath("render")
        self.camera_node = p3d.Camera("camera")
        if lens is None:
            lens = p3d.PerspectiveLens()
            lens.set_fov(50)
        lens.set_aspect_ratio(SIZE[0] / SIZE[1])
        self.camera_node.set_lens(lens)
        self.camera = self.render.attach_new_node(self.camera_node)
        self.camera.set_pos(3, -14, 6)
        self.camera.look_at(0, 0, 1)
        self.gizmos = Gizmos(self.render, self.camera, lens_source=self.camera_node)

    def node(self, *pos: float, parent: p3d.NodePath | None = None) -> p3d.NodePath:
        node = (parent or self.render).attach_new_node("handle")
        node.set_pos(self.render, *pos)
        return node

    def screen(self, node: p3d.NodePath) -> p3d.LPoint2:
        """Project a node by Panda's own lens code."""
        point = p3d.LPoint2()
        lens = self.camera_node.get_lens()
        lens.project(self.camera.get_relative_point(node, (0, 0, 0)), point)
        return point

    def ray(self, x: float, y: float) -> tuple[p3d.LPoint3, p3d.LVector3]:
        near, far = p3d.LPoint3(), p3d.LPoint3()
        assert self.camera_node.get_lens().extrude((x, y), near, far)
        near = self.render.get_relative_point(self.camera, near)
        far = self.render.get_relative_point(self.camera, far)
        direction = far - near
        direction.normalize()
        return near, direction

    def depth(self, node: p3d.NodePath) -> float:
        return self.camera.get_relative_point(node, (0, 0, 0)).y


def off_axis() -> p3d.Lens:
    lens = p3d.PerspectiveLens()
    lens.set_film_size(36, 24)
    lens.set_film_offset(4, -3)
    lens.set_focal_length(40)
    return lens


def orthographic() -> p3d.Lens:
    lens = p3d.OrthographicLens()
    lens.set_film_size(16, 9)
    return lens


def endless() -> p3d.Lens:
    lens = p3d.PerspectiveLens()
    lens.set_far(math.inf)
    return lens


def turned() -> p3d.Lens:
    lens = p3d.PerspectiveLens()
    lens.set_view_hpr(8, -5, 12)
    return lens


LENSES = {
    "perspective": lambda: None,
    "orthographic": orthographic,
    "off-axis": off_axis,
    "infinite-far": endless,
    "turned": turned,
}

PARENTS = {
    "identity": {},
    "moved": {"pos": (2, -1, 0.5)},
    "rotated": {"hpr": (40, 25, -70)},
    "uniform": {"scale": (3.7, 3.7, 3.7), "hpr": (10, 0, 5)},
    "non-uniform": {"scale": (0.4, 2.5, 1.2), "hpr": (30, -20, 15)},
    "mirrored": {"scale": (1, 1, -1.45), "pos": (0, 1, 2), "hpr": (0, 30, 0)},
    "sheared": {"shear": (0.4, -0.2, 0.3), "scale": (1, 2, 1)},
}


def parent_of(stage: Stage, kind: str) -> p3d.NodePath:
    parent = stage.render.attach_new_node("parent")
    values = PARENTS[kind]
    parent.set_pos(values.get("pos", (0, 0, 0)))
    parent.set_hpr(values.get("hpr", (0, 0, 0)))
    parent.set_scale(values.get("scale", (1, 1, 1)))
    parent.set_shear(values.get("shear", (0, 0, 0)))
    return parent


def limb_chain(stage: Stage) -> IKChain:
    bones = limb(stage.render.attach_new_node("root"), bones=3)
    chain = IKChain(bones[-1], 3, pole=stage.node(0, -4, 1))
    chain.solve()
    return chain


def all_calls(stage: Stage, x: float, y: float) -> None:
    """Call whatever runs in a frame or on a mouse event."""
    gizmos = stage.gizmos
    gizmos.move(x + 0.1, y)
    gizmos.update()
    for axis in ("x", "y", "z", None):
        gizmos.axis = axis
        gizmos.press(x, y)
        gizmos.move(x - 0.1, y + 0.1)
        gizmos.update()
        gizmos.release()
        gizmos.hover(x, y)
        gizmos.update()
        gizmos.leave()


def is_drawn(stage: Stage) -> bool:
    root = stage.render.find("**/ikrig-gizmos;+h")
    return not root.is_empty() and not root.is_hidden()


def columns(geom: p3d.Geom) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Places (n, 3) and colours (n, 4) of vertices, and the indices of triangles."""
    data, found = geom.get_vertex_data(), []
    for name in ("vertex", "color"):
        reader = p3d.GeomVertexReader(data, name)
        rows = [tuple(reader.get_data4()) for _ in range(data.get_num_rows())]
        found.append(np.array(rows, np.float32).reshape(-1, 4))
    index = []
    for k in range(geom.get_num_primitives()):
        index += list(geom.get_primitive(k).get_vertex_list())
    return found[0][:, :3], found[1], index


def vertices(stage: Stage) -> np.ndarray:
    paths = stage.render.find_all_matches("**/ikrig-gizmos/pass/+GeomNode")
    found = [columns(path.node().get_geom(0))[0].ravel() for path in paths]
    return np.concatenate([np.empty(0, np.float32), *found])


def torso(above: p3d.NodePath) -> p3d.NodePath:
    """A pelvis, a chest on it, and two arms of two bones on that."""
    pelvis = above.attach_new_node("pelvis")
    pelvis.set_pos(0.2, 0.1, 0.3)
    chest = pelvis.attach_new_node("chest")
    chest.set_pos(0, 0, 1.2)
    for side, name in ((-1, "left"), (1, "right")):
        node = chest
        places = (
            (0.5 * side + 0.1, 0, 0.2),
            (0.8 * side, 0.1, -0.3),
            (0.2 * side, -0.2, -0.8),
        )
        for part, place in zip(("shoulder", "elbow", "hand"), places, strict=True):
            node = node.attach_new_node(f"{name} {part}")
            node.set_pos(*place)
    return pelvis


def torso_tree(
    stage: Stage, above: p3d.NodePath | None = None, **options: object
) -> IKTree:
    tree = IKTree(torso(above or stage.render), **options)
    stage.gizmos.add(tree)
    return tree


def net(node: p3d.NodePath) -> np.ndarray:
    """World matrix that numpy multiplies up to the top."""
    matrix = np.eye(4)
    while True:
        matrix = matrix @ np.array(node.get_mat())
        if not node.has_parent():
            return matrix
        node = node.get_parent()


def place(node: p3d.NodePath) -> np.ndarray:
    return net(node)[3, :3]
