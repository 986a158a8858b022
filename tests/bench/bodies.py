"""Whole bodies against motion captures: ``python -m tests.bench.bodies FOLDER``.

FOLDER holds captures (.bvh) of people. A second figure stands in frame 0 of the
capture. In each frame, 60 a second, targets stand where hands, feet and head of the
capture are, with their rotations (seven: hips and chest too; three: head and hands),
and one frame is solved. From frame 5 on, over all joints but fingers, thumbs and ends:

mean    distance of the joints from those of the capture, and of those above and below
        the hips [cm of a person of 1.7 m]
worst   the largest one
ends    the largest distance of a joint with a target from it
jumps   turns of a joint in a frame above twice the joint's own 99.5th percentile in the
        capture and 2 degrees
slide   of three: how far a foot moves while it stands, at most, in lengths of a leg [%]
us      a frame of the solver: of the layer's ``update``; the median, and the 99th
        percentile

``tree`` is one IKTree with the same targets, ``mink`` a differential IK on MuJoCo and
``pinocchio`` damped least squares in numpy on its kinematics: at most 10 steps a frame,
with the pose of frame 0 as their posture, where they are installed.
Afterwards: what a frame of an Actor with each costs, as a multiple of a plain one's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import thread_time
from typing import Any
from unittest.mock import patch

import numpy as np
import panda3d.core as p3d

import ikrig
from ikrig import Motion
from ikrig.math3d.quaternion import conjugate, multiply
from ikrig.scene.actor.actor_figure import limbs_of

from . import DT

LEFT_OUT = ("_end", "humb", "inger", "Index")
FIVE = ("left_hand", "right_hand", "head", "left_foot", "right_foot")
GOALS = {
    "five": FIVE,
    "seven": (*FIVE, "hips", "chest"),
    "three": ("head", "left_hand", "right_hand"),
}
FIRST, LAST = 5, 400
Update = Callable[[], None]


class Take:
    """A capture, a figure that plays it, and one that stands in its first frame."""

    def __init__(self, motion: Motion, goals: str) -> None:
        self.motion = motion
        self.world = p3d.NodePath("world")
        self.truth, self.actor = (ikrig.StickFigure(motion) for _ in range(2))
        for actor in (self.truth, self.actor):
            actor.reparent_to(self.world)
            actor.pose(motion.name, 0)
        self.rig = ikrig.ActorRig(self.actor)
        limbs = limbs_of(self.rig.skeleton).limbs
        found = {limb.name: limb.joints[-1] for limb in limbs}
        chest = next(n for n in ("Chest", "Spine2", "Spine1") if n in motion.names)
        found |= {"hips": motion.names[0], "chest": chest}
        self.ends = {name: found[name] for name in GOALS[goals]}
        self.targets = {name: self.world.attach_new_node(name) for name in self.ends}
        self.names = [n for n in motion.names if not any(w in n for w in LEFT_OUT)]
        joints = [*dict.fromkeys((*self.names, *self.ends.values()))]
        self.true = {n: self.truth.expose_joint(None, "modelRoot", n) for n in joints}

    def show(self, k: int) -> None:
        """Put the targets where the capture's joints are."""
        self.truth.pose(self.motion.name, k)
        self.truth.update(force=True)
        for name, node in self.targets.items():
            node.set_mat(self.world, self.true[self.ends[name]].get_mat(self.world))

    def now(self, nodes: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return places and rotations of joints."""
        found = [nodes(name) for name in self.names]
        return (
            np.array([tuple(node.get_pos(self.world)) for node in found]),
            np.array([tuple(node.get_quat(self.world)) for node in found]),
        )

    def close(self) -> None:
        self.rig.detach()
        for actor in (self.truth, self.actor):
            actor.cleanup()


def tree(take: Take) -> Any:
    joints = {take.ends[name]: node for name, node in take.targets.items()}
    return take.rig.tree(
        joints, root_joint=take.motion.names[0], pinned=False,
        orientation_mode="target",
        orientation_weights=dict.fromkeys(joints, 1.0),
    )  # fmt: skip


def body(take: Take) -> Any:
    if len(take.targets) < 5:
        nodes: dict[str, Any] = take.targets
        return ikrig.TrackedBody(take.rig, **nodes)
    made = ikrig.FullBody(take.rig)
    for name, node in take.targets.items():
        made[name].target, made[name].orientation_weight = node, 1.0
    return made


KINDS: dict[str, Callable[[Take], Any]] = {"tree": tree, "body": body}


@contextmanager
def timed(layer: Any) -> Iterator[list[float]]:
    """Note how long each update of a layer takes."""
    name = "update" if isinstance(layer, ikrig.IKTree) else "apply"
    function, times = getattr(type(layer), name), []

    def call(*args: Any) -> None:
        start = thread_time()
        function(*args)
        times.append(thread_time() - start)

    with patch.object(type(layer), name, call):
        yield times


def run(motion: Motion, kind: str, goals: str) -> dict[str, float]:
    """Return the figures of a capture."""
    take = Take(motion, goals)
    found, wanted = [], []

    def follow(solve: Update, nodes: Any) -> None:
        for k in range(min(len(motion), LAST)):
            take.show(k)
            solve()
            found.append(take.now(nodes))
            wanted.append(take.now(take.true.__getitem__))

    if kind in PEERS:
        times: list[float] = []
        follow(*PEERS[kind](take, times))
    else:
        with timed(KINDS[kind](take)) as times:
            follow(lambda: take.rig.update(DT), take.rig.joint)
    take.close()
    return figures(take, goals, found, wanted, np.array(times[FIRST:]))


def figures(
    take: Take, goals: str, found: Any, wanted: Any, times: np.ndarray
) -> dict[str, float]:
    places, turns = (np.array(x) for x in zip(*found, strict=True))
    true_places, true_turns = (np.array(x) for x in zip(*wanted, strict=True))
    miss = np.linalg.norm(places - true_places, axis=2)[FIRST:]
    joint, own = steps(turns), steps(true_turns)
    usual = np.percentile(own, 99.5, axis=0)
    names = take.names
    ends = [names.index(joint) for joint in take.ends.values()]
    below = {
        j
        for limb in limbs_of(take.rig.skeleton).limbs
        if limb.kind == "foot"
        for j in limb.joints
    }
    upper = np.array([name not in below and "Toe" not in name for name in names])
    row = {
        "mean": 100.0 * miss.mean(),
        "above": 100.0 * miss[:, upper].mean(),
        "worst": 100.0 * miss.max(),
        "ends": 100.0 * miss[:, ends].max(),
        "jumps": float((joint > 2.0 * usual + 2.0).sum()),
        "turn": float(joint.max()),
    }
    if goals == "three":
        row["slide"] = 100.0 * slide(take, places)
    row["us"] = 1e6 * float(np.median(times))
    row["p99"] = 1e6 * float(np.percentile(times, 99))
    return row


def steps(turns: np.ndarray) -> np.ndarray:
    cosine = np.abs((turns[1:] * turns[:-1]).sum(axis=2))
    return np.degrees(2.0 * np.arccos(np.clip(cosine, 0.0, 1.0)))[FIRST:]


def slide(take: Take, places: np.ndarray) -> float:
    """Return how far a foot moves while its height stays the same, in legs."""
    worst = 0.0
    for limb in limbs_of(take.rig.skeleton).limbs:
        if limb.kind != "foot":
            continue
        line = [take.names.index(joint) for joint in limb.joints]
        leg = np.linalg.norm(np.diff(places[0, line], axis=0), axis=1).sum()
        foot = places[FIRST:, line[-1]]
        # it stands where it is low and its height is constant
        low = foot[:, 2] < foot[:, 2].min() + 0.01 * leg
        low[1:] &= np.abs(np.diff(foot[:, 2])) < 1e-4 * leg
        start = foot[0]
        for now, before, here in zip(low[1:], low[:-1], foot[1:], strict=True):
            if now and before:
                worst = max(worst, float(np.linalg.norm((here - start)[:2])) / leg)
            else:
                start = here
    return worst


def with_mink(take: Take, times: list[float]) -> tuple[Update, Any]:
    """Return a frame by mink, and where its joints are."""
    import mink
    import mujoco

    motion = take.motion
    model = mujoco.MjModel.from_xml_string(_mjcf(motion))
    configuration = mink.Configuration(model)
    q = model.qpos0.copy()
    q[:3], q[3:7] = motion.positions[0, 0], motion.rotations[0, 0]
    for j in range(1, len(motion.names)):
        turn = multiply(conjugate(motion.rest_rotations[j]), motion.rotations[0, j])
        at = model.joint(f"j{j}").qposadr[0]
        q[at : at + 4] = turn
    configuration.update(q)
    posture = mink.PostureTask(model, cost=0.02)
    posture.set_target(q)
    tasks = {
        name: mink.FrameTask(f"b{motion.names.index(joint)}", "body", 1.0, 1.0)
        for name, joint in take.ends.items()
    }

    def solve() -> None:
        for name, node in take.targets.items():
            x, y, z = node.get_pos()
            turn = node.get_quat()
            turn.normalize()
            tasks[name].set_target(
                mink.SE3.from_rotation_and_translation(
                    mink.SO3(np.array(tuple(turn))), np.array((x, y, z))
                )
            )
        start = thread_time()
        for _ in range(10):
            velocity = mink.solve_ik(
                configuration, [*tasks.values(), posture], 1.0, "daqp", damping=1e-4
            )
            configuration.integrate_inplace(velocity, 1.0)
            if np.abs(velocity).max() < 1e-3:
                break
        times.append(thread_time() - start)

    nodes = {name: take.world.attach_new_node(name) for name in motion.names}

    def node(name: str) -> p3d.NodePath:
        body = configuration.data.body(f"b{motion.names.index(name)}")
        nodes[name].set_pos_quat(
            p3d.LPoint3f(*body.xpos), p3d.LQuaternionf(*body.xquat)
        )
        return nodes[name]

    return solve, node


def with_pinocchio(take: Take, times: list[float]) -> tuple[Update, Any]:
    """Return a frame by Pinocchio and numpy, and where its joints are."""
    import pinocchio as pin

    motion = take.motion
    model = pin.Model()
    for j, parent in enumerate(motion.parents):
        kind = pin.JointModelFreeFlyer() if j == 0 else pin.JointModelSpherical()
        # a ball's own zero is the pose of the file
        rest = pin.SE3(_rows(motion.rest_rotations[j]), motion.offsets[j])
        place = pin.SE3.Identity() if j == 0 else rest
        model.addJoint(int(parent) + 1, kind, place, f"j{j}")
    data, q = model.createData(), pin.neutral(model)
    q[:3], q[3:7] = motion.positions[0, 0], motion.rotations[0, 0][[1, 2, 3, 0]]
    for j in range(1, len(motion.names)):
        turn = multiply(conjugate(motion.rest_rotations[j]), motion.rotations[0, j])
        at = model.joints[j + 1].idx_q
        q[at : at + 4] = turn[[1, 2, 3, 0]]
    first, eye = q.copy(), np.eye(model.nv)
    ends = {name: motion.names.index(j) + 1 for name, j in take.ends.items()}

    def solve() -> None:
        goals = {}
        for name, node in take.targets.items():
            turn = node.get_quat()
            turn.normalize()
            goals[name] = pin.SE3(_rows(tuple(turn)), np.array(tuple(node.get_pos())))
        start = thread_time()
        for _ in range(10):
            pin.computeJointJacobians(model, data, q)
            off = {n: pin.log6(data.oMi[ends[n]].actInv(g)) for n, g in goals.items()}
            slopes = np.concatenate(
                [pin.getJointJacobian(model, data, ends[n], pin.LOCAL) for n in goals]
            )
            error = np.concatenate([each.vector for each in off.values()])
            pull = slopes.T @ error + 4e-4 * pin.difference(model, q, first)
            step = np.linalg.solve(slopes.T @ slopes + 5e-4 * eye, pull)
            q[:] = pin.integrate(model, q, step)
            if np.abs(step).max() < 1e-3:
                break
        pin.forwardKinematics(model, data, q)
        times.append(thread_time() - start)

    nodes = {name: take.world.attach_new_node(name) for name in motion.names}

    def node(name: str) -> p3d.NodePath:
        there = data.oMi[motion.names.index(name) + 1]
        x, y, z, w = pin.Quaternion(there.rotation).coeffs()
        nodes[name].set_pos_quat(
            p3d.LPoint3f(*there.translation), p3d.LQuaternionf(w, x, y, z)
        )
        return nodes[name]

    return solve, node


def _rows(turn: Any) -> np.ndarray:
    """Return the matrix of a quaternion, w x y z, for columns of vectors."""
    w, x, y, z = turn
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    return np.eye(3) + 2.0 * (w * cross + cross @ cross)


PEERS = {"mink": with_mink, "pinocchio": with_pinocchio}
NEEDS = {"mink": ("mink", "mujoco", "daqp"), "pinocchio": ("pinocchio",)}


def _mjcf(motion: Motion) -> str:
    inertia = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'

    def body(j: int) -> str:
        joint = "<freejoint/>" if j == 0 else f'<joint name="j{j}" type="ball"/>'
        place = " ".join(map(repr, map(float, motion.offsets[j])))
        turn = " ".join(map(repr, map(float, motion.rest_rotations[j])))
        below = "".join(body(k) for k, above in enumerate(motion.parents) if above == j)
        return (
            f'<body name="b{j}" pos="{place}" quat="{turn}">{inertia}{joint}{below}'
            "</body>"
        )

    return f"<mujoco><worldbody>{body(0)}</worldbody></mujoco>"


def ratios(motion: Motion, rounds: int) -> dict[str, float]:
    """Return µs of a frame of a plain Actor, and of rigs as multiples of it."""
    takes = {kind: Take(motion, "five") for kind in ("plain", *KINDS)}
    for kind, make in KINDS.items():
        make(takes[kind])
    times: dict[str, list[float]] = {kind: [] for kind in takes}
    count = min(len(motion), LAST)
    for k in range(rounds):
        for kind, take in takes.items():
            take.show(k % count)
            # a clip that moves, as in a game
            take.actor.pose(motion.name, k % 3)
            start = thread_time()
            if kind == "plain":
                take.actor.update(force=True)
            else:
                take.rig.update(DT)
            times[kind].append(thread_time() - start)
            p3d.TransformState.garbage_collect()
    for take in takes.values():
        take.close()
    found = {kind: median(spent[5:]) for kind, spent in times.items()}
    plain = found.pop("plain")
    return {"plain us": 1e6 * plain, **{k: v / plain for k, v in found.items()}}


def main(argv: list[str] | None = None) -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.bodies",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--goals", nargs="+", choices=GOALS, default=list(GOALS))
    parser.add_argument("--scale", type=float, help="length of a capture's unit [m]")
    args = parser.parse_args(argv)
    kinds = [*KINDS]
    for peer, packages in NEEDS.items():
        if all(map(find_spec, packages)):
            kinds.append(peer)
        else:
            print(f"left out: {peer} (pip install mink daqp pin)")
    motions = []
    for path in sorted(args.folder.glob("*.bvh")):
        motion = ikrig.load_bvh(path, scale=args.scale)
        motions.append(motion.between(0, len(motion), max(1, round(motion.fps / 60.0))))
    if not motions:
        parser.error(f"no .bvh file in {args.folder}")
    for goals in args.goals:
        for kind in kinds:
            rows = [run(motion, kind, goals) for motion in motions]
            for motion, row in zip(motions, rows, strict=True):
                print(f"{goals:6}{kind:10}{motion.name:14}{_text(row)}", flush=True)
            mean = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
            print(f"{goals:6}{kind:10}{'mean':14}{_text(mean)}", flush=True)
    print("a frame of an Actor with five goals, as a multiple of a plain one's")
    for key, value in ratios(motions[0], 600).items():
        print(f"  {key:10}{value:8.2f}")
    return 0


def _text(row: dict[str, float]) -> str:
    return " ".join(f"{key} {value:6.2f}" for key, value in row.items())


if __name__ == "__main__":
    sys.exit(main())
