# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""One frame of a chain: everything but the iteration, which each method adds.

All positions are taken from the chain's root joint, in root space. A rotation ``delta``
turns a bone from its start pose to its pose of this frame.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.lean import fold, lean
    from cython.cimports.ikrig.kernels.spatial import (
        conj_mul,
        data,
        from_to,
        mul,
        scale_turn,
        twist_angle,
    )
    from cython.cimports.libc.math import atan2, cos, exp, sin, sqrt
else:
    from math import atan2, cos, exp, sin, sqrt

    from .lean import fold, lean
    from .spatial import conj_mul, data, from_to, mul, scale_turn, twist_angle

COMPILED = cython.compiled


class ChainKernel:
    """Buffers and steps that every iterative chain method shares.

    ``solvers.base`` fills the fields from a ``ChainModel``; their sizes for n bones:
    length n; rest, pos, old 3 n + 3; rest_dir, dir 3 n; rest_rot, mirror, delta, wanted,
    rot, local 4 n + 4; tip 4; scratch 12. ``frame`` holds the start chord and bend (unit,
    3 + 3), then the weight of the mirror rotations (1 when there are any).
    """

    def __init__(self, n, buffers):
        """Take the number of bones and the buffers by name; the kernel keeps them."""
        self.n = n
        self._buffers = buffers
        self.length = data(buffers["length"])
        self.rest = data(buffers["rest"])
        self.rest_dir = data(buffers["rest_dir"])
        self.rest_rot = data(buffers["rest_rot"])
        self.mirror = data(buffers["mirror"])
        self.frame = data(buffers["frame"])
        self.pos = data(buffers["pos"])
        self.old = data(buffers["old"])
        self.dir = data(buffers["dir"])
        self.delta = data(buffers["delta"])
        self.wanted = data(buffers["wanted"])
        self.tip = data(buffers["tip"])
        self.rot = data(buffers["rot"])
        self.local = data(buffers["local"])
        self.scratch = data(buffers["scratch"])

    def solve(self, gx, gy, gz, use_pole, px, py, pz, use_tip, dt):
        """Solve one frame; return 1 when the settings kept the pose back.

        Args:
            gx: Goal of the tip, from the root joint, root space [scene unit].
            gy: As ``gx``.
            gz: As ``gx``.
            use_pole: 0: the pole arguments mean nothing.
            px: Pole, from the root joint, root space [scene unit].
            py: As ``px``.
            pz: As ``px``.
            use_tip: 1: the leaf turns from its start rotation by ``tip``.
            dt: Time since the last frame [s], for ``max_step``.
        """
        ox = self.cx
        oy = self.cy
        oz = self.cz
        self.case = self.place(gx, gy, gz)
        self.find_bend(use_pole, px, py, pz, ox, oy, oz)
        self.used = 0
        n = self.n
        if self.case == 0:
            self.guess(use_pole)
            # two bones need no iteration: the finish is their closed form
            if n > 2:
                self.used = self.iterate()
            self.close(use_pole)
        else:
            self.lay_out()
        self.turn(use_tip)
        held = self.hold_back(dt)
        self.write()
        # judge the pose that is really shown
        tip = 3 * self.n
        x = self.old[tip] - gx
        y = self.old[tip + 1] - gy
        z = self.old[tip + 2] - gz
        self.error = sqrt(x * x + y * y + z * z)
        return held

    def iterate(self):
        """Move ``pos`` towards the goal; return the iterations used."""
        return 0

    def place(self, gx, gy, gz):
        """Set the goal that this frame aims at; return 0 inside, 1 straight, 2 folded."""
        reach = self.reach
        d = sqrt(gx * gx + gy * gy + gz * gz)
        if d > 1e-12 * reach:
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
        if aim < self.dead_zone:
            aim = self.dead_zone
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
        if aim >= reach * (1.0 - 1e-12):
            return 1
        if aim <= self.dead_zone and self.dead_zone > 0.0:
            return 2
        return 0

    def find_bend(self, use_pole, px, py, pz, ox, oy, oz):
        """Set b, the unit direction square to the goal's line in which the chain bends.

        Without a pole it is the bend of the start pose and of the last frame, carried
        along by the smallest rotation. With one it points at the pole; where pole and
        goal line up that has no meaning, so within 6° it gives way to the start pose's.
        The third term lets the bend swing round on one side when the pole crosses the
        line in the plane of the bend, where the first two cancel.
        """
        cx = self.cx
        cy = self.cy
        cz = self.cz
        frame = self.frame
        # the start pose's bend, carried from the start chord to the goal's line
        k = cx * frame[0] + cy * frame[1] + cz * frame[2]
        x = frame[3]
        y = frame[4]
        z = frame[5]
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
        # the last frame's bend, likewise; a pole makes it superfluous
        if self.snap_back < 1.0 and not use_pole:
            k = cx * ox + cy * oy + cz * oz
            m = cx * self.bx + cy * self.by + cz * self.bz
            k = m / (1.0 + k) if k > 1e-9 - 1.0 else 0.0
            m = self.snap_back
            x = m * x + (1.0 - m) * (self.bx - k * (cx + ox))
            y = m * y + (1.0 - m) * (self.by - k * (cy + oy))
            z = m * z + (1.0 - m) * (self.bz - k * (cz + oz))
        if use_pole:
            k = px * cx + py * cy + pz * cz
            m = sqrt(px * px + py * py + pz * pz)
            px -= k * cx
            py -= k * cy
            pz -= k * cz
            k = sqrt(px * px + py * py + pz * pz)
            if k > 1e-9 * m:
                m = 10.0 * k / m
                m = 1.0 if m > 1.0 else m * m * (3.0 - 2.0 * m)
                k = m / k
                m = 1.0 - m
                t = 2.0 * m * (1.0 - m)
                ux = m * x + t * (cy * z - cz * y) + k * px
                uy = m * y + t * (cz * x - cx * z) + k * py
                uz = m * z + t * (cx * y - cy * x) + k * pz
                x = ux
                y = uy
                z = uz
        # square to the line and of unit length again
        k = x * cx + y * cy + z * cz
        x -= k * cx
        y -= k * cy
        z -= k * cz
        k = sqrt(x * x + y * y + z * z)
        if k < 1e-9:
            # nothing to go by: the axis furthest from the line
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

    def guess(self, flat):
        """Put ``pos`` where the iteration starts: between last frame and start pose.

        Args:
            flat: 1 to lay the chain into the plane of the goal's line and the bend.
                Whatever the iteration, it stays there.
        """
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
        for j in range(3 * n + 3):
            pos[j] += k * (rest[j] - pos[j])
        if flat:
            self.flatten()
            self.unfold()
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
        # straighter they are. A pose that reaches the goal is never this straight.
        reach = self.reach
        short = reach - sqrt(self.gx * self.gx + self.gy * self.gy + self.gz * self.gz)
        bow = 1.0 - 4.0 * sine / short
        if bow > 0.0:
            bow *= 4.0 * sqrt(0.375 * reach * short)
            along = 0.0
            for i in range(n):
                along += length[i]
                k = bow * (along / reach) * (1.0 - along / reach)
                j = 3 * i + 3
                pos[j] += k * bx
                pos[j + 1] += k * by
                pos[j + 2] += k * bz
        self.aim()
        self.unfold()

    def flatten(self):
        """Lay ``pos`` into the plane of the goal's line and the bend, as one arc.

        Each joint keeps how far along and how far off the chain's own chord it is.
        """
        n = self.n
        pos = self.pos
        j = 3 * n
        kx = pos[j]
        ky = pos[j + 1]
        kz = pos[j + 2]
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
            x = pos[j]
            y = pos[j + 1]
            z = pos[j + 2]
            along = x * kx + y * ky + z * kz
            x -= along * kx
            y -= along * ky
            z -= along * kz
            k = sqrt(x * x + y * y + z * z)
            pos[j] = along * self.cx + k * self.bx
            pos[j + 1] = along * self.cy + k * self.by
            pos[j + 2] = along * self.cz + k * self.bz
        self.aim()
        self.arch()

    def arch(self):
        """Swap the bones' angles so that every joint bends to the pole's side.

        That is where it would end to turn each inner joint to the pole about the line
        of its neighbours, again and again.
        """
        u = self.dir
        angles = self.wanted
        for i in range(self.n):
            j = 3 * i
            angle = atan2(
                u[j] * self.bx + u[j + 1] * self.by + u[j + 2] * self.bz,
                u[j] * self.cx + u[j + 1] * self.cy + u[j + 2] * self.cz,
            )
            # insert it among those before it, largest first
            j = i
            while j > 0 and angles[j - 1] < angle:
                angles[j] = angles[j - 1]
                j -= 1
            angles[j] = angle
        for i in range(self.n):
            x = cos(angles[i])
            y = sin(angles[i])
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
                # two joints in one place: any direction will do, if always the same
                u[j] = self.bx
                u[j + 1] = self.by
                u[j + 2] = self.bz

    def unfold(self):
        """Set ``pos`` to joints at bone lengths along the directions ``dir``."""
        pos = self.pos
        u = self.dir
        for i in range(self.n):
            j = 3 * i
            k = self.length[i]
            pos[j + 3] = pos[j] + k * u[j]
            pos[j + 4] = pos[j + 1] + k * u[j + 1]
            pos[j + 5] = pos[j + 2] + k * u[j + 2]

    def close(self, flat):
        """Close the gap that the iteration left, and restore the bone lengths."""
        n = self.n
        pos = self.pos
        u = self.dir
        length = self.length
        gx = self.gx
        gy = self.gy
        gz = self.gz
        self.aim()
        if flat and n > 2:
            self.arch()
        if n == 2:
            # the second bone points from the corner at the goal, as in a backward pass
            x = gx - pos[3]
            y = gy - pos[4]
            z = gz - pos[5]
            k = sqrt(x * x + y * y + z * z)
            if k > 1e-300:
                u[3] = x / k
                u[4] = y / k
                u[5] = z / k
            fold(u, length, n, 0, gx, gy, gz, self.reach, self.bx, self.by, self.bz)
        else:
            lean(u, length, n, -1, gx, gy, gz, self.reach, self.bx, self.by, self.bz)
        self.unfold()

    def lay_out(self):
        """Lay the bones on the goal's line: all along it, or folded when too near."""
        u = self.dir
        for i in range(self.n):
            k = -1.0 if self.case == 2 and i != self.longest else 1.0
            j = 3 * i
            u[j] = k * self.cx
            u[j + 1] = k * self.cy
            u[j + 2] = k * self.cz
        self.unfold()

    def turn(self, use_tip):
        """Set ``wanted``: the smallest turn of each bone from its start direction."""
        n = self.n
        wanted = self.wanted
        a = self.rest_dir
        b = self.dir
        for i in range(n):
            j = 3 * i
            if self.length[i] > 0.0:
                from_to(
                    wanted, 4 * i, a[j], a[j + 1], a[j + 2], b[j], b[j + 1], b[j + 2]
                )
            else:
                # a bone without length follows the one before it
                for k in range(4):
                    wanted[4 * i + k] = wanted[4 * i + k - 4] if i > 0 else 0.0
                if i == 0:
                    wanted[0] = 1.0
        for k in range(4):
            wanted[4 * n + k] = self.tip[k] if use_tip else wanted[4 * n + k - 4]
        if use_tip and self.twist_spread > 0.0:
            self.spread_twist()

    def spread_twist(self):
        """Share the leaf's roll about the last bone among the bones before it."""
        n = self.n
        wanted = self.wanted
        a = self.rest_dir
        q = self.scratch
        j = 3 * n - 3
        conj_mul(q, 0, wanted, 4 * n - 4, wanted, 4 * n)
        angle = twist_angle(q, 0, a[j], a[j + 1], a[j + 2])
        # past 120° fade out, so that nothing jumps where the roll wraps at 180°
        pi = 3.141592653589793
        if angle > pi / 1.5:
            angle = 2.0 * (pi - angle)
        elif angle < -pi / 1.5:
            angle = -2.0 * (pi + angle)
        along = 0.0
        for i in range(n):
            along += self.length[i]
            half = 0.5 * angle * self.twist_spread * along / self.reach
            j = 3 * i
            k = sin(half)
            q[0] = cos(half)
            q[1] = k * a[j]
            q[2] = k * a[j + 1]
            q[3] = k * a[j + 2]
            if self.length[i] > 0.0:
                mul(wanted, 4 * i, wanted, 4 * i, q, 0)

    def hold_back(self, dt):
        """Move ``delta`` to ``wanted`` as far as weight and max_step let it.

        Returns 1 when the pose is not the one that was solved, else 0.
        """
        n = self.n
        delta = self.delta
        wanted = self.wanted
        held = 0
        if self.weight < 1.0:
            held = 1
            for i in range(n + 1):
                scale_turn(wanted, 4 * i, self.weight, 10.0)
        if self.max_step > 0.0:
            # compare each joint's turn against its parent with the last frame's
            limit = self.max_step * dt
            q = self.scratch
            # q holds the step at 0, the parent's last delta at 4, the last joint turn at 8
            q[4] = 1.0
            q[5] = q[6] = q[7] = 0.0
            for i in range(n + 1):
                j = 4 * i
                conj_mul(q, 8, q, 4, delta, j)
                for k in range(4):
                    q[4 + k] = delta[j + k]
                if i > 0:
                    conj_mul(q, 0, wanted, j - 4, wanted, j)
                    conj_mul(q, 0, q, 8, q, 0)
                else:
                    conj_mul(q, 0, q, 8, wanted, 0)
                if scale_turn(q, 0, 1.0, limit) > limit * (1.0 - 1e-9):
                    held = 1
                mul(q, 0, q, 8, q, 0)
                if i > 0:
                    mul(delta, j, delta, j - 4, q, 0)
                else:
                    for k in range(4):
                        delta[k] = q[k]
        else:
            for j in range(4 * n + 4):
                delta[j] = wanted[j]
        return held

    def write(self):
        """Set rot, local and (in ``old``) the positions, all from ``delta``."""
        n = self.n
        delta = self.delta
        rot = self.rot
        local = self.local
        a = self.rest_dir
        out = self.old
        out[0] = out[1] = out[2] = 0.0
        for i in range(n + 1):
            j = 4 * i
            mul(rot, j, delta, j, self.rest_rot, j)
            if i == 0:
                conj_mul(local, 0, self.mirror, 0, rot, 0)
            elif self.frame[6] > 0.0:
                mul(local, j, rot, j - 4, self.mirror, j)
                conj_mul(local, j, local, j, rot, j)
            else:
                conj_mul(local, j, rot, j - 4, rot, j)
            if i < n:
                # forward kinematics: turn the start direction
                w = delta[j]
                x = delta[j + 1]
                y = delta[j + 2]
                z = delta[j + 3]
                j = 3 * i
                ux = a[j]
                uy = a[j + 1]
                uz = a[j + 2]
                tx = 2.0 * (y * uz - z * uy)
                ty = 2.0 * (z * ux - x * uz)
                tz = 2.0 * (x * uy - y * ux)
                k = self.length[i] * self.lengthening
                out[j + 3] = out[j] + k * (ux + w * tx + y * tz - z * ty)
                out[j + 4] = out[j + 1] + k * (uy + w * ty + z * tx - x * tz)
                out[j + 5] = out[j + 2] + k * (uz + w * tz + x * ty - y * tx)
