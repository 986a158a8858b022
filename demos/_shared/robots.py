"""Robots from files: which there are, what their tools are, how they should stand."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import panda3d.core as p3d

import ikrig
from demos._shared import six_axis
from ikrig.math3d.quaternion import Floats

TURNING = (ikrig.JointKind.HINGE, ikrig.JointKind.BALL)
POSES = 4000  # to choose from
LEG = 4  # so many last joints of a limb are bent
BEND = 1.3  # by so much at most [rad]
FREE_ENOUGH = 0.12  # share of its length by which a limb moves its tool at worst
FLAT = 0.02  # share of its fastest way by which an arm moves its tool at least
STRIDE = 0.36  # of its length, by which a limb moves its tool
LIMBS = 6  # no more handles than that
FINGER = 2  # so many joints after a fork are a finger's, not a limb's
FINGERS = ("finger", "thumb", "_tip")
# how frames that a tool is programmed by are called
TOOLS = ("tool", "tcp", "ee", "eef")
PREFIXES = ("effector", "flange", "grasp", "grip", "attachment")


@dataclass(frozen=True)
class Limb:
    """What ends in a tool.

    Attributes:
        tool: Name of the body or site that should reach.
        joints: Rows of the joints that move it, from the base on.
        site: Whether it is a site.
    """

    tool: str
    joints: tuple[int, ...]
    site: bool = False

    def node(self, robot: ikrig.Robot) -> p3d.NodePath:
        """Return the tool's node."""
        return robot.site(self.tool) if self.site else robot.body(self.tool)


def load(file: Path | None, allow: Sequence[Path] = ()) -> ikrig.RobotModel:
    """Read a robot; without a file one that is installed, or our own.

    Args:
        file: A URDF, MJCF or YAML file.
        allow: Further folders that it may have meshes opened from.

    Raises:
        IkrigError: The file can't be read; says why.
    """
    if file is not None:
        return ikrig.load_robot(file, allow=allow)
    for found in _installed():
        try:
            return ikrig.load_robot(found)
        except ikrig.MissingPackageError:
            break
    return six_axis.model()


def limbs(model: ikrig.RobotModel) -> list[Limb]:
    """Return the limbs of a robot, the longest first: one for an arm."""
    roams = roaming(model)
    ways = [_joints_above(model, b, roams) for b in range(len(model.body_names))]
    found = {_without_grip(model, way) for way in ways}
    tools = _tool_frames(model, ways)
    # what goes on a little after a tool's frame is the tool
    found = {_up_to_tool(way, tools, found) for way in found}
    ends = {way for way in found if way and not any(_goes_on(way, o) for o in found)}
    # a hand is the limb's end, not each of its fingers; but no elbow is a hand, when
    # what follows it ends in a tool
    while True:
        fingers = {
            way: fork
            for way in ends
            if way not in tools
            and (fork := _fork(way, ends))
            and (len(way) - len(fork) <= FINGER or _is_finger(model, way[len(fork)]))
        }
        if not fingers:
            break
        ends = (ends - fingers.keys()) | set(fingers.values())
        ends = {way for way in ends if not any(_goes_on(way, o) for o in ends)}
    longest = sorted(ends, key=lambda way: (-len(way), way))
    found_limbs = [_limb(model, way, ways, tools) for way in longest]
    return [limb for limb in found_limbs if _has_length(model, limb)][:LIMBS]


@dataclass(frozen=True)
class StandingPose:
    """How a lone arm should stand.

    Attributes:
        qpos: Coordinates.
        reach: How far from its first joint it can put the tool [model's unit].
        flat: Whether it moves the tool in a plane or on a line alone.
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


def bent(model: ikrig.RobotModel, limbs: Sequence[Limb]) -> Floats:
    """Return coordinates in which every limb can move its tool in all directions.

    A straight limb is bent a little, with its tool below or beside where it was: from a
    straight one no method knows which way to bend, and it ends far off.

    Args:
        model: The robot.
        limbs: Its limbs.
    """
    qpos = np.array(model.qpos0)
    for limb in limbs:
        rows = [j for j in limb.joints if model.joint_kinds[j].coordinates == 1]
        # those that other limbs share have been bent with the first
        rows = rows[-LEG:]
        if len(rows) < 2:
            continue
        at = model.joint_qpos[rows]
        low, high = np.clip(model.joint_ranges[rows].T, -BEND, BEND)
        slides = [model.joint_kinds[j] is ikrig.JointKind.SLIDE for j in rows]
        low, high = np.where(slides, 0.0, low), np.where(slides, 0.0, high)
        angles = np.random.default_rng(7).uniform(
            np.minimum(low, high), np.maximum(low, high), (POSES, len(rows))
        )
        # the pose that it has is one of them
        angles[0] = qpos[at]
        state = ikrig.RobotState(model, (POSES,), qpos=qpos)
        state.qpos[:, at] = angles
        state.update()
        tool, jacobian = _tool_and_jacobian(state, limb)
        lever = np.linalg.norm(tool[0] - state.pose.xanchor[0, rows[0]]) + 1e-9
        sizes = np.linalg.svd(
            jacobian[:, :3, model.joint_dofs[rows]] / lever, compute_uv=False
        )
        # a limb whose axes are all parallel moves its tool in a plane at best
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
    """Return a way that a limb's tool can go from a pose, (3,) [model's unit].

    It goes towards the limb's root, as a foot that is lifted or a finger that is bent,
    as far as the limb's own joints let it; a stiff limb goes where they move it most.

    Args:
        model: The robot.
        qpos: The pose.
        limb: The limb.
        limbs: All limbs: joints that others share are left alone.
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
    for way in (home, round_it):
        state.qpos[:] = qpos
        moved = _go(state, limb, own, start + STRIDE * length * way, length) - start
        if np.linalg.norm(moved) > 0.5 * STRIDE * length:
            break
    return moved


