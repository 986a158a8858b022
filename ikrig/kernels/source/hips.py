"""Hips that feet carry: they rise and sink with the ground that these stand on."""

from __future__ import annotations

import cython

if not cython.compiled:
    from math import sqrt

    from .buffers import objects
    from .foot import Foot
    from .foot_ground import GroundKernel
    from .leg import Leg
    from .sole import LEG, ORIGIN, RISE
    from .spring_damper import SpringDamper
    from .swing import SETTLED

# maximum acceleration of hips [leg lengths / s2]
MAX_ACCELERATION = 11.0
# how far the hips hang below the line through the footholds at most [leg lengths]
MAX_SAG = 0.1
# factor of the settling time while a standing leg pulls the hips down
PULLED = 0.6
# how far they may go beyond their height before they brake harder [leg lengths]
OVERSHOOT = 0.1
# time over which the speed of the ground below them is averaged [s]
PACE_SECONDS = 0.1
# time for which a leg that stretches is looked ahead [s]
LEAD = 0.02
# speed at which hips sink for a foot that lands, on top of the ramp [leg lengths / s]
LANDING = 0.4
# how much a standing leg could still stretch then [leg lengths]
SPARE = 0.015
# how far before and behind the ground is looked at for its slope: at least so far [leg
# lengths], and as far as the figure goes in this time [s]; number of points on a side;
# settling time of the slope [s]
SIGHT = 0.8
FORESIGHT = 0.35
POINTS_PER_SIDE = 4
RAMP_SECONDS = 0.2
# speed below which the slope is kept [leg lengths / s]
MIN_SPEED = 0.05


