"""Transforms of Collada nodes, and turns of importers, compared with scipy."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import panda3d.core as p3d
import pytest
from scipy.spatial.transform import Rotation

from ikrig.scene.robot.mesh_loader import (
    _matrix,
    _undone_turn,
    restore_movements,
    up_axis,
)
from tests import reference


@pytest.mark.parametrize("seed", range(4))
def test_steps_of_a_node_are_multiplied_in_their_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts, wanted = [], np.eye(4)
    for kind in rng.permutation(["translate", "scale", "rotate", "matrix", "rotate"]):
        step = np.eye(4)
        values = rng.normal(size=3)
        if kind == "translate":
            step[:3, 3] = values
        elif kind == "scale":
            step[:3, :3] = np.diag(values)
        elif kind == "rotate":
            angle = rng.uniform(-170, 170)
            turn = Rotation.from_rotvec(angle * reference.unit(values), degrees=True)
            step[:3, :3] = turn.as_matrix()
            values = np.append(values, angle)
        else:
            step[:3] = rng.normal(size=(3, 4))
            values = step.ravel()
        parts.append(f"<{kind}>{' '.join(map(str, values.tolist()))}</{kind}>")
        wanted = wanted @ step
    # what has too few numbers, none, or is no step at all says nothing
    parts += [
        "<scale>2 2</scale>",
        "<matrix>1 2 3</matrix>",
        "<translate>x</translate>",
    ]
    parts += ["<translate/>", "<rotate>0 0 1</rotate>", "<lookat>1 2 3</lookat>"]
    node = ElementTree.fromstring(f"<node>{''.join(parts)}</node>")
    assert np.allclose(_matrix(node), wanted, atol=1e-5)


def test_only_small_movements_are_restored(tmp_path: Path) -> None:
    """Those that the importer takes for none, by the ID of their node."""
    moves = {
        "a": "0.01 0 0",
        "b": "0 0.015 0",
        "c": "0 0 0",
        "d": "0 0 -0.01",
        "": "0 0 0.01",
    }
    nodes = "".join(
        f"<node {f'id={name!r}' if name else ''}><translate>{by}</translate></node>"
        for name, by in moves.items()
    )
    path = tmp_path / "x.dae"
    path.write_text(
        "<COLLADA><asset><up_axis> Z_UP </up_axis></asset><library_nodes><node id='n'>"
        "<translate>0 0.005 0</translate></node></library_nodes><library_visual_scenes>"
        f"<visual_scene>{nodes}</visual_scene></library_visual_scenes></COLLADA>"
    )
    root = p3d.NodePath("root")
    for name in "abcdn":
        root.attach_new_node(name)
    # the importer has kept this one
    root.find("d").set_x(7.0)
    restore_movements(root, path)
    found = {name: tuple(root.find(name).get_pos()) for name in "abcdn"}
    assert found["a"] == pytest.approx((0.01, 0, 0))
    assert found["b"] == found["c"] == (0, 0, 0)
    assert found["d"] == (7, 0, 0)
    assert found["n"] == pytest.approx((0, 0.005, 0))
    assert up_axis(path) == "Z"


@pytest.mark.parametrize(
    ("up", "ending", "to_z_up", "wanted"),
    [
        # where the importer has put a file's x, y and z: back to their places
        ("X", "dae", False, [(0, 1, 0), (-1, 0, 0), (0, 0, 1)]),
        ("Y", "dae", False, np.eye(3)),
        ("Z", "dae", False, [(1, 0, 0), (0, 0, -1), (0, 1, 0)]),
        ("Z", "obj", False, np.eye(3)),
        ("Y", "glb", True, [(1, 0, 0), (0, 0, 1), (0, -1, 0)]),
    ],
)
def test_turns_of_the_importers_are_undone(tmp_path, up, ending, to_z_up, wanted):
    path = tmp_path / f"a.{ending}"
    path.write_text(f"<up_axis>{up}_UP</up_axis>")
    matrix = _undone_turn(path, to_z_up)
    assert np.array_equal(matrix[:3, :3], wanted)
    assert np.array_equal(matrix[3], [0, 0, 0, 1]) and not matrix[:3, 3].any()
