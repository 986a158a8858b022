"""Checks of the installation before any test runs, and a summary of it afterwards."""

from __future__ import annotations

import gc
import os
import shlex
import shutil
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import hypothesis
import pytest

# in a checkout this fails if sources are newer than the compiled kernels
from ikrig.kernels import COMPILED

from .bench.matrices import MATRICES

if TYPE_CHECKING:
    from direct.task.Task import TaskManager

    from .scene.actor.stage import Stage

# how long an example takes is the machine's matter, not the code's; and the suite draws
# the same examples in every run: `python -m tests.fuzz` looks for new ones
hypothesis.settings.register_profile("fixed", deadline=None, derandomize=True)
hypothesis.settings.load_profile("fixed")


def compiler() -> str | None:
    """Return the C compiler that an installation would use here."""
    words = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cl")
    return shutil.which(words[0])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="of each test function run the first case and every Nth after it",
    )
    parser.addoption(
        "--whole",
        action="store_true",
        help="run all cases of the matrices in tests/bench/matrices.py, not a sample",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    # millions of objects are made and most of them stay: to look through them for
    # garbage, again and again, would be a third of the work, and later that of a test
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    every, whole = config.getoption("every"), config.getoption("whole")
    seen: Counter[str] = Counter()
    kept, dropped = [], []
    for item in items:
        function = item.nodeid.partition("[")[0]
        case = seen[function]
        seen[function] += 1
        step = every if whole else max(every, MATRICES.get(function, 1))
        (dropped if case % step else kept).append(item)
    if dropped:
        items[:] = kept
        config.hook.pytest_deselected(items=dropped)


def pytest_configure(config: pytest.Config) -> None:
    if sys.dont_write_bytecode and not hasattr(config, "workerinput"):
        # some hundred processes would compile all that they import, each anew; nothing
        # is written into the tree for that
        folder = tempfile.TemporaryDirectory(prefix="ikrig-bytecode-")
        config.add_cleanup(folder.cleanup)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = folder.name
    wanted = os.environ.get("IKRIG_INTERPRETED", "0") in ("", "0")
    if wanted and not COMPILED and compiler():
        raise pytest.UsageError(
            f"no kernel is compiled, though there is {compiler()}: build them with "
            "`pip install -e .`, or set IKRIG_INTERPRETED=1 to test them as Python"
        )


def pytest_unconfigure(config: pytest.Config) -> None:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    # worker processes have none
    if reporter and not COMPILED:
        reporter.write_line("ikrig's kernels ran interpreted", yellow=True)


@pytest.fixture
def stage() -> Iterator[Stage]:
    """Actors on a manual clock, without a window and ShowBase."""
    from .scene.actor.stage import Stage

    made = Stage()
    yield made
    made.close()


@pytest.fixture
def task_mgr() -> Iterator[TaskManager]:
    """A task manager of its own: nothing of another test runs in it."""
    from direct.task.Task import TaskManager
    from panda3d.core import AsyncTaskManager

    made = TaskManager()
    made.mgr = AsyncTaskManager("test")
    yield made
    made.mgr.cleanup()


@pytest.fixture(autouse=True, scope="module")
def _nothing_outlives_its_module() -> Iterator[None]:
    """Stop rigs that a module leaves running: all modules share one task manager.

    And forget composed transforms: those of a rope of 800 nodes would cost each frame
    of all later tests 25 ms, in which Panda3D looks among them for some to free.
    """
    yield
    panda3d = sys.modules.get("panda3d.core")
    if panda3d:
        panda3d.TransformState.clear_cache()
    tasks = sys.modules.get("direct.task.TaskManagerGlobal")
    if tasks:
        from ikrig.scene.ik.system import IKSystem

        system = IKSystem.of(tasks.taskMgr)
        for rig in system.rigs:
            system.remove(rig)


@pytest.fixture(scope="session")
def can_draw() -> None:
    """Skip what draws where no graphics library is installed."""
    from ikrig.scene.viewer import display

    display.configure()
    if display.find(display.Surface.OFFSCREEN).surface is display.Surface.NONE:
        pytest.skip(display.NO_PIPE)
