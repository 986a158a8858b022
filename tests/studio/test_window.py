"""The off-screen studio, by mouse and keys, checked by the files that it writes."""

from __future__ import annotations

from pathlib import Path

import panda3d.core as p3d
import pytest

import ikrig

HUMANOID = Path(__file__).parents[2] / "assets" / "models" / "humanoid.bam"


def reach(path, world):
    """The largest gap of the chains of a saved rig, after a second."""
    rig = ikrig.load_rig(path, parent=world)
    for _ in range(60):
        for part in (*rig.chains.values(), *rig.trees.values()):
            part.weight = 1.0
        rig.solve()
    gaps = {n: c.result.error for n, c in rig.chains.items()}
    rig.remove()
    return gaps


def test_saved_limbs_reach_as_soon_as_a_game_moves_their_targets(studio):
    studio.key("enter")
    studio.frames(2)
    x, y = studio.target("left_hand target")
    studio.click(x, y)
    assert studio.session.document.history.steps[-1].name == "Add 5 limbs"
    studio.drag((x, y), (x - 40, y - 60))
    path = studio.folder / "models" / "hero.yaml"
    assert studio.session.save(path)
    rig = ikrig.load_rig(path, parent=p3d.NodePath("world"))
    rig.solve()
    # the animation goes on for those whose targets nobody has moved
    weights = {name: chain.weight for name, chain in rig.chains.items()}
    assert weights.pop("left_hand") == 1.0 and set(weights.values()) == {0.0}
    # the shoulders are higher, and the hips too
    for name in ("right_hand", "left_foot", "right_foot"):
        chain = rig.chains[name]
        chain.target.set_z(chain.target.get_z() + 0.1)
        rig.solve()
        assert chain.weight == 1.0 and chain.result.error < 1e-3, name
    rig.remove()


def test_rigging_dragging_and_saving_need_few_events(studio):
    assert studio.session.dialog == "limbs"
    studio.key("enter")
    studio.frames(30)
    before = studio.session.document.text
    x, y = studio.target("left_hand target")
    studio.drag((x, y), (x - 40, y - 60))
    assert studio.session.document.history.steps[-1].name == "Move left_hand target"
    after = studio.session.document.text
    assert after != before
    studio.key("Ctrl+s")
    assert studio.session.dialog == "save"
    studio.frames(2)
    studio.key("Ctrl+a")
    studio.type(str(studio.folder / "hero.yaml"))
    studio.key("enter")
    assert (studio.folder / "hero.yaml").read_text() == studio.session.document.text
    assert studio.events - len(str(studio.folder / "hero.yaml")) < 60
    gaps = reach(studio.folder / "hero.yaml", p3d.NodePath("world"))
    assert set(gaps) >= {"left_hand", "right_hand", "left_foot", "right_foot"}
    assert all(gap < 1e-3 for gap in gaps.values()), gaps


def test_whole_session_by_keyboard(studio):
    """Open, rig, play, take a target, move it, undo and redo, save."""
    session = studio.session
    studio.key("escape")
    copy = studio.folder / "models" / "again.bam"
    copy.write_bytes(studio.model.read_bytes())
    studio.key("Ctrl+o")
    studio.frames(3)
    studio.key("Ctrl+a")
    studio.type(str(copy))
    studio.key("enter")
    studio.frames(3)
    assert session.document.model.endswith("again.bam")
    assert session.dialog == "limbs"
    studio.key("enter")
    studio.frames(3)
    assert len(session.document.parts.parts("chains")) == 5
    studio.key("Ctrl+p")
    studio.frames(3)
    studio.type("next target")
    studio.key("enter")
    studio.frames(2)
    names = list(session.document.parts.parts("nodes"))
    assert session.selection[:2] == ("nodes", names[0])
    studio.key("n")
    studio.key("n")
    studio.key("Shift+n")
    assert session.selection[:2] == ("nodes", names[1])
    studio.key("space")
    assert session.live.playback.playing
    studio.key("space")
    before = session.document.text
    studio.key("up_arrow")
    studio.key("page_up")
    assert session.document.text != before
    moved = session.document.text
    studio.key("Ctrl+z")
    studio.key("Ctrl+y")
    assert session.document.text == moved
    file = studio.folder / "keys.yaml"
    studio.key("Ctrl+s")
    studio.frames(3)
    studio.key("Ctrl+a")
    studio.type(str(file))
    studio.key("enter")
    # paths are as from its folder now
    assert file.read_text() == session.document.text
    assert session.document.parts.parts("nodes") and not session.document.unsaved


