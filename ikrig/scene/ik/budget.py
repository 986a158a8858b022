"""Budget: the time that rigs may take in a frame, shared by what they are worth."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from operator import attrgetter
from statistics import median
from time import perf_counter
from typing import Any

from ...kernels import index_buffer
from ...kernels.pose import ease_matrices

FIRST = 0.75
"""Part of the budget of those worth most; the others take turns in the rest."""
PLANNED = 0.8
"""Part of the budget that is given away: measured times differ from frame to frame."""
LATEST = 0.95
"""Part of the budget beyond which no rig begins that would not end before."""
QUICK = 0.3
"""Weight of a new measurement of a rig's time."""
FORGET = 0.05
"""How quickly, in a frame, the time of one that waits becomes that of the others."""
WARM = 3
"""First solves, which are not measured: clips are compared with the engine's."""
WORTH_FRAMES = 8
"""Frames in which each rig's worth is computed once."""
LONGEST_WAIT = 0.5
"""Time after which a rig is solved even if the budget is used up [s]."""
CATCH_UP = 1.5
"""How fast a pose moves at most that is behind, as a multiple of its own speed."""


class Easing:
    """Brings the pose that is shown to that which was solved last, without a step.

    Where a rig is solved in each frame, that is the solved one. After frames without,
    it moves on in as many frames, at its own speed; it is behind by that time. It
    catches up at 1.5 times its speed.
    """

    def __init__(self) -> None:
        self.behind = 0.0
        """How old the shown pose is, measured by the one solved last [s]."""
        self._span = 0.0
        self._shown: Any = None
        self._aim: Any = None
        self._joints: tuple[list[int], object] = ([], index_buffer(()))

    def solved(self, memory: Any, joints: list[int], waited: float, dt: float) -> bool:
        """Take a pose that was solved; change it to the one that is shown.

        Args:
            memory: Matrices of all joints, 16 numbers each.
            joints: Indices of those that are written.
            waited: Time since it was solved before [s].
            dt: Time of this frame [s].

        Returns:
            Whether it was changed.
        """
        if self._shown is None or len(self._shown) != len(memory):
            self._shown, self._aim = (memoryview(array("f", memory)) for _ in range(2))
            self.behind = 0.0
            return False
        self._span = waited
        self.behind += waited
        if self.behind <= dt * (1.0 + 1e-9):
            self.behind = 0.0
            self._shown[:] = memory
            return False
        self._aim[:] = memory
        self.show(memory, joints, dt)
        return True

    def show(self, memory: object, joints: list[int], dt: float) -> bool:
        """Move the shown pose on for a frame; return whether it has changed."""
        if self.behind <= 0.0 or dt <= 0.0:
            return False
        if joints is not self._joints[0]:
            self._joints = joints, index_buffer(joints)
        speed = min(max(self.behind / max(self._span, dt), 1.0), CATCH_UP)
        part = speed * dt / self.behind
        self.behind -= speed * dt
        if part > 1.0 - 1e-9:
            part, self.behind = 1.0, 0.0
        ease_matrices(memory, self._shown, self._aim, self._joints[1], part)
        return True


class _Share:
    """What a rig has of the budget."""

    __slots__ = (
        "cost",
        "easing",
        "last",
        "last_time",
        "owner",
        "solves",
        "spent",
        "worth",
    )

    def __init__(self, owner: Any, now: int, time: float) -> None:
        self.owner = owner
        self.easing = owner._easing = Easing()
        self.cost = -1.0
        """Its time in a frame, as measured [s]; below 0: never."""
        self.spent = 0.0
        """Its time in this frame, or its last one [s]."""
        self.last, self.last_time = now, time
        """Frame and time of its last solve."""
        self.worth = 1.0
        self.solves = 0


_worth = attrgetter("worth")


