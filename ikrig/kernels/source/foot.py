"""One foot of an animated figure: it stands where it landed, or swings to its foothold.

The animation walks on a plane. ``offset``, ``twist``, ``level`` and slope say where the
plane under this foot is: all points of the animated foot move with it. While the foot
stands they change so that it stays; while it swings they go, eased by the time that is
left, to what they are at the foothold, which is predicted and looked at before.
"""

import cython

if not cython.compiled:
    from math import cos, exp, sin, sqrt, tan

    from .buffers import doubles, pin
    from .spring_damper import SpringDamper

# a corner this much higher than the lowest one bears 1/e as much [leg lengths]
CONTACT = 0.006
TURN = 6.283185307179586
# indices of a pose: hip, ankle, origin of the plane that the figure walks on, its rise
# along x and y, heading, length of the leg; corners of the sole follow
HIP = 0
ANKLE = 3
ORIGIN = 6
RISE = 9
HEADING = 11
LEG = 12
SOLE = 13
# maximum number of a sole's corners
CORNERS = 16
# a foot lower than the first begins to stand, one higher than the second does no more
# [leg lengths]; the same for its speed over the ground [leg lengths / s]
HELD_HEIGHT = 0.015
FREE_HEIGHT = 0.035
HELD_SPEED = 0.8
FREE_SPEED = 1.5
# speed beyond which a foot that stands by the clip's plan does no more [speed of the
# clip]
PLANNED_SPEED = 1.25
# time over which speeds are averaged, and for which a clip that moved a foot counts as
# moving it [s]
MEAN_SECONDS = 0.06
STIRS = 0.4
# maximum twist of a foot from its animation [rad]
MAX_TWIST = 1.0
# a step on the spot: how long it takes, and at least where the foot is soon beyond its
# distance again [s]; how high it is [leg lengths]
STEP_SECONDS = 0.45
QUICK_STEP = 0.4
STEP_HEIGHT = 0.05
# part of its time in which it only goes up, or down
STEP_RISES = 0.12
# how far ahead such a step goes at most, and after how much it begins once the figure
# stands, slower than the last [leg lengths / s], and how far it may be away just before
# its clip lifts it; parts of what a foot may be away
STEP_AHEAD = 0.5
STRETCHED = 1.25
SETTLES = 0.25
STANDS = 0.03
# part of the distance to which a foot is held after which it steps, once the figure
# walks and no clip alone says when
EARLY = 0.2
# speed relative to the figure above which a foot is animated to walk [leg lengths / s]
WALK_SPEED = 0.4
# time for which a foot has stood that may step [s]
STOOD = 0.2
# rate times seconds after which a critically damped spring has 5 % of a distance left
SETTLED = 4.744
# ground this much lower than the highest under the foot tilts it 1/e as much, and the
# slope of a point counts as much as its height this far away [leg lengths]
TILT_DEPTH = 0.03
# least height of an edge that is avoided [leg lengths], and number of bisections to
# find it
EDGE = 0.06
EDGE_BISECTIONS = 8
# number of stretches of a foot's way between which the ground is looked at
STRETCHES = 9
# number of bisections to find how far a foot can go before a step
BISECTIONS = 4
# height over edges on the way [leg lengths]
CLEARANCE = 0.02
# least height in a swing of the clip [leg lengths], beyond this time at both ends [s]
DRAGGED = 0.016
DRAG_SECONDS = 0.06
# maximum height above the ground from which a foot that is to stand is put down
# [leg lengths]
MAX_PRESS = 0.06
# speed below which it does not leave yet [leg lengths / s]
RESTS = 0.1
# least speed of a foot just off the ground [speed of the figure]
STRIDE_RATIO = 2.2
# maximum speed at which ground lifts a foot [leg lengths / s], and how far in the time
# of a swing, or as fast as the clip walks [leg lengths]
MAX_LIFT_SPEED = 2.2
LIFT = 1.1
# part of a swing in which it gets so fast
GENTLE = 0.1
# maximum extension of a leg [its length], unless it is animated longer
MAX_EXTENSION = 0.98
# length of a foot [leg lengths] beyond which distances count by the foot: figures may
# have feet longer than their legs
FOOT = 0.35
LONG = 2.0
# part of its clip's speed from which a figure goes as fast as its clip
FITS = 0.75
# how far a clip slides in half a stance before footholds are moved [leg lengths]
SLIDES = 0.1


def fall(value, low, high):
    """Return a smooth step from 1 at ``low`` down to 0 at ``high``."""
    fraction = (high - value) / (high - low)
    if fraction >= 1.0:
        return 1.0
    if fraction > 0.0:
        return fraction * fraction * (3.0 - 2.0 * fraction)
    return 0.0


def ease(fraction):
    """Return a smooth step from 0 at 0 up to 1 at 1."""
    return 1.0 - fall(fraction, 0.0, 1.0)


def shortest(angle):
    """Return an angle, less whole turns, within half a turn of 0 [rad]."""
    while angle > 0.5 * TURN:
        angle -= TURN
    while angle < -0.5 * TURN:
        angle += TURN
    return angle


def turned(x, y, z, vx, vy, vz, k):
    """Return a vector rotated by 1 + [v] + k [v]², with v the axis times the sine.

    With k = 1 / (1 + cosine) that is the smallest rotation between two directions
    whose cross product is v.
    """
    tx = vy * z - vz * y
    ty = vz * x - vx * z
    tz = vx * y - vy * x
    return (
        x + tx + k * (vy * tz - vz * ty),
        y + ty + k * (vz * tx - vx * tz),
        z + tz + k * (vx * ty - vy * tx),
    )