def test_clicked_joint_is_extended_to_a_chain(studio):
    studio.key("escape")
    studio.click(*studio.joint("LeftHand"))
    assert studio.session.selection[:2] == ("joint", "LeftHand")
    studio.wheel(1)
    studio.wheel(1)
    assert len(studio.session.pending_chain()) == 5
    studio.key("left_bracket")
    studio.key("enter")
    chain = studio.session.document.parts.parts("chains")["LeftHand"]
    assert (
        chain.values["root_joint"]
        == studio.session.document.skeleton.lineage("LeftHand")[3]
    )
    assert {"target", "pole"} <= set(chain.values)
    studio.frames(2)
    assert studio.session.live.rig.chains["LeftHand"].chain_length == 3
    studio.key("Ctrl+z")
    assert not studio.session.document.parts.parts("chains")
    studio.key("Ctrl+y")
    assert "LeftHand" in studio.session.document.parts.parts("chains")


def test_dragging_a_limit_arc_is_one_step(studio):
    from ikrig.formats.rig_file import Part
    from ikrig.studio.document.adding import add_chain
    from ikrig.studio.document.changing import set_limit

    studio.key("escape")
    session = studio.session
    session.do(add_chain, "LeftHand")
    hinge = Part("", {"kind": "hinge", "axis": "y", "range": (-0.5, 0.5)})
    session.do(set_limit, ("chains", "LeftHand"), "LeftForeArm", hinge)
    studio.frames(3)
    viewport = studio.app.viewport
    arc, view, rect = viewport.overlay.arc, viewport.eye.view(), viewport.rect
    start = viewport.overlay._pixel(view, rect, arc.at(0.5))
    end = viewport.overlay._pixel(view, rect, arc.at(1.2))
    steps = len(session.document.history.steps)
    studio.drag(start, end)
    assert len(session.document.history.steps) == steps + 1
    limit = session.document.parts.parts("chains")["LeftHand"].parts("limits")
    low, high = limit["LeftForeArm"].values["range"]
    assert low == -0.5 and high == pytest.approx(1.2, abs=0.05)
    studio.key("Ctrl+z")
    limit = session.document.parts.parts("chains")["LeftHand"].parts("limits")
    assert limit["LeftForeArm"].values["range"] == (-0.5, 0.5)


def test_keys_belong_to_the_picture_when_a_dialog_has_closed(studio):
    # a menu was clicked before: the focus went back to its button, and arrows with it
    session = studio.session
    studio.key("escape")
    studio.click(20, 12)
    studio.key("down_arrow")
    studio.key("enter")
    studio.frames(3)
    assert session.dialog == "save"
    studio.key("escape")
    for keys in ("Ctrl+l", "enter", "n"):
        studio.key(keys)
        studio.frames(3)
    before = session.document.text
    studio.key("page_up")
    assert session.selection.kind == "nodes" and session.document.text != before


def test_clicks_on_panels_do_not_reach_the_picture(studio):
    studio.key("escape")
    studio.click(*studio.joint("LeftHand"))
    heading = studio.app.orbit.heading
    studio.drag((780, 250), (740, 300))
    studio.drag((60, 460), (60, 480))
    assert studio.app.orbit.heading == heading
    assert studio.session.selection.name == "LeftHand"


def test_broken_files_leave_the_studio_unchanged(studio):
    studio.key("enter")
    text = studio.session.document.text
    for name, content in (
        ("bad.yaml", "chains: {a: {leef: x}}"),
        ("bad.bam", "no model"),
        ("bad.glb", ""),
    ):
        file = studio.folder / name
        file.write_text(content)
        assert not studio.session.open(file)
        assert studio.session.log[-1].kind == "error"
        assert name in studio.session.log[-1].text
    studio.frames(2)
    assert studio.session.document.text == text