class Hips:
    """A joint that carries legs, raised and lowered with the ground.

    Their height follows the line through the footholds, and lies below it where a leg
    would be too short to reach the lower one.

    Args:
        joint: Its index.
        legs: The legs that it carries, ``Leg``.
    """

    def __init__(self, joint, legs):
        self.joint = joint
        self.legs = tuple(legs)
        self.feet = tuple(leg.foot for leg in legs)
        self.count = len(legs)
        self.limb = objects(self.legs)
        self.foot = objects(self.feet)
        self.first = self.feet[0].sole
        self.height = SpringDamper()
        self.ramp_x = SpringDamper()
        self.ramp_y = SpringDamper()
        self.sag = SpringDamper()
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""
        self.up = self.lowest = self.pace = 0.0
        self.has_height = self.has_read = 0
        self.x = self.y = self.from_x = self.from_y = self.to_x = self.to_y = 0.0
        self.limit = 1e300
        self.height.reset(0.0)
        self.sag.reset(0.0)

    def read(self, net):
        """Read where the joint is at the end of the frame."""
        j: cython.int = 16 * self.joint + 12
        self.to_x = net[j]
        self.to_y = net[j + 1]
        if not self.has_read:
            self.end_frame()
        self.has_read = 1

    def end_frame(self):
        """Store where the joint is as the start of the next frame."""
        self.from_x = self.to_x
        self.from_y = self.to_y

    def advance(self, ground: GroundKernel, until, part, seconds, dt):
        """Advance by a part of the frame, after the feet.

        Args:
            ground: The ground.
            until: The time, as a fraction of the frame; 1 is its end.
            part: Fraction of the frame since the last call.
            seconds: Settling time of the height [s].
            dt: Time since the last call [s].
        """
        x = self.from_x + until * (self.to_x - self.from_x)
        y = self.from_y + until * (self.to_y - self.from_y)
        self.survey(ground, x, y, until, part, dt)
        self.follow(x, y, seconds, dt)

    def survey(self, ground: GroundKernel, x, y, until, part, dt):
        """Find the overall slope of the ground along the path: stairs are a ramp.

        Args:
            ground: The ground.
            x: Position of the hips, seen from above.
            y: As ``x``.
            until: The time, as a fraction of the frame; 1 is its end.
            part: Fraction of the frame since the last call.
            dt: Time since the last call [s].
        """
        now = self.first.now
        if not self.first.has_before or not self.has_height:
            self.ramp_x.reset(now[RISE])
            self.ramp_y.reset(now[RISE + 1])
        else:
            ux = now[ORIGIN] - self.first.before[ORIGIN]
            uy = now[ORIGIN + 1] - self.first.before[ORIGIN + 1]
            ux -= cython.cast(Foot, self.foot[0]).carried_x
            uy -= cython.cast(Foot, self.foot[0]).carried_y
            distance = sqrt(ux * ux + uy * uy)
            gx = self.ramp_x.goal
            gy = self.ramp_y.goal
            if part * distance > MIN_SPEED * now[LEG] * dt:
                ux /= distance
                uy /= distance
                sight = FORESIGHT * cython.cast(Foot, self.foot[0]).pace.figure_speed
                slope = self.slope_along(ground, x, y, ux, uy, sight, until)
                gx = slope * ux
                gy = slope * uy
            self.ramp_x.step(gx, RAMP_SECONDS, dt)
            self.ramp_y.step(gy, RAMP_SECONDS, dt)
        for k in range(self.count):
            cython.cast(Foot, self.foot[k]).sole.set_ramp(
                self.ramp_x.value, self.ramp_y.value
            )

    def slope_along(self, ground: GroundKernel, x, y, ux, uy, sight, until):
        """Return the ground's mean slope along a direction, both ways so far."""
        k: cython.int
        leg = self.first.now[LEG]
        step = self.first.step_height * leg
        spacing = SIGHT * leg / POINTS_PER_SIDE
        if sight > SIGHT * leg:
            # the steepest ground rises by a step between two points at most
            most = step / (self.first.steepest + 1e-300)
            spacing = max(spacing, min(sight / POINTS_PER_SIDE, most))
        # from the figure's origin to below its hips, then on to both sides
        from_x = self.first.interpolated(ORIGIN, until)
        from_y = self.first.interpolated(ORIGIN + 1, until)
        level = self.first.interpolated(ORIGIN + 2, until)
        dx = x - from_x
        dy = y - from_y
        count: cython.int = int(min(8.0, sqrt(dx * dx + dy * dy) / spacing))
        for k in range(count + 1):
            fraction = k / (count + 1.0)
            px = from_x + fraction * dx
            py = from_y + fraction * dy
            if (
                ground.find_level(px, py, level + step)
                and ground.height >= level - step
            ):
                level = ground.height
        n = st = sh = stt = sth = 0.0
        for side in range(2):
            signed_spacing = spacing if side == 0 else -spacing
            height = level
            for k in range(side, POINTS_PER_SIDE + 1):
                t = signed_spacing * k
                if not ground.find_level(x + t * ux, y + t * uy, height + step):
                    break
                if ground.height < height - step:
                    break
                height = ground.height
                # farther points weigh less, and so appear and vanish more smoothly
                w = 1.0 - k / (POINTS_PER_SIDE + 1.0)
                n += w
                st += w * t
                sh += w * (height - level)
                stt += w * t * t
                sth += w * t * (height - level)
        spread = n * stt - st * st
        if n < 2.0 or not spread > 0.0:
            return 0.0
        slope = (n * sth - st * sh) / spread
        return max(-self.first.steepest, min(self.first.steepest, slope))

    def follow(self, x, y, seconds, dt):
        """Advance by a time.

        Args:
            x: Position of the hips, seen from above.
            y: As ``x``.
            seconds: Settling time of their height [s].
            dt: Time since the last call [s].
        """
        self.line = self.shift = self.step = 0.0
        self.reach = self.landing = self.slack = 1e300
        self.fold = -1e300
        for k in range(self.count):
            self.ask(
                cython.cast(Leg, self.limb[k]), cython.cast(Foot, self.foot[k]),
                x, y, seconds,
            )  # fmt: skip
        leg = self.leg
        plane = self.plane
        line = self.line
        shift = self.shift
        step = self.step
        limit = self.reach
        deep: cython.double = 0.0
        for k in range(self.count):
            rest = cython.cast(Foot, self.foot[k]).rest_z
            other = (line * self.count - rest) / max(self.count - 1, 1)
            end = cython.cast(Foot, self.foot[k]).end_height()
            deep = max(deep, 0.5 * abs(other - end))
        sag = min(MAX_SAG * leg, max(0.0, deep - self.slack))
        lowest = self.first.ramp_height(x, y)
        goal = line
        if not self.has_height:
            self.height.reset(min(goal, limit))
            self.sag.reset(goal - self.height.value)
            self.has_height = 1
        else:
            self.sag.step(sag, 0.5, dt)
            goal -= self.sag.value
            # a leg that stretches pulls in time
            if self.limit < 1e299 and limit < self.limit + shift and dt > 0.0:
                sunk = LEAD * (limit - self.limit - shift) / dt
                limit += max(sunk, -2.0 * SPARE * leg)
            self.limit = self.reach
            limit -= min(SPARE * leg, self.sag.value)
            goal = min(goal, self.landing)
            if limit < goal:
                # a leg that stands pulls them down
                goal = limit
                seconds *= PULLED
            goal = max(goal, self.fold)
            goal = max(lowest - step, min(lowest + step, goal))
            self.height.shift(shift)
            at = self.height.value
            speed = self.height.speed
            self.height.step(goal, seconds, dt)
            most: cython.double = MAX_ACCELERATION * leg * dt
            now: cython.double = self.height.speed
            if speed * (now - speed) < 0.0:
                # they don't go far beyond it
                away = goal - at if goal > at else at - goal
                away = max(away, OVERSHOOT * leg)
                most = max(most, 0.5 * speed * speed * dt / away)
            if abs(now - speed) > most:
                now = speed + (most if now > speed else -most)
                self.height.speed = now
                self.height.value = at + 0.5 * (speed + now) * dt
            if dt > 0.0:
                # ground that runs away takes them along in time: its mean, with stairs
                pace = (lowest - self.lowest - shift) / dt
                self.pace += (pace - self.pace) * dt / (dt + PACE_SECONDS)
                up = self.haste(lowest - step - at, self.pace - speed, dt)
                down = self.haste(at - lowest - step, speed - self.pace, dt)
                if up > 0.0:
                    now = max(now, speed + up)
                elif down > 0.0:
                    now = min(now, speed - down)
                if now != self.height.speed:
                    self.height.speed = now
                    self.height.value = at + 0.5 * (speed + now) * dt
            at = max(lowest - step, min(lowest + step, self.height.value))
            self.height.value = at
        self.lowest = lowest
        self.x = x
        self.y = y
        self.up = self.height.value - plane

    def haste(self, beyond, near, dt):
        """Return how much faster they must get so that a limit doesn't reach them.

        Nothing, as long as their usual acceleration is enough.

        Args:
            beyond: How far it is beyond them: less than 0.
            near: How fast it comes nearer.
            dt: Time since the last call [s].
        """
        if not near > 0.0:
            return 0.0
        need = 0.5 * near * near / max(-beyond, 0.5 * near * dt)
        return min(need * dt, near) if need > MAX_ACCELERATION * self.leg else 0.0

    def ask(self, limb: Leg, foot: Foot, x, y, seconds):
        """Ask a leg where it lets the hips be: narrow ``line`` to ``fold``.

        Args:
            limb: The leg.
            foot: Its foot.
            x: Position of the hips, seen from above.
            y: As ``x``.
            seconds: Settling time of their height [s].
        """
        self.leg = foot.sole.leg
        self.step = max(self.step, foot.sole.step_height * foot.sole.leg)
        self.plane = foot.sole.plane_height(x, y)
        ramp = self.ramp_x.value * (x - foot.rest_x)
        ramp += self.ramp_y.value * (y - foot.rest_y)
        self.line += (foot.rest_z + ramp) / self.count
        self.slack = min(self.slack, foot.slack)
        rise = self.ramp_x.value * (x - self.x - foot.swing.moved_x)
        rise += self.ramp_y.value * (y - self.y - foot.swing.moved_y)
        self.shift += (rise + foot.swing.moved_z) / self.count
        self.fold = max(self.fold, self.plane + limb.min_hip_rise())
        if foot.planted:
            self.reach = min(self.reach, self.plane + limb.max_hip_rise())
        elif foot.plan.state == 2 and not foot.swing.stepping:
            # low enough where it lands, sinking with the ramp and a bit faster
            rise = self.ramp_x.value * foot.pace.figure_x
            rise += self.ramp_y.value * foot.pace.figure_y
            most = (
                foot.swing.land_z + foot.land_slack - min(rise, 0.0) * foot.swing.left
            )
            lag = 2.0 * seconds / SETTLED
            most += LANDING * foot.sole.leg * max(0.0, foot.swing.left - lag)
            self.landing = min(self.landing, most)
