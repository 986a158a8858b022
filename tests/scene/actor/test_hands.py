"""Hands of Actors: poses, values and grasps, judged by the spheres of the fingers."""

from __future__ import annotations

import numpy as np
import panda3d.core as p3d
import pytest

import ikrig
from tests.interpreted import interpreted_kernel
from tests.scene.actor.people import Person, locals_of
from tests.scene.actor.stage import HUMANOID


@pytest.fixture
def hand():
    from direct.actor.Actor import Actor

    actor = Actor(str(HUMANOID))
    actor.reparent_to(p3d.NodePath("world"))
    return ikrig.ActorRig(actor).hand("left_hand")


def tip(hand, name):
    """End of a finger from the palm's centre: out of the palm, ahead."""
    finger, found = hand.found.finger(name), hand.found
    rig = hand.rig
    joint = rig.joint(finger.joints[-1])
    rest = rig.skeleton.rest_mat(finger.joints[-1])
    rest.invert_in_place()
    place = joint.get_mat(rig.actor).xform_point(
        rest.xform_point(p3d.LPoint3f(*finger.tip))
    )
    away = np.subtract(tuple(place), found.centre)
    return away @ found.normal, away @ found.forward


def test_a_hand_is_as_animated_until_a_pose_is_set(hand):
    before = tip(hand, "index")
    hand.rig.update(0.1)
    assert tip(hand, "index") == pytest.approx(before, abs=1e-6)
    assert hand.fingers == ("thumb", "index", "middle")
    assert hand.rig.hand("LeftHand") is hand


def test_poses_bend_and_straighten_fingers(hand):
    hand.pose("flat", 0.0)
    hand.rig.update(0.1)
    flat = tip(hand, "index")
    hand.pose("fist", 0.0)
    hand.rig.update(0.1)
    fist = tip(hand, "index")
    # back to the palm, and not through it
    assert fist[1] < flat[1] - 0.05 and fist[0] > 0.0
    hand.pose("point", 0.0)
    hand.rig.update(0.1)
    assert tip(hand, "index") == pytest.approx(flat, abs=1e-5)
    assert tip(hand, "middle")[1] < flat[1] - 0.05


def test_poses_are_taken_gradually_and_weights_blend(hand):
    hand.pose("flat", 0.0)
    hand.rig.update(0.1)
    flat = tip(hand, "index")[1]
    hand.pose("fist", 0.2)
    seen = []
    for _ in range(8):
        hand.rig.update(0.05)
        seen.append(tip(hand, "index")[1])
    assert seen == sorted(seen, reverse=True) and flat > seen[0] > seen[3]
    assert seen[-1] == pytest.approx(seen[4], abs=1e-6)
    hand.weight = 0.0
    hand.rig.update(0.05)
    assert tip(hand, "index")[1] > seen[-1] + 0.05


def test_fingers_close_on_a_ball_and_open_again(hand):
    found = hand.found
    radius = 0.035
    centre = np.add(found.centre, radius * np.array(found.normal))
    solid = p3d.CollisionNode("ball")
    solid.add_solid(p3d.CollisionSphere(p3d.LPoint3f(*map(float, centre)), radius))
    ball = hand.rig.actor.attach_new_node(solid)
    hand.curl = 0.0
    hand.rig.update(0.1)
    flat = tip(hand, "middle")
    hand.grasp(ball, 0.0)
    hand.rig.update(0.1)
    assert set(hand.touching) == {"thumb", "index", "middle"}
    skeleton = hand.rig.skeleton
    for finger in found.fingers:
        deepest = np.inf
        for k, place, size in finger.spheres:
            rest = skeleton.rest_mat(finger.joints[k])
            rest.invert_in_place()
            now = hand.rig.joint(finger.joints[k]).get_mat(hand.rig.actor)
            spot = now.xform_point(rest.xform_point(p3d.LPoint3f(*place)))
            gap = np.linalg.norm(np.subtract(tuple(spot), centre)) - radius - size
            deepest = min(deepest, gap)
        assert -0.002 < deepest < 0.002
    hand.release(0.0)
    hand.rig.update(0.1)
    assert tip(hand, "middle") == pytest.approx(flat, abs=1e-6)


def test_a_hand_that_stands_still_lets_its_actor_rest(hand, monkeypatch):
    hand.pose("fist", 0.1)
    for _ in range(4):
        hand.rig.update(0.05)
    written = []
    monkeypatch.setattr(hand.rig.skeleton, "end", lambda: written.append(1))
    for _ in range(3):
        hand.rig.update(0.05)
    assert not written
    hand.curl = 0.3
    hand.rig.update(0.05)
    assert written


