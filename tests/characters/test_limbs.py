"""Limbs found in third-party characters match those that a person sees."""

from __future__ import annotations

import numpy as np
import pytest

import ikrig
from ikrig.scene.actor.actor_figure import limbs_of

from .catalog import EXPECTED
from .test_table import character

FORWARD = {"-y": (0.0, -1.0, 0.0), "+y": (0.0, 1.0, 0.0), "+x": (1.0, 0.0, 0.0)}


@pytest.mark.parametrize("name", EXPECTED)
def test_limbs_eyes_and_forward_are_as_expected(name: str) -> None:
    expected = EXPECTED[name]
    rig = ikrig.ActorRig(character(name))
    found = limbs_of(rig.skeleton)
    limbs = {limb.name: limb for limb in found.limbs}
    assert {k: list(limb.joints) for k, limb in limbs.items()} == expected.limbs
    assert sorted(found.eyes) == sorted(expected.eyes)
    if expected.forward:
        assert found.forward == pytest.approx(FORWARD[expected.forward], abs=1e-6)
    assert {n for n, limb in limbs.items() if limb.end is not None} == {*expected.tip}
    for limb, place in expected.tip.items():
        end = limbs[limb].end
        assert end is not None
        assert np.linalg.norm(np.subtract(end, place)) < expected.within, limb
    # what it has not is said, with a reason
    assert set(expected.without) <= {finding.limb for finding in found.findings}
    assert all(finding.message for finding in found.findings)


@pytest.mark.parametrize("name", EXPECTED)
def test_auto_changes_nothing_until_it_is_used(name: str) -> None:
    actor = character(name)
    clips = sorted(actor.get_anim_names())
    rig = ikrig.ActorRig.auto(actor)
    skeleton = rig.skeleton
    for frame in range(0, 12, 3):
        if clips:
            actor.pose(clips[-1], frame)
        skeleton.release_controls()
        skeleton.bundle.force_update()
        before = [np.array(j.get_transform_state().get_mat()) for j in _joints(rig)]
        rig.update(1 / 30)
        after = [np.array(j.get_transform_state().get_mat()) for j in _joints(rig)]
        size = max(np.abs(mat).max() for mat in before)
        assert np.abs(np.subtract(before, after)).max() < 2e-6 * size


def _joints(rig: ikrig.ActorRig) -> list:
    return list(rig.skeleton.joints.values())
