"""Finds arms, legs, head, tail and eyes of a character, by geometry and by names.

Names are trusted where they are understood. Without them, limbs are the branches that
mirror each other, and those that stand on the ground are legs. See ``bone_words.py``
for the known words.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..math3d.quaternion import Floats
from .bone_names import Side
from .branches import ENDS, Branch, follow_branch, shorten, twist_joints
from .facing_side import find_forward
from .figure import Figure, skin_end
from .find_head import (
    carrier_of_eyes,
    find_carriers,
    find_eyes,
    find_face,
    find_head,
    neck_of,
)
from .limb import Finding, FoundLimbs, Limb, Place, Reason
from .symmetry import Symmetry, find_symmetry

MIN_LENGTH = 0.1
"""Minimum length of a limb / figure's size."""
LEAST_NAMED = 0.03
"""As ``MIN_LENGTH``, for named limbs with two bones, such as a tyrannosaur's arms."""
SECOND = 0.8
"""Minimum length of a second pair of arms / length of the first."""
LEVEL = 0.7
"""Minimum horizontal distance between two pairs of legs / difference in height of their
first joints."""


def find_limbs(figure: Figure) -> FoundLimbs:
    if not figure.parents:
        return FoundLimbs()
    symmetry = find_symmetry(figure)
    findings: list[Finding] = []
    branches = _likely(figure, _branches(figure, symmetry))
    head = find_head(figure, [b.root for b in branches], list(symmetry.roots))
    if head:
        branches = [b for b in branches if not figure.is_below(b.root, head)]
    # joints that carry short branches are not part of the neck either
    carried = {above for b in branches for above in figure.lineage(b.path[0])}
    branches = _enough(figure, branches, findings)
    carried |= find_carriers(figure, head, [b.path[0] for b in branches if b.named])
    _stand(figure, branches)
    eyes = find_eyes(figure, symmetry, head) if head else ()
    facing, swapped = find_forward(figure, symmetry, branches, head, eyes)
    findings += swapped
    limbs = _named_limbs(figure, symmetry, branches, facing)
    if head:
        limbs.append(_head_limb(figure, head, carried, findings))
    limbs += _tail(figure, head, findings)
    if not limbs:
        limbs = _chains(figure, findings)
    report_spans(figure, symmetry, limbs, findings)
    findings = settle_findings(figure, limbs, findings)
    report_apart(figure, limbs, findings)
    findings += find_absent(limbs, findings)
    face: tuple[str, ...] = ()
    if head:
        others = [
            joint for limb in limbs if limb.kind != "head" for joint in limb.joints
        ]
        neck = next(limb.joints[:-1] for limb in limbs if limb.kind == "head")
        face = find_face(figure, head, neck, others, facing)
    x, y, z = (facing + 0.0).tolist()
    return FoundLimbs(tuple(limbs), head, eyes, face, (x, y, z), tuple(findings))


def _as_tuple(point: Floats | None) -> Place | None:
    if point is None:
        return None
    x, y, z = point.tolist()
    return x, y, z


# -- arms and legs ---------------------------------------------------------------------


def _branches(figure: Figure, symmetry: Symmetry) -> list[Branch]:
    found = []
    for root in symmetry.roots:
        branch = follow_branch(figure, root)
        if branch is not None:
            shorten(figure, symmetry, branch)
            found.append(branch)
    found += _without_side(figure, symmetry, found)
    return found


def _without_side(
    figure: Figure, symmetry: Symmetry, known: Iterable[Branch]
) -> list[Branch]:
    """Return named arms and legs without a side, such as a first-person arm."""
    taken = {joint for branch in known for joint in figure.below(branch.root)}
    found: list[Branch] = []
    for joint in figure.parents:
        name = figure.name_of(joint)
        kind = next((kind for kind in ENDS if name.is_end(kind)), None)
        if kind is None or joint not in figure.live or joint in taken:
            continue
        taken |= set(figure.below(joint))
        path = [joint]
        for above in figure.lineage(joint)[1:]:
            if not figure.name_of(above).is_any("arm", "leg", "shoulder", "hip"):
                break
            path.insert(0, above)
        if len(path) == 1:
            # no names above: assume two bones
            path = figure.lineage(joint)[2::-1]
        branch = Branch(path[0], name.side, path, kind, True, ended=True)
        branch.reason = f"{joint!r} is named like a {kind}"
        shorten(figure, symmetry, branch)
        found.append(branch)
    return found