class Foot:
    """A foot from frame to frame.

    In each piece of a frame ``advance`` moves it; ``placed`` then tells where points of
    the animated foot are. Its ``Leg`` brings the ankle there.

    Args:
        count: Number of the sole's corners, up to ``CORNERS``.
        now: Buffer of ``SOLE + 3 count``: this frame's pose, world space.
    """

    def __init__(self, count, now):
        self.count = count
        self._pinned = pin({"now": now})
        self.now = doubles(now)
        self.size = SOLE + 3 * count
        # compiled these are arrays of the object
        if not cython.compiled:
            self.before = [0.0] * self.size
            self.sole = [0.0] * (3 * count)
            self.heights = [0.0] * count
            self.weights = [0.0] * count
            self.old_weights = [0.0] * count
            self.corners = [0.0] * (2 * count)
            self.found = [0.0] * count
            self.hits = [0.0] * (3 * count)
            self.footprint = [0.0] * (2 * count)
        self.level = SpringDamper()
        self.press = SpringDamper()
        self.tilt_x = SpringDamper()
        self.tilt_y = SpringDamper()
        self.set_settings(0.5, 0.7, 1.0, 0.3, 0.15, 0.35, 0.25)
        self.carried_x = self.carried_y = self.carried_z = self.carried_yaw = 0.0
        self.lowest = self.heading = self.old_heading = self.old_lowest = 0.0
        self.last_x = self.last_y = self.origin_x = self.origin_y = 0.0
        self.leg = self.floor = self.hold = 0.0
        # height of that plane above the figure's origin
        self.stance = 0.0
        self.ramp_x = self.ramp_y = 0.0
        self.surveyed = 0
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""
        self.at_start = 1
        self.planted = self.stepping = self.alone = 0
        self.plan = 0
        self.plan_left = self.plan_end = self.plan_whole = self.plan_x = self.plan_y = (
            0.0
        )
        self.plan_half = self.way_x = self.way_y = self.aim_x = self.aim_y = 0.0
        self.beside = self.beside_x = self.beside_y = 0.0
        self.contact_weight = 0.0
        self.sole_height = self.lift = self.flying_time = 0.0
        self.press.reset(0.0)
        self.slope_x = self.slope_y = 0.0
        self.offset_x = self.offset_y = self.twist = 0.0
        self.progress = self.left = self.standing_time = self.begun = 0.0
        self.start_x = self.start_y = self.start_z = 0.0
        self.land_x = self.land_y = self.land_z = self.land_time = 0.0
        self.land_front = self.land_back = self.under = 0.0
        self.rest_x = self.rest_y = self.rest_z = 0.0
        self.spot_x = self.spot_y = 0.0
        self.has_mean_velocity = 0
        self.mean_velocity_x = self.mean_velocity_y = 0.0
        self.speed_x = self.speed_y = 0.0
        self.figure_x = self.figure_y = 0.0
        self.figure_speed = self.relative_speed = 0.0
        self.figure_turn = self.mean_turn = self.aim_twist = 0.0
        self.spin_x = self.spin_y = self.rises = self.stirred = 0.0
        self.slack = self.least_slack = 0.0
        # as they are where it lands
        self.land_slack = 1e300
        self.flatness = 1e300
        self.owner = -1
        self.level.reset(0.0)
        self.tilt_x.reset(0.0)
        self.tilt_y.reset(0.0)
        self.moved_x = self.moved_y = self.moved_z = 0.0
        self.has_before = 0

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

    # -- pose --------------------------------------------------------------------------

    def end_frame(self):
        """Store this frame's pose as the last one."""
        for k in range(self.size):
            self.before[k] = self.now[k]
        self.has_before = 1

    def interpolated(self, k, until):
        """Return number k of the pose at a time between two frames."""
        b = self.now[k]
        if self.has_before and until < 1.0:
            a = self.before[k]
            return a + (b - a) * until
        return b

    def blend(self, until):
        """Set the pose at a time between the last frame (0) and this one (1)."""
        now = self.now
        self.hip_x = self.interpolated(HIP, until)
        self.hip_y = self.interpolated(HIP + 1, until)
        self.hip_z = self.interpolated(HIP + 2, until)
        self.ankle_x = self.interpolated(ANKLE, until)
        self.ankle_y = self.interpolated(ANKLE + 1, until)
        self.ankle_z = self.interpolated(ANKLE + 2, until)
        self.origin_x = self.interpolated(ORIGIN, until)
        self.origin_y = self.interpolated(ORIGIN + 1, until)
        self.origin_z = self.interpolated(ORIGIN + 2, until)
        self.plane_x = now[RISE]
        self.plane_y = now[RISE + 1]
        self.heading = now[HEADING]
        if self.has_before and until < 1.0:
            rotation = shortest(self.heading - self.before[HEADING])
            self.heading = self.before[HEADING] + until * rotation
        self.leg = now[LEG]
        n = self.count
        x = y = 0.0
        self.lowest = 1e300
        for i in range(n):
            for k in range(3):
                self.sole[3 * i + k] = self.interpolated(SOLE + 3 * i + k, until)
            x += self.sole[3 * i]
            y += self.sole[3 * i + 1]
            self.heights[i] = self.sole[3 * i + 2] - self.plane_height(
                self.sole[3 * i], self.sole[3 * i + 1]
            )
            if self.heights[i] < self.lowest:
                self.lowest = self.heights[i]
        self.middle_x = x / n
        self.middle_y = y / n
        total = 0.0
        for i in range(n):
            w = exp((self.lowest - self.heights[i]) / (CONTACT * self.leg))
            self.weights[i] = w
            total += w
        self.bearing_x = self.bearing_y = self.bearing_z = 0.0
        for i in range(n):
            w = self.weights[i] / total
            self.weights[i] = w
            self.bearing_x += w * self.sole[3 * i]
            self.bearing_y += w * self.sole[3 * i + 1]
            self.bearing_z += w * self.sole[3 * i + 2]

    def plane_height(self, x, y):
        """Return the height of the plane that the animation walks on at a point."""
        return (
            self.origin_z
            + self.stance
            + self.plane_x * (x - self.origin_x)
            + self.plane_y * (y - self.origin_y)
        )

    def ramp_height(self, x, y):
        """Return the height of the ground at a point, with stairs as a ramp."""
        if not self.surveyed:
            return self.plane_height(x, y) - self.stance
        return (
            self.origin_z
            + self.ramp_x * (x - self.origin_x)
            + self.ramp_y * (y - self.origin_y)
        )

    def rise(self, x, y):
        """Return the height of the sole at a point, above that of its middle."""
        return self.slope_x * (x - self.middle_x - self.offset_x) + self.slope_y * (
            y - self.middle_y - self.offset_y
        )

    def set_sole_rotation(self):
        """Set the rotation from the animation's plane to the sole's, after the twist.

        The smallest one between their normals.
        """
        a = self.plane_x
        b = self.plane_y
        m = 1.0 / sqrt(1.0 + a * a + b * b)
        ax = -a * m
        ay = -b * m
        az = m
        a = self.slope_x
        b = self.slope_y
        m = 1.0 / sqrt(1.0 + a * a + b * b)
        bx = -a * m
        by = -b * m
        bz = m
        x = ay * bz - az * by
        y = az * bx - ax * bz
        z = ax * by - ay * bx
        k = 1.0 / (1.0 + ax * bx + ay * by + az * bz)
        c = cos(self.twist)
        s = sin(self.twist)
        self.t0, self.t3, self.t6 = turned(c, s, 0.0, x, y, z, k)
        self.t1, self.t4, self.t7 = turned(-s, c, 0.0, x, y, z, k)
        self.t2, self.t5, self.t8 = turned(0.0, 0.0, 1.0, x, y, z, k)

    def turn_sole(self, x, y, z, k):
        """Rotate the sole further, see ``turned``."""
        self.t0, self.t3, self.t6 = turned(self.t0, self.t3, self.t6, x, y, z, k)
        self.t1, self.t4, self.t7 = turned(self.t1, self.t4, self.t7, x, y, z, k)
        self.t2, self.t5, self.t8 = turned(self.t2, self.t5, self.t8, x, y, z, k)

    def placed(self, x, y, z):
        """Return where a point of the animated foot is."""
        x -= self.middle_x
        y -= self.middle_y
        z -= self.plane_height(self.middle_x, self.middle_y)
        return (
            self.middle_x + self.offset_x + self.t0 * x + self.t1 * y + self.t2 * z,
            self.middle_y + self.offset_y + self.t3 * x + self.t4 * y + self.t5 * z,
            self.sole_height + self.lift + self.t6 * x + self.t7 * y + self.t8 * z,
        )

    def move_corners(self):
        """Set ``corners`` to the sole's corners, moved and seen from above."""
        for i in range(self.count):
            self.corners[2 * i], self.corners[2 * i + 1], _ = self.placed(
                self.sole[3 * i], self.sole[3 * i + 1], self.sole[3 * i + 2]
            )

    # -- what a figure tells and asks its feet -----------------------------------------

    def begin_frame(self, turn, dt):
        """Begin a frame of dt seconds, in which the figure turns at a speed [rad/s]."""
        # the plan is that of the frame's end
        self.plan_end = self.plan_left
        self.plan_left += dt
        self.figure_turn = turn

    def begin_piece(self, standing, dt):
        """Begin a piece of a frame, at whose start that many feet stand."""
        self.alone = 1 if standing == self.planted else 0
        self.plan_left = max(self.plan_left - dt, 0.0)

    def set_ramp(self, x, y):
        """Tell the overall slope of the ground."""
        self.surveyed = 1
        self.ramp_x = x
        self.ramp_y = y

    def end_height(self):
        """Return how high the foot stands, or is to land."""
        return self.rest_z if self.planted else self.land_z

    def is_held(self):
        """Return whether the clip holds it up: it does not come down soon."""
        return 1 if self.rests() and self.left <= 0.0 else 0

    def way_back(self, x, y):
        """Return how much its way to where it is animated leads to a point: up to 1."""
        dx = x - self.middle_x - self.offset_x
        dy = y - self.middle_y - self.offset_y
        size = self.offset_x * self.offset_x + self.offset_y * self.offset_y
        size = sqrt(size * (dx * dx + dy * dy)) + 1e-9 * self.leg * self.leg
        return (dx * self.offset_x + dy * self.offset_y) / size

    # -- standing and swinging ---------------------------------------------------------

    def advance(self, ground, until, part, dt):
        """Advance to a time within the frame.

        Args:
            ground: The ground.
            until: The time, as a fraction of the frame; 1 is its end.
            part: Fraction of the frame since the last call.
            dt: Time since the last call [s].
        """
        self.blend(until)
        if self.at_start:
            self.begin(ground)
        else:
            self.carry(part)
            if dt > 0.0:
                self.move(part * self.carried_yaw, dt)
            self.move_corners()
            self.find_foothold(ground, dt)
            self.settle(ground, dt)
        for i in range(self.count):
            self.old_weights[i] = self.weights[i]
        self.old_lowest = self.lowest
        self.old_heading = self.heading
        self.last_x = self.origin_x
        self.last_y = self.origin_y
        self.spot_x = self.middle_x + self.offset_x
        self.spot_y = self.middle_y + self.offset_y
        self.keep_footprint()
        self.rest()

    def begin(self, ground):
        """Put the foot on the ground where it is animated."""
        self.slope_x = self.plane_x
        self.slope_y = self.plane_y
        self.set_sole_rotation()
        self.move_corners()
        square = 0.0
        for i in range(self.count):
            for k in range(i):
                x = self.sole[3 * i] - self.sole[3 * k]
                y = self.sole[3 * i + 1] - self.sole[3 * k + 1]
                z = self.sole[3 * i + 2] - self.sole[3 * k + 2]
                square = max(square, x * x + y * y + z * z)
        self.hold = max(self.leg, min(sqrt(square) / FOOT, LONG * self.leg))
        # its speed is not known yet: a foot that is down stands
        self.planted = 1 if self.lowest < FREE_HEIGHT * self.leg else 0
        self.contact_weight = self.lock * self.planted
        self.relative_speed = self.leg
        self.progress = 1.0
        self.survey(ground)
        self.find_slope()
        self.incline(0.0)
        self.survey(ground)
        x = self.middle_x
        y = self.middle_y
        self.level.reset(self.floor if self.has_ground else self.plane_height(x, y))
        self.sole_height = max(self.level.value, self.needed)
        self.start_x = self.land_x = x
        self.start_y = self.land_y = y
        self.start_z = self.land_z = self.under = self.sole_height
        self.least_slack = self.slack = 1e300
        self.move_corners()
        self.print_heading = self.heading
        for i in range(self.count):
            self.footprint[2 * i] = self.corners[2 * i] - x
            self.footprint[2 * i + 1] = self.corners[2 * i + 1] - y
        self.at_start = 0

    def carry(self, part):
        """Move all that is kept with what the foot stands on."""
        self.moved_x = part * self.carried_x
        self.moved_y = part * self.carried_y
        self.moved_z = part * self.carried_z
        self.start_x += self.moved_x
        self.start_y += self.moved_y
        self.start_z += self.moved_z
        self.land_x += self.moved_x
        self.land_y += self.moved_y
        self.level.shift(self.moved_z)
        self.sole_height += self.moved_z

    def move(self, yaw, dt):
        """Hold a standing foot against its animation, or swing it on."""
        # the corners that bear change: use the mean of old and new weights
        bx = by = bz = x = y = 0.0
        for i in range(self.count):
            w = 0.5 * (self.old_weights[i] + self.weights[i])
            bx += w * self.sole[3 * i]
            by += w * self.sole[3 * i + 1]
            bz += w * self.sole[3 * i + 2]
            x += w * self.corners[2 * i]
            y += w * self.corners[2 * i + 1]
        rotation = shortest(self.heading - self.old_heading) - yaw
        dx, dy, _ = self.placed(bx, by, bz)
        # how far the animation moves it over what it is on
        dx = dx - x - self.moved_x
        dy = dy - y - self.moved_y
        self.measure_speeds(dx / dt, dy / dt, yaw / dt, dt)
        stands = self.wants_to_stand(dt)
        if self.stepping:
            stands = 0
        if stands and not self.planted:
            self.planted = 1
            self.standing_time = 0.0
            self.progress = 1.0
            self.lift = 0.0
            self.least_slack = 1e300
            self.land_x = self.middle_x + self.offset_x - self.lock * dx
            self.land_y = self.middle_y + self.offset_y - self.lock * dy
        elif self.planted and not stands:
            dragged: cython.bint = self.lowest < FREE_HEIGHT * self.leg
            dragged = dragged and self.lock > 0.0 and self.standing_time >= STOOD
            if self.plan == 0 and dragged and not self.alone:
                # a blend of clips would drag it
                self.begin_step()
            else:
                self.release()
        self.contact_weight = self.lock * self.planted
        if self.planted:
            self.standing_time += dt
            before = sqrt(self.offset_x * self.offset_x + self.offset_y * self.offset_y)
            self.offset_x -= self.lock * dx
            self.offset_y -= self.lock * dy
            # a standing foot turns about the point that bears
            x, y, _ = self.placed(bx, by, bz)
            twist = self.twist - self.lock * rotation
            self.twist = min(MAX_TWIST, max(-MAX_TWIST, twist))
            self.set_sole_rotation()
            at_x, at_y, _ = self.placed(bx, by, bz)
            self.offset_x += x - at_x
            self.offset_y += y - at_y
            # beyond its distance it slips
            most = self.lock_distance * self.leg
            if self.plan == 1 and self.figure_speed > FITS * self.clip_speed():
                most = self.lock_distance * self.hold
            if self.plan == 1 and self.plan_left < self.step_seconds():
                # the clip lifts it soon
                most *= STRETCHED
            # what it may be away goes down no faster than the foot comes back
            most = max(most, before)
            away = sqrt(self.offset_x * self.offset_x + self.offset_y * self.offset_y)
            remaining = 1.0 if away <= most else most / away
            if self.lock < 1.0:
                rate = (self.lock - 1.0) * SETTLED / max(self.release_seconds, 1e-3)
                remaining *= exp(rate * dt)
                self.twist *= remaining
            self.land_x += (remaining - 1.0) * self.offset_x
            self.land_y += (remaining - 1.0) * self.offset_y
            self.offset_x *= remaining
            self.offset_y *= remaining
        else:
            self.standing_time = 0.0
            self.flying_time += dt
            self.fly(dx + self.moved_x, dy + self.moved_y, dt)
        self.set_sole_rotation()

    def measure_speeds(self, x, y, yaw, dt):
        """Measure the speeds of the foot over the ground and of the figure.

        Args:
            x, y: Velocity of the animated foot over the ground [units / s].
            yaw: How fast the ground turns [rad / s].
            dt: Time since the last call [s].
        """
        decay = exp(-dt / MEAN_SECONDS)
        if not self.has_mean_velocity:
            self.mean_velocity_x = x
            self.mean_velocity_y = y
            self.has_mean_velocity = 1
        self.mean_velocity_x = x + (self.mean_velocity_x - x) * decay
        self.mean_velocity_y = y + (self.mean_velocity_y - y) * decay
        self.speed_x = x
        self.speed_y = y
        rx = (self.origin_x - self.last_x - self.moved_x) / dt
        ry = (self.origin_y - self.last_y - self.moved_y) / dt
        self.figure_x = rx + (self.figure_x - rx) * decay
        self.figure_y = ry + (self.figure_y - ry) * decay
        self.figure_speed += (sqrt(rx * rx + ry * ry) - self.figure_speed) * (
            1.0 - decay
        )
        # a figure that turns takes its feet along
        turn = self.figure_turn - yaw
        away_x = self.middle_x - self.origin_x
        away_y = self.middle_y - self.origin_y
        rx = x - rx + turn * away_y
        ry = y - ry - turn * away_x
        # for a while after the clip moved it, too: it may only turn round
        self.stirred *= exp(-dt / STIRS)
        self.stirred = max(self.stirred, self.relative_speed)
        self.mean_turn = turn + (self.mean_turn - turn) * decay
        self.spin_x = -self.mean_turn * away_y
        self.spin_y = self.mean_turn * away_x
        change = (sqrt(rx * rx + ry * ry) - self.relative_speed) * (1.0 - decay)
        # a late frame does not tell that a foot is held still
        if change > 0.0 or dt < MEAN_SECONDS:
            self.relative_speed += change

    def wants_to_stand(self, dt):
        """Return whether the foot is to stand, by the clip's plan or as it moves."""
        # an animation without frame blending jumps and waits: its mean counts, too
        x = self.speed_x - self.spin_x
        y = self.speed_y - self.spin_y
        speed = x * x + y * y
        x = self.mean_velocity_x - self.spin_x
        y = self.mean_velocity_y - self.spin_y
        speed = sqrt(min(speed, x * x + y * y)) / self.leg
        low = self.lowest / self.leg
        if self.planted and self.alone:
            # while the others step it stays as long as it can
            away = sqrt(self.offset_x * self.offset_x + self.offset_y * self.offset_y)
            if away < self.lock_distance * self.leg:
                speed = min(speed, 0.5 * FREE_SPEED)
        if self.plan:
            # it may land within the frame
            if not self.planted and self.progress < 1.0 and self.left > 0.5 * dt:
                return 0
            # and lift off within it
            stays: cython.bint = self.planted and self.plan == 2
            stays = stays and self.plan_left > self.plan_whole
            if self.plan == 1 or stays:
                # clips slide; but it does not stay behind a figure that is pushed
                pace = PLANNED_SPEED * self.clip_speed() / self.leg
                return 1 if speed < max(FREE_SPEED, pace) else 0
            return 0
        if self.planted or self.rests():
            return 1 if low < FREE_HEIGHT and speed < FREE_SPEED else 0
        return 1 if low < HELD_HEIGHT and speed < HELD_SPEED else 0

    def clip_speed(self):
        """Return how fast the clip walks in this stance or the next one [units / s]."""
        if not self.plan_half > 0.0:
            return 0.0
        return sqrt(self.way_x * self.way_x + self.way_y * self.way_y) / self.plan_half

    def release(self):
        """Let go of the ground: a swing begins."""
        self.planted = 0
        self.progress = self.flying_time = 0.0
        self.begun = -1.0
        self.aim_x = self.aim_y = self.aim_twist = 0.0
        self.beside = self.beside_x = self.beside_y = 0.0
        self.left = self.release_seconds
        self.start_x = self.land_x = self.spot_x + self.moved_x
        self.start_y = self.land_y = self.spot_y + self.moved_y
        self.start_z = self.land_z = self.under = self.sole_height
        if self.least_slack < 1e300:
            self.slack = self.least_slack

    def begin_step(self):
        """Start a step to the animated position."""
        self.release()
        self.stepping = 1
        self.left = self.step_seconds()
        # one that walks off has no time for it
        self.rises = 0.0 if self.walks() else STEP_RISES
        self.contact_weight = 0.0

    def rests(self):
        """Return whether the animation holds the foot still, and the figure stands."""
        speed = max(self.relative_speed, self.figure_speed)
        return 1 if speed < RESTS * self.leg else 0

    def walks(self):
        """Return whether the figure walks, or at least is moved like that."""
        return 1 if self.figure_speed > WALK_SPEED * self.leg else 0

    def step_seconds(self):
        """Return how long a step on the spot takes: less for figures that turn fast."""
        if self.walks():
            return self.release_seconds
        x = self.figure_x + self.spin_x
        y = self.figure_y + self.spin_y
        turn = abs(self.mean_turn) / MAX_TWIST
        if self.lock_distance > 0.0:
            turn = max(turn, sqrt(x * x + y * y) / (self.lock_distance * self.leg))
        return max(QUICK_STEP, min(STEP_SECONDS, 1.0 / (turn + 1e-300)))

    def take_aim(self):
        """Set how far from where it is animated the foot is to land.

        In the middle of its stance it is where it is animated then, however much the
        clip slides, or is slower than the figure, and however fast the figure turns.
        """
        least = SLIDES * self.leg
        most = STEP_AHEAD * self.lock_distance * self.leg
        x = y = turn = 0.0
        if self.stepping:
            half = 0.5 * self.step_seconds()
            if not self.walks():
                x = half * (self.figure_x + self.spin_x)
                y = half * (self.figure_y + self.spin_y)
                turn = half * self.mean_turn
            least = half * STANDS * self.leg
        elif self.plan == 2:
            x = self.way_x + self.plan_half * self.figure_x
            y = self.way_y + self.plan_half * self.figure_y
        elif self.plan == 1:
            return
        size = sqrt(x * x + y * y)
        k = self.lock * min(max(size - least, 0.0), most) / (size + 1e-300)
        turn = self.lock * max(
            -STEP_AHEAD * MAX_TWIST, min(STEP_AHEAD * MAX_TWIST, turn)
        )
        # just before it lands it changes no more
        late = min(1.0, 4.0 * (1.0 - self.progress))
        self.aim_x += late * (k * x - self.aim_x)
        self.aim_y += late * (k * y - self.aim_y)
        self.aim_twist += late * (turn - self.aim_twist)

    def fly(self, dx, dy, dt):
        """Swing on: what the foot was held off by fades in the time that is left.

        A step leaves its footprint from rest, however fast the animation is there.

        Args:
            dx: How far the animation moves it.
            dy: As ``dx``.
            dt: In this time [s].
        """
        self.take_aim()
        if self.plan == 2 and not self.stepping:
            self.left = self.plan_left
        else:
            # a clip that stops leaves the foot where it is
            most = self.release_seconds
            if self.stepping:
                # the figure may turn faster meanwhile
                most = (1.0 - self.progress) * self.step_seconds()
            self.left = min(max(self.left - dt, 0.0), most)
        last = self.progress
        self.progress += (1.0 - self.progress) * dt / (self.left + dt)
        if self.plan == 2 and not self.stepping and self.plan_whole > 0.0:
            # a foot that was released late has the rest of the clip's swing
            passed = 1.0 - self.plan_left / self.plan_whole
            if self.begun < 0.0:
                self.begun = min(max(0.0, passed - dt / self.plan_whole), 0.999)
            passed = (passed - self.begun) / (1.0 - self.begun)
            self.progress = max(last, passed)
        # a step on the spot goes straight up first, and straight down at last
        wait = self.rises if self.stepping else 0.0
        remaining = self.remaining(last, wait, dt)
        x = self.aim_x + self.beside_x
        y = self.aim_y + self.beside_y
        self.offset_x = x + (self.offset_x - x) * remaining
        self.offset_y = y + (self.offset_y - y) * remaining
        remaining = self.remaining(last, 0.0, dt)
        self.twist = self.aim_twist + (self.twist - self.aim_twist) * remaining
        self.lift = 0.0
        if self.stepping:
            u = self.progress
            after = ease((u - wait) / (1.0 - 2.0 * wait))
            part = (1.0 - after) * (1.0 - after)
            if last >= 1.0 - wait and self.plan != 2:
                part = 1.0
            self.offset_x -= part * dx
            self.offset_y -= part * dy
            self.lift = 16.0 * u * u * (1.0 - u) * (1.0 - u) * STEP_HEIGHT * self.leg
            # rounding must not decide
            if self.left < 0.5 * dt:
                self.stepping = 0
                self.progress = 1.0
                self.aim_x = self.offset_x
                self.aim_y = self.offset_y

    def remaining(self, last, wait, dt):
        """Return what remains of what the foot was held off by.

        Args:
            last: Progress before.
            wait: Part of the swing after which, and before whose end, it changes.
            dt: Time since then [s].
        """
        before = ease((last - wait) / (1.0 - 2.0 * wait))
        after = ease((self.progress - wait) / (1.0 - 2.0 * wait))
        if before < 0.999999:
            return (1.0 - after) / (1.0 - before)
        # after its time, too, what it had to wait for is made up for gradually
        return exp(-SETTLED * dt / max(self.release_seconds, 1e-3))

    def wants_step(self):
        """Return how urgently the foot should step; 1 or more: at once.

        More than 0 only after it has stood for a while, and is not animated to walk.
        """
        if not self.planted or self.lock <= 0.0 or self.standing_time < STOOD:
            return 0.0
        max_offset = self.lock_distance * self.leg
        if max_offset <= 0.0:
            return 0.0
        x = self.offset_x
        y = self.offset_y
        offset = sqrt(x * x + y * y)
        seconds = self.step_seconds()
        vx = self.figure_x + self.spin_x
        vy = self.figure_y + self.spin_y
        if self.walks():
            # from a stand into a walk
            if not self.clip_speed() > 0.0:
                return offset / (EARLY * max_offset)
            # the clip lifts it soon
            if self.plan == 2 or self.plan_left < seconds:
                return 0.0
            vx = self.mean_velocity_x
            vy = self.mean_velocity_y
        elif self.stirred > WALK_SPEED * self.leg:
            return 0.0
        twist = abs(self.twist)
        speed = sqrt(vx * vx + vy * vy)
        if speed < STANDS * self.leg and self.standing_time > 0.5:
            return max(offset / max_offset, twist / MAX_TWIST) / SETTLES
        if max(offset / max_offset, twist / MAX_TWIST) < SETTLES:
            return 0.0
        # as far as it will be after the step of another foot
        if offset > 0.0:
            offset += max(0.0, -(x * vx + y * vy) / offset) * seconds
        if twist > 0.0:
            twist += max(0.0, -self.mean_turn * self.twist / twist) * seconds
        return max(offset / max_offset, twist / MAX_TWIST)

    # -- ground ------------------------------------------------------------------------

    def survey(self, ground):
        """Look at the ground under each corner; set the owner, and ``floor``.

        ``floor`` is the height of the sole on the highest ground, ``needed`` the least
        one at which no corner is in the ground.
        """
        max_step = self.step_height * self.leg
        self.floor = self.needed = -1e300
        self.has_ground = 0
        self.owner = -1
        highest = -1e300
        for i in range(self.count):
            x = self.corners[2 * i]
            y = self.corners[2 * i + 1]
            top = self.ramp_height(x, y)
            self.found[i] = 0.0
            if not ground.find(x, y, top + max_step):
                continue
            if not (abs(ground.height - top) <= max_step):
                continue
            self.found[i] = 1.0
            self.has_ground = 1
            self.hits[3 * i] = ground.height
            self.hits[3 * i + 1] = ground.slope_x
            self.hits[3 * i + 2] = ground.slope_y
            if ground.height > highest:
                highest = ground.height
                self.owner = ground.owner
            height = self.floor_at(i)
            self.floor = max(self.floor, height)
            # a foot that is animated in the ground is lifted from its surface
            self.needed = max(self.needed, height - self.heights[i])

    def floor_at(self, i):
        """Return the height of the sole on the ground that is under a corner."""
        return self.hits[3 * i] - self.rise(
            self.corners[2 * i], self.corners[2 * i + 1]
        )

    def depth(self, ground, dx, dy, dz):
        """Return how deep the sole, moved by a vector, would be in the ground."""
        deep = -1e300
        step = self.step_height * self.leg
        for i in range(self.count):
            x = self.corners[2 * i]
            y = self.corners[2 * i + 1]
            z = self.sole_height + self.rise(x, y) + self.heights[i] + self.lift
            top = self.ramp_height(x + dx, y + dy)
            if not ground.find_level(x + dx, y + dy, top + step):
                continue
            if abs(ground.height - top) <= step:
                deep = max(deep, ground.height - z - dz)
        return deep

    def find_foothold(self, ground, dt):
        """Predict where a swinging foot lands, and look at the ground there."""
        if self.planted or dt <= 0.0:
            return
        x = self.middle_x + self.offset_x
        y = self.middle_y + self.offset_y
        self.land_time = self.left
        if self.stepping:
            self.land_x = self.middle_x
            self.land_y = self.middle_y
        elif self.plan == 2:
            self.land_x = self.plan_x + self.plan_end * self.figure_x + self.aim_x
            self.land_y = self.plan_y + self.plan_end * self.figure_y + self.aim_y
            self.step_beside(ground)
        elif self.plan == 1:
            # it lands within the frame, or was let go of
            self.land_x = self.middle_x + self.aim_x + self.beside_x
            self.land_y = self.middle_y + self.aim_y + self.beside_y
        else:
            time = self.look_ahead
            sinking = (self.old_lowest - self.lowest) / dt
            vx = self.mean_velocity_x
            vy = self.mean_velocity_y
            if sinking > 0.0:
                # a foot that is quick does not land yet, however low it is
                speed = sqrt(self.speed_x * self.speed_x + self.speed_y * self.speed_y)
                time *= 1.0 - fall(speed / self.leg, HELD_SPEED, 2.0 * FREE_SPEED)
                time = max(time, min(self.look_ahead, max(self.lowest, 0.0) / sinking))
                # until then it slows down
                slow = fall(speed / self.leg, FREE_SPEED, 2.0 * FREE_SPEED)
                vx *= 1.0 - 0.5 * slow
                vy *= 1.0 - 0.5 * slow
            else:
                # just off the ground it is slow yet, but will overtake the figure
                speed = sqrt(vx * vx + vy * vy)
                pace = STRIDE_RATIO * sqrt(
                    self.figure_x * self.figure_x + self.figure_y * self.figure_y
                )
                if pace > speed:
                    vx = STRIDE_RATIO * self.figure_x
                    vy = STRIDE_RATIO * self.figure_y
            self.land_x = x + time * vx
            self.land_y = y + time * vy
            self.land_time = time
        dx = self.land_x - x
        dy = self.land_y - y
        way = sqrt(dx * dx + dy * dy) + 1e-300
        self.land_front = self.land_back = 0.0
        # the sole at the foothold
        c = cos(self.heading + self.twist - self.print_heading)
        n = sin(self.heading + self.twist - self.print_heading)
        for i in range(self.count):
            px = self.footprint[2 * i]
            py = self.footprint[2 * i + 1]
            self.corners[2 * i] = self.land_x + c * px - n * py
            self.corners[2 * i + 1] = self.land_y + n * px + c * py
            along = (c * px - n * py) * dx + (n * px + c * py) * dy
            self.land_front = max(self.land_front, along / way)
            self.land_back = min(self.land_back, along / way)
        self.survey(ground)
        self.find_slope()
        top = self.plane_height(self.land_x, self.land_y)
        if self.has_ground:
            top = -1e300
            for i in range(self.count):
                if self.found[i] > 0.0:
                    rise = self.ground_x * (self.corners[2 * i] - self.land_x)
                    rise += self.ground_y * (self.corners[2 * i + 1] - self.land_y)
                    top = max(top, self.hits[3 * i] - rise)
        self.land_z = top
        self.incline(dt)

    def step_beside(self, ground):
        """Move the foothold along its way off an edge, if there is room beside it.

        The edge is where heights under the middle of the sole jump, and the sole lands
        before it, or behind it if that is nearer.
        """
        ux = self.land_x - self.start_x
        uy = self.land_y - self.start_y
        way = sqrt(ux * ux + uy * uy)
        if not way > self.lock_distance * self.leg:
            return
        ux /= way
        uy /= way
        c = cos(self.heading + self.twist - self.print_heading)
        n = sin(self.heading + self.twist - self.print_heading)
        front = back = 0.0
        for i in range(self.count):
            px = self.footprint[2 * i]
            py = self.footprint[2 * i + 1]
            along = (c * px - n * py) * ux + (n * px + c * py) * uy
            front = max(front, along)
            back = min(back, along)
        low = back
        high = front
        below = self.height_along(ground, low, ux, uy)
        above = self.height_along(ground, high, ux, uy)
        halves = EDGE_BISECTIONS if abs(above - below) > EDGE * self.leg else 0
        for _ in range(halves):
            t = 0.5 * (low + high)
            height = self.height_along(ground, t, ux, uy)
            if abs(height - below) > abs(above - height):
                high = t
                above = height
            else:
                low = t
                below = height
        shift = 0.0
        # else it is a slope
        if abs(above - below) > EDGE * self.leg:
            # less what the clip slides while it stands
            x = self.way_x + self.plan_half * self.figure_x
            y = self.way_y + self.plan_half * self.figure_y
            most = self.lock_distance * self.leg - sqrt(x * x + y * y)
            most = self.lock * min(most, STEP_AHEAD * self.lock_distance * self.leg)
            clearance = CLEARANCE * self.leg
            size = front - back + clearance
            ahead = high - back + clearance
            behind = low - front - clearance
            if ahead <= most and self.is_level(ground, high, size, ux, uy):
                shift = ahead
            # it does not change its mind between two sides that are alike
            if shift > 0.0:
                most = min(most, ahead - self.beside)
            if -behind <= most and self.is_level(ground, low, -size, ux, uy):
                shift = behind
        # half way it is decided on which side, and just before it lands how far
        if self.progress < 0.5 or shift * self.beside > 0.0:
            self.beside += min(1.0, 4.0 * (1.0 - self.progress)) * (shift - self.beside)
        self.beside_x = self.beside * ux
        self.beside_y = self.beside * uy
        self.land_x += self.beside_x
        self.land_y += self.beside_y

    def height_along(self, ground, t, ux, uy):
        """Return the height of the ground beside the foothold, far below where none is.

        Args:
            ground: The ground.
            t: How far away.
            ux: In which direction.
            uy: As ``ux``.
        """
        x = self.land_x + t * ux
        y = self.land_y + t * uy
        step = self.step_height * self.leg
        top = self.ramp_height(x, y)
        if ground.find(x, y, top + step) and ground.height >= top - step:
            return ground.height
        return -1e300

    def is_level(self, ground, t, size, ux, uy):
        """Return whether the ground goes on without an edge: for a size from there."""
        height = self.height_along(ground, t, ux, uy)
        if not height > -1e300:
            return 0
        height += size * (ground.slope_x * ux + ground.slope_y * uy)
        height -= self.height_along(ground, t + size, ux, uy)
        return 1 if abs(height) < EDGE * self.leg else 0

    def climb(self, ground, dt):
        """Raise or lower a swinging foot in time for all ground up to its foothold.

        Against time its height is a taut rope over that ground: it goes straight to
        what it must be over first.
        """
        k: cython.int
        n: cython.int
        x = self.middle_x + self.offset_x
        y = self.middle_y + self.offset_y
        z = self.level.value
        dx = self.land_x - x
        dy = self.land_y - y
        # from the end of this piece on, and the height is that at its start
        time = self.land_time
        clearance = CLEARANCE * self.leg
        way = sqrt(dx * dx + dy * dy)
        rate = (self.land_z - z) / (dt + time)
        if self.plan == 0 and not self.stepping and self.foot_seconds < time:
            # it may go on for long: soon it is over the line from here to there
            near = self.under + self.slope_x * (x - self.spot_x - self.moved_x)
            near += self.slope_y * (y - self.spot_y - self.moved_y)
            near += (self.land_z - near) * self.foot_seconds / time
            rate = (near - z) / (dt + self.foot_seconds)
        if way > 0.02 * self.leg:
            ux = dx / way
            uy = dy / way
            front = back = 0.0
            for i in range(self.count):
                along = (self.corners[2 * i] - x) * ux
                along += (self.corners[2 * i + 1] - y) * uy
                front = max(front, along)
                back = min(back, along)
            # how it goes on from its speed; by the clip's plan it stops there
            speed = (x - self.spot_x - self.moved_x) * ux
            speed += (y - self.spot_y - self.moved_y) * uy
            speed = min(3.0 * way, max(0.0, speed * time / dt))
            if self.plan == 0 and not self.stepping:
                speed = way
            step = self.step_height * self.leg
            last = 0.0
            for k in range(1, STRETCHES):
                u = (k + 0.0) / STRETCHES
                at = u * u * (3.0 - 2.0 * u) * way + u * (1.0 - u) * (1.0 - u) * speed
                if self.plan == 0 and not self.stepping:
                    at = u * way
                # no edge lies between two of the places
                for n in range(2):
                    if n == 0:
                        t = min(at, way) + front + u * (self.land_front - front)
                    else:
                        t = last + back + u * (self.land_back - back)
                    px = x + t * ux
                    py = y + t * uy
                    top = self.ramp_height(px, py)
                    if not ground.find_level(px, py, top + step):
                        continue
                    if abs(ground.height - top) <= step:
                        rise = self.slope_x * ux + self.slope_y * uy
                        height = ground.height - rise * (t - at)
                        height += clearance * ease(
                            (height - z - u * (self.land_z - z)) / clearance
                        )
                        rate = max(rate, (height - z) / (dt + u * time))
                last = at
        speed = self.lift_speed()
        most = self.max_rise(speed, dt) / dt
        rate = max(-most, min(most, rate))
        if self.plan == 2 and not self.stepping:
            # a leg that is straight bends quickly: it begins gently
            rise = speed * dt / (GENTLE * self.plan_whole)
            rate = min(rate, max(self.level.speed, 0.0) + rise)
        self.level.speed = rate
        self.level.value = self.level.goal = z + rate * dt

    def lift_speed(self):
        """Return how fast ground lifts a swinging foot: slow clips lift it slowly."""
        if self.plan != 2 or self.stepping:
            return MAX_LIFT_SPEED * self.leg
        pace = max(LIFT * self.leg / self.plan_whole, self.clip_speed())
        return min(MAX_LIFT_SPEED * self.leg, pace)

    def max_rise(self, speed, dt):
        """Return how far a speed lifts the foot in a time, on top of the ramp."""
        x = self.middle_x + self.offset_x - self.spot_x - self.moved_x
        y = self.middle_y + self.offset_y - self.spot_y - self.moved_y
        return speed * dt + max(0.0, self.slope_x * x + self.slope_y * y)

    def settle(self, ground, dt):
        """Put a standing foot on the ground, and a swinging one on its way."""
        max_rise = self.max_rise(self.lift_speed(), dt)
        before = self.sole_height
        x = self.middle_x + self.offset_x
        y = self.middle_y + self.offset_y
        high = 0.0
        if self.planted:
            self.survey(ground)
            self.find_slope()
            self.incline(dt)
            goal = self.plane_height(x, y)
            if self.has_ground:
                goal = -1e300
                for i in range(self.count):
                    if self.found[i] > 0.0:
                        goal = max(goal, self.floor_at(i))
            self.level.step(goal, self.foot_seconds, dt)
            stays: cython.bint = self.plan == 1 or (self.plan == 0 and self.rests())
            if self.has_ground and stays and dt > 0.0:
                # clips may stand above the ground
                high = max(0.0, min(self.lowest, MAX_PRESS * self.leg))
                speed = abs(self.lowest - self.old_lowest) / (self.leg * dt)
                high *= self.lock * fall(speed, RESTS, 3.0 * RESTS)
        else:
            if dt > 0.0:
                self.climb(ground, dt)
            self.survey(ground)
            self.under = self.floor if self.has_ground else self.land_z
            allowed = max(self.level.value, before + max_rise)
            if dt > 0.0 and self.needed > allowed:
                self.wait(ground, allowed)
            if self.has_ground and self.plan == 2:
                # clips may drag a foot that is to swing
                time = min(self.plan_left, self.flying_time)
                self.needed += DRAGGED * self.leg * ease(time / DRAG_SECONDS)
        self.press.step(high, self.foot_seconds, dt)
        level = self.level.value - self.press.value
        height = max(level, self.needed)
        if dt > 0.0 and height > before + max_rise:
            height = max(level, before + max_rise)
        self.sole_height = height
        if height > self.level.value:
            # it drops no faster after it was lifted
            self.level.value = height
            self.level.speed = max(self.level.speed, 0.0)

    def wait(self, ground, allowed):
        """Wait before a step in the way until the foot is up.

        Args:
            ground: The ground.
            allowed: How high the sole can be now.
        """
        from_x = self.spot_x + self.moved_x - self.middle_x
        from_y = self.spot_y + self.moved_y - self.middle_y
        way_x = self.offset_x - from_x
        way_y = self.offset_y - from_y
        most = 1.5 * self.lock_distance * self.leg
        if from_x * from_x + from_y * from_y > most * most:
            return
        k: cython.int
        fraction = 0.0
        for k in range(BISECTIONS):
            # the farthest it can go is found by bisection
            half = 1.0 / (2 << k)
            self.offset_x = from_x + (fraction + half) * way_x
            self.offset_y = from_y + (fraction + half) * way_y
            self.move_corners()
            self.survey(ground)
            if self.needed <= allowed:
                fraction += half
        # the last one that was tried may be too far
        self.offset_x = from_x + fraction * way_x
        self.offset_y = from_y + fraction * way_y
        self.move_corners()
        self.survey(ground)

    def find_slope(self):
        """Find the slope of the ground that was looked at: of a plane through it.

        Where points alone leave it open it is the ground's own, and the higher ones
        count more.
        """
        x = self.plane_x
        y = self.plane_y
        highest = -1e300
        for i in range(self.count):
            if self.found[i] > 0.0:
                highest = max(highest, self.hits[3 * i])
        if highest > -1e300:
            cx = cy = cz = x = y = total = 0.0
            for i in range(self.count):
                if self.found[i] > 0.0:
                    w = (self.hits[3 * i] - highest) / (TILT_DEPTH * self.leg)
                    w = exp(-w * w)
                    total += w
                    cx += w * self.corners[2 * i]
                    cy += w * self.corners[2 * i + 1]
                    cz += w * self.hits[3 * i]
                    x += w * self.hits[3 * i + 1]
                    y += w * self.hits[3 * i + 2]
            own = TILT_DEPTH * self.leg * TILT_DEPTH * self.leg
            xx = yy = own * total
            xy = 0.0
            x *= own
            y *= own
            for i in range(self.count):
                if self.found[i] > 0.0:
                    w = (self.hits[3 * i] - highest) / (TILT_DEPTH * self.leg)
                    w = exp(-w * w)
                    dx = self.corners[2 * i] - cx / total
                    dy = self.corners[2 * i + 1] - cy / total
                    dz = self.hits[3 * i] - cz / total
                    xx += w * dx * dx
                    xy += w * dx * dy
                    yy += w * dy * dy
                    x += w * dx * dz
                    y += w * dy * dz
            det = xx * yy - xy * xy
            dx = (x * yy - y * xy) / det
            y = (y * xx - x * xy) / det
            x = dx
            slope = sqrt(x * x + y * y)
            if slope > self.steepest:
                x *= self.steepest / slope
                y *= self.steepest / slope
        self.ground_x = x
        self.ground_y = y

    def incline(self, dt):
        """Tilt the sole gradually to the slope that was found."""
        x = self.ground_x
        y = self.ground_y
        if self.at_start:
            self.tilt_x.reset(x)
            self.tilt_y.reset(y)
        seconds = self.foot_seconds
        if not self.planted:
            # by the time it lands, or a foot snaps to the slope of its next foothold
            seconds = max(seconds, self.land_time)
        self.tilt_x.step(x, seconds, dt)
        self.tilt_y.step(y, seconds, dt)
        x, y, _ = self.placed(self.bearing_x, self.bearing_y, self.bearing_z)
        self.slope_x = self.tilt_x.value
        self.slope_y = self.tilt_y.value
        self.set_sole_rotation()
        if self.planted:
            # it must not be moved by that
            at_x, at_y, _ = self.placed(self.bearing_x, self.bearing_y, self.bearing_z)
            self.offset_x += self.lock * (x - at_x)
            self.offset_y += self.lock * (y - at_y)
        self.move_corners()

    def keep_footprint(self):
        """Keep the outline of the sole where it is flattest while it stands.

        Relative to where its middle landed, from which it has rolled on.
        """
        highest = -1e300
        for i in range(self.count):
            highest = max(highest, self.heights[i])
        if self.planted and highest - self.lowest < self.flatness:
            self.flatness = highest - self.lowest
            self.print_heading = self.heading + self.twist
            for i in range(self.count):
                self.footprint[2 * i] = self.corners[2 * i] - self.land_x
                self.footprint[2 * i + 1] = self.corners[2 * i + 1] - self.land_y

    def rest(self):
        """Set where the foot rests for the hips: there, or between its footholds."""
        if self.planted:
            self.rest_x = self.spot_x
            self.rest_y = self.spot_y
            self.rest_z = self.sole_height
            # how far the animation would let the hip rise here
            x = self.ankle_x - self.hip_x
            y = self.ankle_y - self.hip_y
            reach = MAX_EXTENSION * self.leg
            square = reach * reach - x * x - y * y
            slack = sqrt(square if square > 0.0 else 0.0) + self.ankle_z - self.hip_z
            if self.least_slack >= 1e300:
                self.land_slack = slack
            self.least_slack = min(self.least_slack, max(slack, 0.0))
        else:
            u = ease(self.progress)
            self.rest_x = self.start_x + u * (self.land_x - self.start_x)
            self.rest_y = self.start_y + u * (self.land_y - self.start_y)
            self.rest_z = self.start_z + u * (self.land_z - self.start_z)
