"""Springs and gaze of VRM avatars, from the JSON of their glTF files.

VRM 1.0: VRMC_springBone with VRMC_springBone_extended_collider and
VRMC_springBone_limit, lookAt of VRMC_vrm; VRM 0.x: secondaryAnimation, firstPerson.
Source: https://github.com/vrm-c/vrm-specification.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from itertools import pairwise
from math import isfinite, pi, radians
from typing import Any

import numpy as np

from ..errors import BindError, IkrigError, shown
from ..math3d.quaternion import Floats, to_matrix
from ..model.springs import Collider, Spring, SpringLimit

Json = Mapping[str, Any]  # as the JSON reader makes it

WRONG = (KeyError, TypeError, ValueError, IndexError, AttributeError)
"""What a broken file raises."""
LAST_BONE = 0.07
"""Length of the bone of a last joint in VRM 0.x [m]."""
MOST = 10_000
"""Maximum number of springs and of colliders."""


def read_springs(data: Json) -> Json:
    """Return springs and colliders of a file as plain values, {} if it has none.

    They are in the axes of an engine whose z is up: (x, -z, y) of the file's. What
    ``springs_of`` does not understand is left to it to report.
    """
    nodes = data.get("nodes", [])
    extensions = data.get("extensions", {})
    with suppress(*WRONG):
        if "VRMC_springBone" in extensions:
            return _Reader(nodes).read_1(extensions["VRMC_springBone"])
        return _Reader(nodes).read_0(extensions["VRM"]["secondaryAnimation"])
    return {}


def springs_of(
    values: Json, joints: Collection[str]
) -> tuple[dict[str, Spring], dict[str, Collider]]:
    """Return springs and colliders from the values of ``read_springs``."""
    springs, colliders = {}, {}
    name = ""
    try:
        for name, body in values.get("colliders", {}).items():
            if body["joint"] in joints:
                colliders[name] = Collider(**body)
        for name, spring in values.get("springs", {}).items():
            own = dict(spring)
            limits = own.pop("limits", {})
            known = [joint in joints for joint in own["joints"]]
            if not all(known):
                continue
            if own.get("center") not in joints:
                own.pop("center", None)
            own["colliders"] = [x for x in own["colliders"] if x in colliders]
            own["limits"] = {x: SpringLimit(**limit) for x, limit in limits.items()}
            springs[name] = Spring(**own)
    except IkrigError as error:
        raise BindError(f"{name!r} in the model's file: {error}") from None
    except WRONG:
        raise BindError(f"{name!r} in the model's file is no spring") from None
    return springs, colliders


def read_gaze(data: Json) -> Json:
    """Return the gaze of a file as plain values, {} if it has none.

    ``gaze`` has the ``offset`` of the eyes from the head's joint, in the axes of
    ``read_springs``, and where joints are the eyes their ``range``: the largest angles
    to the left, right, up and down [rad]. A file has two of them to each side, as one
    eye looks inwards; this is the smaller one.
    """
    found: dict[str, object] = {}
    extensions = data.get("extensions", {})
    with suppress(*WRONG):
        own = extensions.get("VRMC_vrm", {}).get("lookAt")
        words, key, kind = ("rangeMap{}", "outputScale", "type")
        if own is None:
            own = extensions["VRM"]["firstPerson"]
            words, key, kind = ("lookAt{}", "yRange", "lookAtTypeName")
            x, y, z = (own.get("firstPersonBoneOffset", {}).get(c, 0.0) for c in "xyz")
            # written with the z axis of Unity, which points the other way
            found["offset"] = _turned((x, y, -z))
        elif "offsetFromHeadBone" in own:
            found["offset"] = _turned(own["offsetFromHeadBone"])
        if str(own.get(kind, "bone")).lower() == "bone":
            inner, outer, up, down = (
                radians(float(own[words.format(word)][key]))
                for word in (
                    "HorizontalInner", "HorizontalOuter", "VerticalUp", "VerticalDown"
                )
            )  # fmt: skip
            aside = min(inner, outer)
            found["range"] = [aside, aside, up, down]
    return {"gaze": found} if found else {}


def gaze_of(values: Json) -> dict[str, tuple[float, ...]]:
    """Return ``offset`` and ``range`` of the values of ``read_gaze``, if it has them.

    What is not finite or out of range is left out.
    """
    found: dict[str, tuple[float, ...]] = {}
    with suppress(*WRONG):
        for name, size in (("offset", 3), ("range", 4)):
            numbers = tuple(map(float, values["gaze"].get(name, ())))
            far = name == "range" and not all(0.0 <= x <= 0.5 * pi for x in numbers)
            if len(numbers) == size and all(map(isfinite, numbers)) and not far:
                found[name] = numbers
    return found


def text_of(values: Mapping[str, object]) -> str:
    """Return the values of ``read_springs`` as a text, such as for a tag of a node."""
    return json.dumps(values)


def values_in(text: str) -> dict[str, object]:
    """Return the values of a text; {} if it has none."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


