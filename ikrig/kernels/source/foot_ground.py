"""Ground seen from above: triangles in a grid, heights in rows, or a function."""

import cython

if not cython.compiled:
    from .buffers import doubles, ints, pin

# numbers of a triangle: three corners, slope along x and y, and the tolerance at its
# edges [square units]
TRIANGLE = 12
NO_HEIGHT = -1e300
# fractions of a triangle's size: the least area as seen from above, and the tolerance
# at its edges, so that no point falls between two
MIN_AREA = 1e-6
EDGE_TOLERANCE = 1e-6
# places whose slope is kept, and numbers of each: x, y, height, rise along x and y, and
# the frame. It holds this far away, where it tells the height this well [steps]
KEPT_PLACES = 128
KEPT = 6
NEAR = 3.0
EXPLAINED = 0.01


class GroundKernel:
    """No ground anywhere; base class of all grounds."""

    def __init__(self):
        self.height = self.slope_x = self.slope_y = 0.0
        self.owner = -1

    def find_ground(self, x, y, top):
        """Find the ground below a height; return 1 when there is some, else 0.

        ``height``, ``slope_x`` and ``slope_y`` are then set, and ``owner``: index of
        the ground's owner, -1 for one that can't move.
        """
        return self.find(x, y, top)

    def find_height(self, x, y, top):
        """Do as ``find_ground``, but the slope need not be set."""
        return self.find_level(x, y, top)

    def find(self, x, y, top):
        """Do as ``find_ground``, for kernels."""
        return 0

    def find_level(self, x, y, top):
        """Do as ``find_height``, for kernels."""
        return self.find(x, y, top)

    def twin(self):
        """Return the same ground for another thread."""
        return self

    def look_for(self, i):
        """Look for figure i of many from now on."""


class CallGround(GroundKernel):
    """Ground that a Python function finds.

    Args:
        function: Takes x, y and top, and returns height, rise along x and y, and owner;
            or None. The first error that it raises is stored in ``error``.
    """

    def __init__(self, function):
        self.height = self.slope_x = self.slope_y = 0.0
        self.owner = -1
        self.function = function
        self.error = None

    def find(self, x, y, top):
        """Call the function."""
        with cython.gil:
            return self.call(x, y, top)

    def call(self, x, y, top):
        """Call the function, with Python's lock."""
        try:
            found = self.function(x, y, top)
            if found is None:
                return 0
            self.height, self.slope_x, self.slope_y, self.owner = found
        except Exception as error:
            if self.error is None:
                self.error = error
            return 0
        return 1


