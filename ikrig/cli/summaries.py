"""What is in a file, as JSON and as text: clips, models, rigs, robots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import degrees, isfinite
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..clip import Clip, Track
from ..model.body_spec import JointKind, MeshFile
from ..model.limits import COUPLING, Limit
from ..model.robot import RobotModel
from ..records import Field
from ..value_shapes import Bounds
from .report import Document

if TYPE_CHECKING:
    from ..scene.ik.chain import IKChain
    from ..scene.ik.tree import IKTree


def number(value: float) -> str:
    return f"{value:.4g}"


def axis_text(axis: Sequence[float]) -> str:
    """Return a unit axis as text: "x", "-y" or "[0.6, 0, 0.8]"."""
    for i, letter in enumerate("xyz"):
        if abs(axis[i]) > 1.0 - 1e-9:
            return letter if axis[i] > 0.0 else f"-{letter}"
    return f"[{', '.join(number(round(part, 6)) for part in axis)}]"


def counted(count: int, word: str) -> str:
    """Return a count with its noun: "1 key", "2 keys"."""
    return f"{count} {word}{'s' * (count != 1)}"


def degrees_text(lower: float, upper: float) -> str:
    """Return a range of angles [deg]."""
    if not isfinite(lower) and not isfinite(upper):
        return "any"
    return f"{number(lower)}° to {number(upper)}°"


def columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """Return rows as lines, each column as wide as its widest entry."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        indent + "  ".join(w.ljust(n) for w, n in zip(row, widths, strict=True))
        for row in rows
    ]


def section(title: str, lines: Iterable[str]) -> list[str]:
    """Return lines under a heading; nothing when there are no lines."""
    found = [line.rstrip() for line in lines]
    return ["", f"{title}:", *found] if found else []


def wrapped(words: Iterable[str]) -> list[str]:
    """Return words separated by commas, wrapped to lines."""
    return wrap(", ".join(words), 88, initial_indent="  ", subsequent_indent="  ")


def indented(parents: Mapping[str, str | None]) -> Iterator[str]:
    """Yield a line for each name, indented below its parent."""
    children: dict[str | None, list[str]] = {}
    for name, parent in parents.items():
        children.setdefault(parent if parent in parents else None, []).append(name)
    waiting = [(0, name) for name in reversed(children.get(None, []))]
    while waiting:
        depth, name = waiting.pop()
        yield f"  {'  ' * depth}{name}"
        waiting += [(depth + 1, child) for child in reversed(children.get(name, []))]


def describe_clip(clip: Clip) -> Document:
    """Return the content of a clip as plain data."""
    return {
        "name": clip.name,
        "wrap": clip.wrap,
        "duration": clip.duration,
        "keys": sum(len(track.keys) for track in clip.tracks),
        "tracks": [_track(track) for track in clip.tracks],
        "events": [{"time": time, "name": name} for time, name in clip.events],
    }


def reported(clip: Clip) -> str:
    keys = sum(len(track.keys) for track in clip.tracks)
    tracks = counted(len(clip.tracks), "track")
    return f"{clip.duration:g} s, {tracks}, {counted(keys, 'key')}"


def _track(track: Track) -> Document:
    path = track.path
    times = list(track.keys)
    return {
        "part": track.part,
        "channel": track.channel,
        "keys": len(times),
        "path": type(path).__name__.lower() if path is not None else None,
        "curve": track.curve if path is None else None,
        "from": times[0] if times else getattr(path, "begin", None),
        "to": times[-1] if times else getattr(path, "end", None),
    }


def clip_lines(found: Document) -> list[str]:
    """Return the result of ``describe_clip`` as lines of text."""
    rows = []
    for track in found["tracks"]:
        curve = "" if track["curve"] is None else str(track["curve"])
        keys = track["path"] or counted(track["keys"], "key")
        time = _time(track["from"], track["to"])
        rows.append((track["part"], track["channel"], keys, time, curve))
    events = [(f"{event['time']:g} s", event["name"]) for event in found["events"]]
    return [
        f"clip {found['name']}: {found['duration']:g} s, {found['wrap']}",
        *section("tracks", columns(rows)),
        *section("events", columns(events)),
    ]


def _time(start: float | None, end: float | None) -> str:
    if start is None and end is None:
        return "always"
    if start == end:
        return f"at {start:g} s"
    return f"{start or 0:g} to {end:g} s" if end is not None else f"from {start:g} s"


def is_animation(found: Document) -> bool:
    """Return whether a file has only animations, for an Actor of another file."""
    empty = not found["joints"] and not found["vertices"]
    return empty and bool(found["animations"])


