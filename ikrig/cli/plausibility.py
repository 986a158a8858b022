"""Warnings about values that are valid but probably unintended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.linalg import norm

from ..errors import Diagnostic, FileError
from ..formats.rig_file import read_rig_file
from ..formats.yaml_reader import Node, YamlFile
from ..model.limits import BallLimit, ConeLimit

if TYPE_CHECKING:
    from ..scene.rig_builder import Rig

LIMITS = re.compile("(range|twist|half_angles|most|lower|upper|limits|eye_limits)_deg")
FULL = 2.01 * pi
USUAL = [k * pi / 12 for k in (2, 3, 4, 6, 8, 9, 10, 12, 18, 24)]
"""Angles that are most often written in radians: 30 and 45 degrees and so on."""


def angle_warnings(path: Path) -> Iterator[Diagnostic]:
    """Yield a warning for each key in degrees whose value looks like radians.

    Such values are 1.57 or 3.1416, and ranges of limits that are very small and not
    whole numbers. They may be intended, so this is only a warning.
    """
    waiting: list[Node] = [node for node in [YamlFile(path, FileError).root] if node]
    while waiting:
        node = waiting.pop()
        parts: list[Any] = node.content if node.kind != "value" else []
        if node.kind == "list":
            waiting += parts
            continue
        for key, value in parts:
            found = [part for part in _numbers(value) if float(part.content) != 0.0]
            if not key.text.endswith("_deg"):
                waiting.append(value)
            elif found and all(abs(part.content) <= FULL for part in found):
                narrow = LIMITS.fullmatch(key.text)
                odd = [
                    part
                    for part in found
                    if _looks_like_radians(part, whole=bool(narrow))
                ]
                if odd:
                    text = f"{key.text} is in degrees, and {odd[0].text} looks like "
                    yield Diagnostic(odd[0].line, odd[0].column, f"{text}radians")


def bone_warnings(rig: Rig) -> Iterator[Diagnostic]:
    """Yield a warning for each two joints at one position that turn about any axis.

    Joints with fixed axes are fine: robots often nest them at one position.
    """
    parts = read_rig_file(rig.path).parts
    solved: dict[tuple[str, str], Any] = {
        **{("chains", name): chain for name, chain in rig.chains.items()},
        **{("trees", name): tree for name, tree in rig.trees.items()},
    }
    for (section, name), one in solved.items():
        key = parts.parts(section)[name].positions[""]
        lengths = norm(one.model.offsets, axis=1)
        names = [node.get_name() for node in one.bones]
        for i, parent in enumerate(one.model.parents):
            limit = one.limits.get(names[parent], one.limits.get(int(parent)))
            if parent < 0 or lengths[i] > 1e-6 * lengths.max() or not _rotations(limit):
                continue
            text = f"bone {names[parent]!r} of {name!r} has no length: {names[i]!r}"
            yield Diagnostic(key.line, key.column, f"{text} has the same position")


def _rotations(limit: object) -> bool:
    return limit is None or isinstance(limit, (BallLimit, ConeLimit))


def _looks_like_radians(node: Node, *, whole: bool) -> bool:
    """Return whether a number looks like radians; in limits any that is not whole."""
    value, digits = abs(node.content), len(node.text.partition(".")[2])
    if whole and not float(value).is_integer():
        return True
    return digits >= 2 and any(abs(value - a) <= 0.51 * 10**-digits for a in USUAL)


def _numbers(node: Node) -> Iterator[Node]:
    """Yield the numbers in a value; of mappings only those in their values."""
    if node.kind == "value":
        if type(node.content) in (int, float) and isfinite(node.content):
            yield node
        return
    for part in node.content:
        if node.kind == "list":
            yield from _numbers(part)
        elif part[0].text not in ("curve", "then"):
            yield from _numbers(part[1])
