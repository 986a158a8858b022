"""Continues a chain or tree from its predecessor of the same name after a reload."""

from __future__ import annotations

from ..ik.component import IKComponent


def fade_in(rig: IKComponent) -> None:
    """Fade in a rig that is new in the file."""
    weight, rig.weight = rig.weight, 0.0
    rig.fade(weight)


def carry_over(rig: IKComponent, old: IKComponent, *, same_weight: bool) -> None:
    """Copy the state that is not in the file: weight, pose, and target offsets.

    Args:
        rig: The new rig.
        old: The one before, of the same name.
        same_weight: Whether the weight in the file is unchanged: then the weight that
            the game has set is kept.
    """
    wanted = rig.weight
    rig.weight = old.weight
    if same_weight:
        rig.fading = old.fading
    elif wanted != old.weight:
        rig.fade(wanted)
    before = {effector.leaf: effector for effector in old.effectors}
    for effector in rig.effectors:
        former = before.get(effector.leaf)
        if former is not None and former.target == effector.target:
            effector.target_offset = former.target_offset
    if rig.bones == old.bones:
        rig.resume(old.state())
