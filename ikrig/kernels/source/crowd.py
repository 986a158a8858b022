"""Members of a crowd, posed one after the other without Python.

What they look like is in single precision: interpreted, Python's numbers are longer,
and results differ by rounding.
"""

import cython

if not cython.compiled:
    from math import floor, sqrt

    from .angles import sin_cos
    from .buffers import doubles, floats, ints, pin
    from .crowd_clips import CrowdClips
    from .pose import AHEAD

# what a member shows: nothing yet; the pose of each frame; what lies between two keys
NEW, FULL, KEYS = 0, 1, 2
# kinds of layers, as a set of them is a sum; a member without any shows its clips from
# tables
LIMBS, FEET, LOOK, SPRINGS, BODY, WARPS, ALL = 1, 2, 4, 8, 16, 32, 63
# where numbers of the view are: 1 if there is one, the eye, what a height is divided by
# to be a part of the picture's (a number, and one for each unit of distance), the
# distance beyond the edges [sizes], the number of edges, and 4 numbers of each edge
VIEW_EYE, VIEW_SCALE, VIEW_MARGIN, VIEW_EDGES, VIEW = 1, 4, 6, 7, 32
# a level changes this part beyond its size
LAG = 0.05
# time in which layers come and go [s]
FADE = 0.25
# a key is not worth it for fewer frames
FEWEST = 1.5
# members that a thread takes at once
BLOCK = 32
# part of each turn by which members' first keys differ: no two fall together
GOLDEN = 0.6180339887498949
# beyond it, squares and products of inputs are not finite in single precision
LARGEST = 1e15


class CrowdLayer:
    """Changes the pose of each member, one after the other; base class.

    ``next`` is the layer after it, and ``kind`` one of ``LIMBS``, ``FEET``, ...
    """

    def __init__(self, kind):
        self.next = None
        self.kind = kind

    def begin(self):
        """Prepare a frame, with Python's lock; return 0."""
        return 0

    def are_sound(self, i, layers):
        """Return whether member i has finite goals, for those layers from this on."""
        sound: cython.bint = True
        if self.kind & layers:
            sound = self.is_sound(i)
        if sound and self.next is not None:
            sound = self.next.are_sound(i, layers)
        return sound

    def is_sound(self, i):
        """Return whether member i has finite goals."""
        return True

    def run(self, i, dt, layers):
        """Apply those layers from this on to member i."""
        if self.kind & layers:
            self.apply(i, dt)
        if self.next is not None:
            self.next.run(i, dt, layers)

    def apply(self, i, dt):
        """Change the pose of member i, for a frame of dt seconds."""


