# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""A frame of all feet of a figure, and of the hips that they carry."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import atan2, ceil, sqrt

    from .actor_frame import (
        GOAL,
        GOAL_POLE,
        GOAL_POLED,
        GOAL_TURN,
        GOAL_TURNED,
        GOAL_WEIGHT,
    )
    from .buffers import doubles, ints, pin
    from .foot import ANKLE, HEADING, HIP, LEG, ORIGIN, RISE, SOLE, Foot, fall
    from .foot_ground import GroundKernel
    from .matrices import from_rows, square_up
    from .spring_damper import SpringDamper

COMPILED = cython.compiled

# distance of a knee from the line between hip and ankle [leg lengths]: below the first
# it has no side, above the second a clear one
STRAIGHT_BEND = 0.02
CLEAR_BEND = 0.06
# maximum acceleration of hips [leg lengths / s2]
MAX_ACCELERATION = 11.0
# how far the hips hang below the line through the footholds at most [leg lengths]
MAX_SAG = 0.1
# factor of the settling time while a standing leg pulls the hips down
PULLED = 0.6
# time for which a leg that stretches is looked ahead [s]
LEAD = 0.02
# how much a standing leg could still stretch then [leg lengths]
SPARE = 0.015
# points before and behind at which the ground is looked at for its slope: distance
# [leg lengths] and number on a side; settling time of the slope [s]
SPACING = 0.2
POINTS_PER_SIDE = 4
RAMP_SECONDS = 0.2
# speed below which the slope is kept [leg lengths / s]
MIN_SPEED = 0.05
# time step in which a foot's motion counts as straight [s], and maximum number of such
# steps per frame: longer frames use longer steps, so that one late frame does not delay
# the next
PIECE = 1.0 / 110.0
PIECES = 9
# a move of the figure in one frame beyond this is a teleport [leg lengths]
LEAP = 1.0
# minimum cosine of the angle between the figure's z axis and the world's
UPRIGHT = 0.5
# why a frame's pose is no use: it is not upright, legs have no length
TILTED, LEGLESS = 1, 2
# how much more a foot needs to step for being ahead of the others on its way
AHEAD = 0.05


