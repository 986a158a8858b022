"""The kernels of an installation, compiled or interpreted."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ikrig.kernels
from ikrig.kernels import KERNELS

FOLDER = Path(ikrig.kernels.__file__).parent

needs_compiled = pytest.mark.skipif(
    not ikrig.COMPILED, reason="the kernels are not compiled here: no C compiler"
)


def test_all_lists_of_kernels_agree():
    names = sorted(KERNELS)
    lists = [
        [alias.name for alias in node.names]
        for path in (FOLDER, FOLDER / "source")
        for node in ast.walk(ast.parse((path / "__init__.py").read_text()))
        if isinstance(node, ast.ImportFrom) and node.level and len(node.names) > 1
    ]
    assert lists == [names, names]
    # the build compiles what lies in the folder
    assert sorted(path.stem for path in FOLDER.glob("source/[!_]*.py")) == names
    assert sorted(path.stem for path in FOLDER.glob("*.pxd")) == names


def test_no_sources_lie_beside_compiled_kernels():
    # Panda3D's FreezeTool would take it in their place
    assert [path.name for path in FOLDER.glob("*.py")] == ["__init__.py"]


HIDE = """
import sys
from importlib.machinery import PathFinder
class Others(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        package, _, last = name.rpartition(".")
        if package != "ikrig.kernels" or last not in {names!r}:
            return super().find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(PathFinder)] = Others
"""
SOLVE = """
import ikrig, ikrig.kernels, ikrig.kernels.fabrik_sweep as kernel
solver = ikrig.FabrikSolver(ikrig.ChainModel([[0,0,0],[0,0,1],[0,1,2],[1,1,2]]))
solver.solve([1, 0, 1])
assert type(solver._kernel).__module__ == kernel.__name__
assert ikrig.kernels.fabrik_sweep is kernel
print(ikrig.COMPILED, kernel.__name__, solver.positions.tobytes().hex())
"""


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


@needs_compiled
def test_one_installation_runs_compiled_and_interpreted():
    compiled = run(SOLVE, IKRIG_INTERPRETED="0").stdout.split()
    chosen = run(SOLVE, IKRIG_INTERPRETED="1").stdout.split()
    absent = run(HIDE.format(names=list(KERNELS)) + SOLVE).stdout.split()
    assert compiled[:2] == ["True", "ikrig.kernels.fabrik_sweep"]
    assert chosen[:2] == ["False", "ikrig.kernels.source.fabrik_sweep"]
    assert absent == chosen
    assert chosen[2] == compiled[2]


@needs_compiled
def test_partly_compiled_kernels_are_refused():
    done = run(HIDE.format(names=["fabrik_sweep"]) + SOLVE)
    assert "ikrig's kernels are compiled only in part" in done.stderr
    assert "cannot import name 'fabrik_sweep'" in done.stderr
    assert "pip install --force-reinstall" in done.stderr


@needs_compiled
def test_kernels_older_than_their_source_are_reported_in_checkout(tmp_path):
    copy = tmp_path / "ikrig" / "kernels"
    shutil.copytree(FOLDER, copy)
    shutil.copy2(FOLDER.parent / "__init__.py", copy.parent)

    def said() -> str:
        done = run(
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import ikrig.kernels"
        )
        assert done.returncode == 0, done.stderr
        return done.stderr

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/package_page.py").touch()
    now = time.time()
    for path in copy.glob("**/*"):
        os.utime(path, (now, now))
    assert said() == ""
    for name in ("source/fabrik_sweep.py", "codes.pxd"):
        os.utime(copy / name, (now + 1, now + 1))
    assert "compiled before codes.pxd, fabrik_sweep.py changed" in said()
    assert "pip install -e ." in said()
    # a wheel's files beside a game of any age
    (tmp_path / "docs/package_page.py").unlink()
    assert said() == ""


STARTED = """
import panda3d.core as p3d
p3d.load_prc_file_data("", "notify-level-ikrig {level}")
from direct.task.Task import TaskManager
import ikrig
node = p3d.NodePath("world")
for name in "abc":
    node = node.attach_new_node(name)
    node.set_z(1)
for _ in range(2):
    ikrig.IKChain(node, 2).start(TaskManager())
"""


@pytest.mark.parametrize(("level", "lines"), [("info", 1), ("warning", 0)])
def test_missing_compiled_kernels_are_reported_once(level, lines):
    said = run(STARTED.replace("{level}", level), IKRIG_INTERPRETED="1")
    assert said.returncode == 0, said.stderr
    assert (said.stdout + said.stderr).count("kernels run as Python") == lines


@needs_compiled
def test_missing_kernels_cause_a_warning():
    code = HIDE.format(names=list(KERNELS)) + STARTED.replace("{level}", "warning")
    said = run(code, IKRIG_INTERPRETED="0")
    assert said.returncode == 0, said.stderr
    assert (said.stdout + said.stderr).count("kernels run as Python") == 1


@needs_compiled
def test_compiled_kernels_cause_no_warning():
    said = run(STARTED.replace("{level}", "info"), IKRIG_INTERPRETED="0")
    assert said.returncode == 0, said.stderr
    assert (said.stdout + said.stderr) == ""