def _likely(figure: Figure, branches: list[Branch]) -> list[Branch]:
    """Return the branches without girdles and loose ones, such as skirts and hair.

    Without names of arms, the loose branches with the most joints, and the longest of
    them, count as arms.
    """
    branches = [b for b in branches if not _is_girdle(figure, b, branches)]
    free = [b for b in branches if b.kind == "hand" and not b.named]
    if not free or any(b.kind == "hand" and b.named for b in branches):
        return [b for b in branches if b not in free]
    if sum(b.kind == "foot" for b in branches) > 2:
        # the ears or wings of an animal
        branches = [b for b in branches if b not in free or len(b.path) > 1]
        free = [b for b in free if len(b.path) > 1]
        if not free:
            return branches
    most = max(len(b.path) for b in free)
    longest = max(b.length(figure) for b in free if len(b.path) == most)
    return [
        b
        for b in branches
        if b not in free
        or (len(b.path) == most and b.length(figure) > SECOND * longest)
    ]


def _is_girdle(figure: Figure, branch: Branch, branches: Iterable[Branch]) -> bool:
    """Return whether a branch is a pelvis or shoulder blade beside the limb itself.

    A single joint called shoulder may be an arm, but not beside an arm or two legs.
    """
    name = figure.name_of(branch.path[0])
    if len(branch.path) > 1 or name.is_any("arm", "leg", "hand", "foot"):
        return False
    own = [b for b in branches if b.side == branch.side and len(b.path) > 1 and b.named]
    beside = any(b.kind == "hand" for b in own) or len(own) > 1
    return name.is_any("collar", "hip") or (name.is_any("shoulder") and beside)


def _enough(
    figure: Figure, branches: Iterable[Branch], findings: list[Finding]
) -> list[Branch]:
    """Return the branches that are long enough; report named ones that are not."""
    found = []
    for branch in branches:
        length = branch.length(figure)
        sure = branch.named and len(branch.path) > 2
        if length >= (LEAST_NAMED if sure else MIN_LENGTH) * figure.size:
            found.append(branch)
        elif branch.named:
            joint = branch.path[-1]
            above = figure.parents[branch.path[0]]
            hangs = f"is a child of {above!r}" if above else "has no parent"
            text = (
                f"{joint!r} could be the end of a limb, but {branch.path[0]!r} "
                f"{hangs}, and the bones between are too short: {length:.3g}, "
                f"in a figure of size {figure.size:.3g}"
            )
            limb = _name(branch.side, "", branch.kind)
            why: Reason = "no_bone" if length == 0.0 else "too_short"
            findings.append(Finding(limb, why, tuple(branch.path), text))
    return found


def _stand(figure: Figure, branches: Iterable[Branch]) -> None:
    feet = [b for b in branches if b.kind == "foot" and b.touches(figure)]
    if not feet:
        return
    rear = np.mean([b.points(figure)[0] for b in feet], axis=0)
    for branch in branches:
        if branch.kind != "hand" or not branch.touches(figure):
            continue
        apart = branch.points(figure)[0] - rear
        if np.hypot(apart[0], apart[1]) > LEVEL * abs(apart[2]):
            branch.kind = "foot"
            branch.reason += ", and stands on the ground"


def _named_limbs(
    figure: Figure, symmetry: Symmetry, branches: Iterable[Branch], facing: Floats
) -> list[Limb]:
    left = np.array((-facing[1], facing[0], 0.0))
    sides: dict[tuple[str, Side], list[Branch]] = {}
    for branch in branches:
        side = branch.side
        if not side and branch.root in symmetry.roots:
            across = float(figure.points(branch.root).mean(axis=0) @ left)
            middle = float((symmetry.axis * symmetry.middle) @ left)
            side = "left" if across > middle else "right"
        sides.setdefault((branch.kind, side), []).append(branch)
    limbs = []
    for (kind, side), found in sides.items():
        if any(branch.named for branch in found):
            found = [branch for branch in found if branch.named]
        longest = max(branch.length(figure) for branch in found)
        found = [b for b in found if b.length(figure) > 0.5 * longest]
        for name, branch in _numbered(figure, kind, side, found, facing):
            joints, rigid = tuple(branch.path), twist_joints(figure, branch.path)
            end = _as_tuple(branch.end)
            limb = Limb(name, branch.kind, side, joints, branch.reason, end, rigid)
            limbs.append(limb)
    return limbs


