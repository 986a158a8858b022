"""Test arms, and forward kinematics that shares no code with ikrig."""

from __future__ import annotations

import numpy as np

from ikrig import SphericalWristArm
from tests import reference

TURN = 2.0 * np.pi


def about(axis: str, angles) -> np.ndarray:
    """Matrices (..., 4, 4) of rotations about x, y or z."""
    c, s = np.cos(angles), np.sin(angles)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    result = np.zeros((*np.shape(angles), 4, 4))
    result[...] = np.eye(4)
    result[..., i, i] = result[..., j, j] = c
    result[..., i, j], result[..., j, i] = -s, s
    return result


def along(x: float, y: float, z: float) -> np.ndarray:
    result = np.eye(4)
    result[:3, 3] = x, y, z
    return result


# the tool's x is where the arm points and its z is forward
TOOL = np.array([[0, 0, 1, 0], [0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1.0]])


class Chain:
    """An arm of joints one after the other, by the matrices of its data sheet."""

    def __init__(
        self, *, a1=0.0, a2=0.0, b=0.0, c1, c2, c3, c4, signs=None, offsets=None
    ):
        self.measures = {"a1": a1, "a2": a2, "b": b, "c1": c1}
        self.measures |= {"c2": c2, "c3": c3, "c4": c4}
        self.signs = np.ones(6) if signs is None else np.asarray(signs)
        self.offsets = np.zeros(6) if offsets is None else np.asarray(offsets)
        self.size = sum(map(abs, self.measures.values()))

    def arm(self, **limits) -> SphericalWristArm:
        return SphericalWristArm.opw(
            **self.measures, signs=self.signs, offsets=self.offsets, **limits
        )

    def own(self, canonical) -> np.ndarray:
        """The joints' own angles of canonical ones."""
        return self.signs * (np.asarray(canonical) + self.offsets)

    def wrist(self, q) -> np.ndarray:
        """Pose of the wrist centre before its joints turn, (..., 4, 4)."""
        m = self.measures
        t = self.signs * q - self.offsets
        return (
            about("z", t[..., 0])
            @ along(m["a1"], m["b"], m["c1"])
            @ about("y", t[..., 1])
            @ along(0, 0, m["c2"])
            @ about("y", t[..., 2])
            @ along(m["a2"], 0, m["c3"])
        )

    def forward(self, q) -> tuple[np.ndarray, np.ndarray]:
        t = self.signs * q - self.offsets
        pose = (
            self.wrist(q)
            @ about("z", t[..., 3])
            @ about("y", t[..., 4])
            @ about("z", t[..., 5])
            @ along(0, 0, self.measures["c4"])
            @ TOOL
        )
        return pose[..., :3, 3], pose[..., :3, :3]

    def margins(self, q) -> np.ndarray:
        """How far shoulder, elbow and wrist are from singular, 0 to 1, (..., 3)."""
        m = self.measures
        t = self.signs * q - self.offsets
        wrist = self.wrist(q)[..., :2, 3]
        shoulder = (np.linalg.norm(wrist, axis=-1) - abs(m["b"])) / self.size
        elbow = np.sin(t[..., 2] + np.arctan2(m["a2"], m["c3"]))
        return np.abs(np.stack([shoulder, elbow, np.sin(t[..., 4])], axis=-1))


# the article's lengths 4, 6, 3, 4, 2, 1
ARTICLE = Chain(c1=4.0, c2=6.0, c3=7.0, c4=3.0)
# elbow and shoulder offsets, as most industrial arms have; counted in their own way
INDUSTRIAL = Chain(
    a1=0.15,
    a2=-0.11,
    c1=0.45,
    c2=0.61,
    c3=0.66,
    c4=0.1,
    signs=[1, 1, -1, -1, -1, -1],
    offsets=[0, 0, -np.pi / 2, 0, 0, np.pi],
)
# beside its shoulder, as the Puma is; both bones of one length
BESIDE = Chain(a2=-0.02, b=0.15, c1=0.67, c2=0.43, c3=np.hypot(0.4, 0.15), c4=0.06)
# elbow straight and folded to a point
EVEN = Chain(c1=0.3, c2=0.5, c3=0.5, c4=0.2)
CHAINS = {"article": ARTICLE, "industrial": INDUSTRIAL, "beside": BESIDE, "even": EVEN}


def random_chain(rng) -> Chain:
    """An arm of any measures, some of them 0."""
    offsets = rng.normal(scale=0.3, size=4) * rng.integers(0, 2, 4)
    return Chain(
        a1=offsets[0],
        a2=offsets[1],
        b=offsets[2],
        c1=offsets[3],
        c2=rng.uniform(0.2, 2.0),
        c3=rng.uniform(0.2, 2.0),
        c4=rng.uniform(0.0, 1.0),
        signs=rng.choice([-1.0, 1.0], 6),
        offsets=rng.uniform(-np.pi, np.pi, 6),
    )


def turned_lines(anchors, axes, tip, turn, q) -> tuple[np.ndarray, np.ndarray]:
    """Pose of the tool when each joint turns all that follows about its line."""
    place, rotation = np.eye(3), np.zeros(3)
    for anchor, axis, angle in zip(anchors, axes, q, strict=True):
        spin = reference.axis_angle(axis, angle)
        rotation = rotation + place @ (anchor - spin @ anchor)
        place = place @ spin
    return rotation + place @ tip, place @ turn


def errors(chain, rows, position, rotation) -> np.ndarray:
    """How far each row misses the pose: a share of the size, or in the matrix."""
    p, r = chain.forward(rows)
    places = np.linalg.norm(p - position, axis=-1) / chain.size
    return np.maximum(places, np.abs(r - rotation).max(axis=(-2, -1)))


def wrapped(angles) -> np.ndarray:
    """Angles put between -π and π."""
    return np.asarray(angles) - TURN * np.round(np.asarray(angles) / TURN)
