"""The demos of solvers and limits, operated by a user."""

from __future__ import annotations

import math

import panda3d.core as p3d
import pytest

from demos._shared import catalogue
from demos._shared.app import DemoApp
from demos._shared.demo import Demo
from demos.limits import LimitedArm
from demos.solvers import FASTEST, REACH, STEPS, Solvers
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
        demo.dress()
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


def test_the_learned_arm_starts_near_the_target_and_never_jumps(app: DemoApp) -> None:
    demo = opened(app, "solvers")
    assert isinstance(demo, Solvers)
    lane = demo.lanes[-1]
    assert lane.name == "learned"
    demo.dress()
    # after one iteration from its guess it is where others are after several
    assert lane.curve[1] < 0.05 * min(other.curve[1] for other in demo.lanes[3:-1])
    demo.playing = True
    before: list[p3d.LQuaternionf] = []
    for _ in range(round(demo.duration * 60)):
        app.step()
        now = [bone.get_quat() for bone in lane.chain.bones]
        for old, new in zip(before, now, strict=bool(before)):
            assert 2.0 * math.acos(min(1.0, abs(old.dot(new)))) < FASTEST / 60 + 1e-3
        before = now


def test_all_targets_follow_the_one_that_is_dragged(app: DemoApp) -> None:
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


def test_limits_follow_their_sliders_and_say_what_blocks(app: DemoApp) -> None:
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
