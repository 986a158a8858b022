# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""The exact finish: the nearest pose that reaches the goal, as a convex problem.

Add one vector v to every unit bone direction d_i and normalise. The tip is then at
the gradient of Φ(v) = Σ l_i |d_i + v|, which is convex, so the v that puts the tip on
the goal G minimises Φ(v) - G·v and damped Newton steps in three unknowns find it for
any number of bones. The same pose maximises Σ l_i u_i·d_i over all poses that reach G:
of all ways to close the gap it turns the bones least, and it depends continuously on G.
Near full reach, where FABRIK needs thousands of sweeps, a few steps are enough.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

COMPILED = cython.compiled


def lean(d, length, n, skip, gx, gy, gz, reach, bx, by, bz):
    """Lean the n unit directions in ``d`` so that Σ l_i d_i is the goal.

    Φ has a kink where d_i + v = 0. When the minimum is in one, the bone i may point
    anywhere, and ``fold`` makes a triangle of it, of the others together and of G.

    Args:
        d: Unit bone directions, flat (3 n), root space; overwritten.
        length: Bone lengths, (n) [scene unit].
        n: Number of bones.
        skip: Index of a bone that takes no part, or -1.
        gx: Goal relative to the chain's root joint [scene unit].
        gy: As ``gx``.
        gz: As ``gx``.
        reach: Sum of the lengths [scene unit], larger than |goal|.
        bx: Unit direction to bend in where the directions leave it open, root space.
        by: As ``bx``.
        bz: As ``bx``.

    Returns:
        The distance that is left [scene unit].
    """
    small = 1e-11 * reach
    vx = vy = vz = 0.0
    tx = ty = tz = 0.0
    sx = sy = sz = 0.0
    value = gap = slack = loose = 0.0
    for evaluation in range(40):
        # Φ, its gradient and its Hessian at the trial lean t
        phi = ax = ay = az = 0.0
        weight = hxx = hyy = hzz = hxy = hxz = hyz = 0.0
        j = 0
        for i in range(n):
            ux = d[j] + tx
            uy = d[j + 1] + ty
            uz = d[j + 2] + tz
            j += 3
            r = sqrt(ux * ux + uy * uy + uz * uz)
            if r < 1e-9:
                # a kink of Φ: the bone may point anywhere, keep it finite
                r = 1e-9
            li = length[i] if i != skip else 0.0
            phi += li * r
            k = li / r
            weight += k
            px = k * ux
            py = k * uy
            pz = k * uz
            ax += px
            ay += py
            az += pz
            k = 1.0 / r
            ux *= k
            uy *= k
            uz *= k
            px *= k
            py *= k
            hxx += px * ux
            hyy += py * uy
            hzz += pz * k * uz
            hxy += px * uy
            hxz += px * uz
            hyz += py * uz
        phi -= gx * tx + gy * ty + gz * tz
        ax -= gx
        ay -= gy
        az -= gz
        r = sqrt(ax * ax + ay * ay + az * az)
        if evaluation == 0:
            # how far goal and tip, along the goal's line, fall short of full reach
            k = sqrt(gx * gx + gy * gy + gz * gz)
            slack = reach - k
            loose = 0.0
            if slack < 0.5 * reach:
                loose = slack - (ax * gx + ay * gy + az * gz) / k
        elif not (phi < value or r < 0.5 * gap):
            # too far: halve the step
            sx *= 0.5
            sy *= 0.5
            sz *= 0.5
            tx = vx + sx
            ty = vy + sy
            tz = vz + sz
            continue
        vx = tx
        vy = ty
        vz = tz
        value = phi
        gap = r
        if gap <= small:
            break
        if evaluation == 0 and loose > 2.0 * slack:
            # far too bent: the shortfall of a gentle bend goes with 1 / (1 + lean)²
            k = (sqrt(loose / slack) - 1.0) / (reach - slack)
            sx = k * gx
            sy = k * gy
            sz = k * gz
        else:
            # Newton step: solve (weight I - h) s = -a by the adjugate
            k = 1e-14 * weight + weight
            hxx = k - hxx
            hyy = k - hyy
            hzz = k - hzz
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
        tx = vx + sx
        ty = vy + sy
        tz = vz + sz
    least = 1e30
    pick = 0
    for i in range(n):
        j = 3 * i
        ux = d[j] + vx
        uy = d[j + 1] + vy
        uz = d[j + 2] + vz
        r = sqrt(ux * ux + uy * uy + uz * uz)
        if i == skip:
            continue
        if r < least and length[i] > 0.0:
            least = r
            pick = i
        if r > 1e-9:
            d[j] = ux / r
            d[j + 1] = uy / r
            d[j + 2] = uz / r
    if gap > small and skip < 0:
        gap = fold(d, length, n, pick, gx, gy, gz, reach, bx, by, bz)
        if gap > small:
            # too short for a triangle with the others: take the longest bone
            for i in range(n):
                if length[i] > length[pick]:
                    pick = i
            gap = fold(d, length, n, pick, gx, gy, gz, reach, bx, by, bz)
    return gap


