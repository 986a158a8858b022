"""Standing poses of robots from files, and paths for their tools."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import ikrig
from demos._shared.robots import Limb, roaming
from ikrig.math3d.quaternion import Floats

POSES = 4000  # number of random poses to choose from
LEG = 4  # number of last joints of a limb that are bent
BEND = 1.3  # maximum bend of each [rad]
FREE_ENOUGH = 0.12  # least motion of a limb's tool, as a fraction of its length
FLAT = 0.02  # least motion of an arm's tool, as a fraction of its fastest
STRIDE = 0.36  # motion of a limb's tool, as a fraction of the limb's length


@dataclass(frozen=True)
class StandingPose:
    """The standing pose of a lone arm.

    Attributes:
        qpos: Coordinates.
        reach: Largest distance of the tool from its first joint [model's unit].
        flat: Whether it can move the tool only in a plane or on a line.
    """

    qpos: Floats
    reach: float
    flat: bool


def stance(
    model: ikrig.RobotModel,
    limb: Limb,
    side: tuple[float, float],
    random: np.random.Generator,
) -> StandingPose:
    """Find a pose in which an arm can move its tool in all directions.

    Of random poses it is the one whose Jacobian has the largest volume (Yoshikawa's
    manipulability), with the tool on one side, half stretched and above the floor.

    Args:
        model: The robot.
        limb: Its arm.
        side: Horizontal direction of the tool, of length 1.
        random: Source of the poses.
    """
    state = ikrig.RobotState(model, (POSES,))
    rows = list(limb.joints)
    # in the middle of the ranges, and at most little more than a quarter turn
    middle = _middle(model, rows, model.qpos0)
    low, high = np.clip(model.joint_ranges[rows].T, middle - 7.0, middle + 7.0)
    low, high = 0.92 * low + 0.08 * high, 0.92 * high + 0.08 * low
    low, high = np.maximum(low, middle - 2.0), np.minimum(high, middle + 2.0)
    angles = random.uniform(low, high, (POSES, len(rows)))
    state.qpos[:, model.joint_qpos[rows]] = angles
    state.update()
    pose = state.pose
    tool, jacobian = _tool_and_jacobian(state, limb)
    out = tool - pose.xanchor[:, rows[0]]
    reach = float(np.linalg.norm(out, axis=1).max())
    jacobian = jacobian[..., model.joint_dofs[rows]]
    jacobian[:, 3:] *= 0.5 * reach
    ways = np.linalg.svd(jacobian[:, :3], compute_uv=False)
    volume = np.prod(np.linalg.svd(jacobian, compute_uv=False), axis=1)
    heights = pose.xpos[..., 2] / reach
    away = out[:, :2] @ side / reach
    good = (away > 0.35) & (away < 0.7) & (heights.min(axis=1) > -1e-6)
    good &= (tool[:, 2] > 0.2 * reach) & (tool[:, 2] < 0.6 * reach)
    good &= np.linalg.norm(out[:, :2], axis=1) < 1.1 * away * reach
    # upright and not twisted
    score = np.log(volume + 1e-9) + 8.0 * heights.mean(axis=1)
    score -= 0.1 * np.square(angles[:, 1:]).sum(axis=1) - 100.0 * good
    best = int(np.argmax(score))
    flat = ways.shape[1] < 3 or bool(ways[best, 2] < FLAT * ways[best, 0])
    return StandingPose(np.array(state.qpos[best]), reach, flat)


def is_leg(model: ikrig.RobotModel, limb: Limb) -> bool:
    """Whether a lone limb is a leg, which hangs from a freely moving robot."""
    state = ikrig.RobotState(model)
    state.update()
    tool, _ = _tool_and_jacobian(state, limb)
    below = tool[2] < state.pose.xanchor[limb.joints[0], 2] - 1e-6
    return bool(roaming(model)) and bool(below)


def bent(model: ikrig.RobotModel, limbs: Sequence[Limb]) -> Floats:
    """Return coordinates in which every limb can move its tool in all directions.

    A straight limb is bent a little, with its tool below or beside its old position: no
    method finds the direction to bend a straight one, and the tool would end far off.

    Args:
        model: The robot.
        limbs: Its limbs.
    """
    qpos = np.array(model.qpos0)
    for limb in limbs:
        rows = [j for j in limb.joints if model.joint_kinds[j].coordinates == 1]
        # joints shared with other limbs were bent with the first
        rows = rows[-LEG:]
        if len(rows) < 2:
            continue
        at = model.joint_qpos[rows]
        middle = _middle(model, rows, qpos)
        slides = [model.joint_kinds[j] is ikrig.JointKind.SLIDE for j in rows]
        room = np.where(slides, 0.0, BEND)
        low, high = np.clip(model.joint_ranges[rows].T, middle - room, middle + room)
        angles = np.random.default_rng(7).uniform(low, high, (POSES, len(rows)))
        # the current pose is one of the candidates
        angles[0] = qpos[at]
        state = ikrig.RobotState(model, (POSES,), qpos=qpos)
        state.qpos[:, at] = angles
        state.update()
        tool, jacobian = _tool_and_jacobian(state, limb)
        lever = np.linalg.norm(tool[0] - state.pose.xanchor[0, rows[0]]) + 1e-9
        sizes = np.linalg.svd(
            jacobian[:, :3, model.joint_dofs[rows]] / lever, compute_uv=False
        )
        # a limb with parallel axes moves its tool in a plane at best
        most = min(2, len(rows) - 1)
        while most > 1 and sizes[:, most].max() < 0.5 * FREE_ENOUGH:
            most -= 1
        freedom = sizes[:, most]
        if freedom[0] > FREE_ENOUGH:
            continue
        moved = (tool - tool[0]) / lever
        aside = np.linalg.norm(moved[:, :2], axis=1)
        score = np.minimum(freedom, 0.3) - 0.12 * np.square(angles).sum(axis=1)
        score -= 1.5 * aside + 0.5 * np.abs(moved[:, 2])
        qpos[at] = angles[np.argmax(score)]
    return qpos


def stride(
    model: ikrig.RobotModel, qpos: Floats, limb: Limb, limbs: Sequence[Limb]
) -> Floats:
    """Return an offset that a limb's tool can reach from a pose, (3,) [model's unit].

    It leads towards the limb's root, as when a foot is lifted or a finger is bent, as
    far as the limb's own joints allow; a stiff limb's leads where they move it most.

    Args:
        model: The robot.
        qpos: The pose.
        limb: The limb.
        limbs: All limbs: joints that they share with others do not move.
    """
    shared = {j for other in limbs if other is not limb for j in other.joints}
    rows = [j for j in limb.joints if model.joint_kinds[j].coordinates == 1]
    own = [j for j in rows if j not in shared] or rows
    if not own:
        return np.zeros(3)
    state = ikrig.RobotState(model, qpos=qpos)
    state.update()
    start, jacobian = _tool_and_jacobian(state, limb)
    start = np.array(start)
    points = np.array([*state.pose.xanchor[own], start])
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()) + 1e-9
    sides, _, _ = np.linalg.svd(jacobian[:3, model.joint_dofs[own]])
    home = (points[0] - start) / (np.linalg.norm(points[0] - start) + 1e-9)
    # upwards rather than down
    round_it = math.copysign(1.0, sides[2, 0]) * sides[:, 0]
    moved = np.zeros(3)
    for direction in (home, round_it):
        state.qpos[:] = qpos
        moved = (
            _go(state, limb, own, start + STRIDE * length * direction, length) - start
        )
        if np.linalg.norm(moved) > 0.5 * STRIDE * length:
            break
    return moved


def _middle(model: ikrig.RobotModel, rows: Sequence[int], qpos: Floats) -> Floats:
    """Return the middle of the tried poses: 0 for angles, the position of slides."""
    slides = [model.joint_kinds[j] is ikrig.JointKind.SLIDE for j in rows]
    low, high = model.joint_ranges[rows].T
    at = qpos[model.joint_qpos[rows]]
    middle: Floats = np.clip(np.where(slides, at, 0.0), low, high)
    return middle


def _go(
    state: ikrig.RobotState, limb: Limb, own: Sequence[int], goal: Floats, length: float
) -> Floats:
    """Move a tool as near to a goal as some of its joints can; return its position."""
    model = state.model
    at, (low, high) = model.joint_qpos[own], model.joint_ranges[own].T
    # a straight limb would not find the direction to bend
    low, high = np.maximum(low, -math.pi), np.minimum(high, math.pi)
    state.update()
    start = np.array(_tool_and_jacobian(state, limb)[0])
    state.qpos[at] += 0.1 * np.sign(0.5 * (low + high) - state.qpos[at])
    # along the straight line that the tool will follow
    for share in np.repeat(np.linspace(0.1, 1.0, 10), 6):
        state.update()
        tool, jacobian = _tool_and_jacobian(state, limb)
        moves = jacobian[:3, model.joint_dofs[own]]
        square = moves @ moves.T + (0.05 * length) ** 2 * np.eye(3)
        gap = start + share * (goal - start) - tool
        step = moves.T @ np.linalg.solve(square, gap)
        state.qpos[at] = np.clip(state.qpos[at] + step, low, high)
    state.update()
    return np.array(_tool_and_jacobian(state, limb)[0])


def _tool_and_jacobian(state: ikrig.RobotState, limb: Limb) -> tuple[Floats, Floats]:
    """Return the position of a limb's tool and its Jacobian."""
    model = state.model
    if limb.site:
        tool = state.pose.site_xpos[..., model.site_index(limb.tool), :]
        return tool, state.jacobian(site=limb.tool)
    tool = state.pose.xpos[..., model.body_index(limb.tool), :]
    return tool, state.jacobian(body=limb.tool)