def _numbered(
    figure: Figure, kind: str, side: Side, branches: list[Branch], facing: Floats
) -> list[tuple[str, Branch]]:
    if len(branches) == 1:
        return [(_name(side, "", kind), branches[0])]
    if kind == "foot":
        branches = sorted(branches, key=lambda b: -float(b.points(figure)[0] @ facing))
        if len(branches) == 2:
            words = ("front", "rear")
            return [
                (_name(side, f"{word}_", kind), b)
                for word, b in zip(words, branches, strict=True)
            ]
    else:
        branches = sorted(branches, key=lambda b: -float(b.points(figure)[0][2]))
    return [
        (_name(side, "", kind) + (f"_{k}" if k > 1 else ""), branch)
        for k, branch in enumerate(branches, 1)
    ]


def _name(side: str, position: str, kind: str) -> str:
    return f"{side}_{position}{kind}".lstrip("_")


# -- head, tail, and what has no name --------------------------------------------------


def _head_limb(
    figure: Figure, head: str, carried: set[str], findings: list[Finding]
) -> Limb:
    neck, carrying = neck_of(figure, head, carried)
    if carrying:
        text = (
            f"{carrying!r} is left out of it, because limbs are attached to it: they "
            "would move with the head"
        )
        findings.append(Finding("head", "carries_limbs", (carrying,), text))
    name = figure.name_of(head)
    reason = (
        f"{head!r} is named like a head"
        if name.is_end("head")
        else "the eyes are attached to it"
        if head == carrier_of_eyes(figure)
        else "it is the topmost joint"
    )
    end = None if neck else skin_end(figure, head)
    above = figure.parents[head]
    if end is not None and above is not None:
        # the skin may reach down over the neck
        up = figure.positions[head] - figure.positions[above]
        if float((end - figure.positions[head]) @ up) < 0.0:
            end = skin_end(figure, head, up)
    return Limb("head", "head", "", (*neck, head), reason, _as_tuple(end))


def _tail(figure: Figure, head: str, findings: list[Finding]) -> list[Limb]:
    """Return the tail, if a joint is named so; on a head it is hair."""
    # all joints below a head, unless the whole body is below it
    on_head = set(figure.below(head)) if head else set()
    if not figure.live - on_head - set(figure.lineage(head) if head else ()):
        on_head = set()
    for joint in figure.parents:
        if joint not in figure.live or not figure.name_of(joint).is_end("tail"):
            continue
        if joint in on_head:
            continue
        own = [joint]
        while True:
            hanging = [
                child
                for child in figure.children[own[-1]]
                if child in figure.live and not figure.name_of(child).is_helper
            ]
            if not hanging:
                break
            own.append(max(hanging, key=lambda child: len(figure.below(child))))
        while len(own) > 1 and figure.distance(own[0], own[1]) < 1e-3 * figure.size:
            del own[0]
        if len(own) > 1:
            side = figure.name_of(joint).side
            reason = f"{joint!r} is named like a tail"
            return [Limb("tail", "tail", side, tuple(own), reason)]
        text = (
            f"{joint!r} is named like a tail, but has no joint below it, so it has no "
            "bone"
        )
        findings.append(Finding("tail", "no_length", (joint,), text))
        break
    return []


def _chains(figure: Figure, findings: list[Finding]) -> list[Limb]:
    """Return a limb for each joint without children, from the last fork above it.

    For skeletons without names, sides or a head: tentacles, cranes, robots.
    """
    roots = [joint for joint, above in figure.parents.items() if above is None]
    loose = [joint for joint in roots if not figure.children[joint]]
    if len(loose) > 1:
        # for example a tracked hand whose joints are all set from outside
        text = (
            f"{len(loose)} joints have neither parents nor children, such as "
            f"{loose[0]!r}: no joint above can turn them"
        )
        findings.append(Finding("limb", "loose", tuple(loose), text))
    found = []
    for joint in figure.parents:
        hanging = [child for child in figure.children[joint] if child in figure.live]
        if hanging or joint not in figure.live or (len(loose) > 1 and joint in loose):
            continue
        own = []
        for name in figure.lineage(joint):
            own.append(name)
            parent = figure.parents[name]
            if parent is None or len(figure.children[parent]) > 1:
                break
        if figure.name_of(joint).is_any("end") and len(own) > 2:
            own = own[1:]
        own = own[::-1]
        end = skin_end(figure, own[-1]) if len(own) == 1 else None
        points = [figure.positions[name] for name in own]
        points += [] if end is None else [end]
        bones = np.diff(np.array(points), axis=0)
        length = float(np.linalg.norm(bones, axis=1).sum())
        if length >= MIN_LENGTH * figure.size and length > 0.0:
            side = figure.name_of(joint).side
            reason = f"{joint!r} has no joints below it"
            limb = Limb(own[-1], "limb", side, tuple(own), reason, _as_tuple(end))
            found.append(limb)
    return found


