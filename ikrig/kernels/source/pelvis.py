# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""The hips that carry legs: their height for the feet to reach the ground."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.foot_ground import GroundKernel
    from cython.cimports.ikrig.kernels.foot_pose import LEG, ORIGIN, RISE
    from cython.cimports.ikrig.kernels.foot_step import FootStepKernel
    from cython.cimports.ikrig.kernels.spring_damper import SpringDamper
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

    from .foot_ground import GroundKernel
    from .foot_pose import LEG, ORIGIN, RISE
    from .foot_step import FootStepKernel
    from .spring_damper import SpringDamper

COMPILED = cython.compiled

# maximum speed at which hips sink for a standing foot [leg lengths / s]
FASTEST = 1.5
# points before and behind at which the ground is looked at for its slope: distance
# [leg lengths] and number on a side; settling time of the slope [s]
SPACE = 0.2
SPOTS = 4
RAMP_SECONDS = 0.3
# speed below which the slope is kept [leg lengths / s]
SLOWEST = 0.05


class PelvisKernel:
    """A joint that carries legs, raised and lowered with the ground.

    Args:
        feet: The kernels of the feet that it carries.
    """

    def __init__(self, feet):
        self.feet = feet
        self.height = SpringDamper()
        self.ramp_x = SpringDamper()
        self.ramp_y = SpringDamper()
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""
        self.up = 0.0
        self.known = 0
        self.x = self.y = 0.0
        self.height.reset(0.0)

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
        foot: FootStepKernel = self.feet[0]
        leg = foot.now[LEG]
        if not foot.has_before or not self.known:
            self.ramp_x.reset(foot.now[RISE])
            self.ramp_y.reset(foot.now[RISE + 1])
        else:
            ux = foot.now[ORIGIN] - foot.before[ORIGIN] - foot.carried_x
            uy = foot.now[ORIGIN + 1] - foot.before[ORIGIN + 1] - foot.carried_y
            far = sqrt(ux * ux + uy * uy)
            gx = self.ramp_x.goal
            gy = self.ramp_y.goal
            if part * far > SLOWEST * leg * dt:
                ux /= far
                uy /= far
                slope = self.slope_along(ground, x, y, ux, uy, until)
                gx = slope * ux
                gy = slope * uy
            self.ramp_x.step(gx, RAMP_SECONDS, dt)
            self.ramp_y.step(gy, RAMP_SECONDS, dt)
        for foot_object in self.feet:
            foot = foot_object
            foot.surveyed = 1
            foot.ramp_x = self.ramp_x.value
            foot.ramp_y = self.ramp_y.value

    def slope_along(self, ground: GroundKernel, x, y, ux, uy, until):
        """Return the mean slope of the ground along a direction."""
        k: cython.int
        foot: FootStepKernel = self.feet[0]
        step = foot.step_height * foot.now[LEG]
        space = SPACE * foot.now[LEG]
        # from the figure's origin to below its hips, then on to both sides
        from_x = foot.interpolated(ORIGIN, until)
        from_y = foot.interpolated(ORIGIN + 1, until)
        level = foot.interpolated(ORIGIN + 2, until)
        dx = x - from_x
        dy = y - from_y
        count: cython.int = int(min(8.0, sqrt(dx * dx + dy * dy) / space))
        for k in range(count + 1):
            share = k / (count + 1.0)
            px = from_x + share * dx
            py = from_y + share * dy
            if (
                ground.find_ground(px, py, level + step)
                and ground.height >= level - step
            ):
                level = ground.height
        n = st = sh = stt = sth = 0.0
        for side in range(2):
            way = space if side == 0 else -space
            height = level
            for k in range(side, SPOTS + 1):
                t = way * k
                if not ground.find_ground(x + t * ux, y + t * uy, height + step):
                    break
                if ground.height < height - step:
                    break
                height = ground.height
                # farther points weigh less, and so appear and vanish more smoothly
                w = 1.0 - k / (SPOTS + 1.0)
                n += w
                st += w * t
                sh += w * (height - level)
                stt += w * t * t
                sth += w * t * (height - level)
        spread = n * stt - st * st
        if n < 2.0 or not spread > 0.0:
            return 0.0
        slope = (n * sth - st * sh) / spread
        return max(-foot.steepest, min(foot.steepest, slope))

    def follow(self, x, y, seconds, dt):
        """Advance by a time; feet that their legs can't reach let go.

        Args:
            x: Position of the hips, seen from above.
            y: As ``x``.
            seconds: Settling time of their height [s].
            dt: Time since the last call [s].
        """
        height = self.height
        count = len(self.feet)
        own = base = goal = shift = reach = 0.0
        most = least = 1e300
        folded = -1e300
        leg = 0.0
        for foot_object in self.feet:
            foot: FootStepKernel = foot_object
            own = foot.plane_height(x, y)
            base = foot.ramp_height(x, y)
            spot_x = foot.middle_x + foot.offset_x
            spot_y = foot.middle_y + foot.offset_y
            goal += (foot.sole_height - foot.plane_height(spot_x, spot_y)) / count
            if foot.leg > leg:
                leg = foot.leg
            if foot.step_height * foot.leg > reach:
                reach = foot.step_height * foot.leg
            high = foot.highest_hip()
            if high < most:
                most = high
            foot.high = high
            low = foot.lowest_hip()
            if low > folded:
                folded = low
            # with a slope or a lift they go without delay
            shift += (
                foot.climb(x - self.x - foot.moved_x, y - self.y - foot.moved_y)
                + foot.moved_z
            ) / count
        if most < goal:
            goal = max(most, min(goal, folded))
        goal = max(base - reach, min(base + reach, own + goal))
        if self.known:
            height.shift(shift)
        else:
            height.reset(goal)
            self.known = 1
        self.x = x
        self.y = y
        before = height.value
        height.step(goal, seconds, dt)
        # a standing foot pulls them down, at ``FASTEST`` at most: beyond that the foot
        # leaves the ground
        for foot_object in self.feet:
            foot = foot_object
            slow = before - FASTEST * foot.contact_weight * foot.leg * dt
            least = min(least, max(own + foot.high, slow))
        if height.value > least:
            height.value = least
            if dt > 0.0 and (least - before) / dt < height.speed:
                height.speed = max((least - before) / dt, -FASTEST * leg)
        if height.value > base + reach:
            height.value = base + reach
            height.speed = min(height.speed, 0.0)
        elif height.value < base - reach:
            height.value = base - reach
            height.speed = max(height.speed, 0.0)
        self.up = height.value - own
        for foot_object in self.feet:
            foot = foot_object
            foot.limit_offset(self.up)