class FunctionGround(GroundKernel):
    """Ground whose height a Python function knows.

    A slope is found by four more calls, and holds nearby in this frame and the next,
    and on, while it tells the height of a place beside in every other frame: that of a
    seesaw changes at its pivot, too. On smooth ground most places take one call or two.

    Args:
        function: Takes x and y, and returns the height, or height and normal; None, NaN
            or an infinite one: no ground. The first error that it raises is stored in
            ``error``.
    """

    def __init__(self, function):
        self.height = self.slope_x = self.slope_y = 0.0
        self.owner = -1
        self.function = function
        self.error = None
        self.last = 0
        self.frame = 0.0
        self.odd = 0
        if not cython.compiled:
            self.kept = [0.0] * (KEPT * KEPT_PLACES)
        self.set_step(1.0)

    def set_step(self, step):
        """Set the distance of the places whose heights give a slope, and forget."""
        self.step = step
        for k in range(KEPT_PLACES):
            self.kept[KEPT * k + 2] = NO_HEIGHT

    def begin(self):
        """Begin a frame, in which the ground may have moved; forget errors."""
        self.frame += 1.0
        self.odd = int(0.5 * self.frame) % 2
        self.error = None

    def height_at(self, x, y):
        """Return the height of a place, or NO_HEIGHT."""
        found = self.function(x, y)
        if isinstance(found, tuple):
            # unpacked: an index into what a user returns would not be checked
            found, _ = found
        if found is None:
            return NO_HEIGHT
        height: cython.double = float(found)
        return height if abs(height) < -NO_HEIGHT else NO_HEIGHT

    def rise_at(self, x, y, along, across):
        """Return the lesser of the slopes on both sides: at an edge its level's own."""
        before = self.height_at(x - along, y - across)
        if before == self.height:
            return 0.0
        after = self.height_at(x + along, y + across)
        rise = (after - self.height) / self.step
        fall = (self.height - before) / self.step
        if before == NO_HEIGHT:
            return 0.0 if after == NO_HEIGHT else rise
        return fall if after == NO_HEIGHT or abs(fall) <= abs(rise) else rise

    def still_holds(self, x, y, o):
        """Return whether a kept slope tells the height beside; then it does so now."""
        kept = self.kept
        # along one axis, then along the other
        if self.odd:
            expected = self.height + kept[o + 3] * self.step
            found = self.height_at(x + self.step, y)
        else:
            expected = self.height + kept[o + 4] * self.step
            found = self.height_at(x, y + self.step)
        if not abs(found - expected) <= EXPLAINED * self.step:
            return 0
        kept[o + 5] = self.frame
        return 1

    def find(self, x, y, top):
        """Call the function here, and around for a slope that is not known."""
        with cython.gil:
            return self.ask(x, y)

    def ask(self, x, y):
        """Do as ``find``, with Python's lock."""
        try:
            found = self.function(x, y)
            if found is None:
                return 0
            if isinstance(found, tuple):
                height, normal = found
                east, north, up = normal
                self.height = height
                self.slope_x = -east / up
                self.slope_y = -north / up
                size = abs(self.height) + abs(self.slope_x) + abs(self.slope_y)
                return 1 if size < -NO_HEIGHT else 0
            self.height = float(found)
            if not abs(self.height) < -NO_HEIGHT:
                return 0
            kept = self.kept
            for k in range(KEPT_PLACES):
                # the latest first
                o = self.last - KEPT * k
                if o < 0:
                    o += KEPT * KEPT_PLACES
                dx = x - kept[o]
                dy = y - kept[o + 1]
                off = self.height - kept[o + 2] - kept[o + 3] * dx - kept[o + 4] * dy
                if (
                    abs(off) <= EXPLAINED * self.step
                    and dx * dx + dy * dy <= NEAR * NEAR * self.step * self.step
                    and kept[o + 5] >= self.frame - 2.0
                    and (kept[o + 5] >= self.frame - 1.0 or self.still_holds(x, y, o))
                ):
                    self.slope_x = kept[o + 3]
                    self.slope_y = kept[o + 4]
                    return 1
            self.slope_x = self.rise_at(x, y, self.step, 0.0)
            self.slope_y = self.rise_at(x, y, 0.0, self.step)
            o = self.last = (self.last + KEPT) % (KEPT * KEPT_PLACES)
            kept[o] = x
            kept[o + 1] = y
            kept[o + 2] = self.height
            kept[o + 3] = self.slope_x
            kept[o + 4] = self.slope_y
            kept[o + 5] = self.frame
        except Exception as error:
            if self.error is None:
                self.error = error
            return 0
        return 1

    def find_level(self, x, y, top):
        """Call the function once: most places need no slope."""
        with cython.gil:
            return self.ask_level(x, y)

    def ask_level(self, x, y):
        """Do as ``find_level``, with Python's lock."""
        try:
            self.height = self.height_at(x, y)
        except Exception as error:
            if self.error is None:
                self.error = error
            return 0
        return 1 if self.height != NO_HEIGHT else 0


class SpotGround(GroundKernel):
    """Planes below the feet of many; of those of one, the nearest counts.

    Args:
        planes: Place x and y, height, and rise along x and y of each: NaN or infinite
            where there is no ground; may be changed at any time.
        feet: Number of planes of each.
    """

    def __init__(self, planes, feet):
        self.height = self.slope_x = self.slope_y = 0.0
        self.owner = -1
        self._pinned = pin({"planes": planes})
        self.planes = doubles(planes)
        self.feet = feet
        self.who = 0
        self.given = planes, feet

    def twin(self):
        """Return the same ground for another thread."""
        return SpotGround(*self.given)

    def look_for(self, i):
        """Look for the feet of figure i from now on."""
        self.who = i

    def find(self, x, y, top):
        """Find the ground below a height; return 1 when there is some, else 0."""
        p = self.planes
        o = first = 5 * self.feet * self.who
        least = -1.0
        for f in range(self.feet):
            k = first + 5 * f
            u = x - p[k]
            v = y - p[k + 1]
            u = u * u + v * v
            if least < 0.0 or u < least:
                least = u
                o = k
        z = p[o + 2] + p[o + 3] * (x - p[o]) + p[o + 4] * (y - p[o + 1])
        # neither infinite nor NaN
        if not (z - z == 0.0 and z <= top):
            return 0
        self.height = z
        self.slope_x = p[o + 3]
        self.slope_y = p[o + 4]
        return 1


