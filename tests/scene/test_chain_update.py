"""Changes that a chain's frame detects, and frames that change nothing."""

from __future__ import annotations

import math

import numpy as np
import panda3d.core as p3d
import pytest

from ikrig import IKChain, SolveStatus
from tests.scene.conftest import gap, limb


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


CHANGES = {
    "target": lambda chain: chain.target.set_x(0.5),
    "turned target": lambda chain: chain.target.set_h(40),
    "pole": lambda chain: chain.pole.set_x(-5),
    "another pole": lambda chain: setattr(chain, "pole", None),
    "another target": lambda chain: setattr(
        chain, "target", chain.root.attach_new_node("new")
    ),
    "bone": lambda chain: chain.bones[1].set_h(70),
    "first bone moved": lambda chain: chain.bones[0].set_x(0.7),
    "bone longer": lambda chain: chain.bones[2].set_z(1.2),
    "bone scaled": lambda chain: chain.bones[2].set_scale(1.2),
    "weight": lambda chain: setattr(chain, "weight", 0.3),
    "solver": lambda chain: setattr(chain, "solver", "ccd"),
    "match_rotation": lambda chain: setattr(chain, "match_rotation", False),
    "offset": lambda chain: setattr(
        chain.effectors[0], "target_offset", (math.sqrt(0.5), math.sqrt(0.5), 0, 0)
    ),
    "target elsewhere": lambda chain: chain.target.reparent_to(chain.pole),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_solved_in_the_same_frame(chain, change):
    before = chain.solve()
    CHANGES[change](chain)
    result = chain.solve()
    assert result is not before
    assert result.error == pytest.approx(gap(chain), abs=1e-5)


def test_target_below_its_own_bone_is_reported_at_once(chain, world):
    places = (chain.root, world, world.attach_new_node("other"))
    for place in places:
        chain.target.reparent_to(place)
        chain.target.set_pos(1, 0.5, 2)
        assert chain.solve().status is not SolveStatus.INVALID_TARGET
        chain.target.wrt_reparent_to(chain.bones[1])
        chain.target.set_x(0.3)
        assert "own bone" in chain.solve().detail


@pytest.mark.parametrize("which", ["target", "pole"])
def test_removed_and_restored_targets_and_poles_are_reported_at_once(chain, which):
    node = getattr(chain, which)
    node.reparent_to(chain.root)
    chain.solve()
    node.detach_node()
    for _ in range(2):
        assert f"{which} " in chain.solve().detail
    node.reparent_to(chain.root)
    assert chain.solve().status is not SolveStatus.INVALID_TARGET


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


def test_match_rotation_is_read_as_it_was_set(chain):
    assert chain.match_rotation is True
    chain.match_rotation = False
    assert chain.match_rotation is False
