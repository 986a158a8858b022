"""FootPlacement on legs that are animated straight: knees bend to where toes are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ikrig

from .course import nets
from .people import FRAMES, make_actor
from .stage import Stage

LEG = 0.8  # of the figure
HAIR = 0.01  # a knee that is animated beyond straight is so far behind [leg lengths]
SIDES = ("Left", "Right")


def make_stiff(bend: float) -> Any:
    """A figure whose knees are straight for half of each step, or a hair too far."""
    joints: list[Any] = [("Hips", None, (0.0, 0.0, 0.9), (0.0, 0.0, 0.0))]
    moves: dict[str, list[tuple[float, float, float]]] = {}
    for side, x, late in (("Left", 0.1, 0.0), ("Right", -0.1, 0.5)):
        joints += [
            (f"{side}UpLeg", "Hips", (x, 0.0, 0.0), (0.0, 0.0, 0.0)),
            (f"{side}Leg", f"{side}UpLeg", (0.0, 0.0, -0.4), (0.0, 0.0, 0.0)),
            (f"{side}Foot", f"{side}Leg", (0.0, 0.0, -0.4), (0.0, 0.0, 0.0)),
            (f"{side}ToeBase", f"{side}Foot", (0.0, -0.15, -0.1), (0.0, 0.0, 0.0)),
        ]
        turns = [2.0 * math.pi * (k / FRAMES + late) for k in range(FRAMES)]
        folds = [max(0.0, math.sin(turn)) ** 2 for turn in turns]
        moves[f"{side}UpLeg"] = [(0.0, 20.0 * math.cos(turn), 0.0) for turn in turns]
        moves[f"{side}Leg"] = [(0.0, 40.0 * fold - bend, 0.0) for fold in folds]
    return make_actor(joints, {"walk": moves, "stand": {}})


def knees(actor: Any) -> np.ndarray:
    """How far each knee is before the line from hip to ankle [leg lengths]."""
    found = []
    for side in SIDES:
        names = [f"{side}{part}" for part in ("UpLeg", "Leg", "Foot")]
        hip, knee, ankle = nets(actor, names)[:, 3, :3]
        line = ankle - hip
        off = knee - hip - (knee - hip) @ line / (line @ line) * line
        found.append(-off[1] / LEG)
    return np.array(found)


def test_one_that_was_never_bent_bends_to_its_toes(stage: Stage) -> None:
    actor = stage.add(make_stiff(0.0))
    actor.pose("stand", 0)
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.2 if x > 0.0 else 0.0)
    for _ in range(60):
        rig.update(1 / 60)
    left, right = knees(actor)
    assert left > 0.15
    assert right > -1e-3


@pytest.mark.parametrize("bend", [0.0, 1.5], ids=["straight", "beyond straight"])
def test_none_turns_over_in_a_walk(stage: Stage, bend: float) -> None:
    actor = stage.add(make_stiff(bend))
    actor.set_blend(frameBlend=True)
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.08 * math.sin(4.0 * y))
    names = [f"{side}UpLeg" for side in SIDES]
    axes, ahead = [], []
    for k in range(180):
        actor.get_anim_control("walk").pose(k % FRAMES)
        actor.set_y(-0.5 * k / 60.0)
        rig.update(1 / 60)
        axes.append(nets(actor, names)[:, :3, :3])
        ahead.append(knees(actor))
    trace = np.einsum("nkij,nkij->nk", axes[1:], axes[:-1])
    steps = np.degrees(np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0)))
    # without a side of its own one turns over by 69 degrees in a frame
    assert steps.max() < 20.0
    assert np.min(ahead) > -HAIR


def test_one_with_a_side_of_its_own_keeps_it(stage: Stage) -> None:
    actor, other = stage.body("humanoid"), stage.body("humanoid")
    rig = ikrig.ActorRig(actor)
    feet = ikrig.FootPlacement(rig, lambda x, y: 0.0)
    for _ in range(60):
        stage.step()
        rig.update(1 / 60)
    assert all(chain.pole is None for chain in feet.parts)
    assert other is not actor
