"""Trial grounds, flying targets, clicks and avatars."""

from __future__ import annotations

from itertools import pairwise
from math import pi
from pathlib import Path

import panda3d.core as p3d
import pytest

import ikrig

from . import vrm
from .vrm import bones, build

HUMANOID = Path(__file__).parents[2] / "assets" / "models" / "humanoid.bam"


@pytest.mark.parametrize("kind", ["flat", "stairs", "slope", "lift"])
def test_trial_grounds_are_continuous_with_the_right_heights(kind):
    pytest.importorskip("imgui_bundle")
    from ikrig.studio.view.trial_stage import RISE, ground_height

    heights = [ground_height(kind, 0.1, k / 100 - 3.0, 1.0) for k in range(1200)]
    steps = [abs(b - a) for a, b in pairwise(heights)]
    assert min(heights) >= 0.0 and max(heights) < 0.9
    if kind == "stairs":
        # one stair at a time, and all of them alike
        assert {round(s, 9) for s in steps} == {0.0, RISE}
    elif kind == "slope":
        assert max(steps) < 0.003 and max(heights) > 0.3
    else:
        assert max(steps) == 0.0
    if kind == "lift":
        # one side goes up while the other one goes down
        left, right = (ground_height(kind, x, 0.0, pi / 1.3) for x in (1.0, -1.0))
        assert left > 0.1 and right == pytest.approx(0.0)


@pytest.fixture
def studio(studio):
    """The humanoid without limbs."""
    studio.frames(2)
    studio.key("escape")
    return studio


def test_feet_climb_trial_stairs_and_return_to_the_floor(studio):
    session = studio.session
    session.add_behaviour_here("feet")
    before = session.document.text
    session.live.playback.choose("walk")
    session.live.playback.playing = True
    start = session.live.model.get_pos()
    session.tests.ground = "slope"
    studio.frames(12)
    low = [session.live.joint_matrices()[f"{s}Foot"].get_row3(3)[2] for s in SIDES]
    assert min(low) > 0.2
    assert session.document.text == before
    session.tests.ground = "none"
    studio.frames(3)
    assert session.live.model.get_pos() == start
    assert session.document.text == before


SIDES = ("Left", "Right")


def test_flying_target_returns_to_its_position(studio):
    session = studio.session
    session.add_behaviour_here("look_at")
    studio.frames(2)
    node = session.live.part("behaviours", "look_at").target
    home, text = node.get_pos(), session.document.text
    session.tests.flying = ("behaviours", "look_at")
    seen = []
    for _ in range(6):
        studio.frames(1)
        seen.append(node.get_pos())
    assert all((a - b).length() > 1e-3 for a, b in pairwise(seen))
    session.tests.flying = None
    studio.frames(2)
    assert node.get_pos() == home and session.document.text == text


def test_clicked_object_becomes_the_reach_target(studio):
    session, viewport = studio.session, studio.app.viewport
    session.select("joint", "RightHand")
    session.add_behaviour_here("reach")
    session.tests.things = True
    studio.frames(2)
    ball = session.tests._balls[1]
    place = ball.get_pos(studio.app.render)
    spot, rect = viewport.eye.view().project(tuple(place)), viewport.rect
    x, y = rect.to_window(spot.x, spot.y)
    steps = len(session.document.history.steps)
    studio.click(x, y)
    studio.frames(2)
    assert len(session.document.history.steps) == steps + 1
    target = session.live.rig.nodes["reach target"].get_pos(studio.app.render)
    assert (target - place).length() < 1.5 * ball.get_scale().x
    assert session.selection[:2] == ("behaviours", "reach")
    studio.key("Ctrl+z")
    assert len(session.document.history.steps) == steps + 1


def test_modes_set_the_effect_of_a_click_on_a_joint(studio):
    from ikrig.studio.document.adding import add_chain

    session = studio.session
    session.do(add_chain, "LeftHand")
    studio.frames(2)
    studio.key("_3")
    assert session.mode == "Limit"
    studio.click(*studio.joint("LeftForeArm"))
    assert session.selection == ("limits", "LeftForeArm", ("chains", "LeftHand"))
    limits = session.document.parts.parts("chains")["LeftHand"].parts("limits")
    assert "LeftForeArm" in limits
    studio.key("_1")
    session.select("")
    studio.frames(1)
    studio.click(*studio.joint("LeftForeArm"))
    assert session.selection[:2] == ("joint", "LeftForeArm")
    bones = session.bones
    studio.wheel(1)
    assert session.bones == bones
    studio.key("_5")
    assert session.live.playback.playing


