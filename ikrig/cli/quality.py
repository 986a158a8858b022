"""Measure motion in a file: sliding feet, jolting hips, leaping joints.

A motion capture (BVH) or the animations of a model are measured as they are, a rig as
it plays a clip. The exit code is 1 if a value is beyond its limit. Lengths are those of
a figure 1.7 m tall.

examples:
  python -m ikrig quality walk.bvh
  python -m ikrig quality hero.glb --animation walk --loop --limit drift=0.5
  python -m ikrig quality human.yaml greet.yaml --page greet.html
  python -m ikrig quality retargeted.bvh --source walk.bvh --json
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import suggest
from ..files.output_file import write_text
from .arguments import (
    UsageError,
    add,
    add_capture,
    add_fps,
    add_model,
    any_number,
    existing_file,
)
from .file_types import check_kinds, file_kind
from .report import FAILED, Document, Report, about

if TYPE_CHECKING:
    from ..model.motion import Motion
    from ..quality import Report as Quality

DESCRIPTION = str(__doc__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = "capture, model or rig file"
    add(parser, "file", text, existing_file, metavar="FILE")
    add(parser, "clip", "a rig's clip", existing_file, nargs="?", metavar="CLIP")
    add(parser, "--animation", "for a model: which; default: all", metavar="NAME")
    text = "the end must fit the start"
    parser.add_argument("--loop", action="store_true", help=text)
    text = "height of the ground; default: the level on which feet stand most"
    add(parser, "--ground", text, any_number, metavar="Z")
    text = "for a capture: the one that it was made from, frame by frame"
    add(parser, "--source", text, existing_file, metavar="FILE")
    text = "another limit of a measure, or none; may be given several times"
    add(parser, "--limit", text, _limit, [], action="append", metavar="NAME=VALUE")
    add(parser, "--page", "write a page with plots", Path, metavar="OUT.html")
    add_fps(parser, 60.0)
    add_model(parser)
    add_capture(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    from ..quality import measure

    limits = dict(options.limit)
    reports: list[Quality] = []
    with about(options.file):
        kind = file_kind(options.file)
        if kind == "rig":
            reports = _rig(options, limits)
        else:
            source = None
            if options.source is not None:
                source = next(iter(_motions(options, options.source)))
            for motion in _motions(options, options.file):
                reports.append(measure(motion, options.ground, source, limits))
                for note in motion.notes:
                    report.print_message(f"{options.file}: {note}")
    report.result |= {"file": str(options.file)}
    report.result["motions"] = [each.as_dict() for each in reports]
    report.print_result("\n".join(map(str, reports)))
    if options.page is not None:
        pages = "".join(each.page() for each in reports)
        write_text(options.page, pages, endings=(".html",), sources=[options.file])
        report.print_message(f"{options.page}: written")
    if not all(each.ok for each in reports):
        report.code = FAILED


def _motions(options: argparse.Namespace, path: Path) -> Iterator[Motion]:
    kind = file_kind(path)
    if kind == "capture":
        from ..formats.bvh import load_bvh

        motion = load_bvh(path, scale=options.scale, up=options.up)
        yield motion.with_changes(loop=options.loop)
        return
    if kind != "model":
        raise UsageError(
            f"{path} must be a motion capture, a model with animations, or a rig with "
            "its clip",
            path,
        )
    from ..scene.motion.actor_motion import model_motions

    yield from model_motions(path, options.animation, loop=options.loop)


def _rig(options: argparse.Namespace, limits: Document) -> list[Quality]:
    if options.clip is None:
        raise UsageError(f"{options.file} is a rig: name its clip, too", options.file)
    options.rig = options.file
    check_kinds(options)
    import ikrig

    from ..scene.motion.watch import played

    rig = ikrig.load_rig(options.file, options.model, allow=options.allow)
    clip = ikrig.load_clip(options.clip)
    return played(rig, clip, options.fps, options.ground).reports(limits)


def _limit(text: str) -> tuple[str, float | None]:
    from ..quality import MEASURES

    name, _, value = text.partition("=")
    if name not in MEASURES:
        raise argparse.ArgumentTypeError(
            f"{name!r} is no measure: {suggest(name, MEASURES)}"
        )
    return name, None if value == "none" else any_number(value)
