"""Synthetic bodies: people and animals with joints, skin and any names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ikrig.character.figure import Figure
from ikrig.character.limb import Limb

Point = tuple[float, float, float]


@dataclass
class Body:
    """Joints by the names that this file gives them, such as "hand.L".

    Args:
        joints: Parent and place of each, parents first.
        ends: Where the bones of joints without children end.
        bare: Joints that move no skin.
    """

    joints: dict[str, tuple[str | None, Point]] = field(default_factory=dict)
    ends: dict[str, Point] = field(default_factory=dict)
    bare: set[str] = field(default_factory=set)

    def add(
        self, name: str, parent: str | None, *place: float, bare: bool = False
    ) -> None:
        """Add a joint, both sides of it where its name ends in ".S"."""
        x, y, z = place
        if not name.endswith(".S"):
            self.joints[name] = parent, (x, y, z)
            self.bare |= {name} if bare else set()
            return
        for side, sign in (("L", 1.0), ("R", -1.0)):
            own = name[:-1] + side
            above = parent and (parent[:-1] + side if parent.endswith(".S") else parent)
            self.joints[own] = above, (sign * x, y, z)
            self.bare |= {own} if bare else set()

    def end(self, name: str, *place: float) -> None:
        """Set where the bone of a joint without children ends."""
        x, y, z = place
        if name.endswith(".S"):
            self.ends[name[:-1] + "L"] = x, y, z
            self.ends[name[:-1] + "R"] = -x, y, z
        else:
            self.ends[name] = x, y, z

    def insert(self, name: str, above: str, below: str) -> None:
        """Add a joint half way between another one and one that hangs on it."""
        _, start = self.joints[above]
        _, end = self.joints[below]
        (x, y, z) = ((a + b) / 2.0 for a, b in zip(start, end, strict=True))
        joints: dict[str, tuple[str | None, Point]] = {}
        for joint, (parent, place) in self.joints.items():
            if joint == below:
                joints[name] = above, (x, y, z)
                parent = name
            joints[joint] = parent, place
        self.joints = joints

    def remove(self, *names: str) -> Body:
        """Remove joints; what hangs on one hangs on the next one above."""
        for name in names:
            for own in (name,) if name in self.joints else (name + ".L", name + ".R"):
                above, _ = self.joints.pop(own)
                self.ends.pop(own, None)
                for joint, (parent, place) in self.joints.items():
                    if parent == own:
                        self.joints[joint] = above, place
        return self

    def figure(
        self,
        rename: Callable[[str], str] = str,
        matrix: object = None,
        skin: bool = True,
    ) -> Figure:
        """Return it as a figure with other names, turned or scaled by a matrix."""
        mat = np.eye(3) if matrix is None else np.asarray(matrix, dtype=float)
        parents = {
            rename(joint): parent and rename(parent)
            for joint, (parent, _) in self.joints.items()
        }
        places = {
            rename(joint): mat @ np.array(place)
            for joint, (_, place) in self.joints.items()
        }
        points = {
            rename(joint): self._skin(joint) @ mat.T
            for joint in self.joints
            if joint not in self.bare
        }
        return Figure(parents, places, points if skin else None)

    def _skin(self, joint: str) -> np.ndarray:
        """Return rings around a joint's bones, as a mesh has them."""
        place = np.array(self.joints[joint][1])
        ends = [
            np.array(there)
            for child, (parent, there) in self.joints.items()
            if parent == joint and child not in self.bare
        ]
        if joint in self.ends:
            ends.append(np.array(self.ends[joint]))
        rings = []
        for end in ends or [place + np.array((0.0, 0.0, 0.02))]:
            bone = end - place
            radius = 0.12 * float(np.linalg.norm(bone)) + 1e-3
            across = np.cross(bone, (0.31, 0.52, 0.79))
            across /= np.linalg.norm(across) + 1e-12
            other = np.cross(bone, across) / (np.linalg.norm(bone) + 1e-12)
            for along in (0.1, 0.5, 0.9, 1.0):
                for angle in np.arange(6) * np.pi / 3.0:
                    aside = np.cos(angle) * across + np.sin(angle) * other
                    rings.append(place + along * bone + radius * aside)
        return np.array(rings)


def drawn(*joints: tuple, ends: dict[str, tuple] | None = None) -> Figure:
    """Joints as name, parent, place; the skin of each is its own place.

    Those with an end have skin from there on to the end.
    """
    parents = {name: parent for name, parent, _ in joints}
    places = {name: np.array(place, float) for name, _, place in joints}
    skin = {name: place[None] + 1e-3 * np.eye(3) for name, place in places.items()}
    for name in skin:
        skin[name] = np.vstack([skin[name], 2.0 * places[name] - skin[name]])
    for name, end in (ends or {}).items():
        way = np.linspace(0.0, 1.0, 41)[:, None]
        skin[name] = places[name] + way * (np.array(end, float) - places[name])
    return Figure(parents, places, skin)


