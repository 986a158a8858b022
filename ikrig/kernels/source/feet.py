"""A frame of all feet of a figure, with the hips that they carry."""

from __future__ import annotations

import cython

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
    from .buffers import doubles, floats, ints, objects, pin
    from .foot import Foot
    from .foot_ground import GroundKernel
    from .hips import Hips
    from .leg import Leg
    from .matrices import from_rows, square_up
    from .pose import AHEAD
    from .sole import HIP, LEG, ORIGIN, RISE, TURN, shortest

# time step in which a foot's motion counts as straight [s], and maximum number of such
# steps per frame: longer frames use longer steps, so that one late frame does not delay
# the next
PIECE = 1.0 / 110.0
PIECES = 9
# a move of the figure in one frame beyond this is a teleport [leg lengths]
LEAP = 1.0
# minimum cosine of the angle between the figure's z axis and the world's
UPRIGHT = 0.5
# a figure jumps that rises faster than its ground [leg lengths / s], by more than this
# above where it stood [leg lengths], unless there is ground as high, or higher by a
# riser, so far before or behind it; it lands below the second height, or where it is
# slower than this for so long [s]
JUMPS = 0.6
OFF_GROUND = 0.08
ON_GROUND = 0.03
BESIDE = 0.5
RISER = 0.2
HANGS_SPEED = 0.1
HANGS = 0.2
# time in which it is known how high above the ground it stands [s]
STANDS_SECONDS = 0.2
# why a frame's pose is no use: it is not upright, legs have no length, it is flat
TILTED, LEGLESS, FLAT = 1, 2, 3
# need of a foot that steps when another one does
JOINS = 0.3
# how much more a foot needs to step for being ahead of the others on its way
LEADING = 0.05


