"""Joints that swing behind what they hang from: hair, tails, skirts, straps.

The step is that of VRMC_springBone 1.0, with its colliders and limits, 60 times a
second. What lies between two steps is a part of the next one, from the pose as it is
then, so that motion is the same at any frame rate, and equals the specification's at 60
frames a second. What moves in time that is not simulated (a pause, a late frame, a
teleport) carries the joints along.
"""

import cython

if not cython.compiled:
    from math import sqrt

    from .buffers import doubles, ints, pin
    from .matrices import adjugate, from_rows, square_up
    from .pose import write_axes
    from .quat_ops import from_to, mul, rotate_row, scale_rotation
    from .vectors import add3, by_rows, copy, dot, in_rows, moved, norm3, put, three

# duration of a step, and the most that is simulated of a frame [s]
STEP = 1.0 / 60.0
LONGEST = 0.05
# part of a step that is nothing
NOTHING = 1e-6
# a teleport: change of speed in lengths of a chain per step, cosines of the turn of one
# frame and of the one before, and change of size
LEAP = 2.0
TURNED = 0.54
STEADY = 0.8
RESIZED = 0.1

# whole numbers of a joint: its index in the pose, the one above or -1, the frames of
# its chain and of its center (-1: none), its first and last collider, its limit
JOINT = 0
ABOVE = 1
BASE = 2
CENTER = 3
FIRST = 4
LAST = 5
LIMIT = 6
WHOLE = 7
# numbers of a joint: the end of its bone in its own space (0: it does not swing),
# stiffness, gravity, the part of its speed that drag leaves, the radius of its end,
# length of the bone and of the chain in the skeleton, axes of its limit in its own
# space, and cosine and sine of two angles
TAIL = 0
STIFFNESS = 3
GRAVITY = 4
KEPT = 7
HIT = 8
LENGTH = 9
REACH = 10
AXES = 11
ANGLES = 20
NUMBERS = 24
# kinds of limits
CONE = 1
HINGE = 2
SPHERICAL = 3
# kinds of colliders, and their numbers: offset, second end or normal, radius; then the
# same in world space, and 1 over the squared length of a capsule
SPHERE = 0
CAPSULE = 1
PLANE = 2
INSIDE_SPHERE = 3
INSIDE_CAPSULE = 4
SHAPE = 7
PLACED = 8
# numbers of a frame: its matrix in the last frame, in this one, at the present step and
# at the step before, and in the frame before the last; the turn from the last frame to
# this one, and its cosine
THEN = 0
NOW = 12
AT = 24
BEFORE = 36
EARLIER = 48
TURN = 60
COSINE = 64
FRAME = 65
# state of a joint: the end of its bone at the last step and the one before, from its
# joint at the last step, and at the step ahead
STATE = 12
# what a step is
KEEP = 0
AHEAD = 1
SHOW = 2
# first in the workspace, which is all that is kept from frame to frame: whether it is
# set, time since the last step, the part simulated of the last frame, and its time [s]
IS_SET = 0
SINCE = 1
SIMULATED = 2
LASTED = 3
STATES = 4
# scratch after the frames: a transform, axes, quaternions and an inverse
CARRY = 0
SQUARE = 12
FROM = 21
PART = 25
ADJUGATE = 29
SCRATCH = 38


