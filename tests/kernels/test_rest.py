"""Rest poses with scale and mirroring, compared with products of matrices."""

from __future__ import annotations

import numpy as np

from ikrig.kernels import buffer, index_buffer
from tests import reference
from tests.interpreted import interpreted_kernel


def test_positions_and_rotations_of_scaled_and_mirrored_joints():
    rng = np.random.default_rng(4)
    for _ in range(40):
        count = 6
        parents = [-1, 0, 1, 1, 3, 0]
        places = rng.normal(size=(count, 3))
        rotations = np.array([reference.unit(q) for q in rng.normal(size=(count, 4))])
        # even in size, mirrored along any of the axes
        sizes = rng.uniform(0.5, 2.0, (count, 1)) * rng.choice([1, -1], (count, 3))
        found = {"points": 3, "rotations": 4, "frames": 4, "inside": 5}
        found = {name: buffer([0.0] * (k * count)) for name, k in found.items()}
        given = buffer(np.hstack([places, rotations, sizes]).ravel().tolist())
        uneven = interpreted_kernel("rest_pose").measure(
            count, index_buffer(parents), given, *found.values()
        )
        assert uneven < 1e-12
        inner: list[tuple[np.ndarray, np.ndarray]] = []
        for j, parent in enumerate(parents):
            frame, place = inner[parent] if j else (np.eye(3), np.zeros(3))
            place = place + frame @ places[j]
            inner.append((frame @ reference.matrix(rotations[j]) * sizes[j], place))
            rows = {name: np.reshape(b, (count, -1))[j] for name, b in found.items()}
            assert np.allclose(rows["points"], place)
            # what is mirrored is turned as minus its matrix
            even = frame / np.cbrt(np.linalg.det(frame))
            assert np.allclose(reference.matrix(rows["frames"]), even)
            turn = even @ reference.matrix(rotations[j])
            assert np.allclose(reference.matrix(rows["rotations"]), turn)
            size = np.cbrt(np.linalg.det(inner[j][0]))
            assert np.allclose(reference.matrix(rows["inside"][:4]), inner[j][0] / size)
            # its own scale counts from what hangs on it on, but its mirror at once
            above = abs(np.cbrt(np.linalg.det(frame)))
            assert np.isclose(rows["inside"][4], np.sign(size) * above)


def test_joint_without_width_is_not_mirrored():
    rest_pose = interpreted_kernel("rest_pose")
    for scales, mirrored in (
        ((-1.0, 1.0, 0.0), False),
        ((1.0, 0.0, -2.0), False),
        ((0.0, -1.0, 1.0), False),
        ((-1.0, 1.0, 1.0), True),
        ((1.0, -0.5, 2.0), True),
        ((-1.0, -1.0, 0.5), False),
    ):
        found = {"points": 3, "rotations": 4, "frames": 4, "inside": 5}
        found = {name: buffer([0.0] * k) for name, k in found.items()}
        given = buffer([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, *scales])
        rest_pose.measure(1, index_buffer([-1]), given, *found.values())
        assert (found["inside"][4] < 0.0) == mirrored
        assert np.isfinite(found["inside"]).all()


def test_solvable_poses_are_recognized():
    rest_pose = interpreted_kernel("rest_pose")
    turn = [0.5, 0.5, -0.5, 0.5]
    for points, turns, frames, good in (
        ([0, 0, 0, 0, 0, 1], turn * 2, turn * 2, 1),
        ([5, 5, 5, 5, 5, 5], turn * 2, turn * 2, 0),
        ([0, 0, 0, 1e-14, 0, 0], turn * 2, turn * 2, 1),
        ([0, 0, 0, 0, 1e-16, 0], turn * 2, turn * 2, 0),
        ([0, 0, 0, 0, -1e17, 0], turn * 2, turn * 2, 1),
        ([0, 0, 0, 0, 0, 1e19], turn * 2, turn * 2, 0),
        ([0, 0, 0, 0, 0, 1], [*turn, 1, 0, 0, 0.1], turn * 2, 0),
        ([0, 0, 0, 0, 0, 1], turn * 2, [*turn, 0, 0, 0, 0], 0),
        ([0, 0, 0, 0, 0, np.nan], turn * 2, turn * 2, 0),
        ([0, 0, 0, 0, 0, 1], [*turn, np.nan, 0, 0, 0], turn * 2, 0),
    ):
        pose = (buffer(map(float, part)) for part in (points, turns, frames))
        assert rest_pose.measured(2, *pose) == good
