"""Quaternions that are checked and brought to length 1."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import ModelError
from ikrig.math3d.quaternion import unit_rotations


def test_rotations_are_brought_to_length_one() -> None:
    found = unit_rotations([[0, 0, 3, 0], [1e-6, 0, 0, 1e-6]], (2, 4))
    assert np.allclose(found, [[0, 0, 1, 0], [0.5**0.5, 0, 0, 0.5**0.5]], atol=1e-15)
    # what has it stays to the last digit
    q = np.array([[0.1, 0.7, -0.5, 0.5]])
    q /= np.linalg.norm(q)
    assert (unit_rotations(q, (1, 4)) == q).all()


@pytest.mark.parametrize("bad", [0.0, 1e-10, 1e200])
def test_one_that_is_no_rotation_is_refused(bad) -> None:
    with pytest.raises(ModelError, match="rotations must be quaternions"):
        unit_rotations([[1, 0, 0, 0], [bad, bad, 0, 0]], (2, 4))
