"""Results of rigs on third-party characters: ``python -m tests.bench.characters``.

One line for each character of ``tests/characters/expected.yaml`` that is at hand. Every
figure is measured on the Actor's joints, not taken from a result:

limbs   those expected, and how many of them were found as expected; eyes are one
tip     how far arms and legs end from targets within their reach, while the character's
        clip plays, in lengths of the limb: the worst
hips    how much further FootPlacement moves the hips on flat ground than the clip's
        own lowest point is from there, at the clip's speed, in lengths of the leg;
        nothing for those who fly in their clip
knee    largest step of a knee's angle in a frame with FootPlacement, against without
gaze    how far the head looks past targets to both sides, from the pose of the file
        [degree]
gap     how far a hand is from a grip on a gun that the other one aims, in arm lengths,
        once that was within reach for 0.6 s; behaviours in their default order
us      a frame of a rig with all limbs reaching beyond one plain update of the Actor

A line with an exclamation mark is red: see ``WORST``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import inf
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import panda3d.core as p3d

import ikrig
from ikrig.scene.actor.actor_figure import figure_of, limbs_of
from ikrig.scene.behaviours.clip_speed import clip_velocity
from ikrig.scene.behaviours.sole import find_sole, standing_pose
from tests.characters import catalog

FPS = 60.0
FRAMES = 40
WORST = {"tip": 1e-4, "hips": 0.1, "knee": 2.0, "gaze": 1.0, "gap": 1e-3, "us": inf}
"""What is red beyond."""
STEP = 5.0
"""A knee may always move so far in a frame [degree]."""

Row = dict[str, Any]


def main(argv: list[str] | None = None) -> int:
    """Measure the characters that the arguments name; return how many are red."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.characters",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAMES", help="default: all")
    names = parser.parse_args(argv).names or list(catalog.EXPECTED)
    p3d.load_prc_file_data("", "audio-library-name null\nnotify-level-gobj fatal\n")
    print(f"{'':22}{'limbs':>7}" + "".join(f"{head:>10}" for head in WORST))
    red = 0
    for name in names:
        if catalog.find_file(name) is None:
            print(f"{name:22}  not at hand: {catalog.missing(name)}")
            continue
        row = measure(name)
        bad = is_red(row)
        red += bool(bad)
        cells = "".join(f"{_text(row[head]):>10}" for head in WORST)
        print(f"{name:22}{row['limbs']:>7}{cells}  {'! ' * bool(bad)}{', '.join(bad)}")
    return red


def measure(name: str) -> Row:
    """Return the figures of a character; None where it has not what they are about."""
    row: Row = {"limbs": _limbs(name)}
    for head, figure in (
        ("tip", _tip),
        ("hips", _hips),
        ("knee", _knee),
        ("gaze", _gaze),
        ("gap", _gap),
        ("us", _cost),
    ):
        row[head] = figure(Stand(name))
    return row


def is_red(row: Row) -> list[str]:
    """Return the figures that are worse than they may be."""
    wanted, found = row["limbs"].split("/")
    bad = ["limbs"] if wanted != found else []
    return bad + [
        head
        for head, worst in WORST.items()
        if row[head] is not None and not row[head] <= worst
    ]


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:.2g}" if value < 100 else f"{value:.0f}"


