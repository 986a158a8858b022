"""Rig a character by clicking, try it, and save the rig.

Opens a window with the model. Its joints are dots to click; the studio finds and rigs
its limbs. Drag targets, add limits, poles and behaviours, then save a rig file or copy
Python code. Needs pip install "panda3d-ikrig[studio]".

examples:
  python -m ikrig studio                   start screen: recent files and samples
  python -m ikrig studio hero.glb          a model: .bam .egg .glb .gltf
  python -m ikrig studio rigs/hero.yaml    a rig file to continue
"""

from __future__ import annotations

import argparse

from ..errors import VideoError
from .arguments import add, add_size, existing_file, positive
from .report import Report, about

DESCRIPTION = str(__doc__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = "a model or a rig"
    add(parser, "file", text, existing_file, nargs="?", metavar="FILE")
    add_window(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    open_window(options, viewing=False)


def add_window(parser: argparse.ArgumentParser) -> None:
    add_size(parser, "window")
    add(parser, "--ui-scale", "scale of the text", positive, 1.0, metavar="N")


def open_window(options: argparse.Namespace, *, viewing: bool) -> None:
    from ..studio.view.gui_backend import check_packages

    check_packages()
    from ..scene.viewer import has_display

    if not has_display():
        raise VideoError("no display is available: the studio needs a window")
    from ..studio.view.studio_app import run as run_studio

    with about(options.file):
        scale = min(max(options.ui_scale, 0.5), 4.0)
        run_studio(options.file, options.size, scale, viewing=viewing)
