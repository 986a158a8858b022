"""Keys of a clip in the studio: one history with the rig, files, mouse and keyboard."""

from __future__ import annotations

from math import pi, radians
from time import sleep

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig import OutputError
from ikrig.clip.editing import KeyName, with_key_at
from ikrig.studio.document.adding import add_chain
from ikrig.studio.document.changing import set_value
from ikrig.studio.document.studio_document import StudioDocument
from ikrig.studio.document.watched_file import UnseenError

from .skeletons import person

SIZE = (1000, 640)
WAVE = """\
name: wave
tracks:
  hand:     # the left one
    target:
      keys:
        0: [0, 0, 1]     # there
        1: [1, 0, 1]
"""


@pytest.fixture
def document():
    document = StudioDocument.new(person(), "", "person")
    document.do(add_chain, "LeftHand", name="hand")
    return document


def key(time, x):
    return lambda c: with_key_at(c, "hand", "target", time, (x, 0, 1), loops=False)[0]


def test_clip_and_rig_share_one_history(document):
    work = document.clip_work
    work.new()
    work.do("Key", key(0.0, 1))
    document.do(set_value, ("chains", "hand", "weight"), 0.5)
    work.do("Key", key(1.0, 2))
    states = [(document.text, work.text)]
    while document.undo():
        states.append((document.text, work.text))
    assert work.clip is None and len(states) == 6
    for state in reversed(states[:-1]):
        assert document.redo()
        assert (document.text, work.text) == state
    assert not document.redo()


def test_saved_clip_keeps_comments_and_external_edits_apply(document, tmp_path):
    path = tmp_path / "wave.yaml"
    path.write_text(WAVE)
    work = document.clip_work
    assert work.open(path) == "Open wave.yaml" and not work.unsaved
    work.do("Key", key(1.0, 3))
    assert work.unsaved
    work.save()
    assert path.read_text() == WAVE.replace("1: [1, 0, 1]", "1: [3, 0, 1]")
    assert not work.unsaved
    # an edit outside is a step; one with errors changes nothing
    path.write_text(WAVE.replace("[0, 0, 1]", "[7, 0, 1]"))
    assert work.reload_if_changed() and not work.unsaved
    assert tuple(work.clip.sample(0)["hand", "target"]) == (7, 0, 1)
    path.write_text(WAVE.replace("target", "tarpet"))
    assert (
        not work.reload_if_changed()
        and "wave.yaml:4:" in work.file.error
        and work.unsaved
    )
    assert tuple(work.clip.sample(0)["hand", "target"]) == (7, 0, 1)
    with pytest.raises(UnseenError, match=r"wave\.yaml:4:"):
        work.save()
    document.undo()
    assert tuple(work.clip.sample(0)["hand", "target"]) == (0, 0, 1)


def test_unsaved_keys_survive_a_crash(document, tmp_path):
    path = tmp_path / "wave.yaml"
    path.write_text(WAVE)
    document.clip_work.open(path)
    document.clip_work.do("Key", key(0.5, 9))
    document.clip_work.autosave()
    wanted = document.clip_work.text
    document.unlock()
    again = StudioDocument.new(person(), "", "person")
    again.clip_work.open(path)
    assert again.clip_work.text != wanted
    assert again.clip_work.recover() and again.clip_work.text == wanted
    again.clip_work.save()
    assert ikrig.load_clip(path).sample(0.5)["hand", "target"][0] == 9
    again.close()
    assert [p.name for p in tmp_path.glob(".*autosave*")] == []


def test_unsaved_clip_without_a_file_survives(document):
    document.clip_work.new()
    document.clip_work.do("Key", key(0.5, 9))
    document.clip_work.autosave()
    document.unlock()
    again = StudioDocument.new(person(), "", "person")
    assert again.clip_work.file.recovered is not None
    assert again.clip_work.recover() and again.clip_work.text == document.clip_work.text
    with pytest.raises(OutputError, match="no file yet"):
        again.clip_work.save()


# -- in the window


@pytest.fixture
def studio(studio, app):
    """The humanoid's limbs rigged and a clip begun."""
    studio.key("enter")
    studio.key("Ctrl+n")
    studio.frames(2)
    studio.keys = studio.session.keying
    studio.spots = lambda: app.bottom.timeline.spots
    return studio


TARGET = ("left_hand", "target")


