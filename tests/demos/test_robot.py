"""Robots from files: limbs, sliders, continuity, and errors."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ikrig
from demos import __main__
from demos._shared import catalogue, postures, robots
from demos._shared.app import DemoApp
from demos.robot import FASTEST, SOLVERS, Robot
from ikrig import Body, Joint, RobotModel, Site

LIMBED = """
bodies:
  - {name: world, geoms: [{kind: plane}, {kind: box, size: [0.1, 0.1, 0.01]}]}
  - {name: trunk, pos: [0, 0, 1], joints: [{name: loose, kind: free}],
     geoms: [{kind: box, size: [0.3, 0.1, 0.05]}]}
  - {name: left thigh, parent: trunk, pos: [0.3, 0.1, 0],
     joints: [{name: left hip, axis: y, range_deg: [-90, 90]}]}
  - {name: left shin, parent: left thigh, pos: [0, 0, -0.4],
     joints: [{name: left knee, axis: y, qpos0_deg: 20, range_deg: [-130, 130]}]}
  - {name: left foot, parent: left shin, pos: [0.1, 0, -0.4],
     joints: [{name: left ankle, axis: y, range_deg: [-40, 40]}],
     geoms: [{kind: box, size: [0.1, 0.05, 0.02], pos: [0, 0, -0.1]}]}
  - {name: right thigh, parent: trunk, pos: [0.3, -0.1, 0],
     joints: [{name: right hip, axis: y, range_deg: [-90, 90]}]}
  - {name: right shin, parent: right thigh, pos: [0, 0, -0.4],
     joints: [{name: right knee, axis: y, qpos0_deg: 20, range_deg: [-130, 130]}]}
  - {name: right foot, parent: right shin, pos: [0.1, 0, -0.4],
     joints: [{name: right ankle, axis: y, range_deg: [-40, 40]}],
     geoms: [{kind: box, size: [0.1, 0.05, 0.02], pos: [0, 0, -0.1]}]}
"""


@pytest.fixture
def demo(app: DemoApp, monkeypatch: pytest.MonkeyPatch) -> Robot:
    """Our own arm: what is shown where no robot is installed."""
    monkeypatch.setattr(robots, "_installed", lambda: iter(()))
    return open_robot(app, None)


def open_robot(app: DemoApp, file: Path | None) -> Robot:
    entry = catalogue.find("robot", catalogue.read())
    demo = app.open(replace(entry, file=file), 3)
    assert isinstance(demo, Robot)
    return demo


def in_ranges(demo: Robot) -> bool:
    low, high = demo.model.joint_ranges.T
    values = [joint.value for joint in demo.tree.joints.values()]
    pairs = zip(values, low, high, strict=True)
    return all(
        np.size(v) > 1 or a - 1e-6 <= v <= b + 1e-6  # free and ball joints have none
        for v, a, b in pairs
    )


def test_arm_follows_its_target_within_ranges(app: DemoApp, demo: Robot) -> None:
    assert [limb.tool for limb in demo.limbs] == ["tool"]
    first, furthest = demo.tree.qpos, 0.0
    for _ in range(round(demo.duration * 60)):
        app.step()
        tool, target = demo.tree.body("tool"), demo.targets[0]
        gap = (tool.get_pos(demo.stage) - target.get_pos()).length()
        assert gap < 0.01
        turn = tool.get_quat(demo.stage).conjugate() * target.get_quat()
        assert abs(turn.get_r()) > math.cos(0.5 * 0.02)
        assert in_ranges(demo)
        furthest = max(furthest, np.abs(demo.tree.qpos - first).max())
    assert furthest > 0.2


def test_sliders_set_joints_and_the_rig_continues_from_them(app, demo):
    app.step()
    sliders = {slider.label: slider for slider in demo.sliders()}
    assert list(sliders) == ["S", "L", "U", "R", "B", "T"]
    assert (sliders["L"].low, sliders["L"].high) == pytest.approx((-110, 130))
    for label, value in (("S", 40.0), ("U", 75.0), ("T", -200.0)):
        sliders[label].apply(value)
        wanted = demo.tree.qpos
        for _ in range(5):
            app.step()
        assert not demo.playing
        assert np.allclose(demo.tree.qpos, wanted, atol=1e-3)
        assert sliders[label].read is not None
        assert sliders[label].read() == pytest.approx(value, abs=0.1)
    # and by IK away from there
    demo.targets[0].set_z(demo.targets[0], -0.1)
    before = demo.tree.qpos
    for _ in range(60):
        app.step()
        # over another way of holding the tool, but never in one frame
        assert np.abs(demo.tree.qpos - before).max() <= FASTEST / 60.0 + 1e-6
        before = demo.tree.qpos
    assert demo.rig.result is not None
    assert demo.rig.result.error < 0.01
    assert np.abs(demo.tree.qpos - wanted).max() > 0.01


@pytest.mark.parametrize(
    ("bounds", "start"), [("", 5.0), ("range: [4, 9],", 5.0), ("", -800.0)]
)
def test_sliders_of_slides_keep_their_start_values(app, tmp_path, bounds, start):
    file = tmp_path / "lift.yaml"
    file.write_text(f"""