class SpringKernel:
    """The joints of a pose that swing, parents first, and what they collide with.

    Args:
        pose: The pose, a ``PoseKernel``.
        given: Matrices in world space, 16 numbers of single precision each: first that
            of the skeleton's space, then those of nodes.
        frames: What each frame is: the index of a joint, or -1 - k for ``given`` k.
        table: ``WHOLE`` whole numbers of each joint.
        figures: ``NUMBERS`` numbers of each joint.
        touched: Indices of colliders, those of each joint from FIRST to before LAST.
        kinds: Kind of each collider, and its frame; -1 - i: on joint i of the table.
        shapes: ``SHAPE`` numbers of each collider.
        workspace: Buffer of ``workspace_size`` numbers: all that it keeps.
    """

    def __init__(
        self, pose, given, frames, table, figures, touched, kinds, shapes, workspace
    ):
        self.pose = pose
        self.given = given
        self.local = self.pose.pointer
        self.count = len(table) // WHOLE
        self.frames = len(frames)
        self.colliders = len(kinds) // 2
        self._pinned = pin((frames, table, figures, touched, kinds, shapes, workspace))
        self.source = ints(frames)
        self.table = ints(table)
        self.figure = doubles(figures)
        self.touch = ints(touched)
        self.kind = ints(kinds)
        self.shape = doubles(shapes)
        self.work = doubles(workspace)
        # where in the workspace: states of joints, world matrices, frames,
        # colliders, scratch
        self.states = STATES
        self.world = self.states + STATE * self.count
        self.frame0 = self.world + 12 * self.count
        self.placed = self.frame0 + FRAME * self.frames
        self.scratch = self.placed + PLACED * self.colliders
        self.size_of_state = len(workspace)
        self.wx = self.wy = self.wz = 0.0

    def reset(self):
        """Start anew at rest in the next frame."""
        self.work[IS_SET] = 0.0

    def go_to(self, workspaces, o):
        """Go on with what another workspace keeps, that of another figure.

        Args:
            workspaces: Workspaces one after the other.
            o: Index of the first number of one.
        """
        self.work = from_index(workspaces, o)

    def set_wind(self, x, y, z):
        """Set the force of the wind, as gravity's: power times direction."""
        self.wx, self.wy, self.wz = x, y, z

    def tail(self, i):
        """Return the end of a joint's bone in world space at the last step."""
        w = self.work
        i = self.states + STATE * i
        return w[i], w[i + 1], w[i + 2]

    def swing(self, dt, weight):
        """Swing the joints for a frame of dt seconds; return 0.

        A pose that is not finite stays as it is, and so do the joints.

        Args:
            dt: Duration of the frame [s].
            weight: 0: the pose stays as it is; 1: full effect.
        """
        self.local = self.pose.pointer
        w = self.work
        if not self.read():
            w[IS_SET] = 0.0
            return 0
        if w[IS_SET] == 0.0:
            w[IS_SET] = 1.0
            w[SINCE] = w[SIMULATED] = w[LASTED] = 0.0
            for f in range(self.frames):
                o = self.frame0 + FRAME * f
                copy(w, o + THEN, w, o + NOW, 12)
                copy(w, o + BEFORE, w, o + NOW, 12)
                copy(w, o + EARLIER, w, o + NOW, 12)
                w[o + COSINE] = 1.0
            self.place(1.0)
            self.settle()
        time = dt if dt < LONGEST else LONGEST
        last = w[SIMULATED]
        # a hitch, which the motion goes on after as before it; the second is none
        late: cython.bint = dt > LONGEST and dt > 2.0 * w[LASTED]
        if late:
            time = last
        if self.leaps(dt) or late:
            self.go_on(1 if 0.5 * last < time < 2.0 * last else 0)
            self.carry()
        elif time < dt:
            self.find_turns()
            self.place((dt - time) / dt)
            self.carry()
        elif dt <= 0.0:
            self.go_on(0)
            self.carry()
        # number of steps, and what is then left
        ahead = w[SINCE]
        left = ahead + time
        steps = 0
        while left >= STEP * (1.0 - NOTHING):
            left -= STEP
            steps += 1
        if left < NOTHING * STEP:
            left = 0.0
        if steps > 1 or left > 0.0:
            self.find_turns()
        wrote = 0
        for k in range(steps):
            u = 1.0
            if k + 1 < steps or left > 0.0:
                u = ((k + 1) * STEP - ahead) / time if time > 0.0 else 1.0
            self.place(u)
            wrote = 0
            if u >= 1.0 and weight >= 1.0:
                wrote = 1
            self.step(KEEP, 1.0, wrote, 1.0)
        w[SINCE] = left
        if not wrote:
            if left > 0.0:
                # the next step, if all moves on as in this frame
                self.place(1.0 + (STEP - left) / time if time > 0.0 else 1.0)
                self.step(AHEAD, 1.0, 0, 1.0)
            self.place(1.0)
            self.step(SHOW, left / STEP, 1, weight)
        self.note()
        if time > 0.0:
            w[SIMULATED] = time
            w[LASTED] = dt
        for f in range(self.frames):
            o = self.frame0 + FRAME * f
            if time > 0.0:
                copy(w, o + EARLIER, w, o + THEN, 12)
            copy(w, o + THEN, w, o + NOW, 12)
        return 0

    def read(self):
        """Read the frames; return whether all are finite."""
        w = self.work
        # typed: results of ``abs`` would be Python objects
        total: cython.double = 0.0
        for f in range(self.frames):
            o = self.frame0 + FRAME * f + NOW
            j = self.source[f]
            g = 0
            if j < 0:
                g = 16 * (-1 - j)
                for r in range(4):
                    for c in range(3):
                        w[o + 3 * r + c] = self.given[g + 4 * r + c]
            else:
                # the joint in the skeleton, and that in the world
                a = self.pose.at(j)
                for r in range(4):
                    x, y, z = three(self.pose.net, a + 3 * r)
                    for c in range(3):
                        s = x * self.given[c] + y * self.given[4 + c]
                        s += z * self.given[8 + c]
                        if r == 3:
                            s += self.given[12 + c]
                        w[o + 3 * r + c] = s
            for k in range(12):
                total += abs(w[o + k])
        return total < 1e30

    def leaps(self, dt):
        """Return whether a frame has moved as no motion does: a teleport."""
        w = self.work
        found = 0
        # lengths in world space depend on the skeleton's size
        for i in range(self.count):
            t = WHOLE * i
            if self.table[t + ABOVE] >= 0:
                continue
            o = self.frame0 + FRAME * self.table[t + BASE]
            rate = dt / w[SIMULATED] if w[SIMULATED] > 0.0 else 0.0
            ahead = o + NOW + 9
            then = o + THEN + 9
            early = o + EARLIER + 9
            dx = w[ahead] - w[then] - rate * (w[then] - w[early])
            dy = w[ahead + 1] - w[then + 1] - rate * (w[then + 1] - w[early + 1])
            dz = w[ahead + 2] - w[then + 2] - rate * (w[then + 2] - w[early + 2])
            far = LEAP * self.figure[NUMBERS * i + REACH] * self.size(o + THEN)
            if dt > STEP:
                far *= dt / STEP
            if far > 0.0 and dx * dx + dy * dy + dz * dz > far * far:
                found = 1
        for f in range(self.frames):
            o = self.frame0 + FRAME * f
            dot = own = other = 0.0
            for k in range(9):
                a = w[o + THEN + k]
                b = w[o + NOW + k]
                dot += a * b
                own += a * a
                other += b * b
            cosine = 1.0
            both = sqrt(own * other)
            if both > 0.0:
                cosine = 0.5 * (3.0 * dot / both - 1.0)
            if cosine < TURNED and w[o + COSINE] > STEADY:
                found = 1
            if abs(own - other) > 2.0 * RESIZED * own:
                found = 1
            w[o + COSINE] = cosine
        return found

    def size(self, o):
        """Return the size of a frame's space: its longest axis."""
        w = self.work
        most = 0.0
        for r in range(o, o + 9, 3):
            most = max(most, w[r] * w[r] + w[r + 1] * w[r + 1] + w[r + 2] * w[r + 2])
        return sqrt(most)

    def find_turns(self):
        """Find how the frames turn from the last frame to this one."""
        w = self.work
        s = self.scratch
        for f in range(self.frames):
            o = self.frame0 + FRAME * f
            for part in range(2):
                copy(w, s + SQUARE, w, o + 12 * part, 9)
                # the rotation of a mirrored space is that of its opposite
                square_up(w, s + SQUARE)
                from_rows(w, s + FROM + 4 * part, w, s + SQUARE)
            for k in range(3):
                w[s + FROM + 1 + k] = -w[s + FROM + 1 + k]
            mul(w, o + TURN, w, s + PART, w, s + FROM)

    def place(self, u):
        """Move frames and colliders to a part of the way from the last frame, or on."""
        w = self.work
        s = self.scratch
        for f in range(self.frames):
            o = self.frame0 + FRAME * f
            if u == 1.0:
                copy(w, o + AT, w, o + NOW, 12)
                continue
            for k in range(12):
                w[o + AT + k] = w[o + THEN + k] * (1.0 - u) + w[o + NOW + k] * u
            for part in range(2):
                copy(w, s + PART, w, o + TURN, 4)
                scale_rotation(w, s + PART, u if part == 0 else 1.0 - u, 10.0)
                share = 1.0 - u
                if part == 1:
                    share = u
                    for k in range(3):
                        w[s + PART + 1 + k] = -w[s + PART + 1 + k]
                for r in range(3):
                    a = o + 12 * part + 3 * r
                    rotate_row(w, s, w, s + PART, w, a)
                    for k in range(3):
                        b = o + AT + 3 * r + k
                        if part == 0:
                            w[b] = 0.0
                        w[b] += share * w[s + k]
        for c in range(self.colliders):
            f = self.kind[2 * c + 1]
            o = self.frame0 + FRAME * f + AT
            if f < 0:
                o = self.world + 12 * (-1 - f)
            g = SHAPE * c
            p = self.placed + PLACED * c
            x, y, z = three(self.shape, g)
            x, y, z = moved(w, o, x, y, z)
            put(w, p, x, y, z)
            x, y, z = three(self.shape, g + 3)
            if self.kind[2 * c] == PLANE:
                self.place_normal(o, p + 3, x, y, z)
            else:
                x, y, z = moved(w, o, x, y, z)
                put(w, p + 3, x - w[p], y - w[p + 1], z - w[p + 2])
                total = dot(w, p + 3, w, p + 3)
                w[p + 7] = 1.0 / total if total > 1e-300 else 0.0
            w[p + 6] = self.shape[g + 6] * self.size(o)

    def place_normal(self, o, p, x, y, z):
        """Write a unit normal in world space, by the inverse of the axes."""
        w = self.work
        a = self.scratch + ADJUGATE
        volume = adjugate(w, o, w, a)
        nx, ny, nz = in_rows(w, a, x, y, z)
        d = norm3(nx, ny, nz)
        # mirrored axes turn the normal round
        if volume < 0.0:
            d = -d
        if d != 0.0:
            nx, ny, nz = nx / d, ny / d, nz / d
        put(w, p, nx, ny, nz)

    def go_on(self, moves):
        """Move frames to where they come from if they go on as in the last frame.

        Args:
            moves: Whether they do; else they stand.
        """
        w = self.work
        for f in range(self.frames):
            o = self.frame0 + FRAME * f
            copy(w, o + AT, w, o + NOW, 12)
            if self.transform(o + THEN, o + NOW):
                self.move_frame(o + EARLIER)
                if moves:
                    copy(w, o + AT, w, o + EARLIER, 12)

    def carry(self):
        """Move the tails as the frames have moved since the last frame."""
        w = self.work
        last = -1
        for i in range(self.count):
            f = self.table[WHOLE * i + BASE]
            o = self.frame0 + FRAME * f
            if f != last:
                last = f
                if not self.transform(o + THEN, o + AT):
                    last = -1
                    continue
            for k in range(4):
                self.move_tail(self.states + STATE * i + 3 * k, k < 2)
        for f in range(self.frames):
            o = self.frame0 + FRAME * f
            if self.transform(o + THEN, o + AT):
                self.move_frame(o + BEFORE)
            copy(w, o + THEN, w, o + AT, 12)

    def transform(self, a, b):
        """Set CARRY to what moves along from one matrix to another; return whether.

        That is the inverse of the first times the second.
        """
        w = self.work
        t = self.scratch + CARRY
        g = self.scratch + ADJUGATE
        volume = adjugate(w, a, w, g)
        # neither 0 nor NaN
        if not abs(volume) > 1e-200:
            return 0
        for r in range(0, 9, 3):
            x, y, z = by_rows(w, b, w[g + r], w[g + r + 1], w[g + r + 2])
            put(w, t + r, x / volume, y / volume, z / volume)
        x, y, z = three(w, a + 9)
        for k in range(3):
            w[t + 9 + k] = (
                w[b + 9 + k] - x * w[t + k] - y * w[t + 3 + k] - z * w[t + 6 + k]
            )
        return 1

    def move_tail(self, o, is_point):
        """Move a point or a direction by CARRY."""
        w = self.work
        t = self.scratch + CARRY
        x, y, z = three(w, o)
        if is_point:
            x, y, z = moved(w, t, x, y, z)
        else:
            x, y, z = by_rows(w, t, x, y, z)
        put(w, o, x, y, z)

    def move_frame(self, o):
        """Move a matrix by CARRY."""
        for r in range(0, 12, 3):
            self.move_tail(o + r, r == 9)

    def settle(self):
        """Set the tails to where the pose has them, at rest."""
        w = self.work
        for i in range(self.count):
            self.stand(i)
            e = self.states + STATE * i
            o = self.world + 12 * i
            x, y, z = three(self.figure, NUMBERS * i + TAIL)
            x, y, z = by_rows(w, o, x, y, z)
            put(w, e + 6, x, y, z)
            put(w, e + 9, x, y, z)
            put(w, e, x + w[o + 9], y + w[o + 10], z + w[o + 11])
            copy(w, e + 3, w, e, 3)

    def stand(self, i):
        """Set a joint's world matrix to the pose, below the one above as it is."""
        w = self.work
        t = WHOLE * i
        m = self.local
        j: cython.int = 16 * self.table[t + JOINT]
        o = self.world + 12 * i
        p = self.world + 12 * self.table[t + ABOVE]
        if self.table[t + ABOVE] < 0:
            p = self.frame0 + FRAME * self.table[t + BASE] + AT
        for r in range(4):
            x, y, z = 1.0 * m[j + 4 * r], 1.0 * m[j + 4 * r + 1], 1.0 * m[j + 4 * r + 2]
            x, y, z = by_rows(w, p, x, y, z)
            put(w, o + 3 * r, x, y, z)
        add3(w, o + 9, w, p + 9)
        return p

    def step(self, what, part, writes, weight):
        """Swing all joints.

        Args:
            what: KEEP: a step, from which the next one starts; AHEAD: one that is only
                looked at; SHOW: what lies between those two.
            part: For SHOW: 0, the last step, to 1, the one ahead.
            writes: Whether it is written to the pose.
            weight: As for ``swing``, of what is written.
        """
        w = self.work
        s = self.scratch
        center = -1
        for i in range(self.count):
            p = self.stand(i)
            t = WHOLE * i
            g = NUMBERS * i
            o = self.world + 12 * i
            x, y, z = three(self.figure, g)
            ux, uy, uz = by_rows(w, o, x, y, z)
            length = norm3(ux, uy, uz)
            if not length > 1e-150:
                # it does not swing
                continue
            d = 1.0 / length
            ux, uy, uz = ux * d, uy * d, uz * d
            hx, hy, hz = three(w, o + 9)
            e = self.states + STATE * i
            f = self.table[t + CENTER]
            x, y, z = three(w, e)
            vx, vy, vz = x - w[e + 3], y - w[e + 4], z - w[e + 5]
            if f >= 0:
                a = self.frame0 + FRAME * f
                if f != center and not self.transform(a + BEFORE, a + AT):
                    self.set_still()
                center = f
                a = s + CARRY
                x, y, z = moved(w, a, x, y, z)
                vx, vy, vz = by_rows(w, a, vx, vy, vz)
            size = length / self.figure[g + LENGTH]
            if what == SHOW:
                self.nx = (1.0 - part) * w[e + 6] + part * w[e + 9]
                self.ny = (1.0 - part) * w[e + 7] + part * w[e + 10]
                self.nz = (1.0 - part) * w[e + 8] + part * w[e + 11]
                self.stretch(length, ux, uy, uz)
            else:
                kept = self.figure[g + KEPT]
                pull = STEP * size
                stiff = pull * self.figure[g + STIFFNESS]
                g += GRAVITY
                self.nx = x + kept * vx + stiff * ux - hx
                self.ny = y + kept * vy + stiff * uy - hy
                self.nz = z + kept * vz + stiff * uz - hz
                self.nx += pull * (self.figure[g] + self.wx)
                self.ny += pull * (self.figure[g + 1] + self.wy)
                self.nz += pull * (self.figure[g + 2] + self.wz)
                self.stretch(length, ux, uy, uz)
                if self.table[t + LIMIT]:
                    self.limit(i, length)
                if self.table[t + LAST] > self.table[t + FIRST]:
                    self.collide(i, length, size, hx, hy, hz, ux, uy, uz)
                a = e + 9
                if what == KEEP:
                    a = e + 6
                    put(w, e + 3, x, y, z)
                    put(w, e, hx + self.nx, hy + self.ny, hz + self.nz)
                put(w, a, self.nx, self.ny, self.nz)
            d = 1.0 / length
            from_to(w, s + PART, ux, uy, uz, d * self.nx, d * self.ny, d * self.nz)
            if weight < 1.0:
                scale_rotation(w, s + PART, weight, 10.0)
            for r in range(3):
                a = o + 3 * r
                rotate_row(w, a, w, s + PART, w, a)
            if writes:
                self.write(self.table[t + JOINT], o, p)
        if what == KEEP:
            for f in range(self.frames):
                a = self.frame0 + FRAME * f
                copy(w, a + BEFORE, w, a + AT, 12)

    def stretch(self, length, ux, uy, uz):
        """Give a bone its length; one of none points as the pose has it."""
        d = norm3(self.nx, self.ny, self.nz)
        # neither 0, nor NaN, nor infinite
        if not 1e-9 * length < d < 1e150:
            self.nx, self.ny, self.nz = ux, uy, uz
            d = 1.0
        d = length / d
        self.nx, self.ny, self.nz = self.nx * d, self.ny * d, self.nz * d

    def set_still(self):
        """Set CARRY to no motion."""
        w = self.work
        t = self.scratch + CARRY
        for k in range(12):
            w[t + k] = 0.0
        w[t] = w[t + 4] = w[t + 8] = 1.0

    def limit(self, i, length):
        """Turn the bone to the nearest direction that its limit allows.

        With the limit's y axis along the bone, as in VRMC_springBone_limit; where the
        nearest one is not defined, to the side of +z, or +y for the poles of x.
        """
        w = self.work
        o = self.world + 12 * i
        s = self.scratch + SQUARE
        g = NUMBERS * i + ANGLES
        kind = self.table[WHOLE * i + LIMIT]
        for k in range(3):
            n = NUMBERS * i + AXES + 3 * k
            x, y, z = three(self.figure, n)
            ax, ay, az = by_rows(w, o, x, y, z)
            d = norm3(ax, ay, az)
            if not d > 0.0:
                return
            put(w, s + 3 * k, ax / d, ay / d, az / d)
        d = 1.0 / length
        x, y, z = in_rows(w, s, self.nx, self.ny, self.nz)
        x, y, z = d * x, d * y, d * z
        cos_a = self.figure[g]
        sin_a = self.figure[g + 1]
        if kind == CONE:
            if y >= cos_a:
                return
            r = sqrt(x * x + z * z)
            if r > 1e-12:
                x *= sin_a / r
                z *= sin_a / r
            else:
                x = 0.0
                z = sin_a
            y = cos_a
        else:
            r = sqrt(y * y + z * z)
            if kind == HINGE:
                x = 0.0
            d = r
            if d > 1e-12:
                y /= d
                z /= d
            else:
                y = 1.0
                z = 0.0
            if y < cos_a:
                y = cos_a
                z = -sin_a if z < 0.0 else sin_a
            if kind == SPHERICAL:
                cos_b = self.figure[g + 2]
                sin_b = self.figure[g + 3]
                if x > sin_b:
                    x = sin_b
                    r = cos_b
                elif x < -sin_b:
                    x = -sin_b
                    r = cos_b
                y *= r
                z *= r
        x, y, z = by_rows(w, s, x, y, z)
        self.nx, self.ny, self.nz = length * x, length * y, length * z

    def collide(self, i, length, size, hx, hy, hz, ux, uy, uz):
        """Push the end of a bone out of each collider, one after the other."""
        w = self.work
        t = WHOLE * i
        hit = size * self.figure[NUMBERS * i + HIT]
        ex, ey, ez = hx + self.nx, hy + self.ny, hz + self.nz
        for n in range(self.table[t + FIRST], self.table[t + LAST]):
            c = self.touch[n]
            kind = self.kind[2 * c]
            p = self.placed + PLACED * c
            x, y, z = ex - w[p], ey - w[p + 1], ez - w[p + 2]
            if kind == PLANE:
                d = hit - (x * w[p + 3] + y * w[p + 4] + z * w[p + 5])
                if d <= 0.0:
                    continue
                x, y, z = three(w, p + 3)
            else:
                if kind in (CAPSULE, INSIDE_CAPSULE):
                    d = (x * w[p + 3] + y * w[p + 4] + z * w[p + 5]) * w[p + 7]
                    if d > 0.0:
                        d = 1.0 if d > 1.0 else d
                        x, y, z = x - d * w[p + 3], y - d * w[p + 4], z - d * w[p + 5]
                far = x * x + y * y + z * z
                if kind in (SPHERE, CAPSULE):
                    d = w[p + 6] + hit
                    if far >= d * d:
                        continue
                else:
                    d = max(w[p + 6] - hit, 0.0)
                    if far <= d * d:
                        continue
                far = sqrt(far)
                d -= far
                if far > 1e-150:
                    d /= far
                else:
                    # in the very middle: back to where the pose has it
                    x, y, z = ux, uy, uz
            self.nx += d * x
            self.ny += d * y
            self.nz += d * z
            self.stretch(length, ux, uy, uz)
            if self.table[t + LIMIT]:
                self.limit(i, length)
            ex, ey, ez = hx + self.nx, hy + self.ny, hz + self.nz

    def write(self, j, o, p):
        """Write a joint's axes to the pose: those in the world, in their parent's."""
        w = self.work
        t = self.scratch + SQUARE
        size = adjugate(w, p, w, t + 9)
        write_axes(self.local, 16 * j, w, o, t, size)

    def note(self):
        """Note that the matrices of the joints have changed."""
        self.pose.changes += 1
        mark = self.pose.mark
        parent = self.pose.parent
        n = self.pose.n
        first = n
        for i in range(self.count):
            j = self.table[WHOLE * i + JOINT]
            mark[n + j] = 1
            mark[j] = 0
            first = min(first, j)
        for j in range(first, n):
            p = parent[j]
            if p >= first and mark[p] == 0:
                mark[j] = 0


def from_index(values, o):
    """Return a buffer of doubles from an index on, as ``doubles`` does."""
    if cython.compiled:
        return cython.address(values[o])
    else:  # noqa: RET505
        return memoryview(values)[o:]


def workspace_size(joints, frames, colliders):
    """Return the size of a kernel's workspace."""
    return (
        STATES + (STATE + 12) * joints + FRAME * frames + PLACED * colliders + SCRATCH
    )
