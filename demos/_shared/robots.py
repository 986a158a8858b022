"""Robots from files: which there are, what their tools are, how they should stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import ikrig
from demos._shared import six_axis
from ikrig.math3d.quaternion import Floats

TURNING = (ikrig.JointKind.HINGE, ikrig.JointKind.BALL)
POSES = 4000  # to choose from
LIMBS = 6  # no more handles than that
FINGER = 2  # so many joints after a fork are a finger's, not a limb's


@dataclass(frozen=True)
class Limb:
    """What ends in a tool.

    Attributes:
        tool: Name of the body that should reach.
        joints: Rows of the joints that move it, from the base on.
    """

    tool: str
    joints: tuple[int, ...]


def load(file: Path | None) -> ikrig.RobotModel:
    """Read a robot; without a file one that is installed, or our own.

    Raises:
        IkrigError: The file can't be read; says why.
    """
    if file is not None:
        return ikrig.load_robot(file)
    for found in _installed():
        try:
            return ikrig.load_robot(found)
        except ikrig.MissingPackageError:
            break
    return six_axis.model()


def limbs(model: ikrig.RobotModel) -> list[Limb]:
    """Return the limbs of a robot, the longest first: one for an arm."""
    ways = [_joints_above(model, b) for b in range(len(model.body_names))]
    found = {_without_grip(model, way) for way in ways}
    ends = {way for way in found if way and not any(_goes_on(way, o) for o in found)}
    # a hand is the limb's end, not each of its fingers
    while True:
        fingers = {
            way: fork
            for way in ends
            if (fork := _fork(way, ends)) and len(way) - len(fork) <= FINGER
        }
        if not fingers:
            break
        ends = (ends - fingers.keys()) | set(fingers.values())
        ends = {way for way in ends if not any(_goes_on(way, o) for o in ends)}
    longest = sorted(ends, key=lambda way: (-len(way), way))[:LIMBS]
    return [
        Limb(model.body_names[max(b for b, w in enumerate(ways) if w == way)], way)
        for way in longest
    ]


@dataclass(frozen=True)
class StandingPose:
    """How a lone arm should stand.

    Attributes:
        qpos: Coordinates.
        reach: How far from its first joint it can put the tool [model's unit].
    """

    qpos: Floats
    reach: float


def stance(
    model: ikrig.RobotModel,
    limb: Limb,
    side: tuple[float, float],
    random: np.random.Generator,
) -> StandingPose:
    """Find a pose in which an arm can move its tool in every way.

    Of many it is the one whose Jacobian has the largest volume (Yoshikawa's
    manipulability), with the tool at one side, half stretched and above the floor.

    Args:
        model: The robot.
        limb: Its arm.
        side: Horizontal direction of the tool, of length 1.
        random: Chooses the poses.
    """
    state = ikrig.RobotState(model, (POSES,))
    rows = list(limb.joints)
    # in the middle of the ranges, and not much further than a quarter turn
    low, high = np.clip(model.joint_ranges[rows].T, -7.0, 7.0)
    low, high = 0.92 * low + 0.08 * high, 0.92 * high + 0.08 * low
    low, high = np.maximum(low, -2.0), np.minimum(high, 2.0)
    angles = random.uniform(low, high, (POSES, len(rows)))
    state.qpos[:, model.joint_qpos[rows]] = angles
    state.update()
    pose = state.pose
    tool = pose.xpos[:, model.body_index(limb.tool)]
    out = tool - pose.xanchor[:, rows[0]]
    reach = float(np.linalg.norm(out, axis=1).max())
    jacobian = state.jacobian(body=limb.tool)[..., model.joint_dofs[rows]]
    jacobian[:, 3:] *= 0.5 * reach
    volume = np.prod(np.linalg.svd(jacobian, compute_uv=False), axis=1)
    heights = pose.xpos[..., 2] / reach
    away = out[:, :2] @ side / reach
    good = (away > 0.35) & (away < 0.7) & (heights.min(axis=1) > -1e-6)
    good &= (tool[:, 2] > 0.2 * reach) & (tool[:, 2] < 0.6 * reach)
    good &= np.linalg.norm(out[:, :2], axis=1) < 1.1 * away * reach
    # upright and not twisted
    score = np.log(volume + 1e-9) + 8.0 * heights.mean(axis=1)
    score -= 0.1 * np.square(angles[:, 1:]).sum(axis=1) - 100.0 * good
    return StandingPose(np.array(state.qpos[np.argmax(score)]), reach)


def _installed() -> Iterator[Path]:
    """Yield model files of packages that are installed; none is imported."""
    spec = find_spec("pybullet_data")
    for folder in (spec and spec.submodule_search_locations) or ():
        yield Path(folder) / "kuka_iiwa" / "model.urdf"
    try:
        data = distribution("example-robot-data")
    except PackageNotFoundError:
        return
    robots = data.locate_file("cmeel.prefix/share/example-robot-data/robots")
    yield Path(str(robots)) / "ur_description" / "urdf" / "ur5_robot.urdf"


def _joints_above(model: ikrig.RobotModel, body: int) -> tuple[int, ...]:
    """Return the joints that move a body against its robot, from the base on."""
    joints: list[int] = []
    while body > 0:
        first, end = model.body_joints[body : body + 2]
        joints[:0] = range(first, end)
        body = int(model.parents[body])
    free = ikrig.JointKind.FREE
    return tuple(j for j in joints if model.joint_kinds[j] is not free)


def _without_grip(model: ikrig.RobotModel, way: tuple[int, ...]) -> tuple[int, ...]:
    """Leave out the slides after the last joint that turns: a gripper's."""
    turning = [k for k, j in enumerate(way) if model.joint_kinds[j] in TURNING]
    return way[: turning[-1] + 1] if turning else way


def _goes_on(way: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return len(other) > len(way) and other[: len(way)] == way


def _fork(way: tuple[int, ...], ends: set[tuple[int, ...]]) -> tuple[int, ...]:
    """Return what a way has in common with the one it leaves last."""
    shared = [
        next((k for k, (a, b) in enumerate(zip(way, o, strict=False)) if a != b), 0)
        for o in ends
        if o != way
    ]
    return way[: max(shared, default=0)]
