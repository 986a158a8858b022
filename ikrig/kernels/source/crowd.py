# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Members of a crowd, posed one after the other without Python.

Rows of clips lie by number, not by joint, so that a compiler blends several joints at
once. They are in single precision, and so is what is computed from them: interpreted,
Python's numbers are longer, and results differ by rounding.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if not cython.compiled:
    from math import cos, floor, sin, sqrt
    from math import sqrt as sqrtf

    from .buffers import doubles, floats, ints, pin
    from .clip_blend import blend_joint

COMPILED = cython.compiled

# clips of a member at once: while one fades in, those before it fade out
SLOTS = 4
# numbers of a joint in a row, each of 4 joints in turn: axes y and x, position, scale,
# shear (xy, xz, yz), and whether the clip moves it; plain rows have the first 9 and a 0
NUMBERS = 16
PLAIN = 10
# a direction shorter than this has none, in single precision
FLAT = 1e-6
# beyond it, squares and products of inputs are not finite in single precision
LARGEST = 1e15


class CrowdLayer:
    """Changes the pose of each member, one after the other; base class.

    ``next`` is the layer after it.
    """

    def __init__(self):
        self.next = None

    def is_sound(self, i):
        """Return whether member i has finite goals, for all layers from this on."""
        return self.next is None or self.next.is_sound(i)

    def apply(self, i, dt):
        """Change the pose of member i, for a frame of dt seconds, and pass it on."""


