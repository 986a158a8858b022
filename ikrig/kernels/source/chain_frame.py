# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""One frame of a chain: everything but the iteration, which each method adds."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import atan2, sqrt

    from .buffers import doubles
    from .gap_closing import close_gap_bend, two_bone_close
    from .initial_guess import InitialGuessKernel
    from .quat_ops import conj_mul, mul, rotate_vec

COMPILED = cython.compiled


class ChainFrameKernel(InitialGuessKernel):
    """The steps that every iterative chain method shares."""

    def solve(self, gx, gy, gz, use_pole, px, py, pz, use_tip, dt):
        """Solve one frame; return 1 or 2 when weight or max_step limits the pose.

        Else 0, or 3 when numbers are not finite: then the pose is the last frame's.

        Args:
            gx: Goal of the tip, from the root joint, root space [scene unit].
            gy: As ``gx``.
            gz: As ``gx``.
            use_pole: 0: the pole is ignored.
            px: Pole, from the root joint, root space [scene unit].
            py: As ``px``.
            pz: As ``px``.
            use_tip: 1: ``tip`` rotates the leaf from its start rotation.
            dt: Time since the last frame [s], for ``max_step``.
        """
        self.aim_bones(gx, gy, gz, use_pole, px, py, pz)
        return self.finish(use_tip, dt)

    def aim_bones(self, gx, gy, gz, use_pole, px, py, pz):
        """Set ``dir``, the directions in which the bones reach a frame's goal."""
        self.set_goal(gx, gy, gz, use_pole, px, py, pz)
        if self.case != 0:
            self.straighten()
        else:
            self.make_guess(use_pole)
            n = self.n
            # two bones need no iteration: the finish is their closed form. With a pole
            # it would break the arc, which the finish alone keeps.
            if n > 2 and not use_pole:
                self.used = self.iterate()
            self.close_gap()

    def aim_tip(self):
        """Set ``tip_offset``, from leaf to tip, with the leaf rotated by ``tip``."""
        n = self.n
        q = self.scratch
        mul(q, 0, self.tip, 0, self.rest_rot, 4 * n)
        rotate_vec(self.tip_offset, 0, q, 0, self.tip_x, self.tip_y, self.tip_z)

    def begin(self, gx, gy, gz, use_pole, px, py, pz):
        """Set the frame's goal and pole, and the pose that the solve starts from."""
        self.set_goal(gx, gy, gz, use_pole, px, py, pz)
        if self.case == 0:
            self.guess(use_pole)
        else:
            self.straighten()

    def set_goal(self, gx, gy, gz, use_pole, px, py, pz):
        """Set the frame's goal, within reach, and the side that the chain bends to."""
        ox = self.cx
        oy = self.cy
        oz = self.cz
        self.tx = gx
        self.ty = gy
        self.tz = gz
        self.case = self.classify_goal(gx, gy, gz)
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
            return 3
        held = self.limit_step(dt)
        self.write()
        self.evaluate(use_tip)
        return held

    def sound(self):
        """Return 1 when ``solved_rot`` holds rotations and everything else is finite.

        That is all that the next frame starts from, but for the leaf's rotation, which
        is checked where it is passed in.
        """
        return self.is_sound()

    def is_sound(self):
        """Return as ``sound``, for kernels."""
        q = self.solved_rot
        w = x = y = z = 0.0
        for o in range(0, 4 * self.n, 4):
            w += q[o] * q[o]
            x += q[o + 1] * q[o + 1]
            y += q[o + 2] * q[o + 2]
            z += q[o + 3] * q[o + 3]
        w += x + y + z
        tip = 3 * self.n
        x = self.pos[tip] + self.pos[tip + 1] + self.pos[tip + 2]
        x += self.bx + self.by + self.bz + self.cx + self.cy + self.cz
        # x - x is 0 or no number
        w += x - x - self.n
        return 1 if -1e-6 < w < 1e-6 else 0

    def start_over(self, use_tip):
        """Restart from the start pose after a bad solve; the shown pose stays."""
        for j in range(3 * self.n + 3):
            self.pos[j] = self.rest[j]
        self.store_bend()
        self.write()
        self.evaluate(use_tip)

    def update_directions(self):
        """Set ``dir`` and ``pos`` from the rotations in ``solved_rot``."""
        u = self.rest_dir
        for i in range(self.n):
            j = 3 * i
            rotate_vec(self.dir, j, self.solved_rot, 4 * i, u[j], u[j + 1], u[j + 2])
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
            for c in range(4):
                q[c] = s * r[o + c]
                q[4 + c] = -self.rest_rot[o + c]
            q[4] = -q[4]
            mul(self.solved_rot, o, q, 0, q, 4)
        return 1

    def continue_from_solved(self):
        """Show ``solved_rot``, and start the next frame from it."""
        self.posed = 0
        self.commit()
        for j in range(3 * self.n + 3):
            self.pos[j] = self.prev_pos[j]
        # the bend of this pose
        self.store_bend()

    def commit(self):
        """Show ``solved_rot``, and set the joint positions that follow from it.

        Bones keep their lengths; where some slide, ``joint_pos`` has the positions.
        """
        for j in range(4 * self.n + 4):
            self.delta_rot[j] = self.solved_rot[j]
        self.write()
        if self.slides:
            for j in range(3 * self.n + 3):
                self.prev_pos[j] = self.joint_pos[j]

    def evaluate(self, use_tip):
        """Set ``error`` and ``orientation_error`` of the shown pose."""
        tip = 3 * self.n
        x = self.prev_pos[tip] - self.tx
        y = self.prev_pos[tip + 1] - self.ty
        z = self.prev_pos[tip + 2] - self.tz
        if self.tipped:
            # the tip as the leaf carries it now, and as the solve assumed it
            q = self.scratch
            o = self.tip_offset
            rotate_vec(q, 0, self.rot, 4 * self.n, self.tip_x, self.tip_y, self.tip_z)
            k = -1.0
            for c in range(3):
                q[4 + c] = o[c]
            if self.rigid:
                k = -self.lengthening
                rotate_vec(q, 4, self.delta_rot, 4 * self.n - 4, o[0], o[1], o[2])
            x += q[0] + k * q[4]
            y += q[1] + k * q[5]
            z += q[2] + k * q[6]
        self.error = sqrt(x * x + y * y + z * z)
        self.orientation_error = 0.0
        if use_tip:
            q = self.scratch
            conj_mul(q, 0, self.tip, 0, self.delta_rot, 4 * self.n)
            k = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
            self.orientation_error = 2.0 * atan2(k, abs(q[0]))

    def iterate(self):
        """Sweep until the tip is within tolerance; return the sweeps used.

        The last sweep is taken only as far as needed to meet the tolerance. Stopping at
        whole sweeps would make the joints jump whenever the number of sweeps changes.
        """
        pos = self.pos
        prev_pos = self.prev_pos
        tolerance = self.tolerance
        tip = 3 * self.n
        x = pos[tip] - self.gx
        y = pos[tip + 1] - self.gy
        z = pos[tip + 2] - self.gz
        error = sqrt(x * x + y * y + z * z)
        used = 0
        while error > tolerance and used < self.iterations:
            used += 1
            before = error
            for j in range(tip + 3):
                prev_pos[j] = pos[j]
            self.sweep()
            x = pos[tip] - self.gx
            y = pos[tip + 1] - self.gy
            z = pos[tip + 2] - self.gz
            error = sqrt(x * x + y * y + z * z)
            if error < tolerance < before:
                # go back to where the tip crossed the tolerance
                k = (tolerance - error) / (before - error)
                for j in range(tip + 3):
                    pos[j] += k * (prev_pos[j] - pos[j])
        return used

    def sweep(self):
        """Move ``pos`` once towards the goal; each method defines it."""

    def close(self):
        """Close the gap that the iteration left, and restore the bone lengths.

        ``left`` is then the size of that gap [scene unit].
        """
        self.close_gap()

    def close_gap(self):
        """Close the gap, by kernels."""
        n = self.n
        pos = self.pos
        u = self.dir
        length = self.length
        gx = self.gx
        gy = self.gy
        gz = self.gz
        self.aim()
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
            # this is the whole solution: ``left`` is the gap after it
            self.left = two_bone_close(
                u, length, n, 0, gx, gy, gz, self.reach, self.bx, self.by, self.bz
            )
        else:
            x = gx - pos[3 * n]
            y = gy - pos[3 * n + 1]
            z = gz - pos[3 * n + 2]
            self.left = sqrt(x * x + y * y + z * z)
            close_gap_bend(
                u, length, n, -1, gx, gy, gz, self.reach, self.bx, self.by, self.bz
            )
        self.forward_positions()

    def straighten(self):
        """Set the bones along the goal's line, folded when the goal is too near."""
        u = self.dir
        for i in range(self.n):
            k = -1.0 if self.case == 2 and i != self.longest else 1.0
            j = 3 * i
            u[j] = k * self.cx
            u[j + 1] = k * self.cy
            u[j + 2] = k * self.cz
        self.forward_positions()
