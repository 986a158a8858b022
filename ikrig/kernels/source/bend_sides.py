"""The side of a line to which bones bend: towards a pole, and where they are straight.

A line is that from the first of them to their end, given by its unit direction c.
"""

import cython

if not cython.compiled:
    from .vectors import less, norm3, put

# sine of the angle to the line from which on a pole decides alone: 6°
POLE_FADE = 0.1
# sizes of a bend, as fractions of the reach, from which on it decides alone: of bones
# with a known side, unless they say another; of such that bend to the opposite one
# (before, a knee is only overstretched), and of bones without a known side
HAIR_BEND = 0.02
WRONG_BEND = 0.1
SLIGHT_BEND = 0.05


def off_line(cx, cy, cz, x, y, z):
    """Return a side; +X, or +Y for a line along X, where it runs along the line."""
    if abs(x * cx + y * cy + z * cz) > 0.99:
        x = 1.0 if abs(cx) < 0.9 else 0.0
        y = 1.0 - x
        z = 0.0
    return x, y, z


def blend_sides(cx, cy, cz, ax, ay, az, bx, by, bz, k):
    """Return a direction between the sides a, for k = 0, and b, for k = 1.

    Between opposite sides, whose sum is none, it passes the side c x a. It is square to
    the line and of any length.

    Args:
        cx, cy, cz: The line.
        ax, ay, az: Side a, square to the line, of unit length.
        bx, by, bz: Side b, likewise.
        k: The fraction of b; beyond 0 to 1 as there.
    """
    k = 0.0 if k < 0.0 else 1.0 if k > 1.0 else k * k * (3.0 - 2.0 * k)
    m = 1.0 - k
    t = m * k * (1.0 - ax * bx - ay * by - az * bz)
    return (
        m * ax + t * (cy * az - cz * ay) + k * bx,
        m * ay + t * (cz * ax - cx * az) + k * by,
        m * az + t * (cx * ay - cy * ax) + k * bz,
    )


def add_pole(out, cx, cy, cz, x, y, z, px, py, pz):
    """Write the direction from a line to a pole, which fades where they meet.

    Args:
        out: Out: the direction, 3 numbers, square to the line, of any length.
        cx, cy, cz: The line.
        x, y, z: The side without a pole, square to the line, of unit length.
        px, py, pz: The pole, from a point of the line.

    Returns:
        1; 0 where the pole is on the line: ``out`` is then the side without it.
    """
    distance = norm3(px, py, pz)
    px, py, pz = less(px, py, pz, cx, cy, cz)
    t = norm3(px, py, pz)
    if t <= 1e-9 * distance:
        put(out, 0, x, y, z)
        return 0
    k = t / (POLE_FADE * distance)
    x, y, z = blend_sides(cx, cy, cz, x, y, z, px / t, py / t, pz / t, k)
    put(out, 0, x, y, z)
    return 1


def add_slight_bend(cx, cy, cz, x, y, z, sx, sy, sz, size, slight):
    """Return the side to which bones bend; nearly straight ones to a side of their own.

    The direction of a slight bend says nothing: from frame to frame it may be another.
    A joint that bends to the wrong side of its own by more than that is overstretched,
    as knees of animations often are: its bones do not roll round to the other side.
    The side is square to the line and of any length.

    Args:
        cx, cy, cz: The line.
        x, y, z: The direction of the bend, square to the line, of unit length.
        sx, sy, sz: The bones' own side.
        size: Size of the bend, as a fraction of their length.
        slight: Size from which on a bend to their own side decides alone.
    """
    sx, sy, sz = less(sx, sy, sz, cx, cy, cz)
    t = norm3(sx, sy, sz)
    if t < 1e-6:
        # their side is along the line
        return x, y, z
    sx, sy, sz = sx / t, sy / t, sz / t
    wrong = 0.5 * (1.0 - sx * x - sy * y - sz * z)
    most = slight + (WRONG_BEND - slight) * wrong * wrong
    # a smaller bend has no say at all
    k = (size - 0.4 * most) / (0.6 * most)
    return blend_sides(cx, cy, cz, sx, sy, sz, x, y, z, k)
