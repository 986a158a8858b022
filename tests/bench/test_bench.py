"""Every benchmark runs and reaches its targets; no timing is judged here."""

from __future__ import annotations

import json
import subprocess
import sys
from math import isfinite
from pathlib import Path

import panda3d.core as p3d
import pytest
from direct.task import Task

from tests.bench import __main__ as command
from tests.bench import arms, timing
from tests.bench.scenes import WORK, SolverWork

ROOT = Path(__file__).parents[2]


@pytest.fixture
def task_mgr():
    manager = Task.TaskManager()

    def collect(task: Task.Task) -> int:
        # ShowBase's own task does this
        p3d.TransformState.garbage_collect()
        return Task.cont

    manager.add(collect, "collect", sort=46)
    yield manager
    manager.remove("collect")


@pytest.mark.parametrize("name", WORK)
def test_the_work_runs_and_succeeds(name, task_mgr):
    work = WORK[name].tiny()
    if isinstance(work, SolverWork):
        tables = [timing.time_solver(work, 2)]
    else:
        tables = [
            timing.time_scene(work, 2, task_mgr),
            timing.split_scene(work, 2, task_mgr),
        ]
    assert tables[0]["success %"] == 100.0
    for figures in tables:
        assert all(isfinite(value) for value in figures.values())
    assert all(v > 0.0 for k, v in tables[0].items() if k.endswith(" us"))


@pytest.mark.parametrize("how", [[], ["--interpreted"]])
def test_saved_figures_can_be_compared(tmp_path, how):
    file = tmp_path / "figures.json"
    words = ["fabrik_2", "scene_1x4", "--tiny", "--profile", "--repeat", "2", *how]
    first = subprocess.run(
        [sys.executable, "-m", "tests.bench", *words, "--save", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "fabrik_2" in first.stdout
    saved = json.loads(file.read_text())
    assert saved["scene"]["scene_1x4"]["success %"] == 100.0
    if how:
        assert saved["header"]["COMPILED"] is False


def test_ratios_to_itself_are_one(tmp_path, capsys):
    file, again = tmp_path / "old.json", tmp_path / "new.json"
    words = ["fabrik_2", "--tiny", "--repeat", "2"]
    assert command.main([*words, "--save", str(file)]) == 0
    assert command.main([*words, "--save", str(again), "--compare", str(file)]) == 0
    assert "new / old" in capsys.readouterr().out
    report = json.loads(file.read_text())
    command.print_ratios(report, report)
    assert capsys.readouterr().out.split()[-2:] == ["1.00", "1.00"]


def test_an_unknown_name_says_what_there_is(capsys):
    with pytest.raises(SystemExit):
        command.main(["nothing"])
    assert "scene_1x4" in capsys.readouterr().err


def test_the_arms_are_timed(capsys):
    assert arms.main(["--poses", "20", "--repeat", "1"]) == 0
    assert "ikrig solve_all, batch" in capsys.readouterr().out
