"""Every argument of a public call works or is refused in one clear sentence.

Engine-free calls only: each argument of each is replaced by each value of ``JUNK``.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import ikrig
from ikrig import solvers
from ikrig.errors import shown
from ikrig.solvers import registry
from tests.fuzz.calls import CALLS
from tests.fuzz.junk import JUNK

# plain data that no call checks by itself, errors, and what reads files or sockets
PLAIN = {"Blocked", "ClipValues", "Event", "JointKind", "Diagnostic", "SolveResult"}
PLAIN |= {"SolveStatus", "Solver", "RobotPose", "ArmPath", "ArmResult", "COMPILED"}
PLAIN |= {"RobotBatch", "Goal", "PoseClip"}
OUTSIDE = {"dump_clip", "load_clip", "save_clip", "FunctionSource", "JointFeed"}
OUTSIDE |= {"RecordingSource", "StreamSource", "TcpClientSource", "TcpSource"}
OUTSIDE |= {"SerialSource", "UdpSource", "load_robot", "load_bvh"}


def public() -> Iterator[tuple[str, Any]]:
    for module in (ikrig, solvers):
        for name in module.__all__:
            found = getattr(module, name)
            error = isinstance(found, type) and issubclass(found, Exception)
            engine = getattr(found, "__module__", "").startswith(
                ("ikrig.scene", "ikrig.studio")
            )
            if not error and not engine and name not in PLAIN | OUTSIDE:
                yield name, found


@pytest.mark.parametrize(("name", "found"), [*public()])
def test_table_has_every_public_call_and_argument(name, found):
    _, given = CALLS[name]
    assert set(inspect.signature(found).parameters) == set(given)


@pytest.mark.parametrize("name", CALLS)
def test_valid_arguments_work(name, monkeypatch):
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))
    call, given = CALLS[name]
    if name == "SolveSettings":
        given = {}
    if name == "LearnedSolver":
        pytest.skip("knows one arm only")
    call(**given)


# they speak of another argument that no longer fits, or of what is inside of one
FITTED = {"ChainModel", "SkeletonModel", "LearnedSolver", "TwoBoneSolver"}
FITTED |= {"SixAxisSolver"}
FITTED |= {"set qpos", "set mocap_pos", "set mocap_quat"}
INSIDE = {"an event must be", "time of a key", "has no track"}


def fault(name: str, argument: str, value: Any, message: str) -> str:
    """Return the fault of a message, or ""."""
    if "\n" in message or not 10 < len(message) < 1000:
        return "is not one sentence"
    named = {argument, shown(value)[:40], *INSIDE}
    if name not in FITTED and not any(part in message for part in named):
        return "names neither argument nor value"
    return ""


@pytest.mark.parametrize("name", CALLS)
def test_junk_arguments_work_or_give_one_clear_error(name, monkeypatch):
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))
    call, given = CALLS[name]
    good = {} if name == "SolveSettings" else given
    wrong = []
    for argument in given:
        for junk, make in JUNK.items():
            value = make()
            try:
                call(**{**good, argument: value})
            except ikrig.IkrigError as error:
                found = fault(name, argument, value, str(error))
            except Exception as error:
                found = f"raised {type(error).__name__}: {error}"
            else:
                found = ""
            if found:
                wrong.append(f"{argument} = {junk}: {found}"[:200])
    assert not wrong, f"{len(wrong)} of them:\n" + "\n".join(wrong)