bodies:
  - {{name: lift, joints: [{{name: up, kind: slide, axis: z, {bounds} qpos0: {start}}}],
     geoms: [{{kind: box, size: [1, 1, 1]}}]}}
  - {{name: arm, parent: lift, pos: [0, 0, 1], joints: [{{name: turn, axis: y}}]}}
  - {{name: hand, parent: arm, pos: [1, 0, 0], joints: [{{name: bend, axis: y}}]}}
  - {{name: tip, parent: hand, pos: [1, 0, 0]}}
""")
    demo = open_robot(app, file)
    up = next(slider for slider in demo.sliders() if slider.label == "up")
    assert up.read is not None
    assert up.low < up.value < up.high
    assert up.read() == pytest.approx(up.value, rel=1e-6)
    if bounds:
        assert (up.low, up.high) == (4, 9)


def test_solvers_are_selected_in_sequence(app: DemoApp, demo: Robot) -> None:
    seen = [demo.rig.solver]
    while len(seen) == 1 or seen[-1] != seen[0]:
        demo.keys()["s"]()
        app.step()
        seen.append(demo.rig.solver)
    assert seen[:-1] == list(SOLVERS)


def test_limbs_are_one_tree(app: DemoApp, tmp_path: Path) -> None:
    file = tmp_path / "legs.yaml"
    file.write_text(LIMBED)
    demo = open_robot(app, file)
    assert isinstance(demo.rig, ikrig.IKTree)
    assert [limb.tool for limb in demo.limbs] == ["left foot", "right foot"]
    # the floor is the studio's
    around = demo.tree.body("world").get_children()
    assert [node.get_name() for node in around] == ["box shape"]
    trunk = demo.tree.body("trunk").get_mat(demo.stage)
    lifted = 0.0
    for _ in range(round(demo.duration * 60)):
        app.step()
        for limb, target, home in zip(
            demo.limbs, demo.targets, demo.homes, strict=True
        ):
            foot = demo.tree.body(limb.tool).get_pos(demo.stage)
            assert (foot - target.get_pos()).length() < 0.01
            lifted = max(lifted, foot.z - home.z)
        assert in_ranges(demo)
    assert lifted > 0.1
    assert demo.tree.body("trunk").get_mat(demo.stage).almost_equal(trunk, 1e-4)


def test_stride_is_what_a_limbs_joints_allow(tmp_path: Path) -> None:
    file = tmp_path / "legs.yaml"
    file.write_text(LIMBED)
    model = ikrig.load_robot(file)
    limbs = robots.limbs(model)
    qpos = postures.bent(model, limbs)
    for limb in limbs:
        offset = postures.stride(model, qpos, limb, limbs)
        # a standing leg is lifted, by a good part of its 0.8
        assert 0.15 < offset[2] < 0.4
        assert abs(offset[1]) < 1e-6
    # a finger that can do nothing but turn about z goes around it
    bodies = [
        Body("base"),
        Body("arm", "base", joints=[Joint("a", axis="z")]),
        Body("end", "arm", (0.5, 0, 0)),
    ]
    stiff = RobotModel(bodies)
    (limb,) = robots.limbs(stiff)
    offset = postures.stride(stiff, np.zeros(1), limb, [limb])
    assert abs(offset[2]) < 1e-9
    assert np.linalg.norm(offset + np.array([0.5, 0, 0])) == pytest.approx(
        0.5, abs=1e-3
    )
    assert np.linalg.norm(offset) > 0.1


def test_limbs_end_at_hands_not_fingers() -> None:
    def body(name: str, parent: str, kind: str = "hinge") -> Body:
        return Body(name, parent, pos=(0, 0, 1), joints=[Joint(f"{name} joint", kind)])

    arm = [
        body("a", "world"),
        body("b", "a"),
        body("c", "b"),
        Body("hand", "c"),
        Body("palm", "hand", pos=(0, 0, 0.1)),
    ]
    grips = [
        [],
        [body("jaw", "hand", "slide"), body("other jaw", "hand", "slide")],
        [body("thumb", "hand"), body("tip", "thumb"), body("finger", "hand")],
    ]
    for grip in grips:
        found = robots.limbs(RobotModel([*arm, *grip]))
        assert [(limb.tool, len(limb.joints)) for limb in found] == [("palm", 3)]


@pytest.mark.parametrize(
    ("names", "tool"),
    [
        (["hand"], "hand"),
        (["left_hand_2"], "left_hand_2"),
        (["tcp", "hand"], "tcp"),
        (["hand", "tcp"], "tcp"),
        (["hand_finger"], "c"),
        (["handle"], "c"),
    ],
)
def test_site_called_hand_is_the_tool_unless_another_is(names, tool):
    sites = [Site(name, (0, 0, 0.2 + k)) for k, name in enumerate(names)]
    first = Body("b", pos=(0, 0, 1), joints=[Joint("shoulder", axis="y")])
    last = Body("c", "b", (0, 0, 1), joints=[Joint("elbow", axis="y")], sites=sites)
    (limb,) = robots.limbs(RobotModel([first, last]))
    assert (limb.tool, limb.site) == (tool, tool != "c")


def hopper(rail: tuple[float, float] | None) -> RobotModel:
    """A leg that moves in the plane y = 0, on slides of this range."""
    slides = [Joint(f"root {axis}", "slide", axis, range=rail) for axis in "xz"]
    return RobotModel(
        [
            Body("torso", joints=[*slides, Joint("root turn", axis="y")]),
            Body("leg", "torso", (0, 0, -0.5), joints=[Joint("hip", axis="y")]),
            Body("shin", "leg", (0, 0, -0.5), joints=[Joint("knee", axis="y")]),
            Body("foot", "shin", (0.1, 0, -0.5)),
        ]
    )


def test_unlimited_slides_are_not_part_of_a_limb() -> None:
    model = hopper(None)
    (limb,) = robots.limbs(model)
    assert [model.joint_names[j] for j in limb.joints] == ["hip", "knee"]
    assert robots.roaming(model) == {0, 1, 2}
    # a gantry has ends
    model = hopper((-1.0, 1.0))
    assert robots.roaming(model) == set()
    (limb,) = robots.limbs(model)
    assert len(limb.joints) == 5


@pytest.mark.parametrize("kind", ["leg", "arm", "fixed"])
def test_robot_that_stands_on_its_tool_is_shown_standing(app, tmp_path, kind):
    """A hopper stands on its foot; an arm on a cart and what is mounted reach up."""
    down = 1.0 if kind == "arm" else -1.0
    cart = "joints: [{name: loose, kind: free}], " if kind != "fixed" else ""
    sphere = "geoms: [{kind: sphere, size: [0.1, 0, 0]}]"
    file = tmp_path / "hopper.yaml"
    file.write_text(f"""
