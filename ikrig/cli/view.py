"""Look at a model, a rig or a robot, and at its animations.

Shows a file in a window: drag turns it, the wheel zooms, space plays and pauses, F
frames it. Its animations are played and scrubbed below it; a rig's targets can be
dragged. Nothing is written. Needs pip install "panda3d-ikrig[studio]".

examples:
  python -m ikrig view hero.glb
  python -m ikrig view rigs/hero.yaml
  python -m ikrig view robot.urdf
"""

from __future__ import annotations

import argparse

from .arguments import existing_file
from .report import Report
from .studio import add_window, open_window

DESCRIPTION = str(__doc__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "file", type=existing_file, metavar="FILE", help="a model, a rig or a robot"
    )
    add_window(parser)


def run(options: argparse.Namespace, report: Report) -> None:
    """Show the file until its window is closed."""
    open_window(options, viewing=True)