class Feet:
    """All feet and hips of a figure, from its joints' matrices to the ankles' goals.

    Args:
        legs: A ``Leg`` for each foot.
        bodies: A ``Hips`` for each joint that carries legs.
        parents: Index of each joint's parent, parents first; -1: the figure itself.
        mats: Matrix of each joint in its parent, 16 numbers in rows (single precision).
        world: Matrix of the figure in the world, as ``mats``.
        goals: Out: goal matrix of each ankle, world space, 16 numbers in rows.
        nets: Scratch: 16 numbers for each joint, and 18.
        carriers: Index of the body that carries each foot, whose offset the foot adds,
            or -1.
        above: Index of the nearest body above each body, with which it moves, or -1.
        moves: Out: offset up of each body's joint, relative to the body above [unit].
    """

    def __init__(self, legs, bodies, parents, mats, world, goals, nets, carriers, above,
                 moves):  # fmt: skip
        self.legs = tuple(legs)
        self.feet = tuple(leg.foot for leg in legs)
        self.bodies = tuple(bodies)
        self.limb = objects(self.legs)
        self.foot = objects(self.feet)
        self.body = objects(self.bodies)
        self.foot_count = len(self.feet)
        self.body_count = len(self.bodies)
        self.count = len(parents)
        buffers = {
            "mats": mats,
            "world": world,
            "parents": parents,
            "goals": goals,
            "nets": nets,
            "carriers": carriers,
            "above": above,
            "moves": moves,
        }
        self._pinned = pin(buffers)
        self.own_mats = floats(mats)
        self.world = self.own_world = floats(world)
        self.parent = ints(parents)
        self.goal = doubles(goals)
        self.net = doubles(nets)
        self.carrier = ints(carriers)
        self.above = ints(above)
        self.move = doubles(moves)
        self.leg = 0.0
        # scratch: a rotation's axes, and the inverse of the first joint's
        self.scratch = 16 * self.count
        self.reset()

    def reset(self):
        """Reset to the state before the first frame; knees keep their sides."""
        self.has_before = self.has_run = 0
        self.before_x = self.before_y = self.before_z = 0.0
        self.yaw = self.before_yaw = self.turned = 0.0
        self.clearance = self.hung = 0.0
        self.moved_x = self.moved_y = self.moved_z = 0.0
        self.middle_x = self.middle_y = 0.0
        self.flying = 0
        for f in range(self.foot_count):
            cython.cast(Leg, self.limb[f]).reset()
        for b in range(self.body_count):
            cython.cast(Hips, self.body[b]).reset()

    def begin(self):
        """Read the frame's pose; return 0, or what is wrong with it.

        A figure that was teleported is reset, and so is one for which no time has
        passed yet: as long as the clock stands, each frame is the first.
        """
        return self.begin_at(self.own_mats, self.own_world)

    def begin_at(self, mats, world):
        """Do as ``begin``, with matrices that only this frame has."""
        self.world = world
        upright = self.read(mats)
        if not (upright >= UPRIGHT or upright <= -UPRIGHT):
            return TILTED
        least = 1e300
        most = 0.0
        for f in range(self.foot_count):
            length = cython.cast(Foot, self.foot[f]).sole.now[LEG]
            least = min(least, length)
            most = max(most, length)
        if not least > 0.0:
            return LEGLESS
        self.leg = most
        x = 1.0 * world[12]
        y = 1.0 * world[13]
        z = 1.0 * world[14]
        if self.has_before:
            dx = x - self.before_x
            dy = y - self.before_y
            dz = z - self.before_z
            if not self.has_run or sqrt(dx * dx + dy * dy + dz * dz) > LEAP * most:
                self.reset()
                self.read(mats)
        self.moved_z = z - self.before_z if self.has_before else 0.0
        self.has_before = 1
        self.before_x = x
        self.before_y = y
        self.before_z = z
        self.yaw = atan2(1.0 * world[1], 1.0 * world[0])
        return 0

    def advance(self, ground, hips_seconds, weight, dt):
        """Advance feet and hips by a frame, and set ``goals`` and ``moves``.

        Args:
            ground: The ground.
            hips_seconds: Settling time of the hips [s].
            weight: Fraction of the hips' offset to apply, 0 to 1.
            dt: Time of the frame [s].
        """
        # a pose may be read twice
        self.turned = shortest(self.yaw - self.before_yaw) if self.has_run else 0.0
        self.before_yaw = self.yaw
        self.find_flight(ground, dt)
        # split long frames, or a foot could miss an edge; in the first nothing moved
        pieces: cython.int = int(ceil(dt / PIECE))  # noqa: RUF046
        most = PIECES if self.has_run else 1
        if dt > 0.0:
            self.has_run = 1
        self.step(ground, max(1, min(pieces, most)), hips_seconds, dt)
        for b in range(self.body_count):
            self.move[b] = weight * self.rise(b) - weight * self.rise(self.above[b])
        for f in range(self.foot_count):
            up = weight * self.rise(self.carrier[f])
            self.finish(
                cython.cast(Leg, self.limb[f]), cython.cast(Foot, self.foot[f]),
                f, ground, up, dt,
            )  # fmt: skip
        return 0

    def find_flight(self, ground: GroundKernel, dt):
        """Find out whether the figure is in the air, from how it moves up and down.

        Clips don't tell: a game moves the figure. One that goes up stairs has ground as
        high as itself before or behind it.
        """
        height = cython.cast(Foot, self.foot[0]).sole.step_height
        step = height * self.leg
        # clips may move it from its origin
        x = y = 0.0
        for f in range(self.foot_count):
            x += cython.cast(Foot, self.foot[f]).sole.now[HIP] / self.foot_count
            y += cython.cast(Foot, self.foot[f]).sole.now[HIP + 1] / self.foot_count
        self.moved_x = x - self.middle_x
        self.moved_y = y - self.middle_y
        self.middle_x = x
        self.middle_y = y
        z = self.before_z
        away = 1e300
        if ground.find_level(x, y, z + step):
            away = (z - ground.height) / self.leg
        if dt > 0.0 and self.has_run:
            speed = self.moved_z / (dt * self.leg)
            over = away - self.clearance
            if self.flying:
                self.hung = self.hung + dt if abs(speed) < HANGS_SPEED else 0.0
                if over < ON_GROUND or self.hung > HANGS:
                    self.flying = 0
            elif speed < -JUMPS and away > height:
                self.flying = 1
            elif speed > JUMPS and over > OFF_GROUND:
                # beyond what it climbs
                if self.body_count > 0:
                    climbs = cython.cast(Hips, self.body[0]).ramp_x.value * self.moved_x
                    climbs += (
                        cython.cast(Hips, self.body[0]).ramp_y.value * self.moved_y
                    )
                    speed -= max(climbs, 0.0) / (dt * self.leg)
                self.flying = speed > JUMPS and not self.is_beside(ground, z, step)
            self.hung *= self.flying
        if not self.flying and away < height:
            share = 1.0
            if self.has_run:
                share = dt / (dt + STANDS_SECONDS)
            self.clearance += share * (away - self.clearance)
        for f in range(self.foot_count):
            flew: cython.bint = cython.cast(Foot, self.foot[f]).sole.flying
            flew = flew or self.flying
            cython.cast(Foot, self.foot[f]).flew = flew
            cython.cast(Foot, self.foot[f]).sole.flying = self.flying
            cython.cast(Foot, self.foot[f]).risen = self.moved_z

    def is_beside(self, ground: GroundKernel, z, step):
        """Return whether there is ground as high as the figure on its way."""
        k: cython.int
        way = sqrt(self.moved_x * self.moved_x + self.moved_y * self.moved_y)
        if not way > 0.0:
            return 0
        low = z - (max(self.clearance, 0.0) + OFF_GROUND) * self.leg
        for k in range(-2, 3):
            t = 0.5 * k * BESIDE * self.leg / way
            px = self.middle_x + t * self.moved_x
            py = self.middle_y + t * self.moved_y
            if (
                ground.find_level(px, py, z + step)
                and low < ground.height < z + RISER * self.leg
            ):
                return 1
        return 0

    def rise(self, b):
        """Return the offset up of a body's joint; 0 for none, -1."""
        return cython.cast(Hips, self.body[b]).up if b >= 0 else 0.0

    def read(self, mats):
        """Read the poses of all joints; return how upright the figure is.

        Returns:
            Cosine of the angle between the figure's z axis and the world's; below -1
            when numbers are not finite.
        """
        net = self.net
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
        for f in range(self.foot_count):
            now = cython.cast(Foot, self.foot[f]).sole.now
            for k in range(3):
                now[ORIGIN + k] = world[12 + k]
            now[RISE] = -ux / uz
            now[RISE + 1] = -uy / uz
            total = cython.cast(Leg, self.limb[f]).read(net)
            if not -1e300 < total < 1e300:
                return -2.0
        for n in range(self.body_count):
            cython.cast(Hips, self.body[n]).read(net)
        return upright

    def set_floor(self, height):
        """Tell how high above the figure's origin its clips stand."""
        world = self.world
        for f in range(self.foot_count):
            now = cython.cast(Foot, self.foot[f]).sole.now
            rise = now[RISE] * world[8] + now[RISE + 1] * world[9]
            cython.cast(Foot, self.foot[f]).sole.stance = height * (world[10] - rise)

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
        self.plan_foot(
            cython.cast(Foot, self.foot[f]), state, left, whole, x, y, z, half,
            way_x, way_y, way_z,
        )  # fmt: skip

    def plan_foot(self, foot: Foot, state, left, whole, x, y, z, half,
                  way_x, way_y, way_z):  # fmt: skip
        """Do as ``plan``."""
        world = self.world
        foot.plan.state = state
        foot.plan.turn = 0.0
        foot.plan.half = half
        foot.plan.way_x = way_x * world[0] + way_y * world[4] + way_z * world[8]
        foot.plan.way_y = way_x * world[1] + way_y * world[5] + way_z * world[9]
        foot.plan.left = left
        foot.plan.whole = whole
        foot.plan.x = x * world[0] + y * world[4] + z * world[8] + world[12]
        foot.plan.y = x * world[1] + y * world[5] + z * world[9] + world[13]

    def step(self, ground, pieces, hips_seconds, dt):
        """Advance feet and hips by one frame, in several pieces.

        Args:
            ground: The ground.
            pieces: Number of pieces, at least 1.
            hips_seconds: Settling time of the hips [s].
            dt: Time of the frame [s].
        """
        part = 1.0 / pieces
        turn = self.turned / dt if dt > 0.0 else 0.0
        for f in range(self.foot_count):
            cython.cast(Foot, self.foot[f]).begin_frame(turn, dt)
        for n in range(pieces):
            until = part * (n + 1)
            stand: cython.int = 0
            haste = 0.0
            for f in range(self.foot_count):
                stand += cython.cast(Foot, self.foot[f]).planted
                haste = max(haste, cython.cast(Foot, self.foot[f]).own_haste())
            for f in range(self.foot_count):
                cython.cast(Foot, self.foot[f]).begin_piece(
                    stand, self.foot_count, haste, part * dt
                )
                cython.cast(Foot, self.foot[f]).advance(ground, until, part, part * dt)
            for b in range(self.body_count):
                cython.cast(Hips, self.body[b]).advance(
                    ground, until, part, hips_seconds, part * dt
                )
            self.keep_sides()
            self.step_on_the_spot()
        for b in range(self.body_count):
            cython.cast(Hips, self.body[b]).end_frame()

    def keep_sides(self):
        """Let feet keep to their sides of others, that of their hips.

        Those that walk only of feet on the same hips: rear feet follow the front ones.
        """
        for f in range(self.foot_count):
            cython.cast(Foot, self.foot[f]).forget_sides()
            steps: cython.bint = cython.cast(Foot, self.foot[f]).swing.stepping
            for k in range(self.foot_count):
                beside: cython.bint = self.carrier[k] == self.carrier[f]
                if k != f and (steps or beside):
                    cython.cast(Foot, self.foot[f]).keep_side(
                        cython.cast(Foot, self.foot[k]), beside
                    )

    def step_on_the_spot(self):
        """Start steps of the feet that need them most, while those beside them stand.

        Of feet that need it alike the one ahead on the way back goes first: the other
        would cross it, and rounding would decide.
        """
        x = y = 0.0
        count: cython.int = self.foot_count
        for f in range(count):
            x += cython.cast(Foot, self.foot[f]).sole.middle_x / count
            y += cython.cast(Foot, self.foot[f]).sole.middle_y / count
        least = 1.0
        for _ in range(count):
            chosen = -1
            most = -1e300
            for f in range(count):
                need = cython.cast(Foot, self.foot[f]).wants_step()
                if need < least or not self.may_step(f, x, y):
                    continue
                need += LEADING * cython.cast(Foot, self.foot[f]).way_back(x, y)
                if need > most + 1e-4:
                    most = need
                    chosen = f
            if chosen < 0:
                return
            cython.cast(Foot, self.foot[chosen]).begin_step()
            least = JOINS

    def may_step(self, f, x, y):
        """Return whether half of the feet stand without a foot, and those beside it.

        Args:
            f: The foot.
            x: Middle of all feet, seen from above.
            y: As ``x``.
        """
        ax = cython.cast(Foot, self.foot[f]).sole.middle_x - x
        ay = cython.cast(Foot, self.foot[f]).sole.middle_y - y
        count: cython.int = self.foot_count
        standing = 0
        left = right = 1e300
        left_stands = right_stands = 1
        for k in range(count):
            if k == f:
                continue
            # one that the clip holds up does not come down soon
            planted = cython.cast(Foot, self.foot[k]).planted
            stands = planted or cython.cast(Foot, self.foot[k]).is_held()
            standing += planted
            bx = cython.cast(Foot, self.foot[k]).sole.middle_x - x
            by = cython.cast(Foot, self.foot[k]).sole.middle_y - y
            angle = atan2(ax * by - ay * bx, ax * bx + ay * by)
            if angle < 0.0:
                angle += TURN
            if angle < left:
                left = angle
                left_stands = stands
            if TURN - angle < right:
                right = TURN - angle
                right_stands = stands
        return 1 if 2 * standing >= count - 1 and left_stands and right_stands else 0

    def invert(self):
        """Find the inverse of the first joint's axes; return their determinant."""
        a, b, c = self.net[0], self.net[1], self.net[2]
        d, e, f = self.net[4], self.net[5], self.net[6]
        g, h, k = self.net[8], self.net[9], self.net[10]
        det = a * (e * k - f * h) - b * (d * k - f * g) + c * (d * h - e * g)
        # neither 0 nor NaN
        if not (det > 0.0 or det < 0.0):
            return 0.0
        axes = self.net
        v = self.scratch + 9
        axes[v] = (e * k - f * h) / det
        axes[v + 1] = (c * h - b * k) / det
        axes[v + 2] = (b * f - c * e) / det
        axes[v + 3] = (f * g - d * k) / det
        axes[v + 4] = (a * k - c * g) / det
        axes[v + 5] = (c * d - a * f) / det
        axes[v + 6] = (d * h - e * g) / det
        axes[v + 7] = (b * g - a * h) / det
        axes[v + 8] = (a * e - b * d) / det
        return det

    def write_goals(self, out, weight):
        """Write the goals of the legs' chains, in the space of the first joint.

        Args:
            out: Out: ``GOAL`` numbers for each foot, see ``PoseGoal``.
            weight: The weight of the chains.
        """
        axes = self.net
        s = self.scratch
        v = s + 9
        for n in range(self.foot_count):
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
            out[o + GOAL_POLED] = cython.cast(Leg, self.limb[n]).poled
            for p in range(2):
                if p == 0:
                    x = self.goal[16 * n + 12]
                    y = self.goal[16 * n + 13]
                    z = self.goal[16 * n + 14]
                else:
                    x = cython.cast(Leg, self.limb[n]).pole_x
                    y = cython.cast(Leg, self.limb[n]).pole_y
                    z = cython.cast(Leg, self.limb[n]).pole_z
                x -= self.net[12]
                y -= self.net[13]
                z -= self.net[14]
                for i in range(3):
                    out[o + p * GOAL_POLE + i] = (
                        x * axes[v + i] + y * axes[v + 3 + i] + z * axes[v + 6 + i]
                    )

    def finish(self, leg: Leg, foot: Foot, f, ground, up, dt):
        """Write the goal of foot f, within reach of the raised hip."""
        leg.reach(ground, up, dt)
        j: cython.int = 16 * leg.joint[leg.bones]
        g: cython.int = 16 * f
        goal = self.goal
        for i in range(0, 12, 4):
            x = self.net[j + i]
            y = self.net[j + i + 1]
            z = self.net[j + i + 2]
            goal[g + i] = foot.sole.t0 * x + foot.sole.t1 * y + foot.sole.t2 * z
            goal[g + i + 1] = foot.sole.t3 * x + foot.sole.t4 * y + foot.sole.t5 * z
            goal[g + i + 2] = foot.sole.t6 * x + foot.sole.t7 * y + foot.sole.t8 * z
            goal[g + i + 3] = 0.0
        goal[g + 12] = leg.ankle_x
        goal[g + 13] = leg.ankle_y
        goal[g + 14] = leg.ankle_z
        goal[g + 15] = 1.0
        foot.end_frame()


