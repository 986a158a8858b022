"""The exact finish: leaning all bones by one vector closes the remaining gap.

A lean adds one vector s to every unit bone direction d_i and normalises. To first order
it moves the tip by H s with H = Σ l_i (1 - d_i d_iᵀ), and of all changes that move the
tip there it rotates the bones least. So Newton steps in three unknowns, from pose to
pose, close the gap for any number of bones, also near full reach, where FABRIK needs
thousands of sweeps.

The pose must depend continuously on the goal. A lean right against a bone would turn it
round through a point where its direction is undefined (d_i + s = 0), so no step goes
more than half as far. That also keeps the order of the angles of bones in one plane: an
arc stays an arc. The only exceptions are poses in which all bones lie on one line, some
of them folded back: the tip can't move along it. A path meets them only by chance.
"""

import cython

if not cython.compiled:
    from math import sqrt

    from .vectors import less, norm3, put


def close_gap_bend(d, length, n, skip, gx, gy, gz, reach, bx, by, bz):
    """Lean the n unit directions in ``d`` so that Σ l_i d_i is the goal.

    Should that fail, ``two_bone_close`` makes a triangle of the longest bone, of the
    others together and of the goal.

    Args:
        d: Unit bone directions, flat (3 n), root space; overwritten.
        length: Bone lengths, (n) [scene unit].
        n: Number of bones.
        skip: Index of a bone that stays as it is, or -1.
        gx, gy, gz: Goal relative to the chain's root joint [scene unit].
        reach: Sum of the lengths [scene unit], larger than |goal|.
        bx, by, bz: Unit direction to bend in where the directions leave it open.

    Returns:
        The remaining distance [scene unit].
    """
    small = 1e-11 * reach
    gap = 0.0
    for _ in range(100):
        # the gap, and H = Σ l (1 - d dᵀ): how the tip follows a small lean
        ax, ay, az = -gx, -gy, -gz
        weight = hxx = hyy = hzz = hxy = hxz = hyz = 0.0
        j = 0
        for i in range(n):
            k = length[i] if i != skip else 0.0
            ux, uy, uz = d[j], d[j + 1], d[j + 2]
            j += 3
            weight += k
            px, py, pz = k * ux, k * uy, k * uz
            ax, ay, az = ax + px, ay + py, az + pz
            hxx, hyy, hzz = hxx + px * ux, hyy + py * uy, hzz + pz * uz
            hxy, hxz, hyz = hxy + px * uy, hxz + px * uz, hyz + py * uz
        gap = norm3(ax, ay, az)
        if gap <= small:
            break
        # Newton step: solve H s = -a by the adjugate
        k = 1e-14 * weight + weight
        hxx, hyy, hzz = k - hxx, k - hyy, k - hzz
        cxx = hyy * hzz - hyz * hyz
        cxy = hxz * hyz + hxy * hzz
        cxz = hxy * hyz + hxz * hyy
        cyy = hxx * hzz - hxz * hxz
        cyz = hxy * hxz + hxx * hyz
        czz = hxx * hyy - hxy * hxy
        k = hxx * cxx - hxy * cxy - hxz * cxz
        if k <= 0.0:
            break
        k = -1.0 / k
        sx = k * (cxx * ax + cxy * ay + cxz * az)
        sy = k * (cxy * ax + cyy * ay + cyz * az)
        sz = k * (cxz * ax + cyz * ay + czz * az)
        # go no further than half way against any bone
        against = 0.5
        if sx * sx + sy * sy + sz * sz > 0.25:
            for i in range(n):
                j = 3 * i
                k = -(sx * d[j] + sy * d[j + 1] + sz * d[j + 2])
                if k > against and i != skip:
                    against = k
        k = 0.5 / against
        sx, sy, sz = sx * k, sy * k, sz * k
        j = 0
        for i in range(n):
            if i != skip:
                ux, uy, uz = d[j] + sx, d[j + 1] + sy, d[j + 2] + sz
                k = 1.0 / norm3(ux, uy, uz)
                put(d, j, ux * k, uy * k, uz * k)
            j += 3
    if gap > small and skip < 0:
        pick = 0
        for i in range(n):
            if length[i] > length[pick]:
                pick = i
        gap = two_bone_close(d, length, n, pick, gx, gy, gz, reach, bx, by, bz)
    return gap


def two_bone_close(d, length, n, pick, gx, gy, gz, reach, bx, by, bz):
    """Reach the goal by a triangle: bone ``pick``, the others as one piece, the goal.

    The spheres about root and goal meet in a circle; the triangle's corner is its point
    nearest to the current corner. For two bones this is the whole solution.

    Returns:
        The remaining distance [scene unit].
    """
    # the sum of the others, and its length
    sx = sy = sz = 0.0
    for i in range(n):
        if i != pick:
            j = 3 * i
            k = length[i]
            sx, sy, sz = sx + k * d[j], sy + k * d[j + 1], sz + k * d[j + 2]
    own = length[pick]
    rest = norm3(sx, sy, sz)
    dist = norm3(gx, gy, gz)
    if rest < 1e-12 * own:
        return abs(dist - own)
    # the corner's offset along and off the goal's line
    p = 3 * pick
    cx, cy, cz = d[p], d[p + 1], d[p + 2]
    if dist > 1e-12 * own:
        cx, cy, cz = gx / dist, gy / dist, gz / dist
    # the current corner: the goal less the others
    x, y, z = gx - sx, gy - sy, gz - sz
    x, y, z = less(x, y, z, cx, cy, cz)
    k = norm3(x, y, z)
    if k < 1e-9 * own:
        # on the line itself: the bend decides
        x, y, z = less(bx, by, bz, cx, cy, cz)
        k = norm3(x, y, z)
        if k < 1e-9:
            return own + rest + dist
    x, y, z = x / k, y / k, z / k
    along = own
    if dist > 1e-12 * own:
        along = 0.5 * (dist + (own - rest) * (own + rest) / dist)
    along = min(along, own)
    along = max(along, -own)
    k = sqrt((own - along) * (own + along))
    d[p] = (along * cx + k * x) / own
    d[p + 1] = (along * cy + k * y) / own
    d[p + 2] = (along * cz + k * z) / own
    # rotate the sum of the others to the rest of the way
    x, y, z = gx - own * d[p], gy - own * d[p + 1], gz - own * d[p + 2]
    k = norm3(x, y, z)
    if k < 1e-12 * own:
        return abs(rest - k)
    x, y, z = x / k, y / k, z / k
    sx, sy, sz = sx / rest, sy / rest, sz / rest
    gap = rest - k
    turn = 1.0 + sx * x + sy * y + sz * z
    for i in range(n):
        if i != pick:
            j = 3 * i
            ux, uy, uz = d[j], d[j + 1], d[j + 2]
            if turn > 1e-12:
                k = ((sx + x) * ux + (sy + y) * uy + (sz + z) * uz) / turn
                m = 2.0 * (sx * ux + sy * uy + sz * uz)
                d[j] = ux - k * (sx + x) + m * x
                d[j + 1] = uy - k * (sy + y) + m * y
                d[j + 2] = uz - k * (sz + z) + m * z
            else:
                # a half turn, about the bend
                m = 2.0 * (bx * ux + by * uy + bz * uz)
                put(d, j, m * bx - ux, m * by - uy, m * bz - uz)
    if gap < -1e-11 * reach:
        # the others are too bent for a triangle: straighten them as far as needed
        x, y, z = gx - own * d[p], gy - own * d[p + 1], gz - own * d[p + 2]
        gap = close_gap_bend(d, length, n, pick, x, y, z, reach, bx, by, bz)
    return abs(gap)
