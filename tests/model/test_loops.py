"""Loops of robots, with MuJoCo's own constraints as the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig

mujoco = pytest.importorskip("mujoco")


def body(name: str, pos: str, size: float, inner: str = "") -> str:
    """Return a bar along x that turns about y, with a site at its end."""
    return (
        f"<body name='{name}' pos='{pos}'><joint name='{name}' axis='0 1 0'/>"
        f"<geom size='.01'/><site name='{name}_end' pos='{size} 0 0'/>{inner}</body>"
    )


def robot(bodies: str, equality: str) -> tuple[Any, ikrig.RobotModel]:
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><compiler angle='radian'/><worldbody>"
        f"{bodies}</worldbody><equality>{equality}</equality></mujoco>"
    )
    return model, ikrig.load_robot(model)


def four_bar(equality: str) -> tuple[Any, ikrig.RobotModel]:
    rod = body("rod", ".2 0 0", 0.6)
    return robot(
        body("crank", "0 0 0", 0.2, rod) + body("rocker", ".5 0 0", 0.45), equality
    )


def gap(model: Any, qpos: np.ndarray) -> float:
    """Return the largest residual of MuJoCo's constraints [m, rad]."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    assert rows.any()
    return float(np.abs(data.efc_pos[rows]).max())


@pytest.mark.parametrize(
    "equality",
    ["<connect site1='rod_end' site2='rocker_end'/>",
     "<connect body1='rod' body2='rocker' anchor='.6 0 0'/>"],
)  # fmt: skip
def test_crank_turns_and_the_others_follow(equality: str) -> None:
    model, made = four_bar(equality)
    if "body1" in equality:
        # its second point is where the first one is in the file's pose
        assert np.allclose(made.loops[0].at_second, (0.3, 0, 0))
    figure = ikrig.Robot(made, p3d.NodePath("scene"))
    assert gap(model, figure.qpos) < 1e-4
    before = figure.qpos
    turns = 2.0 * np.pi if "site1" in equality else 0.6
    for angle in np.linspace(figure.joints["crank"].value, turns, 90):
        figure.joints["crank"].value = angle
        assert gap(model, figure.qpos) < 1e-4
        assert figure.joints["crank"].value == pytest.approx(angle, abs=1e-3)
        assert np.abs(figure.qpos - before).max() < 0.5
        before = figure.qpos
    assert figure.close_loops() < 1e-4


def test_welded_bodies_keep_their_rotation() -> None:
    # two arms of three joints hold one plate
    bodies = "".join(
        body(f"{side}0", f"{x} 0 0", 0.4,
             body(f"{side}1", ".4 0 0", 0.4, body(f"{side}2", ".4 0 0", 0.2)))
        for side, x in (("a", 0.0), ("b", 0.3))
    )  # fmt: skip
    model, made = robot(bodies, "<weld body1='a2' body2='b2'/>")
    figure = ikrig.Robot(made, p3d.NodePath("scene"))
    for angle in np.linspace(0.0, -0.8, 40):
        figure.set_qpos(np.where(np.arange(6) == 0, angle, figure.qpos))
        assert gap(model, figure.qpos) < 1e-3
    assert np.ptp(figure.qpos) > 0.5


def test_solver_reaches_with_closed_loops() -> None:
    model, made = four_bar("<connect site1='rod_end' site2='rocker_end'/>")
    solver = ikrig.RobotSolver(made, ["rod_end"])
    figure = ikrig.Robot(made, p3d.NodePath("scene"))
    figure.joints["crank"].value = 0.8
    end = figure.site("rod_end")
    solver.solve(tuple(end.get_pos(figure.root)), start=figure.qpos)
    for angle in np.linspace(0.8, 2.0, 30):
        figure.joints["crank"].value = angle
        goal = tuple(end.get_pos(figure.root))
        solver.solve(goal)
        data = mujoco.MjData(model)
        data.qpos[:] = solver.qpos
        mujoco.mj_forward(model, data)
        assert gap(model, solver.qpos) < 1e-3
        assert np.linalg.norm(data.site("rod_end").xpos - np.array(goal)) < 1e-3


def test_batches_of_robots_with_loops_are_refused() -> None:
    _, made = four_bar("<connect site1='rod_end' site2='rocker_end'/>")
    solver = ikrig.RobotSolver(made, ["rod_end"])
    with pytest.raises(ikrig.SettingError, match="has 1: call solve"):
        solver.solve_batch(np.zeros((2, 3)))
