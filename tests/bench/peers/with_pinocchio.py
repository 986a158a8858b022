"""Pinocchio's kinematics with the loop of its inverse kinematics example."""

from __future__ import annotations

import numpy as np

from .candidate import Candidate, Solve
from .work import PeerWork


def build(work: PeerWork) -> Solve:
    """Damped least squares in numpy; hinges clipped to their limits at each step."""
    import pinocchio as pin

    if work.cone is not None:
        work = work.hinged
    model = pin.Model()
    for j, parent in enumerate(work.parents):
        kind = (
            pin.JointModelSpherical()
            if work.axes is None
            else pin.JointModelRevoluteUnaligned(work.axes[j])
        )
        place = pin.SE3(np.eye(3), work.anchors[j])
        model.addJoint(int(parent) + 1, kind, place, f"joint{j}")
    tips = [
        model.addFrame(
            pin.Frame(
                f"tip{k}",
                int(j) + 1,
                0,
                pin.SE3(np.eye(3), work.offsets[k]),
                pin.FrameType.OP_FRAME,
            )
        )
        for k, j in enumerate(work.effectors)
    ]
    data = model.createData()
    balls = work.axes is None
    near, turn_near = 0.9 * work.tolerance, 0.9 * work.turn_tolerance
    size = 6 if work.oriented else 3 * len(tips)
    jacobian, error = np.zeros((size, model.nv)), np.zeros(size)
    eye = np.eye(size)
    lower, upper = (None, None) if balls else work.limits.T.copy()
    places = work.goals[..., :3, 3]
    goals = [pin.SE3(goal[0]) for goal in work.goals]
    starts = work.starts
    if balls:
        starts = starts[..., [1, 2, 3, 0]].reshape(len(starts), -1)

    def position_gap(goal: np.ndarray) -> bool:
        for i, tip in enumerate(tips):
            error[3 * i : 3 * i + 3] = goal[i] - data.oMf[tip].translation
        gap = error.reshape(-1, 3)
        return bool((gap * gap).sum(axis=1).max() <= near * near)

    def pose_gap(pose: pin.SE3) -> bool:
        error[:] = pin.log6(data.oMf[tips[0]].actInv(pose)).vector
        return bool(
            error[:3] @ error[:3] <= near * near
            and error[3:] @ error[3:] <= turn_near * turn_near
        )

    def solve(k: int) -> tuple[np.ndarray, int]:
        q = starts[k].copy()
        iterations = 0
        while True:
            pin.computeJointJacobians(model, data, q)
            pin.updateFramePlacements(model, data)
            there = pose_gap(goals[k]) if work.oriented else position_gap(places[k])
            if there or iterations == work.iterations:
                break
            if work.oriented:
                jacobian[:] = pin.getFrameJacobian(model, data, tips[0], pin.LOCAL)
            else:
                frame = pin.LOCAL_WORLD_ALIGNED
                for i, tip in enumerate(tips):
                    rows = pin.getFrameJacobian(model, data, tip, frame)[:3]
                    jacobian[3 * i : 3 * i + 3] = rows
            damping = 1e-6 + 1e-2 * (error @ error)
            square = jacobian @ jacobian.T + damping * eye
            q = pin.integrate(model, q, jacobian.T @ np.linalg.solve(square, error))
            if not balls:
                np.clip(q, lower, upper, out=q)
            iterations += 1
        return q.reshape(-1, 4)[:, [3, 0, 1, 2]] if balls else q, iterations

    return solve


CANDIDATE = Candidate("pinocchio + numpy", build, package="pin", module="pinocchio")
