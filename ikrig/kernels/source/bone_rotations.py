# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""From bone directions to rotations: least twist, blending, local rotations.

A rotation ``delta_rot`` turns a joint from its start pose to its pose of this frame.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import atan2, cos, sin

    from .buffers import doubles
    from .quat_ops import conj_mul, from_to, mul, scale_rotation
    from .rest_pose import RestPoseKernel

COMPILED = cython.compiled


class BoneRotationKernel(RestPoseKernel):
    """The pose of a chain, and its rotations from bone directions.

    Sizes for n bones, beyond the start pose's: pos, prev_pos, joint_pos 3 n + 3; dir
    3 n; delta_rot, solved_rot, rot, local 4 n + 4; tip, swing_rot 4; scratch 12.
    ``swing`` 1: bones turn least from the start pose as ``swing_rot`` rotates it as a
    whole, so that hinges stay hinges. Limits refer to the pose with the rotations
    ``limit_rot``, 4 n + 4; ``rest_to_anim``, 4 n + 4, rotates its joints to the start
    pose.
    """

    def __init__(self, n, buffers):
        """Store the number of bones and the named buffers."""
        RestPoseKernel.__init__(self, n, buffers)
        self.slides = 0
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
        self.scratch = doubles(buffers["scratch"])
        self.limit_rot = doubles(buffers["limit_rot"])
        self.rest_to_anim = doubles(buffers["rest_to_anim"])

    def rotate_bones(self, use_tip):
        """Set ``solved_rot``: least rotations from the start pose or the parent."""
        self.turn_bones(use_tip)

    def turn_bones(self, use_tip):
        """Set ``solved_rot``, by kernels."""
        n = self.n
        solved_rot = self.solved_rot
        a = self.rest_dir
        b = self.dir
        for i in range(n):
            j = 3 * i
            by = self.swing_rot
            k = 0
            if self.roll_from_parent and i > 0:
                by = solved_rot
                k = 4 * i - 4
            if self.length[i] > 0.0:
                x, y, z = a[j], a[j + 1], a[j + 2]
                if self.swing or (self.roll_from_parent and i > 0):
                    # the swing or the parent rotates this bone's start direction
                    tx = 2.0 * (by[k + 2] * z - by[k + 3] * y)
                    ty = 2.0 * (by[k + 3] * x - by[k + 1] * z)
                    tz = 2.0 * (by[k + 1] * y - by[k + 2] * x)
                    x += by[k] * tx + by[k + 2] * tz - by[k + 3] * ty
                    y += by[k] * ty + by[k + 3] * tx - by[k + 1] * tz
                    z += by[k] * tz + by[k + 1] * ty - by[k + 2] * tx
                    from_to(solved_rot, 4 * i, x, y, z, b[j], b[j + 1], b[j + 2])
                    mul(solved_rot, 4 * i, solved_rot, 4 * i, by, k)
                else:
                    from_to(solved_rot, 4 * i, x, y, z, b[j], b[j + 1], b[j + 2])
            else:
                # a bone without length follows the one before it
                for k in range(4):
                    solved_rot[4 * i + k] = solved_rot[4 * i + k - 4] if i > 0 else 0.0
                if i == 0:
                    solved_rot[0] = 1.0
        for k in range(4):
            solved_rot[4 * n + k] = (
                self.tip[k] if use_tip else solved_rot[4 * n + k - 4]
            )
        if use_tip and self.twist_spread > 0.0:
            self.spread_twist()

    def spread_twist(self):
        """Spread the leaf's roll about the last bone over the bones, by length."""
        n = self.n
        solved_rot = self.solved_rot
        a = self.rest_dir
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
            along += self.length[i]
            half = 0.5 * angle * self.twist_spread * along / self.reach
            j = 3 * i
            k = sin(half)
            q[0] = cos(half)
            q[1] = k * a[j]
            q[2] = k * a[j + 1]
            q[3] = k * a[j + 2]
            if self.length[i] > 0.0:
                mul(solved_rot, 4 * i, solved_rot, 4 * i, q, 0)

    def limit_step(self, dt):
        """Move ``delta_rot`` to ``solved_rot`` as far as weight and max_step let it.

        Returns 0 when it gets there, 1 when ``weight`` prevents that, and 2 when
        ``max_step`` does.
        """
        n = self.n
        delta_rot = self.delta_rot
        solved_rot = self.solved_rot
        blocker = 0
        if self.weight < 1.0:
            blocker = 1
            for i in range(n + 1):
                scale_rotation(solved_rot, 4 * i, self.weight, 1e30)
        if self.max_step > 0.0:
            # compare each joint's rotation in its parent with the last frame's
            limit = self.max_step * dt
            q = self.scratch
            # q: step at 0, the parent's last delta at 4, the joint's last rotation at 8
            q[4] = 1.0
            q[5] = q[6] = q[7] = 0.0
            for i in range(n + 1):
                j = 4 * i
                conj_mul(q, 8, q, 4, delta_rot, j)
                for k in range(4):
                    q[4 + k] = delta_rot[j + k]
                if i > 0:
                    conj_mul(q, 0, solved_rot, j - 4, solved_rot, j)
                    conj_mul(q, 0, q, 8, q, 0)
                else:
                    conj_mul(q, 0, q, 8, solved_rot, 0)
                if scale_rotation(q, 0, 1.0, limit) >= limit * (1.0 - 1e-9):
                    blocker = 2
                mul(q, 0, q, 8, q, 0)
                if i > 0:
                    mul(delta_rot, j, delta_rot, j - 4, q, 0)
                else:
                    for k in range(4):
                        delta_rot[k] = q[k]
        else:
            for j in range(4 * n + 4):
                delta_rot[j] = solved_rot[j]
        return blocker

    def write(self):
        """Set ``rot``, ``local`` and, in ``prev_pos``, positions by ``delta_rot``."""
        n = self.n
        delta_rot = self.delta_rot
        rot = self.rot
        local = self.local
        a = self.rest_dir
        out = self.prev_pos
        out[0] = out[1] = out[2] = 0.0
        for i in range(n + 1):
            j = 4 * i
            mul(rot, j, delta_rot, j, self.rest_rot, j)
            if i == 0:
                conj_mul(local, 0, self.mirror, 0, rot, 0)
            elif self.frame[6] > 0.0:
                mul(local, j, rot, j - 4, self.mirror, j)
                conj_mul(local, j, local, j, rot, j)
            else:
                conj_mul(local, j, rot, j - 4, rot, j)
            if i < n:
                # forward kinematics: rotate the start direction
                w = delta_rot[j]
                x = delta_rot[j + 1]
                y = delta_rot[j + 2]
                z = delta_rot[j + 3]
                j = 3 * i
                ux, uy, uz = a[j], a[j + 1], a[j + 2]
                tx = 2.0 * (y * uz - z * uy)
                ty = 2.0 * (z * ux - x * uz)
                tz = 2.0 * (x * uy - y * ux)
                k = self.length[i] * self.lengthening
                out[j + 3] = out[j] + k * (ux + w * tx + y * tz - z * ty)
                out[j + 4] = out[j + 1] + k * (uy + w * ty + z * tx - x * tz)
                out[j + 5] = out[j + 2] + k * (uz + w * tz + x * ty - y * tx)

    def to_limits(self):
        """Convert ``solved_rot`` to rotations from the pose that limits refer to."""
        for j in range(0, 4 * self.n + 4, 4):
            mul(self.solved_rot, j, self.solved_rot, j, self.rest_to_anim, j)

    def relative_rotation(self, out, a, b, j):
        """Write the rotation from b to a, at ``j`` each."""
        q = self.scratch
        for k in range(4):
            q[k] = -b[j + k]
        q[0] = -q[0]
        mul(out, j, a, j, q, 0)
