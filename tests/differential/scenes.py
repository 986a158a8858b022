"""Rigs in scenes: every rig file with every matching clip, and robots from files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import panda3d.core as p3d

import ikrig
from tests.golden.stage import Stage, pairs

RATE = 60.0
SECONDS = 4.0
ROBOTS = 28
SOLVES = 6

Cases = Iterator[tuple[str, np.ndarray]]


def clips() -> Cases:
    """The first seconds of every rig with every clip that fits it, at 60 Hz."""
    for rig, clip in pairs():
        stage = Stage(rig, clip)
        group = "actors" if stage.rig.behaviours else "nodes"
        marks = []
        for _ in range(int(RATE * SECONDS)):
            stage.step(1.0 / RATE)
            marks.append(stage.marks())
        stage.close()
        yield f"{group}/{rig} {clip}", np.array(marks)


def robots() -> Cases:
    """Robots of others: where the tools go after some goals."""
    found = 0
    for path in robot_files():
        if found == ROBOTS:
            return
        try:
            model = ikrig.load_robot(path, allow=[path.parents[2]])
        except ikrig.IkrigError:
            continue
        scene = p3d.NodePath("scene")
        robot = ikrig.Robot(model, scene, shapes=None)
        rng = np.random.default_rng(len(path.stem))
        parents = set(model.parents.tolist())
        tips = [b for b in range(1, len(model.body_names)) if b not in parents]
        rows = []
        for tip in tips[:3]:
            length = _joints_above(model, tip)
            if length == 0:
                continue
            node = robot.body(model.body_names[tip])
            try:
                chain = ikrig.IKChain(node, min(length, 7), solver="dls")
            except ikrig.BindError:
                # all joints at one place: nothing that could reach
                continue
            start = node.get_pos(scene)
            for _ in range(SOLVES):
                chain.target.set_pos(
                    scene, start + p3d.LVector3f(*rng.normal(0, 0.1, 3))
                )
                chain.update(1.0 / RATE)
                rows.append([*node.get_pos(scene), *node.get_quat(scene)])
        robot.remove()
        if not rows:
            continue
        found += 1
        yield f"robots/{path.parts[-3]} {path.stem}", np.array(rows)


def robot_files() -> list[Path]:
    """Every URDF of the example-robot-data package; none where it is not installed."""
    folder = Path(np.__file__).parents[1] / "cmeel.prefix/share/example-robot-data"
    return sorted(folder.glob("robots/**/*.urdf"))


GROUPS = (clips, robots)


def _joints_above(model: ikrig.RobotModel, body: int) -> int:
    count = 0
    while body > 0:
        count += int(model.body_joints[body + 1] - model.body_joints[body])
        body = int(model.parents[body])
    return count
