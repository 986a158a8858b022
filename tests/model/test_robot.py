"""RobotModel: its arrays and its errors."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from ikrig import Body, Geom, Joint, JointKind, ModelError, RobotModel, Site


def test_model_is_flat_with_parents_first():
    model = RobotModel(
        [
            Body(
                "base", joints=[Joint("root", "free")], pos=(1, 2, 3), quat=(2, 0, 0, 0)
            ),
            Body(
                "hand", parent="base", joints=[Joint("a", "ball"), Joint("b", "slide")]
            ),
            Body("eye", mocap=True, sites=[Site("lens")]),
            Body(
                "thumb",
                parent="hand",
                joints=[Joint("c", axis=(0, 0, 5), range=(-1, 2), qpos0=0.5)],
                geoms=[Geom("sphere", size=(1, 0, 0))],
            ),
        ]
    )
    assert model.body_names == ("world", "base", "hand", "eye", "thumb")
    assert model.parents.tolist() == [-1, 0, 1, 0, 2]
    assert model.joint_names == ("root", "a", "b", "c")
    assert model.joint_kinds == tuple(
        map(JointKind, ("free", "ball", "slide", "hinge"))
    )
    assert model.joint_bodies.tolist() == [1, 2, 2, 4]
    assert model.body_joints.tolist() == [0, 0, 1, 3, 3, 4]
    assert model.joint_qpos.tolist() == [0, 7, 11, 12]
    assert model.joint_dofs.tolist() == [0, 6, 9, 10]
    assert model.dof_count == 11
    assert model.qpos0.tolist() == [1, 2, 3, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0.5]
    assert model.joint_axes[3].tolist() == [0, 0, 1]
    assert model.joint_ranges.tolist() == [[-inf, inf]] * 3 + [[-1, 2]]
    assert model.body_mocap.tolist() == [-1, -1, -1, 0, -1]
    assert model.mocap_bodies == ("eye",)
    assert model.site_bodies.tolist() == [3]
    assert [len(geoms) for geoms in model.geoms] == [0, 0, 0, 0, 1]
    assert model.body_index("hand") == 2
    assert model.joint_index("c") == 3
    assert model.site_index("lens") == 0


def test_empty_model_has_only_the_world():
    assert RobotModel([]).body_names == ("world",)


def test_unknown_names_are_reported():
    model = RobotModel([Body("arm", joints=[Joint("elbow")])], name="robot")
    with pytest.raises(
        ModelError, match="robot has no joint 'elbo': did you mean 'elbow'"
    ):
        model.joint_index("elbo")
    with pytest.raises(ModelError, match="robot has no site 'x': available: none"):
        model.site_index("x")


@pytest.mark.parametrize("kind", ["hinge", "slide", "ball", "free"])
def test_only_joints_with_one_coordinate_have_a_speed(kind):
    def model(speed) -> RobotModel:
        joint = Joint("j", kind, speed=speed)
        return RobotModel([Body("b", "world", (0, 0, 1), joints=[joint])])

    assert model(None).joint_speeds.tolist() == [np.inf]
    for speed in (1e-9, 0.5, 1e6):
        if kind in ("hinge", "slide"):
            assert model(speed).joint_speeds.tolist() == [speed]
        else:
            with pytest.raises(ModelError, match="speed of joint 'j' must be None or"):
                model(speed)
    for speed in (0.0, -1.0):
        with pytest.raises(ModelError, match="a number above 0, not"):
            model(speed)
