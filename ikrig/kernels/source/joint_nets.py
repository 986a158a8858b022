# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Joints of an Actor, read and rotated in the skeleton's space."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import sqrt

    from .buffers import doubles, ints, pin
    from .quat_ops import from_to, scale_rotation

COMPILED = cython.compiled


class JointNets:
    """Joints that are read once per frame, rotated in the skeleton's space and written.

    For a relative transform a NodePath composes states and caches the results. Where
    states change every frame, multiplying a few matrices is much cheaper.

    Args:
        nodes: The joints' nodes, parents first.
        parents: Index of each joint's parent; -1: the skeleton itself.
        make: Returns a node's transform for a matrix.
        matrices: One matrix of the engine for each joint, and a view of them as 16 flat
            numbers each.
        nets: Buffer of 12 numbers for each joint, its axes x, y, z and its position in
            the skeleton's space, and 18 of scratch.
        marks: Buffer of two whole numbers for each joint.
    """

    def __init__(self, nodes, parents, make, matrices, nets, marks):
        self.nodes = nodes
        self.n = len(nodes)
        self.make = make
        self.mats, self.numbers = matrices
        self._pinned = pin({"parents": parents, "nets": nets, "marks": marks})
        self.parent = ints(parents)
        self.net = doubles(nets)
        self.mark = ints(marks)

    def read(self):
        """Read the transforms of all joints; return 0."""
        mats = self.mats
        nodes = self.nodes
        for j in range(self.n):
            mats[j] = nodes[j].transform.mat
            self.mark[j] = 0
        for j in range(self.n):
            self.follow(j)
        return 0

    def follow(self, j):
        """Compute a joint's transform from its parent's."""
        net = self.net
        m = self.numbers
        i = 16 * j
        o = 12 * j
        p = 12 * self.parent[j]
        for r in range(4):
            x = 1.0 * m[i + 4 * r]
            y = 1.0 * m[i + 4 * r + 1]
            z = 1.0 * m[i + 4 * r + 2]
            if p >= 0:
                a = x * net[p] + y * net[p + 3] + z * net[p + 6]
                b = x * net[p + 1] + y * net[p + 4] + z * net[p + 7]
                z = x * net[p + 2] + y * net[p + 5] + z * net[p + 8]
                x = a
                y = b
                if r == 3:
                    x += net[p + 9]
                    y += net[p + 10]
                    z += net[p + 11]
            net[o + 3 * r] = x
            net[o + 3 * r + 1] = y
            net[o + 3 * r + 2] = z

    def rotate(self, j, w, x, y, z):
        """Rotate a joint about its own position, with any scale and mirror above it.

        The joints below move along. A joint below one that is scaled to 0 is not
        rotated, nor one whose new matrix would not be finite.

        Args:
            j: The joint.
            w, x, y, z: The rotation in the skeleton's space, a unit quaternion.
        """
        net = self.net
        m = self.numbers
        i = 16 * j
        o = 12 * j
        p = 12 * self.parent[j]
        # columns of the inverse of the parent's axes, times the determinant
        ax = by = cz = 1.0
        ay = az = bx = bz = cx = cy = 0.0
        if p >= 0:
            ax = net[p + 4] * net[p + 8] - net[p + 5] * net[p + 7]
            ay = net[p + 5] * net[p + 6] - net[p + 3] * net[p + 8]
            az = net[p + 3] * net[p + 7] - net[p + 4] * net[p + 6]
            bx = net[p + 7] * net[p + 2] - net[p + 8] * net[p + 1]
            by = net[p + 8] * net[p] - net[p + 6] * net[p + 2]
            bz = net[p + 6] * net[p + 1] - net[p + 7] * net[p]
            cx = net[p + 1] * net[p + 5] - net[p + 2] * net[p + 4]
            cy = net[p + 2] * net[p + 3] - net[p] * net[p + 5]
            cz = net[p] * net[p + 4] - net[p + 1] * net[p + 3]
        size = 1.0
        if p >= 0:
            size = net[p] * ax + net[p + 1] * ay + net[p + 2] * az
        # neither 0 nor NaN
        if not abs(size) > 1e-300:
            return
        total = 0.0
        for r in range(3):
            u, v, s = net[o + 3 * r], net[o + 3 * r + 1], net[o + 3 * r + 2]
            tx = 2.0 * (y * s - z * v)
            ty = 2.0 * (z * u - x * s)
            tz = 2.0 * (x * v - y * u)
            u += w * tx + y * tz - z * ty
            v += w * ty + z * tx - x * tz
            s += w * tz + x * ty - y * tx
            t = 12 * self.n + 6 * r
            net[t] = u
            net[t + 1] = v
            net[t + 2] = s
            net[t + 3] = (u * ax + v * ay + s * az) / size
            net[t + 4] = (u * bx + v * by + s * bz) / size
            net[t + 5] = (u * cx + v * cy + s * cz) / size
            total += abs(net[t + 3]) + abs(net[t + 4]) + abs(net[t + 5])
        # the maximum of single precision
        if not total < 1e38:
            return
        for r in range(3):
            t = 12 * self.n + 6 * r
            for c in range(3):
                net[o + 3 * r + c] = net[t + c]
                m[i + 4 * r + c] = net[t + 3 + c]
        self.mark[j] = 1
        below = self.n
        for k in range(j + 1, self.n):
            self.mark[below + k] = 0
            parent = self.parent[k]
            if parent == j or (parent > j and self.mark[below + parent] > 0):
                self.mark[below + k] = 1
                self.follow(k)

    def write(self):
        """Write the joints that were rotated; return 0."""
        for j in range(self.n):
            if self.mark[j] > 0:
                self.nodes[j].transform = self.make(self.mats[j])
        return 0

    def place(self, j):
        """Return a joint's position in the skeleton's space."""
        net = self.net
        o = 12 * j + 9
        return net[o], net[o + 1], net[o + 2]


def part_from_to(out, o, ax, ay, az, bx, by, bz, part):
    """Write a part of the smallest rotation from one direction to another.

    Directions need not be of unit length; one without length gives the identity.
    """
    a = sqrt(ax * ax + ay * ay + az * az)
    b = sqrt(bx * bx + by * by + bz * bz)
    if a > 0.0 and b > 0.0:
        from_to(out, o, ax / a, ay / a, az / a, bx / b, by / b, bz / b)
        scale_rotation(out, o, part, 10.0)
    else:
        out[o] = 1.0
        out[o + 1] = out[o + 2] = out[o + 3] = 0.0
