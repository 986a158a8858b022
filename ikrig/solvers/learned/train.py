"""Trains the network of the solver ``learned`` and writes it as a Python module.

``python -m ikrig train`` does so for a robot from a file. The arm that ikrig has

    learner = Learner(*panda()[1:])
    for _ in range(STEPS):
        learner.step()
    Path("franka_network.py").write_text(module_text(panda(), learner))

takes two minutes, with the same bits every time on one machine and numpy, with
OPENBLAS_NUM_THREADS=1. (Where sums are rounded differently, as with other numbers of
threads, the result differs a little.) A solver is made from the module written:

    class MyArm(ikrig.solvers.LearnedSolver):
        network = my_weights.ARM

    ikrig.register_solver("my_arm", MyArm)
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from itertools import pairwise
from statistics import median
from textwrap import wrap
from time import perf_counter
from typing import NamedTuple

import numpy as np

from ...errors import ModelError, SettingError, shown, suggest
from ...math3d.quaternion import from_matrix
from ...model.limits import FixedLimit, HingeLimit, Limit
from ...model.robot import RobotModel
from ...model.robot_skeleton import RobotSkeleton
from ...model.skeleton import ChainModel
from ..base import ChainSolver
from ..dls import DlsSolver
from ..joint_limits import follows
from ..settings import SolveSettings
from .network import INPUTS, Network, Singles, chain_table
from .solver import LearnedSolver

Chain = tuple[str, ChainModel, Mapping[int, Limit]]

STEPS = 20000
HIDDEN = (80, 80)
ANSWERS = 4
BATCH = 512
RATE = 6e-3
UNORIENTED_FRACTION = 0.2
"""Fraction of the samples in which only the position counts."""
POSITION_WEIGHT = 4.0
"""Weight of a squared position error over size, relative to one of the rotation [rad²]:
damped least squares then leaves far less of it."""
SOFT = 1e-3
"""Squared error below which the gradient of an answer fades."""

IMPORTS = "from ikrig.solvers.learned.network import Network"
SOLVER_IMPORTS = """\
from ikrig.solvers.learned.solver import LearnedSolver
from ikrig.solvers.registry import register_solver"""
MODULE = '''"""Trained weights for {title}.

Written by ``ikrig.solvers.learned.train``, seed {seed}, {steps} steps: train again
rather than edit.
"""

from ikrig.model.limits import FixedLimit, HingeLimit
from ikrig.solvers.learned.network import Network

ARM = Network(
    title="{title}",
    positions=[
{positions}
    ],
    limits={{
{limits}
    }},
    sizes={sizes},
    weights="""
{weights}
    """,
)
'''


def panda() -> Chain:
    """Return an arm of seven hinges: sizes and limits of a Franka Panda, up to flange.

    All angles are 0 in its start pose, upright, which the fourth joint can't quite do.
    """
    z, y, back, down = (0, 0, 1), (0, 1, 0), (0, -1, 0), (0, 0, -1)
    joints = [
        ((0.0, 0.0, 0.333), HingeLimit(z, -2.8973, 2.8973)),
        ((0.0, 0.0, 0.333), HingeLimit(y, -1.7628, 1.7628)),
        ((0.0, 0.0, 0.649), HingeLimit(z, -2.8973, 2.8973)),
        ((0.0825, 0.0, 0.649), HingeLimit(back, -3.0718, -0.0698)),
        ((0.0, 0.0, 1.033), HingeLimit(z, -2.8973, 2.8973)),
        ((0.0, 0.0, 1.033), HingeLimit(back, -0.0175, 3.7525)),
        ((0.088, 0.0, 1.033), HingeLimit(down, -2.8973, 2.8973)),
        ((0.088, 0.0, 0.926), FixedLimit()),
    ]
    joint_pos, limits = zip(*joints, strict=True)
    title = "a seven-axis arm with the sizes and limits of a Franka Panda"
    return title, ChainModel(joint_pos), dict(enumerate(limits))


class Goals(NamedTuple):
    """Goals: the leaf's positions and rotations in b random poses."""

    joint_pos: Singles
    """Positions from the root over the chain's size, (b, 3)."""
    rotations: Singles
    """Rotation matrices, (b, 3, 3)."""
    oriented: Singles
    """1 where the rotation counts, else 0, (b)."""


