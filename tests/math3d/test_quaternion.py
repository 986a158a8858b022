"""Quaternions against scipy's rotations, checked and brought to length 1."""

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
    # what has it stays to the last digit
    q = np.array([[0.1, 0.7, -0.5, 0.5]])
    q /= np.linalg.norm(q)
    assert (unit_rotations(q, (1, 4)) == q).all()


@pytest.mark.parametrize("bad", [0.0, 1e-10, 1e200])
def test_invalid_quaternion_is_refused(bad) -> None:
    with pytest.raises(ModelError, match="rotations must be quaternions"):
        unit_rotations([[1, 0, 0, 0], [bad, bad, 0, 0]], (2, 4))
