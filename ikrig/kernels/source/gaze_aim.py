"""Joints that turn until a pointer that they carry aims at a target."""

import cython

if not cython.compiled:
    from math import sqrt

    from .gaze import BODY, NO_POINTER, PART, ROTATION, GazeKernel
    from .node_frame import NodeReader
    from .pose import part_from_to
    from .quat_ops import rotate_vec
    from .spring_damper import Spring
    from .vectors import by_rows, moved, norm3, three


class AimKernel(GazeKernel):
    """Turns joints until the line ahead of a pointer meets the goal.

    Args:
        figure, joints, weights, body, facings: As for ``GazeKernel``.
        matrix: One of the engine's matrices, and the same memory as 16 numbers.
    """

    def __init__(self, figure, joints, weights, body, facings, matrix):
        super().__init__(figure, joints, weights, body, facings)
        self.mat, self.numbers = matrix
        self.last = joints[len(joints) - 1]
        self.pointer = None
        self.distance = Spring()
        self.has_distance = 0
        self.ax = self.ay = self.az = 0.0
        self.px = self.py = self.pz = 0.0

    def set_axis(self, x, y, z):
        """Set the direction that points, in the space of the pointer."""
        self.ax = x
        self.ay = y
        self.az = z

    def begin(self):
        """Start from the animated pose of this frame."""
        self.has_distance = 0

    def state_sum(self):
        """Return the sum of the state."""
        return GazeKernel.state_sum(self) + self.distance.value + self.distance.speed

    def set_eye(self):
        """Set the first joint's position, which does not move as the joints turn."""
        net = self.figure.net
        o = self.figure.at(self.joint[0]) + 9
        self.ex, self.ey, self.ez = three(net, o)

    def turn(self, has_target, factor, seconds, dt):
        """Turn each joint by its part of the missing rotation, the last by the rest."""
        work = self.workspace
        net = self.figure.net
        self.set_eye()
        x, y, z = self.ex, self.ey, self.ez
        if has_target:
            # the distance of the target changes as smoothly as its direction
            distance = norm3(self.tx - x, self.ty - y, self.tz - z)
            if not self.has_distance:
                self.distance.reset(distance)
                self.has_distance = 1
            self.distance.step(distance, seconds, dt)
        reader: NodeReader = self.pointer
        state = reader.read()
        if state is None or state.is_invalid():
            self.error = NO_POINTER
            return 0
        self.mat[0] = state.mat
        # with less weight, a goal between this and the animated one
        if not self.find_line_point(x, y, z, self.distance.value):
            return 0
        dx, dy, dz = self.px - x, self.py - y, self.pz - z
        self.find_direction(BODY, self.gaze.along.value, self.gaze.aside.value)
        part_from_to(work, PART, dx, dy, dz, self.dx, self.dy, self.dz, factor)
        rotate_vec(work, ROTATION, work, PART, dx, dy, dz)
        gx, gy, gz = x + work[ROTATION], y + work[ROTATION + 1], z + work[ROTATION + 2]
        remaining = 1.0
        for i in range(self.count):
            fraction = self.weight[i]
            joint = self.joint[i]
            x, y, z = three(net, self.figure.at(joint) + 9)
            dx, dy, dz = gx - x, gy - y, gz - z
            distance = norm3(dx, dy, dz)
            if fraction > 0.0 and self.find_line_point(x, y, z, distance):
                part_from_to(
                    work, PART, self.px - x, self.py - y, self.pz - z,
                    dx, dy, dz, min(1.0, fraction / remaining),
                )  # fmt: skip
                self.figure.rotate(
                    joint, work[PART], work[PART + 1], work[PART + 2], work[PART + 3]
                )
            remaining -= fraction
        return 0

    def find_line_point(self, x, y, z, distance):
        """Set the point on the line ahead of the pointer at a distance from (x, y, z).

        Returns:
            1; 0 if no point of the line is that near.
        """
        net = self.figure.net
        m = self.numbers
        n = self.figure.at(self.last)
        # the pointer in its joint, then in the skeleton's space
        sx, sy, sz = moved(net, n, m[12], m[13], m[14])
        a = self.ax * m[0] + self.ay * m[4] + self.az * m[8]
        b = self.ax * m[1] + self.ay * m[5] + self.az * m[9]
        c = self.ax * m[2] + self.ay * m[6] + self.az * m[10]
        dx, dy, dz = by_rows(net, n, a, b, c)
        size = norm3(dx, dy, dz)
        if not size > 0.0:
            return 0
        dx, dy, dz = dx / size, dy / size, dz / size
        x, y, z = x - sx, y - sy, z - sz
        along = x * dx + y * dy + z * dz
        discriminant = along * along - (x * x + y * y + z * z) + distance * distance
        if not discriminant >= 0.0:
            return 0
        along += sqrt(discriminant)
        self.px = sx + along * dx
        self.py = sy + along * dy
        self.pz = sz + along * dz
        return 1
