"""Continues a chain or tree from its predecessor of the same name after a reload."""

from __future__ import annotations

from ...formats.rig_file import Part
from ..ik.component import IKComponent
from .model_loader import remove_model
from .rig_parts import RigParts


def fade_in(rig: IKComponent) -> None:
    weight, rig.weight = rig.weight, 0.0
    rig.fade(weight)


def carry_over(rig: IKComponent, old: IKComponent, former: Part, part: Part) -> None:
    """Copy the state that is not in the file: weight, pose, and target offsets.

    The weight that the game has set is kept if the file has not changed it.
    """
    wanted = rig.weight
    rig.weight = old.weight
    if all(former.values.get(k) == part.values.get(k) for k in ("weight", "dormant")):
        rig._fading = old._fading
    elif wanted != old.weight:
        rig.fade(wanted)
    before = {effector.leaf: effector for effector in old.effectors}
    for effector in rig.effectors:
        last = before.get(effector.leaf)
        if last is not None and last.target == effector.target:
            effector.target_offset = last.target_offset
    if rig.bones == old.bones:
        rig._resume(old._state())


def remove_unused(old: RigParts, new: RigParts) -> None:
    for name, tree in old.bodies.items():
        if new.bodies.get(name) is not tree:
            tree.remove()
    for name, behaviour in old.behaviours.items():
        if new.behaviours.get(name) is not behaviour:
            behaviour.remove()
    for name, node in old.nodes.items():
        if new.nodes.get(name) != node:
            node.remove_node()
    if old.actor_rig is not None and old.actor_rig is not new.actor_rig:
        old.actor_rig.detach()
    if old.model is not new.model:
        remove_model(old.model)
