"""Closes the loops of a robot: bodies that hold together besides the tree's joints."""

from __future__ import annotations

import numpy as np

from ..math3d.quaternion import Floats, conjugate, multiply
from .body_spec import JointKind
from .forward_kinematics import RobotState
from .robot import RobotModel

ROUNDS = 40
CLOSED = 1e-7
"""Gap at which a loop counts as closed, as a fraction of the robot's size."""
HELD = 1e-4
"""How much joints that were moved give way, where others can close the loop."""
LARGEST = 0.5
"""Largest step of a joint [rad, robot's sizes]."""
KICK = 0.02
"""Step of the joints where none closes the gap, as of straight bars."""


class LoopCloser:
    """Moves joints so that a robot's loops are closed.

    Joints that were moved since the last pose stay where others can close the loop: of
    a four-bar linkage the crank stays, the others follow. Each round is a damped step
    of Gauss and Newton with weights. Only hinges and slides give way.

    Args:
        model: The robot, with ``loops``.
    """

    def __init__(self, model: RobotModel) -> None:
        self.model = model
        self._state = RobotState(model)
        self._last = model.qpos0.copy()
        self._state.update()
        spread = np.ptp(self._state.pose.xpos, axis=0)
        self.size = max(float(np.linalg.norm(spread)), 1e-9)
        one = [kind in (JointKind.HINGE, JointKind.SLIDE) for kind in model.joint_kinds]
        self._rows = model.joint_qpos[one], model.joint_dofs[one]
        self._ranges = model.joint_ranges[one].T
        # joints that follow others turn with these
        self._share = np.eye(model.dof_count)
        for j in np.flatnonzero(model.joint_drivers >= 0).tolist():
            k = int(model.joint_drivers[j])
            at, by = int(model.joint_dofs[j]), int(model.joint_dofs[k])
            self._share[at, at] = 0.0
            self._share[at, by] = model.joint_couplings[j, 0]

    def gap(self) -> tuple[Floats, Floats]:
        gaps, rows = [], []
        pose, state = self._state.pose, self._state
        for loop in self.model.loops:
            found = []
            for b, place in (
                (loop.first, loop.at_first),
                (loop.second, loop.at_second),
            ):
                point = pose.xpos[b] + pose.xmat[b] @ np.array(place)
                name = self.model.body_names[b]
                found.append((point, state.jacobian(body=name, point=point)))
            (a, ja), (b_, jb) = found
            gaps.append((b_ - a) / self.size)
            rows.append((ja[:3] - jb[:3]) / self.size)
            if loop.turn is not None:
                wanted = multiply(pose.xquat[loop.first], np.array(loop.turn))
                off = multiply(pose.xquat[loop.second], conjugate(wanted))
                gaps.append(2.0 * np.copysign(1.0, off[0]) * off[1:])
                rows.append(ja[3:] - jb[3:])
        return np.concatenate(gaps), np.concatenate(rows) @ self._share

    def close(self, qpos: Floats) -> float:
        """Change joint coordinates so that all loops are closed, as far as they can be.

        Args:
            qpos: Joint coordinates, (coordinates,), changed in place.

        Returns:
            The largest gap that is left [scene unit].
        """
        at, dofs = self._rows
        lower, upper = self._ranges
        give = np.zeros(self.model.dof_count)
        moved = np.abs(qpos[at] - self._last[at]) > 1e-9
        give[dofs] = np.where(moved, HELD, 1.0)
        best, kept = np.inf, qpos.copy()
        damping = 1e-9
        for _ in range(ROUNDS):
            self.model.follow(qpos)
            self._state.qpos = qpos
            self._state.update()
            gaps, rows = self.gap()
            far = float(np.abs(gaps).max())
            if not np.isfinite(far):
                break
            damping = max(1e-12, damping * (0.1 if far < best else 10.0))
            if far < best:
                best, kept = far, qpos.copy()
            if far < CLOSED:
                break
            square = (rows * give) @ rows.T
            square += damping * max(float(np.trace(square)), 1e-30) * np.eye(len(gaps))
            step = give * (rows.T @ np.linalg.solve(square, gaps))
            if np.abs(step).max() < 1e-6:
                # straight bars don't know to which side they bend
                step = KICK * give
            step *= min(1.0, LARGEST / max(float(np.abs(step).max()), 1e-30))
            # a joint that is beyond its range stays there
            low, high = np.minimum(lower, qpos[at]), np.maximum(upper, qpos[at])
            qpos[at] = np.clip(qpos[at] + step[dofs], low, high)
        qpos[:] = kept
        self._last[:] = kept
        return best * self.size
