"""Records of the inputs of the gallery's loops, from which tests detect stale loops.

``loops.json`` has for each loop a hash of all its inputs, and the positions of nodes
at two of its moments. Neither needs drawing.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TypedDict

import numpy as np
import panda3d.core as p3d
from numpy.typing import NDArray

from demos._shared.app import DemoApp
from demos._shared.catalogue import ASSETS, DEMOS, Entry
from demos._shared.loops import FOLDER, Loop

RECORDS = FOLDER / "loops.json"
PARTS = 1e4
"""Steps of positions per size of the scene."""
MOST_MARKS = 40
PANELS = (
    *("app", "banner", "browser", "catalogue", "cli", "contact_sheet", "controls"),
    *("dials", "file_panel", "focus", "gallery", "help_bar", "hud", "joint_sliders"),
    *("layout", "offscreen", "scroll_panel", "table", "theme", "time_rows", "timeline"),
)
"""Modules of ``demos/_shared`` that are not visible in a loop."""


class Record(TypedDict):
    """The record of one loop.

    Attributes:
        inputs: Hash of its inputs.
        positions: Positions of nodes at its moments.
    """

    inputs: str
    positions: list[list[int]]


def read() -> dict[str, Record]:
    """Return the records of all loops, by name."""
    if not RECORDS.exists():
        return {}
    records: dict[str, Record] = json.loads(RECORDS.read_text(encoding="utf-8"))
    return records


def renew(app: DemoApp, loops: Iterable[tuple[Loop, Entry]]) -> None:
    """Write the records of given loops, and keep all others.

    Args:
        app: An app that draws nothing.
        loops: The loops and their demos.
    """
    records = read()
    for loop, entry in loops:
        found = positions(app, loop, entry)
        records[loop.name] = {"inputs": fingerprint(loop), "positions": found}
    lines = (f" {json.dumps(name)}: {json.dumps(records[name])}" for name in records)
    RECORDS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def fingerprint(loop: Loop) -> str:
    """Return a short hash that changes with anything that a loop shows."""
    modules, files = inputs(loop.demo)
    made_of = [repr(loop), *(_code(path) for path in modules)]
    made_of += [sha256(path.read_bytes()).hexdigest() for path in files]
    return sha256("\n".join(made_of).encode()).hexdigest()[:16]


def inputs(demo: str) -> tuple[list[Path], list[Path]]:
    """Return the modules and asset files that a demo depends on.

    Modules are those that it imports from ``demos``, except panels; files are
    those whose names appear in the modules or in one of these files.
    """
    modules, todo = set(), [DEMOS / f"{demo}.py"]
    while todo:
        path = todo.pop()
        if path not in modules:
            modules.add(path)
            todo += _imports(path)
    words = {word for path in modules for word in _words(path)}
    files: set[Path] = set()
    while found := {path for path in _assets() if _named(path, words)} - files:
        files |= found
        texts = [path for path in found if path.suffix == ".yaml"]
        words |= {w for path in texts for w in _words(path)}
    return sorted(modules), sorted(files)


@cache
def _assets() -> tuple[Path, ...]:
    folders = (ASSETS / name for name in ("clips", "models", "rigs"))
    return tuple(
        path
        for folder in folders
        for path in sorted(folder.iterdir())
        if path.suffix in (".yaml", ".bam", ".json")
    )


def _named(path: Path, words: set[str]) -> bool:
    return path.name in words or path.stem in words


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    """Return the modules of ``demos`` that one imports, except panels."""
    found = re.findall(
        r"^from demos\._shared(?:\.(\w+))? import (.*)",
        path.read_text("utf-8"),
        re.MULTILINE,
    )
    names = {
        word
        for module, imported in found
        for word in ([module] if module else re.findall(r"\w+", imported))
    }
    paths = (DEMOS / "_shared" / f"{name}.py" for name in sorted(names - {*PANELS}))
    return tuple(other for other in paths if other.exists())


@cache
def _words(path: Path) -> frozenset[str]:
    """Return the words in a module's string literals or in a YAML file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".yaml":
        return frozenset(re.findall(r"[\w.]+", re.sub("#.*", "", text)))
    constants = (
        node for node in ast.walk(_tree(path)) if isinstance(node, ast.Constant)
    )
    texts = (node.value for node in constants if isinstance(node.value, str))
    return frozenset(word for text in texts for word in re.findall(r"[\w.]+", text))


@cache
def _code(path: Path) -> str:
    """Return a module's code without comments and docstrings."""
    return ast.dump(_tree(path))


@cache
def _tree(path: Path) -> ast.Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            rest = [
                line
                for line in node.body
                if not isinstance(line, ast.Expr)
                or not isinstance(line.value, ast.Constant)
            ]
            node.body = rest or [ast.Pass()]
    return tree


def positions(app: DemoApp, loop: Loop, entry: Entry) -> list[list[int]]:
    """Return positions at a loop's two moments, in ``PARTS`` of the scene's size."""
    demo = app.open(entry)
    found = []
    for frame in range(loop.moments[-1] + 1):
        app.step(draw=False)
        if frame in loop.moments:
            marks = _marks(demo.stage)
            found.append(np.rint(PARTS * marks).astype(int).ravel().tolist())
    return found


def _marks(stage: p3d.NodePath) -> NDArray[np.float64]:
    """Return points on nodes and joints of a scene, in units of its size."""
    nodes = stage.find_all_matches("**")
    points: list[p3d.LVecBase3] = [node.get_pos(stage) for node in nodes]
    for node in stage.find_all_matches("**/+Character"):
        space = node.get_mat(stage)
        character = node.node()
        assert isinstance(character, p3d.Character)
        for joint in _joints(character.get_bundle(0)):
            matrix = p3d.LMatrix4()
            joint.get_net_transform(matrix)
            points.append(space.xform_point(matrix.get_row3(3)))
    every = np.array([tuple(point) for point in points])
    chosen = every[np.linspace(0, len(every) - 1, MOST_MARKS).astype(int)]
    size = float(np.abs(every).max()) or 1.0
    return np.asarray(chosen / size)


def _joints(group: p3d.PartGroup) -> list[p3d.CharacterJoint]:
    own = [group] if isinstance(group, p3d.CharacterJoint) else []
    children = (group.get_child(i) for i in range(group.get_num_children()))
    return own + [joint for child in children for joint in _joints(child)]
