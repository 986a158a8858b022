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
from . import summaries as s
from .arguments import add, add_capture, add_model, existing_file
from .file_types import file_kind
from .report import Document, Report, about
from .summaries import indented, number, section

DESCRIPTION = str(__doc__)

Answer = tuple[Document, list[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "file", "any file", existing_file, metavar="FILE")
    add_model(parser)
    add_capture(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    path, kind = options.file, file_kind(options.file)
    with about(path):
        found, lines = _read(kind, path, options)
    report.result |= {"file": str(path), "kind": kind, **found}
    report.print_result("\n".join(lines))


def _read(kind: str, path: Path, options: argparse.Namespace) -> Answer:
    if kind == "clip":
        found = s.describe_clip(load_clip(path))
        return found, s.clip_lines(found)
    if kind == "robot":
        found = s.describe_robot(load_robot(path, allow=options.allow))
        return found, s.robot_lines(found)
    if kind == "rig":
        found = s.describe_rig(path, options.model, options.allow)
        return found, s.rig_lines(found)
    if kind == "model":
        from ..scene.rig_builder.summary import summary

        found = summary(path)
        return found, s.model_lines(found)
    return _capture(path, options)


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
    return found, [
        f"motion capture {motion.name}: {len(motion)} frames, {number(motion.fps)} "
        f"fps, {number(motion.duration)} s",
        *section("joints", indented(parents)),
        *section("guessed", [f"  {note}" for note in motion.notes]),
    ]
