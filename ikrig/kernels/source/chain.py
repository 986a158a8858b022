"""A chain of bones without joint coordinates: start pose, frame and rotations.

All positions are relative to the chain's root joint, in root space. Bones are
directions; a rotation ``delta_rot`` turns a joint from its start pose to its pose of
this frame.
"""

import cython

if not cython.compiled:
    from math import atan2, cos, exp, sin, sqrt

    from .bend_sides import (
        SLIGHT_BEND,
        WRONG_BEND,
        add_pole,
        add_slight_bend,
        blend_sides,
    )
    from .buffers import doubles, pin
    from .codes import (
        BEYOND,
        BY_STEP,
        BY_WEIGHT,
        INSIDE,
        NOT_FINITE,
        NOTHING,
        TOO_NEAR,
    )
    from .gap_closing import close_gap_bend, two_bone_close
    from .quat_ops import (
        about,
        angle_of,
        conj_mul,
        from_to,
        mul,
        mul_conj,
        rotate_row,
        scale_rotation,
        square_sum,
    )
    from .rest_pose import StartPose, turned_far
    from .vectors import add_to, between, copy, less, norm3, put, put4, rotated, three

# weight below which the rotations of the bones are blended, too
FIRST_PART = 0.25


class ChainKernel:
    """A chain of n bones; each method adds its ``sweep``.

    ``start`` is its ``StartPose``. ``solvers.base`` sets the attributes from settings.

    Buffers: pos, prev_pos, joint_pos 3 n + 3; dir 3 n; delta_rot, solved_rot, rot,
    local 4 n + 4; tip, swing_rot 4; and those of the start pose. ``swing``
    1: bones turn least from the start pose as ``swing_rot`` rotates it as a whole, so
    that hinges stay hinges. ``limited`` 1: the directions are a first guess for joints
    with limits, which refer to the pose with the rotations ``limit_rot``, 4 n + 4;
    ``rest_to_anim``, 4 n + 4, rotates its joints to the start pose. ``part``: how far
    directions go from the start pose to the goal; what ``weight`` is below it is left
    to the blend of rotations.
    """

    def __init__(self, n, buffers):
        """Store the number of bones and the named buffers."""
        self.n = n
        self._pinned = pin(buffers)
        self.start = StartPose(n, buffers)
        self.slides = self.limited = 0
        self.weight = self.part = 1.0
        self.pos = doubles(buffers["pos"])
        self.prev_pos = doubles(buffers["prev_pos"])
        self.joint_pos = doubles(buffers["joint_pos"])
        self.dir = doubles(buffers["dir"])
        self.swing_rot = doubles(buffers["swing_rot"])
        self.delta_rot = doubles(buffers["delta_rot"])
        self.solved_rot = doubles(buffers["solved_rot"])
        self.tip = doubles(buffers["tip"])
        self.rot = doubles(buffers["rot"])
        self.local = doubles(buffers["local"])
        if not cython.compiled:
            self.scratch = [0.0] * 12
        self.limit_rot = doubles(buffers["limit_rot"])
        self.rest_to_anim = doubles(buffers["rest_to_anim"])

    # -- from directions to rotations --------------------------------------------------

    def turn_bones(self, use_tip):
        """Set ``solved_rot``: least rotations from the start pose or the parent."""
        n = self.n
        solved_rot = self.solved_rot
        a = self.start.rest_dir
        b = self.dir
        for i in range(n):
            j = 3 * i
            o = 4 * i
            by = self.swing_rot
            k = 0
            carried = self.swing
            if self.roll_from_parent and i > 0:
                by = solved_rot
                k = o - 4
                carried = 1
            if self.start.length[i] > 0.0:
                x, y, z = three(a, j)
                if carried:
                    # the swing or the parent rotates this bone's start direction
                    x, y, z = rotated(by, k, x, y, z)
                from_to(solved_rot, o, x, y, z, b[j], b[j + 1], b[j + 2])
                if carried:
                    mul(solved_rot, o, solved_rot, o, by, k)
            elif i > 0:
                # a bone without length follows the one before it
                copy(solved_rot, o, solved_rot, o - 4, 4)
            else:
                put4(solved_rot, 0, 1.0, 0.0, 0.0, 0.0)
        if use_tip:
            copy(solved_rot, 4 * n, self.tip, 0, 4)
            if self.twist_spread > 0.0:
                self.spread_twist()
        else:
            copy(solved_rot, 4 * n, solved_rot, 4 * n - 4, 4)

    def spread_twist(self):
        """Spread the leaf's roll about the last bone over the bones, by length."""
        n = self.n
        solved_rot = self.solved_rot
        a = self.start.rest_dir
        q = self.scratch
        j = 3 * n - 3
        conj_mul(q, 0, solved_rot, 4 * n - 4, solved_rot, 4 * n)
        w = q[0]
        s = q[1] * a[j] + q[2] * a[j + 1] + q[3] * a[j + 2]
        if w < 0.0:
            w = -w
            s = -s
        angle = 2.0 * atan2(s, w)
        # fade out past 120°, so that nothing jumps: a roll wraps at 180°, and has no
        # meaning where the leaf is swung right back on the bone
        pi = 3.141592653589793
        if angle > pi / 1.5:
            angle = 2.0 * (pi - angle)
        elif angle < -pi / 1.5:
            angle = -2.0 * (pi + angle)
        k = 4.0 * (w * w + s * s)
        if k < 1.0:
            angle *= k
        along = 0.0
        for i in range(n):
            along += self.start.length[i]
            half = 0.5 * angle * self.twist_spread * along / self.start.reach
            j = 3 * i
            about(q, 0, half, a[j], a[j + 1], a[j + 2])
            if self.start.length[i] > 0.0:
                mul(solved_rot, 4 * i, solved_rot, 4 * i, q, 0)

    def limit_step(self, dt):
        """Move ``delta_rot`` to ``solved_rot`` as far as weight and max_step let it.

        Returns what holds it back.
        """
        n = self.n
        delta_rot = self.delta_rot
        solved_rot = self.solved_rot
        blocker = NOTHING
        if self.weight < 1.0:
            blocker = BY_WEIGHT
            # the leaf's on its bone: in root space a hand often turns by 180 degrees,
            # where the shorter direction changes from frame to frame
            q = self.scratch
            j = 4 * n
            conj_mul(q, 0, solved_rot, j - 4, solved_rot, j)
            scale_rotation(q, 0, self.weight, 1e30)
            if self.weight < self.part:
                for i in range(n):
                    scale_rotation(solved_rot, 4 * i, self.weight / self.part, 1e30)
            mul(solved_rot, j, solved_rot, j - 4, q, 0)
        if self.max_step > 0.0:
            # compare each joint's rotation in its parent with the last frame's
            limit = self.max_step * dt
            q = self.scratch
            # q: step at 0, the parent's last delta at 4, the joint's last rotation at 8
            put4(q, 4, 1.0, 0.0, 0.0, 0.0)
            for i in range(n + 1):
                j = 4 * i
                conj_mul(q, 8, q, 4, delta_rot, j)
                copy(q, 4, delta_rot, j, 4)
                if i > 0:
                    conj_mul(q, 0, solved_rot, j - 4, solved_rot, j)
                    conj_mul(q, 0, q, 8, q, 0)
                else:
                    conj_mul(q, 0, q, 8, solved_rot, 0)
                if scale_rotation(q, 0, 1.0, limit) >= limit * (1.0 - 1e-9):
                    blocker = BY_STEP
                mul(q, 0, q, 8, q, 0)
                if i > 0:
                    mul(delta_rot, j, delta_rot, j - 4, q, 0)
                else:
                    copy(delta_rot, 0, q, 0, 4)
        else:
            copy(delta_rot, 0, solved_rot, 0, 4 * n + 4)
        return blocker

    def write(self):
        """Set ``rot``, ``local`` and, in ``prev_pos``, positions by ``delta_rot``."""
        n = self.n
        delta_rot = self.delta_rot
        rot = self.rot
        local = self.local
        a = self.start.rest_dir
        out = self.prev_pos
        out[0] = out[1] = out[2] = 0.0
        for i in range(n + 1):
            j = 4 * i
            mul(rot, j, delta_rot, j, self.start.rest_rot, j)
            if i == 0:
                conj_mul(local, 0, self.start.mirror, 0, rot, 0)
            elif self.start.mirrored:
                mul(local, j, rot, j - 4, self.start.mirror, j)
                conj_mul(local, j, local, j, rot, j)
            else:
                conj_mul(local, j, rot, j - 4, rot, j)
            if i < n:
                # forward kinematics: rotate the start direction
                x, y, z = three(a, 3 * i)
                x, y, z = rotated(delta_rot, j, x, y, z)
                k = self.start.length[i] * self.lengthening
                j = 3 * i
                out[j + 3] = out[j] + k * x
                out[j + 4] = out[j + 1] + k * y
                out[j + 5] = out[j + 2] + k * z

    def to_limits(self):
        """Convert ``solved_rot`` to rotations from the pose that limits refer to."""
        for j in range(0, 4 * self.n + 4, 4):
            mul(self.solved_rot, j, self.solved_rot, j, self.rest_to_anim, j)

    # -- the goal and a first pose -----------------------------------------------------

    def store_bend(self):
        """Store the chord and the bend direction of ``pos`` for the next frame."""
        q = self.scratch
        self.start.find_chord(self.pos, q)
        self.cx, self.cy, self.cz = three(q, 0)
        self.bx, self.by, self.bz = three(q, 3)

    def classify_goal(self, gx, gy, gz):
        """Set this frame's goal; return where it is."""
        # slides reach farther than the bones, and have no dead zone
        reach = self.start.reach + self.farther
        dead_zone = 0.0 if self.slides else self.start.dead_zone
        d = norm3(gx, gy, gz)
        if d > 1e-12 * self.start.reach:
            self.cx, self.cy, self.cz = gx / d, gy / d, gz / d
        aim = d
        # ease into full extension: the tip falls behind exponentially
        ease = self.soften * reach
        if ease > 0.0 and d > reach - ease:
            aim = reach - ease * exp((reach - ease - d) / ease)
        aim = min(aim, reach)
        aim = max(aim, dead_zone)
        self.out_of_reach = 1 if aim != d else 0
        # lengthen the bones for what is missing, as far as allowed
        self.lengthening = 1.0
        if self.stretch > 0.0 and d > aim > 0.0:
            self.lengthening = d / aim
            self.lengthening = min(self.lengthening, 1.0 + self.stretch)
        return self.place_goal(aim)

    def place_goal(self, aim):
        """Set the goal at a distance along the chord ``cx``; return where it is."""
        dead_zone = 0.0 if self.slides else self.start.dead_zone
        self.gx, self.gy, self.gz = aim * self.cx, aim * self.cy, aim * self.cz
        if aim >= self.start.reach * (1.0 - 1e-12):
            return BEYOND
        if aim <= dead_zone and dead_zone > 0.0:
            return TOO_NEAR
        return INSIDE

    def go_part(self):
        """Move the goal to a part of the way from the start pose; return where it is.

        A blend of rotations would throw a limb where one of them passes 180 degrees and
        its shorter direction changes. The tip goes on a straight line instead, and if
        it has to turn far, on an arc that lies outwards, seen from the origin of root
        space: not through the first joint.
        """
        p = self.part
        ax, ay, az = three(self.start.rest, 3 * self.n)
        bx, by, bz = self.gx, self.gy, self.gz
        before = norm3(ax, ay, az)
        after = norm3(bx, by, bz)
        x, y, z = ax + p * (bx - ax), ay + p * (by - ay), az + p * (bz - az)
        k = turned_far(ax * bx + ay * by + az * bz, before * after)
        if k > 0.0:
            ox, oy, oz = three(self.start.points, 0)
            k *= p * (1.0 - p) * (before + after)
            k /= norm3(ox, oy, oz) + 0.01 * self.start.reach
            x, y, z = x + k * ox, y + k * oy, z + k * oz
        d = norm3(x, y, z)
        if d > 1e-12 * self.start.reach:
            self.cx, self.cy, self.cz = x / d, y / d, z / d
        d = min(d, self.start.reach + self.farther)
        d = max(d, 0.0 if self.slides else self.start.dead_zone)
        self.lengthening = 1.0 + p * (self.lengthening - 1.0)
        return self.place_goal(d)

    def find_bend(self, use_pole, px, py, pz, ox, oy, oz):
        """Set b, the unit direction square to the goal's line in which the chain bends.

        Without a pole it is the bend of the start pose and of the last frame, carried
        along to the goal's line. With one it points at the pole; where pole and goal
        line up that has no meaning, so within 6° it gives way to the start pose's.
        """
        cx, cy, cz = self.cx, self.cy, self.cz
        frame = self.start.frame
        s = self.scratch
        x, y, z = frame[3], frame[4], frame[5]
        if self.swing:
            self.start.swing(self.swing_rot, s, cx, cy, cz)
            if use_pole and self.start.sided and self.start.bend_size < WRONG_BEND:
                # the side is known in the axes of the first bone
                mul_conj(s, 0, self.start.rest_rot, 0, self.limit_rot, 0)
                sx, sy, sz = rotated(
                    s, 0, self.start.side_x, self.start.side_y, self.start.side_z
                )
                k = self.start.bend_size
                ux, uy, uz = three(frame, 0)
                x, y, z = add_slight_bend(
                    ux, uy, uz, x, y, z, sx, sy, sz, k, self.start.slight
                )
            x, y, z = rotated(self.swing_rot, 0, x, y, z)
        else:
            # the start pose's bend, carried from the start chord to the goal's line
            k = cx * frame[0] + cy * frame[1] + cz * frame[2]
            m = cx * x + cy * y + cz * z
            if k > 1e-9 - 1.0:
                k = m / (1.0 + k)
                ux, uy, uz = cx + frame[0], cy + frame[1], cz + frame[2]
                x, y, z = x - k * ux, y - k * uy, z - k * uz
            else:
                x, y, z = -x, -y, -z
        ux, uy, uz = x, y, z
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
            if self.part < 1.0:
                k = 1.0 / norm3(x, y, z)
                x, y, z = blend_sides(
                    cx, cy, cz, ux, uy, uz, k * x, k * y, k * z, self.part
                )
        # square to the line and of unit length again
        x, y, z = less(x, y, z, cx, cy, cz)
        k = norm3(x, y, z)
        if k < 1e-9:
            # no direction at all: the axis farthest from the line
            if abs(cy) <= abs(cx) and abs(cy) <= abs(cz):
                x, y, z = 0.0, 1.0, 0.0
            elif abs(cx) <= abs(cz):
                x, y, z = 1.0, 0.0, 0.0
            else:
                x, y, z = 0.0, 0.0, 1.0
            x, y, z = less(x, y, z, cx, cy, cz)
            k = norm3(x, y, z)
        self.bx, self.by, self.bz = x / k, y / k, z / k
        if self.swing and use_pole:
            self.swing_to_bend(ux, uy, uz)

    def swing_to_bend(self, x, y, z):
        """Rotate ``swing_rot`` about the goal's line, from a side to that of the bend.

        Where the side of a start pose that is nearly straight is not known, by less.
        """
        cx, cy, cz = self.cx, self.cy, self.cz
        q = self.swing_rot
        s = self.scratch
        half = 0.5 * atan2(
            (cy * z - cz * y) * self.bx
            + (cz * x - cx * z) * self.by
            + (cx * y - cy * x) * self.bz,
            x * self.bx + y * self.by + z * self.bz,
        )
        k = self.start.bend_size / SLIGHT_BEND
        if k < 1.0 and not self.start.sided:
            half *= k * k * (3.0 - 2.0 * k)
        about(s, 0, half, cx, cy, cz)
        mul(q, 0, s, 0, q, 0)

    def guess(self, flat, animated):
        """Set ``solved_rot`` to a first guess for joints with limits.

        Args:
            flat: As for ``make_guess``.
            animated: Whether limits refer to another pose than the start pose.
        """
        self.make_guess(flat)
        self.turn_bones(0)
        if animated:
            self.to_limits()

    def make_guess(self, flat):
        """Set ``pos`` to the initial guess, between last frame and start pose.

        Args:
            flat: 1 to flatten the chain into the plane of the goal's line and the bend.
                The finish leaves it there.
        """
        n = self.n
        pos = self.pos
        rest = self.start.rest
        length = self.start.length
        cx, cy, cz = self.cx, self.cy, self.cz
        bx, by, bz = self.bx, self.by, self.bz
        k = self.snap_back
        for i in range(n + 1):
            j = 3 * i
            x, y, z = rest[j], rest[j + 1], rest[j + 2]
            if self.swing:
                # a knee then bends to the side that it bends to in the start pose
                x, y, z = rotated(self.swing_rot, 0, x, y, z)
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
            x, y, z = between(pos, j, pos, j + 3)
            along = x * cx + y * cy + z * cz
            k = x * x + y * y + z * z
            if k > 0.0:
                sine += length[i] * (1.0 - along * along / k)
        # bones all on the goal's line can't get off it: bow them out, more the
        # straighter they are
        reach = self.start.reach
        short = reach - norm3(self.gx, self.gy, self.gz)
        bow = 1.0 - 4.0 * sine / short if short > 1e-12 * reach else 0.0
        if bow > 0.0:
            bow *= 4.0 * sqrt(0.375 * reach * short)
            # the nearer a folded pose is to solved already, the less
            k = self.gap() / short
            if k < 1.0:
                bow *= k
            along = 0.0
            for i in range(n):
                along += length[i]
                k = bow * (along / reach) * (1.0 - along / reach)
                j = 3 * i + 3
                add_to(pos, j, k * bx, k * by, k * bz)
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
        k = norm3(kx, ky, kz)
        if k > 1e-9 * self.start.reach:
            kx, ky, kz = kx / k, ky / k, kz / k
        else:
            kx, ky, kz = self.cx, self.cy, self.cz
        for i in range(1, n + 1):
            j = 3 * i
            x, y, z = pos[j], pos[j + 1], pos[j + 2]
            along = x * kx + y * ky + z * kz
            x, y, z = x - along * kx, y - along * ky, z - along * kz
            k = norm3(x, y, z)
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
                x += self.start.length[i] * cos(angles[i])
                y += self.start.length[i] * sin(angles[i])
            # a closed loop has no chord to rotate
            turn = 0.0
            if x * x + y * y > 1e-18 * self.start.reach * self.start.reach:
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
            x, y, z = between(pos, j, pos, j + 3)
            k = norm3(x, y, z)
            if k > 1e-300:
                put(u, j, x / k, y / k, z / k)
            else:
                # two joints at one position: any direction will do, if always the same
                put(u, j, self.bx, self.by, self.bz)

    def forward_positions(self):
        """Set ``pos`` to joints at bone lengths along the directions ``dir``."""
        pos = self.pos
        u = self.dir
        for i in range(self.n):
            j = 3 * i
            k = self.start.length[i]
            pos[j + 3] = pos[j] + k * u[j]
            pos[j + 4] = pos[j + 1] + k * u[j + 1]
            pos[j + 5] = pos[j + 2] + k * u[j + 2]

    # -- the frame ---------------------------------------------------------------------

    def solve(self, gx, gy, gz, use_pole, px, py, pz, use_tip, dt):
        """Solve one frame; return what holds the pose back.

        When numbers are not finite the pose is the last frame's.

        Args:
            gx, gy, gz: Goal of the tip, from the root joint, root space [scene unit].
            use_pole: 0: the pole is ignored.
            px, py, pz: Pole, from the root joint, root space [scene unit].
            use_tip: 1: ``tip`` rotates the leaf from its start rotation.
            dt: Time since the last frame [s], for ``max_step``.
        """
        self.aim_bones(gx, gy, gz, use_pole, px, py, pz)
        return self.finish(use_tip, dt)

    def aim_bones(self, gx, gy, gz, use_pole, px, py, pz):
        """Set ``dir``, the directions in which the bones reach a frame's goal."""
        self.set_goal(gx, gy, gz, use_pole, px, py, pz)
        if self.case != INSIDE:
            self.straighten()
        else:
            self.make_guess(use_pole)
            n = self.n
            # two bones need no iteration: the finish is their closed form. With a pole
            # it would break the arc, which the finish alone keeps.
            if n > 2 and not use_pole:
                self.used = self.iterate()
                self.aim()
            self.close_gap()

    def aim_tip(self):
        """Set ``tip_offset``, from leaf to tip, with the leaf rotated by ``tip``."""
        q = self.scratch
        mul(q, 0, self.tip, 0, self.start.rest_rot, 4 * self.n)
        self.start.put_tip(self.start.tip_offset, q, 0)

    def begin(self, gx, gy, gz, use_pole, px, py, pz):
        """Set the frame's goal and pole, and the pose that joints start from."""
        self.set_goal(gx, gy, gz, use_pole, px, py, pz)
        if self.case == INSIDE:
            self.make_guess(use_pole)
            self.turn_bones(0)
        else:
            self.straighten()

    def set_goal(self, gx, gy, gz, use_pole, px, py, pz):
        """Set the frame's goal, within reach, and the side that the chain bends to."""
        ox, oy, oz = self.cx, self.cy, self.cz
        self.tx, self.ty, self.tz = gx, gy, gz
        self.case = self.classify_goal(gx, gy, gz)
        self.part = 1.0
        if self.weight < 1.0 and not self.limited:
            self.part = self.weight if self.weight > FIRST_PART else FIRST_PART
            self.case = self.go_part()
        if self.choose_start:
            # where a pole, an animation or a new start pose picks the side, the last
            # frame has no say
            self.snap_back = 1.0 if use_pole or self.swing or self.posed else 0.0
        self.posed = 0
        self.find_bend(use_pole, px, py, pz, ox, oy, oz)
        self.used = 0
        self.left = 0.0

    def finish(self, use_tip, dt):
        """Set rotations from ``dir``, limit the step, write; return as ``solve``."""
        self.turn_bones(use_tip)
        if not self.is_sound():
            self.start_over(use_tip)
            return NOT_FINITE
        held = self.limit_step(dt)
        self.write()
        self.evaluate(use_tip)
        return held

    def is_sound(self):
        """Return 1 when ``solved_rot`` holds rotations and everything else is finite.

        That is all that the next frame starts from, but for the leaf's rotation, which
        is checked where it is passed in.
        """
        tip = 3 * self.n
        x = self.pos[tip] + self.pos[tip + 1] + self.pos[tip + 2]
        x += self.bx + self.by + self.bz + self.cx + self.cy + self.cz
        # x - x is 0 or no number
        w = square_sum(self.solved_rot, self.n) + (x - x - self.n)
        return 1 if -1e-6 < w < 1e-6 else 0

    def start_over(self, use_tip):
        """Restart from the start pose after a bad solve; the shown pose stays."""
        copy(self.pos, 0, self.start.rest, 0, 3 * self.n + 3)
        self.store_bend()
        self.write()
        self.evaluate(use_tip)

    def update_directions(self):
        """Set ``dir`` and ``pos`` from the rotations in ``solved_rot``."""
        u = self.start.rest_dir
        for i in range(self.n):
            j = 3 * i
            rotate_row(self.dir, j, self.solved_rot, 4 * i, u, j)
        self.forward_positions()

    def set_rotations(self, rotations):
        """Set ``solved_rot`` from rotations in root space, w x y z, 4 n + 4.

        Returns 0, with nothing set, when one is not a rotation.
        """
        r = doubles(rotations)
        q = self.scratch
        n = 4 * self.n + 4
        for o in range(0, n, 4):
            s = r[o] * r[o] + r[o + 1] * r[o + 1]
            s += r[o + 2] * r[o + 2] + r[o + 3] * r[o + 3]
            if not 1e-18 < s < 1e300:
                return 0
        for o in range(0, n, 4):
            s = r[o] * r[o] + r[o + 1] * r[o + 1]
            s += r[o + 2] * r[o + 2] + r[o + 3] * r[o + 3]
            # a unit quaternion, up to rounding, stays to the last digit
            s = 1.0 if abs(s - 1.0) < 2e-12 else 1.0 / sqrt(s)
            put4(q, 0, s * r[o], s * r[o + 1], s * r[o + 2], s * r[o + 3])
            mul_conj(self.solved_rot, o, q, 0, self.start.rest_rot, o)
        return 1

    def continue_from_solved(self):
        """Show ``solved_rot``, and start the next frame from it.

        Bones keep their lengths; where some slide, ``joint_pos`` has the positions.
        """
        self.posed = 0
        copy(self.delta_rot, 0, self.solved_rot, 0, 4 * self.n + 4)
        self.write()
        if self.slides:
            copy(self.prev_pos, 0, self.joint_pos, 0, 3 * self.n + 3)
        copy(self.pos, 0, self.prev_pos, 0, 3 * self.n + 3)
        # the bend of this pose
        self.store_bend()

    def evaluate(self, use_tip):
        """Set ``error`` and ``orientation_error`` of the shown pose."""
        tip = 3 * self.n
        x, y, z = three(self.prev_pos, tip)
        x, y, z = x - self.tx, y - self.ty, z - self.tz
        if self.start.tipped:
            # the tip as the leaf carries it now, and as the solve assumed it
            q = self.scratch
            o = self.start.tip_offset
            self.start.put_tip(q, self.rot, 4 * self.n)
            k = -1.0
            copy(q, 4, o, 0, 3)
            if self.start.rigid:
                k = -self.lengthening
                rotate_row(q, 4, self.delta_rot, 4 * self.n - 4, o, 0)
            x, y, z = x + q[0] + k * q[4], y + q[1] + k * q[5], z + q[2] + k * q[6]
        self.error = norm3(x, y, z)
        self.orientation_error = 0.0
        if use_tip:
            q = self.scratch
            conj_mul(q, 0, self.tip, 0, self.delta_rot, 4 * self.n)
            self.orientation_error = angle_of(q, 0)

    def iterate(self):
        """Sweep until the tip is within tolerance; return the sweeps used.

        The last sweep is taken only as far as needed to meet the tolerance. Stopping at
        whole sweeps would make the joints jump whenever the number of sweeps changes.
        """
        pos = self.pos
        prev_pos = self.prev_pos
        tolerance = self.tolerance
        count = 3 * self.n + 3
        error = self.gap()
        used = 0
        while error > tolerance and used < self.iterations:
            used += 1
            before = error
            copy(prev_pos, 0, pos, 0, count)
            self.sweep()
            error = self.gap()
            if error < tolerance < before:
                # go back to where the tip crossed the tolerance
                k = (tolerance - error) / (before - error)
                for j in range(count):
                    pos[j] += k * (prev_pos[j] - pos[j])
        return used

    def gap(self):
        """Return the distance from the tip in ``pos`` to the goal."""
        x, y, z = three(self.pos, 3 * self.n)
        x, y, z = x - self.gx, y - self.gy, z - self.gz
        return norm3(x, y, z)

    def sweep(self):
        """Move ``pos`` once towards the goal; each method defines it."""

    def close(self):
        """Close the gap that the iteration left, and restore the bone lengths.

        ``left`` is then the size of that gap [scene unit].
        """
        self.aim()
        self.close_gap()

    def close_gap(self):
        """Close the gap from ``pos`` and ``dir``, by kernels."""
        n = self.n
        pos = self.pos
        u = self.dir
        length = self.start.length
        reach = self.start.reach
        gx, gy, gz = self.gx, self.gy, self.gz
        bx, by, bz = self.bx, self.by, self.bz
        if n == 2:
            # the second bone points from the corner at the goal, as in a backward pass
            x, y, z = gx - pos[3], gy - pos[4], gz - pos[5]
            k = norm3(x, y, z)
            if k > 1e-300:
                put(u, 3, x / k, y / k, z / k)
            # this is the whole solution: ``left`` is the gap after it
            self.left = two_bone_close(u, length, n, 0, gx, gy, gz, reach, bx, by, bz)
        else:
            self.left = self.gap()
            close_gap_bend(u, length, n, -1, gx, gy, gz, reach, bx, by, bz)
        self.forward_positions()

    def straighten(self):
        """Set the bones along the goal's line, folded when the goal is too near."""
        u = self.dir
        for i in range(self.n):
            k = -1.0 if self.case == TOO_NEAR and i != self.start.longest else 1.0
            j = 3 * i
            put(u, j, k * self.cx, k * self.cy, k * self.cz)
        self.forward_positions()
