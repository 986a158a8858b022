"""Rigs for playing clips, and a recorder of messenger events."""

from __future__ import annotations

from pathlib import Path

import panda3d.core as p3d
import pytest
from direct.showbase.DirectObject import DirectObject
from direct.task.Task import TaskManager

import ikrig

ASSETS = Path(__file__).parents[2] / "assets"


@pytest.fixture
def scene() -> p3d.NodePath:
    return p3d.NodePath("scene")


@pytest.fixture
def arm(scene) -> ikrig.Rig:
    return ikrig.load_rig(ASSETS / "rigs" / "arm.yaml", parent=scene)


@pytest.fixture
def humanoid(scene) -> ikrig.Rig:
    rig = ikrig.load_rig(ASSETS / "rigs" / "humanoid.yaml", parent=scene)
    yield rig
    rig.remove()


@pytest.fixture
def task_mgr() -> TaskManager:
    manager = TaskManager()
    yield manager
    manager.destroy()


@pytest.fixture
def tick():
    """A function that lets so many seconds pass on Panda3D's clock."""
    clock = p3d.ClockObject.get_global_clock()
    mode = clock.get_mode()
    clock.set_mode(p3d.ClockObject.M_non_real_time)

    def go_on(seconds: float) -> None:
        clock.set_dt(seconds)
        clock.tick()

    yield go_on
    clock.set_mode(mode)


class Heard(DirectObject):
    """Records events by name, with their arguments."""

    def __init__(self, *names: str) -> None:
        self.calls: list[tuple[str, tuple]] = []
        for name in names:
            self.accept(
                name, lambda *given, name=name: self.calls.append((name, given))
            )

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.calls]


@pytest.fixture
def hear():
    made = []

    def listen(*names: str) -> Heard:
        made.append(Heard(*names))
        return made[-1]

    yield listen
    for heard in made:
        heard.ignoreAll()
