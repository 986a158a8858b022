# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, initializedcheck=False
"""Forward kinematics of a tree of bodies, and its Jacobians: many poses in one call.

Bodies stand parents first and body 0 is the world. Joint kinds are numbered: 0 hinge,
1 slide, 2 ball, 3 free. The results are MuJoCo's ``mj_kinematics`` and ``mj_jac``.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from . import _cython_shim as cython

if cython.compiled:
    from cython.cimports.ikrig.kernels.quat_ops import data, hold, index
    from cython.cimports.ikrig.kernels.trig import cosine_sine
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

    from .quat_ops import data, hold, index
    from .trig import cosine_sine

COMPILED = cython.compiled


class RobotKernel:
    """A tree and ``count`` poses of it.

    Sizes for n bodies, j joints, q coordinates, s sites and m mocap bodies. Of the
    tree whole numbers: parent, mocap (-1: none) n, first_joint n + 1, kind, joint_qpos,
    joint_dof j, site_body s, and 0 for what need not be computed: body_turned,
    inertia_turned n, site_turned s (its quaternion is 1), off_centre j (its anchor is
    0). Numbers: body_pos, body_ipos 3 n, body_quat, body_iquat 4 n, axis, anchor 3 j,
    qpos0 q, site_pos 3 s, site_quat 4 s; quaternions and axes unit. Of each pose: qpos
    q, mocap_pos 3 m, mocap_quat 4 m; xpos, xipos 3 n, xquat 4 n, xmat, ximat 9 n,
    xanchor, xaxis 3 j, site_xpos 3 s, site_xmat 9 s. Scratch for one pose: turn 4 j,
    cosine, sine j, work 4.
    """

    def __init__(self, sizes, tree, pose):
        """Take (count, n, j, q, s, m, velocities) and the buffers by name."""
        self.count, self.bodies, self.joints, self.coordinates = sizes[:4]
        self.sites, self.mocaps, self.dofs = sizes[4:]
        self._held = hold(tree) + hold(pose)
        self.parent = index(tree["parent"])
        self.mocap = index(tree["mocap"])
        self.first_joint = index(tree["first_joint"])
        self.kind = index(tree["kind"])
        self.joint_qpos = index(tree["joint_qpos"])
        self.joint_dof = index(tree["joint_dof"])
        self.site_body = index(tree["site_body"])
        self.body_turned = index(tree["body_turned"])
        self.inertia_turned = index(tree["inertia_turned"])
        self.site_turned = index(tree["site_turned"])
        self.off_centre = index(tree["off_centre"])
        self.body_pos = data(tree["body_pos"])
        self.body_quat = data(tree["body_quat"])
        self.body_ipos = data(tree["body_ipos"])
        self.body_iquat = data(tree["body_iquat"])
        self.axis = data(tree["axis"])
        self.anchor = data(tree["anchor"])
        self.qpos0 = data(tree["qpos0"])
        self.site_pos = data(tree["site_pos"])
        self.site_quat = data(tree["site_quat"])
        self.qpos = data(pose["qpos"])
        self.mocap_pos = data(pose["mocap_pos"])
        self.mocap_quat = data(pose["mocap_quat"])
        self.xpos = data(pose["xpos"])
        self.xquat = data(pose["xquat"])
        self.xmat = data(pose["xmat"])
        self.xanchor = data(pose["xanchor"])
        self.xaxis = data(pose["xaxis"])
        self.xipos = data(pose["xipos"])
        self.ximat = data(pose["ximat"])
        self.site_xpos = data(pose["site_xpos"])
        self.site_xmat = data(pose["site_xmat"])
        self.turn = data(pose["turn"])
        self.cosine = data(pose["cosine"])
        self.sine = data(pose["sine"])
        self.work = data(pose["work"])

    def forward(self):
        """Set every body, joint, centre of mass and site of every pose from qpos."""
        mat = self.site_xmat
        quat = self.site_quat
        for k in range(self.count):
            self.set_rotations(k * self.coordinates)
            self.set_bodies(k)
            c = k * self.bodies
            for s in range(self.sites):
                b = c + self.site_body[s]
                o = k * self.sites + s
                _carry(self.site_xpos, o, self.xpos, self.xmat, b, self.site_pos, s)
                f = self.site_turned[s]
                _turn_frame(mat, o, self.xmat, self.xquat, b, f, quat, s, self.work)

    def set_rotations(self, first):
        """Set ``turn``, what each joint does: a quaternion, or first the way it slides.

        The pose's coordinates begin at ``qpos[first]``.
        """
        qpos = self.qpos
        turn = self.turn
        axis = self.axis
        cosine = self.cosine
        sine = self.sine
        for j in range(self.joints):
            v = self.joint_qpos[j]
            cosine[j] = 0.5 * (qpos[first + v] - self.qpos0[v])
        cosine_sine(cosine, sine, self.joints)
        for j in range(self.joints):
            v = self.joint_qpos[j]
            i = 3 * j
            o = 4 * j
            if self.kind[j] == 0:
                turn[o] = cosine[j]
                for e in range(3):
                    turn[o + 1 + e] = sine[j] * axis[i + e]
            elif self.kind[j] == 1:
                turn[o] = qpos[first + v] - self.qpos0[v]
            elif self.kind[j] == 2:
                _unit(turn, j, qpos, first + v)
            else:
                _unit(turn, j, qpos, first + v + 3)

    def set_bodies(self, k):
        """Set the bodies, joints and centres of mass of pose k from ``turn``."""
        xpos = self.xpos
        xquat = self.xquat
        xmat = self.xmat
        anchor = self.anchor
        work = self.work
        base = k * self.bodies
        i = 3 * base
        xpos[i] = xpos[i + 1] = xpos[i + 2] = 0.0
        i = 4 * base
        xquat[i] = 1.0
        xquat[i + 1] = xquat[i + 2] = xquat[i + 3] = 0.0
        for b in range(self.bodies):
            c = base + b
            m = self.mocap[b]
            i = 3 * c
            # where its parent, or who moves it, puts the body
            if m >= 0:
                m += k * self.mocaps
                for e in range(3):
                    xpos[i + e] = self.mocap_pos[3 * m + e]
                _unit(xquat, c, self.mocap_quat, 4 * m)
            elif b > 0:
                p = base + self.parent[b]
                _carry(xpos, c, xpos, xmat, p, self.body_pos, b)
                if self.body_turned[b]:
                    _product(xquat, c, xquat, p, self.body_quat, b)
                else:
                    for e in range(4):
                        xquat[4 * c + e] = xquat[4 * p + e]
            # its joints move it on, one after the other
            for j in range(self.first_joint[b], self.first_joint[b + 1]):
                o = k * self.joints + j
                a = 3 * o
                if self.kind[j] == 3:
                    v = k * self.coordinates + self.joint_qpos[j]
                    for e in range(3):
                        xpos[i + e] = self.xanchor[a + e] = self.qpos[v + e]
                        self.xaxis[a + e] = self.axis[3 * j + e]
                    for e in range(4):
                        xquat[4 * c + e] = self.turn[4 * j + e]
                    continue
                _spin(self.xaxis, o, xquat, c, self.axis, j)
                if self.off_centre[j]:
                    _spin(self.xanchor, o, xquat, c, anchor, j)
                    for e in range(3):
                        self.xanchor[a + e] += xpos[i + e]
                else:
                    for e in range(3):
                        self.xanchor[a + e] = xpos[i + e]
                if self.kind[j] == 1:
                    s = self.turn[4 * j]
                    for e in range(3):
                        xpos[i + e] += s * self.xaxis[a + e]
                    continue
                _product(xquat, c, xquat, c, self.turn, j)
                if self.off_centre[j]:
                    # the anchor stays where it is
                    _spin(work, 0, xquat, c, anchor, j)
                    for e in range(3):
                        xpos[i + e] = self.xanchor[a + e] - work[e]
            _matrix(xmat, c, xquat, c)
            _carry(self.xipos, c, xpos, xmat, c, self.body_ipos, b)
            f = self.inertia_turned[b]
            _turn_frame(self.ximat, c, xmat, xquat, c, f, self.body_iquat, b, work)

    def jacobian(self, body, points, out):
        """Write how points on a body move with the velocities, for every pose.

        Args:
            body: The body that carries the points.
            points: A point for each pose, 3 count [scene unit], world space.
            out: 6 rows of one number per velocity for each pose: three of the point's
                velocity, three of the body's turning.
        """
        nv = self.dofs
        p = data(points)
        r = data(out)
        for k in range(self.count):
            first = 6 * k * nv
            for e in range(first, first + 6 * nv):
                r[e] = 0.0
            b = body
            while b > 0:
                for j in range(self.first_joint[b], self.first_joint[b + 1]):
                    self.set_columns(k, b, j, p, r, first + self.joint_dof[j])
                b = self.parent[b]

    def set_columns(self, k, b, j, points, out, o):
        """Write the columns of joint j of body b in pose k; the first starts at o."""
        nv = self.dofs
        a = 3 * (k * self.joints + j)
        kind = self.kind[j]
        # arm from the joint to the point
        x = points[3 * k] - self.xanchor[a]
        y = points[3 * k + 1] - self.xanchor[a + 1]
        z = points[3 * k + 2] - self.xanchor[a + 2]
        if kind == 0:
            _turn_column(out, o, nv, self.xaxis, a, 1, x, y, z)
        elif kind == 1:
            for e in range(3):
                out[o + e * nv] = self.xaxis[a + e]
        else:
            if kind == 3:
                # the world's axes first
                for e in range(3):
                    out[o + e * nv + e] = 1.0
                o += 3
            # a ball is the last to turn its body: its axes are the body's own
            m = 9 * (k * self.bodies + b)
            for e in range(3):
                _turn_column(out, o + e, nv, self.xmat, m + e, 3, x, y, z)


def _turn_column(out, o, nv, axis, i, stride, x, y, z):
    """Write a column: turning about ``axis[i]`` and on carries the arm (x, y, z)."""
    ax = axis[i]
    ay = axis[i + stride]
    az = axis[i + 2 * stride]
    out[o] = ay * z - az * y
    out[o + nv] = az * x - ax * z
    out[o + 2 * nv] = ax * y - ay * x
    out[o + 3 * nv] = ax
    out[o + 4 * nv] = ay
    out[o + 5 * nv] = az


def _unit(out, o, q, i):
    """Write quaternion o: that at ``q[i]`` at length 1; one of no length is no turn."""
    w = q[i]
    x = q[i + 1]
    y = q[i + 2]
    z = q[i + 3]
    s = w * w + x * x + y * y + z * z
    if s < 1e-30:
        w = s = 1.0
    s = 1.0 / sqrt(s)
    o *= 4
    out[o] = s * w
    out[o + 1] = s * x
    out[o + 2] = s * y
    out[o + 3] = s * z


def _product(out, o, p, i, q, j):
    """Write quaternion o: ``p[i] ⊗ q[j]``, both unit; ``out`` may be p."""
    o *= 4
    i *= 4
    j *= 4
    pw = p[i]
    px = p[i + 1]
    py = p[i + 2]
    pz = p[i + 3]
    w = q[j]
    x = q[j + 1]
    y = q[j + 2]
    z = q[j + 3]
    out[o] = pw * w - px * x - py * y - pz * z
    out[o + 1] = pw * x + px * w + py * z - pz * y
    out[o + 2] = pw * y - px * z + py * w + pz * x
    out[o + 3] = pw * z + px * y - py * x + pz * w


def _spin(out, o, q, i, v, j):
    """Write vector o: vector j of v, turned by quaternion i of q."""
    o *= 3
    i *= 4
    j *= 3
    w = q[i]
    a = q[i + 1]
    b = q[i + 2]
    c = q[i + 3]
    x = v[j]
    y = v[j + 1]
    z = v[j + 2]
    tx = 2.0 * (b * z - c * y)
    ty = 2.0 * (c * x - a * z)
    tz = 2.0 * (a * y - b * x)
    out[o] = x + w * tx + b * tz - c * ty
    out[o + 1] = y + w * ty + c * tx - a * tz
    out[o + 2] = z + w * tz + a * ty - b * tx


def _carry(out, o, pos, mat, i, v, j):
    """Write point o: point j of v, in the frame i of ``pos`` and ``mat``."""
    o *= 3
    j *= 3
    x = v[j]
    y = v[j + 1]
    z = v[j + 2]
    j = 3 * i
    i *= 9
    out[o] = pos[j] + mat[i] * x + mat[i + 1] * y + mat[i + 2] * z
    out[o + 1] = pos[j + 1] + mat[i + 3] * x + mat[i + 4] * y + mat[i + 5] * z
    out[o + 2] = pos[j + 2] + mat[i + 6] * x + mat[i + 7] * y + mat[i + 8] * z


def _matrix(out, o, q, i):
    """Write matrix o, row by row: that of the unit quaternion i of q."""
    o *= 9
    i *= 4
    w = q[i]
    x = q[i + 1]
    y = q[i + 2]
    z = q[i + 3]
    x2 = x + x
    y2 = y + y
    z2 = z + z
    xx = x * x2
    yy = y * y2
    zz = z * z2
    xy = x * y2
    xz = x * z2
    yz = y * z2
    wx = w * x2
    wy = w * y2
    wz = w * z2
    out[o] = 1.0 - (yy + zz)
    out[o + 1] = xy - wz
    out[o + 2] = xz + wy
    out[o + 3] = xy + wz
    out[o + 4] = 1.0 - (xx + zz)
    out[o + 5] = yz - wx
    out[o + 6] = xz - wy
    out[o + 7] = yz + wx
    out[o + 8] = 1.0 - (xx + yy)


def _turn_frame(out, o, mat, rot, i, turned, q, j, work):
    """Write matrix o: the frame i of ``mat`` and ``rot``, by quaternion j if turned."""
    if turned:
        _product(work, 0, rot, i, q, j)
        _matrix(out, o, work, 0)
    else:
        for e in range(9):
            out[9 * o + e] = mat[9 * i + e]