def keyed(studio):
    """Two keys of the left hand, dragged there; their values."""
    places = []
    for time, (dx, dy) in ((0.0, (-30, -30)), (1.0, (20, -60))):
        studio.keys.go(time)
        studio.frames(2)
        x, y = studio.target("left_hand target")
        studio.drag((x, y), (x + dx, y + dy))
        node = studio.session.live.rig.nodes["left_hand target"]
        places.append(tuple(node.get_pos()))
    return places


def test_drags_become_keys_and_play_back(studio):
    places = keyed(studio)
    keys = studio.keys.clip.track(*TARGET).keys
    assert list(keys) == [0.0, 1.0]
    for key_, place in zip(keys.values(), places, strict=True):
        assert key_.value == pytest.approx(place, abs=1e-4)
    # what is keyed reaches, when it is played elsewhere too
    chain = studio.session.document.parts.parts("chains")["left_hand"]
    assert not {"weight", "dormant"} & chain.values.keys()
    node = studio.session.live.rig.nodes["left_hand target"]
    for time in (0.0, 1.0):
        studio.keys.go(time)
        studio.frames(2)
        assert tuple(node.get_pos()) == pytest.approx(keys[time].value, abs=1e-4)
    studio.keys.go(0.0)
    studio.frames(2)
    before = node.get_pos()
    studio.key("space")
    studio.frames(10)
    assert (node.get_pos() - before).length() > 1e-3


def test_key_drag_by_mouse_is_one_undoable_step(studio):
    keyed(studio)
    studio.frames(2)
    steps = len(studio.session.document.history.steps)
    x, y = studio.spots()[KeyName(*TARGET, 1.0)]
    start = studio.spots()[KeyName(*TARGET, 0.0)][0]
    studio.drag((x, y), (x + 0.5 * (x - start), y))
    assert len(studio.session.document.history.steps) == steps + 1
    assert list(studio.keys.clip.track(*TARGET).keys) == [0.0, 1.5]
    assert studio.keys.chosen == {KeyName(*TARGET, 1.5)}
    studio.key("Ctrl+z")
    assert list(studio.keys.clip.track(*TARGET).keys) == [0.0, 1.0]


def test_keys_by_keyboard_alone(studio):
    session = studio.session
    session.select("nodes", "left_hand target")
    studio.key("k")
    assert list(studio.keys.clip.track(*TARGET).keys) == [0.0]
    studio.key("end")
    assert studio.keys.time == pytest.approx(2.0)
    studio.key("page_up")
    assert list(studio.keys.clip.track(*TARGET).keys) == [0.0, 2.0]
    studio.key("comma")
    assert studio.keys.chosen == {KeyName(*TARGET, 0.0)}
    studio.key("c")
    assert studio.keys.clip.track(*TARGET).keys[0.0].then == "ease_in"
    studio.key("period")
    studio.key("Alt+left_arrow")
    assert list(studio.keys.clip.track(*TARGET).keys) == [0.0, 1.95]
    studio.key("Ctrl+c")
    studio.keys.go(1.0)
    studio.key("Ctrl+v")
    assert list(studio.keys.clip.track(*TARGET).keys) == [0.0, 1.0, 1.95]
    studio.key("delete")
    assert list(studio.keys.clip.track(*TARGET).keys) == [0.0, 1.95]
    # a channel of another kind: the rotation of the target
    studio.key("t")
    studio.frames(2)
    studio.type("left_hand target rotation")
    studio.key("enter")
    assert studio.keys.has_track("left_hand", "target_rotation")
    studio.key("Shift+k")
    assert studio.keys.clip.tracks
    assert studio.session.log[-1].kind == "note"


def test_keyed_setting_is_changed_by_keys(studio):
    studio.keys.set_key("left_hand", "weight", 0.0)
    studio.keys.go(1.0)
    studio.keys.set_key("left_hand", "weight", 1.0)
    studio.keys.go(0.5)
    studio.frames(2)
    assert studio.session.live.rig.chains["left_hand"].weight == pytest.approx(0.5)
    # closing the clip gives the rig back what its file says
    studio.keys.close()
    studio.frames(3)
    entry = studio.session.document.parts.parts("chains")["left_hand"]
    chain = studio.session.live.rig.chains["left_hand"]
    assert entry.values["dormant"] and chain.weight == 0.0


