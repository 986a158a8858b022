"""A mesh that bends along a chain: trunks, tentacles, tails, snakes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import panda3d.core as p3d

from demos._shared.mesh import (
    Floats,
    MeshBuilder,
    Surface,
    keep_visible,
    make_geom,
    vertex_rows,
)
from ikrig.scene.robot import geoms


class CurveSkin:
    """Bends a straight mesh along a smooth curve through nodes.

    The mesh is modelled along +z; heights become positions along the curve. The
    nodes' own axes set its roll, so twist in the chain shows in the skin.
    """

    def __init__(
        self,
        mesh: MeshBuilder,
        parent: p3d.NodePath,
        nodes: Sequence[p3d.NodePath],
        stations: Sequence[float],
    ) -> None:
        """Bind a mesh to nodes.

        Args:
            mesh: Straight mesh along +z.
            parent: Node that will hold the bent mesh.
            nodes: Nodes along the curve; their x axes set the roll.
            stations: Height in the mesh at each node, ascending.
        """
        self._surface: Surface = mesh.surface()
        self._parent = parent
        self._nodes = list(nodes)
        points = self._surface.points
        knots = np.asarray(stations, float)
        segment = np.clip(
            np.searchsorted(knots, points[:, 2], side="right") - 1, 0, len(knots) - 2
        )
        span = (knots[1:] - knots[:-1])[segment]
        self._segment = segment
        # outside the stations the mesh continues straight
        raw = (points[:, 2] - knots[segment]) / span
        t = np.clip(raw, 0.0, 1.0)
        self._beyond = ((raw - t) * span)[:, None]
        self._basis = np.stack(
            (
                2 * t**3 - 3 * t**2 + 1,
                t**3 - 2 * t**2 + t,
                -2 * t**3 + 3 * t**2,
                t**3 - t**2,
                6 * t**2 - 6 * t,
                3 * t**2 - 4 * t + 1,
                -6 * t**2 + 6 * t,
                3 * t**2 - 2 * t,
                t,
            )
        )[:, :, None]
        self._vertices = vertex_rows(self._surface)
        self._geom = make_geom(self._surface, dynamic=True)
        node = p3d.GeomNode("skin")
        node.add_geom(self._geom)
        self.path = parent.attach_new_node(node)
        keep_visible(self.path)

    def update(self) -> None:
        """Bend the mesh along the current positions of the nodes."""
        points, sides = self._read()
        # tangents of a Catmull-Rom curve, no longer than the shorter neighbour allows
        step = points[1:] - points[:-1]
        tangent = np.empty_like(points)
        tangent[1:-1] = 0.5 * (step[1:] + step[:-1])
        tangent[0], tangent[-1] = step[0], step[-1]

        i, b = self._segment, self._basis
        p0, p1, m0, m1 = points[i], points[i + 1], tangent[i], tangent[i + 1]
        centre = b[0] * p0 + b[1] * m0 + b[2] * p1 + b[3] * m1
        along = _unit(b[4] * p0 + b[5] * m0 + b[6] * p1 + b[7] * m1)
        x = (1.0 - b[8]) * sides[i] + b[8] * sides[i + 1]
        x = _unit(x - along * np.einsum("ij,ij->i", x, along)[:, None])
        y = np.cross(along, x)

        local, normal = self._surface.points, self._surface.normals
        self._vertices[:, 0:3] = (
            centre + local[:, :1] * x + local[:, 1:2] * y + self._beyond * along
        )
        self._vertices[:, 3:6] = (
            normal[:, :1] * x + normal[:, 1:2] * y + normal[:, 2:] * along
        )
        data = self._geom.modify_vertex_data()
        geoms.write_array(data.modify_array(0), self._vertices)

    def _read(self) -> tuple[Floats, Floats]:
        """Return positions and x axes of the nodes in the parent's space."""
        points = np.empty((len(self._nodes), 3))
        sides = np.empty_like(points)
        for i, node in enumerate(self._nodes):
            matrix = node.get_mat(self._parent)
            points[i] = tuple(matrix.get_row3(3))
            sides[i] = tuple(matrix.get_row3(0))
        return points, sides


def _unit(vectors: Floats) -> Floats:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = vectors / np.maximum(length, 1e-12)
    return unit
