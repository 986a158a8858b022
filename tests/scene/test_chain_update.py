"""Changes that a chain's frame detects, and frames that change nothing."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import IKChain, SolveStatus
from tests.scene.conftest import limb


@pytest.fixture
def chain(world) -> IKChain:
    nodes = limb(world.attach_new_node("body"))
    made = IKChain(nodes[-1], 4, pole=world.attach_new_node("pole"))
    made.pole.set_pos(5, 5, 5)
    made.target.set_pos(1, 1, 2)
    assert made.solve().converged
    return made


RARE = ("_read_bones", "_pass_tips", "_solve", "_result_at_zero_weight", "_write")


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
@pytest.mark.parametrize("poled", [True, False])
def test_ordinary_frames_call_no_method_of_the_chain(chain, monkeypatch, axis, poled):
    # the pole, and the axes of half turns, have zeros among their coordinates
    chain.pole = chain.pole if poled else None
    if poled:
        chain.pole.set_pos(chain.root, 0, 5, 0)
    chain.solve()
    called = []
    for name in RARE:
        monkeypatch.setattr(IKChain, name, lambda *_, name=name: called.append(name))
    turn = p3d.LQuaternionf()
    start = chain.target.get_quat()
    for angle in (180.0, 60.0):
        turn.set_from_axis_angle(angle, p3d.LVector3f(*axis))
        chain.target.set_pos_quat((0.7, 1, 2), start * turn)
        assert chain.solve().converged
    assert called == []


def test_target_gives_the_same_goal_inside_and_outside_root_space(world):
    poses = []
    for outside in (False, True):
        body = world.attach_new_node("body")
        body.set_pos_hpr(3, 4, 5, 20, 30, 40)
        body.set_scale(1.7)
        nodes = limb(body)
        chain = IKChain(nodes[-1], 4)
        if outside:
            chain.target.wrt_reparent_to(world)
        for k in range(5):
            state = p3d.TransformState.make_pos_hpr((1, 0.2 * k, 2), (30 * k, 10, 5))
            chain.target.set_transform(body, state)
            assert chain.solve().converged
        poses.append([tuple(node.get_quat()) for node in nodes])
        assert (
            nodes[-1]
            .get_quat(body)
            .almost_same_direction(chain.target.get_quat(body), 2.0)
        )
    assert np.allclose(*poses, atol=1e-5)


def test_reparented_bone_is_reported_within_as_many_frames_as_nodes(chain):
    for bone in chain.bones[1:]:
        above = bone.get_parent()
        bone.reparent_to(chain.root)
        found = [chain.solve().status for _ in chain.bones]
        assert found[-1] is SolveStatus.INVALID_TARGET
        bone.reparent_to(above)
        assert chain.solve().status is not SolveStatus.INVALID_TARGET


def test_new_reason_is_logged_again(world, capfd):
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4)
    chain.target.set_pos(math.inf, 0, 0)
    chain.solve()
    chain.solve()
    chain.target.remove_node()
    chain.solve()
    chain.solve()
    text = "".join(capfd.readouterr())
    assert text.count("the pose is left unchanged") == 2
    assert text.count("no longer in the scene") == 1


def test_removed_leaf_is_reported_as_removed(world):
    nodes = limb(world)
    chain = IKChain(nodes[-1], 4)
    chain.solve()
    for node in (nodes[-1], nodes[2], nodes[0]):
        node.remove_node()
        # where bones hang is looked up for one bone a frame
        found = [chain.solve().detail for _ in nodes]
        assert "was removed from the scene" in found[-1]


@pytest.mark.parametrize("own", [(1, 1, 1), (-1, 1, 1), (2, -2, -2), (-1, -1, -1)])
@pytest.mark.parametrize("mirrored", [False, True])
def test_later_rotation_of_leaf_or_target_is_measured(world, mirrored, own):
    body = world.attach_new_node("body")
    body.set_pos_hpr_scale((1, 2, 3), (30, 20, 10), (-1 if mirrored else 1, 1, 1))
    nodes = limb(body)
    nodes[-1].set_scale(*own)
    chain = IKChain(nodes[-1], 4)
    chain.target.set_pos(body, 1, 0.5, 2)
    chain.target.set_hpr(40, 30, 20)
    assert chain.solve().converged
    assert chain.result.orientation_error < 3e-3
    leaf = nodes[-1].get_quat()
    turn = p3d.LQuaternionf()
    turn.set_from_axis_angle(25, p3d.LVector3f(0, 0.6, 0.8))
    nodes[-1].set_quat(turn * leaf)
    assert chain.result.orientation_error == pytest.approx(math.radians(25), abs=3e-3)
    nodes[-1].set_quat(leaf)
    chain.target.set_quat(turn * chain.target.get_quat())
    assert chain.result.orientation_error == pytest.approx(math.radians(25), abs=3e-3)
    chain.match_rotation = False
    chain.solve()
    nodes[-1].set_quat(turn * leaf)
    assert chain.result.orientation_error == 0.0