class CrowdKernel:
    """Poses members on one pose, and writes what they look like.

    Several kernels, each with a pose of its own, may pose different members of a crowd
    at the same time: they share ``crowd`` and nothing else.

    Args:
        figure: The pose, a ``PoseKernel``.
        lanes: Number of joints, rounded up to a multiple of 4.
        plain: Whether all clips have constant scales and no shear, and move the same
            joints; rows have ``PLAIN`` numbers a joint then, else ``NUMBERS``.
        crowd: Buffers that kernels share, see ``ikrig.character.crowd_batch``; and
            "facing" of its own, 2: cosine and sine of the heading of the member that is
            posed.
        scratch: Buffers of its own: "mats" is the pose's memory; "total" of 16 and
            "nets" of 16 numbers a joint and 16 more, in single precision; "one" of 19.
    """

    def __init__(self, figure, lanes, plain, crowd, scratch):
        self.figure = figure
        self.n = figure.n
        self.lanes = lanes
        self.plain = plain
        self.width = lanes * (PLAIN if plain else NUMBERS)
        self.first = None
        self._pinned = pin({**crowd, **scratch})
        self.mats = floats(scratch["mats"])
        self.total = floats(scratch["total"])
        self.nets = floats(scratch["nets"])
        self.one = doubles(scratch["one"])
        self.rows = floats(crowd["rows"])
        self.scale = floats(crowd["scale"])
        self.clip_first = ints(crowd["clip_first"])
        self.clip_frames = ints(crowd["clip_frames"])
        self.clip_fps = doubles(crowd["clip_fps"])
        self.skinned = ints(crowd["skinned"])
        self.skin_count = len(crowd["skinned"])
        self.unbind = floats(crowd["unbind"])
        self.space = doubles(crowd["space"])
        self.margin = crowd["space"][12]
        self.position = doubles(crowd["positions"])
        self.heading = doubles(crowd["headings"])
        self.facing = doubles(crowd["facing"])
        self.size = doubles(crowd["scales"])
        self.clip = ints(crowd["clip"])
        self.time = doubles(crowd["time"])
        self.speed = doubles(crowd["speed"])
        self.weight = doubles(crowd["weight"])
        self.top = ints(crowd["top"])
        self.rate = doubles(crowd["rate"])
        self.bad = ints(crowd["bad"])
        self.palette = floats(crowd["palette"])
        self.joint_place = floats(crowd["places"])
        self.sphere = floats(crowd["spheres"])

    def run(self, order, first, last, dt):
        """Pose members, those at the indices ``first`` to before ``last`` of an order.

        Args:
            order: Indices of members.
            first, last: As above.
            dt: Time since their last frame [s].
        """
        member = ints(order)
        with cython.nogil:
            for k in range(first, last):
                self.pose(member[k], dt)
        return 0

    def wind(self, i, dt):
        """Advance the clips of a member that others pose."""
        self.advance(i, dt)

    def pose(self, i, dt):
        """Pose a member; one with numbers that are no sound ones keeps its last."""
        total = self.heading[i] * self.heading[i] + self.size[i] * self.size[i]
        for k in range(3 * i, 3 * i + 3):
            total += self.position[k] * self.position[k]
        if not total < LARGEST * LARGEST or not (
            self.first is None or self.first.is_sound(i)
        ):
            self.bad[i] = 1
            return
        self.bad[i] = 0
        self.facing[0] = cos(self.heading[i])
        self.facing[1] = sin(self.heading[i])
        self.advance(i, dt)
        self.sample(i)
        if self.first is not None:
            self.first.apply(i, dt)
        self.write(i)

    def advance(self, i, dt):
        """Advance a member's clips, and fade in the newest."""
        weight = self.weight
        o = SLOTS * i
        if self.rate[i] > 0.0:
            k = o + self.top[i]
            before = weight[k]
            after = before + dt * self.rate[i]
            if after >= 1.0 - 1e-9:
                after = 1.0
                self.rate[i] = 0.0
            part = (1.0 - after) / (1.0 - before) if before < 1.0 else 0.0
            for s in range(SLOTS):
                weight[o + s] *= part
            weight[k] = after
        for s in range(SLOTS):
            if weight[o + s] > 0.0:
                c = self.clip[o + s]
                frames: cython.double = self.clip_frames[c]
                at = self.time[o + s] + dt * self.speed[o + s] * self.clip_fps[c]
                at -= frames * floor(at / frames)
                # neither beyond the last frame by rounding nor NaN
                self.time[o + s] = at if 0.0 <= at < frames else 0.0

    def sample(self, i):
        """Set the pose to a member's clips."""
        rows = self.rows
        total = self.total
        count = self.width if self.plain else 0
        weights = 0.0
        for s in range(SLOTS * i, SLOTS * i + SLOTS):
            if self.weight[s] <= 0.0:
                continue
            c = self.clip[s]
            frame: cython.int = int(self.time[s])
            after: cython.int = frame + 1 if frame + 1 < self.clip_frames[c] else 0
            part = self.time[s] - frame
            a: cython.long = self.clip_first[c] + frame
            b: cython.long = self.clip_first[c] + after
            a *= count
            b *= count
            u: cython.float = self.weight[s] * (1.0 - part)
            v: cython.float = self.weight[s] * part
            if weights == 0.0:
                for j in range(count):
                    total[j] = u * rows[a + j] + v * rows[b + j]
            else:
                for j in range(count):
                    total[j] += u * rows[a + j] + v * rows[b + j]
            weights += self.weight[s]
        if weights == 0.0:
            for j in range(16 * self.n):
                self.mats[j] = self.figure.rest[j]
        elif self.plain:
            self.square_up(i, weights)
        else:
            for j in range(self.n):
                self.blend_one(i, j)
        self.figure.renew()
        self.figure.animated = weights > 0.0

    def square_up(self, i, weights):
        """Make blended axes orthonormal, and write them as matrices.

        Args:
            i: The member.
            weights: Sum of its weights.
        """
        t = self.total
        one: cython.float = 1.0
        k: cython.float
        m: cython.float
        # typed: what is changed in place would be double, and none computed at once
        fx: cython.float
        fy: cython.float
        fz: cython.float
        rx: cython.float
        ry: cython.float
        rz: cython.float
        along: cython.float
        # each 4 joints at once: all numbers are in one buffer, at fixed distances
        for block in range(self.lanes // 4):
            o = 4 * PLAIN * block
            for q in range(o, o + 4):
                fx = t[q]
                fy = t[q + 4]
                fz = t[q + 8]
                rx = t[q + 12]
                ry = t[q + 16]
                rz = t[q + 20]
                k = sqrtf(fx * fx + fy * fy + fz * fz)
                m = one / k
                fx *= m
                fy *= m
                fz *= m
                along = rx * fx + ry * fy + rz * fz
                rx -= along * fx
                ry -= along * fy
                rz -= along * fz
                m = sqrtf(rx * rx + ry * ry + rz * rz)
                t[q + 36] = k if k < m else m
                m = one / m
                t[q] = fx
                t[q + 4] = fy
                t[q + 8] = fz
                t[q + 12] = rx * m
                t[q + 16] = ry * m
                t[q + 20] = rz * m
        mats = self.mats
        scale = self.scale
        w: cython.float = 1.0 / weights
        for j in range(self.n):
            q = 4 * PLAIN * (j // 4) + j % 4
            # blends of opposite rotations have no direction
            if not t[q + 36] > FLAT:
                self.blend_one(i, j)
                continue
            o = 16 * j
            a = scale[3 * j]
            b = scale[3 * j + 1]
            c = scale[3 * j + 2]
            fx = t[q]
            fy = t[q + 4]
            fz = t[q + 8]
            rx = t[q + 12]
            ry = t[q + 16]
            rz = t[q + 20]
            px = w * t[q + 24]
            py = w * t[q + 28]
            pz = w * t[q + 32]
            mats[o] = a * rx
            mats[o + 1] = a * ry
            mats[o + 2] = a * rz
            mats[o + 4] = b * fx
            mats[o + 5] = b * fy
            mats[o + 6] = b * fz
            mats[o + 8] = c * (ry * fz - rz * fy)
            mats[o + 9] = c * (rz * fx - rx * fz)
            mats[o + 10] = c * (rx * fy - ry * fx)
            mats[o + 12] = px
            mats[o + 13] = py
            mats[o + 14] = pz

    def blend_one(self, i, j):
        """Write a joint's matrix as ``ClipBlend`` does."""
        one = self.one
        width = self.width // self.lanes
        for k in range(19):
            one[k] = 0.0
        for s in range(SLOTS * i, SLOTS * i + SLOTS):
            if self.weight[s] <= 0.0:
                continue
            c = self.clip[s]
            frame: cython.int = int(self.time[s])
            part = self.time[s] - frame
            for e in range(2):
                w = self.weight[s] * (part if e else 1.0 - part)
                if frame == self.clip_frames[c]:
                    frame = 0
                o: cython.long = self.clip_first[c] + frame
                o = self.width * o + 4 * width * (j // 4) + j % 4
                frame += 1
                if self.plain:
                    for k in range(3):
                        one[12 + k] += w * self.scale[3 * j + k]
                    one[18] += w
                else:
                    w *= self.rows[o + 60]
                    for k in range(7):
                        one[12 + k] += w * self.rows[o + 36 + 4 * k]
                for k in range(3):
                    one[k] += w * self.rows[o + 12 + 4 * k]
                    one[3 + k] += w * self.rows[o + 4 * k]
                    one[9 + k] += w * self.rows[o + 24 + 4 * k]
        if one[18] == 0.0:
            for k in range(16):
                self.mats[16 * j + k] = self.figure.rest[16 * j + k]
        else:
            blend_joint(one, 0, one[18], self.mats, 16 * j)

    def write(self, i):
        """Write a member's palette, the places of its joints, and its bounds."""
        nets = self.nets
        mats = self.mats
        # the space of the skeleton in the crowd's parent
        size = self.size[i]
        c = size * self.facing[0]
        s = size * self.facing[1]
        for r in range(4):
            x = self.space[3 * r]
            y = self.space[3 * r + 1]
            nets[4 * r] = x * c - y * s
            nets[4 * r + 1] = x * s + y * c
            nets[4 * r + 2] = size * self.space[3 * r + 2]
            nets[4 * r + 3] = 0.0
        for k in range(3):
            nets[12 + k] += self.position[3 * i + k]
        place = self.joint_place
        e: cython.long = i
        e *= 3 * self.n
        low_x: cython.float = 1e30
        high_x: cython.float = -1e30
        low_y: cython.float = 1e30
        high_y: cython.float = -1e30
        low_z: cython.float = 1e30
        high_z: cython.float = -1e30
        for j in range(self.n):
            o = 16 * j + 16
            compose(nets, o, mats, 16 * j, 16 * self.figure.parent[j] + 16)
            place[e] = px = nets[o + 12]
            place[e + 1] = py = nets[o + 13]
            place[e + 2] = pz = nets[o + 14]
            e += 3
            low_x = px if px < low_x else low_x
            high_x = px if px > high_x else high_x
            low_y = py if py < low_y else low_y
            high_y = py if py > high_y else high_y
            low_z = pz if pz < low_z else low_z
            high_z = pz if pz > high_z else high_z
        x = high_x - low_x
        y = high_y - low_y
        z = high_z - low_z
        self.sphere[4 * i] = 0.5 * (low_x + high_x)
        self.sphere[4 * i + 1] = 0.5 * (low_y + high_y)
        self.sphere[4 * i + 2] = 0.5 * (low_z + high_z)
        self.sphere[4 * i + 3] = (
            0.5 * sqrt(x * x + y * y + z * z)
            + (size if size > 0.0 else -size) * self.margin
        )
        e = i
        e *= 12 * self.skin_count
        for t in range(self.skin_count):
            unbind(
                self.palette, e, self.unbind, 16 * t, nets, 16 * self.skinned[t] + 16
            )
            e += 12


def compose(nets, o, mats, m, p):
    """Write the product of a joint's matrix and its parent's net matrix, in rows of 4.

    All is read before anything is written: so a compiler computes each row at once.

    Args:
        nets: In and out: net matrices.
        o: Index of the result in ``nets``.
        mats: Matrices of joints in their parents.
        m: Index of the joint's in ``mats``.
        p: Index of the parent's in ``nets``.
    """
    a0, a1, a2, a3 = nets[p], nets[p + 1], nets[p + 2], nets[p + 3]
    b0, b1, b2, b3 = nets[p + 4], nets[p + 5], nets[p + 6], nets[p + 7]
    c0, c1, c2, c3 = nets[p + 8], nets[p + 9], nets[p + 10], nets[p + 11]
    d0, d1, d2, d3 = nets[p + 12], nets[p + 13], nets[p + 14], nets[p + 15]
    x, y, z = mats[m], mats[m + 1], mats[m + 2]
    u, v, w = mats[m + 4], mats[m + 5], mats[m + 6]
    f, g, h = mats[m + 8], mats[m + 9], mats[m + 10]
    i, j, k = mats[m + 12], mats[m + 13], mats[m + 14]
    nets[o] = x * a0 + y * b0 + z * c0
    nets[o + 1] = x * a1 + y * b1 + z * c1
    nets[o + 2] = x * a2 + y * b2 + z * c2
    nets[o + 3] = x * a3 + y * b3 + z * c3
    nets[o + 4] = u * a0 + v * b0 + w * c0
    nets[o + 5] = u * a1 + v * b1 + w * c1
    nets[o + 6] = u * a2 + v * b2 + w * c2
    nets[o + 7] = u * a3 + v * b3 + w * c3
    nets[o + 8] = f * a0 + g * b0 + h * c0
    nets[o + 9] = f * a1 + g * b1 + h * c1
    nets[o + 10] = f * a2 + g * b2 + h * c2
    nets[o + 11] = f * a3 + g * b3 + h * c3
    nets[o + 12] = i * a0 + j * b0 + k * c0 + d0
    nets[o + 13] = i * a1 + j * b1 + k * c1 + d1
    nets[o + 14] = i * a2 + j * b2 + k * c2 + d2
    nets[o + 15] = i * a3 + j * b3 + k * c3 + d3


def unbind(out, e, inverse, b, nets, o):
    """Write a skinning matrix: 3 rows of 4, for column vectors.

    Args:
        out: Out: the palette.
        e: Index in ``out``.
        inverse: The inverse of the joint's net matrix in the skin's pose: its x, y and
            z coordinates, of three axes and the position each, and 0, 0, 0, 1. With
            these a compiler computes each row at once.
        b: Index in ``inverse``.
        nets: Net matrices, in rows of 4.
        o: Index of the joint's in ``nets``.
    """
    a0, a1, a2, a3 = inverse[b], inverse[b + 1], inverse[b + 2], inverse[b + 3]
    b0, b1, b2, b3 = inverse[b + 4], inverse[b + 5], inverse[b + 6], inverse[b + 7]
    c0, c1, c2, c3 = inverse[b + 8], inverse[b + 9], inverse[b + 10], inverse[b + 11]
    d0, d1, d2, d3 = inverse[b + 12], inverse[b + 13], inverse[b + 14], inverse[b + 15]
    x, y, z = nets[o], nets[o + 4], nets[o + 8]
    u, v, w = nets[o + 1], nets[o + 5], nets[o + 9]
    f, g, h = nets[o + 2], nets[o + 6], nets[o + 10]
    i, j, k = nets[o + 12], nets[o + 13], nets[o + 14]
    out[e] = x * a0 + y * b0 + z * c0 + i * d0
    out[e + 1] = x * a1 + y * b1 + z * c1 + i * d1
    out[e + 2] = x * a2 + y * b2 + z * c2 + i * d2
    out[e + 3] = x * a3 + y * b3 + z * c3 + i * d3
    out[e + 4] = u * a0 + v * b0 + w * c0 + j * d0
    out[e + 5] = u * a1 + v * b1 + w * c1 + j * d1
    out[e + 6] = u * a2 + v * b2 + w * c2 + j * d2
    out[e + 7] = u * a3 + v * b3 + w * c3 + j * d3
    out[e + 8] = f * a0 + g * b0 + h * c0 + k * d0
    out[e + 9] = f * a1 + g * b1 + h * c1 + k * d1
    out[e + 10] = f * a2 + g * b2 + h * c2 + k * d2
    out[e + 11] = f * a3 + g * b3 + h * c3 + k * d3
