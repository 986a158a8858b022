"""Summary of a robot, as text and as JSON."""

from __future__ import annotations

from math import degrees, isfinite

from ..model.body_spec import JointKind, MeshFile
from ..model.robot import RobotModel
from .report import Document
from .text_tables import (
    axis_text,
    columns,
    counted,
    degrees_text,
    indented,
    number,
    section,
)


def describe(model: RobotModel) -> Document:
    """Return the content of a robot model as plain data, angles in degrees."""
    parents = {
        name: model.body_names[parent] if parent >= 0 else None
        for name, parent in zip(model.body_names, model.parents, strict=True)
    }
    return {
        "name": model.name,
        "bodies": [{"name": n, "parent": p} for n, p in parents.items()],
        "joints": [_joint(model, j) for j in range(len(model.joint_names))],
        "sites": [
            {"name": name, "body": model.body_names[b]}
            for name, b in zip(model.site_names, model.site_bodies, strict=True)
        ],
        "shapes": sum(len(geoms) for geoms in model.geoms),
        "not_drawn": not_drawn(model),
    }


def not_drawn(model: RobotModel) -> list[str]:
    """Return a sentence for each part of a robot that can't be drawn.

    The meshes are loaded to find out, as in a scene.
    """
    # a robot without mesh files needs no engine
    files = (geom.mesh for geoms in model.geoms for geom in geoms)
    if not any(isinstance(mesh, MeshFile) for mesh in files):
        return list(model.warnings)
    from ..scene.robot.robot_nodes import not_drawn

    return list(not_drawn(model))


def _joint(model: RobotModel, j: int) -> Document:
    kind, bounds = model.joint_kinds[j], model.joint_ranges[j].tolist()
    key = "range" if kind is JointKind.SLIDE else "range_deg"
    turns = bounds if kind is JointKind.SLIDE else [degrees(angle) for angle in bounds]
    return {
        "name": model.joint_names[j],
        "kind": kind.value,
        "body": model.body_names[model.joint_bodies[j]],
        "axis": model.joint_axes[j].tolist() if kind.dofs == 1 else None,
        key: [round(v, 6) for v in turns] if any(map(isfinite, bounds)) else None,
    }


def lines(found: Document) -> list[str]:
    """Return the result of ``describe`` as lines of text."""
    counts = ", ".join(
        counted(len(found[f"{word}s"]), word) for word in ("joint", "site")
    )
    parents = {body["name"]: body["parent"] for body in found["bodies"]}
    tree = [f"{'  ' * depth}{name}" for depth, name in indented(parents)]
    rows = [
        (
            joint["name"],
            joint["kind"],
            axis_text(joint["axis"]) if joint["axis"] else "",
            _range(joint),
            f"moves {joint['body']}",
        )
        for joint in found["joints"]
    ]
    sites = [(site["name"], f"on {site['body']}") for site in found["sites"]]
    return [
        f"robot {found['name']}: {counts}, {counted(found['shapes'], 'shape')}",
        *section("bodies", (f"  {line}" for line in tree)),
        *section("joints", columns(rows)),
        *section("sites", columns(sites)),
        *section("not drawn", (f"  {line}" for line in found["not_drawn"])),
    ]


def _range(joint: Document) -> str:
    if joint.get("range") is not None:
        return " to ".join(map(number, joint["range"]))
    if joint.get("range_deg") is not None:
        return degrees_text(*joint["range_deg"])
    return "any"