bodies:
  - {{name: torso, pos: [0, 0, 2], {cart}{sphere}}}
  - {{name: thigh, parent: torso, pos: [0, 0, {down / 2}],
     joints: [{{name: hip, axis: y}}], {sphere}}}
  - {{name: shin, parent: thigh, pos: [0, 0, {down / 2}],
     joints: [{{name: knee, axis: y}}], {sphere}}}
  - {{name: foot, parent: shin, pos: [0, 0, {down / 2}],
     joints: [{{name: ankle, axis: y}}], {sphere}}}
  - {{name: toe, parent: foot, pos: [0.1, 0, 0]}}
""")
    demo = open_robot(app, file)
    assert demo.lone
    torso, foot = (demo.tree.body(b).get_pos(demo.stage) for b in ("torso", "foot"))
    assert (foot.z < torso.z) is (kind == "leg")
    if kind == "leg":
        # on the floor, whichever ball of it is the lowest
        low, _ = demo.tree.root.get_tight_bounds(demo.stage)
        assert low.z == pytest.approx(0.0, abs=1e-4)


def test_mocap_marker_is_not_part_of_the_standing_robot(app, tmp_path):
    file = tmp_path / "marked.yaml"
    mark = "- {name: mark, mocap: true, geoms: [{kind: box, size: [0.01, 0.01, 3]}]}"
    file.write_text(LIMBED)
    bare = open_robot(app, file)
    trunk, view = bare.tree.body("trunk").get_mat(bare.stage), bare.view
    file.write_text(f"{LIMBED}  {mark}\n")
    demo = open_robot(app, file)
    assert demo.tree.body("trunk").get_mat(demo.stage).almost_equal(trunk, 1e-4)
    assert demo.view == view
    low, high = demo.tree.body("mark").get_tight_bounds(demo.stage)
    assert low.z < -1.0 < 1.0 < high.z  # it is drawn, through the floor


@pytest.mark.parametrize(("axis", "flat"), [("y", True), ("z", False)])
def test_planar_arm_is_recognized(axis: str, flat: bool) -> None:
    bodies = [
        Body("base", joints=[Joint("first", axis=axis)]),
        Body("arm", "base", (0, 0, 1), joints=[Joint("second", axis="y")]),
        Body("end", "arm", (0, 0, 1), joints=[Joint("third", axis="y")]),
        Body("tip", "end", (0, 0, 1)),
    ]
    model = RobotModel(bodies)
    (limb,) = robots.limbs(model)
    found = postures.stance(model, limb, (1.0, 0.0), np.random.default_rng(1))
    assert found.flat is flat


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("robot no.urdf", "no.urdf"),
        ("robot no.yaml", "no.yaml: No such file"),
        ("chain robot.urdf", "chain takes no FILE, but robot.urdf was given"),
    ],
)
def test_unsupported_robot_is_one_line(arguments, words, capsys):
    assert __main__.main([*arguments.split(), "--offscreen", "--frames", "1"]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("demos: ")
    assert words in line


def test_robot_without_joints_is_one_line(tmp_path, capsys):
    file = tmp_path / "stone.yaml"
    file.write_text("bodies: [{name: stone}]")
    arguments = ["robot", str(file), "--offscreen", "--frames", "1"]
    assert __main__.main(arguments) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "stone has no joints to move" in line


def test_keys_jog_the_tool(demo: Robot):
    keys = demo.keys()
    target = demo.targets[0]
    demo.playing = False
    for key, axis, side in (("i", 0, 1), ("l", 1, -1), ("n", 2, -1)):
        before = target.get_pos()
        keys[key]()
        assert not demo.playing
        for _ in range(30):
            demo.update(1.0 / 60.0)
        offset = target.get_pos() - before
        assert side * offset[axis] == pytest.approx(0.35 * 8 / 60, abs=0.35 * 1.1 / 60)
        assert offset.length() == pytest.approx(abs(offset[axis]), abs=1e-5)
    turn = target.get_quat()
    keys["shift-o"]()
    demo.update(1.0 / 60.0)
    assert not target.get_quat().almost_equal(turn, 1e-3)
    assert "world" in [note.value for note in demo.notes()]
    keys["t"]()
    assert "tool" in [note.value for note in demo.notes()]
