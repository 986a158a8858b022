"""Robotics Toolbox for Python: its compiled Levenberg-Marquardt with restarts."""

from __future__ import annotations

import numpy as np

from .candidate import Candidate, Solve
from .work import PeerWork


def build(work: PeerWork) -> Solve | None:
    """``ETS.ik_LM`` as it comes: up to 100 searches of 30 iterations each."""
    if len(work.effectors) > 1:
        return None
    from roboticstoolbox import ET, ETS

    work = work.hinged
    parts = []
    for j, axis in enumerate(work.axes):
        parts += _shift(ET, work.anchors[j])
        which = int(np.argmax(np.abs(axis)))
        hinge = (ET.Rx, ET.Ry, ET.Rz)[which]
        parts.append(hinge(flip=bool(axis[which] < 0), qlim=work.limits[j].tolist()))
    chain = ETS(parts + _shift(ET, work.offsets[0]))
    mask = np.array([1.0, 1, 1, 1, 1, 1] if work.oriented else [1.0, 1, 1, 0, 0, 0])
    # its residual is half the sum of squared errors
    tolerance = 0.5 * (0.9 * work.tolerance) ** 2

    def solve(k: int) -> tuple[np.ndarray, int]:
        goal, start = work.goals[k, 0], work.starts[k]
        found = chain.ik_LM(goal, q0=start, tol=tolerance, mask=mask)
        return found.q, found.iterations

    return solve


def _shift(ET: type, offset: np.ndarray) -> list:  # noqa: N803  the library's name
    makers = (ET.tx, ET.ty, ET.tz)
    return [make(float(x)) for make, x in zip(makers, offset, strict=True) if x]


CANDIDATE = Candidate(
    "rtb ik_LM",
    build,
    package="roboticstoolbox-python",
    module="roboticstoolbox",
    note="starts again from random poses, up to 100 times 30 iterations",
)
