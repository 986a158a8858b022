"""A whole body on paths that people complain about: reach, turns, bends, locks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import panda3d.core as p3d
import pytest
from direct.actor.Actor import Actor

import ikrig

HUMANOID = Path(__file__).parents[3] / "assets" / "models" / "humanoid.bam"
STEP = 0.008
"""How far goals move in a frame, at 1.7 m."""


class Body:
    """A person in its rest pose, and the handles of its body."""

    def __init__(self, model: Path | str = HUMANOID, clip: str = "") -> None:
        self.world = p3d.NodePath("world")
        self.actor = Actor(str(model))
        self.actor.reparent_to(self.world)
        if clip:
            self.actor.pose(clip, 0)
        self.rig = ikrig.ActorRig(self.actor)
        self.body = ikrig.FullBody(self.rig)
        self.rig.update(0.0)
        self.start = {name: self.mat(name) for name in self.body}
        self.targets: dict[str, p3d.NodePath] = {}
        low, high = (p3d.LPoint3f(*x) for x in self.bounds())
        self.size = high.z - low.z

    def bounds(self) -> tuple[p3d.LPoint3f, p3d.LPoint3f]:
        found = self.actor.get_tight_bounds()
        assert found is not None
        return found

    def mat(self, name: str) -> p3d.LMatrix4f:
        joint = self.body[name].joint
        return p3d.LMatrix4f(self.rig.joint(joint).get_mat(self.world))

    def place(self, name: str) -> np.ndarray:
        return np.array(self.mat(name).get_row3(3))

    def lead(self, name: str, turned: float = 0.0) -> p3d.NodePath:
        """Give a handle a target where it is."""
        node = self.targets[name] = self.world.attach_new_node(name)
        node.set_mat(self.start[name])
        self.body[name].target = node
        self.body[name].orientation_weight = turned
        return node

    def miss(self, name: str) -> float:
        gap = np.array(self.targets[name].get_pos(self.world)) - self.place(name)
        return float(np.linalg.norm(gap)) / self.size * 1.7

    def turns(self) -> np.ndarray:
        names = [joint.name for joint in self.body._model.joints]
        quats = [self.rig.joint(n).get_quat(self.world) for n in names]
        return np.array([tuple(q.normalized()) for q in quats])

    def bend(self, name: str) -> float:
        """Bend of a limb's elbow or knee [degrees], and 0 for straight."""
        first, knee, end = self.body._model.limbs[name]
        a, b, c = (
            np.array(self.rig.joint(j).get_pos(self.world)) for j in (first, knee, end)
        )
        u, v = b - a, c - b
        cosine = u @ v / np.linalg.norm(u) / np.linalg.norm(v)
        return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def eased(points: list[tuple[float, ...]], size: float) -> np.ndarray:
    """Points along a line at STEP each, from the first to the last."""
    given, step = np.array(points), STEP * size / 1.7
    found = [given[0]]
    for a, b in pairwise(given):
        count = max(int(np.ceil(np.linalg.norm(b - a) / step)), 1)
        found += [a + (b - a) * k / count for k in range(1, count + 1)]
    return np.array(found)


