"""View a model, a rig or a robot, and its animations.

Opens a window with the file: drag to rotate, use the wheel to zoom, Space to play and
pause, F to frame the model. Below it, play and scrub its animations; a rig's targets
can be dragged. Nothing is written. Needs pip install "panda3d-ikrig[studio]".

examples:
  python -m ikrig view hero.glb
  python -m ikrig view rigs/hero.yaml
  python -m ikrig view robot.urdf
"""

from __future__ import annotations

import argparse

from .arguments import add, existing_file
from .report import Report
from .studio import add_window, open_window

DESCRIPTION = str(__doc__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = "a model, a rig or a robot"
    add(parser, "file", text, existing_file, metavar="FILE")
    add_window(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    open_window(options, viewing=True)
