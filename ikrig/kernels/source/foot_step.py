# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""One foot of an animated figure on the ground: where it holds on, and how it lies."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.foot_pose import (
        TURN,
        FootPoseKernel,
        fall,
        shortest,
    )
    from cython.cimports.libc.math import acos, cos, exp, sqrt, tan
else:
    from math import acos, cos, exp, sqrt, tan

    from .foot_pose import TURN, FootPoseKernel, fall, shortest

COMPILED = cython.compiled

# a foot lower than the first holds on to the ground, one higher than the second does
# not [leg lengths]; the same of its speed against the ground [leg lengths / s]
LOW = 0.015
HIGH = 0.04
SLOW = 0.7
FAST = 1.7
# over which time a foot's speed is averaged [s]
MEMORY = 0.06
# ground lower than the highest under the foot by this tilts it less [leg lengths]
UNDER = 0.03
# in how many places the ground is looked at on a foot's way
AHEAD = 4
# how many times as fast as the figure a foot in the air goes, at least
STRIDE = 2.2
# fastest that ground lifts a foot [leg lengths / s]
CLIMB = 2.2
# share of the furthest offset and twist after which a foot begins to slip
SLACK = 0.6
# furthest that a foot may stay turned from its animation [rad]
TWIST = 1.0
# most of its length that a leg is stretched, unless it is animated so
STRAIGHT = 0.98
# a step on the spot: how long [s] and how high [leg lengths] it is
STEP_SECONDS = 0.45
STEP_HIGH = 0.05
# faster against its figure than this it is animated to walk [leg lengths / s]
STIR = 0.4
SETTLED = 4.744
# how often the way to a step is halved to find how far a foot can go
HALVES = 4
# how far a foot that is held pulls the hips down before it slips [leg lengths]
SINK = 0.1
# fastest that a knee bends on top of its animation [rad / s]
BEND = 8.0


def knee_angle(length, thigh, shin):
    """Return how far a knee is bent, 0 straight, from hip to ankle so far [rad]."""
    c = 2.0 * thigh * shin
    if not c > 0.0:
        return 0.0
    c = (length * length - thigh * thigh - shin * shin) / c
    if c >= 1.0:
        return 0.0
    if c <= -1.0:
        return 0.5 * TURN
    return acos(c)


