"""Demos that load their rigs from files: what they load, and what remains."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from demos import __main__
from demos._shared import catalogue
from demos._shared.app import DemoApp
from demos._shared.demo import RIGS
from demos.chain import Tentacle

BUILT = ("creature", "limits", "robot_arm")
"""Demos whose rigs are made of nodes."""
ON_ACTORS = ("panda", "walker")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the rigs, which the demos load instead."""
    copy = tmp_path / "rigs"
    shutil.copytree(RIGS, copy)
    monkeypatch.setattr("demos._shared.demo.RIGS", copy)
    return copy


@pytest.mark.parametrize("name", BUILT + ON_ACTORS)
def test_demos_leave_nothing_behind(app: DemoApp, name: str) -> None:
    demo = app.open(catalogue.find(name, catalogue.read()))
    app.step()
    system = ikrig.IKSystem.of(app.task_mgr)
    rig: ikrig.Rig = demo.rig  # type: ignore[attr-defined]
    assert rig in system.rigs
    app.close()
    assert rig.root.is_empty()
    assert system.rigs == ()


@pytest.mark.parametrize("name", BUILT)
def test_demos_continue_when_the_rig_file_is_saved(app, folder, name):
    demo = app.open(catalogue.find(name, catalogue.read()))
    rig: ikrig.Rig = demo.rig  # type: ignore[attr-defined]
    rig.watch = True
    app.step()
    before = demo.chains()
    file = folder / f"{name}.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("name:", "# saved again\nname:"), encoding="utf-8")
    for _ in range(3):
        app.step()
    (_, now), (_, was) = demo.chains()[0], before[0]
    assert now is not was
    assert now.result is not None
    assert rig.errors == ""


def test_invalid_rig_file_is_one_line(folder, capsys, monkeypatch):
    file = folder / "robot_arm.yaml"
    text = file.read_text(encoding="utf-8").replace("pole: pole", "pole: poll")
    file.write_text(text, encoding="utf-8")
    monkeypatch.setenv("IKRIG_DISPLAY", "no-such-library")
    assert __main__.main(["robot_arm", "--offscreen", "--frames", "1"]) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith(f"demos: {file}:")
    assert "did you mean 'pole'" in error


def test_tentacles_file_matches_the_demo(app: DemoApp) -> None:
    demo = app.open(catalogue.find("chain", catalogue.read()))
    assert isinstance(demo, Tentacle)
    scene = p3d.NodePath("scene")
    rig = ikrig.load_rig(RIGS / "tentacle.yaml", parent=scene)
    ours, theirs = demo.chain, rig.chains["tentacle"]
    assert np.allclose(ours.model.positions, theirs.model.positions, atol=1e-5)
    assert ours.settings.roll_from == theirs.settings.roll_from
    assert rig.nodes["base"].get_pos() == demo.base.get_pos(demo.stage)
