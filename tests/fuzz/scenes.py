"""Random scenes: their content, random damage, and conditions that must hold.

Everything is drawn from a ``Random`` that is given, so a seed tells the whole story.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import numpy as np
import panda3d.core as p3d

import ikrig
from ikrig.errors import IkrigError
from ikrig.solvers import SolveStatus
from tests.methods import METHODS
from tests.scene.bodies import body
from tests.scene.conftest import limb

HOSTILE = (
    0.0, -1.0, -math.inf, math.nan, math.inf, 1e-320, 1e-6, 1.0, 60.0, 3e4, 1e308,
)  # fmt: skip
TREE_SOLVERS = ("fabrik", "dls")
OUTSIDE = (0.0, -1.0, 1e-30, 1e-6, 1e6, 1e18, 1e25, 3e38, math.inf, math.nan)
"""Numbers that no scene should have."""


def frame_time(rng: Random) -> float:
    return rng.choice(HOSTILE) if rng.random() < 0.4 else 1 / 60


def number(rng: Random) -> float:
    return rng.choice(OUTSIDE) if rng.random() < 0.3 else rng.uniform(-3.0, 3.0)


def place(rng: Random) -> tuple[float, float, float]:
    return number(rng), number(rng), number(rng)


def endured(call: Callable[[], Any], *refused: type[Exception]) -> None:
    """Do what Panda3D itself, or ikrig when it is asked for something, may refuse."""
    try:
        call()
    except (AssertionError, IkrigError, *refused):
        pass


def hang_on(node: p3d.NodePath, other: p3d.NodePath) -> None:
    there = not (node.is_empty() or other.is_empty() or node == other)
    if there and not node.is_ancestor_of(other):
        node.reparent_to(other)


def harm(node: p3d.NodePath, others: list[p3d.NodePath], rng: Random) -> None:
    """Do something to a node that nobody should."""
    kind = rng.randrange(9)
    if node.is_empty():
        return
    if kind == 0:
        endured(lambda: node.set_pos(*place(rng)))
    elif kind == 1:
        endured(lambda: node.set_hpr(*place(rng)))
    elif kind == 2:
        endured(lambda: node.set_scale(number(rng)))
    elif kind == 3:
        endured(lambda: node.set_scale(*place(rng)))
    elif kind == 4:
        endured(lambda: node.set_quat(p3d.LQuaternionf(*(number(rng) for _ in "wxyz"))))
    elif kind == 5:
        endured(lambda: node.set_shear(*place(rng)))
    elif kind == 6:
        hang_on(node, rng.choice(others))
    elif kind == 7:
        node.detach_node()
    elif rng.random() < 0.3:
        node.remove_node()


def mend(node: p3d.NodePath, top: p3d.NodePath, rng: Random) -> None:
    """Restore a valid transform of a node."""
    if not node.is_empty():
        hang_on(node, top)
        node.clear_transform()
        node.set_pos(*(rng.uniform(-1.5, 1.5) for _ in "xyz"))


def settings(rng: Random) -> dict[str, Any]:
    """Random settings that all kinds of rigs have."""
    return {
        "weight": rng.choice((0.0, 0.3, 1.0, 1.0)),
        "iterations": rng.choice((1, 5, 10)),
        "max_step": rng.choice((None, None, 1e-3, 1.0, 1e300)),
        "snap_back_strength": rng.choice((None, 0.0, 0.5, 1.0)),
        "tolerance": rng.choice((None, 1e-6, 1e-2)),
    }


def limits(rng: Random, count: int) -> dict[str | int, Any]:
    given: dict[str | int, Any] = {}
    for j in range(count):
        kind = rng.randrange(8)
        if kind == 0:
            given[j] = ikrig.HingeLimit("x", -rng.random(), rng.random())
        elif kind == 1:
            given[j] = ikrig.BallLimit(rng.uniform(0.01, 3.0))
        elif kind == 2:
            given[j] = ikrig.ConeLimit(rng.uniform(0.01, 1.5))
        elif kind == 3:
            given[j] = ikrig.FixedLimit()
        elif kind == 4 and j < count - 1:
            given[j] = ikrig.SlideLimit("z", 0.0, rng.random())
    return given


# -- what must hold --------------------------------------------------------------------


def broken(nodes: Iterable[p3d.NodePath]) -> set[p3d.NodePath]:
    """The nodes whose transform is not finite."""
    found = set()
    for node in nodes:
        mat = node.get_mat()
        if not math.isfinite(sum(x for row in mat for x in row)):
            found.add(node)
    return found


def solved(result: ikrig.SolveResult | None) -> bool:
    return result is not None and result.status is not SolveStatus.INVALID_TARGET


def gaps(
    leaf: p3d.NodePath, target: p3d.NodePath, root: p3d.NodePath
) -> tuple[float, float]:
    """Return a leaf's distance from its target in root space: by Panda3D, and by hand.

    NaN where that is no number. Panda3D can't say it of a node whose own rotation is
    none; and of a rotation of 1e-30 it has a matrix, the identity, but an inverse of 0.
    """
    try:
        engine = math.dist(tuple(leaf.get_pos(root)), tuple(target.get_pos(root)))
    except AssertionError:
        engine = math.nan
    with np.errstate(all="ignore"):
        try:
            away = in_world(leaf) - in_world(target)
            own = float(np.linalg.norm(away @ np.linalg.inv(net_mat(root)[:3, :3])))
        except (AssertionError, np.linalg.LinAlgError):
            own = math.nan
    return engine, own


def in_world(node: p3d.NodePath) -> np.ndarray:
    """Return the position of a node."""
    return (np.array([*node.get_pos(), 1.0]) @ net_mat(node.get_parent()))[:3]


def net_mat(node: p3d.NodePath) -> np.ndarray:
    """The matrix from a node to its world, (4, 4), for row vectors."""
    mat = np.eye(4)
    while not node.is_empty():
        mat = mat @ np.array([tuple(row) for row in node.get_mat()])
        node = node.get_parent()
    return mat


def lies(rig: Any, size: float) -> str:
    """Return a false statement of a rig, or "".

    Args:
        rig: A chain or a tree.
        size: The largest number that single precision had to hold on the way.
    """
    if not solved(rig.result):
        return ""
    if isinstance(rig, ikrig.IKChain):
        ends = [(rig.result.error, rig.leaf, rig.target)]
    else:
        pairs = zip(rig.result.errors, rig.effectors, strict=True)
        ends = [(error, end.leaf, end.target) for error, end in pairs]
    for error, leaf, target in ends:
        measured = gaps(leaf, target, rig.root)
        if not any(abs(x - error) <= 1e-4 * max(size, x) for x in measured):
            return f"{rig}: says {error} of {leaf}, which is {measured} away"
    return ""


def torn(rig: Any) -> bool:
    """Whether a bone does not hang where it did: on the bone above it, or the root."""
    above = [*rig.bones, rig.root]
    return any(
        node.is_empty() or node.get_parent() != above[parent]
        for node, parent in zip(rig.bones, rig._binding.parents, strict=True)
    )


def largest(nodes: Iterable[p3d.NodePath]) -> float:
    """The largest number in the transforms of nodes, at least 1."""
    mats = [node.get_mat() for node in nodes]
    found = [abs(x) for mat in mats for row in mat for x in row if math.isfinite(x)]
    return max(1.0, *found)


# -- a scene of plain nodes ------------------------------------------------------------


class Scene:
    """A few chains and trees, some on the same nodes, and what harms them."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.top = p3d.NodePath("top")
        self.inner = self.top.attach_new_node("inner")
        nodes = limb(self.inner, rng.randint(1, 5))
        pelvis = body(self.inner)
        length = rng.randint(1, len(nodes) - 1)
        self.rigs: list[Any] = [
            ikrig.IKChain(nodes[-1], length, solver=rng.choice(METHODS)),
            ikrig.IKTree(pelvis, pinned=rng.random() < 0.6),
        ]
        if rng.random() < 0.5:
            pole = self.top.attach_new_node("pole")
            pole.set_pos(1, 1, 1)
            self.rigs.append(ikrig.IKChain(nodes[-1], length, pole=pole))
        self.bones = [*nodes, pelvis, *pelvis.find_all_matches("**")]
        self.ends = [rig.target for rig in self.rigs if isinstance(rig, ikrig.IKChain)]
        self.ends += [effector.target for effector in self.rigs[1].effectors]

    @property
    def nodes(self) -> list[p3d.NodePath]:
        known = [self.inner, *self.bones, *self.ends]
        return [node for node in known if not node.is_empty()]

    def act(self) -> None:
        """Perform one random action."""
        rng, rig = self.rng, self.rng.choice(self.rigs)
        every = [self.top, self.inner, *self.bones, *self.ends]
        kind = rng.randrange(12)
        if kind < 3:
            mend(rng.choice(self.ends), self.top, rng)
        elif kind < 5:
            harm(rng.choice(self.ends), every, rng)
        elif kind == 5:
            harm(rng.choice([self.inner, *self.bones]), every, rng)
        elif kind == 6:
            node = rng.choice(self.bones)
            if not node.is_empty():
                endured(lambda: node.set_hpr(*(rng.uniform(-90, 90) for _ in "hpr")))
        elif kind == 7:
            for name, value in settings(rng).items():
                setattr(rig, name, value)
        elif kind == 8:
            kinds = METHODS if isinstance(rig, ikrig.IKChain) else TREE_SOLVERS
            endured(lambda: setattr(rig, "solver", rng.choice(kinds)))
            given = limits(rng, len(rig.bones))
            endured(lambda: setattr(rig, "limits", given))
        elif kind == 9:
            rig.fade(rng.random(), rng.choice((0.0, 1e-3, 0.5)))
        elif kind == 10:
            endured(rig.rebind)
        elif isinstance(rig, ikrig.IKChain):
            endured(lambda: setattr(rig, "target", rng.choice(every)))
            rig.stretch = rng.choice((0.0, 0.2, 1e6))

    def frame(self) -> None:
        """Solve all rigs; nothing may raise, break or lie."""
        dt = frame_time(self.rng)
        for rig in self.rigs:
            before, size = broken(self.nodes), largest(self.nodes)
            rig.update(dt)
            if torn(rig):
                # it is looked up where bones hang for one bone a frame
                for _ in rig.bones:
                    rig.update(dt)
            assert broken(self.nodes) <= before, rig
            reported = lies(rig, max(size, largest(self.nodes)))
            assert not reported, reported
