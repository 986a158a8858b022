"""Random commands on a document, valid and invalid."""

from __future__ import annotations

from math import inf

import numpy as np

from ikrig import BindError, IkrigError
from ikrig.clip.editing import (
    all_keys,
    moved_keys,
    pasted_keys,
    with_curve,
    with_key_at,
    without_keys,
)
from ikrig.formats.rig_file import Part
from ikrig.studio.document.adding import (
    add_behaviour,
    add_chain,
    add_entry,
    add_pole,
    lengthen,
)
from ikrig.studio.document.changing import (
    move_node,
    remove,
    rename,
    reorder,
    reset,
    set_limit,
    set_value,
)
from ikrig.studio.document.edited_rig import Edit, Selection
from ikrig.studio.document.learning import learn_limits
from ikrig.studio.document.mirroring import mirror_chain, mirror_limits
from ikrig.studio.document.studio_document import StudioDocument

LIMITS = (
    {"kind": "hinge", "axis": "x", "range": (-0.5, 1.25)},
    {"kind": "ball", "most": 1.0},
    {"kind": "cone", "half_angles": (0.5, 0.4, 0.3, 0.2), "twist": (-0.3, 0.1)},
    {"kind": "axes", "axes": ("x", "z"), "lower": (-1.0, -inf), "upper": (1.0, 0.5)},
    {"kind": "fixed"},
    {"kind": "hinge", "axis": (0.0, 0.0, 0.0)},
)
SETTINGS = {
    "weight": lambda rng: float(rng.integers(0, 5)) / 4,
    "iterations": lambda rng: int(rng.integers(0, 40)),
    "solver": lambda rng: str(rng.choice(["fabrik", "dls", "ccd", "none"])),
    "orientation_mode": lambda rng: str(rng.choice(["bone", "target", "sideways"])),
    "order": lambda rng: float(rng.integers(-3, 3)),
    "root_joint": lambda rng: str(rng.choice(["Spine", "LeftArm", "Hips", "Nose"])),
    "chain_length": lambda rng: int(rng.integers(1, 6)),
    "max_step": lambda rng: float(rng.uniform(-0.1, 2.0)),
}


def add_tree(rig, leaves):
    """Add a tree to new targets: the studio opens and changes trees, but adds none."""
    lines = [rig.skeleton.lineage(leaf) for leaf in dict.fromkeys(leaves)]
    above = [j for j in lines[0] if all(j in line[1:] for line in lines)]
    taken = rig.effector_names() | set(rig.section("chains"))
    if len(lines) < 2 or not above or taken & set(leaves):
        raise BindError(f"no tree of {leaves}")
    free, effectors = rig.free_name("tree", "trees"), {}
    for leaf, *_ in lines:
        target = rig.free_name(f"{leaf} target", "nodes")
        pos = rig.skeleton.by_name[leaf].position
        rig = rig.replaced(("nodes", target), Part(target, {"pos": pos}))
        effectors[leaf] = Part(leaf, {"target": target})
    tree = Part(free, {"root_joint": above[0], "effectors": effectors})
    rig = rig.replaced(("trees", free), tree)
    return Edit(f"Add tree {free}", rig, Selection("trees", free))


def random_command(document: StudioDocument, rng: np.random.Generator) -> str:
    """Run one; returns its label, or "" when it was refused or changed nothing."""
    try:
        return _run(document, rng)
    except IkrigError:
        return ""


