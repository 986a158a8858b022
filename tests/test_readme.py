"""Code blocks of README and all pages run as they stand; links lead somewhere."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ikrig.cli.main import _parser

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = [page.relative_to(ROOT).as_posix() for page in ROOT.glob("docs/**/*.md")]
PAGES = [
    "README.md",
    *sorted(GUIDE),
    *map("assets/{}/README.md".format, ("models", "rigs")),
]


def blocks(language: str) -> dict[str, str]:
    """Return the code blocks of all pages, by page and number."""
    fence = re.compile(rf"```{language}\n(.*?)```", re.DOTALL)
    return {
        f"{page}[{i}]": block
        for page in PAGES
        for i, block in enumerate(fence.findall((ROOT / page).read_text("utf-8")))
    }


def continued() -> dict[str, str]:
    """Return the programs with what their page adds to them, before their end."""
    longer = {}
    for page in PAGES:
        program = ""
        for language, text in re.findall(
            r"```(\w+)\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL
        ):
            if language == "python":
                program = text
            elif language == "py" and program:
                program = program.replace("base.run()", f"{text}base.run()")
                longer[f"{page}[+]"] = program
    return longer


BLOCKS = blocks("python") | continued()

# no window but a camera, and run() ends after a few frames
PRELUDE = """
import panda3d.core as p3d
p3d.load_prc_file_data("", "window-type none\\naudio-library-name null")
from direct.showbase.ShowBase import ShowBase
ShowBase.run = lambda self: [self.task_mgr.step() for _ in range(5)]
make = ShowBase.__init__
def make_with_camera(self):
    make(self)
    self.camera = self.render.attach_new_node("camera")
    self.cam = self.camera.attach_new_node(p3d.Camera("cam"))
ShowBase.__init__ = make_with_camera
"""

# runs each program that it reads in a copy of this process, whose imports are done;
# where processes can't be copied, it runs one and ends
SERVER = (
    PRELUDE
    + """
import json, os, signal, sys, traceback
import direct.actor.Actor, ikrig
ikrig.ActorRig, ikrig.Robot, ikrig.Clip
for line in sys.stdin:
    folder, program = json.loads(line)
    child = os.fork() if hasattr(os, "fork") else 0
    if child:
        print(os.waitpid(child, 0)[1], flush=True)
        continue
    if hasattr(signal, "alarm"):
        # ends a block that hangs
        signal.alarm(60)
    os.chdir(folder)
    log = os.open("log", os.O_CREAT | os.O_WRONLY)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        exec(compile(program, "block", "exec"), {"__name__": "__main__"})
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)
"""
)


class Programs:
    """Runs programs, each in a process of its own that need not import anything."""

    server: subprocess.Popen[str] | None = None

    def run(self, program: str, folder: Path) -> tuple[int, str]:
        """Run a program in a folder; return its exit status and what it wrote."""
        if self.server is None or self.server.poll() is not None:
            self.server = subprocess.Popen(
                [sys.executable, "-W", "error", "-c", SERVER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
            )
        assert self.server.stdin and self.server.stdout
        print(json.dumps([str(folder), program]), file=self.server.stdin, flush=True)
        status = self.server.stdout.readline() or self.server.wait()
        return int(status), (folder / "log").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def programs() -> Iterator[Programs]:
    """Programs that share their imports."""
    found = Programs()
    yield found
    if found.server is not None:
        found.server.communicate()


def test_pages_have_code_blocks():
    assert len(BLOCKS) >= 23
    assert len(blocks("sh")) >= 3


def test_readme_is_short():
    assert len(README.splitlines()) <= 150


@pytest.mark.parametrize("block", BLOCKS)
def test_code_block_runs(block, programs, tmp_path):
    # blocks name files of the project, and some write files
    for kind in ("rigs", "clips", "models"):
        shutil.copytree(ROOT / "assets" / kind, tmp_path / "assets" / kind)
    for file in blocks("yaml").values():
        if named := re.match(r"# (\S+\.yaml)\n", file):
            (tmp_path / named[1]).write_text(file)
    status, log = programs.run(BLOCKS[block], tmp_path)
    assert status == 0, log


# README's arm: led round by its ball, the hand follows and the elbow points at the pole
LEAD = """
import math
import panda3d.core as p3d
for k in range(600):
    t = 2 * math.pi * k / 600
    goal = p3d.LPoint3(
        1.2 * math.cos(t), 0.7 * math.sin(2 * t), 1.0 + 0.5 * math.sin(3 * t)
    )
    arm.target.set_pos(base.render, goal)
    base.task_mgr.step()
    at, bend, aim = (node.get_pos(base.render) for node in (hand, elbow, pole))
    assert (at - goal).length() < 2e-3 * 2.01, (k, at, goal)
    # both as seen from the line from the shoulder to the hand
    line = at.normalized()
    bend, aim = (v - line * v.dot(line) for v in (bend, aim))
    far = aim.length() > 0.2 and bend.length() > 0.05
    assert not far or bend.normalized().dot(aim.normalized()) > 0.99, (k, bend, aim)
    assert arm.result.converged, (k, arm.result)
"""


def test_arm_of_readme_follows_its_ball(programs, tmp_path):
    arms = [x for name, x in blocks("python").items() if "pole=pole" in x]
    (program,) = [x for x in arms if x in README]
    assert "chain_length=2" in program and "Gizmos" in program
    status, log = programs.run(program + LEAD, tmp_path)
    assert status == 0, log


def test_readme_says_first_what_a_game_developer_looks_for():
    for page in (README, (ROOT / "docs/pages/index.md").read_text("utf-8")):
        start = page[: page.index("1. **Rigs on characters")]
        words = ["leaf", "walks", "FABRIK", "pole", "frame", "rotations", "scene"]
        assert [word for word in words if word not in start] == []
    head = README[: README.index("## ")]
    engines = ("Unity", "Final IK", "Godot", "Unreal")
    assert all(name in head for name in engines)


def test_readme_names_twelve_things_for_a_character():
    table = README.partition("these twelve names\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert len(rows) == 12


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", text).lower().replace(" ", "-") for text in headings}


def test_pictures_and_links_exist():
    for page in map(ROOT.joinpath, PAGES):
        links = re.findall(r"\]\(([^)#]*)#?([^)]*)\)", page.read_text("utf-8"))
        for target, anchor in links:
            if "://" in target:
                continue
            other = page.parent / target if target else page
            assert other.exists(), f"{page}: {target}"
            assert not anchor or anchor in anchors(other), f"{page}: #{anchor}"


def test_every_page_is_linked():
    index = (ROOT / "docs/pages/index.md").read_text("utf-8")
    for page in (ROOT / "docs/pages").glob("*.md"):  # those of api/ have an index
        assert page.name == "index.md" or f"]({page.name})" in index


def test_commands_of_the_pages_are_valid(tmp_path, monkeypatch):
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    (tmp_path / "my_clips").mkdir()
    for name in ("robot.urdf", "hero.glb", "walk.bvh", "new.bvh"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    lines = "".join(blocks("sh").values()).splitlines()
    commands = [shlex.split(line, comments=True) for line in lines]
    ours = [words[3:] for words in commands if words[:3] == ["python", "-m", "ikrig"]]
    assert len(ours) >= 7
    for words in ours:
        _parser(words[0]).parse_args(words)  # raises UsageError


def test_readme_has_both_commands():
    setup = "python3 -m venv .venv && .venv/bin/pip install -e "
    assert f"{setup}. && .venv/bin/python -m demos" in README
    assert f'{setup}".[test]" && .venv/bin/python -m pytest' in README