class Hips:
    """A joint that carries legs, raised and lowered with the ground.

    Their height follows the line through the footholds, and lies below it where a leg
    would be too short to reach the lower one.

    Args:
        feet: The feet that it carries, ``Foot``.
    """

    def __init__(self, feet):
        self.feet = feet
        self.height = SpringDamper()
        self.ramp_x = SpringDamper()
        self.ramp_y = SpringDamper()
        self.sag = SpringDamper()
        self.reset()

    def reset(self):
        """Reset to the state before the first frame."""
        self.up = 0.0
        self.has_height = 0
        self.x = self.y = 0.0
        self.limit = 1e300
        self.height.reset(0.0)
        self.sag.reset(0.0)

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
        foot: Foot = self.feet[0]
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
        foot: Foot = self.feet[0]
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
                ground.find_height(px, py, level + step)
                and ground.height >= level - step
            ):
                level = ground.height
        n = st = sh = stt = sth = 0.0
        for side in range(2):
            signed_spacing = spacing if side == 0 else -spacing
            height = level
            for k in range(side, POINTS_PER_SIDE + 1):
                t = signed_spacing * k
                if not ground.find_height(x + t * ux, y + t * uy, height + step):
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
        """Advance by a time.

        Args:
            x: Position of the hips, seen from above.
            y: As ``x``.
            seconds: Settling time of their height [s].
            dt: Time since the last call [s].
        """
        height = self.height
        count = len(self.feet)
        plane = line = shift = lowest = 0.0
        limit = 1e300
        leg = step = 0.0
        fold = -1e300
        slack = 1e300
        for foot_object in self.feet:
            foot: Foot = foot_object
            leg = foot.leg
            step = max(step, foot.step_height * leg)
            plane = foot.plane_height(x, y)
            ramp = self.ramp_x.value * (x - foot.rest_x)
            ramp += self.ramp_y.value * (y - foot.rest_y)
            line += (foot.rest_z + ramp) / count
            slack = min(slack, foot.slack)
            rise = self.ramp_x.value * (x - self.x - foot.moved_x)
            rise += self.ramp_y.value * (y - self.y - foot.moved_y)
            shift += (rise + foot.moved_z) / count
            fold = max(fold, plane + foot.min_hip_rise())
            if foot.planted:
                limit = min(limit, plane + foot.max_hip_rise())
        reached = limit
        deep = 0.0
        for foot_object in self.feet:
            foot = foot_object
            end = foot.rest_z if foot.planted else foot.land_z
            other = (line * count - foot.rest_z) / max(count - 1, 1)
            deep = max(deep, 0.5 * abs(other - end))
        sag = min(MAX_SAG * leg, max(0.0, deep - slack))
        lowest = foot.ramp_height(x, y)
        goal = line
        if not self.has_height:
            height.reset(min(goal, limit))
            self.sag.reset(goal - height.value)
            self.has_height = 1
        else:
            self.sag.step(sag, 0.5, dt)
            goal -= self.sag.value
            # a leg that stretches pulls in time
            if self.limit < 1e299 and limit < self.limit + shift and dt > 0.0:
                sunk = LEAD * (limit - self.limit - shift) / dt
                limit += max(sunk, -2.0 * SPARE * leg)
            self.limit = reached
            limit -= min(SPARE * leg, self.sag.value)
            if limit < goal:
                # a leg that stands pulls them down
                goal = limit
                seconds *= PULLED
            goal = max(goal, fold)
            goal = max(lowest - step, min(lowest + step, goal))
            height.shift(shift)
            before = height.value
            speed = height.speed
            height.step(goal, seconds, dt)
            most = MAX_ACCELERATION * leg * dt
            if abs(height.speed - speed) > most:
                height.speed = speed + (most if height.speed > speed else -most)
                height.value = before + 0.5 * (speed + height.speed) * dt
            height.value = max(lowest - step, min(lowest + step, height.value))
        self.x = x
        self.y = y
        self.up = height.value - plane


