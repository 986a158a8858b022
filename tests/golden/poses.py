"""Golden poses: bone positions of every rig at some times of every clip.

Whole numbers, ten-thousandths of its size: ``poses.json`` is for machines to compare
and for people to see in a diff which rig has changed.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np

from tests.golden.stage import Stage, pairs

FILE = Path(__file__).with_name("poses.json")
PARTS = 1e4
"""So many parts has a rig's size."""
WHEN = (0.17, 0.47, 0.83)
"""Shares of a clip's duration."""

Poses = dict[str, dict[str, list[int]]]


def play(rig: str, clip: str) -> dict[str, list[int]]:
    """Return the pose at each time: x, y, z of bone after bone."""
    stage = Stage(rig, clip)
    found = {}
    for share in WHEN:
        stage.go_to(share * stage.player.duration)
        numbers = np.rint(PARTS * stage.marks()).astype(int).ravel().tolist()
        found[f"{stage.player.time:.3f}"] = numbers
    stage.close()
    return found


def play_all() -> Poses:
    """Return all of them, by the names of rig and clip."""
    return {f"{rig} {clip}": play(rig, clip) for rig, clip in pairs()}


def read() -> Poses:
    """Return what the file has."""
    poses: Poses = json.loads(FILE.read_text(encoding="utf-8"))
    return poses


def write(poses: Poses) -> None:
    """Write the file: a line for each pose."""
    lines = []
    for name, times in poses.items():
        rows = [f"  {json.dumps(time)}: {json.dumps(p)}" for time, p in times.items()]
        lines.append(f" {json.dumps(name)}: {{\n" + ",\n".join(rows) + "\n }")
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def digest(times: dict[str, list[int]]) -> str:
    """Return a short word that is another one when a pose is."""
    return sha256(json.dumps(times).encode()).hexdigest()[:10]