class FootStepKernel(FootPoseKernel):
    """A foot from frame to frame: it holds on, lets go, and steps onto the ground.

    Each part of a frame ``aim`` moves it against its own movement, and ``settle`` puts
    it on what is below; ``place`` then moves points of the animated foot.
    """

    def reset(self):
        """Begin anew: what was before does not matter for the next frame."""
        self.known = 0
        self.begins = 1
        self.contact_weight = 0.0
        self.sole_height = 0.0
        self.slope_x = self.slope_y = 0.0
        self.offset_x = self.offset_y = 0.0
        self.twist = 0.0
        self.drifts = 0
        self.drift_x = self.drift_y = 0.0
        self.pace = self.stir = 0.0
        self.spot_x = self.spot_y = 0.0
        self.stood = 0.0
        self.stepping = -1.0
        self.lift = 0.0
        self.knee = 0.0
        self.bends = 0
        self.owner = -1
        self.level.reset(0.0)
        self.tilt_x.reset(0.0)
        self.tilt_y.reset(0.0)
        self.moved_x = self.moved_y = self.moved_z = 0.0
        self.forget()

    def set_settings(self, step_height, max_tilt, lock, lock_distance, foot_seconds,
                     release_seconds, look_ahead):  # fmt: skip
        """Take the fields of ``FootSettings`` that concern a foot."""
        self.step_height = step_height
        self.steepest = tan(max_tilt)
        self.lock = lock
        self.lock_distance = lock_distance
        self.foot_seconds = foot_seconds
        self.release_seconds = release_seconds
        self.look_ahead = look_ahead

    # -- how it is held ----------------------------------------------------------------

    def aim(self, until, part, dt):
        """Go on to a time within the frame, holding on to the ground.

        Args:
            until: The time, as a share of the frame; 1 is its end.
            part: How much of the frame has passed since the last such time.
            dt: The same [s].
        """
        self.blend(until)
        self.paths = 0
        if not self.known:
            self.slope_x = self.plane_x
            self.slope_y = self.plane_y
            self.known = 1
            self.lay()
            self.put_corners()
            return
        self.moved_x = part * self.carried_x
        self.moved_y = part * self.carried_y
        self.moved_z = part * self.carried_z
        old_x = self.spot_x + self.moved_x
        old_y = self.spot_y + self.moved_y
        if dt > 0.0:
            self.hold_on(part * self.carried_yaw, dt)
        self.put_corners()
        # along a slope it rises and falls as it goes
        x = self.middle_x + self.offset_x
        y = self.middle_y + self.offset_y
        self.way_x = x - old_x
        self.way_y = y - old_y
        rise = self.slope_x * self.way_x + self.slope_y * self.way_y
        self.level.shift(rise + self.moved_z)
        self.sole_height += rise + self.moved_z
        if dt > 0.0:
            self.see_ahead(part, dt)

    def hold_on(self, yaw, dt):
        """Move a foot that stands against its own movement."""
        # what bears now may not have before: half of each
        bx = by = bz = x = y = 0.0
        for i in range(self.count):
            w = 0.5 * (self.old_weights[i] + self.weights[i])
            bx += w * self.sole[3 * i]
            by += w * self.sole[3 * i + 1]
            bz += w * self.sole[3 * i + 2]
            x += w * self.corners[2 * i]
            y += w * self.corners[2 * i + 1]
        turned = shortest(self.heading - self.old_heading) - yaw
        self.spot_of(bx, by, bz)
        pace_x = (self.out_x - x - self.moved_x) / dt
        pace_y = (self.out_y - y - self.moved_y) / dt
        # an animation without frame blending jumps and waits: so also its mean counts
        late = exp(-dt / MEMORY)
        if self.drifts:
            self.drift_x = pace_x + (self.drift_x - pace_x) * late
            self.drift_y = pace_y + (self.drift_y - pace_y) * late
        else:
            self.drift_x = pace_x
            self.drift_y = pace_y
            self.drifts = 1
        # the figure's own speed, and the foot's against it
        rx = (self.origin_x - self.last_x - self.moved_x) / dt
        ry = (self.origin_y - self.last_y - self.moved_y) / dt
        self.pace += (sqrt(rx * rx + ry * ry) - self.pace) * (1.0 - late)
        rx = pace_x - rx
        ry = pace_y - ry
        self.stir += (sqrt(rx * rx + ry * ry) - self.stir) * (1.0 - late)
        now = sqrt(pace_x * pace_x + pace_y * pace_y)
        mean = sqrt(self.drift_x * self.drift_x + self.drift_y * self.drift_y)
        speed = (now if now < mean else mean) / self.leg
        low = fall(self.old_lowest / self.leg, LOW, HIGH)
        low += fall(self.lowest / self.leg, LOW, HIGH)
        grip = self.lock * fall(speed, SLOW, FAST) * 0.5 * low
        if self.stepping >= 0.0:
            self.step_back(dt)
            return
        self.contact_weight = grip
        self.stood = self.stood + dt if grip > 0.9 * self.lock and low > 1.9 else 0.0
        self.shift(-grip * pace_x * dt, -grip * pace_y * dt)
        # what turns while it stands turns about what bears
        self.spot_of(bx, by, bz)
        x = self.out_x
        y = self.out_y
        turned *= grip
        if turned * self.twist < 0.0:
            # away from the animation: too far and it slips
            turned *= fall(abs(self.twist), SLACK * TWIST, TWIST)
        self.twist = min(TWIST, max(-TWIST, self.twist - turned))
        self.lay()
        self.spot_of(bx, by, bz)
        self.shift(x - self.out_x, y - self.out_y)
        # what does not hold goes back to the animation
        if grip < 1.0:
            left = 0.0
            if self.release_seconds > 0.0:
                # on the ground that would be seen
                late = (grip - 1.0) * (1.0 - 0.4 * low)
                left = exp(late * SETTLED / self.release_seconds * dt)
            self.twist *= left
            self.offset_x *= left
            self.offset_y *= left
            self.lay()

    def shift(self, x, y):
        """Shift the foot; what would go too far slips."""
        a = self.offset_x
        b = self.offset_y
        if a * x + b * y > 0.0:
            most = self.leg * self.lock_distance
            held = 0.0
            if most > 0.0:
                held = fall(sqrt(a * a + b * b), SLACK * most, most)
            x *= held
            y *= held
        self.offset_x = a + x
        self.offset_y = b + y

    def wants_step(self):
        """Return how much it should step to where it is animated; 1 or more: now.

        It stands away from there for a while, and is not animated to walk.
        """
        if self.stepping >= 0.0 or self.lock <= 0.0 or self.stood < 0.3:
            return 0.0
        if self.stir > STIR * self.leg:
            return 0.0
        far = self.lock_distance * self.leg
        if far <= 0.0:
            return 0.0
        away = sqrt(self.offset_x * self.offset_x + self.offset_y * self.offset_y)
        if self.pace < 0.03 * self.leg and self.stood > 0.5:
            return max(away / (0.25 * far), abs(self.twist) / (0.25 * TWIST))
        return max(away / (0.8 * far), abs(self.twist) / (0.8 * TWIST))

    def begin_step(self):
        """Step to where the animation has it."""
        self.stepping = 0.0
        self.from_x = self.offset_x
        self.from_y = self.offset_y
        self.from_twist = self.twist
        self.contact_weight = 0.0
        self.stood = 0.0

    def step_back(self, dt):
        """Go on with a step on the spot."""
        self.contact_weight = 0.0
        self.stepping += dt / STEP_SECONDS
        u = self.stepping
        if u >= 1.0:
            u = 1.0
            self.stepping = -1.0
        left = 1.0 - u * u * (3.0 - 2.0 * u)
        self.offset_x = self.from_x * left
        self.offset_y = self.from_y * left
        self.twist = self.from_twist * left
        self.lift = 16.0 * u * u * (1.0 - u) * (1.0 - u) * STEP_HIGH * self.leg
        self.lay()

    def see_ahead(self, part, dt):
        """Find spots on the way of a foot in the air, as far as it comes there."""
        vx = self.way_x / dt
        vy = self.way_y / dt
        speed = sqrt(vx * vx + vy * vy)
        horizon = self.look_ahead
        sinking = (self.old_lowest - self.lowest) / dt
        if sinking > 0.0:
            left = max(self.lowest, 0.0) / sinking
            if left < horizon:
                horizon = left
        elif self.contact_weight < 0.5:
            # just off the ground it is slow yet, but will overtake the figure
            rx = (self.origin_x - self.last_x - self.moved_x) / dt
            ry = (self.origin_y - self.last_y - self.moved_y) / dt
            pace = STRIDE * sqrt(rx * rx + ry * ry)
            if pace > speed:
                speed = pace
                vx = STRIDE * rx
                vy = STRIDE * ry
        if speed * dt < 1e-6 * self.leg:
            return
        ux = vx / speed
        uy = vy / speed
        x = self.middle_x + self.offset_x
        y = self.middle_y + self.offset_y
        front = -1e300
        for i in range(self.count):
            far = (self.corners[2 * i] - x) * ux + (self.corners[2 * i + 1] - y) * uy
            if far > front:
                front = far
        for k in range(AHEAD):
            time = horizon * (k + 1) / AHEAD
            far = front + time * speed
            self.path[3 * k] = time
            self.path[3 * k + 1] = x + ux * far
            self.path[3 * k + 2] = y + uy * far
        self.paths = AHEAD

    # -- what it stands on -------------------------------------------------------------

    def look(self, ground):
        """Look at the ground under each corner; return how high the sole has to be.

        Far below all where there is none. ``floor`` is set to the highest ground.
        """
        most = self.step_height * self.leg
        floor = needed = -1e300
        self.owner = -1
        highest = -1e300
        for i in range(self.count):
            x = self.corners[2 * i]
            y = self.corners[2 * i + 1]
            top = self.plane_height(x, y)
            self.found[i] = 0.0
            if not ground.look(x, y, top + most):
                continue
            if not (abs(ground.height - top) <= most):
                continue
            self.found[i] = 1.0
            self.hits[3 * i] = ground.height
            self.hits[3 * i + 1] = ground.rise_x
            self.hits[3 * i + 2] = ground.rise_y
            if ground.height > highest:
                highest = ground.height
                self.owner = ground.owner
            over = ground.height - self.rise(x, y)
            if over > floor:
                floor = over
            over -= self.heights[i] + self.lift
            if over > needed:
                needed = over
        self.floor = floor
        return needed

    def settle(self, ground, dt):
        """Stand on the ground, or go on above it."""
        needed = self.look(ground)
        most = CLIMB * self.leg * dt
        if not self.begins and self.contact_weight < 0.5 and dt > 0.0:
            allowed = max(self.level.value, self.sole_height) + most
            x = self.offset_x - self.way_x
            y = self.offset_y - self.way_y
            far = 1.5 * self.lock_distance * self.leg
            if needed > allowed and x * x + y * y <= far * far and self.paths:
                # a step in the way: wait before it until the foot is up
                climbs = self.floor
                share = 0.0
                for k in range(HALVES + 1):
                    # the furthest it can go is found by halving, the end is safe
                    half = 1.0 / (2 << k) if k < HALVES else 0.0
                    self.offset_x = x + (share + half) * self.way_x
                    self.offset_y = y + (share + half) * self.way_y
                    self.put_corners()
                    needed = self.look(ground)
                    if needed <= allowed:
                        share += half
                self.paths = AHEAD + 1
                self.path[3 * AHEAD] = climbs
        self.incline(dt)
        floor = -1e300
        any_found = 0
        for i in range(self.count):
            if self.found[i] > 0.0:
                any_found = 1
                over = self.hits[3 * i] - self.rise(
                    self.corners[2 * i], self.corners[2 * i + 1]
                )
                if over > floor:
                    floor = over
        x = self.middle_x + self.offset_x
        y = self.middle_y + self.offset_y
        if not any_found:
            floor = self.plane_height(x, y)
        goal = floor
        # a step on the way: by when the foot must be up, seen from how long it takes
        late = 2.0 * self.foot_seconds / SETTLED
        far = max(self.look_ahead, late + 1e-6)
        step = self.step_height * self.leg
        for k in range(min(self.paths, AHEAD)):
            px = self.path[3 * k + 1]
            py = self.path[3 * k + 2]
            top = self.plane_height(px, py)
            if not ground.look(px, py, top + step):
                continue
            if not (abs(ground.height - top) <= step):
                continue
            w = fall(self.path[3 * k], late, far)
            over = floor + w * (ground.height - self.rise(px, py) - floor)
            if over > goal:
                goal = over
        if self.paths > AHEAD and self.path[3 * AHEAD] > goal:
            goal = self.path[3 * AHEAD]
        before = self.sole_height
        if self.begins:
            self.level.reset(goal)
        self.level.step(goal, self.foot_seconds, dt)
        height = self.level.value
        # never in the ground, but for steps that are quicker than a foot is
        for i in range(self.count):
            if self.found[i] > 0.0:
                over = self.hits[3 * i] - self.rise(
                    self.corners[2 * i], self.corners[2 * i + 1]
                )
                over -= self.heights[i] + self.lift
                if over > height:
                    height = over
        if not self.begins and dt > 0.0 and height > before + most:
            height = max(self.level.value, before + most)
        self.sole_height = height
        self.begins = 0
        self.put_corners()
        self.spot_x = self.middle_x + self.offset_x
        self.spot_y = self.middle_y + self.offset_y
        self.keep()

    def incline(self, dt):
        """Lay the sole on the ground, by and by."""
        x = self.plane_x
        y = self.plane_y
        best = -1e300
        for i in range(self.count):
            if self.found[i] > 0.0:
                top = self.hits[3 * i] - self.rise(
                    self.corners[2 * i], self.corners[2 * i + 1]
                )
                if top > best:
                    best = top
        if best > -1e300:
            x = y = whole = 0.0
            for i in range(self.count):
                if self.found[i] > 0.0:
                    top = self.hits[3 * i] - self.rise(
                        self.corners[2 * i], self.corners[2 * i + 1]
                    )
                    w = exp((top - best) / (UNDER * self.leg))
                    whole += w
                    x += w * self.hits[3 * i + 1]
                    y += w * self.hits[3 * i + 2]
            x /= whole
            y /= whole
            steep = sqrt(x * x + y * y)
            if steep > self.steepest:
                x *= self.steepest / steep
                y *= self.steepest / steep
        if self.begins:
            self.tilt_x.reset(x)
            self.tilt_y.reset(y)
        self.tilt_x.step(x, self.foot_seconds, dt)
        self.tilt_y.step(y, self.foot_seconds, dt)
        self.spot_of(self.bearing_x, self.bearing_y, self.bearing_z)
        x = self.out_x
        y = self.out_y
        self.slope_x = self.tilt_x.value
        self.slope_y = self.tilt_y.value
        self.lay()
        # what stands must not be moved by that
        self.spot_of(self.bearing_x, self.bearing_y, self.bearing_z)
        self.shift(
            self.contact_weight * (x - self.out_x),
            self.contact_weight * (y - self.out_y),
        )

    # -- within reach ------------------------------------------------------------------

    def longest(self):
        """Return how far the ankle may be from the hip [units]."""
        x = self.ankle_x - self.hip_x
        y = self.ankle_y - self.hip_y
        z = self.ankle_z - self.hip_z
        return max(sqrt(x * x + y * y + z * z), STRAIGHT * self.leg)

    def hip_height(self, held):
        """Return how far the hip may go up until the leg is at its longest [units].

        Args:
            held: Share of the offset that is kept: 0 where the animation has the foot,
                1 where it is held.
        """
        self.place(self.ankle_x, self.ankle_y, self.ankle_z)
        x = self.out_x - (1.0 - held) * self.offset_x - self.hip_x
        y = self.out_y - (1.0 - held) * self.offset_y - self.hip_y
        far = self.longest()
        high = far * far - x * x - y * y
        return self.out_z + sqrt(high if high > 0.0 else 0.0) - self.hip_z

    def highest_hip(self):
        """Return how far the hip may go up for the sake of this foot [units].

        A foot that is held may pull it down by ``SINK`` and no more: else it slips. For
        one in the air, which will come down with a leg as long as it is animated, hips
        must be as low as the ground there is lower.
        """
        free = self.hip_height(0.0) - SINK * self.leg
        held = self.hip_height(1.0)
        if free > held:
            held = free
        x = self.middle_x + self.offset_x
        y = self.middle_y + self.offset_y
        landed = self.sole_height - self.plane_height(x, y)
        return landed + self.contact_weight * (held - landed)

    def bend(self, up, thigh, shin, dt):
        """Keep the ankle in reach, and the knee from bending faster than ``BEND``.

        That is on top of its animation. The ankle stays on its line from the hip.

        Args:
            up: How much higher the hip is than in the animation [units].
            thigh: Length of the first bone [units]; 0: of all bones but the last.
            shin: Length of the last one.
            dt: Time since the last call [s]; 0: it may bend at once.

        Returns:
            Share of the way from hip to ankle: 1 where it is as it should be.
        """
        self.place(self.ankle_x, self.ankle_y, self.ankle_z)
        x = self.out_x - self.hip_x
        y = self.out_y - self.hip_y
        z = self.out_z - self.hip_z - up
        far = sqrt(x * x + y * y + z * z)
        if not far > 1e-9 * self.leg:
            return 1.0
        most = self.longest()
        length = far if far < most else most
        x = self.ankle_x - self.hip_x
        y = self.ankle_y - self.hip_y
        z = self.ankle_z - self.hip_z
        own = knee_angle(sqrt(x * x + y * y + z * z), thigh, shin)
        knee = knee_angle(length, thigh, shin) - own
        if self.bends and dt > 0.0:
            room = BEND * dt
            if knee > self.knee + room:
                knee = self.knee + room
            elif knee < self.knee - room:
                knee = self.knee - room
            bent = own + knee
            if bent < 0.0:
                bent = 0.0
            # the animation may have straightened it meanwhile
            allowed = sqrt(thigh * thigh + shin * shin + 2.0 * thigh * shin * cos(bent))
            length = allowed if allowed < most else most
            knee = knee_angle(length, thigh, shin) - own
        self.knee = knee
        self.bends = 1
        return length / far

    def let_go(self, up):
        """Slip as far as the leg would have to be too long.

        Args:
            up: How much higher the hip is than in the animation [units].
        """
        self.place(self.ankle_x, self.ankle_y, self.ankle_z)
        p = self.offset_x
        q = self.offset_y
        # from the hip to where the ankle would be without the offset
        a = self.out_x - p - self.hip_x
        b = self.out_y - q - self.hip_y
        c = self.out_z - self.hip_z - up
        far = self.longest()
        flat = far * far - c * c
        away = (a + p) * (a + p) + (b + q) * (b + q)
        free = a * a + b * b
        if away <= flat:
            return
        if free < away:
            # the longest part of the offset that ends on the circle of the reach
            size = p * p + q * q
            along = a * p + b * q
            inside = along * along - size * (free - flat)
            held = 0.0
            if free < flat and inside > 0.0:
                held = min(1.0, max(0.0, (sqrt(inside) - along) / size))
            self.offset_x = held * p
            self.offset_y = held * q
            self.contact_weight *= held
        self.put_corners()
        self.spot_x = self.middle_x + self.offset_x
        self.spot_y = self.middle_y + self.offset_y
