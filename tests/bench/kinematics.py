"""Times forward kinematics: ``python -m tests.bench.kinematics [--repeat N]``.

Beside MuJoCo and Pinocchio where they are installed, all in one run and in turns.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

import ikrig
from ikrig import (
    Body,
    Joint,
    JointKind,
    RobotModel,
    RobotState,
    Site,
    forward_kinematics,
)

BATCH = 1000
LEGEND = """\
Microseconds a pose, medians of alternating blocks.
single: set qpos and compute, from Python (ikrig: RobotState; mujoco: mj_kinematics;
pinocchio: forwardKinematics and updateFramePlacements). batch: 1000 poses, every output
kept by ikrig in one call; mujoco in a loop that keeps xpos, or (bare) nothing.
function: forward_kinematics(), which makes new arrays at each call."""


def arm() -> RobotModel:
    """Return a six-axis arm of boxes with a tool site."""
    axes, lengths = "zyyzyz", (0.0, 0.4, 0.6, 0.3, 0.4, 0.2)
    bodies = [
        Body(
            f"link {i}",
            parent=f"link {i - 1}" if i else "world",
            pos=(0, 0, length),
            ipos=(0, 0, 0.1),
            joints=[Joint(f"joint {i}", axis=axis)],
            sites=[Site("tool", pos=(0, 0, 0.1))] if i == 5 else (),
        )
        for i, (axis, length) in enumerate(zip(axes, lengths, strict=True))
    ]
    return RobotModel(bodies, name="arm")


def humanoid() -> RobotModel:
    """Return a humanoid of 27 degrees of freedom: a free root and 21 hinges."""
    bodies = [Body("torso", joints=[Joint("root", "free")], pos=(0, 0, 1.3))]

    def add(name: str, parent: str, pos: tuple[float, ...], axes: str) -> None:
        joints = [
            Joint(f"{name} {axis}", axis=axis, anchor=(0, 0, 0.02)) for axis in axes
        ]
        bodies.append(
            Body(
                name,
                parent,
                pos,
                joints=joints,
                ipos=(0, 0, 0.1),
                sites=[Site(f"{name} spot")],
            )
        )

    add("waist", "torso", (0, 0, -0.3), "zy")
    add("pelvis", "waist", (0, 0, -0.2), "x")
    for side, y in (("left", 0.1), ("right", -0.1)):
        add(f"{side} thigh", "pelvis", (0, y, 0), "xzy")
        add(f"{side} shin", f"{side} thigh", (0, 0, -0.4), "y")
        add(f"{side} foot", f"{side} shin", (0, 0, -0.4), "yx")
    for side, y in (("left", 0.2), ("right", -0.2)):
        add(f"{side} arm", "torso", (0, y, 0), "xy")
        add(f"{side} forearm", f"{side} arm", (0.2, 0, -0.2), "y")
    return RobotModel(bodies, name="humanoid")


def chain() -> RobotModel:
    """Return a hundred hinges in a row."""
    bodies = [
        Body(
            f"link {i}",
            parent=f"link {i - 1}" if i else "world",
            pos=(0, 0, 0.1),
            ipos=(0, 0, 0.05),
            joints=[Joint(f"joint {i}", axis="xyz"[i % 3])],
        )
        for i in range(100)
    ]
    return RobotModel(bodies, name="hinges")


def balls() -> RobotModel:
    """Return a tree of thirty ball joints: five rows of six."""
    bodies = [
        Body(
            f"link {i}",
            parent=f"link {i - 1}" if i % 6 else "world",
            pos=(0, 0.1 * (i % 6 == 0), 0.1),
            ipos=(0, 0, 0.05),
            joints=[Joint(f"joint {i}", "ball")],
        )
        for i in range(30)
    ]
    return RobotModel(bodies, name="balls")


WORK = {"arm_6": arm, "humanoid_27": humanoid, "hinges_100": chain, "balls_30": balls}


def candidates(
    model: RobotModel, qpos: Any
) -> dict[str, tuple[Callable[[], Any], int]]:
    """Return what to time, by name, and how many poses each call computes."""
    state, batch, one = (
        RobotState(model),
        RobotState(model, (len(qpos),)),
        qpos[0].copy(),
    )

    def single() -> None:
        state.qpos[:] = one
        state.update()

    def many() -> None:
        batch.qpos[:] = qpos
        batch.update()

    work: dict[str, tuple[Callable[[], Any], int]] = {
        "ikrig single": (single, 1),
        "ikrig batch": (many, len(qpos)),
        "ikrig function": (lambda: forward_kinematics(model, one), 1),
    }
    if find_spec("mujoco"):
        work |= mujoco_candidates(model, qpos)
    if find_spec("pinocchio"):
        work |= pinocchio_candidates(model, qpos)
    return work


def mjcf(model: RobotModel) -> str:
    """Return a model without turned bodies or moved ``qpos0`` as MuJoCo reads it."""
    children: list[list[int]] = [[] for _ in model.body_names]
    for child, parent in enumerate(model.parents.tolist()[1:], start=1):
        children[parent].append(child)

    def text(numbers: Any) -> str:
        return " ".join(map(str, numbers.tolist()))

    def element(b: int) -> str:
        lines = [
            f'<body name="{model.body_names[b]}" pos="{text(model.body_pos[b])}">',
            f'<inertial pos="{text(model.body_ipos[b])}" mass="1" '
            'diaginertia="1 1 1"/>',
        ]
        for j in np.flatnonzero(model.joint_bodies == b).tolist():
            kind = model.joint_kinds[j].value
            line = f'<joint name="{model.joint_names[j]}" type="{kind}"'
            if kind == "hinge":
                line += f' axis="{text(model.joint_axes[j])}"'
                line += f' pos="{text(model.joint_anchors[j])}"'
            lines.append(f"{line}/>")
        for s in np.flatnonzero(model.site_bodies == b).tolist():
            site, pos = model.site_names[s], text(model.site_pos[s])
            lines.append(f'<site name="{site}" pos="{pos}"/>')
        return "\n".join([*lines, *map(element, children[b]), "</body>"])

    tops = "\n".join(map(element, children[0]))
    return f"<mujoco><worldbody>{tops}</worldbody></mujoco>"


def mujoco_candidates(model: RobotModel, qpos: Any) -> dict[str, Any]:
    """Return MuJoCo's: one pose, and loops over many."""
    import mujoco

    theirs = mujoco.MjModel.from_xml_string(mjcf(model))
    data, one = mujoco.MjData(theirs), qpos[0].copy()
    kept = np.empty((len(qpos), theirs.nbody, 3))
    compute = mujoco.mj_kinematics

    def single() -> None:
        data.qpos[:] = one
        compute(theirs, data)

    def loop() -> None:
        for i in range(len(qpos)):
            data.qpos[:] = qpos[i]
            compute(theirs, data)
            kept[i] = data.xpos

    def bare() -> None:
        for i in range(len(qpos)):
            data.qpos[:] = qpos[i]
            compute(theirs, data)

    single()
    check(model, one, data.xpos[1:])
    return {
        "mujoco single": (single, 1),
        "mujoco loop": (loop, len(qpos)),
        "mujoco bare": (bare, len(qpos)),
    }


