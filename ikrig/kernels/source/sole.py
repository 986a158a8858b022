"""The sole of a foot: where it is animated, where it is placed, and what is under it.

The animation walks on a plane. ``offset``, ``twist``, ``height`` and slope say where
the plane under this foot is: all points of the animated foot move with it.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from math import cos, exp, sin, sqrt

    from .buffers import doubles, pin
    from .spring_damper import SpringDamper
    from .vectors import copy, cross

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
# ground this much lower than the highest under the foot tilts it 1/e as much, and the
# slope of a point counts as much as its height this far away [leg lengths]
TILT_DEPTH = 0.03
# room between soles [leg lengths], along one of so many directions, which are so far
# from each other [rad]
ROOM = 0.02
AXES = 9
AXIS = 0.3
# least height of an edge that is avoided [leg lengths], and number of bisections to
# find it
EDGE = 0.06
EDGE_BISECTIONS = 8


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
    tx, ty, tz = cross(vx, vy, vz, x, y, z)
    ux, uy, uz = cross(vx, vy, vz, tx, ty, tz)
    return x + tx + k * ux, y + ty + k * uy, z + tz + k * uz


def normal(a, b):
    """Return the normal of a plane that rises by so much along x and y, up."""
    m = 1.0 / sqrt(1.0 + a * a + b * b)
    return -a * m, -b * m, m


class Sole:
    """The sole of a foot on the ground, piece by piece of a frame.

    ``blend`` sets where it is animated, its ``Foot`` where it is placed; ``placed``
    then tells where points of the foot are, and ``survey`` looks at the ground.

    Args:
        count: Number of its corners, up to ``CORNERS``.
        now: Buffer of ``SOLE + 3 count``: this frame's pose, world space.
        rims: Buffer of how high each corner is as the foot stands flat: those of round
            paws never touch level ground [leg lengths].
    """

    def __init__(self, count, now, rims):
        self.count = count
        self._pinned = pin({"now": now, "rims": rims})
        self.now = doubles(now)
        self.rim = doubles(rims)
        self.size = SOLE + 3 * count
        # compiled these are arrays of the object
        if not cython.compiled:
            self.before = [0.0] * self.size
            self.points = [0.0] * (3 * count)
            self.heights = [0.0] * count
            self.weights = [0.0] * count
            self.shares = [0.0] * count
            self.corners = [0.0] * (2 * count)
            self.found = [0.0] * count
            self.hits = [0.0] * (3 * count)
            self.footprint = [0.0] * (2 * count)
        self.tilt_x = SpringDamper()
        self.tilt_y = SpringDamper()
        self.step_height = self.steepest = 0.0
        self.lowest = self.heading = self.leg = self.floor = 0.0
        self.origin_x = self.origin_y = 0.0
        # height of that plane above the figure's origin
        self.stance = 0.0
        self.ramp_x = self.ramp_y = 0.0
        self.surveyed = 0
        # whether the figure is in the air: ground below its plane is not for feet yet
        self.flying = 0
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""
        self.height = self.lift = 0.0
        self.slope_x = self.slope_y = 0.0
        self.offset_x = self.offset_y = self.twist = 0.0
        # as they are where it lands
        self.flatness = 1e300
        self.owner = -1
        self.tilt_x.reset(0.0)
        self.tilt_y.reset(0.0)
        self.has_before = 0

    # -- pose --------------------------------------------------------------------------

    def end_frame(self):
        """Store this frame's pose as the last one."""
        copy(self.before, 0, self.now, 0, self.size)
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
                self.points[3 * i + k] = self.interpolated(SOLE + 3 * i + k, until)
            x += self.points[3 * i]
            y += self.points[3 * i + 1]
            self.heights[i] = self.points[3 * i + 2] - self.plane_height(
                self.points[3 * i], self.points[3 * i + 1]
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
            self.bearing_x += w * self.points[3 * i]
            self.bearing_y += w * self.points[3 * i + 1]
            self.bearing_z += w * self.points[3 * i + 2]

    def at(self):
        """Return where its middle is placed, seen from above."""
        return self.middle_x + self.offset_x, self.middle_y + self.offset_y

    def away(self):
        """Return how far it is from where it is animated."""
        return sqrt(self.offset_x * self.offset_x + self.offset_y * self.offset_y)

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

    def set_rotation(self):
        """Set the rotation from the animation's plane to the sole's, after the twist.

        The smallest one between their normals.
        """
        ax, ay, az = normal(self.plane_x, self.plane_y)
        bx, by, bz = normal(self.slope_x, self.slope_y)
        x, y, z = cross(ax, ay, az, bx, by, bz)
        k = 1.0 / (1.0 + ax * bx + ay * by + az * bz)
        c = cos(self.twist)
        s = sin(self.twist)
        self.t0, self.t3, self.t6 = turned(c, s, 0.0, x, y, z, k)
        self.t1, self.t4, self.t7 = turned(-s, c, 0.0, x, y, z, k)
        self.t2, self.t5, self.t8 = turned(0.0, 0.0, 1.0, x, y, z, k)

    def turn(self, x, y, z, k):
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
            self.height + self.lift + self.t6 * x + self.t7 * y + self.t8 * z,
        )

    def move_corners(self):
        """Set ``corners`` to the sole's corners, moved and seen from above."""
        for i in range(self.count):
            self.corners[2 * i], self.corners[2 * i + 1], _ = self.placed(
                self.points[3 * i], self.points[3 * i + 1], self.points[3 * i + 2]
            )

    def way_aside(self, other: Sole, x, y, placed, dx, dy):
        """Return how far it had to go to be clear of another sole; 0 or less: it is.

        Args:
            other: The other sole.
            x: Direction in which it would go, of length 1.
            y: As ``x``.
            placed: Whether they are where they are placed, not where they are animated.
            dx: How far it is moved before.
            dy: As ``dx``.
        """
        k: cython.int
        best = 1e300
        for k in range(AXES):
            # from the middle on, to both sides
            angle = AXIS * (k // 2 + k % 2) * (2 * (k % 2) - 1)
            c = cos(angle)
            s = sin(angle)
            u = c * x - s * y
            v = s * x + c * y
            way = ROOM * self.leg - dx * u - dy * v
            way -= self.least_along(u, v, placed) + other.least_along(-u, -v, placed)
            best = min(best, way / c)
            if best <= 0.0:
                return best
        return best

    def least_along(self, x, y, placed):
        """Return how far it reaches against a direction, as ``way_aside``."""
        least = 1e300
        for i in range(self.count):
            if placed:
                u = self.corners[2 * i]
                v = self.corners[2 * i + 1]
            else:
                u = self.points[3 * i]
                v = self.points[3 * i + 1]
            least = min(least, u * x + v * y)
        return least

    def set_ramp(self, x, y):
        """Tell the overall slope of the ground."""
        self.surveyed = 1
        self.ramp_x = x
        self.ramp_y = y

    # -- ground ------------------------------------------------------------------------

    def survey(self, ground):
        """Look at the ground under each corner; set the owner, and ``floor``.

        ``floor`` is the height of the flat sole on the highest ground, ``needed`` the
        least one at which no corner is in the ground. The owner is that of the ground
        that a corner touches first, and stays it where another one hardly bears more.
        """
        self.survey_beside(ground, 0.0)

    def survey_beside(self, ground, rise):
        """Do as ``survey``, on ground around a height above the ramp."""
        max_step = self.step_height * self.leg
        self.floor = self.needed = same = -1e300
        self.has_ground = 0
        owner = -1
        for i in range(self.count):
            x = self.corners[2 * i]
            y = self.corners[2 * i + 1]
            top = self.ramp_height(x, y) + rise
            self.found[i] = 0.0
            if not ground.find(x, y, top + max_step):
                continue
            if not (abs(ground.height - top) <= max_step):
                continue
            self.hits[3 * i] = ground.height
            if self.flying and ground.height < top:
                self.needed = max(self.needed, self.floor_at(i) - self.heights[i])
                continue
            self.found[i] = 1.0
            self.has_ground = 1
            self.hits[3 * i + 1] = ground.slope_x
            self.hits[3 * i + 2] = ground.slope_y
            height = self.floor_at(i)
            self.floor = max(self.floor, height - self.rim[i] * self.leg)
            # a foot that is animated in the ground is lifted from its surface
            height -= self.heights[i]
            if height > self.needed:
                self.needed = height
                owner = ground.owner
            if ground.owner == self.owner:
                same = max(same, height)
        if same < self.needed - CONTACT * self.leg or not self.has_ground:
            self.owner = owner

    def floor_at(self, i):
        """Return the height of the sole on the ground that is under a corner."""
        return self.hits[3 * i] - self.rise(
            self.corners[2 * i], self.corners[2 * i + 1]
        )

    def find_floor(self):
        """Return ``floor`` anew, for a sole that tilted on the ground it looked at."""
        self.floor = -1e300
        for i in range(self.count):
            if self.found[i] > 0.0:
                self.floor = max(self.floor, self.floor_at(i) - self.rim[i] * self.leg)
        return self.floor

    def landing_height(self, x, y):
        """Return the height at a point of the plane on the ground that was found."""
        if not self.has_ground:
            return self.plane_height(x, y)
        top = -1e300
        for i in range(self.count):
            if self.found[i] > 0.0:
                rise = self.ground_x * (self.corners[2 * i] - x)
                rise += self.ground_y * (self.corners[2 * i + 1] - y)
                top = max(top, self.hits[3 * i] - rise - self.rim[i] * self.leg)
        return top

    def depth(self, ground, dx, dy, dz):
        """Return how deep the sole, moved by a vector, would be in the ground."""
        deep = -1e300
        step = self.step_height * self.leg
        for i in range(self.count):
            x = self.corners[2 * i]
            y = self.corners[2 * i + 1]
            z = self.height + self.rise(x, y) + self.heights[i] + self.lift
            top = self.ramp_height(x + dx, y + dy)
            if not ground.find_level(x + dx, y + dy, top + step):
                continue
            if abs(ground.height - top) <= step:
                deep = max(deep, ground.height - z - dz)
        return deep

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
                    self.shares[i] = w
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
                    w = self.shares[i]
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

    def incline(self, seconds, hold, dt):
        """Tilt the sole gradually to the slope that was found.

        Args:
            seconds: Settling time [s].
            hold: How firmly it stays where it bears, 0 to 1.
            dt: Time since the last call [s].
        """
        self.tilt_x.step(self.ground_x, seconds, dt)
        self.tilt_y.step(self.ground_y, seconds, dt)
        x, y, _ = self.placed(self.bearing_x, self.bearing_y, self.bearing_z)
        self.slope_x = self.tilt_x.value
        self.slope_y = self.tilt_y.value
        self.set_rotation()
        if hold > 0.0:
            at_x, at_y, _ = self.placed(self.bearing_x, self.bearing_y, self.bearing_z)
            self.offset_x += hold * (x - at_x)
            self.offset_y += hold * (y - at_y)
        self.move_corners()

    # -- footprint ---------------------------------------------------------------------

    def keep_footprint(self, x, y):
        """Keep the outline of a standing sole where it is flattest.

        Args:
            x: Where its middle landed, from which it has rolled on.
            y: As ``x``.
        """
        highest = -1e300
        for i in range(self.count):
            highest = max(highest, self.heights[i])
        if highest - self.lowest < self.flatness:
            self.flatness = highest - self.lowest
            self.set_footprint(x, y)

    def set_footprint(self, x, y):
        """Set the outline to the sole's own, about a point."""
        self.print_heading = self.heading + self.twist
        for i in range(self.count):
            self.footprint[2 * i] = self.corners[2 * i] - x
            self.footprint[2 * i + 1] = self.corners[2 * i + 1] - y

    def turn_footprint(self):
        """Turn the outline as the foot is turned now."""
        turn = self.heading + self.twist - self.print_heading
        self.print_cos = cos(turn)
        self.print_sin = sin(turn)

    def lay_footprint(self, x, y):
        """Set ``corners`` to the outline about a point."""
        c = self.print_cos
        n = self.print_sin
        for i in range(self.count):
            px = self.footprint[2 * i]
            py = self.footprint[2 * i + 1]
            self.corners[2 * i] = x + c * px - n * py
            self.corners[2 * i + 1] = y + n * px + c * py

    def find_extent(self, ux, uy):
        """Set ``front`` and ``back``: the outline's extent along a direction."""
        c = self.print_cos
        n = self.print_sin
        self.front = self.back = 0.0
        for i in range(self.count):
            px = self.footprint[2 * i]
            py = self.footprint[2 * i + 1]
            along = (c * px - n * py) * ux + (n * px + c * py) * uy
            self.front = max(self.front, along)
            self.back = min(self.back, along)

    def find_edge(self, ground, x, y, ux, uy):
        """Return whether heights jump under the middle of the outline about a point.

        Sets ``edge_back`` and ``edge_front``, between which it is along the direction.

        Args:
            ground: The ground.
            x: The point.
            y: As ``x``.
            ux: The direction, of length 1.
            uy: As ``ux``.
        """
        self.find_extent(ux, uy)
        low = self.back
        high = self.front
        below = self.height_along(ground, x, y, low, ux, uy)
        above = self.height_along(ground, x, y, high, ux, uy)
        halves = EDGE_BISECTIONS if abs(above - below) > EDGE * self.leg else 0
        for _ in range(halves):
            t = 0.5 * (low + high)
            height = self.height_along(ground, x, y, t, ux, uy)
            if abs(height - below) > abs(above - height):
                high = t
                above = height
            else:
                low = t
                below = height
        self.edge_back = low
        self.edge_front = high
        # else it is a slope
        return 1 if abs(above - below) > EDGE * self.leg else 0

    def height_along(self, ground, x, y, t, ux, uy):
        """Return the ground's height beside a point, far below where none is.

        Args:
            ground: The ground.
            x: The point.
            y: As ``x``.
            t: How far away.
            ux: In which direction.
            uy: As ``ux``.
        """
        x += t * ux
        y += t * uy
        step = self.step_height * self.leg
        top = self.ramp_height(x, y)
        if ground.find(x, y, top + step) and ground.height >= top - step:
            return ground.height
        return -1e300

    def is_level(self, ground, x, y, t, size, ux, uy):
        """Return whether the ground goes on without an edge: for a size from there."""
        height = self.height_along(ground, x, y, t, ux, uy)
        if not height > -1e300:
            return 0
        height += size * (ground.slope_x * ux + ground.slope_y * uy)
        height -= self.height_along(ground, x, y, t + size, ux, uy)
        return 1 if abs(height) < EDGE * self.leg else 0
