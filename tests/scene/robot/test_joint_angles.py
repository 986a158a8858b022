"""Angles and rotations that a chain reports, compared with its nodes."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import AxesLimit, ConeLimit, FixedLimit, HingeLimit, IKChain

X, Y, Z = np.eye(3)


def straight(world: p3d.NodePath, **options: object) -> IKChain:
    node = world.attach_new_node("root")
    for k in range(4):
        node = node.attach_new_node(f"bone {k}")
        node.set_z(1 if k else 0)
    return IKChain(node, 3, match_rotation=False, **options)


def turn_of(chain: IKChain, joint: int) -> np.ndarray:
    """A bone's turn against the one before, (3, 3) for column vectors."""
    return np.array(chain.bones[joint].get_mat())[:3, :3].T


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    k = np.cross(np.eye(3), axis)
    return np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * k @ k


def test_angles_reproduce_the_pose(world: p3d.NodePath) -> None:
    chain = straight(
        world,
        solver="dls",
        limits={
            "bone 0": ConeLimit((1.0, 0.8, 1.2, 0.7), twist=(-0.6, 0.6), up="y"),
            "bone 1": HingeLimit("x", -2.0, 2.0),
            2: AxesLimit("yx", (-1.0, -1.0), (1.0, 1.0)),
            -1: FixedLimit(),
        },
    )
    for point in ((0.9, 0.7, 1.9), (-1.2, 0.3, 1.5), (0.2, -1.4, 1.2)):
        chain.target.set_pos(*point)
        chain.solve()
        angles = chain.joint_angles
        assert list(angles) == [0, 1, 2, 3]
        # along +z with +y up, left is +x
        left, up, twist = angles[0]
        swing = np.array([-up, left, 0.0])
        size = np.linalg.norm(swing)
        hip = about(swing / size, size) @ about(Z, twist)
        assert turn_of(chain, 0) == pytest.approx(hip, abs=1e-5)
        assert turn_of(chain, 1) == pytest.approx(about(X, angles[1][0]), abs=1e-5)
        gimbal = about(Y, angles[2][0]) @ about(X, angles[2][1])
        assert turn_of(chain, 2) == pytest.approx(gimbal, abs=1e-5)
        assert angles[3] == ()
