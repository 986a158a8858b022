"""Chains and joints on interpreted kernels, and numpy views of them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.spatial.transform import Rotation

from ikrig import (
    AxesLimit,
    BallLimit,
    ConeLimit,
    FixedLimit,
    HingeLimit,
    SkeletonModel,
    SlideLimit,
)
from ikrig.kernels import KERNELS, buffer
from ikrig.solvers.base import make_buffers
from ikrig.solvers.joint_space import JointSpace
from tests import chain_oracle as oracle
from tests import reference
from tests.chain_oracle import rotation
from tests.interpreted import interpreted_kernel


class Frame(interpreted_kernel("chain").ChainKernel):
    """A chain's kernel with numpy's view of its buffers."""

    def __init__(self, rng, n: int, places=None) -> None:
        self.rng = rng
        self.buffers = make_buffers(n)
        super().__init__(n, self.buffers)
        self.lengths = rng.uniform(0.2, 1.5, n)
        if places is None:
            places = reference.bent_positions(rng, self.lengths, rng.uniform(0.1, 1.5))
            places += rng.normal(size=3)
        self.put("points", places)
        self.put("rest_rot", self.some_turns(n + 1))
        self.put("frames", self.some_turns(n + 1))
        self.set_rest()
        self.lengths = np.linalg.norm(np.diff(places, axis=0), axis=1)
        # what a frame sets before its first step
        self.soften = self.stretch = self.farther = self.twist_spread = 0.0
        self.max_step = 0.0
        self.snap_back = self.weight = self.lengthening = 1.0
        self.swing = self.roll_from_parent = self.slides = 0
        self.choose_start = self.posed = 0
        self.tolerance = 1e-3 * self.reach
        self.iterations = 20
        self.put("swing_rot", [1.0, 0.0, 0.0, 0.0])

    def some_turns(self, count: int) -> np.ndarray:
        turns = self.rng.normal(size=(count, 4))
        return turns / np.linalg.norm(turns, axis=1)[:, None]

    def put(self, name: str, values) -> None:
        for i, value in enumerate(np.ravel(values)):
            self.buffers[name][i] = float(value)

    def get(self, name: str, width: int = 1) -> np.ndarray:
        found = np.array(self.buffers[name], float)
        return found if width == 1 else found.reshape(-1, width)

    def turns(self, name: str) -> list[Rotation]:
        return [oracle.rotation(q) for q in self.get(name, 4)]

    @property
    def rest_places(self) -> np.ndarray:
        return self.get("rest", 3)

    @property
    def line(self) -> np.ndarray:
        return np.array([self.cx, self.cy, self.cz])

    @property
    def bend(self) -> np.ndarray:
        return np.array([self.bx, self.by, self.bz])

    def aim_at(self, goal) -> None:
        """A goal inside the reach, and a side to bend to."""
        assert self.classify_goal(*map(float, goal)) == 0
        side = oracle.unit(oracle.squared(self.rng.normal(size=3), self.line))
        self.bx, self.by, self.bz = side.tolist()


def same(turns, others, atol=1e-9) -> None:
    for turn, other in zip(turns, others, strict=True):
        assert (turn.inv() * other).magnitude() < atol


def flat(values) -> object:
    return buffer(np.ravel(values).tolist())


class Space(JointSpace):
    """Joints whose kernel is its source, with numpy's view of the buffers."""

    modules: ClassVar = {name: interpreted_kernel(name) for name in KERNELS}

    def get(self, name: str, width: int = 1) -> np.ndarray:
        found = np.array(self.buffers[name], float)
        return found if width == 1 else found.reshape(-1, width)

    def put(self, name: str, values, at: int = 0) -> None:
        for i, value in enumerate(np.ravel(values)):
            self.buffers[name][at + i] = float(value)

    def turn(self, j: int) -> Rotation:
        """Joint j's turn against its parent's."""
        return rotation(self.get("q", 4)[j])

    def take(self, j: int, turn: Rotation) -> Rotation:
        """Set joint j to a rotation by the kernel; return the resulting rotation."""
        r = np.concatenate([np.zeros(4), np.roll(turn.as_quat(), 1)])
        self.kernel.set_from_rotation(j, r.tolist(), 4)
        return self.turn(j)

    def coordinates(self, j: int) -> np.ndarray:
        return self.get("value")[self.first[j] : self.first[j + 1]]


def space_with(rng, limit, scale: float = 1.0) -> tuple[Space, np.ndarray]:
    """A chain whose joint 1 has the limit, and the direction of its bone."""
    places = scale * np.vstack(
        [np.zeros(3), np.cumsum(rng.normal(size=(3, 3)), axis=0)]
    )
    model = SkeletonModel(places, [-1, 0, 1, 2])
    # what stands before and behind it shifts all indices
    limits = {0: HingeLimit("y", -1.0, 2.0), 2: AxesLimit("xz", (-1, -1), (1, 1))}
    space = Space(model, limits | ({} if limit is None else {1: limit}), [3])
    return space, reference.unit(places[2] - places[1])


def axis_limit(rng, count: int) -> AxesLimit | HingeLimit:
    lower, upper = -rng.uniform(0.2, 1.2, count), rng.uniform(0.2, 1.2, count)
    if count == 1:
        return HingeLimit(tuple(rng.normal(size=3)), lower[0], upper[0])
    axes = [tuple(v) for v in rng.normal(size=(count, 3))]
    return AxesLimit(axes, tuple(lower), tuple(upper))


def cone_limit(rng, twist=(-0.5, 0.8)) -> ConeLimit:
    halves = tuple(rng.uniform(0.3, 1.4, 4)) if rng.random() < 0.7 else 0.8
    return ConeLimit(halves, twist=twist, up=tuple(rng.normal(size=3)))


def random_space(seed: int) -> tuple[np.random.Generator, Space, list[int]]:
    """A tree with a limit of each kind, in a random pose inside them."""
    rng = np.random.default_rng(seed)
    parents = [-1, 0, 1, 1, 3, 0, 5, 4]
    places = rng.normal(size=(8, 3))
    limits = {
        0: (None, BallLimit(0.9), SlideLimit("y", -1.0, 1.0))[seed % 3],
        1: cone_limit(rng),
        2: axis_limit(rng, 2),
        3: SlideLimit(tuple(rng.normal(size=3)), -0.4, 0.6),
        4: FixedLimit(),
        5: axis_limit(rng, 1),
        6: BallLimit(0.8),
    }
    limits = {j: limit for j, limit in limits.items() if limit is not None}
    space = Space(SkeletonModel(places, parents), limits, [2, 7])
    shake(rng, space)
    return rng, space, parents


def shake(rng, space: Space) -> None:
    space.put("value", rng.uniform(-0.8, 0.8, len(space.get("value"))))
    for j in range(space.kernel.n):
        if space.first[j] == space.first[j + 1] and j not in space.limits:
            turn = Rotation.from_rotvec(rng.normal(size=3))
            space.put("q", np.roll(turn.as_quat(), 1), 4 * j)
        space.kernel.project(j)


def all_turns(space: Space, name: str) -> list[Rotation]:
    return [rotation(q) for q in space.get(name, 4)]


def columns(space: Space, j: int) -> np.ndarray:
    """The axes, root space, that steps of joint j turn about."""
    space.kernels["jacobian"].set_columns(space.kernel)
    return space.get("columns", 3)[space.first[j] : space.first[j + 1]]
