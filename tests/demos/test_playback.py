"""The animation tool: picking, dragging, and changes to the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from demos import __main__
from demos._shared import catalogue
from demos._shared.app import DemoApp
from demos._shared.clip_session import ClipSession
from demos._shared.file_panel import FilePanel
from demos._shared.layout import Layout
from demos._shared.time_rows import RULER, TimeRows
from demos._shared.timeline import Timeline
from demos.playback import PULL, SCRIPT, Playback
from ikrig.clip.editing import KeyName

ASSETS = Path(__file__).parents[2] / "assets"

CLIP = """\
# what the hand does
name: reach
wrap: loop
duration: 4
tracks:
  arm:
    target:
      curve: cubic
      keys:
        0: [0.9, 0, 1.5]     # there
        1: [0.7, 0.3, 1.8]
        4: [0.9, 0, 1.5]     # and back
    pole: {circle: {centre: [0.5, 2, 1], radius: 0.2}}
    weight: {keys: {0: 1, 2: 0.5}}
events: {1: top}
"""


# -- where things are


def rows(left: float = 20.0, width: float = 1000.0, bottom: float = 600.0) -> TimeRows:
    clip = ikrig.Clip("c", duration=4).with_track("a", "slide", {0: 0, 1: 1, 1.02: 2})
    return TimeRows(clip.with_track("b", "weight", {2: 1}), left, width, bottom)


def test_positions_and_seconds_are_inverse() -> None:
    lines = rows()
    for time in np.linspace(0.0, 4.0, 23):
        assert lines.time(lines.x(time)) == pytest.approx(time, abs=1e-12)
    assert lines.time(-1e4) == 0.0
    assert lines.time(1e4) == 4.0
    assert lines.grid_time(lines.x(1.337)) == 1.35
    assert lines.grid_time(1e4) == 4.0
    assert lines.left < lines.x(0.0) < lines.x(4.0) < lines.left + lines.width


def test_nearest_key_of_a_row_is_found_first() -> None:
    lines = rows()
    first, second = lines.y(0), lines.y(1)
    assert lines.key_at(lines.x(1.0) - 2, first) == ("a", "slide", 1.0)
    assert lines.key_at(lines.x(1.02) + 2, first) == ("a", "slide", 1.02)
    assert lines.key_at(lines.x(2.0), second + 5) == ("b", "weight", 2.0)
    assert lines.key_at(lines.x(2.0), first) is None
    assert lines.key_at(lines.x(2.0) + 9, second) is None
    assert lines.key_at(lines.x(1.0), lines.top + 0.5 * RULER) is None
    assert lines.key_at(lines.x(2.0), lines.bottom + 50) is None
    assert lines.covers(30, lines.top + 1)
    assert not lines.covers(30, lines.top - 1)


# -- the mouse on the timeline


class Hand:
    """A timeline and what it has called."""

    def __init__(self) -> None:
        self.said: list[tuple[object, ...]] = []
        clip = ikrig.Clip("c", duration=4, wrap="loop")
        self.clip = clip.with_track("a", "slide", {0: 0, 1: 1, 3: 2}).with_event(2, "e")
        layout = Layout(p3d.NodePath("pixel2d"), (1280, 720))
        self.timeline = Timeline(
            layout,
            layout.root,
            layout.height - 10.0,
            scrub=lambda time: self.said.append(("scrub", time)),
            choose=lambda key: self.said.append(("choose", *key)),
            move=self.move,
        )
        self.show()

    def move(self, key: KeyName, time: float) -> KeyName:
        self.said.append(("move", *key, time))
        self.clip = self.clip.moved_key(*key, time)
        return key._replace(time=time)

    def show(self) -> None:
        self.timeline.show(self.clip, 0.5)


@pytest.fixture
def hand() -> Iterator[Hand]:
    hand = Hand()
    yield hand
    hand.timeline.remove()


def test_ruler_drag_scrubs_anywhere(hand: Hand) -> None:
    timeline, lines = hand.timeline, hand.timeline.rows
    timeline.press(lines.x(1.5), lines.top + 5)
    timeline.move(lines.x(2.5), -300.0)
    timeline.move(5000.0, 9000.0)
    timeline.release()
    timeline.move(lines.x(1.0), lines.top + 5)
    assert hand.said == [("scrub", 1.5), ("scrub", 2.5), ("scrub", 4.0)]


def test_pressed_key_is_selected_and_moves_only_when_dragged(hand: Hand) -> None:
    timeline, lines = hand.timeline, hand.timeline.rows
    x, y = lines.x(1.0), lines.y(0)
    timeline.press(x + 3, y)
    timeline.move(x + 5, y)  # a hand is never quite still
    assert hand.said == [("choose", "a", "slide", 1.0)]
    timeline.move(lines.x(1.52), 0.0)
    hand.show()
    timeline.move(lines.x(1.49), 0.0)  # the same tick of the grid
    timeline.move(lines.x(2.0), 0.0)
    assert hand.said[1:] == [
        ("move", "a", "slide", 1.0, 1.5),
        ("move", "a", "slide", 1.5, 2.0),
    ]
    assert timeline.chosen == timeline.held == ("a", "slide", 2.0)
    timeline.follow()  # no button is down: somebody has let go outside
    timeline.move(lines.x(3.5), y)
    assert len(hand.said) == 3
    assert list(hand.clip.track("a", "slide").keys) == [0, 2, 3]


def test_track_names_do_not_scrub_and_keys_light_up(hand: Hand) -> None:
    timeline, lines = hand.timeline, hand.timeline.rows
    timeline.press(lines.left + 30, lines.y(0))
    assert (hand.said, timeline.held) == ([], None)
    timeline.move(lines.x(3.0), lines.y(0))
    assert timeline.hovered == ("a", "slide", 3.0)
    timeline.follow()  # the mouse is not in the window
    assert timeline.hovered is None


# -- the file


@pytest.fixture
def session(tmp_path: Path) -> Iterator[ClipSession]:
    source = tmp_path / "reach.yaml"
    source.write_text(CLIP)
    rig = ikrig.load_rig(ASSETS / "rigs" / "arm.yaml", parent=p3d.NodePath("world"))
    session = ClipSession(rig, source, tmp_path / "out")
    yield session
    session.close()
    assert source.read_text() == CLIP  # whatever was done
    rig.remove()


def lines_of(session: ClipSession) -> list[str]:
    lines = session.document.path.read_text().splitlines()
    assert lines == session.document.lines
    return lines


def place(session: ClipSession) -> list[float]:
    """Return where the target is at second 1."""
    return list(session.clip.sample(1.0)["arm", "target"])


def test_dragged_target_changes_only_its_line(session: ClipSession) -> None:
    session.go(1.0)
    session.take_drags()
    assert session.document.path.read_text() == CLIP  # nobody has moved anything
    session.rig.targets["arm"].set_pos(0.5, 0.25, 1.2342)
    session.take_drags()
    lines = lines_of(session)
    assert lines[10] == "        1: [0.5, 0.25, 1.234]"
    assert [*lines[:10], *lines[11:]] == [
        line for k, line in enumerate(CLIP.splitlines()) if k != 10
    ]
    assert session.document.changed == [10]
    assert session.chosen == ("arm", "target", 1.0)
    assert session.message.endswith("line 11")
    assert place(session) == [0.5, 0.25, 1.234]
    before = session.document.changes
    session.take_drags()
    assert session.document.changes == before  # it is where the clip has it


def test_drag_between_keys_adds_a_key(session: ClipSession) -> None:
    session.go(2.5)
    session.rig.targets["arm"].set_pos(0.5, 0.25, 1.2)
    session.take_drags()
    assert lines_of(session)[11] == "        2.5: [0.5, 0.25, 1.2]"
    assert list(session.clip.track("arm", "target").keys) == [0, 1, 2.5, 4]


def test_loop_stays_closed(session: ClipSession) -> None:
    for time in (0.0, 4.0):
        session.go(time)
        session.rig.targets["arm"].set_pos(0.5, time, 1.2)
        session.take_drags()
        lines = lines_of(session)
        value = f"[0.5, {time:g}, 1.2]"
        assert lines[9] == f"        0: {value}     # there"
        assert lines[11] == f"        4: {value}     # and back"
        assert session.chosen == ("arm", "target", time)


def test_targets_on_a_path_cannot_be_dragged(session: ClipSession) -> None:
    pole = session.rig.chains["arm"].pole
    assert pole is not None
    there = pole.get_pos()
    pole.set_pos(9, 9, 9)
    session.take_drags()
    assert "path" in session.message
    assert session.refused
    assert pole.get_pos() == there
    assert session.document.path.read_text() == CLIP


def test_external_edit_is_loaded_and_an_invalid_one_reported(session):
    path = session.document.path
    path.write_text(CLIP.replace("0.7, 0.3", "0.75, 0.3"))
    session.look()
    assert place(session) == [0.75, 0.3, 1.8]
    assert session.document.changed == [10]
    assert "changed file" in session.message
    wrong = CLIP.replace("cubic", "cubik").replace("wrap: loop", "wrap: lop")
    path.write_text(wrong)
    session.look()
    assert session.document.error.startswith("line 3: wrap must be")
    assert session.document.error_line == 2
    assert place(session) == [0.75, 0.3, 1.8]
    # nothing is written over what somebody is writing
    session.go(1.0)
    session.rig.targets["arm"].set_pos(0.5, 0.5, 1.2)
    session.take_drags()
    assert path.read_text() == wrong
    assert session.document.error.startswith("line 3")
    path.write_text(CLIP.replace("arm:", "leg:"))
    session.look()
    assert "leg" in session.document.error
    path.unlink()
    session.look()
    assert session.document.error
    path.write_text(CLIP)
    session.look()
    assert session.document.error == ""
    assert place(session) == [0.7, 0.3, 1.8]


def test_keys_are_moved_added_and_removed(session: ClipSession) -> None:
    key = session.move(KeyName("arm", "target", 1.0), 1.25)
    assert key == session.chosen == ("arm", "target", 1.25)
    assert lines_of(session)[10] == "        1.25: [0.7, 0.3, 1.8]"
    assert session.move(key, 4.0) == key  # taken
    assert "already" in session.message
    session.choose(KeyName("arm", "weight", 2.0))
    session.go(1.0)
    session.key_here()
    assert lines_of(session)[13] == "    weight: {keys: {0: 1, 1: 0.75, 2: 0.5}}"
    session.delete()
    assert session.chosen is None
    assert lines_of(session)[13] == "    weight: {keys: {0: 1, 2: 0.5}}"
    session.delete()  # nothing is selected
    session.revert()
    assert session.document.path.read_text() == CLIP


def test_arrow_keys_step_through_keys(session: ClipSession) -> None:
    session.go(0.0)
    ways = []
    for direction in (1, 1, 1, 1, -1, -1, -1, -1):
        session.step(direction)
        ways.append(session.time)
    assert ways == [1, 2, 3.99, 3.99, 2, 1, 0, 0]


def test_earlier_working_copy_is_kept(session: ClipSession) -> None:
    session.move(KeyName("arm", "target", 1.0), 1.25)
    rig = ikrig.load_rig(ASSETS / "rigs" / "arm.yaml", parent=p3d.NodePath("world"))
    document = session.document
    again = ClipSession(rig, session.source, document.path.parent)
    assert again.clip.track("arm", "target").keys.keys() == {0, 1.25, 4}
    document.path.write_text("tracks: [")
    broken = ClipSession(rig, session.source, document.path.parent)
    assert "not valid YAML" in broken.document.error
    assert broken.clip.name == "reach"
    rig.remove()


def test_loop_can_be_switched_off_and_on(session: ClipSession) -> None:
    assert session.loops
    session.go(3.0)
    session.toggle_loop()
    assert (session.loops, session.time) == (False, 3.0)
    session.go(7.0)
    assert session.time == 4.0
    session.toggle_loop()
    session.player.time = 9.5
    assert session.time == 1.5


# -- the panel


def test_panel_scrolls_to_the_changed_line() -> None:
    layout = Layout(p3d.NodePath("pixel2d"), (1280, 720))
    panel = FilePanel(layout, layout.root, (0.0, 0.0, 300.0, 250.0), "a.yaml")
    lines = [f"  line {k}: {'x' * 80}" for k in range(100)]

    def show(centre: int | None, lit: list[int]) -> str:
        panel.show(
            lines, centre=centre, chosen=None, lit=lit, since=0.0, wrong=None,
            note=("", (1, 1, 1, 1)),
        )  # fmt: skip
        texts = layout.root.find_all_matches("**/+TextNode")
        return " ".join(node.node().get_text() for node in texts)

    assert "line 0:" in show(None, [])
    shown = show(70, [70])
    assert "line 70:" in shown
    assert "line 0:" not in shown
    assert show(71, [71]) == shown  # no need to go anywhere
    assert "line 99:" in show(99, [])
    assert "line 0:" in show(0, [])


# -- the demo


def test_scripted_movement_edits_a_copy_and_ends_at_its_start(app: DemoApp) -> None:
    source = ASSETS / "clips" / "humanoid_clouds.yaml"
    original = source.read_bytes()
    demo = app.open(catalogue.find("playback", catalogue.read()))
    assert isinstance(demo, Playback)
    path = demo.session.document.path
    key = list(ikrig.load_clip(source).track("right_hand", "target").keys.items())[1]
    text, drag_ends = "", round(60 * SCRIPT[3][0])
    for frame in range(round(60 * demo.duration) + 2):
        app.step()
        if frame == drag_ends - 1:
            text = path.read_text()
            now = demo.session.clip.track("right_hand", "target").keys[key[0]].value
            assert np.allclose(now, np.array(key[1].value) + PULL, atol=1e-3)
            gone = set(original.decode().splitlines()) - set(text.splitlines())
            assert len(gone) == 1
        assert all(chain.result is not None for _, chain in demo.chains())
        assert demo.session.document.error == ""
    assert path.read_bytes() == original  # the next round has begun
    assert text != original.decode()
    assert source.read_bytes() == original
    app.close()
    assert not path.exists()


def test_ik_is_recorded_beside_the_clip(app: DemoApp) -> None:
    demo = app.open(catalogue.find("playback", catalogue.read()))
    assert isinstance(demo, Playback)
    session = demo.session
    session.record()
    assert session.recording
    for _ in range(91):
        app.step()
    rig = session.rig.actor_rig
    assert rig is not None
    elbow = rig.joint("RightForeArm").get_quat()
    session.record()
    assert not session.recording
    path = session.document.path.with_name("humanoid_clouds_joints.yaml")
    assert path.name in session.message
    clip = ikrig.load_clip(path)
    assert clip.duration == pytest.approx(1.5, abs=0.02)
    recorded = clip.sample(clip.duration)["RightForeArm", "rotation"]
    assert abs(np.dot(recorded, list(elbow))) > np.cos(np.radians(0.2))
    # nothing was recorded: that is told, not raised
    session.record()
    session.record()
    assert session.refused
    # what is being recorded is written when the demo ends
    session.record()
    app.step()
    path.unlink()
    session.close()
    assert path.exists()


def test_scenes_are_switched_and_cleaned_up(app: DemoApp) -> None:
    demo = app.open(catalogue.find("playback", catalogue.read()))
    assert isinstance(demo, Playback)
    keys = demo.keys()
    for key, chain in (("2", "tool"), ("1", "right_hand"), ("2", "tool")):
        keys[key]()
        app.step()
        assert chain in dict(demo.chains())
        characters = demo.stage.find_all_matches("**/+Character").get_num_paths()
        assert characters == (key == "1")
    assert [node.get_name() for node in demo.stage.children] == ["six axis robot"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tracks: {}\nwrap: lop\n", "did you mean 'loop'"),
        ("tracks: {nose: {weight: {keys: {0: 1}}}}\n", "fits no rig of this demo"),
    ],
)
def test_unsupported_clip_is_one_line(text, words, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(os.environ, "IKRIG_DISPLAY", "no-such-library")
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    code = __main__.main(["playback", str(path), "--offscreen", "--frames", "2"])
    assert code == 2
    assert words in capsys.readouterr().err.strip().splitlines()[-1]


def test_users_clip_finds_its_rig(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(os.environ, "IKRIG_DISPLAY", "no-such-library")
    path = tmp_path / "mine.yaml"
    path.write_text("tracks: {tool: {target: {keys: {0: [0.8, 0, 0.5]}}}}\n")
    code = __main__.main(["playback", str(path), "--offscreen", "--frames", "200"])
    assert code == 0
    assert "tool: CONVERGED" in capsys.readouterr().out
    assert path.read_text() == "tracks: {tool: {target: {keys: {0: [0.8, 0, 0.5]}}}}\n"
