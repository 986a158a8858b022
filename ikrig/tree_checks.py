"""What makes parts a tree: each rule with one message that names part and value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import inf
from typing import Any

import numpy as np

from .errors import PartError, choices
from .limits import LETTERS
from .spatial import Floats
from .tree_parts import Body, Geom, Joint, JointKind

NO_POSE = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])


def mistakes(bodies: Sequence[Body]) -> Iterator[PartError]:
    """Yield what is wrong with the parts of a tree, the world's body first."""
    joints = [joint for body in bodies for joint in body.joints]
    sites = [site for body in bodies for site in body.sites]
    for what, parts in (("body", bodies), ("joint", joints), ("site", sites)):
        yield from _name_mistakes(what, parts)
    index: dict[str, int] = {}
    for i, body in enumerate(bodies):
        if isinstance(body.name, str):
            index.setdefault(body.name, i)
    checks: list[Callable[[], Any]] = []
    for i, body in enumerate(bodies):
        checks.append(partial(check_place, body, i, index))
        for geom in body.geoms:
            checks += [partial(check_geom, geom, body)]
            what = f"geom of body {body.name!r}"
            checks += _pose_checks(geom, what)
            for key, count in (("size", 3), ("rgba", 4)):
                checks += [partial(numbers_of, geom, what, key, count)]
        checks += _pose_checks(body, "body")
        checks += _pose_checks(body, "body", "ipos", "iquat")
        for site in body.sites:
            checks += _pose_checks(site, "site")
        for joint in body.joints:
            checks += [partial(kind_of, joint), partial(axis_of, joint)]
            checks += [partial(range_of, joint), partial(start_of, joint, NO_POSE)]
            checks += [partial(numbers_of, joint, "joint", "anchor", 3)]
    told: set[tuple[int, str]] = set()
    for check in checks:
        try:
            check()
        except PartError as error:
            # several checks look at a joint's kind, or at the world's pose
            if (id(error.part), error.field) not in told:
                told.add((id(error.part), error.field))
                yield error


def _pose_checks(
    part: Any, what: str, pos: str = "pos", quat: str = "quat"
) -> list[Callable[[], Any]]:
    """Return the checks of a position and of a rotation."""
    both = partial(pose_of, part, what, pos, quat)
    return [both, partial(numbers_of, part, what, pos, 3)]


def _name_mistakes(what: str, parts: Sequence[Any]) -> Iterator[PartError]:
    """Yield the parts of one kind that have no name, or the same one."""
    seen: set[str] = set()
    for i, part in enumerate(parts):
        if not isinstance(part.name, str) or not part.name:
            message = f"{what} {i} needs a name of letters, not {part.name!r}"
            yield PartError(message, part, "name")
        elif part.name in seen:
            message = f"two {what} entries are named {part.name!r}"
            yield PartError(message, part, "name")
        else:
            seen.add(part.name)


def check_place(body: Body, i: int, index: dict[str, int]) -> None:
    """Refuse a body, listed i-th, that can't hang where it does or move as it does."""
    name = f"body {body.name!r}"
    if i == 0:
        pos, quat = pose_of(body, "body")
        if body.joints or body.mocap or pos.any() or quat[1:].any():
            raise PartError(
                "the world stays where it is: no joints, no mocap, no pose",
                body,
                "name",
            )
        return
    if not isinstance(body.parent, str) or index.get(body.parent, i) >= i:
        before = [other for other, k in index.items() if k < i]
        there = isinstance(body.parent, str) and body.parent in index
        later = "is not listed before it" if there else "is no body"
        raise PartError(
            f"the parent of {name}, {body.parent!r}, {later}; parents come first: "
            f"{choices(body.parent, before)}",
            body,
            "parent",
        )
    if not isinstance(body.mocap, bool):
        raise PartError(
            f"mocap of {name} must be true or false, not {body.mocap!r}", body, "mocap"
        )
    kinds = [kind_of(joint) for joint in body.joints]
    if body.mocap and (body.parent != "world" or kinds):
        raise PartError(
            f"{name} is a mocap body: its parent must be the world, not "
            f"{body.parent!r}, and it has no joints",
            body,
            "mocap",
        )
    if JointKind.FREE in kinds and (body.parent != "world" or len(kinds) > 1):
        raise PartError(
            f"{name} has a free joint: its parent must be the world, not "
            f"{body.parent!r}, and it has no other joint",
            body,
            "joints",
        )
    turning = [kind for kind in kinds if kind is not JointKind.SLIDE]
    if JointKind.BALL in turning[:-1]:
        raise PartError(
            f"{name} turns on after its ball joint: a ball must be the last to turn a "
            "body; put the joints after it on a body of their own",
            body,
            "joints",
        )