class Learner:
    """A network in training: stochastic gradients of forward kinematics.

    The goals are those of random poses inside the limits. Many poses have the same
    goal, and any of them will do: the error of a guess is the distance of its leaf from
    the goal, and only the best answer is trained (multiple choice learning,
    Guzman-Rivera et al. 2012), by Adam (Kingma & Ba 2015).

    Args:
        model: The chain with all angles 0.
        limits: A ``HingeLimit`` or a ``FixedLimit`` for each joint.
        seed: Random seed.
        steps: Number of steps, over which the learning rate falls to 0.

    Raises:
        ModelError: A joint is neither a hinge nor fixed.
    """

    def __init__(
        self,
        model: ChainModel,
        limits: Mapping[int, Limit],
        seed: int = 0,
        steps: int = STEPS,
    ) -> None:
        table = chain_table(model, limits).astype(np.float32)
        self.seed, self.steps = seed, steps
        self._offsets, self._axes = table[:, :3], table[:, 3:6]
        self._hinges = [bool(axis.any()) for axis in self._axes]
        lower, upper = table[self._hinges, 6:].T
        self._middle: Singles = 0.5 * (lower + upper)
        self._half: Singles = 0.5 * (upper - lower)
        # Rodrigues' formula: u uᵀ + cos (1 - u uᵀ) + sin [u]×, side by side
        eye = np.eye(3, dtype=np.float32)
        squares = self._axes[:, :, None] * self._axes[:, None, :]
        crosses = np.cross(self._axes[:, None, :], eye).transpose(0, 2, 1)
        self._parts = np.concatenate([squares, eye - squares, crosses], axis=2)
        self._rng = np.random.default_rng(seed)
        self._step = 0
        self.sizes = (INPUTS, *HIDDEN, ANSWERS * len(self._half))
        # small in the last layer, so that answers start as far apart as their offsets,
        # and large in the first for positions, which are small numbers
        self.matrices = [
            self._normal(i, o) / np.float32(np.sqrt(i)) for i, o in pairwise(self.sizes)
        ]
        self.matrices[0] *= np.float32(1.5)
        self.matrices[0][:3] *= np.float32(2.0)
        self.matrices[-1] *= np.float32(0.5)
        self.offsets = [np.zeros(size, np.float32) for size in self.sizes[1:]]
        self.offsets[-1] += 0.7 * self._normal(self.sizes[-1])
        self._means = [np.zeros_like(a) for a in [*self.matrices, *self.offsets]]
        self._squares = [np.zeros_like(a) for a in self._means]

    def _normal(self, *shape: int) -> Singles:
        return self._rng.normal(size=shape).astype(np.float32)

    def forward(self, angles: Singles) -> tuple[Singles, Singles, Singles, Singles]:
        """Return the leaves of b poses, and the axes of their hinges.

        Args:
            angles: Angles of the hinges, (b, m) [rad].

        Returns:
            Positions (b, 3) from the root over the chain's size and rotation matrices
            (b, 3, 3) of the leaves; points on the axes and directions, (m, b, 3) each.
        """
        b = len(angles)
        cos, sin = np.cos(angles), np.sin(angles)
        position = np.zeros((b, 3), np.float32)
        # matrices stacked by rows, so that each product is a single one
        rotation = np.tile(np.eye(3, dtype=np.float32), (b, 1))
        anchors: list[Singles] = []
        axes: list[Singles] = []
        for j, hinge in enumerate(self._hinges):
            position = position + (rotation @ self._offsets[j]).reshape(b, 3)
            if not hinge:
                continue
            c, s = (np.repeat(part[:, len(axes)], 3)[:, None] for part in (cos, sin))
            anchors.append(position)
            axes.append((rotation @ self._axes[j]).reshape(b, 3))
            still, level, across = np.split(rotation @ self._parts[j], 3, axis=1)
            rotation = still + c * level + s * across
        return position, rotation.reshape(b, 3, 3), np.array(anchors), np.array(axes)

    def errors(self, angles: Singles, goals: Goals) -> tuple[Singles, Singles]:
        """Return the squared errors (b) of poses (b, m) and their gradients (b, m)."""
        position, rotation, anchors, axes = self.forward(angles)
        gap = position - goals.joint_pos
        # 3 - trace is 2 - 2 cos of the angle between the two: its square when small
        between = rotation @ goals.rotations.transpose(0, 2, 1)
        squares = POSITION_WEIGHT * (gap * gap).sum(axis=1)
        squares += goals.oriented * (3.0 - np.trace(between, axis1=1, axis2=2))
        skew = between - between.transpose(0, 2, 1)
        pull = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=1)
        twist = goals.oriented[:, None] * pull
        arms = 2.0 * POSITION_WEIGHT * np.cross(position - anchors, gap) + twist
        return squares, (axes * arms).sum(axis=2).T

    def sample(self, count: int) -> tuple[Goals, Singles]:
        m = len(self._half)
        fractions = self._rng.uniform(-1.0, 1.0, (count, m)).astype(np.float32)
        position, rotation, _, _ = self.forward(self._middle + self._half * fractions)
        oriented = (self._rng.random(count) >= UNORIENTED_FRACTION).astype(np.float32)
        inputs = np.hstack([position, oriented[:, None] * rotation.reshape(count, 9)])
        return Goals(position, rotation, oriented), inputs

    def step(self) -> float:
        """Learn from one batch; return the mean error of the best answers."""
        goals, inputs = self.sample(BATCH)
        layers = [inputs]
        for matrix, offsets in zip(self.matrices[:-1], self.offsets[:-1], strict=True):
            layers.append(np.maximum(layers[-1] @ matrix + offsets, 0.0))
        fractions = np.tanh(layers[-1] @ self.matrices[-1] + self.offsets[-1])
        fractions = fractions.reshape(BATCH * ANSWERS, -1)
        angles = self._middle + self._half * fractions
        each = Goals(*(np.repeat(part, ANSWERS, axis=0) for part in goals))
        squares, slopes = self.errors(angles, each)
        best = squares.reshape(BATCH, ANSWERS).argmin(axis=1)
        best += ANSWERS * np.arange(BATCH)
        # the error itself, not its square: far ones would dominate all the rest
        length = np.sqrt(squares[best] + SOFT)
        back = np.zeros_like(slopes)
        back[best] = slopes[best] / (length[:, None] * BATCH)
        back *= self._half * (1.0 - fractions * fractions)
        self._descend(layers, back.reshape(BATCH, -1))
        return float(length.mean())

    def _descend(self, layers: list[Singles], back: Singles) -> None:
        count = len(self.matrices)
        slopes: list[Singles] = [np.empty(0, np.float32)] * (2 * count)
        for i in range(count - 1, -1, -1):
            slopes[i] = layers[i].T @ back
            slopes[count + i] = back.sum(axis=0)
            back = (back @ self.matrices[i].T) * (layers[i] > 0.0)
        self._step += 1
        t = self._step
        rate = RATE * 0.5 * (1.0 + np.cos(np.pi * (t - 1) / self.steps))
        parts = [*self.matrices, *self.offsets]
        for part, slope, mean, square in zip(
            parts, slopes, self._means, self._squares, strict=True
        ):
            mean += np.float32(0.1) * (slope - mean)
            square += np.float32(0.001) * (slope * slope - square)
            root = np.sqrt(square / np.float32(1.0 - 0.999**t)) + np.float32(1e-8)
            part -= np.float32(rate / (1.0 - 0.9**t)) * mean / root

    def text(self) -> str:
        """Return the weights in the form of ``Network``."""
        pairs = zip(self.matrices, self.offsets, strict=True)
        parts = [part.astype("<f2").tobytes() for pair in pairs for part in pair]
        return b64encode(b"".join(parts)).decode("ascii")


