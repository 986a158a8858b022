"""Matrices decomposed as in Panda3D, and rotated as in numpy."""

from __future__ import annotations

from array import array

import numpy as np
import panda3d.core as p3d
import pytest
from scipy.spatial.transform import Rotation

from ikrig.kernels import actor_frame, matrices
from ikrig.model.pose import Pose
from tests.interpreted import interpreted_kernel


def examples() -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    found = []
    for k in range(60):
        linear = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        if k % 3:
            linear *= rng.uniform(0.2, 3.0, (3, 1))
        if k % 3 == 2:
            # sheared
            linear += 0.2 * rng.normal(size=(3, 3))
        mat = np.eye(4)
        mat[:3, :3] = linear
        mat[3, :3] = rng.uniform(-9, 9, 3)
        found.append(mat)
    return found


def rotation(q: np.ndarray) -> np.ndarray:
    m = p3d.LMatrix3f()
    p3d.LQuaternionf(*q.tolist()).extract_to_matrix(m)
    return np.array([tuple(row) for row in m.rows])


def test_decomposition_matches_panda3d():
    mats = examples()
    given = array("d", [0.0] * (10 * len(mats)))
    flat = memoryview(array("f", np.ravel(mats).tolist()))
    matrices.decompose_trs(len(mats), flat, given)
    for mat, parts in zip(mats, np.reshape(given, (-1, 10)), strict=True):
        state = p3d.TransformState.make_mat(p3d.LMatrix4f(*mat.ravel().tolist()))
        turn = np.array(tuple(state.get_quat()))
        assert np.allclose(parts[:3], mat[3, :3], atol=1e-5)
        assert abs(parts[3:7] @ turn) == pytest.approx(1.0, abs=1e-5)
        assert np.allclose(parts[7:], tuple(state.get_scale()), atol=1e-5)


@pytest.mark.parametrize("gap", [0.0, 1e-3, -1e-3])
@pytest.mark.parametrize("axis", np.vstack([np.eye(3), 1 - np.eye(3), [[1, -1, 1]]]))
def test_half_turns_about_any_axis_are_decomposed(gap, axis):
    turn = p3d.LMatrix4f()
    unit = p3d.LVector3f(*axis.tolist()).normalized()
    turn.set_rotate_mat(180.0 + np.rad2deg(gap), unit)
    parts = array("d", [0.0] * 10)
    flat = memoryview(array("f", [x for row in turn.rows for x in row]))
    matrices.decompose_trs(1, flat, parts)
    half = 0.5 * (np.pi + gap)
    expected = [np.cos(half), *(np.sin(half) * np.array(tuple(unit)))]
    assert abs(np.dot(parts[3:7], expected)) == pytest.approx(1.0, abs=1e-6)
    assert np.linalg.norm(parts[3:7]) == pytest.approx(1.0)


def test_shear_is_detected_and_mirroring_is_not_shear():
    for mat in examples():
        flat = memoryview(array("f", mat.ravel().tolist()))
        shear = matrices.decompose_trs(1, flat, array("d", [0.0] * 10))
        rows = mat[:3, :3] / np.linalg.norm(mat[:3, :3], axis=1)[:, None]
        square = np.abs(rows @ rows.T - np.eye(3)).max() < 1e-6
        assert (shear < 1e-5) == square


def posed(mats: list[np.ndarray]) -> tuple[Pose, actor_frame.ActorPose]:
    """Return joints with these matrices, and what reads and writes them."""
    count = len(mats)
    above = [-1] * count
    figure = Pose([str(j) for j in range(count)], above, mats)
    given = array("d", [0.0] * (10 * count))
    scratch = array("f", [0.0] * (16 * count)), given, array("d", [0.0] * (99 * count))
    joints = array("i", range(count)), array("i", above)
    return figure, actor_frame.ActorPose(None, figure, *joints, *scratch, 1e-3)


def test_rotated_matrices_keep_scale_shear_and_mirroring():
    rng = np.random.default_rng(6)
    mats = examples()
    count = len(mats)
    figure, pose = posed(mats)
    pose.read()
    old = np.reshape(pose.animated_trs, (-1, 10))[:, 3:7]
    new = rng.normal(size=(count, 4))
    new /= np.linalg.norm(new, axis=1)[:, None]
    local = array("d", new.ravel().tolist())
    assert pose.write_joints(local, 1.5) == 1
    for j, found in enumerate(figure.local):
        within = mats[j][:3, :3] @ rotation(old[j]).T
        assert np.allclose(found[:3, :3], within @ rotation(new[j]), atol=1e-5)
        # the first joint's place is its own, the others' is a bone's end
        longer = 1.5 if j else 1.0
        assert np.allclose(found[3, :3], longer * mats[j][3, :3], atol=1e-5)


@pytest.mark.parametrize(
    "rows", [np.zeros((3, 3)), np.diag([1.0, 0, 1]), np.ones((3, 3))]
)
def test_degenerate_matrix_gets_a_rotation(rows):
    mat = np.eye(4)
    mat[:3, :3] = rows
    given = array("d", [0.0] * 10)
    matrices.decompose_trs(1, memoryview(array("f", mat.ravel().tolist())), given)
    assert np.linalg.norm(given[3:7]) == pytest.approx(1.0)
    assert np.isfinite(given).all()


def test_too_few_rotations_change_nothing():
    figure, pose = posed(examples()[:2])
    before = figure.local.copy()
    pose.read()
    few = memoryview(array("d", [1.0, 0.0, 0.0, 0.0])).toreadonly()
    assert pose.write_joints(few, 1.0) == 0
    assert (figure.local == before).all()


def test_nearly_parallel_rows_still_give_a_rotation():
    rng = np.random.default_rng(6)
    for _ in range(200):
        mat = np.eye(4)
        mat[1, :3] = rng.normal(size=3)
        mat[0, :3] = 2.0 ** rng.integers(-3, 3) * mat[1, :3].astype("f4")
        numbers = array("f", mat.ravel().tolist())
        given = array("d", [0.0] * 10)
        matrices.decompose_trs(1, memoryview(numbers), given)
        w, x, y, z = given[3:7]
        forward = Rotation.from_quat([x, y, z, w]).apply([0.0, 1.0, 0.0])
        expected = mat[1, :3] / np.linalg.norm(mat[1, :3])
        assert np.allclose(forward, expected, atol=1e-6)


def test_cosine_and_sine_match_numpy():
    rng = np.random.default_rng(1)
    for size in (1e-9, 1.0, 3.2, 100.0, 1e4, 1e6):
        angles = rng.uniform(-size, size, 5000)
        cosine, sine = angles.tolist(), [0.0] * len(angles)
        interpreted_kernel("angles").cosine_sine(cosine, sine, len(angles))
        assert np.abs(cosine - np.cos(angles)).max() < 5e-16
        assert np.abs(sine - np.sin(angles)).max() < 5e-16
