"""Quaternion functions, compared with scipy's rotations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig import ModelError
from ikrig.math3d import quaternion
from ikrig.math3d.quaternion import unit_rotations


def test_products_rotations_and_matrices_match_scipy() -> None:
    rng = np.random.default_rng(3)
    p, q, v = (
        rng.normal(size=(50, 4)),
        rng.normal(size=(50, 4)),
        rng.normal(size=(50, 3)),
    )
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    # the identity, half turns and all but half turns are matrices of other branches
    q[:4], q[4] = np.eye(4), [1e-9, 0.6, 0.8, 0.0]
    a, b = (Rotation.from_quat(np.roll(x, -1, axis=1)) for x in (p, q))
    assert np.allclose(quaternion.rotate(q, v), b.apply(v), atol=1e-14)
    product = Rotation.from_quat(np.roll(quaternion.multiply(p, q), -1, axis=1))
    assert ((a * b).inv() * product).magnitude().max() < 1e-14
    for one, matrix in zip(q, b.as_matrix(), strict=True):
        assert abs(quaternion.from_matrix(matrix) @ one) == pytest.approx(
            1.0, abs=1e-14
        )
    rolled = quaternion.from_rpy([0.3, -0.8, 1.9])
    oracle = Rotation.from_euler("xyz", [0.3, -0.8, 1.9]).as_quat()
    assert abs(np.dot(np.roll(oracle, 1), rolled)) == pytest.approx(1.0, abs=1e-14)


def test_quaternions_are_normalized() -> None:
    found = unit_rotations([[0, 0, 3, 0], [1e-6, 0, 0, 1e-6]], (2, 4))
    assert np.allclose(found, [[0, 0, 1, 0], [0.5**0.5, 0, 0, 0.5**0.5]], atol=1e-15)
    # what has it up to rounding stays to the last digit
    q = np.random.default_rng(5).normal(size=(200, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    assert (np.linalg.norm(q, axis=1) != 1.0).any()
    assert (unit_rotations(q, (200, 4)) == q).all()


def test_from_to_is_the_smallest_rotation() -> None:
    rng = np.random.default_rng(6)
    for a, b in rng.normal(size=(40, 2, 3)) * rng.uniform(0.1, 9, (40, 2, 1)):
        found = Rotation.from_quat(np.roll(quaternion.from_to(a, b), -1))
        angle = np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)
        assert found.magnitude() == pytest.approx(angle, abs=1e-14)
        sizes = np.linalg.norm(a), np.linalg.norm(b)
        assert np.allclose(found.apply(a / sizes[0]), b / sizes[1], atol=1e-14)
        back = Rotation.from_quat(np.roll(quaternion.from_to(a, -a), -1))
        assert np.allclose(back.apply(a), -a, atol=1e-14)
        for pair in ((a, 0 * a), (0 * a, a), (0 * a, 0 * a)):
            assert quaternion.from_to(*pair).tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("bad", [0.0, 1e-10, 1e200])
def test_invalid_quaternion_is_refused(bad) -> None:
    with pytest.raises(ModelError, match="rotations must be quaternions"):
        unit_rotations([[1, 0, 0, 0], [bad, bad, 0, 0]], (2, 4))
