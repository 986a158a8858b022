"""The creature's ground, gait and pose, frame by frame, without a window."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import panda3d.core as p3d
import pytest

from demos._shared import catalogue
from demos._shared.app import DemoApp
from demos._shared.stones import FIELD, StoneField
from demos.creature import TRIPODS, Creature
from ikrig.scene.viewer import display
from ikrig.scene.viewer.display import Screen, Surface

DT = 1.0 / 60.0
LEG = 1.65  # from hip to foot along the bones, about [scene unit]


@pytest.fixture
def ground() -> StoneField:
    return StoneField(np.random.default_rng(1))


# -- ground


def test_ground_is_flat_beyond_the_stones(ground: StoneField) -> None:
    for x, y in ((FIELD + 0.5, 1.0), (-9.0, -7.3)):
        assert ground.height(x, y) == 0.0


def test_equal_seeds_give_equal_ground(ground: StoneField) -> None:
    twin, other = (StoneField(np.random.default_rng(k)) for k in (1, 2))
    spots = np.random.default_rng(6).uniform(-2, 2, (50, 2))
    heights = [[g.height(*spot) for spot in spots] for g in (ground, twin, other)]
    assert heights[0] == heights[1] != heights[2]


# -- the whole


@pytest.fixture
def creature() -> Iterator[tuple[DemoApp, Creature]]:
    display.configure()
    with DemoApp(Screen(Surface.NONE)) as app:
        demo = app.open(catalogue.find("creature", catalogue.read()), 4)
        assert isinstance(demo, Creature)
        yield app, demo


def leg_bones(demo: Creature) -> list[list[p3d.NodePath]]:
    """Hip, thigh, shin and foot of each leg."""
    found = []
    for leg in TRIPODS:
        bones = [demo.joints[leg]]
        while len(bones) < 4:
            bones.append(bones[-1].get_parent())
        found.append(bones[::-1])
    return found


def test_creature_approaches_faces_the_firefly_and_stands(creature):
    app, demo = creature
    demo.playing = False
    demo.firefly.set_pos(-2.0, 1.2, 1.0)
    for _ in range(900):
        # the head looks at it, so the demo turns it
        demo.firefly.set_pos(-2.0, 1.2, 1.0)
        app.step()
    to_goal = (demo.firefly.get_pos() - demo.carrier.get_pos()).xy
    assert to_goal.length() == pytest.approx(1.1, abs=0.05)
    heading = math.radians(demo.carrier.get_h())
    off = math.remainder(math.atan2(-to_goal.x, to_goal.y) - heading, 2 * math.pi)
    assert abs(off) < 0.02
    places = [demo.targets[leg].get_pos() for leg in TRIPODS]
    for _ in range(120):
        app.step()
        assert all(demo.gait.standing)
    assert [demo.targets[leg].get_pos() for leg in TRIPODS] == places


@pytest.mark.parametrize("solver", ["dls", "fabrik"])
def test_feet_do_not_slide_and_knees_do_not_flip(creature, solver):
    app, demo = creature
    demo.tree.solver = solver
    bones = leg_bones(demo)
    # the tolerance of fabrik's goals is a thousandth of the tree
    most = 1e-5 if solver == "dls" else 1e-3
    last: list[tuple[bool, np.ndarray]] = []
    rotations: list[np.ndarray] = []
    for _ in range(300):
        app.step()
        assert demo.tree.result is not None
        assert demo.tree.result.converged
        now = [
            (foot.air >= 1.0, np.array(leg[-1].get_pos(demo.stage)))
            for foot, leg in zip(demo.gait.steps.feet, bones, strict=True)
        ]
        for (stood, place), (stands, here) in zip(last, now, strict=False):
            if stood and stands:
                assert np.linalg.norm(here - place) < most * LEG
        last = now
        quats = np.array([[tuple(b.get_quat()) for b in leg[:3]] for leg in bones])
        rotations.append(quats)
        for leg, (_, thigh, shin, foot) in zip(TRIPODS, bones, strict=True):
            # seen along the hinge the knee is always bent the same way
            a = np.array(shin.get_pos(thigh))
            b = np.array(thigh.get_relative_vector(shin, foot.get_pos()))
            which, row = leg.split()
            out = math.radians({"front": 40, "middle": 0, "hind": -40}[row])
            angle = out if which == "right" else math.pi - out
            side = np.array((-math.sin(angle), math.cos(angle), 0.0))
            bend = math.atan2(np.cross(a, b) @ side, a @ b)
            assert abs(np.cross(a, b) @ side) == pytest.approx(
                np.linalg.norm(np.cross(a, b)), rel=1e-3
            )
            assert math.radians(10) < bend < math.radians(165)
    path = np.array(rotations)
    dot = np.abs((path[1:] * path[:-1]).sum(-1)).clip(0, 1)
    assert np.degrees(2 * np.arccos(dot)).max() < 15.0


def test_dragged_feet_and_body_are_followed(creature):
    app, demo = creature
    demo.playing = False
    for _ in range(240):
        app.step()
    assert demo.gait.steps.swinging is None
    # still near to where it belongs: it stays where it was put
    foot = demo.targets["left front"]
    foot.set_x(foot.get_x() - 0.02)
    put = foot.get_pos()
    body = demo.thorax.get_pos(demo.stage)
    demo.targets["core"].set_pos(demo.targets["core"], 0.15, 0.0, 0.1)
    for _ in range(60):
        app.step()
    gap = demo.joints["left front"].get_pos(demo.stage) - put
    assert gap.length() < 1e-4
    moved = demo.thorax.get_pos(demo.stage) - body
    assert moved.length() == pytest.approx(math.hypot(0.15, 0.1), abs=0.02)
    # further off it steps back
    foot.set_x(foot.get_x() + 0.3)
    away = foot.get_pos()
    for _ in range(120):
        app.step()
    assert (foot.get_pos() - away).length() > 0.15


def test_feet_hold_a_body_dragged_far_away(creature):
    app, demo = creature
    demo.playing = False
    for _ in range(240):
        app.step()
    positions = [demo.joints[leg].get_pos(demo.stage) for leg in TRIPODS]
    demo.targets["core"].set_pos(1.2, 0.0, 0.4)
    for _ in range(30):
        app.step()
    core = demo.joints["core"]
    assert (
        core.get_pos(demo.stage) - demo.targets["core"].get_pos(demo.stage)
    ).length() > 0.3
    for leg, place in zip(TRIPODS, positions, strict=True):
        gap = demo.joints[leg].get_pos(demo.stage) - place
        assert gap.length() < 0.003 * LEG
    demo.targets["core"].set_pos(0.0, 0.0, 0.3)
    app.step()
    assert demo.tree.result is not None
    assert demo.tree.result.converged
