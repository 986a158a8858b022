from ikrig.kernels.buffers cimport Doubles
from libc.math cimport sqrt


cdef inline (double, double, double) three(Doubles v, long o) noexcept nogil:
    return (v[o], v[o + 1], v[o + 2])

cdef inline (double, double, double) between(
        Doubles a, long i, Doubles b, long j) noexcept nogil:
    return (b[j] - a[i], b[j + 1] - a[i + 1], b[j + 2] - a[i + 2])

cdef inline double distance(Doubles a, long i, Doubles b, long j) noexcept nogil:
    cdef double x = b[j] - a[i], y = b[j + 1] - a[i + 1], z = b[j + 2] - a[i + 2]
    return sqrt(x * x + y * y + z * z)

cdef inline double dot(Doubles a, long i, Doubles b, long j) noexcept nogil:
    return a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2]

cdef inline double norm(Doubles v, long o) noexcept nogil:
    return sqrt(dot(v, o, v, o))

cdef inline double norm3(double x, double y, double z) noexcept nogil:
    return sqrt(x * x + y * y + z * z)

cdef inline double inverse_root(double s) noexcept nogil:
    cdef double d = s - 1.0
    if -1e-4 < d < 1e-4:
        return 1.0 - d * (0.5 - d * (0.375 - 0.3125 * d))
    return 1.0 / sqrt(s)

cdef inline (double, double, double) cross(
        double ax, double ay, double az, double bx, double by, double bz
        ) noexcept nogil:
    return (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)

cdef inline (double, double, double) less(
        double x, double y, double z, double ux, double uy, double uz
        ) noexcept nogil:
    cdef double t = x * ux + y * uy + z * uz
    return (x - t * ux, y - t * uy, z - t * uz)

cdef inline (double, double, double) rotated(
        Doubles q, long o, double x, double y, double z) noexcept nogil:
    cdef double w = q[o], a = q[o + 1], b = q[o + 2], c = q[o + 3]
    cdef double tx = 2.0 * (b * z - c * y)
    cdef double ty = 2.0 * (c * x - a * z)
    cdef double tz = 2.0 * (a * y - b * x)
    return (
        x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz,
        z + w * tz + a * ty - b * tx)

cdef inline void multiply(
        Doubles out, long o, Doubles p, long i, Doubles q, long j) noexcept nogil:
    cdef double pw = p[i], px = p[i + 1], py = p[i + 2], pz = p[i + 3]
    cdef double w = q[j], x = q[j + 1], y = q[j + 2], z = q[j + 3]
    out[o] = pw * w - px * x - py * y - pz * z
    out[o + 1] = pw * x + px * w + py * z - pz * y
    out[o + 2] = pw * y - px * z + py * w + pz * x
    out[o + 3] = pw * z + px * y - py * x + pz * w

cdef inline (double, double, double) by_rows(
        Doubles m, long o, double x, double y, double z) noexcept nogil:
    return (
        x * m[o] + y * m[o + 3] + z * m[o + 6],
        x * m[o + 1] + y * m[o + 4] + z * m[o + 7],
        x * m[o + 2] + y * m[o + 5] + z * m[o + 8])

cdef inline (double, double, double) moved(
        Doubles m, long o, double x, double y, double z) noexcept nogil:
    return (
        x * m[o] + y * m[o + 3] + z * m[o + 6] + m[o + 9],
        x * m[o + 1] + y * m[o + 4] + z * m[o + 7] + m[o + 10],
        x * m[o + 2] + y * m[o + 5] + z * m[o + 8] + m[o + 11])

cdef inline (double, double, double) in_rows(
        Doubles m, long o, double x, double y, double z) noexcept nogil:
    return (
        x * m[o] + y * m[o + 1] + z * m[o + 2],
        x * m[o + 3] + y * m[o + 4] + z * m[o + 5],
        x * m[o + 6] + y * m[o + 7] + z * m[o + 8])

cdef inline void put(
        Doubles out, long o, double x, double y, double z) noexcept nogil:
    out[o] = x
    out[o + 1] = y
    out[o + 2] = z

cdef inline void put4(
        Doubles out, long o, double w, double x, double y, double z) noexcept nogil:
    out[o] = w
    out[o + 1] = x
    out[o + 2] = y
    out[o + 3] = z

cdef inline void add3(Doubles out, long o, Doubles v, long i) noexcept nogil:
    out[o] += v[i]
    out[o + 1] += v[i + 1]
    out[o + 2] += v[i + 2]

cdef inline void add_to(
        Doubles out, long o, double x, double y, double z) noexcept nogil:
    out[o] += x
    out[o + 1] += y
    out[o + 2] += z

cdef inline void copy(Doubles out, long o, Doubles v, long i, int n) noexcept nogil:
    cdef int k
    for k in range(n):
        out[o + k] = v[i + k]
