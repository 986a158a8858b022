"""Joints rotated in the skeleton's space, compared with numpy and scipy."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest
from scipy.spatial.transform import Rotation

from .figures_of_nodes import PARENTS, Figure


def below(j: int) -> set[int]:
    found = {j}
    for k, parent in enumerate(PARENTS):
        if parent in found:
            found.add(k)
    return found


@pytest.mark.parametrize("seed", range(8))
def test_joint_rotates_about_its_position_with_its_descendants(seed) -> None:
    rng = np.random.default_rng(seed)
    figure = Figure(plain=False)
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


def test_unchanged_joints_are_not_written() -> None:
    figure = Figure()
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


@pytest.mark.parametrize("scale", [0.0, 1e-44])
def test_joints_below_a_zero_scale_stay(scale) -> None:
    figure = Figure()
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


# -- limbs that fold -------------------------------------------------------------------

LIMB = [1, 6, 7, 8]


def bends_of(figure: Figure) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The limb's places, the lengths of its bones, and its bends."""
    places = np.array([figure.nets.place(j) for j in LIMB])
    bones = np.diff(places, axis=0)
    sizes = np.linalg.norm(bones, axis=1)
    dots = (bones[:-1] * bones[1:]).sum(axis=1)
    return places, sizes, np.arccos(np.clip(dots / sizes[:-1] / sizes[1:], -1, 1))


@pytest.mark.parametrize("seed", range(12))
def test_limb_folds_by_one_factor_until_it_reaches(seed) -> None:
    rng = np.random.default_rng(seed)
    figure = Figure()
    figure.pose(rng, 0.5)
    figure.joints.read()
    before, sizes, bends = bends_of(figure)
    far = rng.uniform(0.35, 0.98) * sizes.sum()
    point = before[0] + far * Rotation.random(random_state=seed).apply((1, 0, 0))
    figure.nets.fold(LIMB, *point, 1.0)
    after, now, bent = bends_of(figure)
    assert np.allclose(after[0], before[0], atol=1e-6)
    assert np.allclose(after[3], point, atol=2e-5)
    assert np.allclose(now, sizes, atol=1e-5)
    # none folds further than 2.7, and one that is nearly there less than the other
    factor = (bent / bends).max()
    alike = bent < 0.7 * 2.7
    assert np.allclose(bent[alike], factor * bends[alike], atol=2e-3)
    assert (bent < np.minimum(factor * bends, 2.7) + 2e-3).all()


def test_fold_out_of_reach_points_to_it_and_part_of_one_is_between() -> None:
    rng = np.random.default_rng(3)
    figure = Figure()
    figure.pose(rng, 0.5)
    figure.joints.read()
    before, sizes, bends = bends_of(figure)
    point = before[0] + (0.1, -0.2, -0.2)
    figure.nets.fold(LIMB, *point, 0.0)
    assert np.allclose(bends_of(figure)[0], before, atol=1e-6)
    figure.nets.fold(LIMB, *point, 0.4)
    _, _, part = bends_of(figure)
    figure.nets.fold(LIMB, *point, 1.0)
    _, _, full = bends_of(figure)
    assert np.allclose(part, bends + 0.4 * (full - bends), atol=0.05)
    figure.nets.fold(LIMB, *(before[0] + (0.0, 9.0, 0.0)), 1.0)
    after, _, bent = bends_of(figure)
    assert bent.max() < 1e-3
    assert np.allclose(after[3], before[0] + (0.0, sizes.sum(), 0.0), atol=1e-4)
    # what can't be reached by any rotation is left alone
    for bad in (after[0], (np.nan, 0.0, 0.0), (np.inf, 0.0, 0.0)):
        figure.nets.fold(LIMB, *bad, 1.0)
        assert np.allclose(bends_of(figure)[0], after, atol=1e-3)


def test_limb_that_folds_up_does_not_stop_at_once() -> None:
    # where its first joint was at its end the second one turned by 16 degrees a step
    figure = Figure()
    last = None
    # a hind leg, bent ahead and back
    bones = zip(LIMB[1:], (0.19, 0.18, 0.16), (-0.6, 0.6, -0.1), strict=True)
    for joint, size, angle in bones:
        place = 0.0, size * np.sin(angle), -size * np.cos(angle)
        figure.paths[joint].set_pos_hpr(*place, 0.0, 0.0, 0.0)
    for u in np.linspace(0.0, 1.0, 200):
        figure.joints.read()
        root, sizes, _ = bends_of(figure)
        far = (0.9 - 0.5 * u) * sizes.sum()
        figure.nets.fold(LIMB, *(root[0] + (0.0, 0.0, -far)), 1.0)
        bent = np.degrees(bends_of(figure)[2])
        if last is not None:
            assert np.abs(bent - last).max() < 3.0, far / sizes.sum()
        last = bent


def test_folded_limb_does_not_leap() -> None:
    figure = Figure()
    rng = np.random.default_rng(5)
    figure.pose(rng, 0.3)
    figure.joints.read()
    root, sizes, _ = bends_of(figure)
    last, size = None, sizes.sum()
    # in and out again, past the root: a hundredth of its length at most
    for u in np.linspace(0.0, 1.0, 120):
        figure.joints.read()
        x, y = size * (0.8 * np.cos(np.pi * u)), 0.35 * size
        figure.nets.fold(LIMB, *(root[0] + (x, -0.2 * size, -y)), 1.0)
        places = bends_of(figure)[0]
        if last is not None:
            assert np.linalg.norm(places - last, axis=1).max() < 0.06 * size
        last = places