BESIDE = 0.005
"""Maximum distance of a joint from the end of a limb that it is at / figure's size."""


def report_spans(
    figure: Figure, symmetry: Symmetry, limbs: Iterable[Limb], findings: list[Finding]
) -> None:
    for limb in limbs:
        skin = figure.skin.get(limb.joints[-1])
        if not limb.side or skin is None or not symmetry.roots:
            continue
        across = skin @ symmetry.axis - symmetry.middle
        far = 0.02 * figure.size
        if across.min() < -far and across.max() > far:
            text = (
                f"{limb.joints[-1]!r} moves skin of both sides, which is an error of "
                "the model: the other side's skin moves too"
            )
            last = limb.joints[-1:]
            findings.append(Finding(limb.name, "both_sides", last, text))


def report_apart(
    figure: Figure, limbs: Iterable[Limb], findings: list[Finding]
) -> None:
    """Report joints at a hand or foot that move skin but are not below the limb.

    Such are the controls of an exported rig to which the skin of the hand belongs.
    """
    known = {joint for finding in findings for joint in finding.joints}
    for limb in limbs:
        if limb.kind not in ("hand", "foot") or not limb.side:
            continue
        first, last = limb.joints[0], limb.joints[-1]
        ends = [last, *figure.children[last]]
        for joint in figure.skin:
            name = figure.name_of(joint)
            if (
                joint not in known
                and name.side == limb.side
                and name.is_any("hand", "foot")
                and not figure.is_below(joint, first)
                and not figure.is_below(first, joint)
                and min(figure.distance(joint, end) for end in ends)
                < BESIDE * figure.size
            ):
                findings.append(_apart(figure, limb.name, limb.kind, joint))


def _apart(figure: Figure, limb: str, kind: str, joint: str) -> Finding:
    word = "arm" if kind == "hand" else "leg"
    above = figure.parents[joint]
    hangs = f"is a child of {above!r}" if above else "has no parent"
    text = (
        f"{joint!r} moves skin but {hangs}, so it stays as animated when the {word} "
        f"moves: make it a child of the {word} in the model"
    )
    return Finding(limb, "apart", (joint,), text)


def settle_findings(
    figure: Figure, limbs: Iterable[Limb], findings: Iterable[Finding]
) -> list[Finding]:
    """Return the findings without those about limbs that were found elsewhere.

    A foot with skin that is not below its leg is reported: it would stay behind.
    """
    known = {limb.name for limb in limbs}
    found = []
    for finding in findings:
        if finding.limb in known and finding.reason in ("no_bone", "too_short"):
            joint = finding.joints[-1]
            if joint not in figure.skin or not figure.name_of(joint).is_end("foot"):
                continue
            finding = _apart(figure, finding.limb, "foot", joint)
        found.append(finding)
    return found


def find_absent(limbs: Iterable[Limb], findings: Iterable[Finding]) -> list[Finding]:
    """Return findings for usual limbs that the figure does not have."""
    limbs = list(limbs)
    names = {limb.name for limb in limbs} | {finding.limb for finding in findings}
    hands = any(limb.kind == "hand" for limb in limbs)
    feet = [limb for limb in limbs if limb.kind == "foot"]
    wanted = ["left_hand", "right_hand"] if hands or len(feet) < 3 else []
    wanted += ["left_foot", "right_foot"] if len(feet) < 3 else []
    wanted.append("head")
    text = (
        "not found, neither by the names of joints nor by their positions; name its "
        "joints: limbs={{{!r}: (first, last)}}"
    )
    absent = [name for name in wanted if name not in names]
    return [Finding(name, "absent", (), text.format(name)) for name in absent]