class Feet:
    """All feet and hips of a figure, from its joints' matrices to the ankles' goals.

    Args:
        feet: A ``Foot`` for each foot.
        poses: Buffer of each foot's pose, see ``Foot``.
        bodies: A ``Hips`` for each joint that carries legs.
        parents: Index of each joint's parent, parents first; -1: the figure itself.
        mats: Matrix of each joint in its parent, 16 numbers in rows (single precision).
        world: Matrix of the figure in the world, as ``mats``.
        layout: For each foot: number of bones, number of corners, joints from hip to
            ankle, joint of each corner; then the joint of each body.
        points: Positions of the corners in their joints, 3 each.
        goals: Out: goal matrix of each ankle, world space, 16 numbers in rows.
        poles: Out: pole of each knee, world space, and 1 once it is needed; 4 each.
        nets: Scratch: 16 numbers for each joint, 24 for each foot, 4 for each body, 18.
            The 12th to 14th of a foot are the side of its knee, in its thigh's space,
            shorter than a clear bend.
        carriers: Index of the body that carries each foot, whose offset the foot adds,
            or -1.
        above: Index of the nearest body above each body, with which it moves, or -1.
        moves: Out: offset up of each body's joint, relative to the body above [unit].
        rises: Scratch: one number for each foot.
    """

    def __init__(self, feet, poses, bodies, parents, mats, world, layout, points, goals,
                 poles, nets, carriers, above, moves, rises):  # fmt: skip
        self.feet = feet
        self.poses = poses
        self.bodies = bodies
        self.count = len(parents)
        self._nets = nets
        buffers = {
            "parents": parents,
            "layout": layout,
            "points": points,
            "goals": goals,
            "poles": poles,
            "nets": self._nets,
            "carriers": carriers,
            "above": above,
            "moves": moves,
            "rises": rises,
        }
        self._pinned = pin(buffers)
        self.mats = mats
        self.world = world
        self.parent = ints(parents)
        self.layout = ints(layout)
        self.point = doubles(points)
        self.goal = doubles(goals)
        self.pole = doubles(poles)
        self.net = doubles(self._nets)
        self.carrier = ints(carriers)
        self.above = ints(above)
        self.move = doubles(moves)
        self.rise = doubles(rises)
        self.leg = 0.0
        self.extra = 16 * self.count
        # scratch: a rotation's axes, and the inverse of the first joint's
        self.scratch = self.extra + 24 * len(feet) + 4 * len(bodies)
        self.reset()

    def reset(self):
        """Reset to the state before the first frame; knees keep their sides."""
        self.has_read = self.has_before = self.has_run = 0
        self.before_x = self.before_y = self.before_z = 0.0
        for foot_object in self.feet:
            foot: Foot = foot_object
            foot.reset()
        for body_object in self.bodies:
            body: Hips = body_object
            body.reset()

    def begin(self):
        """Read the frame's pose; return 0, or what is wrong with it.

        A figure that was teleported is reset, and so is one for which no time has
        passed yet: as long as the clock stands, each frame is the first.
        """
        upright = self.read()
        if not (upright >= UPRIGHT or upright <= -UPRIGHT):
            return TILTED
        least = 1e300
        most = 0.0
        for pose in self.poses:
            leg = doubles(pose)[LEG]
            least = min(least, leg)
            most = max(most, leg)
        if not least > 0.0:
            return LEGLESS
        self.leg = most
        world = self.world
        x = 1.0 * world[12]
        y = 1.0 * world[13]
        z = 1.0 * world[14]
        if self.has_before:
            dx = x - self.before_x
            dy = y - self.before_y
            dz = z - self.before_z
            if not self.has_run or sqrt(dx * dx + dy * dy + dz * dz) > LEAP * most:
                self.reset()
                self.read()
        self.has_before = 1
        self.before_x = x
        self.before_y = y
        self.before_z = z
        return 0

    def advance(self, ground, hips_seconds, weight, dt):
        """Advance feet and hips by a frame, and set ``goals`` and ``moves``.

        Args:
            ground: The ground.
            hips_seconds: Settling time of the hips [s].
            weight: Fraction of the hips' offset to apply, 0 to 1.
            dt: Time of the frame [s].
        """
        if dt > 0.0:
            self.has_run = 1
        # split long frames, or a foot could miss an edge
        pieces: cython.int = int(ceil(dt / PIECE))  # noqa: RUF046
        self.step(ground, max(1, min(pieces, PIECES)), hips_seconds, dt)
        for b in range(len(self.bodies)):
            body: Hips = self.bodies[b]
            self.move[b] = weight * body.up
            if self.above[b] >= 0:
                body = self.bodies[self.above[b]]
                self.move[b] -= weight * body.up
        for f in range(len(self.feet)):
            self.rise[f] = 0.0
            if self.carrier[f] >= 0:
                body = self.bodies[self.carrier[f]]
                self.rise[f] = weight * body.up
        self.finish(ground, dt)
        return 0

    def read(self):
        """Read the poses of all joints; return how upright the figure is.

        Returns:
            Cosine of the angle between the figure's z axis and the world's; below -1
            when numbers are not finite.
        """
        net = self.net
        mats = self.mats
        world = self.world
        # typed: Python objects would cost more than all the rest
        j: cython.int
        p: cython.int
        r: cython.int
        k: cython.int
        for j in range(self.count):
            p = self.parent[j]
            for r in range(4):
                a = 1.0 * mats[16 * j + 4 * r]
                b = 1.0 * mats[16 * j + 4 * r + 1]
                c = 1.0 * mats[16 * j + 4 * r + 2]
                d = 1.0 if r == 3 else 0.0
                for k in range(3):
                    if p < 0:
                        x = a * world[k] + b * world[4 + k] + c * world[8 + k]
                        x += d * world[12 + k]
                    else:
                        x = a * net[16 * p + k] + b * net[16 * p + 4 + k]
                        x += c * net[16 * p + 8 + k] + d * net[16 * p + 12 + k]
                    net[16 * j + 4 * r + k] = x
        ux = 1.0 * world[1] * world[6] - 1.0 * world[2] * world[5]
        uy = 1.0 * world[2] * world[4] - 1.0 * world[0] * world[6]
        uz = 1.0 * world[0] * world[5] - 1.0 * world[1] * world[4]
        size = sqrt(ux * ux + uy * uy + uz * uz)
        if not 0.0 < size < 1e300:
            return -2.0
        upright = uz / size
        if not abs(upright) > 1e-3:
            return upright
        o = 0
        q = 0
        for f in range(len(self.feet)):
            now = doubles(self.poses[f])
            bones = self.layout[o]
            corners = self.layout[o + 1]
            o += 2
            leg = 0.0
            for i in range(bones + 1):
                j = 16 * self.layout[o + i] + 12
                if i > 0:
                    p = 16 * self.layout[o + i - 1] + 12
                    x = net[j] - net[p]
                    y = net[j + 1] - net[p + 1]
                    z = net[j + 2] - net[p + 2]
                    length = sqrt(x * x + y * y + z * z)
                    leg += length
                    if i == bones:
                        self.net[self.extra + 24 * f + 10] = length
                    elif i == 1:
                        for k in range(3):
                            net[self.extra + 24 * f + 14 + k] = net[j + k]
            first = 16 * self.layout[o] + 12
            last = 16 * self.layout[o + bones]
            for k in range(3):
                now[HIP + k] = net[first + k]
                now[ANKLE + k] = net[last + 12 + k]
                now[ORIGIN + k] = world[12 + k]
            now[RISE] = -ux / uz
            now[RISE + 1] = -uy / uz
            now[LEG] = leg
            self.net[self.extra + 24 * f + 9] = leg - self.net[self.extra + 24 * f + 10]
            now[HEADING] = self.heading(f, last, now[HEADING])
            o += bones + 1
            for i in range(corners):
                j = 16 * self.layout[o + i]
                for k in range(3):
                    now[SOLE + 3 * i + k] = (
                        self.point[q] * net[j + k]
                        + self.point[q + 1] * net[j + 4 + k]
                        + self.point[q + 2] * net[j + 8 + k]
                        + net[j + 12 + k]
                    )
                q += 3
            if bones == 2:
                self.set_knee_pole(f, 16 * self.layout[o - 3], leg)
            o += corners
            if not -1e300 < leg + now[HEADING] < 1e300:
                return -2.0
        for n in range(len(self.bodies)):
            j = 16 * self.layout[o + n] + 12
            e = self.extra + 24 * len(self.feet) + 4 * n
            net[e + 2] = net[j]
            net[e + 3] = net[j + 1]
            if not self.has_read:
                net[e] = net[j]
                net[e + 1] = net[j + 1]
        self.has_read = 1
        return upright

    def set_knee_pole(self, f, j, leg):
        """Set a knee's pole: the side it bends to, or the last clear one.

        A leg that is animated straight has no side, or the wrong one by a hair; until
        it has been bent, its knee bends to the side of its layout, or to the toes.

        Args:
            f: Index of the foot.
            j: Index of its thigh's matrix in ``net``.
            leg: Length of the leg.
        """
        net = self.net
        now = doubles(self.poses[f])
        e = self.extra + 24 * f + 11
        knee = self.extra + 24 * f + 14
        cx = now[ANKLE] - now[HIP]
        cy = now[ANKLE + 1] - now[HIP + 1]
        cz = now[ANKLE + 2] - now[HIP + 2]
        size = cx * cx + cy * cy + cz * cz
        bx = net[knee] - now[HIP]
        by = net[knee + 1] - now[HIP + 1]
        bz = net[knee + 2] - now[HIP + 2]
        if not size > 1e-12 * leg * leg:
            return
        along = (bx * cx + by * cy + bz * cz) / size
        bx -= along * cx
        by -= along * cy
        bz -= along * cz
        bent = sqrt(bx * bx + by * by + bz * bz) / leg
        # its largest offset so far, in the thigh's frame
        mx = my = mz = 0.0
        for i in range(3):
            mx += net[e + i] * net[j + 4 * i]
            my += net[e + i] * net[j + 4 * i + 1]
            mz += net[e + i] * net[j + 4 * i + 2]
        largest = sqrt(mx * mx + my * my + mz * mz) / leg
        if bent >= CLEAR_BEND and bent >= largest:
            for i in range(3):
                x = net[j + 4 * i]
                y = net[j + 4 * i + 1]
                z = net[j + 4 * i + 2]
                square = x * x + y * y + z * z + 1e-300
                net[e + i] = (bx * x + by * y + bz * z) / square
            mx = bx
            my = by
            mz = bz
        elif not largest > 0.0:
            x = y = z = 0.0
            count: cython.int = self.feet[f].count
            for i in range(count):
                x += now[SOLE + 3 * i] / count
                y += now[SOLE + 3 * i + 1] / count
                z += now[SOLE + 3 * i + 2] / count
            mx = x - now[ANKLE]
            my = y - now[ANKLE + 1]
            mz = z - now[ANKLE + 2]
        weight = 1.0 - fall(bent, STRAIGHT_BEND, CLEAR_BEND)
        if weight < 1.0:
            self.pole[4 * f + 3] = 1.0
        along = (mx * cx + my * cy + mz * cz) / size
        mx -= along * cx
        my -= along * cy
        mz -= along * cz
        size = sqrt(mx * mx + my * my + mz * mz)
        if not size > 1e-9 * leg:
            weight = 1.0
            size = 1.0
        size = (1.0 - weight) / size
        weight /= bent * leg + 1e-300
        mx = weight * bx + size * mx
        my = weight * by + size * my
        mz = weight * bz + size * mz
        size = leg / (sqrt(mx * mx + my * my + mz * mz) + 1e-300)
        self.pole[4 * f] = net[knee] + size * mx
        self.pole[4 * f + 1] = net[knee + 1] + size * my
        self.pole[4 * f + 2] = net[knee + 2] + size * mz

    def heading(self, f, j, heading):
        """Return a foot's heading: the last one plus the twist since [rad].

        Unlike the direction in which a foot points, the twist of the rotation since
        has no jump where the toes point straight down.
        """
        net = self.net
        e = self.extra + 24 * f
        a, b, c = net[e], net[e + 1], net[e + 2]
        d, g, h = net[e + 3], net[e + 4], net[e + 5]
        p, q, r = net[e + 6], net[e + 7], net[e + 8]
        for i in range(3):
            for k in range(3):
                net[e + 3 * i + k] = net[j + 4 * i + k]
        det = a * (g * r - h * q) - b * (d * r - h * p) + c * (d * q - g * p)
        if not self.has_read or not det * det > 0.0:
            return 0.0 if not self.has_read else heading
        # rows of the inverse of the last axes
        i0 = (g * r - h * q) / det
        i1 = (c * q - b * r) / det
        i2 = (b * h - c * g) / det
        i3 = (h * p - d * r) / det
        i4 = (a * r - c * p) / det
        i5 = (c * d - a * h) / det
        i6 = (d * q - g * p) / det
        i7 = (b * p - a * q) / det
        i8 = (a * g - b * d) / det
        m00 = i0 * net[e] + i1 * net[e + 3] + i2 * net[e + 6]
        m11 = i3 * net[e + 1] + i4 * net[e + 4] + i5 * net[e + 7]
        m22 = i6 * net[e + 2] + i7 * net[e + 5] + i8 * net[e + 8]
        m01 = i0 * net[e + 1] + i1 * net[e + 4] + i2 * net[e + 7]
        m10 = i3 * net[e] + i4 * net[e + 3] + i5 * net[e + 6]
        return heading + 2.0 * atan2(m01 - m10, 1.0 + m00 + m11 + m22)

    def set_floor(self, height):
        """Tell how high above the figure's origin its clips stand."""
        world = self.world
        for f in range(len(self.feet)):
            foot: Foot = self.feet[f]
            now = doubles(self.poses[f])
            rise = now[RISE] * world[8] + now[RISE + 1] * world[9]
            foot.stance = height * (world[10] - rise)

    def plan(self, f, state, left, whole, x, y, z, half, way_x, way_y, way_z):
        """Tell what the clip does with a foot, for the next ``step``.

        Args:
            f: Index of the foot.
            state: 0: not known; 1: it stands; 2: it swings.
            left: Time until it lands, if it swings [s].
            whole: Time of the whole swing [s].
            x: Where the middle of its sole is then, in the figure's space.
            y: As ``x``.
            z: As ``x``.
            half: Half of the time for which it stands then [s].
            way_x: How far it is animated to move in that, in the figure's space.
            way_y: As ``way_x``.
            way_z: As ``way_x``.
        """
        foot: Foot = self.feet[f]
        world = self.world
        foot.plan = state
        foot.plan_half = half
        foot.way_x = way_x * world[0] + way_y * world[4] + way_z * world[8]
        foot.way_y = way_x * world[1] + way_y * world[5] + way_z * world[9]
        foot.plan_left = left
        foot.plan_whole = whole
        foot.plan_x = x * world[0] + y * world[4] + z * world[8] + world[12]
        foot.plan_y = x * world[1] + y * world[5] + z * world[9] + world[13]

    def step(self, ground, pieces, hips_seconds, dt):
        """Advance feet and hips by one frame, in several pieces.

        Args:
            ground: The ground.
            pieces: Number of pieces, at least 1.
            hips_seconds: Settling time of the hips [s].
            dt: Time of the frame [s].
        """
        part = 1.0 / pieces
        for foot_object in self.feet:
            foot: Foot = foot_object
            # the plan is that of the frame's end
            foot.plan_end = foot.plan_left
            foot.plan_left += dt
        for n in range(pieces):
            until = part * (n + 1)
            for foot_object in self.feet:
                foot = foot_object
                foot.plan_left = max(foot.plan_left - part * dt, 0.0)
                foot.advance(ground, until, part, part * dt)
            for b in range(len(self.bodies)):
                body: Hips = self.bodies[b]
                e = self.extra + 24 * len(self.feet) + 4 * b
                x = self.net[e] + until * (self.net[e + 2] - self.net[e])
                y = self.net[e + 1] + until * (self.net[e + 3] - self.net[e + 1])
                body.survey(ground, x, y, until, part, part * dt)
                body.follow(x, y, hips_seconds, part * dt)
            self.step_on_the_spot()
        for b in range(len(self.bodies)):
            e = self.extra + 24 * len(self.feet) + 4 * b
            self.net[e] = self.net[e + 2]
            self.net[e + 1] = self.net[e + 3]

    def step_on_the_spot(self):
        """Start a step of the foot that needs it most, when all feet stand.

        Of feet that need it alike the one ahead on the way back goes first: the other
        would cross it, and rounding would decide.
        """
        chosen = -1
        urgent = 0
        x = y = 0.0
        count: cython.int = len(self.feet)
        for foot_object in self.feet:
            foot: Foot = foot_object
            if not foot.planted:
                return
            x += foot.spot_x / count
            y += foot.spot_y / count
            if foot.wants_step() >= 1.0:
                urgent = 1
        if not urgent:
            return
        most = -1e300
        for f in range(count):
            foot = self.feet[f]
            dx = x - foot.spot_x
            dy = y - foot.spot_y
            size = foot.offset_x * foot.offset_x + foot.offset_y * foot.offset_y
            size = sqrt(size * (dx * dx + dy * dy)) + 1e-9 * foot.leg * foot.leg
            ahead = (dx * foot.offset_x + dy * foot.offset_y) / size
            need = foot.wants_step() + AHEAD * ahead
            if need > most + 1e-4:
                most = need
                chosen = f
        foot = self.feet[chosen]
        foot.begin_step()

    def pass_goals(self, numbers, weight):
        """Pass the last goals to the legs' chains, in the space of the first joint.

        Args:
            numbers: Out: ``GOAL`` numbers for each foot, see ``PoseGoal``.
            weight: The weight of the chains.
        """
        out = doubles(numbers)
        a, b, c = self.net[0], self.net[1], self.net[2]
        d, e, f = self.net[4], self.net[5], self.net[6]
        g, h, k = self.net[8], self.net[9], self.net[10]
        det = a * (e * k - f * h) - b * (d * k - f * g) + c * (d * h - e * g)
        axes = self.net
        s = self.scratch
        v = s + 9
        axes[v] = (e * k - f * h) / det
        axes[v + 1] = (c * h - b * k) / det
        axes[v + 2] = (b * f - c * e) / det
        axes[v + 3] = (f * g - d * k) / det
        axes[v + 4] = (a * k - c * g) / det
        axes[v + 5] = (c * d - a * f) / det
        axes[v + 6] = (d * h - e * g) / det
        axes[v + 7] = (b * g - a * h) / det
        axes[v + 8] = (a * e - b * d) / det
        for n in range(len(self.feet)):
            o = GOAL * n
            for r in range(3):
                x = self.goal[16 * n + 4 * r]
                y = self.goal[16 * n + 4 * r + 1]
                z = self.goal[16 * n + 4 * r + 2]
                for i in range(3):
                    axes[s + 3 * r + i] = (
                        x * axes[v + i] + y * axes[v + 3 + i] + z * axes[v + 6 + i]
                    )
            square_up(axes, s)
            from_rows(out, o + GOAL_TURN, axes, s)
            out[o + GOAL_TURNED] = 1.0
            out[o + GOAL_WEIGHT] = weight
            out[o + GOAL_POLED] = self.pole[4 * n + 3]
            for p in range(2):
                if p == 0:
                    x = self.goal[16 * n + 12]
                    y = self.goal[16 * n + 13]
                    z = self.goal[16 * n + 14]
                else:
                    x = self.pole[4 * n]
                    y = self.pole[4 * n + 1]
                    z = self.pole[4 * n + 2]
                x -= self.net[12]
                y -= self.net[13]
                z -= self.net[14]
                for i in range(3):
                    out[o + p * GOAL_POLE + i] = (
                        x * axes[v + i] + y * axes[v + 3 + i] + z * axes[v + 6 + i]
                    )
        return 0

    def finish(self, ground, dt):
        """Write the goals, within reach of the raised hips.

        Args:
            ground: The ground.
            dt: Time of the frame [s].
        """
        o = 0
        hip_rise = self.rise
        for f in range(len(self.feet)):
            foot: Foot = self.feet[f]
            bones = self.layout[o]
            j = 16 * self.layout[o + 2 + bones]
            e = self.extra + 24 * f
            fraction = foot.bend(hip_rise[f], self.net[e + 9], self.net[e + 10], dt)
            goal = self.goal
            g = 16 * f
            foot.swing(fraction, hip_rise[f], dt)
            foot.stay_out(ground, hip_rise[f], self.net[e + 9], self.net[e + 10])
            foot.peel(hip_rise[f])
            goal[g + 12] = foot.end_x
            goal[g + 13] = foot.end_y
            goal[g + 14] = foot.end_z
            goal[g + 15] = 1.0
            if self.pole[4 * f + 3] > 0.0:
                q = 4 * f
                foot.rotate_pole(
                    self.pole[q], self.pole[q + 1], self.pole[q + 2], hip_rise[f]
                )
                self.pole[q] = foot.out_x
                self.pole[q + 1] = foot.out_y
                self.pole[q + 2] = foot.out_z
            for i in range(3):
                x = self.net[j + 4 * i]
                y = self.net[j + 4 * i + 1]
                z = self.net[j + 4 * i + 2]
                goal[g + 4 * i] = foot.t0 * x + foot.t1 * y + foot.t2 * z
                goal[g + 4 * i + 1] = foot.t3 * x + foot.t4 * y + foot.t5 * z
                goal[g + 4 * i + 2] = foot.t6 * x + foot.t7 * y + foot.t8 * z
                goal[g + 4 * i + 3] = 0.0
            foot.end_frame()
            o += 2 + bones + 1 + self.layout[o + 1]
