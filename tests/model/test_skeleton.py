"""ChainModel and SkeletonModel: measurements and errors."""

from __future__ import annotations

import numpy as np
import pytest

from ikrig import (
    Body,
    ChainModel,
    ConeLimit,
    FabrikSolver,
    Joint,
    ModelError,
    RobotModel,
    SettingError,
    SkeletonModel,
)
from tests import reference


def test_chain_measures_the_start_pose():
    model = ChainModel([[1, 0, 0], [1, 0, 2], [1, 3, 2]])
    assert model.bone_lengths.tolist() == [2.0, 3.0]
    assert model.start_directions.tolist() == [[0, 0, 2], [0, 3, 0]]
    assert model.reach == 5.0
    assert model.bone_count == 2
    assert model.rotations.tolist() == [[1, 0, 0, 0]] * 3


def test_tree_measures_the_start_pose():
    positions = [[5, 5, 5], [5, 5, 7], [5, 8, 7], [6, 5, 7], [6, 5, 3], [5, 1, 5]]
    model = SkeletonModel(positions, parents=[-1, 0, 1, 1, 3, 0])
    # 2 up, 1 aside and 4 down again: by way of the bones, not as the crow flies
    assert model.size == 7.0
    assert model.leaves == (2, 4, 5)
    assert model.offsets[[0, 4]].tolist() == [[0, 0, 0], [0, 0, -4]]


def test_model_is_read_only_and_copies_its_input():
    points = np.array([[0.0, 0, 0], [0, 0, 1]])
    model = ChainModel(points)
    points[1] = 99
    assert model.positions[1].tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="read-only"):
        model.positions[0] = 1
    with pytest.raises(AttributeError):
        model.positions = points


def test_rotations_are_normalised():
    model = ChainModel([[0, 0, 0], [0, 0, 1]], rotations=[[2, 0, 0, 0], [0, 0, 3, 0]])
    assert model.rotations.tolist() == [[1, 0, 0, 0], [0, 0, 1, 0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"positions": [[0, 0, 0]]}, "at least 2 joints"),
        ({"positions": [[0, 0], [1, 1]]},
         r"shape \(joints, 3\), not .* of shape \(2, 2\)"),
        ({"positions": "chain"}, "positions must be numbers"),
        ({"positions": [[0, 0, 0], [0, np.nan, 0]]}, "joint 1 is not finite"),
        ({"positions": [[1, 2, 3], [1, 2, 3]]}, "has no length"),
        ({"positions": [[0, 0, 0], [0, 0, 1]], "rotations": [[0, 0, 0, 0]] * 2},
         "zero quaternion"),
        ({"positions": [[0, 0, 0], [0, 0, 1]], "rotations": [[1, 0, 0, 0]]},
         "1 rows for 2 joints"),
        ({"positions": [[0, 0, 0], [0, 0, 1]], "names": ["hip"]},
         "names must be 2 strings, not"),
        ({"positions": [[0, 0, 0], [0, 0, np.inf]], "names": ["hip", "knee"]},
         "not finite"),
    ],
)  # fmt: skip
def test_invalid_chains_are_refused(arguments, message):
    with pytest.raises(ModelError, match=message):
        ChainModel(**arguments)


def test_messages_list_a_bounded_number_of_joints():
    joints = [Joint(f"j{k}", mimic=f"j{(k + 1) % 999}") for k in range(999)]
    bodies = [
        Body(f"b{k}", f"b{k - 1}" if k else "world", (0, 0, 1), joints=[joint])
        for k, joint in enumerate(joints)
    ]
    with pytest.raises(ModelError, match=r"mimic each other.* and 969 more") as caught:
        RobotModel(bodies)
    assert len(str(caught.value)) < 400
    chain = ChainModel(np.cumsum(np.ones((999, 3)), axis=0))
    with pytest.raises(SettingError, match=r"available: .* more \(0 to 998\)") as told:
        FabrikSolver(chain, {"elbow": ConeLimit(1.0)})
    assert len(str(told.value)) < 400


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_bend_is_measured_from_joints_off_the_end_to_end_line(size):
    bent = size * np.array([[0, 0, 0], [1, 0.5, 0], [2, 0, 0]])
    assert reference.unit(ChainModel(bent).find_bend()) == pytest.approx((0, 1, 0))
    # the ends next to one another, and no way between them
    bent[2, 0] = 0.01 * size
    along = reference.unit(bent[1] * [0, 1, 0])
    assert reference.unit(ChainModel(bent).find_bend()) == pytest.approx(along)
    bent[2, 0] = 0.0
    assert ChainModel(bent).find_bend() is None
    bent[:, 1], bent[2, 0] = 0.0, 2.0 * size
    assert ChainModel(bent).find_bend() is None


def test_bend_is_a_unit_direction():
    points = [[0, 0, 0], [0, 0, 1], [0, 0, 2]]
    model = ChainModel(points, bend=(0, -3, 0))
    assert model.bend.tolist() == [0, -1, 0]
    assert model.with_bend((2, 0, 0)).bend.tolist() == [1, 0, 0]
    assert model.with_bend(None).bend is None
    for bend in ((0, 0, 0), (0, 1e16, 0), (0, 1e200, 0), (np.inf, 0, 0), (1, 2)):
        with pytest.raises(ModelError, match="bend must be"):
            ChainModel(points, bend=bend)


@pytest.mark.parametrize("parents", [[0, 0], [-1, 1], [-1, -1], [-1, -2], [-1, 2]])
def test_parent_precedes_its_joint(parents):
    with pytest.raises(ModelError, match=r"parent of .* it must be -1 for joint 0"):
        SkeletonModel([[0, 0, 0], [0, 0, 1]], parents)
