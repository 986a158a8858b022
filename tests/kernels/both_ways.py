"""What compiled and interpreted kernels do alike, bit for bit: one case each.

A case is a function of a random generator that yields what it finds, step by step: by
public classes where there are any, and by names that are the same both ways.
``python -m tests.kernels.both_ways SEED NAME ...`` prints a digest of each step;
``check`` compares those of this process with those of an interpreted one.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import warnings
from array import array
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2s
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.spatial.transform import Rotation

import ikrig
from ikrig import kernels
from ikrig.kernels import buffer, index_buffer, zeros
from ikrig.solvers import MultiEffectorSolver, make_solver
from tests import random_robots, reference
from tests.methods import CHAIN_METHODS, METHODS

CASES: dict[str, Callable[[Generator], Iterator[Any]]] = {}


def case(function: Callable[[Generator], Iterator[Any]]) -> Any:
    """Take a function as a case of its name."""
    CASES[function.__name__] = function
    return function


def digests(name: str, seed: int) -> list[str]:
    """Return a digest of each step of a case."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return [
            blake2s(_bytes(step), digest_size=4).hexdigest()
            for step in CASES[name](np.random.default_rng(seed))
        ]


def _bytes(step: Any) -> bytes:
    if isinstance(step, (np.ndarray, array)):
        return step.tobytes()
    # lists of numbers are what interpreted kernels have for arrays
    return repr(list(step) if isinstance(step, (list, memoryview)) else step).encode()


