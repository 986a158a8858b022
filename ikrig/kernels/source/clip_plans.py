# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""What the clips that figures play do with their feet, from tables.

Figures are Actors, or members of a crowd.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from .buffers import doubles, ints, pin
    from .feet import Feet

COMPILED = cython.compiled

# numbers of a row of what a foot does between a frame of a clip and the next
PLAN = 10
# that it swings
SWINGS = 2
# numbers of a clip: its frames, its rate, the index of its first row, -1 where its
# contacts are not sure, the number of rows of a foot and a direction, its floor
CLIP = 5
# numbers of what played last: the clip that decided, -1: none; its frame and rate
PLAYED = 3
# share of all clips above which one decides
MOST = 0.7
# parts of a clip's own rate from which on it counts, and wholly
STILL = 0.2
SOUND = 0.5
# time over which its rate is averaged [s]
MEAN_SECONDS = 0.1


class ClipPlans:
    """Tells feet what clips do with them.

    Args:
        count: Number of feet of a figure.
        clips: ``CLIP`` numbers for each clip.
        plans: Rows of ``PLAN`` numbers: those of all frames of a foot, forwards, then
            those of the other feet, then the same backwards.
        playing: Of all figures, some slots each: "clip" that plays, "time" [frames],
            and "weight", 0 where none does; "played", ``PLAYED`` numbers a figure.
    """

    def __init__(self, count, clips, plans, playing):
        self.count = count
        self._pinned = pin({"clips": clips, "plans": plans, **playing})
        self.clips = doubles(clips)
        self.plans = doubles(plans)
        self.clip = ints(playing["clip"])
        self.time = doubles(playing["time"])
        self.weight = doubles(playing["weight"])
        self.played = doubles(playing["played"])

    def tell(self, feet: Feet, i, slots, dt):
        """Tell the feet of a figure what it plays, for their next step.

        Nothing is known where no clip decides alone, it stands still, or its contacts
        are not sure.

        Args:
            feet: The feet.
            i: The figure.
            slots: Number of clips that it may play at a time.
            dt: Time since its last frame [s].
        """
        total = most = floor = 0.0
        slot = -1
        for s in range(slots * i, slots * i + slots):
            weight = self.weight[s]
            if weight > 0.0:
                total += weight
                floor += weight * self.clips[CLIP * self.clip[s] + 4]
                if weight > most:
                    most = weight
                    slot = s
        played = self.played
        o = PLAYED * i
        rate = frame = 0.0
        row = -1
        count: cython.int = 1
        usual = 1.0
        if most > MOST * total:
            frame = self.time[slot]
            c: cython.int = self.clip[slot]
            at = CLIP * c
            usual = self.clips[at + 1]
            row = int(self.clips[at + 2])
            count = int(self.clips[at + 3])
            if played[o] == c:
                rate = played[o + 2]
                moved = frame - played[o + 1]
                # where it goes round, its last frame may be its first once more, or not
                far = moved if moved > 0.0 else -moved
                if dt > 0.0 and far < 0.5 * self.clips[at]:
                    share = min(1.0, dt / MEAN_SECONDS) if rate != 0.0 else 1.0
                    rate += share * (moved / dt - rate)
            played[o] = c
            played[o + 1] = frame
            played[o + 2] = rate
        else:
            played[o] = -1.0
        pace = rate if rate > 0.0 else -rate
        known = row >= 0 and pace > 0.0 and pace >= STILL * usual
        # rates that change are not exact
        trust = min(1.0, (pace / usual - STILL) / (SOUND - STILL)) if known else 0.0
        back: cython.int = 1 if rate < 0.0 else 0
        whole: cython.int = int(frame)
        past = frame - whole
        if back:
            past = 1.0 - past
        feet.set_floor(floor / total if total > 0.0 else 0.0)
        p = self.plans
        for f in range(self.count):
            if not known:
                feet.plan(f, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
                continue
            e = row + PLAN * ((back * self.count + f) * count + whole % count)
            state: cython.int = int(p[e])
            left = p[e + 1]
            part = 1.0
            if state == SWINGS:
                left = (left - past) / pace
                part = trust
            feet.plan(
                f,
                state,
                left,
                p[e + 2] / pace,
                p[e + 3],
                p[e + 4],
                p[e + 5],
                part * p[e + 6] / pace,
                part * p[e + 7],
                part * p[e + 8],
                part * p[e + 9],
            )
        return 0
