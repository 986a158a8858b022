"""The demos of the six-axis arm, checked by independent kinematics."""

from __future__ import annotations

import itertools
import json
import math
import time
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest

from demos import __main__
from demos._shared import catalogue
from demos._shared.app import FRAME, DemoApp
from demos._shared.demo import Button, Demo, Slider
from demos.arm_feed import DELAY, NONSENSE, SILENCE, ArmFeed
from demos.arm_joints import ArmJoints
from demos.arm_pose import BRANCHES, ArmPose
from demos.senders.arm_feed import read_joints

L1, L2, L3, L4, L5, L6 = 4.0, 6.0, 3.0, 4.0, 2.0, 1.0


# -- oracle


def turn_y(a: float) -> np.ndarray:
    return np.array(
        [[math.cos(a), 0, math.sin(a)], [0, 1, 0], [-math.sin(a), 0, math.cos(a)]]
    )


def turn_z(a: float) -> np.ndarray:
    return np.array(
        [[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]]
    )


def turn_x(a: float) -> np.ndarray:
    return np.array(
        [[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]]
    )


def positions(q: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Elbow, wrist and tool, and the tool's rotation, of the article's arm."""
    s, l, u, r, b, t = q  # noqa: E741 - the axes' names
    up = np.array([0.0, 0.0, 1.0])
    arm = turn_z(s) @ turn_y(l)
    elbow = L1 * up + arm @ (L2 * up)
    fore = arm @ turn_y(u)
    wrist = elbow + fore @ ((L3 + L4) * up)
    hand = fore @ turn_z(r) @ turn_y(b) @ turn_z(t)
    tool = wrist + hand @ ((L5 + L6) * up)
    # its x is the way it points, its z was in front when the arm stood upright
    a, forward = hand @ up, hand @ np.array([1.0, 0.0, 0.0])
    return [elbow, wrist, tool], np.column_stack((a, np.cross(forward, a), forward))


def wanted_rotation(turn: np.ndarray) -> np.ndarray:
    yaw, pitch, roll = np.radians(turn)
    return turn_z(yaw) @ turn_y(pitch) @ turn_x(roll)


def shown_pose(demo: ArmPose | ArmJoints | ArmFeed) -> tuple[np.ndarray, np.ndarray]:
    """Return the pose of the tool in the picture, in the arm's unit."""
    tool, root = demo.tree.body("tool"), demo.tree.root
    axes = [
        root.get_relative_vector(tool, axis)
        for axis in (p3d.LVector3.right(), p3d.LVector3.forward(), p3d.LVector3.up())
    ]
    return np.array(tool.get_pos(root)), np.array([tuple(axis) for axis in axes]).T


# -- fixtures


def opened(app: DemoApp, name: str, *, playing: bool = False) -> Demo:
    demo = app.open(catalogue.find(name, catalogue.read()), 2)
    demo.playing = playing
    return demo


@pytest.fixture
def pose(app: DemoApp) -> ArmPose:
    demo = opened(app, "arm_pose")
    assert isinstance(demo, ArmPose)
    return demo


@pytest.fixture
def joints(app: DemoApp) -> ArmJoints:
    demo = opened(app, "arm_joints")
    assert isinstance(demo, ArmJoints)
    return demo


@pytest.fixture
def feed(app: DemoApp) -> ArmFeed:
    demo = opened(app, "arm_feed")
    assert isinstance(demo, ArmFeed)
    return demo


def named(things: object, label: str) -> Slider | Button:
    found = [thing for thing in things if thing.label.startswith(label)]  # type: ignore
    assert len(found) == 1, label
    return found[0]


# -- arm_pose


def assert_reached(demo: ArmPose) -> None:
    (_, _, tool), rotation = positions(demo.q)
    assert np.allclose(tool, demo.position, atol=1e-9)
    assert np.allclose(rotation, wanted_rotation(demo.turn), atol=1e-9)
    low, high = demo.tree.model.joint_ranges.T
    assert (demo.q >= low - 1e-9).all()
    assert (demo.q <= high + 1e-9).all()


def test_sliders_have_the_articles_ranges(pose: ArmPose) -> None:
    spans = {slider.label: (slider.low, slider.high) for slider in pose.sliders()}
    assert spans == {
        "X": (4, 12), "Y": (-4, 4), "Z": (4, 12),
        "yaw": (-90, 90), "pitch": (-90, 90), "roll": (-90, 90),
    }  # fmt: skip
    pose.sliders()[3].apply(25.0)
    pose.sliders()[0].apply(7.5)
    assert (pose.turn[0], pose.position[0]) == (25.0, 7.5)


def test_drawn_arm_moves_smoothly_to_its_pose(app: DemoApp, pose: ArmPose) -> None:
    for turn in ((0, 40, 0), (30, 10, -50)):
        pose.put((8, 1, 7), turn)
        for _ in range(60):
            before = pose.tree.qpos
            app.step()
            assert np.abs(pose.tree.qpos - before).max() < 0.1
        position, rotation = shown_pose(pose)
        assert np.allclose(position, (8, 1, 7), atol=1e-4)
        assert np.allclose(rotation, wanted_rotation(np.array(turn)), atol=1e-4)


def test_branch_buttons_select_and_keep_a_branch(app: DemoApp, pose: ArmPose) -> None:
    pose.put((9, 0.5, 8), (-20, 60, -30))
    assert [b.label.split()[0] for b in pose.buttons()] == list("12345678")
    seen = []
    for button, (k, name) in zip(pose.buttons(), BRANCHES.items(), strict=True):
        assert button.enabled()
        button.press()
        assert pose.branch == k
        assert button.lit()
        pose.put((9, 0.5, 8), (-20, 60, -30))
        assert_reached(pose)
        (elbow, wrist, _), _ = positions(pose.q)
        middle = 0.5 * (wrist + np.array((0, 0, L1)))
        assert ("up" in name) == (elbow[2] > middle[2])
        assert ("front" in name) == (abs(pose.q[0]) < math.pi / 2)
        # near by it stays in its branch
        for x in np.linspace(9, 9.6, 7):
            pose.put((x, 0.5, 8), (-20, 60, -30))
            assert pose.branch == k
        seen.append(pose.q)
    apart = [np.abs(a - b).max() for a, b in itertools.combinations(seen, 2)]
    assert min(apart) > 0.1
    # out of reach none can be taken
    pose.put((12, 4, 12), (-90, 0, 0))
    assert not any(button.enabled() for button in pose.buttons())


def test_ghosts_show_other_poses_and_hide_equal_links(pose):
    pose.put((9, 0.5, 8), (-20, 60, -30))
    pose.tree.set_qpos(pose.q)
    pose.update_visuals()
    for k, ghost in pose.ghosts.items():
        assert ghost.shown == (k != pose.branch)
        if ghost.shown:
            (_, _, tool), rotation = positions(ghost.q)
            assert np.allclose(tool, pose.position, atol=1e-9)
            assert np.allclose(rotation, wanted_rotation(pose.turn), atol=1e-9)
    # a flipped wrist has the same first three links
    flipped = pose.ghosts[pose.branch ^ 1]
    assert flipped.links_shown == (False, False, False, True, True, True)
    pose.keys()["g"]()
    pose.update_visuals()
    assert not any(ghost.shown for ghost in pose.ghosts.values())


def test_dragged_target_is_followed(app: DemoApp, pose: ArmPose) -> None:
    pose.put((8, 0, 8), (0, 45, 0))
    pose.handles()[0].node.set_pos(8.5, -1.0, 7.0)
    app.step()
    assert np.allclose(pose.position, (8.5, -1.0, 7.0), atol=1e-5)
    assert_reached(pose)
    assert named(pose.sliders(), "Y").value == pytest.approx(-1.0, abs=1e-5)


def test_scripted_movement_loops_without_a_jump(app: DemoApp) -> None:
    demo = opened(app, "arm_pose", playing=True)
    assert isinstance(demo, ArmPose)
    branches, reached = set(), []
    for _ in range(round(demo.duration / FRAME)):
        app.step()
        branches.add(demo.branch)
        reached.append(demo.result.converged)
    assert branches == {-1, 0, 2, 3}
    assert 0.8 < np.mean(reached) < 1.0


# -- arm_joints


def test_tool_matches_forward_kinematics(joints: ArmJoints) -> None:
    rng = np.random.default_rng(3)
    low, high = joints.tree.model.joint_ranges.T
    sliders = joints.sliders()
    for q in rng.uniform(low, high, (40, 6)):
        for slider, angle in zip(sliders, q, strict=True):
            slider.apply(math.degrees(angle))
        (elbow, wrist, tool), rotation = positions(q)
        position, shown = shown_pose(joints)
        assert np.allclose(position, tool, atol=1e-4)
        assert np.allclose(shown, rotation, atol=1e-5)
        for letter, place in (("U", elbow), ("B", wrist)):
            node = joints.tree.joint(letter)
            assert np.allclose(tuple(node.get_pos(joints.tree.root)), place, atol=1e-4)
        # and so do the panel's numbers
        texts = {note.label: note.value for note in joints.notes()}
        for name, value in zip("xyz", tool, strict=True):
            assert float(texts[f"tool {name}"]) == pytest.approx(value, abs=2e-3)
        angles = [float(texts[f"tool {n}"][:-1]) for n in ("yaw", "pitch", "roll")]
        assert np.allclose(wanted_rotation(np.array(angles)), rotation, atol=3e-3)


def test_sliders_are_clamped_to_the_ranges(joints: ArmJoints) -> None:
    for slider, span in zip(
        joints.sliders(), joints.tree.model.joint_ranges, strict=True
    ):
        assert np.allclose(np.radians((slider.low, slider.high)), span)
        slider.apply(slider.high + 50.0)
        assert slider.read is not None
        assert slider.read() == pytest.approx(slider.high)
    joints.keys()["0"]()
    position, rotation = shown_pose(joints)
    assert np.allclose(position, (0, 0, 20), atol=1e-4)
    assert np.allclose(rotation[:, 0], (0, 0, 1), atol=1e-6)


def test_frames_are_drawn_on_request(joints: ArmJoints) -> None:
    assert all(frame.is_hidden() for frame in joints.frames)
    joints.keys()["f"]()
    assert not any(frame.is_hidden() for frame in joints.frames)


# -- arm_feed


def sent_at(time: float) -> np.ndarray:
    return np.array(list(read_joints(time).values()))


def run(app: DemoApp, demo: ArmFeed, seconds: float) -> None:
    for _ in range(round(seconds / FRAME)):
        app.step()


def test_arm_shows_the_delayed_packets(app: DemoApp, feed: ArmFeed) -> None:
    run(app, feed, 0.5)
    worst = 0.0
    for delay in (DELAY, 0.4):
        feed.sliders()[0].apply(delay)
        run(app, feed, 1.0)
        for _ in range(200):
            app.step()
            now = feed.link.clock()
            worst = max(worst, np.abs(feed.tree.qpos - sent_at(now - delay)).max())
            (_, _, tool), _ = positions(feed.tree.qpos)
            assert np.allclose(shown_pose(feed)[0], tool, atol=1e-4)
            # the glass arm is ahead of it
            newest = np.abs(feed.feed.newest - sent_at(now)).max()
            assert newest < 2.0 * (0.02 + 0.025)
    # the way that the fastest packets take, a few milliseconds at 2 rad/s
    assert worst < 0.02
    assert feed.rate == pytest.approx(50, abs=2)


def test_dead_sender_is_reported_and_replaced(app: DemoApp, feed: ArmFeed) -> None:
    run(app, feed, 1.0)
    named(feed.buttons(), "kill").press()
    assert not named(feed.buttons(), "kill").enabled()
    run(app, feed, 0.7)
    held = feed.tree.qpos
    run(app, feed, 0.5)
    assert (feed.tree.qpos == held).all()
    assert feed.feed.stale
    assert {note.label: note.value for note in feed.notes()}["feed"] == "stale"
    assert feed.warning()[0].startswith("STALE")
    named(feed.buttons(), "start").press()
    run(app, feed, 1.0)
    assert not feed.feed.stale
    assert feed.warning()[0] == ""
    assert np.allclose(feed.tree.qpos, sent_at(feed.link.clock() - DELAY), atol=0.02)


def test_scripted_run_is_repeatable(app: DemoApp) -> None:
    runs = []
    for _ in range(2):
        demo = opened(app, "arm_feed", playing=True)
        assert isinstance(demo, ArmFeed)
        stale = []
        track = []
        for _ in range(round(demo.duration / FRAME)):
            app.step()
            stale.append(demo.feed.stale)
            track.append(demo.tree.qpos)
        runs.append((np.array(track), demo.feed.counts))
        times = FRAME * np.flatnonzero(stale)
        assert (
            SILENCE[0] + 0.4 < times[times > 1].min() < times.max() < SILENCE[1] + 0.2
        )
        assert demo.feed.dropped > 20 * (NONSENSE[1] - NONSENSE[0])
    assert (runs[0][0] == runs[1][0]).all()
    assert runs[0][1] == runs[1][1]


def test_real_sender_is_mirrored_and_restarted(app):
    demo = ArmFeed(app.studio.stage, app.studio.overlay, live=True)
    demo.build()
    try:
        for _ in range(2):
            shown = []
            deadline = time.perf_counter() + 20.0
            while len(shown) < 50 and time.perf_counter() < deadline:
                demo.update(FRAME)
                now = time.monotonic()
                if not demo.feed.stale:
                    shown.append(np.abs(demo.tree.qpos - sent_at(now - DELAY)).max())
                time.sleep(FRAME)
            assert len(shown) == 50, demo.feed.problem
            # once it has caught up; a busy machine may hold a frame up
            assert np.median(shown[-20:]) < 0.1
            assert demo.link.sending
            demo.link.kill()
            assert not demo.link.sending
            while not demo.feed.stale and time.perf_counter() < deadline:
                time.sleep(0.02)
            assert demo.feed.stale
            demo.link.start()
    finally:
        demo.close()
    assert not demo.link.sending
    assert not demo.feed.running


def test_demo_listens_at_a_port_or_plays_a_file(app: DemoApp, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    lines = [{"time": 0.01 * i, "joints": [0.01 * i] * 6} for i in range(200)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for given in (Path("0"), file):
        demo = ArmFeed(app.studio.stage, app.studio.overlay, live=True, file=given)
        demo.build()
        try:
            demo.play(SILENCE[1])
            assert not demo.link.sending
            deadline = time.perf_counter() + 10.0
            while time.perf_counter() < deadline and demo.tree.qpos[0] < 0.1:
                demo.update(FRAME)
                time.sleep(FRAME)
                if given is not file:
                    assert demo.warning()[0].startswith("waiting for a sender at UDP")
                    break
            if given is file:
                assert np.ptp(demo.tree.qpos) == pytest.approx(0.0, abs=1e-6)
                assert demo.tree.qpos[0] >= 0.1
                assert demo.notes()[1].value == "run.jsonl"
        finally:
            demo.close()


@pytest.mark.parametrize(
    ("given", "words"), [("no.jsonl", "no.jsonl"), ("99999", "99999")]
)
def test_invalid_port_is_one_line(given, words, capsys):
    assert __main__.main(["arm_feed", given, "--offscreen", "--frames", "1"]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("demos: ")
    assert words in line
