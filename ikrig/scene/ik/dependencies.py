"""Who runs before whom: what reads another part's bones runs after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple
from weakref import WeakMethod

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from .phase import Phase

NOTICED = 32
"""A node that was hung elsewhere changes the order at most so many frames later."""

_changes = 0


def note_change() -> None:
    """Have all orders worked out again: a part, a target or an order is another one."""
    global _changes
    _changes += 1


class Step(NamedTuple):
    """Something that runs once a frame.

    Nodes that it reads count with all nodes above them.
    """

    part: Any
    """What runs: a rig or a layer."""
    owner: Any
    """The rig that it belongs to."""
    run: Callable[[float], Any]
    key: tuple[Any, ...]
    """Where it stands when nothing else decides: the smallest comes first."""
    reads: Sequence[p3d.NodePath] = ()
    hopes: Sequence[p3d.NodePath] = ()
    """Read too, but what moves them may also come later: it does not make a cycle."""
    writes: Sequence[int] = ()
    """The nodes that it moves, by ``node_id``, and ``joints_id`` of a Character whose
    exposed joints it moves."""
    after: Sequence[int] = ()
    """Indices of steps that come before it in any case."""


def key_of(part: Any) -> tuple[int, float]:
    """Return the phase and order of a part; what has no phase is among the limbs."""
    return getattr(part, "phase", Phase.LIMBS), part.order


def step_of(
    part: Any, owner: Any, key: tuple[Any, ...], writes: Iterable[p3d.NodePath] = ()
) -> Step:
    """Return the step of a part that has ``update``.

    What it reads and moves it may say itself: by methods ``reads()`` and ``writes()``.
    ``hopes()`` are nodes that it reads, but may as well read as they were.

    Args:
        part: What runs.
        owner: The rig that it belongs to.
        key: Where it stands when nothing else decides.
        writes: Nodes that it moves besides.
    """
    moved = [*writes, *_said(part, "writes")]
    return Step(
        part,
        owner,
        part.update,
        key,
        _said(part, "reads"),
        _said(part, "hopes"),
        [node_id(node.node()) for node in moved],
    )


def _said(part: Any, what: str) -> list[p3d.NodePath]:
    method = getattr(part, what, None)
    nodes: Iterable[Any] = method() if callable(method) else ()
    return [node for node in nodes if node is not None and not node.is_empty()]


def node_id(node: Any) -> int:
    """Return what is the same for all of Panda3D's handles of a node."""
    found: int = node.this
    return found


def joints_id(character: Any) -> int:
    """Return what stands for the nodes that follow the joints of a Character."""
    return -node_id(character)


