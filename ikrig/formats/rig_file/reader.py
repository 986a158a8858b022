"""Reads a rig file into plain data and collects its errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...errors import RigFileError, SettingError
from ..part import Part
from ..schema import read_file
from ..yaml_reader import YamlFile, without_collection
from .behaviour_fields import BEHAVIOUR, limits_joints
from .limit_fields import make_limit
from .sections import FILE


class RigDocument(NamedTuple):
    """A rig file as plain data."""

    file: YamlFile
    """Collects errors; those found while the scene is built, too."""
    parts: Part
    """The content of the file, in the layout of ``sections.FILE``."""


@without_collection()
def read_rig_file(path: str | Path, text: str | None = None) -> RigDocument:
    """Read a rig file without looking up its names in a scene.

    Only YAML syntax errors are raised here. All others are collected: call
    ``file.check()`` once the scene's own errors have been added.
    """
    file = YamlFile(path, RigFileError, text)
    parts = read_file(file, FILE, "a rig needs chains, trees, bodies or nodes")
    parts.values.setdefault("name", file.path.stem)
    _check_names(file, parts)
    _check_parents(file, parts)
    for part in _solved(parts):
        for limit in part.parts("limits").values():
            try:
                make_limit(limit)
            except SettingError as error:
                file.report_error(limit.positions[""], str(error))
                part.complete = False
    return RigDocument(file, parts)


def _solved(parts: Part) -> Iterator[Part]:
    for section in ("chains", "trees"):
        yield from parts.parts(section).values()
    for part in parts.parts("behaviours").values():
        # ``limits`` of other behaviours are not limits of joints
        if limits_joints(BEHAVIOUR.kinds[part.values["kind"]]):
            yield part


def _check_names(file: YamlFile, parts: Part) -> None:
    nodes, bodies = parts.parts("nodes"), parts.parts("bodies")
    for name in nodes.keys() & bodies.keys():
        file.report_error(
            bodies[name].positions[""],
            f"{name!r} is the name of both a node and a body",
        )
        parts.complete = False
    taken = dict.fromkeys(parts.parts("chains"), "a chain")
    for tree in parts.parts("trees").values():
        for name, effector in tree.parts("effectors").items():
            if name in taken:
                text = f"effector {name!r} has the same name as {taken[name]}"
                file.report_error(effector.positions[""], text)
                tree.complete = False
            taken[name] = "another effector"


def _check_parents(file: YamlFile, parts: Part) -> None:
    placed = {**parts.parts("bodies"), **parts.parts("nodes")}
    done: set[str] = set()
    for name in placed:
        direction: list[str] = []
        above: object = name
        while above in placed and above not in done and above not in direction:
            direction.append(above)
            above = placed[above].values.get("parent")
        if above in direction:
            loop = direction[direction.index(above) :]
            text = " -> ".join(repr(part) for part in [*loop, above])
            file.report_error(
                placed[loop[0]].positions["parent"], f"the parents form a cycle: {text}"
            )
            parts.complete = False
        done.update(direction)
