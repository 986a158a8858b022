"""The mutants themselves: reproducible, valid, and never in the tree."""

from __future__ import annotations

import ast
from contextlib import nullcontext
from pathlib import Path
from typing import ClassVar

import pytest

from . import __main__ as command
from .area import ROOT, Area
from .areas import AREAS, mutants_of
from .sites import find_mutants
from .workshop import ServerDiedError, Workshop

EXAMPLE = '''\
"""Text 1 + 1."""

from __future__ import annotations

NAMES: dict[str, int] = {}


def last(values: list[float], count: int | None = None) -> float:
    """Return -1."""
    total = 0.0
    for i in range(len(values) - 1):
        if values[i] < -total and not count:
            total += max(2.0 * values[i + 1], 1e-300)
            NAMES["x"] = i
    if not values:
        raise ValueError(f"{1 + 1} values")
    return total


def is_last(values: list[float], count: int) -> int:
    """Return 1 or 0."""
    assert count == 0
    stats.start()
    for _, value in zip(values, values[1:].reshape(-1, 3), strict=True):
        if value:
            return 0
    return 1


class Row:
    if not TYPE_CHECKING:
        __slots__ = ()

    def last(self) -> float:
        raise NotImplementedError
'''


def test_every_mistake_is_made_and_no_text_or_type_is_touched():
    found = find_mutants("example.py", EXAMPLE, indices=True)
    assert [(m.line, str(m)) for m in found] == [
        (10, "constant: 0.0 -> 1.0"),
        (11, "bound: len(values) - 1 -> (len(values) - 1 + 1)"),
        (11, "bound: len(values) - 1 -> (len(values) - 1 - 1)"),
        (11, "operator: len(values) - 1 -> (len(values) + 1)"),
        (11, "constant: 1 -> 2"),
        (12, "comparison: values[i] < -total -> (values[i] >= -total)"),
        (
            12,
            "and/or: values[i] < -total and not count -> "
            "(values[i] < -total or not count)",
        ),
        (12, "index: i -> (i + 1)"),
        (12, "sign: -total -> (total)"),
        (12, "condition: not count -> (count)"),
        (13, "dropped: total += max(2.0 * values[i + 1], 1e-300) -> pass"),
        (
            13,
            "operator: total += max(2.0 * values[i + 1], 1e-300) -> "
            "total -= max(2.0 * values[i + 1], 1e-300)",
        ),
        (13, "min/max: max -> min"),
        (13, "constant: 2.0 -> 4.0"),
        (13, "operator: 2.0 * values[i + 1] -> (2.0 / values[i + 1])"),
        (13, "index: i + 1 -> (i + 1 + 1)"),
        (13, "operator: i + 1 -> (i - 1)"),
        (13, "constant: 1 -> 2"),
        (14, 'dropped: NAMES["x"] = i -> pass'),
        (15, "condition: not values -> (values)"),
        (16, 'dropped: raise ValueError(f"{1 + 1} values") -> pass'),
        (24, "constant: 1 -> 2"),
        (24, "index: 1 -> (1 + 1)"),
        (24, "constant: 3 -> 4"),
        (25, "condition: value -> (not value)"),
        (26, "constant: 0 -> 1"),
        (27, "constant: 1 -> 0"),
    ]
    for mutant in found:
        changed = mutant.apply(EXAMPLE.encode())
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(EXAMPLE))


def test_zeros_of_a_new_compiled_object_stay():
    source = "class A:\n    def __init__(self):\n        self.a = self.b = 0.0\n"
    source += "        self.c = 1\n    def reset(self):\n        self.a = 0.0\n"
    for kernel in (True, False):
        found = find_mutants("example.py", source, indices=kernel)
        dropped = [m.line for m in found if m.kind == "dropped"]
        assert dropped == ([4, 6] if kernel else [3, 4, 6])
        assert [m.line for m in found if m.kind == "constant"] == [3, 4, 6]


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.name)
def test_each_area_has_sources_and_tests(area: Area):
    assert area.files()
    for test in area.tests:
        assert (ROOT / test).exists()


def test_a_seed_gives_the_same_mutants_of_every_area():
    few = [
        "ikrig/character/foot_planner.py",
        "ikrig/kernels/source/fabrik_sweep.py",
        "feed",
    ]
    first = command.pick(3, 20, few)
    assert first == command.pick(3, 20, few)
    assert first != command.pick(4, 20, few)
    assert [area.name for area, _ in first[:3]] == ["chain", "feet", "feed"]
    assert len({mutant for _, mutant in first}) == 20


