from __future__ import annotations

import numpy as np
import pytest

import ikrig
from ikrig import BindError, SettingError
from ikrig.formats.rig_file import Part
from ikrig.studio.document.adding import add_chain, lengthen
from ikrig.studio.document.changing import (
    move_node,
    remove,
    rename,
    set_limit,
    set_value,
)
from ikrig.studio.document.edited_rig import Selection
from ikrig.studio.document.history import MOST_STEPS, History
from ikrig.studio.document.mirroring import mirror_chain
from ikrig.studio.document.rig_file import read_rig
from ikrig.studio.document.studio_document import StudioDocument

from .commands import random_command
from .skeletons import person


def test_five_thousand_commands_are_undone_and_redone(tmp_path):
    rng = np.random.default_rng(20261122)
    document = StudioDocument.new(person(), "", "person")

    # bytes that were written down then can't be changed by what came later
    def both(document):
        return document.text + document.clip_work.text

    texts = {0: both(document)}
    commands, tried = 0, 0
    while commands < 5000:
        tried += 1
        index = document.history.index
        before = both(document) if tried % 20 == 0 else ""
        label = random_command(document, rng)
        if not label:
            # refused, or nothing to do: all is as it was
            assert document.history.index == index
            assert not before or both(document) == before
            continue
        commands += 1
        assert document.history.index == index + 1
        assert document.history.steps[index + 1].name == label
        if commands % 10 == 0:
            texts[commands] = both(document)
        if commands % 100 == 0:
            # what was made is a rig file without errors that says the same
            read = read_rig(tmp_path / "person.yaml", document.text)
            assert StudioDocument(read, person()).text == document.text
            if document.clip_work.clip is not None:
                (tmp_path / "clip.yaml").write_text(document.clip_work.text)
                clip = ikrig.load_clip(tmp_path / "clip.yaml")
                assert ikrig.dump_clip(clip) == document.clip_work.text
            # undone and done again in between
            assert document.undo() and document.redo()
            assert both(document) == texts[commands]
    for index in range(4999, -1, -1):
        assert document.undo()
        assert index not in texts or both(document) == texts[index]
    assert not document.undo() and both(document) == texts[0]
    for index in range(1, 5001):
        assert document.redo()
        assert index not in texts or both(document) == texts[index]
    assert not document.redo()
    assert len(set(texts.values())) > 400


def test_a_drag_is_one_step():
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand")
    before, steps = document.text, len(document.history.steps)
    for i in range(30):
        document.do(move_node, "LeftHand target", (0.1 * i, 0, 1), merge="drag")
    document.end_drag()
    assert len(document.history.steps) == steps + 1
    document.do(move_node, "LeftHand target", (9.0, 0, 1), merge="drag")
    assert len(document.history.steps) == steps + 2
    assert document.undo() and document.undo()
    assert document.text == before


def test_new_command_discards_undone_ones():
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand")
    document.do(add_chain, "RightHand")
    document.undo()
    document.do(add_chain, "Head")
    assert not document.redo()
    names = [step.name for step in document.history.steps]
    assert names == ["New rig for person", "Add chain LeftHand", "Add chain Head"]


def test_selection_is_restored_without_removed_parts():
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand")
    assert document.selection == Selection("chains", "LeftHand")
    document.do(rename, "chains", "LeftHand", "hand")
    assert document.selection == Selection("chains", "hand")
    document.undo()
    assert document.selection == Selection("chains", "LeftHand")
    document.undo()
    assert document.selection == Selection()
    document.select(Selection("chains", "nobody"))
    assert document.selection == Selection()


def test_refused_command_changes_nothing():
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand")
    before = document.text
    with pytest.raises(BindError, match="did you mean 'LeftHand'"):
        document.do(add_chain, "LeftHnad")
    with pytest.raises(SettingError, match="0 to 1"):
        document.do(set_value, ("chains", "LeftHand", "weight"), 2.0)
    with pytest.raises(SettingError, match=r"no value 'wait'.*'weight'"):
        document.do(set_value, ("chains", "LeftHand", "wait"), 1.0)
    with pytest.raises(BindError, match="1 to 4 bones, not 5"):
        document.do(lengthen, "LeftHand", 3)
    with pytest.raises(SettingError, match="in use"):
        document.do(rename, "nodes", "LeftHand target", "Spine")
    assert document.text == before and len(document.history.steps) == 2


def test_chain_that_ends_at_its_skin_rotates_its_leaf():
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand")
    hinge = Part("", {"kind": "hinge", "axis": "x"})
    with pytest.raises(BindError, match="not a joint that LeftHand turns"):
        document.do(set_limit, ("chains", "LeftHand"), "LeftHand", hinge)
    document.do(set_value, ("chains", "LeftHand", "tip"), "skin")
    document.do(set_limit, ("chains", "LeftHand"), "LeftHand", hinge)
    # a single joint, as the head of a doll
    for count in (2, 1):
        assert document.do(lengthen, "LeftHand", -1) == f"Shorten LeftHand to {count}"
    with pytest.raises(BindError, match="1 to 5 bones, not 0"):
        document.do(lengthen, "LeftHand", -1)
    assert document.parts.parts("chains")["LeftHand"].values["root_joint"] == "LeftHand"
    movers = list(document.rig.movers("LeftHand"))
    assert movers == [("chains", "LeftHand")]
    document.do(mirror_chain, "LeftHand")
    mirrored = document.parts.parts("chains")["RightHand"]
    assert mirrored.values["root_joint"] == "RightHand"
    assert set(mirrored.parts("limits")) == {"RightHand"}


def test_removing_a_chain_removes_its_unshared_target():
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand", pole=True)
    document.do(add_chain, "RightHand")
    target = ("chains", "RightHand", "target")
    document.do(set_value, target, "LeftHand target")
    document.do(remove, "chains", "LeftHand")
    assert set(document.parts.parts("nodes")) == {"LeftHand target", "RightHand target"}


def test_history_is_bounded():
    history = History("first", 0)
    for number in range(MOST_STEPS + 50):
        history.push("step", number)
    assert len(history.steps) == MOST_STEPS + 1
    assert history.state == MOST_STEPS + 49
    while history.undo():
        pass
    assert history.state == 49
