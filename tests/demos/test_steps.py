"""How far joints turn in a frame of the demos' movements, and that none jumps.

``python -m tests.demos.steps`` prints the figures. Three long demos have bounds in
tests of their own, ``test_show.py`` and ``test_figures.py``.
"""

from __future__ import annotations

import panda3d.core as p3d
import pytest

from demos._shared import catalogue
from demos._shared.app import DemoApp
from tests.demos.steps import FRAME, SMALL, find_steps, measure

LARGEST = {
    "arm_feed": 11.0,
    "arm_joints": 7.0,
    "arm_pose": 5.0,
    "chain": 2.0,
    "character": 14.0,
    "creature": 10.0,
    "fabrik": 5.0,
    "limits": 2.5,
    "panda": 10.0,
    "panda_leg": 2.5,
    # the spine joins in the gaze: its turn adds to that of the clip's arm, 8.5
    "playback": 10.0,
    "robot": 1.0,
    "robot_arm": 3.0,
    "solvers": 8.0,
}
"""Bounds of the largest step of a movement [deg]."""
JUMPS = {"fabrik": 2.5}
"""Bounds of jumps [deg]: 0 elsewhere. The chain of ``fabrik`` is not drawn."""
CUTS = {"playback"}
"""Demos whose movement begins again in one frame: the script restores the clip."""
OWN = {"look", "show", "walker"}


def test_every_demo_has_bounds() -> None:
    names = {entry.name for entry in catalogue.read()}
    assert LARGEST.keys() == names - OWN
    assert JUMPS.keys() | CUTS <= LARGEST.keys()


@pytest.mark.parametrize("name", LARGEST)
def test_no_joint_of_a_demo_jumps(app: DemoApp, name: str) -> None:
    found = measure(app, catalogue.find(name, catalogue.read()))
    assert 0.5 * LARGEST[name] < found.largest.degrees <= LARGEST[name], found.largest
    for jump in found.jumps:
        assert jump.degrees <= JUMPS.get(name, 0.0), str(jump)
    if name not in CUTS:
        assert found.restart.degrees <= LARGEST[name], str(found.restart)
        assert not found.restart.is_jump, str(found.restart)


def test_a_jump_is_found_where_it_is() -> None:
    # a joint that turns by 2 degrees a frame, and by 9 once; another by 1.4 once
    stage = p3d.NodePath("stage")
    turning, still = stage.attach_new_node("turning"), stage.attach_new_node("still")
    headings = [0.0]

    def step(frame: int) -> None:
        headings.append(headings[-1] + (9.0 if frame == 20 else 2.0))
        turning.set_h(headings[-1])
        still.set_p(0.0 if frame < 30 else 1.4)

    found = find_steps(stage, step, frames=60, again=50)
    assert [(jump.joint, jump.frame) for jump in found.jumps] == [("/turning", 20)]
    assert found.largest == found.jumps[0]
    assert found.largest.degrees == pytest.approx(9.0, abs=1e-3)
    assert found.largest.beside == pytest.approx(2.0, abs=1e-3)
    assert found.restart.degrees == pytest.approx(2.0, abs=1e-3)
    assert SMALL > 1.4
    assert str(found.largest).startswith(f"  9.0 deg at  {20 * FRAME:.2f} s")
