"""Command lines whose outputs are inputs, and writers killed at random moments.

Whatever is asked for, nothing that a command reads changes, and no traceback is shown.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ikrig.cli import main
from tests.cli.test_sources import CLIP, RIG
from tests.fuzz import SEEDS, fuzz, more, over
from tests.fuzz import count_case as count

ASSETS = Path(__file__).parents[2] / "assets"
ARM = """\
nodes:
  shoulder: {pos: [0, 0, 1]}
  hand: {parent: shoulder, pos: [0.6, 0.05, 0]}
bodies:
  robot: {file: ../models/robot.yaml}
chains:
  left_hand: {leaf: hand, root_joint: shoulder}
"""
FOLDERS = ("rigs", "models", "clips", "out")
INPUTS = {
    "rigs/human.yaml": RIG,
    "rigs/arm.yaml": ARM,
    "rigs/broken.yaml": "chains: [\n",
    "clips/nod.yaml": CLIP,
    "clips/deep/nod.yaml": CLIP,
    "clips/misfit.yaml": CLIP.replace("left_hand", "lft_hand"),
    "models/broken.urdf": "<robot",
}
ENDINGS = (".yaml", ".yml", ".bam", ".egg", ".bam.pz", ".mp4", ".gif", ".txt", "")
OWN: dict[str, tuple[str, ...]] = {
    "record": (".yaml", ".yml"),
    "convert": (".yaml", ".yml"),
    "bake": (".bam", ".egg", ".bam.pz", ".egg.pz"),
    # their films would be drawn for long: what they ask for is never there
    "play": (),
    "check": (),
    "info": (),
}
"""What each command may write."""
NAMED = {
    "rigs/human.yaml": ["models/human.bam", "models/robot.yaml"],
    "rigs/arm.yaml": ["models/robot.yaml"],
}
"""What rigs read."""
NAMES = ("new", "\0", "x" * 250, "x" * 300, "ä ö", "-", "a\nb", "..", ".hidden")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    for name in FOLDERS:
        (folder / name).mkdir()
    (folder / "clips/deep").mkdir()
    shutil.copy(ASSETS / "models/humanoid.bam", folder / "models/human.bam")
    shutil.copy(ASSETS / "models/six_axis.yaml", folder / "models/robot.yaml")
    for name, text in INPUTS.items():
        (folder / name).write_text(text)
    return folder


def some(rng: np.random.Generator, values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def place(rng: np.random.Generator, project: Path, inputs: list[str]) -> str:
    """A name to write to: that of an input, or a link to one, or anything else."""
    out, kind = project / "out", rng.random()
    name = some(rng, inputs)
    if kind < 0.2:
        return name
    if kind < 0.3:
        return f"{some(rng, FOLDERS)}/../{name}"
    if kind < 0.4:
        return str(project / name)
    if kind < 0.75:
        link = out / f"{int(rng.integers(10**9))}{some(rng, ENDINGS)}"
        if rng.random() < 0.5:
            link.symlink_to(project / name)
        else:
            link.hardlink_to(project / name)
        return str(link.relative_to(project))
    if kind < 0.9:
        return f"out/{some(rng, NAMES)}{some(rng, ENDINGS)}"
    return str(
        some(rng, (*FOLDERS, ".", "", "/dev/null", f"{name}/x.yaml", "a/b.yaml"))
    )


def line(rng: np.random.Generator, project: Path, inputs: list[str]) -> list[str]:
    """The words of a command, most of them sensible."""
    rig = some(rng, ("rigs/arm.yaml",) * 3 + ("rigs/human.yaml", some(rng, inputs)))
    clip = some(rng, ("clips/nod.yaml",) * 3 + (some(rng, inputs), "clips"))
    out = place(rng, project, inputs)
    command = some(
        rng, ("record", "record", "bake", "convert", "play", "check", "info")
    )
    if command in ("check", "info"):
        return [command, some(rng, (rig, clip, out)), *some(rng, ([], ["--json"]))]
    if command == "convert":
        words = [command, some(rng, (rig, clip, "models/robot.yaml", "clips/nod.yaml"))]
        # an animation takes seconds to be converted: here there is none of that name
        words += some(rng, ([], ["--animation", "none"]))
        return [*words, "-o", out, *some(rng, ([], ["--json"]))]
    if command == "play":
        return [command, rig, clip, "--record", out, "--from", "9"]
    words = [command, rig, clip, "-o", out, "--fps", some(rng, ("5", "5", "0", "2000"))]
    words += ["--jobs", "1"] if command == "bake" else []
    words += some(rng, ([], [], ["--model", some(rng, inputs)]))
    return [*words, *some(rng, ([], ["--json"]))]


def reads(words: list[str], inputs: list[str]) -> set[str]:
    """Return the files that a command reads and must not write."""
    if words[0] == "convert" and words[1].startswith("clips/"):
        # a clip with fewer keys may take its own place
        return set()
    given = words[1:3] if words[0] in ("record", "bake", "play") else words[1:2]
    found = {name for name in inputs if name in given}
    found |= {name for name in inputs if name.startswith("clips/") and "clips" in given}
    if "--model" in words:
        found.add(words[words.index("--model") + 1])
    named = list(NAMED.get(words[1], []))
    if "--model" in words and "models/human.bam" in named:
        named.remove("models/human.bam")
    return found | set(named)


@fuzz(25, seed=SEEDS)
def test_commands_never_change_their_inputs(project: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    files = (path for path in sorted(project.rglob("*")) if path.is_file())
    inputs = [path.relative_to(project).as_posix() for path in files]
    before = {name: (project / name).read_bytes() for name in inputs}
    words = line(rng, project, inputs)
    out, err, here = io.StringIO(), io.StringIO(), Path.cwd()
    os.chdir(project)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main(words)
        check(project, words, before)
    finally:
        os.chdir(here)
        shutil.rmtree(project / "out")
        (project / "out").mkdir()
        for path in list(project.rglob("*")):
            name = path.relative_to(project).as_posix()
            if path.is_file() and name not in before:
                path.unlink()
        for name, content in before.items():
            (project / name).write_bytes(content)
    assert code in (0, 1, 2), words
    assert "Traceback" not in err.getvalue()


def check(project: Path, words: list[str], before: dict[str, bytes]) -> None:
    """Check what a command has left behind."""
    kept, own = reads(words, list(before)), OWN[words[0]]
    for name, content in before.items():
        if (project / name).read_bytes() != content:
            assert name not in kept, (words, name)
            assert name.endswith(own), (words, name)
    for path in project.rglob(".ikrig-*"):
        assert path.name == ".ikrig-bake.json", words


KILLED = """\
import sys
from pathlib import Path
from ikrig.files.output_file import write_bytes

print("ready", flush=True)
while True:
    for letter in b"ab":
        write_bytes(Path(sys.argv[1]), bytes([letter]) * 1_000_000)
"""


@pytest.mark.skipif(os.name == "nt", reason="kills as POSIX does")
def test_killed_commands_leave_whole_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    path = tmp_path / "file.yaml"
    for _ in range(more(4)):
        if over():
            break
        path.write_bytes(b"a" * 1_000_000)
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(rng.uniform(0.0, 0.03))
        process.send_signal(some(rng, (signal.SIGKILL, signal.SIGTERM)))
        process.communicate()
        content = path.read_bytes()
        assert content in (b"a" * 1_000_000, b"b" * 1_000_000)
        stale = [name for name in os.listdir(tmp_path) if name != path.name]
        assert len(stale) <= 1
        for name in stale:
            (tmp_path / name).unlink()
        count()
