"""Budget: the time that rigs may take in a frame, shared by what they are worth."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import panda3d.core as p3d

from ...kernels.budget import Easing, Turns
from .dependencies import Step

FIRST = 0.7
"""Part of what is given away for those worth most; the others take turns in the rest,
and each waits until all of these were solved once."""
PLANNED, LEAST, MOST = 0.85, 0.5, 0.92
"""Part of the budget that is given away, at first, at least and at most: measured times
differ from frame to frame."""
FALL, RISE = 0.94, 0.001
"""What that part falls to in a frame that took longer than the budget, and rises by in
another: so about one in fifty takes longer."""
LATEST = 0.95
"""Part of the budget beyond which no rig that takes turns begins that would not end
before, with those worth most."""
QUICK = 0.3
"""Weight of a new measurement of a rig's time."""
TWICE = 2.0
"""A measurement counts as this multiple of the time before at most."""
USUAL = 0.05
"""Weight of each in the time of those that were solved lately."""
FORGET = 0.05
"""How quickly, in a frame, the time of one that waits becomes that of these."""
WARM = 5
"""First solves, which are not measured: clips are compared with the engine's."""
WORTH_FRAMES = 16
"""Frames in which each rig's worth is computed once."""
REFUSED = 10
"""Frames in which a rig whose turn it is may be put off because others took longer."""
MOVE = 1e-5
"""Time that moving a pose takes, before it was measured [s]."""
CROWDS = 0.5
"""Part of the budget that crowds have at most while rigs wait."""
AIM = 0.85
"""Part of what crowds have that they use again."""
FALLS, RISES = 0.95, 1.02
"""How quickly members of crowds count as smaller and larger, in a frame of 60 a second:
where frames take longer, they do so as quickly, in fewer of them."""
LONGEST, MOST_RISE = 60.0, 1.1
"""Most of these frames that one counts for, and what members' sizes rise by in one at
most: what that costs is known in the next."""


def worth_of(node: p3d.NodePath, importance: float) -> float:
    """Return what a solve is worth: the importance, by the size in the picture.

    Args:
        node: What it moves, standing for its place and size; behind the camera it is
            worth a tenth.
        importance: Its importance.
    """
    camera = getattr(getattr(builtins, "base", None), "cam", None)
    if camera is None or node.is_empty() or node.get_top() != camera.get_top():
        return importance
    place = node.get_pos(camera)
    ahead = 1.0 if place.y > 0.0 else 0.1
    return float(ahead * importance * node.get_sz() / max(place.length(), 1e-3))


class _Share:
    """What a rig has of the budget."""

    def __init__(self, owner: Any, frame: int, time: float) -> None:
        self.owner = owner
        self.easing = owner._easing = Easing()
        self.slot = -1
        """Its index in the arrays; below 0: none yet."""
        self.frame = frame
        """When it was solved last."""
        self.spent = 0.0
        """Its time in that frame [s]."""
        self.waited = 0.0
        """How long it had not been solved then [s]."""
        self.last_time = self.shown_time = time
        """When it was solved last, and when its pose moved [s]."""
        self.solves = 0
        self.refused = 0
        """Frames in a row in which it was its turn, but others took longer."""


