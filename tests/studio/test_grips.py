"""Grips in the studio: added, dragged, edited, tried, saved and read again."""

from __future__ import annotations

from itertools import pairwise
from math import dist

import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig import IkrigError
from ikrig.model.grip import Grip
from ikrig.scene.behaviours.grips import grips_of
from ikrig.studio.document.adding import add_behaviour, add_entry, add_node
from ikrig.studio.document.changing import remove, rename, reset, set_value
from ikrig.studio.document.edited_rig import Selection
from ikrig.studio.document.studio_document import StudioDocument

from .conftest import HUMANOID
from .skeletons import person

STAFF = """
name: staff
bodies:
  - name: staff
    geoms:
      - {kind: cylinder, size: [0.016, 0.85, 0], pos: [0, 0, 0.85]}
"""
RIG = """
model: hero.bam
nodes:
  cup:
    pos: [-0.3, -0.3, 1.1]
    grips: {ear: {point: [0, 0.02, 0.14], approach: [0, 1, 0]}}
bodies:
  staff:
    file: staff.yaml
    pos: [0.3, -0.3, 0]
    grips: {shaft: {point: [0, 0, 1.1], axis: z, length: 0.3}}
"""
EAR = Selection("grips", "ear", ("nodes", "cup"))
SHAFT = Selection("grips", "shaft", ("bodies", "staff"))


@pytest.fixture
def studio(studio):
    """The humanoid with a cup on its right and a staff on its left."""
    folder = studio.folder / "models"
    (folder / "staff.yaml").write_text(STAFF)
    (folder / "rig.yaml").write_text(RIG)
    assert studio.session.open(folder / "rig.yaml"), studio.session.log[-1].text
    studio.frames(3)
    return studio


def handle(studio, label):
    return next(x for x in studio.app.viewport.gizmos.handles if x.label == label)


def place(studio, node):
    viewport = studio.app.viewport
    spot = viewport.eye.view().project(tuple(node.get_pos(studio.app.render)))
    return viewport.rect.to_window(spot.x, spot.y)


def values(studio, grip):
    return studio.session.document.rig.entry(grip.path).values


def test_point_is_picked_and_dragged_to_the_mouse(studio):
    session = studio.session
    x, y = place(studio, handle(studio, "ear").node)
    before, steps = session.document.text, len(session.document.history.steps)
    studio.click(x, y)
    assert session.selection == EAR and session.document.text == before
    studio.drag((x, y), (x + 25, y - 35))
    studio.frames(2)
    assert len(session.document.history.steps) == steps + 1
    # where the new point is drawn, computed from the file alone
    path = studio.folder / "models" / "saved.yaml"
    assert session.save(path)
    rig = ikrig.load_rig(path, parent=p3d.NodePath("world"))
    ((grip, node),) = grips_of(rig.nodes["cup"]).values()
    there = session.live.parent.get_mat(studio.app.render).xform_point(
        node.get_mat(node.get_top()).xform_point(p3d.LPoint3f(*grip.point))
    )
    rig.remove()
    view, rect = studio.app.viewport.eye.view(), studio.app.viewport.rect
    spot = view.project(tuple(there))
    assert dist(rect.to_window(spot.x, spot.y), (x + 25, y - 35)) < 1.0
    assert grip.approach == (0.0, 1.0, 0.0)
    session.undo()
    studio.frames(2)
    assert session.document.text == before
    again = handle(studio, "ear").node.get_pos()
    assert again.almost_equal(p3d.LPoint3f(0, 0.02, 0.14), 1e-6)