class _Reader:
    """Reads springs of nodes.

    Args:
        nodes: The nodes of a glTF file.
    """

    def __init__(self, nodes: list[Json]) -> None:
        self._nodes = nodes
        self._parents = {
            child: k
            for k, node in enumerate(nodes)
            for child in node.get("children", ())
        }
        self._springs: dict[str, object] = {}
        self._colliders: dict[str, object] = {}

    def read_1(self, found: Json) -> Json:
        for k, body in enumerate(found.get("colliders", [])[:MOST]):
            self._colliders[f"collider {k}"] = self._collider(body)
        groups = found.get("colliderGroups", [])
        for spring in found.get("springs", [])[:MOST]:
            joints = spring["joints"]
            line = [int(joint["node"]) for joint in joints]
            own = joints[:-1]
            if not own:
                continue
            touched = [
                f"collider {c}"
                for g in spring.get("colliderGroups", ())
                for c in groups[g]["colliders"]
            ]
            values: dict[str, object] = {
                "joints": [self._name(node) for node in line[:-1]],
                "ends": [self._offset(a, b) for a, b in pairwise(line)],
                "colliders": list(dict.fromkeys(touched)),
            }
            for key, word, usual in SETTINGS:
                values[key] = [joint.get(word, usual) for joint in own]
            values["gravity_dir"] = [
                _turned(joint.get("gravityDir", (0.0, -1.0, 0.0))) for joint in own
            ]
            if spring.get("center", -1) >= 0:
                values["center"] = self._name(spring["center"])
            values["limits"] = {
                self._name(joint["node"]): limit
                for joint in own
                if (limit := _limit(joint) or _limit(spring))
            }
            self._add(spring.get("name"), values)
        return {"springs": self._springs, "colliders": self._colliders}

    def read_0(self, found: Json) -> Json:
        for g, group in enumerate(found.get("colliderGroups", [])):
            for k, body in enumerate(group.get("colliders", [])[:MOST]):
                x, y, z = (body.get("offset", {}).get(c, 0.0) for c in "xyz")
                # written with the z axis of Unity, which points the other way
                self._colliders[f"collider {g}.{k}"] = {
                    "joint": self._name(group["node"]),
                    "offset": _turned((x, y, -z)),
                    "radius": body.get("radius", 0.0),
                }
        for group in found.get("boneGroups", []):
            pull = group.get("gravityDir", {"y": -1.0})
            values: dict[str, object] = {
                # as the specification spells it
                "stiffness": group.get("stiffiness", 1.0),
                "gravity_power": group.get("gravityPower", 0.0),
                "gravity_dir": _turned([pull.get(c, 0.0) for c in "xyz"]),
                "drag_force": group.get("dragForce", 0.4),
                "hit_radius": group.get("hitRadius", 0.02),
            }
            if group.get("center", -1) >= 0:
                values["center"] = self._name(group["center"])
            values["colliders"] = [
                name
                for g in group.get("colliderGroups", ())
                for name in self._colliders
                if name.startswith(f"collider {g}.")
            ]
            roots = list(dict.fromkeys(group.get("bones", ())))
            for root in roots:
                # below another one of the group it is part of that
                if not any(above in roots for above in self._above(root)):
                    self._add_chains(root, values)
        return {"springs": self._springs, "colliders": self._colliders}

    def _add_chains(self, root: int, values: Mapping[str, object]) -> None:
        """Add the springs below a joint: on to the first child, the others beside."""
        starts = [root]
        while starts:
            line = [starts.pop(0)]
            while below := [
                k
                for k in self._nodes[line[-1]].get("children", ())
                if "mesh" not in self._nodes[k] and k not in line
            ]:
                starts += below[1:]
                line.append(below[0])
            ends = [self._offset(a, b) for a, b in pairwise(line)]
            # on from the joint above, in the last one's own space
            along = ends[-1] if ends else self._offset(self._parents[root], root)
            x, y, z = along
            turn = _matrix(self._nodes[line[-1]])[:3, :3]
            own = np.linalg.inv(turn) @ (x, z, -y)
            size = float(np.linalg.norm(own))
            last = _turned(LAST_BONE / size * own) if size > 0.0 else along
            names = [self._name(node) for node in line]
            self._add(None, {**values, "joints": names, "ends": [*ends, last]})

    def _add(self, name: object, values: Json) -> None:
        own = name if isinstance(name, str) and name else values["joints"][0]
        count = 1
        found = own
        while found in self._springs:
            count += 1
            found = f"{own} {count}"
        if len(self._springs) < MOST:
            self._springs[found] = dict(values)

    def _collider(self, body: Json) -> Json:
        """Return the values of a collider; an extended shape replaces the plain one."""
        more = body.get("extensions", {}).get("VRMC_springBone_extended_collider", {})
        ((kind, shape),) = (more.get("shape") or body["shape"]).items()
        values: dict[str, object] = {"joint": self._name(body["node"])}
        values["offset"] = _turned(shape.get("offset", (0.0, 0.0, 0.0)))
        if kind == "plane":
            return {**values, "normal": _turned(shape.get("normal", (0.0, 0.0, 1.0)))}
        if kind == "capsule":
            values["tail"] = _turned(shape.get("tail", (0.0, 0.0, 0.0)))
        values["radius"] = shape.get("radius", 0.0)
        return {**values, "inside": bool(shape.get("inside", False))}

    def _name(self, node: int) -> str:
        """Return the name that panda3d-gltf gives a node's joint."""
        return str(self._nodes[int(node)].get("name", f"bone{node}"))

    def _above(self, node: int) -> list[int]:
        found: list[int] = []
        while node in self._parents and node not in found:
            node = self._parents[node]
            found.append(node)
        return found

    def _offset(self, above: int, node: int) -> list[float]:
        line = [node]
        while line[-1] != above:
            # a KeyError where it is not below
            line.append(self._parents[line[-1]])
            if len(line) > len(self._nodes):
                raise ValueError(shown(line))
        x, y, z = 0.0, 0.0, 0.0
        for k in line[:-1]:
            x, y, z = _matrix(self._nodes[k])[:3] @ (x, y, z, 1.0)
        return _turned((x, y, z))


