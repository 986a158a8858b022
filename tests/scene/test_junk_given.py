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


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda rig: ikrig.IKSystem(None), ikrig.BindError, "task_mgr must be"),
        (lambda rig: ikrig.IKSystem.of([]), ikrig.BindError, "task_mgr must be"),
        (
            lambda rig: ikrig.dump_clip(None),
            ikrig.ClipError,
            "must be a Clip",
        ),
        (lambda rig: ikrig.dump_rig(rig, True), ikrig.OutputError, "must be a path"),
        (lambda rig: ikrig.dump_rig(rig, "\0.yaml"), ikrig.OutputError, "null"),
        (
            lambda rig: ikrig.bake(rig, ikrig.Clip("c"), None),
            ikrig.OutputError,
            "must be a path",
        ),
        (
            lambda rig: ikrig.bake(rig, "nod.yaml", "nod.bam"),
            ikrig.ClipError,
            "must be a Clip",
        ),
    ],
)
def test_junk_gives_one_clear_sentence(rig, call, error, message):
    with pytest.raises(error, match=message):
        call(rig)


def test_clip_below_a_microsecond_survives_a_round_trip(tmp_path):
    clip = ikrig.Clip("nod", events=[(1e-9, "top")])
    ikrig.dump_clip(clip, tmp_path / "nod.yaml")
    assert ikrig.load_clip(tmp_path / "nod.yaml").duration == clip.duration


def test_empty_array_means_no_eyes(rig):
    gaze = ikrig.LookAt(rig.actor_rig, None, eyes=np.zeros(0))
    gaze.remove()