def test_directions_and_length_are_dragged(studio):
    session = studio.session
    session.document.select(EAR)
    studio.frames(2)
    x, y = place(studio, handle(studio, "ear approach").node)
    studio.drag((x, y), (x, y - 60))
    studio.frames(2)
    way = p3d.LVector3f(*values(studio, EAR)["approach"])
    # the palm comes from above now, and the direction has length 1
    assert way.z < -0.3 and way.length() == pytest.approx(1.0, abs=1e-5)
    assert values(studio, EAR)["point"] == (0.0, 0.02, 0.14)
    session.document.select(SHAFT)
    studio.frames(2)
    x, y = place(studio, handle(studio, "shaft axis").node)
    low, _ = place(studio, handle(studio, "shaft").node), None
    far = [b + 2.0 * (a - b) for a, b in zip((x, y), low, strict=True)]
    studio.drag((x, y), tuple(far))
    studio.frames(2)
    found = values(studio, SHAFT)
    # twice as far along the same line on the screen
    assert found["length"] == pytest.approx(0.6, rel=0.15)
    assert abs(found["axis"][2]) > 0.95


def test_escape_leaves_a_grip_as_it_was(studio):
    before = studio.session.document.text
    x, y = place(studio, handle(studio, "shaft").node)
    studio.move(x, y)
    studio.button(True)
    studio.move(x + 30, y + 30)
    studio.key("escape")
    studio.button(False)
    studio.frames(2)
    assert studio.session.document.text == before
    assert dist(place(studio, handle(studio, "shaft").node), (x, y)) < 1e-3


def test_arrow_keys_move_the_point(studio):
    studio.session.document.select(EAR)
    studio.frames(2)
    studio.key("page_up")
    studio.frames(2)
    x, y, z = values(studio, EAR)["point"]
    assert (x, y) == pytest.approx((0.0, 0.02), abs=1e-5) and z > 0.15


def test_hand_holds_what_is_grabbed_and_comes_back(studio):
    session = studio.session
    before, steps = session.document.text, len(session.document.history.steps)
    start = session.live.joint_matrices()
    session.document.select(SHAFT)
    studio.frames(2)
    studio.key("g")
    hold, seen = session.tests.hold, []
    for _ in range(90):
        studio.frames(1)
        seen.append(session.live.joint_matrices()["LeftHand"].get_row3(3))
    assert hold.state() == "held"
    # the palm, a hand's breadth from the wrist, is at the bar on the left
    x, y, z = session.live.joint_matrices()["LeftHandMiddle1"].get_row3(3)
    assert dist((x, y), (0.3, -0.3)) < 0.08 and 0.95 - 0.1 < z < 1.25 + 0.1
    assert max((b - a).length() for a, b in pairwise(seen)) < 0.06
    # edited while it is held, the hand follows
    path = (*SHAFT.path, "point")
    session.do(set_value, path, (0.0, 0.0, 1.0))
    session.do(set_value, (*SHAFT.path, "length"), 0.0)
    studio.frames(90)
    assert hold.state() == "held"
    assert (
        abs(session.live.joint_matrices()["LeftHandMiddle1"].get_row3(3).z - 1.0) < 0.1
    )
    session.undo()
    session.undo()
    studio.frames(2)
    studio.key("g")
    studio.frames(90)
    now = session.live.joint_matrices()
    gaps = {
        name: (now[name].get_row3(3) - start[name].get_row3(3)).length() for name in now
    }
    assert max(gaps.values()) < 1e-4
    assert session.document.text == before
    assert len(session.document.history.steps) == steps + 2
    # no layer of it is left
    assert not session.live.actor_rig.layers


def test_grips_of_a_reach_are_shown_on_its_target(studio):
    session = studio.session
    session.do(add_behaviour, "reach", "LeftHand")
    session.add_entry_here("grips")
    grip = session.selection
    assert grip.path == ("behaviours", "reach", "grips", "grip")
    studio.frames(2)
    # its thing is the target of the hand
    assert handle(studio, "grip").node.get_parent().get_name() == "reach target"
    session.do(set_value, (*grip.path, "axis"), "x")
    studio.frames(2)
    assert session.live.rig.behaviours["reach"].grips["grip"] == Grip(axis="x")
    session.hold()
    assert session.tests.hold.grip == grip
    session.do(reset, ("behaviours", "reach", "target"))
    studio.frames(3)
    # nothing is held where nothing is
    assert session.tests.hold.grip is None
    session.hold()
    assert "give reach a target" in session.log[-1].text
    session.live.limbs = ()
    session.document.select(EAR)
    session.hold()
    assert "no hand was found" in session.log[-1].text


