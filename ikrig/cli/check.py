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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..clip import Clip
from ..errors import ClipFileError, Diagnostic, IkrigError
from ..formats.bvh import load_bvh
from ..formats.clip_yaml import load_clip
from ..formats.load_robot import load_robot
from ..formats.rig_file import read_rig_file
from ..formats.yaml_reader import Node, YamlFile
from . import model_summary
from .arguments import add_model, existing
from .file_types import KINDS, YAML, UnknownFileError, file_kind, files_in
from .plausibility import angle_warnings, bone_warnings
from .report import Document, Report
from .robot_summary import not_drawn
from .text_tables import counted

if TYPE_CHECKING:
    from ..scene.rig_builder import Rig

DESCRIPTION = str(__doc__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", type=existing, nargs="+", metavar="FILE", help="a file or a folder"
    )
    add_model(parser)
    parser.add_argument(
        "--no-scene",
        action="store_true",
        help="check rig files alone, without the joints and nodes that they name: for "
        "rigs whose model the game provides",
    )


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
    for line, column, message in sorted(found):
        warning = {"file": str(path), "line": line, "column": column}
        report.result["warnings"].append({**warning, "message": message})
        report.print_message(f"{path}:{line}:{column}: warning: {message}")
    if kind == "robot":
        missing = not_drawn(read)
        for message in missing:
            warning = {"file": str(path), "line": None, "column": None}
            report.result["warnings"].append({**warning, "message": message})
            report.print_message(f"{path}: warning: {message}")
        found += [Diagnostic(0, 0, message) for message in missing]
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
        return model_summary.describe(path)
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
