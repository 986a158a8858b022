"""The demos of solvers and limits, operated by a user."""

from __future__ import annotations

import math

import pytest

from demos._shared import catalogue
from demos._shared.app import DemoApp
from demos._shared.demo import Demo
from demos.limits import LimitedArm
from demos.solvers import REACH, STEPS, Solvers
from ikrig import ConeLimit, HingeLimit, SolveStatus
from ikrig.solvers import solver_names


def opened(app: DemoApp, name: str) -> Demo:
    demo = app.open(catalogue.find(name, catalogue.read()))
    demo.playing = False
    app.step()
    return demo


def test_every_solver_has_a_lane_and_a_curve(app: DemoApp) -> None:
    demo = opened(app, "solvers")
    assert isinstance(demo, Solvers)
    # one is for arms of six axes only
    names = tuple(n for n in solver_names() if n != "six_axis")
    assert tuple(name for name, _ in demo.chains()) == names
    for limited in (False, True):
        # the learned arm's speed is limited
        for _ in range(60):
            app.step()
        demo.update_visuals()
        for lane in demo.lanes:
            start = math.dist(lane.chain.model.positions[-1], demo.goal)
            assert lane.curve[0] * REACH == pytest.approx(start, rel=1e-5)
            assert 2 <= len(lane.curve) <= STEPS + 1
            assert lane.curve[-1] < 0.5 * lane.curve[0]
            assert bool(lane.chain.limits) is (limited or lane.name == "learned")
            assert lane.chain.result is not None
            assert lane.chain.result.status is SolveStatus.CONVERGED
        # one that is slower than the others: the curves are not all of one method
        ends = {lane.name: lane.curve[-1] for lane in demo.lanes}
        assert ends["pinv"] < ends["transpose"]
        demo.keys()["l"]()


def test_the_learned_arm_starts_near_the_target(app: DemoApp) -> None:
    demo = opened(app, "solvers")
    assert isinstance(demo, Solvers)
    lane = demo.lanes[-1]
    assert lane.name == "learned"
    assert lane.chain.result is not None
    assert lane.chain.result.converged
    demo.update_visuals()
    # after one iteration from its guess it is where others are after several
    assert lane.curve[1] < 0.05 * min(other.curve[1] for other in demo.lanes[3:-1])


def test_all_targets_follow_the_dragged_one(app: DemoApp) -> None:
    demo = opened(app, "solvers")
    assert isinstance(demo, Solvers)
    demo.lanes[3].target.set_pos(0.5, -0.4, 1.1)
    # the learned arm's speed is limited
    for _ in range(60):
        app.step()
    for lane in demo.lanes:
        assert tuple(lane.target.get_pos()) == pytest.approx((0.5, -0.4, 1.1))
        leaf = lane.chain.leaf.get_pos(lane.root)
        assert (leaf - lane.target.get_pos()).length() < 1e-3 * lane.chain.reach


def test_the_limited_arm_is_blocked_but_never_in_the_floor(app: DemoApp) -> None:
    demo = app.open(catalogue.find("limits", catalogue.read()))
    assert isinstance(demo, LimitedArm)
    frames = round(demo.duration * 60)
    blocked, lowest = 0, math.inf
    for _ in range(frames):
        app.step()
        assert demo.chain.result is not None
        blocked += bool(demo.chain.result.blocked_by)
        lowest = min(lowest, *(b.get_z(demo.stage) for b in demo.chain.bones))
    assert lowest > 0.5
    assert 0.3 * frames < blocked < 0.9 * frames


def test_limits_follow_their_sliders_and_name_the_blocking_one(app: DemoApp) -> None:
    demo = opened(app, "limits")
    assert isinstance(demo, LimitedArm)
    sliders = {slider.label: slider for slider in demo.sliders()}
    sliders["elbow to"].apply(70.0)
    sliders["shoulder up"].apply(31.0)
    shoulder, elbow = demo.chain.limits["shoulder"], demo.chain.limits["elbow"]
    assert isinstance(shoulder, ConeLimit)
    assert isinstance(elbow, HingeLimit)
    assert elbow.upper == pytest.approx(math.radians(70))
    # right, up, left, down as seen along the arm
    assert tuple(shoulder.half_angles)[1] == pytest.approx(math.radians(31))

    # right at the shoulder
    demo.target.set_pos(demo.shoulder, 0.2, 0.0, 0.2)
    app.step()
    result = demo.chain.result
    assert result is not None
    named = {name for _, name, _ in result.blocked_by}
    assert "elbow" in named
    red = {note.label for note in demo.notes() if note.colour[0] > note.colour[1] * 2}
    assert red == named

    demo.keys()["l"]()
    demo.keys()["s"]()
    app.step()
    assert not demo.chain.limits
    assert demo.chain.solver != "dls"
    assert demo.chain.result is not None
    assert demo.chain.result.blocked_by == ()
