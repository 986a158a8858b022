"""Summary of a rig, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..formats.rig_file import limit_part
from ..model.limits import Limit
from .text_tables import axis_text, columns, degrees_text, number, section, wrapped

if TYPE_CHECKING:
    from ..scene import IKChain, IKTree, Rig


def describe(
    path: Path, model: str | None, allow: Sequence[Path] = ()
) -> dict[str, Any]:
    """Load a rig and return its content as plain data.

    Raises:
        RigFileError: The file has errors.
    """
    from ..scene import load_rig

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


def _chain(name: str, chain: IKChain) -> dict[str, Any]:
    return {
        "name": name,
        "bones": _bones(chain),
        "reach": chain.reach,
        "target": chain.target.get_name(),
        "pole": None if chain.pole is None else chain.pole.get_name(),
        **_method(chain),
    }


def _tree(name: str, tree: IKTree, rig: Rig) -> dict[str, Any]:
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


def _method(rig: IKChain | IKTree) -> dict[str, Any]:
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
    values = limit_part("", limit).values
    kind, words = values["kind"], []
    for key in ("axis", "axes"):
        if key in values:
            words.append(f"about {_axis(values[key])}")
    if "range" in values:
        ends = values["range"]
        slides = kind == "slide"
        words.append(
            " to ".join(map(number, ends))
            if slides
            else degrees_text(*map(degrees, ends))
        )
    if "lower" in values:
        pairs = zip(values["lower"], values["upper"], strict=True)
        words += [degrees_text(degrees(low), degrees(high)) for low, high in pairs]
    for key in ("most", "half_angles"):
        if key in values:
            angles = values[key] if isinstance(values[key], tuple) else [values[key]]
            words.append("/".join(f"{number(degrees(angle))}°" for angle in angles))
    if "twist" in values:
        words.append(f"twist {degrees_text(*map(degrees, values['twist']))}")
    return " ".join([kind, ", ".join(words)]).strip()


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


def lines(found: dict[str, Any]) -> list[str]:
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


def _method_lines(part: dict[str, Any]) -> list[str]:
    weight = "" if part["weight"] == 1.0 else f", weight {number(part['weight'])}"
    limits = [(joint, words) for joint, words in part["limits"].items()]
    return [f"    solver {part['solver']}{weight}", *columns(limits, "    limit  ")]
