"""Postures and speed limits beside mink and pink.

    python -m tests.bench.peers_posture [ROBOT ...] [--goals 100] [--seed 7]

An arm of example-robot-data starts in the middle of its ranges and has two seconds of
frames to bring its hand to each of some seeded goals, no joint faster than its file
says. The same goals, start, speeds and frames for all; each frame is one call. What is
not installed is named and left out (pip install mink pin-pink qpsolvers daqp).

* reached: hands within a millimetre and a hundredth of a radian at the end, by ikrig's
  forward kinematics, which agrees with MuJoCo's and pinocchio's;
* seconds: median time to get there, of those that do;
* too fast, out of range: frames in which a joint was, by more than a thousandth;
* away: mean distance from the middle of the ranges at the end, of those reached [rad];
* µs: median of a frame.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import ikrig
from tests.robot_files import files_of, mujoco_of

PACKAGE = "example-robot-data"
# file and hand
ROBOTS = {
    "panda": ("panda_description/**/panda.urdf", "panda_hand"),
    "ur5": ("ur_description/**/ur5_robot.urdf", "ee_link"),
    "xarm7": ("xarm_description/**/xarm7.urdf", "link_eef"),
    "talos": ("talos_data/**/talos_left_arm.urdf", "arm_left_7_link"),
}
DT = 1.0 / 60.0
FRAMES = 120
POSTURE_COST = 1e-2
Step = Callable[[], Any]
Begin = Callable[[np.ndarray, np.ndarray, np.ndarray], Step]
"""Takes start, place and rotation of a goal; returns what makes a frame's pose."""
Make = Callable[[ikrig.RobotModel, Path, str], Begin]
"""Takes a robot, its file and the name of its hand."""


def main(argv: list[str] | None = None) -> int:
    """Print a row for each solver; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.peers_posture",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("robots", nargs="*", metavar="ROBOT", help=", ".join(ROBOTS))
    parser.add_argument("--goals", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args(argv)
    for robot in args.robots or ROBOTS:
        pattern, tip = ROBOTS[robot]
        files = files_of(PACKAGE, f"{PACKAGE}/robots/{pattern}")
        if not files:
            print(f"{robot} left out: {PACKAGE} is not installed", file=sys.stderr)
            return 1
        print(f"{robot:22} reached  seconds  too fast  out of range   away     µs")
        for name, make in PEERS.items():
            model = ikrig.load_robot(files[0], allow=files[0].parents[2:4])
            try:
                begin = make(model, files[0], tip)
            except ImportError as error:
                print(f"{name:22} left out: {error}")
                continue
            figures = row(model, tip, begin, args.goals, args.seed)
            print(f"{name:22} {figures}", flush=True)
    return 0


def middle_of(model: ikrig.RobotModel) -> np.ndarray:
    """Return the middle of the ranges."""
    return model.couple(model.joint_ranges.mean(axis=1))


def row(model: ikrig.RobotModel, tip: str, begin: Begin, goals: int, seed: int) -> str:
    """Return a solver's figures."""
    rng = np.random.default_rng(seed)
    low, high = model.joint_ranges.T
    start, hand = middle_of(model), model.body_index(tip)
    state = ikrig.RobotState(model)
    state.qpos[:] = start
    state.update()
    # fingers follow nobody
    arm = np.abs(state.jacobian(body=tip)).max(axis=0) > 1e-9
    reached, seconds, away, times = 0, [], [], []
    fast = out = 0
    for _ in range(goals):
        wanted = start + 0.9 * rng.uniform(-0.5, 0.5, len(low)) * (high - low)
        pose = ikrig.forward_kinematics(model, model.couple(wanted))
        goal, turn = pose.xpos[hand], pose.xmat[hand]
        step = begin(start.copy(), goal, turn)
        last, arrived = start, None
        for frame in range(FRAMES):
            since = perf_counter()
            qpos = step()
            times.append(perf_counter() - since)
            qpos = np.array(qpos, float)
            speed = np.abs(qpos - last)[arm] / DT
            fast += bool((speed > 1.001 * model.joint_speeds[arm]).any())
            beyond = np.maximum(low - qpos, qpos - high)[arm]
            out += bool((beyond > 1e-3).any())
            last = qpos
            there = near(model, hand, qpos, goal, turn)
            arrived = (frame + 1 if arrived is None else arrived) if there else None
        if arrived is not None:
            reached += 1
            seconds.append(arrived * DT)
            away.append(float(np.linalg.norm((last - start)[arm])))
    return (
        f"{reached:4}/{goals}  {np.median(seconds or [np.nan]):7.2f}  {fast:8}  "
        f"{out:12}  {np.mean(away or [np.nan]):5.2f}  {1e6 * np.median(times):5.0f}"
    )