def test_what_survived_is_found_again_in_its_table():
    pairs = command.pick(5, 6, ["ikrig/feed/*", "ikrig/kernels/source/foot_ground.py"])
    ends = ("tests/x.py::test", "", "", "tests/y.py", "", "hangs: z")
    table = "".join(
        command.Outcome(mutant, end, 1.0, "").row + "\n"
        for (_, mutant), end in zip(pairs, ends, strict=True)
    )
    found = command.survivors(table)
    assert {pairs[k] for k in (1, 2, 4)} <= set(found)
    assert not {pairs[k] for k in (0, 3, 5)} & set(found)


def test_what_is_called_equivalent_is_still_there():
    known = command.equivalents()
    for file in {file for file, _, _ in known}:
        there = {command.key(mutant) for mutant in mutants_of(file)}
        assert {entry for entry in known if entry[0] == file} <= there
    assert all(len(reason) > 20 for reason in known.values())


CRASH = """\
import os

def test_null():
    os.write(1, b"\\nFatal error\\n")
    os.abort()
"""


def test_a_mutant_is_caught_in_a_copy_and_the_copy_is_mended(tmp_path):
    path = "ikrig/math3d/quaternion.py"
    source = ROOT / path
    before, shop = source.read_bytes(), Workshop(tmp_path / "copy")
    mutant = next(
        m
        for m in find_mutants(path, before.decode(), indices=False)
        if m.text.startswith("twice =") and m.kind == "operator"
    )
    with shop.changed(mutant) as refused:
        assert refused == ""
        assert (shop.root / mutant.path).read_bytes() == mutant.apply(before)
        assert shop.test(["tests/math3d/test_quaternion.py"]).startswith(
            "tests/math3d/test_quaternion.py"
        )
    assert (shop.root / mutant.path).read_bytes() == before == source.read_bytes()
    assert shop.test(["tests/math3d/test_quaternion.py"]) == ""
    (shop.root / "tests/test_crash.py").write_text(CRASH)
    found = shop.test(["tests/test_crash.py"])
    assert found.startswith("SIGABRT: tests/test_crash.py::test_null")
    shop.close()


DEADLY = """\
import json, os, pathlib, signal, sys

print("ready", flush=True)
for line in sys.stdin:
    deaths = pathlib.Path("deaths").read_text()
    if deaths:
        pathlib.Path("deaths").write_text(deaths[1:])
        if deaths[0] == "r":
            print("started", os.getpid(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    open(json.loads(line)["log"], "w").close()
    print(f"started {os.getpid()}\\nended 0", flush=True)
"""


def test_dead_servers_are_restarted_once(tmp_path: Path):
    shop = Workshop(tmp_path / "copy")
    (shop.root / "tests/mutants/server.py").write_text(DEADLY)
    deaths = shop.root / "deaths"
    # idle, or while tests are running
    for once in ("i", "r"):
        deaths.write_text(once)
        assert shop.test(["tests"]) == ""
        assert deaths.read_text() == ""
    deaths.write_text("ri")
    with pytest.raises(ServerDiedError, match="exit code -9"):
        shop.test(["tests"])
    # what comes next is tested as if nothing had happened
    assert shop.test(["tests"]) == ""
    shop.close()


def test_runs_with_dead_servers_end_with_a_report(monkeypatch, capsys):
    pairs = command.pick(5, 3, ["feed"])

    class Dying:
        longest = 0.0
        seconds: ClassVar[dict[str, float]] = {}

        def __init__(self, folder: Path) -> None:
            self.count = 0

        def changed(self, mutant: object) -> nullcontext[str]:
            return nullcontext("")

        def test(self, tests: object, *args: object, **options: object) -> str:
            self.count += 1
            if self.count == 3:
                raise ServerDiedError("the server of the tests died: exit code -9")
            return "" if self.count == 1 else "tests/x.py::test"

        def close(self) -> None:
            pass

    monkeypatch.setattr(command, "Workshop", Dying)
    found = list(command.run(pairs, 1, command.Notes(None)))
    assert [outcome.caught_by for outcome in found] == [
        "tests/x.py::test",
        "",
        "tests/x.py::test",
    ]
    assert "untested: the server of the tests died" in found[1].row
    assert command.report(found, 5, 0.0) == 1
    assert "exit code -9" in capsys.readouterr().out
