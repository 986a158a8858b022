"""Copies limits and whole chains to the other side of a character.

Both sides are compared in the pose of the model file, mirrored at x = 0 of the
model's space. With F the frame that a limit's axes stand in (rows: where its unit
vectors point), M = diag(-1, 1, 1), a vector v there is v F M F'^-1 in the other side's
frame F'; the limit itself does the rest (``in_space``).
"""

from __future__ import annotations

import numpy as np

from ...errors import BindError
from ...formats.rig_file import Part, make_limit
from ...formats.rig_file.sections import limit_part
from ...records import Field
from ...value_shapes import LETTERS, Axis, Items, Shape, Value, written
from .adding import add_chain, add_pole
from .edited_rig import Edit, EditedRig, Owner, Selection, joints_of
from .skeleton_info import Frame, SkeletonInfo


def mirror_limits(rig: EditedRig, owner: Owner) -> Edit:
    skeleton, done = rig.skeleton, 0
    frame = skeleton.frame_above(rig.bones(owner)[0])
    for joint, limit in rig.limits(owner).items():
        other = _twin(skeleton, joint)
        movers = list(rig.movers(other)) if other else []
        movers = [mover for mover in movers if rig.takes_limits(mover)]
        # a tree holds both sides itself
        movers = [owner] if owner in movers else movers
        if other is None or not movers:
            continue
        first = rig.bones(movers[0])[0]
        new = _mirrored(limit, other, skeleton, frame, skeleton.frame_above(first))
        rig = rig.replaced((*movers[0], "limits", other), new)
        done += 1
    if not done:
        raise BindError(
            f"no limit of {owner[1]} is on a joint whose mirrored joint can move"
        )
    return Edit(f"Mirror {done} limits of {owner[1]}", rig)


def mirror_chain(rig: EditedRig, name: str) -> Edit:
    """Copy a chain to the other side: joints, settings, limits, target, pole.

    An existing chain of the other side gets the settings and limits.
    """
    skeleton, bones = rig.skeleton, rig.bones(("chains", name))
    others = [skeleton.mirrored(joint) for joint in bones]
    leaf, first = others[-1], others[0]
    if leaf is None or first is None or first not in skeleton.lineage(leaf):
        raise BindError(
            f"{name} has no other side: {bones[-1]!r} has no mirrored joint"
        )
    chains = rig.section("chains")
    there = (n for n, chain in chains.items() if chain.values.get("leaf") == leaf)
    mirrored = next(there, "")
    own = chains[name].values
    if not mirrored:
        length = skeleton.lineage(leaf).index(first)
        called = _twin(skeleton, name) or _other_side(name) or leaf
        edit = add_chain(rig, leaf, length, name=called)
        assert edit.select is not None
        rig, mirrored = edit.rig, edit.select.name
    made = rig.section("chains")[mirrored].values
    if "pole" in own and "pole" not in made:
        rig = add_pole(rig, mirrored).rig
    for key in ("target", "pole"):
        node = rig.section("chains")[mirrored].values.get(key)
        pos = rig.value(("nodes", str(own.get(key)), "pos"))
        if pos and node in rig.section("nodes"):
            x, y, z = pos
            rig = rig.replaced(("nodes", node, "pos"), (0.0 - x, y, z))
    kept = {"leaf", "target", "pole", "target_offset"}
    other_bones = {"root_joint", "chain_length", "limits"}
    made = rig.section("chains")[mirrored].values
    values = {k: v for k, v in made.items() if k in kept} | {"root_joint": first}
    values |= {k: v for k, v in own.items() if k not in kept | other_bones}
    rig = rig.replaced(("chains", mirrored), Part(mirrored, values))
    if "limits" in own:
        frames = skeleton.frame_above(bones[0]), skeleton.frame_above(first)
        for joint, limit in own["limits"].items():
            other = _twin(skeleton, joint)
            if other in others:
                new = _mirrored(limit, str(other), rig.skeleton, *frames)
                path = ("chains", mirrored, "limits", str(other))
                rig = rig.replaced(path, new)
    return Edit(f"Mirror {name}", rig, Selection("chains", mirrored))


def _mirrored(
    limit: Part, joint: str, skeleton: SkeletonInfo, frame: Frame, other: Frame
) -> Part:
    values = mirrored_limit(limit, frame, other).values
    for key in joints_of(limit):
        values[key] = skeleton.mirrored(values[key]) or values[key]
    return Part(joint, values)


def _twin(skeleton: SkeletonInfo, joint: str) -> str | None:
    return skeleton.mirrored(joint) if joint in skeleton.by_name else None


def mirrored_limit(limit: Part, frame: Frame, other: Frame) -> Part:
    to_other = np.array(frame) @ np.diag([-1.0, 1.0, 1.0])
    to_other = to_other @ np.linalg.inv(np.array(other))
    new = make_limit(limit).in_space(to_other.T)
    part = limit_part(limit.name, new)
    for key, field in new.record.fields.items():
        if key in part.values and isinstance(field, Field):
            part.values[key] = _rounded(part.values[key], field.shape)
    return part


def _rounded(value: Value, shape: Shape) -> Value:
    """Return axes with six digits, or as letters; other values as they are."""
    if isinstance(shape, Items):
        return tuple(_rounded(part, shape.item) for part in value)
    if not isinstance(shape, Axis):
        return value
    x, y, z = (float(f"{v:.6f}") + 0.0 for v in (LETTERS.get(value) or value))
    return written(shape, (x, y, z))


def _other_side(name: str) -> str:
    for one, other in (("left", "right"), ("right", "left")):
        if one in name:
            return name.replace(one, other)
    return ""
