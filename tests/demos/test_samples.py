"""Every sample runs unchanged; plain Panda3D calls show that IK worked."""

from __future__ import annotations

import json
import math
import runpy
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest
from direct.interval.IntervalManager import ivalMgr
from direct.showbase.ShowBase import ShowBase
from direct.task.TaskManagerGlobal import taskMgr

import ikrig

FOLDER = Path(__file__).resolve().parents[2] / "demos" / "samples"
SAMPLES = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}


class Sample(SimpleNamespace):
    """The names of a sample that has run up to ``base.run()``."""

    base: ShowBase

    def advance(self, seconds: float) -> None:
        """Advance by frames of a sixtieth of a second."""
        for _ in range(round(seconds * 60)):
            self.base.task_mgr.step()


@pytest.fixture
def open_sample(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Iterator[Any]:
    """A function that runs a sample without a window, with a camera."""
    samples, tasks = [], taskMgr.getAllTasks()
    prc = p3d.load_prc_file_data("", "window-type none\naudio-library-name null")
    clock = p3d.ClockObject.get_global_clock()
    mode = clock.get_mode()
    clock.set_mode(p3d.ClockObject.M_non_real_time)
    clock.set_dt(1 / 60)
    start = ShowBase.__init__

    def start_with_camera(self: ShowBase) -> None:
        start(self)
        self.camera = self.render.attach_new_node("camera")
        self.cam = self.camera.attach_new_node(p3d.Camera("cam"))

    monkeypatch.setattr(ShowBase, "__init__", start_with_camera)
    monkeypatch.setattr(ShowBase, "run", lambda self: None)

    def run(name: str) -> Sample:
        sample = Sample(**runpy.run_path(str(FOLDER / f"{name}.py")))
        samples.append(sample)
        return sample

    yield run
    for sample in samples:
        for part in vars(sample).values():
            if type(part).__module__.startswith("ikrig.") and hasattr(part, "stop"):
                part.stop()
        for interval in filter(None, ivalMgr.ivals):
            interval.pause()
        sample.base.destroy()
        # those of its own would run in the tests that follow
        for task in sample.base.task_mgr.getAllTasks():
            if task not in tasks:
                task.remove()
    clock.set_mode(mode)
    p3d.unload_prc_file(prc)


def test_samples_are_short_and_tested():
    tested = {name.removeprefix("test_sample_") for name in globals()}
    assert tested >= SAMPLES
    assert len(SAMPLES) == 23
    for name in SAMPLES:
        lines = (FOLDER / f"{name}.py").read_text("utf-8").splitlines()
        assert len(lines) <= 40, name


def test_sample_server(tmp_path):
    code = (
        "import runpy, sys\n"
        "import panda3d.core as p3d\n"
        # nothing can make a graphics engine, a window or a pipe
        "p3d.GraphicsEngine = p3d.GraphicsPipeSelection = p3d.FrameBuffer = None\n"
        "names = runpy.run_path(sys.argv[1])\n"
        "assert not [x for x in sys.modules if x.partition('.')[0] == 'direct']\n"
        "import numpy as np\n"
        "frames = np.array(names['frames'])\n"
        "parents = names['walker'].parents\n"
        "hand = names['walker'].names.index('RightHand')\n"
        "foot = names['walker'].names.index('RightFoot')\n"
        "def place(frame, j):\n"
        "    net = np.eye(4)\n"
        "    while j >= 0:\n"
        "        net, j = net @ frame[j], parents[j]\n"
        "    return net[3, :3]\n"
        "hands = np.array([place(frame, hand) for frame in frames])\n"
        "feet = np.array([place(frame, foot) for frame in frames])\n"
        "assert len(frames) == 120 and np.isfinite(frames).all()\n"
        "assert np.abs(hands - [-0.5, 0.1, 1.0]).max() < 1e-3\n"
        "assert np.ptp(feet, axis=0).max() > 0.3\n"
    )
    call = [sys.executable, "-c", code, str(FOLDER / "server.py")]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "120 frames" in done.stdout


def test_sample_chain(open_sample):
    sample = open_sample("chain")
    assert sample.hand.get_distance(sample.arm.target) > 0.5
    sample.advance(0.1)
    assert sample.hand.get_distance(sample.arm.target) < 1e-4


def test_sample_pole(open_sample):
    sample = open_sample("pole")
    sample.advance(1.0)
    assert sample.ankle.get_distance(sample.leg.target) < 0.05
    knee = sample.knee.get_pos(sample.base.render)
    # it bent towards -y in the start pose, the pole is at +x
    assert knee.x > 0.3
    assert abs(knee.y) < abs(knee.x)


def test_sample_tree(open_sample):
    sample = open_sample("tree")
    sample.advance(0.1)
    for side in ("left hand", "right hand"):
        hand = sample.hips.find(f"**/{side}")
        assert hand.get_distance(sample.body[side].target) < 0.01


def test_sample_character(open_sample):
    sample = open_sample("character")
    paw = sample.rig.joint("Bone_lf_foot")
    sample.advance(1 / 60)
    before = paw.get_distance(sample.ball)
    sample.advance(1.0)
    assert before > 0.5
    assert paw.get_distance(sample.ball) < 1e-3
    # the other paw is as animated: far away
    assert sample.rig.joint("Bone_rf_foot").get_distance(sample.ball) > 1.0


def test_sample_feet(open_sample):
    sample = open_sample("feet")
    foot = sample.rig.joint("RightToeBase")
    held = []
    for weight in (1.0, 0.0):
        sample.feet.weight = weight
        lowest = []
        for _ in range(60):
            sample.advance(1 / 60)
            at = foot.get_pos(sample.base.render)
            lowest.append(at.z - sample.height(at.x, at.y))
        held.append(min(lowest))
    # without IK the toes go through a step
    assert held[0] > held[1] + 0.03
    assert held[0] > -0.02


def test_sample_crowd(open_sample):
    sample = open_sample("crowd")
    before = sample.crowd.joint_positions("head")
    sample.advance(1.0)
    crowd = sample.crowd
    moved = np.linalg.norm(crowd.joint_positions("head") - before, axis=1)
    assert moved.min() > 0.5
    near = crowd.limb("right_hand").weights > 0.9
    ball = crowd.limb("right_hand").targets
    right, left = (
        np.linalg.norm(crowd.joint_positions(name) - ball, axis=1)
        for name in ("right_hand", "left_hand")
    )
    assert near.any() and (right < left)[near].all()


def test_sample_gaze(open_sample):
    sample = open_sample("gaze")
    head, render = sample.rig.joint("Head"), sample.base.render
    sample.look.weight = 0.0
    sample.advance(1 / 60)
    ahead = head.get_relative_vector(render, p3d.LVector3f(0, -1, 0))
    off = []
    for weight in (0.0, 1.0):
        sample.look.weight = weight
        sample.advance(4.0)  # the ball is on the left again
        ball = sample.ball.get_pos() - head.get_pos(render)
        facing = render.get_relative_vector(head, ahead)
        off.append(ball.normalized().angle_deg(facing.normalized()))
    assert off[0] > 30.0
    assert off[1] < 15.0


def test_sample_reach(open_sample):
    sample = open_sample("reach")
    hand = sample.rig.joint("RightHand")
    sample.advance(0.4)
    assert hand.get_distance(sample.ball) > 0.3
    sample.advance(1.5)
    # the wrist is a palm's length from the middle of the ball
    away = hand.get_pos(sample.base.render) - sample.ball.get_pos(sample.base.render)
    assert away.length() < 0.1
    fingers = sample.rig.hand("RightHand")
    assert fingers.thing == sample.ball and len(fingers.touching) == 3
    sample.advance(1.4)
    away = hand.get_pos(sample.base.render) - sample.ball.get_pos(sample.base.render)
    assert away.length() > 0.3
    assert fingers.thing is None


def test_sample_body(open_sample):
    sample = open_sample("body")
    render = sample.base.render
    low = []
    for _ in range(8):
        sample.advance(0.5)
        gap = sample.rig.joint("LeftHand").get_pos(render)
        gap -= sample.balls["left_hand"].get_pos(render)
        assert gap.length() < 0.03
        low.append(sample.rig.joint("Head").get_z(render))
    assert max(low) - min(low) > 0.2


def test_sample_trackers(open_sample):
    sample = open_sample("trackers")
    names = ("Head", "LeftHand", "RightHand")
    places = []
    for _ in range(20):
        sample.advance(0.1)
        places.append([sample.rig.joint(n).get_pos(sample.figure) for n in names])
        gaps = [
            a - b.get_pos() for a, b in zip(places[-1], sample.trackers, strict=True)
        ]
        assert max(gap.length() for gap in gaps) < 0.01
    assert max((a[2] - places[0][2]).length() for a in places) > 0.2


def test_sample_headset(open_sample):
    sample = open_sample("headset")
    head, hand = (sample.body.rig.joint(x) for x in ("Head", "LeftHand"))
    scale = sample.body.calibration["scale"]
    heights, moved = [], []
    for _ in range(40):
        sample.advance(0.1)
        heights.append(head.get_z(sample.figure))
        moved.append(hand.get_pos(sample.figure))
        # the player is larger than the figure, and its headset looks along its y
        wanted = scale * sample.nodes[0].get_z()
        assert abs(heights[-1] - wanted) < 0.01
        assert abs(hand.get_z(sample.figure) - scale * sample.nodes[1].get_z()) < 0.01
    assert 0.9 < scale < 0.99
    assert max((a - moved[0]).length() for a in moved) > 0.1


def test_sample_hits(open_sample):
    sample = open_sample("hits")
    chest = sample.rig.joint("Spine2")
    places = []
    for _ in range(60):
        sample.advance(1 / 60)
        places.append(chest.get_y(sample.figure))
    # the ball is there after 0.4 s
    before, after = (np.ptp(x) for x in (places[:23], places[23:40]))
    assert after > 0.05 and after > 3.0 * before


def test_sample_hands(open_sample):
    sample = open_sample("hands")
    hand = sample.rig.joint("LeftHand")
    on = 0
    for _ in range(12):
        sample.advance(0.25)
        # the joint of a palm that is on the wall is a palm's depth from it
        on += abs(hand.get_x(sample.base.render) - 0.48) < 0.04
    assert on >= 4
    assert sample.reach.thing == sample.stick
    assert len(sample.rig.hand("right_hand").touching) == 3


def test_sample_two_hands(open_sample):
    sample = open_sample("two_hands")
    hand = sample.rig.joint("LeftHand")
    sample.advance(0.7)
    places = []
    for _ in range(8):
        sample.advance(0.28)
        places.append(sample.grip.get_z())
        assert hand.get_distance(sample.grip) < 0.01
    assert places[0] == pytest.approx(0.8)
    assert places[-1] < 0.65


def test_sample_rig_file(open_sample):
    sample = open_sample("rig_file")
    target = sample.rig.targets["arm"]
    assert sample.hand.get_distance(target) > 0.3
    sample.advance(0.1)
    assert sample.hand.get_distance(target) < 1e-3


def test_sample_clip(open_sample):
    sample = open_sample("clip")
    chain = sample.rig.chains["arm"]
    before = chain.leaf.get_pos(sample.base.render)
    sample.advance(2.4)  # at half speed: second 1.2 of the clip
    assert (chain.target.get_pos() - p3d.LPoint3f(0.4, 0.2, 1.9)).length() < 0.02
    assert chain.leaf.get_distance(chain.target) < 1e-3
    assert (chain.leaf.get_pos(sample.base.render) - before).length() > 0.5
    sample.advance(5.0)  # the end, and from the beginning again
    assert 0.2 < sample.player.time < 1.0


def test_sample_robot_arm(open_sample, capsys):
    sample = open_sample("robot_arm")
    assert "tool at LPoint3f" in capsys.readouterr().out
    render, before = sample.base.render, sample.robot.qpos
    assert before[1] == pytest.approx(math.radians(20), abs=1e-5)
    sample.advance(0.2)
    moved = np.abs(sample.robot.qpos - before)
    # the first of these frames has no time
    assert math.radians(9) < moved.max() < math.radians(12.1)
    sample.advance(4.0)
    place = sample.tool.get_pos(render)
    assert (place - p3d.LPoint3f(0.8, -0.6, 0.9)).length() < 5e-3


def test_sample_robot_feed(open_sample, monkeypatch):
    port = ikrig.UdpSource
    monkeypatch.setattr(ikrig, "UdpSource", lambda _: port(0))  # a free one
    sample = open_sample("robot_feed")
    tool = sample.robot.body("tool")
    before = tool.get_pos(sample.base.render)
    angles = dict(zip("SLURBT", (0.5, 0.4, 0.9, 0.2, 0.7, 0.1), strict=True))
    end = time.monotonic() + 5.0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        while abs(sample.robot.joints["U"].value - 0.9) > 1e-3:
            assert time.monotonic() < end
            link.sendto(
                json.dumps({"joints": angles}).encode(),
                ("127.0.0.1", sample.source.port),
            )
            time.sleep(0.02)
            sample.advance(1 / 60)
    assert (tool.get_pos(sample.base.render) - before).length() > 0.5


def test_sample_hair(open_sample):
    sample = open_sample("hair")
    end, places = sample.head.find("**/braid 5"), []
    for _ in range(240):
        sample.advance(1 / 60)
        places.append(end.get_pos(sample.head))
    places = np.array(places)
    # it swings behind the head, and its joints keep their distances
    assert np.ptp(places, axis=0).max() > 0.5
    assert np.linalg.norm(places - (1.1, 0, 0.3), axis=1).max() < 1.5 + 1e-4


def test_sample_tentacle(open_sample):
    sample = open_sample("tentacle")
    sample.advance(1 / 60)
    last, handle = sample.bead, sample.handles.get_child(3)
    for x, z in ((6.5, 1), (5, 2), (6, -1)):
        handle.set_pos(x, 0, z)
        sample.advance(1 / 60)
        # the curve is never longer than the chain may be
        assert (last.get_pos(sample.base.render) - handle.get_pos()).length() < 1e-3


def test_sample_spider(open_sample):
    sample = open_sample("spider")
    render, heights = sample.base.render, []
    for _ in range(300):
        sample.advance(1 / 60)
        for stands, leg in zip(sample.gait.standing, sample.legs, strict=True):
            place = leg.leaf.get_pos(render)
            if stands:
                assert abs(place.z - sample.ground(place.x, place.y)) < 0.02
                heights.append(round(place.z, 2))
    assert sample.mover.get_pos().length() > 3.0
    assert len(set(heights)) >= 2


def test_sample_warps(open_sample):
    sample = open_sample("warps")
    turned, factors, last = [], [], None
    for _ in range(240):
        sample.advance(1 / 60)
        turned.append(sample.turn.angle)
        factors.append(abs(sample.stride.factor))
        place = sample.rig.joint("Head").get_pos(sample.base.render)
        # nothing jumps
        assert last is None or (place - last).length() < 0.06
        last = place
    assert max(turned) - min(turned) > 1.0
    assert max(factors) - min(factors) > 0.2
