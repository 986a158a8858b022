# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""The start of a frame's solve: its goal, bend direction and initial pose.

All positions are relative to the chain's root joint, in root space.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import atan2, cos, exp, sin, sqrt

    from .bend_sides import SLIGHT_BEND, WRONG_BEND, add_pole, add_slight_bend
    from .bone_rotations import BoneRotationKernel
    from .quat_ops import from_to, mul, rotate_vec

COMPILED = cython.compiled

# how far a limb swings by way of outwards, against the goal's direction: below 1
OUTWARDS = 0.9


class InitialGuessKernel(BoneRotationKernel):
    """The goal of a frame, and a first pose to improve."""

    def store_bend(self):
        """Store the chord and the bend direction of ``pos`` for the next frame."""
        q = self.scratch
        self.find_chord(self.pos, q)
        self.cx = q[0]
        self.cy = q[1]
        self.cz = q[2]
        self.bx = q[3]
        self.by = q[4]
        self.bz = q[5]

    def classify_goal(self, gx, gy, gz):
        """Set this frame's goal; return 0 inside the reach, 1 straight, 2 folded."""
        # slides reach farther than the bones, and have no dead zone
        reach = self.reach + self.farther
        dead_zone = 0.0 if self.slides else self.dead_zone
        d = sqrt(gx * gx + gy * gy + gz * gz)
        if d > 1e-12 * self.reach:
            self.cx = gx / d
            self.cy = gy / d
            self.cz = gz / d
        aim = d
        # ease into full extension: the tip falls behind exponentially
        ease = self.soften * reach
        if ease > 0.0 and d > reach - ease:
            aim = reach - ease * exp((reach - ease - d) / ease)
        if aim > reach:
            aim = reach
        if aim < dead_zone:
            aim = dead_zone
        self.out_of_reach = 1 if aim != d else 0
        # lengthen the bones for what is missing, as far as allowed
        self.lengthening = 1.0
        if self.stretch > 0.0 and d > aim > 0.0:
            self.lengthening = d / aim
            if self.lengthening > 1.0 + self.stretch:
                self.lengthening = 1.0 + self.stretch
        self.gx = aim * self.cx
        self.gy = aim * self.cy
        self.gz = aim * self.cz
        if aim >= self.reach * (1.0 - 1e-12):
            return 1
        if aim <= dead_zone and dead_zone > 0.0:
            return 2
        return 0

    def find_bend(self, use_pole, px, py, pz, ox, oy, oz):
        """Set b, the unit direction square to the goal's line in which the chain bends.

        Without a pole it is the bend of the start pose and of the last frame, carried
        along to the goal's line. With one it points at the pole; where pole and goal
        line up that has no meaning, so within 6° it gives way to the start pose's.
        """
        cx = self.cx
        cy = self.cy
        cz = self.cz
        frame = self.frame
        s = self.scratch
        x, y, z = frame[3], frame[4], frame[5]
        if self.swing:
            self.find_swing()
            if use_pole and self.sided and frame[7] < WRONG_BEND:
                # the side is known in the axes of the first bone
                self.relative_rotation(s, self.rest_rot, self.limit_rot, 0)
                rotate_vec(s, 0, s, 0, self.side_x, self.side_y, self.side_z)
                add_slight_bend(
                    s, frame[0], frame[1], frame[2], x, y, z, s[0], s[1], s[2], frame[7]
                )
                x, y, z = s[0], s[1], s[2]
            rotate_vec(s, 0, self.swing_rot, 0, x, y, z)
            x, y, z = s[0], s[1], s[2]
        else:
            # the start pose's bend, carried from the start chord to the goal's line
            k = cx * frame[0] + cy * frame[1] + cz * frame[2]
            m = cx * x + cy * y + cz * z
            if k > 1e-9 - 1.0:
                k = m / (1.0 + k)
                x -= k * (cx + frame[0])
                y -= k * (cy + frame[1])
                z -= k * (cz + frame[2])
            else:
                x = -x
                y = -y
                z = -z
        ux = x
        uy = y
        uz = z
        # the last frame's bend, likewise; a pole makes it superfluous
        if self.snap_back < 1.0 and not use_pole:
            k = cx * ox + cy * oy + cz * oz
            m = cx * self.bx + cy * self.by + cz * self.bz
            k = m / (1.0 + k) if k > 1e-9 - 1.0 else 0.0
            m = self.snap_back
            x = m * x + (1.0 - m) * (self.bx - k * (cx + ox))
            y = m * y + (1.0 - m) * (self.by - k * (cy + oy))
            z = m * z + (1.0 - m) * (self.bz - k * (cz + oz))
        if use_pole and add_pole(s, cx, cy, cz, x, y, z, px, py, pz):
            x, y, z = s[0], s[1], s[2]
        # square to the line and of unit length again
        k = x * cx + y * cy + z * cz
        x -= k * cx
        y -= k * cy
        z -= k * cz
        k = sqrt(x * x + y * y + z * z)
        if k < 1e-9:
            # no direction at all: the axis farthest from the line
            x = y = z = 0.0
            if abs(cy) <= abs(cx) and abs(cy) <= abs(cz):
                y = 1.0
            elif abs(cx) <= abs(cz):
                x = 1.0
            else:
                z = 1.0
            k = x * cx + y * cy + z * cz
            x -= k * cx
            y -= k * cy
            z -= k * cz
            k = sqrt(x * x + y * y + z * z)
        self.bx = x / k
        self.by = y / k
        self.bz = z / k
        if self.swing and use_pole:
            self.swing_to_bend(ux, uy, uz)

    def find_swing(self):
        """Set ``swing_rot``, which rotates the whole start pose to the goal's line.

        By the least rotation up to 60°. Beyond, that one changes ever faster with the
        start chord, and at half a turn its axis jumps. So it gives way, wholly from
        120° on, to one by way of a direction that lies farther outwards than the goal,
        seen from the origin of root space. The jump is then at a chord that points
        inwards, through the body, where a limb hardly ever is.
        """
        f = self.frame
        q = self.swing_rot
        k = 0.5 - self.cx * f[0] - self.cy * f[1] - self.cz * f[2]
        if k <= 0.0:
            from_to(q, 0, f[0], f[1], f[2], self.cx, self.cy, self.cz)
            return
        k = 1.0 if k > 1.0 else k * k * (3.0 - 2.0 * k)
        x, y, z = self.points[0], self.points[1], self.points[2]
        k *= OUTWARDS / (sqrt(x * x + y * y + z * z) + 0.01 * self.reach)
        x = self.cx + k * x
        y = self.cy + k * y
        z = self.cz + k * z
        k = 1.0 / sqrt(x * x + y * y + z * z)
        x *= k
        y *= k
        z *= k
        s = self.scratch
        from_to(s, 0, f[0], f[1], f[2], x, y, z)
        from_to(q, 0, x, y, z, self.cx, self.cy, self.cz)
        mul(q, 0, q, 0, s, 0)

    def swing_to_bend(self, x, y, z):
        """Rotate ``swing_rot`` about the goal's line, from a side to that of the bend.

        Where the side of a start pose that is nearly straight is not known, by less.
        """
        cx = self.cx
        cy = self.cy
        cz = self.cz
        q = self.swing_rot
        s = self.scratch
        half = 0.5 * atan2(
            (cy * z - cz * y) * self.bx
            + (cz * x - cx * z) * self.by
            + (cx * y - cy * x) * self.bz,
            x * self.bx + y * self.by + z * self.bz,
        )
        k = self.frame[7] / SLIGHT_BEND
        if k < 1.0 and not self.sided:
            half *= k * k * (3.0 - 2.0 * k)
        k = sin(half)
        s[0] = cos(half)
        s[1] = k * cx
        s[2] = k * cy
        s[3] = k * cz
        mul(q, 0, s, 0, q, 0)

    def guess(self, flat):
        """Set ``pos`` to the initial guess, between last frame and start pose.

        Args:
            flat: 1 to flatten the chain into the plane of the goal's line and the bend.
                The finish leaves it there.
        """
        self.make_guess(flat)

    def make_guess(self, flat):
        """Set ``pos`` to the initial guess, by kernels."""
        n = self.n
        pos = self.pos
        rest = self.rest
        length = self.length
        cx = self.cx
        cy = self.cy
        cz = self.cz
        bx = self.bx
        by = self.by
        bz = self.bz
        k = self.snap_back
        q = self.scratch
        for i in range(n + 1):
            j = 3 * i
            x, y, z = rest[j], rest[j + 1], rest[j + 2]
            if self.swing:
                # a knee then bends to the side that it bends to in the start pose
                rotate_vec(q, 0, self.swing_rot, 0, x, y, z)
                x, y, z = q[0], q[1], q[2]
            pos[j] = (1.0 - k) * pos[j] + k * x
            pos[j + 1] = (1.0 - k) * pos[j + 1] + k * y
            pos[j + 2] = (1.0 - k) * pos[j + 2] + k * z
        if flat:
            self.flatten()
            self.forward_positions()
        # how far the bones are off the goal's line, as a mean squared sine
        sine = 0.0
        for i in range(n):
            j = 3 * i
            x = pos[j + 3] - pos[j]
            y = pos[j + 4] - pos[j + 1]
            z = pos[j + 5] - pos[j + 2]
            along = x * cx + y * cy + z * cz
            k = x * x + y * y + z * z
            if k > 0.0:
                sine += length[i] * (1.0 - along * along / k)
        # bones all on the goal's line can't get off it: bow them out, more the
        # straighter they are
        reach = self.reach
        short = reach - sqrt(self.gx * self.gx + self.gy * self.gy + self.gz * self.gz)
        bow = 1.0 - 4.0 * sine / short if short > 1e-12 * reach else 0.0
        if bow > 0.0:
            bow *= 4.0 * sqrt(0.375 * reach * short)
            # the nearer a folded pose is to solved already, the less
            j = 3 * n
            x = pos[j] - self.gx
            y = pos[j + 1] - self.gy
            z = pos[j + 2] - self.gz
            k = sqrt(x * x + y * y + z * z) / short
            if k < 1.0:
                bow *= k
            along = 0.0
            for i in range(n):
                along += length[i]
                k = bow * (along / reach) * (1.0 - along / reach)
                j = 3 * i + 3
                pos[j] += k * bx
                pos[j + 1] += k * by
                pos[j + 2] += k * bz
        self.aim()
        self.forward_positions()

    def flatten(self):
        """Flatten ``pos`` into one arc in the plane of goal line and bend direction.

        Each joint keeps its distances along and off the chain's own chord.
        """
        n = self.n
        pos = self.pos
        j = 3 * n
        kx, ky, kz = pos[j], pos[j + 1], pos[j + 2]
        k = sqrt(kx * kx + ky * ky + kz * kz)
        if k > 1e-9 * self.reach:
            kx /= k
            ky /= k
            kz /= k
        else:
            kx = self.cx
            ky = self.cy
            kz = self.cz
        for i in range(1, n + 1):
            j = 3 * i
            x, y, z = pos[j], pos[j + 1], pos[j + 2]
            along = x * kx + y * ky + z * kz
            x -= along * kx
            y -= along * ky
            z -= along * kz
            k = sqrt(x * x + y * y + z * z)
            pos[j] = along * self.cx + k * self.bx
            pos[j + 1] = along * self.cy + k * self.by
            pos[j + 2] = along * self.cz + k * self.bz
        self.aim()
        # two bones on the bend's side are an arc
        if n > 2:
            self.sort_into_arc()

    def sort_into_arc(self):
        """Swap the bones' angles so that every joint bends to the pole's side.

        Repeatedly rotating each inner joint to the pole, about the line of its
        neighbours, would end in the same arc. The chord is rotated to the goal's line:
        the rest of the solve then depends on the goal's distance alone.
        """
        n = self.n
        u = self.dir
        angles = self.solved_rot
        for i in range(n):
            j = 3 * i
            x = u[j] * self.cx + u[j + 1] * self.cy + u[j + 2] * self.cz
            y = u[j] * self.bx + u[j + 1] * self.by + u[j + 2] * self.bz
            if -1e-9 < y < 1e-9:
                # rounding must not decide between half a turn to one side or the other
                y = 0.0
            angle = atan2(y, x)
            # insert it among those before it, largest first
            j = i
            while j > 0 and angles[j - 1] < angle:
                angles[j] = angles[j - 1]
                j -= 1
            angles[j] = angle
        for _ in range(2):
            x = y = 0.0
            for i in range(n):
                x += self.length[i] * cos(angles[i])
                y += self.length[i] * sin(angles[i])
            # a closed loop has no chord to rotate
            turn = 0.0
            if x * x + y * y > 1e-18 * self.reach * self.reach:
                turn = atan2(y, x)
            # half a turn, plus rounding
            if angles[0] - turn <= 3.141592664 and turn - angles[n - 1] <= 3.141592664:
                break
            # a curl that is no arc over its chord: halve it
            for i in range(n):
                angles[i] *= 0.5
        for i in range(n):
            x = cos(angles[i] - turn)
            y = sin(angles[i] - turn)
            j = 3 * i
            u[j] = x * self.cx + y * self.bx
            u[j + 1] = x * self.cy + y * self.by
            u[j + 2] = x * self.cz + y * self.bz

    def aim(self):
        """Set ``dir`` to the directions from joint to joint in ``pos``."""
        pos = self.pos
        u = self.dir
        for i in range(self.n):
            j = 3 * i
            x = pos[j + 3] - pos[j]
            y = pos[j + 4] - pos[j + 1]
            z = pos[j + 5] - pos[j + 2]
            k = sqrt(x * x + y * y + z * z)
            if k > 1e-300:
                u[j] = x / k
                u[j + 1] = y / k
                u[j + 2] = z / k
            else:
                # two joints at one position: any direction will do, if always the same
                u[j] = self.bx
                u[j + 1] = self.by
                u[j + 2] = self.bz

    def forward_positions(self):
        """Set ``pos`` to joints at bone lengths along the directions ``dir``."""
        pos = self.pos
        u = self.dir
        for i in range(self.n):
            j = 3 * i
            k = self.length[i]
            pos[j + 3] = pos[j] + k * u[j]
            pos[j + 4] = pos[j + 1] + k * u[j + 1]
            pos[j + 5] = pos[j + 2] + k * u[j + 2]
