"""Looks of gizmos, compared with an inspected reference: shapes, colours, widths.

``looks.json`` has sums over the vertices of each drawing; no solver has a part in it.
After a wanted change look at a picture; ``python -m tests.scene.gizmos.test_looks``
writes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import inf, radians
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import AxesLimit, BallLimit, ConeLimit, HingeLimit
from ikrig.scene.gizmos import limit_shapes, meshes

from .stage import Stage, columns, orthographic

FILE = Path(__file__).with_name("looks.json")
BONE = (0.48, 0.6, 0.64)


def handles(stage: Stage) -> None:
    """Every shape, one under the mouse."""
    for k, shape in enumerate(("sphere", "hollow", "crossed", "diamond")):
        node = stage.node(2.0 * k - 2.0, 0.3 * k, 0.5)
        color = (0.9, 0.2 * k, 0.3, 0.8)
        stage.gizmos.add_handle(node, color=color, radius=0.1 + 0.05 * k, shape=shape)
    stage.gizmos.hover(*stage.screen(node))


def turning(stage: Stage, aside: float = 0.0, up: float = 0.0) -> None:
    """Rings and arrows of a pressed handle."""
    node = stage.node(0.5, 0.2, 1.0)
    node.set_hpr(20, 30, 40)
    stage.gizmos.add_handle(node, rotates=True)
    where = stage.screen(node)
    stage.gizmos.press(*where)
    stage.gizmos.release()
    stage.gizmos.hover(where[0] + aside, where[1] + up)


def lit_ring(stage: Stage) -> None:
    """The mouse over one of the rings."""
    turning(stage, 0.04, 0.12)


def lit_arrow(stage: Stage) -> None:
    """The mouse over one of the arrows."""
    turning(stage, 0.12, -0.02)


def dragging(stage: Stage) -> None:
    """A drag along an axis, with the line down to the floor."""
    node = stage.node(-0.5, 0.2, 1.0)
    stage.gizmos.add_handle(node)
    where = stage.screen(node)
    stage.gizmos.axis = "y"
    stage.gizmos.press(*where)
    stage.gizmos.move(where[0] + 0.1, where[1] + 0.05)


SCENES: tuple[Callable[[Stage], None], ...] = (
    *(handles, turning, lit_ring, lit_arrow, dragging),
)
LENSES = {"perspective": None, "orthographic": orthographic}
LIMITS = {
    "hinge": HingeLimit("x", -0.4, 1.3),
    "open hinge": HingeLimit("x", 0.0, inf),
    "rolling hinge": HingeLimit(BONE, -0.4, 1.3),
    "axes": AxesLimit(("x", "y"), (-0.5, -8.0), (1.0, 7.0)),
    "cone": ConeLimit(tuple(map(radians, (30, 40, 50, 60))), (-0.5, 0.3), "y"),
    "ball": BallLimit(radians(35)),
}


def used(geom: p3d.Geom) -> tuple[np.ndarray, ...]:
    """Places and colours of the vertices that triangles use."""
    points, colors, index = columns(geom)
    return points[index], colors[index]


def sums(arrays: tuple[np.ndarray, ...]) -> list[float]:
    row = []
    for values in arrays:
        wave = np.cos(2.3 * values + np.arange(values.shape[1]))
        row += [len(values), float(values.sum()), float(wave.sum())]
    return row


def of_mesh(mesh: meshes.Mesh) -> list[float]:
    corners = mesh.triangles
    return sums((mesh.weights[corners], mesh.styles[corners]))


def of_limit(name: str) -> list[float]:
    row = []
    for part in limit_shapes._parts(LIMITS[name], BONE):
        row += sums(used(part.region)) + sums(used(part.needle))
        row += [part.size, *part.position, *(x for axis in part.axes for x in axis)]
    return row


def of_scene(draw: Callable[[Stage], None], lens: str) -> list[float]:
    make = LENSES[lens]
    stage = Stage(make() if make else None)
    draw(stage)
    stage.gizmos.update()
    root = stage.render.find("**/ikrig-gizmos")
    row = list(np.ravel(np.array(root.find("label").get_mat())))
    for name in ("skeleton", "knobs"):
        row += sums(used(root.find(f"pass/{name}").node().get_geom(0)))
    return row


MESHES = {"bone": meshes.BONE, "line": meshes.LINE, "dot": meshes.DOT, **meshes.ICONS}
LOOKS: dict[str, Callable[[], list[float]]] = {
    **{name: lambda mesh=mesh: of_mesh(mesh) for name, mesh in MESHES.items()},
    **{f"limit {name}": lambda name=name: of_limit(name) for name in LIMITS},
    **{
        f"{draw.__name__} {lens}": lambda draw=draw, lens=lens: of_scene(draw, lens)
        for draw in SCENES
        for lens in LENSES
    },
}


@pytest.mark.parametrize("name", LOOKS)
def test_looks_are_those_of_the_reference(name: str) -> None:
    wanted, found = json.loads(FILE.read_text())[name], LOOKS[name]()
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-2)


if __name__ == "__main__":
    rows = [
        f"{json.dumps(name)}: {json.dumps([round(x, 4) for x in look()])}"
        for name, look in LOOKS.items()
    ]
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    print(f"{FILE.name}: {len(rows)} drawings")
