"""Check rigs, clips and robot descriptions for errors.

Each error is reported with file, line and column. The content of a file decides its
type: a clip has tracks, a robot description has bodies, a rig has chains, trees,
nodes or a model; URDF and MJCF files are recognized by their ending. A folder is
checked with everything below it.

Values that are valid but probably unintended, such as radians in a key in degrees or a
bone of no length, give a warning, which changes neither "ok" nor the exit code. So do
parts of a robot that can't be drawn, such as a missing mesh.

With one RIG and any number of CLIPS given by name, each clip is also checked against
the rig: whether the rig has all parts that the clip moves.

examples:
  python -m ikrig check assets
  python -m ikrig check arm.yaml wave.yaml
  python -m ikrig check hero.yaml --model hero.bam
  python -m ikrig check hero.yaml --no-scene
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from math import isfinite, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.linalg import norm

from ..clip import Clip
from ..errors import ClipFileError, Diagnostic, FileError, IkrigError
from ..formats.bvh import load_bvh
from ..formats.clip_yaml import load_clip
from ..formats.load_robot import load_robot
from ..formats.rig_file import read_rig_file
from ..formats.yaml_reader import Node, YamlFile
from ..model.limits import BallLimit, ConeLimit
from .arguments import add, add_model, existing
from .file_types import KINDS, YAML, UnknownFileError, file_kind, files_in
from .report import Document, Report
from .summaries import counted, not_drawn

if TYPE_CHECKING:
    from ..scene.rig_builder import Rig

DESCRIPTION = str(__doc__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "files", "a file or a folder", existing, nargs="+", metavar="FILE")
    add_model(parser)
    text = (
        "check rig files alone, without the joints and nodes that they name: for "
        "rigs whose model the game provides"
    )
    parser.add_argument("--no-scene", action="store_true", help=text)


def run(options: argparse.Namespace, report: Report) -> None:
    found: list[Document] = []
    report.result["files"] = found
    rigs: list[Rig] = []
    report.result["warnings"] = []
    clips: list[tuple[Path, Clip, Document, str]] = []
    for given in options.files:
        for path in files_in(given) if given.is_dir() else [given]:
            entry: Document = {"file": str(path), "kind": None, "ok": False}
            try:
                kind = entry["kind"] = file_kind(path)
                read = _read(kind, path, options)
            except UnknownFileError as error:
                if path is not given:
                    report.print_message(
                        f"{path}: skipped: not a rig, clip or robot description"
                    )
                    continue
                report.report_error(error)
            except IkrigError as error:
                report.report_error(error, path)
            else:
                entry["ok"] = True
                hints = _warn(kind, path, read, report)
                if path is given and kind == "rig" and read is not None:
                    rigs.append(read)
                if path is given and kind == "clip":
                    # the rig to check it against may come later
                    clips.append((path, read, entry, hints))
                else:
                    report.print_result(f"{path}: {KINDS[kind]}, {hints}")
            found.append(entry)
    for path, clip, entry, hints in clips:
        fits = ""
        if len(rigs) == 1:
            entry["ok"] = _fits(path, clip, rigs[0], report)
            fits = f", fits {rigs[0].path}"
        if entry["ok"]:
            report.print_result(f"{path}: {KINDS['clip']}, {hints}{fits}")
    if not found:
        report.print_message("no files to check")
    wrong = sum(not entry["ok"] for entry in found)
    if len(found) > 1:
        report.print_result(f"{len(found)} files, {wrong} with errors")


def _warn(kind: str, path: Path, read: Any, report: Report) -> str:
    """Report valid but implausible values; return a summary of the warnings."""
    found = [*angle_warnings(path)] if path.suffix.lower() in YAML else []
    if kind == "rig" and read is not None:
        found += bone_warnings(read)
    found.sort()
    if kind == "robot":
        found += [Diagnostic(0, 0, message) for message in not_drawn(read)]
    for line, column, message in found:
        warning = {"file": str(path), "line": line or None, "column": column or None}
        report.result["warnings"].append({**warning, "message": message})
        place = f"{path}:{line}:{column}" if line else path
        report.print_message(f"{place}: warning: {message}")
    return f"no errors, {counted(len(found), 'warning')}" if found else "no errors"


def _read(kind: str, path: Path, options: argparse.Namespace) -> Any:
    """Return the content of a file: a clip, a loaded rig, a robot model..."""
    if kind == "clip":
        return load_clip(path)
    if kind == "robot":
        return load_robot(path, allow=options.allow)
    if kind == "rig" and options.no_scene:
        read_rig_file(path).file.check()
        return None
    if kind == "model":
        from ..scene.rig_builder.summary import summary

        return summary(path)
    if kind == "capture":
        return load_bvh(path)
    from ..scene.rig_builder import load_rig

    return load_rig(path, options.model, allow=options.allow)


def _fits(path: Path, clip: Clip, rig: Rig, report: Report) -> bool:
    """Return whether a rig has all that a clip's tracks move; report missing parts."""
    from ..scene.animation import check_clip

    positions = _source_nodes(path)
    errors = []
    for track in clip.tracks:
        alone = Clip(clip.name, [track], duration=clip.duration or None)
        node = positions.get(track.address)
        line, column = (node.line, node.column) if node else (0, 0)
        errors += [Diagnostic(line, column, text) for text in check_clip(alone, rig)]
    if errors:
        report.report_error(ClipFileError(path, errors))
    return not errors


def _source_nodes(path: Path) -> dict[tuple[str, str], Node]:
    file = YamlFile(path, ClipFileError)
    assert file.root is not None
    entries = file.pairs(file.root, "the file")
    parts = file.pairs(entries["tracks"][1], "tracks") if "tracks" in entries else {}
    return {
        (part, word.removesuffix("_deg")): key
        for part, (_, channels) in parts.items()
        for word, (key, _) in file.pairs(channels, part).items()
    }


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
