"""mink: differential IK as a quadratic program, on MuJoCo."""

from __future__ import annotations

import numpy as np

from .bodyfiles import mjcf
from .candidate import Candidate, Solve
from .work import PeerWork


def build(work: PeerWork) -> Solve:
    """One FrameTask per effector, limits as constraints, full steps until there."""
    import mink
    import mujoco

    if work.cone is not None:
        work = work.hinged
    model = mujoco.MjModel.from_xml_string(mjcf(work))
    configuration = mink.Configuration(model)
    turn_cost = 1.0 if work.oriented else 0.0
    count = len(work.effectors)
    tasks = [
        mink.FrameTask(f"tip{k}", "site", 1.0, turn_cost, lm_damping=1e-3)
        for k in range(count)
    ]
    limits = [mink.ConfigurationLimit(model)] if work.limited else []
    near, turn_near = 0.9 * work.tolerance, 0.9 * work.turn_tolerance
    sites = [model.site(f"tip{k}").id for k in range(count)]
    places = configuration.data.site_xpos

    goals = [[mink.SE3.from_matrix(pose) for pose in goal] for goal in work.goals]
    places_wanted = work.goals[..., :3, 3]
    starts = work.starts.reshape(len(goals), -1)

    def reached(k: int) -> bool:
        if not work.oriented:
            gap = places[sites] - places_wanted[k]
            return bool(np.einsum("ij,ij->i", gap, gap).max() <= near * near)
        error = tasks[0].compute_error(configuration)
        return bool(
            error[:3] @ error[:3] <= near * near
            and error[3:] @ error[3:] <= turn_near * turn_near
        )

    def solve(k: int) -> tuple[np.ndarray, int]:
        configuration.update(starts[k])
        for task, pose in zip(tasks, goals[k], strict=True):
            task.set_target(pose)
        iterations = 0
        while iterations < work.iterations and not reached(k):
            try:
                velocity = mink.solve_ik(
                    configuration, tasks, 1.0, "daqp", damping=1e-6, limits=limits
                )
            except mink.NoSolutionFound:
                break
            configuration.integrate_inplace(velocity, 1.0)
            iterations += 1
        answer = configuration.q
        return answer if work.axes is not None else answer.reshape(-1, 4), iterations

    return solve


CANDIDATE = Candidate("mink", build, package="mink", module="mink")
