"""Goals of feet whose strides are longer or shorter than their clip's."""

import cython

if not cython.compiled:
    from math import acos, atan2, cos, exp, sin, sqrt

    from .buffers import doubles, ints, pin
    from .foot import Foot
    from .quat_ops import from_to, mul, mul_conj, rotate_vec
    from .spring_damper import Spring
    from .vectors import add_to, between, by_rows, cross, norm3, put
    from .walk import STANDS, WalkKernel

# numbers of a leg: the ball of the foot in its joint's space, and the joint from the
# ball as it stands: ahead, up; the ball's height then; the axis to the left, in the
# joint's space; and where a straight knee bends to, in the space above it
LEG = 12
# numbers of its state: hip, ball and the joint from the ball, 3 each; the foot's way
# ahead, 3; reach, pitch, how much of it is the heel's alone, how far it bears, how far
# it is stretched in the clip, and where the joint is there
STATE = 20
# part of its length that a leg is stretched to
STRAIGHT = 0.995
# the same where it is as straight in the clip: knees that are straighter pull hips
STRAIGHTEST = 0.998
# most by which a heel is lifted so that a foot behind is reached [rad]
PEEL = 0.9
# most by which hips come down for a stride / length of the leg
LOWEST = 0.35
# share of the room to where a leg ends that a stride uses in full
FREE = 0.85
# part of a leg in the air over which it is stretched gradually
EASE = 0.08
# sine of a knee's bend at which its own side counts as much, and cosine of its largest
SLIGHT = 0.05
FOLDED = -0.9
# pitch of a foot from which it is flattened less [rad]
STEEP = 1.5
# height above the ground from which a foot need not be reached / length of the leg
SWINGS = 0.06
# how near its hip a foot in the air may be led / how near it is in the clip
PASSES = 0.9
# how far a foot leaves the ground that its leg can't keep there, at most / length of it
LEAVES = 0.12
# factor of the time in which strides turn round
TURNS = 2.0
# numbers of a figure: value and speed of the factor of its strides, of how low its hips
# are in the mean, and of how flat its feet are set down; the way of its legs, 2; which
# way they walk, 1 or -1; the factor asked for; and by how much its hips are turned
FIGURE = 11
PI = 3.141592653589793


