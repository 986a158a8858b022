"""Skeletons for tests of the studio: a person whose left is at +x, facing -y."""

from __future__ import annotations

from ikrig.studio.document.skeleton_info import JointInfo, SkeletonInfo

MIDDLE = {
    "Hips": (None, (0.0, 0.0, 1.0)),
    "Spine": ("Hips", (0.0, 0.0, 1.2)),
    "Neck": ("Spine", (0.0, 0.0, 1.5)),
    "Head": ("Neck", (0.0, 0.0, 1.65)),
}
SIDE = {
    "Arm": ("Spine", (0.2, 0.0, 1.45)),
    "ForeArm": ("Arm", (0.45, 0.05, 1.45)),
    "Hand": ("ForeArm", (0.7, 0.0, 1.45)),
    "UpLeg": ("Hips", (0.1, 0.0, 0.95)),
    "Leg": ("UpLeg", (0.1, -0.03, 0.5)),
    "Foot": ("Leg", (0.1, 0.0, 0.1)),
}


def person() -> SkeletonInfo:
    parents = {name: parent for name, (parent, _) in MIDDLE.items()}
    places = {name: place for name, (_, place) in MIDDLE.items()}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for name, (parent, (x, y, z)) in SIDE.items():
            above = parent if parent in MIDDLE else side + parent
            parents[side + name] = above
            places[side + name] = sign * x, y, z
    joints = [JointInfo(n, parent, places[n]) for n, parent in parents.items()]
    return SkeletonInfo(tuple(joints))
