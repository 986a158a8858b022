"""The inspector over a game: no cost when hidden, live values when shown."""

from __future__ import annotations

from pathlib import Path

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor
from direct.showbase.MessengerGlobal import messenger
from direct.showbase.ShowBase import ShowBase

import ikrig

from .driver import NEEDED, Driver

MISSING = r"panda3d-ikrig\[studio\]|no wheel for Python 3\.10"


@pytest.fixture
def game():
    pytest.importorskip("imgui_bundle", reason=NEEDED)
    pytest.importorskip("p3dimgui", reason=NEEDED)
    from ikrig.scene.viewer import display

    display.configure()
    screen = display.find(display.Surface.OFFSCREEN)
    if not screen.module.endswith("gl"):
        pytest.skip("OpenGL without a window: apt-get install libegl1 libgl1-mesa-dri")
    base = ShowBase(windowType="none")
    size = p3d.WindowProperties.size(640, 400)
    base.open_main_window(props=size, pipe=screen.pipe, type="offscreen")
    node = base.render
    for name in ("shoulder", "elbow", "hand"):
        node = node.attach_new_node(name)
        node.set_z(1)
    base.cam.set_pos(0, -12, 1.5)
    base.arm = ikrig.IKChain(node, chain_length=2).start()
    base.arm.target.set_pos(0.6, 0.4, 1.9)
    base.task_mgr.step()
    yield base
    base.arm.stop()
    base.destroy()


def hooks(base):
    """All tasks and events there are."""
    tasks = sorted(task.name for task in base.task_mgr.getAllTasks())
    node = base.buttonThrowers[0].node() if base.buttonThrowers else None
    thrown = node and (node.get_button_down_event(), node.get_keystroke_event())
    return tasks, sorted(map(str, messenger.getEvents())), thrown


def test_hidden_inspector_has_no_task_and_only_its_key(game):
    before = hooks(game)
    inspector = ikrig.Inspector(game, "f1")
    tasks, events, thrown = hooks(game)
    assert (tasks, thrown) == (before[0], before[2])
    assert set(events) - set(before[1]) == {"f1"}
    for _ in range(3):
        messenger.send("f1")
        assert inspector.shown
        game.task_mgr.step()
        assert len(hooks(game)[0]) > len(before[0])
        messenger.send("f1")
        assert not inspector.shown
        assert hooks(game) == (tasks, events, thrown)
        game.task_mgr.step()
    inspector.destroy()
    assert hooks(game) == before
    assert game.render.find("**/ikrig-gizmos").is_empty()


def test_values_apply_at_once_and_are_saved(game, tmp_path):
    inspector = ikrig.Inspector(game, shown=True)
    game.session = None
    driver = Driver(game)
    assert not inspector._fault
    panel = inspector._panel
    (entry,) = inspector._entries()
    assert entry.part is game.arm and entry.word == "reached"
    panel.selected = entry.part
    driver.frames(2)
    spot = inspector._gizmos._eye.view().project(tuple(game.arm.target.get_pos()))
    at = (spot.x + 1) * 320, (1 - spot.y) * 200
    driver.drag(at, (at[0] + 30, at[1] - 20))
    assert game.arm.target.get_x() > 0.7 and game.arm.target.get_z() > 2.0
    panel.path = str(tmp_path / "arm.yaml")
    panel._try(lambda: panel.save(entry.owner, panel.path))
    assert not panel.failed
    world = p3d.NodePath("world")
    node = world
    for name in ("shoulder", "elbow", "hand"):
        node = node.attach_new_node(name)
        node.set_z(1)
    rig = ikrig.load_rig(tmp_path / "arm.yaml", model=world)
    (chain,) = rig.chains.values()
    assert chain.target.get_pos().almost_equal(game.arm.target.get_pos(), 1e-4)
    # what can't be written is said, and the game goes on
    panel._try(lambda: panel.save(entry.owner, str(tmp_path)))
    assert panel.failed and "must be .yaml" in panel.message
    driver.frames(2)
    assert not inspector._fault
    inspector.destroy()


def test_invalid_set_up_is_reported(game):
    with pytest.raises(ikrig.BindError, match="running ShowBase"):
        ikrig.Inspector(None)


def test_missing_package_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "p3dimgui", None)
    with pytest.raises(ikrig.MissingPackageError, match=MISSING):
        ikrig.Inspector(None)


def test_choices_show_current_values(game):
    from ikrig.studio.panels.fields import live_value
    from ikrig.studio.panels.live_panel import LiveEntry, _fields

    actor = Actor(str(Path(__file__).parents[2] / "assets/models/humanoid.bam"))
    rig = ikrig.ActorRig(actor)
    parts = [(game.arm, "chain"), (rig.chain("LeftHand", chain_length=2), "chain")]
    parts += [
        (rig.tree({"Head": None}), "tree"),
        (ikrig.LookAt(rig, game.render), "look_at"),
    ]
    seen = set()
    for part, kind in parts:
        entry = LiveEntry(part, "", "", kind, part, "")
        for key, field in _fields(entry).items():
            choices = getattr(field.shape, "choices", ())
            if choices and hasattr(part, key):
                assert live_value(part, key) in choices, (kind, key)
                seen.add(key)
    assert seen >= {"phase", "solver", "orientation_mode"}
    actor.cleanup()
