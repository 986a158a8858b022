"""How fast the clips go that a figure plays, measured from frame to frame."""

from __future__ import annotations

import cython

if not cython.compiled:
    from math import exp

# numbers of a slot: the clip that it played last, -1: none; its frame; its mean rate, 0
# until it was measured; the rate by which to go, and by how much it falls [frames / s2]
PACED = 5
# time over which rates are averaged [s]
PACE_SECONDS = 0.1
# stands for a fall that is not known
BEGINS = 1e300


def follow_clips(paced, clip, time, weight, clips, size, first, last, dt):
    """Measure how fast the clips of a figure go; one that begins goes like the others.

    Args:
        paced: In and out: ``PACED`` numbers a slot.
        clip: The clip of each slot.
        time: Its frame.
        weight: Its weight, 0 where none plays.
        clips: ``size`` numbers a clip, its frames and its own rate first.
        size: See ``clips``.
        first: The figure's first slot.
        last: The slot after its last one.
        dt: Time since its last frame [s].
    """
    k: cython.int
    p: cython.int
    q: cython.int
    e: cython.int
    c: cython.int
    alike = 0.0
    for k in range(first, last):
        p = PACED * k
        if paced[p] >= 0.0:
            c = int(paced[p])
            usual = clips[size * c + 1]
            pace = paced[p + 2] / usual if usual > 0.0 else 0.0
            if abs(pace) > abs(alike):
                alike = pace
    for k in range(first, last):
        if not weight[k] > 0.0:
            continue
        p = q = PACED * k
        c = clip[k]
        if paced[q] != c:
            # it has moved to another slot
            for e in range(first, last):
                if paced[PACED * e] == c:
                    q = PACED * e
        if paced[q] != c:
            paced[p + 3] = alike * clips[size * c + 1]
            paced[p + 4] = BEGINS
            continue
        rate = paced[q + 2]
        falls = 0.0
        if dt > 0.0:
            gone = frames_gone(time[k] - paced[q + 1], clips[size * c], rate * dt)
            share = 1.0 - exp(-dt / PACE_SECONDS) if rate != 0.0 else 1.0
            change = share * (gone / dt - rate)
            # one that begins does not slow down
            if rate != 0.0:
                falls = -change / dt if rate > 0.0 else change / dt
            rate += change
        paced[p + 3] = rate
        paced[p + 4] = falls
    for k in range(first, last):
        p = PACED * k
        if not weight[k] > 0.0:
            paced[p] = -1.0
            continue
        paced[p] = clip[k]
        paced[p + 1] = time[k]
        paced[p + 2] = paced[p + 3]
        if paced[p + 4] == BEGINS:
            paced[p + 2] = paced[p + 4] = 0.0
    return 0


def frames_gone(gone, count, usual):
    """Return by how many frames a clip has moved on.

    Where it goes round, its last frame may be its first again, or not.

    Args:
        gone: Difference of its frames.
        count: How many it has.
        usual: By how many it moved on before.
    """
    if -0.5 * count < gone < 0.5 * count:
        return gone
    sign = 1.0 if gone < 0.0 else -1.0
    gone += sign * count
    return gone - sign if abs(gone - sign - usual) < abs(gone - usual) else gone
