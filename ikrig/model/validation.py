"""Checks that parts form a tree; each message names the part and the value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..checks import entries, floats, is_number, is_whole, listed
from ..errors import ModelError, PartError, name_list, shown, suggest
from ..math3d.quaternion import Floats
from ..value_shapes import LETTERS
from .body_spec import Body, Geom, Joint, JointKind, Mesh, MeshFile, Site
from .limits import FARTHEST, FARTHEST_SLIDE, is_usable_range
from .skeleton import LARGEST

if TYPE_CHECKING:
    from typing import TypeGuard

Part = Body | Joint | Site | Geom
Pose = tuple[Floats, Floats]
NO_POSE = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])


def body_list(bodies: object) -> list[Body]:
    parts = list(listed(bodies, Body, "bodies", ModelError))
    if not parts or not isinstance(parts[0].name, str) or parts[0].name != "world":
        parts.insert(0, Body("world"))
    return parts


def part_errors(bodies: Sequence[Body]) -> Iterator[PartError]:
    """Yield the errors of a tree's parts: names first, then body by body."""
    joints = [joint for body in bodies for joint in body.joints]
    sites = [site for body in bodies for site in body.sites]
    unnamed = 0
    for what, parts in (("body", bodies), ("joint", joints), ("site", sites)):
        for error in _name_errors(what, parts):
            unnamed += 1
            yield error
    index: dict[str, int] = {}
    for i, body in enumerate(bodies):
        if isinstance(body.name, str):
            index.setdefault(body.name, i)
    checks: list[Callable[[], object]] = []
    others = {joint.name: joint for joint in joints if isinstance(joint.name, str)}
    for i, body in enumerate(bodies):
        checks.append(partial(check_body, body, i, index))
        for geom in body.geoms:
            what = f"geom of body {shown(body.name)}"
            named = not isinstance(geom.name, str) or geom.name
            what += f" {shown(geom.name)}" if named else ""
            checks += [partial(check_geom, geom, body), *_pose_checks(geom, what)]
            checks += [partial(numbers_of, geom, "size", 3, what)]
            checks += [partial(numbers_of, geom, "rgba", 4, what)]
        checks += _pose_checks(body, _called(body))
        checks += _pose_checks(body, _called(body), "ipos", "iquat")
        for site in body.sites:
            checks += _pose_checks(site, _called(site))
        for joint in body.joints:
            one = (joint_kind, axis_of, range_of, speed_of)
            checks += [partial(check, joint) for check in one]
            checks += [partial(start_of, joint, NO_POSE)]
            checks += [partial(numbers_of, joint, "anchor", 3)]
            checks += [partial(check_mimic, joint, others)]
    reported: set[tuple[int, str]] = set()
    for check in checks:
        try:
            check()
        except PartError as error:
            # several checks look at a joint's kind, or at the world's pose
            if (id(error.part), error.field) not in reported:
                reported.add((id(error.part), error.field))
                yield error
    if not reported and not unnamed:
        try:
            couplings(joints)
        except PartError as error:
            yield error


def _pose_checks(
    part: Part, what: str, pos: str = "pos", quat: str = "quat"
) -> list[Callable[[], object]]:
    both = partial(pose_of, part, what, pos, quat)
    return [both, partial(numbers_of, part, pos, 3, what)]


def _name_errors(what: str, parts: Sequence[Part]) -> Iterator[PartError]:
    """Yield an error for each part of one kind without a name or with a used one."""
    seen: set[str] = set()
    for i, part in enumerate(parts):
        text = shown(part.name)
        if not isinstance(part.name, str) or not part.name:
            text = f"the name of {what} {i} must be a non-empty string, not {text}"
            yield PartError(text, part, "name")
        elif part.name in seen:
            yield PartError(f"two {what} entries are named {text}", part, "name")
        else:
            seen.add(part.name)


def _must(part: Part, key: str, words: str, what: str = "") -> PartError:
    """Return the error of a value: "speed of joint 'a' must be ..., not -1"."""
    what, value = what or _called(part), shown(getattr(part, key))
    return PartError(f"{key} of {what} must {words}, not {value}", part, key)


def _called(part: Part) -> str:
    """Return a part's kind, with its name if it has one."""
    what = type(part).__name__.lower()
    return what if part.name == "" else f"{what} {shown(part.name)}"