def pinocchio_candidates(model: RobotModel, qpos: Any) -> dict[str, Any]:
    """Return Pinocchio's, of the same MJCF."""
    import pinocchio as pin

    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{model.name}.xml"
        file.write_text(mjcf(model))
        theirs = pin.buildModelFromMJCF(str(file))
    data, one = theirs.createData(), qpos[0].copy()
    if theirs.nq != len(one):
        # Pinocchio 4.1 reads only the first of several trees
        return {}
    if JointKind.FREE in model.joint_kinds:
        # its quaternions are of length 1, w last; the free joint comes first
        w, x, y, z = one[3:7] / np.linalg.norm(one[3:7])
        one[3:7] = x, y, z, w

    def single() -> None:
        pin.forwardKinematics(theirs, data, one)
        pin.updateFramePlacements(theirs, data)

    single()
    places = [data.oMf[theirs.getFrameId(name)] for name in model.body_names[1:]]
    check(model, qpos[0], np.array([place.translation for place in places]))
    return {"pinocchio single": (single, 1)}


def check(model: RobotModel, qpos: Any, places: Any) -> None:
    """Refuse to compare speeds where the results are not the same."""
    gap = np.abs(forward_kinematics(model, qpos).xpos[1:] - places).max()
    if gap > 1e-9:
        raise RuntimeError(f"{model.name}: results differ by {gap}")


def measure(name: str, repeat: int, poses: int = BATCH) -> dict[str, float]:
    """Return median µs a pose of every candidate."""
    model = WORK[name]()
    qpos = np.random.default_rng(0).normal(size=(poses, len(model.qpos0)))
    work = candidates(model, qpos)
    times: dict[str, list[float]] = {key: [] for key in work}
    for _ in range(repeat):
        for key, (call, count) in work.items():
            calls = max(1, poses // count)
            start = perf_counter()
            for _ in range(calls):
                call()
            times[key].append(1e6 * (perf_counter() - start) / (calls * count))
    return {key: median(values) for key, values in times.items()}


def main(argv: list[str] | None = None) -> int:
    """Run the benchmark; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.kinematics", description=__doc__
    )
    parser.add_argument("--repeat", type=int, default=31, metavar="N")
    args = parser.parse_args(argv)
    print(f"COMPILED {ikrig.COMPILED}, repeat {args.repeat}")
    rows = {name: measure(name, args.repeat) for name in WORK}
    columns = list(next(iter(rows.values())))
    widths = [max(len(column), 8) for column in columns]
    print(f"{'':12}" + "  ".join(map(str.rjust, columns, widths)))
    for name, row in rows.items():
        cells = [
            (f"{row[c]:.2f}" if c in row else "-").rjust(w)
            for c, w in zip(columns, widths, strict=True)
        ]
        print(f"{name:12}" + "  ".join(cells))
    if "mujoco single" in columns:
        for name, row in rows.items():
            print(
                f"{name}: single {row['ikrig single'] / row['mujoco single']:.2f}, "
                f"batch {row['ikrig batch'] / row['mujoco loop']:.2f} of the loop, "
                f"{row['ikrig batch'] / row['mujoco bare']:.2f} of the bare one"
            )
    print(LEGEND)
    return 0


if __name__ == "__main__":
    sys.exit(main())