def module_text(chain: Chain, learner: Learner) -> str:
    title, model, limits = chain
    rows = [f"        {position}," for position in model.positions.tolist()]
    bounds = [f"        {j}: {limit}," for j, limit in sorted(limits.items())]
    return MODULE.format(
        title=title,
        seed=learner.seed,
        steps=learner.steps,
        positions="\n".join(rows),
        limits="\n".join(bounds).replace("inf", 'float("inf")'),
        sizes=learner.sizes,
        weights="\n".join(wrap(learner.text(), 88)),
    )


FEW_ITERATIONS, MANY_ITERATIONS = 10, 100
"""Iterations allowed."""


def find_tool(model: RobotModel, name: str | None = None) -> str:
    """Return the site or body at the end of a robot's only arm.

    Args:
        model: The robot.
        name: The name of one. None: the only site; without sites the only body that
            carries no other.
    """
    bodies = model.body_names[1:]
    known = [*model.site_names, *bodies]
    if name is not None:
        if name in known:
            return name
        raise SettingError(
            f"{model.name} has no site or body {shown(name)}: {suggest(name, known)}"
        )
    carrying = {model.body_names[parent] for parent in model.parents[1:]}
    ends = [body for body in bodies if body not in carrying]
    for found in (model.site_names, ends):
        if len(found) == 1:
            return found[0]
    raise SettingError(
        f"{model.name} has several ends: name its tool; available: {', '.join(known)}"
    )