def check_body(body: Body, i: int, index: dict[str, int]) -> None:
    if i == 0:
        pos, quat = pose_of(body, "body")
        if body.joints or body.mocap or pos.any() or quat[1:].any():
            text = "the world can't move: it can have no joints, no mocap and no pose"
            raise PartError(text, body, "name")
        return
    name, above = f"body {shown(body.name)}", shown(body.parent)
    if not isinstance(body.parent, str) or index.get(body.parent, i) >= i:
        before = [other for other, k in index.items() if k < i]
        there = isinstance(body.parent, str) and body.parent in index
        later = "is not listed before it" if there else "is not a body"
        text = f"the parent of {name}, {above}, {later}; parents come first: "
        raise PartError(text + suggest(body.parent, before), body, "parent")
    if not isinstance(body.mocap, bool):
        raise _must(body, "mocap", "be true or false")
    kinds = [joint_kind(joint) for joint in body.joints]
    inner, free = body.parent != "world", JointKind.FREE in kinds
    if (body.mocap and (inner or kinds)) or (free and (inner or len(kinds) > 1)):
        key, what, none = ("joints", "has a free joint", "no other joint")
        if body.mocap:
            key, what, none = ("mocap", "is a mocap body", "no joints")
        text = f"{name} {what}: its parent must be the world, not {above}, and it must "
        raise PartError(f"{text}have {none}", body, key)
    turning = [kind for kind in kinds if kind is not JointKind.SLIDE]
    if JointKind.BALL in turning[:-1]:
        text = "put the joints after the ball on a separate body"
        text = f"{name} has a rotating joint after its ball joint: {text}"
        raise PartError(text, body, "joints")


def check_geom(geom: Geom, body: Body) -> None:
    """Raise PartError for a shape that can't be drawn."""
    what, kind = f"a geom of body {shown(body.name)}", shown(geom.kind)
    if not isinstance(geom.kind, str) or geom.kind not in Geom.KINDS:
        known = suggest(geom.kind, Geom.KINDS)
        raise PartError(f"kind of {what} is {kind}: {known}", geom, "kind")
    if (geom.kind == "mesh") is (geom.mesh is None):
        some = "no" if geom.mesh else "a"
        raise PartError(f"{what} of kind {kind} must have {some} mesh", geom, "kind")
    for key, fits, words in (
        ("name", isinstance(geom.name, str), "a string"),
        ("group", is_whole(geom.group), "a whole number"),
        ("collides", isinstance(geom.collides, bool), "true or false"),
        ("mesh", isinstance(geom.mesh, Mesh | MeshFile | None), "a Mesh or MeshFile"),
        ("texture", isinstance(geom.texture, Path | None), "a pathlib.Path"),
    ):
        if not fits:
            raise _must(geom, key, f"be {words}", what)
    if geom.mesh is not None:
        text = _mesh_error(geom.mesh)
        if text:
            raise PartError(text, geom, "mesh")


def _mesh_error(mesh: Mesh | MeshFile) -> str:
    """Return what is wrong with triangles or their file, or ""."""
    if isinstance(mesh, MeshFile):
        scale = floats(mesh.scale)
        if not isinstance(mesh.path, Path):
            return f"path of a mesh file must be a pathlib.Path, not {shown(mesh.path)}"
        if _is_table(scale, (3,)) and (scale != 0.0).all():
            return ""
        return (
            "scale of a mesh file must be three numbers that are not 0, within "
            f"±{LARGEST:g}, not {shown(mesh.scale)}"
        )
    name, vertices, faces = shown(mesh.name), floats(mesh.vertices), floats(mesh.faces)
    if not isinstance(mesh.name, str):
        return f"a mesh needs a non-empty name, not {name}"
    if not _is_table(vertices, (-1, 3), np.inf) or not np.isfinite(vertices).all():
        return (
            f"vertices of mesh {name} must be finite numbers of shape (n, 3), not "
            f"{shown(mesh.vertices)}"
        )
    count = len(vertices)
    whole = _is_table(faces, (-1, 3), count - 1) and ((faces >= 0) & (faces % 1 == 0))
    if np.all(whole):
        return ""
    wanted = f"indices of its {count} vertices, of shape (n, 3)"
    return f"faces of mesh {name} must be {wanted}, not {shown(mesh.faces)}"


def _is_table(
    array: Floats | None, shape: tuple[int, ...], most: float = LARGEST
) -> TypeGuard[Floats]:
    """Return whether numbers have a shape, of which -1 is any, and are within most."""
    if array is None or array.ndim != len(shape):
        return False
    same = all(n in (-1, k) for n, k in zip(shape, array.shape, strict=True))
    return same and bool((np.abs(array) <= most).all())


def joint_kind(joint: Joint) -> JointKind:
    try:
        # old numpy warns where an array is compared with words
        return JointKind(joint.kind if isinstance(joint.kind, str) else "")
    except ValueError:
        known = suggest(joint.kind, [kind.value for kind in JointKind])
        text = f"kind of {_called(joint)} is {shown(joint.kind)}: {known}"
        text += " (welded bodies have no joint)"
        raise PartError(text, joint, "kind") from None


def pose_of(part: Part, what: str, pos: str = "pos", quat: str = "quat") -> Pose:
    rotation = numbers_of(part, quat, 4, what)
    size = float(np.linalg.norm(rotation))
    if size < 1e-9:
        text = f"{quat} of {what} is a zero quaternion; the identity is (1, 0, 0, 0)"
        raise PartError(text, part, quat)
    return numbers_of(part, pos, 3, what), _unit(rotation, size)


