"""Behaviours of Actors in rig files: created, written, reloaded and refused."""

from __future__ import annotations

from math import degrees, radians
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig
from tests.scene.actor.people import angle, net

ROOT = Path(__file__).parents[2]

RIG = """\
nodes:
  ball: {pos: [1, -2, 1.8]}
  cup: {pos: [0.25, -0.25, 1.2]}
  lens: {parent: RightHand, pos: [0, 0.1, 0.02]}
  hint: {pos: [1, 0.5, 0.8]}
chains:
  foot: {leaf: LeftFoot, weight: 0}
behaviours:
  gaze:
    kind: look_at
    target: ball
    joints:
      Neck: 2
      Head: 4
    limits_deg: [70, 70, 40, 40]
    weight: 0.75
  steps: {kind: feet, ground: floor, max_tilt_deg: 30}
  beam:
    kind: aim
    pointer: lens
    target: ball
    joints:
      Spine2: 1
      RightArm: 4
    axis: [0, 1, 0]
    limits_deg: [90, 90, 60, 60]
    seconds: 0.1
  whole: {kind: full_body}
  grab:
    kind: reach
    solver: dls
    limits:
      LeftForeArm: {kind: ball, most_deg: 150}
    iterations: 30
    hand: LeftHand
    target: cup
    pole: hint
    body: whole
    orientation_mode: target
    order: -1
"""


class Figure:
    """The humanoid on a floor that is 5 cm up, with a rig of this file."""

    def __init__(self, folder: Path, text: str = RIG) -> None:
        self.scene = p3d.NodePath("scene")
        self.actor = Actor(str(ROOT / "assets" / "models" / "humanoid.bam"))
        self.actor.reparent_to(self.scene)
        floor = p3d.CollisionNode("floor")
        floor.add_solid(p3d.CollisionPlane(p3d.LPlane(0, 0, 1, -0.05)))
        self.scene.attach_new_node(floor)
        self.file = folder / "rig.yaml"
        self.file.write_text(text)
        self.rig = ikrig.load_rig(self.file, self.actor)

    def run(self, seconds: float = 1.5) -> None:
        for _ in range(round(60 * seconds)):
            self.rig.actor_rig.update(1 / 60)

    def reload(self, text: str) -> None:
        self.file.write_text(text)
        self.rig.reload()

    def place(self, joint: str) -> p3d.LPoint3f:
        """Where Panda3D itself has a joint that is drawn, in the scene."""
        point = net(self.actor, joint).get_row3(3)
        return self.scene.get_relative_point(self.actor, p3d.LPoint3f(point))


@pytest.fixture
def figure(tmp_path):
    return Figure(tmp_path)


def test_behaviours_of_files_work(figure):
    rig, scene = figure.rig, figure.scene
    made = {name: type(one) for name, one in rig.behaviours.items()}
    assert made == {
        "gaze": ikrig.LookAt,
        "steps": ikrig.FootPlacement,
        "beam": ikrig.Aim,
        "whole": ikrig.FullBody,
        "grab": ikrig.Reach,
    }
    gaze, grab = rig.behaviours["gaze"], rig.behaviours["grab"]
    assert gaze.target == rig.nodes["ball"] and gaze.weight == 0.75
    assert rig.behaviours["steps"].max_tilt == pytest.approx(radians(30))
    assert (grab.chain.solver, grab.chain.iterations) == ("dls", 30)
    assert grab.chain.limits == {"LeftForeArm": ikrig.BallLimit(radians(150))}
    assert grab.chain.pole == rig.nodes["hint"] and grab.order == -1
    head = p3d.LQuaternionf()
    head.set_from_matrix(net(figure.actor, "Head"))
    figure.run()
    turned = p3d.LQuaternionf()
    turned.set_from_matrix(net(figure.actor, "Head"))
    assert (head.conjugate() * turned).get_angle() > 10.0
    assert figure.place("LeftFoot").z == pytest.approx(0.085 + 0.05, abs=0.01)
    assert (figure.place("LeftHand") - rig.nodes["cup"].get_pos(scene)).length() < 2e-3
    lens, ball = rig.nodes["lens"], rig.nodes["ball"]
    to = ball.get_pos(scene) - lens.get_pos(scene)
    ahead = scene.get_relative_vector(lens, p3d.LVector3f(0, 1, 0))
    assert degrees(angle(ahead, to)) < 0.5


def test_unchanged_behaviours_continue_after_a_reload(figure):
    rig = figure.rig
    before, layers = dict(rig.behaviours), len(rig.actor_rig.layers)
    # as the game has set it
    before["grab"].target = rig.nodes["ball"]
    figure.reload(
        RIG.replace("[70, 70,", "[50, 50,").replace("weight: 0}", "order: 1}")
    )
    now = rig.behaviours
    assert [name for name in now if now[name] is not before[name]] == ["gaze"]
    assert now["gaze"].weight == 0.75
    assert now["grab"].target == rig.nodes["ball"]
    assert len(rig.actor_rig.layers) == layers
    figure.reload("chains:\n  hand: {leaf: LeftHand}\n")
    assert not rig.behaviours and len(rig.actor_rig.layers) == 1


