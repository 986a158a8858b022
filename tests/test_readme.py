"""Python blocks of README and guides run as they stand, and links lead somewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [
    "README.md",
    "demos/README.md",
    "assets/models/README.md",
    "assets/rigs/README.md",
]
BLOCKS = {
    f"{page}[{i}]": block
    for page in PAGES
    for i, block in enumerate(
        re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    )
}

# no window but a camera, and run() ends after a few frames
PRELUDE = """
import panda3d.core as p3d
p3d.load_prc_file_data("", "window-type none\\naudio-library-name null")
from direct.showbase.ShowBase import ShowBase
ShowBase.run = lambda self: [self.task_mgr.step() for _ in range(5)]
make = ShowBase.__init__
def make_with_camera(self):
    make(self)
    self.cam = self.render.attach_new_node(p3d.Camera("cam"))
ShowBase.__init__ = make_with_camera
"""


def test_there_are_blocks():
    assert len(BLOCKS) >= 3


@pytest.mark.parametrize("block", BLOCKS)
def test_block_runs(block, tmp_path):
    # guides name files of the project; README's blocks write some, too
    folder = ROOT
    if block.startswith("README.md"):
        folder = tmp_path
        for kind in ("rigs", "clips", "models"):
            shutil.copytree(ROOT / "assets" / kind, tmp_path / "assets" / kind)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PRELUDE + BLOCKS[block]],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_pictures_and_links_are_there():
    for page in map(ROOT.joinpath, PAGES):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), target


def test_the_two_commands_are_there():
    setup = "python3 -m venv .venv && .venv/bin/pip install -e "
    assert f"{setup}. && .venv/bin/python -m demos" in README
    assert f'{setup}".[test]" && .venv/bin/python -m pytest' in README