def angles(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    cosine = np.abs((a * b).sum(axis=1))
    return np.degrees(2.0 * np.arccos(np.clip(cosine, 0.0, 1.0)))


# goals of the right hand in a figure of 1.7 m at its place, facing -y; and whether all
# of the path is in reach
HAND: dict[str, list[tuple[float, ...]]] = {
    "around the shoulder": [
        (-0.55 * np.cos(t), -0.45 * np.sin(t), 1.35) for t in np.linspace(0, 1.4, 9)
    ],
    "behind the back": [(-0.45, 0.0, 0.95), (-0.3, 0.25, 1.0), (-0.05, 0.25, 1.05)],
    "through the chest": [(-0.3, -0.4, 1.25), (0.0, -0.02, 1.2), (0.2, 0.1, 1.2)],
    "overhead": [(-0.4, -0.3, 1.3), (-0.3, -0.2, 1.8), (-0.1, 0.05, 1.95)],
    "across": [(-0.4, -0.3, 1.2), (0.4, -0.35, 1.2)],
}


def follow(body: Body, move: Callable[[int], None], count: int) -> float:
    """Run frames; return the largest turn of a joint in one of them [degrees]."""
    body.rig.update(1 / 60)
    before, most = body.turns(), 0.0
    for k in range(count):
        move(k)
        body.rig.update(1 / 60)
        now = body.turns()
        assert np.isfinite(now).all()
        most = max(most, float(angles(before, now).max()))
        before = now
    return most


@pytest.mark.parametrize("path", HAND)
def test_hand_is_led_along_paths(path: str) -> None:
    body = Body()
    hand = body.lead("right_hand")
    scale = body.size / 1.7
    start = tuple(body.place("right_hand") / scale)
    points = eased([start, *HAND[path]], 1.7) * scale
    missed = []

    def move(k: int) -> None:
        if k:
            missed.append(body.miss("right_hand"))
        hand.set_pos(*points[k])

    most = follow(body, move, len(points))
    assert max(missed) < 1e-3, path
    assert most < 15.0, path
    # feet stay where they are animated
    for name in ("left_foot", "right_foot"):
        gap = body.place(name) - np.array(body.start[name].get_row3(3))
        assert np.linalg.norm(gap) < 1e-3 * scale


@pytest.mark.parametrize(
    "pitch, roll", [(0.0, 0.0), (-90.0, 0.0), (90.0, 0.0), (0.0, 90.0)],
    ids=["crouch", "prone", "supine", "on the side"],
)  # fmt: skip
def test_body_goes_down(pitch: float, roll: float) -> None:
    body = Body()
    five = ("head", "left_hand", "right_hand", "left_foot", "right_foot")
    nodes = {name: body.lead(name, turned=1.0) for name in five}
    hips = p3d.LPoint3f(body.start["hips"].get_row3(3))
    missed: list[float] = []
    frames = 120

    def move(k: int) -> None:
        if k:
            missed.append(max(body.miss(name) for name in five))
        part = (k + 1) / frames
        turn = p3d.LQuaternionf()
        turn.set_hpr((0.0, pitch * part, roll * part))
        for name, node in nodes.items():
            mat = p3d.LMatrix4f(body.start[name])
            if pitch or roll:
                # all goals turn about the hips, and sink
                mat *= p3d.LMatrix4f.translate_mat(-hips)
                spun = p3d.LMatrix4f()
                turn.extract_to_matrix(spun)
                mat *= spun
                mat *= p3d.LMatrix4f.translate_mat(hips.x, hips.y, hips.z)
                mat *= p3d.LMatrix4f.translate_mat(0, 0, -0.4 * body.size * part)
            elif "foot" not in name:
                mat *= p3d.LMatrix4f.translate_mat(0, 0, -0.35 * body.size * part)
            node.set_mat(mat)

    most = follow(body, move, frames)
    assert max(missed) < 1e-3
    assert most < 15.0
    if not (pitch or roll):
        for name in ("left_foot", "right_foot"):
            assert 60.0 < body.bend(name) < 155.0


def test_goals_out_of_reach_are_approached() -> None:
    body = Body()
    far = {
        "left_hand": (5.0, 0, 1.2), "right_hand": (-5.0, 0, 1.2), "head": (0, 0, 6.0),
        "left_foot": (2.0, 0, -4), "right_foot": (-2.0, 0, -4),
    }  # fmt: skip
    nodes = {name: body.lead(name) for name in far}
    begin = {name: body.place(name) for name in far}

    def move(k: int) -> None:
        part = min((k + 1) / 750, 1.0)
        for name, node in nodes.items():
            node.set_pos(*(begin[name] + part * (np.array(far[name]) - begin[name])))

    assert follow(body, move, 760) < 15.0
    before = body.turns()
    body.rig.update(1 / 60)
    # it stands still when they do
    assert angles(before, body.turns()).max() < 0.5


@pytest.mark.parametrize("lock", ["head", "hips"])
def test_locked_handle_is_exact(lock: str) -> None:
    body = Body()
    body.body.lock = lock
    head = body.lead("head")
    head.set_pos(head.get_pos() + p3d.LVector3f(0.2, -0.6, -0.2) * body.size)
    body.lead("hips")
    for _ in range(20):
        body.rig.update(1 / 60)
    # one of them can't be reached
    other = "hips" if lock == "head" else "head"
    assert body.miss(lock) < 1e-4
    assert body.miss(other) > 0.02


def test_head_that_looks_up_does_not_cave_the_chest_in() -> None:
    body = Body()
    head = body.lead("head", turned=1.0)
    hpr = head.get_hpr()
    chest = body.place("chest")

    def move(k: int) -> None:
        head.set_hpr(head, 0, 0.5, 0) if k < 100 else None

    follow(body, move, 100)
    assert body.miss("head") < 1e-3 and hpr != head.get_hpr()
    assert np.linalg.norm(body.place("chest") - chest) < 0.06 * body.size


def test_spine_bends_evenly() -> None:
    body = Body()
    head = body.lead("head")
    head.set_pos(head.get_pos() + p3d.LVector3f(0.0, -0.2, -0.12) * body.size)
    for _ in range(10):
        body.rig.update(1 / 60)
    spine = body.body._model.spine
    skeleton = body.rig.skeleton
    bends = []
    for joint in spine:
        now = skeleton.mat(skeleton.pose.index[joint])
        then = skeleton.joints[joint].get_default_value()
        q, r = p3d.LQuaternionf(), p3d.LQuaternionf()
        q.set_from_matrix(now.get_upper_3())
        r.set_from_matrix(then.get_upper_3())
        bends.append(float(angles(np.array([tuple(q)]), np.array([tuple(r)]))[0]))
    assert sum(bends) > 20.0
    assert max(bends) < 2.0 * np.mean(bends)


def test_two_hands_hold_one_thing() -> None:
    body = Body()
    right = body.lead("right_hand", turned=1.0)
    right.set_pos(right.get_pos() + p3d.LVector3f(0.18, -0.2, 0.05) * body.size)
    for _ in range(5):
        body.rig.update(1 / 60)
    # a grip on what the right hand holds, where the left hand can be
    grip = body.rig.joint(body.body["right_hand"].joint).attach_new_node("grip")
    grip.set_pos(body.world, right.get_pos() + p3d.LVector3f(0.15, 0, 0) * body.size)
    body.body["left_hand"].target = grip
    body.targets["left_hand"] = grip
    for k in range(60):
        right.set_z(right.get_z() + 0.002 * body.size * np.sin(k / 9))
        body.rig.update(1 / 60)
        if k > 3:
            assert body.miss("right_hand") < 1e-3 and body.miss("left_hand") < 1e-3


def test_elbow_points_to_its_pole() -> None:
    body = Body()
    hand = body.lead("right_hand")
    hand.set_pos(hand.get_pos() + p3d.LVector3f(0.1, -0.15, 0.05) * body.size)
    for side in (p3d.LVector3f(-1, 0, 1), p3d.LVector3f(-1, 0.5, -1)):
        pole = body.world.attach_new_node("pole")
        pole.set_pos(hand.get_pos() + side * body.size)
        body.body["right_hand"].pole = pole
        for _ in range(12):
            body.rig.update(1 / 60)
        first, knee, end = body.body._model.limbs["right_hand"]
        a, b, c = (
            np.array(body.rig.joint(j).get_pos(body.world)) for j in (first, knee, end)
        )
        line = (c - a) / np.linalg.norm(c - a)
        out = b - a - ((b - a) @ line) * line
        to = np.array(pole.get_pos()) - a
        to -= (to @ line) * line
        cosine = out @ to / np.linalg.norm(out) / np.linalg.norm(to)
        assert cosine > np.cos(np.radians(2.0))
        assert body.miss("right_hand") < 1e-3


def test_without_targets_it_is_idle() -> None:
    body = Body()
    assert body.body._idle
    before = body.turns()
    hand = body.lead("left_hand")
    hand.set_z(hand.get_z() - 0.1 * body.size)
    body.rig.update(1 / 60)
    assert not body.body._idle and angles(before, body.turns()).max() > 1.0
    body.body.release("left_hand")
    body.rig.update(1 / 60)
    assert body.body._idle and angles(before, body.turns()).max() < 0.1


def test_weight_leads_from_the_animation_to_the_goal() -> None:
    body = Body()
    hand = body.lead("left_hand")
    start = body.place("left_hand")
    hand.set_pos(hand.get_pos() + p3d.LVector3f(0, -0.2, 0.05) * body.size)
    far = []
    for weight in np.linspace(0.0, 1.0, 11):
        body.body.weight = float(weight)
        body.rig.update(1 / 60)
        far.append(np.linalg.norm(body.place("left_hand") - start))
    assert far[0] < 1e-6 and body.miss("left_hand") < 1e-3
    assert (np.diff(far) > 0.0).all()


def test_far_and_removed_targets_are_let_go() -> None:
    body = Body()
    hand = body.lead("left_hand")
    for far in (0.0, 1e30):
        hand.set_x(far)
        body.rig.update(1 / 60)
        assert np.isfinite(body.turns()).all()
        hand.set_mat(body.start["left_hand"])
        body.rig.update(1 / 60)
        body.rig.update(1 / 60)
        assert np.isfinite(body.turns()).all() and body.miss("left_hand") < 1e-3
    hand.remove_node()
    body.rig.update(1 / 60)
    assert np.isfinite(body.turns()).all()


def test_errors_name_handle_and_fix() -> None:
    body = Body()
    with pytest.raises(ikrig.BindError, match=r"no handle 'left_hnd'.*left_hand"):
        body.body["left_hnd"]
    with pytest.raises(ikrig.BindError, match="lock must be None or one of head, hips"):
        body.body.lock = "feet"
    with pytest.raises(ikrig.SettingError, match="weight"):
        body.body["head"].weight = 2.0
    body.rig.chain("LeftHand", target=body.world.attach_new_node("goal"))
    body.lead("head")
    body.rig.update(1 / 60)
    assert "set its weight to 0, or remove" in body.body._last_error
