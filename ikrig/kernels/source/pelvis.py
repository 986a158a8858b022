# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""The hips that carry legs: their height for the feet to reach the ground."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import sqrt

    from .foot_ground import GroundKernel
    from .foot_pose import LEG, ORIGIN, RISE
    from .foot_step import FootStepKernel
    from .spring_damper import SpringDamper

COMPILED = cython.compiled

# maximum speed at which hips sink for a standing foot [leg lengths / s]
MAX_SINK_SPEED = 1.5
# least weight of a foot in the mean of their heights
MIN_SUPPORT = 0.02
# points before and behind at which the ground is looked at for its slope: distance
# [leg lengths] and number on a side; settling time of the slope [s]
SPACING = 0.2
POINTS_PER_SIDE = 4
RAMP_SECONDS = 0.3
# speed below which the slope is kept [leg lengths / s]
MIN_SPEED = 0.05


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
        self.has_height = 0
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
        if not foot.has_before or not self.has_height:
            self.ramp_x.reset(foot.now[RISE])
            self.ramp_y.reset(foot.now[RISE + 1])
        else:
            ux = foot.now[ORIGIN] - foot.before[ORIGIN] - foot.carried_x
            uy = foot.now[ORIGIN + 1] - foot.before[ORIGIN + 1] - foot.carried_y
            distance = sqrt(ux * ux + uy * uy)
            gx = self.ramp_x.goal
            gy = self.ramp_y.goal
            if part * distance > MIN_SPEED * leg * dt:
                ux /= distance
                uy /= distance
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
        spacing = SPACING * foot.now[LEG]
        # from the figure's origin to below its hips, then on to both sides
        from_x = foot.interpolated(ORIGIN, until)
        from_y = foot.interpolated(ORIGIN + 1, until)
        level = foot.interpolated(ORIGIN + 2, until)
        dx = x - from_x
        dy = y - from_y
        count: cython.int = int(min(8.0, sqrt(dx * dx + dy * dy) / spacing))
        for k in range(count + 1):
            fraction = k / (count + 1.0)
            px = from_x + fraction * dx
            py = from_y + fraction * dy
            if (
                ground.find_ground(px, py, level + step)
                and ground.height >= level - step
            ):
                level = ground.height
        n = st = sh = stt = sth = 0.0
        for side in range(2):
            signed_spacing = spacing if side == 0 else -spacing
            height = level
            for k in range(side, POINTS_PER_SIDE + 1):
                t = signed_spacing * k
                if not ground.find_ground(x + t * ux, y + t * uy, height + step):
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
        plane = ramp = goal = shift = max_step = total = 0.0
        max_rise = upper_limit = 1e300
        min_rise = -1e300
        for foot_object in self.feet:
            foot: FootStepKernel = foot_object
            plane = foot.plane_height(x, y)
            ramp = foot.ramp_height(x, y)
            spot_x = foot.middle_x + foot.offset_x
            spot_y = foot.middle_y + foot.offset_y
            weight = foot.support + MIN_SUPPORT
            total += weight
            goal += weight * (foot.sole_height - foot.plane_height(spot_x, spot_y))
            max_step = max(max_step, foot.step_height * foot.leg)
            foot.hip_limit = foot.max_hip_rise()
            max_rise = min(max_rise, foot.hip_limit)
            min_rise = max(min_rise, foot.min_hip_rise())
            # with a slope or a lift they go without delay
            shift += (
                foot.climb(x - self.x - foot.moved_x, y - self.y - foot.moved_y)
                + foot.moved_z
            ) / count
        goal /= total
        lowest = ramp - max_step
        highest = ramp + max_step
        goal = plane + min(goal, max(max_rise, min_rise))
        goal = max(lowest, min(highest, goal))
        at_start = not self.has_height
        if at_start:
            height.reset(goal)
            self.has_height = 1
        else:
            height.shift(shift)
        self.x = x
        self.y = y
        last = height.value
        height.step(goal, seconds, dt)
        # a standing foot pulls them down, at most at ``MAX_SINK_SPEED`` except at the
        # start: beyond that the foot leaves the ground
        for foot_object in self.feet:
            foot = foot_object
            pull = foot.contact_weight * foot.contact_weight
            limit = plane + foot.hip_limit
            if at_start:
                sunk = last + pull * (limit - last)
            else:
                sunk = last - MAX_SINK_SPEED * pull * foot.leg * dt
            upper_limit = min(upper_limit, max(limit, sunk))
        if height.value > upper_limit:
            height.value = upper_limit
            if dt > 0.0:
                # pulled, not thrown: they don't sink on once the foot lets go
                rate = max((upper_limit - last) / dt, 0.0)
                height.speed = min(height.speed, rate)
        if height.value > highest:
            height.value = highest
            height.speed = min(height.speed, 0.0)
        elif height.value < lowest:
            height.value = lowest
            height.speed = max(height.speed, 0.0)
        self.up = height.value - plane
        for foot_object in self.feet:
            foot = foot_object
            foot.limit_offset(self.up)
