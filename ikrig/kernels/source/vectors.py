"""Vectors of three numbers on flat buffers, inlined; compiled they are in the .pxd."""

import cython

if not cython.compiled:
    from math import sqrt

    def three(v, o):
        """Return the vector at ``v[o]``."""
        return v[o], v[o + 1], v[o + 2]

    def between(a, i, b, j):
        """Return the vector from the point at ``a[i]`` to that at ``b[j]``."""
        return b[j] - a[i], b[j + 1] - a[i + 1], b[j + 2] - a[i + 2]

    def distance(a, i, b, j):
        """Return the distance of the points at ``a[i]`` and ``b[j]``."""
        return norm3(*between(a, i, b, j))

    def dot(a, i, b, j):
        """Return the product of the vectors at ``a[i]`` and ``b[j]``."""
        return a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2]

    def norm(v, o):
        """Return the length of the vector at ``v[o]``."""
        return sqrt(dot(v, o, v, o))

    def norm3(x, y, z):
        """Return the length of a vector."""
        return sqrt(x * x + y * y + z * z)

    def inverse_root(s):
        """Return one divided by the square root of a number, sooner near 1."""
        d = s - 1.0
        if -1e-4 < d < 1e-4:
            return 1.0 - d * (0.5 - d * (0.375 - 0.3125 * d))
        return 1.0 / sqrt(s)

    def cross(ax, ay, az, bx, by, bz):
        """Return the cross product of two vectors."""
        return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx

    def less(x, y, z, ux, uy, uz):
        """Return a vector without its part along a unit vector."""
        t = x * ux + y * uy + z * uz
        return x - t * ux, y - t * uy, z - t * uz

    def rotated(q, o, x, y, z):
        """Return a vector, rotated by the quaternion at ``q[o]``."""
        w, a, b, c = q[o], q[o + 1], q[o + 2], q[o + 3]
        tx = 2.0 * (b * z - c * y)
        ty = 2.0 * (c * x - a * z)
        tz = 2.0 * (a * y - b * x)
        return (
            x + w * tx + b * tz - c * ty,
            y + w * ty + c * tx - a * tz,
            z + w * tz + a * ty - b * tx,
        )

    def multiply(out, o, p, i, q, j):
        """Write ``p[i:i+4] ⊗ q[j:j+4]``, both unit quaternions; ``out`` may be p."""
        pw, px, py, pz = p[i], p[i + 1], p[i + 2], p[i + 3]
        w, x, y, z = q[j], q[j + 1], q[j + 2], q[j + 3]
        out[o] = pw * w - px * x - py * y - pz * z
        out[o + 1] = pw * x + px * w + py * z - pz * y
        out[o + 2] = pw * y - px * z + py * w + pz * x
        out[o + 3] = pw * z + px * y - py * x + pz * w

    def by_rows(m, o, x, y, z):
        """Return a vector times the matrix of three rows at ``m[o]``."""
        return (
            x * m[o] + y * m[o + 3] + z * m[o + 6],
            x * m[o + 1] + y * m[o + 4] + z * m[o + 7],
            x * m[o + 2] + y * m[o + 5] + z * m[o + 8],
        )

    def moved(m, o, x, y, z):
        """Return a point of a space whose axes and origin are four rows at ``m[o]``."""
        x, y, z = by_rows(m, o, x, y, z)
        return x + m[o + 9], y + m[o + 10], z + m[o + 11]

    def in_rows(m, o, x, y, z):
        """Return the products of a vector with each of the three rows at ``m[o]``."""
        return (
            x * m[o] + y * m[o + 1] + z * m[o + 2],
            x * m[o + 3] + y * m[o + 4] + z * m[o + 5],
            x * m[o + 6] + y * m[o + 7] + z * m[o + 8],
        )

    def put(out, o, x, y, z):
        """Write a vector to ``out[o]``."""
        out[o] = x
        out[o + 1] = y
        out[o + 2] = z

    def put4(out, o, w, x, y, z):
        """Write four numbers to ``out[o]``."""
        out[o] = w
        out[o + 1] = x
        out[o + 2] = y
        out[o + 3] = z

    def add3(out, o, v, i):
        """Add the vector at ``v[i]`` to that at ``out[o]``."""
        out[o] += v[i]
        out[o + 1] += v[i + 1]
        out[o + 2] += v[i + 2]

    def add_to(out, o, x, y, z):
        """Add a vector to that at ``out[o]``."""
        out[o] += x
        out[o + 1] += y
        out[o + 2] += z

    def copy(out, o, v, i, n):
        """Copy n numbers from ``v[i]`` on to ``out[o]``."""
        for k in range(n):
            out[o + k] = v[i + k]