SETTINGS = (
    ("stiffness", "stiffness", 1.0),
    ("gravity_power", "gravityPower", 0.0),
    ("drag_force", "dragForce", 0.5),
    ("hit_radius", "hitRadius", 0.0),
)
"""Numbers of a joint: in a Spring, in VRM 1.0, and their defaults there."""


def _turned(vector: Iterable[float]) -> list[float]:
    x, y, z = (float(number) for number in vector)
    return [x, -z, y]


def _matrix(node: Json) -> Floats:
    if "matrix" in node:
        return np.asarray(np.reshape(node["matrix"], (4, 4)).T)
    found = np.identity(4)
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    found[:3, :3] = to_matrix((w, x, y, z)) * node.get("scale", (1.0, 1.0, 1.0))
    found[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return found


def _limit(part: Json) -> Json:
    """Return the arguments of the SpringLimit of a joint or spring; {}: none."""
    found = part.get("extensions", {}).get("VRMC_springBone_limit", {})
    found = found.get("limit", found)
    for kind in ("cone", "hinge", "spherical"):
        if kind in found:
            own = found[kind]
            x, y, z, w = own.get("rotation", (0.0, 0.0, 0.0, 1.0))
            values = {"kind": kind, "rotation": (w, x, y, z), "up": "z"}
            if kind == "spherical":
                return {**values, "angle": own["phi"], "yaw": own["theta"]}
            return {**values, "angle": own["angle"]}
    return {}
