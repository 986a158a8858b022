"""Legs of an Actor: their feet, bones, and the joints that carry them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ...checks import is_whole
from ...errors import BindError, name_list, shown
from ...model.limits import FixedLimit
from ...model.pose import Goal
from ..actor.actor_figure import figure_of, joint_named, limbs_of
from ..actor.actor_skeleton import ActorSkeleton
from ..checked_setting import names_of

if TYPE_CHECKING:
    from ..actor.actor_rig import ActorRig
    from ..ik.chain import IKChain


def find_feet(skeleton: ActorSkeleton, feet: Sequence[str] | None) -> list[str]:
    """Return the joints of the feet: those given, or those of the legs found."""
    problem = f"feet must be a list of joint names, not {shown(feet)}"
    if feet is None:
        limbs = limbs_of(skeleton).limbs
        feet = [limb.joints[-1] for limb in limbs if limb.kind == "foot"]
        problem = "no legs were found: name the joints of the feet, feet=[JOINT, ...]"
    elif not isinstance(feet, str):
        feet = names_of(feet, "feet", 0)
    if isinstance(feet, str) or not feet:
        raise BindError(
            f"{problem}; joints of Actor {skeleton.actor.get_name()!r}: "
            f"{name_list(skeleton.parents)}"
        )
    return [joint_named(skeleton, name, "feet") for name in feet]


def make_leg(
    rig: ActorRig,
    foot: str,
    goal: Goal,
    chain_length: int | None,
    order: float,
) -> IKChain:
    """Add the chain of a leg to a rig and return it.

    Args:
        rig: The Actor's rig.
        foot: The last joint of the leg.
        goal: What it reaches for.
        chain_length: Number of bones, without twist joints. None: those of the leg as
            it was found, or 2.
        order: As for ``ActorRig.chain``.
    """
    limbs = limbs_of(rig.skeleton).limbs
    leg = next((limb for limb in limbs if limb.joints[-1] == foot), None)
    tip: Literal["skin"] | None = "skin" if leg and leg.end is not None else None
    twisting = leg.rigid if leg else ()
    lineage = rig.skeleton.lineage(foot)[0 if tip else 1 :]
    bending = [joint for joint in lineage if joint not in twisting]
    count = 2 if chain_length is None else chain_length
    first = None
    if leg and chain_length is None:
        first = leg.joints[0]
    elif is_whole(count) and 0 < count <= len(bending):
        first = bending[count - 1]
    inner = lineage[: lineage.index(first)] if first else []
    fixed = [joint for joint in inner if joint in twisting]
    return rig.chain(
        foot,
        None if first else count,
        goal,
        root_joint=first,
        tip=tip,
        orientation_mode="target",
        solver="two_bone" if len(inner) == len(fixed) + 1 else "dls",
        limits=dict.fromkeys(fixed, FixedLimit()),
        order=order,
    )


def find_hips(
    skeleton: ActorSkeleton, feet: Sequence[str], hips: Sequence[str] | None
) -> dict[tuple[str, ...], list[str]]:
    """Return joints that carry feet, each with its feet: those given, or those found.

    Found are those above several feet. A joint that carries legs without the trunk is
    replaced by one that carries both. If there is none, because legs and trunk hang on
    nothing, as in some exports, all first joints carry the feet together.
    """
    lines = {foot: skeleton.lineage(foot)[1:] for foot in feet}
    found: dict[tuple[str, ...], list[str]] = {}
    if hips is None:
        every = [joint for line in lines.values() for joint in line]
        carrying = [joint for joint in every if every.count(joint) > 1]
    else:
        given = names_of(hips, "hips", 0)
        carrying = [joint_named(skeleton, name, "hips") for name in given]
    for foot, line in lines.items():
        body = tuple(joint for joint in line if joint in carrying)[:1]
        if hips is None and len(feet) > 1:
            body = _with_trunk(skeleton, line, body, len(feet) > 2)
        if body:
            found.setdefault(body, []).append(foot)
    return found if hips is not None else _from_first_skin(skeleton, found)


def _from_first_skin(
    skeleton: ActorSkeleton, bodies: dict[tuple[str, ...], list[str]]
) -> dict[tuple[str, ...], list[str]]:
    """Return the bodies, the one above all others with the skin above it, as a tail."""
    skin = figure_of(skeleton).skin
    first = [body[0] for body in bodies]
    for body in list(bodies):
        line = [joint for joint in skeleton.lineage(body[0]) if joint in skin]
        above = all(body[0] in skeleton.lineage(joint) for joint in first)
        if len(body) == 1 and above and line:
            feet = bodies.pop(body)
            return {(line[-1],): feet, **bodies}
    return bodies


def _with_trunk(
    skeleton: ActorSkeleton, line: Sequence[str], body: tuple[str, ...], animal: bool
) -> tuple[str, ...]:
    """Return the joints that carry a leg and the trunk, instead of ``body``.

    The front and the rear of an animal may move apart where they have skin.
    """
    figure, head = figure_of(skeleton), limbs_of(skeleton).head
    trunk = figure.lineage(head) if head else []
    if not trunk or (
        body and (body[0] in trunk or (animal and body[0] in figure.skin))
    ):
        return body
    above = tuple(joint for joint in line if joint in trunk)[:1]
    return above or tuple(j for j in figure.children[None] if j in figure.live)
