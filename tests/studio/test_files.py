from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ikrig import OutputError, RigFileError
from ikrig.studio.document import recovery
from ikrig.studio.document.adding import add_chain
from ikrig.studio.document.changing import move_node, set_value
from ikrig.studio.document.rig_file import read_rig
from ikrig.studio.document.studio_document import StudioDocument

from .skeletons import person


@pytest.fixture
def saved(tmp_path):
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand")
    document.save(tmp_path / "person.yaml")
    return document


def test_saved_file_opens_with_the_same_bytes(saved):
    again = StudioDocument.open(saved.path, person())
    assert again.text.encode() == saved.path.read_bytes()
    assert not again.unsaved and again.file.recovered is None


def test_unsaved_work_survives_a_crash(saved):
    saved.do(add_chain, "RightHand")
    saved.autosave()
    wanted = saved.text
    saved.unlock()
    again = StudioDocument.open(saved.path, person())
    assert again.text != wanted
    assert again.recover() == "Recover unsaved work"
    assert again.text == wanted and again.unsaved
    # recovering is a step like any other
    assert again.undo() and again.text == saved.path.read_text()


def test_unsaved_work_survives_a_window_closed_at_the_question(saved):
    saved.do(add_chain, "RightHand")
    saved.autosave()
    wanted = saved.text
    saved.unlock()
    again = StudioDocument.open(saved.path, person())
    # as the scene does, which shows the rig of the autosave
    again.autosave()
    again.close()
    third = StudioDocument.open(saved.path, person())
    assert third.recover() and third.text == wanted
    third.undo()
    third.save()
    third.close()
    assert StudioDocument.open(saved.path, person()).file.recovered is None


def test_unsaved_rig_without_a_file_survives(tmp_path):
    document = StudioDocument.new(person(), "fox.glb", "fox")
    document.do(add_chain, "LeftHand")
    document.autosave()
    document.unlock()
    again = StudioDocument.new(person(), "fox.glb", "fox")
    assert again.recover() and again.text == document.text
    # another model has nothing to do with it
    assert StudioDocument.new(person(), "cat.glb", "cat").file.recovered is None
    again.save(tmp_path / "fox.yaml")
    again.close()
    assert StudioDocument.new(person(), "fox.glb", "fox").file.recovered is None
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == ["fox.yaml"]


def test_previous_file_is_kept(saved):
    before = saved.path.read_text()
    saved.do(add_chain, "RightHand")
    saved.save()
    assert recovery.last_path(saved.path).read_text() == before
    assert saved.path.read_text() == saved.text


def test_external_edit_joins_the_history(saved):
    mine = saved.text
    outside = mine.replace("name: person", "name: somebody")
    saved.path.write_text(outside)
    assert saved.reload_if_changed() and saved.name == "somebody"
    assert saved.history.steps[-1].name == "Edit person.yaml outside"
    assert not saved.unsaved and not saved.reload_if_changed()
    assert saved.undo() and saved.text == mine and saved.unsaved
    assert saved.redo() and saved.text == outside


def test_broken_file_keeps_the_last_valid_rig(saved):
    mine, steps = saved.text, len(saved.history.steps)
    for broken in ("chains: {LeftHand: {leaf: 3", "chians: {}\n", "\0\0", ""):
        saved.path.write_text(broken)
        assert not saved.reload_if_changed()
        assert saved.text == mine and len(saved.history.steps) == steps
        assert saved.file.error.startswith(str(saved.path))
        assert saved.unsaved
    saved.path.unlink()
    assert not saved.reload_if_changed() and "was removed" in saved.file.error
    saved.save()
    assert not saved.file.error and saved.path.read_text() == mine


def test_text_with_errors_is_refused_with_its_lines(saved):
    mine = saved.text
    with pytest.raises(RigFileError, match=r"person\.yaml:\d+:\d+: .*'LeftHand'"):
        saved.edit_text(mine.replace("leaf:", "leef:"))
    assert saved.text == mine
    assert saved.edit_text(mine.replace("person", "me", 1)) == "Edit YAML"


