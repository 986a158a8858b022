"""Times frames in which the run order changes: ``python -m tests.bench.hitches``.

Scenes of many chains, each with its own target; half of them have a pole in the hand
of one, the hero. For each kind of change: the worst of
the frames after it less the worst of as many idle frames, the two taking turns, as a
median over rounds [ms of this thread's time]. A reparented node is noticed within 32
frames, or a third of the number of chains, so all of them count.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from statistics import median
from time import thread_time

import panda3d.core as p3d
from direct.task.Task import TaskManager

from ikrig import IKChain, IKSystem

BONES = 3


class Crowd:
    """Chains of a system of their own, and the changes that it times.

    Args:
        count: Number of chains; at least 20.
    """

    def __init__(self, count: int) -> None:
        self._task_mgr = TaskManager()
        self.world = p3d.NodePath("world")
        self.chains: list[IKChain] = []
        for i in range(count):
            self.chains.append(self._chain(i))
        self.system = IKSystem.of(self._task_mgr)
        self._round = 0

    def _chain(self, i: int) -> IKChain:
        node = self.world.attach_new_node(f"root {i}")
        node.set_pos(i % 50, i // 50, 0.0)
        target = node.attach_new_node("target")
        target.set_pos(0.8, 0.6, 2.0)
        for k in range(BONES + 1):
            node = node.attach_new_node(f"bone {k}")
            node.set_z(1.0 if k else 0.0)
        chain = IKChain(node, BONES, target)
        if i % 2:
            # everything that a hero carries, or that looks at it, waits for it
            chain.pole = self.chains[0].leaf.attach_new_node("pole")
        return chain.start(self._task_mgr)

    @property
    def _some(self) -> IKChain:
        """A chain of the first half, another one in each round."""
        return self.chains[1 + self._round % (len(self.chains) // 2)]

    @property
    def _carrier(self) -> IKChain:
        """A chain that is started later than it."""
        return self.chains[-1 - self._round % 10]

    def new_target(self) -> None:
        self._some.target = self._some.root.attach_new_node("new target")

    def new_target_of_the_hero(self) -> None:
        # in the same place: else all poles move, and half of the chains are solved
        self.chains[0].target.copy_to(self.chains[0].root)
        self.chains[0].target = self.chains[0].root.get_children()[-1]

    def target_in_hand(self) -> None:
        self._some.target = self._carrier.leaf.attach_new_node("held")

    def pole(self) -> None:
        self._some.pole = self._some.root.attach_new_node("pole")

    def reparented_target(self) -> None:
        self._some.target.reparent_to(self._carrier.leaf)

    def reparented_figure(self) -> None:
        self._some.root.reparent_to(self._carrier.leaf)

    def stop(self) -> None:
        self._some.stop()

    def restart(self) -> None:
        self._some.stop()
        self._some.start(self._task_mgr)

    def new_chain(self) -> None:
        self.chains.append(self._chain(len(self.chains)))

    def order(self) -> None:
        self._some.order = self._round

    def phase(self) -> None:
        self._some.phase = "body" if self._round % 2 else "secondary"

    CHANGES = (
        new_target, new_target_of_the_hero, target_in_hand, pole, reparented_target,
        reparented_figure, stop, restart, new_chain, order, phase,
    )  # fmt: skip

    def hitch(self, change: Callable[[Crowd], None], rounds: int) -> tuple[float, ...]:
        """Return median, largest and idle: extra time, and that of idle frames [s]."""
        extra, idle = [], []
        for _ in range(rounds):
            idle.append(self._worst())
            change(self)
            extra.append(self._worst() - idle[-1])
            self._round += 1
        return median(extra), max(extra), median(idle)

    def _worst(self) -> float:
        worst = 0.0
        for _ in range(max(32, len(self.chains) // 3) + 1):
            start = thread_time()
            self.system.update(1.0 / 60.0)
            worst = max(worst, thread_time() - start)
        return worst


def run(count: int, rounds: int) -> dict[str, tuple[float, ...]]:
    """Return the figures of ``Crowd.hitch`` by change."""
    found = {}
    crowd = Crowd(count)
    crowd.system.update(0.0)
    # a collection of this many objects is a hitch of its own
    gc.collect()
    gc.disable()
    try:
        for change in Crowd.CHANGES:
            found[change.__name__] = crowd.hitch(change, rounds)
    finally:
        gc.enable()
    for chain in crowd.chains:
        chain.stop()
    return found


def main(argv: list[str] | None = None) -> int:
    """Time what the arguments ask for; return 1 if a median is above the bound."""
    parser = argparse.ArgumentParser(prog="tests.bench.hitches", description=__doc__)
    parser.add_argument("--chains", type=int, nargs="+", default=[1000, 5000])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--bound", type=float, default=1.0, help="[ms]")
    args = parser.parse_args(argv)
    late = 0
    for count in args.chains:
        for name, figures in run(count, args.rounds).items():
            extra, most, idle = (1e3 * x for x in figures)
            late += extra > args.bound
            print(
                f"{count} chains, {name}: {extra:+.2f} ms (most {most:+.2f}), "
                f"idle {idle:.2f}",
                flush=True,
            )
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
