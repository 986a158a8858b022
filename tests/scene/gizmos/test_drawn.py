"""Drawn gizmos, compared vertex by vertex with an inspected reference.

``drawn.json`` has two sums over the vertices of each drawing. After a wanted
change look at a picture, then ``python -m tests.scene.gizmos.test_drawn`` writes them
anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from math import radians
from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import AxesLimit, BallLimit, ConeLimit, HingeLimit, IKChain
from tests.scene.conftest import limb

from .stage import Stage, orthographic, torso_tree

FILE = Path(__file__).with_name("drawn.json")


def handles(stage: Stage) -> None:
    """Every shape, one under the mouse."""
    shapes = ("sphere", "hollow", "crossed", "diamond")
    for k, shape in enumerate(shapes):
        node = stage.node(2.0 * k - 2.0, 0.3 * k, 0.5)
        stage.gizmos.add_handle(
            node, color=(0.9, 0.2 * k, 0.3, 0.8), radius=0.1 + 0.05 * k, shape=shape
        )
    stage.gizmos.hover(*stage.screen(node))


def turning(stage: Stage, aside: float = 0.0, up: float = 0.0) -> None:
    """Rings and arrows of what is taken."""
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


def bent(stage: Stage, **limits: Any) -> IKChain:
    bones = limb(stage.render.attach_new_node("root"), bones=3)
    names = {key: bones[k].get_name() for k, key in enumerate("abc")}
    chain = IKChain(
        bones[-1],
        3,
        pole=None if limits else stage.node(0, -4, 1),
        limits={names[key]: limit for key, limit in limits.items()} or None,
        solver="dls" if limits else "fabrik",
    )
    stage.gizmos.add(chain)
    chain.target.set_pos(chain.root, 0.8, 0.4, 1.2)
    for _ in range(5):
        chain.solve()
    return chain


def chain(stage: Stage) -> None:
    """A chain with a pole that reaches its target."""
    bent(stage)


def stretched(stage: Stage) -> None:
    """One that does not."""
    found = bent(stage)
    found.target.set_pos(9, 0, 0)
    found.solve()


def lost(stage: Stage) -> None:
    """One whose target is gone."""
    found = bent(stage)
    found.target.remove_node()
    found.solve()


def cones(stage: Stage) -> None:
    """A lopsided cone with its twist, a ball, a hinge that is blocked."""
    quarters = tuple(map(radians, (30, 40, 50, 60)))
    bent(
        stage,
        a=ConeLimit(quarters, twist=(-0.5, 0.3), up="y"),
        b=BallLimit(radians(35)),
        c=HingeLimit("x", -0.1, 0.1),
    )


def dials(stage: Stage) -> None:
    """Axes, of which one goes round more than once, and a hinge without ends."""
    bent(
        stage,
        a=HingeLimit("z"),
        b=AxesLimit(("x", "y"), (-0.5, -8.0), (1.0, 7.0)),
        c=HingeLimit("x", -2.0, 0.25),
    )


def tree(stage: Stage) -> None:
    """Two hands of a torso."""
    torso_tree(stage).solve()


DRAWN: dict[str, Callable[[Stage], None]] = {
    call.__name__: call
    for call in (
        *(
            handles,
            turning,
            lit_ring,
            lit_arrow,
            dragging,
            chain,
            stretched,
            lost,
            cones,
            dials,
            tree,
        ),
    )
}
LENSES = {"perspective": None, "orthographic": orthographic}


def columns(node: p3d.GeomNode) -> Iterator[np.ndarray]:
    """Yield positions and colours of the vertices that triangles use, in order."""
    for k in range(node.get_num_geoms()):
        geom = node.get_geom(k)
        data, index = geom.get_vertex_data(), []
        for p in range(geom.get_num_primitives()):
            part = geom.get_primitive(p).decompose()
            index += list(part.get_vertex_list())
        for name, size in (("vertex", 3), ("color", 4)):
            if not data.has_column(name):
                continue
            reader = p3d.GeomVertexReader(data, name)
            rows = [
                tuple(reader.get_data4())[:size] for _ in range(data.get_num_rows())
            ]
            yield np.array(rows, float).reshape(-1, size)[index]


def sums(stage: Stage) -> list[list[float]]:
    """Return a row for each drawing: sums of its vertices, and where it stands."""
    stage.gizmos.update()
    found = []
    root = stage.render.find("**/ikrig-gizmos")
    for path in root.find_all_matches("**"):
        row = []
        node = path.node()
        for values in columns(node) if isinstance(node, p3d.GeomNode) else ():
            # in whatever order: what is equally far may be drawn in any
            wave = np.cos(2.3 * values + np.arange(values.shape[1]))
            row += [len(values), float(values.sum()), float(wave.sum())]
        found.append([*row, *np.array(path.get_mat(root)).ravel()])
    return sorted(found, key=lambda row: [round(x, 1) for x in row])


def drawn(name: str, lens: str) -> list[list[float]]:
    make = LENSES[lens]
    stage = Stage(make() if make else None)
    DRAWN[name](stage)
    return sums(stage)


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("name", DRAWN)
def test_drawing_matches_the_reference(name, lens):
    wanted, found = json.loads(FILE.read_text())[f"{name} {lens}"], drawn(name, lens)
    assert [len(row) for row in found] == [len(row) for row in wanted]
    for here, there in zip(found, wanted, strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-4, atol=1e-2)


def test_gizmos_are_drawn_over_the_scene_and_dimmed_where_hidden():
    stage = Stage()
    root = stage.render.find("**/ikrig-gizmos")
    passes = root.find_all_matches("pass")
    rows = sorted(
        (
            path.get_bin_draw_order(),
            path.get_bin_name(),
            path.get_depth_test(),
            tuple(np.round(path.get_color_scale(), 3)),
        )
        for path in passes
    )
    # limits below bones below handles, each first where something hides it
    assert rows == [
        *((98, "fixed", False, (1, 1, 1, 0.35)), (99, "fixed", True, (1, 1, 1, 1))),
        *((100, "fixed", False, (1, 1, 1, 0.35)), (101, "fixed", True, (1, 1, 1, 1))),
        *((102, "fixed", False, (1, 1, 1, 0.75)), (103, "fixed", True, (1, 1, 1, 1))),
    ]
    assert not root.get_depth_write() and root.get_two_sided()
    assert root.get_transparency() == p3d.TransparencyAttrib.M_alpha


if __name__ == "__main__":
    table = {
        f"{name} {lens}": [[round(x, 4) for x in row] for row in drawn(name, lens)]
        for name in DRAWN
        for lens in LENSES
    }
    FILE.write_text(json.dumps(table, indent=0))
    print(f"{FILE.name}: {sum(map(len, table.values()))} drawings")