class Schedule:
    """The order of steps, worked out again when something has changed.

    Steps run by rising key, but after the steps that write what they read. Where steps
    wait for one another in a circle, the one with the smallest key goes first, and a
    warning names two of them (category ``ikrig``).

    Args:
        make: A method that returns the steps; what it belongs to is not kept alive.
    """

    def __init__(self, make: Callable[[], list[Step]]) -> None:
        self._make = WeakMethod(make)
        self._steps: list[Step] = []
        self._seen = -1
        self._watched: list[tuple[p3d.NodePath, tuple[int, ...]]] = []
        self._keys: list[tuple[Any, tuple[int, float]]] = []
        self._turn = self._due = 0
        self._warned: set[tuple[int, int]] = set()

    def clear(self) -> None:
        """Work the order out again when it is asked for; keep nothing alive until then.

        What has gone must not be held by the order of its last frame.
        """
        self._seen = -1
        self._steps, self._watched, self._keys = [], [], []

    def look(self) -> None:
        """Notice a node that was hung elsewhere, and orders set without a check.

        A 32nd of all nodes is looked at in a frame, in turn.
        """
        for part, key in self._keys:
            if key_of(part) != key:
                note_change()
        watched = self._watched
        self._due += len(watched)
        while watched and self._due >= NOTICED:
            self._due -= NOTICED
            self._turn = (self._turn + 1) % len(watched)
            node, above = watched[self._turn]
            if _above(node) != above:
                note_change()
                return

    @property
    def steps(self) -> list[Step]:
        """The steps in order."""
        if self._seen != _changes:
            self._seen = _changes
            make = self._make()
            assert make is not None
            made = make()
            reads = [[(node, _above(node)) for node in step.reads] for step in made]
            hopes = [[(node, _above(node)) for node in step.hopes] for step in made]
            self._watched = list(
                {row[0]: row for rows in (*reads, *hopes) for row in rows}.values()
            )
            # parts of the user's own: their order is a plain attribute
            self._keys = [
                (step.part, key_of(step.part))
                for step in made
                if not hasattr(type(step.part), "order")
            ]
            order = self._arrange(
                made,
                [[ids for _, ids in rows] for rows in reads],
                [[ids for _, ids in rows] for rows in hopes],
            )
            self._steps = [made[i] for i in order]
        return self._steps

    def _arrange(
        self,
        steps: list[Step],
        reads: list[list[tuple[int, ...]]],
        hopes: list[list[tuple[int, ...]]],
    ) -> list[int]:
        """Return indices of steps in order."""
        writers: dict[int, list[int]] = {}
        owned: list[set[int]] = []
        for i, step in enumerate(steps):
            owned.append(set(step.writes))
            for node in owned[-1]:
                writers.setdefault(node, []).append(i)
        fixed = [set(step.after) for step in steps]
        before = [
            _sources(i, found, writers, owned[i]) | fixed[i]
            for i, found in enumerate(reads)
        ]
        for i, found in enumerate(hopes):
            for j in _sources(i, found, writers, owned[i]) - before[i]:
                if not _leads(i, j, before):
                    before[i].add(j)
        order: list[int] = []
        left = set(range(len(steps)))
        ready = [(steps[i].key, i) for i in left if not before[i]]
        heapify(ready)
        while left:
            if not ready:
                first = self._break(steps, left, before, fixed)
                heappush(ready, (steps[first].key, first))
            _, i = heappop(ready)
            if i not in left:
                continue
            left.discard(i)
            order.append(i)
            for j in left:
                if i in before[j]:
                    before[j].discard(i)
                    if not before[j]:
                        heappush(ready, (steps[j].key, j))
        return order

    def _break(
        self,
        steps: list[Step],
        left: set[int],
        before: list[set[int]],
        fixed: list[set[int]],
    ) -> int:
        """Return the step that goes first in a circle, and say so once."""
        for i in sorted(left, key=lambda i: steps[i].key):
            if fixed[i] & left:
                continue
            for j in sorted(before[i]):
                if _leads(i, j, before):
                    one, two = steps[i].part, steps[j].part
                    pair = (id(one), id(two))
                    if pair not in self._warned:
                        self._warned.add(pair)
                        directNotify.newCategory("ikrig").warning(
                            f"{_label(one)} and {_label(two)} each read nodes that the "
                            f"other one moves: {_label(one)} is solved first, by phase "
                            "and order, and may be a frame late"
                        )
                    before[i].clear()
                    return i
        raise AssertionError("steps are tied to one another")


def _above(node: p3d.NodePath) -> tuple[int, ...]:
    """Return a node and all above it, and Characters whose joint it follows."""
    if node.is_empty():
        return ()
    found = []
    for path in node.get_ancestors():
        panda = path.node()
        found.append(node_id(panda))
        if panda.has_effect(p3d.CharacterJointEffect.get_class_type()):
            effect: Any = panda.get_effect(p3d.CharacterJointEffect.get_class_type())
            found.append(joints_id(effect.get_character()))
    return tuple(found)


def _sources(
    i: int, reads: list[tuple[int, ...]], writers: dict[int, list[int]], own: set[int]
) -> set[int]:
    """Return the steps that write what a step reads; what it writes itself is no one
    else's."""
    nodes = {node for above in reads for node in above} - own
    return {j for node in nodes for j in writers.get(node, ()) if j != i}


def _leads(start: int, end: int, before: list[set[int]]) -> bool:
    """Return whether a step comes before another one, directly or not."""
    seen, todo = set(), [end]
    while todo:
        i = todo.pop()
        if i == start:
            return True
        if i not in seen:
            seen.add(i)
            todo += before[i]
    return False


def _label(part: Any) -> str:
    label = getattr(part, "_label", None)
    return f"{type(part).__name__} {label()}" if callable(label) else repr(part)
