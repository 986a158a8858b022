"""A pose without an engine, compared with products of matrices."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ikrig.errors import ModelError
from ikrig.model.pose import Pose, PoseJoints

PARENTS = (-1, 0, 1, 0, 3)
NAMES = ("hips", "spine", "head", "thigh", "shin")


def anywhere(rng: np.random.Generator) -> np.ndarray:
    """A matrix with any scale and shear, rows."""
    found = np.eye(4)
    found[:3, :3] = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()
    found[:3, :3] += 0.2 * rng.normal(size=(3, 3))
    found[3, :3] = rng.normal(size=3)
    return found


def made(rng: np.random.Generator) -> Pose:
    return Pose(NAMES, PARENTS, [anywhere(rng) for _ in NAMES])


def expected(pose: Pose, j: int) -> np.ndarray:
    found = np.eye(4)
    while j >= 0:
        found = found @ pose.local[j].astype(float)
        j = pose.parents[j]
    return found


def same(pose: Pose) -> bool:
    nets = [
        np.allclose(pose.net_matrix(x), expected(pose, j))
        for x, j in pose.index.items()
    ]
    return all(nets)


@pytest.mark.parametrize("seed", range(5))
def test_nets_follow_every_change(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pose = made(rng)
    assert same(pose)
    for _ in range(20):
        j = int(rng.integers(len(NAMES)))
        how = rng.integers(4)
        if how == 0:
            pose.local[j] = anywhere(rng)
            pose.note(j)
        elif how == 1:
            x, y, z, w = Rotation.from_rotvec(rng.normal(size=3)).as_quat()
            place = pose.place(j)
            pose.rotate(j, w, x, y, z)
            assert np.allclose(pose.place(j), place)
        elif how == 2:
            pose.move(j, *rng.normal(size=3))
        else:
            pose.reset(j, j + 1)
        # read one before the others: what is below it is not valid by that
        pose.net_matrix(NAMES[int(rng.integers(len(NAMES)))])
        assert same(pose)


def test_joints_can_be_replaced_by_more() -> None:
    rng = np.random.default_rng(1)
    pose = made(rng)
    rest = [*pose.local.copy(), anywhere(rng)]
    pose.local[1] = anywhere(rng)
    pose.replace(
        PoseJoints((*NAMES, "toes"), (*PARENTS, 4), rest), array("f", bytes(4 * 97))
    )
    assert pose.n == 6 and pose.index["toes"] == 5
    assert np.array_equal(pose.local, np.array(rest, np.float32)) and same(pose)


@pytest.mark.parametrize(
    ("parents", "count"),
    [((-1, 2, 0), 3), ((-1, 0), 3), ((-1, 0, 1), 2), ((0, 1, 1), 3)],
)
def test_joints_that_do_not_fit_are_refused(parents, count) -> None:
    with pytest.raises(ModelError, match=r"must be (the index of a joint|\d strings)"):
        Pose(("a", "b", "c"), parents, [np.eye(4)] * count)
