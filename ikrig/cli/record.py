"""Play a clip on a rig and write the motion of its joints as a clip.

The new clip has the rotations of all joints that move, and the positions of those that
also change position. It plays on the same rig, and switches its IK off with weights of
0. It keeps only the keys that it needs to stay within --tolerance-deg, usually far
fewer than frames.

examples:
  python -m ikrig record arm.yaml wave.yaml -o wave_joints.yaml
  python -m ikrig record hero.yaml kick.yaml -o kick_joints.yaml --fps 30
  python -m ikrig record arm.yaml wave.yaml -o exact.yaml --tolerance-deg 0.01
"""

from __future__ import annotations

import argparse

from ..files.output_file import YAML, check_output
from ..formats.clip_yaml import dump_clip, load_clip
from .arguments import add_fps, add_out, add_rig, add_tolerances, tolerances
from .file_types import check_kinds
from .report import Progress, Report, about
from .summaries import describe_clip, reported

DESCRIPTION = str(__doc__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_rig(parser, "the clip that the rig plays")
    add_out(parser, "the new clip")
    add_fps(parser, 60.0)
    add_tolerances(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    import ikrig

    check_kinds(options)
    # check the output first: loading may take long
    out, read = options.out, {options.rig, options.clip}
    check_output(out, endings=YAML, sources=read, make_folder=True)
    with about(options.rig):
        clip = load_clip(options.clip)
        rig = ikrig.load_rig(options.rig, options.model, allow=options.allow)
    check_output(out, sources=rig.sources)
    with Progress("frame") as progress, about(options.clip):
        recorded = ikrig.record_clip(
            rig, clip, options.fps, progress=progress.show, **tolerances(options)
        )
    dump_clip(recorded, out)
    report.result |= {"out": str(out), **describe_clip(recorded)}
    report.print_result(f"{out}: {reported(recorded)}")
