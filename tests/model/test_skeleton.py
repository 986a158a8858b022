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


@pytest.mark.parametrize("parents", [[0, 0], [-1, 1], [-1, -1], [-1, -2], [-1, 2]])
def test_parent_precedes_its_joint(parents):
    with pytest.raises(ModelError, match=r"parent of .* it must be -1 for joint 0"):
        SkeletonModel([[0, 0, 0], [0, 0, 1]], parents)