@pytest.mark.parametrize("size", [(640, 360), (1280, 720), (1920, 1080), (400, 900)])
@pytest.mark.parametrize("tall", [False, True])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_panels_never_overlap_and_leave_room_for_the_viewport(size, scale, tall):
    layout_of = pytest.importorskip("ikrig.studio.panels.layout").Layout
    layout = layout_of(*size, scale, tall=tall)
    rects = [layout.top, layout.left, layout.right, layout.bottom, layout.view]
    for one in rects:
        assert one.width >= 0 and one.height >= 0
        for other in rects:
            if one is not other:
                apart = (
                    one.x + one.width <= other.x + 1
                    or other.x + other.width <= one.x + 1
                    or one.y + one.height <= other.y + 1
                    or other.y + other.height <= one.y + 1
                )
                assert apart
    assert layout.view.width >= 0.35 * size[0]
    assert layout.view.height >= 0.3 * size[1]


def test_resized_window_looks_like_a_new_one(studio):
    from imgui_bundle import imgui

    from ikrig.studio.panels import style

    def looks():
        now = imgui.get_style()
        found = {name: getattr(now, name) for name in dir(now) if name[0] != "_"}
        return {name: str(v) for name, v in found.items() if not callable(v)}

    style.apply(0.8)
    new = looks()
    # sizes are rounded down each time: the sixth change left none, which asserts
    for scale in 12 * (0.6, 2.0, 0.9, 0.8):
        style.apply(scale)
    assert looks() == new
    studio.frames(1)
    style.apply(studio.app._scale)


@pytest.mark.parametrize("name", ["six_axis", "creature", "show"])
def test_rigs_of_robots_and_nodes_are_drawn_completely(studio, name, tmp_path):
    assets = HUMANOID.parents[1]
    for folder in ("rigs", "models"):
        (tmp_path / "copy" / folder).mkdir(parents=True)
    for file in (*assets.glob("rigs/*.yaml"), *assets.glob("models/*.*")):
        copy = tmp_path / "copy" / file.relative_to(assets)
        copy.write_bytes(file.read_bytes())
    session = studio.session
    session.dialog = ""
    assert session.open(tmp_path / "copy" / "rigs" / f"{name}.yaml")
    studio.frames(2)
    assert not session.live.problem
    parts = session.document.parts
    for section in ("chains", "trees", "behaviours", "bodies"):
        for entry in parts.parts(section):
            session.select(section, entry)
            studio.frames(1)
            assert not studio.app.faults
    for tab in ("YAML", "Python", "History", "Log", "Timeline"):
        session.tab = tab
        studio.frames(2)
        assert not studio.app.faults


FOLLOWERS = """\
model: hero.bam
nodes:
  path: {}
  low: {parent: path, pos: [0, 0, 1]}
  middle: {parent: path, pos: [0.2, 0, 1.3]}
  high: {parent: path, pos: [0, 0, 1.6]}
behaviours:
  back: {kind: spline, joints: [Hips, Head], curve: path}
  arm:
    kind: springs
    joints: [RightArm]
    colliders:
      ball: {joint: Hips, radius: 0.2, offset: [0, -0.5, 0]}
"""


def test_colliders_and_handles_of_curves_are_dragged(studio):
    path = studio.folder / "models" / "hero.yaml"
    path.write_text(FOLLOWERS)
    assert studio.session.open(path)
    studio.frames(3)
    gizmos, rect = studio.app.viewport.gizmos, studio.app.viewport.rect
    view = studio.app.viewport.eye.view()
    for name in ("ball", "middle"):
        node = next(x.node for x in gizmos.handles if x.label == name)
        spot = view.project(tuple(node.get_pos(studio.app.render)))
        x, y = rect.to_window(spot.x, spot.y)
        studio.drag((x, y), (x + 30, y - 20))
    saved = studio.folder / "models" / "saved.yaml"
    assert studio.session.save(saved)
    rig = ikrig.load_rig(saved, parent=p3d.NodePath("world"))
    ball = rig.behaviours["arm"].colliders["ball"]
    assert ball.joint == "Hips" and ball.radius == 0.2
    assert (p3d.LPoint3f(*ball.offset) - p3d.LPoint3f(0, -0.5, 0)).length() > 0.03
    place = rig.nodes["middle"].get_pos() - p3d.LPoint3f(0.2, 0, 1.3)
    assert place.length() > 0.03
    rig.remove()
    studio.session.undo()
    studio.frames(2)
    studio.session.undo()
    studio.frames(2)
    assert studio.session.live.rig.behaviours["arm"].colliders["ball"].offset == (
        0.0, -0.5, 0.0,
    )  # fmt: skip