class StrideKernel:
    """Leads feet along the way of a figure, about the middle of where they stand.

    Args:
        figure: The pose, a ``PoseKernel``.
        walk: The ``WalkKernel``.
        hips: The joint that carries all legs; -1: there is none.
        legs: Indices of hip, knee and foot of each leg.
        shape: LEG numbers a leg.
        toes: Joints that bend where feet roll, those of all feet.
        ends: How many toes those up to each foot have.
        work: 4 numbers a leg for how far each foot is ahead of the middle about which
            it is led, and what it is moved by so that it does not slide in the clip;
            STATE a leg, 12 of scratch, and the way of the legs, 3.
        state: FIGURE numbers a figure.
    """

    def __init__(self, figure, walk, hips, legs, shape, toes, ends, work, state):
        self.figure = figure
        own: WalkKernel = walk
        self.walk = own
        self.frame = own.frame
        self.hips = hips
        self.count = len(ends)
        leads, scratch = work
        self._pinned = pin(
            {
                "legs": legs, "shape": shape, "toes": toes, "ends": ends,
                "leads": leads, "scratch": scratch, "state": state,
            }
        )  # fmt: skip
        self.joints = ints(legs)
        self.shape = doubles(shape)
        self.toes = ints(toes)
        self.ends = ints(ends)
        self.leads = doubles(leads)
        self.state = doubles(scratch)
        self.numbers = doubles(state)
        self.spring = Spring()
        self.factor = 1.0

    def reset(self, i):
        """Forget what a figure did."""
        n = self.numbers
        o = FIGURE * i
        for k in range(FIGURE):
            n[o + k] = 0.0
        n[o] = n[o + 8] = n[o + 9] = self.factor = 1.0

    def follow(self, o, wanted, seconds, dt):
        """Move a number of ``numbers`` to another; return where it is."""
        n = self.numbers
        self.spring.value = n[o]
        self.spring.speed = n[o + 1]
        self.spring.step(wanted, seconds, dt)
        n[o] = self.spring.value
        n[o + 1] = self.spring.speed
        return self.spring.value

    def ask(self, i, low, high, turned):
        """Return the factor of the strides that the speed of a figure asks for."""
        n = self.numbers
        o = FIGURE * i
        n[o + 10] = turned
        if not self.walk.share > 0.0:
            # a walk that is held leaves its feet where they are
            return n[o + 9] if self.walk.strides > 0.0 else 1.0
        c = cos(turned)
        s = sin(turned)
        x = n[o + 6] = c * self.walk.own_x - s * self.walk.own_y
        y = n[o + 7] = s * self.walk.own_x + c * self.walk.own_y
        size = x * x + y * y
        along = (self.walk.moved_x * x + self.walk.moved_y * y) / size
        if along * n[o + 8] < -STANDS * self.walk.leg / sqrt(size):
            n[o + 8] = -n[o + 8]
        along *= n[o + 8]
        size = max(low, min(high, along))
        # while it is blended with a clip that stands, strides may be in between
        large = max(low, min(high, along / self.walk.share))
        return n[o + 8] * max(size, min(large, n[o + 8] * n[o + 9]))

    def step(self, i, low, high, seconds, turned, weight, dt):
        """Fit the strides of a figure for a frame, and move its legs.

        Args:
            i: The self.figure.
            low, high: Smallest and largest factor of strides.
            seconds: Time in which the factor follows [s].
            turned: By how much its hips are turned [rad].
            weight: Of the effect, 0 to 1.
            dt: Length of the frame [s].
        """
        n = self.numbers
        o = FIGURE * i
        wanted = n[o + 9] = self.ask(i, low, high, turned)
        # steps that turn round go farther; who begins to walk makes short ones soon
        turns: cython.bint = wanted * n[o] < 0.0
        time = TURNS * seconds if turns else seconds
        if wanted < n[o]:
            time *= self.walk.strides
        self.factor = self.follow(o, wanted, time, dt)
        more = self.factor - 1.0
        flat = self.follow(o + 4, 1.0 if wanted < 0.0 else 0.0, seconds, dt)
        flat = flat if flat > 1e-6 else 0.0
        last = max(more if more > 0.0 else -more, flat, n[o + 2] / self.walk.leg)
        self.walk.lead(i, flat, self.leads)
        last = max(last, self.turn_leads(n[o + 6], n[o + 7], turned))
        if not (last >= 1e-6 and -10.0 < more < 10.0):
            return
        # backwards, feet do not roll from the heel to the toes
        self.lead(more, flat)
        low = 0.0
        if self.hips >= 0:
            # after the strides: hips weigh more than feet
            usual = self.walk.planned(i, 0, self.factor, 0)
            low = self.follow(o + 2, self.frame[9] * usual, 1.5 * seconds, dt)
            # they swing as far as they are low yet
            if usual > 0.0:
                part = min(1.0, low / (self.frame[9] * usual))
                low += part * self.frame[9] * self.walk.planned(i, 0, self.factor, 1)
            away = -weight * low
            self.figure.slide(
                self.hips,
                away * self.frame[6], away * self.frame[7], away * self.frame[8],
            )  # fmt: skip
        for k in range(self.count):
            self.place(k, low, self.walk.planned(i, k + 1, self.factor, 1))
            self.reach(k, weight)

    def turn_leads(self, x, y, turned):
        """Turn what feet are led by with the hips, into the skeleton's space.

        Args:
            x, y: The way of the legs.
            turned: By how much the hips are turned [rad].

        Returns:
            The largest slide of a foot / length of the leg.
        """
        leads = self.leads
        far = sqrt(x * x + y * y)
        k = 1.0 / far if far > 0.0 else 0.0
        x *= k
        y *= k
        far = self.walk.way(x, y, self.state, STATE * self.count + 12)
        k = 1.0 / far if far > 0.0 else 1.0
        for q in range(3):
            self.state[STATE * self.count + 12 + q] *= k
        c = cos(turned)
        s = sin(turned)
        most = 0.0
        for f in range(self.count):
            o = 4 * f
            u = leads[o]
            v = leads[o + 1]
            leads[o] = self.walk.frame[9] * ((c * u - s * v) * x + (s * u + c * v) * y)
            u = leads[o + 2]
            v = leads[o + 3]
            most = max(most, u * u + v * v)
            self.walk.way(c * u - s * v, s * u + c * v, leads, o + 1)
        return sqrt(most) / self.walk.leg

    def tell(self, i, feet, weight):
        """Tell where feet will land whose strides are led.

        Args:
            i: The figure.
            feet: The ``Foot`` of each foot, or None.
            weight: Of the effect, 0 to 1.
        """
        for k in range(self.count):
            if feet[k] is not None:
                self.tell_foot(i, k, feet[k], weight)
        return 0

    def tell_foot(self, i, k, foot: Foot, weight):
        """Tell where foot k of a figure will land whose stride is led."""
        if not self.walk.share > 0.0:
            return
        n = self.numbers
        f = self.walk.frame
        w = self.walk.world
        o = FIGURE * i
        more = n[o] - 1.0
        c = cos(n[o + 10])
        s = sin(n[o + 10])
        # the way, in the world
        x = n[o + 6] * w[0] + n[o + 7] * w[4]
        y = n[o + 6] * w[1] + n[o + 7] * w[5]
        size = x * x + y * y
        if not size > 0.0:
            return
        u = f[13 + 2 * k] - f[11]
        v = f[14 + 2 * k] - f[12]
        a = f[11] + c * u - s * v
        b = f[12] + s * u + c * v
        u = a * w[0] + b * w[4] + w[12]
        v = a * w[1] + b * w[5] + w[13]
        # it does not slide
        a = -foot.plan.half * x
        b = -foot.plan.half * y
        ahead = foot.plan.x + foot.plan.way_x - a
        aside = foot.plan.y + foot.plan.way_y - b
        along = more * ((ahead - u) * x + (aside - v) * y) / size
        foot.plan.x += weight * (ahead + along * x - foot.plan.x)
        foot.plan.y += weight * (aside + along * y - foot.plan.y)
        foot.plan.way_x += weight * ((1.0 + more) * a - foot.plan.way_x)
        foot.plan.way_y += weight * ((1.0 + more) * b - foot.plan.way_y)

    def lead(self, more, flat):
        """Lead the feet.

        Args:
            more: By how much strides are longer, as a factor: -0.5 for half as long.
            flat: How flat feet are set down instead of rolling, 0 to 1.
        """
        net = self.figure.net
        frame = self.frame
        state = self.state
        shape = self.shape
        ux, uy, uz = frame[6], frame[7], frame[8]
        q = STATE * self.count + 12
        x, y, z = state[q], state[q + 1], state[q + 2]
        for i in range(self.count):
            s = STATE * i
            leg = LEG * i
            hip = self.figure.at(self.joints[3 * i]) + 9
            knee = self.figure.at(self.joints[3 * i + 1]) + 9
            o = self.figure.at(self.joints[3 * i + 2])
            a, b, c = shape[leg], shape[leg + 1], shape[leg + 2]
            thigh = shank = span = 0.0
            for k in range(3):
                ball = a * net[o + k] + b * net[o + 3 + k] + c * net[o + 6 + k]
                ball += net[o + 9 + k]
                state[s + k] = net[hip + k]
                state[s + 3 + k] = ball + self.leads[4 * i + 1 + k]
                state[s + 6 + k] = net[o + 9 + k] - ball
                state[s + 17 + k] = net[o + 9 + k]
                thigh += (net[knee + k] - net[hip + k]) ** 2
                shank += (net[o + 9 + k] - net[knee + k]) ** 2
                span += (net[o + 9 + k] - net[hip + k]) ** 2
            length = sqrt(thigh) + sqrt(shank)
            reach = STRAIGHT * length
            state[s + 16] = min(sqrt(span), STRAIGHTEST * length)
            state[s + 12] = max(reach, state[s + 16])
            lift = state[s + 6] * ux + state[s + 7] * uy + state[s + 8] * uz
            # where the toes point, level
            a, b, c = shape[leg + 6], shape[leg + 7], shape[leg + 8]
            x_left = a * net[o] + b * net[o + 3] + c * net[o + 6]
            y_left = a * net[o + 1] + b * net[o + 4] + c * net[o + 7]
            z_left = a * net[o + 2] + b * net[o + 5] + c * net[o + 8]
            hx = y_left * uz - z_left * uy
            hy = z_left * ux - x_left * uz
            hz = x_left * uy - y_left * ux
            size = norm3(hx, hy, hz)
            size = 1.0 / size if size > 1e-300 else 0.0
            put(state, s + 9, hx * size, hy * size, hz * size)
            wanted = more * self.leads[4 * i]
            away = self.within(s, x, y, z, wanted)
            # beyond what its leg can reach it lands later, or leaves earlier
            high = LEAVES * reach
            high *= 1.0 - exp(-abs(wanted - away) / high)
            add_to(state, s + 3, away * x, away * y, away * z)
            add_to(state, s + 3, high * ux, high * uy, high * uz)
            state[s + 13] = state[s + 14] = 0.0
            if flat > 0.0:
                along = 0.0
                for k in range(3):
                    along += state[s + 6 + k] * state[s + 9 + k]
                angle = atan2(lift, along) - atan2(shape[leg + 4], shape[leg + 3])
                if angle > PI:
                    angle -= 2.0 * PI
                elif angle < -PI:
                    angle += 2.0 * PI
                # a foot that points back would turn the other way beyond that
                steep = max(0.0, (abs(angle) - STEEP) / (PI - STEEP))
                self.pitch(s, flat * (1.0 - steep) * angle)
            ball = state[s + 3] * ux + state[s + 4] * uy + state[s + 5] * uz
            ball -= shape[leg + 5]
            low = min(ball, ball + lift - shape[leg + 4])
            bears = 1.0 - max(0.0, low) / (SWINGS * reach)
            bears = min(1.0, max(0.0, bears))
            state[s + 15] = bears
            if not bears > 0.0:
                self.pass_hip(s, low - SWINGS * reach)

    def pass_hip(self, s, room):
        """Lower a foot in the air that is led past its hip, as far as it was from it.

        Else its thigh would turn as fast as the foot is near the hip.

        Args:
            s: The leg's place in ``state``.
            room: How far it may come down.
        """
        state = self.state
        frame = self.frame
        level = high = own = before = 0.0
        for k in range(3):
            away = state[s + 3 + k] + state[s + 6 + k] - state[s + k]
            was = state[s + 17 + k] - state[s + k]
            level += away * away
            own += was * was
            high -= away * frame[6 + k]
            before -= was * frame[6 + k]
        level -= high * high
        far = PASSES * PASSES * own
        own = max(0.0, far - own + before * before)
        lower = sqrt(max(0.0, far - level)) - max(high, sqrt(own))
        lower = -min(lower, room)
        if lower < 0.0:
            add_to(state, s + 3, lower * frame[6], lower * frame[7], lower * frame[8])

    def within(self, s, x, y, z, wanted):
        """Return how far a foot is led so that its leg reaches it from low hips."""
        state = self.state
        frame = self.frame
        q = STATE * self.count
        along = high = far = 0.0
        for k in range(3):
            state[q + 8 + k] = state[s + 6 + k]
        if wanted * (x * state[s + 9] + y * state[s + 10] + z * state[s + 11]) < 0.0:
            self.turn(s, PEEL)
            rotate_vec(state, q + 8, state, q, state[s + 6], state[s + 7], state[s + 8])
        for k in range(3):
            away = state[s + 3 + k] + state[q + 8 + k] - state[s + k]
            high -= away * frame[6 + k]
            far += away * away
        along += (state[s + 3] + state[q + 8] - state[s]) * x
        along += (state[s + 4] + state[q + 9] - state[s + 1]) * y
        along += (state[s + 5] + state[q + 10] - state[s + 2]) * z
        aside = far - high * high - along * along
        high -= LOWEST * state[s + 12]
        room = state[s + 12] * state[s + 12] - high * high - aside
        room = (sqrt(room) if room > 0.0 else 0.0) - (along if wanted > 0.0 else -along)
        size = abs(wanted)
        if size <= FREE * room:
            return wanted
        if not room > 1e-9 * state[s + 12]:
            return 0.0
        size = room - (1.0 - FREE) * room * exp((FREE - size / room) / (1.0 - FREE))
        return size if wanted > 0.0 else -size

    def pitch(self, s, angle):
        """Turn a foot about its ball, the heel up by an angle."""
        state = self.state
        q = STATE * self.count
        self.turn(s, angle)
        rotate_vec(state, q + 8, state, q, state[s + 6], state[s + 7], state[s + 8])
        for k in range(3):
            state[s + 6 + k] = state[q + 8 + k]
        state[s + 13] += angle

    def turn(self, s, angle):
        """Write the rotation of a foot by an angle, behind the states."""
        state = self.state
        frame = self.frame
        q = STATE * self.count
        hx, hy, hz = state[s + 9], state[s + 10], state[s + 11]
        k = sin(0.5 * angle)
        state[q] = cos(0.5 * angle)
        x, y, z = cross(frame[6], frame[7], frame[8], hx, hy, hz)
        put(state, q + 1, k * x, k * y, k * z)

    def place(self, i, drop, heel):
        """Write where a foot is to be, for hips that have come down by ``drop``.

        In the place of its joint from the ball that is from the hip, as it was. Its
        heel goes up by an angle.
        """
        state = self.state
        frame = self.frame
        s = STATE * i
        if heel > 0.0:
            self.pitch(s, heel)
            state[s + 14] = heel
        far = 0.0
        for k in range(3):
            away = state[s + 3 + k] + state[s + 6 + k] - state[s + k]
            away += drop * frame[6 + k]
            state[s + 6 + k] = away
            far += away * away
        # legs point to what they can't reach
        far = sqrt(far)
        reach = state[s + 12]
        start = max(state[s + 16], reach * (1.0 - EASE * (1.0 - state[s + 15])))
        share = 1.0
        if far > start:
            room = max(reach - start, 1e-9 * reach)
            share = (reach - room * exp((start - far) / room)) / far
        for k in range(3):
            state[s + 6 + k] = share * state[s + 6 + k] - drop * frame[6 + k]

    def reach(self, i, weight):
        """Bend a leg until its foot is where it is to be, and turn foot and toes.

        The knee bends in the plane in which it is bent, or else to its own side; then
        the leg swings to the foot.
        """
        net = self.figure.net
        state = self.state
        s = STATE * i
        q = STATE * self.count
        thigh = self.joints[3 * i]
        knee = self.joints[3 * i + 1]
        foot = self.joints[3 * i + 2]
        for k in range(3):
            away = state[s + k] + state[s + 6 + k] - state[s + 17 + k]
            state[s + 17 + k] += weight * away
        a = self.figure.at(thigh) + 9
        b = self.figure.at(knee) + 9
        c = self.figure.at(foot) + 9
        tx, ty, tz = between(net, a, state, s + 17)
        ux, uy, uz = between(net, a, net, b)
        vx, vy, vz = between(net, b, net, c)
        uu = ux * ux + uy * uy + uz * uz
        vv = vx * vx + vy * vy + vz * vz
        sizes = sqrt(uu * vv)
        far = norm3(tx, ty, tz)
        # neither infinite nor NaN
        if not (sizes > 0.0 and 0.0 < far < 1e150):
            return
        bx, by, bz = cross(ux, uy, uz, vx, vy, vz)
        shape = self.shape
        leg = LEG * i + 9
        above: cython.int = self.figure.parent[knee]
        sx, sy, sz = by_rows(
            net, self.figure.at(above), shape[leg], shape[leg + 1], shape[leg + 2]
        )
        sx, sy, sz = cross(sx, sy, sz, ux + vx, uy + vy, uz + vz)
        size = norm3(sx, sy, sz)
        size = SLIGHT * sizes / size if size > 1e-300 else 0.0
        nx, ny, nz = bx + size * sx, by + size * sy, bz + size * sz
        size = norm3(nx, ny, nz)
        if not size > 1e-9 * sizes:
            return
        nx, ny, nz = nx / size, ny / size, nz / size
        # both bones along the axis of the bend, and across it
        x = ux * nx + uy * ny + uz * nz
        y = vx * nx + vy * ny + vz * nz
        flat = x * y
        size = sqrt(max(uu - x * x, 1e-12 * uu) * max(vv - y * y, 1e-12 * vv))
        cosine = (ux * vx + uy * vy + uz * vz - flat) / size
        bent = atan2((bx * nx + by * ny + bz * nz) / size, cosine)
        wanted = (0.5 * (far * far - uu - vv) - flat) / size
        wanted = acos(max(min(FOLDED, cosine), min(1.0, wanted))) - bent
        x = sin(0.5 * wanted)
        state[q + 4] = cos(0.5 * wanted)
        put(state, q + 5, x * nx, x * ny, x * nz)
        self.figure.turn(knee, state[q + 4], state[q + 5], state[q + 6], state[q + 7])
        rotate_vec(state, q + 8, state, q + 4, vx, vy, vz)
        vx, vy, vz = ux + state[q + 8], uy + state[q + 9], uz + state[q + 10]
        size = norm3(vx, vy, vz)
        if not size > 0.0:
            return
        self.swing(vx / size, vy / size, vz / size, tx / far, ty / far, tz / far)
        self.figure.turn(
            thigh, state[q + 8], state[q + 9], state[q + 10], state[q + 11]
        )
        # the foot keeps its direction, and toes theirs where the heel goes up
        mul(state, q + 4, state, q + 8, state, q + 4)
        self.turn(s, weight * state[s + 13])
        mul_conj(state, q, state, q, state, q + 4)
        self.figure.turn(foot, state[q], state[q + 1], state[q + 2], state[q + 3])
        if state[s + 14] > 0.0:
            self.turn(s, -weight * state[s + 14])
            first: cython.int = self.ends[i - 1] if i > 0 else 0
            for t in range(first, self.ends[i]):
                self.figure.turn(
                    self.toes[t], state[q], state[q + 1], state[q + 2], state[q + 3]
                )

    def swing(self, ax, ay, az, bx, by, bz):
        """Write the rotation of a leg from a direction to another, behind the states.

        Along the way it swings below its hip: the smallest rotation would turn it about
        itself where it goes far, over there. Aside by the smallest one.
        """
        state = self.state
        frame = self.frame
        q = STATE * self.count
        ux, uy, uz = frame[6], frame[7], frame[8]
        wx, wy, wz = state[q + 12], state[q + 13], state[q + 14]
        angle = atan2(bx * wx + by * wy + bz * wz, -bx * ux - by * uy - bz * uz)
        angle -= atan2(ax * wx + ay * wy + az * wz, -ax * ux - ay * uy - az * uz)
        x, y, z = cross(wx, wy, wz, ux, uy, uz)
        k = sin(0.5 * angle)
        state[q] = cos(0.5 * angle)
        put(state, q + 1, k * x, k * y, k * z)
        rotate_vec(state, q + 8, state, q, ax, ay, az)
        ax, ay, az = state[q + 8], state[q + 9], state[q + 10]
        from_to(state, q + 8, ax, ay, az, bx, by, bz)
        mul(state, q + 8, state, q + 8, state, q)
