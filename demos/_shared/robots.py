"""Robots from files: which are available, and their limbs and tools."""

from __future__ import annotations

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

TURNING = (ikrig.JointKind.HINGE, ikrig.JointKind.BALL)
LIMBS = 6  # maximum number of handles
FINGER = 2  # so few joints after a fork belong to a finger, not a limb
FINGERS = ("finger", "thumb", "_tip")
# name parts of frames by which tools are programmed
TOOLS = ("tool", "tcp", "ee", "eef")
PREFIXES = ("effector", "flange", "grasp", "grip", "attachment")


@dataclass(frozen=True)
class Limb:
    """A limb that ends in a tool.

    Attributes:
        tool: Name of the body or site to bring to a target.
        joints: Rows of the joints that move it, from the base to the tool.
        site: Whether the tool is a site.
    """

    tool: str
    joints: tuple[int, ...]
    site: bool = False

    def node(self, robot: ikrig.Robot) -> p3d.NodePath:
        """Return the tool's node."""
        return robot.site(self.tool) if self.site else robot.body(self.tool)


def load(file: Path | None, allow: Sequence[Path] = ()) -> ikrig.RobotModel:
    """Load a robot; without a file, one of an installed package, or our own.

    Args:
        file: A URDF, MJCF or YAML file.
        allow: Further folders from which it may load meshes.

    Raises:
        IkrigError: The file can't be read; the message gives the reason.
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
    paths = [_joints_above(model, b, roams) for b in range(len(model.body_names))]
    found = {_without_grip(model, path) for path in paths}
    tools = _tool_frames(model, paths)
    # a body a little beyond a tool's frame is the tool
    found = {_up_to_tool(path, tools, found) for path in found}
    ends = {
        path for path in found if path and not any(_goes_on(path, o) for o in found)
    }
    # a hand is the limb's end, not each of its fingers; but an elbow is no hand, if
    # its children end in a tool
    while True:
        fingers = {
            path: fork
            for path in ends
            if path not in tools
            and (fork := _fork(path, ends))
            and (len(path) - len(fork) <= FINGER or _is_finger(model, path[len(fork)]))
        }
        if not fingers:
            break
        ends = (ends - fingers.keys()) | set(fingers.values())
        ends = {path for path in ends if not any(_goes_on(path, o) for o in ends)}
    longest = sorted(ends, key=lambda path: (-len(path), path))
    found_limbs = [_limb(model, path, paths, tools) for path in longest]
    return [limb for limb in found_limbs if _has_length(model, limb)][:LIMBS]


def _installed() -> Iterator[Path]:
    """Yield model files of installed packages, without importing any."""
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
    path: tuple[int, ...],
    paths: list[tuple[int, ...]],
    tools: dict[tuple[int, ...], tuple[str, bool]],
) -> Limb:
    """Return a limb, ending at its tool's frame if there is one."""
    if path in tools:
        name, site = tools[path]
        return Limb(name, path, site)
    bodies = [b for b, other in enumerate(paths) if other == path]
    # a body fixed to a hand may be a finger
    whole = [b for b in bodies if not _named_finger(model.body_names[b])]
    return Limb(model.body_names[max(whole or bodies)], path)


def _has_length(model: ikrig.RobotModel, limb: Limb) -> bool:
    """Whether a tool is away from any of its joints: if not, it can't reach."""
    pose = ikrig.forward_kinematics(model, model.qpos0)
    if limb.site:
        tool = pose.site_xpos[model.site_index(limb.tool)]
    else:
        tool = pose.xpos[model.body_index(limb.tool)]
    away = np.abs(pose.xanchor[list(limb.joints)] - tool).max()
    return bool(away > 1e-6)


def _is_finger(model: ikrig.RobotModel, joint: int) -> bool:
    """Whether a joint moves a finger, by its name or that of its body."""
    body = int(np.searchsorted(model.body_joints, joint, side="right")) - 1
    return _named_finger(model.joint_names[joint] + model.body_names[body])


def _named_finger(name: str) -> bool:
    return any(part in name.lower() for part in FINGERS)


def _tool_frames(
    model: ikrig.RobotModel, paths: list[tuple[int, ...]]
) -> dict[tuple[int, ...], tuple[str, bool]]:
    """Return the last frame with a tool's name on each path that has one."""
    found: dict[tuple[int, ...], tuple[str, bool]] = {}
    bodies = enumerate(model.body_names)
    frames = [(name, paths[b], False) for b, name in bodies]
    sites = zip(model.site_names, model.site_bodies.tolist(), strict=True)
    frames += [(name, paths[b], True) for name, b in sites]
    for name, path, site in frames:
        words = re.split(r"[^a-z]+", name.lower())
        named = any(word in TOOLS or word.startswith(PREFIXES) for word in words)
        if not path or _named_finger(name):
            continue
        if named:
            found[path] = name, site
        elif site and "hand" in words:
            # a body of that name may have a palm or fingers beyond it
            found.setdefault(path, (name, site))
    return found


def _up_to_tool(
    path: tuple[int, ...],
    tools: dict[tuple[int, ...], tuple[str, bool]],
    paths: set[tuple[int, ...]],
) -> tuple[int, ...]:
    """Remove the joints beyond a tool's frame that are its own: few, or fingers."""
    for count in range(len(path), 0, -1):
        tool = path[:count]
        if tool not in tools:
            continue
        nexts = {other[count] for other in paths if _goes_on(tool, other)}
        if len(path) - count <= FINGER or len(nexts) > 1:
            return tool
    return path


def roaming(model: ikrig.RobotModel) -> set[int]:
    """Return the rows of joints that carry the whole robot through the world.

    These are free joints, and all joints of a first body with an unlimited slide, as on
    robots that move in a plane.
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
    """Return the joints that move a body relative to its robot, from the base on."""
    joints: list[int] = []
    while body > 0:
        first, end = model.body_joints[body : body + 2]
        joints[:0] = range(first, end)
        body = int(model.parents[body])
    return tuple(j for j in joints if j not in roams)


def _without_grip(model: ikrig.RobotModel, path: tuple[int, ...]) -> tuple[int, ...]:
    """Remove the slides after the last rotating joint: those of a gripper."""
    turning = [k for k, j in enumerate(path) if model.joint_kinds[j] in TURNING]
    return path[: turning[-1] + 1] if turning else path


def _goes_on(path: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return len(other) > len(path) and other[: len(path)] == path


def _fork(path: tuple[int, ...], ends: set[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the longest part that a path shares with another path."""
    shared = [
        next((k for k, (a, b) in enumerate(zip(path, o, strict=False)) if a != b), 0)
        for o in ends
        if o != path
    ]
    return path[: max(shared, default=0)]
