"""RobotSkeleton: the joints of a robot that move some of its parts, as a skeleton."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, pi
from typing import Any

import numpy as np

from ..checks import checked_instance, entries
from ..errors import ModelError, SettingError, shown, suggest
from ..math3d.quaternion import Floats, conjugate, from_matrix
from .body_spec import IDENTITY, JointKind
from .forward_kinematics import RobotPose, forward_kinematics
from .limits import BallLimit, FixedLimit, HingeLimit, Limit, SlideLimit
from .robot import RobotModel
from .skeleton import SMALLEST, SkeletonModel


class RobotSkeleton:
    """A skeleton for the solvers, with limits, and its mapping to the robot's joints.

    The start pose is the robot's at ``qpos0``. Each of the robot's joints above an
    effector becomes a joint at its anchor (a free one three slides and a ball), each
    effector a fixed joint at the end.

    Args:
        model: The robot.
        effectors: Names of sites, or of bodies where no site has the name; or one name.

    Raises:
        SettingError: An effector is unknown, named twice, or moved by no joint.
    """

    def __init__(self, model: RobotModel, effectors: str | Sequence[str]) -> None:
        checked_instance(model, RobotModel, "the model of a robot's solver", ModelError)
        self._robot = model
        self.effectors = _names(effectors)
        """The names of the effectors."""
        pose = forward_kinematics(model, model.qpos0)
        found = [self._find(name, pose) for name in self.effectors]
        carriers = [body for body, _, _ in found]
        rows = self._joints_above(carriers)
        self.joints = tuple(model.joint_names[row] for row in rows)
        """Names of the robot's joints that move effectors."""
        self.rows: list[int] = []
        """The robot's joint of each joint of the skeleton; -1: none."""
        self.limits: dict[str | int, Limit] = {}
        self.entries: dict[str, list[int]] = {"joint": [], "address": [], "is_ball": []}
        """See ``kernels.robot_coordinates``."""
        self.coordinates: dict[str, Any] = {
            name: [] for name in ("zero", "lower", "upper", "before", "after")
        }
        """See ``kernels.robot_coordinates``."""
        self._parents: list[int] = []
        self._points: list[Floats] = []
        # by the robot's joint: the skeleton's joint that carries its children
        last: dict[int, int] = {}
        nodes = model.nodes
        # of the robot's joints and bodies: the joint above; negative: none
        above = (nodes.parents[nodes.first :] - nodes.first).tolist()
        bearers = (nodes.carriers - nodes.first).tolist()
        roots = [row for row in rows if above[row] < 0]
        points = [*pose.xanchor[rows], *(point for _, point, _ in found)]
        small = bool(np.ptp(points, axis=0).max(initial=0.0) <= SMALLEST)
        if len(roots) > 1 or small:
            # several trees need a common root; a skeleton at a single point, such as a
            # free body, gets the size 1
            away = np.array([0.0, 0.0, float(small)])
            last[-1] = self._add(-1, -1, points[0] - away, FixedLimit())
        for row in rows:
            parent = last.get(max(above[row], -1), -1)
            last[row] = self._add_joint(row, parent, pose)
        self.ends = []
        """The skeleton's joint of each effector."""
        for name, (body, point, _) in zip(self.effectors, found, strict=True):
            if bearers[body] < 0:
                raise SettingError(
                    f"effectors: no joint of {model.name} moves {shown(name)}"
                )
            self.ends.append(self._add(-1, last[bearers[body]], point, FixedLimit()))
        self.inverses = [conjugate(turn).tolist() for _, _, turn in found]
        """The inverse of each effector's rotation in the start pose, (e, 4)."""
        names = [model.joint_names[row] if row >= 0 else "base" for row in self.rows]
        for name, j in zip(self.effectors, self.ends, strict=True):
            names[j] = name
        self.model = SkeletonModel(
            self._points,
            self._parents,
            names=names,
        )
        """The skeleton in its start pose, world space."""
        self.coordinates = {
            name: np.array(values, float) for name, values in self.coordinates.items()
        }

    def _find(self, name: str, pose: RobotPose) -> tuple[int, Floats, Floats]:
        model = self._robot
        if name in model.site_names:
            row = model.site_index(name)
            turn = from_matrix(pose.site_xmat[row])
            return int(model.site_bodies[row]), pose.site_xpos[row], turn
        if name not in model.body_names[1:]:
            names = [*model.site_names, *model.body_names[1:]]
            raise SettingError(
                f"effectors: {model.name} has no site or body {shown(name)}: "
                f"{suggest(name, names)}"
            )
        body = model.body_index(name)
        return body, pose.xpos[body], pose.xquat[body]

    def _joints_above(self, bodies: list[int]) -> list[int]:
        """Return the joints that move any of the bodies, parents first.

        Includes joints that lead one of them, even where these move no effector.
        """
        model, found = self._robot, set[int]()
        nodes = model.nodes
        first, carriers = nodes.first, nodes.carriers
        waiting = carriers[bodies].tolist()
        while waiting:
            node = waiting.pop()
            while node >= first and node - first not in found:
                found.add(node - first)
                driver = int(model.joint_drivers[node - first])
                if driver >= 0:
                    waiting.append(int(carriers[model.joint_bodies[driver]]))
                node = int(nodes.parents[node])
        return sorted(found)

    def _add(self, row: int, parent: int, point: Floats, limit: Limit | None) -> int:
        j = len(self.rows)
        self.rows.append(row)
        self._parents.append(parent)
        self._points.append(point)
        if limit is not None:
            self.limits[j] = limit
        return j

    def _add_joint(self, row: int, parent: int, pose: RobotPose) -> int:
        """Add a joint of the robot; return the last of its joints in the skeleton."""
        model = self._robot
        kind, point = model.joint_kinds[row], pose.xanchor[row]
        at = int(model.joint_qpos[row])
        lower, upper = model.joint_ranges[row].tolist()
        if kind is JointKind.HINGE or kind is JointKind.SLIDE:
            zero = float(model.qpos0[at])
            shape = HingeLimit if kind is JointKind.HINGE else SlideLimit
            follows = None
            driver = int(model.joint_drivers[row])
            if driver >= 0:
                factor, added = model.joint_couplings[row].tolist()
                added += factor * float(model.qpos0[model.joint_qpos[driver]]) - zero
                follows = model.joint_names[driver], factor, added
                lower, upper = -inf, inf
            axis = pose.xaxis[row].tolist()
            limit = shape(axis, lower - zero, upper - zero, follows)
            j = self._add(row, parent, point, limit)
            self._enter(j, at, zero, (lower, upper))
            return j
        turn = pose.xquat[int(model.joint_bodies[row])]
        if kind is JointKind.FREE:
            for k, axis in enumerate("xyz"):
                parent = self._add(row, parent, point, SlideLimit(axis))
                self._enter(parent, at + k, float(point[k]), (-inf, inf))
            j = self._add(row, parent, point, None)
            self._enter(j, at + 3, 0.0, (-inf, inf), IDENTITY, conjugate(turn))
            return j
        j = self._add(row, parent, point, None if upper >= pi else BallLimit(upper))
        self._enter(j, at, 0.0, (-inf, inf), turn, conjugate(turn))
        return j

    def _enter(
        self,
        joint: int,
        address: int,
        zero: float,
        ends: tuple[float, float],
        before: object = None,
        after: object = IDENTITY,
    ) -> None:
        values = self.coordinates
        self.entries["joint"].append(joint)
        self.entries["address"].append(address)
        self.entries["is_ball"].append(int(before is not None))
        values["zero"].append(zero)
        values["lower"].append(ends[0])
        values["upper"].append(ends[1])
        values["before"].append(IDENTITY if before is None else before)
        values["after"].append(after)


def _names(effectors: object) -> tuple[str, ...]:
    given = (effectors,) if isinstance(effectors, str) else entries(effectors)
    if not given or not all(isinstance(name, str) for name in given):
        raise SettingError(
            "effectors must be names of sites or bodies, at least one, not "
            f"{shown(effectors)}"
        )
    for name in given:
        if given.count(name) > 1:
            raise SettingError(f"effectors: {shown(name)} is given twice")
    return given
