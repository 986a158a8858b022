"""``quality``, and ``info`` and ``convert`` of motion captures."""

from __future__ import annotations

import json

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.formats.test_bvh import FILE

from .conftest import ASSETS


@pytest.fixture
def capture(write):
    return write("walk.bvh", FILE)


def test_info_of_a_capture(run, capture):
    found = run("info", capture, "--json").document
    assert (found["kind"], found["frames"]) == ("capture", 2)
    assert found["joints"][1] == {"name": "left knee", "parent": "hips"}
    assert len(found["notes"]) == 2
    text = run("info", capture, "--scale", "0.01").out
    assert "2 frames, 30 fps" in text and "centimetres" not in text
    broken = run("info", capture.with_name("broken.bvh").write_text("HIER") and
                 capture.with_name("broken.bvh"))  # fmt: skip
    assert broken.code == 1
    assert "broken.bvh:1:1: 'HIER' should be HIERARCHY" in broken.err


def test_folders_with_captures_are_checked(run, capture):
    capture.with_name("bad.bvh").write_text(FILE.replace("Frames: 2", "Frames: 3"))
    answer = run("check", capture.parent)
    assert answer.code == 1
    assert "walk.bvh: a motion capture, no errors" in answer.out
    assert "bad.bvh:25:1: ends after 2 frames" in answer.err


@pytest.mark.parametrize("ending", [".egg", ".bam"])
def test_a_capture_becomes_an_actor(run, capture, ending):
    out = capture.with_name(f"new{ending}")
    answer = run("convert", capture, "-o", out)
    assert answer.code == 0, answer.err
    assert "centimetres" in answer.err
    actor = Actor(p3d.Filename.from_os_specific(str(out)))
    assert actor.get_anim_names() == ["walk"]
    wanted, found = ikrig.load_bvh(capture), ikrig.actor_motion(actor, "walk")
    order = [wanted.index(name) for name in found.names]
    np.testing.assert_allclose(
        found.global_positions, wanted.global_positions[:, order], atol=1e-5
    )
    info = run("info", out, "--json").document
    assert [a["name"] for a in info["animations"]] == ["walk"]


def test_a_capture_becomes_a_clip(run, capture):
    out = capture.with_name("new.yaml")
    assert run("convert", capture, "-o", out, "--tolerance-deg", "0").code == 0
    motion, clip = ikrig.load_bvh(capture), ikrig.load_clip(out)
    knee = clip.sample(motion.times[1])["left knee", "rotation"]
    np.testing.assert_allclose(knee, motion.rotations[1, 1], atol=1e-6)
    assert run("convert", capture, "-o", capture.with_name("new.txt")).code == 2
    assert run("convert", capture, "-o", capture).code == 2


def test_quality_of_a_model(run, tmp_path):
    model, page = ASSETS / "models" / "humanoid.bam", tmp_path / "page.html"
    answer = run("quality", model, "--ground", "0", "--page", page, "--json")
    assert answer.code == 0, answer.err
    names = [motion["motion"] for motion in answer.document["motions"]]
    assert names == [f"humanoid {clip}" for clip in ("idle", "run", "walk", "wave")]
    assert answer.document["motions"][2]["measures"]["drift"]["limit"] == 1.0
    assert page.read_text("utf-8").count("<!doctype html>") == 4
    one = run("quality", model, "--animation", "walk", "--limit", "drift=0.001")
    assert one.code == 1
    assert "! drift" in one.out and "humanoid idle" not in one.out
    assert run("quality", model, "--animation", "wlak").err.count("'walk'") >= 1


def test_quality_of_a_rig_that_plays(run):
    rig, clip = ASSETS / "rigs" / "arm.yaml", ASSETS / "clips" / "wave.yaml"
    answer = run("quality", rig, clip, "--json")
    assert answer.code == 0, answer.err
    assert answer.document["motions"][0]["motion"] == "nodes"
    assert "name its clip" in run("quality", rig).err
    assert run("quality", clip).code == 2


def test_quality_beside_a_source(run, capture, write):
    other = write("new.bvh", FILE.replace("-50 5", "-20 5"))
    answer = run("quality", other, "--source", capture, "--json")
    (found,) = answer.document["motions"]
    assert found["measures"]["rotation_difference"]["value"] > 1.0
    short = write(
        "short.bvh", FILE.replace("Frames: 2", "Frames: 1").rsplit("\n", 2)[0]
    )
    assert "has 1 frames" in run("quality", capture, "--source", short).err


def test_limits_are_named_and_may_be_taken_away(run, capture):
    text = run("quality", capture, "--limit", "drfit=1").err
    assert "did you mean 'drift'" in text
    limits = [f"--limit={name}=none" for name in ikrig.quality.MEASURES]
    found = run("quality", capture, *limits, "--json")
    assert found.code == 0
    (motion,) = json.loads(found.out)["motions"]
    assert {m["limit"] for m in motion["measures"].values()} == {None}