def person() -> Body:
    """A person with arms held out who faces -y, 1.8 high."""
    body = Body()
    body.add("hips", None, 0, 0, 1.0)
    body.add("spine", "hips", 0, 0.01, 1.12)
    body.add("chest", "spine", 0, 0.01, 1.28)
    body.add("neck", "chest", 0, 0.02, 1.5)
    body.add("head", "neck", 0, 0.0, 1.58)
    body.end("head", 0, -0.02, 1.8)
    body.add("eye.S", "head", 0.03, -0.08, 1.66)
    body.end("eye.S", 0.03, -0.1, 1.66)
    body.add("clavicle.S", "chest", 0.03, 0, 1.44)
    body.add("upperarm.S", "clavicle.S", 0.18, 0.02, 1.44)
    body.add("forearm.S", "upperarm.S", 0.46, 0.03, 1.44)
    body.add("hand.S", "forearm.S", 0.71, 0.02, 1.44)
    body.add("thumb1.S", "hand.S", 0.74, -0.03, 1.43)
    body.end("thumb1.S", 0.77, -0.06, 1.42)
    body.add("index1.S", "hand.S", 0.8, -0.02, 1.44)
    body.add("index2.S", "index1.S", 0.83, -0.02, 1.44)
    body.end("index2.S", 0.86, -0.02, 1.44)
    body.add("middle1.S", "hand.S", 0.8, 0.02, 1.44)
    body.end("middle1.S", 0.86, 0.02, 1.44)
    body.add("thigh.S", "hips", 0.09, 0, 0.94)
    body.add("shin.S", "thigh.S", 0.1, -0.01, 0.5)
    body.add("foot.S", "shin.S", 0.1, 0.03, 0.09)
    body.add("toe.S", "foot.S", 0.11, -0.1, 0.02)
    body.end("toe.S", 0.11, -0.17, 0.02)
    return body


def animal() -> Body:
    """An animal that stands on its toes and looks to -y."""
    body = Body()
    body.add("hips", None, 0, 0.5, 0.8)
    body.add("spine", "hips", 0, 0.2, 0.84)
    body.add("chest", "spine", 0, -0.2, 0.84)
    body.add("neck", "chest", 0, -0.4, 0.9)
    body.add("head", "neck", 0, -0.6, 1.1)
    body.end("head", 0, -0.85, 1.05)
    body.add("tail1", "hips", 0, 0.6, 0.8)
    body.add("tail2", "tail1", 0, 0.75, 0.7)
    body.add("tail3", "tail2", 0, 0.85, 0.6)
    body.end("tail3", 0, 0.95, 0.5)
    body.add("pelvis.S", "hips", 0.03, 0.5, 0.79)
    body.add("thigh.S", "pelvis.S", 0.12, 0.5, 0.74)
    body.add("shin.S", "thigh.S", 0.13, 0.36, 0.5)
    body.add("hock.S", "shin.S", 0.13, 0.56, 0.3)
    body.add("paw.S", "hock.S", 0.13, 0.5, 0.04)
    body.end("paw.S", 0.13, 0.4, 0.02)
    body.add("upper.S", "chest", 0.12, -0.25, 0.72)
    body.add("lower.S", "upper.S", 0.13, -0.2, 0.4)
    body.add("hand.S", "lower.S", 0.13, -0.25, 0.06)
    body.end("hand.S", 0.13, -0.33, 0.02)
    return body


def named(
    names: Mapping[str, str], sides: tuple[str, str] = ("L", "R")
) -> Callable[[str], str]:
    """Return a function that gives other names; "@" in them is for the side."""

    def rename(joint: str) -> str:
        stem, _, side = joint.partition(".")
        token = sides[0] if side == "L" else sides[1]
        return names.get(stem, stem + ("@" if side else "")).replace("@", token)

    return rename


def names(text: str, sides: tuple[str, str] = ("L", "R")) -> Callable[[str], str]:
    """Return a function that gives the names of a text: "hips Becken; neck Hals"."""
    pairs = (entry.split(maxsplit=1) for entry in text.split(";"))
    return named({stem: " ".join(name.split()) for stem, name in pairs}, sides)


def with_sides(give: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that gives names to stems, and keeps the sides."""

    def rename(joint: str) -> str:
        stem, dot, side = joint.partition(".")
        return give(stem) + dot + side

    return rename


def numbered(text: str = "Bone.{:03d}") -> Callable[[str], str]:
    """Return a function that gives names that say nothing."""
    known: dict[str, str] = {}

    def rename(joint: str) -> str:
        return known.setdefault(joint, text.format(len(known)))

    return rename


def check_limbs(
    limbs: Iterable[Limb], rename: Callable[[str], str], wanted: Mapping[str, str]
) -> None:
    """Check that these limbs of both sides were found, and a head, and no others.

    Args:
        limbs: Those that were found.
        rename: Gives the names of the figure.
        wanted: Joints of each limb that bend, by what follows the side in its name.
    """
    bending = {
        limb.name: [joint for joint in limb.joints if joint not in limb.rigid]
        for limb in limbs
    }
    expected = {
        f"{side}_{name}": [rename(f"{joint}.{token}") for joint in joints.split()]
        for side, token in (("left", "L"), ("right", "R"))
        for name, joints in wanted.items()
    }
    assert bending == {**expected, "head": [rename("neck"), rename("head")]}


PERSONS_LIMBS = {"hand": "upperarm forearm hand", "foot": "thigh shin foot"}
