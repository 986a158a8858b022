"""The leg of a foot: what it is animated to do, and how it brings its ankle there."""

import cython

if not cython.compiled:
    from math import acos, atan2, cos, sin, sqrt

    from .bend_sides import add_slight_bend
    from .buffers import doubles, ints, pin
    from .foot import MAX_EXTENSION
    from .sole import ANKLE, HEADING, HIP, LEG, SOLE, TURN, turned
    from .swing import ease, fall
    from .vectors import between, copy, cross, distance, norm3, three

# distance of a knee from the line between hip and ankle from which on it has a clear
# side [leg lengths]
CLEAR_BEND = 0.06
# minimum length of a leg that folds so that another one reaches down [animated distance
# from hip to ankle]
MIN_FOLD = 0.6
# minimum length of a leg that swings, however far up its foot is on its way
FOLDED = 0.45
# a knee's pole rotates with the leg where it is to its side by less than the second,
# and fully by less than the first [fraction of its squared distance]
POLE_NEAR = 0.05
POLE_CLEAR = 0.25
# time in which a pole that is new comes to stay where it is [s]
POLE_SECONDS = 0.3
# number of bisections to find how far a foot can go before it is in the ground
BISECTIONS = 4
# height over the ground at which a foot that swings is kept, if it is to be as high
# [leg lengths]
SWINGS = 0.0125
# swings that are shorter are quick [s]
QUICK = 0.6
# height by which a leg pulls its ankle up before its heel lifts fully [leg lengths]
PEEL_HEIGHT = 0.01
# maximum speed of that [rad / s], and least cosine of its angle
PEEL_SPEED = 4.0
MIN_PEEL = 0.9
# maximum speeds of a knee's bend and a leg's swing, on top of the animation [rad / s]
MAX_BEND_SPEED = 7.8
MAX_SWING_SPEED = 5.5


def dot(ax, ay, az, bx, by, bz):
    """Return the scalar product of two vectors."""
    return ax * bx + ay * by + az * bz


def aside(x, y, z, lx, ly, lz):
    """Return the part of a vector that is square to another one."""
    k = dot(x, y, z, lx, ly, lz) / dot(lx, ly, lz, lx, ly, lz)
    return x - k * lx, y - k * ly, z - k * lz


def knee_angle(length, thigh, shin):
    """Return a knee's bend for a distance from hip to ankle; 0: straight [rad]."""
    c = 2.0 * thigh * shin
    if not c > 0.0:
        return 0.0
    c = (length * length - thigh * thigh - shin * shin) / c
    if c >= 1.0:
        return 0.0
    if c <= -1.0:
        return 0.5 * TURN
    return acos(c)