def _run(document, rng) -> str:
    do, parts, joints = document.do, document.parts, document.skeleton.names
    pick = lambda names: str(rng.choice(list(names))) if names else "nobody"  # noqa: E731
    chain = pick(parts.parts("chains"))
    section = pick(["chains", "trees", "behaviours", "nodes"])
    entry = pick(parts.parts(section))
    if rng.random() < 0.25:
        return _key(document, rng)
    match int(rng.integers(0, 19)):
        case 0 | 1:
            if len(parts.parts("chains")) > 10:
                return do(remove, "chains", chain)
            return do(
                add_chain,
                pick(joints),
                int(rng.integers(1, 5)),
                pole=bool(rng.integers(0, 2)),
            )
        case 2:
            if len(parts.parts("trees")) > 2:
                return do(remove, "trees", pick(parts.parts("trees")))
            return do(add_tree, [pick(joints) for _ in range(3)])
        case 3:
            if len(parts.parts("behaviours")) > 4:
                return do(remove, "behaviours", pick(parts.parts("behaviours")))
            kind = pick(["look_at", "feet", "aim", "reach", "dance"])
            return do(add_behaviour, kind, pick(joints))
        case 4:
            return do(lengthen, chain, int(rng.choice([-1, 1])))
        case 5:
            return do(add_pole, chain)
        case 6 | 7:
            key = pick(SETTINGS)
            return do(set_value, ("chains", chain, key), SETTINGS[key](rng))
        case 8:
            return do(reset, ("chains", chain, pick(SETTINGS)))
        case 9 | 10:
            limit = LIMITS[int(rng.integers(len(LIMITS)))]
            owner = ("chains", chain)
            if rng.random() < 0.2:
                return do(remove, "limits", pick(joints), owner)
            return do(set_limit, owner, pick(joints), Part("", dict(limit)))
        case 11:
            # a drag of several moves is one step
            node, done = pick(parts.parts("nodes")), ""
            for _ in range(int(rng.integers(1, 6))):
                place = tuple(float(x) for x in rng.normal(size=3).round(4))
                done = do(move_node, node, place, merge=f"drag {node}") or done
            document.end_drag()
            return done
        case 12:
            new = pick(["hand", "Left Hand", " ", "tail: 2", "#1", "Spine", entry])
            return do(rename, section, entry, new)
        case 13:
            return do(reorder, section, entry, int(rng.integers(-1, 9)))
        case 14:
            return do(mirror_limits, ("chains", chain))
        case 15:
            return do(mirror_chain, chain)
        case 17:
            return _grip(document, rng, pick(parts.parts("nodes")))
        case 16:
            motion = {
                j: rng.normal(size=(4, 3, 3)) for j in joints if rng.random() < 0.7
            }
            joint = pick(joints) if rng.random() < 0.5 else ""
            owner = pick(["chains", "behaviours"]), chain
            return do(learn_limits, owner, motion, joint)
        case _:
            document.select(Selection("joint", pick(joints)))
            return ""


def _grip(document, rng, node) -> str:
    """Run a random command on the grips of a node."""
    do, owner = document.do, ("nodes", node)
    grips = list(document.rig.value((*owner, "grips"), {}))
    name = str(rng.choice(grips)) if grips else "none"
    match int(rng.integers(0, 5)):
        case 0:
            return do(add_entry, owner, str(rng.choice(["grips", "colliders"])))
        case 1:
            return do(rename, "grips", name, str(rng.choice(["ear", " ", name])), owner)
        case 2 if len(grips) > 2:
            return do(remove, "grips", name, owner)
        case 3:
            return do(reset, (*owner, "grips", name, "point"))
    key, value = [
        ("point", tuple(float(x) for x in rng.normal(size=3).round(4))),
        ("axis", str(rng.choice(["x", "w"]))),
        ("approach", (0.0, float(rng.integers(0, 2)), 0.0)),
        ("length", float(rng.normal())),
        ("curl", ((0.0, 0.5), (float(rng.normal()), 1.0))),
    ][int(rng.integers(0, 5))]
    return do(set_value, (*owner, "grips", name, key), value)


def _key(document, rng) -> str:
    """Run a random command on the clip."""
    work = document.clip_work
    if work.clip is None or rng.random() < 0.03:
        return work.new() if rng.random() < 0.7 else work.close()
    keys = sorted(all_keys(work.clip))
    some = {k for k in keys if rng.random() < 0.3}
    part = str(rng.choice(["LeftHand", "RightHand", "Head"]))
    time = float(rng.integers(0, 45)) / 20
    match int(rng.integers(0, 8)):
        case 0 | 1:
            place = tuple(float(x) for x in rng.normal(size=3).round(4))
            change = lambda c: with_key_at(  # noqa: E731
                c, part, "target", time, place, loops=c.wrap == "loop"
            )[0]
        case 2:
            four = tuple(float(x) for x in rng.normal(size=4).round(4))
            channel = str(rng.choice(["target_rotation", "rotation", "weight", "pole"]))
            change = lambda c: with_key_at(  # noqa: E731
                c, part, channel, time, four, loops=False
            )[0]
        case 3:
            by = float(rng.normal())
            change = lambda c: moved_keys(c, some, by)[0]  # noqa: E731
        case 4:
            if len(keys) < 20:
                return ""
            change = lambda c: without_keys(c, some)  # noqa: E731
        case 5:
            curves = ["step", "cubic", None, (0.1, 0.9, 0.2, 1.0), "wavy"]
            curve = curves[int(rng.integers(0, 5))]
            change = lambda c: with_curve(c, some, curve)  # noqa: E731
        case 6:
            change = lambda c: c.with_changes(duration=float(rng.uniform(-0.5, 3.0)))  # noqa: E731
        case _:
            held = [(k, work.clip.track(*k[:2]).keys[k.time]) for k in sorted(some)]
            change = lambda c: pasted_keys(c, held, time)[0]  # noqa: E731
    done = ""
    for _ in range(int(rng.integers(1, 3))):
        try:
            done = work.do("Change keys", change, "drag") or done
        except IkrigError:
            break
    document.end_drag()
    return done
