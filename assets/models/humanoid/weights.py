"""How much each bone moves each point: by place, then smoothed over the mesh."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from . import shape
from .polygons import Ints
from .skeleton import Bone, Floats

STEPS = 128  # weights are multiples of 1 / STEPS, so that they add up to exactly 1
MOST = 4  # bones to a point

Owners = Callable[[Floats], list[str]]


def body_owners(bones: dict[str, Bone]) -> Owners:
    """Return what says which bone a point of the body belongs to."""

    def owners(p: Floats) -> list[str]:
        arm, leg, torso = shape.arm(p), shape.leg(p), shape.torso(p)
        names = []
        for k, place in enumerate(p):
            height = place[2]
            if arm[k] < torso[k] and place[0] > 0.13:
                elbow = bones["LeftForeArm"].place
                names.append(_along(bones, ("LeftArm", "LeftForeArm"), place, elbow))
            elif height < 0.87 and place[0] < 0.035:
                names.append("Hips")  # between the legs
            elif leg[k] < torso[k] or height < 0.87:
                names.append("LeftUpLeg" if height > 0.505 else "LeftLeg")
            elif place[0] > 0.085 and height > 1.34:
                names.append("LeftShoulder")
            else:
                spine = ("Hips", "Spine", "Spine1", "Spine2", "Neck", "Head")
                below = [n for n in spine if bones[n].place[2] <= height]
                names.append(below[-1] if below else "Hips")
        return names

    return owners


def _along(
    bones: dict[str, Bone], pair: tuple[str, str], place: Floats, joint: Floats
) -> str:
    way = bones[pair[0]].axes[:, 1] + bones[pair[1]].axes[:, 1]
    return pair[int((place - joint) @ way > 0.0)]


def head_owners(p: Floats) -> list[str]:
    """Return that all points of the head belong to one bone."""
    return ["Head"] * len(p)


def hand_owners(bones: dict[str, Bone]) -> Owners:
    """Return what says which bone a point of the left hand belongs to."""
    hand = bones["LeftHand"]
    fingers = {
        name: bone for name, bone in bones.items() if name.startswith("LeftHand")
    }

    def owners(p: Floats) -> list[str]:
        local = (p - hand.place) @ hand.axes
        gaps = np.array([finger(local) for finger in shape.FINGERS])
        # fingers spread: by the nearest one
        index = gaps[0] < gaps[1:].min(axis=0)
        names = []
        for place, own, is_index in zip(p, local, index, strict=True):
            x, y, _ = own
            if y < -0.004:
                names.append("LeftForeArm")
                continue
            # the outer three fingers go together
            reach = {
                name: _distance(place, bone)
                for name, bone in fingers.items()
                if "Thumb" in name
            }
            thumb = min(reach, key=lambda name: reach[name])
            if reach[thumb] < 0.02 and x < -0.025 and y < 0.1:
                names.append(thumb)
            elif y < 0.084:
                names.append("LeftHand")
            else:
                finger = "LeftHandIndex" if is_index else "LeftHandMiddle"
                second = hand.axes.T @ (bones[finger + "2"].place - hand.place)
                names.append(finger + ("2" if y > second[1] else "1"))
        return names

    return owners


def boot_owners(bones: dict[str, Bone]) -> Owners:
    """Return what says which bone a point of the left boot belongs to."""
    ball = bones["LeftToeBase"].place[1]

    def owners(p: Floats) -> list[str]:
        return [
            "LeftToeBase" if y < ball else "LeftLeg" if z > 0.105 else "LeftFoot"
            for _, y, z in p
        ]

    return owners


def smooth(
    names: Sequence[str],
    points: Floats,
    triangles: Ints,
    bones: dict[str, Bone],
    rounds: int,
) -> Floats:
    """Return weights that go over smoothly from bone to bone, (n, bones).

    Args:
        names: The bone that each point belongs to.
        points: Of the left half of a mesh, (n, 3).
        triangles: (m, 3).
        bones: All bones.
        rounds: How often each point takes on half of its neighbours' mean.
    """
    order = list(bones)
    weights = np.zeros((len(points), len(order)))
    weights[np.arange(len(points)), [order.index(name) for name in names]] = 1.0
    edges = np.sort(triangles[:, (0, 1, 1, 2, 2, 0)].reshape(-1, 2), axis=1)
    a, b = np.unique(edges, axis=0).T
    count = np.bincount(np.concatenate((a, b)), minlength=len(points))[:, None]
    middle = points[:, 0] == 0.0
    other = mirrored(order)
    for _ in range(rounds):
        sums = np.zeros_like(weights)
        np.add.at(sums, a, weights[b])
        np.add.at(sums, b, weights[a])
        weights = 0.5 * weights + 0.5 * sums / count
        # what would come from the right half
        weights[middle] = 0.5 * (weights[middle] + weights[middle][:, other])
    return weights


def mirrored(order: Sequence[str]) -> list[int]:
    """Return where the other side's bone stands, for each bone."""
    swap = {"Left": "Right", "Righ": "Left"}
    names = [
        swap[name[:4]] + name.removeprefix("Left").removeprefix("Right")
        if name[:4] in swap
        else name
        for name in order
    ]
    return [list(order).index(name) for name in names]


def settle(weights: Floats) -> Floats:
    """Return weights of at most `MOST` bones a point that add up to exactly 1."""
    # what is as small as the first one too many goes with it: a pair stays a pair
    ranked = np.sort(weights, axis=1)[:, ::-1]
    kept = np.where(weights > ranked[:, MOST, None] + 1e-9, weights, 0.0)
    kept /= kept.sum(axis=1, keepdims=True)
    parts = np.floor(kept * STEPS + 0.5)
    # what rounding left over goes to the largest
    rows = np.arange(len(parts))
    parts[rows, parts.argmax(axis=1)] += STEPS - parts.sum(axis=1)
    whole: Floats = parts / STEPS
    return whole


def _distance(place: Floats, bone: Bone) -> float:
    along = bone.end - bone.place
    share = np.clip((place - bone.place) @ along / (along @ along), 0.0, 1.0)
    return float(np.linalg.norm(place - bone.place - share * along))