def robot_chain(model: RobotModel, tool: str) -> Chain:
    skeleton = RobotSkeleton(model, tool)
    plain = skeleton.model
    limits: dict[int, Limit] = {}
    for j, name in enumerate(plain.names):
        limit = skeleton.limits.get(j)
        row = plain.parents[j] == j - 1
        if not row or not isinstance(limit, HingeLimit | FixedLimit) or follows(limit):
            raise ModelError(
                f"only hinges in a row can be trained: {name} of {model.name} is not "
                f"one of those between the base and {shown(tool)}"
            )
        limits[j] = limit
    # it is written into a module: no quotes, and nothing that ends them
    title = re.sub(r"[^\w .:/-]", "_", f"{tool} of {model.name}")
    return title, ChainModel(plain.positions), limits


class Measurement(NamedTuple):
    """Success rate and time of solves from the start pose."""

    reached: int
    """With ten iterations."""
    reached_later: int
    """With a hundred."""
    microseconds: float
    """Median of a solve of a hundred."""


def measure(
    chain: Chain, network: Network, goals: int, seed: int
) -> dict[str, Measurement]:
    """Return each solver's success and time on goals of random poses.

    Success is measured by the learner's forward kinematics. Solvers take turns.
    """
    _, model, limits = chain
    by_joint: dict[str | int, Limit] = dict(limits.items())
    kind = type("Learned", (LearnedSolver,), {"network": network})
    solvers: dict[str, ChainSolver] = {
        "learned": kind(model, by_joint),
        "dls": DlsSolver(model, by_joint),
    }
    learner = Learner(model, limits, seed)
    found, _ = learner.sample(goals)
    reached: dict[tuple[str, int], int] = dict.fromkeys(
        (
            (name, most)
            for name in solvers
            for most in (FEW_ITERATIONS, MANY_ITERATIONS)
        ),
        0,
    )
    times: Mapping[str, list[float]] = {name: [] for name in solvers}
    root, size = model.positions[0], model.size
    for position, matrix in zip(found.joint_pos, found.rotations, strict=True):
        goal = (root + size * position.astype(float)).tolist()
        turn = from_matrix(matrix.astype(float)).tolist()
        for most in (FEW_ITERATIONS, MANY_ITERATIONS):
            settings = SolveSettings(
                iterations=most, orientation_weight=1.0, snap_back_strength=1.0
            )
            for name, solver in solvers.items():
                since = perf_counter()
                solver.solve(goal, goal_rotation=turn, settings=settings)
                taken = perf_counter() - since
                gaps = _gaps(learner, solver, position, matrix)
                # thousandths, as in the settings, and the error of single precision
                reached[name, most] += max(gaps) < 1.2e-3
                if most == MANY_ITERATIONS:
                    times[name].append(taken)
    return {
        name: Measurement(
            reached[name, FEW_ITERATIONS],
            reached[name, MANY_ITERATIONS],
            1e6 * median(times[name]),
        )
        for name in solvers
    }


def _gaps(
    learner: Learner, solver: ChainSolver, position: object, matrix: object
) -> tuple[float, float]:
    """Return distance [size] and angle [rad] from the pose of a solver to a goal."""
    values = solver.joint_angles.values()
    angles = np.array([[angle for joint in values for angle in joint]], np.float32)
    positions, turns, _, _ = learner.forward(angles)
    apart = float(np.linalg.norm(positions[0] - position))
    # twice the sine of half the angle: exact where it is small
    twist = float(np.linalg.norm(turns[0] - matrix)) / np.sqrt(2.0)
    return apart, float(2.0 * np.arcsin(min(0.5 * twist, 1.0)))