def test_vrm_avatar_is_rigged_and_its_file_loads(studio, tmp_path):
    file = tmp_path / "models" / "avatar.vrm"
    build(file)
    session = studio.session
    assert session.open(file), session.log[-1].text
    assert len(session.document.skeleton.names) == len(bones())
    names = {limb.name for limb in session.limbs}
    assert {"left_hand", "right_hand", "left_foot", "right_foot"} <= names
    studio.frames(2)
    studio.key("enter")
    assert session.save(tmp_path / "models" / "avatar.yaml")
    rig = ikrig.load_rig(
        tmp_path / "models" / "avatar.yaml", parent=p3d.NodePath("world")
    )
    # its own left is at +x
    tip = rig.chains["left_foot"].target.get_pos()
    assert tip.x > 0.0
    rig.chains["left_foot"].weight = 1.0
    rig.chains["left_foot"].target.set_z(tip.z + 0.1)
    for _ in range(10):
        rig.solve()
    assert rig.chains["left_foot"].result.error < 1e-3
    rig.remove()


def test_paths_pasted_from_file_managers_are_accepted():
    pytest.importorskip("imgui_bundle")
    from ikrig.studio.panels.native_dialogs import pasted_path

    for text in (
        "/a/b c.glb",
        "'/a/b c.glb'",
        "file:///a/b%20c.glb\n",
        ' "/a/b c.glb" ',
    ):
        assert pasted_path(text) == str(Path("/a/b c.glb"))
    assert pasted_path("~/x") == str(Path("~/x").expanduser())
    assert pasted_path("  ") == ""


def test_model_that_faces_elsewhere_is_seen_from_its_front(
    studio, tmp_path, monkeypatch
):
    for places in (vrm.BONES, vrm.SIDE):
        for name, (parent, (x, y, z)) in places.items():
            monkeypatch.setitem(places, name, (parent, (-x, y, -z)))
    file = tmp_path / "models" / "turned.vrm"
    build(file)
    session, app = studio.session, studio.app
    assert session.open(file), session.log[-1].text
    studio.frames(2)
    skeleton = session.document.skeleton
    assert skeleton.forward == pytest.approx((0.0, 1.0, 0.0), abs=1e-4)
    assert app.viewport.eye.view().forward.y < -0.8
    session.dialog = ""
    (head,) = (joint for joint in skeleton.joints if joint.called == "head")
    session.select("joint", head.name)
    session.add_behaviour_here("look_at")
    nodes = session.document.parts.parts("nodes")
    ahead = nodes["look_at target"].values["pos"][1] - head.position[1]
    assert ahead == pytest.approx(skeleton.size, abs=1e-3)


def test_what_fails_is_said_in_the_picture(studio, monkeypatch):
    said = []
    draw = lambda lines, x, y, text, tone="text": said.append((text, tone))  # noqa: E731
    monkeypatch.setattr("ikrig.studio.view.viewport.label", draw)
    session = studio.session
    session.select("joint", "Head")
    session.make_chain()
    studio.frames(2)
    studio.key("m")
    studio.frames(2)
    assert said[-1] == ("Head has no other side: 'Head' has no mirrored joint", "bad")
    session.log.clear()
    studio.frames()
    assert said[-1][1] == "text"


def test_added_body_is_led_by_its_handles(studio):
    from ikrig.studio.document.changing import move_node

    session, live = studio.session, studio.session.live
    session.rig_limbs(live.limbs)
    studio.frames(3)
    head = session.live.part("nodes", "head target").get_pos()
    head -= p3d.LVector3f(0.0, 0.0, 0.1)
    session.do(move_node, "head target", tuple(head))
    session.select("")
    session.add_behaviour_here("full_body")
    studio.frames(20)
    # chains of limbs make way; the target in use leads on
    assert not session.document.parts.parts("chains")
    values = session.document.parts.parts("behaviours")["full_body"].values
    hands_and_feet = "left_hand", "right_hand", "left_foot", "right_foot"
    assert set(values["dormant"]) == {*hands_and_feet, "hips"}
    assert session.live.rig.nodes["head target"].get_pos().almost_equal(head, 1e-4)
    body = session.live.part("behaviours", "full_body")
    assert {body[name].weight for name in values["dormant"]} == {0.0}
    assert body["head"].weight == body.weight == 1.0
    # a handle that nobody has used is where its joint is
    for name in values["dormant"]:
        joint = live.actor_rig.skeleton.node(body[name].joint)
        assert body[name].target.get_distance(joint) < 1e-4
    hips = joint.get_pos(studio.app.render)
    x, y = studio.target("left_hand target")
    studio.drag((x, y), (x - 20.0, y + 14.0))
    studio.frames(20)
    values = session.document.parts.parts("behaviours")["full_body"].values
    assert set(values["dormant"]) == {*hands_and_feet[1:], "hips"}
    body = session.live.part("behaviours", "full_body")
    hand = session.live.actor_rig.skeleton.node(body["left_hand"].joint)
    assert body["left_hand"].target.get_distance(hand) < 0.01
    joint = session.live.actor_rig.skeleton.node(body["hips"].joint)
    assert (joint.get_pos(studio.app.render) - hips).length() > 0.01
    # with the body go the targets that were made for it
    session.select("behaviours", "full_body")
    session.remove_selected()
    assert not session.document.parts.parts("nodes")
