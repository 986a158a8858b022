"""Play a clip on a rig: in a window, or with --record as a video.

In the window, the right mouse button rotates the camera, the middle button moves it,
and the wheel zooms. Space pauses and resumes; the left and right arrows step by a
frame, with shift by a second; G shows gizmos, whose targets can be dragged while the
clip is paused; R resets the camera; Escape closes the window.

A video needs neither a window nor a display: a .mp4, .gif or .webp file (pip install
'panda3d-ikrig[video]'), or a folder of numbered pictures, 00000.png and so on, which
replace the pictures of an earlier video in that folder. The maximum is 1000 frames per
second, and 216 000 frames: an hour at 60 fps.

examples:
  python -m ikrig play arm.yaml wave.yaml
  python -m ikrig play arm.yaml wave.yaml --record wave.mp4
  python -m ikrig play hero.yaml kick.yaml --record kick.gif --size 480x270 --fps 20
  python -m ikrig play arm.yaml wave.yaml --record frames/ --from 0.5 --to 1.5
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import MissingPackageError, VideoError
from ..formats.clip_yaml import load_clip
from .arguments import (
    UsageError,
    add,
    add_fps,
    add_rig,
    add_size,
    any_number,
    positive,
    whole,
)
from .file_types import check_kinds
from .report import Progress, Report, about

DESCRIPTION = str(__doc__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_rig(parser, "the clip that the rig plays")
    text = "a .mp4, .gif or .webp file, or a folder for pictures"
    add(parser, "--record", text, Path, metavar="VIDEO")
    add_size(parser, "window or video")
    add_fps(parser, 30.0)
    text = "start time in the clip, in seconds"
    add(parser, "--from", text, any_number, 0.0, dest="start", metavar="S")
    text = "end time, in seconds; default: the clip's end"
    add(parser, "--to", text, any_number, dest="end", metavar="S")
    text = "number of times that a video shows the clip"
    add(parser, "--loops", text, whole, 1, metavar="N")
    text = (
        "the camera's direction in degrees: rotation about z, where 0 looks along +y, "
        "and pitch (write --camera=-30,14)"
    )
    add(parser, "--camera", text, _camera, "-30,14", metavar="YAW,PITCH")
    add(parser, "--zoom", "zoom factor; 1 shows everything", positive, 1.0)
    parser.add_argument(
        "--gizmos",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="draw bones, targets and poles; default for rigs without a model",
    )


def run(options: argparse.Namespace, report: Report) -> None:
    """Play the clip in a window, or record it as a video."""
    check_kinds(options)
    clip = load_clip(options.clip)
    end = clip.duration if options.end is None else options.end
    if not options.start < end:
        raise UsageError(
            f"the start, {options.start:g} s, must be before the end, {end:g} s: "
            f"{clip.name} lasts {clip.duration:g} s",
            options.clip,
        )
    from ..scene.viewer import Scene, has_display, record_video, watch

    heading, pitch = options.camera
    scene = Scene(
        options.rig,
        clip,
        options.model,
        options.start,
        end,
        heading,
        pitch,
        options.zoom,
        options.gizmos,
        options.allow,
    )
    if options.record is None:
        if not has_display():
            raise VideoError("no display is available: use --record wave.mp4")
        watch(scene, options.size)
        return
    with (
        Progress("frame") as progress,
        about(options.clip),
        about(options.record, VideoError, MissingPackageError),
    ):
        frames = record_video(
            scene,
            options.record,
            fps=options.fps,
            size=options.size,
            loops=options.loops,
            progress=progress.show,
        )
    report.result |= {"out": str(options.record), "frames": frames}
    report.result |= {"seconds": frames / options.fps, "fps": options.fps}
    report.print_result(
        f"{options.record}: {frames} frames, {frames / options.fps:g} s"
    )


def _camera(text: str) -> tuple[float, float]:
    words = text.split(",")
    if len(words) != 2:
        raise argparse.ArgumentTypeError(f"{text!r} is not two angles, like -30,14")
    return any_number(words[0]), any_number(words[1])
