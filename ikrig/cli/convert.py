"""Convert a file to one of ikrig's own: robots, animations, clips.

The result depends on the type of the file:
  a robot (URDF or MJCF)     a YAML file to edit by hand; it refers to the mesh files
                             of a URDF file; meshes in MJCF files are left out
  a rig, with --animation    a clip of targets and poles with which the rig reproduces
                             this animation of its Actor
  a clip                     the same clip with as few keys as --tolerance-deg and
                             --tolerance allow
  a motion capture (BVH)     an Actor with this animation (.egg, .bam), or a clip of
                             its joints' rotations (.yaml)

examples:
  python -m ikrig convert ur5.urdf -o ur5.yaml
  python -m ikrig convert hero.yaml --animation walk --wrap loop -o walk.yaml
  python -m ikrig convert recorded.yaml -o small.yaml --tolerance-deg 0.5
  python -m ikrig convert walk.bvh -o walk.egg
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from ..clip.clip import WRAPS
from ..files.file_access import FileAccess
from ..files.output_file import YAML, check_output
from ..formats.bvh import load_bvh
from ..formats.clip_yaml import dump_clip, load_clip
from ..formats.load_robot import load_robot
from ..formats.robot_yaml import dump_robot
from ..formats.xml_limits import robot_sources
from ..model.body_spec import Mesh, MeshFile
from .arguments import (
    UsageError,
    add,
    add_capture,
    add_model,
    add_out,
    add_tolerances,
    existing_file,
    frame_rate,
    tolerances,
)
from .file_types import file_kind
from .report import Progress, Report, about
from .summaries import describe_clip, reported

DESCRIPTION = str(__doc__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add(parser, "file", "the file to convert", existing_file, metavar="IN")
    add_out(parser, "the new file")
    text = "for a rig: the animation of its Actor to convert"
    add(parser, "--animation", text, metavar="NAME")
    text = "for an animation: the motion after its end"
    add(parser, "--wrap", text, default="once", choices=WRAPS)
    text = "sample rate for an animation, in frames per second; default: its own"
    add(parser, "--fps", text, frame_rate)
    add_model(parser)
    add_capture(parser)
    add_tolerances(parser, "0.1, for an animation 0.5")


def run(options: argparse.Namespace, report: Report) -> None:
    path, kind = options.file, file_kind(options.file)
    if kind == "model" or (kind == "rig" and not options.animation):
        what = (
            "a rig needs --animation" if kind == "rig" else "a model can't be converted"
        )
        raise UsageError(f"{path}: {what}; see --help for what can be converted", path)
    # a clip with fewer keys may replace its source
    out, read = options.out, frozenset(() if kind == "clip" else [path])
    endings: tuple[str, ...] = YAML
    if kind == "capture":
        endings = (*YAML, ".egg", ".bam")
    elif read:
        read = robot_sources(path)
    check_output(out, endings=endings, sources=read, make_folder=True)
    with about(path):
        _convert(options, report, kind)


def _note_folders(out: Path, meshes: Sequence[object], report: Report) -> None:
    """Report the folders that must be allowed for the new file's meshes."""
    own = FileAccess(out).folders[0]
    folders = {mesh.path.parent for mesh in meshes if isinstance(mesh, MeshFile)}
    outside = [folder for folder in folders if not folder.is_relative_to(own)]
    if outside:
        folder = os.path.commonpath(outside)
        report.print_message(
            f"{out}: its meshes are in other folders: read it with --allow {folder}"
        )


def _convert(options: argparse.Namespace, report: Report, kind: str) -> None:
    path, out = options.file, options.out
    if kind == "robot":
        model = load_robot(path, allow=options.allow)
        dump_robot(model, out)
        meshes = [g.mesh for geoms in model.geoms for g in geoms]
        lost = sum(isinstance(mesh, Mesh) for mesh in meshes)
        report.result |= {"out": str(out), "meshes_left_out": lost}
        report.result |= {"joints": len(model.joint_names)}
        if lost:
            report.print_message(
                f"{out}: {lost} shapes are left out because they are meshes without a "
                "file"
            )
        for message in model.warnings:
            report.print_message(f"{path}: warning: {message}")
        _note_folders(out, meshes, report)
        report.print_result(f"{out}: {len(model.joint_names)} joints")
        return
    if kind == "capture":
        from ..scene.motion.stick_figure import write_motion

        motion = load_bvh(path, scale=options.scale, up=options.up)
        write_motion(motion, out, **tolerances(options))
        for note in motion.notes:
            report.print_message(f"{path}: {note}")
        joints = len(motion.names)
        report.result |= {"out": str(out), "frames": len(motion), "joints": joints}
        report.print_result(f"{out}: {len(motion)} frames of {joints} joints")
        return
    import ikrig

    if kind == "clip":
        clip = ikrig.reduce_clip(load_clip(path), **tolerances(options))
    else:
        rig = ikrig.load_rig(path, options.model, allow=options.allow)
        check_output(out, sources=rig.sources)
        with Progress("finding keys") as progress:
            clip = ikrig.bake_to_controls(
                rig,
                options.animation,
                fps=options.fps,
                wrap=options.wrap,
                # a new key may worsen other frames, so there is no count of done ones
                progress=lambda *_: progress.tick(),
                **tolerances(options),
            )
    dump_clip(clip, out)
    report.result |= {"out": str(out), **describe_clip(clip)}
    report.print_result(f"{out}: {reported(clip)}")