def model_lines(found: Document) -> list[str]:
    """Return the summary of a model file as lines of text."""
    if is_animation(found):
        return [
            f"animation {found['name']}, for {a['name']}: {a['frames']} frames, "
            f"{number(a['fps'])} fps, {number(a['seconds'])} s, {a['joints']} joints"
            for a in found["animations"]
        ]
    size = " x ".join(map(number, found["size"]))
    parents = {joint["name"]: joint["parent"] for joint in found["joints"]}
    what = "model" if not parents else "Actor"
    called = {j["name"]: f": {j['called']}" for j in found["joints"] if j["called"]}
    tree = [f"{line}{called.get(line.strip(), '')}" for line in indented(parents)]
    animations = []
    for a in found["animations"]:
        rate, time = f"{number(a['fps'])} fps", f"{number(a['seconds'])} s"
        animations.append((a["name"], f"{a['frames']} frames", rate, time))
    limbs = []
    for limb in found["limbs"]:
        end = [] if limb["end"] is None else ["end of its skin"]
        joints = " > ".join([*limb["joints"], *end])
        limbs.append((limb["name"], joints, limb["reason"]))
    findings = [(f["limb"], f["message"]) for f in found["findings"]]
    faces = [f"  {axis_text(found['forward'])}"] if parents else []
    counts = [f"{len(parents)} joints", f"{found['vertices']} vertices"]
    return [
        f"{what} {found['name']}: {', '.join(counts)}, size {size}",
        *section("joints", tree),
        *section("animations", columns(animations)),
        *section("limbs that ikrig.ActorRig.auto would rig", columns(limbs)),
        *section("eyes", [f"  {', '.join(found['eyes'])}"] if found["eyes"] else []),
        *section("faces", faces),
        *section("not found or doubtful", columns(findings)),
    ]


def describe_rig(path: Path, model: str | None, allow: Sequence[Path] = ()) -> Document:
    """Load a rig and return its content as plain data."""
    from ..scene.rig_builder import load_rig

    rig = load_rig(path, model, allow=allow)
    return {
        "name": rig.name,
        "model": _name(rig.model),
        "chains": [_solved(name, chain) for name, chain in rig.chains.items()],
        "trees": [_solved(name, tree) for name, tree in rig.trees.items()],
        "behaviours": [
            {"name": name, "kind": type(x).__name__, "target": _target(x)}
            for name, x in rig.behaviours.items()
        ],
        "bodies": [
            {"name": name, "model": body.model.name, "joints": list(body.joints)}
            for name, body in rig.bodies.items()
        ],
        "nodes": list(rig.nodes),
    }


def _solved(name: str, rig: IKChain | IKTree) -> Document:
    """Return the content of a chain, which alone has a reach, or of a tree."""
    bones = [node.get_name() for node in rig.bones]
    limits = {
        joint if isinstance(joint, str) else bones[joint]: _limit(limit)
        for joint, limit in rig.limits.items()
    }
    ends = [
        {"name": x.leaf.get_name(), "target": _target(x), "weight": x.weight}
        for x in rig.effectors
    ]
    reach, pole = getattr(rig, "reach", None), _name(getattr(rig, "pole", None))
    chain = {"reach": reach, "target": ends[0]["target"], "pole": pole}
    own = {"effectors": ends} if reach is None else chain
    method = {"solver": rig.solver, "weight": rig.weight, "limits": limits}
    return {"name": name, "bones": bones, **own, **method}


def _target(part: object) -> str | None:
    return _name(getattr(part, "target", None))


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


def rig_lines(found: Document) -> list[str]:
    """Return the result of ``describe_rig`` as lines of text."""
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


def describe_robot(model: RobotModel) -> Document:
    """Return the content of a robot model as plain data, angles in degrees."""
    parents = {
        name: model.body_names[parent] if parent >= 0 else None
        for name, parent in zip(model.body_names, model.parents, strict=True)
    }
    return {
        "name": model.name,
        "bodies": [{"name": n, "parent": p} for n, p in parents.items()],
        "joints": [_robot_joint(model, j) for j in range(len(model.joint_names))],
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


def _robot_joint(model: RobotModel, j: int) -> Document:
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


def robot_lines(found: Document) -> list[str]:
    """Return the result of ``describe_robot`` as lines of text."""
    counts = ", ".join(
        counted(len(found[f"{word}s"]), word) for word in ("joint", "site")
    )
    parents = {body["name"]: body["parent"] for body in found["bodies"]}
    rows = []
    for joint in found["joints"]:
        axis = axis_text(joint["axis"]) if joint["axis"] else ""
        moved = f"moves {joint['body']}"
        rows.append((joint["name"], joint["kind"], axis, _range(joint), moved))
    sites = [(site["name"], f"on {site['body']}") for site in found["sites"]]
    return [
        f"robot {found['name']}: {counts}, {counted(found['shapes'], 'shape')}",
        *section("bodies", indented(parents)),
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
