"""MuJoCo's own least squares, used for IK as its tutorial does."""

from __future__ import annotations

import numpy as np

from .bodyfiles import mjcf
from .candidate import Candidate, Solve
from .rotations import quaternions
from .work import PeerWork


def build(work: PeerWork) -> Solve:
    """Bounded nonlinear least squares with the analytic Jacobian."""
    import mujoco
    from mujoco import minimize

    work = work.hinged
    model = mujoco.MjModel.from_xml_string(mjcf(work))
    data = mujoco.MjData(model)
    sites = [model.site(f"tip{k}").id for k in range(len(work.effectors))]
    rows = 6 if work.oriented else 3
    jacobian = np.zeros((rows * len(sites), model.nv))
    spot, spin = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    here, turn, slope = np.zeros(4), np.zeros(3), np.zeros((3, 3))
    bounds = [work.limits[:, 0].copy(), work.limits[:, 1].copy()]

    turns = quaternions(work.goals[:, 0, :3, :3])

    def solve(k: int) -> tuple[np.ndarray, int]:
        goal, wanted = work.goals[k], turns[k]

        def place(x: np.ndarray) -> None:
            data.qpos[:] = x
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)

        def residual(x: np.ndarray) -> np.ndarray:
            result = np.empty((rows * len(sites), x.shape[1]))
            for column in range(x.shape[1]):
                place(x[:, column])
                gap = (data.site_xpos[sites] - goal[:, :3, 3]).ravel()
                result[: gap.size, column] = gap
                if work.oriented:
                    mujoco.mju_mat2Quat(here, data.site_xmat[sites[0]])
                    mujoco.mju_subQuat(turn, wanted, here)
                    result[3:, column] = turn
            return result

        def slopes(x: np.ndarray, _: np.ndarray) -> np.ndarray:
            place(x[:, 0])
            for k, site in enumerate(sites):
                mujoco.mj_jacSite(model, data, spot, spin, site)
                jacobian[3 * k : 3 * k + 3] = spot
            if work.oriented:
                mujoco.mju_mat2Quat(here, data.site_xmat[sites[0]])
                mujoco.mjd_subQuat(wanted, here, None, slope)
                jacobian[3:] = slope.T @ goal[0, :3, :3].T @ spin
            return jacobian

        answer, trace = minimize.least_squares(
            work.starts[k].copy(),
            residual,
            bounds,
            slopes,
            max_iter=work.iterations,
            verbose=minimize.Verbosity.SILENT,
        )
        return answer, len(trace) - 1

    return solve


CANDIDATE = Candidate(
    "mujoco minimize",
    build,
    package="mujoco",
    module="mujoco",
    note="stops by its own rule, it takes no tolerance",
)
