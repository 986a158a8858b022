"""Motion: its checks, forward kinematics and cuts."""

from __future__ import annotations

import numpy as np
import pytest

import ikrig
from ikrig import Motion
from ikrig.math3d.quaternion import to_matrix

NAMES, PARENTS = ("hips", "knee", "foot", "tail"), (-1, 0, 1, 0)


def some(frames: int = 6, seed: int = 0, **changes) -> Motion:
    dice = np.random.default_rng(seed)
    given = {
        "names": NAMES,
        "parents": PARENTS,
        "offsets": dice.normal(size=(4, 3)),
        "rotations": dice.normal(size=(frames, 4, 4)),
        "positions": dice.normal(size=(frames, 4, 3)),
        "rest_rotations": dice.normal(size=(4, 4)),
        "fps": 30.0,
    }
    return Motion(**{**given, **changes})


def test_forward_kinematics_are_those_of_matrices():
    motion = some()
    for frame in range(len(motion)):
        mats: list[np.ndarray] = []
        for joint, above in enumerate(PARENTS):
            mat = np.eye(4)
            mat[:3, :3] = to_matrix(motion.rotations[frame, joint])
            mat[:3, 3] = motion.positions[frame, joint]
            mats.append(mat if above < 0 else mats[above] @ mat)
            q = to_matrix(motion.global_rotations[frame, joint])
            np.testing.assert_allclose(q, mats[-1][:3, :3], atol=1e-12)
            at = motion.global_positions[frame, joint]
            np.testing.assert_allclose(at, mats[-1][:3, 3], atol=1e-12)


def test_parts_of_a_motion_keep_their_cuts():
    motion = some(20, cuts={4: "teleport", 13: "switch"})
    part = motion.between(3, 18, 5)
    assert (len(part), part.fps) == (3, pytest.approx(6.0))
    np.testing.assert_array_equal(part.rotations, motion.rotations[[3, 8, 13]])
    # each is before the first frame that is kept after it
    assert part.cuts == {1: "teleport", 2: "switch"}
    with pytest.raises(ikrig.SettingError, match="none of 20"):
        motion.between(20, 30)


WRONG = {
    "names": (("a", "b", "a", "c"), "each once"),
    "parents": ((0, -1, 1, 0), "-1 or below the joint's own"),
    "offsets": (np.full((4, 3), np.nan), "offsets must be finite numbers"),
    "rotations": (np.zeros((6, 4, 4)), "must be quaternions"),
    "positions": (np.zeros((5, 4, 3)), "shape (6, 4, 3)"),
    "times": ((0, 1, 1, 2, 3, 4), "times must rise"),
    "fps": (0.0, "frames per second from 0.1"),
    "rest_rotations": (np.ones((3, 4)), "shape (4, 4)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_arguments_are_checked(name):
    value, words = WRONG[name]
    with pytest.raises(ikrig.ModelError) as caught:
        some(**{name: value})
    assert words in str(caught.value)


def test_joints_have_names_and_arrays_are_read_only():
    motion = some()
    with pytest.raises(ikrig.ModelError, match="did you mean 'knee'"):
        motion.index("kneee")
    with pytest.raises(ValueError, match="read-only"):
        motion.rotations[0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        motion.global_positions[0] = 0.0
    with pytest.raises(ikrig.ModelError, match="at least one frame"):
        some(rotations=np.zeros((0, 4, 4)), positions=np.zeros((0, 4, 3)))


def test_a_motion_of_places_in_the_world_is_the_same():
    motion = some()
    again = Motion.from_world(
        motion.global_rotations,
        motion.global_positions,
        names=NAMES,
        parents=PARENTS,
        times=motion.times,
    )
    np.testing.assert_allclose(
        again.global_positions, motion.global_positions, atol=1e-12
    )
    np.testing.assert_allclose(again.rest_positions, motion.global_positions[0])
    dots = np.abs((again.rotations * motion.rotations).sum(axis=-1))
    np.testing.assert_allclose(dots, 1.0, atol=1e-12)