def _go(
    state: ikrig.RobotState, limb: Limb, own: Sequence[int], goal: Floats, length: float
) -> Floats:
    """Move a tool by some of its joints as near to a goal as they can; return where."""
    model = state.model
    at, (low, high) = model.joint_qpos[own], model.joint_ranges[own].T
    # a straight limb would not know which way to bend
    low, high = np.maximum(low, -math.pi), np.minimum(high, math.pi)
    state.update()
    start = np.array(_tool_and_jacobian(state, limb)[0])
    state.qpos[at] += 0.1 * np.sign(0.5 * (low + high) - state.qpos[at])
    # on the straight way that the tool will take
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
    """Return where a limb's tool is, and how it moves."""
    model = state.model
    if limb.site:
        tool = state.pose.site_xpos[..., model.site_index(limb.tool), :]
        return tool, state.jacobian(site=limb.tool)
    tool = state.pose.xpos[..., model.body_index(limb.tool), :]
    return tool, state.jacobian(body=limb.tool)


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


def _limb(
    model: ikrig.RobotModel,
    way: tuple[int, ...],
    ways: list[tuple[int, ...]],
    tools: dict[tuple[int, ...], tuple[str, bool]],
) -> Limb:
    """Return a limb with the frame that its tool is called by."""
    if way in tools:
        name, site = tools[way]
        return Limb(name, way, site)
    bodies = [b for b, other in enumerate(ways) if other == way]
    # what is fixed to a hand may be a finger
    whole = [b for b in bodies if not _named_finger(model.body_names[b])]
    return Limb(model.body_names[max(whole or bodies)], way)


def _has_length(model: ikrig.RobotModel, limb: Limb) -> bool:
    """Whether a tool is anywhere else than all of its joints: those can't reach."""
    pose = ikrig.forward_kinematics(model, model.qpos0)
    if limb.site:
        tool = pose.site_xpos[model.site_index(limb.tool)]
    else:
        tool = pose.xpos[model.body_index(limb.tool)]
    away = np.abs(pose.xanchor[list(limb.joints)] - tool).max()
    return bool(away > 1e-6)


def _is_finger(model: ikrig.RobotModel, joint: int) -> bool:
    """Whether a joint moves a finger, by what it or its body is called."""
    body = int(np.searchsorted(model.body_joints, joint, side="right")) - 1
    return _named_finger(model.joint_names[joint] + model.body_names[body])


def _named_finger(name: str) -> bool:
    return any(part in name.lower() for part in FINGERS)


def _tool_frames(
    model: ikrig.RobotModel, ways: list[tuple[int, ...]]
) -> dict[tuple[int, ...], tuple[str, bool]]:
    """Return the last frame with a tool's name on each way that has one."""
    found: dict[tuple[int, ...], tuple[str, bool]] = {}
    bodies = enumerate(model.body_names)
    frames = [(name, ways[b], False) for b, name in bodies]
    sites = zip(model.site_names, model.site_bodies.tolist(), strict=True)
    frames += [(name, ways[b], True) for name, b in sites]
    for name, way, site in frames:
        words = re.split(r"[^a-z]+", name.lower())
        named = any(word in TOOLS or word.startswith(PREFIXES) for word in words)
        if way and named and not _named_finger(name):
            found[way] = name, site
    return found


def _up_to_tool(
    way: tuple[int, ...],
    tools: dict[tuple[int, ...], tuple[str, bool]],
    ways: set[tuple[int, ...]],
) -> tuple[int, ...]:
    """Leave out the joints after a tool's frame that are its own: few, or fingers."""
    for count in range(len(way), 0, -1):
        tool = way[:count]
        if tool not in tools:
            continue
        nexts = {other[count] for other in ways if _goes_on(tool, other)}
        if len(way) - count <= FINGER or len(nexts) > 1:
            return tool
    return way


def roaming(model: ikrig.RobotModel) -> set[int]:
    """Return the rows of joints that carry a robot through the world.

    These are free joints, and all of a first body that slides without an end: of what
    moves in a plane.
    """
    found: set[int] = set()
    for body in range(len(model.body_names)):
        first, end = model.body_joints[body : body + 2].tolist()
        kinds = model.joint_kinds[first:end]
        endless = [
            model.joint_kinds[j] is ikrig.JointKind.SLIDE
            and bool(np.isinf(model.joint_ranges[j]).all())
            for j in range(first, end)
        ]
        lowest = len(_joints_above(model, body)) == end - first
        if ikrig.JointKind.FREE in kinds or (lowest and any(endless)):
            found |= set(range(first, end))
    return found


def _joints_above(
    model: ikrig.RobotModel, body: int, roams: Container[int] = ()
) -> tuple[int, ...]:
    """Return the joints that move a body against its robot, from the base on."""
    joints: list[int] = []
    while body > 0:
        first, end = model.body_joints[body : body + 2]
        joints[:0] = range(first, end)
        body = int(model.parents[body])
    return tuple(j for j in joints if j not in roams)


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
