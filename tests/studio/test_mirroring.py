"""Mirrored limits, compared with rotations mirrored by matrices."""

from __future__ import annotations

from math import radians

import numpy as np
import pytest

from ikrig import BindError
from ikrig.formats.rig_file import Part, make_limit
from ikrig.studio.document.adding import add_chain
from ikrig.studio.document.changing import set_limit, set_value
from ikrig.studio.document.mirroring import mirror_chain, mirror_limits, mirrored_limit
from ikrig.studio.document.skeleton_info import JointInfo, SkeletonInfo
from ikrig.studio.document.studio_document import StudioDocument
from tests import limit_oracle, reference

from .skeletons import person

MIRROR = np.diag([-1.0, 1.0, 1.0])
LIMITS = [
    {"kind": "hinge", "axis": (0.3, -0.5, 0.8), "range": (-0.4, 1.2)},
    {"kind": "ball", "most": 0.8},
    {"kind": "cone", "half_angles": (0.9, 0.5, 0.3, 0.7), "twist": (-0.2, 0.6)},
    {"kind": "cone", "half_angles": 0.6, "twist": (-0.5, 0.1)},
]


@pytest.mark.parametrize("values", LIMITS)
def test_mirrored_limit_allows_mirrored_rotations(values):
    rng = np.random.default_rng(7)
    for handed in (1.0, -1.0):
        # any frames, and one that is itself mirrored
        frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        frame *= np.linalg.det(frame)
        other = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        other[0] *= handed * np.linalg.det(other)
        part = Part("arm", dict(values))
        new = make_limit(mirrored_limit(part, as_frame(frame), as_frame(other)))
        limit = make_limit(part)
        bone = reference.unit(rng.normal(size=3))
        # columns: local -> world is F^T for frames of rows
        across = np.linalg.inv(other.T) @ MIRROR @ frame.T
        for _ in range(50):
            turn = limit_oracle.random_turn(rng, limit, bone)
            seen = across @ turn @ np.linalg.inv(across)
            assert limit_oracle.excess(new, seen, across @ bone) < 1e-5
            # and no more than those: what is far outside stays outside
            far = reference.axis_angle(rng.normal(size=3), rng.uniform(-3.0, 3.0))
            outside = limit_oracle.excess(limit, far, bone)
            seen = across @ far @ np.linalg.inv(across)
            gone = limit_oracle.excess(new, seen, across @ bone)
            assert (gone > 1e-4) == (outside > 1e-4)


def test_mirrored_axes_limit_mirrors_each_rotation():
    rng = np.random.default_rng(8)
    axes = ("x", (0.0, 0.6, 0.8))
    given = {"kind": "axes", "axes": axes, "lower": (-1.0, 0.0), "upper": (0.5, 1.0)}
    frame, other = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2))
    new = mirrored_limit(Part("arm", given), as_frame(frame), as_frame(other))
    assert new.values["lower"] == (-1.0, 0.0) and new.values["upper"] == (0.5, 1.0)
    across = np.linalg.inv(other.T) @ MIRROR @ frame.T
    for _ in range(20):
        first, second = rng.uniform(-1.0, 1.0, size=2)
        turn, seen = (
            reference.axis_angle(limit_oracle.axis_of(one), first)
            @ reference.axis_angle(limit_oracle.axis_of(two), second)
            for one, two in (axes, new.values["axes"])
        )
        assert np.allclose(across @ turn @ np.linalg.inv(across), seen, atol=1e-5)


def as_frame(matrix):
    return tuple(tuple(float(x) for x in row) for row in matrix)


def test_slide_is_mirrored_by_its_axis():
    part = Part("lift", {"kind": "slide", "axis": (1.0, 1.0, 0.0), "range": (-1, 2)})
    unit = as_frame(np.eye(3))
    new = make_limit(mirrored_limit(part, unit, unit))
    assert new.axis == pytest.approx((-(0.5**0.5), 0.5**0.5, 0.0), abs=1e-6)
    assert (new.lower, new.upper) == (-1, 2)


def test_mirroring_twice_restores_the_limit():
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand")
    document.do(add_chain, "RightHand")
    hinge = Part("", {"kind": "hinge", "axis": "z", "range": (0.0, radians(150))})
    document.do(set_limit, ("chains", "LeftHand"), "LeftForeArm", hinge)
    document.do(mirror_limits, ("chains", "LeftHand"))
    right = document.parts.parts("chains")["RightHand"].parts("limits")
    assert right["RightForeArm"].values["axis"] == (0.0, 0.0, -1.0)
    before = document.text
    document.do(mirror_limits, ("chains", "RightHand"))
    assert document.text == before


def test_chain_is_mirrored_to_the_other_side():
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand", name="left_hand", pole=True)
    document.do(set_value, ("chains", "left_hand", "weight"), 0.5)
    ball = Part("", {"kind": "ball", "most": 1.0})
    document.do(set_limit, ("chains", "left_hand"), "LeftForeArm", ball)
    document.do(mirror_chain, "left_hand")
    made = document.parts.parts("chains")["right_hand"]
    assert made.values["leaf"] == "RightHand"
    assert made.values["root_joint"] == "RightArm"
    assert made.values["weight"] == 0.5
    assert list(made.parts("limits")) == ["RightForeArm"]
    nodes = document.parts.parts("nodes")
    for kind in ("target", "pole"):
        x, y, z = nodes[f"left_hand {kind}"].values["pos"]
        assert nodes[f"right_hand {kind}"].values["pos"] == (-x, y, z)
    document.do(add_chain, "Head")
    with pytest.raises(BindError, match="no other side"):
        document.do(mirror_chain, "Head")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("mixamorig:LeftForeArm", "mixamorig:RightForeArm"),
        ("DEF-upper_arm.L.001", "DEF-upper_arm.R.001"),
        ("calf_l", "calf_r"),
        ("Bip01 L Thigh", "Bip01 R Thigh"),
        ("lForeArm", "rForeArm"),
        ("b_LeftLeg01_015", "b_RightLeg01_019"),
        ("leg.1.L", "leg.1.R"),
        ("左手首", "右手首"),
    ],
)
def test_sides_are_found_by_name(left, right):
    # of another number, and of the other side
    sides = [JointInfo(name, "root") for name in (left, "leg.2.R", right, "leg.2.L")]
    skeleton = SkeletonInfo((JointInfo("root", None), *sides))
    assert skeleton.mirrored(left) == right
    assert skeleton.mirrored(right) == left
    assert skeleton.mirrored("root") is None


def test_sides_are_found_by_position_without_names():
    joints = (
        JointInfo("a", None),
        JointInfo("b", "a", (1.0, 0.0, 2.0)),
        JointInfo("c", "a", (-1.01, 0.0, 2.0)),
        JointInfo("d", "c", (1.0, 0.0, 2.0)),
    )
    assert SkeletonInfo(joints).mirrored("b") == "c"