def check(names: Sequence[str], seed: int) -> None:
    """Compare cases with the same in a process of interpreted kernels."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.kernels.both_ways", str(seed), *names],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "IKRIG_INTERPRETED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    for name, others in json.loads(done.stdout).items():
        found = digests(name, seed)
        assert len(set(found)) > 1, f"{name}: nothing moves"
        assert len(found) == len(others)
        wrong = [k for k in range(len(found)) if found[k] != others[k]]
        assert not wrong, f"{name}, seed {seed}: steps {wrong[:9]} of {len(found)}"


# -- chains and trees ------------------------------------------------------------------

SETTINGS = (
    ikrig.SolveSettings(),
    ikrig.SolveSettings(snap_back_strength=0.0),
    ikrig.SolveSettings(snap_back_strength=0.5, weight=0.4),
    ikrig.SolveSettings(soften=0.2, stretch=0.1),
    ikrig.SolveSettings(max_step=2.0),
    ikrig.SolveSettings(twist_spread=0.7),
    ikrig.SolveSettings(roll_from="parent", twist_spread=0.3),
)
LIMITS = {
    0: ikrig.ConeLimit((0.9, 0.5, 0.7, 1.1), twist=(-0.4, 0.6)),
    1: ikrig.HingeLimit((1.0, 0.3, 0.0), -0.2, 1.9),
    2: ikrig.AxesLimit("xz", (-0.7, -0.2), (0.7, 0.9)),
    3: ikrig.SlideLimit((0.2, 0.1, 1.0), -0.3, 0.4),
    4: ikrig.BallLimit(0.6),
}


@case
def chains(rng: Generator) -> Iterator[Any]:
    """Without limits: every setting, chains of 1 to 40 bones."""
    sizes = (1, 2, 3, 10, 40)
    for k, (method, how) in enumerate(product(("fabrik", "ccd"), SETTINGS)):
        bones = sizes[k % len(sizes)]
        model = ikrig.ChainModel(
            reference.bent_positions(rng, rng.random(bones) + 0.2),
            rotations=rng.normal(size=(bones + 1, 4)),
            frame_rotations=rng.normal(size=(bones + 1, 4)),
        )
        solver = make_solver(method, model)
        for frame in range(30):
            if frame == 20:
                solver.tip = (0.3, -0.1, 0.2)
            yield solver.solve(
                reference.in_ball(rng, 1.2 * model.reach),
                pole=3.0 * rng.normal(size=3) if frame % 3 else None,
                goal_rotation=reference.unit(rng.normal(size=4)) if frame % 2 else None,
                settings=how,
            )
            yield from (solver.positions, solver.rotations, solver.local_rotations)


@case
def joint_spaces(rng: Generator) -> Iterator[Any]:
    """Five bones with a limit of each kind, and without."""
    for method, limits in product(("fabrik", "ccd", "dls"), (LIMITS, None)):
        model = ikrig.ChainModel(reference.bent_positions(rng, rng.random(5) + 0.3))
        solver = make_solver(method, model, limits)
        for frame in range(20):
            if frame == 12:
                solver.tip = (0.3, -0.1, 0.2)
            how = ikrig.SolveSettings(
                snap_back_strength=(0.0, 1.0, None)[frame % 3],
                orientation_weight=0.5,
                weight=(1.0, 0.7)[frame % 4 == 0],
                max_step=(None, 9.0)[frame % 5 == 0],
            )
            turn = reference.unit(rng.normal(size=4)) if frame % 2 else None
            goal = reference.in_ball(rng, 1.1 * model.reach)
            yield solver.solve(goal, goal_rotation=turn, settings=how)
            yield solver.rotations


@case
def random_chains(rng: Generator) -> Iterator[Any]:
    """Any models, limits, settings and goals, some of them not finite."""
    from tests.fuzz import making
    from tests.fuzz.test_core import arguments

    for name in CHAIN_METHODS:
        bones = 2 if name == "two_bone" else int(rng.integers(1, 6))
        model = making.chain(rng, bones)
        limits = making.limits(rng, model, making.some(rng, (0.0, 0.4, 1.0)))
        solver = make_solver(name, model, limits)
        for _ in range(3):
            given = arguments(rng, model)
            if rng.random() < 0.2:
                given["goal"] = making.spoil(rng, given["goal"])
            yield solver.solve(**given)
            yield from (solver.rotations, solver.positions)


@case
def trees(rng: Generator) -> Iterator[Any]:
    """A person with limits, poles and tips."""
    from tests.solvers.test_multi_effector import person

    model = person()
    joints = ("arm_l", "knee_l", "arm_r", "knee_r", "leg_r")
    limits = dict(zip(joints, LIMITS.values(), strict=True))
    for method, pinned in (("fabrik", True), ("fabrik", False), ("dls", True)):
        solver = MultiEffectorSolver(model, limits=limits, method=method, pinned=pinned)
        rest = model.positions[list(solver.effectors)]
        count = len(rest)
        own = [e for e in range(count) if _has_branch(solver, e)]
        assert own
        for frame in range(6):
            if frame == 4:
                solver.tips = [(0.1, -0.05, 0.2)] * count
            poles = [(1.0, 2.0, 0.5) if e in own else None for e in range(count)]
            goals = (rest + 0.3 * rng.normal(size=rest.shape)).tolist()
            yield solver.solve(goals, poles=poles if frame >= 3 else None)
            yield solver.rotations


def _has_branch(solver: MultiEffectorSolver, e: int) -> bool:
    try:
        solver.branch(e)
    except ikrig.SettingError:
        return False
    return True


@case
def straight_branches(rng: Generator) -> Iterator[Any]:
    """Legs that are straight bend to their own side, one hinge to the other."""
    points = [[0, 0, 2], [-0.3, 0, 2], [-0.3, 0, 1.2], [-0.3, 0, 0.7], [-0.3, 0, 0]]
    points += [[0.3, 0, 2], [0.3, 0, 1], [0.3, 0, 0]]
    bends = {4: (0, -1, 0.2), 7: (1, 1, 0)}
    model = ikrig.SkeletonModel(points, [-1, 0, 1, 2, 3, 0, 5, 6], bends=bends)
    limits = {6: ikrig.HingeLimit((1.0, 0.0, 0.0), 0.0, 2.0)}
    solver = MultiEffectorSolver(model, [0, 4, 7], limits, pinned=False)
    for k in range(4):
        solver.solve([[0.0, 0.0, 2.0 - 0.1 * k], points[4], points[7]])
        yield solver.rotations
    assert solver.positions[3][1] < -0.2 < 0.2 < abs(solver.positions[6][1])


@case
def random_trees(rng: Generator) -> Iterator[Any]:
    """Any trees with any number of effectors."""
    from tests.fuzz.test_trees import arguments, solver_of

    for method in METHODS:
        _, make = solver_of(rng, method, int(rng.integers(2, 6)), 0.5)
        solver = make()
        for _ in range(2):
            yield solver.solve(**arguments(rng, solver))
            yield solver.rotations


# -- robots ----------------------------------------------------------------------------


@case
def robots(rng: Generator) -> Iterator[Any]:
    """Forward kinematics and Jacobians of bodies with joints of any kind."""
    for count in (2, 5, 12, 30):
        bodies = random_robots.random_bodies(rng, count)
        model = ikrig.RobotModel(bodies)
        qpos = random_robots.random_qpos(rng, bodies, 8)
        state = ikrig.RobotState(model, (8,), qpos=qpos)
        yield from state.pose
        for name in model.body_names:
            yield state.jacobian(body=name)


@case
def arms(rng: Generator) -> Iterator[Any]:
    """Six-axis arms: every branch, the nearest one, and paths; singular poses too."""
    from tests.fuzz.test_arm import angles, arm_of, placed
    from tests.solvers.six_axis.arms import CHAINS

    count = 120
    for chain, limited in product(CHAINS.values(), (False, True)):
        arm = chain.arm(
            **({"lower": [-2.5] * 6, "upper": [2.0] * 6} if limited else {})
        )
        q = rng.uniform(-np.pi, np.pi, (count, 6))
        q[::5, 2] = rng.choice([0.0, np.pi], len(q[::5]))
        q[::7, 4] = rng.choice([0.0, np.pi], len(q[::7]))
        q[::11, 1:3] = 0.0
        q = np.array([chain.own(t) for t in q])
        position, rotation = arm.forward(q)
        yield from (position.copy(), rotation)
        position[::13] *= 1.5
        near = rng.uniform(-5, 5, (count, 6))
        yield arm.solve_all(position, rotation, near)
        picked = arm.solve(position, rotation, near)
        yield from (picked.q, picked.branch, picked.status.tolist())
        for i in range(0, count, 9):
            yield arm.solve_all(position[i], rotation[i], near[i])
            single = arm.solve(position[i], rotation[i], near[i])
            yield from (single.q, single._replace(q=0))
        line = np.linspace(q[1], q[2], 100)
        path = arm.solve_path(*arm.forward(line), line[0])
        yield from (path.q, path.detail, path.stopped_at)
    for _ in range(10):
        chain, arm = arm_of(rng)
        q = angles(rng, arm)
        pose = placed(chain, q)
        single = arm.solve(pose[:3, 3], pose[:3, :3], q)
        yield from (single.q, single._replace(q=0))
        yield arm.solve_all(pose[:3, 3], pose[:3, :3], q)


# -- poses -----------------------------------------------------------------------------

PARENTS = (-1, 0, 1, 2, 0, 4, 5)
DROPS = ((0, 0, 0.9), (0.1, 0, 0), (0, -0.02, -0.42), (0, 0.02, -0.42),
         (-0.1, 0, 0), (0, -0.02, -0.42), (0, 0.02, -0.42))  # fmt: skip
SOLE = [(x, y, -0.06) for x in (-0.05, 0.05) for y in (-0.15, 0.08)]


def two_legs(frames: int) -> list[tuple[array, array]]:
    """Matrices of joints and figure, frame by frame: two legs that walk."""
    found = []
    for k in range(frames):
        mats = []
        for j, drop in enumerate(DROPS):
            side = 1.0 if j < 4 else -1.0
            phase = 0.1 * k + (0.0 if side > 0 else math.pi)
            angle = (0.0, 0.5, -0.6 + 0.5 * math.cos(phase), 0.2)[
                (j - 1) % 3 + 1 if j else 0
            ]
            angle *= math.sin(phase)
            c, s = math.cos(angle), math.sin(angle)
            mats += [1, 0, 0, 0, 0, c, s, 0, 0, -s, c, 0, *drop, 1]
        world = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.02 * k, 0.1 * (k // 20), 1]
        found.append((array("f", mats), array("f", world)))
    return found


def planner_of(mats: array, world: array) -> Any:
    """The planner of the feet of two legs."""
    from ikrig.character.foot_planner import FootLayout, FootPlanner

    feet = [FootLayout((j - 2, j - 1, j), [(j, p) for p in SOLE]) for j in (3, 6)]
    return FootPlanner(PARENTS, feet, [(0, (0, 1))], mats, world)


@case
def feet(rng: Generator) -> Iterator[Any]:
    """Feet that walk over rough triangles."""
    from ikrig.character.heightfield import make_grid

    corners = []
    for x, y in product(range(-2, 3), range(-40, 10)):
        a, b, c, d = rng.uniform(-0.05, 0.25, 4)
        x0, x1, y0, y1 = 0.4 * x, 0.4 * x + 0.4, 0.1 * y, 0.1 * y + 0.1
        corners += [
            (x0, y0, a, x1, y0, b, x1, y1, c), (x0, y0, a, x1, y1, c, x0, y1, d)
        ]  # fmt: skip
    half = len(corners) // 2
    owners = [0] * half + [1] * (len(corners) - half)
    grid = make_grid(np.array(corners), owners, [False, True], index_buffer([0, 0]))
    shots = two_legs(150)
    mats, world = array("f", shots[0][0]), array("f", shots[0][1])
    planner, settings = planner_of(mats, world), ikrig.FootSettings()
    planner.use(settings)
    heights = []
    for k, (now, where) in enumerate(shots):
        mats[:], world[:] = now, where
        assert planner.kernel.begin() == 0
        dt = (1 / 60, 1 / 200, 0.3)[k % 3]
        planner.kernel.advance(grid, settings.hips_seconds, 1.0, dt)
        heights.append(planner.bodies[0].up)
        yield np.array([*planner.goals, heights[-1]])
    assert np.ptp(heights) > 0.01


@case
def springs(rng: Generator) -> Iterator[Any]:
    """Strands with colliders and limits, in wind, at any frame rate."""
    from tests.model.test_springs import BODIES, Strands, both, motion

    for limit in (None, "cone", "hinge", "spherical"):
        figure, t = Strands(), 0.0
        made, _ = both(figure, tuple(BODIES), limit, "body")
        made.kernel.set_wind(0.3, 0.2, 0.1)
        for frame in range(40):
            dt = float(rng.choice([0.0, 1.0 / 60.0, 0.007, 0.04, 0.3]))
            t += dt
            turns, pos = motion(t)
            figure.set(turns, np.array(pos) + (frame > 20) * 5.0)
            made.weight = 1.0 if frame < 30 else 0.5
            made.apply(figure.pose, dt)
            yield figure.pose.local


@case
def curves(rng: Generator) -> Iterator[Any]:
    """Joints along curves."""
    from tests.model.test_splines import CURVES, laid

    for points, stretch in product(CURVES.values(), (1.0, 1.5, math.inf)):
        yield laid(points, stretch=stretch, offset=0.4, twist=0.5)[1]


@case
def bodies(rng: Generator) -> Iterator[Any]:
    """A whole body whose ends are led."""
    from tests.kernels.test_body import run

    yield from run(12)


JOINTS, STARTS = [2, 3, 4, 7, 8, 9], [0, 3, 6]


def _shapes(near: Any) -> list[list[float]]:
    """A shape of each kind, near a point."""
    x, y, z = near
    rows = [
        [0, x + 0.1, y, z, 0.05],
        [1, x, y + 0.1, z, x, y + 0.1, z + 0.2, 0.03],
        [2, x, y, z - 0.15, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.2, 0.05],
        [3, x - 0.2, y, z, x - 0.2, y + 0.1, z, x - 0.2, y, z + 0.1],
        [4, 0, 0, 1, z - 0.3],
    ]
    return [[float(v) for v in row] + [0.0] * (16 - len(row)) for row in rows]


@case
def fingers(rng: Generator) -> Iterator[Any]:
    """Fingers that close around shapes, hold them and open."""
    from tests.model.test_springs import Strands, motion

    figure, kernel = Strands(int(rng.integers(24))), kernels.KERNELS["hand"]
    shape, spheres = [], []
    for k in range(len(JOINTS)):
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0].ravel()
        thumb = k == 3
        shape += [*axes, 0.1 * k, 1.4, 0.3, 1.7 * thumb, 0.2 * thumb]
        for _ in range(2):
            spheres += [float(k), *rng.normal(scale=0.04, size=3), 0.015]
    work = zeros(21 * len(JOINTS) + 1)
    made = kernel.HandKernel(
        figure.pose, index_buffer(JOINTS), index_buffer(STARTS),
        buffer(map(float, shape)), buffer(map(float, spheres)),
        array("d", [0.3, 0.5, 0.0, 0.6, 0.2, 0.8]), work,
    )  # fmt: skip
    for frame in range(60):
        figure.set(motion(frame / 60)[0])
        if frame == 3:
            made.glide(0.2)
            made.shown = 1.0
        if frame in (20, 40):
            place = figure.pose.net_matrix("hair00")[3, :3]
            rows = _shapes(place + rng.normal(scale=0.05, size=3))
            # one at a time, then all
            for given in [*([row] for row in rows), rows]:
                numbers = buffer([x for row in given for x in row])
                made.glide(0.1)
                made.close(numbers, len(given))
                yield (made.contacts, *work)
            gaps = zeros(8)
            kernel.gaps(numbers, len(rows), buffer(rng.normal(size=24)), gaps)
            yield tuple(gaps)
        if frame == 30:
            made.hold(buffer([0.1, 0.0, 0.0, 0.2, 0.3, 0.4]))
            made.glide(0.1)
        if frame == 50:
            made.release()
            made.glide(0.1)
            made.shown = 0.0
        yield made.step(1.0 if frame % 2 else 0.6, 1 / 60)
        yield figure.pose.local


@case
def clearance(rng: Generator) -> Iterator[Any]:
    """Arms kept out of a body."""
    from tests.model.test_springs import Strands, motion

    figure, moved = Strands(int(rng.integers(24))), False
    parts = [
        x for joint in (0, 1, 7) for x in (joint, *rng.normal(scale=0.1, size=6), 0.3)
    ]
    points = [0.0, 0.0, 0.0, 0.03, *rng.normal(scale=0.05, size=3), 0.02]
    arm = kernels.KERNELS["arm_clearance"].ArmClearance(
        figure.pose, (2, 3, 4), buffer(parts), buffer(points), (0.1, 0.08),
        (0, 0.0, -1.0, 0.0), zeros(7 * 3 + 16 + 40),
    )  # fmt: skip
    for frame in range(120):
        figure.set(motion(frame / 60)[0])
        place = figure.pose.net_matrix(figure.names[4])[3, :3]
        led = buffer([*place, 1.0, 0.0, 0.0, 0.0, *rng.normal(size=3)])
        arm.lead(led, frame % 30 == 0)
        goal, weight = rng.normal(scale=0.2, size=3), (0.1, 0.5, 1.0)[frame // 40]
        step = arm.step(*goal, weight, frame % 50 > 25, 1 / 60)
        moved |= bool(step)
        yield (step, *led)
        yield figure.pose.local
    assert moved


@case
def folds(rng: Generator) -> Iterator[Any]:
    """Joints of a pose that are rotated, limbs that fold, clips that are blended."""
    from tests.kernels.test_clip_blend import JOINTS as BLENDED
    from tests.kernels.test_clip_blend import rows
    from tests.model.test_springs import Strands

    figure = Strands(1)
    for _ in range(40):
        figure.set([Rotation.from_rotvec(rng.normal(size=3)) for _ in figure.names])
        for j in rng.integers(len(figure.names), size=6).tolist():
            figure.pose.rotate(j, *reference.unit(rng.normal(size=4)).tolist())
        yield figure.pose.local.copy()
        figure.pose.fold([2, 3, 4, 5], *rng.normal(scale=0.3, size=3).tolist(), 1.0)
        yield figure.pose.local
        frames = [(rows(rng), float(rng.uniform(0.1, 2.0))) for _ in range(4)]
        for linear in (False, True):
            mats = array("f", [9.0] * (16 * BLENDED))
            blend = kernels.KERNELS["clip_blend"].ClipBlend(
                index_buffer(range(BLENDED)), zeros(19 * BLENDED),
                array("f", range(16 * BLENDED)), mats,
            )  # fmt: skip
            for k, (row, weight) in enumerate(frames):
                blend.add(array("f", row.ravel().tolist()), weight, k == 0)
            blend.finish(linear)
            yield mats


@case
def numbers(rng: Generator) -> Iterator[Any]:
    """Easings of keys, matrices taken apart."""
    from tests.kernels import test_bezier, test_matrices

    for four in test_bezier.examples():
        x = rng.random(50)
        kernels.KERNELS["bezier"].ease(50, np.tile(four, 50), x)
        yield x
    mats = test_matrices.examples()
    parts = array("d", bytes(80 * len(mats)))
    flat = memoryview(array("f", np.ravel(mats).tolist()))
    kernels.KERNELS["matrices"].decompose_trs(len(mats), flat, parts)
    yield parts


# -- frames ----------------------------------------------------------------------------


@case
def nodes(rng: Generator) -> Iterator[Any]:
    """Chains and a tree on nodes, whose targets move, rest and are sheared."""
    import panda3d.core as p3d

    top = p3d.NodePath("top")
    top.set_pos_hpr_scale(1, 2, 3, 30, 20, 10, 1.5, 1.5, 1.5)
    joints, target = [top.attach_new_node("0")], top.attach_new_node("target")
    for k in range(1, 5):
        joints.append(joints[-1].attach_new_node(str(k)))
        joints[-1].set_pos_hpr(0.1, 0.0, 1.0, *rng.uniform(-20, 20, 3))
    target.set_pos(1.0, 1.0, 2.0)
    middle = top.attach_new_node("middle")
    rigs = (
        lambda: ikrig.IKChain(joints[-1], chain_length=4, target=target),
        lambda: ikrig.IKTree(joints[0], {"4": target, "2": middle}),
    )
    for make in rigs:
        rig = make()
        for frame in range(40):
            if frame % 4:
                target.set_pos_hpr(*rng.normal(size=3), *rng.uniform(-180, 180, 3))
            if frame == 20:
                joints[2].set_h(30.0)
            if frame == 30:
                target.set_shear(0.2, 0.0, 0.1)
            yield repr(rig.update(1 / 60))
            yield repr([tuple(map(tuple, x.get_mat().rows)) for x in joints])


@case
def figures(rng: Generator) -> Iterator[Any]:
    """Gaze, aim and reach on joints of any shape, whose targets jump."""

    from ikrig.scene.ik.node_transforms import matrices

    from .figures_of_nodes import Figure, Framed

    limits, times = ikrig.LookLimits(), (1 / 60, 1 / 144, 0.5)
    figure = Figure(plain=False)
    target = figure.top.attach_new_node("target")
    reader = figure.reader(target)
    eyes = 0, index_buffer((4, 5)), buffer((0.0, -0.1, 0.1))
    look = figure.gaze("gaze_look", [2, 3], [0.4, 0.6], 1, (3, 4, 5), *eyes)
    look.set_eyes(ikrig.LookLimits(0.6, 0.6, 0.4, 0.5), 0.12)
    look.keep_motion = 0.7
    aim = figure.gaze("gaze_aim", [1, 6], [0.3, 0.7], 0, (), matrices(1))
    pointer = figure.paths[8].attach_new_node("pointer")
    aim.pointer = figure.reader(pointer, figure.paths[6])
    aim.set_axis(0.1, -1.0, 0.2)
    hand, pose = kernels.KERNELS["hand_reach"], zeros(25)
    made = hand.ReachKernel(
        figure.nets, index_buffer((6, 7, 8)), hand.PoseHold(pose), pose, matrices(1),
    )  # fmt: skip
    reach = Framed(figure.joints, made)
    for kernel in (look, aim, reach):
        for k in range(150):
            kernel.target = None if 100 < k < 120 else reader
            figure.pose(rng, 0.3)
            if k % 20 == 0:
                target.set_pos_hpr(*rng.uniform(-1, 2, 3), *rng.uniform(-180, 180, 3))
                target.set_scale(*rng.choice([-1.0, 0.5, 1.0], 3).tolist())
            if kernel is reach:
                reach.lead(-1.5, k == 0, 1 / 60)
                reach.step(-1.5, 0.3, k == 0, times[k % 3])
                yield (*pose, reach.reach_weight())
            else:
                kernel.step(limits, 0.4, 6.0, 0.9, False, times[k % 3])
            yield figure.nets_now()


if __name__ == "__main__":
    print(json.dumps({name: digests(name, int(sys.argv[1])) for name in sys.argv[2:]}))