def near(model: Any, hand: int, qpos: np.ndarray, goal: Any, turn: Any) -> bool:
    """Whether a pose has its hand at the goal."""
    pose = ikrig.forward_kinematics(model, qpos)
    apart = np.linalg.norm(pose.xpos[hand] - goal)
    # of small angles the norm of the difference over √2
    twist = np.linalg.norm(pose.xmat[hand] - turn) / np.sqrt(2.0)
    return bool(apart < 1e-3 and twist < 1e-2)


def ours(posture: float) -> Make:
    """Return what makes frames by a RobotSolver."""

    def make(model: ikrig.RobotModel, _: Path, tip: str) -> Begin:
        solver = ikrig.RobotSolver(model, tip)
        settings = ikrig.SolveSettings(
            iterations=100,
            tolerance=5e-4,
            orientation_tolerance=5e-3,
            posture="middle",
            posture_weight=posture,
            joint_speeds=model.speed_limits,
        )

        def begin(start: np.ndarray, goal: np.ndarray, turn: np.ndarray) -> Step:
            state = {"start": start}

            def step() -> Any:
                result = solver.solve(
                    goal, turn, settings=settings, dt=DT, start=state.pop("start", None)
                )
                return result.qpos

            return step

        return begin

    return make


def mink(model: ikrig.RobotModel, path: Path, tip: str) -> Begin:
    """Return what makes frames by mink."""
    import mink as peer

    theirs = mujoco_of(path)
    configuration = peer.Configuration(theirs)
    hand = peer.FrameTask(tip, "body", 1.0, 1.0, lm_damping=1e-3)
    posture = peer.PostureTask(theirs, POSTURE_COST)
    posture.set_target(middle_of(model))
    limits = [
        peer.ConfigurationLimit(theirs),
        peer.VelocityLimit(theirs, model.speed_limits),
    ]

    def begin(start: np.ndarray, goal: np.ndarray, turn: np.ndarray) -> Step:
        configuration.update(start)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = turn, goal
        hand.set_target(peer.SE3.from_matrix(pose))

        def step() -> Any:
            try:
                velocity = peer.solve_ik(
                    configuration, [hand, posture], DT, "daqp", 1e-6, limits=limits
                )
            except peer.NoSolutionFound:
                return configuration.q
            configuration.integrate_inplace(velocity, DT)
            return configuration.q

        return step

    return begin


def pink(model: ikrig.RobotModel, path: Path, tip: str) -> Begin:
    """Return what makes frames by pink."""
    import pink as peer
    import pinocchio

    theirs = pinocchio.buildModelFromUrdf(str(path))
    hand = peer.tasks.FrameTask(tip, 1.0, 1.0, lm_damping=1e-3)
    posture = peer.tasks.PostureTask(POSTURE_COST)
    posture.set_target(middle_of(model))

    def begin(start: np.ndarray, goal: np.ndarray, turn: np.ndarray) -> Step:
        configuration = peer.Configuration(theirs, theirs.createData(), start)
        hand.set_target(pinocchio.SE3(turn, goal))

        def step() -> Any:
            try:
                velocity = peer.solve_ik(
                    configuration, [hand, posture], DT, solver="daqp"
                )
            except peer.exceptions.PinkError:
                return configuration.q
            configuration.integrate_inplace(velocity, DT)
            return configuration.q

        return step

    return begin


PEERS: dict[str, Make] = {
    "ikrig": ours(0.0),
    "ikrig, posture 0.1": ours(0.1),
    "mink": mink,
    "pink": pink,
}


if __name__ == "__main__":
    sys.exit(main())
