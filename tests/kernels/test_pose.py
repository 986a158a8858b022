"""Joints rotated in the skeleton's space, compared with numpy and scipy."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest
from scipy.spatial.transform import Rotation

from .figures_of_nodes import PARENTS, WAYS, Figure

ways = pytest.mark.parametrize("way", WAYS)


def below(j: int) -> set[int]:
    found = {j}
    for k, parent in enumerate(PARENTS):
        if parent in found:
            found.add(k)
    return found


@ways
@pytest.mark.parametrize("seed", range(8))
def test_joint_rotates_about_its_position_with_its_descendants(way, seed) -> None:
    rng = np.random.default_rng(seed)
    figure = Figure(way, plain=False)
    figure.pose(rng, 1.0)
    expected = figure.nets_now()
    figure.joints.read()
    for j in rng.permutation(len(PARENTS))[:5]:
        turn = Rotation.random(random_state=int(rng.integers(1 << 30)))
        x, y, z, w = turn.as_quat()
        figure.nets.rotate(int(j), w, x, y, z)
        # rows: about the joint's place, after all that it has
        about = np.eye(4)
        about[:3, :3] = turn.as_matrix().T
        about[3, :3] = expected[j, 3, :3] - expected[j, 3, :3] @ about[:3, :3]
        for k in below(int(j)):
            expected[k] = expected[k] @ about
        assert np.allclose(figure.nets.place(int(j)), expected[j, 3, :3], atol=1e-5)
    assert np.abs(figure.nets_now() - expected).max() > 0.1, "not written yet"
    figure.joints.write()
    assert np.allclose(figure.nets_now(), expected, atol=2e-5 * np.abs(expected).max())


@ways
def test_unchanged_joints_are_not_written(way) -> None:
    figure = Figure(way)
    figure.pose(np.random.default_rng(1))
    figure.joints.read()
    figure.nets.rotate(3, 0.8, 0.6, 0.0, 0.0)
    for path in figure.paths:
        path.set_pos(9, 9, 9)
    figure.joints.write()
    moved = [tuple(path.get_pos()) != (9, 9, 9) for path in figure.paths]
    assert moved == [j == 3 for j in range(len(PARENTS))]
    figure.joints.read()
    figure.paths[3].set_pos(9, 9, 9)
    figure.joints.write()
    assert tuple(figure.paths[3].get_pos()) == (9, 9, 9), "a new frame turns none yet"


@ways
@pytest.mark.parametrize("scale", [0.0, 1e-44])
def test_joints_below_a_zero_scale_stay(way, scale) -> None:
    figure = Figure(way)
    figure.pose(np.random.default_rng(2))
    axes = [scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0, 0, 0, 1, 1]
    figure.paths[1].set_mat(p3d.LMatrix4f(*axes))
    before = [path.get_mat() for path in figure.paths]
    figure.joints.read()
    figure.nets.rotate(2, float("nan"), 0.6, 0.0, 0.8)
    figure.nets.rotate(2, 0.0, 0.6, 0.0, 0.8)
    figure.joints.write()
    for path, mat in zip(figure.paths, before, strict=True):
        assert np.isfinite(list(map(tuple, path.get_mat()))).all()
        assert path.get_mat() == mat or scale > 0.0


def test_compiled_and_interpreted_give_the_same_bits() -> None:
    found = []
    for way in WAYS:
        rng = np.random.default_rng(5)
        figure = Figure(way, plain=False)
        for _ in range(30):
            figure.pose(rng, 1.0)
            figure.joints.read()
            for j in rng.integers(len(PARENTS), size=6).tolist():
                x, y, z, w = Rotation.from_rotvec(rng.normal(size=3)).as_quat()
                figure.nets.rotate(j, w, x, y, z)
            figure.joints.write()
            found.append(figure.nets_now().tobytes())
    assert found[:30] == found[30:]
