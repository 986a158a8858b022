"""What a demo or a test may want to know of the clips, for `humanoid.json`."""

from __future__ import annotations

from math import ceil
from typing import Any

from .clips import IDLE_FRAMES, RATE, RUN, WALK, WAVE_FRAMES
from .legs import Gait

FEET = ("LeftFoot", "RightFoot")
TOES = ("LeftToeBase", "RightToeBase")


def make_notes() -> dict[str, Any]:
    """Return rate, speeds, and the frames in which each joint's sole stands still.

    A stretch of frames is [first, last]; a clip goes on from its last frame with its
    first. While toes stand and the foot does not, the heel is up.
    """
    clips: dict[str, Any] = {}
    for name, gait in (("walk", WALK), ("run", RUN)):
        clips[name] = {
            "frames": gait.frames,
            "speed": gait.speed,
            "planted": _planted(gait),
        }
    for name, frames in (("idle", IDLE_FRAMES), ("wave", WAVE_FRAMES)):
        whole = {joint: [[0, frames - 1]] for joint in FEET + TOES}
        clips[name] = {"frames": frames, "speed": 0.0, "planted": whole}
    return {"file": "humanoid.bam", "rate": RATE, "faces": "-y", "clips": clips}


def _planted(gait: Gait) -> dict[str, list[list[int]]]:
    planted = {}
    for joints, end in ((FEET, gait.flat[1]), (TOES, gait.off)):
        for joint, late in zip(joints, (0.0, 0.5), strict=True):
            first = ceil((gait.flat[0] + late) * gait.frames)
            last = ceil((end + late) * gait.frames) - 1
            planted[joint] = _wrapped(first, last, gait.frames)
    return planted


def _wrapped(first: int, last: int, frames: int) -> list[list[int]]:
    if last < frames:
        return [[first, last]]
    if first >= frames:
        return [[first - frames, last - frames]]
    return [[0, last - frames], [first, frames - 1]]
