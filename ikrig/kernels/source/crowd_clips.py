"""The clips of a crowd's members: what plays, and the pose that it blends to.

Rows of clips lie by number, not by joint, so that a compiler blends several joints at
once. They are in single precision, and so is what is computed from them: interpreted,
Python's numbers are longer, and results differ by rounding.
"""

import cython

if not cython.compiled:
    from math import floor
    from math import sqrt as sqrtf

    from .buffers import doubles, floats, ints, pin
    from .clip_blend import blend_joint

# clips of a member at once: while one fades in, those before it fade out
SLOTS = 4
# numbers of a joint in a row, each of 4 joints in turn: axes y and x, position, scale,
# shear (xy, xz, yz), and whether the clip moves it; plain rows have the first 9 and a 0
NUMBERS = 16
PLAIN = 10
# a direction shorter than this has none, in single precision
FLAT = 1e-6


class CrowdClips:
    """Advances the clips of members, and sets a pose to those of one of them.

    Args:
        figure: As for ``CrowdKernel``, and so are all.
        lanes, plain: Of the rows, ``PLAIN`` or ``NUMBERS`` numbers a joint.
        crowd: Buffers that kernels share.
        scratch: "mats", "total" and "one".
    """

    def __init__(self, figure, lanes, plain, crowd, scratch):
        self.figure = figure
        self.n = figure.n
        self.lanes = lanes
        self.plain = plain
        self.width = lanes * (PLAIN if plain else NUMBERS)
        self._pinned = pin({**crowd, **scratch})
        self.mats = floats(scratch["mats"])
        self.total = floats(scratch["total"])
        self.one = doubles(scratch["one"])
        self.rows = floats(crowd["rows"])
        self.scale = floats(crowd["scale"])
        self.clip_first = ints(crowd["clip_first"])
        self.clip_frames = ints(crowd["clip_frames"])
        # frames of all clips
        self.count = crowd["clip_first"][len(crowd["clip_first"]) - 1]
        self.clip_fps = doubles(crowd["clip_fps"])
        self.clip = ints(crowd["clip"])
        self.time = doubles(crowd["time"])
        self.speed = doubles(crowd["speed"])
        self.weight = doubles(crowd["weight"])
        self.top = ints(crowd["top"])
        self.rate = doubles(crowd["rate"])

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
                if not 0.0 <= at < frames:
                    at -= frames * floor(at / frames)
                # neither beyond the last frame by rounding nor NaN
                self.time[o + s] = at if 0.0 <= at < frames else 0.0

    def sample(self, i):
        """Set the pose to a member's clips."""
        plays = self.mix(i, self.total, self.rows, self.width if self.plain else 0)
        if not plays:
            for j in range(16 * self.n):
                self.mats[j] = self.figure.rest[j]
        elif self.plain:
            self.square_up(i)
        else:
            for j in range(self.n):
                self.blend_one(i, j)
        self.figure.renew()
        self.figure.animated = plays

    def mix(self, i, out, rows, size):
        """Write the mean of the rows of a member's clips; return whether it has any.

        Args:
            i: The member.
            out: Out: a row.
            rows: A row for each frame of all clips.
            size: Numbers of a row.
        """
        weights = 0.0
        for s in range(SLOTS * i, SLOTS * i + SLOTS):
            weights += self.weight[s]
        found: cython.int = 0
        a: cython.long = 0
        b: cython.long = 0
        u: cython.float = 0.0
        v: cython.float = 0.0
        for s in range(SLOTS * i, SLOTS * i + SLOTS):
            if self.weight[s] <= 0.0:
                continue
            clip = self.clip[s]
            frame: cython.int = int(self.time[s])
            after: cython.int = frame + 1 if frame + 1 < self.clip_frames[clip] else 0
            part = self.time[s] - frame
            c: cython.long = self.clip_first[clip] + frame
            d: cython.long = self.clip_first[clip] + after
            c *= size
            d *= size
            x: cython.float = self.weight[s] * (1.0 - part) / weights
            y: cython.float = self.weight[s] * part / weights
            found += 1
            # the first waits for the second: both in one go
            if found == 1:
                a, b, u, v = c, d, x, y
            elif found == 2:
                for k in range(size):
                    z = u * rows[a + k] + v * rows[b + k]
                    out[k] = z + (x * rows[c + k] + y * rows[d + k])
            else:
                for k in range(size):
                    out[k] += x * rows[c + k] + y * rows[d + k]
        if found == 1:
            for k in range(size):
                out[k] = u * rows[a + k] + v * rows[b + k]
        return found > 0

    def square_up(self, i):
        """Make a member's blended axes orthonormal, and write them as matrices."""
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
            mats[o] = a * rx
            mats[o + 1] = a * ry
            mats[o + 2] = a * rz
            mats[o + 4] = b * fx
            mats[o + 5] = b * fy
            mats[o + 6] = b * fz
            mats[o + 8] = c * (ry * fz - rz * fy)
            mats[o + 9] = c * (rz * fx - rx * fz)
            mats[o + 10] = c * (rx * fy - ry * fx)
            mats[o + 12] = t[q + 24]
            mats[o + 13] = t[q + 28]
            mats[o + 14] = t[q + 32]

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
