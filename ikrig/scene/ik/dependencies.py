"""Run order: a part that reads another part's bones runs after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import cycle
from typing import Any, NamedTuple
from weakref import WeakMethod

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ..checked_setting import Checked
from .phase import Phase

CHECK_FRAMES = 32
"""Maximum number of frames until a reparented node changes the order."""

REPORTED = (Checked, property)
"""Orders that call ``note_change`` when they are set."""

_last_change = object()
"""A new object after each change."""


def note_change() -> None:
    """Invalidate all run orders, after a change of a part, target or order."""
    global _last_change
    _last_change = object()


class Step(NamedTuple):
    """A unit that runs once per frame.

    Reading a node includes reading all nodes above it.
    """

    part: Any
    """The rig or layer that runs."""
    owner: Any
    """The rig that it belongs to."""
    run: Callable[[float], Any]
    key: tuple[Any, ...]
    """Sort key where no dependency decides; the smallest runs first."""
    reads: Sequence[p3d.NodePath] = ()
    soft_reads: Sequence[p3d.NodePath] = ()
    """Read too, but their writers may run later: such a read never makes a cycle."""
    writes: Sequence[int] = ()
    """IDs of the nodes that it moves (``node_id``), and of Characters whose exposed
    joints it moves (``joints_id``)."""
    after: Sequence[int] = ()
    """Indices of steps that always run before it."""


def key_of(part: Any) -> tuple[int, float]:
    """Return the phase and order of a part; the default phase is LIMBS."""
    return getattr(part, "phase", Phase.LIMBS), part.order


def step_of(
    part: Any, owner: Any, key: tuple[Any, ...], writes: Iterable[p3d.NodePath] = ()
) -> Step:
    """Return the step of a part that has ``update``.

    The part may list the nodes that it reads and moves by methods ``reads()`` and
    ``writes()``; ``soft_reads()`` are nodes that it may also read one frame late.

    Args:
        part: The rig or layer that runs.
        owner: The rig that it belongs to.
        key: Sort key where no dependency decides.
        writes: Further nodes that it moves.
    """
    moved = [*writes, *_listed_nodes(part, "writes")]
    return Step(
        part,
        owner,
        part.update,
        key,
        _listed_nodes(part, "reads"),
        _listed_nodes(part, "soft_reads"),
        [node_id(node.node()) for node in moved],
    )


def _listed_nodes(part: Any, what: str) -> list[p3d.NodePath]:
    method = getattr(part, what, None)
    nodes: Iterable[Any] = method() if callable(method) else ()
    return [node for node in nodes if node is not None and not node.is_empty()]


def node_id(node: Any) -> int:
    """Return an ID that all of Panda3D's handles of a node share."""
    found: int = node.this
    return found


def joints_id(character: Any) -> int:
    """Return an ID for the nodes that follow the joints of a Character."""
    return -node_id(character)


class Schedule:
    """The order of steps, computed again after a change.

    Steps run by rising key, but after the steps that write what they read. In a cycle
    the step with the smallest key runs first, and a warning names two of its parts
    (category ``ikrig``).

    Args:
        make: A method that returns the steps; its object is referenced weakly.
    """

    def __init__(self, make: Callable[[], list[Step]]) -> None:
        self._make = WeakMethod(make)
        self._steps: list[Step] = []
        self._seen: object = None
        self._watched: list[tuple[p3d.NodePath, tuple[int, ...]]] = []
        self._keys: list[tuple[Any, tuple[int, float]]] = []
        self._turns = cycle(range(CHECK_FRAMES))
        self._warned: set[tuple[int, int]] = set()

    def clear(self) -> None:
        """Discard the order, and references to its parts, until it is needed again.

        Otherwise the last order would keep removed parts alive.
        """
        self._seen = None
        self._steps, self._watched, self._keys = [], [], []

    def check_changes(self) -> None:
        """Detect reparented nodes, and orders set as plain attributes.

        A 32nd of all nodes is checked per frame, in turn.
        """
        for part, key in self._keys:
            if key_of(part) != key:
                note_change()
        for node, above in self._watched[next(self._turns) :: CHECK_FRAMES]:
            if _ancestor_ids(node) != above:
                note_change()
                return

    @property
    def steps(self) -> list[Step]:
        """The steps in order."""
        if self._seen is not _last_change:
            self._seen = _last_change
            make = self._make()
            assert make is not None
            made = make()
            reads = [
                [(node, _ancestor_ids(node)) for node in step.reads] for step in made
            ]
            soft_reads = [
                [(node, _ancestor_ids(node)) for node in step.soft_reads]
                for step in made
            ]
            every = dict(row for rows in (*reads, *soft_reads) for row in rows)
            self._watched = list(every.items())
            # custom parts: their order is a plain attribute
            self._keys = [
                (step.part, key_of(step.part))
                for step in made
                if not isinstance(getattr(type(step.part), "order", 0), REPORTED)
            ]
            order = self._arrange(
                made,
                [[ids for _, ids in rows] for rows in reads],
                [[ids for _, ids in rows] for rows in soft_reads],
            )
            self._steps = [made[i] for i in order]
        return self._steps

    def _arrange(
        self,
        steps: list[Step],
        reads: list[list[tuple[int, ...]]],
        soft_reads: list[list[tuple[int, ...]]],
    ) -> list[int]:
        """Return the indices of steps in running order."""
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
        for i, found in enumerate(soft_reads):
            for j in _sources(i, found, writers, owned[i]) - before[i]:
                if not _runs_before(i, j, before):
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
        """Return the step that runs first in a cycle, and warn once."""
        for i in sorted(left, key=lambda i: steps[i].key):
            if fixed[i] & left:
                continue
            for j in sorted(before[i]):
                if _runs_before(i, j, before):
                    one, two = steps[i].part, steps[j].part
                    pair = (id(one), id(two))
                    if pair not in self._warned:
                        self._warned.add(pair)
                        directNotify.newCategory("ikrig").warning(
                            f"{_label(one)} and {_label(two)} each read nodes that "
                            f"the other moves: {_label(one)} is solved first, by "
                            "phase and order, and may be one frame late"
                        )
                    return i
        raise AssertionError("steps depend on one another in a cycle")


def _ancestor_ids(node: p3d.NodePath) -> tuple[int, ...]:
    """Return IDs of a node and those above, and Characters whose joints they follow."""
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
    """Return the steps that write what a step reads and does not write itself."""
    nodes = {node for above in reads for node in above} - own
    return {j for node in nodes for j in writers.get(node, ()) if j != i}


def _runs_before(start: int, end: int, before: list[set[int]]) -> bool:
    """Return whether a step runs before another one, directly or not."""
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
