"""Recorded, converted and baked clips; interrupted, invalid and resumed batches."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig.cli import report
from ikrig.cli.bake import Ledger

from .conftest import ARM, ASSETS, NOD, hear_ctrl_c

RIG = ASSETS / "rigs" / "humanoid.yaml"
REACH = """\
duration: 0.3
tracks:
  left_hand:
    target:
      keys:
        0: [0.3, -0.4, 1.3]
        0.3: [0.4, -0.3, 1.4]
"""
FAST = ("--fps", "10")


@pytest.fixture
def clips(write):
    for name in ("one", "two/deep"):
        write(f"clips/{name}.yaml", REACH)
    write("clips/misfit.yaml", REACH.replace("left_hand", "lft_hand"))
    return write("clips/broken.yaml", "tracks: [\n").parent


def _hand(actor, frame: int) -> np.ndarray:
    actor.pose("reach", frame)
    actor.update(force=True)
    return np.array(actor.expose_joint(None, "modelRoot", "LeftHand").get_pos(actor))


def test_baked_clip_plays_without_ikrig(run, write, tmp_path):
    out = tmp_path / "deep" / "reach.bam"
    answer = run("bake", RIG, write("r.yaml", REACH), "-o", out, *FAST, "--json")
    assert answer.code == 0, answer.err
    (baked,) = answer.document["baked"]
    assert (baked["frames"], baked["kept"]) == (4, False)
    assert baked["bytes"] == out.stat().st_size
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    model, animation = (
        p3d.Filename.from_os_specific(str(path))
        for path in (ASSETS / "models" / "humanoid.bam", out)
    )
    actor = Actor(model, {"reach": animation})
    # the targets in the clip, and the rig hangs at the origin
    wanted = (0.3, -0.4, 1.3), (0.4, -0.3, 1.4)
    for frame, point in zip((0, 3), wanted, strict=True):
        assert np.linalg.norm(_hand(actor, frame) - point) < 0.01
    actor.cleanup()


@pytest.mark.parametrize("jobs", [1, 2])
def test_invalid_clip_does_not_stop_the_others(run, clips, tmp_path, jobs):
    out = tmp_path / "baked"
    words = ["bake", RIG, clips, "-o", out, "--jobs", jobs, *FAST, "--json"]
    answer = run(*words)
    assert answer.code == 1
    written = {p.relative_to(out).as_posix() for p in out.rglob("*.bam")}
    assert written == {"one.bam", "two/deep.bam"}
    wrong = {error["file"]: error for error in answer.document["errors"]}
    assert set(wrong) == {str(clips / "misfit.yaml"), str(clips / "broken.yaml")}
    assert "did you mean 'left_hand'" in wrong[str(clips / "misfit.yaml")]["message"]
    assert wrong[str(clips / "broken.yaml")]["line"] == 2
    if jobs > 1:
        return
    # the bad ones mended, the good ones are kept
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.bam")}
    (clips / "misfit.yaml").write_text(REACH)
    (clips / "broken.yaml").unlink()
    answer = run(*words)
    assert answer.code == 0
    kept = {part["file"]: part["kept"] for part in answer.document["baked"]}
    assert [kept[str(path)] for path in before] == [True, True]
    assert kept[str(out / "misfit.bam")] is False
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_changed_setting_or_source_is_detected(run, write, tmp_path):
    rig = tmp_path / "rig.yaml"
    rig.write_text(RIG.read_text().replace("../models/", f"{ASSETS / 'models'}/"))
    folder, out = write("clips/one.yaml", REACH).parent, tmp_path / "baked"

    def kept(*words: object) -> bool:
        words += ("--jobs", 1, "--allow", ASSETS, "--json")
        answer = run("bake", rig, folder, "-o", out, *words)
        assert answer.code == 0, answer.err
        (baked,) = answer.document["baked"]
        return bool(baked["kept"])

    for words in (
        FAST,
        ("--fps", "5"),
        ("--fps", "5", "--tolerance-deg", "2"),
        ("--fps", "5", "--tolerance-deg", "2", "--tolerance", "0.1"),
    ):
        assert not kept(*words), words
        assert kept(*words), words
    # a file that is restored is older than what was baked, and another one all the same
    for path in (rig, folder / "one.yaml"):
        path.write_text(path.read_text() + "# changed\n")
        os.utime(path, ns=(10**18, 10**18))
        assert not kept(*words), path
        assert kept(*words), path
    (out / ".ikrig-bake.json").write_text("[" * 100_000)
    assert not kept(*words)
    (out / "one.bam").unlink()
    assert not kept(*words)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_pipes_in_place_of_files_do_not_block(tmp_path):
    for name in (".ikrig-bake.json", "hand.bam"):
        os.mkfifo(tmp_path / name)
    ledger = Ledger(tmp_path)
    assert ledger.key([tmp_path / "hand.bam"], {}) != ledger.key([], {})


def test_two_clips_for_one_output_are_reported(run, write, tmp_path):
    folder = write("clips/one.yaml", REACH).parent
    write("clips/one.yml", REACH)
    out = tmp_path / "baked"
    answer = run("bake", RIG, folder, "-o", out, "--jobs", 1, *FAST)
    assert answer.code == 1
    assert "would be written to the same file" in answer.err


@pytest.mark.parametrize(
    ("out", "code"), [("out.txt", 2), ("clips", 2), ("r.yaml/out.bam", 2)]
)
def test_unwritable_folder_is_reported(run, write, tmp_path, out, code):
    clip = write("r.yaml", REACH)
    write("clips/x.yaml", REACH)
    answer = run("bake", RIG, clip, "-o", tmp_path / out, *FAST)
    assert answer.code == code
    assert "Traceback" not in answer.err


def test_rig_without_an_actor_is_reported(run, write, tmp_path):
    rig, clip = write("arm.yaml", ARM), write("nod.yaml", NOD)
    # the proposed clip must not be the one that it is made of
    answer = run("bake", rig, clip, "-o", tmp_path / "nod.bam.pz", "--json")
    assert answer.code == 1
    message = answer.document["errors"][0]["message"]
    assert "only an Actor" in message
    # what it proposes is a command that works
    words = message.partition("python -m ikrig ")[2].split()
    assert run(*words).code == 0
    assert ikrig.load_clip(tmp_path / "nod_joints.yaml").duration == 0.2


@pytest.mark.parametrize(
    ("out", "proposed"),
    [
        ("a.bam", "a_joints.yaml"),
        ("...bam", "bam_joints.yaml"),
        ("a.b.egg", "a_joints"),
    ],
)
def test_rig_without_an_actor_is_reported_with_any_name(
    run, write, tmp_path, out, proposed
):
    rig, clip = write("arm.yaml", ARM), write("nod.yaml", NOD)
    answer = run("bake", rig, clip, "-o", tmp_path / out, *FAST)
    assert answer.code != 0
    assert f"-o {tmp_path / proposed}" in answer.err


def test_commands_in_help_work_with_every_model(run, write):
    text = run("bake", "--help").out
    proposed = re.findall(r"-o (\S+)", text.partition("examples:")[2])
    assert all(out.endswith((".bam", "/")) for out in proposed)
    assert text.index(".bam") < text.index(".egg")
    assert "are sorted by name" in " ".join(text.split())
    # as the one that ships shows, whose joints are in another order
    clip = write("r.yaml", REACH)
    answer = run("bake", RIG, clip, "-o", clip.with_name("out.egg"), *FAST)
    assert answer.code == 1
    assert "bake to .bam" in answer.err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_ctrl_c_ends_all_processes_and_leaves_whole_files(write, tmp_path):
    long = REACH.replace("0.3:", "60:").replace("0.3\n", "60\n")
    folder = write("clips/a0.yaml", REACH).parent
    for i in range(6):
        write(f"clips/b{i}.yaml", long)
    out = tmp_path / "baked"
    words = ["bake", RIG, folder, "-o", out, "--jobs", "2", "--fps", "120"]
    process = subprocess.Popen(
        [sys.executable, "-m", "ikrig", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,
    )
    until = time.monotonic() + 60.0
    first = out / "a0.bam"
    while not first.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    # as a terminal does: to all processes of the group at once
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    left = {path.name for path in out.iterdir()} - {".ikrig-bake.json"}
    assert left == {"a0.bam"}
    with pytest.raises(ProcessLookupError):
        # the last to go is the one with which Python keeps its books on the others
        while time.monotonic() < until:
            os.killpg(process.pid, 0)
            time.sleep(0.05)


def test_recorded_clip_plays_without_ik(run, write, tmp_path):
    rig, clip = write("arm.yaml", ARM), write("nod.yaml", NOD)
    out = tmp_path / "joints.yaml"
    answer = run("record", rig, clip, "-o", out, "--json")
    assert answer.code == 0, answer.err
    channels = {track["channel"] for track in answer.document["tracks"]}
    assert "rotation" in channels
    assert "target" not in channels
    loaded = ikrig.load_rig(rig)
    player = ikrig.ClipPlayer(ikrig.load_clip(out), loaded)
    ends = []
    for time_ in (0.0, 0.2):
        player.time = time_
        # its chain is at weight 0 now, and leaves the bones to the clip
        loaded.solve()
        ends.append(list(loaded.nodes["hand"].get_pos(loaded.root)))
    np.testing.assert_allclose(ends, [[0.7, 0, 1.3], [0.8, 0, 0.8]], atol=0.01)


def test_reduced_clip_moves_the_same(run, write, tmp_path):
    times = np.linspace(0.0, 1.0, 61)
    keys = "".join(f"        {t!r}: [{t * t!r}, 0, 1]\n" for t in times.tolist())
    clip = write("many.yaml", f"tracks:\n  arm:\n    target:\n      keys:\n{keys}")
    out = tmp_path / "few.yaml"
    answer = run("convert", clip, "-o", out, "--tolerance", "0.01", "--json")
    assert answer.code == 0, answer.err
    assert answer.document["keys"] < 20
    small = ikrig.load_clip(out)
    for t in times:
        assert abs(small.sample(t)["arm", "target"][0] - t * t) <= 0.0101


PANDA = """\
model: models/panda-model
animations: {walk: models/panda-walk4}
chains:
  left_front_foot: {leaf: Bone_lf_foot, root_joint: Bone_lf_leg_upper}
