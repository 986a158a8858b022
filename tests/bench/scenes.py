"""Named, seeded benchmark scenes, shared by the timer and the tests.

``WORK`` maps names to solver work (targets for a chain solver) and scene work (chains
of nodes whose targets move every frame).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import panda3d.core as p3d
from direct.task import Task

from ikrig import ChainModel, FabrikSolver, IKChain, SolveSettings
from ikrig.scene.ik.system import SORT
from tests import reference

PER_MODEL = 25
"""Targets that each random chain gets, in a row."""


@dataclass(frozen=True)
class SolverWork:
    """Reachable targets for chains of unit bones, those of test_fabrik.py."""

    bones: int
    settings: SolveSettings
    count: int = 1000

    def build(self) -> list[tuple[FabrikSolver, list[tuple[float, ...]]]]:
        """Return solvers, each with its targets."""
        rng = np.random.default_rng(self.bones)
        result: list[tuple[FabrikSolver, list[tuple[float, ...]]]] = []
        for k in range(self.count):
            if k % PER_MODEL == 0:
                bend = rng.choice([0.05, 0.3, 1.0])
                joints = reference.bent_positions(rng, np.ones(self.bones), bend)
                result.append((FabrikSolver(ChainModel(joints)), []))
            goal = reference.in_ball(rng, 0.97 * self.bones)
            result[-1][1].append(tuple(goal.tolist()))
        return result

    def tiny(self) -> SolverWork:
        """Return the same work, small."""
        return replace(self, count=10)


@dataclass(frozen=True)
class SceneWork:
    """Limbs of nested nodes in a grid, each with a target on a closed path."""

    chains: int
    bones: int
    frames: int
    rounds: int = 1

    def build(self, task_mgr: Any) -> Scene:
        """Return the scene, ready to be run by the task manager."""
        return Scene(self, task_mgr)

    def tiny(self) -> SceneWork:
        """Return the same work, small."""
        return replace(self, chains=min(self.chains, 3), frames=3, rounds=1)


class Scene:
    """One scene that is run in three modes, so that they are compared on equal terms.

    ``empty``: the targets move, nothing else; ``floor``: one task also reads what IK
    has to read (naively, node by node) and writes a new rotation to every node;
    ``ikrig``: chains in an IKSystem.
    """

    MODES = ("empty", "floor", "ikrig")

    def __init__(self, work: SceneWork, task_mgr: Any) -> None:
        rng = np.random.default_rng(work.chains)
        self.task_mgr = task_mgr
        self.world = p3d.NodePath("bench")
        self.chains = []
        self._origins = []
        for i in range(work.chains):
            root = self.world.attach_new_node(f"root {i}")
            root.set_pos_hpr(10.0 * (i % 40), 10.0 * (i // 40), 0, 37.0 * i, 0, 0)
            node = root
            for j in range(work.bones + 1):
                node = node.attach_new_node(f"bone {i} {j}")
                node.set_pos(0, 0, 1 if j else 0)
                node.set_hpr(*rng.uniform(-20, 20, 3).tolist())
            target = self.world.attach_new_node(f"target {i}")
            target.set_pos(node.get_pos(self.world))
            self.chains.append(IKChain(node, work.bones, target))
            self._origins.append(p3d.LPoint3f(root.get_pos()))
        # values that change in every frame, made beforehand: the floor is I/O alone
        a = np.linspace(0, 2 * np.pi, 997, endpoint=False)
        path = np.stack([np.cos(2 * a), np.sin(2 * a), 0.8 + 0.5 * np.sin(3 * a)])
        path = path.T * 0.5 * work.bones
        self._path = [p3d.LVector3f(*p) for p in path.tolist()]
        quats = rng.normal(size=(16411, 4))
        quats /= np.linalg.norm(quats, axis=1)[:, None]
        self._turns = [p3d.LQuaternionf(*q) for q in quats.tolist()]
        self._limbs = [(c.root, c.bones, c.target) for c in self.chains]
        self._frame = 0

    def use(self, mode: str) -> None:
        """Change to one of MODES."""
        self.close()
        self.task_mgr.add(self._move, "bench-move", sort=0)
        if mode == "floor":
            self.task_mgr.add(self._floor, "bench-floor", sort=SORT)
        elif mode == "ikrig":
            for chain in self.chains:
                chain.start(self.task_mgr)

    def close(self) -> None:
        """Remove all tasks from the task manager."""
        for chain in self.chains:
            chain.stop()
        for name in ("bench-move", "bench-floor"):
            self.task_mgr.remove(name)

    def success(self) -> float:
        """Share of the chains whose leaf is at its target now, read from the nodes."""
        good = 0
        for chain in self.chains:
            gap = chain.leaf.get_pos(chain.root) - chain.target.get_pos(chain.root)
            near = gap.length() <= 1.01e-3 * chain.reach
            good += near and chain.result is not None and chain.result.converged
        return good / len(self.chains)

    def _move(self, task: Task.Task) -> int:
        path, k = self._path, self._frame
        size = len(path)
        self._frame += 1
        for (_, _, target), origin in zip(self._limbs, self._origins, strict=True):
            target.set_pos(origin + path[k % size])
            k += 37
        return Task.cont

    def _floor(self, task: Task.Task) -> int:
        rotations = self._turns
        size = len(rotations)
        k = 5003 * self._frame
        for root, bones, target in self._limbs:
            target.get_pos(root)
            for bone in bones:
                bone.get_pos(root)
            for bone in bones:
                bone.set_quat(rotations[k % size])
                k += 1
        return Task.cont


WORK: dict[str, SolverWork | SceneWork] = {}
for _bones in (2, 4, 10, 100):
    _cold = SolveSettings(tolerance=1e-3)
    WORK[f"fabrik_{_bones}"] = SolverWork(_bones, _cold)
    _warm = replace(_cold, snap_back_strength=0.0)
    WORK[f"fabrik_{_bones}_warm"] = SolverWork(_bones, _warm)
WORK["scene_1x4"] = SceneWork(1, 4, frames=200, rounds=6)
WORK["scene_200x4"] = SceneWork(200, 4, frames=12)
WORK["scene_1000x4"] = SceneWork(1000, 4, frames=5)
