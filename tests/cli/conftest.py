from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ikrig.cli import main

ASSETS = Path(__file__).parents[2] / "assets"


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Answer]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """`python -m ikrig ...` in this process."""

    def answer(*words: object) -> Answer:
        capfd.readouterr()
        code = main([str(word) for word in words])
        return Answer(code, *capfd.readouterr())

    return answer


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a text into a new file."""

    def file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return file


ARM = """\
nodes:
  shoulder: {pos: [0, 0, 1]}
  elbow: {parent: shoulder, pos: [0.6, 0.05, 0]}
  hand: {parent: elbow, pos: [0.5, -0.05, 0]}
  ball: {pos: [0.7, 0, 1.3]}
chains:
  arm: {leaf: hand, target: ball}
"""
NOD = """\
duration: 0.2
tracks:
  arm:
    target:
      keys:
        0: [0.7, 0, 1.3]
        0.2: [0.8, 0, 0.8]
"""
LAMP = """\
<robot name="lamp">
  <link name="foot"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.4"/></geometry>
    </visual></link>
  <link name="head"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <joint name="swing" type="revolute"><parent link="foot"/><child link="arm"/>
    <origin xyz="0 0.1 0.3" rpy="0.2 0 0.4"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="0.5" effort="1" velocity="1"/></joint>
  <joint name="reach" type="prismatic"><parent link="arm"/><child link="head"/>
    <origin xyz="0 0 0.4" rpy="0 0.3 0"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.25" effort="1" velocity="1"/></joint>
</robot>
"""


def hear_ctrl_c() -> None:
    """Undo what a shell does to jobs in the background: they don't hear Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
