"""Run order: a part that reads another part's bones runs after it."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import groupby
from operator import attrgetter
from typing import Any, Protocol
from weakref import WeakMethod, ref

import panda3d.core as p3d
from direct.directnotify.DirectNotifyGlobal import directNotify

from ...errors import SettingError
from ..checked_setting import order_of
from .phase import Phase, phase_of

_FOLLOWS = p3d.CharacterJointEffect.get_class_type()

CHECK_FRAMES, CHECK_OWNERS = 32, 3
"""Number of frames in which the nodes of all owners are checked for new parents, but
not of more owners than this in a frame: nodes that nobody has used lately are slow."""

Key = tuple[object, ...]
"""Phase, order and start of a part, and for layers those within their rig."""

_Above = dict[p3d.NodePath, tuple[int, ...]]
"""Nodes with the IDs of them and those above."""


class Ordered(Protocol):
    """What has a place in the order inside its phase."""

    @property
    def order(self) -> float:
        """The smaller, the earlier."""


class Rig(Ordered, Protocol):
    """Interface of a rig that a system solves.

    It may have a ``phase``, LIMBS otherwise, and methods ``reads()`` and ``writes()``
    that return the NodePaths that it reads and moves.
    """

    def update(self, dt: float) -> object:
        """Solve one frame of dt seconds. Must not raise."""


def note_change(part: object) -> None:
    for owner in (part, getattr(part, "rig", None)):
        for schedule in getattr(owner, "_schedules", ()):
            found = schedule()
            if found is not None:
                found.note(owner)


@dataclass(eq=False, slots=True)
class Step:
    """A unit that runs once per frame.

    Reading a node includes reading all nodes above it.
    """

    part: Any
    """The rig or layer that runs."""
    owner: Any
    """The rig that it belongs to."""
    run: Callable[[float], object]
    key: Key
    """Sort key where no dependency decides; the smallest runs first. All differ."""
    reads: Sequence[p3d.NodePath] = ()
    soft_reads: Sequence[p3d.NodePath] = ()
    """Read too, but their writers may run later: such a read never makes a cycle."""
    writes: Collection[object] = ()
    """IDs of the nodes that it moves (``node_id``), and of Characters whose exposed
    joints it moves (``joints_id``)."""
    after: Collection[object] = ()
    """What it waits for in any case: objects among the ``writes`` of steps that have
    smaller keys."""
    stats: object = None
    """PStats collector of its owner."""
    join: Callable[[Sequence[Step]], Callable[[float], object]] | None = None
    """Returns one run for steps of its owner that follow one another, if there is."""
    label: tuple[Key, ...] = field(default=(), init=False)
    """Its place in the order, see ``Schedule``."""
    sources: Collection[object] = field(default=(), init=False)
    """IDs of what it reads and does not write itself, with those above."""
    soft_sources: Collection[object] = field(default=(), init=False)


def key_of(part: Ordered) -> Key:
    """Return the phase and order of a part; the default phase is LIMBS."""
    try:
        return phase_of(getattr(part, "phase", Phase.LIMBS)), order_of(part.order)
    except SettingError:
        # a plain attribute, which was right when the part was added
        return Phase.LIMBS, 0.0


def step_of(
    part: Any, owner: object, key: Key, writes: Iterable[p3d.NodePath] = ()
) -> Step:
    """Return the step of a part that has ``update``, or of a layer of an Actor.

    The part may list the nodes that it reads and moves by methods ``reads()`` and
    ``writes()``; ``soft_reads()`` are nodes that it may also read one frame late.
    """
    moved = [*writes, *_listed_nodes(part, "writes")]
    return Step(
        part,
        owner,
        # layers of Actors are run by their rig
        _nothing if owner is None else part.update,
        key,
        _listed_nodes(part, "reads"),
        _listed_nodes(part, "soft_reads"),
        tuple({node_id(node.node()): None for node in moved}),
    )


def _nothing(_dt: float) -> None:
    """Run the step of a layer, which is up to its rig."""


def _listed_nodes(part: object, what: str) -> tuple[p3d.NodePath, ...]:
    method = getattr(part, what, None)
    nodes: Iterable[p3d.NodePath | None] = method() if callable(method) else ()
    found = [node for node in nodes if node is not None and not node.is_empty()]
    return tuple(found)


def node_id(node: Any) -> int:
    """Return an ID that all of Panda3D's handles of a node share."""
    found: int = node.this
    return found