class PosedFeet:
    """The feet of figures in a character's pose: reads it, and moves hips and legs.

    Args:
        figure: The pose, a ``PoseKernel``.
        mats: Which feet read: the matrix of the skeleton's space in the figure, then
            those of ``joints``.
        world: Matrix of the figure in the world, which feet read.
        goals: Out: ``GOAL`` numbers for each foot, in the skeleton's space.
        buffers: "joints", -1 for those that the pose doesn't have; "hips", the joints
            of all bodies, and "ends" of each body's; "folds", the four joints of each
            leg that bends by ``PoseKernel.fold``, else four times -1.
    """

    def __init__(self, figure, mats, world, goals, buffers):
        self.figure = figure
        self._pinned = pin({**buffers, "mats": mats, "world": world, "goals": goals})
        self.mats = floats(mats)
        self.world = floats(world)
        self.goal = doubles(goals)
        self.joint = ints(buffers["joints"])
        self.hip = ints(buffers["hips"])
        self.end = ints(buffers["ends"])
        self.fold = ints(buffers["folds"])
        self.joint_count = len(buffers["joints"])

    def read(self, feet: Feet):
        """Read a pose, as ``Feet.begin`` does."""
        mats = self.figure.pointer
        for j in range(self.joint_count):
            if self.joint[j] < 0:
                continue
            if self.figure.mark[self.joint[j]] == AHEAD:
                self.figure.catch_up(self.joint[j])
            o = 16 * self.joint[j]
            e = 16 * j + 16
            for k in range(16):
                self.mats[e + k] = mats[o + k]
        return feet.begin_at(self.mats, self.world)

    def write(self, feet: Feet, weight):
        """Move hips, set goals, and fold legs; return 0, or ``FLAT``."""
        if feet.invert() == 0.0:
            return FLAT
        net = feet.net
        up = feet.scratch + 15
        h: cython.int = 0
        for b in range(feet.body_count):
            move = feet.move[b]
            while h < self.end[b]:
                self.figure.slide(
                    self.hip[h], move * net[up], move * net[up + 1], move * net[up + 2]
                )
                h += 1
        goal = self.goal
        feet.write_goals(goal, weight)
        for k in range(feet.foot_count):
            e = 4 * k
            o = GOAL * k
            if self.fold[e] >= 0:
                self.figure.bend(
                    self.fold[e], self.fold[e + 1], self.fold[e + 2], self.fold[e + 3],
                    goal[o], goal[o + 1], goal[o + 2], weight,
                )  # fmt: skip
        return 0
