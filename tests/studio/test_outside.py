"""Files that others change while the studio edits them: nothing unseen is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ikrig
from ikrig.files.file_lock import FileLock, is_held
from ikrig.formats.rig_file import Part, rig_text
from ikrig.studio.document import recovery
from ikrig.studio.document.adding import add_chain
from ikrig.studio.document.changing import move_node, remove, rename, set_value
from ikrig.studio.document.rig_file import read_rig
from ikrig.studio.document.studio_document import StudioDocument
from ikrig.studio.document.watched_file import UnseenError

from .commands import random_command
from .skeletons import person

WEIGHT = ("chains", "LeftHand", "weight")
WAVE = """\
name: wave
tracks:
  hand:  # the left one
    target: {keys: {0: [0, 0, 1], 1: [1, 0, 1]}}
"""


@pytest.fixture
def saved(tmp_path):
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand")
    document.do(add_chain, "RightHand")
    document.do(set_value, WEIGHT, 0.9)
    document.save(tmp_path / "person.yaml")
    return document


def outside(document, old, new):
    """Edit the file as another program would; returns the text."""
    text = document.path.read_text()
    assert old in text
    document.path.write_text(text.replace(old, new))
    return text.replace(old, new)


def kept():
    folder = recovery.state_folder() / "kept"
    return [path.read_text() for path in sorted(folder.glob("*"))]


def test_file_with_a_typo_is_not_overwritten(saved):
    broken = outside(saved, "weight:", "wieght:")
    assert not saved.reload_if_changed() and "wieght" in saved.file.error
    saved.do(move_node, "LeftHand target", (1, 2, 3))
    for _ in range(3):
        with pytest.raises(UnseenError, match=r"has errors .*wieght"):
            saved.save()
        saved.reload_if_changed()
        assert saved.path.read_text() == broken
    # the work is not lost either
    assert saved.file.autosave_path.read_text() == saved.text
    # on demand it is replaced, and kept
    saved.save(replace=True)
    assert saved.path.read_text() == saved.text and kept() == [broken]


def test_mended_file_joins_the_work_since_its_typo(saved):
    outside(saved, "weight:", "wieght:")
    saved.reload_if_changed()
    saved.do(move_node, "LeftHand target", (1, 2, 3))
    outside(saved, "wieght: 0.9", "weight: 0.25")
    assert saved.reload_if_changed()
    parts = saved.parts
    assert parts.parts("chains")["LeftHand"].values["weight"] == 0.25
    assert parts.parts("nodes")["LeftHand target"].values["pos"] == (1.0, 2.0, 3.0)


def test_change_that_was_never_read_is_not_overwritten(saved):
    """The file changes between two frames, and Ctrl+S comes first."""
    saved.do(move_node, "LeftHand target", (1, 2, 3))
    theirs = outside(saved, "0.9", "0.25")
    with pytest.raises(UnseenError, match="another program has changed it"):
        saved.save()
    assert saved.path.read_text() == theirs
    assert saved.reload_if_changed()
    saved.save()
    assert read_rig(saved.path).parts("chains")["LeftHand"].values["weight"] == 0.25


def test_comment_from_outside_reverts_nothing(saved):
    saved.do(move_node, "LeftHand target", (1, 2, 3))
    mine = saved.text
    outside(saved, "chains:", "chains:  # of the arms")
    saved.reload_if_changed()
    assert saved.text == mine and saved.unsaved and not saved.file.conflicts
    saved.autosave()
    assert saved.file.autosave_path.read_text() == mine


def test_changes_of_different_parts_are_merged(saved):
    saved.do(move_node, "LeftHand target", (1, 2, 3))
    saved.do(remove, "chains", "RightHand")
    mine = saved.text
    outside(saved, "weight: 0.9", "weight: 0.25\n    soften: 0.1")
    assert saved.reload_if_changed() and saved.unsaved
    chains = saved.parts.parts("chains")
    assert list(chains) == ["LeftHand"]
    assert chains["LeftHand"].values["weight"] == 0.25
    assert chains["LeftHand"].values["soften"] == 0.1
    assert saved.parts.parts("nodes")["LeftHand target"].values["pos"] == (1, 2, 3)
    # what there was before is kept, and a step back
    assert kept() == [mine]
    assert saved.undo() and saved.text == mine


@pytest.mark.parametrize("keep_mine", [True, False])
def test_changes_of_the_same_value_are_asked_for(saved, keep_mine):
    saved.do(set_value, WEIGHT, 0.5)
    mine = saved.text
    theirs = outside(saved, "weight: 0.9", "weight: 0.25\n    soften: 0.1")
    assert not saved.reload_if_changed() and saved.text == mine
    assert saved.file.conflicts == ["chains LeftHand weight"]
    with pytest.raises(UnseenError):
        saved.save()
    assert saved.path.read_text() == theirs
    saved.reload_if_changed()
    assert saved.resolve(keep_mine=keep_mine) and not saved.file.conflicts
    chain = saved.parts.parts("chains")["LeftHand"].values
    assert chain["weight"] == (0.5 if keep_mine else 0.25) and chain["soften"] == 0.1
    saved.save()
    assert not saved.unsaved


def test_merged_rig_that_would_be_invalid_is_asked_for(saved):
    """Here the chain is renamed; outside an effector gets the new name."""
    saved.do(rename, "chains", "LeftHand", "left")
    mine = saved.text
    saved.path.write_text(
        saved.path.read_text()
        + "trees:\n  t: {root_joint: Hips, effectors: {left: {}, Head: {}}}\n"
    )
    theirs = read_rig(saved.path)
    assert not saved.reload_if_changed() and saved.text == mine
    assert "left" in saved.file.conflicts[0]
    saved.resolve(keep_mine=False)
    assert saved.text == rig_text(theirs)


def test_another_existing_file_is_not_replaced_unasked(saved, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text("name: other\n")
    with pytest.raises(UnseenError, match="not the open one"):
        saved.save(other)
    assert other.read_text() == "name: other\n" and saved.path.name == "person.yaml"
    saved.save(other, replace=True)
    assert saved.path == other and kept() == ["name: other\n"]


def test_random_edits_on_two_sides_are_merged_or_asked_for(tmp_path):
    """By the texts: what only one side changed is as that side has it."""
    rng = np.random.default_rng(9)
    merged = 0
    for round_ in range(40):
        path = tmp_path / f"{round_}.yaml"
        mine = StudioDocument.new(person(), "", "person")
        for _ in range(12):
            random_command(mine, rng)
        mine.save(path)
        base = read_rig(path)
        theirs = StudioDocument.open(path, person())
        for document in (mine, theirs):
            for _ in range(3):
                random_command(document, rng)
        both = [read_rig(path, d.text) for d in (mine, theirs)]
        theirs.save()
        mine.reload_if_changed()
        if mine.file.conflicts:
            assert mine.text == rig_text(both[0])
            invalid = any(path.name in why for why in mine.file.conflicts)
            mine.resolve(keep_mine=True)
            if invalid:
                # both together are no rig: one side stays as it is
                assert mine.text == rig_text(both[0])
                continue
        else:
            merged += 1
        result = read_rig(path, mine.text)
        for section in ("nodes", "chains", "trees", "behaviours"):
            olds, *sides = (p.parts(section) for p in (base, *both))
            for name in {*sides[0], *sides[1]}:
                old, own, other, now = (
                    rig_text(Part("", {section: {name: found[name]}}))
                    if name in found
                    else None
                    for found in (olds, *sides, result.parts(section))
                )
                if other == old or own == other:
                    assert now == own, (section, name)
                elif own == old:
                    assert now == other, (section, name)
        mine.save()
        assert not mine.unsaved
        for document in (mine, theirs):
            document.unlock()
    assert merged > 15


def test_clip_merges_keys_and_keeps_a_file_with_errors(tmp_path):
    path = tmp_path / "wave.yaml"
    path.write_text(WAVE)
    document = StudioDocument.new(person(), "", "person")
    work = document.clip_work
    work.open(path)
    work.do("Key", lambda c: c.with_key("hand", "target", 1.0, (3, 0, 1)))
    path.write_text(WAVE.replace("0: [0, 0, 1]", "0: [7, 0, 1], 0.5: [1, 1, 1]"))
    assert work.reload_if_changed() and work.unsaved
    keys = {t: key.value for t, key in work.clip.track("hand", "target").keys.items()}
    assert keys == {0.0: (7, 0, 1), 0.5: (1, 1, 1), 1.0: (3, 0, 1)}
    work.save()
    assert "# the left one" in path.read_text()
    # the same key on both sides
    work.do("Key", lambda c: c.with_key("hand", "target", 1.0, (4, 0, 1)))
    path.write_text(path.read_text().replace("[3, 0, 1]", "[5, 0, 1]"))
    assert not work.reload_if_changed() and len(work.file.conflicts) == 1
    assert work.resolve(keep_mine=False)
    assert work.clip.sample(1.0)["hand", "target"][0] == 5
    broken = path.read_text().replace("target", "tarpet")
    path.write_text(broken)
    assert not work.reload_if_changed()
    work.do("Key", lambda c: c.with_key("hand", "target", 1.0, (6, 0, 1)))
    with pytest.raises(UnseenError, match="tarpet"):
        work.save()
    assert path.read_text() == broken
    work.save(replace=True)
    assert ikrig.load_clip(path) == work.clip and broken in kept()


# -- two studios


def test_two_studios_have_autosaves_of_their_own(saved):
    other = StudioDocument.open(saved.path, person())
    assert other.file.recovered is None
    saved.autosave()
    other.do(set_value, WEIGHT, 0.125)
    other.autosave()
    (owner,) = other.file.owners
    assert f"process {os.getpid()} on " in owner and saved.file.owners == []
    paths = saved.file.autosave_path, other.file.autosave_path
    assert [
        read_rig(p).parts("chains")["LeftHand"].values["weight"] for p in paths
    ] == [0.9, 0.125]
    # the second one's work is found too, after a crash
    other.unlock()
    third = StudioDocument.open(saved.path, person())
    assert third.recover() and third.text == other.text


def test_lock_of_a_killed_studio_is_stale(saved, tmp_path):
    saved.unlock()
    code = (
        "import sys, os, signal; from tests.studio.skeletons import person\n"
        "from ikrig.studio.document.studio_document import StudioDocument\n"
        "document = StudioDocument.open(sys.argv[1], person())\n"
        "document.edit_text(document.text.replace('0.9', '0.5'))\n"
        "print(document.autosave(), flush=True)\n"
        "sys.stdin.read(1)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(saved.path)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    line = child.stdout.readline()
    while line and "autosave" not in line:
        line = child.stdout.readline()
    lock = Path(line.strip()).with_suffix(".lock")
    assert is_held(lock) and f"process {child.pid} on" in FileLock(lock).owner
    second = StudioDocument.open(saved.path, person())
    assert second.file.recovered is None, "it is being edited"
    assert second.file.autosave_path != Path(line.strip())
    second.close()
    with child:
        child.kill()
    assert lock.exists() and not is_held(lock)
    again = StudioDocument.open(saved.path, person())
    assert again.recover() and "0.5" in again.text
    assert again.file.autosave_path == Path(line.strip()) and not again.file.owners


def test_read_only_folder_is_tolerated(saved, tmp_path, monkeypatch):
    saved.close()
    access = os.access
    readable = lambda p, mode: Path(p) != tmp_path and access(p, mode)  # noqa: E731
    monkeypatch.setattr(os, "access", readable)
    # a user may be root here, so the folder refuses only by what it says
    document, other = (StudioDocument.open(saved.path, person()) for _ in range(2))
    document.do(set_value, WEIGHT, 0.5)
    assert document.autosave().parent == recovery.state_folder()
    assert other.file.autosave_path != document.file.autosave_path
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["person.yaml"]


def test_lock_that_cannot_be_made_is_none(tmp_path):
    for path in (tmp_path / "none" / "x.lock", tmp_path, Path("\0")):
        lock = FileLock(path)
        assert lock.owner == ""
        lock.release()


def test_closing_leaves_no_lock(saved, tmp_path):
    saved.autosave()
    assert list(tmp_path.glob(".*.lock"))
    saved.close()
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["person.yaml"]


# -- in the window


def test_window_asks_before_it_replaces_what_others_wrote(studio):
    studio.key("enter")
    studio.frames(2)
    session, path = studio.session, studio.folder / "models" / "hero.yaml"
    assert session.save(path)
    x, y = studio.target("left_hand target")
    studio.drag((x, y), (x - 30, y - 40))
    mine = session.document.text
    theirs = path.read_text().replace("name: hero", "nmae: hero")
    path.write_text(theirs)
    studio.frames(2)
    studio.key("Ctrl+s")
    studio.frames(2)
    assert session.dialog == "changed" and path.read_text() == theirs
    studio.key("escape")
    assert session.dialog == "" and path.read_text() == theirs
    # mended outside, and changed where it was changed here
    first = next(line for line in theirs.splitlines() if "pos:" in line)
    path.write_text(theirs.replace("nmae", "name").replace(first, f"{first}  # mine"))
    studio.frames(2)
    assert session.dialog == "" and session.document.text == mine
    assert session.save() and path.read_text() == mine
    session.document.do(set_value, ("chains", "left_hand", "weight"), 0.5)
    path.write_text(mine.replace("left_hand: {", "left_hand: {weight: 0.25, ", 1))
    studio.frames(2)
    assert session.dialog == "changed"
    assert session.unseen.conflicts == ["chains left_hand weight"]
    session.resolve(keep_mine=False)
    studio.frames(40)
    assert session.live.rig.chains["left_hand"].weight == pytest.approx(0.25)
    assert session.save()