def start_of(joint: Joint, pose: Pose) -> Floats:
    kind = joint_kind(joint)
    start = numbers_of(joint, "qpos0", 1)
    if kind.coordinates != 1 and start[0] != 0.0:
        raise _must(joint, "qpos0", f"be 0 for a {kind.value} joint")
    if kind is JointKind.FREE:
        if numbers_of(joint, "anchor", 3).any():
            raise _must(joint, "anchor", "be 0 for a free joint")
        return np.concatenate(pose)
    return np.array([1.0, 0.0, 0.0, 0.0]) if kind is JointKind.BALL else start


def axis_of(joint: Joint) -> Floats:
    """Return a joint's axis as a unit vector."""
    if isinstance(joint.axis, str):
        if joint.axis not in LETTERS:
            text = f"axis of {_called(joint)} is {shown(joint.axis)}: "
            text += f"{suggest(joint.axis, LETTERS)}, or a vector"
            raise PartError(text, joint, "axis")
        return np.array(LETTERS[joint.axis])
    axis = numbers_of(joint, "axis", 3)
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        raise _must(joint, "axis", "have a direction")
    return _unit(axis, size)


def _unit(vector: Floats, size: float) -> Floats:
    """Return a unit vector; one that has this length stays to the last digit."""
    return vector if abs(size - 1.0) < 1e-15 else vector / size


def range_of(joint: Joint) -> Floats:
    kind = joint_kind(joint)
    if joint.range is None:
        return np.array([-inf, inf])
    farthest = FARTHEST_SLIDE if kind is JointKind.SLIDE else FARTHEST
    found = entries(joint.range) or ()
    sound = len(found) == 2 and all(map(is_number, found))
    if not sound or not is_usable_range(found[0], found[1], farthest):
        words = "be two numbers, the smaller first, and must overlap"
        raise _must(joint, "range", f"{words} ±{farthest:g}")
    if kind is JointKind.FREE:
        raise _must(joint, "range", "be None for a free joint")
    if kind is JointKind.BALL and found[0] != 0.0:
        raise _must(joint, "range", "start at 0 for a ball joint")
    return np.array(found, np.float64)


def speed_of(joint: Joint) -> float:
    """Return a joint's maximum speed; infinite: no bound."""
    if joint.speed is None:
        return inf
    speed = float(numbers_of(joint, "speed", 1)[0])
    if not speed > 0.0 or joint_kind(joint).dofs != 1:
        words = "be None or, for a hinge or slide, a number above 0"
        raise _must(joint, "speed", words)
    return speed


def numbers_of(part: Part, key: str, count: int, what: str = "") -> Floats:
    """Return a field of ``count`` numbers, as a new array."""
    result = floats(getattr(part, key))
    # a copy, or the part's array could be changed from outside
    result = np.zeros(0) if result is None else np.atleast_1d(np.array(result))
    if not _is_table(result, (count,)):
        words = f"be {count} finite number{'s' * (count > 1)} within ±{LARGEST:g}"
        raise _must(part, key, words, what)
    return result


def check_mimic(joint: Joint, others: Mapping[str, Joint]) -> None:
    """Raise PartError for a joint that can't follow the one it names."""
    if joint.mimic is None:
        return
    numbers_of(joint, "multiplier", 1)
    numbers_of(joint, "offset", 1)
    if joint_kind(joint).dofs > 1:
        words = "be None for a ball or free joint: only a hinge or a slide can follow"
        raise _must(joint, "mimic", words)
    driver = others.get(joint.mimic) if isinstance(joint.mimic, str) else None
    if driver is None or joint_kind(driver).dofs > 1:
        known = [key for key, other in others.items() if joint_kind(other).dofs == 1]
        text = f"{_called(joint)} mimics {shown(joint.mimic)}, which is not a hinge or "
        text += f"slide: {suggest(joint.mimic, known)}"
        raise PartError(text, joint, "mimic")


def couplings(joints: Sequence[Joint]) -> tuple[list[int], list[tuple[float, float]]]:
    """Return the joint that each one finally follows, and the coupling.

    Returns:
        For each joint the row of its leader, or -1, and the coupling to it: a factor
        and an addition.
    """
    rows = {joint.name: j for j, joint in enumerate(joints)}
    found: dict[int, tuple[int, float, float]] = {}
    for j in range(len(joints)):
        path: dict[int, None] = {}
        while j not in found and joints[j].mimic is not None:
            if j in path:
                names = name_list(shown(joints[k].name) for k in path)
                raise PartError(
                    f"joints mimic each other in a cycle: {names}", joints[j], "mimic"
                )
            path[j] = None
            j = rows[joints[j].mimic or ""]
        leads, factor, added = found.setdefault(j, (j, 1.0, 0.0))
        for k in reversed(path):
            times, plus = (
                float(numbers_of(joints[k], key, 1)[0])
                for key in ("multiplier", "offset")
            )
            factor, added = times * factor, times * added + plus
            found[k] = leads, factor, added
    terms = [found[j] for j in range(len(joints))]
    drivers = [-1 if term[0] == j else term[0] for j, term in enumerate(terms)]
    return drivers, [term[1:] for term in terms]
