"""Motions for tests: of the project's characters, repeated, with feet moved, repaired.

Nothing here asks ikrig how good a motion is; ``repaired`` finds stances by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from direct.actor.Actor import Actor

import ikrig
from ikrig import Motion
from ikrig.math3d.quaternion import conjugate, multiply, rotate
from ikrig.scene.motion.watch import played

ASSETS = Path(__file__).parents[1] / "assets"
LEGS = {
    "LeftFoot": ("LeftUpLeg", "LeftLeg", "LeftFoot"),
    "RightFoot": ("RightUpLeg", "RightLeg", "RightFoot"),
}
CMU_LEGS = {
    f"{side}Ankle": (f"{side}Hip", f"{side}Knee", f"{side}Ankle")
    for side in ("Left", "Right")
}
CMU_ENDS = ("hand", "Fingers", "Thumb", "Toe_end")
"""Joints of the CMU captures that are never clean."""


@cache
def humanoid(clip: str, rounds: int = 1) -> Motion:
    """A clip of our humanoid, on z = 0, played several times on end."""
    actor = Actor(str(ASSETS / "models" / "humanoid.bam"))
    motion = ikrig.actor_motion(actor, clip).with_changes(name=clip)
    actor.cleanup()
    return repeated(motion, rounds)


@cache
def on_rig(rig: str, clip: str) -> list[Motion]:
    """What a rig of the project does as one of its clips plays."""
    made = ikrig.load_rig(ASSETS / "rigs" / f"{rig}.yaml")
    seen = played(made, ikrig.load_clip(ASSETS / "clips" / f"{clip}.yaml"), 60.0)
    motions = [m.with_changes(name=f"{clip} {m.name}") for m in seen.motions().values()]
    made.remove()
    return motions


def repeated(motion: Motion, rounds: int) -> Motion:
    """A motion played several times; its roots go on from where they are."""
    frames, roots = len(motion), [p < 0 for p in motion.parents]
    places = np.tile(motion.positions, (rounds, 1, 1))
    step = (motion.positions[-1] - motion.positions[0]) * frames / max(1, frames - 1)
    step[:, 2] = 0.0
    if np.linalg.norm(step[roots], axis=1).max() > 0.3:
        for k in range(rounds):
            places[k * frames : (k + 1) * frames, roots] += k * step[roots]
    return motion.with_changes(
        rotations=np.tile(motion.rotations, (rounds, 1, 1)),
        positions=places,
        times=np.arange(rounds * frames) / motion.fps,
    )


def moved(motion: Motion, shift: np.ndarray) -> Motion:
    """The motion with its roots moved by (frames, 3) or (3,)."""
    places = motion.positions.copy()
    for joint, above in enumerate(motion.parents):
        if above < 0:
            places[:, joint] += shift
    return motion.with_changes(positions=places)


def turned(
    motion: Motion, joint: str, degrees: np.ndarray, axis: Sequence[float]
) -> Motion:
    """The motion with a joint turned further about an axis of its parent."""
    k, half = motion.index(joint), 0.5 * np.radians(degrees)
    unit = np.array(axis, float) / np.linalg.norm(axis)
    q = np.column_stack([np.cos(half), np.sin(half)[:, None] * unit])
    turns = motion.rotations.copy()
    turns[:, k] = multiply(q, turns[:, k])
    return motion.with_changes(rotations=turns)


def feet_moved(
    motion: Motion, legs: Mapping[str, Sequence[str]], shifts: Mapping[str, np.ndarray]
) -> Motion:
    """The motion with ankles moved in the world by (frames, 3), knees bent as needed.

    Feet keep their rotations; a leg that is too short is straight.
    """
    local = motion.rotations.copy()
    turns, places = motion.global_rotations, motion.global_positions
    for foot, shift in shifts.items():
        hip, knee, ankle = (motion.index(joint) for joint in legs[foot])
        thigh = places[:, knee] - places[:, hip]
        shin = places[:, ankle] - places[:, knee]
        a, b = (np.linalg.norm(bone, axis=1) for bone in (thigh, shin))
        way = places[:, ankle] + shift - places[:, hip]
        far = np.clip(
            np.linalg.norm(way, axis=1), np.abs(a - b) + 1e-6, 0.9999 * (a + b)
        )
        # about the knee's own axis, also where it is straight or bent the wrong way
        side = np.cross(thigh, shin)
        own = rotate(conjugate(turns[:, hip]), side).sum(axis=0)
        side = rotate(turns[:, hip], own / np.linalg.norm(own))
        side -= (side * thigh).sum(axis=1, keepdims=True) * thigh / a[:, None] ** 2
        side /= np.linalg.norm(side, axis=1, keepdims=True)
        sine = (np.cross(thigh, shin) * side).sum(axis=1)
        bend = np.arctan2(sine, (thigh * shin).sum(axis=1))
        wanted = np.arccos(np.clip((far**2 - a**2 - b**2) / (2.0 * a * b), -1.0, 1.0))
        bent = about(side, wanted - bend)
        swing = from_to(thigh + rotate(bent, shin), way)
        upper = multiply(swing, turns[:, hip])
        lower = multiply(multiply(swing, bent), turns[:, knee])
        local[:, hip] = multiply(conjugate(turns[:, motion.parents[hip]]), upper)
        local[:, knee] = multiply(conjugate(upper), lower)
        local[:, ankle] = multiply(conjugate(lower), turns[:, ankle])
    return motion.with_changes(rotations=local)


def about(axes: np.ndarray, angles: np.ndarray) -> np.ndarray:
    return np.column_stack([np.cos(0.5 * angles), np.sin(0.5 * angles)[:, None] * axes])


def from_to(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    a, b = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (a, b))
    q = np.column_stack([1.0 + (a * b).sum(axis=1), np.cross(a, b)])
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def repaired(motion: Motion) -> Motion:
    """A CMU capture without hands and toe ends, with feet that neither slide nor sink.

    A foot stands while its toe is slow and low: there it is held in place,
    on z = 0. In between it is moved smoothly, and lifted so that it clears
    the ground. Hips are lowered where a leg would be too short.
    """
    kept = [
        k
        for k, name in enumerate(motion.names)
        if not any(end in name for end in CMU_ENDS)
    ]
    order = {k: n for n, k in enumerate(kept)}
    motion = motion.with_changes(
        names=[motion.names[k] for k in kept],
        parents=[order.get(motion.parents[k], -1) for k in kept],
        offsets=motion.offsets[kept],
        rest_rotations=motion.rest_rotations[kept],
        rotations=motion.rotations[:, kept],
        positions=motion.positions[:, kept],
    )
    # toes and wrists of the captures are not steady: feet and hands are rigid
    turns = motion.rotations.copy()
    for k in range(1, len(turns)):
        turns[k] *= np.where((turns[k] * turns[k - 1]).sum(axis=1) < 0, -1, 1)[:, None]
    # and markers flicker: a mean over five frames
    weights = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0
    padded = np.pad(turns, ((2, 2), (0, 0), (0, 0)), mode="edge")
    turns = np.lib.stride_tricks.sliding_window_view(padded, 5, axis=0) @ weights
    for side in ("Left", "Right"):
        for joint in ("Toe", "Wrist"):
            turns[:, motion.index(f"{side}{joint}")] = (1.0, 0.0, 0.0, 0.0)
    soles = {f: [(f.replace("Ankle", "Toe"), (0.0, 0.0, 0.0))] for f in CMU_LEGS}
    motion = motion.with_changes(rotations=turns, soles=soles)
    shifts = {foot: _held(motion, foot) for foot in CMU_LEGS}
    short = np.zeros(len(motion))
    for foot, (hip, knee, ankle) in CMU_LEGS.items():
        a, b, c = (
            motion.global_positions[:, motion.index(j)] for j in (hip, knee, ankle)
        )
        leg = np.linalg.norm(b - a, axis=1) + np.linalg.norm(c - b, axis=1)
        way = c + shifts[foot] - a
        level = np.linalg.norm(way[:, :2], axis=1)
        reach = np.sqrt(np.maximum((0.99 * leg) ** 2 - level**2, 0.0))
        short = np.maximum(short, np.maximum(-way[:, 2] - reach, 0.0))
    # the largest of a quarter of a second, then its mean over the same time
    width = round(0.25 * motion.fps) // 2 * 2 + 1
    for reduce in (np.max, np.mean, np.mean):
        padded = np.pad(short, width // 2, mode="edge")
        short = reduce(np.lib.stride_tricks.sliding_window_view(padded, width), axis=-1)
    down = np.column_stack([0.0 * short, 0.0 * short, -short])
    up = {foot: shift - down for foot, shift in shifts.items()}
    return feet_moved(moved(motion, down), CMU_LEGS, up)


def _held(motion: Motion, foot: str) -> np.ndarray:
    """How far a foot must move in each frame so that it stands still, (frames, 3)."""
    joints = [motion.index(foot), motion.index(foot.replace("Ankle", "Toe"))]
    frames, fps = len(motion), motion.fps
    places = motion.global_positions[:, joints]
    toe = places[:, 1]
    speed = np.linalg.norm(np.gradient(toe[:, :2], 1.0 / fps, axis=0), axis=-1)
    level = np.median(toe[speed < 0.2, 2])
    slow = (speed < 0.6) & (toe[:, 2] < level + 0.05)
    for a, b in _stances(~slow, 0):
        # too short for a swing
        slow[a:b] |= a > 0 and b < frames and b - a < 0.15 * fps
    stands = _stances(slow, round(0.15 * fps))
    shift = np.full((frames, 3), np.nan)
    for a, b in stands:
        shift[a:b] = np.median(toe[a:b], axis=0) - toe[a:b]
        shift[a:b, 2] = -toe[a:b, 2]
    known = np.flatnonzero(np.isfinite(shift[:, 0]))
    for a, b in zip([-1, *known], [*known, frames], strict=True):
        for k in range(a + 1, b):
            t = (k - a) / (b - a)
            ends = [shift[c] for c in (a, b) if 0 <= c < frames]
            s = t * t * (3.0 - 2.0 * t)
            shift[k] = (1.0 - s) * ends[0] + s * ends[-1]
            # a foot that swings is in the air
            if len(ends) == 2:
                shift[k, 2] += 0.05 * np.sin(np.pi * t) ** 2
    shift[:, 2] = np.maximum(shift[:, 2], -places[..., 2].min(axis=1))
    return shift


def _stances(slow: np.ndarray, least: int) -> list[tuple[int, int]]:
    ends = np.flatnonzero(np.diff(np.r_[0, slow.astype(int), 0])).reshape(-1, 2)
    return [(a, b) for a, b in ends.tolist() if b - a >= least]