class CrowdKernel:
    """Poses members on one pose, and writes what they look like.

    Several kernels, each with a pose of its own, may pose different members of a crowd
    at the same time: they share ``crowd`` and nothing else.

    Args:
        figure: The pose, a ``PoseKernel``.
        lanes: Number of joints, rounded up to a multiple of 4.
        plain: Whether all clips have constant scales and no shear, and move the same
            joints.
        crowd: Buffers that kernels share, see ``ikrig.character.crowd_batch``; and
            "facing" of its own, 2: cosine and sine of the heading of the member that is
            posed.
        scratch: Buffers of its own: "mats" is the pose's memory; "total" of 16 and
            "nets" of 16 numbers a joint and 16 more, and "row" of a key, in single
            precision; "one" of 19.
    """

    def __init__(self, figure, lanes, plain, crowd, scratch):
        self.figure = figure
        figure.lags = True
        self.n = figure.n
        self.clips = CrowdClips(figure, lanes, plain, crowd, scratch)
        self.first = None
        self._pinned = pin({**crowd, **scratch})
        self.mats = floats(scratch["mats"])
        self.nets = floats(scratch["nets"])
        self.row = floats(scratch["row"])
        self.row_size = len(scratch["row"])
        self.one = doubles(scratch["one"])
        self.level_count = 0
        self.skinned = ints(crowd["skinned"])
        self.skin_count = len(crowd["skinned"])
        self.unbind = floats(crowd["unbind"])
        self.space = doubles(crowd["space"])
        self.margin = crowd["space"][12]
        self.begun = ints(crowd["begun"])
        self.position = doubles(crowd["positions"])
        self.heading = doubles(crowd["headings"])
        self.facing = doubles(crowd["facing"])
        self.size = doubles(crowd["scales"])
        self.bad = ints(crowd["bad"])
        self.palette = floats(crowd["palette"])
        self.joint_place = floats(crowd["places"])
        self.sphere = floats(crowd["spheres"])

    def run(self, order, count, dt):
        """Pose members of an order, a block after the other that no kernel has begun.

        Args:
            order: Indices of members.
            count: Their number.
            dt: Time since their last frame [s].
        """
        member = ints(order)
        layer = self.first
        while layer is not None:
            layer.begin()
            layer = layer.next
        while self.begun[0] < count:
            # while this holds Python's lock
            first = self.begun[0]
            last = min(first + BLOCK, count)
            self.begun[0] = last
            with cython.nogil:
                for k in range(first, last):
                    self.pose(member[k], dt)
        return 0

    def wind(self, i, dt):
        """Advance the clips of a member that others pose."""
        self.clips.advance(i, dt)

    def set_levels(self, levels):
        """Set levels of detail.

        Args:
            levels: Buffers: "period" of keys [s], 0 for each frame, "layers", the kinds
                that it has, and "size" from which it counts, of each level; "view", see
                ``VIEW``, and "reach" of the model: height, height of the middle and
                distance from it; of members "detail", the level, -1 out of view,
                "mode", "shown", the layers of the last key or pose, "since" the last
                key and "span" to the next [s], "flip", and "keys", two rows each;
                "baked", a row for each frame of all clips, and one for none. A row has
                the palette, the places and the sphere of a member that stands in the
                origin.
        """
        self._levels = pin(levels)
        self.level_count = len(levels["period"])
        self.period = doubles(levels["period"])
        self.layers = ints(levels["layers"])
        self.level_size = doubles(levels["size"])
        self.view = doubles(levels["view"])
        self.reach = doubles(levels["reach"])
        self.detail = ints(levels["detail"])
        self.mode = ints(levels["mode"])
        self.shown = ints(levels["shown"])
        self.since = doubles(levels["since"])
        self.span = doubles(levels["span"])
        self.flip = ints(levels["flip"])
        self.keys = floats(levels["keys"])
        self.baked = floats(levels["baked"])

    def pose(self, i, dt):
        """Pose a member; one with numbers that are no sound ones keeps its last."""
        total = self.heading[i] * self.heading[i] + self.size[i] * self.size[i]
        for k in range(3 * i, 3 * i + 3):
            total += self.position[k] * self.position[k]
        if not total < LARGEST * LARGEST:
            self.bad[i] = 1
            return
        self.bad[i] = 0
        sin_cos(self.one, 0, self.heading[i], 0.0)
        self.facing[0] = self.one[2]
        self.facing[1] = self.one[0]
        if self.level_count == 0:
            self.show_full(i, dt, ALL)
            return
        if self.view[0] > 0.0:
            self.detail[i] = self.choose(i)
        level = self.detail[i]
        if level < 0:
            # its clips go on
            self.clips.advance(i, dt)
            self.mode[i] = NEW
        else:
            if level >= self.level_count:
                level = self.level_count - 1
            self.pose_at(i, dt, self.period[level], self.layers[level])

    def choose(self, i):
        """Return the level of a member by its size in the picture; -1 out of view."""
        view = self.view
        size = self.size[i] if self.size[i] > 0.0 else -self.size[i]
        x = self.position[3 * i] - view[VIEW_EYE]
        y = self.position[3 * i + 1] - view[VIEW_EYE + 1]
        z = self.position[3 * i + 2] - view[VIEW_EYE + 2]
        z += self.size[i] * self.reach[1]
        far = size * (self.reach[2] + view[VIEW_MARGIN] * self.reach[0])
        o: cython.int = VIEW_EDGES + 1
        count: cython.int = int(view[VIEW_EDGES])
        for _ in range(count):
            if view[o] * x + view[o + 1] * y + view[o + 2] * z + view[o + 3] < -far:
                return -1
            o += 4
        away = sqrt(x * x + y * y + z * z)
        part = view[VIEW_SCALE] + view[VIEW_SCALE + 1] * away
        part = size * self.reach[0] / part if part > 0.0 else 1e30
        now = self.detail[i]
        k: cython.int = 0
        while k < self.level_count - 1:
            lag = -LAG if 0 <= now <= k else LAG
            if part >= self.level_size[k] * (1.0 + lag):
                break
            k += 1
        return k

    def pose_at(self, i, dt, period, layers):
        """Pose a member at a level of detail.

        Keys are poses some frames ahead, and what lies between them is shown: so
        nothing lags, and no level begins or ends with a step.

        Args:
            i: The member.
            dt: Time since its last frame [s].
            period: Time between keys [s]; 0: each frame.
            layers: The kinds of layers that it has; 0: its clips only.
        """
        mode = self.mode[i]
        if mode == NEW:
            mode = self.mode[i] = FULL
            self.shown[i] = layers
        shown = self.shown[i]
        if mode == FULL:
            if shown == 0 and layers == 0:
                self.show_clips(i, dt)
            elif shown == layers and period <= FEWEST * dt:
                self.show_full(i, dt, layers)
            elif self.set_key(i, dt, shown):
                # what is shown now is the key before the next
                self.span[i] = self.since[i] = 0.0
                self.mode[i] = KEYS
                self.show(i)
            return
        self.since[i] += dt
        rest = self.since[i] - self.span[i]
        # keys fall on frames
        if rest < -0.5 * dt:
            self.show(i)
            return
        if shown == 0 and layers == 0:
            self.mode[i] = FULL
            self.show_clips(i, rest)
            return
        fades: cython.bint = shown != layers
        # no time is less than half of the one before: as goals are read at keys, joints
        # that follow them are at most twice as fast
        ahead = 0.5 * self.span[i]
        if ahead < period:
            ahead = period
            if self.span[i] == 0.0:
                part = i * GOLDEN
                ahead *= 0.5 + 0.5 * (part - floor(part))
        if fades:
            ahead = FADE
        frames = floor(ahead / dt + 0.5) if dt > 0.0 else 1.0
        last: cython.bint = frames <= 1.0 and not fades
        if last and self.span[i] <= FEWEST * dt:
            if rest < 0.5 * dt and self.span[i] > 0.0:
                self.show(i)
                return
            if self.show_full(i, rest, layers):
                self.mode[i] = FULL
            return
        # one whose goals are not sound is tried again in the next frame
        self.since[i] = self.span[i]
        ahead = (frames if frames > 1.0 else 1.0) * dt + rest
        if self.set_key(i, ahead, layers):
            self.span[i] = ahead
            self.since[i] = rest
            self.shown[i] = layers
            self.show(i)

    def solve(self, i, dt, layers):
        """Set the pose to a member's clips and layers; return whether goals are sound.

        Of one whose goals are not, nothing changes.
        """
        if not (self.first is None or self.first.are_sound(i, layers)):
            self.bad[i] = 1
            return False
        self.clips.advance(i, dt)
        self.clips.sample(i)
        if self.first is not None:
            self.first.run(i, dt, layers)
        return True

    def show_full(self, i, dt, layers):
        """Show the pose of this frame; return whether its goals are sound."""
        if not self.solve(i, dt, layers):
            return False
        size = self.size[i]
        c = size * self.facing[0]
        s = size * self.facing[1]
        p = self.position
        x = p[3 * i]
        y = p[3 * i + 1]
        z = p[3 * i + 2]
        e: cython.long = i
        self.write(
            c,
            s,
            size,
            x,
            y,
            z,
            self.palette,
            e * 12 * self.skin_count,
            self.joint_place,
            e * 3 * self.n,
            self.sphere,
            4 * e,
        )
        return True

    def set_key(self, i, dt, layers):
        """Write the key in dt seconds; return whether its goals are sound."""
        o: cython.long = 2 * i + 1 - self.flip[i]
        o *= self.row_size
        if layers:
            if not self.solve(i, dt, layers):
                return False
            places = o + 12 * self.skin_count
            bounds = places + 3 * self.n
            keys = self.keys
            zero = 0.0
            self.write(
                1.0, zero, 1.0, zero, zero, zero, keys, o, keys, places, keys, bounds
            )
        else:
            self.clips.advance(i, dt)
            self.blend_baked(i)
            for k in range(self.row_size):
                self.keys[o + k] = self.row[k]
        self.flip[i] = 1 - self.flip[i]
        return True

    def show(self, i):
        """Show what lies between the last two keys."""
        row = self.row
        keys = self.keys
        b: cython.long = 2 * i + self.flip[i]
        b *= self.row_size
        part = self.since[i] / self.span[i] if self.span[i] > 0.0 else 1.0
        part = part if part > 0.0 else 0.0
        if part > 1.0 - 1e-9:
            for k in range(self.row_size):
                row[k] = keys[b + k]
        else:
            a: cython.long = 2 * i + 1 - self.flip[i]
            a *= self.row_size
            u: cython.float = 1.0 - part
            v: cython.float = part
            for k in range(self.row_size):
                row[k] = u * keys[a + k] + v * keys[b + k]
        self.place(i)

    def show_clips(self, i, dt):
        """Show a member's clips, from tables."""
        self.clips.advance(i, dt)
        self.blend_baked(i)
        self.place(i)

    def blend_baked(self, i):
        """Set the row to a member's clips, without any joint."""
        if not self.clips.mix(i, self.row, self.baked, self.row_size):
            o: cython.long = self.clips.count
            o *= self.row_size
            for k in range(self.row_size):
                self.row[k] = self.baked[o + k]

    def place(self, i):
        """Write a row where a member stands: palette, places of joints, bounds."""
        row = self.row
        out = self.palette
        size: cython.float = self.size[i]
        c: cython.float = self.size[i] * self.facing[0]
        s: cython.float = self.size[i] * self.facing[1]
        px: cython.float = self.position[3 * i]
        py: cython.float = self.position[3 * i + 1]
        pz: cython.float = self.position[3 * i + 2]
        e: cython.long = i
        e *= 12 * self.skin_count
        # added to all four numbers of a row, so that a compiler computes it at once
        z: cython.float = 0.0
        o: cython.int = 0
        for _ in range(self.skin_count):
            a0, a1, a2, a3 = row[o], row[o + 1], row[o + 2], row[o + 3]
            b0, b1, b2, b3 = row[o + 4], row[o + 5], row[o + 6], row[o + 7]
            c0, c1, c2, c3 = row[o + 8], row[o + 9], row[o + 10], row[o + 11]
            out[e] = c * a0 - s * b0 + z
            out[e + 1] = c * a1 - s * b1 + z
            out[e + 2] = c * a2 - s * b2 + z
            out[e + 3] = c * a3 - s * b3 + px
            out[e + 4] = s * a0 + c * b0 + z
            out[e + 5] = s * a1 + c * b1 + z
            out[e + 6] = s * a2 + c * b2 + z
            out[e + 7] = s * a3 + c * b3 + py
            out[e + 8] = size * c0 + z
            out[e + 9] = size * c1 + z
            out[e + 10] = size * c2 + z
            out[e + 11] = size * c3 + pz
            e += 12
            o += 12
        place = self.joint_place
        e = i
        e *= 3 * self.n
        for _ in range(self.n):
            x = row[o]
            y = row[o + 1]
            place[e] = c * x - s * y + px
            place[e + 1] = s * x + c * y + py
            place[e + 2] = size * row[o + 2] + pz
            e += 3
            o += 3
        x = row[o]
        y = row[o + 1]
        e = 4 * i
        self.sphere[e] = c * x - s * y + px
        self.sphere[e + 1] = s * x + c * y + py
        self.sphere[e + 2] = size * row[o + 2] + pz
        self.sphere[e + 3] = (size if size > 0.0 else -size) * row[o + 3]

    def write(self, c, s, size, px, py, pz, palette, e, place, p, sphere, o):
        """Write the pose: its palette, the places of its joints, and its bounds.

        Args:
            c, s: Cosine and sine of the heading, times the size.
            size: The size.
            px, py, pz: The position.
            palette, place, sphere: Out: buffers.
            e, p, o: Indices in these.
        """
        nets = self.nets
        m = self.mats
        n = self.figure.net
        mark = self.figure.mark
        # the space of the skeleton in the crowd's parent
        for r in range(4):
            x = self.space[3 * r]
            y = self.space[3 * r + 1]
            nets[4 * r] = x * c - y * s
            nets[4 * r + 1] = x * s + y * c
            nets[4 * r + 2] = size * self.space[3 * r + 2]
            nets[4 * r + 3] = 0.0
        nets[12] += px
        nets[13] += py
        nets[14] += pz
        low_x: cython.float = 1e30
        high_x: cython.float = -1e30
        low_y: cython.float = 1e30
        high_y: cython.float = -1e30
        low_z: cython.float = 1e30
        high_z: cython.float = -1e30
        for j in range(self.n):
            q = 16 * j + 16
            # what was just written cannot be read by fours: by number, not by row
            if mark[j] == AHEAD:
                r = 12 * j
                compose(
                    nets, q, 0,
                    n[r], n[r + 1], n[r + 2], n[r + 3], n[r + 4], n[r + 5],
                    n[r + 6], n[r + 7], n[r + 8], n[r + 9], n[r + 10], n[r + 11],
                )  # fmt: skip
            else:
                r = 16 * j
                compose(
                    nets, q, 16 * self.figure.parent[j] + 16,
                    m[r], m[r + 1], m[r + 2], m[r + 4], m[r + 5], m[r + 6],
                    m[r + 8], m[r + 9], m[r + 10], m[r + 12], m[r + 13], m[r + 14],
                )  # fmt: skip
            place[p] = jx = nets[q + 12]
            place[p + 1] = jy = nets[q + 13]
            place[p + 2] = jz = nets[q + 14]
            p += 3
            low_x = jx if jx < low_x else low_x
            high_x = jx if jx > high_x else high_x
            low_y = jy if jy < low_y else low_y
            high_y = jy if jy > high_y else high_y
            low_z = jz if jz < low_z else low_z
            high_z = jz if jz > high_z else high_z
        x = high_x - low_x
        y = high_y - low_y
        z = high_z - low_z
        sphere[o] = 0.5 * (low_x + high_x)
        sphere[o + 1] = 0.5 * (low_y + high_y)
        sphere[o + 2] = 0.5 * (low_z + high_z)
        sphere[o + 3] = (
            0.5 * sqrt(x * x + y * y + z * z)
            + (size if size > 0.0 else -size) * self.margin
        )
        for t in range(self.skin_count):
            unbind(palette, e, self.unbind, 16 * t, nets, 16 * self.skinned[t] + 16)
            e += 12


def compose(nets, o, p, x, y, z, u, v, w, f, g, h, i, j, k):
    """Write the product of a joint's matrix and its parent's net matrix, in rows of 4.

    All is read before anything is written: so a compiler computes each row at once.

    Args:
        nets: In and out: net matrices.
        o: Index of the result in ``nets``.
        p: Index of the parent's in ``nets``.
        x, y, z, u, v, w, f, g, h, i, j, k: The joint's, three numbers a row.
    """
    a0, a1, a2, a3 = nets[p], nets[p + 1], nets[p + 2], nets[p + 3]
    b0, b1, b2, b3 = nets[p + 4], nets[p + 5], nets[p + 6], nets[p + 7]
    c0, c1, c2, c3 = nets[p + 8], nets[p + 9], nets[p + 10], nets[p + 11]
    d0, d1, d2, d3 = nets[p + 12], nets[p + 13], nets[p + 14], nets[p + 15]
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