class _Limited:
    """A crowd that has a limit."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.spent = self.cost = 0.0
        """Its time in this frame, and usually [s]."""
        self.part = 1.0
        """What it is told: how large members count."""

    def keep(self, seconds: float, frames: float) -> None:
        """Have it take less where it takes more than a time, or more otherwise.

        Args:
            seconds: The time [s].
            frames: How many frames of 60 a second would have passed since the last.
        """
        self.cost += (1.0 - (1.0 - QUICK) ** frames) * (self.spent - self.cost)
        part = self.part
        # about as many members are larger than a size as its square says
        wanted = (max(seconds, 0.0) / max(self.cost, 1e-9)) ** 0.5
        if self.cost > seconds:
            part = max(part * max(wanted, FALLS**frames), 0.01)
        elif self.cost < AIM * seconds:
            part = min(part * min(AIM**0.5 * wanted, RISES**frames, MOST_RISE), 1.0)
        if part != self.part:
            self.part = part
            self.owner._limit(part)


class Budget:
    """Chooses in each frame which rigs are solved within a time.

    Those worth most (importance, by size in the picture), as many as fit into 70 % of
    it, are solved in each frame. The others take turns in the rest: the one that has
    waited longest is the next, so that each is solved once before one is again. There,
    poses that are on their way to the last solve move on in each frame, and no more
    rigs are solved than can move so. A rig that can't wait runs in each frame, and what
    it takes the others don't get. Crowds (``_limit``) have half of the budget while
    rigs wait, and otherwise what is left.

    Args:
        seconds: The time [s].
        clock: Returns the time [s].
    """

    def __init__(
        self, seconds: float, clock: Callable[[], float] = perf_counter
    ) -> None:
        self.seconds = seconds
        self.clock = clock
        self._shares: dict[int, _Share] = {}
        self._limited: dict[int, _Limited] = {}
        self._list: list[_Share] = []
        """The shares by their indices in the arrays."""
        self._numbers = np.zeros((3, 0))
        """Of each: its time in a frame as measured, below 0: never [s]; what it is
        worth; the frame in which it was solved last."""
        self._runs, self._moved = np.ones(1, np.intc), np.zeros(0, np.intc)
        """Which are solved in this frame, 2 for those worth most, the last for rigs
        without a share; the indices of those whose poses move."""
        self._held = 0.0
        """The time of those worth most that are still to come in this frame [s]."""
        self._turns: Turns
        self._slots = np.zeros(0, int)
        self._version = -1
        self._solved: list[_Share] = []
        """Those solved in this frame."""
        self._open: _Share | _Limited | None = None
        """That which is being solved, since ``_mark``."""
        self._moves, self._moving, self._move_cost = 0, 0.0, MOVE
        """Poses that were moved in this frame, their time, and that of each [s]."""
        self._fixed = self._start = self._mark = self._dt = 0.0
        self._elapsed = 0.0
        """Time since the frame before began [s]."""
        self._usual = 0.0
        """What a rig takes that was solved lately [s]."""
        self._planned = PLANNED
        self._frame, self._time = 0, 0.0
        self.waiting = 0
        """Number of rigs that are not solved in this frame."""

    def add(self, owner: Any) -> None:
        """Let a rig have a share, if it can wait, or a crowd a limit."""
        if hasattr(owner, "_limit"):
            self._limited.setdefault(id(owner), _Limited(owner))
        elif hasattr(owner, "_skip") and id(owner) not in self._shares:
            self._shares[id(owner)] = _Share(owner, self._frame, self._time)
            self._version = -1

    def remove(self, owner: Any) -> None:
        """Let a rig run in each frame again; no error if it is absent."""
        if self._limited.pop(id(owner), None) is not None:
            owner._limit(1.0)
        share = self._shares.pop(id(owner), None)
        if share is not None:
            owner._easing = None
            self._version = -1

    def start(self) -> None:
        """Note when a frame begins."""
        now = self.clock()
        self._start, self._elapsed = now, now - self._start

    def begin(self, steps: list[Step], version: int, dt: float) -> list[Step]:
        """Choose who is solved in a frame of dt seconds; move the poses of others.

        Args:
            steps: Steps of all rigs, in order.
            version: A number above 0 that changes with these.
            dt: Time of this frame [s].

        Returns:
            The steps of those that are solved, in order.
        """
        if version != self._version:
            self._arrange(steps)
            self._version = version
        self._frame += 1
        self._time += dt
        self._dt, now = dt, self._frame
        for share in self._list[now % WORTH_FRAMES :: WORTH_FRAMES]:
            self._numbers[1, share.slot] = share.owner._worth()
        self._solved = []
        left = self._planned * self.seconds - self._fixed
        # there is time for one of the others
        first = min(FIRST * left, left - self._usual)
        self.waiting = self._turns.choose(
            left, first, self._move_cost, dt, self._usual, FORGET
        )
        self._moves, self._held = self._turns.count, self._turns.held
        begun = self.clock()
        for i in self._moved[: self._moves].tolist():
            self._move(self._list[i])
        self._moving = self.clock() - begun
        return [steps[i] for i in self._runs[self._slots].nonzero()[0].tolist()]

    def _move(self, share: _Share) -> None:
        share.owner._skip(self._time - share.shown_time)
        share.shown_time = self._time

    def _arrange(self, steps: list[Step]) -> None:
        self._list = list(self._shares.values())
        n = len(self._list)
        numbers = np.full((3, n), float(self._frame))
        for k, share in enumerate(self._list):
            if share.slot >= 0:
                numbers[:, k] = self._numbers[:, share.slot]
            else:
                numbers[:2, k] = -1.0, share.owner._worth()
            share.slot = k
        self._numbers = numbers
        self._runs, self._moved = np.ones(n + 1, np.intc), np.zeros(max(n, 1), np.intc)
        order = np.arange(max(n, 1), dtype=np.intc)
        easings = [share.easing for share in self._list]
        flat = numbers.ravel() if n else np.zeros(3)
        self._turns = Turns(
            easings, flat.data, self._runs.data, self._moved.data, order.data
        )
        owners = (self._shares.get(id(step.owner)) for step in steps)
        slots = [-1 if share is None else share.slot for share in owners]
        self._slots = np.array(slots, int)

    def enter(self, owner: Any) -> float | None:
        """Begin or go on with a rig; return its time step [s], or None: not now."""
        now = self._close()
        share = self._shares.get(id(owner))
        if share is None:
            self._open = limited = self._limited.get(id(owner))
            if limited is not None:
                limited.spent = 0.0
            return self._dt
        if share.slot < 0:
            # it was added in this frame
            return None
        if share.frame != self._frame:
            cost = float(self._numbers[0, share.slot])
            late = False
            if self._runs[share.slot] == 2:
                self._held -= cost
            else:
                # time for those worth most is kept free
                ends = now - self._start + cost + max(self._held, 0.0)
                late = ends > LATEST * self.seconds
            if late and cost > 0.0 and share.refused < REFUSED:
                # others took longer than they did before
                share.refused += 1
                if share.easing.behind > 0.0 and share.shown_time < self._time:
                    self._move(share)
                return None
            share.frame, share.spent, share.refused = self._frame, 0.0, 0
            share.waited = self._time - share.last_time
            # a pose that is not behind is that of the frame before
            still = share.easing.behind <= 0.0
            moved = self._dt if still else self._time - share.shown_time
            owner._waited = share.waited, moved
            share.last_time = share.shown_time = self._time
            self._numbers[2, share.slot] = self._frame
            self._solved.append(share)
        self._open = share
        return share.waited

    def _close(self) -> float:
        """End what is being solved; return the time."""
        now = self.clock()
        if self._open is not None:
            self._open.spent += now - self._mark
            self._open = None
        self._mark = now
        return now

    def end(self) -> None:
        """Note what the frame took."""
        total = self._close() - self._start
        fixed = total - self._moving
        for share in self._solved:
            fixed -= share.spent
            share.solves += 1
            if share.solves > WARM and share.slot >= 0:
                old, spent = float(self._numbers[0, share.slot]), share.spent
                # one that was interrupted does not usually take that long
                known = old + QUICK * (min(spent, TWICE * old) - old)
                self._usual += USUAL * (spent - self._usual)
                self._numbers[0, share.slot] = spent if old < 0.0 else known
        self._fixed += QUICK * (fixed - self._fixed)
        if self._moves:
            each = self._moving / self._moves
            self._move_cost += QUICK * (each - self._move_cost)
        if self._numbers[0].min(initial=0.0) < 0.0:
            # new rigs are all solved
            pass
        elif total > self.seconds:
            self._planned = max(FALL * self._planned, LEAST)
        else:
            self._planned = min(self._planned + RISE, MOST)
        self._limit_crowds()

    def _limit_crowds(self) -> None:
        """Pass on what crowds may take in the next frame."""
        if not self._limited:
            return
        crowds = self._limited.values()
        left = self._planned * self.seconds
        if self.waiting:
            left *= CROWDS
        else:
            left -= self._fixed - sum(x.cost for x in crowds)
            left -= sum(x.spent for x in self._solved)
        # games don't tell how long slow frames took
        frames = min(60.0 * max(self._dt, self._elapsed), LONGEST)
        worth = [max(x.owner.importance, 1e-9) for x in crowds]
        for crowd, part in zip(crowds, worth, strict=True):
            crowd.keep(left * part / sum(worth), frames)
