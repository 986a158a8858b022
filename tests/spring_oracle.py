"""VRMC_springBone 1.0, its colliders and limits, as its pseudocode has them.

Column vectors and float64, one joint after the other, 60 times a second:
https://github.com/vrm-c/vrm-specification.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

DT = 1.0 / 60.0


def unit(v):
    return v / np.sqrt(v @ v)


def cross(a, b):
    (ax, ay, az), (bx, by, bz) = a, b
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def moved(m, p):
    return m[:3, :3] @ p + m[:3, 3]


def from_to(a, b):
    """The smallest rotation from one unit vector to another; a half turn is about x."""
    c = a @ b
    if c < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    x, y, z = cross(a, b)
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + skew + skew @ skew / (1.0 + c)


@dataclass
class Body:
    node: int
    kind: str
    offset: np.ndarray
    end: np.ndarray
    radius: float


@dataclass
class Joint:
    node: int
    child: int
    stiffness: float
    gravity: np.ndarray
    drag: float
    hit: float
    bodies: list
    center: int = -1
    limit: tuple = ()
    state: list = field(default_factory=list)


class Scene:
    """Nodes with parents before children; ``local`` is each one's rest matrix."""

    def __init__(self, parents, local):
        self.parents = parents
        self.rest = [np.array(m, float) for m in local]
        self.local = [m.copy() for m in self.rest]
        self.joints = []
        self.root = np.eye(4)
        self.nets = {}
        self.below = [{j} for j in range(len(self.parents))]
        for j in reversed(range(len(self.parents))):
            if self.parents[j] >= 0:
                self.below[self.parents[j]] |= self.below[j]

    def world(self, j):
        if j < 0:
            return self.root
        if j not in self.nets:
            self.nets[j] = self.world(self.parents[j]) @ self.local[j]
        return self.nets[j]

    def start(self):
        self.nets.clear()
        for joint in self.joints:
            tail = self.world(joint.child)[:3, 3]
            center = self.center(joint)
            joint.axis = unit(self.tail(joint))
            head = self.world(joint.node)[:3, 3]
            joint.length = np.linalg.norm(tail - head)
            inside = moved(np.linalg.inv(center), tail)
            joint.state = [inside.copy(), inside.copy()]

    def tail(self, joint):
        """The child's position in the joint's own space at rest."""
        m, j = np.eye(4), joint.child
        while j != joint.node:
            m = self.rest[j] @ m
            j = self.parents[j]
        return m[:3, 3]

    def center(self, joint):
        return self.world(joint.center) if joint.center >= 0 else np.eye(4)

    def update(self):
        self.nets.clear()
        for joint in self.joints:
            self.swing(joint)
            # what hangs from it has moved
            for j in self.below[joint.node] & self.nets.keys():
                del self.nets[j]

    def swing(self, joint):
        j = joint.node
        above = self.world(self.parents[j])
        rest = above @ self.rest[j]
        head, turn = rest[:3, 3], rest[:3, :3]
        # the pose's matrices have single precision
        turn = turn / np.sqrt((turn * turn).sum(axis=0))
        center = self.center(joint)
        prev, current = (moved(center, p) for p in joint.state)
        inertia = (current - prev) * (1.0 - joint.drag)
        stiffness = DT * (turn @ joint.axis) * joint.stiffness
        external = DT * joint.gravity
        tail = current + inertia + stiffness + external
        tail = self.limited(joint, turn, head, tail)
        for body in joint.bodies:
            direction, distance = self.hit(body, tail, joint.hit)
            if distance < 0.0:
                tail = tail - direction * distance
                tail = self.limited(joint, turn, head, tail)
        back = np.linalg.inv(center)
        joint.state = [moved(back, p) for p in (current, tail)]
        to = unit(moved(np.linalg.inv(rest), tail))
        local = self.rest[j].copy()
        local[:3, :3] = local[:3, :3] @ from_to(joint.axis, to)
        self.local[j] = local

    def hit(self, body, tail, radius):
        m = self.world(body.node)
        offset = moved(m, body.offset)
        delta = tail - offset
        if body.kind == "plane":
            normal = unit(np.linalg.inv(m[:3, :3]).T @ body.end)
            return normal, delta @ normal - radius
        if "capsule" in body.kind:
            line = moved(m, body.end) - offset
            dot = line @ delta
            if dot > line @ line:
                delta = delta - line
            elif dot > 0.0:
                delta = delta - line * dot / (line @ line)
        far = np.linalg.norm(delta)
        if "inside" in body.kind:
            return -delta / far, body.radius - radius - far
        return delta / far, far - body.radius - radius

    def limited(self, joint, turn, head, tail):
        d = unit(tail - head)
        if joint.limit:
            kind, *angles, rotation = joint.limit
            y = np.array([0.0, 1.0, 0.0])
            frame = turn @ from_to(y, joint.axis) @ rotation
            d = frame @ LIMITS[kind](*(frame.T @ d), *angles)
        return head + joint.length * d


def cone(x, y, z, angle):
    if y >= np.cos(angle):
        return np.array([x, y, z])
    side = np.hypot(x, z)
    x, z = (x / side, z / side) if side > 1e-12 else (0.0, 1.0)
    return np.array([x * np.sin(angle), np.cos(angle), z * np.sin(angle)])


def hinge(x, y, z, angle):
    turn = np.arctan2(z, y) if np.hypot(y, z) > 1e-12 else 0.0
    turn = np.clip(abs(turn) if abs(turn) == np.pi else turn, -angle, angle)
    return np.array([0.0, np.cos(turn), np.sin(turn)])


def spherical(x, y, z, phi, theta):
    pitch = np.arctan2(z, y) if np.hypot(y, z) > 1e-12 else 0.0
    pitch = np.clip(abs(pitch) if abs(pitch) == np.pi else pitch, -phi, phi)
    yaw = np.clip(np.arcsin(np.clip(x, -1.0, 1.0)), -theta, theta)
    flat = np.cos(yaw)
    return np.array([np.sin(yaw), flat * np.cos(pitch), flat * np.sin(pitch)])


LIMITS = {"cone": cone, "hinge": hinge, "spherical": spherical}
