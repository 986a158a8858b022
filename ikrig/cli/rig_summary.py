"""Summary of a rig, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model.limits import COUPLING, Limit
from ..records import Field
from ..value_shapes import Bounds
from .report import Document
from .text_tables import axis_text, columns, degrees_text, number, section, wrapped

if TYPE_CHECKING:
    from ..scene.ik.chain import IKChain
    from ..scene.ik.tree import IKTree
    from ..scene.rig_builder import Rig


def describe(path: Path, model: str | None, allow: Sequence[Path] = ()) -> Document:
    """Load a rig and return its content as plain data."""
    from ..scene.rig_builder import load_rig

    rig = load_rig(path, model, allow=allow)
    return {
        "name": rig.name,
        "model": _name(rig.model),
        "chains": [_chain(name, chain) for name, chain in rig.chains.items()],
        "trees": [_tree(name, tree, rig) for name, tree in rig.trees.items()],
        "behaviours": [
            {
                "name": name,
                "kind": type(behaviour).__name__,
                "target": _name(getattr(behaviour, "target", None)),
            }
            for name, behaviour in rig.behaviours.items()
        ],
        "bodies": [
            {"name": name, "model": body.model.name, "joints": list(body.joints)}
            for name, body in rig.bodies.items()
        ],
        "nodes": list(rig.nodes),
    }


def _chain(name: str, chain: IKChain) -> Document:
    return {
        "name": name,
        "bones": _bones(chain),
        "reach": chain.reach,
        "target": chain.target.get_name(),
        "pole": None if chain.pole is None else chain.pole.get_name(),
        **_method(chain),
    }


def _tree(name: str, tree: IKTree, rig: Rig) -> Document:
    return {
        "name": name,
        "bones": _bones(tree),
        "effectors": [
            {
                "name": effector.leaf.get_name(),
                "target": effector.target.get_name(),
                "weight": effector.weight,
            }
            for effector in tree.effectors
        ],
        **_method(tree),
    }


def _bones(rig: IKChain | IKTree) -> list[str]:
    return [node.get_name() for node in rig.bones]


def _method(rig: IKChain | IKTree) -> Document:
    return {
        "solver": rig.solver,
        "weight": rig.weight,
        "limits": {
            _joint(rig, joint): _limit(limit) for joint, limit in rig.limits.items()
        },
    }


def _joint(rig: IKChain | IKTree, joint: str | int) -> str:
    return joint if isinstance(joint, str) else rig.bones[joint].get_name()


def _limit(limit: Limit) -> str:
    """Return a limit as text: "hinge about x, -10° to 90°"."""
    values, words = limit.values(), []
    for key, field in limit.record.fields.items():
        given = values.get(key)
        if key == "lower" and values.keys() & {"lower", "upper"}:
            pairs = zip(vars(limit)["lower"], vars(limit)["upper"], strict=True)
            words += [degrees_text(degrees(low), degrees(high)) for low, high in pairs]
        elif key == "follows" and given is not None:
            factor, added = vars(limit)["follows"][1:]
            words.append(f"{number(factor)} times {given}")
            if added:
                angle = limit.record.fields["offset"].degrees
                text = f"{number(degrees(added))}°" if angle else number(added)
                words.append(f"plus {text}")
        elif given is None or key in ("lower", "upper", *COUPLING):
            continue
        elif key in ("axis", "axes"):
            words.append(f"about {_axis(given)}")
        elif isinstance(field, Field) and isinstance(field.shape, Bounds):
            text = " to ".join(map(number, given))
            if field.degrees:
                text = degrees_text(*map(degrees, given))
            words.append(text if key == "range" else f"{key} {text}")
        elif field.degrees:
            angles = given if isinstance(given, tuple) else [given]
            words.append("/".join(f"{number(degrees(angle))}°" for angle in angles))
    return " ".join([limit.kind, ", ".join(words)]).strip()


def _axis(axis: Any) -> str:
    if isinstance(axis, str):
        return axis
    if isinstance(axis[0], float):
        return axis_text(axis)
    return " and ".join(map(_axis, axis))


def _name(model: Any) -> str | None:
    if model is None:
        return None
    name = model.model.name if hasattr(model, "qpos") else model.get_name()
    return str(name)


def lines(found: Document) -> list[str]:
    """Return the result of ``describe`` as lines of text."""
    on = f" on {found['model']}" if found["model"] else ""
    result = [f"rig {found['name']}{on}"]
    chains: list[str] = []
    for chain in found["chains"]:
        pole = f", pole {chain['pole']}" if chain["pole"] else ""
        chains += [
            f"  {chain['name']}: {' > '.join(chain['bones'])}",
            f"    reaches {number(chain['reach'])} for {chain['target']}{pole}",
            *_method_lines(chain),
        ]
    trees: list[str] = []
    for tree in found["trees"]:
        ends = [(e["name"], f"for {e['target']}") for e in tree["effectors"]]
        count = len(tree["bones"])
        trees += [
            f"  {tree['name']}: {count} joints from {tree['bones'][0]}, reaching with",
            *columns(ends, "    "),
            *_method_lines(tree),
        ]
    behaviours = [
        (part["name"], part["kind"], f"for {part['target']}" if part["target"] else "")
        for part in found["behaviours"]
    ]
    bodies = [
        f"  {body['name']}: {body['model']} with joints {', '.join(body['joints'])}"
        for body in found["bodies"]
    ]
    return [
        *result,
        *section("chains", chains),
        *section("trees", trees),
        *section("behaviours", columns(behaviours)),
        *section("bodies", bodies),
        *section("nodes", wrapped(found["nodes"])),
    ]


def _method_lines(part: Document) -> list[str]:
    weight = "" if part["weight"] == 1.0 else f", weight {number(part['weight'])}"
    limits = [(joint, words) for joint, words in part["limits"].items()]
    return [f"    solver {part['solver']}{weight}", *columns(limits, "    limit  ")]
