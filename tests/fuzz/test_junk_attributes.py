"""Junk in public attributes: refused in one clear error, or harmless.

An attribute that is only to be read refuses all values with an AttributeError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import panda3d.core as p3d
import pytest

import ikrig
from ikrig import solvers
from ikrig.errors import IkrigError
from tests.fuzz.junk import JUNK
from tests.scene.bodies import body
from tests.scene.conftest import limb

ASSETS = Path(__file__).parents[2] / "assets"
# not settings, but what rigs and solvers are made of
PARTS = {"_binding", "direct", "_fading"}
Thing = tuple[str, Any, Callable[[], Any]]
"""A name, the thing, and what a frame calls of it."""


def attributes(thing: Any) -> Iterator[str]:
    """Public attributes: plain ones, and those that a class lets set."""
    found = set(getattr(thing, "__dict__", ()))
    for kind in type(thing).__mro__:
        found |= {
            name
            for name, value in vars(kind).items()
            if isinstance(value, property) or hasattr(type(value), "__set__")
        }
    return (
        name for name in sorted(found) if not name.startswith("_") and name not in PARTS
    )


def engine_free() -> Iterator[Thing]:
    model = ikrig.ChainModel([[0, 0, 0], [0, 0.1, 1], [0, 0, 2]])
    for method in ("fabrik", "ccd", "dls", "pinv"):
        for limits in (None, {0: ikrig.ConeLimit(2.0)}):
            solver = solvers.make_solver(method, model, limits)
            name = f"{method}{' with limits' if limits else ''}"
            yield name, solver, lambda solver=solver: solver.solve([1, 0, 1])
    arm = ikrig.SphericalWristArm.opw(c1=1.0, c2=1.0, c3=1.0, c4=0.2)
    yield "arm", arm, lambda: arm.forward([0.1] * 6)
    source = ikrig.FunctionSource(lambda t: [t])
    feed = ikrig.JointFeed(source, 1)
    yield "source", source, lambda: None
    yield "feed", feed, feed.sample


def in_a_scene() -> Iterator[Thing]:
    world = p3d.NodePath("world")
    chain, tree = ikrig.IKChain(limb(world)[-1], 3), ikrig.IKTree(body(world))
    yield "chain", chain, lambda: chain.update(0.01)
    yield "tree", tree, lambda: tree.update(0.01)
    yield "effector", tree.effectors[0], lambda: tree.update(0.01)
    rig = ikrig.load_rig(ASSETS / "rigs" / "arm.yaml", parent=world)
    yield "rig", rig, lambda: rig.update(0.01)
    player = ikrig.ClipPlayer(ASSETS / "clips" / "wave.yaml", rig)
    layer = player.add_layer(ASSETS / "clips" / "wave.yaml", 0.5)
    yield "player", player, lambda: player.update(0.01)
    yield "layer", layer, lambda: player.update(0.01)
    recorder = ikrig.Recorder(rig)
    yield "recorder", recorder, lambda: recorder.update(0.01)


@pytest.mark.parametrize("things", [engine_free, in_a_scene])
def test_junk_attributes_are_refused_or_harmless(things):
    wrong = []
    for name, thing, frame in things():
        frame()
        for word in attributes(thing):
            for junk, make in JUNK.items():
                try:
                    before = getattr(thing, word)
                    setattr(thing, word, make())
                except (AttributeError, IkrigError):
                    continue
                except Exception as error:
                    wrong.append(f"{name}.{word} = {junk}: {error!r}"[:200])
                    continue
                try:
                    frame()
                except Exception as error:
                    wrong.append(f"{name}.{word} = {junk}, then {error!r}"[:200])
                finally:
                    setattr(thing, word, before)
    assert not wrong, f"{len(wrong)} of them:\n" + "\n".join(wrong)
