"""Checks that parts form a tree; each message names the part and the value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import floats, is_whole, listed
from ..errors import ModelError, PartError, shown, suggest
from .body_spec import Body, Geom, JointKind, Mesh, MeshFile
from .joint_checks import (
    axis_of,
    check_mimic,
    couplings,
    joint_kind,
    numbers_of,
    pose_of,
    range_of,
    speed_of,
    start_of,
)
from .skeleton import LARGEST

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
            checks += [partial(check_geom, geom, body)]
            what = f"geom of body {shown(body.name)}"
            checks += _pose_checks(geom, what)
            for key, count in (("size", 3), ("rgba", 4)):
                checks += [partial(numbers_of, geom, what, key, count)]
        checks += _pose_checks(body, "body")
        checks += _pose_checks(body, "body", "ipos", "iquat")
        for site in body.sites:
            checks += _pose_checks(site, "site")
        for joint in body.joints:
            checks += [partial(joint_kind, joint), partial(axis_of, joint)]
            checks += [partial(range_of, joint), partial(start_of, joint, NO_POSE)]
            checks += [partial(numbers_of, joint, "joint", "anchor", 3)]
            checks += [partial(check_mimic, joint, others), partial(speed_of, joint)]
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
    part: Any, what: str, pos: str = "pos", quat: str = "quat"
) -> list[Callable[[], object]]:
    both = partial(pose_of, part, what, pos, quat)
    return [both, partial(numbers_of, part, what, pos, 3)]


def _name_errors(what: str, parts: Sequence[Any]) -> Iterator[PartError]:
    """Yield an error for each part of one kind without a name or with a used one."""
    seen: set[str] = set()
    for i, part in enumerate(parts):
        if not isinstance(part.name, str) or not part.name:
            message = (
                f"the name of {what} {i} must be a non-empty string, not "
                f"{shown(part.name)}"
            )
            yield PartError(message, part, "name")
        elif part.name in seen:
            message = f"two {what} entries are named {shown(part.name)}"
            yield PartError(message, part, "name")
        else:
            seen.add(part.name)


def check_body(body: Body, i: int, index: dict[str, int]) -> None:
    name = f"body {shown(body.name)}"
    if i == 0:
        pos, quat = pose_of(body, "body")
        if body.joints or body.mocap or pos.any() or quat[1:].any():
            raise PartError(
                "the world can't move: it can have no joints, no mocap and no pose",
                body,
                "name",
            )
        return
    if not isinstance(body.parent, str) or index.get(body.parent, i) >= i:
        before = [other for other, k in index.items() if k < i]
        there = isinstance(body.parent, str) and body.parent in index
        later = "is not listed before it" if there else "is not a body"
        raise PartError(
            f"the parent of {name}, {shown(body.parent)}, {later}; parents come first: "
            f"{suggest(body.parent, before)}",
            body,
            "parent",
        )
    if not isinstance(body.mocap, bool):
        raise PartError(
            f"mocap of {name} must be true or false, not {shown(body.mocap)}",
            body,
            "mocap",
        )
    kinds = [joint_kind(joint) for joint in body.joints]
    if body.mocap and (body.parent != "world" or kinds):
        raise PartError(
            f"{name} is a mocap body: its parent must be the world, not "
            f"{shown(body.parent)}, and it must have no joints",
            body,
            "mocap",
        )
    if JointKind.FREE in kinds and (body.parent != "world" or len(kinds) > 1):
        raise PartError(
            f"{name} has a free joint: its parent must be the world, not "
            f"{shown(body.parent)}, and it must have no other joint",
            body,
            "joints",
        )
    turning = [kind for kind in kinds if kind is not JointKind.SLIDE]
    if JointKind.BALL in turning[:-1]:
        raise PartError(
            f"{name} has a rotating joint after its ball joint: put the joints after "
            "the ball on a separate body",
            body,
            "joints",
        )


def check_geom(geom: Geom, body: Body) -> None:
    """Raise PartError for a shape that can't be drawn."""
    what = f"geom of body {shown(body.name)}"
    if not isinstance(geom.kind, str) or geom.kind not in Geom.KINDS:
        raise PartError(
            f"kind of a {what} is {shown(geom.kind)}: {suggest(geom.kind, Geom.KINDS)}",
            geom,
            "kind",
        )
    if (geom.kind == "mesh") is (geom.mesh is None):
        raise PartError(
            f"a {what} of kind {shown(geom.kind)} must have "
            f"{'no' if geom.mesh else 'a'} mesh",
            geom,
            "kind",
        )
    for key, fits, words in (
        ("name", isinstance(geom.name, str), "a string"),
        ("group", is_whole(geom.group), "a whole number"),
        ("collides", isinstance(geom.collides, bool), "true or false"),
        ("mesh", isinstance(geom.mesh, Mesh | MeshFile | None), "a Mesh or MeshFile"),
        ("texture", isinstance(geom.texture, Path | None), "a pathlib.Path"),
    ):
        if not fits:
            value = shown(getattr(geom, key))
            raise PartError(
                f"{key} of a {what} must be {words}, not {value}", geom, key
            )
    if isinstance(geom.mesh, Mesh):
        check_mesh(geom.mesh, geom)
    if isinstance(geom.mesh, MeshFile):
        _check_mesh_file(geom.mesh, geom)


def _check_mesh_file(mesh: MeshFile, geom: Geom) -> None:
    if not isinstance(mesh.path, Path):
        message = f"path of a mesh file must be a pathlib.Path, not {shown(mesh.path)}"
        raise PartError(message, geom, "mesh")
    scale = floats(mesh.scale)
    if (
        scale is None
        or scale.shape != (3,)
        or not ((np.abs(scale) <= LARGEST) & (scale != 0.0)).all()
    ):
        raise PartError(
            f"scale of a mesh file must be three numbers that are not 0, within "
            f"±{LARGEST:g}, not {shown(mesh.scale)}",
            geom,
            "mesh",
        )


def check_mesh(mesh: Mesh, geom: Geom) -> None:
    name = shown(mesh.name)
    if not isinstance(mesh.name, str):
        raise PartError(f"a mesh needs a non-empty name, not {name}", geom, "mesh")
    vertices, faces = floats(mesh.vertices), floats(mesh.faces)
    if (
        vertices is None
        or vertices.ndim != 2
        or vertices.shape[1] != 3
        or not np.isfinite(vertices).all()
    ):
        value = shown(mesh.vertices)
        message = (
            f"vertices of mesh {name} must be finite numbers of shape (n, 3), not "
            f"{value}"
        )
        raise PartError(message, geom, "mesh")
    if (
        faces is None
        or faces.ndim != 2
        or faces.shape[1] != 3
        or not ((faces >= 0) & (faces < len(vertices)) & (faces % 1.0 == 0.0)).all()
    ):
        value = shown(mesh.faces)
        message = (
            f"faces of mesh {name} must be indices of its {len(vertices)} vertices, "
            f"of shape (n, 3), not {value}"
        )
        raise PartError(message, geom, "mesh")
