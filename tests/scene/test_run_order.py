"""The run order after any change equals that of a sort from scratch, and is cheap."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import panda3d.core as p3d
import pytest
from direct.directnotify.DirectNotifyGlobal import directNotify
from direct.task.Task import TaskManager

from ikrig import IKSystem, Phase
from ikrig.scene.ik.dependencies import Step, node_id
from ikrig.scene.ik.system import Startable

Nodes = list[p3d.NodePath]
PHASES = (Phase.ANIMATE, Phase.BODY, Phase.LIMBS, Phase.RECORD)


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> Iterator[IKSystem]:
    manager = TaskManager()
    manager.mgr = p3d.AsyncTaskManager("run order")
    # cycles are random here
    category = directNotify.newCategory("ikrig")
    monkeypatch.setattr(category, "warning", lambda text: None)
    yield IKSystem.of(manager)
    manager.mgr.cleanup()


@dataclass
class Work:
    """What a step reads and moves."""

    read: Nodes = field(default_factory=list)
    soft: Nodes = field(default_factory=list)
    moved: Nodes = field(default_factory=list)


class Part(Startable):
    """A rig of one step."""

    def __init__(self, log: list[Any]) -> None:
        self._system, self.log, self.asked = None, log, 0
        self.works = [Work()]

    def reads(self) -> Nodes:
        self.asked += 1
        return self.works[0].read

    def soft_reads(self) -> Nodes:
        return self.works[0].soft

    def writes(self) -> Nodes:
        return self.works[0].moved

    def update(self, dt: float) -> None:
        self.log.append((self, 0))

    @property
    def waits(self) -> list[set[int]]:
        """The steps that each step waits for in any case, by index."""
        return [set()]


class Layers(Part):
    """A rig of several steps: as of an Actor, those between the first and the last."""

    def __init__(self, log: list[Any], count: int) -> None:
        super().__init__(log)
        self.works = [Work() for _ in range(count)]

    @property
    def waits(self) -> list[set[int]]:
        last = len(self.works) - 1
        return [set(), *({0} for _ in range(last - 1)), set(range(last))]

    def _steps(self, key: tuple[Any, ...]) -> list[Step]:
        found = []
        for i, (work, waits) in enumerate(zip(self.works, self.waits, strict=True)):
            moved = {node_id(node.node()) for node in work.moved}
            found.append(
                Step(
                    self,
                    self,
                    lambda dt, i=i: self.log.append((self, i)),
                    (*key, i),
                    work.read,
                    work.soft,
                    moved | {(id(self), i)},
                    {(id(self), j) for j in waits},
                )
            )
        return found


def sorted_from_scratch(parts: list[Part]) -> list[tuple[Part, int]]:
    """Return the steps of parts, in order of start, by the rules of the manual."""
    steps = [(part, i) for part in parts for i in range(len(part.works))]
    keys = [(part.phase, part.order, parts.index(part), i) for part, i in steps]
    works = [part.works[i] for part, i in steps]
    here = range(len(steps))
    fixed = [
        {j for j in here if steps[j][0] is part and steps[j][1] in part.waits[i]}
        for part, i in steps
    ]

    def movers(nodes: Nodes, reader: int) -> set[int]:
        above = {up.get_key() for node in nodes for up in node.get_ancestors()}
        above -= {node.get_key() for node in works[reader].moved}
        moved = [{node.get_key() for node in work.moved} for work in works]
        return {j for j in here if j != reader and moved[j] & above}

    hard = [movers(works[i].read, i) | fixed[i] for i in here]
    soft = [movers(works[i].soft, i) - hard[i] for i in here]

    def knots() -> list[set[int]]:
        """Return the sets of steps that all wait for one another."""
        ahead = [hard[i] | soft[i] for i in here]
        for k in here:
            for i in here:
                if k in ahead[i]:
                    ahead[i] = ahead[i] | ahead[k]
        found = [{j for j in here if j in ahead[i] and i in ahead[j]} for i in here]
        return [knot for knot in found if knot]

    while found := knots():
        if any(soft[i] & knot for knot in found for i in knot):
            for knot in found:
                for i in knot:
                    soft[i] -= knot
            continue
        for knot in found:
            first = min((i for i in knot if not fixed[i] & knot), key=keys.__getitem__)
            hard[first] -= knot
    left = {i: hard[i] | soft[i] for i in here}
    ready = [(keys[i], i) for i in here if not left[i]]
    heapq.heapify(ready)
    order = []
    while ready:
        _, i = heapq.heappop(ready)
        order.append(steps[i])
        del left[i]
        for j, sources in left.items():
            if i in sources:
                sources.discard(i)
                if not sources:
                    heapq.heappush(ready, (keys[j], j))
    assert not left
    return order


class Edits:
    """Random edits of parts and of the scene that they read and move."""

    def __init__(self, system: IKSystem, seed: int) -> None:
        self.system = system
        self.rng = rng = random.Random(seed)
        self.log: list[tuple[Part, int]] = []
        self.world = p3d.NodePath("world")
        self.nodes: Nodes = []
        for i in range(rng.randrange(6, 30)):
            above = rng.choice([self.world, *self.nodes])
            self.nodes.append(above.attach_new_node(f"node {i}"))
        self.parts: list[Part] = []
        # few reads give few cycles; both are tried
        self.most = rng.choice((1, 1, 2, 3))
        for _ in range(rng.randrange(2, 14)):
            self.start()

    def some(self, most: int) -> Nodes:
        return self.rng.sample(self.nodes, self.rng.randrange(most + 1))

    def fill(self, part: Part) -> None:
        work = self.rng.choice(part.works)
        work.read, work.moved = self.some(self.most), self.some(2)
        work.soft = self.some(1) if self.rng.random() < 0.3 else []

    def start(self) -> None:
        part = Part(self.log)
        if self.rng.random() < 0.3:
            part = Layers(self.log, self.rng.randrange(3, 6))
        for _ in part.works:
            self.fill(part)
        part.order = self.rng.choice((0, 0, 1))
        self.parts.append(part)
        self.system.add(part)

    def stop(self) -> None:
        part = self.rng.choice(self.parts)
        self.parts.remove(part)
        self.system.remove(part)
        if self.rng.random() < 0.5 or not self.parts:
            self.parts.append(part)
            self.system.add(part)

    def change(self) -> None:
        part = self.rng.choice(self.parts)
        self.fill(part)
        self.system.add(part)

    def rank(self) -> None:
        part = self.rng.choice(self.parts)
        if self.rng.random() < 0.5:
            part.order = self.rng.randrange(-2, 3)
        else:
            part.phase = self.rng.choice(PHASES)

    def reparent(self) -> None:
        node, above = self.rng.sample([*self.nodes, self.world], 2)
        if node != self.world and node not in above.get_ancestors():
            node.reparent_to(above)
            # the bound on noticing it
            for _ in range(31):
                self.system.update(0.01)

    def edit(self) -> str:
        edits = [self.start, self.stop, self.change, self.change, self.rank]
        names = []
        for edit in self.rng.choices(
            [*edits, self.reparent], k=self.rng.choice((1, 3))
        ):
            edit()
            names.append(edit.__name__)
        return " ".join(names)


@pytest.mark.parametrize("seed", range(150))
def test_order_equals_a_sort_from_scratch(system: IKSystem, seed: int) -> None:
    edits = Edits(system, seed)
    for k in range(12):
        done = edits.edit() if k else "start"
        edits.log.clear()
        system.update(0.01)
        assert edits.log == sorted_from_scratch(edits.parts), (k, done)


def test_change_asks_only_the_part_that_it_concerns(system: IKSystem) -> None:
    world = p3d.NodePath("world")
    log: list[Any] = []
    parts = [Part(log) for _ in range(50)]
    for part in parts:
        node = world.attach_new_node("moved")
        part.works[0] = Work([world.attach_new_node("read")], [], [node])
        system.add(part)
    system.update(0.01)
    changed = parts[20]

    def asked() -> list[Part]:
        for part in parts:
            part.asked = 0
        for _ in range(32):
            system.update(0.01)
        return [part for part in parts for _ in range(part.asked)]

    assert asked() == []
    changed.order = 3
    assert asked() == [changed]
    changed.works[0].read[0].reparent_to(parts[30].works[0].moved[0])
    assert asked() == [changed]
    assert log[-50:] == [(part, 0) for part in (*parts[:20], *parts[21:], changed)]
    system.remove(changed)
    assert asked() == []
    system.add(changed)
    assert asked() == [changed]
