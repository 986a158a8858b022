"""FootPlacement on straight animated legs: knees bend ahead."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ikrig

from .course import nets
from .people import FRAMES, make_actor, two_legs
from .stage import Stage

LEG = 0.8  # of the figure
HAIR = 0.01  # a knee that is animated beyond straight is so far behind [leg lengths]
SIDES = ("Left", "Right")


def make_legs(moves: dict[str, list[tuple[float, float, float]]]) -> Any:
    """A figure of two legs that are straight in its model, with a clip and a stand."""
    shin = (0.0, 0.0, -0.4)
    joints = two_legs(0.1, shin, shin, (0.0, -0.15, -0.1))
    return make_actor(joints, {"walk": moves, "stand": {}})


def make_stiff(bend: float, way: float = 1.0) -> Any:
    """A figure whose knees are straight for half of each step, or a hair too far.

    Args:
        bend: By how much too far [degrees].
        way: 1: its knees bend ahead; -1: back, as a bird's seem to.
    """
    moves = {}
    for side, late in (("Left", 0.0), ("Right", 0.5)):
        turns = [2.0 * math.pi * (k / FRAMES + late) for k in range(FRAMES)]
        folds = [max(0.0, math.sin(turn)) ** 2 for turn in turns]
        moves[f"{side}UpLeg"] = [(0.0, 20.0 * math.cos(turn), 0.0) for turn in turns]
        moves[f"{side}Leg"] = [(0.0, way * (40 * fold - bend), 0.0) for fold in folds]
    return make_legs(moves)


def make_stork(thigh: float, fold: float) -> Any:
    """A figure that draws its left foot up, flat: by how far thigh and knee turn."""
    ways = [math.sin(0.5 * math.pi * k / (FRAMES - 1)) ** 2 for k in range(FRAMES)]
    turns = {"LeftUpLeg": -thigh, "LeftLeg": fold, "LeftFoot": thigh - fold}
    return make_legs(
        {joint: [(0.0, w * turn, 0.0) for w in ways] for joint, turn in turns.items()}
    )


def steps(frames: list[np.ndarray]) -> np.ndarray:
    """How far joints turned from frame to frame [degrees], by their axes in rows."""
    axes = np.array(frames)
    trace = np.einsum("nkij,nkij->nk", axes[1:], axes[:-1])
    return np.degrees(np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0)))


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


@pytest.mark.parametrize(("lean", "yaw"), [(0.0, 0.0), (0.0, 90.0), (20.0, 90.0)])
def test_straight_knee_bends_ahead(stage: Stage, lean: float, yaw: float) -> None:
    # wherever the toes point
    poses = {"LeftUpLeg": (0.0, lean, 0.0), "LeftFoot": (yaw, 0.0, 0.0)}
    actor = stage.add(make_legs({j: [pose] * FRAMES for j, pose in poses.items()}))
    actor.pose("walk", 0)
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.25 if x > 0.0 else 0.0)
    for _ in range(60):
        rig.update(1 / 60)
    left, right = knees(actor)
    assert left > 0.3
    assert right > -1e-3


@pytest.mark.parametrize("bend", [0.0, 1.5], ids=["straight", "beyond straight"])
def test_knees_do_not_flip_in_a_walk(stage: Stage, bend: float) -> None:
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
    # without a side of its own one turns over by 69 degrees in a frame
    assert steps(axes).max() < 20.0
    assert np.min(ahead) > -HAIR


def test_knees_learn_their_side_from_the_animation(stage: Stage) -> None:
    # by its name the knee of a leg bends ahead
    actor = stage.add(make_stiff(8.0, -1.0))
    actor.set_blend(frameBlend=True)
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.03 * math.sin(4.0 * y))
    axes, ahead = [], []
    for k in range(4 * FRAMES):
        actor.get_anim_control("walk").pose(k % FRAMES)
        actor.set_y(-0.5 * k / 60.0)
        rig.update(1 / 60)
        axes.append(nets(actor, [f"{side}UpLeg" for side in SIDES])[:, :3, :3])
        ahead.append(knees(actor))
    # once each has been bent clearly; by the side of its name one turns by 93 degrees
    assert steps(axes[FRAMES:]).max() < 20.0
    assert np.max(ahead[FRAMES:]) < HAIR


def test_overstretched_knee_does_not_roll_the_thigh(stage: Stage) -> None:
    # animated straight, then a hair too far: the knee stays ahead, the thigh as it was
    frames = [-2.5 * (k % 2) for k in range(FRAMES)]
    actor = stage.add(make_legs({"LeftLeg": [(0.0, bend, 0.0) for bend in frames]}))
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.1 if x > 0.0 else 0.0)
    axes = []
    for k in range(60):
        actor.get_anim_control("walk").pose(k % 2)
        rig.update(1 / 240)
        axes.append(nets(actor, ["LeftUpLeg"])[:, :3, :3])
    assert steps(axes[1:]).max() < 5.0


@pytest.mark.parametrize(("thigh", "fold"), [(60.0, 130.0), (80.0, 110.0)])
def test_knees_do_not_flip_when_the_foot_passes_the_pole(stage, thigh, fold):
    actor = stage.add(make_stork(thigh, fold))
    rig = ikrig.ActorRig(actor)
    # below the foot that is drawn up the ground rises by most of a leg
    rise = 0.0
    ikrig.FootPlacement(rig, lambda x, y: rise if x > 0.0 else 0.0, step_height=0.9)
    axes, foot = [], []
    for k in range(180):
        rise = min(0.5, max(0.0, 0.4 * (k / 60.0 - 1.2)))
        actor.get_anim_control("walk").pose(min(k, FRAMES - 1))
        rig.update(1 / 60)
        mats = nets(actor, ["LeftUpLeg", "LeftFoot"])
        axes.append(mats[:1, :3, :3])
        foot.append(mats[1, 3, 2])
    # it has been lifted; a knee whose point stays turns by 98 degrees and more
    assert foot[-1] > foot[65] + 0.35
    assert steps(axes).max() < 8.0


def test_bent_knee_keeps_its_side(stage: Stage) -> None:
    actor, other = stage.body("humanoid"), stage.body("humanoid")
    rig = ikrig.ActorRig(actor)
    feet = ikrig.FootPlacement(rig, lambda x, y: 0.0)
    for _ in range(60):
        stage.step()
        rig.update(1 / 60)
    assert all(chain.pole is None for chain in feet.parts)
    assert other is not actor


def test_knee_that_is_nearly_straight_does_not_roll_the_thigh(stage: Stage) -> None:
    # a hair to the side of where it bends, it seems to bend aside where it straightens
    bends = [5.0 - 4.0 * math.sin(math.pi * k / FRAMES) for k in range(FRAMES)]
    actor = stage.add(make_legs({"LeftLeg": [(0.0, b, 2.0) for b in bends]}))
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.02 if x > 0.0 else 0.0)
    axes = []
    for k in range(FRAMES):
        actor.get_anim_control("walk").pose(k)
        rig.update(1 / 60)
        axes.append(nets(actor, ["LeftUpLeg"])[:, :3, :3])
    # where its chain takes another side than its pole, 2.7
    assert steps(axes[1:]).max() < 1.0


def test_leg_that_gets_straight_first_does_not_roll(stage: Stage) -> None:
    folds = [max(0.0, 50.0 - 2.0 * k) for k in range(FRAMES)]
    moves = {"UpLeg": -0.5, "Leg": 1.0, "Foot": -0.5}
    clip = {
        f"{side}{part}": [(0.0, share * fold, 0.0) for fold in folds]
        for side in SIDES
        for part, share in moves.items()
    }
    # hips go down with the knees
    clip["Hips"] = [
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.8 * (math.cos(math.radians(f / 2)) - 1.0))
        for f in folds
    ]
    actor = stage.add(make_legs(clip))
    rig = ikrig.ActorRig(actor)
    ikrig.FootPlacement(rig, lambda x, y: 0.0, lock_distance=0.6)
    axes = []
    for k in range(FRAMES):
        actor.get_anim_control("walk").pose(k)
        # feet stay where they are
        actor.set_x(0.3 * min(1.0, k / 20.0))
        rig.update(1 / 60)
        axes.append(nets(actor, [f"{side}UpLeg" for side in SIDES])[:, :3, :3])
    # a pole that is new and stays at once turns them by 9.7 degrees
    assert steps(axes[1:]).max() < 5.0