def check_geom(geom: Geom, body: Body) -> None:
    """Refuse a shape that can't be drawn."""
    what = f"geom of body {body.name!r}"
    if geom.kind not in Geom.KINDS:
        raise PartError(
            f"kind of a {what} is {geom.kind!r}: {choices(geom.kind, Geom.KINDS)}",
            geom,
            "kind",
        )
    if (geom.kind == "mesh") is (geom.mesh is None):
        raise PartError(
            f"a {what} of kind {geom.kind!r} has {'no' if not geom.mesh else 'a'} mesh",
            geom,
            "kind",
        )


def kind_of(joint: Joint) -> JointKind:
    """Return a joint's kind."""
    try:
        return JointKind(joint.kind)
    except ValueError:
        names = [kind.value for kind in JointKind]
        raise PartError(
            f"kind of joint {joint.name!r} is {joint.kind!r}: "
            f"{choices(joint.kind, names)} (welded bodies have no joint)",
            joint,
            "kind",
        ) from None


def pose_of(
    part: Any, what: str, pos: str = "pos", quat: str = "quat"
) -> tuple[Floats, Floats]:
    """Return a part's position and its rotation, of length 1."""
    turn = numbers_of(part, what, quat, 4)
    size = float(np.linalg.norm(turn))
    if size < 1e-9:
        raise PartError(
            f"{quat} of {what} {part.name!r} is a zero quaternion; no turn is "
            "(1, 0, 0, 0)",
            part,
            quat,
        )
    return numbers_of(part, what, pos, 3), _unit(turn, size)


def start_of(joint: Joint, pose: tuple[Floats, Floats]) -> Floats:
    """Return a joint's coordinates while its body stands as described."""
    kind = kind_of(joint)
    start = numbers_of(joint, "joint", "qpos0", 1)
    if kind.coordinates > 1 and start[0] != 0.0:
        raise PartError(
            f"qpos0 of joint {joint.name!r} is {joint.qpos0!r}, but a {kind.value} "
            "joint starts as its body is described",
            joint,
            "qpos0",
        )
    if kind is JointKind.FREE:
        if numbers_of(joint, "joint", "anchor", 3).any():
            raise PartError(
                f"anchor of joint {joint.name!r} is {joint.anchor!r}, but a free joint "
                "has none",
                joint,
                "anchor",
            )
        return np.concatenate(pose)
    return np.array([1.0, 0.0, 0.0, 0.0]) if kind is JointKind.BALL else start


def axis_of(joint: Joint) -> Floats:
    """Return a joint's axis, of length 1."""
    if isinstance(joint.axis, str):
        if joint.axis not in LETTERS:
            raise PartError(
                f"axis of joint {joint.name!r} is {joint.axis!r}: "
                f"{choices(joint.axis, LETTERS)}, or a vector",
                joint,
                "axis",
            )
        return np.array(LETTERS[joint.axis])
    axis = numbers_of(joint, "joint", "axis", 3)
    size = float(np.linalg.norm(axis))
    if size < 1e-9:
        raise PartError(
            f"axis of joint {joint.name!r} has no direction: {joint.axis!r}",
            joint,
            "axis",
        )
    return _unit(axis, size)


def _unit(vector: Floats, size: float) -> Floats:
    """Return a vector with the length 1; one that has it stays to the last digit."""
    return vector if abs(size - 1.0) < 1e-15 else vector / size


def range_of(joint: Joint) -> Floats:
    """Return a joint's smallest and largest value."""
    kind = kind_of(joint)
    if joint.range is None:
        return np.array([-inf, inf])
    try:
        lower, upper = (float(value) for value in joint.range)
    except (TypeError, ValueError):
        lower, upper = inf, -inf
    if not lower <= upper:
        raise PartError(
            f"range of joint {joint.name!r} must be two numbers, the smaller first, "
            f"not {joint.range!r}",
            joint,
            "range",
        )
    if kind is JointKind.FREE or (kind is JointKind.BALL and lower != 0.0):
        what = "no range" if kind is JointKind.FREE else "a range that begins at 0"
        raise PartError(
            f"joint {joint.name!r} is {kind.value} and can have {what}, not "
            f"{joint.range!r}",
            joint,
            "range",
        )
    return np.array([lower, upper])


def numbers_of(part: Any, what: str, key: str, count: int) -> Floats:
    """Return a field of so many finite numbers."""
    value = getattr(part, key)
    try:
        result = np.atleast_1d(np.array(value, dtype=np.float64))
    except (TypeError, ValueError):
        result = np.zeros(0)
    if result.shape != (count,) or not np.isfinite(result).all():
        raise PartError(
            f"{key} of {what} {part.name!r} must be {count} finite "
            f"number{'s' * (count > 1)}, not {value!r}",
            part,
            key,
        )
    return result