def fold(d, length, n, pick, gx, gy, gz, reach, bx, by, bz):
    """Reach the goal by a triangle: bone ``pick``, the others as one piece, the goal.

    The triangle's corner is the point nearest to where it is now on the circle in which
    the spheres about root and goal meet. For two bones this is the whole solution.

    Returns:
        The distance that is left [scene unit].
    """
    # the others' sum, and how long it is
    sx = sy = sz = 0.0
    for i in range(n):
        if i != pick:
            j = 3 * i
            k = length[i]
            sx += k * d[j]
            sy += k * d[j + 1]
            sz += k * d[j + 2]
    own = length[pick]
    rest = sqrt(sx * sx + sy * sy + sz * sz)
    dist = sqrt(gx * gx + gy * gy + gz * gz)
    if rest < 1e-12 * own:
        return abs(dist - own)
    # the corner's offset along and off the goal's line
    p = 3 * pick
    cx = d[p]
    cy = d[p + 1]
    cz = d[p + 2]
    if dist > 1e-12 * own:
        cx = gx / dist
        cy = gy / dist
        cz = gz / dist
    # where the corner is now: the goal less the others
    x = gx - sx
    y = gy - sy
    z = gz - sz
    k = x * cx + y * cy + z * cz
    x -= k * cx
    y -= k * cy
    z -= k * cz
    k = sqrt(x * x + y * y + z * z)
    if k < 1e-9 * own:
        # on the line itself: the bend decides
        k = bx * cx + by * cy + bz * cz
        x = bx - k * cx
        y = by - k * cy
        z = bz - k * cz
        k = sqrt(x * x + y * y + z * z)
        if k < 1e-9:
            return own + rest + dist
    x /= k
    y /= k
    z /= k
    along = own
    if dist > 1e-12 * own:
        along = 0.5 * (dist + (own - rest) * (own + rest) / dist)
    if along > own:
        along = own
    if along < -own:
        along = -own
    k = sqrt((own - along) * (own + along))
    d[p] = (along * cx + k * x) / own
    d[p + 1] = (along * cy + k * y) / own
    d[p + 2] = (along * cz + k * z) / own
    # turn the others' sum towards what is left
    x = gx - own * d[p]
    y = gy - own * d[p + 1]
    z = gz - own * d[p + 2]
    k = sqrt(x * x + y * y + z * z)
    if k < 1e-12 * own:
        return abs(rest - k)
    x /= k
    y /= k
    z /= k
    sx /= rest
    sy /= rest
    sz /= rest
    gap = rest - k
    turn = 1.0 + sx * x + sy * y + sz * z
    for i in range(n):
        if i != pick:
            j = 3 * i
            ux = d[j]
            uy = d[j + 1]
            uz = d[j + 2]
            if turn > 1e-12:
                k = ((sx + x) * ux + (sy + y) * uy + (sz + z) * uz) / turn
                m = 2.0 * (sx * ux + sy * uy + sz * uz)
                d[j] = ux - k * (sx + x) + m * x
                d[j + 1] = uy - k * (sy + y) + m * y
                d[j + 2] = uz - k * (sz + z) + m * z
            else:
                # a half turn, about the bend
                m = 2.0 * (bx * ux + by * uy + bz * uz)
                d[j] = m * bx - ux
                d[j + 1] = m * by - uy
                d[j + 2] = m * bz - uz
    if gap < -1e-11 * reach:
        # the others are too bent for a triangle: straighten them as far as needed
        gap = lean(
            d,
            length,
            n,
            pick,
            gx - own * d[p],
            gy - own * d[p + 1],
            gz - own * d[p + 2],
            reach - own,
            bx,
            by,
            bz,
        )
    return abs(gap)