def test_failed_write_changes_nothing(saved, tmp_path):
    saved.do(set_value, ("chains", "LeftHand", "weight"), 0.5)
    before = saved.path.read_text()
    for bad in (tmp_path, tmp_path / "none" / "a.yaml", tmp_path / "a.txt"):
        with pytest.raises(OutputError):
            saved.save(bad)
        assert saved.path == tmp_path / "person.yaml" and saved.unsaved
    assert saved.path.read_text() == before
    with pytest.raises(OutputError, match="no file yet"):
        StudioDocument.new(person(), "", "person").save()


def test_paths_are_relative_to_the_saved_rig(tmp_path):
    model = tmp_path / "models" / "fox.glb"
    model.parent.mkdir()
    model.write_bytes(b"")
    (tmp_path / "rigs").mkdir()
    document = StudioDocument.new(person(), str(model), "fox")
    document.save(tmp_path / "rigs" / "fox.yaml")
    assert 'model: "../models/fox.glb"\n' in document.path.read_text()
    document.save(tmp_path / "fox.yaml")
    assert "model: models/fox.glb\n" in document.path.read_text()
    assert StudioDocument.open(document.path, person()).model == model.as_posix()


def test_recent_files_are_the_latest_existing_ones(tmp_path):
    files = [tmp_path / f"{number}.yaml" for number in range(14)]
    for file in files:
        file.touch()
        recovery.add_recent(file)
    files[12].unlink()
    recovery.add_recent(files[5])
    recent = [int(path.stem) for path in recovery.recent_files()]
    assert recent == [5, 13, 11, 10, 9, 8, 7, 6, 4]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no os.fork to kill children of")
def test_killing_during_saves_loses_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.studio.killed", str(tmp_path), "50"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    rounds = json.loads(done.stdout)
    assert len(rounds) == 50
    for said in rounds:
        # what was saved when save() returned is there, or something newer
        assert said["file"] >= said["saved"], said
        # what was kept when autosave() returned is in the autosave, or in the file
        assert max(said["file"], said["autosave"]) >= said["kept"], said
        assert said["clip"] >= said["saved"], said
        assert max(said["clip"], said["clip autosave"]) >= said["kept"], said
    # the kills came in the midst of it
    assert len({said["saved"] for said in rounds}) > 5


def test_autosave_is_not_listed_as_a_rig(saved, tmp_path):
    from ikrig.cli.file_types import files_in

    saved.do(move_node, "LeftHand target", (1, 2, 3))
    saved.save()
    assert [path.name for path in files_in(tmp_path)] == ["person.yaml"]
    assert read_rig(saved.file.autosave_path).values["name"] == "person"


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
@pytest.mark.parametrize("kind", ["autosave", "last"])
def test_planted_link_beside_a_rig_is_not_followed(saved, tmp_path, kind):
    mine = tmp_path / "mine.yaml"
    mine.write_text("mine")
    planted = tmp_path / f".person.{kind}.yaml"
    planted.unlink(missing_ok=True)
    planted.symlink_to(mine)
    saved.do(add_chain, "RightHand")
    saved.autosave()
    saved.save()
    assert mine.read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_pipe_beside_a_rig_blocks_nothing(saved, tmp_path):
    saved.file.autosave_path.unlink()
    os.mkfifo(saved.file.autosave_path)
    assert StudioDocument.open(saved.path, person()).file.recovered is None
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(OutputError, match="not a regular file"):
        saved.save(tmp_path / "pipe.yaml")
    home = recovery.state_folder()
    home.mkdir(exist_ok=True)
    os.mkfifo(home / "recent.txt")
    assert recovery.recent_files() == []


def test_files_with_either_ending_have_their_own_autosaves(saved):
    other = saved.path.with_suffix(".yml")
    for name in (recovery.last_path, lambda path: recovery.autosave_path(path, "")):
        assert name(other) != name(saved.path)
