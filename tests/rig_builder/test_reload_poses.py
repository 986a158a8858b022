"""Poses, offsets and behaviours of rigs whose file changes: what stays as it was."""

from __future__ import annotations

import numpy as np
import pytest

import ikrig

from .test_rig_errors import RIG
from .test_rig_reload import ACTOR, HUMANOID, Stage, stage

__all__ = ["stage"]


def test_start_pose_is_that_of_the_first_load_after_a_reload(tmp_path):
    text = RIG.replace("weight: 0.5\n", "weight: 1\n")
    stage = Stage(tmp_path, text[: text.index("trees:")])
    bones = stage.rig.chains["arm"].bones
    first = [bone.get_transform() for bone in bones]
    stage.rig.targets["arm"].set_pos(0.3, 0.6, 1.8)
    for _ in range(5):
        stage.frame()
    assert bones[0].get_transform() != first[0]
    stage.write(text[: text.index("trees:")].replace("iterations: 20", "iterations: 9"))
    stage.frame()
    stage.write(text[: text.index("chains:")])
    stage.frame()
    for bone, transform in zip(bones, first, strict=True):
        found = np.array(bone.get_transform().get_mat())
        np.testing.assert_allclose(found, np.array(transform.get_mat()), atol=1e-6)


def test_target_offset_stays_when_a_chain_gets_other_bones(stage):
    rig, ball = stage.rig, stage.rig.targets["arm"]
    ball.set_h(40)
    stage.frame()
    (before,) = rig.chains["arm"].effectors
    fewer = RIG.replace("chain_length: 2", "chain_length: 1")
    stage.write(fewer.replace("      upper: {kind: cone", "      hand: {kind: cone"))
    stage.frame(0.0)
    (after,) = rig.chains["arm"].effectors
    assert len(rig.chains["arm"].bones) == 2
    assert after is not before
    assert after.target_offset == pytest.approx(before.target_offset, abs=1e-6)
    # another target is followed from where it is when it comes
    rig.nodes["hint"].set_h(-70)
    stage.write(RIG.replace("target: ball", "target: hint", 1))
    stage.frame(0.0)
    (other,) = rig.chains["arm"].effectors
    assert other.target_offset != pytest.approx(before.target_offset, abs=1e-3)


def test_failed_reload_removes_the_behaviours_that_it_made(tmp_path):
    (tmp_path / "humanoid.bam").write_bytes(HUMANOID.read_bytes())
    text = ACTOR.format(model="humanoid.bam")
    stage = Stage(tmp_path, text)
    before = list(stage.rig.actor_rig.layers)
    more = "  nod: {kind: look_at, joints: {Head: 1}}\n  peer: {kind: look_at}\n"
    late = "  late: {kind: look_at, target: ball, joints: {nobody: 1}}\n"
    stage.write(text + more + late)
    with pytest.raises(ikrig.RigFileError, match="nobody"):
        stage.rig.reload()
    assert list(stage.rig.actor_rig.layers) == before
    stage.write(text + more)
    stage.rig.reload()
    # the second one turns the spine by a layer of its own
    assert len(stage.rig.actor_rig.layers) == len(before) + 3