@pytest.mark.parametrize(
    ("channel", "before", "widget", "shown", "after"),
    [
        ("target", (0.1, -0.2, 1.3), "drag_float3", (1.0, 2.0, 3.0), (1, 2, 3)),
        ("target_rotation", (0.0, 0.0, pi / 2), "drag_float3", (10.0, 20.0, -30.0),
         (radians(10), radians(20), radians(-30))),
        ("weight", 0.5, "slider_float", 0.25, 0.25),
        ("max_step", 1.0, "drag_float", 90.0, pi / 2),
    ],
)  # fmt: skip
def test_values_of_keys_are_edited_in_units_of_files(
    studio, monkeypatch, channel, before, widget, shown, after
):
    studio.key("enter")
    studio.frames(2)
    keys = studio.session.keying
    keys.new()
    keys.set_key("left_hand", channel, before)
    (chosen,) = keys.chosen
    studio.frames(2)
    asked = []

    def dragged(label, now, *given, **named):
        if label == "##value":
            asked.append(now)
            return True, list(shown) if isinstance(shown, tuple) else shown
        return False, now

    monkeypatch.setattr(studio.imgui, widget, dragged)
    studio.frames()
    monkeypatch.undo()
    track = keys.find_track(*chosen[:2])
    # keys have six significant digits
    assert track.keys[chosen.time].value == pytest.approx(after, rel=1e-5)
    in_degrees = channel in ("target_rotation", "max_step")
    was = np.degrees(before) if in_degrees else before
    assert asked[0] == pytest.approx(was, abs=1e-3)


def test_tracks_without_a_part_are_marked(studio):
    studio.keys.set_key("left_hand", "weight", 0.5)
    studio.session.select("chains", "left_hand")
    studio.keys.chosen = set()
    studio.key("delete")
    studio.frames(3)
    assert ("left_hand", "weight") in studio.session.live.playback.unfit
    studio.key("Ctrl+z")
    studio.frames(3)
    assert not studio.session.live.playback.unfit


def test_saved_clip_and_rig_play_without_the_studio(studio):
    keyed(studio)
    studio.session.save_clip(studio.folder / "wave.yaml")
    studio.session.save(studio.model.parent / "hero.yaml")
    assert not studio.session.document.clip_work.unsaved
    rig = ikrig.load_rig(
        studio.model.parent / "hero.yaml", parent=p3d.NodePath("world")
    )
    clip = ikrig.load_clip(studio.folder / "wave.yaml")
    player = ikrig.ClipPlayer(clip, rig)
    for time in (0.0, 0.5, 1.0):
        player.time = time
        for _ in range(10):
            rig.solve()
        assert rig.chains["left_hand"].result.error < 0.05
    rig.remove()


def test_motion_of_joints_is_recorded(studio):
    keyed(studio)
    studio.key("space")
    studio.session.exports.toggle_record()
    studio.frames(40)
    studio.session.exports.toggle_record()
    clip = ikrig.load_clip(studio.model.parent / "hero_recording.yaml")
    assert clip.duration == pytest.approx(39 / 60, abs=0.05)
    assert any(t.part == "LeftArm" and t.channel == "rotation" for t in clip.tracks)


def test_animation_is_exported_by_keyboard_in_a_separate_process(studio):
    keyed(studio)
    exports, session = studio.session.exports, studio.session
    studio.key("Ctrl+e")
    studio.frames(3)
    assert session.dialog == "export"
    studio.key("Ctrl+a")
    # its ending says what is made
    studio.type(str(studio.folder / "wave.bam"))
    studio.key("enter")
    assert exports.current is not None, session.log[-1].text
    assert not exports.begin("film", str(studio.folder / "no.mp4"), 30.0, "64x64")
    while exports.current is not None:
        sleep(0.05)
        exports.update()
    assert session.log[-1].kind == "note", session.log[-1].text
    studio.key("escape")
    assert not session.dialog
    from direct.actor.Actor import Actor

    actor = Actor(str(studio.model.parent / "hero.bam"))
    actor.load_anims({"wave": str(studio.folder / "wave.bam")})
    assert actor.get_duration("wave") == pytest.approx(2.0, abs=0.05)
    actor.cleanup()
    # a wrong ending is said at once
    assert not exports.begin("film", str(studio.folder / "wave.txt"), 30.0, "64x64")
    assert ".mp4" in session.log[-1].text