@pytest.mark.parametrize("side", ["left_hand", "right_hand"])
def test_tips_of_thumb_and_index_touch_when_they_pinch(hand, side):
    rig = hand.rig
    hand = rig.hand(side)
    hand.pose("pinch", 0.0)
    rig.update(0.1)
    places = []
    for name in ("thumb", "index"):
        finger = hand.found.finger(name)
        rest = rig.skeleton.rest_mat(finger.joints[-1])
        rest.invert_in_place()
        now = rig.joint(finger.joints[-1]).get_mat(rig.actor)
        spot = now.xform_point(rest.xform_point(p3d.LPoint3f(*finger.tip)))
        places.append((np.array(tuple(spot)), finger.spheres[-1][2]))
    (a, one), (b, other) = places
    assert abs(np.linalg.norm(a - b) - one - other) < 0.004


def test_poses_of_your_own_and_bad_values(hand):
    hand.add_pose("ok", {"curl": 0.2, "index_curl": 0.6})
    hand.pose("ok")
    assert hand.index_curl == 0.6 and hand.curl == hand.ring_curl == 0.2
    with pytest.raises(ikrig.SettingError, match="did you mean 'fist'"):
        hand.pose("fst")
    with pytest.raises(ikrig.SettingError, match="curl must be a number from 0 to 1"):
        hand.curl = 2.0
    with pytest.raises(ikrig.BindError, match="neither collision solids nor geometry"):
        hand.grasp(hand.rig.actor.get_parent().attach_new_node("empty"))
    with pytest.raises(ikrig.BindError, match="no joint"):
        hand.rig.hand("left_hnd")


RIG = """\
model: {file}
behaviours:
  fingers:
    kind: hand
    hand: left_hand
    pose: hook
    poses: {{hook: {{curl: 0.7, thumb: 0.2, index_curl: 0.4}}}}
    seconds: 0.3
  grab:
    kind: reach
    hand: left_hand
    weight: 0.0
    grips: {{knob: {{point: [0, 0, 0.1], axis: z, length: 0.2, pose: fist}}}}
"""


def test_rig_files_and_clips_pose_hands(tmp_path):
    file = tmp_path / "hands.yaml"
    file.write_text(RIG.format(file=HUMANOID))
    world = p3d.NodePath("world")
    allow = [HUMANOID.parent]
    rig = ikrig.load_rig(file, parent=world, allow=allow)
    made = rig.behaviours["fingers"], rig.behaviours["grab"]
    other = tmp_path / "other.yaml"
    ikrig.dump_rig(rig, other)
    again = ikrig.load_rig(other, parent=p3d.NodePath("world"), allow=allow)
    for mine, theirs in zip(
        made, (again.behaviours["fingers"], again.behaviours["grab"]), strict=True
    ):
        assert mine._entries() == theirs._entries()
    hand, reach = made
    assert (hand.index_curl, hand.middle_curl, hand.thumb) == (0.4, 0.7, 0.2)
    assert reach.grips["knob"].pose == "fist"
    tracks = [
        ikrig.Track("fingers", "curl", {0: 0.0, 1.0: 1.0}),
        ikrig.Track("fingers", "index_curl", {0: 1.0, 1.0: 0.0}),
    ]
    player = ikrig.ClipPlayer(ikrig.Clip("close", tracks), rig)
    player.time = 0.5
    assert 0.0 < hand.curl < 1.0
    player.time = 1.0
    assert (hand.curl, hand.index_curl) == (1.0, 0.0)
    rig.update(0.1)
    curled = tip(hand, "middle")
    player.time = 0.0
    rig.update(0.1)
    assert curled[1] < tip(hand, "middle")[1] - 0.05


def test_hand_without_fingers_stays_within_its_memory(monkeypatch) -> None:
    # Python's lists tell what a compiled kernel would write beside its buffers
    kernel = interpreted_kernel("hand").HandKernel
    monkeypatch.setattr("ikrig.scene.behaviours.hand.HandKernel", kernel)
    hand = [(0.0, 0.0, k) for k in (1.0, 0.3, 0.3, 0.25)]
    names = ("Spine", "LeftArm", "LeftForeArm", "LeftHand")
    joints = [
        (name, above, place, (0.0, 0.0, 0.0))
        for name, above, place in zip(names, (None, *names), hand, strict=False)
    ]
    person = Person(joints, {})
    thing = person.rig.joint("LeftHand").attach_new_node("thing")
    thing.attach_new_node(p3d.CardMaker("card").generate())
    palm = person.rig.hand("LeftHand")
    assert palm.fingers == ()
    before = locals_of(person.actor)
    palm.curl = 0.5
    for act in (lambda: palm.pose("fist"), lambda: palm.grasp(thing), palm.release):
        person.frame()
        act()
    person.run(0.3)
    assert locals_of(person.actor) == before