"""


def test_an_animation_becomes_targets(run, write, tmp_path, monkeypatch):
    rig, out = write("panda.yaml", PANDA), tmp_path / "walk.yaml"
    words = ["convert", rig, "--animation", "walk", "-o", out, "--fps", "5", "--json"]
    answer = run(*words)
    assert answer.code == 0, answer.err
    moved = {(t["part"], t["channel"]) for t in answer.document["tracks"]}
    assert ("left_front_foot", "target") in moved
    # frames that are right come and go, so that counting them would mislead
    monkeypatch.setattr(report, "EVERY", {True: 0.0, False: 0.0})
    reported = run(*words).err.splitlines()
    assert reported
    assert all(re.fullmatch(r"finding keys, \d+ s so far", line) for line in reported)
    assert run("check", rig, out).code == 0
    answer = run("convert", rig, "--animation", "wlk", "-o", out)
    assert answer.code == 1
    assert "did you mean 'walk'" in answer.err
    assert run("convert", rig, "-o", out).code == 2
    before = rig.read_bytes()
    answer = run("convert", rig, "--animation", "walk", "-o", rig)
    assert answer.code == 2
    assert ", from which the result is made" in answer.err
    assert rig.read_bytes() == before
    words[words.index("5")] = "3"
    assert run(*words, "--tolerance", "1.0").code == 0


def test_name_that_is_not_a_string_is_reported(tmp_path):
    clip = tmp_path / os.fsdecode(b"\xff.yaml")
    clip.write_bytes((ASSETS / "clips/wave.yaml").read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "ikrig", "check", str(clip)],
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "no errors" in done.stdout