class Stand:
    """A character in a scene, with a clip that plays at 60 frames a second."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.actor = catalog.load(name)
        self.top = p3d.NodePath("top")
        self.actor.reparent_to(self.top)
        self.actor.set_blend(frameBlend=True)
        clips = sorted(self.actor.get_anim_names())
        walks = [clip for clip in clips if "walk" in clip.lower()]
        self.clip = next(iter([*walks, *clips]), None)
        if self.clip:
            self.actor.set_play_rate(1.0, self.clip)
        self.rig = ikrig.ActorRig(self.actor)
        self.skeleton = self.rig.skeleton
        self.found = limbs_of(self.skeleton)

    def frames(self, count: int = FRAMES) -> Iterator[int]:
        """Pose the clip for one frame after the other."""
        for k in range(count):
            if self.clip:
                length = self.actor.get_num_frames(self.clip)
                rate = self.actor.get_base_frame_rate(self.clip)
                at = k / FPS * rate
                control = self.actor.get_anim_control(self.clip)
                control.pose(at % max(length - 1, 1))
            yield k

    def mat(self, joint: str) -> p3d.LMatrix4f:
        """Return where the engine has a joint, in the scene."""
        net = p3d.LMatrix4f()
        self.skeleton.joints[joint].get_net_transform(net)
        return net * self.skeleton.space.get_parent().get_mat(self.top)

    def place(self, joint: str, tip: p3d.LPoint3f | None = None) -> np.ndarray:
        """Return the position of a joint, or of a point in its space."""
        mat = self.mat(joint)
        return np.array(mat.get_row3(3) if tip is None else mat.xform_point(tip))


# -- figures ---------------------------------------------------------------------------


def _limbs(name: str) -> str:
    expected = catalog.EXPECTED[name]
    found = Stand(name).found
    limbs = {limb.name: limb for limb in found.limbs}
    right = sum(
        list(limbs[limb].joints) == joints if limb in limbs else False
        for limb, joints in expected.limbs.items()
    )
    right += sorted(expected.eyes) == sorted(found.eyes)
    # what was not expected counts against it
    right -= len(set(limbs) - set(expected.limbs))
    return f"{len(expected.limbs) + 1}/{right}"


def _tip(stand: Stand) -> float | None:
    """Have every limb of two bones or more follow a target on a circle."""
    rig = ikrig.ActorRig.auto(_fresh(stand))
    stand.rig, stand.skeleton = rig, rig.skeleton
    worst: list[float] = []
    limbs = [
        limb
        for limb in rig.limbs.values()
        if limb.kind in ("hand", "foot") and len(rig[limb.name].bones) > 2
    ]
    for limb in limbs:
        chain = rig[limb.name]
        local = chain.leaf.get_pos(rig.joint(limb.joints[-1]))
        scale = (
            _points(stand, limb, local)[1:] - _points(stand, limb, local)[:-1]
        ) ** 2
        length = float(np.sqrt(scale.sum(axis=1)).sum())
        for k in stand.frames():
            rig.update(1.0 / FPS)
            points = _points(stand, limb, local)
            out = (points[-1] - points[0]) / np.linalg.norm(points[-1] - points[0])
            angle = 0.3 * k
            aside = np.array((np.cos(angle), np.sin(angle), np.cos(1.7 * angle)))
            goal = points[0] + 0.75 * length * out + 0.1 * length * aside
            chain.target.set_pos(stand.top, *goal)
            rig.update(0.0)
            missed = _points(stand, limb, local)[-1] - goal
            worst.append(float(np.linalg.norm(missed)) / length)
        chain.weight = 0.0
    return max(worst, default=None)


def _points(stand: Stand, limb: Any, local: p3d.LPoint3f) -> np.ndarray:
    own = [stand.place(joint) for joint in limb.joints]
    if limb.end is not None:
        own.append(stand.place(limb.joints[-1], local))
    return np.array(own)


def _fresh(stand: Stand) -> Any:
    stand.rig.detach()
    return stand.actor


def _stands(stand: Stand) -> bool:
    """Return whether its lowest skin in the clip is that of a leg: it does not fly."""
    legs = {limb.joints[0] for limb in stand.found.limbs if limb.kind == "foot"}
    lows = [joint for _, joint in _low_points(stand)]
    return any(legs.intersection(stand.skeleton.lineage(joint)) for joint in lows)


def _hips(stand: Stand) -> float | None:
    """Return the largest way of the hips while it walks on the spot."""
    if not _stands(Stand(stand.name)):
        return None
    with_feet, without = _walk(stand, True), _walk(Stand(stand.name), False)
    lows = _lowest(Stand(stand.name))
    floats = float(np.abs(lows - lows.mean()).max())
    return max(
        (float(np.abs(one["hip"] - other["hip"]).max()) - floats) / one["leg"]
        for one, other in zip(with_feet, without, strict=True)
    )


def _knee(stand: Stand) -> float | None:
    """Return by how much more a knee turns in a frame than without FootPlacement."""
    if not _stands(Stand(stand.name)):
        return None
    with_feet, without = _walk(stand, True), _walk(Stand(stand.name), False)
    steps = [
        max((np.abs(np.diff(leg["knee"])).max() for leg in walk), default=0.0)
        for walk in (with_feet, without)
    ]
    return float(steps[0] / max(steps[1], STEP))


def _walk(stand: Stand, placed: bool) -> list[dict[str, Any]]:
    """Return hips' places and knees' angles of each leg, frame by frame."""
    legs = [limb for limb in stand.found.limbs if limb.kind == "foot"]
    # a clip that does not walk on z = 0 is put there
    stand.actor.set_z(-float(np.mean(_lowest(stand))))
    velocity = _velocity(Stand(stand.name), legs)
    if placed:
        ikrig.FootPlacement(stand.rig, lambda x, y: 0.0)
    else:
        # a layer of no effect keeps the joints computed
        stand.rig.chain(legs[0].joints[-1], 1, tip=None, weight=0.0)
    rows: list[dict[str, Any]] = [{"hip": [], "knee": []} for _ in legs]
    for k in stand.frames(FRAMES * 2):
        x, y = velocity * k / FPS
        stand.actor.set_pos(x, y, stand.actor.get_z())
        stand.rig.update(1.0 / FPS)
        for limb, row in zip(legs, rows, strict=True):
            ends = [] if limb.end is None else [_end(stand, limb)]
            points = np.array([*(stand.place(j) for j in limb.joints), *ends])
            row["hip"].append(points[0])
            row["leg"] = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
            one, other = np.diff(points, axis=0)[:2]
            cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
            row["knee"].append(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    for row in rows:
        row["hip"] = np.array(row["hip"])
    return rows


def _lowest(stand: Stand) -> np.ndarray:
    """Return the height of the lowest skin in each frame of the clip."""
    return np.array([low for low, _ in _low_points(stand)])


def _low_points(stand: Stand) -> list[tuple[float, str]]:
    """Return the height of the lowest skin in each frame, and the joint it is on."""
    figure = figure_of(stand.skeleton)
    lows = []
    for _ in stand.frames(FRAMES * 2):
        stand.skeleton.bundle.force_update()
        low = inf, ""
        for joint, points in figure.skin.items():
            rest = p3d.LMatrix4f(
                stand.skeleton.rest_mat(joint) * stand.skeleton.bundle.get_root_xform()
            )
            rest *= stand.skeleton.space.get_parent().get_mat(stand.actor)
            rest.invert_in_place()
            moved = np.array(rest * stand.mat(joint))
            height = float((points @ moved[:3, 2] + moved[3, 2]).min())
            low = min(low, (height, joint))
        lows.append(low)
    return lows


def _velocity(stand: Stand, legs: list[Any]) -> np.ndarray:
    """Return how the Actor must move so that the clip's feet don't slide: x, y."""
    skeleton = stand.skeleton
    if not stand.clip:
        return np.zeros(2)
    rest = standing_pose(skeleton, None)
    feet = [limb.joints[-1] for limb in legs]
    anim = stand.actor.get_anim_control(stand.clip).get_anim()
    soles = [find_sole(skeleton, foot, rest) for foot in feet]
    velocity = (*clip_velocity(skeleton, anim, soles), 0.0)
    return np.array(stand.actor.get_mat(stand.top).xform_vec(velocity))[:2]


def _end(stand: Stand, limb: Any) -> np.ndarray:
    from ikrig.scene.actor.actor_limbs import skin_tip

    tip = skin_tip(stand.skeleton, limb.joints[-1])
    return stand.place(limb.joints[-1], p3d.LPoint3f(*tip))


def _gaze(stand: Stand) -> float | None:
    """Look at targets to both sides for six seconds; return the worst miss."""
    if not stand.found.head:
        return None
    expected = catalog.EXPECTED[stand.name]
    forward = {"-y": (0, -1, 0), "+y": (0, 1, 0), "+x": (1, 0, 0)}
    forward[""] = stand.found.forward
    ahead = p3d.LVector3f(*forward[expected.forward])
    head, eyes = stand.found.head, expected.eyes
    rest = {j: p3d.LMatrix4f(stand.skeleton.rest_mat(j)) for j in (head, *eyes)}
    unrest = p3d.LMatrix4f(rest[head])
    unrest.invert_in_place()
    point = sum((rest[j].get_row3(3) for j in eyes or [head]), p3d.LVector3f(0))
    point = unrest.xform_point(p3d.LPoint3f(point / max(len(eyes), 1)))
    own = unrest.xform_vec(stand.skeleton.space.get_relative_vector(stand.actor, ahead))
    far = 4.0 * figure_of(stand.skeleton).size
    target = stand.top.attach_new_node("seen")
    stand.skeleton.bundle.force_update()
    seen = p3d.LVector3f(stand.mat(head).xform_vec(own))
    seen.normalize()
    eye = p3d.LPoint3f(*stand.place(head, point))
    aside = seen.cross((0, 0, 1) if abs(seen[2]) < 0.9 else (1, 0, 0))
    ikrig.LookAt(stand.rig, target)
    worst = 0.0
    for side in (-0.5, 0.5):
        target.set_pos(eye + (seen + aside * side) * far)
        # the eyes go first, the head takes its time
        for _ in range(360):
            stand.rig.update(1.0 / FPS)
        mat = stand.mat(head)
        wanted = target.get_pos() - mat.xform_point(point)
        worst = max(worst, _degrees(mat.xform_vec(own), wanted))
    return worst


def _degrees(a: p3d.LVector3f, b: p3d.LVector3f) -> float:
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    return float(np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)))


def _gap(stand: Stand) -> float | None:
    """Aim a gun in the right hand; return how far the left one is from its grip."""
    limbs = {limb.name: limb for limb in stand.found.limbs}
    both = [limbs.get(f"{side}_hand") for side in ("right", "left")]
    if any(h is None or h.end is not None or len(h.joints) < 3 for h in both):
        return None
    right, left = (hand.joints for hand in both if hand is not None)
    for _ in stand.frames(1):
        stand.rig.update(0.0)
    arm = sum(
        float(np.linalg.norm(stand.place(a) - stand.place(b)))
        for a, b in pairwise(left)
    )
    gun = stand.rig.joint(right[-1]).attach_new_node("gun")
    grip = gun.attach_new_node("grip")
    target = stand.top.attach_new_node("shot at")
    ahead = np.array(stand.found.forward)
    middle = (stand.place(right[0]) + stand.place(left[0])) / 2.0
    target.set_pos(*(middle + 8.0 * arm * ahead))
    ikrig.Aim(stand.rig, gun, target, {right[0]: 1.0, right[1]: 1.0})
    ikrig.Reach(stand.rig, left[-1], grip, root_joint=left[0])
    gap, reached = 0.0, 0
    for k in stand.frames(90):
        if k < 30:
            # on the barrel, where the left arm reaches it
            place = middle + 0.45 * arm * ahead
            grip.set_pos(stand.top, *place)
        stand.rig.update(1.0 / FPS)
        if k >= 30:
            there = np.array(grip.get_pos(stand.top))
            reach = np.linalg.norm(there - stand.place(left[0]))
            # a grip that was away is grabbed gradually
            reached = reached + 1 if reach < 0.95 * arm else 0
            if reached > 36:
                missed = np.linalg.norm(stand.place(left[-1]) - there)
                gap = max(gap, float(missed) / arm)
    return gap


def _cost(stand: Stand) -> float | None:
    """Return the time of a frame with all limbs reaching, less one plain update."""
    rig = ikrig.ActorRig.auto(_fresh(stand), weight=1.0)
    bundle = rig.skeleton.bundle
    plain: list[float] = []
    whole: list[float] = []
    work: Callable[[], Any]
    for _ in stand.frames(FRAMES):
        for work, times in ((bundle.force_update, plain), (_updater(rig), whole)):
            start = perf_counter()
            work()
            times.append(perf_counter() - start)
        p3d.TransformState.garbage_collect()
    return 1e6 * (median(whole) - median(plain))


def _updater(rig: ikrig.ActorRig) -> Callable[[], None]:
    return lambda: rig.update(1.0 / FPS)


if __name__ == "__main__":
    sys.exit(main())
