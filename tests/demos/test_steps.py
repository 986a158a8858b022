"""How far joints turn in a frame of the demos' movements, and that none jumps.

``python -m tests.demos.steps`` prints the figures. Four long demos have bounds in
tests of their own, ``test_show.py``, ``test_hands.py`` and ``test_figures.py``.
"""

from __future__ import annotations

import pytest

from demos._shared import catalogue
from demos._shared.app import DemoApp
from tests.demos.steps import CUTS, largest_turn, leaps, measure

LARGEST = {
    "arm_feed": 11.0,
    "arm_joints": 7.0,
    "arm_pose": 5.0,
    "chain": 2.0,
    "character": 11.5,
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
"""Bounds of leaps [deg]: 0 elsewhere. The chain of ``fabrik`` is not drawn."""
BODY = 20.0
"""Bound of the largest step of the body, whose goals move by up to 31 mm a frame."""
SNAPS = 5.5
"""Bound of its leaps, which are of limbs that get straight."""
OWN = {"body", "hands", "show", "street", "walker"}


def test_every_demo_has_bounds() -> None:
    names = {entry.name for entry in catalogue.read()}
    assert LARGEST.keys() == names - OWN
    assert JUMPS.keys() | CUTS <= LARGEST.keys()


@pytest.mark.parametrize("name", LARGEST)
def test_no_joint_of_a_demo_jumps(app: DemoApp, name: str) -> None:
    reports = measure(app, catalogue.find(name, catalogue.read()))
    degrees, where = largest_turn(reports)
    assert 0.5 * LARGEST[name] < degrees <= LARGEST[name], where
    for spike in leaps(reports):
        assert spike.degrees <= JUMPS.get(name, 0.0), str(spike)


def test_body_does_not_snap_where_limbs_get_straight(app: DemoApp) -> None:
    # the first figure is a tree with the same targets
    _, body = (
        report
        for report in measure(app, catalogue.find("body", catalogue.read()))
        if "humanoid" in report.motion.name
    )
    degrees, where = largest_turn([body])
    assert 10.0 < degrees <= BODY, where
    for spike in leaps([body]):
        assert spike.degrees <= SNAPS, str(spike)
