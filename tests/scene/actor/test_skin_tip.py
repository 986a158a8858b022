"""Limbs that end at the end of their skin: ``tip="skin"``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from tests.characters.test_table import character


@pytest.fixture
def abbot():
    """A character whose forearms and shins have no joint at their ends."""
    actor = character("abbot")
    actor.reparent_to(p3d.NodePath("scene"))
    yield actor
    actor.cleanup()


def place(node: p3d.NodePath) -> np.ndarray:
    return np.array(node.get_pos(node.get_top()))


def sole(actor) -> np.ndarray:
    """Return the lowest point of the skin that is drawn."""
    points = []
    for path in actor.find_all_matches("**/+GeomNode"):
        for geom in path.node().get_geoms():
            data = geom.get_animated_vertex_data(True, p3d.Thread.get_current_thread())
            reader = p3d.GeomVertexReader(data, "vertex")
            while not reader.is_at_end():
                points.append(tuple(reader.get_data3()))
    skin = np.array(points)
    return skin[skin[:, 2].argmin()]


def test_drawn_skin_reaches_the_target(abbot) -> None:
    rig = ikrig.ActorRig(abbot)
    leg = rig.chain("leg_lower.l", root_joint="leg_upper.l", tip="skin")
    rig.chain("leg_lower.r", root_joint="leg_upper.r", tip="skin").target.set_z(0.3)
    assert [bone.get_name() for bone in leg.bones[:2]] == ["leg_upper.l", "leg_lower.l"]
    goal = np.array((-0.1, -0.2, 0.1))
    leg.target.set_pos(*goal)
    rig.update(1 / 60)
    assert leg.result.converged
    assert np.linalg.norm(place(leg.leaf) - goal) < 1e-5
    assert np.linalg.norm(sole(abbot) - goal) < 0.01
    # the knee bends: shin and thigh keep their lengths
    joints = [place(bone) for bone in leg.bones]
    assert np.linalg.norm(joints[1] - joints[0]) == pytest.approx(0.357, abs=0.01)
    assert np.linalg.norm(joints[2] - joints[1]) == pytest.approx(0.427, abs=0.01)


def test_limb_without_skin_has_no_skin_tip(abbot) -> None:
    rig = ikrig.ActorRig(character("humanoid"))
    with pytest.raises(ikrig.BindError, match=r"'LeftEye' .* does not extend"):
        rig.chain("LeftEye", 1, tip="skin")
    rig = ikrig.ActorRig(abbot)
    with pytest.raises(ikrig.SettingError, match="tip"):
        rig.chain("neck", 1, tip="skim")


def test_limbs_accept_skin_tips(abbot) -> None:
    limbs = {"left_hand": ("shoulder.l", "arm_lower.l", "skin"), "right_hand": None}
    rig = ikrig.ActorRig.auto(abbot, limbs=limbs)
    assert len(rig["left_hand"].bones) == 4
    assert rig.limbs["left_hand"].end is not None
    assert "right_hand" not in rig.limbs
    one = ikrig.ActorRig.auto(character("abbot"), limbs={"a": ("head", "head", "skin")})
    assert len(one["a"].bones) == 2
    for wrong in (("head",), ("head", "head"), ("neck", "head", "bone"), "head", 3):
        with pytest.raises(ikrig.BindError, match="limbs: 'a'"):
            ikrig.ActorRig.auto(character("abbot"), limbs={"a": wrong})


def test_feet_without_an_end_joint_stand_on_the_ground(abbot) -> None:
    rig = ikrig.ActorRig(abbot)
    feet = ikrig.FootPlacement(rig, lambda x, y: 0.05 if x > 0 else 0.0)
    for _ in range(120):
        rig.update(1 / 60)
    assert set(feet.planted) == {"leg_lower.l", "leg_lower.r"}
    left, right = (place(rig[f"leg_lower.{s}"].leaf) for s in "lr")
    # both are as high above their ground as the file has them
    assert left[2] == pytest.approx(0.004, abs=0.01)
    assert right[2] == pytest.approx(0.054, abs=0.01)
    assert np.isfinite(sole(abbot)).all()


def test_rig_file_keeps_the_skin_tip(abbot, tmp_path: Path) -> None:
    rig = ikrig.ActorRig(abbot)
    leg = rig.chain("leg_lower.l", root_joint="leg_upper.l", tip="skin")
    leg.target.set_pos(-0.1, -0.2, 0.1)
    path = tmp_path / "rig.yaml"
    text = ikrig.dump_rig(rig, path)
    assert "tip: skin" in text
    assert "leaf: leg_lower.l" in text
    fresh = character("abbot")
    fresh.reparent_to(p3d.NodePath("scene"))
    loaded = ikrig.load_rig(path, model=fresh)
    (chain,) = loaded.chains.values()
    assert [bone.get_name() for bone in chain.bones] == [
        bone.get_name() for bone in leg.bones
    ]
    assert "tip: skin" in ikrig.dump_rig(loaded)
    fresh.cleanup()


def test_default_target_is_at_the_skin_tip(tmp_path: Path) -> None:
    path = tmp_path / "rig.yaml"
    path.write_text("chains:\n  foot:\n    leaf: leg_lower.l\n    tip: skin\n")
    actor = character("abbot")
    actor.reparent_to(p3d.NodePath("scene"))
    chain = ikrig.load_rig(path, model=actor).chains["foot"]
    target = place(chain.target)
    assert np.linalg.norm(target - (-0.116, -0.026, 0.004)) < 0.06
    actor.cleanup()
