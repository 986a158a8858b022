"""Invalid arguments: one clear sentence, as an IkrigError."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ikrig

RIG = Path(__file__).parents[2] / "assets/rigs/humanoid.yaml"


@pytest.fixture(scope="module")
def rig():
    rig = ikrig.load_rig(RIG)
    yield rig
    rig.remove()


def test_clip_below_a_microsecond_survives_a_round_trip(tmp_path):
    clip = ikrig.Clip("nod", events=[(1e-9, "top")])
    ikrig.dump_clip(clip, tmp_path / "nod.yaml")
    assert ikrig.load_clip(tmp_path / "nod.yaml").duration == clip.duration


def test_empty_array_means_no_eyes(rig):
    gaze = ikrig.LookAt(rig.actor_rig, None, eyes=np.zeros(0))
    gaze.remove()
