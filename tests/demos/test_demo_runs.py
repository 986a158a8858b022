"""Every demo in a separate process, as a user starts it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from demos._shared import catalogue
from ikrig.scene.viewer import display
from tests.golden.pictures import pixels

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]
NAMES = [entry.name for entry in catalogue.read()]
SIZE = (320, 180)
REPEATED = ("chain", "creature", "robot")
"""Demos that are drawn by themselves: a plain one, many legs and a robot of a file."""
QUICK = ("--offscreen", "--frames", 5, "--seed", 7, "--size", "320x180")


def assert_shows_something(path: Path, size: tuple[int, int]) -> None:
    picture = pixels(path)
    assert picture.shape[:2] == (size[1], size[0])
    assert picture.std() > 8.0
    middle = picture[size[1] // 4 : -size[1] // 4, size[0] // 3 : -size[0] // 3]
    assert middle.std() > 8.0  # not only panels at the edges


@pytest.mark.usefixtures("can_draw")
@pytest.mark.parametrize("name", REPEATED)
def test_demo_draws_the_same_again(name: str, run_demos: Run, tmp_path: Path) -> None:
    # that all demos move the same again is tested where their loops are
    paths = [tmp_path / "a.png", tmp_path / "b.png"]
    for path in paths:
        done = run_demos(name, *QUICK, "--screenshot", path)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        assert_shows_something(path, SIZE)
    first, second = (pixels(path).astype(int) for path in paths)
    apart = np.abs(first - second)
    # the walker's: a step of one colour of one pixel, in one process of about ten.
    # Every node and joint is then equal to the bit: the drawing differs, not the pose
    assert apart.max() <= 1 and np.count_nonzero(apart) <= 2


@pytest.mark.usefixtures("can_draw")
def test_contact_sheet_has_the_requested_tiles(run_demos: Run, tmp_path: Path) -> None:
    path = tmp_path / "sheet.png"
    done = run_demos(
        "chain", "--offscreen", "--frames", 9, "--size", "320x180",
        "--sheet", path, "--tiles", 4,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    picture = pixels(path)
    assert picture.shape[:2] == (2 * 270 + 3 * 6, 2 * 480 + 3 * 6)
    tiles = [picture[6:276, 6:486], picture[282:552, 492:972]]
    assert all(tile.std() > 8.0 for tile in tiles)
    assert np.abs(tiles[0] - tiles[1]).max() > 8.0  # something moved


@pytest.mark.usefixtures("can_draw")
def test_video_has_thirty_frames_per_second(run_demos: Run, tmp_path: Path) -> None:
    folder = tmp_path / "film"
    done = run_demos(
        "chain", "--offscreen", "--frames", 9, "--size", "320x180", "--video", folder
    )
    assert done.returncode == 0, done.stderr
    paths = sorted(folder.iterdir())
    assert len(paths) == 5
    for path in paths:
        assert_shows_something(path, SIZE)
    assert np.abs(pixels(paths[0]) - pixels(paths[-1])).max() > 8.0


@pytest.mark.parametrize("needed", ["can_rasterise", "can_draw"])
def test_no_display_renders_everything(
    needed: str, request: pytest.FixtureRequest, run_demos: Run, tmp_path: Path
) -> None:
    request.getfixturevalue(needed)
    # the first without shaders, the second as README says
    variables = {} if needed == "can_draw" else {display.OVERRIDE: "p3tinydisplay"}
    done = run_demos(
        "--frames", 4, "--tiles", 2, "--size", "320x180", "--out", tmp_path / "new",
        **variables,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for name in NAMES:
        assert_shows_something(tmp_path / "new" / f"{name}.png", SIZE)
    made = {path.name for path in (tmp_path / "new").iterdir()}
    assert made == {"overview.png"} | {
        f"{name}{kind}.png" for name in NAMES for kind in ("", "_sheet")
    }
    assert str(tmp_path / "new") in done.stdout.splitlines()[-1]
    lines = done.stdout.splitlines()
    # what is to come is said before the first demo, and each one when it starts
    assert lines[1].startswith(f"{len(NAMES)} demos to draw")
    for name in NAMES:
        drawn = next(k for k, line in enumerate(lines) if f"{name}.png" in line)
        assert lines.index(f"drawing {name} ...") < drawn


@pytest.mark.usefixtures("can_draw")
def test_browser_draws(run_demos: Run, tmp_path: Path) -> None:
    path = tmp_path / "browser.png"
    done = run_demos("--offscreen", "--size", "640x360", "--screenshot", path)
    assert done.returncode == 0, done.stderr
    assert_shows_something(path, (640, 360))


def test_missing_graphics_library_prints_results(run_demos: Run) -> None:
    done = run_demos("--frames", 20, **{display.OVERRIDE: "no-such-library"})
    assert done.returncode == 0, done.stderr
    for name in NAMES:
        assert f"{name}: 20 frames" in done.stdout
    assert done.stdout.count("CONVERGED") >= len(NAMES)
    assert done.stderr.strip().splitlines() == [f"demos: {display.NO_PIPE}"]
    assert display.PICTURE_PACKAGE in done.stderr


def test_picture_without_graphics_library_is_an_error(run_demos, tmp_path):
    path = tmp_path / "x.png"
    variables = {display.OVERRIDE: "no-such-library"}
    done = run_demos("chain", *QUICK, "--screenshot", path, **variables)
    assert done.returncode == 1
    assert not path.exists()


def test_unknown_demo_is_one_line(run_demos: Run) -> None:
    done = run_demos("robot-arn")
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "did you mean robot_arm?" in line
    assert all(name in line for name in NAMES)


@pytest.mark.usefixtures("can_draw")
def test_unwritable_picture_is_one_line(run_demos: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "x.png"
    done = run_demos("chain", *QUICK, "--screenshot", path)
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert line.endswith("file is a file, not a folder")


@pytest.mark.usefixtures("can_draw")
def test_unresponsive_display_counts_as_none(run_demos: Run, tmp_path: Path) -> None:
    done = run_demos(
        "chain", "--frames", 2, "--tiles", 1, "--size", "160x90", "--out", tmp_path,
        DISPLAY=":7654",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert (tmp_path / "chain.png").exists()


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="needs xvfb-run")
@pytest.mark.usefixtures("can_draw")
def test_demo_runs_in_a_real_window(tmp_path: Path) -> None:
    done = subprocess.run(
        ["xvfb-run", "-a", "-s", "-screen 0 800x600x24", sys.executable, "-m", "demos",
         "robot_arm", "--frames", "10", "--size", "640x360"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
