"""Rigs and clips of assets still give the same poses and pictures.

``python -m tests.golden`` renews what is compared with.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.golden import poses
from tests.golden.pictures import NO_RASTERISER, SHOTS, pixels
from tests.golden.stage import ASSETS, Stage, pairs

FOLDER = Path(__file__).parent
RENEW = "run: python -m tests.golden"
NEAR = 3
"""Ten-thousandths of its size that a rig may be elsewhere on another machine."""
GOES_ON = {"limits"}
"""Rigs that go on from their last pose, for a smooth way along their limits."""
RATES = (30, 60, 144)
PAIRS = [tuple(name.split()) for name in poses.read()]


def test_every_rig_has_a_clip_and_every_clip_a_rig():
    rigs, clips = zip(*pairs(), strict=True)
    assert {path.stem for path in (ASSETS / "rigs").glob("*.yaml")} == set(rigs)
    assert {path.stem for path in (ASSETS / "clips").glob("*.yaml")} == set(clips)


def test_every_pair_has_golden_poses():
    assert {f"{rig} {clip}" for rig, clip in pairs()} == poses.read().keys(), RENEW


@pytest.mark.parametrize("name", poses.read())
def test_poses_match_the_golden_ones(name):
    golden, now = poses.read()[name], poses.play(*name.split())
    assert golden.keys() == now.keys()
    for time, numbers in golden.items():
        off = np.abs(np.array(numbers) - np.array(now[time]))
        assert off.max() <= NEAR, f"{name} at {time} s: {off.max()}; {RENEW}"


# -- at any frame rate, forwards and backwards ---------------------------------------


def halves(rig: str, clip: str, rate: int, *, backwards: bool = False):
    """The pose at each half second of two seconds."""
    stage = Stage(rig, clip)
    # behaviours are springs: they have a pace of their own
    for behaviour in stage.rig.behaviours.values():
        behaviour.stop()
    found, seconds = {}, 2
    if backwards:
        stage.player.time, stage.player.speed = 0.5 + seconds, -1.0
    for frame in range(1, seconds * rate + 1):
        stage.step(1.0 / rate)
        if frame % (rate // 2) == 0:
            found[round(2 * stage.player.time) / 2] = stage.marks()
    stage.close()
    return found


def most_apart(rig: str, clip: str) -> float:
    """Return the largest difference of equal moments that were reached differently."""
    runs = [halves(rig, clip, rate) for rate in RATES]
    runs.append(halves(rig, clip, 60, backwards=True))
    times = set.intersection(*(set(run) for run in runs))
    assert times == {0.5, 1.0, 1.5, 2.0}
    first = runs[0]
    return max(np.abs(run[t] - first[t]).max() for run in runs[1:] for t in times)


@pytest.mark.parametrize(
    ("rig", "clip"), [pair for pair in PAIRS if pair[0] not in GOES_ON]
)
def test_equal_times_give_equal_poses(rig, clip):
    assert most_apart(rig, clip) < 1e-6


@pytest.mark.parametrize(
    ("rig", "clip"), [pair for pair in PAIRS if pair[0] in GOES_ON]
)
def test_pairs_that_depend_on_the_last_pose_say_so(rig, clip):
    text = (ASSETS / "rigs" / f"{rig}.yaml").read_text(encoding="utf-8")
    assert "snap_back_strength: 0" in text
    assert most_apart(rig, clip) > 1e-6


# -- pictures ------------------------------------------------------------------------


def draw(folder: Path, *names: str) -> None:
    """Draw shots, or all, in a process of their own."""
    command = [sys.executable, "-W", "error", "-m", "tests.golden.pictures", folder]
    done = subprocess.run(
        [str(word) for word in (*command, *names)],
        cwd=ASSETS.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode == NO_RASTERISER:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stderr


def test_pictures_match_the_golden_ones_and_are_repeatable(tmp_path):
    once, again = (tmp_path / name for name in ("once", "again"))
    once.mkdir(), again.mkdir()
    draw(once)
    wrong = {}
    for shot in SHOTS:
        golden, now = pixels(FOLDER / shot.name), pixels(once / shot.name)
        wrong[shot.name] = int((np.abs(golden - now).max(axis=2) > 24.0).sum())
        assert (FOLDER / shot.name).stat().st_size < 32_000
    # a bone that is elsewhere changes hundreds; another machine an edge or two
    assert max(wrong.values()) < 60, f"pixels of {wrong}; {RENEW}"
    # one with behaviours and one of a robot
    draw(again, "humanoid_greet.png", "six_axis_weld.png")
    drawn = list(again.iterdir())
    assert len(drawn) == 2
    for path in drawn:
        assert path.read_bytes() == (once / path.name).read_bytes()
