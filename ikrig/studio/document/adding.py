"""The commands that add chains, trees, poles and behaviours to a rig.

Each takes a rig and returns the changed one. Nothing is changed in place; a change that
would make the rig invalid raises an error first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import dist, floor, hypot, log10

from ...character.limb import Limb
from ...errors import BindError, SettingError, suggest
from ...formats.part import Values
from ...formats.rig_file import Part, limit_part
from ...formats.rig_file.sections import BEHAVIOURS, name_shape, names_in
from ...model.limits import FixedLimit
from ...records import Field, Named, Record
from .changing import remove
from .edited_rig import (
    Edit,
    EditedRig,
    Owner,
    Selection,
    held_limits,
    own_entries,
)
from .skeleton_info import SkeletonInfo, Vec3


def add_chain(
    rig: EditedRig, leaf: str, bones: int = 2, *, name: str = "", pole: bool = False
) -> Edit:
    """Make a joint reach for a new target at its position, by bending the joints above.

    Fewer than ``bones`` if there are no more; its name is by default that of the leaf.
    """
    lineage = rig.skeleton.lineage(leaf)
    if len(lineage) < 2:
        raise BindError(f"no joint above {leaf!r} can bend for it")
    values = {"leaf": leaf, "root_joint": lineage[min(max(1, bones), len(lineage) - 1)]}
    position = rig.skeleton.by_name[leaf].position
    rig, chain = _with_chain(rig, name or leaf, values, position)
    if pole:
        rig = add_pole(rig, chain).rig
    return Edit(f"Add chain {chain}", rig, Selection("chains", chain))


def _with_chain(
    rig: EditedRig, name: str, values: Mapping[str, object], position: Vec3
) -> tuple[EditedRig, str]:
    """Return a rig with one more chain, and its name."""
    free = rig.free_name(name, "chains")
    target = rig.free_name(f"{free} target", "nodes")
    rig = _with_node(rig, target, position)
    chain = Part(free, {**values, "target": target})
    return rig.replaced(("chains", free), chain), free


def add_limbs(rig: EditedRig, limbs: Iterable[Limb]) -> Edit:
    """Add a chain for each limb that was found; joints that only twist stay stiff.

    They are dormant: the model stays as animated until a target is moved, here or in
    the game that loads the rig.
    """
    added = 0
    for limb in limbs:
        first, tip = limb.joints[0], limb.joints[-1]
        values: Values = {"leaf": tip, "root_joint": first}
        end = rig.skeleton.by_name[tip].position if limb.end is None else limb.end
        values |= {} if limb.end is None else {"tip": "skin"}
        rig, chain = _with_chain(rig, limb.name, values, end)
        rig, added = rig.replaced(("chains", chain, "dormant"), True), added + 1
        for joint in limb.rigid:
            path = ("chains", chain, "limits", joint)
            rig = rig.replaced(path, limit_part(joint, FixedLimit()))
    return Edit(f"Add {added} limbs", rig)


def lengthen(rig: EditedRig, chain: str, by: int) -> Edit:
    bones = rig.bones(("chains", chain))
    lineage = rig.skeleton.lineage(bones[-1])
    count = len(rig.turning(("chains", chain))) + by
    # a leaf that bends too counts
    first = len(bones) - 1 + by
    most = count - first + len(lineage) - 1
    if not 1 <= count <= most:
        raise BindError(f"{chain} must have 1 to {most} bones, not {count}")
    values = dict(rig.entry(("chains", chain)).values)
    values.pop("chain_length", None)
    values["root_joint"] = lineage[first]
    limits = held_limits(values.pop("limits", {}), lineage[: first + 1])
    if limits:
        values["limits"] = limits
    rig = rig.replaced(("chains", chain), Part(chain, values))
    return Edit(f"{'Lengthen' if by > 0 else 'Shorten'} {chain} to {count}", rig)


def add_pole(rig: EditedRig, chain: str) -> Edit:
    bones = rig.bones(("chains", chain))
    if "pole" in rig.entry(("chains", chain)).values:
        raise BindError(f"{chain} already has a pole")
    if len(bones) < 3:
        raise BindError(
            f"{chain} has only one bone, so it has no elbow that a pole could direct"
        )
    name = rig.free_name(f"{chain} pole", "nodes")
    positions = [rig.skeleton.by_name[joint].position for joint in bones]
    rig = _with_node(rig, name, _pole_position(positions, rig.skeleton.forward))
    rig = rig.replaced(("chains", chain, "pole"), name)
    return Edit(f"Add pole of {chain}", rig, Selection("nodes", name))


def add_behaviour(
    rig: EditedRig, kind: str, joint: str = "", limbs: Iterable[Limb] = ()
) -> Edit:
    """Add a behaviour, to a joint where it wants one.

    Chains of ``limbs`` that a body's handles lead make way for these.
    """
    classes = BEHAVIOURS
    if kind not in classes:
        raise SettingError(f"there is no behaviour {kind!r}: {suggest(kind, classes)}")
    if rig.skeleton.kind != "actor":
        raise BindError("behaviours need an Actor: this model has no joints")
    made = classes[kind]
    fields = made.record.fields
    name = rig.free_name(kind, "behaviours")
    values: Values = {"kind": kind, **made.first}
    hand = wanted_joint(made.record) in names_in(made.record, joints=True)
    if "target" in fields:
        target = rig.free_name(f"{name} target", "nodes")
        if joint:
            position = rig.skeleton.by_name[rig.skeleton.check(joint)].position
        else:
            position = max(
                (j.position for j in rig.skeleton.joints), key=lambda p: p[2]
            )
        if not hand:
            position = _ahead(rig.skeleton, position, 1.0)
        rig = _with_node(rig, target, position)
        values["target"] = target
    if hand and "root_joint" in fields and len(rig.skeleton.lineage(joint)) < 3:
        raise BindError(f"there are no two joints above {joint!r} that can bend")
    if "dormant" in fields:
        rig, values = _with_body(rig, values, [x for x in limbs if x.name in fields])
    if made.handles_key:
        line = _chain_at(rig.skeleton, joint)
        group = rig.free_name(f"{name} handles", "nodes")
        rig = _with_node(rig, group, (0.0, 0.0, 0.0))
        last = len(line) - 1
        for k in sorted({round(last * k / 3) for k in range(4)}):
            place = rig.skeleton.by_name[line[k]].position
            handle = rig.free_name(f"{name} handle {k}", "nodes")
            rig = _with_node(rig, handle, place, group)
        values |= {made.handles_key: group, "joints": (line[0], line[-1])}
    for key, field in fields.items():
        if key in values or not field.required:
            continue
        if isinstance(field, Named):
            above = rig.skeleton.lineage(joint)[:3][::-1]
            values[key] = {j: Part(j, {"": 1.0}) for j in above}
        elif isinstance(field, Field) and name_shape(field) is None:
            # several may be given
            values[key] = (joint,)
        else:
            values[key] = joint
    # in the order of files
    values = {key: values[key] for key in ("kind", *fields) if key in values}
    rig = rig.replaced(("behaviours", name), Part(name, values))
    return Edit(f"Add {kind}", rig, Selection("behaviours", name))


def _with_body(
    rig: EditedRig, values: Values, limbs: Sequence[Limb]
) -> tuple[EditedRig, Values]:
    """Return a rig with a target at each limb and the hips, and a body's values.

    The target of a chain that is in use stays; other handles are dormant.
    """
    ends = {limb.name: limb.joints[-1] for limb in limbs}
    lines = [rig.skeleton.lineage(limb.joints[0]) for limb in limbs]
    shared = [j for j in lines[0] if all(j in x[1:] for x in lines)] if lines else []
    ends |= {"hips": shared[0]} if shared else {}
    led: dict[str, str] = {}
    for name, chain in rig.section("chains").items():
        handle = next((h for h, j in ends.items() if j == chain.values["leaf"]), "")
        if handle and "target" in chain.values and not chain.values.get("dormant"):
            led[handle] = chain.values["target"]
            rig = rig.replaced(("chains", name, "target"), None)
        if handle:
            rig = remove(rig, "chains", name).rig
    dormant = [handle for handle in ends if handle not in led]
    for handle in dormant:
        led[handle] = rig.free_name(f"{handle} target", "nodes")
        rig = _with_node(rig, led[handle], rig.skeleton.by_name[ends[handle]].position)
    return rig, {**values, **led, **({"dormant": tuple(dormant)} if dormant else {})}


def add_entry(
    rig: EditedRig, owner: Owner, key: str, name: str = "", joint: str = ""
) -> Edit:
    """Add a grip, a collider or another entry with a name of one's own to an entry.

    ``joint`` is the one that a collider is on; by default the first.
    """
    known = own_entries(rig.record(owner))
    if key not in known:
        raise SettingError(f"{owner[1]} has no {key!r}: {suggest(key, known)}")
    record = known[key].item
    assert isinstance(record, Record)
    free = rig.free_name(name or record.what, key, owner)
    joints = names_in(record, joints=True)
    on = rig.skeleton.check(joint) if joint else next(iter(rig.skeleton.names), "")
    values: Values = {k: on for k in joints if record.fields[k].required}
    rig = rig.replaced((*owner, key, free), Part(free, values))
    return Edit(f"Add {record.what} {free}", rig, Selection(key, free, owner))


def add_node(rig: EditedRig, name: str = "thing") -> Edit:
    """Add a node in front of the model, such as a thing that hands hold."""
    high = max((j.position[2] for j in rig.skeleton.joints), default=0.0)
    free = rig.free_name(name, "nodes")
    rig = _with_node(rig, free, _ahead(rig.skeleton, (0.0, 0.0, 0.7 * high), 0.2))
    return Edit(f"Add node {free}", rig, Selection("nodes", free))


def wanted_joint(record: Record) -> str:
    named = [*names_in(record, joints=True), *names_in(record)]
    return next((key for key in named if record.fields[key].required), "")


def _chain_at(skeleton: SkeletonInfo, joint: str) -> list[str]:
    """Return the joints from one to the last below it; above a short chain, more."""
    above = skeleton.lineage(skeleton.check(joint))
    lines = [skeleton.lineage(other.name) for other in skeleton.joints]
    below = max((x for x in lines if joint in x), key=len)
    found = below[: below.index(joint)][::-1]
    return [*above[: max(1, 3 - len(found))][::-1], *found]


def _ahead(skeleton: SkeletonInfo, position: Vec3, sizes: float) -> Vec3:
    """Return the point in front of another by a part of the skeleton's size."""
    way = sizes * skeleton.size
    x, y, z = (a + way * b for a, b in zip(position, skeleton.forward, strict=True))
    return x, y, z


