"""Rigs under a budget: who is solved in a frame, and what the others show."""

import cython

if not cython.compiled:
    from math import sqrt

    from .buffers import doubles, floats, ints, pin

# how fast a pose moves at most that is behind, as a multiple of its own speed
CATCH_UP = 1.25
# a pose is not more behind than this [s]: one that waited longer moves faster
LATE = 1.0
# a frame counts as at least this long [s]
SHORTEST = 1e-3


class Easing:
    """Brings the pose that is shown to that which was solved last, without a step.

    Where a rig is solved in each frame, that is the solved one. After frames without,
    it moves on in as many frames, at its own speed, for 1 s at most; it is ``behind``
    by that time [s]. It catches up at 1.25 times its speed.
    """

    def __init__(self):
        self.behind = 0.0
        self.figure = None
        self.joints = None
        self.span = 0.0
        self.count = self.size = 0

    def use(self, figure):
        """Take a pose as it is; return False."""
        self.figure = figure
        self.size = figure.size
        shown = memoryview(bytearray(4 * self.size)).cast("f")
        aim = memoryview(bytearray(4 * self.size)).cast("f")
        self._pinned = pin((shown, aim))
        self.shown = floats(shown)
        self.aim = floats(aim)
        for k in range(self.size):
            self.shown[k] = figure.pointer[k]
        self.behind = 0.0
        return False

    def write(self, joints):
        """Set the indices of the joints that are moved; return 0."""
        self.joints = joints
        self.count = len(joints)
        numbers = memoryview(bytearray(4 * self.count + 4)).cast("i")
        for k in range(self.count):
            numbers[k] = joints[k]
        self._numbers = pin((numbers,))
        self.number = ints(numbers)
        return 0

    def solved(self, figure, joints, waited, dt):
        """Take a pose that was solved; change it to the one that is shown.

        Args:
            figure: The pose, a ``PoseKernel``.
            joints: Indices of the joints that are written.
            waited: Time since it was solved before [s].
            dt: Time since the shown pose moved [s].

        Returns:
            Whether it was changed.
        """
        if joints is not self.joints:
            self.write(joints)
        if figure is not self.figure or figure.size != self.size:
            return self.use(figure)
        self.span = waited if waited < LATE else LATE
        self.behind += waited
        if self.behind > LATE > dt:
            self.behind = LATE
        for k in range(self.size):
            self.aim[k] = figure.pointer[k]
        if self.behind > dt * (1.0 + 1e-9):
            return self.show(dt)
        self.behind = 0.0
        for k in range(self.size):
            self.shown[k] = self.aim[k]
        return False

    def show(self, dt):
        """Move the shown pose on by a time [s]; return whether it has changed.

        Axes keep their lengths, so that bones do not shrink.
        """
        if self.behind <= 0.0 or dt <= 0.0 or self.figure.size != self.size:
            return False
        speed = self.behind / (self.span if self.span > dt else dt)
        speed = 1.0 if speed < 1.0 else CATCH_UP if speed > CATCH_UP else speed
        part = speed * dt / self.behind
        self.behind -= speed * dt
        if part > 1.0 - 1e-9:
            part = 1.0
            self.behind = 0.0
        out = self.figure.pointer
        old = self.shown
        new = self.aim
        for k in range(self.count):
            for r in range(4):
                o = 16 * self.number[k] + 4 * r
                a, b, c = 1.0 * old[o], 1.0 * old[o + 1], 1.0 * old[o + 2]
                x, y, z = 1.0 * new[o], 1.0 * new[o + 1], 1.0 * new[o + 2]
                u = a + part * (x - a)
                v = b + part * (y - b)
                w = c + part * (z - c)
                size = u * u + v * v + w * w
                if r < 3 and size > 0.0:
                    before = sqrt(a * a + b * b + c * c)
                    after = sqrt(x * x + y * y + z * z)
                    size = (before + part * (after - before)) / sqrt(size)
                    u *= size
                    v *= size
                    w *= size
                out[o] = old[o] = u
                out[o + 1] = old[o + 1] = v
                out[o + 2] = old[o + 2] = w
        self.figure.renew()
        return True


