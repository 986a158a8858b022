"""A robot that mirrors a sender: units, formats, recordings, and errors."""

from __future__ import annotations

import math
import socket
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from demos import __main__
from demos._shared import catalogue, cli
from demos._shared.app import DemoApp
from demos._shared.demo_error import DemoError
from demos._shared.joint_sliders import quaternion, rotation_vector
from demos._shared.sender import Sender
from demos.robot import Robot

ARM = """
bodies:
  - {name: upper, joints: [{name: turn, range_deg: [-170, 170]}],
     geoms: [{kind: box, size: [0.1, 0.1, 0.5], pos: [0, 0, 0.5]}]}
  - {name: lower, parent: upper, pos: [0, 0, 1],
     joints: [{name: elbow, axis: y, range_deg: [-120, 120]}]}
  - {name: rod, parent: lower, pos: [0, 0, 1],
     joints: [{name: push, kind: slide, range: [0, 0.5]}],
     sites: [{name: tool, pos: [0, 0, 0.2]}]}
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.yaml"
    path.write_text(ARM)
    return path


def open_mirror(app: DemoApp, file: Path, **given) -> Robot:
    entry = catalogue.find("robot", catalogue.read())
    sender = Sender(**{"feed": 0, **given})
    demo = app.open(replace(entry, file=file, sender=sender), 0)
    assert isinstance(demo, Robot)
    return demo


def send(demo: Robot, *packets: bytes) -> None:
    """Send packets, and wait until the last of them has come."""
    feed = demo.mirror.feed
    before = sum(feed.counts.values())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        for packet in packets:
            link.sendto(packet, ("127.0.0.1", demo.mirror.source.port))
    end = time.monotonic() + 5.0
    while sum(feed.counts.values()) < before + len(packets):
        assert time.monotonic() < end
        time.sleep(0.002)


def shown(app: DemoApp, demo: Robot) -> np.ndarray:
    """The pose, once the screen has caught up with the packets."""
    time.sleep(demo.mirror.feed.delay)
    app.step()
    return demo.tree.qpos


def test_degrees_and_plain_numbers(app: DemoApp, arm: Path) -> None:
    demo = open_mirror(app, arm, degrees=True, csv=True)
    send(demo, b"90,-45,0.25")
    # lengths are no angles
    assert np.allclose(shown(app, demo), [math.pi / 2, -math.pi / 4, 0.25])
    notes = {note.label: note.value for note in demo.notes()}
    assert notes["packets are"] == "degrees, numbers"
    assert notes["joints"] == "3, in degrees"
    assert notes["good"] == "1"
    send(demo, b"hello", b"1,2")
    notes = {note.label: note.value for note in demo.notes()}
    assert notes["dropped"] == "json 1, joints 1"
    # sliders show the pose, and bodies are where it says
    assert [round(slider.read(), 2) for slider in demo.sliders()] == [90, -45, 0.25]


def test_degrees_used_as_radians_are_reported(app: DemoApp, arm: Path) -> None:
    demo = open_mirror(app, arm)
    assert "waiting for a valid packet" in demo.mirror.warning()[0]
    send(demo, *[b"[90, -45, 0.1]"] * 6)
    text, _ = demo.mirror.warning()
    assert "does the sender use degrees? Start with --degrees." in text
    notes = {note.label: note.value for note in demo.notes()}
    assert notes["packets are"] == "radians, JSON"


def test_some_joints_by_name(app: DemoApp, arm: Path) -> None:
    demo = open_mirror(app, arm, joints=("elbow",))
    send(demo, b'{"joints": {"elbow": 0.5}}')
    assert np.allclose(shown(app, demo)[1], 0.5)
    with pytest.raises(
        DemoError, match=r"--joints: 'knee' is not a joint .*: turn, elbow"
    ):
        open_mirror(app, arm, joints=("knee",))


def test_session_is_recorded_and_replayed(app, arm, tmp_path):
    path = tmp_path / "session.jsonl"
    demo = open_mirror(app, arm, degrees=True, csv=True, record=path)
    send(demo, b"30,60,0.1")
    app.close()
    demo = open_mirror(app, arm, feed=None, replay=path, degrees=True, csv=True)
    end = time.monotonic() + 5.0
    while not demo.mirror.feed.counts["good"] and time.monotonic() < end:
        time.sleep(0.01)
    wanted = [math.pi / 6, math.pi / 3, 0.1]
    assert np.allclose(demo.mirror.feed.newest, wanted, atol=1e-6)


def test_command_line_selects_the_source() -> None:
    words = "robot arm.urdf --feed 0 --degrees --csv --joints a,b"
    options = cli.parse(words.split())
    wanted = Sender(feed=0, degrees=True, csv=True, joints=("a", "b"))
    assert options.sender == wanted
    assert cli.parse(["robot"]).sender is None
    serial = cli.parse(
        ["robot", "a.urdf", "--serial", "/dev/ttyUSB0", "--baud", "9600"]
    ).sender
    assert serial == Sender(serial="/dev/ttyUSB0", baud=9600)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("robot --degrees", "--degrees needs --feed, --serial or --replay"),
        ("robot --feed 70000", "'70000' is not a port"),
        ("robot --feed 1 --joints a,,b", "'a,,b' is not a list of names"),
        (
            "robot --feed 0 --serial x",
            "give exactly one of --feed, --serial and --replay",
        ),
        ("robot --replay no.jsonl", "no.jsonl: no such file"),
        ("chain --feed 0", "chain can't mirror another program"),
    ],
)
def test_errors_are_one_line(words, message, capsys):
    assert __main__.main([*words.split(), "--offscreen", "--frames", "1"]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert message in line


BALLS = """
bodies:
  - {name: base, joints: [{name: float, kind: free}]}
  - {name: arm, parent: base, pos: [0, 0, 1], joints: [{name: ball, kind: ball}],
     geoms: [{kind: box, size: [0.1, 0.1, 0.5]}]}
  - {name: hand, parent: arm, pos: [0, 0, 1], joints: [{name: wrist, axis: x}]}
"""


def test_every_joint_has_sliders_in_the_chosen_unit(app, tmp_path):
    path = tmp_path / "balls.yaml"
    path.write_text(BALLS)
    entry = catalogue.find("robot", catalogue.read())
    demo = app.open(replace(entry, file=path), 0)
    assert isinstance(demo, Robot)
    sliders = {slider.label: slider for slider in demo.sliders()}
    assert len(sliders) == 3 + 1 + 6
    sliders["float z"].apply(sliders["float z"].read() + 0.5)
    assert demo.tree.joints["float"].value[2] == pytest.approx(0.5, abs=1e-5)
    sliders["ball turn y"].apply(40.0)
    turn = rotation_vector(demo.tree.joints["ball"].value)
    assert np.degrees(turn[1]) == pytest.approx(40.0, abs=1e-3)
    assert sliders["ball turn y"].read() == pytest.approx(40.0, abs=1e-3)
    assert sliders["wrist"].text(12.4) == "12°"
    demo.keys()["u"]()
    (wrist,) = (slider for slider in demo.sliders() if slider.label == "wrist")
    assert wrist.text(0.5) == "0.50 rad"


def test_rotation_vectors_and_quaternions_belong_together() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        turn = rng.normal(size=3)
        turn *= rng.uniform(0, math.pi) / np.linalg.norm(turn)
        for sign in (1.0, -1.0):
            found = rotation_vector(sign * quaternion(turn))
            assert np.allclose(found, turn, atol=1e-9)
    assert rotation_vector(quaternion(np.zeros(3))).tolist() == [0, 0, 0]
