"""Motions on other figures: bones of limbs, trunk and head turn as the motion's own.

Nothing is planted or corrected: feet of another length slide and sink a little, as in
any plain retargeting.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import panda3d.core as p3d

from ikrig import Motion
from ikrig.character.figure import Figure
from ikrig.character.find_limbs import find_limbs
from ikrig.character.limb import FoundLimbs
from ikrig.math3d.quaternion import (
    Floats,
    about,
    conjugate,
    from_to,
    multiply,
    to_matrix,
)
from ikrig.quality.gait import Gait, lineage
from ikrig.scene.actor.actor_figure import limbs_of, net_transforms
from ikrig.scene.actor.actor_skeleton import skeleton_of
from ikrig.scene.baking.bake_rig import add_channels, model_bytes, tables_of


class _Side:
    """A skeleton in its rest pose, and what its joints are."""

    def __init__(
        self, names: list[str], parents: list[int], rest: Floats, limbs: FoundLimbs
    ) -> None:
        self.names, self.parents, self.rest = names, parents, rest
        self.limbs = {
            (limb.kind, limb.side): [names.index(j) for j in limb.joints]
            for limb in limbs.limbs
            if limb.kind in ("foot", "hand")
        }
        self.hips = self._shared("foot")
        self.chest = self._shared("hand")
        self.head = names.index(limbs.head) if limbs.head in names else self.chest

    def _shared(self, kind: str) -> int:
        lines = [
            set(lineage(self.parents, joints[0])[1:])
            for (k, _), joints in self.limbs.items()
            if k == kind
        ]
        return max(set.intersection(*lines))

    def between(self, low: int, high: int) -> list[int]:
        """Return the joints from above one to another, upwards."""
        line = lineage(self.parents, high)
        return line[: line.index(low)][::-1]

    def leg(self) -> float:
        legs = [j for (kind, _), j in self.limbs.items() if kind == "foot"]
        steps = [np.linalg.norm(np.diff(self.rest[j], axis=0), axis=1) for j in legs]
        return float(np.mean([s.sum() for s in steps]))


def retarget(motion: Motion, actor: Any) -> float:
    """Add a motion to an Actor as a clip; return how much longer its legs are."""
    stood = Gait(motion).standing_frame
    parents = {
        name: None if above < 0 else motion.names[above]
        for name, above in zip(motion.names, motion.parents, strict=True)
    }
    rest = motion.rest_positions
    figure = Figure(parents, dict(zip(motion.names, rest, strict=True)))
    source = _Side(list(motion.names), list(motion.parents), rest, find_limbs(figure))
    with skeleton_of(actor, "modelRoot") as skeleton:
        mats = {n: np.array(m) for n, m in net_transforms(skeleton).items()}
        names = list(mats)
        above = [
            -1 if (p := skeleton.parents[name]) is None else names.index(p)
            for name in names
        ]
        nets = np.array([mats[name] for name in names])
        target = _Side(names, above, nets[:, 3, :3], limbs_of(skeleton))
    turns = _turns(motion, stood, source, target)
    moved = _places(motion, stood, source, target, nets, turns)
    bundle = actor.get_part_bundle("modelRoot")
    tables = {}
    for k, name in enumerate(names):
        local = moved[:, k]
        if above[k] >= 0:
            local = local @ np.linalg.inv(moved[:, above[k]])
        tables[name] = list(tables_of(local).T)
    anim = p3d.AnimBundle(motion.name, motion.fps, len(motion))
    add_channels(anim, bundle, tables)
    root = p3d.ModelRoot(motion.name)
    root.add_child(p3d.AnimBundleNode(motion.name, anim))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.bam"
        path.write_bytes(model_bytes(root, ".bam"))
        actor.load_anims({motion.name: p3d.Filename.from_os_specific(str(path))})
        actor.get_anim_control(motion.name)
    return target.leg() / source.leg()


def _turns(
    motion: Motion, stood: int, source: _Side, target: _Side
) -> dict[int, Floats]:
    """Return how joints of the target turn in the world from its rest pose."""
    now, rest = motion.global_rotations, motion.rest_rotations.copy()
    for joint, up in enumerate(motion.parents):
        if up >= 0:
            rest[joint] = multiply(rest[up], rest[joint])
    turned = multiply(now, conjugate(rest)[None])
    found = {target.hips: turned[:, source.hips]}
    for low, high in (("hips", "chest"), ("chest", "head")):
        begin, end = turned[:, getattr(source, low)], turned[:, getattr(source, high)]
        end = np.where((begin * end).sum(axis=1, keepdims=True) < 0.0, -end, end)
        line = target.between(getattr(target, low), getattr(target, high))
        for k, joint in enumerate(line, 1):
            mixed = begin + k / len(line) * (end - begin)
            found[joint] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
    for key, joints in target.limbs.items():
        own = source.limbs[key]
        bone = np.array((1.0, 0.0, 0.0, 0.0))
        for k, (joint, other) in enumerate(zip(joints[:-1], own[:-1], strict=True)):
            away = [
                side.rest[line[k + 1]] - side.rest[line[k]]
                for side, line in ((target, joints), (source, own))
            ]
            bone = from_to(*away)
            found[joint] = multiply(turned[:, other], bone)
        end = own[-1]
        if key[0] == "hand":
            found[joints[-1]] = multiply(turned[:, end], bone)
            continue
        # flat where the source stands, and pointing there
        toes = [j for j, up in enumerate(motion.parents) if up == end]
        way = motion.global_positions[stood, toes[0] if toes else end]
        way = way - motion.global_positions[stood, end]
        tips = [j for j, up in enumerate(target.parents) if up == joints[-1]]
        mine = target.rest[tips[0]] - target.rest[joints[-1]] if tips else (0, -1, 0)
        yaw = np.arctan2(way[1], way[0]) - np.arctan2(mine[1], mine[0])
        flat = multiply(now[:, end], conjugate(now[stood, end]))
        found[joints[-1]] = multiply(flat, about((0, 0, 1), float(yaw)))
    return found


def _places(
    motion: Motion,
    stood: int,
    source: _Side,
    target: _Side,
    nets: Floats,
    turns: dict[int, Floats],
) -> Floats:
    """Return the matrices of the target's joints in its space, (frames, n, 4, 4)."""
    frames = len(motion)
    moved = np.tile(nets, (frames, 1, 1, 1))
    for joint, up in enumerate(target.parents):
        if up >= 0:
            moved[:, joint] = nets[joint] @ np.linalg.inv(nets[up]) @ moved[:, up]
        if joint in turns:
            matrices = np.array([to_matrix(q) for q in turns[joint].tolist()])
            moved[:, joint, :3, :3] = nets[joint, :3, :3] @ np.swapaxes(matrices, 1, 2)
        if joint == target.hips:
            size = target.leg() / source.leg()
            way = size * motion.global_positions[:, source.hips]
            moved[:, joint, 3, :3] = way
    feet = [j[-1] for (kind, _), j in target.limbs.items() if kind == "foot"]
    rise = (nets[feet, 3, 2] - moved[stood, feet, 3, 2]).max()
    below = [j for j in range(len(nets)) if target.hips in lineage(target.parents, j)]
    moved[:, below, 3, 2] += rise
    return moved
