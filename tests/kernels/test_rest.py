"""Rest poses with scale and mirroring, compared with products of matrices."""

from __future__ import annotations

import numpy as np
import pytest

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


def test_uneven_scale_stretches_bones_and_counts_as_even_below():
    rng = np.random.default_rng(5)
    for case in range(60):
        count = 2 + case % 4
        parents = [-1, *(int(rng.integers(j)) for j in range(1, count))]
        places = rng.normal(size=(count, 3))
        rotations = np.array([reference.unit(q) for q in rng.normal(size=(count, 4))])
        scales = rng.uniform(0.5, 2.0, (count, 3)) * rng.choice([1, -1], (count, 3))
        # often only one of them is uneven, at times the root without any size
        scales[rng.random(count) < 0.5, :] = 1.3
        scales[0] *= case % 7 > 0
        found = {"points": 3, "rotations": 4, "frames": 4, "inside": 5}
        found = {name: buffer([0.0] * (k * count)) for name, k in found.items()}
        given = buffer(np.hstack([places, rotations, scales]).ravel().tolist())
        uneven = interpreted_kernel("rest_pose").measure(
            count, index_buffer(parents), given, *found.values()
        )
        # of each joint its position, its inner axes and the scale above it
        inner: list[tuple[np.ndarray, np.ndarray, float]] = []
        most = 0.0
        for j, parent in enumerate(parents):
            place, axes, above = np.zeros(3), np.eye(3), 1.0
            way = places[j]
            if parent >= 0:
                place, axes, above = inner[parent]
                size = np.abs(scales[parent])
                way = above * size * places[j]
                above = above * size.mean()
                # nothing turns in the frame of the last joint
                if j + 1 < count and size.any():
                    off = np.abs(size - size.mean()).sum() / size.mean()
                    most = max(most, off)
            place = place + axes @ way
            own = axes @ reference.matrix(rotations[j])
            own = own * np.where(np.prod(scales[j]) * scales[j] == 0.0, 1.0, scales[j])
            own = own / np.linalg.norm(own, axis=0)
            inner.append((place, own, above))
            rows = {name: np.reshape(b, (count, -1))[j] for name, b in found.items()}
            assert np.allclose(rows["points"], place)
            mirror = np.linalg.det(own)
            assert np.allclose(reference.matrix(rows["inside"][:4]), own * mirror)
            assert np.isclose(rows["inside"][4], mirror * above)
        # joints at one position can't be solved for
        apart = np.ptp(np.reshape(found["points"], (count, 3)), axis=0).any()
        assert uneven == pytest.approx(most if apart else -1.0, abs=1e-12)


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