@pytest.mark.parametrize(
    ("there", "instead", "changed"),
    [
        ("parent: RightHand", "parent: RightForeArm", ["beam"]),
        ("RightArm: 4", "RightArm: 5", ["beam"]),
        ("most_deg: 150", "most_deg: 140", ["grab"]),
        ("pole: hint", "pole: ball", ["grab"]),
        ("whole: {", "whole: {hips_weight: 0.5, ", ["whole", "grab"]),
        ("max_tilt_deg: 30", "max_tilt_deg: 31", ["steps"]),
        ("pos: [0.25, -0.25, 1.2]", "pos: [0.25, -0.3, 1.2]", []),
    ],
)
def test_changed_behaviours_are_replaced_by_a_reload(figure, there, instead, changed):
    figure.run(0.5)
    before = dict(figure.rig.behaviours)
    assert there in RIG
    figure.reload(RIG.replace(there, instead))
    now = figure.rig.behaviours
    assert [name for name in now if now[name] is not before[name]] == changed
    figure.run(0.1)
    assert all(np.isfinite(figure.place(j)).all() for j in figure.rig.actor_rig.joints)


MISTAKES = [
    ("kind: look_at", "kind: look", 10, "did you mean 'look_at'"),
    ("target: ball", "target: bal", 11, "there is no node 'bal'"),
    ("Head: 4", "Hed: 4", 14, "no joint 'Hed': did you mean 'Head'"),
    ("[70, 70, 40, 40]", "[70, 70]", 15, "four angles: left, right, up, down"),
    ("[70, 70, 40, 40]", "[200, 70, 40, 40]", 15, "left must be an angle"),
    ("ground: floor", "ground: flor", 17, "there is no node 'flor'"),
    ("ground: floor", "ground: [0]", 17, "ground must be the name of a node or a hei"),
    ("ground: floor", "stance: walk", 17, "stance must be an animation and its frame"),
    ("ground: floor", "stance: [walk, -1]", 17, "stance must be an animation and its"),
    ("ground: floor", "ground: 0, stance: [wlk, 3]", 17, "no clip 'wlk': did you mean"),
    ("max_tilt_deg: 30", "max_tilt_deg: 300", 17, "max_tilt_deg must be an angle"),
    ("    pointer: lens\n", "", 18, "aim of 'beam' needs pointer"),
    ("pointer: lens", "pointer: lans", 20, "no node 'lans': did you mean 'lens'"),
    ("pointer: lens", "pointer: hint", 20, "hint is not below the last of jo"),
    ("RightArm: 4", "RightArm: -4", 24, "joints of 'RightArm' must be a number of"),
    ("RightArm: 4", "LeftArm: 4", 20, "lens is not below the last of joints"),
    ("Spine2: 1", "RightHand: 1", 24, "joints: 'RightArm' is not below"),
    ("[0, 1, 0]", "[0, 0, 0]", 25, "axis must be a direction, not 0"),
    ("[0, 1, 0]", "[0, .nan, 0]", 25, "axis must be three numbers"),
    ("seconds: 0.1", "second: 0.1", 27, "did you mean 'seconds'"),
    ("seconds: 0.1", "seconds: soon", 27, "seconds must be a number of at least 0"),
    ("solver: dls", "solver: dsl", 31, "did you mean 'dls'"),
    ("LeftForeArm: {", "LeftForearm: {", 33, "did you mean 'LeftForeArm'"),
    ("LeftForeArm: {", "RightHand: {", 33, "limits: 'RightHand' is not a joint here"),
    ("kind: ball", "kind: bal", 33, "kind must be .* did you mean 'ball'"),
    ("iterations: 30", "match_rotation: true", 34, "reach of 'grab' has no key"),
    ("hand: LeftHand", "hand: LeftHnd", 35, "no joint 'LeftHnd': did you mean"),
    ("target: cup", "target: cap", 36, "target: there is no node 'cap'"),
    ("pole: hint", "pole: hnt", 37, "pole: there is no node 'hnt'"),
    ("body: whole", "body: hole", 38, "no full_body 'hole' above: did you mean"),
    ("body: whole", "body: gaze", 38, "body must be a FullBody of .*, not <LookAt"),
    ("orientation_mode: target", "orientation_mode: tip", 39,
     "orientation_mode must be one of"),
    ("hand: LeftHand", "hand: LeftHand\n    root_joint: Spin", 36, "'Spin'"),
]  # fmt: skip


@pytest.mark.parametrize(("there", "instead", "line", "message"), MISTAKES)
def test_errors_of_behaviours_are_reported(figure, there, instead, line, message):
    rig, layers = figure.rig, figure.rig.actor_rig.layers
    assert there in RIG
    with pytest.raises(ikrig.RigFileError, match=message) as caught:
        figure.reload(RIG.replace(there, instead, 1))
    assert [mistake.line for mistake in caught.value.diagnostics] == [line]
    assert "\n" not in str(caught.value)
    # and all goes on as it was
    assert rig.actor_rig.layers == layers and len(rig.behaviours) == 5


def test_behaviours_need_an_actor(tmp_path):
    file = tmp_path / "rig.yaml"
    file.write_text(
        "nodes: {lens: {}, ball: {}}\nbehaviours:\n"
        "  beam: {kind: aim, pointer: lens, target: ball, joints: {c: 1}}\n"
    )
    with pytest.raises(ikrig.RigFileError, match=r":3:3: .*a behaviour needs an Actor"):
        ikrig.load_rig(file, parent=p3d.NodePath("scene"))
