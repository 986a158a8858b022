"""Weights that distribute a rotation over a line of joints."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import BindError, SettingError, shown
from ..actor.actor_figure import joint_named
from ..actor.actor_skeleton import ActorSkeleton
from ..checked_setting import number


def read_joint_weights(
    skeleton: ActorSkeleton, joints: Mapping[str, float], what: str
) -> dict[str, float]:
    """Return the weight of each joint in a rotation; the sum is 1.

    Args:
        skeleton: The skeleton of the joints.
        joints: Any numbers, by name of joint or limb; each joint is below the previous
            one.
        what: The setting's name, for messages.
    """
    if not isinstance(joints, Mapping) or not joints:
        raise SettingError(
            f"{what} must be a dict of weights by joint name, such as {{'Neck': 1, "
            f"'Head': 2}}, not {shown(joints)}"
        )
    above = None
    names = [joint_named(skeleton, joint, what) for joint in joints]
    for joint in names:
        lineage = skeleton.lineage(joint)
        if above is not None and above not in lineage[1:]:
            raise BindError(
                f"{what}: {joint!r} is not below {above!r}; joints above it: "
                f"{', '.join(lineage[1:]) or 'none'}"
            )
        above = joint
    whole = sum(number(weight, f"{what}[{j!r}]") for j, weight in joints.items())
    if whole == 0.0:
        raise SettingError(f"{what}: at least one weight must be above 0")
    return {
        joint: weight / whole
        for joint, weight in zip(names, joints.values(), strict=True)
    }
