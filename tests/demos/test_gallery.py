"""The gallery's loops match the current demos; nothing is rendered here.

``python -m demos --gallery`` draws them anew, ``python -m demos NAME --gallery`` one.
"""

from __future__ import annotations

import numpy as np
import pytest

from demos._shared import catalogue, loop_records, loops, robots
from demos._shared.app import DemoApp

NEAR = 3
"""Parts of ten thousand of a scene's size, as of golden poses."""
UR5 = "ur5_robot"
"""The robot of its loop, by the name in its file."""
DRAWN = {"fabrik"}
"""Demos that move no node: they draw their lines anew."""
ENTRIES = catalogue.read()
LOOPS = {loop.name: (loop, entry) for loop, entry in loops.of_demos(ENTRIES)}


def renew(name: str) -> str:
    return f"{name} is stale: python -m demos {LOOPS[name][1].name} --gallery"


def test_every_demo_has_exactly_one_loop():
    assert {entry.name for entry in ENTRIES} | {"hero"} == LOOPS.keys()
    assert {path.stem for path in loops.FOLDER.glob("*.webp")} == LOOPS.keys()
    assert loop_records.read().keys() == LOOPS.keys()


def test_loops_are_small():
    sizes = [path.stat().st_size for path in loops.FOLDER.glob("*.webp")]
    assert sum(sizes) <= loops.MOST_BYTES


@pytest.mark.parametrize("name", LOOPS)
def test_loops_repeat_forever_at_their_size(name):
    loop, _ = LOOPS[name]
    data = loop.path.read_bytes()
    assert (data[:4], data[8:12], data[12:16]) == (b"RIFF", b"WEBP", b"VP8X")
    width, height = (int.from_bytes(data[i : i + 3], "little") + 1 for i in (24, 27))
    assert (width, height) == loop.size
    assert data[30:34] == b"ANIM"
    assert int.from_bytes(data[42:44], "little") == 0  # rounds; 0 has no end
    pictures = round(loop.seconds / loops.FRAME / loops.EVERY)
    # pictures that are alike become one
    assert 0.3 * pictures <= data.count(b"ANMF") <= pictures


@pytest.mark.parametrize("name", LOOPS)
def test_loops_match_their_demos(name):
    loop, _ = LOOPS[name]
    assert loop_records.read()[name]["inputs"] == loop_records.fingerprint(loop), renew(
        name
    )


# by length: the hero's frames come after 3,000 others
@pytest.mark.parametrize("name", sorted(LOOPS, key=lambda x: LOOPS[x][0].moments[-1]))
def test_two_frames_of_a_loop_are_unchanged(name, app: DemoApp):
    if name == "robot" and robots.load(None).name != UR5:
        pytest.skip("the loop shows the UR5 of example-robot-data: not installed")
    kept = np.array(loop_records.read()[name]["positions"])
    now = np.array(loop_records.positions(app, *LOOPS[name]))
    assert kept.shape == now.shape == (2, 3 * loop_records.MOST_MARKS), renew(name)
    off = np.abs(kept - now).max()
    assert off <= NEAR, f"{off} of {NEAR}: {renew(name)}"
    if name not in DRAWN:
        assert np.abs(kept[0] - kept[1]).max() > NEAR, "nothing moves between them"


def test_sources_of_a_loop_exclude_panels_and_include_assets():
    modules, files = loop_records.inputs("walker")
    names = {path.stem for path in modules}
    assert {"walker", "humanoid", "mesh"} <= names
    assert not names & {*loop_records.PANELS}
    assert {"humanoid.bam"} <= {path.name for path in files}
    for name in loop_records.PANELS:
        assert (catalogue.DEMOS / "_shared" / f"{name}.py").exists(), name


def test_last_frames_blend_into_the_first():
    shape = (2, 2, 3)
    before = [np.full(shape, 200, np.uint8)] * 3
    loop = [np.full(shape, 100, np.uint8)] * 5
    joined = loops.joined([*before, *loop], blend=3)
    levels = [int(picture[0, 0, 0]) for picture in joined]
    assert levels == [100, 100, 125, 150, 175]
