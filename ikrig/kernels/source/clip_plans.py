"""What the clips that figures play do with their feet, from tables.

Figures are Actors, or members of a crowd.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from math import sqrt

    from .buffers import doubles, ints, pin
    from .clip_paces import PACE_SECONDS, PACED, follow_clips
    from .feet import Feet

# numbers of a row of what a foot does between a frame of a clip and the next
PLAN = 10
# that it swings
SWINGS = 2
# numbers of a clip: its frames, its rate, the index of its first row, -1 where its
# contacts are not sure, the number of rows of a foot and a direction, its floor
CLIP = 5
# share of clips whose contacts are known above which these decide
MOST = 0.7
# share of clips that lift a foot from which it swings
SWUNG = 0.2
# parts of a clip's own rate from which on it counts, below which it may stop, and from
# which it counts wholly
STILL = 0.2
STOPS = 0.3
SOUND = 0.5
# how slow one may be that keeps its rate, and the share by which that changes [1 / s]
CREEPS = 0.03
STEADY = 1.0


class ClipPlans:
    """Tells feet what clips do with them.

    Args:
        count: Number of feet of a figure.
        clips: ``CLIP`` numbers for each clip.
        plans: Rows of ``PLAN`` numbers: those of all frames of a foot, forwards, then
            those of the other feet, then the same backwards.
        playing: Of all figures, some slots each: "clip" that plays, "time" [frames],
            and "weight", 0 where none does; "paced", ``PACED`` numbers each.
    """

    def __init__(self, count, clips, plans, playing):
        self.count = count
        self._pinned = pin({"clips": clips, "plans": plans, **playing})
        self.clips = doubles(clips)
        self.plans = doubles(plans)
        self.clip = ints(playing["clip"])
        self.time = doubles(playing["time"])
        self.weight = doubles(playing["weight"])
        self.paced = doubles(playing["paced"])

    def tell(self, feet: Feet, i, slots, dt):
        """Tell the feet of a figure what it plays, for their next step.

        Nothing is known where clips whose contacts are not sure have a share, or the
        one that leads stands still.

        Args:
            feet: The feet.
            i: The figure.
            slots: Number of clips that it may play at a time.
            dt: Time since its last frame [s].
        """
        total = most = floor = unsure = 0.0
        lead = -1
        first: cython.int = slots * i
        last: cython.int = first + slots
        for s in range(first, last):
            weight = self.weight[s]
            if weight > 0.0:
                total += weight
                at = CLIP * self.clip[s]
                floor += weight * self.clips[at + 4]
                if self.clips[at + 2] < 0.0:
                    unsure += weight
        for s in range(first, last):
            weight = self.weight[s]
            if weight > 0.0:
                if weight >= SWUNG * total and self.walks(s):
                    # before all that stand
                    weight += total
                if weight > most:
                    most = weight
                    lead = s
        feet.set_floor(floor / total if total > 0.0 else 0.0)
        follow_clips(
            self.paced, self.clip, self.time, self.weight, self.clips, CLIP,
            first, last, dt,
        )  # fmt: skip
        rate = slowing = 0.0
        usual = 1.0
        if lead >= 0:
            rate = self.paced[PACED * lead + 3]
            slowing = self.paced[PACED * lead + 4]
            usual = self.clips[CLIP * self.clip[lead] + 1]
        pace = (rate if rate > 0.0 else -rate) / usual if usual > 0.0 else 0.0
        slowing /= usual if usual > 0.0 else 1.0
        back: cython.int = 1 if rate < 0.0 else 0
        change = slowing if slowing > 0.0 else -slowing
        steady: cython.bint = pace >= CREEPS and change < STEADY * pace
        # where one begins, feet stand that are to leave soon
        known: cython.bint = pace >= CREEPS and (steady or slowing < 0.0)
        known = known or pace >= STILL
        known = known and unsure < (1.0 - MOST) * total
        for f in range(self.count):
            if not known or not self.plan(
                feet, f, first, last, pace, back, slowing, steady
            ):
                feet.plan(f, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return 0

    def row(self, s, f, back):
        """Return the index of the row of what a foot does in a slot's clip now; or -1.

        Args:
            s: The slot.
            f: The foot.
            back: Whether the clip goes backwards.
        """
        at = CLIP * self.clip[s]
        row: cython.int = int(self.clips[at + 2])
        count: cython.int = int(self.clips[at + 3])
        whole: cython.int = int(self.time[s])
        if row < 0:
            return row
        return row + PLAN * ((back * self.count + f) * count + whole % count)

    def past(self, s, back):
        """Return how far a slot's clip is past the frame of its row."""
        whole: cython.int = int(self.time[s])
        past = self.time[s] - whole
        return 1.0 - past if back else past

    def walks(self, s):
        """Return whether feet step in the clip of a slot."""
        for f in range(self.count):
            e = self.row(s, f, 0)
            if e >= 0 and (self.plans[e] == SWINGS or self.plans[e + 6] > 0.0):
                return 1
        return 0

    def plan(self, feet: Feet, f, first, last, pace, back, slowing, steady):
        """Tell a foot what it does in all clips that play; return 0: it isn't known.

        It swings as soon as clips lift it that have a share of ``SWUNG``.

        Args:
            feet: The feet.
            f: The foot.
            first: The figure's first slot.
            last: The slot after its last one.
            pace: How fast the clips go, as a factor.
            back: Whether they go backwards.
            slowing: How fast that falls [1 / s].
            steady: Whether it hardly changes.
        """
        p = self.plans
        stands = swings = open = left = stays = whole = half = walks = 0.0
        x = y = z = sx = sy = sz = vx = vy = vz = 0.0
        for s in range(first, last):
            weight = self.weight[s]
            if not weight > 0.0:
                continue
            e = self.row(s, f, back)
            rate = pace * self.clips[CLIP * self.clip[s] + 1]
            if e < 0 or p[e] == 0.0 or not rate > 0.0:
                open += weight
                continue
            if p[e + 6] > 0.0:
                walks += weight
                half += weight * p[e + 6] / rate
                vx += weight * p[e + 7] * rate / p[e + 6]
                vy += weight * p[e + 8] * rate / p[e + 6]
                vz += weight * p[e + 9] * rate / p[e + 6]
            x += weight * p[e + 3]
            y += weight * p[e + 4]
            z += weight * p[e + 5]
            if p[e] == SWINGS:
                swings += weight
                far = (p[e + 1] - self.past(s, back)) * pace / rate
                # as long as the whole way at the mean speed of what is left
                time = seconds_for(far, pace, -slowing)
                left += weight * time
                whole += (
                    weight
                    * (p[e + 2] * pace / rate)
                    * (time / far if far > 0.0 else 1.0 / pace)
                )
            else:
                stands += weight
                if p[e + 6] > 0.0:
                    far = (p[e + 1] - self.past(s, back)) * pace / rate
                    stays += weight * seconds_for(far, pace, -slowing)
                    sx += weight * p[e + 7] * rate / p[e + 6]
                    sy += weight * p[e + 8] * rate / p[e + 6]
                    sz += weight * p[e + 9] * rate / p[e + 6]
        known = stands + swings
        if not known > 0.0 or open > (1.0 - MOST) * (known + open):
            return 0
        if walks > 0.0:
            half /= walks
        share = half / known
        if swings < SWUNG * known:
            # one that only stands never leaves
            stays = max(stays, 0.0) / (walks - swings) if walks > swings else 1e9
            feet.plan(
                f,
                1,
                stays,
                0.0,
                0.0,
                0.0,
                0.0,
                half,
                share * vx,
                share * vy,
                share * vz,
            )
            return 1
        if pace < STILL and not steady:
            return 0
        left /= swings
        # a foot does not swing in clips that stop before it is to land
        if stops_in(left, pace, slowing):
            return 0
        # rates that change are not exact
        part = 1.0 if steady else min(1.0, (pace - STILL) / (SOUND - STILL))
        share *= part
        feet.plan(
            f,
            2,
            left,
            whole / swings,
            (x + left * sx) / known,
            (y + left * sy) / known,
            (z + left * sz) / known,
            part * half,
            share * vx,
            share * vy,
            share * vz,
        )
        return 1


def seconds_for(far, pace, gains):
    """Return the time that a clip takes which may speed up, to its own pace.

    Args:
        far: How long it takes at its own pace [s].
        pace: How fast it goes in the mean, as a factor.
        gains: How fast that grows [1 / s].
    """
    # a mean is late
    now = pace + PACE_SECONDS * gains
    if not (gains > 0.0 and now < 1.0):
        return far / pace
    gone = (1.0 - now * now) / (2.0 * gains)
    if far > gone:
        return (1.0 - now) / gains + far - gone
    return 2.0 * far / (now + sqrt(now * now + 2.0 * gains * far))


def stops_in(seconds, pace, slowing):
    """Return whether a clip stops before so many seconds at the pace that it has.

    Args:
        seconds: The time [s].
        pace: How fast it goes in the mean, as a factor.
        slowing: How fast that falls [1 / s].
    """
    now = max(0.0, pace - PACE_SECONDS * slowing)
    return now < STOPS and 2.0 * seconds * slowing * pace > now * now
