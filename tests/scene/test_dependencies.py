"""Parts that read another rig's bones run after it, however they were created."""

from __future__ import annotations

import itertools
from typing import Any

import panda3d.core as p3d
import pytest

import ikrig
from ikrig import IKChain, IKSystem
from tests.scene.conftest import limb


@pytest.fixture
def warned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    from direct.directnotify.DirectNotifyGlobal import directNotify

    said: list[str] = []
    category = directNotify.newCategory("ikrig")
    monkeypatch.setattr(category, "warning", said.append)
    return said


class Part:
    """A rig that writes its name down."""

    def __init__(self, log: list[str], name: str, **fields: Any) -> None:
        self.log, self.name, self.order = log, name, 0
        self.__dict__.update(fields)

    def update(self, dt: float) -> None:
        self.log.append(self.name)


def gap(a: p3d.NodePath, b: p3d.NodePath) -> float:
    return a.get_pos(b).length()


def stack(world: p3d.NodePath) -> dict[str, IKChain]:
    """A finger on an arm on a spine; each reaches for something of its own."""
    spine = limb(world, 3, "spine")
    arm = limb(spine[-1], 3, "arm")
    finger = limb(arm[-1], 2, "finger")
    made = {}
    for name, nodes in (("spine", spine), ("arm", arm), ("finger", finger)):
        target = world.attach_new_node(f"{name} target")
        made[name] = IKChain(nodes[-1], len(nodes) - 1, target)
    return made


@pytest.mark.parametrize("order", [*itertools.permutations(("spine", "arm", "finger"))])
def test_root_on_another_rigs_bones_runs_after_it(world, task_mgr, order) -> None:
    chains = stack(world)
    for name in order:
        chains[name].start(task_mgr)
    for k in range(5):
        chains["spine"].target.set_pos(0.3 * k, 0.8, 2.2)
        chains["arm"].target.set_pos(0.5, 0.2 * k, 3.5)
        chains["finger"].target.set_pos(0.8, 0.3 * k, 4.0)
        task_mgr.step()
        for chain in chains.values():
            assert chain.result.converged
            assert gap(chain.leaf, chain.target) < 1e-3 * chain.reach
    system = IKSystem.of(task_mgr)
    assert system.rigs == (chains["spine"], chains["arm"], chains["finger"])


@pytest.mark.parametrize("what", ["target", "pole"])
@pytest.mark.parametrize("first", [0, 1])
def test_target_or_pole_below_another_rigs_bone_runs_after_it(
    world, task_mgr, what, first
):
    one, two = limb(world, 3, "one"), limb(world, 3, "two")
    two[0].set_x(2.0)
    held = one[-1].attach_new_node("gun").attach_new_node("grip")
    leader = IKChain(one[-1], 3, world.attach_new_node("goal"))
    follower = IKChain(two[-1], 3, world.attach_new_node("other"))
    setattr(follower, what, held)
    chains = (leader, follower)
    chains[first].start(task_mgr)
    chains[1 - first].start(task_mgr)
    assert IKSystem.of(task_mgr).rigs == chains
    for k in range(4):
        leader.target.set_pos(0.6 + 0.2 * k, 0.5, 2.0)
        task_mgr.step()
        if what == "target":
            assert gap(follower.leaf, held) < 2e-3 * follower.reach


@pytest.mark.parametrize("count", [1, 33, 70])
def test_any_reparented_node_is_detected_within_32_frames(world, task_mgr, count):
    log: list[str] = []
    moved = world.attach_new_node("moved")
    nodes = [world.attach_new_node(f"node {k}") for k in range(count)]
    system = IKSystem.of(task_mgr)
    system.add(Part(log, "soft", soft_reads=lambda: nodes[::2]))
    system.add(Part(log, "hard", reads=lambda: nodes[1::2]))
    system.add(Part(log, "writer", writes=lambda: [moved]))
    for k in range(0, count, 7):
        # wherever the frames are when it happens
        for _ in range(5 * k + 1):
            system.update(0.01)
        first = system.rigs[0].name
        assert first != "writer"
        nodes[k].reparent_to(moved)
        for _ in range(31):
            system.update(0.01)
        log.clear()
        system.update(0.01)
        reader = "hard" if k % 2 else "soft"
        assert log.index("writer") < log.index(reader)
        nodes[k].reparent_to(world)
        for _ in range(32):
            system.update(0.01)


def test_a_reparented_node_of_many_rigs_is_detected_within_a_third_of_them(
    world, task_mgr
):
    log: list[str] = []
    moved = world.attach_new_node("moved")
    nodes = [world.attach_new_node(f"node {k}") for k in range(198)]
    system = IKSystem.of(task_mgr)
    for k, node in enumerate(nodes):
        system.add(Part(log, f"reader {k}", reads=lambda node=node: [node]))
    system.add(Part(log, "writer", writes=lambda: [moved]))
    for k in (0, 99, 197):
        system.update(0.01)
        nodes[k].reparent_to(moved)
        for _ in range(len(system.rigs) // 3 + 1):
            system.update(0.01)
        log.clear()
        system.update(0.01)
        assert log.index("writer") < log.index(f"reader {k}")


def test_cycle_causes_one_warning(world, task_mgr, warned) -> None:
    one, two = limb(world, 3, "one"), limb(world, 3, "two")
    two[0].set_x(1.0)
    left = IKChain(one[-1], 3, two[-1].attach_new_node("on two")).start(task_mgr)
    right = IKChain(two[-1], 3, one[-1].attach_new_node("on one")).start(task_mgr)
    last = IKChain(limb(two[-1], 2, "three")[-1], 2).start(task_mgr)
    for _ in range(5):
        task_mgr.step()
        left.order = 0.0
    assert IKSystem.of(task_mgr).rigs == (left, right, last)
    assert len(warned) == 1
    assert str(left.leaf) in warned[0] and str(right.leaf) in warned[0]
    left.order = 1
    task_mgr.step()
    assert IKSystem.of(task_mgr).rigs == (right, last, left)


@pytest.mark.parametrize("kind", ["chain", "tree"])
def test_result_refers_to_the_current_nodes(world, kind) -> None:
    nodes = limb(world, 3)
    target = world.attach_new_node("target")
    target.set_pos(0.6, 0.4, 2.0)
    if kind == "chain":
        rig = IKChain(nodes[-1], 3, target)
    else:
        rig = ikrig.IKTree(nodes[0], {nodes[-1]: target})
    assert rig.result is None
    kept = rig.solve()
    assert kept.converged and rig.result is kept
    # somebody else turns a bone after it
    nodes[1].set_hpr(0, 30, 10)
    missed = (nodes[-1].get_pos(world) - target.get_pos(world)).length()
    assert missed > 0.1
    result = rig.result
    assert result.error == pytest.approx(missed, abs=1e-6)
    assert result.status is ikrig.SolveStatus.STALLED
    assert "moved after" in result.detail
    if kind == "tree":
        assert result.errors == pytest.approx((missed,), abs=1e-6)
    assert rig.solve().converged and rig.result.converged
    # and the target, in a space of another scale
    world.set_scale(3.0)
    target.set_x(target, 0.01)
    assert rig.result.error == pytest.approx(0.01, rel=1e-2)
    target.remove_node()
    assert rig.result.status is ikrig.SolveStatus.INVALID_TARGET
    assert rig.solve().status is ikrig.SolveStatus.INVALID_TARGET
    assert rig.result.status is ikrig.SolveStatus.INVALID_TARGET
