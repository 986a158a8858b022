"""No source of a rig, clip or animation is ever overwritten."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig import OutputError
from ikrig.formats.robot_yaml import dump_robot, load_robot_yaml
from ikrig.scene.viewer.video_writer import open_video_writer

from .conftest import ASSETS

RIG = """\
model: ../models/human.bam
bodies:
  robot: {file: ../models/robot.yaml, pos: [2, 0, 0]}
chains:
  left_hand: {leaf: LeftHand, root_joint: LeftArm}
"""
CLIP = """\
duration: 0.1
tracks:
  left_hand:
    target:
      keys: {0: [0.3, -0.4, 1.3], 0.1: [0.4, -0.3, 1.4]}
"""


class Project:
    """A rig with a model and a robot, a clip, and links to all of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("rigs", "models", "clips", "links"):
            (folder / name).mkdir()
        shutil.copy(ASSETS / "models/humanoid.bam", folder / "models/human.bam")
        shutil.copy(ASSETS / "models/six_axis.yaml", folder / "models/robot.yaml")
        (folder / "rigs/human.yaml").write_text(RIG)
        (folder / "clips/nod.yaml").write_text(CLIP)
        self.rig, self.clip = folder / "rigs/human.yaml", folder / "clips/nod.yaml"
        links = folder / "links"
        (links / "robot.yaml").symlink_to("../models/robot.yaml")
        (links / "hard.yaml").hardlink_to(folder / "models/robot.yaml")
        (links / "yaml.yaml").symlink_to("../models/human.bam")
        (links / "clip.bam").symlink_to("../clips/nod.yaml")
        (links / "human.bam").symlink_to("../models/human.bam")
        self.before = self.summary()

    def summary(self) -> dict[Path, bytes]:
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in files}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def loaded(project: Project) -> Iterator[ikrig.Rig]:
    rig = ikrig.load_rig(project.rig, parent=p3d.NodePath("scene"))
    yield rig
    rig.remove()


@pytest.mark.parametrize(
    "line",
    [
        "record RIG CLIP -o models/human.bam", "record RIG CLIP -o models/robot.yaml",
        "record RIG CLIP -o rigs/../models/robot.yaml",
        "record RIG CLIP -o links/robot.yaml", "record RIG CLIP -o links/hard.yaml",
        "record RIG CLIP -o links/yaml.yaml", "record RIG CLIP -o RIG",
        "record RIG CLIP -o CLIP", "convert RIG --animation idle -o models/robot.yaml",
        "convert RIG --animation idle -o links/hard.yaml",
        "convert models/robot.yaml -o links/robot.yaml",
        "convert CLIP -o models/human.bam", "convert CLIP -o links/yaml.yaml",
        "bake RIG CLIP -o models/human.bam", "bake RIG CLIP -o links/human.bam",
        "bake RIG CLIP -o links/clip.bam", "bake RIG CLIP -o models/robot.yaml",
        "bake RIG clips -o RIG", "play RIG CLIP --record models/human.bam",
        "play RIG CLIP --record CLIP",
    ],
)  # fmt: skip
def test_commands_never_overwrite_their_inputs(run, project, monkeypatch, line):
    monkeypatch.chdir(project.folder)
    names = {"RIG": "rigs/human.yaml", "CLIP": "clips/nod.yaml"}
    words = [names.get(word, word) for word in line.split()]
    answer = run(*words, "--json")
    assert answer.code == 2, answer.err
    (error,) = answer.document["errors"]
    assert error["file"] == words[-1]
    assert len(answer.err.splitlines()) == 1
    assert project.summary() == project.before


def test_rig_lists_its_source_files(project: Project, loaded: ikrig.Rig) -> None:
    names = {path.resolve().name for path in loaded.sources}
    assert names == {"human.yaml", "human.bam", "robot.yaml"}
    panda = ikrig.load_rig(ASSETS / "rigs/panda.yaml", parent=p3d.NodePath("scene"))
    names = {path.name.partition(".")[0] for path in panda.sources}
    assert names == {"panda", "panda-model", "panda-walk4"}
    panda.remove()


