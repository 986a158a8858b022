"""Print the content of a file.

A rig: chains with their bones, targets, poles and limits; trees, behaviours, bodies.
A clip: tracks with their keys, events, duration. A robot (YAML, URDF, MJCF): bodies and
joints with axes and ranges. A model (egg, bam, glTF): the tree of joints, animations,
size, and the limbs that ikrig.ActorRig.auto would rig. A file with only an animation:
its frames, and the number of its joints. A motion capture (BVH): its joints, frames,
and what had to be guessed.

examples:
  python -m ikrig info arm.yaml
  python -m ikrig info hero.bam
  python -m ikrig info robot.urdf --json
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ..formats.bvh import load_bvh
from ..formats.clip_yaml import load_clip
from ..formats.load_robot import load_robot
from . import clip_summary, model_summary, rig_summary, robot_summary
from .arguments import add_capture, add_model, existing_file
from .file_types import file_kind
from .report import Document, Report, about
from .text_tables import indented, number, section

DESCRIPTION = str(__doc__)

Answer = tuple[Document, list[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=existing_file, metavar="FILE", help="any file")
    add_model(parser)
    add_capture(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    path, kind = options.file, file_kind(options.file)
    with about(path):
        found, lines = _READERS[kind](path, options)
    report.result |= {"file": str(path), "kind": kind, **found}
    report.print_result("\n".join(lines))


def _clip(path: Path, options: argparse.Namespace) -> Answer:
    found = clip_summary.describe(load_clip(path))
    return found, clip_summary.lines(found)


def _robot(path: Path, options: argparse.Namespace) -> Answer:
    found = robot_summary.describe(load_robot(path, allow=options.allow))
    return found, robot_summary.lines(found)


def _rig(path: Path, options: argparse.Namespace) -> Answer:
    found = rig_summary.describe(path, options.model, options.allow)
    return found, rig_summary.lines(found)


def _model(path: Path, options: argparse.Namespace) -> Answer:
    found = model_summary.describe(path)
    return found, model_summary.lines(found)


def _capture(path: Path, options: argparse.Namespace) -> Answer:
    motion = load_bvh(path, scale=options.scale, up=options.up)
    above = [None if p < 0 else motion.names[p] for p in motion.parents]
    parents = dict(zip(motion.names, above, strict=True))
    found = {
        "name": motion.name,
        "frames": len(motion),
        "fps": motion.fps,
        "seconds": motion.duration,
        "joints": [{"name": n, "parent": p} for n, p in parents.items()],
        "notes": list(motion.notes),
    }
    tree = [f"  {'  ' * depth}{name}" for depth, name in indented(parents)]
    return found, [
        f"motion capture {motion.name}: {len(motion)} frames, {number(motion.fps)} "
        f"fps, {number(motion.duration)} s",
        *section("joints", tree),
        *section("guessed", [f"  {note}" for note in motion.notes]),
    ]


_READERS = {
    "clip": _clip,
    "robot": _robot,
    "rig": _rig,
    "model": _model,
    "capture": _capture,
}
