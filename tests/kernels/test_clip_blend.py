"""Blended rows of clips, compared with matrices composed by numpy."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

from ikrig.kernels import clip_blend

JOINTS = 7


def rows(rng: np.random.Generator) -> np.ndarray:
    """A frame: rotations, scales (mirrors too) and shears; the last joint is absent."""
    found = np.zeros((JOINTS, 19), "f4")
    for row in found[:-1]:
        q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        row[:9] = (q * np.sign(np.linalg.det(q))).ravel()
        row[9:12] = rng.normal(size=3)
        row[12:15] = rng.uniform(0.5, 2.0, 3) * rng.choice([-1.0, 1.0], 3)
        row[15:18] = 0.3 * rng.normal(size=3)
        row[18] = 1.0
    return found


def blend(frames: list[tuple[np.ndarray, float]], linear: bool = False) -> np.ndarray:
    # whatever stood there
    mats = array("f", [9.0] * (16 * JOINTS))
    defaults = array("f", range(16 * JOINTS))
    total = array("d", bytes(8 * 19 * JOINTS))
    joints = array("i", range(JOINTS))
    kernel = clip_blend.ClipBlend(joints, total, defaults, mats)
    for k, (row, weight) in enumerate(frames):
        kernel.add(array("f", row.ravel().tolist()), weight, k == 0)
    kernel.finish(linear)
    return np.reshape(mats, (JOINTS, 4, 4))


def test_linear_blend_is_a_mean_of_matrices() -> None:
    rng = np.random.default_rng(6)
    frames = [(rows(rng), rng.uniform(0.1, 2.0)) for _ in range(3)]
    mats = blend(frames, linear=True)
    weights = [weight for _, weight in frames]
    mean = np.average([row[:, :12] for row, _ in frames], axis=0, weights=weights)
    assert np.allclose(mats[:-1, :, :3].reshape(-1, 12), mean[:-1], atol=1e-5)
    assert (mats[:-1, :, 3] == [0, 0, 0, 1]).all()
    assert (mats[-1].ravel() == np.arange(16 * (JOINTS - 1), 16 * JOINTS)).all()


def test_single_row_is_composed_like_numpy() -> None:
    row = rows(np.random.default_rng(3))
    mats = blend([(row, 0.7)])
    for mat, numbers in zip(mats[:-1], row[:-1], strict=True):
        a, b, c = numbers[12:15]
        xy, xz, yz = numbers[15:18]
        sheared = np.array([[a, xy * a, 0], [0, b, 0], [xz * c, yz * c, c]])
        assert np.allclose(mat[:3, :3], sheared @ numbers[:9].reshape(3, 3), atol=1e-5)
        assert np.allclose(mat[3], [*numbers[9:12], 1.0], atol=1e-5)
        assert not mat[:3, 3].any()
    assert (mats[-1].ravel() == np.arange(16 * (JOINTS - 1), 16 * JOINTS)).all()


def test_zero_axes_become_orthogonal() -> None:
    row = rows(np.random.default_rng(5))
    row[:, 12:15], row[:, 15:18] = 1.0, 0.0
    # two that oppose one another add up to nothing
    forward = np.array(
        [
            *([0, 1, 0], [-0.28, -0.96, 0], [0.28, 0.96, 0]),
            *([0.6, 0, 0.8], [0.48, 0.6, 0.64], [0, 0, 0]),
        ]
    )
    row[:-1, 3:6], row[:-1, :3] = 0.5 * forward, 0.0
    mats = blend([(row, 1.0)])[:-1]
    for mat in mats:
        assert np.allclose(mat[:3, :3] @ mat[:3, :3].T, np.eye(3), atol=1e-6)
        assert np.linalg.det(mat[:3, :3]) == pytest.approx(1.0, abs=1e-6)
    assert np.allclose(mats[:-1, 1, :3], forward[:-1], atol=1e-6)


def test_blend_keeps_axes_orthogonal() -> None:
    rng = np.random.default_rng(4)
    one, two = rows(rng), rows(rng)
    for row in (one, two):
        row[:, 12:15], row[:, 15:18] = 1.0, 0.0
    for mat in blend([(one, 0.25), (two, 0.5)])[:-1]:
        assert np.allclose(mat[:3, :3] @ mat[:3, :3].T, np.eye(3), atol=1e-5)
        assert np.linalg.det(mat[:3, :3]) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("length", [1.0, 3e-5, 7.0])
def test_parallel_axes_become_orthogonal(length: float) -> None:
    # but for rounding, which leaves a hair of right that has any direction
    rng = np.random.default_rng(4)
    found = 0.0
    for _ in range(200):
        frame = rows(rng)
        frame[:, :3] = length * frame[:, 3:6]
        other = frame.copy()
        other[:, :9] *= np.float32(rng.uniform(0.5, 2.0))
        frame[:, 12:15], frame[:, 15:18] = 1.0, 0.0
        other[:, 12:15], other[:, 15:18] = 1.0, 0.0
        mats = blend([(frame, 0.3), (other, 0.7)])[:-1, :3, :3].astype(float)
        square = mats @ mats.transpose(0, 2, 1)
        found = max(found, np.abs(square - np.eye(3)).max())
    assert found < 1e-6