class HeightGrid(GroundKernel):
    """Heights in rows: between four of them the ground is bilinear.

    Args:
        heights: Rows by rising y, each by rising x; NaN: no ground.
        columns: Heights in a row, at least 2.
        rows: Number of rows, at least 2.
        x: Position of the first height.
        y: As ``x``.
        width: Distance of neighbours in a row.
        depth: Distance of rows.
    """

    def __init__(self, heights, columns, rows, x, y, width, depth):
        self.height = self.slope_x = self.slope_y = 0.0
        self.owner = -1
        buffers = {"heights": heights}
        self._pinned = pin(buffers)
        self.heights = doubles(heights)
        self.columns = columns
        self.rows = rows
        self.x = x
        self.y = y
        self.width = width
        self.depth = depth
        self.given = heights, columns, rows, x, y, width, depth

    def twin(self):
        """Return the same ground for another thread."""
        return HeightGrid(*self.given)

    def find(self, x, y, top):
        """Find the ground below a height; return 1 when there is some, else 0."""
        u = (x - self.x) / self.width
        v = (y - self.y) / self.depth
        i: cython.int = self.columns - 2
        j: cython.int = self.rows - 2
        if not (0.0 <= u <= i + 1.0 and 0.0 <= v <= j + 1.0):
            return 0
        if u < i:
            i = int(u)
        if v < j:
            j = int(v)
        u -= i
        v -= j
        k = j * self.columns + i
        a = self.heights[k]
        b = self.heights[k + 1]
        c = self.heights[k + self.columns]
        d = self.heights[k + self.columns + 1]
        low = a + (b - a) * u
        high = c + (d - c) * u
        z = low + (high - low) * v
        if not z <= top:
            return 0
        self.height = z
        self.slope_x = ((b - a) * (1.0 - v) + (d - c) * v) / self.width
        self.slope_y = (high - low) / self.depth
        return 1


