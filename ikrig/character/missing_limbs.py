"""Reports limbs of a figure that are missing or doubtful."""

from __future__ import annotations

from collections.abc import Iterable

from .figure import Figure
from .limb import Finding, Limb
from .symmetry import Symmetry

BESIDE = 0.005
"""Maximum distance of a joint from the end of a limb that it is at / figure's size."""


def report_spans(
    figure: Figure,
    symmetry: Symmetry,
    limbs: Iterable[Limb],
    findings: list[Finding],
) -> None:
    for limb in limbs:
        skin = figure.skin.get(limb.joints[-1])
        if not limb.side or skin is None or not symmetry.roots:
            continue
        across = skin @ symmetry.axis - symmetry.middle
        far = 0.02 * figure.size
        if across.min() < -far and across.max() > far:
            findings.append(
                Finding(
                    limb.name,
                    "both_sides",
                    (limb.joints[-1],),
                    f"{limb.joints[-1]!r} moves skin of both sides, which is an error "
                    "of the model: the other side's skin moves too",
                )
            )


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
    return Finding(
        limb,
        "apart",
        (joint,),
        f"{joint!r} moves skin but {hangs}, so it stays as animated when the "
        f"{word} moves: make it a child of the {word} in the model",
    )


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
    return [
        Finding(
            name,
            "absent",
            (),
            "not found, neither by the names of joints nor by their positions; name "
            f"its joints: limbs={{{name!r}: (first, last)}}",
        )
        for name in wanted
        if name not in names
    ]
