"""50 planted faults and 20 clean clips: ``python -m tests.bench.quality [CAPTURES]``.

CAPTURES is a folder with cmu_131_01.bvh and cmu_131_02.bvh; without it, only what is
made from the project's own clips runs. Faults and clips are fixed here, and were before
the thresholds of ``ikrig.quality`` were first run on them.

A fault is found if its measure is beyond the limit, and was not in the clean clip; a
leap only at its frame and with its cause.
"""

# the table is as wide as its rows
# ruff: noqa: E501

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import ikrig
from ikrig import Motion
from ikrig.math3d.quaternion import multiply
from ikrig.quality import MEASURES, Report, measure
from tests.motions import (
    CMU_LEGS,
    LEGS,
    feet_moved,
    humanoid,
    moved,
    on_rig,
    repaired,
    turned,
)

CAPTURES: list[Path] = []
"""The folder of the captures, if it is given."""


@cache
def capture(number: str, first: int, end: int, step: int = 1) -> Motion:
    if not CAPTURES:
        raise FileNotFoundError("captures")
    path = CAPTURES[0] / f"cmu_131_{number}.bvh"
    whole = {"01": (120, 900), "02": (300, 1150)}[number]
    return mended(path, *whole).between(first, end, step)


@cache
def mended(path: Path, first: int, end: int) -> Motion:
    return repaired(ikrig.load_bvh(path).between(first, end))


BASES: dict[str, tuple[Callable[[], Motion], float | None]] = {
    "idle": (lambda: humanoid("idle"), 0.0),
    "walk": (lambda: humanoid("walk", 4), 0.0),
    "run": (lambda: humanoid("run", 6), 0.0),
    "wave": (lambda: humanoid("wave"), 0.0),
    "greet": (lambda: on_rig("humanoid", "humanoid_greet")[0], None),
    "capture": (lambda: capture("02", 0, 850, 2), None),
    "fast": (lambda: capture("01", 0, 780), None),
}
"""What faults are planted in, and its ground."""

CLEAN: dict[str, tuple[Callable[[], Motion], float | None]] = {
    **{name: BASES[name] for name in ("idle", "walk", "run", "wave", "greet")},
    "clouds": (lambda: on_rig("humanoid", "humanoid_clouds")[0], None),
    "torch": (lambda: on_rig("torch", "torch_search")[0], None),
    "tentacle": (lambda: on_rig("tentacle", "tentacle_sway")[0], None),
    "arm": (lambda: on_rig("arm", "wave")[0], None),
    "robot_arm": (lambda: on_rig("robot_arm", "robot_arm_pick")[0], None),
    **{
        f"capture {number} {first}-{end}, {120 // step} fps": (
            lambda number=number, first=first, end=end, step=step: capture(
                number, first, end, step
            ),
            None,
        )
        for number, first, end in (
            ("01", 0, 390),
            ("01", 390, 780),
            ("02", 0, 280),
            ("02", 280, 560),
            ("02", 560, 850),
        )
        for step in (1, 2)
    },
}


# -- ways to plant ---------------------------------------------------------------------


