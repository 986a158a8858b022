"""Offsets of effectors from their targets, for all kinds of rigs."""

from __future__ import annotations

from typing import Any

import panda3d.core as p3d

from ..actor import ActorChain, ActorTree
from ..actor.pose_modifier import ActorIK
from ..actor.tip_orientation import TipOrientation
from ..ik.chain import IKChain
from ..ik.component import IKRig
from ..ik.target import Target
from ..ik.tree import IKTree

__all__ = ["target_offsets", "turned"]

TargetOffset = Target | TipOrientation


def target_offsets(rig: IKRig) -> dict[p3d.NodePath, tuple[p3d.NodePath, TargetOffset]]:
    """Return by leaf the target, and how it is held: its ``target_offset`` can be
    set."""
    if isinstance(rig, IKChain):
        held: Any = rig._tip if isinstance(rig, ActorChain) else rig._target
        return {rig.leaf: (rig.target, held)}
    assert isinstance(rig, IKTree)
    tips: Any = rig._tips if isinstance(rig, ActorTree) else {}
    return {
        effector.leaf: (effector.target, tips.get(effector.leaf, effector._target))
        for effector in rig.effectors
    }


def turned(rig: IKRig, target: p3d.NodePath, target_offset: TargetOffset) -> bool:
    """Whether binding anew would hold an end in another way, and it matters."""
    if isinstance(rig, ActorIK):
        return rig.orientation_mode == "target"
    assert isinstance(rig, (IKChain, IKTree))
    now = target.get_quat(rig.root)
    now.normalize()
    start = p3d.LQuaternionf(*target_offset.target_offset)
    return rig.match_rotation and not now.almost_same_direction(start, 1e-6)