def joints_id(character: p3d.PandaNode) -> int:
    return -node_id(character)


def joined(steps: Sequence[Step]) -> list[Step]:
    """Return steps in order; one for several that one run can do."""
    found: list[Step] = []
    for _, group in groupby(steps, lambda step: step.join or step):
        first, *others = group
        if others and first.join is not None:
            first = replace(first, run=first.join([first, *others]))
            others = []
        found += [first, *others]
    return found


_Table = dict[object, "Step | set[Step]"]
"""Steps by the IDs of what they read or write: one, or a set of several."""

_key_of, _label_of = attrgetter("key"), attrgetter("label")


class Schedule:
    """Steps in running order; a change costs as much as the steps that it concerns.

    Steps run by rising key, but after the steps that write what they read. Soft reads
    in a cycle don't count. Where the others make a cycle, the step with the smallest
    key runs first, and a warning names two of its parts (category ``ikrig``).

    The order is that of *labels*. The label of a step is its key, behind those keys in
    the last label of its sources that are greater. So what waits runs as soon as it
    may, unless other steps with smaller keys are left.

    Args:
        make: A method that returns the steps of an owner, given its ID; its object is
            referenced weakly.
    """

    def __init__(self, make: Callable[[int], list[Step]]) -> None:
        self._make = WeakMethod(make)
        self._owned: dict[int, dict[Key, Step]] = {}
        """The steps of each owner."""
        self._stale: set[int] = set()
        """Owners whose steps have to be made again."""
        self._dirty: set[Step] = set()
        """Steps whose sources may have changed."""
        self._writers: _Table = {}
        self._readers: _Table = {}
        self._cut: set[Step] = set()
        """Steps that don't wait for all their sources, because of a cycle."""
        self._order: list[Step] = []
        self.version = 0
        """Changes with the order."""
        self._watched: OrderedDict[int, _Above] = OrderedDict()
        """The nodes of owners that are checked, the next first."""
        self._due = 0.0
        """How many are, in this frame."""
        self._polled: dict[int, list[tuple[Ordered, Key]]] = {}
        """Parts whose orders are plain attributes, with their keys, by owner."""
        self._warned: set[tuple[int, int]] = set()

    def add(self, owner: Any) -> None:
        """Add an owner; if it is there, make its steps again."""
        if id(owner) not in self._owned:
            self._owned[id(owner)] = {}
            if hasattr(type(owner), "_schedules"):
                owner._schedules = (*self._others(owner), ref(self))
        self._stale.add(id(owner))

    def remove(self, owner: Any) -> None:
        """Remove an owner with its steps; no error if it is absent."""
        self.version += 1
        for step in self._owned.pop(id(owner), {}).values():
            self._exchange(step, None)
        self._stale.discard(id(owner))
        self._unwatch(id(owner))
        if hasattr(type(owner), "_schedules"):
            owner._schedules = self._others(owner)

    def _others(self, owner: object) -> tuple[ref[Schedule], ...]:
        found = getattr(owner, "_schedules", ())
        return tuple(other for other in found if other() not in (None, self))

    def note(self, owner: object) -> None:
        """Make the steps of an owner again, if it is one."""
        if id(owner) in self._owned:
            self._stale.add(id(owner))

    def check_changes(self) -> None:
        """Detect reparented nodes, and orders set as plain attributes.

        The nodes of all owners are checked within 32 frames, at most of three in a
        frame, in turn.
        """
        for owner, rows in self._polled.items():
            if any(key_of(part) != key for part, key in rows):
                self._stale.add(owner)
        # all before the last of these frames, as some may be removed till then
        self._due += min(len(self._watched) / (CHECK_FRAMES - 1), CHECK_OWNERS)
        known: _Above = {}
        while self._due >= 1.0:
            self._due -= 1.0
            owner, nodes = next(iter(self._watched.items()))
            self._watched.move_to_end(owner)
            if any(_ids_above(node, known) != above for node, above in nodes.items()):
                self._stale.add(owner)
                # for its other schedules
                note_change(next(iter(self._owned[owner].values())).owner)

    @property
    def steps(self) -> list[Step]:
        if self._stale or self._dirty:
            self.version += 1
        while self._stale:
            self._remake(self._stale.pop())
        if self._dirty:
            self._settle()
        return self._order

    def split(self, phase: Phase) -> tuple[list[Step], list[Step]]:
        """Return the steps in order: those before a phase, and all others."""
        steps = self.steps
        i = self._find(((phase,),))
        return steps[:i], steps[i:]

    def _remake(self, owner: int) -> None:
        make = self._make()
        assert make is not None
        made = {step.key: step for step in make(owner)}
        nodes = {x for step in made.values() for x in (*step.reads, *step.soft_reads)}
        known: _Above = {}
        above = {node: _ids_above(node, known) for node in nodes}
        for step in made.values():
            step.sources, step.soft_sources = (
                tuple(
                    {
                        i: None
                        for node in reads
                        for i in above[node]
                        if i not in step.writes
                    }
                )
                for reads in (step.reads, step.soft_reads)
            )
        # custom parts; other orders are properties that call note_change
        polled = [
            (step.part, key_of(step.part))
            for step in made.values()
            if not isinstance(getattr(type(step.part), "order", 0), property)
        ]
        self._unwatch(owner)
        if polled:
            self._polled[owner] = polled
        self._watched[owner] = above
        old = self._owned[owner]
        self._owned[owner] = {
            key: kept
            for key in {**old, **made}
            if (kept := self._exchange(old.get(key), made.get(key)))
        }

    def _unwatch(self, owner: int) -> None:
        self._polled.pop(owner, None)
        self._watched.pop(owner, None)

    def _exchange(self, old: Step | None, new: Step | None) -> Step | None:
        """Replace, add or remove a step; return that which stands for the new one."""
        written: set[object] = set()
        if old is not None:
            written.update(old.writes)
            self._leave(old)
        if new is not None:
            written.symmetric_difference_update(new.writes)
            if old is not None:
                # the new one has no label yet: that of the old one stays
                new.label = old.label
                for name in Step.__slots__:
                    setattr(old, name, getattr(new, name))
                new = old
            self._enter(new)
            self._dirty.add(new)
        elif old is not None:
            self._cut.discard(old)
            self._dirty.discard(old)
            if old.label:
                del self._order[self._find(old.label)]
        for i in written:
            self._dirty.update(_steps_at(self._readers, i))
        return new

    def _enter(self, step: Step) -> None:
        for table, ids in self._tables(step):
            for i in ids:
                found = table.setdefault(i, step)
                if isinstance(found, set):
                    found.add(step)
                elif found is not step:
                    table[i] = {found, step}

    def _leave(self, step: Step) -> None:
        for table, ids in self._tables(step):
            for i in ids:
                found = table.get(i)
                if isinstance(found, set):
                    found.discard(step)
                if not found or found is step:
                    table.pop(i, None)

    def _tables(self, step: Step) -> tuple[tuple[_Table, Iterable[object]], ...]:
        reads = {*step.sources, *step.soft_sources, *step.after}
        return (self._writers, step.writes), (self._readers, reads)

    def _find(self, label: tuple[Key, ...]) -> int:
        return bisect_left(self._order, label, key=_label_of)

    def _writers_of(self, ids: Iterable[object]) -> set[Step]:
        return set().union(*(_steps_at(self._writers, i) for i in ids))

    def _sources(self, step: Step) -> set[Step]:
        return self._writers_of({*step.sources, *step.soft_sources, *step.after})

    def _readers_of(self, step: Step) -> set[Step]:
        return set().union(*(_steps_at(self._readers, i) for i in step.writes))

    def _settle(self) -> None:
        # only the dirty ones and what lies between two of them can make a new cycle
        dirty, self._dirty = self._dirty, set()
        graph = {step: self._sources(step) for step in dirty}
        before = {source for sources in graph.values() for source in sources} - dirty
        last = max(map(_label_of, before), default=())
        todo = list(dirty)
        while todo:
            for step in self._readers_of(todo.pop()) - graph.keys():
                # labels don't order what was cut
                if self._cut or step.label <= last:
                    graph[step] = self._sources(step)
                    todo.append(step)
        self._cut -= graph.keys()
        # the others keep their order among themselves
        later: list[tuple[tuple[Key, ...], Step]] = []
        queued = {*graph}

        def move(step: Step, sources: set[Step]) -> None:
            if self._place(step, sources):
                for reader in self._readers_of(step) - queued:
                    queued.add(reader)
                    heappush(later, (reader.label, reader))

        for step in self._arrange(graph):
            if step in graph:
                move(step, graph[step])
        while later:
            _, step = heappop(later)
            move(step, self._sources(step))

    def _place(self, step: Step, sources: set[Step]) -> bool:
        """Move a step behind its sources; return whether its label has changed."""
        last = max(map(_label_of, sources), default=())
        label = (*(key for key in last if key > step.key), step.key)
        if label == step.label:
            return False
        if step.label:
            del self._order[self._find(step.label)]
        step.label = label
        self._order.insert(self._find(label), step)
        return True

    def _arrange(self, graph: dict[Step, set[Step]]) -> list[Step]:
        """Return steps behind their sources; remove sources where they make cycles."""
        while True:
            try:
                return list(TopologicalSorter(graph).static_order())
            except CycleError as error:
                self._cut_cycle(graph, error.args[1][0])

    def _cut_cycle(self, graph: dict[Step, set[Step]], step: Step) -> None:
        readers: dict[Step, set[Step]] = {}
        for reader, sources in graph.items():
            for source in sources:
                readers.setdefault(source, set()).add(reader)
        knot = _reached(graph, step) & _reached(readers, step)
        cut = {
            x: graph[x] & knot - self._writers_of({*x.sources, *x.after}) for x in knot
        }
        if not any(cut.values()):
            first = min(knot, key=_key_of)
            cut = {first: graph[first] & knot}
            self._warn(first.part, min(cut[first], key=_key_of).part)
        for x, lost in cut.items():
            if lost:
                graph[x] -= lost
                self._cut.add(x)

    def _warn(self, first: object, second: object) -> None:
        """Warn of a cycle, once."""
        if (id(first), id(second)) not in self._warned:
            self._warned.add((id(first), id(second)))
            one, two = _label(first), _label(second)
            directNotify.newCategory("ikrig").warning(
                f"{one} and {two} each read nodes that the other moves: {one} is "
                "solved first, by phase and order, and may be one frame late"
            )


def _steps_at(table: _Table, i: object) -> set[Step] | tuple[Step, ...]:
    found = table.get(i, ())
    return (found,) if isinstance(found, Step) else found


def _reached(graph: dict[Step, set[Step]], start: Step) -> set[Step]:
    found, todo = {start}, [start]
    while todo:
        new = graph.get(todo.pop(), set()) - found
        found |= new
        todo += new
    return found


def _ids_above(node: p3d.NodePath, known: _Above) -> tuple[int, ...]:
    found = known.get(node)
    if found is None:
        if node.is_empty():
            return ()
        panda = node.node()
        found = (node_id(panda),)
        if panda.has_effect(_FOLLOWS):
            effect = panda.get_effect(_FOLLOWS)
            assert isinstance(effect, p3d.CharacterJointEffect)
            found += (joints_id(effect.get_character()),)
        if node.has_parent():
            found += _ids_above(node.get_parent(), known)
        known[node] = found
    return found


def _label(part: object) -> str:
    label = getattr(part, "_label", None)
    return f"{type(part).__name__} {label()}" if callable(label) else repr(part)
