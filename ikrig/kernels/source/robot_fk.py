"""Forward kinematics of a tree of bodies, and its Jacobians: many poses in one call.

The results are MuJoCo's ``mj_kinematics`` and ``mj_jac``.
"""

import cython

if not cython.compiled:
    from .angles import cosine_sine
    from .buffers import doubles, ints, pin
    from .codes import BALL_JOINT, FREE_JOINT, HINGE_JOINT, SLIDE_JOINT
    from .joint_poses import set_poses, write_columns
    from .quat_ops import mul, unit
    from .vectors import between, copy, multiply, put, put4, rotated, three


class RobotKernel:
    """A tree of bodies and ``count`` poses of it.

    The joints in space are the nodes that move the bodies: the world, m mocap bodies,
    and the robot's j joints, whose kinds are 0 hinge, 1 slide, 2 ball, 3 free. Sizes
    for n bodies, of which 0 is the world, q coordinates and s sites. Of the tree whole
    numbers: parent (of nodes), kind, joint_qpos, joint_dof, joint_body j, carrier (the
    last node that moves a body), body (its own number) n, site_body s, and 0 where a
    quaternion is 1: node_turned (of nodes: before and after), body_turned,
    inertia_turned n, site_turned s. Numbers: offset 3 and
    before, after 4 of a node (its rotation is before ⊗ a quaternion of the pose ⊗
    after), axis 3 j, qpos0 q; body_pos (from the node, in the body's frame), body_ipos
    3 n, body_quat (in the start pose), body_iquat 4 n, site_pos 3 s, site_quat 4 s;
    quaternions and axes unit. Of each pose: qpos q, mocap_pos 3 m, mocap_quat 4 m;
    xpos, xipos 3 n, xquat 4 n, xmat, ximat 9 n, xanchor, xaxis 3 j, site_xpos 3 s,
    site_xmat 9 s. Scratch for one pose: local_pos, joint_pos 3 and q, rotations 4 of a
    node, cosine, sine j, work 4.
    """

    def __init__(self, sizes, tree, pose):
        """Store sizes (count, n, j, q, s, m, velocities) and the named buffers."""
        self.count, self.bodies, self.joints, self.coordinates = sizes[:4]
        self.sites, self.mocaps, self.dofs = sizes[4:]
        self.first = 1 + self.mocaps
        self.n = self.first + self.joints
        self._pinned = pin({**tree, **pose})
        self.parent = ints(tree["parent"])
        self.local_pos = doubles(pose["local_pos"])
        self.q = doubles(pose["q"])
        self.rotations = doubles(pose["rotations"])
        self.joint_pos = doubles(pose["joint_pos"])
        self.kind = ints(tree["kind"])
        self.joint_qpos = ints(tree["joint_qpos"])
        self.joint_dof = ints(tree["joint_dof"])
        self.joint_body = ints(tree["joint_body"])
        self.carrier = ints(tree["carrier"])
        self.body = ints(tree["body"])
        self.site_body = ints(tree["site_body"])
        self.node_turned = ints(tree["node_turned"])
        self.body_turned = ints(tree["body_turned"])
        self.inertia_turned = ints(tree["inertia_turned"])
        self.site_turned = ints(tree["site_turned"])
        self.offset = doubles(tree["offset"])
        self.before = doubles(tree["before"])
        self.after = doubles(tree["after"])
        self.axis = doubles(tree["axis"])
        self.qpos0 = doubles(tree["qpos0"])
        self.body_pos = doubles(tree["body_pos"])
        self.body_quat = doubles(tree["body_quat"])
        self.body_ipos = doubles(tree["body_ipos"])
        self.body_iquat = doubles(tree["body_iquat"])
        self.site_pos = doubles(tree["site_pos"])
        self.site_quat = doubles(tree["site_quat"])
        self.qpos = doubles(pose["qpos"])
        self.mocap_pos = doubles(pose["mocap_pos"])
        self.mocap_quat = doubles(pose["mocap_quat"])
        self.xpos = doubles(pose["xpos"])
        self.xquat = doubles(pose["xquat"])
        self.xmat = doubles(pose["xmat"])
        self.xanchor = doubles(pose["xanchor"])
        self.xaxis = doubles(pose["xaxis"])
        self.xipos = doubles(pose["xipos"])
        self.ximat = doubles(pose["ximat"])
        self.site_xpos = doubles(pose["site_xpos"])
        self.site_xmat = doubles(pose["site_xmat"])
        self.cosine = doubles(pose["cosine"])
        self.sine = doubles(pose["sine"])
        self.work = doubles(pose["work"])
        for i in range(self.n):
            copy(self.local_pos, 3 * i, self.offset, 3 * i, 3)
            put4(self.q, 4 * i, 1.0, 0.0, 0.0, 0.0)

    def forward(self):
        """Set every body, joint, centre of mass and site of every pose from qpos."""
        for k in range(self.count):
            self.set_nodes(k)
            set_poses(
                self.n, self.parent, self.local_pos, self.q, self.rotations,
                self.joint_pos,
            )  # fmt: skip
            self.set_joints(k)
            self.set_carried(k)

    def set_nodes(self, k):
        """Set the rotations of pose k's nodes and the positions of sliding ones."""
        qpos = self.qpos
        q = self.q
        at = self.local_pos
        cosine = self.cosine
        sine = self.sine
        start = k * self.coordinates
        for j in range(self.joints):
            v = self.joint_qpos[j]
            cosine[j] = 0.5 * (qpos[start + v] - self.qpos0[v])
        cosine_sine(cosine, sine, self.joints)
        for m in range(self.mocaps):
            i = k * self.mocaps + m
            copy(at, 3 + 3 * m, self.mocap_pos, 3 * i, 3)
            self.set_rotation(1 + m, self.mocap_quat, 4 * i)
        for j in range(self.joints):
            v = self.joint_qpos[j]
            node = self.first + j
            i = 3 * node
            if self.kind[j] == HINGE_JOINT:
                o = 4 * node
                q[o] = cosine[j]
                for e in range(3):
                    q[o + 1 + e] = sine[j] * self.axis[3 * j + e]
            elif self.kind[j] == SLIDE_JOINT:
                s = qpos[start + v] - self.qpos0[v]
                for e in range(3):
                    at[i + e] = self.offset[i + e] + s * self.axis[3 * j + e]
            elif self.kind[j] == BALL_JOINT:
                self.set_rotation(node, qpos, start + v)
            else:
                copy(at, i, qpos, start + v, 3)
                self.set_rotation(node, qpos, start + v + 3)

    def set_rotation(self, node, quat, i):
        """Set a node's rotation from the start pose to the quaternion at i."""
        o = 4 * node
        unit(self.q, o, quat, i)
        if not self.node_turned[node]:
            return
        mul(self.q, o, self.before, o, self.q, o)
        mul(self.q, o, self.q, o, self.after, o)

    def set_joints(self, k):
        """Set axes and anchors of pose k: where joints are before they slide."""
        axes = self.xaxis
        anchors = self.xanchor
        axis = self.axis
        rot = self.rotations
        o = k * self.joints
        for j in range(self.joints):
            i = 3 * (o + j)
            p = self.parent[self.first + j]
            x, y, z = three(axis, 3 * j)
            if p >= 0:
                x, y, z = rotated(rot, 4 * p, x, y, z)
            put(axes, i, x, y, z)
            copy(anchors, i, self.joint_pos, 3 * (self.first + j), 3)
            if self.kind[j] == SLIDE_JOINT:
                v = self.joint_qpos[j]
                s = self.qpos[k * self.coordinates + v] - self.qpos0[v]
                for e in range(3):
                    anchors[i + e] -= s * axes[i + e]

    def set_carried(self, k):
        """Set the bodies, centres of mass and sites of pose k."""
        o = k * self.bodies
        rot = self.rotations
        xquat = self.xquat
        for b in range(self.bodies):
            c = o + b
            p = self.carrier[b]
            if self.body_turned[b]:
                multiply(xquat, 4 * c, rot, 4 * p, self.body_quat, 4 * b)
            else:
                copy(xquat, 4 * c, rot, 4 * p, 4)
            write_matrix(self.xmat, 9 * c, xquat, 4 * c)
            carry(
                self.xpos, 3 * c, self.joint_pos, 3 * p, self.xmat, 9 * c,
                self.body_pos, 3 * b,
            )  # fmt: skip
        self.set_frames(
            o, self.bodies, self.body, self.body_ipos, self.body_iquat,
            self.inertia_turned, self.xipos, self.ximat, o,
        )  # fmt: skip
        self.set_frames(
            o, self.sites, self.site_body, self.site_pos, self.site_quat,
            self.site_turned, self.site_xpos, self.site_xmat, k * self.sites,
        )  # fmt: skip

    def set_frames(self, first, n, body, pos, quat, turned, out, mat, o):
        """Write n frames from frame o on, each fixed to body ``first + body``."""
        xmat = self.xmat
        work = self.work
        for s in range(n):
            b = first + body[s]
            carry(out, 3 * (o + s), self.xpos, 3 * b, xmat, 9 * b, pos, 3 * s)
            if turned[s]:
                multiply(work, 0, self.xquat, 4 * b, quat, 4 * s)
                write_matrix(mat, 9 * (o + s), work, 0)
            else:
                copy(mat, 9 * (o + s), xmat, 9 * b, 9)

    def jacobian(self, body, points, out):
        """Write the velocity of points on a body per joint velocity, for every pose.

        Args:
            body: The body that carries the points.
            points: A point for each pose, 3 count [scene unit], world space.
            out: 6 rows of one number per velocity for each pose: three of the point's
                velocity, three of the body's angular velocity.
        """
        nv = self.dofs
        base = 1 + self.mocaps
        p = doubles(points)
        r = doubles(out)
        for k in range(self.count):
            first = 6 * k * nv
            for e in range(first, first + 6 * nv):
                r[e] = 0.0
            j = self.carrier[body] - base
            while j >= 0:
                self.set_joint_columns(k, j, p, r, first + self.joint_dof[j])
                j = self.parent[base + j] - base

    def set_joint_columns(self, k, j, points, out, o):
        """Write the columns of joint j in pose k; the first starts at o."""
        nv = self.dofs
        a = 3 * (k * self.joints + j)
        kind = self.kind[j]
        axis = self.xaxis
        i = a
        part = 1
        n = 1
        if kind in (BALL_JOINT, FREE_JOINT):
            if kind == FREE_JOINT:
                # the world's axes first
                for e in range(3):
                    out[o + e * nv + e] = 1.0
                o += 3
            # a ball is the last to turn its body: its axes are the body's own
            axis = self.xmat
            i = 9 * (k * self.bodies + self.joint_body[j])
            part = n = 3
        x, y, z = between(self.xanchor, a, points, 3 * k)
        write_columns(
            out, o, nv, 1, axis, i, part, 1, n, kind == SLIDE_JOINT, x, y, z, 1.0, 1.0
        )


def carry(out, o, pos, i, mat, m, v, j):
    """Write a point: that at ``v[j]``, from ``pos[i]`` on in the frame ``mat[m]``."""
    x, y, z = three(v, j)
    out[o] = pos[i] + mat[m] * x + mat[m + 1] * y + mat[m + 2] * z
    out[o + 1] = pos[i + 1] + mat[m + 3] * x + mat[m + 4] * y + mat[m + 5] * z
    out[o + 2] = pos[i + 2] + mat[m + 6] * x + mat[m + 7] * y + mat[m + 8] * z


def write_matrix(out, o, q, i):
    """Write the matrix of the unit quaternion at ``q[i]``, row by row."""
    w, x, y, z = q[i], q[i + 1], q[i + 2], q[i + 3]
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    put(out, o, 1.0 - (yy + zz), xy - wz, xz + wy)
    put(out, o + 3, xy + wz, 1.0 - (xx + zz), yz - wx)
    put(out, o + 6, xz - wy, yz + wx, 1.0 - (xx + yy))
