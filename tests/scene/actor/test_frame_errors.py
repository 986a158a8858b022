"""Frames of an Actor's rig that fail, or while the Actor is out of the scene."""

from __future__ import annotations

import pytest
from direct.actor.Actor import Actor

import ikrig
from ikrig import BindError

from .stage import HUMANOID, Stage


class Layer:
    """A layer that fails on demand."""

    order = 0.0
    started = True

    def __init__(self) -> None:
        self.updates = 0
        self.fails = False

    def apply(self, pose: ikrig.Pose, dt: float) -> None:
        self.updates += 1
        if self.fails:
            raise BindError("broken")


@pytest.fixture
def rig(stage: Stage) -> ikrig.ActorRig:
    return ikrig.ActorRig(stage.add(Actor(str(HUMANOID))))


@pytest.mark.parametrize("when", ["begin", "apply", "end", "play"])
def test_error_of_a_frame_is_logged_once_as_long_as_it_lasts(
    rig, monkeypatch, capfd, when
):
    layer = Layer()
    rig.add(layer, ["LeftHand"])
    layer.started = when != "play"

    def fail(*_: object) -> None:
        raise BindError("broken")

    for _ in range(2):
        with monkeypatch.context() as patched:
            patched.setattr(
                type(layer if when == "apply" else rig.skeleton), when, fail
            )
            for logged in (1, 0, 0):
                rig.update(0.1)
                assert capfd.readouterr().err.count("broken") == logged
        rig.update(0.1)
        assert "broken" not in capfd.readouterr().err


def test_layers_after_one_that_fails_wait_for_the_next_frame(rig, monkeypatch):
    layers = [Layer() for _ in range(3)]
    for layer in layers:
        rig.add(layer, ["LeftHand"])
        layer.updates = 0
    ends: list[int] = []
    end = type(rig.skeleton).end
    counted = lambda self: (ends.append(1), end(self))[1]  # noqa: E731
    monkeypatch.setattr(type(rig.skeleton), "end", counted)
    for layer in layers:
        layer.updates = 0
    layers[1].fails = True
    rig.update(0.1)
    assert [layer.updates for layer in layers] == [1, 1, 0] and not ends
    layers[1].fails = False
    rig.update(0.1)
    assert [layer.updates for layer in layers] == [2, 2, 1] and len(ends) == 1