Write = Callable[[Path], object]
WRITERS: dict[str, Callable[[ikrig.Rig, ikrig.Clip], Write]] = {
    "dump_rig": lambda rig, clip: partial(ikrig.dump_rig, rig),
    "record_clip": lambda rig, clip: partial(
        ikrig.dump_clip, ikrig.record_clip(rig, clip, 10)
    ),
    "save_clip": lambda rig, clip: partial(
        ikrig.save_clip, ikrig.record_clip(rig, clip, 10).with_changes(wrap="loop")
    ),
    "bake_to_controls": lambda rig, clip: partial(
        ikrig.dump_clip, ikrig.bake_to_controls(rig, "wave", 1)
    ),
    "bake": lambda rig, clip: partial(ikrig.bake, rig, clip, fps=10),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_functions_never_overwrite_their_inputs(project, loaded, writer):
    write = WRITERS[writer](loaded, ikrig.load_clip(project.clip))
    reads = ["models/human.bam", "models/robot.yaml", "links/hard.yaml"]
    # a clip that is recorded is another one, a rig that is written the same
    reads += [] if writer == "dump_rig" else ["rigs/human.yaml"]
    reads += ["clips/nod.yaml"] if writer == "record_clip" else []
    for name in reads:
        with pytest.raises((OutputError, ikrig.ClipFileError)):
            write(project.folder / name)
    assert project.summary() == project.before


def test_files_meant_to_be_replaced_are(project: Project, loaded: ikrig.Rig) -> None:
    ikrig.dump_rig(loaded, project.rig)
    clip = ikrig.load_clip(project.clip)
    ikrig.save_clip(clip.with_changes(wrap="loop"), project.clip)
    assert ikrig.load_clip(project.clip).wrap == "loop"
    ikrig.dump_clip(ikrig.reduce_clip(clip), project.clip)
    robot = project.folder / "models/robot.yaml"
    dump_robot(load_robot_yaml(robot), robot)
    out = project.folder / "out.yaml"
    for _ in range(2):
        ikrig.dump_clip(ikrig.record_clip(loaded, clip, 10), out)


def test_recorder_lists_its_sources(project: Project, loaded: ikrig.Rig) -> None:
    recorder = ikrig.Recorder(loaded)
    recorder.update(0.0)
    with pytest.raises(
        OutputError, match=r"would replace .*, from which the result is made"
    ):
        ikrig.dump_clip(recorder.stop(), project.rig)
    assert project.summary() == project.before


def test_bake_never_overwrites_a_model_of_the_games_actor(project: Project) -> None:
    path = project.folder / "models/human.bam"
    actor = Actor(p3d.Filename.from_os_specific(str(path)))
    rig = ikrig.ActorRig(actor)
    rig.chain("LeftHand", root_joint="LeftArm", target=actor.attach_new_node("target"))
    clip, out = ikrig.Clip("still", duration=0.1), project.folder / "still.bam"
    with pytest.raises(OutputError, match="contains a model"):
        ikrig.bake(rig, clip, path, 10)
    assert project.summary() == project.before
    for _ in range(2):
        ikrig.bake(rig, clip, out, 10)
    actor.cleanup()


def test_video_is_not_written_to_a_folder_of_its_inputs(tmp_path):
    texture, folder = tmp_path / "wood.png", tmp_path / "frames"
    texture.write_bytes(b"a picture")
    folder.mkdir()
    (folder / "00001.png").hardlink_to(texture)
    with (
        pytest.raises(
            OutputError, match=r"would replace .*, from which the result is made"
        ),
        open_video_writer(folder, (16, 16), 10, [texture]),
    ):
        pytest.fail("it may not be written")
    with open_video_writer(folder, (16, 16), 10) as writer:
        writer(np.zeros((16, 16, 3), np.uint8))
    assert texture.read_bytes() == b"a picture"
    assert [path.name for path in folder.iterdir()] == ["00000.png"]


def test_feed_does_not_record_over_its_playback(tmp_path: Path) -> None:
    path = tmp_path / "dance.jsonl"
    path.write_text('{"time": 0, "joints": [1]}\n')
    feed = ikrig.JointFeed(ikrig.RecordingSource(path), 1)
    for wrong in (path, tmp_path / "x.yaml", "\0", path / "x.jsonl", tmp_path):
        with pytest.raises(OutputError):
            feed.record(wrong)
    assert path.read_text() == '{"time": 0, "joints": [1]}\n'
    feed.close()


PARTS = """\
<mujoco><include file="part.yaml"/>
<worldbody><body name="upper"><joint name="j"/><geom size="1"/></body></worldbody>
</mujoco>
"""
PART = """\
<mujoco><worldbody><body name="more"><geom size="1"/></body></worldbody></mujoco>
"""


@pytest.mark.parametrize("command", ["convert", "record", "record --model"])
def test_files_included_by_a_robot_are_kept(command, tmp_path, run):
    pytest.importorskip("mujoco")
    robot, part, rig = (tmp_path / n for n in ("robot.xml", "part.yaml", "rig.yaml"))
    robot.write_text(PARTS)
    part.write_text(PART)
    words: list[object] = [robot]
    if command != "convert":
        clip = tmp_path / "clip.yaml"
        clip.write_text("tracks: {upper: {position: {keys: {0: [0, 0, 0]}}}}")
        rig.write_text("bodies: {robot: {file: robot.xml}}")
        words = [rig, clip]
    if command == "record --model":
        rig.write_text("name: empty")
        words += ["--model", robot]
    answer = run(command.split()[0], *words, "-o", part)
    assert answer.code == 2
    assert ", from which the result is made" in answer.err
    assert part.read_text() == PART