class TriangleGrid(GroundKernel):
    """Triangles that face up: fixed ones in a grid, moving ones in boxes.

    ``ikrig.character.heightfield`` fills the buffers.

    Args:
        table: ``TRIANGLE`` numbers of each triangle, as ``set_triangle`` writes them.
        corners: The three corners of each at first, 9 numbers.
        owners: Index of each triangle's owner, from 0 on.
        hidden: 1 for each owner that is not ground now; may be changed at any time.
        starts: First item of each cell, column by column, and the end.
        items: Indices of triangles.
        runs: Owner, first triangle and end of each run of moving triangles.
        boxes: Buffer of four numbers for each run.
        movers: Number of runs.
        x: Start of the first cell.
        y: As ``x``.
        width: Size of a cell along x.
        depth: The same along y.
        columns: Cells along x.
        rows: Cells along y.
    """

    def __init__(
        self, table, corners, owners, hidden, starts, items, runs, boxes, movers,
        x, y, width, depth, columns, rows
    ):  # fmt: skip
        self.height = self.slope_x = self.slope_y = 0.0
        self.owner = -1
        buffers = {
            "table": table,
            "corners": corners,
            "owners": owners,
            "hidden": hidden,
            "starts": starts,
            "items": items,
            "runs": runs,
            "boxes": boxes,
        }
        self._pinned = pin(buffers)
        self.table = doubles(table)
        self.start_corners = doubles(corners)
        self.owner_of = ints(owners)
        self.hidden = ints(hidden)
        self.starts = ints(starts)
        self.items = ints(items)
        self.runs = ints(runs)
        self.boxes = doubles(boxes)
        self.movers = movers
        self.x = x
        self.y = y
        self.width = width
        self.depth = depth
        self.columns = columns
        self.rows = rows
        for m in range(movers):
            self.update_box(m)
        self.given = (
            table, corners, owners, hidden, starts, items, runs, boxes, movers,
            x, y, width, depth, columns, rows,
        )  # fmt: skip

    def twin(self):
        """Return the same ground for another thread; all move with this one."""
        return TriangleGrid(*self.given)

    def set_triangle(self, k, x0, y0, z0, x1, y1, z1, x2, y2, z2):
        """Set a triangle by its corners; one that does not face up is never hit."""
        t = TRIANGLE * k
        tri = self.table
        tri[t] = x0
        tri[t + 1] = y0
        tri[t + 2] = z0
        tri[t + 3] = x1
        tri[t + 4] = y1
        tri[t + 5] = z1
        tri[t + 6] = x2
        tri[t + 7] = y2
        tri[t + 8] = z2
        ax = x1 - x0
        ay = y1 - y0
        az = z1 - z0
        bx = x2 - x0
        by = y2 - y0
        bz = z2 - z0
        x = ay * bz - az * by
        y = az * bx - ax * bz
        z = ax * by - ay * bx
        size = ax * ax + ay * ay + az * az + bx * bx + by * by + bz * bz
        if z > MIN_AREA * size:
            tri[t + 9] = -x / z
            tri[t + 10] = -y / z
            tri[t + 11] = -EDGE_TOLERANCE * size
        else:
            # no point is inside all its edges
            tri[t + 11] = -NO_HEIGHT

    def update_box(self, m):
        """Set the bounding box of run m of moving triangles."""
        left = low = 1e300
        right = high = -1e300
        for k in range(self.runs[3 * m + 1], self.runs[3 * m + 2]):
            for i in range(3):
                x = self.table[TRIANGLE * k + 3 * i]
                y = self.table[TRIANGLE * k + 3 * i + 1]
                if x < left:
                    left = x
                if x > right:
                    right = x
                if y < low:
                    low = y
                if y > high:
                    high = y
        self.boxes[4 * m] = left
        self.boxes[4 * m + 1] = right
        self.boxes[4 * m + 2] = low
        self.boxes[4 * m + 3] = high

    def move_owner(self, owner, mat):
        """Move an owner's triangles.

        Args:
            owner: Index of an owner that moves.
            mat: From ``corners`` to their current positions, 16 numbers in rows.
        """
        m = doubles(mat)
        for r in range(self.movers):
            if self.runs[3 * r] != owner:
                continue
            for k in range(self.runs[3 * r + 1], self.runs[3 * r + 2]):
                t = TRIANGLE * k
                for i in range(3):
                    x = self.start_corners[9 * k + 3 * i]
                    y = self.start_corners[9 * k + 3 * i + 1]
                    z = self.start_corners[9 * k + 3 * i + 2]
                    for c in range(3):
                        self.table[t + 3 * i + c] = (
                            x * m[c] + y * m[4 + c] + z * m[8 + c] + m[12 + c]
                        )
                self.set_triangle(
                    k,
                    self.table[t],
                    self.table[t + 1],
                    self.table[t + 2],
                    self.table[t + 3],
                    self.table[t + 4],
                    self.table[t + 5],
                    self.table[t + 6],
                    self.table[t + 7],
                    self.table[t + 8],
                )
            self.update_box(r)

    def find(self, x, y, top):
        """Find the highest ground below ``top``; return 1 when there is some."""
        best = -1
        highest = NO_HEIGHT
        tri = self.table
        u = (x - self.x) / self.width
        v = (y - self.y) / self.depth
        if 0.0 <= u < self.columns and 0.0 <= v < self.rows:
            i: cython.int = int(u)
            j: cython.int = int(v)
            cell = i * self.rows + j
            for c in range(self.starts[cell], self.starts[cell + 1]):
                k = self.items[c]
                z = self.height_at(k, x, y)
                if highest < z <= top and not self.hidden[self.owner_of[k]]:
                    highest = z
                    best = k
        for m in range(self.movers):
            b = 4 * m
            if (
                self.boxes[b] <= x <= self.boxes[b + 1]
                and self.boxes[b + 2] <= y <= self.boxes[b + 3]
                and not self.hidden[self.runs[3 * m]]
            ):
                for k in range(self.runs[3 * m + 1], self.runs[3 * m + 2]):
                    z = self.height_at(k, x, y)
                    if highest < z <= top:
                        highest = z
                        best = k
        if best < 0:
            return 0
        self.height = highest
        self.slope_x = tri[TRIANGLE * best + 9]
        self.slope_y = tri[TRIANGLE * best + 10]
        self.owner = self.owner_of[best]
        return 1

    def height_at(self, k, x, y):
        """Return the height of a triangle at a point; NO_HEIGHT outside of it.

        A point between two triangles is on both, however numbers are rounded.
        """
        tri = self.table
        t = TRIANGLE * k
        edge = tri[t + 11]
        ax = tri[t]
        ay = tri[t + 1]
        bx = tri[t + 3]
        by = tri[t + 4]
        cx = tri[t + 6]
        cy = tri[t + 7]
        if (
            (bx - ax) * (y - ay) - (by - ay) * (x - ax) < edge
            or (cx - bx) * (y - by) - (cy - by) * (x - bx) < edge
            or (ax - cx) * (y - cy) - (ay - cy) * (x - cx) < edge
        ):
            return NO_HEIGHT
        return tri[t + 2] + tri[t + 9] * (x - ax) + tri[t + 10] * (y - ay)