def _with_node(
    rig: EditedRig, name: str, position: Vec3, parent: str = ""
) -> EditedRig:
    # digits beyond a hundred-thousandth of the model's size are noise
    digits = 5 - floor(log10(max(rig.skeleton.size, 1e-6)))
    pos = tuple(round(x, digits) + 0.0 for x in position)
    values: Values = {"parent": parent} if parent else {}
    return rig.replaced(("nodes", name), Part(name, {**values, "pos": pos}))


def _pole_position(positions: Sequence[Vec3], forward: Vec3) -> Vec3:
    first, *_, last = positions
    mid = positions[len(positions) // 2]
    reach = sum(dist(a, b) for a, b in pairwise(positions)) or 1.0
    line = [b - a for a, b in zip(first, last, strict=True)]
    length = sum(x * x for x in line) or 1.0

    def off_line(direction: Sequence[float]) -> tuple[list[float], float]:
        fraction = sum(a * b for a, b in zip(direction, line, strict=True)) / length
        off = [a - fraction * b for a, b in zip(direction, line, strict=True)]
        return off, hypot(*off)

    off, size = off_line([b - a for a, b in zip(first, mid, strict=True)])
    for fallback in (forward, (0.0, 0.0, 1.0)):
        if size < 0.02 * reach:
            off, size = off_line(fallback)
            # a straight line has no side: use the front, or up
            size = size if size > 0.1 else 0.0
    x, y, z = (m + reach * o / (size or 1.0) for m, o in zip(mid, off, strict=True))
    return x, y, z