class Turns:
    """Chooses which rigs are solved in a frame.

    Args:
        easings: The ``Easing`` of each of n rigs.
        numbers: Buffer of 3 n: time in a frame, below 0 if not measured [s]; what each
            is worth; the frame in which it was solved last.
        runs: Out: buffer of n + 1, 1 for those that are solved, 2 for those of them
            that are worth most; the last is 1.
        moves: Out: buffer of n: indices of those whose poses move, ``count`` of them.
        order: Buffer of n, 0 to n - 1.
    """

    def __init__(self, easings, numbers, runs, moves, order):
        self.easings = easings
        self.n = len(easings)
        self._pinned = pin((numbers, runs, moves, order))
        self.cost = doubles(numbers)
        self.runs = ints(runs)
        self.moves = ints(moves)
        self.order = ints(order)
        self.count = 0
        # time of those worth most [s]
        self.held = 0.0
        self.saved = 0.0
        # what is too little for one of those that wait adds up over frames
        self.runs[self.n] = 1

    def choose(self, left, first, move, dt, usual, forget):
        """Choose for a frame; return the number of those that are not solved.

        Those worth most, as many as fit; then those that have waited longest.

        Args:
            left: Time for all [s].
            first: Time of it for those worth most [s].
            move: Time that moving the pose of one takes [s].
            dt: Time of the frame [s].
            usual: What rigs usually take [s].
            forget: Part by which the time of one that waits becomes this.
        """
        n = self.n
        cost = self.cost
        order = self.order
        runs = self.runs
        for k in range(n):
            # nearly sorted since the last frame
            j: cython.int = k
            i: cython.int = order[k]
            while j > 0 and cost[n + order[j - 1]] < cost[n + i]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = i
        total = 0.0
        behind: cython.int = 0
        waiting: cython.int = 0
        full: cython.bint = False
        for k in range(n):
            i = order[k]
            runs[i] = 1
            # one that is not measured is not shown yet: it would come in with a step
            if cost[i] < 0.0:
                continue
            if full or total + cost[i] > first:
                full = True
                runs[i] = 0
                waiting += 1
                cost[i] += forget * (usual - cost[i])
                behind += self.is_behind(i)
            else:
                total += cost[i]
                runs[i] = 2
        self.held = total
        left = left - total if left > total else 0.0
        # those that are on their way move on in each frame: no more set out than move
        # and are solved within the time, if each is so many frames on its way
        frames = LATE / (dt if dt > SHORTEST else SHORTEST)
        each = usual + move * frames
        room = (left * frames / each if each > 0.0 else n) - behind
        if room + behind < 1.0:
            room = 1.0 - behind
        left -= move * behind
        self.saved += left if left > 0.0 else 0.0
        taken: cython.bint = False
        while waiting > 0:
            i = self.next()
            if cost[i] > left and (taken or cost[i] > self.saved):
                break
            if not self.is_behind(i):
                if room < 1.0:
                    break
                room -= 1.0
            taken = True
            runs[i] = 1
            waiting -= 1
            left -= cost[i]
        if taken:
            self.saved = 0.0
        self.count = 0
        for k in range(n):
            if runs[k] == 0 and self.is_behind(k):
                self.moves[self.count] = k
                self.count += 1
        return waiting

    def next(self):
        """Return the one that has waited longest; of several, the nearest."""
        found = 0
        first = 1e300
        for k in range(self.n):
            i: cython.int = self.order[k]
            if self.runs[i] == 0 and self.cost[2 * self.n + i] < first:
                first = self.cost[2 * self.n + i]
                found = i
        return found

    def is_behind(self, i):
        """Return whether the pose that a rig shows is behind."""
        easing: Easing = self.easings[i]
        return easing.behind > 0.0
