"""The figure's clips: idle, walk, run and wave, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
from numpy.typing import ArrayLike

from .curves import around
from .legs import SIDES, Foot, Gait, Legs, mirrored, step
from .skeleton import Bone, Floats, Pose, about

RATE = 60.0  # frames a second
IDLE_FRAMES, WAVE_FRAMES = 240, 180
X, Y, Z = np.eye(3)

WALK = Gait(
    frames=64,
    speed=1.25,
    flat=(0.10, 0.29),
    off=0.61,
    under=0.24,
    pitch=(
        (0.0, 21.0), (0.045, 10.0), (0.10, 0.0), (0.29, 0.0), (0.41, -13.0),
        (0.50, -29.0), (0.61, -60.0), (0.67, -67.0), (0.80, -22.0), (0.91, 14.0),
        (0.965, 22.0),
    ),
    curl=(
        (0.0, 8.0), (0.10, 0.0), (0.29, 0.0), (0.61, 58.0), (0.68, 50.0), (0.82, 4.0),
        (0.93, 9.0),
    ),
    lift=0.045,
    early=0.62,
    settle=0.4,
    aside=0.078,
    turn=4.0,
    stretch=0.992,
)  # fmt: skip

RUN = Gait(
    frames=40,
    speed=3.3,
    flat=(0.05, 0.17),
    off=0.35,
    under=0.118,
    pitch=(
        (0.0, 9.0), (0.05, 0.0), (0.17, 0.0), (0.25, -20.0), (0.35, -58.0),
        (0.46, -88.0), (0.60, -80.0), (0.78, -25.0), (0.92, 10.0),
    ),
    curl=((0.0, 6.0), (0.05, 0.0), (0.17, 0.0), (0.35, 56.0), (0.50, 6.0), (0.9, 8.0)),
    lift=0.2,
    early=0.82,
    settle=0.5,
    aside=0.062,
    turn=3.0,
    stretch=0.983,
)  # fmt: skip


@dataclass(frozen=True)
class Style:
    """How hips, trunk and arms go with the feet. Angles in degrees.

    Attributes:
        bob: How far the hips rise and fall [scene unit].
        top: Phase at which they are highest.
        sway: How far they go to the standing side [scene unit].
        yaw: How far they turn with the leg that is ahead.
        roll: How far they drop on the swinging side.
        lean: Of the trunk, ahead.
        chest: How far the chest turns against the hips.
        swing: Of the arms, ahead and back.
        bias: Middle of the swing; above 0 is back.
        elbow: Bend of the elbow: middle, and how far to both sides.
        spread: How far the upper arms stand off.
        fist: Bend of each finger joint.
    """

    bob: float
    top: float
    sway: float
    yaw: float
    roll: float
    lean: float
    chest: float
    swing: float
    bias: float
    elbow: tuple[float, float]
    spread: float
    fist: float


WALK_STYLE = Style(
    bob=0.017, top=0.29, sway=0.021, yaw=6.0, roll=3.6, lean=3.0, chest=6.0,
    swing=21.0, bias=1.0, elbow=(22.0, 11.0), spread=10.0, fist=17.0,
)  # fmt: skip
RUN_STYLE = Style(
    bob=0.036, top=0.43, sway=0.008, yaw=8.0, roll=4.0, lean=10.0, chest=10.0,
    swing=38.0, bias=8.0, elbow=(88.0, 14.0), spread=12.0, fist=44.0,
)  # fmt: skip


def make_clips(bones: dict[str, Bone]) -> dict[str, list[Pose]]:
    """Return all clips, one pose a frame; after the last comes the first."""
    legs = Legs(bones)
    return {
        "walk": make_gait(bones, legs, WALK, WALK_STYLE),
        "run": make_gait(bones, legs, RUN, RUN_STYLE),
        "idle": make_idle(bones, legs),
        "wave": make_wave(bones, legs),
    }


def make_gait(
    bones: dict[str, Bone], legs: Legs, gait: Gait, style: Style
) -> list[Pose]:
    """Return a walk or run on the spot."""

    phases = np.arange(gait.frames) / gait.frames
    bodies = [_body(bones, style, u) for u in phases]
    feet = [
        {
            "Left": step(gait, u, bones, RATE),
            "Right": mirrored(step(gait, u + 0.5, bones, RATE)),
        }
        for u in phases
    ]
    # as high as the legs allow
    while (
        max(
            legs.reach(pose, side, foot)
            for pose, both in zip(bodies, feet, strict=True)
            for side, foot in both.items()
        )
        > gait.stretch
    ):
        for pose in bodies:
            pose.shift[2] -= 0.002
    for pose, both in zip(bodies, feet, strict=True):
        for side, foot in both.items():
            legs.place(pose, side, foot, knee=2.0)
    return bodies


def make_idle(bones: dict[str, Bone], legs: Legs) -> list[Pose]:
    """Return standing at ease: breath, and a little weight from foot to foot."""
    phases = np.arange(IDLE_FRAMES) / IDLE_FRAMES
    return [_stand(bones, legs, u, 1.0) for u in phases]


def make_wave(bones: dict[str, Bone], legs: Legs) -> list[Pose]:
    """Return a wave with the right hand while standing."""
    poses = []
    for u in np.arange(WAVE_FRAMES) / WAVE_FRAMES:
        pose = _stand(bones, legs, u, 0.6)
        _raise_hand(pose, u)
        poses.append(pose)
    return poses


def _stand(bones: dict[str, Bone], legs: Legs, u: float, weight: float) -> Pose:
    """Return standing; ``weight`` is how much goes from foot to foot."""
    pose = Pose(bones)
    side, breath = weight * _wave(u - 0.25), _wave(u)
    pose.shift[:] = 0.012 * side, 0.004 * weight * _wave(u), -0.017 + 0.0015 * breath
    roll, yaw = -1.2 * side, 1.5 * weight * _wave(u - 0.1)
    pose.turns["Hips"] = turned(1.0, roll, yaw)
    for joint, share in (("Spine", 0.3), ("Spine1", 0.35), ("Spine2", 0.35)):
        lift = -0.9 * breath if joint == "Spine2" else 0.0
        pose.turns[joint] = turned(0.4 + lift, -1.3 * share * roll, -1.4 * share * yaw)
    _look_ahead(pose, 1.0)
    for name, sign in SIDES:
        lift = 1.2 * _wave(u - 0.03)
        pose.turns[name + "Shoulder"] = turned(0.0, sign * (4.0 - lift), 0.0)
        hang = turned(0.0, sign * (37.5 + lift), 0.0)
        sway = 1.5 + 1.2 * weight * _wave(u - 0.3)
        pose.turns[name + "Arm"] = turned(sway, 0.0, 0.0) @ hang
        bend(pose, name + "ForeArm", 13.0 + 1.2 * _wave(u - 0.08))
        bend(pose, name + "Hand", 5.0)
        curl_fingers(pose, name, 17.0 + 1.5 * _wave(u - 0.1))
        ball = bones[name + "ToeBase"].place * (1.12, 1.0, 1.0)
        ball[1] += 0.018 * sign
        out = about(Z, sign * 8.0)
        legs.place(pose, name, Foot(ball, out, out), knee=7.0)
    return pose


def _raise_hand(pose: Pose, u: float) -> None:
    """Bring the right hand up, wave three times, take it down again."""
    bones = pose.bones
    up = around(u, ((0.0, 0.0), (0.02, 0.0), (0.26, 1.0), (0.75, 1.0), (0.99, 0.0)))
    # each wave a little smaller than the one before
    wide = around(u, ((0.0, 0.0), (0.2, 0.0), (0.30, 1.0), (0.68, 0.8), (0.80, 0.0)))
    beat = (u - 0.25) * 6.2
    rock = 19.0 * wide * sin(2.0 * pi * beat)
    lag = 14.0 * wide * sin(2.0 * pi * (beat - 0.13))
    upper = np.array((-0.80, -0.34, -0.36))
    fore = about(Y, rock) @ (-0.16, -0.18, 1.0)
    arm, elbow, hand = (bones["Right" + part] for part in ("Arm", "ForeArm", "Hand"))
    pose.turns["RightShoulder"] = turned(0.0, -4.0 + 12.0 * up, -4.0 * up)
    chest = pose.net("RightShoulder")
    wanted = chest.T @ _frame(upper, fore) @ arm.axes.T
    pose.turns["RightArm"] = _between(pose.turns["RightArm"], wanted, up)
    net = pose.net("RightArm")
    wanted = net.T @ _frame(fore, -upper) @ elbow.axes.T
    pose.turns["RightForeArm"] = _between(pose.turns["RightForeArm"], wanted, up)
    palm = about(Y, 0.5 * lag) @ about(X, -8.0)
    wanted = pose.net("RightForeArm").T @ _frame(palm @ fore, palm @ -Y) @ hand.axes.T
    pose.turns["RightHand"] = _between(pose.turns["RightHand"], wanted, up)
    for finger, share in (("Index", 0.3), ("Middle", 0.35), ("Thumb", -0.4)):
        for k in ("1", "2"):
            name = f"RightHand{finger}{k}"
            spread = about(bones[name].axes[:, 0], 17.0 * share)
            pose.turns[name] = _between(pose.turns[name], spread, up)
    tilt = about(Z, -5.0 * up) @ about(Y, -4.0 * up)
    pose.turns["Head"] = pose.turns["Head"] @ tilt


def _frame(along: ArrayLike, lean: ArrayLike) -> Floats:
    """Return axes with y along one direction and z leaning to another."""
    y = np.asarray(along, float) / np.linalg.norm(along)
    z = lean - (lean @ y) * y
    z = z / np.linalg.norm(z)
    return np.column_stack((np.cross(y, z), y, z))


def _body(bones: dict[str, Bone], style: Style, u: float) -> Pose:
    """Return hips, trunk, head and arms at a phase of the left foot."""
    pose = Pose(bones)
    once = _wave(u)
    pose.shift[:] = (
        style.sway * _wave(u - 0.30),
        0.004 * _wave(2.0 * (u - 0.1)),
        style.bob * _wave(2.0 * (u - style.top)),
    )
    yaw = -style.yaw * once
    roll = -style.roll * _wave(u - 0.17)
    lean = style.lean + 0.12 * style.lean * _wave(2.0 * (u - 0.08))
    pose.turns["Hips"] = turned(0.45 * lean, roll, yaw)
    # the chest lags a little behind the hips
    level = -1.25 * roll
    for joint, share, late in (("Spine", 0.3, 0.0), ("Spine1", 0.35, 0.012),
                               ("Spine2", 0.35, 0.024)):  # fmt: skip
        twist = style.chest * _wave(u - late) - yaw
        pose.turns[joint] = turned(0.19 * lean, share * level, share * twist)
    _look_ahead(pose, 0.3 * lean)
    for side, sign in SIDES:
        _swing_arm(pose, style, side, sign, u if sign > 0.0 else u + 0.5)
    return pose


def _look_ahead(pose: Pose, nod: float) -> None:
    """Turn neck and head so that the eyes stay where they look."""
    chest = pose.net("Spine2")
    ahead = about(X, nod)
    pose.turns["Neck"] = chest.T @ _between(chest, ahead, 0.5)
    pose.turns["Head"] = pose.net("Neck").T @ ahead


def _swing_arm(pose: Pose, style: Style, side: str, sign: float, u: float) -> None:
    """Pose one arm; it goes back as the leg of its side goes ahead."""
    bones = pose.bones
    swing = style.bias + style.swing * _wave(u - 0.015)
    shoulder = 0.12 * style.swing * _wave(u)
    pose.turns[side + "Shoulder"] = turned(0.0, sign * 4.0, sign * shoulder)
    hang = turned(0.0, sign * (45.0 - style.spread), 0.0)
    inwards = about(bones[side + "Arm"].axes[:, 1], -sign * 10.0)
    pose.turns[side + "Arm"] = turned(swing, 0.0, 0.0) @ hang @ inwards
    middle, more = style.elbow
    # the forearm lags behind the upper arm, the hand behind the forearm
    bend(pose, side + "ForeArm", middle - more * _wave(u - 0.07))
    bend(pose, side + "Hand", 6.0 - 0.25 * style.swing * _wave(u - 0.16))
    curl_fingers(pose, side, style.fist)


def curl_fingers(pose: Pose, side: str, angle: float) -> None:
    """Bend all fingers of a hand."""
    for finger, share in (("Index", 0.9), ("Middle", 1.1), ("Thumb", 0.5)):
        for k in ("1", "2"):
            bend(pose, f"{side}Hand{finger}{k}", share * angle)


def bend(pose: Pose, joint: str, angle: float) -> None:
    """Turn a joint about its own x axis [deg]."""
    pose.turns[joint] = about(pose.bones[joint].axes[:, 0], angle)


def turned(lean: float, roll: float, yaw: float) -> Floats:
    """Return a turn about x, then y, then z [deg]."""
    return about(Z, yaw) @ about(Y, roll) @ about(X, lean)


def _between(a: Floats, b: Floats, share: float) -> Floats:
    """Return the rotation part of the way from one to another."""
    mixed = (1.0 - share) * a + share * b
    u, _, v = np.linalg.svd(mixed)
    turn: Floats = u @ v
    return turn


def _wave(u: float) -> float:
    return cos(2.0 * pi * u)