def ease(motion: Motion, first: int, end: int) -> np.ndarray:
    """0 before a frame, 1 from another one on, smooth in between."""
    t = np.clip((np.arange(len(motion)) - first) / (end - first), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def ramp(motion: Motion, first: int, end: int) -> np.ndarray:
    return np.clip((np.arange(len(motion)) - first) / (end - first), 0.0, 1.0)


def bump(motion: Motion, first: int, end: int) -> np.ndarray:
    t = ramp(motion, first, end)
    return 0.5 - 0.5 * np.cos(2.0 * np.pi * t)


def at(motion: Motion, *frames: int) -> np.ndarray:
    found = np.zeros(len(motion))
    found[list(frames)] = 1.0
    return found


def since(motion: Motion, frame: int) -> np.ndarray:
    return (np.arange(len(motion)) >= frame).astype(float)


def by(amount: np.ndarray, x: float, y: float, z: float) -> np.ndarray:
    return amount[:, None] * np.array([x, y, z])


def foot(motion: Motion, name: str, shift: np.ndarray) -> Motion:
    return feet_moved(motion, LEGS if name in LEGS else CMU_LEGS, {name: shift})


def faster(motion: Motion, factor: float) -> Motion:
    roots = [p < 0 for p in motion.parents]
    places = motion.positions.copy()
    places[:, roots, :2] *= factor
    return motion.with_changes(positions=places)


def several(
    motion: Motion, joints: dict[str, tuple[float, float, float]], when: np.ndarray
) -> Motion:
    """Joints turned by the length of a vector [deg] about it."""
    for joint, axis in joints.items():
        degrees = float(np.linalg.norm(axis))
        motion = turned(motion, joint, degrees * when, axis)
    return motion


def other_pose(motion: Motion, other: Motion, frame: int, start: int) -> Motion:
    """The rotations of another motion from a frame on, of all joints."""
    turns = motion.rotations.copy()
    for k in range(frame, len(motion)):
        turns[k] = other.rotations[(start + k - frame) % len(other)]
    return motion.with_changes(rotations=turns)


def cut_loop(name: str, length: int, rounds: int) -> Motion:
    """The first frames of a clip again and again; the figure walks on."""
    clip = humanoid(name)
    part = clip.between(0, length)
    places = np.tile(part.positions, (rounds, 1, 1))
    roots = [p < 0 for p in part.parents]
    step = (part.positions[-1] - part.positions[0]) * length / (length - 1)
    step[:, 2] = 0.0
    for k in range(rounds):
        places[k * length : (k + 1) * length, roots] += k * step[roots]
    return part.with_changes(
        rotations=np.tile(part.rotations, (rounds, 1, 1)),
        positions=places,
        times=np.arange(rounds * length) / clip.fps,
    )


def yawed(motion: Motion, degrees: float, frame: int) -> Motion:
    """The figure turned about the vertical through its root from a frame on."""
    turns = motion.rotations.copy()
    half = 0.5 * np.radians(degrees)
    turns[frame:, 0] = multiply(
        [np.cos(half), 0.0, 0.0, np.sin(half)], turns[frame:, 0]
    )
    return motion.with_changes(rotations=turns)


def without(motion: Motion, *frames: int, stamped: bool = False) -> Motion:
    """Frames dropped; the times tell only if they are stamped."""
    kept = [k for k in range(len(motion)) if k not in frames]
    times = motion.times[kept] if stamped else motion.times[: len(kept)]
    return motion.with_changes(
        rotations=motion.rotations[kept], positions=motion.positions[kept], times=times
    )


def frozen(motion: Motion, frame: int) -> Motion:
    """A frame shown as the one before it."""
    turns, places = motion.rotations.copy(), motion.positions.copy()
    turns[frame], places[frame] = turns[frame - 1], places[frame - 1]
    return motion.with_changes(rotations=turns, positions=places)


def held(motion: Motion, joint: str, first: int, end: int) -> Motion:
    """A joint that stays as it is in a frame, as at a limit, and then leaps on."""
    turns = motion.rotations.copy()
    turns[first:end, motion.index(joint)] = turns[first, motion.index(joint)]
    return motion.with_changes(rotations=turns)


def noise(motion: Motion, first: int, end: int, seed: int) -> np.ndarray:
    found = np.zeros(len(motion))
    found[first:end] = np.random.default_rng(seed).normal(size=end - first)
    return found


def shaken(motion: Motion, first: int, end: int, metres: float, seed: int) -> Motion:
    shift = [noise(motion, first, end, seed + k) for k in range(3)]
    return moved(motion, metres * np.column_stack(shift))


def dipped(motion: Motion, first: int, end: int, metres: float) -> Motion:
    """Hips down and up again; the feet stay where they are."""
    down = by(bump(motion, first, end), 0.0, 0.0, -metres)
    feet = dict.fromkeys(LEGS, -down)
    return feet_moved(moved(motion, down), LEGS, feet)


# -- the faults ------------------------------------------------------------------------

ARM = {
    "RightArm": (0.0, 25.0, 0.0),
    "RightForeArm": (0.0, 0.0, 25.0),
    "RightHand": (15.0, 0.0, 0.0),
}


@dataclass(frozen=True)
class Fault:
    """A fault: its motion, and what must be found."""

    name: str
    base: str
    plant: Callable[[Motion], Motion]
    measure: str
    frame: int | None = None
    cause: str = ""
    joint: str = ""
    sourced: bool = False


FAULTS = [
    # feet that slide
    Fault("sideways 4 cm", "walk", lambda m: moved(m, by(ramp(m, 130, 150), 0.04, 0, 0)), "drift"),
    Fault("ahead 3 cm", "walk", lambda m: moved(m, by(ramp(m, 60, 72), 0, -0.03, 0)), "drift"),
    Fault("creeps 3 cm", "idle", lambda m: moved(m, by(ramp(m, 60, 120), 0.03, 0, 0)), "drift"),
    Fault("a foot 5 cm", "idle", lambda m: foot(m, "LeftFoot", by(ease(m, 60, 90), 0.05, 0, 0)), "drift", joint="LeftFoot"),
    Fault("25 % too fast", "walk", lambda m: faster(m, 1.25), "drift"),
    Fault("on the spot", "walk", lambda m: faster(m, 0.0), "skating"),
    Fault("capture 6 cm", "capture", lambda m: moved(m, by(ramp(m, 200, 230), 0.06, 0, 0)), "drift"),
    Fault("30 % too fast", "run", lambda m: faster(m, 1.3), "skating"),
    # soles below the ground
    Fault("sinks 2.5 cm", "walk", lambda m: moved(m, by(bump(m, 100, 140), 0, 0, -0.025)), "penetration"),
    Fault("stands 1.5 cm deep", "idle", lambda m: moved(m, by(since(m, 0), 0, 0, -0.015)), "penetration"),
    Fault("a foot 3 cm deep", "idle", lambda m: foot(m, "LeftFoot", by(ease(m, 60, 90), 0, 0, -0.03)), "penetration", joint="LeftFoot"),
    Fault("capture 4 cm", "capture", lambda m: moved(m, by(bump(m, 150, 210), 0, 0, -0.04)), "penetration"),
    # soles above it
    Fault("stands 2 cm high", "idle", lambda m: moved(m, by(since(m, 0), 0, 0, 0.02)), "float"),
    Fault("a foot 3 cm high", "idle", lambda m: foot(m, "RightFoot", by(ease(m, 60, 90), 0, 0, 0.03)), "float", joint="RightFoot"),
    Fault("waves 1.5 cm high", "wave", lambda m: moved(m, by(since(m, 0), 0, 0, 0.015)), "float"),
    Fault("greets on one foot", "greet", lambda m: foot(m, "LeftFoot", by(ease(m, 60, 90), 0, 0, 0.025)), "float", joint="LeftFoot"),
    # joints that leap for a frame
    Fault("elbow 10 deg", "idle", lambda m: turned(m, "RightForeArm", 10 * at(m, 100), (0, 0, 1)), "spikes", 100, "pop", "RightForeArm"),
    Fault("knee 8 deg", "walk", lambda m: turned(m, "LeftLeg", 8 * at(m, 101), (1, 0, 0)), "spikes", 101, "pop", "LeftLeg"),
    Fault("head 12 deg", "wave", lambda m: turned(m, "Head", 12 * at(m, 80), (0, 0, 1)), "spikes", 80, "pop", "Head"),
    Fault("spine 5 deg", "walk", lambda m: turned(m, "Spine", 5 * at(m, 150), (1, 0, 0)), "spikes", 150, "pop", "Spine"),
    Fault("shoulder 12 deg", "capture", lambda m: turned(m, "LeftShoulder", 12 * at(m, 222), (1, 0, 0)), "spikes", 222, "pop", "LeftShoulder"),
    Fault("running knee 20 deg", "run", lambda m: turned(m, "RightLeg", 20 * at(m, 90), (1, 0, 0)), "spikes", 90, "pop", "RightLeg"),
    Fault("all 3 cm", "idle", lambda m: moved(m, by(at(m, 90), 0, 0, 0.03)), "spikes", 90, "pop"),
    Fault("elbow at 120 Hz", "fast", lambda m: turned(m, "RightElbow", 10 * at(m, 333), (1, 0, 0)), "spikes", 333, "pop", "RightElbow"),
    # limbs that take another pose
    Fault("arm released", "walk", lambda m: several(m, ARM, since(m, 120)), "spikes", 120, "switch"),
    Fault("idle, then wave", "idle", lambda m: other_pose(m, humanoid("wave"), 100, 90), "spikes", 100, "switch"),
    Fault("walk, then run", "walk", lambda m: other_pose(m, humanoid("run"), 128, 7), "spikes", 128, "switch"),
    Fault("leg released", "idle", lambda m: foot(m, "LeftFoot", by(ease(m, 40, 90) - since(m, 120), 0, -0.1, 0.1)), "spikes", 120, "switch"),
    Fault("hand released", "greet", lambda m: several(m, {k: (0.8 * x, 0.8 * y, 0.8 * z) for k, (x, y, z) in ARM.items()}, since(m, 120)), "spikes", 120, "switch"),
    Fault("trunk 8 deg", "capture", lambda m: several(m, dict.fromkeys(("Chest", "Chest2", "Neck", "LeftShoulder", "RightShoulder"), (8.0, 0.0, 0.0)), since(m, 180)), "spikes", 180, "switch"),
    # loops that do not close
    Fault("walk of 50 frames", "walk", lambda m: cut_loop("walk", 50, 4), "spikes", 50, "seam"),
    Fault("wave of 100 frames", "wave", lambda m: m.between(0, 100).with_changes(loop=True), "spikes", 0, "seam"),
    Fault("run of 30 frames", "run", lambda m: cut_loop("run", 30, 3), "spikes", 30, "seam"),
    Fault("capture of 200 frames", "capture", lambda m: m.between(0, 200).with_changes(loop=True), "spikes", 0, "seam"),
    # figures that are elsewhere
    Fault("0.5 m ahead", "walk", lambda m: moved(m, by(since(m, 100), 0, -0.5, 0)), "spikes", 100, "teleport"),
    Fault("40 deg round", "idle", lambda m: yawed(m, 40.0, 120), "spikes", 120, "teleport"),
    Fault("1 m aside", "capture", lambda m: moved(m, by(since(m, 170), 1.0, 0, 0)), "spikes", 170, "teleport"),
    # frames that are late
    Fault("frame lost", "walk", lambda m: without(m, 100), "spikes", 100, "late frame"),
    Fault("frame frozen", "run", lambda m: frozen(m, 60), "spikes", 60, "late frame"),
    Fault("two late by the clock", "walk", lambda m: without(m, 100, 101, stamped=True), "spikes", 100, "late frame"),
    Fault("frame lost in capture", "capture", lambda m: without(m, 384), "spikes", 384, "late frame"),
    # what trembles
    Fault("forearm 2 deg", "idle", lambda m: turned(m, "RightForeArm", 2 * noise(m, 60, 120, 1), (0, 0, 1)), "jitter"),
    Fault("all 0.6 cm", "walk", lambda m: shaken(m, 60, 120, 0.006, 2), "jitter"),
    Fault("knee 2 deg", "capture", lambda m: turned(m, "LeftKnee", 2 * noise(m, 100, 160, 5), (1, 0, 0)), "jitter"),
    # hips that jolt
    Fault("dip 8 cm in 0.2 s", "walk", lambda m: dipped(m, 100, 112, 0.08), "hips_acceleration"),
    Fault("dip 6 cm in 0.15 s", "idle", lambda m: dipped(m, 100, 109, 0.06), "hips_acceleration"),
    # joints at limits
    Fault("knee leaves a limit", "walk", lambda m: held(m, "LeftLeg", 100, 112), "spikes", 112, "limit", "LeftLeg"),
    Fault("elbow leaves a limit", "wave", lambda m: held(m, "RightForeArm", 60, 72), "spikes", 72, "limit", "RightForeArm"),
    # beside the source
    Fault("a foot stands 4 cm high", "walk", lambda m: foot(m, "LeftFoot", by(since(m, 0), 0, 0, 0.04)), "contact_agreement", joint="LeftFoot", sourced=True),
    Fault("trembles 1 mm", "idle", lambda m: shaken(m, 0, len(m), 0.001, 8), "jerk", sourced=True),
]  # fmt: skip


def check(motion: Motion, base: str, source: Motion | None = None) -> Report:
    return measure(motion, BASES[base][1], source)


def find(fault: Fault) -> tuple[bool, str]:
    """Whether a fault is found, and what is."""
    clean = BASES[fault.base][0]()
    source = clean if fault.sourced else None
    before = check(clean, fault.base, source)
    report = check(fault.plant(clean), fault.base, source)
    new = [name for name in report.failed if name not in before.failed]
    words = ", ".join(f"{n} {report[n].value:.3g}" for n in new) or "nothing"
    found = fault.measure in new
    if fault.measure == "spikes":
        near = [s for s in report.spikes if abs(s.frame - (fault.frame or 0)) <= 1]
        words = "; ".join([words, *map(str, near)])
        found = found and any(
            s.cause == fault.cause and fault.joint in ("", s.joint) for s in near
        )
    elif found and fault.joint:
        result: Any = report[fault.measure].found
        found = result.joint == fault.joint
    return found, words


def at_hand(rows: Any) -> Iterator[Any]:
    for row in rows:
        if CAPTURES or (getattr(row, "base", row) not in ("capture", "fast")
                        and "capture" not in str(getattr(row, "base", row))):  # fmt: skip
            yield row


def main(argv: list[str]) -> int:
    CAPTURES[:] = [Path(word) for word in argv]
    for name, each in MEASURES.items():
        print(f"{name:20} {'' if each.limit is None else each.limit!s:6} {each.unit}")
    alarms = missed = clips = faults = 0
    for name in at_hand(CLEAN):
        make, ground = CLEAN[name]
        report = measure(make(), ground)
        clips += 1
        alarms += not report.ok
        words = [f"{n} {report[n].value:.3g}" for n in report.failed]
        print(
            f"{'ok ' if report.ok else '!  '} clean: {name} {words or ''}", flush=True
        )
        for spike in report.spikes if not report.ok else ():
            print(f"       {spike}")
    for fault in at_hand(FAULTS):
        found, words = find(fault)
        faults += 1
        missed += not found
        mark = "ok " if found else "!  "
        print(f"{mark} {fault.base}: {fault.name}: {words}", flush=True)
    print(
        f"{faults - missed} of {faults} faults found, {alarms} alarms in {clips} clips"
    )
    return int(missed > 0 or alarms > 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