class Leg:
    """The leg of a foot.

    In each frame ``read`` sets the foot's pose, and once the foot and the hips are
    where they are to be, ``reach`` finds the ankle, the knee's pole and the sole's
    rotation. They stay within the leg's length, and the joints within their speeds.

    Args:
        foot: The foot, a ``Foot``.
        joints: Buffer of its joints from the hip to the ankle, by index.
        corners: Buffer of the joint of each corner of the sole.
        points: Buffer of the positions of the corners in their joints, 3 each.
        side: Offset by which its knee is bent, in its thigh's space, until a pose bends
            it more; three times 0: to the toes.
    """

    def __init__(self, foot, joints, corners, points, side):
        self.foot = foot
        self.sole = foot.sole
        self.bones = len(joints) - 1
        buffers = {"joints": joints, "corners": corners, "points": points}
        self._pinned = pin(buffers)
        self.joint = ints(joints)
        self.corner = ints(corners)
        self.point = doubles(points)
        self.side_x, self.side_y, self.side_z = side
        # bends up to which its chain leaves the animated side
        self.slight = CLEAR_BEND
        self.thigh = self.shin = self.knee_x = self.knee_y = self.knee_z = 0.0
        self.pole_x = self.pole_y = self.pole_z = 0.0
        # whether the knee was animated so straight that it needs a pole, and how far
        # that stays where the knee is animated
        self.poled = 0
        self.stays = 0.0
        # compiled this is an array of the object
        if not cython.compiled:
            self.axes = [0.0] * 9
        self.reset()

    def reset(self):
        """Reset to the state before the first frame; the knee keeps its side."""
        self.foot.reset()
        self.has_read = self.bends = self.swings = 0
        self.knee = self.swing_x = self.swing_y = self.swing_z = 0.0
        self.turn_x = self.turn_y = self.turn_z = 0.0
        self.peel_x = self.peel_y = self.peel_z = self.sink = 0.0

    # -- the animation -----------------------------------------------------------------

    def read(self, net):
        """Set the foot's pose from the joints' matrices, and the knee's pole.

        Returns:
            The length of the leg, plus the heading: not finite where one of them isn't.
        """
        now = self.sole.now
        j: cython.int
        p: cython.int
        length = leg = 0.0
        for i in range(1, self.bones + 1):
            p = 16 * self.joint[i - 1] + 12
            j = 16 * self.joint[i] + 12
            length = distance(net, p, net, j)
            leg += length
        self.thigh = leg - length
        self.shin = length
        last: cython.int = 16 * self.joint[self.bones]
        copy(now, HIP, net, 16 * self.joint[0] + 12, 3)
        copy(now, ANKLE, net, last + 12, 3)
        now[LEG] = leg
        now[HEADING] = self.heading(net, last, now[HEADING])
        for i in range(self.sole.count):
            j = 16 * self.corner[i]
            for k in range(3):
                now[SOLE + 3 * i + k] = (
                    self.point[3 * i] * net[j + k]
                    + self.point[3 * i + 1] * net[j + 4 + k]
                    + self.point[3 * i + 2] * net[j + 8 + k]
                    + net[j + 12 + k]
                )
        if self.bones == 2:
            self.find_pole(net)
        self.has_read = 1
        return leg + now[HEADING]

    def heading(self, net, j, heading):
        """Return the foot's heading: the last one plus the twist since [rad].

        Unlike the direction in which a foot points, the twist of the rotation since
        has no jump where the toes point straight down.
        """
        a = self.axes
        # rows of the inverse of the last axes, times their determinant
        ax, ay, az = cross(a[3], a[4], a[5], a[6], a[7], a[8])
        bx, by, bz = cross(a[6], a[7], a[8], a[0], a[1], a[2])
        cx, cy, cz = cross(a[0], a[1], a[2], a[3], a[4], a[5])
        det = dot(a[0], a[1], a[2], ax, ay, az)
        for i in range(3):
            for k in range(3):
                a[3 * i + k] = net[j + 4 * i + k]
        if not self.has_read:
            return 0.0
        if not det * det > 0.0:
            return heading
        twist = dot(ax, bx, cx, a[1], a[4], a[7]) - dot(ay, by, cy, a[0], a[3], a[6])
        trace = dot(ax, bx, cx, a[0], a[3], a[6]) + dot(ay, by, cy, a[1], a[4], a[7])
        trace += dot(az, bz, cz, a[2], a[5], a[8])
        return heading + 2.0 * atan2(twist / det, 1.0 + trace / det)

    def find_pole(self, net):
        """Set the knee's pole: on the side it bends to, or the last clear one.

        A leg that is animated straight has no side, or the wrong one by a hair; until
        it has been bent, its knee bends to the side of its layout, or to the toes.
        """
        now = self.sole.now
        leg = now[LEG]
        j: cython.int = 16 * self.joint[1] + 12
        self.knee_x, self.knee_y, self.knee_z = three(net, j)
        cx, cy, cz = between(now, HIP, now, ANKLE)
        if not dot(cx, cy, cz, cx, cy, cz) > 1e-12 * leg * leg:
            return
        bx, by, bz = between(now, HIP, net, j)
        bx, by, bz = aside(bx, by, bz, cx, cy, cz)
        bent = norm3(bx, by, bz) / leg
        # its largest offset so far
        j = 16 * self.joint[0]
        x = self.side_x * net[j] + self.side_y * net[j + 4] + self.side_z * net[j + 8]
        y = self.side_x * net[j + 1] + self.side_y * net[j + 5]
        y += self.side_z * net[j + 9]
        z = self.side_x * net[j + 2] + self.side_y * net[j + 6]
        z += self.side_z * net[j + 10]
        largest = norm3(x, y, z) / leg
        if bent >= CLEAR_BEND and bent >= largest:
            self.side_x = self.along(net, j, bx, by, bz)
            self.side_y = self.along(net, j + 4, bx, by, bz)
            self.side_z = self.along(net, j + 8, bx, by, bz)
            x, y, z = bx, by, bz
        elif not largest > 0.0:
            x, y, z = -now[ANKLE], -now[ANKLE + 1], -now[ANKLE + 2]
            for i in range(self.sole.count):
                x += now[SOLE + 3 * i] / self.sole.count
                y += now[SOLE + 3 * i + 1] / self.sole.count
                z += now[SOLE + 3 * i + 2] / self.sole.count
        if bent < self.slight:
            self.poled = 1
        # as its chain finds the side that is animated
        size = norm3(cx, cy, cz)
        scale = bent * leg + 1e-300
        x, y, z = add_slight_bend(
            cx / size, cy / size, cz / size, bx / scale, by / scale, bz / scale,
            x, y, z, bent, self.slight,
        )  # fmt: skip
        size = leg / (norm3(x, y, z) + 1e-300)
        self.pole_x = self.knee_x + size * x
        self.pole_y = self.knee_y + size * y
        self.pole_z = self.knee_z + size * z

    def along(self, net, j, x, y, z):
        """Return the coordinate of a vector along one of the thigh's axes."""
        size = dot(net[j], net[j + 1], net[j + 2], net[j], net[j + 1], net[j + 2])
        return dot(x, y, z, net[j], net[j + 1], net[j + 2]) / (size + 1e-300)

    # -- hips --------------------------------------------------------------------------

    def hip_rise(self, reach):
        """Return how far the hip may rise until it is that far from the ankle."""
        x, y, z = self.sole.placed(
            self.sole.ankle_x, self.sole.ankle_y, self.sole.ankle_z
        )
        x -= self.sole.hip_x
        y -= self.sole.hip_y
        square = reach * reach - x * x - y * y
        return z + sqrt(square if square > 0.0 else 0.0) - self.sole.hip_z

    def animated_reach(self):
        """Return the animated distance from hip to ankle [units]."""
        return norm3(
            self.sole.ankle_x - self.sole.hip_x,
            self.sole.ankle_y - self.sole.hip_y,
            self.sole.ankle_z - self.sole.hip_z,
        )

    def max_hip_rise(self):
        """Return how far the hip may rise before the leg is at its longest [units]."""
        return self.hip_rise(max(self.animated_reach(), MAX_EXTENSION * self.sole.leg))

    def min_hip_rise(self):
        """Return how far the hip may sink before the leg is folded by ``MIN_FOLD``."""
        return self.hip_rise(MIN_FOLD * self.animated_reach())

    # -- reaching ----------------------------------------------------------------------

    def reach(self, ground, up, dt):
        """Set the ankle, the knee's pole and the sole's rotation.

        Args:
            ground: The ground.
            up: Height of the hip above the animated one [units].
            dt: Time since the last call [s]; 0: the leg may move at once.
        """
        # from here on all is relative to the hip
        if not self.bends:
            self.stays = 1.0 * self.poled
        self.hip_x = self.sole.hip_x
        self.hip_y = self.sole.hip_y
        self.hip_z = self.sole.hip_z + up
        self.own_x = self.sole.ankle_x - self.sole.hip_x
        self.own_y = self.sole.ankle_y - self.sole.hip_y
        self.own_z = self.sole.ankle_z - self.sole.hip_z
        self.own = self.animated_reach()
        self.longest = max(self.own, MAX_EXTENSION * self.sole.leg)
        x, y, z = self.sole.placed(
            self.sole.ankle_x, self.sole.ankle_y, self.sole.ankle_z
        )
        self.goal_x = x - self.hip_x
        self.goal_y = y - self.hip_y
        self.goal_z = z - self.hip_z
        if not self.foot.planted:
            self.come_down()
        distance = norm3(self.goal_x, self.goal_y, self.goal_z)
        k = 1.0
        if distance > 1e-9 * self.sole.leg:
            k = self.bend(distance, dt) / distance
        self.end_x = k * self.goal_x
        self.end_y = k * self.goal_y
        self.end_z = k * self.goal_z
        self.swing(dt)
        self.stay_out(ground)
        self.peel(dt)
        if self.poled:
            self.stays = min(1.0, self.stays + dt / POLE_SECONDS)
            self.rotate_pole()
        self.ankle_x = self.hip_x + self.end_x
        self.ankle_y = self.hip_y + self.end_y
        self.ankle_z = self.hip_z + self.end_z

    def come_down(self):
        """Lower a swinging foot that would fold up its leg, as far as it can be."""
        least = FOLDED * self.own
        square = least * least - self.goal_x * self.goal_x - self.goal_y * self.goal_y
        low = self.goal_z + sqrt(square if square > 0.0 else 0.0)
        floor = max(self.sole.needed, self.foot.swing.under)
        low = min(low, self.sole.height - floor)
        if low > 0.0:
            self.goal_z -= low
            self.sole.height -= low
            self.foot.level.shift(-low)

    def bend(self, distance, dt):
        """Return how far the ankle is from the hip, for a distance that is asked for.

        The knee's speed on top of the animation is below ``MAX_BEND_SPEED``.
        """
        length = min(distance, self.longest)
        own = knee_angle(self.own, self.thigh, self.shin)
        knee = knee_angle(length, self.thigh, self.shin) - own
        if self.bends and dt > 0.0:
            change = MAX_BEND_SPEED * dt
            knee = max(self.knee - change, min(self.knee + change, knee))
            # the animation may have straightened it meanwhile
            square = self.thigh * self.thigh + self.shin * self.shin
            square += 2.0 * self.thigh * self.shin * cos(max(own + knee, 0.0))
            length = min(sqrt(square), self.longest)
            knee = knee_angle(length, self.thigh, self.shin) - own
        self.knee = knee
        self.bends = 1
        return length

    def find_turn(self):
        """Set ``turn_x`` to ``turn_z``: the rotation from the animated leg, a vector.

        Returns:
            1; 0 where the leg has no length, now or in the animation.
        """
        size = self.own * norm3(self.end_x, self.end_y, self.end_z)
        if not size > 1e-12 * self.sole.leg * self.sole.leg:
            return 0
        x, y, z = cross(
            self.own_x, self.own_y, self.own_z, self.end_x, self.end_y, self.end_z
        )
        sine = norm3(x, y, z) / size
        cosine = dot(
            self.own_x, self.own_y, self.own_z, self.end_x, self.end_y, self.end_z
        )
        k = (atan2(sine, cosine / size) / sine if sine > 1e-9 else 1.0) / size
        self.turn_x = k * x
        self.turn_y = k * y
        self.turn_z = k * z
        return 1

    def keep_turn(self):
        """Store the rotation from the animated leg for the next frame."""
        self.swing_x = self.turn_x
        self.swing_y = self.turn_y
        self.swing_z = self.turn_z

    def swing(self, dt):
        """Limit how fast the leg swings, on top of the animation."""
        if not self.find_turn():
            return
        dx = self.turn_x - self.swing_x
        dy = self.turn_y - self.swing_y
        dz = self.turn_z - self.swing_z
        change = norm3(dx, dy, dz)
        if self.swings and dt > 0.0 and change > MAX_SWING_SPEED * dt:
            k = MAX_SWING_SPEED * dt / change
            self.turn_x = x = self.swing_x + k * dx
            self.turn_y = y = self.swing_y + k * dy
            self.turn_z = z = self.swing_z + k * dz
            # 1 + sine / angle [r] + (1 - cosine) / angle² [r]²
            angle = norm3(x, y, z)
            s = sin(angle) / angle if angle > 1e-9 else 1.0
            k = (1.0 - cos(angle)) / (angle * angle) if angle > 1e-6 else 0.5
            x, y, z = turned(
                self.own_x, self.own_y, self.own_z, s * x, s * y, s * z, k / (s * s)
            )
            k = norm3(self.end_x, self.end_y, self.end_z) / self.own
            self.end_x = k * x
            self.end_y = k * y
            self.end_z = k * z
        self.keep_turn()
        self.swings = 1

    def stay_out(self, ground):
        """Keep the foot out of the ground where its leg's limits move it in.

        The ankle goes up, or back towards where it was to be, whichever is nearer.
        """
        dx = self.end_x - self.goal_x
        dy = self.end_y - self.goal_y
        dz = self.end_z - self.goal_z
        least = 1e-4 * self.sole.leg
        if norm3(dx, dy, dz) < least:
            return
        # nor is one dragged that swings; a slow one has time to be lifted
        swings: cython.bint = self.foot.plan.state == 2 and not self.foot.planted
        swings = swings and not self.foot.swing.stepping
        swings = swings and self.foot.plan.whole < QUICK
        room = -SWINGS * self.sole.leg if swings else 0.0
        allowed = max(self.sole.depth(ground, 0.0, 0.0, 0.0), room) + least
        deep = self.sole.depth(ground, dx, dy, dz) - allowed
        if deep <= 0.0:
            return
        k: cython.int
        fraction = 0.0
        for k in range(BISECTIONS):
            f = fraction + 1.0 / (2 << k)
            if self.sole.depth(ground, f * dx, f * dy, f * dz) <= allowed:
                fraction = f
        x = self.goal_x + fraction * dx
        y = self.goal_y + fraction * dy
        z = self.goal_z + fraction * dz
        if deep < (1.0 - fraction) * norm3(dx, dy, dz):
            x = self.end_x
            y = self.end_y
            z = self.end_z + deep
        length = norm3(x, y, z)
        ratio = 1.0 if length <= self.longest else self.longest / length
        self.end_x = ratio * x
        self.end_y = ratio * y
        self.end_z = ratio * z
        if self.find_turn():
            self.keep_turn()
        self.knee = knee_angle(ratio * length, self.thigh, self.shin)
        self.knee -= knee_angle(self.own, self.thigh, self.shin)

    def peel(self, dt):
        """Lift the heel of a standing foot that its leg is too short for.

        It rotates about the point that bears, which stays, by the smallest angle, and
        comes down once it swings.
        """
        px, py, pz = self.sole.placed(
            self.sole.bearing_x, self.sole.bearing_y, self.sole.bearing_z
        )
        px -= self.hip_x
        py -= self.hip_y
        pz -= self.hip_z
        ax = self.goal_x - px
        ay = self.goal_y - py
        az = self.goal_z - pz
        size = norm3(ax, ay, az)
        if size < 1e-6 * self.sole.leg:
            return
        pull = (self.end_z - self.goal_z) / (PEEL_HEIGHT * self.sole.leg)
        # none about a heel on which it has just landed
        x = self.sole.middle_x - self.sole.ankle_x
        y = self.sole.middle_y - self.sole.ankle_y
        ahead = (self.sole.bearing_x - self.sole.ankle_x) * x
        ahead += (self.sole.bearing_y - self.sole.ankle_y) * y
        fraction = (
            self.foot.planted * ease(pull) * ease(ahead / (x * x + y * y + 1e-300))
        )
        x = y = z = 0.0
        if fraction > 0.0:
            x = self.end_x - px
            y = self.end_y - py
            z = self.end_z - pz
            for _again in range(4):
                # as far from what bears as it was, and then within reach
                scale = size / (norm3(x, y, z) + 1e-300)
                x = px + scale * x
                y = py + scale * y
                z = pz + scale * z
                scale = min(1.0, self.longest / (norm3(x, y, z) + 1e-300))
                x = scale * x - px
                y = scale * y - py
                z = scale * z - pz
            x = ax + fraction * (x - ax)
            y = ay + fraction * (y - ay)
            z = az + fraction * (z - az)
            scale = 1.0 / (size * norm3(x, y, z) + 1e-300)
            c = scale * dot(ax, ay, az, x, y, z)
            x, y, z = cross(ax, ay, az, scale * x, scale * y, scale * z)
            if c < MIN_PEEL:
                scale = sqrt(1.0 - MIN_PEEL * MIN_PEEL) / (norm3(x, y, z) + 1e-300)
                x *= scale
                y *= scale
                z *= scale
        x -= self.peel_x
        y -= self.peel_y
        z -= self.peel_z
        k = min(1.0, PEEL_SPEED * dt / (norm3(x, y, z) + 1e-300))
        self.peel_x += k * x
        self.peel_y += k * y
        self.peel_z += k * z
        x, y, z = self.peel_x, self.peel_y, self.peel_z
        square = dot(x, y, z, x, y, z)
        if not square + self.sink > 0.0:
            return
        k = 1.0 / (1.0 + sqrt(max(1.0 - square, 0.0)))
        # corners before the point that bears would sink
        sink = 0.0
        for i in range(self.sole.count * self.foot.planted):
            cx, cy, cz = self.sole.placed(
                self.sole.points[3 * i],
                self.sole.points[3 * i + 1],
                self.sole.points[3 * i + 2],
            )
            cx -= px + self.hip_x
            cy -= py + self.hip_y
            cz -= pz + self.hip_z
            _, _, low = turned(cx, cy, cz, x, y, z, k)
            sink = max(sink, cz - low - self.sole.heights[i] + self.sole.lowest)
        change = PEEL_SPEED * dt * size
        self.sink = max(self.sink - 0.25 * change, min(self.sink + change, sink))
        self.sole.turn(x, y, z, k)
        x, y, z = turned(ax, ay, az, x, y, z, k)
        # the ankle goes with it by as much as it was pulled up
        dx = self.end_x - self.goal_x
        dy = self.end_y - self.goal_y
        dz = self.end_z - self.goal_z
        moved = norm3(x - ax, y - ay, z - az)
        share = min(1.0, moved / (norm3(dx, dy, dz) + 1e-300))
        self.end_x += share * (px + x - self.end_x)
        self.end_y += share * (py + y - self.end_y)
        self.end_z += share * (pz + z - self.end_z)
        length = norm3(self.end_x, self.end_y, self.end_z)
        if length > self.longest:
            k = self.longest / length
            self.end_x *= k
            self.end_y *= k
            self.end_z *= k
        self.end_z += self.sink

    def rotate_pole(self):
        """Rotate the knee's pole with the leg before the leg points at it.

        Else the knee would flip when its foot is lifted towards the pole. The rotation
        is the smallest one from the animated line between hip and ankle to this one.
        """
        x = self.pole_x - self.sole.hip_x
        y = self.pole_y - self.sole.hip_y
        z = self.pole_z - self.sole.hip_z
        ax, ay, az = self.own_x, self.own_y, self.own_z
        bx, by, bz = self.end_x, self.end_y, self.end_z
        size = self.own * norm3(bx, by, bz)
        scale = size + dot(ax, ay, az, bx, by, bz)
        fraction = tx = ty = tz = 0.0
        # for a half turn the smallest rotation is undefined
        if scale > 1e-9 * self.sole.leg * self.sole.leg:
            vx, vy, vz = cross(ax, ay, az, bx / size, by / size, bz / size)
            tx, ty, tz = turned(x, y, z, vx, vy, vz, size / scale)
            # a pole that is well to the side of the line stays
            px, py, pz = aside(x, y, z, bx, by, bz)
            clearance = dot(px, py, pz, tx, ty, tz)
            fraction = fall(
                clearance / (dot(x, y, z, x, y, z) + 1e-300), POLE_NEAR, POLE_CLEAR
            )
            # one that is new begins as the knee went without it
            fraction = 1.0 - ease(self.stays) * (1.0 - fraction)
        self.pole_x = self.hip_x + x + fraction * (tx - x)
        self.pole_y = self.hip_y + y + fraction * (ty - y)
        self.pole_z = self.hip_z + z + fraction * (tz - z)
