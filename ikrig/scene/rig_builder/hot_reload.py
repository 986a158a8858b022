"""Continues a chain or tree from its predecessor of the same name after a reload."""

from __future__ import annotations

from ..actor.pose_modifier import ActorIK
from ..ik.chain import IKChain
from ..ik.component import IKRig
from ..ik.tree import IKTree
from .target_offsets import target_offsets

__all__ = ["carry_over", "fade_in"]


def fade_in(rig: IKRig) -> None:
    """Bring a rig in gently that was not there before."""
    weight, rig.weight = rig.weight, 0.0
    rig.fade(weight)


def carry_over(rig: IKRig, old: IKRig, *, same_weight: bool) -> None:
    """Take over what is not in the file: weight, pose, and how targets are held.

    Args:
        rig: The new one.
        old: The one before, of the same name.
        same_weight: Whether the file says the same of the weight: then it stays as the
            game has set it.
    """
    wanted = rig.weight
    rig.weight = old.weight
    if same_weight:
        rig._fade = old._fade
    elif wanted != old.weight:
        rig.fade(wanted)
    before = target_offsets(old)
    for leaf, (target, target_offset) in target_offsets(rig).items():
        if leaf in before and before[leaf][0] == target:
            target_offset.target_offset = before[leaf][1].target_offset
    if rig.bones != old.bones or isinstance(rig, ActorIK):
        return
    if isinstance(rig, IKChain) and isinstance(old, IKChain):
        shifts = old._shifts()
        rig._solver.take_pose(old._solver.rotations, *([shifts] if shifts else []))
    elif isinstance(rig, IKTree) and isinstance(old, IKTree):
        last = old._solver
        rig._solver.take_pose(last.rotations, last.pulled, old._shifts())