def test_every_step_can_be_done_by_the_commands(studio):
    session = studio.session
    actions = {action.name: action for action in session.actions}
    actions["Add node"].run()
    assert session.selection == ("nodes", "thing", ())
    assert actions["Add grip"].enabled() and not actions["Add collider"].enabled()
    actions["Add grip"].run()
    studio.frames(3)
    assert session.selection == ("grips", "grip", ("nodes", "thing"))
    session.do(rename, "grips", "grip", "handle", ("nodes", "thing"))
    studio.frames(3)
    assert session.selection.name == "handle"
    assert handle(studio, "handle").node.get_parent().get_name() == "thing"
    studio.key("delete")
    studio.frames(3)
    assert session.selection == ("nodes", "thing", ())
    assert "handle" not in session.document.text
    session.undo()
    studio.frames(3)
    assert "handle" in session.document.text


def test_values_are_checked_and_kept(tmp_path):
    document = StudioDocument.new(person(), "", "person")
    document.do(add_node)
    owner = ("nodes", "thing")
    document.do(add_entry, owner, "grips", "handle")
    path = (*owner, "grips", "handle")
    full = Grip(
        (0.1, -0.2, 0.3), "y", (0.0, 0.6, 0.8), 0.25, "fist", 0.4,
        ((0.0, 0.1), (0.4, 1.0)), ((0.0, 1.0), (0.5, 0.0)), ((0.0, 0.2),),
        ((0.3, "open"), ("left", "shut")), 80.0,
    )  # fmt: skip
    for key in vars(full):
        document.do(set_value, (*path, key), getattr(full, key))
    for key, wrong in (
        ("length", -1.0),
        ("axis", (0, 0, 0)),
        ("weight", ((1.0, 2.0),)),
    ):
        with pytest.raises(IkrigError, match=f"{key} must be"):
            document.do(set_value, (*path, key), wrong)
    with pytest.raises(IkrigError, match="in use"):
        document.do(add_entry, owner, "grips", "other")
        document.do(rename, "grips", "other", "handle", owner)
    with pytest.raises(IkrigError, match="no 'ears'"):
        document.do(remove, "grips", "ears", owner)
    with pytest.raises(IkrigError, match="has no 'colliders'"):
        document.do(add_entry, owner, "colliders")
    file = document.save(tmp_path / "grips.yaml")
    rig = ikrig.load_rig(file, parent=p3d.NodePath("world"))
    assert {n: g for n, (g, _) in grips_of(rig.nodes["thing"]).items()} == {
        "handle": full,
        "other": Grip(),
    }
    text = file.read_text()
    ikrig.dump_rig(rig, file)
    assert file.read_text() == text
    # the code makes the same
    actor, world, space = Actor(str(HUMANOID)), p3d.NodePath("world"), {}
    actor.reparent_to(world)
    exec(compile(document.python, "code.py", "exec"), space)
    _, nodes = space["build_rig"](actor, world)
    assert grips_of(nodes["thing"])["handle"][0] == full


def test_hold_ends_with_its_grip_and_survives_a_rebuild(studio):
    session, hold = studio.session, studio.session.tests.hold

    def held(hand):
        hold.hand = hand
        studio.frames(70)
        assert hold.state() == "held"
        # arm, its chain, its clearance, its fingers: those of one hand
        assert len(session.live.actor_rig.layers) == 4

    session.document.select(EAR)
    session.hold()
    held("")
    session.do(remove, "nodes", "cup")
    studio.frames(70)
    assert hold.grip is None and not session.live.actor_rig.layers
    session.undo()
    studio.frames(3)
    session.document.select(SHAFT)
    session.hold()
    held("left_hand")
    session.live.rebuild()
    held("left_hand")
    session.live.playback.choose("idle")
    session.live.playback.playing = True
    held("left_hand")
    assert session.open(studio.folder / "models" / "rig.yaml")
    studio.frames(3)
    assert session.tests.hold.grip is None
