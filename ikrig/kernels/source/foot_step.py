# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""One foot of an animated figure on the ground: its path and its tilt."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import exp, sqrt, tan

    from .foot_hold import FREE_HEIGHT, HELD_HEIGHT, SETTLED, FootHoldKernel
    from .foot_pose import fall

COMPILED = cython.compiled

# ground this much lower than the highest under the foot tilts it 1/e as much [leg
# lengths]
TILT_DEPTH = 0.03
# number of points on a foot's path at which the ground is looked at
PATH_POINTS = 4
# least speed of a foot in the air [speed of the figure]
STRIDE_RATIO = 2.2
# maximum speed at which ground lifts a foot [leg lengths / s]
MAX_LIFT_SPEED = 2.2
# a foot supports the hips up to the first height, and no more from the second [leg
# lengths], unless it lands within the third time; from the fourth it does not count [s]
SUPPORT_HEIGHT = 0.028
LIFTED_HEIGHT = 0.052
LANDING_NEAR = 0.15
LANDING_FAR = 0.4
# number of bisections to find how far a foot can go before a step
BISECTIONS = 4


class FootStepKernel(FootHoldKernel):
    """A foot from frame to frame: it holds on, lets go, and steps onto the ground.

    In each piece of a frame ``aim`` cancels its animated movement while it stands, and
    ``settle`` puts it on the ground; ``place`` then moves points of the animated foot.
    """

    def reset(self):
        """Reset to the state before the first frame."""
        self.has_sole = 0
        self.at_start = 1
        self.contact_weight = 0.0
        self.sole_height = 0.0
        self.slope_x = self.slope_y = 0.0
        self.offset_x = self.offset_y = 0.0
        self.twist = 0.0
        self.has_mean_velocity = 0
        self.mean_velocity_x = self.mean_velocity_y = 0.0
        self.figure_speed = self.relative_speed = 0.0
        self.spot_x = self.spot_y = 0.0
        self.standing_time = 0.0
        self.stepping = -1.0
        self.lift = 0.0
        self.support = 1.0
        self.knee = 0.0
        self.bends = self.swings = 0
        self.swing_x = self.swing_y = self.swing_z = 0.0
        self.owner = -1
        self.level.reset(0.0)
        self.tilt_x.reset(0.0)
        self.tilt_y.reset(0.0)
        self.moved_x = self.moved_y = self.moved_z = 0.0
        self.discard_last_frame()

    def set_settings(self, step_height, max_tilt, lock, lock_distance, foot_seconds,
                     release_seconds, look_ahead):  # fmt: skip
        """Store the fields of ``FootSettings`` that concern a foot."""
        self.step_height = step_height
        self.steepest = tan(max_tilt)
        self.lock = lock
        self.lock_distance = lock_distance
        self.foot_seconds = foot_seconds
        self.release_seconds = release_seconds
        self.look_ahead = look_ahead

    # -- path --------------------------------------------------------------------------

    def aim(self, until, part, dt):
        """Advance to a time within the frame, holding on to the ground.

        Args:
            until: The time, as a fraction of the frame; 1 is its end.
            part: Fraction of the frame since the last call.
            dt: Time since the last call [s].
        """
        self.blend(until)
        self.paths = 0
        if not self.has_sole:
            self.slope_x = self.plane_x
            self.slope_y = self.plane_y
            self.has_sole = 1
            # its speed is not known yet: a foot that is down stands
            low = self.lowest / self.leg
            self.support = fall(low, SUPPORT_HEIGHT, LIFTED_HEIGHT)
            self.contact_weight = self.lock * fall(low, HELD_HEIGHT, FREE_HEIGHT)
            self.set_sole_rotation()
            self.move_corners()
            return
        self.moved_x = part * self.carried_x
        self.moved_y = part * self.carried_y
        self.moved_z = part * self.carried_z
        old_x = self.spot_x + self.moved_x
        old_y = self.spot_y + self.moved_y
        if dt > 0.0:
            self.hold_on(part * self.carried_yaw, dt)
        self.move_corners()
        # along a slope it rises and falls as it goes
        x = self.middle_x + self.offset_x
        y = self.middle_y + self.offset_y
        self.motion_x = x - old_x
        self.motion_y = y - old_y
        rise = self.climb(self.motion_x, self.motion_y)
        self.level.shift(rise + self.moved_z)
        self.sole_height += rise + self.moved_z
        if dt > 0.0:
            self.see_ahead(part, dt)

    def see_ahead(self, part, dt):
        """Find points on the path of a foot in the air, up to where it lands."""
        vx = self.motion_x / dt
        vy = self.motion_y / dt
        speed = sqrt(vx * vx + vy * vy)
        horizon = self.look_ahead
        sinking = (self.old_lowest - self.lowest) / dt
        support = fall(self.lowest / self.leg, SUPPORT_HEIGHT, LIFTED_HEIGHT)
        if sinking > 0.0:
            landing_time = max(self.lowest, 0.0) / sinking
            support = max(support, fall(landing_time, LANDING_NEAR, LANDING_FAR))
            if landing_time < horizon:
                horizon = landing_time
        self.support = support
        if sinking <= 0.0 and self.contact_weight < 0.5:
            # just off the ground it is slow yet, but will overtake the figure
            rx = (self.origin_x - self.last_x - self.moved_x) / dt
            ry = (self.origin_y - self.last_y - self.moved_y) / dt
            min_speed = STRIDE_RATIO * sqrt(rx * rx + ry * ry)
            if min_speed > speed:
                speed = min_speed
                vx = STRIDE_RATIO * rx
                vy = STRIDE_RATIO * ry
        if speed * dt < 1e-6 * self.leg:
            return
        ux = vx / speed
        uy = vy / speed
        x = self.middle_x + self.offset_x
        y = self.middle_y + self.offset_y
        self.climb_speed = self.climb(vx, vy)
        front = -1e300
        for i in range(self.count):
            distance = (self.corners[2 * i] - x) * ux + (
                self.corners[2 * i + 1] - y
            ) * uy
            front = max(front, distance)
        for k in range(PATH_POINTS):
            time = horizon * (k + 1) / PATH_POINTS
            distance = front + time * speed
            self.path[3 * k] = time
            self.path[3 * k + 1] = x + ux * distance
            self.path[3 * k + 2] = y + uy * distance
        self.paths = PATH_POINTS

    # -- ground ------------------------------------------------------------------------

    def survey_corners(self, ground):
        """Survey the ground under each corner; return the least height of the sole.

        -1e300 where there is no ground. ``floor`` is set to the highest ground.
        """
        max_step = self.step_height * self.leg
        floor = needed = -1e300
        self.owner = -1
        highest = -1e300
        for i in range(self.count):
            x = self.corners[2 * i]
            y = self.corners[2 * i + 1]
            top = self.ramp_height(x, y)
            self.found[i] = 0.0
            if not ground.find_ground(x, y, top + max_step):
                continue
            if not (abs(ground.height - top) <= max_step):
                continue
            self.found[i] = 1.0
            self.hits[3 * i] = ground.height
            self.hits[3 * i + 1] = ground.slope_x
            self.hits[3 * i + 2] = ground.slope_y
            if ground.height > highest:
                highest = ground.height
                self.owner = ground.owner
            height = self.floor_at(i)
            floor = max(floor, height)
            needed = max(needed, height - (self.heights[i] + self.lift))
        self.floor = floor
        return needed

    def floor_at(self, i):
        """Return the height of the sole on the ground that is under a corner."""
        return self.hits[3 * i] - self.rise(
            self.corners[2 * i], self.corners[2 * i + 1]
        )

    def settle(self, ground, dt):
        """Move the foot towards the ground it stands on, or on through the air."""
        needed = self.survey_corners(ground)
        max_rise = MAX_LIFT_SPEED * self.leg * dt
        if not self.at_start and self.contact_weight < 0.5 and dt > 0.0:
            allowed = max(self.level.value, self.sole_height) + max_rise
            x = self.offset_x - self.motion_x
            y = self.offset_y - self.motion_y
            max_offset = 1.5 * self.lock_distance * self.leg
            if (
                needed > allowed
                and x * x + y * y <= max_offset * max_offset
                and self.paths
            ):
                # a step in the way: wait before it until the foot is up
                step_top = self.floor
                fraction = 0.0
                for k in range(BISECTIONS + 1):
                    # the farthest it can go is found by bisection, the end is safe
                    half = 1.0 / (2 << k) if k < BISECTIONS else 0.0
                    self.offset_x = x + (fraction + half) * self.motion_x
                    self.offset_y = y + (fraction + half) * self.motion_y
                    self.move_corners()
                    needed = self.survey_corners(ground)
                    if needed <= allowed:
                        fraction += half
                self.paths = PATH_POINTS + 1
                self.path[3 * PATH_POINTS] = step_top
        self.incline(dt)
        floor = -1e300
        has_ground = 0
        for i in range(self.count):
            if self.found[i] > 0.0:
                has_ground = 1
                floor = max(floor, self.floor_at(i))
        x = self.middle_x + self.offset_x
        y = self.middle_y + self.offset_y
        if not has_ground:
            floor = self.plane_height(x, y)
        goal = floor
        # a step on the path: the foot must be up in time, with the time it takes
        rise_seconds = 2.0 * self.foot_seconds / SETTLED
        horizon = max(self.look_ahead, rise_seconds + 1e-6)
        step = self.step_height * self.leg
        for k in range(min(self.paths, PATH_POINTS)):
            px = self.path[3 * k + 1]
            py = self.path[3 * k + 2]
            top = self.ramp_height(px, py)
            if not ground.find_ground(px, py, top + step):
                continue
            if not (abs(ground.height - top) <= step):
                continue
            # a standing foot does not rise for it
            w = fall(self.contact_weight, 0.8, 1.0) * fall(
                self.path[3 * k], rise_seconds, horizon
            )
            # until then it rises with the ramp
            height_needed = ground.height - self.rise(px, py)
            height_needed -= self.path[3 * k] * self.climb_speed
            height_needed = floor + w * (height_needed - floor)
            goal = max(goal, height_needed)
        if self.paths > PATH_POINTS:
            goal = max(goal, self.path[3 * PATH_POINTS])
        before = self.sole_height
        if self.at_start:
            self.level.reset(goal)
        self.level.step(goal, self.foot_seconds, dt)
        height = self.level.value
        # never in the ground, except where steps come faster than a foot can rise
        for i in range(self.count):
            if self.found[i] > 0.0:
                height = max(height, self.floor_at(i) - (self.heights[i] + self.lift))
        if not self.at_start and dt > 0.0 and height > before + max_rise:
            height = max(self.level.value, before + max_rise)
        self.sole_height = height
        if height > self.level.value:
            # it drops no faster after it was lifted
            self.level.value = height
            self.level.speed = max(self.level.speed, 0.0)
        self.at_start = 0
        self.move_corners()
        self.spot_x = self.middle_x + self.offset_x
        self.spot_y = self.middle_y + self.offset_y
        self.end_piece()

    def incline(self, dt):
        """Tilt the sole gradually to the slope of the ground."""
        x = self.plane_x
        y = self.plane_y
        highest = -1e300
        for i in range(self.count):
            if self.found[i] > 0.0:
                highest = max(highest, self.floor_at(i))
        if highest > -1e300:
            x = y = total = 0.0
            for i in range(self.count):
                if self.found[i] > 0.0:
                    w = exp((self.floor_at(i) - highest) / (TILT_DEPTH * self.leg))
                    total += w
                    x += w * self.hits[3 * i + 1]
                    y += w * self.hits[3 * i + 2]
            x /= total
            y /= total
            slope = sqrt(x * x + y * y)
            if slope > self.steepest:
                x *= self.steepest / slope
                y *= self.steepest / slope
        if self.at_start:
            self.tilt_x.reset(x)
            self.tilt_y.reset(y)
        self.tilt_x.step(x, self.foot_seconds, dt)
        self.tilt_y.step(y, self.foot_seconds, dt)
        self.move_point_xy(self.bearing_x, self.bearing_y, self.bearing_z)
        x = self.out_x
        y = self.out_y
        self.slope_x = self.tilt_x.value
        self.slope_y = self.tilt_y.value
        self.set_sole_rotation()
        # a standing foot must not be moved by that
        self.move_point_xy(self.bearing_x, self.bearing_y, self.bearing_z)
        self.shift(
            self.contact_weight * (x - self.out_x),
            self.contact_weight * (y - self.out_y),
        )
