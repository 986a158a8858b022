"""ikpy: scipy's least squares on its own forward kinematics."""

from __future__ import annotations

import numpy as np

from .candidate import Candidate, Solve
from .work import PeerWork


def build(work: PeerWork) -> Solve | None:
    """``Chain.inverse_kinematics_frame`` as it comes."""
    if len(work.effectors) > 1:
        return None
    from ikpy.chain import Chain
    from ikpy.link import OriginLink, URDFLink

    work = work.hinged
    zero = np.zeros(3)
    links = [OriginLink()]
    for j, axis in enumerate(work.axes):
        links.append(
            URDFLink(
                f"joint{j}",
                origin_translation=work.anchors[j],
                origin_orientation=zero,
                rotation=axis,
                bounds=tuple(work.limits[j].tolist()),
            )
        )
    links.append(URDFLink("tip", work.offsets[0], zero, joint_type="fixed"))
    mask = [False, *[True] * len(work.axes), False]
    chain = Chain(links, active_links_mask=mask)
    mode = "all" if work.oriented else None

    # it counts the fixed links at both ends
    starts = np.pad(work.starts, ((0, 0), (1, 1)))

    def solve(k: int) -> tuple[np.ndarray, None]:
        answer = chain.inverse_kinematics_frame(
            work.goals[k, 0], initial_position=starts[k], orientation_mode=mode
        )
        return answer[1:-1], None

    return solve


CANDIDATE = Candidate(
    "ikpy",
    build,
    package="ikpy",
    module="ikpy",
    note="stops where scipy does, it takes no tolerance",
)