class Budget:
    """Chooses in each frame which rigs are solved within a time.

    Those worth most (importance, by size in the picture) have three quarters of it;
    the others take turns in the rest, and go the sooner, the longer they waited. A rig
    that can't wait runs in each frame, and what it takes the others don't get.

    Args:
        seconds: The time [s].
        clock: Returns the time [s].
    """

    def __init__(
        self, seconds: float, clock: Callable[[], float] = perf_counter
    ) -> None:
        self.seconds = seconds
        self.clock = clock
        self.left_out: set[int] = set()
        """IDs of the rigs that are not solved in this frame."""
        self._shares: dict[int, _Share] = {}
        self._solved: list[_Share] = []
        """Those solved in this frame."""
        self._fixed = self._fixed_now = self._start = self._dt = 0.0
        self._saved = 0.0
        self._frame, self._time = 0, 0.0

    def add(self, owner: Any) -> None:
        """Let a rig have a share, if it can wait."""
        if hasattr(owner, "_skip") and id(owner) not in self._shares:
            self._shares[id(owner)] = _Share(owner, self._frame, self._time)

    def remove(self, owner: Any) -> None:
        """Let a rig run in each frame again; no error if it is absent."""
        share = self._shares.pop(id(owner), None)
        if share is not None:
            owner._easing = None

    def start(self) -> None:
        """Note when a frame begins."""
        self._start = self.clock()

    def begin(self, dt: float) -> None:
        """Choose who is solved in a frame of dt seconds; show the others."""
        for share in self._solved:
            share.solves += 1
            if share.solves > WARM:
                old = share.spent if share.cost < 0.0 else share.cost
                share.cost = old + QUICK * (share.spent - old)
        self._fixed += QUICK * (self._fixed_now - self._fixed)
        self._frame += 1
        self._time += dt
        self._dt, now = dt, self._frame
        shares = list(self._shares.values())
        for share in shares[now % WORTH_FRAMES :: WORTH_FRAMES]:
            share.worth = share.owner._worth()
        costs = [share.cost for share in shares]
        usual = max(median(costs), 0.0) if costs else 0.0
        left = PLANNED * self.seconds - self._fixed
        first = FIRST * left
        solved: list[_Share] = []
        later: list[tuple[float, int, _Share]] = []
        taken = False
        for k, share in enumerate(sorted(shares, key=_worth, reverse=True)):
            if share.cost < 0.0:
                # not measured yet, nor shown: it would come in with a step later
                share.worth = share.owner._worth()
                solved.append(share)
            elif share.cost <= first:
                solved.append(share)
                first -= share.cost
                left -= share.cost
            else:
                share.cost += FORGET * (usual - share.cost)
                later.append((share.worth * (now - share.last) ** 2, -k, share))
        later.sort(reverse=True)
        self.left_out = out = set()
        # where the rest is too small for one of them, it adds up over frames
        self._saved += max(left, 0.0)
        for _, _, share in later:
            if share.cost <= left or (not taken and share.cost <= self._saved):
                taken = True
                self._saved = 0.0
                solved.append(share)
                left -= share.cost
            else:
                out.add(id(share.owner))
                if share.easing.behind > 0.0:
                    share.owner._skip(dt)
        for share in solved:
            share.spent = 0.0
        self._solved = solved
        self._fixed_now = self.clock() - self._start

    def run(self, step: Any) -> None:
        """Run a step of a rig that is not left out."""
        share = self._shares.get(id(step.owner))
        start = self.clock()
        if share is None:
            step.run(self._dt)
            self._fixed_now += self.clock() - start
            return
        if id(share.owner) in self.left_out:
            return
        if share.last != self._frame:
            late = start - self._start + share.cost > LATEST * self.seconds
            if (
                late
                and share.cost > 0.0
                and self._time - share.last_time < LONGEST_WAIT
            ):
                # others took longer than they did before
                self.left_out.add(id(share.owner))
                share.spent = share.cost
                share.owner._skip(self._dt)
                return
            share.owner._waited = self._time - share.last_time, self._dt
            share.last, share.last_time = self._frame, self._time
        step.run(share.owner._waited[0])
        share.spent += self.clock() - start
