"""A work's body as a file: MJCF for MuJoCo and mink, URDF for PyBullet."""

from __future__ import annotations

import numpy as np

from .work import PeerWork


def mjcf(work: PeerWork) -> str:
    """Return the body as MJCF; the effectors are sites named tip0 and so on."""
    return (
        '<mujoco><compiler angle="radian"/><worldbody>'
        + "".join(_body(work, j) for j in np.flatnonzero(work.parents < 0))
        + "</worldbody></mujoco>"
    )


def _body(work: PeerWork, j: int) -> str:
    if work.axes is None:
        joint = '<joint type="ball"/>'
    else:
        lower, upper = work.limits[j]
        joint = (
            f'<joint type="hinge" axis="{_words(work.axes[j])}" limited="true" '
            f'range="{float(lower)!r} {float(upper)!r}"/>'
        )
    tips = "".join(
        f'<site name="tip{k}" pos="{_words(work.offsets[k])}"/>'
        for k in np.flatnonzero(work.effectors == j)
    )
    children = "".join(_body(work, i) for i in np.flatnonzero(work.parents == j))
    inertia = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    place = _words(work.anchors[j])
    return f'<body pos="{place}">{inertia}{joint}{tips}{children}</body>'


def urdf(work: PeerWork) -> str:
    """Return a body of hinges as URDF; the effectors are links named tip0 and so on."""
    inertia = (
        '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" '
        'iyz="0" izz="1"/></inertial>'
    )
    names = ["base", *[f"link{j}" for j in range(len(work.parents))]]
    names += [f"tip{k}" for k in range(len(work.effectors))]
    lines = [f'<link name="{name}">{inertia}</link>' for name in names]
    for j, parent in enumerate(work.parents):
        lower, upper = work.limits[j].tolist()
        lines.append(
            f'<joint name="joint{j}" type="revolute">'
            f'<parent link="{names[parent + 1]}"/><child link="link{j}"/>'
            f'<origin xyz="{_words(work.anchors[j])}"/>'
            f'<axis xyz="{_words(work.axes[j])}"/><limit lower="{lower!r}" '
            f'upper="{upper!r}" effort="1000" velocity="1000"/></joint>'
        )
    for k, j in enumerate(work.effectors):
        lines.append(
            f'<joint name="to_tip{k}" type="fixed"><parent link="link{j}"/>'
            f'<child link="tip{k}"/><origin xyz="{_words(work.offsets[k])}"/></joint>'
        )
    return '<robot name="body">\n' + "\n".join(lines) + "\n</robot>"


def _words(numbers: np.ndarray) -> str:
    return " ".join(repr(float(x)) for x in numbers)
