"""Finds the direction that a character faces: by sides, toes, legs, arms and eyes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..math3d.quaternion import Floats
from .branches import Branch
from .figure import Figure
from .limb import Finding
from .symmetry import Symmetry

CLEAR = 0.03
"""Minimum distance of toes ahead of the ankle, or eyes of the head / figure size."""
LEAST = {"toes": CLEAR, "eyes": CLEAR, "head": CLEAR, "knees": 0.01, "elbows": 0.01}
"""Minimum distance of each part in its own direction that counts / figure size."""
FOOT, SHIN = 0.15, (0.25, 0.7)
"""Heights of a foot and a shin above the ground / height of the shin's joint."""


def find_forward(
    figure: Figure,
    symmetry: Symmetry,
    branches: Sequence[Branch],
    head: str,
    eyes: Sequence[str],
) -> tuple[Floats, list[Finding]]:
    if not symmetry.roots:
        return np.array((0.0, -1.0, 0.0)), []
    if not symmetry.clear:
        ahead = np.array((0.0, -1.0, 0.0))
        return ahead, [_doubt(ahead, "its left and right limbs do not mirror")]
    # ahead, if the axis points to the left
    ahead = np.cross(symmetry.axis, (0.0, 0.0, 1.0))
    seen = _evidence(figure, branches, head, eyes, ahead)
    sure = sum(seen[part] for part in ("toes", "eyes", "head") if part in seen)
    if symmetry.named:
        if sure < -2.0 * CLEAR:
            message = (
                "joints named left are on the right side, judging by the direction "
                "of toes or eyes: limbs keep the sides of their names"
            )
            return -ahead, [Finding("", "sides_swapped", (), message)]
        return ahead, []
    signs = {
        part: 1.0 if far > 0.0 else -1.0
        for part, far in seen.items()
        if abs(far) >= LEAST[part]
    }
    if not signs:
        ahead = ahead if ahead[1] < 0.0 or ahead[0] < 0.0 else -ahead
        return ahead, [_doubt(ahead, "neither toes nor knees, elbows or eyes show it")]
    # knees count where nothing surer does, and elbows where nothing else does
    sign = next(iter(signs.values()))
    if abs(sure) >= CLEAR:
        sign = 1.0 if sure > 0.0 else -1.0
    against = [part for part, other in signs.items() if other != sign]
    if not against:
        return sign * ahead, []
    return sign * ahead, [
        _doubt(sign * ahead, f"{' and '.join(against)} contradict it")
    ]


def _doubt(ahead: Floats, why: str) -> Finding:
    x, y = (round(float(part), 3) + 0.0 for part in ahead[:2])
    message = (
        f"the direction it faces, ({x:g}, {y:g}, 0), is a guess: {why}. If it is "
        "wrong, left and right are swapped: pass forward= to LookAt and Aim, and "
        "limbs= with the sides as they are"
    )
    return Finding("", "facing", (), message)


def _evidence(
    figure: Figure,
    branches: Sequence[Branch],
    head: str,
    eyes: Sequence[str],
    ahead: Floats,
) -> dict[str, float]:
    """Return how far parts are ahead as they are when it faces there, surest first.

    In sizes of the figure, by part.
    """
    seen: dict[str, list[float]] = {}
    feet = [branch for branch in branches if branch.kind == "foot"]
    for branch in feet:
        toes = _foot_ahead(figure, branch)
        if toes is not None:
            seen.setdefault("toes", []).append(float(toes @ ahead))
    if head:
        position = figure.positions[head]
        for eye in eyes:
            far = float((figure.positions[eye] - position) @ ahead)
            seen.setdefault("eyes", []).append(far)
        if len(feet) > 2:
            # animals on four legs
            middle = np.mean([branch.points(figure)[0] for branch in feet], axis=0)
            seen["head"] = [float((position - middle) @ ahead)]
    for part, kind, sign in (("knees", "foot", 1.0), ("elbows", "hand", -1.0)):
        limbs = [b.points(figure) for b in branches if b.kind == kind]
        if [len(points) for points in limbs] == [3, 3]:
            bent = [joint - 0.5 * (start + end) for start, joint, end in limbs]
            seen[part] = [sign * float(way @ ahead) for way in bent]
    return {part: float(np.mean(far)) / figure.size for part, far in seen.items()}


def _foot_ahead(figure: Figure, branch: Branch) -> Floats | None:
    """Return the way from the ankle to the middle of the foot, None where unknown."""
    last = branch.path[-1]
    skin = figure.points(last)
    if branch.end is None:
        ankle = figure.positions[last]
        foot = skin[skin[:, 2] <= ankle[2]]
        return None if not len(foot) else np.asarray(foot.mean(axis=0) - ankle)
    # without a joint at the ankle: from the shin's middle
    joint = figure.positions[last]
    height = (skin[:, 2] - figure.ground) / (joint[2] - figure.ground or 1.0)
    foot = skin[height < FOOT]
    shin = skin[(height > SHIN[0]) & (height < SHIN[1])]
    if not len(foot):
        return None
    ankle = (shin.min(axis=0) + shin.max(axis=0)) / 2.0 if len(shin) else joint
    return np.asarray((foot.min(axis=0) + foot.max(axis=0)) / 2.0 - ankle)
