"""Every benchmark runs and reaches its targets; timings are not checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from math import isfinite
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import panda3d.core as p3d
import pytest
from direct.task import Task

from tests import conftest
from tests.bench import __main__ as command
from tests.bench import (
    actors,
    attach,
    courses,
    crowd,
    followers,
    frames,
    gaze,
    hitches,
)
from tests.bench.matrices import MATRICES
from tests.bench.peers import __main__ as peers
from tests.bench.peers import bodies
from tests.bench.peers.candidate import Candidate

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


@pytest.mark.parametrize("name", command.WORK)
def test_benchmarks_run_and_reach_their_targets(name):
    figures = command.measure(replace(command.WORK[name], count=10), 2)
    assert figures["success %"] == 100.0
    assert all(isfinite(value) for value in figures.values())
    assert all(v > 0.0 for k, v in figures.items() if k.endswith(" us"))


def test_behaviours_are_timed_on_top_of_their_rig():
    figures = gaze.run(3)
    assert list(figures) == ["rig", "LookAt", "Aim", "Reach", "chain"]
    assert all(map(isfinite, figures.values()))


def test_followers():
    found = followers.run(2, 2)
    assert len(found) == 5
    assert all(map(isfinite, found.values()))


def test_attaching_is_timed():
    assert all(len(times) == 4 for times in attach.run(4).values())


def test_feet_are_measured_over_courses():
    figures = courses.measure("humanoid", "kerb", 30.0)
    assert len(figures) == len(courses.HEADS) and all(map(isfinite, figures))
    # as animated it would be as deep in the kerb as this is high
    without = courses.measure("humanoid", "kerb", 30.0, placed=False)
    assert figures[2] < 1.0 < without[2]


def test_changes_of_the_order_are_timed(capsys):
    assert hitches.main(["--chains", "24", "--rounds", "1", "--bound", "1e9"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == len(hitches.Crowd.CHANGES)


def test_frames_are_compared_with_their_node_calls(task_mgr):
    figures = frames.run(2, 3, 1, 2, task_mgr)
    assert all(isfinite(value) and value > 0.0 for value in figures.values())
    assert figures["moving/floor"] == figures["moving us"] / figures["floor us"]


def test_interpreted_kernels_are_timed_in_a_process_of_their_own(tmp_path):
    file = tmp_path / "figures.json"
    words = ["fabrik_2", "--tiny", "--repeat", "2"]
    first = subprocess.run(
        [sys.executable, "-m", "tests.bench", *words, "--save", str(file)],
        cwd=ROOT,
        env={**os.environ, "IKRIG_INTERPRETED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "fabrik_2" in first.stdout
    saved = json.loads(file.read_text())
    assert saved["solver"]["fabrik_2"]["success %"] == 100.0
    assert saved["header"]["COMPILED"] is False


def test_ratios_to_the_same_results_are_one(tmp_path, capsys):
    file, again = tmp_path / "old.json", tmp_path / "new.json"
    words = ["fabrik_2", "--tiny", "--repeat", "2"]
    assert command.main([*words, "--save", str(file)]) == 0
    assert command.main([*words, "--save", str(again), "--compare", str(file)]) == 0
    assert "new / old" in capsys.readouterr().out
    report = json.loads(file.read_text())
    command.print_ratios(report["solver"], report["solver"])
    assert capsys.readouterr().out.split()[-2:] == ["1.00", "1.00"]


def test_unknown_name_lists_available_ones(capsys):
    with pytest.raises(SystemExit):
        command.main(["nothing"])
    assert "fabrik_2" in capsys.readouterr().err


def test_crowds_are_timed_beside_actors(capsys):
    assert crowd.main(["--members", "1", "20", "--frames", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [len(line.split()) for line in lines[1:]] == [10, 10]
    assert all(float(x) >= 0.0 for line in lines[1:] for x in line.split())


@pytest.mark.parametrize("name", bodies.WORK)
def test_peer_benchmark_runs_with_ikrig_alone(name, monkeypatch, capsys):
    gone = Candidate("some library", None, package="some-library", module="no_such")
    monkeypatch.setattr(peers, "LIBRARIES", [gone])
    assert peers.main([name, "--goals", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "left out: some library (pip install some-library)" in lines[1]
    figures = {line[:17].strip(): line[17:].split() for line in lines}
    assert figures["ikrig dls"][:2] == ["2", "100.0"]


def test_peers_are_checked_by_forward_kinematics_and_limits():
    work = bodies.WORK["planar"]().take(3)
    rng = np.random.default_rng(0)
    pose = rng.uniform(-1.0, 1.0, (3, 6))
    heading = np.cumsum(pose, axis=1)
    tip = np.stack([np.cos(heading).sum(1), np.sin(heading).sum(1), [0, 0, 0]], 1)
    goals = np.tile(np.eye(4), (3, 1, 1, 1))
    goals[:, 0, :3, 3] = tip
    goals[1, 0, 2, 3] += 2e-3
    # the third is elsewhere, with a joint beyond 60°
    pose[2, 0] = 1.1
    work = replace(work, goals=goals)
    reached, inside = work.judge(pose)
    assert reached.tolist() == [True, False, False]
    assert inside.tolist() == [True, True, False]
    # whole turns are the same pose
    assert work.judge(pose + 2 * np.pi)[1].tolist() == inside.tolist()


def test_hinges_replacing_cones_stay_within_them():
    work = bodies.WORK["cones"]().take(1)
    rng = np.random.default_rng(1)
    lower, upper = work.hinged.limits.T
    corners = np.where(rng.random((200, 20)) < 0.5, lower, upper)
    balls = np.array([work.unhinged(angles) for angles in corners])
    assert np.abs(work.excess(balls)).max() < 1e-9
    tips = work.forward(balls), work.hinged.forward(corners)
    assert np.allclose(*tips, atol=1e-12)


def test_table_is_drawn_as_a_picture(tmp_path):
    pytest.importorskip("matplotlib", reason="needs matplotlib (extra: bench)")
    assert peers.main(["published", "--goals", "1", "--plot", str(tmp_path)]) == 0
    assert (tmp_path / "peers_published.png").stat().st_size > 10_000


def test_actors_are_timed():
    figures = actors.ratios(1, 8)
    assert list(figures) == ["plain us", *list(actors.KINDS)[1:]]
    assert all(isfinite(value) and value > 0.0 for value in figures.values())
    assert actors.standing(12) > 0.0
    # Python's own part of it: neither depends on the machine
    assert 0.0 < actors.heap_blocks(4) <= 520.0
    assert actors.calls(actors.limbs) <= 15
    assert actors.calls(actors.limbs_without_weight) <= 5
    assert actors.calls(actors.without_layer) < actors.calls(actors.limbs)
    assert min(actors.attaching("Aim", 2)) > 0.0


@pytest.mark.parametrize("function", MATRICES)
def test_matrices_are_functions_of_tests(function):
    path, _, name = function.partition("::")
    assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("whole", "every", "kept"), [(False, 1, 10), (True, 1, 30), (True, 9, 4)]
)
def test_default_run_takes_a_sample_of_a_matrix(whole, every, kept):
    function = "tests/solvers/test_contract.py::test_moving_the_root_moves_the_chain"
    assert MATRICES[function] == 3
    items = [SimpleNamespace(nodeid=f"{function}[{k}]") for k in range(30)]
    others = [SimpleNamespace(nodeid="tests/x.py::test_x")]
    given, dropped = others + items, []
    config = SimpleNamespace(
        getoption={"whole": whole, "every": every}.get,
        hook=SimpleNamespace(pytest_deselected=lambda items: dropped.extend(items)),
    )
    conftest.pytest_collection_modifyitems(config, given)
    assert given[:2] == [*others, items[0]] and len(given) == 1 + kept
    assert len(dropped) == 30 - kept
