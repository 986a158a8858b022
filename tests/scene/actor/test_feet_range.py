"""FootPlacement at any speed, frame rate and size: legs stay within reach.

Joints are read from Panda3D; a second Actor without a rig is the animation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import cycle, islice

import numpy as np
import pytest
from direct.actor.Actor import Actor

import ikrig

from .course import HUMANOID, nets
from .people import FRAMES, make_actor, two_legs
from .stage import Stage

SINK = 0.1  # as far as hips go down for feet that are held [leg lengths]
STRAIGHT = 0.98  # of its length: longest leg that is not animated longer


def swing(phase: float) -> tuple[float, float, float]:
    """Pitch of thigh, shin and foot: the toes point back and up once a step."""
    turn = 2.0 * math.pi * phase
    fold = max(0.0, math.sin(turn)) ** 2
    return 35.0 * math.cos(turn), -70.0 * fold, -130.0 * fold


def make_marcher() -> Actor:
    """A figure with legs that are short, feet that are long, and a bold walk."""
    bones = (0.0, -0.02, -0.4), (0.0, 0.02, -0.4), (0.0, -0.6, -0.1)
    joints = two_legs(0.2, *bones)
    moves: dict[str, list[tuple[float, float, float]]] = {}
    for side, late in (("Left", 0.0), ("Right", 0.5)):
        pitches = [swing(k / FRAMES + late) for k in range(FRAMES)]
        for j, name in enumerate((f"{side}UpLeg", f"{side}Leg", f"{side}Foot")):
            moves[name] = [(0.0, pitch[j], 0.0) for pitch in pitches]
    return make_actor(joints, {"walk": moves})


MAKERS: dict[str, Callable[[], Actor]] = {
    "marcher": make_marcher,
    "humanoid": lambda: Actor(str(HUMANOID)),
}
LEGS = [[f"{side}{part}" for part in ("UpLeg", "Leg", "Foot")]
        for side in ("Left", "Right")]  # fmt: skip


def walk(
    stage: Stage, kind: str, speed: float, times: Sequence[float], scale: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Walk over flat ground; return joints with and without feet on the ground.

    Args:
        stage: Where.
        kind: Who.
        speed: Of the Actor [leg lengths / s].
        times: Of the frames [s].
        scale: Of the Actor.

    Returns:
        (frames, 2 legs, 3 joints, 3), in leg lengths, the Actor's way taken out.
    """
    figure, other = (stage.add(MAKERS[kind](), scale) for _ in range(2))
    for actor in (figure, other):
        actor.set_blend(frameBlend=True)
        actor.pose("walk", 0)
    rig = ikrig.ActorRig(figure)
    ikrig.FootPlacement(rig, lambda x, y: 0.0)
    rate, count = figure.get_frame_rate("walk"), figure.get_num_frames("walk")
    names = [name for leg in LEGS for name in leg]
    rest = nets(other, LEGS[0])[:, 3, :3]
    leg = float(np.linalg.norm(np.diff(rest, axis=0), axis=1).sum())
    found, last = [], 0.0
    for time in times:
        for actor in (figure, other):
            actor.get_anim_control("walk").pose(time * rate % count)
            actor.set_y(-speed * leg * time)
        rig.update(time - last)
        other.get_part_bundle("modelRoot").force_update()
        last = time
        way = np.array((0.0, speed * leg * time, 0.0))
        found.append([(nets(a, names)[:, 3, :3] + way) / leg for a in (figure, other)])
    seen = np.array(found).reshape(len(times), 2, 2, 3, 3)
    return seen[:, 0], seen[:, 1]


def check(placed: np.ndarray, animated: np.ndarray) -> None:
    """Hips, feet and legs are where legs allow, seen in every frame."""
    assert np.isfinite(placed).all()
    # how far the animation's own feet are in the ground, the sole has to be raised
    rise = (placed - animated)[:, :, 2, 2].max() + 1e-3
    hips = (placed - animated)[:, :, 0, 2]
    assert hips.min() > -SINK - 1e-3
    assert hips.max() < max(rise, 0.0) + 1e-3
    length, was = (
        np.linalg.norm(x[:, :, 2] - x[:, :, 0], axis=2) for x in (placed, animated)
    )
    assert (length <= np.maximum(was, STRAIGHT) + 2e-3).all()
    # feet neither fall through the ground nor stay behind
    assert (placed[:, :, 2, 2] > animated[:, :, 2, 2] - 0.02).all()
    assert (np.linalg.norm((placed - animated)[:, :, 2, :2], axis=2) < 0.75).all()


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("speed", [0.0, 0.4, 0.8, 1.5, 4.0])
def test_legs_stay_in_range_at_any_speed(stage: Stage, kind: str, speed: float) -> None:
    times = np.arange(1, 150) / 60.0
    check(*walk(stage, kind, speed, times))


@pytest.mark.parametrize("rate", [5.0, 24.0, 1000.0])
def test_legs_stay_in_range_at_any_frame_rate(stage: Stage, rate: float) -> None:
    times = np.arange(1, int(min(1.2 * rate, 400.0)) + 2) / rate
    check(*walk(stage, "marcher", 0.8, times))


@pytest.mark.parametrize("scale", [0.01, 10.0])
def test_legs_stay_in_range_at_any_size(stage: Stage, scale: float) -> None:
    check(*walk(stage, "marcher", 0.8, np.arange(1, 70) / 60.0, scale))


@pytest.mark.parametrize("hitch", [0.4, 5.0])
def test_legs_stay_in_range_after_late_frames(stage: Stage, hitch: float) -> None:
    steps = islice(cycle([1 / 60] * 15 + [hitch] + [1e-4] * 3), 80)
    check(*walk(stage, "marcher", 0.8, np.cumsum(list(steps))))


def test_result_is_independent_of_size(stage: Stage) -> None:
    times = np.arange(1, 50) / 60.0
    one, _ = walk(stage, "humanoid", 0.8, times)
    for scale in (0.01, 10.0):
        other, _ = walk(stage, "humanoid", 0.8, times, scale)
        assert np.abs(one - other).max() < 1e-3


def test_legs_stay_in_range_in_a_jump_and_landing(stage: Stage) -> None:
    figure, other = (stage.add(Actor(str(HUMANOID))) for _ in range(2))
    rig = ikrig.ActorRig(figure)
    feet = ikrig.FootPlacement(rig, lambda x, y: 0.0, weight=1.0)
    found = []
    for k in range(150):
        time = k / 60.0
        air = max(0.0, min(1.0, (time - 0.8) / 0.6))
        if k == 48:
            feet.fade(0.0, 0.1)
        if k == 80:
            feet.fade(1.0, 0.1)
        for actor in (figure, other):
            actor.pose("idle", k % actor.get_num_frames("idle"))
            actor.set_z(2.4 * air * (1.0 - air))
        rig.update(1 / 60)
        other.get_part_bundle("modelRoot").force_update()
        found.append([nets(a, ["Hips", *LEGS[0]])[:, 3, :3] for a in (figure, other)])
    seen = np.array(found)
    away = np.linalg.norm(seen[:, 0] - seen[:, 1], axis=2)
    assert away[56:76].max() < 0.01  # in the air: as animated
    assert away.max() < 0.12  # and no foot is pulled down for long
    assert away[-1].max() < 0.02
    steps = np.linalg.norm(np.diff(seen, axis=0), axis=3)
    assert steps[:, 0].max() < steps[:, 1].max() + 0.04
