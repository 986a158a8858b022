"""PyBullet: the damped least squares of the Bullet physics engine."""

from __future__ import annotations

import atexit
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from .bodyfiles import urdf
from .candidate import Candidate, Solve
from .rotations import quaternions
from .work import PeerWork


def build(work: PeerWork) -> Solve:
    """``calculateInverseKinematics``, told the limits where that helps it."""
    import pybullet

    limited, work = work.limited, work.hinged
    client = pybullet.connect(pybullet.DIRECT)
    atexit.register(pybullet.disconnect, client)
    with TemporaryDirectory() as folder:
        file = Path(folder, "body.urdf")
        file.write_text(urdf(work))
        body = pybullet.loadURDF(str(file), useFixedBase=True, physicsClientId=client)
    index = {}
    for i in range(pybullet.getNumJoints(body, physicsClientId=client)):
        info = pybullet.getJointInfo(body, i, physicsClientId=client)
        index[info[12].decode()] = i
    hinges = [index[f"link{j}"] for j in range(len(work.parents))]
    tips = [index[f"tip{k}"] for k in range(len(work.effectors))]
    # answers come in the order of its own joints
    order = np.argsort(np.argsort(hinges))
    lower, upper = work.limits[np.argsort(hinges)].T
    same = {
        "maxNumIterations": work.iterations,
        "residualThreshold": 0.5 * work.tolerance,
        "physicsClientId": client,
    }
    if limited and not work.oriented:
        same |= {
            "lowerLimits": lower.tolist(),
            "upperLimits": upper.tolist(),
            "jointRanges": (upper - lower).tolist(),
            "restPoses": work.starts[0, np.argsort(hinges)].tolist(),
        }
    else:
        # with limits for a full pose, or less damping, it reaches far fewer
        same["jointDamping"] = [1e-3] * len(hinges)
    places = work.goals[..., :3, 3].tolist()
    turns = quaternions(work.goals[:, 0, :3, :3])[:, [1, 2, 3, 0]].tolist()
    starts = work.starts[..., None].tolist()

    def solve(k: int) -> tuple[np.ndarray, None]:
        pybullet.resetJointStatesMultiDof(
            body, hinges, starts[k], physicsClientId=client
        )
        if len(tips) > 1:
            answer = pybullet.calculateInverseKinematics2(body, tips, places[k], **same)
        else:
            turn = (turns[k],) if work.oriented else ()
            answer = pybullet.calculateInverseKinematics(
                body, tips[0], places[k][0], *turn, **same
            )
        return np.array(answer)[order], None

    return solve


CANDIDATE = Candidate(
    "pybullet",
    build,
    package="pybullet",
    module="pybullet",
    note="is not told the limits of full poses: it solves hardly any if it is",
)
