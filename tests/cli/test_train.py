"""``python -m ikrig train``: a solver for an arm from a file."""

from __future__ import annotations

import json
import sys

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from ikrig.cli.main import main
from ikrig.solvers import registry
from ikrig.solvers.learned.train import find_tool, robot_chain

ARM = "assets/models/six_axis.yaml"


@pytest.fixture
def trained(tmp_path, monkeypatch, capsys):
    """A module that was trained for a moment, and what was printed."""
    out = tmp_path / "trained_arm.py"
    words = ["train", ARM, "-o", str(out), "--steps", "3", "--goals", "4", "--json"]
    assert main(words) == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    # other tests go through all solvers that there are
    monkeypatch.setattr(registry, "_factories", {**registry._factories})
    yield json.loads(capsys.readouterr().out), out
    sys.modules.pop("trained_arm", None)


def test_trained_solver_is_available_by_name(trained):
    printed, out = trained
    assert printed["ok"] is True
    assert printed["tool"] == "tool"
    for name in ("learned", "dls"):
        assert printed[name]["reached_later"] == 4
        assert printed[name]["reached"] <= 4
        assert printed[name]["microseconds"] > 0.0
    __import__("trained_arm")
    model = ikrig.load_robot(ARM)
    world = p3d.NodePath("world")
    robot = ikrig.Robot(model, world)
    robot.root.set_pos_hpr(1, 2, 0, 30, 0, 0)
    robot.root.set_scale(2.0)
    chain = ikrig.IKChain(
        robot.body("tool"), 6, solver="trained_arm", orientation_weight=1.0
    )
    pose = ikrig.forward_kinematics(model, [0.3, 0.4, 0.9, 0.2, 0.7, 0.1])
    chain.target.set_pos(robot.root, *pose.xpos[-1])
    chain.iterations = 100
    assert chain.update(1.0 / 60.0).error < 2e-2
    # the same words and seed give the same file
    text = out.read_text(encoding="utf-8")
    assert main(["train", ARM, "-o", str(out), "--steps", "3", "--goals", "1"]) == 0
    assert out.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tool", "hand"], "--tool: six_axis has no site or body 'hand'"),
        (["--steps", "0"], "'0' is not a whole number from 1"),
        (["-o", "dls.py"], "the file's name is also the solver's"),
        (["-o", "my-arm.py"], "the file's name is also the solver's"),
        (["-o", "arm.txt"], "it must be .py"),
    ],
)
def test_invalid_arguments_are_reported(tmp_path, monkeypatch, capsys, words, message):
    out = [] if "-o" in words else ["-o", str(tmp_path / "a.py")]
    assert main(["train", ARM, *out, *words]) == 2
    assert message in capsys.readouterr().err


def test_only_serial_hinges_can_be_trained():
    def arm(**values):
        joints = [ikrig.Joint("a"), ikrig.Joint("b", **values)]
        bodies = [ikrig.Body("one", joints=joints[:1])]
        bodies += [ikrig.Body("two", "one", (0, 0, 1), joints=joints[1:])]
        bodies += [ikrig.Body("end", "two", (0, 0, 1))]
        return ikrig.RobotModel(bodies, name='a "name"\n')

    title, model, limits = robot_chain(arm(), "end")
    assert title == "end of a _name__"
    assert np.allclose(model.positions[-1], [0, 0, 2])
    assert isinstance(limits[1], ikrig.HingeLimit)
    for values in ({"kind": "slide"}, {"kind": "ball"}, {"mimic": "a"}):
        with pytest.raises(ikrig.ModelError, match="only hinges in a row"):
            robot_chain(arm(**values), "end")
    assert find_tool(arm()) == "end"
    two = ikrig.RobotModel([ikrig.Body("left"), ikrig.Body("right")], name="two")
    with pytest.raises(
        ikrig.SettingError, match="several ends: name its tool; available:"
    ):
        find_tool(two)
