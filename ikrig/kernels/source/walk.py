"""How figures move over the ground, and how the clips walk that they play.

Figures are Actors, or members of a crowd. What is horizontal is measured in a figure's
own space, along x and y.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from math import atan2, cos, exp, sin, sqrt

    from .buffers import doubles, floats, ints, pin
    from .clip_paces import PACE_SECONDS, PACED, follow_clips
    from .foot import Foot
    from .spring_damper import Spring

# numbers of a clip: its frames, its rate, its velocity on the ground, the index of its
# first row, -1: none, the number of rows of a foot, and the index of what hips, and
# then the heel of each foot, do in strides: in all frames and then in each of as many,
# for FACTORS of strides from -MOST to MOST
CLIP = 7
FACTORS = 13
MOST = 3.0
# numbers of a row: where the foot would be if it did not slide, what that takes, and
# what it takes of one that is set down flat, x and y each
ROW = 6
# numbers of a figure: whether its place is known, its place 3, its velocity 2, how fast
# it rises, velocity of its clips 2, their share, and that of those that do, or could
STATE = 11
# numbers of what turns: value and speed of its angle; the way 2, and mean speeds along
# the ground and up; or whether the legs walk backwards, and the angle asked for
TURN = 6
# a figure that moves this far in a frame is put there [leg lengths]
LEAP = 1.0
# speed below which a figure, or a clip, stands [leg lengths a second]
STANDS = 0.15
# frame from which on a clip is not where it says
LATEST = 1e9
# how far beyond a right angle it begins, and ends, to walk backwards [rad]
FLIPS = 0.17
# factor of the time in which hips turn back where a figure stops
STEPS = 2.5
# how fast feet step round where a figure stands, and as it walks: at most [leg lengths
# / s], and by how fast its clips walk
SLOWEST = 0.33
FASTEST = 1.2
ROUND = 0.5
# slope from which a trunk leans no further [rad]
STEEPEST = 0.7
PI = 3.141592653589793


class WalkKernel:
    """Measures the walks of figures, frame by frame.

    Args:
        feet: Number of feet of a figure.
        frame: Axes x and y of a figure in the skeleton's space, 3 each; the vertical
            there, a unit vector, 3; the size of its unit there; the length of its
            longest leg; its middle, 2; and what each foot is led about, 2 a foot; all
            but the axes in its own space.
        world: Its matrix in the world, in rows, 16; may be changed at any time.
        state: ``STATE`` numbers a figure.
    """

    def __init__(self, feet, frame, world, state):
        self.feet = feet
        self._pinned = [pin({"frame": frame, "world": world, "state": state})]
        self.frame = doubles(frame)
        self.world = floats(world)
        self.state = doubles(state)
        self.leg = frame[10]
        self.slots = 0
        self.moved_x = self.moved_y = self.climb = 0.0
        self.own_x = self.own_y = self.share = self.strides = 0.0

    def use(self, slots, clips, rows, playing):
        """Set what plays from now on.

        Args:
            slots: Number of clips that a figure may play at a time.
            clips: ``CLIP`` numbers a clip.
            rows: Of each clip and foot a row for each frame.
            playing: Of all slots of all figures: "clip" that plays, "time" [frames],
                and "weight", 0 where none does; "paced", ``PACED`` numbers each.
        """
        self.slots = slots
        self._pinned[1:] = [pin({"clips": clips, "rows": rows, **playing})]
        self.clips = doubles(clips)
        self.rows = doubles(rows)
        self.clip = ints(playing["clip"])
        self.time = doubles(playing["time"])
        self.weight = doubles(playing["weight"])
        self.paced = doubles(playing["paced"])

    def reset(self, i):
        """Forget what a figure did."""
        o = STATE * i
        for k in range(STATE):
            self.state[o + k] = 0.0
        for k in range(self.slots * i, self.slots * (i + 1)):
            self.paced[PACED * k] = -1.0
        self.load(i)

    def load(self, i):
        """Make a figure the current one, whose walk the attributes tell."""
        s = self.state
        o = STATE * i
        self.moved_x = s[o + 4]
        self.moved_y = s[o + 5]
        self.climb = s[o + 6]
        self.own_x = s[o + 7]
        self.own_y = s[o + 8]
        self.share = s[o + 9]
        self.strides = s[o + 10]

    def step(self, i, dt):
        """Measure a frame of dt seconds, of figure i."""
        s = self.state
        w = self.world
        o = STATE * i
        self.load(i)
        x = w[12] - s[o + 1]
        y = w[13] - s[o + 2]
        z = w[14] - s[o + 3]
        known = s[o]
        s[o] = 1.0
        for k in range(3):
            s[o + 1 + k] = w[12 + k]
        if known == 0.0 or not dt > 0.0:
            return
        # by Cramer's rule, in the figure's own space
        ax = 1.0 * w[5] * w[10] - 1.0 * w[6] * w[9]
        ay = 1.0 * w[6] * w[8] - 1.0 * w[4] * w[10]
        az = 1.0 * w[4] * w[9] - 1.0 * w[5] * w[8]
        size = w[0] * ax + w[1] * ay + w[2] * az
        if size == 0.0:
            return
        bx = 1.0 * w[9] * w[2] - 1.0 * w[10] * w[1]
        by = 1.0 * w[10] * w[0] - 1.0 * w[8] * w[2]
        bz = 1.0 * w[8] * w[1] - 1.0 * w[9] * w[0]
        cx = 1.0 * w[1] * w[6] - 1.0 * w[2] * w[5]
        cy = 1.0 * w[2] * w[4] - 1.0 * w[0] * w[6]
        cz = 1.0 * w[0] * w[5] - 1.0 * w[1] * w[4]
        u = (x * ax + y * ay + z * az) / size
        v = (x * bx + y * by + z * bz) / size
        z = (x * cx + y * cy + z * cz) / size
        far = LEAP * self.leg
        if not u * u + v * v + z * z < far * far:
            return
        part = 1.0 - exp(-dt / PACE_SECONDS)
        self.moved_x += (u / dt - self.moved_x) * part
        self.moved_y += (v / dt - self.moved_y) * part
        self.climb += (z / dt - self.climb) * part
        self.measure(i, dt)
        s[o + 4] = self.moved_x
        s[o + 5] = self.moved_y
        s[o + 6] = self.climb
        s[o + 7] = self.own_x
        s[o + 8] = self.own_y
        s[o + 9] = self.share
        s[o + 10] = self.strides

    def measure(self, i, dt):
        """Measure how fast clips walk that have moved on by dt seconds."""
        clips = self.clips
        first: cython.int = self.slots * i
        last: cython.int = first + self.slots
        follow_clips(
            self.paced, self.clip, self.time, self.weight, clips, CLIP, first, last, dt
        )
        total = walks = could = x = y = 0.0
        for k in range(first, last):
            weight = self.weight[k]
            if not weight > 0.0:
                continue
            c = self.clip[k]
            rate = self.paced[PACED * k + 3]
            total += weight
            if self.walks(c):
                could += weight
            own = rate / clips[CLIP * c + 1] if clips[CLIP * c + 1] > 0.0 else rate
            u = own * clips[CLIP * c + 2]
            v = own * clips[CLIP * c + 3]
            if u * u + v * v > STANDS * STANDS * self.leg * self.leg:
                walks += weight
                x += weight * u
                y += weight * v
        self.own_x = x / walks if walks > 0.0 else 0.0
        self.own_y = y / walks if walks > 0.0 else 0.0
        self.share = walks / total if walks > 0.0 else 0.0
        self.strides = could / total if could > 0.0 else 0.0

    def walks(self, c):
        """Return whether a clip walks, played at its own rate."""
        x = self.clips[CLIP * c + 2]
        y = self.clips[CLIP * c + 3]
        return x * x + y * y > STANDS * STANDS * self.leg * self.leg

    def moves(self):
        """Return whether the figure moves over the ground."""
        far = STANDS * self.leg
        return self.moved_x * self.moved_x + self.moved_y * self.moved_y > far * far

    def pace(self):
        """Return how fast feet step round: by how clips walk [leg lengths / s]."""
        pace = sqrt(self.own_x * self.own_x + self.own_y * self.own_y) / self.leg
        return SLOWEST + self.strides * (min(FASTEST, ROUND * pace) - SLOWEST)

    def lead(self, i, flat, out):
        """Write how far each foot is from what it is led about, and what it slides by.

        Args:
            i: The figure.
            flat: Whether feet are set down flat, 0 to 1.
            out: Out: 4 numbers a foot: how far it would be if it did not slide in its
                clips, and what that takes, x and y each.
        """
        rows = self.rows
        total = 0.0
        for k in range(4 * self.feet):
            out[k] = 0.0
        for s in range(self.slots * i, self.slots * (i + 1)):
            weight = self.weight[s]
            time = self.time[s]
            c: cython.int = CLIP * self.clip[s]
            count: cython.int = int(self.clips[c + 5])
            if not (weight > 0.0 and -LATEST < time < LATEST):
                continue
            total += weight
            # feet that stand are not led
            if count < 1 or not self.walks(self.clip[s]):
                continue
            whole: cython.int = int(time)
            past = time - whole
            for n in range(2):
                row: cython.int = (whole + n) % count
                if row < 0:
                    row += count
                # the frame before, then the one after
                part = weight * (1.0 - n + (2.0 * n - 1.0) * past)
                r: cython.int = int(self.clips[c + 4])
                r += ROW * row
                for f in range(self.feet):
                    for k in range(2):
                        slip = rows[r + 2 + k]
                        slip += flat * (rows[r + 4 + k] - slip)
                        out[4 * f + 2 + k] += part * slip
                        far = rows[r + k] - self.frame[13 + 2 * f + k]
                        out[4 * f + k] += part * far
                    r += ROW * count
        for k in range(4 * self.feet):
            if total > 0.0:
                out[k] /= total

    def planned(self, i, what, factor, now):
        """Return what hips or a heel do for a factor of strides.

        Args:
            i: The figure.
            what: 0: how low hips are, in its own space; else how far the heel of foot
                ``what`` - 1 goes up [rad].
            factor: The factor.
            now: Whether to return by how much it differs now from all frames.
        """
        rows = self.rows
        column = (max(-MOST, min(MOST, factor)) + MOST) * (FACTORS - 1) / (2.0 * MOST)
        at: cython.int = int(column)
        at = min(at, FACTORS - 2)
        column -= at
        total = found = 0.0
        for s in range(self.slots * i, self.slots * (i + 1)):
            weight = self.weight[s]
            time = self.time[s]
            c: cython.int = CLIP * self.clip[s]
            count: cython.int = int(self.clips[c + 5])
            if not (weight > 0.0 and -LATEST < time < LATEST):
                continue
            total += weight
            if count < 1:
                continue
            first: cython.int = int(self.clips[c + 6])
            first += what * FACTORS * (count + 1) + at
            usual = rows[first] + column * (rows[first + 1] - rows[first])
            if not now:
                found += weight * usual
                continue
            whole: cython.int = int(time)
            past = time - whole
            for n in range(2):
                row: cython.int = (whole + n) % count
                if row < 0:
                    row += count
                r: cython.int = first + FACTORS * (row + 1)
                # the frame before, then the one after
                part = weight * (1.0 - n + (2.0 * n - 1.0) * past)
                found += part * (rows[r] + column * (rows[r + 1] - rows[r]) - usual)
        return found / total if total > 0.0 else 0.0

    def way(self, x, y, out, o):
        """Write a way on the ground in the skeleton's space; return its length there.

        Args:
            x, y: The way, in the figure's own space.
            out, o: Out: 3 numbers.
        """
        frame = self.frame
        far = 0.0
        for k in range(3):
            out[o + k] = x * frame[k] + y * frame[3 + k]
            far += out[o + k] * out[o + k]
        return sqrt(far)


class TurnKernel:
    """Turns joints of figures by an angle that follows how they move.

    Args:
        figure: The pose.
        walk: The ``WalkKernel``.
        joints: Those that turn: hips and spine, or spine and neck.
        parts: By which part of the angle each turns.
        middle: What hips turn about, in the skeleton's space, 3; the vertical, 3; the
            largest acceleration [rad / s2], and what turns as fast as thighs go [1 /
            leg length]; and 3 of scratch.
        state: ``TURN`` numbers a figure.
    """

    def __init__(self, figure, walk, joints, parts, middle, state):
        self.figure = figure
        self.walk = walk
        self.count = len(joints)
        buffers = {"joints": joints, "parts": parts, "middle": middle, "state": state}
        self._pinned = pin(buffers)
        self.joints = ints(joints)
        self.parts = doubles(parts)
        self.middle = doubles(middle)
        self.state = doubles(state)
        self.spring = Spring()
        self.angle = self.pace = self.goal = 0.0

    def reset(self, i):
        """Turn a figure's joints back at once."""
        for k in range(TURN):
            self.state[TURN * i + k] = 0.0
        self.angle = self.pace = self.goal = 0.0

    def backwards(self, i):
        """Return whether the legs of a figure walk backwards."""
        return self.state[TURN * i + 2] > 0.0

    def follow(self, i, wanted, seconds, most, dt):
        """Turn the angle of a figure to another one.

        Args:
            i: The figure.
            wanted: The angle [rad].
            seconds: Time in which it turns, if it can [s].
            most: Its largest speed [rad / s].
            dt: Length of the frame [s].
        """
        s = self.state
        o = TURN * i
        before = self.spring.value = s[o]
        speed = self.spring.speed = s[o + 1]
        self.spring.step(wanted, seconds, dt)
        if dt > 0.0:
            # as far as it can still brake
            hard = self.middle[6]
            most = min(most, sqrt(2.0 * hard * abs(wanted - before)))
            now = max(-most, min(most, self.spring.speed))
            now = max(speed - hard * dt, min(speed + hard * dt, now))
            if now != self.spring.speed:
                self.spring.speed = now
                self.spring.value = before + 0.5 * (speed + now) * dt
            self.pace = (self.spring.value - before) / dt
        self.angle = s[o] = self.spring.value
        self.goal = wanted
        s[o + 1] = self.spring.speed

    def heads(self, i, most, seconds, weight, dt):
        """Turn hips into the way of a figure, and the spine back.

        Args:
            i: The self.figure.
            most: How far the hips turn at most [rad].
            seconds: Time in which they turn [s].
            weight: Of the effect, 0 to 1.
            dt: Length of the frame [s].
        """
        n = self.state
        q = TURN * i
        if self.walk.share > 0.0 and self.walk.moves():
            wanted = atan2(
                self.walk.moved_y * self.walk.own_x
                - self.walk.moved_x * self.walk.own_y,
                self.walk.moved_x * self.walk.own_x
                + self.walk.moved_y * self.walk.own_y,
            )
            beyond = (wanted if wanted > 0.0 else -wanted) - 0.5 * PI
            if beyond > FLIPS or beyond < -FLIPS:
                n[q + 2] = 1.0 if beyond > 0.0 else 0.0
            if n[q + 2] > 0.0:
                wanted -= PI if wanted > 0.0 else -PI
            n[q + 3] = wanted
        # what stands is not turned; a walk that is held stays as it is
        wanted = self.walk.strides * max(-most, min(most, n[q + 3]))
        if abs(wanted) < abs(n[q]):
            # feet that stop have to step back
            seconds *= STEPS - (STEPS - 1.0) * self.walk.strides
        self.follow(i, wanted, seconds, self.middle[7] * self.walk.pace(), dt)
        angle = self.angle * weight
        if not (1e-6 < angle < 10.0 or -10.0 < angle < -1e-6):
            return
        m = self.middle
        ux, uy, uz = m[3], m[4], m[5]
        self.rotate(angle, ux, uy, uz)
        c = cos(angle) - 1.0
        s = sin(angle)
        net = self.figure.net
        for j in range(self.count):
            if self.parts[j] != 1.0:
                continue
            # what carries legs moves about the middle
            o = self.figure.at(self.joints[j]) + 9
            x, y, z = net[o] - m[0], net[o + 1] - m[1], net[o + 2] - m[2]
            k = c * (x * ux + y * uy + z * uz)
            self.figure.slide(
                self.joints[j],
                c * x - k * ux + s * (uy * z - uz * y),
                c * y - k * uy + s * (uz * x - ux * z),
                c * z - k * uz + s * (ux * y - uy * x),
            )

    def leans(self, i, uphill, downhill, seconds, weight, dt):
        """Lean the spine of a figure into the slope of its way.

        Args:
            i: The figure.
            uphill: Lean / slope where it goes up.
            downhill: The same where it goes down.
            seconds: Time in which it leans [s].
            weight: Of the effect, 0 to 1.
            dt: Length of the frame [s].
        """
        s = self.state
        o = TURN * i
        wanted = 0.0
        if self.walk.moves():
            # the way stays while it stops
            s[o + 2] = self.walk.moved_x
            s[o + 3] = self.walk.moved_y
            # stairs are climbed in jumps
            share = 1.0 - exp(-dt / max(seconds, 1e-9))
            pace = sqrt(
                self.walk.moved_x * self.walk.moved_x
                + self.walk.moved_y * self.walk.moved_y
            )
            s[o + 4] += (pace - s[o + 4]) * share
            s[o + 5] += (self.walk.climb - s[o + 5]) * share
            slope = max(-STEEPEST, min(STEEPEST, atan2(s[o + 5], s[o + 4])))
            wanted = slope * (uphill if slope > 0.0 else downhill)
        self.follow(i, wanted, seconds, FASTEST * self.middle[7], dt)
        angle = self.angle * weight
        if not (1e-6 < angle < 10.0 or -10.0 < angle < -1e-6):
            return
        m = self.middle
        far = self.walk.way(s[o + 2], s[o + 3], m, 8)
        if not far > 0.0:
            return
        x, y, z = m[8] / far, m[9] / far, m[10] / far
        ux, uy, uz = m[3], m[4], m[5]
        self.rotate(angle, uy * z - uz * y, uz * x - ux * z, ux * y - uy * x)

    def rotate(self, angle, x, y, z):
        """Rotate all joints by their parts of an angle about an axis of length 1."""
        for k in range(self.count):
            half = 0.5 * self.parts[k] * angle
            s = sin(half)
            self.figure.turn(self.joints[k], cos(half), s * x, s * y, s * z)

    def tell(self, feet, weight):
        """Tell where feet will land that turn with the hips.

        Args:
            feet: The ``Foot`` of each foot, or None.
            weight: Of the effect, 0 to 1.
        """
        for foot in feet:
            if foot is not None:
                self.tell_foot(foot, weight)
        return 0

    def tell_foot(self, foot: Foot, weight):
        """Tell where a foot will land that turns with the hips."""
        f = self.walk.frame
        w = self.walk.world
        foot.plan.turn = self.pace * weight
        x = f[11] * w[0] + f[12] * w[4] + w[12]
        y = f[11] * w[1] + f[12] * w[5] + w[13]
        u = foot.plan.x - x
        v = foot.plan.y - y
        turned = self.angle_in(foot.plan.left) * weight
        c = cos(turned)
        s = sin(turned)
        foot.plan.x = x + c * u - s * v
        foot.plan.y = y + s * u + c * v
        u += foot.plan.way_x
        v += foot.plan.way_y
        turned = self.angle_in(foot.plan.left + foot.plan.half) * weight
        c = cos(turned)
        s = sin(turned)
        foot.plan.way_x = x + c * u - s * v - foot.plan.x
        foot.plan.way_y = y + s * u + c * v - foot.plan.y

    def angle_in(self, seconds):
        """Return the angle after a time, as fast as it turns now."""
        left = self.goal - self.angle
        far = self.pace * seconds
        if left > 0.0:
            return self.angle + max(0.0, min(left, far))
        return self.angle + min(0.0, max(left, far))
