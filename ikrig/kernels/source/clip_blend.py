"""Joint matrices of a frame of animation, blended from rows of clips.

A row holds a frame of a clip, 19 numbers a joint: its matrix without scale and shear
(three rows of 3, then the position), scale 3, shear 3 (xy, xz, yz), and 1 when the clip
moves the joint, else 0. Blending is what Panda3D calls normalized linear: matrices are
added up by weight, their axes made orthonormal again, and scale and shear put back. Or
it is linear: then rows hold whole matrices, without numbers for scale and shear.
"""

import cython

if not cython.compiled:
    from .buffers import doubles, floats, ints
    from .vectors import cross, less, norm3, three

ROW = 19
"""Numbers of a joint in a row."""


class ClipBlend:
    """Blends rows to the matrices of n joints.

    Args:
        joints: Index of each joint in the pose.
        total: Scratch buffer of 19 n.
        rest: Matrices of the pose's joints where no clip moves them, 16 numbers each.
        mats: Out: matrices of the pose, 16 numbers each in single precision.
    """

    def __init__(self, joints, total, rest, mats):
        self.count = len(joints)
        self._held = joints, total, rest, mats
        self.joint = ints(joints)
        self.total = doubles(total)
        self.rest = floats(rest)
        self.mats = floats(mats)

    def add(self, row, weight, first):
        """Add a row by its weight; the first one replaces those of the last frame."""
        total = self.total
        size = 19 * self.count
        if first:
            for i in range(size):
                total[i] = weight * row[i]
        else:
            for i in range(size):
                total[i] += weight * row[i]

    def rest_all(self):
        """Write the rest pose."""
        for j in range(self.count):
            m = 16 * self.joint[j]
            for k in range(16):
                self.mats[m + k] = self.rest[m + k]

    def finish(self, linear):
        """Write the matrices of the rows that were added.

        Args:
            linear: Whether the rows are whole matrices, which are only added up.
        """
        total = self.total
        mats = self.mats
        rest = self.rest
        for j in range(self.count):
            t = 19 * j
            m = 16 * self.joint[j]
            net = total[t + 18]
            if net == 0.0:
                for k in range(16):
                    mats[m + k] = rest[m + k]
                continue
            if linear:
                for row in range(4):
                    for col in range(3):
                        mats[m + 4 * row + col] = total[t + 3 * row + col] / net
                    mats[m + 4 * row + 3] = 0.0
                mats[m + 15] = 1.0
                continue
            blend_joint(total, t, net, mats, m)


def blend_joint(total, t, net, mats, m):
    """Write a joint's matrix from its numbers in rows that were added up by weight.

    Args:
        total: The sums, 18 from the index ``t`` on.
        t: Their index.
        net: Sum of the weights, not 0.
        mats: Out: matrices in single precision.
        m: Index of the joint's.
    """
    # forward, right and up: the axes y, x, z, in the order of decompose_trs
    fx, fy, fz = three(total, t + 3)
    size = norm3(fx, fy, fz)
    if size > 0.0:
        fx, fy, fz = fx / size, fy / size, fz / size
    else:
        fy = 1.0
    rx, ry, rz = three(total, t)
    whole = norm3(rx, ry, rz)
    rx, ry, rz = less(rx, ry, rz, fx, fy, fz)
    size = norm3(rx, ry, rz)
    # along forward but for rounding it has no direction of its own
    if not size > 1e-9 * whole:
        # any direction square to it
        rx, ry, rz = fz, 0.0, -fx
        if abs(fy) > 0.9:
            rx, ry, rz = fy, -fx, 0.0
        size = norm3(rx, ry, rz)
    rx, ry, rz = rx / size, ry / size, rz / size
    ux, uy, uz = cross(rx, ry, rz, fx, fy, fz)
    a, b, c = total[t + 12] / net, total[t + 13] / net, total[t + 14] / net
    xy = a * total[t + 15] / net
    xz = c * total[t + 16] / net
    yz = c * total[t + 17] / net
    mats[m] = a * rx + xy * fx
    mats[m + 1] = a * ry + xy * fy
    mats[m + 2] = a * rz + xy * fz
    mats[m + 3] = 0.0
    mats[m + 4] = b * fx
    mats[m + 5] = b * fy
    mats[m + 6] = b * fz
    mats[m + 7] = 0.0
    mats[m + 8] = c * ux + xz * rx + yz * fx
    mats[m + 9] = c * uy + xz * ry + yz * fy
    mats[m + 10] = c * uz + xz * rz + yz * fz
    mats[m + 11] = 0.0
    mats[m + 12] = total[t + 9] / net
    mats[m + 13] = total[t + 10] / net
    mats[m + 14] = total[t + 11] / net
    mats[m + 15] = 1.0
