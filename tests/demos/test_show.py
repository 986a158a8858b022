"""The minute of the demo `show`: who has the ball, what stands, what jumps."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from assets.clips.show import __main__ as maker
from demos._shared import catalogue
from demos._shared.app import DemoApp
from demos._shared.humanoid import humanoid_notes
from demos.show import Show
from ikrig.scene.viewer import display
from ikrig.scene.viewer.display import Screen, Surface

FRAME = 1.0 / 60.0
TIMES = [0.4 * k + 0.01 for k in range(150)]
CLIPS = Path(__file__).parents[2] / "assets" / "clips"
ARMS = ("left", "right")
LEGS = [f"{side} {row}" for side in ARMS for row in ("front", "middle", "hind")]
ARMS_CLIP = ikrig.load_clip(CLIPS / "show_arms.yaml")
FLIGHTS = [
    (thrown.time, next(e.time for e in ARMS_CLIP.events if e.time > thrown.time))
    for thrown in ARMS_CLIP.events
    if thrown.name == "thrown"
]
PALM = math.hypot(0.09, 0.085)  # from the wrist to the middle of the ball
SCALE = 0.55  # of the creature
SOLE = 0.065 * SCALE  # from the floor to its ankles


@pytest.fixture(scope="module")
def show() -> Iterator[Show]:
    display.configure()
    with DemoApp(Screen(Surface.NONE)) as app:
        demo = app.open(catalogue.find("show", catalogue.read()))
        assert isinstance(demo, Show)
        demo.rig.stop()
        yield demo


def at(show: Show, time: float) -> None:
    show.play(time)
    show.rig.solve()


def place(show: Show, node: p3d.NodePath) -> np.ndarray:
    return np.array(node.get_pos(show.stage))


def ball(show: Show) -> np.ndarray:
    return place(show, show.rig.nodes["ball"])


def cup(show: Show, side: str) -> np.ndarray:
    return place(show, show.rig.bodies[side].body("tool"))


def joint(show: Show, name: str) -> p3d.NodePath:
    assert show.rig.actor_rig is not None
    return show.rig.actor_rig.joint(name)


def test_ball_is_always_held_or_thrown(show: Show) -> None:
    for time in TIMES:
        if any(start < time < end for start, end in FLIGHTS):
            continue
        at(show, time)
        here = ball(show)
        by_cup = min(np.linalg.norm(cup(show, side) - here) for side in ARMS)
        wrist = place(show, joint(show, "RightHand"))
        by_hand = abs(np.linalg.norm(wrist - here) - PALM)
        assert min(by_cup, by_hand) < 2e-3, time


@pytest.mark.parametrize("flight", FLIGHTS)
def test_thrown_ball_follows_gravity(flight: tuple[float, float]) -> None:
    start, end = flight
    # the second difference over a quarter of its way, wherever that is
    step = (end - start) / 4.0
    for share in (0.3, 0.5, 0.7):
        middle = start + share * (end - start)
        times = [middle + k * step for k in (-1, 0, 1)]
        z = [ARMS_CLIP.sample(time)["ball", "position"][2] for time in times]
        assert (z[0] - 2.0 * z[1] + z[2]) / step**2 == pytest.approx(-9.81, rel=0.12)


def test_all_scripted_reaches_succeed(show: Show) -> None:
    solved = {**show.rig.chains, **show.rig.trees}
    for time in TIMES:
        at(show, time)
        for name in ("left_arm", "right_arm", "creature"):
            result = solved[name].result
            assert result is not None
            assert result.status is ikrig.SolveStatus.CONVERGED, (name, time)


def test_creature_stands_on_its_feet_and_they_stay(show: Show) -> None:
    lifted = dict.fromkeys(LEGS, 0)
    for time in TIMES:
        feet = []
        for moment in (time, time + FRAME):
            at(show, moment)
            feet.append([place(show, show.rig.nodes[leg]) for leg in LEGS])
        for leg, before, after in zip(LEGS, *feet, strict=True):
            assert before[2] > SOLE - 1e-3, (leg, time)
            if max(before[2], after[2]) < SOLE + 1e-3:
                assert np.linalg.norm(after - before) < 1e-3, (leg, time)
            else:
                lifted[leg] += 1
    assert min(lifted.values()) >= 4


def test_planted_feet_of_the_character_do_not_slide(show: Show) -> None:
    walk = humanoid_notes()["clips"]["walk"]
    clip = ikrig.load_clip(CLIPS / "show_character.yaml")
    checked = 0
    for time in np.arange(30.5, 36.3, 0.05):
        frame = clip.sample(time)["walk", "time"] * 60.0 % walk["frames"]
        for name in ("LeftToeBase", "RightToeBase"):
            if any(a + 1 < frame < b - 2 for a, b in walk["planted"][name]):
                at(show, time)
                before = place(show, joint(show, name))
                at(show, time + FRAME)
                slide = place(show, joint(show, name)) - before
                assert np.linalg.norm(slide[:2]) < 1e-3, (name, time)
                checked += 1
    assert checked > 80


def test_character_stands_still_while_it_reaches_and_bows(show: Show) -> None:
    stands = []
    for time in np.arange(37.0, 60.0, 0.5):
        at(show, time)
        feet = [place(show, joint(show, f"{side}Foot")) for side in ("Left", "Right")]
        stands.append(np.concatenate(feet))
    assert np.ptp(stands, axis=0).max() < 1e-3
    assert place(show, joint(show, "Head"))[2] > 1.4
    at(show, 55.0)
    assert place(show, joint(show, "Head"))[2] < 1.36


def rotations(show: Show) -> dict[str, list[p3d.LQuaternionf]]:
    """Return how all joints are turned, but for a head that takes its own time."""
    nodes = show.rig.nodes
    assert show.rig.actor_rig is not None
    robots = [
        tree.body(name)
        for tree in show.rig.bodies.values()
        for name in tree.model.body_names[1:]
    ]
    legs = [nodes[f"{leg} {part}"] for leg in LEGS for part in ("hip", "thigh", "shin")]
    legs += [nodes["head"], *(nodes[f"abdomen {k}"] for k in (1, 2, 3))]
    limbs = [
        joint(show, name)
        for name in show.rig.actor_rig.joints
        if "Eye" not in name and name not in ("Head", "Neck")
    ]
    found = {}
    for word, joints in (("robot", robots), ("creature", legs), ("character", limbs)):
        found[word] = [p3d.LQuaternionf(node.get_quat()) for node in joints]
        for quat in found[word]:
            quat.normalize()
    return found


def test_joints_do_not_jump(show: Show) -> None:
    most = {"robot": 6.0, "creature": 9.0, "character": 10.0}  # a frame [deg]
    # the throws and the touch frame by frame, and pairs of frames all over the minute
    busy = [t + k * FRAME for t in (10.6, 27.8, 46.1) for k in range(24)]
    for first, second in [*((t, t + FRAME) for t in TIMES), *pairwise(busy)]:
        if second - first > 0.1:
            continue
        at(show, first)
        before = rotations(show)
        at(show, second)
        for word, after in rotations(show).items():
            pairs = zip(before[word], after, strict=True)
            dots = [min(1.0, abs(a.dot(b))) for a, b in pairs]
            assert math.degrees(2.0 * math.acos(min(dots))) < most[word], (word, first)


def test_show_ends_as_it_begins(show: Show) -> None:
    poses = []
    for time in (0.0, 60.0 - 1e-6):
        at(show, time)
        poses.append([ball(show), *(cup(show, side) for side in ARMS)])
    np.testing.assert_allclose(poses[0], poses[1], atol=1e-4)


def test_camera_stays_in_the_room(show: Show) -> None:
    for time in TIMES:
        show.play(time)
        eye, focus = show.shot()
        assert eye.z > 0.5
        assert 1.0 < (eye - focus).length() < 7.0


def test_computed_keys_are_up_to_date(tmp_path: Path) -> None:
    for path in CLIPS.glob("show_*.yaml"):
        shutil.copy(path, tmp_path)
    maker.make(tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_text() == (CLIPS / path.name).read_text(), path.name
